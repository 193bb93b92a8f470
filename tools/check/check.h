/* The equality engine: steps the same particles with the reference and with the kernels, and compares every bit.
 *
 * A *case* is one run: a method, a precision, an arithmetic, and one value on each *axis* (axes.c: the forces, the count, the steps, the
 * placement of arrays in memory, the calls that the run is cut into, ...). A *plan* is a list of cases. It depends on the seed and the
 * method alone, so it and the fingerprint of its results are the same on every machine and for every backend.
 *
 * A case that is not a field run is of a *kind* (kinds.h). One function draws and runs the cases of a kind.
 *
 * A new row in the library's tables of methods or backends is tested without a line here. A new kind of force needs an item in forces.c, a
 * new way to call the library a value in axes.c. The library must refuse exactly the forces that a method's row refuses in its columns
 * velocity_forces and affine.
 *
 * An engine belongs to one thread. While a kernel runs, a signal handler of the whole process catches faults on guard pages. */
#ifndef KDR_CHECK_H
#define KDR_CHECK_H

#include "kinds.h"

#include <kickdrift/kickdrift.h>

/* The seed is a constant, so that the fingerprint of the default plan is the same on every machine (tests/golden.h). */
#define KDR_CHECK_DEFAULT_SEED UINT64_C(20240229)

/* The methods of the cases: those of the table, and user-defined rows, which are drawn anew for each case (user_method.c). */
enum { KDR_CHECK_OWN_TABLEAU = KDR_METHOD_COUNT, KDR_CHECK_OWN_FRACTIONS, KDR_CHECK_METHODS };

/* The kinds of cases that are not field runs follow the methods. */
enum {
    KDR_CHECK_BEFORE_KINDS = KDR_CHECK_METHODS - 1,
#define KDR_CHECK_ENUMERATOR(enumerator, function, name, cases, quick, fields) enumerator,
    KDR_CHECK_KINDS(KDR_CHECK_ENUMERATOR)
#undef KDR_CHECK_ENUMERATOR
        KDR_CHECK_SUBJECTS
};

const char *kdr_check_method_name(int method); /* method or kind */
bool kdr_check_method_has_fields(int method);  /* method or kind; true if its cases may contain a user-defined field */
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
    KDR_CHECK_BOUNCES,
    KDR_CHECK_MARKS,
    KDR_CHECK_COMPOSE,
    KDR_CHECK_FLUSH,
    KDR_CHECK_WATCH,
    KDR_CHECK_AXIS_COUNT
} kdr_check_axis;

typedef struct kdr_check_case {
    uint64_t seed;
    uint32_t index;                /* index in the whole plan; seed, method name and index determine all that is random in the case */
    int method;                    /* method or kind; for a kind the axes have no values, and count and steps are 0 */
    const kdr_custom_field *field; /* a user-defined field that is in the list of forces too; may be NULL */
    kdr_real real;
    kdr_arithmetic arithmetic;
    int value[KDR_CHECK_AXIS_COUNT]; /* an index into the table of each axis */
    size_t count;
    uint64_t steps;
} kdr_check_case;

/* Returns true if the case must be refused: by the table of methods, its method does not accept the velocity dependence of the forces; or a
 * Langevin method, or one with colliders, would run backwards; or a multistep method would bounce. */
bool kdr_check_case_refused(const kdr_check_case *test);

/* Writes "method=rk4 real=f32 ... executor=serial" into `text` and returns it. */
const char *kdr_check_case_describe(const kdr_check_case *test, char *text, size_t size);

/* The parts of a plan. The whole plan has a case for every value of every axis, for every pair of values of two axes, and for every pair
 * of kinds of force, each in both precisions and arithmetics. Other values are random. A case is the same in every part. */
typedef enum kdr_check_part {
    KDR_CHECK_WHOLE,
    KDR_CHECK_QUICK /* one case per value; these cases are in the other parts too */
} kdr_check_part;

/* Returns true if the case is in KDR_CHECK_QUICK. */
bool kdr_check_case_is_quick(const kdr_check_case *test);

typedef struct kdr_check_plan {
    uint64_t seed;
    int method; /* method or kind */
    kdr_check_part part;
    const kdr_custom_field *field; /* a custom field that is added to the forces of each case whose method accepts it; may be NULL */
} kdr_check_plan;

uint32_t kdr_check_plan_size(const kdr_check_plan *plan);
kdr_check_case kdr_check_plan_case(const kdr_check_plan *plan, uint32_t index);

