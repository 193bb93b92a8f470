/* User-defined methods: refusals and their messages. Coefficients of the table that are given by hand must step as the table's rows do.
 *
 * The equality engine tests that the kernels step any coefficients as the reference does (tools/check/user_method.c draws them). */
#include "method/method.h"
#include "methods.h"

static kdr_tableau rk4_tableau(void) {
    return (kdr_tableau){
        .stages = 4, .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}}, .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, .c = {0, 0.5, 0.5, 1}};
}

static kdr_fractions verlet_fractions(void) { return (kdr_fractions){.count = 2, .kick = {0.5, 0.5}, .drift = {1, 0}}; }

static void expect_own_refused(const kdr_tableau *tableau, const kdr_fractions *fractions, kdr_status status, const char *holds) {
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.tableau = tableau;
    desc.fractions = fractions;
    const kdr_error error = expect_desc_refused(&desc, status, holds);
    cr_expect(strncmp(error.message, holds, strlen(holds)) == 0, "expected '%s...', got '%s'", holds, error.message);
}

/* A valid tableau in which one number is replaced; i and j are its place in the member. */
static const struct wrong_tableau {
    enum { A, B, C } member;
    int i, j;
    double value;
    kdr_status status;
    const char *holds;
} wrong_tableaus[] = {
    {A, 1, 0, NAN, KDR_ERROR_NOT_FINITE, "tableau.a[1][0]: expected a finite number, got"},
    {A, 3, 2, INFINITY, KDR_ERROR_NOT_FINITE, "tableau.a[3][2]: expected a finite number, got inf"},
    {A, 0, 3, -INFINITY, KDR_ERROR_NOT_FINITE, "tableau.a[0][3]: expected a finite number, got -inf"},
    {A, 0, 0, 0.25, KDR_ERROR_UNSUPPORTED, "tableau.a[0][0]: expected 0 on and above the diagonal (an explicit method), got 0.25; take "},
    {A, 2, 2, 1e-300, KDR_ERROR_UNSUPPORTED, "tableau.a[2][2]: expected 0 on and above the diagonal"},
    {A, 1, 3, -1, KDR_ERROR_UNSUPPORTED, "tableau.a[1][3]: expected 0 on and above the diagonal"},
    {A, 2, 0, 0.25, KDR_ERROR_ARGUMENT, "tableau.c[2]: expected the sum of row 2 of a, 0.75, got 0.5"},
    {A, 2, 0, 2e-12, KDR_ERROR_ARGUMENT, "tableau.c[2]: expected the sum of row 2 of a, 0.50000000000"},
    {B, 0, 0, NAN, KDR_ERROR_NOT_FINITE, "tableau.b[0]: expected a finite number, got"},
    {B, 3, 0, INFINITY, KDR_ERROR_NOT_FINITE, "tableau.b[3]: expected a finite number, got inf"},
    {B, 1, 0, 0, KDR_ERROR_ARGUMENT, "tableau.b: expected weights that add up to 1, got 0.66666666666666"},
    {B, 1, 0, 1.0 / 3 + 2e-12, KDR_ERROR_ARGUMENT, "tableau.b: expected weights that add up to 1, got 1.00000000000"},
    {C, 2, 0, NAN, KDR_ERROR_NOT_FINITE, "tableau.c[2]: expected a finite number, got"},
    {C, 3, 0, -1, KDR_ERROR_ARGUMENT, "tableau.c[3]: expected the sum of row 3 of a, 1, got -1"},
    {C, 0, 0, 0.5, KDR_ERROR_ARGUMENT, "tableau.c[0]: expected the sum of row 0 of a, 0, got 0.5"},
};

