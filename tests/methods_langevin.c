/* BAOAB: the noise is compared with Random123 and with properties of normal numbers, ensembles with the exact covariances of the discrete
 * process. What the noise may depend on is tested too. */
#include "support.h"

#include "reference/reference.h"

#include <Random123/philox.h>

/* --- The generator --- */

static void random123(const uint32_t counter[4], uint64_t key, uint32_t block[4]) {
    const philox4x32_ctr_t c = {{counter[0], counter[1], counter[2], counter[3]}};
    const philox4x32_key_t k = {{(uint32_t)key, (uint32_t)(key >> 32)}};
    const philox4x32_ctr_t out = philox4x32(c, k);
    memcpy(block, out.v, sizeof out.v);
}

/* The known answers of Random123's kat_vectors, philox4x32 with 10 rounds. */
Test(methods_langevin, the_generator_is_philox) {
    static const struct {
        uint32_t counter[4];
        uint64_t key;
        uint32_t block[4];
    } known[] = {
        {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    uint32_t block[4], other[4];
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        kdr_reference_philox(known[i].counter, known[i].key, block);
        cr_expect(memcmp(block, known[i].block, sizeof block) == 0, "known answer %zu", i);
    }
    uint64_t seed = test_seed();
    for (int i = 0; i < 100000; ++i) {
        const uint64_t key = random_bits(&seed), low = random_bits(&seed), high = random_bits(&seed);
        const uint32_t counter[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)};
        kdr_reference_philox(counter, key, block);
        random123(counter, key, other);
        cr_assert(memcmp(block, other, sizeof block) == 0);
    }
}

/* --- The random numbers: free particles at rest, with so much friction that v = xi --- */

static kdr_integrator_desc bath(kdr_real real, double friction, double temperature, uint64_t seed) {
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = KDR_BAOAB;
    desc.real = real;
    desc.langevin = (kdr_langevin){friction, temperature, seed};
    return desc;
}

/* Computes the noise of a step in v; x is not reset. */
static void draw(int runner, const kdr_integrator_desc *desc, kdr_particles *p, uint64_t step) {
    for (int axis = 0; axis < p->dims; ++axis) {
        memset(p->v[axis], 0, p->count * kdr_real_size(p->real));
    }
    kdr_clock clock = {0, 1, step};
    advance(runner, desc, p, &clock, 1);
}

/* Returns the random number that src/method/rows_special.h defines, in long double from Random123's words. */
static long double expected_normal(kdr_real real, uint64_t seed, uint64_t step, uint64_t id, int axis) {
    const bool second = axis == 2;
    const uint32_t counter[4] = {(uint32_t)step,
                                 (uint32_t)(step >> 32) | (second && real == KDR_F64 ? UINT32_C(0xC0000000) : UINT32_C(0x80000000)),
                                 (uint32_t)id, (uint32_t)(id >> 32)};
    uint32_t w[4];
    random123(counter, seed, w);
    const uint64_t radius = real == KDR_F64 ? (uint64_t)w[0] << 32 | w[1] : w[second ? 2 : 0];
    const uint64_t angle = real == KDR_F64 ? (uint64_t)w[2] << 32 | w[3] : w[second ? 3 : 1];
    const int bits = real == KDR_F64 ? 64 : 32;
    /* u is rounded once, as in the library: near 1 its rounding dominates ln u. */
    const double high = (double)(radius >> bits / 2), low = (double)(radius & ((UINT64_C(1) << bits / 2) - 1)) + 0.5;
    const double exact = high * exp2(-bits / 2) + low * exp2(-bits), u = real == KDR_F32 ? (double)(float)exact : exact;
    const uint64_t below = angle & ((UINT64_C(1) << (bits - 3)) - 1);
    const long double phi = ((long double)below + 0.5L) * powl(2, 3 - bits) * atanl(1);
    const bool swap = angle >> (bits - 3) & 1, negative = angle >> (bits - 1 - axis % 2) & 1;
    const long double part = swap == (axis % 2 == 0) ? sinl(phi) : cosl(phi);
    return sqrtl(-2 * logl((long double)u)) * (negative ? -part : part);
}

