/* Operations at 512 bits: AVX-512 F and DQ. */
#include <stdbool.h>

#include <simde/x86/avx512.h>
#if !defined(SIMDE_X86_AVX512F_NATIVE) || !defined(SIMDE_X86_FMA_NATIVE)
#error "this unit needs native AVX-512 F: anything else would not be fused"
#endif

#define LANES ((int)(64 / sizeof(real)))
#define NOISE_VECTORS 2 /* vectors of particles whose noise is made side by side: noise.inl */
#define V(op) PASTE(simde_mm512_##op, SUFFIX)
typedef VECTOR(simde__m512) vr;
#define BITS _si512
#define INTEGER(op) simde_mm512_##op
#define W(op) simde_mm512_##op##_si512
#define FROM_BITS PASTE(simde_mm512_castsi512, SUFFIX)
#define Q_SET1 simde_mm512_set1_epi64
typedef simde__m512i vi, vq;

#include "simde.h"

static inline vr v_fused(vr a, vr b, vr c) { return V(fmadd)(a, b, c); }

/* a where w is 0, else b. */
static inline vr v_select_zero(vr w, vr a, vr b) {
    return PASTE(simde_mm512_mask_mov, SUFFIX)(b, MASK(simde_mm512_cmp)(w, V(setzero)(), SIMDE_CMP_EQ_OQ), a);
}

/* Masks, a bit a lane: comparisons are false where a lane is NaN. */
#ifdef KDR_UNIT_F32
typedef simde__mmask16 vm;
#else
typedef simde__mmask8 vm;
#endif

static inline vm v_less(vr a, vr b) { return MASK(simde_mm512_cmp)(a, b, SIMDE_CMP_LT_OQ); }

static inline vm v_at_most(vr a, vr b) { return MASK(simde_mm512_cmp)(a, b, SIMDE_CMP_LE_OQ); }

static inline vm m_none(void) { return 0; }

static inline vm m_and(vm a, vm b) { return (vm)(a & b); }

static inline vm m_or(vm a, vm b) { return (vm)(a | b); }

/* a and not b */
static inline vm m_but(vm a, vm b) { return (vm)(a & (vm)~b); }

static inline bool m_any(vm a) { return a != 0; }

static inline bool m_all(vm a) { return a == (vm)-1; }

/* a where m, else b. */
static inline vr v_select(vm m, vr a, vr b) { return PASTE(simde_mm512_mask_mov, SUFFIX)(b, m, a); }
