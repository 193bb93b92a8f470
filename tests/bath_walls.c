/* The heat bath between walls: ensembles in boxes and balls have the distributions of Maxwell and Boltzmann at long steps, energies add up,
 * and bounces within a drift are recorded correctly. */
#include "system_support.h"

enum { MANY = 4000, BINS = 10 };

static const double kT = 1;

static kdr_integrator_desc in_a_bath(kdr_real real, double friction, double temperature, const kdr_collider *list, size_t count) {
    kdr_integrator_desc desc = describe(KDR_BAOAB, real, KDR_FUSED, NULL, 0);
    desc.langevin = (kdr_langevin){friction, temperature, 7};
    desc.colliders = list, desc.collider_count = count;
    return desc;
}

static double normal_in(uint64_t *seed) { return sqrt(-2 * log(random_in(seed, 1e-300, 1))) * cos(2 * acos(-1) * random_in(seed, 0, 1)); }

/* Places particles at the temperature of the bath: uniformly in the unit box or, with a spring of this k at its middle, by Boltzmann's
 * distribution. */
static void begin_in_box(kdr_particles *p, double k) {
    uint64_t seed = test_seed();
    for (size_t i = 0; i < p->count; ++i) {
        for (int axis = 0; axis < p->dims; ++axis) {
            double x = random_in(&seed, 0, 1);
            while (random_in(&seed, 0, 1) > exp(-0.5 * k * (x - 0.5) * (x - 0.5) / kT)) {
                x = random_in(&seed, 0, 1);
            }
            set(p->x[axis], p->real, i, x);
            set(p->v[axis], p->real, i, sqrt(kT) * normal_in(&seed));
        }
    }
}

/* Sums over a run. Each sample covers all particles and axes. Positions decorrelate more slowly, and are sampled less often. */
typedef struct sums {
    double v2, v4, count, places, bin[BINS];
} sums;

static void add_sample(sums *s, const kdr_particles *p, bool places) {
    for (size_t i = 0; i < p->count; ++i) {
        for (int axis = 0; axis < p->dims; ++axis) {
            const double x = get(p->x[axis], p->real, i), v = get(p->v[axis], p->real, i);
            cr_assert(x >= 0 && x <= 1, "%zu: %g", i, x);
            s->v2 += v * v;
            s->v4 += v * v * v * v;
            s->count += 1;
            s->bin[x < 1 ? (int)(BINS * x) : BINS - 1] += places;
            s->places += places;
        }
    }
}

/* Returns the share of the density exp(-k (x - 1/2)^2 / 2 kT) in the unit box that is in a bin. */
static double share_of(int bin, double k) {
    const double r = sqrt(0.5 * k / kT);
    return k == 0 ? 1.0 / BINS : (erf(r * ((bin + 1.0) / BINS - 0.5)) - erf(r * ((double)bin / BINS - 0.5))) / (2 * erf(0.5 * r));
}

/* Checks that <v^2> is within 3 sigma plus `off`, and that chi^2 of the bins is below the value that one run in a thousand exceeds. One
 * velocity in `one_in` counts as independent. */
static void judge(const sums *s, double k, double off, double one_in, const char *of) {
    const double mean = s->v2 / s->count, sigma = sqrt((s->v4 / s->count - mean * mean) / s->count * one_in);
    double chi2 = 0;
    for (int bin = 0; bin < BINS; ++bin) {
        const double expected = s->places * share_of(bin, k);
        chi2 += (s->bin[bin] - expected) * (s->bin[bin] - expected) / expected;
    }
    cr_log_info("%s: %g +- %g, chi^2 %g\n", of, mean, sigma, chi2);
    cr_expect(fabs(mean - kT) < 3 * sigma + off, "%s: <v^2> is %g, +- %g", of, mean, sigma);
    cr_expect(chi2 < 27.9, "%s: chi^2 of %d bins is %g", of, BINS, chi2);
}

static sums sample_box(kdr_integrator_desc desc, int dims, double h, double k) {
    enum { SAMPLES = 40 };
    sums s = {0};
    kdr_particles p = make_particles(MANY, dims, desc.real, false, true);
    begin_in_box(&p, k);
    kdr_clock clock = {0, h, 0};
    for (int n = 0; n < SAMPLES; ++n) {
        advance(BY_INTEGRATOR, &desc, &p, &clock, (uint64_t)(2 / h));
        add_sample(&s, &p, n % 5 == 4);
    }
    kdr_particles_destroy(&p);
    return s;
}

/* Reflected half drifts and the bath keep Maxwell's velocities and a uniform density for any step. With a friction of 0.1, speeds are still
 * correlated after the time between samples. */
