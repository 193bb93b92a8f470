/* The rows of the kinematic family (included by rows.h), and the order of the operations, which is part of the contract.
 *
 * The map of a step (method/affine.h) is the affine part of the field: springs, linear drags, uniform and magnetic fields. Its elements are
 * rounded once to the particles' precision. Both increments use x and v from before the step. "Springs" below: the field has
 * KDR_TERM_STIFFNESS or KDR_TERM_SPRINGS; q: KDR_TERM_OFFSET; c: the compensation, in a compensated run.
 *   uncoupled      x' = x + p v, then + d x with springs, one fma each;  v' = v + e v, then + r x in the same way.
 *                  With q or c: s = c + q, or the one of the two that there is; s += p v, then += d x with springs, one fma each; x' = x +
 *                  s, compensated where the run is; v' in the same way.
 *   coupled        (KDR_TERM_MAGNETIC, two axes or three) always by s: c + q, c, q or nothing; then += p_ij v_j for each j, where there is
 *                  nothing yet the first a rounded product; then += d_ij x_j for each j with springs; x_i' = x_i + s; v_i' in the same way.
 *
 * `sums`: the map is the sum of free flight and of the contributions of the forces one by one (method/contributions.h), and so:
 *   a = a(x_n, v_n) of centres and quadratic drags that contribute by average, where there are any; b that of those that contribute
 *   by pulse or euler; the map; x += (h^2 / 2) a, v += h a; x += h^2 b, v += h b; then with driven fields x += dx, v += dv (compensated: by
 *   c + dx), dx and dv computed in double.
 *
 * Otherwise a step is: the map of `span` of the step; where it `kicks`, a kick by the acceleration a of all other terms
 * (KDR_TERM_NO_AFFINE: force/field.h with F = 0, and base(t) the driven fields alone) at t + h/2, v += h a; and the map again. With
 * quadratic drag V = v + (h/2) a(x, v), then v += h a(x, V). Without other terms there is no kick. */
typedef struct kdr_kinematic_row {
    double span;
    bool kicks, sums;
} kdr_kinematic_row;

static const kdr_kinematic_row kdr_row_exact_affine = {.span = 1.0, .kicks = false};

static const kdr_kinematic_row kdr_row_strang_affine = {.span = 0.5, .kicks = true};

static const kdr_kinematic_row kdr_row_kinematic = {.span = 1.0, .sums = true};
