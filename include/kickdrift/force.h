/* Forces: the entries of a force list.
 *
 * A list is folded once, when an integrator is created, into one field: everything affine in x and v (uniform, springs, linear drag,
 * electric and magnetic) becomes one affine map; what is not affine stays beside it. Any number of entries may be given; entries that
 * cannot be folded together (arrays a particle, quadratic drag, centres, drives, custom fields) are limited as the constants below say.
 *
 * An *acceleration* acts alike on every particle; a *force* is multiplied by the particle's inverse mass.
 * Units are the caller's own, as long as they are consistent. All parameters must be finite.
 * Parameters of axes that the particles do not have (z of a 2-D view) are ignored. */
#ifndef KICKDRIFT_FORCE_H
#define KICKDRIFT_FORCE_H

#include <kickdrift/backend.h>
#include <kickdrift/grid.h>
#include <kickdrift/layout.h>
#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KDR_MAX_EACH = 4,      /* springs with an array a particle, and as many drags with one */
    KDR_MAX_QUADRATIC = 4, /* quadratic drags */
    KDR_MAX_CENTRES = 16,  /* attracting centres */
    KDR_MAX_DRIVEN = 8,    /* driven uniform fields */
    KDR_MAX_CONTRIBUTIONS =
        16,                  /* of the method kinematic: springs, drags and electromagnetic fields; uniform ones of a kind count as one */
    KDR_MAX_CUSTOM = 8,      /* entries of custom and named fields */
    KDR_MAX_PARAMETERS = 16, /* of such a field */
    KDR_MAX_CUSTOM_EACH = 8  /* parameters that are arrays a particle, of all custom entries together */
};

typedef enum kdr_force_kind {
    KDR_UNIFORM_ACCELERATION = 0, /* a = a */
    KDR_UNIFORM_FORCE = 1,        /* F = f */
    KDR_SPRING = 2,               /* F = -k (x - at), k one an axis; potential k (x - at)^2 / 2 */
    KDR_DRAG = 3,                 /* F = -b (v - wind), b one an axis */
    KDR_QUADRATIC_DRAG = 4,       /* F = -c |v - wind| (v - wind) */
    KDR_ELECTROMAGNETIC = 5,      /* F = charge (e + v x b); of a 2-D view only b's z acts, of a 1-D view none */
    KDR_CENTRE = 6,               /* a = -mu r / q^(3/2), r = x - at, q = r^2 + softening^2; potential -mu / q^(1/2) a unit mass */
    KDR_DRIVEN = 7,               /* a = a cos(omega t + phase) */
    KDR_CUSTOM_FIELD = 8          /* a field of the caller's own, compiled into kernels: see <kickdrift/custom_field.h> */
} kdr_force_kind;
enum { KDR_FORCE_KIND_COUNT = 8 /* of those that have a name in scenes */, KDR_FORCE_KIND_ALL = 9 };

/* What a force does to x and v in a step of the method kinematic, x += h v_n + sum of dx, v += sum of dv (Brown, Game Programming Gems 8,
 * 2.5). Other methods refuse all but the default. a: the force's acceleration, a_n at the beginning of the step. */
typedef enum kdr_contribution {
    /* average for centres, quadratic drags and custom fields (which accept no other), and for springs where another force depends on x, as
     * in coupled runs; else exact */
    KDR_CONTRIBUTION_DEFAULT = 0,
    KDR_CONTRIBUTION_EXACT,   /* dv, dx: integrals of a along the motion under this force alone. Not of centres and quadratic drags */
    KDR_CONTRIBUTION_AVERAGE, /* dv as exact, dx = h/2 dv; of centres and quadratic drags dv = h a_n */
    KDR_CONTRIBUTION_PULSE,   /* dv as average, dx = h dv. Of a spring the map's determinant is cos(omega h): it damps */
    KDR_CONTRIBUTION_PULSE_SYMPLECTIC, /* of springs: pulse whose dv leaves out the term with v_n; determinant 1 */
    KDR_CONTRIBUTION_EULER,            /* dv = h a_n, dx = h dv: semi-implicit Euler's */
    KDR_CONTRIBUTION_FIRST_ORDER       /* of linear drags: dv = h a_n, dx = h/2 dv */
} kdr_contribution;
enum { KDR_CONTRIBUTION_COUNT = 7 };

