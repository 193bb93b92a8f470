/* Particles through all steps of a run, by a step that is constant: in registers, or in a tile in the first-level cache.
 *
 * In registers U vectors on D axes take all steps before the next ones do. In a tile of T vectors the chunks of U take a step in turn: the
 * processor overlaps them, which do not depend on each other, and few enough vectors are alive that none is spilled. A run of one step has no
 * use for a tile: it goes through the caller's arrays once. The acceleration that a method keeps is not loaded in a field that is uniform: it is
 * the same everywhere. */

typedef void step_fn(STEP_OF);

enum { AHEAD = 2048 }; /* bytes: a step of particles in memory waits for them less */

static void constants_of(const kdr_job *job, constants *c) {
    const kdr_field *const field = job->field;
    const kdr_row *const row = job->row;
    memset(c, 0, sizeof *c);
    memcpy(c->base, job->base, sizeof c->base);
    for (int i = 0; i < 3; ++i) {
        c->kx[i] = (real)field->kx[i];
        c->kv[i] = (real)field->kv[i];
        c->at[i] = (real)field->centre[0].at[i];
    }
    c->minus_mu = (real)field->centre[0].minus_mu;
    c->softening2 = (real)field->centre[0].softening2;
#ifdef KDR_FIELD_FILE
    for (int i = 0; i < KDR_MAX_PARAMETERS; ++i) {
        c->parameter[i] = (real)field->fused_entry[0].parameter[i];
    }
    c->dims = job->dims;
#endif
    if (row->info.family == KDR_SPLITTING) {
        for (int i = 0; i < row->data.splitting->stages; ++i) {
            c->kick[i] = (real)(job->dt * row->data.splitting->kick[i]);
            c->drift[i] = (real)(job->dt * row->data.splitting->drift[i]);
        }
        return;
    }
    if (row->info.family == KDR_NYSTROM) {
        const kdr_nystrom_row *const list = row->data.nystrom;
        for (int i = 0; i < list->stages; ++i) {
            for (int j = 0; j < i; ++j) {
                c->a[i][j] = (real)(job->dt * list->a[i][j] / list->c[i]);
            }
            c->c[i] = (real)(job->dt * list->c[i]);
            c->b[i] = (real)(job->dt * list->b[i]);
            c->weight[i] = (real)list->ratio[i];
        }
        c->scale = (real)(job->dt * list->scale);
        c->h = (real)job->dt;
        return;
    }
    if (row->info.family == KDR_IMPLICIT) {
        c->h = (real)job->dt;
        c->th = (real)(job->dt * row->data.implicit->c);
        for (int i = 0; i < 3; ++i) {
            const vr slope = mul_add(v_set1(c->th), v_set1(c->kx[i]), v_set1(c->kv[i]));
            const vr inverse = v_div(v_set1(1), mul_add(v_set1(-c->th), slope, v_set1(1)));
            memcpy(&c->inverse[i], &inverse, sizeof(real));
        }
        return;
    }
    const kdr_runge_kutta_row *const tableau = row->data.runge_kutta;
    for (int i = 0; i < tableau->stages; ++i) {
        for (int j = 0; j < i; ++j) {
            c->a[i][j] = (real)(job->dt * tableau->a[i][j]);
        }
        c->weight[i] = (real)tableau->ratio[i];
    }
    c->scale = (real)(job->dt * tableau->scale);
}

/* The arrays that a run steps. */
typedef struct arrays {
    char *x[3], *v[3], *a[3]; /* a: the kept acceleration, where the particles carry it */
    bool keeps, resumes;
} arrays;

/* U vectors through `steps` steps: from the caller's arrays to registers and back. */
INLINE void in_registers(const arrays *p, size_t at, uint64_t steps, step_fn *step, const void *row, int S, const constants *c,
                         unsigned field, int first, int D, int U) {
    vr x[MOST], v[MOST], a[MOST];
    EACH(i, D) {
        EACH(u, U) {
            const size_t here = at + (size_t)u * sizeof(vr);
            x[i * U + u] = v_load(p->x[first + i] + here);
            v[i * U + u] = v_load(p->v[first + i] + here);
            a[i * U + u] = v_set1(0);
        }
    }
    if (p->keeps && p->resumes && field) {
        EACH(i, D) {
            EACH(u, U) { a[i * U + u] = v_load(p->a[first + i] + at + (size_t)u * sizeof(vr)); }
        }
    } else if (p->keeps) {
        acceleration(c, field, first, D, U, x, v, a);
    }
    for (uint64_t n = 0; n < steps; ++n) {
        step(row, S, c, field, first, D, U, x, v, a);
    }
    EACH(i, D) {
        EACH(u, U) {
            const size_t here = at + (size_t)u * sizeof(vr);
            v_store(p->x[first + i] + here, x[i * U + u]);
            v_store(p->v[first + i] + here, v[i * U + u]);
        }
    }
    if (p->keeps && p->a[0]) {
        EACH(i, D) {
            EACH(u, U) { v_store(p->a[first + i] + at + (size_t)u * sizeof(vr), a[i * U + u]); }
        }
    }
}

