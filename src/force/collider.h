/* Colliders as the reference and the kernels take them, and the order of their operations, which is part of the contract.
 *
 * p + k y is one fma in the fused arithmetic, a product and a sum in the unfused one, where "fma" stands; every other operation is
 * rounded in both. a . b = a_0 b_0, then an fma an axis. Comparisons are false where one side is NaN; "A ? b : c" chooses c then.
 * x, v are the state after the step, x0, v0 the one before, h is the step.
 *
 * FLIGHT   from x0, v0 to x, v in the time T = h left, `left` of the step being left; the first is the step, left = 1.
 *   bend = (x - x0) + (-T) v0 (fma), turn = v - v0.  x(f) = x0 + f (T v0 + f bend) (two fma), v(f) = v0 + f turn (fma).
 * ROOT     of g0 + r f + c f^2:  D = r r + (-4 c) g0 (fma), s = sqrt(0 < D ? D : 0);  0 <= r, c < 0 and 0 <= D: (r + s) / (-2 c);
 *   else 0 < g0 ? 2 g0 / (s - r) : 0.  Where the flight touches the surface and r < 0 it is 0. Clamped: 0 < f ? f : 0, f < 1 ? f : 1.
 * ROOM     room + ROOM (|x0_0| + |x0_1| + ...) (fma): 2^-46 (f32: 2^-20) of the largest coordinates of the surface and of the particle.
 *
 * A flight MEETS, with f, the normal n there, the velocity b along the normal at its beginning, and whether it `touches` the surface:
 *   PLANE    g = (-offset) + n_0 x_0 + ... (fma an axis), g0 of x0; where g < 0. f: ROOT of g0, r = T b, b = v0 . n, (g - g0) - r.
 *            Touches: g0 <= ROOM.
 *   FACE     of a box, n = +-1 on an axis: likewise with g = n (x - face), r = n (T v0), b = n v0.
 *            Inside: the faces that x is beyond. Outside: not where x0 and x are both beyond min, or max, of an axis; the faces that x0
 *            is not behind, where x(f) is within the edges: min <= x(f) <= max on every other axis, and where x(f) is not more than the
 *            surface's room from an edge the slope T v0 + 2 f bend (fma) leads inwards there, or another collider goes on behind the
 *            edge.
 *            Where x0 and x are within all axes: the face nearest to x0, f = 0, touches.
 *   SPHERE   r = x - at, q = (-R^2) + r_0 r_0 + ... (fma); w = 1 inside, -1 outside; behind where 0 < w q. G = 0 - w q0,
 *            r = -2 w (r0 . T v0), c = 0 - w (2 (r0 . bend) + T v0 . T v0) (fma); f: ROOT of these, then four times
 *            f - q(f) / q'(f), clamped, q' = 2 (r . slope), where 0 < w q'. Outside it passes where it is not behind, 0 < G, r < 0,
 *            4 c G <= r r and ROOT <= 1; not as an outer box. n = r (1 / |r|) at x(f), or up where |r| is 0; inside 0 - n.
 *            b = r / (2 R T). Touches: G <= 2 R ROOM.
 * The first is that of the least f, then of the least at = v(f) . n, then the first of the list; one that passes has at < 0.
 *
 * With change = v . n - v0 . n, slow = SLOW change (2^-20, f32: 2^-12), k = 1, or SLOW where restitution is 1, it
 *   BOUNCES  where it passes, or at < 0 and at < k change;
 *   LANDS    where at < slow, but not where it touches and slow <= b <= 0 - slow, and not on a surface with friction;
 *   is HELD  else, with f = 0 where it touches and slow <= b <= 0 - slow.
 * What ends a flight, at x(f), v(f): where forces change along the way (kdr_problem_flies) and nothing is held, x and v are those of the
 *   method's own step of the time f T, and f is corrected by Newton's method, f - g / (T (v . n)), at most five times.
 *   x is put on to the surface, x += (0 - g) n (fma), a face exactly. Landing on top of others: v is what NEAREST makes of it.
 *   Else at = v . n, p = at times -(1 + e), or -1; l = at + p; m = l + (-friction_normal) l (fma); u = v + (-at) n (fma);
 *   v += (m - at) n (fma); with friction y = keep u, s = |y|, y times (s <= sticking p ? 0 : (s - sliding p) / s), v = y + m n (fma),
 *   next to nothing 0. Restitution takes E(at, l), friction E(l, m) and 0.5 (u - y) . (u + y); E(a, b) = 0.5 ((a - b) (a + b)).
 *   The next flight has left times (1 - f); bend times (1 - f)^2 and turn times (1 - f), or the method takes it.
 * What is HELD is taken into the support: at most one surface for each axis. NEAREST, of demands d_i along the n_i: the least sum of
 *   a_i n_i, 0 <= a_i, that leaves none of them; of one, of two, or of all three (collider tests in this order, with 2^-36, f32 2^-14,
 *   of the largest demand for rounding). Velocities demand 0 - v . n_i, places 0 - g_i, both where the free flight ends, with the
 *   normals there. v becomes what lies along the surfaces that push, x += a_i n_i (fma); all of as many surfaces as axes: v = 0, and x =
 *   x0 where v0 = 0.
 *   Restitution takes E(at < 0 ? at : 0, 0). Then
 * FRICTION of what is held: b = keep u0, c = keep u - b, of the velocities along the surfaces that push, at the beginning and the end;
 *   keep is a product, P = sum of sliding a_i, S of sticking a_i. A = B = g = 0, stays: keep <= 0; but with Coulomb's
 *     D = P sqrt(b . b) + (0 - b . c) (fma);  g = 0 < D ? b . b / D : 0;  stops: b . b <= D;  holds: sqrt(c . c) <= S;  stays: both
 *     turns: it stops, nothing holds it, and 0 < D.  A = turns ? (P sqrt(b . b)) / D : P / sqrt((b . b + b . c) + 0.25 (c . c)) (fma)
 *     B = turns ? (P (1 - g)) / sqrt(c . c) : 0.5 A
 *   left = stays ? 0 : (keep u + (0 - A) b) + (0 - B) c (fma);  lost = stays ? u0 : u - left;  t = 0.5 ((1 - f) T) of the latest
 *   x = stays ? met + (t g) b : x + (0 - t) lost (fma), met being where the latest was met;  v = left, next to nothing 0
 *   taken: 0.5 of lost . (u0 + left), or where it stays of u0 . (u0 + g c) (fma), and not below 0.
 * Each sum of what is taken is in `real`, begins with 0 at each step, and is added, divided by the inverse mass in double, to the
 * particle's.
 * Of more than 64 flights the last ends where it began.
 *
 * When one of them was met, all once more in the order of the list, to keep x where it belongs:
 *   PLANE   g as above; g < 0: x += (0 - g) n (fma); and once more.
 *   BOX     inside: x < min ? min : x, then x > max ? max : x. outside: where min < x < max on all axes, to the nearest face: the first
 *           of the least of x - min, max - x, axis by axis.
 *   SPHERE  q as above, q > 0 (inside; q < 0 outside): x = at + (R / sqrt(r . r)) r (fma), where r . r is not 0.
 *
 * CONSTRAINTS come before the colliders. L is the length of a rod or rope, the radius of a sphere.
 *   PLANE   g as above; x += (0 - g) n (fma), v += (0 - v . n) n (fma).
 *   ROD and sphere: r0 = x0 - at, d = x - x0, f = 0, m = r0. ROPE: r0, r, A, B, C, q with d = r - r0: A = d . d, B = r0 . d, C and q of
 *     r0 and r; f = C < -S ? (sqrt(B B + (-A) C) - B) / A : 0 (fma, the product first), 0 < f ? f : 0, f < 1 ? f : 1; m = r0 + f d
 *     (fma). It is taut within S, four roundings of a place on the sphere: 2^-51 (f32: 2^-22) L (L + |at|_1), at most L^2 / 4. It holds
 *     where 0 < q, and where -S < q and it takes a speed outwards. n = m (1 / |m|), or 0 where |m| is 0;  e = (1 - f) d (rod: d);  c = e
 *     . y, y = 2L n + e (fma);  b = L + n . e; s = b b + (0 - c) (fma)
 *     fits: 0 < |m|, 0 < b and 0 <= s.  pull = (0 - c) / (b + sqrt(s));  y = (L + pull) n + e (fma);  u = pull / ((1 - f) h), or 0 where
 *     (1 - f) h is 0.  Where it does not fit (a step of a quarter turn or more), y = r (L / |r|), r = x - at, or 0 where |r| is 0; u = 0.
 *     x = at + y;  z = (1 / L) y;  v += u n (fma);  w = v . z;  v += (0 - w) z (fma).  Of a rope u = w = 0 unless, before, 0 < v . z
 *     (v . z < 0 where h < 0): it takes a speed outwards, the rounding of u along z with it, and does not push.
 * What a constraint does to v it does not do to v0: it presses against a surface as the forces do.
 *
 * BOUNDARY, after the colliders, on axes with min < max. Periodic, axis by axis: where x < min or max <= x, with the nearest whole number
 *   k = ((x - min) (1 / size) + M) - M, M = 1.5 2^23 or 1.5 2^52; y = x + (-size) k (fma); y < min ? y + size : y;
 *   then x = min <= y and y < max ? y : min. The particle's image is counted on by k, one less where y < min, one more where it then was
 *   not below max.
 *   Absorbing: a particle with x0 < min or max < x0 on some axis keeps x0, v0, its memory and its compensations, and is hit by nothing.
 *
 * A particle that made contact, was held by a constraint or put back by a period has its compensations set to 0, and its method's kept
 * acceleration evaluated afresh, at (x, v, t_{n+1}). If a period alone has put it back, v is there the velocity that the step's last
 * evaluation saw. */
