/* Methods: the table of integrators, and user-defined methods. Notation: position x, velocity v, acceleration a(x, v, t), step h, t_n =
 * t0 + n h. methods/methods.md in share/doc/kickdrift/docs compares all methods. */
#ifndef KICKDRIFT_METHOD_H
#define KICKDRIFT_METHOD_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kdr_method {
    /* Runge-Kutta: a Butcher tableau for y = (x, v), y' = f(y) = (v, a), with k1 = f(y). */
    KDR_EXPLICIT_EULER, /* x += h v_n; v += h a(x_n, v_n) */
    KDR_MIDPOINT,       /* k2 = f(y + h/2 k1); y += h k2 */
    KDR_HEUN,           /* the explicit trapezoidal rule */
    KDR_RALSTON,        /* the second-order method with the smallest error bound */
    KDR_RK3,            /* Kutta's third-order method */
    KDR_RK4,            /* the classical fourth-order method */
    KDR_RK4_38,         /* Kutta's 3/8 rule */
    KDR_DOPRI_5,        /* the fifth-order solution of Dormand and Prince */
    /* Splitting: kicks K c are v += c h a, and drifts D c are x += c h v. For forces that depend on v see
     * kdr_method_info::order_velocity. */
    KDR_SEMI_IMPLICIT_EULER, /* kick, drift */
    KDR_DRIFT_KICK_EULER,    /* drift, kick */
    KDR_VELOCITY_VERLET,     /* KDK: v' = v + h/2 a_n; x += h v'; v = v' + h/2 a(x, v', t_{n+1}) */
    KDR_VELOCITY_VERLET_PC,  /* velocity Verlet with v' + h/2 a_n in a_{n+1}, for forces that depend on v */
    KDR_POSITION_VERLET,     /* DKD: x' = x + h/2 v; v += h a(x', v, t_n + h/2); x = x' + h/2 v */
    KDR_RUTH3,               /* three kicks and drifts; not symmetric */
    KDR_MCLACHLAN_ATELA_3,   /* KDKDKD */
    KDR_MCLACHLAN_ATELA_4,   /* four kicks and drifts; not symmetric */
    KDR_MCLACHLAN_ATELA_5,   /* six kicks and drifts; not symmetric */
    KDR_FOREST_RUTH,         /* three position Verlets */
    KDR_PEFRL,               /* DKDKDKDKD */
    KDR_VEFRL,               /* KDKDKDKDK */
    KDR_SUZUKI_4,            /* five position Verlets */
    KDR_BLANES_MOAN_6B,      /* KDK, six kicks */
    KDR_BLANES_MOAN_11B,     /* KDK, eleven kicks */
    KDR_BLANES_MOAN_14A,     /* DKD, fourteen kicks */
    KDR_BLANES_MOAN_S6,      /* KDK, six kicks, for any splitting in two parts */
    KDR_BLANES_MOAN_S10,     /* KDK, ten kicks, for any splitting in two parts */
    KDR_YOSHIDA_6,           /* seven position Verlets, solution A */
    KDR_KAHAN_LI_6,          /* nine position Verlets */
    KDR_SUZUKI_UMENO_8,      /* fifteen position Verlets */
    KDR_KAHAN_LI_8,          /* seventeen position Verlets */
    /* Nystrom: x'' = a(x, t), with stages k_i = a(x + c_i h v + h^2 sum a_ij k_j, t + c_i h). */
    KDR_SUVAT,     /* x += h v + h^2/2 a_n;  v += h a_n; a may depend on v */
    KDR_NYSTROM_4, /* three stages; v by Simpson's rule */
    KDR_NYSTROM_5, /* four stages */
    KDR_RKN_4_3,   /* the fourth-order solution of RKN4(3)4FM */
    KDR_DPRKN_5,   /* the fifth-order solution of Bettis' pair */
    KDR_DPRKN_6,   /* the sixth-order solution of RKN6(4)6FM */
    /* Implicit: V = v_n + c h a(x_n + c h V, V, t_n + c h);  x += h V;  v += (V - v_n) / c. In affine fields (springs, linear drags,
     * uniform and magnetic fields) a matrix solves it; if that is singular, the step is not finite. In other fields a Newton iteration
     * makes at most 64 evaluations. If it fails, the step is finite but no solution, and kdr_particles::nonconverged counts it. */
    KDR_IMPLICIT_EULER,    /* c = 1 */
    KDR_IMPLICIT_MIDPOINT, /* c = 1/2 */
    /* Multistep: see KDR_MULTISTEP. */
    KDR_STORMER_VERLET, /* x_{n+1} = 2 x_n - x_{n-1} + h^2 a_n */
    /* Magnetic: m = charge B / mass; a is without the magnetic force. Other forces must not depend on v. */
    KDR_BORIS,        /* x += h/2 v;  v += h/2 a;  v turned by 2 atan(h |m| / 2) about m;  v += h/2 a;  x += h/2 v */
    KDR_HIGUERA_CARY, /* as boris, but gamma (speed_of_light) is that of the mean of the momenta before and after */
    /* Langevin: the acceleration and the heat bath kdr_integrator_desc::langevin. */
    /* v += h/2 a_n;  x += h/2 v;  v = c v + sqrt((1 - c^2) k_B T / mass) xi, c = exp(-friction h), xi normal;  x += h/2 v;  v += h/2
     * a_{n+1} */
    KDR_BAOAB,
    /* Kinematic: springs, linear drags, uniform and magnetic fields as one affine map per step. With masses or arrays per particle each
     * call computes a map for each particle. */
    KDR_EXACT_AFFINE,  /* y = exp(A h) y + q, y = (x, v); other forces are refused */
    KDR_STRANG_AFFINE, /* half the map, a kick by all other forces, half the map */
    KDR_KINEMATIC_SUM, /* "kinematic": each force adds its kdr_contribution (force.h) */
    KDR_VAY,           /* magnetic, relativistic: half of the force by the momentum before, half by that after; else equal to boris */
    KDR_METHOD_COUNT
} kdr_method;

