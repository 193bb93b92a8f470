/* Moves of particles whose elements lie apart, members of structures: where they lie, all axes of a vector of particles before the next
 * vector, so that the structures are one stream. What is kept is that of plain arrays (passes.inl), which includes this. */
#include "members.inl"

/* So many bytes ahead are asked for: the processor does not look far enough along a single stream (Zen 5, f64, structures of x and v:
 * 1.9 ns a particle with, 3.4 without). */
enum { AHEAD = 6144, LINE = 64 };

/* How the members of a structure lie. */
typedef enum form {
    ONES, /* anywhere */
    ROWS, /* x[dims] side by side, v[dims] too */
    BOTH, /* x[dims] and then v[dims] */
    FORMS
} form;

INLINE char *place(const void *array, size_t stride, size_t i) { return (char *)(uintptr_t)array + i * stride; }

INLINE void take_axes(const kdr_apart_pass *p, form f, int D, bool has_x, size_t i, vr x[], vr v[]) {
    if (f == BOTH) {
        vr e[6];
        take_run(place(p->axis[0].x, p->x_stride, i), p->x_stride, 2 * D, e);
        EACH(n, D) {
            x[n] = e[n];
            v[n] = e[D + n];
        }
        return;
    }
    const int runs = f == ONES ? D : 1, length = f == ONES ? 1 : D;
    EACH(n, runs) {
        if (has_x) {
            take_run(place(p->axis[n].x, p->x_stride, i), p->x_stride, length, x + n);
        }
        take_run(place(p->axis[n].v, p->v_stride, i), p->v_stride, length, v + n);
    }
}

INLINE void give_axes(const kdr_apart_pass *p, form f, int D, bool moves_x, bool moves_v, size_t i, const vr x[], const vr v[]) {
    if (f == BOTH && moves_x && moves_v) {
        vr e[6];
        EACH(n, D) {
            e[n] = x[n];
            e[D + n] = v[n];
        }
        give_run(place(p->axis[0].x, p->x_stride, i), p->x_stride, 2 * D, e);
        return;
    }
    const int runs = f == ONES ? D : 1, length = f == ONES ? 1 : D;
    EACH(n, runs) {
        if (moves_x) {
            give_run(place(p->axis[n].x, p->x_stride, i), p->x_stride, length, x + n);
        }
        if (moves_v) {
            give_run(place(p->axis[n].v, p->v_stride, i), p->v_stride, length, v + n);
        }
    }
}

/* n elements, fewer than a vector has, then the last over again. */
static NOINLINE vr few_load(const void *array, size_t stride, size_t i, size_t n) {
    real e[LANES];
    for (size_t l = 0; l < LANES; ++l) {
        memcpy(&e[l], place(array, stride, i + (l < n ? l : n - 1)), sizeof(real));
    }
    return v_load(e);
}

static NOINLINE void few_store(void *array, size_t stride, size_t i, size_t n, vr a) {
    real e[LANES];
    v_store(e, a);
    for (size_t l = 0; l < n; ++l) {
        memcpy(place(array, stride, i + l), &e[l], sizeof(real));
    }
}

/* A vector of masses. */
INLINE vr take_masses(const kdr_apart_pass *p, size_t i) {
    if (p->w_stride == sizeof(real)) {
        return v_load(element(p->axis[0].w, i));
    }
    vr w[1];
    take_run(place(p->axis[0].w, p->w_stride, i), p->w_stride, 1, w);
    return w[0];
}

/* Keeps a vector of one axis if it must be, and returns the vector's bit. */
INLINE unsigned keep_axis(const kdr_pass *p, kdr_keep keep, const moved *m, size_t *at) {
    const bool kept = must_keep(keep, m->lost);
    if (kept) {
        keep_vector(p, m, *at);
        *at += LANES;
    }
    return kept;
}

INLINE vr predicted_of(const kdr_pass *p, const moves *h, vr v, vr a, vr w) {
    const vr predicted = mul_add(h->ahead, a, v);
    return p->w ? v_select_zero(w, v, predicted) : predicted;
}

