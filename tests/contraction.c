/* Contraction is off in the built library: products and sums are fused exactly where the arithmetic says so.
 *
 * With p = 1 + 2^-12 in float, p p = 1 + 2^-11 + 2^-24 rounds to 1 + 2^-11. So p p - (1 + 2^-11) is 0 if both operations round, and 2^-24
 * if they are fused. In double the same holds with 2^-27. The values pass through volatile, so that the compiler cannot compute the sum. */
#include "support.h"

static const struct {
    double factor, base, fused;
} cases[KDR_REAL_COUNT] = {
    [KDR_F32] = {1 + 0x1p-12, -(1 + 0x1p-11), 0x1p-24},
    [KDR_F64] = {1 + 0x1p-27, -(1 + 0x1p-26), 0x1p-54},
};

enum { COUNT = 35 };

static double launder(double value) {
    volatile double hidden = value;
    return hidden;
}

/* Checks x += h v in the drift of the step, and v += h a in its kick. */
static void check(int runner, kdr_backend backend, kdr_method method, kdr_real real, kdr_arithmetic arithmetic) {
    const double factor = launder(cases[real].factor), base = launder(cases[real].base);
    const double expected = arithmetic == KDR_FUSED ? launder(cases[real].fused) : 0;
    const kdr_force push = kdr_force_uniform_acceleration(0, factor, 0);
    kdr_integrator_desc desc = describe(method, real, arithmetic, &push, 1);
    desc.backend = backend;
    kdr_particles p = make_particles(COUNT, 2, real, false, false);
    for (size_t i = 0; i < COUNT; ++i) {
        put_state(&p, i, &(state){{base, 0, 0}, {factor, base, 0}});
    }
    kdr_clock clock = {0, factor, 0};
    advance(runner, &desc, &p, &clock, 1);
    for (size_t i = 0; i < COUNT; ++i) {
        const state s = get_state(&p, i);
        cr_assert(s.x[0] == expected && s.v[1] == expected, "%s %s %s, %s, particle %zu: drift %a, kick %a, expected %a",
                  kdr_method_get(method)->name, kdr_real_name(real), kdr_arithmetic_name(arithmetic),
                  runner == BY_REFERENCE ? "reference" : "kernel", i, s.x[0], s.v[1], expected);
    }
    kdr_particles_destroy(&p);
}

/* Checks two methods whose rows multiply by 1 only. */
static void check_all(int runner, kdr_backend backend) {
    static const kdr_method methods[] = {KDR_EXPLICIT_EULER, KDR_SEMI_IMPLICIT_EULER};
    for (int i = 0; i < 2 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++i) {
        check(runner, backend, methods[i % 2], (kdr_real)(i / 2 % KDR_REAL_COUNT), (kdr_arithmetic)(i / 2 / KDR_REAL_COUNT));
    }
}

/* Checks for every method that 20 steps differ between the two arithmetics. They would not if a compiler fused what must be rounded twice,
 * or if one kernel served both. After one step rounding hides the difference in two numbers of three, after twenty it does not. */
static void check_apart(int runner, kdr_backend backend, kdr_method method, kdr_real real) {
    const kdr_force forces[] = {kdr_force_centre(1, 0.25, 0, 0, 0.5), kdr_force_spring(0.7, 0.1, 0.2, 0.3),
                                kdr_force_driven(1, 0.5, 0, 2, 0)};
    kdr_particles p[KDR_ARITHMETIC_COUNT];
    for (int a = 0; a < KDR_ARITHMETIC_COUNT; ++a) {
        const bool affine = kdr_method_get(method)->affine; /* affine methods get the spring alone */
        kdr_integrator_desc desc = describe(method, real, (kdr_arithmetic)a, forces + affine, affine ? 1 : 3);
        desc.backend = backend;
        p[a] = make_particles(COUNT, 2, real, false, false);
        uint64_t seed = 1;
        fill_random(&p[a], &seed);
        kdr_clock clock = {0, 0.07, 0};
        advance(runner, &desc, &p[a], &clock, 20);
    }
    int same = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        const state fused = get_state(&p[KDR_FUSED], i), unfused = get_state(&p[KDR_UNFUSED], i);
        for (int axis = 0; axis < 2; ++axis) {
            same += (fused.x[axis] == unfused.x[axis]) + (fused.v[axis] == unfused.v[axis]);
        }
    }
    /* Stormer-Verlet has one product and sum per step, exact-affine two per component. */
    const bool few = !kdr_family_get(kdr_method_get(method)->family)->velocities || kdr_method_get(method)->affine;
    cr_expect(same < (few ? 4 * COUNT - COUNT / 10 : 3 * COUNT), "%s %s, %s: %d of %d numbers are equal in both arithmetics",
              kdr_method_get(method)->name, kdr_real_name(real), runner == BY_REFERENCE ? "reference" : "kernel", same, 4 * COUNT);
    kdr_particles_destroy(&p[KDR_FUSED]);
    kdr_particles_destroy(&p[KDR_UNFUSED]);
}

