/* The kinematic family: the maps are compared with closed forms in 60 digits and with each other; exact-affine and strang-affine are tested
 * on whole runs. */
#include "kinematic_maps.h"
#include "methods.h"

#include "method/affine.h"

static kdr_affine_map axis_map(double kx, double kv, double h) {
    kdr_field field;
    kdr_affine_map map;
    memset(&field, 0, sizeof field);
    field.kx[0] = kx;
    field.kv[0] = kv;
    field.g[0] = 1;
    kdr_affine_axis(&field, 0, NULL, 0, h, &map);
    return map;
}

/* The maps are within a unit in the last place, relative to each element itself, however small it is. */
Test(methods_kinematic, axes_by_closed_forms) {
    for (size_t i = 0; i < sizeof axis_maps / sizeof *axis_maps; ++i) {
        const double *const expected = axis_maps[i].expected;
        const kdr_affine_map map = axis_map(axis_maps[i].kx, axis_maps[i].kv, axis_step);
        const double found[5] = {map.x[0].x[0], map.x[0].v[0], map.x[0].q, map.v[0].x[0], map.v[0].v[0]};
        for (int k = 0; k < 5; ++k) {
            cr_expect(close_to(found[k], expected[k], 0x1p-52 * fabs(expected[k])), "kx = %g, kv = %g, element %d: %.17g, expected %.17g",
                      axis_maps[i].kx, axis_maps[i].kv, k, found[k], expected[k]);
        }
        cr_expect(map.v[0].q == map.x[0].v[0]);
    }
}

/* Checks properties that no table can cover: two steps are one of twice the length, and the determinant is exp(kv h). Errors are relative
 * to the largest terms, in which the rounding of the elements shows. */
static void expect_group(double wh, double zeta, double sign) {
    const double h = 0.625, kx = -sign * (wh / h) * (wh / h), kv = -2 * zeta * wh / h;
    const kdr_affine_map one = axis_map(kx, kv, h), two = axis_map(kx, kv, 2 * h);
    const long double d = one.x[0].x[0], p = one.x[0].v[0], r = one.v[0].x[0], e = one.v[0].v[0];
    const long double once[4] = {2 * d + d * d + p * r, p * (2 + d + e), r * (2 + d + e), 2 * e + e * e + p * r};
    const long double size[4] = {2 * fabsl(d) + d * d + fabsl(p * r), fabsl(p) * (2 + fabsl(d) + fabsl(e)),
                                 fabsl(r) * (2 + fabsl(d) + fabsl(e)), 2 * fabsl(e) + e * e + fabsl(p * r)};
    const double twice[4] = {two.x[0].x[0], two.x[0].v[0], two.v[0].x[0], two.v[0].v[0]};
    for (int k = 0; k < 4; ++k) {
        cr_expect(fabsl(twice[k] - once[k]) <= 4e-16L * size[k], "omega h = %g, zeta = %g, element %d: %.17g, composed %.17Lg", wh, zeta, k,
                  twice[k], once[k]);
    }
    const long double change = d + e + d * e - p * r, expected = expm1l((long double)kv * h);
    const long double scale = fabsl(d) + fabsl(e) + fabsl(d * e) + fabsl(p * r);
    cr_expect(fabsl(change - expected) <= 4e-16L * scale, "omega h = %g, zeta = %g: determinant 1 + %Lg, expected 1 + %Lg", wh, zeta,
              change, expected);
}

Test(methods_kinematic, maps_compose) {
    for (int i = -120; i <= 20; ++i) {
        for (int j = -121; j <= 40; j += 3) {
            const double wh = pow(10, i / 10.0), zeta = j == -121 ? 0 : pow(10, j / 10.0);
            expect_group(wh, zeta, 1);
            if (wh < 20) {
                expect_group(wh, zeta, -1);
            }
            if (zeta * wh < 20) {
                expect_group(wh, -zeta, 1);
            }
        }
    }
}

