/* Observables are compared with values worked out by hand, and do not depend on threads or alignment. Comparison and fingerprints are
 * tested too. */
#include "support.h"

#include <float.h>

static kdr_integrator *make_integrator(kdr_real real, const kdr_force *forces, size_t count, kdr_executor executor) {
    kdr_integrator_desc desc = describe(KDR_EXPLICIT_EULER, real, KDR_FUSED, forces, count);
    desc.executor = executor;
    kdr_integrator *integrator;
    kdr_error error;
    cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
    return integrator;
}

static kdr_observables observe_by(kdr_executor executor, const kdr_force *forces, size_t count, const kdr_particles *p, double t) {
    kdr_integrator *integrator = make_integrator(p->real, forces, count, executor);
    const kdr_clock clock = {t, 0.25, 0};
    kdr_observables o;
    kdr_error error;
    memset(&o, 0xa5, sizeof o);
    cr_assert(kdr_observe(integrator, p, &clock, &o, &error) == KDR_OK, "%s", error.message);
    kdr_integrator_destroy(integrator);
    return o;
}

static kdr_observables observe(const kdr_force *forces, size_t count, const kdr_particles *p, double t) {
    return observe_by(kdr_executor_serial(), forces, count, p, t);
}

/* Returns particles with masses 2, 1/2 and 1, and a frozen particle whose state is not finite. */
static kdr_particles four(kdr_real real) {
    kdr_particles p = make_particles(4, 3, real, true, false);
    put_state(&p, 0, &(state){{1, 2, 3}, {1, -1, 2}});
    put_state(&p, 1, &(state){{-2, 0, 4}, {0, 4, 2}});
    put_state(&p, 2, &(state){{NAN, INFINITY, 0}, {-INFINITY, NAN, 1}});
    put_state(&p, 3, &(state){{0, 1, -1}, {3, 0, -4}});
    static const double inverse_masses[] = {0.5, 2, 0, 1};
    for (size_t i = 0; i < 4; ++i) {
        set(p.inverse_mass, real, i, inverse_masses[i]);
    }
    return p;
}

Test(observe, sums_by_hand) {
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        kdr_particles p = four((kdr_real)real);
        const kdr_observables o = observe(NULL, 0, &p, 0);
        cr_expect(o.kinetic == 0.5 * (2 * 6 + 0.5 * 20 + 25) && o.potential == 0 && o.energy == o.kinetic);
        cr_expect(o.momentum[0] == 2 + 0 + 3 && o.momentum[1] == -2 + 2 + 0 && o.momentum[2] == 4 + 1 - 4);
        /* x cross v is (7, 1, -3), (-16, 4, -8), (-4, -3, -3). */
        cr_expect(o.angular_momentum[0] == 14 - 8 - 4 && o.angular_momentum[1] == 2 + 2 - 3 && o.angular_momentum[2] == -6 - 4 - 3);
        kdr_particles_destroy(&p);
    }
}

Test(observe, axes_that_are_not_there) {
    const kdr_force forces[] = {kdr_force_spring(1, 0, 0, 0), kdr_force_uniform_acceleration(1, 1, 1)};
    for (int dims = 1; dims <= 2; ++dims) {
        kdr_particles p = four(KDR_F64);
        p.dims = dims;
        for (int axis = dims; axis < 3; ++axis) {
            p.x[axis] = p.v[axis] = (void *)(uintptr_t)8; /* must not be read */
        }
        const kdr_observables o = observe(forces, 2, &p, 0);
        cr_expect(o.kinetic == (dims == 2 ? 0.5 * (2 * 2 + 0.5 * 16 + 9) : 0.5 * (2 + 9)));
        cr_expect(o.potential == (dims == 2 ? 0.5 * (5 + 4 + 1) - (2 * 3 - 1 + 1) : 0.5 * (1 + 4) - (2 - 1)));
        cr_expect(o.momentum[1] == 0 && o.momentum[2] == 0 && o.angular_momentum[0] == 0 && o.angular_momentum[1] == 0);
        cr_expect(o.angular_momentum[2] == (dims == 2 ? -6 - 4 - 3 : 0));
        set(p.x[0], KDR_F64, 0, INFINITY); /* would be NaN if multiplied by the 0 of an absent axis */
        const kdr_observables far = observe(forces, 2, &p, 0);
        cr_expect(far.momentum[2] == 0 && far.angular_momentum[0] == 0 && far.angular_momentum[1] == 0);
        kdr_particles_destroy(&p);
    }
}

