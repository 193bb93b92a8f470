/* Custom fields: compared with built-in forces of the same operations, with their own reference by the equality engine, and with closed
 * forms. Refusals and the functions of the vocabulary are checked too. */
#include "check.h"
#include "force/custom.h"
#include "method/method.h"
#include "methods.h"

#include <kickdrift/custom_field.h> /* the vocabulary in plain C: double, fused */

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <float.h>

KDR_DECLARE_CUSTOM_FIELD(morse);
KDR_DECLARE_CUSTOM_FIELD(spring_damper);
KDR_DECLARE_CUSTOM_FIELD(swell);
KDR_DECLARE_CUSTOM_FIELD(vortex);

static const kdr_custom_field *const fields[] = {&kdr_custom_field_morse, &kdr_custom_field_spring_damper, &kdr_custom_field_swell};
enum { FIELDS = sizeof fields / sizeof *fields };

static kdr_particles random_particles(int dims, kdr_real real, bool masses) {
    uint64_t seed = 7;
    kdr_particles p = make_particles(1003, dims, real, masses, false);
    fill_random(&p, &seed);
    return p;
}

/* Compares with the built-in spring and drag, which fold into the same two operations per axis. */
static void expect_built_in_bits(kdr_method method, kdr_real real, kdr_arithmetic arithmetic, int dims, bool masses) {
    const kdr_force built_in[] = {kdr_force_uniform_acceleration(0.5, -0.25, 1), kdr_force_spring(1.5, 0, 0, 0),
                                  kdr_force_drag(0.25, 0, 0, 0)};
    const kdr_force fused[] = {kdr_force_uniform_acceleration(0.5, -0.25, 1),
                               kdr_force_custom(&kdr_custom_field_spring_damper, (const double[]){-1.5, -0.25})};
    kdr_integrator_desc expected = describe(method, real, arithmetic, built_in, 3), desc = describe(method, real, arithmetic, fused, 2);
    expected.langevin = desc.langevin =
        kdr_family_get(kdr_method_get(method)->family)->heat_bath ? (kdr_langevin){0.5, 1, 3} : (kdr_langevin){0, 0, 0};
    kdr_particles a = random_particles(dims, real, masses), b = random_particles(dims, real, masses);
    kdr_clock clock = {0, 1.0 / 32, 0}, other = clock;
    advance(BY_INTEGRATOR, &expected, &a, &clock, 20);
    advance(BY_INTEGRATOR, &desc, &b, &other, 20);
    cr_expect(same_bits(&a, &b), "%s %s %s, %d axes, masses %d", kdr_method_get(method)->name, kdr_real_name(real),
              kdr_arithmetic_name(arithmetic), dims, masses);
    cr_expect(a.count == 1003 && get(a.x[0], real, 5) != get(random_particles(dims, real, masses).x[0], real, 5));
    kdr_particles_destroy(&a);
    kdr_particles_destroy(&b);
}

Test(custom_fields, bits_of_the_built_in_field) {
    int compared = 0;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *const info = kdr_method_get((kdr_method)m);
        const kdr_row *const row = kdr_row_get((kdr_method)m);
        if (info->velocity_forces != KDR_VELOCITY_ANY || row->data.implicit || row->data.kinematic) {
            continue; /* refused, or with another order of operations */
        }
        for (int i = 0; i < 24; ++i) {
            expect_built_in_bits((kdr_method)m, (kdr_real)(i % 2), (kdr_arithmetic)(i / 2 % 2), 1 + i / 4 % 3, i / 12 == 1);
            ++compared;
        }
    }
    cr_expect(compared >= 24 * 30, "%d", compared);
}

static void print_mismatch(void *context, const kdr_check_mismatch *mismatch) {
    char text[512];
    int *printed = context;
    if ((*printed)++ < 3) {
        fprintf(stderr, "backend=%d field=%s %s\n", (int)mismatch->backend, kdr_custom_field_name(mismatch->test.field),
                kdr_check_case_describe(&mismatch->test, text, sizeof text));
        fprintf(stderr, "  %s\n", kdr_check_mismatch_describe(mismatch, text, sizeof text));
    }
}

