/* The equality engine: steps the same particles with the reference and with the kernels, and compares every bit.
 *
 * A *case* is one run: a method, a precision, an arithmetic, and one value on each *axis* (axes.c: the forces, the count, the steps, how
 * the arrays lie in memory, how the run is cut into calls, ...). A *plan* is a list of cases, a function of the seed and of the method
 * alone, so that it and the fingerprint of its results are the same on every machine and for every backend.
 *
 * What is no field run is of a *kind* (kinds.h), whose cases one function draws and runs.
 *
 * A new row in the library's tables of methods or backends is tested without a line here; a new kind of force needs an item in forces.c,
 * a new way of calling the library a value in axes.c. What a method refuses, by the columns velocity_forces and affine of its row, must be
 * refused,
 * and nothing else.
 *
 * An engine is one thread's. While a kernel runs, faults on guard pages are caught by a signal handler of the whole process. */
#ifndef KDR_CHECK_H
#define KDR_CHECK_H

#include "kinds.h"

#include <kickdrift/kickdrift.h>

/* A constant, so that the fingerprint of the default plan is one on every machine (tests/golden.h). */
#define KDR_CHECK_DEFAULT_SEED UINT64_C(20240229)

/* The methods of the cases: the table's, and rows of the caller's own, drawn anew for each case (own.c). */
enum { KDR_CHECK_OWN_TABLEAU = KDR_METHOD_COUNT, KDR_CHECK_OWN_FRACTIONS, KDR_CHECK_METHODS };

/* After the methods, whose cases are field runs, come the kinds of other cases. */
enum {
    KDR_CHECK_BEFORE_KINDS = KDR_CHECK_METHODS - 1,
#define KDR_CHECK_ENUMERATOR(enumerator, function, name, cases, quick, fields) enumerator,
    KDR_CHECK_KINDS(KDR_CHECK_ENUMERATOR)
#undef KDR_CHECK_ENUMERATOR
        KDR_CHECK_SUBJECTS
};

const char *kdr_check_method_name(int method); /* or the name of a kind */
bool kdr_check_method_has_fields(int method);  /* or kind: a field of the caller's may be in its cases */
kdr_family kdr_check_method_family(int method);

typedef enum kdr_check_axis {
    KDR_CHECK_DIMS,
    KDR_CHECK_FORCES,
    KDR_CHECK_COUNT,
    KDR_CHECK_STEPS,
    KDR_CHECK_CLOCK,
    KDR_CHECK_DATA,
    KDR_CHECK_MASS,
    KDR_CHECK_COMPENSATED,
    KDR_CHECK_MEMORY,
    KDR_CHECK_NOISE,
    KDR_CHECK_PLACEMENT,
    KDR_CHECK_CUT,
    KDR_CHECK_EXECUTOR,
    KDR_CHECK_COLLIDERS,
    KDR_CHECK_CONSTRAINTS,
    KDR_CHECK_BOUNDARY,
    KDR_CHECK_HITS,
    KDR_CHECK_MARKS,
    KDR_CHECK_COMPOSE,
    KDR_CHECK_REST,
    KDR_CHECK_WATCH,
    KDR_CHECK_AXIS_COUNT
} kdr_check_axis;

typedef struct kdr_check_case {
    uint64_t seed;
    uint32_t index;                /* in the whole plan; with the seed and the method's name it keys all that is random in the case */
    int method;                    /* or a kind: then the axes have no values, and count and steps are 0 */
    const kdr_custom_field *field; /* NULL, or in the force list too */
    kdr_real real;
    kdr_arithmetic arithmetic;
    int value[KDR_CHECK_AXIS_COUNT]; /* a row of each axis's table */
    size_t count;
    uint64_t steps;
} kdr_check_case;

/* The table of methods says that this case is to be refused: the forces depend on the velocity in a way that its method does not accept, a
 * Langevin method or one with colliders is to step back, or a multistep method is to bounce. */
bool kdr_check_case_refused(const kdr_check_case *test);

/* Writes "method=rk4 real=f32 ... executor=serial"; returns text. */
const char *kdr_check_case_describe(const kdr_check_case *test, char *text, size_t size);

/* How much of the whole plan, which is a case for every value of every axis, for every pair of values of every two axes, and for every pair
 * of kinds of force, each in both precisions and arithmetics; what is not prescribed is drawn at random. A case is the same in every part. */
typedef enum kdr_check_part {
    KDR_CHECK_WHOLE,
    KDR_CHECK_QUICK /* every value: cases that the other parts have too */
} kdr_check_part;

/* The case is one of KDR_CHECK_QUICK. */
bool kdr_check_case_is_quick(const kdr_check_case *test);

typedef struct kdr_check_plan {
    uint64_t seed;
    int method; /* or a kind */
    kdr_check_part part;
    const kdr_custom_field *field; /* NULL, or a custom field that is added to the forces of every case whose method accepts it */
} kdr_check_plan;

uint32_t kdr_check_plan_size(const kdr_check_plan *plan);
kdr_check_case kdr_check_plan_case(const kdr_check_plan *plan, uint32_t index);

/* Takes `steps` steps of some of the particles. The engine's own is kdr_integrator_run; tests of the engine pass wrong ones. */
typedef kdr_status kdr_check_run_fn(void *context, const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock,
                                    uint64_t steps, kdr_error *error);

