/* The terms of a field, each an operation that adds to a row of forces or accelerations, in the order that force/field.h sets. */

/* What the affine terms begin with, and what becomes of them: base; f; f, and last base + w F. */
enum { FROM_BASE, FROM_FORCE, WITH_MASS };

/* The affine terms' numbers on an axis. */
typedef struct affine_terms {
    vr start, base, kx, kv;
} affine_terms;

INLINE affine_terms terms_of(int kind, int D, int i, const real *c, const real *base) {
    const vr constant = v_set1(base[i]);
    return (affine_terms){kind == FROM_BASE ? constant : v_set1(c[i]), constant, v_set1(c[D + i]), v_set1(c[2 * D + i])};
}

/* w: a vector of inverse masses, with WITH_MASS. */
INLINE vr affine_at(int kind, bool springs, bool drags, const affine_terms *t, vr x, vr v, vr w) {
    vr sum = t->start;
    sum = springs ? mul_add(t->kx, x, sum) : sum;
    sum = drags ? mul_add(t->kv, v, sum) : sum;
    return kind == WITH_MASS ? mul_add(w, sum, t->base) : sum;
}

/* What an operation on the affine terms goes through, an axis after the other. */
typedef struct affine_axis {
    affine_terms t;
    char *out, *x, *v;
    const char *w;
} affine_axis;

/* Runs `body` for each axis: body(axis, vectors). The kick's numbers, the stage's rows and the like stand in the list. */
#define EACH_AXIS_OF(tile, line, kind, at, body, ...)                                                                                      \
    do {                                                                                                                                   \
        const int D_ = (tile)->dims, T_ = (tile)->vectors;                                                                                 \
        const real *const c_ = numbers(tile, at), *const base_ = base_of(tile, line);                                                      \
        const size_t next_ = (tile)->column;                                                                                               \
        affine_axis a_ = {.out = column(tile, (line)->out), .x = column(tile, (line)->x), .v = column(tile, (line)->v)};                   \
        a_.w = (kind) == WITH_MASS ? column(tile, (line)->other) : NULL;                                                                   \
        for (int i_ = 0; i_ < D_; ++i_, a_.out += next_, a_.x += next_, a_.v += next_) {                                                   \
            a_.t = terms_of(kind, D_, i_, c_, base_);                                                                                      \
            IN_CHUNKS(T_, body, kind, a_, __VA_ARGS__);                                                                                    \
        }                                                                                                                                  \
    } while (0)

INLINE vr mass_at(int kind, const affine_axis a, int n) { return kind == WITH_MASS ? get(a.w, n) : v_set1(1); }

INLINE void affine_chunk(int n, int U, int kind, const affine_axis a, bool springs, bool drags) {
    EACH(u, U) {
        const int m = n + u;
        put(a.out, m,
            affine_at(kind, springs, drags, &a.t, springs ? get(a.x, m) : a.t.start, drags ? get(a.v, m) : a.t.start, mass_at(kind, a, m)));
    }
}

INLINE void affine(kdr_tile *tile, const kdr_instruction *line, int kind, bool springs, bool drags) {
    EACH_AXIS_OF(tile, line, kind, line->number, affine_chunk, springs, drags);
}

INLINE void affine_kick_chunk(int n, int U, int kind, const affine_axis a, bool springs, bool drags, vr kick) {
    EACH(u, U) {
        const int m = n + u;
        const vr v = get(a.v, m), rate = affine_at(kind, springs, drags, &a.t, springs ? get(a.x, m) : v, v, mass_at(kind, a, m));
        put(a.out, m, rate);
        put(a.v, m, mul_add(kick, rate, v));
    }
}

INLINE void affine_kick(kdr_tile *tile, const kdr_instruction *line, int kind, bool springs, bool drags) {
    const vr kick = v_set1(*numbers(tile, tile->list[line->list]));
    EACH_AXIS_OF(tile, line, kind, line->number, affine_kick_chunk, springs, drags, kick);
}

