/* Runs a case: once by the reference, then by each runner on arrays that are placed as the case says, and compares the results. */
#include "arena.h"
#include "colliders.h"
#include "data.h"
#include "trial.h"
#include "user_method.h"
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CALLS = 6 };

struct kdr_check_engine {
    kdr_check_trials *trials; /* for the cases of kinds */
    kdr_check_arena arena;    /* one slot per array of `placed` */
    unsigned char *block;
    kdr_check_arrays initial;  /* the state from which the reference starts */
    kdr_check_arrays start;    /* the state from which the runners start: the same, except for spoilt particles */
    kdr_check_arrays expected; /* the reference's results */
    kdr_check_arrays placed;   /* the runner's arrays */
    kdr_check_forces forces;
    kdr_check_user_method own;
    bool refuses_contributions;
    bool spoilt[KDR_CHECK_MAX_COUNT];

    uint8_t active[KDR_CHECK_MAX_COUNT], level[KDR_CHECK_MAX_COUNT];

    uint64_t calls[MAX_CALLS]; /* steps of each call */
    int call_count;
    int whole_calls; /* number of calls on all particles; the others are made on each slice in turn */
    size_t slice_end[KDR_CHECK_MAX_COUNT];
    int slice_count;

    kdr_langevin langevin;
    double speed_of_light;
    kdr_check_colliders colliders;
    kdr_check_constraints constraints;
    kdr_boundary boundary;
    kdr_check_watched watched, found; /* what watches found in the reference's run, and in the runner's */
    kdr_clock clock_start, clock_end;
    uint64_t memory_key;
    kdr_status status; /* status of the reference */
    kdr_error error;
};

kdr_check_engine *kdr_check_engine_create(void) {
    kdr_check_engine *engine = calloc(1, sizeof *engine);
    unsigned char *block = malloc((size_t)3 * ARRAYS * KDR_CHECK_ARRAY_BYTES);
    kdr_check_trials *trials = kdr_check_trials_create();
    if (!engine || !block || !trials || !kdr_check_arena_create(&engine->arena, ARRAYS, KDR_CHECK_ARRAY_BYTES)) {
        kdr_check_trials_destroy(trials);
        free(block);
        free(engine);
        return NULL;
    }
    engine->block = block;
    engine->trials = trials;
    for (int array = 0; array < ARRAYS; ++array, block += 3 * KDR_CHECK_ARRAY_BYTES) {
        engine->initial.at[array] = block;
        engine->start.at[array] = block + KDR_CHECK_ARRAY_BYTES;
        engine->expected.at[array] = block + 2 * KDR_CHECK_ARRAY_BYTES;
    }
    return engine;
}

void kdr_check_engine_destroy(kdr_check_engine *engine) {
    if (!engine) {
        return;
    }
    kdr_check_trials_destroy(engine->trials);
    kdr_check_arena_destroy(&engine->arena);
    free(engine->block);
    free(engine);
}

/* Preparation */

static void draw_clock(kdr_check_engine *engine, const kdr_check_case *test) {
    kdr_check_random random = kdr_check_case_stream(test, STREAM_CLOCK);
    double dt = kdr_check_random_between(&random, 0x1p-6, 0x1p-4);
    double t0 = kdr_check_random_between(&random, -5, 5);
    const kdr_clock clocks[] = {[CLOCK_START] = {0, dt, 0},
                                [CLOCK_LATER] = {t0, dt, 1000003},
                                [CLOCK_BACKWARDS] = {t0, -dt, 77},
                                [CLOCK_FAR] = {-t0, dt, (UINT64_C(1) << 40) + 1}};
    engine->clock_start = clocks[test->value[KDR_CHECK_CLOCK]];
    if (kdr_check_steps_to_flush(test) > 0) {
        engine->clock_start.step = (engine->clock_start.step / 128 + 1) * 128 - (uint64_t)kdr_check_steps_to_flush(test);
    }
    engine->clock_end = engine->clock_start;
    engine->clock_end.step += test->steps;
}

static void draw_langevin(kdr_check_engine *engine, const kdr_check_case *test) {
    kdr_check_random random = kdr_check_case_stream(test, STREAM_NOISE);
    double friction = kdr_check_random_between(&random, 0.1, 5), temperature = kdr_check_random_between(&random, 0.1, 3);
    uint64_t high = kdr_check_random_u32(&random), low = kdr_check_random_u32(&random);
    if (kdr_check_random_below(&random, 8) == 0) {
        friction *= 1e4; /* so strong that a step leaves nothing of v */
    }
    memset(&engine->langevin, 0, sizeof engine->langevin);
    if (kdr_family_get(kdr_check_method_family(test->method))->heat_bath && test->value[KDR_CHECK_NOISE] != NOISE_NONE) {
        engine->langevin = (kdr_langevin){friction, test->value[KDR_CHECK_NOISE] == NOISE_DECAY ? 0 : temperature, high << 32 | low};
    }
}

