/* Stormer-Verlet, x_{n+1} = 2 x_n - x_{n-1} + h^2 a_n.
 *
 * During a run a chunk's `v` holds x_{n-1}, and `a` the acceleration at x_n. The sum is x_n + ((x_n - x_{n-1}) + h^2 a_n): the difference
 * is exact where x does not change by more than its half, and the increment, before it is rounded into a position, is what the velocity is
 * made of. */

/* x_{-1} = x_0 + (h^2/2 a_0 - h v_0), in place of v_0. */
INLINE void multistep_start(const multistep_steps *h, int N, const vr *x, vr *v, const vr *a) {
    const vr minus_h = v_set1(h->minus_h), half_square = v_set1(h->half_square);
    EACH(n, N) { v[n] = v_add(x[n], mul_add(half_square, a[n], v_mul(minus_h, v[n]))); }
}

INLINE void multistep_any_step(STEP_PLAN) {
    (void)job, (void)row, (void)S, (void)n, (void)keep, (void)cx, (void)cv, (void)fixed;
    const int N = D * U;
    real driven[KDR_BASE];
    const vr square = v_set1(h->multistep.square);
    EACH(m, N) {
        const vr increment = mul_add(square, a[m], v_sub(x[m], v[m]));
        v[m] = x[m];
        x[m] = v_add(x[m], increment);
    }
    acceleration(c, terms, p, at, D, U, base_next(&rows, terms, first, D, base, driven), x, v, a);
}

/* v_n = (x_{n+1} - x_{n-1}) / 2h with x_{n+1} = x_n + increment, not rounded to a position; x_{n-1} goes into `a`. */
INLINE void multistep_end(const coefficients *h, int N, vr *x, vr *v, vr *a) {
    const vr square = v_set1(h->multistep.square), twice = v_set1(h->multistep.twice);
    EACH(n, N) {
        const vr before = v[n], last = v_sub(x[n], before);
        v[n] = v_div(v_add(last, mul_add(square, a[n], last)), twice);
        a[n] = before;
    }
}

INLINE bool multistep_keeps(const void *row) { return (void)row, true; }

INLINE bool multistep_remembers(bool keep) { return (void)keep, true; }

INLINE int multistep_fixed(int D) { return (void)D, 0; }

INLINE bool multistep_begins(const kdr_job *job, bool keep, bool resumed) { return (void)keep, !(resumed && job->begun); }

INLINE void multistep_begin(BEGIN_PLAN) {
    (void)job, (void)row, (void)S, (void)first, (void)fixed;
    if (resumed) {
        EACH(n, D * U) { v[n] = a[n]; }
    }
    acceleration(c, terms, p, at, D, U, base, x, v, a);
    if (!resumed) {
        multistep_start(&h->multistep, D * U, x, v, a);
    }
}

INLINE bool multistep_ends(const kdr_job *job) { return !job->unfinished; }
