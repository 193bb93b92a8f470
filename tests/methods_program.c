/* Programs as text: kdr_integrator_explain, `kickdrift methods --program`, `kickdrift run --explain`. */
#include "methods.h"

#include "scenes_program.h"

/* Returns the whole text, to be freed. */
static char *explain(const kdr_integrator_desc *desc, int dims, bool masses) {
    kdr_integrator *integrator = NULL;
    kdr_error error;
    cr_assert(kdr_integrator_create(desc, &integrator, &error) == KDR_OK, "%s", error.message);
    const size_t length = kdr_integrator_explain(integrator, dims, masses, NULL, 0);
    char *const text = malloc(length + 2);
    memset(text, '#', length + 2);
    cr_expect(kdr_integrator_explain(integrator, dims, masses, text, length + 1) == length);
    cr_expect(strlen(text) == length && text[length + 1] == '#');
    kdr_integrator_destroy(integrator);
    return text;
}

/* Checks that every line has a text, and that every word was known. */
static void expect_sound(const char *text, const char *what) {
    cr_expect(strlen(text) > 100, "%s", what);
    cr_expect(!strpbrk(text, "$?"), "%s: %s", what, text);
    cr_expect(!strstr(text, "nan") && !strstr(text, "inf"), "%s: %s", what, text);
    cr_expect(strstr(text, "\nrows of the tile\n") && strstr(text, "\nbefore the first step\n") && strstr(text, "\neach step\n") &&
                  strstr(text, "\nafter the last step\n"),
              "%s: %s", what, text);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        const size_t length = strcspn(line, "\n");
        cr_assert(length > 2 && line[length] == '\n' && line[length - 1] != ' ', "%s: %.*s|", what, (int)length, line);
        cr_expect(!memmem(line, length, "= ;", 3) && !memmem(line, length, "  +", 3) && !memmem(line, length, "()", 2), "%s: %.*s", what,
                  (int)length, line);
    }
}

static void expect_holds(const kdr_integrator_desc *desc, bool masses, const char *lines) {
    char *const text = explain(desc, 3, masses);
    cr_expect(strstr(text, lines) != NULL, "%s is not in\n%s", lines, text);
    free(text);
}

Test(methods_program, every_method_in_every_field) {
    static const double each[3] = {1, 2, 3};
    const kdr_force spring = kdr_force_spring(2, 0, 0, 1);
    kdr_force springs = spring, drags = kdr_force_drag(0, 1, 0, 0);
    springs.as.spring.k_each = springs.as.spring.at_each[1] = drags.as.drag.b_each = each;
    springs.as.spring.count = drags.as.drag.count = 3;
    const kdr_force lists[][3] = {{spring, kdr_force_drag(0.5, 0, 0, 0), kdr_force_uniform_force(0, 0, 1)},
                                  {spring, tilted_magnet(), springs},
                                  {springs, drags, tilted_magnet()},
                                  {kdr_force_quadratic_drag(0.5, 1, 0, 0), kdr_force_quadratic_drag(0.25, 0, 0, 0), spring},
                                  {kdr_force_centre(1, 0, 0, 0, 0), kdr_force_centre(2, 1, 0, 0, 0.5), spring},
                                  {kdr_force_driven(1, 0, 0, 2, 0.5), spring, kdr_force_uniform_acceleration(0, 0, -1)},
                                  {spring, springs, spring}};
    kdr_collider floor = kdr_collider_plane((double[]){0, 0, 0}, (double[]){0, 0, 1});
    int made = 0;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        bool any = false;
        for (size_t n = 0; n < 4 * sizeof lists / sizeof lists[0]; ++n) {
            kdr_integrator_desc desc = describe_row((kdr_method)m, lists[n / 4], 3, 0.5);
            desc.real = n % 2 ? KDR_F32 : KDR_F64;
            if (n & 1) {
                desc.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_ABSORBING, .min = {-1, -1, -1}, .max = {1, 1, 1}};
                desc.colliders = &floor, desc.collider_count = 1;
            }
            desc.compensated = n & 2 && kdr_method_get((kdr_method)m)->compensated;
            kdr_integrator *integrator = NULL;
            if (kdr_integrator_create(&desc, &integrator, NULL) != KDR_OK) {
                continue;
            }
            kdr_integrator_destroy(integrator);
            for (int view = 0; view < 6; ++view) {
                char *const text = explain(&desc, 1 + view / 2, view % 2 != 0);
                expect_sound(text, kdr_method_get((kdr_method)m)->name);
                free(text);
                ++made;
            }
            any = true;
        }
        cr_expect(any, "%s", kdr_method_get((kdr_method)m)->name);
    }
    cr_expect(made > KDR_METHOD_COUNT * 6);
}

