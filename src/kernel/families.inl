/* What each family does at the start of a tile's run and in a step. Included twice, as splitting.inl is.
 *
 * A family's own values of a particle that do not change during a run (an inverse, a rotation, an amplitude of noise) are `fixed`: as many
 * vectors as FIXED says, computed once a run by `begin`. */

/* One step of a chunk. The mask of terms says whether the compensations cx and cv are carried. */
INLINE void ROW(step)(const kdr_job *job, kdr_family family, const void *row, const coefficients *h, const constants *c, unsigned terms,
                      const lanes *p, const real *base, const double *rows, uint64_t n, bool keep, int first, int at, int D, int U, vr *x,
                      vr *v, vr *a, vr *cx, vr *cv, const vr *fixed) {
    (void)job, (void)n, (void)keep, (void)fixed;
    if (family == KDR_RUNGE_KUTTA) {
        ROW(runge_kutta_step)(row, &h->runge_kutta, c, terms, p, base, rows, first, at, D, U, x, v, cx, cv);
    } else if (family == KDR_MULTISTEP) {
        multistep_step(&h->multistep, c, terms, p, base, rows, first, at, D, U, x, v, a);
    } else {
        ROW(splitting_step)(row, &h->splitting, c, terms, p, base, rows, keep, first, at, D, U, x, v, a, cx, cv);
    }
}

/* A step starts from the acceleration that the one before ended with. */
INLINE bool ROW(keeps)(kdr_family family, const void *row) {
    return family == KDR_MULTISTEP || (family == KDR_SPLITTING && kdr_splitting_keeps(row));
}

/* The particles' memory holds, between runs, what the chunk's `a` held at the end. */
INLINE bool ROW(remembers)(kdr_family family, const void *row) {
    return family == KDR_MULTISTEP || (family == KDR_SPLITTING && kdr_splitting_keeps(row));
}

INLINE bool ROW(begins)(const kdr_job *job, kdr_family family, bool keep, bool resumed) {
    return (family == KDR_SPLITTING && keep && !resumed) || (family == KDR_MULTISTEP && !(resumed && job->begun));
}

/* Before the first step of a run, for a chunk; resumed: `a` is what the particles' memory held. */
INLINE void ROW(begin)(const kdr_job *job, kdr_family family, const void *row, const coefficients *h, const constants *c, unsigned terms,
                       const lanes *p, const real *base, bool resumed, int at, int D, int U, vr *x, vr *v, vr *a, vr *fixed) {
    (void)job, (void)row, (void)fixed;
    if (family == KDR_MULTISTEP && resumed) {
        EACH(n, D * U) { v[n] = a[n]; }
    }
    if (family == KDR_SPLITTING || family == KDR_MULTISTEP) {
        acceleration(c, terms, p, at, D, U, base, x, v, a);
    }
    if (family == KDR_MULTISTEP && !resumed) {
        multistep_start(&h->multistep, D * U, x, v, a);
    }
}

INLINE bool ROW(ends)(const kdr_job *job, kdr_family family) { return family == KDR_MULTISTEP && !job->unfinished; }

/* After the last step of a run. */
INLINE void ROW(end)(kdr_family family, const void *row, const coefficients *h, int D, int U, vr *x, vr *v, vr *a) {
    (void)row;
    if (family == KDR_MULTISTEP) {
        multistep_end(&h->multistep, D * U, x, v, a);
    }
}
