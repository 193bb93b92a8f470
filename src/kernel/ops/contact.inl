/* The effect of a surface on a vector of particles that meet it, in the order that force/collider.h sets. */

enum { JOIN_ROUNDS = 2 }; /* rounds that put a particle on constraints and surfaces at once */

/* A meeting of flights with surfaces, per lane: the fraction of the flight, the normal n, and the velocity `at` along it. */
typedef struct meeting {
    vm found;
    vr f, n[3], at;
    vr surface, face;   /* index of the wall; of a box, face 1 + 2 axis, plus 1 if its normal points up */
    vr rests_below;     /* the wall's */
    vm rubs;            /* the wall has friction */
    vm passes, touches; /* passes: the flight ends in front of the surface again; touches: it begins on the surface */
    vr begin;           /* velocity along the normal at the beginning of the flight */
} meeting;

/* The surfaces that a particle rests on during a flight, per lane: at most one per axis. Entries beyond the count demand nothing. */
typedef struct support {
    vr count, n[3][3], share[3], gap[3], surface[3], face[3], keep[3], sliding[3], sticking[3];
    vr from[3][3]; /* normals at the beginning of the flight, where they differ there */
    vr deep[3];    /* how far the flight begins beyond each surface, along `from` */
    vr u[3][3];    /* velocities of the surfaces */
    vr radius;     /* radius of the particle */
    vr held;       /* number of independent constraints on the particle */
    vm rubs[3], is_coulomb[3];
    vr f, met[3];      /* fraction of the flight, and place, at which the latest surface was met */
    vr lost[3], taken; /* velocity that friction takes, and kinetic energy per unit of mass */
} support;

INLINE vm v_equal(vr a, vr b) { return m_and(v_at_most(a, b), v_at_most(b, a)); }

INLINE vm m_every(void) { return v_at_most(v_set1(0), v_set1(0)); }

/* Return R or R^2 of a sphere for the centre of a ball of this radius. */
INLINE vr radius_for(const wall *w, vr radius) { return w->inside ? v_sub(v_set1(w->radius), radius) : v_add(v_set1(w->radius), radius); }

INLINE vr square_for(const wall *w, vr radius) {
    const vr twice = v_set1(w->twice), square = v_set1(w->square);
    return w->inside ? v_sub(square, v_mul(radius, v_sub(twice, radius))) : v_add(square, v_mul(radius, v_add(twice, radius)));
}

/* Returns |x - at|^2 - R^2, and x - at in r. */
INLINE vr sphere_excess(const wall *w, int D, vr square, const vr *x, vr *r) {
    vr excess = opposite(square);
    FOR_AXES(i, D) {
        r[i] = v_sub(x[i], v_set1(w->at[i]));
        excess = mul_add(r[i], r[i], excess);
    }
    return excess;
}

/* Returns the lanes with both ends beyond one side of the box on some axis; for a sphere, of the box around it. */
INLINE vm box_passes(const wall *w, int D, vr radius, const vr *x0, const vr *x) {
    const vr wide = w->kind == KDR_COLLIDER_SPHERE ? v_mul(v_set1(SPHERE_ROOM), radius) : radius;
    vm passes = m_none();
    FOR_AXES(i, D) {
        const vr low = v_sub(v_set1(w->low[i]), wide), high = v_add(v_set1(w->high[i]), wide);
        passes = m_or(passes, m_and(v_less(x0[i], low), v_less(x[i], low)));
        passes = m_or(passes, m_and(v_less(high, x0[i]), v_less(high, x[i])));
    }
    return passes;
}

/* Returns the kinetic energy per unit of mass that is lost between two velocities. */
INLINE vr energy_between(vr before, vr after) { return v_mul(v_set1((real)0.5), v_mul(v_sub(before, after), v_add(before, after))); }

/* Returns v, or 0 if it is so small that it would lead to denormals. */
INLINE vr without_denormals(vr v) {
    const vm is_nothing = m_and(v_less(v, v_set1(NOTHING)), v_less(v_set1(-NOTHING), v));
    return v_select(is_nothing, v_set1(0), v);
}

INLINE void count_taken(travel *t, int kind, vm lanes, vr taken) {
    t->taken[kind] = v_select(lanes, v_add(t->taken[kind], taken), t->taken[kind]);
}

/* Converts a value along the free part of a normal to one along the normal itself; 0 if nothing is free. */
INLINE vr per_share(vr along, vr share) { return v_select(v_less(v_set1(0), share), v_div(along, share), v_set1(0)); }

