/* Colliders, constraints and the boundary: constructors, checks, folding into constants.
 *
 * To add a kind: its enumerator and parameters in <kickdrift/collider.h>, its name, row and constants here, its operations in
 * collider.h, kernel/ops and reference, its keys in tools/kickdrift/scene_colliders.c. */
#include "collider.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../particles/error.h"

static const char *const names[KDR_COLLIDER_KIND_COUNT] = {"plane", "sphere", "box"};

const char *kdr_collider_kind_name(kdr_collider_kind kind) { return (unsigned)kind < KDR_COLLIDER_KIND_COUNT ? names[kind] : "?"; }

/* Copies a vector that may be NULL; new entries begin as 0. */
static void set(double to[3], const double from[3]) {
    if (from) {
        memcpy(to, from, 3 * sizeof *to);
    }
}

static kdr_collider collider_of(kdr_collider_kind kind) {
    kdr_collider made;
    memset(&made, 0, sizeof made);
    made.kind = kind;
    made.restitution = 1.0;
    return made;
}

kdr_collider kdr_collider_plane(const double point[3], const double normal[3]) {
    kdr_collider made = collider_of(KDR_COLLIDER_PLANE);
    set(made.as.plane.point, point);
    set(made.as.plane.normal, normal);
    return made;
}

kdr_collider kdr_collider_sphere(const double at[3], double radius, bool inside) {
    kdr_collider made = collider_of(KDR_COLLIDER_SPHERE);
    set(made.as.sphere.at, at);
    made.as.sphere.radius = radius;
    made.as.sphere.inside = inside;
    return made;
}

kdr_collider kdr_collider_box(const double min[3], const double max[3], bool inside) {
    kdr_collider made = collider_of(KDR_COLLIDER_BOX);
    set(made.as.box.min, min);
    set(made.as.box.max, max);
    made.as.box.inside = inside;
    return made;
}

static const char *const constraint_names[KDR_CONSTRAINT_KIND_COUNT] = {"rod", "rope", "plane", "sphere"};
static const char *const boundary_names[KDR_BOUNDARY_KIND_COUNT] = {"none", "periodic", "absorbing"};

const char *kdr_constraint_kind_name(kdr_constraint_kind kind) {
    return (unsigned)kind < KDR_CONSTRAINT_KIND_COUNT ? constraint_names[kind] : "?";
}

const char *kdr_boundary_kind_name(kdr_boundary_kind kind) { return (unsigned)kind < KDR_BOUNDARY_KIND_COUNT ? boundary_names[kind] : "?"; }

static kdr_constraint constraint_of(kdr_constraint_kind kind) {
    kdr_constraint made;
    memset(&made, 0, sizeof made);
    made.kind = kind;
    return made;
}

kdr_constraint kdr_constraint_rod(const double to[3], double length) {
    kdr_constraint made = constraint_of(KDR_CONSTRAINT_ROD);
    set(made.as.rod.to, to);
    made.as.rod.length = length;
    return made;
}

kdr_constraint kdr_constraint_rope(const double to[3], double length) {
    kdr_constraint made = constraint_of(KDR_CONSTRAINT_ROPE);
    set(made.as.rope.to, to);
    made.as.rope.length = length;
    return made;
}

kdr_constraint kdr_constraint_plane(const double point[3], const double normal[3]) {
    kdr_constraint made = constraint_of(KDR_CONSTRAINT_PLANE);
    set(made.as.plane.point, point);
    set(made.as.plane.normal, normal);
    return made;
}

kdr_constraint kdr_constraint_sphere(const double at[3], double radius) {
    kdr_constraint made = constraint_of(KDR_CONSTRAINT_SPHERE);
    set(made.as.sphere.at, at);
    made.as.sphere.radius = radius;
    return made;
}

typedef struct parameter {
    const char *name;
    size_t offset;
    int count; /* number of doubles */
} parameter;

#define PARAMETER(name, member, count) {name, offsetof(kdr_collider, member), count}

static const parameter shapes[KDR_COLLIDER_KIND_COUNT][2] = {
    [KDR_COLLIDER_PLANE] = {PARAMETER("plane.point", as.plane.point, 3), PARAMETER("plane.normal", as.plane.normal, 3)},
    [KDR_COLLIDER_SPHERE] = {PARAMETER("sphere.at", as.sphere.at, 3), PARAMETER("sphere.radius", as.sphere.radius, 1)},
    [KDR_COLLIDER_BOX] = {PARAMETER("box.min", as.box.min, 3), PARAMETER("box.max", as.box.max, 3)},
};

