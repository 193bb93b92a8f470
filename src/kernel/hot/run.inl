/* Particles through all steps of a run, by a step that is constant: in registers, or in a tile in the first-level cache.
 *
 * In registers U vectors on D axes take all steps before the next ones do. In a tile of T vectors the chunks of U take J steps in turn: the
 * processor overlaps them, which do not depend on each other, few enough vectors are alive that none is spilled, and a load and a store
 * serve J steps. A run of one step has no use for a tile: it goes through the caller's arrays once. The acceleration that a method keeps is
 * not loaded in a field that is uniform: it is the same everywhere. */

typedef void step_fn(STEP_OF);

/* Numbers of the field on D axes from `first` on; constant indices keep them in registers. */
INLINE void field_constants(const kdr_job *job, unsigned terms, int first, int D, constants *c) {
    const kdr_field *const field = job->field;
    const real *const base = (const real *)job->base;
    EACH(i, D) {
        c->base[i] = base[first + i];
        c->force[i] = (real)field->f[first + i];
        c->kx[i] = (real)field->kx[first + i];
        c->kv[i] = (real)field->kv[first + i];
        c->at[i] = (real)field->centre[0].at[i];
        if (job->row->data.implicit) {
            const vr slope = mul_add(v_set1(c->th), v_set1(c->kx[i]), v_set1(c->kv[i]));
            const vr inverse = v_div(v_set1(1), mul_add(v_set1(-c->th), slope, v_set1(1)));
            memcpy(&c->inverse[i], &inverse, sizeof(real));
        }
        if (terms & MAPPED) {
            memcpy(c->row[i], c->map[first + i], sizeof c->row[i]);
        }
    }
#ifdef KDR_FIELD_FILE
    c->first = first;
#endif
}

static void constants_of(const kdr_job *job, constants *c) {
    const kdr_field *const field = job->field;
    for (int i = 0; i < job->scaled_count; ++i) {
        c->scaled[i] = ((const real *)job->scaled_row)[i];
    }
    c->minus_mu = (real)field->centre[0].minus_mu;
    c->softening2 = (real)field->centre[0].softening2;
    if (job->wall_count > 0) {
        memcpy(&c->ground, job->walls, sizeof c->ground); /* not a pointer: a store might change what it points to */
    }
#ifdef KDR_FIELD_FILE
    for (int i = 0; i < KDR_MAX_PARAMETERS; ++i) {
        c->parameter[i] = (real)field->custom_entry[0].parameter[i];
    }
    c->dims = job->dims;
#endif
}

/* What a run steps: columns of x, v and the kept acceleration for each axis, the caller's or a tile's; NULL: there is none. */
typedef struct arrays {
    char *column[3][3];
    const char *w; /* the inverse masses, in fields with MASS */
    size_t ahead;
    ptrdiff_t from;
} arrays;

/* A tile: [i * T + t] of a column is vector t on axis i. */
typedef struct cached {
    vr column[3][MOST_TILE], w[MOST_TILE];
} cached;

/* Frozen particles stay what they are in `old`, if there are inverse masses. */
INLINE void put_back(char *to, const char *old, const char *w, vr y) { v_store(to, w ? v_select_zero(v_load(w), v_load(old), y) : y); }

/* U vectors side by side, of which what is there already is not written: a step of particles that fall along one axis takes 0.8 of the
 * time where they come from the second or third cache (Zen 3). */
INLINE void put_change(char *to, bool elsewhere, const vr *before, const vr *y, int U) {
    vi change = i_set1(0);
    EACH(u, U) { change = i_or(change, i_xor(v_bits(before[u]), v_bits(y[u]))); }
    if (elsewhere || i_any(change)) {
        EACH(u, U) { v_store(to + (size_t)u * sizeof(vr), y[u]); }
    }
}

INLINE void move(char *to, const char *from, const char *w, size_t bytes) {
    for (size_t at = 0; at < bytes; at += sizeof(vr)) {
        put_back(to + at, to + at, w ? w + at : NULL, v_load(from + at));
    }
}

/* `bytes` of each column from `at` on into a tile whose columns have T vectors, or `back`: whole vectors, for gcc makes `rep movs` of a
 * memcpy as long as a tile, which takes a twelfth of a run of 100 cheap steps. In a tile frozen particles move, and are left there. */
