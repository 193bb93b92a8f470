/* The table of methods. */
#include "method.h"

#include <string.h>

static const kdr_row rows[KDR_METHOD_COUNT] = {
    [KDR_EXPLICIT_EULER] = {{.name = "explicit-euler",
                             .family = KDR_RUNGE_KUTTA,
                             .order = 1,
                             .order_velocity = 1,
                             .evaluations = 1,
                             .force_sees = "x_n, v_n, t_n",
                             .source = "HLW I.1"},
                            {.runge_kutta = &kdr_row_explicit_euler}},
    [KDR_SEMI_IMPLICIT_EULER] = {{.name = "semi-implicit-euler",
                                  .family = KDR_SPLITTING,
                                  .order = 1,
                                  .order_velocity = 1,
                                  .evaluations = 1,
                                  .symplectic = true,
                                  .stability = 2.0,
                                  .force_sees = "x_n, v_n, t_n",
                                  .source = "HLW I.1, there called symplectic Euler"},
                                 {.splitting = &kdr_row_semi_implicit_euler}},
    [KDR_VELOCITY_VERLET] = {{.name = "velocity-verlet",
                              .family = KDR_SPLITTING,
                              .order = 2,
                              .order_velocity = 1,
                              .evaluations = 1,
                              .start_evaluations = 1,
                              .symplectic = true,
                              .reversible = true,
                              .memory = true,
                              .stability = 2.0,
                              .force_sees = "x_{n+1}, v_{n+1/2}, t_{n+1}; kept for the next step",
                              .source = "HLW I.1 and I.3; Swope et al. 1982"},
                             {.splitting = &kdr_row_velocity_verlet}},
    [KDR_RK4] = {{.name = "rk4",
                  .family = KDR_RUNGE_KUTTA,
                  .order = 4,
                  .order_velocity = 4,
                  .evaluations = 4,
                  .stability = 2.8284271247461903,
                  .force_sees = "the four stages, at t_n, t_n + h/2 twice, t_n + h",
                  .source = "HLW II.1; Kutta 1901"},
                 {.runge_kutta = &kdr_row_rk4}},
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

const char *kdr_family_name(kdr_family family) {
    static const char *const names[KDR_FAMILY_COUNT] = {"runge-kutta", "splitting"};
    return (unsigned)family < KDR_FAMILY_COUNT ? names[family] : "?";
}

const char *kdr_velocity_forces_name(kdr_velocity_forces velocity) {
    static const char *const names[] = {"any", "magnetic", "none"};
    return (unsigned)velocity <= KDR_VELOCITY_NONE ? names[velocity] : "?";
}

static int runge_kutta_times(const kdr_runge_kutta_row *tableau, double *fraction) {
    for (int i = 0; i < tableau->stages; ++i) {
        fraction[i] = tableau->c[i];
    }
    return tableau->stages;
}

static int splitting_times(const kdr_splitting_row *f, double *fraction) {
    const bool keep = kdr_splitting_keeps(f);
    int count = 0;
    double drifted = 0.0;
    for (int i = 0; i < f->stages; ++i) {
        if (f->kick[i] != 0.0 && !(keep && i == 0)) {
            /* All of the step has been drifted, to the last bit: the fractions are consistent, their rounded sum need not be. */
            fraction[count++] = keep && i == f->stages - 1 ? 1.0 : drifted;
        }
        drifted += f->drift[i];
    }
    return count;
}

int kdr_row_times(const kdr_row *row, double fraction[KDR_MAX_FRACTIONS]) {
    return row->info.family == KDR_RUNGE_KUTTA ? runge_kutta_times(row->data.runge_kutta, fraction)
                                               : splitting_times(row->data.splitting, fraction);
}
