/* The opponent's loops (see autovec.h), compiled once for each unit. CMakeLists.txt defines
 *   KDR_UNIT            the unit's symbol
 *   KDR_UNIT_ISA, _REAL, _ARITHMETIC, _MAKER, _FLAGS   strings that autovec.h describes
 *   KDR_UNIT_DOUBLE     1 for f64
 *   KDR_UNIT_SWEEP      1 if the unit also has loops that take one step per call
 *   KDR_UNIT_TILE       bytes per array that are stepped together.
 *
 * A method is written for one particle, and so is a field. The compiler inlines both into a loop over the LANES particles of a tile and
 * vectorises it. Three forms were tried: one sweep per step; steps inside a cache block of 128 to 512 particles; a tile of a fixed number
 * of lanes, small enough for the registers. The last was the fastest with gcc 12, and with clang 14 and 19 except for RK4 of clang 19 (8.3
 * against 8.8e9 evaluations per second).
 * The best tile is that of this table: Zen 5, f32, spring-damper, gcc 12, semi-implicit Euler and RK4, 1e9 evaluations per second, with 1 /
 * 2 / 3 / 4 / 6 vectors per array:
 *   avx512  3.8 5.3 | 6.9 7.2 | 8.8 7.8 | 7.2 8.0 |  -       -> 3
 *   avx2    1.8 1.7 | 3.0 3.1 | 4.0 3.8 | 4.7 3.8 | 5.0 3.8  -> 6
 *   sse2    0.4 1.0 | 1.1 1.2 | 1.6 1.3 | 1.8 1.4 | 1.8 1.4  -> 6 */

#include "autovec.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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
    vec3 constant, force, centre, wind, magnetic, drive;
    real k, b, c, mu, soft2;
    real h, half, sixth;    /* the step, half of it, a sixth of it */
    real drift[3], kick[2]; /* PEFRL's coefficients times h */
} params;

typedef struct state {
    vec3 x, v;
    vec3 a; /* used by the two velocity Verlets; in the others the compiler drops it as a dead store */
    real w; /* the inverse mass */
} state;

/* Returns the acceleration at x, v. `base` is the part of it that depends on neither x, v nor the mass. */
typedef vec3 acceleration_fn(const params *p, vec3 base, real w, vec3 x, vec3 v);

/* Takes a step. `base` has the values at the step's beginning, middle and end. */
typedef void method_fn(state *s, const params *p, const vec3 base[3], acceleration_fn *acceleration);

/* Returns y + s d. */
INLINE vec3 along(vec3 y, real s, vec3 d) { return (vec3){y.x + s * d.x, y.y + s * d.y, y.z + s * d.z}; }

INLINE real square(vec3 r) { return r.x * r.x + r.y * r.y + r.z * r.z; }

INLINE vec3 uniform(const params *p, vec3 base, real w, vec3 x, vec3 v) {
    (void)p, (void)w, (void)x, (void)v;
    return base;
}

INLINE vec3 spring(const params *p, vec3 base, real w, vec3 x, vec3 v) {
    (void)w, (void)v;
    return along(base, -p->k, x);
}

INLINE vec3 drag(const params *p, vec3 base, real w, vec3 x, vec3 v) {
    (void)w, (void)x;
    return along(base, -p->b, v);
}

INLINE vec3 spring_damper(const params *p, vec3 base, real w, vec3 x, vec3 v) {
    (void)w;
    return along(along(base, -p->k, x), -p->b, v);
}

INLINE vec3 spring_damper_masses(const params *p, vec3 base, real w, vec3 x, vec3 v) {
    return along(base, w, spring_damper(p, p->force, w, x, v));
}

INLINE vec3 centre(const params *p, vec3 base, real w, vec3 x, vec3 v) {
    (void)base, (void)w, (void)v;
    vec3 r = along(x, -1, p->centre);
    real r2 = p->soft2 + square(r);
    real s = -p->mu / (r2 * SQRT(r2));
    return (vec3){s * r.x, s * r.y, s * r.z};
}

