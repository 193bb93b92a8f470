/* Gravity of sources at targets, as <kickdrift/gravity.h> defines it: accelerations, or potentials. */

/* Vectors of targets that share the loads of a source. The square root and the division, which do not overlap, bound the speed, so more
 * vectors gain nothing. */
#define TARGETS 2

/* The versions of a kernel: accelerations with one softening for all pairs; accelerations with softening lengths; potentials. The last
 * two always use three axes and lengths; missing ones are arrays of 0. */
enum { ONE_SOFTENING, LENGTHS, POTENTIAL };

/* Zeros in place of a missing axis, or of missing lengths, of a block of sources or some vectors of targets. */
static const real nothing[KDR_GRAVITY_BLOCK];

INLINE vr lane_at(const char *array, size_t i) {
    real value;
    memcpy(&value, array + i * sizeof value, sizeof value);
    return v_set1(value);
}

/* Returns an array from element i on, or zeros. */
INLINE const char *there(const void *array, bool is_there, size_t i) { return is_there ? from(array, i) : (const char *)nothing; }

/* Vectors of targets: addresses of their first elements, and of those that are added to. */
typedef struct targets {
    const char *x[3], *softening;
    char *to[3];
    size_t itself; /* index of the first target among the sources */
} targets;

/* Removes a target's potential at itself. */
INLINE void leave_out(vr *f, size_t target, int U) {
    real lane[TARGETS * LANES];
    EACH(u, U) { v_store(lane + u * LANES, f[u]); }
    lane[target] = 0;
    EACH(u, U) { f[u] = v_load(lane + u * LANES); }
}

/* Adds the accelerations or potentials of U vectors of targets. `bare`: there is no softening for all pairs, so q may be 0. */
INLINE void gravity_targets(const kdr_gravity *g, int form, bool bare, bool fused, const targets *t, int D, int U) {
    const bool any = form >= LENGTHS;
    const int sums = form == POTENTIAL ? 1 : D;
    const real softening2 = (real)(g->softening * g->softening);
    vr at[3 * TARGETS], total[3 * TARGETS], least[TARGETS];
    EACH(n, D * U) { at[n] = v_load(t->x[n / U] + (size_t)(n % U) * sizeof(vr)); }
    EACH(n, sums * U) { total[n] = v_load(t->to[n / U] + (size_t)(n % U) * sizeof(vr)); }
    EACH(u, U) {
        const vr e = any ? v_load(t->softening + (size_t)u * sizeof(vr)) : v_set1(0);
        least[u] = any ? mul_add(e, e, v_set1(softening2)) : v_set1(softening2);
    }
    for (size_t first = 0; first < g->sources; first += KDR_GRAVITY_BLOCK) {
        const size_t count = g->sources - first < KDR_GRAVITY_BLOCK ? g->sources - first : KDR_GRAVITY_BLOCK;
        const char *const mu = from(g->mu, first), *const softening = there(g->source_softening, any && g->source_softening, first);
        const char *x[3];
        vr sum[3 * TARGETS];
        EACH(i, D) { x[i] = there(g->source_x[i], !any || i < g->dims, first); }
        EACH(n, sums * U) { sum[n] = v_set1(0); }
        for (size_t j = 0; j < count; ++j) {
            const vr e = any ? lane_at(softening, j) : v_set1(0);
            vr source[3], d[3 * TARGETS], q[TARGETS], f[TARGETS];
            EACH(i, D) { source[i] = lane_at(x[i], j); }
            EACH(u, U) {
                q[u] = any ? mul_add(e, e, least[u]) : least[u];
                EACH(i, D) {
                    d[i * U + u] = v_sub(source[i], at[i * U + u]);
                    q[u] = mul_add(d[i * U + u], d[i * U + u], q[u]);
                }
            }
            over_cubes(fused, U, lane_at(mu, j), q, f);
            if (bare) {
                EACH(u, U) { f[u] = v_select_zero(q[u], v_set1(0), f[u]); }
            }
            if (form == POTENTIAL && first + j - t->itself < (size_t)(U * LANES)) {
                leave_out(f, first + j - t->itself, U);
            }
            EACH(n, sums * U) { sum[n] = mul_add(f[n % U], form == POTENTIAL ? q[n] : d[n], sum[n]); }
        }
        EACH(n, sums * U) { total[n] = form == POTENTIAL ? v_sub(total[n], sum[n]) : v_add(total[n], sum[n]); }
    }
    EACH(n, sums * U) { v_store(t->to[n / U] + (size_t)(n % U) * sizeof(vr), total[n]); }
}

/* Returns the index of a target among the sources, modulo 2^64: below 0 for targets before the first source. If targets are no sources,
 * it is larger than any index. */
