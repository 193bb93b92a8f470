/* Functions for custom fields (custom_field.h includes them). Their errors in units in the last place are at most:
 *
 *     v_exp 1.1        v_log 1        v_sin, v_cos 1        v_pow 2        v_atan2 2.5        v_floor, v_abs none
 *
 * v_sin and v_cos take radians up to 2^20 in f64 and 2^13 in f32, and return NaN beyond. Use v_angle or v_turns for angles that grow with
 * time. Fused and unfused results differ. */
#ifndef KICKDRIFT_CUSTOM_FUNCTIONS_H
#define KICKDRIFT_CUSTOM_FUNCTIONS_H

#include <kickdrift/custom_field.h>

static inline vr v_not_a_number(void) { return v_constant((double)NAN); }
static inline vr v_infinity(void) { return v_constant((double)INFINITY); }
static inline vm v_equal(vr a, vr b) { return m_and(v_at_most(a, b), v_at_most(b, a)); }

/* Returns c[0] + z (c[1] + z (c[2] + ...)). */
static inline vr v_polynomial(const double *c, int terms, vr z) {
    vr sum = v_constant(c[terms - 1]);
    KDR_CUSTOM_UNROLL for (int i = terms - 2; i >= 0; --i) { sum = mul_add(sum, z, v_constant(c[i])); }
    return sum;
}

/* Returns a + b, and its rounding error (Knuth, TAOCP 4.2.2). */
static inline vr v_exact_sum(vr a, vr b, vr *lost) {
    const vr sum = v_add(a, b), taken = v_sub(sum, a);
    *lost = v_add(v_sub(a, v_sub(sum, taken)), v_sub(b, taken));
    return sum;
}

static inline vr v_upper_half(vr a) {
    const vr c = v_mul(v_constant(KDR_CUSTOM_CHOOSE(4097.0, 134217729.0)), a);
    return v_sub(c, v_sub(c, a));
}

/* Returns a b, and its rounding error (Dekker 1971). */
static inline vr v_exact_product(vr a, vr b, vr *lost) {
    const vr product = v_mul(a, b);
#ifdef KDR_UNIT_UNFUSED
    const vr ah = v_upper_half(a), bh = v_upper_half(b), al = v_sub(a, ah), bl = v_sub(b, bh);
    *lost = v_add(v_add(v_add(v_sub(v_mul(ah, bh), product), v_mul(ah, bl)), v_mul(al, bh)), v_mul(al, bl));
#else
    *lost = mul_add(a, b, v_sub(v_constant(0.0), product));
#endif
    return product;
}

#ifndef KDR_CUSTOM_HAS_FLOOR
static inline vr v_floor(vr a) {
    const vr size = v_abs(a), large = v_constant(KDR_CUSTOM_CHOOSE(8388608.0, 4503599627370496.0));
    const vr nearest = v_with_sign(v_sub(v_add(size, large), large), a);
    const vr below = v_sub(nearest, v_select(v_less(a, nearest), v_constant(1.0), v_constant(0.0)));
    return v_select(v_less(size, large), below, a);
}
#endif

/* Returns parameter `rate` times t plus parameter `phase`, as an angle from -pi to pi. Both indices are constants. Computed in double, for
 * rate t up to 2^60. */
static inline vr v_angle(const kdr_at *at, int rate, int phase) {
    return v_phase(at, rate, phase, 6.283185307179586, 2.4492935982947064e-16);
}

/* Returns parameter `rate` times t, in turns. Above 8 turns in f32 and 1024 in f64, the nearest whole number of turns is removed. */
static inline vr v_turns(const kdr_at *at, int rate) {
    const vr turns = v_mul(v_parameter(at, rate), v_time(at));
    return v_select(v_at_most(v_abs(turns), v_constant(KDR_CUSTOM_CHOOSE(8.0, 1024.0))), turns, v_phase(at, rate, -1, 1.0, 0.0));
}

/* Returns the table at u, linear between its `count` >= 2 elements and constant beyond. */
static inline vr v_table(const v_element *table, int count, vr u) {
    const vr one = v_constant(1.0), within = v_min(v_max(u, v_constant(0.0)), v_constant(count - 1));
    const vr index = v_min(v_floor(within), v_constant(count - 2));
    const vr left = v_element_of(table, index), right = v_element_of(table, v_add(index, one));
    return v_select(v_equal(u, u), mul_add(v_sub(within, index), v_sub(right, left), left), u);
}

static const double kdr_custom_inverse_factorial[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                                                      1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                                      1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};