Test(methods_user, wrong_tableaus) {
    for (size_t i = 0; i < sizeof wrong_tableaus / sizeof *wrong_tableaus; ++i) {
        const struct wrong_tableau *w = &wrong_tableaus[i];
        kdr_tableau t = rk4_tableau();
        *(w->member == A ? &t.a[w->i][w->j] : w->member == B ? &t.b[w->i] : &t.c[w->i]) = w->value;
        expect_own_refused(&t, NULL, w->status, w->holds);
    }
    kdr_tableau implicit = rk4_tableau();
    implicit.a[0][0] = implicit.c[0] = 0.5;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.tableau = &implicit;
    const kdr_error error = expect_desc_refused(&desc, KDR_ERROR_UNSUPPORTED, "an implicit tableau");
    const char *advice = strstr(error.message, "; take ");
    kdr_method instead = KDR_METHOD_COUNT;
    cr_expect(advice && kdr_method_from_name(advice + strlen("; take "), &instead) == KDR_OK, "'%s'", error.message);
    cr_expect(kdr_family_get(kdr_method_get(instead)->family)->jacobian);
    static const int stages[] = {0, -1, KDR_MAX_STAGES + 1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; ++i) {
        kdr_tableau t = rk4_tableau();
        t.stages = stages[i];
        expect_own_refused(&t, NULL, KDR_ERROR_ARGUMENT, "tableau.stages: expected 1 to 16, got ");
    }
}

static const struct wrong_fractions {
    bool drift;
    int i;
    double value;
    kdr_status status;
    const char *holds;
} wrong_fractions[] = {
    {false, 0, NAN, KDR_ERROR_NOT_FINITE, "fractions.kick[0]: expected a finite number, got"},
    {false, 1, INFINITY, KDR_ERROR_NOT_FINITE, "fractions.kick[1]: expected a finite number, got inf"},
    {true, 0, NAN, KDR_ERROR_NOT_FINITE, "fractions.drift[0]: expected a finite number, got"},
    {true, 1, -INFINITY, KDR_ERROR_NOT_FINITE, "fractions.drift[1]: expected a finite number, got -inf"},
    {false, 1, 0.25, KDR_ERROR_ARGUMENT, "fractions.kick: expected fractions that add up to 1, got 0.75"},
    {false, 1, 0.5 + 2e-12, KDR_ERROR_ARGUMENT, "fractions.kick: expected fractions that add up to 1, got 1.00000000000"},
    {true, 0, -1, KDR_ERROR_ARGUMENT, "fractions.drift: expected fractions that add up to 1, got -1"},
    {true, 1, -2e-12, KDR_ERROR_ARGUMENT, "fractions.drift: expected fractions that add up to 1, got 0.99999999999"},
};

Test(methods_user, wrong_fractions) {
    for (size_t i = 0; i < sizeof wrong_fractions / sizeof *wrong_fractions; ++i) {
        const struct wrong_fractions *w = &wrong_fractions[i];
        kdr_fractions f = verlet_fractions();
        (w->drift ? f.drift : f.kick)[w->i] = w->value;
        expect_own_refused(NULL, &f, w->status, w->holds);
    }
    static const int counts[] = {0, -1, KDR_MAX_FRACTIONS + 1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        kdr_fractions f = verlet_fractions();
        f.count = counts[i];
        expect_own_refused(NULL, &f, KDR_ERROR_ARGUMENT, "fractions.count: expected 1 to 40, got ");
    }
    const kdr_tableau t = rk4_tableau();
    const kdr_fractions f = verlet_fractions();
    expect_own_refused(&t, &f, KDR_ERROR_ARGUMENT, "tableau, fractions: expected one of them, got both");
}

/* The tolerance is for coefficients that are printed to 12 or more digits. Deviations within it pass, and numbers past the end are not
 * read. */
Test(methods_user, rounded_coefficients_pass) {
    kdr_tableau t = rk4_tableau();
    t.b[1] += 0.9e-12;
    t.c[1] -= 0.9e-12;
    t.a[5][5] = t.b[4] = t.c[KDR_MAX_STAGES - 1] = NAN;
    kdr_fractions f = verlet_fractions();
    f.kick[0] -= 0.9e-12;
    f.kick[2] = f.drift[KDR_MAX_FRACTIONS - 1] = NAN;
    for (int i = 0; i < 2; ++i) {
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.tableau = i == 0 ? &t : NULL;
        desc.fractions = i == 1 ? &f : NULL;
        kdr_integrator *integrator;
        kdr_error error;
        cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
        kdr_integrator_destroy(integrator);
    }
}

