/* One step of a splitting method, for any list of kick and drift fractions.
 *
 * A list that begins and ends with a kick keeps its last acceleration, `a`, for the next step. Included once for rows known at compile time,
 * whose STAGES are unrolled, and once for rows read at run time. */

INLINE void PASTE(PASTE(splitting_, FLAVOUR), _step)(STEP_PLAN) {
    (void)job, (void)S, (void)n, (void)fixed;
    const kdr_splitting_row *const list = row;
    const int N = D * U;
    real driven[KDR_BASE];
    STAGES(i, list->stages) {
        if (list->kick[i] != 0.0) {
            const vr kick = v_set1(h->splitting.kick[i]);
            if (!(keep && i == 0)) {
                const real *const now = base_next(&rows, terms, first, D, base, driven);
                if (keep && PREDICTS(list)) {
                    vr predicted[CHUNK_MAX];
                    EACH(m, N) { predicted[m] = mul_add(kick, a[m], v[m]); }
                    acceleration(c, terms, p, at, D, U, now, x, predicted, a);
                } else {
                    acceleration(c, terms, p, at, D, U, now, x, v, a);
                }
            }
            advance(terms, kick, N, a, v, cv);
        }
        if (list->drift[i] != 0.0) {
            advance(terms, v_set1(h->splitting.drift[i]), N, v, x, cx);
        }
    }
}
