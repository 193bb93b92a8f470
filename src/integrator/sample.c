/* Dense output of field runs: writes the state between two steps to other arrays; the view stays unchanged. */
#include "run.h"

#include <string.h>

#include "../particles/error.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"
#include "../problem/sample.h"
#include "pack.h"

enum { BLOCK = 128 };

typedef struct sampling {
    kdr_field_run run;
    kdr_pack pack;
    uint64_t whole;  /* whole steps of a particle's level before the shortened one */
    double fraction; /* length of the shortened step */
} sampling;

/* Copies memory and compensations to `columns`, and has the job use the copies. */
static void borrow(const kdr_field_run *r, kdr_job *job, char (*columns)[BLOCK * sizeof(double)], size_t begin, size_t end) {
    const size_t size = kdr_real_size(r->setup->problem.real);
    char *column[KDR_RUN_STATE];
    kdr_run_state(job, column);
    for (int c = 6; c < KDR_RUN_STATE; ++c) {
        if (column[c]) {
            memcpy(columns[c - 6], column[c] + begin * size, (end - begin) * size);
            column[c] = (char *)((uintptr_t)columns[c - 6] - begin * size);
        }
    }
    kdr_run_set_state(job, column);
    kdr_run_lend(r, job, columns[0], sizeof columns[0], begin);
}

static __attribute__((noinline)) void sample_block(const sampling *s, const kdr_job *job, size_t begin, size_t end) {
    double table[KDR_RUN_TABLE * KDR_BASE], start[KDR_BASE];
    _Alignas(64) char columns[KDR_RUN_LENT][BLOCK * sizeof(double)];
    kdr_short_step last;
    kdr_job whole = *job;
    borrow(&s->run, &whole, columns, begin, end);
    kdr_job piece = whole;
    for (uint64_t done = 0; done < s->whole; ++done) {
        kdr_run_piece(&s->run, &whole, done, 1, table, start, &piece);
        kdr_program_run(&piece, begin, end);
    }
    if (s->fraction > 0.0) {
        kdr_run_piece(&s->run, &whole, s->whole, 1, table, start, &piece);
        kdr_run_shorten(&s->run, &piece, s->run.clock->step + s->whole, s->fraction, &last);
        memcpy(last.run.job.images, piece.images, sizeof piece.images); /* counts in the sampled state's own array */
        kdr_program_run(&last.run.job, begin, end);
    }
}

static void sample_range(const void *argument, const kdr_job *job, size_t begin, size_t end) {
    for (size_t at = begin; at < end; at += BLOCK) {
        sample_block(argument, job, at, end - at < BLOCK ? end : at + BLOCK);
    }
}

static void sample_blocks(void *argument, size_t first, size_t last) {
    const sampling *const s = argument;
    const size_t count = s->run.particles->count, begin = first * KDR_BLOCK;
    const size_t end = last * KDR_BLOCK < count ? last * KDR_BLOCK : count;
    if (kdr_pack_is_needed(&s->pack)) {
        kdr_pack_run(&s->pack, begin, end, sample_range, s);
    } else {
        sample_range(s, &s->run.job, begin, end);
    }
}

static void sample_level(const kdr_setup *setup, const kdr_particles *view, bool resumes, const kdr_clock *clock, double fraction,
                         int level) {
    double scaled[KDR_MAX_LENGTHS * KDR_MAX_SCALED];
    const kdr_clock own = kdr_problem_clock(clock, level);
    sampling s;
    s.whole = kdr_sample_steps(fraction, level, &s.fraction);
    kdr_run_prepare(setup, view, &own, s.whole + 1, scaled, &s.run);
    s.run.job.resume = resumes;
    kdr_pack_make(&s.pack, setup->backend, &s.run.job, view, level);
    for (int c = 0; c < s.pack.count; ++c) { /* memory and compensations are read, but not written */
        s.pack.column[c].written = s.pack.column[c].written && !kdr_pack_is_memory(&s.pack.column[c]);
    }
    kdr_parallel_for(&setup->desc.executor, kdr_blocks(view->count), sample_blocks, &s);
}

kdr_status kdr_integrator_sample(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock, double fraction,
                                 kdr_particles *to, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    const kdr_setup *const setup = integrator->setup;
    const kdr_status status = kdr_sample_check(&setup->problem, particles, clock, fraction, to, error);
    if (status != KDR_OK) {
        return status;
    }
    kdr_sample_copy(particles, to);
    const kdr_particles view = kdr_sample_view(particles, to);
    const bool resumes = kdr_problem_resumes(&setup->problem, particles, clock);
    const int highest = kdr_highest_level(particles);
    for (int level = 0; level <= highest; ++level) {
        if (kdr_any_at_level(particles, level)) {
            sample_level(setup, &view, resumes, clock, fraction, level);
        }
    }
    return KDR_OK;
}
