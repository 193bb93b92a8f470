/* kdr_fma and kdr_fmaf return a b + c, rounded once, to nearest, ties to even. The bits are the same on every processor, except NaN
 * payloads. They never call the C library's fma, which is wrong in some libraries. Thread-safe. Exception flags are unspecified. */
#ifndef KICKDRIFT_FMA_H
#define KICKDRIFT_FMA_H

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define KDR_FMA_SLOW __attribute__((const, noinline, unused)) static
#define KDR_FMA_USUALLY(condition) __builtin_expect(condition, 1)
#else
#define KDR_FMA_SLOW static
#define KDR_FMA_USUALLY(condition) (condition)
#endif

/* Returns a b + c without the instruction. The product is exact in double. The sum is rounded to odd, so that rounding it to float equals
 * one rounding (Boldo, Melquiond 2008). */
KDR_FMA_SLOW float kdr_fmaf_computed(float a, float b, float c) {
    const double product = (double)a * (double)b, sum = product + (double)c, part = sum - product;
    const double error = (product - (sum - part)) + ((double)c - part);
    uint64_t bits, sign;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&sign, &error, sizeof sign);
    if ((error < 0 || error > 0) && bits % 2 == 0) {
        bits += (bits ^ sign) >> 63 ? UINT64_MAX : 1;
    }
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return (float)odd;
}

typedef struct kdr_fma_wide {
    uint64_t high, low;
} kdr_fma_wide;

static inline kdr_fma_wide kdr_fma_left(kdr_fma_wide a, int n) {
    if (n >= 64) {
        const kdr_fma_wide shifted = {a.low << (n - 64), 0};
        return shifted;
    }
    const kdr_fma_wide shifted = {n > 0 ? a.high << n | a.low >> (64 - n) : a.high, a.low << n};
    return shifted;
}

/* Shifts right; the last bit becomes 1 if a 1 is lost. */
static inline kdr_fma_wide kdr_fma_right(kdr_fma_wide a, int n) {
    kdr_fma_wide shifted = {0, (a.high | a.low) != 0};
    if (n == 0) {
        return a;
    }
    if (n < 64) {
        shifted.high = a.high >> n;
        shifted.low = a.high << (64 - n) | a.low >> n | (a.low << (64 - n) != 0);
    } else if (n < 128) {
        const uint64_t lost = n > 64 ? a.high << (128 - n) : 0;
        shifted.low = a.high >> (n - 64) | ((lost | a.low) != 0);
    }
    return shifted;
}

static inline kdr_fma_wide kdr_fma_product(uint64_t a, uint64_t b) {
    const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    const uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & UINT32_MAX);
    const kdr_fma_wide product = {a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (low & UINT32_MAX)};
    return product;
}

static inline int kdr_fma_zeros(uint64_t a) {
#if defined(__GNUC__)
    return __builtin_clzll(a);
#else
    int n = 0;
    for (; !(a >> 63); a <<= 1) {
        ++n;
    }
    return n;
#endif
}

/* Returns m from 2^63 to 2^64 for the bits of a positive finite m 2^(*exponent). */
static inline uint64_t kdr_fma_split(uint64_t bits, int *exponent) {
    const int biased = (int)(bits >> 52);
    const uint64_t mantissa = biased > 0 ? bits << 11 | UINT64_C(1) << 63 : bits << 11;
    const int zeros = biased > 0 ? 0 : kdr_fma_zeros(mantissa);
    *exponent = (biased > 0 ? biased : 1) - 1086 - zeros;
    return mantissa << zeros;
}

/* Returns a b + c without the instruction. Product and c become 128-bit integers times powers of two, with the first 1 at bit 125 or 126.
 * The one with the smaller exponent is shifted right; bits are lost only far below those that decide the rounding. */
