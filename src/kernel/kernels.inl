/* The bodies of a unit, for the operations (ops_*.h), precision and arithmetic that it has named.
 *
 * Axes that do not feel each other are stepped one after the other, so that few vectors are alive at a time; a coupled field takes
 * all its axes at once. */
#include "kernel.h"

#include <math.h>
#include <string.h>

#include "unit.h"

/* Vectors in a tile of the Langevin family; its chunks are NOISE_VECTORS. */
#define TILE_NOISE 8

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define LARGEST(a, b, c) LARGER(a, LARGER(b, c))
#define TILE(D) LARGEST(TILE_RK_##D, TILE_SPLIT_##D, LARGEST(TILE_RK_ANY_##D, TILE_SPLIT_ANY_##D, TILE_NOISE))
#define CHUNK(D) LARGEST(CHUNK_RK_##D, CHUNK_SPLIT_##D, LARGEST(CHUNK_RK_ANY_##D, CHUNK_SPLIT_ANY_##D, NOISE_VECTORS))
#define TILE_MAX LARGEST(TILE(1), 2 * TILE(2), 3 * TILE(3))
#define CHUNK_MAX LARGEST(CHUNK(1), 2 * CHUNK(2), 3 * CHUNK(3))
/* The most vectors that a family computes once a run for each vector of particles. */
#define FIXED_MOST(D) LARGER(3, 2 * (D) * (D))
#define FIXED_MAX                                                                                                                          \
    LARGER(LARGEST(FIXED_MOST(1) * TILE(1), FIXED_MOST(2) * TILE(2), FIXED_MOST(3) * TILE(3)), LARGEST(MAPS(1), MAPS(2), MAPS(3)))
#define CHUNK_FIXED_MAX                                                                                                                    \
    LARGER(LARGEST(FIXED_MOST(1) * CHUNK(1), FIXED_MOST(2) * CHUNK(2), FIXED_MOST(3) * CHUNK(3)),                                          \
           LARGEST(MAP_SIZE(1) * CHUNK_EACH_1, MAP_SIZE(2), MAP_SIZE(3)))

/* The elements of the kinematic family's map (kinematic.inl), and its tiles where each particle has a map of its own. */
#define MAP_SIZE(D) (2 * (D) * (2 * (D) + 1))
#define TILE_EACH_1 8
#define CHUNK_EACH_1 2
#define TILE_EACH_2 4
#define CHUNK_EACH_2 1
#define TILE_EACH_3 4
#define CHUNK_EACH_3 1
#define MAPS(D) (MAP_SIZE(D) * TILE_EACH_##D)

#ifdef KDR_FIELD_FILE
#include "fuse.inl"
#endif

#include "field.inl"

/* The constant part of the acceleration on a chunk's axes, from a row of the job. */
INLINE void base_load(const double *row, int first, int D, real *base) {
    EACH(i, D) { base[i] = (real)row[first + i]; }
#ifdef KDR_FIELD_FILE
    base[3] = (real)row[3]; /* the time; no built-in force asks for it */
#endif
}

/* The constant part at one evaluation: of a driven field the next row's, read into `driven`; of any other `base`. */
INLINE const real *base_next(const double **row, unsigned terms, int first, int D, const real *base, real *driven) {
    if (!(terms & KDR_TERM_DRIVEN)) {
        return base;
    }
    base_load(*row, first, D, driven);
    *row += KDR_BASE;
    return driven;
}

/* A tile's arrays: element [i * T + t] is vector t on axis i. */
typedef struct tile_state {
    vr x[TILE_MAX], v[TILE_MAX], a[TILE_MAX], cx[TILE_MAX], cv[TILE_MAX], fixed[FIXED_MAX];
} tile_state;

/* Goes through the vectors of a tile, U at a time; a tile of one chunk is always full. */
#define CHUNKS(at, vectors, T, U) for (int at = 0; at < ((T) == (U) ? (T) : (vectors)); at += (U))

INLINE void chunk_get(const vr *tile, int at, int D, int T, int U, vr *out) {
    EACH(i, D) {
        EACH(u, U) { out[i * U + u] = tile[i * T + at + u]; }
    }
}

INLINE void chunk_get_or_zero(bool wanted, const vr *tile, int at, int D, int T, int U, vr *out) {
    EACH(i, D) {
        EACH(u, U) { out[i * U + u] = wanted ? tile[i * T + at + u] : v_set1(0); }
    }
}

INLINE void chunk_put(vr *tile, int at, int D, int T, int U, const vr *in) {
    EACH(i, D) {
        EACH(u, U) { tile[i * T + at + u] = in[i * U + u]; }
    }
}

INLINE void tile_load(char *const array[3], int D, int T, int U, int vectors, vr *out) {
    CHUNKS(at, vectors, T, U) {
        EACH(i, D) {
            EACH(u, U) { out[i * T + at + u] = part(array[i], at + u); }
        }
    }
}