#ifndef KDR_FORCE_COLLIDER_H
#define KDR_FORCE_COLLIDER_H

#include <kickdrift/boundary.h>
#include <kickdrift/collider.h>
#include <kickdrift/constraint.h>
#include <kickdrift/particles.h>

/* Beside the kinds of colliders. */
enum kdr_wall_kind { KDR_WALL_NONE = -1, KDR_WALL_ROD = KDR_COLLIDER_KIND_COUNT, KDR_WALL_ROPE, KDR_WALL_ON_PLANE };

/* The constants of a surface or a constraint, in `real`. */
#define KDR_WALL(real)                                                                                                                     \
    {                                                                                                                                      \
        real normal[3], offset;     /* plane: of length 1 */                                                                               \
        real low[3], high[3];       /* box; of a sphere from outside a box around it, with room for rounding */                            \
        real at[3], radius, square; /* sphere, rod, rope: R, R^2 */                                                                        \
        real twice, inverse;        /* 2 R, 1 / R */                                                                                       \
        real slack;                 /* of R^2: what the roundings of a place on the sphere make of it */                                   \
        real minus_bounce;          /* -(1 + restitution) */                                                                               \
        real rests_below;           /* a particle rests that comes in slower than this times what presses it on in a flight */             \
        real room;                  /* a place on the surface, or on an edge of the box, is known to this distance */                      \
        real friction, keep;        /* friction, 1 - friction */                                                                           \
        real minus_friction_normal, sliding, sticking;                                                                                     \
        int kind;        /* kdr_wall_kind */                                                                                               \
        bool inside;     /* particles live inside */                                                                                       \
        bool rubs;       /* has friction of any kind along the surface */                                                                  \
        bool is_coulomb; /* has Coulomb's */                                                                                               \
    }
