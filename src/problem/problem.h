/* A problem: a description that was checked, with its forces folded. The reference and the integrator both start from it. */
#ifndef KDR_PROBLEM_PROBLEM_H
#define KDR_PROBLEM_PROBLEM_H

#include <kickdrift/integrator.h>

#include <math.h>

#include "../force/collider.h"
#include "../force/field.h"
#include "../force/watch.h"
#include "../method/contributions.h"
#include "user_method.h"

typedef struct kdr_problem {
    kdr_method method; /* KDR_METHOD_COUNT for a user-defined row */
    const kdr_row *row;
    kdr_composition composition; /* KDR_COMPOSITION_COUNT for user-defined substeps */
    kdr_substepping substepping;
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_field field;
    bool compensated;
    kdr_langevin langevin;
    kdr_contributions contributions; /* for the method kinematic */
    const kdr_collider *colliders;   /* points to the description's array, or to a copy */
    size_t collider_count;
    const kdr_constraint *constraints; /* points to the description's array, or to a copy */
    size_t constraint_count;
    kdr_boundary boundary;
    const kdr_watch *watches; /* points to the description's array, or to a copy */
    size_t watch_count;
    bool flushes_small; /* tiny values become 0 every KDR_FLUSH_STEPS steps */
    uint64_t digest;    /* hash of method, precision, arithmetic and field, which identifies the run that a memory array belongs to */
    kdr_user_method_row caller; /* storage for `row`, if it is user-defined or composed */
    bool is_system;             /* the problem is that of a system run */
    bool of_velocity;           /* in a system run, interactions or the user's function depend on v */
    bool is_of_all;             /* a particle's memory also depends on the other particles, through interactions or distances */
    bool holds;                 /* a system run enforces distances after each drift */
    bool is_magnetic;           /* a system run has a magnetic field, from a user's function */
    double speed_of_light;      /* 0 means none */
} kdr_problem;

/* Returns whether the acceleration that ends a step begins the next one. */
static inline bool kdr_problem_keeps(const kdr_problem *problem) {
    return problem->row->family->info.velocities && problem->row->info.start_evaluations > 0;
}

/* Returns whether drift i of a splitting row must be made in two parts: it joins two substeps, and distances or constraints act on each
 * drift. */
static inline bool kdr_problem_joins(const kdr_problem *problem, int i) {
    return (problem->holds || problem->constraint_count > 0) && problem->row == &problem->caller.row && problem->caller.joint[0][i] != 0.0;
}

/* Makes a problem from a description. A problem must not be copied, because it may point into itself. */
kdr_status kdr_problem_make(const kdr_integrator_desc *desc, kdr_problem *problem, kdr_error *error);

/* Returns whether any collider moves. */
bool kdr_problem_walls_move(const kdr_problem *problem);

/* Returns the hash that identifies the run that a memory array belongs to: method, precision, arithmetic, field and walls. */
uint64_t kdr_problem_digest(const kdr_problem *problem);

/* The parts that may differ between a problem and its successor. */
enum kdr_change { KDR_CHANGES_FORCES, KDR_CHANGES_COLLIDERS };

/* Has a problem succeed another one. With other forces no memory may be resumed, even if the digests are equal. With other colliders all
 * memory may: it holds accelerations, which do not depend on surfaces. */
void kdr_problem_succeed(kdr_problem *problem, const kdr_problem *before, enum kdr_change change);

/* Checks the arguments of a run: the particles, the clock, the number of steps, the per-particle arrays of the field. */
kdr_status kdr_problem_check_run(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                 kdr_error *error);

/* Checks the radii of particles that meet colliders: they are not negative, and fit into colliders with `inside`. */
kdr_status kdr_problem_check_radii(const kdr_problem *problem, const kdr_particles *particles, kdr_error *error);
double kdr_largest_radius(const kdr_particles *particles);

/* Checks the arguments of a run in which a watch may stop particles or the run: writable marks, and arrays for the memory of a field
 * run. */
kdr_status kdr_problem_check_stops(const kdr_problem *problem, const kdr_particles *particles, bool system, kdr_error *error);

/* Returns whether the run is watched by some watch that may take this action. */
static inline bool kdr_problem_does(const kdr_problem *problem, const kdr_particles *particles, kdr_action action) {
    return particles->events && kdr_watches_do(problem->watches, problem->watch_count, action);
}

/* Returns advice for a message about a force that depends on the velocity, or is magnetic, and a method that does not allow it. boris
 * has no heat bath; rk4 has neither a heat bath nor a speed of light. */
static inline const char *kdr_velocity_advice(const kdr_problem *problem, bool magnetic) {
    if (problem->langevin.friction != 0.0 || problem->langevin.temperature != 0.0) {
        return magnetic ? "leave out langevin and take boris"
                        : "leave damping to the heat bath (langevin.friction), or leave out langevin and take rk4";
    }
    return magnetic ? "take boris" : problem->speed_of_light != 0.0 ? "leave out speed_of_light and take rk4" : "take rk4";
}