/* Lists the backends that run here and that the field was compiled for. */
static size_t list_runners(const kdr_custom_field *field, kdr_check_runner runners[KDR_BACKEND_LAST]) {
    size_t count = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        cr_expect(field != &kdr_custom_field_swell || info.compiled == (field->operations[b][KDR_F32][KDR_FUSED] != NULL), "%s", info.name);
        if (info.runnable && field->operations[b][KDR_F32][KDR_FUSED]) {
            runners[count++] = (kdr_check_runner){(kdr_backend)b, NULL, NULL};
        }
    }
    return count;
}

typedef struct parameter {
    int field, method;
} parameter;

ParameterizedTestParameters(custom_fields, equality) {
    static parameter parameters[FIELDS * KDR_CHECK_METHODS];
    for (int i = 0; i < FIELDS * KDR_CHECK_METHODS; ++i) {
        parameters[i] = (parameter){i % FIELDS, i / FIELDS};
    }
    return cr_make_param_array(parameter, parameters, FIELDS * KDR_CHECK_METHODS);
}

/* Each field runs a share of the quick plan, one case in nine, which covers all variants in turn. `kickdrift verify --field` runs all. */
enum { SHARES = 9 };
_Static_assert(SHARES % FIELDS == 0 && SHARES % 2 == 1, "a share of its own for each field; four variants follow each other");

ParameterizedTest(const parameter *p, custom_fields, equality) {
    kdr_check_runner runners[KDR_BACKEND_LAST];
    kdr_check_tally tallies[KDR_BACKEND_LAST] = {{0}};
    kdr_check_engine *engine = kdr_check_engine_create();
    const kdr_check_plan plan = {KDR_CHECK_DEFAULT_SEED, p->method, KDR_CHECK_QUICK, fields[p->field]};
    const size_t runner_count = list_runners(fields[p->field], runners);
    uint64_t refused = 0, all = 0;
    int printed = 0;
    cr_assert(engine && runner_count > 0);
    for (uint32_t i = (uint32_t)(p->field + FIELDS * (p->method % (SHARES / FIELDS))); i < kdr_check_plan_size(&plan); i += SHARES) {
        const kdr_check_case test = kdr_check_plan_case(&plan, i);
        kdr_check_case_run(engine, &test, runners, runner_count, tallies, print_mismatch, &printed);
        refused += kdr_check_case_refused(&test);
        ++all;
    }
    for (size_t i = 0; i < runner_count; ++i) {
        cr_expect(tallies[i].mismatches == 0, "%s in %s, backend %d: %" PRIu64 " of %" PRIu64 " cases differ from the reference",
                  kdr_check_method_name(p->method), kdr_custom_field_name(fields[p->field]), (int)runners[i].backend, tallies[i].mismatches,
                  tallies[i].cases);
        cr_expect(tallies[i].refused == refused && tallies[i].cases + refused == all);
        cr_expect(tallies[i].fingerprint == tallies[0].fingerprint);
    }
    kdr_check_engine_destroy(engine);
}

/* The motion of a Morse oscillator of energy E < depth from its outer turning point is x(t) = radius + ln((1 + s cos(w t)) / (1 - E /
 * depth)) / steepness with s = sqrt(E / depth), w = steepness sqrt(2 (depth - E) / m) (P. M. Morse, Phys. Rev. 34 (1929) 57, in classical
 * mechanics). */