static __attribute__((noinline)) void copy(const arrays *p, size_t at, cached *tile, int T, size_t bytes, bool back) {
    const char *const w = p->w ? p->w + at : NULL;
    for (int n = 0; n < 9; ++n) {
        char *const theirs = p->column[n / 3][n % 3], *const ours = (char *)(tile->column[n / 3] + (ptrdiff_t)(n % 3) * T);
        if (theirs && back) {
            move(theirs + at, ours, w, bytes);
        } else if (theirs) {
            move(ours, theirs + at, NULL, bytes);
        }
    }
    if (w && !back) {
        move((char *)tile->w, w, NULL, bytes);
    }
}

/* All steps of a chunk, the ground behind each of them where there is one. */
INLINE void take_steps(uint64_t steps, step_fn *step, const void *row, int S, const constants *c, unsigned field, int D, int U, const vr *w,
                       vr *x, vr *v, vr *a) {
    do {
        vr x0[MOST], v0[MOST];
        if (field & GROUND) {
            EACH(n, D * U) {
                x0[n] = x[n];
                v0[n] = v[n];
            }
        }
        step(row, S, c, field, D, U, w, x, v, a);
        if (field & GROUND) {
            meet_ground(c, U, x0, v0, x, v);
        }
    } while (--steps > 0);
}

/* With ALIGNED_OPERANDS what an instruction takes from memory must lie at a multiple of a vector's size; loads of what may lie elsewhere
 * are instructions of their own (velocity Verlet beside a spring and a drag, f64: 24 a vector, and 20). TWO_BODIES: whether methods of
 * one stage, splittings and implicit rows have a body for tiles alone: on sse2 semi-implicit Euler takes 0.93 to 0.97 of the time so,
 * implicit rows 0.92 to 0.96; in rows of more stages it is a fifth of the text for little. */
#ifdef ALIGNED_OPERANDS
#define TWO_BODIES(field, keeps) (((field) & ~(unsigned)GROUND) != 0)

INLINE vr load(const char *at, bool aligned) { return aligned ? *(const vr *)(const void *)at : v_load(at); }

INLINE bool are_aligned(const arrays *p, size_t at, int D) {
    uintptr_t all = (uintptr_t)p->w | at;
    EACH(n, 3) {
        EACH(i, D) { all |= (uintptr_t)p->column[n][i]; }
    }
    return all % sizeof(vr) == 0;
}
#else
#define TWO_BODIES(field, keeps) ((keeps) && ((field) & CENTRE) != 0)

INLINE vr load(const char *at, bool aligned) {
    (void)aligned;
    return v_load(at);
}

INLINE bool are_aligned(const arrays *p, size_t at, int D) {
    (void)p, (void)at, (void)D;
    return true;
}
#endif

/* The accelerations to go on from, vector by vector of a tile. */
INLINE void begin_tile(char *const column[3][3], const char *w, size_t bytes, const constants *c, unsigned field, int D) {
    for (size_t at = 0; at < bytes; at += sizeof(vr)) {
        const vr mass = (field & MASS) ? v_load(w + at) : v_set1(1);
        vr x[3], v[3], a[3];
        EACH(i, D) {
            x[i] = v_load(column[0][i] + at);
            v[i] = v_load(column[1][i] + at);
        }
        acceleration(c, field, D, 1, &mass, x, v, a);
        EACH(i, D) { v_store(column[2][i] + at, a[i]); }
    }
}

/* U vectors on D axes through `steps` steps in registers. `fresh`: there is no acceleration to go on from; `held`: the columns are the
 * caller's, where frozen particles stay; `spares`: of what falls, v is not written where it stays what it is, nor an acceleration that was
 * read; `aligned`: columns lie at multiples of a vector. gcc makes operands of loads where nothing branches between them and the step. */
