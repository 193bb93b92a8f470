/* Custom fields: a field of the caller's own, written once and compiled to an operation of every backend.
 *
 * A source file of its own names the field, its parameters and what it is, includes this header and defines one function:
 *
 *   #define KDR_FIELD yukawa
 *   #define KDR_FIELD_PARAMETERS "strength", "range"
 *   #include <kickdrift/custom_field.h>
 *   enum { STRENGTH, RANGE };
 *   KDR_FIELD_IN_SPACE(at, x, v, f) { ... f[i] = mul_add(factor, x[i], f[i]); ... }
 *
 * CMake's kickdrift_add_field(target yukawa.c) makes a library of it; a program that links it says KDR_DECLARE_CUSTOM_FIELD(yukawa) and
 * puts kdr_force_custom(&kdr_custom_field_yukawa, parameters) into its force list, among any others, for any method that accepts such a
 * field, in both precisions and arithmetics. The scalar reference is compiled from the same function. A list may hold KDR_MAX_CUSTOM
 * entries, of one field or of several, and of those that the library has by name (kdr_field_from_name). Its kernels are bound to the
 * library's version: kdr_integrator_create refuses a field that was compiled for another. Implicit methods refuse a field that does not
 * say its derivatives; the method kinematic refuses those that depend on t. In coupled runs it is one of the forces, too. `kickdrift
 * verify --field` compares kernels and reference, bit for bit (the module <target>_plugin).
 *
 * What it costs: some ten seconds of one core to compile for the four backends of x86-64. One entry without arrays, alone or beside
 * uniform forces, has whole steps of its own where particles have no masses: semi-implicit Euler and velocity Verlet, and where axes do
 * not feel each other every splitting row and rk4, too. There a spring with a drag runs at 0.84 to 1.07 of the speed of the built-in one
 * on avx2 and at 0.97 to 1.03 on avx512. Elsewhere it is an operation of its own in the program of a step, at 0.2 to 0.5 of the speed of a
 * built-in field that has whole steps (both precisions, Granite Rapids, gcc 12). kdr_integrator_explain says which it is.
 *
 * A function that looks at more than at->dims elements of x, v or f, since it was written for space, says for how many axes it is:
 * KDR_FIELD_DIMS, 1, 2 or 3, before the header is included. Runs of particles on other axes are then refused, KDR_ERROR_UNSUPPORTED.
 *
 * The function adds its field to what it is given, as the built-in forces do: f[i] = mul_add(k, y, f[i]) is one operation. It may call
 * functions of its own (static inline) and loop over axes and over constants; it must not branch on values, which v_select chooses among,
 * nor keep anything between calls. A force is added before the multiplication by the inverse mass, after every built-in force; an
 * acceleration after it, after the centres. What is not in the flags (the velocity, the time) is given as 0.
 *
 * Functions: v_exp, v_log, v_pow, v_sin, v_cos, v_atan2, v_floor, tables, and v_angle and v_turns, what turns with the time:
 * <kickdrift/custom_functions.h>, with the bounds of their errors.
 *
 * Bits: every operation below is rounded once, but mul_add under the unfused arithmetic, a rounded product and a rounded sum. The
 * operators + - * / between vr are the same as v_add, v_sub, v_mul, v_div, and are never contracted.
 *
 * This header gives the vocabulary in plain C, which the reference is compiled with; where kernels are compiled, vr is a vector of
 * particles. */
#ifndef KICKDRIFT_CUSTOM_FIELD_H
#define KICKDRIFT_CUSTOM_FIELD_H

#include <stdbool.h>
#include <stddef.h>

/* For how many axes a field is; default 0: for any. */
#ifndef KDR_FIELD_DIMS
#define KDR_FIELD_DIMS 0
#endif

