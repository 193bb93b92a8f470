/* Methods: the table of integrators, and user-defined methods. Notation: position x, velocity v, acceleration a(x, v, t), step h, t_n = t0
 * + n h. methods/methods.md describes and compares all. */
#ifndef KICKDRIFT_METHOD_H
#define KICKDRIFT_METHOD_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kdr_method {
    /* Runge-Kutta: a Butcher tableau for y = (x, v), y' = f(y) = (v, a). */
    KDR_EXPLICIT_EULER, /* x += h v_n; v += h a(x_n, v_n) */
    KDR_MIDPOINT,       /* k1 = f(y), k2 = f(y + h/2 k1); y += h k2 */
    KDR_HEUN,           /* explicit trapezoidal rule */
    KDR_RALSTON,
    KDR_RK3,
    KDR_RK4,
    KDR_RK4_38,  /* Kutta's 3/8 rule */
    KDR_DOPRI_5, /* fifth-order solution */
    /* Splitting: kicks, v += c h a, and drifts, x += c h v. For forces that depend on v see kdr_method_info::order_velocity.
     * kdr_integrator_explain prints the coefficients. */
    KDR_SEMI_IMPLICIT_EULER, /* kick, drift */
    KDR_DRIFT_KICK_EULER,    /* drift, kick */
    KDR_VELOCITY_VERLET,     /* half a kick, drift, half a kick */
    KDR_VELOCITY_VERLET_PC,  /* the second force sees v' + h/2 a_n, where v' is v after the first half kick */
    KDR_POSITION_VERLET,     /* half a drift, kick, half a drift */
    KDR_RUTH3,
    KDR_MCLACHLAN_ATELA_3,
    KDR_MCLACHLAN_ATELA_4,
    KDR_MCLACHLAN_ATELA_5,
    KDR_FOREST_RUTH, /* three position Verlets */
    KDR_PEFRL,
    KDR_VEFRL,
    KDR_SUZUKI_4, /* five position Verlets */
    KDR_BLANES_MOAN_6B,
    KDR_BLANES_MOAN_11B,
    KDR_BLANES_MOAN_14A,
    KDR_BLANES_MOAN_S6,  /* for any splitting in two parts */
    KDR_BLANES_MOAN_S10, /* for any splitting in two parts */
    KDR_YOSHIDA_6,       /* seven position Verlets, solution A */
    KDR_KAHAN_LI_6,      /* nine position Verlets */
    KDR_SUZUKI_UMENO_8,  /* fifteen position Verlets */
    KDR_KAHAN_LI_8,      /* seventeen position Verlets */
    /* Nystrom: x'' = a(x, t), stages k_i = a(x + c_i h v + h^2 sum a_ij k_j, t + c_i h). */
    KDR_SUVAT, /* x += h v + h^2/2 a_n;  v += h a_n; a may depend on v */
    KDR_NYSTROM_4,
    KDR_NYSTROM_5,
    KDR_RKN_4_3, /* fourth-order solution */
    KDR_DPRKN_5, /* Bettis' pair, fifth-order solution */
    KDR_DPRKN_6, /* RKN6(4)6FM, sixth-order solution */
    /* Implicit: one stage at t_n + c h (formula: methods/methods.md). In affine fields (springs, linear drags, uniform and magnetic fields)
     * a matrix solves it; if that is singular, the step is not finite. In other fields a Newton iteration makes at most 64 evaluations. If
     * it fails, the step is finite but no solution, and kdr_particles::nonconverged counts it. */
    KDR_IMPLICIT_EULER,    /* c = 1 */
    KDR_IMPLICIT_MIDPOINT, /* c = 1/2 */
    KDR_STORMER_VERLET,    /* x_{n+1} = 2 x_n - x_{n-1} + h^2 a_n */
    /* Magnetic: m = charge B / mass; a is without the magnetic force. Other forces must not depend on v. Without
     * kdr_integrator_desc::speed_of_light all are boris, to the bit. */
    KDR_BORIS,        /* half a drift, half a kick, v turned by 2 atan(h |m| / 2) about m, half a kick, half a drift */
    KDR_HIGUERA_CARY, /* gamma is that of the mean momentum */
    /* Langevin: half a kick, half a drift, the heat bath kdr_integrator_desc::langevin solved exactly, half a drift, half a kick. */
    KDR_BAOAB,
    /* Kinematic: springs, linear drags, uniform and magnetic fields as one affine map per step. With masses or arrays per particle each
     * call computes a map for each particle. */
    KDR_EXACT_AFFINE,  /* y = exp(A h) y + q, y = (x, v); other forces are refused */
    KDR_STRANG_AFFINE, /* half the map, a kick by all other forces, half the map */
    KDR_KINEMATIC_SUM, /* "kinematic": each force adds its kdr_contribution (force.h) */
    KDR_VAY,           /* magnetic: half of the force by the momentum before, half by that after */
    KDR_METHOD_COUNT
} kdr_method;

