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

/* This rank's slice of `count` particles on a disc, each known by its number among all. */
static kdr_ranks *begin(size_t count, kdr_particles *slice) {
    kdr_ranks *ranks;
    kdr_particles_desc desc = kdr_particles_desc_default();
    size_t first;
    must(kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), count, &ranks, &error));
    must(kdr_ranks_slice(ranks, kdr_ranks_rank(ranks), &first, &desc.count, &error));
    if (desc.count == 0) { /* a coupled run of nothing would not meet the others' */
        snprintf(error.message, sizeof error.message, "expected %d particles for each rank, got %zu in all", (int)KDR_OBSERVE_BLOCK, count);
        must(KDR_ERROR_ARGUMENT);
    }
    must(kdr_particles_create(&desc, slice, &error));
    slice->first_id = first;
    for (size_t i = 0; i < slice->count; ++i) {
        const double n = (double)(first + i), r = 1 + n / (double)count, a = n * 0.618033988749895, t = a - (double)(size_t)a - 0.5;
        const double c = (1 - 4 * t * t) / (1 + 4 * t * t), s = 4 * t / (1 + 4 * t * t); /* a point of the circle */
        ((double *)slice->x[0])[i] = r * c, ((double *)slice->x[1])[i] = r * s;
        ((double *)slice->v[0])[i] = -s, ((double *)slice->v[1])[i] = c;
    }
    return ranks;
}

static void end(const char *what, kdr_ranks *ranks, const kdr_integrator *observer, kdr_particles *slice, const kdr_clock *clock) {
    kdr_observables all;
    uint64_t fingerprint;
    must(kdr_ranks_observe(ranks, observer, slice, clock, &all, &error));
    must(kdr_ranks_fingerprint(ranks, slice, &fingerprint, &error));
    if (kdr_ranks_rank(ranks) == 0) {
        printf("%s: energy %.17g, fingerprint %016llx\n", what, all.energy, (unsigned long long)fingerprint);
    }
    kdr_ranks_destroy(ranks);
    kdr_particles_destroy(slice);
}

typedef struct stars {
    kdr_ranks *ranks;
    const double *mu;
    kdr_pass_options options;
} stars;

static kdr_status attract(void *context, const kdr_particles *p, double t, void *const a[3]) {
    stars *const s = context;
    kdr_gravity g = {.dims = 3, .real = KDR_F64, .softening = 0.05, .sources = p->count, .mu = s->mu, .targets = p->count};
    (void)t;
    for (int i = 0; i < 3; ++i) {
        g.source_x[i] = g.target_x[i] = p->x[i], g.a[i] = a[i];
        for (size_t n = 0; n < p->count; ++n) {
            ((double *)a[i])[n] = 0;
        }
    }
    return kdr_ranks_gravity_add(s->ranks, &g, &s->options, NULL);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const size_t dust = argc > 3 ? strtoull(argv[1], NULL, 10) : 100000, count = argc > 3 ? strtoull(argv[2], NULL, 10) : 6000;
    const uint64_t steps = argc > 3 ? strtoull(argv[3], NULL, 10) : 16;
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0.01);
    kdr_particles slice;
    kdr_clock clock = {0, 1.0 / 64, 0};

    kdr_integrator_desc desc = kdr_integrator_desc_default();
    kdr_integrator *orbit;
    desc.forces = &sun, desc.force_count = 1;
    must(kdr_integrator_create(&desc, &orbit, &error));
    kdr_ranks *const ranks = begin(dust, &slice);
    must(kdr_integrator_run(orbit, &slice, &clock, steps, &error)); /* each by itself */
    end("dust", ranks, orbit, &slice, &clock);

    kdr_coupled_desc coupled_desc = kdr_coupled_desc_default();
    kdr_coupled *coupled;
    kdr_workspace workspace;
    stars s = {.ranks = begin(count, &slice)};
    double *const mu = malloc((slice.count + 1) * sizeof *mu);
    for (size_t i = 0; mu && i < slice.count; ++i) {
        mu[i] = 1.0 / (double)count;
    }
    s.mu = mu, clock.step = 0;
    coupled_desc.accelerations = attract, coupled_desc.context = &s, coupled_desc.forces = &sun, coupled_desc.force_count = 1;
    must(kdr_pass_options_choose(KDR_FUSED, KDR_BACKEND_AUTO, kdr_executor_serial(), &s.options, &error));
    must(kdr_coupled_create(&coupled_desc, &coupled, &error));
    must(kdr_workspace_create(coupled, slice.count, 3, (kdr_allocator){0}, &workspace, &error));
    must(kdr_coupled_run(coupled, &slice, &clock, steps, &workspace, &error)); /* which meets in attract() */
    end("stars", s.ranks, orbit, &slice, &clock);
    free(mu);
    kdr_workspace_destroy(&workspace);
    kdr_coupled_destroy(coupled);
    kdr_integrator_destroy(orbit);
    MPI_Finalize();
    return 0;
}
