/* Fields: folding compared with the unfolded sum of forces, the order of the list, frozen particles, runs cut into calls, particles cut
 * into slices. */
#include "support.h"

enum { COUNT = 37, MAX_FORCES = 24 };

/* Adds the acceleration of one force, directly from the formulas of <kickdrift/force.h>, in double. */
static void add_force(const kdr_force *force, const kdr_particles *p, size_t index, double t, double a[3]) {
    const state s = get_state(p, index);
    const double w = p->inverse_mass ? get(p->inverse_mass, p->real, index) : 1;
    double u[3] = {0, 0, 0}, square = 0;
    for (int i = 0; i < p->dims; ++i) {
        u[i] = force->kind == KDR_CENTRE ? s.x[i] - force->as.centre.at[i] : s.v[i] - force->as.quadratic_drag.wind[i];
        square += u[i] * u[i];
    }
    for (int i = 0; i < p->dims; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        switch (force->kind) {
        case KDR_UNIFORM_ACCELERATION:
            a[i] += force->as.uniform_acceleration.a[i];
            break;
        case KDR_UNIFORM_FORCE:
            a[i] += w * force->as.uniform_force.f[i];
            break;
        case KDR_SPRING: {
            const void *k_each = force->as.spring.k_each, *at_each = force->as.spring.at_each[i];
            const double stiffness = k_each ? get(k_each, p->real, index) : force->as.spring.k[i];
            const double at = at_each ? get(at_each, p->real, index) : force->as.spring.at[i];
            a[i] += -w * stiffness * (s.x[i] - at);
            break;
        }
        case KDR_DRAG: {
            const void *b_each = force->as.drag.b_each;
            const double b = b_each ? get(b_each, p->real, index) : force->as.drag.b[i];
            a[i] += -w * b * (s.v[i] - force->as.drag.wind[i]);
            break;
        }
        case KDR_QUADRATIC_DRAG:
            a[i] += -w * force->as.quadratic_drag.c * sqrt(square) * u[i];
            break;
        case KDR_ELECTROMAGNETIC: {
            const double *b = force->as.electromagnetic.b;
            /* In a plane only b's z component acts, on a line none: there are no other velocities and axes. */
            const double by_k = p->dims == 3 || (p->dims == 2 && k == 2) ? b[k] : 0;
            const double by_j = p->dims == 3 || (p->dims == 2 && j == 2) ? b[j] : 0;
            a[i] += w * force->as.electromagnetic.charge * (force->as.electromagnetic.e[i] + (s.v[j] * by_k - s.v[k] * by_j));
            break;
        }
        case KDR_CENTRE:
            a[i] += -force->as.centre.mu * u[i] / pow(square + force->as.centre.softening * force->as.centre.softening, 1.5);
            break;
        case KDR_DRIVEN:
            a[i] += force->as.driven.a[i] * cos(force->as.driven.omega * t + force->as.driven.phase);
            break;
        case KDR_CUSTOM_FIELD: /* tested by tests/custom_fields.c */
            break;
        }
    }
}

static void random_vector(uint64_t *seed, double a[3]) {
    for (int i = 0; i < 3; ++i) {
        a[i] = random_in(seed, -3, 3);
    }
}

/* Arrays with one value per particle, which forces may borrow. */
typedef struct arrays {
    kdr_particles pool; /* its positions and velocities serve as arrays */
} arrays;

