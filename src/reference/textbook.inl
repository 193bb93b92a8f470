/* The textbook: one plain function for each method, one particle, in the precision `real` of the file that includes this one.
 *
 * Read it to learn a method. Nothing is shared with the kernels but the folded field and the methods' names.
 * Every product that goes into a sum is written mul_add(a, b, c) = a b + c: rounded once in the fused arithmetic, twice in the unfused.
 * HLW: Hairer, Lubich, Wanner, "Geometric Numerical Integration". */
#include <string.h>

#include "../force/fused.h"
#include "../particles/layout.h"

typedef struct particle {
    const kdr_problem *problem;
    const kdr_field *field;
    const kdr_clock *clock;
    unsigned terms;
    int dims;
    bool fused;
    size_t index;
    uint64_t id;          /* what noise is keyed by */
    uint32_t hits;        /* bounces in this run */
    double dissipated[2]; /* energy that contacts took from it, and in runs before */
    real w;               /* inverse mass */
    real x[3], v[3];      /* state */
    real cx[3], cv[3];    /* its compensations, in a compensated run */
    real a[3];            /* the method's memory: velocity Verlet's acceleration kept from the last step, Stormer-Verlet's last position */
    bool keeps;           /* a[] holds one */
    real now[3];          /* Stormer-Verlet's acceleration at x, for the length of a run */
    bool evaluated;       /* now[] holds it */
    bool turns;           /* hi[] and lo[] hold the Boris rotation less 1 */
    real hi[3][3], lo[3][3];
    bool mapped; /* map holds the affine motion of the kinematic methods */
    kdr_affine_map map;
} particle;

static real mul_add(const particle *p, real a, real b, real c) {
    if (p->fused) {
        return fused_multiply_add(a, b, c);
    }
    const real product = a * b;
    return product + c;
}

/* a + b rounded, and the error of the rounding as Knuth computes it, TAOCP 4.2.2, whichever of the two is larger. */
static real exact_sum(real a, real b, real *error) {
    const real sum = a + b;
    const real taken = sum - a;
    *error = (a - (sum - taken)) + (b - taken);
    return sum;
}

/* y + h rate, a step of the state's own: in a compensated run what rounding takes from the sum goes into *c, and comes back the next time
 * (Kahan 1965, Neumaier 1974). */
static real advance(const particle *p, real h, real rate, real y, real *c) {
    if (!(p->terms & KDR_TERM_COMPENSATED)) {
        return mul_add(p, h, rate, y);
    }
    return exact_sum(y, mul_add(p, h, rate, *c), c);
}

/* Element i of an array at any address. */
static real element(const void *array, size_t i) {
    real value;
    memcpy(&value, (const char *)array + i * sizeof value, sizeof value);
    return value;
}

/* The affine part of the force that does not come from arrays: f + kx x + kv v + v cross m. */
static void affine_force(const particle *p, const real x[3], const real v[3], real force[3]) {
    const kdr_field *const field = p->field;
    for (int i = 0; i < p->dims; ++i) {
        if (p->terms & KDR_TERM_STIFFNESS) {
            force[i] = mul_add(p, (real)field->kx[i], x[i], force[i]);
        }
        if (p->terms & KDR_TERM_DAMPING) {
            force[i] = mul_add(p, (real)field->kv[i], v[i], force[i]);
        }
    }
    if (p->terms & KDR_TERM_MAGNETIC) {
        const real mx = (real)field->magnetic[0], my = (real)field->magnetic[1], mz = (real)field->magnetic[2];
        if (p->dims >= 2) {
            force[0] = mul_add(p, mz, v[1], force[0]);
        }
        if (p->dims == 3) {
            force[0] = mul_add(p, -my, v[2], force[0]);
            force[1] = mul_add(p, mx, v[2], force[1]);
        }
        if (p->dims >= 2) {
            force[1] = mul_add(p, -mz, v[0], force[1]);
        }
        if (p->dims == 3) {
            force[2] = mul_add(p, my, v[0], force[2]);
            force[2] = mul_add(p, -mx, v[1], force[2]);
        }
    }
}

/* Springs and drags whose parameters are arrays, one element a particle. */
static void array_forces(const particle *p, const real x[3], const real v[3], real force[3]) {
    for (int s = 0; s < p->field->springs; ++s) {
        const kdr_spring *const spring = &p->field->spring[s];
        for (int i = 0; i < p->dims; ++i) {
            const real k = spring->k_each ? element(spring->k_each, p->index) : (real)spring->k[i];
            const real at = spring->at_each[i] ? element(spring->at_each[i], p->index) : (real)spring->at[i];
            force[i] = mul_add(p, k, at - x[i], force[i]);
        }
    }
    for (int d = 0; d < p->field->drags; ++d) {
        const kdr_drag *const drag = &p->field->drag[d];
        for (int i = 0; i < p->dims; ++i) {
            force[i] = mul_add(p, element(drag->b_each, p->index), (real)drag->wind[i] - v[i], force[i]);
        }
    }
}

/* Which quadratic drags, or centres, count: all; of the method kinematic those that contribute by average, or with KDR_TERM_LATE the others. */
typedef struct range {
    int begin, end;
} range;

static range evaluated(const particle *p, int count, int averaged) {
    if (!kdr_problem_sums(p->problem)) {
        return (range){0, count};
    }
    return (p->terms & KDR_TERM_LATE) ? (range){averaged, count} : (range){0, averaged};
}

/* -c |v - wind| (v - wind) */
static void quadratic_drags(const particle *p, const real v[3], real force[3]) {
    const range of = evaluated(p, p->field->quadratics, p->problem->parts.averaged_quadratics);
    for (int q = of.begin; q < of.end; ++q) {
        const kdr_quadratic *const drag = &p->field->quadratic[q];
        real u[3];
        for (int i = 0; i < p->dims; ++i) {
            u[i] = v[i] - (real)drag->wind[i];
        }
        real square = u[0] * u[0];
        for (int i = 1; i < p->dims; ++i) {
            square = mul_add(p, u[i], u[i], square);
        }
        const real factor = (real)drag->minus_c * square_root(square);
        for (int i = 0; i < p->dims; ++i) {
            force[i] = mul_add(p, factor, u[i], force[i]);
        }
    }
}

/* -mu r / (r^2 + eps^2)^(3/2) */
static void centres(const particle *p, const real x[3], real a[3]) {
    const range of = evaluated(p, p->field->centres, p->problem->parts.averaged_centres);
    for (int c = of.begin; c < of.end; ++c) {
        const kdr_centre *const centre = &p->field->centre[c];
        real r[3];
        real square = (real)centre->softening2;
        for (int i = 0; i < p->dims; ++i) {
            r[i] = x[i] - (real)centre->at[i];
            square = mul_add(p, r[i], r[i], square);
        }
        const real factor = (real)centre->minus_mu / (square * square_root(square));
        for (int i = 0; i < p->dims; ++i) {
            a[i] = mul_add(p, factor, r[i], a[i]);
        }
    }
}

/* The parameters of an entry of the caller's own field. */
static void fused_parameters(const particle *p, const kdr_fused_entry *entry, real parameter[KDR_MAX_PARAMETERS]) {
    for (int k = 0; k < p->field->fused->parameter_count; ++k) {
        const bool is_one = entry->each[k] < 0;
        parameter[k] = is_one ? (real)entry->parameter[k] : element(p->field->fused_array[entry->each[k]].each, p->index);
    }
}

static kdr_real own_real(void) { return sizeof(real) == sizeof(float) ? KDR_F32 : KDR_F64; }

