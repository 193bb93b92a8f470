/* Computes medians, intervals and the rank test (see statistics.h). */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two-sided 95 %: the quantile of the normal distribution, and the probability left on each side. */
static const double quantile = 1.959964, side = 0.025;

enum { FEWEST = 6 };

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle(const double *sorted, size_t count) {
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

enum { MOST_EXACT = 1000 }; /* 0.5 to a higher power is no normal number */

/* Returns the greatest k for which the k + 1 smallest of `count` values are all below the median with probability at most `side`; with
 * many values, by the normal approximation. */
static size_t rank_below(size_t count) {
    if (count > MOST_EXACT) {
        return (size_t)(((double)count - quantile * sqrt((double)count)) / 2) - 1;
    }
    double term = pow(0.5, (double)count), sum = term;
    size_t k = 0;
    for (;;) {
        term *= (double)(count - k) / (double)(k + 1);
        if (sum + term > side) {
            return k;
        }
        sum += term;
        ++k;
    }
}

kdr_bench_summary kdr_bench_summarise(const double *values, size_t count) {
    kdr_bench_summary summary = {.count = count, .median = NAN, .low = NAN, .high = NAN};
    double *const sorted = count ? malloc(count * sizeof *sorted) : NULL;
    if (!sorted) {
        return summary;
    }
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    summary.median = middle(sorted, count);
    if (count >= FEWEST) {
        const size_t k = rank_below(count);
        summary.low = sorted[k];
        summary.high = sorted[count - 1 - k];
    }
    free(sorted);
    return summary;
}

double kdr_bench_spread(const kdr_bench_summary *summary) {
    const double half = (summary->high - summary->low) / 2 / summary->median;
    return isfinite(half) ? half : INFINITY;
}

typedef struct ranked {
    double value;
    bool of_b;
} ranked;

static int by_ranked_value(const void *a, const void *b) { return by_value(&((const ranked *)a)->value, &((const ranked *)b)->value); }

/* Returns the two-sided probability of the rank sum, by the normal approximation with corrections for ties and continuity. */
static double rank_test(ranked *all, size_t a_count, size_t b_count) {
    const size_t count = a_count + b_count;
    const double a = (double)a_count, b = (double)b_count, n = (double)count;
    double sum = 0, ties = 0;
    qsort(all, count, sizeof *all, by_ranked_value);
    for (size_t i = 0, end; i < count; i = end) {
        size_t of_b = 0;
        for (end = i; end < count && all[end].value <= all[i].value; ++end) {
            of_b += all[end].of_b;
        }
        const double tied = (double)(end - i);
        sum += (double)of_b * ((double)i + 1 + (double)end) / 2;
        ties += tied * tied * tied - tied;
    }
    const double above = sum - b * (b + 1) / 2 - a * b / 2;
    const double variance = a * b / 12 * (n + 1 - ties / (n * (n - 1)));
    return variance > 0 ? fmin(1, erfc(fmax(0, fabs(above) - 0.5) / sqrt(2 * variance))) : 1;
}

/* Fills in the median of the ratios of all pairs and its interval. */
static void ratio_of_pairs(double *pairs, const double *a, size_t a_count, const double *b, size_t b_count, kdr_bench_ratio *ratio) {
    const size_t count = a_count * b_count;
    for (size_t i = 0; i < count; ++i) {
        pairs[i] = b[i / a_count] / a[i % a_count];
    }
    qsort(pairs, count, sizeof *pairs, by_value);
    ratio->ratio = middle(pairs, count);
    if (a_count < FEWEST || b_count < FEWEST) {
        return;
    }
    const double off = quantile * sqrt((double)count * (double)(a_count + b_count + 1) / 12);
    const double below = floor((double)count / 2 - off);
    const size_t k = below > 0 ? (size_t)below : 0;
    ratio->low = pairs[k];
    ratio->high = pairs[count - 1 - k];
}

bool kdr_bench_compare_values(const double *a, size_t a_count, const double *b, size_t b_count, kdr_bench_ratio *ratio) {
    *ratio = (kdr_bench_ratio){NAN, NAN, NAN, 1};
    if (!a_count || !b_count) {
        return true;
    }
    double *const pairs = malloc(a_count * b_count * sizeof *pairs);
    ranked *const all = malloc((a_count + b_count) * sizeof *all);
    if (pairs && all) {
        for (size_t i = 0; i < a_count + b_count; ++i) {
            all[i] = i < a_count ? (ranked){a[i], false} : (ranked){b[i - a_count], true};
        }
        ratio_of_pairs(pairs, a, a_count, b, b_count, ratio);
        ratio->chance = rank_test(all, a_count, b_count);
    }
    const bool done = pairs && all;
    free(pairs);
    free(all);
    return done;
}

bool kdr_bench_is_loss(const kdr_bench_ratio *ratio, double limit, size_t rows) {
    return ratio->ratio < limit && ratio->high < 1 && ratio->chance * (double)rows < KDR_BENCH_CLAIM;
}