/* Changes the velocity v by bounces and landings on one wall. */
static NOINLINE void reflect(const wall *w, int D, vm lanes, vr minus_bounce, const vr *n, vr share, travel *t, vr *v) {
    const vr at = dot_of(D, v, n), push = v_mul(minus_bounce, at), left = v_add(at, push), impulse = per_share(push, share);
    const vr kept = mul_add(v_set1(w->minus_friction_normal), left, left);
    vr along[3], rubbed[3], lost[3], sum[3];
    count_taken(t, KDR_RESTITUTION, lanes, energy_between(at, left));
    count_taken(t, KDR_FRICTION, lanes, energy_between(left, kept));
    FOR_AXES(i, D) {
        along[i] = mul_add(opposite(at), n[i], v[i]);
        rubbed[i] = v_mul(v_set1(w->keep), along[i]);
    }
    if (!w->rubs) {
        FOR_AXES(i, D) { v[i] = v_select(lanes, mul_add(v_sub(kept, at), n[i], v[i]), v[i]); }
        return;
    }
    const vr speed = v_sqrt(dot_of(D, rubbed, rubbed));
    const vm sticks = v_at_most(speed, v_mul(v_set1(w->sticking), impulse));
    const vr slides = v_div(v_sub(speed, v_mul(v_set1(w->sliding), impulse)), speed), factor = v_select(sticks, v_set1(0), slides);
    FOR_AXES(i, D) {
        rubbed[i] = v_mul(factor, rubbed[i]);
        lost[i] = v_sub(along[i], rubbed[i]);
        sum[i] = v_add(along[i], rubbed[i]);
        v[i] = v_select(lanes, without_denormals(mul_add(kept, n[i], rubbed[i])), v[i]);
    }
    count_taken(t, KDR_FRICTION, lanes, v_mul(v_set1((real)0.5), dot_of(D, lost, sum)));
}

/* Records the bounces of a vector off a wall, at fraction f of the step or drift: speed, place, velocities before and after. */
static NOINLINE void note_bounces(int D, const travel *t, size_t surface, vm bounces, vr f, vr speed, const vr *x, const vr *before,
                                  const vr *after) {
    const kdr_tile *const tile = t->tile;
    const kdr_job *const job = tile->job;
    real number[LANES], fraction[LANES], mass[LANES], place[3][LANES], change[3][LANES], into[LANES];
    v_store(number, v_select(bounces, v_set1(1), v_set1(0)));
    v_store(fraction, f);
    v_store(into, speed);
    v_store(mass, t->mass_column == KDR_NO_COLUMN ? v_set1(1) : get(column(tile, t->mass_column), t->vector));
    FOR_AXES(i, D) {
        v_store(place[i], x[i]);
        v_store(change[i], v_sub(after[i], before[i]));
    }
    for (size_t lane = 0; lane < LANES; ++lane) {
        const size_t at = (size_t)t->vector * LANES + lane, index = tile->first + at;
        if (at >= tile->count || number[lane] == 0 || mass[lane] == 0) {
            continue;
        }
        kdr_contact bounce = {
            .particle = job->index ? job->index[index] : index, .step = tile->step, .surface = surface, .speed = (double)into[lane]};
        for (int i = 0; i < D; ++i) {
            bounce.x[i] = (double)place[i][lane];
            bounce.impulse[i] = (double)change[i][lane] / (double)mass[lane];
        }
        job->note(job->recorder, &bounce, (double)t->begin + (double)t->span * (double)fraction[lane]);
    }
}

/* Computes `add` if all three normals, with products c, are needed. Returns the lanes where it can: the normals are not nearly in one
 * plane. */
INLINE vm all_three(vm lanes, vr c[3][3], const vr *demand, vr *add, vm *marks) {
    const vr one = v_set1(1), x = c[0][1], y = c[0][2], z = c[1][2];
    const vr xx = mul_add(y, z, opposite(x)), yy = mul_add(x, z, opposite(y)), zz = mul_add(x, y, opposite(z)),
             ww = mul_add(opposite(z), z, one);
    const vr determinant = mul_add(x, xx, mul_add(y, yy, ww));
    const vr last[3][3] = {{ww, xx, yy}, {xx, mul_add(opposite(y), y, one), zz}, {yy, zz, mul_add(opposite(x), x, one)}};
    const vm solved = m_and(lanes, v_less(v_set1(CONE_ROOM), determinant));
    EACH(i, 3) {
        add[i] = v_select(solved, v_div(dot_of(3, last[i], demand), determinant), add[i]);
        marks[i] = m_or(marks[i], solved);
    }
    return solved;
}