/* That field, as `flags` say a force or an acceleration: each entry's function. */
static void fused_fields(const particle *p, const real x[3], const real v[3], double t, bool acceleration, real a[3]) {
    const kdr_fused *const fused = p->field->fused;
    if (!fused || ((fused->flags & KDR_FUSED_ACCELERATION) != 0) != acceleration || (p->terms & KDR_TERM_LATE)) {
        return;
    }
    for (int e = 0; e < p->field->fused_entries; ++e) {
        real parameter[KDR_MAX_PARAMETERS];
        fused_parameters(p, &p->field->fused_entry[e], parameter);
        fused->reference[own_real()][p->fused ? KDR_FUSED : KDR_UNFUSED](p->dims, parameter, t, (double)p->w, x, v, a);
    }
}

/* a(x, v, t) at `fraction` of step n, in the order that force/field.h sets; with KDR_TERM_APART without the affine terms. */
static void acceleration(const particle *p, const real x[3], const real v[3], uint64_t n, double fraction, real a[3]) {
    const double t = kdr_clock_time(p->clock, n, fraction);
    double base[3];
    kdr_field_base(p->field, p->terms, t, base);
    const bool masses = (p->terms & KDR_TERM_MASS) != 0, apart = (p->terms & KDR_TERM_APART) != 0;
    for (int i = 0; i < p->dims; ++i) {
        a[i] = !masses ? (real)base[i] : apart ? 0 : (real)p->field->f[i];
    }
    if (!apart) {
        affine_force(p, x, v, a);
        array_forces(p, x, v, a);
    }
    quadratic_drags(p, v, a);
    fused_fields(p, x, v, t, false, a);
    if (masses) {
        for (int i = 0; i < p->dims; ++i) {
            a[i] = mul_add(p, p->w, a[i], (real)base[i]);
        }
    }
    centres(p, x, a);
    fused_fields(p, x, v, t, true, a);
}

/* Explicit Euler, HLW I.1: x_{n+1} = x_n + h v_n, v_{n+1} = v_n + h a(x_n, v_n, t_n). */
static void explicit_euler(particle *p, uint64_t n) {
    const real h = (real)p->clock->dt;
    real a[3];
    acceleration(p, p->x, p->v, n, 0.0, a);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, h, p->v[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, h, a[i], p->v[i], &p->cv[i]);
    }
}

/* v += h a */
static void kick(particle *p, real h, const real a[3]) {
    for (int i = 0; i < p->dims; ++i) {
        p->v[i] = advance(p, h, a[i], p->v[i], &p->cv[i]);
    }
}

/* x += h v */
static void drift(particle *p, real h) {
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, h, p->v[i], p->x[i], &p->cx[i]);
    }
}

/* Semi-implicit (symplectic) Euler, HLW I.1: v_{n+1} = v_n + h a(x_n, v_n, t_n), x_{n+1} = x_n + h v_{n+1}. */
static void semi_implicit_euler(particle *p, uint64_t n) {
    const real h = (real)p->clock->dt;
    real a[3];
    acceleration(p, p->x, p->v, n, 0.0, a);
    kick(p, h, a);
    drift(p, h);
}

/* Its adjoint, HLW I.1: x_{n+1} = x_n + h v_n, v_{n+1} = v_n + h a(x_{n+1}, v_n, t_{n+1}). */
static void drift_kick_euler(particle *p, uint64_t n) {
    const real h = (real)p->clock->dt;
    real a[3];
    drift(p, h);
    acceleration(p, p->x, p->v, n, 1.0, a);
    kick(p, h, a);
}

/* Velocity Verlet, kick-drift-kick, HLW I.1: v' = v_n + h/2 a_n, x_{n+1} = x_n + h v', a_{n+1} = a(x_{n+1}, v', t_{n+1}),
 * v_{n+1} = v' + h/2 a_{n+1}; a_{n+1} serves the next step. */
static void velocity_verlet(particle *p, uint64_t n) {
    const real h = (real)p->clock->dt;
    const real half = (real)(p->clock->dt * 0.5);
    if (!p->keeps) {
        acceleration(p, p->x, p->v, n, 0.0, p->a);
        p->keeps = true;
    }
    kick(p, half, p->a);
    drift(p, h);
    acceleration(p, p->x, p->v, n, 1.0, p->a);
    kick(p, half, p->a);
}

/* Velocity Verlet whose force sees the velocity that the last acceleration predicts (VDrift): a_{n+1} = a(x_{n+1}, v' + h/2 a_n, t_{n+1}). */
static void velocity_verlet_pc(particle *p, uint64_t n) {
    const real h = (real)p->clock->dt;
    const real half = (real)(p->clock->dt * 0.5);
    real predicted[3];
    if (!p->keeps) {
        acceleration(p, p->x, p->v, n, 0.0, p->a);
        p->keeps = true;
    }
    kick(p, half, p->a);
    drift(p, h);
    for (int i = 0; i < p->dims; ++i) {
        predicted[i] = mul_add(p, half, p->a[i], p->v[i]);
    }
    acceleration(p, p->x, predicted, n, 1.0, p->a);
    kick(p, half, p->a);
}

/* Position Verlet, drift-kick-drift (Tuckerman, Berne, Martyna 1992): x' = x_n + h/2 v_n, v_{n+1} = v_n + h a(x', v_n, t_n + h/2),
 * x_{n+1} = x' + h/2 v_{n+1}. */
static void position_verlet(particle *p, uint64_t n) {
    const real h = (real)p->clock->dt;
    const real half = (real)(p->clock->dt * 0.5);
    real a[3];
    drift(p, half);
    acceleration(p, p->x, p->v, n, 0.5, a);
    kick(p, h, a);
    drift(p, half);
}

/* Ruth 1983, order 3: kicks of 7/24, 3/4, -1/24 and drifts of 2/3, -2/3, 1 in turn. */
static void ruth3(particle *p, uint64_t n) {
    const double h = p->clock->dt;
    real a[3];
    acceleration(p, p->x, p->v, n, 0.0, a);
    kick(p, (real)(h * (7.0 / 24.0)), a);
    drift(p, (real)(h * (2.0 / 3.0)));
    acceleration(p, p->x, p->v, n, 2.0 / 3.0, a);
    kick(p, (real)(h * 0.75), a);
    drift(p, (real)(h * (-2.0 / 3.0)));
    acceleration(p, p->x, p->v, n, 0.0, a);
    kick(p, (real)(h * (-1.0 / 24.0)), a);
    drift(p, (real)h);
}

/* Stormer-Verlet, HLW I.1: x_{n+1} = 2 x_n - x_{n-1} + h^2 a_n, summed as x_n + ((x_n - x_{n-1}) + h^2 a_n): the difference is exact where
 * x does not change by more than its half. Without x_{n-1} the first step takes x_{-1} = x_0 - h v_0 + h^2/2 a_0. The velocity takes no
 * part: v_{n+1} = (x_{n+2} - x_n) / 2h, with an x_{n+2} that is not kept, nor rounded to a position. */
static void stormer_verlet(particle *p, uint64_t n) {
    const double h = p->clock->dt;
    const real square = (real)(h * h), half_square = (real)(h * h * 0.5), minus_h = (real)-h, twice = (real)(2.0 * h);
    if (!p->evaluated) {
        acceleration(p, p->x, p->v, n, 0.0, p->now);
        p->evaluated = true;
    }
    for (int i = 0; i < p->dims; ++i) {
        const real x = p->x[i];
        const real before = p->keeps ? p->a[i] : x + mul_add(p, half_square, p->now[i], minus_h * p->v[i]);
        p->x[i] = x + mul_add(p, square, p->now[i], x - before);
        p->a[i] = x;
    }
    p->keeps = true;
    acceleration(p, p->x, p->v, n, 1.0, p->now);
    for (int i = 0; i < p->dims; ++i) {
        const real last = p->x[i] - p->a[i];
        p->v[i] = (last + mul_add(p, square, p->now[i], last)) / twice;
    }
}

