/* The columns symplectic and reversible, each checked for methods that have the property and for those that do not; and consequences:
 * bounded energy errors, conserved angular momentum. */
#include "methods.h"

enum { DIM = 6 };

/* A point of a particle's phase space, in the order x, v. */
typedef union point {
    state s;
    double z[DIM];
} point;
_Static_assert(sizeof(state) == sizeof(double[DIM]), "x, then v, and nothing else");

/* Returns true for methods that accept only affine fields, which have their own tests (methods_kinematic.c). */
static bool left_out(kdr_method method) { return kdr_method_get(method)->affine; }

/* Langevin methods are measured with friction, for which they are made; without it they are splittings. */
static const double friction = 0.01;

/* Computes the Jacobian of one step by differences of fourth order, (8 (f(d) - f(-d)) - (f(2d) - f(-2d))) / 12d, all in one run. */
static void jacobian(int runner, kdr_method method, const problem *p, double dt, double J[DIM][DIM]) {
    static const double offset[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    const double d = 0x1p-11;
    const kdr_integrator_desc desc = describe_row(method, p->forces, p->count, friction);
    kdr_particles all = make_particles(4 * DIM, 3, KDR_F64, false, false);
    for (int i = 0; i < 4 * DIM; ++i) {
        point at = {.s = p->start};
        at.z[i / 4] += offset[i % 4] * d;
        put_state(&all, (size_t)i, &at.s);
    }
    kdr_clock clock = {0, dt, 0};
    advance(runner, &desc, &all, &clock, 1);
    memset(J, 0, sizeof(double[DIM][DIM]));
    for (int i = 0; i < 4 * DIM; ++i) {
        const point at = {.s = get_state(&all, (size_t)i)};
        for (int row = 0; row < DIM; ++row) {
            J[row][i / 4] += weight[i % 4] * at.z[row] / (12 * d);
        }
    }
    kdr_particles_destroy(&all);
}

/* Returns the largest element of J^T W J - W, W = (0 1; -1 0). */
static double form_defect(double J[DIM][DIM]) {
    double largest = 0;
    for (int i = 0; i < DIM; ++i) {
        for (int j = 0; j < DIM; ++j) {
            double sum = i + 3 == j ? -1 : j + 3 == i ? 1 : 0;
            for (int k = 0; k < 3; ++k) {
                sum += J[k][i] * J[k + 3][j] - J[k + 3][i] * J[k][j];
            }
            largest = fmax(largest, fabs(sum));
        }
    }
    return largest;
}

static double determinant(double J[DIM][DIM]) {
    double A[DIM][DIM], det = 1;
    memcpy(A, J, sizeof A);
    for (int i = 0; i < DIM; ++i) {
        int pivot = i;
        for (int k = i + 1; k < DIM; ++k) {
            pivot = fabs(A[k][i]) > fabs(A[pivot][i]) ? k : pivot;
        }
        for (int j = 0; j < DIM; ++j) {
            const double swap = A[i][j];
            A[i][j] = A[pivot][j];
            A[pivot][j] = swap;
        }
        det *= pivot == i ? A[i][i] : -A[i][i];
        for (int k = i + 1; k < DIM; ++k) {
            const double factor = A[k][i] / A[i][i];
            for (int j = i; j < DIM; ++j) {
                A[k][j] -= factor * A[i][j];
            }
        }
    }
    return det;
}

/* A step is h = 1/4, two thirds of a radian of the motion. The differences are accurate to 1e-11. The smallest defect of a method that is
 * not symplectic is 0.013, for dopri-5. */
Test(methods_geometry, symplectic_form) {
    const problem p = softened_driven();
    for (int i = 0; i < RUNNERS * KDR_METHOD_COUNT; ++i) {
        const kdr_method_info *info = kdr_method_get((kdr_method)(i / RUNNERS));
        double J[DIM][DIM];
        if (left_out((kdr_method)(i / RUNNERS))) {
            continue;
        }
        jacobian(i % RUNNERS, (kdr_method)(i / RUNNERS), &p, 0.25, J);
        const double defect = form_defect(J), det = determinant(J);
        cr_expect(info->symplectic ? defect < 1e-9 : defect > 1e-5, "%s: J^T W J - W is %g", info->name, defect);
        cr_expect(!info->symplectic || close_to(det, 1, 1e-9), "%s: det J - 1 is %g", info->name, det - 1);
    }
}

/* Steps by h and then by -h, and returns in *error how far the end is from the start. A method with memory begins afresh on the way
 * back. */
static bool return_error(int runner, kdr_method method, const problem *p, double dt, uint64_t steps, double *error) {
    const kdr_integrator_desc desc = describe_row(method, p->forces, p->count, friction);
    kdr_particles q = make_particles(1, 3, KDR_F64, false, true);
    put_state(&q, 0, &p->start);
    kdr_clock clock = {0, dt, 0};
    advance(runner, &desc, &q, &clock, steps);
    clock = (kdr_clock){kdr_clock_time(&clock, clock.step, 0), -dt, 0};
    q.memory_key = 0;
    kdr_status status;
    kdr_error why;
    if (runner == BY_REFERENCE) {
        status = kdr_reference_run(&desc, &q, &clock, steps, &why);
    } else {
        kdr_integrator *integrator;
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
        status = kdr_integrator_run(integrator, &q, &clock, steps, &why);
        kdr_integrator_destroy(integrator);
    }
    const state back = get_state(&q, 0);
    *error = fmax(apart(back.x, p->start.x), apart(back.v, p->start.v));
    kdr_particles_destroy(&q);
    /* A method that cannot run backwards says so, and is not reversible. */
    cr_expect(status == KDR_OK || (!kdr_method_get(method)->reversible && one_line(&why, status)), "%s", kdr_method_get(method)->name);
    return status == KDR_OK;
}

/* After 200 steps forwards and 200 back, reversible methods are at the start to rounding. The others must not be. */
Test(methods_geometry, reversibility) {
    const problem p = softened_driven();
    int ways = 0;
    for (int i = 0; i < RUNNERS * KDR_METHOD_COUNT; ++i) {
        const kdr_method_info *info = kdr_method_get((kdr_method)(i / RUNNERS));
        double error;
        if (!left_out((kdr_method)(i / RUNNERS)) && return_error(i % RUNNERS, (kdr_method)(i / RUNNERS), &p, 0x1p-4, 200, &error)) {
            cr_expect(info->reversible ? error < 1e-11 : error > 1e-5, "%s: returns to within %g", info->name, error);
            ++ways;
        }
    }
    cr_expect(ways >= RUNNERS * (KDR_METHOD_COUNT - 2)); /* all but the methods with a heat bath, and the one that is left out */
}

/* Returns the step for the two tests below. It is larger for higher orders, so that the errors are those of the method and not of
 * rounding. */
static double orbit_step(const kdr_method_info *info) { return info->order < 5 ? 0x1p-6 : info->order < 7 ? 0x1p-5 : 0x1p-4; }

/* Returns the largest |E - E0|, measured every 4 steps. */
static double energy_error(kdr_method method, const kdr_force *force, state start, double dt, double time, double *last) {
    const kdr_integrator_desc desc = describe_row(method, force, 1, friction);
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_particles p = make_particles(1, 2, KDR_F64, false, true);
    put_state(&p, 0, &start);
    kdr_clock clock = {0, dt, 0};
    kdr_observables first, now;
    cr_assert(kdr_observe(integrator, &p, &clock, &first, NULL) == KDR_OK);
    double largest = 0;
    while ((double)clock.step * dt < time) {
        cr_assert(kdr_integrator_run(integrator, &p, &clock, 4, NULL) == KDR_OK);
        cr_assert(kdr_observe(integrator, &p, &clock, &now, NULL) == KDR_OK);
        *last = now.energy - first.energy;
        largest = fmax(largest, fabs(*last));
    }
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(integrator);
    return largest;
}

/* Over 30 orbits the energy error of symplectic methods stays as large as in the first two; that of the others grows. */
Test(methods_geometry, energy_drift_on_kepler) {
    const problem p = kepler();
    const double orbit = 6.283185307179586;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        const double dt = orbit_step(info);
        double last;
        if (left_out((kdr_method)m)) {
            continue;
        }
        const double early = energy_error((kdr_method)m, p.forces, p.start, dt, 2 * orbit, &last);
        const double late = energy_error((kdr_method)m, p.forces, p.start, dt, 30 * orbit, &last);
        /* By then implicit Euler has lost more than the whole energy. */
        cr_expect(info->symplectic ? late < 1.2 * early : late > 1.5 * early || early > 0.5, "%s: %g in 2 orbits, %g in 30", info->name,
                  early, late);
    }
}

