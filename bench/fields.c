/* The fields of the benchmark (see fields.h).
 *
 * Rest points and winds are not 0, so that decaying motion ends at normal numbers and not at subnormal ones. */

#include "fields.h"

static const kdr_force uniform[] = {{.kind = KDR_UNIFORM_ACCELERATION, .as = {.uniform_acceleration = {{0.5, -0.25, -9.81}}}}};

/* Stiffness and damping are those of "Integration Basics" (Gaffer on Games), with an anchor and a weight. */
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

static const kdr_force driven[] = {
    {.kind = KDR_UNIFORM_ACCELERATION, .as = {.uniform_acceleration = {{0.5, -0.25, -9.81}}}},
    {.kind = KDR_SPRING, .as = {.spring = {.k = {15, 15, 15}, .at = {0.25, -0.5, 1}}}},
    {.kind = KDR_DRAG, .as = {.drag = {.b = {0.1, 0.1, 0.1}, .wind = {1, 0.5, -0.25}}}},
    {.kind = KDR_DRIVEN, .as = {.driven = {.a = {2, 1, -0.5}, .omega = 5, .phase = 0.5}}},
};

static const kdr_force quadratic_drag[] = {
    {.kind = KDR_UNIFORM_ACCELERATION, .as = {.uniform_acceleration = {{0.5, -0.25, -9.81}}}},
    {.kind = KDR_QUADRATIC_DRAG, .as = {.quadratic_drag = {.c = 0.25, .wind = {1, 0.5, -0.25}}}},
};

static const kdr_force magnetic[] = {
    {.kind = KDR_ELECTROMAGNETIC, .as = {.electromagnetic = {.charge = 2, .e = {0.5, -0.25, 0.125}, .b = {0.5, 0.25, -1}}}},
};

static const kdr_force centre_drag[] = {
    {.kind = KDR_CENTRE, .as = {.centre = {.mu = 1, .at = {0.125, 0.25, -0.125}, .softening = 0.25}}},
    {.kind = KDR_DRAG, .as = {.drag = {.b = {0.1, 0.1, 0.1}, .wind = {1, 0.5, -0.25}}}},
};

/* The walls for the spring-damper. Most particles bounce off one or two faces. */
static const kdr_collider walls[] = {
    {.kind = KDR_COLLIDER_BOX, .restitution = 0.8, .friction = 0.1, .as.box = {{-1, -1, -1}, {1, 1, 1}, true}}};

#define LIST(forces) forces, sizeof forces / sizeof *forces

const kdr_bench_field kdr_bench_fields[] = {
    {"uniform", LIST(uniform), 0, false, false, true, NULL, 0, false, false},           /* a is constant */
    {"spring-damper", LIST(spring_damper), 2, true, true, true, NULL, 0, false, false}, /* c - k x - b v */
    {"spring", LIST(spring), 1, true, false, true, NULL, 0, false, false},              /* c - k x, for methods that refuse drag */
    /* The costs on three axes are 3 for r^2 + softening^2, 1 for its 3/2 power, 3 for the scaled r. The square root and the division take
     * longer than all of these and have their own units, so a fraction of the fma peak says little here. */
    {"centre", LIST(centre), 7.0 / 3, false, false, false, NULL, 0, false, false},
    {"drag", LIST(drag), 1, false, true, true, NULL, 0, false, false},                        /* c - b v */
    {"box", LIST(spring_damper), 2, false, true, true, LIST(walls), false, false},            /* the spring-damper in a box with friction */
    {"spring-damper-masses", LIST(spring_damper), 3, false, true, true, NULL, 0, true, true}, /* g + w (c - k x - b v) */
    {"spring-damper-driven", LIST(driven), 2, false, true, true, NULL, 0, false, true},       /* c + d cos(omega t + phase) - k x - b v */
    /* The costs on three axes are 3 for |u|^2 with u = v - wind, 1 for c |u|, 3 for the scaled u; the square root is as above. */
    {"quadratic-drag", LIST(quadratic_drag), 7.0 / 3, false, true, false, NULL, 0, false, true},
    {"magnetic", LIST(magnetic), 2, false, true, true, NULL, 0, false, true},               /* c + v x m */
    {"centre-drag", LIST(centre_drag), 10.0 / 3, false, true, false, NULL, 0, false, true}, /* the centre together with drag */
};
const size_t kdr_bench_field_count = sizeof kdr_bench_fields / sizeof *kdr_bench_fields;

static void fold_uniform(const kdr_force *force, kdr_bench_folded *folded) {
    for (int axis = 0; axis < 3; ++axis) {
        folded->constant[axis] += force->as.uniform_acceleration.a[axis];
    }
}

static void fold_spring(const kdr_force *force, kdr_bench_folded *folded) {
    folded->k += force->as.spring.k[0];
    for (int axis = 0; axis < 3; ++axis) {
        folded->force[axis] += force->as.spring.k[axis] * force->as.spring.at[axis];
    }
}

static void fold_drag(const kdr_force *force, kdr_bench_folded *folded) {
    folded->b += force->as.drag.b[0];
    for (int axis = 0; axis < 3; ++axis) {
        folded->force[axis] += force->as.drag.b[axis] * force->as.drag.wind[axis];
    }
}

static void fold_centre(const kdr_force *force, kdr_bench_folded *folded) {
    folded->mu = force->as.centre.mu;
    folded->softening = force->as.centre.softening;
    for (int axis = 0; axis < 3; ++axis) {
        folded->centre[axis] = force->as.centre.at[axis];
    }
}

static void fold_quadratic_drag(const kdr_force *force, kdr_bench_folded *folded) {
    folded->c = force->as.quadratic_drag.c;
    for (int axis = 0; axis < 3; ++axis) {
        folded->wind[axis] = force->as.quadratic_drag.wind[axis];
    }
}

static void fold_electromagnetic(const kdr_force *force, kdr_bench_folded *folded) {
    for (int axis = 0; axis < 3; ++axis) {
        folded->force[axis] += force->as.electromagnetic.charge * force->as.electromagnetic.e[axis];
        folded->magnetic[axis] += force->as.electromagnetic.charge * force->as.electromagnetic.b[axis];
    }
}

static void fold_driven(const kdr_force *force, kdr_bench_folded *folded) {
    folded->omega = force->as.driven.omega;
    folded->phase = force->as.driven.phase;
    for (int axis = 0; axis < 3; ++axis) {
        folded->drive[axis] = force->as.driven.a[axis];
    }
}

/* The functions that fold the kinds of forces which the fields above use. */
static void (*const folds[KDR_FORCE_KIND_COUNT])(const kdr_force *, kdr_bench_folded *) = {
    [KDR_UNIFORM_ACCELERATION] = fold_uniform,
    [KDR_SPRING] = fold_spring,
    [KDR_DRAG] = fold_drag,
    [KDR_QUADRATIC_DRAG] = fold_quadratic_drag,
    [KDR_ELECTROMAGNETIC] = fold_electromagnetic,
    [KDR_CENTRE] = fold_centre,
    [KDR_DRIVEN] = fold_driven,
};

kdr_bench_folded kdr_bench_fold(const kdr_bench_field *field) {
    kdr_bench_folded folded = {.k = 0};
    for (size_t i = 0; i < field->force_count; ++i) {
        folds[field->forces[i].kind](&field->forces[i], &folded);
    }
    for (int axis = 0; axis < 3 && !field->masses; ++axis) {
        folded.constant[axis] += folded.force[axis];
        folded.force[axis] = 0;
    }
    return folded;
}
