/* The bodies of a unit, for the operations (ops_*.h), precision and arithmetic that it has named.
 *
 * Axes that do not feel each other are stepped one after the other, so that a tile of one axis fits the registers; a coupled field takes
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

/* Vectors of particles in a tile, by family and number of axes: as many as hide the latency of the fma, as few as fit the registers. Best
 * of those tried, spring-damper and f32 on a Zen 5: on avx512 rk4 reached 0.60, 0.70, 0.81, 0.72 and 0.71 of the fma
 * peak with 3, 4, 5, 6 and 8 vectors, semi-implicit Euler 0.40, 0.51, 0.74 and 0.97 with 3, 4, 6 and 8. */
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define TILE_MAX LARGER(LARGER(TILE_RK_1, 3 * TILE_RK_3), LARGER(TILE_SPLIT_1, 3 * TILE_SPLIT_3))

/* a b + c: the one place where the two arithmetics part. */
INLINE vr mul_add(vr a, vr b, vr c) {
#ifdef KDR_UNIT_FUSED
    return v_fused(a, b, c);
#else
    return v_add(v_mul(a, b), c);
#endif
}

#include "field.inl"

INLINE void tile_load(char *const array[3], int D, int T, vr *out) {
    EACH(i, D) {
        EACH(t, T) {
            out[i * T + t] = part(array[i], t);
        }
    }
}

/* Frozen particles keep what they had, to the bit. */
INLINE void tile_store(const lanes *p, char *const array[3], int D, int T, const vr *in) {
    EACH(t, T) {
        EACH(i, D) {
            vr value = in[i * T + t];
            if (p->inverse_mass) {
                value = v_select_zero(part(p->inverse_mass, t), part(array[i], t), value);
            }
            v_store(array[i] + (size_t)t * sizeof(vr), value);
        }
    }
}

INLINE void base_load(const double *base, int first, int D, real *out) {
    EACH(i, D) {
        out[i] = (real)base[first + i];
    }
}

/* Kick, v += h a, or drift, x += h v: one fma a component. */
INLINE void advance(vr h, int N, const vr *rate, vr *y) {
    EACH(n, N) {
        y[n] = mul_add(h, rate[n], y[n]);
    }
}

#include "coefficients.inl"

/* Each family twice: for rows known at compile time, whose stages are unrolled, and for rows read at run time, whose stages are a loop.
 * STAGES goes through stages [0, n), EARLIER through those before i. Unrolled, the bound of the inner loop must not hang on the outer one:
 * clang would unroll it too late for the arrays to become registers (rk4 at a third of the speed). A row of one stage it does not unroll
 * in time either way: explicit Euler runs there at a quarter of its speed under gcc. */
#define ROW(name) name##_constant
#define STAGES(i, n) EACH(i, n)
#define EARLIER(j, i) EACH(j, KDR_MAX_STAGES) if (j < (i))
#include "runge_kutta.inl"
#include "splitting.inl"
#undef ROW
#undef STAGES
#undef EARLIER
#define ROW(name) name##_any
#define STAGES(i, n) for (int i = 0; i < (n); ++i)
#define EARLIER(j, i) for (int j = 0; j < (i); ++j)
#include "runge_kutta.inl"
#include "splitting.inl"

/* The arrays of a job at particle `index`, axes from `first` on. */
static lanes lanes_at(const kdr_job *job, int first, int axes, size_t index) {
    const size_t offset = index * sizeof(real);
    lanes p;
    memset(&p, 0, sizeof p);
    for (int i = 0; i < axes; ++i) {
        p.x[i] = (char *)job->x[first + i] + offset;
        p.v[i] = (char *)job->v[first + i] + offset;
        p.memory[i] = job->memory[0] ? (char *)job->memory[first + i] + offset : NULL;
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
    }
    p->inverse_mass = p->inverse_mass ? p->inverse_mass + offset : NULL;
    for (int s = 0; s < c->springs; ++s) {
        p->k_each[s] = p->k_each[s] ? p->k_each[s] + offset : NULL;
        EACH(i, D) {
            p->at_each[s][i] = p->at_each[s][i] ? p->at_each[s][i] + offset : NULL;
        }
    }
    for (int d = 0; d < c->drags; ++d) {
        p->b_each[d] += offset;
    }
}

/* A tile's worth of every array, for the last particles, which do not fill one: on D axes x, v, memory, the inverse mass, and of every
 * spring and drag with arrays k, the anchor and b. */
#define PAD_ARRAYS(D) (3 * (D) + 1 + KDR_MAX_EACH * (2 + (D)))
#define PAD_VECTORS(D) (PAD_ARRAYS(D) * LARGER(TILE_RK_##D, TILE_SPLIT_##D))

