/* Ranks: dust in the field of a sun, and stars that attract each other, on as many processes as mpirun starts; the same bits on any number.
 *
 *     mpirun -n 2 ranks [DUST STARS STEPS] */
#include <kickdrift/kickdrift.h>
#include <kickdrift/mpi.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static kdr_error error;

static void must(kdr_status status) {
    if (status != KDR_OK) { /* on all ranks, or on this one: then the others wait for it */
        fprintf(stderr, "ranks: %s\n", error.message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* `count` of `all` particles on a disc, from number `first` on, and of mass 1 / all. */
static kdr_particles disc(size_t first, size_t count, size_t all) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    kdr_particles p;
    desc.count = count, desc.inverse_mass = true;
    must(kdr_particles_create(&desc, &p, &error));
    p.first_id = first;
    for (size_t i = 0; i < count; ++i) {
        const double n = (double)(first + i), r = 1 + n / (double)all, a = n * 0.618033988749895, t = a - (double)(size_t)a - 0.5;
        const double c = (1 - 4 * t * t) / (1 + 4 * t * t), s = 4 * t / (1 + 4 * t * t); /* a point of the circle */
        ((double *)p.x[0])[i] = r * c, ((double *)p.x[1])[i] = r * s;
        ((double *)p.v[0])[i] = -s, ((double *)p.v[1])[i] = c, ((double *)p.inverse_mass)[i] = (double)all;
    }
    return p;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const size_t dust = argc > 3 ? strtoull(argv[1], NULL, 10) : 100000, stars = argc > 3 ? strtoull(argv[2], NULL, 10) : 6000;
    const uint64_t steps = argc > 3 ? strtoull(argv[3], NULL, 10) : 16;
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0.01);
    kdr_clock clock = {0, 1.0 / 64, 0}, again = clock;
    kdr_observables found, between;
    uint64_t fingerprint, of_stars;

    kdr_ranks *ranks; /* Each rank steps a slice of the dust by itself, */
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    kdr_integrator *orbit;
    size_t first, count;
    must(kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), dust, &ranks, &error));
    must(kdr_ranks_slice(ranks, kdr_ranks_rank(ranks), &first, &count, &error));
    kdr_particles slice = disc(first, count, dust), all = disc(0, stars, stars);
    desc.forces = &sun, desc.force_count = 1;
    must(kdr_integrator_create(&desc, &orbit, &error));
    must(kdr_integrator_run(orbit, &slice, &clock, steps, &error));
    must(kdr_ranks_observe(ranks, orbit, &slice, &clock, &found, &error));
    must(kdr_ranks_fingerprint(ranks, &slice, &fingerprint, &error));

    kdr_coupled_desc of_all = kdr_coupled_desc_default(); /* and has all stars, of whose gravity it computes a share. */
    kdr_coupled *coupled;
    kdr_workspace workspace;
    double *const mu = calloc(stars + 1, sizeof *mu);
    for (size_t i = 0; mu && i < stars; ++i) {
        mu[i] = 1.0 / (double)stars;
    }
    const kdr_coupled_force gravity = kdr_coupled_gravity(mu, stars, 0.05);
    of_all.forces = &sun, of_all.force_count = 1, of_all.coupled = &gravity, of_all.coupled_count = 1, of_all.team = kdr_ranks_team(ranks);
    must(kdr_coupled_create(&of_all, &coupled, &error));
    must(kdr_workspace_create(coupled, stars, 3, (kdr_allocator){0}, &workspace, &error));
    must(kdr_coupled_run(coupled, &all, &again, steps, &workspace, &error));
    must(kdr_coupled_observe(coupled, &all, &again, &between, &error));
    must(kdr_fingerprint(&all, &of_stars, &error));
    if (kdr_ranks_rank(ranks) == 0) {
        printf("dust: energy %.17g, fingerprint %016llx\n", found.energy, (unsigned long long)fingerprint);
        printf("stars: energy %.17g, fingerprint %016llx\n", between.energy, (unsigned long long)of_stars);
    }
    free(mu);
    kdr_workspace_destroy(&workspace), kdr_coupled_destroy(coupled), kdr_integrator_destroy(orbit);
    kdr_particles_destroy(&slice), kdr_particles_destroy(&all), kdr_ranks_destroy(ranks);
    MPI_Finalize();
    return 0;
}
