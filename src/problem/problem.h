/* A problem: a description that was checked and whose forces were folded. The reference and the integrator both start from it. */
#ifndef KDR_PROBLEM_PROBLEM_H
#define KDR_PROBLEM_PROBLEM_H

#include <kickdrift/integrator.h>

#include <math.h>

#include "../force/collider.h"
#include "../force/field.h"
#include "../force/watch.h"
#include "../method/contributions.h"
#include "caller.h"

typedef struct kdr_problem {
    kdr_method method; /* KDR_METHOD_COUNT: a row of the caller's own */
    const kdr_row *row;
    kdr_composition composition; /* KDR_COMPOSITION_COUNT: the caller's own substeps */
    kdr_substepping substepping;
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_field field;
    bool compensated;
    kdr_langevin langevin;
    kdr_contributions contributions; /* of the method kinematic */
    const kdr_collider *colliders;   /* the description's, or who copied them has put the copy here */
    size_t collider_count;
    const kdr_constraint *constraints; /* the description's, or a copy's, too */
    size_t constraint_count;
    kdr_boundary boundary;
    const kdr_watch *watches; /* the description's, or a copy's, too */
    size_t watch_count;
    bool rests;            /* what is next to nothing becomes 0 */
    uint64_t digest;       /* of method, precision, arithmetic and field: names what a memory array belongs to */
    kdr_caller_row caller; /* what `row` points to when the caller gave one, or the method is composed */
    bool is_coupled;       /* of a coupled run, */
    bool of_velocity;      /* in which what acts between particles, or the caller's function, depends on v */
    bool is_of_all;        /* what a particle remembers is of the others too: coupled forces or distances */
    bool holds;            /* a coupled run keeps distances, behind each drift */
    bool is_magnetic;      /* a coupled run has a magnetic field by a function of the caller's */
    double speed_of_light; /* 0: none */
} kdr_problem;

/* The acceleration that ends a step begins the next. */
static inline bool kdr_problem_keeps(const kdr_problem *problem) {
    return problem->row->family->info.velocities && problem->row->info.start_evaluations > 0;
}

/* Whether drift i of a splitting row is two, one after the other: where two substeps meet, and distances or constraints hold each drift. */
static inline bool kdr_problem_joins(const kdr_problem *problem, int i) {
    return (problem->holds || problem->constraint_count > 0) && problem->row == &problem->caller.row && problem->caller.joint[0][i] != 0.0;
}

/* In place: a problem may point into itself, do not copy it. */
kdr_status kdr_problem_make(const kdr_integrator_desc *desc, kdr_problem *problem, kdr_error *error);

/* Whether some surface moves. */
bool kdr_problem_walls_move(const kdr_problem *problem);

/* Names what a memory array belongs to: method, precision, arithmetic, field and walls. */
uint64_t kdr_problem_digest(const kdr_problem *problem);

/* What differs between a problem and the one whose place it takes. */
enum kdr_change { KDR_CHANGES_FORCES, KDR_CHANGES_COLLIDERS };

/* A problem takes another's place. With other forces nothing goes on from what particles remember of that one, whatever differs. With
 * other colliders all goes on: what particles remember are accelerations, which do not depend on surfaces. */
void kdr_problem_succeed(kdr_problem *problem, const kdr_problem *before, enum kdr_change change);

/* Checks what a run is given: the particles, the clock, the step count, the arrays a particle of the field. */
kdr_status kdr_problem_check_run(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                 kdr_error *error);

/* Radii of particles that meet colliders: from 0 on, and small enough for those with `inside`. */
kdr_status kdr_problem_check_radii(const kdr_problem *problem, const kdr_particles *particles, kdr_error *error);
double kdr_largest_radius(const kdr_particles *particles);

/* What a run is given that a watch may stop, or its particles: marks to write in; and of a field run what it remembers. */
kdr_status kdr_problem_check_stops(const kdr_problem *problem, const kdr_particles *particles, bool coupled, kdr_error *error);

/* The run is watched, and a watch may do this. */
static inline bool kdr_problem_does(const kdr_problem *problem, const kdr_particles *particles, kdr_action action) {
    return particles->events && kdr_watches_do(problem->watches, problem->watch_count, action);
}

/* What is taken in place of a method whose forces may not depend on the velocity, or by a magnetic field alone: boris has no heat bath, and
 * rk4 neither that nor a speed of light. */
static inline const char *kdr_velocity_advice(const kdr_problem *problem, bool magnetic) {
    if (problem->langevin.friction != 0.0 || problem->langevin.temperature != 0.0) {
        return magnetic ? "leave out langevin and take boris"
                        : "leave damping to the heat bath (langevin.friction), or leave out langevin and take rk4";
    }
    return magnetic ? "take boris" : problem->speed_of_light != 0.0 ? "leave out speed_of_light and take rk4" : "take rk4";
}

