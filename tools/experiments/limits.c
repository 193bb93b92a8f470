/* Finds stability limits by successive grids: an ensemble of oscillators with omega h on a coarse grid, then on a finer one between the
 * last that is bounded and the first that is not. An unstable interval narrower than the coarse grid is missed, as in any bisection. */
#include "limits.h"

#include <math.h>

enum { MOST = 4000 };

typedef struct ensemble {
    const limit_problem *problem;
    size_t count;
    double z[MOST], k[MOST], b[MOST];
    bool grows[MOST];
} ensemble;

/* Opens a run of springs with omega h = low + (i + 1) (high - low) / count. */
static bool open_grid(report *r, json_t *row, ensemble *e, double low, double high, field_run *l) {
    const limit_problem *p = e->problem;
    for (size_t i = 0; i < e->count; ++i) {
        e->z[i] = low + (high - low) * (double)(i + 1) / (double)e->count;
        const double omega = e->z[i] / p->dt;
        e->k[i] = p->mass * omega * omega;
        e->b[i] = 2 * p->zeta * p->mass * omega;
    }
    kdr_force forces[2] = {kdr_force_spring(0, 0, 0, 0), kdr_force_drag(0, 0, 0, 0)};
    forces[0].as.spring.k_each = e->k;
    forces[0].as.spring.count = e->count;
    forces[1].as.drag.b_each = e->b;
    forces[1].as.drag.count = e->count;
    field_run_setting setting = field_run_on_a_line(forces, p->zeta > 0 ? 2 : 1, p->dt);
    setting.method = p->method;
    setting.compose = p->compose;
    setting.count = e->count;
    setting.mass = p->mass;
    setting.afresh = p->afresh;
    return report_open(r, row, &setting, l);
}

/* Computes the matrix of a step in (x, v / omega) from steps of the two unit vectors. It is bounded if |det| <= 1 and |trace| <= 1 + det,
 * up to rounding. */
static bool by_matrix(report *r, json_t *row, ensemble *e, double low, double high) {
    static const double slack = 1e-12;
    static double first[MOST][2];
    field_run l;
    if (!open_grid(r, row, e, low, high, &l)) {
        return false;
    }
    bool good = true;
    for (int unit = 0; good && unit < 2; ++unit) {
        for (size_t i = 0; i < e->count; ++i) {
            const double omega = e->z[i] / e->problem->dt;
            const double x[3] = {unit == 0}, v[3] = {unit == 0 ? 0 : omega};
            field_run_put(&l, i, x, v);
        }
        l.clock.step = 0;
        good = report_steps(r, &l, 1);
        for (size_t i = 0; good && i < e->count; ++i) {
            const double x = field_run_x(&l, i, 0), y = field_run_v(&l, i, 0) / (e->z[i] / e->problem->dt);
            if (unit == 0) {
                first[i][0] = x;
                first[i][1] = y;
                continue;
            }
            const double trace = first[i][0] + y, det = first[i][0] * y - first[i][1] * x;
            e->grows[i] = !(fabs(det) <= 1 + slack && fabs(trace) <= 1 + det + slack);
        }
    }
    field_run_close(&l);
    return good;
}

/* Finds the largest amplitude of each oscillator in the next steps. */
static bool swing(report *r, const ensemble *e, field_run *l, double most[MOST]) {
    for (size_t i = 0; i < e->count; ++i) {
        most[i] = 0;
    }
    for (int n = 0; n < 32; ++n) {
        if (!report_steps(r, l, 1)) {
            return false;
        }
        for (size_t i = 0; i < e->count; ++i) {
            const double size = hypot(field_run_x(l, i, 0), field_run_v(l, i, 0) * e->problem->dt / e->z[i]);
            most[i] = !(size <= most[i]) ? size : most[i];
        }
    }
    return true;
}

static bool by_growth(report *r, json_t *row, ensemble *e, double low, double high) {
    enum { STEPS = 3000 };
    static const double gone = 1e-250; /* so small that rounding to 0, and not the method, decides the rest */
    static double early[MOST], late[MOST];
    field_run l;
    if (!open_grid(r, row, e, low, high, &l)) {
        return false;
    }
    field_run_start(&l, 1);
    bool good = true;
    for (int half = 0; good && half < 2; ++half) {
        for (int n = 0; good && n < (e->problem->afresh ? STEPS : 1); ++n) {
            good = report_steps(r, &l, e->problem->afresh ? 1 : STEPS);
        }
        good = good && swing(r, e, &l, half ? late : early);
    }
    for (size_t i = 0; i < e->count; ++i) {
        e->grows[i] = !(early[i] < gone) && !(late[i] < early[i]);
    }
    field_run_close(&l);
    return good;
}

typedef bool sweep_fn(report *r, json_t *row, ensemble *e, double low, double high);

static bool section(report *r, json_t *row, const limit_problem *p, sweep_fn *sweep, const size_t counts[3], double *limit) {
    static ensemble e;
    double low = 0, high = LIMIT_CAP;
    e.problem = p;
    for (int round = 0; round < 3; ++round) {
        e.count = counts[round];
        if (!sweep(r, row, &e, low, high)) {
            return false;
        }
        size_t first = 0;
        while (first < e.count && !e.grows[first]) {
            ++first;
        }
        if (first == e.count) {
            *limit = round == 0 ? INFINITY : high;
            return true;
        }
        const double at = e.z[first];
        low = first ? e.z[first - 1] : low;
        high = at;
    }
    *limit = low;
    return true;
}

bool limit_by_growth(report *r, json_t *row, const limit_problem *p, double *limit) {
    static const size_t counts[3] = {800, 100, 100};
    return section(r, row, p, by_growth, counts, limit);
}

bool limit_measure(report *r, json_t *row, const limit_problem *p, double *limit) {
    static const size_t counts[3] = {4000, 1000, 250};
    if (p->zeta > 0 && !p->afresh && kdr_method_get(p->method)->memory) {
        return limit_by_growth(r, row, p, limit);
    }
    return section(r, row, p, by_matrix, counts, limit);
}