static kdr_force spring_with(const void *k_each, const void *const at_each[3]) {
    kdr_force spring = kdr_force_spring(3, 1, 1, 1);
    spring.as.spring.k[1] = 5;
    spring.as.spring.k_each = k_each;
    for (int axis = 0; axis < 3; ++axis) {
        spring.as.spring.at_each[axis] = at_each ? at_each[axis] : NULL;
    }
    spring.as.spring.count = 4;
    return spring;
}

Test(observe, potentials_by_hand) {
    kdr_particles p = four(KDR_F64);
    static const double k[] = {1, 2, NAN, 4}, ones[] = {1, 1, NAN, 1}, zeros[4] = {0};
    const double *const anchors[] = {ones, zeros, ones};
    const void *const at[] = {anchors[0], anchors[1], anchors[2]};
    const double e[] = {1, 2, 3}, b[] = {7, 8, 9};
    const struct {
        kdr_force force;
        double potential;
    } cases[] = {
        {kdr_force_uniform_acceleration(1, 2, -3), -(2 * (1 + 4 - 9) + 0.5 * (-2 - 12) + (2 + 3))},
        {kdr_force_uniform_force(1, 2, -3), -((1 + 4 - 9) + (-2 - 12) + (2 + 3))},
        {spring_with(NULL, NULL), 0.5 * (3 * (0 + 4) + 5 * 1 + 3 * (9 + 9) + 5 * 1 + 3 * (1 + 4) + 5 * 0)},
        {spring_with(k, NULL), 0.5 * ((0 + 1 + 4) + 2 * (9 + 1 + 9) + 4 * (1 + 0 + 4))},
        {spring_with(NULL, at), 0.5 * (3 * (0 + 4) + 5 * 4 + 3 * (9 + 9) + 5 * 0 + 3 * (1 + 4) + 5 * 1)},
        {spring_with(k, at), 0.5 * ((0 + 4 + 4) + 2 * (9 + 0 + 9) + 4 * (1 + 1 + 4))},
        {kdr_force_drag(3, 1, 2, 3), 0},
        {kdr_force_quadratic_drag(3, 1, 2, 3), 0},
        {kdr_force_electromagnetic(2, e, b), -2 * ((1 + 4 + 9) + (-2 + 12) + (2 - 3))},
        /* The squared distances from (0, 1, 3) with softening 2 are 1 + 1 + 0 + 4, 4 + 1 + 1 + 4, 0 + 0 + 16 + 4. */
        {kdr_force_centre(6, 0, 1, 3, 2), -6 * (2 / sqrt(6) + 0.5 / sqrt(10) + 1 / sqrt(20))},
        {kdr_force_driven(1, 2, -3, 2, 0.5), -(2 * (1 + 4 - 9) + 0.5 * (-2 - 12) + (2 + 3)) * cos(2 * 0.75 + 0.5)},
    };
    double sum = 0;
    kdr_force all[sizeof cases / sizeof *cases];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const kdr_observables o = observe(&cases[i].force, 1, &p, 0.75);
        cr_expect(close_to(o.potential, cases[i].potential, 4e-15 * fabs(cases[i].potential)), "case %zu: %.17g, not %.17g", i, o.potential,
                  cases[i].potential);
        cr_expect(o.energy == o.kinetic + o.potential && o.kinetic == 23.5);
        all[i] = cases[i].force;
        sum += cases[i].potential;
    }
    const kdr_observables o = observe(all, sizeof cases / sizeof *cases, &p, 0.75);
    cr_expect(close_to(o.potential, sum, 4e-14), "%.17g, expected %.17g", o.potential, sum);
    kdr_particles_destroy(&p);
}

