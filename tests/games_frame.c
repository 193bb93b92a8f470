/* A game's frame: one step per call of falling particles, which specialised kernels step in place. Structures and arrays, with and without
 * a ground, have the bits of the reference on every backend, and nothing but x and v is written. */
#include "support.h"

enum { BEGIN = 110, STEPS = 40, MOST = 1003, EDGE = 64 };

typedef struct frame {
    kdr_real real;
    int dims;
    bool ground, remembers, chosen, watched,
        rests;     /* chosen: some are inactive; watched: crossings of a plane are counted; rests: flush_small_to_zero */
    size_t events; /* that the reference has counted */
    uint64_t seed;
    size_t count, stride, skew; /* stride 0: arrays; skew: bytes before the first structure */
} frame;

static const unsigned char mark = 0xA5;

static unsigned char *allocated(size_t bytes) {
    unsigned char *const memory = malloc(bytes);
    cr_assert(memory);
    return memset(memory, mark, bytes);
}

/* Draws positions and velocities, with zeros of both signs among them, of particles above the ground, on it and below. */
static void draw(kdr_particles *p, uint64_t seed) {
    for (size_t i = 0; i < p->count; ++i) {
        for (int axis = 0; axis < p->dims; ++axis) {
            const bool up = axis == p->dims - 1;
            set(p->x[axis], p->real, i, up && i % 5 == 0 ? 0.0 : random_in(&seed, up ? -0.25 : -2, 2));
            set(p->v[axis], p->real, i,
                i % 7 == (size_t)axis     ? -0.0
                : i % 7 == 3              ? 0.0
                : i % 7 == 4 && axis == 0 ? (p->real == KDR_F32 ? 1e-35 : 1e-290)
                                          : random_in(&seed, -3, 3));
        }
    }
    p->memory_key = 0;
}

/* Returns the address of an element of structure i: x from 0 on, then v. */
static unsigned char *member(unsigned char *first, const frame *f, size_t i, int element) {
    return first + i * f->stride + (size_t)element * kdr_real_size(f->real);
}

static bool holds(unsigned char *memory, const frame *f, const kdr_particles *expected, size_t bytes) {
    const size_t size = kdr_real_size(f->real);
    unsigned char *const first = memory + f->skew;
    bool same = true;
    for (size_t i = 0; i < f->count; ++i) {
        for (int element = 0; element < 2 * f->dims; ++element) {
            const char *const array = element < f->dims ? expected->x[element] : expected->v[element - f->dims];
            same = same && memcmp(member(first, f, i, element), array + i * size, size) == 0;
            memset(member(first, f, i, element), mark, size);
        }
    }
    for (size_t n = 0; n < bytes; ++n) {
        same = same && memory[n] == mark;
    }
    return same;
}

/* Marks two of three particles as active. */
static void choose(kdr_particles *p, const frame *f) {
    static uint8_t active[MOST];
    for (size_t i = 0; i < MOST; ++i) {
        active[i] = i % 3 != 1;
    }
    p->active = f->chosen ? active : NULL;
    p->active_count = f->chosen ? f->count : 0;
}

/* Takes one step per call, and several in the last call. */
static void take_steps(const kdr_integrator *motion, const frame *f, kdr_particles *particles) {
    kdr_events events = {.capacity = 0};
    particles->events = f->watched ? &events : NULL;
    kdr_clock clock = {0, 1.0 / 32, BEGIN};
    kdr_error error;
    for (uint64_t left = STEPS, steps; left > 0; left -= steps) {
        steps = left > 8 ? 1 : left;
        cr_assert(kdr_integrator_run(motion, particles, &clock, steps, &error) == KDR_OK, "%s", error.message);
    }
    cr_expect(events.count == f->events, "%zu events, expected %zu", events.count, f->events);
    particles->events = NULL;
}

static void run_structures(const kdr_integrator *motion, const frame *f, const kdr_particles *start, const kdr_particles *expected,
                           const char *name) {
    const size_t size = kdr_real_size(f->real), bytes = f->skew + f->count * f->stride + EDGE;
    unsigned char *const memory = allocated(bytes), *const first = memory + f->skew;
    kdr_particles view = kdr_particles_default();
    view.count = f->count;
    view.dims = f->dims;
    view.real = f->real;
    choose(&view, f);
    view.x_layout.stride = view.v_layout.stride = f->stride;
    for (int element = 0; element < 2 * f->dims; ++element) {
        const char *const array = element < f->dims ? start->x[element] : start->v[element - f->dims];
        *(element < f->dims ? &view.x[element] : &view.v[element - f->dims]) = member(first, f, 0, element);
        for (size_t i = 0; i < f->count; ++i) {
            memcpy(member(first, f, i, element), array + i * size, size);
        }
    }
    take_steps(motion, f, &view);
    cr_expect(holds(memory, f, expected, bytes), "%s, %s, %zu structures of %zu bytes, ground %d", name, kdr_real_name(f->real), f->count,
              f->stride, f->ground);
    free(memory);
}

