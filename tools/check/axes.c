/* The axes of a case. Each is a table of values, with the weight of each value where the plan leaves the axis to chance. */
#include "axes.h"

#include "colliders.h"
#include "forces.h"
#include "user_method.h"

#include <stdio.h>

typedef struct axis_value {
    const char *name;
    uint64_t number; /* the numerical value, for axes of numbers */
    int weight;
} axis_value;

#define NUMBER(n, weight) {#n, n, weight}
enum { RANDOM_COUNT = 0xFFFF };

static const axis_value dims_values[] = {NUMBER(1, 1), NUMBER(2, 1), NUMBER(3, 3)};

/* The counts are W-1, W, W+1 and 2W+3 for every width W from 1 to 16 (the widest vector has 512 bits of f32). They do not depend on the
 * backend, so that all backends have the same plan. Others are neighbours of powers of two, which are likely sizes of tiles and chunks. */
static const axis_value count_values[] = {NUMBER(0, 1),    NUMBER(1, 3),
                                          NUMBER(2, 3),    NUMBER(3, 3),
                                          NUMBER(4, 3),    NUMBER(5, 3),
                                          NUMBER(7, 3),    NUMBER(8, 3),
                                          NUMBER(9, 3),    NUMBER(11, 3),
                                          NUMBER(15, 3),   NUMBER(16, 3),
                                          NUMBER(17, 3),   NUMBER(19, 3),
                                          NUMBER(35, 3),   NUMBER(63, 1),
                                          NUMBER(64, 1),   NUMBER(65, 1),
                                          NUMBER(127, 1),  NUMBER(128, 1),
                                          NUMBER(129, 1),  NUMBER(257, 1),
                                          NUMBER(513, 1),  NUMBER(1000, 1),
                                          NUMBER(2000, 1), {"random", RANDOM_COUNT, 20}};

/* 130 is more than a chunk of the steps for which drives and clocks are tabulated. */
static const axis_value steps_values[] = {NUMBER(0, 1), NUMBER(1, 6), NUMBER(2, 5), NUMBER(3, 6), NUMBER(7, 5), NUMBER(130, 1)};

static const axis_value clock_values[] = {{"start", 0, 2}, {"later", 0, 2}, {"backwards", 0, 2}, {"far", 0, 1}};
static const axis_value data_values[] = {{"benign", 0, 4}, {"period-3", 0, 2}, {"special", 0, 2}, {"garbage-neighbours", 0, 1}};
static const axis_value mass_values[] = {{"none", 0, 1}, {"random", 0, 1}, {"some-frozen", 0, 1}};
static const axis_value compensated_values[] = {{"no", 0, 3}, {"yes", 1, 1}};
/* The arrays that particles carry from call to call: the method's memory, the compensation, both or none. */
static const axis_value memory_values[] = {{"none", 0, 3}, {"method", 0, 3}, {"compensation", 0, 1}, {"both", 0, 2}};
/* The noise of a Langevin method: none, friction alone, a heat bath, the same with ids from a large number on, or with an array of ids. The
 * ids are given to other methods too. */
static const axis_value noise_values[] = {{"none", 0, 1}, {"decay", 0, 1}, {"bath", 0, 2}, {"bath-first-id", 0, 2}, {"bath-ids", 0, 3}};
static const axis_value placement_values[] = {{"aligned", 0, 2},     {"odd-elements", 0, 2}, {"odd-bytes", 0, 1},
                                              {"guard-after", 0, 2}, {"guard-before", 0, 1}, {"mixed", 0, 2}};
static const axis_value cut_values[] = {{"none", 0, 6}, {"calls", 0, 3}, {"slices", 0, 2}, {"calls-and-slices", 0, 2}, {"alone", 0, 1}};
/* openmp-2 has weight 0, so only the plan chooses it: waking a team of threads costs more than the steps, most of all on a busy machine. */
static const axis_value executor_values[] = {{"serial", 0, 1}, {"openmp-2", 0, 0}, {"adversary", 0, 1}};

