/* The chains of one instruction set and precision (see peak.h). CMakeLists.txt defines
 *   KDR_UNIT                   the unit's symbol
 *   KDR_UNIT_ISA, _REAL        strings that peak.h describes
 *   KDR_UNIT_DOUBLE            1 for f64
 *   KDR_UNIT_BYTES             bytes of a vector; 0: one element
 * and lets the compiler contract c * factor + term, which becomes an fma if the instruction set has one.
 *
 * A chain waits for its own last result: 4 cycles for an fma, 6 for a multiplication and an addition on recent processors. Two operations
 * start per cycle. So 14 chains fill the pipelines and, with the two constants, the 16 registers that x86 has before AVX-512. All values
 * tend to 1. */

#include "peak.h"

#if KDR_UNIT_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#if KDR_UNIT_BYTES
typedef real vector __attribute__((vector_size(KDR_UNIT_BYTES)));
#else
typedef real vector;
#endif

#if defined(__FMA__) || defined(__aarch64__)
#define OPERATION "fma"
#else
#define OPERATION "mul + add"
#endif

enum { CHAINS = 14 };

static double run(size_t rounds) {
    volatile real half = (real)0.5; /* volatile, or the compiler would compute the chains beforehand */
    const vector zero = {0}, factor = zero + half, term = zero + half;
    vector c[CHAINS];
    for (int i = 0; i < CHAINS; ++i) {
        c[i] = zero + (real)i;
    }
    for (size_t round = 0; round < rounds; ++round) {
        for (int i = 0; i < CHAINS; ++i) {
            c[i] = c[i] * factor + term;
        }
    }
    vector sum = zero;
    for (int i = 0; i < CHAINS; ++i) {
        sum += c[i];
    }
    real first;
    __builtin_memcpy(&first, &sum, sizeof first);
    return first;
}

extern const kdr_bench_peak_unit KDR_UNIT;
const kdr_bench_peak_unit KDR_UNIT = {
    .isa = KDR_UNIT_ISA,
    .real = KDR_UNIT_REAL,
    .operation = OPERATION,
    .per_round = CHAINS * (double)(sizeof(vector) / sizeof(real)),
    .run = run,
};
