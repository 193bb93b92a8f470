/* The part of Google Benchmark that the benchmarks here need, for C. */
#ifndef KDR_BENCH_SHIM_H
#define KDR_BENCH_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kdr_bench_state kdr_bench_state;

/* A benchmark. It is called afresh for each repetition, and more often while the number of iterations is being found, so it must set up
 * everything that has to be fresh. */
typedef void kdr_bench_fn(kdr_bench_state *state, void *context);

/* Registers a benchmark. `name` is copied and used unchanged; `context` must live until kdr_bench_run has returned. */
void kdr_bench_register(const char *name, kdr_bench_fn *function, void *context);

/* Returns true if there is another iteration. In `while (kdr_bench_next(state)) { ... }` the body is one iteration, and is timed. */
bool kdr_bench_next(kdr_bench_state *state);

/* Exclude what is between the two calls from the timing. */
void kdr_bench_pause(kdr_bench_state *state);
void kdr_bench_resume(kdr_bench_state *state);

/* Makes the compiler assume that the object is read and written here. */
void kdr_bench_keep(void *object);

/* Adds a column to the table. The value is printed unchanged, not divided by time or iterations. */
void kdr_bench_counter(kdr_bench_state *state, const char *name, double value);

/* Reports the row with this message. Call it instead of iterating. */
void kdr_bench_skip(kdr_bench_state *state, const char *message);

/* Adds a line above the table and an entry to the JSON context. Call it before kdr_bench_run. */
void kdr_bench_context(const char *key, const char *value);

/* Reads Google Benchmark's own flags and removes them; a later one overrides an earlier one. The caller must check them first, because the
 * library exits on a bad one. */
void kdr_bench_initialize(int *argc, char **argv);

/* Makes a pattern from an extended regular expression; NULL if it is not valid. To be destroyed. */
typedef struct kdr_bench_pattern kdr_bench_pattern;
kdr_bench_pattern *kdr_bench_pattern_create(const char *text);
void kdr_bench_pattern_destroy(kdr_bench_pattern *pattern);

/* Returns true if some part of the text matches. */
bool kdr_bench_pattern_matches(const kdr_bench_pattern *pattern, const char *text);

/* Runs the registered benchmarks that match the filter, and returns their number. */
size_t kdr_bench_run(void);

/* The result of one repetition of one benchmark. */
enum { KDR_BENCH_COUNTERS = 12 };
typedef struct kdr_bench_repetition {
    uint64_t iterations;
    size_t counter_count;
    struct {
        char name[24];
        double value;
    } counters[KDR_BENCH_COUNTERS];
    char error[256]; /* "": the benchmark ran */
} kdr_bench_repetition;

/* Runs one repetition of one benchmark and prints nothing. With `iterations` 0 it makes as many as take `seconds`. */
void kdr_bench_repeat(kdr_bench_fn *function, void *context, double seconds, uint64_t iterations, kdr_bench_repetition *repetition);

/* Returns the value of a counter, or NaN if the benchmark has none of that name. */
double kdr_bench_counter_of(const kdr_bench_repetition *repetition, const char *name);

#ifdef __cplusplus
}
#endif
#endif