/* The lists of colliders (colliders.c), in the order of their table. One case in three has some. */
static const axis_value colliders_values[] = {{"none", 0, 18},         {"plane", 0, 1},       {"box", 0, 1},
                                              {"sphere-inside", 0, 1}, {"box-outside", 0, 1}, {"sphere-outside", 0, 1},
                                              {"wedge", 0, 1},         {"pile", 0, 2},        {"coulomb", 0, 1}};
static const axis_value constraints_values[] = {
    {"none", 0, 14}, {"rod", 0, 1}, {"rope", 0, 1}, {"plane", 0, 1}, {"sphere-and-plane", 0, 1}};
_Static_assert(sizeof constraints_values / sizeof constraints_values[0] == CONSTRAINTS_LISTS, "a name for each list");
static const axis_value boundary_values[] = {{"none", KDR_BOUNDARY_NONE, 6},
                                             {"periodic", KDR_BOUNDARY_PERIODIC, 1},
                                             {"absorbing", KDR_BOUNDARY_ABSORBING, 1},
                                             {"periodic-slab", KDR_BOUNDARY_PERIODIC, 1}};
/* The marks of active particles, and the levels. Levels have weight 0, so only the plan chooses them, because a particle of level 3 takes
 * eight steps. */
static const axis_value marks_values[] = {{"none", 0, 1}, {"some", 0, 0}, {"rows", 0, 0}, {"levels", 0, 0}, {"levels-of-some", 0, 0}};
/* User-defined substeps follow the compositions of the table. All but "none" have weight 0, so that the random values on other axes do not
 * depend on them. */
static const axis_value compose_values[] = {{"none", KDR_COMPOSE_NONE, 1},
                                            {"suzuki-4", KDR_COMPOSE_SUZUKI_4, 0},
                                            {"yoshida-6", KDR_COMPOSE_YOSHIDA_6, 0},
                                            {"kahan-li-6", KDR_COMPOSE_KAHAN_LI_6, 0},
                                            {"mclachlan-6", KDR_COMPOSE_MCLACHLAN_6, 0},
                                            {"suzuki-umeno-8", KDR_COMPOSE_SUZUKI_UMENO_8, 0},
                                            {"kahan-li-8", KDR_COMPOSE_KAHAN_LI_8, 0},
                                            {"own", KDR_COMPOSITION_COUNT, 0}};
_Static_assert(sizeof compose_values / sizeof compose_values[0] == KDR_COMPOSITION_COUNT + 1, "a name for each composition");
/* flush_small_to_zero, with the number of steps before the first rest. All but "no" have weight 0, as for compositions. */
static const axis_value flush_values[] = {{"no", 0, 1}, {"after-1", 1, 0}, {"after-3", 3, 0}, {"after-120", 120, 0}};
/* Watches, with a list of events that has much room or little; or the state between two steps. All but "no" have weight 0. */
static const axis_value watch_values[] = {{"no", 0, 1}, {"events", 0, 0}, {"few", 0, 0}, {"sample", 0, 0}};
static const axis_value bounces_values[] = {{"no", 0, 2}, {"yes", 1, 1}};
_Static_assert(sizeof colliders_values / sizeof colliders_values[0] == COLLIDERS_LISTS, "a name for each list");

#define ROW(axis) {#axis, axis##_values, (int)(sizeof axis##_values / sizeof axis##_values[0])}

