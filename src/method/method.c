/* The table of methods. */
#include "method.h"

#include <math.h>
#include <string.h>

/* The source of a pair of methods; the one of lower order p estimates the error of a step. */
#define PAIR(where, p) (where), .order_estimate = (p)

#define RUNGE_KUTTA(row, text, p, stages, limit, sees, where)                                                                              \
    {                                                                                                                                      \
        .info = {.name = (text),                                                                                                           \
                 .family = KDR_RUNGE_KUTTA,                                                                                                \
                 .compensated = true,                                                                                                      \
                 .order = (p),                                                                                                             \
                 .order_velocity = (p),                                                                                                    \
                 .evaluations = (stages),                                                                                                  \
                 .stability = (limit),                                                                                                     \
                 .velocity_forces = KDR_VELOCITY_ANY,                                                                                      \
                 .force_sees = (sees),                                                                                                     \
                 .source = where},                                                                                                         \
        .family = &kdr_families[KDR_RUNGE_KUTTA], .data = {                                                                                \
            .runge_kutta = &kdr_row_##row                                                                                                  \
        }                                                                                                                                  \
    }

/* `p_velocity` is the order with forces that depend on v. `kept` is the number of evaluations that the next step need not repeat. */
#define SPLITTING(row, text, p, p_velocity, kicks, kept, symmetric, limit, sees, where)                                                    \
    {                                                                                                                                      \
        .info = {.name = (text),                                                                                                           \
                 .family = KDR_SPLITTING,                                                                                                  \
                 .compensated = true,                                                                                                      \
                 .order = (p),                                                                                                             \
                 .order_velocity = (p_velocity),                                                                                           \
                 .evaluations = (kicks),                                                                                                   \
                 .start_evaluations = (kept),                                                                                              \
                 .symplectic = true,                                                                                                       \
                 .reversible = (symmetric),                                                                                                \
                 .memory = (kept) > 0,                                                                                                     \
                 .stability = (limit),                                                                                                     \
                 .velocity_forces = KDR_VELOCITY_ANY,                                                                                      \
                 .force_sees = (sees),                                                                                                     \
                 .source = (where)},                                                                                                       \
        .family = &kdr_families[KDR_SPLITTING], .data = {                                                                                  \
            .splitting = &kdr_row_##row                                                                                                    \
        }                                                                                                                                  \
    }

/* Rows of order 3 and more for a(x, t). With a force that depends on v a kick is explicit Euler's, and the method has order 1. */
#define HIGHER(row, text, p, kicks, kept, symmetric, limit, where)                                                                         \
    SPLITTING(row, text, p, 1, kicks, kept, symmetric, limit, "x and v before each kick, t_n + h times the drifts before it", where)

#define MAGNETIC(row, text, where)                                                                                                         \
    {                                                                                                                                      \
        .info = {.name = (text),                                                                                                           \
                 .family = KDR_MAGNETIC,                                                                                                   \
                 .compensated = true,                                                                                                      \
                 .order = 2,                                                                                                               \
                 .order_velocity = 2,                                                                                                      \
                 .evaluations = 1,                                                                                                         \
                 .symplectic = true,                                                                                                       \
                 .reversible = true,                                                                                                       \
                 .stability = 2.0,                                                                                                         \
                 .velocity_forces = KDR_VELOCITY_MAGNETIC,                                                                                 \
                 .force_sees = "x_{n+1/2}, t_{n+1/2}; the magnetic force the mean of v before and after",                                  \
                 .source = (where)},                                                                                                       \
        .family = &kdr_families[KDR_MAGNETIC], .data = {                                                                                   \
            .magnetic = &kdr_row_##row                                                                                                     \
        }                                                                                                                                  \
    }

#define LANGEVIN(text, where)                                                                                                              \
    {.info = {.name = (text),                                                                                                              \
              .family = KDR_LANGEVIN,                                                                                                      \
              .compensated = true,                                                                                                         \
              .memory = true,                                                                                                              \
              .order = 2,                                                                                                                  \
              .evaluations = 1,                                                                                                            \
              .start_evaluations = 1,                                                                                                      \
              .stability = 2.0,                                                                                                            \
              .velocity_forces = KDR_VELOCITY_NONE,                                                                                        \
              .force_sees = "x_{n+1}, t_{n+1}; kept for the next step",                                                                    \
              .source = (where)},                                                                                                          \
     .family = &kdr_families[KDR_LANGEVIN]}

