/* Macros and functions that the bodies of a unit (unit.c) use, on top of its precision and its vector operations. */
#ifndef KDR_KERNEL_UNIT_H
#define KDR_KERNEL_UNIT_H

#include <float.h>
#include <string.h>

#include "../particles/arithmetic.h"

/* Specialised kernels are compiled only where they are fast: not in the scalar unit, and not without native fused multiply-adds. */
#if !defined(SCALAR_UNIT) && (defined(KDR_UNIT_UNFUSED) || defined(FUSED_NATIVE))
#define KDR_UNIT_HOT
#endif

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

/* Loops whose bounds are constants after inlining must be unrolled completely, and early, so that the arrays they index become
 * registers. */
#if defined(__clang__) && defined(SCALAR_UNIT)
#define UNROLL /* there are no vector registers, and clang gives up on the largest bodies */
#elif defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif
#define EACH(i, n) UNROLL for (int i = 0; i < (n); ++i)

/* Whether a kick after roots is an instruction of its own. */
#ifndef ROOTS_APART
#define ROOTS_APART false
#endif

/* Returns a b + c: the only place where the two arithmetics differ. */
INLINE vr mul_add(vr a, vr b, vr c) {
#ifdef KDR_UNIT_FUSED
    return v_fused(a, b, c);
#else
    return v_add(v_mul(a, b), c);
#endif
}

/* Returns the first n elements at p, followed by those of `rest`. */
#ifndef HAS_LOAD_FIRST
INLINE vr v_load_first(const void *p, int n, vr rest) {
    real e[LANES];
    v_store(e, rest);
    memcpy(e, p, (size_t)n * sizeof(real));
    return v_load(e);
}
#endif

#include "roots.h"

#endif
