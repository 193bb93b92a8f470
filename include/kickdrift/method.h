/* Methods: the table of integrators, one row each, and rows of the caller's own.
 *
 * Notation: state x (position), v (velocity), a(x, v, t) the acceleration, h the step, t_n = t0 + n h.
 * HLW = Hairer, Lubich, Wanner, "Geometric Numerical Integration" (2nd ed., Springer 2006). */
#ifndef KICKDRIFT_METHOD_H
#define KICKDRIFT_METHOD_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Velocity Verlet keeps a_{n+1} for the next step. When the field depends on v that acceleration has seen v', half a step back: the method
 * is then of order 1, and in its half-step velocities it is semi-implicit Euler, with that method's stability limit (on a damped oscillator
 * (omega h)^2 + 4 zeta omega h < 4). Take RK4 for strong drag or magnetic fields. */
typedef enum kdr_method {
    /* Runge-Kutta: a Butcher tableau */
    KDR_EXPLICIT_EULER, /* x += h v_n;  v += h a(x_n, v_n) (HLW I.1) */
    KDR_RK4,            /* the classical Runge-Kutta method, weights 1/6 1/3 1/3 1/6 (HLW II.1) */
    /* splitting: kicks and drifts */
    KDR_SEMI_IMPLICIT_EULER, /* v += h a(x_n, v_n);  x += h v_{n+1}: kick, drift (HLW I.1) */
    KDR_VELOCITY_VERLET,     /* KDK: v' = v + h/2 a_n;  x += h v';  a_{n+1} = a(x, v', t_{n+1});  v = v' + h/2 a_{n+1} (HLW I.1, I.3) */
    KDR_METHOD_COUNT
} kdr_method;

/* A family is one kernel and one shape of row: a method is a row of data in it. */
typedef enum kdr_family {
    KDR_RUNGE_KUTTA, /* a Butcher tableau */
    KDR_SPLITTING,   /* a list of kick and drift fractions */
    KDR_FAMILY_COUNT
} kdr_family;

/* Which fields that depend on v a method accepts. */
typedef enum kdr_velocity_forces {
    KDR_VELOCITY_ANY,
    KDR_VELOCITY_MAGNETIC, /* magnetic fields, and no other */
    KDR_VELOCITY_NONE
} kdr_velocity_forces;

typedef struct kdr_method_info {
    const char *name; /* "velocity-verlet" */
    kdr_family family;
    int order;                           /* of x and v, for a(x, t) */
    int order_velocity;                  /* for those a(x, v, t) that it accepts; 0: it accepts none */
    int evaluations;                     /* of the acceleration, a step */
    int start_evaluations;               /* more, once a run that starts afresh */
    bool symplectic;                     /* for a(x, t) that derives from a potential */
    bool reversible;                     /* stepping back by -h undoes a step, for a(x, t) */
    bool memory;                         /* keeps something besides x and v: see kdr_particles::memory */
    double stability;                    /* the largest omega h that stays bounded on the undamped oscillator; 0: none */
    kdr_velocity_forces velocity_forces; /* what it accepts; another field is refused, and the message names the method to take instead */
    const char *force_sees;              /* which x, v and t each evaluation sees, in words */
    const char *source;                  /* where the method comes from */
} kdr_method_info;

/* The row of a method, constant for the life of the program; NULL for an unknown enumerator. */
KDR_API const kdr_method_info *kdr_method_get(kdr_method method);
KDR_API kdr_status kdr_method_from_name(const char *name, kdr_method *method);
KDR_API const char *kdr_family_name(kdr_family family); /* "runge-kutta", "splitting", ...; "?" for an unknown enumerator */
KDR_API const char *kdr_velocity_forces_name(kdr_velocity_forces velocity); /* "any", "magnetic", "none"; "?" likewise */

/* Rows of the caller's own, given to kdr_integrator_desc in place of a method. They are checked when the integrator is created. */
enum { KDR_MAX_STAGES = 16, KDR_MAX_FRACTIONS = 40 };

/* An explicit Runge-Kutta method: k_i = f(y + h sum_{j<i} a_ij k_j, t + c_i h), y += h sum_i b_i k_i (HLW II.1).
 * The weights must add up to 1 and each row of a to its c, within 1e-12; a must be strictly lower triangular. */
typedef struct kdr_tableau {
    int stages; /* 1 to KDR_MAX_STAGES */
    double a[KDR_MAX_STAGES][KDR_MAX_STAGES];
    double b[KDR_MAX_STAGES];
    double c[KDR_MAX_STAGES];
} kdr_tableau;

/* A splitting method: for i = 0 ... count-1 kick by kick[i] h, then drift by drift[i] h; a fraction of 0 is left out (HLW II.5).
 * Kicks and drifts must each add up to 1 within 1e-12. A list that begins and ends with a kick keeps its last acceleration for the next
 * step. */
typedef struct kdr_fractions {
    int count; /* 1 to KDR_MAX_FRACTIONS */
    double kick[KDR_MAX_FRACTIONS];
    double drift[KDR_MAX_FRACTIONS];
} kdr_fractions;

#ifdef __cplusplus
}
#endif
#endif
