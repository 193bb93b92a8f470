/* `kickdrift bench compare`: compares result files with the first of them (see result.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "result.h"

typedef struct comparison {
    const kdr_bench_result *a, *b;
    double limit; /* 0: losses are shown and do not matter */
    size_t common, losses;
    double log_sum; /* of the best backends' ratios */
    size_t log_count;
} comparison;

static bool is_best(const char *name) { return !strchr(name, '@'); }

/* Prints a line for a row of both files. */
static bool print_row(comparison *c, const kdr_bench_result_row *a, const kdr_bench_result_row *b, fault *why) {
    kdr_bench_ratio ratio;
    if (strcmp(a->unit, b->unit) != 0) {
        return fault_set(why, "bench: compare: %.400s: row \"%.100s\": unit \"%.40s\", expected \"%.40s\" as in %.400s", c->b->path,
                         b->name, b->unit, a->unit, c->a->path);
    }
    if (!kdr_bench_compare_values(a->values, a->count, b->values, b->count, &ratio)) {
        return fault_set(why, "bench: out of memory");
    }
    const bool loss = kdr_bench_is_loss(&ratio, c->limit > 0 ? c->limit : 1, c->common);
    const bool differs = ratio.chance * (double)c->common < KDR_BENCH_CLAIM;
    printf("%-26s %10.4g %10.4g  %6.3f  ", a->name, a->median, b->median, ratio.ratio);
    if (isnan(ratio.low)) {
        printf("%-15s", "?");
    } else {
        printf("%6.3f to %5.3f", ratio.low, ratio.high);
    }
    printf("%s\n", loss ? "  loss" : differs && ratio.low > 1 ? "  gain" : "");
    c->losses += loss;
    return true;
}

/* Counts the common rows and takes their mean. */
static void count_common(comparison *c) {
    for (size_t i = 0; i < c->a->count; ++i) {
        const kdr_bench_result_row *const a = &c->a->rows[i], *const b = kdr_bench_result_find(c->b, a->name);
        if (!b) {
            continue;
        }
        ++c->common;
        if (is_best(a->name)) {
            c->log_sum += log(b->median / a->median);
            ++c->log_count;
        }
    }
}

static void print_head(const char *letter, const kdr_bench_result *result) {
    printf("%s  %s: %s, kickdrift %s", letter, result->path, result->processor, result->version);
    if (!isnan(result->score)) {
        printf(", score %.0f", result->score);
    }
    printf("%s\n", result->quiet ? "" : ", on a machine that was not quiet");
}

static bool print_comparison(comparison *c, fault *why) {
    count_common(c);
    if (!c->common) {
        return fault_set(why, "bench: compare: %.400s and %.400s have no row in common, expected results of the same rows", c->a->path,
                         c->b->path);
    }
    print_head("A", c->a);
    print_head("B", c->b);
    printf("\n%-26s %10s %10s  %6s  %s\n", "row", "A", "B", "B/A", "95 % interval");
    for (size_t i = 0; i < c->a->count; ++i) {
        const kdr_bench_result_row *const a = &c->a->rows[i], *const b = kdr_bench_result_find(c->b, a->name);
        if (b && !print_row(c, a, b, why)) {
            return false;
        }
    }
    if (c->log_count) {
        printf("\ngeometric mean of B/A over %zu rows of the best backends: %.3f\n", c->log_count, exp(c->log_sum / (double)c->log_count));
    }
    const size_t alone = c->a->count + c->b->count - 2 * c->common;
    if (alone) {
        printf("rows of one file alone, not compared: %zu\n", alone);
    }
    if (c->limit > 0) {
        printf("rows significantly below %g: %zu of %zu\n", c->limit, c->losses, c->common);
    }
    if (c->losses && !(c->a->quiet && c->b->quiet)) {
        printf("a machine was not quiet: losses may be the work of other processes\n");
    }
    return true;
}

int kdr_bench_result_compare(const char *const *paths, double limit) {
    fault why;
    kdr_bench_result first, other;
    size_t losses = 0;
    bool done = kdr_bench_result_read(&first, paths[0], &why);
    for (size_t i = 1; done && paths[i]; ++i) {
        done = kdr_bench_result_read(&other, paths[i], &why);
        if (done) {
            comparison c = {.a = &first, .b = &other, .limit = limit};
            printf("%s", i > 1 ? "\n" : "");
            done = print_comparison(&c, &why);
            losses += c.losses;
        }
        kdr_bench_result_free(&other);
    }
    kdr_bench_result_free(&first);
    return !done ? fault_report(&why) : limit > 0 && losses ? KDR_EXIT_FAILED : KDR_EXIT_OK;
}