/* Parameters whose map overflows give NaN, in finite time. */
Test(methods_kinematic, too_large) {
    cr_expect(isnan(axis_map(-1e308, 0, 1e3).x[0].v[0]) && isnan(axis_map(-1, -1e308, 1e3).v[0].v[0]));
    const kdr_affine_map stiff = axis_map(-1e300, -1e200, 1e-3);
    cr_expect(close_to(stiff.x[0].x[0], -1, 1e-15) && stiff.v[0].v[0] == -1);
}

/* Makes one spring per axis, drag, gravity and a tilted magnetic field. The results are the exponential of the matrix in 60 digits (mpmath
 * 1.3). */
static void forces_on_axes(kdr_force list[4]) {
    const double e[3] = {0, 0, 0}, b[3] = {0.25, -0.5, 1.5};
    list[0] = kdr_force_spring(4, 0, 0, 0);
    list[0].as.spring.k[1] = 2.25;
    list[0].as.spring.k[2] = 0.5;
    list[1] = kdr_force_drag(0.125, 0, 0, 0);
    list[1].as.drag.b[1] = 0;
    list[1].as.drag.b[2] = 0.25;
    list[2] = kdr_force_uniform_acceleration(0.5, -0.25, 1);
    list[3] = kdr_force_electromagnetic(1, e, b);
}

static const struct on_axes_case {
    int dims, first; /* number of axes, and first force: with gravity first, there are neither springs nor drag */
    double time, x[3], v[3];
} on_axes[] = {
    {3,
     0,
     0.25,
     {0.50663071207918966971, 0.53919054100078302381, 0.016630454548699865616},
     {0.16277193128143351142, 1.5076803079038326779, 0.37654945128828639458}},
    {3,
     0,
     7,
     {-0.35749810093231543178, 0.44959891284745026517, 1.4926410525308843584},
     {-0.2072161584845857011, -0.053141803386050676151, -0.53316749673614562904}},
    {3,
     0,
     40,
     {-0.019388420228331276038, 0.10239159401141277823, 1.8529651322973561094},
     {-0.091223762123053092325, -0.40338948248288617296, 0.11544030449076841595}},
    {2, 0, 7, {-0.14129041338929365137, 0.87620842745996744381}, {-0.65220695646947691013, 0.20717714538609334051}},
    {3,
     2,
     3,
     {2.428737171776710038, -2.7103942169634392366, 2.8584123990494019148},
     {-1.4176351259204578975, -1.1628776579027145782, 2.9944799683525047902}},
};

static double error_on_axes(int runner, const struct on_axes_case *c, bool mass, uint64_t steps) {
    kdr_force list[4];
    forces_on_axes(list);
    const kdr_integrator_desc desc = describe(KDR_EXACT_AFFINE, KDR_F64, KDR_FUSED, list + c->first, (size_t)(4 - c->first));
    kdr_particles p = make_particles(3, c->dims, KDR_F64, mass, false);
    const state start = {{0.5, 0.125, -0.0625}, {-0.125, 1.75, 0.25}};
    put_state(&p, 1, &start);
    for (size_t i = 0; i < 3 && mass; ++i) {
        set(p.inverse_mass, KDR_F64, i, 1); /* one map per particle, all equal */
    }
    kdr_clock clock = {0, c->time / (double)steps, 0};
    advance(runner, &desc, &p, &clock, steps);
    double error = 0;
    for (int i = 0; i < c->dims; ++i) {
        error = fmax(error, fmax(fabs(get(p.x[i], KDR_F64, 1) - c->x[i]), fabs(get(p.v[i], KDR_F64, 1) - c->v[i])));
    }
    kdr_particles_destroy(&p);
    return error;
}