static const struct {
    parameter of;
    double most;
} surfaces[] = {
    {PARAMETER("restitution", restitution, 1), 1.0},
    {PARAMETER("friction", friction, 1), 1.0},
    {PARAMETER("friction_normal", friction_normal, 1), 1.0},
    {PARAMETER("sliding", sliding, 1), DBL_MAX},
    {PARAMETER("static_friction", static_friction, 1), DBL_MAX},
};

static const parameter motions[] = {PARAMETER("velocity", velocity, 3), PARAMETER("since", since, 1)};

static const double *values_of(const void *entry, const parameter *of) {
    return (const double *)(const void *)((const char *)entry + of->offset);
}

/* Checks that the parameters of an entry of the list `list` are finite and fit the precision. */
static kdr_status check_finite(const char *list, const void *entry, size_t index, const parameter *of, double largest, kdr_error *error) {
    for (int i = 0; i < of->count; ++i) {
        const double value = values_of(entry, of)[i];
        KDR_CHECK(isfinite(value) && fabs(value) <= largest, error, KDR_ERROR_NOT_FINITE,
                  "%s[%zu].%s: expected a finite number that fits the particles' precision, got %g", list, index, of->name, value);
    }
    return KDR_OK;
}

static kdr_status check_plane(const char *list, size_t index, const double p[3], const double n[3], double largest, kdr_error *error) {
    const double length = sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
    KDR_CHECK(length > 0.0 && isfinite(length), error, KDR_ERROR_ARGUMENT,
              "%s[%zu].plane.normal: expected a vector of a length that is not 0, got length %g", list, index, length);
    const double offset = (fabs(p[0]) + fabs(p[1])) + fabs(p[2]);
    KDR_CHECK(offset <= largest, error, KDR_ERROR_NOT_FINITE, "%s[%zu].plane.point: expected a point nearer than %g, got %g", list, index,
              largest, offset);
    return KDR_OK;
}

static kdr_status check_radius(const char *list, size_t index, const char *name, double r, double largest, kdr_error *error) {
    KDR_CHECK(r > 0.0 && r * r <= largest && 1.0 / r <= largest, error, KDR_ERROR_ARGUMENT,
              "%s[%zu].%s: expected a number above 0 whose square is at most %g, got %g", list, index, name, largest, r);
    return KDR_OK;
}

static kdr_status check_shape(const kdr_collider *c, size_t index, double largest, kdr_error *error) {
    if (c->kind == KDR_COLLIDER_PLANE) {
        return check_plane("colliders", index, c->as.plane.point, c->as.plane.normal, largest, error);
    }
    if (c->kind == KDR_COLLIDER_SPHERE) {
        return check_radius("colliders", index, "sphere.radius", c->as.sphere.radius, largest, error);
    }
    for (int i = 0; i < 3 && c->kind == KDR_COLLIDER_BOX; ++i) {
        KDR_CHECK(c->as.box.min[i] <= c->as.box.max[i], error, KDR_ERROR_ARGUMENT,
                  "colliders[%zu].box.max[%d]: expected at least min, %g, got %g", index, i, c->as.box.min[i], c->as.box.max[i]);
    }
    return KDR_OK;
}

static kdr_status check_surface(const kdr_collider *c, size_t index, double largest, kdr_error *error) {
    for (size_t s = 0; s < sizeof surfaces / sizeof *surfaces; ++s) {
        const kdr_status status = check_finite("colliders", c, index, &surfaces[s].of, largest, error);
        if (status != KDR_OK) {
            return status;
        }
        const double value = *values_of(c, &surfaces[s].of);
        KDR_CHECK(value >= 0.0 && value <= surfaces[s].most, error, KDR_ERROR_ARGUMENT, "colliders[%zu].%s: expected %s, got %g", index,
                  surfaces[s].of.name, surfaces[s].most == 1.0 ? "0 to 1" : "at least 0", value);
    }
    KDR_CHECK(c->static_friction == 0.0 || c->static_friction >= c->sliding, error, KDR_ERROR_ARGUMENT,
              "colliders[%zu].static_friction: expected 0 or at least sliding, %g, got %g", index, c->sliding, c->static_friction);
    return KDR_OK;
}

