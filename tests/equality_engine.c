/* Tests the equality engine itself, because a proof that cannot fail proves nothing. Wrong runners must be caught, each for its own
 * fault. */
#include "axes.h"
#include "check.h"
#include "forces.h"
#include "user_method.h"

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static kdr_check_engine *engine;

static void set_up(void) {
    engine = kdr_check_engine_create();
    cr_assert(engine, "out of memory");
}

static void tear_down(void) { kdr_check_engine_destroy(engine); }

TestSuite(equality_engine, .init = set_up, .fini = tear_down);

static int list_named(const char *name) {
    int list = 0;
    while (strcmp(kdr_check_axis_value_name(KDR_CHECK_FORCES, list), name) != 0) {
        ++list;
        cr_assert(list < kdr_check_axis_size(KDR_CHECK_FORCES), "no force list %s", name);
    }
    return list;
}

/* Returns a case with a spring with a damper in three dimensions, 21 particles, 3 steps, and the simplest value on all other axes. */
static kdr_check_case plain_case(void) {
    kdr_check_case test;
    memset(&test, 0, sizeof test);
    test.seed = 7;
    test.method = KDR_RK4;
    test.real = KDR_F32;
    test.arithmetic = KDR_UNFUSED;
    test.value[KDR_CHECK_DIMS] = 2;
    test.value[KDR_CHECK_FORCES] = list_named("spring-damper");
    test.count = 21;
    test.steps = 3;
    return test;
}

typedef struct outcome {
    int reports;
    kdr_check_mismatch first;
    kdr_check_tally tally;
} outcome;

static void take(void *context, const kdr_check_mismatch *mismatch) {
    outcome *o = context;
    if (o->reports++ == 0) {
        o->first = *mismatch;
    }
}

static outcome run(const kdr_check_case *test, kdr_check_run_fn *runner) {
    outcome o;
    memset(&o, 0, sizeof o);
    const kdr_check_runner wrong = {KDR_BACKEND_SCALAR, runner, NULL};
    kdr_check_case_run(engine, test, &wrong, 1, &o.tally, take, &o);
    cr_assert((uint64_t)o.reports == o.tally.mismatches);
    return o;
}

static char *element(const kdr_particles *p, void *array, ptrdiff_t index) {
    return (char *)array + index * (ptrdiff_t)kdr_real_size(p->real);
}

/* These are the runners. All but the right one begin as it does. */

static kdr_status right(void *context, const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                        kdr_error *error) {
    (void)context;
    return kdr_integrator_run(integrator, particles, clock, steps, error);
}

#define WRONG(name)                                                                                                                        \
    static void name##_after(kdr_particles *p, kdr_clock *clock);                                                                          \
    static kdr_status name(void *context, const kdr_integrator *integrator, kdr_particles *p, kdr_clock *clock, uint64_t steps,            \
                           kdr_error *error) {                                                                                             \
        const kdr_status status = right(context, integrator, p, clock, steps, error);                                                      \
        name##_after(p, clock);                                                                                                            \
        return status;                                                                                                                     \
    }                                                                                                                                      \
    static void name##_after(kdr_particles *p, kdr_clock *clock)

WRONG(flips_a_bit) {
    (void)clock;
    element(p, p->v[1], 13)[0] ^= 1;
}

WRONG(writes_past_the_end) {
    (void)clock;
    element(p, p->x[2], (ptrdiff_t)p->count)[1] = 0;
}

WRONG(writes_before_the_beginning) {
    (void)clock;
    element(p, p->v[0], -1)[3] = 0;
}

WRONG(reads_past_the_end) {
    (void)clock;
    volatile char seen = element(p, p->x[0], (ptrdiff_t)p->count)[0];
    (void)seen;
}

WRONG(writes_a_mass) {
    (void)clock;
    element(p, p->inverse_mass, 20)[0] ^= 1;
}

WRONG(forgets_the_clock) {
    (void)p;
    --clock->step;
}

