/* Vector operations of SSE2. */
#include "w128.h"

/* Memory operands must be aligned to 16 bytes. */
#define ALIGNED_OPERANDS

/* With few lanes, operations after the roots of one vector keep the next roots waiting, so kicks are separate. */
#define ROOTS_APART true

#define HOT_TILE(avx512, avx2, sse2, neon) sse2

/* SSE2 has no fused multiply-add; this replacement is slow, so it is not inlined. */
#ifdef KDR_UNIT_F32
/* Computes two lanes as doubles. The product is exact, and the sum is rounded to odd: its last bit is set if it is not exact, so that
 * rounding it to float rounds the exact sum (Boldo, Melquiond, IEEE Trans. Comput. 57 (2008) 462). The error of the sum is Knuth's
 * (TAOCP 4.2.2). It is NaN if the sum is not finite, and then the sum is left alone. */
static inline simde__m128d fused_to_odd(simde__m128d a, simde__m128d b, simde__m128d c) {
    const simde__m128d zero = simde_mm_setzero_pd(), product = simde_mm_mul_pd(a, b), sum = simde_mm_add_pd(product, c);
    const simde__m128d part = simde_mm_sub_pd(sum, product);
    const simde__m128d error = simde_mm_add_pd(simde_mm_sub_pd(product, simde_mm_sub_pd(sum, part)), simde_mm_sub_pd(c, part));
    const simde__m128i inexact = simde_mm_castpd_si128(simde_mm_or_pd(simde_mm_cmplt_pd(error, zero), simde_mm_cmpgt_pd(error, zero)));
    const simde__m128i bits = simde_mm_castpd_si128(sum), one = simde_mm_set1_epi64x(1);
    /* 1 if the sum is even and not exact: it moves one unit away from zero, or towards it, as its error says */
    const simde__m128i step = simde_mm_and_si128(inexact, simde_mm_andnot_si128(bits, one));
    const simde__m128i towards = simde_mm_srli_epi64(simde_mm_xor_si128(bits, simde_mm_castpd_si128(error)), 63);
    const simde__m128i twice = simde_mm_and_si128(simde_mm_add_epi64(step, step), simde_mm_sub_epi64(simde_mm_setzero_si128(), towards));
    return simde_mm_castsi128_pd(simde_mm_add_epi64(bits, simde_mm_sub_epi64(step, twice)));
}

static __attribute__((noinline)) vr v_fused(vr a, vr b, vr c) {
    const vr a2 = simde_mm_movehl_ps(a, a), b2 = simde_mm_movehl_ps(b, b), c2 = simde_mm_movehl_ps(c, c);
    const simde__m128d low = fused_to_odd(simde_mm_cvtps_pd(a), simde_mm_cvtps_pd(b), simde_mm_cvtps_pd(c));
    const simde__m128d high = fused_to_odd(simde_mm_cvtps_pd(a2), simde_mm_cvtps_pd(b2), simde_mm_cvtps_pd(c2));
    return simde_mm_movelh_ps(simde_mm_cvtpd_ps(low), simde_mm_cvtpd_ps(high));
}
#else
#include <math.h>
static __attribute__((noinline)) vr v_fused(vr a, vr b, vr c) {
    real x[LANES], y[LANES], z[LANES];
    v_store(x, a);
    v_store(y, b);
    v_store(z, c);
    for (int i = 0; i < LANES; ++i) {
        x[i] = REAL_FMA(x[i], y[i], z[i]);
    }
    return v_load(x);
}
#endif
