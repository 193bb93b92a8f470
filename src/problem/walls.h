/* Copies of a description's constraints and colliders, with constants computed from them, for integrators and system runs. */
#ifndef KDR_PROBLEM_WALLS_H
#define KDR_PROBLEM_WALLS_H

#include "problem.h"

typedef struct kdr_walls {
    kdr_collider *colliders; /* copies that the problem points to; NULL if there are none */
    kdr_constraint *constraints;
    void *held[3], *met[3]; /* folded constraints and colliders, by number of axes, in one block that begins at held[0] */
} kdr_walls;

/* Copies the constraints and colliders of the problem, folds them, and has the problem point to the copies. `walls` must be zeros.
 * kdr_walls_free frees it, also after a failure. */
kdr_status kdr_walls_take(kdr_walls *walls, kdr_problem *problem, kdr_error *error);
void kdr_walls_free(kdr_walls *walls);

#endif