/* The values of the forces axis are in forces.c. */
static const struct {
    const char *name;
    const axis_value *values;
    int size;
} axes[KDR_CHECK_AXIS_COUNT] = {[KDR_CHECK_DIMS] = ROW(dims),
                                [KDR_CHECK_FORCES] = {"forces", NULL, 0},
                                [KDR_CHECK_COUNT] = ROW(count),
                                [KDR_CHECK_STEPS] = ROW(steps),
                                [KDR_CHECK_CLOCK] = ROW(clock),
                                [KDR_CHECK_DATA] = ROW(data),
                                [KDR_CHECK_MASS] = ROW(mass),
                                [KDR_CHECK_COMPENSATED] = ROW(compensated),
                                [KDR_CHECK_MEMORY] = ROW(memory),
                                [KDR_CHECK_NOISE] = ROW(noise),
                                [KDR_CHECK_PLACEMENT] = ROW(placement),
                                [KDR_CHECK_CUT] = ROW(cut),
                                [KDR_CHECK_EXECUTOR] = ROW(executor),
                                [KDR_CHECK_COLLIDERS] = ROW(colliders),
                                [KDR_CHECK_CONSTRAINTS] = ROW(constraints),
                                [KDR_CHECK_BOUNDARY] = ROW(boundary),
                                [KDR_CHECK_BOUNCES] = ROW(bounces),
                                [KDR_CHECK_MARKS] = ROW(marks),
                                [KDR_CHECK_COMPOSE] = ROW(compose),
                                [KDR_CHECK_FLUSH] = ROW(flush),
                                [KDR_CHECK_WATCH] = ROW(watch)};

const char *kdr_check_axis_name(kdr_check_axis axis) { return axes[axis].name; }

int kdr_check_axis_size(kdr_check_axis axis) { return axis == KDR_CHECK_FORCES ? kdr_check_forces_lists() : axes[axis].size; }

int kdr_check_axis_draw(kdr_check_axis axis, kdr_check_random *random) {
    if (axis == KDR_CHECK_FORCES) {
        return (int)kdr_check_random_below(random, (uint32_t)kdr_check_forces_lists());
    }
    int total = 0;
    for (int i = 0; i < axes[axis].size; ++i) {
        total += axes[axis].values[i].weight;
    }
    /* No random number is drawn if only one value is possible, so that adding such an axis does not change the others. */
    int left = total > 1 ? (int)kdr_check_random_below(random, (uint32_t)total) : 0;
    int value = 0;
    while (left >= axes[axis].values[value].weight) {
        left -= axes[axis].values[value++].weight;
    }
    return value;
}

const char *kdr_check_axis_value_name(kdr_check_axis axis, int value) {
    return axis == KDR_CHECK_FORCES ? kdr_check_forces_name(value) : axes[axis].values[value].name;
}

int kdr_check_steps_to_flush(const kdr_check_case *test) { return (int)flush_values[test->value[KDR_CHECK_FLUSH]].number; }

/* Returns a hash (FNV-1a) of the method's name. With the name as the key, the cases of a method stay the same when the table grows. Two
 * kinds keep the hashes of the names that they had first, so that their cases and the fingerprint stay the same. */
static uint32_t method_key(int method) {
    if (method == KDR_CHECK_SYSTEM || method == KDR_CHECK_SPRING_NETWORKS) {
        return method == KDR_CHECK_SYSTEM ? 0xe7ffb6cbU : 0x5bbf86b1U;
    }
    uint32_t key = 2166136261U;
    for (const char *c = kdr_check_method_name(method); *c; ++c) {
        key = (key ^ (unsigned char)*c) * 16777619U;
    }
    return key;
}

kdr_check_random kdr_check_case_stream(const kdr_check_case *test, uint32_t stream) {
    return kdr_check_random_stream(test->seed, test->index, method_key(test->method), stream);
}

/* The limits on particles times steps, and on particles that run alone. Many steps of many particles show nothing that neither shows alone,
 * and cost a hundred times as much. */
enum { MAX_PARTICLE_STEPS = 70000, MAX_ALONE = 40 };

static uint64_t limit_steps(uint64_t count, uint64_t steps) {
    uint64_t limited = 0;
    for (int i = 0; i < axes[KDR_CHECK_STEPS].size; ++i) {
        uint64_t candidate = steps_values[i].number;
        if (candidate <= steps && (candidate <= 2 || candidate * count <= MAX_PARTICLE_STEPS)) {
            limited = candidate;
        }
    }
    return limited;
}

