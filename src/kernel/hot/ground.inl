/* The ground after a step: a single plane without friction, for kernels that step all axes together. Particles at rest on it meet it in
 * every step. */

/* Has the vectors of a chunk meet the ground at the end of a step from x0, v0. */
INLINE void meet_ground(const constants *c, int U, const vr *x0, const vr *v0, vr *x, vr *v) {
    EACH(u, U) {
        travel t;
        EACH(i, 3) { t.x[i] = x[i * U + u]; }
        const vr gap = plane_gap(&c->ground, 3, t.x);
        const vm hit = v_less(gap, v_set1(0));
        if (m_any(hit)) {
            EACH(i, 3) {
                t.x0[i] = x0[i * U + u];
                t.v0[i] = v0[i * U + u];
                t.v[i] = v[i * U + u];
            }
            t.h = c->step;
            meet_ground_alone(&c->ground, 3, hit, gap, &t);
            EACH(i, 3) {
                x[i * U + u] = t.x[i];
                v[i * U + u] = t.v[i];
            }
        }
    }
}
