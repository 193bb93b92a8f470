/* The plans: which cases there are. */
#include "axes.h"
#include "forces.h"

#include <string.h>

enum { VARIANTS = KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT };

/* How often each prescription is repeated with other draws: as much as fits half a second a backend, and 30 s in all. */
enum { QUICK_ROUNDS = 4, FULL_ROUNDS = 1 };

/* What the plan prescribes of a case; the rest is drawn. */
typedef struct pins {
    int axis[2];
    int value[2];
    int count;
} pins;

static uint32_t singles(void) {
    uint32_t sum = 0;
    for (int axis = 0; axis < KDR_CHECK_AXIS_COUNT; axis++)
        sum += (uint32_t)kdr_check_axis_size((kdr_check_axis)axis);
    return sum;
}

static pins single(uint32_t row) {
    int axis = 0;
    for (uint32_t size; row >= (size = (uint32_t)kdr_check_axis_size((kdr_check_axis)axis)); axis++)
        row -= size;
    return (pins){{axis, 0}, {(int)row, 0}, 1};
}

static uint32_t pair_size(int first, int second) {
    return (uint32_t)(kdr_check_axis_size((kdr_check_axis)first) * kdr_check_axis_size((kdr_check_axis)second));
}

static uint32_t pairs(void) {
    uint32_t sum = 0;
    for (int first = 0; first < KDR_CHECK_AXIS_COUNT; first++)
        for (int second = 0; second < first; second++)
            sum += pair_size(first, second);
    return sum;
}

static pins pair(uint32_t row) {
    int first = 1, second = 0;
    while (row >= pair_size(first, second)) {
        row -= pair_size(first, second);
        if (++second == first) {
            first++;
            second = 0;
        }
    }
    int size = kdr_check_axis_size((kdr_check_axis)first);
    return (pins){{first, second}, {(int)row % size, (int)row / size}, 2};
}

static uint32_t rows(const kdr_check_plan *plan) { return plan->quick ? singles() : pairs() + (uint32_t)kdr_check_forces_pairs(); }

static pins row_pins(const kdr_check_plan *plan, uint32_t row) {
    if (plan->quick)
        return single(row);
    if (row < pairs())
        return pair(row);
    return (pins){{KDR_CHECK_FORCES, 0}, {kdr_check_forces_lists() + (int)(row - pairs()), 0}, 1};
}

uint32_t kdr_check_plan_size(const kdr_check_plan *plan) { return rows(plan) * VARIANTS * (plan->quick ? QUICK_ROUNDS : FULL_ROUNDS); }

kdr_check_case kdr_check_plan_case(const kdr_check_plan *plan, uint32_t index) {
    kdr_check_case test;
    memset(&test, 0, sizeof test);
    test.seed = plan->seed;
    test.index = index;
    test.method = plan->method;
    test.real = (kdr_real)(index % KDR_REAL_COUNT);
    test.arithmetic = (kdr_arithmetic)(index / KDR_REAL_COUNT % KDR_ARITHMETIC_COUNT);

    kdr_check_random random = kdr_check_case_stream(&test, STREAM_PLAN);
    for (int axis = 0; axis < KDR_CHECK_AXIS_COUNT; axis++)
        test.value[axis] = kdr_check_axis_draw((kdr_check_axis)axis, &random);
    pins pinned = row_pins(plan, index / VARIANTS % rows(plan));
    for (int i = 0; i < pinned.count; i++)
        test.value[pinned.axis[i]] = pinned.value[i];
    kdr_check_case_resolve(&test, &random);
    return test;
}
