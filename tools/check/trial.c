/* Trials: runs a case of a kind once by the reference, then by each runner, and compares all arrays. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "trial.h"

#include "kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ARRAY_BYTES = KDR_CHECK_MAX_COUNT * 8 };

struct kdr_check_trials {
    kdr_check_arena arena; /* one slot per array */
    unsigned char *expected;
};

#define DECLARE(enumerator, function, name, cases, quick, fields) kdr_check_trial_fn function;
KDR_CHECK_KINDS(DECLARE)
#undef DECLARE

const kdr_check_kind *kdr_check_kind_get(int subject) {
#define ROW(enumerator, function, name, cases, quick, fields) [(enumerator) - KDR_CHECK_METHODS] = {name, function, cases, quick, fields},
    static const kdr_check_kind kinds[] = {KDR_CHECK_KINDS(ROW)};
#undef ROW
    return subject >= KDR_CHECK_METHODS && subject < KDR_CHECK_SUBJECTS ? &kinds[subject - KDR_CHECK_METHODS] : NULL;
}

kdr_check_trials *kdr_check_trials_create(void) {
    kdr_check_trials *trials = calloc(1, sizeof *trials);
    unsigned char *expected = malloc((size_t)KDR_CHECK_MOST_ARRAYS * ARRAY_BYTES);
    if (!trials || !expected || !kdr_check_arena_create(&trials->arena, KDR_CHECK_MOST_ARRAYS, ARRAY_BYTES)) {
        free(expected);
        free(trials);
        return NULL;
    }
    trials->expected = expected;
    return trials;
}

void kdr_check_trials_destroy(kdr_check_trials *trials) {
    if (trials) {
        kdr_check_arena_destroy(&trials->arena);
        free(trials->expected);
        free(trials);
    }
}

uint64_t kdr_check_mix(uint64_t sum, uint64_t next) {
    sum = (sum ^ next) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ (sum >> 32);
}

double kdr_check_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void kdr_check_adversary(void *context, size_t count, kdr_range_fn *body, void *argument) {
    kdr_check_random *random = context;
    while (count > 0) {
        size_t piece = 1 + kdr_check_random_below(random, (uint32_t)(count < 7 ? count : count / 3));
        count -= piece;
        body(argument, count, count + piece);
    }
}

/* Arrays */

static size_t element_size(kdr_real real, kdr_check_elements elements) {
    const size_t sizes[] = {[KDR_CHECK_REALS] = kdr_real_size(real),
                            [KDR_CHECK_DOUBLES] = sizeof(double),
                            [KDR_CHECK_WORDS] = sizeof(uint32_t),
                            [KDR_CHECK_LONGS] = sizeof(uint64_t),
                            [KDR_CHECK_BYTES] = 1};
    return sizes[elements];
}

static unsigned char *place(kdr_check_trial *t, int slot, size_t bytes, size_t size) {
    enum { CLEAR = 256 }; /* the distance to the guard page where it is not tested */
    unsigned char *at = kdr_check_arena_slot(t->arena, slot);
    unsigned char *const guarded[] = {at, at + t->arena->slot - bytes};
    unsigned char *const any[] = {at + CLEAR, at + CLEAR + (size_t)(2 * slot + 1) * size, at + CLEAR + 2 * slot + 1};
    const uint32_t drawn = kdr_check_random_below(&t->loose, 3 + (t->is_guarded ? 2 : 0));
    return t->by_reference ? any[0] : drawn < 3 ? any[drawn] : guarded[drawn - 3];
}

static void *take_array(kdr_check_trial *t, const char *name, kdr_check_elements elements, size_t count, bool is_result) {
    const size_t size = element_size(t->test->real, elements), bytes = size * count;
    if (t->array_count == KDR_CHECK_MOST_ARRAYS || count > KDR_CHECK_MAX_COUNT) {
        fprintf(stderr, "kickdrift verify: a case of %s takes more arrays or elements than there is room for\n",
                kdr_check_method_name(t->test->method));
        abort();
    }
    const int slot = t->array_count++;
    unsigned char *const at = place(t, slot, bytes, size);
    kdr_check_arena_paint(t->arena, slot, at, at + bytes);
    memset(at, 0x3C, bytes);
    t->array[slot] = (kdr_check_array){name, elements, count, at, is_result};
    return at;
}

void *kdr_check_results(kdr_check_trial *trial, const char *name, kdr_check_elements elements, size_t count) {
    return take_array(trial, name, elements, count, true);
}

