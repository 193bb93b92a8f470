/* A tile of particles through all the steps of a job: included once for each FAMILY and FLAVOUR of its rows.
 *
 * A tile of T vectors an axis lies in the first-level cache, on the stack, and goes through a step in chunks of U; the processor overlaps
 * the chunks, which do not depend on each other, and few enough vectors are alive that none is spilled (tile_in_cache). Where the whole tile
 * fits the registers, T = U, it stays in them (tile_in_registers). The best T and U were measured (Zen 5, gcc 12, f32, spring-damper): rk4 on
 * avx512 reaches 0.92 of the fma peak with 16 and 2, 0.86 with 16 and 1, and at most 0.81 with a tile in registers; semi-implicit Euler
 * 0.96 with 8 in registers and 0.55 with 24 and 1, but on avx2, with half the registers, 24 and 1 is the better by a third. */
#define HOOK(name) PASTE(PASTE(FAMILY, _), name)
#define TILE_(name) PASTE(PASTE(PASTE(PASTE(tile_, FAMILY), _), FLAVOUR), name)
#define STEP PASTE(PASTE(PASTE(FAMILY, _), FLAVOUR), _step)

/* Loads what the tile's run starts from, and computes what a run needs once. */
INLINE void TILE_(_begin)(PLAN, bool keep, int vectors, int T, tile_state *s) {
    const bool resumed = HOOK(remembers)(keep) && job->resume;
    tile_load(p->x, D, T, U, vectors, s->x);
    tile_load(p->v, D, T, U, vectors, s->v);
    tile_load_or_zero(resumed, p->memory, D, T, U, vectors, s->a);
    const bool carried = (terms & KDR_TERM_COMPENSATED) && job->resume;
    tile_load_or_zero(carried, p->cx, D, T, U, vectors, s->cx);
    tile_load_or_zero(carried, p->cv, D, T, U, vectors, s->cv);
    if (!HOOK(begins)(job, keep, resumed)) {
        return;
    }
    const int F = HOOK(fixed)(D);
    real base[KDR_BASE];
    base_load(job->start_base, first, D, base);
    CHUNKS(at, vectors, T, U) {
        vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX], fixed[CHUNK_FIXED_MAX];
        chunk_get(s->x, at, D, T, U, x);
        chunk_get(s->v, at, D, T, U, v);
        chunk_get_or_zero(keep, s->a, at, D, T, U, a);
        HOOK(begin)(PLAN_NAMES, at, base, resumed, x, v, a, fixed);
        chunk_put(s->v, at, D, T, U, v);
        if (keep) {
            chunk_put(s->a, at, D, T, U, a);
        }
        chunk_put(s->fixed, at, F, T, U, fixed);
    }
}

INLINE void TILE_(_end)(PLAN, bool keep, int vectors, int T, tile_state *s) {
    (void)job, (void)row, (void)c, (void)S, (void)first;
    if (HOOK(ends)(job)) {
        CHUNKS(at, vectors, T, U) {
            vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX];
            chunk_get(s->x, at, D, T, U, x);
            chunk_get(s->v, at, D, T, U, v);
            chunk_get(s->a, at, D, T, U, a);
            HOOK(end)(h, D * U, x, v, a);
            chunk_put(s->v, at, D, T, U, v);
            chunk_put(s->a, at, D, T, U, a);
        }
    }
    tile_store(p, p->x, D, T, U, vectors, s->x);
    tile_store(p, p->v, D, T, U, vectors, s->v);
    if (HOOK(remembers)(keep) && p->memory[0]) {
        tile_store(p, p->memory, D, T, U, vectors, s->a);
    }
    if ((terms & KDR_TERM_COMPENSATED) && p->cx[0]) {
        tile_store(p, p->cx, D, T, U, vectors, s->cx);
        tile_store(p, p->cv, D, T, U, vectors, s->cv);
    }
}

/* What is done after a step: constraints and colliders, the boundary, and what a method keeps of a particle that they have moved. `rows`:
 * the base values of the step's evaluations, of which a method that keeps its acceleration makes the last one at the end of the step. */
