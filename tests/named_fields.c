/* The fields that the library has by name: compared with their formulas from the literature in the C library's functions; their
 * accelerations with the gradients of their potentials; and motions in them with known results. */
#include "force/custom.h"
#include "methods.h"
#include "system_support.h"

#include <criterion/criterion.h>

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

/* Parameters in the order of the field's, and the acceleration of a particle at rest by the formula from the literature. */
typedef void formula_fn(const double *p, double t, const double x[3], double a[3]);

static double length(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

static void difference(const double x[3], const double *at, double r[3]) {
    for (int i = 0; i < 3; ++i) {
        r[i] = x[i] - at[i];
    }
}

static void scaled(double k, const double r[3], double a[3]) {
    for (int i = 0; i < 3; ++i) {
        a[i] = k * r[i];
    }
}

static void yukawa(const double *p, double t, const double x[3], double a[3]) {
    double r[3];
    (void)t;
    difference(x, p + 2, r);
    const double d = length(r);
    scaled(-p[0] * exp(-d / p[1]) * (1 / d + 1 / p[1]) / (d * d), r, a);
}

static void logarithmic_halo(const double *p, double t, const double x[3], double a[3]) {
    double r[3];
    (void)t;
    difference(x, p + 3, r);
    scaled(-p[0] * p[0] / (p[1] * p[1] + r[0] * r[0] + r[1] * r[1] + r[2] * r[2] / (p[2] * p[2])), r, a);
    a[2] /= p[2] * p[2];
}

static void nfw(const double *p, double t, const double x[3], double a[3]) {
    double r[3];
    (void)t;
    difference(x, p + 2, r);
    const double d = length(r), u = d / p[1];
    scaled(-p[0] * (log1p(u) - u / (1 + u)) / (d * d * d), r, a);
}

static void miyamoto_nagai(const double *p, double t, const double x[3], double a[3]) {
    double r[3];
    (void)t;
    difference(x, p + 3, r);
    const double high = hypot(r[2], p[2]), sum = p[1] + high;
    scaled(-p[0] / pow(r[0] * r[0] + r[1] * r[1] + sum * sum, 1.5), r, a);
    a[2] *= sum / high;
}

static void oblate_planet(const double *p, double t, const double x[3], double a[3]) {
    double r[3];
    (void)t;
    difference(x, p + 3, r);
    const double d = length(r), flat = 1.5 * p[2] * p[1] * p[1] / (d * d), z2 = 5 * r[2] * r[2] / (d * d), pull = -p[0] / (d * d * d);
    for (int i = 0; i < 3; ++i) {
        a[i] = pull * r[i] * (1 - flat * (z2 - (i == 2 ? 3 : 1)));
    }
}

static void rotating_frame(const double *p, double t, const double x[3], double a[3]) {
    double r[3];
    (void)t;
    difference(x, p + 3, r);
    const double along = p[0] * r[0] + p[1] * r[1] + p[2] * r[2], square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    for (int i = 0; i < 3; ++i) {
        a[i] = square * r[i] - along * p[i];
    }
}

/* Solves Kepler's equation by bisection. */
static double anomaly(double m, double e) {
    double low = m - 1, high = m + 1;
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (low + high);
        *(middle - e * sin(middle) < m ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static void orbit(const double *p, double t, double at[3]) {
    const double big = anomaly(p[1] * t + p[9], p[8]);
    for (int i = 0; i < 3; ++i) {
        at[i] = p[11 + i] + p[2 + i] * (cos(big) - p[8]) + p[5 + i] * sin(big);
    }
}

static void orbiting_centre(const double *p, double t, const double x[3], double a[3]) {
    double r[3], at[3];
    orbit(p, t, at);
    difference(x, at, r);
    scaled(-p[0] / pow(length(r) * length(r) + p[10] * p[10], 1.5), r, a);
}

static void lennard_jones_wall(const double *p, double t, const double x[3], double a[3]) {
    double r[3];
    (void)t;
    difference(x, p + 5, r);
    const double size = length(p + 2), d = (r[0] * p[2] + r[1] * p[3] + r[2] * p[4]) / size, s = pow(p[1] / d, 6);
    scaled(24 * p[0] / d * (2 * s * s - s) / size, p + 2, a);
}

static void vortex(const double *p, double t, const double x[3], double a[3]) {
    double r[3], across[3];
    (void)t;
    difference(x, p + 6, r);
    const double size = length(p + 2), n[3] = {p[2] / size, p[3] / size, p[4] / size}, along = r[0] * n[0] + r[1] * n[1] + r[2] * n[2];
    for (int i = 0; i < 3; ++i) {
        across[i] = r[i] - along * n[i];
    }
    const double square = length(across) * length(across) + p[1] * p[1];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        a[i] = (p[0] * (n[j] * r[k] - n[k] * r[j]) - p[5] * across[i]) / square;
    }
}

/* Returns the values of a linear function, for fields of three or six components on 3 x 3 x 3 nodes from -2 to 2. */
static double grid_value(int c, const double x[3]) { return 0.5 - c + 0.25 * x[0] * (c + 1) - 0.75 * x[1] + x[2] * (c - 1); }

static void grid_acceleration(const double *p, double t, const double x[3], double a[3]) {
    (void)t;
    for (int i = 0; i < 3; ++i) {
        a[i] = p[0] * grid_value(i, x);
    }
}

/* Computes the acceleration by a centre that moves in a straight line from t = 0 to 20. The table's cubic polynomials represent it exactly,
 * except in the first and last part. */
static void table_centre(const double *p, double t, const double x[3], double a[3]) {
    double r[3], at[3];
    for (int i = 0; i < 3; ++i) {
        at[i] = 0.5 * i + 0.1 * t * (i - 1);
    }
    difference(x, at, r);
    scaled(-p[0] / pow(length(r) * length(r) + p[1] * p[1], 1.5), r, a);
}

static const struct {
    const char *name;
    formula_fn *formula; /* NULL: has its own test */
    double parameter[KDR_MAX_PARAMETERS];
} known[] = {{"yukawa", yukawa, {1.5, 0.75, 0.1, -0.2, 0.3}},
             {"logarithmic-halo", logarithmic_halo, {1.25, 0.3, 0.8, 0.1, -0.2, 0.3}},
             {"nfw", nfw, {2, 1.25, 0.1, -0.2, 0.3}},
             {"miyamoto-nagai", miyamoto_nagai, {1.5, 0.6, 0.2, 0.1, -0.2, 0.3}},
             {"oblate-planet", oblate_planet, {1.25, 0.5, 0.1, 0.1, -0.2, 0.3}},
             {"rotating-frame", rotating_frame, {0.2, -0.3, 0.5, 0.1, -0.2, 0.3}},
             {"orbiting-centre", orbiting_centre, {1.5, 0.7, 0.9, 0.1, 0.2, -0.2, 0.6, 0.3, 0.6, 0.4, 0.05, 0.1, -0.2, 0.3}},
             {"lennard-jones-wall", lennard_jones_wall, {0.5, 0.6, 0.3, -0.5, 2, 0.1, -0.2, -3}},
             {"vortex", vortex, {0.75, 0.2, 0.3, -0.5, 2, 0.4, 0.1, -0.2, 0.3}},
             {"grid-acceleration", grid_acceleration, {1.5}},
             {"grid-wind", grid_acceleration, {0.75}},
             {"grid-electromagnetic", grid_acceleration, {-1.25}},
             {"table-centre", table_centre, {0.75, 0.25, 0.5}},
             {"curl-noise", NULL, {1.5, 2, 0.1, 3}}};
enum { KNOWN = sizeof known / sizeof *known };

enum { GRID_NODES = 27, TIMES = 13 }; /* times from -2 to 22 */

static float single_values[GRID_NODES * 6], single_times[TIMES * 3];
static double precise_values[GRID_NODES * 6], precise_times[TIMES * 3];

/* Returns the grid of a field in a precision. Its numbers are exact in both. */
static const kdr_grid *grid_of(const kdr_custom_field *field, kdr_real real) {
    static kdr_grid grid;
    const int components = kdr_custom_field_grid_component_count(field);
    const bool single = real == KDR_F32;
    if (kdr_custom_field_flags(field) & KDR_CUSTOM_FIELD_TIME) {
        for (int k = 0; k < TIMES * 3; ++k) {
            precise_times[k] = 0.5 * (k % 3) + 0.1 * (-2 + k / 3 * 2) * (k % 3 - 1);
            single_times[k] = (float)precise_times[k];
        }
        grid = (kdr_grid){.dims = 1, .components = 3, .nodes = {TIMES}, .origin = {-2}, .spacing = {2}};
        grid.values = single ? (const void *)single_times : precise_times;
        return components ? &grid : NULL;
    }
    for (int k = 0; k < GRID_NODES * components; ++k) {
        const int n = k / components;
        const double x[3] = {n % 3 * 2 - 2, n / 3 % 3 * 2 - 2, n / 9 * 2 - 2};
        precise_values[k] = grid_value(k % components, x);
        single_values[k] = (float)precise_values[k];
    }
    grid = (kdr_grid){.dims = 3, .components = components, .nodes = {3, 3, 3}, .origin = {-2, -2, -2}, .spacing = {2, 2, 2}};
    grid.values = single ? (const void *)single_values : precise_values;
    return components ? &grid : NULL;
}

static kdr_force named(const char *name, const double *parameters) {
    const kdr_custom_field *field = NULL;
    cr_assert(kdr_field_from_name(name, &field) == KDR_OK, "%s", name);
    return kdr_force_custom(field, parameters);
}

static double random_place(uint64_t *seed, double x[3]) {
    for (int i = 0; i < 3; ++i) {
        x[i] = random_in(seed, -2, 2);
    }
    return random_in(seed, 0, 20);
}

/* Computes the acceleration of a particle from explicit Euler's step of dt = 1, which evaluates at the beginning of the step. */
static void acceleration_by(const kdr_force *force, kdr_real real, double t, const double x[3], const double v[3], double a[3]) {
    const kdr_integrator_desc desc = describe(KDR_EXPLICIT_EULER, real, KDR_FUSED, force, 1);
    kdr_particles p = make_particles(1, 3, real, false, false);
    kdr_clock clock = {t, 1, 0};
    put_state(&p, 0, &(state){{x[0], x[1], x[2]}, {v[0], v[1], v[2]}});
    advance(BY_INTEGRATOR, &desc, &p, &clock, 1);
    const state s = get_state(&p, 0);
    difference(s.v, v, a);
    kdr_particles_destroy(&p);
}

static void acceleration_of(const kdr_force *force, kdr_real real, double t, const double x[3], const double v[3], double a[3]) {
    kdr_force whole = *force;
    whole.as.custom.grid = grid_of(force->as.custom.field, real);
    acceleration_by(&whole, real, t, x, v, a);
}

static void acceleration_at(const kdr_force *force, kdr_real real, double t, const double x[3], double a[3]) {
    acceleration_of(force, real, t, x, (const double[3]){0, 0, 0}, a);
}

static double potential_at(const kdr_force *force, double t, const double x[3]) {
    kdr_force whole = *force;
    whole.as.custom.grid = grid_of(force->as.custom.field, KDR_F64);
    const kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, &whole, 1);
    kdr_particles p = make_particles(1, 3, KDR_F64, false, false);
    kdr_integrator *integrator = NULL;
    kdr_observables seen;
    put_state(&p, 0, &(state){{x[0], x[1], x[2]}, {0, 0, 0}});
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    cr_assert(kdr_observe(integrator, &p, &(kdr_clock){t, 1, 0}, &seen, NULL) == KDR_OK);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
    return seen.potential;
}

Test(named_fields, all_are_known) {
    for (int i = 0; i < KNOWN; ++i) {
        cr_expect(kdr_field_get(i) && strcmp(kdr_custom_field_name(kdr_field_get(i)), known[i].name) == 0, "%d", i);
        cr_expect(kdr_custom_field_required_parameter_count(kdr_field_get(i)) <= kdr_custom_field_parameter_count(kdr_field_get(i)));
    }
    const kdr_custom_field *field = kdr_field_get(0);
    cr_expect(kdr_field_get(KNOWN) == NULL && kdr_field_get(-1) == NULL);
    cr_expect(kdr_field_from_name("plumer", &field) == KDR_ERROR_UNKNOWN_NAME && field == kdr_field_get(0));
    cr_expect(kdr_field_from_name(NULL, &field) == KDR_ERROR_NULL && kdr_field_from_name("nfw", NULL) == KDR_ERROR_NULL);
}

Test(named_fields, textbook) {
    uint64_t seed = test_seed();
    for (int i = 0; i < KNOWN; ++i) {
        const kdr_force force = named(known[i].name, known[i].parameter);
        for (int n = 0; n < 500 && known[i].formula; ++n) {
            double x[3], a[3], got[3];
            const double t = random_place(&seed, x);
            for (int real = 0; real < KDR_REAL_COUNT; ++real) {
                for (int axis = 0; axis < 3 && real == KDR_F32; ++axis) {
                    x[axis] = (double)(float)x[axis];
                }
                known[i].formula(known[i].parameter, real == KDR_F32 ? (double)(float)t : t, x, a);
                acceleration_at(&force, (kdr_real)real, t, x, got);
                const double apart_by = apart(a, got), tolerance = real == KDR_F32 ? 1e-4 : 1e-12;
                cr_expect(apart_by <= tolerance * (length(a) + 1), "%s, %s at (%g, %g, %g): (%g, %g, %g), expected (%g, %g, %g)",
                          known[i].name, kdr_real_name((kdr_real)real), x[0], x[1], x[2], got[0], got[1], got[2], a[0], a[1], a[2]);
            }
        }
    }
}

/* Particles in a plane are at z = 0, and those on a line at y = 0 too. */
Test(named_fields, of_fewer_axes) {
    for (int i = 0; i < KNOWN; ++i) {
        kdr_force force = named(known[i].name, known[i].parameter);
        force.as.custom.grid = grid_of(force.as.custom.field, KDR_F64);
        const kdr_integrator_desc desc = describe(KDR_EXPLICIT_EULER, KDR_F64, KDR_FUSED, &force, 1);
        for (int dims = 1; dims <= 2; ++dims) {
            const double x[3] = {0.75, dims == 2 ? -0.5 : 0, 0};
            double a[3];
            kdr_particles p = make_particles(1, dims, KDR_F64, false, false);
            kdr_clock clock = {3, 1, 0};
            put_state(&p, 0, &(state){{x[0], x[1], x[2]}, {0, 0, 0}});
            advance(BY_INTEGRATOR, &desc, &p, &clock, 1);
            acceleration_at(&force, KDR_F64, 3, x, a);
            for (int axis = 0; axis < dims; ++axis) {
                cr_expect(((double *)p.v[axis])[0] == a[axis], "%s, %d axes", known[i].name, dims);
            }
            kdr_particles_destroy(&p);
        }
    }
}

/* Checks a = -grad Phi, by differences of fourth order. */
Test(named_fields, potentials) {
    uint64_t seed = test_seed();
    const double h = 1e-3;
    int compared = 0;
    for (int i = 0; i < KNOWN; ++i) {
        const kdr_force force = named(known[i].name, known[i].parameter);
        for (int n = 0; n < 50 && (kdr_custom_field_flags(force.as.custom.field) & KDR_CUSTOM_FIELD_POTENTIAL); ++n) {
            double x[3], a[3], d[4];
            const double t = random_place(&seed, x);
            acceleration_at(&force, KDR_F64, t, x, a);
            for (int axis = 0; axis < 3 && length(a) < 20; ++axis) {
                for (int k = 0; k < 4; ++k) {
                    double near[3] = {x[0], x[1], x[2]};
                    near[axis] += h * (k < 2 ? k - 2 : k - 1);
                    d[k] = potential_at(&force, t, near);
                }
                const double slope = (d[0] - 8 * d[1] + 8 * d[2] - d[3]) / (12 * h);
                cr_expect(close_to(-slope, a[axis], 1e-6 * (1 + length(a) * length(a))), "%s: %g, expected %g", known[i].name, -slope,
                          a[axis]);
                ++compared;
            }
        }
    }
    cr_expect(compared > 8 * 100, "%d", compared);
}

/* Compares the derivatives of an entry at (x, v, t), for `th`, with differences of fourth order. `reach` is the increment of x. */
static void expect_derivatives(const kdr_force *force, double reach, double t, const double x[3], const double v[3]) {
    static const double weight[4] = {1, -8, 8, -1}, th = 0.375;
    const kdr_custom_field *const field = force->as.custom.field;
    const kdr_custom_field_given given = {3, force->as.custom.parameter, force->as.custom.parameter, t, 1, force->as.custom.grid};
    double s[3][3] = {{0}}, size = 1;
    field->jacobian[KDR_F64][KDR_FUSED](&given, th, x, v, s);
    for (int axis = 0; axis < 3; ++axis) {
        double expected[3] = {0}, a[3], scale = 0;
        for (int k = 0; k < 8; ++k) {
            double near[3] = {x[0], x[1], x[2]}, fast[3] = {v[0], v[1], v[2]};
            const double h = k < 4 ? reach : 0.5, moved = h * (k % 4 < 2 ? k % 4 - 2 : k % 4 - 1);
            *(k < 4 ? &near[axis] : &fast[axis]) += moved;
            acceleration_by(force, KDR_F64, t, near, fast, a);
            for (int i = 0; i < 3; ++i) {
                expected[i] += (k < 4 ? th : 1) * weight[k % 4] * a[i] / (12 * h);
                scale = fmax(scale, fabs(a[i]) / h);
            }
        }
        for (int i = 0; i < 3; ++i) {
            size = fmax(size, fabs(expected[i]));
            cr_expect(close_to(s[i][axis], expected[i], 1e-5 * size + 1e-13 * scale),
                      "%s, of %d by %d at (%g, %g, %g): %.12g, expected %.12g", field->name, i, axis, x[0], x[1], x[2], s[i][axis],
                      expected[i]);
        }
    }
}

/* Implicit methods use these derivatives. At a node of a grid there are none. */
Test(named_fields, derivatives) {
    uint64_t seed = test_seed();
    for (int i = 0; i < KNOWN; ++i) {
        kdr_force force = named(known[i].name, known[i].parameter);
        kdr_grid grid = {0};
        if (kdr_custom_field_grid_component_count(force.as.custom.field)) {
            grid = *grid_of(force.as.custom.field, KDR_F64);
            grid.component_stride = 1, grid.stride[0] = (size_t)grid.components;
            grid.stride[1] = 3 * grid.stride[0], grid.stride[2] = 9 * grid.stride[0];
            force.as.custom.grid = &grid;
        }
        cr_assert(kdr_custom_field_flags(force.as.custom.field) & KDR_CUSTOM_FIELD_JACOBIAN, "%s", known[i].name);
        for (int n = 0; n < 200; ++n) {
            double x[3], v[3], a[3];
            const double t = random_place(&seed, x);
            random_place(&seed, v);
            acceleration_by(&force, KDR_F64, t, x, v, a);
            if (length(a) < 1e3 && fabs(x[0]) > 0.01 && fabs(x[1]) > 0.01 && fabs(x[2]) > 0.01) {
                expect_derivatives(&force, 1e-3, t, x, v);
            }
        }
    }
}

/* In a cell the derivatives are those of a function that is linear in each axis. Beyond a clamped end they are 0, beyond a periodic one
 * those of the grid. */
Test(named_fields, slopes_of_grids) {
    enum { NODES = 4, VALUES = NODES * NODES * NODES * 6 };
    static double values[VALUES];
    static const char *const fields[] = {"grid-acceleration", "grid-wind", "grid-electromagnetic"};
    uint64_t seed = test_seed();
    for (int k = 0; k < VALUES; ++k) {
        values[k] = random_in(&seed, -2, 2);
    }
    for (int n = 0; n < 600; ++n) {
        kdr_force force = named(fields[n % 3], (const double[KDR_MAX_PARAMETERS]){0.75});
        kdr_grid grid = {.dims = 1 + n / 3 % 3, .components = n % 3 == 2 ? 6 : 3, .values = values, .component_stride = 1};
        double x[3], v[3];
        bool is_at_a_node = false;
        for (int i = 0; i < 3; ++i) {
            grid.nodes[i] = NODES, grid.origin[i] = -1, grid.spacing[i] = 0.5 + 0.25 * i;
            grid.edge[i] = random_in(&seed, 0, 1) < 0.5 ? KDR_EDGE_CLAMPED : KDR_EDGE_PERIODIC;
            grid.stride[i] = (size_t)grid.components * (size_t)(i == 0 ? 1 : i == 1 ? NODES : NODES * NODES);
            x[i] = random_in(&seed, -3, 3), v[i] = random_in(&seed, -1, 1);
            const double part = (x[i] + 1) / grid.spacing[i];
            is_at_a_node = is_at_a_node || fabs(part - round(part)) < 0.01;
        }
        force.as.custom.grid = &grid;
        if (!is_at_a_node) {
            expect_derivatives(&force, 1e-3, 0, x, v);
        }
    }
}

/* Implicit steps in each field are of second order, by the reference and the kernels alike, for particles with masses. */
Test(named_fields, implicit_steps) {
    for (int i = 0; i < KNOWN; ++i) {
        kdr_force force = named(known[i].name, known[i].parameter);
        force.as.custom.grid = grid_of(force.as.custom.field, KDR_F64);
        const state start = {{0.9, 0.6, 0.9}, {0.2, -0.1, 0.15}};
        const kdr_integrator_desc exact = describe(KDR_RK4, KDR_F64, KDR_FUSED, &force, 1);
        const state expected = advance_one(BY_REFERENCE, &exact, start, 1.0 / 2048, 1024);
        for (int runner = 0; runner < RUNNERS; ++runner) {
            const kdr_integrator_desc desc = describe(KDR_IMPLICIT_MIDPOINT, KDR_F64, KDR_FUSED, &force, 1);
            double error[2];
            for (int k = 0; k < 2; ++k) {
                const state end = advance_one(runner, &desc, start, 1.0 / (64 << k), 32U << k);
                error[k] = apart(end.x, expected.x) + apart(end.v, expected.v);
            }
            cr_expect(error[0] < 0.01 && (error[0] < 1e-11 || close_to(error[0] / error[1], 4, 0.2)), "%s: %g, %g", known[i].name, error[0],
                      error[1]);
        }
    }
}

/* A galaxy, and its parts in other orders and with a spring between them: the energy is conserved along an orbit, by the reference and the
 * kernels alike. */
Test(named_fields, energy_in_a_galaxy) {
    const kdr_force galaxy[] = {named("miyamoto-nagai", (const double[KDR_MAX_PARAMETERS]){1, 0.5, 0.1}),
                                named("nfw", (const double[KDR_MAX_PARAMETERS]){2, 2}),
                                kdr_force_centre(0.25, 0, 0, 0, 0.2),
                                named("logarithmic-halo", (const double[KDR_MAX_PARAMETERS]){0.3, 0.5, 0.9}),
                                kdr_force_spring(0.01, 0, 0, 0),
                                named("yukawa", (const double[KDR_MAX_PARAMETERS]){0.1, 0.5})};
    for (int runner = 0; runner < RUNNERS; ++runner) {
        const kdr_integrator_desc desc = describe(KDR_PEFRL, KDR_F64, KDR_FUSED, galaxy, 6);
        kdr_particles p = make_particles(2, 3, KDR_F64, true, false);
        kdr_clock clock = {0, 1.0 / 128, 0};
        kdr_integrator *integrator = NULL;
        kdr_observables before, after;
        put_state(&p, 0, &(state){{1, 0, 0.1}, {0, 1, 0.2}});
        put_state(&p, 1, &(state){{0, -2, 0.3}, {1, 0.1, 0}});
        set(p.inverse_mass, KDR_F64, 0, 0.5);
        set(p.inverse_mass, KDR_F64, 1, 1);
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
        cr_assert(kdr_observe(integrator, &p, &clock, &before, NULL) == KDR_OK);
        advance(runner, &desc, &p, &clock, 4096);
        cr_assert(kdr_observe(integrator, &p, &clock, &after, NULL) == KDR_OK);
        cr_expect(close_to(after.energy, before.energy, 2e-6 * fabs(before.energy)) && fabs(after.kinetic - before.kinetic) > 1e-3,
                  "%.12g, %.12g", before.energy, after.energy);
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&p);
    }
}

