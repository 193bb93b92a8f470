/* Checks descriptions of runs and their arguments, and makes problems. */
#include "problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../force/custom.h"
#include "../force/watch.h"
#include "../particles/description.h"
#include "../particles/error.h"
#include "../particles/functions.h"
#include "../particles/ids.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"

double kdr_clock_time(const kdr_clock *clock, uint64_t step, double fraction) {
    KDR_ROUND_TO_NEAREST;
    return clock ? kdr_time_of(clock, step, fraction) : 0.0;
}

kdr_clock kdr_clock_with_dt(const kdr_clock *clock, double dt) {
    KDR_ROUND_TO_NEAREST;
    if (!clock) {
        return (kdr_clock){0, 0, 0};
    }
    const double now = kdr_time_of(clock, clock->step, 0.0), start = now - (double)clock->step * dt;
    const double nearby[] = {start, nextafter(start, -INFINITY), nextafter(start, INFINITY)};
    for (size_t i = 0; i < sizeof nearby / sizeof *nearby; ++i) {
        const kdr_clock goes_on = {nearby[i], dt, clock->step};
        if (kdr_time_of(&goes_on, clock->step, 0.0) == now) {
            return goes_on;
        }
    }
    return (kdr_clock){now, dt, 0};
}

static const kdr_integrator_desc defaults = {
    .size = sizeof defaults, .method = KDR_VELOCITY_VERLET, .real = KDR_F64, .arithmetic = KDR_FUSED, .backend = KDR_BACKEND_AUTO};
const kdr_description kdr_integrator_description = {
    "kdr_integrator_desc",
    &defaults,
    {sizeof defaults, offsetof(kdr_integrator_desc, speed_of_light), offsetof(kdr_integrator_desc, watches),
     offsetof(kdr_integrator_desc, flush_small_to_zero), offsetof(kdr_integrator_desc, compose), offsetof(kdr_integrator_desc, dt)}};

void kdr_integrator_desc_init(kdr_integrator_desc *desc, size_t size) { kdr_description_init(&kdr_integrator_description, desc, size); }

static kdr_status find_row(const kdr_integrator_desc *desc, kdr_problem *problem, kdr_error *error) {
    KDR_CHECK(!desc->tableau || !desc->fractions, error, KDR_ERROR_ARGUMENT, "tableau, fractions: expected one of them, got both");
    problem->method = KDR_METHOD_COUNT;
    problem->row = &problem->caller.row;
    if (desc->tableau) {
        return kdr_user_method_tableau(desc->tableau, &problem->caller, error);
    }
    if (desc->fractions) {
        return kdr_user_method_fractions(desc->fractions, &problem->caller, error);
    }
    problem->method = desc->method;
    problem->row = kdr_row_get(desc->method);
    KDR_CHECK(problem->row, error, KDR_ERROR_ARGUMENT, "method: expected an enumerator below %d, got %d", KDR_METHOD_COUNT,
              (int)desc->method);
    return KDR_OK;
}

/* Checks that the method can be composed. Substeps raise the order only of a reversible method, whose steps must not depend on the
 * length of the step before. */
static kdr_status check_composes(const kdr_problem *p, const kdr_composition_info *composition, kdr_error *error) {
    const kdr_method_info *const info = &p->row->info;
    const kdr_splitting_row *const splitting = p->row->data.splitting;
    KDR_CHECK(p->row != &p->caller.row, error, KDR_ERROR_UNSUPPORTED,
              "compose: expected a method of the table, got %s; give the fractions of all substeps", info->name);
    KDR_CHECK(info->reversible, error, KDR_ERROR_UNSUPPORTED,
              "compose: expected a method that is the same backwards, and %s is not; take velocity-verlet", info->name);
    KDR_CHECK(p->row->family->info.velocities, error, KDR_ERROR_UNSUPPORTED,
              "compose: %s has no velocity between substeps; take velocity-verlet", info->name);
    KDR_CHECK(!splitting || !splitting->predicts, error, KDR_ERROR_UNSUPPORTED,
              "compose: %s would predict velocities from substeps of another length; take velocity-verlet", info->name);
    KDR_CHECK(!composition || info->order == 2, error, KDR_ERROR_UNSUPPORTED,
              "compose: %s raises the order of methods of order 2, and %s is none; take velocity-verlet, or give substeps",
              composition->name, info->name);
    return KDR_OK;
}