/* A family is a form of the step; its methods differ in coefficients only. */
typedef enum kdr_family {
    KDR_RUNGE_KUTTA, /* a Butcher tableau */
    KDR_SPLITTING,   /* a list of kick and drift fractions */
    KDR_NYSTROM,     /* stages for x, weights for x and v */
    KDR_IMPLICIT,    /* one stage at time c h */
    KDR_MULTISTEP,   /* v = (x_{n+1} - x_{n-1}) / 2h is set at the end of each call only */
    KDR_MAGNETIC,    /* a rotation by the magnetic field between kicks and drifts */
    KDR_LANGEVIN,    /* a heat bath; order 2 in averages; refuses dt < 0 */
    KDR_KINEMATIC,   /* each force contributes its effect on x and v in a whole step */
    KDR_FAMILY_COUNT
} kdr_family;

/* Properties of all methods of a family. A family without `velocities` refuses colliders, constraints and boundaries, and makes its
 * kdr_method_info::start_evaluations in every run. */
typedef struct kdr_family_info {
    const char *name;
    bool system_runs; /* allows system runs (system.h); KDR_EXACT_AFFINE does not */
    bool runs_back;   /* allows dt < 0 */
    bool velocities;  /* has v at the end of every step, not only of a run */
    bool heat_bath;   /* accepts kdr_integrator_desc::langevin */
    bool jacobian;    /* refuses custom fields without KDR_FIELD_JACOBIAN (custom_field.h) */
} kdr_family_info;

/* The forces depending on v that a method accepts. */
typedef enum kdr_velocity_forces {
    KDR_VELOCITY_ANY,
    KDR_VELOCITY_MAGNETIC, /* magnetic fields only */
    KDR_VELOCITY_NONE
} kdr_velocity_forces;

/* The order of a method whose steps are exact. */
enum { KDR_ORDER_EXACT = 1000 };

typedef struct kdr_method_info {
    const char *name;
    kdr_family family;
    int order;          /* of x and v, for forces a(x, t) */
    int order_velocity; /* for the forces a(x, v, t) that it accepts; 0: none */
    int order_estimate; /* of the solution whose error kdr_particles::error estimates; 0: no estimate */
    /* Evaluations of the acceleration per step. Implicit methods make 2 in affine fields, and up to 64 in others. strang-affine makes 2
     * if a force outside its map depends on v, and 0 if its map has all forces. */
    int evaluations;
    int start_evaluations;               /* additional evaluations of a run without memory */
    bool symplectic;                     /* for forces a(x, t) with a potential */
    bool reversible;                     /* a step by -h undoes a step by h, for forces a(x, t) */
    bool memory;                         /* uses kdr_particles::memory */
    bool compensated;                    /* accepts kdr_integrator_desc::compensated */
    double stability;                    /* an undamped oscillator is stable for omega h below it; 0: never */
    kdr_velocity_forces velocity_forces; /* other forces are refused */
    bool affine;                         /* refuses forces that are not affine in x and v, or depend on t */
    const char *force_sees;              /* x, v and t of the evaluations, in words */
    const char *source;                  /* author and year */
} kdr_method_info;

/* Returns the properties of a method, which are constant. */
KDR_API const kdr_method_info *kdr_method_get(kdr_method method);

/* Finds the method of a name, such as "velocity-verlet". Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API kdr_status kdr_method_from_name(const char *name, kdr_method *method);

KDR_API const kdr_family_info *kdr_family_get(kdr_family family);
KDR_API const char *kdr_velocity_forces_name(kdr_velocity_forces velocity); /* "any", "magnetic", "none" */

/* Limits of user-defined methods (kdr_integrator_desc::tableau and ::fractions), which kdr_integrator_create checks. */
enum { KDR_MAX_STAGES = 16, KDR_MAX_FRACTIONS = 40 };

/* An explicit Runge-Kutta method: k_i = f(y + h sum_{j<i} a_ij k_j, t + c_i h), y += h sum_i b_i k_i. a must be strictly lower
 * triangular. The b must add up to 1 and each row of a to its c, within 1e-12. */
typedef struct kdr_tableau {
    int stages; /* 1 to KDR_MAX_STAGES */
    double a[KDR_MAX_STAGES][KDR_MAX_STAGES];
    double b[KDR_MAX_STAGES];
    double c[KDR_MAX_STAGES];
} kdr_tableau;

/* A splitting method: for each i a kick by kick[i] h, then a drift by drift[i] h. Zeros are skipped. Kicks and drifts must each add up
 * to 1 within 1e-12. */
typedef struct kdr_fractions {
    int count; /* 1 to KDR_MAX_FRACTIONS */
    double kick[KDR_MAX_FRACTIONS];
    double drift[KDR_MAX_FRACTIONS];
} kdr_fractions;

#ifdef __cplusplus
}
#endif
#endif
