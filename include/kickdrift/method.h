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
 * (omega h)^2 + 4 zeta omega h < 4). Its form with a predictor stays of order 2 and pays with half the damping: (omega h)^2
 * + 8 zeta omega h < 4. Runs that start afresh at each step, one step a call and no memory, bear more (zeta = 1/2: omega h < 2 for both).
 * Take RK4 for strong drag or magnetic fields. */
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
    /* splitting: kicks B and drifts A, K c for v += c h a and D c for x += c h v; kdr_method_info::source says
     * whose fractions */
    KDR_SEMI_IMPLICIT_EULER, /* v += h a(x_n, v_n);  x += h v_{n+1}: kick, drift (HLW I.1) */
    KDR_DRIFT_KICK_EULER,    /* x += h v_n;  v += h a(x_{n+1}, v_n): its adjoint (HLW I.1) */
    KDR_VELOCITY_VERLET,     /* KDK: v' = v + h/2 a_n;  x += h v';  a_{n+1} = a(x, v', t_{n+1});  v = v' + h/2 a_{n+1} (HLW I.1, I.3) */
    KDR_VELOCITY_VERLET_PC,  /* velocity Verlet, but a_{n+1} = a(x, v' + h/2 a_n, t_{n+1}): the force sees v_{n+1} as predicted (VDrift) */
    KDR_POSITION_VERLET,     /* DKD: x' = x + h/2 v;  v += h a(x', v_n, t_n + h/2);  x = x' + h/2 v (Tuckerman, Berne, Martyna 1992) */
    KDR_RUTH3,               /* K 7/24, D 2/3, K 3/4, D -2/3, K -1/24, D 1 (Ruth 1983) */
    KDR_MCLACHLAN_ATELA_3,   /* KDKDKD with the smallest error of third order (McLachlan, Atela 1992) */
    KDR_MCLACHLAN_ATELA_4,   /* four kicks, four drifts; not symmetric (McLachlan, Atela 1992) */
    KDR_MCLACHLAN_ATELA_5,   /* six kicks, six drifts; not symmetric (McLachlan, Atela 1992) */
    KDR_FOREST_RUTH,         /* position Verlet by q h, (1 - 2q) h, q h, q = 1/(2 - 2^(1/3)) (Forest, Ruth 1990; Yoshida 1990) */
    KDR_PEFRL,               /* DKDKDKDKD: Forest-Ruth with a kick more and the error at its least (Omelyan, Mryglod, Folk 2002) */
    KDR_VEFRL,               /* KDKDKDKDK: likewise, kick first (Omelyan, Mryglod, Folk 2002) */
    KDR_SUZUKI_4,            /* position Verlet by q, q, 1 - 4q, q, q times h, q = 1/(4 - 4^(1/3)) (Suzuki 1990) */
    KDR_BLANES_MOAN_6B,      /* KDK, six kicks a step, its error least where [B,[B,[B,A]]] = 0, as it is here (Blanes, Moan 2002) */
    KDR_BLANES_MOAN_11B,     /* KDK, eleven kicks; of sixth order for that reason only (Blanes, Moan 2002) */
    KDR_BLANES_MOAN_14A,     /* DKD, fourteen kicks; likewise (Blanes, Moan 2002) */
    KDR_BLANES_MOAN_S6,      /* KDK, six kicks, for any splitting in two (Blanes, Moan 2002) */
    KDR_BLANES_MOAN_S10,     /* KDK, ten kicks, for any splitting in two (Blanes, Moan 2002) */
    KDR_YOSHIDA_6,           /* seven position Verlets, solution A (Yoshida 1990) */
    KDR_KAHAN_LI_6,          /* nine position Verlets (Kahan, Li 1997) */
    KDR_SUZUKI_UMENO_8,      /* fifteen position Verlets (Suzuki, Umeno 1993; McLachlan 1995) */
    KDR_KAHAN_LI_8,          /* seventeen position Verlets (Kahan, Li 1997) */
    /* Nystrom: x'' = a(x, t) by stages for x alone, k_i = a(x + c_i h v + h^2 sum a_ij k_j, t + c_i h) (Hairer, Norsett, Wanner II.14) */
    KDR_SUVAT,     /* x += h v + h^2/2 a_n;  v += h a_n: exact where a is constant; a may depend on v */
    KDR_NYSTROM_4, /* k2 = a(x + h/2 v + h^2/8 k1);  k3 = a(x + h v + h^2/2 k2);  weights of v those of Simpson's rule (Nystrom 1925) */
    KDR_NYSTROM_5, /* four stages, fifth order; no stability interval on the oscillator (Nystrom 1925) */
    KDR_RKN_4_3,   /* the fourth-order solution of RKN4(3)4FM, four stages (Dormand, El-Mikkawy, Prince 1987) */
    KDR_DPRKN_5,   /* the fifth-order solution of Bettis' pair, six stages; no stability interval (Bettis 1973) */
    KDR_DPRKN_6,   /* the sixth-order solution of RKN6(4)6FM, six stages; no stability interval (Dormand, El-Mikkawy, Prince 1987) */
    /* implicit: V = v_n + c h a(x_n + c h V, V, t_n + c h);  x += h V;  v += (V - v_n) / c, solved in affine fields by J^-1, found once a
     * run, and what is left by J^-1 again; in others by a guarded Newton iteration of at most 64 evaluations (see kdr_family). In affine
     * fields, springs or drags with negative coefficients can make the equation singular: what comes out is then not finite */
    KDR_IMPLICIT_EULER,    /* c = 1: v_{n+1} = v_n + h a_{n+1};  x_{n+1} = x_n + h v_{n+1}; L-stable, damps (Hairer, Wanner IV.3) */
    KDR_IMPLICIT_MIDPOINT, /* c = 1/2: the midpoint rule; A-stable, keeps quadratic invariants (HLW II.1, IV.2): in affine fields to
                              rounding, whatever omega h; for |m| h above 100 take KDR_BORIS */
    /* multistep: see kdr_family */
    KDR_STORMER_VERLET, /* x_{n+1} = 2 x_n - x_{n-1} + h^2 a_n (Stormer 1907; Verlet 1967; HLW I.1): the same orbit as velocity Verlet's */
    /* magnetic: for magnetic fields beside forces that do not depend on v */
    KDR_BORIS,        /* x += h/2 v;  v += h/2 a;  v turned by 2 atan(h |m| / 2) about m;  v += h/2 a;  x += h/2 v, m = charge B / mass and
                         a(x, t + h/2) without the magnetic force (Boris 1970): see KDR_MAGNETIC */
    KDR_HIGUERA_CARY, /* near the speed of light (kdr_integrator_desc::speed_of_light) its rotation takes gamma at the mean of the momenta
                         before and after; without one the same map and bits as Boris' (Higuera, Cary 2017) */
    /* Langevin: with a heat bath */
    KDR_BAOAB, /* v += h/2 a_n;  x += h/2 v;  v = c v + sqrt((1 - c^2) k_B T / mass) xi, c = exp(-friction h), xi normal;  x += h/2 v;
                  v += h/2 a_{n+1} (Leimkuhler, Matthews 2013): see KDR_LANGEVIN */
    /* kinematic: what springs, linear drags, uniform and magnetic fields do in a step, as one affine map found once a run: see
     * KDR_KINEMATIC */
    KDR_EXACT_AFFINE,  /* y = exp(A h) y + q, y = (x, v): exact for every h; other forces are refused */
    KDR_STRANG_AFFINE, /* the map of h/2;  v += h a(x, v, t + h/2), a of the other forces;  the map of h/2 (Strang 1968). With quadratic
                          drag the kick is the midpoint rule in v, of two evaluations */
    KDR_KINEMATIC_SUM, /* "kinematic": x += h v_n + sum of dx, v += sum of dv, a contribution (dx, dv) from each force by a kind that is
                          chosen for each: see kdr_contribution (Brown 2010) */
    KDR_VAY,           /* magnetic: near the speed of light half of the magnetic force by the momentum before, and half by that after;
                          without one the same map and bits as Boris' (Vay 2008) */
    KDR_METHOD_COUNT
} kdr_method;