INLINE void affine_kick_drift_chunk(int n, int U, int kind, const affine_axis a, bool springs, bool drags, vr kick, vr drift) {
    EACH(u, U) {
        const int m = n + u;
        const vr x = get(a.x, m), v = get(a.v, m), rate = affine_at(kind, springs, drags, &a.t, x, v, mass_at(kind, a, m));
        const vr faster = mul_add(kick, rate, v);
        put(a.v, m, faster);
        put(a.x, m, mul_add(drift, faster, x));
    }
}

INLINE void affine_kick_drift(kdr_tile *tile, const kdr_instruction *line, int kind, bool springs, bool drags) {
    const real *const c = numbers(tile, tile->list[line->list]);
    const vr kick = v_set1(c[0]), drift = v_set1(c[1]);
    EACH_AXIS_OF(tile, line, kind, line->number, affine_kick_drift_chunk, springs, drags, kick, drift);
}

INLINE void affine_verlet_chunk(int n, int U, int kind, const affine_axis a, bool springs, bool drags, vr first, vr drift, vr last) {
    EACH(u, U) {
        const int m = n + u;
        const vr faster = mul_add(first, get(a.out, m), get(a.v, m)), x = mul_add(drift, faster, get(a.x, m));
        const vr rate = affine_at(kind, springs, drags, &a.t, x, faster, mass_at(kind, a, m));
        put(a.x, m, x);
        put(a.out, m, rate);
        put(a.v, m, mul_add(last, rate, faster));
    }
}

INLINE void affine_verlet(kdr_tile *tile, const kdr_instruction *line, int kind, bool springs, bool drags) {
    const real *const c = numbers(tile, tile->list[line->list]);
    const vr first = v_set1(c[0]), drift = v_set1(c[1]), last = v_set1(*numbers(tile, tile->list[line->list + 1]));
    EACH_AXIS_OF(tile, line, kind, line->number, affine_verlet_chunk, springs, drags, first, drift, last);
}

/* The slopes of x and of v behind each other; vs is kept, as a slope of x. */
INLINE void affine_stage_chunk(int n, int U, int kind, const affine_axis a, bool springs, bool drags, char *vs, const char *const *kx,
                               const char *const *kv, int count, const real *c) {
    vr x[AT_ONCE], v[AT_ONCE];
    EACH(u, U) {
        x[u] = get(a.x, n + u);
        v[u] = get(a.v, n + u);
    }
    for (int j = 0; j < count; ++j) {
        const vr factor = v_set1(c[j]);
        EACH(u, U) {
            x[u] = springs ? mul_add(factor, get(kx[j], n + u), x[u]) : x[u];
            v[u] = mul_add(factor, get(kv[j], n + u), v[u]);
        }
    }
    EACH(u, U) {
        put(vs, n + u, v[u]);
        put(a.out, n + u, affine_at(kind, springs, drags, &a.t, x[u], v[u], mass_at(kind, a, n + u)));
    }
}

INLINE void affine_stage(kdr_tile *tile, const kdr_instruction *line, int kind, bool springs, bool drags) {
    const uint16_t *const list = tile->list + line->list;
    const int D = tile->dims, T = tile->vectors, count = line->count;
    const real *const c = numbers(tile, line->number), *const field = numbers(tile, list[1]), *const base = base_of(tile, line);
    affine_axis a = {.w = kind == WITH_MASS ? column(tile, line->other) : NULL};
    for (int i = 0; i < D; ++i) {
        const char *kx[MOST_TERMS], *kv[MOST_TERMS];
        char *const vs = column(tile, list[0] + (unsigned)i);
        a.t = terms_of(kind, D, i, field, base);
        a.out = column(tile, line->out + (unsigned)i);
        a.x = column(tile, line->x + (unsigned)i);
        a.v = column(tile, line->v + (unsigned)i);
        for (int j = 0; j < count; ++j) {
            kx[j] = column(tile, list[2 + j] + (unsigned)i);
            kv[j] = column(tile, list[2 + count + j] + (unsigned)i);
        }
        if (count == 1) {
            IN_CHUNKS(T, affine_stage_chunk, kind, a, springs, drags, vs, kx, kv, 1, c);
        } else {
            IN_CHUNKS(T, affine_stage_chunk, kind, a, springs, drags, vs, kx, kv, count, c);
        }
    }
}

