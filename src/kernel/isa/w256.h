/* Operations at 256 bits: AVX2 and FMA. */
#include <stdbool.h>

#include <simde/x86/avx2.h>
#include <simde/x86/fma.h>
#if !defined(SIMDE_X86_AVX2_NATIVE) || !defined(SIMDE_X86_FMA_NATIVE)
#error "this unit needs native AVX2 and FMA: anything else would not be fused"
#endif

#define LANES ((int)(32 / sizeof(real)))
#define NOISE_VECTORS 1 /* vectors of particles whose noise is made side by side: noise.inl */
#define V(op) PASTE(simde_mm256_##op, SUFFIX)
typedef VECTOR(simde__m256) vr;
#define BITS _si256
#define INTEGER(op) simde_mm256_##op
#define W(op) simde_mm256_##op##_si256
#define FROM_BITS PASTE(simde_mm256_castsi256, SUFFIX)
#define Q_SET1 simde_mm256_set1_epi64x
typedef simde__m256i vi, vq;

#include "simde.h"

static inline vr v_fused(vr a, vr b, vr c) { return V(fmadd)(a, b, c); }

/* a where w is 0, else b. */
static inline vr v_select_zero(vr w, vr a, vr b) { return V(blendv)(b, a, V(cmp)(w, V(setzero)(), SIMDE_CMP_EQ_OQ)); }

/* Masks, all bits of a lane alike: comparisons are false where a lane is NaN. */
typedef vr vm;

static inline vm v_less(vr a, vr b) { return V(cmp)(a, b, SIMDE_CMP_LT_OQ); }

static inline vm v_at_most(vr a, vr b) { return V(cmp)(a, b, SIMDE_CMP_LE_OQ); }

#include "masks.h"

/* a where m, else b. */
static inline vr v_select(vm m, vr a, vr b) { return V(blendv)(b, a, m); }
