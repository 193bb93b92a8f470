/* One axis of the map of a step, in pairs of doubles: for one number at a time (affine.c), or for a vector of particles with different
 * parameters (kernel/maps.inl). Both give the same bits, because every operation acts on each lane separately. The operations v_* and
 * m_* must be defined before, for doubles, as in kernel/isa. */

/* A number and its rounding error to double. */
typedef struct pair {
    vr hi, lo;
} pair;

static inline pair number(double a) { return (pair){v_set1(a), v_set1(0.0)}; }

static inline vr negative(vr a) { return v_mul(a, v_set1(-1.0)); }

/* Returns a + b where |a| >= |b| (Dekker, Numer. Math. 18 (1971) 224). */
static inline pair ordered_sum(vr a, vr b) {
    const vr sum = v_add(a, b);
    return (pair){sum, v_sub(b, v_sub(sum, a))};
}

/* Returns a + b (Knuth, TAOCP 4.2.2). */
static inline pair exact_sum(vr a, vr b) {
    const vr sum = v_add(a, b);
    const vr taken = v_sub(sum, a);
    return (pair){sum, v_add(v_sub(a, v_sub(sum, taken)), v_sub(b, taken))};
}

static inline pair exact_product(vr a, vr b) {
    const vr product = v_mul(a, b);
    return (pair){product, v_fused(a, b, negative(product))};
}

static inline pair add(pair a, pair b) {
    const pair high = exact_sum(a.hi, b.hi), low = exact_sum(a.lo, b.lo);
    const pair sum = ordered_sum(high.hi, v_add(high.lo, low.hi));
    return ordered_sum(sum.hi, v_add(sum.lo, low.lo));
}

static inline pair times(pair a, pair b) {
    const pair product = exact_product(a.hi, b.hi);
    return ordered_sum(product.hi, v_add(product.lo, v_add(v_mul(a.hi, b.lo), v_mul(a.lo, b.hi))));
}

static inline pair minus(pair a) { return (pair){negative(a.hi), negative(a.lo)}; }

/* Returns a times a power of two. */
static inline pair scaled(pair a, double power) { return (pair){v_mul(a.hi, v_set1(power)), v_mul(a.lo, v_set1(power))}; }

static inline pair divided(pair a, double n) {
    const vr quotient = v_div(a.hi, v_set1(n));
    const vr rest = v_fused(negative(quotient), v_set1(n), a.hi);
    return ordered_sum(quotient, v_div(v_add(rest, a.lo), v_set1(n)));
}

/* Returns a where m, else b. */
static inline pair chosen(vm m, pair a, pair b) { return (pair){v_select(m, a.hi, b.hi), v_select(m, a.lo, b.lo)}; }

/* The response of one axis after a step of 1 (x = x_0, h v in place of v), for x'' = -2 damping x' - stiffness x. `velocity` is the
 * response of x to a velocity of 1, `force` that of x to an acceleration of 1; its v is `velocity` again. The determinant of the map is
 * exp(-2 damping). */
typedef struct response {
    pair damping, stiffness;
    pair velocity, force;
    pair determinant, trace;
} response;

/* The range of the series. With |damping| <= 2^-6 and |stiffness| <= 2^-12 its terms fall faster than (0.038)^n / n!. */
#define AXIS_TERMS 16
#define LEAST_DAMPING 0x1p-6
#define LEAST_STIFFNESS 0x1p-12

/* Computes the response by series. The solution from x = 0 with v = 1 is the sum of b_n / n!, b_{n+2} = -2 damping b_{n+1} - stiffness
 * b_n; its integral is that of b_n / (n + 1)!. */
static inline void response_series(response *r) {
    pair before = number(0.0), now = number(1.0), inverse = number(1.0); /* b_{n-1}, b_n, 1 / n! */
    const pair twice = scaled(r->damping, -2.0), minus_stiffness = minus(r->stiffness);
    r->velocity = r->force = number(0.0);
    for (int n = 1; n <= AXIS_TERMS; ++n) {
        r->velocity = add(r->velocity, times(now, inverse));
        inverse = divided(inverse, n + 1);
        r->force = add(r->force, times(now, inverse));
        const pair next = add(times(twice, now), times(minus_stiffness, before));
        before = now;
        now = next;
    }
}

/* Return the increments of x to x and of v to v: x'' integrated. */
static inline pair increment_xx(const response *r) { return minus(times(r->stiffness, r->force)); }
static inline pair increment_vv(const response *r) { return add(scaled(times(r->damping, r->velocity), -2.0), increment_xx(r)); }

