/* Estimates of the error of a step: they are compared with the embedded methods as published and with exact solutions. Which methods make
 * them, what they leave unchanged, and refusals are checked too. */
#include "method/method.h"
#include "system_support.h"

/* The published weights for x of the embedded method of lower order, followed by that of the new v. */
typedef struct pair {
    kdr_method method;
    int order;
    double lower[KDR_MAX_STAGES + 1];
} pair;

static const pair pairs[] = {
    {KDR_DOPRI_5, 4, {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40}},
    {KDR_RKN_4_3, 3, {-7.0 / 150, 67.0 / 150, 3.0 / 20, -1.0 / 20}},
    {KDR_DPRKN_5, 4, {1.0 / 6, 0, 0, 1.0 / 3}},
    {KDR_DPRKN_6, 4, {1349.0 / 157500, 7873.0 / 50000, 192199.0 / 900000, 521683.0 / 2100000, -16.0 / 125}},
};
enum { PAIRS = sizeof pairs / sizeof *pairs, COUNT = 37 };

static const char *name_of(const pair *p) { return kdr_method_get(p->method)->name; }

/* Returns Kepler's problem or an oscillator, in a plane. */
static kdr_force field_of(int field) { return field ? kdr_force_spring(1, 0, 0, 0) : kdr_force_centre(1, 0, 0, 0, 0); }

static void accelerate(int field, const double x[2], double a[2]) {
    const double r2 = x[0] * x[0] + x[1] * x[1], k = field ? -1 : -1 / (r2 * sqrt(r2));
    a[0] = k * x[0];
    a[1] = k * x[1];
}

/* Computes x of the lower order's method after a step from s, from the row's stages. */
static void lower_order(const pair *p, int field, double h, const state *s, const double new_v[3], double x[2]) {
    const kdr_row *const row = kdr_row_get(p->method);
    const kdr_runge_kutta_row *const rk = row->data.runge_kutta;
    const kdr_nystrom_row *const nystrom = row->data.nystrom;
    const int stages = rk ? rk->stages : nystrom->stages;
    double kx[KDR_MAX_STAGES][2], kv[KDR_MAX_STAGES][2];
    for (int i = 0; i < stages; ++i) {
        double xs[2];
        for (int axis = 0; axis < 2; ++axis) {
            xs[axis] = s->x[axis] + (rk ? 0 : nystrom->c[i] * h * s->v[axis]);
            kx[i][axis] = s->v[axis];
            for (int j = 0; j < i; ++j) {
                xs[axis] += rk ? h * rk->a[i][j] * kx[j][axis] : h * h * nystrom->a[i][j] * kv[j][axis];
                kx[i][axis] += rk ? h * rk->a[i][j] * kv[j][axis] : 0;
            }
        }
        accelerate(field, xs, kv[i]);
    }
    for (int axis = 0; axis < 2; ++axis) {
        x[axis] = s->x[axis] + (rk ? h * p->lower[stages] * new_v[axis] : h * s->v[axis]);
        for (int i = 0; i < stages; ++i) {
            x[axis] += rk ? h * p->lower[i] * kx[i][axis] : h * h * p->lower[i] * kv[i][axis];
        }
    }
}

/* Steps one particle, and returns the estimate. */
static double estimate_of(int runner, const kdr_integrator_desc *desc, state *s, double h, uint64_t steps) {
    kdr_particles p = make_particles(1, 2, desc->real, false, false);
    double error[1] = {0};
    p.error = error;
    put_state(&p, 0, s);
    kdr_clock clock = {0, h, 0};
    advance(runner, desc, &p, &clock, steps);
    *s = get_state(&p, 0);
    kdr_particles_destroy(&p);
    return get(error, desc->real, 0);
}

static const state start = {{0.5, 0.125, 0}, {-0.25, 1.5, 0}};

static double larger(double a, double b) { return fabs(a) > fabs(b) ? fabs(a) : fabs(b); }

/* The estimate is |x - x^|. It equals |x^ - exact x| up to the error of x itself, which is smaller by a power of h. It has the order of the
 * lower method's step. */