Test(methods_kinematic, coupled_axes_by_the_exponential) {
    for (size_t i = 0; i < sizeof on_axes / sizeof *on_axes; ++i) {
        for (int k = 0; k < 2 * RUNNERS; ++k) {
            const double one = error_on_axes(k % RUNNERS, &on_axes[i], k / RUNNERS == 1, 1);
            const double many = error_on_axes(k % RUNNERS, &on_axes[i], k / RUNNERS == 1, 512);
            cr_expect(one < 1.2e-15 && many < 2e-14, "case %zu, %s: off by %g, in 512 steps by %g", i,
                      k % RUNNERS ? "kernels" : "reference", one, many);
        }
    }
}

/* In one step of a thousand periods the only error is the rounding of omega h, which the problem itself has. */
Test(methods_kinematic, a_thousand_periods) {
    const kdr_force spring = kdr_force_spring(4, 0.5, 0, 0);
    const kdr_integrator_desc desc = describe(KDR_EXACT_AFFINE, KDR_F64, KDR_FUSED, &spring, 1);
    for (int runner = 0; runner < RUNNERS; ++runner) {
        const double h = 3141.5; /* omega h = 6283 */
        const state s = advance_one(runner, &desc, (state){{1.5, 0, 0}, {0, 1, 0}}, h, 1);
        const double x = 0.5 + (double)cosl(6283.0L), v = -2 * (double)sinl(6283.0L);
        cr_expect(close_to(s.x[0], x, 1e-15) && close_to(s.v[0], v, 1e-15), "%.17g %.17g, expected %.17g %.17g", s.x[0], s.v[0], x, v);
    }
}

/* In a million steps of springs and a magnetic field, energy errors are a random walk of rounding errors, and the way back ends at the
 * start. */
Test(methods_kinematic, energy_and_return) {
    kdr_force list[4];
    forces_on_axes(list);
    list[1] = list[3];
    const kdr_integrator_desc desc = describe(KDR_EXACT_AFFINE, KDR_F64, KDR_FUSED, list, 3);
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_particles p = make_particles(1, 3, KDR_F64, false, false);
    const state start = {{0.5, 0.125, -0.0625}, {-0.125, 1.75, 0.25}};
    put_state(&p, 0, &start);
    kdr_clock clock = {0, 0.1875, 0};
    kdr_observables first, now;
    cr_assert(kdr_observe(integrator, &p, &clock, &first, NULL) == KDR_OK);
    double largest = 0;
    for (int i = 0; i < 20; ++i) {
        cr_assert(kdr_integrator_run(integrator, &p, &clock, 50000, NULL) == KDR_OK);
        cr_assert(kdr_observe(integrator, &p, &clock, &now, NULL) == KDR_OK);
        largest = fmax(largest, fabs(now.energy - first.energy));
    }
    cr_expect(largest < 2e-11 && largest > 0, "the energy is off by %g", largest);
    clock = (kdr_clock){0, -0.1875, 0};
    cr_assert(kdr_integrator_run(integrator, &p, &clock, 1000000, NULL) == KDR_OK);
    const state back = get_state(&p, 0);
    cr_expect(apart(back.x, start.x) < 1e-10 && apart(back.v, start.v) < 1e-10, "%g", apart(back.x, start.x));
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(integrator);
}

