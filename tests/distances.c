/* Distance constraints: a double pendulum compared with its Lagrangian and over 10^5 steps, chains, cloth, and a field that depends on
 * x. */
#include "pairs_support.h"

static kdr_distance_constraints *make_relaxed(const kdr_distance *rods, size_t count, kdr_real real, double tolerance, double relaxation) {
    kdr_distance_constraints_desc desc = kdr_distance_constraints_desc_default();
    desc.distances = rods;
    desc.count = count;
    desc.real = real;
    desc.tolerance = tolerance;
    desc.relaxation = relaxation;
    desc.sweeps = 20000;
    kdr_distance_constraints *distances;
    kdr_error error;
    cr_assert(kdr_distance_constraints_create(&desc, &distances, &error) == KDR_OK, "%s", error.message);
    return distances;
}

static kdr_distance_constraints *make(const kdr_distance *rods, size_t count, kdr_real real, double tolerance) {
    return make_relaxed(rods, count, real, tolerance, 1);
}

/* The acceleration of all particles: gravity along -y and a spring to the origin, both proportional to the mass. */
typedef struct field {
    double g, k;
} field;

static double pull(const field *f, const kdr_particles *p, size_t n, int axis) {
    const double w = p->inverse_mass ? get(p->inverse_mass, p->real, n) : 1;
    return (axis == 1 ? -f->g : 0) - w * f->k * get(p->x[axis], p->real, n);
}

static void kick(const field *f, kdr_particles *p, double h) {
    for (size_t n = 0; n < p->count; ++n) {
        const bool frozen = p->inverse_mass && get(p->inverse_mass, p->real, n) == 0;
        for (int i = 0; i < p->dims && !frozen; ++i) {
            set(p->v[i], p->real, n, get(p->v[i], p->real, n) + h * pull(f, p, n, i));
        }
    }
}

/* Takes a step of velocity Verlet with distance constraints: RATTLE. */
static void step(const field *f, const kdr_distance_constraints *rods, kdr_particles *p, kdr_particles *start, double h,
                 uint32_t sweeps[2]) {
    kick(f, p, 0.5 * h);
    copy_state(start, p);
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            set(p->x[i], p->real, n, get(p->x[i], p->real, n) + h * get(p->v[i], p->real, n));
        }
    }
    cr_assert(kdr_distance_constraints_shake(rods, p, (const void *const *)start->x, h, &sweeps[0], NULL) == KDR_OK);
    kick(f, p, 0.5 * h);
    cr_assert(kdr_distance_constraints_rattle(rods, p, h, &sweeps[1], NULL) == KDR_OK);
}

static double energy_of(const field *f, const kdr_particles *p) {
    double energy = 0;
    for (size_t n = 0; n < p->count; ++n) {
        const double w = p->inverse_mass ? get(p->inverse_mass, p->real, n) : 1;
        for (int i = 0; w != 0 && i < p->dims; ++i) {
            const double x = get(p->x[i], p->real, n), v = get(p->v[i], p->real, n);
            energy += (0.5 * v * v + (i == 1 ? f->g * x : 0)) / w + 0.5 * f->k * x * x;
        }
    }
    return energy;
}

/* Arms of length 1 and 0.75 with masses 2 and 1, thrown upwards. */
static const double arm[2] = {1, 0.75}, weight[2] = {2, 1}, gravity = 9.81;
static const kdr_distance arms[2] = {{0, 1, 1}, {1, 2, 0.75}};

static kdr_particles double_pendulum(void) {
    kdr_particles p = make_particles(3, 2, KDR_F64, true, false);
    set(p.inverse_mass, KDR_F64, 0, 0);
    set(p.inverse_mass, KDR_F64, 1, 1 / weight[0]);
    set(p.inverse_mass, KDR_F64, 2, 1 / weight[1]);
    put_state(&p, 0, &(state){{0, 0, 0}, {0, 0, 0}});
    put_state(&p, 1, &(state){{arm[0], 0, 0}, {0, 0, 0}});
    put_state(&p, 2, &(state){{arm[0], arm[1], 0}, {-1, 0, 0}});
    return p;
}

/* Computes the rates of the angles from the vertical and of their rates, by the Lagrangian's equations. */
static void angles_rate(const double y[4], double rate[4]) {
    const double m = weight[0] + weight[1], d = y[0] - y[1], c = cos(d), s = sin(d);
    const double a = m * arm[0], b = weight[1] * arm[1] * c, e = arm[0] * c, f = arm[1];
    const double p = -weight[1] * arm[1] * s * y[3] * y[3] - m * gravity * sin(y[0]);
    const double q = arm[0] * s * y[2] * y[2] - gravity * sin(y[1]);
    rate[0] = y[2];
    rate[1] = y[3];
    rate[2] = (p * f - b * q) / (a * f - b * e);
    rate[3] = (a * q - e * p) / (a * f - b * e);
}