/* Takes `steps` steps of some of the particles. The engine itself uses kdr_integrator_run; tests of the engine pass wrong functions. */
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
    KDR_CHECK_OUTSIDE, /* memory next to an array has changed */
    KDR_CHECK_FAULT,   /* an address outside the arrays was touched */
    KDR_CHECK_CLOCK_WRONG,
    KDR_CHECK_KEY_WRONG,   /* memory_key differs from the reference's, so that a run could not continue on the other's memory */
    KDR_CHECK_EVENTS,      /* the events of watches, or the state between two steps, differ from the reference's */
    KDR_CHECK_STATUS_WRONG /* the runner refuses what the reference accepts, or the other way round; or both refuse what the table allows */
} kdr_check_what;

/* The first difference in a case. */
typedef struct kdr_check_mismatch {
    kdr_check_case test;
    kdr_backend backend;
    kdr_check_what what;
    const char *array; /* "x[0]", "memory[2]", ...; "" if it is not about an array */
    ptrdiff_t index;   /* the particle; negative or >= count: outside the array */
    int lane;          /* lane of the backend's vectors: index modulo their width */
    uint64_t expected, actual;
    char message[160]; /* message for KDR_CHECK_STATUS_WRONG */
    char words[160];   /* for a kind: what was drawn */
} kdr_check_mismatch;

/* Writes one line for people, without the description of the case, and returns it. */
const char *kdr_check_mismatch_describe(const kdr_check_mismatch *mismatch, char *text, size_t size);

/* The results of a runner so far. All zeros at the start. */
typedef struct kdr_check_tally {
    uint64_t cases;        /* cases that were compared */
    uint64_t values;       /* elements that were compared */
    uint64_t mismatches;   /* cases with at least one mismatch */
    uint64_t refused;      /* combinations that the method does not allow, which reference and kernels refused (kdr_check_case_refused) */
    uint64_t nonconverged; /* equations of implicit steps that neither reference nor kernels solved, at the same step */
    uint64_t no_openmp;    /* cases that ran serially because the library was built without OpenMP */
    uint64_t fingerprint;  /* hash of all results, in the order of the cases */
    uint64_t quick[KDR_CHECK_SUBJECTS]; /* hash of the results of each method or kind in the cases of KDR_CHECK_QUICK */
    double seconds;
} kdr_check_tally;

typedef struct kdr_check_engine kdr_check_engine;
kdr_check_engine *kdr_check_engine_create(void); /* NULL: no memory */
void kdr_check_engine_destroy(kdr_check_engine *engine);

typedef void kdr_check_report_fn(void *context, const kdr_check_mismatch *mismatch);
typedef void kdr_check_progress_fn(uint64_t done, uint64_t all);

enum { KDR_CHECK_MOST_RUNNERS = 16 };

/* Runs one case once on the reference, and on each runner; at most KDR_CHECK_MOST_RUNNERS. Adds to the runners' tallies and reports the
 * first mismatch of each runner. */
void kdr_check_case_run(kdr_check_engine *engine, const kdr_check_case *test, const kdr_check_runner *runners, size_t runner_count,
                        kdr_check_tally *tallies, kdr_check_report_fn *report, void *context);

/* The part of a case's result on a runner that depends on the order of the cases: the fingerprint of its particles, unless it was
 * refused. */
typedef struct kdr_check_result {
    bool is_compared, is_quick;
    int method;
    uint64_t fingerprint;
} kdr_check_result;

/* kdr_check_case_run_apart does the same without the fingerprints, which go into `results`. kdr_check_tally_add adds them to a tally, and
 * must be called in the order of the cases. */
void kdr_check_case_run_apart(kdr_check_engine *engine, const kdr_check_case *test, const kdr_check_runner *runners, size_t runner_count,
                              kdr_check_tally *tallies, kdr_check_result *results, kdr_check_report_fn *report, void *context);
void kdr_check_tally_add(kdr_check_tally *tally, const kdr_check_result *result);

/* Returns the value of kdr_check_tally.quick for this version, with KDR_CHECK_DEFAULT_SEED and without a field. It is the same on every
 * backend and machine. 0: none is known for this method. */
uint64_t kdr_check_shipped(int method);

/* All cases of some plans, one plan after the other, or a part of them. */
typedef struct kdr_check_work {
    const kdr_check_plan *plans;
    size_t plan_count;
    uint32_t part, parts; /* runs part number `part`, from 0 on, of `parts` equal parts */
    const kdr_check_runner *runners;
    size_t runner_count;
    int threads;
} kdr_check_work;

enum { KDR_CHECK_MOST_REPORTS = 10 };

/* Runs the cases on several threads, each with its own engine. Tallies and reports are as if the cases ran one after the other, whatever
 * the number of threads; `seconds` is the sum over the threads. Reports the first mismatches. `progress` is called by the calling thread.
 * Returns false if there is no memory or no thread. */
bool kdr_check_run(const kdr_check_work *work, kdr_check_tally *tallies, kdr_check_report_fn *report, void *context,
                   kdr_check_progress_fn *progress);

#endif