static kdr_status compose(const kdr_integrator_desc *desc, kdr_problem *p, kdr_error *error) {
    const kdr_composition_info *const info = kdr_composition_get(desc->compose);
    KDR_CHECK(info, error, KDR_ERROR_ARGUMENT, "compose: expected an enumerator below %d, got %d", KDR_COMPOSITION_COUNT,
              (int)desc->compose);
    KDR_CHECK(!desc->substeps || desc->compose == KDR_COMPOSE_NONE, error, KDR_ERROR_ARGUMENT,
              "compose, substeps: expected one of them, got both");
    p->substepping = kdr_substepping_none();
    p->composition = desc->substeps ? KDR_COMPOSITION_COUNT : desc->compose;
    if (p->composition == KDR_COMPOSE_NONE) {
        return KDR_OK;
    }
    kdr_substeps own = {.count = info->count};
    memcpy(own.fraction, info->fraction, (size_t)info->count * sizeof *own.fraction);
    kdr_status status = check_composes(p, desc->substeps ? NULL : info, error);
    if (status == KDR_OK && desc->substeps) {
        own = *desc->substeps;
        status = kdr_substeps_check(&own, error);
    }
    if (status == KDR_OK) {
        status = kdr_user_method_composition(p->row, &own, desc->substeps ? 0 : info->order, &p->caller, &p->substepping, error);
    }
    if (status == KDR_OK) {
        p->row = &p->caller.row;
        p->method = p->row->data.splitting ? KDR_METHOD_COUNT : p->method;
    }
    return status;
}

/* Checks that the whole field is affine, if the method is exact for affine fields only. The message names the first term that is not. */
static kdr_status check_affine(const kdr_problem *p, kdr_error *error) {
    const unsigned terms = p->row->info.affine ? p->field.terms & (KDR_TERMS_NOT_AFFINE | KDR_TERM_DRIVEN) : 0;
    KDR_CHECK(terms == 0, error, KDR_ERROR_UNSUPPORTED,
              "method: %s accepts springs, linear drag, uniform and magnetic fields, and the forces hold %s; take strang-affine",
              p->row->info.name, kdr_field_not_affine(terms));
    return KDR_OK;
}

/* Returns the first custom field whose flags, masked by `bits`, equal `are`; NULL if there is none. */
static const kdr_custom_field *custom_that(const kdr_problem *p, unsigned bits, unsigned are) {
    for (int e = 0; e < p->field.custom_entries; ++e) {
        if ((p->field.custom_entry[e].field->flags & bits) == are) {
            return p->field.custom_entry[e].field;
        }
    }
    return NULL;
}

/* Returns advice for a message. A custom field may be magnetic although it was compiled as one that depends on the velocity. */
static const char *advice_of(const kdr_problem *p, bool magnetic, const kdr_custom_field *custom) {
    const bool turns = !magnetic && custom && p->row->info.velocity_forces == KDR_VELOCITY_MAGNETIC && p->speed_of_light == 0.0;
    return turns ? "take rk4, or give what of it is v cross a magnetic field by KDR_FIELD_MAGNETIC, without KDR_FIELD_VELOCITY"
                 : kdr_velocity_advice(p, magnetic);
}

