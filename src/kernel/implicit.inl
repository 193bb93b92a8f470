/* One step of an implicit method of one stage, in affine fields by the inverse of J that `begin` has left, in others by Newton's iteration.
 *
 * The equation and the order of the operations are those of kdr_implicit_row (method/rows_implicit.h). An affine step costs, beside its two
 * evaluations, 10 operations a component where the axes are separate, and 8 + 2 D where they are coupled. */

/* G = S + M of a vector of particles, all D by D, and what becomes of it. */
typedef struct slope_matrix {
    vr e[3][3];
} slope_matrix;

/* From the field's symmetric slopes s of vector u of a chunk. */
INLINE slope_matrix slope_whole(const constants *c, unsigned terms, const lanes *p, int at, int u, int D, int U, const vr *s) {
    slope_matrix g;
    EACH(i, D) {
        g.e[i][i] = s[i * U + u];
        EACH(j, D) {
            if (j != i) {
                g.e[i][j] = s[BESIDE(i, j, D) * U + u];
            }
        }
    }
    if (D > 1 && (terms & KDR_TERM_MAGNETIC)) {
        const bool masses = (terms & KDR_TERM_MASS) != 0;
        const vr w = masses ? part(p->inverse_mass, at + u) : v_set1(1);
        EACH(i, D) {
            EACH(j, D) {
                if (i < j) {
                    const vr m = v_set1(c->magnetic[3 - i - j]);
                    const vr skew = masses ? v_mul(m, w) : m, sum = v_add(g.e[i][j], skew), difference = v_sub(g.e[i][j], skew);
                    g.e[i][j] = j == i + 1 ? sum : difference;
                    g.e[j][i] = j == i + 1 ? difference : sum;
                }
            }
        }
    }
    return g;
}