/* A fraction of 0 is left out, not multiplied by, so that infinite values stay infinite. The kernels for whole steps of splittings do not
 * apply. */
Test(methods_user, fractions_of_zero) {
    static const kdr_fractions zeros[] = {{.count = 3, .kick = {0.5, 0, 0.5}, .drift = {0.5, 0.5, 0}},
                                          {.count = 3, .kick = {0.25, 0.5, 0.25}, .drift = {0, 1, 0}},
                                          {.count = 4, .kick = {0, 0.5, 0.25, 0.25}, .drift = {0.25, 0.5, 0, 0.25}}};
    const kdr_force weight = kdr_force_uniform_acceleration(0, 0, -10);
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.forces = &weight, desc.force_count = 1;
    for (int n = 0; n < 2 * (int)(sizeof zeros / sizeof *zeros); ++n) {
        const int list = n / 2;
        desc.fractions = &zeros[list];
        desc.arithmetic = n % 2 ? KDR_FUSED : KDR_UNFUSED;
        for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
            if (kdr_backend_choose((kdr_backend)b, &desc.backend, NULL) != KDR_OK) {
                continue;
            }
            kdr_particles p = make_particles(300, 3, KDR_F64, false, false);
            for (size_t i = 0; i < p.count; ++i) {
                set(p.v[1], KDR_F64, i, INFINITY);
            }
            kdr_clock clock = {0, 0.25, 0};
            advance(BY_INTEGRATOR, &desc, &p, &clock, 3);
            for (size_t i = 0; i < p.count; ++i) {
                cr_assert(get(p.x[1], KDR_F64, i) == INFINITY, "backend %d, list %d, particle %zu: %g", b, list, i,
                          get(p.x[1], KDR_F64, i));
            }
            kdr_particles_destroy(&p);
        }
    }
}

/* Runs three particles in a field that depends on x, v and t. */
static kdr_particles run_field(int runner, const kdr_integrator_desc *given, bool depends_on_v, double dt, uint64_t steps) {
    const kdr_force forces[] = {kdr_force_centre(1, 0.25, 0, 0, 0.5), kdr_force_driven(1, 0.5, 0, 2, 0.25), kdr_force_drag(0.5, 1, 0, 0)};
    kdr_integrator_desc desc = *given;
    desc.forces = forces;
    desc.force_count = depends_on_v ? 3 : 2;
    kdr_particles p = make_particles(3, 3, desc.real, false, true);
    uint64_t seed = 5;
    fill_random(&p, &seed);
    kdr_clock clock = {0.5, dt, 3};
    advance(runner, &desc, &p, &clock, steps);
    return p;
}

static double largest_difference(const kdr_particles *a, const kdr_particles *b) {
    kdr_difference d;
    cr_assert(kdr_compare(a, b, &d, NULL) == KDR_OK);
    double largest = 0;
    for (size_t i = 0; i < a->count; ++i) {
        for (int axis = 0; axis < a->dims; ++axis) {
            largest = fmax(largest, fabs(get(a->x[axis], a->real, i) - get(b->x[axis], a->real, i)));
            largest = fmax(largest, fabs(get(a->v[axis], a->real, i) - get(b->v[axis], a->real, i)));
        }
    }
    return largest;
}

/* Puts a row's own numbers into a description. Splittings then step as the row does, to the bit. Weights that the row writes as scale *
 * ratio, such as 1/6 (1, 2, 2, 1), are rounded once more. */