/* Checks that method, forces, walls and watches are mathematically compatible. */
static kdr_status check_combination(const kdr_problem *p, kdr_error *error) {
    const kdr_method_info *const info = &p->row->info;
    const kdr_family_info *const family = &p->row->family->info;
    const unsigned velocity = p->field.terms & KDR_TERMS_VELOCITY;
    KDR_CHECK(!p->compensated || info->compensated, error, KDR_ERROR_UNSUPPORTED,
              "compensated: %s has no increments of its own, and velocity-verlet is its summed form; take velocity-verlet", info->name);
    const char *const after = p->flushes_small                        ? "flush_small_to_zero"
                              : p->collider_count > 0                 ? "colliders"
                              : p->constraint_count > 0               ? "constraints"
                              : p->boundary.kind != KDR_BOUNDARY_NONE ? "boundary"
                              : p->watch_count > 0                    ? "watches"
                                                                      : NULL;
    KDR_CHECK(!after || family->velocities, error, KDR_ERROR_UNSUPPORTED, "%s: %s has no velocity during a run; take velocity-verlet",
              after, info->name);
    const kdr_custom_field *const without = family->jacobian ? custom_that(p, KDR_CUSTOM_FIELD_JACOBIAN, 0) : NULL;
    KDR_CHECK(!without, error, KDR_ERROR_UNSUPPORTED,
              "method: %s needs the derivatives of every force, and %s does not say its own (KDR_FIELD_JACOBIAN); take rk4", info->name,
              without->name);
    if (info->velocity_forces == KDR_VELOCITY_ANY || velocity == 0 ||
        (info->velocity_forces == KDR_VELOCITY_MAGNETIC && (velocity & ~(unsigned)KDR_TERMS_MAGNETIC) == 0)) {
        return check_affine(p, error);
    }
    const bool magnetic = (velocity & ~(unsigned)KDR_TERMS_MAGNETIC) == 0;
    const kdr_custom_field *const custom = custom_that(p, KDR_CUSTOM_FIELD_VELOCITY, KDR_CUSTOM_FIELD_VELOCITY);
    return kdr_fail(error, KDR_ERROR_UNSUPPORTED, "method: %s accepts %s, and the forces hold %s%s; %s", info->name,
                    info->velocity_forces == KDR_VELOCITY_NONE ? "no force that depends on the velocity" : "magnetic fields and no drag",
                    magnetic ? "a magnetic field"
                    : custom ? "a field that depends on the velocity, "
                             : "drag",
                    !magnetic && custom ? custom->name : "", advice_of(p, magnetic, custom));
}

static kdr_status make_parts(const kdr_integrator_desc *desc, kdr_problem *p, kdr_error *error) {
    if (kdr_problem_sums(p)) {
        const kdr_custom_field *const timed = custom_that(p, KDR_CUSTOM_FIELD_TIME, KDR_CUSTOM_FIELD_TIME);
        KDR_CHECK(!timed, error, KDR_ERROR_UNSUPPORTED,
                  "method: %s accepts no custom field that depends on the time, as %s does; take strang-affine", p->row->info.name,
                  timed->name);
        return kdr_contributions_make(desc->forces, desc->force_count, false, &p->field, &p->contributions, error);
    }
    for (size_t i = 0; i < desc->force_count; ++i) {
        KDR_CHECK(desc->forces[i].contribution == KDR_CONTRIBUTION_DEFAULT, error, KDR_ERROR_UNSUPPORTED,
                  "forces[%zu].contribution: %s does not add up contributions, expected none, got %s; take kinematic", i, p->row->info.name,
                  kdr_contribution_name(desc->forces[i].contribution));
    }
    return KDR_OK;
}

static kdr_status check_langevin(const kdr_problem *p, kdr_error *error) {
    const double friction = p->langevin.friction, temperature = p->langevin.temperature;
    const double largest = p->real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
    KDR_CHECK(isfinite(friction), error, KDR_ERROR_NOT_FINITE, "langevin.friction: expected a finite number, got %g", friction);
    KDR_CHECK(isfinite(temperature) && temperature <= largest, error, KDR_ERROR_NOT_FINITE,
              "langevin.temperature: expected a finite number within %s, got %g", kdr_real_name(p->real), temperature);
    KDR_CHECK(friction >= 0.0, error, KDR_ERROR_ARGUMENT, "langevin.friction: expected at least 0, got %g", friction);
    KDR_CHECK(temperature >= 0.0, error, KDR_ERROR_ARGUMENT, "langevin.temperature: expected at least 0, got %g", temperature);
    KDR_CHECK(p->row->family->info.heat_bath || (friction == 0.0 && temperature == 0.0), error, KDR_ERROR_UNSUPPORTED,
              "langevin: %s has no heat bath, expected friction and temperature to be 0, got %g and %g; take baoab", p->row->info.name,
              friction, temperature);
    return KDR_OK;
}

/* Checks colliders, constraints, the boundary and the watches. */
static kdr_status check_surroundings(const kdr_integrator_desc *desc, kdr_error *error) {
    kdr_status status = kdr_colliders_check(desc->colliders, desc->collider_count, desc->real, error);
    if (status == KDR_OK) {
        status = kdr_constraints_check(desc->constraints, desc->constraint_count, desc->real, error);
    }
    if (status == KDR_OK) {
        status = kdr_boundary_check(&desc->boundary, desc->real, error);
    }
    return status == KDR_OK ? kdr_watches_check(desc->watches, desc->watch_count, error) : status;
}

