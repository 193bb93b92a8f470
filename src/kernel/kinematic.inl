/* One step of the kinematic family, in the order that method/rows_kinematic.h sets.
 *
 * Where the map is the same for all particles its elements stay in registers: a step of exact-affine on an axis of its own is 4 fma. Where it
 * differs (affine_each, strang_each) each particle's is made by the library's one function at the beginning of a run. */

/* A map's rows for D coupled axes, or for an axis apart, D = 1: of each row the factors of v, those of x, and the constant; the rows of x
 * before those of v. MAP_SIZE(D) numbers. */
static void map_row(const kdr_affine_row *row, int first, int D, real *out) {
    for (int j = 0; j < D; ++j) {
        out[j] = (real)row->v[first + j];
        out[D + j] = (real)row->x[first + j];
    }
    out[2 * D] = (real)row->q;
}

static void map_rows(const kdr_affine_map *map, int first, int D, real *out) {
    for (int i = 0; i < D; ++i) {
        map_row(&map->x[first + i], first, D, out + i * (2 * D + 1));
        map_row(&map->v[first + i], first, D, out + (D + i) * (2 * D + 1));
    }
}

static void kinematic_steps_make(const kdr_job *job, kinematic_steps *h) {
    const kdr_kinematic_row *const row = job->row->data.kinematic;
    h->step = (real)job->dt;
    h->half = (real)(job->dt * 0.5);
    h->span = job->dt * row->span;
    h->lift[0] = (real)(0.5 * job->dt * job->dt);
    h->lift[1] = (real)(job->dt * job->dt);
    memset(h->one, 0, sizeof h->one);
    memset(h->all, 0, sizeof h->all);
    if (kdr_affine_differs(job->terms)) {
        return;
    }
    if (kdr_affine_couples(job->terms, job->dims)) {
        map_rows(job->map, 0, job->dims, h->all);
        return;
    }
    for (int i = 0; i < job->dims; ++i) {
        map_rows(job->map, i, 1, h->one[i]);
    }
}

#define STEPS_MAKE(family)                                                                                                                 \
    static UNLESS_USED void family##_steps_make(const void *row, const kdr_job *job, kinematic_steps *h) {                                 \
        (void)row, kinematic_steps_make(job, h);                                                                                           \
    }
STEPS_MAKE(affine)
STEPS_MAKE(affine_each)
STEPS_MAKE(strang)
STEPS_MAKE(strang_each)
STEPS_MAKE(sums)
STEPS_MAKE(sums_each)

/* What the arrays hold for one particle of a tile. */
static void map_own(const kdr_job *job, const lanes *p, int first, int D, size_t index, kdr_affine_own *own) {
    const size_t offset = index * sizeof(real);
    real value;
    memset(own, 0, sizeof *own);
#define OWN(to, array) (memcpy(&value, (array) + offset, sizeof value), (to) = (double)value)
    if (p->inverse_mass) {
        OWN(own->w, p->inverse_mass);
    }
    for (int s = 0; s < job->field->springs; ++s) {
        if (p->k_each[s]) {
            OWN(own->k[s], p->k_each[s]);
        }
        for (int i = 0; i < D; ++i) {
            if (p->at_each[s][i]) {
                OWN(own->at[s][first + i], p->at_each[s][i]);
            }
        }
    }
    for (int d = 0; d < job->field->drags; ++d) {
        OWN(own->b[d], p->b_each[d]);
    }
#undef OWN
}