/* Draws a speed of light near the particles' velocities, which are about 1. Cases with colliders have none, because relativistic momenta
 * cannot bounce. */
static void draw_light(kdr_check_engine *engine, const kdr_check_case *test) {
    kdr_check_random random = kdr_check_case_stream(test, STREAM_NOISE);
    const double c = kdr_check_random_between(&random, 0.25, 4);
    const int noise = test->value[KDR_CHECK_NOISE];
    const bool wanted = (noise == NOISE_DECAY || noise == NOISE_BATH) && kdr_check_method_family(test->method) == KDR_MAGNETIC;
    engine->speed_of_light = wanted && !test->value[KDR_CHECK_COLLIDERS] && !test->value[KDR_CHECK_CONSTRAINTS] ? c : 0;
}

static void draw_calls(kdr_check_engine *engine, const kdr_check_case *test, kdr_check_random *random) {
    int cut = test->value[KDR_CHECK_CUT];
    uint64_t left = test->steps;
    engine->call_count = 0;
    if (cut == CUT_CALLS || cut == CUT_BOTH) {
        while (engine->call_count < MAX_CALLS - 1 && left > 0) {
            uint64_t steps = kdr_check_random_below(random, (uint32_t)left + 1);
            engine->calls[engine->call_count++] = steps;
            left -= steps;
        }
    }
    engine->calls[engine->call_count++] = left;
    engine->whole_calls = cut == CUT_NONE || cut == CUT_CALLS ? engine->call_count : cut == CUT_BOTH ? 1 : 0;
}

static void draw_slices(kdr_check_engine *engine, const kdr_check_case *test, kdr_check_random *random) {
    engine->slice_count = 0;
    if (test->value[KDR_CHECK_CUT] < CUT_SLICES) {
        return;
    }
    uint32_t most = test->value[KDR_CHECK_CUT] == CUT_ALONE ? 1 : 1 + (uint32_t)test->count / 2;
    for (size_t begin = 0; begin < test->count || engine->slice_count == 0;) {
        begin += 1 + kdr_check_random_below(random, most);
        engine->slice_end[engine->slice_count++] = begin < test->count ? begin : test->count;
    }
}

static size_t array_bytes(const kdr_check_case *test, int array) { return test->count * kdr_real_size(kdr_check_array_real(test, array)); }

static void copy_arrays(const kdr_check_case *test, const kdr_check_forces *forces, const kdr_check_arrays *to,
                        const kdr_check_arrays *from) {
    for (int array = 0; array < ARRAYS; ++array) {
        if (kdr_check_array_used(test, forces, array)) {
            memcpy(to->at[array], from->at[array], array_bytes(test, array));
        }
    }
}

/* Returns the forces that the method accepts. User-defined rows accept any. */
static kdr_check_accepted accepted_forces(const kdr_check_case *test) {
    const kdr_method_info *info = kdr_method_get((kdr_method)test->method);
    kdr_check_accepted accepted = {.velocity = KDR_VELOCITY_ANY, .dims = test->value[KDR_CHECK_DIMS] + 1};
    if (info) {
        accepted.velocity = info->velocity_forces;
        accepted.affine = info->affine;
        accepted.contributions = test->method == KDR_KINEMATIC_SUM;
        accepted.jacobian = kdr_family_get(info->family)->jacobian;
    }
    return accepted;
}

/* Makes the list of forces. Returns true if the contributions that were drawn must be refused. */
static bool build_forces(kdr_check_forces *forces, const kdr_check_case *test) {
    kdr_check_random random = kdr_check_case_stream(test, STREAM_FORCES);
    kdr_check_forces_build(forces, test->value[KDR_CHECK_FORCES], accepted_forces(test), &random);
    if (test->field) {
        kdr_check_random of_field = kdr_check_case_stream(test, STREAM_FIELD);
        kdr_check_forces_fuse(forces, test->field, &of_field);
    }
    return accepted_forces(test).contributions && kdr_check_forces_contribute(forces, &random);
}

/* Returns true if the case is to run a heat bath backwards. */
static bool cannot_run_back(const kdr_check_case *test) {
    return !kdr_family_get(kdr_check_method_family(test->method))->runs_back && test->value[KDR_CHECK_CLOCK] == CLOCK_BACKWARDS;
}

/* Returns true if colliders, constraints or watches must be refused: a bounce does not run backwards, and a multistep method has no
 * velocity to reverse, constrain or watch. */