/* Returns the largest error in units of the last place for numbers between a power of 2 and the next: 2^-23 or 2^-52. */
static double worst_ulps(int runner, kdr_real real, kdr_arithmetic arithmetic, uint64_t *seed) {
    enum { COUNT = 20000 };
    kdr_particles p = make_particles(COUNT, 3, real, false, false);
    uint64_t *id = malloc(COUNT * sizeof *id);
    for (size_t i = 0; i < COUNT; ++i) {
        id[i] = i % 2 ? i : random_bits(seed) >> (i % 24); /* small and large ids, all different */
    }
    p.id = id;
    const uint64_t step = random_bits(seed) >> 11 >> random_bits(seed) % 53, key = random_bits(seed);
    kdr_integrator_desc desc = bath(real, 1e4, 1, key);
    desc.arithmetic = arithmetic;
    draw(runner, &desc, &p, step);
    const double eps = real == KDR_F32 ? 0x1p-23 : 0x1p-52;
    double worst = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const long double exact = expected_normal(real, key, step, id[i], axis);
            const double error = (double)fabsl((long double)get(p.v[axis], real, i) - exact);
            worst = fmax(worst, error / (eps * (double)fabsl(exact)));
        }
    }
    kdr_particles_destroy(&p);
    free(id);
    return worst;
}

Test(methods_langevin, variates_are_box_and_mullers) {
    uint64_t seed = test_seed();
    for (int i = 0; i < RUNNERS * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT * 3; ++i) {
        const kdr_real real = (kdr_real)(i / RUNNERS % KDR_REAL_COUNT);
        const kdr_arithmetic arithmetic = (kdr_arithmetic)(i / RUNNERS / KDR_REAL_COUNT % KDR_ARITHMETIC_COUNT);
        const double worst = worst_ulps(i % RUNNERS, real, arithmetic, &seed);
        fprintf(stderr, "%s %s: %.3g ulp\n", kdr_real_name(real), kdr_arithmetic_name(arithmetic), worst);
        cr_expect(worst < 5 && worst > 0.5, "%g ulp", worst);
    }
}

/* --- Normal numbers --- */

enum { BINS = 64 };

typedef struct moments {
    double n, sum[4]; /* sums of the powers */
    double largest;
    double bin[BINS]; /* bins of equal probability */
} moments;

static double edge[BINS - 1];

/* Finds the edges of the bins by bisection of the distribution. */
static void find_edges(void) {
    for (int i = 0; i < BINS - 1; ++i) {
        double low = -10, high = 10;
        for (int k = 0; k < 60; ++k) {
            const double middle = (low + high) / 2;
            *(0.5 * erfc(-middle / sqrt(2)) < (i + 1) / (double)BINS ? &low : &high) = middle;
        }
        edge[i] = low;
    }
}

static void take(moments *m, double x) {
    double power = 1;
    for (int k = 0; k < 4; ++k) {
        m->sum[k] += power *= x;
    }
    m->n += 1;
    m->largest = fmax(m->largest, fabs(x));
    int low = 0, high = BINS - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        *(x < edge[middle] ? &high : &low) = x < edge[middle] ? middle : middle + 1;
    }
    m->bin[low] += 1;
}

/* Checks that each moment is within 4.5 of its standard deviations. */
static void expect_normal(const moments *m, const char *name) {
    const double exact[4] = {0, 1, 0, 3}, variance[4] = {1, 2, 15, 96};
    for (int k = 0; k < 4; ++k) {
        const double z = (m->sum[k] / m->n - exact[k]) / sqrt(variance[k] / m->n);
        cr_expect(fabs(z) < 4.5, "%s: moment %d of %g variates is off by %.2f standard deviations", name, k + 1, m->n, z);
    }
    double chi2 = 0;
    for (int i = 0; i < BINS; ++i) {
        const double expected = m->n / BINS;
        chi2 += (m->bin[i] - expected) * (m->bin[i] - expected) / expected;
    }
    const double z = (chi2 - (BINS - 1)) / sqrt(2.0 * (BINS - 1));
    cr_expect(fabs(z) < 5, "%s: chi squared %.1f with %d bins", name, chi2, BINS);
    /* P(largest < y) = (1 - erfc(y / sqrt 2))^n must be between 1e-5 and 1 - 1e-5. */
    const double outside = m->n * erfc(m->largest / sqrt(2));
    cr_expect(outside > 1e-5 && outside < 11.5, "%s: largest %.3f", name, m->largest);
    fprintf(stderr, "%s: %g variates, mean %.1e, variance %.6f, skewness %.1e, kurtosis %.5f, chi2(%d) %.1f, largest %.3f\n", name, m->n,
            m->sum[0] / m->n, m->sum[1] / m->n, m->sum[2] / m->n, m->sum[3] / m->n, BINS - 1, chi2, m->largest);
}