#define KINEMATIC(row, text, p, kicks, affine_alone, sees, where)                                                                          \
    {                                                                                                                                      \
        .info = {.name = (text),                                                                                                           \
                 .family = KDR_KINEMATIC,                                                                                                  \
                 .compensated = true,                                                                                                      \
                 .order = (p),                                                                                                             \
                 .order_velocity = (p),                                                                                                    \
                 .evaluations = (kicks),                                                                                                   \
                 .symplectic = true,                                                                                                       \
                 .reversible = true,                                                                                                       \
                 .stability = (double)INFINITY,                                                                                            \
                 .velocity_forces = KDR_VELOCITY_ANY,                                                                                      \
                 .affine = (affine_alone),                                                                                                 \
                 .force_sees = (sees),                                                                                                     \
                 .source = (where)},                                                                                                       \
        .family = &kdr_families[KDR_KINEMATIC], .data = {                                                                                  \
            .kinematic = &kdr_row_##row                                                                                                    \
        }                                                                                                                                  \
    }

/* `velocity` is KDR_VELOCITY_ANY or KDR_VELOCITY_NONE. */
#define NYSTROM(row, text, p, velocity, stages, limit, sees, where)                                                                        \
    {                                                                                                                                      \
        .info = {.name = (text),                                                                                                           \
                 .family = KDR_NYSTROM,                                                                                                    \
                 .compensated = true,                                                                                                      \
                 .order = (p),                                                                                                             \
                 .order_velocity = (velocity) == KDR_VELOCITY_NONE ? 0 : (p),                                                              \
                 .evaluations = (stages),                                                                                                  \
                 .stability = (limit),                                                                                                     \
                 .velocity_forces = (velocity),                                                                                            \
                 .force_sees = (sees),                                                                                                     \
                 .source = where},                                                                                                         \
        .family = &kdr_families[KDR_NYSTROM], .data = {                                                                                    \
            .nystrom = &kdr_row_##row                                                                                                      \
        }                                                                                                                                  \
    }

#define IMPLICIT(row, text, p, canonical, sees, where)                                                                                     \
    {                                                                                                                                      \
        .info = {.name = (text),                                                                                                           \
                 .family = KDR_IMPLICIT,                                                                                                   \
                 .compensated = true,                                                                                                      \
                 .order = (p),                                                                                                             \
                 .order_velocity = (p),                                                                                                    \
                 .evaluations = KDR_NEWTON_EVALUATIONS,                                                                                    \
                 .symplectic = (canonical),                                                                                                \
                 .reversible = (canonical),                                                                                                \
                 .stability = (double)INFINITY,                                                                                            \
                 .velocity_forces = KDR_VELOCITY_ANY,                                                                                      \
                 .force_sees = (sees),                                                                                                     \
                 .source = (where)},                                                                                                       \
        .family = &kdr_families[KDR_IMPLICIT], .data = {                                                                                   \
            .implicit = &kdr_row_##row                                                                                                     \
        }                                                                                                                                  \
    }

#define STAGES "the stages, at t_n, "
#define KUTTA "Kutta, Z. Math. Phys. 46 (1901) 435"
#define MCLACHLAN_ATELA "McLachlan, Atela, Nonlinearity 5 (1992) 541"
#define OMELYAN "Omelyan, Mryglod, Folk, Comput. Phys. Commun. 146 (2002) 188"
#define BLANES_MOAN "Blanes, Moan, J. Comput. Appl. Math. 142 (2002) 313"
#define KAHAN_LI "Kahan, Li, Math. Comp. 66 (1997) 1089"
#define NYSTROM_1925 "Nystrom, Acta Soc. Sci. Fenn. 50 (1925) no. 13"
#define BETTIS "Bettis, Celestial Mech. 8 (1973) 229"
#define DORMAND_EL_MIKKAWY_PRINCE "Dormand, El-Mikkawy, Prince, IMA J. Numer. Anal. 7 (1987) 235"

/* The stability limits are the first positive root of |R(iy)| = 1, y = omega h, where R leaves the disc (Runge-Kutta), and of |trace of
 * the step's matrix| = 2 where the trace leaves the interval (splitting), computed from the polynomials in exact arithmetic. Some
 * symmetric methods leave the interval near pi only for a short range, between the roots of the two off-diagonal elements:
 * blanes-moan-11b from 3.14143 to 3.14232, -14a to 3.14211, -6b from 3.1635 to 3.1685, -s6 from 3.133 to 3.160, -s10 from 3.134 to
 * 3.151. */