static bool cannot_bounce(const kdr_check_case *test) {
    bool velocities = kdr_family_get(kdr_check_method_family(test->method))->velocities;
    bool backwards = test->value[KDR_CHECK_CLOCK] == CLOCK_BACKWARDS;
    return (test->value[KDR_CHECK_COLLIDERS] != 0 && (!velocities || backwards)) ||
           (!velocities && (test->value[KDR_CHECK_FLUSH] != 0 || test->value[KDR_CHECK_CONSTRAINTS] != 0 ||
                            test->value[KDR_CHECK_BOUNDARY] != BOUNDARY_NONE || test->value[KDR_CHECK_WATCH] != WATCH_NONE));
}

/* Returns true if the method's row refuses compensations. */
static bool uncompensated(const kdr_check_case *test) {
    const kdr_method_info *info = kdr_method_get((kdr_method)test->method);
    return test->value[KDR_CHECK_COMPENSATED] && info && !info->compensated;
}

static bool is_refused(const kdr_check_case *test, const kdr_check_forces *forces) {
    return kdr_check_forces_refused(forces, accepted_forces(test)) || cannot_run_back(test) || cannot_bounce(test) || uncompensated(test) ||
           !kdr_check_user_method_composes(test);
}

bool kdr_check_case_refused(const kdr_check_case *test) {
    kdr_check_forces forces;
    bool contributions = build_forces(&forces, test);
    return contributions || is_refused(test, &forces);
}

/* Draws a boundary that is narrower than the particles' positions and not centred: some particles start outside, by more than a width. */
static void draw_boundary(kdr_check_engine *engine, const kdr_check_case *test, kdr_check_random *random) {
    int kind = test->value[KDR_CHECK_BOUNDARY];
    memset(&engine->boundary, 0, sizeof engine->boundary);
    engine->boundary.kind = kind == BOUNDARY_ABSORBING ? KDR_BOUNDARY_ABSORBING
                            : kind == BOUNDARY_NONE    ? KDR_BOUNDARY_NONE
                                                       : KDR_BOUNDARY_PERIODIC;
    for (int axis = 0; axis < 3; ++axis) {
        double low = kdr_check_random_between(random, -2, 0), width = kdr_check_random_between(random, 0.2, 4);
        bool open = kind == BOUNDARY_SLAB && axis == 0;
        engine->boundary.min[axis] = low;
        engine->boundary.max[axis] = low + (open ? 0 : width);
    }
}

/* Draws marks and levels. Runs of active particles, and the gaps between them, are longer than what kernels gather one by one. */
static void draw_marks(kdr_check_engine *engine, const kdr_check_case *test) {
    kdr_check_random random = kdr_check_case_stream(test, STREAM_MARKS);
    for (size_t i = 0; i < test->count; ++i) {
        bool row = i / 150 % 2 == 0 && kdr_check_random_below(&random, 100) != 0;
        bool some = kdr_check_random_below(&random, 3) == 0;
        uint32_t mark = 1 + kdr_check_random_below(&random, 255);
        engine->active[i] = (uint8_t)((test->value[KDR_CHECK_MARKS] == MARKS_ROWS ? row : some) ? mark : 0);
        engine->level[i] = (uint8_t)kdr_check_random_below(&random, 4);
    }
}

static bool has_levels(const kdr_check_case *test) { return test->value[KDR_CHECK_MARKS] >= MARKS_LEVELS; }

static bool is_masked(const kdr_check_case *test) {
    return test->value[KDR_CHECK_MARKS] != MARKS_NONE && test->value[KDR_CHECK_MARKS] != MARKS_LEVELS;
}

static kdr_particles view_of(const kdr_check_engine *engine, const kdr_check_case *test, const kdr_check_arrays *arrays) {
    kdr_particles view = kdr_check_view(test, arrays);
    view.active = is_masked(test) ? engine->active : NULL;
    view.level = has_levels(test) ? engine->level : NULL;
    view.active_count = view.level_count = test->count;
    return view;
}

