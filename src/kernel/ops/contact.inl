/* What a surface that is met does to a vector of particles, in the order that force/collider.h sets. */

INLINE vr positive_or_zero(vr a) { return v_max(a, v_set1(0)); }

/* |x - at|^2 - R^2, and x - at. */
INLINE vr sphere_excess(const wall *w, int D, const vr *x, vr *r) {
    vr excess = v_set1(-w->square);
    FOR_AXES(i, D) {
        r[i] = v_sub(x[i], v_set1(w->at[i]));
        excess = mul_add(r[i], r[i], excess);
    }
    return excess;
}

/* On some axis all of the way is beyond one side of an outer box. */
INLINE vm box_passes(const wall *w, int D, const vr *x0, const vr *x) {
    vm passes = m_none();
    FOR_AXES(i, D) {
        const vr low = v_set1(w->low[i]), high = v_set1(w->high[i]);
        passes = m_or(passes, m_and(v_at_most(x0[i], low), v_less(x[i], low)));
        passes = m_or(passes, m_and(v_at_most(high, x0[i]), v_less(high, x[i])));
    }
    return passes;
}

/* What friction makes of the motion along a surface: the velocity there at the end of the step, what the contact took of it, by how much
 * the position is shifted, from where it was met if the particle `stays`; and the kinetic energy taken, a unit of mass. */
typedef struct friction {
    vr v[3], lost[3], shift[3], taken;
    vm stays;
} friction;

/* Coulomb's friction of a velocity that would go from b to b + c: it loses begin b + gain c, or stays, having stopped at the fraction
 * `stop`. */
typedef struct coulomb {
    vr begin, gain, stop;
    vm stays;
} coulomb;

INLINE coulomb coulomb_of(const wall *w, int D, const response *r, const vr *b, const vr *c) {
    const vr zero = v_set1(0), slides = v_mul(v_set1(w->sliding), r->push), sticks = v_mul(v_set1(w->sticking), r->push);
    const vr square = dot(D, b, b), product = dot(D, b, c), gained = dot(D, c, c), speed = v_sqrt(square), gain = v_sqrt(gained);
    const vr need = mul_add(v_select(r->bounces, sticks, slides), speed, v_sub(zero, product));
    const vm stops = v_at_most(square, need), holds = v_at_most(gain, sticks), moved = v_less(zero, need);
    const vm turns = m_but(m_and(stops, moved), holds);
    const vr mean = v_sqrt(mul_add(v_set1((real)0.25), gained, v_add(square, product)));
    coulomb f = {.stop = v_select(moved, v_div(square, need), zero), .stays = m_and(stops, holds)};
    f.begin = v_div(slides, mean);
    f.gain = v_mul(v_set1((real)0.5), f.begin);
    if (m_any(turns)) {
        f.begin = v_select(turns, v_div(v_mul(slides, speed), need), f.begin);
        f.gain = v_select(turns, v_div(v_mul(slides, v_sub(v_set1(1), f.stop)), gain), f.gain);
    }
    return f;
}

/* Friction of a contact, given the velocity along the surface when it begins and the one at the end of the step without it. */
INLINE friction rub(const wall *w, int D, const contact *k, const response *r, real h, const vr *begin, const vr *end) {
    const vr zero = v_set1(0), half = v_set1((real)0.5), keep = v_set1(w->keep);
    vr until[3], b[3] = {zero, zero, zero}, c[3] = {zero, zero, zero}, p[3] = {zero, zero, zero}, q[3] = {zero, zero, zero};
    FOR_AXES(i, D) {
        until[i] = v_select(r->bounces, begin[i], end[i]);
        b[i] = v_mul(keep, begin[i]);
        c[i] = v_sub(v_mul(keep, until[i]), b[i]);
    }
    coulomb f = {zero, zero, zero, v_at_most(keep, zero)};
    if (w->is_coulomb) {
        f = coulomb_of(w, D, r, b, c);
    }
    const vm rests = m_but(f.stays, r->bounces), flies = m_but(r->bounces, m_and(f.stays, v_at_most(v_add(k->w, r->push), zero)));
    const vr time = v_mul(v_sub(v_set1(1), k->f), v_set1(h)), halved = v_mul(half, time);
    const vr late = v_select(rests, v_mul(halved, f.stop), v_sub(zero, v_select(r->bounces, time, halved)));
    friction out = {.stays = rests};
    FOR_AXES(i, D) {
        const vr rubbed = mul_add(v_sub(zero, f.gain), c[i], mul_add(v_sub(zero, f.begin), b[i], v_mul(keep, until[i])));
        const vr left = v_select(f.stays, zero, rubbed);
        out.lost[i] = v_sub(until[i], left);
        out.v[i] = v_select(flies, v_add(left, v_sub(end[i], begin[i])), left);
        out.shift[i] = v_mul(late, v_select(rests, b[i], out.lost[i]));
        p[i] = v_select(rests, begin[i], out.lost[i]);
        q[i] = v_select(rests, mul_add(f.stop, c[i], begin[i]), v_add(begin[i], left));
    }
    out.taken = positive_or_zero(v_mul(half, dot(D, p, q)));
    return out;
}

