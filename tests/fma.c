/* The tests compare kdr_fma and kdr_fmaf, and what they compute without the instruction, with two independent sources: values rounded from
 * exact rational numbers, and the C library's functions, which use the processor's instruction where it has one. */
#include "support.h"

#include <kickdrift/fma.h>

static float low_float(uint64_t bits) { return float_from_bits((uint32_t)bits); }

/* Compares two doubles by their bits; all NaNs are equal. A float converts to a double exactly, with its sign. */
static bool same(double a, double b) { return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b)); }

static int failures;

static void expect_f64(double a, double b, double c, double expected) {
    const double computed = kdr_fma_computed(a, b, c), here = kdr_fma(a, b, c);
    if ((!same(computed, expected) || !same(here, expected)) && failures++ < 10) {
        cr_expect(false, "%a %a + %a: expected %a, got %a computed and %a by kdr_fma", a, b, c, expected, computed, here);
    }
}

static void expect_f32(float a, float b, float c, float expected) {
    const float computed = kdr_fmaf_computed(a, b, c), here = kdr_fmaf(a, b, c);
    if ((!same((double)computed, (double)expected) || !same((double)here, (double)expected)) && failures++ < 10) {
        cr_expect(false, "%a %a + %a: expected %a, got %a computed and %a by kdr_fmaf", (double)a, (double)b, (double)c, (double)expected,
                  (double)computed, (double)here);
    }
}

/* The table has sums half-way between two numbers and next to there, at the largest number, at the smallest ones, and of terms that cancel.
 * Rational arithmetic has rounded them. */
