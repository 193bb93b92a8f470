/* This file holds the distances between pairs of particles: it colours the list of distances, and sweeps over it. */
#include "distances.h"

#include <kickdrift/pairs.h>

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
#include "../particles/description.h"
#include "../particles/element.h"
#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"
#include "pairs.h"

/* GRAIN: rods that a thread takes at a time, a multiple of the vector width of every backend. */
enum { GRAIN = 512 };
_Static_assert(GRAIN % KDR_SLICE == 0, "a range but the last ends with a whole vector");

/* A particle's entries that have a colour already, as a linked list from the last to the first. Each entry of the list of distances has
 * two links, one for each particle. */
typedef struct chains {
    uint32_t *head, *next; /* number 2 n + end + 1 of the next link; 0 at the end */
    uint32_t *seen;        /* by colour: 1 + the last entry that cannot have it */
} chains;

static void mark(const chains *c, uint32_t particle, size_t n, const uint32_t *colour) {
    for (uint32_t entry = c->head[particle]; entry != 0; entry = c->next[entry - 1]) {
        c->seen[colour[(entry - 1) / 2]] = (uint32_t)n + 1;
    }
}

static void chain(const chains *c, uint32_t particle, size_t n, size_t end) {
    c->next[2 * n + end] = c->head[particle];
    c->head[particle] = (uint32_t)(2 * n + end) + 1;
}

size_t kdr_distance_constraints_colour(const kdr_distance *distances, size_t count, uint32_t *colour) {
    if (count == 0) {
        return 0;
    }
    chains c = {calloc(kdr_distance_constraints_reach(distances, count) + 1, sizeof *c.head), calloc(2 * count + 1, sizeof *c.next),
                calloc(count + 1, sizeof *c.seen)};
    size_t colours = 0;
    for (size_t n = 0; c.head && c.next && c.seen && n < count; ++n) {
        mark(&c, distances[n].a, n, colour);
        mark(&c, distances[n].b, n, colour);
        uint32_t free_one = 0;
        while (c.seen[free_one] == (uint32_t)n + 1) {
            ++free_one;
        }
        colour[n] = free_one;
        colours = free_one >= colours ? (size_t)free_one + 1 : colours;
        chain(&c, distances[n].a, n, 0);
        chain(&c, distances[n].b, n, 1);
    }
    free(c.head);
    free(c.next);
    free(c.seen);
    return colours;
}

