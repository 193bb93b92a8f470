/* The gain of a compensated run: its distance from the same method in higher precision with the same step, compared with that of a plain
 * run. Runs of f32 are compared with f64, runs of f64 with the same steps in long double, which are written out here.
 *
 * The bits are the same everywhere, and so is every number below; bounds leave a factor of 2 on both sides. */
#include "support.h"

#include <float.h>

enum { ENSEMBLE = 32 };

typedef struct setting {
    const char *name;
    kdr_force force;
    double dt; /* exact in float */
    bool orbit;
} setting;

/* These settings take about 400 steps per orbit or period. */
static setting on_kepler(void) { return (setting){"Kepler", kdr_force_centre(1, 0, 0, 0, 0), 1.0 / 64, true}; }
static setting on_oscillator(void) { return (setting){"oscillator", kdr_force_spring(1, 0, 0, 0), 1.0 / 64, false}; }

/* Returns phase i of the ensemble in numbers that float represents: on an orbit of e = 1/2 and semi-major axis 1, or on a circle about the
 * origin. t is the tangent of half the eccentric anomaly, so that only + - * / and sqrt are needed. */
static state start_of(const setting *s, int i) {
    const double t = (2 * i + 1 - ENSEMBLE) / (ENSEMBLE / 4.0), cosine = (1 - t * t) / (1 + t * t), sine = 2 * t / (1 + t * t);
    const double e = s->orbit ? 0.5 : 0, b = sqrt(1 - e * e), rate = 1 / (1 - e * cosine);
    return (state){{(float)(cosine - e), (float)(b * sine), 0}, {(float)(-sine * rate), (float)(b * cosine * rate), 0}};
}

typedef struct ensemble {
    long double x[ENSEMBLE][2], v[ENSEMBLE][2];
} ensemble;

/* Runs the ensemble, and returns its end: as the arrays have it in `rounded`, and with the compensation in `sum` (may be NULL). */
static void step_ensemble(const setting *s, kdr_method method, kdr_real real, bool compensated, uint64_t steps, ensemble *rounded,
                          ensemble *sum) {
    kdr_integrator_desc desc = describe(method, real, KDR_FUSED, &s->force, 1);
    desc.compensated = compensated;
    kdr_particles_desc arrays = kdr_particles_desc_default();
    arrays.count = ENSEMBLE;
    arrays.dims = 2;
    arrays.real = real;
    arrays.memory = arrays.compensation = true;
    kdr_particles p;
    cr_assert(kdr_particles_create(&arrays, &p, NULL) == KDR_OK);
    for (int i = 0; i < ENSEMBLE; ++i) {
        const state start = start_of(s, i);
        put_state(&p, (size_t)i, &start);
    }
    kdr_clock clock = {0, s->dt, 0};
    advance(BY_INTEGRATOR, &desc, &p, &clock, steps);
    for (int i = 0; i < ENSEMBLE; ++i) {
        for (int axis = 0; axis < 2; ++axis) {
            rounded->x[i][axis] = get(p.x[axis], real, (size_t)i);
            rounded->v[i][axis] = get(p.v[axis], real, (size_t)i);
            if (sum) {
                sum->x[i][axis] = rounded->x[i][axis] + get(p.compensation[axis], real, (size_t)i);
                sum->v[i][axis] = rounded->v[i][axis] + get(p.compensation[3 + axis], real, (size_t)i);
            }
        }
    }
    kdr_particles_destroy(&p);
}

/* Returns the rms distance of the positions over the ensemble. */
static double apart(const ensemble *a, const ensemble *b) {
    long double sum = 0;
    for (int i = 0; i < ENSEMBLE; ++i) {
        for (int axis = 0; axis < 2; ++axis) {
            sum += (a->x[i][axis] - b->x[i][axis]) * (a->x[i][axis] - b->x[i][axis]);
        }
    }
    return sqrt((double)sum / ENSEMBLE);
}

/* Returns the rms difference of the energies over the ensemble. */
static double energy_apart(const setting *s, const ensemble *a, const ensemble *b) {
    double sum = 0;
    for (int i = 0; i < ENSEMBLE; ++i) {
        long double e[2];
        for (int k = 0; k < 2; ++k) {
            const long double *x = (k ? b : a)->x[i], *v = (k ? b : a)->v[i], r2 = x[0] * x[0] + x[1] * x[1];
            e[k] = (v[0] * v[0] + v[1] * v[1]) / 2 + (s->orbit ? -1 / sqrtl(r2) : r2 / 2);
        }
        sum += (double)((e[0] - e[1]) * (e[0] - e[1]));
    }
    return sqrt(sum / ENSEMBLE);
}

