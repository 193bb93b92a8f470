/* Particles through all steps of a run, by a step that is constant: in registers, or in a tile in the first-level cache.
 *
 * In registers U vectors on D axes take all steps before the next ones do. In a tile of T vectors the chunks of U take J steps in turn: the
 * processor overlaps them, which do not depend on each other, few enough vectors are alive that none is spilled, and a load and a store
 * serve J steps. A run of one step has no use for a tile: it goes through the caller's arrays once. The acceleration that a method keeps is
 * not loaded in a field that is uniform: it is the same everywhere. The caller's arrays are copied chunk by chunk: gcc makes `rep movs` of
 * a memcpy as long as a tile, which takes a twelfth of a run of 100 cheap steps. */

typedef void step_fn(STEP_OF);

enum { AHEAD = 2048 }; /* bytes: a step of particles in memory waits for them less */

static void constants_of(const kdr_job *job, constants *c) {
    const kdr_field *const field = job->field;
    const kdr_row *const row = job->row;
    kdr_scaled scaled = {0};
    memset(c, 0, sizeof *c);
    memcpy(c->base, job->base, sizeof c->base);
    for (int i = 0; i < 3; ++i) {
        c->force[i] = (real)field->f[i];
        c->kx[i] = (real)field->kx[i];
        c->kv[i] = (real)field->kv[i];
        c->at[i] = (real)field->centre[0].at[i];
    }
    c->minus_mu = (real)field->centre[0].minus_mu;
    c->softening2 = (real)field->centre[0].softening2;
#ifdef KDR_FIELD_FILE
    for (int i = 0; i < KDR_MAX_PARAMETERS; ++i) {
        c->parameter[i] = (real)field->custom_entry[0].parameter[i];
    }
    c->dims = job->dims;
#endif
    row->family->scale(row, job->dt, &scaled);
    for (size_t i = 0; i < sizeof scaled.scaled / sizeof *scaled.scaled; ++i) {
        c->scaled[i] = (real)scaled.scaled[i];
    }
    for (int i = 0; i < 3 && row->data.implicit; ++i) {
        const vr slope = mul_add(v_set1(c->th), v_set1(c->kx[i]), v_set1(c->kv[i]));
        const vr inverse = v_div(v_set1(1), mul_add(v_set1(-c->th), slope, v_set1(1)));
        memcpy(&c->inverse[i], &inverse, sizeof(real));
    }
}

/* The arrays that a run steps. */
typedef struct arrays {
    char *x[3], *v[3], *a[3]; /* a: the kept acceleration, where the particles carry it */
    const char *w;            /* the inverse masses, in fields with MASS */
    bool keeps, resumes;
} arrays;

/* U vectors on D axes from the caller's arrays, and back. */
INLINE void load(const arrays *p, size_t at, const constants *c, unsigned field, int first, int D, int U, vr *w, vr *x, vr *v, vr *a) {
    EACH(u, U) { w[u] = (field & MASS) ? v_load(p->w + at + (size_t)u * sizeof(vr)) : v_set1(1); }
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
        acceleration(c, field, first, D, U, w, x, v, a);
    }
}

/* Frozen particles stay what they are. */
INLINE void put_back(char *array, size_t at, bool masses, int U, const vr *w, const vr *y) {
    EACH(u, U) {
        char *const to = array + at + (size_t)u * sizeof(vr);
        v_store(to, masses ? v_select_zero(w[u], v_load(to), y[u]) : y[u]);
    }
}

INLINE void store(const arrays *p, size_t at, unsigned field, int first, int D, int U, const vr *w, const vr *x, const vr *v, const vr *a) {
    const bool masses = (field & MASS) != 0;
    EACH(i, D) {
        put_back(p->x[first + i], at, masses, U, w, x + i * U);
        put_back(p->v[first + i], at, masses, U, w, v + i * U);
    }
    if (p->keeps && p->a[0]) {
        EACH(i, D) { put_back(p->a[first + i], at, masses, U, w, a + i * U); }
    }
}

/* U vectors through `steps` steps in registers. */
INLINE void in_registers(const arrays *p, size_t at, uint64_t steps, step_fn *step, const void *row, int S, const constants *c,
                         unsigned field, int first, int D, int U) {
    vr w[MOST], x[MOST], v[MOST], a[MOST];
    load(p, at, c, field, first, D, U, w, x, v, a);
    for (uint64_t n = 0; n < steps; ++n) {
        step(row, S, c, field, first, D, U, w, x, v, a);
    }
    store(p, at, field, first, D, U, w, x, v, a);
}

/* A tile: [(i * T + t)] is vector t on axis i. */
typedef struct cached {
    vr x[MOST_TILE], v[MOST_TILE], a[MOST_TILE], w[MOST_TILE];
} cached;