static void prepare(kdr_check_engine *engine, const kdr_check_case *test) {
    engine->refuses_contributions = build_forces(&engine->forces, test);
    kdr_check_user_method_build(&engine->own, test);
    draw_langevin(engine, test);
    draw_light(engine, test);
    kdr_check_random walls = kdr_check_case_stream(test, STREAM_COLLIDERS);
    kdr_check_colliders_build(&engine->colliders, test->value[KDR_CHECK_COLLIDERS], &walls);
    kdr_check_colliders_widen(&engine->colliders, kdr_check_largest_radius(test));
    kdr_check_constraints_build(&engine->constraints, test->value[KDR_CHECK_CONSTRAINTS], &walls);
    if (engine->constraints.count > 0) {
        kdr_check_colliders_stop(&engine->colliders);
    }
    draw_boundary(engine, test, &walls);
    kdr_check_random random = kdr_check_case_stream(test, STREAM_CUTS);
    draw_clock(engine, test);
    draw_calls(engine, test, &random);
    draw_slices(engine, test, &random);
    draw_marks(engine, test);
    kdr_check_watch_draw(&engine->watched, test);
    kdr_check_fill(test, &engine->forces, &engine->initial);
    copy_arrays(test, &engine->forces, &engine->start, &engine->initial);
    copy_arrays(test, &engine->forces, &engine->expected, &engine->initial);
    memset(engine->spoilt, 0, sizeof engine->spoilt);
    if (test->value[KDR_CHECK_DATA] == DATA_GARBAGE_NEIGHBOURS) {
        kdr_check_spoil(test, &engine->forces, &engine->start, engine->spoilt);
    }
}

static kdr_integrator_desc describe(const kdr_check_engine *engine, const kdr_check_case *test, const kdr_force *forces) {
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    kdr_check_user_method_describe(&engine->own, test, &desc);
    desc.real = test->real;
    desc.arithmetic = test->arithmetic;
    desc.compensated = test->value[KDR_CHECK_COMPENSATED] != 0;
    desc.flush_small_to_zero = kdr_check_steps_to_flush(test) > 0;
    desc.langevin = engine->langevin;
    desc.speed_of_light = engine->speed_of_light;
    desc.colliders = engine->colliders.collider;
    desc.collider_count = (size_t)engine->colliders.count;
    desc.constraints = engine->constraints.constraint;
    desc.constraint_count = (size_t)engine->constraints.count;
    desc.boundary = engine->boundary;
    kdr_check_watch_describe(&engine->watched, test, &desc);
    desc.forces = forces;
    desc.force_count = (size_t)engine->forces.count;
    return desc;
}

/* Returns true if the particles do not carry all that a run leaves for the next one. */
static bool is_forgetful(const kdr_check_engine *engine, const kdr_check_case *test) {
    return (kdr_check_user_method_memory(&engine->own, test) && !kdr_check_array_used(test, NULL, ARRAY_MEMORY)) ||
           (test->value[KDR_CHECK_COMPENSATED] && !kdr_check_array_used(test, NULL, ARRAY_COMPENSATION));
}

/* Runs the reference in one call, however the runners' steps are cut into calls, because the library promises the same results. Without the
 * memory it does not, and then the reference is cut like the runners. */
static void run_reference(kdr_check_engine *engine, const kdr_check_case *test) {
    kdr_force bound[KDR_CHECK_MAX_FORCES];
    kdr_check_forces_bind(&engine->forces, engine->initial.at + ARRAY_FORCES, kdr_real_size(test->real), 0, test->count, bound);
    kdr_integrator_desc desc = describe(engine, test, bound);
    kdr_particles view = view_of(engine, test, &engine->expected), sample = kdr_check_watch_sample(&engine->watched, &view);
    kdr_clock clock = engine->clock_start;
    kdr_check_watch_begin(&engine->watched, test, &view);
    bool forgets = is_forgetful(engine, test);
    engine->status = KDR_OK;
    if (!forgets) {
        engine->status = kdr_reference_run(&desc, &view, &clock, test->steps, &engine->error);
    }
    for (int call = 0; forgets && call < engine->call_count && engine->status == KDR_OK; ++call) {
        engine->status = kdr_reference_run(&desc, &view, &clock, engine->calls[call], &engine->error);
    }
    engine->memory_key = view.memory_key;
    if (test->value[KDR_CHECK_WATCH] == WATCH_SAMPLE && engine->status == KDR_OK) {
        engine->status = kdr_reference_sample(&desc, &view, &clock, engine->watched.fraction, &sample, &engine->error);
    }
}

/* Placement */

static unsigned char *place_array(const kdr_check_engine *engine, const kdr_check_case *test, int array, int placement) {
    enum { CLEAR = 256 }; /* the distance to the guard page where it is not tested */
    size_t size = kdr_real_size(kdr_check_array_real(test, array));
    unsigned char *slot = kdr_check_arena_slot(&engine->arena, array);
    switch (placement) {
    case PLACEMENT_ODD_ELEMENTS:
        return slot + CLEAR + (size_t)(2 * array + 1) * size;
    case PLACEMENT_ODD_BYTES:
        return slot + CLEAR + (size_t)(2 * array + 1);
    case PLACEMENT_GUARD_AFTER:
        return slot + engine->arena.slot - test->count * size;
    case PLACEMENT_GUARD_BEFORE:
        return slot;
    default:
        return slot + CLEAR;
    }
}

