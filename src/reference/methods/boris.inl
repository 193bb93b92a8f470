/* Boris' method: the rotation by a magnetic field, to twice the precision. */

/* Returns the upper half of the digits of a (Veltkamp 1968). */
static real upper_half(real a) {
    const real c = (real)SPLITTER * a;
    return c - (c - a);
}

/* Returns a b rounded, and its rounding error: by one fma, or by halves of the factors, whose products are exact (Dekker, Numer. Math.
 * 18 (1971) 224). */
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

/* Computes element (i, j) of the Boris rotation minus 1: kappa (x + x') to twice the precision, as the upper half of the digits and the
 * rest. */
static void rotation_element(particle *p, const real kappa[2], real x, real x_rest, int i, int j) {
    real error;
    const real product = exact_product(p, kappa[0], x, &error);
    const real rest = error + (kappa[0] * x_rest + kappa[1] * x);
    p->hi[i][j] = upper_half(product);
    p->lo[i][j] = (product - p->hi[i][j]) + rest;
}

/* Computes kappa = 2 / (1 + t.t) to twice the precision, from the squares of t and their errors. */
static void rotation_kappa(const particle *p, const real square[3], const real error[3], real kappa[2]) {
    real a_rest, b_rest, c_rest, back_rest;
    const real a = exact_sum(1, square[0], &a_rest), b = exact_sum(a, square[1], &b_rest), c = exact_sum(b, square[2], &c_rest);
    const real rest = ((a_rest + b_rest) + c_rest) + ((error[0] + error[1]) + error[2]);
    kappa[0] = 2 / c;
    const real back = exact_product(p, kappa[0], c, &back_rest);
    kappa[1] = (((2 - back) - back_rest) - kappa[0] * rest) / c;
}