static const kdr_row rows[KDR_METHOD_COUNT] = {
    [KDR_EXPLICIT_EULER] = RUNGE_KUTTA(explicit_euler, "explicit-euler", 1, 1, 0.0, "x_n, v_n, t_n", "HLW I.1"),
    [KDR_MIDPOINT] = RUNGE_KUTTA(midpoint, "midpoint", 2, 2, 0.0, STAGES "t_n + h/2", "Runge, Math. Ann. 46 (1895) 167"),
    [KDR_HEUN] = RUNGE_KUTTA(heun, "heun", 2, 2, 0.0, STAGES "t_n + h", "Heun, Z. Math. Phys. 45 (1900) 23"),
    [KDR_RALSTON] = RUNGE_KUTTA(ralston, "ralston", 2, 2, 0.0, STAGES "t_n + 2h/3", "Ralston, Math. Comp. 16 (1962) 431"),
    [KDR_RK3] = RUNGE_KUTTA(rk3, "rk3", 3, 3, 1.7320508075688773, STAGES "t_n + h/2, t_n + h", KUTTA),
    [KDR_RK4] = RUNGE_KUTTA(rk4, "rk4", 4, 4, 2.8284271247461903, STAGES "t_n + h/2 twice, t_n + h", KUTTA "; HLW II.1"),
    [KDR_RK4_38] = RUNGE_KUTTA(rk4_38, "rk4-38", 4, 4, 2.8284271247461903, STAGES "t_n + h/3, t_n + 2h/3, t_n + h", KUTTA "; HLW II.1"),
    [KDR_DOPRI_5] = RUNGE_KUTTA(dopri_5, "dopri-5", 5, 6, 0.99718900863253, STAGES "t_n + h times 1/5, 3/10, 4/5, 8/9, 1",
                                PAIR("Dormand, Prince, J. Comput. Appl. Math. 6 (1980) 19", 4)),

    [KDR_SEMI_IMPLICIT_EULER] = SPLITTING(semi_implicit_euler, "semi-implicit-euler", 1, 1, 1, 0, false, 2.0, "x_n, v_n, t_n",
                                          "HLW I.1, there called symplectic Euler"),
    [KDR_DRIFT_KICK_EULER] = SPLITTING(drift_kick_euler, "drift-kick-euler", 1, 1, 1, 0, false, 2.0, "x_{n+1}, v_n, t_{n+1}",
                                       "HLW I.1, the adjoint of the other symplectic Euler"),
    [KDR_VELOCITY_VERLET] = SPLITTING(velocity_verlet, "velocity-verlet", 2, 1, 1, 1, true, 2.0,
                                      "x_{n+1}, v_{n+1/2}, t_{n+1}; kept for the next step", "HLW I.1 and I.3; Swope et al. 1982"),
    [KDR_VELOCITY_VERLET_PC] = SPLITTING(velocity_verlet_pc, "velocity-verlet-pc", 2, 2, 1, 1, true, 2.0,
                                         "x_{n+1}, v_{n+1/2} + h/2 a_n, t_{n+1}; kept for the next step",
                                         "VDrift wiki, Numerical Integration, modified velocity Verlet"),
    [KDR_POSITION_VERLET] = SPLITTING(position_verlet, "position-verlet", 2, 1, 1, 0, true, 2.0, "x_{n+1/2}, v_n, t_{n+1/2}",
                                      "Tuckerman, Berne, Martyna, J. Chem. Phys. 97 (1992) 1990"),
    [KDR_RUTH3] = HIGHER(ruth3, "ruth3", 3, 3, 0, false, 2.5074811709523554, "Ruth, IEEE Trans. Nucl. Sci. 30 (1983) 2669"),
    [KDR_MCLACHLAN_ATELA_3] = HIGHER(mclachlan_atela_3, "mclachlan-atela-3", 3, 3, 0, false, 4.5200895183984135, MCLACHLAN_ATELA),
    [KDR_MCLACHLAN_ATELA_4] = HIGHER(mclachlan_atela_4, "mclachlan-atela-4", 4, 4, 0, false, 3.0389488778951154, MCLACHLAN_ATELA),
    [KDR_MCLACHLAN_ATELA_5] = HIGHER(mclachlan_atela_5, "mclachlan-atela-5", 5, 6, 0, false, 3.0624976839832308, MCLACHLAN_ATELA),
    [KDR_FOREST_RUTH] = HIGHER(forest_ruth, "forest-ruth", 4, 3, 0, true, 1.5734019474345401, "Forest, Ruth, Physica D 43 (1990) 105"),
    [KDR_PEFRL] = HIGHER(pefrl, "pefrl", 4, 4, 0, true, 2.9894495459067290, OMELYAN),
    [KDR_VEFRL] = HIGHER(vefrl, "vefrl", 4, 4, 1, true, 3.4696360705932758, OMELYAN),
    [KDR_SUZUKI_4] = HIGHER(suzuki_4, "suzuki-4", 4, 5, 0, true, 2.7209745385601497, "Suzuki, Phys. Lett. A 146 (1990) 319"),
    [KDR_BLANES_MOAN_6B] = HIGHER(blanes_moan_6b, "blanes-moan-6b", 4, 6, 1, true, 3.1634650665581867, BLANES_MOAN),
    [KDR_BLANES_MOAN_11B] = HIGHER(blanes_moan_11b, "blanes-moan-11b", 6, 11, 1, true, 3.1414310877528084, BLANES_MOAN),
    [KDR_BLANES_MOAN_14A] = HIGHER(blanes_moan_14a, "blanes-moan-14a", 6, 14, 0, true, 3.1409250826052373, BLANES_MOAN),
    [KDR_BLANES_MOAN_S6] = HIGHER(blanes_moan_s6, "blanes-moan-s6", 4, 6, 1, true, 3.1328233983908754, BLANES_MOAN),
    [KDR_BLANES_MOAN_S10] = HIGHER(blanes_moan_s10, "blanes-moan-s10", 6, 10, 1, true, 3.1342475220889922, BLANES_MOAN),
    [KDR_YOSHIDA_6] = HIGHER(yoshida_6, "yoshida-6", 6, 7, 0, true, 2.2690579963976594, "Yoshida, Phys. Lett. A 150 (1990) 262"),
    [KDR_KAHAN_LI_6] = HIGHER(kahan_li_6, "kahan-li-6", 6, 9, 0, true, 2.5326273883342970, KAHAN_LI),
    [KDR_SUZUKI_UMENO_8] = HIGHER(suzuki_umeno_8, "suzuki-umeno-8", 8, 15, 0, true, 3.3932342684641494,
                                  "Suzuki, Umeno 1993; McLachlan, SIAM J. Sci. Comput. 16 (1995) 151"),
    [KDR_KAHAN_LI_8] = HIGHER(kahan_li_8, "kahan-li-8", 8, 17, 0, true, 3.0964386800007322, KAHAN_LI),

    [KDR_SUVAT] = NYSTROM(suvat, "suvat", 1, KDR_VELOCITY_ANY, 1, 0.0, "x_n, v_n, t_n", "a Taylor polynomial of second degree in x"),
    [KDR_NYSTROM_4] =
        NYSTROM(nystrom_4, "nystrom-4", 4, KDR_VELOCITY_NONE, 3, 2.5865188945195615, STAGES "t_n + h/2, t_n + h", NYSTROM_1925),
    [KDR_NYSTROM_5] = NYSTROM(nystrom_5, "nystrom-5", 5, KDR_VELOCITY_NONE, 4, 0.0, STAGES "t_n + h/5, t_n + 2h/3, t_n + h", NYSTROM_1925),
    [KDR_RKN_4_3] = NYSTROM(rkn_4_3, "rkn-4-3", 4, KDR_VELOCITY_NONE, 4, 3.7678207258077577, STAGES "t_n + h/4, t_n + 7h/10, t_n + h",
                            PAIR(DORMAND_EL_MIKKAWY_PRINCE, 3)),
    [KDR_DPRKN_5] =
        NYSTROM(dprkn_5, "dprkn-5", 5, KDR_VELOCITY_NONE, 6, 0.0, STAGES "t_n + h times 1/8, 1/4, 1/2, 3/4, 1", PAIR(BETTIS, 4)),
    [KDR_DPRKN_6] = NYSTROM(dprkn_6, "dprkn-6", 6, KDR_VELOCITY_NONE, 6, 0.0, STAGES "t_n + h times 1/10, 3/10, 7/10, 17/25, 1",
                            PAIR(DORMAND_EL_MIKKAWY_PRINCE, 4)),

    [KDR_IMPLICIT_EULER] = IMPLICIT(implicit_euler, "implicit-euler", 1, false, "x_{n+1}, v_{n+1}, t_{n+1}",
                                    "HLW I.1 and II.1; L-stable: Hairer, Wanner IV.3"),
    [KDR_IMPLICIT_MIDPOINT] = IMPLICIT(implicit_midpoint, "implicit-midpoint", 2, true, "(x_n + x_{n+1})/2, (v_n + v_{n+1})/2, t_n + h/2",
                                       "HLW I.1 and II.1; A-stable: Hairer, Wanner IV.3"),

    [KDR_STORMER_VERLET] = {.info = {.name = "stormer-verlet",
                                     .family = KDR_MULTISTEP,
                                     .order = 2,
                                     .evaluations = 1,
                                     .start_evaluations = 1,
                                     .symplectic = true,
                                     .reversible = true,
                                     .memory = true,
                                     .stability = 2.0,
                                     .velocity_forces = KDR_VELOCITY_NONE,
                                     .force_sees = "x_{n+1}, t_{n+1}; kept for the next step",
                                     .source = "Stormer 1907; Verlet, Phys. Rev. 159 (1967) 98; HLW I.1"},
                            .family = &kdr_families[KDR_MULTISTEP]},

    [KDR_BORIS] = MAGNETIC(boris, "boris", "Boris, Proc. 4th Conf. Numer. Simul. Plasmas (1970) 3"),
    [KDR_HIGUERA_CARY] = MAGNETIC(higuera_cary, "higuera-cary", "Higuera, Cary, Phys. Plasmas 24 (2017) 052104"),
    [KDR_VAY] = MAGNETIC(vay, "vay", "Vay, Phys. Plasmas 15 (2008) 056701"),

    [KDR_BAOAB] = LANGEVIN("baoab", "Leimkuhler, Matthews, Appl. Math. Res. Express 2013 (2013) 34"),

    [KDR_EXACT_AFFINE] = KINEMATIC(exact_affine, "exact-affine", KDR_ORDER_EXACT, 0, true, "x, v and t all through the step",
                                   "the exponential of a matrix; HLW III.4.1"),
    [KDR_STRANG_AFFINE] = KINEMATIC(strang_affine, "strang-affine", 2, 1, false,
                                    "x, v after half the affine motion, t_n + h/2; affine forces x, v and t all through the step",
                                    "Strang, SIAM J. Numer. Anal. 5 (1968) 506; HLW II.5"),
    [KDR_KINEMATIC_SUM] = {.info = {.name = "kinematic",
                                    .family = KDR_KINEMATIC,
                                    .compensated = true,
                                    .order = 1,
                                    .order_velocity = 1,
                                    .evaluations = 1,
                                    .stability = (double)INFINITY,
                                    .velocity_forces = KDR_VELOCITY_ANY,
                                    .force_sees = "x_n, v_n, t_n; by exact and average contributions x, v and t all through the step",
                                    .source = "Brown, Game Programming Gems 8 (2010) 2.5"},
                           .family = &kdr_families[KDR_KINEMATIC],
                           .data = {.kinematic = &kdr_row_kinematic}},
};

const kdr_row *kdr_row_get(kdr_method method) { return (unsigned)method < KDR_METHOD_COUNT ? &rows[method] : NULL; }

const kdr_method_info *kdr_method_get(kdr_method method) {
    const kdr_row *row = kdr_row_get(method);
    return row ? &row->info : NULL;
}

kdr_status kdr_method_from_name(const char *name, kdr_method *method) {
    if (!name || !method) {
        return KDR_ERROR_NULL;
    }
    for (int i = 0; i < KDR_METHOD_COUNT; ++i) {
        if (strcmp(name, rows[i].info.name) == 0) {
            *method = (kdr_method)i;
            return KDR_OK;
        }
    }
    return KDR_ERROR_UNKNOWN_NAME;
}

const char *kdr_velocity_forces_name(kdr_velocity_forces velocity) {
    static const char *const names[] = {"any", "magnetic", "none"};
    return (unsigned)velocity <= KDR_VELOCITY_NONE ? names[velocity] : "?";
}