/* A circular orbit with the speed of the field's rotation curve stays circular. */
Test(named_fields, circular_velocities) {
    const double radius = 1.75, nfw_speed = sqrt(2 * (log(1 + radius / 1.25) - (radius / 1.25) / (1 + radius / 1.25)) / radius);
    const double sum = 0.6 + 0.2, disc = sqrt(1.5 * radius * radius / pow(radius * radius + sum * sum, 1.5));
    const struct {
        const char *name;
        double parameter[KDR_MAX_PARAMETERS], speed;
    } curves[] = {{"nfw", {2, 1.25}, nfw_speed},
                  {"logarithmic-halo", {1.25, 0, 0.8}, 1.25},
                  {"miyamoto-nagai", {1.5, 0.6, 0.2}, disc},
                  {"yukawa", {1.5, 0.75}, sqrt(1.5 * exp(-radius / 0.75) * (1 + radius / 0.75) / radius)},
                  {"oblate-planet", {1.25, 0.5, 0.1}, sqrt(1.25 / radius * (1 + 1.5 * 0.1 * 0.25 / (radius * radius)))}};
    for (size_t i = 0; i < sizeof curves / sizeof *curves; ++i) {
        const kdr_force force = named(curves[i].name, curves[i].parameter);
        const kdr_integrator_desc desc = describe(KDR_BLANES_MOAN_11B, KDR_F64, KDR_FUSED, &force, 1);
        const double period = 2 * 3.14159265358979323846 * radius / curves[i].speed;
        const state end = advance_one(BY_INTEGRATOR, &desc, (state){{radius, 0, 0}, {0, curves[i].speed, 0}}, period / 256, 256);
        cr_expect(apart(end.x, (const double[KDR_MAX_PARAMETERS]){radius, 0, 0}) < 1e-8, "%s: %g", curves[i].name,
                  apart(end.x, (const double[KDR_MAX_PARAMETERS]){radius, 0, 0}));
    }
}

