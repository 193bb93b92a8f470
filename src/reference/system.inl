/* The reference of system runs: methods on the state of all particles, whose accelerations a function computes at once.
 *
 * A `ref_system` has all particles of a run. Its methods are written for any row of their family. Frozen particles stay where they are. */
#include <stdlib.h>

#include "../method/semi_iteration.h"
#include "../particles/error.h"
#include "../particles/recorder.h"
#include "../problem/system.h"

static const kdr_layout plain = {0, 0, 0, 0};

/* One number per axis and particle. */
typedef struct numbers {
    real *axis[3];
} numbers;

/* The counts of a particle in a step. Energies are the particle's sums, because a step may add to them twice. */
typedef struct counted {
    bool estimated;
    real error;
    uint32_t bounces, images[3];
    double dissipated_energy[2];
} counted;

typedef struct ref_system {
    const kdr_system_desc *desc;
    const kdr_problem *problem;
    const kdr_particles *particles; /* the caller's view, with masses and ids */
    const kdr_clock *clock;
    double whole;  /* length of the whole step, of which the clock's may be a part; velocities are held as in that step */
    double h;      /* length of the step, or of the substep with index rules.substep */
    uint64_t step; /* number of the step on the caller's clock, which may differ from a level's own */
    /* with levels: marks of the particles whose accelerations are wanted; NULL: all */
    uint8_t *wanted;
    kdr_error *error;
    particle rules; /* arithmetic, field and clock, as for one particle */
    numbers x, v;   /* the state */
    numbers a;      /* the last acceleration */
    bool keeps;     /* a serves the first kick of the next step */
    numbers xs, vs, mean, sum, kx[KDR_MAX_STAGES], kv[KDR_MAX_STAGES];
    numbers before;                 /* x before a drift */
    numbers old_x, old_v, old_a;    /* state at the end of the last whole step */
    numbers cx, cv, old_cx, old_cv; /* compensations of x and v, and their old values */
    numbers m;                      /* magnetic field of each particle, if they have their own */
    uint8_t *inside;                /* with an absorbing boundary: marks of the particles that take part in a step */
    counted *counts;                /* counts of the step, one per particle */
    numbers held_v, gained;         /* v after the latest hold by distances, and the change of v in the step by everything else */
    /* for each particle, 1 + the first particle of its molecule, or 0 without one; NULL if no molecule meets surfaces */
    const size_t *molecule;
    const size_t *order;  /* order of the distances in a sweep */
    size_t first_contact; /* index in the list of the step's first contact */
} ref_system;

/* Loops over the coordinates of all particles that move. */
#define EACH_MOVING(c, i, n)                                                                                                               \
    for (int i = 0; i < (c)->rules.dims; ++i)                                                                                              \
        for (size_t n = 0; n < (c)->particles->count; ++n)                                                                                 \
            if (inverse_mass_of((c), (n)) != (real)0.0)

static bool is_active(const kdr_particles *particles, size_t n) {
    uint8_t active = 1;
    get_value(particles->active, &particles->active_layout, n, &active, sizeof active);
    return active;
}

/* Returns the inverse mass of particle n, 0 if it is frozen or inactive. */
static real inverse_mass_of(const ref_system *c, size_t n) {
    real w = (real)1.0;
    if (c->particles->inverse_mass) {
        gather(&c->particles->inverse_mass, &c->particles->inverse_mass_layout, 1, n, &w);
    }
    const bool active = c->inside ? c->inside[n] : is_active(c->particles, n);
    return active ? w : (real)0.0;
}

static real radius_of(const ref_system *c, size_t n) {
    real radius = 0;
    if (c->particles->radius) {
        gather(&c->particles->radius, &c->particles->radius_layout, 1, n, &radius);
    }
    return radius;
}

static int system_level(const ref_system *c, size_t n) {
    uint8_t level = 0;
    get_value(c->particles->level, &c->particles->level_layout, n, &level, sizeof level);
    return level;
}

/* Returns the highest level of the particles that move; 0 without levels. */
static int system_highest_level(const ref_system *c) {
    int highest = 0;
    for (size_t n = 0; n < c->particles->count; ++n) {
        if (inverse_mass_of(c, n) != (real)0.0 && system_level(c, n) > highest) {
            highest = system_level(c, n);
        }
    }
    return highest;
}