static void place(kdr_check_engine *engine, const kdr_check_case *test) {
    kdr_check_random random = kdr_check_case_stream(test, STREAM_PLACEMENT);
    for (int array = 0; array < ARRAYS; ++array) {
        if (!kdr_check_array_used(test, &engine->forces, array)) {
            continue;
        }
        size_t bytes = array_bytes(test, array);
        int placement = test->value[KDR_CHECK_PLACEMENT];
        if (placement == PLACEMENT_MIXED) {
            placement = (int)kdr_check_random_below(&random, PLACEMENT_MIXED);
        }
        unsigned char *at = place_array(engine, test, array, placement);
        engine->placed.at[array] = at;
        kdr_check_arena_paint(&engine->arena, array, at, at + bytes);
        memcpy(at, engine->start.at[array], bytes);
    }
}

/* Running */

typedef struct case_attempt {
    kdr_check_engine *engine;
    const kdr_check_case *test;
    const kdr_check_runner *runner;
    kdr_integrator_desc desc; /* the description, without forces */
    kdr_check_random random;  /* random numbers for the adversary */
    bool no_openmp;

    kdr_integrator *integrator;
    kdr_status status;
    kdr_error error;
    kdr_clock clock;
    uint64_t memory_key;
    bool clock_wrong;
} case_attempt;

static void choose_executor(case_attempt *run) {
    run->desc.executor = kdr_executor_serial();
    if (run->test->value[KDR_CHECK_EXECUTOR] == EXECUTOR_OPENMP) {
        run->no_openmp = kdr_executor_openmp(2, &run->desc.executor) != KDR_OK;
    }
    if (run->test->value[KDR_CHECK_EXECUTOR] == EXECUTOR_ADVERSARY) {
        run->desc.executor = (kdr_executor){&run->random, kdr_check_adversary};
    }
}

/* Makes an integrator for particles [begin, begin + count). One integrator serves all slices, unless it has arrays of values per
 * particle. */
static void create_integrator(case_attempt *run, size_t begin, size_t count, double dt) {
    kdr_force bound[KDR_CHECK_MAX_FORCES];
    const kdr_check_engine *engine = run->engine;
    if (run->integrator && engine->forces.array_count == 0) {
        return;
    }
    kdr_integrator_destroy(run->integrator);
    run->integrator = NULL;
    kdr_check_forces_bind(&engine->forces, engine->placed.at + ARRAY_FORCES, kdr_real_size(run->test->real), begin, count, bound);
    run->desc.forces = bound;
    run->desc.dt = kdr_check_random_below(&run->random, 2) ? dt : 0; /* preparing for a step size must not change any result */
    run->status = kdr_integrator_create(&run->desc, &run->integrator, &run->error);
}

/* Makes calls [first, end) on the particles of `view`, the first of which is particle `begin`. */
static void run_calls(case_attempt *run, kdr_particles *view, size_t begin, kdr_clock *clock, int first, int end) {
    kdr_check_run_fn *step = run->runner->run;
    create_integrator(run, begin, view->count, clock->dt);
    for (int call = first; call < end && run->status == KDR_OK; ++call) {
        run->status = step ? step(run->runner->context, run->integrator, view, clock, run->engine->calls[call], &run->error)
                           : kdr_integrator_run(run->integrator, view, clock, run->engine->calls[call], &run->error);
    }
}

static bool clocks_equal(const kdr_clock *a, const kdr_clock *b) {
    return memcmp(&a->t0, &b->t0, sizeof a->t0) == 0 && memcmp(&a->dt, &b->dt, sizeof a->dt) == 0 && a->step == b->step;
}

static void run_attempt(void *argument) {
    case_attempt *run = argument;
    kdr_check_engine *engine = run->engine;
    kdr_particles view = view_of(engine, run->test, &engine->placed), sample = kdr_check_watch_sample(&engine->found, &view);
    run->clock = engine->clock_start;
    kdr_check_watch_begin(&engine->found, run->test, &view);
    if (engine->whole_calls > 0) {
        run_calls(run, &view, 0, &run->clock, 0, engine->whole_calls);
    }
    run->memory_key = view.memory_key;
    if (run->test->value[KDR_CHECK_WATCH] == WATCH_SAMPLE && run->status == KDR_OK) {
        run->status = kdr_integrator_sample(run->integrator, &view, &run->clock, engine->watched.fraction, &sample, &run->error);
    }
    kdr_clock between = run->clock;
    size_t begin = 0;
    for (int slice = 0; slice < engine->slice_count && run->status == KDR_OK; ++slice) {
        kdr_particles part = kdr_particles_slice(&view, begin, engine->slice_end[slice] - begin);
        run->clock = between;
        run_calls(run, &part, begin, &run->clock, engine->whole_calls, engine->call_count);
        run->clock_wrong |= !clocks_equal(&run->clock, &engine->clock_end);
        begin = engine->slice_end[slice];
    }
    run->clock_wrong |= !clocks_equal(&run->clock, &engine->clock_end);
}