/* A family is one shape of row, and one way to make a step of it: a method is a row of data in it.
 *
 * KDR_MAGNETIC. The rotation is known to twice the precision, so that in a magnetic field alone the energy performs the random walk of its
 * roundings and no more: over 10^6 steps it stays within 6e-4 of itself in f32 and 6e-13 in f64, whatever h |m|, and the gyration is
 * stable whatever h |m| too. It turns by 2 atan(h |m| / 2) where the exact angle is h |m|, (h |m|)^3 / 12 less. In uniform electric and
 * magnetic fields the drift e cross b / b^2 is exact. Of `symplectic`: with any magnetic field Boris' map keeps the volume of phase space
 * (Qin et al., Phys. Plasmas 20 (2013) 084503) and is not variational (Ellison, Burby, Qin, J. Comput. Phys. 301 (2015) 489); with a
 * uniform one it is, and a step keeps, in place of sum dx_i dv_i, that of the magnetic field:
 *   omega(a, b) = a_x . b_v - a_v . b_x - m . (a_x cross b_x) + h^2/4 m . (a_v cross b_v).
 * With a speed of light c (kdr_integrator_desc::speed_of_light) v is momentum over mass, u = gamma dx/dt, gamma = sqrt(1 + u^2 / c^2).
 * Boris' method and that of Higuera and Cary keep gamma in a magnetic field alone, to the random walk of its roundings; Vay's and theirs
 * let a particle on which e + dx/dt cross b is 0 go straight, as it should, where Boris' lets it drift; Boris' and theirs keep the volume
 * of phase space, and Vay's does not (Ripperda et al., Astrophys. J. Suppl. 235 (2018) 21 compares them). They are for |u| up to 2^62 c in
 * f32 and 2^510 c in f64, and for h |m| / 2 up to 2^56 and 2^490; Vay's loses digits by the square of h |m| / (2 gamma) where that is
 * large.
 *
 * KDR_LANGEVIN. The heat bath's step is the exact solution of dv = -friction v dt + sqrt(2 friction k_B T / mass) dW. Of a harmonic
 * oscillator the positions have the exact variance k_B T / k at every stable step, the velocities k_B T / mass (1 - (omega h)^2 / 4).
 * Order 2 is that of averages (weak order), and of the motion when there is no noise. Runs back (dt < 0) are refused. The noise is a
 * function of (seed, particle id, step, axis), and so independent of threads, of the order of the particles and of how a run is cut; the
 * variates are normal to 6.7 standard deviations in f32, to 9.4 in f64.
 *
 * KDR_KINEMATIC, KDR_EXACT_AFFINE. The map is computed in twice double's digits and rounded to the particles' precision: in `double` a
 * step is exact to a few units in the last place of x and of v / omega, for any h and damping and for omega h up to 2^50, and a run's
 * error is that of its roundings; beyond that the phase loses digits, and above 1e30 a step may be NaN. In `float` the elements of the map
 * are as good as a float is: a run's phase is off by up to 3e-8 omega h a step, and its amplitude by as much. Where masses, stiffnesses or
 * drags differ from particle to particle each has a map of its own, made at the beginning of each call: 1 to 2 microseconds an axis, 20 to
 * 40 where a magnetic field couples the axes. Make calls of many steps there.
 *
 * An implicit step solves an equation for the velocity of its stage: directly in fields that are affine in x and v, by a guarded
 * iteration of Newton's in others. With c = 1 for implicit Euler and 1/2 for the midpoint rule it finds the solution, to rounding, beside
 * linear springs and drags whose coefficients are not negative, and masses, for
 *   quadratic drags of any c h |v| (tested to 10^6 in both precisions, and beyond the wind's own speed), alone or several,
 *   softened centres of any omega h (tested to omega h = 1000), near the centre and far from it.
 * It may not find one, or there is none,
 *   at a centre without softening: none where r^3 < 27/4 mu (c h)^2, r being the distance at which the particle would be without it,
 *   at a stiff centre in a strong magnetic field, |m| h above 1,
 *   at springs or drags with negative coefficients, and in steps back through drags, where (c h)^2 k or c h b is below -1,
 *   in custom fields that are steep on the length of a step.
 * A particle of that kind takes the step with the best that was found, which is finite but no solution, and is counted in
 * kdr_particles::unsolved; with short steps there is always a solution. */