INLINE void through(char *const column[3][3], char *const seen[3][3], const char *inverse_mass, size_t at, bool fresh, bool held,
                    uint64_t steps, step_fn *step, const void *row, int S, bool keeps, bool spares, bool aligned, const constants *c,
                    unsigned field, int D, int U) {
    const bool masses = (field & MASS) != 0, uniform = (field & ~(unsigned)GROUND) == 0;
    vr w[MOST], x[MOST], v[MOST], a[MOST], before[MOST];
    EACH(u, U) { w[u] = masses ? load(inverse_mass + at + (size_t)u * sizeof(vr), aligned) : v_set1(1); }
    EACH(i, D) {
        EACH(u, U) {
            const size_t here = at + (size_t)u * sizeof(vr);
            x[i * U + u] = load(seen[0][i] + here, aligned);
            v[i * U + u] = before[i * U + u] = load(seen[1][i] + here, aligned);
            a[i * U + u] = v_set1(0);
        }
    }
    if (keeps && !fresh && !uniform) {
        EACH(i, D) {
            EACH(u, U) { a[i * U + u] = load(column[2][i] + at + (size_t)u * sizeof(vr), aligned); }
        }
    } else if (keeps) {
        acceleration(c, field, D, U, w, x, v, a);
    }
    take_steps(steps, step, row, S, c, field, D, U, w, x, v, a);
    /* A tile always has the column; and what falls has in it what it would write there. */
    const bool remembers = keeps && !(spares && !fresh) && (!held || column[2][0]);
    EACH(i, D) {
        if (spares) {
            put_change(column[1][i] + at, seen[1][i] != column[1][i], before + i * U, v + i * U, U);
        }
        EACH(u, U) {
            const size_t here = at + (size_t)u * sizeof(vr);
            const char *const mass = masses && held ? inverse_mass + here : NULL;
            put_back(column[0][i] + here, seen[0][i] + here, mass, x[i * U + u]);
            if (!spares) {
                put_back(column[1][i] + here, seen[1][i] + here, mass, v[i * U + u]);
            }
            if (remembers) {
                put_back(column[2][i] + here, column[2][i] + here, mass, a[i * U + u]);
            }
        }
    }
}

/* Where x, v and a lie, in the tile if there is one, and where they are seen before a step. */
INLINE void find_columns(const arrays *p, cached *tile, int D, int T, char *seen[3][3], char *column[3][3]) {
    EACH(n, 3) {
        EACH(i, D) {
            column[n][i] = tile ? (char *)(tile->column[n] + (ptrdiff_t)i * T) : p->column[n][i];
            seen[n][i] = column[n][i] + (tile ? 0 : p->from);
        }
    }
}

/* The chunks from `first` to `end` through all steps, J of them at a time, tile by tile in the cache; where they lie if the tile is a
 * chunk (T = U, all steps at a time), or nothing is gained and they lie as operands must. One body serves both, but where a second one
 * is measured to be faster: in a tile a method that keeps its acceleration always has one to go on from. */
INLINE void hot_axes(const arrays *p, size_t first, size_t end, bool resumes, uint64_t steps, step_fn *step, const void *row, int S,
                     bool keeps, const constants *c, unsigned field, int D, int T, int U, int J) {
    const size_t chunk = (size_t)U * sizeof(vr), room = (size_t)T * sizeof(vr);
    const bool has_tile = T != U, two_bodies = has_tile && S <= 1 && step != splitting_any_step && TWO_BODIES(field, keeps);
    const bool spares = !has_tile && S == 0 && (field & ~(unsigned)GROUND) == 0;
    const bool aligned = two_bodies || are_aligned(p, first, D);
    cached all;
    for (size_t at = first, bytes = 0; at < end; at += bytes) {
        const bool copied = has_tile && (steps > (uint64_t)J || !aligned);
        const size_t from = copied ? 0 : at;
        const char *const w = copied ? (const char *)all.w : p->w;
        char *seen[3][3], *column[3][3]; /* not a copy of `arrays`: that would wait for what was just written */
        bytes = copied && room < end - at ? room : end - at;
        find_columns(p, copied ? &all : NULL, D, T, seen, column);
        if (copied) {
            copy(p, at, &all, T, bytes, false);
        }
        bool fresh = !resumes;
        if (two_bodies && keeps && copied && fresh) {
            begin_tile(column, w, bytes, c, field, D);
        }
        for (uint64_t left = steps, now = 0; left > 0; left -= now, fresh = false) {
            now = !has_tile ? steps : J == 1 || left > (uint64_t)J ? (uint64_t)J : left;
            if (two_bodies && copied) {
                char *ours[3][3]; /* not `column`: these are one pointer to the compiler */
                EACH(n, 3) {
                    EACH(i, D) { ours[n][i] = (char *)(all.column[n] + (ptrdiff_t)i * T); }
                }
                for (size_t t = 0; t < bytes; t += chunk) {
                    through(ours, ours, (char *)all.w, t, false, false, now, step, row, S, keeps, false, true, c, field, D, U);
                }
                continue;
            }
            for (size_t t = from; t < from + bytes; t += chunk) {
                EACH(i, D) {
                    if (!copied && p->ahead) {
                        __builtin_prefetch(column[0][i] + t + p->ahead, 1);
                        __builtin_prefetch(column[1][i] + t + p->ahead, 1);
                    }
                }
                through(column, seen, w, t, fresh, !copied, now, step, row, S, keeps, spares, has_tile && !two_bodies, c, field, D, U);
            }
        }
        if (copied) {
            copy(p, at, &all, T, bytes, true);
        }
    }
}