/* Adds 0 times the neighbour, which changes nothing unless the neighbour is not finite. */
WRONG(looks_at_its_neighbour) {
    (void)clock;
    for (size_t i = 0; i + 1 < p->count; ++i) {
        float own, other;
        memcpy(&own, element(p, p->x[0], (ptrdiff_t)i), sizeof own);
        memcpy(&other, element(p, p->x[0], (ptrdiff_t)i + 1), sizeof other);
        own += 0.0F * other;
        memcpy(element(p, p->x[0], (ptrdiff_t)i), &own, sizeof own);
    }
}

static kdr_status drops_the_last(void *context, const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock,
                                 uint64_t steps, kdr_error *error) {
    (void)context;
    kdr_particles rest = kdr_particles_slice(particles, 0, particles->count - 1);
    return kdr_integrator_run(integrator, &rest, clock, steps, error);
}

static kdr_status forgets_its_memory(void *context, const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock,
                                     uint64_t steps, kdr_error *error) {
    (void)context;
    particles->memory_key = 0;
    return kdr_integrator_run(integrator, particles, clock, steps, error);
}

static kdr_status refuses(void *context, const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                          kdr_error *error) {
    (void)context, (void)integrator, (void)particles, (void)clock, (void)steps;
    error->status = KDR_ERROR_UNSUPPORTED;
    strcpy(error->message, "out of sorts");
    return error->status;
}

static void expect(const outcome *o, kdr_check_what what, const char *array, ptrdiff_t index) {
    char text[256];
    cr_assert(o->reports == 1, "expected one mismatch, got %d", o->reports);
    cr_assert(o->first.what == what && strcmp(o->first.array, array) == 0 && o->first.index == index,
              "expected fault %d of %s at %td, got: %s", (int)what, array, index,
              kdr_check_mismatch_describe(&o->first, text, sizeof text));
}

Test(equality_engine, finds_nothing_wrong_with_the_kernels) {
    kdr_check_case test = plain_case();
    for (int placement = PLACEMENT_ALIGNED; placement <= PLACEMENT_MIXED; ++placement) {
        test.value[KDR_CHECK_PLACEMENT] = placement;
        const outcome o = run(&test, right);
        cr_expect(o.reports == 0 && o.tally.cases == 1 && o.tally.values == 6 * test.count && o.tally.fingerprint != 0);
    }
}

WRONG(flips_the_first) {
    (void)clock;
    if (p->count > 0) {
        element(p, p->v[0], 0)[0] ^= 1;
    }
}

typedef struct record {
    int count;
    kdr_check_mismatch mismatch[KDR_CHECK_MOST_REPORTS];
    kdr_check_tally tally[3];
} record;

static void write_down(void *context, const kdr_check_mismatch *mismatch) {
    record *r = context;
    cr_assert(r->count < KDR_CHECK_MOST_REPORTS);
    r->mismatch[r->count++] = *mismatch;
}

/* Runs plans on several threads, with runners that cause faults at the same time. */
static record run_on(int threads, uint32_t part, uint32_t parts) {
    const kdr_check_plan plans[] = {{7, KDR_RK4, KDR_CHECK_QUICK, NULL}, {7, KDR_BAOAB, KDR_CHECK_QUICK, NULL}};
    const kdr_check_runner runners[] = {
        {KDR_BACKEND_SCALAR, right, NULL}, {KDR_BACKEND_SCALAR, reads_past_the_end, NULL}, {KDR_BACKEND_SCALAR, flips_the_first, NULL}};
    const kdr_check_work work = {plans, 2, part, parts, runners, 3, threads};
    record r;
    memset(&r, 0, sizeof r);
    cr_assert(kdr_check_run(&work, r.tally, write_down, &r, NULL));
    for (int i = 0; i < 3; ++i) {
        r.tally[i].seconds = 0;
    }
    return r;
}

Test(equality_engine, threads_change_nothing) {
    const record one = run_on(1, 0, 1);
    cr_assert(one.count == KDR_CHECK_MOST_REPORTS && one.tally[0].mismatches == 0);
    cr_assert(one.tally[1].mismatches > 20 && one.tally[2].mismatches > 20);
    for (int threads = 2; threads < 6; ++threads) {
        const record some = run_on(threads, 0, 1);
        cr_expect(memcmp(&some, &one, sizeof one) == 0, "%d threads", threads);
    }
}