/* The gradient of the potential, by central differences, is the force, by the change of v in one step of explicit Euler. */
Test(observe, potentials_are_those_of_the_forces) {
    static const double each[] = {1.5}, anchor[] = {0.25};
    kdr_force borrowed = kdr_force_spring(1, 0, 0, 0);
    borrowed.as.spring.k_each = each;
    borrowed.as.spring.at_each[0] = borrowed.as.spring.at_each[1] = borrowed.as.spring.at_each[2] = anchor;
    borrowed.as.spring.count = 1;
    const double e[] = {1, -2, 3}, none[] = {0, 0, 0};
    const kdr_force forces[] = {
        kdr_force_uniform_acceleration(1, 2, -3), kdr_force_uniform_force(1, 2, -3),      kdr_force_spring(3, 1, -1, 0.5),   borrowed,
        kdr_force_electromagnetic(2, e, none),    kdr_force_centre(1.5, 0.5, 0, 1, 0.25), kdr_force_driven(1, 2, -3, 2, 0.5)};
    for (size_t f = 0; f < sizeof forces / sizeof *forces; ++f) {
        kdr_integrator *integrator = make_integrator(KDR_F64, &forces[f], 1, kdr_executor_serial());
        kdr_particles p = make_particles(1, 3, KDR_F64, true, false);
        const state start = {{0.75, -0.5, 0.25}, {0, 0, 0}};
        put_state(&p, 0, &start);
        set(p.inverse_mass, KDR_F64, 0, 0.5);
        kdr_clock clock = {0.375, 1, 0};
        double slope[3];
        for (int axis = 0; axis < 3; ++axis) {
            double potential[2];
            for (int side = 0; side < 2; ++side) {
                state s = start;
                s.x[axis] += side ? 0x1p-16 : -0x1p-16;
                put_state(&p, 0, &s);
                kdr_observables o;
                cr_assert(kdr_observe(integrator, &p, &clock, &o, NULL) == KDR_OK);
                potential[side] = o.potential;
            }
            slope[axis] = (potential[1] - potential[0]) / 0x1p-15;
        }
        put_state(&p, 0, &start);
        cr_assert(kdr_integrator_run(integrator, &p, &clock, 1, NULL) == KDR_OK);
        for (int axis = 0; axis < 3; ++axis) {
            const double force = get(p.v[axis], KDR_F64, 0) / 0.5;
            cr_expect(close_to(force, -slope[axis], 1e-8), "force %zu, axis %d: %.12g, slope %.12g", f, axis, force, slope[axis]);
        }
        kdr_particles_destroy(&p);
        kdr_integrator_destroy(integrator);
    }
}

/* The integrator has its own copy of the list from its creation on. */
Test(observe, forces_are_copied) {
    kdr_particles p = four(KDR_F64);
    kdr_force list[] = {kdr_force_uniform_force(1, 2, -3), kdr_force_spring(1, 0, 0, 0)};
    const kdr_observables before = observe(list, 2, &p, 0);
    kdr_integrator *integrator = make_integrator(KDR_F64, list, 2, kdr_executor_serial());
    memset(list, 0, sizeof list);
    const kdr_clock clock = {0, 0.25, 0};
    kdr_observables after;
    cr_assert(kdr_observe(integrator, &p, &clock, &after, NULL) == KDR_OK);
    cr_expect(after.potential == before.potential && before.potential != 0);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
}

Test(observe, threads_and_alignment_change_no_bit) {
    enum { COUNT = 200003 }; /* four groups of blocks, and a tail */
    uint64_t seed = test_seed();
    const kdr_force forces[] = {kdr_force_spring(3, 1, -1, 0.5), kdr_force_centre(1.5, 0.5, 0, 1, 0.25),
                                kdr_force_driven(1, 2, -3, 2, 0.5)};
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        kdr_particles p = make_particles(COUNT, 3, (kdr_real)real, true, false);
        fill_random(&p, &seed);
        const kdr_observables serial = observe(forces, 3, &p, 0.5);
        kdr_executor executors[MAX_EXECUTORS];
        const size_t n = list_executors(executors);
        for (size_t i = 0; i < n; ++i) {
            const kdr_observables o = observe_by(executors[i], forces, 3, &p, 0.5);
            cr_expect(memcmp(&o, &serial, sizeof o) == 0, "executor %zu", i);
        }
        const size_t bytes = COUNT * kdr_real_size(p.real);
        char *lent[7];
        void **const arrays[] = {&p.x[0], &p.x[1], &p.x[2], &p.v[0], &p.v[1], &p.v[2], &p.inverse_mass};
        for (int a = 0; a < 7; ++a) {
            lent[a] = malloc(bytes + 8);
            cr_assert(lent[a]);
            *arrays[a] = memcpy(lent[a] + 1 + a, *arrays[a], bytes);
        }
        const kdr_observables o = observe(forces, 3, &p, 0.5);
        cr_expect(memcmp(&o, &serial, sizeof o) == 0);
        for (int a = 0; a < 7; ++a) {
            free(lent[a]);
        }
        kdr_particles_destroy(&p);
    }
}

