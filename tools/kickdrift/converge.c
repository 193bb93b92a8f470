/* Repeats a scene with half the step, a quarter, and so on, and estimates its error from the results. */
#include "converge.h"

#include "json.h"
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *converge_refusal(const scene *from) {
    if (from->langevin.temperature != 0) {
        return "expected a temperature of 0, for with another step a heat bath is another one";
    }
    if (from->collider_count > 0) {
        return "expected no colliders, for bounces are not smooth in the step";
    }
    if (from->boundary.kind != KDR_BOUNDARY_NONE) {
        return "expected no boundary, for what leaves it is put elsewhere";
    }
    for (size_t i = 0; i < from->constraint_count; ++i) {
        if (from->constraints[i].kind == KDR_CONSTRAINT_ROPE) {
            return "expected no ropes, for they hold at some steps and not at others";
        }
    }
    return NULL;
}

int converge_order(const scene *from, const kdr_method_info *info) {
    int order = info->order;
    for (size_t i = 0; i < from->force_count; ++i) {
        const kdr_force_kind kind = from->forces[i].force.kind;
        const bool feels =
            kind == KDR_CUSTOM_FIELD && (kdr_custom_field_flags(from->forces[i].force.as.custom.field) & KDR_CUSTOM_FIELD_VELOCITY);
        if (feels || kind == KDR_DRAG || kind == KDR_QUADRATIC_DRAG || kind == KDR_ELECTROMAGNETIC) {
            order = info->order_velocity;
        }
    }
    for (size_t i = 0; i < from->interaction_count; ++i) {
        order = from->interactions[i].damping != 0 ? info->order_velocity : order;
    }
    if (from->distances.count > 0 && order > 2) {
        return 0; /* distances are kept in each drift or after the step; no order is known for methods of higher order with them */
    }
    return from->constraint_count > 0 && order > 2 ? 2 : order; /* constraints are applied after whole steps, which is second order */
}

static size_t length_of(const population *of) { return of->particles.count * (size_t)of->particles.dims; }

bool converge_keep(convergence *c, const population *end, double dt, uint64_t steps) {
    const size_t count = end->particles.count;
    converge_run *const run = &c->run[c->count];
    *run = (converge_run){.dt = dt, .steps = steps, .order = (double)NAN, .x = calloc(length_of(end) + 1, sizeof *run->x)};
    for (size_t i = 0; run->x && i < length_of(end); ++i) {
        run->x[i] = population_get(end, end->particles.x[i / count], i % count);
    }
    c->particles = count;
    c->length = length_of(end);
    c->count += run->x != NULL;
    return run->x != NULL;
}

/* Takes all steps, and shows a progress bar if they take long. */
static kdr_status step_through(const motion *by, kdr_particles *particles, kdr_clock *clock, uint64_t steps, kdr_error *error) {
    progress bar = progress_begin(steps);
    double evaluations = 0, seconds = 0;
    kdr_status status = KDR_OK;
    while (clock->step < steps && status == KDR_OK) {
        const uint64_t chunk = progress_chunk(&bar, steps - clock->step);
        evaluations += (double)motion_evaluations(by, particles, clock, chunk);
        const double begun = progress_now();
        status = motion_run(by, particles, clock, chunk, error);
        const double taken = progress_now() - begun;
        seconds += taken;
        progress_update(&bar, clock->step, chunk, taken, evaluations / seconds);
    }
    progress_hide(&bar);
    return status;
}

bool converge_halve(convergence *c, scene *from, const motion *by, int halvings, fault *why) {
    for (int n = c->count; n <= halvings; ++n) {
        const double dt = ldexp(from->dt, -n);
        const uint64_t steps = from->steps << n;
        population finer = {.particles = kdr_particles_default()};
        kdr_clock clock = {from->t0, dt, 0};
        kdr_error error;
        bool good = population_build(from, 0, SIZE_MAX, &finer);
        if (good && step_through(by, &finer.particles, &clock, steps, &error) != KDR_OK) {
            good = fault_set(why, "run: with steps of %.9g, parts of the scene's: %s", dt, error.message);
        }
        if (good && !converge_keep(c, &finer, dt, steps)) {
            good = fault_set(why, "run: no memory for the positions of another run, expected fewer halvings or particles");
        }
        population_release(&finer);
        if (!good) {
            return false;
        }
    }
    return true;
}