/* A family is a form of the step; its methods differ in coefficients only. */
typedef enum kdr_family {
    KDR_RUNGE_KUTTA,
    KDR_SPLITTING,
    KDR_NYSTROM, /* stages for x, weights for x and v */
    KDR_IMPLICIT,
    KDR_MULTISTEP, /* sets v = (x_{n+1} - x_{n-1}) / 2h at the end of each call only */
    KDR_MAGNETIC,  /* a rotation by the magnetic field between kicks and drifts */
    KDR_LANGEVIN,  /* order 2 in averages; refuses dt < 0 */
    KDR_KINEMATIC, /* each force contributes its effect in a whole step */
    KDR_FAMILY_COUNT
} kdr_family;

/* Properties of a family. Without `velocities` it refuses colliders, constraints and boundaries, and makes its
 * kdr_method_info::start_evaluations in every run. */
typedef struct kdr_family_info {
    const char *name;
    bool system_runs; /* for system.h; not KDR_EXACT_AFFINE */
    bool runs_back;   /* allows dt < 0 */
    bool velocities;  /* v is set at the end of every step, not only of a run */
    bool heat_bath;   /* accepts kdr_integrator_desc::langevin */
    bool jacobian;    /* refuses custom fields without KDR_FIELD_JACOBIAN */
} kdr_family_info;

/* Forces depending on v that a method accepts. */
typedef enum kdr_velocity_forces { KDR_VELOCITY_ANY, KDR_VELOCITY_MAGNETIC, KDR_VELOCITY_NONE } kdr_velocity_forces;

/* The order if steps are exact. */
enum { KDR_ORDER_EXACT = 1000 };

typedef struct kdr_method_info {
    const char *name;
    kdr_family family;
    int order;          /* for forces a(x, t) */
    int order_velocity; /* for accepted forces a(x, v, t); 0: none */
    int order_estimate; /* of the solution whose error kdr_particles::error has; 0: no estimate */
    /* Evaluations of the acceleration per step. Implicit methods make 2 in affine fields, and up to 64 in others. strang-affine makes 2 if
     * a force outside its map depends on v, and 0 if its map has all forces. */
    int evaluations;
    int start_evaluations; /* additional ones of a run without memory */
    bool symplectic;       /* for a(x, t) with a potential */
    bool reversible;       /* a step by -h undoes one by h, for a(x, t) */
    bool memory;           /* uses kdr_particles::memory */
    bool compensated;      /* accepts kdr_integrator_desc::compensated */
    double stability;      /* limit of omega h for an undamped oscillator; 0: never stable */
    kdr_velocity_forces velocity_forces;
    bool affine;            /* refuses forces that are not affine in x and v, or depend on t */
    const char *force_sees; /* arguments x, v, t of the evaluations, in words */
    const char *source;     /* author and year */
} kdr_method_info;

/* Return constant properties. Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API const kdr_method_info *kdr_method_get(kdr_method method);
KDR_API kdr_status kdr_method_from_name(const char *name, kdr_method *method);

KDR_API const kdr_family_info *kdr_family_get(kdr_family family);
KDR_API const char *kdr_velocity_forces_name(kdr_velocity_forces velocity);

/* Limits of user-defined methods. */
enum { KDR_MAX_STAGES = 16, KDR_MAX_FRACTIONS = 40 };

/* An explicit Runge-Kutta method: k_i = f(y + h sum_{j<i} a_ij k_j, t + c_i h), y += h sum_i b_i k_i. a is strictly lower triangular. The b
 * add up to 1 and each row of a to its c, within 1e-12. */
typedef struct kdr_tableau {
    int stages; /* 1 to KDR_MAX_STAGES */
    double a[KDR_MAX_STAGES][KDR_MAX_STAGES];
    double b[KDR_MAX_STAGES];
    double c[KDR_MAX_STAGES];
} kdr_tableau;

/* A splitting method: for each i a kick by kick[i] h, then a drift by drift[i] h. Zeros are skipped. Kicks and drifts each add up to 1
 * within 1e-12. */
typedef struct kdr_fractions {
    int count; /* 1 to KDR_MAX_FRACTIONS */
    double kick[KDR_MAX_FRACTIONS];
    double drift[KDR_MAX_FRACTIONS];
} kdr_fractions;

#ifdef __cplusplus
}
#endif
#endif