/* A field that kickdrift_add_field has compiled. In the caller's sources KDR_DECLARE_CUSTOM_FIELD(name), and then &kdr_custom_field_name.
 */
typedef struct kdr_custom_field kdr_custom_field;
#ifdef __cplusplus
#define KDR_DECLARE_CUSTOM_FIELD(name) extern "C" const kdr_custom_field kdr_custom_field_##name
#else
#define KDR_DECLARE_CUSTOM_FIELD(name) extern const kdr_custom_field kdr_custom_field_##name
#endif

typedef struct kdr_force {
    kdr_force_kind kind;
    union {
        struct {
            double a[3];
        } uniform_acceleration;
        struct {
            double f[3];
        } uniform_force;
        struct {
            double k[3];            /* stiffness, one an axis; any sign */
            double at[3];           /* the point it pulls to */
            const void *k_each;     /* NULL, or one k a particle, for all axes, in place of k */
            const void *at_each[3]; /* on each axis NULL, or an anchor a particle, in place of at */
            size_t count;           /* elements of k_each and at_each: must be the particles' count when an array is given */
        } spring;
        struct {
            double b[3];        /* drag coefficient, one an axis; any sign */
            double wind[3];     /* velocity of the medium */
            const void *b_each; /* NULL, or one b a particle, for all axes, in place of b */
            size_t count;       /* elements of b_each */
        } drag;
        struct {
            double c;
            double wind[3];
        } quadratic_drag;
        struct {
            double charge;
            double e[3];
            double b[3];
        } electromagnetic;
        struct {
            double mu;
            double at[3];
            double softening;
        } centre; /* softening >= 0 */
        struct {
            double a[3];
            double omega;
            double phase;
        } driven; /* radians a unit of time; radians */
        struct {
            const kdr_custom_field *field;
            double parameter[KDR_MAX_PARAMETERS]; /* as many as the field has, the others 0 */
            const void *each[KDR_MAX_PARAMETERS]; /* NULL, or one value a particle in place of the parameter */
            size_t count;                         /* elements of these arrays */
            const kdr_grid *grid;                 /* of a field that reads one, else NULL */
        } custom;
    } as;
    kdr_contribution contribution; /* KDR_CONTRIBUTION_DEFAULT unless the method is kinematic */
    kdr_layout each_layout;        /* of all arrays a particle that the entry has; all 0: plain */
} kdr_force;

/* Arrays a particle are lent: elements of the particles' own type, alive and unchanged as long as the integrator is used. */

/* Entries by value, the arrays NULL. A vector that is NULL is 0, 0, 0. */
KDR_API kdr_force kdr_force_uniform_acceleration(double ax, double ay, double az);
KDR_API kdr_force kdr_force_uniform_force(double fx, double fy, double fz);
KDR_API kdr_force kdr_force_spring(double k, double x, double y, double z);
KDR_API kdr_force kdr_force_drag(double b, double wind_x, double wind_y, double wind_z);
KDR_API kdr_force kdr_force_quadratic_drag(double c, double wind_x, double wind_y, double wind_z);
KDR_API kdr_force kdr_force_electromagnetic(double charge, const double e[3], const double b[3]);
KDR_API kdr_force kdr_force_centre(double mu, double x, double y, double z, double softening);
KDR_API kdr_force kdr_force_driven(double ax, double ay, double az, double omega, double phase);

/* `parameters`: as many as the field has; NULL: none are copied, all are 0. */
KDR_API kdr_force kdr_force_custom(const kdr_custom_field *field, const double *parameters);