/* y + h k, an axis at a time: a Runge-Kutta stage. */
static void stage(const particle *p, real h, const real k[3], const real y[3], real out[3]) {
    for (int i = 0; i < p->dims; ++i) {
        out[i] = mul_add(p, h, k[i], y[i]);
    }
}

/* The midpoint rule, Runge 1895: a full step with the slope at h/2. */
static void midpoint(particle *p, uint64_t n) {
    const real h = (real)p->clock->dt;
    const real half = (real)(p->clock->dt * 0.5);
    real a1[3], a2[3], x2[3], v2[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, half, p->v, p->x, x2);
    stage(p, half, a1, p->v, v2);
    acceleration(p, x2, v2, n, 0.5, a2);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, h, v2[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, h, a2[i], p->v[i], &p->cv[i]);
    }
}

/* Heun 1900, the trapezoidal rule with explicit Euler's prediction: y += h/2 (k1 + k2), k2 at y + h k1. */
static void heun(particle *p, uint64_t n) {
    const real h = (real)p->clock->dt;
    const real half = (real)(p->clock->dt * 0.5);
    real a1[3], a2[3], x2[3], v2[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, h, p->v, p->x, x2);
    stage(p, h, a1, p->v, v2);
    acceleration(p, x2, v2, n, 1.0, a2);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, half, p->v[i] + v2[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, half, a1[i] + a2[i], p->v[i], &p->cv[i]);
    }
}

/* Ralston 1962: y += h/4 (k1 + 3 k2), k2 at y + 2h/3 k1. */
static void ralston(particle *p, uint64_t n) {
    const real two_thirds = (real)(p->clock->dt * (2.0 / 3.0));
    const real quarter = (real)(p->clock->dt * 0.25);
    real a1[3], a2[3], x2[3], v2[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, two_thirds, p->v, p->x, x2);
    stage(p, two_thirds, a1, p->v, v2);
    acceleration(p, x2, v2, n, 2.0 / 3.0, a2);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, quarter, mul_add(p, (real)3.0, v2[i], p->v[i]), p->x[i], &p->cx[i]);
        p->v[i] = advance(p, quarter, mul_add(p, (real)3.0, a2[i], a1[i]), p->v[i], &p->cv[i]);
    }
}

/* Kutta 1901, order 3: y += h/6 (k1 + 4 k2 + k3), k2 at y + h/2 k1, k3 at y - h k1 + 2h k2. */
static void rk3(particle *p, uint64_t n) {
    const real h = (real)p->clock->dt;
    const real half = (real)(p->clock->dt * 0.5), twice = (real)(p->clock->dt * 2.0);
    const real sixth = (real)(p->clock->dt * (1.0 / 6.0));
    real a1[3], a2[3], a3[3], x2[3], v2[3], x3[3], v3[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, half, p->v, p->x, x2);
    stage(p, half, a1, p->v, v2);
    acceleration(p, x2, v2, n, 0.5, a2);
    stage(p, -h, p->v, p->x, x3);
    stage(p, twice, v2, x3, x3);
    stage(p, -h, a1, p->v, v3);
    stage(p, twice, a2, v3, v3);
    acceleration(p, x3, v3, n, 1.0, a3);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, sixth, mul_add(p, (real)4.0, v2[i], p->v[i]) + v3[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, sixth, mul_add(p, (real)4.0, a2[i], a1[i]) + a3[i], p->v[i], &p->cv[i]);
    }
}

/* y += h ((k1 + r (k2 + k3)) + k4) */
static void four_slopes(const particle *p, real h, real r, const real k1[3], const real k2[3], const real k3[3], const real k4[3],
                        real y[3], real c[3]) {
    for (int i = 0; i < p->dims; ++i) {
        const real inner = k2[i] + k3[i];
        y[i] = advance(p, h, mul_add(p, r, inner, k1[i]) + k4[i], y[i], &c[i]);
    }
}

/* The classical Runge-Kutta method, HLW II.1, for the system x' = v, v' = a(x, v, t): of the slopes k, those of x are the stages' v. */
static void rk4(particle *p, uint64_t n) {
    const real h = (real)p->clock->dt;
    const real half = (real)(p->clock->dt * 0.5), sixth = (real)(p->clock->dt * (1.0 / 6.0));
    real a1[3], a2[3], a3[3], a4[3], x2[3], v2[3], x3[3], v3[3], x4[3], v4[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, half, p->v, p->x, x2);
    stage(p, half, a1, p->v, v2);
    acceleration(p, x2, v2, n, 0.5, a2);
    stage(p, half, v2, p->x, x3);
    stage(p, half, a2, p->v, v3);
    acceleration(p, x3, v3, n, 0.5, a3);
    stage(p, h, v3, p->x, x4);
    stage(p, h, a3, p->v, v4);
    acceleration(p, x4, v4, n, 1.0, a4);
    four_slopes(p, sixth, (real)2.0, p->v, v2, v3, v4, p->x, p->cx);
    four_slopes(p, sixth, (real)2.0, a1, a2, a3, a4, p->v, p->cv);
}

/* The 3/8 rule, Kutta 1901, HLW II.1: y += h/8 (k1 + 3 k2 + 3 k3 + k4), k2 at y + h/3 k1, k3 at y - h/3 k1 + h k2, k4 at
 * y + h k1 - h k2 + h k3. */
static void rk4_38(particle *p, uint64_t n) {
    const real h = (real)p->clock->dt;
    const real third = (real)(p->clock->dt * (1.0 / 3.0)), eighth = (real)(p->clock->dt * 0.125);
    real a1[3], a2[3], a3[3], a4[3], x2[3], v2[3], x3[3], v3[3], x4[3], v4[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, third, p->v, p->x, x2);
    stage(p, third, a1, p->v, v2);
    acceleration(p, x2, v2, n, 1.0 / 3.0, a2);
    stage(p, -third, p->v, p->x, x3);
    stage(p, h, v2, x3, x3);
    stage(p, -third, a1, p->v, v3);
    stage(p, h, a2, v3, v3);
    acceleration(p, x3, v3, n, 2.0 / 3.0, a3);
    stage(p, h, p->v, p->x, x4);
    stage(p, -h, v2, x4, x4);
    stage(p, h, v3, x4, x4);
    stage(p, h, a1, p->v, v4);
    stage(p, -h, a2, v4, v4);
    stage(p, h, a3, v4, v4);
    acceleration(p, x4, v4, n, 1.0, a4);
    four_slopes(p, eighth, (real)3.0, p->v, v2, v3, v4, p->x, p->cx);
    four_slopes(p, eighth, (real)3.0, a1, a2, a3, a4, p->v, p->cv);
}

/* Any splitting method: kick, drift, kick, drift ... by the fractions of its row, HLW II.5. An acceleration that ends a step and has the
 * x, v and t of the next step's first kick serves it too. */