/* The measured losses of position on Kepler's problem and of energy on the oscillator: that of a compensated run, rms over the ensemble,
 * and how many times larger that of a plain run is. */
typedef struct loss {
    kdr_method method;
    double kepler, kepler_plain;
    double oscillator, oscillator_plain;
} loss;

static void expect_about(double got, double measured, const setting *s, kdr_method method, const char *what) {
    fprintf(stderr, "%s, %s: %s %.3g\n", s->name, kdr_method_get(method)->name, what, got);
    cr_expect(got > measured / 2 && got < measured * 2, "%s, %s: %s %g, measured was %g", s->name, kdr_method_get(method)->name, what, got,
              measured);
}

static void expect_loss(const setting *s, const loss *l, kdr_real real, uint64_t steps, const ensemble *exact) {
    static ensemble plain, compensated;
    step_ensemble(s, l->method, real, false, steps, &plain, NULL);
    step_ensemble(s, l->method, real, true, steps, &compensated, NULL);
    const double lost = s->orbit ? apart(&compensated, exact) : energy_apart(s, &compensated, exact);
    const double lost_plain = s->orbit ? apart(&plain, exact) : energy_apart(s, &plain, exact);
    expect_about(lost, s->orbit ? l->kepler : l->oscillator, s, l->method, "compensated loses");
    expect_about(lost_plain / lost, s->orbit ? l->kepler_plain : l->oscillator_plain, s, l->method, "and plain, times as much,");
}

/* The losses of 10^5 steps in float, compared with double. */
static const loss f32[] = {
    {KDR_RK4, 1.28e-3, 31.5, 2.19e-7, 45.4},
    {KDR_DOPRI_5, 2.76e-3, 10.6, 1.14e-6, 11.6},
    {KDR_SEMI_IMPLICIT_EULER, 8.5e-4, 29.1, 9.56e-8, 83.7},
    {KDR_VELOCITY_VERLET, 8.08e-4, 64.7, 8.28e-8, 160},
    {KDR_POSITION_VERLET, 1.02e-3, 56.1, 8.28e-8, 160},
    {KDR_PEFRL, 9.73e-4, 84.9, 8.8e-8, 200},
    {KDR_BLANES_MOAN_11B, 7.4e-4, 143, 6.48e-8, 311},
    {KDR_NYSTROM_4, 1.62e-3, 15.8, 1.46e-7, 56.5},
    {KDR_IMPLICIT_MIDPOINT, 1.26e-3, 23.5, 1.67e-7, 45.8},
    {KDR_BORIS, 9.11e-4, 69.2, 8.52e-8, 170},
};

Test(physics_compensated, float_against_double) {
    static ensemble exact;
    for (size_t i = 0; i < sizeof f32 / sizeof *f32 * 2; ++i) {
        const setting s = i % 2 ? on_oscillator() : on_kepler();
        step_ensemble(&s, f32[i / 2].method, KDR_F64, false, 100000, &exact, NULL);
        expect_loss(&s, &f32[i / 2], KDR_F32, 100000, &exact);
    }
}

/* The rounding of coefficients and increments in float is compensated too. On an oscillator it would be the largest loss: a step that is
 * too long by a relative 2e-8, as dopri-5's would be, or rk4's, whose sixth is no float, would take away the whole gain, and more of it in
 * longer runs. */
static const struct {
    kdr_method method;
    /* the factor by which the position's loss is less than a plain run's, over 10^5 steps and over 4 x 10^5 */
    double dt, times_less, of_more_steps;
} gains[] = {
    {KDR_DOPRI_5, 1.0 / 64, 55.8, 60}, {KDR_DOPRI_5, 0.01, 58.7, 56.9}, {KDR_RK4, 1.0 / 64, 330, 685},
    {KDR_RKN_4_3, 1.0 / 64, 194, 314}, {KDR_RK4, 0.01, 144, 218},       {KDR_VELOCITY_VERLET, 0.01, 456, 927},
    {KDR_PEFRL, 0.01, 493, 1020},
};

Test(physics_compensated, coefficients_take_nothing_away) {
    for (size_t i = 0; i < sizeof gains / sizeof *gains * 2; ++i) {
        static ensemble plain, compensated, exact;
        setting s = on_oscillator();
        s.dt = gains[i / 2].dt;
        const uint64_t steps = i % 2 ? 400000 : 100000;
        step_ensemble(&s, gains[i / 2].method, KDR_F64, false, steps, &exact, NULL);
        step_ensemble(&s, gains[i / 2].method, KDR_F32, false, steps, &plain, NULL);
        step_ensemble(&s, gains[i / 2].method, KDR_F32, true, steps, &compensated, NULL);
        expect_about(apart(&plain, &exact) / apart(&compensated, &exact), i % 2 ? gains[i / 2].of_more_steps : gains[i / 2].times_less, &s,
                     gains[i / 2].method, "the position loses less, times");
    }
}

