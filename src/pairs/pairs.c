/* This file prepares interactions from a list, and adds their accelerations. */
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

/* SLICES: slices of a net that a thread takes at a time, which are 512 particles. */
enum { SLICES = 32 };

static void spring_parameters(void *context, size_t n, int end, double parameter[KDR_MAP_PARAMETERS]) {
    const kdr_pair_spring *const spring = &((const kdr_pair_spring *)context)[n];
    (void)end;
    parameter[0] = spring->k;
    parameter[1] = spring->length;
    parameter[2] = spring->damping;
}

static kdr_status take_net(kdr_pair_term *term, kdr_real real, kdr_error *error) {
    const size_t count = term->force.as.spring_network.count;
    term->springs = malloc(count * sizeof *term->springs + 1);
    KDR_CHECK(term->springs, error, KDR_ERROR_NO_MEMORY, "spring network: no memory for %zu springs", count);
    bool damped = false;
    for (size_t n = 0; n < count; ++n) {
        term->springs[n] = term->force.as.spring_network.springs[n];
        damped = damped || term->springs[n].damping != 0.0;
    }
    term->force.as.spring_network.springs = term->springs;
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
        if (term->force.kind == KDR_SPRING_NETWORK) {
            const kdr_status status = take_net(term, desc->real, error);
            if (status != KDR_OK) {
                return status;
            }
            reach = term->net.slices.particles;
        }
        made->reach = reach > made->reach ? reach : made->reach;
    }
    made->most = kdr_pairs_most(desc->forces, desc->force_count);
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
    KDR_CHECK(desc.force_count <= most, error, KDR_ERROR_OVERFLOW, "interactions: expected at most %zu, got %zu", most, desc.force_count);
    KDR_CHECK(desc.communicator.count > 1 || (desc.communicator.count >= 0 && desc.communicator.index == 0), error, KDR_ERROR_ARGUMENT,
              "communicator: expected a count of 0 or 1 and the index 0 for this process alone, got a count of %d and the index %d",
              desc.communicator.count, desc.communicator.index);
    KDR_CHECK(desc.communicator.count <= 1 || (desc.communicator.index >= 0 && desc.communicator.index < desc.communicator.count), error,
              KDR_ERROR_ARGUMENT, "communicator.index: expected a process from 0 to %d, got %d", desc.communicator.count - 1,
              desc.communicator.index);
    KDR_CHECK(desc.communicator.count <= 1 || desc.communicator.broadcast, error, KDR_ERROR_NULL,
              "communicator.broadcast: expected a function, got NULL");
    status = kdr_pairs_check(&desc, error);
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
                        .communicator = desc.communicator.count > 1 ? desc.communicator : (kdr_communicator){.count = 1},
                        .backend = backend,
                        .kernels = kdr_backend_pairs(backend, desc.real, desc.arithmetic),
                        .box = {desc.box[0], desc.box[1], desc.box[2]}};
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

typedef struct net_loop {
    kdr_pair_job job;
    kdr_pair_kernel *kernel;
    size_t count;
} net_loop;

static void do_range(void *argument, size_t begin, size_t end) {
    const net_loop *const l = argument;
    l->kernel(&l->job, begin * SLICES, end * SLICES < l->count ? end * SLICES : l->count);
}

static void run(const kdr_executor *executor, net_loop *l) { kdr_parallel_for(executor, (l->count + SLICES - 1) / SLICES, do_range, l); }

static kdr_pair_job job_of(const kdr_particles *particles, const double box[3]) {
    kdr_pair_job job;
    memset(&job, 0, sizeof job);
    job.dims = particles->dims;
    job.count = particles->count;
    job.inverse_mass = particles->inverse_mass;
    for (int i = 0; i < particles->dims; ++i) {
        job.x[i] = particles->x[i];
        job.v[i] = particles->v[i];
        job.box[i] = box[i];
        job.boxed = job.boxed || box[i] != 0.0;
    }
    return job;
}

