/* The equality engine compares events of watches and the keys of memories: runners that spoil only one of these are caught. */
#include "axes.h"
#include "check.h"

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

enum { CASES = 60 };

/* How often a runner has spoiled something. */
static int spoiled;

#define RUNNER(name)                                                                                                                       \
    static void name##_after(kdr_particles *p);                                                                                            \
    static kdr_status name(void *context, const kdr_integrator *integrator, kdr_particles *p, kdr_clock *clock, uint64_t steps,            \
                           kdr_error *error) {                                                                                             \
        const kdr_status status = kdr_integrator_run(integrator, p, clock, steps, error);                                                  \
        (void)context;                                                                                                                     \
        name##_after(p);                                                                                                                   \
        return status;                                                                                                                     \
    }                                                                                                                                      \
    static void name##_after(kdr_particles *p)

RUNNER(right) { spoiled += p->events && p->events->count > 0; }

RUNNER(drops_an_event) {
    if (p->events && p->events->count > 0) {
        --p->events->count;
        ++spoiled;
    }
}

static kdr_event *last_of(kdr_particles *p) {
    const size_t count = p->events ? p->events->count : 0, kept = count && p->events->capacity < count ? p->events->capacity : count;
    spoiled += kept > 0;
    return kept > 0 ? &p->events->list[kept - 1] : NULL;
}

RUNNER(moves_a_time_by_an_ulp) {
    kdr_event *const event = last_of(p);
    if (event) {
        event->time = nextafter(event->time, INFINITY);
    }
}

RUNNER(moves_a_place_by_an_ulp) {
    kdr_event *const event = last_of(p);
    if (event) {
        event->x[0] = nextafter(event->x[0], INFINITY);
    }
}

RUNNER(turns_a_direction) {
    kdr_event *const event = last_of(p);
    if (event) {
        event->direction = -event->direction;
    }
}

RUNNER(forgets_its_key) {
    spoiled += p->memory_key != 0;
    p->memory_key = 0;
}

RUNNER(leaves_another_key) {
    spoiled += p->memory_key != 0;
    p->memory_key += p->memory_key != 0 ? 2 : 0;
}

static void ignore(void *context, const kdr_check_mismatch *mismatch) { (void)context, (void)mismatch; }

/* Expects one mismatch for each time that the runner has spoiled something, in cases with this value on an axis. */
static void expect_caught(const char *name, kdr_check_run_fn *runner, kdr_check_axis axis, int value, bool is_right) {
    kdr_check_engine *const engine = kdr_check_engine_create();
    const kdr_check_runner runners[] = {{KDR_BACKEND_SCALAR, runner, NULL}};
    kdr_check_tally tally;
    memset(&tally, 0, sizeof tally);
    spoiled = 0;
    cr_assert(engine);
    for (uint32_t n = 0; n < CASES; ++n) {
        kdr_check_case test;
        memset(&test, 0, sizeof test);
        test.seed = 7, test.index = n, test.method = KDR_VELOCITY_VERLET, test.real = KDR_F64, test.count = 5, test.steps = 20;
        test.value[KDR_CHECK_DIMS] = 2, test.value[axis] = value;
        kdr_check_case_run(engine, &test, runners, 1, &tally, ignore, NULL);
    }
    cr_expect(spoiled > CASES / 4, "%s: %d of %d cases", name, spoiled, (int)CASES);
    cr_expect(tally.mismatches == (is_right ? 0 : (uint64_t)spoiled), "%s: %d were spoiled and %d caught", name, spoiled,
              (int)tally.mismatches);
    kdr_check_engine_destroy(engine);
}

Test(equality_canaries, what_watches_see_is_compared) {
    expect_caught("right", right, KDR_CHECK_WATCH, WATCH_EVENTS, true);
    expect_caught("drops an event", drops_an_event, KDR_CHECK_WATCH, WATCH_EVENTS, false);
    expect_caught("moves a time by an ulp", moves_a_time_by_an_ulp, KDR_CHECK_WATCH, WATCH_EVENTS, false);
    expect_caught("moves a place by an ulp", moves_a_place_by_an_ulp, KDR_CHECK_WATCH, WATCH_EVENTS, false);
    expect_caught("turns a direction", turns_a_direction, KDR_CHECK_WATCH, WATCH_EVENTS, false);
    expect_caught("moves a time of a full list", moves_a_time_by_an_ulp, KDR_CHECK_WATCH, WATCH_FEW, false);
}

Test(equality_canaries, keys_of_memories_are_compared) {
    expect_caught("forgets its key", forgets_its_key, KDR_CHECK_MEMORY, 1, false);
    expect_caught("leaves another key", leaves_another_key, KDR_CHECK_MEMORY, 1, false);
}