/* Large terms that cancel across blocks do not affect the small ones. Infinities stay infinities. */
Test(observe, sums_are_compensated) {
    kdr_particles p = make_particles(5003, 1, KDR_F64, false, false); /* with a tail of 3 */
    for (size_t i = 0; i < p.count; ++i) {
        set(p.v[0], KDR_F64, i, 1);
    }
    set(p.v[0], KDR_F64, 0, 1e17);
    set(p.v[0], KDR_F64, 3000, 1e17);
    set(p.v[0], KDR_F64, 4999, -2e17);
    cr_expect(observe(NULL, 0, &p, 0).momentum[0] == 5000);
    set(p.v[0], KDR_F64, 2000, INFINITY);
    const kdr_observables o = observe(NULL, 0, &p, 0);
    cr_expect(o.momentum[0] == INFINITY && o.kinetic == INFINITY && o.energy == INFINITY);
    set(p.v[0], KDR_F64, 2500, NAN);
    cr_expect(isnan(observe(NULL, 0, &p, 0).momentum[0]));
    kdr_particles_destroy(&p);
    p = kdr_particles_default();
    cr_expect(observe(NULL, 0, &p, 0).energy == 0);
}

/* Each group of 65,536 particles has its own velocity and position. The sums are whole numbers, and so exact. */
Test(observe, every_group_is_summed) {
    enum { GROUP = 65536, GROUPS = 3, TAIL = 5 };
    const kdr_force pull = kdr_force_uniform_force(-1, 0, 0);
    kdr_particles p = make_particles(GROUPS * GROUP + TAIL, 1, KDR_F64, false, false);
    for (size_t i = 0; i < p.count; ++i) {
        set(p.x[0], KDR_F64, i, (double)(i / GROUP * 10));
        set(p.v[0], KDR_F64, i, (double)(i / GROUP + 1));
    }
    const kdr_observables o = observe(&pull, 1, &p, 0);
    cr_expect(o.momentum[0] == 6.0 * GROUP + 4 * TAIL && o.kinetic == 7.0 * GROUP + 8 * TAIL && o.potential == 30.0 * GROUP + 30 * TAIL,
              "momentum %g, energies %g and %g", o.momentum[0], o.kinetic, o.potential);
    kdr_particles_destroy(&p);
}

static size_t first_non_finite(const kdr_particles *p) {
    size_t index = SIZE_MAX;
    cr_assert(kdr_first_non_finite(p, &index, NULL) == KDR_OK);
    return index;
}