INLINE void tile_load_or_zero(bool wanted, char *const array[3], int D, int T, int U, int vectors, vr *out) {
    if (wanted) {
        tile_load(array, D, T, U, vectors, out);
        return;
    }
    CHUNKS(at, vectors, T, U) {
        EACH(i, D) {
            EACH(u, U) { out[i * T + at + u] = v_set1(0); }
        }
    }
}

/* Frozen particles keep what they had, to the bit. */
INLINE void tile_store(const lanes *p, char *const array[3], int D, int T, int U, int vectors, const vr *in) {
    CHUNKS(at, vectors, T, U) {
        EACH(u, U) {
            EACH(i, D) {
                vr value = in[i * T + at + u];
                if (p->inverse_mass) {
                    value = v_select_zero(part(p->inverse_mass, at + u), part(array[i], at + u), value);
                }
                v_store(array[i] + (size_t)(at + u) * sizeof(vr), value);
            }
        }
    }
}

/* y += increment. In a compensated run what rounding takes from the sum goes into c: 6 additions more (Knuth's error of a sum, TAOCP
 * 4.2.2). The increment begins with the c of the time before. */
INLINE void add_increment(unsigned terms, vr increment, vr *y, vr *c) {
    const vr sum = v_add(*y, increment);
    if (terms & KDR_TERM_COMPENSATED) {
        const vr taken = v_sub(sum, *y);
        *c = v_add(v_sub(*y, v_sub(sum, taken)), v_sub(increment, taken));
    }
    *y = sum;
}

/* y += h rate, one fma a component: a kick (v += h a), a drift (x += h v). */
INLINE void advance(unsigned terms, vr h, int N, const vr *rate, vr *y, vr *c) {
    if (!(terms & KDR_TERM_COMPENSATED)) {
        EACH(n, N) { y[n] = mul_add(h, rate[n], y[n]); }
        return;
    }
    EACH(n, N) { add_increment(terms, mul_add(h, rate[n], c[n]), &y[n], &c[n]); }
}

/* Units of fused fields have no kernels of some families. */
#define UNLESS_USED __attribute__((unused))
#include "coefficients.inl"

#include "collide.inl"

/* What the functions of a family are given. S: the number of stages of a row read at run time, where it is known, else 0; D axes from
 * `first` on, in chunks of U vectors. They are inlined where S, terms, D and U are constants. */
#define PLAN                                                                                                                               \
    const kdr_job *job, const void *row, int S, const coefficients *h, const constants *c, unsigned terms, const lanes *p, int first,      \
        int D, int U
#define PLAN_NAMES job, row, S, h, c, terms, p, first, D, U

/* What <family>_<flavour>_step is given: a chunk, which begins with vector `at` of its tile, at step n of the job. `a` is the acceleration
 * that a family that keeps it ended the last step with; cx and cv are carried when terms has KDR_TERM_COMPENSATED. */
#define STEP_PLAN                                                                                                                          \
    PLAN, int at, const real *base, const double *rows, uint64_t n, bool keep, vr *x, vr *v, vr *a, vr *cx, vr *cv, const vr *fixed

/* Beside its step a family has:
 *   keeps      a step starts from the acceleration that the one before ended with
 *   remembers  the particles' memory holds, between runs, what `a` held at the end
 *   fixed      how many vectors are computed once a run for each vector of particles: an inverse, a rotation, an amplitude of noise
 *   begins     there is something to do before the first step; resumed: `a` is what the particles' memory held
 *   begin      does it
 *   ends, end  likewise after the last */
#define BEGIN_PLAN PLAN, int at, const real *base, bool resumed, vr *x, vr *v, vr *a, vr *fixed

#define DOES_NOT_END(family)                                                                                                               \
    INLINE bool family##_ends(const kdr_job *job) { return (void)job, false; }                                                             \
    INLINE void family##_end(const coefficients *h, int N, vr *x, vr *v, vr *a) { (void)h, (void)N, (void)x, (void)v, (void)a; }

/* A family that only steps. */
#define ONLY_STEPS(family)                                                                                                                 \
    INLINE bool family##_keeps(const void *row) { return (void)row, false; }                                                               \
    INLINE bool family##_remembers(bool keep) { return (void)keep, false; }                                                                \
    INLINE int family##_fixed(int D) { return (void)D, 0; }                                                                                \
    INLINE bool family##_begins(const kdr_job *job, bool keep, bool resumed) { return (void)job, (void)keep, (void)resumed, false; }       \
    INLINE void family##_begin(BEGIN_PLAN) {                                                                                               \
        (void)job, (void)row, (void)S, (void)h, (void)c, (void)terms, (void)p, (void)first, (void)D, (void)U, (void)at, (void)base;        \
        (void)resumed, (void)x, (void)v, (void)a, (void)fixed;                                                                             \
    }                                                                                                                                      \
    DOES_NOT_END(family)