Test(methods_estimates, are_the_lower_methods_error) {
    for (int i = 0; i < 2 * PAIRS * RUNNERS; ++i) {
        const pair *const p = &pairs[i / 2 / RUNNERS];
        const int field = i % 2, runner = i / 2 % RUNNERS;
        const kdr_force force = field_of(field);
        const kdr_integrator_desc desc = describe(p->method, KDR_F64, KDR_FUSED, &force, 1);
        const kdr_integrator_desc fine = describe(KDR_KAHAN_LI_8, KDR_F64, KDR_FUSED, &force, 1);
        double got[2];
        for (int halving = 0; halving < 2; ++halving) {
            const double h = ldexp(1, -5 - halving);
            state end = start, exact = start;
            double lower[2];
            got[halving] = estimate_of(runner, &desc, &end, h, 1);
            kdr_particles e = make_particles(1, 2, KDR_F64, false, false);
            put_state(&e, 0, &start);
            kdr_clock clock = {0, h / 8, 0};
            advance(BY_INTEGRATOR, &fine, &e, &clock, 8);
            exact = get_state(&e, 0);
            kdr_particles_destroy(&e);
            lower_order(p, field, h, &start, end.v, lower);
            const double difference = larger(end.x[0] - lower[0], end.x[1] - lower[1]);
            const double truth = larger(exact.x[0] - lower[0], exact.x[1] - lower[1]);
            const double own = larger(exact.x[0] - end.x[0], exact.x[1] - end.x[1]);
            cr_expect(close_to(got[halving], difference, 1e-15), "%s, field %d: %.17g, expected %.17g", name_of(p), field, got[halving],
                      difference);
            cr_expect(got[halving] > 0.7 * truth && got[halving] < 1.4 * truth, "%s, field %d: %g of %g", name_of(p), field, got[halving],
                      truth);
            cr_expect(own < got[halving], "%s, field %d: the step itself is off by %g, estimated was %g", name_of(p), field, own,
                      got[halving]);
        }
        const double order = log2(got[0] / got[1]);
        cr_expect(fabs(order - (p->order + 1)) < 0.35, "%s, field %d: of order %g", name_of(p), field, order);
    }
}

/* The table says which methods make estimates. */
Test(methods_estimates, orders_of_the_table) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        int order = 0;
        for (int i = 0; i < PAIRS; ++i) {
            order = pairs[i].method == (kdr_method)m ? pairs[i].order : order;
        }
        cr_expect(kdr_method_get((kdr_method)m)->order_estimate == order, "%s", kdr_method_get((kdr_method)m)->name);
    }
}

static kdr_particles make_measured(kdr_real real, bool masses, bool errors) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    desc.count = COUNT;
    desc.dims = 3;
    desc.real = real;
    desc.inverse_mass = masses;
    desc.error = errors;
    kdr_particles p;
    cr_assert(kdr_particles_create(&desc, &p, NULL) == KDR_OK);
    uint64_t seed = 3;
    fill_random(&p, &seed);
    for (size_t i = 0; i < COUNT && errors; ++i) {
        cr_assert(get(p.error, real, i) == 0);
    }
    return p;
}

/* A run with estimates makes the same steps as one without, which uses specialised kernels if there are any. */
Test(methods_estimates, steps_keep_their_bits) {
    for (int i = 0; i < PAIRS * 2 * 2 * 2 * 2; ++i) {
        const kdr_force force = kdr_force_spring(2, 0.25, 0, 0);
        kdr_integrator_desc desc = describe(pairs[i / 16].method, (kdr_real)(i % 2), (kdr_arithmetic)(i / 2 % 2), &force, 1);
        desc.compensated = i / 8 % 2;
        kdr_particles plain = make_measured(desc.real, i / 4 % 2, false), measured = make_measured(desc.real, i / 4 % 2, true);
        kdr_clock clocks[2] = {{0, 0.0625, 0}, {0, 0.0625, 0}};
        advance(BY_INTEGRATOR, &desc, &plain, &clocks[0], 12);
        advance(BY_INTEGRATOR, &desc, &measured, &clocks[1], 12);
        cr_expect(same_bits(&plain, &measured), "case %d", i);
        for (size_t n = 0; n < COUNT; ++n) {
            cr_expect(get(measured.error, desc.real, n) > 0, "case %d", i);
        }
        kdr_particles_destroy(&plain);
        kdr_particles_destroy(&measured);
    }
}

/* The largest estimate since the array was 0 is kept, for any cut of the run, and in a driven field too. With levels and marks each
 * particle has estimates of its own steps. */
