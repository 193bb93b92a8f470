/* The vector operations at 128 bits that SSE2 and, through SIMDe's native mapping, NEON share. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <simde/x86/sse2.h>

#define LANES ((int)(16 / sizeof(real)))
#define NOISE_VECTORS 1 /* vectors of particles whose noise is made together (noise.inl) */
#define V(op) PASTE(simde_mm_##op, SUFFIX)
typedef VECTOR(simde__m128) vr;
#define BITS _si128
#define INTEGER(op) simde_mm_##op
#define W(op) simde_mm_##op##_si128
#define FROM_BITS PASTE(simde_mm_castsi128, SUFFIX)
#define Q_SET1 simde_mm_set1_epi64x
typedef simde__m128i vi, vq;

#include "simde.h"

/* Returns a where w is 0, else b. */
static inline vr v_select_zero(vr w, vr a, vr b) {
    const vr zero = V(cmpeq)(w, V(setzero)());
    return V(or)(V(and)(zero, a), V(andnot)(zero, b));
}

/* Masks: all bits of a lane are equal. Comparisons with NaN are false. */
typedef vr vm;

static inline vm v_less(vr a, vr b) { return V(cmplt)(a, b); }

static inline vm v_at_most(vr a, vr b) { return V(cmple)(a, b); }

#include "masks.h"

/* Returns a where m, else b. */
static inline vr v_select(vm m, vr a, vr b) { return V(or)(V(and)(m, a), V(andnot)(m, b)); }

static inline bool i_any(vi a) { return simde_mm_movemask_epi8(simde_mm_cmpeq_epi8(a, simde_mm_setzero_si128())) != 0xFFFF; }

static inline vr v_gather(const void *p, const uint32_t *index) {
    real lane[LANES];
    for (int i = 0; i < LANES; ++i) {
        memcpy(&lane[i], (const char *)p + index[i] * sizeof(real), sizeof(real));
    }
    return v_load(lane);
}

static inline vr v_join(const vr quarter[1]) { return quarter[0]; }

static inline void v_split(vr a, vr quarter[1]) { quarter[0] = a; }

#include "quarters.h"