/* The maps of one vector's particles on axes apart, all lanes at once. */
static NOINLINE void maps_of_axes(const kdr_job *job, const lanes *p, int first, int D, double span, int vector, vr *out, int U) {
    kdr_affine_own own[LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        map_own(job, p, first, D, (size_t)vector * LANES + (size_t)lane, &own[lane]);
    }
    for (int i = 0; i < D; ++i) {
        kdr_axis_rates rates;
        double made[MAP_SIZE(1)][KDR_AXIS_LANES];
        for (int lane = 0; lane < LANES; ++lane) {
            job->axis_rates(job->field, job->terms, &own[lane], first + i, lane, &rates);
        }
        job->maps(&rates, LANES, span, made);
        for (int n = 0; n < MAP_SIZE(1); ++n) {
            real element[LANES];
            for (int lane = 0; lane < LANES; ++lane) {
                element[lane] = (real)made[n][lane];
            }
            out[(i * MAP_SIZE(1) + n) * U] = v_load(element);
        }
    }
}

/* The maps of one vector's particles, a lane each, where axes are coupled or contributions are added up; equal neighbours share one. */
static NOINLINE void map_each(const kdr_job *job, const lanes *p, int first, int D, bool coupled, double span, int vector, vr *out, int U) {
    real element[2 * 3 * 7][LANES];
    kdr_affine_own own, last;
    const int size = coupled ? MAP_SIZE(D) : D * MAP_SIZE(1);
    for (int lane = 0; lane < LANES; ++lane) {
        map_own(job, p, first, D, (size_t)vector * LANES + (size_t)lane, &own);
        real rows[2 * 3 * 7];
        if (lane > 0 && memcmp(&own, &last, sizeof own) == 0) {
            for (int n = 0; n < size; ++n) {
                element[n][lane] = element[n][lane - 1];
            }
            continue;
        }
        last = own;
        kdr_affine_map map;
        if (coupled) {
            job->map_axes(job->parts, job->field, job->terms, &own, D, span, &map);
            map_rows(&map, 0, D, rows);
        } else {
            for (int i = 0; i < D; ++i) {
                job->map_axis(job->parts, job->field, job->terms, &own, first + i, span, &map);
                map_rows(&map, first + i, 1, rows + i * MAP_SIZE(1));
            }
        }
        for (int n = 0; n < size; ++n) {
            element[n][lane] = rows[n];
        }
    }
    for (int n = 0; n < size; ++n) {
        out[n * U] = v_load(element[n]);
    }
}

INLINE void kinematic_begin_each(const kdr_job *job, const kinematic_steps *h, unsigned terms, const lanes *p, int at, int first, int D,
                                 int U, vr *fixed) {
    EACH(n, MAP_SIZE(D) * U) { fixed[n] = v_set1(0); }
    const bool coupled = kdr_affine_couples(terms, D);
    for (int u = 0; u < U; ++u) {
        if (coupled || job->parts) {
            map_each(job, p, first, D, coupled, h->span, at + u, fixed + u, U);
        } else {
            maps_of_axes(job, p, first, D, h->span, at + u, fixed + u, U);
        }
    }
}

/* A row's increment of *y: the factors `m`, every `stride`th vector, of D values each of v and of x. */
INLINE void map_apply(unsigned terms, const vr *m, int D, const vr *v, const vr *x, vr *y, vr *c) {
    const bool springs = (terms & (KDR_TERM_STIFFNESS | KDR_TERM_SPRINGS)) != 0;
    const bool compensated = (terms & KDR_TERM_COMPENSATED) != 0, offset = (terms & KDR_TERM_OFFSET) != 0;
    if (D == 1 && !compensated && !offset) {
        *y = mul_add(m[0], v[0], *y);
        if (springs) {
            *y = mul_add(m[1], x[0], *y);
        }
        return;
    }
    vr sum = v_set1(0);
    if (compensated) {
        sum = offset ? v_add(*c, m[2 * D]) : *c;
    } else if (offset) {
        sum = m[2 * D];
    }
    EACH(j, D) { sum = j > 0 || compensated || offset ? mul_add(m[j], v[j], sum) : v_mul(m[j], v[j]); }
    if (springs) {
        EACH(j, D) { sum = mul_add(m[D + j], x[j], sum); }
    }
    add_increment(terms, sum, y, c);
}

