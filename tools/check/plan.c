/* The plans: which cases there are. */
#include "axes.h"
#include "forces.h"
#include "trial.h"

#include <string.h>

enum { VARIANTS = KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT };

/* What the plan prescribes of a case; the rest is drawn. */
typedef struct pins {
    int axis[2];
    int value[2];
    int count;
} pins;

static uint32_t singles(void) {
    uint32_t sum = 0;
    for (int axis = 0; axis < KDR_CHECK_AXIS_COUNT; ++axis) {
        sum += (uint32_t)kdr_check_axis_size((kdr_check_axis)axis);
    }
    return sum;
}

static pins single(uint32_t row) {
    int axis = 0;
    for (uint32_t size; row >= (size = (uint32_t)kdr_check_axis_size((kdr_check_axis)axis)); ++axis) {
        row -= size;
    }
    return (pins){{axis, 0}, {(int)row, 0}, 1};
}

/* Pairs of an axis' values with those of the axes before it stand together. */
static uint32_t pairs(void) {
    uint32_t sum = 0, before = 0;
    for (int axis = 0; axis < KDR_CHECK_AXIS_COUNT; ++axis) {
        const uint32_t size = (uint32_t)kdr_check_axis_size((kdr_check_axis)axis);
        sum += size * before;
        before += size;
    }
    return sum;
}

static pins pair(uint32_t row) {
    uint32_t size = (uint32_t)kdr_check_axis_size(0), before = 0;
    int first = 0;
    while (row >= size * before) {
        row -= size * before;
        before += size;
        size = (uint32_t)kdr_check_axis_size((kdr_check_axis)++first);
    }
    const pins second = single(row / size);
    return (pins){{first, second.axis[0]}, {(int)(row % size), second.value[0]}, 2};
}

/* The whole plan's rows: single values, pairs of values, pairs of kinds of force. A case's index is row * VARIANTS + variant. */
static pins row_pins(uint32_t row) {
    if (row < singles()) {
        return single(row);
    }
    row -= singles();
    if (row < pairs()) {
        return pair(row);
    }
    return (pins){{KDR_CHECK_FORCES, 0}, {kdr_check_forces_lists() + (int)(row - pairs()), 0}, 1};
}

/* The method's place in its family, and among how many the family's pairs are shared out. */
enum { MOST_SHARES = 8 };

static uint32_t family_place(int method, uint32_t *shares) {
    uint32_t place = 0, size = 0;
    for (int m = 0; m < KDR_CHECK_METHODS; ++m) {
        if (kdr_check_method_family(m) == kdr_check_method_family(method)) {
            place += m < method;
            ++size;
        }
    }
    *shares = size < MOST_SHARES ? size : MOST_SHARES;
    return place % *shares;
}

/* The plan's rows after the single values are every `stride`th pair from the `first`. */
typedef struct slice {
    uint32_t first, stride, count;
} slice;

static slice pair_rows(const kdr_check_plan *plan) {
    uint32_t all = pairs() + (uint32_t)kdr_check_forces_pairs();
    slice s = {0, 1, plan->part == KDR_CHECK_QUICK ? 0 : all};
    if (plan->part == KDR_CHECK_SHARE) {
        s.first = family_place(plan->method, &s.stride);
        s.count = (all - s.first + s.stride - 1) / s.stride;
    }
    return s;
}

bool kdr_check_case_is_quick(const kdr_check_case *test) {
    const kdr_check_kind *const kind = kdr_check_kind_get(test->method);
    return test->index < (kind ? kind->quick : singles()) * VARIANTS;
}

/* The parts of a kind are the first of its cases. */
static uint32_t kind_rows(const kdr_check_kind *kind, kdr_check_part part) {
    const uint32_t share = kind->cases / MOST_SHARES > kind->quick ? kind->cases / MOST_SHARES : kind->quick;
    return part == KDR_CHECK_QUICK ? kind->quick : part == KDR_CHECK_SHARE ? share : kind->cases;
}

uint32_t kdr_check_plan_size(const kdr_check_plan *plan) {
    const kdr_check_kind *const kind = kdr_check_kind_get(plan->method);
    return (kind ? kind_rows(kind, plan->part) : singles() + pair_rows(plan).count) * VARIANTS;
}

kdr_check_case kdr_check_plan_case(const kdr_check_plan *plan, uint32_t index) {
    uint32_t row = index / VARIANTS, variant = index % VARIANTS;
    const bool is_of_a_kind = kdr_check_kind_get(plan->method);
    if (row >= singles() && !is_of_a_kind) {
        slice s = pair_rows(plan);
        row = singles() + s.first + (row - singles()) * s.stride;
    }
    kdr_check_case test;
    memset(&test, 0, sizeof test);
    test.seed = plan->seed;
    test.index = row * VARIANTS + variant;
    test.method = plan->method;
    test.field = plan->field;
    test.real = (kdr_real)(variant % KDR_REAL_COUNT);
    test.arithmetic = (kdr_arithmetic)(variant / KDR_REAL_COUNT);

    if (is_of_a_kind) {
        return test;
    }
    kdr_check_random random = kdr_check_case_stream(&test, STREAM_PLAN);
    for (int axis = 0; axis < KDR_CHECK_AXIS_COUNT; ++axis) {
        test.value[axis] = kdr_check_axis_draw((kdr_check_axis)axis, &random);
    }
    pins pinned = row_pins(row);
    for (int i = 0; i < pinned.count; ++i) {
        test.value[pinned.axis[i]] = pinned.value[i];
    }
    kdr_check_case_resolve(&test, &random);
    return test;
}
