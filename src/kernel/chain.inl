/* The passes of Runge-Kutta methods in blocks whose stages have one term each, the stage before (rk4, midpoint, heun, ralston): x and v
 * of a stage in one sweep, and in one the sums of both, for which the stages' v are computed anew: an fma each in place of a load, and
 * the stages need one array of v between them. Included by passes.inl. */

INLINE void chain_store(const char *w, bool masses, char *to, size_t i, vr old, vr value) {
    v_store(element(to, i), masses ? v_select_zero(v_load(element(w, i)), old, value) : value);
}

/* v is loaded for x and again for itself: with one load for both a vector takes 2.7 cycles in place of 2.4 (Zen 5, avx512). */
INLINE void link_all(const kdr_chain_pass *p, int s, bool masses, size_t count) {
    const char *const x = p->x, *const v = p->v, *const a = p->a[s - 1], *const w = p->w, *const slope = s == 1 ? v : p->stage_v;
    char *const to_x = p->stage_x, *const to_v = p->stage_v;
    const vr factor = v_set1((real)p->factor[s]);
    for (size_t i = 0; i < count; i += GROUP) {
        EACH(u, GROUP_VECTORS) {
            const size_t at = i + (size_t)u * LANES;
            const vr old = v_load(element(x, at));
            chain_store(w, masses, to_x, at, old, mul_add(factor, v_load(element(slope, at)), old));
            const vr old_v = v_load(element(v, at));
            chain_store(w, masses, to_v, at, old_v, mul_add(factor, v_load(element(a, at)), old_v));
        }
    }
}

static NOINLINE void link_massless(const kdr_chain_pass *p, int s, size_t count) { link_all(p, s, false, count); }
static NOINLINE void link_masses(const kdr_chain_pass *p, int s, size_t count) { link_all(p, s, true, count); }

static void link_stage(const kdr_chain_pass *p, int s, size_t count) { (p->w ? link_masses : link_massless)(p, s, count); }

INLINE void close_all(const kdr_chain_pass *p, const double *shape, int stages, bool masses, size_t count) {
    const char *const w = p->w, *a[KDR_MAX_STAGES];
    char *const x = p->x, *const v = p->v;
    vr factor[KDR_MAX_STAGES], ratio[KDR_MAX_STAGES];
    EACH(s, stages) {
        a[s] = p->a[s];
        ratio[s] = v_set1((real)p->ratio[s]);
        factor[s] = v_set1((real)p->factor[s]);
    }
    const vr scale = v_set1((real)p->scale);
    for (size_t i = 0; i < count; i += LANES) { /* more vectors a turn are no faster */
        const vr old_x = v_load(element(x, i)), old_v = v_load(element(v, i));
        vr kx[KDR_MAX_STAGES], kv[KDR_MAX_STAGES];
        EACH(s, stages) {
            kx[s] = s == 0 ? old_v : mul_add(factor[s], kv[s > 0 ? s - 1 : 0], old_v);
            kv[s] = v_load(element(a[s], i));
        }
        chain_store(w, masses, x, i, old_x, mul_add(scale, weighed(shape, stages, ratio, kx), old_x));
        chain_store(w, masses, v, i, old_v, mul_add(scale, weighed(shape, stages, ratio, kv), old_v));
    }
}

#define CLOSE(name, stages, ...)                                                                                                           \
    static const double name##_shape[stages] = {__VA_ARGS__};                                                                              \
    static NOINLINE void name(const kdr_chain_pass *p, size_t count) { close_all(p, name##_shape, stages, false, count); }                 \
    static NOINLINE void name##_masses(const kdr_chain_pass *p, size_t count) { close_all(p, name##_shape, stages, true, count); }
CLOSE(close_1, 1, 1)
CLOSE(close_0_1, 2, 0, 1)
CLOSE(close_1_1, 2, 1, 1)
CLOSE(close_2_2, 2, 2, 2)
CLOSE(close_1_2, 2, 1, 2)
CLOSE(close_2_3, 2, 2, 3)
CLOSE(close_1_2_2_1, 4, 1, 2, 2, 1)
CLOSE(close_2_3_3_2, 4, 2, 3, 3, 2)

static kdr_close_fn *close_of(int stages, const double *ratio, bool masses) {
    static const struct {
        int stages;
        const double *shape;
        kdr_close_fn *close[2];
    } instances[] = {{1, close_1_shape, {close_1, close_1_masses}},
                     {2, close_0_1_shape, {close_0_1, close_0_1_masses}},
                     {2, close_1_1_shape, {close_1_1, close_1_1_masses}},
                     {2, close_2_2_shape, {close_2_2, close_2_2_masses}},
                     {2, close_1_2_shape, {close_1_2, close_1_2_masses}},
                     {2, close_2_3_shape, {close_2_3, close_2_3_masses}},
                     {4, close_1_2_2_1_shape, {close_1_2_2_1, close_1_2_2_1_masses}},
                     {4, close_2_3_3_2_shape, {close_2_3_3_2, close_2_3_3_2_masses}}};
    for (size_t n = 0; n < sizeof instances / sizeof *instances; ++n) {
        if (has_shape(stages, ratio, instances[n].stages, instances[n].shape)) {
            return instances[n].close[masses];
        }
    }
    return NULL;
}
