/* Forces: the entries of a force list, and limits of their numbers. An *acceleration* is the same for all masses; a *force* is multiplied
 * by the inverse mass. Units are the caller's. Parameters must be finite. */
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
    KDR_MAX_EACH = 4, /* springs with arrays per particle, and as many drags */
    KDR_MAX_QUADRATIC = 4,
    KDR_MAX_CENTRES = 16,
    KDR_MAX_DRIVEN = 8,
    KDR_MAX_CONTRIBUTIONS = 16, /* springs, drags, electromagnetic and uniform entries with the method kinematic */
    KDR_MAX_CUSTOM = 8,         /* custom fields */
    KDR_MAX_PARAMETERS = 16,    /* of one custom field */
    KDR_MAX_CUSTOM_EACH = 8     /* arrays per particle, in all custom fields together */
};

typedef enum kdr_force_kind {
    KDR_UNIFORM_ACCELERATION = 0,
    KDR_UNIFORM_FORCE = 1,
    KDR_SPRING = 2,          /* F = -k (x - at), potential k (x - at)^2 / 2 */
    KDR_DRAG = 3,            /* F = -b (v - wind) */
    KDR_QUADRATIC_DRAG = 4,  /* F = -c |v - wind| (v - wind) */
    KDR_ELECTROMAGNETIC = 5, /* F = charge (e + v x b); on two axes only b's z acts; on one axis b has no effect */
    KDR_CENTRE = 6,          /* a = -mu r / q^(3/2), r = x - at, q = r^2 + softening^2; potential -mu / q^(1/2) per mass */
    KDR_DRIVEN = 7,          /* a cos(omega t + phase) */
    KDR_CUSTOM_FIELD = 8     /* see custom_field.h */
} kdr_force_kind;
enum { KDR_FORCE_KIND_COUNT = 8 /* with a name in scenes */, KDR_FORCE_KIND_ALL = 9 };

/* The contribution (dx, dv) of a force to a step of the method kinematic: x += h v_n + sum of dx, v += sum of dv. a_n is the acceleration
 * at the beginning of the step. Other methods accept only the default. */
typedef enum kdr_contribution {
    /* average for centres, quadratic drags, custom fields, and springs if another force depends on x; else exact */
    KDR_CONTRIBUTION_DEFAULT = 0,
    KDR_CONTRIBUTION_EXACT,            /* integrals of a along the motion under this force alone */
    KDR_CONTRIBUTION_AVERAGE,          /* dv as exact, or h a_n for centres and quadratic drags; dx = h/2 dv */
    KDR_CONTRIBUTION_PULSE,            /* dv as average, dx = h dv; damps springs */
    KDR_CONTRIBUTION_PULSE_SYMPLECTIC, /* springs only: pulse without v_n in dv */
    KDR_CONTRIBUTION_EULER,            /* dv = h a_n, dx = h dv */
    KDR_CONTRIBUTION_FIRST_ORDER       /* linear drags only: dv = h a_n, dx = h/2 dv */
} kdr_contribution;
enum { KDR_CONTRIBUTION_COUNT = 7 };

/* A compiled custom field (custom_field.h). KDR_DECLARE_CUSTOM_FIELD(name) declares kdr_custom_field_name. */
typedef struct kdr_custom_field kdr_custom_field;
#ifdef __cplusplus
#define KDR_DECLARE_CUSTOM_FIELD(name) extern "C" const kdr_custom_field kdr_custom_field_##name
#else
#define KDR_DECLARE_CUSTOM_FIELD(name) extern const kdr_custom_field kdr_custom_field_##name
#endif

/* An entry of a force list. Arrays per particle have the particles' element type and may be NULL; one value per particle replaces the
 * parameter. They are borrowed, and must not change as long as the integrator is used. */
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
            double k[3];            /* stiffness per axis, any sign */
            double at[3];           /* anchor */
            const void *k_each;     /* replaces k on all axes */
            const void *at_each[3]; /* each replaces at[i] */
            size_t count;           /* elements of each array: the number of particles */
        } spring;
        struct {
            double b[3];        /* per axis, any sign */
            double wind[3];     /* velocity of the medium */
            const void *b_each; /* replaces b on all axes */
            size_t count;
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
        } driven; /* omega in radians per unit of time, phase in radians */
        struct {
            const kdr_custom_field *field;
            double parameter[KDR_MAX_PARAMETERS];
            const void *each[KDR_MAX_PARAMETERS];
            size_t count;
            const kdr_grid *grid; /* for fields that read a grid */
        } custom;
    } as;
    kdr_contribution contribution; /* for the method kinematic */
    kdr_layout each_layout;        /* of all arrays of the entry */
} kdr_force;