/* Noise has no divergence, by differences of fourth order, and has the given size. Another seed or time gives other noise. */
Test(named_fields, noise_without_divergence) {
    uint64_t seed = test_seed();
    const double h = 1e-3;
    const kdr_force force = named("curl-noise", known[KNOWN - 1].parameter);
    double square = 0, slope = 0, likeness = 0;
    enum { PLACES = 4000 };
    for (int n = 0; n < PLACES; ++n) {
        double x[3], a[3], b[3], divergence = 0;
        const double t = random_place(&seed, x) * 10;
        for (int i = 0; i < 3; ++i) {
            x[i] *= 50;
        }
        acceleration_at(&force, KDR_F64, t, x, a);
        square += length(a) * length(a) / PLACES;
        for (int axis = 0; axis < 3; ++axis) {
            static const double weight[4] = {1, -8, 8, -1};
            for (int k = 0; k < 4; ++k) {
                double near[3] = {x[0], x[1], x[2]};
                near[axis] += h * (k < 2 ? k - 2 : k - 1);
                acceleration_at(&force, KDR_F64, t, near, b);
                divergence += weight[k] * b[axis] / (12 * h);
                slope = fmax(slope, fabs(b[axis] - a[axis]) / h);
            }
        }
        cr_expect(fabs(divergence) < 1e-8, "%g", divergence);
        kdr_force other = force;
        other.as.custom.parameter[3] += 1;
        acceleration_at(&other, KDR_F64, t, x, b);
        likeness += (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / PLACES;
    }
    /* There is no seed for which all waves are 0 at one point. */
    const kdr_force of_no_seed = named("curl-noise", (const double[KDR_MAX_PARAMETERS]){1, 1});
    double there[3];
    acceleration_at(&of_no_seed, KDR_F64, 0, (const double[3]){0, 0, 0}, there);
    cr_expect(length(there) > 0.1, "%g", length(there));
    cr_expect(close_to(sqrt(square), 1.5, 0.05) && slope > 5 && fabs(likeness) < 0.8 * square, "%g, %g, %g", sqrt(square), slope, likeness);
}

/* A moving particle is slowed down to the wind, and rotated by the magnetic field but not by the electric one. */
Test(named_fields, what_moves_on_a_grid) {
    const kdr_force wind = named("grid-wind", (const double[KDR_MAX_PARAMETERS]){0.75}),
                    charge = named("grid-electromagnetic", (const double[KDR_MAX_PARAMETERS]){-1.25});
    uint64_t seed = test_seed();
    for (int n = 0; n < 100; ++n) {
        double x[3], v[3], a[3], braked[3], turned[3];
        random_place(&seed, x);
        random_place(&seed, v);
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            braked[i] = -0.75 * (v[i] - grid_value(i, x));
            turned[i] = -1.25 * (grid_value(i, x) + v[j] * grid_value(3 + k, x) - v[k] * grid_value(3 + j, x));
        }
        acceleration_of(&wind, KDR_F64, 0, x, v, a);
        cr_expect(apart(a, braked) < 1e-13, "%g", apart(a, braked));
        acceleration_of(&charge, KDR_F64, 0, x, v, a);
        cr_expect(apart(a, turned) < 1e-12, "%g", apart(a, turned));
    }
}