ONLY_STEPS(runge_kutta)

INLINE bool splitting_keeps(const void *row) { return kdr_splitting_keeps(row); }

INLINE bool splitting_remembers(bool keep) { return keep; }

INLINE int splitting_fixed(int D) { return (void)D, 0; }

INLINE bool splitting_begins(const kdr_job *job, bool keep, bool resumed) { return (void)job, keep && !resumed; }

INLINE void splitting_begin(BEGIN_PLAN) {
    (void)job, (void)row, (void)S, (void)h, (void)first, (void)resumed, (void)fixed;
    acceleration(c, terms, p, at, D, U, base, x, v, a);
}
DOES_NOT_END(splitting)

#include "implicit.inl"
#include "magnetic.inl"
#include "multistep.inl"
#include "noise.inl"

ONLY_STEPS(nystrom)

#include "langevin.inl"

#include "kinematic.inl"

/* Rows known at compile time, their loops unrolled. The bound of an inner loop must not hang on the outer one: clang would unroll it too late
 * for the arrays to become registers (rk4 at a third of the speed). */
#define FLAVOUR constant
#define STAGES(i, n) EACH(i, n)
#define EARLIER(j, n, most) EACH(j, most) if (j < (n))
#define PREDICTS(list) ((list)->predicts)
#include "nystrom.inl"
#include "runge_kutta.inl"
#include "splitting.inl"

#define FAMILY runge_kutta
#include "tile.inl"
#undef FAMILY
#define FAMILY splitting
#include "tile.inl"
#undef FAMILY
#define FAMILY nystrom
#include "tile.inl"
#undef FAMILY
#undef STAGES
#undef EARLIER
#undef PREDICTS
#undef FLAVOUR

/* Rows read at run time, their stages a loop. None of them predicts: the one splitting row that does has instances of its own, and the
 * branch would cost the others two fifths of their speed. */
#define FLAVOUR any
#define STAGES(i, n) for (int i = 0; i < (n); ++i)
#define EARLIER(j, n, most) for (int j = 0; j < (n); ++j)
#define PREDICTS(list) false
#include "nystrom.inl"
#include "runge_kutta_read.inl"
#include "splitting.inl"

#define FAMILY runge_kutta
#include "tile.inl"
#undef FAMILY
#define FAMILY splitting
#include "tile.inl"
#undef FAMILY
#define FAMILY nystrom
#include "tile.inl"
#undef FAMILY
#define FAMILY implicit
#include "tile.inl"
#undef FAMILY
#define FAMILY multistep
#include "tile.inl"
#undef FAMILY
#define FAMILY magnetic
#include "tile.inl"
#undef FAMILY
#define FAMILY langevin
#include "tile.inl"
#undef FAMILY
#define FAMILY affine
#include "tile.inl"
#undef FAMILY
#define FAMILY affine_each
#include "tile.inl"
#undef FAMILY
#define FAMILY strang
#include "tile.inl"
#undef FAMILY
#define FAMILY strang_each
#include "tile.inl"
#undef FAMILY
#define FAMILY sums
#include "tile.inl"
#undef FAMILY
#define FAMILY sums_each
#include "tile.inl"
#undef FAMILY
#undef STAGES
#undef EARLIER
#undef PREDICTS
#undef FLAVOUR

/* Rows read at run time, the number of their stages known at compile time. */
#define FLAVOUR counted
#define STAGES(i, n) EACH(i, n)
#define EARLIER(j, n, most) EACH(j, most) if (j < (n))
#include "runge_kutta_read.inl"

#define FAMILY runge_kutta
#include "tile.inl"
#undef FAMILY
#undef STAGES
#undef EARLIER
#undef FLAVOUR

/* The arrays of a job at particle `index`, axes from `first` on, for `count` particles. */
static lanes lanes_at(const kdr_job *job, int first, int axes, size_t index, size_t count) {
    const size_t offset = index * sizeof(real);
    lanes p;
    memset(&p, 0, sizeof p);
    for (int i = 0; i < axes; ++i) {
        p.x[i] = (char *)job->x[first + i] + offset;
        p.v[i] = (char *)job->v[first + i] + offset;
        p.memory[i] = job->memory[0] ? (char *)job->memory[first + i] + offset : NULL;
        p.cx[i] = job->compensation[0] ? (char *)job->compensation[first + i] + offset : NULL;
        p.cv[i] = job->compensation[0] ? (char *)job->compensation[3 + first + i] + offset : NULL;
    }
    p.inverse_mass = job->inverse_mass ? (const char *)job->inverse_mass + offset : NULL;
    for (int s = 0; s < job->field->springs; ++s) {
        const kdr_spring *const spring = &job->field->spring[s];
        p.k_each[s] = spring->k_each ? (const char *)spring->k_each + offset : NULL;
        for (int i = 0; i < axes; ++i) {
            p.at_each[s][i] = spring->at_each[first + i] ? (const char *)spring->at_each[first + i] + offset : NULL;
        }
    }
    for (int d = 0; d < job->field->drags; ++d) {
        p.b_each[d] = (const char *)job->field->drag[d].b_each + offset;
    }
#ifdef KDR_FIELD_FILE
    for (int n = 0; n < job->field->fused_arrays; ++n) {
        p.fused_each[n] = (const char *)job->field->fused_array[n].each + offset;
    }
#endif
    p.id = job->id ? (const char *)job->id + index * sizeof *job->id : NULL;
    p.first_id = job->first_id + index;
    p.hits = job->hits ? (char *)job->hits + index * sizeof *job->hits : NULL;
    for (int s = 0; s < 2; ++s) {
        p.dissipated[s] = job->dissipated[s] ? (char *)job->dissipated[s] + index * sizeof *job->dissipated[s] : NULL;
    }
    p.left = count;
    return p;
}

