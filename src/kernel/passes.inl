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

enum { GROUP_VECTORS = 8, GROUP = GROUP_VECTORS * LANES };
_Static_assert(KDR_PASS_BLOCK % GROUP == 0 && KDR_PASS_GROUP % GROUP == 0, "blocks of whole groups");
_Static_assert(KDR_PASS_WHOLE % (GROUP * (int)sizeof(real)) == 0, "blocks in a cache likewise");

INLINE char *element(const void *array, size_t i) { return (char *)(uintptr_t)array + i * sizeof(real); }

/* Whether any bit is set. Here, not in ops_*.h, which every unit includes. */
INLINE bool i_any(vi a) {
#ifdef SCALAR_UNIT
    return a != 0;
#elif defined(__AVX512F__)
    return _mm512_test_epi32_mask(a, a) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256(a, a);
#else
    return simde_mm_movemask_epi8(simde_mm_cmpeq_epi8(a, simde_mm_setzero_si128())) != 0xFFFF;
#endif
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

/* What becomes of a vector of particles: x and v at the end of a step and after it, and the bits that are lost when the former are computed
 * back from the latter. */
typedef struct moved {
    vr x0, v0, x1, v1;
    vi lost;
} moved;

INLINE moved move_lanes(const kdr_pass *p, const moves *h, SHAPE, vr x, vr v, vr a, vr w) {
    const vr v0 = k0 ? mul_add(h->kick[0], a, v) : v, x0 = drift_by(p, 0, d0, h->drift[0], v0, x);
    const vr v1 = k1 ? mul_add(h->kick[1], a, v0) : v0, x1 = drift_by(p, 1, d1, h->drift[1], v1, x0);
    const bool asks = keep == KDR_KEEP_EXCEPTIONS;
    const vi none = v_bits(v_set1(0));
    const vi lost_x = asks && d1 ? i_xor(v_bits(mul_add(h->minus_drift, v1, x1)), v_bits(x0)) : none;
    const vi lost_v = asks && k1 ? i_xor(v_bits(mul_add(h->minus_kick, a, v1)), v_bits(v0)) : none;
    const vi lost = i_or(lost_x, lost_v);
    if (masses) {
        return (moved){v_select_zero(w, x, x0), v_select_zero(w, v, v0), v_select_zero(w, x, x1), v_select_zero(w, v, v1), lost};
    }
    return (moved){x0, v0, x1, v1, lost};
}

INLINE bool must_keep(kdr_keep keep, vi lost) { return keep == KDR_KEEP_ALL || (keep == KDR_KEEP_EXCEPTIONS && i_any(lost)); }

/* What is kept of it, from element `at` of kept.x and kept.v on. */
INLINE void keep_vector(const kdr_pass *p, const moved *m, size_t at) {
    v_store(element(p->kept.x, at), m->x0);
    v_store(element(p->kept.v, at), m->v0);
}

/* One vector, which begins at element i. Returns how many elements it has kept. */
INLINE size_t move_vector(const kdr_pass *p, const moves *h, SHAPE, size_t i, size_t at) {
    const bool moves_x = d0 != 0 || d1 != 0, has_x = moves_x || keep != KDR_KEEP_NOTHING;
    const vr zero = v_set1(0), v = v_load(element(p->v, i)), x = has_x ? v_load(element(p->x, i)) : zero;
    const vr a = k0 || k1 ? v_load(element(p->a, i)) : zero;
    const vr w = masses ? v_load(element(p->w, i)) : zero;
    const moved m = move_lanes(p, h, SHAPE_NAMES, x, v, a, w);
    const bool kept = must_keep(keep, m.lost);
    if (kept) {
        keep_vector(p, &m, at);
    }
    if (moves_x) {
        v_store(element(p->x, i), m.x1);
    }
    if (k0 || k1) {
        v_store(element(p->v, i), m.v1);
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

/* A vector of which nothing was kept. */
INLINE void undo_lanes(const kdr_pass *p, const moves *h, vr a, vr w, vr *x, vr *v) {
    const vr x1 = *x, v1 = *v;
    *x = p->drifts[1] ? mul_add(h->minus_drift, v1, x1) : x1;
    *v = p->kicks[1] ? mul_add(h->minus_kick, a, v1) : v1;
    if (p->w) {
        *x = v_select_zero(w, x1, *x);
        *v = v_select_zero(w, v1, *v);
    }
}

INLINE void undo_vector(const kdr_pass *p, const moves *h, size_t i) {
    const vr a = p->kicks[1] ? v_load(element(p->a, i)) : v_set1(0), w = p->w ? v_load(element(p->w, i)) : v_set1(0);
    vr x = v_load(element(p->x, i)), v = v_load(element(p->v, i));
    undo_lanes(p, h, a, w, &x, &v);
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

#include "apart.inl"
#include "carry.inl"

#include "cross.inl"
#include "slopes.inl"

#include "chain.inl" /* stands on slopes.inl */

const kdr_passes KDR_UNIT = {.vector = LANES,
                             .move = move,
                             .undo = undo,
                             .move_apart = move_apart,
                             .undo_apart = undo_apart,
                             .carry = carry,
                             .stage = stage,
                             .sum = sum,
                             .cross_of = cross_of,
                             .link = link_stage,
                             .close_of = close_of};
