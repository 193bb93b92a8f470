/* Square roots, and quotients by the cube of one. They use the processor's own instructions, or fused multiply-adds with the same bits
 * if the instruction set has an estimate of 1 / sqrt(q) (to a 2^-14th) and the processor's divider is slow. In f32 one divisor in 2^24,
 * the largest number below a power of two, would be divided wrongly, so f32 always uses the processor's instructions.
 *
 * ROOT: Newton's iteration turns the estimate into g ~ sqrt(q) and h ~ 1 / (2 sqrt(q)), within a unit in the last place or two. d = q -
 * g g is representable, so the fused operation returns it without rounding. Before its one rounding, g + d h differs from the root by
 * |root - g| times the relative error of 2h. Only a root that near to the middle of two numbers could be rounded wrongly. There are few
 * of them, and tests/roots.c tries all.
 *
 * QUOTIENT, Markstein's (IBM J. Res. Dev. 34 (1990) 111): let z ~ 1 / D within about half a unit, and t = m z. Then m - D t is computed
 * without rounding, and t + (m - D t) z with one. Before that rounding, the result differs from the quotient by |quotient - t| |1 - D
 * z|. Except for the few that tests/roots.c tries, no quotient is nearer to the middle of two numbers.
 *
 * All this holds while intermediate results are normal numbers, which is checked, and rounding is to nearest, which it is during a call
 * of the library. */
#ifndef KDR_KERNEL_ROOTS_H
#define KDR_KERNEL_ROOTS_H

#include <math.h>
#include <stdbool.h>

#define ROOT_LEAST 0x1p-240
#define ROOT_MOST 0x1p240

enum { MOST_ROOTS = 8 };

#ifdef ROOT_ESTIMATE
/* Returns whether roots by multiply-adds are possible in this unit, if they are wanted. */
INLINE bool fused_roots(bool wanted) { return wanted; }

/* Returns whether m may be divided this way: its size is in range, or it is 0 (the quotient would lose the sign of -0). */
INLINE bool suits_roots(real m) {
    const real size = m < 0 ? -m : m;
    return (ROOT_LEAST <= size && size <= ROOT_MOST) || (m == 0 && !signbit(m));
}

/* Returns whether all U vectors are in range. They are processed side by side, because a single chain of dependent operations would
 * leave the processor waiting. */
INLINE bool all_suit(int U, const vr *q) {
    vm suits = m_and(v_at_most(v_set1(ROOT_LEAST), q[0]), v_at_most(q[0], v_set1(ROOT_MOST)));
    EACH(u, U - 1) { suits = m_and(suits, m_and(v_at_most(v_set1(ROOT_LEAST), q[u + 1]), v_at_most(q[u + 1], v_set1(ROOT_MOST)))); }
    return m_all(suits);
}

/* Computes g = sqrt(q), and h. */
INLINE void newton_roots(int U, const vr *q, vr *g, vr *h) {
    const vr half = v_set1((real)0.5);
    vr left[MOST_ROOTS];
    EACH(u, U) { left[u] = ROOT_ESTIMATE(q[u]); }
    EACH(u, U) {
        g[u] = v_mul(q[u], left[u]);
        h[u] = v_mul(half, left[u]);
    }
    EACH(n, 2) {
        EACH(u, U) { left[u] = v_fused_from(half, g[u], h[u]); }
        EACH(u, U) {
            g[u] = v_fused(g[u], left[u], g[u]);
            h[u] = v_fused(h[u], left[u], h[u]);
        }
    }
    EACH(u, U) { left[u] = v_fused_from(q[u], g[u], g[u]); }
    EACH(u, U) { g[u] = v_fused(left[u], h[u], g[u]); }
}

INLINE void fused_over_cubes(int U, vr m, const vr *q, vr *to) {
    vr divisor[MOST_ROOTS], z[MOST_ROOTS], left[MOST_ROOTS];
    newton_roots(U, q, divisor, left);
    EACH(u, U) {
        divisor[u] = v_mul(q[u], divisor[u]);
        left[u] = v_add(left[u], left[u]);
    }
    EACH(u, U) { z[u] = v_mul(left[u], left[u]); }
    EACH(u, U) { z[u] = v_mul(z[u], left[u]); }
    EACH(u, U) { left[u] = v_fused_from(v_set1(1), divisor[u], z[u]); }
    EACH(u, U) { z[u] = v_fused(z[u], left[u], z[u]); }
    EACH(u, U) { to[u] = v_mul(m, z[u]); }
    EACH(u, U) { left[u] = v_fused_from(m, divisor[u], to[u]); }
    EACH(u, U) { to[u] = v_fused(left[u], z[u], to[u]); }
}
#else
INLINE bool fused_roots(bool wanted) {
    (void)wanted;
    return false;
}

INLINE bool suits_roots(real m) {
    (void)m;
    return false;
}
#endif

/* Returns sqrt(q). `fused` is the result of fused_roots, a constant if possible. */
INLINE vr root(bool fused, vr q) {
#ifdef ROOT_ESTIMATE
    if (fused && __builtin_expect(all_suit(1, &q), true)) {
        vr g, h;
        newton_roots(1, &q, &g, &h);
        return g;
    }
#endif
    (void)fused;
    return v_sqrt(q);
}

/* Computes m / (q sqrt(q)) for U vectors q, with three roundings. `fused` also requires suits_roots of every m. */
INLINE void over_cubes(bool fused, int U, vr m, const vr *q, vr *to) {
#ifdef ROOT_ESTIMATE
    if (fused && __builtin_expect(all_suit(U, q), true)) {
        fused_over_cubes(U, m, q, to);
        return;
    }
#endif
    (void)fused;
    EACH(u, U) { to[u] = v_div(m, v_mul(q[u], v_sqrt(q[u]))); }
}

#endif