/* Comparison */

static void array_mismatch(kdr_check_mismatch *mismatch, kdr_check_what what, int array, ptrdiff_t index) {
    kdr_backend_info info;
    int lanes = 1;
    if (kdr_backend_query(mismatch->backend, &info) == KDR_OK) {
        lanes = mismatch->test.real == KDR_F32 ? info.lanes_f32 : info.lanes_f64;
    }
    mismatch->what = what;
    mismatch->array = kdr_check_array_name(array);
    mismatch->index = index;
    mismatch->lane = (int)((index % lanes + lanes) % lanes);
}

static bool is_zero(kdr_real real, uint64_t bits) { return (bits & (real == KDR_F32 ? 0x7FFFFFFF : INT64_MAX)) == 0; }

/* Returns true if the particle is frozen or inactive: no bit of it may change, not even of a NaN. */
static bool is_fixed(const kdr_check_engine *engine, const kdr_check_case *test, size_t index) {
    if (test->steps == 0 || (is_masked(test) && !engine->active[index])) {
        return true;
    }
    return test->value[KDR_CHECK_MASS] != MASS_NONE &&
           is_zero(test->real, kdr_check_bits(test->real, engine->start.at[ARRAY_INVERSE_MASS], index));
}

static bool element_differs(const kdr_check_engine *engine, int array, size_t index, kdr_check_mismatch *mismatch) {
    const kdr_check_case *test = &mismatch->test;
    bool fixed = is_fixed(engine, test, index);
    kdr_real real = kdr_check_array_real(test, array);
    uint64_t expected = kdr_check_bits(real, (fixed ? &engine->start : &engine->expected)->at[array], index);
    uint64_t actual = kdr_check_bits(real, engine->placed.at[array], index);
    bool exact = fixed || array == ARRAY_BOUNCES || array == ARRAY_NONCONVERGED;
    if (engine->spoilt[index] || (exact ? expected == actual : kdr_check_equal(real, expected, actual))) {
        return false;
    }
    array_mismatch(mismatch, fixed ? KDR_CHECK_FROZEN : KDR_CHECK_BITS, array, (ptrdiff_t)index);
    mismatch->expected = expected;
    mismatch->actual = actual;
    return true;
}

/* Returns true if the array holds results of the run. Memory without a key holds none. */
static bool is_result(const kdr_check_engine *engine, const kdr_check_case *test, int array) {
    return kdr_check_array_used(test, &engine->forces, array) &&
           !(array >= ARRAY_MEMORY && array < ARRAY_BOUNCES && engine->memory_key == 0);
}

static uint64_t result_count(const kdr_check_engine *engine, const kdr_check_case *test) {
    uint64_t arrays = 0;
    for (int array = 0; array < ARRAY_INVERSE_MASS; ++array) {
        arrays += is_result(engine, test, array);
    }
    return arrays * test->count;
}

static bool bits_differ(const kdr_check_engine *engine, kdr_check_mismatch *mismatch) {
    const kdr_check_case *test = &mismatch->test;
    bool suspect[ARRAY_INVERSE_MASS];
    for (int array = 0; array < ARRAY_INVERSE_MASS; ++array) {
        suspect[array] =
            is_result(engine, test, array) && memcmp(engine->placed.at[array], engine->expected.at[array], array_bytes(test, array)) != 0;
    }
    for (size_t i = 0; i < test->count; ++i) {
        for (int array = 0; array < ARRAY_INVERSE_MASS; ++array) {
            if (suspect[array] && element_differs(engine, array, i, mismatch)) {
                return true;
            }
        }
    }
    return false;
}

static bool inputs_differ(const kdr_check_engine *engine, kdr_check_mismatch *mismatch) {
    const kdr_check_case *test = &mismatch->test;
    for (int array = ARRAY_INVERSE_MASS; array < ARRAYS; ++array) {
        for (size_t i = 0; kdr_check_array_used(test, &engine->forces, array) && i < test->count; ++i) {
            mismatch->expected = kdr_check_bits(kdr_check_array_real(test, array), engine->start.at[array], i);
            mismatch->actual = kdr_check_bits(kdr_check_array_real(test, array), engine->placed.at[array], i);
            if (mismatch->expected != mismatch->actual) {
                array_mismatch(mismatch, KDR_CHECK_INPUT, array, (ptrdiff_t)i);
                return true;
            }
        }
    }
    return false;
}

