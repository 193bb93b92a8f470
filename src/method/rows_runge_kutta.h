/* Explicit Runge-Kutta methods, as Butcher tableaus. Included by rows.h.
 *
 * The weights are scale * ratio_i, with small integers as ratios if possible. */
#ifndef KDR_METHOD_ROWS_RUNGE_KUTTA_H
#define KDR_METHOD_ROWS_RUNGE_KUTTA_H

static const kdr_runge_kutta_row kdr_row_explicit_euler = {.stages = 1, .scale = 1.0, .ratio = {1.0}};

static const kdr_runge_kutta_row kdr_row_midpoint = {.stages = 2, .a = {{0.0}, {0.5}}, .c = {0.0, 0.5}, .scale = 1.0, .ratio = {0.0, 1.0}};

static const kdr_runge_kutta_row kdr_row_heun = {.stages = 2, .a = {{0.0}, {1.0}}, .c = {0.0, 1.0}, .scale = 0.5, .ratio = {1.0, 1.0}};

static const kdr_runge_kutta_row kdr_row_ralston = {
    .stages = 2, .a = {{0.0}, {2.0 / 3.0}}, .c = {0.0, 2.0 / 3.0}, .scale = 0.25, .ratio = {1.0, 3.0}};

static const kdr_runge_kutta_row kdr_row_rk3 = {
    .stages = 3,
    .a = {{0.0}, {0.5}, {-1.0, 2.0}},
    .c = {0.0, 0.5, 1.0},
    .scale = 1.0 / 6.0,
    .ratio = {1.0, 4.0, 1.0},
};

static const kdr_runge_kutta_row kdr_row_rk4 = {
    .stages = 4,
    .a = {{0.0}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
    .c = {0.0, 0.5, 0.5, 1.0},
    .scale = 1.0 / 6.0,
    .ratio = {1.0, 2.0, 2.0, 1.0},
};

static const kdr_runge_kutta_row kdr_row_rk4_38 = {
    .stages = 4,
    .a = {{0.0}, {1.0 / 3.0}, {-1.0 / 3.0, 1.0}, {1.0, -1.0, 1.0}},
    .c = {0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0},
    .scale = 0.125,
    .ratio = {1.0, 3.0, 3.0, 1.0},
};

/* The weights b_i, and b_i - b^_i for the embedded fourth-order method, whose seventh stage is at the end of the step (Dormand, Prince,
 * J. Comput. Appl. Math. 6 (1980) 19). */
static const kdr_runge_kutta_row kdr_row_dopri_5 = {
    .stages = 6,
    .a = {{0.0},
          {1.0 / 5.0},
          {3.0 / 40.0, 9.0 / 40.0},
          {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
          {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
          {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0}},
    .c = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0},
    .scale = 1.0,
    .ratio = {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0},
    .estimate = {71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0},
};

#endif
