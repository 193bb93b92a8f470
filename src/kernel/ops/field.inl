/* The terms of a field, as operations that add to a row of forces or accelerations, in the order that force/field.h sets. */

/* How the affine terms begin and end: with the base; with f; or with f, and base + w F at the end. */
enum { FROM_BASE, FROM_FORCE, WITH_MASS };

/* The coefficients of the affine terms on an axis. */
typedef struct affine_terms {
    vr start, base, kx, kv;
} affine_terms;

INLINE affine_terms terms_of(int kind, int D, int i, const real *c, const real *base) {
    const vr constant = v_set1(base[i]);
    return (affine_terms){kind == FROM_BASE ? constant : v_set1(c[i]), constant, v_set1(c[D + i]), v_set1(c[2 * D + i])};
}

/* Broadcasts `count` numbers to all lanes. */
INLINE void spread(int count, const real *c, vr *all) {
    EACH(i, count) { all[i] = v_set1(c[i]); }
}

/* Adds a centre. c has mu, the square of its softening, and its position; `suits` is suits_roots of mu. */
INLINE void add_centre(bool fused, bool suits, int D, const vr *c, const vr *x, vr *a) {
    vr r[3], square = c[1];
    EACH(i, D) {
        r[i] = v_sub(x[i], c[2 + i]);
        square = mul_add(r[i], r[i], square);
    }
    over_cubes(fused && suits, 1, c[0], &square, &square);
    EACH(i, D) { a[i] = mul_add(square, r[i], a[i]); }
}

INLINE void add_quadratic(bool fused, int D, const vr *c, const vr *v, vr *a) {
    vr slip[3], square = c[0];
    EACH(i, D) {
        slip[i] = v_sub(v[i], c[1 + i]);
        square = i == 0 ? v_mul(slip[i], slip[i]) : mul_add(slip[i], slip[i], square);
    }
    const vr factor = v_mul(c[0], root(fused, square));
    EACH(i, D) { a[i] = mul_add(factor, slip[i], a[i]); }
}

/* Adds centres [first, count) of an instruction. */
INLINE void add_centres(bool fused, int D, const real *c, int first, int count, const vr *x, vr *a) {
    for (int s = first; s < count; ++s) {
        vr all[5];
        spread(5, c + 5 * s, all);
        add_centre(fused, suits_roots(c[5 * s]), D, all, x, a);
    }
}

INLINE void add_quadratics(bool fused, int D, const real *c, int first, int count, const vr *v, vr *a) {
    for (int q = first; q < count; ++q) {
        vr all[4];
        spread(4, c + 4 * q, all);
        add_quadratic(fused, D, all, v, a);
    }
}

/* Loads a magnetic field m, and -m. */
INLINE void read_magnetic(const real *m, vr both[6]) {
    EACH(i, 3) {
        both[i] = v_set1(m[i]);
        both[3 + i] = v_set1(-m[i]);
    }
}

INLINE void add_magnetic(int D, const vr *m, const vr *v, vr *force) {
    if (D >= 2) {
        force[0] = mul_add(m[2], v[1], force[0]);
        force[1] = D == 3 ? mul_add(m[0], v[2], force[1]) : force[1];
        force[0] = D == 3 ? mul_add(m[4], v[2], force[0]) : force[0];
        force[1] = mul_add(m[5], v[0], force[1]);
    }
    if (D == 3) {
        force[2] = mul_add(m[1], v[0], force[2]);
        force[2] = mul_add(m[3], v[1], force[2]);
    }
}

/* The terms of a sum, in order; multiplication by the mass comes before the centres. */
typedef struct sum_of {
    int kind, springs, drags, turns, quadratics, centres;
} sum_of;

typedef struct field_line {
    int T, count;
    bool fused, suits;
    char *out, *x, *v, *vs;
    const char *w;
    vr first, drift, last, magnetic[6], first_quadratic[4], first_centre[5];
    const char *kx[MOST_TERMS], *kv[MOST_TERMS], *second_of_x, *first_of_v, *second_of_v;
    const real *factor, *weight, *quadratic, *centre;
} field_line;

INLINE void rate_at(int D, sum_of f, const field_line *l, const affine_terms *t, vr w, const vr *x, const vr *v, vr *a) {
    EACH(i, D) { a[i] = t[i].start; }
    if (f.springs) {
        EACH(i, D) { a[i] = mul_add(t[i].kx, x[i], a[i]); }
    }
    if (f.drags) {
        EACH(i, D) { a[i] = mul_add(t[i].kv, v[i], a[i]); }
    }
    if (f.turns) {
        add_magnetic(D, l->magnetic, v, a);
    }
    if (f.quadratics) {
        add_quadratic(l->fused, D, l->first_quadratic, v, a);
        add_quadratics(l->fused, D, l->quadratic, 1, f.quadratics, v, a);
    }
    if (f.kind == WITH_MASS) {
        EACH(i, D) { a[i] = mul_add(w, a[i], t[i].base); }
    }
    if (f.centres) {
        add_centre(l->fused, l->suits, D, l->first_centre, x, a);
        add_centres(l->fused, D, l->centre, 1, f.centres, x, a);
    }
}