static void splitting(particle *p, uint64_t n) {
    const kdr_splitting_row *const row = p->problem->row->data.splitting;
    const bool keeps = row->kick[0] != 0.0 && row->drift[row->stages - 1] == 0.0;
    double drifted = 0.0;
    for (int k = 0; k < row->stages; ++k) {
        const bool last = k == row->stages - 1;
        if (row->kick[k] != 0.0) {
            if (!p->keeps) {
                acceleration(p, p->x, p->v, n, keeps && last ? 1.0 : drifted, p->a);
            }
            p->keeps = keeps && last;
            kick(p, (real)(p->clock->dt * row->kick[k]), p->a);
        }
        if (row->drift[k] != 0.0) {
            drift(p, (real)(p->clock->dt * row->drift[k]));
        }
        drifted += row->drift[k];
    }
}

/* y + h (a_i1 k_1 + a_i2 k_2 + ...), the state of a stage, term by term. */
static void stage_state(const particle *p, const double *a, int i, real k[][3], const real y[3], real out[3]) {
    for (int axis = 0; axis < p->dims; ++axis) {
        out[axis] = y[axis];
        for (int j = 0; j < i; ++j) {
            if (a[j] != 0.0) {
                out[axis] = mul_add(p, (real)(p->clock->dt * a[j]), k[j][axis], out[axis]);
            }
        }
    }
}

/* y += h scale (r_1 k_1 + r_2 k_2 + ...), where neighbours of equal ratio are added up first. */
static void weighted_sum(const particle *p, const kdr_runge_kutta_row *row, real k[][3], real y[3], real c[3]) {
    for (int axis = 0; axis < p->dims; ++axis) {
        bool begun = false;
        real sum = 0;
        for (int i = 0; i < row->stages; ++i) {
            const double ratio = row->ratio[i];
            if (ratio != 0.0) {
                real slopes = k[i][axis];
                while (i + 1 < row->stages && row->ratio[i + 1] == ratio) {
                    slopes = slopes + k[++i][axis];
                }
                sum = begun ? mul_add(p, (real)ratio, slopes, sum) : (real)ratio * slopes;
                begun = true;
            }
        }
        y[axis] = advance(p, (real)(p->clock->dt * row->scale), sum, y[axis], &c[axis]);
    }
}

/* Any explicit Runge-Kutta method, HLW II.1, by its tableau, for the system x' = v, v' = a(x, v, t). */
static void runge_kutta(particle *p, uint64_t n) {
    const kdr_runge_kutta_row *const row = p->problem->row->data.runge_kutta;
    real xs[3], kx[KDR_MAX_STAGES][3], kv[KDR_MAX_STAGES][3];
    for (int i = 0; i < row->stages; ++i) {
        stage_state(p, row->a[i], i, kx, p->x, xs);
        stage_state(p, row->a[i], i, kv, p->v, kx[i]); /* of x, the slope is the stage's v */
        acceleration(p, xs, kx[i], n, row->c[i], kv[i]);
    }
    weighted_sum(p, row, kx, p->x, p->cx);
    weighted_sum(p, row, kv, p->v, p->cv);
}

/* x += h w and v += h a, a step of the state's own. */
static void drift_and_kick(particle *p, const real w[3], real h_kick, const real a[3]) {
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, (real)p->clock->dt, w[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, h_kick, a[i], p->v[i], &p->cv[i]);
    }
}

/* Exact for constant a: x_{n+1} = x_n + h (v_n + h/2 a_n), v_{n+1} = v_n + h a_n, with a_n = a(x_n, v_n, t_n). */
static void suvat(particle *p, uint64_t n) {
    real a[3], w[3];
    acceleration(p, p->x, p->v, n, 0.0, a);
    stage(p, (real)(p->clock->dt * 0.5), a, p->v, w);
    drift_and_kick(p, w, (real)p->clock->dt, a);
}

/* Nystrom 1925, order 4, for x'' = a(x, t): k2 at x + h/2 (v + h/4 k1), k3 at x + h (v + h/2 k2), x += h (v + h/6 k1 + h/3 k2),
 * v += h/6 (k1 + 4 k2 + k3) (Hairer, Norsett, Wanner II.14). */
static void nystrom_4(particle *p, uint64_t n) {
    const double h = p->clock->dt;
    real k1[3], k2[3], k3[3], x2[3], x3[3], w[3], sum[3];
    acceleration(p, p->x, p->v, n, 0.0, k1);
    stage(p, (real)(h * 0.25), k1, p->v, w);
    stage(p, (real)(h * 0.5), w, p->x, x2);
    acceleration(p, x2, p->v, n, 0.5, k2);
    stage(p, (real)(h * 0.5), k2, p->v, w);
    stage(p, (real)h, w, p->x, x3);
    acceleration(p, x3, p->v, n, 1.0, k3);
    stage(p, (real)(h * (1.0 / 6.0)), k1, p->v, w);
    stage(p, (real)(h * (1.0 / 3.0)), k2, w, w);
    stage(p, (real)4.0, k2, k1, sum);
    stage(p, (real)1.0, k3, sum, sum);
    drift_and_kick(p, w, (real)(h * (1.0 / 6.0)), sum);
}

/* v + h (a_1 k_1 + a_2 k_2 + ...) / c: the mean velocity on the way to the time t_n + c h. */
static void mean_velocity(const particle *p, const double *a, double c, int terms, real k[][3], real w[3]) {
    memcpy(w, p->v, sizeof p->v);
    for (int j = 0; j < terms; ++j) {
        if (a[j] != 0.0) {
            stage(p, (real)(p->clock->dt * a[j] / c), k[j], w, w);
        }
    }
}

/* Any Nystrom method, for x'' = a(x, t), by its row: the order of operations is given in method/rows.h. */
static void nystrom(particle *p, uint64_t n) {
    const kdr_nystrom_row *const row = p->problem->row->data.nystrom;
    real k[KDR_NYSTROM_STAGES][3], xs[3], w[3], sum[3];
    acceleration(p, p->x, p->v, n, 0.0, k[0]);
    memcpy(sum, k[0], sizeof sum);
    for (int i = 1; i < row->stages; ++i) {
        mean_velocity(p, row->a[i], row->c[i], i, k, w);
        stage(p, (real)(p->clock->dt * row->c[i]), w, p->x, xs);
        acceleration(p, xs, p->v, n, row->c[i], k[i]);
        if (row->ratio[i] != 0.0) {
            stage(p, (real)row->ratio[i], k[i], sum, sum);
        }
    }
    mean_velocity(p, kdr_nystrom_weights(row), 1.0, row->stages, k, w);
    drift_and_kick(p, w, (real)(p->clock->dt * row->scale), sum);
}

/* The upper half of the digits of a (Veltkamp 1968). */
static real upper_half(real a) {
    const real c = (real)SPLITTER * a;
    return c - (c - a);
}

/* a b rounded, and the error of the rounding: by halves of the factors, whose products are exact (Dekker, Numer. Math. 18 (1971) 224). */
static real exact_product(const particle *p, real a, real b, real *error) {
    const real product = a * b;
    if (p->fused) {
        *error = fused_multiply_add(a, b, 0 - product);
        return product;
    }
    const real ah = upper_half(a), al = a - ah, bh = upper_half(b), bl = b - bh;
    *error = ((ah * bh - product) + ah * bl + al * bh) + al * bl;
    return product;
}

/* Element (i, j) of the Boris rotation less 1: kappa (x + x') to twice the precision, the upper half of the digits and the rest. */
static void rotation_element(particle *p, const real kappa[2], real x, real x_rest, int i, int j) {
    real error;
    const real product = exact_product(p, kappa[0], x, &error);
    const real rest = error + (kappa[0] * x_rest + kappa[1] * x);
    p->hi[i][j] = upper_half(product);
    p->lo[i][j] = (product - p->hi[i][j]) + rest;
}