kdr_status kdr_colliders_check(const kdr_collider *colliders, size_t count, kdr_real real, kdr_error *error) {
    const double largest = real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
    KDR_CHECK(colliders || count == 0, error, KDR_ERROR_NULL, "colliders: expected %zu entries, got NULL", count);
    for (size_t i = 0; i < count; ++i) {
        const kdr_collider *const c = &colliders[i];
        KDR_CHECK((unsigned)c->kind < KDR_COLLIDER_KIND_COUNT, error, KDR_ERROR_ARGUMENT,
                  "colliders[%zu].kind: expected an enumerator below %d, got %d", i, KDR_COLLIDER_KIND_COUNT, (int)c->kind);
        kdr_status status = check_finite("colliders", c, i, &shapes[c->kind][0], largest, error);
        if (status == KDR_OK) {
            status = check_finite("colliders", c, i, &shapes[c->kind][1], largest, error);
        }
        for (size_t k = 0; k < sizeof motions / sizeof *motions && status == KDR_OK; ++k) {
            status = check_finite("colliders", c, i, &motions[k], largest, error);
        }
        if (status == KDR_OK) {
            status = check_shape(c, i, largest, error);
        }
        if (status == KDR_OK) {
            status = check_surface(c, i, largest, error);
        }
        if (status != KDR_OK) {
            return status;
        }
    }
    return KDR_OK;
}

static const parameter constraint_shapes[KDR_CONSTRAINT_KIND_COUNT][2] = {
    [KDR_CONSTRAINT_ROD] = {{"rod.to", offsetof(kdr_constraint, as.rod.to), 3}, {"rod.length", offsetof(kdr_constraint, as.rod.length), 1}},
    [KDR_CONSTRAINT_ROPE] = {{"rope.to", offsetof(kdr_constraint, as.rope.to), 3},
                             {"rope.length", offsetof(kdr_constraint, as.rope.length), 1}},
    [KDR_CONSTRAINT_PLANE] = {{"plane.point", offsetof(kdr_constraint, as.plane.point), 3},
                              {"plane.normal", offsetof(kdr_constraint, as.plane.normal), 3}},
    [KDR_CONSTRAINT_SPHERE] = {{"sphere.at", offsetof(kdr_constraint, as.sphere.at), 3},
                               {"sphere.radius", offsetof(kdr_constraint, as.sphere.radius), 1}},
};

kdr_status kdr_constraints_check(const kdr_constraint *constraints, size_t count, kdr_real real, kdr_error *error) {
    const double largest = real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
    KDR_CHECK(constraints || count == 0, error, KDR_ERROR_NULL, "constraints: expected %zu entries, got NULL", count);
    for (size_t i = 0; i < count; ++i) {
        const kdr_constraint *const c = &constraints[i];
        KDR_CHECK((unsigned)c->kind < KDR_CONSTRAINT_KIND_COUNT, error, KDR_ERROR_ARGUMENT,
                  "constraints[%zu].kind: expected an enumerator below %d, got %d", i, KDR_CONSTRAINT_KIND_COUNT, (int)c->kind);
        const parameter *const shape = constraint_shapes[c->kind];
        kdr_status status = check_finite("constraints", c, i, &shape[0], largest, error);
        if (status == KDR_OK) {
            status = check_finite("constraints", c, i, &shape[1], largest, error);
        }
        if (status == KDR_OK) {
            status = c->kind == KDR_CONSTRAINT_PLANE
                         ? check_plane("constraints", i, c->as.plane.point, c->as.plane.normal, largest, error)
                         : check_radius("constraints", i, shape[1].name, *values_of(c, &shape[1]), largest, error);
        }
        if (status != KDR_OK) {
            return status;
        }
    }
    return KDR_OK;
}

kdr_status kdr_boundary_check(const kdr_boundary *boundary, kdr_real real, kdr_error *error) {
    const double largest = real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
    KDR_CHECK((unsigned)boundary->kind < KDR_BOUNDARY_KIND_COUNT, error, KDR_ERROR_ARGUMENT,
              "boundary.kind: expected an enumerator below %d, got %d", KDR_BOUNDARY_KIND_COUNT, (int)boundary->kind);
    for (int i = 0; i < 3 && boundary->kind != KDR_BOUNDARY_NONE; ++i) {
        const double low = boundary->min[i], high = boundary->max[i];
        KDR_CHECK(isfinite(low) && isfinite(high) && fabs(low) <= largest / 4 && fabs(high) <= largest / 4, error, KDR_ERROR_NOT_FINITE,
                  "boundary: expected min and max of axis %d within a quarter of %s, got %g and %g", i, kdr_real_name(real), low, high);
        KDR_CHECK(low <= high, error, KDR_ERROR_ARGUMENT, "boundary.max[%d]: expected at least min, %g, got %g", i, low, high);
        KDR_CHECK(low == high || 1.0 / (high - low) <= largest, error, KDR_ERROR_ARGUMENT,
                  "boundary.max[%d]: expected a width whose inverse is at most %g, got %g", i, largest, high - low);
    }
    return KDR_OK;
}

