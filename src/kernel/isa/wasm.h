/* The vector operations that WebAssembly's two instruction sets share, at 128 bits. The types are the compiler's own, of the unit's reals:
 * SIMDe's and wasm_simd128.h's are vectors of integers, so the operators of a field would compute with integers. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <wasm_simd128.h>

#define LANES ((int)(16 / sizeof(real)))
#define NOISE_VECTORS 1 /* vectors of particles whose noise is made together (noise.inl) */

#define WASM_VECTOR __attribute__((vector_size(16)))
typedef real vr WASM_VECTOR;
#ifdef KDR_UNIT_F32
typedef uint32_t vi WASM_VECTOR;
typedef int32_t vm WASM_VECTOR;
#define X(op) wasm_f32x4_##op
#else
typedef uint64_t vi WASM_VECTOR;
typedef int64_t vm WASM_VECTOR;
#define X(op) wasm_f64x2_##op
#endif
typedef uint64_t vq WASM_VECTOR;

static inline vr v_load(const void *p) { return (vr)wasm_v128_load(p); }

static inline void v_store(void *p, vr a) { wasm_v128_store(p, (v128_t)a); }

static inline vr v_set1(real a) { return (vr)X(splat)(a); }

static inline vr v_add(vr a, vr b) { return a + b; }

static inline vr v_sub(vr a, vr b) { return a - b; }

static inline vr v_mul(vr a, vr b) { return a * b; }

static inline vr v_div(vr a, vr b) { return a / b; }

static inline vr v_sqrt(vr a) { return (vr)X(sqrt)((v128_t)a); }

/* v_min(a, b) is a < b ? a : b, and v_max alike; pmin(b, a) has that definition. */
static inline vr v_min(vr a, vr b) { return (vr)X(pmin)((v128_t)b, (v128_t)a); }

static inline vr v_max(vr a, vr b) { return (vr)X(pmax)((v128_t)b, (v128_t)a); }

/* Integers: `vi` has one lane per real, of its size; `vq` has lanes of 64 bits. */
static inline vi v_bits(vr a) { return (vi)a; }

static inline vr v_from_bits(vi a) { return (vr)a; }

static inline vi i_and(vi a, vi b) { return a & b; }

static inline vi i_or(vi a, vi b) { return a | b; }

static inline vi i_xor(vi a, vi b) { return a ^ b; }

static inline vi i_add(vi a, vi b) { return a + b; }

static inline vi i_sub(vi a, vi b) { return a - b; }

static inline vi i_shl(vi a, int n) { return a << n; }

static inline vi i_shr(vi a, int n) { return a >> n; }

static inline bool i_any(vi a) { return wasm_v128_any_true((v128_t)a); }

static inline vq q_set1(uint64_t a) { return (vq)wasm_i64x2_splat((int64_t)a); }

static inline vq q_xor(vq a, vq b) { return a ^ b; }

static inline vq q_shr(vq a, int n) { return a >> n; }

/* Returns the products of the lower halves. */
static inline vq q_mul32(vq a, vq b) { return (a & UINT32_MAX) * (b & UINT32_MAX); }

/* q_part returns words of a vi as lower halves of vq lanes; a vi of 32-bit words needs PARTS of them. q_join does the reverse, and
 * ignores the upper halves. */
#ifdef KDR_UNIT_F32
enum { PARTS = 2 };

static inline vi i_set1(uint32_t a) { return (vi)wasm_i32x4_splat((int32_t)a); }

static inline vq q_part(vi a, int part) { return part == 0 ? (vq)a : q_shr((vq)a, 32); }

static inline vi q_join(const vq part[PARTS]) { return (vi)((part[0] & UINT32_MAX) | part[1] << 32); }
#else
enum { PARTS = 1 };

static inline vi i_set1(uint64_t a) { return q_set1(a); }

static inline vq q_part(vi a, int part) {
    (void)part;
    return a;
}

static inline vi q_join(const vq part[PARTS]) { return part[0] & UINT32_MAX; }
#endif

/* Masks: all bits of a lane are equal. Comparisons with NaN are false. */
static inline vm v_less(vr a, vr b) { return a < b; }