Test(equality_engine, parts_make_a_whole) {
    const record one = run_on(2, 0, 1);
    uint64_t cases = 0, values = 0, mismatches = 0;
    for (uint32_t part = 0; part < 5; ++part) {
        const record some = run_on(2, part, 5);
        cases += some.tally[0].cases;
        values += some.tally[0].values;
        mismatches += some.tally[2].mismatches;
    }
    cr_expect(cases == one.tally[0].cases && values == one.tally[0].values && mismatches == one.tally[2].mismatches);
}

Test(equality_engine, finds_a_flipped_bit) {
    const kdr_check_case test = plain_case();
    const outcome good = run(&test, right), bad = run(&test, flips_a_bit);
    expect(&bad, KDR_CHECK_BITS, "v[1]", 13);
    cr_expect((bad.first.expected ^ bad.first.actual) == 1);
    cr_expect(bad.tally.fingerprint != good.tally.fingerprint);
}

Test(equality_engine, names_the_lane) {
    const kdr_check_case test = plain_case();
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        if (!info.runnable) {
            continue;
        }
        outcome o;
        memset(&o, 0, sizeof o);
        const kdr_check_runner runner = {(kdr_backend)b, flips_a_bit, NULL};
        kdr_check_case_run(engine, &test, &runner, 1, &o.tally, take, &o);
        expect(&o, KDR_CHECK_BITS, "v[1]", 13);
        cr_expect(o.first.lane == 13 % info.lanes_f32 && o.first.backend == (kdr_backend)b);
    }
}

Test(equality_engine, finds_a_write_past_the_end) {
    kdr_check_case test = plain_case();
    for (int placement = PLACEMENT_ALIGNED; placement < PLACEMENT_MIXED; ++placement) {
        test.value[KDR_CHECK_PLACEMENT] = placement;
        const outcome o = run(&test, writes_past_the_end);
        expect(&o, placement == PLACEMENT_GUARD_AFTER ? KDR_CHECK_FAULT : KDR_CHECK_OUTSIDE, "x[2]", (ptrdiff_t)test.count);
    }
}

Test(equality_engine, finds_a_write_before_the_beginning) {
    kdr_check_case test = plain_case();
    for (int placement = PLACEMENT_ALIGNED; placement < PLACEMENT_MIXED; ++placement) {
        test.value[KDR_CHECK_PLACEMENT] = placement;
        const outcome o = run(&test, writes_before_the_beginning);
        expect(&o, placement == PLACEMENT_GUARD_BEFORE ? KDR_CHECK_FAULT : KDR_CHECK_OUTSIDE, "v[0]", -1);
    }
}

Test(equality_engine, finds_a_read_past_the_end) {
    kdr_check_case test = plain_case();
    test.value[KDR_CHECK_PLACEMENT] = PLACEMENT_GUARD_AFTER;
    const outcome o = run(&test, reads_past_the_end);
    expect(&o, KDR_CHECK_FAULT, "x[0]", (ptrdiff_t)test.count);
}

Test(equality_engine, goes_on_after_a_fault) {
    kdr_check_case test = plain_case();
    test.value[KDR_CHECK_PLACEMENT] = PLACEMENT_GUARD_AFTER;
    for (int i = 0; i < 3; ++i) {
        cr_expect(run(&test, writes_past_the_end).reports == 1);
        cr_expect(run(&test, right).reports == 0);
    }
}

#ifdef __SSE2__
__attribute__((noinline, no_sanitize("alignment"))) static void trusts_the_alignment_after(kdr_particles *p, kdr_clock *clock);
WRONG(trusts_the_alignment) {
    (void)clock;
    volatile __m128 seen = *(volatile const __m128 *)p->x[0];
    (void)seen;
}

Test(equality_engine, finds_an_aligned_access) {
    kdr_check_case test = plain_case();
    cr_expect(run(&test, trusts_the_alignment).reports == 0);
    test.value[KDR_CHECK_PLACEMENT] = PLACEMENT_ODD_ELEMENTS;
    const outcome o = run(&test, trusts_the_alignment);
    expect(&o, KDR_CHECK_FAULT, "", 0);
}
#endif

