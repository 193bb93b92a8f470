/* Custom fields: user-defined fields, each compiled from one source file for every backend and the reference. The file contains:
 *
 *     #define KDR_FIELD yukawa
 *     #define KDR_FIELD_PARAMETERS "strength", "range"
 *     #include <kickdrift/custom_field.h>
 *     enum { STRENGTH, RANGE };
 *     KDR_FIELD_IN_SPACE(at, x, v, f) { ... f[i] = mul_add(factor, x[i], f[i]); ... }
 *
 * CMake's kickdrift_add_field(target yukawa.c) makes a library of it. A program needs KDR_DECLARE_CUSTOM_FIELD(yukawa), and adds
 * kdr_force_custom(&kdr_custom_field_yukawa, parameters) to its forces.
 *
 * The function adds the field to f. It must not branch on values (use v_select), nor keep state. v and t are 0 unless flags name them. A vr
 * is one number in the reference, and a vector of particles in kernels. */
#ifndef KICKDRIFT_CUSTOM_FIELD_H
#define KICKDRIFT_CUSTOM_FIELD_H

#include <stdbool.h>
#include <stddef.h>

/* Number of axes that the field needs; 0: any. Particles with another number are refused (KDR_ERROR_UNSUPPORTED). */
#ifndef KDR_FIELD_DIMS
#define KDR_FIELD_DIMS 0
#endif

/* Optional macros. KDR_FIELD_REQUIRED is the number of leading parameters without a default in scene files and Python; default all. Names
 * that end in .x, .y and .z make a vector. Three macros restrict parameters; arrays per particle are not checked:
 *     KDR_FIELD_POSITIVE    bits 1 << k of parameters that must be above 0
 *     KDR_FIELD_RANGES      [k] = {least, most}, ...; most may be INFINITY
 *     KDR_FIELD_DIRECTIONS  bits 1 << k of vectors k, k + 1, k + 2 that must not be 0 */

/* KDR_FIELD_FLAGS is the sum of flags; default 0, a force that depends on x only. */
#define KDR_FIELD_ACCELERATION 1 /* independent of the mass */
#define KDR_FIELD_VELOCITY 2     /* depends on v; not needed for KDR_FIELD_MAGNETIC */
#define KDR_FIELD_TIME 4         /* depends on t (v_time); the method kinematic refuses it */
#define KDR_FIELD_POTENTIAL 8    /* has KDR_FIELD_ENERGY(at, x) { return ...; }; per mass for an acceleration */

#define KDR_FIELD_JACOBIAN 16 /* has KDR_FIELD_JACOBIAN_OF, as implicit methods need */
#define KDR_FIELD_MAGNETIC 64 /* has a magnetic field (KDR_FIELD_ELECTROMAGNETIC) */

/* Number of components, 1 to KDR_GRID_COMPONENTS, that the function reads from kdr_force.as.custom.grid by v_grid (custom_grid.h); 0: no
 * grid. */
#ifndef KDR_FIELD_GRID
#define KDR_FIELD_GRID 0
#endif

/* Axes of that grid, 1 to 3; 0: any. */
#ifndef KDR_FIELD_GRID_DIMS
#define KDR_FIELD_GRID_DIMS 0
#endif

/* Several fields in one file need different names. */
#define KDR_CUSTOM_PASTE_(a, b) a##_of_##b
#define KDR_CUSTOM_PASTE(a, b) KDR_CUSTOM_PASTE_(a, b)
#define kdr_field_on_axis KDR_CUSTOM_PASTE(kdr_field_on_axis, KDR_FIELD)
#define kdr_field_in_space KDR_CUSTOM_PASTE(kdr_field_in_space, KDR_FIELD)
#define kdr_field_add KDR_CUSTOM_PASTE(kdr_field_add, KDR_FIELD)
#define kdr_field_add_both KDR_CUSTOM_PASTE(kdr_field_add_both, KDR_FIELD)
#define kdr_field_energy KDR_CUSTOM_PASTE(kdr_field_energy, KDR_FIELD)
#define kdr_field_jacobian KDR_CUSTOM_PASTE(kdr_field_jacobian, KDR_FIELD)
#define kdr_field_add_jacobian KDR_CUSTOM_PASTE(kdr_field_add_jacobian, KDR_FIELD)
#define KDR_FIELD_COUPLES_AXES KDR_CUSTOM_PASTE(KDR_FIELD_COUPLES_AXES, KDR_FIELD)

/* The field's function is one of these. KDR_FIELD_ON_AXIS, for independent axes, returns f plus the field on the axis at->axis.
 * KDR_FIELD_IN_SPACE adds the field to f[0 .. dims). KDR_FIELD_ELECTROMAGNETIC is for KDR_FIELD_MAGNETIC. */
#define KDR_FIELD_ON_AXIS(at, x, v, f)                                                                                                     \
    static inline KDR_CUSTOM_INLINE vr kdr_field_on_axis(const kdr_at *at, vr x, vr v, vr f);                                              \
    enum { KDR_FIELD_COUPLES_AXES = 0 };                                                                                                   \
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
    enum { KDR_FIELD_COUPLES_AXES = 1 };                                                                                                   \
    static inline KDR_CUSTOM_INLINE void kdr_field_add(const kdr_at *at, const vr *x, const vr *v, vr *f, int axes) {                      \
        (void)axes;                                                                                                                        \
        kdr_field_in_space(at, x, v, f);                                                                                                   \
    }                                                                                                                                      \
    static inline KDR_CUSTOM_INLINE void kdr_field_in_space(const kdr_at *at KDR_CUSTOM_UNUSED, const vr *x KDR_CUSTOM_UNUSED,             \
                                                            const vr *v KDR_CUSTOM_UNUSED, vr *f KDR_CUSTOM_UNUSED)
