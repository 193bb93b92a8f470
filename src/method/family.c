/* The table of families. */
#include "family.h"

#include <stddef.h>
#include <string.h>

#include "affine.h"
#include "method.h"

static int runge_kutta_times(const kdr_row *row, double *fraction) {
    memcpy(fraction, row->data.runge_kutta->c, (size_t)row->data.runge_kutta->stages * sizeof *fraction);
    return row->data.runge_kutta->stages;
}

static int nystrom_times(const kdr_row *row, double *fraction) {
    memcpy(fraction, row->data.nystrom->c, (size_t)row->data.nystrom->stages * sizeof *fraction);
    return row->data.nystrom->stages;
}

static int splitting_times(const kdr_row *row, double *fraction) {
    const kdr_splitting_row *const f = row->data.splitting;
    const bool keep = kdr_splitting_keeps(f);
    int count = 0;
    double drifted = 0.0;
    for (int i = 0; i < f->stages; ++i) {
        if (f->kick[i] != 0.0 && !(keep && i == 0)) {
            /* The whole step has been drifted, so the fraction is exactly 1; the rounded sum of fractions need not be. */
            fraction[count++] = keep && i == f->stages - 1 ? 1.0 : drifted;
        }
        drifted += f->drift[i];
    }
    return count;
}

static int implicit_times(const kdr_row *row, double *fraction) {
    fraction[0] = row->data.implicit->c;
    return 1;
}

static int middle(const kdr_row *row, double *fraction) {
    (void)row;
    fraction[0] = 0.5;
    return 1;
}

static int kinematic_times(const kdr_row *row, double *fraction) {
    fraction[0] = row->data.kinematic->sums ? 0.0 : 0.5;
    return 1;
}

static int end(const kdr_row *row, double *fraction) {
    (void)row;
    fraction[0] = 1.0;
    return 1;
}

/* Clears the coefficients of a row with stages, and returns their number. */
static int clear_stages(int stages, kdr_scaled *to) {
    const ptrdiff_t count = to->a[stages < KDR_SCALED_STAGES ? stages : KDR_SCALED_STAGES] - to->scaled;
    memset(to->scaled, 0, (size_t)count * sizeof(double));
    return (int)count;
}

static int scale_runge_kutta(const kdr_row *row, double dt, const kdr_affine_map *map, kdr_scaled *to) {
    (void)map;
    const kdr_runge_kutta_row *const tableau = row->data.runge_kutta;
    const int count = clear_stages(tableau->stages, to);
    for (int i = 0; i < tableau->stages && i < KDR_SCALED_STAGES; ++i) {
        for (int j = 0; j < i; ++j) {
            to->a[i][j] = dt * tableau->a[i][j];
        }
        to->weight[i] = tableau->ratio[i];
    }
    to->scale = dt * tableau->scale;
    return count;
}

static int scale_splitting(const kdr_row *row, double dt, const kdr_affine_map *map, kdr_scaled *to) {
    (void)map;
    const kdr_splitting_row *const list = row->data.splitting;
    for (int i = 0; i < list->stages; ++i) {
        to->part[i].kick = dt * list->kick[i];
        to->part[i].drift = dt * list->drift[i];
    }
    return 2 * list->stages;
}

static int scale_nystrom(const kdr_row *row, double dt, const kdr_affine_map *map, kdr_scaled *to) {
    (void)map;
    const kdr_nystrom_row *const list = row->data.nystrom;
    const int count = clear_stages(list->stages, to);
    for (int i = 0; i < list->stages && i < KDR_SCALED_STAGES; ++i) {
        for (int j = 0; j < i; ++j) {
            to->a[i][j] = dt * list->a[i][j] / list->c[i];
        }
        to->c[i] = dt * list->c[i];
        to->b[i] = dt * list->b[i];
        to->weight[i] = list->ratio[i];
    }
    to->scale = dt * list->scale;
    to->h = dt;
    return count;
}

static int scale_implicit(const kdr_row *row, double dt, const kdr_affine_map *map, kdr_scaled *to) {
    (void)map;
    const int count = clear_stages(0, to);
    to->h = dt;
    to->th = dt * row->data.implicit->c;
    return count;
}

static int scale_multistep(const kdr_row *row, double dt, const kdr_affine_map *map, kdr_scaled *to) {
    (void)row, (void)map;
    const int count = clear_stages(0, to);
    to->scale = dt * dt;
    return count;
}

/* Stores each axis's map of x, then of v: the factors of v and of x, and the constant. */
static int scale_kinematic(const kdr_row *row, double dt, const kdr_affine_map *map, kdr_scaled *to) {
    (void)row, (void)dt;
    for (int i = 0; i < 3; ++i) {
        const kdr_affine_row *const of[2] = {&map->x[i], &map->v[i]};
        for (int n = 0; n < 2; ++n) {
            to->map[i][3 * n] = of[n]->v[i];
            to->map[i][3 * n + 1] = of[n]->x[i];
            to->map[i][3 * n + 2] = of[n]->q;
        }
    }
    return 3 * 6;
}

const kdr_family_row kdr_families[KDR_FAMILY_COUNT] = {
    [KDR_RUNGE_KUTTA] = {{.name = "runge-kutta", .system_runs = true, .velocities = true, .runs_back = true},
                         runge_kutta_times,
                         scale_runge_kutta},
    [KDR_SPLITTING] = {{.name = "splitting", .system_runs = true, .velocities = true, .runs_back = true}, splitting_times, scale_splitting},
    [KDR_NYSTROM] = {{.name = "nystrom", .system_runs = true, .velocities = true, .runs_back = true}, nystrom_times, scale_nystrom},
    [KDR_IMPLICIT] = {{.name = "implicit", .system_runs = true, .velocities = true, .runs_back = true, .jacobian = true},
                      implicit_times,
                      scale_implicit},
    [KDR_MULTISTEP] = {{.name = "multistep", .runs_back = true}, end, scale_multistep},
    [KDR_MAGNETIC] = {{.name = "magnetic", .system_runs = true, .velocities = true, .runs_back = true}, middle, NULL},
    [KDR_LANGEVIN] = {{.name = "langevin", .system_runs = true, .velocities = true, .heat_bath = true}, end, NULL},
    [KDR_KINEMATIC] = {{.name = "kinematic", .system_runs = true, .velocities = true, .runs_back = true}, kinematic_times, scale_kinematic},
};

const kdr_family_info *kdr_family_get(kdr_family family) { return (unsigned)family < KDR_FAMILY_COUNT ? &kdr_families[family].info : NULL; }
