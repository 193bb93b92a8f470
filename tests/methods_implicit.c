/* Implicit methods: one step and many are compared with the linear map in long double. After a step in any field, the equation of the stage
 * must hold. Singular equations, particles at rest or frozen, and runs backwards or cut are tested too. methods_stiff.c tests their use. */
#include "support.h"

typedef long double real10;

static const kdr_method methods[] = {KDR_IMPLICIT_EULER, KDR_IMPLICIT_MIDPOINT};
static const real10 fraction[] = {1, 0.5L}; /* time of the stage, in steps */

static double unit(kdr_real real) { return real == KDR_F32 ? 0x1p-23 : 0x1p-52; }

/* --- a(x, v, t) in long double, from the list of forces --- */

static real10 either(const void *each, kdr_real real, size_t i, double common) {
    return each ? (real10)get(each, real, i) : (real10)common;
}

static real10 length(int dims, const real10 a[3], const double from[3], double squared) {
    real10 sum = (real10)squared;
    for (int k = 0; k < dims; ++k) {
        sum += (a[k] - (real10)from[k]) * (a[k] - (real10)from[k]);
    }
    return sqrtl(sum);
}

/* Returns the contribution of a force on axis k. Positions and velocities on axes that do not exist are 0. */
static real10 contribution(const kdr_force *force, kdr_real real, int dims, size_t i, int k, real10 w, const real10 x[3], const real10 v[3],
                           real10 t) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    switch (force->kind) {
    case KDR_UNIFORM_ACCELERATION:
        return (real10)force->as.uniform_acceleration.a[k];
    case KDR_UNIFORM_FORCE:
        return w * (real10)force->as.uniform_force.f[k];
    case KDR_SPRING:
        return w * either(force->as.spring.k_each, real, i, force->as.spring.k[k]) *
               (either(force->as.spring.at_each[k], real, i, force->as.spring.at[k]) - x[k]);
    case KDR_DRAG:
        return w * either(force->as.drag.b_each, real, i, force->as.drag.b[k]) * ((real10)force->as.drag.wind[k] - v[k]);
    case KDR_QUADRATIC_DRAG:
        return w * (real10)force->as.quadratic_drag.c * length(dims, v, force->as.quadratic_drag.wind, 0) *
               ((real10)force->as.quadratic_drag.wind[k] - v[k]);
    case KDR_ELECTROMAGNETIC:
        return w * (real10)force->as.electromagnetic.charge *
               ((real10)force->as.electromagnetic.e[k] + v[l] * (real10)force->as.electromagnetic.b[m] -
                v[m] * (real10)force->as.electromagnetic.b[l]);
    case KDR_CENTRE: {
        const real10 r = length(dims, x, force->as.centre.at, force->as.centre.softening * force->as.centre.softening);
        return (real10)force->as.centre.mu * ((real10)force->as.centre.at[k] - x[k]) / (r * r * r);
    }
    default:
        return (real10)force->as.driven.a[k] * cosl((real10)force->as.driven.omega * t + (real10)force->as.driven.phase);
    }
}

static void evaluate(const kdr_integrator_desc *desc, const kdr_particles *p, size_t i, const real10 x[3], const real10 v[3], real10 t,
                     real10 a[3]) {
    const real10 w = p->inverse_mass ? (real10)get(p->inverse_mass, p->real, i) : 1;
    for (int k = 0; k < 3; ++k) {
        a[k] = 0;
        for (size_t n = 0; n < desc->force_count && k < p->dims; ++n) {
            a[k] += contribution(&desc->forces[n], p->real, p->dims, i, k, w, x, v, t);
        }
    }
}

/* --- The linear map --- */

typedef struct wide {
    real10 x[3], v[3];
} wide;

static wide widen(const kdr_particles *p, size_t i) {
    const state s = get_state(p, i);
    wide y;
    for (int k = 0; k < 3; ++k) {
        y.x[k] = (real10)s.x[k];
        y.v[k] = (real10)s.v[k];
    }
    return y;
}

/* Solves n equations m[r][0 .. n-1] . z = m[r][n] by Gaussian elimination with pivots. */
static void solve(int n, real10 m[6][7], real10 z[6]) {
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c + 1; r < n; ++r) {
            pivot = fabsl(m[r][c]) > fabsl(m[pivot][c]) ? r : pivot;
        }
        for (int k = 0; k <= n; ++k) {
            const real10 swap = m[c][k];
            m[c][k] = m[pivot][k];
            m[pivot][k] = swap;
        }
        for (int r = c + 1; r < n; ++r) {
            const real10 f = m[r][c] / m[c][c];
            for (int k = c; k <= n; ++k) {
                m[r][k] -= f * m[c][k];
            }
        }
    }
    for (int r = n - 1; r >= 0; --r) {
        z[r] = m[r][n];
        for (int k = r + 1; k < n; ++k) {
            z[r] -= m[r][k] * z[k];
        }
        z[r] /= m[r][r];
    }
}