Test(methods_estimates, the_largest_is_kept) {
    for (int i = 0; i < PAIRS * RUNNERS; ++i) {
        const kdr_force forces[] = {kdr_force_spring(2, 0.25, 0, 0), kdr_force_driven(0.5, 0.25, 0, 1, 0.5)};
        const kdr_integrator_desc desc = describe(pairs[i / RUNNERS].method, KDR_F64, KDR_FUSED, forces, 2);
        kdr_particles whole = make_measured(KDR_F64, false, true), single = make_measured(KDR_F64, false, true);
        uint8_t active[COUNT], level[COUNT];
        double largest[COUNT] = {0};
        for (size_t n = 0; n < COUNT; ++n) {
            active[n] = n % 3 != 0;
            level[n] = n % 2;
        }
        whole.active = single.active = active, whole.level = single.level = level;
        whole.active_count = single.active_count = whole.level_count = single.level_count = COUNT;
        kdr_clock clocks[2] = {{0, 0.125, 0}, {0, 0.125, 0}};
        for (int step = 0; step < 150; ++step) {
            memset(single.error, 0, sizeof largest);
            advance(i % RUNNERS, &desc, &single, &clocks[0], 1);
            for (size_t n = 0; n < COUNT; ++n) {
                largest[n] = fmax(largest[n], get(single.error, KDR_F64, n));
            }
        }
        advance(i % RUNNERS, &desc, &whole, &clocks[1], 150);
        cr_expect(same_bits(&whole, &single) && memcmp(whole.error, largest, sizeof largest) == 0, "case %d", i);
        for (size_t n = 0; n < COUNT; ++n) {
            cr_expect((largest[n] > 0) == active[n], "case %d, particle %zu", i, n);
        }
        kdr_particles_destroy(&whole);
        kdr_particles_destroy(&single);
    }
}

/* A particle outside an absorbing boundary makes no step, and so no estimate. The estimate of a step that is not finite is not finite. */
Test(methods_estimates, of_what_makes_no_step_and_of_what_is_lost) {
    for (int i = 0; i < PAIRS * RUNNERS; ++i) {
        const kdr_force force = field_of(1);
        kdr_integrator_desc desc = describe(pairs[i / RUNNERS].method, KDR_F64, KDR_FUSED, &force, 1);
        desc.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_ABSORBING, .min = {-1, -1, -1}, .max = {1, 1, 1}};
        state held = {{1.5, 0, 0}, {-1, 0, 0}}, leaves = {{0.9, 0, 0}, {2, 0, 0}}, lost = {{(double)NAN, 0, 0}, {0, 0, 0}};
        cr_expect(estimate_of(i % RUNNERS, &desc, &held, 0.125, 4) == 0, "case %d", i);
        const double first = estimate_of(i % RUNNERS, &desc, &(state){{0.9, 0, 0}, {2, 0, 0}}, 0.125, 1);
        cr_expect(first > 0 && estimate_of(i % RUNNERS, &desc, &leaves, 0.125, 4) == first, "case %d", i);
        cr_expect(isnan(estimate_of(i % RUNNERS, &desc, &lost, 0.125, 1)), "case %d", i);
    }
}

static kdr_boundary boundary_of(int kind) {
    const kdr_boundary_kind kinds[] = {KDR_BOUNDARY_NONE, KDR_BOUNDARY_PERIODIC, KDR_BOUNDARY_ABSORBING};
    return (kdr_boundary){kinds[kind], {-1.75, -3, -3}, {1.75, 3, 3}};
}

static bool same_errors(const kdr_particles *a, const kdr_particles *b) {
    return memcmp(a->error, b->error, a->count * kdr_real_size(a->real)) == 0;
}

/* System runs have the estimates of field runs: for all particles together, in blocks, and by the reference, with or without walls. */
Test(methods_estimates, of_system_runs_are_those_of_field_runs) {
    for (int i = 0; i < PAIRS * 2 * 2 * 2 * 3; ++i) {
        const kdr_force force = kdr_force_spring(2, 0.25, 0, 0);
        const bool masses = i / 2 % 2;
        kdr_integrator_desc desc = describe(pairs[i / 24].method, (kdr_real)(i % 2), KDR_FUSED, &force, 1);
        desc.compensated = i / 4 % 2;
        desc.boundary = boundary_of(i / 8 % 3);
        kdr_system_desc system = describe_system(desc.method, desc.real, desc.arithmetic, KDR_BACKEND_AUTO);
        system.forces = &force, system.force_count = 1;
        system.compensated = desc.compensated, system.boundary = desc.boundary;
        kdr_particles p[4];
        for (int k = 0; k < 4; ++k) {
            p[k] = make_measured(desc.real, masses, true);
            for (size_t n = 0; n < COUNT && masses; n += 5) {
                set(p[k].inverse_mass, desc.real, n, 0);
            }
            kdr_clock clock = {0, 0.0625, 0};
            if (k == 0) {
                advance(BY_INTEGRATOR, &desc, &p[k], &clock, 9);
            } else {
                (k == 1 ? run : k == 2 ? run_in_blocks : reference)(&system, &p[k], &clock, 9);
            }
            cr_expect(same_bits(&p[k], &p[0]) && same_errors(&p[k], &p[0]), "case %d, by %d", i, k);
        }
        cr_expect((get(p[0].error, desc.real, 0) > 0) != masses && get(p[0].error, desc.real, 1) > 0, "case %d", i);
        for (int k = 0; k < 4; ++k) {
            kdr_particles_destroy(&p[k]);
        }
    }
}

