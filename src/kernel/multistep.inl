/* Stormer-Verlet, x_{n+1} = 2 x_n - x_{n-1} + h^2 a_n.
 *
 * During a run a chunk's `v` holds x_{n-1}, and `a` the acceleration at x_n. The sum is x_n + ((x_n - x_{n-1}) + h^2 a_n): the difference
 * is exact where x does not change by more than its half, and the increment, before it is rounded into a position, is what the velocity is
 * made of.
 *
 * Each step hands x to x_{n-1}, a copy a vector: of avx512's registers they leave room for a tile of 6, not the 8 of the splitting methods
 * (f32, a spring: 10.2 G evaluations a second against 7.2, velocity Verlet 9.8). */
#ifndef TILE_MULTI_1
#define TILE_MULTI_1 TILE_SPLIT_1
#define CHUNK_MULTI_1 CHUNK_SPLIT_1
#endif

/* x_{-1} = x_0 + (h^2/2 a_0 - h v_0), in place of v_0. */
INLINE void multistep_start(const multistep_steps *h, int N, const vr *x, vr *v, const vr *a) {
    const vr minus_h = v_set1(h->minus_h), half_square = v_set1(h->half_square);
    EACH(n, N) { v[n] = v_add(x[n], mul_add(half_square, a[n], v_mul(minus_h, v[n]))); }
}

INLINE void multistep_step(const multistep_steps *h, const constants *c, unsigned terms, const lanes *p, const real *base,
                           const double *rows, int first, int at, int D, int U, vr *x, vr *v, vr *a) {
    const int N = D * U;
    real driven[3];
    const vr square = v_set1(h->square);
    EACH(n, N) {
        const vr increment = mul_add(square, a[n], v_sub(x[n], v[n]));
        v[n] = x[n];
        x[n] = v_add(x[n], increment);
    }
    acceleration(c, terms, p, at, D, U, base_next(&rows, terms, first, D, base, driven), x, v, a);
}

/* v_n = (x_{n+1} - x_{n-1}) / 2h with x_{n+1} = x_n + increment, not rounded to a position; x_{n-1} goes into `a`. */
INLINE void multistep_end(const multistep_steps *h, int N, const vr *x, vr *v, vr *a) {
    const vr square = v_set1(h->square), twice = v_set1(h->twice);
    EACH(n, N) {
        const vr before = v[n], last = v_sub(x[n], before);
        v[n] = v_div(v_add(last, mul_add(square, a[n], last)), twice);
        a[n] = before;
    }
}