static const double exact[][4] = {
    {0x1.0000000000000p+0, 0x1.0000000000000p-53, 0x1.0000000000000p+0, 0x1.0000000000000p+0},
    {0x1.0000000000000p+0, 0x1.0000000000000p-53, 0x1.0000000000001p+0, 0x1.0000000000002p+0},
    {0x1.0000000000001p-1, 0x1.ffffffffffffep-53, 0x1.0000000000000p+0, 0x1.0000000000000p+0},
    {0x1.0000000000001p-53, 0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000001p+0},
    {-0x1.0000000000001p-53, 0x1.0000000000000p-1, 0x1.0000000000000p+0, 0x1.fffffffffffffp-1},
    {-0x1.0000000000000p-54, 0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p+0},
    {-0x1.0000000000000p-55, 0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p+0},
    {-0x1.0000000000001p-54, 0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.fffffffffffffp-1},
    {0x1.fffffffffffffp+1023, 0x1.0000000000000p+1, -0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023},
    {0x1.fffffffffffffp+1023, 0x1.0000000000000p+0, 0x1.0000000000000p+969, 0x1.fffffffffffffp+1023},
    {0x1.fffffffffffffp+1023, 0x1.0000000000000p+0, 0x1.0000000000000p+970, INFINITY},
    {0x1.fffffffffffffp+1023, 0x1.0000000000000p+0, 0x1.fffffffffffffp+969, 0x1.fffffffffffffp+1023},
    {0x1.0000000000000p+1000, 0x1.0000000000000p+1000, -0x1.0000000000000p+1000, INFINITY},
    {-0x1.0000000000000p+512, 0x1.0000000000000p+512, 0x1.fffffffffffffp+1023, -0x1.0000000000000p+971},
    {-0x1.0000000000001p+512, 0x1.0000000000000p+512, 0x1.fffffffffffffp+1023, -0x1.8000000000000p+972},
    {0x1.0000000000000p-537, 0x1.0000000000000p-538, 0x0.0000000000001p-1022, 0x0.0000000000002p-1022},
    {0x1.0000000000000p-537, 0x1.0000000000000p-538, -0x0.0000000000001p-1022, -0x0.0p+0},
    {0x1.8000000000000p-537, 0x1.0000000000000p-538, 0x0.0000000000001p-1022, 0x0.0000000000002p-1022},
    {-0x1.0000000000000p-537, 0x1.0000000000000p-538, 0x0.0000000000001p-1022, 0x0.0p+0},
    {0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022},
    {-0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022},
    {0x0.0000000000001p-1022, 0x0.0000000000001p-1022, -0x1.0000000000000p-1022, -0x1.0000000000000p-1022},
    {0x0.0000000000001p-1022, 0x1.0000000000000p-1, 0x1.0000000000000p-1022, 0x1.0000000000000p-1022},
    {-0x0.0000000000001p-1022, 0x1.0000000000000p-1, 0x1.0000000000000p-1022, 0x1.0000000000000p-1022},
    {-0x0.0000000000001p-1022, 0x1.8000000000000p-1, 0x1.0000000000000p-1022, 0x0.fffffffffffffp-1022},
    {0x1.fffffffffffffp-1022, 0x1.0000000000000p-1, -0x0.0000000000001p-1022, 0x0.ffffffffffffep-1022},
    {0x1.fffffffffffffp-512, 0x1.0000000000000p-511, -0x0.fffffffffffffp-1022, 0x0.0p+0},
    {0x1.5555555555555p+0, 0x1.8000000000000p+1, -0x1.0000000000000p+2, -0x1.0000000000000p-52},
    {0x1.0000000000001p+0, 0x1.0000000000001p+0, -0x1.0000000000002p+0, 0x1.0000000000000p-104},
    {0x1.fffffffffffffp+0, 0x1.fffffffffffffp+0, -0x1.ffffffffffffep+1, 0x1.0000000000000p-104},
    {0x1.0000000000001p+500, 0x1.0000000000001p-600, -0x1.0000000000002p-100, 0x1.0000000000000p-204},
    {0x1.0000000000001p-1022, 0x1.0000000000001p-1, -0x0.8000000000001p-1022, 0x0.0p+0},
    {0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p-200, 0x1.0000000000000p+0},
    {0x1.0000000000001p+0, 0x1.0000000000000p-200, 0x1.0000000000001p+0, 0x1.0000000000001p+0},
    {0x1.fffffffffffffp+0, 0x1.fffffffffffffp-1, 0x1.8000000000000p-52, 0x1.0000000000000p+1},
    {0x1.8000000000000p+1, 0x1.5555555555555p-2, -0x1.0000000000000p+0, -0x1.0000000000000p-54},
    {0x1.0000001000000p+0, 0x1.fffffe0000000p-1, -0x1.0000000000000p+0, -0x1.e000002000000p-25},
};

