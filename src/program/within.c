/* Steps of particles to which nothing happens, by the specialised kernel `within` (kernel/hot/within.inl). */
#include <math.h>
#include <string.h>

#include "../particles/element.h"
#include "driver.h"
#include "retry.h"

/* The fewest steps of a call for which the kernel is tried, and the most steps without it after it has made none. */
enum { WITHIN_STEPS = 8, MOST_PAUSE = 16 };

bool kdr_has_within(const kdr_job *job, const char *numbers) {
    return job->program->within && job->program->border >= 0 && !numbers && !job->error && job->steps >= WITHIN_STEPS;
}

/* Returns whether the kernel `within` applies the periodic boundary: if that is the only wall, nothing is counted, and a kept acceleration
 * does not depend on the velocity that it was computed with. */
static bool wraps_within(const kdr_job *job) {
    const unsigned terms = job->program->terms, places = KDR_TERM_STIFFNESS | KDR_TERM_CENTRES | KDR_TERM_CUSTOM;
    const bool fixed = job->program->memory < 0 || !(terms & places) || !(terms & KDR_TERMS_VELOCITY);
    return (terms & KDR_TERMS_AFTER) == KDR_TERM_PERIODIC && !job->images[0] && fixed;
}

/* Returns the limit, moved inwards (`way` is 1 or -1) by more than the rounding to the particles' precision. */
static double inwards(double limit, double way, size_t size) {
    const bool narrow = size == sizeof(float);
    const double share = narrow ? 0x1p-22 : 0x1p-51, least = narrow ? 0x1p-148 : 0x1p-1073;
    return isinf(limit) ? limit : limit + way * (fabs(limit) * share + least);
}

/* Sets the limits of the chunk's particle n on an axis. */
static void set_limits(const kdr_program *p, kdr_chunk_within *c, int axis, size_t n, double low, double high) {
    const size_t column = (size_t)KDR_WITHIN_VECTORS * (size_t)p->kernels->vector;
    char *const at = c->limits + (size_t)axis * column + n * p->size;
    const double limits[2] = {inwards(low, 1, p->size), inwards(high, -1, p->size)};
    for (int k = 0; k < 2; ++k) {
        const float narrow = (float)limits[k];
        memcpy(at + 3 * (size_t)k * column, p->size == sizeof narrow ? (const void *)&narrow : &limits[k], p->size);
    }
}

/* Sets the limits between which no wall does anything, and those that the caller gives for `count` particles; `limits` may be NULL. */
static void take_limits(const kdr_program *p, const kdr_job *job, const kdr_limits *limits, size_t count, kdr_chunk_within *c) {
    const kdr_real real = p->size == sizeof(float) ? KDR_F32 : KDR_F64;
    for (int axis = 0; axis < 3; ++axis) {
        const size_t first = (size_t)p->border + KDR_FREE_NUMBERS + 2 * (size_t)axis;
        const double low = p->border < 0 ? -(double)INFINITY : kdr_element(job->numbers, real, first) + job->largest_radius;
        const double high = p->border < 0 ? (double)INFINITY : kdr_element(job->numbers, real, first + 1) - job->largest_radius;
        for (size_t n = 0; n < (size_t)KDR_WITHIN_VECTORS << p->lane_bits; ++n) {
            const size_t i = n < count ? n : count - 1; /* a chunk is filled up with its last particle */
            set_limits(p, c, axis, n, limits && limits->low[axis][i] > low ? limits->low[axis][i] : low,
                       limits && limits->high[axis][i] < high ? limits->high[axis][i] : high);
        }
    }
}

/* Prepares the kernel for the tile, a chunk. */
static void prepare(const kdr_program *p, const kdr_tile *tile, char *const at[KDR_TILE_COLUMNS], kdr_chunk_within *c) {
    memset(c->spare, 0, sizeof c->spare);
    c->range = (kdr_hot_range){.limits = c->limits};
    p->within->prepare(p->within, tile->job, 0, 3, c->constants);
    for (int i = 0; i < 3; ++i) {
        for (int n = 0; n < 3; ++n) {
            const int first = n == 2 ? p->memory : n * p->dims;
            char *const none = c->spare + (size_t)(3 * n + i) * tile->column;
            c->range.column[n][i] = i < p->dims && first >= 0 ? at[first + i] : none;
        }
    }
}

/* Makes steps by the kernel `within`, at most `most` and up to a rest. Returns how many. */
static uint64_t steps_within(const kdr_program *p, kdr_tile *tile, uint64_t most, kdr_chunk_within *c) {
    kdr_hot_range *const range = &c->range;
    range->steps = p->flushes_small ? kdr_steps_to_rest(tile->step, most + 1) - 1 : most;
    const uint64_t done = range->steps > 0 ? p->within->within(tile->job, range, c->constants) : 0;
    if (done > 0 && done < range->steps) {
        const void *const limits = range->limits;
        range->steps = done;
        range->limits = NULL;
        (void)p->within->within(tile->job, range, c->constants);
        range->limits = limits;
    }
    tile->step += done;
    return done;
}

void kdr_prepare_within(const kdr_program *p, const kdr_tile *tile, char *const at[KDR_TILE_COLUMNS], kdr_chunk_within *c) {
    const void *const periods = (const char *)tile->numbers + (size_t)p->border * p->size;
    prepare(p, tile, at, c);
    take_limits(p, tile->job, NULL, 1, c);
    c->range.periods = wraps_within(tile->job) ? periods : NULL;
}

uint64_t kdr_step_within(const kdr_program *p, kdr_tile *tile, kdr_chunk_within *c) {
    kdr_retry retry = {.first = 1, .most = MOST_PAUSE};
    uint64_t met = 0;
    for (uint64_t left = tile->job->steps, done = 0; left > 0; left -= done) {
        done = 0;
        if (kdr_retry_is_due(&retry)) {
            done = steps_within(p, tile, left, c);
            kdr_retry_note(&retry, done == 0);
        }
        if (done < left) {
            kdr_carry_out(p, tile, p->end[KDR_BEFORE], p->end[KDR_STEP]);
            ++tile->step;
            ++done;
            ++met;
        }
    }
    return met;
}

size_t kdr_program_within(const kdr_job *job) {
    const kdr_program *const p = job->program;
    const bool has = p->within && job->substeps <= 1 && !job->error && job->steps >= WITHIN_STEPS;
    return has ? (size_t)KDR_WITHIN_VECTORS << p->lane_bits : 0;
}

uint64_t kdr_program_run_within(const kdr_job *job, const kdr_limits *limits, size_t begin, size_t end) {
    const kdr_program *const p = job->program;
    _Alignas(64) char memory[KDR_TILE_BYTES];
    char *at[KDR_TILE_COLUMNS];
    kdr_tile tile;
    kdr_chunk_within c;
    kdr_begin_tiles(job, NULL, memory, &tile);
    tile.first = begin;
    tile.base = job->base;
    kdr_place_tile(p, &tile, at, end, true);
    kdr_load_tile(p, &tile, at);
    prepare(p, &tile, at, &c);
    take_limits(p, job, limits, end - begin, &c);
    const uint64_t done = steps_within(p, &tile, job->steps, &c);
    if (done > 0) {
        kdr_store_tile(p, &tile, NULL);
    }
    return done;
}
