/* Copies and folds constraints and colliders. */
#include "walls.h"

#include <stdlib.h>
#include <string.h>

#include "../particles/error.h"

/* Folds all walls for views of `dims` axes. */
static void fold(const kdr_walls *walls, const kdr_problem *problem, int dims) {
    const bool f32 = problem->real == KDR_F32;
    void *const held = walls->held[dims - 1], *const met = walls->met[dims - 1];
    for (size_t i = 0; i < problem->constraint_count; ++i) {
        f32 ? kdr_wall_of_constraint_f32(&walls->constraints[i], dims, (kdr_wall_f32 *)held + i)
            : kdr_wall_of_constraint_f64(&walls->constraints[i], dims, (kdr_wall_f64 *)held + i);
    }
    for (size_t i = 0; i < problem->collider_count; ++i) {
        f32 ? kdr_wall_fold_f32(&walls->colliders[i], dims, (kdr_wall_f32 *)met + i)
            : kdr_wall_fold_f64(&walls->colliders[i], dims, (kdr_wall_f64 *)met + i);
    }
}

kdr_status kdr_walls_take(kdr_walls *walls, kdr_problem *problem, kdr_error *error) {
    const size_t held = problem->constraint_count, met = problem->collider_count, count = held + met;
    const size_t size = problem->real == KDR_F32 ? sizeof(kdr_wall_f32) : sizeof(kdr_wall_f64);
    if (count == 0) {
        return KDR_OK;
    }
    /* Each array exists in the description, so only the sum of sizes can overflow. */
    walls->constraints = malloc(held * sizeof *walls->constraints + 1);
    walls->colliders = malloc(met * sizeof *walls->colliders + 1);
    walls->held[0] = count <= SIZE_MAX / 3 / size ? malloc(3 * count * size) : NULL;
    KDR_CHECK(walls->constraints && walls->colliders && walls->held[0], error, KDR_ERROR_NO_MEMORY,
              "walls: no memory for %zu constraints and %zu colliders", held, met);
    for (size_t i = 0; i < held; ++i) {
        walls->constraints[i] = problem->constraints[i];
    }
    for (size_t i = 0; i < met; ++i) {
        walls->colliders[i] = problem->colliders[i];
    }
    problem->constraints = walls->constraints;
    problem->colliders = walls->colliders;
    for (int dims = 1; dims <= 3; ++dims) {
        walls->held[dims - 1] = (char *)walls->held[0] + (size_t)(dims - 1) * count * size;
        walls->met[dims - 1] = (char *)walls->held[dims - 1] + held * size;
        fold(walls, problem, dims);
    }
    return KDR_OK;
}

void kdr_walls_free(kdr_walls *walls) {
    free(walls->constraints);
    free(walls->colliders);
    free(walls->held[0]);
}
