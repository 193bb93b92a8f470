/* Vector operations at 256 bits: AVX2 and FMA. */
#include <stdbool.h>
#include <stdint.h>

#include <simde/x86/avx2.h>
#include <simde/x86/fma.h>
#if !defined(SIMDE_X86_AVX2_NATIVE) || !defined(SIMDE_X86_FMA_NATIVE)
#error "this unit needs native AVX2 and FMA: anything else would not be fused"
#endif

#define LANES ((int)(32 / sizeof(real)))
#define FUSED_NATIVE
#define HOT_TILE(avx512, avx2, sse2, neon) avx2
#define NOISE_VECTORS 1 /* vectors of particles whose noise is made together (noise.inl) */
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

#define KDR_CUSTOM_HAS_FLOOR /* <kickdrift/custom_functions.h> would make it of sums */
static inline vr v_floor(vr a) { return V(floor)(a); }

/* Returns a where w is 0, else b. */
static inline vr v_select_zero(vr w, vr a, vr b) { return V(blendv)(b, a, V(cmp)(w, V(setzero)(), SIMDE_CMP_EQ_OQ)); }

/* Masks: all bits of a lane are equal. Comparisons with NaN are false. */
typedef vr vm;

static inline vm v_less(vr a, vr b) { return V(cmp)(a, b, SIMDE_CMP_LT_OQ); }

static inline vm v_at_most(vr a, vr b) { return V(cmp)(a, b, SIMDE_CMP_LE_OQ); }

#include "masks.h"

/* Returns a where m, else b. */
static inline vr v_select(vm m, vr a, vr b) { return V(blendv)(b, a, m); }

/* Returns the first n elements at p, followed by those of `rest`, and reads nothing else. A masked load would do, but emulators (qemu
 * 7.2) read the masked elements too, and may hit a missing page. */
#define HAS_LOAD_FIRST
static inline vr v_load_first(const void *p, int n, vr rest) {
    static const int32_t marks[] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
    const int32_t *const from = marks + 8 - n * (int)(sizeof(real) / sizeof *marks);
    const vr mask = FROM_BITS(_mm256_loadu_si256((const __m256i *)(const void *)from));
#ifdef KDR_UNIT_F32
    const float *const at = (const float *)p + (n & 4);
    __m128 few = _mm_setzero_ps();
    if (n & 1) {
        few = _mm_castsi128_ps(_mm_loadu_si32(at + (n & 2))); /* works at any address; _mm_load_ss needs a float's alignment */
    }
    if (n & 2) {
        few = _mm_movelh_ps(_mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(const void *)at), few);
    }
    vr a = _mm256_castps128_ps256(few);
    if (n & 4) {
        a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps((const float *)p)), few, 1);
    }
#else
    __m128d few = _mm_setzero_pd();
    if (n & 1) {
        few = _mm_castsi128_pd(_mm_loadu_si64((const double *)p + (n & 2)));
    }
    vr a = _mm256_castpd128_pd256(few);
    if (n & 2) {
        a = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd((const double *)p)), few, 1);
    }
#endif
    return V(blendv)(rest, a, mask);
}

static inline bool i_any(vi a) { return !_mm256_testz_si256(a, a); }

#ifdef KDR_UNIT_F32
static inline vr v_gather(const void *p, const uint32_t *index) {
    return _mm256_i32gather_ps((const float *)p, _mm256_loadu_si256((const __m256i *)(const void *)index), 4);
}

static inline vr v_join(const simde__m128 quarter[2]) { return _mm256_insertf128_ps(_mm256_castps128_ps256(quarter[0]), quarter[1], 1); }

static inline void v_split(vr a, simde__m128 quarter[2]) {
    quarter[0] = _mm256_castps256_ps128(a);
    quarter[1] = _mm256_extractf128_ps(a, 1);
}
#else
static inline vr v_gather(const void *p, const uint32_t *index) {
    return _mm256_i32gather_pd((const double *)p, _mm_loadu_si128((const __m128i *)(const void *)index), 8);
}

static inline vr v_join(const simde__m128d quarter[2]) { return _mm256_insertf128_pd(_mm256_castpd128_pd256(quarter[0]), quarter[1], 1); }

static inline void v_split(vr a, simde__m128d quarter[2]) {
    quarter[0] = _mm256_castpd256_pd128(a);
    quarter[1] = _mm256_extractf128_pd(a, 1);
}
#endif

#include "quarters.h"