static const float exact_f32[][4] = {
    {0x1.0000000000000p+0F, 0x1.0000000000000p-24F, 0x1.0000000000000p+0F, 0x1.0000000000000p+0F},
    {0x1.0000000000000p+0F, 0x1.0000000000000p-24F, 0x1.0000020000000p+0F, 0x1.0000040000000p+0F},
    {0x1.0000020000000p-24F, 0x1.0000000000000p+0F, 0x1.0000000000000p+0F, 0x1.0000020000000p+0F},
    {-0x1.0000000000000p-25F, 0x1.0000000000000p+0F, 0x1.0000000000000p+0F, 0x1.0000000000000p+0F},
    {-0x1.0000020000000p-25F, 0x1.0000000000000p+0F, 0x1.0000000000000p+0F, 0x1.fffffe0000000p-1F},
    {0x1.fffffe0000000p+127F, 0x1.0000000000000p+1F, -0x1.fffffe0000000p+127F, 0x1.fffffe0000000p+127F},
    {0x1.fffffe0000000p+127F, 0x1.0000000000000p+0F, 0x1.0000000000000p+103F, INFINITY},
    {0x1.fffffe0000000p+127F, 0x1.0000000000000p+0F, 0x1.fffffe0000000p+102F, 0x1.fffffe0000000p+127F},
    {0x1.0000000000000p-75F, 0x1.0000000000000p-75F, 0x1.0000000000000p-149F, 0x1.0000000000000p-148F},
    {0x1.0000000000000p-75F, 0x1.0000000000000p-75F, -0x1.0000000000000p-149F, -0x0.0p+0},
    {-0x1.0000000000000p-75F, 0x1.8000000000000p-75F, 0x1.0000000000000p-149F, 0x0.0p+0},
    {0x1.8000000000000p-75F, 0x1.0000000000000p-75F, 0x1.0000000000000p-149F, 0x1.0000000000000p-148F},
    {0x1.0000000000000p-149F, 0x1.0000000000000p-149F, 0x1.0000000000000p-149F, 0x1.0000000000000p-149F},
    {-0x1.0000000000000p-149F, 0x1.0000000000000p-149F, 0x1.0000000000000p-126F, 0x1.0000000000000p-126F},
    {-0x1.0000000000000p-149F, 0x1.0000000000000p-1F, 0x1.0000000000000p-126F, 0x1.0000000000000p-126F},
    {0x1.0000020000000p+0F, 0x1.0000020000000p+0F, -0x1.0000040000000p+0F, 0x1.0000000000000p-46F},
    {0x1.fffffe0000000p+0F, 0x1.fffffe0000000p+0F, -0x1.fffffc0000000p+1F, 0x1.0000000000000p-46F},
    {0x1.0000020000000p+0F, 0x1.0000000000000p-100F, 0x1.0000020000000p+0F, 0x1.0000020000000p+0F},
    {0x1.0000020000000p+0F, 0x1.0000020000000p-24F, 0x1.0000000000000p+0F, 0x1.0000020000000p+0F},
    {0x1.0010000000000p+0F, 0x1.ffe0000000000p-1F, 0x1.0000000000000p-24F, 0x1.0000000000000p+0F},
    {0x1.0020040000000p-13F, 0x1.ffc0000000000p-12F, 0x1.0000020000000p+0F, 0x1.0000020000000p+0F},
    {0x1.7ffffe0000000p+12F, 0x1.5555580000000p-36F, 0x1.0000020000000p+1F, 0x1.0000040000000p+1F},
    {0x1.0000c00000000p-60F, 0x1.fffe800000000p-65F, 0x1.0000000000000p-100F, 0x1.0000000000000p-100F},
};

Test(fma, constructed) {
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
        for (int sign = 0; sign < 2; ++sign) { /* a b + c and, with the same sizes, -a b - c */
            const double s = sign ? -1 : 1, *const e = exact[i];
            expect_f64(s * e[0], e[1], s * e[2], s * e[3]);
            expect_f64(e[1], s * e[0], s * e[2], s * e[3]);
        }
    }
    for (size_t i = 0; i < sizeof exact_f32 / sizeof *exact_f32; ++i) {
        for (int sign = 0; sign < 2; ++sign) {
            const float s = sign ? -1 : 1, *const e = exact_f32[i];
            expect_f32(s * e[0], e[1], s * e[2], s * e[3]);
            expect_f32(e[1], s * e[0], s * e[2], s * e[3]);
        }
    }
    cr_expect(failures == 0, "%d failures", failures);
}

/* Each exact result lies next to the middle of two numbers, and bits far below decide its rounding. 321 * 28059810762433 is 2^53 + 1, a
 * middle, to which a tiny c is added. (2^51 - 2^26 + 1) (2^51 + 2^26 + 1) is 2^102 + 1: half a unit of 2^155, and 1. */
