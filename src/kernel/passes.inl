/* The passes of coupled runs (passes.h): loops over arrays, each as close to one sweep over memory as what it does allows.
 *
 * They go by groups of eight vectors; what is left of an array goes through the same operations in padded copies.
 *
 * A pass that ends a step and begins the next overwrites the state of the end of the step, to which a run must go back when an evaluation
 * after it fails. A copy of it would be two arrays written beside five that are read or written, and a third of the speed. But nearly all of it
 * can be computed back: y' = y + d rounded, and y' - d rounded is y unless y' has a larger exponent than y, or far too small a one. So
 * the pass does compute it back, at once, in registers, and stores only those vectors whose bits are not what they were. Measured (4 million
 * f64 particles, Zen 5, one core), of the bandwidth of a plain read-modify-write pass: with 1 vector in 1000 stored 1.0, as without any
 * such care; with 1 in 20 0.97; with half of them, steps as long as the motion, 0.5; copies of all 0.6. */
#include "passes.h"

#include <math.h>
#include <string.h>

#include "unit.h"

/* Of the accelerations of fields: vectors of an axis that are computed at a time, and of all axes. */
#define FIELD_VECTORS 2
#define CHUNK_MAX (3 * FIELD_VECTORS)
#include "field.inl"

enum { GROUP_VECTORS = 8, GROUP = GROUP_VECTORS * LANES };
_Static_assert(KDR_PASS_BLOCK % GROUP == 0 && KDR_PASS_GROUP % GROUP == 0, "blocks of whole groups");
_Static_assert(KDR_PASS_WHOLE % (GROUP * (int)sizeof(real)) == 0, "blocks in a cache likewise");

INLINE char *element(const void *array, size_t i) { return (char *)(uintptr_t)array + i * sizeof(real); }

/* Lanes whose bits differ. */
INLINE vm differ(vr a, vr b) {
    const vi bits = i_xor(v_bits(a), v_bits(b)), sign = v_bits(v_set1((real)-0.0));
    /* y | -y has its sign bit set where y is not 0: of +-1 the sign is left */
    const vi any = i_and(i_or(bits, i_sub(v_bits(v_set1(0)), bits)), sign);
    return v_less(v_from_bits(i_or(any, v_bits(v_set1(1)))), v_set1(0));
}

/* What the loops need of a pass, in the unit's precision. */
typedef struct moves {
    vr kick[2], drift[2], minus_kick, minus_drift, ahead;
} moves;

INLINE moves moves_of(const kdr_pass *p) {
    return (moves){.kick = {v_set1((real)p->kick[0]), v_set1((real)p->kick[1])},
                   .drift = {v_set1((real)p->drift[0][0]), v_set1((real)p->drift[1][0])},
                   .minus_kick = v_set1(-(real)p->kick[1]),
                   .minus_drift = v_set1(-(real)p->drift[1][0]),
                   .ahead = v_set1((real)p->ahead)};
}

/* Constants where these functions are inlined, but in the instance for any pass: -1 stands for "read at run time". */
#define SHAPE bool k0, int d0, kdr_keep keep, bool k1, int d1, bool masses
#define SHAPE_NAMES k0, d0, keep, k1, d1, masses

INLINE vr drift_by(const kdr_pass *p, int part, int drifts, vr first, vr v, vr x) {
    if (drifts == 1) {
        return mul_add(first, v, x);
    }
    for (int n = 0; n < drifts; ++n) {
        x = mul_add(v_set1((real)p->drift[part][n]), v, x);
    }
    return x;
}

/* One vector, which begins at element i. Returns how many elements it has kept, from element `at` of kept.x and kept.v on. */
INLINE size_t move_vector(const kdr_pass *p, const moves *h, SHAPE, size_t i, size_t at) {
    const bool moves_x = d0 != 0 || d1 != 0, has_x = moves_x || keep != KDR_KEEP_NOTHING;
    const vr zero = v_set1(0), v = v_load(element(p->v, i)), x = has_x ? v_load(element(p->x, i)) : zero;
    const vr a = k0 || k1 ? v_load(element(p->a, i)) : zero;
    const vr w = masses ? v_load(element(p->w, i)) : zero;
    const vr v0 = k0 ? mul_add(h->kick[0], a, v) : v, x0 = drift_by(p, 0, d0, h->drift[0], v0, x);
    const vr v1 = k1 ? mul_add(h->kick[1], a, v0) : v0, x1 = drift_by(p, 1, d1, h->drift[1], v1, x0);
    bool kept = keep == KDR_KEEP_ALL;
    if (keep == KDR_KEEP_EXCEPTIONS) {
        const vm lost_x = d1 ? differ(mul_add(h->minus_drift, v1, x1), x0) : m_none();
        const vm lost_v = k1 ? differ(mul_add(h->minus_kick, a, v1), v0) : m_none();
        kept = m_any(m_or(lost_x, lost_v));
    }
    if (kept) {
        v_store(element(p->kept.x, at), masses ? v_select_zero(w, x, x0) : x0);
        v_store(element(p->kept.v, at), masses ? v_select_zero(w, v, v0) : v0);
    }
    if (moves_x) {
        v_store(element(p->x, i), masses ? v_select_zero(w, x, x1) : x1);
    }
    if (k0 || k1) {
        v_store(element(p->v, i), masses ? v_select_zero(w, v, v1) : v1);
    }
    return kept ? LANES : 0;
}