/* Takes a step of y' = J y + f, y = (x, v): (1 - c h J) y1 = (1 + (1 - c) h J) y + h f, with J and f from the forces. */
static wide linear_step(const kdr_integrator_desc *desc, const kdr_particles *p, size_t i, wide y, real10 t, real10 h, real10 c) {
    const int D = p->dims;
    const real10 zero[3] = {0};
    real10 f[3], m[6][7] = {{0}}, z[6];
    evaluate(desc, p, i, zero, zero, t, f);
    for (int k = 0; k < D; ++k) {
        m[k][k] = m[D + k][D + k] = 1;
        m[k][D + k] = -c * h;
        m[k][2 * D] = y.x[k] + (1 - c) * h * y.v[k];
        m[D + k][2 * D] = y.v[k] + h * f[k];
    }
    for (int j = 0; j < 2 * D; ++j) {
        real10 x[3] = {0}, v[3] = {0}, column[3];
        *(j < D ? &x[j] : &v[j - D]) = 1;
        evaluate(desc, p, i, x, v, t, column);
        for (int k = 0; k < D; ++k) {
            m[D + k][j] -= c * h * (column[k] - f[k]);
            m[D + k][2 * D] += (1 - c) * h * (column[k] - f[k]) * (j < D ? y.x[j] : y.v[j - D]);
        }
    }
    solve(2 * D, m, z);
    for (int k = 0; k < D; ++k) {
        y.x[k] = z[k];
        y.v[k] = z[D + k];
    }
    return y;
}

/* --- Crowds of particles, and their fields --- */

enum { COUNT = 37, FORCES = 6 };

static union {
    float f32[COUNT];
    double f64[COUNT];
} stiffness, drag, anchor;

static void fill_each(kdr_real real, uint64_t *seed) {
    for (size_t i = 0; i < COUNT; ++i) {
        set(&stiffness, real, i, random_in(seed, 0.5, 8));
        set(&drag, real, i, random_in(seed, 0, 2));
        set(&anchor, real, i, random_in(seed, -1, 1));
    }
}

static kdr_force uneven(double kx, double ky, double kz) {
    kdr_force spring = kdr_force_spring(1, 0.25, -0.125, 0.5);
    spring.as.spring.k[0] = kx;
    spring.as.spring.k[1] = ky;
    spring.as.spring.k[2] = kz;
    return spring;
}

static kdr_force magnet(double bx, double by, double bz) {
    return kdr_force_electromagnetic(1, (const double[3]){0.25, -0.125, 0.5}, (const double[3]){bx, by, bz});
}

static kdr_force springs_each(void) {
    kdr_force spring = kdr_force_spring(0, 0.5, 0, 0);
    spring.as.spring.k_each = &stiffness;
    spring.as.spring.at_each[0] = spring.as.spring.at_each[1] = spring.as.spring.at_each[2] = &anchor;
    spring.as.spring.count = COUNT;
    return spring;
}

static kdr_force drags_each(void) {
    kdr_force resistance = kdr_force_drag(0, 0.5, -0.25, 1);
    resistance.as.drag.b_each = &drag;
    resistance.as.drag.count = COUNT;
    return resistance;
}

/* The constants have few digits, so they are the same in both precisions. */
typedef struct field {
    const char *name;
    kdr_force forces[FORCES];
    size_t count;
} field;

static const field *affine_fields(void) {
    static field list[7];
    list[0] = (field){"a damped spring", {kdr_force_spring(4, 0, 0, 0), kdr_force_drag(0.5, 0, 0, 0)}, 2};
    list[1] = (field){"uniform fields", {kdr_force_uniform_acceleration(0.5, -1, 2), kdr_force_uniform_force(1, 0.25, -0.5)}, 2};
    list[2] = (field){"drag with wind", {kdr_force_drag(1.5, 2, -1, 0.5), kdr_force_uniform_acceleration(0, 0, -8)}, 2};
    list[3] = (field){"a magnet", {magnet(0.5, -1, 2)}, 1};
    list[4] = (field){"arrays", {springs_each(), drags_each(), kdr_force_driven(1, 0.5, -0.25, 2, 0.5)}, 3};
    list[5] = (field){"a magnet, uneven springs, drag", {magnet(1, 0.5, -2), uneven(1, 4, 0.5), kdr_force_drag(0.25, 1, 0, 0)}, 3};
    list[6] = (field){"everything affine",
                      {magnet(1, 0.5, -2), uneven(1, 4, 0.5), drags_each(), springs_each(), kdr_force_driven(1, 0.5, -0.25, 2, 0.5),
                       kdr_force_uniform_force(1, 0.25, -0.5)},
                      6};
    return list;
}