/* Returns the element that a byte of a slot belongs to, as if the array continued through the whole slot. */
static ptrdiff_t element_at(const kdr_check_engine *engine, const kdr_check_case *test, int array, const unsigned char *byte) {
    ptrdiff_t size = (ptrdiff_t)kdr_real_size(kdr_check_array_real(test, array)), offset = byte - engine->placed.at[array];
    return offset >= 0 ? offset / size : -((size - 1 - offset) / size);
}

static bool outside_differs(const kdr_check_engine *engine, kdr_check_mismatch *mismatch) {
    const kdr_check_case *test = &mismatch->test;
    for (int array = 0; array < ARRAYS; ++array) {
        if (!kdr_check_array_used(test, &engine->forces, array)) {
            continue;
        }
        unsigned char *begin = engine->placed.at[array], *end = begin + array_bytes(test, array);
        const unsigned char *smudge = kdr_check_arena_smudge(&engine->arena, array, begin, end);
        if (smudge) {
            array_mismatch(mismatch, KDR_CHECK_OUTSIDE, array, element_at(engine, test, array, smudge));
            return true;
        }
    }
    return false;
}

static bool fault_mismatch(const kdr_check_engine *engine, const void *address, kdr_check_mismatch *mismatch) {
    int array = address ? kdr_check_arena_find(&engine->arena, address) : -1;
    mismatch->what = KDR_CHECK_FAULT;
    if (array >= 0) {
        array_mismatch(mismatch, KDR_CHECK_FAULT, array, element_at(engine, &mismatch->test, array, address));
    }
    return true;
}

static bool status_mismatch(const kdr_check_engine *engine, const case_attempt *run, kdr_check_mismatch *mismatch) {
    mismatch->what = KDR_CHECK_STATUS_WRONG;
    snprintf(mismatch->message, sizeof mismatch->message, "reference: %.60s; kernels: %.60s",
             engine->status == KDR_OK ? "ok" : engine->error.message, run->status == KDR_OK ? "ok" : run->error.message);
    return true;
}

static bool events_differ(const kdr_check_engine *engine, const case_attempt *run, kdr_check_mismatch *mismatch) {
    const ptrdiff_t at = run->status == KDR_OK ? kdr_check_watch_differs(&engine->watched, &engine->found, run->test) : -1;
    mismatch->what = KDR_CHECK_EVENTS;
    mismatch->array = run->test->value[KDR_CHECK_WATCH] == WATCH_SAMPLE ? "sample" : "events";
    mismatch->index = at;
    return at >= 0;
}

static bool compare(const kdr_check_engine *engine, const case_attempt *run, kdr_check_mismatch *mismatch) {
    bool refused = engine->refuses_contributions || is_refused(run->test, &engine->forces);
    if (run->status != engine->status || engine->status != (refused ? KDR_ERROR_UNSUPPORTED : KDR_OK)) {
        return status_mismatch(engine, run, mismatch);
    }
    if (run->clock_wrong && run->status == KDR_OK) {
        mismatch->what = KDR_CHECK_CLOCK_WRONG;
        mismatch->expected = engine->clock_end.step;
        mismatch->actual = run->clock.step;
        return true;
    }
    if (engine->slice_count == 0 && run->test->value[KDR_CHECK_MEMORY] && run->memory_key != engine->memory_key) {
        mismatch->what = KDR_CHECK_KEY_WRONG;
        mismatch->expected = engine->memory_key;
        mismatch->actual = run->memory_key;
        return true;
    }
    return outside_differs(engine, mismatch) || inputs_differ(engine, mismatch) || bits_differ(engine, mismatch) ||
           events_differ(engine, run, mismatch);
}

static kdr_check_result run_runner(kdr_check_engine *engine, const kdr_check_case *test, const kdr_check_runner *runner,
                                   kdr_check_tally *tally, kdr_check_report_fn *report, void *context) {
    case_attempt run;
    memset(&run, 0, sizeof run);
    run.engine = engine;
    run.test = test;
    run.runner = runner;
    run.desc = describe(engine, test, NULL);
    run.desc.backend = runner->backend;
    run.random = kdr_check_case_stream(test, STREAM_EXECUTOR);
    choose_executor(&run);
    place(engine, test);

    void *address;
    double begin = kdr_check_now();
    bool fault = kdr_check_arena_guard(&engine->arena, run_attempt, &run, &address);
    tally->seconds += kdr_check_now() - begin;
    kdr_integrator_destroy(run.integrator);

    kdr_check_mismatch mismatch;
    memset(&mismatch, 0, sizeof mismatch);
    mismatch.test = *test;
    mismatch.backend = runner->backend;
    mismatch.array = "";
    bool wrong = fault ? fault_mismatch(engine, address, &mismatch) : compare(engine, &run, &mismatch);
    if (wrong) {
        ++tally->mismatches;
        report(context, &mismatch);
    } else if (run.status != KDR_OK) {
        ++tally->refused;
        return (kdr_check_result){.is_compared = false};
    }
    kdr_particles view = kdr_check_view(test, &engine->placed);
    kdr_check_result result = {.is_compared = true, .is_quick = kdr_check_case_is_quick(test), .method = test->method};
    (void)kdr_fingerprint(&view, &result.fingerprint, NULL);
    result.fingerprint = kdr_check_watch_mix(&engine->found, test, kdr_check_mix, result.fingerprint);
    tally->no_openmp += run.no_openmp;
    ++tally->cases;
    tally->values += result_count(engine, test);
    return result;
}

