/* Square roots and quotients by src/kernel/roots.h, and by the processor's own instructions. */
#include "roots.h"

#include "../src/kernel/precision.h"

#include "../src/kernel/isa/avx512.h"

#include "../src/kernel/unit.h"

const double roots_least = ROOT_LEAST, roots_most = ROOT_MOST;

void roots_try(bool fused, const double m[ROOTS], const double q[ROOTS], double quotient[ROOTS], double square_root[ROOTS]) {
    const vr from = v_load(q);
    vr to;
    over_cubes(fused, 1, v_load(m), &from, &to);
    v_store(quotient, to);
    v_store(square_root, root(fused, from));
}