Test(methods_langevin, variates_are_normal) {
    uint64_t seed = test_seed();
    find_edges();
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        static moments of_axis[3], all;
        memset(of_axis, 0, sizeof of_axis);
        memset(&all, 0, sizeof all);
        const kdr_integrator_desc desc = bath((kdr_real)real, 1e4, 1, random_bits(&seed));
        kdr_particles p = make_particles(50000, 3, (kdr_real)real, false, false);
        for (uint64_t step = 0; step < 67; ++step) { /* 10^7 numbers */
            draw(BY_INTEGRATOR, &desc, &p, step);
            for (int axis = 0; axis < 3; ++axis) {
                for (size_t i = 0; i < p.count; ++i) {
                    take(&all, get(p.v[axis], p.real, i));
                    take(&of_axis[axis], get(p.v[axis], p.real, i));
                }
            }
        }
        expect_normal(&all, kdr_real_name((kdr_real)real));
        for (int axis = 0; axis < 3; ++axis) {
            expect_normal(&of_axis[axis], "an axis");
        }
        kdr_particles_destroy(&p);
    }
}

/* Returns the correlation of two arrays of normal numbers, in standard deviations, with a shift of `shift` particles; of the values, or of
 * their squares. */
static double correlation(const kdr_particles *a, int axis_a, const kdr_particles *b, int axis_b, size_t shift, bool squares) {
    double sum = 0;
    const size_t n = a->count - shift;
    for (size_t i = 0; i < n; ++i) {
        const double x = get(a->v[axis_a], a->real, i), y = get(b->v[axis_b], b->real, i + shift);
        sum += squares ? (x * x - 1) * (y * y - 1) / 2 : x * y;
    }
    return sum / sqrt((double)n);
}

Test(methods_langevin, variates_are_not_correlated) {
    uint64_t seed = test_seed();
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        enum { COUNT = 200000 };
        /* These are a base, the next step, a step 2^32 later, the next seed, a seed that differs in its upper half, and ids larger by
         * 2^32. */
        const uint64_t key = random_bits(&seed), step = random_bits(&seed) >> 20;
        const struct {
            uint64_t key, step, first_id;
        } of[] = {{key, step, 0},
                  {key, step + 1, 0},
                  {key + 1, step, 0},
                  {key, step + (UINT64_C(1) << 32), 0},
                  {key ^ UINT64_C(1) << 40, step, 0},
                  {key, step, UINT64_C(1) << 32}};
        enum { VARIED = sizeof of / sizeof *of };
        kdr_particles p[VARIED];
        for (int v = 0; v < VARIED; ++v) {
            const kdr_integrator_desc desc = bath((kdr_real)real, 1e4, 1, of[v].key);
            p[v] = make_particles(COUNT, 3, (kdr_real)real, false, false);
            p[v].first_id = of[v].first_id;
            draw(BY_INTEGRATOR, &desc, &p[v], of[v].step);
        }
        double worst = 0;
        for (int squares = 0; squares < 2; ++squares) {
            for (int axes = 0; axes < 9; ++axes) {
                for (int v = 0; v < VARIED; ++v) {
                    for (size_t shift = v == 0; shift < 4; ++shift) {
                        worst = fmax(worst, fabs(correlation(&p[0], axes / 3, &p[v], axes % 3, shift, squares)));
                    }
                }
                if (axes / 3 != axes % 3) {
                    worst = fmax(worst, fabs(correlation(&p[0], axes / 3, &p[0], axes % 3, 0, squares)));
                }
            }
        }
        cr_expect(worst < 5 && worst > 1, "%s: %.2f standard deviations", kdr_real_name((kdr_real)real), worst); /* the largest of 430 */
        for (int v = 0; v < VARIED; ++v) {
            kdr_particles_destroy(&p[v]);
        }
    }
}

/* --- Ensembles --- */

/* The covariance of (x, v) of an oscillator (k per unit of mass; 0: free) that starts at rest at 0, after some steps: S -> M S M' + q q'. A
 * step is v - h/2 k x, x + h/2 v, c v + s xi, x + h/2 v, v - h/2 k x. */
typedef struct covariance {
    double xx, xv, vv;
} covariance;

static covariance exact_covariance(double k, double mass, double h, double friction, double temperature, uint64_t steps) {
    const double c = exp(-friction * h), s2 = temperature / mass * (1 - c * c), w = k / mass;
    double m[2][2], q[2];
    for (int column = 0; column < 3; ++column) {
        double x = column == 0, v = column == 1;
        v -= h / 2 * w * x;
        x += h / 2 * v;
        v = column == 2 ? 1 : c * v;
        x += h / 2 * v;
        v -= h / 2 * w * x;
        *(column == 2 ? &q[0] : &m[0][column]) = x;
        *(column == 2 ? &q[1] : &m[1][column]) = v;
    }
    covariance s = {0, 0, 0};
    for (uint64_t n = 0; n < steps; ++n) {
        const covariance t = {m[0][0] * m[0][0] * s.xx + 2 * m[0][0] * m[0][1] * s.xv + m[0][1] * m[0][1] * s.vv + s2 * q[0] * q[0],
                              m[0][0] * m[1][0] * s.xx + (m[0][0] * m[1][1] + m[0][1] * m[1][0]) * s.xv + m[0][1] * m[1][1] * s.vv +
                                  s2 * q[0] * q[1],
                              m[1][0] * m[1][0] * s.xx + 2 * m[1][0] * m[1][1] * s.xv + m[1][1] * m[1][1] * s.vv + s2 * q[1] * q[1]};
        s = t;
    }
    return s;
}