Test(bath_walls, boxes_are_at_the_temperature) {
    const kdr_collider box = kdr_collider_box((double[]){0, 0, 0}, (double[]){1, 1, 1}, true);
    for (int n = 0; n < 3 * 2 * 3 * 2; ++n) {
        const double friction = (double[]){0.1, 1, 10}[n % 3], h = n / 3 % 2 ? 0.2 : 0.1;
        const int dims = 1 + n / 6 % 3;
        const kdr_real real = n / 18 ? KDR_F32 : KDR_F64;
        char of[64];
        snprintf(of, sizeof of, "friction %g, h = %g, %d-D, %s", friction, h, dims, kdr_real_name(real));
        kdr_integrator_desc desc = in_a_bath(real, friction, kT, &box, 1);
        desc.langevin.seed = (uint64_t)n;
        const sums s = sample_box(desc, dims, h, 0);
        const double again = exp(-4 * friction), one_in = (1 + again) / (1 - again);
        judge(&s, 0, 0, one_in, of);
    }
}

/* With a spring at the middle of the box the mean of v^2 is wrong by (omega h)^2 / 4, as it is without walls. */
Test(bath_walls, a_spring_beside_walls) {
    const kdr_collider box = kdr_collider_box((double[]){0, 0, 0}, (double[]){1, 1, 1}, true);
    const double k = 8, h = 0.05;
    const kdr_force spring = kdr_force_spring(k, 0.5, 0.5, 0.5);
    for (int n = 0; n < 2 * 2; ++n) {
        const double friction = n % 2 ? 4 : 0.5, again = exp(-4 * friction);
        kdr_integrator_desc desc = in_a_bath(n / 2 ? KDR_F32 : KDR_F64, friction, kT, &box, 1);
        desc.forces = &spring, desc.force_count = 1;
        char of[64];
        snprintf(of, sizeof of, "spring, friction %g, %s", friction, kdr_real_name(desc.real));
        const sums s = sample_box(desc, 2, h, k);
        judge(&s, k, k * h * h / 4, (1 + again) / (1 - again), of);
    }
}

/* Without noise and friction a flight between two walls is a zigzag: positions, velocities and the times of all bounces are known. */
Test(bath_walls, bounces_are_where_the_flight_is_met) {
    kdr_contact list[64];
    const kdr_collider box = kdr_collider_box((double[]){0, 0, 0}, (double[]){1, 1, 1}, true);
    for (int n = 0; n < 2 * RUNNERS; ++n) {
        const bool by_reference = n % RUNNERS == BY_REFERENCE;
        const double x0 = 0.3, v0 = n / RUNNERS ? -1.7 : 0.9, t0 = 2, h = 0.4;
        kdr_integrator_desc desc = in_a_bath(KDR_F64, 0, 0, &box, 1);
        kdr_particles p = make_particles(1, 1, KDR_F64, false, true);
        kdr_contacts contacts = {.list = list, .capacity = 64};
        kdr_clock clock = {t0, h, 0};
        set(p.x[0], KDR_F64, 0, x0);
        set(p.v[0], KDR_F64, 0, v0);
        p.contacts = &contacts;
        advance(by_reference ? BY_REFERENCE : BY_INTEGRATOR, &desc, &p, &clock, 50);
        double at = (v0 < 0 ? x0 : 1 - x0) / fabs(v0);
        for (size_t i = 0; i < contacts.count; ++i, at += 1 / fabs(v0)) {
            const double change = (i % 2 == 0) == (v0 < 0) ? 2 * fabs(v0) : -2 * fabs(v0);
            cr_assert(fabs(list[i].time - (t0 + at)) < 1e-13 && list[i].step == (uint64_t)floor(at / h) && list[i].impulse[0] == change,
                      "bounce %zu: at %.17g, expected %.17g; step %d, %g", i, list[i].time, t0 + at, (int)list[i].step, list[i].impulse[0]);
        }
        const double way = x0 + v0 * h * 50, folded = fabs(way - 2 * rint(way / 2));
        cr_expect(contacts.count == (size_t)((v0 < 0 ? -v0 * h * 50 - x0 : v0 * h * 50 - (1 - x0)) + 1), "%zu bounces", contacts.count);
        cr_expect(fabs(get(p.x[0], KDR_F64, 0) - folded) < 1e-12 && fabs(get(p.v[0], KDR_F64, 0)) == fabs(v0));
        kdr_particles_destroy(&p);
    }
}

/* Without noise, the missing energy is what the contacts took, with friction and without. In a ball a restitution below 1 makes particles
 * slide; a wedge keeps them in its corner. All bits are those of the reference. */
