/* This header defines colliders for the reference and the kernels. The order of their operations is part of the contract.
 *
 * p + k y is one fma in the fused arithmetic, a product and a sum in the unfused one, where "fma" stands; every other operation is
 * rounded in both. a . b = a_0 b_0, then one fma per axis. Comparisons are false where one side is NaN; "A ? b : c" chooses c then.
 * x, v are the state after the step, x0, v0 the one before, h is the step. With a heat bath they are those of each drift: see DRIFT.
 *
 * FLIGHT   from x0, v0 to x, v in the time T = h left, `left` of the step being left; the first is the step, left = 1.
 *   bend = (x - x0) + (-T) v0 (fma), turn = v - v0.  x(f) = x0 + f (T v0 + f bend) (two fma), v(f) = v0 + f turn (fma).
 * ROOT     of g0 + r f + c f^2:  D = r r + (-4 c) g0 (fma), s = sqrt(0 < D ? D : 0);  0 <= r, c < 0 and 0 <= D: (r + s) / (-2 c);
 *   else 0 < g0 ? 2 g0 / (s - r) : 0.  Where the flight touches the surface and r < 0 it is 0. Clamped: 0 < f ? f : 0, f < 1 ? f : 1.
 * ROOM     room + ROOM (|x0_0| + |x0_1| + ...) (fma): 2^-46 (f32: 2^-20) of the largest coordinates of the surface and of the particle.
 *
 * A flight MEETS, with f, the normal n there, the velocity b along the normal at its beginning, and whether it `touches` the surface:
 *   PLANE    g = (-offset) + n_0 x_0 + ... (one fma per axis), g0 of x0; where g < 0. f: ROOT of g0, r = T b, b = v0 . n, (g - g0) - r.
 *            Touches: g0 <= ROOM.
 *   FACE     of a box, n = +-1 on an axis: as a PLANE, with g = n (x - face), r = n (T v0), b = n v0.
 *            Inside: the faces that x is beyond. Outside: not where x0 and x are both beyond min, or max, of an axis; the faces that x0
 *            is in front of, where x(f) is within the edges: min <= x(f) <= max on every other axis, and where x(f) is not more than the
 *            surface's room from an edge the slope T v0 + 2 f bend (fma) leads inwards there, or another collider continues beyond the
 *            edge.
 *            Where x0 and x are within all axes: the face nearest to x0, f = 0, touches.
 *   SPHERE   r = x - at, q = (-R^2) + r_0 r_0 + ... (fma); w = 1 inside, -1 outside; beyond where 0 < w q. G = 0 - w q0,
 *            r = -2 w (r0 . T v0), c = 0 - w (2 (r0 . bend) + T v0 . T v0) (fma); f: ROOT of these, then four times
 *            f - q(f) / q'(f), clamped, q' = 2 (r . slope), where 0 < w q'. Outside it passes where it is not beyond, 0 < G, r < 0,
 *            4 c G <= r r and ROOT <= 1; not as an outer box, and not where x(f) is farther from it than ROOM of x0. n = r (1 / |r|) at
 *            x(f), or up where |r| is 0; inside 0 - n. b = r / (2 R T). Touches: G <= 2 R ROOM.
 *   RADIUS   A particle with a radius a meets planes with offset + a, spheres with R + a (inside R - a): R^2 with + a (2 R + a) (inside
 *            - a (2 R - a)), 2 R twice that R, and low and high wider by (1 + 2^-10) a; boxes from inside with min + a and max - a.
 *   ROUND    A box from outside, where 0 < a. Of a place, y is the nearest within min and max, o = x - y. Its face is that of the axis with
 *            the largest |o_i|, the first of them, or within all axes the one nearest to x: at min - a or max + a. Beyond one axis, or
 *            none, the gap is n (x - face). Beyond more it is |o| - a, with n = o (1 / |o|), and the nearest place is y + a n (fma).
 *            Passed by where x0 and x are both beyond min - a, or max + a, of an axis. With b = v0 . n, r = T b, g0 of x0:
 *            where x0 touches, and is not more than ROOM from the plane of its face on either side: MEETS that as a PLANE, if x(f)
 *            touches the box; else
 *            where g < -ROOM of x0, or -ROOM <= g0 and r < 0: from f = 0 (0 <= r: from ROOT with g, g0, r) eight
 *            times f - (g(f) + ROOM) / g'(f), clamped, g' = n . (T v0 + 2 f bend), where g' < 0; where not g < -ROOM it counts if g(f) is
 *            then at most -ROOM / 2. From there twice the same without ROOM; or 0 where it touches and r < 0. It meets the face at x(f),
 *            and passes if x is not beyond the plane of that, or the round part, and passes if not g < -ROOM.
 * The first is that of the least f, then of the least at = v(f) . n, then the first of the list; one that passes has at < 0.
 *
 * With change = v . n - v0 . n, slow = the lesser of SLOW change (2^-20, f32: 2^-12) and -ROOM |v|, k = 1, or SLOW where restitution is 1,
 * it
 *   LIES     where it touches and slow <= b <= 0 - slow;
 *   BOUNCES  where it passes, or at < 0 and at < k change, but where k is 1 not if it lies;
 *   LANDS    where at < slow and at < 0, but not where it lies, and not on a surface with friction;
 *   is HELD  else, with f = 0 where it lies.
 * The end of a flight, at x(f), v(f): where forces change along the way (kdr_problem_flies) and nothing is held, x and v are those of the
 *   method's own step of the time f T, and f is corrected by Newton's method, f - g / (T (v . n)), at most five times.
 *   In a system run (kdr_system_flies) that is a step of the forces on the particle alone, and of its pull, which is added to the
 *   constant part of the acceleration: (v - v') / h, v being the result of the whole step from v0, and v' that of a step h of the
 *   forces on the particle alone, without a pull.
 *   x is put on to the surface, x += (0 - g) n (fma), a face exactly. Landing on top of others: v is what NEAREST makes of it, with FREE
 *   normals. Else, n being the FREE normal at x, at = v . n, p = at times -(1 + e), or -1; l = at + p; m = l + (-friction_normal) l (fma);
 *   u = v + (-at) n (fma); v += (m - at) n (fma); with friction y = keep u, s = |y|, P = p / share, y times (s <= sticking P ? 0 :
 *   (s - sliding P) / s), v = y + m n (fma), tiny values to 0. Restitution takes E(at, l), friction E(l, m) and 0.5 (u - y) . (u + y);
 *   E(a, b) = 0.5 ((a - b) (a + b)).
 *   The next flight has left times (1 - f); bend times (1 - f)^2 and turn times (1 - f), or the method takes it.
 * A surface where a particle is HELD is taken into the support: at most one surface for each axis. NEAREST, of demands d_i along the n_i:
 *   the least sum of a_i n_i, 0 <= a_i, that fulfils all of them; of one, of two, or of all three (collider tests in this order, with
 *   2^-36, f32 2^-14, of the largest demand for rounding). Velocities demand 0 - v . n_i, places (0 - g_i) / share, both where the free
 *   flight ends, with the FREE normals there. x += a_i n_i (fma), v += (a_i - deep_i) / T m_i (fma) where deep_i < a_i and the
 *   surface pushes: m_i is the FREE normal where the flight begins, and deep_i how far beyond the surface that is along it; for planes and
 *   boxes without constraints nothing is added. v becomes its part along the surfaces that push; where these and the constraints are as
 *   many as the axes v = 0, and x = x0 where v0 = 0.
 *   Restitution takes E(at < 0 ? at / share : 0, 0). Then FRICTION, and JOIN where x is not x0.
 * FRICTION of what is held: b = keep u0, c = keep u - b, of the velocities along the surfaces that push, at the beginning and the end;
 *   keep is a product, P = sum of sliding a_i / share, S of sticking a_i / share. A = B = g = 0, stays: keep <= 0; but with Coulomb's
 *     D = P sqrt(b . b) + (0 - b . c) (fma);  g = 0 < D ? b . b / D : 0;  stops: b . b <= D;  holds: sqrt(c . c) <= S;  stays: both
 *     turns: it stops, nothing holds it, and 0 < D.  A = turns ? (P sqrt(b . b)) / D : P / sqrt((b . b + b . c) + 0.25 (c . c)) (fma)
 *     B = turns ? (P (1 - g)) / sqrt(c . c) : 0.5 A
 *   left = stays ? 0 : (keep u + (0 - A) b) + (0 - B) c (fma);  lost = stays ? u0 : u - left;  t = 0.5 ((1 - f) T) of the latest
 *   x = stays ? met + (t g) b : x + (0 - t) lost (fma), met being where the latest was met;  v = left, tiny values to 0
 *   taken: 0.5 of lost . (u0 + left), or where it stays of u0 . (u0 + g c) (fma), and not below 0.
 * FREE     normal at a place, of a particle with constraints: NEXT (see below) with y = n, off = 0 and row = way = the gradients at the
 *   place, ropes after the others; its length is `share`, and it is made one of length 1. It is 0, and share too, where as many
 *   constraints count as there are axes, or n . n <= S. Ropes count where they are taut and 0 < row . n; of a particle that is HELD where
 *   at the end of the free flight they are taut and row . v is not below -SLOW |v|. A particle that cannot move in this way is HELD.
 *   Without constraints share is 1.
 * JOIN     of x and v, with constraints, twice: NEXT with off and row = way of all constraints at x, then of the surfaces that push or
 *   lift, with their own normals and gaps; x += y. The second time v too, with off = 0, of the constraints and of the surfaces
 *   that push. Ropes count as in FREE, with v in place of n, and for x alone where they are outside. At the end of a flight too, with the
 *   surface that is met, and for x alone; where a flight is a parabola, at the end of the step, without surfaces.
 * Each sum of energies taken is in `real`, begins with 0 at each step, and is added, divided by the inverse mass in double, to the
 * particle's.
 * After more than 64 flights the last one ends where it began.
 *
 * MOVING   A surface with a velocity u is displaced by base - T' u at the time T' before e, the end of the step or drift, with base =
 *   u (e - since) (in double). It sees x as (x - base) + T' u (fma), and v as v - u; its result for a place is carried back by
 *   (x + base) - T' u (fma). It sees a flight with x0 at T' = T and x at T' = 0, its bend and turn as they are, and MEETS it so. Places on
 *   it, gaps and the order at the end are as it sees them; a bounce or a landing is that of v - u. On an edge of a box beyond which another
 *   solid continues, that solid sees the place, unless both have the same u and since.
 *   A particle is HELD in the frame that moves with U: of v0 - U, v - U, x + (-T) U (fma), and met + (-(f T)) U (fma); then x, v0
 *   and v are carried back in the same way, with 0 - U. U is u of the first of the support that rubs, or of the first; then for each of
 *   them, in order, q = n, less (fma) (q_j . q) / (q_j . q_j) times the q_j of those before that counted, and where 2^-36 (f32: 2^-14) < n
 *   . q it counts, U += ((n . (u - U)) / (n . q)) q (fma). A landing on top of others is that of v - U too, and friction's way that of
 *   x + (-(f T)) U (fma).
 *
 * When a collider was met, all are applied once more in the order of the list, to keep x on the right side:
 *   PLANE   g as above; g < 0: x += (0 - g) n (fma); and once more.
 *   BOX     inside: x < min ? min : x, then x > max ? max : x. outside: where min < x < max on all axes, to the nearest face: the first
 *           of the least of x - min, max - x, axis by axis.
 *   SPHERE  q as above, q > 0 (inside; q < 0 outside): x = at + (R / sqrt(r . r)) r (fma), where r . r is not 0.
 *   ROUND   g < 0: to the nearest place on it.
 *
 * CONSTRAINTS hold a particle in each step, or substep, of a method that is made of kicks and drifts (splitting, magnetic, langevin).
 * They act before the colliders: after a drift of length h from x0 to x by HOLD, and by VELOCITY where no drift follows a kick, before a
 * rotation, after it, and of a velocity that is predicted. With other methods they hold the end of the whole step, by HOLD, with its x0 and
 * its h. L is the length of a rod or rope, the radius of a sphere.
 *   OFF     the error of x, and its gradient. PLANE: g as above, and n.  Others: r = x - at, q as of a sphere; (0.5 q) (1 / L), and
 *           (1 / L) r.
 *   NEXT    equations row . y + off = 0 in the order of the list, each along its way; D is the number of axes. From row and way, with those
 *           j = 0 ... D - 1 that counted before (0 in place of what there is none of):
 *             way += (0 - (row_j . way) (1 / s_j)) way_j (fma), j by j;  s = row . way
 *           It counts where S < |s|, S = 2^-12 in f32 and 2^-26 in f64, and fewer than D counted; then
 *             y += ((0 - (off + row . y)) (1 / s)) way (fma).
 *   VELOCITY of v at x, in a kick, a rotation or a drift of length h: NEXT with y = v, off = 0, row = way = the gradient; without ropes,
 *   then
 *           ropes that are taut, -T < q, and act, 0 < row . v (row . v < 0 where h < 0). T, of a rope, is four roundings of a place on its
 *           sphere: 2^-51 (f32: 2^-22) L (L + |at|_1), at most L^2 / 4. After a rotation R the way is ((R - 1) row) + (row + row), that of
 *           half an impulse before the rotation and half after it. After a drift u, the velocity before HOLD, says whether a rope acts:
 *           each equation is solved for y = u too, with the same row and way.
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
 *           BEGIN of x0, x: a = 0. In each round, at x0 + a and with y = 0, for each constraint NEXT with off and row = way by OFF; a += y.
 *           Rounds go on while one is OFF by more than B (L + |x0 + a|_1), B = 2^-48 (f32: 2^-20), at most KDR_START_ROUNDS: first without
 *           ropes, then with those that are outside, 0 < q. The last round changes nothing.  x0 += a, x += a, unless one is still off.
 *           HOLD of several: BEGIN; moved = 0; KDR_HOLD_ROUNDS rounds without the ropes. If there are ropes, u = v by VELOCITY without
 * ropes
 *           at x + moved, pushed = moved, and as many rounds again with ropes. In each round z = x + moved, y = 0, for each constraint NEXT
 *           with off and row by OFF at z, and way by PULL; moved += y. Ropes take part where, at that round's z, they are taut and act on
 *           u, -T < q and 0 < row . u (row . u < 0 where h < 0), or are outside, 0 < q. `pushed` gets rounds of its own, in which ropes
 *           that are outside and do not act have no part; without ropes it is moved.
 *             arrived: for each rod and sphere, at x + moved, -2^-8 <= OFF (1 / L) <= 2^-8, 0 < |m| and 0 < row . n.
 *             Where it has not arrived: the same again from moved = 0 with way = row.  x += moved, and where it has arrived and h is not 0
 *             v += pushed / h.
 *           Then VELOCITY at x.
 * A constraint changes v but not v0, so that it presses against a surface as the forces do. Where a constraint holds, the compensations of
 * the values that it has changed are set to 0.
 *
 * DRIFT    A method with a heat bath reflects each of its drifts, and not the step as a whole. x0, v0 are the state before the drift, x, v
 *   the state after it and after the constraints, and h is its length: the order above, with these changes.
 *   Its path is the parabola, straight without constraints, and nothing presses. A flight BOUNCES where it passes, or at < 0 and at < slow,
 *   slow = SLOW (0 - |v|). It never LANDS. One that is HELD keeps v and v0: x += a_i n_i (fma) for the places alone, restitution takes
 *   nothing, and there is no friction.
 *   The time of a bounce is that of begin + span part, in double. part is that of the drift, and begin and span are where it begins and how
 *   long it is, as fractions of the step in `real`.
 *   The energy taken is added to the particle's sums after each drift. The compensations of a particle that made contact become 0 then. The
 *   acceleration is evaluated after the last drift, and not again.
 * MOLECULES are particles that distances join, in system runs without constraints. They meet colliders as follows, and not as above. A
 *   molecule takes its step again if the flight of one of its particles from x0, v0 to x, v MEETS something; distances hold at x, v.
 *   a = gained / h, where gained is the sum of v - u over the holds of the step: u is v after the hold before (or v0), v that before it.
 *   At a surface of velocity u, in SOLVE, PRESS, RUB, MEET and STRIKE the speed along n or t is that less u . n or u . t, aims are that
 *   more, and t is of v - u; x is seen by the surface at the end of the flight, at the time end - (h left - T).
 *   Particles of inverse mass w = 0 stay, and meet nothing. Rods are in the order of sweeps (distance_constraints.h), particles in that of
 *   the view.
 *   SOLVE    impulses along joints j, so that the speed s_j = n_j . (v_b - v_a), or n_j . v_b at a surface, becomes aim_j: 0 of a rod,
 *            n = d (1 / length). m = w_a + w_b, or w_b.  left = aim - s; way = left / m; q = sum of left way (fma); worst is the largest
 *            |left|, size the largest |v_0| + |v_1| + ... and |aim|. At most 4 times, while 8 eps size < worst, by conjugate gradients,
 *            while 4 eps size < worst, at most 2 joints + 8 steps in all and at most 512: y = 0; y_b += (way w_b) n, then
 *            y_a += -(way w_a) n (fma), joint by joint; gain = the speed by y; e = sum of way gain, f = sum of (way m) way (fma); it ends
 *            unless FLAT f < e (2^-40, f32: 2^-18); l = q / e; v += l y; impulse += l way; left += -l gain (fma); r = sum of left (left /
 *            m) (fma); way = (r / q) way + left / m (fma); q = r. If worst is not less after that than before, v and the impulses are what
 *            they were.
 *   FLY      in the time T from x0, v0: v += (0.5 T) a, x += T v (fma). TOGETHER. v += (0.5 T) a (fma). SOLVE of the rods. PRESS.
 *            RUB of those that press with an impulse above 0, the joints being those of the last SOLVE; if some do, x += (0.5 T) (v - u)
 *            (fma), u being v before it, and TOGETHER with 0 in place of 1 / T.
 *   TOGETHER at most 32 rounds: of each rod d, s, q, along, way as of SHAKE, with square = s . s in place of length^2, e = q - square and
 *            along = turned ? q : d . s; joined, where 0 < along, with n = (1 / length) way and aim = -(((1 / length) e) (way . way)) /
 *            (2 along); off where |e| is beyond the tolerance or 4 eps (|d_0| (|x_a| + |x_b|) + ...). Then each STAND that is beyond its
 *            surface now, or was so in this FLY, which is pushed: joined with aim -gap; off where gap < -ROOM. It ends where none is off.
 *            One descent of SOLVE, of u = 0 in place of v, while 2^-10 worst < what is left. x += u; then v of both ends by (1 / T) impulse
 *            of each rod, first of a. It ends too from the 9th round on where worst is not less than in the round before. Then what is
 *            pushed has x put on to its surface.
 *   PRESS    stands press that are pushed and have v . n < 0. At most 8 times: from that v on, SOLVE of the rods and of those that press,
 *            aim 0. A stand whose impulse is below 0 presses no more; one that is pushed and has v . n < -16 eps (|v_0| + ...) does. It
 *            ends when none changes.
 *   RUB      all at once, each by its impulse p: t = v + (-(v . n)) n (fma), speed s = |t| > 0, t (1 / s). They stick. From that v on:
 *            -(k w) t is added to v of those that slide (fma), SOLVE with a joint along t of those that stick, aim 0; k is minus its
 *            impulse. At most 8 times: who sticks slides from then on where not 0 < k, with k = 0, or where slides = friction k + sliding p
 *            (fma) < k and sticking p < keep k, with k = slides; if some do, SOLVE once more. Friction takes (0.5 k) (u . t + v . t), u
 *            being v before it, or of a flight v0.
 *   LOOK     after a FLY of all that is left, at each particle's flight, whose surfaces are not those that it stands on. It STANDS on what
 *            it MEETS where it touches that and comes in no faster than slow or 16 eps (|v0_0| + ...), or where f = 0 and not at < 0; with
 *            at most D stands for each. If some are new: FLY and LOOK again, at most 16 times. Else the first is met: the least f, then at.
 *            Where nothing is met the step ends so; and in the last flight, in which all that meet something stand: the first that begins
 *            after max(8, 2048 / particles) FLYs or more.
 *   MEET     f is corrected by Newton's method on FLY of the time f T, at most 16 flights: from (low, high) = (0, 1), where gap < 0 high =
 *            f, else low = f; y = f - gap / (T (v . n)); it ends where v . n T < 0 and |f - y| is at most ROOT_ROOM; f = y where low < y <
 *            high and v . n T < 0, else low + 0.5 (high - low) (fma). Where f left is at most 16 eps, x = x0, v = v0, f = 0. If another
 *            particle, or another surface, is met sooner in that flight, it is met in its place, at most 4 times.
 *   STRIKE   where at = v . n < 0. It bounces where it passes or at < k change, of the whole flight; p, l, m as above. SOLVE of the rods
 *            and of n, aim m, has the impulse q; restitution takes (q / (m - at)) E(at, l), friction (q / (m - at)) E(l, m). Then RUB of it
 *            by q, the joints being the rods. The contact's impulse is q n + (-k) t (fma). left times (1 - f), and on from there while
 *            16 eps < left.
 *   LOST in the flight that was taken is the sum over particles of (0.5 (v0 - v) . (v0 + v) + a . (x - x0)) / w (fma), and over stands of
 *   surfaces that move of p (u . n) - k (u . t), p with what RUB added to it. Landings are stands
 *   that were pushed, with at < 0; q = sum of at at (fma). If there are some, each takes (at at / q) of what is lost beyond the work of
 *   friction; if there is none, friction takes what is lost, in shares by its work, if that is above 0.
 *   The energy taken belongs to the particle that touches, and is not divided by w.
 *
 * BOUNDARY, after the colliders, on axes with min < max. Periodic, axis by axis: where x < min or max <= x, with the nearest whole number
 *   k = ((x - min) (1 / size) + M) - M, M = 1.5 2^23 or 1.5 2^52; y = x + (-size) k (fma); y < min ? y + size : y;
 *   then x = min <= y and y < max ? y : min. The particle's image grows by k, by one less where y < min, one more where it then was
 *   not below max.
 *   Absorbing: a particle with x0 < min or max < x0 on some axis keeps x0, v0, its memory and its compensations, and hits nothing.
 *
 * If a particle made contact in a step, or was moved back by a period, the compensations of the components of x and v that were changed
 * become 0, and its method's kept acceleration is evaluated again, at (x, v, t_{n+1}). If only a period has moved it back, v is the
 * velocity of the step's last evaluation there. */
