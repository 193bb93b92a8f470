/* Forces between particles: made from a list, and their accelerations added. */
#include "pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
#include "../particles/description.h"
#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"

/* What a thread takes at a time: 128 targets of gravity, which the tiles of every backend divide, or, of chosen ones, 32, the widest tile;
 * 32 slices, 512 particles of a net. */
enum { TARGETS = 128, CHOSEN = 32, SLICES = 32 };

static void spring_parameters(void *context, size_t n, int end, double parameter[KDR_MAP_PARAMETERS]) {
    const kdr_pair_spring *const spring = &((const kdr_pair_spring *)context)[n];
    (void)end;
    parameter[0] = spring->k;
    parameter[1] = spring->length;
    parameter[2] = spring->damping;
}

static kdr_status take_net(kdr_pair_term *term, kdr_real real, kdr_error *error) {
    const size_t count = term->force.as.net.count;
    term->springs = malloc(count * sizeof *term->springs + 1);
    KDR_CHECK(term->springs, error, KDR_ERROR_NO_MEMORY, "net: no memory for %zu springs", count);
    bool damped = false;
    for (size_t n = 0; n < count; ++n) {
        term->springs[n] = term->force.as.net.springs[n];
        damped = damped || term->springs[n].damping != 0.0;
    }
    term->force.as.net.springs = term->springs;
    const kdr_status status =
        kdr_net_make(term->springs, count, real, KDR_NET_PARAMETERS, spring_parameters, term->springs, &term->net, error);
    term->net.slices.damped = damped;
    return status;
}

static kdr_status take(kdr_pairs *made, const kdr_pairs_desc *desc, kdr_error *error) {
    for (size_t i = 0; i < desc->force_count; ++i) {
        kdr_pair_term *const term = &made->term[made->count++];
        memset(term, 0, sizeof *term);
        term->force = desc->forces[i];
        size_t reach = term->force.as.gravity.sources;
        if (term->force.kind == KDR_NET) {
            const kdr_status status = take_net(term, desc->real, error);
            if (status != KDR_OK) {
                return status;
            }
            reach = term->net.slices.particles;
        }
        made->reach = reach > made->reach ? reach : made->reach;
    }
    return KDR_OK;
}