/* What is known of a custom field; NULL and 0 where it is NULL or was compiled for another version of the library. */
enum {
    KDR_CUSTOM_FIELD_ACCELERATION = 1, /* not a force: it acts alike on all masses */
    KDR_CUSTOM_FIELD_VELOCITY = 2,     /* depends on v */
    KDR_CUSTOM_FIELD_TIME = 4,         /* depends on t */
    KDR_CUSTOM_FIELD_POTENTIAL = 8,    /* has one */
    KDR_CUSTOM_FIELD_JACOBIAN = 16,    /* says its derivatives */
    KDR_CUSTOM_FIELD_TOGETHER = 32,    /* one axis feels another */
    KDR_CUSTOM_FIELD_MAGNETIC = 64     /* has a magnetic field, too: F = f + v cross m */
};
KDR_API unsigned kdr_custom_field_flags(const kdr_custom_field *field);
KDR_API const char *kdr_custom_field_name(const kdr_custom_field *field);
KDR_API int kdr_custom_field_dims(const kdr_custom_field *field);       /* the axes that it is for, 1 to 3; 0: any */
KDR_API int kdr_custom_field_parameters(const kdr_custom_field *field); /* how many */
KDR_API int kdr_custom_field_grid(const kdr_custom_field *field);       /* components of the grid that it reads; 0: none */
KDR_API int kdr_custom_field_grid_dims(const kdr_custom_field *field);  /* the axes of that grid; 0: any */
KDR_API int kdr_custom_field_required(const kdr_custom_field *field);   /* the first so many have no default; others 0 */
KDR_API const char *kdr_custom_field_parameter_name(const kdr_custom_field *field, int index); /* NULL beyond them */

/* From what to what that parameter may be, where it is no array: both may be infinite. KDR_ERROR_NULL for a pointer that is NULL,
 * KDR_ERROR_ARGUMENT for an index that the field has not. */
KDR_API kdr_status kdr_custom_field_parameter_range(const kdr_custom_field *field, int index, double *least, double *most);
/* Whether its kernels were compiled for that backend, which need not run here. */
KDR_API bool kdr_custom_field_has_backend(const kdr_custom_field *field, kdr_backend backend);

/* The fields that the library has by name, for kdr_force_custom: "yukawa", "logarithmic-halo", "nfw", "miyamoto-nagai", "oblate-planet",
 * "rotating-frame", "orbiting-centre", "lennard-jones-wall", "vortex", "grid-acceleration", "grid-wind", "grid-electromagnetic",
 * "table-centre", "curl-noise". `kickdrift fields` prints what each is and its parameters, as use/forces.md does
 * (share/doc/kickdrift/docs once installed), "Fields by name". All say their derivatives.
 * The angles of orbiting-centre and curl-noise are reduced in double, for omega t and rate t up to 2^60 (v_angle in custom_functions.h).
 * Of a vector's three parameters the names end in .x, .y and .z. They are for space: particles in a plane are
 * at z = 0. Lengths, softenings and directions out of range, as use/forces.md has the ranges, are KDR_ERROR_ARGUMENT where an
 * integrator is created (custom_field.h: KDR_FIELD_POSITIVE, KDR_FIELD_RANGES, KDR_FIELD_DIRECTIONS). kdr_field_get: NULL beyond the last.
 * At the place where it is undefined a field is 0 if it is bounded near by (nfw, what has a softening or a core), and not finite if it
 * grows there without bound, as KDR_CENTRE without softening: kdr_first_non_finite finds the particle. kdr_field_from_name:
 * KDR_ERROR_UNKNOWN_NAME for another name, KDR_ERROR_NULL for a pointer that is NULL. */
KDR_API const kdr_custom_field *kdr_field_get(int index);
KDR_API kdr_status kdr_field_from_name(const char *name, const kdr_custom_field **field);

/* The name a scene uses: "uniform-acceleration", "spring", ...; "?" for an unknown enumerator. */
KDR_API const char *kdr_force_kind_name(kdr_force_kind kind);

/* The kind of a name; KDR_ERROR_UNKNOWN_NAME for another name, KDR_ERROR_NULL for a pointer that is NULL. */
KDR_API kdr_status kdr_force_kind_from_name(const char *name, kdr_force_kind *kind);

/* "default", "exact", "average", "pulse", "pulse-symplectic", "euler", "first-order"; "?" likewise. */
KDR_API const char *kdr_contribution_name(kdr_contribution contribution);

/* The contribution of a name; KDR_ERROR_UNKNOWN_NAME for another name, KDR_ERROR_NULL for a pointer that is NULL. */
KDR_API kdr_status kdr_contribution_from_name(const char *name, kdr_contribution *contribution);

#ifdef __cplusplus
}
#endif
#endif
