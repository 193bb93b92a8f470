/* E6: Brown's contributions: one spring and two springs, over half a period and over a long run. */
#include "experiments.h"
#include "pulses.h"

#include <math.h>

enum { STEPS = 64, LONG = 20000 };
static const double stiffness[2] = {4, 9}, long_step = 0.1;

/* The variants that are measured: a kind of contribution for all springs, or a method that uses the sum of the forces. */
static const struct variant {
    const char *name;
    kdr_method method;
    kdr_contribution kind;
} variants[] = {
    {"exact", KDR_KINEMATIC_SUM, KDR_CONTRIBUTION_EXACT}, {"average", KDR_KINEMATIC_SUM, KDR_CONTRIBUTION_AVERAGE},
    {"pulse", KDR_KINEMATIC_SUM, KDR_CONTRIBUTION_PULSE}, {"pulse-symplectic", KDR_KINEMATIC_SUM, KDR_CONTRIBUTION_PULSE_SYMPLECTIC},
    {"euler", KDR_KINEMATIC_SUM, KDR_CONTRIBUTION_EULER}, {"exact-affine", KDR_EXACT_AFFINE, KDR_CONTRIBUTION_DEFAULT},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* Returns omega of one spring, or of both together. */
static double omega_of(int springs) { return sqrt(springs == 1 ? stiffness[0] : stiffness[0] + stiffness[1]); }

static bool open_variant(report *r, json_t *row, const struct variant *variant, int springs, double h, kdr_force list[2], field_run *l) {
    for (int i = 0; i < springs; ++i) {
        list[i] = kdr_force_spring(stiffness[i], 0, 0, 0);
        list[i].contribution = variant->kind;
    }
    field_run_setting setting = field_run_on_a_line(list, (size_t)springs, h);
    setting.method = variant->method;
    return report_open(r, row, &setting, l);
}

/* Runs half a period from (1, 0) in `steps` steps. Returns the largest error of x, divided by the amplitude. */
static double half_period(report *r, json_t *row, const struct variant *variant, int springs, int steps, json_t *series) {
    const double omega = omega_of(springs);
    double largest = 0;
    kdr_force list[2];
    field_run l;
    if (!open_variant(r, row, variant, springs, M_PI / omega / steps, list, &l)) {
        return NAN;
    }
    field_run_start(&l, 1);
    for (int n = 1; n <= steps && report_steps(r, &l, 1); ++n) {
        const double error = fabs(field_run_x(&l, 0, 0) - cos(M_PI * n / steps));
        largest = fmax(largest, error);
        if (series) {
            series_point(series, (double)n / steps, error);
        }
    }
    field_run_close(&l);
    return largest;
}

/* Returns the amplitude after the long run, divided by the first. */
static double long_run(report *r, json_t *row, const struct variant *variant, int springs) {
    kdr_force list[2];
    field_run l;
    double amplitude = NAN;
    if (!open_variant(r, row, variant, springs, long_step, list, &l)) {
        return amplitude;
    }
    field_run_start(&l, 1);
    if (report_steps(r, &l, LONG)) {
        amplitude = hypot(field_run_x(&l, 0, 0), field_run_v(&l, 0, 0) / omega_of(springs));
    }
    field_run_close(&l);
    return amplitude;
}

/* Returns the determinant of the map of one step, from its results for (1, 0) and (0, 1). */
static double determinant(report *r, json_t *row, const struct variant *variant, int springs) {
    const double one[3] = {1, 0, 0}, none[3] = {0, 0, 0};
    double end[2][2] = {{0}};
    for (int i = 0; i < 2; ++i) {
        kdr_force list[2];
        field_run l;
        if (!open_variant(r, row, variant, springs, long_step, list, &l)) {
            return NAN;
        }
        field_run_put(&l, 0, i == 0 ? one : none, i == 0 ? none : one);
        if (report_steps(r, &l, 1)) {
            end[i][0] = field_run_x(&l, 0, 0);
            end[i][1] = field_run_v(&l, 0, 0);
        }
        field_run_close(&l);
    }
    return end[0][0] * end[1][1] - end[0][1] * end[1][0];
}

static json_t *table_of(report *r, int springs, const char *name, const char *title) {
    static const column columns[] = {{"method", "method"},
                                     {"kind", "contributions"},
                                     {"error", "largest error"},
                                     {"slope", "measured order"},
                                     {"determinant", "determinant - 1"},
                                     {"amplitude", "amplitude after 20,000 steps"},
                                     {0}};
    json_t *rows = report_table(r, name, title, columns);
    for (int i = 0; i < VARIANTS && !r->failed; ++i) {
        json_t *row = report_method_row(rows, variants[i].method);
        json_t *series = report_series(r, "error", title, variants[i].name);
        row_text(row, "kind", variants[i].name);
        const double error = half_period(r, row, &variants[i], springs, STEPS, series);
        row_number(row, "error", error);
        if (error > 1e-12) {
            row_number(row, "slope",
                       log2(half_period(r, row, &variants[i], springs, 8 * STEPS, NULL) /
                            half_period(r, row, &variants[i], springs, 16 * STEPS, NULL)));
        }
        row_number(row, "determinant", determinant(r, row, &variants[i], springs) - 1);
        row_number(row, "amplitude", long_run(r, row, &variants[i], springs));
    }
    return rows;
}

static double of(const json_t *rows, int variant, const char *key) { return row_get(json_array_get(rows, (size_t)variant), key); }

enum { EXACT, AVERAGE, PULSE, SYMPLECTIC, EULER, AFFINE };

static void claims(report *r, const json_t *one, const json_t *two) {
    report_claim(r, of(one, EXACT, "error") < 1e-13 && of(one, AVERAGE, "slope") > 1.9 && of(one, PULSE, "slope") < 1.1, "Brown",
                 "one spring: exact contributions are exact, average ones of second order, pulses of first",
                 "errors over half a period of 64 steps: exact %.1g, average %.2g, pulse %.2g, euler %.2g", of(one, EXACT, "error"),
                 of(one, AVERAGE, "error"), of(one, PULSE, "error"), of(one, EULER, "error"));
    report_claim(r, of(two, AVERAGE, "error") < of(two, EXACT, "error"), "Brown",
                 "two springs added up one by one: average is better than exact",
                 "errors: average %.2g, exact %.2g; exact-affine, which "
                 "sees both at once, %.1g",
                 of(two, AVERAGE, "error"), of(two, EXACT, "error"), of(two, AFFINE, "error"));
    report_claim(r, of(two, EXACT, "amplitude") > 10 && of(two, AVERAGE, "amplitude") < 1, "Analysis",
                 "over a long run exact contributions of two springs grow without bound, average ones decay",
                 "after 20,000 steps of omega h = %.2f: exact %.3g, average %.3g, exact-affine 1 + %.1g", omega_of(2) * long_step,
                 of(two, EXACT, "amplitude"), of(two, AVERAGE, "amplitude"), of(two, AFFINE, "amplitude") - 1);
    const double c = cos(omega_of(1) * long_step);
    report_claim(r, of(one, PULSE, "amplitude") > 0.5 && of(one, PULSE, "amplitude") < 2, "Brown",
                 "pulse contributions keep the energy on average",
                 "after 20,000 steps of omega h = %.2f the amplitude is %.2g of the first; without the term in v_n (pulse-symplectic) %.3g",
                 omega_of(1) * long_step, of(one, PULSE, "amplitude"), of(one, SYMPLECTIC, "amplitude"));
    report_claim(r, fabs(of(one, PULSE, "determinant") + 1 - c) < 1e-14 && fabs(of(one, SYMPLECTIC, "determinant")) < 1e-14, "Analysis",
                 "the determinant of a pulse's step is cos(omega h), so that it damps; without the term in v_n it is 1",
                 "determinants %.6f (cos(omega h) = %.6f) and 1 %+.1g", 1 + of(one, PULSE, "determinant"), c,
                 of(one, SYMPLECTIC, "determinant"));
}

/* Returns the number of steps per half period at which the error of average contributions is a millionth of Euler's. The former have order
 * 2, the latter order 1. */
static double million(const json_t *rows) { return 1e6 * STEPS * of(rows, AVERAGE, "error") / of(rows, EULER, "error"); }

/* Returns the ratio of Euler's error to that of average contributions, in `steps` steps. */
static double times_smaller(report *r, int springs, int steps) {
    json_t *row = json_object();
    const double times =
        half_period(r, row, &variants[EULER], springs, steps, NULL) / half_period(r, row, &variants[AVERAGE], springs, steps, NULL);
    json_decref(row);
    return times;
}

static void millions(report *r, const json_t *one, const json_t *two) {
    const double single = of(one, EULER, "error") / of(one, AVERAGE, "error"), both = of(two, EULER, "error") / of(two, AVERAGE, "error");
    const int steps = (int)ceil(1.05 * million(two));
    report_claim(
        r, single > 1e6 && both > 1e6, "Brown", "contributions err millions of times less than symplectic Euler's steps",
        "average contributions of 64 steps a half period err %.0f times less than Euler's (one spring) and %.0f times (two). The ratio "
        "grows with the steps: a million is met at %.0f and %.0f steps a half period (in %d steps of two springs it is %.2g). One "
        "spring that contributes exactly errs %.1g times less, whatever the step",
        single, both, million(one), million(two), steps, times_smaller(r, 2, steps), of(one, EULER, "error") / of(one, EXACT, "error"));
}

void experiment_contributions(report *r) {
    report_about(r, "x'' = -4 x, and x'' = -4 x - 9 x as two springs, from rest at 1, stepped by the kinematic method with one kind of "
                    "contribution for all springs. Errors of x over half a period in 64 steps, in amplitudes; the order from 512 and 1024 "
                    "steps. Determinant and long run at h = 0.1. Then drag, alone and beside gravity, by each kind of contribution, and "
                    "balls that bounce once: by the source's two pulses, and by the library's colliders.");
    const json_t *one = table_of(r, 1, "one", "One spring, omega^2 = 4"), *two = table_of(r, 2, "two", "Two springs, omega^2 = 4 and 9");
    if (!r->failed) {
        claims(r, one, two);
        millions(r, one, two);
        pulses_claim(r);
    }
}