static bool hand_in(const kdr_row *row, kdr_integrator_desc *desc, kdr_tableau *t, kdr_fractions *f, double *tolerance) {
    memset(t, 0, sizeof *t);
    memset(f, 0, sizeof *f);
    *tolerance = 0;
    if (row->data.runge_kutta) {
        const kdr_runge_kutta_row *from = row->data.runge_kutta;
        t->stages = from->stages;
        memcpy(t->a, from->a, sizeof t->a);
        memcpy(t->c, from->c, sizeof t->c);
        for (int i = 0; i < from->stages; ++i) {
            t->b[i] = from->scale * from->ratio[i];
        }
        *tolerance = from->scale == 1.0 ? 0 : 1e-13;
        desc->tableau = t;
        return true;
    }
    if (row->data.splitting && !row->data.splitting->predicts) {
        const kdr_splitting_row *from = row->data.splitting;
        f->count = from->stages;
        memcpy(f->kick, from->kick, sizeof f->kick);
        memcpy(f->drift, from->drift, sizeof f->drift);
        desc->fractions = f;
        return true;
    }
    return false;
}

Test(methods_user, rows_of_the_table_by_hand) {
    int tableaus = 0, lists = 0;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_row *row = kdr_row_get((kdr_method)m);
        kdr_integrator_desc own = kdr_integrator_desc_default(), named = own;
        kdr_tableau t;
        kdr_fractions f;
        double tolerance;
        named.method = (kdr_method)m;
        if (!hand_in(row, &own, &t, &f, &tolerance)) {
            continue;
        }
        tableaus += own.tableau != NULL;
        lists += own.fractions != NULL;
        for (int i = 0; i < RUNNERS * KDR_ARITHMETIC_COUNT; ++i) {
            own.arithmetic = named.arithmetic = (kdr_arithmetic)(i / RUNNERS);
            const bool depends = row->info.velocity_forces == KDR_VELOCITY_ANY;
            kdr_particles a = run_field(i % RUNNERS, &own, depends, 0.125, 40);
            kdr_particles b = run_field(i % RUNNERS, &named, depends, 0.125, 40);
            const double apart = largest_difference(&a, &b);
            cr_expect(apart <= tolerance, "%s by hand is off by %g", row->info.name, apart);
            kdr_particles_destroy(&a);
            kdr_particles_destroy(&b);
        }
    }
    cr_expect(tableaus >= 2 && lists >= 2);
}

/* Pairs of zeros have no effect anywhere, and the rest of the list tells whether it begins and ends with a kick. */
Test(methods_user, zeros_are_left_out) {
    const kdr_fractions lists[] = {
        verlet_fractions(),
        {.count = 3, .kick = {0.5, 0.5, 0}, .drift = {1, 0, 0}},
        {.count = 5, .kick = {0, 0.5, 0, 0, 0.5}, .drift = {0, 1, 0, 0, 0}},
        {.count = 6, .kick = {0, 0, 0.5, 0.5, 0, 0}, .drift = {0, 0, 1, 0, 0, 0}},
    };
    kdr_particles first = {0};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.fractions = &lists[i];
        kdr_integrator *integrator;
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
        const kdr_method_info *info = kdr_integrator_method(integrator);
        cr_expect(info->evaluations == 1 && info->start_evaluations == 1 && info->memory, "list %zu", i);
        kdr_integrator_destroy(integrator);
        for (int runner = 0; runner < RUNNERS; ++runner) {
            kdr_particles p = run_field(runner, &desc, true, 0.125, 40);
            if (i == 0 && runner == 0) {
                first = p;
                continue;
            }
            cr_expect(same_bits(&p, &first), "list %zu", i);
            kdr_particles_destroy(&p);
        }
    }
    kdr_particles_destroy(&first);
    /* This list ends with a drift. */
    const kdr_fractions drifts = {.count = 3, .kick = {0.5, 0.5, 0}, .drift = {0.5, 0.5, 0}};
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.fractions = &drifts;
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    const kdr_method_info *info = kdr_integrator_method(integrator);
    cr_expect(info->evaluations == 2 && info->start_evaluations == 0 && !info->memory);
    kdr_integrator_destroy(integrator);
}