/* Returns the largest error of an ensemble's covariances, in standard deviations of those of n normal variables. */
static double deviation(const kdr_particles *p, const covariance *exact) {
    double worst = 0;
    for (int axis = 0; axis < p->dims; ++axis) {
        covariance s = {0, 0, 0};
        const double n = (double)p->count;
        for (size_t i = 0; i < p->count; ++i) {
            const double x = get(p->x[axis], p->real, i), v = get(p->v[axis], p->real, i);
            s.xx += x * x / n;
            s.xv += x * v / n;
            s.vv += v * v / n;
        }
        worst = fmax(worst, fabs(s.xx - exact->xx) / (exact->xx * sqrt(2 / n)));
        worst = fmax(worst, fabs(s.vv - exact->vv) / (exact->vv * sqrt(2 / n)));
        worst = fmax(worst, fabs(s.xv - exact->xv) / sqrt((exact->xx * exact->vv + exact->xv * exact->xv) / n));
    }
    return worst;
}

static const struct {
    double k, mass, h, friction, temperature;
    uint64_t steps;
} ensembles[] = {
    {4, 1, 0.1, 0.5, 0.7, 1},     {4, 1, 0.1, 0.5, 0.7, 10}, {4, 1, 0.1, 0.5, 0.7, 200},   {4, 0.5, 0.4, 1, 2, 100},
    {1, 1, 1.9, 0.3, 1, 200},     {9, 3, 0.5, 20, 0.1, 500}, {0, 2, 0.25, 0.8, 1.5, 1},    {0, 2, 0.25, 0.8, 1.5, 40},
    {0, 1, 0.5, 1e-3, 1.5, 1000}, {2, 1, 0.2, 1e4, 1, 300},  {0, 1, 0.125, 1e-5, 1, 2000},
};

/* 10^5 particles have the exact covariance of the discrete process, on the way and at the end. */
Test(methods_langevin, ensembles_have_the_exact_covariance) {
    enum { COUNT = 34000 };
    const uint64_t seed = test_seed();
    for (size_t e = 0; e < sizeof ensembles / sizeof *ensembles; ++e) {
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            const kdr_force spring = kdr_force_spring(ensembles[e].k, 0, 0, 0);
            kdr_integrator_desc desc = bath((kdr_real)real, ensembles[e].friction, ensembles[e].temperature, seed + e);
            desc.forces = &spring;
            desc.force_count = 1;
            kdr_particles p = make_particles(COUNT, 3, (kdr_real)real, true, false);
            for (size_t i = 0; i < COUNT; ++i) {
                set(p.inverse_mass, p.real, i, 1 / ensembles[e].mass);
            }
            kdr_clock clock = {0, ensembles[e].h, 0};
            advance(BY_INTEGRATOR, &desc, &p, &clock, ensembles[e].steps);
            const covariance exact = exact_covariance(ensembles[e].k, ensembles[e].mass, ensembles[e].h, ensembles[e].friction,
                                                      ensembles[e].temperature, ensembles[e].steps);
            const double off = deviation(&p, &exact);
            cr_expect(off < 5 && off > 0.1, "ensemble %zu, %s: %.2f standard deviations", e, kdr_real_name((kdr_real)real), off);
            /* The test can fail: a temperature that is 4 % too high is seen. */
            const covariance warmer = {1.04 * exact.xx, 1.04 * exact.xv, 1.04 * exact.vv};
            cr_expect(deviation(&p, &warmer) > 3);
            kdr_particles_destroy(&p);
        }
    }
}

/* For the harmonic oscillator the positions are exact at every step, and the velocities are as the header says: this is the limit of the
 * recursion. */
Test(methods_langevin, positions_of_an_oscillator_are_exact) {
    static const double steps[] = {0.01, 0.5, 0.99};
    for (int i = 0; i < 3; ++i) {
        const double k = 4, mass = 2, h = 2 * steps[i] / sqrt(k / mass), temperature = 1.5;
        const covariance s = exact_covariance(k, mass, h, 0.7, temperature, 100000);
        cr_expect(close_to(s.xx, temperature / k, 1e-9) && close_to(s.xv, 0, 1e-9));
        cr_expect(close_to(s.vv, temperature / mass * (1 - k / mass * h * h / 4), 1e-9));
    }
}