static const field *other_fields(void) {
    static field list[5];
    list[0] = (field){"a softened centre", {kdr_force_centre(2, 0.25, 0, -0.5, 0.5)}, 1};
    list[1] = (field){"quadratic drag", {kdr_force_quadratic_drag(0.5, 0.5, -0.25, 0), kdr_force_uniform_acceleration(1, 0, -8)}, 2};
    list[2] = (field){"two centres and a drive",
                      {kdr_force_centre(1, 0.5, 0, 0, 0.5), kdr_force_centre(1, -0.5, 0, 0, 0.25), kdr_force_driven(4, 2, -1, 8, 0.5)},
                      3};
    list[3] = (field){"a centre with arrays", {springs_each(), kdr_force_centre(1, 0, 0.5, 0, 0.5), drags_each()}, 3};
    list[4] = (field){"all of it",
                      {magnet(1, 0.5, -2), uneven(1, 4, 0.5), drags_each(), kdr_force_centre(1, 0.5, 0, 0, 0.5),
                       kdr_force_driven(1, 0.5, -0.25, 2, 0.5), kdr_force_quadratic_drag(0.25, 0.5, 0, 0)},
                      6};
    return list;
}

/* A choice of runner, precision, arithmetic, axes and masses; there are 48. */
typedef struct choice {
    int runner, dims;
    kdr_real real;
    kdr_arithmetic arithmetic;
    bool masses;
} choice;

enum { CHOICES = RUNNERS * 3 * 2 * 2 * 2 };

static choice choose(int i) { return (choice){i % 2, 1 + i / 2 % 3, (kdr_real)(i / 6 % 2), (kdr_arithmetic)(i / 12 % 2), i / 24 == 1}; }

static double size_of(const wide *y, int dims) {
    real10 size = 0;
    for (int k = 0; k < dims; ++k) {
        size = fmaxl(size, fmaxl(fabsl(y->x[k]), fabsl(y->v[k])));
    }
    return (double)size;
}

static double distance(const wide *a, const wide *b, int dims) {
    wide d = *a;
    for (int k = 0; k < dims; ++k) {
        d.x[k] -= b->x[k];
        d.v[k] -= b->v[k];
    }
    return size_of(&d, dims);
}

/* A crowd at random positions at t = 0.75 + 5 h, before and after some steps. */
typedef struct run {
    kdr_integrator_desc desc;
    kdr_particles before, after;
    kdr_clock start;
} run;

static run make_run(const field *in, int m, const choice *q, double h, uint64_t steps, uint64_t *seed) {
    run r = {describe(methods[m], q->real, q->arithmetic, in->forces, in->count),
             make_particles(COUNT, q->dims, q->real, q->masses, false),
             make_particles(COUNT, q->dims, q->real, q->masses, false),
             {0.75, h, 5}};
    fill_random(&r.before, seed);
    fill_each(q->real, seed);
    copy_state(&r.after, &r.before);
    kdr_clock clock = r.start;
    advance(q->runner, &r.desc, &r.after, &clock, steps);
    return r;
}

static void end_run(run *r) {
    kdr_particles_destroy(&r->before);
    kdr_particles_destroy(&r->after);
}

/* Returns how far a particle is from the exact map's orbit, in ulps of the largest number on the way and of 1 + steps. */
static double off_the_map(const run *r, int m, size_t i, uint64_t steps) {
    wide y = widen(&r->before, i);
    const wide end = widen(&r->after, i);
    double size = size_of(&y, r->before.dims);
    for (uint64_t n = 0; n < steps; ++n) {
        const real10 t = (real10)r->start.t0 + ((real10)(r->start.step + n) + fraction[m]) * (real10)r->start.dt;
        y = linear_step(&r->desc, &r->before, i, y, t, (real10)r->start.dt, fraction[m]);
        size = fmax(size, size_of(&y, r->before.dims));
    }
    return distance(&end, &y, r->before.dims) / (unit(r->before.real) * size * (double)(1 + steps));
}

Test(methods_implicit, affine_fields_give_the_linear_map) {
    static const struct {
        double h;
        uint64_t steps;
    } runs[] = {{0.125, 1}, {0.125, 30}, {4, 1}, {1024, 1}, {1024, 20}, {-0.125, 1}};
    uint64_t seed = test_seed();
    for (int n = 0; n < 7 * 6 * 2; ++n) {
        const field *in = &affine_fields()[n / 12];
        const double h = runs[n / 2 % 6].h;
        const uint64_t steps = runs[n / 2 % 6].steps;
        double worst = 0;
        for (int i = 0; i < CHOICES; ++i) {
            const choice q = choose(i);
            run r = make_run(in, n % 2, &q, h, steps, &seed);
            for (size_t k = 0; k < COUNT; ++k) {
                worst = fmax(worst, off_the_map(&r, n % 2, k, steps));
            }
            end_run(&r);
        }
        cr_expect(worst < 6 && (worst > 0.1 || steps > 1), "%s, h = %g, %d steps: %g ulp", in->name, h, (int)steps, worst);
    }
}