static kdr_force random_force(uint64_t *seed, kdr_force_kind kind, const arrays *lent) {
    double a[3], b[3];
    random_vector(seed, a);
    random_vector(seed, b);
    kdr_force force;
    memset(&force, 0, sizeof force);
    switch (kind) {
    case KDR_UNIFORM_ACCELERATION:
        return kdr_force_uniform_acceleration(a[0], a[1], a[2]);
    case KDR_UNIFORM_FORCE:
        return kdr_force_uniform_force(a[0], a[1], a[2]);
    case KDR_SPRING:
        force = kdr_force_spring(1, a[0], a[1], a[2]);
        memcpy(force.as.spring.k, b, sizeof b);
        if (random_bits(seed) % 4 == 0) {
            force.as.spring.k_each = lent->pool.v[0];
            force.as.spring.count = COUNT;
        }
        if (random_bits(seed) % 4 == 0) {
            memcpy(force.as.spring.at_each, lent->pool.x, sizeof force.as.spring.at_each);
            force.as.spring.count = COUNT;
        }
        return force;
    case KDR_DRAG:
        force = kdr_force_drag(1, a[0], a[1], a[2]);
        memcpy(force.as.drag.b, b, sizeof b);
        if (random_bits(seed) % 2 == 0) {
            force.as.drag.b_each = lent->pool.v[1];
            force.as.drag.count = COUNT;
        }
        return force;
    case KDR_QUADRATIC_DRAG:
        return kdr_force_quadratic_drag(b[0], a[0], a[1], a[2]);
    case KDR_ELECTROMAGNETIC:
        return kdr_force_electromagnetic(random_in(seed, -2, 2), a, b);
    case KDR_CENTRE:
        return kdr_force_centre(b[0], a[0], a[1], a[2], random_in(seed, 0.5, 1));
    case KDR_DRIVEN:
        return kdr_force_driven(a[0], a[1], a[2], b[1], b[2]);
    case KDR_CUSTOM_FIELD:
        break;
    }
    return force;
}

/* Draws a list of random length and kinds within the limits of <kickdrift/force.h>. */
static size_t random_list(uint64_t *seed, const arrays *lent, kdr_force list[MAX_FORCES]) {
    const int most[KDR_FORCE_KIND_COUNT] = {4, 4, 4, 4, 4, 4, 8, 8};
    int used[KDR_FORCE_KIND_COUNT] = {0};
    const size_t count = random_bits(seed) % MAX_FORCES;
    for (size_t i = 0; i < count;) {
        const int kind = (int)(random_bits(seed) % KDR_FORCE_KIND_COUNT);
        if (used[kind] < most[kind]) {
            ++used[kind];
            list[i++] = random_force(seed, (kdr_force_kind)kind, lent);
        }
    }
    return count;
}

/* Measures the acceleration at the start as the change of v by one step of explicit Euler with h = 1, up to the rounding of the last
 * sum. */
static void measure(int runner, kdr_real real, const kdr_force *list, size_t n, const kdr_particles *p, double t, double (*a)[3]) {
    const kdr_integrator_desc desc = describe(KDR_EXPLICIT_EULER, real, KDR_FUSED, list, n);
    kdr_particles moved = make_particles(p->count, p->dims, real, p->inverse_mass != NULL, false);
    copy_state(&moved, p);
    kdr_clock clock = {t, 1, 0};
    advance(runner, &desc, &moved, &clock, 1);
    for (size_t i = 0; i < p->count; ++i) {
        for (int axis = 0; axis < p->dims; ++axis) {
            a[i][axis] = get(moved.v[axis], real, i) - get(p->v[axis], real, i);
        }
    }
    kdr_particles_destroy(&moved);
}

static void check_list(int runner, const kdr_particles *p, kdr_force *list, size_t n, double t, uint64_t *seed) {
    double folded[COUNT][3], shuffled[COUNT][3], one[COUNT][3], apart[COUNT][3] = {{0}}, sum[COUNT][3] = {{0}};
    measure(runner, p->real, list, n, p, t, folded);
    for (size_t f = 0; f < n; ++f) {
        measure(runner, p->real, &list[f], 1, p, t, one);
        for (size_t i = 0; i < p->count; ++i) {
            for (int axis = 0; axis < p->dims; ++axis) {
                apart[i][axis] += one[i][axis];
            }
            add_force(&list[f], p, i, t, sum[i]);
        }
    }
    for (size_t f = n; f > 1; --f) {
        const size_t other = random_bits(seed) % f;
        const kdr_force swap = list[f - 1];
        list[f - 1] = list[other];
        list[other] = swap;
    }
    measure(runner, p->real, list, n, p, t, shuffled);
    /* Each of up to 24 terms, of at most a few hundred, may be rounded a few times. */
    const double tolerance = p->real == KDR_F32 ? 2e-3 : 4e-12;
    for (size_t i = 0; i < p->count; ++i) {
        for (int axis = 0; axis < p->dims; ++axis) {
            cr_assert(close_to(folded[i][axis], sum[i][axis], tolerance),
                      "%zu forces, particle %zu, axis %d: %.17g folded, %.17g by the formulas", n, i, axis, folded[i][axis], sum[i][axis]);
            cr_assert(close_to(folded[i][axis], apart[i][axis], tolerance), "%.17g folded, %.17g apart", folded[i][axis], apart[i][axis]);
            cr_assert(close_to(folded[i][axis], shuffled[i][axis], tolerance), "%.17g folded, %.17g shuffled", folded[i][axis],
                      shuffled[i][axis]);
        }
    }
}