/* Computes `add` if two normals suffice. Returns the lanes where they do. */
INLINE vm two_of_three(vm open, const support *r, vr c[3][3], const vr *demand, vr room, vr *add, vm *marks) {
    const vr zero = v_set1(0), one = v_set1(1);
    vm solved = m_none();
    EACH(k, 3) {
        const int i = k == 2 ? 1 : 0, j = k == 0 ? 1 : 2, other = 2 - k;
        const vr square = mul_add(opposite(c[i][j]), c[i][j], one), a = v_div(mul_add(opposite(c[i][j]), demand[j], demand[i]), square),
                 b = v_div(mul_add(opposite(c[i][j]), demand[i], demand[j]), square);
        const vr rest = mul_add(opposite(c[i][other]), a, mul_add(opposite(c[j][other]), b, demand[other]));
        const vm two = m_and(v_less(v_set1((real)j), r->count), m_or(v_less(r->count, v_set1(3)), v_at_most(rest, room)));
        const vm enough = m_and(m_and(open, two), m_and(v_less(v_set1(CONE_ROOM), square), m_and(v_at_most(zero, a), v_at_most(zero, b))));
        add[i] = v_select(enough, a, add[i]);
        add[j] = v_select(enough, b, add[j]);
        marks[i] = m_or(marks[i], enough);
        marks[j] = m_or(marks[j], enough);
        open = m_but(open, enough);
        solved = m_or(solved, enough);
    }
    return solved;
}

/* Computes the nearest point of a cone: what must be added along the normals of a support so that no demand is left along any of them,
 * and nothing is added along a normal that does not need it. Marks the surfaces that are needed. */
static NOINLINE void nearest_in_cone(int D, const support *r, const vr *demand, vr *add, vm *marks) {
    const vr zero = v_set1(0), one = v_set1(1);
    EACH(i, 3) { add[i] = zero, marks[i] = m_none(); }
    if (!m_any(v_less(one, r->count))) {
        marks[0] = v_less(zero, demand[0]);
        add[0] = v_select(marks[0], demand[0], zero);
        return;
    }
    vr c[3][3], largest = demand[0], index = zero;
    EACH(i, 3) {
        EACH(j, 3) { c[i][j] = dot_of(D, r->n[i], r->n[j]); }
        const vm larger = v_less(largest, demand[i]);
        largest = v_select(larger, demand[i], largest);
        index = v_select(larger, v_set1((real)i), index);
    }
    vm open = v_less(zero, largest);
    const vr room = v_mul(v_set1(CONE_ROOM), largest);
    EACH(i, 3) {
        vm enough = m_and(open, v_less(zero, demand[i]));
        EACH(j, 3) {
            if (j != i) {
                const vm absent = v_at_most(r->count, v_set1((real)j)),
                         fits = v_at_most(mul_add(opposite(c[i][j]), demand[i], demand[j]), room);
                enough = m_and(enough, m_or(absent, fits));
            }
        }
        add[i] = v_select(enough, demand[i], add[i]);
        marks[i] = m_or(marks[i], enough);
        open = m_but(open, enough);
    }
    open = m_but(open, two_of_three(open, r, c, demand, room, add, marks));
    if (!m_any(open)) {
        return;
    }
    const vm three = m_and(open, v_less(v_set1(2), r->count)), solved = all_three(three, c, demand, add, marks);
    EACH(i, 3) { /* two normals are nearly parallel */
        const vm alone = m_and(m_but(open, solved), v_equal(index, v_set1((real)i)));
        add[i] = v_select(alone, demand[i], add[i]);
        marks[i] = m_or(marks[i], alone);
    }
}

/* Returns how many surfaces are marked. */
INLINE vr count_marks(const vm *marks) {
    vr count = v_set1(0);
    EACH(k, 3) { count = v_add(count, v_select(marks[k], v_set1(1), v_set1(0))); }
    return count;
}