/* Return entries without arrays. */
KDR_API kdr_force kdr_force_uniform_acceleration(double ax, double ay, double az);
KDR_API kdr_force kdr_force_uniform_force(double fx, double fy, double fz);
KDR_API kdr_force kdr_force_spring(double k, double x, double y, double z);
KDR_API kdr_force kdr_force_drag(double b, double wind_x, double wind_y, double wind_z);
KDR_API kdr_force kdr_force_quadratic_drag(double c, double wind_x, double wind_y, double wind_z);
KDR_API kdr_force kdr_force_electromagnetic(double charge, const double e[3], const double b[3]);
KDR_API kdr_force kdr_force_centre(double mu, double x, double y, double z, double softening);
KDR_API kdr_force kdr_force_driven(double ax, double ay, double az, double omega, double phase);

/* Returns an entry with a copy of the field's `parameters`; NULL: all 0. */
KDR_API kdr_force kdr_force_custom(const kdr_custom_field *field, const double *parameters);

/* Properties of a custom field, all 0 if it was compiled for another version of the library. Flags are those of custom_field.h. */
enum {
    KDR_CUSTOM_FIELD_ACCELERATION = 1,
    KDR_CUSTOM_FIELD_VELOCITY = 2,
    KDR_CUSTOM_FIELD_TIME = 4,
    KDR_CUSTOM_FIELD_POTENTIAL = 8,
    KDR_CUSTOM_FIELD_JACOBIAN = 16,
    KDR_CUSTOM_FIELD_COUPLES_AXES = 32, /* axes depend on each other */
    KDR_CUSTOM_FIELD_MAGNETIC = 64
};
KDR_API unsigned kdr_custom_field_flags(const kdr_custom_field *field);
KDR_API const char *kdr_custom_field_name(const kdr_custom_field *field);
KDR_API int kdr_custom_field_axis_count(const kdr_custom_field *field); /* axes that it needs, 1 to 3; 0: any */
KDR_API int kdr_custom_field_parameter_count(const kdr_custom_field *field);
KDR_API int kdr_custom_field_grid_component_count(const kdr_custom_field *field);              /* 0: no grid */
KDR_API int kdr_custom_field_grid_axis_count(const kdr_custom_field *field);                   /* 0: any */
KDR_API int kdr_custom_field_required_parameter_count(const kdr_custom_field *field);          /* leading parameters without a default */
KDR_API const char *kdr_custom_field_parameter_name(const kdr_custom_field *field, int index); /* NULL out of range */

/* Finds the range of a parameter that is no array per particle; its ends may be infinite. Errors: KDR_ERROR_ARGUMENT (index). */
KDR_API kdr_status kdr_custom_field_parameter_range(const kdr_custom_field *field, int index, double *least, double *most);
/* Returns whether the field was compiled for a backend, even for one that does not run here. */
KDR_API bool kdr_custom_field_has_backend(const kdr_custom_field *field, kdr_backend backend);

/* The library's fields, for kdr_force_custom. use/forces.md has parameters and ranges. On two axes z is 0. kdr_field_get returns NULL for
 * an index out of range. Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API const kdr_custom_field *kdr_field_get(int index);
KDR_API kdr_status kdr_field_from_name(const char *name, const kdr_custom_field **field);

/* Names, such as "spring" and "pulse-symplectic". Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API const char *kdr_force_kind_name(kdr_force_kind kind);
KDR_API kdr_status kdr_force_kind_from_name(const char *name, kdr_force_kind *kind);
KDR_API const char *kdr_contribution_name(kdr_contribution contribution);
KDR_API kdr_status kdr_contribution_from_name(const char *name, kdr_contribution *contribution);

#ifdef __cplusplus
}
#endif
#endif