Test(equality_engine, finds_the_dropped_particle) {
    const kdr_check_case test = plain_case();
    const outcome o = run(&test, drops_the_last);
    expect(&o, KDR_CHECK_BITS, "x[0]", 20);
}

Test(equality_engine, finds_a_changed_mass) {
    kdr_check_case test = plain_case();
    test.value[KDR_CHECK_MASS] = MASS_RANDOM;
    const outcome o = run(&test, writes_a_mass);
    expect(&o, KDR_CHECK_INPUT, "inverse_mass", 20);
}

Test(equality_engine, finds_a_moved_frozen_particle) {
    kdr_check_case test = plain_case();
    test.steps = 0; /* no step may change anything, as if all particles were frozen */
    const outcome o = run(&test, flips_a_bit);
    expect(&o, KDR_CHECK_FROZEN, "v[1]", 13);
}

Test(equality_engine, finds_a_wrong_clock) {
    const kdr_check_case test = plain_case();
    const outcome o = run(&test, forgets_the_clock);
    expect(&o, KDR_CHECK_CLOCK_WRONG, "", 0);
    cr_expect(o.first.expected == 3 && o.first.actual == 2);
}

Test(equality_engine, finds_a_refusal) {
    const kdr_check_case test = plain_case();
    const outcome o = run(&test, refuses);
    expect(&o, KDR_CHECK_STATUS_WRONG, "", 0);
    cr_expect(strstr(o.first.message, "out of sorts") != NULL);
}

Test(equality_engine, finds_a_look_at_the_neighbour_by_garbage_alone) {
    kdr_check_case test = plain_case();
    cr_expect(run(&test, looks_at_its_neighbour).reports == 0);
    test.value[KDR_CHECK_DATA] = DATA_GARBAGE_NEIGHBOURS;
    const outcome o = run(&test, looks_at_its_neighbour);
    cr_expect(o.reports == 1 && o.first.what == KDR_CHECK_BITS && strcmp(o.first.array, "x[0]") == 0);
}

Test(equality_engine, finds_a_forgotten_memory) {
    kdr_check_case test = plain_case();
    test.method = KDR_VELOCITY_VERLET;
    test.steps = 7;
    test.value[KDR_CHECK_MEMORY] = 1;
    test.value[KDR_CHECK_CUT] = CUT_CALLS;
    cr_expect(run(&test, right).reports == 0);
    cr_expect(run(&test, forgets_its_memory).reports == 1);
    test.value[KDR_CHECK_CUT] = CUT_NONE;
    cr_expect(run(&test, forgets_its_memory).reports == 0);
}

/* The rounding errors of a few steps are too small to change the state, but the arrays show them. */
Test(equality_engine, finds_forgotten_compensations) {
    kdr_check_case test = plain_case();
    test.steps = 7;
    test.value[KDR_CHECK_COMPENSATED] = 1;
    test.value[KDR_CHECK_MEMORY] = MEMORY_COMPENSATION;
    test.value[KDR_CHECK_CUT] = CUT_CALLS;
    cr_expect(run(&test, right).reports == 0);
    cr_expect(run(&test, forgets_its_memory).reports == 1);
}

/* A refusal by both is right only if the table of methods demands it. */
Test(equality_engine, knows_what_is_to_be_refused) {
    int refused = 0, methods = 0;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        methods += kdr_method_get((kdr_method)m)->velocity_forces != KDR_VELOCITY_ANY;
        kdr_check_case test = plain_case();
        test.method = m;
        test.value[KDR_CHECK_FORCES] = list_named("spring-damper");
        for (test.index = 0; test.index < 64; ++test.index) {
            const outcome o = run(&test, right);
            cr_expect(o.reports == 0 && o.tally.refused == kdr_check_case_refused(&test));
            refused += (int)o.tally.refused;
        }
    }
    cr_expect((refused > 0) == (methods > 0), "%d refused", refused);
}

