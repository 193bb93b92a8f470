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
 * (omega h)^2 + 4 zeta omega h < 4). Take RK4 for strong drag or magnetic fields.
 *
 * Stormer-Verlet is velocity Verlet's orbit held in positions alone: x_{n-1} is its memory, and the velocity is found at the end of each
 * call, v_n = (x_{n+1} - x_{n-1}) / 2h, at the cost of one evaluation more; a call that does not go on from the last one's memory starts
 * from (x_0, v_0) with x_{-1} = x_0 - h v_0 + h^2/2 a_0. It is what older molecular dynamics codes step with: take it to reproduce them.
 * Rounding costs it more: x is off by some eps n^1.5 after n steps, v by eps / h n^0.5, and where h^2 a is below half an ulp of x it does
 * not feel the force at all. Velocity Verlet is its summed form (HLW VIII.5) and has neither fault: that is also why this method cannot be
 * compensated. x_{n-1} belongs to its step: a call with another dt starts afresh. */
typedef enum kdr_method {
    /* Runge-Kutta: a Butcher tableau on y = (x, v), y' = f = (v, a); k1 = f(y) */
    KDR_EXPLICIT_EULER, /* x += h v_n;  v += h a(x_n, v_n) (HLW I.1) */
    KDR_MIDPOINT,       /* k2 = f(y + h/2 k1);  y += h k2 (Runge 1895) */
    KDR_HEUN,           /* k2 = f(y + h k1);  y += h/2 (k1 + k2) (Heun 1900); also called improved Euler */
    KDR_RALSTON,        /* k2 = f(y + 2h/3 k1);  y += h/4 (k1 + 3 k2): of two stages, the least bound of the error (Ralston 1962) */
    KDR_RK3,            /* k2 = f(y + h/2 k1);  k3 = f(y - h k1 + 2h k2);  y += h/6 (k1 + 4 k2 + k3) (Kutta 1901) */
    KDR_RK4,            /* the classical Runge-Kutta method, weights 1/6 1/3 1/3 1/6 (HLW II.1) */
    KDR_RK4_38,         /* the 3/8 rule, stages at 0, 1/3, 2/3, 1, weights 1/8 3/8 3/8 1/8 (Kutta 1901; HLW II.1) */
    KDR_DOPRI_5,        /* the fifth-order solution of Dormand and Prince's pair, six stages, at a fixed step (Dormand, Prince 1980) */
    /* splitting: kicks and drifts, K c for v += c h a and D c for x += c h v; fractions in src/method/rows_splitting.h */
    KDR_SEMI_IMPLICIT_EULER, /* v += h a(x_n, v_n);  x += h v_{n+1}: kick, drift (HLW I.1) */
    KDR_DRIFT_KICK_EULER,    /* x += h v_n;  v += h a(x_{n+1}, v_n): its adjoint (HLW I.1) */
    KDR_VELOCITY_VERLET,     /* KDK: v' = v + h/2 a_n;  x += h v';  a_{n+1} = a(x, v', t_{n+1});  v = v' + h/2 a_{n+1} (HLW I.1, I.3) */
    KDR_POSITION_VERLET,     /* DKD: x' = x + h/2 v;  v += h a(x', v_n, t_n + h/2);  x = x' + h/2 v (Tuckerman, Berne, Martyna 1992) */
    KDR_RUTH3,               /* K 7/24, D 2/3, K 3/4, D -2/3, K -1/24, D 1 (Ruth 1983) */
    KDR_MCLACHLAN_ATELA_3,   /* KDKDKD with the smallest error of third order (McLachlan, Atela 1992) */
    KDR_MCLACHLAN_ATELA_4,   /* four kicks, four drifts; not symmetric (McLachlan, Atela 1992) */
    KDR_MCLACHLAN_ATELA_5,   /* six kicks, six drifts; not symmetric (McLachlan, Atela 1992) */
    KDR_FOREST_RUTH,         /* position Verlet by q h, (1 - 2q) h, q h, q = 1/(2 - 2^(1/3)) (Forest, Ruth 1990; Yoshida 1990) */
    KDR_PEFRL,               /* DKDKDKDKD: Forest-Ruth with a kick more and the error at its least (Omelyan, Mryglod, Folk 2002) */
    KDR_VEFRL,               /* KDKDKDKDK: likewise, kick first (Omelyan, Mryglod, Folk 2002) */
    KDR_SUZUKI_4,            /* position Verlet by q, q, 1 - 4q, q, q times h, q = 1/(4 - 4^(1/3)) (Suzuki 1990) */
    KDR_BLANES_MOAN_6B,      /* six kicks a step, kick first, for kinetic energies quadratic in v, as all here are (Blanes, Moan 2002) */
    KDR_BLANES_MOAN_11B,     /* eleven, sixth order (Blanes, Moan 2002) */
    KDR_BLANES_MOAN_14A,     /* fourteen, sixth order, drift first (Blanes, Moan 2002) */
    KDR_BLANES_MOAN_S6,      /* six, fourth order for any splitting in two (Blanes, Moan 2002) */
    KDR_BLANES_MOAN_S10,     /* ten, sixth order for any splitting in two (Blanes, Moan 2002) */
    KDR_YOSHIDA_6,           /* seven position Verlets, solution A (Yoshida 1990) */
    KDR_KAHAN_LI_6,          /* nine position Verlets (Kahan, Li 1997) */
    KDR_SUZUKI_UMENO_8,      /* fifteen position Verlets (Suzuki, Umeno 1993; McLachlan 1995) */
    KDR_KAHAN_LI_8,          /* seventeen position Verlets (Kahan, Li 1997) */
    /* multistep: see kdr_family */
    KDR_STORMER_VERLET, /* x_{n+1} = 2 x_n - x_{n-1} + h^2 a_n (Stormer 1907; Verlet 1967; HLW I.1): the same orbit as velocity Verlet's */
    KDR_METHOD_COUNT
} kdr_method;

/* A family is one kernel and one shape of row: a method is a row of data in it. */
typedef enum kdr_family {
    KDR_RUNGE_KUTTA, /* a Butcher tableau */
    KDR_SPLITTING,   /* a list of kick and drift fractions */
    KDR_MULTISTEP,   /* positions alone; x_{n-1} is the memory, v = (x_{n+1} - x_{n-1}) / 2h is found at the end of each call */
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
    int start_evaluations;               /* more, once a run that starts afresh; a multistep method's, once every run */
    bool symplectic;                     /* for a(x, t) that derives from a potential */
    bool reversible;                     /* stepping back by -h undoes a step, for a(x, t) */
    bool memory;                         /* keeps something besides x and v: see kdr_particles::memory */
    double stability;                    /* all omega h below it stay bounded on the undamped oscillator; 0: none. Where a method only just
                                          * loses it, near omega h = pi, steps a little longer may be stable again: do not count on them */
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