kdr_status kdr_pairs_create(const kdr_pairs_desc *given, kdr_pairs **pairs, kdr_error *error) {
    KDR_CHECK(pairs, error, KDR_ERROR_NULL, "pairs: expected a pointer, got NULL");
    kdr_pairs_desc desc;
    kdr_status status = kdr_description_take(&kdr_pairs_description, given, &desc, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(kdr_real_size(desc.real), error, KDR_ERROR_ARGUMENT, "real: expected KDR_F32 or KDR_F64, got %d", (int)desc.real);
    KDR_CHECK((unsigned)desc.arithmetic < KDR_ARITHMETIC_COUNT, error, KDR_ERROR_ARGUMENT,
              "arithmetic: expected KDR_FUSED or KDR_UNFUSED, got %d", (int)desc.arithmetic);
    const size_t most = (SIZE_MAX - sizeof(kdr_pairs)) / sizeof(kdr_pair_term);
    KDR_CHECK(desc.force_count <= most, error, KDR_ERROR_OVERFLOW, "coupled: expected at most %zu, got %zu", most, desc.force_count);
    status = kdr_pairs_check(desc.forces, desc.force_count, desc.real, error);
    kdr_backend backend = KDR_BACKEND_AUTO;
    if (status == KDR_OK) {
        status = kdr_backend_choose(desc.backend, &backend, error);
    }
    if (status != KDR_OK) {
        return status;
    }
    kdr_pairs *made = malloc(sizeof *made + desc.force_count * sizeof(kdr_pair_term));
    KDR_CHECK(made, error, KDR_ERROR_NO_MEMORY, "pairs: no memory for %zu forces", desc.force_count);
    *made = (kdr_pairs){.real = desc.real,
                        .arithmetic = desc.arithmetic,
                        .executor = desc.executor,
                        .backend = backend,
                        .fused_roots = kdr_backend_fused_roots(backend),
                        .kernels = kdr_backend_pairs(backend, desc.real, desc.arithmetic)};
    status = take(made, &desc, error);
    if (status != KDR_OK) {
        kdr_pairs_destroy(made);
        return status;
    }
    *pairs = made;
    return KDR_OK;
}

void kdr_pairs_destroy(kdr_pairs *pairs) {
    for (size_t i = 0; pairs && i < pairs->count; ++i) {
        free(pairs->term[i].springs);
        kdr_net_free(&pairs->term[i].net);
    }
    free(pairs);
}

typedef struct loop {
    kdr_pair_job job;
    kdr_pair_kernel *kernel;
    size_t count, grain;
} loop;

static void do_range(void *argument, size_t begin, size_t end) {
    const loop *const l = argument;
    l->kernel(&l->job, begin * l->grain, end * l->grain < l->count ? end * l->grain : l->count);
}

static void run(const kdr_executor *executor, loop *l) { kdr_parallel_for(executor, (l->count + l->grain - 1) / l->grain, do_range, l); }

static kdr_pair_job job_of(const kdr_particles *particles) {
    kdr_pair_job job;
    memset(&job, 0, sizeof job);
    job.dims = particles->dims;
    job.count = particles->count;
    job.inverse_mass = particles->inverse_mass;
    for (int i = 0; i < particles->dims; ++i) {
        job.x[i] = job.target[i] = particles->x[i];
        job.v[i] = particles->v[i];
    }
    return job;
}

/* Gravity on some particles. */
typedef struct chosen {
    const loop *of;
    const size_t *index;
    size_t count, size;
} chosen;

static void copy_chosen(const size_t *index, size_t n, size_t size, void *all, unsigned char *those, bool back) {
    for (size_t k = 0; k < n; ++k) {
        unsigned char *const one = (unsigned char *)all + index[k] * size;
        memcpy(back ? one : those + k * size, back ? those + k * size : one, size);
    }
}

/* They are brought together: x, and a there and back. */
static void do_chosen(void *argument, size_t begin, size_t end) {
    const chosen *const c = argument;
    _Alignas(64) unsigned char x[3][CHOSEN * sizeof(double)], a[3][CHOSEN * sizeof(double)];
    for (size_t at = begin * CHOSEN; at < end * CHOSEN && at < c->count; at += CHOSEN) {
        const size_t n = c->count - at < CHOSEN ? c->count - at : CHOSEN, *const index = c->index + at;
        kdr_pair_job job = c->of->job;
        for (int i = 0; i < job.dims; ++i) {
            copy_chosen(index, n, c->size, (void *)(uintptr_t)job.x[i], x[i], false);
            copy_chosen(index, n, c->size, job.a[i], a[i], false);
            job.target[i] = x[i];
            job.a[i] = a[i];
        }
        c->of->kernel(&job, 0, n);
        for (int i = 0; i < job.dims; ++i) {
            copy_chosen(index, n, c->size, c->of->job.a[i], a[i], true);
        }
    }
}

void kdr_pairs_add_checked(const kdr_pairs *pairs, const kdr_particles *particles, const size_t *index, size_t count, void *const a[3]) {
    for (size_t n = 0; n < pairs->count; ++n) {
        const kdr_pair_term *const term = &pairs->term[n];
        const bool is_net = term->force.kind == KDR_NET;
        loop l = {.job = job_of(particles),
                  .kernel = is_net ? pairs->kernels->net : pairs->kernels->gravity,
                  .count = is_net ? term->net.slices.count : particles->count,
                  .grain = is_net ? SLICES : TARGETS};
        for (int i = 0; i < particles->dims; ++i) {
            l.job.a[i] = a[i];
        }
        if (is_net) {
            l.job.slices = &term->net.slices;
        } else {
            l.job.mu = term->force.as.gravity.mu;
            l.job.sources = term->force.as.gravity.sources;
            l.job.softening = term->force.as.gravity.softening;
            l.job.fused_roots = pairs->fused_roots;
        }
        if (index && !is_net) {
            chosen c = {.of = &l, .index = index, .count = count, .size = kdr_real_size(particles->real)};
            kdr_parallel_for(&pairs->executor, (count + CHOSEN - 1) / CHOSEN, do_chosen, &c);
        } else {
            run(&pairs->executor, &l);
        }
    }
}

kdr_status kdr_pairs_add(const kdr_pairs *pairs, const kdr_particles *particles, void *const a[3], kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(pairs, error, KDR_ERROR_NULL, "pairs: expected a pointer, got NULL");
    kdr_status status = kdr_pairs_check_view(pairs->real, pairs->reach, particles, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_output(particles, a, "a", error);
    }
    if (status == KDR_OK) {
        kdr_pairs_add_checked(pairs, particles, NULL, 0, a);
    }
    return status;
}

kdr_status kdr_pair_map_add(const kdr_pair_map *map, const kdr_particles *particles, void *const dx[3], void *const dv[3],
                            kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(map, error, KDR_ERROR_NULL, "map: expected a pointer, got NULL");
    kdr_status status = kdr_pairs_check_view(map->real, map->reach, particles, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_output(particles, dx, "dx", error);
    }
    if (status == KDR_OK) {
        status = kdr_pairs_check_output(particles, dv, "dv", error);
    }
    for (size_t n = 0; status == KDR_OK && n < map->count; ++n) {
        loop l = {.job = job_of(particles), .kernel = map->kernels->map, .count = map->net[n].slices.count, .grain = SLICES};
        for (int i = 0; i < particles->dims; ++i) {
            l.job.a[i] = dx[i];
            l.job.b[i] = dv[i];
        }
        l.job.slices = &map->net[n].slices;
        run(&map->executor, &l);
    }
    return status;
}