Test(methods_program, coefficients) {
    const kdr_force forces[] = {kdr_force_spring(15, 0, 0, 0), kdr_force_drag(0.25, 0, 0, 0)};
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, forces, 2);
    expect_holds(&desc, false,
                 "before the first step\n"
                 "  a = -15 x - 0.25 v;  (unless the run goes on from memory)\n"
                 "each step\n"
                 "  v += 0.5 h a; x += h v; a = -15 x - 0.25 v; v += 0.5 h a;\n"
                 "after the last step\n"
                 "  nothing\n");
    expect_holds(&desc, true, "; a = w (-15 x - 0.25 v); ");
    desc.method = KDR_RK4;
    expect_holds(
        &desc, false,
        "each step\n"
        "  k1 = -15 x - 0.25 v;\n"
        "  v2 = v + 0.5 h k1; k2 = -15 (x + 0.5 h v) - 0.25 v2;\n"
        "  v3 = v + 0.5 h k2; k3 = -15 (x + 0.5 h v2) - 0.25 v3;\n"
        "  v4 = v + h k3; k4 = -15 (x + h v3) - 0.25 v4; x += 1/6 h (v + 2 (v2 + v3) + v4); v += 1/6 h (k1 + 2 (k2 + k3) + k4);\n");
    expect_holds(&desc, true,
                 "  v4 = v + h k3; k4 = w (-15 (x + h v3) - 0.25 v4);\n"
                 "  x += 1/6 h (v + 2 (v2 + v3) + v4);\n"
                 "  v += 1/6 h (k1 + 2 (k2 + k3) + k4);\n");
    desc.method = KDR_RK3;
    expect_holds(&desc, false, "  v3 = v - h k1 + 2 h k2; k3 = -15 (x - h v + 2 h v2) - 0.25 v3;\n");
    desc.forces = NULL, desc.force_count = 0;
    expect_holds(&desc, false, "  k1 = 0;\n");
}

Test(methods_program, fields) {
    const kdr_force forces[] = {kdr_force_uniform_acceleration(0, 0, -10), kdr_force_uniform_force(1, 0, 0),
                                kdr_force_quadratic_drag(0.5, 0, 0, 0),    kdr_force_quadratic_drag(1, 0, 2, 0),
                                kdr_force_centre(1, 0, 0, 0, 0),           kdr_force_centre(2, 1, 0, 0, 0.5),
                                kdr_force_driven(1, 0, 0, 2, 0.25)};
    kdr_integrator_desc desc = describe(KDR_HEUN, KDR_F64, KDR_FUSED, forces, 7);
    expect_holds(&desc, true,
                 "base(t) = (0, 0, -10) + (1, 0, 0) cos(2 t + 0.25)\n"
                 "before the first step\n"
                 "  nothing\n"
                 "each step\n"
                 "  k1 = base(t) + w ((1, 0, 0) - 0.5 |v| v - |v - (0, 2, 0)| (v - (0, 2, 0))) - x / |x|^3"
                 " - 2 (x - (1, 0, 0)) / (|x - (1, 0, 0)|^2 + 0.25)^(3/2);\n"
                 "  xs = x + h v;\n");
    expect_holds(&desc, true, "  k2 = base(t + h) + w ((1, 0, 0) - 0.5 |v2| v2 ");
}

