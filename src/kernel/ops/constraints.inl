/* Planes and spheres that particles are held on, and ropes. */

/* A constraint of a plane. */
INLINE void hold_on_plane(const wall *w, int D, travel *t) {
    const vr zero = v_set1(0), gap = gap_of_plane(w, D, t->x);
    vr n[3];
    FOR_AXES(i, D) { n[i] = v_set1(w->normal[i]); }
    const vr speed = dot_of(D, t->v, n);
    FOR_AXES(i, D) {
        t->x[i] = mul_add(v_sub(zero, gap), n[i], t->x[i]);
        t->v[i] = mul_add(v_sub(zero, speed), n[i], t->v[i]);
    }
    t->hit = v_at_most(zero, zero);
}

/* The constraint of a rod; or that of a rope, which lets the way go on to where it is taut. */
INLINE void hold_on_sphere(const wall *w, int D, bool rope, travel *t) {
    const vr zero = v_set1(0), one = v_set1(1), length = v_set1(w->radius), twice = v_set1(w->twice);
    crossing s;
    vr rest = one, n[3], e[3], y[3], z[3];
    vm held = v_at_most(zero, zero);
    if (rope) {
        cross_sphere(w, D, true, t->x0, t->x, &s);
        held = v_less(zero, s.excess);
        s.f = v_select(v_less(s.excess0, v_set1(-w->slack)), clamp_to_one(s.f), zero);
        rest = v_sub(one, s.f);
        FOR_AXES(i, D) {
            n[i] = mul_add(s.f, s.d[i], s.r0[i]);
            e[i] = v_mul(rest, s.d[i]);
        }
    } else {
        FOR_AXES(i, D) {
            n[i] = v_sub(t->x0[i], v_set1(w->at[i]));
            s.r[i] = v_sub(t->x[i], v_set1(w->at[i]));
            e[i] = v_sub(t->x[i], t->x0[i]);
        }
    }
    const vr reach = normalise(D, n);
    FOR_AXES(i, D) { y[i] = mul_add(twice, n[i], e[i]); }
    const vr c = dot_of(D, e, y), b = v_add(length, dot_of(D, n, e)), square = mul_add(b, b, v_sub(zero, c));
    const vm fits = m_and(v_less(zero, reach), m_and(v_less(zero, b), v_at_most(zero, square)));
    const vr pull = v_div(v_sub(zero, c), v_add(b, v_sqrt(square))), time = v_mul(rest, v_set1(t->h));
    const vr far = v_sqrt(dot_of(D, s.r, s.r)), scale = v_select_zero(far, zero, v_div(length, far));
    FOR_AXES(i, D) {
        y[i] = v_select(fits, mul_add(v_add(length, pull), n[i], e[i]), v_mul(s.r[i], scale));
        z[i] = v_mul(v_set1(w->inverse), y[i]);
    }
    /* A rope leaves a velocity alone that leads inwards, as the run goes. One that leads outwards becomes tangent, whatever rounding the
     * pulse of a short time has along the line. */
    const vr outwards = dot_of(D, t->v, z);
    const vm acts = !rope ? held : t->h < 0 ? v_less(outwards, zero) : v_less(zero, outwards);
    if (rope) { /* within the roundings of a place it is taut */
        held = m_or(held, m_and(acts, v_less(v_set1(-w->slack), s.excess)));
    }
    const vr pulse = v_select(m_and(acts, fits), v_select_zero(time, zero, v_div(pull, time)), zero);
    FOR_AXES(i, D) { n[i] = mul_add(pulse, n[i], t->v[i]); }
    const vr speed = v_select(acts, dot_of(D, n, z), zero);
    FOR_AXES(i, D) {
        t->x[i] = v_select(held, v_add(v_set1(w->at[i]), y[i]), t->x[i]);
        t->v[i] = v_select(held, mul_add(v_sub(zero, speed), z[i], n[i]), t->v[i]);
    }
    t->hit = m_or(t->hit, held);
}