/* Runs by the recursion cannot show a wrong exponential. The closed form of a free particle's velocity can: (1 - exp(-2 g t)) T / m. */
Test(methods_langevin, free_velocities_are_those_of_ornstein_and_uhlenbeck) {
    const double g = 0.8, h = 0.25, t = 40 * h;
    const covariance s = exact_covariance(0, 2, h, g, 1.5, 40);
    cr_expect(close_to(s.vv, 0.75 * (1 - exp(-2 * g * t)), 1e-12));
}

/* --- Limits --- */

/* Without noise v decays by exp(-friction h) per step, in f32 too, however weak the friction: with a rounded c the error would be 3e-3. */
Test(methods_langevin, temperature_0_is_decay) {
    for (int i = 0; i < RUNNERS * KDR_REAL_COUNT * 2; ++i) {
        const kdr_real real = (kdr_real)(i / RUNNERS % KDR_REAL_COUNT);
        const bool compensated = i / RUNNERS / KDR_REAL_COUNT;
        enum { COUNT = 40 };
        kdr_integrator_desc desc = bath(real, 1e-4, 0, (uint64_t)i);
        desc.compensated = compensated;
        kdr_particles p = make_particles(COUNT, 1, real, false, false);
        for (size_t j = 0; j < COUNT; ++j) {
            set(p.v[0], real, j, 1 + 0.03 * (double)j);
        }
        kdr_clock clock = {0, 0.1, 0};
        advance(i % RUNNERS, &desc, &p, &clock, 100000);
        double worst = 0, mean = 0;
        for (size_t j = 0; j < COUNT; ++j) {
            const double ratio = get(p.v[0], real, j) / (double)(real == KDR_F32 ? (float)(1 + 0.03 * (double)j) : 1 + 0.03 * (double)j);
            worst = fmax(worst, fabs(ratio / exp(-1) - 1));
            mean += (ratio / exp(-1) - 1) / COUNT;
        }
        const double bound = real == KDR_F64 ? 2e-12 : compensated ? 3e-7 : 6e-5;
        cr_expect(worst < bound && fabs(mean) < bound / 2, "%s%s: off by %g, %g on the mean", kdr_real_name(real),
                  compensated ? " compensated" : "", worst, mean);
        kdr_particles_destroy(&p);
    }
}

/* Without friction it is the splitting kick 1/2, drift 1/2, drift 1/2, kick 1/2, for any temperature and seed. */
Test(methods_langevin, friction_0_is_velocity_verlet) {
    uint64_t seed = test_seed();
    const kdr_fractions fractions = {3, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    const kdr_force list[] = {kdr_force_spring(2, 0.5, 0, 0), kdr_force_driven(1, 0.5, 0.2, 2, 0.1)};
    for (int i = 0; i < RUNNERS * KDR_REAL_COUNT * 2; ++i) {
        kdr_integrator_desc desc = bath((kdr_real)(i / RUNNERS % KDR_REAL_COUNT), 0, random_in(&seed, 0, 10), random_bits(&seed));
        desc.compensated = i / RUNNERS / KDR_REAL_COUNT;
        desc.forces = list;
        desc.force_count = 2;
        kdr_particles a = make_particles(37, 3, desc.real, true, false), b = make_particles(37, 3, desc.real, true, false);
        fill_random(&a, &seed);
        copy_state(&b, &a);
        kdr_clock clock = {0, 0.1, 0}, other = clock;
        advance(i % RUNNERS, &desc, &a, &clock, 300);
        desc.langevin = (kdr_langevin){0, 0, 0};
        desc.fractions = &fractions;
        advance(i % RUNNERS, &desc, &b, &other, 300);
        cr_expect(same_bits(&a, &b));
        kdr_particles_destroy(&a);
        kdr_particles_destroy(&b);
    }
}

/* --- Dependence of the noise --- */

enum { MANY = 1301, STEPS = 150 };

typedef struct setting {
    kdr_force forces[2];
    kdr_integrator_desc desc;
    kdr_particles start;
} setting;

static void set_up(setting *s, kdr_real real, uint64_t *seed) {
    s->forces[0] = kdr_force_spring(2, 0.5, 0, 0);
    s->forces[1] = kdr_force_driven(1, 0.5, 0.2, 2, 0.1);
    s->desc = bath(real, 0.5, 2, random_bits(seed));
    s->desc.forces = s->forces;
    s->desc.force_count = 2;
    s->start = make_particles(MANY, 3, real, true, false);
    fill_random(&s->start, seed);
}

static kdr_particles run_whole(const setting *s) {
    kdr_particles p = make_particles(MANY, 3, s->start.real, true, false);
    copy_state(&p, &s->start);
    kdr_clock clock = {0, 0.1, 0};
    advance(BY_INTEGRATOR, &s->desc, &p, &clock, STEPS);
    return p;
}

Test(methods_langevin, threads_slices_and_cuts_change_nothing) {
    uint64_t seed = test_seed();
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        setting s;
        set_up(&s, (kdr_real)real, &seed);
        kdr_particles whole = run_whole(&s), p = make_particles(MANY, 3, (kdr_real)real, true, false);
        kdr_executor executors[MAX_EXECUTORS];
        const size_t n = list_executors(executors);
        for (size_t e = 0; e < n; ++e) {
            kdr_integrator_desc desc = s.desc;
            desc.executor = executors[e];
            copy_state(&p, &s.start);
            kdr_clock clock = {0, 0.1, 0};
            advance(BY_INTEGRATOR, &desc, &p, &clock, STEPS);
            cr_expect(same_bits(&p, &whole), "executor %zu", e);
        }
        for (int runner = 0; runner < RUNNERS; ++runner) {
            copy_state(&p, &s.start);
            for (size_t begin = 0; begin < MANY;) {
                kdr_particles slice = kdr_particles_slice(&p, begin, 1 + random_bits(&seed) % 400);
                begin += slice.count;
                for (kdr_clock clock = {0, 0.1, 0}; clock.step < STEPS;) {
                    const uint64_t left = STEPS - clock.step, piece = 1 + random_bits(&seed) % 60;
                    advance(runner, &s.desc, &slice, &clock, piece < left ? piece : left);
                }
            }
            cr_expect(same_bits(&p, &whole), "runner %d", runner);
        }
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&whole);
        kdr_particles_destroy(&s.start);
    }
}

