/* The field is a list of forces, folded once. The reference and the kernels evaluate it in this order, which is part of the contract:
 *
 *   F = f                                                                     (without masses: F = base(t), see kdr_field_base)
 *   STIFFNESS    F_i += kx_i x_i                                              one fma per axis
 *   DAMPING      F_i += kv_i v_i
 *   MAGNETIC     F += v x m: for each axis the term with the next axis' v, then the other:
 *                F_x += m_z v_y, F_x += (-m_y) v_z;  F_y += m_x v_z, F_y += (-m_z) v_x;  F_z += m_y v_x, F_z += (-m_x) v_y
 *   SPRINGS      with per-particle arrays, in the order of the list: F_i += k_i (at_i - x_i)
 *   DRAGS        the same:                                         F_i += b_i (wind_i - v_i)
 *   QUADRATIC    each: u = v - wind; F_i += (-c |u|) u_i,  |u| = sqrt(((u_x u_x) + u_y u_y) + u_z u_z)
 *   CUSTOM       forces, in the order of the list: the field's function adds to F (see <kickdrift/custom_field.h>)
 *   MASS         a = w F + base(t), one fma; without masses a = F
 *   CENTRES      each: r = x - at; q = ((eps^2 + r_x r_x) + r_y r_y) + r_z r_z; a_i += (-mu / (q sqrt(q))) r_i
 *   CUSTOM       accelerations: the field's function adds to a
 *   CUSTOM_MAGNETIC  a += v x m, in the order of MAGNETIC but with 0 - m_i for -m_i. m is 0; the functions of forces add to it; with MASS
 *                m = w m + 0, one fma; those of accelerations add to it. Methods that rotate v have no MAGNETIC and no CUSTOM_MAGNETIC,
 *                and the folded field in place of that 0.
 *
 * With KDR_TERM_NO_AFFINE it is the acceleration of the terms that are not affine: F = 0, and STIFFNESS to DRAGS are left out.
 * Every "p + k y" is one fma in the fused arithmetic, a product and a sum in the unfused one. */
#ifndef KDR_FORCE_FIELD_H
#define KDR_FORCE_FIELD_H

#include <kickdrift/force.h>
#include <kickdrift/particles.h>

#include "../particles/arithmetic.h"

enum kdr_term {
    KDR_TERM_STIFFNESS = 1 << 0,
    KDR_TERM_DAMPING = 1 << 1,
    KDR_TERM_MAGNETIC = 1 << 2,
    KDR_TERM_SPRINGS = 1 << 3,
    KDR_TERM_DRAGS = 1 << 4,
    KDR_TERM_QUADRATIC = 1 << 5,
    KDR_TERM_CENTRES = 1 << 6,
    KDR_TERM_DRIVEN = 1 << 7,
    KDR_TERM_MASS = 1 << 8,        /* particles: they have inverse masses */
    KDR_TERM_COMPENSATED = 1 << 9, /* integrator: x and v have compensations */
    KDR_TERM_OFFSET = 1 << 10,     /* kinematic family: the map has a constant part */
    /* kinematic family: the affine terms are in the map, and a is the acceleration of the others */
    KDR_TERM_NO_AFFINE = 1 << 11,
    KDR_TERM_COLLIDERS = 1 << 12, /* integrator: colliders act after each step, see collider.h */
    KDR_TERM_PERIODIC = 1 << 13,  /* integrator: boundary */
    KDR_TERM_ABSORBING = 1 << 14,
    KDR_TERM_UNDRIVEN = 1 << 15, /* kinematic family: driven fields are not in the evaluations either */
    /* kinematic family: the evaluation has the quadratic drags and centres that do not contribute by average, and no others */
    KDR_TERM_LATE = 1 << 16,
    KDR_TERM_CUSTOM = 1 << 20,
    KDR_TERM_CUSTOM_COUPLES_AXES = 1 << 21, /* a custom field that couples axes */
    KDR_TERM_CUSTOM_VELOCITY = 1 << 22,     /* a custom field that depends on v */
    KDR_TERM_CUSTOM_SEVERAL = 1 << 23,      /* several custom fields, or per-particle arrays in one */
    KDR_TERM_CUSTOM_MAGNETIC = 1 << 24,     /* a custom field with a magnetic part */
    KDR_TERM_RELATIVISTIC = 1 << 25,        /* integrator: v is momentum over mass */
    KDR_TERM_HELD = 1 << 26,                /* integrator: constraints hold in each drift */
    KDR_TERM_HELD_AFTER = 1 << 27,          /* integrator: constraints hold after each whole step, for other methods */
    KDR_TERM_REFLECTING = 1 << 28           /* integrator: colliders act in each drift of a method with a heat bath */
};