static void add_net(const kdr_pairs *pairs, const kdr_pair_term *term, const kdr_particles *particles, void *const a[3]) {
    net_loop l = {.job = job_of(particles, pairs->box), .kernel = pairs->kernels->net, .count = term->net.slices.count};
    l.job.slices = &term->net.slices;
    memcpy(l.job.a, a, (size_t)particles->dims * sizeof *a);
    run(&pairs->executor, &l);
}

void kdr_pairs_add_slopes(const kdr_pairs *pairs, const kdr_particles *particles, double th, void *const g[6]) {
    for (const kdr_pair_term *term = pairs->term; term < pairs->term + pairs->count; ++term) {
        if (term->force.kind == KDR_SPRING_NETWORK) {
            net_loop l = {.job = job_of(particles, pairs->box), .kernel = pairs->kernels->slopes, .count = term->net.slices.count};
            l.job.th = th;
            l.job.slices = &term->net.slices;
            for (int i = 0; i < particles->dims; ++i) {
                l.job.a[i] = g[i];
                l.job.b[i] = g[particles->dims + i];
            }
            run(&pairs->executor, &l);
        }
    }
}

/* UNIT: targets per unit of work of a communicator, a multiple of every backend's vector. */
enum { UNIT = 32 };
static size_t units_of(size_t targets) { return targets / UNIT + (targets % UNIT != 0); }

/* Adds gravity to the targets of this process. */
static void add_gravity(const kdr_pairs *pairs, const kdr_gravity *gravity) {
    const kdr_communicator *const communicator = &pairs->communicator;
    const size_t count = gravity->targets, units = units_of(count);
    const size_t begin = kdr_communicator_begin(communicator, communicator->index, units) * UNIT,
                 end = kdr_communicator_begin(communicator, communicator->index + 1, units) * UNIT;
    kdr_gravity_run(gravity, pairs->kernels, pairs->backend, &pairs->executor, begin < count ? begin : count, end < count ? end : count);
}

/* Each process has the sums of its own targets only, until all forces are added; then the sums of the others are brought once. */
kdr_status kdr_pairs_add_checked(const kdr_pairs *pairs, const kdr_particles *particles, const size_t *index, size_t count,
                                 void *const a[3], kdr_error *error) {
    bool shared = false;
    for (size_t n = 0; n < pairs->count; ++n) {
        const kdr_pair_term *const term = &pairs->term[n];
        if (term->force.kind == KDR_SPRING_NETWORK) {
            add_net(pairs, term, particles, a);
            continue;
        }
        kdr_gravity gravity = kdr_gravity_of(&term->force, particles);
        memcpy(gravity.a, a, (size_t)particles->dims * sizeof *a);
        if (index) {
            kdr_gravity_run_chosen(&gravity, pairs->kernels, pairs->backend, &pairs->executor, index, count);
        } else {
            add_gravity(pairs, &gravity);
            shared = true;
        }
    }
    const size_t size = kdr_real_size(particles->real);
    kdr_status status = KDR_OK;
    for (int i = 0; i < particles->dims && shared && status == KDR_OK; ++i) {
        status =
            kdr_communicator_broadcast(&pairs->communicator, a[i], units_of(particles->count), UNIT * size, particles->count * size, error);
    }
    return status;
}

kdr_status kdr_pairs_add(const kdr_pairs *pairs, const kdr_particles *particles, void *const a[3], kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(pairs, error, KDR_ERROR_NULL, "pairs: expected a pointer, got NULL");
    kdr_status status = kdr_pairs_check_view(pairs->real, pairs->reach, particles, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_most(pairs->most, particles, error);
    }
    if (status == KDR_OK) {
        status = kdr_pairs_check_output(particles, a, "a", error);
    }
    return status == KDR_OK ? kdr_pairs_add_checked(pairs, particles, NULL, 0, a, error) : status;
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
        net_loop l = {.job = job_of(particles, map->box), .kernel = map->kernels->map, .count = map->net[n].slices.count};
        for (int i = 0; i < particles->dims; ++i) {
            l.job.a[i] = dx[i];
            l.job.b[i] = dv[i];
        }
        l.job.slices = &map->net[n].slices;
        run(&map->executor, &l);
    }
    return status;
}
