/* The textbook: one plain function for each method, one particle, in the precision `real` of the file that includes this one.
 *
 * Read it to learn a method. Nothing is shared with the kernels but the folded field and the methods' names.
 * Every product that goes into a sum is written mul_add(a, b, c) = a b + c: rounded once in the fused arithmetic, twice in the unfused.
 * HLW: Hairer, Lubich, Wanner, "Geometric Numerical Integration". */
#include <string.h>

typedef struct particle {
    const kdr_problem *problem;
    const kdr_field *field;
    const kdr_clock *clock;
    unsigned terms;
    int dims;
    bool fused;
    size_t index;
    real w;            /* inverse mass */
    real x[3], v[3];   /* state */
    real cx[3], cv[3]; /* its compensations, in a compensated run */
    real a[3];         /* the method's memory: velocity Verlet's acceleration kept from the last step, Stormer-Verlet's last position */
    bool keeps;        /* a[] holds one */
} particle;

static real mul_add(const particle *p, real a, real b, real c) {
    if (p->fused) {
        return fused_multiply_add(a, b, c);
    }
    const real product = a * b;
    return product + c;
}

/* y + h rate, a step of the state's own: in a compensated run what rounding takes from the sum goes into *c, and comes back the next time
 * (Kahan 1965, Neumaier 1974; the error of the sum as Knuth computes it, TAOCP 4.2.2, whichever of the two is larger). */
static real advance(const particle *p, real h, real rate, real y, real *c) {
    if (!(p->terms & KDR_TERM_COMPENSATED)) {
        return mul_add(p, h, rate, y);
    }
    const real increment = mul_add(p, h, rate, *c);
    const real sum = y + increment;
    const real taken = sum - y;
    *c = (y - (sum - taken)) + (increment - taken);
    return sum;
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

/* -c |v - wind| (v - wind) */
static void quadratic_drags(const particle *p, const real v[3], real force[3]) {
    for (int q = 0; q < p->field->quadratics; ++q) {
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
            a[i] = mul_add(p, factor, r[i], a[i]);
        }
    }
}

/* a(x, v, t) at `fraction` of step n, in the order that force/field.h sets. */
static void acceleration(const particle *p, const real x[3], const real v[3], uint64_t n, double fraction, real a[3]) {
    double base[3];
    kdr_field_base(p->field, p->terms, kdr_clock_time(p->clock, n, fraction), base);
    const bool masses = (p->terms & KDR_TERM_MASS) != 0;
    for (int i = 0; i < p->dims; ++i) {
        a[i] = masses ? (real)p->field->f[i] : (real)base[i];
    }
    affine_force(p, x, v, a);
    array_forces(p, x, v, a);
    quadratic_drags(p, v, a);
    if (masses) {
        for (int i = 0; i < p->dims; ++i) {
            a[i] = mul_add(p, p->w, a[i], (real)base[i]);
        }
    }
    centres(p, x, a);
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
    real a[3];
    acceleration(p, p->x, p->v, n, 0.0, a);
    for (int i = 0; i < p->dims; ++i) {
        const real x = p->x[i];
        const real before = p->keeps ? p->a[i] : x + mul_add(p, half_square, a[i], minus_h * p->v[i]);
        p->x[i] = x + mul_add(p, square, a[i], x - before);
        p->a[i] = x;
    }
    p->keeps = true;
    acceleration(p, p->x, p->v, n, 1.0, a);
    for (int i = 0; i < p->dims; ++i) {
        const real last = p->x[i] - p->a[i];
        p->v[i] = (last + mul_add(p, square, a[i], last)) / twice;
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
        p->x[i] = advance(p, sixth, mul_add(p, (real)4.0, v2[i], p->v[i] + v3[i]), p->x[i], &p->cx[i]);
        p->v[i] = advance(p, sixth, mul_add(p, (real)4.0, a2[i], a1[i] + a3[i]), p->v[i], &p->cv[i]);
    }
}