INLINE vec3 centre_drag(const params *p, vec3 base, real w, vec3 x, vec3 v) {
    return along(drag(p, base, w, x, v), 1, centre(p, base, w, x, v));
}

INLINE vec3 quadratic_drag(const params *p, vec3 base, real w, vec3 x, vec3 v) {
    (void)w, (void)x;
    vec3 u = along(v, -1, p->wind);
    return along(base, -p->c * SQRT(square(u)), u);
}

INLINE vec3 magnetic(const params *p, vec3 base, real w, vec3 x, vec3 v) {
    (void)w, (void)x;
    const vec3 m = p->magnetic;
    return (vec3){base.x + v.y * m.z - v.z * m.y, base.y + v.z * m.x - v.x * m.z, base.z + v.x * m.y - v.y * m.x};
}

INLINE void explicit_euler(state *s, const params *p, const vec3 base[3], acceleration_fn *acceleration) {
    vec3 a = acceleration(p, base[0], s->w, s->x, s->v);
    s->x = along(s->x, p->h, s->v);
    s->v = along(s->v, p->h, a);
}

INLINE void semi_implicit_euler(state *s, const params *p, const vec3 base[3], acceleration_fn *acceleration) {
    s->v = along(s->v, p->h, acceleration(p, base[0], s->w, s->x, s->v));
    s->x = along(s->x, p->h, s->v);
}

INLINE void velocity_verlet(state *s, const params *p, const vec3 base[3], acceleration_fn *acceleration) {
    s->v = along(s->v, p->half, s->a);
    s->x = along(s->x, p->h, s->v);
    s->a = acceleration(p, base[2], s->w, s->x, s->v);
    s->v = along(s->v, p->half, s->a);
}

INLINE void velocity_verlet_pc(state *s, const params *p, const vec3 base[3], acceleration_fn *acceleration) {
    s->v = along(s->v, p->half, s->a);
    s->x = along(s->x, p->h, s->v);
    s->a = acceleration(p, base[2], s->w, s->x, along(s->v, p->half, s->a));
    s->v = along(s->v, p->half, s->a);
}

/* Takes a step of PEFRL. It is for fields that do not change with time, because its stages are at other times than those in `base`. */
INLINE void pefrl(state *s, const params *p, const vec3 base[3], acceleration_fn *acceleration) {
    s->x = along(s->x, p->drift[0], s->v);
    s->v = along(s->v, p->kick[0], acceleration(p, base[0], s->w, s->x, s->v));
    s->x = along(s->x, p->drift[1], s->v);
    s->v = along(s->v, p->kick[1], acceleration(p, base[0], s->w, s->x, s->v));
    s->x = along(s->x, p->drift[2], s->v);
    s->v = along(s->v, p->kick[1], acceleration(p, base[0], s->w, s->x, s->v));
    s->x = along(s->x, p->drift[1], s->v);
    s->v = along(s->v, p->kick[0], acceleration(p, base[0], s->w, s->x, s->v));
    s->x = along(s->x, p->drift[0], s->v);
}

INLINE void rk4(state *s, const params *p, const vec3 base[3], acceleration_fn *acceleration) {
    vec3 a1 = acceleration(p, base[0], s->w, s->x, s->v);
    vec3 v2 = along(s->v, p->half, a1);
    vec3 a2 = acceleration(p, base[1], s->w, along(s->x, p->half, s->v), v2);
    vec3 v3 = along(s->v, p->half, a2);
    vec3 a3 = acceleration(p, base[1], s->w, along(s->x, p->half, v2), v3);
    vec3 v4 = along(s->v, p->h, a3);
    vec3 a4 = acceleration(p, base[2], s->w, along(s->x, p->h, v3), v4);
    s->x = along(s->x, p->sixth, along(along(s->v, 1, v4), 2, along(v2, 1, v3)));
    s->v = along(s->v, p->sixth, along(along(a1, 1, a4), 2, along(a2, 1, a3)));
}

