/* Colliders as the reference and the kernels take them, and the order of their operations, which is part of the contract.
 *
 * p + k y is one fma in the fused arithmetic, a product and a sum in the unfused one, where "fma" stands; every other operation is rounded
 * in both. a . b = a_0 b_0, then an fma an axis. Comparisons are false where one side is NaN; "A ? b : c" chooses c then.
 * x, v are the state after the step, x0, v0 the one before, h is the step. A contact changes x and v. What a bounce does to the velocity is
 * done to v0 as well, so that for the next surface v - v0 is still what the forces did; what holds a particle that rests is one of the
 * forces.
 *
 * CONTACT with normal n, at the fraction f, `gap` <= 0 what x is behind the surface, w0 = v0 . n, w = v . n
 *   change = w - w0;  at = w0 + f change (fma);  bounces: at < 0 and at < change
 *   push = bounces ? -(1 + e) at : w < 0 ? 0 - w : 0;   -(1 + e) is `minus_bounce`
 *   x += ((bounces ? -(1 + e) : -1) gap) n (fma)
 *   dv = push + (-friction_normal) (w + push) (fma)
 *   taken by restitution: E(at < 0 ? at : 0, bounces ? at + push : 0), by friction E(w + push, w + dv), E(a, b) = 0.5 ((a - b) (a + b)),
 *   and what FRICTION takes. Each is added to a sum in `real` that begins with 0 at each step and goes through the surfaces; where
 *     it is not 0 then, the particle's sum in double gets it, divided by the inverse mass in double.
 *   v += dv n (fma); where it bounces v0 likewise.
 * A face of a box has n = +-1 on axis i, and x, v and v0 change on that axis as they do with w = n v_i.
 *
 * FRICTION of a contact, where there is any: u is the velocity along the surface when the contact begins, t the one at the end of the step,
 * s the one that it takes its part of. A bounce takes it at f, at once; one that rests takes it evenly, from beginning to end.
 *   u = bounces ? v_f + (-at) n : v0 + (-w0) n (fma), v_f = v0 + f (v - v0) (fma);  t = v + (-w) n (fma);  s = bounces ? u : t
 *   b = keep u, c = keep s - b, keep = 1 - friction.  A = B = g = 0, stays: keep <= 0; but with Coulomb's
 *     P = sliding push, S = static push;  D = (bounces ? S : P) sqrt(b . b) + (0 - b . c) (fma);  g = 0 < D ? b . b / D : 0
 *     stops: b . b <= D;  holds: sqrt(c . c) <= S;  stays: both;  turns: it stops, nothing holds it, and 0 < D
 *     A = turns ? (P sqrt(b . b)) / D : P / sqrt((b . b + b . c) + 0.25 (c . c)) (fma);  B = turns ? (P (1 - g)) / sqrt(c . c) : 0.5 A
 *   left = stays ? 0 : (keep s + (0 - A) b) + (0 - B) c (fma);  lost = s - left
 *   m = x0 + f (x - x0) (fma), of x before the contact;  T = (1 - f) h;  where it stays and does not bounce
 *     x = m + ((0.5 T) g) b;  taken: u . (u + g c) (fma);  else
 *     x = (x as CONTACT has it) + (0 - (bounces ? T : 0.5 T)) lost;  taken: lost . (u + left).  0.5 of it is counted,
 *     or 0 where that is not above 0.
 *   v = y + (w + dv) n (fma) in place of the above, y = left, or left + (t - u) where it bounces, but for what stays with w + push <= 0
 *   What is then between -NOTHING and NOTHING is 0 in v (2^-100 in f32, 2^-900 in f64: what rests shall not run into denormals).
 *   Where it bounces, v0 = (v0 as CONTACT has it) - lost.
 * On a face of a box u, t, x, v and v0 are those of the other axes: u = bounces ? v_f : v0, t = v, v = y.
 *
 * PLANE   g = (-offset) + n_0 x_0 + ... (fma an axis, from axis 0), g0 likewise of x0; contact where g <= 0, gap = g, f = fraction(g0, g).
 *         fraction(g0, g) = 0 < g0 ? g0 / (g0 - g) : 0.
 * BOX     inside: axis by axis, low = x <= min, else high = x >= max; n = low ? 1 : -1; wall = low ? min : max; gap = n (x - wall),
 *         g0 = n (x0 - wall), f = fraction(g0, gap).
 *         outside: passes where on some axis x0 <= min and x < min, or x0 >= max and x > max. Else, on each axis,
 *         t = (wall - x0) / (x - x0) where x0 <= min or x0 >= max, the wall being that one, 0 < t ? t : 0; the face is that of the
 *         first axis of the largest t, f = t; contact where on every other axis min <= x0 + f (x - x0) <= max (fma). Where x0 is
 *         within all axes: contact where x is, by the nearest face of x, f = 0: the first of the least of x - min, max - x, axis by axis.
 *         n = -1 at min, 1 at max; gap = n (x - wall).
 * SPHERE  r0 = x0 - at, r = x - at, d = r - r0;  A = d . d, B = r0 . d, C = (-R^2) + r0_0 r0_0 + ... (fma), q likewise of r.
 *         inside: contact where q >= 0; f = C < 0 ? (sqrt(B B + (-A) C) - B) / A : 0 (fma, the product B B first).
 *         outside: f = C > 0 ? ((0 - B) - sqrt(...)) / A : 0; contact where q <= 0, or C > 0, B < 0 and f <= 1; but none where
 *         the way passes, as it would an outer box, the one at -+ (R + 10^-5 (R + |at|)) around the sphere.
 *         Then 0 < f ? f : 0, f < 1 ? f : 1; m = r0 + f d (fma); n = m (1 / |m|), or 0 where |m| is 0, inside n = 0 - n;
 *         gap = (1 - f) (d . n), gap < 0 ? gap : 0.
 *
 * When one of them made contact, all once more in the order of the list, to keep x where it belongs:
 *   PLANE   g as above; g < 0: x += (0 - g) n (fma); and once more.
 *   BOX     inside: x < min ? min : x, then x > max ? max : x. outside: where min < x < max on all axes, to the nearest face, as above.
 *   SPHERE  q as above, q > 0 (inside; q < 0 outside): x = at + (R / sqrt(r . r)) r (fma), where r . r is not 0.
 *
 * CONSTRAINTS hold a particle in each step, or substep, of a method that is made of kicks and drifts (splitting, magnetic, langevin),
 * before the colliders: after a drift of length h from x0 to x by HOLD, and by VELOCITY where a kick is followed by no drift, before a
 * turn, after it, and of a velocity that is predicted. Of other methods they hold the end of the whole step, by HOLD, with its x0 and its
 * h. L is the length of a rod or rope, the radius of a sphere.
 *   OFF     what x is off, and the gradient.  PLANE: g as above, and n.  Others: r = x - at, q as of a sphere; (0.5 q) (1 / L), and
 *           (1 / L) r.
 *   NEXT    equations row . y + off = 0 in the order of the list, each along its way; D is the number of axes. From row and way, with those
 *           j = 0 ... D - 1 that counted before (0 in place of what there is none of):
 *             way += (0 - (row_j . way) (1 / s_j)) way_j (fma), j by j;  s = row . way
 *           It counts where S < |s|, S = 2^-12 in f32 and 2^-26 in f64, and fewer than D counted; then
 *             y += ((0 - (off + row . y)) (1 / s)) way (fma).
 *   VELOCITY of v at x, in a kick, a turn or a drift of length h: NEXT with y = v, off = 0, row = way = the gradient; without ropes, then
 *           ropes that are taut, -T < q, and act, 0 < row . v (row . v < 0 where h < 0). T, of a rope, is four roundings of a place on its
 *           sphere: 2^-51 (f32: 2^-22) L (L + |at|_1), at most L^2 / 4. After a turn R the way is ((R - 1) row) + (row + row), that of half
 *           an impulse before the turn and half after it. After a drift u, the velocity before HOLD, says whether a rope acts: each
 *           equation is solved for y = u too, with the same row and way.
 *   PULL    the direction of a constraint. PLANE: n.  ROD and sphere: m = x0 - at, e = x - x0, f = 0.  ROPE: r0, r, A, B, C, q with
 *           d = r - r0 as of a sphere from inside; f as there where C < -T, or 0; m = r0 + f d (fma), e = (1 - f) d.
 *           n = m (1 / |m|), or 0 where |m| is 0.
 *   HOLD    of one constraint. PLANE: x += (0 - g) n (fma).  Others:
 *             c = e . y, y = 2L n + e (fma);  b = L + n . e;  s = b b + (0 - c) (fma)
 *             fits: 0 < |m|, 0 < b and 0 <= s.  pull = (0 - c) / (b + sqrt(s));  y = (L + pull) n + e (fma);  v += u n (fma),
 *             u = pull / ((1 - f) h), or 0 where (1 - f) h is 0.  Where it does not fit (a step of a quarter turn or more),
 *             y = r (L / |r|), r = x - at, or 0 where |r| is 0; u = 0.  x = at + y.
 *             A rope acts where 0 < row . v (row . v < 0 where h < 0), v before this and row at this x, and has u = 0 where it does not. It
 *             holds where 0 < q of x after the drift, and where -T < q and it acts; VELOCITY finds it taut then.
 *           HOLD of several: moved = 0; KDR_HOLD_ROUNDS rounds without the ropes. If there are ropes, u = v by VELOCITY without ropes at
 *           x + moved, pushed = moved, and as many rounds again with ropes. In each round z = x + moved, y = 0, for each constraint NEXT
 *           with off and row by OFF at z, and way by PULL; moved += y. Ropes take part where, at that round's z, they are taut and act on
 *           u, -T < q and 0 < row . u (row . u < 0 where h < 0), or are outside, 0 < q. `pushed` gets rounds of its own, in which ropes
 *           that are outside and do not act have no part; without ropes it is moved.
 *             arrived: for each rod and sphere, at x + moved, -2^-8 <= OFF (1 / L) <= 2^-8, 0 < |m| and 0 < row . n.
 *             Where it has not arrived: the same again from moved = 0 with way = row.  x += moved, and where it has arrived and h is not 0
 *             v += pushed / h.
 *           Then VELOCITY at x.
 * What a constraint does to v it does not do to v0: it presses against a surface as the forces do. Where one holds, the compensations of
 * what it has changed are set to 0.
 *
 * BOUNDARY, after the colliders, on axes with min < max. Periodic, axis by axis: where x < min or max <= x, with the nearest whole number
 *   k = ((x - min) (1 / size) + M) - M, M = 1.5 2^23 or 1.5 2^52; y = x + (-size) k (fma); y < min ? y + size : y;
 *   then x = min <= y and y < max ? y : min. The particle's image is counted on by k, one less where y < min, one more where it then was
 *   not below max.
 *   Absorbing: a particle with x0 < min or max < x0 on some axis keeps x0, v0, its memory and its compensations, and is hit by nothing.
 *
 * A particle that made contact or was put back by a period has its compensations set to 0, and its method's kept acceleration evaluated
 * afresh, at (x, v, t_{n+1}). If a period alone has put it back, v is there the velocity that the step's last evaluation saw. */
