/* This file computes the functions of <kickdrift/custom_functions.h> for one double, in fused arithmetic. It adds angles of any size and
 * exp(a) - 1. */
#include "functions.h"

#include <kickdrift/custom_field.h>

#include <float.h>
#include <math.h>

/* The table holds 2 / pi in words of 32 bits, after two words of zeros: bits of weight 2^63 to 2^-1216 (by mpmath 1.2 with 2,000 bits). */
static const uint32_t two_over_pi[40] = {0,          0,          0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041,
                                         0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E,
                                         0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B,
                                         0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
                                         0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB};

/* Makes the last 192 bits of m times the 192 bits of 2 / pi that begin at bit `first` of the table, the highest word first. */
static void multiply(uint64_t m, int first, uint32_t product[6]) {
    uint32_t window[6];
    uint64_t sum = 0;
    for (int i = 5; i >= 0; --i) {
        const uint64_t pair = (uint64_t)two_over_pi[first / 32 + i] << 32 | two_over_pi[first / 32 + i + 1];
        window[i] = (uint32_t)(pair >> (32 - first % 32));
        sum = (m & UINT32_MAX) * window[i] + (sum >> 32);
        product[i] = (uint32_t)sum;
    }
    sum = 0;
    for (int i = 4; i >= 0; --i) {
        sum = (m >> 32) * window[i + 1] + product[i] + (sum >> 32);
        product[i] = (uint32_t)sum;
    }
}

/* Reduces an angle above pi / 4 to n pi / 2 + r, |r| at most pi / 4: returns n mod 4, and r as a sum of two doubles. The angle is m 2^e.
 * Bits of 2 / pi whose product with 2^e is a multiple of 4 are left out (Payne, Hanek, SIGNUM Newsletter 18 (1983) 19). The next 192 bits
 * are taken. In the product, 2 bits stand above the point and 190 below it. The bits of 2 / pi that follow change it by less
 * than 2^53 2^-190. No double is nearer to a multiple of pi / 2 than 2^-61 (Muller, Elementary Functions, chapter 11), so at least the
 * first 70 bits of r are right. */
static int reduce(double a, double *r, double *rest) {
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    const int e = (int)(bits >> 52) - 1075;
    uint32_t p[6];
    multiply((bits & UINT64_C(0xFFFFFFFFFFFFF)) | UINT64_C(1) << 52, e + 62, p);
    /* The fraction follows the two bits of n. If it is at least one half, n + 1 is returned and 1 minus the fraction is used, with a
     * minus sign. */
    kdr_fma_wide fraction = {((uint64_t)p[0] << 32 | p[1]) << 2 | p[2] >> 30, ((uint64_t)p[2] << 32 | p[3]) << 2 | p[4] >> 30};
    const bool is_below = fraction.high >> 63;
    if (is_below) {
        fraction.low = ~fraction.low + 1;
        fraction.high = ~fraction.high + (fraction.low == 0);
    }
    const int zeros = fraction.high ? kdr_fma_zeros(fraction.high) : 64 + kdr_fma_zeros(fraction.low);
    fraction = kdr_fma_left(fraction, zeros);
    const double unit = ldexp(is_below ? -1.0 : 1.0, -53 - zeros), half_pi[2] = {1.5707963267948966, 6.123233995736766e-17};
    const double high = unit * (double)(fraction.high >> 11);
    const double low = unit * 0x1p-53 * (double)((fraction.high & 0x7FF) << 42 | fraction.low >> 22);
    const double product = high * half_pi[0], lost = kdr_fma(high, half_pi[0], -product);
    const double tail = lost + kdr_fma(high, half_pi[1], low * half_pi[0]);
    *r = product + tail;
    *rest = (product - *r) + tail;
    return (int)(p[0] >> 30) + is_below;
}

void kdr_sin_cos(double angle, double *sine, double *cosine) {
    const double size = fabs(angle);
    double n = 0.0, r = size, rest = 0.0;
    if (!(size <= DBL_MAX)) {
        *sine = *cosine = angle - angle;
        return;
    }
    if (size > 0.7853981633974483) {
        n = reduce(size, &r, &rest);
    }
    v_sin_cos_of(n, r, rest, sine, cosine);
    *sine = v_with_sign(1.0, angle) * *sine;
}

double kdr_cos(double angle) {
    double sine, cosine;
    kdr_sin_cos(angle, &sine, &cosine);
    return cosine;
}

/* a = n ln 2 + r, and exp(a) - 1 = 2^n ((1 - 2^-n) + r + (exp(r) - 1 - r)). The sums
 * 1 - 2^-n and (1 - 2^-n) + r are computed with their rounding errors, which are added at the end. The
 * rest, by its series, is at most 0.07 and at most a third of the whole, so that its own rounding is a third of a unit. */
double kdr_expm1(double a) {
    const double rounder = 6755399441055744.0;
    if (!(a > -40.0 && a < 710.0) || a == 0.0) {
        return a < 0.0 ? -1.0 : a > 0.0 ? INFINITY : a;
    }
    const double n = (a * 1.44269504088896338700 + rounder) - rounder;
    const double most = kdr_fma(-n, kdr_custom_ln_2[0], a), less = -n * kdr_custom_ln_2[1], r = most + less, rest = (most - r) + less;
    const double bend = kdr_fma(r * r, v_polynomial(kdr_custom_inverse_factorial, 12, r), kdr_fma(r, rest, rest));
    double from_one, lost;
    const double one_less = v_exact_sum(1.0, -ldexp(1.0, (int)-n), &from_one), sum = v_exact_sum(one_less, r, &lost);
    const double scaled = sum + ((lost + from_one) + bend);
    return n < 1024.0 ? ldexp(scaled, (int)n) : scaled * 0x1p1023 * 2.0;
}