/* On to the next tile, `count` particles on. Arrays that are not there stay NULL. */
INLINE void lanes_advance(lanes *p, const constants *c, int D, size_t count) {
    const size_t offset = count * sizeof(real);
    EACH(i, D) {
        p->x[i] += offset;
        p->v[i] += offset;
        p->memory[i] = p->memory[i] ? p->memory[i] + offset : NULL;
        p->cx[i] = p->cx[i] ? p->cx[i] + offset : NULL;
        p->cv[i] = p->cv[i] ? p->cv[i] + offset : NULL;
    }
    p->inverse_mass = p->inverse_mass ? p->inverse_mass + offset : NULL;
    for (int s = 0; s < c->springs; ++s) {
        p->k_each[s] = p->k_each[s] ? p->k_each[s] + offset : NULL;
        EACH(i, D) { p->at_each[s][i] = p->at_each[s][i] ? p->at_each[s][i] + offset : NULL; }
    }
    for (int d = 0; d < c->drags; ++d) {
        p->b_each[d] += offset;
    }
#ifdef KDR_FIELD_FILE
    for (int n = 0; n < c->fused_arrays; ++n) {
        p->fused_each[n] += offset;
    }
#endif
    p->id = p->id ? p->id + count * sizeof(uint64_t) : NULL;
    p->first_id += count;
    p->hits = p->hits ? p->hits + count * sizeof(uint32_t) : NULL;
    for (int s = 0; s < 2; ++s) {
        p->dissipated[s] = p->dissipated[s] ? p->dissipated[s] + count * sizeof(double) : NULL;
    }
    p->left -= count;
}

/* A tile's worth of every array, for the last particles, which do not fill one: on D axes x, v, memory, compensations, the inverse mass,
 * and of every spring and drag with arrays k, the anchor and b; and of a fused field's parameters. */
#ifdef KDR_FIELD_FILE
#define PAD_FUSED KDR_MAX_FUSED_EACH
#else
#define PAD_FUSED 0
#endif
#define PAD_ARRAYS(D) (5 * (D) + 1 + KDR_MAX_EACH * (2 + (D)) + PAD_FUSED)
#define PAD_VECTORS(D) (PAD_ARRAYS(D) * TILE(D))

typedef struct padded {
    size_t used;
    real elements[LARGEST(PAD_VECTORS(1), PAD_VECTORS(2), PAD_VECTORS(3)) * LANES];
} padded;

/* Copies `count` elements and repeats the last one up to `size`: padding that computes nothing the particles do not. */
static char *pad(padded *store, const char *array, size_t count, size_t size) {
    if (!array) {
        return NULL;
    }
    real *const to = store->elements + store->used;
    store->used += size;
    memcpy(to, array, count * sizeof(real));
    for (size_t i = count; i < size; ++i) {
        to[i] = to[count - 1];
    }
    return (char *)to;
}

static lanes lanes_pad(padded *store, const lanes *p, size_t count, size_t size) {
    lanes q;
    store->used = 0;
    for (int i = 0; i < 3; ++i) {
        q.x[i] = pad(store, p->x[i], count, size);
        q.v[i] = pad(store, p->v[i], count, size);
        q.memory[i] = pad(store, p->memory[i], count, size);
        q.cx[i] = pad(store, p->cx[i], count, size);
        q.cv[i] = pad(store, p->cv[i], count, size);
    }
    q.inverse_mass = pad(store, p->inverse_mass, count, size);
    for (int e = 0; e < KDR_MAX_EACH; ++e) {
        q.k_each[e] = pad(store, p->k_each[e], count, size);
        q.b_each[e] = pad(store, p->b_each[e], count, size);
        for (int i = 0; i < 3; ++i) {
            q.at_each[e][i] = pad(store, p->at_each[e][i], count, size);
        }
    }
#ifdef KDR_FIELD_FILE
    for (int n = 0; n < KDR_MAX_FUSED_EACH; ++n) {
        q.fused_each[n] = pad(store, p->fused_each[n], count, size);
    }
#endif
    q.id = p->id;
    q.first_id = p->first_id;
    q.hits = p->hits;
    memcpy(q.dissipated, p->dissipated, sizeof q.dissipated);
    q.left = count;
    return q;
}

