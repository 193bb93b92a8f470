/* Makes rows of methods from user-defined data: a Butcher tableau, lists of kick and drift fractions, substeps of a composition. */
#include "user_method.h"

#include <math.h>
#include <string.h>

#include "../particles/error.h"

/* The largest deviation from a consistency condition that rounding of published coefficients can cause. */
static const double tolerance = 1e-12;

static bool consistent(double sum, double expected) { return fabs(sum - expected) <= tolerance; } /* false for NaN */

static kdr_status check_tableau(const kdr_tableau *t, kdr_error *error) {
    KDR_CHECK(t->stages >= 1 && t->stages <= KDR_MAX_STAGES, error, KDR_ERROR_ARGUMENT, "tableau.stages: expected 1 to %d, got %d",
              KDR_MAX_STAGES, t->stages);
    double weights = 0.0;
    for (int i = 0; i < t->stages; ++i) {
        double row = 0.0;
        KDR_CHECK(isfinite(t->b[i]), error, KDR_ERROR_NOT_FINITE, "tableau.b[%d]: expected a finite number, got %g", i, t->b[i]);
        KDR_CHECK(isfinite(t->c[i]), error, KDR_ERROR_NOT_FINITE, "tableau.c[%d]: expected a finite number, got %g", i, t->c[i]);
        for (int j = 0; j < t->stages; ++j) {
            KDR_CHECK(isfinite(t->a[i][j]), error, KDR_ERROR_NOT_FINITE, "tableau.a[%d][%d]: expected a finite number, got %g", i, j,
                      t->a[i][j]);
            KDR_CHECK(j < i || t->a[i][j] == 0.0, error, KDR_ERROR_UNSUPPORTED,
                      "tableau.a[%d][%d]: expected 0 on and above the diagonal (an explicit method), got %g; take implicit-midpoint", i, j,
                      t->a[i][j]);
            row += t->a[i][j];
        }
        KDR_CHECK(consistent(row, t->c[i]), error, KDR_ERROR_ARGUMENT, "tableau.c[%d]: expected the sum of row %d of a, %.17g, got %.17g",
                  i, i, row, t->c[i]);
        weights += t->b[i];
    }
    KDR_CHECK(consistent(weights, 1.0), error, KDR_ERROR_ARGUMENT, "tableau.b: expected weights that add up to 1, got %.17g", weights);
    return KDR_OK;
}

kdr_status kdr_user_method_tableau(const kdr_tableau *tableau, kdr_user_method_row *made, kdr_error *error) {
    const kdr_status status = check_tableau(tableau, error);
    if (status != KDR_OK) {
        return status;
    }
    memset(made, 0, sizeof *made);
    made->runge_kutta.stages = tableau->stages;
    made->runge_kutta.scale = 1.0;
    for (int i = 0; i < tableau->stages; ++i) {
        memcpy(made->runge_kutta.a[i], tableau->a[i], (size_t)i * sizeof(double));
    }
    memcpy(made->runge_kutta.c, tableau->c, (size_t)tableau->stages * sizeof(double));
    memcpy(made->runge_kutta.ratio, tableau->b, (size_t)tableau->stages * sizeof(double));
    made->row.family = &kdr_families[KDR_RUNGE_KUTTA];
    made->row.data.runge_kutta = &made->runge_kutta;
    made->row.info = (kdr_method_info){.name = "own-tableau",
                                       .family = KDR_RUNGE_KUTTA,
                                       .compensated = true,
                                       .evaluations = tableau->stages,
                                       .force_sees = "the stages",
                                       .source = "the caller's"};
    return KDR_OK;
}

static kdr_status check_fractions(const kdr_fractions *f, kdr_error *error) {
    KDR_CHECK(f->count >= 1 && f->count <= KDR_MAX_FRACTIONS, error, KDR_ERROR_ARGUMENT, "fractions.count: expected 1 to %d, got %d",
              KDR_MAX_FRACTIONS, f->count);
    double kicks = 0.0, drifts = 0.0;
    for (int i = 0; i < f->count; ++i) {
        KDR_CHECK(isfinite(f->kick[i]), error, KDR_ERROR_NOT_FINITE, "fractions.kick[%d]: expected a finite number, got %g", i, f->kick[i]);
        KDR_CHECK(isfinite(f->drift[i]), error, KDR_ERROR_NOT_FINITE, "fractions.drift[%d]: expected a finite number, got %g", i,
                  f->drift[i]);
        kicks += f->kick[i];
        drifts += f->drift[i];
    }
    KDR_CHECK(consistent(kicks, 1.0), error, KDR_ERROR_ARGUMENT, "fractions.kick: expected fractions that add up to 1, got %.17g", kicks);
    KDR_CHECK(consistent(drifts, 1.0), error, KDR_ERROR_ARGUMENT, "fractions.drift: expected fractions that add up to 1, got %.17g",
              drifts);
    return KDR_OK;
}

