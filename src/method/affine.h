/* The steps of an affine field: the effect of springs, linear drags, uniform and magnetic fields on a particle in a step, as an affine
 * map.
 *
 * d/dt (x, v) = A (x, v) + b has the solution y(t + h) = exp(A h) y(t) + integral of exp(A u) b du: 2D rows of 2D + 1 numbers, computed
 * once per run, or once per particle if parameters differ. The reference and the kernels both take them from here, so that the bits
 * depend only on + - * / and fma. They are kept as increments, exp(A h) - 1, because an element near 1, rounded to the particles'
 * precision, would lose the effect of a small step.
 *
 * Both functions work in pairs of doubles (some 31 digits), by a Taylor series at h / 2^k and k doublings, exp(2 M) - 1 = 2 N + N N with
 * N = exp(M) - 1. A doubling may lose a digit or two, hence the pairs. No eigenvalues are used, so no digits are lost at the borders
 * between weak, critical and strong damping, or where a spring becomes repelling. (LAPACK's or GSL's bits depend on how they were
 * built.) */
#ifndef KDR_METHOD_AFFINE_H
#define KDR_METHOD_AFFINE_H

#include "../force/field.h"

/* One row: the increment of an x_i or v_i is the sum of v[j] v_j, x[j] x_j and q. */
typedef struct kdr_affine_row {
    double v[3], x[3], q;
} kdr_affine_row;

/* A map. If axes are independent, elements off the diagonals are 0. */
typedef struct kdr_affine_map {
    kdr_affine_row x[3], v[3];
} kdr_affine_map;

/* One particle's parameters, from its per-particle arrays. Parameters without an array are not read. */
typedef struct kdr_affine_each {
    double w; /* inverse mass, with KDR_TERM_MASS */
    double k[KDR_MAX_EACH], at[KDR_MAX_EACH][3], b[KDR_MAX_EACH];
} kdr_affine_each;

/* One row of A, for v_i': kx x_i + kv_j v_j + f, including the magnetic part if `terms` has it. */
typedef struct kdr_affine_rates {
    double kx, kv[3], f;
} kdr_affine_rates;

kdr_affine_rates kdr_affine_rates_of(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis);

/* The rates of one axis for up to KDR_AXIS_LANES particles, in pairs of doubles: a number and its rounding error. */
enum { KDR_AXIS_LANES = 16 };
typedef struct kdr_axis_rates {
    double kx[2][KDR_AXIS_LANES], kv[2][KDR_AXIS_LANES], f[2][KDR_AXIS_LANES];
} kdr_axis_rates;

void kdr_affine_axis_rates(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis, int lane, kdr_axis_rates *to);

/* Returns whether the affine part of the field couples the axes. */
static inline bool kdr_affine_couples(unsigned terms, int dims) { return dims > 1 && (terms & KDR_TERM_MAGNETIC); }

/* Returns whether the map differs between particles. */
static inline bool kdr_affine_differs(unsigned terms) { return (terms & (KDR_TERM_MASS | KDR_TERM_SPRINGS | KDR_TERM_DRAGS)) != 0; }

/* Computes one axis of the map of a step h, for independent axes: rows x[axis] and v[axis]. `each` may be NULL if the map does not
 * differ. Parameters so large that the map is not finite give NaN. */
void kdr_affine_axis(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis, double h, kdr_affine_map *map);

/* Computes all rows, for any affine field. */
void kdr_affine_axes(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int dims, double h, kdr_affine_map *map);

#endif