bool kdr_problem_walls_move(const kdr_problem *p) {
    for (size_t i = 0; i < p->collider_count; ++i) {
        const double *const v = p->colliders[i].velocity;
        if (v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0) {
            return true;
        }
    }
    return false;
}

/* Checks the speed of light: 1 / c^2 must be a normal number in the particles' precision. Colliders and constraints are refused, because
 * they change velocities. */
static kdr_status check_light(const kdr_problem *p, kdr_error *error) {
    const double c = p->speed_of_light, least = p->real == KDR_F32 ? 0x1p-62 : 0x1p-510;
    KDR_CHECK(c == 0.0 || (c >= least && c <= 1.0 / least), error, isfinite(c) ? KDR_ERROR_ARGUMENT : KDR_ERROR_NOT_FINITE,
              "speed_of_light: expected 0 for none, or a number from %g to %g, got %g", least, 1.0 / least, c);
    KDR_CHECK(c == 0.0 || p->row->data.magnetic, error, KDR_ERROR_UNSUPPORTED,
              "speed_of_light: %s knows velocities alone, expected 0, got %g; take boris, vay or higuera-cary", p->row->info.name, c);
    KDR_CHECK(
        c == 0.0 || (p->collider_count == 0 && p->constraint_count == 0), error, KDR_ERROR_UNSUPPORTED,
        "speed_of_light: colliders and constraints change velocities, and v is momentum over mass; leave them out, or take a boundary");
    return KDR_OK;
}

/* Checks that the method supports everything in the problem. */
static kdr_status check_method(const kdr_problem *p, kdr_error *error) {
    kdr_status status = check_combination(p, error);
    KDR_CHECK(status != KDR_OK || p->constraint_count == 0 || !kdr_problem_walls_move(p), error, KDR_ERROR_UNSUPPORTED,
              "colliders: with constraints expected surfaces that stand, got a velocity that is not 0; move them between runs by "
              "kdr_integrator_set_colliders");
    if (status == KDR_OK) {
        status = check_langevin(p, error);
    }
    return status == KDR_OK ? check_light(p, error) : status;
}

kdr_status kdr_problem_make(const kdr_integrator_desc *desc, kdr_problem *problem, kdr_error *error) {
    memset(problem, 0, sizeof *problem);
    kdr_status status = find_row(desc, problem, error);
    if (status == KDR_OK) {
        status = compose(desc, problem, error);
    }
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK((unsigned)desc->real < KDR_REAL_COUNT, error, KDR_ERROR_ARGUMENT, "real: expected KDR_F32 or KDR_F64, got %d",
              (int)desc->real);
    KDR_CHECK((unsigned)desc->arithmetic < KDR_ARITHMETIC_COUNT, error, KDR_ERROR_ARGUMENT,
              "arithmetic: expected KDR_FUSED or KDR_UNFUSED, got %d", (int)desc->arithmetic);
    KDR_CHECK(isfinite(desc->dt), error, KDR_ERROR_ARGUMENT, "dt: expected 0 or a finite step, got %g", desc->dt);
    problem->real = desc->real;
    problem->arithmetic = desc->arithmetic;
    problem->compensated = desc->compensated;
    problem->flushes_small = desc->flush_small_to_zero;
    problem->langevin = desc->langevin;
    problem->speed_of_light = desc->speed_of_light;
    problem->colliders = desc->colliders;
    problem->collider_count = desc->collider_count;
    problem->constraints = desc->constraints;
    problem->constraint_count = desc->constraint_count;
    problem->boundary = desc->boundary;
    problem->watches = desc->watches;
    problem->watch_count = desc->watch_count;
    status = check_surroundings(desc, error);
    if (status == KDR_OK) {
        status = kdr_field_fold(desc->forces, desc->force_count, desc->real, &problem->field, error);
    }
    if (status == KDR_OK) {
        status = check_method(problem, error);
    }
    if (status == KDR_OK) {
        status = make_parts(desc, problem, error);
    }
    if (status == KDR_OK) {
        problem->digest = kdr_problem_digest(problem);
    }
    return status;
}

