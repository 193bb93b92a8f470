/* Ranks: dust in the field of a sun, with a slice of the particles on each process that mpirun starts. The bits are the same on any number
 * of processes.
 *
 * Usage: mpirun -n 2 ranks [PARTICLES STEPS] */
#include <kickdrift/kickdrift.h>
#include <kickdrift/mpi.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static kdr_error error;

static void must(kdr_status status) {
    if (status != KDR_OK) { /* the failure is on all ranks, or only on this one, for which the others would wait */
        fprintf(stderr, "ranks: %s\n", error.message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const size_t all = argc > 2 ? strtoull(argv[1], NULL, 10) : 100000;
    const uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 10) : 16;
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0.01);
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.forces = &sun, desc.force_count = 1;
    kdr_integrator *orbit;
    must(kdr_integrator_create(&desc, &orbit, &error));

    kdr_ranks *ranks;
    size_t first, count;
    must(kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), all, &ranks, &error));
    must(kdr_ranks_slice(ranks, kdr_ranks_rank(ranks), &first, &count, &error));

    kdr_particles_desc of = kdr_particles_desc_default(); /* the dust starts on a line */
    kdr_particles slice;
    of.count = count;
    must(kdr_particles_create(&of, &slice, &error));
    slice.first_id = first;
    for (size_t i = 0; i < count; ++i) {
        ((double *)slice.x[0])[i] = 1 + (double)(first + i) / (double)all;
        ((double *)slice.v[1])[i] = 1;
    }

    kdr_clock clock = {0, 1.0 / 64, 0};
    must(kdr_integrator_run(orbit, &slice, &clock, steps, &error)); /* needs no communication */

    kdr_observables of_all;
    uint64_t fingerprint;
    must(kdr_ranks_observe(ranks, orbit, &slice, &clock, &of_all, &error));
    must(kdr_ranks_fingerprint(ranks, &slice, &fingerprint, &error));
    if (kdr_ranks_rank(ranks) == 0) {
        printf("energy %.17g, fingerprint %016llx\n", of_all.energy, (unsigned long long)fingerprint);
    }
    kdr_particles_destroy(&slice), kdr_ranks_destroy(ranks), kdr_integrator_destroy(orbit);
    MPI_Finalize();
    return 0;
}
