/* Operations at 128 bits: SSE2, and NEON through SIMDe's native mapping. */
#include <stdbool.h>

#include <simde/x86/sse2.h>
#ifdef KDR_UNIT_NEON
#include <simde/x86/fma.h>
#if !defined(SIMDE_ARM_NEON_A64V8_NATIVE)
#error "the neon unit needs AArch64 Advanced SIMD"
#endif
#endif

#define LANES ((int)(16 / sizeof(real)))
#define NOISE_VECTORS 1 /* vectors of particles whose noise is made side by side: noise.inl */
#define V(op) PASTE(simde_mm_##op, SUFFIX)
typedef VECTOR(simde__m128) vr;
#define BITS _si128
#define INTEGER(op) simde_mm_##op
#define W(op) simde_mm_##op##_si128
#define FROM_BITS PASTE(simde_mm_castsi128, SUFFIX)
#define Q_SET1 simde_mm_set1_epi64x
typedef simde__m128i vi, vq;

#include "simde.h"

#ifdef KDR_UNIT_NEON
static inline vr v_fused(vr a, vr b, vr c) { return V(fmadd)(a, b, c); }
#else
/* SSE2 has no fused multiply-add: libm's, a lane at a time. Right, and slow: not worth inlining. */
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

/* a where w is 0, else b. */
static inline vr v_select_zero(vr w, vr a, vr b) {
    const vr zero = V(cmpeq)(w, V(setzero)());
    return V(or)(V(and)(zero, a), V(andnot)(zero, b));
}

/* Masks, all bits of a lane alike: comparisons are false where a lane is NaN. */
typedef vr vm;

static inline vm v_less(vr a, vr b) { return V(cmplt)(a, b); }

static inline vm v_at_most(vr a, vr b) { return V(cmple)(a, b); }

static inline vm m_none(void) { return V(setzero)(); }

static inline vm m_and(vm a, vm b) { return V(and)(a, b); }

static inline vm m_or(vm a, vm b) { return V(or)(a, b); }

/* a and not b */
static inline vm m_but(vm a, vm b) { return V(andnot)(b, a); }

static inline bool m_any(vm a) { return V(movemask)(a) != 0; }

static inline bool m_all(vm a) { return V(movemask)(a) == (1 << LANES) - 1; }

/* a where m, else b. */
static inline vr v_select(vm m, vr a, vr b) { return V(or)(V(and)(m, a), V(andnot)(m, b)); }