static void angles_after(double time, double y[4]) {
    enum { STEPS = 20000 };
    const double h = time / STEPS;
    for (int n = 0; n < STEPS; ++n) {
        double k[4][4], at[4];
        for (int s = 0; s < 4; ++s) {
            for (int i = 0; i < 4; ++i) {
                at[i] = s == 0 ? y[i] : y[i] + (s == 3 ? h : 0.5 * h) * k[s - 1][i];
            }
            angles_rate(at, k[s]);
        }
        for (int i = 0; i < 4; ++i) {
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
}

Test(distances, a_double_pendulum_moves_as_its_lagrangian_says) {
    const field f = {gravity, 0};
    kdr_distance_constraints *rods = make(arms, 2, KDR_F64, 0);
    double y[4] = {acos(0), 2 * acos(0), 0, 1 / arm[1]}; /* at the top the second arm's angle grows towards -x */
    y[3] = -(-1) / arm[1];
    angles_after(1, y);
    const double x[2] = {arm[0] * sin(y[0]), arm[0] * sin(y[0]) + arm[1] * sin(y[1])};
    double off[2];
    for (int halved = 0; halved < 2; ++halved) {
        kdr_particles p = double_pendulum(), start = double_pendulum();
        uint32_t sweeps[2];
        const uint64_t steps = halved ? 4000 : 2000;
        for (uint64_t n = 0; n < steps; ++n) {
            step(&f, rods, &p, &start, 1 / (double)steps, sweeps);
        }
        off[halved] = fmax(fabs(get(p.x[0], KDR_F64, 1) - x[0]), fabs(get(p.x[0], KDR_F64, 2) - x[1]));
        cr_expect(get(p.x[0], KDR_F64, 0) == 0 && get(p.v[1], KDR_F64, 0) == 0);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&start);
    }
    fprintf(stderr, "double pendulum: off by %.3g, with half the step %.3g\n", off[0], off[1]);
    cr_expect(off[0] < 1e-3 && off[0] / off[1] > 3.8 && off[0] / off[1] < 4.2, "%g %g", off[0], off[1]);
    kdr_distance_constraints_destroy(rods);
}

/* Over 10^5 steps the energy of a chaotic motion stays within a range of order h^2, without drift. */
Test(distances, a_double_pendulum_keeps_its_energy) {
    const field f = {gravity, 0};
    kdr_distance_constraints *rods = make(arms, 2, KDR_F64, 0);
    double band[2], walked = 0;
    for (int halved = 0; halved < 2; ++halved) {
        kdr_particles p = double_pendulum(), start = double_pendulum();
        const double before = energy_of(&f, &p), scale = weight[0] * gravity * arm[0], h = halved ? 0.0005 : 0.001;
        double worst_x = 0, worst_v = 0, means[2] = {0, 0};
        uint32_t sweeps[2];
        band[halved] = 0;
        for (int n = 0; n < 100000; ++n) {
            step(&f, rods, &p, &start, h, sweeps);
            double x, v;
            cr_assert(kdr_distance_constraints_max_violation(rods, &p, h, &x, &v, NULL) == KDR_OK);
            worst_x = fmax(worst_x, x);
            worst_v = fmax(worst_v, v);
            const double off = (energy_of(&f, &p) - before) / scale;
            band[halved] = fmax(band[halved], fabs(off));
            means[0] += n < 50000 ? off / 50000 : 0;
            means[1] += n < 50000 ? 0 : off / 50000;
        }
        walked = fmax(walked, fabs(means[1] - means[0]) / band[halved]);
        fprintf(stderr, "h = %g: energy within %.3g, means %.3g and %.3g; distances within %.3g, velocities %.3g; %u and %u sweeps\n", h,
                band[halved], means[0], means[1], worst_x, worst_v, sweeps[0], sweeps[1]);
        cr_expect(worst_x < 0x1p-47 && worst_v < 0x1p-46, "%g %g", worst_x, worst_v);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&start);
    }
    cr_expect(band[0] < 1e-3 && band[1] > 0 && band[0] / band[1] > 2.5 && band[0] / band[1] < 6, "%g %g", band[0], band[1]);
    cr_expect(walked < 0.2, "%g of the band", walked);
    kdr_distance_constraints_destroy(rods);
}