INLINE size_t whole_chunks(size_t begin, size_t end, int U) {
    const size_t chunk = (size_t)U * LANES;
    return begin + (end - begin) / chunk * chunk;
}

/* All whole chunks of [begin, end), three axes at a time. Returns where they end. */
INLINE size_t hot_together(const kdr_job *job, size_t begin, size_t end, uint64_t steps, step_fn *step, const void *row, int S, bool keeps,
                           constants *c, unsigned field, int T, int U, int J) {
    const size_t stop = whole_chunks(begin, end, U), from = begin * sizeof(real), to = stop * sizeof(real);
    const arrays p = {
        {{job->x[0], job->x[1], job->x[2]}, {job->v[0], job->v[1], job->v[2]}, {job->memory[0], job->memory[1], job->memory[2]}},
        job->inverse_mass,
        job->fetch_ahead,
        job->from};
    field_constants(job, field, 0, 3, c);
    if ((field & CENTRE) && fused_roots(job->fused_roots) && suits_roots(c->minus_mu)) {
        hot_axes(&p, from, to, job->resume, steps, step, row, S, keeps, c, field | FUSED_ROOTS, 3, T, U, J);
    } else {
        hot_axes(&p, from, to, job->resume, steps, step, row, S, keeps, c, field, 3, T, U, J);
    }
    return stop;
}

/* A run of one step waits for memory, and not for its operations: where a chunk fills the registers, or masses would be read once an axis,
 * methods of one stage take a vector at a time on three axes. From memory semi-implicit Euler takes 0.71 to 0.89 of the time so on sse2
 * with twelve vectors, 0.9 to 0.97 on avx2 with six, with masses on avx512 0.87, velocity Verlet 0.62 to 0.65; eight on avx512 take
 * 0.98 to 1.06, methods of more stages up to a third longer (Zen 4). */
INLINE size_t hot_run(const kdr_job *job, size_t begin, size_t end, step_fn *step, const void *row, int S, bool keeps, unsigned field,
                      int D, int T, int U, int J) {
    const bool waits = T == U && S <= 1 && step != splitting_any_step && (D * U > HOT_TILE(8, 4, 4, 8) || (field & MASS));
    constants c;
    constants_of(job, &c);
    if (waits && job->steps == 1 && job->dims == 3) {
        return hot_together(job, begin, end, 1, step, row, S, keeps, &c, field, 1, 1, 1);
    }
    if (D == 3) {
        return hot_together(job, begin, end, job->steps, step, row, S, keeps, &c, field, T, U, J);
    }
    const size_t stop = whole_chunks(begin, end, U), from = begin * sizeof(real), to = stop * sizeof(real);
    for (int axis = 0; axis < job->dims; ++axis) {
        field_constants(job, field, axis, 1, &c);
        const arrays p = {{{job->x[axis]}, {job->v[axis]}, {job->memory[axis]}}, job->inverse_mass, job->fetch_ahead, job->from};
        hot_axes(&p, from, to, job->resume, job->steps, step, row, S, keeps, &c, field, 1, T, U, J);
    }
    return stop;
}