#if (KDR_FIELD_FLAGS) & KDR_FIELD_SLOPES
/* Adds those of the caller's own field to vector u's. */
INLINE void fused_slopes(const constants *c, unsigned terms, const lanes *p, int at, int u, int D, int U, real t, vr th, const vr *x,
                         const vr *v, slope_matrix *g) {
    const bool masses = (terms & KDR_TERM_MASS) && !((KDR_FIELD_FLAGS)&KDR_FIELD_ACCELERATION);
    vr xs[3], vs[3], s[3][3];
    EACH(i, D) {
        xs[i] = x[i * U + u];
        vs[i] = ((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) ? v[i * U + u] : v_set1(0);
        EACH(j, D) { s[i][j] = v_set1(0); }
    }
    for (int e = 0; e < c->fused_entries; ++e) {
        const kdr_at now = fused_at(c, terms, p, e, at + u, D, t);
        kdr_field_add_slopes(&now, th, xs, vs, s, D);
    }
    EACH(i, D) {
        EACH(j, D) { g->e[i][j] = masses ? mul_add(part(p->inverse_mass, at + u), s[i][j], g->e[i][j]) : v_add(g->e[i][j], s[i][j]); }
    }
}
#else
#define fused_slopes(c, terms, p, at, u, D, U, t, th, x, v, g) (void)0
#endif

/* The cofactors of J = 1 - th G, and its determinant. */
INLINE slope_matrix jacobian_cofactors(vr th, vr minus_th, int D, const slope_matrix *g, vr *det) {
    slope_matrix b, n, cofactor; /* th G; minus that; both beside the diagonal */
    vr d[3];
    EACH(i, D) {
        d[i] = mul_add(minus_th, g->e[i][i], v_set1(1));
        EACH(j, D) {
            b.e[i][j] = v_mul(th, g->e[i][j]);
            n.e[i][j] = v_mul(minus_th, g->e[i][j]);
        }
    }
    if (D == 1) {
        cofactor.e[0][0] = v_set1(1);
        *det = d[0];
    } else if (D == 2) {
        cofactor.e[0][0] = d[1];
        cofactor.e[0][1] = b.e[0][1];
        cofactor.e[1][0] = b.e[1][0];
        cofactor.e[1][1] = d[0];
        *det = mul_add(d[0], d[1], v_mul(n.e[0][1], b.e[1][0]));
    } else {
        EACH(i, 3) {
            const int j = (i + 1) % 3, k = (i + 2) % 3, low = j < k ? j : k, high = j < k ? k : j;
            cofactor.e[i][i] = mul_add(d[j], d[k], v_mul(n.e[low][high], b.e[high][low]));
            cofactor.e[i][j] = mul_add(b.e[i][j], d[k], v_mul(b.e[i][k], b.e[k][j]));
            cofactor.e[i][k] = mul_add(b.e[i][k], d[j], v_mul(b.e[i][j], b.e[j][k]));
        }
        *det = mul_add(d[0], cofactor.e[0][0], mul_add(n.e[0][1], cofactor.e[1][0], v_mul(n.e[0][2], cofactor.e[2][0])));
    }
    return cofactor;
}

/* J does not differ from particle to particle: its inverse stands in the first vector of a chunk alone. */
INLINE bool implicit_uniform(unsigned terms) { return !(terms & (KDR_TERM_MASS | KDR_TERM_SPRINGS | KDR_TERM_DRAGS)); }

/* Axes that do not feel each other, stepped together all the same. */
INLINE bool implicit_separate(unsigned terms, int D) { return D == 1 || !(terms & KDR_TERMS_COUPLED); }

/* Once a run: J^-1 of an affine field, D by D, element (i, j) in fixed[(i * D + j) * U + u]. */
INLINE void implicit_begin(BEGIN_PLAN) {
    (void)job, (void)row, (void)S, (void)first, (void)base, (void)resumed, (void)x, (void)v, (void)a;
    const implicit_steps *const steps = &h->implicit;
    EACH(n, D * D * U) { fixed[n] = v_set1(0); }
    if (terms & KDR_TERMS_NOT_AFFINE) {
        return;
    }
    const vr th = v_set1(steps->stage), minus_th = v_set1(-steps->stage);
    vr s[2 * CHUNK_MAX];
    slope_begin(c, terms, p, at, D, U, steps->stage, s);
    if (terms & KDR_TERM_MASS) {
        slope_masses(p, at, D, U, s);
    }
    EACH(u, U) {
        const slope_matrix g = slope_whole(c, terms, p, at, u, D, U, s);
        if (implicit_separate(terms, D)) {
            EACH(i, D) { fixed[i * (D + 1) * U + u] = v_div(v_set1(1), mul_add(minus_th, g.e[i][i], v_set1(1))); }
        } else {
            vr det;
            const slope_matrix cofactor = jacobian_cofactors(th, minus_th, D, &g, &det);
            EACH(i, D) {
                EACH(j, D) { fixed[(i * D + j) * U + u] = v_div(cofactor.e[i][j], det); }
            }
        }
    }
}

/* J^-1 r in an affine field. */
INLINE void implicit_solve(unsigned terms, int D, int U, const vr *fixed, const vr *r, vr *out) {
    EACH(u, U) {
        const int w = implicit_uniform(terms) ? 0 : u;
        EACH(i, D) {
            if (implicit_separate(terms, D)) {
                out[i * U + u] = v_mul(fixed[i * (D + 1) * U + w], r[i * U + u]);
                continue;
            }
            out[i * U + u] = v_mul(fixed[i * D * U + w], r[u]);
            EACH(j, D) {
                if (j > 0) {
                    out[i * U + u] = mul_add(fixed[(i * D + j) * U + w], r[j * U + u], out[i * U + u]);
                }
            }
        }
    }
}

/* In an affine field: A = J^-1 a(x + th v, v, t), V = v + th A, and what is left, D = J^-1 (a(x + th V, V, t) - A). */
INLINE void implicit_affine(const implicit_steps *h, const constants *c, unsigned terms, const lanes *p, const real *base, int at, int D,
                            int U, const vr *x, const vr *v, const vr *fixed, vr *a, vr *stage_v, vr *left) {
    const vr th = v_set1(h->stage);
    vr y[CHUNK_MAX], r[CHUNK_MAX];
    EACH(n, D * U) { y[n] = mul_add(th, v[n], x[n]); }
    acceleration(c, terms, p, at, D, U, base, y, v, r);
    implicit_solve(terms, D, U, fixed, r, a);
    EACH(n, D * U) {
        stage_v[n] = mul_add(th, a[n], v[n]);
        y[n] = mul_add(th, stage_v[n], x[n]);
    }
    acceleration(c, terms, p, at, D, U, base, y, stage_v, r);
    EACH(n, D * U) { r[n] = v_sub(r[n], a[n]); }
    implicit_solve(terms, D, U, fixed, r, left);
}

/* The same in any field, with as many iterations as the row says. */
INLINE void implicit_newton(const implicit_steps *h, const constants *c, unsigned terms, const lanes *p, const real *base, int at, int D,
                            int U, const vr *x, const vr *v, vr *a, vr *stage_v, vr *left) {
    const vr th = v_set1(h->stage), minus_th = v_set1(-h->stage);
    EACH(n, D * U) {
        a[n] = left[n] = v_set1(0);
        stage_v[n] = v[n];
    }
    for (int iteration = 0; iteration < h->iterations; ++iteration) {
        vr y[CHUNK_MAX], r[CHUNK_MAX], s[2 * CHUNK_MAX];
        EACH(n, D * U) {
            a[n] = v_add(a[n], left[n]);
            stage_v[n] = mul_add(th, a[n], v[n]);
            y[n] = mul_add(th, stage_v[n], x[n]);
        }
        acceleration_and_slope(c, terms, p, at, D, U, base, y, stage_v, r, h->stage, s);
        EACH(u, U) {
            slope_matrix g = slope_whole(c, terms, p, at, u, D, U, s);
            fused_slopes(c, terms, p, at, u, D, U, base[3], th, y, stage_v, &g);
            EACH(i, D) { r[i * U + u] = v_sub(r[i * U + u], a[i * U + u]); }
            if (implicit_separate(terms, D)) {
                EACH(i, D) { left[i * U + u] = v_mul(v_div(v_set1(1), mul_add(minus_th, g.e[i][i], v_set1(1))), r[i * U + u]); }
                continue;
            }
            vr det;
            const slope_matrix cofactor = jacobian_cofactors(th, minus_th, D, &g, &det);
            const vr inverse = v_div(v_set1(1), det);
            EACH(i, D) {
                vr sum = v_mul(cofactor.e[i][0], r[u]);
                EACH(j, D) {
                    if (j > 0) {
                        sum = mul_add(cofactor.e[i][j], r[j * U + u], sum);
                    }
                }
                left[i * U + u] = v_mul(inverse, sum);
            }
        }
    }
}

INLINE void implicit_any_step(STEP_PLAN) {
    (void)job, (void)row, (void)S, (void)n, (void)keep;
    const implicit_steps *const steps = &h->implicit;
    const int N = D * U;
    real driven[KDR_BASE];
    const real *const now = base_next(&rows, terms, first, D, base, driven);
    vr stage_v[CHUNK_MAX], left[CHUNK_MAX];
    if (terms & KDR_TERMS_NOT_AFFINE) {
        implicit_newton(steps, c, terms, p, now, at, D, U, x, v, a, stage_v, left);
    } else {
        implicit_affine(steps, c, terms, p, now, at, D, U, x, v, fixed, a, stage_v, left);
    }
    const vr th = v_set1(steps->stage), step = v_set1(steps->step);
    EACH(m, N) { stage_v[m] = mul_add(th, left[m], stage_v[m]); }
    advance(terms, step, N, stage_v, x, cx);
    advance(terms, step, N, left, v, cv);
    advance(terms, step, N, a, v, cv);
}

INLINE bool implicit_keeps(const void *row) { return (void)row, false; }

INLINE bool implicit_remembers(bool keep) { return (void)keep, false; }

INLINE int implicit_fixed(int D) { return D * D; }

INLINE bool implicit_begins(const kdr_job *job, bool keep, bool resumed) { return (void)job, (void)keep, (void)resumed, true; }

DOES_NOT_END(implicit)