void kdr_check_case_resolve(kdr_check_case *test, kdr_check_random *random) {
    uint64_t count = count_values[test->value[KDR_CHECK_COUNT]].number;
    /* Executors share out blocks of some hundreds of particles, so they need many. Tails and tiles need few. */
    bool shared = test->value[KDR_CHECK_EXECUTOR] != EXECUTOR_SERIAL;
    uint32_t many = shared ? KDR_CHECK_MAX_COUNT : 400;
    if (count == RANDOM_COUNT) {
        count = kdr_check_random_below(random, kdr_check_random_below(random, 4) == 0 ? many : 80);
    }
    if (test->value[KDR_CHECK_CUT] == CUT_ALONE && count > MAX_ALONE) {
        count = MAX_ALONE;
    }
    /* Guard pages are not used with OpenMP, because a fault in one of its threads cannot be caught. */
    if (test->value[KDR_CHECK_EXECUTOR] == EXECUTOR_OPENMP && test->value[KDR_CHECK_PLACEMENT] >= PLACEMENT_GUARD_AFTER) {
        test->value[KDR_CHECK_PLACEMENT] = PLACEMENT_ODD_ELEMENTS;
    }
    /* A heat bath does not run backwards. Such a case must be refused; one in eight is enough. */
    const kdr_family_info *family = kdr_family_get(kdr_check_method_family(test->method));
    if (!family->runs_back && test->value[KDR_CHECK_CLOCK] == CLOCK_BACKWARDS && test->index % 8 != 0) {
        test->value[KDR_CHECK_CLOCK] = CLOCK_LATER;
    }
    /* A bounce does not run backwards either, and Stormer-Verlet has no velocity to reverse. */
    if (test->value[KDR_CHECK_COLLIDERS] && test->value[KDR_CHECK_CLOCK] == CLOCK_BACKWARDS && test->index % 8 != 1) {
        test->value[KDR_CHECK_CLOCK] = CLOCK_LATER;
    }
    if (!family->velocities && test->index % 8 != 2) {
        test->value[KDR_CHECK_COLLIDERS] = test->value[KDR_CHECK_CONSTRAINTS] = test->value[KDR_CHECK_BOUNDARY] =
            test->value[KDR_CHECK_FLUSH] = test->value[KDR_CHECK_WATCH] = WATCH_NONE;
    }
    /* A slice has no list of events, and spoilt particles have other events than the reference's. */
    if (test->value[KDR_CHECK_WATCH] != WATCH_NONE && test->value[KDR_CHECK_CUT] != CUT_NONE) {
        test->value[KDR_CHECK_CUT] = CUT_CALLS;
    }
    if (test->value[KDR_CHECK_WATCH] != WATCH_NONE && test->value[KDR_CHECK_DATA] == DATA_GARBAGE_NEIGHBOURS) {
        test->value[KDR_CHECK_DATA] = DATA_PERIOD_3;
    }
    /* Only methods that are symmetric in time can be composed. */
    if (!kdr_check_user_method_composes(test) && test->index % 8 != 3) {
        test->value[KDR_CHECK_COMPOSE] = KDR_COMPOSE_NONE;
    }
    test->count = (size_t)count;
    test->steps = limit_steps(count, steps_values[test->value[KDR_CHECK_STEPS]].number);
}

const char *kdr_check_case_describe(const kdr_check_case *test, char *text, size_t size) {
    size_t used = 0;
    int n = snprintf(text, size, "method=%s real=%s arithmetic=%s case=%u", kdr_check_method_name(test->method), kdr_real_name(test->real),
                     kdr_arithmetic_name(test->arithmetic), test->index);
    for (int axis = 0; axis < KDR_CHECK_AXIS_COUNT && test->method < KDR_CHECK_METHODS && n > 0 && used + (size_t)n < size; ++axis) {
        used += (size_t)n;
        const char *name = axes[axis].name;
        if (axis == KDR_CHECK_COUNT) {
            n = snprintf(text + used, size - used, " %s=%zu", name, test->count);
        } else if (axis == KDR_CHECK_STEPS) {
            n = snprintf(text + used, size - used, " %s=%llu", name, (unsigned long long)test->steps);
        } else {
            n = snprintf(text + used, size - used, " %s=%s", name, kdr_check_axis_value_name((kdr_check_axis)axis, test->value[axis]));
        }
    }
    return text;
}
