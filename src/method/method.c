/* The table of methods. */
#include "method.h"

#include <math.h>
#include <string.h>

/* Each of these has the members that all rows of a family share. */
#define RUNGE_KUTTA .family = KDR_RUNGE_KUTTA, .compensated = true, .velocity_forces = KDR_VELOCITY_ANY
#define SPLITTING .family = KDR_SPLITTING, .compensated = true, .symplectic = true, .velocity_forces = KDR_VELOCITY_ANY
#define NYSTROM .family = KDR_NYSTROM, .compensated = true
#define IMPLICIT                                                                                                                           \
    .family = KDR_IMPLICIT, .compensated = true, .evaluations = KDR_NEWTON_EVALUATIONS, .stability = (double)INFINITY,                     \
    .velocity_forces = KDR_VELOCITY_ANY
#define MAGNETIC                                                                                                                           \
    .family = KDR_MAGNETIC, .compensated = true, .order = 2, .order_velocity = 2, .evaluations = 1, .symplectic = true,                    \
    .reversible = true, .stability = 2.0, .velocity_forces = KDR_VELOCITY_MAGNETIC,                                                        \
    .force_sees = "x_{n+1/2}, t_{n+1/2}; the magnetic force the mean of v before and after"
#define KINEMATIC .family = KDR_KINEMATIC, .compensated = true, .stability = (double)INFINITY, .velocity_forces = KDR_VELOCITY_ANY