/* Returns a factor of exp(a); the other is *scale. Neither overflows. */
static inline vr v_exp_parts(vr a, vr *scale) {
    enum { TERMS = KDR_CUSTOM_CHOOSE(6, 12) };
    const vr rounder = v_constant(KDR_CUSTOM_CHOOSE(12582912.0, 6755399441055744.0));
    const vr low = v_constant(KDR_CUSTOM_CHOOSE(-104.0, -746.0)), high = v_constant(KDR_CUSTOM_CHOOSE(89.0, 710.0));
    const vr within = v_min(high, v_max(low, a));
    const vr n = v_sub(v_add(v_mul(within, v_constant(1.44269504088896338700)), rounder), rounder);
    const vr most = mul_add(n, v_constant(KDR_CUSTOM_CHOOSE(-0.693359375, -6.93147180369123816490e-01)), within);
    const vr r = mul_add(n, v_constant(KDR_CUSTOM_CHOOSE(2.12194440e-4, -1.90821492927058770002e-10)), most);
    vr sum = v_constant(kdr_custom_inverse_factorial[TERMS - 1]);
    KDR_CUSTOM_UNROLL for (int i = TERMS - 2; i >= 0; --i) { sum = mul_add(sum, r, v_constant(kdr_custom_inverse_factorial[i])); }
    const vr grown = v_add(v_constant(1.0), mul_add(v_mul(r, r), sum, r));
    /* The second factor alone rounds a subnormal result. */
    const vr half = v_sub(v_add(v_mul(n, v_constant(0.5)), rounder), rounder);
    *scale = v_two_to(v_sub(n, half));
    return v_mul(grown, v_two_to(half));
}

/* Returns exp(a); 0 or infinity out of range; NaN for NaN. */
static inline vr v_exp(vr a) {
    vr scale;
    const vr part = v_exp_parts(a, &scale);
    return v_mul(part, scale);
}

static const double kdr_custom_ln_2[2] = {KDR_CUSTOM_CHOOSE(0.693359375, 6.93147180369123816490e-01),
                                          KDR_CUSTOM_CHOOSE(-2.12194440054690583e-4, 1.90821492927058770002e-10)};

static inline vr v_whole_exponent(vr a, vr *m) {
    const vm tiny = v_less(a, v_constant(KDR_CUSTOM_CHOOSE(1.1754943508222875e-38, 2.2250738585072014e-308)));
    const vr e = v_exponent(v_select(tiny, v_mul(a, v_constant(1.8014398509481984e+16)), a), m);
    return v_sub(e, v_select(tiny, v_constant(54.0), v_constant(0.0)));
}

/* Returns ln(a); -infinity for 0; NaN below 0. */
static inline vr v_log(vr a) {
    static const double c[2][7] = {{0.6666666269302368, 0.40000972151756287, 0.2849878668785095, 0.24279078841209412},
                                   {6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
                                    1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01}};
    vr m;
    const vr e = v_whole_exponent(a, &m), f = v_sub(m, v_constant(1.0)), s = v_div(f, v_add(v_constant(2.0), f)), z = v_mul(s, s);
    const vr half = v_mul(v_mul(v_constant(0.5), f), f);
    const vr rest = v_mul(z, v_polynomial(c[KDR_CUSTOM_CHOOSE(0, 1)], KDR_CUSTOM_CHOOSE(4, 7), z));
    const vr low = mul_add(s, v_add(half, rest), v_mul(e, v_constant(kdr_custom_ln_2[1])));
    const vr ln = mul_add(e, v_constant(kdr_custom_ln_2[0]), v_sub(f, v_sub(half, low)));
    const vr at_ends = v_select(v_less(v_constant(0.0), a), a,
                                v_select(v_equal(a, v_constant(0.0)), v_sub(v_constant(0.0), v_infinity()), v_not_a_number()));
    return v_select(m_and(v_less(v_constant(0.0), a), v_less(a, v_infinity())), ln, at_ends);
}