Test(observe, first_non_finite_is_the_first) {
    static const size_t places[] = {0, 1, 1022, 1023, 1024, 2047, 2500, 2999};
    for (int shape = 0; shape < 3 * KDR_REAL_COUNT; ++shape) {
        kdr_particles p = make_particles(3000, 1 + shape / 2, (kdr_real)(shape % 2), true, false);
        const double largest = p.real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
        const double tiny = p.real == KDR_F32 ? 0x1p-149 : 0x1p-1074;
        const double values[] = {NAN, -NAN, INFINITY, -INFINITY};
        for (size_t i = 0; i < p.count; ++i) {
            set(p.x[0], p.real, i, i % 2 ? largest : -tiny);
            set(p.v[0], p.real, i, i % 2 ? -largest : -0.0);
            set(p.inverse_mass, p.real, i, NAN);
        }
        cr_expect(first_non_finite(&p) == 3000);
        for (size_t i = 0; i < sizeof places / sizeof *places * 6; ++i) {
            const int array = (int)(i % 6);
            const size_t place = places[i / 6];
            if (array % 3 >= p.dims) {
                continue;
            }
            void *data = array < 3 ? p.x[array] : p.v[array - 3];
            const double old = get(data, p.real, place), older = get(p.v[0], p.real, 2999);
            set(p.v[0], p.real, 2999, NAN);
            set(data, p.real, place, values[i % 4]);
            cr_expect(first_non_finite(&p) == place, "array %d at %zu", array, place);
            set(p.v[0], p.real, 2999, older);
            set(data, p.real, place, old);
        }
        cr_expect(first_non_finite(&p) == 3000);
        kdr_particles_destroy(&p);
    }
    const kdr_particles none = kdr_particles_default();
    cr_expect(first_non_finite(&none) == 0);
}

static kdr_difference compare(const kdr_particles *a, const kdr_particles *b) {
    kdr_difference d;
    memset(&d, 0xa5, sizeof d);
    cr_assert(kdr_compare(a, b, &d, NULL) == KDR_OK);
    return d;
}