kdr_status kdr_user_method_fractions(const kdr_fractions *fractions, kdr_user_method_row *made, kdr_error *error) {
    const kdr_status status = check_fractions(fractions, error);
    if (status != KDR_OK) {
        return status;
    }
    memset(made, 0, sizeof *made);
    /* Pairs of zeros are left out, because the last pair tells whether the list ends with a kick. */
    kdr_splitting_row *const row = &made->splitting;
    for (int i = 0; i < fractions->count; ++i) {
        if (fractions->kick[i] != 0.0 || fractions->drift[i] != 0.0) {
            row->kick[row->stages] = fractions->kick[i];
            row->drift[row->stages++] = fractions->drift[i];
        }
    }
    const bool keeps = kdr_splitting_keeps(row);
    double times[KDR_MAX_FRACTIONS];
    made->row.family = &kdr_families[KDR_SPLITTING];
    made->row.data.splitting = row;
    made->row.info = (kdr_method_info){.name = "own-fractions",
                                       .family = KDR_SPLITTING,
                                       .compensated = true,
                                       .start_evaluations = keeps,
                                       .symplectic = true,
                                       .memory = keeps,
                                       .force_sees = "x and v at each kick, t_n + h times the drifts before it",
                                       .source = "the caller's"};
    made->row.info.evaluations = made->row.family->times(&made->row, times);
    return KDR_OK;
}

kdr_status kdr_substeps_check(const kdr_substeps *s, kdr_error *error) {
    KDR_CHECK(s->count >= 1 && s->count <= KDR_MAX_SUBSTEPS, error, KDR_ERROR_ARGUMENT, "substeps.count: expected 1 to %d, got %d",
              KDR_MAX_SUBSTEPS, s->count);
    double sum = 0.0;
    for (int i = 0; i < s->count; ++i) {
        KDR_CHECK(isfinite(s->fraction[i]), error, KDR_ERROR_NOT_FINITE, "substeps.fraction[%d]: expected a finite number, got %g", i,
                  s->fraction[i]);
        KDR_CHECK(s->fraction[i] != 0.0, error, KDR_ERROR_ARGUMENT, "substeps.fraction[%d]: expected a number that is not 0, got 0", i);
        const int twin = s->count - 1 - i;
        KDR_CHECK(s->fraction[i] == s->fraction[twin], error, KDR_ERROR_ARGUMENT,
                  "substeps.fraction[%d]: expected that of substep %d, %.17g, for the list must be symmetric, got %.17g", i, twin,
                  s->fraction[twin], s->fraction[i]);
        sum += s->fraction[i];
    }
    KDR_CHECK(consistent(sum, 1.0), error, KDR_ERROR_ARGUMENT, "substeps.fraction: expected fractions that add up to 1, got %.17g", sum);
    return KDR_OK;
}

/* Composes one row from all substeps. A symmetric row begins and ends with a drift, or with a kick whose acceleration it keeps, so
 * neighbouring ones merge. */
static kdr_status compose_splitting(const kdr_splitting_row *row, const kdr_substeps *substeps, kdr_user_method_row *made,
                                    kdr_error *error) {
    kdr_splitting_row *const to = &made->splitting;
    const int last = row->stages - 1;
    const int stages = substeps->count * (row->stages - 1) + 1;
    KDR_CHECK(
        stages <= KDR_MAX_FRACTIONS, error, KDR_ERROR_UNSUPPORTED,
        "compose: expected at most %d pairs of kick and drift in a step, and %d substeps have %d; take fewer, or a method of fewer stages",
        KDR_MAX_FRACTIONS, substeps->count, stages);
    to->stages = stages;
    for (int s = 0; s < substeps->count; ++s) {
        if (s > 0 && row->drift[last] != 0.0 && row->drift[0] != 0.0) {
            made->joint[0][s * last] = substeps->fraction[s - 1] * row->drift[last];
            made->joint[1][s * last] = substeps->fraction[s] * row->drift[0];
        }
        for (int i = 0; i < row->stages; ++i) {
            const int at = s * (row->stages - 1) + i;
            to->kick[at] += substeps->fraction[s] * row->kick[i];
            to->drift[at] += substeps->fraction[s] * row->drift[i];
        }
    }
    return KDR_OK;
}

kdr_substepping kdr_substepping_of(const kdr_substeps *substeps) {
    kdr_substepping to = {.count = substeps->count};
    for (int s = 0; s < substeps->count; ++s) {
        to.fraction[s] = substeps->fraction[s];
        to.begin[s + 1] = to.begin[s] + substeps->fraction[s];
        to.length[s] = to.lengths;
        for (int i = 0; i < s && to.length[s] == to.lengths; ++i) {
            to.length[s] = substeps->fraction[i] == substeps->fraction[s] ? to.length[i] : to.lengths;
        }
        to.lengths += to.length[s] == to.lengths;
    }
    to.begin[substeps->count] = 1.0;
    return to;
}

kdr_status kdr_user_method_composition(const kdr_row *row, const kdr_substeps *substeps, int order, kdr_user_method_row *made,
                                       kdr_substepping *substepping, kdr_error *error) {
    memset(made, 0, sizeof *made);
    made->row = *row;
    kdr_method_info *const info = &made->row.info;
    if (row->data.splitting) {
        const kdr_status status = compose_splitting(row->data.splitting, substeps, made, error);
        if (status != KDR_OK) {
            return status;
        }
        double times[KDR_MAX_FRACTIONS];
        made->row.data.splitting = &made->splitting;
        info->evaluations = row->family->times(&made->row, times);
    } else {
        *substepping = kdr_substepping_of(substeps);
        info->evaluations *= substeps->count;
    }
    info->order_velocity = info->order_velocity == info->order ? order : info->order_velocity;
    info->order = order;
    info->stability = isinf(info->stability) ? info->stability : 0.0;
    return KDR_OK;
}