void *kdr_check_inputs(kdr_check_trial *trial, const char *name, kdr_check_elements elements, size_t count) {
    return take_array(trial, name, elements, count, false);
}

/* Draws */

bool kdr_check_draw_one_in(kdr_check_random *random, uint32_t n) { return kdr_check_random_below(random, n) == 0; }

size_t kdr_check_draw_count(kdr_check_random *random, size_t most) {
    static const size_t tails[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129};
    const size_t tail = tails[kdr_check_random_below(random, sizeof tails / sizeof *tails)];
    const uint32_t below = kdr_check_draw_one_in(random, 4) ? (uint32_t)most + 1 : most < 80 ? (uint32_t)most + 1 : 80;
    const size_t any = kdr_check_random_below(random, below);
    return kdr_check_draw_one_in(random, 2) && tail <= most ? tail : any;
}

void kdr_check_set(void *array, kdr_real real, size_t index, double value) {
    const float single = (float)value;
    if (real == KDR_F32) {
        memcpy((char *)array + index * sizeof single, &single, sizeof single);
    } else {
        memcpy((char *)array + index * sizeof value, &value, sizeof value);
    }
}

double kdr_check_get(const void *array, kdr_real real, size_t index) {
    float single;
    double value;
    if (real == KDR_F32) {
        memcpy(&single, (const char *)array + index * sizeof single, sizeof single);
        return (double)single;
    }
    memcpy(&value, (const char *)array + index * sizeof value, sizeof value);
    return value;
}

void kdr_check_draw_forces(kdr_check_trial *t, kdr_check_accepted accepted, size_t count, kdr_check_forces *forces, kdr_force *bound) {
    unsigned char *arrays[KDR_CHECK_MAX_FORCE_ARRAYS] = {NULL};
    kdr_check_forces_build(forces, (int)kdr_check_random_below(&t->random, (uint32_t)kdr_check_forces_lists()), accepted, &t->random);
    if (t->test->field) {
        kdr_check_random of_field = kdr_check_case_stream(t->test, STREAM_FIELD);
        kdr_check_forces_fuse(forces, t->test->field, &of_field);
    }
    if (accepted.contributions) {
        (void)kdr_check_forces_contribute(forces, &t->random);
    }
    for (int i = 0; i < forces->array_count; ++i) {
        arrays[i] = kdr_check_inputs(t, "a parameter", KDR_CHECK_REALS, count);
        for (size_t n = 0; n < count; ++n) {
            const double drawn = kdr_check_random_between(&t->random, forces->range[i].low, forces->range[i].high);
            kdr_check_set(arrays[i], t->test->real, n, drawn);
        }
    }
    kdr_check_forces_bind(forces, arrays, kdr_real_size(t->test->real), 0, count, bound);
}

void kdr_check_draw_reals(kdr_check_trial *t, void *array, size_t count, double low, double high) {
    static const double odd[] = {0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1p-140, 1e30};
    const bool wild = t->test->index / 4 % 8 == 7;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t kind = wild ? kdr_check_random_below(&t->random, 200) : 200;
        const double value = kdr_check_random_between(&t->random, low, high);
        kdr_check_set(array, t->test->real, i, kind < sizeof odd / sizeof *odd ? odd[kind] : value);
    }
}

static void put_some_on_a_grid(kdr_check_trial *t, void *array, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (kdr_check_draw_one_in(&t->random, 5)) {
            kdr_check_set(array, t->test->real, i, (double)kdr_check_random_below(&t->random, 3));
        }
    }
}

kdr_particles kdr_check_draw_particles(kdr_check_trial *t, size_t count, int dims) {
    static const char *const names[] = {"x[0]", "x[1]", "x[2]", "v[0]", "v[1]", "v[2]"};
    kdr_particles p = kdr_particles_default();
    p.count = count;
    p.dims = dims;
    p.real = t->test->real;
    for (int i = 0; i < 3 && i < dims; ++i) {
        p.x[i] = kdr_check_results(t, names[i], KDR_CHECK_REALS, count);
        p.v[i] = kdr_check_results(t, names[3 + i], KDR_CHECK_REALS, count);
        kdr_check_draw_reals(t, p.x[i], count, -2, 2);
        put_some_on_a_grid(t, p.x[i], count);
        kdr_check_draw_reals(t, p.v[i], count, -2, 2);
    }
    if (kdr_check_draw_one_in(&t->random, 2)) {
        p.inverse_mass = kdr_check_inputs(t, "inverse_mass", KDR_CHECK_REALS, count);
        for (size_t i = 0; i < count; ++i) {
            const bool frozen = kdr_check_draw_one_in(&t->random, 8);
            const double drawn = kdr_check_random_between(&t->random, 0.25, 4);
            kdr_check_set(p.inverse_mass, p.real, i, frozen ? 0 : drawn);
        }
    }
    return p;
}

