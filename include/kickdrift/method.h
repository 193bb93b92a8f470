/* Methods: the table of integrators, one row each.
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
    KDR_EXPLICIT_EULER = 0,      /* x += h v_n;  v += h a(x_n, v_n) (HLW I.1) */
    KDR_SEMI_IMPLICIT_EULER = 1, /* v += h a(x_n, v_n);  x += h v_{n+1}: kick, drift (HLW I.1) */
    KDR_VELOCITY_VERLET = 2,     /* KDK: v' = v + h/2 a_n;  x += h v';  a_{n+1} = a(x, v', t_{n+1});  v = v' + h/2 a_{n+1} (HLW I.1, I.3) */
    KDR_RK4 = 3                  /* the classical Runge-Kutta method, weights 1/6 1/3 1/3 1/6 (HLW II.1) */
} kdr_method;
enum { KDR_METHOD_COUNT = 4 };

/* A family is one kernel and one shape of row: a method is a row of data in it. */
typedef enum kdr_family {
    KDR_RUNGE_KUTTA = 0, /* a Butcher tableau */
    KDR_SPLITTING = 1    /* a list of kick and drift fractions */
} kdr_family;
enum { KDR_FAMILY_COUNT = 2 };

typedef struct kdr_method_info {
    const char *name; /* "velocity-verlet" */
    kdr_family family;
    int order;              /* of x and v, for a(x, t) */
    int order_velocity;     /* for a(x, v, t) */
    int evaluations;        /* of the acceleration, a step */
    int start_evaluations;  /* more, once a run that starts afresh */
    bool symplectic;        /* for a(x, t) that derives from a potential */
    bool reversible;        /* stepping back by -h undoes a step, for a(x, t) */
    bool memory;            /* keeps something besides x and v when the field depends on v: see kdr_particles::memory */
    double stability;       /* the largest omega h that stays bounded on the undamped oscillator; 0: none */
    const char *force_sees; /* which x, v and t each evaluation sees, in words */
    const char *source;     /* where the method comes from */
} kdr_method_info;

/* The row of a method, constant for the life of the program; NULL for an unknown enumerator. */
KDR_API const kdr_method_info *kdr_method_get(kdr_method method);
KDR_API kdr_status kdr_method_from_name(const char *name, kdr_method *method);
KDR_API const char *kdr_family_name(kdr_family family); /* "runge-kutta", "splitting"; "?" for an unknown enumerator */

#ifdef __cplusplus
}
#endif
#endif