INLINE void predict_vector(const kdr_pass *p, const moves *h, size_t i) {
    const vr v = v_load(element(p->v, i)), predicted = mul_add(h->ahead, v_load(element(p->a, i)), v);
    v_store(element(p->predicted, i), p->w ? v_select_zero(v_load(element(p->w, i)), v, predicted) : predicted);
}

/* A copy of what is left of the arrays, padded with its last element. */
typedef struct padded {
    real x[GROUP], v[GROUP], a[GROUP], w[GROUP], predicted[GROUP];
} padded;

static void *pad(real *to, const void *array, size_t begin, size_t count) {
    if (!array) {
        return NULL;
    }
    memcpy(to, element(array, begin), count * sizeof(real));
    for (size_t i = count; i < GROUP; ++i) {
        to[i] = to[count - 1];
    }
    return to;
}

static void unpad(void *array, const real *from, size_t begin, size_t count) {
    if (array) {
        memcpy(element(array, begin), from, count * sizeof(real));
    }
}

static kdr_pass pass_pad(const kdr_pass *p, padded *store, unsigned char *bits, size_t begin, size_t count) {
    kdr_pass q = *p;
    q.x = pad(store->x, p->x, begin, count);
    q.v = pad(store->v, p->v, begin, count);
    q.a = pad(store->a, p->a, begin, count);
    q.w = pad(store->w, p->w, begin, count);
    q.predicted = p->predicted ? store->predicted : NULL;
    q.kept.bits = bits;
    return q;
}

/* Groups of [begin, end), which keep what they keep from element `at` on. Returns where the next would. */
typedef size_t move_fn(const kdr_pass *p, size_t begin, size_t end, size_t at);