/* y += h (k1 + r (k2 + k3) + k4) */
static void four_slopes(const particle *p, real h, real r, const real k1[3], const real k2[3], const real k3[3], const real k4[3],
                        real y[3], real c[3]) {
    for (int i = 0; i < p->dims; ++i) {
        const real outer = k1[i] + k4[i];
        const real inner = k2[i] + k3[i];
        y[i] = advance(p, h, mul_add(p, r, inner, outer), y[i], &c[i]);
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

/* y += h scale (r_1 k_1 + r_2 k_2 + ...): slopes of equal ratio are added up first. */
static void weighted_sum(const particle *p, const kdr_runge_kutta_row *row, real k[][3], real y[3], real c[3]) {
    for (int axis = 0; axis < p->dims; ++axis) {
        bool done[KDR_MAX_STAGES] = {false};
        bool begun = false;
        real sum = 0;
        for (int i = 0; i < row->stages; ++i) {
            if (done[i] || row->ratio[i] == 0.0) {
                continue;
            }
            real group = k[i][axis];
            for (int j = i + 1; j < row->stages; ++j) {
                if (row->ratio[j] == row->ratio[i]) {
                    group += k[j][axis];
                    done[j] = true;
                }
            }
            const real ratio = (real)row->ratio[i];
            if (begun) {
                sum = row->ratio[i] == 1.0 ? sum + group : mul_add(p, ratio, group, sum);
            } else {
                sum = row->ratio[i] == 1.0 ? group : ratio * group;
            }
            begun = true;
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

typedef void step_fn(particle *p, uint64_t n);

static step_fn *const family_step[KDR_FAMILY_COUNT] = {
    [KDR_RUNGE_KUTTA] = runge_kutta,
    [KDR_SPLITTING] = splitting,
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
    [KDR_POSITION_VERLET] = position_verlet,
    [KDR_RUTH3] = ruth3,
    [KDR_STORMER_VERLET] = stormer_verlet,
};

/* Copies one particle out of, or back into, an array at any address. */
static void gather(void *const array[3], int dims, size_t index, real out[3]) {
    for (int i = 0; i < dims; ++i) {
        out[i] = element(array[i], index);
    }
}

static void scatter(void *const array[3], int dims, size_t index, const real in[3]) {
    for (int i = 0; i < dims; ++i) {
        memcpy((char *)array[i] + index * sizeof(real), &in[i], sizeof(real));
    }
}

static step_fn *step_of(const kdr_problem *problem) {
    step_fn *const own = problem->method < KDR_METHOD_COUNT ? method_step[problem->method] : NULL;
    return own ? own : family_step[problem->row->info.family];
}

static void step_all(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps, bool resume) {
    const bool carries = kdr_problem_carries(problem, particles);
    const bool memory = carries && problem->row->info.memory;
    const bool compensation = carries && problem->compensated;
    for (size_t index = 0; index < particles->count; ++index) {
        particle p = {.problem = problem,
                      .field = &problem->field,
                      .clock = clock,
                      .terms = kdr_problem_terms(problem, particles),
                      .dims = particles->dims,
                      .fused = problem->arithmetic == KDR_FUSED,
                      .index = index,
                      .w = particles->inverse_mass ? element(particles->inverse_mass, index) : (real)1.0,
                      .keeps = resume && memory};
        if (p.w == (real)0.0) {
            continue; /* frozen */
        }
        gather(particles->x, p.dims, index, p.x);
        gather(particles->v, p.dims, index, p.v);
        if (resume && memory) {
            gather(particles->memory, p.dims, index, p.a);
        }
        if (resume && compensation) {
            gather(particles->compensation, p.dims, index, p.cx);
            gather(particles->compensation + 3, p.dims, index, p.cv);
        }
        for (uint64_t n = 0; n < steps; ++n) {
            step_of(problem)(&p, clock->step + n);
        }
        scatter(particles->x, p.dims, index, p.x);
        scatter(particles->v, p.dims, index, p.v);
        if (memory) {
            scatter(particles->memory, p.dims, index, p.a);
        }
        if (compensation) {
            scatter(particles->compensation, p.dims, index, p.cx);
            scatter(particles->compensation + 3, p.dims, index, p.cv);
        }
    }
}