#ifndef KDR_FORCE_COLLIDER_H
#define KDR_FORCE_COLLIDER_H

#include <kickdrift/boundary.h>
#include <kickdrift/collider.h>
#include <kickdrift/constraint.h>
#include <kickdrift/particles.h>

/* Kinds of walls in addition to the kinds of colliders. */
enum kdr_wall_kind { KDR_WALL_NONE = -1, KDR_WALL_ROD = KDR_COLLIDER_KIND_COUNT, KDR_WALL_ROPE, KDR_WALL_ON_PLANE };

/* The rounds of Newton's method that solve several constraints together, without ropes, and again with them. On a sphere of radius L the
 * first round is off by d^2 / 2L, where d is the drift along it, and each further round squares the error: at d = 0.9 L six rounds reach
 * rounding in double. */
enum { KDR_HOLD_ROUNDS = 8 };

/* The most rounds of Newton's method that move the beginning of a drift to several constraints. If it only touches a constraint, each
 * round halves the error. */
enum { KDR_START_ROUNDS = 64 };

/* The constants of a surface or a constraint, in `real`. */
#define KDR_WALL(real)                                                                                                                     \
    {                                                                                                                                      \
        real normal[3], offset;     /* plane: normal of length 1 */                                                                        \
        real low[3], high[3];       /* box; of an outer sphere, a box around it with room for rounding */                                  \
        real at[3], radius, square; /* sphere, rod, rope: centre, R, R^2 */                                                                \
        real twice, inverse;        /* 2 R, 1 / R */                                                                                       \
        real slack;                 /* rounding error of R^2 for a place on the sphere */                                                  \
        real minus_bounce;          /* -(1 + restitution) */                                                                               \
        real rests_below;           /* a particle rests at an approach slower than this times the forces' change of velocity */            \
        real room;                  /* precision of a place on the surface, or on an edge of the box */                                    \
        real friction, keep;        /* friction, 1 - friction */                                                                           \
        real minus_friction_normal, sliding, sticking;                                                                                     \
        double velocity[3], since; /* motion of the surface */                                                                             \
        bool moves;                                                                                                                        \
        int kind;        /* kdr_wall_kind */                                                                                               \
        bool inside;     /* particles are inside */                                                                                        \
        bool rubs;       /* has friction of any kind along the surface */                                                                  \
        bool is_coulomb; /* has Coulomb friction */                                                                                        \
    }
