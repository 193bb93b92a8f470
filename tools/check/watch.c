#include "watch.h"
#include "data.h"

#include <math.h>
#include <string.h>

/* Returns a function of all coordinates and the time, for a watch. */
static double mixture(void *context, const double x[3], const double v[3], double t) {
    (void)context;
    const double turn = t - floor(t);
    return x[0] * (1 - turn) + turn * (x[1] + 0.125 * v[2]) + 0.25 * x[2] * v[0] - 0.0625;
}

static bool is_sample(const kdr_check_case *test) { return test->value[KDR_CHECK_WATCH] == WATCH_SAMPLE; }

void kdr_check_watches_draw(kdr_watch watch[WATCH_COUNT], kdr_check_random *random) {
    double at[3], normal[3];
    for (int i = 0; i < 3; ++i) {
        at[i] = kdr_check_random_between(random, -0.5, 0.5);
        normal[i] = kdr_check_random_between(random, 0.25, 1);
    }
    const kdr_watch kinds[] = {kdr_watch_apsis(at), kdr_watch_plane(at, normal),
                               kdr_watch_distance(at, kdr_check_random_between(random, 0.5, 2)), kdr_watch_function(mixture, NULL)};
    const uint32_t first = kdr_check_random_below(random, 4);
    for (uint32_t i = 0; i < WATCH_COUNT; ++i) {
        watch[i] = kinds[(first + i) % 4];
        watch[i].crossing = (kdr_crossing)kdr_check_random_below(random, KDR_CROSSING_COUNT);
    }
}

void kdr_check_watch_draw(kdr_check_watched *watched, const kdr_check_case *test) {
    kdr_check_random random = kdr_check_case_stream(test, STREAM_WATCH);
    kdr_check_watches_draw(watched->watch, &random);
    static const double fractions[] = {0, 0.25, 1};
    const uint32_t exact = kdr_check_random_below(&random, 8);
    watched->fraction = exact < 3 ? fractions[exact] : kdr_check_random_between(&random, 0, 1);
}

void kdr_check_watch_describe(const kdr_check_watched *watched, const kdr_check_case *test, kdr_integrator_desc *desc) {
    if (test->value[KDR_CHECK_WATCH] != WATCH_NONE && !is_sample(test)) {
        desc->watches = watched->watch;
        desc->watch_count = WATCH_COUNT;
    }
}

void kdr_check_watch_begin(kdr_check_watched *watched, const kdr_check_case *test, kdr_particles *view) {
    watched->events = (kdr_events){watched->list, test->value[KDR_CHECK_WATCH] == WATCH_FEW ? WATCH_FEW_ROOM : WATCH_ROOM, 0, NULL};
    memset(watched->sample, 0, sizeof watched->sample);
    view->events = test->value[KDR_CHECK_WATCH] == WATCH_NONE ? NULL : &watched->events;
}

kdr_particles kdr_check_watch_sample(kdr_check_watched *watched, const kdr_particles *view) {
    kdr_particles sample = {.count = view->count, .dims = view->dims, .real = view->real};
    for (int i = 0; i < 3; ++i) {
        sample.x[i] = watched->sample[i];
        sample.v[i] = watched->sample[3 + i];
    }
    return sample;
}

static size_t written(const kdr_check_watched *w) { return w->events.count < w->events.capacity ? w->events.count : w->events.capacity; }

ptrdiff_t kdr_check_watch_differs(const kdr_check_watched *expected, const kdr_check_watched *actual, const kdr_check_case *test) {
    for (size_t i = 0; i < written(expected) || i < written(actual); ++i) {
        const kdr_event *const a = &expected->list[i], *const b = &actual->list[i];
        bool equal = i < written(expected) && i < written(actual) && a->step == b->step && a->particle == b->particle &&
                     a->watch == b->watch && a->direction == b->direction;
        for (size_t k = 0; k < 7 && equal; ++k) {
            const size_t at = offsetof(kdr_event, time) / sizeof(uint64_t) + k;
            equal = kdr_check_equal(KDR_F64, kdr_check_bits(KDR_F64, (const unsigned char *)a, at),
                                    kdr_check_bits(KDR_F64, (const unsigned char *)b, at));
        }
        if (!equal) {
            return (ptrdiff_t)i;
        }
    }
    for (size_t i = 0; is_sample(test) && i < 6 * test->count; ++i) {
        const unsigned char *const a = (const unsigned char *)expected->sample[i / test->count], *const b =
                                                                                                     (const unsigned char *)
                                                                                                         actual->sample[i / test->count];
        if (!kdr_check_equal(test->real, kdr_check_bits(test->real, a, i % test->count), kdr_check_bits(test->real, b, i % test->count))) {
            return (ptrdiff_t)(i % test->count);
        }
    }
    return expected->events.count == actual->events.count ? -1 : (ptrdiff_t)written(expected);
}

static uint64_t word_of(double value) {
    uint64_t word = 0;
    memcpy(&word, &value, isnan(value) ? 0 : sizeof word);
    return word;
}

uint64_t kdr_check_watch_mix(const kdr_check_watched *watched, const kdr_check_case *test, kdr_check_mix_fn *mix, uint64_t sum) {
    for (size_t i = 0; i < written(watched); ++i) {
        const kdr_event *const e = &watched->list[i];
        const uint64_t words[] = {e->step,          e->particle,      e->watch,         (uint64_t)e->direction,
                                  word_of(e->time), word_of(e->x[0]), word_of(e->x[1]), word_of(e->x[2]),
                                  word_of(e->v[0]), word_of(e->v[1]), word_of(e->v[2])};
        for (size_t k = 0; k < sizeof words / sizeof words[0]; ++k) {
            sum = mix(sum, words[k]);
        }
    }
    for (size_t i = 0; is_sample(test) && i < 6 * test->count; ++i) {
        const unsigned char *const from = (const unsigned char *)watched->sample[i / test->count];
        const uint64_t bits = kdr_check_bits(test->real, from, i % test->count);
        sum = mix(sum, kdr_check_equal(test->real, bits, test->real == KDR_F32 ? 0x7fc00000 : UINT64_C(0x7ff8000000000000)) ? 0 : bits);
    }
    return sum;
}