/* A step that fails makes no estimate, a watched run makes the usual ones, and a step that is not finite leaves NaN. */
Test(methods_estimates, of_system_runs_are_of_whole_steps) {
    for (int i = 0; i < PAIRS * 2; ++i) {
        homing counts = {0, -1};
        kdr_watch watch = kdr_watch_plane((double[]){0, 0, 0}, (double[]){1, 0, 0});
        kdr_event list[4 * COUNT];
        kdr_events events = {list, sizeof list / sizeof *list, 0, NULL};
        kdr_system_desc desc = describe_system(pairs[i / 2].method, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.accelerations = pull_home, desc.context = &counts;
        desc.watches = &watch, desc.watch_count = (size_t)(i % 2);
        kdr_particles expected = make_measured(KDR_F64, false, true), p = make_measured(KDR_F64, false, true);
        p.events = i % 2 ? &events : NULL;
        kdr_clock clock = {0, 0.25, 0}, again = clock;
        kdr_system_desc unwatched = desc;
        unwatched.watch_count = 0;
        kdr_error error;
        run(&unwatched, &expected, &clock, 6);
        run(&desc, &p, &again, 6);
        cr_expect(same_bits(&p, &expected) && same_errors(&p, &expected) && (events.count > 0) == (i % 2 == 1), "case %d", i);
        counts = (homing){0, kdr_method_get(desc.method)->evaluations - 1};
        cr_expect(run_with(&desc, &p, &again, 3, &error) == KDR_ERROR_OVERFLOW && again.step == 6, "case %d", i);
        cr_expect(same_bits(&p, &expected) && same_errors(&p, &expected), "case %d", i);
        counts.calls = 0;
        cr_expect(run_in_blocks_with(&unwatched, &p, &again, 3, &error) == KDR_ERROR_OVERFLOW, "case %d", i);
        cr_expect(same_bits(&p, &expected) && same_errors(&p, &expected), "case %d", i);
        counts.fails_at = -1;
        set(p.x[0], KDR_F64, 5, (double)NAN);
        set(expected.x[0], KDR_F64, 5, (double)NAN);
        run(&desc, &p, &again, 1);
        run_in_blocks(&unwatched, &expected, &clock, 1);
        cr_expect(isnan(get(p.error, KDR_F64, 5)) && isnan(get(expected.error, KDR_F64, 5)) && get(p.error, KDR_F64, 4) > 0, "case %d", i);
        kdr_particles_destroy(&expected);
        kdr_particles_destroy(&p);
    }
}

static void expect_refused(kdr_status status, const kdr_error *error, const char *holds) {
    cr_expect(status == KDR_ERROR_UNSUPPORTED && one_line(error, status) && strstr(error->message, holds), "'%s'", error->message);
}

Test(methods_estimates, refused) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *const info = kdr_method_get((kdr_method)m);
        const kdr_force force = kdr_force_spring(2, 0.25, 0, 0);
        const kdr_integrator_desc desc = describe((kdr_method)m, KDR_F64, KDR_FUSED, &force, 1);
        kdr_particles p = make_measured(KDR_F64, false, true), before = make_measured(KDR_F64, false, false);
        kdr_integrator *integrator;
        kdr_clock clock = {0, 0.125, 0};
        kdr_error error;
        cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK);
        if (info->order_estimate == 0) {
            char text[128];
            snprintf(text, sizeof text, "particles.error: %s has no weights", info->name);
            expect_refused(kdr_integrator_run(integrator, &p, &clock, 1, &error), &error, text);
            expect_refused(kdr_reference_run(&desc, &p, &clock, 1, &error), &error, text);
            cr_expect(same_bits(&p, &before) && clock.step == 0);
        }
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&before);
    }
    const kdr_force force = kdr_force_spring(2, 0.25, 0, 0);
    kdr_system_desc system = describe_system(KDR_RK4, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    system.forces = &force, system.force_count = 1;
    kdr_particles p = make_measured(KDR_F64, false, true);
    kdr_clock clock = {0, 0.125, 0};
    kdr_error error;
    expect_refused(run_with(&system, &p, &clock, 1, &error), &error, "particles.error: rk4 has no weights");
    expect_refused(kdr_reference_system_run(&system, &p, &clock, 1, &error), &error, "particles.error: rk4 has no weights");
    p.error = p.x[0];
    cr_expect(kdr_particles_check(&p, &error) == KDR_ERROR_OVERLAP && strstr(error.message, "error[0]"), "'%s'", error.message);
    kdr_particles_destroy(&p);
}