static void run_arrays(const kdr_integrator *motion, const frame *f, const kdr_particles *start, const kdr_particles *expected,
                       const char *name) {
    kdr_particles p = make_particles(f->count, f->dims, f->real, false, f->remembers);
    copy_state(&p, start);
    choose(&p, f);
    take_steps(motion, f, &p);
    cr_expect(same_bits(&p, expected), "%s, %s, arrays of %zu, ground %d", name, kdr_real_name(f->real), f->count, f->ground);
    kdr_particles_destroy(&p);
}

static void expect_frames(kdr_method method, kdr_arithmetic arithmetic, frame *f) {
    const bool flat = f->dims == 2;
    const kdr_force weight = kdr_force_uniform_acceleration(0, flat ? -10 : 0, flat ? 0 : -10);
    kdr_collider plane = kdr_collider_plane((double[]){0, 0, 0}, flat ? (double[]){0, 1, 0} : (double[]){0, 0, 1});
    plane.restitution = 0.75;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = method;
    desc.real = f->real;
    desc.arithmetic = arithmetic;
    desc.forces = &weight;
    desc.force_count = 1;
    desc.colliders = &plane;
    desc.collider_count = f->ground;
    desc.flush_small_to_zero = f->rests;
    const kdr_watch watch = kdr_watch_plane((double[]){0, 0, 0.25}, flat ? (double[]){0, 1, 0} : (double[]){0, 0, 1});
    desc.watches = &watch;
    desc.watch_count = f->watched;
    kdr_events events = {.capacity = 0};
    kdr_particles start = make_particles(f->count, f->dims, f->real, false, false),
                  expected = make_particles(f->count, f->dims, f->real, false, false);
    draw(&start, f->seed);
    copy_state(&expected, &start);
    choose(&expected, f);
    expected.events = f->watched ? &events : NULL;
    kdr_clock clock = {0, 1.0 / 32, BEGIN};
    advance(BY_REFERENCE, &desc, &expected, &clock, STEPS);
    expected.events = NULL;
    f->events = events.count;
    for (int backend = KDR_BACKEND_FIRST; backend <= KDR_BACKEND_LAST; ++backend) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)backend, &info) == KDR_OK);
        if (!info.runnable) {
            continue;
        }
        kdr_integrator *motion;
        kdr_error error;
        desc.backend = (kdr_backend)backend;
        cr_assert(kdr_integrator_create(&desc, &motion, &error) == KDR_OK, "%s", error.message);
        (f->stride ? run_structures : run_arrays)(motion, f, &start, &expected, info.name);
        kdr_integrator_destroy(motion);
    }
    kdr_particles_destroy(&start);
    kdr_particles_destroy(&expected);
}

Test(games_frame, bits_of_the_reference) {
    static const kdr_method methods[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET};
    static const size_t counts[] = {1, 3, 4, 8, 9, 16, 17, 33, 130, MOST};
    enum { COUNTS = sizeof counts / sizeof *counts };
    const uint64_t seed = test_seed();
    for (int kind = 0; kind < 2 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT * 2; ++kind) {
        frame f = {.real = (kdr_real)(kind / 2 % KDR_REAL_COUNT),
                   .dims = 3,
                   .seed = seed,
                   .ground = kind / 8 == 1,
                   .remembers = methods[kind % 2] == KDR_VELOCITY_VERLET};
        const size_t size = kdr_real_size(f.real), strides[] = {0, 6 * size, 7 * size, 8 * size, 6 * size + 1, 10 * size};
        for (size_t n = 0; n < COUNTS; ++n) {
            f.count = counts[n];
            f.stride = strides[(n + (size_t)kind) % 6];
            f.skew = n % 3;
            expect_frames(methods[kind % 2], (kdr_arithmetic)(kind / 4 % KDR_ARITHMETIC_COUNT), &f);
            f.stride = strides[n % 2 ? 3 : 0];
            f.chosen = n % 4 < 2;
            f.dims = n % 4 == 3 ? 2 : 3;
            expect_frames(methods[kind % 2], (kdr_arithmetic)(kind / 4 % KDR_ARITHMETIC_COUNT), &f);
            f.chosen = false;
            f.watched = n % 4 == 1;
            f.dims = 3;
            expect_frames(methods[kind % 2], (kdr_arithmetic)(kind / 4 % KDR_ARITHMETIC_COUNT), &f);
            f.watched = false;
            f.rests = n % 4 != 1;
            expect_frames(methods[kind % 2], (kdr_arithmetic)(kind / 4 % KDR_ARITHMETIC_COUNT), &f);
            f.rests = false;
        }
    }
}