static vec3 round_vector(const double d[3]) { return (vec3){(real)d[0], (real)d[1], (real)d[2]}; }

static params round_to_real(const kdr_bench_folded *f, double h) {
    /* These are xi, chi and lambda of Omelyan, Mryglod and Folk. */
    static const double xi = 0.178617895844809075, chi = -0.0662645826698184313, lambda = -0.212341831062605580;
    return (params){.constant = round_vector(f->constant),
                    .force = round_vector(f->force),
                    .centre = round_vector(f->centre),
                    .wind = round_vector(f->wind),
                    .magnetic = round_vector(f->magnetic),
                    .drive = round_vector(f->drive),
                    .k = (real)f->k,
                    .b = (real)f->b,
                    .c = (real)f->c,
                    .mu = (real)f->mu,
                    .soft2 = (real)(f->softening * f->softening),
                    .h = (real)h,
                    .half = (real)(h / 2),
                    .sixth = (real)(h / 6),
                    .drift = {(real)(xi * h), (real)(chi * h), (real)((1 - 2 * (chi + xi)) * h)},
                    .kick = {(real)((0.5 - lambda) * h), (real)(lambda * h)}};
}

/* Computes `base` of a driven field at the beginning, middle and end of each step, with one cosine for all particles. */
static void drive(vec3 *base, size_t steps, double h, double t, const params *p, const kdr_bench_folded *f) {
    for (size_t i = 0; i <= 2 * steps; ++i) {
        base[i] = along(p->constant, (real)cos(f->omega * (t + (double)i * h / 2) + f->phase), p->drive);
    }
}

enum { X, Y, Z, U, V, W, AX, AY, AZ, ARRAYS };

/* Takes all steps of LANES particles. The local arrays have a constant size, so that the compiler keeps them in registers. `stride` is the
 * distance between the bases of two steps. */
INLINE void tile(real *const arrays[6], const real *inverse_mass, size_t steps, const params *p, const vec3 *base, size_t stride,
                 method_fn *method, acceleration_fn *acceleration) {
    real t[ARRAYS][LANES], w[LANES];
    for (int array = 0; array < AX; ++array) {
        for (size_t l = 0; l < LANES; ++l) {
            t[array][l] = arrays[array][l];
        }
    }
    for (size_t l = 0; l < LANES; ++l) {
        w[l] = inverse_mass ? inverse_mass[l] : 1;
        vec3 a = acceleration(p, base[0], w[l], (vec3){t[X][l], t[Y][l], t[Z][l]}, (vec3){t[U][l], t[V][l], t[W][l]});
        t[AX][l] = a.x, t[AY][l] = a.y, t[AZ][l] = a.z;
    }
    for (size_t step = 0; step < steps; ++step) {
        for (size_t l = 0; l < LANES; ++l) {
            state s = {{t[X][l], t[Y][l], t[Z][l]}, {t[U][l], t[V][l], t[W][l]}, {t[AX][l], t[AY][l], t[AZ][l]}, w[l]};
            method(&s, p, base + stride * step, acceleration);
            t[X][l] = s.x.x, t[Y][l] = s.x.y, t[Z][l] = s.x.z;
            t[U][l] = s.v.x, t[V][l] = s.v.y, t[W][l] = s.v.z;
            t[AX][l] = s.a.x, t[AY][l] = s.a.y, t[AZ][l] = s.a.z;
        }
    }
    for (int array = 0; array < AX; ++array) {
        for (size_t l = 0; l < LANES; ++l) {
            arrays[array][l] = t[array][l];
        }
    }
}

enum { MASS = 6, COLUMNS };

/* Loads the first `n` lanes of a tile; the others become 0. */
static __attribute__((noinline)) void load_some(real last[COLUMNS][LANES], const real *const columns[COLUMNS], size_t begin, size_t n) {
    for (int column = 0; column < COLUMNS; ++column) {
        for (size_t l = 0; l < LANES; ++l) {
            last[column][l] = l < n && columns[column] ? columns[column][begin + l] : 0;
        }
    }
}