/* kappa = 2 / (1 + t.t) to twice the precision, from the squares of t and their errors. */
static void rotation_kappa(const particle *p, const real square[3], const real error[3], real kappa[2]) {
    real a_rest, b_rest, c_rest, back_rest;
    const real a = exact_sum(1, square[0], &a_rest), b = exact_sum(a, square[1], &b_rest), c = exact_sum(b, square[2], &c_rest);
    const real rest = ((a_rest + b_rest) + c_rest) + ((error[0] + error[1]) + error[2]);
    kappa[0] = 2 / c;
    const real back = exact_product(p, kappa[0], c, &back_rest);
    kappa[1] = (((2 - back) - back_rest) - kappa[0] * rest) / c;
}

/* The rotation of Boris' method less 1: v + kappa (v + v cross t) cross t = v + kappa (T + T T) v, T v = v cross t. */
static void rotation(particle *p) {
    real t[3], square[3], error[3], kappa[2];
    for (int i = 0; i < 3; ++i) {
        const bool acts = p->dims == 3 || i == 2; /* in a plane, the field across it alone */
        const real unit = acts ? (real)(p->clock->dt * 0.5 * p->field->magnetic[i]) : 0;
        t[i] = (p->terms & KDR_TERM_MASS) ? p->w * unit : unit;
        square[i] = exact_product(p, t[i], t[i], &error[i]);
    }
    rotation_kappa(p, square, error, kappa);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        real sum_rest, product_rest, above_rest, below_rest;
        const real sum = exact_sum(square[j], square[k], &sum_rest);
        rotation_element(p, kappa, 0 - sum, 0 - (sum_rest + (error[j] + error[k])), i, i);
        const real product = exact_product(p, t[i], t[j], &product_rest);
        const real above = exact_sum(product, t[k], &above_rest), below = exact_sum(product, 0 - t[k], &below_rest);
        rotation_element(p, kappa, above, above_rest + product_rest, i, j);
        rotation_element(p, kappa, below, below_rest + product_rest, j, i);
    }
    p->turns = true;
}

/* v += (R - 1) v, the lower halves of the elements first. */
static void turn(particle *p) {
    if (!p->turns) {
        rotation(p);
    }
    const bool compensated = (p->terms & KDR_TERM_COMPENSATED) != 0;
    const real v[3] = {p->v[0], p->v[1], p->v[2]};
    for (int i = 0; i < p->dims; ++i) {
        real change = compensated ? mul_add(p, p->lo[i][0], v[0], p->cv[i]) : p->lo[i][0] * v[0];
        for (int j = 1; j < p->dims; ++j) {
            change = mul_add(p, p->lo[i][j], v[j], change);
        }
        for (int j = 0; j < p->dims; ++j) {
            change = mul_add(p, p->hi[i][j], v[j], change);
        }
        p->v[i] = compensated ? exact_sum(v[i], change, &p->cv[i]) : v[i] + change;
    }
}

/* Boris 1970; Birdsall, Langdon, "Plasma Physics via Computer Simulation" (1985), 4-3 and 4-4: x' = x_n + h/2 v_n, v' = v_n + h/2 a(x'),
 * v'' = v' turned by 2 atan(h |m| / 2) about m, v_{n+1} = v'' + h/2 a(x'), x_{n+1} = x' + h/2 v_{n+1}; m = charge times b over mass, a the
 * acceleration of all but the magnetic force. */
static void boris(particle *p, uint64_t n) {
    const real half = (real)(p->clock->dt * 0.5);
    particle unmagnetic = *p;
    unmagnetic.terms &= ~(unsigned)KDR_TERM_MAGNETIC;
    real a[3];
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, half, p->v[i], p->x[i], &p->cx[i]);
    }
    acceleration(&unmagnetic, p->x, p->v, n, 0.5, a);
    for (int i = 0; i < p->dims; ++i) {
        p->v[i] = advance(p, half, a[i], p->v[i], &p->cv[i]);
    }
    if (p->dims > 1 && (p->terms & KDR_TERM_MAGNETIC)) {
        turn(p);
    }
    for (int i = 0; i < p->dims; ++i) {
        p->v[i] = advance(p, half, a[i], p->v[i], &p->cv[i]);
        p->x[i] = advance(p, half, p->v[i], p->x[i], &p->cx[i]);
    }
}

#include "noise.inl"

/* O: Ornstein-Uhlenbeck, exact: v -> c v + sqrt((1 - c^2) k_B T / mass) xi, c = exp(-friction h), as v += (c - 1) v + ... */
static void heat_bath(particle *p, uint64_t n) {
    const kdr_bath bath = kdr_problem_bath(p->problem, p->clock->dt);
    const real decay = (real)bath.decay, noise = (real)bath.noise;
    if (decay == 0 || noise == 0) {
        for (int i = 0; i < p->dims && decay != 0; ++i) {
            p->v[i] = advance(p, decay, p->v[i], p->v[i], &p->cv[i]);
        }
        return;
    }
    real xi[4];
    normals(p, n, xi);
    const real sigma = (p->terms & KDR_TERM_MASS) ? square_root(p->w) * noise : noise;
    for (int i = 0; i < p->dims; ++i) {
        const bool compensated = (p->terms & KDR_TERM_COMPENSATED) != 0;
        const real push = compensated ? mul_add(p, sigma, xi[i], p->cv[i]) : sigma * xi[i];
        const real change = mul_add(p, decay, p->v[i], push);
        p->v[i] = compensated ? exact_sum(p->v[i], change, &p->cv[i]) : p->v[i] + change;
    }
}

/* BAOAB (Leimkuhler, Matthews, "Molecular Dynamics" (2015), 7.3): half a kick, half a drift, the heat bath, half a drift, half a kick with
 * the acceleration that the next step begins with. */
static void baoab(particle *p, uint64_t n) {
    const real half = (real)(p->clock->dt * 0.5);
    if (!p->keeps) {
        acceleration(p, p->x, p->v, n, 0.0, p->a);
        p->keeps = true;
    }
    for (int i = 0; i < p->dims; ++i) {
        p->v[i] = advance(p, half, p->a[i], p->v[i], &p->cv[i]);
        p->x[i] = advance(p, half, p->v[i], p->x[i], &p->cx[i]);
    }
    heat_bath(p, n);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, half, p->v[i], p->x[i], &p->cx[i]);
    }
    acceleration(p, p->x, p->v, n, 1.0, p->a);
    for (int i = 0; i < p->dims; ++i) {
        p->v[i] = advance(p, half, p->a[i], p->v[i], &p->cv[i]);
    }
}

/* The springs' and linear drags' part of da/dv + th da/dx, which is diagonal. */
static void affine_slope(const particle *p, real th, real s[3][3]) {
    const kdr_field *const field = p->field;
    for (int i = 0; i < p->dims; ++i) {
        s[i][i] = mul_add(p, th, (real)field->kx[i], (real)field->kv[i]);
        for (int k = 0; k < field->springs; ++k) {
            const kdr_spring *const spring = &field->spring[k];
            s[i][i] = mul_add(p, -th, spring->k_each ? element(spring->k_each, p->index) : (real)spring->k[i], s[i][i]);
        }
        for (int k = 0; k < field->drags; ++k) {
            s[i][i] -= element(field->drag[k].b_each, p->index);
        }
    }
}

/* s += e y y^T, the upper half. */
static void add_dyad(const particle *p, real e, const real y[3], real s[3][3]) {
    for (int i = 0; i < p->dims; ++i) {
        for (int j = i; j < p->dims; ++j) {
            s[i][j] = mul_add(p, e * y[i], y[j], s[i][j]);
        }
    }
}