/* Frequent sums of forces are one operation on three axes. Other sums without square roots are not. */
Test(methods_program, sums) {
    const kdr_force forces[] = {kdr_force_centre(1, 0, 0, 0, 0.5), kdr_force_drag(0.25, 0, 0, 0), tilted_magnet(),
                                kdr_force_quadratic_drag(0.5, 0, 0, 0), kdr_force_spring(2, 0, 0, 0)};
    kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, forces, 2);
    expect_holds(&desc, false,
                 "  k1 = -0.25 v - x / (|x|^2 + 0.25)^(3/2);\n"
                 "  v2 = v + 0.5 h k1; k2 = -0.25 v2 - (x + 0.5 h v) / (|x + 0.5 h v|^2 + 0.25)^(3/2);\n");
    expect_holds(&desc, false, "; v += 1/6 h (k1 + 2 (k2 + k3) + k4);\nafter");
    desc.method = KDR_SEMI_IMPLICIT_EULER;
    desc.forces = forces + 2, desc.force_count = 1;
    expect_holds(&desc, false, "each step\n  a = (0.125, 0, 0.25) + v cross (0.25, -0.5, 1.5); v += h a; x += h v;\n");
    desc.forces = forces + 3;
    kdr_backend chosen;
    cr_assert_eq(kdr_backend_choose(desc.backend, &chosen, NULL), KDR_OK);
    const bool apart = chosen == KDR_BACKEND_SSE2 || chosen == KDR_BACKEND_SCALAR; /* kicks after square roots are separate lines */
    expect_holds(&desc, false,
                 apart ? "each step\n  a = -0.5 |v| v;\n  v += h a; x += h v;\n" : "each step\n  a = -0.5 |v| v; v += h a; x += h v;\n");
    desc.force_count = 2;
    expect_holds(&desc, false, "each step\n  a = -2 x - 0.5 |v| v;\n  v += h a; x += h v;\n");
    desc.forces = forces + 1;
    expect_holds(&desc, false, "each step\n  a = (0.125, 0, 0.25) - 0.25 v;\n  a += v cross (0.25, -0.5, 1.5);\n  v += h a; x += h v;\n");
}

/* A step of Boris' method in an affine field is one operation, unless particles rotate by their masses or sums are compensated. */
Test(methods_program, a_step_of_boris) {
    const kdr_force forces[] = {tilted_magnet(), kdr_force_spring(2, 0, 0, 0), kdr_force_centre(1, 0, 0, 0, 0.5)};
    kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F64, KDR_FUSED, forces, 2);
    expect_holds(&desc, false,
                 "each step\n  x += 0.5 h v; a = (0.125, 0, 0.25) - 2 x; v += 0.5 h a; v += turn v; v += 0.5 h a; x += 0.5 h v;\nafter");
    expect_holds(&desc, true, "  v += turn v;\n");
    desc.forces = forces + 1, desc.force_count = 1;
    expect_holds(&desc, false, "each step\n  x += 0.5 h v; a = -2 x; v += 0.5 h a; v += 0.5 h a; x += 0.5 h v;\nafter");
    desc.force_count = 2;
    expect_holds(&desc, false, "each step\n  x += 0.5 h v;\n");
    desc.force_count = 1, desc.compensated = true;
    expect_holds(&desc, false, "each step\n  x += 0.5 h v, what is lost into cx;\n");
}

/* Chooses the first backend with specialised kernels; there is one on every processor with vectors. */
static bool has_instances(kdr_integrator_desc *desc) {
    static const kdr_backend backends[] = {KDR_BACKEND_AVX512, KDR_BACKEND_AVX2, KDR_BACKEND_NEON};
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; ++i) {
        desc->backend = backends[i];
        if (kdr_backend_choose(desc->backend, &desc->backend, NULL) == KDR_OK) {
            return true;
        }
    }
    return false;
}

