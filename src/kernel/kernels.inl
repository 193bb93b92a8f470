/* The bodies of a unit, for the operations (ops_*.h), precision and arithmetic that it has named.
 *
 * Axes that do not feel each other are stepped one after the other, so that few vectors are alive at a time; a coupled field takes
 * all its axes at once. */
#include "kernel.h"

#include <string.h>

#ifdef __FAST_MATH__
#error "kernels must not be built with -ffast-math"
#endif

#define INLINE static inline __attribute__((always_inline))

/* Loops whose bounds are constants after inlining must be unrolled whole, and early: the arrays they index must become registers. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif
#define EACH(i, n) UNROLL for (int i = 0; i < (n); ++i)

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define LARGEST(a, b, c) LARGER(a, LARGER(b, c))
#define TILE(D) LARGEST(TILE_RK_##D, TILE_SPLIT_##D, LARGER(TILE_RK_ANY_##D, TILE_SPLIT_ANY_##D))
#define CHUNK(D) LARGEST(CHUNK_RK_##D, CHUNK_SPLIT_##D, LARGER(CHUNK_RK_ANY_##D, CHUNK_SPLIT_ANY_##D))
#define TILE_MAX LARGEST(TILE(1), 2 * TILE(2), 3 * TILE(3))
#define CHUNK_MAX LARGEST(CHUNK(1), 2 * CHUNK(2), 3 * CHUNK(3))
/* Vectors that a family computes once a run for each vector of particles (families.inl). */
#define FIXED(family, D) ((void)(family), (void)(D), 0)
#define FIXED_MOST(D) 1
#define FIXED_MAX LARGEST(FIXED_MOST(1) * TILE(1), FIXED_MOST(2) * TILE(2), FIXED_MOST(3) * TILE(3))
#define CHUNK_FIXED_MAX LARGEST(FIXED_MOST(1) * CHUNK(1), FIXED_MOST(2) * CHUNK(2), FIXED_MOST(3) * CHUNK(3))

/* a b + c: the one place where the two arithmetics part. */
INLINE vr mul_add(vr a, vr b, vr c) {
#ifdef KDR_UNIT_FUSED
    return v_fused(a, b, c);
#else
    return v_add(v_mul(a, b), c);
#endif
}

#include "field.inl"

/* The constant part of the acceleration on a chunk's axes, from a row of the job. */
INLINE void base_load(const double *row, int first, int D, real *base) {
    EACH(i, D) { base[i] = (real)row[first + i]; }
}

