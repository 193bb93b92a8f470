/* E6, second part: Brown's contributions of viscous drag and of collisions. */
#include "pulses.h"

#include <math.h>

enum { STEPS = 64, BALLS = 64, MOST_STEPS = 2048 };
static const double lambda = 2, gravity = -10, restitution = 0.5, end = 0.8;

/* The kinds of contribution of a drag. */
static const struct kind {
    const char *name;
    kdr_contribution kind;
} kinds[] = {{"exact", KDR_CONTRIBUTION_EXACT},
             {"average", KDR_CONTRIBUTION_AVERAGE},
             {"pulse", KDR_CONTRIBUTION_PULSE},
             {"first-order", KDR_CONTRIBUTION_FIRST_ORDER},
             {"euler", KDR_CONTRIBUTION_EULER}};
enum { EXACT, AVERAGE, PULSE, FIRST_ORDER, EULER, KINDS };

/* Returns the exact x after a unit of time, from x = 0, v = 1, under drag and the uniform acceleration g. */
static double fallen(double g) { return g / lambda + (1 - g / lambda) * (1 - exp(-lambda)) / lambda; }

static double viscous_error(report *r, json_t *row, kdr_contribution kind, double g, int steps) {
    kdr_force forces[2] = {kdr_force_drag(lambda, 0, 0, 0), kdr_force_uniform_acceleration(g, 0, 0)};
    const double x[3] = {0, 0, 0}, v[3] = {1, 0, 0};
    forces[0].contribution = kind;
    field_run_setting setting = field_run_on_a_line(forces, g != 0 ? 2 : 1, 1.0 / steps);
    setting.method = KDR_KINEMATIC_SUM;
    field_run l;
    if (!report_open(r, row, &setting, &l)) {
        return NAN;
    }
    field_run_put(&l, 0, x, v);
    const double error = report_steps(r, &l, (uint64_t)steps) ? fabs(field_run_x(&l, 0, 0) - fallen(g)) : NAN;
    field_run_close(&l);
    return error;
}

static double order_of(double coarse, double fine) { return fine > 1e-13 ? log2(coarse / fine) : NAN; }

static json_t *viscous_table(report *r) {
    static const column columns[] = {{"method", "method"},
                                     {"kind", "the drag's contribution"},
                                     {"error", "drag alone: error"},
                                     {"slope", "measured order"},
                                     {"fall", "with gravity: error"},
                                     {"fall_slope", "measured order"},
                                     {0}};
    json_t *rows = report_table(r, "viscous", "Viscous drag, lambda = 2, from v = 1 for a unit of time in 64 steps", columns);
    for (int i = 0; i < KINDS && !r->failed; ++i) {
        json_t *row = report_method_row(rows, KDR_KINEMATIC_SUM);
        row_text(row, "kind", kinds[i].name);
        for (int with = 0; with < 2; ++with) {
            const double g = with ? gravity : 0;
            row_number(row, with ? "fall" : "error", viscous_error(r, row, kinds[i].kind, g, STEPS));
            row_number(row, with ? "fall_slope" : "slope",
                       order_of(viscous_error(r, row, kinds[i].kind, g, 8 * STEPS), viscous_error(r, row, kinds[i].kind, g, 16 * STEPS)));
        }
    }
    return rows;
}

/* Balls are dropped from 1, 1.01, ... on to a floor that returns half of their velocity. */
static double height_of(size_t ball) { return 1 + 0.01 * (double)ball; }

static double bounced(double height) {
    const double t = sqrt(2 * height / -gravity), after = end - t;
    return after * (restitution * sqrt(2 * height * -gravity) + gravity / 2 * after);
}

/* Runs the balls with the library's colliders, which continue the motion in the rest of the step after a bounce. */
static bool by_colliders(report *r, json_t *row, int steps, double x[BALLS]) {
    const double point[3] = {0, 0, 0}, normal[3] = {1, 0, 0}, rest[3] = {0, 0, 0};
    const kdr_force fall = kdr_force_uniform_acceleration(gravity, 0, 0);
    kdr_collider ground = kdr_collider_plane(point, normal);
    ground.restitution = restitution;
    field_run_setting setting = field_run_on_a_line(&fall, 1, end / steps);
    setting.method = KDR_KINEMATIC_SUM;
    setting.count = BALLS;
    setting.colliders = &ground;
    setting.collider_count = 1;
    field_run l;
    if (!report_open(r, row, &setting, &l)) {
        return false;
    }
    for (size_t i = 0; i < BALLS; ++i) {
        const double at[3] = {height_of(i), 0, 0};
        field_run_put(&l, i, at, rest);
    }
    const bool good = report_steps(r, &l, (uint64_t)steps);
    for (size_t i = 0; i < BALLS; ++i) {
        x[i] = field_run_x(&l, i, 0);
    }
    field_run_close(&l);
    return good;
}