Test(custom_fields, morse_oscillator) {
    const double depth = 2, steepness = 1.5, radius = 3, energy = 1, inverse_mass = 0.5;
    const double s = sqrt(energy / depth), w = steepness * sqrt(2 * (depth - energy) * inverse_mass);
    const kdr_force trap = kdr_force_custom(&kdr_custom_field_morse, (const double[]){depth, steepness, radius});
    const kdr_method methods[] = {KDR_RK4, KDR_VELOCITY_VERLET, KDR_BLANES_MOAN_11B, KDR_KAHAN_LI_8, KDR_DPRKN_6};
    const double tolerance[] = {2e-7, 5e-4, 1e-9, 1e-11, 1e-9};
    for (int i = 0; i < 2 * (int)(sizeof methods / sizeof *methods); ++i) {
        const kdr_integrator_desc desc = describe(methods[i / 2], KDR_F64, KDR_FUSED, &trap, 1);
        kdr_particles p = make_particles(3, 1, KDR_F64, true, false);
        kdr_clock clock = {0, 1.0 / 128, 0};
        kdr_observables before, after;
        kdr_integrator *integrator = NULL;
        for (size_t n = 0; n < 3; ++n) {
            set(p.x[0], KDR_F64, n, radius + log((1 + s) / (1 - energy / depth)) / steepness);
            set(p.inverse_mass, KDR_F64, n, inverse_mass);
        }
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
        cr_assert(kdr_observe(integrator, &p, &clock, &before, NULL) == KDR_OK);
        advance(i % 2, &desc, &p, &clock, 1024);
        cr_assert(kdr_observe(integrator, &p, &clock, &after, NULL) == KDR_OK);
        const double x = radius + log((1 + s * cos(w * 8)) / (1 - energy / depth)) / steepness;
        const double v = -s * w * sin(w * 8) / (1 + s * cos(w * 8)) / steepness, error = fabs(get(p.x[0], KDR_F64, 2) - x);
        cr_expect(error < tolerance[i / 2], "%s: %g", kdr_method_get(methods[i / 2])->name, error);
        cr_expect(methods[i / 2] != KDR_VELOCITY_VERLET || error > 1e-7, "%g", error);
        cr_expect(close_to(get(p.v[0], KDR_F64, 2), v, 10 * tolerance[i / 2]));
        cr_expect(close_to(before.energy, 3 * energy, 1e-14) && close_to(before.kinetic, 0, 0), "%.17g", before.energy);
        cr_expect(close_to(after.energy, 3 * energy, 10 * tolerance[i / 2]), "%.17g", after.energy);
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&p);
    }
}

/* The potential of an acceleration is per unit of mass. Time and inverse mass reach it, and arrays may stand for a parameter. */
Test(custom_fields, potential_of_an_acceleration) {
    kdr_force swell = kdr_force_custom(&kdr_custom_field_swell, (const double[]){0.25, 1, 1, 1});
    const float height[2] = {0.5F, 2};
    kdr_particles p = make_particles(2, 3, KDR_F32, true, false);
    for (size_t n = 0; n < 2; ++n) {
        put_state(&p, n, &(state){{1, 2, 3}, {0, 0, 0}});
        set(p.inverse_mass, KDR_F32, n, n == 0 ? 0.25 : 0.5);
    }
    swell.as.custom.each[0] = height;
    swell.as.custom.count = 2;
    const kdr_integrator_desc desc = describe(KDR_RK4, KDR_F32, KDR_FUSED, &swell, 1);
    kdr_integrator *integrator = NULL;
    kdr_observables seen;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    cr_assert(kdr_observe(integrator, &p, &(kdr_clock){1, 0.5, 2}, &seen, NULL) == KDR_OK);
    cr_expect(close_to(seen.potential, 4 * (0.5 * 6 + 3 * 2 * 0.25) + 2 * (2.0 * 6 + 3 * 2 * 0.5), 1e-12), "%.17g", seen.potential);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
}

Test(custom_fields, exponential) {
    uint64_t seed = test_seed();
    double worst = 0;
    for (int i = 0; i < 200000; ++i) {
        const double a = random_in(&seed, -745, 709.7), e = v_exp(a), exact = (double)expl((long double)a);
        const double ulp = nextafter(exact, DBL_MAX) - exact;
        worst = fmax(worst, fabs(e - exact) / ulp);
    }
    cr_expect(worst < 1.5 && worst > 0.4, "%g units in the last place", worst);
    cr_expect(v_exp(0) == 1 && v_exp(-0.0) == 1 && v_exp(-746) == 0 && v_exp(-DBL_MAX) == 0 && v_exp(-INFINITY) == 0);
    cr_expect(v_exp(710) == INFINITY && v_exp(DBL_MAX) == INFINITY && v_exp(INFINITY) == INFINITY && isnan(v_exp(NAN)));
    cr_expect(v_exp(-744.5) > 0 && v_exp(-744.5) < 1e-323 && v_min(1, 2) == 1 && v_max(1, 2) == 2 && v_min(NAN, 2) == 2);
}