/* --- Newton's iteration --- */

/* Returns by how much a step of particle i misses its equations, X = x + c (x1 - x), V = v + c (v1 - v), x1 = x + h V, v1 = v + h a(X, V, t
 * + c h), in ulps of the largest number in them. */
static double residual(const run *r, size_t i, double t, real10 c) {
    const real10 h = (real10)r->start.dt;
    const wide y = widen(&r->before, i), end = widen(&r->after, i);
    wide stage = y, off = {{0}, {0}};
    real10 a[3];
    for (int k = 0; k < 3; ++k) {
        stage.x[k] += c * (end.x[k] - y.x[k]);
        stage.v[k] += c * (end.v[k] - y.v[k]);
    }
    evaluate(&r->desc, &r->before, i, stage.x, stage.v, (real10)t + c * h, a);
    for (int k = 0; k < r->before.dims && k < 3; ++k) {
        off.x[k] = end.x[k] - y.x[k] - h * stage.v[k];
        off.v[k] = end.v[k] - y.v[k] - h * a[k];
    }
    return size_of(&off, r->before.dims) / (unit(r->before.real) * fmax(size_of(&y, r->before.dims), size_of(&end, r->before.dims)));
}

/* The equations hold to rounding. A stage that is wrong by 1 % of a step is seen at once. */
Test(methods_implicit, other_fields_solve_their_equation) {
    static const double steps[] = {0.015625, 0.125, -0.015625};
    uint64_t seed = test_seed();
    for (int n = 0; n < 5 * 3 * 2; ++n) {
        const field *in = &other_fields()[n / 6];
        const double h = steps[n / 2 % 3];
        double worst = 0, away = INFINITY;
        for (int i = 0; i < CHOICES; ++i) {
            const choice q = choose(i);
            run r = make_run(in, n % 2, &q, h, 1, &seed);
            double wrong = 0;
            for (size_t k = 0; k < COUNT; ++k) {
                worst = fmax(worst, residual(&r, k, 0.75 + 5 * h, fraction[n % 2]));
                wrong = fmax(wrong, residual(&r, k, 0.75 + 5 * h, fraction[n % 2] + 0.01L) * unit(q.real));
            }
            away = fmin(away, wrong);
            end_run(&r);
        }
        cr_expect(worst < 12 && worst > 0.1, "%s, h = %g: %g ulp", in->name, h, worst);
        cr_expect(fabs(h) < 0.1 || away > 2e-5, "%s: %g", in->name, away);
    }
}

/* Steps one particle of unit mass by a method, on the best backend. */
static run one_step(int m, const kdr_force *force, const state *start, double h) {
    run r = {describe(methods[m], KDR_F64, KDR_FUSED, force, 1),
             make_particles(1, 3, KDR_F64, false, false),
             make_particles(1, 3, KDR_F64, false, false),
             {0, h, 0}};
    put_state(&r.before, 0, start);
    copy_state(&r.after, &r.before);
    kdr_clock clock = r.start;
    advance(BY_INTEGRATOR, &r.desc, &r.after, &clock, 1);
    return r;
}

/* Returns the remaining fraction |V| / |v_n| of the stage's velocity after a drag of c |v| th = `size`, when nothing else moves. */
static real10 left_by_drag(real10 size) { return 2 / (1 + sqrtl(1 + 4 * size)); }

/* Drags of any size give V = v_n / (1 + th c |V|), with a wind, in both precisions. An equation that was not solved is counted and not
 * compared. */