Test(equality_engine, describes_a_mismatch) {
    char text[512];
    const kdr_check_case test = plain_case();
    const outcome o = run(&test, flips_a_bit);
    kdr_check_mismatch_describe(&o.first, text, sizeof text);
    char bits[32];
    snprintf(bits, sizeof bits, "%08" PRIx64, o.first.expected);
    cr_expect(strstr(text, "v[1] index 13 (lane 0)") && strstr(text, bits), "got: %s", text);
    kdr_check_case_describe(&test, text, sizeof text);
    cr_expect(strstr(text, "method=rk4 real=f32 arithmetic=unfused") && strstr(text, "forces=spring-damper count=21 steps=3"), "got: %s",
              text);
}

/* Plans */

static int axis_value(const kdr_check_case *test, int axis) { return test->value[axis]; }

/* The method of this plan can be composed; for others the plan drops what they refuse. */
Test(equality_engine, quick_plan_has_every_value) {
    const kdr_check_plan plan = {1, KDR_STRANG_AFFINE, KDR_CHECK_QUICK, NULL};
    for (int axis = 0; axis < KDR_CHECK_AXIS_COUNT; ++axis) {
        for (int value = 0; value < kdr_check_axis_size((kdr_check_axis)axis); ++value) {
            int found[KDR_REAL_COUNT][KDR_ARITHMETIC_COUNT] = {{0}};
            for (uint32_t i = 0; i < kdr_check_plan_size(&plan); ++i) {
                const kdr_check_case test = kdr_check_plan_case(&plan, i);
                found[test.real][test.arithmetic] += axis_value(&test, axis) == value;
            }
            for (int kind = 0; kind < 4; ++kind) {
                cr_expect(found[kind & 1][kind >> 1] > 0, "%s=%s is not in the quick plan", kdr_check_axis_name((kdr_check_axis)axis),
                          kdr_check_axis_value_name((kdr_check_axis)axis, value));
            }
        }
    }
}

/* Marks in `seen` the pairs of values of two axes that the plan has. */
static void mark_pairs(const kdr_check_plan *plan, int first, int second, unsigned char seen[64][64]) {
    for (uint32_t i = 0; i < kdr_check_plan_size(plan); i += 1) {
        const kdr_check_case test = kdr_check_plan_case(plan, i);
        if (axis_value(&test, first) < 64 && axis_value(&test, second) < 64) {
            seen[axis_value(&test, first)][axis_value(&test, second)] = 1;
        }
    }
}

Test(equality_engine, full_plan_has_every_pair_of_values) {
    static const int pairs[][2] = {{KDR_CHECK_FORCES, KDR_CHECK_COUNT},
                                   {KDR_CHECK_DATA, KDR_CHECK_MASS},
                                   {KDR_CHECK_CUT, KDR_CHECK_MEMORY},
                                   {KDR_CHECK_COMPOSE, KDR_CHECK_COLLIDERS}};
    const kdr_check_plan plan = {1, KDR_STRANG_AFFINE, KDR_CHECK_WHOLE, NULL};
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; ++p) {
        unsigned char seen[64][64] = {{0}};
        mark_pairs(&plan, pairs[p][0], pairs[p][1], seen);
        for (int a = 0; a < kdr_check_axis_size((kdr_check_axis)pairs[p][0]); ++a) {
            for (int b = 0; b < kdr_check_axis_size((kdr_check_axis)pairs[p][1]); ++b) {
                cr_expect(seen[a][b], "pair %zu: no case with values %d and %d", p, a, b);
            }
        }
    }
}

/* The quick plan consists of the first cases of the whole plan, for every method. */
Test(equality_engine, the_quick_plan_is_of_the_whole) {
    for (int m = 0; m < KDR_CHECK_METHODS; ++m) {
        const kdr_check_plan whole = {1, m, KDR_CHECK_WHOLE, NULL}, quick = {1, m, KDR_CHECK_QUICK, NULL};
        const uint32_t size = kdr_check_plan_size(&quick);
        cr_assert(size > 100 && size < kdr_check_plan_size(&whole) / 4);
        for (uint32_t i = 0; i <= size; ++i) {
            const kdr_check_case same = kdr_check_plan_case(&whole, i);
            cr_assert(kdr_check_case_is_quick(&same) == (i < size), "%s, case %u", kdr_check_method_name(m), i);
            if (i < size) {
                const kdr_check_case part = kdr_check_plan_case(&quick, i);
                cr_assert(part.index == i && memcmp(part.value, same.value, sizeof part.value) == 0 && part.count == same.count &&
                          part.steps == same.steps && part.real == same.real && part.arithmetic == same.arithmetic);
            }
        }
    }
}