/* Returns kdr_clock_time, for callers that already round to nearest. Checking the rounding mode costs as much as a store. */
static inline double kdr_time_of(const kdr_clock *clock, uint64_t step, double fraction) {
    return clock->t0 + ((double)step + fraction) * clock->dt;
}

/* Returns the clock of the particles of a level, with 2^level steps of dt / 2^level. The division is exact. */
static inline kdr_clock kdr_problem_clock(const kdr_clock *clock, int level) {
    return (kdr_clock){clock->t0, clock->dt / (double)(UINT64_C(1) << level), clock->step << level};
}

/* Returns the constants of the heat bath for a step dt > 0. They use the library's exponentials (particles/functions.h). */
kdr_bath kdr_problem_bath(const kdr_problem *problem, double dt);

/* Computes the map of the kinematic family for a step or substep dt, if all particles share it. Otherwise *map stays as it is. */
void kdr_problem_map(const kdr_problem *problem, const kdr_particles *particles, double dt, kdr_affine_map *map);

/* Returns whether any of the field must be evaluated; a kinematic map may contain all of it. */
bool kdr_problem_evaluates(const kdr_problem *problem);

/* Returns whether the kick between two maps uses the midpoint rule, because the evaluation depends on v. */
bool kdr_problem_kicks_twice(const kdr_problem *problem);

/* Writes the times, as fractions of a step, at which the acceleration is evaluated in all substeps, and returns their number. In system
 * runs both evaluations of the midpoint rule count. */
int kdr_problem_times(const kdr_problem *problem, double fraction[KDR_MAX_FRACTIONS]);

/* Computes what driven fields add to x and v in step n of the method kinematic: dx, then dv. */
void kdr_problem_drive(const kdr_problem *problem, const kdr_clock *clock, uint64_t n, double moved[6]);

/* Returns whether the method adds up contributions, those in problem->contributions. */
static inline bool kdr_problem_sums(const kdr_problem *problem) {
    return problem->row->data.kinematic && problem->row->data.kinematic->sums;
}

/* Returns whether constraints hold a particle in each drift. That is so for methods made of kicks and drifts; other methods enforce them
 * at the end of the step. */
static inline bool kdr_problem_holds_drifts(const kdr_problem *problem) {
    return problem->row->data.splitting || problem->row->data.magnetic || problem->row->family->info.heat_bath;
}

/* Returns whether colliders reflect a particle in each drift, before the heat bath and before the last evaluation. Otherwise they act at
 * the end of the step. */
static inline bool kdr_problem_reflects(const kdr_problem *problem) {
    return problem->collider_count > 0 && problem->row->family->info.heat_bath;
}

/* Returns all terms for these particles: those of the field, the particles, the integrator and the method. */
unsigned kdr_problem_terms(const kdr_problem *problem, const kdr_particles *particles);

/* Returns how often a run evaluates each particle's acceleration: as the method's row says, but twice per step for an implicit method in
 * an affine field. */
uint64_t kdr_problem_evaluations(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps);

/* Returns whether the method itself moves a particle between two surfaces, because forces vary or constraints hold. Otherwise the path
 * is a parabola: in constant forces, and in drifts that colliders reflect. */
static inline bool kdr_problem_flies(const kdr_problem *problem) {
    return problem->collider_count > 0 && !kdr_problem_reflects(problem) &&
           (problem->constraint_count > 0 || (problem->field.terms & KDR_TERMS_VARYING) != 0);
}

/* Returns whether the memory depends on the length of the step. */
static inline bool kdr_problem_remembers_step(const kdr_problem *problem) {
    const kdr_splitting_row *const splitting = problem->row->data.splitting;
    return problem->row->info.memory && !problem->row->family->info.heat_bath && (!splitting || splitting->predicts);
}

/* Returns the key of the particles' memory for this problem at this step of the clock; 0 if they have none. */
uint64_t kdr_problem_memory_key(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock);

/* Returns whether the run leaves memory or compensations, and the particles have arrays for all of it. */
bool kdr_problem_carries(const kdr_problem *problem, const kdr_particles *particles);

/* Returns whether the particles' memory belongs to this problem at this time, so that the run resumes from it. */
bool kdr_problem_resumes(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock);

/* Returns the power of two in the speed of light. Momenta are squared in this unit, without overflow and without losing digits that
 * matter. */
static inline double kdr_problem_light_unit(const kdr_problem *problem) {
    int exponent;
    (void)frexp(problem->speed_of_light, &exponent);
    return ldexp(1.0, exponent - 1);
}

#endif