/* A step of the chunk that begins with vector t. */
INLINE void step_chunk(bool keeps, vr *tx, vr *tv, vr *ta, int t, step_fn *step, const void *row, int S, const constants *c, unsigned field,
                       int first, int D, int T, int U) {
    vr x[MOST], v[MOST], a[MOST];
    EACH(i, D) {
        EACH(u, U) {
            x[i * U + u] = tx[i * T + t + u];
            v[i * U + u] = tv[i * T + t + u];
            a[i * U + u] = keeps && field ? ta[i * T + t + u] : v_set1(0);
        }
    }
    if (!field) {
        acceleration(c, field, first, D, U, x, v, a);
    }
    step(row, S, c, field, first, D, U, x, v, a);
    EACH(i, D) {
        EACH(u, U) {
            tx[i * T + t + u] = x[i * U + u];
            tv[i * T + t + u] = v[i * U + u];
            if (keeps && field) {
                ta[i * T + t + u] = a[i * U + u];
            }
        }
    }
}

/* A tile of T vectors through `steps` steps. `whole`: the loop over its chunks is unrolled. */
INLINE void in_cache(const arrays *p, size_t at, uint64_t steps, step_fn *step, const void *row, int S, const constants *c, unsigned field,
                     int first, int D, int T, int U, bool whole) {
    vr tx[MOST_TILE], tv[MOST_TILE], ta[MOST_TILE];
    const size_t bytes = (size_t)T * sizeof(vr);
    for (int i = 0; i < D; ++i) {
        memcpy(tx + i * T, p->x[first + i] + at, bytes);
        memcpy(tv + i * T, p->v[first + i] + at, bytes);
    }
    if (p->keeps && p->resumes && field) {
        for (int i = 0; i < D; ++i) {
            memcpy(ta + i * T, p->a[first + i] + at, bytes);
        }
    } else if (p->keeps) {
        for (int t = 0; t < T; ++t) {
            vr x[MOST], v[MOST], a[MOST];
            EACH(i, D) {
                x[i] = tx[i * T + t];
                v[i] = tv[i * T + t];
            }
            acceleration(c, field, first, D, 1, x, v, a);
            EACH(i, D) { ta[i * T + t] = a[i]; }
        }
    }
    for (uint64_t n = 0; n < steps; ++n) {
        if (whole) {
            EACH(t, T / U) { step_chunk(p->keeps, tx, tv, ta, t * U, step, row, S, c, field, first, D, T, U); }
        } else {
            for (int t = 0; t < T; t += U) {
                step_chunk(p->keeps, tx, tv, ta, t, step, row, S, c, field, first, D, T, U);
            }
        }
    }
    for (int i = 0; i < D; ++i) {
        memcpy(p->x[first + i] + at, tx + i * T, bytes);
        memcpy(p->v[first + i] + at, tv + i * T, bytes);
        if (p->keeps && p->a[0]) {
            memcpy(p->a[first + i] + at, ta + i * T, bytes);
        }
    }
}

/* T = U: in registers. So are the chunks that do not fill a tile. */
INLINE void hot_axes(const arrays *p, size_t begin, size_t end, uint64_t steps, step_fn *step, const void *row, int S, const constants *c,
                     unsigned field, int first, int D, int T, int U, bool whole) {
    const size_t chunk = (size_t)U * sizeof(vr), tile = (size_t)T * sizeof(vr);
    size_t at = begin;
    for (; T != U && steps > 1 && end - at >= tile; at += tile) {
        in_cache(p, at, steps, step, row, S, c, field, first, D, T, U, whole);
    }
    for (; at < end; at += chunk) {
        EACH(i, D) {
            __builtin_prefetch(p->x[first + i] + at + AHEAD, 1);
            __builtin_prefetch(p->v[first + i] + at + AHEAD, 1);
        }
        in_registers(p, at, steps, step, row, S, c, field, first, D, U);
    }
}

INLINE size_t hot_run(const kdr_job *job, size_t begin, size_t end, step_fn *step, const void *row, int S, bool keeps, unsigned field,
                      int D, int T, int U, bool whole) {
    const size_t chunk = (size_t)U * LANES, stop = begin + (end - begin) / chunk * chunk;
    constants c;
    arrays p = {.keeps = keeps, .resumes = job->resume};
    constants_of(job, &c);
    for (int i = 0; i < job->dims; ++i) {
        p.x[i] = job->x[i];
        p.v[i] = job->v[i];
        p.a[i] = job->memory[i];
    }
    if (D == 3) {
        hot_axes(&p, begin * sizeof(real), stop * sizeof(real), job->steps, step, row, S, &c, field, 0, 3, T, U, whole);
    } else {
        for (int axis = 0; axis < job->dims; ++axis) {
            hot_axes(&p, begin * sizeof(real), stop * sizeof(real), job->steps, step, row, S, &c, field, axis, 1, T, U, whole);
        }
    }
    return stop;
}