/* Returns the largest |a - e| with e = b + share (b - before), and in *at where it is. A NaN counts as larger than any number. */
static double largest(const double *a, const double *b, const double *before, double share, const convergence *c, size_t *at) {
    double found = 0;
    *at = 0;
    for (size_t i = 0; i < c->length; ++i) {
        const double difference = fabs(a[i] - (b[i] + share * (b[i] - before[i])));
        if (!isnan(found) && !(difference <= found)) {
            found = difference;
            *at = i;
        }
    }
    return found;
}

void converge_extrapolate(convergence *c, int order) {
    size_t at = 0;
    c->known = order;
    converge_run *const run = c->run, *const last = &run[c->count - 1];
    for (int n = 0; n + 1 < c->count; ++n) {
        run[n].difference = largest(run[n].x, run[n + 1].x, run[n + 1].x, 0, c, &at);
        run[n].order = n > 0 ? log2(run[n - 1].difference / run[n].difference) : (double)NAN;
    }
    const double shown = c->count > 2 ? run[c->count - 2].order : order;
    c->order = isfinite(shown) && shown > 0.5 ? shown : 0;
    const double share = c->order > 0 ? 1 / (exp2(c->order) - 1) : 0;
    for (int n = c->count - 1; n >= 0; --n) {
        run[n].error = largest(run[n].x, last->x, last[-1].x, share, c, &at);
    }
    c->particle = c->particles > 0 ? at % c->particles : 0;
}

void converge_release(convergence *c) {
    for (int n = 0; n < c->count; ++n) {
        free(c->run[n].x);
    }
    c->count = 0;
}

run_error run_error_of_steps(const population *of, int order) {
    run_error found = {.is_embedded = true, .order = order};
    for (size_t i = 0; i < of->particles.count; ++i) {
        const double error = population_get(of, of->particles.error, i);
        if (!isnan(found.x) && !(error <= found.x)) {
            found.x = error;
            found.particle = i;
        }
    }
    found.id = of->particles.count > 0 ? population_id(of, found.particle) : 0;
    return found;
}

run_error run_error_of_end(const convergence *c, const population *of) {
    return (run_error){.x = c->run[0].error,
                       .order = c->order,
                       .known = c->known,
                       .particle = c->particle,
                       .id = of->particles.count > 0 ? population_id(of, c->particle) : 0};
}

void run_error_print(const run_error *error) {
    printf("error        %.3e in x %s, at most: particle %zu (id %" PRIu64 "), ", error->x, error->is_embedded ? "of a step" : "at the end",
           error->particle, error->id);
    if (error->is_embedded) {
        printf("by the embedded method of order %.0f\n", error->order);
    } else if (error->order > 0) {
        printf("by runs with smaller steps, extrapolated by order %.3g", error->order);
        if (error->known > 0 && error->known != KDR_ORDER_EXACT && fabs(error->order - error->known) > 0.5) {
            printf(", where the method's is %d: the steps are too large, or too small for rounding", error->known);
        }
        printf("\n");
    } else {
        printf("by the run with the smallest step: the differences do not shrink as a power of the step\n");
    }
}

json_t *run_error_json(const run_error *error) {
    return json_pack("{s:o, s:s, s:o, s:o, s:o}", "x", json_number(error->x), "of", error->is_embedded ? "step" : "end", "order",
                     json_number(error->order), "particle", json_count(error->particle), "id", json_count(error->id));
}

void converge_print(const convergence *c) {
    printf("%16s  %16s  %16s  %6s  %16s\n", "dt", "steps", "to the next", "order", "error");
    for (const converge_run *run = c->run; run < c->run + c->count; ++run) {
        char difference[32] = "-", order[32] = "-";
        if (run + 1 < c->run + c->count) {
            snprintf(difference, sizeof difference, "%.3e", run->difference);
        }
        if (isfinite(run->order)) {
            snprintf(order, sizeof order, "%.2f", run->order);
        }
        printf("%16.9g  %16" PRIu64 "  %16s  %6s  %16.3e\n", run->dt, run->steps, difference, order, run->error);
    }
}

json_t *converge_json(const convergence *c) {
    json_t *runs = json_array();
    for (const converge_run *run = c->run; run < c->run + c->count; ++run) {
        const double difference = run + 1 < c->run + c->count ? run->difference : (double)NAN;
        json_array_append_new(runs, json_pack("{s:f, s:o, s:o, s:o, s:o}", "dt", run->dt, "steps", json_count(run->steps), "difference",
                                              json_number(difference), "order", json_number(run->order), "error", json_number(run->error)));
    }
    return runs;
}
