/* Constraints and colliders of a description, copied and folded: what integrators and coupled runs keep of them. */
#ifndef KDR_PROBLEM_WALLS_H
#define KDR_PROBLEM_WALLS_H

#include "problem.h"

typedef struct kdr_walls {
    kdr_collider *colliders; /* copies that the problem points to; NULL: none */
    kdr_constraint *constraints;
    void *held[3], *met[3]; /* what constraints and colliders fold into, for each number of axes, in one block, which held[0] is */
} kdr_walls;

/* Copies what the problem points to, has it point to the copies, and folds them. `walls` is zeros before; what it holds is freed by
 * kdr_walls_free, after a failure too. */
kdr_status kdr_walls_take(kdr_walls *walls, kdr_problem *problem, kdr_error *error);
void kdr_walls_free(kdr_walls *walls);

#endif