/* A call continues from the acceleration that the call before has left, if the particles have room for it. */
Test(methods_langevin, calls_go_on_from_what_is_kept) {
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    kdr_integrator_desc desc = bath(KDR_F64, 1, 1, 7);
    desc.forces = &spring, desc.force_count = 1;
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    for (int remembers = 0; remembers < 2; ++remembers) {
        kdr_particles p = make_particles(10, 3, KDR_F64, false, remembers);
        uint64_t seed = 3;
        fill_random(&p, &seed);
        kdr_clock clock = {0, 0.1, 0};
        cr_expect(kdr_integrator_evaluations(integrator, &p, &clock, 1) == 20);
        cr_assert(kdr_integrator_run(integrator, &p, &clock, 1, NULL) == KDR_OK);
        cr_expect(kdr_integrator_evaluations(integrator, &p, &clock, 1) == (remembers ? 10 : 20));
        clock = kdr_clock_with_dt(&clock, 0.05); /* the memory does not depend on the step */
        cr_expect(kdr_integrator_evaluations(integrator, &p, &clock, 1) == (remembers ? 10 : 20));
        kdr_particles_destroy(&p);
    }
    kdr_integrator_destroy(integrator);
}

/* Particles in another order, each with its id, have the same ends. With another id or seed they do not. */
Test(methods_langevin, noise_goes_with_the_id) {
    uint64_t seed = test_seed();
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        setting s;
        set_up(&s, (kdr_real)real, &seed);
        const kdr_particles whole = run_whole(&s);
        kdr_particles p = make_particles(MANY, 3, (kdr_real)real, true, false);
        static uint64_t id[MANY];
        for (size_t i = 0; i < MANY; ++i) {
            id[i] = i;
        }
        for (size_t i = MANY - 1; i > 0; --i) {
            const size_t j = random_bits(&seed) % (i + 1);
            const uint64_t swap = id[i];
            id[i] = id[j];
            id[j] = swap;
        }
        for (size_t i = 0; i < MANY; ++i) {
            const state of = get_state(&s.start, id[i]);
            put_state(&p, i, &of);
            set(p.inverse_mass, p.real, i, get(s.start.inverse_mass, p.real, id[i]));
        }
        p.id = id;
        kdr_clock clock = {0, 0.1, 0};
        advance(BY_INTEGRATOR, &s.desc, &p, &clock, STEPS);
        for (size_t i = 0; i < MANY; ++i) {
            const kdr_particles a = kdr_particles_slice(&p, i, 1), b = kdr_particles_slice(&whole, id[i], 1);
            cr_assert(same_bits(&a, &b), "particle %zu", i);
        }
        size_t equal = 0;
        copy_state(&p, &s.start);
        p.id = NULL;
        p.first_id = UINT64_C(1) << 32; /* the lower halves of the ids do not change */
        clock.step = 0;
        advance(BY_INTEGRATOR, &s.desc, &p, &clock, 1);
        kdr_particles other = make_particles(MANY, 3, (kdr_real)real, true, false);
        for (int k = 0; k < 3; ++k) {
            kdr_integrator_desc desc = s.desc;
            desc.langevin.seed ^= k == 0 ? 1 : k == 1 ? UINT64_C(1) << 32 : 0;
            copy_state(&other, &s.start);
            other.first_id = k == 2 ? 1 : 0;
            clock.step = 0;
            advance(BY_INTEGRATOR, &desc, &other, &clock, 1);
            for (size_t i = 0; i < MANY; ++i) {
                equal += get(p.v[0], p.real, i) == get(other.v[0], p.real, i);
            }
        }
        cr_expect(equal < 5, "%zu of %d", equal, 3 * MANY);
        kdr_particles_destroy(&other);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&s.start);
    }
}