/* Asks for the lines of LANES particles. */
INLINE void foresee(const kdr_apart_pass *p, bool has_x, size_t i) {
    const size_t stride = has_x ? p->x_stride : p->v_stride;
    const char *const at = place(has_x ? p->axis[0].x : p->axis[0].v, stride, i) + AHEAD;
    for (size_t o = 0; o < LANES * stride; o += LINE) {
        __builtin_prefetch(at + o);
    }
}

/* The vector of particles that begins at i. Returns what has been kept: a bit an axis. */
INLINE unsigned move_all_axes(const kdr_apart_pass *p, const moves *h, form f, int D, SHAPE, size_t i, size_t at[3]) {
    const bool moves_x = d0 != 0 || d1 != 0, has_x = moves_x || keep != KDR_KEEP_NOTHING, kicks = k0 || k1;
    const vr zero = v_set1(0);
    vr x[6] = {zero, zero, zero}, v[6] = {zero, zero, zero};
    moved m[3];
    vi lost = v_bits(zero);
    unsigned bits = 0;
    take_axes(p, f, D, has_x, i, x, v);
    const vr w = masses ? take_masses(p, i) : zero;
    EACH(n, D) {
        const vr a = kicks || p->axis[n].predicted ? v_load(element(p->axis[n].a, i)) : zero;
        m[n] = move_lanes(&p->axis[n], h, SHAPE_NAMES, x[n], v[n], a, w);
        lost = i_or(lost, m[n].lost);
        x[n] = m[n].x1;
        v[n] = m[n].v1;
        if (p->axis[n].predicted) {
            v_store(element(p->axis[n].predicted, i), predicted_of(&p->axis[n], h, v[n], a, w));
        }
    }
    /* Of one axis at least. Seldom, or not: random states of f32, steps of a thousandth, take 1.4 ns a particle, and 1.0 where nothing is
     * lost. But storing always, and going on where something was lost, gives f32 1.3 ns and takes f64 from 2.1 to 2.6. */
    if (must_keep(keep, lost)) {
        EACH(n, D) { bits |= keep_axis(&p->axis[n], keep, &m[n], &at[n]) << n; }
    }
    give_axes(p, f, D, moves_x, kicks, i, x, v);
    return bits;
}

/* Whole vectors of [begin, end). */
INLINE void move_vectors(const kdr_apart_pass *pass, form f, int D, SHAPE, size_t begin, size_t end, size_t at[3]) {
    const kdr_apart_pass own = *pass, *const p = &own; /* no store can change it */
    const moves h = moves_of(&p->axis[0]);
    const bool has_x = d0 != 0 || d1 != 0 || keep != KDR_KEEP_NOTHING;
    size_t next[3] = {at[0], at[1], at[2]};
    for (size_t group = begin; group < end; group += GROUP) {
        unsigned bits[3] = {0, 0, 0}, vector = 0;
        const size_t stop = group + GROUP < end ? group + GROUP : end;
        for (size_t i = group; i < stop; i += LANES, ++vector) {
            foresee(p, has_x, i);
            const unsigned kept = move_all_axes(p, &h, f, D, SHAPE_NAMES, i, next);
            EACH(n, D) { bits[n] |= (kept >> n & 1) << vector; }
        }
        EACH(n, D) {
            if (keep != KDR_KEEP_NOTHING) {
                p->axis[n].kept.bits[group / GROUP] = (unsigned char)bits[n];
            }
        }
    }
    EACH(n, D) { at[n] = next[n]; }
}

typedef void apart_fn(const kdr_apart_pass *p, size_t begin, size_t end, size_t at[3]);

#define APART(name, f, D, ...)                                                                                                             \
    static NOINLINE void name(const kdr_apart_pass *p, size_t begin, size_t end, size_t at[3]) {                                           \
        move_vectors(p, f, D, __VA_ARGS__, begin, end, at);                                                                                \
    }

