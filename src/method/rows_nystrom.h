/* The Nystrom rows: exact rationals, as printed in the papers. Included by rows.h.
 *
 * nystrom-4 and -5: Nystrom, Acta Soc. Sci. Fenn. 50 (1925) no. 13 (Hairer, Norsett, Wanner II.14, table 14.2). rkn-4-3 and dprkn-6: the
 * higher orders of RKN4(3)4FM and RKN6(4)6FM, Dormand, El-Mikkawy, Prince, IMA J. Numer. Anal. 7 (1987) 235. dprkn-5: the higher order
 * of Bettis' pair RKN5(4), Celestial Mech. 8 (1973) 229. The estimates of these three use the lower order's weights of x; Nystrom's own
 * methods have no pairs. The numbers agree with OrdinaryDiffEqRKN's rkn_tableaus.jl; tests/methods_nystrom.c proves their orders. */
#ifndef KDR_METHOD_ROWS_NYSTROM_H
#define KDR_METHOD_ROWS_NYSTROM_H

/* x += h (v + h/2 a), v += h a. The first stage is the only one, so a may depend on v. */
static const kdr_nystrom_row kdr_row_suvat = {.stages = 1, .b = {0.5}, .scale = 1.0, .ratio = {1.0}};

static const kdr_nystrom_row kdr_row_nystrom_4 = {
    .stages = 3,
    .a = {{0.0}, {1.0 / 8.0}, {0.0, 1.0 / 2.0}},
    .c = {0.0, 1.0 / 2.0, 1.0},
    .b = {1.0 / 6.0, 1.0 / 3.0, 0.0},
    .scale = 1.0 / 6.0,
    .ratio = {1.0, 4.0, 1.0},
};

static const kdr_nystrom_row kdr_row_nystrom_5 = {
    .stages = 4,
    .a = {{0.0}, {1.0 / 50.0}, {-1.0 / 27.0, 7.0 / 27.0}, {3.0 / 10.0, -2.0 / 35.0, 9.0 / 35.0}},
    .c = {0.0, 1.0 / 5.0, 2.0 / 3.0, 1.0},
    .b = {14.0 / 336.0, 100.0 / 336.0, 54.0 / 336.0, 0.0},
    .scale = 14.0 / 336.0,
    .ratio = {1.0, 125.0 / 14.0, 162.0 / 14.0, 35.0 / 14.0},
};

static const kdr_nystrom_row kdr_row_rkn_4_3 = {
    .stages = 4,
    .a = {{0.0}, {1.0 / 32.0}, {7.0 / 1000.0, 119.0 / 500.0}, {1.0 / 14.0, 8.0 / 27.0, 25.0 / 189.0}},
    .c = {0.0, 1.0 / 4.0, 7.0 / 10.0, 1.0},
    .ends_at_last_stage = true,
    .scale = 1.0 / 14.0,
    .ratio = {1.0, 32.0 * 14.0 / 81.0, 250.0 * 14.0 / 567.0, 5.0 * 14.0 / 54.0},
    .estimate = {1.0 / 14.0 + 7.0 / 150.0, 8.0 / 27.0 - 67.0 / 150.0, 25.0 / 189.0 - 3.0 / 20.0, 1.0 / 20.0},
};

static const kdr_nystrom_row kdr_row_dprkn_5 = {
    .stages = 6,
    .a = {{0.0},
          {1.0 / 128.0},
          {1.0 / 96.0, 1.0 / 48.0},
          {1.0 / 24.0, 0.0, 1.0 / 12.0},
          {9.0 / 128.0, 0.0, 9.0 / 64.0, 9.0 / 128.0},
          {7.0 / 90.0, 0.0, 4.0 / 15.0, 1.0 / 15.0, 4.0 / 45.0}},
    .c = {0.0, 1.0 / 8.0, 1.0 / 4.0, 1.0 / 2.0, 3.0 / 4.0, 1.0},
    .ends_at_last_stage = true,
    .scale = 7.0 / 90.0,
    .ratio = {1.0, 0.0, 32.0 / 7.0, 12.0 / 7.0, 32.0 / 7.0, 1.0},
    .estimate = {-4.0 / 45.0, 0.0, 4.0 / 15.0, -4.0 / 15.0, 4.0 / 45.0},
};

static const kdr_nystrom_row kdr_row_dprkn_6 = {
    .stages = 6,
    .a = {{0.0},
          {1.0 / 200.0},
          {-1.0 / 2200.0, 1.0 / 22.0},
          {637.0 / 6600.0, -7.0 / 110.0, 7.0 / 33.0},
          {225437.0 / 1968750.0, -30073.0 / 281250.0, 65569.0 / 281250.0, -9367.0 / 984375.0},
          {151.0 / 2142.0, 5.0 / 116.0, 385.0 / 1368.0, 55.0 / 168.0, -6250.0 / 28101.0}},
    .c = {0.0, 1.0 / 10.0, 3.0 / 10.0, 7.0 / 10.0, 17.0 / 25.0, 1.0},
    .ends_at_last_stage = true,
    .scale = 151.0 / 2142.0,
    .ratio = {1.0, 25.0 * 2142.0 / (522.0 * 151.0), 275.0 * 2142.0 / (684.0 * 151.0), 275.0 * 2142.0 / (252.0 * 151.0),
              -78125.0 * 2142.0 / (112404.0 * 151.0), 2142.0 / (12.0 * 151.0)},
    .estimate = {151.0 / 2142.0 - 1349.0 / 157500.0, 5.0 / 116.0 - 7873.0 / 50000.0, 385.0 / 1368.0 - 192199.0 / 900000.0,
                 55.0 / 168.0 - 521683.0 / 2100000.0, 16.0 / 125.0 - 6250.0 / 28101.0},
};

#endif