Test(methods_implicit, drags_of_any_size_have_the_closed_solution) {
    static const double sizes[] = {0x1p-4, 1, 10, 100, 1e3, 1e6, 1e9};
    for (int n = 0; n < 7 * CHOICES; ++n) {
        choice q = choose(n / 7);
        const int m = n % 2;
        const double size = sizes[n % 7], h = 0.5, unitary[] = {0.48, 0.64, -0.6}, wind[] = {2, -1, 0.5};
        double square = 0;
        for (int k = 0; k < q.dims; ++k) {
            square += unitary[k] * unitary[k];
        }
        const double mass = q.masses ? 4 : 1, c = (double)(float)(mass * size / (sqrt(square) * h * (double)fraction[m]));
        const kdr_force resistance = kdr_force_quadratic_drag(c, wind[0], wind[1], wind[2]);
        const kdr_integrator_desc desc = describe(methods[m], q.real, q.arithmetic, &resistance, 1);
        kdr_particles p = make_particles(COUNT, q.dims, q.real, q.masses, false);
        uint32_t nonconverged[COUNT] = {0};
        p.nonconverged = nonconverged;
        for (size_t i = 0; i < COUNT; ++i) {
            put_state(&p, i, &(state){{0}, {wind[0] + unitary[0], wind[1] + unitary[1], wind[2] + unitary[2]}});
            if (q.masses) {
                set(p.inverse_mass, q.real, i, 1 / mass);
            }
        }
        const state begin = get_state(&p, 0);
        real10 speed = 0;
        for (int k = 0; k < q.dims; ++k) {
            const real10 u = (real10)begin.v[k] - (real10)wind[k];
            speed += u * u;
        }
        const real10 slip = left_by_drag((real10)c / (real10)mass * (real10)h * fraction[m] * sqrtl(speed));
        kdr_clock clock = {0, h, 0};
        advance(q.runner, &desc, &p, &clock, 1);
        for (size_t i = 0; i < COUNT; i += COUNT - 1) {
            const state end = get_state(&p, i);
            double off = 0;
            for (int k = 0; k < q.dims; ++k) {
                const real10 u = (real10)begin.v[k] - (real10)wind[k], V = (real10)wind[k] + slip * u;
                off = fmax(off, (double)fabsl((real10)end.x[k] - (real10)h * V));
                off = fmax(off, (double)fabsl((real10)end.v[k] - (real10)begin.v[k] - (V - (real10)begin.v[k]) / fraction[m]));
            }
            cr_expect(off < 4 * unit(q.real), "c |v| th = %g: %g ulp", size, off / unit(q.real));
            cr_expect(nonconverged[i] == 0, "c |v| th = %g", size);
        }
        kdr_particles_destroy(&p);
    }
}

/* Without a wind V itself is small, and accurate in its own digits. */
Test(methods_implicit, strong_drag_leaves_what_it_leaves) {
    static const double sizes[] = {1, 1e2, 1e4, 1e6};
    for (int n = 0; n < 2 * 2 * 4; ++n) {
        const double size = sizes[n / 4];
        const kdr_force resistance = kdr_force_quadratic_drag(size / (double)fraction[n % 2], 0, 0, 0);
        const kdr_integrator_desc desc = describe(methods[n % 2], n / 2 % 2 ? KDR_F64 : KDR_F32, KDR_FUSED, &resistance, 1);
        const state end = advance_one(BY_INTEGRATOR, &desc, (state){{0}, {1, 0, 0}}, 1, 1);
        const double V = (double)left_by_drag(size);
        cr_expect(fabs(end.x[0] / V - 1) < 4 * unit(desc.real), "%g: %g ulp", size, (end.x[0] / V - 1) / unit(desc.real));
    }
}

/* A Kepler orbit of e = 1/2, in 25 steps. */
Test(methods_implicit, long_steps_of_an_orbit_are_solved) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    state s = {{0.5, 0, 0}, {0, sqrt(3), 0}};
    double worst = 0;
    for (int n = 0; n < 25; ++n) {
        run r = one_step(1, &sun, &s, 2 * acos(-1) / 25);
        worst = fmax(worst, residual(&r, 0, 0, fraction[1]));
        s = get_state(&r.after, 0);
        end_run(&r);
    }
    cr_expect(worst < 4 && worst > 0.1, "%g ulp", worst);
}

static double energy_in_centre(const state *s, double mu, double softening) {
    double speed = 0, distance = softening * softening;
    for (int k = 0; k < 3; ++k) {
        speed += s->v[k] * s->v[k];
        distance += s->x[k] * s->x[k];
    }
    return speed / 2 - mu / sqrt(distance);
}

/* A particle starts at rest half a softening away from a centre of omega h = 9 and more. Implicit Euler only takes energy. The midpoint
 * rule does not change it by more than a twentieth, if its step resolves the well at all. */
Test(methods_implicit, stiff_centres_give_no_energy) {
    static const double steps[] = {0.003, 0.01, 0.1, 1};
    const kdr_force sun = kdr_force_centre(10000, 0, 0, 0, 0.1);
    for (int n = 0; n < 4 * CHOICES; ++n) {
        const choice q = choose(n / 4);
        const int m = n / 4 / 2 % 2;
        const kdr_integrator_desc desc = describe(methods[m], q.real, q.arithmetic, &sun, 1);
        kdr_particles p = make_particles(COUNT, 3, q.real, false, false);
        uint32_t nonconverged[COUNT] = {0};
        p.nonconverged = nonconverged;
        for (size_t i = 0; i < COUNT; ++i) {
            put_state(&p, i, &(state){{0.03, 0.04, 0}, {0}});
        }
        kdr_clock clock = {0, steps[n % 4], 0};
        double last = energy_in_centre(&(state){{0.03, 0.04, 0}, {0}}, 10000, 0.1);
        for (int k = 0; k < 20; ++k) {
            advance(q.runner, &desc, &p, &clock, 10);
            const state s = get_state(&p, COUNT - 1);
            const double energy = energy_in_centre(&s, 10000, 0.1);
            cr_expect(m == 0 ? energy <= last + 1e5 * unit(q.real) : n % 4 > 1 || fabs(energy / last - 1) < 0.05,
                      "h = %g: %.17g after %.17g", steps[n % 4], energy, last);
            last = m == 0 ? energy : last;
        }
        cr_expect(nonconverged[0] == 0 && nonconverged[COUNT - 1] == 0, "h = %g: %u steps", steps[n % 4], (unsigned)nonconverged[0]);
        kdr_particles_destroy(&p);
    }
}

