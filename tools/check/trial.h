/* A trial: one case of a kind (kinds.h) by the reference or by one backend.
 *
 * The kind's function draws the case from `random`, which begins anew in every trial of the case, so that all draw the same; what may
 * differ without a bit of a result being another (the executor, how a run is cut) it draws from `loose`. It takes its arrays from
 * kdr_check_results and kdr_check_inputs, in the same order in every trial. The engine places them anywhere, some against guard pages, and
 * compares all of them when the function returns. */
#ifndef KDR_CHECK_TRIAL_H
#define KDR_CHECK_TRIAL_H

#include "arena.h"
#include "axes.h"
#include "forces.h"

enum { KDR_CHECK_MOST_ARRAYS = 64 };

typedef enum kdr_check_elements {
    KDR_CHECK_REALS,   /* of the case's precision; a NaN equals a NaN */
    KDR_CHECK_DOUBLES, /* likewise */
    KDR_CHECK_WORDS,   /* integers of 32 bits */
    KDR_CHECK_LONGS,   /* of 64 bits */
    KDR_CHECK_BYTES    /* of 8 bits */
} kdr_check_elements;

typedef struct kdr_check_array {
    const char *name; /* a literal: "x[0]" */
    kdr_check_elements elements;
    size_t count;
    unsigned char *at;
    bool is_result; /* else an array that the library only reads */
} kdr_check_array;

typedef struct kdr_check_trial {
    const kdr_check_case *test; /* its seed, index, precision and arithmetic: all else is the function's to draw */
    kdr_check_random random, loose;
    bool by_reference;
    kdr_backend backend;   /* by the reference: one that a case's own field was compiled for */
    kdr_executor executor; /* serial, threads, or uneven pieces in any order */
    kdr_error error;       /* for the library's functions */
    /* The function sets this where the documentation says that the library refuses what was drawn: the reference and all backends must. */
    bool is_refused;
    char words[160]; /* what was drawn, for people: "count=17 dims=2" */
    /* The engine's from here on. */
    kdr_check_arena *arena;
    kdr_check_array array[KDR_CHECK_MOST_ARRAYS];
    int array_count;
    bool is_guarded;
} kdr_check_trial;

/* The status of the library's calls, the first that is not KDR_OK. */
typedef kdr_status kdr_check_trial_fn(kdr_check_trial *trial);

typedef struct kdr_check_kind {
    const char *name;
    kdr_check_trial_fn *run;
    uint32_t cases, quick;
    bool fields;
} kdr_check_kind;

/* NULL for a method of field runs. */
const kdr_check_kind *kdr_check_kind_get(int subject);

/* An array of `count` elements, at most KDR_CHECK_MAX_COUNT, at any address, for what the library writes or, inputs, may only read. It
 * comes filled with noise. */
void *kdr_check_results(kdr_check_trial *trial, const char *name, kdr_check_elements elements, size_t count);
void *kdr_check_inputs(kdr_check_trial *trial, const char *name, kdr_check_elements elements, size_t count);

/* A list of forces with its arrays, and the case's own field among them. */
void kdr_check_draw_forces(kdr_check_trial *trial, kdr_check_accepted accepted, size_t count, kdr_check_forces *forces, kdr_force *bound);

/* Draws. A value that is set has the precision of the elements. */
size_t kdr_check_draw_count(kdr_check_random *random, size_t most); /* from 0 on; tails of all vector widths are likely */
bool kdr_check_draw_one_in(kdr_check_random *random, uint32_t n);
void kdr_check_set(void *array, kdr_real real, size_t index, double value);
double kdr_check_get(const void *array, kdr_real real, size_t index);
/* Fills with numbers between low and high; one case in eight has zeros, infinities, NaNs and subnormal numbers among them. */
void kdr_check_draw_reals(kdr_check_trial *trial, void *array, size_t count, double low, double high);

/* Particles whose x and v are results, with inverse masses now and then (inputs, some 0): positions between -2 and 2, some on a grid. */
kdr_particles kdr_check_draw_particles(kdr_check_trial *trial, size_t count, int dims);

typedef struct kdr_check_trials kdr_check_trials;
kdr_check_trials *kdr_check_trials_create(void); /* NULL: no memory */
void kdr_check_trials_destroy(kdr_check_trials *trials);

/* As kdr_check_case_run_apart, of a case of that kind. */
void kdr_check_trials_run(kdr_check_trials *trials, const kdr_check_kind *kind, const kdr_check_case *test, const kdr_check_runner *runners,
                          size_t runner_count, kdr_check_tally *tallies, kdr_check_result *results, kdr_check_report_fn *report,
                          void *context);

/* The caller's own parallel_for at its most unhelpful: uneven pieces, the last one first. The context is a kdr_check_random. */
void kdr_check_adversary(void *context, size_t count, kdr_range_fn *body, void *argument);

/* Mixes 64 bits more into a sum; each step is a bijection of the sum so far, so that nothing is lost. */
uint64_t kdr_check_mix(uint64_t sum, uint64_t next);
double kdr_check_now(void); /* seconds */

#endif
