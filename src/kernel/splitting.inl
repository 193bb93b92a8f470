/* One step of a splitting method, for any list of kick and drift fractions.
 *
 * A list that begins and ends with a kick keeps its last acceleration, `a`, for the next step. */

INLINE void ROW(splitting_step)(const kdr_splitting_row *row, const fraction_steps *h, const constants *c, unsigned terms, const lanes *p,
                                const real *base, const double *rows, int first, int at, int D, int U, vr *x, vr *v, vr *a) {
    const int N = D * U;
    const bool keep = kdr_splitting_keeps(row);
    real driven[3];
    STAGES(i, row->stages) {
        if (row->kick[i] != 0.0) {
            if (!(keep && i == 0)) {
                const real *const now = base_next(&rows, terms, first, D, base, driven);
                acceleration(c, terms, p, at, D, U, now, x, v, a);
            }
            advance(v_set1(h->kick[i]), N, a, v);
        }
        if (row->drift[i] != 0.0) {
            advance(v_set1(h->drift[i]), N, v, x);
        }
    }
}