static kdr_error expect_refused(kdr_method method, const kdr_force *forces, size_t count, kdr_status status, const char *what) {
    const kdr_integrator_desc desc = describe(method, KDR_F32, KDR_FUSED, forces, count);
    return expect_desc_refused(&desc, status, what);
}

Test(custom_fields, refused) {
    kdr_force list[KDR_MAX_CUSTOM + 1];
    for (int i = 0; i <= KDR_MAX_CUSTOM; ++i) {
        list[i] = kdr_force_custom(&kdr_custom_field_morse, (const double[]){1, 1, 1});
    }
    expect_refused(KDR_RK4, list, KDR_MAX_CUSTOM + 1, KDR_ERROR_ARGUMENT, "nine entries");
    list[1] = kdr_force_custom(&kdr_custom_field_spring_damper, NULL);
    list[0] = kdr_force_custom(NULL, NULL);
    expect_refused(KDR_RK4, list, 1, KDR_ERROR_NULL, "no field");
    const double wrong[] = {NAN, INFINITY, -INFINITY, 1e39};
    for (int i = 0; i < 4; ++i) {
        list[0] = kdr_force_custom(&kdr_custom_field_morse, (const double[]){1, wrong[i], 1});
        expect_refused(KDR_RK4, list, 1, KDR_ERROR_NOT_FINITE, "a parameter");
    }
    const kdr_method velocity[] = {KDR_NYSTROM_4, KDR_STORMER_VERLET, KDR_BORIS};
    for (int i = 0; i < 3; ++i) {
        const kdr_error error = expect_refused(velocity[i], &list[1], 1, KDR_ERROR_UNSUPPORTED, "a field that depends on v");
        cr_expect(strstr(error.message, "a field that depends on the velocity, spring_damper; take rk4"), "%s", error.message);
        const bool turns = velocity[i] == KDR_BORIS; /* accepts magnetic fields, which this one may be */
        cr_expect(!turns == !strstr(error.message, "by KDR_FIELD_MAGNETIC, without KDR_FIELD_VELOCITY"), "%s", error.message);
    }
    list[0] = kdr_force_custom(&kdr_custom_field_morse, NULL);
    expect_refused(KDR_EXACT_AFFINE, list, 1, KDR_ERROR_UNSUPPORTED, "affine");
    list[0] = kdr_force_custom(&kdr_custom_field_swell, NULL);
    const kdr_error slopes = expect_refused(KDR_IMPLICIT_EULER, list, 1, KDR_ERROR_UNSUPPORTED, "implicit");
    cr_expect(strstr(slopes.message, "KDR_FIELD_JACOBIAN") && strstr(slopes.message, "swell"), "%s", slopes.message);
    expect_refused(KDR_KINEMATIC_SUM, list, 1, KDR_ERROR_UNSUPPORTED, "a field that depends on t");
    for (int i = 0; i < KDR_MAX_CUSTOM; ++i) {
        list[i] = kdr_force_custom(&kdr_custom_field_morse, NULL);
        list[i].as.custom.each[0] = list[i].as.custom.each[1] = list[i].as.custom.each[2] = wrong;
    }
    expect_refused(KDR_RK4, list, 3, KDR_ERROR_ARGUMENT, "nine arrays");
    kdr_custom_field other = kdr_custom_field_morse;
    other.abi.job += 8;
    list[0] = kdr_force_custom(&other, (const double[]){1, 1, 1});
    const kdr_error error = expect_refused(KDR_RK4, list, 1, KDR_ERROR_MISMATCH, "another build");
    cr_expect(strstr(error.message, "compile it anew"), "%s", error.message);
    cr_expect(kdr_custom_field_name(&other) == NULL && kdr_custom_field_parameter_count(&other) == 0 &&
              kdr_custom_field_name(NULL) == NULL);
    other = kdr_custom_field_morse;
    memset(other.operations[KDR_BACKEND_SCALAR], 0, sizeof other.operations[KDR_BACKEND_SCALAR]);
    list[0] = kdr_force_custom(&other, (const double[]){1, 1, 1});
    kdr_integrator_desc desc = describe(KDR_RK4, KDR_F32, KDR_FUSED, list, 1);
    desc.backend = KDR_BACKEND_SCALAR;
    expect_desc_refused(&desc, KDR_ERROR_UNAVAILABLE, "a backend that it was not compiled for");
}

