/* Takes particles through all steps of a run by a constant step, in registers or in a tile in the first-level cache.
 *
 * In registers, U vectors on D axes make all steps before the next ones do. In a tile of T vectors, chunks of U make J steps each, one
 * chunk after the other. Chunks are independent, so the processor overlaps them; few vectors are alive at once, so none is spilled; and
 * one load and store serve J steps. A run of one step does not use a tile: it goes through the caller's arrays once. In a uniform field
 * the kept acceleration is not loaded, because it is the same everywhere. */

typedef void step_fn(STEP_OF);

/* Computes the field's constants on D axes from `first` on. */
static NOINLINE void field_constants(const kdr_job *job, unsigned terms, int first, int D, constants *c) {
    const kdr_field *const field = job->field;
    const real *const base = (const real *)job->base;
    for (int i = 0; i < D; ++i) {
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
    c->bytes = offsetof(constants, scaled) + (size_t)job->scaled_count * sizeof(real);
    for (int i = 0; i < job->scaled_count; ++i) {
        c->scaled[i] = ((const real *)job->scaled_row)[i];
    }
    c->exact = false;
    c->minus_mu = (real)field->centre[0].minus_mu;
    c->softening2 = (real)field->centre[0].softening2;
    c->step = (real)job->dt;
    if (job->wall_count > 0) {
        memcpy(&c->ground, job->walls, sizeof c->ground); /* copied, because a store might change what a pointer points to */
    }
#ifdef KDR_FIELD_FILE
    for (int i = 0; i < KDR_MAX_PARAMETERS; ++i) {
        c->parameter[i] = (real)field->custom_entry[0].parameter[i];
    }
    c->dims = job->dims;
#endif
}

/* A tile: [i * T + t] of a column is vector t on axis i. */
typedef struct cached {
    vr column[3][MOST_TILE], w[MOST_TILE];
} cached;

/* Stores y, except that frozen particles get `old` if there are inverse masses. */
INLINE void put_back(char *to, const char *old, const char *w, vr y) { v_store(to, w ? v_select_zero(v_load(w), v_load(old), y) : y); }

/* Stores `count` consecutive vectors. With `held`, `w` are inverse masses, and frozen particles keep `old`. */
INLINE void put_all(char *to, const char *old, bool held, const char *w, const vr *y, int count) {
    EACH(u, count) {
        const size_t at = (size_t)u * sizeof(vr);
        put_back(to + at, old + at, held ? w + at : NULL, y[u]);
    }
}

/* Stores U consecutive vectors unless they are unchanged. Falling particles change on one axis only, and fewer stores save time beyond
 * the first-level cache. */
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

/* Copies `bytes` of each column from `at` on into a tile of T vectors per column, or back. It copies whole vectors, because gcc turns a
 * long memcpy into `rep movs`, which is slower here. Frozen particles move in a tile, but are not copied back. */
static NOINLINE void copy(const kdr_hot_range *r, size_t at, cached *tile, int T, size_t bytes, bool back) {
    const char *const w = r->w ? r->w + at : NULL;
    for (int n = 0; n < 9; ++n) {
        char *const theirs = r->column[n / 3][n % 3], *const ours = (char *)(tile->column[n / 3] + (ptrdiff_t)(n % 3) * T);
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

/* Makes a step of a chunk: all vectors side by side, or one after the other. */
INLINE void take_step(step_fn *step, STEP_OF) {
    if (!(field & VECTORS_IN_TURN)) {
        step(row, S, c, field, D, U, w, x, v, a);
        return;
    }
    EACH(u, U) {
        vr one[3][3];
        EACH(i, D) {
            one[0][i] = x[i * U + u];
            one[1][i] = v[i * U + u];
            one[2][i] = a[i * U + u];
        }
        step(row, S, c, field, D, 1, w + u, one[0], one[1], one[2]);
        EACH(i, D) {
            x[i * U + u] = one[0][i];
            v[i * U + u] = one[1][i];
            a[i * U + u] = one[2][i];
        }
    }
}

/* Makes all steps of a chunk, each followed by the ground if there is one. */
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
        take_step(step, row, S, c, field, D, U, w, x, v, a);
        if (field & GROUND) {
            meet_ground(c, U, x0, v0, x, v);
        }
    } while (--steps > 0);
}

/* Rows of splittings share one kernel, which reads the row at run time. */
#define READS_ROW(family, method) ((family) == KDR_SPLITTING && (method) == KDR_METHOD_COUNT)

/* Whether the method has one stage: splittings of known rows, implicit rows and maps too. */
#define ONE_STAGE(family, method, S) ((S) <= 1 && !READS_ROW(family, method))

/* With ALIGNED_OPERANDS (SSE2) a memory operand must be aligned; other loads are separate instructions. TWO_BODIES says whether methods
 * of one stage, splittings and implicit rows have a separate body for tiles, in which all is aligned. For rows of more stages the gain
 * is too small for the code size. */
#ifdef ALIGNED_OPERANDS
#define TWO_BODIES(field, keeps) (((field) & ~(unsigned)GROUND) != 0)
#define MUST_LIE_ALIGNED(family, method, S, field) (!(ONE_STAGE(family, method, S) && TWO_BODIES(field, false)))

INLINE vr load(const char *at, bool aligned) { return aligned ? *(const vr *)(const void *)at : v_load(at); }

#else
#define TWO_BODIES(field, keeps) ((keeps) && ((field) & CENTRE) != 0)
#define MUST_LIE_ALIGNED(...) false

INLINE vr load(const char *at, bool aligned) {
    (void)aligned;
    return v_load(at);
}

#endif

/* Computes the first accelerations, one vector of a tile after the other. */
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

/* Makes `steps` steps of U vectors on D axes in registers. `fresh`: there is no kept acceleration yet. `held`: the columns are the
 * caller's, where frozen particles stay. `spares`: in a uniform field, unchanged v and a kept acceleration that was read are not stored.
 * `aligned`: columns are aligned to a vector. gcc makes memory operands of loads if no branch lies between them and the step. */
INLINE void through(char *const column[3][3], char *const seen[2][3], const char *inverse_mass, size_t at, bool fresh, bool held,
                    uint64_t steps, step_fn *step, const void *row, int S, bool keeps, bool spares, bool aligned, const constants *c,
                    unsigned field, int D, int U) {
    const bool masses = (field & MASS) != 0, uniform = IS_UNIFORM(field);
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
    /* a tile always has the column, and in a uniform field it already holds the value */
    const bool remembers = keeps && !(spares && !fresh) && (!held || column[2][0]);
    /* if few values are alive, store one whole column and then the next: the cache takes two stores to one line at once */
    const int some = S <= 1 ? U : 1;
    EACH(i, D) {
        if (spares) {
            put_change(column[1][i] + at, seen[1][i] != column[1][i], before + i * U, v + i * U, U);
        }
        EACH(u, U / some) {
            const size_t here = at + (size_t)u * sizeof(vr);
            const char *const mass = masses && held ? inverse_mass + here : NULL;
            put_all(column[0][i] + here, seen[0][i] + here, masses && held, mass, x + i * U + u, some);
            if (!spares) {
                put_all(column[1][i] + here, seen[1][i] + here, masses && held, mass, v + i * U + u, some);
            }
            if (remembers) {
                put_all(column[2][i] + here, column[2][i] + here, masses && held, mass, a + i * U + u, some);
            }
        }
    }
}

/* Takes the particles of a tile through all steps, J at a time. A kept acceleration is computed first if there is none. */
INLINE void step_tile(const kdr_hot_range *r, step_fn *step, const void *row, int S, bool keeps, const constants *c, unsigned field, int D,
                      int T, int U, int J) {
    const size_t chunk = (size_t)U * sizeof(vr), to = r->to;
    const uint64_t steps = r->steps;
    const char *const w = r->w;
    char *column[3][3]; /* not the range's columns: the compiler would reload these after stores */
    EACH(n, 3) {
        EACH(i, D) { column[n][i] = r->tile + (ptrdiff_t)(n * MOST_TILE + i * T) * (ptrdiff_t)sizeof(vr); }
    }
    if (keeps && r->fresh) {
        begin_tile(column, w, to, c, field, D);
    }
    for (uint64_t left = steps, now = 0; left > 0; left -= now) {
        now = J == 1 || left > (uint64_t)J ? (uint64_t)J : left;
        for (size_t t = 0; t < to; t += chunk) {
            through(column, column, w, t, false, false, now, step, row, S, keeps, false, true, c, field, D, U);
        }
    }
}

/* Takes a range through all steps, J at a time, in a tile or in the caller's arrays. The columns are copied, because the compiler must
 * assume that a store changes pointers. */
INLINE void step_range(const kdr_hot_range *r, step_fn *step, const void *row, int S, bool keeps, bool has_tile, bool aligned,
                       const constants *c, unsigned field, int D, int U, int J) {
    const size_t chunk = (size_t)U * sizeof(vr), from = r->from, to = r->to, ahead = r->ahead;
    const bool copied = r->tile != NULL, spares = !has_tile && S == 0 && IS_UNIFORM(field);
    const uint64_t steps = r->steps;
    const char *const w = r->w;
    char *column[3][3], *seen[2][3];
    EACH(i, D) {
        EACH(n, 3) { column[n][i] = r->column[n][i]; }
        EACH(n, 2) { seen[n][i] = r->column[n][i] + r->seen; }
    }
    bool fresh = r->fresh;
    for (uint64_t left = steps, now = 0; left > 0; left -= now, fresh = false) {
        now = !has_tile ? steps : J == 1 || left > (uint64_t)J ? (uint64_t)J : left;
        for (size_t t = from; t < to; t += chunk) {
            EACH(i, D) {
                if (ahead) {
                    __builtin_prefetch(column[0][i] + t + ahead, 1);
                    __builtin_prefetch(column[1][i] + t + ahead, 1);
                }
            }
            through(column, seen, w, t, fresh, !copied, now, step, row, S, keeps, spares, aligned, c, field, D, U);
        }
    }
}

/* Copies the constants to the stack. Not inlined: gcc then loads them where they are needed, instead of keeping too many in registers. */
static NOINLINE void copy_constants(const constants *from, constants *to) {
    for (size_t at = 0; at < from->bytes; at += sizeof(vr)) {
        v_store((char *)to + at, v_load((const char *)from + at));
    }
}

/* Whether kicks in a uniform field may be sums: every kick is a number times the acceleration. */
#ifdef KDR_UNIT_FUSED
#define MAY_KICK_EXACTLY(family, S, field)                                                                                                 \
    ((field) == 0 && ((family) == KDR_SPLITTING || (family) == KDR_RUNGE_KUTTA || (family) == KDR_NYSTROM))
#else
#define MAY_KICK_EXACTLY(...) false
#endif

/* Uses one body for tiles and the caller's arrays, or two if that was measured to be faster. These are macros, because functions would
 * be inlined whole before their constant arguments are known. */
#define IN_BODIES(r, step, row, S, keeps, two_bodies, c, field, D, T, U, J)                                                                \
    if ((two_bodies) && r->tile) {                                                                                                         \
        step_tile(r, step, row, S, keeps, c, field, D, T, U, J);                                                                           \
    } else {                                                                                                                               \
        step_range(r, step, row, S, keeps, (T) != (U), (T) != (U) && !(two_bodies), c, field, D, U, J);                                    \
    }

/* The body of a specialised kernel's function: its step on its chunk. It has further versions: three axes joined, one vector each; for
 * centres, roots by multiply-adds; in uniform fields, kicks as sums. */
#define HOT_STEPS(job, r, given, step, family, row, S, keeps, joins, two_bodies, field, D, T, U, J, in_turn)                               \
    constants own;                                                                                                                         \
    copy_constants(given, &own);                                                                                                           \
    if ((joins) && r->joined) {                                                                                                            \
        step_range(r, step, row, S, keeps, false, false, &own, field, 3, 1, 1);                                                            \
    } else if (MAY_KICK_EXACTLY(family, S, field) && own.exact) {                                                                          \
        IN_BODIES(r, step, row, S, keeps, two_bodies, &own, (field) | EXACT_KICKS | ((in_turn) ? VECTORS_IN_TURN : 0), D, T, U, J)         \
    } else if (((field) & CENTRE) && fused_roots(job->fused_roots) && suits_roots(own.minus_mu)) {                                         \
        IN_BODIES(r, step, row, S, keeps, two_bodies, &own, (field) | FUSED_ROOTS, D, T, U, J)                                             \
    } else {                                                                                                                               \
        IN_BODIES(r, step, row, S, keeps, two_bodies, &own, (field) | ((in_turn) ? VECTORS_IN_TURN : 0), D, T, U, J)                       \
    }

static bool are_aligned(const kdr_hot_range *r) {
    uintptr_t all = (uintptr_t)r->w | r->from;
    for (int n = 0; n < 9; ++n) {
        all |= (uintptr_t)r->column[n / 3][n % 3];
    }
    return all % sizeof(vr) == 0;
}

/* Takes a range tile by tile through the cache. If a tile is one chunk, or gains nothing and the columns are aligned as needed, the
 * range is stepped in place. */
static void run_range(const kdr_hot *hot, const kdr_job *job, const kdr_hot_range *theirs, const constants *c) {
    const int T = hot->tile;
    if (T == hot->chunk || (job->steps <= (uint64_t)hot->steps && (!hot->aligned || are_aligned(theirs)))) {
        hot->take(job, theirs, c);
        return;
    }
    cached all;
    kdr_hot_range r = *theirs;
    const size_t room = (size_t)T * sizeof(vr);
    for (int n = 0; n < 9; ++n) {
        r.column[n / 3][n % 3] = (char *)(all.column[n / 3] + (ptrdiff_t)(n % 3) * T);
    }
    r.tile = (char *)&all;
    r.w = (char *)all.w;
    r.ahead = r.from = 0;
    for (size_t at = theirs->from; at < theirs->to; at += r.to) {
        r.to = room < theirs->to - at ? room : theirs->to - at;
        copy(theirs, at, &all, T, r.to, false);
        hot->take(job, &r, c);
        copy(theirs, at, &all, T, r.to, true);
    }
}

/* Returns whether a product of reals is exact, and far enough from underflow for its last bit. That is so if dt is a power of two, and
 * on axes without acceleration. */
static bool is_exact(double a, double b) {
    const double product = (real)(a * b);
    return a == 0 || b == 0 || (fabs(product) > (sizeof(real) == sizeof(float) ? 0x1p-100 : 0x1p-800) && kdr_fma(a, b, -product) == 0);
}

/* The fewest kicks per step for sums to be faster: a row that is read at run time multiplies at every kick. */
#define FEWEST_KICKS(method) ((method) == KDR_METHOD_COUNT && sizeof(vr) < 64 ? 3 : 1)

/* Returns whether all factors of the accelerations in a uniform field, on D axes, give exact products: the kicks of a splitting row; for
 * S stages the factors of their starts, and for one stage that of the last sum. */
static bool kicks_exactly(const kdr_hot *hot, const kdr_job *job, const constants *c, int D) {
    const int S = hot->stages, kicks = S == 0 ? job->row->data.splitting->stages : 0;
    bool exactly = S != 0 || kicks >= FEWEST_KICKS(hot->method);
    for (int axis = 0; axis < D; ++axis) {
        const double a = c->base[axis];
        for (int i = 0; i < kicks; ++i) {
            exactly = exactly && is_exact(c->part[i].kick, a);
        }
        for (int i = 0; i < S; ++i) {
            exactly = exactly && is_exact(c->b[i], a);
            for (int j = 0; j < i; ++j) {
                exactly = exactly && is_exact(c->a[i][j], a);
            }
        }
        exactly = exactly && (S != 1 || is_exact(c->scale, a));
    }
    return exactly;
}

/* Computes a specialised kernel's constants for `axes` axes from `axis` on. */
static void hot_prepare(const kdr_hot *hot, const kdr_job *job, int axis, int axes, void *to) {
    constants_of(job, to);
    field_constants(job, hot->terms, axis, axes, to);
}

/* Steps all whole chunks of [begin, end) by a specialised kernel of this unit. Returns where they end. */
static size_t hot_run(const kdr_hot *hot, const kdr_job *job, size_t begin, size_t end) {
    const bool joined = hot->all_axes_when_one_step && job->steps == 1 && job->dims == 3;
    const int D = joined || hot->all_axes ? 3 : 1;
    const size_t chunk = (size_t)(joined ? 1 : hot->chunk) * LANES, stop = begin + (end - begin) / chunk * chunk;
    constants c;
    constants_of(job, &c);
    for (int axis = 0; axis < job->dims; axis += D) {
        kdr_hot_range r = {.w = job->inverse_mass,
                           .from = begin * sizeof(real),
                           .to = stop * sizeof(real),
                           .ahead = job->fetch_ahead,
                           .steps = job->steps,
                           .joined = joined,
                           .fresh = !job->resume};
        for (int i = 0; i < D; ++i) {
            r.column[0][i] = job->x[axis + i];
            r.column[1][i] = job->v[axis + i];
            r.column[2][i] = job->memory[axis + i];
        }
        field_constants(job, hot->terms, axis, D, &c);
        c.exact = MAY_KICK_EXACTLY(hot->family, hot->stages, hot->terms) && job->steps > 1 && kicks_exactly(hot, job, &c, D);
        run_range(hot, job, &r, &c);
    }
    return stop;
}
