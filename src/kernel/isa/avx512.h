/* Vector operations at 512 bits: AVX-512 F and DQ. */
#include <stdbool.h>
#include <stdint.h>

#include <simde/x86/avx512/add.h>
#include <simde/x86/avx512/and.h>
#include <simde/x86/avx512/cast.h>
#include <simde/x86/avx512/cmp.h>
#include <simde/x86/avx512/div.h>
#include <simde/x86/avx512/fmadd.h>
#include <simde/x86/avx512/fnmadd.h>
#include <simde/x86/avx512/loadu.h>
#include <simde/x86/avx512/max.h>
#include <simde/x86/avx512/min.h>
#include <simde/x86/avx512/mov.h>
#include <simde/x86/avx512/mul.h>
#include <simde/x86/avx512/or.h>
#include <simde/x86/avx512/set1.h>
#include <simde/x86/avx512/setzero.h>
#include <simde/x86/avx512/shuffle.h>
#include <simde/x86/avx512/slli.h>
#include <simde/x86/avx512/sqrt.h>
#include <simde/x86/avx512/srli.h>
#include <simde/x86/avx512/storeu.h>
#include <simde/x86/avx512/sub.h>
#include <simde/x86/avx512/types.h>
#include <simde/x86/avx512/unpackhi.h>
#include <simde/x86/avx512/unpacklo.h>
#include <simde/x86/avx512/xor.h>
#if !defined(SIMDE_X86_AVX512F_NATIVE) || !defined(SIMDE_X86_FMA_NATIVE)
#error "this unit needs native AVX-512 F: anything else would not be fused"
#endif

#define LANES ((int)(64 / sizeof(real)))
#define FUSED_NATIVE
#define HOT_TILE(avx512, avx2, sse2, neon) avx512
#define NOISE_VECTORS 2 /* vectors of particles whose noise is made together (noise.inl) */
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

#define KDR_CUSTOM_HAS_FLOOR /* <kickdrift/custom_functions.h> would make it of sums */
static inline vr v_floor(vr a) { return PASTE(_mm512_roundscale, SUFFIX)(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }

/* Returns c - a b, fused. */
static inline vr v_fused_from(vr c, vr a, vr b) { return V(fnmadd)(a, b, c); }

#ifdef KDR_UNIT_F64
#define ROOT_ESTIMATE _mm512_rsqrt14_pd /* 1 / sqrt(a) to a 2^-14th */
#endif

/* Returns a where w is 0, else b. */
static inline vr v_select_zero(vr w, vr a, vr b) {
    return PASTE(simde_mm512_mask_mov, SUFFIX)(b, MASK(simde_mm512_cmp)(w, V(setzero)(), SIMDE_CMP_EQ_OQ), a);
}

/* Masks: one bit per lane. Comparisons with NaN are false. */
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

/* Returns a and not b. */
static inline vm m_but(vm a, vm b) { return (vm)(a & (vm)~b); }

static inline bool m_any(vm a) { return a != 0; }

static inline bool m_all(vm a) { return a == (vm)-1; }

/* Returns a where m, else b. */
static inline vr v_select(vm m, vr a, vr b) { return PASTE(simde_mm512_mask_mov, SUFFIX)(b, m, a); }

/* Returns the first n elements at p, followed by those of `rest`, and reads nothing else. */
#define HAS_LOAD_FIRST
static inline vr v_load_first(const void *p, int n, vr rest) { return PASTE(_mm512_mask_loadu, SUFFIX)(rest, (vm)((1U << n) - 1U), p); }

#define HAS_STORE_FIRST
static inline void v_store_first(void *p, int n, vr y) { PASTE(_mm512_mask_storeu, SUFFIX)(p, (vm)((1U << n) - 1U), y); }

static inline bool i_any(vi a) { return _mm512_test_epi32_mask(a, a) != 0; }

#ifdef KDR_UNIT_F32
static inline vr v_gather(const void *p, const uint32_t *index) { return _mm512_i32gather_ps(_mm512_loadu_si512(index), p, 4); }

static inline vr v_join(const simde__m128 quarter[4]) {
    const __m512 half = _mm512_insertf32x4(_mm512_castps128_ps512(quarter[0]), quarter[1], 1);
    return _mm512_insertf32x4(_mm512_insertf32x4(half, quarter[2], 2), quarter[3], 3);
}

static inline void v_split(vr a, simde__m128 quarter[4]) {
    quarter[0] = _mm512_castps512_ps128(a);
    quarter[1] = _mm512_extractf32x4_ps(a, 1);
    quarter[2] = _mm512_extractf32x4_ps(a, 2);
    quarter[3] = _mm512_extractf32x4_ps(a, 3);
}
#else
static inline vr v_gather(const void *p, const uint32_t *index) {
    return _mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)(const void *)index), p, 8);
}

static inline vr v_join(const simde__m128d quarter[4]) {
    const __m256d low = _mm256_insertf128_pd(_mm256_castpd128_pd256(quarter[0]), quarter[1], 1);
    const __m256d high = _mm256_insertf128_pd(_mm256_castpd128_pd256(quarter[2]), quarter[3], 1);
    return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}

static inline void v_split(vr a, simde__m128d quarter[4]) {
    quarter[0] = _mm512_castpd512_pd128(a);
    quarter[1] = _mm512_extractf64x2_pd(a, 1);
    quarter[2] = _mm512_extractf64x2_pd(a, 2);
    quarter[3] = _mm512_extractf64x2_pd(a, 3);
}
#endif

#include "quarters.h"