Test(physics_field, folding_is_the_sum_of_the_list) {
    uint64_t seed = test_seed();
    for (int round = 0; round < 120; ++round) {
        const int dims = 1 + round % 3;
        const kdr_real real = (kdr_real)(round / 3 % 2);
        arrays lent = {make_particles(COUNT, 3, real, false, false)};
        kdr_particles p = make_particles(COUNT, dims, real, round / 6 % 2 == 0, false);
        fill_random(&lent.pool, &seed);
        fill_random(&p, &seed);
        kdr_force list[MAX_FORCES];
        const size_t n = random_list(&seed, &lent, list);
        check_list(round / 12 % 2, &p, list, n, random_in(&seed, -5, 5), &seed);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&lent.pool);
    }
}

/* Makes a list with every kind of force, and with arrays if `lent` is given. */
static size_t every_kind(uint64_t *seed, const arrays *lent, kdr_force list[MAX_FORCES]) {
    size_t n = 0;
    for (int kind = 0; kind < KDR_FORCE_KIND_COUNT; ++kind) {
        list[n++] = random_force(seed, (kdr_force_kind)kind, lent);
        if (!lent->pool.count && kind == KDR_SPRING) {
            list[n - 1] = kdr_force_spring(2, 0.5, -0.5, 1);
        }
        if (!lent->pool.count && kind == KDR_DRAG) {
            list[n - 1] = kdr_force_drag(0.25, 1, 0, -1);
        }
    }
    return n;
}

/* Copies the forces of a list that a method accepts by the table. */
static size_t accepted(kdr_method method, const kdr_force *list, size_t n, kdr_force taken[MAX_FORCES]) {
    const kdr_velocity_forces accepts = kdr_method_get(method)->velocity_forces;
    size_t count = 0;
    for (size_t i = 0; i < n; ++i) {
        const bool drag = list[i].kind == KDR_DRAG || list[i].kind == KDR_QUADRATIC_DRAG, magnet = list[i].kind == KDR_ELECTROMAGNETIC;
        const bool affine = list[i].kind != KDR_QUADRATIC_DRAG && list[i].kind != KDR_CENTRE && list[i].kind != KDR_DRIVEN;
        if (!affine && kdr_method_get(method)->affine) {
            continue;
        }
        if (accepts == KDR_VELOCITY_ANY || (!drag && !(magnet && accepts == KDR_VELOCITY_NONE))) {
            taken[count++] = list[i];
        }
    }
    return count;
}

/* Frozen particles keep every bit, whatever it is, and do not affect the others. */
Test(physics_field, frozen_particles) {
    uint64_t seed = test_seed();
    arrays lent = {make_particles(COUNT, 3, KDR_F64, false, false)};
    fill_random(&lent.pool, &seed);
    kdr_force list[MAX_FORCES];
    const size_t n = every_kind(&seed, &lent, list);
    for (int i = 0; i < RUNNERS * KDR_METHOD_COUNT; ++i) {
        const int runner = i % RUNNERS;
        kdr_force taken[MAX_FORCES];
        const kdr_integrator_desc desc =
            describe((kdr_method)(i / RUNNERS), KDR_F64, KDR_FUSED, taken, accepted((kdr_method)(i / RUNNERS), list, n, taken));
        kdr_particles free = make_particles(COUNT, 3, KDR_F64, true, true), some = make_particles(COUNT, 3, KDR_F64, true, true);
        fill_random(&free, &seed);
        set(free.x[1], KDR_F64, 6, NAN);
        set(free.v[0], KDR_F64, 9, -0.0);
        set(free.v[1], KDR_F64, 9, INFINITY);
        copy_state(&some, &free);
        for (size_t j = 0; j < COUNT; j += 3) {
            set(some.inverse_mass, KDR_F64, j, j % 2 ? -0.0 : 0.0);
        }
        kdr_particles before = make_particles(COUNT, 3, KDR_F64, false, false);
        copy_state(&before, &free);
        kdr_clock clock = {0, 0.01, 0}, other = clock;
        advance(runner, &desc, &free, &clock, 20);
        advance(runner, &desc, &some, &other, 20);
        for (size_t j = 0; j < COUNT; ++j) {
            const kdr_particles now = kdr_particles_slice(&some, j, 1);
            const kdr_particles then = kdr_particles_slice(j % 3 == 0 ? &before : &free, j, 1);
            cr_expect(same_bits(&now, &then), "method %d, particle %zu", i / RUNNERS, j);
        }
        cr_expect(!same_bits(&free, &before));
        kdr_particles_destroy(&free);
        kdr_particles_destroy(&some);
        kdr_particles_destroy(&before);
    }
    kdr_particles_destroy(&lent.pool);
}