/* Calls a function that sets interleaved accelerations. */
static kdr_status system_rows(const ref_system *c, const kdr_particles *seen, double t, const numbers *a) {
    const size_t dims = (size_t)c->rules.dims;
    real *const rows = malloc(seen->count * dims * sizeof *rows + 1);
    if (!rows) {
        return KDR_ERROR_NO_MEMORY;
    }
    void *const out[3] = {rows, rows + 1, rows + 2};
    const kdr_status status = kdr_called(c->desc->accelerations(c->desc->context, seen, t, out));
    for (int i = 0; i < c->rules.dims && status == KDR_OK; ++i) {
        for (size_t n = 0; n < seen->count; ++n) {
            a->axis[i][n] = rows[n * dims + (size_t)i];
        }
    }
    free(rows);
    return status;
}

/* Returns the time at a fraction of the substep. */
static double system_time(const ref_system *c, uint64_t step, double fraction) {
    return kdr_clock_time(c->clock, step, kdr_substep_time(&c->problem->substepping, c->rules.substep, fraction));
}

/* Returns the particles at x and v, as functions receive them. */
static kdr_particles system_seen(const ref_system *c, const numbers *x, const numbers *v) {
    kdr_particles seen = *c->particles;
    seen.storage = NULL;
    seen.x_layout = seen.v_layout = plain;
    if (c->wanted || c->inside) {
        seen.active = c->wanted ? c->wanted : c->inside;
        seen.active_count = seen.count;
        seen.active_layout = plain;
    }
    for (int i = 0; i < c->rules.dims; ++i) {
        seen.x[i] = x->axis[i];
        seen.v[i] = v->axis[i];
    }
    return seen;
}

/* Adds the field's acceleration of particle n. For magnetic methods the magnetic force is left out, and the magnetic field is added to
 * m. */
static void system_add_field(const ref_system *c, const numbers *x, const numbers *v, size_t n, uint64_t step, double fraction,
                             const numbers *a) {
    real field[3] = {0}, m[3] = {0};
    particle p = c->rules;
    p.index = n;
    p.w = inverse_mass_of(c, n);
    for (int i = 0; i < p.dims; ++i) {
        p.x[i] = x->axis[i][n];
        p.v[i] = v->axis[i][n];
    }
    if (c->problem->row->data.magnetic) {
        electric_acceleration(&p, step, fraction, field, m);
    } else {
        acceleration(&p, p.x, p.v, step, fraction, field);
    }
    for (int i = 0; i < p.dims; ++i) {
        real *const sum = &a->axis[i][n];
        *sum = c->desc->accelerations ? *sum + field[i] : field[i];
    }
    for (int i = 0; i < 3 && c->problem->row->data.magnetic && is_turned(&p); ++i) {
        real *const sum = &c->m.axis[i][n];
        *sum = c->desc->magnetic ? *sum + m[i] : m[i];
    }
}

/* Computes a for all particles at (x, v, t): what the user's function sets, and the field's acceleration; and the magnetic fields. */
static kdr_status system_accelerations(ref_system *c, const numbers *x, const numbers *v, uint64_t step, double fraction,
                                       const numbers *a) {
    const kdr_particles seen = system_seen(c, x, v);
    void *out[3] = {NULL, NULL, NULL};
    for (int i = 0; i < c->rules.dims; ++i) {
        out[i] = a->axis[i];
    }
    const double t = system_time(c, step, fraction);
    if (c->desc->accelerations) {
        const kdr_status status =
            c->desc->rows ? system_rows(c, &seen, t, a) : kdr_called(c->desc->accelerations(c->desc->context, &seen, t, out));
        KDR_CHECK(status == KDR_OK, c->error, status, "accelerations: the function returned %d (%s) in step %llu, at time %g", (int)status,
                  kdr_status_string(status), (unsigned long long)c->step, t);
    }
    if (c->desc->magnetic && c->rules.dims > 1) {
        void *const m[3] = {c->m.axis[0], c->m.axis[1], c->m.axis[2]};
        const kdr_status status = kdr_called(c->desc->magnetic(c->desc->context, &seen, t, m));
        KDR_CHECK(status == KDR_OK, c->error, status, "magnetic: the function returned %d (%s) in step %llu, at time %g", (int)status,
                  kdr_status_string(status), (unsigned long long)c->step, t);
    }
    for (size_t n = 0; n < c->particles->count; ++n) {
        if (c->desc->force_count > 0 && kdr_problem_evaluates(c->problem)) {
            system_add_field(c, x, v, n, step, fraction, a);
        } else {
            for (int i = 0; i < c->rules.dims && !c->desc->accelerations; ++i) {
                a->axis[i][n] = 0;
            }
        }
    }
    return kdr_reference_system_pairs(c->desc, &seen, out, c->error);
}

