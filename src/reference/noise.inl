/* Normal variates of the reference: a function of seed, step, particle id and axis only, made by + - * / sqrt and integers, so that the
 * bits are the same everywhere. The file that includes precision.inl defines for its precision:
 * - HALF_BITS: the bits of each of the two integers that make a number from 0 to 1, 16 for float, 32 for double;
 * - SQRT_HALF, QUARTER_PI: rounded to `real`; split_exponent: the standard library's frexp, which is exact;
 * - LOGARITHM_TERMS, SINE_TERMS, COSINE_TERMS: enough for the precision. */

/* Returns c_0 + z (c_1 + z (c_2 + ...)). */
static real polynomial(const particle *p, const double *c, int terms, real z) {
    real sum = (real)c[terms - 1];
    for (int i = terms - 2; i >= 0; --i) {
        sum = mul_add(p, z, sum, (real)c[i]);
    }
    return sum;
}

/* Returns (high + (low + 1/2) / 2^HALF_BITS) / 2^bits, rounded once: above 0 and at most 1. */
static real fraction(uint32_t high, uint32_t low, int bits) {
    const real scale = (real)1 / (real)(UINT64_C(1) << bits);
    const real rest = ((real)low + (real)0.5) / (real)(UINT64_C(1) << HALF_BITS) * scale;
    return (real)high * scale + rest;
}

/* Returns -2 ln u. u = m 2^e with m from sqrt(1/2) to sqrt(2), ln u = e ln 2 + 2 atanh(s), s = (m - 1) / (m + 1), atanh(s) = s + s^3/3 +
 * s^5/5 + ... The factor -2 is exact, except for e ln 2. */
static real minus_2_ln(const particle *p, real u) {
    static const double odd[] = {1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
    int e;
    real m = split_exponent(u, &e);
    if (m < (real)SQRT_HALF) {
        m *= 2;
        e -= 1;
    }
    const real s = (m - 1) / (m + 1), z = s * s;
    const real ln_m = mul_add(p, 2 * s * z, polynomial(p, odd, LOGARITHM_TERMS, z), 2 * s);
    return mul_add(p, (real)e, (real)-1.3862943611198906188, -2 * ln_m);
}

/* Returns the sine by Taylor's series, for angles from 0 to pi/4. */
static real sine(const particle *p, real angle) {
    static const double c[] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
                               -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    const real z = angle * angle;
    return mul_add(p, angle * z, polynomial(p, c, SINE_TERMS, z), angle);
}

static real cosine(const particle *p, real angle) {
    static const double c[] = {-1.0 / 2,       1.0 / 24,        -1.0 / 720,         1.0 / 40320,
                               -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
    const real z = angle * angle;
    return mul_add(p, z, polynomial(p, c, COSINE_TERMS, z), 1);
}

/* Computes two normals by Box and Muller (Ann. Math. Statist. 29 (1958) 610): r cos and r sin of an angle, r = sqrt(-2 ln u). Two
 * integers make u, two the angle. The top three bits of the angle choose the eighth of the turn: two signs, and which normal gets the
 * sine. */
static void two_normals(const particle *p, const uint32_t of_radius[2], const uint32_t of_angle[2], real out[2]) {
    const real r = square_root(minus_2_ln(p, fraction(of_radius[0], of_radius[1], HALF_BITS)));
    const uint32_t top = of_angle[0] >> (HALF_BITS - 3), below = of_angle[0] & ((UINT32_C(1) << (HALF_BITS - 3)) - 1);
    const real angle = fraction(below, of_angle[1], HALF_BITS - 3) * (real)QUARTER_PI;
    real c = (top & 1U) ? sine(p, angle) : cosine(p, angle);
    real s = (top & 1U) ? cosine(p, angle) : sine(p, angle);
    c = (top & 4U) ? -c : c;
    s = (top & 2U) ? -s : s;
    out[0] = r * c;
    out[1] = r * s;
}

/* Computes a normal for each axis at a step. The seed is Philox's key, step and id its counter. A block has four words of 32 bits. In
 * float each word has two halves of a number; in double each word is a half, and the third axis uses a second block. */
static void normals(const particle *p, uint64_t step, real out[4]) {
    uint32_t half[8];
    for (uint32_t block = 0; block < HALF_BITS / 16; ++block) {
        const uint32_t counter[4] = {(uint32_t)step, (uint32_t)(step >> 32) | (UINT32_C(0x80000000) + block * UINT32_C(0x40000000)),
                                     (uint32_t)p->id, (uint32_t)(p->id >> 32)};
        uint32_t word[4];
        kdr_reference_philox(counter, p->problem->langevin.seed, word);
        for (int w = 0; w < 4; ++w) {
            if (HALF_BITS == 32) {
                half[4 * block + (uint32_t)w] = word[w];
            } else {
                half[2 * w] = word[w] >> 16;
                half[2 * w + 1] = word[w] & 0xffff;
            }
        }
    }
    two_normals(p, half, half + 2, out);
    two_normals(p, half + 4, half + 6, out + 2);
}
