/* Square roots and quotients by multiply-adds (src/kernel/roots.h) have the bits of the processor's own instructions. The test takes
 * numbers whose roots are nearest to the middle of two numbers, divisors just below a power of two, and random ones. For each it takes the
 * numerators whose quotients are nearest to the middle of two numbers. */
#include "roots.h"

#include "support.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

enum { DIGITS = 53, NEAREST = 3 };

/* Numbers that are collected until they fill a vector. */
typedef struct trial {
    int count;
    double m[ROOTS], q[ROOTS];
    long tried, differ;
} trial;

static void flush(trial *t) {
    double own[2][ROOTS], fused[2][ROOTS];
    roots_try(false, t->m, t->q, own[0], own[1]);
    roots_try(true, t->m, t->q, fused[0], fused[1]);
    t->differ += memcmp(own, fused, sizeof own) != 0;
    t->tried += t->count;
    t->count = 0;
}

static void try_one(trial *t, double m, double q) {
    t->m[t->count] = m;
    t->q[t->count++] = q;
    if (t->count == ROOTS) {
        flush(t);
    }
}

/* Returns the inverse of an odd number mod 2^64. Each round doubles the number of correct bits. */
static uint64_t inverse(uint64_t odd) {
    uint64_t y = odd;
    for (int n = 0; n < 5; ++n) {
        y *= 2 - odd * y;
    }
    return y;
}

/* Tries q with a numerator of each binade whose quotient by D = q sqrt(q) is n / D units of 2^-53 from the middle of two numbers, on either
 * side: 2^shift m = middle D + n or - n with an odd middle of 54 digits. They exist for odd D and n. */
static void try_nearest(trial *t, double q) {
    int exponent;
    const uint64_t d = (uint64_t)ldexp(frexp(q * sqrt(q), &exponent), DIGITS), one = 1;
    try_one(t, -1, q);
    if (d % 2 == 0) {
        return;
    }
    const uint64_t of_d = inverse(d);
    for (uint64_t n = 1; n <= NEAREST; n += 2) {
        for (int k = 0; k < 4; ++k) {
            const int shift = DIGITS + k / 2;
            const uint64_t least = k % 2 ? 0 - n * of_d : n * of_d; /* middle D = n or -n, mod 2^64 */
            uint64_t middle = least & ((one << shift) - 1);
            middle |= k / 2 == 0 ? one << DIGITS : 0;
            const wide product = (wide)middle * d + (k % 2 ? n : 0 - (wide)n);
            const uint64_t m = (uint64_t)(product >> shift);
            if (middle >> DIGITS == 1 && m >> (DIGITS - 1) == 1) {
                cr_assert((product & (((wide)1 << shift) - 1)) == 0);
                try_one(t, (double)m, q);
            }
        }
    }
}

static bool can_run(void) {
    kdr_backend_info info;
    return kdr_backend_query(KDR_BACKEND_AVX512, &info) == KDR_OK && info.runnable;
}

/* Returns x with x x = c mod 2^bits, for c = 1 mod 8, bit by bit. */
static uint64_t square_root_of(uint64_t c, int bits) {
    uint64_t x = 1;
    for (int i = 3; i < bits; ++i) {
        if (((x * x - c) >> i) & 1) {
            x += UINT64_C(1) << (i - 1);
        }
    }
    return x;
}

/* Tries q whose roots are nearest to the middle of two numbers: 2^shift q = middle^2 + j or - j, for middles of 54 digits. */
static long try_hard_roots(trial *t) {
    long found = 0;
    for (int shift = 54; shift <= 55; ++shift) {
        for (uint64_t j = 1; j < 16384; ++j) {
            if (j % 8 != 1 && j % 8 != 7) {
                continue;
            }
            const bool above = j % 8 == 7; /* the square of the middle is j below 2^shift q, and -j mod 8 is 1 */
            const uint64_t x = square_root_of(above ? 0 - j : j, shift), mask = (UINT64_C(1) << shift) - 1;
            const uint64_t middles[4] = {x & mask, (0 - x) & mask, (x + (UINT64_C(1) << (shift - 1))) & mask,
                                         ((UINT64_C(1) << (shift - 1)) - x) & mask};
            for (int i = 0; i < 4; ++i) {
                const wide square = (wide)middles[i] * middles[i] + (above ? j : 0 - (wide)j);
                const uint64_t q = (uint64_t)(square >> shift);
                if (middles[i] >> 53 == 1 && q >> 52 == 1) {
                    cr_assert((square & mask) == 0);
                    try_nearest(t, ldexp((double)q, shift == 54 ? -52 : -51));
                    try_nearest(t, ldexp((double)q, shift == 54 ? 40 : -41));
                    ++found;
                }
            }
        }
    }
    return found;
}

Test(roots, hard_ones_of_f64) {
    trial t = {.count = 0};
    if (!can_run()) {
        cr_skip_test("needs AVX-512");
    }
    cr_expect(try_hard_roots(&t) > 4000);
    /* Divisors just below a power of two have the most difficult inverses. */
    for (int e = 1; e <= 3; ++e) {
        double q = cbrt(ldexp(1.0, 2 * e));
        for (int n = 0; n < 64; ++n) {
            q = nextafter(q, 8.0);
        }
        for (int n = 0; n < 20000; ++n) {
            try_nearest(&t, q);
            q = nextafter(q, 0.0);
        }
    }
    uint64_t seed = 5;
    for (int n = 0; n < 4000000; ++n) {
        try_nearest(&t, ldexp(random_in(&seed, 1, 2), (int)(random_bits(&seed) % 400) - 200));
    }
    flush(&t);
    cr_expect(t.differ == 0 && t.tried > 8000000, "%ld vectors of %ld numbers differ", t.differ, t.tried);
}

/* Outside the range, and at 0, infinities and NaN, a vector has the results of the processor's own instructions. */
Test(roots, edges) {
    if (!can_run()) {
        cr_skip_test("needs AVX-512");
    }
    trial t = {.count = 0};
    const double q[] = {0,  -0.0,        0x1p-1074,          0x3p-1074,  0x1.fffffffffffffp1023, INFINITY, NAN,
                        -1, roots_least, roots_least * 0.75, roots_most, roots_most * 1.5,       1};
    const double m[] = {1, -roots_least, roots_most, -1.5, 0};
    for (size_t i = 0; i < sizeof q / sizeof *q; ++i) {
        for (size_t j = 0; j < sizeof m / sizeof *m; ++j) {
            for (int lane = 0; lane < ROOTS; ++lane) {
                try_one(&t, m[j], lane == 3 ? q[i] : 1.25);
            }
        }
    }
    cr_expect(t.differ == 0);
}
