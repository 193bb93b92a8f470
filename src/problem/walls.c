/* Copying and folding constraints and colliders. */
#include "walls.h"

#include <stdlib.h>
#include <string.h>

#include "../particles/error.h"

/* Entry i for views of `dims` axes. */
static void fold(const kdr_walls *walls, const kdr_problem *problem, int dims, size_t i) {
    const size_t first = problem->constraint_count;
    if (problem->real == KDR_F32) {
        kdr_wall_f32 *const wall = (kdr_wall_f32 *)walls->folded[dims - 1] + i;
        i < first ? kdr_wall_of_constraint_f32(&walls->constraints[i], dims, wall)
                  : kdr_wall_fold_f32(&walls->colliders[i - first], dims, wall);
    } else {
        kdr_wall_f64 *const wall = (kdr_wall_f64 *)walls->folded[dims - 1] + i;
        i < first ? kdr_wall_of_constraint_f64(&walls->constraints[i], dims, wall)
                  : kdr_wall_fold_f64(&walls->colliders[i - first], dims, wall);
    }
}

kdr_status kdr_walls_take(kdr_walls *walls, kdr_problem *problem, kdr_error *error) {
    const size_t held = problem->constraint_count, met = problem->collider_count, count = held + met;
    const size_t size = problem->real == KDR_F32 ? sizeof(kdr_wall_f32) : sizeof(kdr_wall_f64);
    if (count == 0) {
        return KDR_OK;
    }
    /* The description had arrays of these sizes: only the sum may be too large. */
    walls->constraints = malloc(held * sizeof *walls->constraints + 1);
    walls->colliders = malloc(met * sizeof *walls->colliders + 1);
    walls->folded[0] = count <= SIZE_MAX / 3 / size ? malloc(3 * count * size) : NULL;
    KDR_CHECK(walls->constraints && walls->colliders && walls->folded[0], error, KDR_ERROR_NO_MEMORY,
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
        walls->folded[dims - 1] = (char *)walls->folded[0] + (size_t)(dims - 1) * count * size;
        for (size_t i = 0; i < count; ++i) {
            fold(walls, problem, dims, i);
        }
    }
    return KDR_OK;
}

void kdr_walls_free(kdr_walls *walls) {
    free(walls->constraints);
    free(walls->colliders);
    free(walls->folded[0]);
}
