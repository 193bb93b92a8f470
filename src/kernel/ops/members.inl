/* Loads and stores of LANES particles' elements that lie `stride` bytes apart: n of a particle's, side by side, to and from a vector each.
 * They go by twos, and are turned in registers.
 *
 * Nothing but the elements is touched: what lies beside them may be another thread's. It also keeps loads from overlapping what has just
 * been stored, for which a processor waits (Zen 5, vectors masked but longer than a structure: 15 ns a particle, and not 2). */
typedef real loose __attribute__((aligned(1), may_alias));

#ifdef SCALAR_UNIT
INLINE void take_run(const char *at, size_t stride, int n, vr out[]) {
    (void)stride;
    EACH(c, n) { out[c] = ((const loose *)(const void *)at)[c]; }
}

INLINE void give_run(char *at, size_t stride, int n, const vr in[]) {
    (void)stride;
    EACH(c, n) { ((loose *)(void *)at)[c] = in[c]; }
}
#else

/* A vector in quarters of 128 bits, in the order of its lanes. */
typedef VECTOR(simde__m128) quarter;
enum { QUARTERS = sizeof(vr) / sizeof(quarter), IN_QUARTER = LANES / QUARTERS };

INLINE quarter quarter_load(const char *at) { return PASTE(simde_mm_loadu, SUFFIX)((const real *)(const void *)at); }
INLINE void quarter_store(char *at, quarter a) { PASTE(simde_mm_storeu, SUFFIX)((real *)(void *)at, a); }

/* Two words of 64 bits. */
typedef double word __attribute__((aligned(1), may_alias));

INLINE simde__m128d words_load(const char *at, size_t stride) {
    const simde__m128d low = simde_mm_set_sd(*(const word *)(const void *)at);
    return simde_mm_unpacklo_pd(low, simde_mm_set_sd(*(const word *)(const void *)(at + stride)));
}

INLINE void words_store(char *at, size_t stride, simde__m128d a) {
    *(word *)(void *)at = simde_mm_cvtsd_f64(a);
    *(word *)(void *)(at + stride) = simde_mm_cvtsd_f64(simde_mm_unpackhi_pd(a, a));
}

/* Quarters of one element a particle; and the same quarter of two vectors, of two elements a particle, ready to be turned. */
#ifdef KDR_UNIT_F32
INLINE simde__m128 one_load(const char *at) { return simde_mm_set_ss(*(const loose *)(const void *)at); }
INLINE void one_store(char *at, simde__m128 a) { *(loose *)(void *)at = simde_mm_cvtss_f32(a); }

INLINE quarter ones_load(const char *at, size_t stride) {
    const simde__m128 low = simde_mm_unpacklo_ps(one_load(at), one_load(at + stride));
    return simde_mm_movelh_ps(low, simde_mm_unpacklo_ps(one_load(at + 2 * stride), one_load(at + 3 * stride)));
}

INLINE void ones_store(char *at, size_t stride, quarter a) {
    one_store(at, a);
    one_store(at + stride, simde_mm_shuffle_ps(a, a, 1));
    one_store(at + 2 * stride, simde_mm_shuffle_ps(a, a, 2));
    one_store(at + 3 * stride, simde_mm_shuffle_ps(a, a, 3));
}

INLINE void twos_load(const char *at, size_t stride, quarter out[2]) {
    out[0] = simde_mm_castpd_ps(words_load(at, stride));
    out[1] = simde_mm_castpd_ps(words_load(at + 2 * stride, stride));
}

INLINE void twos_store(char *at, size_t stride, quarter a, quarter b) {
    words_store(at, stride, simde_mm_castps_pd(a));
    words_store(at + 2 * stride, stride, simde_mm_castps_pd(b));
}

INLINE void turn_two(vr a, vr b, vr out[2]) {
    out[0] = V(shuffle)(a, b, 0x88);
    out[1] = V(shuffle)(a, b, 0xDD);
}
#else
INLINE quarter ones_load(const char *at, size_t stride) { return words_load(at, stride); }
INLINE void ones_store(char *at, size_t stride, quarter a) { words_store(at, stride, a); }

INLINE void twos_load(const char *at, size_t stride, quarter out[2]) {
    out[0] = quarter_load(at);
    out[1] = quarter_load(at + stride);
}

INLINE void twos_store(char *at, size_t stride, quarter a, quarter b) {
    quarter_store(at, a);
    quarter_store(at + stride, b);
}

INLINE void turn_two(vr a, vr b, vr out[2]) {
    out[0] = V(unpacklo)(a, b);
    out[1] = V(unpackhi)(a, b);
}
#endif

INLINE void take_one(const char *at, size_t stride, vr out[1]) {
    quarter q[QUARTERS];
    EACH(n, QUARTERS) { q[n] = ones_load(at + (size_t)(n * IN_QUARTER) * stride, stride); }
    out[0] = v_join(q);
}

INLINE void give_one(char *at, size_t stride, const vr in[1]) {
    quarter q[QUARTERS];
    v_split(in[0], q);
    EACH(n, QUARTERS) { ones_store(at + (size_t)(n * IN_QUARTER) * stride, stride, q[n]); }
}

INLINE void take_two(const char *at, size_t stride, vr out[2]) {
    quarter a[QUARTERS], b[QUARTERS];
    EACH(n, QUARTERS) {
        quarter q[2];
        twos_load(at + (size_t)(n * IN_QUARTER) * stride, stride, q);
        a[n] = q[0];
        b[n] = q[1];
    }
    turn_two(v_join(a), v_join(b), out);
}

INLINE void give_two(char *at, size_t stride, const vr in[2]) {
    quarter a[QUARTERS], b[QUARTERS];
    v_split(V(unpacklo)(in[0], in[1]), a);
    v_split(V(unpackhi)(in[0], in[1]), b);
    EACH(n, QUARTERS) { twos_store(at + (size_t)(n * IN_QUARTER) * stride, stride, a[n], b[n]); }
}

INLINE void take_run(const char *at, size_t stride, int n, vr out[]) {
    EACH(c, n / 2) { take_two(at + (size_t)(2 * c) * sizeof(real), stride, out + 2 * c); }
    EACH(c, n % 2) { take_one(at + (size_t)(n - 1 + c) * sizeof(real), stride, out + n - 1 + c); }
}

INLINE void give_run(char *at, size_t stride, int n, const vr in[]) {
    EACH(c, n / 2) { give_two(at + (size_t)(2 * c) * sizeof(real), stride, in + 2 * c); }
    EACH(c, n % 2) { give_one(at + (size_t)(n - 1 + c) * sizeof(real), stride, in + n - 1 + c); }
}
#endif