typedef struct kdr_check_runner {
    kdr_backend backend;
    kdr_check_run_fn *run; /* NULL: kdr_integrator_run */
    void *context;
} kdr_check_runner;

typedef enum kdr_check_what {
    KDR_CHECK_BITS,    /* an element differs from the reference's */
    KDR_CHECK_FROZEN,  /* an element that no step may change has changed */
    KDR_CHECK_INPUT,   /* an element of an array that is only read has changed */
    KDR_CHECK_OUTSIDE, /* memory beside an array has changed */
    KDR_CHECK_FAULT,   /* an address outside the arrays was touched */
    KDR_CHECK_CLOCK_WRONG,
    KDR_CHECK_KEY_WRONG,   /* memory_key is not the reference's: a run could not go on from one with the other */
    KDR_CHECK_EVENTS,      /* what watches have seen, or the state between two steps, is not the reference's */
    KDR_CHECK_STATUS_WRONG /* refused what the reference accepts, or the other way round; or both refuse what the table allows */
} kdr_check_what;

/* The first thing that is wrong in a case. */
typedef struct kdr_check_mismatch {
    kdr_check_case test;
    kdr_backend backend;
    kdr_check_what what;
    const char *array; /* "x[0]", "memory[2]", ...; "" where none is concerned */
    ptrdiff_t index;   /* the particle; negative or >= count outside the array */
    int lane;          /* of the backend's vectors: index modulo their width */
    uint64_t expected, actual;
    char message[160]; /* of KDR_CHECK_STATUS_WRONG */
    char words[160];   /* of a kind: what was drawn */
} kdr_check_mismatch;

/* One line for people, without the case's description. */
const char *kdr_check_mismatch_describe(const kdr_check_mismatch *mismatch, char *text, size_t size);

/* What a runner has done so far. Start from zeroes. */
typedef struct kdr_check_tally {
    uint64_t cases;       /* compared */
    uint64_t values;      /* elements of their arrays, each held against the reference's */
    uint64_t mismatches;  /* cases with at least one */
    uint64_t refused;     /* combinations that the method does not allow: reference and kernels both refuse them (kdr_check_case_refused) */
    uint64_t unsolved;    /* equations of implicit steps that neither reference nor kernels solve, at the same step */
    uint64_t no_openmp;   /* compared, but run serially: the library was built without OpenMP */
    uint64_t fingerprint; /* of all results, in the order of the cases */
    uint64_t quick[KDR_CHECK_SUBJECTS]; /* of a method's or kind's results in the cases of KDR_CHECK_QUICK */
    double seconds;
} kdr_check_tally;

typedef struct kdr_check_engine kdr_check_engine;
kdr_check_engine *kdr_check_engine_create(void); /* NULL: no memory */
void kdr_check_engine_destroy(kdr_check_engine *engine);

typedef void kdr_check_report_fn(void *context, const kdr_check_mismatch *mismatch);
typedef void kdr_check_progress_fn(uint64_t done, uint64_t all);

enum { KDR_CHECK_MOST_RUNNERS = 16 };

/* Runs one case on the reference once and on each runner, at most KDR_CHECK_MOST_RUNNERS, adds to the runners' tallies and reports each runner's first mismatch. */
void kdr_check_case_run(kdr_check_engine *engine, const kdr_check_case *test, const kdr_check_runner *runners, size_t runner_count,
                        kdr_check_tally *tallies, kdr_check_report_fn *report, void *context);

/* What of a case on a runner depends on the order of the cases: the fingerprint of its particles, unless it was refused. */
typedef struct kdr_check_result {
    bool is_compared, is_quick;
    int method;
    uint64_t fingerprint;
} kdr_check_result;

/* The same, but for the fingerprints: those of the runners go into `results`, and from there, in the order of the cases, to the tallies. */
void kdr_check_case_run_apart(kdr_check_engine *engine, const kdr_check_case *test, const kdr_check_runner *runners, size_t runner_count,
                              kdr_check_tally *tallies, kdr_check_result *results, kdr_check_report_fn *report, void *context);
void kdr_check_tally_add(kdr_check_tally *tally, const kdr_check_result *result);

/* kdr_check_tally.quick of this version, with KDR_CHECK_DEFAULT_SEED and without a field, on every backend and machine; 0: none is known of
 * this method. */
uint64_t kdr_check_shipped(int method);

/* All cases of some plans, one plan after the other, or a part of them. */
typedef struct kdr_check_work {
    const kdr_check_plan *plans;
    size_t plan_count;
    uint32_t part, parts; /* of that many equal parts this one, from 0 on */
    const kdr_check_runner *runners;
    size_t runner_count;
    int threads;
} kdr_check_work;

enum { KDR_CHECK_MOST_REPORTS = 10 };

/* Deals the cases out to the threads, each with an engine of its own. Tallies and reports are those of the cases one after the other, whatever the
 * number of threads, and `seconds` the sum of the threads'. Reports the first mismatches. `progress` is called by this thread. False: no
 * memory, or no thread. */
bool kdr_check_run(const kdr_check_work *work, kdr_check_tally *tallies, kdr_check_report_fn *report, void *context,
                   kdr_check_progress_fn *progress);

#endif