Test(methods_program, why_an_instance_runs_or_not) {
    static const double each[1] = {1};
    const kdr_force spring = kdr_force_spring(2, 0, 0, 0), centre = kdr_force_centre(1, 0, 0, 0, 0);
    kdr_force springs = spring;
    springs.as.spring.k_each = each, springs.as.spring.count = 1;
    const struct {
        kdr_method method;
        kdr_force forces[2];
        size_t count;
        bool masses, compensated, walls, bounded;
        const char *says;
    } cases[] = {
        {KDR_VELOCITY_VERLET, {spring}, 1, false, false, false, false, "velocity_verlet_spring, "},
        {KDR_VELOCITY_VERLET, {centre}, 1, false, false, false, false, "velocity_verlet_centre, "},
        {KDR_FOREST_RUTH, {spring}, 1, false, false, false, false, "splitting_spring, "},
        {KDR_HEUN, {spring}, 0, false, false, false, false, "heun_uniform, "},
        {KDR_NYSTROM_4, {spring}, 1, false, false, false, false, "nystrom_4_spring, "},
        {KDR_VELOCITY_VERLET, {spring}, 1, true, false, false, false, "none: the particles have masses\n"},
        {KDR_VELOCITY_VERLET, {spring}, 1, false, true, false, false, "none: sums are compensated\n"},
        {KDR_VELOCITY_VERLET, {spring}, 1, false, false, true, false, "for each step before its walls, velocity_verlet_spring, "},
        {KDR_VELOCITY_VERLET, {spring}, 0, false, false, true, false, "velocity_verlet_uniform_ground, "},
        {KDR_SEMI_IMPLICIT_EULER, {spring}, 0, false, false, true, false, "semi_implicit_euler_uniform_ground, "},
        {KDR_SEMI_IMPLICIT_EULER, {spring}, 0, true, false, true, false, "none: the particles have masses\n"},
        {KDR_VELOCITY_VERLET, {spring}, 1, false, false, false, true, "for each step before its walls, velocity_verlet_spring, "},
        {KDR_VELOCITY_VERLET, {spring}, 1, false, true, true, false, "none: sums are compensated\n"},
        {KDR_RK4, {centre, spring}, 2, false, false, true, false, "none: no specialised kernel of the method has these terms together\n"},
        {KDR_VELOCITY_VERLET, {kdr_force_driven(1, 0, 0, 1, 0)}, 1, false, false, false, false, "none: the field is driven\n"},
        {KDR_VELOCITY_VERLET, {tilted_magnet()}, 1, false, false, false, false, "none: no specialised kernel has a magnetic field\n"},
        {KDR_RK4,
         {kdr_force_quadratic_drag(1, 0, 0, 0)},
         1,
         false,
         false,
         false,
         false,
         "none: no specialised kernel has quadratic drag\n"},
        {KDR_RK4, {springs}, 1, false, false, false, false, "none: no specialised kernel has springs or drags with arrays per particle\n"},
        {KDR_RK4, {centre, centre}, 2, false, false, false, false, "none: the field has more than one centre\n"},
        {KDR_RK4, {centre, spring}, 2, false, false, false, false, "none: no specialised kernel of the method has these terms together\n"},
        {KDR_STORMER_VERLET, {spring}, 1, false, false, false, false, "for all steps, stormer_verlet_spring, "},
        {KDR_BAOAB, {spring}, 1, true, false, false, false, "none: no specialised kernel has this method\n"},
    };
    const kdr_collider floor = kdr_collider_plane((double[]){0, 0, 0}, (double[]){0, 0, 1});
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        kdr_integrator_desc desc = describe(cases[i].method, KDR_F32, KDR_FUSED, cases[i].forces, cases[i].count);
        char says[128];
        if (!has_instances(&desc)) {
            break;
        }
        desc.compensated = cases[i].compensated;
        desc.colliders = &floor, desc.collider_count = cases[i].walls;
        if (cases[i].bounded) {
            desc.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_PERIODIC, .min = {-1, -1, -1}, .max = {1, 1, 1}};
        }
        snprintf(says, sizeof says, "\nspecialised kernel: %s", cases[i].says);
        expect_holds(&desc, cases[i].masses, says);
        desc.backend = KDR_BACKEND_SCALAR;
        expect_holds(&desc, cases[i].masses, "\nspecialised kernel: none: the backend has no instances in this precision and arithmetic\n");
    }
}

/* A specialised kernel that is faster only for single steps says so. */
Test(methods_program, instances_of_one_step) {
    const kdr_force spring = kdr_force_spring(2, 0, 0, 0);
    kdr_integrator_desc desc = describe(KDR_POSITION_VERLET, KDR_F64, KDR_UNFUSED, &spring, 1);
    desc.backend = KDR_BACKEND_SSE2;
    if (kdr_backend_choose(desc.backend, &desc.backend, NULL) != KDR_OK) {
        return;
    }
    expect_holds(&desc, false,
                 "\nspecialised kernel: splitting_spring, an axis at a time, 24 vectors in the cache, 4 at once, in runs of one step\n");
    desc.method = KDR_VELOCITY_VERLET;
    expect_holds(&desc, false, "\nspecialised kernel: velocity_verlet_spring, an axis at a time, 24 vectors in the cache, 4 at once\n");
}