/* A loop of one shape. */
#define MOVE(name, k0, d0, keep, k1, d1)                                                                                                   \
    MOVE_OF(name##_massless, k0, d0, keep, k1, d1, false)                                                                                  \
    MOVE_OF(name##_masses, k0, d0, keep, k1, d1, true)                                                                                     \
    static move_fn *const name[2] = {name##_massless, name##_masses};
#define MOVE_OF(name, k0, d0, keep, k1, d1, masses)                                                                                        \
    static NOINLINE size_t name(const kdr_pass *p, size_t begin, size_t end, size_t at) {                                                  \
        const moves h = moves_of(p);                                                                                                       \
        for (size_t i = begin; i < end; i += GROUP) {                                                                                      \
            unsigned bits = 0;                                                                                                             \
            EACH(u, GROUP_VECTORS) {                                                                                                       \
                const size_t more = move_vector(p, &h, k0, d0, keep, k1, d1, masses, i + (size_t)u * LANES, at);                           \
                bits |= more ? 1U << u : 0U;                                                                                               \
                at += more;                                                                                                                \
            }                                                                                                                              \
            if ((keep) != KDR_KEEP_NOTHING) {                                                                                              \
                p->kept.bits[i / GROUP] = (unsigned char)bits;                                                                             \
            }                                                                                                                              \
        }                                                                                                                                  \
        return at;                                                                                                                         \
    }

MOVE(verlet_goes_on, true, 0, KDR_KEEP_EXCEPTIONS, true, 1)
MOVE(verlet_begins, false, 0, KDR_KEEP_EXCEPTIONS, true, 1)
MOVE(kick_and_drift, true, 1, KDR_KEEP_NOTHING, false, 0)
MOVE(kick_drift_drift, true, 1, KDR_KEEP_EXCEPTIONS, false, 1)
MOVE(kick_alone, true, 0, KDR_KEEP_NOTHING, false, 0)
MOVE(drift_alone, false, 1, KDR_KEEP_NOTHING, false, 0)

/* Any other, its branches the same for all vectors. */
static NOINLINE size_t any_move(const kdr_pass *p, size_t begin, size_t end, size_t at) {
    const moves h = moves_of(p);
    for (size_t i = begin; i < end; i += GROUP) {
        unsigned bits = 0;
        for (int u = 0; u < GROUP_VECTORS; ++u) {
            const size_t n = i + (size_t)u * LANES;
            const size_t more = move_vector(p, &h, p->kicks[0], p->drifts[0], p->keep, p->kicks[1], p->drifts[1], p->w != NULL, n, at);
            bits |= more ? 1U << u : 0U;
            at += more;
            if (p->predicted) {
                predict_vector(p, &h, n);
            }
        }
        if (p->keep != KDR_KEEP_NOTHING) {
            p->kept.bits[i / GROUP] = (unsigned char)bits;
        }
    }
    return at;
}

static move_fn *move_of(const kdr_pass *p) {
    static const struct {
        bool k0;
        int d0;
        kdr_keep keep;
        bool k1;
        int d1;
        move_fn *const *moves;
    } shapes[] = {
        {true, 0, KDR_KEEP_EXCEPTIONS, true, 1, verlet_goes_on}, {false, 0, KDR_KEEP_EXCEPTIONS, true, 1, verlet_begins},
        {true, 1, KDR_KEEP_NOTHING, false, 0, kick_and_drift},   {true, 1, KDR_KEEP_EXCEPTIONS, false, 1, kick_drift_drift},
        {true, 0, KDR_KEEP_NOTHING, false, 0, kick_alone},       {false, 1, KDR_KEEP_NOTHING, false, 0, drift_alone},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes && !p->predicted; ++s) {
        if (shapes[s].k0 == p->kicks[0] && shapes[s].d0 == p->drifts[0] && shapes[s].keep == p->keep && shapes[s].k1 == p->kicks[1] &&
            shapes[s].d1 == p->drifts[1]) {
            return shapes[s].moves[p->w != NULL];
        }
    }
    return any_move;
}

static size_t move(const kdr_pass *p, size_t begin, size_t end, size_t at) {
    move_fn *const run = move_of(p);
    const size_t left = (end - begin) % GROUP, last = end - left;
    for (size_t block = begin; block < end && p->keep != KDR_KEEP_NOTHING; block += KDR_PASS_BLOCK) {
        p->kept.from[block / KDR_PASS_BLOCK] = at;
        at = run(p, block, block + KDR_PASS_BLOCK < last ? block + KDR_PASS_BLOCK : last, at);
    }
    if (p->keep == KDR_KEEP_NOTHING) {
        run(p, begin, last, 0);
    }
    if (left > 0) {
        padded store;
        unsigned char bits = 0;
        const kdr_pass q = pass_pad(p, &store, &bits, last, left);
        at = run(&q, 0, GROUP, at);
        unpad(p->x, store.x, last, left);
        unpad(p->v, store.v, last, left);
        unpad(p->predicted, store.predicted, last, left);
        if (p->keep != KDR_KEEP_NOTHING) {
            p->kept.bits[last / GROUP] = bits;
        }
    }
    return at;
}

/* The vector that begins with element i, of which nothing was kept. */
INLINE void undo_vector(const kdr_pass *p, const moves *h, size_t i) {
    const vr x1 = v_load(element(p->x, i)), v1 = v_load(element(p->v, i));
    vr x = p->drifts[1] ? mul_add(h->minus_drift, v1, x1) : x1;
    vr v = p->kicks[1] ? mul_add(h->minus_kick, v_load(element(p->a, i)), v1) : v1;
    if (p->w) {
        const vr w = v_load(element(p->w, i));
        x = v_select_zero(w, x1, x);
        v = v_select_zero(w, v1, v);
    }
    v_store(element(p->x, i), x);
    v_store(element(p->v, i), v);
}

static void undo_groups(const kdr_pass *p, size_t begin, size_t end, size_t at) {
    const moves h = moves_of(p);
    for (size_t i = begin; i < end; i += LANES) {
        if (p->kept.bits[i / GROUP] >> (i / LANES % GROUP_VECTORS) & 1) {
            v_store(element(p->x, i), v_load(element(p->kept.x, at)));
            v_store(element(p->v, i), v_load(element(p->kept.v, at)));
            at += LANES;
        } else {
            undo_vector(p, &h, i);
        }
    }
}

/* How much of [begin, end), whole groups, was kept. */
static size_t kept_of(const kdr_pass *p, size_t begin, size_t end) {
    size_t kept = 0;
    for (size_t i = begin; i < end; i += LANES) {
        kept += p->kept.bits[i / GROUP] >> (i / LANES % GROUP_VECTORS) & 1 ? LANES : 0;
    }
    return kept;
}

static void undo(const kdr_pass *p, size_t begin, size_t end) {
    const size_t left = (end - begin) % GROUP, last = end - left;
    for (size_t block = begin; block < last; block += KDR_PASS_BLOCK) {
        const size_t stop = block + KDR_PASS_BLOCK < last ? block + KDR_PASS_BLOCK : last;
        undo_groups(p, block, stop, (size_t)p->kept.from[block / KDR_PASS_BLOCK]);
    }
    if (left > 0) {
        padded store;
        unsigned char bits = p->kept.bits[last / GROUP];
        const kdr_pass q = pass_pad(p, &store, &bits, last, left);
        const size_t block = last / KDR_PASS_BLOCK * KDR_PASS_BLOCK;
        undo_groups(&q, 0, GROUP, (size_t)p->kept.from[block / KDR_PASS_BLOCK] + kept_of(p, block, last));
        unpad(p->x, store.x, last, left);
        unpad(p->v, store.v, last, left);
    }
}

enum { FIELD = FIELD_VECTORS * LANES, FIELD_ARRAYS = 7 + KDR_MAX_EACH * 5 };

/* The arrays of a job that its field reads, at element i. `store` is for padded copies of what is less than FIELD elements. */
static const char *field_array(const void *array, size_t i, size_t count, real (**store)[FIELD]) {
    if (!array || count == FIELD) {
        return array ? element(array, i) : NULL;
    }
    real *const to = **store;
    ++*store;
    memcpy(to, element(array, i), count * sizeof(real));
    for (size_t n = count; n < FIELD; ++n) {
        to[n] = to[count - 1];
    }
    return (const char *)to;
}

static void field_lanes(const kdr_job *job, size_t i, size_t count, real (*store)[FIELD], const char *x[3], const char *v[3], lanes *p) {
    for (int n = 0; n < job->dims; ++n) {
        x[n] = field_array(job->x[n], i, count, &store);
        v[n] = field_array(job->v[n], i, count, &store);
    }
    p->inverse_mass = field_array(job->inverse_mass, i, count, &store);
    for (int s = 0; s < job->field->springs; ++s) {
        p->k_each[s] = field_array(job->field->spring[s].k_each, i, count, &store);
        for (int n = 0; n < job->dims; ++n) {
            p->at_each[s][n] = field_array(job->field->spring[s].at_each[n], i, count, &store);
        }
    }
    for (int d = 0; d < job->field->drags; ++d) {
        p->b_each[d] = field_array(job->field->drag[d].b_each, i, count, &store);
    }
}

INLINE void field_chunk(const kdr_field_pass *pass, const constants *c, const real base[3], int D, size_t i, size_t count) {
    const kdr_job *const job = pass->job;
    const char *at_x[3], *at_v[3];
    real store[FIELD_ARRAYS][FIELD], sums[FIELD];
    vr x[CHUNK_MAX], v[CHUNK_MAX], a[CHUNK_MAX];
    lanes p;
    field_lanes(job, i, count, store, at_x, at_v, &p);
    EACH(n, D) {
        EACH(u, FIELD_VECTORS) {
            x[n * FIELD_VECTORS + u] = part(at_x[n], u);
            v[n * FIELD_VECTORS + u] = part(at_v[n], u);
        }
    }
    acceleration(c, job->terms, &p, 0, D, FIELD_VECTORS, base, x, v, a);
    EACH(n, D) {
        char *const to = element(pass->a[n], i);
        memcpy(sums, to, count * sizeof(real));
        for (size_t e = count; e < FIELD; ++e) {
            sums[e] = 0;
        }
        EACH(u, FIELD_VECTORS) {
            char *const sum_at = (char *)sums + (size_t)u * sizeof(vr);
            const vr mine = a[n * FIELD_VECTORS + u];
            v_store(sum_at, pass->adds ? v_add(v_load(sum_at), mine) : mine);
        }
        memcpy(to, sums, count * sizeof(real));
    }
}

#define FIELD_ON(D)                                                                                                                        \
    static NOINLINE void field_on_##D(const kdr_field_pass *pass, size_t begin, size_t end) {                                              \
        constants c;                                                                                                                       \
        constants_make(pass->job, 0, D, &c);                                                                                               \
        real base[3] = {0, 0, 0};                                                                                                          \
        for (int n = 0; n < (D); ++n) {                                                                                                    \
            base[n] = (real)pass->job->base[n];                                                                                            \
        }                                                                                                                                  \
        for (size_t i = begin; i < end; i += FIELD) {                                                                                      \
            field_chunk(pass, &c, base, D, i, end - i < FIELD ? end - i : FIELD);                                                          \
        }                                                                                                                                  \
    }
FIELD_ON(1)
FIELD_ON(2)
FIELD_ON(3)

static void field(const kdr_field_pass *pass, size_t begin, size_t end) {
    static void (*const on_axes[])(const kdr_field_pass *, size_t, size_t) = {field_on_1, field_on_2, field_on_3};
    on_axes[pass->job->dims - 1](pass, begin, end);
}

#include "cross.inl"
#include "slopes.inl"

#include "chain.inl" /* stands on slopes.inl */

const kdr_passes KDR_UNIT = {.vector = LANES,
                             .move = move,
                             .undo = undo,
                             .stage = stage,
                             .sum = sum,
                             .field = field,
                             .cross_of = cross_of,
                             .link = link_stage,
                             .close_of = close_of};