/* The rows of A axes from axis i on of vector u; the map's elements from `uniform`, or from `each`, every Uth vector. */
INLINE void map_axes(unsigned terms, const real *uniform, const vr *each, int i, int A, int u, int U, vr *x, vr *v, vr *cx, vr *cv) {
    vr m[MAP_SIZE(3)], old_x[3], old_v[3];
    EACH(n, MAP_SIZE(A)) { m[n] = each ? each[n * U + u] : v_set1(uniform[n]); }
    EACH(j, A) {
        old_x[j] = x[(i + j) * U + u];
        old_v[j] = v[(i + j) * U + u];
    }
    EACH(j, A) {
        map_apply(terms, m + j * (2 * A + 1), A, old_v, old_x, &x[(i + j) * U + u], &cx[(i + j) * U + u]);
        map_apply(terms, m + (A + j) * (2 * A + 1), A, old_v, old_x, &v[(i + j) * U + u], &cv[(i + j) * U + u]);
    }
}

INLINE void kinematic_map(const kinematic_steps *h, unsigned terms, bool differs, int first, int D, int U, vr *x, vr *v, vr *cx, vr *cv,
                          const vr *fixed) {
    EACH(u, U) {
        if (kdr_affine_couples(terms, D)) {
            map_axes(terms, h->all, differs ? fixed : NULL, 0, D, u, U, x, v, cx, cv);
        } else {
            EACH(i, D) { map_axes(terms, h->one[first + i], differs ? fixed + i * MAP_SIZE(1) * U : NULL, i, 1, u, U, x, v, cx, cv); }
        }
    }
}

/* v += h a, a of the terms that are not in the map. */
INLINE void kinematic_kick(const kinematic_steps *h, const constants *c, unsigned terms, const lanes *p, int at, const real *base, int D,
                           int U, const vr *x, vr *v, vr *cv) {
    const unsigned others = terms & ~(unsigned)KDR_TERMS_AFFINE;
    const int N = D * U;
    vr a[CHUNK_MAX];
    acceleration(c, others, p, at, D, U, base, x, v, a);
    if (terms & KDR_TERMS_NOT_AFFINE_IN_V) {
        vr middle[CHUNK_MAX];
        EACH(n, N) { middle[n] = mul_add(v_set1(h->half), a[n], v[n]); }
        acceleration(c, others, p, at, D, U, base, x, middle, a);
    }
    advance(terms, v_set1(h->step), N, a, v, cv);
}

INLINE void strang_step(STEP_PLAN, bool differs) {
    (void)job, (void)row, (void)S, (void)n, (void)keep, (void)a;
    const kinematic_steps *const steps = &h->strang;
    real driven[KDR_BASE];
    kinematic_map(steps, terms, differs, first, D, U, x, v, cx, cv, fixed);
    if (terms & (KDR_TERMS_NOT_AFFINE | KDR_TERM_DRIVEN)) {
        const real *const now = base_next(&rows, terms, first, D, base, driven);
        kinematic_kick(steps, c, terms, p, at, now, D, U, x, v, cv);
    }
    kinematic_map(steps, terms, differs, first, D, U, x, v, cx, cv, fixed);
}

/* y += d, d the same for all particles; compensated by c + d. */
INLINE void kinematic_push(unsigned terms, int D, int U, const real *d, vr *y, vr *c) {
    EACH(i, D) {
        const vr push = v_set1(d[i]);
        EACH(u, U) {
            const int n = i * U + u;
            add_increment(terms, (terms & KDR_TERM_COMPENSATED) ? v_add(c[n], push) : push, &y[n], &c[n]);
        }
    }
}

INLINE bool sums_any_of(const constants *c, int late) {
    return c->begin[late].quadratic < c->end[late].quadratic || c->begin[late].centre < c->end[late].centre;
}