/* The state of a compensated run is x + compensation. */
Test(physics_compensated, the_sum_is_the_state) {
    static const kdr_method methods[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET};
    for (int i = 0; i < 4; ++i) {
        static ensemble rounded, sum, exact;
        const setting s = i % 2 ? on_oscillator() : on_kepler();
        step_ensemble(&s, methods[i / 2], KDR_F32, true, 16, &rounded, &sum);
        step_ensemble(&s, methods[i / 2], KDR_F64, false, 16, &exact, NULL);
        expect_about(apart(&rounded, &exact) / apart(&sum, &exact), 17, &s, methods[i / 2], "the sum is nearer, times");
        expect_about(apart(&rounded, &sum), 0.29 * 0x1p-23, &s, methods[i / 2], "what is carried");
    }
}

/* The methods below are written out in long double. */
typedef long double wide[2];

static void wide_acceleration(const setting *s, const wide x, wide a) {
    const long double r2 = x[0] * x[0] + x[1] * x[1], k = s->orbit ? -1 / (r2 * sqrtl(r2)) : -1;
    a[0] = k * x[0];
    a[1] = k * x[1];
}

static void wide_add(wide y, long double h, const wide rate) {
    y[0] += h * rate[0];
    y[1] += h * rate[1];
}

static void wide_semi_implicit_euler(const setting *s, wide x, wide v) {
    wide a;
    wide_acceleration(s, x, a);
    wide_add(v, s->dt, a);
    wide_add(x, s->dt, v);
}

static void wide_velocity_verlet(const setting *s, wide x, wide v) {
    wide a;
    wide_acceleration(s, x, a);
    wide_add(v, s->dt / 2, a);
    wide_add(x, s->dt, v);
    wide_acceleration(s, x, a);
    wide_add(v, s->dt / 2, a);
}

static void wide_rk4(const setting *s, wide x, wide v) {
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    wide kx = {0, 0}, kv = {0, 0}, sx = {0, 0}, sv = {0, 0};
    for (int i = 0; i < 4; ++i) {
        wide stage_x = {x[0], x[1]}, stage_v = {v[0], v[1]};
        wide_add(stage_x, at[i] * s->dt, kx);
        wide_add(stage_v, at[i] * s->dt, kv);
        memcpy(kx, stage_v, sizeof kx);
        wide_acceleration(s, stage_x, kv);
        wide_add(sx, weight[i], kx);
        wide_add(sv, weight[i], kv);
    }
    const double sixth = s->dt * (1.0 / 6.0); /* as in double, so that the difference is the run's rounding and not this number's */
    wide_add(x, sixth, sx);
    wide_add(v, sixth, sv);
}

typedef void wide_step(const setting *s, wide x, wide v);

static void step_wide(const setting *s, wide_step *step, uint64_t steps, ensemble *end) {
    for (int i = 0; i < ENSEMBLE; ++i) {
        const state start = start_of(s, i);
        for (int axis = 0; axis < 2; ++axis) {
            end->x[i][axis] = start.x[axis];
            end->v[i][axis] = start.v[axis];
        }
        for (uint64_t n = 0; n < steps; ++n) {
            step(s, end->x[i], end->v[i]);
        }
    }
}

static const struct wider {
    wide_step *step;
    loss loss;
} f64[] = {
    {wide_semi_implicit_euler, {KDR_SEMI_IMPLICIT_EULER, 1.31e-13, 27.5, 6.81e-17, 77.2}},
    {wide_velocity_verlet, {KDR_VELOCITY_VERLET, 1.92e-13, 44.4, 6.66e-17, 133}},
    {wide_rk4, {KDR_RK4, 1.99e-13, 27.9, 2.28e-16, 32.6}},
};

Test(physics_compensated, double_against_long_double) {
    if (LDBL_MANT_DIG < 64) {
        fprintf(stderr, "skipped: long double has %d bits here\n", LDBL_MANT_DIG);
        return;
    }
    static ensemble exact;
    for (size_t i = 0; i < sizeof f64 / sizeof *f64 * 2; ++i) {
        const setting s = i % 2 ? on_oscillator() : on_kepler();
        step_wide(&s, f64[i / 2].step, 20000, &exact);
        expect_loss(&s, &f64[i / 2].loss, KDR_F64, 20000, &exact);
    }
}
