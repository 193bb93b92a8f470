/* One step of the Langevin family, in the order that method/rows_special.h sets. `fixed` holds the amplitude of a particle's noise and the
 * two halves of its id. */

/* The id's halves, a lane a particle; those of padding are the last particle's. */
INLINE void langevin_ids(const lanes *p, int vector, vr *low, vr *high) {
    lane_bits halves[2][LANES];
    for (int i = 0; i < LANES; ++i) {
        const size_t at = (size_t)vector * LANES + (size_t)i, index = at < p->left ? at : p->left - 1;
        uint64_t id = p->first_id + index;
        if (p->id) {
            memcpy(&id, p->id + index * sizeof id, sizeof id);
        }
        halves[0][i] = (uint32_t)id;
        halves[1][i] = (lane_bits)(id >> 32);
    }
    *low = v_load(halves[0]);
    *high = v_load(halves[1]);
}

INLINE bool langevin_keeps(const void *row) { return (void)row, true; }

INLINE bool langevin_remembers(bool keep) { return (void)keep, false; }

INLINE int langevin_fixed(int D) { return (void)D, 3; }

INLINE bool langevin_begins(const kdr_job *job, bool keep, bool resumed) { return (void)job, (void)keep, (void)resumed, true; }

INLINE void langevin_begin(BEGIN_PLAN) {
    (void)job, (void)row, (void)S, (void)first, (void)resumed;
    acceleration(c, terms, p, at, D, U, base, x, v, a);
    EACH(u, U) {
        const vr unit = v_set1(h->langevin.noise);
        fixed[u] = (terms & KDR_TERM_MASS) ? v_mul(v_sqrt(part(p->inverse_mass, at + u)), unit) : unit;
        langevin_ids(p, at + u, &fixed[U + u], &fixed[2 * U + u]);
    }
}
DOES_NOT_END(langevin)

/* O: v += (c - 1) v + sigma xi */
INLINE void langevin_bath(const langevin_steps *h, unsigned terms, uint64_t step, int D, int U, vr *v, vr *cv, const vr *fixed) {
    const vr decay = v_set1(h->decay);
    if (h->noise == 0) {
        advance(terms, decay, D * U, v, v, cv);
        return;
    }
    vr xi[NORMALS_MAX][2];
    (D > 2 ? normals_4 : normals_2)(h->key, step, &fixed[U], &fixed[2 * U], xi);
    const int pairs = D > 2 ? 2 : 1;
    EACH(u, U) {
        EACH(i, D) {
            const int n = i * U + u;
            const vr normal = xi[pairs * u + i / 2][i % 2];
            const vr push = (terms & KDR_TERM_COMPENSATED) ? mul_add(fixed[u], normal, cv[n]) : v_mul(fixed[u], normal);
            add_increment(terms, mul_add(decay, v[n], push), &v[n], &cv[n]);
        }
    }
}

INLINE void langevin_any_step(STEP_PLAN) {
    (void)row, (void)S, (void)keep;
    const int N = D * U;
    const vr half = v_set1(h->langevin.half);
    real driven[KDR_BASE];
    advance(terms, half, N, a, v, cv);
    advance(terms, half, N, v, x, cx);
    if (h->langevin.decay != 0) {
        langevin_bath(&h->langevin, terms, job->first_step + n, D, U, v, cv, fixed);
    }
    advance(terms, half, N, v, x, cx);
    const real *const now = base_next(&rows, terms, first, D, base, driven);
    acceleration(c, terms, p, at, D, U, now, x, v, a);
    advance(terms, half, N, a, v, cv);
}