Test(custom_fields, arrays_of_the_wrong_length) {
    const double each[4] = {1, 1, 1, 1};
    kdr_force trap = kdr_force_custom(&kdr_custom_field_morse, (const double[]){1, 1, 1});
    trap.as.custom.each[1] = each;
    trap.as.custom.count = 4;
    const kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, &trap, 1);
    kdr_integrator *integrator = NULL;
    kdr_particles p = make_particles(5, 2, KDR_F64, false, false);
    kdr_clock clock = {0, 1, 0};
    kdr_error error;
    cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_integrator_run(integrator, &p, &clock, 1, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "morse"));
    cr_expect(kdr_reference_run(&desc, &p, &clock, 1, NULL) == KDR_ERROR_MISMATCH && clock.step == 0);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
}

Test(custom_fields, what_is_known_of_a_field) {
    cr_expect(strcmp(kdr_custom_field_name(&kdr_custom_field_morse), "morse") == 0 &&
              kdr_custom_field_parameter_count(&kdr_custom_field_morse) == 3);
    cr_expect(strcmp(kdr_custom_field_parameter_name(&kdr_custom_field_morse, 1), "steepness") == 0);
    cr_expect(!kdr_custom_field_parameter_name(&kdr_custom_field_morse, 3) &&
              !kdr_custom_field_parameter_name(&kdr_custom_field_morse, -1));
    cr_expect(kdr_custom_field_flags(&kdr_custom_field_morse) ==
              (KDR_CUSTOM_FIELD_POTENTIAL | KDR_CUSTOM_FIELD_JACOBIAN | KDR_CUSTOM_FIELD_COUPLES_AXES));
    cr_expect(kdr_custom_field_flags(&kdr_custom_field_spring_damper) == (KDR_CUSTOM_FIELD_VELOCITY | KDR_CUSTOM_FIELD_JACOBIAN));
    cr_expect(KDR_FIELD_ACCELERATION == KDR_CUSTOM_FIELD_ACCELERATION && KDR_FIELD_VELOCITY == KDR_CUSTOM_FIELD_VELOCITY &&
              KDR_FIELD_TIME == KDR_CUSTOM_FIELD_TIME && KDR_FIELD_POTENTIAL == KDR_CUSTOM_FIELD_POTENTIAL &&
              KDR_FIELD_JACOBIAN == KDR_CUSTOM_FIELD_JACOBIAN);
}

/* The ranges of a field's parameters, and its backends. For NULL the functions return nothing. */
Test(custom_fields, ranges_and_backends) {
    const kdr_custom_field *halo = NULL, *table = NULL;
    double least = 7, most = 7;
    cr_assert(kdr_field_from_name("logarithmic-halo", &halo) == KDR_OK && kdr_field_from_name("table-centre", &table) == KDR_OK);
    cr_expect(kdr_custom_field_grid_axis_count(table) == 1 && kdr_custom_field_grid_axis_count(halo) == 0 &&
              kdr_custom_field_grid_axis_count(NULL) == 0);
    cr_expect(kdr_custom_field_parameter_range(table, 0, &least, &most) == KDR_OK && least == -INFINITY && most == INFINITY);
    cr_expect(kdr_custom_field_parameter_range(table, 1, &least, &most) == KDR_OK && least == 0 && most == INFINITY);
    cr_expect(kdr_custom_field_parameter_range(table, 2, &least, &most) == KDR_OK && least == 0 && most == 1);
    int positive = 0;
    for (int k = 0; k < kdr_custom_field_parameter_count(halo); ++k) {
        cr_expect(kdr_custom_field_parameter_range(halo, k, &least, &most) == KDR_OK);
        positive += least > 0 && least < 1e-30;
    }
    cr_expect(positive > 0);
    cr_expect(kdr_custom_field_parameter_range(table, 3, &least, &most) == KDR_ERROR_ARGUMENT &&
              kdr_custom_field_parameter_range(table, -1, &least, &most) == KDR_ERROR_ARGUMENT &&
              kdr_custom_field_parameter_range(NULL, 0, &least, &most) == KDR_ERROR_NULL &&
              kdr_custom_field_parameter_range(table, 0, NULL, &most) == KDR_ERROR_NULL);
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_expect(kdr_backend_query((kdr_backend)b, &info) == KDR_OK && kdr_custom_field_has_backend(halo, (kdr_backend)b) == info.compiled,
                  "%s", info.name);
    }
    cr_expect(!kdr_custom_field_has_backend(halo, KDR_BACKEND_AUTO) && !kdr_custom_field_has_backend(halo, (kdr_backend)99) &&
              !kdr_custom_field_has_backend(NULL, KDR_BACKEND_SCALAR));
}