/* Specialised kernels compute a constant acceleration anew everywhere, with flush_small_to_zero too. With a spring they continue from the
 * memory. */
Test(methods_program, instances_that_rest) {
    const kdr_force slight = kdr_force_uniform_acceleration(1e-31, 0, -10), spring = kdr_force_spring(2, 1e-32, 0, 0);
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F32, KDR_FUSED, &slight, 1);
    desc.flush_small_to_zero = true;
    if (!has_instances(&desc)) {
        return;
    }
    expect_holds(&desc, false, "\nspecialised kernel: none: the acceleration, everywhere the same, is next to nothing and comes to rest\n");
    desc.method = KDR_SEMI_IMPLICIT_EULER;
    expect_holds(&desc, false, "\nspecialised kernel: semi_implicit_euler_uniform, ");
    desc.method = KDR_VELOCITY_VERLET, desc.forces = &spring;
    expect_holds(&desc, false, "\nspecialised kernel: velocity_verlet_spring, ");
}

/* The text names what a specialised kernel leaves to the program: contacts that are recorded, errors that are estimated. */
Test(methods_program, what_instances_leave) {
    const kdr_collider walls[] = {kdr_collider_plane(NULL, (double[]){0, 0, 1}), kdr_collider_sphere(NULL, 9, true)};
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F32, KDR_FUSED, NULL, 0);
    desc.colliders = walls, desc.collider_count = 1;
    if (!has_instances(&desc)) {
        return;
    }
    expect_holds(&desc, false, ", unless contacts are counted or written down\n");
    expect_holds(&desc, false, "after its colliders (1) and boundary (none);\n");
    desc.collider_count = 2;
    desc.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_PERIODIC, .min = {-1, -1, -1}, .max = {1, 1, 1}};
    expect_holds(&desc, false, "after its colliders (2) and boundary (periodic);\n");
    desc = describe(KDR_DOPRI_5, KDR_F32, KDR_FUSED, NULL, 0);
    expect_holds(&desc, false, ", unless errors are asked for\n");
}

Test(methods_program, as_snprintf) {
    const kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, NULL, 0);
    kdr_integrator *integrator = NULL;
    char text[16], *const whole = explain(&desc, 3, false);
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    for (size_t size = 0; size <= sizeof text; ++size) {
        memset(text, '#', sizeof text);
        cr_expect(kdr_integrator_explain(integrator, 3, false, text, size) == strlen(whole));
        cr_expect(size == 0 || (strlen(text) == size - 1 && memcmp(text, whole, size - 1) == 0));
        cr_expect(size == sizeof text || text[size] == '#');
    }
    static const int wrong[] = {-1, 0, 4};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        text[0] = '#';
        cr_expect(kdr_integrator_explain(integrator, wrong[i], false, text, sizeof text) == 0 && text[0] == 0);
        cr_expect(kdr_integrator_explain(integrator, wrong[i], false, NULL, 0) == 0);
    }
    text[0] = '#';
    cr_expect(kdr_integrator_explain(NULL, 3, false, text, sizeof text) == 0 && text[0] == 0);
    kdr_integrator_destroy(integrator);
    free(whole);
}

Test(methods_program, methods_prints_it) {
    program p = program_begin();
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const char *const name = kdr_method_get((kdr_method)m)->name;
        program_run(&p, "methods", "--program", name, NULL);
        cr_assert(p.status == 0, "%s: %s", name, p.err);
        expect_sound(p.out, name);
        cr_expect(strncmp(p.out, name, strlen(name)) == 0 && strstr(p.out, "-15 "), "%s: %s", name, p.out);
    }
    program_run(&p, "methods", "--program", "rk4", "--real", "f32", "--arith", "unfused", "--backend", "scalar", "--dims", "2", "--masses",
                NULL);
    cr_expect(p.status == 0 && strncmp(p.out, "rk4 on scalar, f32, unfused; 2 axes, with masses\n", 49) == 0, "%s", p.out);
    program_run(&p, "methods", "--program", "rk5", NULL);
    program_refused(&p, "an unknown name", "methods: --program: expected a name that kickdrift methods lists, found \"rk5\"",
                    "did you mean");
    program_run(&p, "methods", "--program", "rk4", "--dims", "4", NULL);
    program_refused(&p, "four axes", "methods: --dims: expected 1, 2 or 3", "4");
    program_run(&p, "methods", "--program", "rk4", "--json", NULL);
    program_refused(&p, "JSON", "methods: --json:", "expected --program METHOD without it");
    program_run(&p, "methods", "--masses", NULL);
    program_refused(&p, "no method", "methods: expected --program METHOD", "--masses");
    program_end(&p);
}