INLINE void sums_step(STEP_PLAN, bool differs) {
    (void)job, (void)row, (void)S, (void)n, (void)keep, (void)base;
    const kinematic_steps *const steps = &h->sums;
    const unsigned others = terms & ~(unsigned)KDR_TERMS_AFFINE;
    const int N = D * U;
    real moved[KDR_BASE];
    vr fast[CHUNK_MAX]; /* of those that contribute by pulse or euler; a: by average */
    const bool averages = sums_any_of(c, 0) || (terms & KDR_TERM_FUSED), pulses = sums_any_of(c, 1);
    const real none[KDR_BASE] = {0, 0, 0, 0};
    EACH(m, N) { fast[m] = v_set1(0); }
    if (averages) {
        acceleration(c, others, p, at, D, U, none, x, v, a);
    }
    if (pulses) {
        acceleration(c, others | KDR_TERM_LATE, p, at, D, U, none, x, v, fast);
    }
    kinematic_map(steps, terms, differs, first, D, U, x, v, cx, cv, fixed);
    if (averages) {
        advance(terms, v_set1(steps->lift[0]), N, a, x, cx);
        advance(terms, v_set1(steps->step), N, a, v, cv);
    }
    if (pulses) {
        advance(terms, v_set1(steps->lift[1]), N, fast, x, cx);
        advance(terms, v_set1(steps->step), N, fast, v, cv);
    }
    if (terms & KDR_TERM_DRIVEN) {
        base_load(rows, first, D, moved);
        kinematic_push(terms, D, U, moved, x, cx);
        base_load(rows + KDR_BASE, first, D, moved);
        kinematic_push(terms, D, U, moved, v, cv);
    }
}

#define STEP_NAMES PLAN_NAMES, at, base, rows, n, keep, x, v, a, cx, cv, fixed

INLINE void affine_any_step(STEP_PLAN) {
    (void)job, (void)row, (void)S, (void)c, (void)p, (void)at, (void)base, (void)rows, (void)n, (void)keep, (void)a;
    kinematic_map(&h->affine, terms, false, first, D, U, x, v, cx, cv, fixed);
}

INLINE void affine_each_any_step(STEP_PLAN) {
    (void)job, (void)row, (void)S, (void)c, (void)p, (void)at, (void)base, (void)rows, (void)n, (void)keep, (void)a;
    kinematic_map(&h->affine, terms, true, first, D, U, x, v, cx, cv, fixed);
}

INLINE void strang_any_step(STEP_PLAN) { strang_step(STEP_NAMES, false); }

INLINE void strang_each_any_step(STEP_PLAN) { strang_step(STEP_NAMES, true); }

INLINE void sums_any_step(STEP_PLAN) { sums_step(STEP_NAMES, false); }

INLINE void sums_each_any_step(STEP_PLAN) { sums_step(STEP_NAMES, true); }

ONLY_STEPS(affine)
ONLY_STEPS(strang)
ONLY_STEPS(sums)

#define BEGINS_WITH_MAPS(family)                                                                                                           \
    INLINE bool family##_keeps(const void *row) { return (void)row, false; }                                                               \
    INLINE bool family##_remembers(bool keep) { return (void)keep, false; }                                                                \
    INLINE int family##_fixed(int D) { return MAP_SIZE(D); }                                                                               \
    INLINE bool family##_begins(const kdr_job *job, bool keep, bool resumed) { return (void)job, (void)keep, (void)resumed, true; }        \
    INLINE void family##_begin(BEGIN_PLAN) {                                                                                               \
        (void)row, (void)S, (void)c, (void)base, (void)resumed, (void)x, (void)v, (void)a;                                                 \
        kinematic_begin_each(job, &h->family, terms, p, at, first, D, U, fixed);                                                           \
    }                                                                                                                                      \
    DOES_NOT_END(family)
BEGINS_WITH_MAPS(affine_each)
BEGINS_WITH_MAPS(strang_each)
BEGINS_WITH_MAPS(sums_each)