/* The fields that docs/methods/methods.md says are solved: stiff softened centres from near and far, strong drags, springs and linear drag
 * with them, masses. The equation of a step holds as well as its terms can be rounded. Of many particles a few are at a fold, where two
 * solutions meet. */
Test(methods_implicit, stiff_fields_solve_their_equation) {
    uint64_t seed = test_seed();
    for (int n = 0; n < 3 * 4 * CHOICES; ++n) {
        const choice q = choose(n / 12);
        const double h = (const double[]){0.01, 0.1, 1, 10}[n % 4], eps = unit(q.real);
        const kdr_force list[] = {kdr_force_centre(10000, 0.25, 0, -0.125, n / 4 % 3 == 1 ? 1 : 0.125), kdr_force_spring(8, 0.5, 0, 0),
                                  kdr_force_drag(2, 0.5, -1, 0), kdr_force_quadratic_drag(1000, 0.5, 2, 0)};
        const field in = {"stiff", {list[0], list[1], list[2], list[3]}, n / 4 % 3 == 0 ? 1 : 4};
        run r = make_run(&in, n % 2, &q, h, 0, &seed);
        uint32_t nonconverged[COUNT] = {0};
        r.after.nonconverged = nonconverged;
        advance(q.runner, &r.desc, &r.after, &r.start, 1);
        int failures = 0;
        for (size_t i = 0; i < COUNT; ++i) {
            const wide y = widen(&r.before, i), end = widen(&r.after, i);
            const real10 c = fraction[n % 2], w = q.masses ? (real10)get(r.before.inverse_mass, q.real, i) : 1;
            real10 stage_x[3] = {0}, V[3] = {0}, a[3], worst = 0, size = 0;
            for (int k = 0; k < q.dims; ++k) {
                V[k] = (end.x[k] - y.x[k]) / (real10)h;
                stage_x[k] = y.x[k] + c * (end.x[k] - y.x[k]);
                size = fmaxl(size, fmaxl(fabsl(y.x[k]), fabsl(end.x[k])));
            }
            evaluate(&r.desc, &r.before, i, stage_x, V, 0, a);
            for (int k = 0; k < q.dims; ++k) {
                worst = fmaxl(worst, fabsl(V[k] - y.v[k] - c * (real10)h * a[k]));
            }
            /* A position is known to eps |x|, a velocity to that divided by h; the bound has the field's largest derivatives times
             * these. */
            const real10 rates = 1 + c * (real10)h * (w * (10 + 4000) + c * (real10)h * (w * 8 + 10000 / 0.125L / 0.125L / 0.125L));
            failures += nonconverged[i] > 0;
            cr_expect(nonconverged[i] > 0 || worst < 8 * (real10)eps * rates * (4 + size / (real10)h), "h = %g: %Lg of %Lg", h, worst,
                      (real10)eps * rates * (4 + size / (real10)h));
        }
        cr_expect(failures <= 1, "h = %g: %d", h, failures);
        end_run(&r);
    }
}

/* --- Special cases --- */