Test(fma, far_last_bits) {
    const double low = 0x1p51 - 0x1p26 + 1, high = 0x1p51 + 0x1p26 + 1, below = 0x1p51 - 1, above = 0x1p51 + 1;
    for (int e = -1074; e < 0; ++e) {
        expect_f64(321, 28059810762433.0, ldexp(1, e), 0x1p53 + 2);
        expect_f64(321, 28059810762433.0, -ldexp(1, e), 0x1p53);
        expect_f64(-321, 28059810762433.0, ldexp(1, e), -0x1p53);
    }
    for (int e = -900; e < 860; ++e) { /* 2^155 +- 2^102 + 1, 2^155 +- 2^102 - 1, and the same added to the next number */
        const double s = ldexp(1, e), c = s * 0x1p155, next = s * (0x1p155 + 0x1p103);
        expect_f64(s * low, high, c, next);
        expect_f64(s * below, above, c, c);
        expect_f64(s * below, above, next, next);
        expect_f64(-s * below, above, next, next);
        expect_f64(-s * low, high, next, c);
    }
    for (int e = -60; e < 40; ++e) { /* 2^24 + 1 = 97 * 172961, 2^46 + 1 = (2^23 - 2^12 + 1) (2^23 + 2^12 + 1) */
        const float s = ldexpf(1, e), c = s * 0x1p70F, next = s * (0x1p70F + 0x1p47F);
        expect_f32(97, 172961, ldexpf(1, e - 41), 0x1p24F + 2);
        expect_f32(97, 172961, -ldexpf(1, e - 41), 0x1p24F);
        expect_f32(s * (0x1p23F - 0x1p12F + 1), 0x1p23F + 0x1p12F + 1, c, next);
        expect_f32(-s * (0x1p23F - 0x1p12F + 1), 0x1p23F + 0x1p12F + 1, next, c);
    }
    cr_expect(failures == 0, "%d failures", failures);
}

/* All triples of special numbers are taken: zeros, infinities, NaNs, subnormal numbers, the largest ones, of both signs. */
Test(fma, special) {
    static const double f64[] = {0,
                                 0x1p-1074,
                                 0x1.8p-1073,
                                 0x1.ffffffffffffep-1023,
                                 0x1p-1022,
                                 0x1.0000000000001p-1022,
                                 0x1p-538,
                                 0x1p-1,
                                 1,
                                 0x1.0000000000001p+0,
                                 3,
                                 0x1p+511,
                                 0x1.fffffffffffffp+1023,
                                 INFINITY,
                                 NAN};
    static const float f32[] = {0, 0x1p-149F,      0x1.8p-148F, 0x1.fffffcp-127F, 0x1p-126F,        0x1.000002p-126F, 0x1p-75F, 0x1p-1F,
                                1, 0x1.000002p+0F, 3,           0x1p+63F,         0x1.fffffep+127F, INFINITY,         NAN};
    enum { COUNT = sizeof f64 / sizeof *f64 };
    for (int n = 0; n < 8 * COUNT * COUNT * COUNT; ++n) {
        const int i = n / 8 % COUNT, j = n / 8 / COUNT % COUNT, k = n / 8 / COUNT / COUNT;
        const double a = n & 1 ? -f64[i] : f64[i], b = n & 2 ? -f64[j] : f64[j], c = n & 4 ? -f64[k] : f64[k];
        const float x = n & 1 ? -f32[i] : f32[i], y = n & 2 ? -f32[j] : f32[j], z = n & 4 ? -f32[k] : f32[k];
        expect_f64(a, b, c, fma(a, b, c));
        expect_f32(x, y, z, fmaf(x, y, z));
    }
    cr_expect(failures == 0, "%d failures", failures);
}

/* Draws a double of this biased exponent, brought into the range of the finite ones. One of four has zeros at its end. */
static double draw(uint64_t *seed, int exponent) {
    const uint64_t random = random_bits(seed), mantissa = random & ((UINT64_C(1) << 52) - 1);
    const uint64_t kept = random >> 52 & 3 ? mantissa : mantissa >> (random >> 54 & 63) % 53 << (random >> 54 & 63) % 53;
    return from_bits((random & UINT64_C(1) << 63) | (uint64_t)(exponent < 0 ? 0 : exponent > 2046 ? 2046 : exponent) << 52 | kept);
}

