/* Google Benchmark for C: as much of it as the benchmarks here need. */
#ifndef KDR_BENCH_SHIM_H
#define KDR_BENCH_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kdr_bench_state kdr_bench_state;

/* Called afresh for each repetition, and more often while the number of iterations is being found: set up whatever must be fresh. */
typedef void kdr_bench_fn(kdr_bench_state *state, void *context);

/* `name` is used as it is and copied; `context` must live until kdr_bench_run has returned. */
void kdr_bench_register(const char *name, kdr_bench_fn *function, void *context);

/* `while (kdr_bench_next(state)) { ... }`: the body is one iteration, and is timed. */
bool kdr_bench_next(kdr_bench_state *state);

/* Take what lies between out of the timed part. */
void kdr_bench_pause(kdr_bench_state *state);
void kdr_bench_resume(kdr_bench_state *state);

/* What the compiler must believe to be read and written here. */
void kdr_bench_keep(void *object);

/* A column of the table, printed as it is: no division by time or iterations. */
void kdr_bench_counter(kdr_bench_state *state, const char *name, double value);

/* Instead of iterating: the row is reported with this message. */
void kdr_bench_skip(kdr_bench_state *state, const char *message);

/* A line above the table and an entry of the JSON context. Before kdr_bench_run. */
void kdr_bench_context(const char *key, const char *value);

/* Reads Google Benchmark's own flags, removing them; a later one overrides an earlier one. The caller checks them beforehand: the
 * library's own answer to a bad one is to exit. */
void kdr_bench_initialize(int *argc, char **argv);

/* An extended regular expression; to be destroyed. NULL: it is none. */
typedef struct kdr_bench_pattern kdr_bench_pattern;
kdr_bench_pattern *kdr_bench_pattern_create(const char *text);
void kdr_bench_pattern_destroy(kdr_bench_pattern *pattern);

/* Whether some part of the text matches. */
bool kdr_bench_pattern_matches(const kdr_bench_pattern *pattern, const char *text);

/* Runs what is registered and matches the filter; the number of rows that did. */
size_t kdr_bench_run(void);

#ifdef __cplusplus
}
#endif
#endif