static kdr_status check_clock(kdr_real real, const kdr_clock *clock, uint64_t steps, kdr_error *error) {
    const double largest = real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
    const double smallest = real == KDR_F32 ? (double)FLT_MIN : DBL_MIN;
    const uint64_t most = UINT64_C(1) << 53;
    KDR_CHECK(isfinite(clock->t0), error, KDR_ERROR_NOT_FINITE, "clock.t0: expected a finite time, got %g", clock->t0);
    KDR_CHECK(isfinite(clock->dt), error, KDR_ERROR_NOT_FINITE, "clock.dt: expected a finite time step, got %g", clock->dt);
    KDR_CHECK(fabs(clock->dt) >= smallest && fabs(clock->dt) <= largest, error, KDR_ERROR_ARGUMENT,
              "clock.dt: expected a time step from %g to %g in size, not 0, got %g", smallest, largest, clock->dt);
    KDR_CHECK(clock->step <= most && steps <= most - clock->step, error, KDR_ERROR_OVERFLOW,
              "steps: expected clock.step + steps to be at most 2^53, got %llu + %llu", (unsigned long long)clock->step,
              (unsigned long long)steps);
    const double end = kdr_time_of(clock, clock->step + steps, 0.0);
    KDR_CHECK(isfinite(end), error, KDR_ERROR_NOT_FINITE, "clock: expected t0 + (step + steps) dt to be finite, got %g", end);
    return KDR_OK;
}

/* Checks the shortest step and the number of steps of the particles of the highest level. */
static kdr_status check_level(kdr_real real, const kdr_clock *clock, uint64_t steps, int level, kdr_error *error) {
    const double smallest = real == KDR_F32 ? (double)FLT_MIN : DBL_MIN;
    const uint64_t most = (UINT64_C(1) << 53) >> level;
    const kdr_clock own = kdr_problem_clock(clock, level);
    KDR_CHECK(fabs(own.dt) >= smallest, error, KDR_ERROR_ARGUMENT,
              "clock.dt: expected at least %g in size at the particles' highest level, %d, got %g", smallest, level, own.dt);
    KDR_CHECK(clock->step + steps <= most, error, KDR_ERROR_OVERFLOW,
              "steps: expected (clock.step + steps) 2^%d, the particles' highest level, to be at most 2^53, got %llu + %llu", level,
              (unsigned long long)clock->step, (unsigned long long)steps);
    return KDR_OK;
}

kdr_status kdr_problem_check_run(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                 kdr_error *error) {
    KDR_CHECK(particles, error, KDR_ERROR_NULL, "particles: expected a pointer, got NULL");
    KDR_CHECK(clock, error, KDR_ERROR_NULL, "clock: expected a pointer, got NULL");
    kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(particles->real == problem->real, error, KDR_ERROR_MISMATCH, "particles.real: expected %s, as the integrator has it, got %s",
              kdr_real_name(problem->real), kdr_real_name(particles->real));
    status = check_clock(problem->real, clock, steps, error);
    if (status == KDR_OK) {
        status = check_level(problem->real, clock, steps, kdr_highest_level(particles), error);
    }
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(clock->dt > 0.0 || problem->row->family->info.runs_back, error, KDR_ERROR_UNSUPPORTED,
              "clock.dt: %s expected a positive time step (a heat bath does not run back), got %g; take velocity-verlet",
              problem->row->info.name, clock->dt);
    KDR_CHECK(clock->dt > 0.0 || problem->collider_count == 0, error, KDR_ERROR_UNSUPPORTED,
              "clock.dt: colliders expected a positive time step (a bounce does not run back), got %g; leave them out", clock->dt);
    KDR_CHECK(!particles->error || problem->row->info.order_estimate > 0, error, KDR_ERROR_UNSUPPORTED,
              "particles.error: %s has no weights of a second order that would estimate its error, expected NULL; take dopri-5",
              problem->row->info.name);
    status = problem->row->family->info.heat_bath ? kdr_particles_check_ids(particles, error) : KDR_OK;
    status = status == KDR_OK ? kdr_problem_check_radii(problem, particles, error) : status;
    return status == KDR_OK ? kdr_field_check_particles(&problem->field, particles->count, particles->dims, error) : status;
}

