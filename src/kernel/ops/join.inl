/* Puts particles back on constraints and surfaces, in the order that force/collider.h sets. */

INLINE void keep_along(int D, vm lanes, const vr *along, vr *v) {
    FOR_AXES(i, D) { v[i] = v_select(lanes, along[i], v[i]); }
}

/* Puts particles near their constraints, and near the marked surfaces, on all of them, and projects v onto the constraints and the
 * surfaces that push. `rest` is the flight of resting particles; otherwise NULL. */
static NOINLINE void put_on_all(const kdr_job *job, int D, vm lanes, const support *r, const vm *marks, const vm *pushed,
                                const flight *rest, vr *x, vr *v) {
    const wall *const held = job->held, *const walls = job->walls;
    const vr zero = v_set1(0);
    for (int round = 0; round < JOIN_ROUNDS; ++round) {
        equations e;
        const bool last = round == JOIN_ROUNDS - 1;
        vr change[3] = {zero, zero, zero};
        no_equations(&e);
        for (size_t i = 0; i < job->held_count; ++i) {
            vr row[3], along[3];
            vm acts = m_every(), outside = acts;
            const vr excess = gradient_at(&held[i], D, x, row);
            if (is_rope(&held[i])) {
                acts =
                    rest ? holds_at_end(&held[i], D, rest) : m_and(v_less(v_set1(-held[i].slack), excess), v_less(zero, dot_of(D, row, v)));
                outside = m_or(acts, v_less(zero, excess));
            }
            FOR_AXES(j, D) { along[j] = v[j]; }
            solve_next(D, &e, outside, row, row, off_by(&held[i], excess), change, along);
            keep_along(D, last ? m_and(lanes, acts) : m_none(), along, v);
        }
        EACH(k, 3) {
            const vm here = m_and(m_and(lanes, marks[k]), v_less(v_set1((real)k), r->count));
            vr n[3] = {zero, zero, zero}, along[3], gap = zero;
            for (size_t i = 0; i < job->wall_count && m_any(here); ++i) {
                vr one[3];
                const vm on = m_and(here, v_equal(r->surface[k], v_set1((real)i)));
                const vr its = gap_at(&walls[i], D, r->radius, r->face[k], x, one);
                gap = v_select(on, its, gap);
                FOR_AXES(j, D) { n[j] = v_select(on, one[j], n[j]); }
            }
            FOR_AXES(j, D) { along[j] = v[j]; }
            solve_next(D, &e, here, n, n, gap, change, along);
            keep_along(D, last ? m_and(here, pushed[k]) : m_none(), along, v);
        }
        FOR_AXES(i, D) { x[i] = v_select(lanes, v_add(x[i], change[i]), x[i]); }
    }
}
