/* A plane without friction, and what others share with it: the order is that of force/collider.h. */

/* A vector of particles on its way from x0, v0 to x, v. */
typedef struct travel {
    vr x0[3], v0[3], x[3], v[3];
    vm hit;      /* made contact, or was held */
    vr bounces;  /* how often it bounced */
    vr taken[2]; /* kinetic energy a unit of mass that restitution and friction took */
    real h;      /* the step */
    const kdr_tile *tile;
    int vector;           /* of the tile */
    unsigned mass_column; /* or KDR_NO_COLUMN */
    vm gone;              /* is held behind an absorbing boundary, and makes no contact */
    size_t wall;          /* that is looked at */
} travel;

INLINE vr dot(int D, const vr *a, const vr *b) {
    vr sum = v_mul(a[0], b[0]);
    EACH(i, D - 1) { sum = mul_add(a[i + 1], b[i + 1], sum); }
    return sum;
}

INLINE vr plane_gap(const wall *w, int D, const vr *x) {
    vr gap = v_set1(-w->offset);
    EACH(i, D) { gap = mul_add(v_set1(w->normal[i]), x[i], gap); }
    return gap;
}

/* A surface as it is met: the fraction, what x is behind it, and the normal velocities before and after. */
typedef struct contact {
    vr f, gap, w0, w;
} contact;

/* What it does along the normal. */
typedef struct response {
    vr at, push, dv, dx, taken[2];
    vm bounces;
} response;

INLINE vr fraction_of(vr gap0, vr gap) { return v_select(v_less(v_set1(0), gap0), v_div(gap0, v_sub(gap0, gap)), v_set1(0)); }

/* Kinetic energy that a velocity loses on the way from one value to another, a unit of mass. */
INLINE vr energy_between(vr before, vr after) { return v_mul(v_set1((real)0.5), v_mul(v_sub(before, after), v_add(before, after))); }

INLINE response respond(const wall *w, const contact *k) {
    const vr zero = v_set1(0), minus_bounce = v_set1(w->minus_bounce);
    const vr change = v_sub(k->w, k->w0), at = mul_add(k->f, change, k->w0);
    const vm bounces = m_and(v_less(at, zero), v_less(at, change));
    const vr stop = v_max(v_sub(zero, k->w), zero);
    response r;
    r.bounces = bounces;
    r.push = v_select(bounces, v_mul(minus_bounce, at), stop);
    r.dx = v_mul(v_select(bounces, minus_bounce, v_set1(-1)), k->gap);
    const vr pushed = v_add(k->w, r.push);
    r.dv = mul_add(v_set1(w->minus_friction_normal), pushed, r.push);
    r.at = at;
    r.taken[KDR_RESTITUTION] = energy_between(v_min(at, zero), v_select(bounces, v_add(at, r.push), zero));
    r.taken[KDR_FRICTION] = energy_between(pushed, v_add(k->w, r.dv));
    return r;
}

/* A contact without friction. Those that bounce have done so in v0 too. */
INLINE void repel(int D, const vr *n, vm hit, const response *r, travel *t) {
    const vm bounces = m_and(hit, r->bounces);
    EACH(i, D) {
        t->x[i] = v_select(hit, mul_add(r->dx, n[i], t->x[i]), t->x[i]);
        t->v[i] = v_select(hit, mul_add(r->dv, n[i], t->v[i]), t->v[i]);
        t->v0[i] = v_select(bounces, mul_add(r->dv, n[i], t->v0[i]), t->v0[i]);
    }
}

/* Puts back what a surface has carried out of this one. */
INLINE void keep_behind_plane(const wall *w, int D, vr *x) {
    for (int time = 0; time < 2; ++time) {
        const vr gap = plane_gap(w, D, x);
        const vm out = v_less(gap, v_set1(0));
        if (!m_any(out)) {
            return;
        }
        EACH(i, D) { x[i] = v_select(out, mul_add(v_sub(v_set1(0), gap), v_set1(w->normal[i]), x[i]), x[i]); }
    }
}

/* What a plane leaves of the way of those that have `hit` it, and no other surface. */
INLINE void land_on(const wall *w, int D, vr gap, vm hit, travel *t) {
    vr normal[3], kept[3];
    EACH(i, D) { normal[i] = v_set1(w->normal[i]); }
    const contact k = {fraction_of(plane_gap(w, D, t->x0), gap), gap, dot(D, t->v0, normal), dot(D, t->v, normal)};
    const response r = respond(w, &k);
    repel(D, normal, hit, &r, t);
    EACH(i, D) { kept[i] = t->x[i]; }
    keep_behind_plane(w, D, kept);
    EACH(i, D) { t->x[i] = v_select(hit, kept[i], t->x[i]); }
}