/* d/dv of -c |u| u, u = v - wind, is -c (|u| + u u^T / |u|). */
static void quadratic_slopes(const particle *p, const real v[3], real s[3][3]) {
    for (int q = 0; q < p->field->quadratics; ++q) {
        const kdr_quadratic *const drag = &p->field->quadratic[q];
        real u[3] = {0};
        for (int i = 0; i < p->dims; ++i) {
            u[i] = v[i] - (real)drag->wind[i];
        }
        real square = u[0] * u[0];
        for (int i = 1; i < p->dims; ++i) {
            square = mul_add(p, u[i], u[i], square);
        }
        const real size = square_root(square);
        for (int i = 0; i < p->dims; ++i) {
            s[i][i] += (real)drag->minus_c * size;
        }
        add_dyad(p, size == (real)0.0 ? (real)0.0 : (real)drag->minus_c / size, u, s);
    }
}

/* d/dx of -mu r / q^(3/2), q = r^2 + eps^2, is -mu / q^(3/2) + 3 mu r r^T / q^(5/2). */
static void centre_slopes(const particle *p, real th, const real x[3], real s[3][3]) {
    for (int c = 0; c < p->field->centres; ++c) {
        const kdr_centre *const centre = &p->field->centre[c];
        real r[3];
        real square = (real)centre->softening2;
        for (int i = 0; i < p->dims; ++i) {
            r[i] = x[i] - (real)centre->at[i];
            square = mul_add(p, r[i], r[i], square);
        }
        const real factor = (real)centre->minus_mu / (square * square_root(square));
        for (int i = 0; i < p->dims; ++i) {
            s[i][i] = mul_add(p, th, factor, s[i][i]);
        }
        add_dyad(p, (real)-3.0 * th * factor / square, r, s);
    }
}

/* G = da/dv + th da/dx, in the order that method/rows_implicit.h sets: what is symmetric, then the magnetic part, which is skew. */
static void slope(const particle *p, real th, const real x[3], const real v[3], real g[3][3]) {
    memset(g, 0, 3 * sizeof g[0]);
    affine_slope(p, th, g);
    quadratic_slopes(p, v, g);
    real m[3] = {(real)p->field->magnetic[0], (real)p->field->magnetic[1], (real)p->field->magnetic[2]};
    if (p->terms & KDR_TERM_MASS) {
        for (int i = 0; i < 3; ++i) {
            for (int j = i; j < 3; ++j) {
                g[i][j] *= p->w;
            }
            m[i] *= p->w;
        }
    }
    centre_slopes(p, th, x, g);
    for (int i = 0; i < 3; ++i) {
        for (int j = i + 1; j < 3; ++j) {
            const bool forward = j == i + 1; /* v x m: +m_z in row 0, column 1; -m_y in row 0, column 2; +m_x in row 1, column 2 */
            const real skew = forward ? m[3 - i - j] : -m[3 - i - j];
            const bool magnetic = (p->terms & KDR_TERM_MAGNETIC) != 0;
            g[j][i] = magnetic ? g[i][j] - skew : g[i][j];
            g[i][j] = magnetic ? g[i][j] + skew : g[i][j];
        }
    }
}

/* Adds those of the caller's own field: of a force, or of an acceleration. */
static void fused_slopes(const particle *p, real th, const real x[3], const real v[3], double t, real g[3][3]) {
    const kdr_fused *const fused = p->field->fused;
    real s[3][3] = {{0}};
    for (int e = 0; fused && e < p->field->fused_entries; ++e) {
        real parameter[KDR_MAX_PARAMETERS];
        fused_parameters(p, &p->field->fused_entry[e], parameter);
        fused->slopes[own_real()][p->fused ? KDR_FUSED : KDR_UNFUSED](p->dims, parameter, t, (double)p->w, (double)th, x, v, s);
    }
    const bool masses = (p->terms & KDR_TERM_MASS) && fused && !(fused->flags & KDR_FUSED_ACCELERATION);
    for (int i = 0; i < p->dims && fused; ++i) {
        for (int j = 0; j < p->dims; ++j) {
            g[i][j] = masses ? mul_add(p, p->w, s[i][j], g[i][j]) : g[i][j] + s[i][j];
        }
    }
}

/* J = 1 - th G by its cofactors: the inverse is C / det, and det is what it returns. */
static real cofactors(const particle *p, real th, real g[3][3], real c[3][3]) {
    real d[3], b[3][3]; /* J's diagonal, and minus what stands beside it */
    for (int i = 0; i < p->dims; ++i) {
        d[i] = mul_add(p, -th, g[i][i], (real)1.0);
        for (int j = 0; j < p->dims; ++j) {
            b[i][j] = th * g[i][j];
        }
    }
    if (p->dims == 1) {
        c[0][0] = (real)1.0;
        return d[0];
    }
    if (p->dims == 2) {
        c[0][0] = d[1];
        c[0][1] = b[0][1];
        c[1][0] = b[1][0];
        c[1][1] = d[0];
        return mul_add(p, d[0], d[1], -b[0][1] * b[1][0]);
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i][i] = mul_add(p, d[j], d[k], -b[j][k] * b[k][j]);
        c[i][j] = mul_add(p, b[i][j], d[k], b[i][k] * b[k][j]);
        c[i][k] = mul_add(p, b[i][k], d[j], b[i][j] * b[j][k]);
    }
    return mul_add(p, d[0], c[0][0], mul_add(p, -b[0][1], c[1][0], -b[0][2] * c[2][0]));
}

/* J^-1 r in an affine field, where J is constant. */
static void affine_solve(const particle *p, real th, const real r[3], real out[3]) {
    real g[3][3], cofactor[3][3];
    slope(p, th, p->x, p->v, g);
    if (!(p->terms & KDR_TERMS_COUPLED)) {
        for (int i = 0; i < p->dims; ++i) {
            out[i] = (real)1.0 / mul_add(p, -th, g[i][i], (real)1.0) * r[i];
        }
        return;
    }
    const real det = cofactors(p, th, g, cofactor);
    for (int i = 0; i < p->dims; ++i) {
        out[i] = cofactor[i][0] / det * r[0];
        for (int j = 1; j < p->dims; ++j) {
            out[i] = mul_add(p, cofactor[i][j] / det, r[j], out[i]);
        }
    }
}

/* The first of Newton's iterations, from V = v_n, arrives; a second one finds what its roundings have left. */
static void affine_stage(const particle *p, uint64_t n, double c, real a[3], real v[3], real left[3]) {
    const real th = (real)(p->clock->dt * c);
    real x[3], r[3];
    stage(p, th, p->v, p->x, x);
    acceleration(p, x, p->v, n, c, r);
    affine_solve(p, th, r, a);
    stage(p, th, a, p->v, v);
    stage(p, th, v, p->x, x);
    acceleration(p, x, v, n, c, r);
    for (int i = 0; i < p->dims; ++i) {
        r[i] -= a[i];
    }
    affine_solve(p, th, r, left);
}

/* J^-1 r of one iteration: axis by axis where none feels another. */
static void newton_solve(const particle *p, real th, real g[3][3], const real r[3], real out[3]) {
    if (!(p->terms & KDR_TERMS_COUPLED)) {
        for (int i = 0; i < p->dims; ++i) {
            out[i] = (real)1.0 / mul_add(p, -th, g[i][i], (real)1.0) * r[i];
        }
        return;
    }
    real cofactor[3][3];
    const real inverse = (real)1.0 / cofactors(p, th, g, cofactor);
    for (int i = 0; i < p->dims; ++i) {
        real sum = cofactor[i][0] * r[0];
        for (int j = 1; j < p->dims; ++j) {
            sum = mul_add(p, cofactor[i][j], r[j], sum);
        }
        out[i] = inverse * sum;
    }
}

