/* The fields of the benchmark: a list of forces for each, and the cost of one evaluation. */
#ifndef KDR_BENCH_FIELDS_H
#define KDR_BENCH_FIELDS_H

#include <kickdrift/collider.h>
#include <kickdrift/force.h>

typedef struct kdr_bench_field {
    const char *name;
    const kdr_force *forces;
    size_t force_count;
    /* Multiplications per component and evaluation, in the form of the reference. This is the least that the arithmetic must cost. */
    double fma;
    bool principal; /* the default run has all its rows; of other fields only some */
    bool velocity;  /* depends on v: some methods refuse it */
    bool affine;    /* affine in x and v: some methods refuse any other field */
    const kdr_collider *colliders;
    size_t collider_count; /* multistep methods refuse a field with colliders too */
    bool masses;           /* the particles have masses */
    bool general;          /* only for methods that have an opponent on it, and not in the default run */
} kdr_bench_field;

extern const kdr_bench_field kdr_bench_fields[];
extern const size_t kdr_bench_field_count;

/* The field for the opponent, with constants folded as one does by hand: a = constant + drive cos(omega t + phase) + w F, plus a centre if
 * mu is not 0. F = force - k x - b v - c |v - wind| (v - wind) + v x magnetic. Without masses `force` is in `constant`. */
typedef struct kdr_bench_folded {
    double constant[3], force[3], drive[3], wind[3], magnetic[3], centre[3];
    double omega, phase, k, b, c, mu, softening;
} kdr_bench_folded;

kdr_bench_folded kdr_bench_fold(const kdr_bench_field *field);

#endif