/* A velocity that is so small that it would go on to denormals is none. */
INLINE vr without_denormals(vr v) {
    const vm is_nothing = m_and(v_less(v, v_set1(NOTHING)), v_less(v_set1(-NOTHING), v));
    return v_select(is_nothing, v_set1(0), v);
}

INLINE vr met_at(const travel *t, int i, vr f) { return mul_add(f, v_sub(t->x[i], t->x0[i]), t->x0[i]); }

/* The velocity when a contact begins: of a bounce when the surface is met, of a lasting one when the step begins. */
INLINE vr velocity_at_first(const travel *t, int i, vr f, vm bounces) {
    return v_select(bounces, mul_add(f, v_sub(t->v[i], t->v0[i]), t->v0[i]), t->v0[i]);
}

INLINE void count_rubbed(travel *t, vm hit, vr taken) {
    t->taken[KDR_FRICTION] = v_add(t->taken[KDR_FRICTION], v_select(hit, taken, v_set1(0)));
}

INLINE void count_contact(travel *t, vm hit, const response *r) {
    t->hit = m_or(t->hit, hit);
    t->bounces = v_add(t->bounces, v_select(m_and(hit, r->bounces), v_set1(1), v_set1(0)));
    EACH(k, 2) { t->taken[k] = v_add(t->taken[k], v_select(hit, r->taken[k], v_set1(0))); }
}

/* Writes down the bounces of a vector: where the surface was met, and the velocity before it was. */
static NOINLINE void note_bounces(int D, const travel *t, vm bounces, vr f, const vr *met, const vr *before) {
    const kdr_tile *const tile = t->tile;
    const kdr_job *const job = tile->job;
    real number[LANES], fraction[LANES], mass[LANES], x[3][LANES], change[3][LANES];
    v_store(number, v_select(bounces, v_set1(1), v_set1(0)));
    v_store(fraction, f);
    v_store(mass, t->mass_column == KDR_NO_COLUMN ? v_set1(1) : get(column(tile, t->mass_column), t->vector));
    FOR_AXES(i, D) {
        v_store(x[i], met[i]);
        v_store(change[i], v_sub(t->v[i], before[i]));
    }
    for (size_t lane = 0; lane < LANES; ++lane) {
        const size_t at = (size_t)t->vector * LANES + lane, index = tile->first + at;
        if (at >= tile->count || number[lane] == 0 || mass[lane] == 0) {
            continue;
        }
        kdr_contact bounce = {
            .particle = job->index ? job->index[index] : index, .step = tile->step, .surface = t->wall - job->first_collider};
        for (int i = 0; i < D; ++i) {
            bounce.x[i] = (double)x[i][lane];
            bounce.impulse[i] = (double)change[i][lane] / (double)mass[lane];
        }
        job->note(job->recorder, &bounce, (double)fraction[lane]);
    }
}