/* Any field: Newton's iteration for a = a(x_n + th V, V, t), V = v_n + th a, from a = 0. */
static void newton_stage(const particle *p, uint64_t n, double c, real a[3], real v[3], real left[3]) {
    const real th = (real)(p->clock->dt * c);
    const int iterations = p->problem->row->data.implicit->iterations;
    memset(a, 0, 3 * sizeof *a);
    memset(left, 0, 3 * sizeof *left);
    for (int iteration = 0; iteration < iterations; ++iteration) {
        real x[3], r[3], g[3][3];
        for (int i = 0; i < p->dims; ++i) {
            a[i] += left[i];
        }
        stage(p, th, a, p->v, v);
        stage(p, th, v, p->x, x);
        acceleration(p, x, v, n, c, r);
        slope(p, th, x, v, g);
        fused_slopes(p, th, x, v, kdr_clock_time(p->clock, n, c), g);
        for (int i = 0; i < p->dims; ++i) {
            r[i] -= a[i];
        }
        newton_solve(p, th, g, r, left);
    }
}

/* Solves V = v_n + c h a(x_n + c h V, V, t_n + c h), and steps with what a is there: x += h V, v += h a. The last correction of a stays
 * apart from it: where V is small beside v_n, a rounded sum of the two could not tell V. */
static void implicit_step(particle *p, uint64_t n, double c) {
    const real h = (real)p->clock->dt, th = (real)(p->clock->dt * c);
    real a[3], v[3], left[3];
    if (p->terms & KDR_TERMS_NOT_AFFINE) {
        newton_stage(p, n, c, a, v, left);
    } else {
        affine_stage(p, n, c, a, v, left);
    }
    stage(p, th, left, v, v);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, h, v[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, h, left[i], p->v[i], &p->cv[i]);
        p->v[i] = advance(p, h, a[i], p->v[i], &p->cv[i]);
    }
}

/* Implicit Euler, HLW I.1: v_{n+1} = v_n + h a(x_{n+1}, v_{n+1}, t_{n+1}), x_{n+1} = x_n + h v_{n+1}. */
static void implicit_euler(particle *p, uint64_t n) { implicit_step(p, n, 1.0); }

/* The implicit midpoint rule, HLW I.1: y_{n+1} = y_n + h f((y_n + y_{n+1}) / 2, t_n + h/2), y = (x, v), f = (v, a). */
static void implicit_midpoint(particle *p, uint64_t n) { implicit_step(p, n, 0.5); }

/* This particle's affine map of a step h: once a run. */
static void make_map(particle *p, double h) {
    kdr_affine_own own;
    memset(&own, 0, sizeof own);
    own.w = (double)p->w;
    for (int s = 0; s < p->field->springs; ++s) {
        const kdr_spring *const spring = &p->field->spring[s];
        own.k[s] = spring->k_each ? (double)element(spring->k_each, p->index) : 0.0;
        for (int i = 0; i < p->dims; ++i) {
            own.at[s][i] = spring->at_each[i] ? (double)element(spring->at_each[i], p->index) : 0.0;
        }
    }
    for (int d = 0; d < p->field->drags; ++d) {
        own.b[d] = (double)element(p->field->drag[d].b_each, p->index);
    }
    const kdr_parts *const parts = kdr_problem_sums(p->problem) ? &p->problem->parts : NULL;
    if (kdr_affine_couples(p->terms, p->dims)) {
        kdr_map_axes(parts, p->field, p->terms, &own, p->dims, h, &p->map);
    } else {
        for (int i = 0; i < p->dims; ++i) {
            kdr_map_axis(parts, p->field, p->terms, &own, i, h, &p->map);
        }
    }
    p->mapped = true;
}

/* y + row (x, v, 1), in the order that method/rows_kinematic.h sets. `i`: y's axis, the one that counts where axes are apart. */
static real mapped(const particle *p, const kdr_affine_row *row, int i, const real x[3], const real v[3], real y, real *c) {
    const bool coupled = kdr_affine_couples(p->terms, p->dims);
    const bool springs = (p->terms & (KDR_TERM_STIFFNESS | KDR_TERM_SPRINGS)) != 0;
    const bool compensated = (p->terms & KDR_TERM_COMPENSATED) != 0, offset = (p->terms & KDR_TERM_OFFSET) != 0;
    const int first = coupled ? 0 : i, last = coupled ? p->dims - 1 : i;
    if (!coupled && !compensated && !offset) {
        const real moved = mul_add(p, (real)row->v[i], v[i], y);
        return springs ? mul_add(p, (real)row->x[i], x[i], moved) : moved;
    }
    real sum = !offset ? *c : compensated ? *c + (real)row->q : (real)row->q;
    for (int j = first; j <= last; ++j) {
        const bool begun = compensated || offset || j > first;
        sum = begun ? mul_add(p, (real)row->v[j], v[j], sum) : (real)row->v[j] * v[j];
    }
    for (int j = first; springs && j <= last; ++j) {
        sum = mul_add(p, (real)row->x[j], x[j], sum);
    }
    return compensated ? exact_sum(y, sum, c) : y + sum;
}

/* The exact solution of x'' = kx x + kv v + v cross m + f after a time h, from (x, v): an affine map of (x, v). */
static void affine_motion(particle *p, double h) {
    if (!p->mapped) {
        make_map(p, h);
    }
    real x[3], v[3];
    memcpy(x, p->x, sizeof x);
    memcpy(v, p->v, sizeof v);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = mapped(p, &p->map.x[i], i, x, v, p->x[i], &p->cx[i]);
        p->v[i] = mapped(p, &p->map.v[i], i, x, v, p->v[i], &p->cv[i]);
    }
}

/* The whole field is affine: y_{n+1} = exp(A h) y_n + q, y = (x, v). */
static void exact_affine(particle *p, uint64_t n) {
    (void)n;
    affine_motion(p, p->clock->dt);
}

/* Strang 1968, HLW II.5: half a step of the affine motion, a kick by all that is not affine, half a step of the affine motion. */
static void strang_affine(particle *p, uint64_t n) {
    real a[3], middle[3];
    affine_motion(p, p->clock->dt * 0.5);
    if (p->terms & (KDR_TERMS_NOT_AFFINE | KDR_TERM_DRIVEN)) {
        acceleration(p, p->x, p->v, n, 0.5, a);
        if (p->terms & KDR_TERMS_NOT_AFFINE_IN_V) {
            stage(p, (real)(p->clock->dt * 0.5), a, p->v, middle);
            acceleration(p, p->x, middle, n, 0.5, a);
        }
        kick(p, (real)p->clock->dt, a);
    }
    affine_motion(p, p->clock->dt * 0.5);
}

/* y += d, a contribution that is the same for all particles. */
static void push(const particle *p, double d, real *y, real *c) {
    if (p->terms & KDR_TERM_COMPENSATED) {
        *y = exact_sum(*y, *c + (real)d, c);
    } else {
        *y = *y + (real)d;
    }
}

/* Brown's kinematic integrator: free flight and the sum of what each force contributes to x and to v. Those of affine forces are rows of a map
 * (x, v) -> (dx, dv), found once a run; centres and quadratic drags contribute by a_n; driven fields by what they add in this step. */