/* RK4 as a user-defined tableau converges with order 4, in x and in v, on Kepler's problem. */
Test(methods_user, rk4_has_order_4) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    const kdr_tableau t = rk4_tableau();
    const state start = {{0.5, 0, 0}, {0, 1.7320508075688772, 0}};
    const state end = {{-0.4279672455611135512613, 0.8637757010451036723824, 0}, {-1.034667232373456350448, 0.06471292019329540406562, 0}};
    kdr_integrator_desc desc = describe(KDR_METHOD_COUNT, KDR_F64, KDR_FUSED, &sun, 1);
    desc.tableau = &t;
    for (int runner = 0; runner < RUNNERS; ++runner) {
        double x[2], v[2];
        for (int i = 0; i < 2; ++i) {
            const state got = advance_one(runner, &desc, start, ldexp(1, -7 - i), UINT64_C(1) << (7 + i));
            x[i] = hypot(got.x[0] - end.x[0], got.x[1] - end.x[1]);
            v[i] = hypot(got.v[0] - end.v[0], got.v[1] - end.v[1]);
        }
        cr_expect(close_to(log2(x[0] / x[1]), 4, 0.2) && close_to(log2(v[0] / v[1]), 4, 0.2), "%g %g", x[0] / x[1], v[0] / v[1]);
    }
}

/* The description is copied: later changes of it do not affect the integrator. */
Test(methods_user, coefficients_are_copied) {
    kdr_tableau t = rk4_tableau();
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.tableau = &t;
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    desc.forces = &spring;
    desc.force_count = 1;
    kdr_particles a = make_particles(1, 1, KDR_F64, false, false), b = make_particles(1, 1, KDR_F64, false, false);
    put_state(&a, 0, &(state){{1, 0, 0}, {0, 0, 0}});
    copy_state(&b, &a);
    kdr_clock clock = {0, 0.25, 0}, other = clock;
    kdr_integrator *integrator;
    cr_assert(kdr_reference_run(&desc, &a, &clock, 10, NULL) == KDR_OK);
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    memset(&t, 0xa5, sizeof t);
    cr_assert(kdr_integrator_run(integrator, &b, &other, 10, NULL) == KDR_OK);
    cr_expect(same_bits(&a, &b));
    const kdr_method_info *info = kdr_integrator_method(integrator);
    cr_expect(strcmp(info->name, "own-tableau") == 0 && info->evaluations == 4 && info->start_evaluations == 0);
    cr_expect(kdr_integrator_evaluations(integrator, &b, &other, 10) == 40);
    cr_expect(!kdr_integrator_method(NULL));
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&a);
    kdr_particles_destroy(&b);
}

/* Memory belongs to its coefficients: a run with other ones does not continue from it. */
Test(methods_user, memory_of_other_coefficients) {
    const kdr_fractions lists[2] = {verlet_fractions(), {.count = 3, .kick = {0.25, 0.5, 0.25}, .drift = {0.5, 0.5, 0}}};
    const kdr_force drag = kdr_force_drag(0.5, 1, 0, 0);
    for (int runner = 0; runner < RUNNERS; ++runner) {
        kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, &drag, 1);
        kdr_particles p = make_particles(2, 3, KDR_F64, false, true), fresh = make_particles(2, 3, KDR_F64, false, true);
        uint64_t seed = 3;
        fill_random(&p, &seed);
        kdr_clock clock = {0, 0.125, 0};
        desc.fractions = &lists[0];
        advance(runner, &desc, &p, &clock, 5);
        copy_state(&fresh, &p);
        kdr_clock other = clock;
        desc.fractions = &lists[1];
        cr_expect(p.memory_key != 0);
        advance(runner, &desc, &p, &clock, 5);
        advance(runner, &desc, &fresh, &other, 5);
        cr_expect(same_bits(&p, &fresh));
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&fresh);
    }
}