/* With a field that depends on x the energy is bounded too, because the distances are restored before the field is evaluated. */
Test(distances, a_dumbbell_on_a_spring_keeps_its_energy) {
    static const kdr_distance rod = {0, 1, 1};
    const field f = {0.5, 4};
    kdr_distance_constraints *rods = make(&rod, 1, KDR_F64, 0);
    double band[2];
    for (int halved = 0; halved < 2; ++halved) {
        kdr_particles p = make_particles(2, 3, KDR_F64, true, false), start = make_particles(2, 3, KDR_F64, true, false);
        set(p.inverse_mass, KDR_F64, 0, 0.5);
        set(p.inverse_mass, KDR_F64, 1, 2);
        put_state(&p, 0, &(state){{0.5, 0, 0}, {0, 1, 0.3}});
        put_state(&p, 1, &(state){{1.5, 0, 0}, {0, -1, 0.2}});
        const double before = energy_of(&f, &p);
        uint32_t sweeps[2];
        band[halved] = 0;
        for (int n = 0; n < 50000; ++n) {
            step(&f, rods, &p, &start, halved ? 0.005 : 0.01, sweeps);
            band[halved] = fmax(band[halved], fabs(energy_of(&f, &p) / before - 1));
        }
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&start);
    }
    fprintf(stderr, "dumbbell: energy within %.3g, with half the step %.3g\n", band[0], band[1]);
    cr_expect(band[0] < 2e-3 && band[1] > 0 && band[0] / band[1] > 3.3 && band[0] / band[1] < 4.7, "%g %g", band[0], band[1]);
    kdr_distance_constraints_destroy(rods);
}

/* Free chains in both precisions keep their momentum, and their distances within the given tolerance. Over-relaxation needs fewer
 * sweeps. */
enum { LINKS = 40 };

static double momentum_of(const kdr_particles *p, int axis, double *size) {
    double sum = 0;
    *size = 0;
    for (size_t n = 0; n < p->count; ++n) {
        sum += get(p->v[axis], p->real, n) / get(p->inverse_mass, p->real, n);
        *size += fabs(get(p->v[axis], p->real, n) / get(p->inverse_mass, p->real, n));
    }
    return sum;
}

/* Runs a chain, and returns the largest number of sweeps in a step. */
static uint32_t run_chain(kdr_real real, double tolerance, double relaxation, int steps) {
    const double unit = real == KDR_F32 ? 0x1p-24 : 0x1p-53;
    uint64_t seed = test_seed();
    kdr_distance rods[LINKS];
    kdr_particles p = make_particles(LINKS + 1, 3, real, true, false), start = make_particles(LINKS + 1, 3, real, true, false);
    for (uint32_t n = 0; n <= LINKS; ++n) {
        put_state(&p, n, &(state){{0.1 * n, 0, 0}, {random_in(&seed, -1, 1), random_in(&seed, -1, 1), random_in(&seed, -1, 1)}});
        set(p.inverse_mass, real, n, random_in(&seed, 0.5, 2));
        if (n < LINKS) {
            rods[n] = (kdr_distance){n, n + 1, 0.1};
        }
    }
    kdr_distance_constraints *distances = make_relaxed(rods, LINKS, real, tolerance, relaxation);
    cr_assert(kdr_distance_constraints_rattle(distances, &p, 0.001, NULL, NULL) == KDR_OK);
    double before[3], x, v, size;
    for (int i = 0; i < 3; ++i) {
        before[i] = momentum_of(&p, i, &size);
    }
    const field none = {0, 0};
    uint32_t most = 0;
    for (int n = 0; n < steps; ++n) {
        uint32_t sweeps[2];
        step(&none, distances, &p, &start, 0.001, sweeps);
        most = sweeps[0] > most ? sweeps[0] : most;
        most = sweeps[1] > most ? sweeps[1] : most;
    }
    cr_assert(kdr_distance_constraints_max_violation(distances, &p, 0.001, &x, &v, NULL) == KDR_OK);
    cr_expect(x < 2 * tolerance && v < 2 * tolerance && x > 0, "%g %g", x, v);
    double walked = 0;
    for (int i = 0; i < 3; ++i) {
        walked = fmax(walked, fabs(momentum_of(&p, i, &size) - before[i]) / size / unit / steps);
    }
    fprintf(stderr, "%s, relaxation %g: distances within %.3g, velocities %.3g; momentum off by %.3g units a step; at most %u sweeps\n",
            kdr_real_name(real), relaxation, x, v, walked, most);
    cr_expect(walked < 20, "%g units", walked);
    kdr_distance_constraints_destroy(distances);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&start);
    return most;
}