/* Particles with fewer axes get the noise of the first axes, and no two particles the same. */
Test(methods_langevin, fewer_axes_feel_the_first_noise) {
    static const uint64_t id[] = {7, 6, UINT64_MAX, 8};
    for (int i = 0; i < RUNNERS * KDR_REAL_COUNT; ++i) {
        const kdr_real real = (kdr_real)(i / RUNNERS);
        kdr_particles p[3];
        const kdr_integrator_desc desc = bath(real, 2, 1, 99);
        for (int dims = 1; dims <= 3; ++dims) {
            p[dims - 1] = make_particles(4, dims, real, false, false);
            p[dims - 1].id = id;
            kdr_clock clock = {0, 0.1, 5};
            advance(i % RUNNERS, &desc, &p[dims - 1], &clock, 9);
            for (int axis = 0; axis < dims; ++axis) {
                const void *v = p[dims - 1].v[axis];
                cr_expect(get(v, real, 0) != get(v, real, 1) && get(v, real, 0) != get(v, real, 3) && get(v, real, 0) != get(v, real, 2));
                cr_expect(get(v, real, 0) == get(p[axis].v[axis], real, 0));
            }
        }
        cr_expect(get(p[2].v[0], real, 0) != get(p[2].v[1], real, 0) && get(p[2].v[0], real, 0) != get(p[2].v[2], real, 0));
        for (int dims = 1; dims <= 3; ++dims) {
            kdr_particles_destroy(&p[dims - 1]);
        }
    }
}

static void expect_ids_refused(kdr_status status, const kdr_error *error, size_t first, size_t second) {
    char words[80];
    snprintf(words, sizeof words, "got 7 for particles %zu and %zu", first, second);
    cr_expect(status == KDR_ERROR_ARGUMENT && strstr(error->message, words), "%d, %s", (int)status, error->message);
}

/* Two particles with the same id would get the same noise, and move alike for ever. */
Test(methods_langevin, equal_ids_are_refused) {
    enum { COUNT = 1000 };
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        const kdr_integrator_desc desc = bath((kdr_real)real, 2, 1, 99);
        kdr_system_desc pairs = kdr_system_desc_default();
        kdr_integrator *integrator;
        kdr_system *system;
        kdr_error error;
        pairs.real = (kdr_real)real, pairs.method = desc.method, pairs.langevin = desc.langevin;
        cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_system_create(&pairs, &system, &error) == KDR_OK, "%s", error.message);
        for (size_t n = 0; n < 200; ++n) {
            const size_t first = n * 7 % (COUNT - 1), second = first + 1 + n * n % (COUNT - 1 - first);
            uint64_t *const id = malloc(2 * COUNT * sizeof *id);
            kdr_particles p = make_particles(COUNT, 2, (kdr_real)real, false, false);
            kdr_clock clock = {0, 0.1, 0};
            for (size_t i = 0; i < 2 * COUNT; ++i) { /* ids that are not sorted */
                id[i] = 10 + i * UINT64_C(0x9E3779B97F4A7C15);
            }
            const size_t apart = 1 + n % 2;
            id[apart * first] = id[apart * second] = 7;
            p.id = id, p.id_layout.stride = apart == 2 ? 2 * sizeof *id : 0;
            expect_ids_refused(kdr_integrator_run(integrator, &p, &clock, 1, &error), &error, first, second);
            expect_ids_refused(kdr_system_run(system, &p, &clock, 1, NULL, &error), &error, first, second);
            expect_ids_refused(kdr_reference_run(&desc, &p, &clock, 1, &error), &error, first, second);
            cr_expect(clock.step == 0);
            id[apart * second] = 5;
            cr_expect(kdr_integrator_run(integrator, &p, &clock, 1, &error) == KDR_OK, "%s", error.message);
            free(id);
            kdr_particles_destroy(&p);
        }
        kdr_integrator_destroy(integrator);
        kdr_system_destroy(system);
    }
}

