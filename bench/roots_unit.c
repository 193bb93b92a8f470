/* Square roots and divisions of one instruction set and precision (see roots.h), equally many of each: independent chains of 1 / sqrt(c),
 * which tend to 1 and which the compiler vectorises. CMakeLists.txt defines the same symbols as for peak_unit.c. */

#include "roots.h"

#include <math.h>

#if KDR_UNIT_DOUBLE
typedef double real;
#define ROOT sqrt
#else
typedef float real;
#define ROOT sqrtf
#endif

enum { CHAINS = 256 };

static double run(size_t rounds) {
    volatile real one = 1; /* volatile, or the compiler would compute the chains beforehand */
    const real numerator = one;
    real c[CHAINS];
    for (int i = 0; i < CHAINS; ++i) {
        c[i] = numerator + (real)i;
    }
    for (size_t round = 0; round < rounds; ++round) {
        for (int i = 0; i < CHAINS; ++i) {
            c[i] = numerator / ROOT(c[i]);
        }
    }
    double sum = 0;
    for (int i = 0; i < CHAINS; ++i) {
        sum += (double)c[i];
    }
    return sum;
}

extern const kdr_bench_roots_unit KDR_UNIT;
const kdr_bench_roots_unit KDR_UNIT = {.isa = KDR_UNIT_ISA, .real = KDR_UNIT_REAL, .per_round = CHAINS, .run = run};