/* Parameters from arrays give the bits of the same parameters as constants, and each particle may have its own. */
Test(methods_kinematic, parameters_a_particle) {
    enum { COUNT = 37 };
    double k[COUNT], b[COUNT], anchor[COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        k[i] = 0.5 * (double)(i % 5);
        b[i] = 0.25 * (double)(i % 3);
        anchor[i] = 0.5 * (double)(i % 4) - 0.75;
    }
    kdr_force each[3] = {kdr_force_spring(0, 0, 0, 0), kdr_force_drag(0, 1, 0.5, 0), kdr_force_uniform_acceleration(0.5, 0, -1)};
    each[0].as.spring.k_each = k;
    for (int i = 0; i < 3; ++i) {
        each[0].as.spring.at_each[i] = anchor;
    }
    each[1].as.drag.b_each = b;
    each[0].as.spring.count = each[1].as.drag.count = COUNT;
    for (int run = 0; run < 2 * RUNNERS; ++run) {
        const kdr_method method = run / RUNNERS ? KDR_STRANG_AFFINE : KDR_EXACT_AFFINE;
        const kdr_integrator_desc of_each = describe(method, KDR_F64, KDR_FUSED, each, 3);
        kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, false);
        uint64_t seed = 5;
        fill_random(&p, &seed);
        kdr_particles before = make_particles(COUNT, 3, KDR_F64, false, false);
        copy_state(&before, &p);
        kdr_clock clock = {0, 0.375, 0};
        advance(run % RUNNERS, &of_each, &p, &clock, 5);
        for (size_t i = 0; i < COUNT; ++i) {
            const kdr_force one[3] = {kdr_force_spring(k[i], anchor[i], anchor[i], anchor[i]), kdr_force_drag(b[i], 1, 0.5, 0), each[2]};
            const kdr_integrator_desc of_one = describe(method, KDR_F64, KDR_FUSED, one, 3);
            const state expected = advance_one(run % RUNNERS, &of_one, get_state(&before, i), 0.375, 5), found = get_state(&p, i);
            cr_expect(memcmp(&expected, &found, sizeof found) == 0, "%s, particle %zu", kdr_method_get(method)->name, i);
        }
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&before);
    }
}

/* Masses divide springs, drag and forces, but not accelerations. */
Test(methods_kinematic, masses) {
    const double m = 4;
    const kdr_force heavy[3] = {kdr_force_spring(6, 0.5, 0, 0), kdr_force_drag(2, 0, 0, 0), kdr_force_uniform_acceleration(0.25, 0, 0)};
    const kdr_force light[3] = {kdr_force_spring(6 / m, 0.5, 0, 0), kdr_force_drag(2 / m, 0, 0, 0), heavy[2]};
    for (int runner = 0; runner < RUNNERS; ++runner) {
        const kdr_integrator_desc with = describe(KDR_EXACT_AFFINE, KDR_F64, KDR_FUSED, heavy, 3);
        const kdr_integrator_desc without = describe(KDR_EXACT_AFFINE, KDR_F64, KDR_FUSED, light, 3);
        kdr_particles p = make_particles(1, 1, KDR_F64, true, false);
        const state start = {{1, 0, 0}, {-0.5, 0, 0}};
        put_state(&p, 0, &start);
        set(p.inverse_mass, KDR_F64, 0, 1 / m);
        kdr_clock clock = {0, 0.5, 0};
        advance(runner, &with, &p, &clock, 3);
        const state found = get_state(&p, 0), expected = advance_one(runner, &without, start, 0.5, 3);
        cr_expect(found.x[0] == expected.x[0] && found.v[0] == expected.v[0], "%.17g, expected %.17g", found.x[0], expected.x[0]);
        kdr_particles_destroy(&p);
    }
}

/* A refusal names each force that is not affine, one after the other, and a driven field. */
Test(methods_kinematic, refusals_name_the_force) {
    const struct {
        kdr_force force;
        const char *name;
    } refused[] = {{kdr_force_quadratic_drag(0.1, 0, 0, 0), "quadratic drag"},
                   {kdr_force_centre(1, 0, 0, 0, 0), "a centre"},
                   {kdr_force_driven(1, 0, 0, 1, 0), "a driven field"}};
    for (size_t i = 0; i < 3; ++i) {
        const kdr_force list[2] = {kdr_force_spring(1, 0, 0, 0), refused[i].force};
        const kdr_integrator_desc desc = describe(KDR_EXACT_AFFINE, KDR_F64, KDR_FUSED, list, 2);
        const kdr_error error = expect_desc_refused(&desc, KDR_ERROR_UNSUPPORTED, refused[i].name);
        cr_expect(strstr(error.message, refused[i].name) && strstr(error.message, "take strang-affine"), "'%s'", error.message);
    }
}

