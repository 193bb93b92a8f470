/* The rows of the implicit family (included by rows.h). */

/* An implicit method of one stage, HLW II.1: V = v_n + th a(x_n + th V, V, t_n + th), th = c h; then x += h V, v += (h / th) (V - v_n).
 * c = 1 is implicit Euler, c = 1/2 the midpoint rule. The unknown is the stage's acceleration A, V = v_n + th A, so that v += h A.
 *
 * In an affine field J = 1 - th G, G = da/dv + th da/dx, is constant, and J^-1 computed once per run. With a as force/field.h has it:
 *   A = J^-1 a(y, v_n, t_n + th), y = x_n + th v_n, which is the solution;
 *   D = J^-1 r, r = a(y, V, t_n + th) - A, V = v_n + th A, y = x_n + th V, one fma per axis each, which is the part that the roundings have
 *   left.
 *
 * In every other field (centres, quadratic drag, custom fields) Newton's iteration is guarded. |z| is the sum of the magnitudes of the axes
 * of z; products of vectors are a rounded product and fmas, in the order of the axes.
 *   Start: D, s, l = 0. A = 0 without quadratic drags; else A = (V - v_n) / th, where V is v_n after each of them, one after the other, as
 *   if it were alone:
 *     V = q u + wind, one fma, u = V - wind, q = 2 / (1 + sqrt(p)), p = ((-4 th) (-c)) sqrt(u . u) + 1, one fma, 0 for a p below 0; (-c)
 *     times w with masses.
 *   Iteration, 64 times at most:
 *     B = A + D;  V = v_n + th B, y = x_n + th V;  r = a(y, V, t_n + th) - B.
 *     B is taken if |r| is finite and r . D >= -s / 2: D has not led far beyond the low point of the step's potential, if there is one.
 *     If it is not taken: D = D / 2, s = s / 2, l = 0; where s was not positive the iteration ends, nonconverged.
 *     If it is: J at (y, V). Where an element or cofactor on J's diagonal, or det, is not positive, J_ii += 3/2 g, g the largest of 0 and,
 *     of each axis, th G_ii + (sum of |th G_ij + th G_ji|, j != i) / 2: J's symmetric part is positive then. The cofactors are those of
 *     this J. A = B, D' = J^-1 r, s = |r . D'|.
 *     It is solved where J was not changed and either is true, eps being 2^-23 or 2^-52, NOTHING 2^-100 or 2^-900:
 *       (|th| |D'|) min(1, |D'| / l) <= 2 eps (|th| |B| + |V|) + NOTHING, two fma, the next correction changes nothing;
 *       0 < l <= 2 |D'| and |r| <= 2 eps (g' (|V| + |y| / |th|) + |B|), one fma, g' the sum of the magnitudes of G row by row: corrections
 *       do not become smaller, and r is what roundings leave of it.
 *     D = D'; l = |D'|, or 0 where J was changed.
 *   Not solved: D = 0, and the particle is counted. Then A' = A + D and D = D - (A' - A): V, which is rounded twice at the end, would lose
 *   a D of some size at every step.
 * A centre's potential is not convex, and |r| has local minima that are no solutions, so that |r| cannot judge corrections. Near a stiff
 * centre corrections with the unchanged J lead away from the solution or into cycles; 3/2 is about the smallest factor with which they do
 * not.
 *
 * At the end, in either, V = v_n + th A, V += th D, one fma each; then x += h V, v += h D, v += h A.
 *
 * D is not added to the last A, and an affine field is evaluated twice: if omega h, b h or |m| h is large, V is smaller than v_n by that
 * factor, and the rounded A no longer determines it. With A alone a step of the midpoint rule would change an oscillator's energy by
 * omega h roundings, and could be unstable where (omega h)^2 exceeds 4 / eps, in f32 omega h = 8000. With D the error of the energy does
 * not grow with omega h, in every affine field but one: in a magnetic field that lies along no axis the rounded v cross m has a part along
 * m, which J^-1 does not make smaller.
 *
 * In a system run one equation holds for all particles together. Without slopes of the interactions, Newton's corrections use the
 * derivatives of the field only, and the rest is solved by fixed-point iteration. A, l = 0, V = v_n, y = x_n + th V; then, 100 times at
 * most:
 *   r = a(y, V, t_n + th) - A;  D = J^-1 r where there is a field, J at (y, V) changed as above where it is not positive; else D = r;
 *   A' = A + D, D' = D - (A' - A);  V = v_n + th A', y = x_n + th V;  A = A'.
 *   It is solved if for every particle that moves, frozen ones left out, one of these is true:
 *       (|th| |D|) min(1, |D| / l) <= 2 eps (|th| |A| + |V|) + NOTHING, two fma;
 *       0 < l <= 2 |D| and |th| |D| <= 16 eps ((|th| |A| + |V|) + |y| / |th|): corrections do not become smaller, and those are roundings.
 *   l = |D|.
 * Let q be the Lipschitz constant of th a, as a function of V, without the field's share. An iteration reduces the error to about q times
 * its size if the field is not stiff, and to less if it is: 100 iterations suffice in f64 for q up to 0.69, in f32 up to 0.85. For springs
 * of angular frequency omega, q is (th omega)^2: the midpoint rule is solved up to omega h = 1.66. If it is not solved, the run fails at
 * the end of the step before. All particles make as many iterations as the one that takes most, so that the bits of each depend on all.
 *
 * With spring networks, or slopes by the user's function (BLOCKS), J includes for each particle the slopes of the interactions on it: block
 * Jacobi, 10000 times at most. They are the user's slopes, or 0; then for each net, d = x_j - x_i, q = d . d, n = 1 / sqrt(q), k' the
 * larger of k and 0, over the springs of particle i in their order:
 *   t = (k' (sqrt(q) - length)) n, 0 where it is negative, a compressed spring, and k' where q = 0;
 *   e = ((th (k' - t) + damping) n) n, one fma, 0 where q = 0;
 *   sum_ii += th t, then sum_ij += (e d_i) d_j, one fma.
 * At the end G_ij -= sum_ij, with masses one fma by -w.
 * The stiffness across a compressed spring is left out, because it would make J indefinite (Baraff and Witkin, SIGGRAPH 1998; Choi and Ko,
 * SIGGRAPH 2002), and so is the pull of neighbours, which the iteration finds.
 *   A' = A + P where P = D, or, once it is accelerated, P = w D + (w - 1) P, one fma, P the step before: method/semi_iteration.h. It is
 *   accelerated when, after iteration 4 or a later one, the largest |P| of a particle that moves is more than half that of the
 *   iteration before. l = |P|.
 *   If it is not accelerated, it is solved after the second iteration that meets the conditions above. If it is accelerated, it is solved
 *   when, for as long as the error takes to fall by 4 / (1 - rho), the largest |P| of two iterations has not halved, and is at most 64 eps
 *   max(|th| |A| + |V| + |y| / |th|) / |th|.
 *
 * G = S + M, with the terms of the field in its order:
 *   DAMPING, STIFFNESS   S_ii = kv_i + th kx_i                                              one fma
 *   SPRINGS, DRAGS       with per-particle arrays: S_ii += (-th) k_i, one fma; S_ii -= b_i
 *   QUADRATIC            each, with u = v - wind, f = -c |u|: S_ii += f, then S_ij += (e u_i) u_j, one fma, e = (-c) / |u|, or 0 where
 *                        |u| is 0
 *   MAGNETIC             m alone
 *   MASS                 S and m times w
 *   CENTRES              each, with r = x - at, f = -mu / (q sqrt(q)): S_ii += th f, one fma, then S_ij += (e r_i) r_j, one fma,
 *                        e = ((-3 th) f) / q
 *   last, with MAGNETIC  G_01, G_10 = S_01 + m_z, S_01 - m_z;  G_02, G_20 = S_02 - m_y, S_02 + m_y;  G_12, G_21 = S_12 + m_x, S_12 - m_x
 *   after that, FUSED    S_ij, its entries' own added up from 0: of a force with masses G_ij = w S_ij + G_ij, one fma, else G_ij += S_ij
 *   in a system run     BLOCKS: G_ij += S_ij, the axes are coupled
 *
 * J^-1 by cofactors, without pivots. d_i = 1 + (-th) G_ii, one fma; b_ij = th G_ij, i != j. In three dimensions, k the third axis:
 *   C_ij = b_ij d_k + b_ik b_kj, the second product rounded and the first by an fma;
 *   C_ii = d_j d_k - b_jk b_kj in the same way, j < k;  det = d_0 C_00 + ((-b_01) C_10 + (-b_02) C_20), one rounded product and two fma.
 * In two: C_00 = d_1, C_11 = d_0, C_ij = b_ij, det = d_0 d_1 - b_01 b_10. In one, or axis by axis if they are not coupled: C = 1, det = d.
 *   affine               J^-1_ij = C_ij / det;  D_i = J^-1_i0 r_0 + J^-1_i1 r_1 + ..., a product and fmas (axis by axis: one product)
 *   not affine           s_i = C_i0 r_0 + C_i1 r_1 + ..., in the same way;  D_i = (1 / det) s_i
 *
 * Springs and drags whose coefficients are not negative make J's symmetric part positive definite, and no divisor 0. In an affine field
 * negative ones can make J singular: the result is not finite there. Near such a point it loses as many digits as det has lost; beyond it
 * the equation has a solution again, which is the result. In other fields no solution has a J that is not positive: particles beyond are
 * counted as nonconverged. In f32 det overflows in three coupled axes where d_0 d_1 d_2 does, at omega h = 3 10^6; axes that are not
 * coupled, at 10^19. */
typedef struct kdr_implicit_row {
    double c;
} kdr_implicit_row;

/* The most iterations; and the value of kdr_method_info::evaluations, which is typical for short steps. */
enum { KDR_NEWTON_ITERATIONS = 64, KDR_NEWTON_EVALUATIONS = 3, KDR_FIXED_POINT_ITERATIONS = 100, KDR_BLOCK_ITERATIONS = 10000 };

static const kdr_implicit_row kdr_row_implicit_euler = {.c = 1.0};

static const kdr_implicit_row kdr_row_implicit_midpoint = {.c = 0.5};