/* KDR_FIELD_REQUIRED: so many of the first parameters have no default in scenes and in Python, default all; the others are 0 where they
 * are not given. Three parameters whose names end in .x, .y and .z are a vector there.
 *
 * What kdr_integrator_create and all that is made of forces refuse, by KDR_ERROR_ARGUMENT, of parameters that are no arrays, as the
 * particles' precision has them:
 * KDR_FIELD_POSITIVE: a bit 1 << k for each parameter k that must be above 0.
 * KDR_FIELD_RANGES: [k] = {least, most}, ... for those that must be from least to most; most may be INFINITY.
 * KDR_FIELD_DIRECTIONS: a bit 1 << k for each vector, of the parameters k, k + 1 and k + 2, that must not be 0 and whose square must not
 * underflow or overflow. */

/* What a field is: KDR_FIELD_FLAGS, a sum of these; default 0, a force that depends on x alone. */
#define KDR_FIELD_ACCELERATION 1 /* not a force: acts alike on all masses */
#define KDR_FIELD_VELOCITY 2     /* depends on v: methods that accept no such field refuse it. Not for a magnetic field, below */
#define KDR_FIELD_TIME 4         /* depends on t, by v_time */
#define KDR_FIELD_POTENTIAL 8 /* has one: KDR_FIELD_ENERGY(at, x) { return ...; }, of an acceleration a unit mass. kdr_observe adds it up */

#define KDR_FIELD_JACOBIAN 16 /* says its derivatives, by KDR_FIELD_JACOBIAN_OF below, which implicit methods need */
#define KDR_FIELD_MAGNETIC 64 /* has a magnetic field, too, by KDR_FIELD_ELECTROMAGNETIC below, which is not given v */

/* Components of the grid that it reads by v_grid (custom_grid.h), which entries of the list give (kdr_force.as.custom.grid): 1 to 6. */
#ifndef KDR_FIELD_GRID
#define KDR_FIELD_GRID 0
#endif

/* For how many axes that grid must be, 1 to 3; default 0: any. */
#ifndef KDR_FIELD_GRID_DIMS
#define KDR_FIELD_GRID_DIMS 0
#endif

/* A unit may hold several fields, one behind the other: what the macros below define has the field's name in it. */
#define KDR_CUSTOM_PASTE_(a, b) a##_of_##b
#define KDR_CUSTOM_PASTE(a, b) KDR_CUSTOM_PASTE_(a, b)
#define kdr_field_on_axis KDR_CUSTOM_PASTE(kdr_field_on_axis, KDR_FIELD)
#define kdr_field_in_space KDR_CUSTOM_PASTE(kdr_field_in_space, KDR_FIELD)
#define kdr_field_add KDR_CUSTOM_PASTE(kdr_field_add, KDR_FIELD)
#define kdr_field_add_both KDR_CUSTOM_PASTE(kdr_field_add_both, KDR_FIELD)
#define kdr_field_energy KDR_CUSTOM_PASTE(kdr_field_energy, KDR_FIELD)
#define kdr_field_jacobian KDR_CUSTOM_PASTE(kdr_field_jacobian, KDR_FIELD)
#define kdr_field_add_jacobian KDR_CUSTOM_PASTE(kdr_field_add_jacobian, KDR_FIELD)
#define KDR_FIELD_TOGETHER KDR_CUSTOM_PASTE(KDR_FIELD_TOGETHER, KDR_FIELD)

/* The field's function, one of three. Axes that do not feel each other are stepped one by one, twice as fast: there it is given one
 * axis, number at->axis of at->dims, and returns f with the field added. Else it is given all at->dims axes, and adds to f[0..dims). */
#define KDR_FIELD_ON_AXIS(at, x, v, f)                                                                                                     \
    static inline KDR_CUSTOM_INLINE vr kdr_field_on_axis(const kdr_at *at, vr x, vr v, vr f);                                              \
    enum { KDR_FIELD_TOGETHER = 0 };                                                                                                       \
    static inline KDR_CUSTOM_INLINE void kdr_field_add(const kdr_at *at, const vr *x, const vr *v, vr *f, int axes) {                      \
        kdr_at now = *at;                                                                                                                  \
        KDR_CUSTOM_UNROLL for (int i = 0; i < axes; ++i) {                                                                                 \
            now.axis = at->axis + i;                                                                                                       \
            f[i] = kdr_field_on_axis(&now, x[i], v[i], f[i]);                                                                              \
        }                                                                                                                                  \
    }                                                                                                                                      \
    static inline KDR_CUSTOM_INLINE vr kdr_field_on_axis(const kdr_at *at KDR_CUSTOM_UNUSED, vr x KDR_CUSTOM_UNUSED,                       \
                                                         vr v KDR_CUSTOM_UNUSED, vr f KDR_CUSTOM_UNUSED)