INLINE void add_centre(bool fused, int D, const real *c, const vr *x, vr *a) {
    vr r[3], square = v_set1(c[1]);
    EACH(i, D) {
        r[i] = v_sub(x[i], v_set1(c[2 + i]));
        square = mul_add(r[i], r[i], square);
    }
    over_cubes(fused && suits_roots(c[0]), 1, v_set1(c[0]), &square, &square);
    EACH(i, D) { a[i] = mul_add(square, r[i], a[i]); }
}

INLINE void affine_centres_on(int D, const kdr_tile *tile, const kdr_instruction *line, int kind, bool springs, bool drags) {
    const char *const x = column(tile, line->x), *const v = column(tile, line->v);
    const char *const w = kind == WITH_MASS ? column(tile, line->other) : NULL;
    char *const out = column(tile, line->out);
    const real *const c = numbers(tile, tile->list[line->list]);
    const int T = tile->vectors, count = line->count;
    const bool fused = fused_roots(tile->job->fused_roots);
    affine_terms t[3];
    EACH(i, D) { t[i] = terms_of(kind, D, i, numbers(tile, line->number), base_of(tile, line)); }
    for (int n = 0; n < T; ++n) {
        vr here[3], a[3];
        EACH(i, D) { here[i] = get(x, i * T + n); }
        const vr mass = kind == WITH_MASS ? get(w, n) : here[0];
        EACH(i, D) { a[i] = affine_at(kind, springs, drags, &t[i], here[i], drags ? get(v, i * T + n) : here[i], mass); }
        for (int s = 0; s < count; ++s) {
            add_centre(fused, D, c + 5 * s, here, a);
        }
        EACH(i, D) { put(out, i * T + n, a[i]); }
    }
}

/* Beside roots the branches of one body for all kinds and masks take 0.00 to 0.04 of the time: a field of nothing else has its own. */
static NOINLINE void any_affine_centres(kdr_tile *tile, const kdr_instruction *line, int kind, bool springs, bool drags) {
    ON_AXES(tile, affine_centres_on, tile, line, kind, springs, drags);
}

INLINE void affine_centres(kdr_tile *tile, const kdr_instruction *line, int kind, bool springs, bool drags) {
    if (kind == FROM_BASE && !springs && !drags) {
        ON_AXES(tile, affine_centres_on, tile, line, FROM_BASE, false, false);
    } else {
        any_affine_centres(tile, line, kind, springs, drags);
    }
}

INLINE void add_quadratic(bool fused, int D, const real *c, const vr *v, vr *a) {
    vr slip[3], square = v_set1(0);
    EACH(i, D) {
        slip[i] = v_sub(v[i], v_set1(c[1 + i]));
        square = i == 0 ? v_mul(slip[i], slip[i]) : mul_add(slip[i], slip[i], square);
    }
    const vr factor = v_mul(v_set1(c[0]), root(fused, square));
    EACH(i, D) { a[i] = mul_add(factor, slip[i], a[i]); }
}

INLINE void affine_quadratic_on(int D, const kdr_tile *tile, const kdr_instruction *line, bool springs, bool drags) {
    const char *const x = column(tile, line->x), *const v = column(tile, line->v);
    char *const out = column(tile, line->out);
    const real *const c = numbers(tile, tile->list[line->list]);
    const int T = tile->vectors, count = line->count;
    const bool fused = fused_roots(tile->job->fused_roots);
    affine_terms t[3];
    EACH(i, D) { t[i] = terms_of(FROM_BASE, D, i, numbers(tile, line->number), base_of(tile, line)); }
    for (int n = 0; n < T; ++n) {
        vr speed[3], a[3];
        EACH(i, D) { speed[i] = get(v, i * T + n); }
        EACH(i, D) { a[i] = affine_at(FROM_BASE, springs, drags, &t[i], springs ? get(x, i * T + n) : speed[i], speed[i], speed[i]); }
        for (int q = 0; q < count; ++q) {
            add_quadratic(fused, D, c + 4 * q, speed, a);
        }
        EACH(i, D) { put(out, i * T + n, a[i]); }
    }
}

static NOINLINE void any_affine_quadratic(kdr_tile *tile, const kdr_instruction *line, bool springs, bool drags) {
    ON_AXES(tile, affine_quadratic_on, tile, line, springs, drags);
}

