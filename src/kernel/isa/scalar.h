/* Operations of the scalar backend: plain C, one particle per "vector". */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LANES 1
#define SCALAR_UNIT
#define NOISE_VECTORS 1 /* particles whose noise is made together (noise.inl) */

typedef real vr;

static inline vr v_load(const void *p) {
    vr a;
    memcpy(&a, p, sizeof a);
    return a;
}

static inline void v_store(void *p, vr a) { memcpy(p, &a, sizeof a); }

static inline vr v_set1(real a) { return a; }

static inline vr v_add(vr a, vr b) { return a + b; }

static inline vr v_sub(vr a, vr b) { return a - b; }

static inline vr v_mul(vr a, vr b) { return a * b; }

static inline vr v_div(vr a, vr b) { return a / b; }

static inline vr v_sqrt(vr a) { return REAL_SQRT(a); }

static inline vr v_min(vr a, vr b) { return a < b ? a : b; }

static inline vr v_max(vr a, vr b) { return b < a ? a : b; }

#define ROOTS_APART true /* separate kicks are faster with few lanes */

static inline vr v_fused(vr a, vr b, vr c) { return REAL_FMA(a, b, c); }

/* Returns a where w is 0, else b. */
static inline vr v_select_zero(vr w, vr a, vr b) { return w == 0 ? a : b; }

/* Masks: one truth value. Comparisons with NaN are false. */
typedef bool vm;

static inline vm v_less(vr a, vr b) { return a < b; }

static inline vm v_at_most(vr a, vr b) { return a <= b; }

static inline vm m_none(void) { return false; }

static inline vm m_and(vm a, vm b) { return a && b; }

static inline vm m_or(vm a, vm b) { return a || b; }

/* Returns a and not b. */
static inline vm m_but(vm a, vm b) { return a && !b; }

static inline bool m_any(vm a) { return a; }

static inline bool m_all(vm a) { return a; }

/* Returns a where m, else b. */
static inline vr v_select(vm m, vr a, vr b) { return m ? a : b; }

/* Integers: `vi` has the size of a real, `vq` 64 bits. */
#ifdef KDR_UNIT_F32
typedef uint32_t vi;
#else
typedef uint64_t vi;
#endif
typedef uint64_t vq;

static inline vi v_bits(vr a) {
    vi bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline vr v_from_bits(vi bits) {
    vr a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

static inline vi i_set1(vi a) { return a; }

static inline vi i_and(vi a, vi b) { return a & b; }

/* Clears the sign. On 32-bit x86, gcc 12 loses the upper half of some doubles if an integer operation does that. */
static inline vr v_magnitude(vr a) { return sizeof a == sizeof(float) ? (vr)fabsf((float)a) : (vr)fabs((double)a); }
#define HAS_MAGNITUDE

static inline vi i_or(vi a, vi b) { return a | b; }

static inline vi i_xor(vi a, vi b) { return a ^ b; }

static inline vi i_add(vi a, vi b) { return a + b; }

static inline vi i_sub(vi a, vi b) { return a - b; }

static inline vi i_shl(vi a, int n) { return a << n; }

static inline vi i_shr(vi a, int n) { return a >> n; }

static inline vq q_set1(uint64_t a) { return a; }

static inline vq q_xor(vq a, vq b) { return a ^ b; }

static inline vq q_shr(vq a, int n) { return a >> n; }

/* Returns the product of the lower halves. */
static inline vq q_mul32(vq a, vq b) { return (a & UINT32_MAX) * (b & UINT32_MAX); }

/* q_part returns the word as the lower half of a vq. q_join does the reverse, and ignores the upper half. */
enum { PARTS = 1 };

static inline vq q_part(vi a, int part) {
    (void)part;
    return a;
}

static inline vi q_join(const vq part[PARTS]) { return (vi)(part[0] & UINT32_MAX); }

static inline bool i_any(vi a) { return a != 0; }

static inline vr v_gather(const void *p, const uint32_t *index) { return v_load((const char *)p + *index * sizeof(real)); }