/* Checks that three steps from `start` on every backend have the reference's bits, and so has the system run of the same, in blocks too,
 * if there is one. */
static void expect_reference(const kdr_integrator_desc *given, const kdr_system_desc *same, const kdr_particles *begin,
                             const kdr_clock *start, const char *who) {
    kdr_integrator_desc desc = *given;
    kdr_particles expected = make_particles(begin->count, 3, desc.real, false, false);
    kdr_particles p = make_particles(begin->count, 3, desc.real, false, false);
    kdr_clock clock = *start;
    copy_state(&expected, begin);
    advance(BY_REFERENCE, &desc, &expected, &clock, 3);
    for (int b = KDR_BACKEND_AUTO + 1; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        for (int way = 0; way < (same ? 3 : 1) && info.runnable; ++way) {
            kdr_system_desc system = same ? *same : kdr_system_desc_default();
            desc.backend = system.backend = (kdr_backend)b;
            clock = *start;
            copy_state(&p, begin);
            if (way == 0) {
                advance(BY_INTEGRATOR, &desc, &p, &clock, 3);
            } else {
                (way == 1 ? run : run_in_blocks)(&system, &p, &clock, 3);
            }
            cr_expect(same_bits(&p, &expected), "%s from %g, %s, %s, way %d", who, start->t0, kdr_real_name(desc.real), info.name, way);
        }
    }
    kdr_particles_destroy(&expected);
    kdr_particles_destroy(&p);
}

