/* The opponent's loops (see autovec.h), compiled once for each unit. CMakeLists.txt defines
 *   KDR_UNIT            the unit's symbol
 *   KDR_UNIT_ISA, _REAL, _ARITHMETIC, _FLAGS   what autovec.h says, as strings
 *   KDR_UNIT_DOUBLE     1 for f64
 *   KDR_UNIT_TILE       bytes an array that are stepped together.
 *
 * A method is written for one particle, a field likewise; the compiler inlines both into a loop over the LANES particles of a tile and
 * vectorises it. Of the forms tried (one sweep a step; steps inside a cache block of 128 to 512 particles; a tile of a fixed number of
 * lanes, small enough for the registers) the last was the fastest with gcc 12, and with clang 14 and 19 but for RK4 of clang 19 (8.3
 * against 8.8e9 evaluations a second). Best tile, Zen 5, f32, spring-damper, gcc 12, for semi-implicit Euler and RK4, 1e9
 * evaluations a second, 1 / 2 / 3 / 4 / 6 vectors an array:
 *   avx512  3.8 5.3 | 6.9 7.2 | 8.8 7.8 | 7.2 8.0 |  -       -> 3
 *   avx2    1.8 1.7 | 3.0 3.1 | 4.0 3.8 | 4.7 3.8 | 5.0 3.8  -> 6
 *   sse2    0.4 1.0 | 1.1 1.2 | 1.6 1.3 | 1.8 1.4 | 1.8 1.4  -> 6 */

#include "autovec.h"

#include <math.h>

#if KDR_UNIT_DOUBLE
typedef double real;
#define SQRT sqrt
#else
typedef float real;
#define SQRT sqrtf
#endif

enum { LANES = KDR_UNIT_TILE / sizeof(real) };

#define INLINE static inline __attribute__((always_inline))

typedef struct vec3 {
    real x, y, z;
} vec3;

typedef struct params {
    vec3 constant, centre;
    real k, b, mu, soft2;
    real h, half, sixth; /* the step, its half and its sixth */
} params;

typedef struct state {
    vec3 x, v;
    vec3 a; /* velocity Verlet's alone; a dead store in the others, which the compiler drops */
} state;

typedef vec3 acceleration_fn(const params *p, vec3 x, vec3 v);
typedef void method_fn(state *s, const params *p, acceleration_fn *acceleration);

/* y + s d */
INLINE vec3 along(vec3 y, real s, vec3 d) { return (vec3){y.x + s * d.x, y.y + s * d.y, y.z + s * d.z}; }

INLINE vec3 uniform(const params *p, vec3 x, vec3 v) {
    (void)x, (void)v;
    return p->constant;
}

INLINE vec3 spring_damper(const params *p, vec3 x, vec3 v) { return along(along(p->constant, -p->k, x), -p->b, v); }

INLINE vec3 drag(const params *p, vec3 x, vec3 v) {
    (void)x;
    return along(p->constant, -p->b, v);
}

INLINE vec3 centre(const params *p, vec3 x, vec3 v) {
    (void)v;
    vec3 r = along(x, -1, p->centre);
    real r2 = p->soft2 + r.x * r.x + r.y * r.y + r.z * r.z;
    real s = -p->mu / (r2 * SQRT(r2));
    return (vec3){s * r.x, s * r.y, s * r.z};
}

INLINE void explicit_euler(state *s, const params *p, acceleration_fn *acceleration) {
    vec3 a = acceleration(p, s->x, s->v);
    s->x = along(s->x, p->h, s->v);
    s->v = along(s->v, p->h, a);
}

INLINE void semi_implicit_euler(state *s, const params *p, acceleration_fn *acceleration) {
    s->v = along(s->v, p->h, acceleration(p, s->x, s->v));
    s->x = along(s->x, p->h, s->v);
}

INLINE void velocity_verlet(state *s, const params *p, acceleration_fn *acceleration) {
    s->v = along(s->v, p->half, s->a);
    s->x = along(s->x, p->h, s->v);
    s->a = acceleration(p, s->x, s->v);
    s->v = along(s->v, p->half, s->a);
}

INLINE void rk4(state *s, const params *p, acceleration_fn *acceleration) {
    vec3 a1 = acceleration(p, s->x, s->v);
    vec3 v2 = along(s->v, p->half, a1);
    vec3 a2 = acceleration(p, along(s->x, p->half, s->v), v2);
    vec3 v3 = along(s->v, p->half, a2);
    vec3 a3 = acceleration(p, along(s->x, p->half, v2), v3);
    vec3 v4 = along(s->v, p->h, a3);
    vec3 a4 = acceleration(p, along(s->x, p->h, v3), v4);
    s->x = along(s->x, p->sixth, along(along(s->v, 1, v4), 2, along(v2, 1, v3)));
    s->v = along(s->v, p->sixth, along(along(a1, 1, a4), 2, along(a2, 1, a3)));
}