typedef enum kdr_family {
    KDR_RUNGE_KUTTA, /* a Butcher tableau */
    KDR_SPLITTING,   /* a list of kick and drift fractions */
    KDR_NYSTROM,     /* stages for x alone, weights for x and for v */
    KDR_IMPLICIT,    /* the time of the stage, and how many iterations find it */
    KDR_MULTISTEP,   /* positions alone; x_{n-1} is the memory, v = (x_{n+1} - x_{n-1}) / 2h is found at the end of each call */
    KDR_MAGNETIC,    /* the Boris rotation */
    KDR_LANGEVIN,    /* a heat bath: kdr_integrator_desc::langevin */
    KDR_KINEMATIC,   /* forces contribute what they do to x and v in a whole step */
    KDR_FAMILY_COUNT
} kdr_family;

/* What all methods of a family have in common. A family without velocities finds them at the end of a run alone: it refuses colliders,
 * constraints and boundaries, and makes the evaluations of kdr_method_info::start_evaluations in every run, one that goes on from memory
 * too. */
typedef struct kdr_family_info {
    const char *name; /* "runge-kutta", "splitting", ... */
    bool coupled;     /* works in coupled runs (coupled.h); of the kinematic ones all but exact-affine */
    bool runs_back;   /* accepts clocks with dt < 0 */
    bool velocities;  /* has a velocity at the end of every step */
    bool heat_bath;   /* accepts a kdr_integrator_desc::langevin other than zeros */
    bool jacobian;    /* needs the derivatives of every force: a custom field without KDR_FIELD_JACOBIAN (custom_field.h) is refused */
} kdr_family_info;