INLINE void affine_quadratic(kdr_tile *tile, const kdr_instruction *line, int kind, bool springs, bool drags) {
    (void)kind;
    if (!springs && !drags) {
        ON_AXES(tile, affine_quadratic_on, tile, line, false, false);
    } else {
        any_affine_quadratic(tile, line, springs, drags);
    }
}

/* The four masks of an operation on the affine terms. */
#define AFFINE(name, body, kind)                                                                                                           \
    static void op_##name(kdr_tile *tile, const kdr_instruction *line) { body(tile, line, kind, false, false); }                           \
    static void op_##name##_spring(kdr_tile *tile, const kdr_instruction *line) { body(tile, line, kind, true, false); }                   \
    static void op_##name##_drag(kdr_tile *tile, const kdr_instruction *line) { body(tile, line, kind, false, true); }                     \
    static void op_##name##_spring_drag(kdr_tile *tile, const kdr_instruction *line) { body(tile, line, kind, true, true); }
AFFINE(base, affine, FROM_BASE)
AFFINE(force, affine, FROM_FORCE)
AFFINE(mass, affine, WITH_MASS)
AFFINE(base_kick, affine_kick, FROM_BASE)
AFFINE(mass_kick, affine_kick, WITH_MASS)
AFFINE(base_kick_drift, affine_kick_drift, FROM_BASE)
AFFINE(mass_kick_drift, affine_kick_drift, WITH_MASS)
AFFINE(base_verlet, affine_verlet, FROM_BASE)
AFFINE(mass_verlet, affine_verlet, WITH_MASS)
AFFINE(base_stage, affine_stage, FROM_BASE)
AFFINE(mass_stage, affine_stage, WITH_MASS)
AFFINE(base_centres, affine_centres, FROM_BASE)
AFFINE(mass_centres, affine_centres, WITH_MASS)
AFFINE(base_quadratic, affine_quadratic, FROM_BASE)

INLINE void magnetic_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const real *const m = numbers(tile, line->number);
    const vr mx = v_set1(m[0]), my = v_set1(m[1]), mz = v_set1(m[2]);
    const vr minus_mx = v_set1(-m[0]), minus_my = v_set1(-m[1]), minus_mz = v_set1(-m[2]);
    char *const out = column(tile, line->out);
    const char *const speed = column(tile, line->v);
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        vr v[3], force[3];
        EACH(i, D) {
            v[i] = get(speed, i * T + n);
            force[i] = get(out, i * T + n);
        }
        if (D >= 2) {
            force[0] = mul_add(mz, v[1], force[0]);
        }
        if (D == 3) {
            force[0] = mul_add(minus_my, v[2], force[0]);
            force[1] = mul_add(mx, v[2], force[1]);
        }
        if (D >= 2) {
            force[1] = mul_add(minus_mz, v[0], force[1]);
        }
        if (D == 3) {
            force[2] = mul_add(my, v[0], force[2]);
            force[2] = mul_add(minus_mx, v[1], force[2]);
        }
        EACH(i, D) { put(out, i * T + n, force[i]); }
    }
}

static void op_magnetic(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, magnetic_on, tile, line); }

/* By a row of magnetic fields, which in a plane is that across it. */
INLINE void cross_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    char *const out = column(tile, line->out);
    const char *const speed = column(tile, line->v), *const field = column(tile, line->other);
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        vr v[3], m[3], minus[3], force[3];
        EACH(i, D) {
            v[i] = get(speed, i * T + n);
            force[i] = get(out, i * T + n);
        }
        EACH(i, 3) {
            m[i] = D == 3 || i == 0 ? get(field, i * T + n) : v_set1(0);
            minus[i] = v_sub(v_set1(0), m[i]);
        }
        if (D == 3) {
            force[0] = mul_add(minus[1], v[2], mul_add(m[2], v[1], force[0]));
            force[1] = mul_add(minus[2], v[0], mul_add(m[0], v[2], force[1]));
            force[2] = mul_add(minus[0], v[1], mul_add(m[1], v[0], force[2]));
        } else {
            force[0] = mul_add(m[0], v[1], force[0]);
            force[1] = mul_add(minus[0], v[0], force[1]);
        }
        EACH(i, D) { put(out, i * T + n, force[i]); }
    }
}