KDR_FMA_SLOW double kdr_fma_computed(double a, double b, double c) {
    const uint64_t sign = UINT64_C(1) << 63, infinity = UINT64_C(0x7FF) << 52;
    uint64_t bits[3];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    memcpy(&bits[2], &c, sizeof c);
    const uint64_t of_a = bits[0] & ~sign, of_b = bits[1] & ~sign, of_c = bits[2] & ~sign;
    if (of_a == 0 || of_b == 0 || of_a >= infinity || of_b >= infinity) {
        return a * b + c;
    }
    if (of_c == 0 || of_c >= infinity) {
        return of_c == 0 ? a * b : c + c;
    }
    int of_p, exponent, other;
    const uint64_t m = kdr_fma_split(of_a, &exponent), n = kdr_fma_split(of_b, &of_p);
    kdr_fma_wide sum = kdr_fma_right(kdr_fma_product(m, n), 1), less = {kdr_fma_split(of_c, &other) >> 1, 0};
    exponent += of_p + 1;
    other -= 63;
    uint64_t negative = (bits[0] ^ bits[1]) & sign, less_negative = bits[2] & sign;
    int behind = exponent - other;
    if (behind < 0) {
        const kdr_fma_wide product = sum;
        sum = less, less = product, exponent = other, behind = -behind;
        negative ^= less_negative, less_negative ^= negative, negative ^= less_negative;
    }
    less = kdr_fma_right(less, behind < 128 ? behind : 128);
    if (negative == less_negative) {
        sum.low += less.low;
        sum.high += less.high + (sum.low < less.low);
    } else {
        const uint64_t borrow = sum.low < less.low;
        sum.low -= less.low;
        sum.high -= less.high + borrow;
        if (sum.high & sign) {
            negative ^= sign;
            sum.low = ~sum.low + 1;
            sum.high = ~sum.high + (sum.low == 0);
        }
    }
    if ((sum.high | sum.low) == 0) {
        return 0;
    }
    const int zeros = sum.high ? kdr_fma_zeros(sum.high) : 64 + kdr_fma_zeros(sum.low);
    exponent -= zeros;
    sum = kdr_fma_left(sum, zeros);
    const int biased = exponent + 127 + 1023;
    if (biased >= 2047) {
        bits[0] = infinity;
    } else {
        const int below = biased > 0 ? 0 : 1 - biased;
        sum = kdr_fma_right(sum, below < 128 ? below : 128);
        const uint64_t rest = sum.high << 53 | (sum.low != 0), half = sign;
        bits[0] = (sum.high >> 11) + ((uint64_t)(biased > 0 ? biased - 1 : 0) << 52);
        bits[0] += rest > half || (rest == half && bits[0] % 2 != 0);
    }
    bits[0] |= negative;
    memcpy(&a, &bits[0], sizeof a);
    return a;
}

/* KDR_FMA_COMPUTED is for tests. */
#if defined(KDR_FMA_COMPUTED)
static inline double kdr_fma(double a, double b, double c) { return kdr_fma_computed(a, b, c); }
static inline float kdr_fmaf(float a, float b, float c) { return kdr_fmaf_computed(a, b, c); }
#elif defined(__FP_FAST_FMA) || defined(__FMA__) || defined(__aarch64__) || defined(__s390x__) || defined(__powerpc64__) ||                \
    (defined(__riscv_flen) && __riscv_flen >= 64)
static inline double kdr_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline float kdr_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#elif defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__)) && defined(__SSE2__)
/* The compiler was not told that the processor has the instruction. `volatile` keeps it after the test. The braces have the operands in
 * AT&T's and Intel's order. */
static inline double kdr_fma(double a, double b, double c) {
    if (KDR_FMA_USUALLY(__builtin_cpu_supports("fma"))) {
        __asm__ volatile("vfmadd231sd\t{%2, %1, %0|%0, %1, %2}" : "+x"(c) : "x"(a), "x"(b));
        return c;
    }
    return kdr_fma_computed(a, b, c);
}
static inline float kdr_fmaf(float a, float b, float c) {
    if (KDR_FMA_USUALLY(__builtin_cpu_supports("fma"))) {
        __asm__ volatile("vfmadd231ss\t{%2, %1, %0|%0, %1, %2}" : "+x"(c) : "x"(a), "x"(b));
        return c;
    }
    return kdr_fmaf_computed(a, b, c);
}
#else
static inline double kdr_fma(double a, double b, double c) { return kdr_fma_computed(a, b, c); }
static inline float kdr_fmaf(float a, float b, float c) { return kdr_fmaf_computed(a, b, c); }
#endif

#endif
