/* Normal variates, as method/rows_special.h sets them: a function of (seed, step, particle id, axis) alone.
 *
 * Philox multiplies words of 32 bits to 64, so it goes through lanes of 64 bits (`vq`) whatever the precision: of doubles one particle a
 * lane, of floats the even ones first and then the odd. Of a word in such a lane the lower half counts; what is above it is rubbish. */

#ifdef KDR_UNIT_F32
typedef uint32_t lane_bits;
enum { HALF_BITS = 16, MANTISSA_BITS = 23, LOGARITHM_TERMS = 4, SINE_TERMS = 4, COSINE_TERMS = 5 };
#define LANE_ONE UINT32_C(0x3f800000)       /* 1 */
#define LANE_SQRT_HALF UINT32_C(0x3f3504f3) /* sqrt(1/2) */
#define LANE_LARGE UINT32_C(0x4b000000)     /* 2^23: with an integer below it in its mantissa, their sum */
#define LARGE 0x1p23
#else
typedef uint64_t lane_bits;
enum { HALF_BITS = 32, MANTISSA_BITS = 52, LOGARITHM_TERMS = 10, SINE_TERMS = 8, COSINE_TERMS = 8 };
#define LANE_ONE UINT64_C(0x3ff0000000000000)
#define LANE_SQRT_HALF UINT64_C(0x3fe6a09e667f3bcd)
#define LANE_LARGE UINT64_C(0x4330000000000000)
#define LARGE 0x1p52
#endif
#define LANE_MANTISSA (((lane_bits)1 << MANTISSA_BITS) - 1)
#define LANE_SIGN ((lane_bits)1 << (sizeof(lane_bits) * 8 - 1))

enum { ROUNDS = 10 };

/* Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC11); key[r] is that of round r. */
INLINE void philox(const uint64_t key[ROUNDS][2], vq c[PARTS][4]) {
    const vq m0 = q_set1(UINT32_C(0xD2511F53)), m1 = q_set1(UINT32_C(0xCD9E8D57));
    EACH(r, ROUNDS) {
        const vq k0 = q_set1(key[r][0]), k1 = q_set1(key[r][1]);
        EACH(i, PARTS) {
            const vq p0 = q_mul32(m0, c[i][0]), p1 = q_mul32(m1, c[i][2]);
            c[i][0] = q_xor(q_xor(q_shr(p1, 32), c[i][1]), k0);
            c[i][1] = p1;
            c[i][2] = q_xor(q_xor(q_shr(p0, 32), c[i][3]), k1);
            c[i][3] = p0;
        }
    }
}

/* The four words of a block for each particle of a vector; above a word of 32 bits in a lane of 64 there is 0. */
INLINE void noise_words(const uint64_t key[ROUNDS][2], uint64_t step, uint32_t use, vi id_low, vi id_high, vi out[4]) {
    vq c[PARTS][4];
    EACH(i, PARTS) {
        c[i][0] = q_set1((uint32_t)step);
        c[i][1] = q_set1((uint32_t)(step >> 32) | use);
        c[i][2] = q_part(id_low, i);
        c[i][3] = q_part(id_high, i);
    }
    philox(key, c);
    EACH(w, 4) {
        vq word[PARTS];
        EACH(i, PARTS) { word[i] = c[i][w]; }
        out[w] = q_join(word);
    }
}

/* A non-negative integer below LARGE. */
INLINE vr from_integer(vi a) { return v_sub(v_from_bits(i_or(a, i_set1(LANE_LARGE))), v_set1((real)LARGE)); }

/* (high 2^HALF_BITS + low + 1/2) 2^-bits: above 0, at most 1, and rounded once, for all but the last sum is exact. */
INLINE vr fraction(vi high, vi low, int bits) {
    const vr rest = mul_add(from_integer(low), v_set1((real)(1.0 / (double)(UINT64_C(1) << (bits - 1)) * 0.5)),
                            v_set1((real)(1.0 / (double)(UINT64_C(1) << (bits - 1)) * 0.25)));
    return mul_add(from_integer(high), v_set1((real)(1.0 / (double)(UINT64_C(1) << (bits - HALF_BITS)))), rest);
}

/* c[0] + z (c[1] + z (c[2] + ...)) */
INLINE vr polynomial(const double *c, int terms, vr z) {
    vr sum = v_set1((real)c[terms - 1]);
    EACH(i, terms - 1) { sum = mul_add(z, sum, v_set1((real)c[terms - 2 - i])); }
    return sum;
}