/* Returns ln(a) for a > 0, as a sum with *low: to 64 bits in f64, 33 in f32. */
static inline vr v_precise_log(vr a, vr *low) {
    static const double c[] = {1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
    const vr third = v_constant(1.0 / 3), rest_of_third = v_constant(KDR_CUSTOM_CHOOSE(-9.934107462565104e-09, 1.850371707708594e-17));
    vr m, d_rest, p_rest, z_rest, sum_rest, cube_rest, t_rest, h_rest, ln_rest;
    const vr e = v_whole_exponent(a, &m), f = v_sub(m, v_constant(1.0)), d = v_exact_sum(m, v_constant(1.0), &d_rest), s = v_div(f, d);
    const vr p = v_exact_product(s, d, &p_rest);
    const vr s_rest = v_div(v_sub(v_sub(v_sub(f, p), p_rest), v_mul(s, d_rest)), d);
    const vr z = v_exact_product(s, s, &z_rest), zz = v_add(z_rest, v_mul(v_add(s, s), s_rest));
    const vr sum = v_exact_sum(third, v_mul(z, v_polynomial(c, KDR_CUSTOM_CHOOSE(4, 10), z)), &sum_rest);
    const vr cube = v_exact_product(z, sum, &cube_rest);
    const vr cc = v_add(cube_rest, v_add(v_mul(zz, sum), v_mul(z, v_add(sum_rest, rest_of_third))));
    const vr t = v_exact_product(s, cube, &t_rest), tt = v_add(t_rest, v_add(v_mul(s, cc), v_mul(s_rest, cube)));
    const vr h = v_exact_sum(s, t, &h_rest), hh = v_add(h_rest, v_add(s_rest, tt));
    const vr ln = v_exact_sum(v_mul(e, v_constant(kdr_custom_ln_2[0])), v_add(h, h), &ln_rest);
    return v_exact_sum(ln, v_add(v_add(ln_rest, v_add(hh, hh)), v_mul(e, v_constant(kdr_custom_ln_2[1]))), low);
}

/* Returns a^b for a >= 0; NaN below 0. a^0 is always 1. */
static inline vr v_pow(vr a, vr b) {
    const vr zero = v_constant(0.0), one = v_constant(1.0), most = v_constant(KDR_CUSTOM_CHOOSE(4294967296.0, 1.8446744073709552e+19));
    const vr bound = v_select(v_less(most, v_abs(b)), v_with_sign(most, b), b); /* powers beyond are 0, 1 or infinity */
    vr low, rest, scale;
    const vr ln = v_precise_log(a, &low), x = v_exact_product(bound, ln, &rest), part = v_exp_parts(x, &scale), e = v_mul(part, scale);
    const vm large = m_and(v_less(zero, x), v_less(x, v_constant(KDR_CUSTOM_CHOOSE(89.0, 710.0))));
    const vr base = v_select(large, part, e), near = mul_add(base, mul_add(bound, low, rest), base);
    const vr power = v_select(large, v_mul(near, scale), v_select(v_less(e, v_infinity()), near, e));
    const vm grows = m_or(m_and(v_less(zero, b), v_less(one, a)), m_and(v_less(b, zero), v_less(a, one)));
    const vr at_ends = v_select(grows, v_infinity(), zero);
    const vm inside = m_and(v_less(zero, a), v_less(a, v_infinity()));
    const vr known = v_select(m_and(v_at_most(zero, a), v_equal(b, b)), v_select(inside, power, at_ends), v_not_a_number());
    return v_select(v_equal(b, zero), one, known);
}

/* Returns n of a = n pi / 2 + *high + *low, with a rest of at most pi / 4. */
static inline vr v_reduced(vr a, vr *high, vr *low) {
    enum { PARTS_OF_PI = KDR_CUSTOM_CHOOSE(5, 4) };
    static const double half_pi[2][5] = {
        {-1.5703125, -4.837512969970703e-4, -7.549533620476723e-8, -2.5632829192545614e-12, -6.123234262925839e-17},
        {-1.5707963267341256, -6.077100506303966e-11, -2.0222662487111665e-21, -8.4784276603689e-32}};
    const double *const part = half_pi[KDR_CUSTOM_CHOOSE(0, 1)];
    const vr rounder = v_constant(KDR_CUSTOM_CHOOSE(12582912.0, 6755399441055744.0));
    const vr n = v_sub(v_add(v_mul(a, v_constant(0.63661977236758134308)), rounder), rounder);
    vr r = mul_add(n, v_constant(part[0]), a), rest = v_constant(0.0);
    KDR_CUSTOM_UNROLL for (int i = 1; i < PARTS_OF_PI; ++i) {
        vr lost;
        r = v_exact_sum(r, v_mul(n, v_constant(part[i])), &lost);
        rest = v_add(rest, lost);
    }
    *high = v_add(r, rest);
    *low = v_add(v_sub(r, *high), rest);
    return n;
}

/* Computes sine and cosine of n pi / 2 + r + rest, |r| <= pi / 4. */
static inline void v_sin_cos_of(vr n, vr r, vr rest, vr *sine, vr *cosine) {
    static const double of_sine[] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
                                     -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    static const double of_cosine[] = {1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
                                       1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
    const vr zero = v_constant(0.0), one = v_constant(1.0), minus_half = v_constant(-0.5), z = v_mul(r, r);
    const vr bend = mul_add(v_mul(r, z), v_polynomial(of_sine, KDR_CUSTOM_CHOOSE(4, 8), z), mul_add(v_mul(minus_half, z), rest, rest));
    const vr s = v_add(r, bend), most = mul_add(minus_half, z, one), lost = mul_add(minus_half, z, v_sub(one, most));
    const vr tail = mul_add(v_mul(z, z), v_polynomial(of_cosine, KDR_CUSTOM_CHOOSE(4, 7), z), v_sub(lost, v_mul(r, rest)));
    const vr c = v_add(most, tail), quarter = mul_add(v_constant(-4.0), v_floor(v_mul(n, v_constant(0.25))), n);
    const vm odd = m_or(v_equal(quarter, one), v_equal(quarter, v_constant(3.0)));
    const vr up = v_select(odd, c, s), across = v_select(odd, s, c);
    const vr sign = v_select(v_at_most(v_constant(2.0), quarter), v_constant(-1.0), one);
    const vr turned = v_select(odd, v_sub(zero, sign), sign);
    *sine = v_mul(sign, up);
    *cosine = v_mul(turned, across);
}

static inline void v_sin_cos(vr a, vr *sine, vr *cosine) {
    vr r, rest, s, c;
    const vr n = v_reduced(a, &r, &rest);
    v_sin_cos_of(n, r, rest, &s, &c);
    const vm within = v_at_most(v_abs(a), v_constant(KDR_CUSTOM_CHOOSE(8192.0, 1048576.0)));
    *sine = v_select(within, s, v_not_a_number());
    *cosine = v_select(within, c, v_not_a_number());
}

static inline vr v_sin(vr a) {
    vr sine, cosine;
    v_sin_cos(a, &sine, &cosine);
    return sine;
}

static inline vr v_cos(vr a) {
    vr sine, cosine;
    v_sin_cos(a, &sine, &cosine);
    return cosine;
}

/* Returns the angle of (x, y) from the x axis, from -pi to pi, with zeros and infinities as in C. */
static inline vr v_atan2(vr y, vr x) {
    static const double c[2][11] = {{-3.3333328366e-01, 1.9999158382e-01, -1.4253635705e-01, 1.0648017377e-01, -6.1687607318e-02},
                                    {-3.33333333333329318027e-01, 1.99999999998764832476e-01, -1.42857142725034663711e-01,
                                     1.11111104054623557880e-01, -9.09088713343650656196e-02, 7.69187620504482999495e-02,
                                     -6.66107313738753120669e-02, 5.83357013379057348645e-02, -4.97687799461593236017e-02,
                                     3.65315727442169155270e-02, -1.62858201153657823623e-02}};
    const vr pi = v_constant(KDR_CUSTOM_CHOOSE(3.1415927410125732, 3.141592653589793)),
             rest_of_pi = v_constant(KDR_CUSTOM_CHOOSE(-8.742277657347586e-08, 1.2246467991473532e-16));
    const vr zero = v_constant(0.0), one = v_constant(1.0), half = v_constant(0.5), quarter = v_constant(0.25);
    const vr ax = v_abs(x), ay = v_abs(y), large = v_max(ax, ay), small = v_min(ax, ay);
    const vr t = v_select(v_equal(small, large), v_select(v_equal(large, zero), zero, one), v_div(small, large));
    const vm steep = v_less(v_constant(0.41421356237309504880), t);
    const vr u = v_select(steep, v_div(v_sub(t, one), v_add(t, one)), t), z = v_mul(u, u);
    const vr bend = v_mul(v_mul(u, z), v_polynomial(c[KDR_CUSTOM_CHOOSE(0, 1)], KDR_CUSTOM_CHOOSE(5, 11), z));
    const vr start = v_select(steep, v_mul(quarter, pi), zero), rest = v_select(steep, v_mul(quarter, rest_of_pi), zero);
    const vr first = v_add(start, v_add(v_add(rest, bend), u));
    const vr second = v_select(v_less(ax, ay), v_sub(v_mul(half, pi), v_sub(first, v_mul(half, rest_of_pi))), first);
    const vr angle = v_select(v_less(v_with_sign(one, x), zero), v_sub(pi, v_sub(second, rest_of_pi)), second);
    return v_select(m_and(v_equal(x, x), v_equal(y, y)), v_with_sign(angle, y), v_not_a_number());
}

#include <kickdrift/custom_grid.h>

#endif