static void lanes_unpad(const lanes *q, const lanes *p, int D, size_t count) {
    const size_t size = count * sizeof(real);
    for (int i = 0; i < D; ++i) {
        memcpy(p->x[i], q->x[i], size);
        memcpy(p->v[i], q->v[i], size);
        if (p->memory[i]) {
            memcpy(p->memory[i], q->memory[i], size);
        }
        if (p->cx[i]) {
            memcpy(p->cx[i], q->cx[i], size);
            memcpy(p->cv[i], q->cv[i], size);
        }
    }
}

typedef void loop(const kdr_job *job, int first, size_t begin, size_t end);

/* Vectors that hold `count` particles, in whole chunks of U. */
static int vectors_of(size_t count, int U) {
    const size_t chunk = (size_t)U * LANES;
    return (int)((count + chunk - 1) / chunk) * U;
}

/* Where a tile is stepped: in_cache, but where an ops header says in_registers. */
#ifndef PLACE_SPLIT_1
#define PLACE_SPLIT_1 in_cache
#endif
#ifndef PLACE_SPLIT_ANY_1
#define PLACE_SPLIT_ANY_1 in_cache
#endif
/* Methods that have four vectors alive at a time: x, v, a and one more. */
#ifndef PLACE_FOUR_1
#define PLACE_FOUR_1 PLACE_SPLIT_1
#define TILE_FOUR_1 TILE_SPLIT_1
#define CHUNK_FOUR_1 CHUNK_SPLIT_1
#endif
#define PLACE_RK_1 in_cache

/* Defines a loop over tiles of T vectors, U at a time, on D axes: whole tiles in place and the rest through padded copies. `place` is where. */
#define LOOP(name, family, flavour, place, row, S, terms, D, T, U) LOOP_(name, family, flavour, place, row, S, terms, D, T, U)
#define LOOP_(name, family, flavour, place, row, S, terms, D, T, U)                                                                        \
    static NOINLINE void name(const kdr_job *job, int first, size_t begin, size_t end) {                                                   \
        const size_t size = (size_t)(T)*LANES;                                                                                             \
        constants c;                                                                                                                       \
        constants_make(job, first, D, &c);                                                                                                 \
        coefficients h;                                                                                                                    \
        family##_steps_make(row, job, &h.family);                                                                                          \
        lanes p = lanes_at(job, first, D, begin, end - begin);                                                                             \
        padded store;                                                                                                                      \
        for (size_t left = end - begin; left > 0;) {                                                                                       \
            const size_t count = left < size ? left : size;                                                                                \
            const int vectors = (T) == (U) ? (T) : vectors_of(count, U);                                                                   \
            const lanes q = count == size ? p : lanes_pad(&store, &p, count, (size_t)vectors * LANES);                                     \
            tile_##family##_##flavour##_##place(job, row, S, &h, &c, terms, &q, first, D, U, vectors, T);                                  \
            if (count < size) {                                                                                                            \
                lanes_unpad(&q, &p, D, count);                                                                                             \
            }                                                                                                                              \
            lanes_advance(&p, &c, D, count);                                                                                               \
            left -= count;                                                                                                                 \
        }                                                                                                                                  \
    }