/* Grids are placed so that nothing can be read after their end, and particles are in their last cells too. Every backend has the
 * reference's bits. */
Test(named_fields, nothing_is_read_behind_a_grid) {
    static const struct {
        const char *name;
        int components;
        kdr_method method;
    } fields[] = {{"grid-electromagnetic", 6, KDR_BORIS}, {"grid-acceleration", 3, KDR_VELOCITY_VERLET}};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(memory != MAP_FAILED && mprotect(memory + page, page, PROT_NONE) == 0);
    for (int n = 0; n < 2 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++n) {
        const kdr_real real = (kdr_real)(n % 2);
        const int components = fields[n / 4].components;
        kdr_grid grid = {.dims = 3, .components = components, .nodes = {4, 3, 3}, .origin = {-1, -1, -1}, .spacing = {0.75, 1, 1}};
        const size_t size = (size_t)(36 * components) * kdr_real_size(real);
        grid.values = memory + page - size;
        for (int k = 0; k < 36 * components; ++k) {
            set(memory + page - size, real, (size_t)k, (k * 37 % 101) / 101.0 - 0.5);
        }
        kdr_force force = named(fields[n / 4].name, (const double[KDR_MAX_PARAMETERS]){1.5});
        force.as.custom.grid = &grid;
        kdr_integrator_desc desc = describe(fields[n / 4].method, real, (kdr_arithmetic)(n / 2 % 2), &force, 1);
        kdr_particles begin = make_particles(200, 3, real, false, false);
        uint64_t seed = 5;
        fill_random(&begin, &seed);
        expect_reference(&desc, NULL, &begin, &(kdr_clock){0, 0.125, 0}, fields[n / 4].name);
        kdr_particles_destroy(&begin);
    }
    munmap(memory, 2 * page);
}

/* The table's cubic polynomials follow a centre on a circle more closely than straight lines, which cut its corners. At the table's times
 * both are exact. */
Test(named_fields, centres_on_tables) {
    enum { NODES = 32 };
    static double table[NODES][3];
    const double turn = 2 * 3.14159265358979323846 / NODES;
    for (int k = 0; k < NODES; ++k) {
        table[k][0] = cos(turn * k), table[k][1] = sin(turn * k);
    }
    const kdr_grid grid = {.dims = 1, .components = 3, .nodes = {NODES}, .edge = {KDR_EDGE_PERIODIC}, .spacing = {turn}, .values = table};
    kdr_force force = named("table-centre", (const double[KDR_MAX_PARAMETERS]){1, 0, 1}),
              circle = named("orbiting-centre", (const double[KDR_MAX_PARAMETERS]){1, 1, 1, 0, 0, 0, 1, 0});
    double worst[2] = {0, 0};
    for (int k = 0; k < 200; ++k) {
        for (int cubic = 0; cubic < 2; ++cubic) {
            double a[3], expected[3];
            force.as.custom.parameter[2] = cubic;
            force.as.custom.grid = &grid;
            const kdr_integrator_desc desc = describe(KDR_EXPLICIT_EULER, KDR_F64, KDR_FUSED, &force, 1);
            kdr_particles p = make_particles(1, 3, KDR_F64, false, false);
            kdr_clock clock = {0.1 * k, 1, 0};
            put_state(&p, 0, &(state){{3, 0, 0}, {0, 0, 0}});
            advance(BY_INTEGRATOR, &desc, &p, &clock, 1);
            const state s = get_state(&p, 0);
            memcpy(a, s.v, sizeof a);
            acceleration_at(&circle, KDR_F64, 0.1 * k, (const double[]){3, 0, 0}, expected);
            worst[cubic] = fmax(worst[cubic], apart(a, expected));
            kdr_particles_destroy(&p);
        }
    }
    cr_expect(worst[1] < 1e-5 + worst[0] / 20 && worst[0] < 0.01 && worst[0] > 1e-4, "%g, %g", worst[0], worst[1]);
}

/* Kepler's equation is solved to rounding for all eccentricities up to the largest, all around the orbit, for angles of either sign. */
Test(named_fields, eccentricities_up_to_the_largest) {
    const double eccentricity[] = {0, 0.3, 0.8, 0.9}, x[3] = {3, -2, 1};
    for (int n = 0; n < 4; ++n) {
        for (int k = -200; k <= 200; ++k) {
            double p[KDR_MAX_PARAMETERS] = {1,           1, 1, 0, 0, 0, sqrt(1 - eccentricity[n] * eccentricity[n]), 0, eccentricity[n],
                                            0.015625 * k};
            double a[3], expected[3];
            const kdr_force force = named("orbiting-centre", p);
            acceleration_at(&force, KDR_F64, 0, x, a);
            orbiting_centre(p, 0, x, expected);
            cr_expect(apart(a, expected) < 2e-15, "e = %g, at %g: %g", eccentricity[n], p[9], apart(a, expected));
        }
    }
}

/* At large times the angles are those of omega t + phase in double, in both precisions, as in driven fields. */
Test(named_fields, angles_of_long_times) {
    const double times[] = {100, 12345, 1e6, 16777217, -3e9, 1e12, -1e15}, x[3] = {3, -2, 1};
    for (size_t n = 0; n < sizeof times / sizeof *times; ++n) {
        const double p[KDR_MAX_PARAMETERS] = {1, 0.7, 1, 0, 0, 0, 0.8, 0, 0.6, 0.4, 0.25}, angle = p[1] * times[n] + p[9];
        double turned[KDR_MAX_PARAMETERS], at[3], expected[3], a[3];
        const kdr_force force = named("orbiting-centre", p);
        memcpy(turned, p, sizeof turned);
        turned[9] = atan2(sin(angle), cos(angle));
        orbiting_centre(turned, 0, x, expected);
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            const double tolerance = real == KDR_F32 ? 2e-6 : 1e-12;
            acceleration_at(&force, (kdr_real)real, times[n], x, a);
            cr_expect(apart(a, expected) < tolerance, "%s, at %g: %g", kdr_real_name((kdr_real)real), times[n], apart(a, expected));
        }
        orbit(turned, 0, at);
        const double depth = -p[0] / sqrt(apart(x, at) * apart(x, at) + p[10] * p[10]);
        cr_expect(close_to(potential_at(&force, times[n], x), depth, 1e-12), "at %g: %g", times[n], potential_at(&force, times[n], x));
    }
    for (int real = 0; real < KDR_REAL_COUNT; ++real) { /* 0.125 (1e9 + 3) turns are .375 of a turn and whole turns */
        const kdr_force late = named("curl-noise", (const double[KDR_MAX_PARAMETERS]){1.5, 2, 0.125, 3}),
                        same = named("curl-noise", (const double[KDR_MAX_PARAMETERS]){1.5, 2, 0.375, 3});
        double a[3], expected[3];
        acceleration_at(&late, (kdr_real)real, 1e9 + 3, x, a);
        acceleration_at(&same, (kdr_real)real, 1, x, expected);
        cr_expect(apart(a, expected) < (real == KDR_F32 ? 1e-5 : 1e-13), "%s: %g", kdr_real_name((kdr_real)real), apart(a, expected));
    }
}