static __attribute__((noinline)) void store_some(real *const arrays[MASS], real last[COLUMNS][LANES], size_t begin, size_t n) {
    for (int array = 0; array < MASS; ++array) {
        memcpy(arrays[array] + begin, last[array], n * sizeof(real));
    }
}

/* Steps all particles. Those of the last tile are stepped in a copy, so that the loop exists once. */
INLINE void run(void *const x[3], void *const v[3], const void *inverse_mass, size_t count, size_t steps, double h, double t,
                const kdr_bench_folded *field, bool driven, method_fn *method, acceleration_fn *acceleration) {
    const params p = round_to_real(field, h);
    real *const arrays[MASS] = {x[0], x[1], x[2], v[0], v[1], v[2]};
    const real *const columns[COLUMNS] = {x[0], x[1], x[2], v[0], v[1], v[2], inverse_mass};
    const vec3 still[3] = {p.constant, p.constant, p.constant};
    vec3 table[2 * KDR_BENCH_AUTOVEC_STEPS + 1];
    if (driven) {
        drive(table, steps, h, t, &p, field);
    }
    for (size_t begin = 0; begin < count; begin += LANES) {
        const bool whole = count - begin >= LANES;
        real last[COLUMNS][LANES], *at[MASS];
        if (!whole) {
            load_some(last, columns, begin, count - begin);
        }
        for (int array = 0; array < MASS; ++array) {
            at[array] = whole ? arrays[array] + begin : last[array];
        }
        tile(at, inverse_mass ? whole ? columns[MASS] + begin : last[MASS] : NULL, steps, &p, driven ? table : still, driven ? 2 : 0,
             method, acceleration);
        if (!whole) {
            store_some(arrays, last, begin, count - begin);
        }
    }
}

#if KDR_UNIT_SWEEP
/* Takes one step of each particle in one pass over the arrays. */
INLINE void sweep(real *restrict x, real *restrict y, real *restrict z, real *restrict u, real *restrict v, real *restrict w,
                  const real *restrict inverse_mass, size_t count, const params *p, const vec3 base[3], method_fn *method,
                  acceleration_fn *acceleration) {
    for (size_t i = 0; i < count; ++i) {
        state s = {{x[i], y[i], z[i]}, {u[i], v[i], w[i]}, {0, 0, 0}, inverse_mass ? inverse_mass[i] : 1};
        s.a = acceleration(p, base[0], s.w, s.x, s.v);
        method(&s, p, base, acceleration);
        x[i] = s.x.x, y[i] = s.x.y, z[i] = s.x.z;
        u[i] = s.v.x, v[i] = s.v.y, w[i] = s.v.z;
    }
}

INLINE void one_step(void *const x[3], void *const v[3], const void *inverse_mass, size_t count, double h, double t,
                     const kdr_bench_folded *field, bool driven, method_fn *method, acceleration_fn *acceleration) {
    const params p = round_to_real(field, h);
    vec3 base[3] = {p.constant, p.constant, p.constant};
    if (driven) {
        drive(base, 1, h, t, &p, field);
    }
    sweep(x[0], x[1], x[2], v[0], v[1], v[2], inverse_mass, count, &p, base, method, acceleration);
}
#endif

/* The data that a field reads in addition to x, v and its parameters. */
#define NOTHING NULL, false
#define MASSES inverse_mass, false
#define TIME NULL, true

#define MASSES_OF(masses, driven) masses
#define DRIVEN_OF(masses, driven) driven
#define CALL(macro, ...) macro(__VA_ARGS__)

#define DEFINE_RUN(method, method_name, field, field_name, acceleration, needs)                                                            \
    static void method##_##field(void *const x[3], void *const v[3], const void *inverse_mass, size_t count, size_t steps, double h,       \
                                 double t, const kdr_bench_folded *folded) {                                                               \
        (void)inverse_mass;                                                                                                                \
        run(x, v, CALL(MASSES_OF, needs), count, steps, h, t, folded, CALL(DRIVEN_OF, needs), method, acceleration);                       \
    }