/* Terms that couple axes. */
enum { KDR_TERMS_COUPLE_AXES = KDR_TERM_MAGNETIC | KDR_TERM_QUADRATIC | KDR_TERM_CENTRES | KDR_TERM_CUSTOM_COUPLES_AXES };
/* Terms in the affine map of the kinematic family. */
enum { KDR_TERMS_AFFINE = KDR_TERM_STIFFNESS | KDR_TERM_DAMPING | KDR_TERM_MAGNETIC | KDR_TERM_SPRINGS | KDR_TERM_DRAGS };
/* Terms that act after a step, and terms for which all axes are stepped together. */
enum { KDR_TERMS_OF_STEPS = KDR_TERM_COLLIDERS | KDR_TERM_PERIODIC | KDR_TERM_ABSORBING }; /* not after parts of a step */
enum { KDR_TERMS_AFTER = KDR_TERMS_OF_STEPS | KDR_TERM_HELD_AFTER };
enum { KDR_TERMS_STEP_ALL_AXES = KDR_TERMS_COUPLE_AXES | KDR_TERMS_AFTER | KDR_TERM_HELD | KDR_TERM_REFLECTING };
/* Terms that are not affine in x and v. */
enum { KDR_TERMS_NOT_AFFINE = KDR_TERM_QUADRATIC | KDR_TERM_CENTRES | KDR_TERM_CUSTOM };
/* Terms that are not affine and contribute by average only: method/contributions.c lists the other kinds. */
enum { KDR_TERMS_AVERAGED = KDR_TERMS_NOT_AFFINE & ~(KDR_TERM_QUADRATIC | KDR_TERM_CENTRES) };
/* Terms that are not affine and depend on v. */
enum { KDR_TERMS_NOT_AFFINE_IN_V = KDR_TERM_QUADRATIC | KDR_TERM_CUSTOM_VELOCITY | KDR_TERM_CUSTOM_MAGNETIC };
/* Terms whose acceleration depends on the place, the velocity or the time. */
enum { KDR_TERMS_VARYING = KDR_TERMS_AFFINE | KDR_TERMS_NOT_AFFINE | KDR_TERM_DRIVEN };
/* Terms that rotate the velocity. */
enum { KDR_TERMS_MAGNETIC = KDR_TERM_MAGNETIC | KDR_TERM_CUSTOM_MAGNETIC };
/* Terms that depend on the velocity. */
enum { KDR_TERMS_VELOCITY = KDR_TERM_DAMPING | KDR_TERM_MAGNETIC | KDR_TERM_DRAGS | KDR_TERMS_NOT_AFFINE_IN_V };

typedef struct kdr_spring {
    double k[3], at[3];
    const void *k_each, *at_each[3]; /* NULL: k, at */
    size_t count;
    kdr_layout layout; /* layout of these arrays */
} kdr_spring;

typedef struct kdr_drag {
    double wind[3];
    const void *b_each;
    size_t count;
    kdr_layout layout;
} kdr_drag;

typedef struct kdr_quadratic {
    double minus_c, wind[3];
} kdr_quadratic;

typedef struct kdr_centre {
    double minus_mu, at[3], softening2;
} kdr_centre;

typedef struct kdr_drive {
    double a[3], omega, phase;
} kdr_drive;

/* An entry of a custom field. A parameter is a value for all particles, or one of the custom fields' arrays, with index `each`; -1 if it
 * is a value. */
typedef struct kdr_custom_field_entry {
    const kdr_custom_field *field;
    double parameter[KDR_MAX_PARAMETERS];
    signed char each[KDR_MAX_PARAMETERS];
    kdr_grid grid; /* zeros, or the caller's with its strides filled in */
} kdr_custom_field_entry;

typedef struct kdr_custom_field_array {
    const void *each;
    size_t count;
    kdr_layout layout;
} kdr_custom_field_array;

typedef struct kdr_field {
    unsigned terms;
    int springs, drags, quadratics, centres, drives; /* number of entries of each array below */
    double f[3];                                     /* constant force */
    double g[3];                                     /* constant acceleration */
    double kx[3], kv[3];                             /* dF_i/dx_i, dF_i/dv_i */
    double magnetic[3];                              /* charge times b, summed */
    kdr_spring spring[KDR_MAX_EACH];
    kdr_drag drag[KDR_MAX_EACH];
    kdr_quadratic quadratic[KDR_MAX_QUADRATIC];
    kdr_centre centre[KDR_MAX_CENTRES];
    kdr_drive drive[KDR_MAX_DRIVEN];
    int custom_entries, custom_arrays;
    kdr_custom_field_entry custom_entry[KDR_MAX_CUSTOM];
    kdr_custom_field_array custom_array[KDR_MAX_CUSTOM_EACH];
} kdr_field;

/* Folds a list. Unused parts of *field are zero bytes. Fails, with the entry's index and parameter in the message, if a parameter is not
 * finite or out of range, if there are too many entries of a kind, or if a folded constant does not fit `real`. */
kdr_status kdr_field_fold(const kdr_force *forces, size_t count, kdr_real real, kdr_field *field, kdr_error *error);

/* Checks that all per-particle arrays have `count` elements, and that custom fields are for `dims` axes. */
kdr_status kdr_field_check_particles(const kdr_field *field, size_t count, int dims, kdr_error *error);

/* Returns how many numbers parameter p of an entry has, and where they are; 0 after the last parameter. */
size_t kdr_force_parameter(const kdr_force *force, int p, const double **values);

/* Finds per-particle array n of the field; it is NULL for an entry with a value for all particles. Returns false after the last one. */
bool kdr_field_array(const kdr_field *field, int n, const void **array, size_t *count, kdr_layout *layout);

/* Computes base(t) = g, plus f when the particles have no masses, plus the driven fields at time t; with KDR_TERM_NO_AFFINE only the
 * driven fields, with KDR_TERM_UNDRIVEN none of them. It is in double for both precisions. */
void kdr_field_base(const kdr_field *field, unsigned terms, double t, double base[3]);

/* Returns the user's name for the first term that is not affine in x and v, or depends on t: "a centre". */
const char *kdr_field_not_affine(unsigned terms);

#endif