static void check_all_apart(int runner, kdr_backend backend) {
    for (int i = 0; i < KDR_METHOD_COUNT * KDR_REAL_COUNT; ++i) {
        check_apart(runner, backend, (kdr_method)(i / KDR_REAL_COUNT), (kdr_real)(i % KDR_REAL_COUNT));
    }
}

Test(contraction, the_tests_themselves) {
    volatile double factor = cases[KDR_F64].factor, base = cases[KDR_F64].base;
    cr_expect(factor * factor + base == 0);
    cr_expect(fma(factor, factor, base) == 0x1p-54);
}

Test(contraction, reference) {
    check_all(BY_REFERENCE, KDR_BACKEND_AUTO);
    check_all_apart(BY_REFERENCE, KDR_BACKEND_AUTO);
}

Test(contraction, kernels) {
    int ran = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        if (!info.runnable) {
            fprintf(stderr, "skipped %s: %s\n", info.name, info.reason);
            continue;
        }
        check_all(BY_INTEGRATOR, (kdr_backend)b);
        check_all_apart(BY_INTEGRATOR, (kdr_backend)b);
        ++ran;
    }
    cr_expect(ran >= 1);
}

/* Returns a float of any kind: with few significant bits or all, with any exponent, sometimes 0, subnormal or infinite. */
static float hard_float(uint64_t *seed) {
    const uint64_t kind = (uint64_t)random_in(seed, 0, 16), low = (uint64_t)random_in(seed, 0, 0x1p24);
    const uint32_t mantissa = (uint32_t)(kind < 8 ? low : kind < 12 ? low >> 21 : 0x800000 - (low >> 21)) & 0x7fffff;
    const uint32_t exponent = (uint32_t)(kind == 15 ? random_in(seed, 0, 256) : 127 + random_in(seed, -30, 30));
    const uint32_t bits = (low & 1 ? 0x80000000 : 0) | (exponent & 0xff) << 23 | (kind == 7 && low % 64 == 0 ? 0 : mantissa);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A fused operation rounds once, even if the exact result rounded to double would be halfway between two floats. v is chosen so that the
 * product is almost half a unit in the last place of x. */
Test(contraction, fused_rounds_once) {
    enum { CALLS = 2000, EACH = 67 };
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        uint64_t seed = test_seed();
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        if (!info.runnable) {
            continue;
        }
        kdr_particles p = make_particles(EACH, 1, KDR_F32, false, false);
        kdr_pass_options options;
        cr_assert(kdr_pass_options_init(KDR_FUSED, (kdr_backend)b, kdr_executor_serial(), &options, NULL) == KDR_OK);
        for (int call = 0; call < CALLS; ++call) {
            float h = hard_float(&seed), x[EACH], v[EACH];
            h = isfinite(h) ? h : 1.5F;
            for (size_t i = 0; i < EACH; ++i) {
                x[i] = hard_float(&seed);
                v[i] = i % 2 || h == 0 ? hard_float(&seed) : (nextafterf(x[i], INFINITY) - x[i]) / 2 / h;
            }
            memcpy(p.x[0], x, sizeof x);
            memcpy(p.v[0], v, sizeof v);
            cr_assert(kdr_drift(&p, h, &options, NULL) == KDR_OK);
            for (size_t i = 0; i < EACH; ++i) {
                const float expected = fmaf(h, v[i], x[i]), got = ((const float *)p.x[0])[i];
                cr_assert((isnan(expected) && isnan(got)) || memcmp(&expected, &got, sizeof got) == 0, "%s: %a + %a %a is %a, got %a",
                          info.name, (double)x[i], (double)h, (double)v[i], (double)expected, (double)got);
            }
        }
        kdr_particles_destroy(&p);
    }
}