/* Computes the normal of length 1 and its distance from the origin, on the axes that there are. */
static void fold_plane(const double point[3], const double normal[3], int dims, kdr_wall_f64 *w) {
    double square = 0.0;
    for (int i = 0; i < dims; ++i) {
        square += normal[i] * normal[i];
    }
    if (!(square > 0.0)) {
        w->kind = KDR_WALL_NONE;
        return;
    }
    const double length = sqrt(square);
    for (int i = 0; i < dims; ++i) {
        w->normal[i] = normal[i] / length;
        w->offset += w->normal[i] * point[i];
    }
}

static void fold_sphere(const double at[3], double radius, kdr_wall_f64 *w) {
    memcpy(w->at, at, sizeof w->at);
    w->radius = radius;
    w->square = radius * radius;
    w->twice = 2.0 * radius;
    w->inverse = 1.0 / radius;
    w->slack = fmin(0x1p-51 * radius * (radius + fabs(at[0]) + fabs(at[1]) + fabs(at[2])), 0.25 * w->square);
    for (int i = 0; i < 3; ++i) {
        const double room = radius + 1e-5 * (radius + fabs(at[i]));
        w->low[i] = at[i] - room;
        w->high[i] = at[i] + room;
    }
}

/* Returns a few rounding errors of the wall's largest coordinate. */
static double room_of(const kdr_wall_f64 *w, int dims) {
    double largest = fabs(w->offset);
    for (int i = 0; i < dims; ++i) {
        largest = fmax(largest, fmax(fmax(fabs(w->low[i]), fabs(w->high[i])), fabs(w->at[i])));
    }
    return 0x1p-46 * largest;
}

void kdr_wall_fold_f64(const kdr_collider *c, int dims, kdr_wall_f64 *w) {
    memset(w, 0, sizeof *w);
    w->kind = (int)c->kind;
    if (c->kind == KDR_COLLIDER_PLANE) {
        fold_plane(c->as.plane.point, c->as.plane.normal, dims, w);
    } else if (c->kind == KDR_COLLIDER_SPHERE) {
        fold_sphere(c->as.sphere.at, c->as.sphere.radius, w);
        w->inside = c->as.sphere.inside;
    } else {
        memcpy(w->low, c->as.box.min, sizeof w->low);
        memcpy(w->high, c->as.box.max, sizeof w->high);
        w->inside = c->as.box.inside;
    }
    w->room = room_of(w, dims);
    w->minus_bounce = -(1.0 + c->restitution);
    w->rests_below = c->restitution < 1.0 ? 1.0 : 0x1p-20;
    w->friction = c->friction;
    w->keep = 1.0 - c->friction;
    w->minus_friction_normal = -c->friction_normal;
    w->sliding = c->sliding;
    w->sticking = c->static_friction > c->sliding ? c->static_friction : c->sliding;
    w->is_coulomb = w->sticking > 0.0;
    w->rubs = w->friction > 0.0 || w->is_coulomb;
    for (int i = 0; i < dims; ++i) {
        w->velocity[i] = c->velocity[i];
        w->moves = w->moves || c->velocity[i] != 0.0;
    }
    w->since = w->moves ? c->since : 0.0;
}

void kdr_wall_of_constraint_f64(const kdr_constraint *c, int dims, kdr_wall_f64 *w) {
    memset(w, 0, sizeof *w);
    if (c->kind == KDR_CONSTRAINT_PLANE) {
        w->kind = KDR_WALL_ON_PLANE;
        fold_plane(c->as.plane.point, c->as.plane.normal, dims, w);
    } else if (c->kind == KDR_CONSTRAINT_SPHERE) {
        w->kind = KDR_WALL_ROD;
        fold_sphere(c->as.sphere.at, c->as.sphere.radius, w);
    } else if (c->kind == KDR_CONSTRAINT_ROPE) {
        w->kind = KDR_WALL_ROPE;
        fold_sphere(c->as.rope.to, c->as.rope.length, w);
    } else {
        w->kind = KDR_WALL_ROD;
        fold_sphere(c->as.rod.to, c->as.rod.length, w);
    }
}