/* On a line there is no magnetic force. */
static void op_cross(kdr_tile *tile, const kdr_instruction *line) {
    if (tile->dims == 3) {
        cross_on(3, tile, line);
    } else {
        cross_on(2, tile, line);
    }
}

/* The column of an array a particle, or NULL where one value serves all. */
INLINE const char *each_of(const kdr_tile *tile, unsigned index) { return index == KDR_NO_COLUMN ? NULL : column(tile, index); }

INLINE vr each_or(const char *each, int n, vr value) { return each ? get(each, n) : value; }

static void op_springs(kdr_tile *tile, const kdr_instruction *line) {
    const int D = tile->dims, T = tile->vectors;
    for (int s = 0; s < line->count; ++s) {
        const uint16_t *const list = tile->list + line->list + 4 * s;
        const real *const c = numbers(tile, line->number + 6U * (unsigned)s);
        const char *const stiffness = each_of(tile, list[0]);
        for (int i = 0; i < D; ++i) {
            char *const out = column(tile, line->out + (unsigned)i);
            const char *const x = column(tile, line->x + (unsigned)i), *const anchors = each_of(tile, list[1 + i]);
            const vr k = v_set1(c[i]), at = v_set1(c[3 + i]);
            for (int n = 0; n < T; ++n) {
                put(out, n, mul_add(each_or(stiffness, n, k), v_sub(each_or(anchors, n, at), get(x, n)), get(out, n)));
            }
        }
    }
}

static void op_drags(kdr_tile *tile, const kdr_instruction *line) {
    const int D = tile->dims, T = tile->vectors;
    for (int d = 0; d < line->count; ++d) {
        const char *const b = column(tile, tile->list[line->list + d]);
        const real *const wind = numbers(tile, line->number + 3U * (unsigned)d);
        for (int i = 0; i < D; ++i) {
            char *const out = column(tile, line->out + (unsigned)i);
            const char *const v = column(tile, line->v + (unsigned)i);
            const vr speed = v_set1(wind[i]);
            for (int n = 0; n < T; ++n) {
                put(out, n, mul_add(get(b, n), v_sub(speed, get(v, n)), get(out, n)));
            }
        }
    }
}

INLINE void quadratic_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    char *const out = column(tile, line->out);
    const char *const v = column(tile, line->v);
    const real *const c = numbers(tile, line->number);
    const int T = tile->vectors, count = line->count;
    const bool fused = fused_roots(tile->job->fused_roots);
    for (int n = 0; n < T; ++n) {
        vr speed[3], a[3];
        EACH(i, D) {
            speed[i] = get(v, i * T + n);
            a[i] = get(out, i * T + n);
        }
        for (int q = 0; q < count; ++q) {
            add_quadratic(fused, D, c + 4 * q, speed, a);
        }
        EACH(i, D) { put(out, i * T + n, a[i]); }
    }
}

static void op_quadratic(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, quadratic_on, tile, line); }

static void op_times_mass(kdr_tile *tile, const kdr_instruction *line) {
    const real *const base = base_of(tile, line);
    const char *const w = column(tile, line->other);
    const int T = tile->vectors;
    for (int i = 0; i < tile->dims; ++i) {
        char *const out = column(tile, line->out + (unsigned)i);
        const vr constant = v_set1(base[i]);
        for (int n = 0; n < T; ++n) {
            put(out, n, mul_add(get(w, n), get(out, n), constant));
        }
    }
}

INLINE void centres_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    char *const out = column(tile, line->out);
    const char *const x = column(tile, line->x);
    const real *const c = numbers(tile, line->number);
    const int T = tile->vectors, count = line->count;
    const bool fused = fused_roots(tile->job->fused_roots);
    for (int n = 0; n < T; ++n) {
        vr here[3], a[3];
        EACH(i, D) {
            here[i] = get(x, i * T + n);
            a[i] = get(out, i * T + n);
        }
        for (int s = 0; s < count; ++s) {
            add_centre(fused, D, c + 5 * s, here, a);
        }
        EACH(i, D) { put(out, i * T + n, a[i]); }
    }
}

static void op_centres(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, centres_on, tile, line); }