/* Adds the electric part to f[0 .. dims) and charge times B to m[0 .. 3), for F = f + v cross m; an acceleration divides both by the mass.
 * On two axes only m[2] acts, on one none. */
#define KDR_FIELD_ELECTROMAGNETIC(at, x, f, m)                                                                                             \
    enum { KDR_FIELD_COUPLES_AXES = 1 };                                                                                                   \
    _Static_assert(((KDR_FIELD_FLAGS) & KDR_FIELD_VELOCITY) == 0, "leave KDR_FIELD_VELOCITY out: v cross m is KDR_FIELD_MAGNETIC's");      \
    static inline KDR_CUSTOM_INLINE void kdr_field_add_both(const kdr_at *at KDR_CUSTOM_UNUSED, const vr *x KDR_CUSTOM_UNUSED,             \
                                                            vr *f KDR_CUSTOM_UNUSED, vr *m KDR_CUSTOM_UNUSED)
#define KDR_FIELD_ENERGY(at, x) static inline KDR_CUSTOM_UNUSED vr kdr_field_energy(const kdr_at *at, const vr *x)

/* Adds th df_i/dx_j + df_i/dv_j to s[i][j], including v cross m. With KDR_FIELD_ON_AXIS it adds to s[0][0], and x[0] and v[0] are those of
 * the axis. Wrong derivatives cost accuracy. */
#define KDR_FIELD_JACOBIAN_OF(at, th, x, v, s)                                                                                             \
    static inline KDR_CUSTOM_INLINE KDR_CUSTOM_UNUSED void kdr_field_jacobian(const kdr_at *at, vr th, const vr *x, const vr *v,           \
                                                                              vr(*s)[3]);                                                  \
    static inline KDR_CUSTOM_INLINE KDR_CUSTOM_UNUSED void kdr_field_add_jacobian(const kdr_at *at, vr th, const vr *x, const vr *v,       \
                                                                                  vr(*s)[3], int axes) {                                   \
        if (KDR_FIELD_COUPLES_AXES) {                                                                                                      \
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

/* Loops over axes, unrolled. */
#define EACH_AXIS(i, at) KDR_CUSTOM_UNROLL for (int i = 0; i < (at)->dims; ++i)

#if defined(__GNUC__)
#define KDR_CUSTOM_INLINE __attribute__((always_inline))
#define KDR_CUSTOM_UNUSED __attribute__((unused))
#define KDR_CUSTOM_SHARED __attribute__((noinline, unused)) static
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

/* Returns rate time + phase in double, minus the nearest multiple of period + rest. */
static inline double kdr_phase(double rate, double phase, double time, double period, double rest) {
    const double whole = 4503599627370496.0, split = 134217729.0;
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
typedef bool vm; /* a comparison per particle; false if a side is NaN */

/* The arguments of one evaluation. */
typedef struct kdr_at {
    int dims;
    int axis;
    const vr *parameter;
    const double *precise; /* in double, without arrays per particle */
    vr time, inverse_mass;
    double precise_time;
    const kdr_grid *grid;
    bool is_grid_single;
} kdr_at;

static inline vr v_parameter(const kdr_at *at, int index) { return at->parameter[index]; } /* `index` must be a constant */
static inline vr v_time(const kdr_at *at) { return at->time; } /* rounded to the precision; 0 without KDR_FIELD_TIME */
static inline vr v_phase(const kdr_at *at, int rate, int phase, double period, double rest) {
    return (vr)kdr_phase(at->precise[rate], phase < 0 ? 0.0 : at->precise[phase], at->precise_time, period, rest);
}
static inline vr v_inverse_mass(const kdr_at *at) { return at->inverse_mass; } /* 1 without masses */

static inline vr v_constant(double value) { return (vr)value; }
static inline vr v_add(vr a, vr b) { return a + b; }
static inline vr v_sub(vr a, vr b) { return a - b; }
static inline vr v_mul(vr a, vr b) { return a * b; }
static inline vr v_div(vr a, vr b) { return a / b; }
static inline vr v_sqrt(vr a) { return KDR_CUSTOM_OF(sqrt)(a); }

/* Returns a b + c, rounded once in fused arithmetic, else twice. */
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
static inline vm m_but(vm a, vm b) { return a && !b; }
static inline vr v_select(vm m, vr a, vr b) { return m ? a : b; } /* a where m, else b */

/* Return b if a or b is NaN. */
static inline vr v_min(vr a, vr b) { return a < b ? a : b; }
static inline vr v_max(vr a, vr b) { return b < a ? a : b; }

static inline vr v_abs(vr a) { return KDR_CUSTOM_OF(fabs)(a); }
static inline vr v_with_sign(vr a, vr b) { return KDR_CUSTOM_OF(copysign)(a, b); } /* |a| with the sign of b */

/* Returns 2^n for an integer n, if that is a normal number. */
static inline vr v_two_to(vr n) { return n == n ? KDR_CUSTOM_OF(ldexp)((vr)1, (int)n) : n; }

/* Returns e of a positive normal a = 2^e m, with m from sqrt(1/2) to sqrt(2). Other numbers give any result. */
static inline vr v_exponent(vr a, vr *m) {
    int e = 0;
    const vr fraction = KDR_CUSTOM_OF(frexp)(a, &e);
    const bool is_low = fraction < KDR_CUSTOM_OF(sqrt)((vr)0.5);
    *m = is_low ? fraction + fraction : fraction;
    return (vr)(is_low ? e - 1 : e);
}

typedef vr v_element;
static inline vr v_element_of(const v_element *table, vr index) { return table[(size_t)index]; } /* `index` must be within the table */
#endif

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
