/* A trial: one case of a kind (kinds.h) on the reference or on one backend.
 *
 * The kind's function draws the case from `random`, which starts anew in every trial of the case, so that all trials draw the same. It
 * draws from `loose` what must not change a bit of the result, such as the executor or how a run is cut. It takes its arrays from
 * kdr_check_results and kdr_check_inputs, in the same order in every trial. The engine places them anywhere, some against guard pages, and
 * compares all of them when the function returns. */
#ifndef KDR_CHECK_TRIAL_H
#define KDR_CHECK_TRIAL_H

#include "arena.h"
#include "axes.h"
#include "forces.h"

enum { KDR_CHECK_MOST_ARRAYS = 64 };

typedef enum kdr_check_elements {
    KDR_CHECK_REALS,   /* the case's precision; NaNs are equal to each other */
    KDR_CHECK_DOUBLES, /* doubles; NaNs are equal to each other */
    KDR_CHECK_WORDS,   /* integers of 32 bits */
    KDR_CHECK_LONGS,   /* integers of 64 bits */
    KDR_CHECK_BYTES    /* integers of 8 bits */
} kdr_check_elements;

typedef struct kdr_check_array {
    const char *name; /* a literal, such as "x[0]" */
    kdr_check_elements elements;
    size_t count;
    unsigned char *at;
    bool is_result; /* false: the library only reads the array */
} kdr_check_array;

typedef struct kdr_check_trial {
    const kdr_check_case *test; /* gives seed, index, precision and arithmetic; everything else is drawn by the function */
    kdr_check_random random, loose;
    bool by_reference;
    kdr_backend backend;   /* for the reference: a backend that the case's user-defined field was compiled for */
    kdr_executor executor; /* serial, threads, or uneven pieces in any order */
    kdr_error error;       /* passed to the library's functions */
    /* The function sets this if the documentation says that the library refuses the case: then the reference and all backends must refuse
     * it. */
    bool is_refused;
    char words[160]; /* a description for people, such as "count=17 dims=2" */
    /* The following members are for the engine only. */
    kdr_check_arena *arena;
    kdr_check_array array[KDR_CHECK_MOST_ARRAYS];
    int array_count;
    bool is_guarded;
} kdr_check_trial;

/* Runs the case. Returns the first status of the library that is not KDR_OK. */
typedef kdr_status kdr_check_trial_fn(kdr_check_trial *trial);

typedef struct kdr_check_kind {
    const char *name;
    kdr_check_trial_fn *run;
    uint32_t cases, quick;
    bool fields;
} kdr_check_kind;

/* Returns the kind; NULL if the subject is a method of field runs. */
const kdr_check_kind *kdr_check_kind_get(int subject);

/* Return an array of `count` elements (at most KDR_CHECK_MAX_COUNT) at any address, filled with noise. The library writes results, and may
 * only read inputs. */
void *kdr_check_results(kdr_check_trial *trial, const char *name, kdr_check_elements elements, size_t count);
void *kdr_check_inputs(kdr_check_trial *trial, const char *name, kdr_check_elements elements, size_t count);

/* Draws a list of forces with its arrays, which includes the case's user-defined field. */
void kdr_check_draw_forces(kdr_check_trial *trial, kdr_check_accepted accepted, size_t count, kdr_check_forces *forces, kdr_force *bound);

/* Functions that draw or set values. A value is stored in the precision of the elements. */
size_t kdr_check_draw_count(kdr_check_random *random, size_t most); /* from 0 to `most`; tails of all vector widths are likely */
bool kdr_check_draw_one_in(kdr_check_random *random, uint32_t n);
void kdr_check_set(void *array, kdr_real real, size_t index, double value);
double kdr_check_get(const void *array, kdr_real real, size_t index);
/* Fills an array with numbers between low and high. One case in eight has zeros, infinities, NaNs and subnormal numbers among them. */
void kdr_check_draw_reals(kdr_check_trial *trial, void *array, size_t count, double low, double high);

/* Draws particles. x and v are results; some cases have inverse masses (inputs, some of them 0). Positions are between -2 and 2, some on a
 * grid. */
kdr_particles kdr_check_draw_particles(kdr_check_trial *trial, size_t count, int dims);

typedef struct kdr_check_trials kdr_check_trials;
kdr_check_trials *kdr_check_trials_create(void); /* NULL: no memory */
void kdr_check_trials_destroy(kdr_check_trials *trials);

/* Runs a case of the kind, as kdr_check_case_run_apart does. */
void kdr_check_trials_run(kdr_check_trials *trials, const kdr_check_kind *kind, const kdr_check_case *test, const kdr_check_runner *runners,
                          size_t runner_count, kdr_check_tally *tallies, kdr_check_result *results, kdr_check_report_fn *report,
                          void *context);

/* A user-defined parallel_for that makes scheduling as hard as it may be: uneven ranges, the last one first. The context is a
 * kdr_check_random. */
void kdr_check_adversary(void *context, size_t count, kdr_range_fn *body, void *argument);

/* Mixes 64 more bits into a hash. Each step is a bijection of the hash so far, so that nothing is lost. */
uint64_t kdr_check_mix(uint64_t sum, uint64_t next);
double kdr_check_now(void); /* seconds */

#endif