/* At zero slip its size has no derivative. At rest in the wind nothing changes; from rest in the wind V = th (g - c V^2), on one axis. */
Test(methods_implicit, quadratic_drag_begins_at_rest) {
    const double c = 0.5, g = 9.8125, h = 0.25, wind = 0.75;
    for (int n = 0; n < 2 * RUNNERS * 3; ++n) {
        const int dims = 1 + n / 4;
        for (int falls = 0; falls < 2; ++falls) {
            const kdr_force list[] = {kdr_force_quadratic_drag(c, wind, -1, 0.5), kdr_force_uniform_acceleration(g, 0, 0)};
            const kdr_integrator_desc desc = describe(methods[n % 2], KDR_F64, KDR_FUSED, list, falls ? 2 : 1);
            kdr_particles p = make_particles(COUNT, dims, KDR_F64, true, false);
            for (size_t i = 0; i < COUNT; ++i) {
                put_state(&p, i, &(state){{1, 2, 3}, {wind, -1, 0.5}});
            }
            kdr_clock clock = {0, h, 0};
            advance(n / 2 % 2, &desc, &p, &clock, 1);
            const double th = h * (double)fraction[n % 2], V = 2 * th * g / (1 + sqrt(1 + 4 * th * th * c * g));
            const double x = 1 + h * (wind + falls * V), v = wind + falls * V / (double)fraction[n % 2];
            for (size_t i = 0; i < COUNT; ++i) {
                const state s = get_state(&p, i);
                cr_expect(falls ? close_to(s.v[0], v, 1e-15) : s.v[0] == wind, "%.17g for %.17g", s.v[0], v);
                cr_expect(close_to(s.x[0], x, 4e-16) && (dims < 2 || s.v[1] == -1) && (dims < 3 || s.v[2] == 0.5), "%.17g", s.x[0]);
            }
            kdr_particles_destroy(&p);
        }
    }
}

/* th^2 k = -1 has no solution, and the result is not finite. On either side of it only the condition is bad, and neighbours are not
 * affected. */
Test(methods_implicit, singular_equations_give_no_finite_number) {
    static const double product[] = {-1, -1 + 0x1p-10, -1 - 0x1p-10, -9}; /* th^2 k */
    uint64_t seed = test_seed();
    for (int n = 0; n < 4 * CHOICES; ++n) {
        choice q = choose(n / 4);
        q.masses = false;
        const field in = {"springs", {springs_each(), magnet(1, 0, 0)}, (size_t)(1 + n / 2 % 2)};
        run r = make_run(&in, n % 2, &q, 1, 0, &seed);
        for (size_t i = 0; i < 4; ++i) {
            set(&stiffness, q.real, 5 * i, product[i] / (double)(fraction[n % 2] * fraction[n % 2]));
        }
        advance(q.runner, &r.desc, &r.after, &r.start, 1);
        for (size_t i = 0; i < COUNT; ++i) {
            const state s = get_state(&r.after, i);
            r.start.step = 5;
            const double near = i == 5 || i == 10 ? 0x1p10 : 1;
            cr_expect(i == 0 ? !isfinite(s.x[0]) && !isfinite(s.v[q.dims - 1]) : off_the_map(&r, n % 2, i, 1) < 6 * near);
        }
        end_run(&r);
    }
}

/* An unsoftened centre has no solution where r^3 < 27/4 mu th^2. Those particles are counted, step by step on top of the present counts,
 * and stay finite. Frozen or inactive particles, and those that an absorbing boundary holds, are not counted. */
Test(methods_implicit, equations_without_a_solution_are_counted) {
    for (int n = 0; n < 2 * CHOICES; ++n) {
        choice q = choose(n / 2);
        const int m = n % 2;
        const double h = 0.5 / (double)fraction[m];
        const kdr_force sun = kdr_force_centre(2, 0, 0, 0, 0); /* no solution within r = 1.5 */
        kdr_integrator_desc desc = describe(methods[m], q.real, q.arithmetic, &sun, 1);
        desc.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_ABSORBING, .min = {-100, -100, -100}, .max = {100, 100, 100}};
        kdr_particles p = make_particles(COUNT, q.dims, q.real, true, false);
        uint32_t nonconverged[COUNT] = {0}, expected[COUNT] = {0};
        uint8_t active[COUNT];
        p.nonconverged = nonconverged, p.active = active, p.active_count = COUNT;
        for (size_t i = 0; i < COUNT; ++i) {
            const double x = (const double[]){1.4, 1.6, 1, 200, 1.25, 0}[i % 6];
            put_state(&p, i, &(state){{x, i % 6 == 3 ? 1 : 0, 0}, {0}});
            set(p.inverse_mass, q.real, i, i % 6 == 2 ? 0 : 1);
            active[i] = i % 6 != 4;
            nonconverged[i] = expected[i] = (uint32_t)i;
            expected[i] += i % 6 == 0 || i % 6 == 5;
        }
        kdr_clock clock = {0, h, 0};
        advance(q.runner, &desc, &p, &clock, 1);
        for (size_t i = 0; i < COUNT; ++i) {
            const state s = get_state(&p, i);
            cr_expect(nonconverged[i] == expected[i], "particle %zu: %u, expected %u", i, (unsigned)nonconverged[i], (unsigned)expected[i]);
            cr_expect(isfinite(s.x[0]) && isfinite(s.v[0]), "particle %zu", i);
        }
        kdr_particles_destroy(&p);
    }
}

