/* The plans: lists of cases. */
#include "axes.h"
#include "forces.h"
#include "trial.h"

#include <string.h>

enum { VARIANTS = KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT };

/* The values of a case that the plan sets. The others are drawn. */
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

/* Counts the pairs of values of two axes. The pairs of an axis with the axes before it follow one another. */
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

/* Returns what row `row` of the whole plan sets. The rows are single values, pairs of values, pairs of kinds of force. The index of a case
 * is row * VARIANTS + variant. */
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

bool kdr_check_case_is_quick(const kdr_check_case *test) {
    const kdr_check_kind *const kind = kdr_check_kind_get(test->method);
    return test->index < (kind ? kind->quick : singles()) * VARIANTS;
}

uint32_t kdr_check_plan_size(const kdr_check_plan *plan) {
    const kdr_check_kind *const kind = kdr_check_kind_get(plan->method);
    if (plan->part == KDR_CHECK_QUICK) {
        return (kind ? kind->quick : singles()) * VARIANTS;
    }
    return (kind ? kind->cases : singles() + pairs() + (uint32_t)kdr_check_forces_pairs()) * VARIANTS;
}

kdr_check_case kdr_check_plan_case(const kdr_check_plan *plan, uint32_t index) {
    const uint32_t row = index / VARIANTS, variant = index % VARIANTS;
    const bool is_of_a_kind = kdr_check_kind_get(plan->method);
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