#define STAGES "the stages, at t_n, "
#define KICKS "x and v before each kick, t_n + h times the drifts before it"
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
    [KDR_EXPLICIT_EULER] = {.info = {RUNGE_KUTTA, .name = "explicit-euler", .order = 1, .order_velocity = 1, .evaluations = 1,
                                     .stability = 0.0, .force_sees = "x_n, v_n, t_n", .source = "HLW I.1"},
                            .family = &kdr_families[KDR_RUNGE_KUTTA],
                            .data.runge_kutta = &kdr_row_explicit_euler},
    [KDR_MIDPOINT] = {.info = {RUNGE_KUTTA, .name = "midpoint", .order = 2, .order_velocity = 2, .evaluations = 2, .stability = 0.0,
                               .force_sees = STAGES "t_n + h/2", .source = "Runge, Math. Ann. 46 (1895) 167"},
                      .family = &kdr_families[KDR_RUNGE_KUTTA],
                      .data.runge_kutta = &kdr_row_midpoint},
    [KDR_HEUN] = {.info = {RUNGE_KUTTA, .name = "heun", .order = 2, .order_velocity = 2, .evaluations = 2, .stability = 0.0,
                           .force_sees = STAGES "t_n + h", .source = "Heun, Z. Math. Phys. 45 (1900) 23"},
                  .family = &kdr_families[KDR_RUNGE_KUTTA],
                  .data.runge_kutta = &kdr_row_heun},
    [KDR_RALSTON] = {.info = {RUNGE_KUTTA, .name = "ralston", .order = 2, .order_velocity = 2, .evaluations = 2, .stability = 0.0,
                              .force_sees = STAGES "t_n + 2h/3", .source = "Ralston, Math. Comp. 16 (1962) 431"},
                     .family = &kdr_families[KDR_RUNGE_KUTTA],
                     .data.runge_kutta = &kdr_row_ralston},
    [KDR_RK3] = {.info = {RUNGE_KUTTA, .name = "rk3", .order = 3, .order_velocity = 3, .evaluations = 3, .stability = 1.7320508075688773,
                          .force_sees = STAGES "t_n + h/2, t_n + h", .source = KUTTA},
                 .family = &kdr_families[KDR_RUNGE_KUTTA],
                 .data.runge_kutta = &kdr_row_rk3},
    [KDR_RK4] = {.info = {RUNGE_KUTTA, .name = "rk4", .order = 4, .order_velocity = 4, .evaluations = 4, .stability = 2.8284271247461903,
                          .force_sees = STAGES "t_n + h/2 twice, t_n + h", .source = KUTTA "; HLW II.1"},
                 .family = &kdr_families[KDR_RUNGE_KUTTA],
                 .data.runge_kutta = &kdr_row_rk4},
    [KDR_RK4_38] = {.info = {RUNGE_KUTTA, .name = "rk4-38", .order = 4, .order_velocity = 4, .evaluations = 4,
                             .stability = 2.8284271247461903, .force_sees = STAGES "t_n + h/3, t_n + 2h/3, t_n + h",
                             .source = KUTTA "; HLW II.1"},
                    .family = &kdr_families[KDR_RUNGE_KUTTA],
                    .data.runge_kutta = &kdr_row_rk4_38},
    [KDR_DOPRI_5] = {.info = {RUNGE_KUTTA, .name = "dopri-5", .order = 5, .order_velocity = 5, .order_estimate = 4, .evaluations = 6,
                              .stability = 0.99718900863253, .force_sees = STAGES "t_n + h times 1/5, 3/10, 4/5, 8/9, 1",
                              .source = "Dormand, Prince, J. Comput. Appl. Math. 6 (1980) 19"},
                     .family = &kdr_families[KDR_RUNGE_KUTTA],
                     .data.runge_kutta = &kdr_row_dopri_5},

    [KDR_SEMI_IMPLICIT_EULER] = {.info = {SPLITTING, .name = "semi-implicit-euler", .order = 1, .order_velocity = 1, .evaluations = 1,
                                          .stability = 2.0, .force_sees = "x_n, v_n, t_n",
                                          .source = "HLW I.1, there called symplectic Euler"},
                                 .family = &kdr_families[KDR_SPLITTING],
                                 .data.splitting = &kdr_row_semi_implicit_euler},
    [KDR_DRIFT_KICK_EULER] = {.info = {SPLITTING, .name = "drift-kick-euler", .order = 1, .order_velocity = 1, .evaluations = 1,
                                       .stability = 2.0, .force_sees = "x_{n+1}, v_n, t_{n+1}",
                                       .source = "HLW I.1, the adjoint of the other symplectic Euler"},
                              .family = &kdr_families[KDR_SPLITTING],
                              .data.splitting = &kdr_row_drift_kick_euler},
    [KDR_VELOCITY_VERLET] = {.info = {SPLITTING, .name = "velocity-verlet", .order = 2, .order_velocity = 1, .evaluations = 1,
                                      .start_evaluations = 1, .reversible = true, .memory = true, .stability = 2.0,
                                      .force_sees = "x_{n+1}, v_{n+1/2}, t_{n+1}; kept for the next step",
                                      .source = "HLW I.1 and I.3; Swope et al. 1982"},
                             .family = &kdr_families[KDR_SPLITTING],
                             .data.splitting = &kdr_row_velocity_verlet},
    [KDR_VELOCITY_VERLET_PC] = {.info = {SPLITTING, .name = "velocity-verlet-pc", .order = 2, .order_velocity = 2, .evaluations = 1,
                                         .start_evaluations = 1, .reversible = true, .memory = true, .stability = 2.0,
                                         .force_sees = "x_{n+1}, v_{n+1/2} + h/2 a_n, t_{n+1}; kept for the next step",
                                         .source = "VDrift wiki, Numerical Integration, modified velocity Verlet"},
                                .family = &kdr_families[KDR_SPLITTING],
                                .data.splitting = &kdr_row_velocity_verlet_pc},
    [KDR_POSITION_VERLET] = {.info = {SPLITTING, .name = "position-verlet", .order = 2, .order_velocity = 1, .evaluations = 1,
                                      .reversible = true, .stability = 2.0, .force_sees = "x_{n+1/2}, v_n, t_{n+1/2}",
                                      .source = "Tuckerman, Berne, Martyna, J. Chem. Phys. 97 (1992) 1990"},
                             .family = &kdr_families[KDR_SPLITTING],
                             .data.splitting = &kdr_row_position_verlet},
    [KDR_RUTH3] = {.info = {SPLITTING, .name = "ruth3", .order = 3, .order_velocity = 1, .evaluations = 3, .stability = 2.5074811709523554,
                            .force_sees = KICKS, .source = "Ruth, IEEE Trans. Nucl. Sci. 30 (1983) 2669"},
                   .family = &kdr_families[KDR_SPLITTING],
                   .data.splitting = &kdr_row_ruth3},
    [KDR_MCLACHLAN_ATELA_3] = {.info = {SPLITTING, .name = "mclachlan-atela-3", .order = 3, .order_velocity = 1, .evaluations = 3,
                                        .stability = 4.5200895183984135, .force_sees = KICKS, .source = MCLACHLAN_ATELA},
                               .family = &kdr_families[KDR_SPLITTING],
                               .data.splitting = &kdr_row_mclachlan_atela_3},
    [KDR_MCLACHLAN_ATELA_4] = {.info = {SPLITTING, .name = "mclachlan-atela-4", .order = 4, .order_velocity = 1, .evaluations = 4,
                                        .stability = 3.0389488778951154, .force_sees = KICKS, .source = MCLACHLAN_ATELA},
                               .family = &kdr_families[KDR_SPLITTING],
                               .data.splitting = &kdr_row_mclachlan_atela_4},
    [KDR_MCLACHLAN_ATELA_5] = {.info = {SPLITTING, .name = "mclachlan-atela-5", .order = 5, .order_velocity = 1, .evaluations = 6,
                                        .stability = 3.0624976839832308, .force_sees = KICKS, .source = MCLACHLAN_ATELA},
                               .family = &kdr_families[KDR_SPLITTING],
                               .data.splitting = &kdr_row_mclachlan_atela_5},
    [KDR_FOREST_RUTH] = {.info = {SPLITTING, .name = "forest-ruth", .order = 4, .order_velocity = 1, .evaluations = 3, .reversible = true,
                                  .stability = 1.5734019474345401, .force_sees = KICKS, .source = "Forest, Ruth, Physica D 43 (1990) 105"},
                         .family = &kdr_families[KDR_SPLITTING],
                         .data.splitting = &kdr_row_forest_ruth},
    [KDR_PEFRL] = {.info = {SPLITTING, .name = "pefrl", .order = 4, .order_velocity = 1, .evaluations = 4, .reversible = true,
                            .stability = 2.9894495459067290, .force_sees = KICKS, .source = OMELYAN},
                   .family = &kdr_families[KDR_SPLITTING],
                   .data.splitting = &kdr_row_pefrl},
    [KDR_VEFRL] = {.info = {SPLITTING, .name = "vefrl", .order = 4, .order_velocity = 1, .evaluations = 4, .start_evaluations = 1,
                            .reversible = true, .memory = true, .stability = 3.4696360705932758, .force_sees = KICKS, .source = OMELYAN},
                   .family = &kdr_families[KDR_SPLITTING],
                   .data.splitting = &kdr_row_vefrl},
    [KDR_SUZUKI_4] = {.info = {SPLITTING, .name = "suzuki-4", .order = 4, .order_velocity = 1, .evaluations = 5, .reversible = true,
                               .stability = 2.7209745385601497, .force_sees = KICKS, .source = "Suzuki, Phys. Lett. A 146 (1990) 319"},
                      .family = &kdr_families[KDR_SPLITTING],
                      .data.splitting = &kdr_row_suzuki_4},
    [KDR_BLANES_MOAN_6B] = {.info = {SPLITTING, .name = "blanes-moan-6b", .order = 4, .order_velocity = 1, .evaluations = 6,
                                     .start_evaluations = 1, .reversible = true, .memory = true, .stability = 3.1634650665581867,
                                     .force_sees = KICKS, .source = BLANES_MOAN},
                            .family = &kdr_families[KDR_SPLITTING],
                            .data.splitting = &kdr_row_blanes_moan_6b},
    [KDR_BLANES_MOAN_11B] = {.info = {SPLITTING, .name = "blanes-moan-11b", .order = 6, .order_velocity = 1, .evaluations = 11,
                                      .start_evaluations = 1, .reversible = true, .memory = true, .stability = 3.1414310877528084,
                                      .force_sees = KICKS, .source = BLANES_MOAN},
                             .family = &kdr_families[KDR_SPLITTING],
                             .data.splitting = &kdr_row_blanes_moan_11b},
    [KDR_BLANES_MOAN_14A] = {.info = {SPLITTING, .name = "blanes-moan-14a", .order = 6, .order_velocity = 1, .evaluations = 14,
                                      .reversible = true, .stability = 3.1409250826052373, .force_sees = KICKS, .source = BLANES_MOAN},
                             .family = &kdr_families[KDR_SPLITTING],
                             .data.splitting = &kdr_row_blanes_moan_14a},
    [KDR_BLANES_MOAN_S6] = {.info = {SPLITTING, .name = "blanes-moan-s6", .order = 4, .order_velocity = 1, .evaluations = 6,
                                     .start_evaluations = 1, .reversible = true, .memory = true, .stability = 3.1328233983908754,
                                     .force_sees = KICKS, .source = BLANES_MOAN},
                            .family = &kdr_families[KDR_SPLITTING],
                            .data.splitting = &kdr_row_blanes_moan_s6},
    [KDR_BLANES_MOAN_S10] = {.info = {SPLITTING, .name = "blanes-moan-s10", .order = 6, .order_velocity = 1, .evaluations = 10,
                                      .start_evaluations = 1, .reversible = true, .memory = true, .stability = 3.1342475220889922,
                                      .force_sees = KICKS, .source = BLANES_MOAN},
                             .family = &kdr_families[KDR_SPLITTING],
                             .data.splitting = &kdr_row_blanes_moan_s10},
    [KDR_YOSHIDA_6] = {.info = {SPLITTING, .name = "yoshida-6", .order = 6, .order_velocity = 1, .evaluations = 7, .reversible = true,
                                .stability = 2.2690579963976594, .force_sees = KICKS, .source = "Yoshida, Phys. Lett. A 150 (1990) 262"},
                       .family = &kdr_families[KDR_SPLITTING],
                       .data.splitting = &kdr_row_yoshida_6},
    [KDR_KAHAN_LI_6] = {.info = {SPLITTING, .name = "kahan-li-6", .order = 6, .order_velocity = 1, .evaluations = 9, .reversible = true,
                                 .stability = 2.5326273883342970, .force_sees = KICKS, .source = KAHAN_LI},
                        .family = &kdr_families[KDR_SPLITTING],
                        .data.splitting = &kdr_row_kahan_li_6},
    [KDR_SUZUKI_UMENO_8] = {.info = {SPLITTING, .name = "suzuki-umeno-8", .order = 8, .order_velocity = 1, .evaluations = 15,
                                     .reversible = true, .stability = 3.3932342684641494, .force_sees = KICKS,
                                     .source = "Suzuki, Umeno 1993; McLachlan, SIAM J. Sci. Comput. 16 (1995) 151"},
                            .family = &kdr_families[KDR_SPLITTING],
                            .data.splitting = &kdr_row_suzuki_umeno_8},
    [KDR_KAHAN_LI_8] = {.info = {SPLITTING, .name = "kahan-li-8", .order = 8, .order_velocity = 1, .evaluations = 17, .reversible = true,
                                 .stability = 3.0964386800007322, .force_sees = KICKS, .source = KAHAN_LI},
                        .family = &kdr_families[KDR_SPLITTING],
                        .data.splitting = &kdr_row_kahan_li_8},

    [KDR_SUVAT] = {.info = {NYSTROM, .name = "suvat", .order = 1, .order_velocity = 1, .evaluations = 1, .stability = 0.0,
                            .velocity_forces = KDR_VELOCITY_ANY, .force_sees = "x_n, v_n, t_n",
                            .source = "a Taylor polynomial of second degree in x"},
                   .family = &kdr_families[KDR_NYSTROM],
                   .data.nystrom = &kdr_row_suvat},
    [KDR_NYSTROM_4] = {.info = {NYSTROM, .name = "nystrom-4", .order = 4, .evaluations = 3, .stability = 2.5865188945195615,
                                .velocity_forces = KDR_VELOCITY_NONE, .force_sees = STAGES "t_n + h/2, t_n + h", .source = NYSTROM_1925},
                       .family = &kdr_families[KDR_NYSTROM],
                       .data.nystrom = &kdr_row_nystrom_4},
    [KDR_NYSTROM_5] = {.info = {NYSTROM, .name = "nystrom-5", .order = 5, .evaluations = 4, .stability = 0.0,
                                .velocity_forces = KDR_VELOCITY_NONE, .force_sees = STAGES "t_n + h/5, t_n + 2h/3, t_n + h",
                                .source = NYSTROM_1925},
                       .family = &kdr_families[KDR_NYSTROM],
                       .data.nystrom = &kdr_row_nystrom_5},
    [KDR_RKN_4_3] = {.info = {NYSTROM, .name = "rkn-4-3", .order = 4, .order_estimate = 3, .evaluations = 4,
                              .stability = 3.7678207258077577, .velocity_forces = KDR_VELOCITY_NONE,
                              .force_sees = STAGES "t_n + h/4, t_n + 7h/10, t_n + h", .source = DORMAND_EL_MIKKAWY_PRINCE},
                     .family = &kdr_families[KDR_NYSTROM],
                     .data.nystrom = &kdr_row_rkn_4_3},
    [KDR_DPRKN_5] = {.info = {NYSTROM, .name = "dprkn-5", .order = 5, .order_estimate = 4, .evaluations = 6, .stability = 0.0,
                              .velocity_forces = KDR_VELOCITY_NONE, .force_sees = STAGES "t_n + h times 1/8, 1/4, 1/2, 3/4, 1",
                              .source = BETTIS},
                     .family = &kdr_families[KDR_NYSTROM],
                     .data.nystrom = &kdr_row_dprkn_5},
    [KDR_DPRKN_6] = {.info = {NYSTROM, .name = "dprkn-6", .order = 6, .order_estimate = 4, .evaluations = 6, .stability = 0.0,
                              .velocity_forces = KDR_VELOCITY_NONE, .force_sees = STAGES "t_n + h times 1/10, 3/10, 7/10, 17/25, 1",
                              .source = DORMAND_EL_MIKKAWY_PRINCE},
                     .family = &kdr_families[KDR_NYSTROM],
                     .data.nystrom = &kdr_row_dprkn_6},

    [KDR_IMPLICIT_EULER] = {.info = {IMPLICIT, .name = "implicit-euler", .order = 1, .order_velocity = 1,
                                     .force_sees = "x_{n+1}, v_{n+1}, t_{n+1}",
                                     .source = "HLW I.1 and II.1; L-stable: Hairer, Wanner IV.3"},
                            .family = &kdr_families[KDR_IMPLICIT],
                            .data.implicit = &kdr_row_implicit_euler},
    [KDR_IMPLICIT_MIDPOINT] = {.info = {IMPLICIT, .name = "implicit-midpoint", .order = 2, .order_velocity = 2, .symplectic = true,
                                        .reversible = true, .force_sees = "(x_n + x_{n+1})/2, (v_n + v_{n+1})/2, t_n + h/2",
                                        .source = "HLW I.1 and II.1; A-stable: Hairer, Wanner IV.3"},
                               .family = &kdr_families[KDR_IMPLICIT],
                               .data.implicit = &kdr_row_implicit_midpoint},

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

    [KDR_BORIS] = {.info = {MAGNETIC, .name = "boris", .source = "Boris, Proc. 4th Conf. Numer. Simul. Plasmas (1970) 3"},
                   .family = &kdr_families[KDR_MAGNETIC],
                   .data.magnetic = &kdr_row_boris},
    [KDR_HIGUERA_CARY] = {.info = {MAGNETIC, .name = "higuera-cary", .source = "Higuera, Cary, Phys. Plasmas 24 (2017) 052104"},
                          .family = &kdr_families[KDR_MAGNETIC],
                          .data.magnetic = &kdr_row_higuera_cary},
    [KDR_VAY] = {.info = {MAGNETIC, .name = "vay", .source = "Vay, Phys. Plasmas 15 (2008) 056701"},
                 .family = &kdr_families[KDR_MAGNETIC],
                 .data.magnetic = &kdr_row_vay},

    [KDR_BAOAB] = {.info = {.name = "baoab",
                            .family = KDR_LANGEVIN,
                            .compensated = true,
                            .order = 2,
                            .evaluations = 1,
                            .start_evaluations = 1,
                            .memory = true,
                            .stability = 2.0,
                            .velocity_forces = KDR_VELOCITY_NONE,
                            .force_sees = "x_{n+1}, t_{n+1}; kept for the next step",
                            .source = "Leimkuhler, Matthews, Appl. Math. Res. Express 2013 (2013) 34"},
                   .family = &kdr_families[KDR_LANGEVIN]},

    [KDR_EXACT_AFFINE] = {.info = {KINEMATIC, .name = "exact-affine", .order = KDR_ORDER_EXACT, .order_velocity = KDR_ORDER_EXACT,
                                   .evaluations = 0, .symplectic = true, .reversible = true, .affine = true,
                                   .force_sees = "x, v and t all through the step", .source = "the exponential of a matrix; HLW III.4.1"},
                          .family = &kdr_families[KDR_KINEMATIC],
                          .data.kinematic = &kdr_row_exact_affine},
    [KDR_STRANG_AFFINE] = {.info = {KINEMATIC, .name = "strang-affine", .order = 2, .order_velocity = 2, .evaluations = 1,
                                    .symplectic = true, .reversible = true,
                                    .force_sees =
                                        "x, v after half the affine motion, t_n + h/2; affine forces x, v and t all through the step",
                                    .source = "Strang, SIAM J. Numer. Anal. 5 (1968) 506; HLW II.5"},
                           .family = &kdr_families[KDR_KINEMATIC],
                           .data.kinematic = &kdr_row_strang_affine},
    [KDR_KINEMATIC_SUM] = {.info = {KINEMATIC, .name = "kinematic", .order = 1, .order_velocity = 1, .evaluations = 1,
                                    .force_sees = "x_n, v_n, t_n; by exact and average contributions x, v and t all through the step",
                                    .source = "Brown, Game Programming Gems 8 (2010) 2.5"},
                           .family = &kdr_families[KDR_KINEMATIC],
                           .data.kinematic = &kdr_row_kinematic},
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