/* Without forces velocities keep every bit, momentum is conserved, and positions are x + n h v to rounding. */
Test(physics_field, free_motion) {
    uint64_t seed = test_seed();
    for (int i = 0; i < RUNNERS * KDR_METHOD_COUNT; ++i) {
        const kdr_integrator_desc desc = describe((kdr_method)(i / RUNNERS), KDR_F64, KDR_FUSED, NULL, 0);
        kdr_particles p = make_particles(COUNT, 3, KDR_F64, true, false);
        kdr_particles before = make_particles(COUNT, 3, KDR_F64, true, false);
        fill_random(&p, &seed);
        copy_state(&before, &p);
        kdr_clock clock = {0, 0.125, 0};
        advance(i % RUNNERS, &desc, &p, &clock, 80);
        cr_expect(clock.step == 80);
        for (int axis = 0; axis < 3; ++axis) {
            /* The velocities of a multistep method are differences of positions, and are not compared. */
            cr_expect(!kdr_family_get(kdr_method_get(desc.method)->family)->velocities ||
                          memcmp(p.v[axis], before.v[axis], COUNT * sizeof(double)) == 0,
                      "method %d", i / RUNNERS);
            for (size_t j = 0; j < COUNT; ++j) {
                cr_expect(
                    close_to(get(p.x[axis], KDR_F64, j), get(before.x[axis], KDR_F64, j) + 10 * get(before.v[axis], KDR_F64, j), 1e-12),
                    "%s", kdr_method_get(desc.method)->name);
            }
        }
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&before);
    }
}

/* Runs 40 steps in calls of random lengths, some of them 0. */
static void advance_in_pieces(int runner, const kdr_integrator_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t *seed) {
    for (uint64_t left = 40; left > 0;) {
        uint64_t piece = random_bits(seed) % 13;
        piece = piece < left ? piece : left;
        advance(runner, desc, p, clock, piece);
        left -= piece;
    }
}

/* With memory, or with a method that has none, a run cut into calls gives equal bits, in both precisions. methods_table.c tests that a
 * method with memory gives others without it. */
Test(physics_field, runs_cut_into_calls) {
    uint64_t seed = test_seed();
    const kdr_force lists[][2] = {
        {kdr_force_drag(0.5, 1, 0, 0), kdr_force_spring(2, 0, 0, 0)},
        {kdr_force_electromagnetic(1, (const double[3]){0.1, 0, 0}, (const double[3]){0.2, 0.5, 3}), kdr_force_driven(1, 2, 3, 1.5, 0.2)},
        {kdr_force_quadratic_drag(0.5, 1, 0, 0), kdr_force_centre(1, 0, 0, 0, 0.5)},
        {kdr_force_driven(1, 0, 2, 2.5, 0.1), kdr_force_spring(2, 1, 0, 0)},
    };
    enum { LISTS = sizeof lists / sizeof *lists };
    for (int i = 0; i < RUNNERS * KDR_METHOD_COUNT * KDR_REAL_COUNT * LISTS * 2; ++i) {
        const int runner = i % RUNNERS, list = i / RUNNERS % LISTS;
        const kdr_method method = (kdr_method)(i / RUNNERS / LISTS % KDR_METHOD_COUNT);
        const kdr_real real = (kdr_real)(i / RUNNERS / LISTS / KDR_METHOD_COUNT % KDR_REAL_COUNT);
        const bool memory = i / RUNNERS / LISTS / KDR_METHOD_COUNT / KDR_REAL_COUNT == 1;
        kdr_force taken[MAX_FORCES];
        const kdr_integrator_desc desc = describe(method, real, KDR_FUSED, taken, accepted(method, lists[list], 2, taken));
        if (!memory && kdr_method_get(method)->memory) {
            continue;
        }
        kdr_particles whole = make_particles(COUNT, 3, real, true, memory);
        kdr_particles pieces = make_particles(COUNT, 3, real, true, memory);
        fill_random(&whole, &seed);
        copy_state(&pieces, &whole);
        kdr_clock clock = {0.5, 0.01, 7}, other = clock;
        advance(runner, &desc, &whole, &clock, 40);
        advance_in_pieces(runner, &desc, &pieces, &other, &seed);
        cr_expect(same_bits(&whole, &pieces), "runner %d, %s, list %d, memory %d", runner, kdr_method_get(method)->name, list, memory);
        cr_expect(clock.step == 47 && other.step == 47);
        kdr_particles_destroy(&whole);
        kdr_particles_destroy(&pieces);
    }
}