static void put(void *array, kdr_real real, size_t i, double value) {
    if (real == KDR_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

/* Sets the first and the last place of each colour. Returns the number of places. */
static size_t place(kdr_distance_constraints *made, const uint32_t *colour) {
    size_t at = 0;
    for (size_t n = 0; n < made->count; ++n) {
        ++made->last[colour[n]];
    }
    for (size_t c = 0; c < made->colours; ++c) {
        made->first[c] = at;
        at += (made->last[c] + KDR_SLICE - 1) / KDR_SLICE * KDR_SLICE;
        made->last[c] = made->first[c];
    }
    return at;
}

static kdr_status fill(kdr_distance_constraints *made, const kdr_distance_constraints_desc *desc, const uint32_t *colour,
                       kdr_error *error) {
    made->first = calloc(made->colours + 1, sizeof *made->first);
    made->last = calloc(made->colours + 1, sizeof *made->last);
    KDR_CHECK(made->first && made->last, error, KDR_ERROR_NO_MEMORY, "distances: no memory for %zu colours", made->colours);
    const size_t places = place(made, colour), size = kdr_real_size(made->real);
    made->a = calloc(places + 1, sizeof *made->a);
    made->b = calloc(places + 1, sizeof *made->b);
    made->square = calloc(places + 1, size);
    made->beyond_x = calloc(places + 1, size);
    made->beyond_v = calloc(places + 1, size);
    made->length = calloc(places + 1, sizeof *made->length);
    KDR_CHECK(made->a && made->b && made->square && made->beyond_x && made->beyond_v && made->length, error, KDR_ERROR_NO_MEMORY,
              "distances: no memory for %zu entries", made->count);
    for (size_t at = 0; at < places; ++at) {
        put(made->beyond_x, made->real, at, INFINITY);
        put(made->beyond_v, made->real, at, INFINITY);
    }
    const double tolerance = kdr_distance_constraints_tolerance(desc);
    for (size_t n = 0; n < made->count; ++n) {
        const kdr_distance *const d = &desc->distances[n];
        const size_t at = made->last[colour[n]]++;
        const double square = d->length * d->length;
        made->a[at] = d->a;
        made->b[at] = d->b;
        made->length[at] = d->length;
        put(made->square, made->real, at, square);
        put(made->beyond_x, made->real, at, 2.0 * tolerance * square);
        put(made->beyond_v, made->real, at, tolerance * square);
    }
    return KDR_OK;
}

kdr_status kdr_distance_constraints_create(const kdr_distance_constraints_desc *given, kdr_distance_constraints **distances,
                                           kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(distances, error, KDR_ERROR_NULL, "distances: expected a pointer, got NULL");
    kdr_distance_constraints_desc desc;
    kdr_status status = kdr_description_take(&kdr_distance_constraints_description, given, &desc, error);
    if (status == KDR_OK) {
        status = kdr_distance_constraints_check(&desc, error);
    }
    kdr_backend backend = KDR_BACKEND_AUTO;
    if (status == KDR_OK) {
        status = kdr_backend_choose(desc.backend, &backend, error);
    }
    if (status != KDR_OK) {
        return status;
    }
    kdr_distance_constraints *const made = calloc(1, sizeof *made);
    uint32_t *const colour = calloc(desc.count + 1, sizeof *colour);
    if (made && colour) {
        made->real = desc.real;
        made->executor = desc.executor;
        made->kernels = kdr_backend_pairs(backend, desc.real, desc.arithmetic);
        made->sweeps = desc.sweeps;
        made->tolerance = kdr_distance_constraints_tolerance(&desc);
        made->relaxation = desc.relaxation;
        memcpy(made->box, desc.box, sizeof made->box);
        made->count = desc.count;
        made->reach = kdr_distance_constraints_reach(desc.distances, desc.count);
        made->colours = kdr_distance_constraints_colour(desc.distances, desc.count, colour);
    }
    const bool coloured = made && colour && (made->colours > 0 || desc.count == 0);
    status = coloured ? fill(made, &desc, colour, error)
                      : kdr_fail(error, KDR_ERROR_NO_MEMORY, "distances: no memory for %zu entries", desc.count);
    free(colour);
    if (status != KDR_OK) {
        kdr_distance_constraints_destroy(made);
        return status;
    }
    *distances = made;
    return KDR_OK;
}

void kdr_distance_constraints_destroy(kdr_distance_constraints *distances) {
    if (distances) {
        free(distances->first);
        free(distances->last);
        free(distances->a);
        free(distances->b);
        free(distances->square);
        free(distances->beyond_x);
        free(distances->beyond_v);
        free(distances->length);
        free(distances);
    }
}

typedef struct colour_loop {
    const kdr_rod_job *job;
    kdr_rod_kernel *kernel;
    size_t first, last;
    atomic_bool moved;
} colour_loop;

static void do_rods(void *argument, size_t begin, size_t end) {
    colour_loop *const l = argument;
    const size_t from = l->first + begin * GRAIN, to = l->first + end * GRAIN < l->last ? l->first + end * GRAIN : l->last;
    if (l->kernel(l->job, from, to)) {
        atomic_store_explicit(&l->moved, true, memory_order_relaxed);
    }
}

/* Sweeps over all rods until a sweep moves nothing. Returns the number of sweeps that moved something. */
static uint32_t sweep(const kdr_distance_constraints *distances, const kdr_rod_job *job, kdr_rod_kernel *kernel) {
    for (uint32_t n = 0; n < distances->sweeps; ++n) {
        bool moved = false;
        for (size_t c = 0; c < distances->colours; ++c) {
            colour_loop l = {.job = job, .kernel = kernel, .first = distances->first[c], .last = distances->last[c]};
            atomic_init(&l.moved, false);
            kdr_parallel_for(&distances->executor, (l.last - l.first + GRAIN - 1) / GRAIN, do_rods, &l);
            moved = atomic_load_explicit(&l.moved, memory_order_relaxed) || moved;
        }
        if (!moved) {
            return n;
        }
    }
    return distances->sweeps;
}

/* Checks the arguments that all public functions here have in common. */
static kdr_status check(const kdr_distance_constraints *distances, const kdr_particles *particles, double dt, kdr_error *error) {
    KDR_CHECK(distances, error, KDR_ERROR_NULL, "distances: expected a pointer, got NULL");
    return kdr_distance_constraints_check_step(distances->real, distances->reach, particles, dt, error);
}

static kdr_rod_job job_of(const kdr_distance_constraints *distances, const kdr_particles *particles, const void *tolerance, double dt) {
    kdr_rod_job job;
    memset(&job, 0, sizeof job);
    job.dims = particles->dims;
    job.inverse_mass = particles->inverse_mass;
    job.a = distances->a;
    job.b = distances->b;
    job.square = distances->square;
    job.tolerance = tolerance;
    job.h = fabs(dt);
    job.relaxation = distances->relaxation;
    job.roundings = 4.0 / (2.0 - distances->relaxation);
    job.inverse_h = 1.0 / dt;
    for (int i = 0; i < particles->dims; ++i) {
        job.x[i] = particles->x[i];
        job.v[i] = particles->v[i];
        job.box[i] = distances->box[i];
        job.boxed = job.boxed || distances->box[i] != 0.0;
    }
    return job;
}

uint32_t kdr_distance_constraints_hold(const kdr_distance_constraints *distances, const kdr_particles *particles,
                                       const void *const start[3], double dt) {
    kdr_rod_job job = job_of(distances, particles, distances->beyond_x, dt);
    for (int i = 0; i < particles->dims; ++i) {
        job.start[i] = start[i];
    }
    return sweep(distances, &job, distances->kernels->positions);
}

uint32_t kdr_distance_constraints_still(const kdr_distance_constraints *distances, const kdr_particles *particles, double dt) {
    const kdr_rod_job job = job_of(distances, particles, distances->beyond_v, dt);
    return sweep(distances, &job, distances->kernels->velocities);
}

uint32_t kdr_distance_constraints_still_turned(const kdr_distance_constraints *distances, const kdr_particles *particles, double dt,
                                               const kdr_half_angles *angles) {
    kdr_rod_job job = job_of(distances, particles, distances->beyond_v, dt);
    job.angles = *angles;
    return sweep(distances, &job, distances->kernels->turned);
}

kdr_status kdr_distance_constraints_shake(const kdr_distance_constraints *distances, kdr_particles *particles, const void *const start[3],
                                          double dt, uint32_t *sweeps, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    kdr_status status = check(distances, particles, dt, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_input(particles, start, "start", error);
    }
    if (status != KDR_OK) {
        return status;
    }
    const uint32_t made = kdr_distance_constraints_hold(distances, particles, start, dt);
    if (sweeps) {
        *sweeps = made;
    }
    return KDR_OK;
}

kdr_status kdr_distance_constraints_rattle(const kdr_distance_constraints *distances, kdr_particles *particles, double dt, uint32_t *sweeps,
                                           kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    const kdr_status status = check(distances, particles, dt, error);
    if (status != KDR_OK) {
        return status;
    }
    const uint32_t made = kdr_distance_constraints_still(distances, particles, dt);
    if (sweeps) {
        *sweeps = made;
    }
    return KDR_OK;
}

static kdr_distance entry_at(const kdr_distance_constraints *distances, size_t at) {
    return (kdr_distance){distances->a[at], distances->b[at], distances->length[at]};
}

kdr_status kdr_distance_constraints_are_kept(const kdr_distance_constraints *distances, const kdr_particles *particles, uint32_t made,
                                             kdr_error *error) {
    kdr_distance worst = {0};
    double off = 0.0;
    if (made < distances->sweeps) {
        return KDR_OK;
    }
    for (size_t c = 0; c < distances->colours; ++c) {
        for (size_t at = distances->first[c]; at < distances->last[c]; ++at) {
            const kdr_distance one = entry_at(distances, at);
            const double its = kdr_distance_off(&one, distances->box, particles);
            worst = its > off || isnan(its) ? one : worst;
            off = kdr_worse(its, off);
        }
    }
    return kdr_distance_constraints_check_kept(&worst, off, made, error);
}

/* Returns (v_b - v_a) . (x_b - x_a) for rod n. */
static double along(const kdr_distance_constraints *distances, size_t n, const kdr_particles *p) {
    const size_t size = kdr_real_size(p->real), end[2] = {distances->a[n], distances->b[n]};
    double sum = 0.0;
    for (int i = 0; i < p->dims; ++i) {
        double x[2], v[2];
        for (int k = 0; k < 2; ++k) {
            x[k] = kdr_element((const char *)p->x[i] + kdr_offset(&p->x_layout, size, end[k]), p->real, 0);
            v[k] = kdr_element((const char *)p->v[i] + kdr_offset(&p->v_layout, size, end[k]), p->real, 0);
        }
        sum += kdr_nearest(x[1] - x[0], distances->box[i]) * (v[1] - v[0]);
    }
    return sum;
}

kdr_status kdr_distance_constraints_max_violation(const kdr_distance_constraints *distances, const kdr_particles *particles, double dt,
                                                  double *position, double *velocity, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(distances, error, KDR_ERROR_NULL, "distances: expected a pointer, got NULL");
    kdr_status status = kdr_particles_check(particles, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_real(distances->real, particles, error);
    }
    if (status == KDR_OK) {
        status = kdr_pairs_check_reach(distances->reach, particles, error);
    }
    if (status == KDR_OK) {
        status = kdr_distance_constraints_check_dt(dt, error);
    }
    if (status != KDR_OK) {
        return status;
    }
    double x = 0.0, v = 0.0;
    for (size_t c = 0; c < distances->colours; ++c) {
        for (size_t at = distances->first[c]; at < distances->last[c]; ++at) {
            const kdr_distance one = entry_at(distances, at);
            x = kdr_worse(kdr_distance_off(&one, distances->box, particles), x);
            v = kdr_worse(fabs(along(distances, at, particles) * dt) / (one.length * one.length), v);
        }
    }
    if (position) {
        *position = x;
    }
    if (velocity) {
        *velocity = v;
    }
    return KDR_OK;
}