/* The constant part at one evaluation: of a driven field the next row's, read into `driven`; of any other `base`. */
INLINE const real *base_next(const double **row, unsigned terms, int first, int D, const real *base, real *driven) {
    if (!(terms & KDR_TERM_DRIVEN)) {
        return base;
    }
    base_load(*row, first, D, driven);
    *row += 3;
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

/* y += h rate, one fma a component: a kick (v += h a), a drift (x += h v). In a compensated run what rounding takes from the sum goes into
 * c, and comes back the next time: 6 additions more (Knuth's error of a sum, TAOCP 4.2.2). */
INLINE void advance(unsigned terms, vr h, int N, const vr *rate, vr *y, vr *c) {
    if (!(terms & KDR_TERM_COMPENSATED)) {
        EACH(n, N) { y[n] = mul_add(h, rate[n], y[n]); }
        return;
    }
    EACH(n, N) {
        const vr increment = mul_add(h, rate[n], c[n]);
        const vr sum = v_add(y[n], increment);
        const vr taken = v_sub(sum, y[n]);
        c[n] = v_add(v_sub(y[n], v_sub(sum, taken)), v_sub(increment, taken));
        y[n] = sum;
    }
}

#include "coefficients.inl"
#include "runge_kutta.inl"

#include "multistep.inl"

/* All of this twice: for rows known at compile time, whose stages are unrolled, and for rows read at run time, whose stages are a loop. */
#define ROW(name) name##_constant
#define STAGES(i, n) EACH(i, n)
#include "splitting.inl"

#include "families.inl"

#include "tile.inl"
#undef ROW
#undef STAGES
#define ROW(name) name##_any
#define STAGES(i, n) for (int i = 0; i < (n); ++i)
#include "splitting.inl"

#include "families.inl"

#include "tile.inl"

/* The arrays of a job at particle `index`, axes from `first` on. */
static lanes lanes_at(const kdr_job *job, int first, int axes, size_t index) {
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
}

/* A tile's worth of every array, for the last particles, which do not fill one: on D axes x, v, memory, compensations, the inverse mass,
 * and of every spring and drag with arrays k, the anchor and b. */
#define PAD_ARRAYS(D) (5 * (D) + 1 + KDR_MAX_EACH * (2 + (D)))
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

/* Defines a loop over tiles of T vectors, U at a time, on D axes: whole tiles in place and the rest through padded copies. */
#define LOOP(name, tile, family, row, terms, D, T, U)                                                                                      \
    static void name(const kdr_job *job, int first, size_t begin, size_t end) {                                                            \
        const size_t size = (size_t)(T)*LANES;                                                                                             \
        constants c;                                                                                                                       \
        constants_make(job, first, D, &c);                                                                                                 \
        coefficients h;                                                                                                                    \
        coefficients_make(family, row, job, &h);                                                                                           \
        lanes p = lanes_at(job, first, D, begin);                                                                                          \
        padded store;                                                                                                                      \
        for (size_t left = end - begin; left > 0;) {                                                                                       \
            const size_t count = left < size ? left : size;                                                                                \
            const int vectors = (T) == (U) ? (T) : vectors_of(count, U);                                                                   \
            const lanes q = count == size ? p : lanes_pad(&store, &p, count, (size_t)vectors * LANES);                                     \
            tile(job, family, row, &h, &c, terms, &q, first, vectors, D, T, U);                                                            \
            if (count < size) {                                                                                                            \
                lanes_unpad(&q, &p, D, count);                                                                                             \
            }                                                                                                                              \
            lanes_advance(&p, &c, D, count);                                                                                               \
            left -= count;                                                                                                                 \
        }                                                                                                                                  \
    }

enum { DIAGONAL = KDR_TERM_STIFFNESS | KDR_TERM_DAMPING };

/* Coupled axes at once, others one by one. */
#define CHOOSE(name, one_axis)                                                                                                             \
    static void name(const kdr_job *job, size_t begin, size_t end) {                                                                       \
        if (job->dims > 1 && (job->terms & KDR_TERMS_COUPLED)) {                                                                           \
            (job->dims == 2 ? name##_2 : name##_3)(job, 0, begin, end);                                                                    \
            return;                                                                                                                        \
        }                                                                                                                                  \
        for (int axis = 0; axis < job->dims; ++axis) {                                                                                     \
            (one_axis)(job, axis, begin, end);                                                                                             \
        }                                                                                                                                  \
    }

/* One-axis instances of a constant mask, for the fields met most, and one for all others. */
#define ONE_AXIS(name, tile, family, kind, row)                                                                                            \
    ONE_AXIS_OF_MASK(name, free, tile, family, kind, row, 0U)                                                                              \
    ONE_AXIS_OF_MASK(name, spring, tile, family, kind, row, (unsigned)KDR_TERM_STIFFNESS)                                                  \
    ONE_AXIS_OF_MASK(name, drag, tile, family, kind, row, (unsigned)KDR_TERM_DAMPING)                                                      \
    ONE_AXIS_OF_MASK(name, spring_drag, tile, family, kind, row, (unsigned)DIAGONAL)                                                       \
    ONE_AXIS_OF_MASK(name, 1, tile, family, kind, row, job->terms)                                                                         \
    static loop *const name##_diagonal[] = {name##_free, name##_spring, name##_drag, name##_spring_drag};

#define ONE_AXIS_OF_MASK(name, mask, tile, family, kind, row, terms)                                                                       \
    LOOP(name##_##mask, tile, family, row, terms, 1, TILE_##kind##_1, CHUNK_##kind##_1)

#define SEVERAL_AXES(name, tile, family, kind, row)                                                                                        \
    LOOP(name##_2, tile, family, row, job->terms, 2, TILE_##kind##_2, CHUNK_##kind##_2)                                                    \
    LOOP(name##_3, tile, family, row, job->terms, 3, TILE_##kind##_3, CHUNK_##kind##_3)

/* The kernel of a family, for any row and any field; `kind` names the tiles. */
#define FAMILY_KERNEL(name, family, kind, row)                                                                                             \
    ONE_AXIS(name, tile_any, family, kind, row)                                                                                            \
    SEVERAL_AXES(name, tile_any, family, kind, row)                                                                                        \
    CHOOSE(name, job->terms & ~(unsigned)DIAGONAL ? name##_1 : name##_diagonal[job->terms])

/* The kernel of one row. */
#define ROW_KERNEL(name, family, kind)                                                                                                     \
    ONE_AXIS(name, tile_constant, family, kind, &kdr_row_##name)                                                                           \
    SEVERAL_AXES(name, tile_constant, family, kind, &kdr_row_##name)                                                                       \
    CHOOSE(name, job->terms & ~(unsigned)DIAGONAL ? name##_1 : name##_diagonal[job->terms])

/* The kernel of a family that has one row, and refuses forces that depend on the velocity. */
#define MULTISTEP_KERNEL(name)                                                                                                             \
    ONE_AXIS_OF_MASK(name, free, tile_constant, KDR_MULTISTEP, MULTI, NULL, 0U)                                                            \
    ONE_AXIS_OF_MASK(name, spring, tile_constant, KDR_MULTISTEP, MULTI, NULL, (unsigned)KDR_TERM_STIFFNESS)                                \
    ONE_AXIS_OF_MASK(name, 1, tile_constant, KDR_MULTISTEP, MULTI, NULL, job->terms)                                                       \
    SEVERAL_AXES(name, tile_constant, KDR_MULTISTEP, SPLIT, NULL)                                                                          \
    CHOOSE(name, job->terms == 0 ? name##_free : job->terms == KDR_TERM_STIFFNESS ? name##_spring : name##_1)

/* The kernel of a row that is met less: one instance for every mask. */
#define PLAIN_ROW_KERNEL(name, family, kind)                                                                                               \
    ONE_AXIS_OF_MASK(name, 1, tile_constant, family, kind, &kdr_row_##name, job->terms & ~(unsigned)KDR_TERMS_COUPLED)                     \
    SEVERAL_AXES(name, tile_constant, family, kind, &kdr_row_##name)                                                                       \
    CHOOSE(name, name##_1)

FAMILY_KERNEL(runge_kutta, KDR_RUNGE_KUTTA, RK_ANY, job->row->data.runge_kutta)
FAMILY_KERNEL(splitting, KDR_SPLITTING, SPLIT_ANY, job->row->data.splitting)
MULTISTEP_KERNEL(multistep)
PLAIN_ROW_KERNEL(explicit_euler, KDR_RUNGE_KUTTA, SPLIT)
PLAIN_ROW_KERNEL(midpoint, KDR_RUNGE_KUTTA, RK)
PLAIN_ROW_KERNEL(heun, KDR_RUNGE_KUTTA, RK)
PLAIN_ROW_KERNEL(ralston, KDR_RUNGE_KUTTA, RK)
PLAIN_ROW_KERNEL(rk3, KDR_RUNGE_KUTTA, RK)
ROW_KERNEL(rk4, KDR_RUNGE_KUTTA, RK)
PLAIN_ROW_KERNEL(rk4_38, KDR_RUNGE_KUTTA, RK)
PLAIN_ROW_KERNEL(dopri_5, KDR_RUNGE_KUTTA, RK)
ROW_KERNEL(semi_implicit_euler, KDR_SPLITTING, SPLIT)
PLAIN_ROW_KERNEL(drift_kick_euler, KDR_SPLITTING, SPLIT)
ROW_KERNEL(velocity_verlet, KDR_SPLITTING, SPLIT)
PLAIN_ROW_KERNEL(position_verlet, KDR_SPLITTING, SPLIT)

const kdr_kernels KDR_UNIT = {
    .family = {[KDR_RUNGE_KUTTA] = runge_kutta, [KDR_SPLITTING] = splitting, [KDR_MULTISTEP] = multistep},
    .method = {[KDR_EXPLICIT_EULER] = explicit_euler,
               [KDR_SEMI_IMPLICIT_EULER] = semi_implicit_euler,
               [KDR_VELOCITY_VERLET] = velocity_verlet,
               [KDR_MIDPOINT] = midpoint,
               [KDR_HEUN] = heun,
               [KDR_RALSTON] = ralston,
               [KDR_RK3] = rk3,
               [KDR_RK4_38] = rk4_38,
               [KDR_DOPRI_5] = dopri_5,
               [KDR_DRIFT_KICK_EULER] = drift_kick_euler,
               [KDR_POSITION_VERLET] = position_verlet,
               [KDR_RK4] = rk4},
};
