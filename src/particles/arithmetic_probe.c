/* A program that checks whether a compiler and its flags do something to arithmetic that the contract forbids. It prints a line for
 * each. The configure step compiles it with the flags of the library's units, and runs it (cmake/kickdriftArithmetic.cmake). Numbers
 * pass through volatile objects, because the compiler would otherwise compute the sums itself. */
#include "arithmetic.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void check(bool right, const char *expected) {
    if (!right) {
        printf("kickdrift: expected %s\n", expected);
        wrong = 1;
    }
}

static double hide(double value) {
    volatile double hidden = value;
    return hidden;
}

static float hide_float(float value) {
    volatile float hidden = value;
    return hidden;
}

static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* (1 + 2^-27)^2 - (1 + 2^-26) is 0 if product and sum are rounded, and 2^-54 if they are one operation. The attribute allows the fused
 * instruction, because kernels may use it even where the rest of the build may not. */
#if defined(__x86_64__) || defined(__i386__)
__attribute__((target("fma")))
#endif
static double
product_and_sum(double a, double b, double c) {
    return a * b + c;
}

static void check_contraction(void) {
#if defined(__x86_64__) || defined(__i386__)
    if (!__builtin_cpu_supports("fma")) {
        return;
    }
#endif
    const double factor = hide(1 + 0x1p-27);
    check(product_and_sum(factor, factor, hide(-(1 + 0x1p-26))) == 0, "products and sums to be rounded one by one (-ffp-contract=off)");
}

/* Checks that sums keep their order: in another order each of these sums differs. Compilers that add in vectors need 8 terms or more to
 * do so. */
static void check_order(void) {
    double big = hide(0x1p60), small = hide(1), sum = 0;
    float elements[64], narrow = 0;
    check(big + small - big == 0, "sums in their order (no -fassociative-math)");
    for (int i = 0; i < 64; ++i) {
        elements[i] = hide_float(i % 2 ? 1 : 0x1p25F);
    }
    for (int i = 0; i < 64; ++i) {
        narrow += elements[i];
        sum += (double)elements[i];
    }
    check(narrow == 0x1p30F && sum == 0x1p30 + 32, "sums of arrays in their order (no -fassociative-math)");
}

static void check_quotients(void) {
    int differ = 0;
    for (int i = 1; i < 64; ++i) {
        const float x = hide_float((float)i), y = hide_float(1 / (float)i);
        const double wide = (double)i / (double)hide_float(3);
        differ += x / 3 != (float)wide || !same(hide(i) / 3, wide) || y != (float)(1 / (double)i);
    }
    check(differ == 0, "divisions, not products with a reciprocal (no -freciprocal-math)");
    check(sqrtf(hide_float(3)) == 0x1.bb67aep+0F && sqrt(hide(3)) == 0x1.bb67ae8584caap+0,
          "square roots that are rounded right (no -mrecip)");
}

static void check_special(void) {
    const double nan = hide(NAN), infinity = hide(INFINITY), zero = hide(0);
    check(isnan(nan) && nan != nan && !isfinite(infinity) && isinf(-infinity) && isnan(infinity - infinity) && isnan(zero * nan),
          "infinities and NaN (no -ffinite-math-only)");
    check(signbit(hide(-0.0)) && same(hide(-0.0) + 0.0, 0.0) && same(0.0 - zero, 0.0) && same(zero * -1, -0.0),
          "signs of zero (no -fno-signed-zeros)");
    check(hide(0x1p-1070) * 0.5 == 0x1p-1071 && hide_float(0x1p-140F) * 0.5F == 0x1p-141F && hide(0x1p-1060) != 0 && hide(DBL_MIN) / 4 != 0,
          "subnormal numbers (no -fdenormal-fp-math, and a link without crtfastmath.o)");
}

static void check_precision(void) {
    const float big = hide_float(FLT_MAX), third = hide_float(1) / 3;
    const double wide = hide(DBL_MAX);
    check(isinf(big * 2 / 2) && (double)third != 1 / hide(3), "float arithmetic in float (no -fexcess-precision, -mfpmath=387)");
    check(isinf(wide * 2 / 2), "double arithmetic in double (no -mfpmath=387)");
    check(hide(1) * 0.1 != (double)0.1F && hide(0.1) - 0.1 == 0, "constants in double (no -fsingle-precision-constant)");
}

int main(void) {
    check_contraction();
    check_order();
    check_quotients();
    check_special();
    check_precision();
    return wrong;
}