typedef struct padded {
    size_t used;
    real elements[LARGER(PAD_VECTORS(1), LARGER(PAD_VECTORS(2), PAD_VECTORS(3))) * LANES];
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
    }
}

typedef void loop(const kdr_job *job, int first, size_t begin, size_t end);

/* Defines a loop over tiles of a family's `body` for the row `row`, whole tiles in place and the rest through padded copies. */
#define LOOP(name, body, row, terms, D, T)                                         \
    static void name(const kdr_job *job, int first, size_t begin, size_t end) {    \
        const size_t size = (size_t)(T)*LANES;                                     \
        constants c;                                                               \
        constants_make(job, first, D, &c);                                         \
        lanes p = lanes_at(job, first, D, begin);                                  \
        padded store;                                                              \
        for (size_t left = end - begin; left > 0;) {                               \
            const size_t count = left < size ? left : size;                        \
            const lanes q = count == size ? p : lanes_pad(&store, &p, count, size);\
            body(job, row, &c, terms, &q, first, D, T);                            \
            if (count < size) {                                                    \
                lanes_unpad(&q, &p, D, count);                                     \
            }                                                                      \
            lanes_advance(&p, &c, D, count);                                       \
            left -= count;                                                         \
        }                                                                          \
    }

enum { DIAGONAL = KDR_TERM_STIFFNESS | KDR_TERM_DAMPING };

/* Coupled axes at once, others one by one. */
#define CHOOSE(name, one_axis)                                                          \
    static void name(const kdr_job *job, size_t begin, size_t end) {                    \
        if (job->dims > 1 && (job->terms & KDR_TERMS_COUPLED)) {                        \
            (job->dims == 2 ? name##_2 : name##_3)(job, 0, begin, end);                 \
            return;                                                                     \
        }                                                                               \
        for (int axis = 0; axis < job->dims; ++axis) {                                  \
            (one_axis)(job, axis, begin, end);                                          \
        }                                                                               \
    }

/* The kernel of a family, for any row and any field. */
#define FAMILY_KERNEL(name, row, tile)                                                  \
    LOOP(name##_1, name##_any, row, job->terms, 1, tile##_1)                            \
    LOOP(name##_2, name##_any, row, job->terms, 2, tile##_2)                            \
    LOOP(name##_3, name##_any, row, job->terms, 3, tile##_3)                            \
    CHOOSE(name, name##_1)

/* The kernel of one row, with instances of a constant mask for the fields met most. */
#define ROW_KERNEL(name, family, row, tile)                                             \
    LOOP(name##_free, family##_constant, row, 0U, 1, tile##_1)                          \
    LOOP(name##_spring, family##_constant, row, (unsigned)KDR_TERM_STIFFNESS, 1, tile##_1) \
    LOOP(name##_drag, family##_constant, row, (unsigned)KDR_TERM_DAMPING, 1, tile##_1)  \
    LOOP(name##_spring_drag, family##_constant, row, (unsigned)DIAGONAL, 1, tile##_1)   \
    LOOP(name##_1, family##_constant, row, job->terms, 1, tile##_1)                     \
    LOOP(name##_2, family##_constant, row, job->terms, 2, tile##_2)                     \
    LOOP(name##_3, family##_constant, row, job->terms, 3, tile##_3)                     \
    static loop *const name##_diagonal[] = {name##_free, name##_spring, name##_drag, name##_spring_drag}; \
    CHOOSE(name, job->terms & ~(unsigned)DIAGONAL ? name##_1 : name##_diagonal[job->terms])

FAMILY_KERNEL(runge_kutta, job->row->data.tableau, TILE_RK)
FAMILY_KERNEL(splitting, job->row->data.fractions, TILE_SPLIT)
ROW_KERNEL(explicit_euler, runge_kutta, &kdr_row_explicit_euler, TILE_SPLIT)
ROW_KERNEL(rk4, runge_kutta, &kdr_row_rk4, TILE_RK)
ROW_KERNEL(semi_implicit_euler, splitting, &kdr_row_semi_implicit_euler, TILE_SPLIT)
ROW_KERNEL(velocity_verlet, splitting, &kdr_row_velocity_verlet, TILE_SPLIT)

const kdr_kernels KDR_UNIT = {
    .lanes = LANES,
    .family = {[KDR_RUNGE_KUTTA] = runge_kutta, [KDR_SPLITTING] = splitting},
    .method = {[KDR_EXPLICIT_EULER] = explicit_euler,
               [KDR_SEMI_IMPLICIT_EULER] = semi_implicit_euler,
               [KDR_VELOCITY_VERLET] = velocity_verlet,
               [KDR_RK4] = rk4},
};
