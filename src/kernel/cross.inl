/* The sweep of a run in blocks: from the state before it to the one after it, whole groups of vectors, across the end of a step or
 * within one. Five loads and stores a vector where velocity Verlet's two kicks and its drift would take thirteen. Included by
 * passes.inl. */

/* Of a group first all velocities, then all positions. A kick and the drift by its result side by side are slower: on Zen 5 an fma that
 * waits for another takes turns with stores in place of going on beside them (2.75 cycles a vector in place of 2.2, avx512; the stores
 * alone: 2).
 *
 * `own`: through a pointer from elsewhere, which a store might change, each vector would load five addresses anew. */
INLINE void cross_group(const kdr_cross_pass *p, const vr kicks[2], const vr drifts[2], bool k0, bool d0, bool k1, bool d1, bool masses,
                        size_t i) {
    vr u[GROUP_VECTORS], y[GROUP_VECTORS] = {v_set1(0)};
    EACH(n, GROUP_VECTORS) {
        const size_t at = i + (size_t)n * LANES;
        const vr v = v_load(element(p->v, at)), a = k0 || k1 ? v_load(element(p->a, at)) : v_set1(0);
        u[n] = k0 ? mul_add(kicks[0], a, v) : v;
        if (d0 && k1) {
            y[n] = mul_add(drifts[0], u[n], v_load(element(p->x, at)));
        }
        u[n] = k1 ? mul_add(kicks[1], a, u[n]) : u[n];
        v_store(element(p->to_v, at), masses ? v_select_zero(v_load(element(p->w, at)), v, u[n]) : u[n]);
    }
    EACH(n, GROUP_VECTORS) {
        const size_t at = i + (size_t)n * LANES;
        const vr x = v_load(element(p->x, at));
        vr next = d0 && k1 ? y[n] : d0 ? mul_add(drifts[0], u[n], x) : x;
        next = d1 ? mul_add(drifts[1], u[n], next) : next;
        v_store(element(p->to_x, at), masses ? v_select_zero(v_load(element(p->w, at)), x, next) : next);
    }
}

#define CROSS(name, k0, d0, k1, d1, masses)                                                                                                \
    static NOINLINE void name(const kdr_cross_pass *pass, size_t count) {                                                                  \
        const kdr_cross_pass own = *pass, *const p = &own;                                                                                 \
        const vr kicks[2] = {v_set1((real)p->kick[0]), v_set1((real)p->kick[1])};                                                          \
        const vr drifts[2] = {v_set1((real)p->drift[0]), v_set1((real)p->drift[1])};                                                       \
        for (size_t i = 0; i < count; i += GROUP) {                                                                                        \
            cross_group(p, kicks, drifts, k0, d0, k1, d1, masses, i);                                                                      \
        }                                                                                                                                  \
    }
#define CROSSES(name, k0, d0, k1, d1)                                                                                                      \
    CROSS(name, k0, d0, k1, d1, false)                                                                                                     \
    CROSS(name##_masses, k0, d0, k1, d1, true)
CROSSES(cross_verlet, true, false, true, true)
CROSSES(cross_euler, true, true, false, false)
CROSSES(cross_drifts, true, true, false, true)
CROSSES(cross_any, p->kicks[0], p->drifts[0], p->kicks[1], p->drifts[1])

static kdr_cross_fn *cross_of(const kdr_cross_pass *p, bool masses) {
    static const struct {
        bool k0, d0, k1, d1;
        kdr_cross_fn *sweep[2];
    } shapes[] = {{true, false, true, true, {cross_verlet, cross_verlet_masses}},
                  {true, true, false, false, {cross_euler, cross_euler_masses}},
                  {true, true, false, true, {cross_drifts, cross_drifts_masses}}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        if (p->kicks[0] == shapes[s].k0 && p->drifts[0] == shapes[s].d0 && p->kicks[1] == shapes[s].k1 && p->drifts[1] == shapes[s].d1) {
            return shapes[s].sweep[masses];
        }
    }
    return masses ? cross_any_masses : cross_any;
}
