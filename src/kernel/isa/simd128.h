/* Vector operations of WebAssembly's SIMD. */
#include "wasm.h"

/* With few lanes, operations after the roots of one vector keep the next roots waiting, so kicks are separate. */
#define ROOTS_APART true

#define HOT_TILE(avx512, avx2, sse2, neon) sse2

/* There is no fused multiply-add; this replacement is slow, so it is not inlined. Fused doubles are the scalar unit's. */
#ifdef KDR_UNIT_F32
typedef double wasm_pair WASM_VECTOR;
typedef uint64_t wasm_pair_bits WASM_VECTOR;

/* Computes two lanes as doubles, with the sum rounded to odd, as fused_to_odd of sse2.h does. */
static inline wasm_pair fused_to_odd(wasm_pair a, wasm_pair b, wasm_pair c) {
    const wasm_pair product = a * b, sum = product + c, part = sum - product;
    const wasm_pair error = (product - (sum - part)) + (c - part);
    const wasm_pair_bits inexact = (wasm_pair_bits)((error < 0) | (error > 0)), bits = (wasm_pair_bits)sum;
    /* 1 if the sum is even and not exact: it moves one unit away from zero, or towards it, as its error says */
    const wasm_pair_bits step = inexact & ~bits & 1, towards = (bits ^ (wasm_pair_bits)error) >> 63;
    return (wasm_pair)(bits + step - (2 * step & -towards));
}

static inline wasm_pair lower_pair(vr a) { return (wasm_pair)wasm_f64x2_promote_low_f32x4((v128_t)a); }

static inline wasm_pair upper_pair(vr a) { return lower_pair(v_high_halves(a, a)); }

static __attribute__((noinline, unused)) vr v_fused(vr a, vr b, vr c) {
    const wasm_pair low = fused_to_odd(lower_pair(a), lower_pair(b), lower_pair(c));
    const wasm_pair high = fused_to_odd(upper_pair(a), upper_pair(b), upper_pair(c));
    return v_low_halves((vr)wasm_f32x4_demote_f64x2_zero((v128_t)low), (vr)wasm_f32x4_demote_f64x2_zero((v128_t)high));
}
#else
static __attribute__((noinline, unused)) vr v_fused(vr a, vr b, vr c) {
    for (int i = 0; i < LANES; ++i) {
        a[i] = REAL_FMA(a[i], b[i], c[i]);
    }
    return a;
}
#endif
