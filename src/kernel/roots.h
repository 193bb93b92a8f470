/* Square roots, and quotients by the cube of one: by the processor's own instructions or, where an instruction set has an estimate (near to
 * 1 / sqrt(q) to a 2^-14th) and its processor's divider is slow, by fused multiply-adds, with the bits that those have. On Granite Rapids a
 * vector of 512 bits of m / (q sqrt(q)) then takes 0.34 of the time in f64. In f32 one divisor in 2^24, the largest number below a power of
 * two, would be divided wrongly: it has the processor's own.
 *
 * ROOT: Newton's iteration makes of the estimate g ~ sqrt(q) and h ~ 1 / (2 sqrt(q)), within a unit in the last place or two. d = q - g g
 * is a number, which the fused operation returns without rounding; so g + d h, before its one rounding, is as near to the root as
 * |root - g| times the relative error of 2h. Rounded wrongly could be only a root that is as near to the middle of two numbers, and those
 * are few (tests/roots.c tries them).
 *
 * QUOTIENT, Markstein's (IBM J. Res. Dev. 34 (1990) 111): with z ~ 1 / D within half a unit or hardly more and t = m z, m - D t comes
 * without rounding, and t + (m - D t) z with one. Before it the result is as near to the quotient as |quotient - t| |1 - D z|, and no
 * quotient is nearer to the middle of two numbers but for the few that tests/roots.c tries.
 *
 * All that holds where nothing in between leaves the normal numbers (elsewhere the processor's own instructions are taken) and numbers are
 * rounded to the nearest, as they are while a call of the library lasts. */
#ifndef KDR_KERNEL_ROOTS_H
#define KDR_KERNEL_ROOTS_H

#include <math.h>
#include <stdbool.h>

#define ROOT_LEAST 0x1p-240
#define ROOT_MOST 0x1p240

enum { MOST_ROOTS = 8 };

#ifdef ROOT_ESTIMATE
/* Whether roots that are wanted of multiply-adds can be had. */
INLINE bool fused_roots(bool wanted) { return wanted; }

/* Whether a number may be divided so: one of the same range, or 0 (its quotient would lose the sign of -0). */
INLINE bool suits_roots(real m) {
    const real size = m < 0 ? -m : m;
    return (ROOT_LEAST <= size && size <= ROOT_MOST) || (m == 0 && !signbit(m));
}

/* U vectors at once: what is made of them goes on side by side, where a chain of dependent operations alone leaves the processor
 * waiting. */
INLINE bool all_suit(int U, const vr *q) {
    vm suits = m_and(v_at_most(v_set1(ROOT_LEAST), q[0]), v_at_most(q[0], v_set1(ROOT_MOST)));
    EACH(u, U - 1) { suits = m_and(suits, m_and(v_at_most(v_set1(ROOT_LEAST), q[u + 1]), v_at_most(q[u + 1], v_set1(ROOT_MOST)))); }
    return m_all(suits);
}

/* g = sqrt(q), and h. */
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

/* sqrt(q). `fused`: what fused_roots says, a constant where it can be one. */
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

/* m / (q sqrt(q)) of U vectors q, rounded after each of the three. `fused`: and what suits_roots says of every m. */
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
