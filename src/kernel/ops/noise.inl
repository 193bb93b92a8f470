/* Normal variates, as method/rows_special.h defines them: a function of seed, step, particle id and axis only.
 *
 * Logarithm, sine and cosine are polynomials. A variate is within 5 units in the last place of Box and Muller's formula for its two
 * numbers: tests/methods_langevin.c.
 *
 * Philox multiplies words of 32 bits to 64 bits, so it uses lanes of 64 bits (`vq`) in both precisions: for doubles one particle per
 * lane, for floats the even particles first and then the odd ones. Only the lower half of such a lane counts; the upper half is
 * arbitrary. */

#ifdef KDR_UNIT_F32
typedef uint32_t lane_bits;
enum { HALF_BITS = 16, MANTISSA_BITS = 23, LOGARITHM_TERMS = 4, SINE_TERMS = 4, COSINE_TERMS = 5 };
#define LANE_ONE UINT32_C(0x3f800000)       /* bits of 1.0 */
#define LANE_SQRT_HALF UINT32_C(0x3f3504f3) /* bits of sqrt(1/2) */
#define LANE_LARGE UINT32_C(0x4b000000)     /* bits of 2^23: with an integer below it in the mantissa, the bits of their sum */
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
enum { NORMALS_MAX = 2 * NOISE_VECTORS };

/* Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC11) on N independent counters; key[r] is that of round r. */
INLINE void philox(const uint64_t key[ROUNDS][2], int N, vq c[][4]) {
    const vq m0 = q_set1(UINT32_C(0xD2511F53)), m1 = q_set1(UINT32_C(0xCD9E8D57));
    EACH(r, ROUNDS) {
        const vq k0 = q_set1(key[r][0]), k1 = q_set1(key[r][1]);
        EACH(i, N) {
            const vq p0 = q_mul32(m0, c[i][0]), p1 = q_mul32(m1, c[i][2]);
            c[i][0] = q_xor(q_xor(q_shr(p1, 32), c[i][1]), k0);
            c[i][1] = p1;
            c[i][2] = q_xor(q_xor(q_shr(p0, 32), c[i][3]), k1);
            c[i][3] = p0;
        }
    }
}

/* Computes the four words of a block for each particle of U vectors. In a lane of 64 bits the upper half is 0. */
INLINE void noise_words(const uint64_t key[ROUNDS][2], uint64_t step, uint32_t use, int U, const vr *id_low, const vr *id_high,
                        vi out[][4]) {
    vq c[NOISE_VECTORS * PARTS][4];
    EACH(i, U * PARTS) {
        c[i][0] = q_set1((uint32_t)step);
        c[i][1] = q_set1((uint32_t)(step >> 32) | use);
        c[i][2] = q_part(v_bits(id_low[i / PARTS]), i % PARTS);
        c[i][3] = q_part(v_bits(id_high[i / PARTS]), i % PARTS);
    }
    philox(key, U * PARTS, c);
    EACH(u, U) {
        EACH(w, 4) {
            vq word[PARTS];
            EACH(i, PARTS) { word[i] = c[u * PARTS + i][w]; }
            out[u][w] = q_join(word);
        }
    }
}

/* Converts a nonnegative integer below LARGE. */
INLINE vr from_integer(vi a) { return v_sub(v_from_bits(i_or(a, i_set1(LANE_LARGE))), v_set1((real)LARGE)); }

/* Returns (high 2^HALF_BITS + low + 1/2) 2^-bits: above 0, at most 1, and rounded once, because every sum but the last is exact. */
INLINE vr fraction(vi high, vi low, int bits) {
    const double unit = 1.0 / (double)(UINT64_C(1) << (bits - 1)) * 0.5;
    const vr rest = mul_add(from_integer(low), v_set1((real)unit), v_set1((real)(unit * 0.5)));
    return mul_add(from_integer(high), v_set1((real)(unit * (double)(UINT64_C(1) << HALF_BITS))), rest);
}

/* The following functions process N vectors side by side; a single one would wait for each of its operations. */

/* Computes c[0] + z (c[1] + z (c[2] + ...)). */
INLINE void polynomial(const double *c, int terms, int N, const vr *z, vr *sum) {
    EACH(n, N) { sum[n] = v_set1((real)c[terms - 1]); }
    EACH(i, terms - 1) {
        EACH(n, N) { sum[n] = mul_add(z[n], sum[n], v_set1((real)c[terms - 2 - i])); }
    }
}