/* Computes the part of y, which lies along the constraints, that lies along all marked surfaces. */
static NOINLINE void along_surfaces(int D, const support *r, const vm *marks, const vr *y, vr *along) {
    const vr zero = v_set1(0), one = v_set1(1), count = count_marks(marks);
    const vm is_one = m_and(v_equal(count, one), v_less(v_add(r->held, one), v_set1((real)D)));
    vr first[3];
    FOR_AXES(i, D) { first[i] = v_select(marks[0], r->n[0][i], v_select(marks[1], r->n[1][i], r->n[2][i])); }
    const vr across = dot_of(D, y, first);
    FOR_AXES(i, D) {
        const vr alone = mul_add(opposite(across), first[i], y[i]);
        along[i] = v_select(v_less(count, one), y[i], v_select(is_one, alone, zero));
    }
    const vm edge = m_and(v_equal(count, v_set1(2)), v_equal(r->held, zero));
    if (D != 3 || !m_any(edge)) {
        return;
    }
    vr second[3], line[3];
    EACH(i, 3) { second[i] = v_select(m_and(marks[0], marks[1]), r->n[1][i], r->n[2][i]); }
    EACH(i, 3) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        line[i] = mul_add(first[j], second[k], v_mul(opposite(first[k]), second[j]));
    }
    const vr part = v_div(dot_of(3, y, line), dot_of(3, line, line));
    EACH(i, 3) { along[i] = v_select(edge, v_mul(part, line[i]), along[i]); }
}

/* Coulomb friction on a velocity that would go from b to b + c: it loses begin b + gain c, or the particle stops at fraction `stop` and
 * stays. */
typedef struct coulomb {
    vr begin, gain, stop;
    vm stays;
} coulomb;

INLINE coulomb coulomb_of(vr slides, vr sticks, int D, const vr *b, const vr *c) {
    const vr zero = v_set1(0);
    const vr square = dot_of(D, b, b), product = dot_of(D, b, c), gained = dot_of(D, c, c), speed = v_sqrt(square), gain = v_sqrt(gained);
    const vr need = mul_add(slides, speed, v_sub(zero, product));
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

/* Applies friction to particles that rest on the marked surfaces. `push` is the surfaces' push, `begin` the velocity along them at the
 * beginning, and the path has that at the end without friction. */
static NOINLINE void rub(int D, vm lanes, support *r, const vm *marks, const vr *push, const vr *begin, flight *path) {
    const vr zero = v_set1(0), half = v_set1((real)0.5);
    vr keep = v_set1(1), slides = zero, sticks = zero, b[3], c[3], sum[3], lost[3];
    vm is_coulomb = m_none(), rubs = m_none();
    EACH(k, 3) {
        keep = v_select(marks[k], v_mul(keep, r->keep[k]), keep);
        const vr impulse = v_div(push[k], r->share[k]);
        slides = v_select(marks[k], mul_add(r->sliding[k], impulse, slides), slides);
        sticks = v_select(marks[k], mul_add(r->sticking[k], impulse, sticks), sticks);
        is_coulomb = m_or(is_coulomb, m_and(marks[k], r->is_coulomb[k]));
        rubs = m_or(rubs, m_and(marks[k], r->rubs[k]));
    }
    rubs = m_and(rubs, lanes);
    if (!m_any(rubs)) {
        return;
    }
    FOR_AXES(i, D) {
        b[i] = v_mul(keep, begin[i]);
        c[i] = v_sub(v_mul(keep, path->v[i]), b[i]);
    }
    coulomb k = coulomb_of(slides, sticks, D, b, c);
    k.begin = v_select(is_coulomb, k.begin, zero);
    k.gain = v_select(is_coulomb, k.gain, zero);
    k.stop = v_select(is_coulomb, k.stop, zero);
    k.stays = m_or(m_and(is_coulomb, k.stays), m_but(v_at_most(keep, zero), is_coulomb));
    const vr halved = v_mul(half, v_mul(v_sub(v_set1(1), r->f), path->time));
    FOR_AXES(i, D) {
        const vr rubbed = mul_add(opposite(k.gain), c[i], mul_add(opposite(k.begin), b[i], v_mul(keep, path->v[i])));
        const vr left = v_select(k.stays, zero, rubbed);
        lost[i] = v_select(k.stays, begin[i], v_sub(path->v[i], left));
        sum[i] = v_select(k.stays, mul_add(k.stop, c[i], begin[i]), v_add(begin[i], left));
        const vr x = v_select(k.stays, mul_add(v_mul(halved, k.stop), b[i], r->met[i]), mul_add(opposite(halved), lost[i], path->x[i]));
        path->x[i] = v_select(rubs, x, path->x[i]);
        path->v[i] = v_select(rubs, without_denormals(left), path->v[i]);
        r->lost[i] = v_select(rubs, lost[i], r->lost[i]);
    }
    r->taken = v_select(rubs, positive_or_zero(v_mul(half, dot_of(D, lost, sum))), r->taken);
}
