/* One step of an explicit Runge-Kutta method whose row is read at run time, in the order of kdr_runge_kutta_row (method/rows.h).
 *
 * Included for rows whose number of stages is known at compile time, S: unrolled, their slopes in registers as far as they fit; and for all
 * others, S = 0: their slopes lie in the first-level cache. */
#define RUNGE_KUTTA(name) PASTE(PASTE(PASTE(runge_kutta_, FLAVOUR), _), name)

/* The weighed sums of the slopes of x and of v. */
INLINE void RUNGE_KUTTA(weigh)(const runge_kutta_steps *h, int stages, int N, vr kx[][CHUNK_MAX], vr kv[][CHUNK_MAX], vr *sumx, vr *sumv) {
    vr runx[CHUNK_MAX], runv[CHUNK_MAX];
    EACH(n, N) { runx[n] = runv[n] = sumx[n] = sumv[n] = v_set1(0); }
    STAGES(i, stages) {
        const unsigned how = h->weighs[i];
        if (how & JOINS) {
            EACH(n, N) {
                runx[n] = v_add(runx[n], kx[i][n]);
                runv[n] = v_add(runv[n], kv[i][n]);
            }
        } else if (how & COUNTS) {
            EACH(n, N) {
                runx[n] = kx[i][n];
                runv[n] = kv[i][n];
            }
        }
        const vr ratio = v_set1(h->ratio[i]);
        if (how & FIRST) {
            EACH(n, N) {
                sumx[n] = v_mul(ratio, runx[n]);
                sumv[n] = v_mul(ratio, runv[n]);
            }
        } else if (how & ENDS) {
            EACH(n, N) {
                sumx[n] = mul_add(ratio, runx[n], sumx[n]);
                sumv[n] = mul_add(ratio, runv[n], sumv[n]);
            }
        }
    }
}

INLINE void RUNGE_KUTTA(step)(STEP_PLAN) {
    (void)job, (void)n, (void)keep, (void)a, (void)fixed;
    const runge_kutta_steps *const steps = &h->runge_kutta;
    const int stages = S > 0 ? S : ((const kdr_runge_kutta_row *)row)->stages, N = D * U;
    vr kx[KDR_MAX_STAGES][CHUNK_MAX], kv[KDR_MAX_STAGES][CHUNK_MAX], sumx[CHUNK_MAX], sumv[CHUNK_MAX];
    real driven[KDR_BASE];
    STAGES(i, stages) {
        vr xs[CHUNK_MAX], vs[CHUNK_MAX], as[CHUNK_MAX];
        EACH(m, N) {
            xs[m] = x[m];
            vs[m] = v[m];
        }
        EARLIER(j, i, KDR_MAX_STAGES) {
            if (steps->used[i] >> j & 1) {
                const vr factor = v_set1(steps->a[i][j]);
                EACH(m, N) {
                    xs[m] = mul_add(factor, kx[j][m], xs[m]);
                    vs[m] = mul_add(factor, kv[j][m], vs[m]);
                }
            }
        }
        const real *const now = base_next(&rows, terms, first, D, base, driven);
        acceleration(c, terms, p, at, D, U, now, xs, vs, as);
        EACH(m, N) {
            kx[i][m] = vs[m];
            kv[i][m] = as[m];
        }
    }
    RUNGE_KUTTA(weigh)(steps, stages, N, kx, kv, sumx, sumv);
    advance(terms, v_set1(steps->scale), N, sumx, x, cx);
    advance(terms, v_set1(steps->scale), N, sumv, v, cv);
}

#undef RUNGE_KUTTA