/* Computes y += h rate. */
static void system_advance(const ref_system *c, double h, const numbers *rate, const numbers *y) {
    EACH_MOVING(c, i, n) { y->axis[i][n] = mul_add(&c->rules, (real)h, rate->axis[i][n], y->axis[i][n]); }
}

/* Computes y += h rate for the state, with the rounding error in `lost` as for one particle. */
static void system_gain(const ref_system *c, double h, const numbers *rate, const numbers *y, const numbers *lost) {
    EACH_MOVING(c, i, n) { y->axis[i][n] = advance(&c->rules, h, rate->axis[i][n], y->axis[i][n], &lost->axis[i][n]); }
}

static void system_kick_by(const ref_system *c, double h, const numbers *a) { system_gain(c, h, a, &c->v, &c->cv); }

static void system_copy(const ref_system *c, const numbers *from, const numbers *to) {
    for (int i = 0; i < c->rules.dims; ++i) {
        memcpy(to->axis[i], from->axis[i], c->particles->count * sizeof(real));
    }
}

#include "system_step_end.inl"

#include "system_hold.inl"

/* Makes a drift at whose end the distances hold. */
static kdr_status system_held_drift(ref_system *c, double h) {
    system_copy(c, &c->x, &c->before);
    system_drift_by(c, h, &c->v);
    return c->desc->distance_count > 0 ? system_hold(c, &c->before, false, h) : KDR_OK;
}

/* Makes a drift that the colliders reflect. It begins at fraction `begin` of the step and lasts `span` of it. */
static kdr_status system_reflected_drift(ref_system *c, double h, double begin, double span) {
    system_copy(c, &c->v, &c->vs);
    const kdr_status status = system_held_drift(c, h);
    for (size_t n = 0; (c->rules.terms & KDR_TERM_REFLECTING) && status == KDR_OK && n < c->particles->count; ++n) {
        particle p = system_one(c, n);
        real x0[3] = {0, 0, 0}, v0[3] = {0, 0, 0};
        for (int i = 0; i < p.dims; ++i) {
            x0[i] = c->before.axis[i][n];
            v0[i] = c->vs.axis[i][n];
        }
        if (p.w != (real)0.0) {
            const ref_travel t = meet_in_drift(&p, x0, v0, (drift_of){c->step, h, begin, span});
            system_add_contacts(c, &t);
            system_put(c, &p);
        }
    }
    return status;
}

/* Makes drift k of a splitting row, in two parts if it joins two substeps and something acts on each drift. */
static kdr_status system_drift_of_row(ref_system *c, int k) {
    const double h = c->clock->dt;
    if (!kdr_problem_joins(c->problem, k)) {
        return system_held_drift(c, h * c->problem->row->data.splitting->drift[k]);
    }
    const kdr_status status = system_held_drift(c, h * c->problem->caller.joint[0][k]);
    return status == KDR_OK ? system_held_drift(c, h * c->problem->caller.joint[1][k]) : status;
}

/* Makes a step of a splitting row: kick, drift, kick, drift ... by its fractions. The acceleration that ends a step may serve the next
 * one; the force then sees the velocity as it is, or as the acceleration before predicts it. */
static kdr_status system_splitting(ref_system *c, uint64_t step) {
    const kdr_splitting_row *const row = c->problem->row->data.splitting;
    const double h = c->clock->dt;
    const bool keeps = row->kick[0] != 0.0 && row->drift[row->stages - 1] == 0.0;
    double drifted = 0.0;
    for (int k = 0; k < row->stages; ++k) {
        const bool last = k == row->stages - 1;
        if (row->kick[k] != 0.0) {
            if (!c->keeps) {
                system_copy(c, &c->v, &c->vs);
                if (keeps && row->predicts && k > 0) {
                    system_advance(c, h * row->kick[k], &c->a, &c->vs);
                    system_hold_velocities(c, h * row->kick[k], &c->vs);
                }
                if (keeps && last && k > 0) {
                    system_arrive(c);
                }
                const kdr_status status = system_accelerations(c, &c->x, &c->vs, step, keeps && last ? 1.0 : drifted, &c->a);
                if (status != KDR_OK) {
                    return status;
                }
            }
            c->keeps = keeps && last;
            system_kick_by(c, h * row->kick[k], &c->a);
        }
        if (row->kick[k] != 0.0 && row->drift[k] == 0.0) {
            system_hold_velocities(c, h * row->kick[k], &c->v);
        }
        if (row->drift[k] != 0.0) {
            const kdr_status held = system_drift_of_row(c, k);
            if (held != KDR_OK) {
                return held;
            }
        }
        drifted += row->drift[k];
    }
    return c->desc->distance_count > 0 ? system_hold(c, NULL, true, h) : KDR_OK;
}

