/* The fields that are benchmarked (see fields.h).
 *
 * Rest points and winds are not 0, so that decaying motion ends at ordinary numbers and not at denormals. */

#include "fields.h"

static const kdr_force uniform[] = {{.kind = KDR_UNIFORM_ACCELERATION, .as = {.uniform_acceleration = {{0.5, -0.25, -9.81}}}}};

/* Stiffness and damping of "Integration Basics" (Gaffer on Games), with an anchor and a weight. */
static const kdr_force spring_damper[] = {
    {.kind = KDR_UNIFORM_ACCELERATION, .as = {.uniform_acceleration = {{0.5, -0.25, -9.81}}}},
    {.kind = KDR_SPRING, .as = {.spring = {.k = {15, 15, 15}, .at = {0.25, -0.5, 1}}}},
    {.kind = KDR_DRAG, .as = {.drag = {.b = {0.1, 0.1, 0.1}, .wind = {1, 0.5, -0.25}}}},
};

static const kdr_force spring[] = {
    {.kind = KDR_UNIFORM_ACCELERATION, .as = {.uniform_acceleration = {{0.5, -0.25, -9.81}}}},
    {.kind = KDR_SPRING, .as = {.spring = {.k = {15, 15, 15}, .at = {0.25, -0.5, 1}}}},
};

static const kdr_force centre[] = {{.kind = KDR_CENTRE, .as = {.centre = {.mu = 1, .at = {0.125, 0.25, -0.125}, .softening = 0.25}}}};

static const kdr_force drag[] = {{.kind = KDR_DRAG, .as = {.drag = {.b = {0.1, 0.1, 0.1}, .wind = {1, 0.5, -0.25}}}}};

/* In it most particles of the spring-damper bounce off a face or two. */
static const kdr_collider walls[] = {{KDR_COLLIDER_BOX, 0.8, 0.1, 0, 0, 0, {.box = {{-1, -1, -1}, {1, 1, 1}, true}}}};

#define LIST(forces) forces, sizeof forces / sizeof *forces

const kdr_bench_field kdr_bench_fields[] = {
    {"uniform", LIST(uniform), 0, false, false, true, NULL, 0},           /* a is a constant */
    {"spring-damper", LIST(spring_damper), 2, true, true, true, NULL, 0}, /* c - k x - b v */
    {"spring", LIST(spring), 1, true, false, true, NULL, 0},              /* c - k x, for methods that refuse drag */
    /* Three axes together: 3 for r^2 + softening^2, 1 for its 3/2 power, 3 for the scaled r. The square root and the division, which
     * take longer than all of these, have units of their own: a fraction of the fma peak says little here. */
    {"centre", LIST(centre), 7.0 / 3, false, false, false, NULL, 0},
    {"drag", LIST(drag), 1, false, true, true, NULL, 0},             /* c - b v */
    {"box", LIST(spring_damper), 2, false, true, true, LIST(walls)}, /* the spring-damper in a box with friction */
};
const size_t kdr_bench_field_count = sizeof kdr_bench_fields / sizeof *kdr_bench_fields;

static void fold_uniform(const kdr_force *force, kdr_bench_folded *folded) {
    for (int axis = 0; axis < 3; axis++)
        folded->constant[axis] += force->as.uniform_acceleration.a[axis];
}

static void fold_spring(const kdr_force *force, kdr_bench_folded *folded) {
    folded->k += force->as.spring.k[0];
    for (int axis = 0; axis < 3; axis++)
        folded->constant[axis] += force->as.spring.k[axis] * force->as.spring.at[axis];
}

static void fold_drag(const kdr_force *force, kdr_bench_folded *folded) {
    folded->b += force->as.drag.b[0];
    for (int axis = 0; axis < 3; axis++)
        folded->constant[axis] += force->as.drag.b[axis] * force->as.drag.wind[axis];
}

static void fold_centre(const kdr_force *force, kdr_bench_folded *folded) {
    folded->mu = force->as.centre.mu;
    folded->softening = force->as.centre.softening;
    for (int axis = 0; axis < 3; axis++)
        folded->centre[axis] = force->as.centre.at[axis];
}

/* The kinds that the fields above use. */
static void (*const folds[KDR_FORCE_KIND_COUNT])(const kdr_force *, kdr_bench_folded *) = {
    [KDR_UNIFORM_ACCELERATION] = fold_uniform,
    [KDR_SPRING] = fold_spring,
    [KDR_DRAG] = fold_drag,
    [KDR_CENTRE] = fold_centre,
};

kdr_bench_folded kdr_bench_fold(const kdr_bench_field *field) {
    kdr_bench_folded folded = {.k = 0};
    for (size_t i = 0; i < field->force_count; i++)
        folds[field->forces[i].kind](&field->forces[i], &folded);
    return folded;
}