/* A tableau without a zero, with the largest number of stages. */
Test(methods_user, a_full_tableau_of_all_stages) {
    kdr_tableau full = {.stages = KDR_MAX_STAGES};
    for (int i = 0; i < KDR_MAX_STAGES; ++i) {
        full.b[i] = 1.0 / KDR_MAX_STAGES;
        for (int j = 0; j < i; ++j) {
            full.a[i][j] = 1.0 / (KDR_MAX_STAGES * (1 + j));
            full.c[i] += full.a[i][j];
        }
    }
    static const double each[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    kdr_force forces[] = {kdr_force_spring(2, 1, 0, 0), kdr_force_drag(0.25, 0, 1, 0), kdr_force_spring(0, 0, 0, 0)};
    forces[2].as.spring.k_each = each;
    forces[2].as.spring.count = 9;
    for (size_t count = 2; count <= 3; ++count) {
        kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, forces, count);
        desc.tableau = &full;
        kdr_particles p[2] = {make_particles(9, 3, KDR_F64, true, false), make_particles(9, 3, KDR_F64, true, false)};
        for (int i = 0; i < 2; ++i) {
            uint64_t seed = 7;
            fill_random(&p[i], &seed);
            kdr_clock clock = {0, 0.125, 0};
            advance(i ? BY_REFERENCE : BY_INTEGRATOR, &desc, &p[i], &clock, 3);
        }
        kdr_difference d;
        cr_expect(kdr_compare(&p[0], &p[1], &d, NULL) == KDR_OK && d.mismatches == 0, "%zu forces: %zu numbers differ", count,
                  d.mismatches);
        kdr_particles_destroy(&p[0]);
        kdr_particles_destroy(&p[1]);
    }
}

/* Tableaus of four stages. The last stage is merged with the end of the step if its weights and slopes allow it (program/merge.c). */
Test(methods_user, last_stages) {
    static const double weights[][4] = {
        {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, {0.1, 0.2, 0.3, 0.4},         {0.25, 0.25, 0.25, 0.25}, {0.375, 0.375, 0.125, 0.125},
        {0.125, 0.125, 0.375, 0.375},         {0.125, 0.375, 0.375, 0.125}, {0.5, 0.25, 0.25, 0},     {0, 0.25, 0.25, 0.5}};
    const kdr_force drive = kdr_force_driven(1, 0.5, 0, 2, 0.25), drag = kdr_force_drag(0.25, 0.5, 0, 1);
    const kdr_force fields[][2] = {{drive, drag},
                                   {drive, kdr_force_spring(2, 1, 0, 0)},
                                   {tilted_magnet()},
                                   {kdr_force_quadratic_drag(0.5, 1, 0, 0)},
                                   {kdr_force_centre(1, 0.25, 0, 0, 0.5), drag}};
    enum { WEIGHTS = sizeof weights / sizeof *weights, FIELDS = sizeof fields / sizeof *fields, PARTICLES = 37 };
    for (int n = 0; n < 2 * WEIGHTS * FIELDS; ++n) {
        const kdr_force *const field = fields[n / 2 % FIELDS];
        kdr_integrator_desc desc =
            describe(KDR_RK4, KDR_F64, n % 2 ? KDR_FUSED : KDR_UNFUSED, field, n / 2 % FIELDS == 2 || n / 2 % FIELDS == 3 ? 1 : 2);
        kdr_tableau tableau = rk4_tableau();
        memcpy(tableau.b, weights[n / 2 / FIELDS], sizeof weights[0]);
        desc.tableau = &tableau;
        kdr_particles expected = make_particles(PARTICLES, 3, KDR_F64, false, false);
        kdr_clock clock = {0, 0.125, 0};
        uint64_t seed = 7;
        fill_random(&expected, &seed);
        advance(BY_REFERENCE, &desc, &expected, &clock, 3);
        for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
            if (kdr_backend_choose((kdr_backend)b, &desc.backend, NULL) != KDR_OK) {
                continue;
            }
            kdr_particles p = make_particles(PARTICLES, 3, KDR_F64, false, false);
            clock = (kdr_clock){0, 0.125, 0};
            seed = 7;
            fill_random(&p, &seed);
            advance(BY_INTEGRATOR, &desc, &p, &clock, 3);
            cr_expect(same_bits(&p, &expected), "backend %d, field %d, weights %d", b, n / 2 % FIELDS, n / 2 / FIELDS);
            kdr_particles_destroy(&p);
        }
        kdr_particles_destroy(&expected);
    }
}
