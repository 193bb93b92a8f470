/* E8: compares every method with its own result in exact arithmetic. */
#include "experiments.h"
#include "oracles.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const oracle *oracle_of(const oracle *table, const char *method) {
    for (; table->method; ++table) {
        if (strcmp(table->method, method) == 0) {
            return table;
        }
    }
    return NULL;
}

static long double digits_of(const char *text) { return text ? strtold(text, NULL) : 0; }

/* Returns the largest difference of a component, in units in the last place of the largest component: a rounding error is as large as the
 * intermediate numbers that were rounded, not as the result, which may be small. */
static double difference(const field_run *l, const oracle *o) {
    const int digits = l->setting.real == KDR_F32 ? FLT_MANT_DIG : DBL_MANT_DIG;
    long double most = 0, size = 0;
    for (int axis = 0; axis < l->setting.dims; ++axis) {
        const long double x = digits_of(o->x[axis]), v = digits_of(o->v[axis]);
        most = fmaxl(most, fmaxl(fabsl(field_run_x(l, 0, axis) - x), fabsl(field_run_v(l, 0, axis) - v)));
        size = fmaxl(size, fmaxl(fabsl(x), fabsl(v)));
    }
    int exponent;
    (void)frexpl(size, &exponent);
    return (double)(most / ldexpl(1, exponent - digits));
}

/* Compares one method on one problem, in both precisions and arithmetics. */
static void compare(report *r, json_t *row, field_run_setting setting, const oracle *o, const oracle_problem *problem) {
    for (int i = 0; i < KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++i) {
        char key[32];
        field_run l;
        setting.real = (kdr_real)(i / KDR_ARITHMETIC_COUNT);
        setting.arithmetic = (kdr_arithmetic)(i % KDR_ARITHMETIC_COUNT);
        snprintf(key, sizeof key, "%s_%s", kdr_real_name(setting.real), kdr_arithmetic_name(setting.arithmetic));
        if (!report_open(r, row, &setting, &l)) {
            return;
        }
        field_run_put(&l, 0, problem->x, problem->v);
        if (report_steps(r, &l, problem->steps)) {
            row_number(row, key, difference(&l, o));
        }
        field_run_close(&l);
    }
}

/* Returns the exact result of a method, or of a composition. Compositions of position Verlet other than mclachlan-6 are splitting methods
 * with names and results of their own. */
static const oracle *oracle_for(const oracle_problem *problem, kdr_method method, kdr_composition compose) {
    char name[48];
    const oracle *o = oracle_of(problem->oracles, field_run_name(method, compose, name));
    return o || method != KDR_POSITION_VERLET ? o : oracle_of(problem->oracles, kdr_composition_get(compose)->name);
}

/* The verdict on all methods for one problem. */
typedef struct verdict {
    int known;
    bool explained;
    double most;
} verdict;

/* Fills in the row of a method whose exact result is known. */
static void measure(report *r, json_t *rows, field_run_setting setting, const oracle_problem *problem, const column *columns, verdict *v) {
    const oracle *o = oracle_for(problem, setting.method, setting.compose);
    if (!o) {
        return;
    }
    json_t *row = report_composed_row(rows, setting.method, setting.compose);
    compare(r, row, setting, o, problem);
    const kdr_method_info *info = kdr_method_get(setting.method);
    const int evaluations = info->evaluations * kdr_composition_get(setting.compose)->count;
    /* The tolerance is larger for Stormer-Verlet, whose velocities are differences of positions divided by h. */
    const double units = kdr_family_get(info->family)->velocities ? 3 : 9;
    const double allowed = units * sqrt((double)problem->steps * fmax(evaluations, 1));
    for (const column *c = columns; c->key; ++c) {
        v->explained = v->explained && row_get(row, c->key) <= allowed;
    }
    v->most = fmax(v->most, fmax(row_get(row, "f64_fused"), row_get(row, "f64_unfused")));
    ++v->known;
}

static void table_of(report *r, const oracle_problem *problem, const kdr_force *force) {
    static const column columns[] = {{"method", "method"},
                                     {"family", "family"},
                                     {"order", "order"},
                                     {"f64_fused", "f64 fused"},
                                     {"f64_unfused", "f64 unfused"},
                                     {"f32_fused", "f32 fused"},
                                     {"f32_unfused", "f32 unfused"},
                                     {0}};
    json_t *rows = report_table(r, problem->name, problem->title, columns);
    field_run_setting setting = field_run_on_a_line(force, 1, problem->dt);
    setting.dims = problem->dims;
    verdict v = {.explained = true};
    for (int c = KDR_COMPOSE_NONE; c < KDR_COMPOSITION_COUNT; ++c) {
        for (int m = 0; m < KDR_METHOD_COUNT && !r->failed; ++m) {
            setting.method = (kdr_method)m;
            setting.compose = (kdr_composition)c;
            measure(r, rows, setting, problem, columns + 3, &v);
        }
    }
    report_claim(r, v.explained, "Exact arithmetic", problem->claim,
                 "%d methods, composed ones too; in f64 %.1f units in the last place off at most", v.known, v.most);
}

void experiment_oracles(report *r) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0), spring = kdr_force_spring(1, 0, 0, 0);
    report_about(
        r, "The result of a method, as against that of the differential equation, can be computed in 50-digit arithmetic. What is left "
           "between that and the program is rounding; a wrong digit of a coefficient, a swapped stage or a stale acceleration stands "
           "out by orders of magnitude. Differences are the largest of all components, in units in the last place of the state's "
           "largest component; what rounding explains grows with the square root of the evaluations, and three units (nine for "
           "Stormer-Verlet) for each "
           "are allowed.");
    table_of(r, &oracle_kepler, &sun);
    table_of(r, &oracle_oscillator, &spring);
}