#define KDR_FIELD_IN_SPACE(at, x, v, f)                                                                                                    \
    static inline KDR_CUSTOM_INLINE void kdr_field_in_space(const kdr_at *at, const vr *x, const vr *v, vr *f);                            \
    enum { KDR_FIELD_TOGETHER = 1 };                                                                                                       \
    static inline KDR_CUSTOM_INLINE void kdr_field_add(const kdr_at *at, const vr *x, const vr *v, vr *f, int axes) {                      \
        (void)axes;                                                                                                                        \
        kdr_field_in_space(at, x, v, f);                                                                                                   \
    }                                                                                                                                      \
    static inline KDR_CUSTOM_INLINE void kdr_field_in_space(const kdr_at *at KDR_CUSTOM_UNUSED, const vr *x KDR_CUSTOM_UNUSED,             \
                                                            const vr *v KDR_CUSTOM_UNUSED, vr *f KDR_CUSTOM_UNUSED)
/* With KDR_FIELD_MAGNETIC: adds the electric part to f[0..dims) and the magnetic one, charge times B, to m[0..3): F = f + v cross m. Of an
 * acceleration both are over the mass. boris, vay and higuera-cary turn v by m; for other methods v cross m is a force. Of particles in a
 * plane m[2] alone acts, on a line nothing of it. */
#define KDR_FIELD_ELECTROMAGNETIC(at, x, f, m)                                                                                             \
    enum { KDR_FIELD_TOGETHER = 1 };                                                                                                       \
    _Static_assert(((KDR_FIELD_FLAGS) & KDR_FIELD_VELOCITY) == 0, "leave KDR_FIELD_VELOCITY out: v cross m is KDR_FIELD_MAGNETIC's");      \
    static inline KDR_CUSTOM_INLINE void kdr_field_add_both(const kdr_at *at KDR_CUSTOM_UNUSED, const vr *x KDR_CUSTOM_UNUSED,             \
                                                            vr *f KDR_CUSTOM_UNUSED, vr *m KDR_CUSTOM_UNUSED)
#define KDR_FIELD_ENERGY(at, x) static inline KDR_CUSTOM_UNUSED vr kdr_field_energy(const kdr_at *at, const vr *x)

/* The derivatives for Newton's iteration: adds th df_i/dx_j + df_i/dv_j to s[i][j], of a field on an axis its own to s[0][0], x[0] and
 * v[0] being that axis'; with KDR_FIELD_MAGNETIC of v cross m too. What is wrong here costs accuracy, since the iterations are counted. */
#define KDR_FIELD_JACOBIAN_OF(at, th, x, v, s)                                                                                             \
    static inline KDR_CUSTOM_INLINE KDR_CUSTOM_UNUSED void kdr_field_jacobian(const kdr_at *at, vr th, const vr *x, const vr *v,           \
                                                                              vr(*s)[3]);                                                  \
    static inline KDR_CUSTOM_INLINE KDR_CUSTOM_UNUSED void kdr_field_add_jacobian(const kdr_at *at, vr th, const vr *x, const vr *v,       \
                                                                                  vr(*s)[3], int axes) {                                   \
        if (KDR_FIELD_TOGETHER) {                                                                                                          \
            kdr_field_jacobian(at, th, x, v, s);                                                                                           \
            return;                                                                                                                        \
        }                                                                                                                                  \
        kdr_at now = *at;                                                                                                                  \
        KDR_CUSTOM_UNROLL for (int i = 0; i < axes; ++i) {                                                                                 \
            vr own[3][3] = {{s[i][i]}};                                                                                                    \
            now.axis = at->axis + i;                                                                                                       \
            kdr_field_jacobian(&now, th, x + i, v + i, own);                                                                               \
            s[i][i] = own[0][0];                                                                                                           \
        }                                                                                                                                  \
    }                                                                                                                                      \
    static inline KDR_CUSTOM_INLINE KDR_CUSTOM_UNUSED void kdr_field_jacobian(const kdr_at *at KDR_CUSTOM_UNUSED, vr th KDR_CUSTOM_UNUSED, \
                                                                              const vr *x KDR_CUSTOM_UNUSED,                               \
                                                                              const vr *v KDR_CUSTOM_UNUSED, vr(*s)[3])