Test(methods_program, run_explains) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml",
                       "particles:\n  state:\n    - {x: [1, 2, 3], v: [0, 1, 0.5], mass: 2}\nforces: [spring: {k: 2, at: [1, 0, 0]}]\n"
                       "method: velocity-verlet\ndt: 0.01\nsteps: 100\nreport: 10\noutput: {file: out.csv}\n");
    program_run(&p, "run", "scene.yaml", "--explain", "--out", "end.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    expect_sound(p.out, "a scene");
    cr_expect(strncmp(p.out, "velocity-verlet on ", 19) == 0 && strstr(p.out, "3 axes, with masses\n"), "%s", p.out);
    cr_expect(strstr(p.out, "; a = w ((2, 0, 0) - 2 x); "), "%s", p.out);
    cr_expect(program_files(&p) == 1 && !program_has(&p, "out.csv") && !program_has(&p, "end.csv"));
    program_run(&p, "run", "scene.yaml", "--explain", "--method", "rk4", NULL);
    cr_expect(p.status == 0 && strncmp(p.out, "rk4 on ", 7) == 0, "%s", p.out);
    program_run(&p, "run", "scene.yaml", "--explain", "--json", NULL);
    program_refused(&p, "JSON", "run: --json:", "expected --explain without it");
    program_run(&p, "run", "absent.yaml", "--explain", NULL);
    program_refused(&p, "no scene", "absent.yaml", "expected");
    program_end(&p);
}

/* Words for rare features: the speed of light, a user-defined field with a magnetic part, composed steps, and rest. */
Test(methods_program, words_of_what_few_have) {
    const kdr_custom_field *field;
    cr_assert(kdr_field_from_name("grid-electromagnetic", &field) == KDR_OK);
    const double values[2][6] = {{0}};
    const kdr_grid grid = {.dims = 1, .components = 6, .nodes = {2}, .spacing = {1}, .values = values};
    kdr_force force = kdr_force_custom(field, (const double[KDR_MAX_PARAMETERS]){1});
    force.as.custom.grid = &grid;
    static const struct {
        kdr_method method;
        const char *lines;
    } cases[] = {
        {KDR_BORIS, "\n  m = m / gamma at u, 1 / c^2 = 0.25;\n  turn = R - 1, R the rotation by twice the arctangent of 0.5 h m;\n"},
        {KDR_HIGUERA_CARY, "\n  m = m / gamma at the mean of u before and after, 1 / c^2 = 0.25;\n"},
        {KDR_VAY, "\n  turn = R - 1, R the rotation by twice the arctangent of 0.5 h m, and of that the half;\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        kdr_integrator_desc desc = describe(cases[i].method, KDR_F64, KDR_FUSED, &force, 1);
        desc.speed_of_light = 2;
        expect_holds(&desc, false, cases[i].lines);
        expect_holds(&desc, false, "\n  a += grid-electromagnetic(charge = 1, x); its magnetic field is added to m;\n");
        expect_holds(&desc, true, "\n  velocity = v / sqrt(1 + 0.25 |v|^2);\n  x += 0.5 h velocity;\n");
    }
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, NULL, 0);
    desc.compose = KDR_COMPOSE_YOSHIDA_6, desc.flush_small_to_zero = true;
    expect_holds(&desc, false, "velocity-verlet by yoshida-6 on ");
    expect_holds(&desc, false, "\n  x, v, a = 0 where smaller than 2^-100, in f64 2^-900, after every 128th step;\n");
    desc.method = KDR_BORIS;
    expect_holds(&desc, false, "\nsubsteps: 7 a step, of h = w dt, w = ");
    expect_holds(&desc, false,
                 "\n  x, v = 0 where smaller than 2^-100, in f64 2^-900, after every 128th step;  (in the last substep of a step)\n");
}