static params round_to_real(const kdr_bench_folded *f, double h) {
    return (params){.constant = {(real)f->constant[0], (real)f->constant[1], (real)f->constant[2]},
                    .centre = {(real)f->centre[0], (real)f->centre[1], (real)f->centre[2]},
                    .k = (real)f->k,
                    .b = (real)f->b,
                    .mu = (real)f->mu,
                    .soft2 = (real)(f->softening * f->softening),
                    .h = (real)h,
                    .half = (real)(h / 2),
                    .sixth = (real)(h / 6)};
}

enum { X, Y, Z, U, V, W, AX, AY, AZ, ARRAYS };

/* All steps of `n` particles. The local arrays have a constant size, so that the compiler keeps them in registers; called with n = LANES
 * but for the last tile, whose other lanes step zeros. */
INLINE void tile(real *const state_arrays[6], size_t begin, size_t n, size_t steps, const params *p, method_fn *method,
                 acceleration_fn *acceleration) {
    real t[ARRAYS][LANES];
    for (int array = 0; array < AX; array++)
        for (size_t l = 0; l < LANES; l++)
            t[array][l] = l < n ? state_arrays[array][begin + l] : 0;
    for (size_t l = 0; l < LANES; l++) {
        vec3 a = acceleration(p, (vec3){t[X][l], t[Y][l], t[Z][l]}, (vec3){t[U][l], t[V][l], t[W][l]});
        t[AX][l] = a.x, t[AY][l] = a.y, t[AZ][l] = a.z;
    }
    for (size_t step = 0; step < steps; step++)
        for (size_t l = 0; l < LANES; l++) {
            state s = {{t[X][l], t[Y][l], t[Z][l]}, {t[U][l], t[V][l], t[W][l]}, {t[AX][l], t[AY][l], t[AZ][l]}};
            method(&s, p, acceleration);
            t[X][l] = s.x.x, t[Y][l] = s.x.y, t[Z][l] = s.x.z;
            t[U][l] = s.v.x, t[V][l] = s.v.y, t[W][l] = s.v.z;
            t[AX][l] = s.a.x, t[AY][l] = s.a.y, t[AZ][l] = s.a.z;
        }
    for (int array = 0; array < AX; array++)
        for (size_t l = 0; l < n; l++)
            state_arrays[array][begin + l] = t[array][l];
}

INLINE void run(void *const x[3], void *const v[3], size_t count, size_t steps, double h, const kdr_bench_folded *field, method_fn *method,
                acceleration_fn *acceleration) {
    const params p = round_to_real(field, h);
    real *const state_arrays[6] = {x[0], x[1], x[2], v[0], v[1], v[2]};
    size_t begin = 0;
    for (; count - begin >= LANES; begin += LANES)
        tile(state_arrays, begin, LANES, steps, &p, method, acceleration);
    if (begin < count)
        tile(state_arrays, begin, count - begin, steps, &p, method, acceleration);
}

#define LOOP(method, field)                                                                                                                \
    static void method##_##field(void *const x[3], void *const v[3], size_t count, size_t steps, double h,                                 \
                                 const kdr_bench_folded *folded) {                                                                         \
        run(x, v, count, steps, h, folded, method, field);                                                                                 \
    }
#define EACH_FIELD(DO, method, name)                                                                                                       \
    DO(method, name, uniform, "uniform")                                                                                                   \
    DO(method, name, spring_damper, "spring-damper")                                                                                       \
    DO(method, name, centre, "centre")                                                                                                     \
    DO(method, name, drag, "drag")
#define EACH(DO)                                                                                                                           \
    EACH_FIELD(DO, explicit_euler, "explicit-euler")                                                                                       \
    EACH_FIELD(DO, semi_implicit_euler, "semi-implicit-euler")                                                                             \
    EACH_FIELD(DO, velocity_verlet, "velocity-verlet")                                                                                     \
    EACH_FIELD(DO, rk4, "rk4")
#define DEFINE(method, method_name, field, field_name) LOOP(method, field)
#define ROW(method, method_name, field, field_name) {method_name, field_name, method##_##field},

EACH(DEFINE)

static const kdr_bench_autovec_loop loops[] = {EACH(ROW)};

extern const kdr_bench_autovec_unit KDR_UNIT;
const kdr_bench_autovec_unit KDR_UNIT = {
    .isa = KDR_UNIT_ISA,
    .real = KDR_UNIT_REAL,
    .arithmetic = KDR_UNIT_ARITHMETIC,
    .flags = KDR_UNIT_FLAGS,
    .loops = loops,
    .loop_count = sizeof loops / sizeof *loops,
};
