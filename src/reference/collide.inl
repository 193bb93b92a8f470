/* Constraints, then colliders, then the boundary: what they do to a particle after a step, in the order that force/collider.h sets. */

static void meet_wall(travel *t, const wall *w) {
    if (w->kind == KDR_WALL_ROD) {
        hold_on_rod(t, w);
    } else if (w->kind == KDR_WALL_ROPE) {
        hold_on_rope(t, w);
    } else if (w->kind == KDR_WALL_ON_PLANE) {
        hold_on_plane(t, w);
    } else if (w->kind == KDR_COLLIDER_PLANE) {
        meet_plane(t, w);
    } else if (w->kind == KDR_COLLIDER_SPHERE) {
        meet_sphere(t, w);
    } else if (w->kind == KDR_COLLIDER_BOX && w->inside) {
        meet_box_from_inside(t, w);
    } else if (w->kind == KDR_COLLIDER_BOX) {
        meet_box_from_outside(t, w);
    }
}

static void keep_before_plane(const particle *p, const wall *w, real x[3]) {
    for (int time = 0; time < 2; ++time) {
        const real gap = plane_gap(p, w, x);
        for (int i = 0; i < p->dims && gap < 0; ++i) {
            x[i] = mul_add(p, -gap, w->normal[i], x[i]);
        }
    }
}

static void keep_in_box(const particle *p, const wall *w, real x[3]) {
    for (int i = 0; i < p->dims; ++i) {
        x[i] = x[i] < w->low[i] ? w->low[i] : x[i];
        x[i] = w->high[i] < x[i] ? w->high[i] : x[i];
    }
}

static void keep_out_of_box(const particle *p, const wall *w, real x[3]) {
    for (int i = 0; i < p->dims; ++i) {
        if (!(w->low[i] < x[i] && x[i] < w->high[i])) {
            return;
        }
    }
    real side = 0;
    const int axis = nearest_face(p, w, x, &side);
    x[axis] = side < 0 ? w->low[axis] : w->high[axis];
}

static void keep_at_sphere(const particle *p, const wall *w, real x[3]) {
    real r[3];
    const real excess = sphere_excess(p, w, x, r), square = dot(p, r, r);
    const bool out = w->inside ? 0 < excess : excess < 0;
    const real scale = w->radius / square_root(square);
    for (int i = 0; i < p->dims && out && 0 < square; ++i) {
        x[i] = mul_add(p, scale, r[i], w->at[i]);
    }
}

/* The nearest place, for what another surface carried out of this one. */
static void keep_at_wall(const particle *p, const wall *w, real x[3]) {
    if (w->kind == KDR_COLLIDER_PLANE) {
        keep_before_plane(p, w, x);
    } else if (w->kind == KDR_COLLIDER_SPHERE) {
        keep_at_sphere(p, w, x);
    } else if (w->kind == KDR_COLLIDER_BOX && w->inside) {
        keep_in_box(p, w, x);
    } else if (w->kind == KDR_COLLIDER_BOX) {
        keep_out_of_box(p, w, x);
    }
}

/* Constraints first, then colliders; then what a collider carried out of another is put back. */
static void meet_walls(travel *t) {
    particle *const p = t->p;
    const kdr_problem *const problem = p->problem;
    wall w;
    for (size_t i = 0; i < problem->constraint_count; ++i) {
        wall_of_constraint(&problem->constraints[i], p->dims, &w);
        meet_wall(t, &w);
    }
    for (size_t i = 0; i < problem->collider_count; ++i) {
        fold_wall(&problem->colliders[i], p->dims, &w);
        t->surface = i;
        meet_wall(t, &w);
    }
    for (size_t i = 0; i < problem->collider_count && t->hit; ++i) {
        fold_wall(&problem->colliders[i], p->dims, &w);
        keep_at_wall(p, &w, p->x);
    }
}

/* Back by whole periods. */
static void wrap(travel *t) {
    const kdr_boundary *const boundary = &t->p->problem->boundary;
    for (int i = 0; i < t->p->dims; ++i) {
        const double width = boundary->max[i] - boundary->min[i];
        const real low = (real)boundary->min[i], high = (real)boundary->max[i], size = (real)width, x = t->p->x[i];
        if (boundary->min[i] < boundary->max[i] && (x < low || high <= x)) {
            const real whole = ((x - low) * (real)(1.0 / width) + ROUNDER) - ROUNDER;
            const real near = mul_add(t->p, -size, whole, x), back = near < low ? near + size : near;
            const real periods = (near < low ? whole - 1 : whole) + (high <= back ? 1 : 0);
            t->p->x[i] = low <= back && back < high ? back : low;
            t->p->images[i] += -0x1p31 < periods && periods < 0x1p31 ? (uint32_t)(int32_t)periods : 0;
            t->hit = true;
        }
    }
}

/* An absorbing boundary holds a particle that is outside. */
static bool is_absorbed(const particle *p) {
    const kdr_boundary *const boundary = &p->problem->boundary;
    bool outside = false;
    for (int i = 0; i < p->dims && boundary->kind == KDR_BOUNDARY_ABSORBING; ++i) {
        const real low = (real)boundary->min[i], high = (real)boundary->max[i];
        outside = outside || (boundary->min[i] < boundary->max[i] && (p->x[i] < low || high < p->x[i]));
    }
    return outside;
}

/* After step n, which began at x0, v0. */
static void after_step(particle *p, uint64_t n, const real x0[3], const real v0[3]) {
    travel t = {.p = p, .x0 = x0, .v0 = {v0[0], v0[1], v0[2]}, .step = n};
    meet_walls(&t);
    if (p->problem->boundary.kind == KDR_BOUNDARY_PERIODIC) {
        wrap(&t);
    }
    p->hits += t.bounces;
    for (int k = 0; k < 2; ++k) {
        if (t.taken[k] != 0) {
            p->dissipated[k] += (double)t.taken[k] / (double)p->w;
        }
    }
    if (!t.hit) {
        return;
    }
    memset(p->cx, 0, sizeof p->cx);
    memset(p->cv, 0, sizeof p->cv);
    if (p->keeps) {
        acceleration(p, p->x, p->v, n, 1.0, p->a);
    }
}