kdr_status kdr_problem_check_stops(const kdr_problem *problem, const kdr_particles *particles, bool system, kdr_error *error) {
    const bool remembers = problem->row->info.memory || problem->compensated;
    KDR_CHECK(particles->events || !kdr_watches_stop(problem->watches, problem->watch_count), error, KDR_ERROR_NULL,
              "particles.events: a watch stops particles or the run, expected a list, which may have a capacity of 0, got NULL");
    if (kdr_problem_does(problem, particles, KDR_ACTION_STOP_PARTICLE)) {
        KDR_CHECK(particles->events->active && particles->events->active == particles->active, error, KDR_ERROR_NULL,
                  "particles.events.active: a watch stops particles, and marks them: expected particles.active, got %s",
                  particles->events->active ? "another array" : "NULL");
        KDR_CHECK(!particles->contacts, error, KDR_ERROR_UNSUPPORTED,
                  "particles.contacts: a watch stops particles within steps whose contacts are written down, expected NULL; count them by "
                  "particles.bounces");
        KDR_CHECK(
            !system || !particles->level, error, KDR_ERROR_UNSUPPORTED,
            "particles.level: in system runs levels and a watch that stops particles expected each other to be left out; have it stop "
            "the run");
    }
    KDR_CHECK(system || !remembers || kdr_problem_carries(problem, particles) || !kdr_problem_does(problem, particles, KDR_ACTION_STOP_RUN),
              error, KDR_ERROR_NULL,
              "particles.%s: a watch may stop the run, which goes step by step: expected arrays for what it remembers",
              problem->row->info.memory && !particles->memory[0] ? "memory" : "compensation");
    return KDR_OK;
}

kdr_bath kdr_problem_bath(const kdr_problem *problem, double dt) {
    if (!problem->row->family->info.heat_bath) {
        return (kdr_bath){0};
    }
    const double friction = problem->langevin.friction * dt;
    return (kdr_bath){.decay = kdr_expm1(-friction),
                      .noise = sqrt(problem->langevin.temperature * -kdr_expm1(-2.0 * friction)),
                      .seed = problem->langevin.seed};
}

/* Returns whether the map has a constant part on an axis that the particles have. */
static bool has_offset(const kdr_field *field, int dims) {
    bool any = (field->terms & (KDR_TERM_SPRINGS | KDR_TERM_DRAGS)) != 0;
    for (int i = 0; i < dims; ++i) {
        any |= field->f[i] != 0.0 || field->g[i] != 0.0;
    }
    return any;
}

static unsigned terms_of_method(const kdr_problem *problem, const kdr_particles *particles) {
    if (!problem->row->data.kinematic) {
        return 0;
    }
    return (unsigned)KDR_TERM_NO_AFFINE | (has_offset(&problem->field, particles->dims) ? (unsigned)KDR_TERM_OFFSET : 0U);
}

void kdr_problem_map(const kdr_problem *problem, const kdr_particles *particles, double dt, kdr_affine_map *map) {
    if (!problem->row->data.kinematic) {
        return;
    }
    const unsigned terms = kdr_problem_terms(problem, particles);
    if (kdr_affine_differs(terms)) {
        return;
    }
    const double h = dt * problem->row->data.kinematic->span;
    const kdr_contributions *const contributions = kdr_problem_sums(problem) ? &problem->contributions : NULL;
    if (kdr_affine_couples(terms, particles->dims)) {
        kdr_map_axes(contributions, &problem->field, terms, NULL, particles->dims, h, map);
        return;
    }
    for (int i = 0; i < particles->dims; ++i) {
        kdr_map_axis(contributions, &problem->field, terms, NULL, i, h, map);
    }
}

bool kdr_problem_evaluates(const kdr_problem *problem) {
    const unsigned drives = kdr_problem_sums(problem) ? 0U : (unsigned)KDR_TERM_DRIVEN; /* the method has their integrals */
    return !problem->row->data.kinematic || (problem->field.terms & (KDR_TERMS_NOT_AFFINE | drives));
}

bool kdr_problem_kicks_twice(const kdr_problem *problem) {
    const kdr_kinematic_row *const row = problem->row->data.kinematic;
    return row && row->kicks && (problem->of_velocity || (problem->field.terms & KDR_TERMS_NOT_AFFINE_IN_V));
}

