/* The steps of an affine field: what springs, linear drags, uniform and magnetic fields do to a particle in a step, as an affine map.
 *
 * d/dt (x, v) = A (x, v) + b has the solution y(t + h) = exp(A h) y(t) + integral of exp(A u) b du: 2D rows of 2D + 1 numbers, found once
 * a run, or once a run for each particle where parameters differ from particle to particle. Reference and kernels take them from here, so
 * that their bits are those of + - * / and fma alone. They are kept as increments, exp(A h) - 1: an element near 1 would lose in rounding
 * to the particles' precision what a small step does.
 *
 * Both functions work in pairs of doubles (some 31 digits), by a Taylor series at h / 2^k and k doublings, exp(2 M) - 1 = 2 N + N N with
 * N = exp(M) - 1. A doubling may lose a digit or two; that is why the pairs. No eigenvalue is looked at, and so there is no border
 * between weak, critical and strong damping, no spring or a repelling one, at which digits could be lost. (LAPACK's or GSL's bits depend on
 * how they were built.) Measured: an axis 1 to 2 microseconds, coupled axes 20 to 40. */
#ifndef KDR_METHOD_AFFINE_H
#define KDR_METHOD_AFFINE_H

#include "../force/field.h"

/* One row: the increment of an x_i or v_i is the sum of v[j] v_j, x[j] x_j and q. */
typedef struct kdr_affine_row {
    double v[3], x[3], q;
} kdr_affine_row;

/* Where axes do not feel each other, elements beside the diagonals are 0. */
typedef struct kdr_affine_map {
    kdr_affine_row x[3], v[3];
} kdr_affine_map;

/* One particle's parameters: what its arrays hold. Those that the field has no array for are not read. */
typedef struct kdr_affine_each {
    double w; /* the inverse mass, with KDR_TERM_MASS */
    double k[KDR_MAX_EACH], at[KDR_MAX_EACH][3], b[KDR_MAX_EACH];
} kdr_affine_each;

/* One row of A, of v_i' : kx x_i + kv_j v_j + f, magnetic part included where `terms` has it. */
typedef struct kdr_affine_rates {
    double kx, kv[3], f;
} kdr_affine_rates;

kdr_affine_rates kdr_affine_rates_of(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis);

/* The rates of one axis, in pairs of doubles (a number, and what rounding it to a double lost), of up to KDR_AXIS_LANES particles. */
enum { KDR_AXIS_LANES = 16 };
typedef struct kdr_axis_rates {
    double kx[2][KDR_AXIS_LANES], kv[2][KDR_AXIS_LANES], f[2][KDR_AXIS_LANES];
} kdr_axis_rates;

void kdr_affine_axis_rates(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis, int lane, kdr_axis_rates *to);

/* The axes feel each other in the affine part of the field. */
static inline bool kdr_affine_couples(unsigned terms, int dims) { return dims > 1 && (terms & KDR_TERM_MAGNETIC); }

/* The map differs from particle to particle. */
static inline bool kdr_affine_differs(unsigned terms) { return (terms & (KDR_TERM_MASS | KDR_TERM_SPRINGS | KDR_TERM_DRAGS)) != 0; }

/* One axis of the map of a step h, where the axes do not feel each other: rows x[axis] and v[axis]. `each` may be NULL where the map does
 * not differ. Parameters so large that the map is not finite give NaN. */
void kdr_affine_axis(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis, double h, kdr_affine_map *map);

/* All rows, for any affine field. */
void kdr_affine_axes(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int dims, double h, kdr_affine_map *map);

#endif