/* for (int i = 0; i < at->dims; ++i), unrolled */
#define EACH_AXIS(i, at) KDR_CUSTOM_UNROLL for (int i = 0; i < (at)->dims; ++i)

#if defined(__GNUC__)
#define KDR_CUSTOM_INLINE __attribute__((always_inline))
#define KDR_CUSTOM_UNUSED __attribute__((unused))
#define KDR_CUSTOM_SHARED __attribute__((noinline, unused)) static /* one body, for functions that are large and called by several */
#else
#define KDR_CUSTOM_INLINE
#define KDR_CUSTOM_UNUSED
#define KDR_CUSTOM_SHARED static
#endif
#if defined(__clang__) && defined(KDR_CUSTOM_KERNEL) && !defined(SCALAR_UNIT)
#define KDR_CUSTOM_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__) && !defined(__clang__)
#define KDR_CUSTOM_UNROLL _Pragma("GCC unroll 16")
#else
#define KDR_CUSTOM_UNROLL
#endif

#include <math.h>

/* rate time + phase in double, less the nearest whole number of periods, a period being the sum of two; the multiple of the first is exact
 * (Dekker, Numer. Math. 18 (1971) 224). */
static inline double kdr_phase(double rate, double phase, double time, double period, double rest) {
    const double whole = 4503599627370496.0, split = 134217729.0; /* 2^52, 2^27 + 1 */
    const double angle = rate * time + phase, turns = fabs(angle / period);
    const double n = copysign(turns < whole ? (turns + whole) - whole : turns, angle);
    const double nc = split * n, nh = nc - (nc - n), nl = n - nh, pc = split * period, ph = pc - (pc - period), pl = period - ph;
    const double product = n * period, lost = ((nh * ph - product) + nh * pl + nl * ph) + nl * pl;
    return ((angle - product) - lost) - n * rest;
}

#ifndef KDR_CUSTOM_KERNEL
#include <kickdrift/fma.h>
#include <kickdrift/grid.h>
#include <stdint.h>
#include <string.h>

#ifdef KDR_UNIT_F32
typedef float vr;
#define KDR_CUSTOM_OF(function) function##f
#else
typedef double vr;
#define KDR_CUSTOM_OF(function) function
#endif
typedef bool vm; /* the outcome of a comparison, one a particle; false where a side is NaN */

/* What belongs to the particle, to the evaluation, and to the entry in the list. */
typedef struct kdr_at {
    int dims; /* axes of the particles, 1 to 3 */
    int axis;
    const vr *parameter;
    const double *precise; /* those that are no arrays, not rounded to the precision */
    vr time, inverse_mass;
    double precise_time;
    const kdr_grid *grid; /* strides filled in; or NULL */
    bool is_grid_single;  /* its numbers are floats, where vr is double: of a potential, which is computed in double */
} kdr_at;

static inline vr v_parameter(const kdr_at *at, int index) { return at->parameter[index]; } /* `index`: a constant */
static inline vr v_time(const kdr_at *at) { return at->time; } /* t, rounded to the precision; 0 without KDR_FIELD_TIME */
static inline vr v_phase(const kdr_at *at, int rate, int phase, double period, double rest) { /* what v_angle and v_turns take */
    return (vr)kdr_phase(at->precise[rate], phase < 0 ? 0.0 : at->precise[phase], at->precise_time, period, rest);
}
static inline vr v_inverse_mass(const kdr_at *at) { return at->inverse_mass; } /* 1 where the particles have none */