/* Returns y after the last stage: slopes weighed as in WEIGH_ADVANCE. */
INLINE vr advanced(const vr *weight, vr y, vr first, vr second, vr third, vr last) {
    const vr sum = mul_add(weight[4], last, mul_add(weight[3], v_add(second, third), v_mul(weight[1], first)));
    return mul_add(weight[0], sum, y);
}

/* Does what the form says with the acceleration a of vector n on D axes at x, v. `old` has x and v without the stage's sums on each
 * axis, and the sums; `again` loads them again, because too many are alive. */
INLINE void leave(int D, int n, int form, bool again, const field_line *l, vr old[3][4], vr *x, vr *v, const vr *a) {
    const int T = l->T;
    const bool ends = form == KDR_FORM_LAST, drifts = form == KDR_FORM_KICK_DRIFT || form == KDR_FORM_VERLET;
    vr weight[5] = {a[0], a[0], a[0], a[0], a[0]};
    if (ends) { /* once for all axes, because stores might have changed them */
        spread(5, l->weight, weight);
    }
    EACH(i, D) {
        const int m = i * T + n;
        if (ends) {
            const vr x0 = again ? get(l->x, m) : old[i][0], v0 = again ? get(l->v, m) : old[i][1];
            const vr kx = again ? get(l->kx[0], m) : old[i][2], kv = again ? get(l->kv[0], m) : old[i][3];
            x[i] = advanced(weight, x0, v0, get(l->second_of_x, m), kx, v[i]);
            v[i] = advanced(weight, v0, get(l->first_of_v, m), get(l->second_of_v, m), kv, a[i]);
        } else if (form == KDR_FORM_STAGE) {
            put(l->vs, m, v[i]);
        } else if (form != KDR_FORM_ALONE) {
            v[i] = mul_add(l->last, a[i], v[i]);
        }
        if (form == KDR_FORM_KICK_DRIFT) {
            x[i] = mul_add(l->drift, v[i], x[i]);
        } else if (!ends) {
            put(l->out, m, a[i]);
        }
        if (form != KDR_FORM_ALONE && form != KDR_FORM_STAGE) {
            put(l->v, m, v[i]);
        }
        if (drifts || ends) {
            put(l->x, m, x[i]);
        }
    }
}

/* Computes vector n on D axes; `count` slopes are added up first. */
INLINE void field_vector(int D, int n, int form, int count, sum_of f, const field_line *l, const affine_terms *t) {
    const bool drifts = form == KDR_FORM_KICK_DRIFT || form == KDR_FORM_VERLET;
    const bool has_x = f.springs || f.centres || drifts || form == KDR_FORM_LAST;
    const bool has_v = f.drags || f.turns || f.quadratics || form != KDR_FORM_ALONE;
    const int T = l->T;
    const vr w = f.kind == WITH_MASS ? get(l->w, n) : v_set1(1);
    vr x[3], v[3], a[3];
    EACH(i, D) {
        x[i] = has_x ? get(l->x, i * T + n) : w;
        v[i] = has_v ? get(l->v, i * T + n) : w;
    }
    vr old[3][4];
    for (int j = 0; j < count; ++j) {
        const vr factor = v_set1(l->factor[j]);
        EACH(i, D) {
            const vr kx = has_x ? get(l->kx[j], i * T + n) : w, kv = get(l->kv[j], i * T + n);
            old[i][0] = x[i], old[i][1] = v[i], old[i][2] = kx, old[i][3] = kv;
            x[i] = has_x ? mul_add(factor, kx, x[i]) : x[i];
            v[i] = mul_add(factor, kv, v[i]);
        }
    }
    if (form == KDR_FORM_VERLET) {
        EACH(i, D) {
            v[i] = mul_add(l->first, get(l->out, i * T + n), v[i]);
            x[i] = mul_add(l->drift, v[i], x[i]);
        }
    }
    rate_at(D, f, l, t, w, x, v, a);
    leave(D, n, form, f.turns || f.quadratics || f.centres, l, old, x, v, a);
}

