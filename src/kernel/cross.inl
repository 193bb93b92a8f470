/* The sweep of a run in blocks: from the state before it to the one after it, whole groups of vectors, across the end of a step or within one.
 * Five loads and stores a vector where velocity Verlet's two kicks and its drift would take thirteen. Included by passes.inl. */

/* `p` is the caller's own copy: through a pointer from elsewhere, which a store might change, each vector would load five addresses anew
 * (1.0 ns in place of 0.6, avx512). */
INLINE void cross_vector(const kdr_cross_pass *p, const vr kicks[2], const vr drifts[2], bool k0, bool d0, bool k1, bool d1, bool masses,
                         size_t i) {
    const vr x = v_load(element(p->x, i)), v = v_load(element(p->v, i));
    const vr a = k0 || k1 ? v_load(element(p->a, i)) : v_set1(0);
    vr y = x, u = v;
    u = k0 ? mul_add(kicks[0], a, u) : u;
    y = d0 ? mul_add(drifts[0], u, y) : y;
    u = k1 ? mul_add(kicks[1], a, u) : u;
    y = d1 ? mul_add(drifts[1], u, y) : y;
    if (masses) {
        const vr w = v_load(element(p->w, i));
        y = v_select_zero(w, x, y);
        u = v_select_zero(w, v, u);
    }
    v_store(element(p->to_x, i), y);
    v_store(element(p->to_v, i), u);
}

#define CROSS(name, k0, d0, k1, d1, masses)                                                                                                \
    static NOINLINE void name(const kdr_cross_pass *pass, size_t count) {                                                                  \
        const kdr_cross_pass own = *pass, *const p = &own;                                                                                 \
        const vr kicks[2] = {v_set1((real)p->kick[0]), v_set1((real)p->kick[1])};                                                          \
        const vr drifts[2] = {v_set1((real)p->drift[0]), v_set1((real)p->drift[1])};                                                       \
        for (size_t i = 0; i < count; i += GROUP) {                                                                                        \
            EACH(u, GROUP_VECTORS) { cross_vector(p, kicks, drifts, k0, d0, k1, d1, masses, i + (size_t)u * LANES); }                      \
        }                                                                                                                                  \
    }
CROSS(cross_verlet, true, false, true, true, false)
CROSS(cross_euler, true, true, false, false, false)
CROSS(cross_drifts, true, true, false, true, false)
CROSS(cross_any, p->kicks[0], p->drifts[0], p->kicks[1], p->drifts[1], p->w != NULL)

static void cross(const kdr_cross_pass *p, size_t count) {
    static const struct {
        bool k0, d0, k1, d1;
        void (*sweep)(const kdr_cross_pass *pass, size_t count);
    } shapes[] = {
        {true, false, true, true, cross_verlet}, {true, true, false, false, cross_euler}, {true, true, false, true, cross_drifts}};
    void (*sweep)(const kdr_cross_pass *pass, size_t count) = cross_any;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes && !p->w; ++s) {
        if (p->kicks[0] == shapes[s].k0 && p->drifts[0] == shapes[s].d0 && p->kicks[1] == shapes[s].k1 && p->drifts[1] == shapes[s].d1) {
            sweep = shapes[s].sweep;
        }
    }
    sweep(p, count);
}