#define DEFINE_SWEEP(method, method_name, field, field_name, acceleration, needs)                                                          \
    static void method##_##field##_sweep(void *const x[3], void *const v[3], const void *inverse_mass, size_t count, size_t steps,         \
                                         double h, double t, const kdr_bench_folded *folded) {                                             \
        (void)inverse_mass, (void)steps;                                                                                                   \
        one_step(x, v, CALL(MASSES_OF, needs), count, h, t, folded, CALL(DRIVEN_OF, needs), method, acceleration);                         \
    }
#if KDR_UNIT_SWEEP
#define SWEEP(name) name##_sweep
#else
#define SWEEP(name) NULL
#endif
#define ROW(method, method_name, field, field_name, acceleration, needs)                                                                   \
    {method_name, field_name, method##_##field, SWEEP(method##_##field)},

#define EACH_VELOCITY_FIELD(DO, method, name)                                                                                              \
    DO(method, name, drag, "drag", drag, NOTHING)                                                                                          \
    DO(method, name, spring_damper, "spring-damper", spring_damper, NOTHING)
#define EACH_POSITION_FIELD(DO, method, name)                                                                                              \
    DO(method, name, uniform, "uniform", uniform, NOTHING)                                                                                 \
    DO(method, name, spring, "spring", spring, NOTHING)                                                                                    \
    DO(method, name, centre, "centre", centre, NOTHING)
#define EACH_GENERAL_FIELD(DO, method, name)                                                                                               \
    DO(method, name, masses, "spring-damper-masses", spring_damper_masses, MASSES)                                                         \
    DO(method, name, driven, "spring-damper-driven", spring_damper, TIME)                                                                  \
    DO(method, name, quadratic_drag, "quadratic-drag", quadratic_drag, NOTHING)                                                            \
    DO(method, name, magnetic, "magnetic", magnetic, NOTHING)                                                                              \
    DO(method, name, centre_drag, "centre-drag", centre_drag, NOTHING)
#define EACH_FIELD(DO, method, name) EACH_VELOCITY_FIELD(DO, method, name) EACH_POSITION_FIELD(DO, method, name)
#define EACH(DO)                                                                                                                           \
    EACH_FIELD(DO, explicit_euler, "explicit-euler")                                                                                       \
    EACH_FIELD(DO, semi_implicit_euler, "semi-implicit-euler")                                                                             \
    EACH_FIELD(DO, velocity_verlet, "velocity-verlet")                                                                                     \
    EACH_VELOCITY_FIELD(DO, velocity_verlet_pc, "velocity-verlet-pc")                                                                      \
    EACH_FIELD(DO, pefrl, "pefrl")                                                                                                         \
    EACH_FIELD(DO, rk4, "rk4")                                                                                                             \
    EACH_GENERAL_FIELD(DO, semi_implicit_euler, "semi-implicit-euler")                                                                     \
    EACH_GENERAL_FIELD(DO, velocity_verlet, "velocity-verlet")                                                                             \
    EACH_GENERAL_FIELD(DO, rk4, "rk4")

EACH(DEFINE_RUN)
#if KDR_UNIT_SWEEP
EACH(DEFINE_SWEEP)
#endif

/* Without forces that depend on v, both velocity Verlets are the same loop. */
static const kdr_bench_autovec_loop loops[] = {EACH(ROW) EACH_POSITION_FIELD(ROW, velocity_verlet, "velocity-verlet-pc")};

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

extern const kdr_bench_autovec_unit KDR_UNIT;
const kdr_bench_autovec_unit KDR_UNIT = {
    .isa = KDR_UNIT_ISA,
    .real = KDR_UNIT_REAL,
    .arithmetic = KDR_UNIT_ARITHMETIC,
    .maker = KDR_UNIT_MAKER,
    .compiler = COMPILER,
    .flags = KDR_UNIT_FLAGS,
    .loops = loops,
    .loop_count = sizeof loops / sizeof *loops,
};
