/* Moving surfaces: places, velocities and flights relative to them, and particles that move along with them, in the order that
 * force/collider.h sets. */

/* A moving surface: its place at the end of a step or drift, relative to its place at `since`, and its velocity. */
typedef struct moving_frame {
    real base[3], u[3];
} moving_frame;

INLINE moving_frame frame_of(const wall *w, double end) {
    moving_frame f;
    for (int i = 0; i < 3; ++i) {
        f.base[i] = (real)(w->velocity[i] * (end - w->since));
        f.u[i] = (real)w->velocity[i];
    }
    return f;
}

/* Computes places relative to the surface, at the time `before` the end. */
INLINE void see(const moving_frame *f, int D, vr before, const vr *x, vr *seen) {
    FOR_AXES(i, D) { seen[i] = mul_add(v_set1(f->u[i]), before, v_sub(x[i], v_set1(f->base[i]))); }
}

INLINE void unsee(const moving_frame *f, int D, vr before, const vr *seen, vr *x) {
    FOR_AXES(i, D) { x[i] = mul_add(v_set1(-f->u[i]), before, v_add(seen[i], v_set1(f->base[i]))); }
}

/* Computes a flight relative to a moving surface. */
static NOINLINE void see_flight(const wall *w, int D, const flight *s, flight *seen) {
    const moving_frame f = frame_of(w, s->end);
    *seen = *s;
    see(&f, D, s->time, s->x0, seen->x0);
    see(&f, D, v_set1(0), s->x, seen->x);
    FOR_AXES(i, D) {
        seen->v0[i] = v_sub(s->v0[i], v_set1(f.u[i]));
        seen->v[i] = v_sub(s->v[i], v_set1(f.u[i]));
    }
}

/* Returns whether both walls have the same velocity since the same time. */
INLINE bool moves_alike(const wall *a, const wall *b) {
    bool alike = a->since == b->since || (!a->moves && !b->moves);
    for (int i = 0; i < 3; ++i) {
        alike = alike && a->velocity[i] == b->velocity[i];
    }
    return alike;
}

INLINE void take_velocity(const wall *w, int D, vm lanes, vr *u) {
    FOR_AXES(j, D) { u[j] = v_select(lanes, v_set1((real)w->velocity[j]), u[j]); }
}

/* Computes the velocity of a particle that moves along with all surfaces that it rests on: across each surface that surface's velocity,
 * and along them that of the first one with friction, or of the first one. */
static NOINLINE void carry_along(int D, const support *r, vr *u) {
    const vr zero = v_set1(0), room = v_set1(CONE_ROOM);
    vr q[3][3], square[3], apart[3];
    FOR_AXES(i, D) {
        const vr later = v_select(r->rubs[1], r->u[1][i], v_select(r->rubs[2], r->u[2][i], r->u[0][i]));
        u[i] = v_select(r->rubs[0], r->u[0][i], later);
    }
    EACH(k, 3) {
        FOR_AXES(i, D) {
            q[k][i] = r->n[k][i];
            apart[i] = v_sub(r->u[k][i], u[i]);
        }
        for (int before = 0; before < k; ++before) {
            const vr part = opposite(v_select(v_less(zero, square[before]), v_div(dot_of(D, q[before], q[k]), square[before]), zero));
            FOR_AXES(i, D) { q[k][i] = mul_add(part, q[before][i], q[k][i]); }
        }
        const vr steep = dot_of(D, r->n[k], q[k]), part = v_div(dot_of(D, r->n[k], apart), steep);
        const vm counts = m_and(v_less(v_set1((real)k), r->count), v_less(room, steep));
        FOR_AXES(i, D) { u[i] = v_select(counts, mul_add(part, q[k][i], u[i]), u[i]); }
        square[k] = v_select(counts, dot_of(D, q[k], q[k]), zero);
    }
}

/* Converts a flight, and the places where surfaces were met in it, to a frame that moves with u from the flight's beginning on. */
static NOINLINE void go_along(int D, const vr *u, flight *s, vr f, vr *met) {
    const vr flown = v_mul(f, s->time);
    FOR_AXES(i, D) {
        s->v0[i] = v_sub(s->v0[i], u[i]);
        s->v[i] = v_sub(s->v[i], u[i]);
        s->x[i] = mul_add(opposite(s->time), u[i], s->x[i]);
        met[i] = mul_add(opposite(flown), u[i], met[i]);
    }
}