/* Kepler's equation loses no digits by whole turns: at every angle the acceleration is that of the angle without its whole turns. */
Test(named_fields, no_digits_are_lost_in_turns) {
    const double x[3] = {3, -2, 1};
    for (int n = 0; n < 400; ++n) {
        const double time = 2.75 * (n - 200), turns = rint(time / 6.283185307179586);
        double p[KDR_MAX_PARAMETERS] = {1, 1, 1, 0, 0, 0, 0.8, 0, 0.6, 0}, expected[3], a[3];
        const kdr_force force = named("orbiting-centre", p);
        acceleration_at(&force, KDR_F64, time, x, a);
        p[9] = fma(-turns, 6.283185307179586, time) - turns * 2.4492935982947064e-16;
        orbiting_centre(p, 0, x, expected);
        cr_expect(apart(a, expected) < 2e-15, "at %g: %g", time, apart(a, expected));
    }
}

/* At its own position a field has acceleration 0 if it is bounded nearby, and otherwise one that is not finite, so that a run notices
 * it. */
Test(named_fields, at_their_own_place) {
    static const struct {
        const char *name;
        double parameter[14];
        bool is_bounded;
    } rows[] = {
        {"yukawa", {1, 1}, false},
        {"logarithmic-halo", {1, 0, 1}, false},
        {"logarithmic-halo", {1, 0.5, 1}, true},
        {"nfw", {1, 1}, true},
        {"miyamoto-nagai", {1, 0.5, 0.5}, true},
        {"oblate-planet", {1, 1, 0.1}, false},
        {"orbiting-centre", {1, 1}, false},
        {"orbiting-centre", {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}, true},
        {"lennard-jones-wall", {1, 1, 1}, false},
        {"vortex", {1, 0, 0, 0, 1}, false},
        {"vortex", {1, 0.5, 0, 0, 1, 1}, true},
    };
    const double x[3] = {0, 0, 0};
    double a[3];
    for (int n = 0; n < 2 * (int)(sizeof rows / sizeof *rows); ++n) {
        const kdr_force force = named(rows[n / 2].name, rows[n / 2].parameter);
        acceleration_at(&force, n % 2 ? KDR_F32 : KDR_F64, 0, x, a);
        const bool is_0 = a[0] == 0 && a[1] == 0 && a[2] == 0, is_finite = isfinite(a[0] + a[1] + a[2]);
        cr_expect(rows[n / 2].is_bounded ? is_0 : !is_finite, "%s: %g %g %g", rows[n / 2].name, a[0], a[1], a[2]);
    }
    for (int soft = 0; soft < 2; ++soft) {
        const kdr_force centre = kdr_force_centre(1, 0, 0, 0, soft);
        acceleration_by(&centre, KDR_F64, 0, x, x, a);
        cr_expect(soft ? a[0] == 0 && a[1] == 0 && a[2] == 0 : isnan(a[0]), "%g", a[0]);
    }
}

/* Large times, small ones and those between, with constants and with arrays as parameters, give the reference's bits, in system runs
 * too. */
Test(named_fields, long_times_by_arrays) {
    enum { COUNT = 77 };
    static const double starts[] = {0, 9, 2000, 1e12}, parameters[KDR_MAX_PARAMETERS] = {1, 0.7, 1, 0, 0, 0, 0.8, 0, 0.6, 0.4, 0.25};
    static _Alignas(8) unsigned char each[2][COUNT * sizeof(double)];
    for (unsigned n = 0; n < 4 * 4 * 2 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++n) {
        const kdr_real real = (kdr_real)(n % 2);
        const kdr_arithmetic arithmetic = (kdr_arithmetic)(n / 2 % 2);
        kdr_force force = named("orbiting-centre", parameters);
        for (size_t i = 0; i < COUNT; ++i) {
            set(each[0], real, i, 0.01 * (double)i - 0.3);
            set(each[1], real, i, 0.1 * (double)i - 4);
        }
        force.as.custom.each[1] = n / 16 & 1 ? each[0] : NULL;
        force.as.custom.each[9] = n / 16 & 2 ? each[1] : NULL;
        force.as.custom.count = COUNT;
        kdr_particles begin = make_particles(COUNT, 3, real, false, false);
        uint64_t seed = 5;
        fill_random(&begin, &seed);
        const kdr_integrator_desc desc = describe(n / 64 ? KDR_IMPLICIT_MIDPOINT : KDR_RK4, real, arithmetic, &force, 1);
        kdr_system_desc system = describe_system(KDR_RK4, real, arithmetic, KDR_BACKEND_AUTO);
        system.forces = &force, system.force_count = 1;
        expect_reference(&desc, desc.method == KDR_RK4 ? &system : NULL, &begin, &(kdr_clock){starts[n / 4 % 4], 0.125, 0},
                         "orbiting-centre");
        kdr_particles_destroy(&begin);
    }
}

/* The potential of a centre on a table is that of a centre at its position at that time, with numbers of either precision. */
Test(named_fields, potentials_of_tables) {
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        kdr_force force = named("table-centre", known[12].parameter);
        force.as.custom.grid = grid_of(force.as.custom.field, (kdr_real)real);
        const kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, (kdr_real)real, KDR_FUSED, &force, 1);
        kdr_system_desc system_desc = describe_system(KDR_VELOCITY_VERLET, (kdr_real)real, KDR_FUSED, KDR_BACKEND_AUTO);
        kdr_particles p = make_particles(1, 3, (kdr_real)real, true, false);
        kdr_integrator *integrator = NULL;
        kdr_system *system = NULL;
        kdr_observables seen, other;
        system_desc.forces = &force, system_desc.force_count = 1;
        put_state(&p, 0, &(state){{0.5, -1, 2}, {0, 0, 0}});
        set(p.inverse_mass, (kdr_real)real, 0, 0.5);
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK && kdr_system_create(&system_desc, &system, NULL) == KDR_OK);
        const kdr_clock clock = {7.3, 1, 0};
        cr_assert(kdr_observe(integrator, &p, &clock, &seen, NULL) == KDR_OK);
        cr_assert(kdr_system_observe(system, &p, &clock, &other, NULL) == KDR_OK);
        const double r[3] = {0.5 + 0.73, -1.5, 1 - 0.73}, expected = -2 * 0.75 / sqrt(length(r) * length(r) + 0.0625);
        cr_expect(close_to(seen.potential, expected, 1e-6) && other.potential == seen.potential, "%s: %g, expected %g",
                  kdr_real_name((kdr_real)real), seen.potential, expected);
        kdr_integrator_destroy(integrator);
        kdr_system_destroy(system);
        kdr_particles_destroy(&p);
    }
}