/* Running */

static kdr_check_trial begin(kdr_check_trials *trials, const kdr_check_case *test, const kdr_check_runner *runner) {
    kdr_check_trial t;
    memset(&t, 0, sizeof t);
    t.test = test;
    t.random = kdr_check_case_stream(test, STREAM_PLAN);
    t.loose = kdr_check_case_stream(test, STREAM_PLACEMENT + 100 * (uint32_t)(runner ? runner->backend : 0));
    t.by_reference = !runner;
    t.backend = runner ? runner->backend : KDR_BACKEND_AUTO; /* kdr_check_trials_run sets the reference's backend */
    t.arena = &trials->arena;
    return t;
}

/* Chooses an executor. OpenMP is not used near guard pages, because a fault in one of its threads cannot be caught. */
static void choose_executor(kdr_check_trial *t, kdr_check_tally *tally) {
    const uint32_t drawn = kdr_check_random_below(&t->loose, 4);
    t->executor = kdr_executor_serial();
    if (drawn == 0) {
        t->executor = (kdr_executor){&t->loose, kdr_check_adversary};
    }
    if (drawn == 1 && kdr_executor_openmp(2, &t->executor) != KDR_OK) {
        ++tally->no_openmp;
    }
    t->is_guarded = drawn != 1;
}

typedef struct trial_attempt {
    kdr_check_trial *trial;
    const kdr_check_kind *kind;
    kdr_status status;
} trial_attempt;

static void run_attempt(void *argument) {
    trial_attempt *const a = argument;
    a->status = a->kind->run(a->trial);
}

static uint64_t bits_at(const kdr_check_array *array, kdr_real real, const unsigned char *at, size_t index) {
    const size_t size = element_size(real, array->elements);
    uint32_t word;
    uint64_t bits;
    if (size == 1) {
        return at[index];
    }
    if (size == sizeof word) {
        memcpy(&word, at + index * size, size);
        return word;
    }
    memcpy(&bits, at + index * size, size);
    return bits;
}

/* Returns the bits of an element; every NaN becomes the same one, except in arrays of integers. */
static uint64_t canonical(const kdr_check_array *array, kdr_real real, uint64_t bits) {
    if (array->elements > KDR_CHECK_DOUBLES) {
        return bits;
    }
    const bool single = element_size(real, array->elements) == sizeof(float);
    const uint64_t size = bits & (single ? UINT64_C(0x7FFFFFFF) : UINT64_C(0x7FFFFFFFFFFFFFFF));
    const uint64_t infinity = single ? UINT64_C(0x7F800000) : UINT64_C(0x7FF0000000000000);
    return size > infinity ? infinity + 1 : bits;
}

static bool differs_at(const kdr_check_array *array, const unsigned char *expected, size_t index, kdr_check_mismatch *m) {
    const kdr_real real = m->test.real;
    const uint64_t want = canonical(array, real, bits_at(array, real, expected, index));
    const uint64_t have = canonical(array, real, bits_at(array, real, array->at, index));
    if (want == have) {
        return false;
    }
    kdr_backend_info info;
    const int lanes = kdr_backend_query(m->backend, &info) != KDR_OK ? 1 : real == KDR_F32 ? info.lanes_f32 : info.lanes_f64;
    m->what = array->is_result ? KDR_CHECK_BITS : KDR_CHECK_INPUT;
    m->array = array->name;
    m->index = (ptrdiff_t)index;
    m->lane = (int)(index % (size_t)(lanes > 0 ? lanes : 1));
    m->expected = want;
    m->actual = have;
    return true;
}

/* Finds the first element that differs. Equal bytes are equal elements. */
static bool array_differs(const kdr_check_trial *t, int slot, const unsigned char *expected, kdr_check_mismatch *m) {
    const kdr_check_array *const array = &t->array[slot];
    const size_t size = element_size(t->test->real, array->elements);
    unsigned char *const smudge = kdr_check_arena_smudge(t->arena, slot, array->at, array->at + size * array->count);
    if (smudge) {
        m->what = KDR_CHECK_OUTSIDE;
        m->array = array->name;
        m->index = (smudge - array->at) / (ptrdiff_t)size - (smudge < array->at);
        return true;
    }
    bool differs = false;
    for (size_t i = 0; !differs && i < array->count && memcmp(array->at, expected, size * array->count) != 0; ++i) {
        differs = differs_at(array, expected, i, m);
    }
    return differs;
}

