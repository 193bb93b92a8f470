/* A tile of particles through all the steps of a job.
 *
 * A tile of T vectors an axis lies in the first-level cache, on the stack, and goes through a step in chunks of U; the processor overlaps
 * the chunks, which do not depend on each other, and few enough vectors are alive that none is spilled. Where the whole tile fits the
 * registers (T = U) it stays in them. The best T and U were measured (Zen 5, gcc 12, f32, spring-damper): rk4 on avx512 reaches 0.92 of
 * the fma peak with 16 and 2, 0.86 with 16 and 1, and at most 0.81 with a tile in registers; semi-implicit Euler 0.96 with 8 in registers
 * and 0.55 with 24 and 1, but on avx2, with half the registers, 24 and 1 is the better by a third. */

INLINE void ROW(step)(kdr_family family, const void *row, const coefficients *h, const constants *c, unsigned terms, const lanes *p,
                      const real *base, const double *rows, int first, int at, int D, int U, vr *x, vr *v, vr *a) {
    if (family == KDR_RUNGE_KUTTA) {
        ROW(runge_kutta_step)(row, &h->tableau, c, terms, p, base, rows, first, at, D, U, x, v);
    } else {
        ROW(splitting_step)(row, &h->fractions, c, terms, p, base, rows, first, at, D, U, x, v, a);
    }
}

INLINE bool ROW(keeps)(kdr_family family, const void *row) { return family == KDR_SPLITTING && kdr_splitting_keeps(row); }

/* Steps the tile's first `vectors` vectors, a multiple of U. */
INLINE void ROW(tile)(const kdr_job *job, kdr_family family, const void *row, const coefficients *h, const constants *c, unsigned terms,
                      const lanes *p, int first, int vectors, int D, int T, int U) {
    const bool keep = ROW(keeps)(family, row);
    tile_state s;
    real base[3];
    tile_load(p->x, D, T, U, vectors, s.x);
    tile_load(p->v, D, T, U, vectors, s.v);
    if (keep && job->resume) {
        tile_load(p->memory, D, T, U, vectors, s.a);
    } else if (keep) {
        base_load(job->start_base, first, D, base);
        CHUNKS(at, vectors, T, U) {
            vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX];
            chunk_get(s.x, at, D, T, U, x);
            chunk_get(s.v, at, D, T, U, v);
            acceleration(c, terms, p, at, D, U, base, x, v, a);
            chunk_put(s.a, at, D, T, U, a);
        }
    }
    const double *rows = job->base;
    base_load(rows, first, D, base);
    if (T == U) {
        vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX];
        chunk_get(s.x, 0, D, T, U, x);
        chunk_get(s.v, 0, D, T, U, v);
        chunk_get_or_zero(keep, s.a, 0, D, T, U, a);
        for (uint64_t n = 0; n < job->steps; ++n) {
            ROW(step)(family, row, h, c, terms, p, base, rows, first, 0, D, U, x, v, a);
            rows += job->base_stride;
        }
        chunk_put(s.x, 0, D, T, U, x);
        chunk_put(s.v, 0, D, T, U, v);
        chunk_put(s.a, 0, D, T, U, a);
    } else {
        for (uint64_t n = 0; n < job->steps; ++n) {
            CHUNKS(at, vectors, T, U) {
                vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX];
                chunk_get(s.x, at, D, T, U, x);
                chunk_get(s.v, at, D, T, U, v);
                chunk_get_or_zero(keep, s.a, at, D, T, U, a);
                ROW(step)(family, row, h, c, terms, p, base, rows, first, at, D, U, x, v, a);
                chunk_put(s.x, at, D, T, U, x);
                chunk_put(s.v, at, D, T, U, v);
                if (keep) {
                    chunk_put(s.a, at, D, T, U, a);
                }
            }
            rows += job->base_stride;
        }
    }
    tile_store(p, p->x, D, T, U, vectors, s.x);
    tile_store(p, p->v, D, T, U, vectors, s.v);
    if (keep && p->memory[0]) {
        tile_store(p, p->memory, D, T, U, vectors, s.a);
    }
}