typedef struct kdr_wall_f32 KDR_WALL(float) kdr_wall_f32;
typedef struct kdr_wall_f64 KDR_WALL(double) kdr_wall_f64;

/* Ranges, and that every constant fits `real`. */
kdr_status kdr_colliders_check(const kdr_collider *colliders, size_t count, kdr_real real, kdr_error *error);

kdr_status kdr_constraints_check(const kdr_constraint *constraints, size_t count, kdr_real real, kdr_error *error);
kdr_status kdr_boundary_check(const kdr_boundary *boundary, kdr_real real, kdr_error *error);

/* For views of `dims` axes. Unused parts are zero bytes. */
void kdr_wall_fold_f32(const kdr_collider *collider, int dims, kdr_wall_f32 *wall);
void kdr_wall_fold_f64(const kdr_collider *collider, int dims, kdr_wall_f64 *wall);
void kdr_wall_of_constraint_f32(const kdr_constraint *constraint, int dims, kdr_wall_f32 *wall);
void kdr_wall_of_constraint_f64(const kdr_constraint *constraint, int dims, kdr_wall_f64 *wall);

/* Narrows the box of low and high, an element an axis, to where the walls certainly do nothing: the inside of a box, the open side of a
 * plane across an axis, a cube in a sphere with room for rounding. Beside obstacles, tilted planes and constraints there is no such
 * place. */
void kdr_walls_clear(const void *walls, size_t count, kdr_real real, int dims, double low[3], double high[3]);

#endif