/* Reads the rows of an instruction from this axis on, and its numbers. What is done with the acceleration is in its list (merge.c). */
INLINE void read_line(const kdr_tile *tile, const kdr_instruction *line, int axis, int form, field_line *l) {
    const uint16_t *const list = tile->list + line->list;
    const bool kicks = form == KDR_FORM_KICK || form == KDR_FORM_KICK_DRIFT || form == KDR_FORM_VERLET;
    const real *const c = kicks ? numbers(tile, list[0]) : NULL;
    const unsigned first = (unsigned)axis;
    l->T = tile->vectors;
    l->fused = fused_roots(tile->job->fused_roots);
    l->out = column(tile, line->out + first);
    l->x = column(tile, line->x + first);
    l->v = column(tile, line->v + first);
    l->first = v_set1(kicks ? c[0] : 0);
    l->drift = v_set1(form == KDR_FORM_KICK_DRIFT || form == KDR_FORM_VERLET ? c[1] : 0);
    l->last = form == KDR_FORM_VERLET ? v_set1(*numbers(tile, list[1])) : l->first;
    l->count = form >= KDR_FORM_STAGE ? line->count : 0;
    l->vs = form == KDR_FORM_STAGE ? column(tile, list[0] + first) : l->out;
    l->factor = NULL;
    if (form >= KDR_FORM_STAGE) {
        l->factor = numbers(tile, line->number);
        for (int j = 0; j < l->count; ++j) {
            l->kx[j] = column(tile, list[2 + j] + first);
            l->kv[j] = column(tile, list[2 + l->count + j] + first);
        }
    }
    const bool ends = form == KDR_FORM_LAST;
    const uint16_t *const end = list + 4; /* after the index of the weights come the slopes of x and those of v, which are marked */
    l->weight = ends ? numbers(tile, end[0]) : NULL;
    l->second_of_x = ends ? column(tile, (end[2] & KDR_NO_COLUMN) + first) : NULL;
    l->first_of_v = ends ? column(tile, (end[5] & KDR_NO_COLUMN) + first) : NULL;
    l->second_of_v = ends ? column(tile, (end[6] & KDR_NO_COLUMN) + first) : NULL;
}

/* Returns the terms of an instruction that is a sum. */
INLINE sum_of terms_in(const uint16_t *sum) {
    const int mask = sum[KDR_SUM_MASK];
    return (sum_of){.kind = mask & KDR_SUM_MASS    ? WITH_MASS
                            : mask & KDR_SUM_FORCE ? FROM_FORCE
                                                   : FROM_BASE,
                    .springs = mask & KDR_TERM_STIFFNESS,
                    .drags = mask & KDR_TERM_DAMPING,
                    .turns = mask & KDR_SUM_MAGNETIC,
                    .quadratics = sum[KDR_SUM_QUADRATICS],
                    .centres = sum[KDR_SUM_CENTRES]};
}

/* Computes all vectors of a tile on D axes. Most stages add up one slope, so that case is a constant. */
INLINE void line_on(int D, int axis, const kdr_tile *tile, const kdr_instruction *line, int form, sum_of f) {
    const unsigned at = form >= KDR_FORM_STAGE ? tile->list[line->list + 1] : line->number;
    const uint16_t *const sum = tile->list + at;
    const bool is_sum = f.turns || f.quadratics || f.centres;
    const real *const c = numbers(tile, is_sum ? sum[KDR_SUM_AFFINE_NUMBER] : at), *const base = base_of(tile, line);
    affine_terms t[3];
    field_line l;
    read_line(tile, line, axis, form, &l);
    l.w = f.kind == WITH_MASS ? column(tile, line->other) : NULL;
    static const real none[5] = {0};
    l.quadratic = f.quadratics ? numbers(tile, sum[KDR_SUM_QUADRATIC_NUMBER]) : none;
    l.centre = f.centres ? numbers(tile, sum[KDR_SUM_CENTRE_NUMBER]) : none;
    l.suits = suits_roots(*l.centre);
    spread(4, l.quadratic, l.first_quadratic);
    spread(5, l.centre, l.first_centre);
    read_magnetic(f.turns ? numbers(tile, sum[KDR_SUM_MAGNETIC_NUMBER]) : none, l.magnetic);
    EACH(i, D) { t[i] = terms_of(f.kind, tile->dims, axis + i, c, base); }
    const int T = l.T;
    if (form == KDR_FORM_LAST || (form == KDR_FORM_STAGE && l.count == 1)) {
        for (int n = 0; n < T; ++n) {
            field_vector(D, n, form, 1, f, &l, t);
        }
    } else {
        for (int n = 0; n < T; ++n) {
            field_vector(D, n, form, l.count, f, &l, t);
        }
    }
}

/* Each sum has a loop of its own, because a branch on its terms is slower. Where fused operations are emulated the branch does not
 * matter, and without optimisation separate loops take long to compile, so one loop serves all. */
#if !defined(__OPTIMIZE__) || (defined(KDR_UNIT_FUSED) && !defined(FUSED_NATIVE) && !defined(__FP_FAST_FMA))
#define LOOP static NOINLINE
#else
#define LOOP INLINE
#endif