#include "system_stages.inl"

/* Makes a step of BAOAB, as for one particle in methods/langevin.inl. */
static kdr_status system_langevin(ref_system *c, uint64_t step) {
    const double half = c->clock->dt * 0.5;
    kdr_status status = c->keeps ? KDR_OK : system_accelerations(c, &c->x, &c->v, step, 0.0, &c->a);
    if (status == KDR_OK) {
        system_kick_by(c, half, &c->a);
        status = system_reflected_drift(c, half, 0.0, 0.5);
    }
    if (status == KDR_OK) {
        for (size_t n = 0; n < c->particles->count; ++n) {
            particle p = system_one(c, n);
            if (p.w != (real)0.0) {
                heat_bath(&p, step);
                system_put(c, &p);
            }
        }
        status = system_reflected_drift(c, half, 0.5, 0.5);
    }
    if (status == KDR_OK) {
        system_arrive(c);
        status = system_accelerations(c, &c->x, &c->v, step, 1.0, &c->a);
    }
    c->keeps = status == KDR_OK;
    if (status == KDR_OK) {
        system_kick_by(c, half, &c->a);
        system_hold_velocities(c, half, &c->v);
    }
    return status == KDR_OK && c->desc->distance_count > 0 ? system_hold(c, NULL, true, c->clock->dt) : status;
}

#include "system_magnetic.inl"

#include "system_implicit.inl"

#include "system_kinematic.inl"

/* Allocates all numbers of a run in one block. Returns NULL without memory. */
static void *system_allocate(ref_system *c) {
    numbers *const all[] = {&c->x,     &c->v,     &c->a, &c->xs, &c->vs, &c->mean,   &c->sum,    &c->before, &c->old_x,
                            &c->old_v, &c->old_a, &c->m, &c->cx, &c->cv, &c->old_cx, &c->old_cv, &c->held_v, &c->gained};
    const size_t count = c->particles->count, sets = sizeof all / sizeof *all + (size_t)2 * KDR_MAX_STAGES;
    void *const block = count <= PTRDIFF_MAX / sizeof(real) / (3 * sets) ? calloc(3 * sets * count, sizeof(real)) : NULL;
    for (size_t s = 0; block && s < sets; ++s) {
        const size_t k = s - sizeof all / sizeof *all;
        numbers *const set = s < sizeof all / sizeof *all ? all[s] : k < KDR_MAX_STAGES ? &c->kx[k] : &c->kv[k - KDR_MAX_STAGES];
        for (size_t i = 0; i < 3; ++i) {
            set->axis[i] = (real *)block + (3 * s + i) * count;
        }
    }
    return block;
}

#include "system_copies.inl"

#include "system_levels.inl"

typedef kdr_status system_step(ref_system *c, uint64_t step);

/* Makes one step of the clock, after copying the state at its beginning. */
static kdr_status system_whole_step(ref_system *c, uint64_t step) {
    static system_step *const family_steps[KDR_FAMILY_COUNT] = {
        [KDR_RUNGE_KUTTA] = system_runge_kutta, [KDR_SPLITTING] = system_splitting, [KDR_NYSTROM] = system_nystrom,
        [KDR_IMPLICIT] = system_implicit,       [KDR_MAGNETIC] = system_boris,      [KDR_LANGEVIN] = system_langevin,
        [KDR_KINEMATIC] = system_kinematic};
    const kdr_row *const row = c->problem->row;
    kdr_status status = KDR_OK;
    system_copy(c, &c->x, &c->old_x);
    system_copy(c, &c->v, &c->old_v);
    system_copy(c, &c->a, &c->old_a);
    system_copy(c, &c->cx, &c->old_cx);
    system_copy(c, &c->cv, &c->old_cv);
    system_begin_gains(c);
    c->step = c->rules.later + step;
    c->first_contact = kdr_reference_first_contact(c->rules.contacts);
    system_absorb(c);
    system_begin_counts(c);
    const bool levels = system_has_levels(c) || kdr_system_leveled(c->desc, c->problem).substepping.count > 1;
    for (int s = 0; s < c->problem->substepping.count && status == KDR_OK; ++s) {
        c->rules.substep = s;
        c->h = c->clock->dt * c->problem->substepping.fraction[s];
        status = (levels ? system_levels : family_steps[row->info.family])(c, step);
    }
    c->rules.substep = 0;
    if (status == KDR_OK && !row->data.splitting && !row->family->info.heat_bath && c->desc->distance_count > 0) {
        status = system_hold(c, &c->old_x, true, c->clock->dt);
    }
    if (status == KDR_OK) {
        system_flush_small(c);
        status = system_end(c, step);
    }
    if (status == KDR_OK) {
        system_leave(c);
    }
    return status;
}