static int draw_below(uint64_t *seed, int n) { return (int)(random_bits(seed) % (uint64_t)n); }

enum { TRIPLES = 100000000, KINDS = 5 };

/* Draws terms of one kind: of any bits (0); of exponents near each other (1); that cancel but for some units (2); whose product ends next
 * to half a unit of c (3); whose result is subnormal or next to it (4). */
static void draw_f64(uint64_t *seed, int kind, double at[3]) {
    const int ea = 300 + draw_below(seed, 1400), eb = 2046 - ea + draw_below(seed, 120) - 60;
    at[0] = draw(seed, ea);
    at[1] = draw(seed, eb);
    at[2] = draw(seed, ea + eb - 1023 + draw_below(seed, 240) - 120);
    if (kind == 0) {
        for (int i = 0; i < 3; ++i) {
            at[i] = from_bits(random_bits(seed));
        }
    } else if (kind == 2) {
        at[2] = from_bits(bits_of(-at[0] * at[1]) + random_bits(seed) % 5 - 2);
    } else if (kind == 3) {
        at[0] = 1 + 0x1p-52 * draw_below(seed, 1 << 12);
        at[1] = (1 + 0x1p-52 * draw_below(seed, 1 << 12)) * (draw_below(seed, 2) ? 0x1p-53 : -0x1p-54);
        at[2] = 1 + 0x1p-52 * draw_below(seed, 4);
    } else if (kind == 4) {
        at[0] = draw(seed, ea);
        at[1] = draw(seed, 1023 - ea + draw_below(seed, 120));
        at[2] = draw(seed, draw_below(seed, 60) - 20);
    }
}

static void draw_f32(uint64_t *seed, int kind, float at[3]) {
    for (int i = 0; i < 3; ++i) {
        at[i] = low_float(random_bits(seed));
    }
    if (kind == 1) {
        at[2] = -at[0] * at[1] * (float)random_in(seed, -2, 2);
    } else if (kind == 2) {
        const float product = -at[0] * at[1];
        uint32_t bits;
        memcpy(&bits, &product, sizeof bits);
        at[2] = low_float(bits + random_bits(seed) % 5 - 2);
    } else if (kind == 3) {
        at[0] = 1 + 0x1p-23F * (float)draw_below(seed, 1 << 10);
        at[1] = (1 + 0x1p-23F * (float)draw_below(seed, 1 << 10)) * (draw_below(seed, 2) ? 0x1p-24F : -0x1p-25F);
        at[2] = 1 + 0x1p-23F * (float)draw_below(seed, 4);
    } else if (kind == 4) {
        const uint64_t e = 30 + random_bits(seed) % 160;
        at[0] = low_float((random_bits(seed) & 0x807FFFFF) | e << 23);
        at[1] =
            low_float((random_bits(seed) & 0x807FFFFF) | (127 + random_bits(seed) % 60 > e ? 127 + random_bits(seed) % 60 - e : 0) << 23);
        at[2] = low_float((random_bits(seed) & 0x807FFFFF) | random_bits(seed) % 30 << 23);
    }
}

/* The total number of triples is shared by the two precisions and all kinds. */
static void expect_random(bool single) {
    uint64_t seed = test_seed() + single;
    for (int i = 0; i < TRIPLES / (SANITIZED ? 100 : 2); ++i) {
        if (single) {
            float at[3];
            draw_f32(&seed, i % KINDS, at);
            expect_f32(at[0], at[1], at[2], fmaf(at[0], at[1], at[2]));
        } else {
            double at[3];
            draw_f64(&seed, i % KINDS, at);
            expect_f64(at[0], at[1], at[2], fma(at[0], at[1], at[2]));
        }
    }
    cr_expect(failures == 0, "%d failures", failures);
}

Test(fma, random_doubles) { expect_random(false); }
Test(fma, random_floats) { expect_random(true); }
