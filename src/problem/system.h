/* A system run's description, checked and folded into a problem. The reference and system/ both start from it. */
#ifndef KDR_PROBLEM_SYSTEM_H
#define KDR_PROBLEM_SYSTEM_H

#include <kickdrift/system.h>

#include "problem.h"

/* A summary of the interactions and distances of a description, which a problem needs. */
typedef struct kdr_system_lists {
    uint64_t digest; /* 0 if there are none */
    bool damped;     /* some spring is damped */
    bool holds;      /* there are distances */
} kdr_system_lists;

/* Returns whether the method itself moves each particle between two surfaces, in the forces on it alone plus the others' mean
 * acceleration in the step. If not, its path there is a parabola. */
bool kdr_system_flies(const kdr_system_desc *desc, const kdr_problem *problem);

/* Returns an error if colliders are combined with something that they do not support in a system run. */
kdr_status kdr_system_check_walls(const kdr_system_desc *desc, const kdr_problem *problem, kdr_error *error);

/* kdr_system_problem_without_lists makes the problem of a description, except for its interactions and distances.
 * kdr_system_lists_of summarizes those, and kdr_system_name_lists adds the summary to a problem. */
kdr_status kdr_system_problem_without_lists(const kdr_system_desc *desc, kdr_problem *problem, kdr_error *error);
kdr_system_lists kdr_system_lists_of(const kdr_system_desc *desc);
void kdr_system_name_lists(kdr_problem *problem, kdr_system_lists lists);

/* Makes the complete problem of a description, and checks it. The reference uses it too. */
kdr_status kdr_system_problem(const kdr_system_desc *desc, kdr_problem *problem, kdr_error *error);

/* The constants of block time steps. `kick` has the kicks at the beginning, in the middle and at the end of a particle's own step, as
 * fractions of it. `drift` is the drift in each of the `drifts` (1 or 2) parts of a substep. In the middle of the step there may be a
 * heat bath (`bathes`), or a rotation between two half kicks (`turns`). `substepping` lists the substeps of a composed method, or one of
 * length 1. */
enum { KDR_BEGINNING, KDR_MIDDLE, KDR_ENDING, KDR_TURNS };
typedef struct kdr_leveled {
    double kick[KDR_TURNS], drift;
    int drifts;
    bool bathes, turns;
    kdr_substepping substepping;
} kdr_leveled;

/* Returns the constants for a description whose problem is made; drifts is 0 without levels. */
kdr_leveled kdr_system_leveled(const kdr_system_desc *desc, const kdr_problem *problem);

/* Returns the description of its distances. */
kdr_distance_constraints_desc kdr_system_distance_constraints_desc(const kdr_system_desc *from);

/* Returns the lengths of the periodic box; 0 on axes without one. */
void kdr_system_box(const kdr_system_desc *desc, double box[3]);

/* Returns whether the implicit method has slopes of interactions: those of spring networks, or the user's function. */
bool kdr_system_has_slopes(const kdr_system_desc *desc, const kdr_problem *problem);

/* Checks that x and v are interleaved if the description has interleaved accelerations. */
kdr_status kdr_system_check_rows(const kdr_system_desc *desc, const kdr_problem *problem, const kdr_particles *particles, kdr_error *error);

/* Checks levels, watches and marks of the particles against the description. */
kdr_status kdr_system_check_particles(const kdr_system_desc *desc, const kdr_problem *problem, const kdr_particles *particles,
                                      kdr_error *error);

#endif