INLINE void TILE_(_after)(PLAN, int at, int T, const real *base, const double *rows, bool keep, const tile_state *s, vr *x, vr *v, vr *a,
                          vr *cx, vr *cv) {
    (void)row, (void)S, (void)h;
    vm hit[CHUNK_MAX], gone[CHUNK_MAX];
    bool any = false, lost = false;
    EACH(u, U) {
        hit[u] = m_none();
        gone[u] = (terms & KDR_TERM_ABSORBING) ? absorbed(c, at, D, T, u, s->x) : m_none();
        lost = lost || m_any(gone[u]);
    }
    if (terms & KDR_TERM_COLLIDERS) {
        collide(job, p, at, D, T, U, s->x, s->v, gone, x, v, hit);
    }
    if (terms & KDR_TERM_PERIODIC) {
        wrap(c, D, U, x, hit);
    }
    EACH(u, U) { any = any || m_any(hit[u]); }
    if (any && keep) {
        vr fresh[CHUNK_MAX];
        real driven[KDR_BASE];
        const double *end = job->base_stride ? rows + job->base_stride - KDR_BASE : rows;
        acceleration(c, terms, p, at, D, U, base_next(&end, terms, first, D, base, driven), x, v, fresh);
        EACH(n, D * U) { a[n] = v_select(hit[n % U], fresh[n], a[n]); }
    }
    if (any && (terms & KDR_TERM_COMPENSATED)) {
        EACH(n, D * U) {
            cx[n] = v_select(hit[n % U], v_set1(0), cx[n]);
            cv[n] = v_select(hit[n % U], v_set1(0), cv[n]);
        }
    }
    if (lost) {
        EACH(i, D) {
            EACH(u, U) {
                const int n = i * U + u, m = i * T + at + u;
                x[n] = v_select(gone[u], s->x[m], x[n]);
                v[n] = v_select(gone[u], s->v[m], v[n]);
                a[n] = keep ? v_select(gone[u], s->a[m], a[n]) : a[n];
                cx[n] = (terms & KDR_TERM_COMPENSATED) ? v_select(gone[u], s->cx[m], cx[n]) : cx[n];
                cv[n] = (terms & KDR_TERM_COMPENSATED) ? v_select(gone[u], s->cv[m], cv[n]) : cv[n];
            }
        }
    }
}

/* Steps the tile's first `vectors` vectors, a multiple of U. */
INLINE void TILE_(_in_cache)(PLAN, int vectors, int T) {
    const bool keep = HOOK(keeps)(row); /* once: what lies in memory could change with every store, for all the compiler knows */
    const bool compensated = (terms & KDR_TERM_COMPENSATED) != 0;
    const int F = HOOK(fixed)(D);
    tile_state s;
    TILE_(_begin)(PLAN_NAMES, keep, vectors, T, &s);
    const double *rows = job->base;
    real base[KDR_BASE];
    base_load(rows, first, D, base);
    for (uint64_t n = 0; n < job->steps; ++n) {
        CHUNKS(at, vectors, T, U) {
            vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX], cx[CHUNK_MAX], cv[CHUNK_MAX], fixed[CHUNK_FIXED_MAX];
            chunk_get(s.x, at, D, T, U, x);
            chunk_get(s.v, at, D, T, U, v);
            chunk_get_or_zero(keep, s.a, at, D, T, U, a);
            chunk_get(s.fixed, at, F, T, U, fixed);
            chunk_get_or_zero(compensated, s.cx, at, D, T, U, cx);
            chunk_get_or_zero(compensated, s.cv, at, D, T, U, cv);
            STEP(PLAN_NAMES, at, base, rows, n, keep, x, v, a, cx, cv, fixed);
            if ((terms & KDR_TERMS_AFTER) && !all_clear(c, terms, at, D, T, U, s.x, x)) {
                TILE_(_after)(PLAN_NAMES, at, T, base, rows, keep, &s, x, v, a, cx, cv);
            }
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
    TILE_(_end)(PLAN_NAMES, keep, vectors, T, &s);
}

/* The same for T = U: a full tile. Of constant masks, after which nothing is done. */
INLINE void TILE_(_in_registers)(PLAN, int vectors, int T) {
    const bool keep = HOOK(keeps)(row);
    const bool compensated = (terms & KDR_TERM_COMPENSATED) != 0;
    const int F = HOOK(fixed)(D);
    tile_state s;
    TILE_(_begin)(PLAN_NAMES, keep, vectors, T, &s);
    const double *rows = job->base;
    real base[KDR_BASE];
    base_load(rows, first, D, base);
    vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX], cx[CHUNK_MAX], cv[CHUNK_MAX], fixed[CHUNK_FIXED_MAX];
    chunk_get(s.x, 0, D, T, U, x);
    chunk_get(s.v, 0, D, T, U, v);
    chunk_get_or_zero(keep, s.a, 0, D, T, U, a);
    chunk_get(s.fixed, 0, F, T, U, fixed);
    chunk_get_or_zero(compensated, s.cx, 0, D, T, U, cx);
    chunk_get_or_zero(compensated, s.cv, 0, D, T, U, cv);
    for (uint64_t n = 0; n < job->steps; ++n) {
        STEP(PLAN_NAMES, 0, base, rows, n, keep, x, v, a, cx, cv, fixed);
        rows += job->base_stride;
    }
    chunk_put(s.x, 0, D, T, U, x);
    chunk_put(s.v, 0, D, T, U, v);
    chunk_put(s.a, 0, D, T, U, a);
    if (compensated) {
        chunk_put(s.cx, 0, D, T, U, cx);
        chunk_put(s.cv, 0, D, T, U, cv);
    }
    TILE_(_end)(PLAN_NAMES, keep, vectors, T, &s);
}

#undef HOOK
#undef TILE_
#undef STEP