#include "system_watch.inl"

/* Makes the steps. If one fails, or not all of its events could be found, the state at the end of the step before is restored. */
static kdr_status system_run(ref_system *c, uint64_t steps, uint64_t *done) {
    kdr_status status = KDR_OK;
    bool stops = false;
    size_t noted = 0, seen = 0;
    for (*done = 0; *done < steps && status == KDR_OK && !stops; *done += status == KDR_OK) {
        const bool kept = c->keeps;
        noted = c->rules.contacts ? c->rules.contacts->count : 0;
        seen = c->rules.events ? c->rules.events->count : 0;
        status = system_whole_step(c, c->clock->step + *done);
        if (status == KDR_OK && c->rules.events) {
            status = system_watch(c, c->clock->step + *done, kept, &stops);
        }
        if (status == KDR_OK) {
            interaction_count(c);
        }
    }
    if (status != KDR_OK) {
        system_copy(c, &c->old_x, &c->x);
        system_copy(c, &c->old_v, &c->v);
        system_copy(c, &c->old_a, &c->a);
        system_copy(c, &c->old_cx, &c->cx);
        system_copy(c, &c->old_cv, &c->cv);
        if (c->rules.contacts) {
            c->rules.contacts->count = noted; /* the last contacts are those of the failed step */
        }
        if (c->rules.events) {
            c->rules.events->count = seen;
        }
    }
    return stops ? kdr_recorder_stopped(c->clock->step + *done, c->error) : status;
}

static kdr_status step_system(const kdr_system_desc *desc, const kdr_problem *problem, const kdr_particles *particles,
                              const kdr_clock *clock, kdr_reference_steps *run, kdr_error *error) {
    ref_system c;
    memset(&c, 0, sizeof c);
    c.desc = desc;
    c.problem = problem;
    c.particles = particles;
    c.clock = clock;
    c.error = error;
    c.whole = run->whole != 0.0 ? run->whole : clock->dt;
    c.keeps = run->resume && problem->row->info.memory;
    c.rules = (particle){.problem = problem,
                         .field = &problem->field,
                         .clock = clock,
                         .terms = kdr_problem_terms(problem, particles) | (kdr_problem_sums(problem) ? (unsigned)KDR_TERM_UNDRIVEN : 0U),
                         .dims = particles->dims,
                         .fused = problem->arithmetic == KDR_FUSED,
                         .contacts = particles->contacts,
                         .later = run->later,
                         .others = true,
                         .flies = kdr_system_flies(c.desc, problem),
                         .events = problem->watch_count > 0 ? particles->events : NULL};
    c.rules.first_event = first_event_of(c.rules.events);
    void *const block = system_allocate(&c);
    uint8_t *const marks = calloc(particles->count, 1);
    c.counts = calloc(particles->count, sizeof *c.counts);
    c.inside = problem->boundary.kind == KDR_BOUNDARY_ABSORBING ? marks : NULL;
    run->done = 0;
    if (!block || !marks || !c.counts) {
        free(block);
        free(marks);
        free(c.counts);
        return kdr_fail(error, KDR_ERROR_NO_MEMORY, "reference: no memory for %zu particles", particles->count);
    }
    system_take(&c, run->resume);
    kdr_status status = system_find_molecules(&c);
    if (status == KDR_OK) {
        status = system_run(&c, run->steps, &run->done);
    }
    if (run->done > 0) {
        system_give(&c);
    }
    free((void *)c.molecule);
    free((void *)c.order);
    free(block);
    free(marks);
    free(c.counts);
    return status;
}