/* A printed program shows the field as a line with its name and the names of its parameters. */
Test(custom_fields, programs_name_the_field) {
    static const double depth[2] = {1, 2};
    kdr_force forces[] = {kdr_force_custom(&kdr_custom_field_morse, (const double[]){1, 0.5, 2}),
                          kdr_force_custom(&kdr_custom_field_morse, (const double[]){1, 0.5, -0.25})};
    forces[1].as.custom.each[0] = depth, forces[1].as.custom.count = 2;
    const kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F32, KDR_FUSED, forces, 2);
    kdr_integrator *integrator = NULL;
    kdr_error error;
    char text[4096];
    cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_integrator_explain(integrator, 3, true, text, sizeof text) < sizeof text);
    cr_expect(strstr(text, "\n  a += morse(depth = 1, steepness = 0.5, radius = 2, x, v);\n"
                           "  a += morse(depth = each1, steepness = 0.5, radius = -0.25, x, v);"),
              "%s", text);
    cr_expect(strstr(text, "  each1       1 column: a parameter of the custom field, loaded\n"), "%s", text);
    kdr_integrator_destroy(integrator);
}

static void expect_instance(kdr_method method, const kdr_force *forces, size_t count, const char *says) {
    const kdr_integrator_desc desc = describe(method, KDR_F32, KDR_UNFUSED, forces, count);
    kdr_integrator *integrator = NULL;
    kdr_error error;
    char text[4096], line[128];
    cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_integrator_explain(integrator, 3, false, text, sizeof text) < sizeof text);
    snprintf(line, sizeof line, "\nspecialised kernel: %s",
             kdr_integrator_backend(integrator) == KDR_BACKEND_SCALAR ? "none: the backend has no instances" : says);
    cr_expect(strstr(text, line), "%s, not in\n%s", line, text);
    kdr_integrator_destroy(integrator);
}

/* Specialised kernels exist for one entry without arrays, alone or with uniform forces. */
Test(custom_fields, instances_of_a_custom_field) {
    const kdr_force spring = kdr_force_custom(&kdr_custom_field_spring_damper, (const double[]){-1.5, -0.25});
    const kdr_force trap = kdr_force_custom(&kdr_custom_field_morse, (const double[]){1, 0.5, 2});
    const kdr_force swell = kdr_force_custom(&kdr_custom_field_swell, (const double[]){0.25, 1, 1, 1});
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -9.81), drag = kdr_force_drag(0.25, 0, 0, 0);
    expect_instance(KDR_SEMI_IMPLICIT_EULER, &spring, 1, "semi_implicit_euler_custom, an axis at a time, ");
    expect_instance(KDR_VELOCITY_VERLET, (const kdr_force[]){gravity, spring}, 2, "velocity_verlet_custom, an axis at a time, ");
    expect_instance(KDR_PEFRL, &spring, 1, "splitting_custom, an axis at a time, ");
    expect_instance(KDR_RK4, &spring, 1, "rk4_custom, an axis at a time, ");
    expect_instance(KDR_VELOCITY_VERLET, &trap, 1, "velocity_verlet_custom, all axes at a time, ");
    expect_instance(KDR_RK4, &trap, 1, "none: the program is faster on this backend\n");
    expect_instance(KDR_VELOCITY_VERLET, (const kdr_force[]){spring, spring}, 2,
                    "none: there are several custom fields, or arrays per particle in one\n");
    expect_instance(KDR_VELOCITY_VERLET, (const kdr_force[]){spring, drag}, 2,
                    "none: no specialised kernel of the method has these terms in addition to a custom field\n");
    expect_instance(KDR_VELOCITY_VERLET, &swell, 1, "none: the field is driven\n");
    expect_instance(KDR_BORIS, &trap, 1, "none: no specialised kernel has this method\n");
}