/* Each substep of a composed step has an equation of its own. */
Test(methods_implicit, equations_of_substeps_are_counted) {
    const kdr_force sun = kdr_force_centre(2000, 0, 0, 0, 0);
    for (int runner = 0; runner < RUNNERS; ++runner) {
        kdr_integrator_desc desc = describe(KDR_IMPLICIT_MIDPOINT, KDR_F64, KDR_FUSED, &sun, 1);
        desc.compose = KDR_COMPOSE_SUZUKI_4;
        kdr_particles p = make_particles(1, 1, KDR_F64, false, false);
        uint32_t nonconverged = 0;
        p.nonconverged = &nonconverged;
        kdr_clock clock = {0, 1, 0};
        advance(runner, &desc, &p, &clock, 3); /* at the centre there is no force */
        cr_expect(nonconverged == 3 * (uint32_t)kdr_composition_get(KDR_COMPOSE_SUZUKI_4)->count, "%u", (unsigned)nonconverged);
        kdr_particles_destroy(&p);
    }
}

/* Frozen particles keep their bits, whatever they are. */
Test(methods_implicit, frozen_particles_keep_their_bits) {
    uint64_t seed = test_seed();
    for (int n = 0; n < 2 * 2 * CHOICES; ++n) {
        choice q = choose(n / 4);
        q.masses = true;
        run r = make_run(n % 2 ? &other_fields()[4] : &affine_fields()[6], n / 2 % 2, &q, 0.125, 0, &seed);
        static const double odd[] = {1, -0.0, INFINITY, NAN, 5e-324};
        for (size_t i = 0; i < COUNT; i += 3) {
            set(r.before.inverse_mass, q.real, i, 0);
            set(r.before.x[0], q.real, i, odd[i / 3 % 5]);
            set(r.before.v[q.dims - 1], q.real, i, odd[(i / 3 + 1) % 5]);
        }
        copy_state(&r.after, &r.before);
        advance(q.runner, &r.desc, &r.after, &r.start, 3);
        for (size_t i = 0; i < COUNT; ++i) {
            bool same = true;
            const size_t bytes = kdr_real_size(q.real);
            for (int k = 0; k < q.dims; ++k) {
                same = same && memcmp((char *)r.before.x[k] + i * bytes, (char *)r.after.x[k] + i * bytes, bytes) == 0;
                same = same && memcmp((char *)r.before.v[k] + i * bytes, (char *)r.after.v[k] + i * bytes, bytes) == 0;
            }
            cr_expect(same == (i % 3 == 0), "%zu", i);
        }
        end_run(&r);
    }
}

static const field *any_field(int i) { return i < 7 ? &affine_fields()[i] : &other_fields()[i - 7]; }

/* The midpoint rule with -h is its own inverse, in every field; that of implicit Euler is another method. 100 steps are taken where there
 * is no damping: damped motion grows on the way back, and rounding errors with it. */
Test(methods_implicit, midpoint_steps_back) {
    uint64_t seed = test_seed();
    for (int n = 0; n < 2 * 12; ++n) {
        const bool damped = n / 2 != 1 && n / 2 != 3 && n / 2 != 7 && n / 2 != 9;
        const uint64_t steps = damped ? 1 : 100;
        const double h = damped ? 0.0625 : 0.015625;
        double worst = 0;
        for (int i = 0; i < CHOICES; ++i) {
            const choice q = choose(i);
            run r = make_run(any_field(n / 2), n % 2, &q, h, steps, &seed);
            kdr_clock back = {0.75 + (double)(5 + steps) * h, -h, 0};
            advance(q.runner, &r.desc, &r.after, &back, steps);
            for (size_t k = 0; k < COUNT; ++k) {
                const wide y = widen(&r.before, k), end = widen(&r.after, k);
                worst = fmax(worst, distance(&y, &end, q.dims) / (n % 2 ? unit(q.real) : 1));
            }
            end_run(&r);
        }
        cr_expect(n % 2 ? worst < (damped ? 20 : 300) : worst > 5e-3, "%s: %g", any_field(n / 2)->name, worst);
    }
}

/* A run that is cut has the same bits, because these methods have no memory. */
Test(methods_implicit, cut_runs_give_the_same_bits) {
    uint64_t seed = test_seed();
    for (int n = 0; n < 2 * 12 * 4; ++n) {
        const field *in = any_field(n / 2 % 12);
        const choice q = choose((int)(random_bits(&seed) % CHOICES));
        run r = make_run(in, n % 2, &q, 0.0625, 0, &seed);
        kdr_clock whole = r.start, pieces = r.start;
        advance(q.runner, &r.desc, &r.after, &whole, 60);
        advance(q.runner, &r.desc, &r.before, &pieces, 1);
        advance(q.runner, &r.desc, &r.before, &pieces, 7);
        advance(q.runner, &r.desc, &r.before, &pieces, 52);
        cr_expect(same_bits(&r.after, &r.before) && pieces.step == whole.step, "%s", in->name);
        end_run(&r);
    }
}
