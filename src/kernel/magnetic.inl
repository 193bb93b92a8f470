/* One step of the magnetic family, in the order that method/rows_special.h sets. */

/* A number and what its rounding lost. */
typedef struct twofold {
    vr hi, lo;
} twofold;

/* Knuth, TAOCP 4.2.2 */
INLINE twofold exact_sum(vr a, vr b) {
    const vr sum = v_add(a, b);
    const vr taken = v_sub(sum, a);
    return (twofold){sum, v_add(v_sub(a, v_sub(sum, taken)), v_sub(b, taken))};
}

/* The upper half of the digits (Veltkamp). */
INLINE vr upper_half(vr a) {
    const vr c = v_mul(v_set1(SPLITTER), a);
    return v_sub(c, v_sub(c, a));
}

/* By one fma, or by halves of the factors, whose products are exact (Dekker, Numer. Math. 18 (1971) 224). */
INLINE twofold exact_product(vr a, vr b) {
    const vr product = v_mul(a, b);
#ifdef KDR_UNIT_FUSED
    return (twofold){product, v_fused(a, b, v_sub(v_set1(0), product))};
#else
    const vr ah = upper_half(a), bh = upper_half(b), al = v_sub(a, ah), bl = v_sub(b, bh);
    const vr most = v_sub(v_mul(ah, bh), product);
    return (twofold){product, v_add(v_add(v_add(most, v_mul(ah, bl)), v_mul(al, bh)), v_mul(al, bl))};
#endif
}

/* kappa = 2 / (1 + t.t); square[i]: t_i t_i */
INLINE twofold rotation_kappa(const twofold square[3]) {
    const vr two = v_set1(2);
    const twofold a = exact_sum(v_set1(1), square[0].hi), b = exact_sum(a.hi, square[1].hi), c = exact_sum(b.hi, square[2].hi);
    const vr lost = v_add(v_add(v_add(a.lo, b.lo), c.lo), v_add(v_add(square[0].lo, square[1].lo), square[2].lo));
    const vr kappa = v_div(two, c.hi);
    const twofold back = exact_product(kappa, c.hi);
    const vr rest = v_sub(v_sub(v_sub(two, back.hi), back.lo), v_mul(kappa, lost));
    return (twofold){kappa, v_div(rest, c.hi)};
}

/* Stores kappa x: the upper half of its digits, then the rest. */
INLINE void rotation_element(twofold kappa, twofold x, vr out[2]) {
    const twofold product = exact_product(kappa.hi, x.hi);
    const vr lost = v_add(product.lo, v_add(v_mul(kappa.hi, x.lo), v_mul(kappa.lo, x.hi)));
    out[0] = upper_half(product.hi);
    out[1] = v_add(v_sub(product.hi, out[0]), lost);
}

/* The matrix of the rotation less 1, kappa (T + T T) with T v = v cross t: once a run, and so not worth inlining. */
static NOINLINE void rotation_make(const vr t[3], vr out[3][3][2]) {
    const vr zero = v_set1(0);
    twofold square[3];
    EACH(i, 3) { square[i] = exact_product(t[i], t[i]); }
    const twofold kappa = rotation_kappa(square);
    EACH(i, 3) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const twofold sum = exact_sum(square[j].hi, square[k].hi);
        const vr lost = v_add(sum.lo, v_add(square[j].lo, square[k].lo));
        rotation_element(kappa, (twofold){v_sub(zero, sum.hi), v_sub(zero, lost)}, out[i][i]);
        const twofold product = exact_product(t[i], t[j]);
        const twofold above = exact_sum(product.hi, t[k]), below = exact_sum(product.hi, v_sub(zero, t[k]));
        rotation_element(kappa, (twofold){above.hi, v_add(above.lo, product.lo)}, out[i][j]);
        rotation_element(kappa, (twofold){below.hi, v_add(below.lo, product.lo)}, out[j][i]);
    }
}

INLINE bool magnetic_turns(unsigned terms, int D) { return D > 1 && (terms & KDR_TERM_MAGNETIC); }

INLINE bool magnetic_keeps(const void *row) { return (void)row, false; }

INLINE bool magnetic_remembers(bool keep) { return (void)keep, false; }

INLINE int magnetic_fixed(int D) { return D > 1 ? 2 * D * D : 0; }

INLINE bool magnetic_begins(const kdr_job *job, bool keep, bool resumed) { return (void)job, (void)keep, (void)resumed, true; }

/* The rotation of each particle of a chunk: the same for all, unless they have masses. */
INLINE void magnetic_begin(BEGIN_PLAN) {
    (void)job, (void)row, (void)S, (void)c, (void)first, (void)base, (void)resumed, (void)x, (void)v, (void)a;
    EACH(u, U) {
        vr own[3][3][2];
        if (magnetic_turns(terms, D) && (terms & KDR_TERM_MASS)) {
            const vr w = part(p->inverse_mass, at + u);
            vr t[3];
            EACH(i, 3) { t[i] = v_mul(w, v_set1(h->magnetic.t[i])); }
            rotation_make(t, own);
        } else {
            memcpy(own, h->magnetic.rotation, sizeof own);
        }
        for (int i = 0; i < D && D > 1; ++i) {
            for (int j = 0; j < D; ++j) {
                fixed[(2 * (i * D + j)) * U + u] = own[i][j][0];
                fixed[(2 * (i * D + j) + 1) * U + u] = own[i][j][1];
            }
        }
    }
}
DOES_NOT_END(magnetic)

/* v += (R - 1) v */
INLINE void magnetic_turn(unsigned terms, int D, int U, const vr *fixed, vr *v, vr *cv) {
    EACH(u, U) {
        vr old[3];
        EACH(i, D) { old[i] = v[i * U + u]; }
        EACH(i, D) {
            const vr *const row = fixed + 2 * i * D * U + u;
            vr *const c = &cv[i * U + u];
            vr turn = (terms & KDR_TERM_COMPENSATED) ? mul_add(row[U], old[0], *c) : v_mul(row[U], old[0]);
            EACH(j, D - 1) { turn = mul_add(row[(2 * (j + 1) + 1) * U], old[j + 1], turn); }
            EACH(j, D) { turn = mul_add(row[2 * j * U], old[j], turn); }
            add_increment(terms, turn, &v[i * U + u], c);
        }
    }
}

INLINE void magnetic_any_step(STEP_PLAN) {
    (void)job, (void)row, (void)S, (void)n, (void)keep;
    const int N = D * U;
    const vr half = v_set1(h->magnetic.half);
    real driven[KDR_BASE];
    advance(terms, half, N, v, x, cx);
    const real *const now = base_next(&rows, terms, first, D, base, driven);
    acceleration(c, terms & ~(unsigned)KDR_TERM_MAGNETIC, p, at, D, U, now, x, v, a);
    advance(terms, half, N, a, v, cv);
    if (magnetic_turns(terms, D)) {
        magnetic_turn(terms, D, U, fixed, v, cv);
    }
    advance(terms, half, N, a, v, cv);
    advance(terms, half, N, v, x, cx);
}