static inline vr v_constant(double value) { return (vr)value; }
static inline vr v_add(vr a, vr b) { return a + b; }
static inline vr v_sub(vr a, vr b) { return a - b; }
static inline vr v_mul(vr a, vr b) { return a * b; }
static inline vr v_div(vr a, vr b) { return a / b; }
static inline vr v_sqrt(vr a) { return KDR_CUSTOM_OF(sqrt)(a); }

/* a b + c, the one operation in which the two arithmetics differ. */
static inline vr mul_add(vr a, vr b, vr c) {
#ifdef KDR_UNIT_UNFUSED
    const vr product = a * b;
    return product + c;
#else
    return KDR_CUSTOM_OF(kdr_fma)(a, b, c);
#endif
}

static inline vm v_less(vr a, vr b) { return a < b; }
static inline vm v_at_most(vr a, vr b) { return a <= b; }
static inline vm m_and(vm a, vm b) { return a && b; }
static inline vm m_or(vm a, vm b) { return a || b; }
static inline vm m_but(vm a, vm b) { return a && !b; }            /* a and not b */
static inline vr v_select(vm m, vr a, vr b) { return m ? a : b; } /* a where m, else b */

/* b where one is NaN: min(a, b) = a < b ? a : b, max likewise. */
static inline vr v_min(vr a, vr b) { return a < b ? a : b; }
static inline vr v_max(vr a, vr b) { return b < a ? a : b; }

static inline vr v_abs(vr a) { return KDR_CUSTOM_OF(fabs)(a); }
static inline vr v_with_sign(vr a, vr b) { return KDR_CUSTOM_OF(copysign)(a, b); } /* |a| with the sign of b */

/* 2^n of a whole number n within the range of normal numbers */
static inline vr v_two_to(vr n) { return n == n ? KDR_CUSTOM_OF(ldexp)((vr)1, (int)n) : n; }

/* a = 2^e m of a normal positive number: returns the whole number e, and m from sqrt(1/2) to sqrt(2) as rounded. Of others: some
 * numbers. */
static inline vr v_exponent(vr a, vr *m) {
    int e = 0;
    const vr fraction = KDR_CUSTOM_OF(frexp)(a, &e); /* from 1/2 to 1 */
    const bool is_low = fraction < KDR_CUSTOM_OF(sqrt)((vr)0.5);
    *m = is_low ? fraction + fraction : fraction;
    return (vr)(is_low ? e - 1 : e);
}

/* Tables: static arrays of v_element. */
typedef vr v_element;
static inline vr v_element_of(const v_element *table, vr index) { return table[(size_t)index]; } /* `index`: whole, and within the table */
#endif

/* Places on a grid, in elements from its first. */
#ifndef KDR_CUSTOM_KERNEL
typedef struct kdr_places {
    uint32_t of[1];
} kdr_places;

static inline kdr_places v_places(vr whole, uint32_t stride) {
    const kdr_places places = {{(uint32_t)(int32_t)whole * stride}};
    return places;
}
static inline kdr_places v_places_sum(const kdr_places *a, const kdr_places *b) {
    const kdr_places sum = {{a->of[0] + b->of[0]}};
    return sum;
}
static inline vr v_grid_element(const kdr_at *at, int component, const kdr_places *place) {
    const size_t element = (size_t)component * at->grid->component_stride + place->of[0];
    vr value;
    float single;
    if (at->is_grid_single) {
        memcpy(&single, (const float *)at->grid->values + element, sizeof single);
        return (vr)single;
    }
    memcpy(&value, (const vr *)at->grid->values + element, sizeof value);
    return value;
}
static inline bool v_grid_rows(const kdr_grid *grid, int first, int count, int corners, const kdr_places *place, const vr *weight,
                               vr *out) {
    (void)grid, (void)first, (void)count, (void)corners, (void)place, (void)weight, (void)out;
    return false;
}
#endif

#if defined(KDR_UNIT_F32)
#define KDR_CUSTOM_CHOOSE(single, precise) single
#else
#define KDR_CUSTOM_CHOOSE(single, precise) precise
#endif

#include <kickdrift/custom_functions.h>

#endif