/* An ellipse obeys Kepler's third law: T^2 = 4 pi^2 a^3 / mu. */
Test(named_fields, third_law) {
    const kdr_force force = named("oblate-planet", (const double[KDR_MAX_PARAMETERS]){1.5, 0.5, 0});
    const kdr_integrator_desc desc = describe(KDR_BLANES_MOAN_11B, KDR_F64, KDR_FUSED, &force, 1);
    for (int i = 1; i <= 4; ++i) {
        const double a = i, e = 0.3, period = 2 * 3.14159265358979323846 * sqrt(a * a * a / 1.5), fast = sqrt(1.5 / a * (1 + e) / (1 - e));
        const double start[3] = {a * (1 - e), 0, 0};
        const state end = advance_one(BY_INTEGRATOR, &desc, (state){{start[0], 0, 0}, {0, 0.8 * fast, 0.6 * fast}}, period / 512, 512);
        cr_expect(apart(end.x, start) < 1e-8 * a, "%g: %g", a, apart(end.x, start));
    }
}

/* The node of an orbit about an oblate planet regresses by 3/2 n j2 (R / p)^2 cos i (Vallado 9-37), to first order in j2. */
Test(named_fields, nodes_about_a_flat_planet) {
    const double j2 = 1e-3, a = 2, tilt = 1;
    const kdr_force force = named("oblate-planet", (const double[KDR_MAX_PARAMETERS]){1, 1, j2});
    const kdr_integrator_desc desc = describe(KDR_BLANES_MOAN_11B, KDR_F64, KDR_FUSED, &force, 1);
    const double rate = sqrt(1 / (a * a * a)), speed = a * rate, period = 2 * 3.14159265358979323846 / rate;
    enum { ORBITS = 40 };
    const state end =
        advance_one(BY_INTEGRATOR, &desc, (state){{a, 0, 0}, {0, speed * cos(tilt), speed * sin(tilt)}}, period / 128, ORBITS * 128);
    const double turn = atan2(end.x[1] * end.v[2] - end.x[2] * end.v[1], -(end.x[2] * end.v[0] - end.x[0] * end.v[2]));
    const double expected = -1.5 * j2 / (a * a) * cos(tilt) * rate * ORBITS * period;
    cr_expect(close_to(turn, expected, 0.02 * fabs(expected)), "%g, expected %g", turn, expected);
}

/* A motion in a straight line, seen from a rotating frame. */
Test(named_fields, straight_on_in_a_turning_frame) {
    const double omega = 0.75, t = 4;
    const kdr_force force = named("rotating-frame", (const double[KDR_MAX_PARAMETERS]){0, 0, omega});
    const kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, &force, 1);
    /* At t = 0 the axes of both frames coincide, and the velocity in the rotating frame is v - omega x r. */
    const double x[3] = {1, 0.5, 0.25}, v[3] = {0.3, -0.2, 0.1};
    const state end =
        advance_one(BY_INTEGRATOR, &desc, (state){{x[0], x[1], x[2]}, {v[0] + omega * x[1], v[1] - omega * x[0], v[2]}}, t / 1024, 1024);
    const double at[3] = {x[0] + t * v[0], x[1] + t * v[1], x[2] + t * v[2]}, c = cos(omega * t), s = sin(omega * t);
    const double seen[3] = {c * at[0] + s * at[1], c * at[1] - s * at[0], at[2]};
    cr_expect(apart(end.x, seen) < 1e-9, "%g", apart(end.x, seen));
    /* Without masses the frame's forces are affine, a magnetic field and a repulsive spring, which an exact method accepts. */
    kdr_force folded[2] = {kdr_force_electromagnetic(1, NULL, (const double[]){0, 0, 2 * omega}), kdr_force_spring(0, 0, 0, 0)};
    folded[1].as.spring.k[0] = folded[1].as.spring.k[1] = -omega * omega;
    const kdr_integrator_desc exact = describe(KDR_EXACT_AFFINE, KDR_F64, KDR_FUSED, folded, 2);
    const state there =
        advance_one(BY_INTEGRATOR, &exact, (state){{x[0], x[1], x[2]}, {v[0] + omega * x[1], v[1] - omega * x[0], v[2]}}, t, 1);
    cr_expect(apart(there.x, seen) < 1e-13, "%g", apart(there.x, seen));
}

/* A particle between a wall's repulsion and its attraction oscillates and keeps its energy. At the minimum of the energy there is no
 * force. */
Test(named_fields, swing_at_a_wall) {
    const double epsilon = 0.5, sigma = 0.6, least = sigma * pow(2, 1.0 / 6);
    const kdr_force force = named("lennard-jones-wall", (const double[KDR_MAX_PARAMETERS]){epsilon, sigma, 0, 0, 3});
    double a[3];
    acceleration_at(&force, KDR_F64, 0, (const double[KDR_MAX_PARAMETERS]){0.3, 0.2, least}, a);
    cr_expect(length(a) < 1e-13 && close_to(potential_at(&force, 0, (const double[KDR_MAX_PARAMETERS]){0, 0, least}), -epsilon, 1e-14),
              "%g", length(a));
    const double swing = 0.01 * sigma, w = sqrt(72 * epsilon / (least * least)), period = 2 * 3.14159265358979323846 / w;
    const kdr_integrator_desc desc = describe(KDR_BLANES_MOAN_11B, KDR_F64, KDR_FUSED, &force, 1);
    const state end = advance_one(BY_INTEGRATOR, &desc, (state){{0, 0, least + swing}, {0.5, 0, 0}}, period / 64, 64);
    cr_expect(close_to(end.x[2], least + swing, 0.05 * swing) && close_to(end.x[0], 0.5 * period, 1e-12), "%g of %g", end.x[2] - least,
              swing);
}

/* Returns a field with sensible parameters, except for `count` of them, from `first` on. */
static kdr_force but_for(int field, int first, int count, const double *values) {
    kdr_force force = named(known[field].name, known[field].parameter);
    memcpy(force.as.custom.parameter + first, values, (size_t)count * sizeof *values);
    return force;
}

static void expect_parameter_refused(kdr_force force, kdr_real real, const char *says) {
    kdr_force list[] = {kdr_force_spring(1, 0, 0, 0), force}; /* the message names the place in the list */
    list[1].as.custom.grid = grid_of(force.as.custom.field, real);
    kdr_integrator_desc desc = describe(KDR_RK4, real, KDR_FUSED, list, 2);
    const kdr_error error = expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, says);
    cr_expect(strcmp(error.message, says) == 0, "%s: got %s", says, error.message);
}

