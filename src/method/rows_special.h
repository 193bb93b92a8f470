/* Families without coefficients. The order of their operations is part of the contract.
 *
 * Everywhere p + k y is one fma in the fused arithmetic, a product and a sum in the unfused one. So is y += h k, which is compensated
 * where the run is. Each operation of a value that is computed "without fma" is rounded in both.
 *
 * MAGNETIC (boris, vay, higuera-cary)
 *   x += (h/2) v;  a = a(x, t + h/2) without the magnetic terms;  v += (h/2) a;  v += (R - 1) v;  v += (h/2) a;  x += (h/2) v.
 * R rotates by 2 atan |t| about t = (h/2) w m, m the folded field's charge times b and w the inverse mass: with c = (v + v cross t) cross t
 * it is v += kappa c, kappa = 2 / (1 + t.t). In a plane t has its third element alone, on one axis or without a magnetic term R = 1.
 * (h/2) m is computed in double and rounded once; times w without fma. If a custom field has a magnetic term too (CUSTOM_MAGNETIC in
 * force/field.h), or the run is relativistic, m differs from particle to particle and is divided by the mass, and t = (h/2) m, the product
 * of rounded numbers.
 *
 * RELATIVISTIC: v is momentum over mass, u; q = 1 / c^2 rounded once; gamma(u) = sqrt(1 + q u.u), u.u = ((u_0 u_0) + u_1 u_1) + u_2 u_2,
 * each + one fma; w = u (1 / gamma(u)). In squares and products u and q are in units of the power of two in c, so that they do not
 * overflow. Without the magnetic terms each step is without what has m.
 *   boris         w at u;  x += (h/2) w;  a, m;  u += (h/2) a;  m = m (1 / gamma(u));  u += (R - 1) u;  u += (h/2) a;  w;  x += (h/2) w
 *   higuera-cary  the same, but m = m (1 / gamma-bar(u, (h/2) m))
 *   vay           w at u;  x += (h/2) w;  a, m;  u += (h/2) a;  a += w cross m, as CUSTOM_MAGNETIC;  u += (h/2) a;
 *                 m = m (1 / gamma-bar(u, (h/2) m));  u += 1/2 (R - 1) u, the elements halved;  w at u;  x += (h/2) w
 * gamma-bar(u, t), gamma at the mean of u and of what t makes of it: p = u.t, b = t.t, s = (1 + q u.u) - b, d = b + (q p) p, one fma;
 * r = sqrt(s s + 4 d), one fma; the root of (s + r) / 2, or, where s is below 0 and the sum would cancel, of (d + d) / (r - s). Where
 * gamma(u)^2 + b is above 2^62 in f32, 2^510 in f64, s and p are divided by four times that, b by its square, and the root multiplied.
 *
 * Computed in this way |v| would drift: by 2 t.t / (1 + t.t) ulp a step from kappa's own rounding, and for some fields, where the angle is
 * a nice one, by a few hundredths of an ulp from the others, which then repeat. So c is multiplied out, kappa c = (R - 1) v with the matrix
 * R - 1 = kappa (T + T T), T v = v cross t. Its elements are known to twice the precision, each as two numbers. `hi` is the upper half of
 * its digits, so that a product with it is rounded often enough for the other, `lo`, to take effect.
 *   (R - 1)_ij = lo_i0 v_0 (compensated: c_i + lo_i0 v_0), then + lo_ij v_j for j = 1, 2, then + hi_ij v_j for j = 0, 1, 2; added to v_i.
 * With these elements the energy changes as in a random walk of roundings. As v += kappa c it drifts far more, even with kappa to twice the
 * precision, and so it does if each step rounds the exact rotation correctly.
 *
 * The elements, without fma but in exact products, which are exact however they are computed: (p, e) = a b is the rounded product and its
 * error, (s, e) = a + b the rounded sum and its error, `upper` Veltkamp's splitting, c = (2^12 + 1) a (f64: 2^27 + 1), c - (c - a).
 *   q_i = t_i t_i;  (a, a') = 1 + q_0;  (b, b') = a + q_1;  (s, s') = b + q_2;  s' = ((a' + b') + s') + ((q_0' + q_1') + q_2')
 *   kappa = 2 / s;  (r, r') = kappa s;  kappa' = (((2 - r) - r') - kappa s') / s
 *   for (i, j, k) = (0, 1, 2), (1, 2, 0), (2, 0, 1):
 *   element ii of T + T T: (g, g') = q_j + q_k;  -g, -(g' + (q_j' + q_k'))
 *   elements ij and ji: (p, p') = t_i t_j;  (g, g') = p + t_k and p + (-t_k);  g, g' + p'
 *   kappa times (g, g'): (z, z') = kappa g;  hi = upper(z);  lo = (z - hi) + (z' + (kappa g' + kappa' g))
 * Negations are 0 - y.
 *
 * LANGEVIN (baoab)
 *   v += (h/2) a;  x += (h/2) v;  v += (c - 1) v + sigma xi;  x += (h/2) v;  a = a(x, t + h);  v += (h/2) a, and a serves the next step.
 * c - 1 = expm1(-(friction h)) and noise = sqrt(temperature (-expm1(-2 (friction h)))) in double, fused, by the library's own expm1
 * (particles/functions.h); sigma = sqrt(w) noise, without masses noise. The increment c - 1 serves weak friction: c rounded to f32 would be
 * off by 3e-8, which is 3 % of friction h = 1e-6.
 *   sigma xi (compensated: c_i + sigma xi), then + (c - 1) v; added to v. When (rounded) noise is 0, v += (c - 1) v as a kick is added;
 *   when c - 1 is 0, nothing.
 *
 * The noise xi is one number per particle, axis and step: blocks of four 32-bit words by Philox 4x32-10 with the seed as the key and the
 * counter (step mod 2^32, step / 2^32 + 2^31, id mod 2^32, id / 2^32); of f64 a second block with 2^30 more in the second word. A pair of
 * normals is made of two numbers of two halves each, high and low: of f32 the upper and lower 16 bits of a word (first pair: words 0 and 1;
 * second: words 2 and 3), of f64 two words (first block, second block). B = 16 or 32 are the bits of a half. The first pair gives axes 0
 * and 1, the second axis 2. Box and Muller: r = sqrt(-2 ln u), r cos, r sin.
 *   u = (high + (low + 1/2) 2^-B) 2^-B, one rounding, from 2^-(2B+1) to 1.
 *   u = m 2^e, m from sqrt(1/2), as rounded, to less than twice that; s = (m - 1) / (m + 1), z = s s;
 *   l = 1/3 + z (1/5 + z (1/7 + ...)), 4 terms of f32, 10 of f64, by fma from the last; ln m = 2s + (2s z) l, one fma;
 *   -2 ln u = -2 ln m + e (-2 ln 2), one fma.
 *   The second number's top bits: sign of the first normal, sign of the second, which of the two gets the sine; of the B - 3 others
 *   f = (high + (low + 1/2) 2^-B) 2^-(B-3), one rounding; the angle is f (pi/4), y = angle angle;
 *   sin = angle + (angle y) (-1/3! + y (1/5! - ...)), 4 terms or 8; cos = 1 + y (-1/2! + y (1/4! - ...)), 5 terms or 8; each fma from the
 *   last.
 * Every coefficient is the double nearest to the fraction, rounded to the precision.
 */
#ifndef KDR_METHOD_ROWS_SPECIAL_H
#define KDR_METHOD_ROWS_SPECIAL_H

/* The relativistic variants of a magnetic method; without a speed of light they are equal. */
typedef struct kdr_magnetic_row {
    bool means;  /* gamma is taken at the mean of u before and after */
    bool halves; /* the first half of the magnetic force uses u before, the other half u after */
} kdr_magnetic_row;

static const kdr_magnetic_row kdr_row_boris = {.means = false};

static const kdr_magnetic_row kdr_row_higuera_cary = {.means = true};

static const kdr_magnetic_row kdr_row_vay = {.means = true, .halves = true};

#endif