/* A run of particles with other dimensions than the field is for is refused by name, before anything is stepped. With the right ones it
 * agrees with the reference. */
Test(custom_fields, field_for_some_axes) {
    const kdr_force vortex = kdr_force_custom(&kdr_custom_field_vortex, (const double[]){0.5});
    cr_expect(kdr_custom_field_axis_count(&kdr_custom_field_vortex) == 3 && kdr_custom_field_axis_count(&kdr_custom_field_morse) == 0 &&
              kdr_custom_field_axis_count(NULL) == 0);
    for (int dims = 1; dims <= 3; ++dims) {
        const kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, &vortex, 1);
        const kdr_status expected = dims == 3 ? KDR_OK : KDR_ERROR_UNSUPPORTED;
        kdr_particles p[2] = {make_particles(37, dims, KDR_F64, false, false), make_particles(37, dims, KDR_F64, false, false)};
        kdr_clock clock[2] = {{0, 0.0625, 0}, {0, 0.0625, 0}};
        kdr_error error[2];
        kdr_integrator *integrator = NULL;
        kdr_observables seen;
        for (size_t n = 0; n < 37; ++n) {
            for (int i = 0; i < dims; ++i) {
                set(p[0].x[i], KDR_F64, n, (double)n + 0.25 * i);
                set(p[1].x[i], KDR_F64, n, (double)n + 0.25 * i);
            }
        }
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
        cr_expect(kdr_integrator_run(integrator, &p[0], &clock[0], 10, &error[0]) == expected, "%d axes", dims);
        cr_expect(kdr_reference_run(&desc, &p[1], &clock[1], 10, &error[1]) == expected, "%d axes", dims);
        cr_expect(kdr_observe(integrator, &p[0], &clock[0], &seen, NULL) == expected, "%d axes", dims);
        for (int i = 0; i < 2 && dims < 3; ++i) {
            cr_expect(strstr(error[i].message, "vortex: expected particles on 3 axes") && clock[i].step == 0, "%s", error[i].message);
            cr_expect(get(p[i].x[0], KDR_F64, 5) == 5 && get(p[i].v[0], KDR_F64, 5) == 0);
        }
        kdr_difference difference;
        cr_expect(kdr_compare(&p[0], &p[1], &difference, NULL) == KDR_OK && difference.mismatches == 0, "%d axes", dims);
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&p[0]);
        kdr_particles_destroy(&p[1]);
    }
}

/* System runs and functions on blocks treat the field in the same way. */
Test(custom_fields, field_for_some_axes_in_system_runs) {
    const kdr_force vortex = kdr_force_custom(&kdr_custom_field_vortex, (const double[]){0.5});
    kdr_system_desc desc = kdr_system_desc_default();
    desc.forces = &vortex;
    desc.force_count = 1;
    kdr_system *system = NULL;
    cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
    for (int dims = 1; dims <= 3; ++dims) {
        kdr_particles p = make_particles(37, dims, KDR_F64, false, false);
        kdr_clock clock = {0, 0.0625, 0};
        kdr_workspace workspace = {0};
        kdr_error error;
        const kdr_status expected = dims == 3 ? KDR_OK : KDR_ERROR_UNSUPPORTED;
        cr_assert(kdr_workspace_create(system, 37, dims, (kdr_allocator){0}, &workspace, NULL) == KDR_OK);
        cr_expect(kdr_system_run(system, &p, &clock, 4, &workspace, &error) == expected, "%d axes", dims);
        cr_expect(kdr_system_run_blocks(system, &p, &clock, 4, &error) == expected, "%d axes in blocks", dims);
        cr_expect(kdr_reference_system_run(&desc, &p, &clock, 4, &error) == expected, "%d axes in the reference", dims);
        kdr_workspace_destroy(&workspace);
        kdr_particles_destroy(&p);
    }
    kdr_system_destroy(system);
}
