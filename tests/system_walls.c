/* Colliders in system runs with forces on single particles: the order, the energy in a magnetic field, and refusals. */
#include "system_support.h"

enum { COUNT = 32 };

static const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};

/* Computes an acceleration towards the middle of the box, times `strength`. It stands for an interaction. */
static kdr_status draw(void *context, const kdr_particles *p, double t, void *const a[3]) {
    const double *const strength = context;
    (void)t;
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            set(a[i], p->real, n, *strength * (0.5 - get(p->x[i], p->real, n)));
        }
    }
    return KDR_OK;
}

static void throw_in(kdr_particles *p) {
    uint64_t seed = test_seed();
    for (size_t n = 0; n < p->count; ++n) {
        for (int i = 0; i < p->dims; ++i) {
            set(p->x[i], p->real, n, random_in(&seed, 0.1, 0.9));
            set(p->v[i], p->real, n, random_in(&seed, -1, 1));
        }
    }
}

static double square_of(const kdr_particles *p, size_t n) {
    double square = 0;
    for (int i = 0; i < p->dims; ++i) {
        square += get(p->v[i], p->real, n) * get(p->v[i], p->real, n);
    }
    return square;
}

/* An elastic box and a magnetic field keep the speeds. With a parabola as the path, the energy would grow without bound. */
Test(system_walls, a_magnetic_field_in_a_box_does_no_work) {
    static const kdr_method methods[] = {KDR_BORIS, KDR_VAY, KDR_HIGUERA_CARY};
    kdr_collider box = kdr_collider_box(low, high, true);
    const kdr_force field = kdr_force_electromagnetic(1, (double[]){0, 0, 0}, (double[]){0.5, 0, 2});
    for (int m = 0; m < 6; ++m) {
        double strength = m / 3 ? 1e-6 : 0;
        kdr_system_desc desc = kdr_system_desc_default();
        desc.method = methods[m % 3], desc.accelerations = draw, desc.context = &strength;
        desc.forces = &field, desc.force_count = 1;
        desc.colliders = &box, desc.collider_count = 1;
        kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, true), start = make_particles(COUNT, 3, KDR_F64, false, true);
        throw_in(&p);
        copy_state(&start, &p);
        kdr_clock clock = {.dt = 0.01};
        run(&desc, &p, &clock, 30000);
        for (size_t n = 0; n < COUNT; ++n) {
            const double before = square_of(&start, n), after = square_of(&p, n);
            cr_expect(fabs(after - before) < (m / 3 ? 1e-4 : 1e-9) * before, "%d, particle %zu: v^2 %.17g, then %.17g", m, n, before,
                      after);
        }
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&start);
    }
}

/* Returns the largest distance of the particles from those of a field run with a sixteenth of the step. */
static double error_of(kdr_method method, const kdr_force forces[2], const kdr_collider *box, uint64_t steps) {
    double strength = 1.5, worst = 0;
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = method, desc.accelerations = draw, desc.context = &strength;
    desc.forces = forces, desc.force_count = 1;
    desc.colliders = box, desc.collider_count = 1;
    kdr_integrator_desc fine = describe(method, KDR_F64, KDR_FUSED, forces, 2);
    fine.colliders = box, fine.collider_count = 1;
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, true), exact = make_particles(COUNT, 3, KDR_F64, false, true);
    throw_in(&p);
    copy_state(&exact, &p);
    kdr_clock clock = {.dt = 1.0 / (double)steps}, often = {.dt = 1.0 / (16.0 * (double)steps)};
    run(&desc, &p, &clock, steps);
    advance(BY_INTEGRATOR, &fine, &exact, &often, 16 * steps);
    for (size_t n = 0; n < COUNT; ++n) {
        for (int i = 0; i < 3; ++i) {
            worst = fmax(worst, fabs(get(p.x[i], KDR_F64, n) - get(exact.x[i], KDR_F64, n)));
        }
    }
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&exact);
    return worst;
}

/* Bounces are of second order, with drags and magnetic fields too: half the step leaves a quarter of the error. */
Test(system_walls, bounces_are_of_second_order) {
    kdr_collider box = kdr_collider_box(low, high, true);
    const kdr_force spring = kdr_force_spring(1.5, 0.5, 0.5, 0.5), drag = kdr_force_drag(1, 0, 0, 0);
    const kdr_force field = kdr_force_electromagnetic(1, (double[]){0, 0, 0}, (double[]){0.5, 0, 2});
    const struct {
        kdr_method method;
        kdr_force forces[2];
    } runs[] = {{KDR_RK4, {drag, spring}}, {KDR_HEUN, {drag, spring}}, {KDR_BORIS, {field, spring}}, {KDR_HIGUERA_CARY, {field, spring}}};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; ++r) {
        const double coarse = error_of(runs[r].method, runs[r].forces, &box, 32), half = error_of(runs[r].method, runs[r].forces, &box, 64),
                     quarter = error_of(runs[r].method, runs[r].forces, &box, 128);
        cr_expect(log2(coarse / quarter) / 2 > 1.7, "%s: %g, %g, %g", kdr_method_get(runs[r].method)->name, coarse, half, quarter);
    }
}

/* Particles with distance constraints are not stepped between walls together with other constraints, so this is refused. */
Test(system_walls, molecules_with_constraints_are_refused) {
    kdr_collider box = kdr_collider_box(low, high, true);
    const kdr_distance rod = {0, 1, 0.5};
    const kdr_constraint rail = kdr_constraint_plane(low, (double[]){0, 0, 1});
    kdr_system_desc desc = kdr_system_desc_default();
    kdr_system *system = NULL;
    kdr_error error;
    desc.colliders = &box, desc.collider_count = 1;
    desc.distances = &rod, desc.distance_count = 1;
    desc.constraints = &rail, desc.constraint_count = 1;
    cr_expect(kdr_system_create(&desc, &system, &error) == KDR_ERROR_UNSUPPORTED && strstr(error.message, "freeze particles"), "%s",
              error.message);
}

/* Forces that the flight between two surfaces cannot handle are refused, by set_colliders too. */
Test(system_walls, what_is_refused) {
    kdr_collider box = kdr_collider_box(low, high, true);
    const kdr_force field = kdr_force_electromagnetic(1, (double[]){0, 0, 0}, (double[]){0.5, 0, 2});
    const kdr_distance rod = {0, 1, 0.5};
    double strength = 1;
    for (int n = 0; n < 6; ++n) {
        kdr_system_desc desc = kdr_system_desc_default();
        kdr_system *system = NULL;
        kdr_error error;
        desc.method = KDR_BORIS, desc.accelerations = draw, desc.context = &strength;
        desc.magnetic = n / 2 == 0 ? draw : NULL;
        desc.forces = &field, desc.force_count = n / 2 > 0;
        desc.levels = n / 2 == 1;
        desc.distances = &rod, desc.distance_count = n / 2 == 2;
        if (n % 2 == 0) {
            desc.colliders = &box, desc.collider_count = 1;
            cr_expect(kdr_system_create(&desc, &system, &error) == KDR_ERROR_UNSUPPORTED &&
                          strstr(error.message, "with colliders expected"),
                      "%d: %s", n, error.message);
            continue;
        }
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%d: %s", n, error.message);
        cr_expect(kdr_system_set_colliders(system, &box, 1, &error) == KDR_ERROR_UNSUPPORTED, "%d", n);
        kdr_system_destroy(system);
    }
}