Test(compare, distances_in_units_in_the_last_place) {
    static const struct {
        uint64_t a, b, ulp;
    } doubles[] = {
        {0x3ff0000000000000, 0x3ff0000000000000, 0},
        {0x3ff0000000000000, 0x3ff0000000000001, 1},
        {0x3fefffffffffffff, 0x3ff0000000000000, 1}, /* across a power of two */
        {0xbff0000000000003, 0xbff0000000000000, 3},
        {0x0000000000000000, 0x8000000000000000, 1}, /* 0 and -0 */
        {0x0000000000000002, 0x8000000000000001, 4}, /* 2, 1, 0, -0, -1 */
        {0x7fefffffffffffff, 0x7ff0000000000000, 1}, /* the largest, and infinity */
        {0x7ff0000000000000, 0xfff0000000000000, 0xffe0000000000001},
        {0x7ff8000000000000, 0xfff8000000000123, 0}, /* any NaN equals any other */
        {0x7ff0000000000001, 0x7ff0000000000000, UINT64_MAX},
        {0xfff8000000000000, 0x0000000000000000, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles * 2; ++i) {
        const uint64_t a = i % 2 ? doubles[i / 2].b : doubles[i / 2].a, b = i % 2 ? doubles[i / 2].a : doubles[i / 2].b;
        kdr_particles p = make_particles(1, 1, KDR_F64, false, false), q = make_particles(1, 1, KDR_F64, false, false);
        memcpy(p.v[0], &a, 8);
        memcpy(q.v[0], &b, 8);
        const kdr_difference d = compare(&p, &q);
        const bool differ = doubles[i / 2].ulp != 0;
        cr_expect(d.max_ulp == doubles[i / 2].ulp && d.mismatches == differ && d.index == !differ, "%zu: %" PRIu64, i, d.max_ulp);
        cr_expect(!differ || (d.array == 3 && d.bits[0] == a && d.bits[1] == b && d.max_ulp_index == 0));
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
    cr_expect(isnan(from_bits(doubles[9].a)) && !isnan(from_bits(doubles[9].b)));
}

Test(compare, first_and_largest) {
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        kdr_particles p = make_particles(5000, 3, (kdr_real)real, false, false);
        kdr_particles q = make_particles(5000, 3, (kdr_real)real, false, false);
        for (size_t i = 0; i < 5000; ++i) {
            put_state(&p, i, &(state){{1, 1, 1}, {1, 1, 1}});
            put_state(&q, i, &(state){{1, 1, 1}, {1, 1, 1}});
        }
        kdr_difference d = compare(&p, &q);
        cr_expect(d.mismatches == 0 && d.index == 5000 && d.max_ulp == 0);
        const double ulp = real == KDR_F32 ? 0x1p-23 : 0x1p-52;
        set(q.x[0], q.real, 4999, 1 + ulp);
        set(q.x[2], q.real, 2500, 1 + 5 * ulp);
        set(q.v[1], q.real, 1100, 1 + 2 * ulp);
        set(q.v[0], q.real, 1100, 1 + 3 * ulp);
        set(q.v[2], q.real, 2501, 1 + 4 * ulp);
        d = compare(&p, &q);
        cr_expect(d.mismatches == 5 && d.index == 1100 && d.array == 3);
        cr_expect(d.bits[1] - d.bits[0] == 3 && d.max_ulp == 5 && d.max_ulp_index == 2500);
        q.dims = p.dims = 1; /* the rest is ignored, even if it is NULL */
        q.x[2] = NULL;
        d = compare(&p, &q);
        cr_expect(d.mismatches == 2 && d.index == 1100 && d.array == 3 && d.max_ulp_index == 1100);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
    kdr_particles p = make_particles(1, 1, KDR_F32, false, false), q = make_particles(1, 1, KDR_F32, false, false);
    *(float *)p.x[0] = float_from_bits(0x7fc00000);
    *(float *)q.x[0] = float_from_bits(0xff800001);
    cr_expect(compare(&p, &q).mismatches == 0);
    *(float *)q.x[0] = float_from_bits(0xff800000);
    cr_expect(compare(&p, &q).max_ulp == UINT64_MAX);
    *(float *)p.x[0] = -0.0f;
    *(float *)q.x[0] = 0.0f;
    const kdr_difference d = compare(&p, &q);
    cr_expect(d.mismatches == 1 && d.max_ulp == 1 && d.bits[0] == 0x80000000 && d.bits[1] == 0);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&q);
}

static uint64_t fingerprint(const kdr_particles *p) {
    uint64_t value = 0;
    cr_assert(kdr_fingerprint(p, &value, NULL) == KDR_OK);
    return value;
}

/* Returns particles with x = 1, 2, ..., v = -1/2, -1/4, ... */
static kdr_particles ramp(size_t count, int dims, kdr_real real) {
    kdr_particles p = make_particles(count, dims, real, false, false);
    double x = 1, v = -0.5;
    for (int axis = 0; axis < dims; ++axis) {
        for (size_t i = 0; i < count; ++i) {
            set(p.x[axis], real, i, x++);
            set(p.v[axis], real, i, v);
            v = v > -0x1p-20 ? -0.5 : v / 2;
        }
    }
    return p;
}

/* The results of xxHash's own program (xxhsum -H3) for count, dims, real and the elements, written in little-endian order by hand. */
static const struct {
    size_t count;
    int dims;
    kdr_real real;
    uint64_t fingerprint;
} known[] = {
    {0, 3, KDR_F64, 0x4e879a8383c66b01}, {1, 1, KDR_F32, 0xc499904a3f1b4da6},    {3, 3, KDR_F64, 0xe21768d4d7c19295},
    {5, 2, KDR_F32, 0x8b65a52d28e7b5cb}, {1000, 3, KDR_F32, 0x99d3a8136a30a339}, {1000, 2, KDR_F64, 0x6023b5cf9e700eb8},
};

Test(fingerprint, known_answers) {
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        kdr_particles p = ramp(known[i].count, known[i].dims, known[i].real);
        cr_expect(fingerprint(&p) == known[i].fingerprint, "%zu: 0x%016" PRIx64, i, fingerprint(&p));
        kdr_particles_destroy(&p);
    }
}

Test(fingerprint, nans_are_one_and_zeros_two) {
    kdr_particles p = ramp(10, 2, KDR_F32);
    static const uint32_t nans[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff};
    uint64_t first = 0;
    for (int i = 0; i < 4; ++i) {
        memcpy((char *)p.v[1] + 12, &nans[i], 4);
        first = i ? first : fingerprint(&p);
        cr_expect(fingerprint(&p) == first);
    }
    set(p.v[1], KDR_F32, 3, INFINITY);
    cr_expect(fingerprint(&p) != first);
    kdr_particles_destroy(&p);
    p = ramp(10, 2, KDR_F64);
    static const uint64_t wide[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, UINT64_MAX};
    for (int i = 0; i < 4; ++i) {
        memcpy((char *)p.x[0] + 72, &wide[i], 8);
        first = i ? first : fingerprint(&p);
        cr_expect(fingerprint(&p) == first);
    }
    set(p.x[0], KDR_F64, 9, INFINITY);
    cr_expect(fingerprint(&p) != first);
    set(p.x[0], KDR_F64, 9, 0.0);
    first = fingerprint(&p);
    set(p.x[0], KDR_F64, 9, -0.0);
    cr_expect(fingerprint(&p) != first);
    kdr_particles_destroy(&p);
}