static bool status_differs(const kdr_check_trial *of_reference, kdr_status wanted, const kdr_check_trial *t, kdr_status status,
                           kdr_check_mismatch *m) {
    m->what = KDR_CHECK_STATUS_WRONG;
    snprintf(m->message, sizeof m->message, "reference: %.60s; kernels: %.60s", wanted == KDR_OK ? "ok" : of_reference->error.message,
             status == KDR_OK ? "ok" : t->error.message);
    return wanted != status || (status != KDR_OK) != t->is_refused;
}

static bool is_wrong(const kdr_check_trials *trials, const kdr_check_trial *of_reference, kdr_status wanted, const kdr_check_trial *t,
                     kdr_status status, kdr_check_mismatch *m) {
    if (status_differs(of_reference, wanted, t, status, m)) {
        return true;
    }
    bool wrong = false;
    for (int slot = 0; slot < t->array_count && !wrong; ++slot) {
        wrong = array_differs(t, slot, trials->expected + (size_t)slot * ARRAY_BYTES, m);
    }
    return wrong;
}

static void keep_expected(kdr_check_trials *trials, const kdr_check_trial *t) {
    for (int slot = 0; slot < t->array_count; ++slot) {
        memcpy(trials->expected + (size_t)slot * ARRAY_BYTES, t->array[slot].at,
               t->array[slot].count * element_size(t->test->real, t->array[slot].elements));
    }
}

static uint64_t fingerprint(const kdr_check_trial *t, uint64_t *values) {
    uint64_t sum = 0;
    for (int slot = 0; slot < t->array_count; ++slot) {
        const kdr_check_array *const array = &t->array[slot];
        for (size_t i = 0; array->is_result && i < array->count; ++i, ++*values) {
            sum = kdr_check_mix(sum, canonical(array, t->test->real, bits_at(array, t->test->real, array->at, i)));
        }
    }
    return sum;
}

static kdr_check_result run_runner(kdr_check_trials *trials, const kdr_check_kind *kind, const kdr_check_trial *of_reference,
                                   kdr_status wanted, const kdr_check_runner *runner, kdr_check_tally *tally, kdr_check_report_fn *report,
                                   void *context) {
    kdr_check_trial t = begin(trials, of_reference->test, runner);
    choose_executor(&t, tally);
    trial_attempt a = {&t, kind, KDR_OK};
    void *address;
    const double began = kdr_check_now();
    const bool fault = kdr_check_arena_guard(&trials->arena, run_attempt, &a, &address);
    tally->seconds += kdr_check_now() - began;

    kdr_check_mismatch m;
    memset(&m, 0, sizeof m);
    m.test = *of_reference->test;
    m.backend = runner->backend;
    m.array = "";
    m.what = KDR_CHECK_FAULT;
    memcpy(m.words, of_reference->words, sizeof m.words);
    if (fault && address) {
        const kdr_check_array *const array = &t.array[kdr_check_arena_find(&trials->arena, address)];
        m.array = array->name ? array->name : "an array that was not taken";
        m.index = array->name ? ((unsigned char *)address - array->at) / (ptrdiff_t)element_size(m.test.real, array->elements) : 0;
    }
    if (fault || is_wrong(trials, of_reference, wanted, &t, a.status, &m)) {
        ++tally->mismatches;
        report(context, &m);
    } else if (a.status != KDR_OK) {
        ++*(a.status == KDR_ERROR_ARGUMENT ? &tally->nonconverged : &tally->refused);
        return (kdr_check_result){.is_compared = false};
    }
    ++tally->cases;
    const uint64_t sum = fingerprint(&t, &tally->values);
    return (kdr_check_result){true, kdr_check_case_is_quick(&m.test), m.test.method, sum};
}

void kdr_check_trials_run(kdr_check_trials *trials, const kdr_check_kind *kind, const kdr_check_case *test, const kdr_check_runner *runners,
                          size_t runner_count, kdr_check_tally *tallies, kdr_check_result *results, kdr_check_report_fn *report,
                          void *context) {
    kdr_check_trial t = begin(trials, test, NULL);
    t.backend = runners[0].backend;
    t.executor = kdr_executor_serial();
    const kdr_status wanted = kind->run(&t);
    keep_expected(trials, &t);
    for (size_t i = 0; i < runner_count; ++i) {
        results[i] = run_runner(trials, kind, &t, wanted, &runners[i], &tallies[i], report, context);
    }
}