LOOP void on_three_axes(kdr_tile *tile, const kdr_instruction *line, int form, sum_of f) { line_on(3, 0, tile, line, form, f); }

LOOP void on_each_axis(kdr_tile *tile, const kdr_instruction *line, int form, sum_of f) {
    for (int axis = 0; axis < tile->dims; ++axis) {
        line_on(1, axis, tile, line, form, f);
    }
}

/* Adds the affine terms. Three axes share one loop, because its overhead matters. */
INLINE void affine(kdr_tile *tile, const kdr_instruction *line, int form, int kind, int springs, int drags) {
    const sum_of f = {kind, springs, drags, 0, 0, 0};
    if (tile->dims == 3) {
        on_three_axes(tile, line, form, f);
    } else if (form != KDR_FORM_LAST) {
        on_each_axis(tile, line, form, f);
    }
}

/* Defines the four masks of an operation on the affine terms. */
#define AFFINE(name, form, kind)                                                                                                           \
    static void op_##name(kdr_tile *tile, const kdr_instruction *line) { affine(tile, line, form, kind, 0, 0); }                           \
    static void op_##name##_spring(kdr_tile *tile, const kdr_instruction *line) { affine(tile, line, form, kind, 1, 0); }                  \
    static void op_##name##_drag(kdr_tile *tile, const kdr_instruction *line) { affine(tile, line, form, kind, 0, 1); }                    \
    static void op_##name##_spring_drag(kdr_tile *tile, const kdr_instruction *line) { affine(tile, line, form, kind, 1, 1); }
AFFINE(force, KDR_FORM_ALONE, FROM_FORCE)

/* Defines four sums with one more term, on three axes. */
#define SUM(name, form, ...)                                                                                                               \
    static void op_##name(kdr_tile *tile, const kdr_instruction *line) { on_three_axes(tile, line, form, (sum_of){__VA_ARGS__}); }
#define SUMS(name, form, kind)                                                                                                             \
    SUM(name##_magnetic, form, kind, 0, 0, 1, 0, 0)                                                                                        \
    SUM(name##_quadratic, form, kind, 0, 0, 0, 1, 0)                                                                                       \
    SUM(name##_centre, form, kind, 0, 0, 0, 0, 1)                                                                                          \
    SUM(name##_drag_centre, form, kind, 0, 1, 0, 0, 1)

#define FORMS(name, FOUR, ...)                                                                                                             \
    FOUR(name, KDR_FORM_ALONE, __VA_ARGS__)                                                                                                \
    FOUR(name##_kick, KDR_FORM_KICK, __VA_ARGS__)                                                                                          \
    FOUR(name##_kick_drift, KDR_FORM_KICK_DRIFT, __VA_ARGS__)                                                                              \
    FOUR(name##_verlet, KDR_FORM_VERLET, __VA_ARGS__)                                                                                      \
    FOUR(name##_stage, KDR_FORM_STAGE, __VA_ARGS__)
FORMS(base, AFFINE, FROM_BASE)
FORMS(mass, AFFINE, WITH_MASS)
FORMS(field, SUMS, FROM_BASE)
AFFINE(base_last, KDR_FORM_LAST, FROM_BASE)
SUMS(field_last, KDR_FORM_LAST, FROM_BASE)

/* Adds any terms; with roots among them, branches in one body do not matter. */
static void op_field(kdr_tile *tile, const kdr_instruction *line) {
    const sum_of f = terms_in(tile->list + line->number);
    if (tile->dims == 3) {
        line_on(3, 0, tile, line, KDR_FORM_ALONE, f);
    } else if (tile->dims == 2) {
        line_on(2, 0, tile, line, KDR_FORM_ALONE, f);
    } else {
        line_on(1, 0, tile, line, KDR_FORM_ALONE, f);
    }
}

INLINE void magnetic_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    vr m[6];
    read_magnetic(numbers(tile, line->number), m);
    char *const out = column(tile, line->out);
    const char *const speed = column(tile, line->v);
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        vr v[3], force[3];
        EACH(i, D) {
            v[i] = get(speed, i * T + n);
            force[i] = get(out, i * T + n);
        }
        add_magnetic(D, m, v, force);
        EACH(i, D) { put(out, i * T + n, force[i]); }
    }
}

static void op_magnetic(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, magnetic_on, tile, line); }

/* Adds the force of a row of magnetic fields; in a plane the row is the component across. */
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

/* Returns the column of a per-particle array; it is NULL if one value serves all particles. */
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
        add_quadratics(fused, D, c, 0, count, speed, a);
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
        add_centres(fused, D, c, 0, count, here, a);
        EACH(i, D) { put(out, i * T + n, a[i]); }
    }
}

static void op_centres(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, centres_on, tile, line); }