Test(fingerprint, every_bit_and_no_address_counts) {
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        kdr_particles p = ramp(700, 3, (kdr_real)real);
        const uint64_t whole = fingerprint(&p);
        for (int array = 0; array < 6; ++array) {
            unsigned char *data = array < 3 ? p.x[array] : p.v[array - 3];
            const size_t bytes = 700 * kdr_real_size(p.real);
            for (size_t byte = 0; byte < bytes; byte += 97) {
                data[byte] ^= 1;
                cr_expect(fingerprint(&p) != whole, "array %d, byte %zu", array, byte);
                data[byte] ^= 1;
            }
            unsigned char *lent = malloc(bytes + 16);
            cr_assert(lent);
            void **member = array < 3 ? &p.x[array] : &p.v[array - 3];
            for (int shift = 0; shift < 16; shift += 3) {
                *member = memcpy(lent + shift, data, bytes);
                cr_expect(fingerprint(&p) == whole, "array %d shifted by %d bytes", array, shift);
            }
            *member = data;
            free(lent);
        }
        p.memory_key = 5;
        cr_expect(fingerprint(&p) == whole);
        kdr_particles_destroy(&p);
    }
}

/* A system run of a field has the observables of the field run, to the bit. With a speed of light, v is momentum over mass and the kinetic
 * energy is m c^2 (gamma - 1). */
Test(observe, system_runs_of_a_field_observe_as_field_runs) {
    static const double light[] = {0, 1, 2.5};
    uint64_t seed = test_seed();
    const double e[3] = {1, 0, -1}, b[3] = {0, 2, 1};
    const kdr_force forces[] = {kdr_force_electromagnetic(0.5, e, b), kdr_force_spring(2, 0.5, 0, 0), kdr_force_driven(1, 2, 3, 4, 5)};
    kdr_particles p = make_particles(50, 3, KDR_F64, true, false);
    fill_random(&p, &seed);
    const kdr_clock clock = {0.5, 0.125, 7};
    for (size_t n = 0; n < sizeof light / sizeof *light; ++n) {
        kdr_integrator_desc field = describe(KDR_BORIS, KDR_F64, KDR_FUSED, forces, 3);
        kdr_system_desc desc = kdr_system_desc_default();
        desc.method = KDR_BORIS, desc.forces = forces, desc.force_count = 3;
        field.speed_of_light = desc.speed_of_light = light[n];
        kdr_integrator *integrator;
        kdr_system *system;
        kdr_observables alone, together;
        kdr_error error;
        cr_assert(kdr_integrator_create(&field, &integrator, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_observe(integrator, &p, &clock, &alone, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_system_observe(system, &p, &clock, &together, &error) == KDR_OK, "%s", error.message);
        cr_expect(memcmp(&alone, &together, sizeof alone) == 0, "c = %g: energies %.17g and %.17g", light[n], alone.energy,
                  together.energy);
        double kinetic = 0;
        for (size_t i = 0; i < p.count; ++i) {
            const state s = get_state(&p, i);
            const double square = s.v[0] * s.v[0] + s.v[1] * s.v[1] + s.v[2] * s.v[2], c = light[n];
            kinetic += (c > 0 ? c * c * (sqrt(1 + square / (c * c)) - 1) : square / 2) / get(p.inverse_mass, p.real, i);
        }
        cr_expect(close_to(together.kinetic, kinetic, 1e-12 * kinetic), "c = %g: %.17g, expected %.17g", light[n], together.kinetic,
                  kinetic);
        kdr_integrator_destroy(integrator);
        kdr_system_destroy(system);
    }
    kdr_particles_destroy(&p);
}
