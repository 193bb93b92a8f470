/* Solves the equation of an implicit step for all particles together, by the rules in method/rows_implicit.h. */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "../method/semi_iteration.h"
#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/rounding.h"
#include "run.h"

/* Evaluates the slopes of the interactions, one block per particle, at the positions of the evaluation. */
static kdr_status evaluate_blocks(kdr_system_run_state *r, const kdr_particles *seen, double t, double th) {
    const kdr_system *const c = r->system;
    const kdr_swept arrays = kdr_run_arrays(r, seen);
    void *const *const g = r->work.blocks;
    if (c->desc.slopes) {
        const kdr_status status = kdr_called(c->desc.slopes(c->desc.context, seen, t, th, g));
        KDR_CHECK(status == KDR_OK, r->error, status, "slopes: the function returned %d (%s) in step %llu, at time %g", (int)status,
                  kdr_status_string(status), (unsigned long long)kdr_run_step(r), t);
    } else {
        kdr_sweep_zeros(&arrays, g);
        kdr_sweep_zeros(&arrays, g + seen->dims);
    }
    const kdr_evaluation evaluation = {.particles = seen, .t = t, .executor = &c->desc.executor, .scratch = r->work.scratch};
    for (size_t n = 0; n < c->term_count; ++n) {
        if (c->terms[n].add_slopes) {
            c->terms[n].add_slopes(c->terms[n].data, &evaluation, th, g);
        }
    }
    return KDR_OK;
}

/* Turns the residual, in the acceleration's row, into a correction by means of the derivatives. */
static kdr_status correct_by_slopes(kdr_system_run_state *r, const kdr_instruction *evaluation, double fraction, double th) {
    const kdr_particles seen = kdr_run_seen_by(r, evaluation);
    const kdr_swept arrays = kdr_run_arrays(r, &seen);
    const double t = kdr_clock_time(r->clock, r->clock->step + r->done, fraction);
    const kdr_status status = r->system->blocks ? evaluate_blocks(r, &seen, t, th) : KDR_OK;
    kdr_evaluated residual = {.adds = {true}};
    (void)kdr_run_see(r, evaluation->out, residual.row[0]);
    if (status == KDR_OK) {
        kdr_sweep_field(&arrays, &r->slopes, &residual);
    }
    return status;
}

/* The number whose largest value over all particles is wanted: the size of the last step; the scale of V, as the sum of its terms'
 * sizes; the bound of the particle's block. NaN counts as infinity. */
typedef enum number { SIZE, SCALE, BOUND } number;

typedef struct most {
    const kdr_system_run_state *run;
    number which;
    double th;
    void *row[5][3];    /* the rows of CONVERGE: marks, A, V, y, sizes */
    atomic_ullong bits; /* largest number so far; nonnegative doubles have the order of their bits */
} most;

static double number_of(const most *m, size_t n) {
    const int dims = kdr_run_dims(m->run);
    const kdr_real real = m->run->particles->real;
    double g[6] = {0}, scale = 0.0;
    if (m->which == SIZE) {
        return kdr_element(m->row[4][0], real, n);
    }
    for (int i = 0; i < dims && m->which == SCALE; ++i) {
        scale += fabs(m->th) * fabs(kdr_element(m->row[1][i], real, n)) + fabs(kdr_element(m->row[2][i], real, n)) +
                 fabs(kdr_element(m->row[3][i], real, n)) / fabs(m->th);
    }
    for (int k = 0; k < dims * (dims + 1) / 2 && m->which == BOUND; ++k) {
        g[k] = kdr_element(m->run->work.blocks[k], real, n);
    }
    return m->which == SCALE ? scale : kdr_semi_iteration_bound(dims, g, m->th);
}

static void most_of_range(void *argument, size_t first, size_t last) {
    most *const m = argument;
    const kdr_particles *const p = &m->run->state;
    double largest = 0.0;
    for (size_t n = first * KDR_SWEEP_BLOCK; n < p->count && n < last * KDR_SWEEP_BLOCK; ++n) {
        const double one = kdr_is_moved(p, n) ? number_of(m, n) : 0.0;
        largest = !(one <= largest) ? (isnan(one) ? (double)INFINITY : one) : largest;
    }
    uint64_t bits;
    memcpy(&bits, &largest, sizeof bits);
    unsigned long long known = atomic_load(&m->bits);
    while (known < bits && !atomic_compare_exchange_weak(&m->bits, &known, bits)) {
    }
}

