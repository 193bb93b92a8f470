/* Gravity of sources at targets: what the kernels add is what the reference adds, from arrays at any address, and nothing else is touched. */
#include "axes.h"
#include "data.h"
#include "subjects.h"

#include <stdio.h>
#include <string.h>

enum { QUICK = 64, ROWS = 512, MOST = 600 };

/* Elements of sources or targets: around the vectors and the tiles of every backend, a block of sources and a thread's targets. */
static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 35, 63, 64, 65, 127, 128, 129, 255, 256, 257, MOST};
enum { COUNTS = sizeof counts / sizeof *counts };

/* The arrays, in the order of the arena's slots; what is added to stands last. */
enum { SOURCE_X, MU = SOURCE_X + 3, SOURCE_SOFTENING, TARGET_X, TARGET_SOFTENING = TARGET_X + 3, A, POTENTIAL = A + 3, GRAVITY_ARRAYS };
static const char *const names[GRAVITY_ARRAYS] = {
    "source_x[0]",      "source_x[1]", "source_x[2]", "mu",   "source_softening", "target_x[0]", "target_x[1]", "target_x[2]",
    "target_softening", "a[0]",        "a[1]",        "a[2]", "potential"};

typedef struct arrays {
    _Alignas(8) unsigned char at[GRAVITY_ARRAYS][MOST * 8];
} arrays;

typedef struct problem {
    kdr_gravity gravity; /* without arrays */
    bool used[GRAVITY_ARRAYS];
    bool special, adverse;
    arrays start;
} problem;

static void draw_form(const kdr_check_case *test, kdr_check_random *random, problem *p) {
    kdr_gravity *const g = &p->gravity;
    memset(p, 0, sizeof *p);
    g->dims = 1 + (int)(test->index / (KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT) % 3);
    g->real = test->real;
    g->sources = counts[kdr_check_random_below(random, COUNTS)];
    g->targets = counts[kdr_check_random_below(random, COUNTS)];
    g->softening = kdr_check_random_below(random, 2) ? 0 : kdr_check_random_between(random, 0.01, 0.5);
    g->targets_are_sources = kdr_check_random_below(random, 2);
    g->first_source = kdr_check_random_below(random, (uint32_t)g->sources + 1);
    const uint32_t lengths = kdr_check_random_below(random, 4), wanted = kdr_check_random_below(random, 3);
    p->special = kdr_check_random_below(random, 8) == 0;
    p->adverse = kdr_check_random_below(random, 2);
    for (int i = 0; i < g->dims; ++i) {
        p->used[SOURCE_X + i] = p->used[TARGET_X + i] = true;
        p->used[A + i] = wanted != 1;
    }
    p->used[MU] = true;
    p->used[POTENTIAL] = wanted != 0;
    p->used[SOURCE_SOFTENING] = lengths & 1;
    p->used[TARGET_SOFTENING] = lengths >> 1;
}

static size_t count_of(const problem *p, int array) { return array < TARGET_X ? p->gravity.sources : p->gravity.targets; }

static void put(kdr_real real, unsigned char *array, size_t i, double value) {
    const float single = (float)value;
    memcpy(array + i * kdr_real_size(real), real == KDR_F32 ? (const void *)&single : &value, kdr_real_size(real));
}

static double draw_element(kdr_check_random *random, int array) {
    const bool is_zero = kdr_check_random_below(random, 5) == 0;
    if (array == SOURCE_SOFTENING || array == TARGET_SOFTENING) {
        return is_zero ? 0 : kdr_check_random_between(random, 0.001, 0.5);
    }
    if (array == MU) {
        return is_zero ? 0 : kdr_check_random_between(random, -1, 3);
    }
    /* Some on a grid, so that particles are in one place. */
    return is_zero ? (double)kdr_check_random_below(random, 2) : kdr_check_random_between(random, -2, 2);
}

static void draw(const kdr_check_case *test, problem *p) {
    static const double odd[] = {-0.0, 0x1p-149, 1e30, -1e19, 1e-30};
    kdr_check_random random = kdr_check_random_stream(test->seed, test->index, 0, KDR_CHECK_GRAVITY);
    draw_form(test, &random, p);
    for (int array = 0; array < GRAVITY_ARRAYS; ++array) {
        const bool is_length = array == SOURCE_SOFTENING || array == TARGET_SOFTENING;
        for (size_t i = 0; i < count_of(p, array); ++i) {
            const bool is_odd = p->special && !is_length && kdr_check_random_below(&random, 16) == 0;
            put(test->real, p->start.at[array], i,
                is_odd ? odd[kdr_check_random_below(&random, sizeof odd / sizeof *odd)] : draw_element(&random, array));
        }
    }
    const size_t size = kdr_real_size(test->real);
    for (int i = 0; i < p->gravity.dims; ++i) { /* targets that are sources stand where those do */
        for (size_t n = 0; p->gravity.targets_are_sources && n < p->gravity.targets && p->gravity.first_source + n < p->gravity.sources;
             ++n) {
            memcpy(p->start.at[TARGET_X + i] + n * size, p->start.at[SOURCE_X + i] + (p->gravity.first_source + n) * size, size);
        }
    }
}