/* One-axis instances of constant masks, for the fields met most: of free motion and springs; and of these with drag. `kind` names the tiles. */
#define ONE_AXIS_OF_MASK(name, mask, family, flavour, kind, row, terms)                                                                    \
    LOOP(name##_##mask, family, flavour, PLACE_##kind##_1, row, 0, terms, 1, TILE_##kind##_1, CHUNK_##kind##_1)
#define OF_X(name, family, flavour, kind, row)                                                                                             \
    ONE_AXIS_OF_MASK(name, free, family, flavour, kind, row, 0U)                                                                           \
    ONE_AXIS_OF_MASK(name, spring, family, flavour, kind, row, (unsigned)KDR_TERM_STIFFNESS)                                               \
    static loop *const name##_of_mask[] = {name##_free, name##_spring};
#define OF_X_AND_V(name, family, flavour, kind, row)                                                                                       \
    ONE_AXIS_OF_MASK(name, free, family, flavour, kind, row, 0U)                                                                           \
    ONE_AXIS_OF_MASK(name, spring, family, flavour, kind, row, (unsigned)KDR_TERM_STIFFNESS)                                               \
    ONE_AXIS_OF_MASK(name, drag, family, flavour, kind, row, (unsigned)KDR_TERM_DAMPING)                                                   \
    ONE_AXIS_OF_MASK(name, spring_drag, family, flavour, kind, row, (unsigned)(KDR_TERM_STIFFNESS | KDR_TERM_DAMPING))                     \
    static loop *const name##_of_mask[] = {name##_free, name##_spring, name##_drag, name##_spring_drag};

/* Beside colliders, on three axes: 0.85 of the time of the instance for any mask (semi-implicit Euler in a box, avx512, f32). */
#define BESIDE_WALLS(name, mask, family, flavour, row, terms)                                                                              \
    LOOP(name##_beside_walls_##mask, family, flavour, in_cache, row, 0, (unsigned)((terms) | KDR_TERM_COLLIDERS), 3, TILE_SPLIT_3,         \
         CHUNK_SPLIT_3)
#define OF_X_AND_V_BESIDE_WALLS(name, family, flavour, row)                                                                                \
    BESIDE_WALLS(name, free, family, flavour, row, 0)                                                                                      \
    BESIDE_WALLS(name, spring, family, flavour, row, KDR_TERM_STIFFNESS)                                                                   \
    BESIDE_WALLS(name, drag, family, flavour, row, KDR_TERM_DAMPING)                                                                       \
    BESIDE_WALLS(name, spring_drag, family, flavour, row, KDR_TERM_STIFFNESS | KDR_TERM_DAMPING)                                           \
    static loop *name##_on_three_axes(const kdr_job *job) {                                                                                \
        static loop *const of_mask[] = {name##_beside_walls_free, name##_beside_walls_spring, name##_beside_walls_drag,                    \
                                        name##_beside_walls_spring_drag};                                                                  \
        return (job->terms & ~3U) == KDR_TERM_COLLIDERS ? of_mask[job->terms & 3U] : name##_3;                                             \
    }

/* Instances for every other mask. */
#define OF_ANY_MASK(name, family, flavour, kind, row)                                                                                      \
    LOOP(name##_1, family, flavour, in_cache, row, 0, job->terms, 1, TILE_##kind##_1, CHUNK_##kind##_1)                                    \
    LOOP(name##_2, family, flavour, in_cache, row, 0, job->terms, 2, TILE_##kind##_2, CHUNK_##kind##_2)                                    \
    LOOP(name##_3, family, flavour, in_cache, row, 0, job->terms, 3, TILE_##kind##_3, CHUNK_##kind##_3)

/* Axes that feel each other at once, others one by one. */
#define CHOOSE(name, one_axis, two_axes, three_axes)                                                                                       \
    static void name(const kdr_job *job, size_t begin, size_t end) {                                                                       \
        if (job->dims > 1 && (job->terms & KDR_TERMS_TOGETHER)) {                                                                          \
            (job->dims == 2 ? two_axes : three_axes)(job, 0, begin, end);                                                                  \
            return;                                                                                                                        \
        }                                                                                                                                  \
        for (int axis = 0; axis < job->dims; ++axis) {                                                                                     \
            (one_axis)(job, axis, begin, end);                                                                                             \
        }                                                                                                                                  \
    }
/* The two lowest bits of a mask are the index. */
_Static_assert(KDR_TERM_STIFFNESS == 1 && KDR_TERM_DAMPING == 2, "the order of the instances of constant masks");
#define OF_MASK(name, other) (job->terms < sizeof name##_of_mask / sizeof *name##_of_mask ? name##_of_mask[job->terms] : (other))

/* A method that is used much: its row's own instances for every field. */
#define FULL_KERNEL(name, family, kind, others)                                                                                            \
    OF_X_AND_V(name, family, constant, kind, &kdr_row_##name)                                                                              \
    OF_ANY_MASK(name, family, constant, others, &kdr_row_##name)                                                                           \
    CHOOSE(name, OF_MASK(name, name##_1), name##_2, name##_3)

/* ... and where it costs so little that a mask read at run time is felt beside walls. */
#define FULL_KERNEL_BESIDE_WALLS(name, family, kind, others)                                                                               \
    OF_X_AND_V(name, family, constant, kind, &kdr_row_##name)                                                                              \
    OF_ANY_MASK(name, family, constant, others, &kdr_row_##name)                                                                           \
    OF_X_AND_V_BESIDE_WALLS(name, family, constant, &kdr_row_##name)                                                                       \
    CHOOSE(name, OF_MASK(name, name##_1), name##_2, name##_on_three_axes(job))

/* Any other: its row's own instances for the masks met most, the family's body for the rest. */
#define ROW_KERNEL(name, family, masks, kind)                                                                                              \
    masks(name, family, constant, kind, &kdr_row_##name) CHOOSE(name, OF_MASK(name, family##_on_one_axis(job)), family##_2, family##_3)

#include "accelerations.inl"

#ifdef KDR_FIELD_FILE
#include "fused.inl"
#else
/* Any splitting row, but that of velocity_verlet_pc, the one that predicts. */
OF_X_AND_V(splitting, splitting, any, SPLIT_ANY, job->row->data.splitting)
OF_ANY_MASK(splitting, splitting, any, SPLIT_ANY, job->row->data.splitting)
CHOOSE(splitting, OF_MASK(splitting, splitting_1), splitting_2, splitting_3)

/* Any Runge-Kutta row: on one axis a body for each number of stages up to 6. rk4 given as a tableau: half of rk4 with its body, 0.4 without
 * (avx512, f32, spring-damper). */
#define COUNTED(stages, chunk)                                                                                                             \
    LOOP(runge_kutta_counted_##stages, runge_kutta, counted, in_cache, job->row->data.runge_kutta, stages,                                 \
         job->terms & ~(unsigned)KDR_TERMS_TOGETHER, 1, TILE_RK_1, chunk)
COUNTED(1, 4)
COUNTED(2, 4)
COUNTED(3, 2)
COUNTED(4, 2)
COUNTED(5, 2)
COUNTED(6, 2)
OF_ANY_MASK(runge_kutta, runge_kutta, any, RK_ANY, job->row->data.runge_kutta)
static loop *runge_kutta_on_one_axis(const kdr_job *job) {
    static loop *const counted[] = {runge_kutta_1,         runge_kutta_counted_1, runge_kutta_counted_2, runge_kutta_counted_3,
                                    runge_kutta_counted_4, runge_kutta_counted_5, runge_kutta_counted_6};
    const int stages = job->row->data.runge_kutta->stages;
    return (job->terms & KDR_TERMS_TOGETHER) || stages >= (int)(sizeof counted / sizeof *counted) ? runge_kutta_1 : counted[stages];
}
CHOOSE(runge_kutta, runge_kutta_on_one_axis(job), runge_kutta_2, runge_kutta_3)

OF_ANY_MASK(nystrom, nystrom, any, RK_ANY, job->row->data.nystrom)
static loop *nystrom_on_one_axis(const kdr_job *job) { return (void)job, nystrom_1; }
CHOOSE(nystrom, nystrom_1, nystrom_2, nystrom_3)

OF_ANY_MASK(implicit, implicit, any, SPLIT_ANY, job->row->data.implicit)
CHOOSE(implicit, implicit_1, implicit_2, implicit_3)

OF_X(multistep, multistep, any, FOUR, NULL)
OF_ANY_MASK(multistep, multistep, any, RK, NULL)
CHOOSE(multistep, OF_MASK(multistep, multistep_1), multistep_2, multistep_3)

OF_ANY_MASK(magnetic, magnetic, any, RK, NULL)
CHOOSE(magnetic, magnetic_1, magnetic_2, magnetic_3)

/* All axes at once: the noise of a step is made for all of them. */
#define ON_AXES(D) LOOP(langevin_##D, langevin, any, in_cache, NULL, 0, job->terms, D, TILE_NOISE, NOISE_VECTORS)
ON_AXES(1)
ON_AXES(2)
ON_AXES(3)
static void langevin(const kdr_job *job, size_t begin, size_t end) {
    static loop *const on_axes[] = {langevin_1, langevin_2, langevin_3};
    on_axes[job->dims - 1](job, 0, begin, end);
}

/* Of the affine map itself, what is met most: springs or none, with a constant part or without; drag changes its numbers alone. */
#define AFFINE_OF_MASK(mask, terms) ONE_AXIS_OF_MASK(affine, mask, affine, any, SPLIT, NULL, terms)
AFFINE_OF_MASK(drag, 0U)
AFFINE_OF_MASK(spring, (unsigned)KDR_TERM_STIFFNESS)
AFFINE_OF_MASK(uniform, (unsigned)KDR_TERM_OFFSET)
AFFINE_OF_MASK(spring_uniform, (unsigned)(KDR_TERM_STIFFNESS | KDR_TERM_OFFSET))
OF_ANY_MASK(affine, affine, any, SPLIT_ANY, NULL)
static loop *affine_on_one_axis(const kdr_job *job) {
    static loop *const of_mask[] = {affine_drag, affine_spring, affine_uniform, affine_spring_uniform};
    const unsigned more = job->terms & (KDR_TERM_COMPENSATED | KDR_TERM_MAGNETIC | KDR_TERMS_AFTER);
    return more ? affine_1 : of_mask[(job->terms & KDR_TERM_STIFFNESS) + ((job->terms & KDR_TERM_OFFSET) ? 2U : 0U)];
}
BESIDE_WALLS(affine, drag, affine, any, NULL, 0)
BESIDE_WALLS(affine, spring, affine, any, NULL, KDR_TERM_STIFFNESS)
BESIDE_WALLS(affine, uniform, affine, any, NULL, KDR_TERM_OFFSET)
BESIDE_WALLS(affine, spring_uniform, affine, any, NULL, KDR_TERM_STIFFNESS | KDR_TERM_OFFSET)
static loop *affine_on_three_axes(const kdr_job *job) {
    static loop *const of_mask[] = {affine_beside_walls_drag, affine_beside_walls_spring, affine_beside_walls_uniform,
                                    affine_beside_walls_spring_uniform};
    const unsigned more = job->terms & (KDR_TERM_COMPENSATED | KDR_TERM_MAGNETIC | KDR_TERMS_AFTER);
    return more != KDR_TERM_COLLIDERS ? affine_3 : of_mask[(job->terms & KDR_TERM_STIFFNESS) + ((job->terms & KDR_TERM_OFFSET) ? 2U : 0U)];
}
CHOOSE(affine, affine_on_one_axis(job), affine_2, affine_on_three_axes(job))
OF_ANY_MASK(affine_each, affine_each, any, EACH, NULL)
CHOOSE(affine_each, affine_each_1, affine_each_2, affine_each_3)
OF_ANY_MASK(strang, strang, any, RK_ANY, NULL)
CHOOSE(strang, strang_1, strang_2, strang_3)
OF_ANY_MASK(strang_each, strang_each, any, EACH, NULL)
CHOOSE(strang_each, strang_each_1, strang_each_2, strang_each_3)
OF_ANY_MASK(sums, sums, any, RK_ANY, NULL)
CHOOSE(sums, sums_1, sums_2, sums_3)
OF_ANY_MASK(sums_each, sums_each, any, EACH, NULL)
CHOOSE(sums_each, sums_each_1, sums_each_2, sums_each_3)

static void kinematic(const kdr_job *job, size_t begin, size_t end) {
    static kdr_kernel *const kernels[3][2] = {{affine, affine_each}, {strang, strang_each}, {sums, sums_each}};
    const kdr_kinematic_row *const row = job->row->data.kinematic;
    const bool map_alone = row->sums && !(job->terms & (KDR_TERMS_NOT_AFFINE | KDR_TERM_DRIVEN));
    kernels[map_alone ? 0 : row->sums ? 2 : row->kicks][kdr_affine_differs(job->terms)](job, begin, end);
}

ROW_KERNEL(explicit_euler, runge_kutta, OF_X_AND_V, SPLIT)
ROW_KERNEL(midpoint, runge_kutta, OF_X_AND_V, RK)
ROW_KERNEL(heun, runge_kutta, OF_X_AND_V, RK)
ROW_KERNEL(ralston, runge_kutta, OF_X_AND_V, RK)
ROW_KERNEL(rk3, runge_kutta, OF_X_AND_V, RK)
FULL_KERNEL(rk4, runge_kutta, RK, RK)
ROW_KERNEL(rk4_38, runge_kutta, OF_X_AND_V, RK)
ROW_KERNEL(dopri_5, runge_kutta, OF_X_AND_V, RK)
FULL_KERNEL_BESIDE_WALLS(semi_implicit_euler, splitting, SPLIT, SPLIT)
FULL_KERNEL_BESIDE_WALLS(velocity_verlet, splitting, SPLIT, SPLIT)
FULL_KERNEL(velocity_verlet_pc, splitting, FOUR, SPLIT)
ROW_KERNEL(suvat, nystrom, OF_X_AND_V, FOUR)
ROW_KERNEL(nystrom_4, nystrom, OF_X, RK)
ROW_KERNEL(nystrom_5, nystrom, OF_X, RK)
ROW_KERNEL(rkn_4_3, nystrom, OF_X, RK)
ROW_KERNEL(dprkn_5, nystrom, OF_X, RK)
ROW_KERNEL(dprkn_6, nystrom, OF_X, RK)

const kdr_kernels KDR_UNIT = {
    .family = {[KDR_RUNGE_KUTTA] = runge_kutta,
               [KDR_SPLITTING] = splitting,
               [KDR_NYSTROM] = nystrom,
               [KDR_IMPLICIT] = implicit,
               [KDR_MULTISTEP] = multistep,
               [KDR_MAGNETIC] = magnetic,
               [KDR_LANGEVIN] = langevin,
               [KDR_KINEMATIC] = kinematic},
    .method = {[KDR_EXPLICIT_EULER] = explicit_euler,
               [KDR_MIDPOINT] = midpoint,
               [KDR_HEUN] = heun,
               [KDR_RALSTON] = ralston,
               [KDR_RK3] = rk3,
               [KDR_RK4] = rk4,
               [KDR_RK4_38] = rk4_38,
               [KDR_DOPRI_5] = dopri_5,
               [KDR_SEMI_IMPLICIT_EULER] = semi_implicit_euler,
               [KDR_VELOCITY_VERLET] = velocity_verlet,
               [KDR_VELOCITY_VERLET_PC] = velocity_verlet_pc,
               [KDR_SUVAT] = suvat,
               [KDR_NYSTROM_4] = nystrom_4,
               [KDR_NYSTROM_5] = nystrom_5,
               [KDR_RKN_4_3] = rkn_4_3,
               [KDR_DPRKN_5] = dprkn_5,
               [KDR_DPRKN_6] = dprkn_6},
    .accelerations = accelerations,
};
#endif
