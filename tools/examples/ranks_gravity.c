/* Stars that attract each other, on as many processes as mpirun starts. Each process has all stars and computes a share of the gravity. The
 * bits are the same on any number of processes.
 *
 * Usage: mpirun -n 2 ranks_gravity [STARS STEPS] */
#include <kickdrift/kickdrift.h>
#include <kickdrift/mpi.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static kdr_error error;

static void must(kdr_status status) {
    if (status != KDR_OK) { /* the failure is on all ranks, or only on this one, for which the others would wait */
        fprintf(stderr, "ranks_gravity: %s\n", error.message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const size_t stars = argc > 2 ? strtoull(argv[1], NULL, 10) : 6000;
    const uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 10) : 16;
    kdr_ranks *ranks;
    must(kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), stars, &ranks, &error));

    kdr_particles_desc of = kdr_particles_desc_default(); /* the stars start on a line, each with mass 1 / stars */
    kdr_particles p;
    of.count = stars, of.inverse_mass = true;
    must(kdr_particles_create(&of, &p, &error));
    double *const mu = malloc((stars + 1) * sizeof *mu);
    for (size_t i = 0; mu && i < stars; ++i) {
        mu[i] = 1.0 / (double)stars, ((double *)p.inverse_mass)[i] = (double)stars;
        ((double *)p.x[0])[i] = 1 + (double)i / (double)stars, ((double *)p.v[1])[i] = 1;
    }

    const kdr_interaction gravity = kdr_interaction_gravity(mu, stars, 0.05);
    kdr_system_desc desc = kdr_system_desc_default();
    desc.interactions = &gravity, desc.interaction_count = 1, desc.communicator = kdr_ranks_communicator(ranks);
    kdr_system *system;
    kdr_workspace workspace;
    must(kdr_system_create(&desc, &system, &error));
    must(kdr_workspace_create(system, stars, 3, (kdr_allocator){0}, &workspace, &error));
    kdr_clock clock = {0, 1.0 / 64, 0};
    kdr_observables found;
    uint64_t fingerprint;
    must(kdr_system_run(system, &p, &clock, steps, &workspace, &error));
    must(kdr_system_observe(system, &p, &clock, &found, &error));
    must(kdr_fingerprint(&p, &fingerprint, &error));
    if (kdr_ranks_rank(ranks) == 0) {
        printf("energy %.17g, fingerprint %016llx\n", found.energy, (unsigned long long)fingerprint);
    }
    free(mu);
    kdr_workspace_destroy(&workspace), kdr_system_destroy(system), kdr_particles_destroy(&p), kdr_ranks_destroy(ranks);
    MPI_Finalize();
    return 0;
}