/* Doubles the length of the step: x after it is `velocity` (P_xx + P_vv), and so on. The trace P_xx + P_vv loses digits if both are near
 * 0, with strong damping. It is therefore computed from the previous one, as in cosh 2a = 2 cosh^2 a - 1. */
static inline void response_double(response *r) {
    const pair xx = increment_xx(r), squared = times(r->velocity, r->velocity);
    r->force = scaled(add(add(scaled(r->force, 2.0), times(xx, r->force)), squared), 0.25);
    r->velocity = scaled(times(r->velocity, r->trace), 0.5);
    r->damping = scaled(r->damping, 2.0);
    r->stiffness = scaled(r->stiffness, 4.0);
    const pair determinant = times(r->determinant, r->determinant);
    const pair strong = add(times(r->trace, r->trace), scaled(r->determinant, -2.0));
    const pair weak = add(number(2.0), add(increment_xx(r), increment_vv(r)));
    r->trace = chosen(v_less(determinant.hi, v_set1(0x1p-16)), strong, weak);
    r->determinant = determinant;
}

static inline void response_start(response *r) {
    response_series(r);
    const pair xx = increment_xx(r), vv = increment_vv(r);
    r->trace = add(number(2.0), add(xx, vv));
    const pair mixed = times(r->stiffness, times(r->velocity, r->velocity)); /* -P_xv P_vx */
    r->determinant = add(number(1.0), add(add(xx, vv), add(times(xx, vv), mixed)));
}

static inline vm beyond(vr a, double limit) { return m_or(v_less(v_set1(limit), a), v_less(a, v_set1(-limit))); }

static inline vm is_finite(vr a) { return m_and(v_less(a, v_set1((double)INFINITY)), v_less(v_set1((double)-INFINITY), a)); }

/* Halves the step as often as each lane needs, and counts it in `halvings`. */
static inline void response_shorten(response *r, vr *halvings) {
    *halvings = v_set1(0.0);
    for (;;) {
        const vm far = m_or(beyond(r->damping.hi, LEAST_DAMPING), beyond(r->stiffness.hi, LEAST_STIFFNESS));
        if (!m_any(far)) {
            return;
        }
        r->damping = chosen(far, scaled(r->damping, 0.5), r->damping);
        r->stiffness = chosen(far, scaled(r->stiffness, 0.25), r->stiffness);
        *halvings = v_select(far, v_add(*halvings, v_set1(1.0)), *halvings);
    }
}

static inline void response_lengthen(response *r, vr halvings) {
    for (vr done = v_set1(0.0); m_any(v_less(done, halvings)); done = v_add(done, v_set1(1.0))) {
        const vm more = v_less(done, halvings);
        response twice = *r;
        response_double(&twice);
        r->damping = chosen(more, twice.damping, r->damping);
        r->stiffness = chosen(more, twice.stiffness, r->stiffness);
        r->velocity = chosen(more, twice.velocity, r->velocity);
        r->force = chosen(more, twice.force, r->force);
        r->determinant = chosen(more, twice.determinant, r->determinant);
        r->trace = chosen(more, twice.trace, r->trace);
    }
}

#define AXIS_NUMBERS 6

/* Makes the map of a step h of x'' = kx x + kv x' + f: the increments of x by v, x and the constant, then those of v. Parameters so
 * large that it is not finite give NaN. */
static inline void axis_map(pair kx, pair kv, pair f, double h, vr made[AXIS_NUMBERS]) {
    const pair step = number(h), zero = number(0.0);
    response r = {.damping = scaled(times(kv, step), -0.5), .stiffness = minus(times(times(kx, step), step))};
    const vm finite = m_and(m_and(is_finite(r.damping.hi), is_finite(r.stiffness.hi)), is_finite(f.hi));
    r.damping = chosen(finite, r.damping, zero);
    r.stiffness = chosen(finite, r.stiffness, zero);
    vr halvings;
    response_shorten(&r, &halvings);
    response_start(&r);
    response_lengthen(&r, halvings);
    const pair velocity = times(r.velocity, step), force = times(times(r.force, step), step);
    made[0] = velocity.hi;
    made[1] = increment_xx(&r).hi;
    made[2] = times(f, force).hi;
    made[3] = increment_vv(&r).hi;
    made[4] = times(kx, velocity).hi;
    made[5] = times(f, velocity).hi;
    for (int n = 0; n < AXIS_NUMBERS; ++n) {
        made[n] = v_select(finite, made[n], v_set1((double)NAN));
    }
}