/* The chunk that begins with vector t, from the tile and back. The acceleration lies there if `keeps`. */
INLINE void take_chunk(const cached *from, bool keeps, int t, int D, int T, int U, vr *x, vr *v, vr *a) {
    EACH(i, D) {
        EACH(u, U) {
            x[i * U + u] = from->x[i * T + t + u];
            v[i * U + u] = from->v[i * T + t + u];
            a[i * U + u] = keeps ? from->a[i * T + t + u] : v_set1(0);
        }
    }
}

INLINE void give_chunk(cached *to, bool keeps, int t, int D, int T, int U, const vr *x, const vr *v, const vr *a) {
    EACH(i, D) {
        EACH(u, U) {
            to->x[i * T + t + u] = x[i * U + u];
            to->v[i * T + t + u] = v[i * U + u];
            if (keeps) {
                to->a[i * T + t + u] = a[i * U + u];
            }
        }
    }
}

INLINE void take_masses(const cached *from, bool masses, int t, int U, vr *w) {
    EACH(u, U) { w[u] = masses ? from->w[t + u] : v_set1(1); }
}

INLINE void give_masses(cached *to, bool masses, int t, int U, const vr *w) {
    if (masses) {
        EACH(u, U) { to->w[t + u] = w[u]; }
    }
}

/* A tile of T vectors through `steps` steps, each chunk J of them at a time. */
INLINE void in_cache(const arrays *p, size_t at, uint64_t steps, step_fn *step, const void *row, int S, const constants *c, unsigned field,
                     int first, int D, int T, int U, int J) {
    cached all;
    vr w[MOST], x[MOST], v[MOST], a[MOST];
    const bool masses = (field & MASS) != 0, keeps = p->keeps && field;
    for (int t = 0; t < T; t += U) {
        load(p, at + (size_t)t * sizeof(vr), c, field, first, D, U, w, x, v, a);
        give_chunk(&all, keeps, t, D, T, U, x, v, a);
        give_masses(&all, masses, t, U, w);
    }
    for (uint64_t left = steps; left > 0;) {
        const uint64_t now = left < (uint64_t)J ? left : (uint64_t)J;
        for (int t = 0; t < T; t += U) {
            take_chunk(&all, keeps, t, D, T, U, x, v, a);
            take_masses(&all, masses, t, U, w);
            if (!field) {
                acceleration(c, field, first, D, U, w, x, v, a);
            }
            uint64_t n = now;
            do {
                step(row, S, c, field, first, D, U, w, x, v, a);
            } while (--n > 0);
            give_chunk(&all, keeps, t, D, T, U, x, v, a);
        }
        left -= now;
    }
    for (int t = 0; t < T; t += U) {
        take_chunk(&all, keeps, t, D, T, U, x, v, a);
        take_masses(&all, masses, t, U, w);
        if (!field) {
            acceleration(c, field, first, D, U, w, x, v, a);
        }
        store(p, at + (size_t)t * sizeof(vr), field, first, D, U, w, x, v, a);
    }
}

/* T = U: in registers. So are the chunks that do not fill a tile. */
INLINE void hot_axes(const arrays *p, size_t begin, size_t end, uint64_t steps, step_fn *step, const void *row, int S, const constants *c,
                     unsigned field, int first, int D, int T, int U, int J) {
    const size_t chunk = (size_t)U * sizeof(vr), tile = (size_t)T * sizeof(vr);
    size_t at = begin;
    for (; T != U && steps > 1 && end - at >= tile; at += tile) {
        in_cache(p, at, steps, step, row, S, c, field, first, D, T, U, J);
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
                      int D, int T, int U, int J) {
    const size_t chunk = (size_t)U * LANES, stop = begin + (end - begin) / chunk * chunk;
    constants c;
    arrays p = {.keeps = keeps, .resumes = job->resume, .w = job->inverse_mass};
    constants_of(job, &c);
    for (int i = 0; i < job->dims; ++i) {
        p.x[i] = job->x[i];
        p.v[i] = job->v[i];
        p.a[i] = job->memory[i];
    }
    if (D == 3 && (field & CENTRE) && fused_roots(job->fused_roots) && suits_roots(c.minus_mu)) {
        hot_axes(&p, begin * sizeof(real), stop * sizeof(real), job->steps, step, row, S, &c, field | FUSED_ROOTS, 0, 3, T, U, J);
    } else if (D == 3) {
        hot_axes(&p, begin * sizeof(real), stop * sizeof(real), job->steps, step, row, S, &c, field, 0, 3, T, U, J);
    } else {
        for (int axis = 0; axis < job->dims; ++axis) {
            hot_axes(&p, begin * sizeof(real), stop * sizeof(real), job->steps, step, row, S, &c, field, axis, 1, T, U, J);
        }
    }
    return stop;
}