/* User-defined rows have all sizes, and occur with and without an acceleration that is kept. */
Test(equality_engine, own_rows_are_of_every_kind) {
    int sizes[2][KDR_MAX_FRACTIONS + 1] = {{0}}, keeps = 0, cases = 0;
    for (int own = 0; own < 2; ++own) {
        const kdr_check_plan plan = {1, own ? KDR_CHECK_OWN_FRACTIONS : KDR_CHECK_OWN_TABLEAU, KDR_CHECK_WHOLE, NULL};
        for (uint32_t i = 0; i < kdr_check_plan_size(&plan); i += 3) {
            const kdr_check_case test = kdr_check_plan_case(&plan, i);
            static kdr_check_user_method row;
            kdr_check_user_method_build(&row, &test);
            sizes[own][own ? row.fractions.count : row.tableau.stages]++;
            keeps += row.keeps;
            cases += own;
        }
    }
    for (int n = 1; n <= KDR_MAX_FRACTIONS; ++n) {
        cr_expect(sizes[1][n] > 0 && (n > KDR_MAX_STAGES || sizes[0][n] > 0), "size %d", n);
    }
    cr_expect(keeps > cases / 4 && keeps < cases * 3 / 4, "%d of %d keep their acceleration", keeps, cases);
}

Test(equality_engine, plan_depends_on_the_seed_alone) {
    const kdr_check_plan a = {1, KDR_RK4, KDR_CHECK_QUICK, NULL}, b = {2, KDR_RK4, KDR_CHECK_QUICK, NULL};
    int different = 0;
    for (uint32_t i = 0; i < kdr_check_plan_size(&a); ++i) {
        const kdr_check_case one = kdr_check_plan_case(&a, i), again = kdr_check_plan_case(&a, i), other = kdr_check_plan_case(&b, i);
        cr_expect(memcmp(one.value, again.value, sizeof one.value) == 0 && one.count == again.count && one.steps == again.steps);
        different += memcmp(one.value, other.value, sizeof one.value) != 0;
    }
    cr_expect(different > (int)kdr_check_plan_size(&a) / 2);
}

/* The plan's table has the counts around the width of every backend. */
Test(equality_engine, counts_are_made_for_every_width) {
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        const int widths[2] = {info.lanes_f32, info.lanes_f64};
        for (int w = 0; w < 8; ++w) {
            const int width = widths[w / 4], wanted[4] = {width - 1, width, width + 1, 2 * width + 3};
            bool found = width == 0;
            for (int value = 0; value < kdr_check_axis_size(KDR_CHECK_COUNT); ++value) {
                found |= atoi(kdr_check_axis_value_name(KDR_CHECK_COUNT, value)) == wanted[w % 4];
            }
            cr_expect(found, "%s has %d lanes: count %d is missing in axes.c", info.name, width, wanted[w % 4]);
        }
    }
}

/* Benign runs must stay finite, because comparing NaN with NaN would prove little. */
static int finite, infinite;

WRONG(counts_finite_runs) {
    (void)clock;
    size_t index;
    cr_assert(kdr_first_non_finite(p, &index, NULL) == KDR_OK);
    *(index == p->count ? &finite : &infinite) += 1;
}

Test(equality_engine, benign_runs_stay_finite, .disabled = SANITIZED) {
    for (int m = 0; m < KDR_CHECK_METHODS; ++m) {
        const kdr_check_plan plan = {KDR_CHECK_DEFAULT_SEED, m, KDR_CHECK_QUICK, NULL};
        for (uint32_t i = (uint32_t)m % 4; i < kdr_check_plan_size(&plan); i += 5) {
            const kdr_check_case test = kdr_check_plan_case(&plan, i);
            if (test.value[KDR_CHECK_DATA] <= DATA_PERIOD_3) {
                cr_expect(run(&test, counts_finite_runs).reports == 0);
            }
        }
    }
    cr_expect(finite > 0 && infinite * 100 < finite, "%d runs stayed finite, %d did not", finite, infinite);
}