static double most_of(const kdr_system_run_state *r, number which, const kdr_instruction *converge, double th) {
    most m = {.run = r, .which = which, .th = th};
    double largest;
    for (unsigned row = 0; row < 5; ++row) {
        (void)kdr_run_see(r, converge->out + row * (unsigned)kdr_run_dims(r), m.row[row]);
    }
    atomic_init(&m.bits, 0);
    kdr_parallel_for(&r->system->desc.executor, kdr_sweep_blocks(r->particles->count), most_of_range, &m);
    const uint64_t bits = atomic_load(&m.bits);
    memcpy(&largest, &bits, sizeof largest);
    return largest;
}

/* Returns whether iteration n was the last. `open`: it left a particle nonconverged. If there are blocks, this also chooses the weight of
 * the next iteration. *size is the largest step of the iteration before, then of this one. */
static bool is_solved(kdr_system_run_state *r, const kdr_instruction *converge, kdr_semi_iteration *semi, bool open, int n, double *size,
                      double th) {
    const double last = *size, rounding = r->particles->real == KDR_F32 ? FLT_EPSILON : DBL_EPSILON;
    if (!r->system->blocks) { /* an overflow also makes the tolerance infinite, so that finite sizes are checked */
        return !open && isfinite(most_of(r, SIZE, converge, th));
    }
    *size = most_of(r, SIZE, converge, th);
    if (semi->square > 0.0) {
        return kdr_semi_iteration_next(semi, *size, last) && isfinite(*size) &&
               fabs(th) * *size <= 64.0 * rounding * most_of(r, SCALE, converge, th);
    }
    semi->solved += !open && isfinite(*size);
    if (semi->solved < 2 && kdr_semi_iteration_is_slow(n, *size, last)) {
        kdr_semi_iteration_begin(semi, most_of(r, BOUND, converge, th), *size);
    }
    return semi->solved == 2;
}

kdr_status kdr_run_solve(kdr_system_run_state *r, int e) {
    const kdr_system *const c = r->system;
    const kdr_lines again = r->step.segment[e + 1].again;
    const kdr_instruction *const evaluation = r->step.segment[e].evaluation, *const converge = &r->sweeper.program->line[again.end - 1];
    const kdr_pass residual = {.part = {{again.begin, again.end - 1}}}, trial = {.part = {{again.end - 1, again.end}}};
    const kdr_pass both = {.part = {again}};
    if (kdr_is_empty(again)) {
        return KDR_OK;
    }
    const double dt = r->clock->dt * c->problem.substepping.fraction[e], th = dt * c->problem.row->data.implicit->c;
    const int iterations = c->blocks ? KDR_BLOCK_ITERATIONS : KDR_FIXED_POINT_ITERATIONS;
    kdr_semi_iteration semi = kdr_semi_iteration_none();
    kdr_status status = KDR_OK;
    double size = 0.0;
    if (r->slopes.program) {
        r->slopes.dt = dt;
        kdr_program_bind(r->slopes.program, dt, NULL, NULL, r->work.slope_numbers);
    }
    for (int n = 1; status == KDR_OK; ++n) {
        r->at_work.weight = semi.weight;
        if (r->slopes.program) {
            (void)kdr_sweep(&r->sweeper, &residual);
            status = correct_by_slopes(r, evaluation, r->fraction[e], th);
        }
        const bool open = status == KDR_OK && kdr_sweep(&r->sweeper, r->slopes.program ? &trial : &both);
        if (status != KDR_OK || is_solved(r, converge, &semi, open, n, &size, th)) {
            break;
        }
        KDR_CHECK(n < iterations && isfinite(size), r->error, KDR_ERROR_ARGUMENT,
                  "clock.dt: %s was not solved by %d iterations in step %llu: %g is long for what acts between particles; take a shorter "
                  "step, or velocity-verlet",
                  c->problem.row->info.name, n, (unsigned long long)kdr_run_step(r), r->clock->dt);
        status = kdr_run_evaluate_row(r, evaluation, r->fraction[e]);
    }
    return status;
}