/* Runs the balls with Brown's two pulses: the velocity is reflected where the ball meets the floor, and the step ends there. */
static void by_pulses(int steps, double x[BALLS]) {
    const double h = end / steps;
    for (size_t i = 0; i < BALLS; ++i) {
        double at = height_of(i), v = 0;
        for (int n = 0; n < steps; ++n) {
            double next = at + h * v + h * h / 2 * gravity, then = v + h * gravity;
            if (next < 0 && then < 0) {
                const double f = at / (at - next), met = (1 - f) * v + f * then;
                then -= (1 + restitution) * met;
                next += (1 - f) * (at - next);
            }
            at = next;
            v = then;
        }
        x[i] = at;
    }
}

/* Returns the rms error over the balls, which meet the floor at different fractions of a step. If `lowest` is not NULL, it gets the lowest
 * final position. */
static double bounce_error(report *r, json_t *row, bool pulses, int steps, double *lowest) {
    double x[BALLS], squares = 0;
    if (pulses) {
        by_pulses(steps, x);
    } else if (!by_colliders(r, row, steps, x)) {
        return NAN;
    }
    for (size_t i = 0; i < BALLS; ++i) {
        squares += pow(x[i] - bounced(height_of(i)), 2);
        if (lowest) {
            *lowest = fmin(*lowest, x[i]);
        }
    }
    return sqrt(squares / BALLS);
}

static json_t *bounce_table(report *r, double *lowest) {
    static const column columns[] = {{"method", "method"}, {"error", "rms error"}, {"slope", "measured order"}, {0}};
    static const char *const names[2] = {"Brown's two pulses", "colliders of the library"};
    json_t *rows = report_table(r, "collision", "64 balls on a floor, restitution 1/2, g = 10, for 0.8 s in 64 steps", columns);
    for (int i = 0; i < 2 && !r->failed; ++i) {
        json_t *row = report_row(rows);
        json_t *series = report_series(r, "bounce", "", names[i]);
        row_text(row, "method", names[i]);
        for (int steps = 16; steps <= MOST_STEPS; steps *= 2) {
            series_point(series, end / steps, bounce_error(r, row, i == 0, steps, NULL));
        }
        row_number(row, "error", bounce_error(r, row, i == 0, STEPS, NULL));
        row_number(row, "slope", log2(bounce_error(r, row, i == 0, 64, NULL) / bounce_error(r, row, i == 0, MOST_STEPS, NULL)) / 5);
        /* in the second of the two steps a ball falls through the floor by more than its first height */
        (void)bounce_error(r, row, i == 0, 2, lowest);
    }
    return rows;
}

static double of(const json_t *rows, int row, const char *key) { return row_get(json_array_get(rows, (size_t)row), key); }

void pulses_claim(report *r) {
    double lowest = INFINITY;
    const json_t *drag = viscous_table(r), *bounce = bounce_table(r, &lowest);
    if (r->failed) {
        return;
    }
    report_claim(r, of(drag, EXACT, "error") < 1e-13 && fabs(of(drag, FIRST_ORDER, "slope") - 1) < 0.1, "Brown",
                 "a viscous force contributes exactly by its exponential, and to first order by the first term of it",
                 "errors after a unit of time in 64 steps: exact %.1g, first-order %.2g (measured order %.2f), euler %.2g",
                 of(drag, EXACT, "error"), of(drag, FIRST_ORDER, "error"), of(drag, FIRST_ORDER, "slope"), of(drag, EULER, "error"));
    report_claim(r, fabs(of(drag, EXACT, "fall_slope") - 1) < 0.1 && fabs(of(drag, FIRST_ORDER, "fall_slope") - 1) < 0.1, "Analysis",
                 "a drag that is added up with another force is of first order, even where each contributes exactly",
                 "with gravity: exact %.2g (measured order %.2f), first-order %.2g (%.2f)", of(drag, EXACT, "fall"),
                 of(drag, EXACT, "fall_slope"), of(drag, FIRST_ORDER, "fall"), of(drag, FIRST_ORDER, "fall_slope"));
    report_claim(r, lowest > -1e-15, "Brown", "the position pulse brings a particle back to the surface: none tunnels through it",
                 "in two steps, which fall through the floor by more than a ball's height, the lowest of 64 balls is at %.2g, by rounding",
                 lowest);
    report_claim(
        r, of(bounce, 0, "slope") < 1.3 && of(bounce, 1, "error") < 1e-13, "Analysis",
        "ending the step at the surface makes a bounce one of first order; another step from there to the end of the first, as the "
        "library's colliders take it, makes it exact under a constant force",
        "rms errors in 64 steps %.2g and %.2g, measured order of the first %.2f", of(bounce, 0, "error"), of(bounce, 1, "error"),
        of(bounce, 0, "slope"));
}