Test(methods_langevin, frozen_particles_stay) {
    for (int runner = 0; runner < RUNNERS; ++runner) {
        const kdr_integrator_desc desc = bath(KDR_F32, 2, 1, 99);
        kdr_particles p = make_particles(40, 3, KDR_F32, true, false);
        for (size_t i = 0; i < 40; i += 3) {
            set(p.inverse_mass, KDR_F32, i, 0);
            set(p.v[1], KDR_F32, i, 5);
        }
        kdr_clock clock = {0, 0.1, 0};
        advance(runner, &desc, &p, &clock, 20);
        for (size_t i = 0; i < 40; ++i) {
            cr_expect((get(p.x[1], KDR_F32, i) == 0 && get(p.v[1], KDR_F32, i) == 5) == (i % 3 == 0));
        }
        kdr_particles_destroy(&p);
    }
}

/* --- Refusals --- */

static void expect_refused(const kdr_integrator_desc *desc, kdr_status status, const char *words) {
    kdr_integrator *integrator = NULL;
    kdr_error error;
    cr_expect(kdr_integrator_create(desc, &integrator, &error) == status && !integrator);
    cr_expect(strstr(error.message, words) != NULL, "%s", error.message);
    kdr_particles p = make_particles(1, 1, desc->real, false, false);
    kdr_clock clock = {0, 0.1, 0};
    cr_expect(kdr_reference_run(desc, &p, &clock, 1, &error) == status && clock.step == 0);
    cr_expect(strstr(error.message, words) != NULL, "%s", error.message);
    kdr_particles_destroy(&p);
}

Test(methods_langevin, refusals) {
    kdr_integrator_desc desc = bath(KDR_F64, NAN, 1, 0);
    expect_refused(&desc, KDR_ERROR_NOT_FINITE, "langevin.friction: expected a finite number");
    desc.langevin = (kdr_langevin){INFINITY, 1, 0};
    expect_refused(&desc, KDR_ERROR_NOT_FINITE, "langevin.friction");
    desc.langevin = (kdr_langevin){-1e-300, 1, 0};
    expect_refused(&desc, KDR_ERROR_ARGUMENT, "langevin.friction: expected at least 0");
    desc.langevin = (kdr_langevin){1, -1, 0};
    expect_refused(&desc, KDR_ERROR_ARGUMENT, "langevin.temperature: expected at least 0");
    desc.langevin = (kdr_langevin){1, NAN, 0};
    expect_refused(&desc, KDR_ERROR_NOT_FINITE, "langevin.temperature");
    desc = bath(KDR_F32, 1, 1e39, 0);
    expect_refused(&desc, KDR_ERROR_NOT_FINITE, "within f32");
    desc = bath(KDR_F64, 1, 0, 0);
    desc.method = KDR_VELOCITY_VERLET;
    expect_refused(&desc, KDR_ERROR_UNSUPPORTED, "take baoab");
    desc.langevin = (kdr_langevin){0, 1, 0};
    expect_refused(&desc, KDR_ERROR_UNSUPPORTED, "take baoab");
    const kdr_force drag = kdr_force_drag(1, 0, 0, 0);
    desc = bath(KDR_F64, 1, 1, 0);
    desc.forces = &drag;
    desc.force_count = 1;
    expect_refused(&desc, KDR_ERROR_UNSUPPORTED,
                   "baoab accepts no force that depends on the velocity, and the forces hold drag; leave damping to the heat bath");
    const kdr_force magnetic = kdr_force_electromagnetic(1, (const double[3]){0}, (const double[3]){0, 0, 1});
    desc.forces = &magnetic;
    expect_refused(&desc, KDR_ERROR_UNSUPPORTED, "the forces hold a magnetic field; leave out langevin and take boris");
    desc.method = KDR_HIGUERA_CARY, desc.langevin = (kdr_langevin){0}, desc.speed_of_light = 1, desc.forces = &drag;
    expect_refused(&desc, KDR_ERROR_UNSUPPORTED, "the forces hold drag; leave out speed_of_light and take rk4");
    desc = bath(KDR_F64, 1, 1, 0);
    /* A heat bath does not run backwards; nothing is changed. */
    desc.force_count = 0;
    kdr_integrator *integrator;
    kdr_error error;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_particles p = make_particles(3, 1, KDR_F64, false, false);
    for (int i = 0; i < 2; ++i) {
        kdr_clock clock = {0, -0.1, 4};
        const kdr_status status =
            i ? kdr_integrator_run(integrator, &p, &clock, 1, &error) : kdr_reference_run(&desc, &p, &clock, 1, &error);
        cr_expect(status == KDR_ERROR_UNSUPPORTED && strstr(error.message, "clock.dt") && clock.step == 4);
        cr_expect(get(p.v[0], KDR_F64, 0) == 0 && get(p.x[0], KDR_F64, 0) == 0);
    }
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(integrator);
    /* A seed alone is not a heat bath. */
    desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, NULL, 0);
    desc.langevin.seed = 5;
    cr_expect(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_integrator_destroy(integrator);
}