static void narrow(const kdr_wall_f64 *from, kdr_wall_f32 *w) {
    const kdr_wall_f64 wide = *from;
    memset(w, 0, sizeof *w);
    for (int i = 0; i < 3; ++i) {
        w->normal[i] = (float)wide.normal[i];
        w->low[i] = (float)wide.low[i];
        w->high[i] = (float)wide.high[i];
        w->at[i] = (float)wide.at[i];
    }
    w->offset = (float)wide.offset;
    w->radius = (float)wide.radius;
    w->square = (float)wide.square;
    w->twice = (float)wide.twice;
    w->inverse = (float)wide.inverse;
    w->slack = (float)fmin(0x1p29 * wide.slack, 0.25 * wide.square);
    w->minus_bounce = (float)wide.minus_bounce;
    w->rests_below = wide.rests_below < 1.0 ? 0x1p-12F : 1.0F;
    w->room = (float)(0x1p26 * wide.room);
    w->friction = (float)wide.friction;
    w->keep = (float)wide.keep;
    w->minus_friction_normal = (float)wide.minus_friction_normal;
    w->sliding = (float)wide.sliding;
    w->sticking = (float)wide.sticking;
    w->kind = wide.kind;
    w->inside = wide.inside;
    w->rubs = wide.rubs;
    w->is_coulomb = wide.is_coulomb;
    memcpy(w->velocity, wide.velocity, sizeof w->velocity);
    w->since = wide.since;
    w->moves = wide.moves;
}

void kdr_wall_fold_f32(const kdr_collider *c, int dims, kdr_wall_f32 *w) {
    kdr_wall_f64 wide;
    kdr_wall_fold_f64(c, dims, &wide);
    narrow(&wide, w);
}

void kdr_wall_of_constraint_f32(const kdr_constraint *c, int dims, kdr_wall_f32 *w) {
    kdr_wall_f64 wide;
    kdr_wall_of_constraint_f64(c, dims, &wide);
    narrow(&wide, w);
}

static void clear_within(int i, double least, double most, double low[3], double high[3]) {
    low[i] = least > low[i] ? least : low[i];
    high[i] = most < high[i] ? most : high[i];
}

static void clear_of_wall(const kdr_wall_f64 *w, int dims, double low[3], double high[3]) {
    for (int i = 0; i < dims; ++i) {
        if (w->moves) {
            clear_within(i, INFINITY, -INFINITY, low, high);
        } else if (w->kind == KDR_COLLIDER_BOX && w->inside) {
            clear_within(i, w->low[i], w->high[i], low, high);
        } else if (w->kind == KDR_COLLIDER_SPHERE && w->inside) {
            const double half = 0.57 * w->radius - 0x1p-20 * fabs(w->at[i]); /* 1 / sqrt(3) = 0.577 */
            clear_within(i, w->at[i] - half, w->at[i] + half, low, high);
        } else if (w->kind == KDR_COLLIDER_PLANE && fabs(w->normal[i]) == 1.0) {
            clear_within(i, w->normal[i] > 0 ? w->offset : -INFINITY, w->normal[i] > 0 ? INFINITY : -w->offset, low, high);
        } else if (w->kind == KDR_COLLIDER_PLANE ? w->normal[i] != 0 : w->kind != KDR_WALL_NONE) {
            clear_within(i, INFINITY, -INFINITY, low, high);
        }
    }
}

/* Converts the members of a wall that are used here. */
static kdr_wall_f64 widen(const kdr_wall_f32 *from) {
    kdr_wall_f64 w = {.offset = from->offset, .radius = from->radius, .kind = from->kind, .inside = from->inside, .moves = from->moves};
    for (int i = 0; i < 3; ++i) {
        w.normal[i] = from->normal[i];
        w.low[i] = from->low[i];
        w.high[i] = from->high[i];
        w.at[i] = from->at[i];
    }
    return w;
}

void kdr_walls_clear(const void *walls, size_t count, kdr_real real, int dims, double low[3], double high[3]) {
    for (size_t n = 0; n < count; ++n) {
        const kdr_wall_f64 w = real == KDR_F32 ? widen((const kdr_wall_f32 *)walls + n) : ((const kdr_wall_f64 *)walls)[n];
        clear_of_wall(&w, dims, low, high);
    }
}