static void kinematic_sum(particle *p, uint64_t n) {
    const kdr_parts *const parts = &p->problem->parts;
    const double h = p->clock->dt;
    const int count[2] = {parts->averaged_quadratics + parts->averaged_centres + p->field->fused_entries,
                          p->field->quadratics + p->field->centres - parts->averaged_quadratics - parts->averaged_centres};
    real a[2][3]; /* of those that contribute by average, and of those that do by pulse or euler */
    for (int late = 0; late < 2; ++late) {
        if (count[late] > 0) {
            particle undriven = *p;
            undriven.terms |= KDR_TERM_UNDRIVEN | (late ? KDR_TERM_LATE : 0U);
            acceleration(&undriven, p->x, p->v, n, 0.0, a[late]);
        }
    }
    affine_motion(p, h);
    for (int late = 0; late < 2; ++late) {
        const double lift = late ? h * h : 0.5 * h * h;
        for (int i = 0; i < p->dims && count[late] > 0; ++i) {
            p->x[i] = advance(p, (real)lift, a[late][i], p->x[i], &p->cx[i]);
            p->v[i] = advance(p, (real)h, a[late][i], p->v[i], &p->cv[i]);
        }
    }
    if (p->terms & KDR_TERM_DRIVEN) {
        double moved[6];
        kdr_problem_drive(p->problem, p->clock, n, moved);
        for (int i = 0; i < p->dims; ++i) {
            push(p, moved[i], &p->x[i], &p->cx[i]);
            push(p, moved[3 + i], &p->v[i], &p->cv[i]);
        }
    }
}

#include "collide.inl"

typedef void step_fn(particle *p, uint64_t n);

static step_fn *const family_step[KDR_FAMILY_COUNT] = {
    [KDR_RUNGE_KUTTA] = runge_kutta, [KDR_SPLITTING] = splitting, [KDR_NYSTROM] = nystrom, [KDR_MAGNETIC] = boris, [KDR_LANGEVIN] = baoab,
};

/* Methods that are written out; the others are their family's, with the coefficients of their row. */
static step_fn *const method_step[KDR_METHOD_COUNT] = {
    [KDR_EXPLICIT_EULER] = explicit_euler,
    [KDR_MIDPOINT] = midpoint,
    [KDR_HEUN] = heun,
    [KDR_RALSTON] = ralston,
    [KDR_RK3] = rk3,
    [KDR_RK4] = rk4,
    [KDR_RK4_38] = rk4_38,
    [KDR_SEMI_IMPLICIT_EULER] = semi_implicit_euler,
    [KDR_DRIFT_KICK_EULER] = drift_kick_euler,
    [KDR_VELOCITY_VERLET] = velocity_verlet,
    [KDR_VELOCITY_VERLET_PC] = velocity_verlet_pc,
    [KDR_POSITION_VERLET] = position_verlet,
    [KDR_RUTH3] = ruth3,
    [KDR_STORMER_VERLET] = stormer_verlet,
    [KDR_IMPLICIT_EULER] = implicit_euler,
    [KDR_IMPLICIT_MIDPOINT] = implicit_midpoint,
    [KDR_SUVAT] = suvat,
    [KDR_NYSTROM_4] = nystrom_4,
    [KDR_EXACT_AFFINE] = exact_affine,
    [KDR_STRANG_AFFINE] = strang_affine,
    [KDR_KINEMATIC_SUM] = kinematic_sum,
};

/* Copies one particle out of, or back into, arrays at any address. */
static void gather(void *const *array, const kdr_layout *layout, int dims, size_t index, real *out) {
    for (int i = 0; i < dims; ++i) {
        memcpy(&out[i], (char *)array[i] + kdr_offset(layout, sizeof(real), index), sizeof(real));
    }
}

static void scatter(void *const *array, const kdr_layout *layout, int dims, size_t index, const real *in) {
    for (int i = 0; i < dims; ++i) {
        memcpy((char *)array[i] + kdr_offset(layout, sizeof(real), index), &in[i], sizeof(real));
    }
}

static step_fn *step_of(const kdr_problem *problem) {
    step_fn *const own = problem->method < KDR_METHOD_COUNT ? method_step[problem->method] : NULL;
    return own ? own : family_step[problem->row->info.family];
}

static void step_all(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps, bool resume) {
    static const kdr_layout plain = {0, 0, 0, 0};
    const bool carries = kdr_problem_carries(problem, particles);
    const bool memory = carries && problem->row->info.memory;
    const bool compensation = carries && problem->compensated;
    for (size_t index = 0; index < particles->count; ++index) {
        const int level = particles->level ? particles->level[index] : 0;
        const kdr_clock own = kdr_problem_clock(clock, level);
        particle p = {.problem = problem,
                      .field = &problem->field,
                      .clock = &own,
                      .terms = kdr_problem_terms(problem, particles),
                      .dims = particles->dims,
                      .fused = problem->arithmetic == KDR_FUSED,
                      .index = index,
                      .id = particles->first_id + index,
                      .w = (real)1.0,
                      .keeps = resume && memory};
        if (particles->inverse_mass) {
            gather(&particles->inverse_mass, &particles->inverse_mass_layout, 1, index, &p.w);
        }
        if (p.w == (real)0.0 || (particles->active && !particles->active[index])) {
            continue; /* frozen, or not of those that are stepped */
        }
        if (particles->id) {
            memcpy(&p.id, (const char *)particles->id + index * sizeof p.id, sizeof p.id);
        }
        gather(particles->x, &particles->x_layout, p.dims, index, p.x);
        gather(particles->v, &particles->v_layout, p.dims, index, p.v);
        for (int k = 0; k < 2; ++k) {
            if (particles->dissipated[k]) {
                memcpy(&p.dissipated[k], (const char *)(const void *)particles->dissipated[k] + index * sizeof(double), sizeof(double));
            }
        }
        if (resume && memory) {
            gather(particles->memory, &plain, p.dims, index, p.a);
        }
        if (resume && compensation) {
            gather(particles->compensation, &plain, p.dims, index, p.cx);
            gather(particles->compensation + 3, &plain, p.dims, index, p.cv);
        }
        for (uint64_t n = 0; n < steps << level; ++n) {
            real x0[3], v0[3];
            memcpy(x0, p.x, sizeof x0);
            memcpy(v0, p.v, sizeof v0);
            if (is_absorbed(&p)) {
                if (problem->row->info.memory && !p.keeps) { /* what a run leaves for the next starts with it */
                    acceleration(&p, p.x, p.v, own.step + n, 0.0, p.a);
                }
                break;
            }
            step_of(problem)(&p, own.step + n);
            if (p.terms & KDR_TERMS_AFTER) {
                after_step(&p, own.step + n, x0, v0);
            }
        }
        if (particles->hits) {
            uint32_t hits;
            memcpy(&hits, (const char *)(const void *)particles->hits + index * sizeof hits, sizeof hits);
            hits += p.hits;
            memcpy((char *)(void *)particles->hits + index * sizeof hits, &hits, sizeof hits);
        }
        for (int k = 0; k < 2; ++k) {
            if (particles->dissipated[k]) {
                memcpy((char *)(void *)particles->dissipated[k] + index * sizeof(double), &p.dissipated[k], sizeof(double));
            }
        }
        scatter(particles->x, &particles->x_layout, p.dims, index, p.x);
        scatter(particles->v, &particles->v_layout, p.dims, index, p.v);
        if (memory) {
            scatter(particles->memory, &plain, p.dims, index, p.a);
        }
        if (compensation) {
            scatter(particles->compensation, &plain, p.dims, index, p.cx);
            scatter(particles->compensation + 3, &plain, p.dims, index, p.cv);
        }
    }
}