/* A run does not continue from the memory of another state: memory_key is cleared after changes of x or v by hand. */
Test(physics_field, memory_key_forgets) {
    uint64_t seed = test_seed();
    const kdr_force drag = kdr_force_drag(0.5, 1, 0, 0);
    for (int runner = 0; runner < RUNNERS; ++runner) {
        const kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, &drag, 1);
        kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, true), fresh = make_particles(COUNT, 3, KDR_F64, false, false);
        fill_random(&p, &seed);
        kdr_clock clock = {0, 0.01, 0};
        advance(runner, &desc, &p, &clock, 10);
        cr_expect(p.memory_key != 0);
        set(p.v[0], KDR_F64, 0, 5);
        copy_state(&fresh, &p);
        p.memory_key = 0;
        kdr_clock other = clock;
        advance(runner, &desc, &p, &clock, 10);
        advance(runner, &desc, &fresh, &other, 10);
        cr_expect(same_bits(&p, &fresh));
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&fresh);
    }
}

/* Memory that is lent after a run without it holds nothing yet. */
Test(physics_field, memory_lent_late) {
    uint64_t seed = test_seed();
    const kdr_force drag = kdr_force_drag(0.5, 1, 0, 0);
    for (int runner = 0; runner < RUNNERS; ++runner) {
        const kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, &drag, 1);
        kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, true), fresh = make_particles(COUNT, 3, KDR_F64, false, false);
        void *const memory[3] = {p.memory[0], p.memory[1], p.memory[2]};
        fill_random(&p, &seed);
        memset(p.memory, 0, sizeof p.memory);
        kdr_clock clock = {0, 0.01, 0};
        advance(runner, &desc, &p, &clock, 10);
        cr_expect(p.memory_key == 0);
        copy_state(&fresh, &p);
        for (int axis = 0; axis < 3; ++axis) {
            p.memory[axis] = memset(memory[axis], 0x40, COUNT * sizeof(double));
        }
        kdr_clock other = clock;
        advance(runner, &desc, &p, &clock, 10);
        advance(runner, &desc, &fresh, &other, 10);
        cr_expect(same_bits(&p, &fresh), "%s", runner == BY_REFERENCE ? "reference" : "integrator");
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&fresh);
    }
}

/* All executors give equal bits, with and without memory. */
Test(physics_field, executors) {
    enum { MANY = 2003 }; /* blocks of 512, and a part of one */
    uint64_t seed = test_seed();
    const kdr_force forces[] = {kdr_force_drag(0.5, 1, 0, 0), kdr_force_driven(1, 0, 2, 2.5, 0.1), kdr_force_centre(1, 0, 0, 0, 0.5)};
    kdr_executor executors[MAX_EXECUTORS];
    const size_t n = list_executors(executors);
    for (int i = 0; i < KDR_METHOD_COUNT * KDR_REAL_COUNT * 2; ++i) {
        kdr_force taken[MAX_FORCES];
        const kdr_method method = (kdr_method)(i % KDR_METHOD_COUNT);
        kdr_integrator_desc desc =
            describe(method, (kdr_real)(i / KDR_METHOD_COUNT % KDR_REAL_COUNT), KDR_UNFUSED, taken, accepted(method, forces, 3, taken));
        const bool memory = i / KDR_METHOD_COUNT / KDR_REAL_COUNT != 0;
        kdr_particles start = make_particles(MANY, 3, desc.real, true, memory), serial = make_particles(MANY, 3, desc.real, true, memory);
        fill_random(&start, &seed);
        copy_state(&serial, &start);
        kdr_clock clock = {0, 0.01, 0};
        const uint64_t steps = 140 / ((uint64_t)kdr_method_get(method)->evaluations + (kdr_method_get(method)->evaluations == 0)) +
                               2; /* more than one table of the driven field's values */
        advance(BY_INTEGRATOR, &desc, &serial, &clock, steps);
        for (size_t e = 0; e < n; ++e) {
            kdr_particles p = make_particles(MANY, 3, desc.real, true, memory);
            copy_state(&p, &start);
            desc.executor = executors[e];
            clock.step = 0;
            advance(BY_INTEGRATOR, &desc, &p, &clock, steps);
            cr_expect(same_bits(&p, &serial), "case %d, executor %zu", i, e);
            kdr_particles_destroy(&p);
        }
        kdr_particles_destroy(&start);
        kdr_particles_destroy(&serial);
    }
}