/* Which fields that depend on v a method accepts. */
typedef enum kdr_velocity_forces {
    KDR_VELOCITY_ANY,
    KDR_VELOCITY_MAGNETIC, /* magnetic fields, and no other */
    KDR_VELOCITY_NONE
} kdr_velocity_forces;

/* The order of a method whose steps are exact. */
enum { KDR_ORDER_EXACT = 1000 };

typedef struct kdr_method_info {
    const char *name; /* "velocity-verlet" */
    kdr_family family;
    int order;                           /* of x and v, for a(x, t) */
    int order_velocity;                  /* for those a(x, v, t) that it accepts; 0: it accepts none */
    int order_estimate;                  /* of the lower order's method that, from the same slopes, estimates the error of a step:
                                          * kdr_particles::error; 0: there is none */
    int evaluations;                     /* of the acceleration, a step. Implicit methods: in an affine field, whatever is said here, 2;
                                          * in others 3 are what most particles need, and 64 the most that one is given.
                                          * strang-affine: 2 with quadratic drag, and 0 where the map is all there is */
    int start_evaluations;               /* more, once a run that starts afresh; a multistep method's, once every run */
    bool symplectic;                     /* for a(x, t) that derives from a potential */
    bool reversible;                     /* stepping back by -h undoes a step, for a(x, t) */
    bool memory;                         /* keeps something besides x and v: see kdr_particles::memory */
    bool compensated;                    /* accepts kdr_integrator_desc::compensated */
    double stability;                    /* all omega h below it stay bounded on the undamped oscillator; 0: none. Where a method only just
                                          * loses it, near omega h = pi, steps a little longer may be stable again: do not count on them */
    kdr_velocity_forces velocity_forces; /* what it accepts; another field is refused, and the message names the method to take instead */
    bool affine;                         /* accepts fields that are affine in x and v, and do not depend on t, alone; likewise */
    const char *force_sees;              /* which x, v and t each evaluation sees, in words */
    const char *source;                  /* where the method comes from */
} kdr_method_info;

/* The row of a method, constant for the life of the program; NULL for an unknown enumerator. */
KDR_API const kdr_method_info *kdr_method_get(kdr_method method);

/* The method of a name; KDR_ERROR_UNKNOWN_NAME for another name, KDR_ERROR_NULL for a pointer that is NULL. */
KDR_API kdr_status kdr_method_from_name(const char *name, kdr_method *method);

KDR_API const kdr_family_info *kdr_family_get(kdr_family family); /* constant for the life of the program; NULL for an unknown enumerator */
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