void kdr_check_tally_add(kdr_check_tally *tally, const kdr_check_result *result) {
    if (result->is_compared) {
        tally->fingerprint = kdr_check_mix(tally->fingerprint, result->fingerprint);
    }
    if (result->is_compared && result->is_quick) {
        tally->quick[result->method] = kdr_check_mix(tally->quick[result->method], result->fingerprint);
    }
}

void kdr_check_case_run_apart(kdr_check_engine *engine, const kdr_check_case *test, const kdr_check_runner *runners, size_t runner_count,
                              kdr_check_tally *tallies, kdr_check_result *results, kdr_check_report_fn *report, void *context) {
    const kdr_check_kind *const kind = kdr_check_kind_get(test->method);
    if (kind) {
        kdr_check_trials_run(engine->trials, kind, test, runners, runner_count, tallies, results, report, context);
        return;
    }
    prepare(engine, test);
    run_reference(engine, test);
    for (size_t i = 0; i < runner_count; ++i) {
        results[i] = run_runner(engine, test, &runners[i], &tallies[i], report, context);
    }
}

void kdr_check_case_run(kdr_check_engine *engine, const kdr_check_case *test, const kdr_check_runner *runners, size_t runner_count,
                        kdr_check_tally *tallies, kdr_check_report_fn *report, void *context) {
    kdr_check_result results[KDR_CHECK_MOST_RUNNERS];
    kdr_check_case_run_apart(engine, test, runners, runner_count, tallies, results, report, context);
    for (size_t i = 0; i < runner_count; ++i) {
        kdr_check_tally_add(&tallies[i], &results[i]);
    }
}

const char *kdr_check_mismatch_describe(const kdr_check_mismatch *m, char *text, size_t size) {
    static const char *const what[] = {[KDR_CHECK_BITS] = "differs from the reference",
                                       [KDR_CHECK_FROZEN] = "may not change, and has",
                                       [KDR_CHECK_INPUT] = "is only read, and has changed",
                                       [KDR_CHECK_OUTSIDE] = "was written: outside the array",
                                       [KDR_CHECK_FAULT] = "was touched: outside the array",
                                       [KDR_CHECK_CLOCK_WRONG] = "the clock's step is wrong",
                                       [KDR_CHECK_KEY_WRONG] = "the memory's key is wrong",
                                       [KDR_CHECK_EVENTS] = "differ from the reference's, first at",
                                       [KDR_CHECK_STATUS_WRONG] = "accepted by one, refused by the other"};
    int digits = m->test.real == KDR_F32 ? 8 : 16;
    if (m->what == KDR_CHECK_STATUS_WRONG) {
        snprintf(text, size, "%s: %s", what[m->what], m->message);
    } else if (m->what == KDR_CHECK_CLOCK_WRONG) {
        snprintf(text, size, "%s: expected %llu, got %llu", what[m->what], (unsigned long long)m->expected, (unsigned long long)m->actual);
    } else if (m->what == KDR_CHECK_KEY_WRONG) {
        snprintf(text, size, "%s: expected %016llx, got %016llx", what[m->what], (unsigned long long)m->expected,
                 (unsigned long long)m->actual);
    } else if (m->what == KDR_CHECK_EVENTS) {
        snprintf(text, size, "%s %s index %td", m->array, what[m->what], m->index);
    } else if (m->what == KDR_CHECK_FAULT && m->array[0] == '\0') {
        snprintf(text, size, "an address that is not aligned was accessed as if it were");
    } else if (m->what == KDR_CHECK_FAULT || m->what == KDR_CHECK_OUTSIDE) {
        snprintf(text, size, "%s index %td (lane %d) %s", m->array, m->index, m->lane, what[m->what]);
    } else {
        snprintf(text, size, "%s index %td (lane %d) %s: expected %0*llx, got %0*llx", m->array, m->index, m->lane, what[m->what], digits,
                 (unsigned long long)m->expected, digits, (unsigned long long)m->actual);
    }
    return text;
}