/* kdr_clock_time, for whoever rounds to the nearest already: each look at the mode waits for a store, and a call of one feels it. */
static inline double kdr_time_of(const kdr_clock *clock, uint64_t step, double fraction) {
    return clock->t0 + ((double)step + fraction) * clock->dt;
}

/* The clock of the particles of a level: 2^level steps of dt / 2^level for each of its own. The division is exact. */
static inline kdr_clock kdr_problem_clock(const kdr_clock *clock, int level) {
    return (kdr_clock){clock->t0, clock->dt / (double)(UINT64_C(1) << level), clock->step << level};
}

/* The heat bath of a step dt > 0. The exponentials are the library's own (particles/functions.h). */
kdr_bath kdr_problem_bath(const kdr_problem *problem, double dt);

/* The map of the kinematic family for a step or substep dt, where it is the same for all particles: fills in nothing where it differs. */
void kdr_problem_map(const kdr_problem *problem, const kdr_particles *particles, double dt, kdr_affine_map *map);

/* There is something of the field to be evaluated: not where all of it is in the map of the kinematic family. */
bool kdr_problem_evaluates(const kdr_problem *problem);

/* A kick between two maps is by the midpoint rule: what it evaluates depends on v. */
bool kdr_problem_kicks_twice(const kdr_problem *problem);

/* When in a step, as fractions of it, the kernels evaluate the acceleration, as kdr_family_row has it: in all substeps. In coupled runs
 * both evaluations of the midpoint rule count. */
int kdr_problem_times(const kdr_problem *problem, double fraction[KDR_MAX_FRACTIONS]);

/* What the driven fields add to x and v in step n of the method kinematic: dx, then dv. */
void kdr_problem_drive(const kdr_problem *problem, const kdr_clock *clock, uint64_t n, double moved[6]);

/* The method adds up contributions: problem->contributions is what it goes by. */
static inline bool kdr_problem_sums(const kdr_problem *problem) {
    return problem->row->data.kinematic && problem->row->data.kinematic->sums;
}

/* Constraints hold a particle in each drift of a step, where the method is made of kicks and drifts; else at the end of the step. */
static inline bool kdr_problem_holds_drifts(const kdr_problem *problem) {
    return problem->row->data.splitting || problem->row->data.magnetic || problem->row->family->info.heat_bath;
}

/* Colliders reflect a particle in each drift of a step, before the heat bath and before the last evaluation; else they end the step. */
static inline bool kdr_problem_reflects(const kdr_problem *problem) {
    return problem->collider_count > 0 && problem->row->family->info.heat_bath;
}

/* The terms of the field for these particles: the field's own and those of the particles, the integrator and the method. */
unsigned kdr_problem_terms(const kdr_problem *problem, const kdr_particles *particles);

/* Evaluations of the acceleration that a run makes for each particle: those of the method's row, but two a step for an implicit method in
 * an affine field. */
uint64_t kdr_problem_evaluations(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps);

/* The method itself takes the part of a step between two surfaces, where forces vary or constraints hold. Elsewhere the path is a parabola:
 * by constant forces, and in drifts that colliders reflect. */
static inline bool kdr_problem_flies(const kdr_problem *problem) {
    return problem->collider_count > 0 && !kdr_problem_reflects(problem) &&
           (problem->constraint_count > 0 || (problem->field.terms & KDR_TERMS_VARYING) != 0);
}

/* What the method remembers is about the length of its step too. */
static inline bool kdr_problem_remembers_step(const kdr_problem *problem) {
    const kdr_splitting_row *const splitting = problem->row->data.splitting;
    return problem->row->info.memory && !problem->row->family->info.heat_bath && (!splitting || splitting->predicts);
}

/* The key of what the particles carry for this problem at this step of this clock; 0 when they carry nothing. */
uint64_t kdr_problem_memory_key(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock);

/* The particles have the arrays for all that a run would leave for the next, and there is something to leave. */
bool kdr_problem_carries(const kdr_problem *problem, const kdr_particles *particles);

/* The particles have those arrays, and they hold what this run goes on from. */
bool kdr_problem_resumes(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock);

/* The power of two in the speed of light: in it momenta are squared, which neither overflows nor loses digits that count. */
static inline double kdr_problem_light_unit(const kdr_problem *problem) {
    int exponent;
    (void)frexp(problem->speed_of_light, &exponent);
    return ldexp(1.0, exponent - 1);
}

#endif
