/* One step of a splitting method, for any list of kick and drift fractions.
 *
 * A list that begins and ends with a kick keeps its last acceleration, `a`, for the next step. Included twice: for rows known at compile
 * time, whose stages are unrolled, and for rows read at run time. */

INLINE void ROW(splitting_step)(const kdr_splitting_row *row, const splitting_steps *h, const constants *c, unsigned terms, const lanes *p,
                                const real *base, const double *rows, bool keep, int first, int at, int D, int U, vr *x, vr *v, vr *a,
                                vr *cx, vr *cv) {
    const int N = D * U;
    real driven[3];
    STAGES(i, row->stages) {
        if (row->kick[i] != 0.0) {
            const vr kick = v_set1(h->kick[i]);
            if (!(keep && i == 0)) {
                const real *const now = base_next(&rows, terms, first, D, base, driven);
                if (keep && row->predicts) {
                    vr predicted[CHUNK_MAX];
                    EACH(n, N) { predicted[n] = mul_add(kick, a[n], v[n]); }
                    acceleration(c, terms, p, at, D, U, now, x, predicted, a);
                } else {
                    acceleration(c, terms, p, at, D, U, now, x, v, a);
                }
            }
            advance(terms, kick, N, a, v, cv);
        }
        if (row->drift[i] != 0.0) {
            advance(terms, v_set1(h->drift[i]), N, v, x, cx);
        }
    }
}
