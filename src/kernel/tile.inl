/* A tile of particles through all the steps of a job.
 *
 * A tile of T vectors an axis lies in the first-level cache, on the stack, and goes through a step in chunks of U; the processor overlaps
 * the chunks, which do not depend on each other, and few enough vectors are alive that none is spilled. Where the whole tile fits the
 * registers (T = U) it stays in them. The best T and U were measured (Zen 5, gcc 12, f32, spring-damper): rk4 on avx512 reaches 0.92 of
 * the fma peak with 16 and 2, 0.86 with 16 and 1, and at most 0.81 with a tile in registers; semi-implicit Euler 0.96 with 8 in registers
 * and 0.55 with 24 and 1, but on avx2, with half the registers, 24 and 1 is the better by a third. */

/* Loads what the tile's run starts from, and computes what a run needs once. */
INLINE void ROW(tile_begin)(const kdr_job *job, kdr_family family, const void *row, const coefficients *h, const constants *c,
                            unsigned terms, const lanes *p, bool keep, int first, int vectors, int D, int T, int U, tile_state *s) {
    const bool resumed = ROW(remembers)(family, row) && job->resume;
    tile_load(p->x, D, T, U, vectors, s->x);
    tile_load(p->v, D, T, U, vectors, s->v);
    if (resumed) {
        tile_load(p->memory, D, T, U, vectors, s->a);
    }
    if (terms & KDR_TERM_COMPENSATED) {
        tile_load_or_zero(job->resume, p->cx, D, T, U, vectors, s->cx);
        tile_load_or_zero(job->resume, p->cv, D, T, U, vectors, s->cv);
    }
    if (!ROW(begins)(job, family, keep, resumed)) {
        return;
    }
    const int F = FIXED(family, D);
    real base[3];
    base_load(job->start_base, first, D, base);
    CHUNKS(at, vectors, T, U) {
        vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX], fixed[CHUNK_FIXED_MAX];
        chunk_get(s->x, at, D, T, U, x);
        chunk_get(s->v, at, D, T, U, v);
        chunk_get_or_zero(resumed, s->a, at, D, T, U, a);
        ROW(begin)(job, family, row, h, c, terms, p, base, resumed, at, D, U, x, v, a, fixed);
        chunk_put(s->v, at, D, T, U, v);
        if (keep) {
            chunk_put(s->a, at, D, T, U, a);
        }
        chunk_put(s->fixed, at, F, T, U, fixed);
    }
}

INLINE void ROW(tile_end)(const kdr_job *job, kdr_family family, const void *row, const coefficients *h, unsigned terms, const lanes *p,
                          int vectors, int D, int T, int U, tile_state *s) {
    if (ROW(ends)(job, family)) {
        CHUNKS(at, vectors, T, U) {
            vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX];
            chunk_get(s->x, at, D, T, U, x);
            chunk_get(s->v, at, D, T, U, v);
            chunk_get(s->a, at, D, T, U, a);
            ROW(end)(family, row, h, D, U, x, v, a);
            chunk_put(s->v, at, D, T, U, v);
            chunk_put(s->a, at, D, T, U, a);
        }
    }
    tile_store(p, p->x, D, T, U, vectors, s->x);
    tile_store(p, p->v, D, T, U, vectors, s->v);
    if (ROW(remembers)(family, row) && p->memory[0]) {
        tile_store(p, p->memory, D, T, U, vectors, s->a);
    }
    if ((terms & KDR_TERM_COMPENSATED) && p->cx[0]) {
        tile_store(p, p->cx, D, T, U, vectors, s->cx);
        tile_store(p, p->cv, D, T, U, vectors, s->cv);
    }
}

/* Steps the tile's first `vectors` vectors, a multiple of U. */
INLINE void ROW(tile)(const kdr_job *job, kdr_family family, const void *row, const coefficients *h, const constants *c, unsigned terms,
                      const lanes *p, int first, int vectors, int D, int T, int U) {
    const bool keep = ROW(keeps)(family, row); /* once: what lies in memory could change with every store, for all the compiler knows */
    const bool compensated = (terms & KDR_TERM_COMPENSATED) != 0;
    const int F = FIXED(family, D);
    tile_state s;
    ROW(tile_begin)(job, family, row, h, c, terms, p, keep, first, vectors, D, T, U, &s);
    const double *rows = job->base;
    real base[3];
    base_load(rows, first, D, base);
    if (T == U) {
        vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX], cx[CHUNK_MAX], cv[CHUNK_MAX], fixed[CHUNK_FIXED_MAX];
        chunk_get(s.x, 0, D, T, U, x);
        chunk_get(s.v, 0, D, T, U, v);
        chunk_get_or_zero(keep, s.a, 0, D, T, U, a);
        chunk_get_or_zero(compensated, s.cx, 0, D, T, U, cx);
        chunk_get_or_zero(compensated, s.cv, 0, D, T, U, cv);
        chunk_get(s.fixed, 0, F, T, U, fixed);
        for (uint64_t n = 0; n < job->steps; ++n) {
            ROW(step)(job, family, row, h, c, terms, p, base, rows, n, keep, first, 0, D, U, x, v, a, cx, cv, fixed);
            rows += job->base_stride;
        }
        chunk_put(s.x, 0, D, T, U, x);
        chunk_put(s.v, 0, D, T, U, v);
        chunk_put(s.a, 0, D, T, U, a);
        chunk_put(s.cx, 0, D, T, U, cx);
        chunk_put(s.cv, 0, D, T, U, cv);
    } else {
        for (uint64_t n = 0; n < job->steps; ++n) {
            CHUNKS(at, vectors, T, U) {
                vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX], cx[CHUNK_MAX], cv[CHUNK_MAX], fixed[CHUNK_FIXED_MAX];
                chunk_get(s.x, at, D, T, U, x);
                chunk_get(s.v, at, D, T, U, v);
                chunk_get_or_zero(keep, s.a, at, D, T, U, a);
                chunk_get(s.fixed, at, F, T, U, fixed);
                chunk_get_or_zero(compensated, s.cx, at, D, T, U, cx);
                chunk_get_or_zero(compensated, s.cv, at, D, T, U, cv);
                ROW(step)(job, family, row, h, c, terms, p, base, rows, n, keep, first, at, D, U, x, v, a, cx, cv, fixed);
                chunk_put(s.x, at, D, T, U, x);
                chunk_put(s.v, at, D, T, U, v);
                if (keep) {
                    chunk_put(s.a, at, D, T, U, a);
                }
                if (compensated) {
                    chunk_put(s.cx, at, D, T, U, cx);
                    chunk_put(s.cv, at, D, T, U, cv);
                }
            }
            rows += job->base_stride;
        }
    }
    ROW(tile_end)(job, family, row, h, terms, p, vectors, D, T, U, &s);
}