static kdr_gravity view_of(const problem *p, unsigned char *const at[GRAVITY_ARRAYS]) {
    kdr_gravity g = p->gravity;
    for (int i = 0; i < g.dims; ++i) {
        g.source_x[i] = at[SOURCE_X + i];
        g.target_x[i] = at[TARGET_X + i];
        g.a[i] = p->used[A + i] ? at[A + i] : NULL;
    }
    g.mu = at[MU];
    g.source_softening = p->used[SOURCE_SOFTENING] ? at[SOURCE_SOFTENING] : NULL;
    g.target_softening = p->used[TARGET_SOFTENING] ? at[TARGET_SOFTENING] : NULL;
    g.potential = p->used[POTENTIAL] ? at[POTENTIAL] : NULL;
    return g;
}

/* Each array at the beginning of its slot, at its end, or at an odd address. */
static void place(const kdr_check_arena *arena, const problem *p, kdr_check_random *random, unsigned char *at[GRAVITY_ARRAYS]) {
    for (int array = 0; array < GRAVITY_ARRAYS; ++array) {
        const size_t bytes = count_of(p, array) * kdr_real_size(p->gravity.real);
        unsigned char *const slot = kdr_check_arena_slot(arena, array);
        const uint32_t where = kdr_check_random_below(random, 3);
        at[array] = where == 0 ? slot : where == 1 ? slot + arena->slot - bytes : slot + 256 + kdr_check_random_below(random, 64);
        memcpy(at[array], p->start.at[array], bytes);
        kdr_check_arena_paint(arena, array, at[array], at[array] + bytes);
    }
}

typedef struct attempt {
    kdr_gravity gravity;
    kdr_pass_options options;
    kdr_status status;
    kdr_error error;
} attempt;

static void add(void *argument) {
    attempt *const run = argument;
    run->status = kdr_gravity_add(&run->gravity, &run->options, &run->error);
}

static void say(kdr_check_mismatch *m, kdr_check_what what, int array, ptrdiff_t index) {
    kdr_backend_info info;
    (void)kdr_backend_query(m->backend, &info);
    m->what = what;
    m->array = array >= 0 ? names[array] : "";
    m->index = index;
    m->lane = (int)(index % (m->test.real == KDR_F32 ? info.lanes_f32 : info.lanes_f64));
}

/* The first thing that is wrong. */
static bool differs(const kdr_check_arena *arena, const problem *p, const arrays *expected, unsigned char *const at[GRAVITY_ARRAYS],
                    kdr_check_mismatch *m) {
    const size_t size = kdr_real_size(p->gravity.real);
    for (int array = 0; array < GRAVITY_ARRAYS; ++array) {
        const bool is_result = array >= A && p->used[array];
        for (size_t i = 0; i < count_of(p, array); ++i) {
            m->expected = kdr_check_bits(m->test.real, is_result ? expected->at[array] : p->start.at[array], i);
            m->actual = kdr_check_bits(m->test.real, at[array], i);
            if (is_result ? !kdr_check_equal(m->test.real, m->expected, m->actual) : m->expected != m->actual) {
                say(m, is_result ? KDR_CHECK_BITS : KDR_CHECK_INPUT, array, (ptrdiff_t)i);
                return true;
            }
        }
        const unsigned char *const smudge = kdr_check_arena_smudge(arena, array, at[array], at[array] + count_of(p, array) * size);
        if (smudge) {
            say(m, KDR_CHECK_OUTSIDE, array, smudge < at[array] ? -1 : (smudge - at[array]) / (ptrdiff_t)size);
            return true;
        }
    }
    return false;
}

/* NaNs count as one, whatever their payloads. */
static uint64_t fingerprint_of(const problem *p, unsigned char *const at[GRAVITY_ARRAYS], uint64_t *values) {
    uint64_t sum = 0;
    for (int array = A; array < GRAVITY_ARRAYS; ++array) {
        for (size_t i = 0; p->used[array] && i < p->gravity.targets; ++i, ++*values) {
            const uint64_t bits = kdr_check_bits(p->gravity.real, at[array], i);
            const uint64_t nan = p->gravity.real == KDR_F32 ? 0x7FC00000 : UINT64_C(0x7FF8000000000000);
            sum = kdr_check_mix(sum, kdr_check_equal(p->gravity.real, bits, nan) ? nan : bits);
        }
    }
    return sum;
}