/* Slices of the particles, run one by one, give the bits of all together. */
Test(physics_field, batches_cut_into_slices) {
    uint64_t seed = test_seed();
    arrays none = {kdr_particles_default()};
    kdr_force list[MAX_FORCES];
    memset(list, 0, sizeof list);
    const size_t n = every_kind(&seed, &none, list);
    for (int i = 0; i < RUNNERS * KDR_METHOD_COUNT * KDR_REAL_COUNT; ++i) {
        const kdr_real real = (kdr_real)(i / RUNNERS / KDR_METHOD_COUNT);
        kdr_force taken[MAX_FORCES];
        const kdr_method method = (kdr_method)(i / RUNNERS % KDR_METHOD_COUNT);
        const kdr_integrator_desc desc = describe(method, real, KDR_FUSED, taken, accepted(method, list, n, taken));
        kdr_particles whole = make_particles(1000, 2, real, true, true), pieces = make_particles(1000, 2, real, true, true);
        fill_random(&whole, &seed);
        copy_state(&pieces, &whole);
        kdr_clock clock = {0, 0.01, 0};
        advance(i % RUNNERS, &desc, &whole, &clock, 10);
        for (size_t begin = 0; begin < 1000;) {
            kdr_particles slice = kdr_particles_slice(&pieces, begin, 1 + random_bits(&seed) % 97);
            kdr_clock own = {0, 0.01, 0};
            advance(i % RUNNERS, &desc, &slice, &own, 4);
            advance(i % RUNNERS, &desc, &slice, &own, 6);
            begin += slice.count;
        }
        cr_expect(same_bits(&whole, &pieces), "case %d", i);
        kdr_particles_destroy(&whole);
        kdr_particles_destroy(&pieces);
    }
}

/* There are more particles than a tile of any specialised kernel, each with its own mass, some frozen. */
Test(physics_field, masses_belong_to_their_particles_in_whole_tiles) {
    static const kdr_method methods[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET, KDR_RK4};
    const kdr_force forces[] = {kdr_force_spring(3, 0.5, 0, 0), kdr_force_drag(0.5, 0, 0.25, 0)};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            uint64_t seed = 11;
            kdr_particles start = make_particles(1500, 3, (kdr_real)real, true, false), p[2];
            kdr_clock clock[2] = {{0, 0.0625, 0}, {0, 0.0625, 0}};
            fill_random(&start, &seed);
            for (size_t i = 0; i < start.count; i += 7) {
                set(start.inverse_mass, (kdr_real)real, i, 0);
            }
            kdr_integrator_desc desc = kdr_integrator_desc_default();
            desc.method = methods[m], desc.real = (kdr_real)real, desc.forces = forces, desc.force_count = 2;
            for (int by = 0; by < 2; ++by) {
                p[by] = make_particles(start.count, 3, (kdr_real)real, true, false);
                copy_state(&p[by], &start);
                advance(by ? BY_REFERENCE : BY_INTEGRATOR, &desc, &p[by], &clock[by], 9);
            }
            cr_expect(same_bits(&p[0], &p[1]), "%s", kdr_method_get(methods[m])->name);
            for (int by = 0; by < 2; ++by) {
                kdr_particles_destroy(&p[by]);
            }
            kdr_particles_destroy(&start);
        }
    }
}