int kdr_problem_times(const kdr_problem *problem, double fraction[KDR_MAX_FRACTIONS]) {
    double of_row[KDR_MAX_FRACTIONS];
    int count = problem->row->family->times(problem->row, of_row);
    if (problem->is_system && kdr_problem_kicks_twice(problem)) {
        of_row[count++] = of_row[0];
    }
    for (int s = 0; s < problem->substepping.count; ++s) {
        for (int i = 0; i < count; ++i) {
            *fraction++ = kdr_substep_time(&problem->substepping, s, of_row[i]);
        }
    }
    return problem->substepping.count * count;
}

void kdr_problem_drive(const kdr_problem *problem, const kdr_clock *clock, uint64_t n, double moved[6]) {
    kdr_contributions_drive(&problem->contributions, &problem->field, kdr_time_of(clock, n, 0.0), kdr_time_of(clock, n, 0.5), clock->dt,
                            moved);
}

unsigned kdr_problem_terms(const kdr_problem *problem, const kdr_particles *particles) {
    static const unsigned borders[KDR_BOUNDARY_KIND_COUNT] = {
        [KDR_BOUNDARY_PERIODIC] = KDR_TERM_PERIODIC, [KDR_BOUNDARY_ABSORBING] = KDR_TERM_ABSORBING};
    const unsigned held = kdr_problem_holds_drifts(problem) ? KDR_TERM_HELD : KDR_TERM_HELD_AFTER;
    const unsigned met = kdr_problem_reflects(problem) ? KDR_TERM_REFLECTING : KDR_TERM_COLLIDERS;
    return terms_of_method(problem, particles) | problem->field.terms | borders[problem->boundary.kind] |
           (problem->speed_of_light != 0.0 ? (unsigned)KDR_TERM_RELATIVISTIC : 0U) |
           (particles->inverse_mass ? (unsigned)KDR_TERM_MASS : 0U) | (problem->compensated ? (unsigned)KDR_TERM_COMPENSATED : 0U) |
           (problem->collider_count > 0 ? met : 0U) | (problem->constraint_count > 0 ? held : 0U);
}

bool kdr_problem_carries(const kdr_problem *problem, const kdr_particles *particles) {
    const bool memory = problem->row->info.memory;
    return (memory || problem->compensated) && (!memory || particles->memory[0]) && (!problem->compensated || particles->compensation[0]);
}

uint64_t kdr_problem_memory_key(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock) {
    if (!kdr_problem_carries(problem, particles)) {
        return 0;
    }
    const uint64_t all = problem->is_of_all ? particles->count * UINT64_C(0x9E3779B97F4A7C15) : 0;
    const struct { /* has only members of 8 bytes, so no padding */
        uint64_t digest;
        double time, dt;
    } name = {problem->digest ^ all, kdr_time_of(clock, clock->step, 0.0), kdr_problem_remembers_step(problem) ? clock->dt : 0.0};
    return XXH3_64bits(&name, sizeof name) | 1U;
}

bool kdr_problem_resumes(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock) {
    return kdr_problem_carries(problem, particles) && particles->memory_key == kdr_problem_memory_key(problem, particles, clock);
}

/* Returns the evaluations per step. In each substep an implicit method solves an affine field with two. A kinematic method evaluates
 * only what is not affine, twice for the midpoint rule. */
static uint64_t evaluations_a_step(const kdr_problem *problem) {
    const uint64_t substeps = (uint64_t)problem->substepping.count;
    if (problem->row->data.kinematic) {
        return problem->is_system || kdr_problem_evaluates(problem) ? substeps * (kdr_problem_kicks_twice(problem) ? 2 : 1) : 0;
    }
    const bool affine = problem->row->data.implicit && !(problem->field.terms & KDR_TERMS_NOT_AFFINE);
    return affine ? 2 * substeps : (uint64_t)problem->row->info.evaluations;
}

uint64_t kdr_problem_evaluations(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps) {
    const kdr_method_info *const info = &problem->row->info;
    const bool keeps = problem->row->family->info.velocities && info->memory; /* compensations alone do not contain an acceleration */
    const bool starts = !keeps || !kdr_problem_resumes(problem, particles, clock);
    return steps == 0 ? 0 : steps * evaluations_a_step(problem) + (starts ? (uint64_t)info->start_evaluations : 0);
}
