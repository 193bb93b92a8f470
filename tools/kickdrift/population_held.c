/* Moves particles on to their constraints and distances before a run begins, and counts how far. */
#include "population_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copies of the six columns of x and v, one after the other. */
typedef struct columns {
    char *block;
    void *of[2][3];
} columns;

static void *const *columns_of(const kdr_particles *p, int kind) { return kind == 0 ? p->x : p->v; }

static bool copy_columns(const kdr_particles *p, columns *made) {
    const size_t size = p->count * kdr_real_size(p->real);
    made->block = malloc(6 * size + 1);
    for (int n = 0; n < 6 && made->block; ++n) {
        const int axis = n % 3;
        made->of[n / 3][axis] = axis < p->dims ? made->block + (size_t)n * size : NULL;
        if (axis < p->dims) {
            memcpy(made->of[n / 3][axis], columns_of(p, n / 3)[axis], size);
        }
    }
    return made->block != NULL;
}

static double square_of(const population *of, void *const column[3], size_t i) {
    double sum = 0;
    for (int axis = 0; axis < of->particles.dims; ++axis) {
        const double value = population_get(of, column[axis], i);
        sum += value * value;
    }
    return sum;
}

/* Returns how far the position or the velocity of a particle has changed; 0 if the change is within rounding. */
static double change_of(const population *of, const columns *before, int kind, size_t i) {
    void *const *const now = columns_of(&of->particles, kind);
    double sum = 0;
    for (int axis = 0; axis < of->particles.dims; ++axis) {
        const double change = population_get(of, now[axis], i) - population_get(of, before->of[kind][axis], i);
        sum += change * change;
    }
    const double room = of->particles.real == KDR_F32 ? 0x1p-18 : 0x1p-42;
    return sqrt(sum) <= room * (1 + sqrt(square_of(of, before->of[kind], i))) ? 0 : sqrt(sum);
}

static void put_back(kdr_particles *p, const columns *before, size_t i) {
    const size_t size = kdr_real_size(p->real);
    for (int n = 0; n < 6; ++n) {
        if (n % 3 < p->dims) {
            memcpy((char *)columns_of(p, n / 3)[n % 3] + i * size, (char *)before->of[n / 3][n % 3] + i * size, size);
        }
    }
}

/* Adds a particle to the count of changed ones. */
static void tell(population *of, const columns *before, size_t i, double moved) {
    population_held *const h = &of->held;
    const bool frozen = of->particles.inverse_mass && population_get(of, of->particles.inverse_mass, i) == 0;
    const double half_mass = frozen ? 0 : 0.5 * population_mass(of, i);
    ++h->count;
    h->farthest = fmax(h->farthest, moved);
    h->kinetic_before += half_mass * square_of(of, before->of[1], i);
    h->kinetic_after += half_mass * square_of(of, of->particles.v, i);
}

/* Counts the particles that changed by more than rounding. If `each` is set, restores every other one; if none changed, restores all. */
static void keep_changes(population *of, const columns *before, bool each) {
    size_t changed = 0;
    for (size_t i = 0; i < of->particles.count; ++i) {
        const double moved = change_of(of, before, 0, i), turned = change_of(of, before, 1, i);
        if (moved > 0 || turned > 0) {
            tell(of, before, i, moved);
            ++changed;
        } else if (each) {
            put_back(&of->particles, before, i);
        }
    }
    for (size_t i = 0; i < of->particles.count && changed == 0; ++i) {
        put_back(&of->particles, before, i);
    }
}

/* Moves positions first, then velocities: these are projected on to the rods as the moved positions give them. */
static kdr_status hold_distances(const scene *from, population *of, const columns *before, kdr_error *error) {
    kdr_distance_constraints_desc desc = kdr_distance_constraints_desc_default();
    kdr_distance_constraints *rods = NULL;
    columns unused = {NULL, {{NULL}}};
    kdr_particles moved = of->particles;
    desc.distances = of->distances, desc.count = of->distance_count;
    desc.tolerance = from->distances.tolerance;
    desc.sweeps = (uint32_t)from->distances.sweeps;
    desc.relaxation = from->distances.relaxation;
    desc.real = of->particles.real, desc.arithmetic = (kdr_arithmetic)from->arithmetic;
    for (int axis = 0; axis < 3 && from->boundary.kind == KDR_BOUNDARY_PERIODIC; ++axis) {
        desc.box[axis] = from->boundary.max[axis] - from->boundary.min[axis];
    }
    if (!copy_columns(&of->particles, &unused)) {
        return KDR_ERROR_NO_MEMORY;
    }
    memcpy(moved.v, unused.of[1], sizeof moved.v);
    const void *const start[3] = {before->of[0][0], before->of[0][1], before->of[0][2]};
    kdr_status status = kdr_distance_constraints_create(&desc, &rods, error);
    status = status == KDR_OK ? kdr_distance_constraints_shake(rods, &moved, start, from->dt, NULL, error) : status;
    status = status == KDR_OK ? kdr_distance_constraints_rattle(rods, &of->particles, from->dt, NULL, error) : status;
    kdr_distance_constraints_destroy(rods);
    free(unused.block);
    return status;
}

/* A description that the library refuses is not reported here, but when the integrator or system run is made. */
bool population_hold(scene *from, population *of) {
    columns before;
    kdr_error error;
    if ((from->constraint_count == 0 && of->distance_count == 0) || of->particles.count == 0) {
        return true;
    }
    if (!copy_columns(&of->particles, &before)) {
        return tree_complain(&from->tree, NULL, from->particles, "no memory for a copy of the particles, expected fewer");
    }
    if (from->constraint_count > 0) {
        (void)kdr_constraints_hold(from->constraints, from->constraint_count, &of->particles, &error);
        keep_changes(of, &before, true);
    }
    free(before.block);
    if (of->distance_count > 0) {
        if (!copy_columns(&of->particles, &before)) {
            return tree_complain(&from->tree, NULL, from->particles, "no memory for a copy of the particles, expected fewer");
        }
        (void)hold_distances(from, of, &before, &error);
        keep_changes(of, &before, false);
        free(before.block);
    }
    return true;
}