/* Replaces u by -2 ln u: u = 2^e m with m from sqrt(1/2) to sqrt(2), ln m = 2 atanh(s), s = (m - 1) / (m + 1). */
INLINE void minus_2_ln(int N, vr *u) {
    static const double odd[] = {1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
    vr e[NORMALS_MAX], s[NORMALS_MAX], z[NORMALS_MAX], sum[NORMALS_MAX];
    EACH(n, N) {
        const vi shifted = i_add(v_bits(u[n]), i_set1(LANE_ONE - LANE_SQRT_HALF));
        e[n] = v_sub(v_from_bits(i_or(i_shr(shifted, MANTISSA_BITS), i_set1(LANE_LARGE))),
                     v_set1((real)(LARGE + (double)(LANE_ONE >> MANTISSA_BITS))));
        const vr m = v_from_bits(i_add(i_and(shifted, i_set1(LANE_MANTISSA)), i_set1(LANE_SQRT_HALF)));
        s[n] = v_div(v_sub(m, v_set1(1)), v_add(m, v_set1(1)));
        z[n] = v_mul(s[n], s[n]);
    }
    polynomial(odd, LOGARITHM_TERMS, N, z, sum);
    EACH(n, N) {
        const vr twice = v_add(s[n], s[n]), ln = mul_add(v_mul(twice, z[n]), sum[n], twice);
        u[n] = mul_add(e[n], v_set1((real)-1.3862943611198906188), v_mul(v_set1(-2), ln));
    }
}

/* Computes sine and cosine of angles from 0 to pi/4. */
INLINE void sine_and_cosine(int N, const vr *angle, vr *sine, vr *cosine) {
    static const double of_sine[] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
                                     -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    static const double of_cosine[] = {-1.0 / 2,       1.0 / 24,        -1.0 / 720,         1.0 / 40320,
                                       -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
    vr z[NORMALS_MAX];
    EACH(n, N) { z[n] = v_mul(angle[n], angle[n]); }
    polynomial(of_sine, SINE_TERMS, N, z, sine);
    polynomial(of_cosine, COSINE_TERMS, N, z, cosine);
    EACH(n, N) {
        sine[n] = mul_add(v_mul(angle[n], z[n]), sine[n], angle[n]);
        cosine[n] = mul_add(z[n], cosine[n], v_set1(1));
    }
}

/* Computes two normals by Box and Muller (Ann. Math. Statist. 29 (1958) 610) from two numbers of two halves each. The first gives the
 * radius. The top three bits of the second give the signs, and which normal gets the sine; the rest is an angle in an eighth of a turn. */
INLINE void box_muller(int N, vi half[][4], vr out[][2]) {
    vr r[NORMALS_MAX], angle[NORMALS_MAX], sine[NORMALS_MAX], cosine[NORMALS_MAX];
    EACH(n, N) { r[n] = fraction(half[n][0], half[n][1], 2 * HALF_BITS); }
    minus_2_ln(N, r);
    EACH(n, N) {
        const vi eighth = i_and(half[n][2], i_set1(((lane_bits)1 << (HALF_BITS - 3)) - 1));
        angle[n] = v_mul(fraction(eighth, half[n][3], 2 * HALF_BITS - 3), v_set1((real)0.78539816339744830962));
    }
    sine_and_cosine(N, angle, sine, cosine);
    EACH(n, N) {
        const vi top = half[n][2], sign = i_set1(LANE_SIGN);
        const vi swap = i_sub(i_set1(0), i_and(i_shr(top, HALF_BITS - 3), i_set1(1)));
        const vi exchange = i_and(i_xor(v_bits(sine[n]), v_bits(cosine[n])), swap);
        const vr radius = v_sqrt(r[n]);
        out[n][0] = v_mul(radius, v_from_bits(i_xor(i_xor(v_bits(cosine[n]), exchange), i_and(i_shl(top, HALF_BITS), sign))));
        out[n][1] = v_mul(radius, v_from_bits(i_xor(i_xor(v_bits(sine[n]), exchange), i_and(i_shl(top, HALF_BITS + 1), sign))));
    }
}

/* The blocks that a step draws, as bits in the counter's word with the upper half of the step, which is below 2^21. They differ from the
 * blocks of other users of the seed, who have small numbers in that word, such as the random particles of the program's scenes. */
#define FIRST_BLOCK UINT32_C(0x80000000)
#define SECOND_BLOCK UINT32_C(0xC0000000)

/* Extracts the halves of a pair's two numbers. A block has two pairs of floats in halves of its words, or one pair of doubles, whose
 * halves are whole words. */
INLINE void halves_of(const vi word[4], int pair, vi half[4]) {
#ifdef KDR_UNIT_F32
    EACH(i, 2) {
        half[2 * i] = i_shr(word[2 * pair + i], 16);
        half[2 * i + 1] = i_and(word[2 * pair + i], i_set1(0xffff));
    }
#else
    (void)pair;
    EACH(i, 4) { half[i] = word[i]; }
#endif
}

/* Computes two normals for each particle of U vectors, or four. */
INLINE void normals_of(const uint64_t key[ROUNDS][2], uint64_t step, int U, int pairs, const vr *id_low, const vr *id_high, vr out[][2]) {
    vi word[NOISE_VECTORS][4], half[NORMALS_MAX][4];
    EACH(i, pairs) {
        if (i == 0 || sizeof(real) == sizeof(double)) {
            noise_words(key, step, i == 0 ? FIRST_BLOCK : SECOND_BLOCK, U, id_low, id_high, word);
        }
        EACH(u, U) { halves_of(word[u], i, half[pairs * u + i]); }
    }
    box_muller(pairs * U, half, out);
}

/* Not inlined: hundreds of instructions that all fields share. */
static NOINLINE void normals_2(const uint64_t key[ROUNDS][2], uint64_t step, const vr *id_low, const vr *id_high, vr out[][2]) {
    normals_of(key, step, NOISE_VECTORS, 1, id_low, id_high, out);
}

static NOINLINE void normals_4(const uint64_t key[ROUNDS][2], uint64_t step, const vr *id_low, const vr *id_high, vr out[][2]) {
    normals_of(key, step, NOISE_VECTORS, 2, id_low, id_high, out);
}