/* Kicks and drifts of a central force conserve angular momentum to rounding, and so do all symplectic methods here. The others do not. */
Test(methods_geometry, angular_momentum) {
    const problem p = kepler();
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        const kdr_integrator_desc desc = describe_row((kdr_method)m, p.forces, p.count, friction);
        const double dt = orbit_step(info);
        if (left_out((kdr_method)m)) {
            continue;
        }
        const state s = advance_one(BY_INTEGRATOR, &desc, p.start, dt, (uint64_t)(64 / dt));
        const double error = s.x[0] * s.v[1] - s.x[1] * s.v[0] - 0.5 * 1.7320508075688772;
        cr_expect(info->symplectic ? fabs(error) < 5e-13 : fabs(error) > 2e-12, "%s: off by %g", info->name, error);
    }
}

/* Velocity Verlet conserves v^2 + x^2 (1 - h^2 / 4), so its energy error reaches h^2 / 8 and never exceeds it. */
Test(methods_geometry, verlet_energy_is_bounded_by_its_own_invariant) {
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    double last;
    const double largest = energy_error(KDR_VELOCITY_VERLET, &spring, (state){{1, 0, 0}, {0, 0, 0}}, 0.2, 8000, &last);
    cr_expect(largest <= 0.005 * (1 + 1e-10) && largest > 0.00499999, "%.17g", largest);
}

Test(methods_geometry, explicit_euler_gains_and_rk4_loses_energy) {
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    const state start = {{1, 0, 0}, {0, 0, 0}};
    double last = 0;
    (void)energy_error(KDR_EXPLICIT_EULER, &spring, start, 0.125, 12.5, &last);
    cr_expect(close_to(last, 0.5 * (pow(1 + 0.125 * 0.125, 100) - 1), 1e-13), "%.17g", last);
    (void)energy_error(KDR_RK4, &spring, start, 0.5, 500, &last);
    const double y = 0.5, gain = 1 - pow(y, 6) / 72 + pow(y, 8) / 576;
    cr_expect(close_to(last, 0.5 * (pow(gain, 1000) - 1), 1e-13), "%.17g", last);
}