/* -2 ln u: u = 2^e m with m from sqrt(1/2) to sqrt(2), ln m = 2 atanh(s), s = (m - 1) / (m + 1). */
INLINE vr minus_2_ln(vr u) {
    static const double odd[] = {1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
    const vi shifted = i_add(v_bits(u), i_set1(LANE_ONE - LANE_SQRT_HALF));
    const vr e = v_sub(v_from_bits(i_or(i_shr(shifted, MANTISSA_BITS), i_set1(LANE_LARGE))),
                       v_set1((real)(LARGE + (double)(LANE_ONE >> MANTISSA_BITS))));
    const vr m = v_from_bits(i_add(i_and(shifted, i_set1(LANE_MANTISSA)), i_set1(LANE_SQRT_HALF)));
    const vr s = v_div(v_sub(m, v_set1(1)), v_add(m, v_set1(1)));
    const vr z = v_mul(s, s), twice = v_add(s, s);
    const vr ln = mul_add(v_mul(twice, z), polynomial(odd, LOGARITHM_TERMS, z), twice);
    return mul_add(e, v_set1((real)-1.3862943611198906188), v_mul(v_set1(-2), ln));
}

/* sin and cos of an angle from 0 to pi/4 */
INLINE void sine_and_cosine(vr angle, vr *sine, vr *cosine) {
    static const double of_sine[] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
                                     -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    static const double of_cosine[] = {-1.0 / 2,       1.0 / 24,        -1.0 / 720,         1.0 / 40320,
                                       -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
    const vr z = v_mul(angle, angle);
    *sine = mul_add(v_mul(angle, z), polynomial(of_sine, SINE_TERMS, z), angle);
    *cosine = mul_add(z, polynomial(of_cosine, COSINE_TERMS, z), v_set1(1));
}

/* Two normals by Box and Muller (Ann. Math. Statist. 29 (1958) 610) from two numbers of two halves each. The first gives the radius. Of the
 * second the top three bits give the signs and which of the two gets the sine, the rest an angle in an eighth of a turn. */
INLINE void two_normals(vi radius_high, vi radius_low, vi angle_high, vi angle_low, vr out[2]) {
    const vr r = v_sqrt(minus_2_ln(fraction(radius_high, radius_low, 2 * HALF_BITS)));
    const vi eighth = i_and(angle_high, i_set1(((lane_bits)1 << (HALF_BITS - 3)) - 1));
    const vr angle = v_mul(fraction(eighth, angle_low, 2 * HALF_BITS - 3), v_set1((real)0.78539816339744830962));
    vr sine, cosine;
    sine_and_cosine(angle, &sine, &cosine);
    const vi swap = i_sub(i_set1(0), i_and(i_shr(angle_high, HALF_BITS - 3), i_set1(1)));
    const vi exchange = i_and(i_xor(v_bits(sine), v_bits(cosine)), swap);
    const vi sign[2] = {i_and(i_shl(angle_high, HALF_BITS), i_set1(LANE_SIGN)), i_and(i_shl(angle_high, HALF_BITS + 1), i_set1(LANE_SIGN))};
    out[0] = v_mul(r, v_from_bits(i_xor(i_xor(v_bits(cosine), exchange), sign[0])));
    out[1] = v_mul(r, v_from_bits(i_xor(i_xor(v_bits(sine), exchange), sign[1])));
}

/* The block that a step draws, in the word of the counter that holds the upper half of the step, below 2^21: apart from all that draws
 * from the same seed with small numbers there, as the program's scenes do for their random particles. */
#define FIRST_BLOCK UINT32_C(0x80000000)
#define SECOND_BLOCK UINT32_C(0xC0000000)

/* A normal for each axis: of floats a block gives four, of doubles two. Hundreds of instructions that any field shares: not inlined. */
static NOINLINE void normals(const uint64_t key[ROUNDS][2], uint64_t step, const vr *id_low, const vr *id_high, int axes, vr out[4]) {
    const vi low = v_bits(*id_low), high = v_bits(*id_high);
    vi word[4];
    noise_words(key, step, FIRST_BLOCK, low, high, word);
#ifdef KDR_UNIT_F32
    const vi lower = i_set1(0xffff);
    two_normals(i_shr(word[0], 16), i_and(word[0], lower), i_shr(word[1], 16), i_and(word[1], lower), out);
    if (axes > 2) {
        two_normals(i_shr(word[2], 16), i_and(word[2], lower), i_shr(word[3], 16), i_and(word[3], lower), out + 2);
    }
#else
    two_normals(word[0], word[1], word[2], word[3], out);
    if (axes > 2) {
        noise_words(key, step, SECOND_BLOCK, low, high, word);
        two_normals(word[0], word[1], word[2], word[3], out + 2);
    }
#endif
}
