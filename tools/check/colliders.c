/* The colliders and constraints of the cases: lists of kinds, with random positions and surfaces. They are near the particles (data.c), so
 * that many particles hit them and some start on the wrong side. */
#include "colliders.h"

#include <string.h>

typedef kdr_check_colliders colliders_builder;

static double pick(kdr_check_random *random, double low, double high) { return kdr_check_random_between(random, low, high); }

/* Draws one of the ends of the range as often as a value between them, because kernels have branches of their own for 0 and 1. */
static double pick_or_end(kdr_check_random *random, double low, double high) {
    uint32_t die = kdr_check_random_below(random, 4);
    double value = pick(random, low, high);
    return die == 0 ? low : die == 1 ? high : value;
}

static void pick_vector(kdr_check_random *random, double low, double high, double vector[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        vector[axis] = pick(random, low, high);
    }
}

/* Draws the properties of a surface: restitution always, viscous friction with probability 1/2, friction of the normal velocity 1/4,
 * Coulomb friction 1/4. */
static void roughen(kdr_collider *collider, kdr_check_random *r) {
    uint32_t die = kdr_check_random_below(r, 8);
    double friction = pick_or_end(r, 0, 1), normal = pick_or_end(r, 0, 1), sliding = pick(r, 0, 1), sticking = pick(r, 0, 0.5);
    collider->restitution = pick_or_end(r, 0, 1);
    collider->friction = die % 2 ? friction : 0;
    collider->friction_normal = die / 2 == 1 ? normal : 0;
    collider->sliding = die / 2 == 2 ? sliding : 0;
    collider->static_friction = die == 4 ? sliding + sticking : 0;
}

/* Makes surfaces move in one list of three; some of them move alike. */
static void set_in_motion(kdr_check_colliders *colliders, kdr_check_random *r) {
    const bool moves = kdr_check_random_below(r, 3) == 0;
    for (int i = 0; i < colliders->count && moves; ++i) {
        kdr_collider *const c = &colliders->collider[i];
        const uint32_t die = kdr_check_random_below(r, 4);
        if (die == 3 && i > 0) {
            memcpy(c->velocity, c[-1].velocity, sizeof c->velocity);
            c->since = c[-1].since;
        } else if (die > 0) {
            pick_vector(r, -1, 1, c->velocity);
            c->since = pick(r, -0.5, 0.5);
        }
    }
}

void kdr_check_colliders_widen(kdr_check_colliders *colliders, double radius) {
    for (int i = 0; i < colliders->count; ++i) {
        kdr_collider *const c = &colliders->collider[i];
        for (int axis = 0; axis < 3 && c->kind == KDR_COLLIDER_BOX && c->as.box.inside; ++axis) {
            const bool narrow = c->as.box.max[axis] - c->as.box.min[axis] < 3 * radius;
            c->as.box.max[axis] = narrow ? c->as.box.min[axis] + 3 * radius : c->as.box.max[axis];
        }
    }
}

void kdr_check_colliders_stop(kdr_check_colliders *colliders) {
    for (int i = 0; i < colliders->count; ++i) {
        memset(colliders->collider[i].velocity, 0, sizeof colliders->collider[i].velocity);
    }
}

static void append(colliders_builder *b, kdr_collider collider, kdr_check_random *r) {
    roughen(&collider, r);
    b->collider[b->count++] = collider;
}

/* Adds a plane. One in two is perpendicular to an axis, as a floor is. The normal may have any length. */
static void add_plane(colliders_builder *b, kdr_check_random *r) {
    double point[3], normal[3];
    uint32_t die = kdr_check_random_below(r, 6);
    pick_vector(r, -1.5, 0, point);
    pick_vector(r, -2, 2, normal);
    for (int axis = 0; axis < 3 && die < 3; ++axis) {
        normal[axis] = axis == (int)die ? normal[axis] : 0;
    }
    append(b, kdr_collider_plane(point, normal), r);
}

