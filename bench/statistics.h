/* Statistics of repeated measurements that need no assumption about their distribution: medians, order statistics, a rank test. */
#ifndef KDR_BENCH_STATISTICS_H
#define KDR_BENCH_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct kdr_bench_summary {
    size_t count;
    double median;
    double low, high; /* the 95 % confidence interval of the median; NaN with fewer than 6 values */
} kdr_bench_summary;

/* Returns the median of the values and its interval, which is between two of them. NaN without values. */
kdr_bench_summary kdr_bench_summarise(const double *values, size_t count);

/* Returns half the width of the interval as a fraction of the median; INFINITY if there is no interval. */
double kdr_bench_spread(const kdr_bench_summary *summary);

typedef struct kdr_bench_ratio {
    double ratio;     /* the median of all ratios of a value of b and a value of a (Hodges and Lehmann) */
    double low, high; /* its 95 % confidence interval, from the rank test; NaN with fewer than 6 values on a side */
    double chance;    /* probability of ranks at least as one-sided between equal distributions (Mann and Whitney) */
} kdr_bench_ratio;

/* Compares positive values b with positive values a. Returns false if there is no memory. */
bool kdr_bench_compare_values(const double *a, size_t a_count, const double *b, size_t b_count, kdr_bench_ratio *ratio);

/* The greatest chance of a claim among all rows of two results that are equal. A row needs 10 values on each side for any claim. */
#define KDR_BENCH_CLAIM 0.01

/* Returns true if b is smaller than `limit` times a, and the chance of such ranks in one of `rows` equal rows is below KDR_BENCH_CLAIM. */
bool kdr_bench_is_loss(const kdr_bench_ratio *ratio, double limit, size_t rows);

#endif
