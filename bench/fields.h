/* The fields that are benchmarked: a list of forces each, and what one evaluation of it costs. */
#ifndef KDR_BENCH_FIELDS_H
#define KDR_BENCH_FIELDS_H

#include <kickdrift/collider.h>
#include <kickdrift/force.h>

typedef struct kdr_bench_field {
    const char *name;
    const kdr_force *forces;
    size_t force_count;
    /* Operations of the multiplier a component an evaluation, in the textbook's form: what the arithmetic must cost at the least. */
    double fma;
    bool principal; /* the default run shows it whole, the others in part */
    bool velocity;  /* depends on v: some methods refuse it */
    bool affine;    /* in x and v: some methods refuse any other */
    const kdr_collider *colliders;
    size_t collider_count; /* with any, multistep methods refuse it too */
    bool masses;           /* the particles have them */
    bool general;          /* rows of the methods alone that have an opponent in it, and none in the default run */
} kdr_bench_field;

extern const kdr_bench_field kdr_bench_fields[];
extern const size_t kdr_bench_field_count;

/* The same for the opponent, constants folded as one does by hand: a = constant + drive cos(omega t + phase) + w F, and beside it, when mu
 * is not 0, a centre. F = force - k x - b v - c |v - wind| (v - wind) + v x magnetic. Without masses `force` is in `constant`. */
typedef struct kdr_bench_folded {
    double constant[3], force[3], drive[3], wind[3], magnetic[3], centre[3];
    double omega, phase, k, b, c, mu, softening;
} kdr_bench_folded;

kdr_bench_folded kdr_bench_fold(const kdr_bench_field *field);

#endif