static void add_box(colliders_builder *b, kdr_check_random *r, bool inside) {
    double low[3], size[3], high[3];
    pick_vector(r, -2, -0.5, low);
    pick_vector(r, 0.5, 3, size);
    bool thin = kdr_check_random_below(r, 8) == 0;
    for (int axis = 0; axis < 3; ++axis) {
        high[axis] = low[axis] + (thin ? 0.01 : 1) * size[axis];
    }
    append(b, kdr_collider_box(low, high, inside), r);
}

static void add_sphere(colliders_builder *b, kdr_check_random *r, bool inside) {
    double at[3], radius = inside ? pick(r, 1, 2.5) : pick(r, 0.05, 1.5);
    pick_vector(r, -0.5, 0.5, at);
    append(b, kdr_collider_sphere(at, radius, inside), r);
}

static void add_coulomb(colliders_builder *b, kdr_check_random *r, bool box) {
    if (box) {
        add_box(b, r, true);
    } else {
        add_plane(b, r);
    }
    kdr_collider *const last = &b->collider[b->count - 1];
    last->sliding = pick(r, 0, 1);
    last->static_friction = pick_or_end(r, last->sliding, 2);
}

enum collider_kind { END, PLANE, BOX, SPHERE_INSIDE, BOX_OUTSIDE, SPHERE_OUTSIDE, COULOMB_PLANE, COULOMB_BOX };

static const unsigned char lists[COLLIDERS_LISTS][KDR_CHECK_MAX_COLLIDERS] = {
    {END},
    {PLANE},
    {BOX},
    {SPHERE_INSIDE},
    {BOX_OUTSIDE},
    {SPHERE_OUTSIDE},
    {PLANE, PLANE, PLANE},
    {PLANE, BOX_OUTSIDE, SPHERE_OUTSIDE, PLANE, BOX, SPHERE_INSIDE, BOX_OUTSIDE, SPHERE_OUTSIDE, PLANE, BOX},
    {COULOMB_PLANE, COULOMB_BOX},
};

static void add(colliders_builder *b, enum collider_kind kind, kdr_check_random *r) {
    switch (kind) {
    case PLANE:
        add_plane(b, r);
        break;
    case BOX:
    case BOX_OUTSIDE:
        add_box(b, r, kind == BOX);
        break;
    case SPHERE_INSIDE:
    case SPHERE_OUTSIDE:
        add_sphere(b, r, kind == SPHERE_INSIDE);
        break;
    case COULOMB_PLANE:
    case COULOMB_BOX:
        add_coulomb(b, r, kind == COULOMB_BOX);
        break;
    case END:
        break;
    }
}

void kdr_check_colliders_build(kdr_check_colliders *colliders, int list, kdr_check_random *random) {
    memset(colliders, 0, sizeof *colliders);
    for (const unsigned char *kind = lists[list]; *kind != END; ++kind) {
        add(colliders, (enum collider_kind) * kind, random);
    }
    set_in_motion(colliders, random);
}

enum { ROD_LIST = 1, ROPE_LIST, PLANE_LIST, SPHERE_AND_PLANE_LIST };

void kdr_check_constraints_build(kdr_check_constraints *constraints, int list, kdr_check_random *random) {
    double to[3], normal[3], length = pick(random, 0.3, 2.5);
    pick_vector(random, -1, 1, to);
    pick_vector(random, -2, 2, normal);
    kdr_constraint *made = constraints->constraint;
    memset(constraints, 0, sizeof *constraints);
    if (list == ROD_LIST) {
        made[constraints->count++] = kdr_constraint_rod(to, length);
    }
    if (list == ROPE_LIST) {
        made[constraints->count++] = kdr_constraint_rope(to, length);
    }
    if (list == SPHERE_AND_PLANE_LIST) {
        made[constraints->count++] = kdr_constraint_sphere(to, length);
    }
    if (list == PLANE_LIST || list == SPHERE_AND_PLANE_LIST) {
        made[constraints->count++] = kdr_constraint_plane(to, normal);
    }
}
