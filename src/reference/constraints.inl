/* Planes and spheres that particles are held on, and ropes. */

/* On a plane: what is off it, and the velocity off it, are taken away. */
static void hold_on_plane(travel *t, const wall *w) {
    particle *const p = t->p;
    const real gap = plane_gap(p, w, p->x), speed = dot(p, p->v, w->normal);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = mul_add(p, 0 - gap, w->normal[i], p->x[i]);
        p->v[i] = mul_add(p, 0 - speed, w->normal[i], p->v[i]);
    }
    t->hit = true;
}

/* On a sphere of radius L, from the point L n of it along e, in the time given: Shake's multiplier, a quadratic equation, for the position,
 * |e + (L + pull) n| = L, the same impulse for the velocity; then Rattle's, so that v is tangent (HLW VII.1.4). A rope does not push: it
 * leaves a velocity alone that leads inwards, as the run goes, and makes one tangent that leads outwards. The pull is as exact as the
 * position; over a short time the impulse is rounding, and what it has of that along the line goes with the speed outwards. */
static void hold(travel *t, const wall *w, const real n[3], real reach, const real e[3], real time, bool rope, bool outside) {
    particle *const p = t->p;
    real y[3] = {0}, z[3] = {0}, v[3] = {0};
    for (int i = 0; i < p->dims; ++i) {
        y[i] = mul_add(p, w->twice, n[i], e[i]);
    }
    const real c = dot(p, e, y), b = w->radius + dot(p, n, e), square = mul_add(p, b, b, 0 - c);
    const bool fits = 0 < reach && 0 < b && 0 <= square;
    const real pull = (0 - c) / (b + square_root(square));
    for (int i = 0; i < p->dims; ++i) {
        y[i] = fits ? mul_add(p, w->radius + pull, n[i], e[i]) : p->x[i] - w->at[i];
    }
    if (!fits) { /* a quarter turn or more: straight to the sphere */
        const real far = square_root(dot(p, y, y)), scale = far == 0 ? 0 : w->radius / far;
        for (int i = 0; i < p->dims; ++i) {
            y[i] *= scale;
        }
    }
    for (int i = 0; i < p->dims; ++i) {
        z[i] = w->inverse * y[i];
    }
    const real outwards = dot(p, p->v, z);
    const bool acts = !rope || (p->clock->dt < 0 ? outwards < 0 : 0 < outwards);
    if (!acts && !outside) {
        return;
    }
    const real impulse = acts && fits && time != 0 ? pull / time : 0;
    for (int i = 0; i < p->dims; ++i) {
        v[i] = mul_add(p, impulse, n[i], p->v[i]);
    }
    const real speed = acts ? dot(p, v, z) : 0;
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = w->at[i] + y[i];
        p->v[i] = mul_add(p, 0 - speed, z[i], v[i]);
    }
    t->hit = true;
}

static void hold_on_rod(travel *t, const wall *w) {
    const particle *const p = t->p;
    real n[3], e[3];
    for (int i = 0; i < p->dims; ++i) {
        n[i] = t->x0[i] - w->at[i];
        e[i] = p->x[i] - t->x0[i];
    }
    const real reach = normalise(p, n);
    hold(t, w, n, reach, e, (real)p->clock->dt, false, true);
}

/* A rope lets the way go on to where it is taut; what is left of the step is a rod's. Within the roundings of a place it is taut: otherwise
 * it would let go in every other short step, and catch the particle again. */
static void hold_on_rope(travel *t, const wall *w) {
    const particle *const p = t->p;
    crossing s;
    cross_sphere(p, t->x0, p->x, w, true, &s);
    if (!(-w->slack < s.excess)) {
        return;
    }
    const real f = s.excess0 < -w->slack ? clamp_to_one(s.f) : 0, rest = 1 - f;
    real n[3], e[3];
    for (int i = 0; i < p->dims; ++i) {
        n[i] = mul_add(p, f, s.d[i], s.r0[i]);
        e[i] = rest * s.d[i];
    }
    const real reach = normalise(p, n);
    hold(t, w, n, reach, e, rest * (real)p->clock->dt, true, 0 < s.excess);
}