Test(bath_walls, books_close) {
    enum { COUNT = 200 };
    const double slanted[2][3] = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}};
    for (int n = 0; n < 3 * 2 * 2 * 2; ++n) {
        const kdr_real real = n / 12 ? KDR_F32 : KDR_F64;
        kdr_collider list[3] = {kdr_collider_sphere((double[]){0, 0, 0}, 1, true), kdr_collider_plane((double[]){0, -0.5, 0}, slanted[0]),
                                kdr_collider_plane((double[]){0, -0.5, 0}, slanted[1])};
        double taken[2][2][COUNT], energy[COUNT];
        memset(taken, 0, sizeof taken);
        for (int k = 0; k < 3; ++k) {
            list[k].restitution = (double[]){0, 0.5, 1}[n % 3];
            list[k].friction = list[k].sliding = n / 3 % 2 ? 0.125 : 0;
        }
        const kdr_integrator_desc desc = in_a_bath(real, 0, 0, list, n / 6 % 2 ? 3 : 1);
        kdr_particles p[2];
        uint64_t seed = test_seed();
        for (int runner = 0; runner < RUNNERS; ++runner) {
            p[runner] = make_particles(COUNT, 2 + n % 2, real, false, true);
            for (size_t i = 0; runner == 0 && i < COUNT; ++i) {
                for (int axis = 0; axis < p[0].dims; ++axis) {
                    set(p[0].x[axis], real, i, random_in(&seed, -0.05, 0.05));
                    set(p[0].v[axis], real, i, random_in(&seed, -1, 1));
                }
            }
            copy_state(&p[runner], &p[0]);
        }
        for (size_t i = 0; i < COUNT; ++i) {
            const state s = get_state(&p[0], i);
            energy[i] = 0.5 * (s.v[0] * s.v[0] + s.v[1] * s.v[1] + s.v[2] * s.v[2]);
        }
        for (int runner = 0; runner < RUNNERS; ++runner) {
            kdr_clock clock = {0, 0.25, 0};
            p[runner].dissipated_energy[0] = taken[runner][0], p[runner].dissipated_energy[1] = taken[runner][1];
            advance(runner, &desc, &p[runner], &clock, 100);
        }
        cr_expect(same_bits(&p[0], &p[1]) && memcmp(taken[0], taken[1], sizeof taken[0]) == 0, "case %d", n);
        for (size_t i = 0; i < COUNT; ++i) {
            const state s = get_state(&p[1], i);
            const double square = s.x[0] * s.x[0] + s.x[1] * s.x[1] + s.x[2] * s.x[2];
            const double left = 0.5 * (s.v[0] * s.v[0] + s.v[1] * s.v[1] + s.v[2] * s.v[2]), room = real == KDR_F32 ? 1e-5 : 1e-13;
            cr_assert(square < 1 + room, "case %d, %zu: %g from the middle", n, i, sqrt(square));
            cr_assert(fabs(left + taken[1][0][i] + taken[1][1][i] - energy[i]) < room, "case %d, %zu: %g", n, i,
                      left + taken[1][0][i] + taken[1][1][i] - energy[i]);
        }
        kdr_particles_destroy(&p[0]);
        kdr_particles_destroy(&p[1]);
    }
}

/* Without interactions a system run equals the field run, contacts and sums included. With levels it equals the reference. */
Test(bath_walls, system_runs_are_field_runs) {
    enum { COUNT = 150, ROOM = 8192 };
    static kdr_contact list[2][ROOM];
    static uint8_t level[COUNT];
    const kdr_force spring = kdr_force_spring(0.75, 0.25, 0, 0);
    kdr_collider walls[] = {kdr_collider_box((double[]){0, 0, 0}, (double[]){1, 1, 1}, true),
                            kdr_collider_sphere((double[]){0.5, 0.5, 0.5}, 0.25, false)};
    walls[1].restitution = 0.75, walls[1].friction = 0.125;
    for (int n = 0; n < 3 * 2 * 2 * 2; ++n) {
        const kdr_real real = n / 6 % 2 ? KDR_F32 : KDR_F64;
        const bool levels = n / 3 % 2;
        kdr_integrator_desc single = in_a_bath(real, 1, kT, walls, 2);
        kdr_system_desc desc = describe_system(KDR_BAOAB, real, KDR_FUSED, KDR_BACKEND_AUTO);
        single.forces = desc.forces = &spring, single.force_count = desc.force_count = 1;
        single.compensated = desc.compensated = n / 12;
        desc.colliders = walls, desc.collider_count = 2, desc.langevin = single.langevin, desc.levels = levels;
        kdr_particles p[2];
        kdr_contacts contacts[2];
        for (int k = 0; k < 2; ++k) {
            p[k] = make_particles(COUNT, 1 + n % 3, real, false, true);
            begin_in_box(&p[k], 0);
            contacts[k] = (kdr_contacts){.list = list[k], .capacity = ROOM};
            p[k].contacts = &contacts[k];
            p[k].level = levels ? level : NULL, p[k].level_count = COUNT;
        }
        for (int i = 0; i < COUNT; ++i) {
            level[i] = (uint8_t)(i % 4 == 3 ? 2 : 0);
        }
        kdr_clock clock = {0, 0.125, 0}, other = clock;
        if (levels) {
            reference(&desc, &p[0], &clock, 20);
        } else {
            advance(BY_INTEGRATOR, &single, &p[0], &clock, 20);
        }
        run(&desc, &p[1], &other, 20);
        cr_expect(same_bits(&p[0], &p[1]), "case %d", n);
        cr_assert(contacts[0].count == contacts[1].count && contacts[0].count > 100 && contacts[0].count <= ROOM, "case %d: %zu, %zu", n,
                  contacts[0].count, contacts[1].count);
        for (size_t i = 0; levels && i < contacts[0].count; ++i) {
            cr_assert(memcmp(&list[0][i], &list[1][i], sizeof list[0][i]) == 0, "case %d, contact %zu", n, i);
        }
        kdr_particles_destroy(&p[0]);
        kdr_particles_destroy(&p[1]);
    }
}