static void expect_parameter_taken(kdr_force force, kdr_real real) {
    force.as.custom.grid = grid_of(force.as.custom.field, real);
    const kdr_integrator_desc desc = describe(KDR_RK4, real, KDR_FUSED, &force, 1);
    kdr_integrator *integrator = NULL;
    kdr_error error = {0};
    cr_expect(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
    kdr_integrator_destroy(integrator);
}

/* Degenerate parameters are refused, and the last ones that are not are accepted, in both precisions. */
Test(named_fields, numbers_out_of_range) {
    static const struct {
        int field, parameter;
        const char *name;
        double most;
        bool above; /* false: only 0 is degenerate; true: all numbers from it on */
    } ranges[] = {
        {0, 1, "yukawa.range", INFINITY, true},
        {1, 1, "logarithmic-halo.core", INFINITY, false},
        {1, 2, "logarithmic-halo.flattening", INFINITY, true},
        {2, 1, "nfw.radius", INFINITY, true},
        {3, 1, "miyamoto-nagai.length", INFINITY, false},
        {3, 2, "miyamoto-nagai.height", INFINITY, true},
        {4, 1, "oblate-planet.radius", INFINITY, false},
        {6, 8, "orbiting-centre.eccentricity", 0.9, false},
        {6, 10, "orbiting-centre.softening", INFINITY, false},
        {7, 1, "lennard-jones-wall.sigma", INFINITY, true},
        {8, 1, "vortex.core", INFINITY, false},
        {12, 1, "table-centre.softening", INFINITY, false},
        {12, 2, "table-centre.cubic", 1, false},
        {13, 1, "curl-noise.wavelength", INFINITY, true},
    };
    for (size_t i = 0; i < 2 * sizeof ranges / sizeof *ranges; ++i) {
        const kdr_real real = (kdr_real)(i % 2);
        const int field = ranges[i / 2].field, parameter = ranges[i / 2].parameter;
        const double most = ranges[i / 2].most, wrong[] = {-1, -1e-30, ranges[i / 2].above ? 0 : -2, 1.0625 * most};
        for (int k = 0; k < (isfinite(most) ? 4 : 3); ++k) {
            char expected[32] = "a number above 0", says[128];
            if (!ranges[i / 2].above) {
                snprintf(expected, sizeof expected, isfinite(most) ? "0 to %g" : "at least 0", most);
            }
            snprintf(says, sizeof says, "forces[1].%s: expected %s, got %g", ranges[i / 2].name, expected, wrong[k]);
            expect_parameter_refused(but_for(field, parameter, 1, &wrong[k]), real, says);
        }
        const double right[] = {ranges[i / 2].above ? 1e-30 : 0, isfinite(most) ? most : 1e30};
        for (int k = 0; k < 2; ++k) {
            expect_parameter_taken(but_for(field, parameter, 1, &right[k]), real);
        }
    }
    /* This number is above 0 in double only. */
    expect_parameter_refused(but_for(2, 1, 1, (const double[]){1e-50}), KDR_F32, "forces[1].nfw.radius: expected a number above 0, got 0");
    expect_parameter_taken(but_for(2, 1, 1, (const double[]){1e-50}), KDR_F64);
}

/* A vector has no direction if it is 0, or so short or long that its square is 0 or infinite. */
Test(named_fields, vectors_without_a_direction) {
    static const struct {
        int field;
        const char *name;
    } vectors[] = {{7, "lennard-jones-wall.normal"}, {8, "vortex.axis"}};
    static const double wrong[KDR_REAL_COUNT][2] = {{1e-20, 1.6e19}, {1e-155, 1.6e154}};
    for (int i = 0; i < 2 * KDR_REAL_COUNT; ++i) {
        const kdr_real real = (kdr_real)(i % 2);
        const char *const range = real == KDR_F32 ? "1.17549e-38 to 1.70141e+38" : "2.22507e-308 to 8.98847e+307";
        char says[192];
        for (int k = 0; k < 3; ++k) {
            for (int axis = 0; axis < 3; ++axis) {
                double v[3] = {0, 0, 0};
                v[axis] = k == 2 ? 0.0 : -wrong[real][k];
                snprintf(says, sizeof says, "forces[1].%s: expected a vector that is not 0, of a square from %s, got (%g, %g, %g)",
                         vectors[i / 2].name, range, v[0], v[1], v[2]);
                expect_parameter_refused(but_for(vectors[i / 2].field, 2, 3, v), real, says);
                v[axis] = k == 1 ? wrong[real][1] / 2 : 20 * wrong[real][0];
                expect_parameter_taken(but_for(vectors[i / 2].field, 2, 3, v), real);
            }
        }
    }
}

/* The particles' precision rounds both ends of this range upwards; the rounded ends are still in it. */
Test(named_fields, ends_of_a_range_are_rounded) {
    static const kdr_custom_field_range ranges[KDR_MAX_PARAMETERS] = {[0] = {-1, INFINITY}, [1] = {0.1, 0.3}};
    static const struct {
        double parameter[KDR_MAX_PARAMETERS];
        const char *says; /* NULL: it is accepted */
    } cases[] = {{{-1, 0.1}, NULL},
                 {{1e30, 0.3}, NULL},
                 {{0, 0.09375}, "forces[1].nfw.radius: expected 0.1 to 0.3, got 0.09375"},
                 {{0, 0.3125}, "forces[1].nfw.radius: expected 0.1 to 0.3, got 0.3125"},
                 {{-1.5, 0.25}, "forces[1].nfw.mu: expected at least -1, got -1.5"}};
    kdr_custom_field other = *kdr_field_get(2);
    other.range = ranges;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; ++i) {
        const kdr_force force = kdr_force_custom(&other, cases[i / 2].parameter);
        if (cases[i / 2].says) {
            expect_parameter_refused(force, (kdr_real)(i % 2), cases[i / 2].says);
        } else {
            expect_parameter_taken(force, (kdr_real)(i % 2));
        }
    }
}

/* Arrays with one value per particle are not known when an integrator is made, and so are not checked. */
Test(named_fields, arrays_are_not_looked_at) {
    static const double each[] = {1}, zero[3] = {0, 0, 0};
    const struct {
        int field, first, count, array;
    } cases[] = {{2, 1, 1, 1}, {6, 8, 1, 8}, {7, 2, 3, 2}, {8, 2, 3, 3}, {8, 2, 3, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        kdr_force force = but_for(cases[i].field, cases[i].first, cases[i].count, cases[i].field == 6 ? (const double[]){2} : zero);
        force.as.custom.each[cases[i].array] = each;
        force.as.custom.count = 1;
        expect_parameter_taken(force, KDR_F64);
    }
}

Test(named_fields, refused) {
    kdr_force list[KDR_MAX_CUSTOM + 1];
    for (int i = 0; i <= KDR_MAX_CUSTOM; ++i) {
        list[i] = named("nfw", (const double[KDR_MAX_PARAMETERS]){1, 1});
    }
    kdr_integrator_desc desc = describe(KDR_RK4, KDR_F32, KDR_FUSED, list, KDR_MAX_CUSTOM + 1);
    expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "nine fields");
    desc.force_count = 1;
    list[0] = named("rotating-frame", known[5].parameter);
    desc.method = KDR_NYSTROM_4;
    const kdr_error error = expect_desc_refused(&desc, KDR_ERROR_UNSUPPORTED, "a field that depends on v");
    cr_expect(strstr(error.message, "a field that depends on the velocity, rotating-frame; take rk4"), "%s", error.message);
    kdr_force table = named("table-centre", known[12].parameter);
    const kdr_grid space = {.dims = 3, .components = 3, .nodes = {3, 3, 3}, .spacing = {1, 1, 1}, .values = precise_values};
    table.as.custom.grid = &space;
    desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, &table, 1);
    const kdr_error times = expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "a table of more than times");
    cr_expect(strstr(times.message, "table-centre.grid.dims: expected 1, got 3"), "%s", times.message);
    kdr_force wind = named("grid-wind", known[10].parameter);
    wind.as.custom.grid = grid_of(wind.as.custom.field, KDR_F64);
    wind.as.custom.each[1] = precise_values;
    wind.as.custom.count = 1;
    desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, &wind, 1);
    const kdr_error array = expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "an array of a parameter that there is not");
    cr_expect(strstr(array.message, "forces[0].grid-wind.each[1]: expected NULL"), "%s", array.message);
}