static kdr_check_result run_one(const kdr_check_arena *arena, const problem *p, const arrays *expected, const kdr_check_runner *runner,
                                kdr_check_tally *tally, kdr_check_mismatch *m, kdr_check_report_fn *report, void *context) {
    kdr_check_random random = kdr_check_random_stream(m->test.seed, m->test.index, 1, KDR_CHECK_GRAVITY);
    kdr_executor executor = kdr_executor_serial();
    unsigned char *at[GRAVITY_ARRAYS];
    attempt run;
    void *address;
    memset(&run, 0, sizeof run);
    place(arena, p, &random, at);
    run.gravity = view_of(p, at);
    if (p->adverse) {
        executor = (kdr_executor){&random, kdr_check_adversary};
    }
    run.status = kdr_pass_options_choose(m->test.arithmetic, runner->backend, executor, &run.options, &run.error);
    const double begin = kdr_check_seconds();
    const bool fault = run.status == KDR_OK && kdr_check_arena_guard(arena, add, &run, &address);
    tally->seconds += kdr_check_seconds() - begin;
    bool wrong = fault || run.status != KDR_OK;
    if (fault) {
        const int array = address ? kdr_check_arena_find(arena, address) : -1;
        const bool is_ours = array >= 0 && array < GRAVITY_ARRAYS;
        say(m, KDR_CHECK_FAULT, is_ours ? array : -1,
            is_ours ? ((unsigned char *)address - at[array]) / (ptrdiff_t)kdr_real_size(m->test.real) : 0);
    } else if (wrong) {
        say(m, KDR_CHECK_STATUS_WRONG, -1, 0);
        snprintf(m->message, sizeof m->message, "reference: ok; kernels: %.100s", run.error.message);
    } else {
        wrong = differs(arena, p, expected, at, m);
    }
    if (wrong) {
        ++tally->mismatches;
        report(context, m);
    }
    ++tally->cases;
    return (kdr_check_result){.is_compared = true,
                              .is_quick = kdr_check_case_is_quick(&m->test),
                              .method = m->test.method,
                              .fingerprint = fingerprint_of(p, at, &tally->values)};
}

static void run(const kdr_check_arena *arena, const kdr_check_case *test, const kdr_check_runner *runners, size_t runner_count,
                kdr_check_tally *tallies, kdr_check_result *results, kdr_check_report_fn *report, void *context) {
    problem p;
    draw(test, &p);
    arrays expected = p.start;
    unsigned char *at[GRAVITY_ARRAYS];
    for (int array = 0; array < GRAVITY_ARRAYS; ++array) {
        at[array] = expected.at[array];
    }
    const kdr_gravity reference = view_of(&p, at);
    kdr_error error;
    const kdr_status status = kdr_reference_gravity_add(&reference, test->arithmetic, &error);
    for (size_t i = 0; i < runner_count; ++i) {
        kdr_check_mismatch m = {.test = *test, .backend = runners[i].backend, .array = ""};
        if (status != KDR_OK) {
            m.what = KDR_CHECK_STATUS_WRONG;
            snprintf(m.message, sizeof m.message, "reference: %.100s", error.message);
            ++tallies[i].mismatches;
            results[i] = (kdr_check_result){.is_compared = false};
            report(context, &m);
            continue;
        }
        results[i] = run_one(arena, &p, &expected, &runners[i], &tallies[i], &m, report, context);
    }
}

static void describe(const kdr_check_case *test, char *text, size_t size) {
    problem p;
    draw(test, &p);
    snprintf(text, size, " axes=%d sources=%zu targets=%zu softening=%g lengths=%s%s%s wanted=%s%s%s data=%s executor=%s", p.gravity.dims,
             p.gravity.sources, p.gravity.targets, p.gravity.softening, p.used[SOURCE_SOFTENING] ? "sources," : "",
             p.used[TARGET_SOFTENING] ? "targets" : "", p.gravity.targets_are_sources ? " targets-are-sources" : "", p.used[A] ? "a" : "",
             p.used[A] && p.used[POTENTIAL] ? "," : "", p.used[POTENTIAL] ? "potential" : "", p.special ? "special" : "benign",
             p.adverse ? "adversary" : "serial");
}

const kdr_check_subject kdr_check_gravity = {"gravity", QUICK, ROWS, describe, run};