#ifndef KDR_FORCE_COLLIDER_H
#define KDR_FORCE_COLLIDER_H

#include <kickdrift/boundary.h>
#include <kickdrift/collider.h>
#include <kickdrift/constraint.h>
#include <kickdrift/particles.h>

/* Beside the kinds of colliders. */
enum kdr_wall_kind { KDR_WALL_NONE = -1, KDR_WALL_ROD = KDR_COLLIDER_KIND_COUNT, KDR_WALL_ROPE, KDR_WALL_ON_PLANE };

/* Newton's rounds that solve several constraints together, without ropes, and then as many with them. On a sphere of radius L the first
 * round is off by d^2 / 2L, d the drift along it, and each squares what is left: at d = 0.9 L six rounds reach rounding in double. */
enum { KDR_HOLD_ROUNDS = 8 };

/* The constants of a surface or a constraint, in `real`. */
#define KDR_WALL(real)                                                                                                                     \
    {                                                                                                                                      \
        real normal[3], offset;     /* plane: of length 1 */                                                                               \
        real low[3], high[3];       /* box; of a sphere from outside a box around it, with room for rounding */                            \
        real at[3], radius, square; /* sphere, rod, rope: R, R^2 */                                                                        \
        real twice, inverse;        /* 2 R, 1 / R */                                                                                       \
        real slack;                 /* of R^2: what the roundings of a place on the sphere make of it */                                   \
        real minus_bounce;          /* -(1 + restitution) */                                                                               \
        real rests_below;           /* of what presses a particle on to it in a flight: slower ones rest */                                \
        real room;                  /* what is nearer to an edge of a box than that is on the edge */                                      \
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