/* strang-affine evaluates the forces that are not in the map: twice with quadratic drag, and never if there are none. */
Test(methods_kinematic, evaluations_follow_the_field) {
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    const kdr_force lists[3][2] = {
        {spring, spring}, {spring, kdr_force_centre(1, 3, 0, 0, 0)}, {spring, kdr_force_quadratic_drag(0.1, 0, 0, 0)}};
    for (uint64_t i = 0; i < 3; ++i) {
        const kdr_integrator_desc desc = describe(KDR_STRANG_AFFINE, KDR_F64, KDR_FUSED, lists[i], 2);
        kdr_integrator *integrator;
        kdr_particles p = make_particles(7, 3, KDR_F64, false, false);
        const kdr_clock clock = {0, 0.5, 0};
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
        cr_expect(kdr_integrator_evaluations(integrator, &p, &clock, 10) == 70 * i);
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&p);
    }
}

/* The stiffer the spring the better: the whole spring is in the map, and the only error is that of a weak centre, at steps at which
 * velocity Verlet is not stable. */
Test(methods_kinematic, strang_stands_stiff_springs) {
    const kdr_force list[2] = {kdr_force_spring(1e6, 0, 0, 0), kdr_force_uniform_acceleration(0, -1, 0)};
    const kdr_force more[3] = {list[0], list[1], kdr_force_centre(1, 4, 0, 0, 0)};
    const state start = {{0.001, 0, 0}, {0, 1, 0}};
    for (int runner = 0; runner < RUNNERS; ++runner) {
        const kdr_integrator_desc strang = describe(KDR_STRANG_AFFINE, KDR_F64, KDR_FUSED, more, 3);
        const kdr_integrator_desc verlet = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, more, 3);
        const state at_once = advance_one(runner, &strang, start, 0x1p-7, 128), fine = advance_one(runner, &strang, start, 0x1p-13, 8192);
        const state lost = advance_one(runner, &verlet, start, 0x1p-7, 128);
        cr_expect(apart(at_once.x, fine.x) < 1e-6 && apart(at_once.x, fine.x) > 1e-9, "%g", apart(at_once.x, fine.x));
        cr_expect(!(apart(lost.x, fine.x) < 1));
    }
}

/* A step that is given at creation changes no bit, in runs with that step or any other. */
Test(methods_kinematic, a_step_named_before) {
    const kdr_force forces[] = {kdr_force_spring(4, 0.5, 0, 0), kdr_force_drag(0.1, 0, 0, 0), tilted_magnet()};
    static const kdr_method methods[] = {KDR_EXACT_AFFINE, KDR_STRANG_AFFINE, KDR_KINEMATIC_SUM};
    for (int m = 0; m < 3; ++m) {
        for (int dims = 1; dims <= 3; ++dims) {
            for (size_t count = 2; count <= 3; ++count) {
                kdr_particles p[2];
                for (int named = 0; named < 2; ++named) {
                    kdr_integrator_desc desc = describe(methods[m], KDR_F64, KDR_FUSED, forces, count);
                    desc.dt = named ? 0.1 : 0;
                    p[named] = make_particles(9, dims, KDR_F64, false, true);
                    uint64_t seed = 3;
                    fill_random(&p[named], &seed);
                    static const double steps[] = {0.1, 0.125, 0.1, (double)0.1F}; /* the last equals it only in float */
                    for (int call = 0; call < 4; ++call) {
                        kdr_clock clock = {0, steps[call], 0};
                        advance(BY_INTEGRATOR, &desc, &p[named], &clock, 3);
                    }
                }
                cr_expect(same_bits(&p[0], &p[1]), "%s, %d axes, %zu forces", kdr_method_get(methods[m])->name, dims, count);
                kdr_particles_destroy(&p[0]);
                kdr_particles_destroy(&p[1]);
            }
        }
    }
    kdr_integrator_desc wrong = describe(KDR_EXACT_AFFINE, KDR_F64, KDR_FUSED, NULL, 0);
    wrong.dt = NAN;
    expect_desc_refused(&wrong, KDR_ERROR_ARGUMENT, "dt");
}