/* What a plane or a sphere that was hit does to the motion. Returns the lanes that bounce. */
INLINE vm push_off(const wall *w, int D, const vr *n, vm hit, vr f, vr gap, travel *t) {
    const vr zero = v_set1(0);
    const contact k = {f, gap, dot(D, t->v0, n), dot(D, t->v, n)};
    const response r = respond(w, &k);
    const vm bounces = m_and(hit, r.bounces);
    count_contact(t, hit, &r);
    if (!w->rubs) {
        repel(D, n, hit, &r, t);
        return bounces;
    }
    const vr across = v_select(r.bounces, r.at, k.w0);
    vr begin[3], end[3];
    FOR_AXES(i, D) {
        begin[i] = mul_add(v_sub(zero, across), n[i], velocity_at_first(t, i, f, r.bounces));
        end[i] = mul_add(v_sub(zero, k.w), n[i], t->v[i]);
    }
    const friction rubbed = rub(w, D, &k, &r, t->h, begin, end);
    count_rubbed(t, hit, rubbed.taken);
    FOR_AXES(i, D) {
        const vr x = v_add(v_select(rubbed.stays, met_at(t, i, f), mul_add(r.dx, n[i], t->x[i])), rubbed.shift[i]);
        const vr v = without_denormals(mul_add(v_add(k.w, r.dv), n[i], rubbed.v[i]));
        t->x[i] = v_select(hit, x, t->x[i]);
        t->v[i] = v_select(hit, v, t->v[i]);
        t->v0[i] = v_select(bounces, v_sub(mul_add(r.dv, n[i], t->v0[i]), rubbed.lost[i]), t->v0[i]);
    }
    return bounces;
}

/* What a face of a box that was hit does to the motion on axis i, whose normal is `side`, 1 or -1. */
INLINE vm push_off_face(const wall *w, int D, int i, vr side, vm hit, vr f, vr gap, travel *t) {
    const contact k = {f, gap, v_mul(side, t->v0[i]), v_mul(side, t->v[i])};
    const response r = respond(w, &k);
    const vm bounces = m_and(hit, r.bounces);
    t->x[i] = v_select(hit, mul_add(r.dx, side, t->x[i]), t->x[i]);
    t->v[i] = v_select(hit, mul_add(r.dv, side, t->v[i]), t->v[i]);
    t->v0[i] = v_select(bounces, mul_add(r.dv, side, t->v0[i]), t->v0[i]);
    count_contact(t, hit, &r);
    if (!w->rubs || D == 1) {
        return bounces;
    }
    const int axis[2] = {i == 0 ? 1 : 0, i == 2 ? 1 : 2}; /* the other axes, the second where there is one */
    vr begin[2], end[2];
    FOR_AXES(j, D - 1) {
        begin[j] = velocity_at_first(t, axis[j], f, r.bounces);
        end[j] = t->v[axis[j]];
    }
    const friction rubbed = rub(w, D - 1, &k, &r, t->h, begin, end);
    count_rubbed(t, hit, rubbed.taken);
    FOR_AXES(j, D - 1) {
        const int m = axis[j];
        const vr x = v_add(v_select(rubbed.stays, met_at(t, m, f), t->x[m]), rubbed.shift[j]);
        t->x[m] = v_select(hit, x, t->x[m]);
        t->v[m] = v_select(hit, without_denormals(rubbed.v[j]), t->v[m]);
        t->v0[m] = v_select(bounces, v_sub(t->v0[m], rubbed.lost[j]), t->v0[m]);
    }
    return bounces;
}

/* What a plane or a sphere that is hit does, written down where somebody does so. One for any number of axes, as below: it is called where
 * something is met, and large. */
static NOINLINE void meet(const wall *w, int D, const vr *n, vm hit, vr f, vr gap, travel *t) {
    const bool recorded = t->tile->job->recorder != NULL;
    vr met[3], before[3];
    if (recorded) {
        FOR_AXES(i, D) {
            met[i] = met_at(t, i, f);
            before[i] = t->v[i];
        }
    }
    const vm bounces = push_off(w, D, n, hit, f, gap, t);
    if (recorded) {
        note_bounces(D, t, m_but(bounces, t->gone), f, met, before);
    }
}

/* What face i of a box does, written down likewise. */
static NOINLINE void meet_face(const wall *w, int D, int i, vr side, vm hit, vr f, vr gap, travel *t) {
    const bool recorded = t->tile->job->recorder != NULL;
    vr met[3], before[3];
    if (recorded) {
        FOR_AXES(j, D) {
            met[j] = met_at(t, j, f);
            before[j] = t->v[j];
        }
    }
    const vm bounces = push_off_face(w, D, i, side, hit, f, gap, t);
    if (recorded) {
        note_bounces(D, t, m_but(bounces, t->gone), f, met, before);
    }
}
