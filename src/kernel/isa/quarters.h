/* Quarters of 128 bits by SIMDe, and the orders of lanes in which ops/members.inl transposes them. Strides are in bytes, and addresses
 * need no alignment. */
typedef VECTOR(simde__m128) vr_quarter;
typedef real quarter_real __attribute__((aligned(1), may_alias));
typedef double quarter_word __attribute__((aligned(1), may_alias)); /* 64 bits, whatever they hold */

/* Interleaves the lower, or the upper, halves of each quarter of a and b. */
static inline vr v_interleave_low(vr a, vr b) { return V(unpacklo)(a, b); }

static inline vr v_interleave_high(vr a, vr b) { return V(unpackhi)(a, b); }

static inline vr_quarter quarter_load(const char *at) { return PASTE(simde_mm_loadu, SUFFIX)((const real *)(const void *)at); }

static inline void quarter_store(char *at, vr_quarter a) { PASTE(simde_mm_storeu, SUFFIX)((real *)(void *)at, a); }

static inline simde__m128d words_load(const char *at, size_t stride) {
    const simde__m128d low = simde_mm_set_sd(*(const quarter_word *)(const void *)at);
    return simde_mm_loadh_pd(low, (const simde_float64 *)(const void *)(at + stride));
}

static inline void words_store(char *at, size_t stride, simde__m128d a) {
    *(quarter_word *)(void *)at = simde_mm_cvtsd_f64(a);
    *(quarter_word *)(void *)(at + stride) = simde_mm_cvtsd_f64(simde_mm_unpackhi_pd(a, a));
}

/* ones_load and ones_store move a quarter with one element per particle. twos_load and twos_store move two quarters with two adjacent
 * elements per particle. */
#ifdef KDR_UNIT_F32
static inline simde__m128 one_load(const char *at) { return simde_mm_set_ss(*(const quarter_real *)(const void *)at); }

static inline void one_store(char *at, simde__m128 a) { *(quarter_real *)(void *)at = simde_mm_cvtss_f32(a); }

static inline vr_quarter ones_load(const char *at, size_t stride) {
    const simde__m128 low = simde_mm_unpacklo_ps(one_load(at), one_load(at + stride));
    return simde_mm_movelh_ps(low, simde_mm_unpacklo_ps(one_load(at + 2 * stride), one_load(at + 3 * stride)));
}

static inline void ones_store(char *at, size_t stride, vr_quarter a) {
    one_store(at, a);
    one_store(at + stride, simde_mm_shuffle_ps(a, a, 1));
    one_store(at + 2 * stride, simde_mm_shuffle_ps(a, a, 2));
    one_store(at + 3 * stride, simde_mm_shuffle_ps(a, a, 3));
}

static inline void twos_load(const char *at, size_t stride, vr_quarter out[2]) {
    out[0] = simde_mm_castpd_ps(words_load(at, stride));
    out[1] = simde_mm_castpd_ps(words_load(at + 2 * stride, stride));
}

static inline void twos_store(char *at, size_t stride, vr_quarter a, vr_quarter b) {
    words_store(at, stride, simde_mm_castps_pd(a));
    words_store(at + 2 * stride, stride, simde_mm_castps_pd(b));
}

/* Each quarter of the result has the even, or the odd, lanes of that quarter of a, followed by those of b. */
static inline vr v_even(vr a, vr b) { return V(shuffle)(a, b, 0x88); }

static inline vr v_odd(vr a, vr b) { return V(shuffle)(a, b, 0xDD); }

/* Each quarter of the result has the lower, or the upper, half of that quarter of a, followed by that of b. */
static inline vr v_low_halves(vr a, vr b) { return V(shuffle)(a, b, 0x44); }

static inline vr v_high_halves(vr a, vr b) { return V(shuffle)(a, b, 0xEE); }
#else
static inline vr_quarter ones_load(const char *at, size_t stride) { return words_load(at, stride); }

static inline void ones_store(char *at, size_t stride, vr_quarter a) { words_store(at, stride, a); }

static inline void twos_load(const char *at, size_t stride, vr_quarter out[2]) {
    out[0] = quarter_load(at);
    out[1] = quarter_load(at + stride);
}

static inline void twos_store(char *at, size_t stride, vr_quarter a, vr_quarter b) {
    quarter_store(at, a);
    quarter_store(at + stride, b);
}

static inline vr v_even(vr a, vr b) { return v_interleave_low(a, b); }

static inline vr v_odd(vr a, vr b) { return v_interleave_high(a, b); }
#endif
