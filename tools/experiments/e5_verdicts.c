/* E5: the verdicts on VDrift's older page: which of five methods are stable at each stiffness, and how they rank. */
#include "verdicts.h"

#include "exact.h"

#include <math.h>
#include <string.h>

/* Verlet before VDrift's modification: the force uses the velocity at the beginning of the step. */
typedef struct verlet {
    double k, x, v, a;
} verlet;

static double acceleration(double k, double x, double v) { return (-k * x - critical_drag(k) * v) / critical_mass; }

static verlet begin(double k) { return (verlet){.k = k, .x = critical_x0, .a = acceleration(k, critical_x0, 0)}; }

static void step(verlet *s) {
    const double h = critical_h, before = s->a;
    s->x += h * s->v + h * h / 2 * before;
    s->a = acceleration(s->k, s->x, s->v);
    s->v += h / 2 * (before + s->a);
}

/* Returns the largest |x| in 32 steps after the first `steps`. */
static double swing(verlet *s, int steps) {
    double most = 0;
    for (int n = 0; n < steps + 32; ++n) {
        step(s);
        most = n >= steps && !(fabs(s->x) <= most) ? fabs(s->x) : most;
    }
    return most;
}

/* Finds the largest stiffness at which the motion decays, by bisection over runs of 6000 steps. */
static double unmodified_limit(void) {
    double low = 1, high = 1e5;
    while (high - low > 1e-9 * high) {
        const double k = (low + high) / 2;
        verlet s = begin(k);
        const double early = swing(&s, 3000), late = swing(&s, 3000);
        if (early < 1e-250 || late < early) {
            low = k;
        } else {
            high = k;
        }
    }
    return low;
}

static void unmodified_row(report *r, json_t *rows, int spring) {
    const double k = critical_stiffness[spring];
    char text[32];
    json_t *series = report_series(r, "position", critical_panel(spring, text), "Verlet, unmodified");
    double worst = 0, sum = 0;
    verlet s = begin(k);
    for (int n = 0; n <= CRITICAL_STEPS; ++n) {
        const double t = n * critical_h, error = fabs(s.x - exact_spring(k, critical_drag(k), critical_mass, critical_x0, t, NULL));
        if (n <= CRITICAL_WATCHED) {
            worst = fmax(worst, error);
            sum += error;
        }
        if (n <= 20) {
            series_point(series, t, s.x);
        }
        if (n < CRITICAL_STEPS) {
            step(&s);
        }
    }
    json_t *row = report_row(rows);
    row_text(row, "method", "Verlet, unmodified");
    row_number(row, "k", k);
    row_number(row, "z", sqrt(k / critical_mass) * critical_h);
    row_flag(row, "stable", fabs(s.x) < critical_x0);
    row_number(row, "mean", sum / CRITICAL_WATCHED);
    row_number(row, "worst", worst);
    row_number(row, "end", s.x);
}

json_t *verdicts_unmodified(report *r) {
    static const column columns[] = {
        {"method", "method"},  {"k", "k"}, {"z", "omega h"}, {"stable", "stable"}, {"mean", "mean error"}, {"worst", "largest error"},
        {"end", "x at 200 s"}, {0}};
    json_t *rows =
        report_table(r, "unmodified", "Verlet without VDrift's modification, whose force sees the velocity of the step's begin", columns);
    for (int i = 0; i < CRITICAL_SPRINGS; ++i) {
        unmodified_row(r, rows, i);
    }
    return rows;
}

/* The methods in the page's order of stable stiffness, with the page's rank among critically damped springs; 0: the page does not rank
 * it. */
static const struct judged {
    const char *name, *method; /* NULL: Verlet before the modification */
    bool stable[CRITICAL_SPRINGS];
    int rank;
} judged[] = {
    {"explicit Euler", "explicit-euler", {true, true, true, true, true}, 2},
    {"NSV", "semi-implicit-euler", {true, true, false, false, false}, 4},
    {"unmodified Verlet", NULL, {true, false, false, false, false}, 0},
    {"modified Verlet", "velocity-verlet", {true, true, false, false, false}, 3},
    {"RK4", "rk4", {true, true, true, true, true}, 1},
};
enum { JUDGED = sizeof judged / sizeof judged[0] };

static const json_t *row_of(const struct judged *j, const json_t *rows, const json_t *unmodified, double k) {
    return critical_row(j->method ? rows : unmodified, j->method ? j->method : "Verlet, unmodified", k);
}

static void verdict(report *r, const json_t *rows, const json_t *unmodified, int spring) {
    char carried[512] = "", lost[512] = "", measured[512] = "", claim[1200];
    bool agrees = true;
    for (int i = 0; i < JUDGED; ++i) {
        const struct judged *j = &judged[i];
        const json_t *row = row_of(j, rows, unmodified, critical_stiffness[spring]);
        const bool stable = json_is_true(json_object_get(row, "stable"));
        report_enumerate(j->stable[spring] ? carried : lost, "%s", j->name);
        report_enumerate(measured, "%s %s (largest error in 5 s %.2g)", j->name, stable ? "comes to rest" : "grows", row_get(row, "worst"));
        agrees = agrees && row && stable == j->stable[spring];
    }
    snprintf(claim, sizeof claim, "k = %g: stable are %s%s%s", critical_stiffness[spring], carried, lost[0] ? "; unstable " : "", lost);
    report_claim(r, agrees, "VDrift", claim, "%s", measured);
}

static double end_of(const json_t *ends, const char *method) { return row_get(report_find(ends, method), "k"); }

/* Compares two methods: the one that is stable for stiffer springs is better; among equals, the one with the smaller mean error at k =
 * 10,000. */
static bool better(const struct judged *a, const struct judged *b, const json_t *rows, const json_t *ends) {
    const double x = end_of(ends, a->method), y = end_of(ends, b->method);
    if (fabs(x - y) > 1e-3 * x) {
        return x > y;
    }
    const double k = critical_stiffness[0];
    return row_get(critical_row(rows, a->method, k), "mean") < row_get(critical_row(rows, b->method, k), "mean");
}

static void ranking(report *r, const json_t *rows, const json_t *ends) {
    bool agrees = true;
    char measured[512] = "";
    for (int i = 0; i < JUDGED; ++i) {
        for (int j = 0; j < JUDGED; ++j) {
            const bool above = judged[i].rank > 0 && judged[i].rank < judged[j].rank;
            agrees = agrees && (!above || better(&judged[i], &judged[j], rows, ends));
        }
        if (judged[i].rank > 0) {
            report_enumerate(measured, "%s to k = %.0f, mean error %.2g", judged[i].name, end_of(ends, judged[i].method),
                             row_get(critical_row(rows, judged[i].method, critical_stiffness[0]), "mean"));
        }
    }
    report_claim(r, agrees, "VDrift", "critically damped springs rank RK4 1, Euler 2, Verlet 3, NSV 4",
                 "by the stiffest spring that each carries, and where that is the same by the mean error at k = 10,000: %s", measured);
}

void verdicts_claim(report *r, const json_t *rows, const json_t *ends, const json_t *unmodified) {
    for (int i = 0; i < CRITICAL_SPRINGS; ++i) {
        verdict(r, rows, unmodified, i);
    }
    ranking(r, rows, ends);
    const double end = unmodified_limit(), z = sqrt(end / critical_mass) * critical_h;
    report_claim(r, fabs(z - (sqrt(3) - 1)) < 1e-5, "Analysis",
                 "unmodified Verlet, whose force sees the velocity that the step began with, ends at omega h = sqrt 3 - 1, before NSV",
                 "it ends at omega h = %.5f, k = %.0f N/m", z, end);
}