Test(distances, a_free_chain_keeps_its_momentum) {
    (void)run_chain(KDR_F32, 1e-5, 1, 500);
    const uint32_t plain = run_chain(KDR_F64, 1e-11, 1, 50), relaxed = run_chain(KDR_F64, 1e-11, 2 / (1 + sin(acos(-1) / LINKS)), 50);
    cr_expect(relaxed < 500 && plain > 4 * relaxed && plain < 20000, "%u %u", plain, relaxed);
}

/* Cloth holds together with few sweeps, and is stiffer with more: the error that a fixed number leaves is bounded and measured. */
Test(distances, a_cloth_hangs) {
    enum { SIDE = 16 };
    static kdr_distance rods[2 * SIDE * SIDE];
    size_t count = 0;
    for (uint32_t n = 0; n < SIDE * SIDE; ++n) {
        if (n % SIDE + 1 < SIDE) {
            rods[count++] = (kdr_distance){n, n + 1, 1.0 / SIDE};
        }
        if (n / SIDE + 1 < SIDE) {
            rods[count++] = (kdr_distance){n, n + SIDE, 1.0 / SIDE};
        }
    }
    const field f = {1, 0};
    double worst[2];
    for (int more = 0; more < 2; ++more) {
        kdr_distance_constraints_desc desc = kdr_distance_constraints_desc_default();
        desc.distances = rods;
        desc.count = count;
        desc.tolerance = 1e-6;
        desc.sweeps = more ? 60 : 10;
        kdr_distance_constraints *distances;
        cr_assert(kdr_distance_constraints_create(&desc, &distances, NULL) == KDR_OK);
        kdr_particles p = make_particles(SIDE * SIDE, 3, KDR_F64, true, false),
                      start = make_particles(SIDE * SIDE, 3, KDR_F64, true, false);
        for (size_t n = 0; n < SIDE * SIDE; ++n) {
            put_state(&p, n, &(state){{(double)(n % SIDE) / SIDE, 0, (double)(n / SIDE) / SIDE}, {0, 0, 0}});
        }
        set(p.inverse_mass, KDR_F64, 0, 0);
        set(p.inverse_mass, KDR_F64, SIDE - 1, 0);
        const double before = energy_of(&f, &p);
        uint32_t sweeps[2];
        worst[more] = 0;
        for (int n = 0; n < 1000; ++n) {
            double x;
            step(&f, distances, &p, &start, 0.002, sweeps);
            cr_assert(kdr_distance_constraints_max_violation(distances, &p, 0.002, &x, NULL, NULL) == KDR_OK);
            worst[more] = fmax(worst[more], x);
        }
        const state lowest = get_state(&p, SIDE * SIDE - SIDE / 2);
        fprintf(stderr, "cloth, %u sweeps: distances within %.3g, middle of the hem at %.3g, energy %+.3g\n", desc.sweeps, worst[more],
                lowest.x[1], energy_of(&f, &p) - before);
        cr_expect(lowest.x[1] < -0.3 && lowest.x[1] > -1.3, "%g", lowest.x[1]);
        kdr_distance_constraints_destroy(distances);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&start);
    }
    cr_expect(worst[0] < 0.1 && worst[1] < 0.5 * worst[0], "%g %g", worst[0], worst[1]);
}

/* The largest error is a NaN if one of the errors is, wherever it is in the list. */
Test(distances, the_worst_is_a_nan_where_one_is) {
    const kdr_distance rods[] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}};
    kdr_distance_constraints *const distances = make(rods, 4, KDR_F64, 0);
    for (int wrong = -1; wrong < 5; ++wrong) {
        kdr_particles p = make_particles(5, 2, KDR_F64, false, false);
        for (int n = 0; n < 5; ++n) {
            put_state(&p, (size_t)n, &(state){{n * 1.25, n == wrong ? (double)NAN : 0, 0}, {0.5 * n, 0, 0}});
        }
        double x = 0, v = 0;
        cr_assert(kdr_distance_constraints_max_violation(distances, &p, 0.5, &x, &v, NULL) == KDR_OK);
        cr_expect(wrong < 0 ? close_to(x, 0.25, 1e-15) && close_to(v, 0.3125, 1e-15) : isnan(x) && isnan(v), "%d: %g, %g", wrong, x, v);
        kdr_particles_destroy(&p);
    }
    kdr_distance_constraints_destroy(distances);
}
