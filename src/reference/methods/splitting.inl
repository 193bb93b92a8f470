/* Splitting methods, which alternate kicks and drifts; and Stormer-Verlet, which is velocity Verlet by differences of positions. */

/* Computes v += h a. */
static void kick(particle *p, double h, const real a[3]) {
    for (int i = 0; i < p->dims; ++i) {
        p->v[i] = advance(p, h, a[i], p->v[i], &p->cv[i]);
    }
}

/* Computes x += h w for the velocity w, followed by the constraints. */
static void drift_by(particle *p, double h, const real w[3]) {
    const real x0[3] = {p->x[0], p->x[1], p->x[2]};
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, h, w[i], p->x[i], &p->cx[i]);
    }
    if (p->terms & KDR_TERM_HELD) {
        hold_drift(p, x0, h);
    }
}

/* Computes x += h v, followed by the constraints. */
static void drift(particle *p, double h) {
    const real w[3] = {p->v[0], p->v[1], p->v[2]};
    drift_by(p, h, w);
}

/* Makes a step of semi-implicit (symplectic) Euler, HLW I.1: v_{n+1} = v_n + h a(x_n, v_n, t_n), x_{n+1} = x_n + h v_{n+1}. */
static void semi_implicit_euler(particle *p, uint64_t n) {
    const double h = p->h;
    real a[3];
    acceleration(p, p->x, p->v, n, 0.0, a);
    kick(p, h, a);
    drift(p, h);
}

/* Makes a step of the adjoint of semi-implicit Euler, HLW I.1: x_{n+1} = x_n + h v_n, v_{n+1} = v_n + h a(x_{n+1}, v_n, t_{n+1}). */
static void drift_kick_euler(particle *p, uint64_t n) {
    const double h = p->h;
    real a[3];
    drift(p, h);
    acceleration(p, p->x, p->v, n, 1.0, a);
    kick(p, h, a);
    hold_velocity(p, h, false);
}

/* Makes a step of velocity Verlet, kick-drift-kick, HLW I.1: v' = v_n + h/2 a_n, x_{n+1} = x_n + h v', a_{n+1} = a(x_{n+1}, v',
 * t_{n+1}), v_{n+1} = v' + h/2 a_{n+1}; a_{n+1} serves the next step. */
static void velocity_verlet(particle *p, uint64_t n) {
    const double h = p->h, half = h * 0.5;
    if (!p->keeps) {
        acceleration(p, p->x, p->v, n, 0.0, p->a);
        p->keeps = true;
    }
    kick(p, half, p->a);
    drift(p, h);
    memcpy(p->seen, p->v, sizeof p->seen);
    acceleration(p, p->x, p->seen, n, 1.0, p->a);
    kick(p, half, p->a);
    hold_velocity(p, half, false);
}

/* Makes a step of velocity Verlet whose force sees the velocity that the last acceleration predicts (VDrift): a_{n+1} = a(x_{n+1}, v' +
 * h/2 a_n, t_{n+1}). */
static void velocity_verlet_pc(particle *p, uint64_t n) {
    const double h = p->h, half = h * 0.5;
    if (!p->keeps) {
        acceleration(p, p->x, p->v, n, 0.0, p->a);
        p->keeps = true;
    }
    kick(p, half, p->a);
    drift(p, h);
    for (int i = 0; i < p->dims; ++i) {
        p->seen[i] = mul_add(p, (real)half, p->a[i], p->v[i]);
    }
    hold_predicted(p, half, p->seen);
    acceleration(p, p->x, p->seen, n, 1.0, p->a);
    kick(p, half, p->a);
    hold_velocity(p, half, false);
}

/* Makes a step of position Verlet, drift-kick-drift (Tuckerman, Berne, Martyna 1992): x' = x_n + h/2 v_n, v_{n+1} = v_n + h a(x', v_n,
 * t_n + h/2), x_{n+1} = x' + h/2 v_{n+1}. */
static void position_verlet(particle *p, uint64_t n) {
    const double h = p->h, half = h * 0.5;
    real a[3];
    drift(p, half);
    acceleration(p, p->x, p->v, n, 0.5, a);
    kick(p, h, a);
    drift(p, half);
}

/* Makes a step of Ruth 1983, order 3, which alternates kicks of 7/24, 3/4, -1/24 and drifts of 2/3, -2/3, 1. */
static void ruth3(particle *p, uint64_t n) {
    const double h = p->h;
    real a[3];
    acceleration(p, p->x, p->v, n, 0.0, a);
    kick(p, h * (7.0 / 24.0), a);
    drift(p, h * (2.0 / 3.0));
    acceleration(p, p->x, p->v, n, 2.0 / 3.0, a);
    kick(p, h * 0.75, a);
    drift(p, h * (-2.0 / 3.0));
    acceleration(p, p->x, p->v, n, 0.0, a);
    kick(p, h * (-1.0 / 24.0), a);
    drift(p, h);
}

/* Makes a step of Stormer-Verlet, HLW I.1: x_{n+1} = 2 x_n - x_{n-1} + h^2 a_n, summed as x_n + ((x_n - x_{n-1}) + h^2 a_n). The
 * difference is exact if x changes by at most half its size. Without x_{n-1} the first step uses x_{-1} = x_0 - h v_0 + h^2/2 a_0. The
 * velocity has no influence: v_{n+1} = (x_{n+2} - x_n) / 2h, with an x_{n+2} that is neither kept nor rounded to a position. */
static void stormer_verlet(particle *p, uint64_t n) {
    const double h = p->h;
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

/* Makes a step of any splitting method: kick, drift, kick, drift ... by the fractions of its row, HLW II.5. An acceleration that ends a
 * step and has the x, v and t of the next step's first kick serves that one too. If a drift joins two substeps, constraints act on both
 * of its parts. */
static void splitting(particle *p, uint64_t n) {
    const kdr_splitting_row *const row = p->problem->row->data.splitting;
    const bool keeps = row->kick[0] != 0.0 && row->drift[row->stages - 1] == 0.0;
    double drifted = 0.0;
    for (int k = 0; k < row->stages; ++k) {
        const bool last = k == row->stages - 1;
        if (row->kick[k] != 0.0) {
            if (!p->keeps) {
                memcpy(p->seen, p->v, sizeof p->seen);
                acceleration(p, p->x, p->seen, n, keeps && last ? 1.0 : drifted, p->a);
            }
            p->keeps = keeps && last;
            kick(p, p->h * row->kick[k], p->a);
        }
        if (row->kick[k] != 0.0 && row->drift[k] == 0.0) {
            hold_velocity(p, p->h * row->kick[k], false);
        }
        if (kdr_problem_joins(p->problem, k)) {
            drift(p, p->h * p->problem->caller.joint[0][k]);
            drift(p, p->h * p->problem->caller.joint[1][k]);
        } else if (row->drift[k] != 0.0) {
            drift(p, p->h * row->drift[k]);
        }
        drifted += row->drift[k];
    }
}