/* Loops of one shape, by form and axes, for structures of rows; and for any shape and structure, branches the same for all vectors. */
#define APARTS(name, ...)                                                                                                                  \
    APART(name##_rows_2, ROWS, 2, __VA_ARGS__)                                                                                             \
    APART(name##_rows_3, ROWS, 3, __VA_ARGS__)                                                                                             \
    APART(name##_both_2, BOTH, 2, __VA_ARGS__)                                                                                             \
    APART(name##_both_3, BOTH, 3, __VA_ARGS__)                                                                                             \
    static apart_fn *const name[FORMS][4] = {                                                                                              \
        [ROWS] = {[2] = name##_rows_2, [3] = name##_rows_3}, [BOTH] = {[2] = name##_both_2, [3] = name##_both_3}};
APARTS(verlet_apart, true, 0, KDR_KEEP_EXCEPTIONS, true, 1, false)
APARTS(verlet_masses_apart, true, 0, KDR_KEEP_EXCEPTIONS, true, 1, true)
APARTS(verlet_begins_apart, false, 0, KDR_KEEP_EXCEPTIONS, true, 1, false)
APARTS(kick_and_drift_apart, true, 1, KDR_KEEP_NOTHING, false, 0, false)
APARTS(kick_apart, true, 0, KDR_KEEP_NOTHING, false, 0, false)
APARTS(drift_apart, false, 1, KDR_KEEP_NOTHING, false, 0, false)

#define ANY p->axis[0].kicks[0], p->axis[0].drifts[0], p->axis[0].keep, p->axis[0].kicks[1], p->axis[0].drifts[1], p->axis[0].w != NULL
APART(any_ones_1, ONES, 1, ANY)
APART(any_ones_2, ONES, 2, ANY)
APART(any_ones_3, ONES, 3, ANY)
APART(any_rows_2, ROWS, 2, ANY)
APART(any_rows_3, ROWS, 3, ANY)

static bool beside(const void *first, const void *other, int n) { return (uintptr_t)other == (uintptr_t)first + (size_t)n * sizeof(real); }

static form form_of(const kdr_apart_pass *p, bool has_x) {
    const kdr_pass *const q = p->axis;
    for (int n = 1; n < p->dims; ++n) {
        if (!beside(q[0].v, q[n].v, n) || (has_x && !beside(q[0].x, q[n].x, n))) {
            return ONES;
        }
    }
    return p->dims == 1 ? ONES : has_x && p->x_stride == p->v_stride && beside(q[0].x, q[0].v, p->dims) ? BOTH : ROWS;
}

static apart_fn *apart_of(const kdr_apart_pass *p) {
    static const struct {
        bool k0;
        int d0;
        kdr_keep keep;
        bool k1;
        int d1;
        bool masses;
        apart_fn *const (*forms)[4];
    } shapes[] = {
        {true, 0, KDR_KEEP_EXCEPTIONS, true, 1, false, verlet_apart},
        {true, 0, KDR_KEEP_EXCEPTIONS, true, 1, true, verlet_masses_apart},
        {false, 0, KDR_KEEP_EXCEPTIONS, true, 1, false, verlet_begins_apart},
        {true, 1, KDR_KEEP_NOTHING, false, 0, false, kick_and_drift_apart},
        {true, 0, KDR_KEEP_NOTHING, false, 0, false, kick_apart},
        {false, 1, KDR_KEEP_NOTHING, false, 0, false, drift_apart},
    };
    static apart_fn *const any[] = {NULL, any_ones_1, any_ones_2, any_ones_3}, *const any_rows[] = {NULL, NULL, any_rows_2, any_rows_3};
    const kdr_pass *const q = &p->axis[0];
    const form f = form_of(p, q->drifts[0] || q->drifts[1] || q->keep != KDR_KEEP_NOTHING);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes && f != ONES && !q->predicted; ++s) {
        if (shapes[s].k0 == q->kicks[0] && shapes[s].d0 == q->drifts[0] && shapes[s].keep == q->keep && shapes[s].k1 == q->kicks[1] &&
            shapes[s].d1 == q->drifts[1] && shapes[s].masses == (q->w != NULL)) {
            return shapes[s].forms[f][p->dims];
        }
    }
    return (f == ONES ? any : any_rows)[p->dims];
}

/* The last particles, n of them, fewer than a vector. */
static void move_few(const kdr_apart_pass *p, size_t i, size_t n, size_t at[3]) {
    const moves h = moves_of(&p->axis[0]);
    for (int axis = 0; axis < p->dims; ++axis) {
        const kdr_pass *const q = &p->axis[axis];
        const bool moves_x = q->drifts[0] || q->drifts[1], kicks = q->kicks[0] || q->kicks[1];
        const vr w = q->w ? few_load(q->w, p->w_stride, i, n) : v_set1(0);
        const vr a = kicks || q->predicted ? few_load(q->a, sizeof(real), i, n) : v_set1(0);
        const vr x = moves_x || q->keep != KDR_KEEP_NOTHING ? few_load(q->x, p->x_stride, i, n) : v_set1(0);
        const vr v = few_load(q->v, p->v_stride, i, n);
        const moved m = move_lanes(q, &h, q->kicks[0], q->drifts[0], q->keep, q->kicks[1], q->drifts[1], q->w != NULL, x, v, a, w);
        const unsigned bit = keep_axis(q, q->keep, &m, &at[axis]);
        if (moves_x) {
            few_store(q->x, p->x_stride, i, n, m.x1);
        }
        if (kicks) {
            few_store(q->v, p->v_stride, i, n, m.v1);
        }
        if (q->predicted) {
            few_store(q->predicted, sizeof(real), i, n, predicted_of(q, &h, m.v1, a, w));
        }
        if (q->keep != KDR_KEEP_NOTHING) {
            unsigned char *const bits = &q->kept.bits[i / GROUP];
            *bits = (unsigned char)((i % GROUP ? *bits : 0U) | bit << (i % GROUP / LANES));
        }
    }
}

static void move_apart(const kdr_apart_pass *p, size_t begin, size_t end, size_t at[3]) {
    apart_fn *const run = apart_of(p);
    const size_t left = (end - begin) % LANES, last = end - left;
    const bool keeps = p->axis[0].keep != KDR_KEEP_NOTHING;
    for (size_t block = begin; block < end; block += KDR_PASS_BLOCK) {
        for (int n = 0; n < p->dims && keeps; ++n) {
            p->axis[n].kept.from[block / KDR_PASS_BLOCK] = at[n];
        }
        run(p, block, block + KDR_PASS_BLOCK < last ? block + KDR_PASS_BLOCK : last, at);
    }
    if (left > 0) {
        move_few(p, last, left, at);
    }
}

static void undo_axis(const kdr_apart_pass *pass, const kdr_pass *p, size_t begin, size_t end) {
    const moves h = moves_of(p);
    size_t at = (size_t)p->kept.from[begin / KDR_PASS_BLOCK];
    for (size_t i = begin; i < end; i += LANES) {
        const size_t n = end - i < LANES ? end - i : LANES;
        vr x, v;
        if (p->kept.bits[i / GROUP] >> (i / LANES % GROUP_VECTORS) & 1) {
            x = v_load(element(p->kept.x, at));
            v = v_load(element(p->kept.v, at));
            at += LANES;
        } else {
            const vr a = p->kicks[1] ? few_load(p->a, sizeof(real), i, n) : v_set1(0);
            x = few_load(p->x, pass->x_stride, i, n);
            v = few_load(p->v, pass->v_stride, i, n);
            undo_lanes(p, &h, a, p->w ? few_load(p->w, pass->w_stride, i, n) : v_set1(0), &x, &v);
        }
        few_store(p->x, pass->x_stride, i, n, x);
        few_store(p->v, pass->v_stride, i, n, v);
    }
}

static void undo_apart(const kdr_apart_pass *p, size_t begin, size_t end) {
    for (size_t block = begin; block < end; block += KDR_PASS_BLOCK) {
        for (int n = 0; n < p->dims; ++n) {
            undo_axis(p, &p->axis[n], block, block + KDR_PASS_BLOCK < end ? block + KDR_PASS_BLOCK : end);
        }
    }
}