static inline vm v_at_most(vr a, vr b) { return a <= b; }

static inline vm m_none(void) { return (vm)wasm_i32x4_splat(0); }

static inline vm m_and(vm a, vm b) { return a & b; }

static inline vm m_or(vm a, vm b) { return a | b; }

/* Returns a and not b. */
static inline vm m_but(vm a, vm b) { return a & ~b; }

static inline bool m_any(vm a) { return wasm_v128_any_true((v128_t)a); }

static inline bool m_all(vm a) { return wasm_i32x4_all_true((v128_t)a); }

/* Returns a where m, else b. */
static inline vr v_select(vm m, vr a, vr b) { return (vr)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)m); }

/* Returns a where w is 0, else b. */
static inline vr v_select_zero(vr w, vr a, vr b) { return v_select(w == v_set1(0), a, b); }

static inline vr v_gather(const void *p, const uint32_t *index) {
    real lane[LANES];
    for (int i = 0; i < LANES; ++i) {
        memcpy(&lane[i], (const char *)p + index[i] * sizeof(real), sizeof(real));
    }
    return v_load(lane);
}

/* A vector is a single quarter. quarters.h says what the functions do. */
typedef vr vr_quarter;

static inline vr v_join(const vr quarter[1]) { return quarter[0]; }

static inline void v_split(vr a, vr quarter[1]) { quarter[0] = a; }

static inline vr quarter_load(const char *at) { return v_load(at); }

static inline void quarter_store(char *at, vr a) { v_store(at, a); }

static inline vr words_load(const char *at, size_t stride) { return (vr)wasm_v128_load64_lane(at + stride, wasm_v128_load64_zero(at), 1); }

static inline void words_store(char *at, size_t stride, vr a) {
    wasm_v128_store64_lane(at, (v128_t)a, 0);
    wasm_v128_store64_lane(at + stride, (v128_t)a, 1);
}

#ifdef KDR_UNIT_F32
static inline vr ones_load(const char *at, size_t stride) {
    const v128_t two = wasm_v128_load32_lane(at + stride, wasm_v128_load32_zero(at), 1);
    return (vr)wasm_v128_load32_lane(at + 3 * stride, wasm_v128_load32_lane(at + 2 * stride, two, 2), 3);
}

static inline void ones_store(char *at, size_t stride, vr a) {
    wasm_v128_store32_lane(at, (v128_t)a, 0);
    wasm_v128_store32_lane(at + stride, (v128_t)a, 1);
    wasm_v128_store32_lane(at + 2 * stride, (v128_t)a, 2);
    wasm_v128_store32_lane(at + 3 * stride, (v128_t)a, 3);
}

static inline void twos_load(const char *at, size_t stride, vr out[2]) {
    out[0] = words_load(at, stride);
    out[1] = words_load(at + 2 * stride, stride);
}

static inline void twos_store(char *at, size_t stride, vr a, vr b) {
    words_store(at, stride, a);
    words_store(at + 2 * stride, stride, b);
}

static inline vr v_interleave_low(vr a, vr b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }

static inline vr v_interleave_high(vr a, vr b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }

static inline vr v_even(vr a, vr b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); }

static inline vr v_odd(vr a, vr b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7); }

static inline vr v_low_halves(vr a, vr b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5); }

static inline vr v_high_halves(vr a, vr b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7); }
#else
static inline vr ones_load(const char *at, size_t stride) { return words_load(at, stride); }

static inline void ones_store(char *at, size_t stride, vr a) { words_store(at, stride, a); }

static inline void twos_load(const char *at, size_t stride, vr out[2]) {
    out[0] = v_load(at);
    out[1] = v_load(at + stride);
}

static inline void twos_store(char *at, size_t stride, vr a, vr b) {
    v_store(at, a);
    v_store(at + stride, b);
}

static inline vr v_interleave_low(vr a, vr b) { return __builtin_shufflevector(a, b, 0, 2); }

static inline vr v_interleave_high(vr a, vr b) { return __builtin_shufflevector(a, b, 1, 3); }

static inline vr v_even(vr a, vr b) { return v_interleave_low(a, b); }

static inline vr v_odd(vr a, vr b) { return v_interleave_high(a, b); }
#endif
