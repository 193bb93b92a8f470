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
} kdr_bench_field;

extern const kdr_bench_field kdr_bench_fields[];
extern const size_t kdr_bench_field_count;

/* The same for the opponent, constants folded as one does by hand: a = constant - k x - b v, and beside it, when mu is not 0, a centre. */
typedef struct kdr_bench_folded {
    double constant[3], centre[3];
    double k, b, mu, softening;
} kdr_bench_folded;

kdr_bench_folded kdr_bench_fold(const kdr_bench_field *field);

#endif
