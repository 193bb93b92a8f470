/* The suite: a fixed list of rows that stand for real work, measured in turns, with headline numbers and scores. */
#ifndef KDR_BENCH_SUITE_H
#define KDR_BENCH_SUITE_H

#include "catalogue.h"
#include "fault.h"
#include "quiet.h"
#include "statistics.h"

/* The version of the list. It changes with any change of a name, of the work of a row, of the reference result or of what is a score. */
enum { KDR_BENCH_SUITE_VERSION = 1 };

/* A row of the list. */
typedef struct kdr_bench_workload {
    const char *name;
    const char *entry;   /* the name in the catalogue; %a is the arithmetic, %b the backend, %t the number of processors */
    const char *counter; /* the mean rate of a repetition */
    const char *unit;
    kdr_real real;
    bool every_backend; /* measured with every backend that runs here, not only the best */
    bool threads;       /* with all processors */
    const char *stands_for;
} kdr_bench_workload;

extern const kdr_bench_workload kdr_bench_workloads[];
extern const size_t kdr_bench_workload_count;

/* A number that one can quote: the rate of a workload of the list. */
typedef struct kdr_bench_headline {
    const char *name, *workload, *unit;
    double per_unit; /* the rate is multiplied by this */
    bool bytes;      /* the rate is of bytes */
} kdr_bench_headline;

enum { KDR_BENCH_HEADLINES = 5 };
extern const kdr_bench_headline kdr_bench_headlines[KDR_BENCH_HEADLINES];

enum { KDR_BENCH_SUITE_ROWS = 64, KDR_BENCH_VALUES = 200 };

typedef struct kdr_bench_suite_row {
    char name[64]; /* the workload's; followed by @BACKEND unless the backend is the best */
    const kdr_bench_workload *workload;
    const kdr_bench_entry *entry;
    kdr_backend backend;
    int threads;
    uint64_t iterations;             /* calls per repetition */
    double values[KDR_BENCH_VALUES]; /* the rate of the fastest call of each repetition */
    kdr_bench_summary summary;
    double best;                 /* the greatest value */
    double multiply_adds, bytes; /* per unit of work; NaN: not known */
    bool settled;                /* the interval is within 1 % */
} kdr_bench_suite_row;

typedef struct kdr_bench_suite {
    kdr_bench_session *session;
    kdr_backend best;
    kdr_bench_suite_row rows[KDR_BENCH_SUITE_ROWS];
    size_t count;
    double seconds; /* that the measurement took */
    kdr_bench_quiet quiet;
    uint64_t fingerprint, expected_fingerprint; /* of results of the backends; of the reference */
} kdr_bench_suite;

/* Lists the rows that can run here and that `is_wanted` accepts. Returns false if there are none. */
bool kdr_bench_suite_list(kdr_bench_suite *suite, const kdr_bench_catalogue *all, kdr_backend only,
                          bool (*is_wanted)(const void *context, const char *name), const void *context);

/* Computes both fingerprints: those of the end states of the list's rows of steps with fewer particles, by every backend that is measured
 * and by the reference. Returns false if something cannot be computed. */
bool kdr_bench_suite_check(kdr_bench_suite *suite, kdr_error *error);

/* Measures all rows in turns until each is settled or the time is up, with progress on stderr. Returns false if a row cannot run. */
bool kdr_bench_suite_measure(kdr_bench_suite *suite, double seconds, fault *why);

/* Returns the rate of the reference result for a workload, 0 if it has none. */
double kdr_bench_reference_rate(const char *workload);

/* Returns 1000 times the geometric mean of the ratios to the reference result, over the rows that `belongs` accepts; NaN without rows. */
double kdr_bench_suite_score(const kdr_bench_suite *suite, bool (*belongs)(const kdr_bench_suite_row *row, int which), int which);

/* Groups of rows for kdr_bench_suite_score: all rows of the best backend; those of a precision (kdr_real); those of one thread (0) or of
 * all processors (1); all rows that are measured with a backend (kdr_backend) and with every other one. */
bool kdr_bench_is_best(const kdr_bench_suite_row *row, int ignored);
bool kdr_bench_is_real(const kdr_bench_suite_row *row, int real);
bool kdr_bench_is_threads(const kdr_bench_suite_row *row, int threads);
bool kdr_bench_is_backend(const kdr_bench_suite_row *row, int backend);

/* Returns the value of a headline number, NaN if its row was not measured. */
double kdr_bench_headline_value(const kdr_bench_suite *suite, const kdr_bench_headline *headline);

/* Prints rows, headline numbers and scores. */
void kdr_bench_suite_print(const kdr_bench_suite *suite);

#endif