INLINE size_t source_of(const kdr_gravity *g, size_t target) {
    return g->targets_are_sources ? (size_t)g->first_source + target : SIZE_MAX / 2;
}

INLINE void *const *added_to(const kdr_gravity *g, int form) { return form == POTENTIAL ? &g->potential : g->a; }

/* Handles less than a vector of targets through a padded copy. */
INLINE void gravity_rest(const kdr_gravity *g, int form, bool bare, bool fused, size_t begin, size_t left, int D) {
    real x[3][LANES] = {{0}}, softening[LANES] = {0}, sum[3][LANES] = {{0}};
    const int dims = form >= LENGTHS ? g->dims : D, sums = form == POTENTIAL ? 1 : dims;
    void *const *const to = added_to(g, form);
    const targets t = {{(char *)x[0], (char *)x[1], (char *)x[2]},
                       (char *)softening,
                       {(char *)sum[0], (char *)sum[1], (char *)sum[2]},
                       source_of(g, begin)};
    for (int i = 0; i < dims; ++i) {
        memcpy(x[i], from(g->target_x[i], begin), left * sizeof(real));
    }
    if (g->target_softening) {
        memcpy(softening, from(g->target_softening, begin), left * sizeof(real));
    }
    for (int i = 0; i < sums; ++i) {
        memcpy(sum[i], from(to[i], begin), left * sizeof(real));
    }
    gravity_targets(g, form, bare, fused, &t, D, 1);
    for (int i = 0; i < sums; ++i) {
        memcpy((char *)to[i] + begin * sizeof(real), sum[i], left * sizeof(real));
    }
}

INLINE void gravity_axes(const kdr_gravity *g, int form, bool bare, bool fused, size_t begin, size_t end, int D) {
    const bool any = form >= LENGTHS;
    void *const *const to = added_to(g, form);
    real spare[TARGETS * LANES];
    memset(spare, 0, sizeof spare);
    for (; end - begin >= TARGETS * LANES; begin += TARGETS * LANES) {
        targets t = {.itself = source_of(g, begin)};
        t.softening = there(g->target_softening, g->target_softening, begin);
        EACH(i, D) {
            const bool is_there = !any || i < g->dims;
            t.x[i] = there(g->target_x[i], is_there, begin);
            t.to[i] = is_there && (form != POTENTIAL || i == 0) ? (char *)to[i] + begin * sizeof(real) : (char *)spare;
        }
        gravity_targets(g, form, bare, fused, &t, D, TARGETS);
    }
    for (; begin < end; begin += LANES) {
        gravity_rest(g, form, bare, fused, begin, end - begin < LANES ? end - begin : LANES, D);
    }
}

/* Returns whether roots are computed by multiply-adds: that must be wanted, and every source in range. */
INLINE bool fused_sources(const kdr_gravity *g, bool wanted) {
    bool fused = fused_roots(wanted);
    for (size_t j = 0; fused && j < g->sources; ++j) {
        real mu;
        memcpy(&mu, (const char *)g->mu + j * sizeof mu, sizeof mu);
        fused = suits_roots(mu);
    }
    return fused;
}

/* Chooses the version. Multiply-adds are limited by their issue rate, so these versions have no branch on `bare` in the loop. */
INLINE void gravity_by(const kdr_gravity *g, int form, bool fused, size_t begin, size_t end, int D) {
    const bool bare = !((real)(g->softening * g->softening) > 0);
    if (!fused_sources(g, fused)) {
        gravity_axes(g, form, bare, false, begin, end, D);
    } else if (form == ONE_SOFTENING && !bare) {
        gravity_axes(g, form, false, true, begin, end, D);
    } else {
        gravity_axes(g, form, form == ONE_SOFTENING || bare, true, begin, end, D);
    }
}

#define GRAVITY(name, form, D)                                                                                                             \
    static NOINLINE void name(const kdr_gravity *g, bool fused, size_t begin, size_t end) { gravity_by(g, form, fused, begin, end, D); }
GRAVITY(gravity_1, ONE_SOFTENING, 1)
GRAVITY(gravity_2, ONE_SOFTENING, 2)
GRAVITY(gravity_3, ONE_SOFTENING, 3)
GRAVITY(gravity_any, LENGTHS, 3)
GRAVITY(potential, POTENTIAL, 3)

static void gravity(const kdr_gravity *g, bool fused, size_t begin, size_t end) {
    static kdr_gravity_kernel *const by_axes[3] = {gravity_1, gravity_2, gravity_3};
    (g->source_softening || g->target_softening ? gravity_any : by_axes[g->dims - 1])(g, fused, begin, end);
}