typedef struct kdr_wall_f32 KDR_WALL(float) kdr_wall_f32;
typedef struct kdr_wall_f64 KDR_WALL(double) kdr_wall_f64;

/* Check ranges, and that every constant fits `real`. */
kdr_status kdr_colliders_check(const kdr_collider *colliders, size_t count, kdr_real real, kdr_error *error);

kdr_status kdr_constraints_check(const kdr_constraint *constraints, size_t count, kdr_real real, kdr_error *error);
kdr_status kdr_boundary_check(const kdr_boundary *boundary, kdr_real real, kdr_error *error);

/* Fold for views of `dims` axes. Unused parts are zero bytes. */
void kdr_wall_fold_f32(const kdr_collider *collider, int dims, kdr_wall_f32 *wall);
void kdr_wall_fold_f64(const kdr_collider *collider, int dims, kdr_wall_f64 *wall);
void kdr_wall_of_constraint_f32(const kdr_constraint *constraint, int dims, kdr_wall_f32 *wall);
void kdr_wall_of_constraint_f64(const kdr_constraint *constraint, int dims, kdr_wall_f64 *wall);

/* Narrows the box of low and high, one element per axis, to where the walls certainly do nothing: the inside of a box, the open side of
 * a plane across an axis, a cube in a sphere with room for rounding. With obstacles, tilted planes and constraints there is no such
 * place. */
void kdr_walls_clear(const void *walls, size_t count, kdr_real real, int dims, double low[3], double high[3]);

#endif
