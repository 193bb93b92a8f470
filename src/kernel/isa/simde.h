/* The vector operations that are spelled alike for all widths. V(op) is SIMDe's name of an operation at the unit's width and precision.
 * In addition, the header of an instruction set defines:
 * - v_fused, and FUSED_NATIVE if it is one instruction; HOT_TILE, which picks a column of hot/list.h;
 * - ALIGNED_OPERANDS if memory operands must be aligned; ROOTS_APART if that is faster (unit.h);
 * - masks and selections; i_any, whether any bit is set; v_gather, which loads elements by indices below 2^31;
 * - v_join and v_split, a vector from and to quarters of 128 bits in lane order (quarters.h). */

static inline vr v_load(const void *p) { return V(loadu)(p); }

static inline void v_store(void *p, vr a) { V(storeu)(p, a); }

static inline vr v_set1(real a) { return V(set1)(a); }

static inline vr v_add(vr a, vr b) { return V(add)(a, b); }

static inline vr v_sub(vr a, vr b) { return V(sub)(a, b); }

static inline vr v_mul(vr a, vr b) { return V(mul)(a, b); }

static inline vr v_div(vr a, vr b) { return V(div)(a, b); }

static inline vr v_sqrt(vr a) { return V(sqrt)(a); }

/* v_min(a, b) is a < b ? a : b, which is b if one is NaN, and v_max alike. x86 has these operations; other processors compare. */
#ifdef SIMDE_X86_SSE2_NATIVE
static inline vr v_min(vr a, vr b) { return V(min)(a, b); }

static inline vr v_max(vr a, vr b) { return V(max)(a, b); }
#endif

/* Integers: `vi` has one lane per real, of its size; `vq` has lanes of 64 bits. The number of bits of a shift must be a literal. */
static inline vi v_bits(vr a) { return PASTE(PASTE(INTEGER(cast), KIND), BITS)(a); }

static inline vr v_from_bits(vi a) { return FROM_BITS(a); }

static inline vi i_and(vi a, vi b) { return W(and)(a, b); }

static inline vi i_or(vi a, vi b) { return W(or)(a, b); }

static inline vi i_xor(vi a, vi b) { return W(xor)(a, b); }

static inline vi i_add(vi a, vi b) { return PASTE(INTEGER(add), LANE)(a, b); }

static inline vi i_sub(vi a, vi b) { return PASTE(INTEGER(sub), LANE)(a, b); }

#define i_shl(a, n) PASTE(INTEGER(slli), LANE)(a, n)
#define i_shr(a, n) PASTE(INTEGER(srli), LANE)(a, n)

static inline vq q_set1(uint64_t a) { return Q_SET1((int64_t)a); }

static inline vq q_xor(vq a, vq b) { return W(xor)(a, b); }

#define q_shr(a, n) INTEGER(srli_epi64)(a, n)

/* Returns the products of the lower halves. */
static inline vq q_mul32(vq a, vq b) { return INTEGER(mul_epu32)(a, b); }

/* q_part returns words of a vi as lower halves of vq lanes; a vi of 32-bit words needs PARTS of them. q_join does the reverse, and
 * ignores the upper halves. */
#ifdef KDR_UNIT_F32
enum { PARTS = 2 };

static inline vi i_set1(uint32_t a) { return INTEGER(set1_epi32)((int32_t)a); }

static inline vq q_part(vi a, int part) { return part == 0 ? a : q_shr(a, 32); }

static inline vi q_join(const vq part[PARTS]) { return i_or(i_and(part[0], q_set1(UINT32_MAX)), INTEGER(slli_epi64)(part[1], 32)); }
#else
enum { PARTS = 1 };

static inline vi i_set1(uint64_t a) { return q_set1(a); }

static inline vq q_part(vi a, int part) {
    (void)part;
    return a;
}

static inline vi q_join(const vq part[PARTS]) { return i_and(part[0], q_set1(UINT32_MAX)); }
#endif