/* Computes the rotation of Boris' method minus 1: v + kappa (v + v cross t) cross t = v + kappa (T + T T) v, T v = v cross t. */
static void rotation(particle *p, const real t[3]) {
    real square[3], error[3], kappa[2];
    for (int i = 0; i < 3; ++i) {
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

/* Computes the rotation by the folded field. */
static void rotation_by_field(particle *p) {
    real t[3];
    for (int i = 0; i < 3; ++i) {
        const bool acts = p->dims == 3 || i == 2; /* in a plane, only the field across it */
        const real unit = acts ? (real)(p->h * 0.5 * p->field->magnetic[i]) : 0;
        t[i] = (p->terms & KDR_TERM_MASS) ? p->w * unit : unit;
    }
    rotation(p, t);
}

/* Returns row i of R - 1 times v, the lower halves of the elements first. In a compensated run it includes the compensation. */
static real turn_along(const particle *p, int i, const real v[3], bool compensated, real lost) {
    real change = compensated ? mul_add(p, p->lo[i][0], v[0], lost) : p->lo[i][0] * v[0];
    for (int j = 1; j < p->dims; ++j) {
        change = mul_add(p, p->lo[i][j], v[j], change);
    }
    for (int j = 0; j < p->dims; ++j) {
        change = mul_add(p, p->hi[i][j], v[j], change);
    }
    return change;
}

/* Computes v += (R - 1) v. Constraints give the particle half of their impulse before the rotation and half after it, so that v keeps
 * its length and the rotation is reversible. */
static void turn(particle *p) {
    if (!p->turns) {
        rotation_by_field(p);
    }
    const bool compensated = (p->terms & KDR_TERM_COMPENSATED) != 0;
    hold_velocity(p, p->h, false);
    const real v[3] = {p->v[0], p->v[1], p->v[2]};
    for (int i = 0; i < p->dims; ++i) {
        const real change = turn_along(p, i, v, compensated, p->cv[i]);
        p->v[i] = compensated ? exact_sum(v[i], change, &p->cv[i]) : v[i] + change;
    }
    hold_velocity(p, p->h, true);
}

/* Computes a at x and v, at a fraction of the step, without the magnetic force. m becomes the magnetic field over the mass, if each
 * particle has its own. */
static void electric_acceleration(const particle *p, uint64_t n, double fraction, real a[3], real m[3]) {
    particle unmagnetic = *p;
    unmagnetic.terms &= ~(unsigned)KDR_TERMS_MAGNETIC;
    for (int i = 0; i < 3; ++i) {
        m[i] = (real)p->field->magnetic[i];
    }
    acceleration_and_field(&unmagnetic, p->x, p->v, n, fraction, a, m);
}

/* Computes half angles from a particle's own field: in a plane, only the field across it. */
static void half_angles(const particle *p, const real m[3], real t[3]) {
    for (int i = 0; i < 3; ++i) {
        t[i] = p->dims == 3 || i == 2 ? m[i] * (real)(p->h * 0.5) : 0;
    }
}

/* Returns whether v rotates: in a plane only by the field across it, on a line never. */
static bool is_turned(const particle *p) {
    const bool own = (p->terms & KDR_TERM_CUSTOM_MAGNETIC) != 0;
    return p->dims == 3 ? (p->terms & KDR_TERMS_MAGNETIC) != 0 : p->dims == 2 && (own || p->field->magnetic[2] != 0.0);
}

/* Returns 1 / c^2, for momenta in the unit that they are squared in. */
static real inverse_light_square(const particle *p) {
    const double c = p->problem->speed_of_light, unit = kdr_problem_light_unit(p->problem);
    return (real)(1.0 / (c * c) * unit * unit);
}

static void unit_momentum(const particle *p, const real u[3], real to[3]) {
    for (int i = 0; i < p->dims; ++i) {
        to[i] = u[i] * (real)(1.0 / kdr_problem_light_unit(p->problem));
    }
}

/* Returns gamma^2 = 1 + u^2 / c^2. */
static real gamma_square(const particle *p, const real momentum[3]) {
    real u[3];
    unit_momentum(p, momentum, u);
    real square = u[0] * u[0];
    for (int i = 1; i < p->dims; ++i) {
        square = mul_add(p, u[i], u[i], square);
    }
    return mul_add(p, inverse_light_square(p), square, 1);
}

/* Computes dx/dt = u / gamma. */
static void ordinary_velocity(const particle *p, const real u[3], real w[3]) {
    const real inverse = 1 / square_root(gamma_square(p, u));
    for (int i = 0; i < p->dims; ++i) {
        w[i] = u[i] * inverse;
    }
}

/* Returns gamma^2 at the mean of u and of its rotation by the half angles t = (h/2) m. With s = gamma(u)^2 - t^2 it solves g^2 - s g =
 * t^2 + (u . t / c)^2 (Higuera, Cary 2017, equation 20; Vay 2008, equation 11). If s is negative the other form of the root avoids
 * cancellation; if s^2 would overflow all is divided by a power of two. */
static real mean_gamma_square(const particle *p, const real momentum[3], const real t[3]) {
    const real large = REAL_IS_FLOAT ? (real)0x1p62 : (real)0x1p510, square = gamma_square(p, momentum);
    real u[3], along = 0, tangent = p->dims == 3 ? t[0] * t[0] : t[2] * t[2];
    if (p->dims == 3) {
        unit_momentum(p, momentum, u);
        along = u[0] * t[0];
        for (int i = 1; i < 3; ++i) {
            along = mul_add(p, u[i], t[i], along);
            tangent = mul_add(p, t[i], t[i], tangent);
        }
    }
    const real unit = square + tangent > large ? 4 * large : 1, part = along / unit;
    const real s = (square - tangent) / unit, d = mul_add(p, inverse_light_square(p) * part, part, tangent / unit / unit);
    const real r = square_root(mul_add(p, s, s, 4 * d));
    return (s < 0 ? (d + d) / (r - s) : (real)0.5 * (s + r)) * unit;
}

/* Rotates u by m, whose angle is divided by gamma at u or at the mean; or computes u += (R - 1) u / 2. */
static void turn_relativistic(particle *p, const kdr_magnetic_row *row, real m[3]) {
    real t[3];
    half_angles(p, m, t);
    const real inverse = 1 / square_root(row->means ? mean_gamma_square(p, p->v, t) : gamma_square(p, p->v));
    for (int i = 0; i < 3; ++i) {
        m[i] = m[i] * inverse;
    }
    half_angles(p, m, t);
    rotation(p, t);
    for (int i = 0; i < 3 && row->halves; ++i) {
        for (int j = 0; j < 3; ++j) {
            p->hi[i][j] *= (real)0.5;
            p->lo[i][j] *= (real)0.5;
        }
    }
    turn(p);
}

/* Computes x += h v. Near the speed of light v is u = gamma dx/dt, the momentum over the mass (Ripperda et al., Astrophys. J. Suppl. 235
 * (2018) 21, section 3), and x += h u / gamma. */
static void ordinary_drift(particle *p, double h) {
    real w[3] = {p->v[0], p->v[1], p->v[2]};
    if (p->terms & KDR_TERM_RELATIVISTIC) {
        ordinary_velocity(p, p->v, w);
    }
    drift_by(p, h, w);
}

/* Makes the part between the drifts. Boris; Higuera and Cary: v' = v_n + h/2 a, v'' = v' rotated, v_{n+1} = v'' + h/2 a. Vay near the
 * speed of light: u' = u_n + h a + h/2 u_n/gamma_n cross m, and u_{n+1} such that the other half of the magnetic force leads to it: half
 * of the rotation. `own` says that m is the particle's own field; it is changed. */
static void kick_and_turn(particle *p, bool turned, bool own, real a[3], real m[3]) {
    const kdr_magnetic_row *const row = p->problem->row->data.magnetic;
    const bool fast = (p->terms & KDR_TERM_RELATIVISTIC) != 0, halves = fast && row->halves;
    const double half = p->h * 0.5;
    real w[3] = {0, 0, 0}, t[3];
    if (halves) {
        ordinary_velocity(p, p->v, w);
    }
    kick(p, half, a);
    if (halves && turned) {
        add_cross(p, w, m, a);
    }
    if (halves) {
        kick(p, half, a);
    }
    if (turned && fast) {
        turn_relativistic(p, row, m);
    } else if (turned) {
        if (own) {
            half_angles(p, m, t);
            rotation(p, t);
        }
        turn(p);
    }
    if (!halves) {
        kick(p, half, a);
    }
}

/* Makes a step of Boris 1970 (Birdsall, Langdon, "Plasma Physics via Computer Simulation" (1985), 4-3 and 4-4): x' = x_n + h/2 v_n, v' =
 * v_n + h/2 a(x'), v'' = v' rotated by 2 atan(h |m| / 2) about m, v_{n+1} = v'' + h/2 a(x'), x_{n+1} = x' + h/2 v_{n+1}. m is charge
 * times b over mass, a the acceleration without the magnetic force. */
static void boris(particle *p, uint64_t n) {
    real a[3], m[3];
    ordinary_drift(p, p->h * 0.5);
    electric_acceleration(p, n, 0.5, a, m);
    kick_and_turn(p, is_turned(p), (p->terms & KDR_TERM_CUSTOM_MAGNETIC) != 0, a, m);
    ordinary_drift(p, p->h * 0.5);
}
