/* E1 to E5: the program's measurements, compared with closed forms and the theory of the methods. */
#include "experiments_json.h"

#include <complex.h>

typedef void check_row(const kdr_method_info *info, const json_t *row, const void *context);

/* Checks that every method has its row in a table of one row per method, and calls `check` for those that were not refused. */
static void each_method(const json_t *rows, bool damped, check_row *check, const void *context) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        const json_t *row = experiment_row(rows, info->name, NULL, 0);
        cr_assert(row, "%s has a row", info->name);
        const bool expected = damped && info->velocity_forces != KDR_VELOCITY_ANY;
        cr_expect(experiment_refused(row) == expected, "%s is %srefused", info->name, expected ? "" : "not ");
        if (expected) {
            cr_expect(strstr(json_text_at(row, "refused"), info->name) && strstr(json_text_at(row, "refused"), "take "), "%s",
                      json_text_at(row, "refused"));
        } else {
            check(info, row, context);
        }
    }
}

/* Constant acceleration: methods of second order are exact, and so is suvat; the error of the others is the fall in half a step. */
static void check_fall(const kdr_method_info *info, const json_t *row, const void *context) {
    (void)context;
    const double error = experiment_number(row, "error");
    if (info->order >= 2 || strcmp(info->name, "suvat") == 0 || strcmp(info->name, "kinematic") == 0) {
        cr_expect(fabs(error) < 1e-9, "%s: %g", info->name, error);
    } else {
        cr_expect(fabs(fabs(error) - 50) < 1e-9, "%s: %g", info->name, error);
    }
    cr_expect(fabs(experiment_number(row, "v") - 100) < 1e-11, "%s", info->name);
}

Test(experiments_motion, e1_constant_acceleration) {
    static const double table[11] = {0, 0, 10, 30, 60, 100, 150, 210, 280, 360, 450};
    program p = program_begin();
    json_t *report = experiment_json(&p, "e1", NULL);
    experiment_claims(report, 3, NULL);
    const json_t *steps = experiment_rows(report, "steps"), *floats = experiment_rows(report, "float");
    cr_assert(json_array_size(steps) == 11 && json_array_size(floats) == 2);
    for (size_t i = 0; i < 11; ++i) {
        cr_expect(experiment_number(json_array_get(steps, i), "x") == table[i]);
    }
    for (size_t i = 0; i < 2; ++i) {
        cr_expect(strcmp(json_text_at(json_array_get(floats, i), "x"), "499.497070") == 0 &&
                  strcmp(json_text_at(json_array_get(floats, i), "v"), "99.999046") == 0);
    }
    each_method(experiment_rows(report, "methods"), false, check_fall, NULL);
    json_decref(report);
    program_end(&p);
}

static void check_damped(const kdr_method_info *info, const json_t *row, const void *context) {
    (void)context;
    const double error = experiment_number(row, "error"), ratio = experiment_number(row, "energy_ratio");
    if (strcmp(info->name, "explicit-euler") == 0) {
        return;
    }
    /* Methods of first order lose h omega / 2 of the amplitude, or their phase drifts. Those with numerical damping lose more. */
    const bool lossy = strcmp(info->name, "implicit-euler") == 0 || strcmp(info->name, "suvat") == 0;
    const double most = info->order_velocity > 2 ? 2e-3 : info->order_velocity == 2 ? 0.1 : lossy ? 100 : 0.6;
    cr_expect(error < most, "%s: %g", info->name, error);
    cr_expect(lossy ? fabs(ratio - 1) > 0.5 : fabs(ratio - 1) < 0.03, "%s: %g", info->name, ratio);
}

Test(experiments_motion, e2_damped_spring) {
    program p = program_begin();
    json_t *report = experiment_json(&p, "e2", NULL);
    experiment_claims(report, 2, NULL);
    const json_t *rows = experiment_rows(report, "methods");
    each_method(rows, true, check_damped, NULL);
    const double gain = pow(1 - 0.01 * 0.1 + 0.01 * 0.01 * 15, 9000),
                 euler = experiment_number(experiment_row(rows, "explicit-euler", NULL, 0), "energy");
    cr_expect(near_part(euler, gain, 0.01), "explicit Euler: %g for %g", euler, gain);
    /* RK4's phase error is (omega h)^5 / 120 per step, at omega h = 0.0387. */
    const double rk4 = experiment_number(experiment_row(rows, "rk4", NULL, 0), "error"), z = sqrt(15) * 0.01;
    cr_expect(near_part(rk4, 9000 * pow(z, 5) / 120, 0.1), "RK4: %g", rk4);
    json_decref(report);
    program_end(&p);
}

/* Returns the factor of one step on x - i v / omega, for methods whose step is a rotation and a scaling. */
static double complex turn(const char *method, double z) {
    const double complex y = I * z;
    if (strcmp(method, "explicit-euler") == 0) {
        return 1 + y;
    }
    if (strcmp(method, "implicit-euler") == 0) {
        return 1 / (1 - y);
    }
    if (strcmp(method, "implicit-midpoint") == 0) {
        return (1 + y / 2) / (1 - y / 2);
    }
    if (strcmp(method, "rk4") == 0 || strcmp(method, "rk4-38") == 0) {
        return 1 + y + y * y / 2 + y * y * y / 6 + y * y * y * y / 24;
    }
    if (strcmp(method, "rk3") == 0) {
        return 1 + y + y * y / 2 + y * y * y / 6;
    }
    if (strcmp(method, "heun") == 0 || strcmp(method, "midpoint") == 0 || strcmp(method, "ralston") == 0) {
        return 1 + y + y * y / 2;
    }
    return 0;
}

typedef struct step {
    double h;
    int count;
} step;

static void check_oscillator(const kdr_method_info *info, const json_t *row, const void *context) {
    const step *s = context;
    const double z = sqrt(15) * s->h, amplitude = experiment_number(row, "amplitude"), phase = experiment_number(row, "phase");
    const double low = experiment_number(row, "amplitude_low"), high = experiment_number(row, "amplitude_high");
    const double complex factor = turn(info->name, z);
    if (factor != 0) {
        const double stretched = pow(cabs(factor), s->count), ahead = s->count * (carg(factor) - z);
        cr_expect(near_part(amplitude, stretched, 1e-9), "%s, h = %g: amplitude %.12g for %.12g", info->name, s->h, amplitude, stretched);
        cr_expect(fabs(phase - ahead) < 1e-8, "%s, h = %g: phase %.12g for %.12g", info->name, s->h, phase, ahead);
    }
    /* Three forms of the same map have cos theta = 1 - z^2 / 2, on an ellipse that differs from a circle by at most z. */
    if (strcmp(info->name, "semi-implicit-euler") == 0 || strcmp(info->name, "velocity-verlet") == 0 ||
        strcmp(info->name, "position-verlet") == 0) {
        const double ahead = s->count * (2 * asin(z / 2) - z);
        cr_expect(fabs(phase - ahead) < z / 2, "%s, h = %g: phase %g for %g", info->name, s->h, phase, ahead);
    }
    if (info->symplectic) {
        cr_expect(low > 0.7 && high < 1.5 && low < 1 + 1e-3 && high > 1 - 1e-3, "%s, h = %g: amplitude from %g to %g", info->name, s->h,
                  low, high);
    } else if (info->family == KDR_RUNGE_KUTTA) {
        cr_expect(high < 1 - 1e-4 || low > 1 + 1e-4, "%s, h = %g: neither loses nor gains, from %g to %g", info->name, s->h, low, high);
    }
}

Test(experiments_motion, e3_amplitude_and_phase) {
    static const step steps[2] = {{0.1, 900}, {0.25, 360}};
    program p = program_begin();
    json_t *report = experiment_json(&p, "e3", NULL);
    experiment_claims(report, 4, NULL);
    each_method(experiment_rows(report, "h=0.1"), false, check_oscillator, &steps[0]);
    each_method(experiment_rows(report, "h=0.25"), false, check_oscillator, &steps[1]);
    /* The scene has the start and the end of the experiment. */
    double state[16];
    program_run(&p, "run", SCENES "oscillator.yaml", "--out", "state.csv", NULL);
    cr_assert(p.status == 0 && program_row(&p, "state.csv", 0, state) == 8);
    const json_t *row = experiment_row(experiment_rows(report, "h=0.1"), "semi-implicit-euler", NULL, 0);
    cr_expect(fabs(hypot(state[1], state[4] / sqrt(15)) / 1000 - experiment_number(row, "amplitude")) < 1e-13);
    json_decref(report);
    program_end(&p);
}

static const double stiff[4] = {200, 1e4, 1e5, 1e6};

/* Checks that a spring is bounded below the limit of the table, and not above it, unless a further interval of stability begins there, as
 * for blanes-moan-11b. */
static void check_spring(const kdr_method_info *info, const json_t *row) {
    const double z = experiment_number(row, "z"), h = info->stability;
    if (z < 0.999 * h) {
        cr_expect(experiment_flag(row, "bounded") && experiment_number(row, "most_200") < 3, "%s at omega h = %g: %g", info->name, z,
                  experiment_number(row, "most_200"));
    } else if (h > 0 && z > 1.001 * h && strcmp(info->name, "blanes-moan-11b") != 0) {
        cr_expect(!experiment_flag(row, "bounded"), "%s at omega h = %g, limit %g", info->name, z, h);
    }
}

Test(experiments_motion, e4_oscillating_springs) {
    program p = program_begin();
    json_t *report = experiment_json(&p, "e4", NULL);
    experiment_claims(report, 2, NULL);
    const json_t *rows = experiment_rows(report, "methods");
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        for (int i = 0; i < 4; ++i) {
            const kdr_method_info *info = kdr_method_get((kdr_method)m);
            const json_t *row = experiment_row(rows, info->name, "k", stiff[i]);
            cr_assert(row, "%s, k = %g", info->name, stiff[i]);
            check_spring(info, row);
        }
    }
    const double z = sqrt(200.0 / 250) * 0.1, euler = experiment_number(experiment_row(rows, "explicit-euler", "k", 200), "most_200");
    cr_expect(near_part(euler, pow(1 + z * z, 1000), 1e-6), "explicit Euler: %g", euler);
    double state[16];
    program_run(&p, "run", SCENES "stiff-springs.yaml", "--steps", "2000", "--method", "velocity-verlet", "--out", "state.csv", NULL);
    for (size_t i = 0; i < 2; ++i) {
        cr_assert(program_row(&p, "state.csv", i, state) == 8);
        const double measured = experiment_number(experiment_row(rows, "velocity-verlet", "k", stiff[i]), "amplitude");
        cr_expect(fabs(hypot(state[1], state[4] / sqrt(stiff[i] / 250)) / 0.5 - measured) < 1e-13, "the scene's spring %zu", i);
    }
    json_decref(report);
    program_end(&p);
}

/* The largest omega h at zeta = 1, from the roots of each method's characteristic polynomial. It gives the largest stiffness. */
static const struct threshold {
    const char *method, *variant;
    double z;
} thresholds[] = {
    {"explicit-euler", "", 2},
    {"semi-implicit-euler", "", 0.82842712474619},
    {"velocity-verlet", "acceleration kept", 0.82842712474619},
    {"velocity-verlet", "afresh at each step", 2},
    {"velocity-verlet-pc", "afresh at each step", 1},
    {"suvat", "", 1},
    {"heun", "", 2},
    {"rk4", "", 2.78529356340528162352975918977},
};

static void check_thresholds(const json_t *rows) {
    size_t found = 0, i;
    const json_t *row;
    json_array_foreach(rows, i, row) {
        for (size_t k = 0; k < sizeof thresholds / sizeof *thresholds && !experiment_refused(row); ++k) {
            const struct threshold *t = &thresholds[k];
            if (strcmp(json_text_at(row, "method"), t->method) != 0 || strcmp(json_text_at(row, "variant"), t->variant) != 0) {
                continue;
            }
            ++found;
            cr_expect(near_part(experiment_number(row, "k"), 250 * t->z * t->z / 0.01, 1e-3), "%s %s: %g N/m", t->method, t->variant,
                      experiment_number(row, "k"));
        }
    }
    cr_expect(found >= 5, "%zu known thresholds", found);
}

/* Checks that a spring below its threshold is stable in the table. One above it is not, for methods without a further interval of
 * stability. */
static void check_stable(const json_t *rows, const json_t *ends) {
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row) {
        const json_t *end = experiment_row(ends, json_text_at(row, "method"), NULL, 0);
        if (experiment_refused(row)) {
            cr_expect(experiment_refused(end));
            continue;
        }
        const double limit = experiment_number(end, "k"), k = experiment_number(row, "k"); /* limit NaN: none was found */
        bool known = false;
        for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; ++t) {
            known = known || strcmp(json_text_at(row, "method"), thresholds[t].method) == 0;
        }
        if (!(k >= limit)) {
            cr_expect(experiment_flag(row, "stable"), "%s, k = %g, limit %g", json_text_at(row, "method"), k, limit);
        } else if (known) {
            cr_expect(!experiment_flag(row, "stable"), "%s, k = %g, limit %g", json_text_at(row, "method"), k, limit);
        }
    }
}

/* Checks Verlet with a force that uses v_n, on m x'' = -k x - c x'. The matrix of a step of (x, v, h a) has eigenvalues that reach 1 at
 * omega h = sqrt 3 - 1. */
static void check_unmodified(const json_t *report) {
    static const double springs[5] = {1e4, 1.5e4, 1.8e4, 3e4, 8e4};
    const json_t *rows = experiment_rows(report, "unmodified");
    const double limit = 250 * pow(sqrt(3) - 1, 2) / 0.01;
    for (int i = 0; i < 5; ++i) {
        const json_t *row = experiment_row(rows, "Verlet, unmodified", "k", springs[i]);
        double x = 1, v = 0, a = -springs[i] / 250;
        for (int n = 0; n < 2000; ++n) {
            const double before = a;
            x += 0.1 * v + 0.005 * a;
            a = (-springs[i] * x - 2 * sqrt(springs[i] * 250) * v) / 250;
            v += 0.05 * (before + a);
        }
        cr_expect(row && experiment_flag(row, "stable") == (springs[i] < limit) && (fabs(x) < 1) == (springs[i] < limit), "k = %g: %g",
                  springs[i], x);
    }
    cr_expect(strstr(json_text_at(experiment_claim(report, "sqrt 3 - 1"), "measured"), "k = 13397 N/m"));
}

Test(experiments_motion, e5_critically_damped_springs) {
    program p = program_begin();
    json_t *report = experiment_json(&p, "e5", NULL);
    experiment_claims(report, 10, NULL);
    check_unmodified(report);
    const json_t *rows = experiment_rows(report, "methods"), *ends = experiment_rows(report, "thresholds");
    check_thresholds(ends);
    check_stable(rows, ends);
    const double rk4 = experiment_number(experiment_row(rows, "rk4", "k", 1e4), "rank");
    const double euler = experiment_number(experiment_row(rows, "explicit-euler", "k", 1e4), "rank");
    const double verlet = experiment_number(experiment_row(rows, "velocity-verlet", "k", 1e4), "rank");
    cr_expect(rk4 < verlet && verlet < euler, "ranks at 10,000 N/m: RK4 %g, Verlet %g, Euler %g", rk4, verlet, euler);
    double state[16];
    program_run(&p, "run", SCENES "critical-springs.yaml", "--steps", "2000", "--method", "semi-implicit-euler", "--out", "state.csv",
                NULL);
    static const double stiffness[3] = {1e4, 1.5e4, 1.8e4};
    for (size_t i = 0; i < 3; ++i) {
        cr_assert(program_row(&p, "state.csv", i, state) == 8);
        const double end = experiment_number(experiment_row(rows, "semi-implicit-euler", "k", stiffness[i]), "end");
        cr_expect(state[1] == end, "the scene's spring %zu: %.17g for %.17g", i, state[1], end);
    }
    json_decref(report);
    program_end(&p);
}

/* The limits of VDrift's six methods in ms: omega h of the analysis, divided by omega and by the evaluations. */
Test(experiments_motion, e5_ranking) {
    static const struct limits {
        const char *method;
        double evaluations, critical, over, under;
    } limits[] = {
        {"explicit-euler", 1, 2, 0.535898, 0.2},
        {"suvat", 1, 1, 0.5, 0.4},
        {"semi-implicit-euler", 1, 0.828427, 0.472136, 1.80998},
        {"velocity-verlet", 1, 0.828427, 0.472136, 1.80998},
        {"heun", 2, 2, 0.535898, 1.04975},
        {"rk4", 4, 2.78529, 0.746317, 2.95085},
    };
    program p = program_begin();
    json_t *report = experiment_json(&p, "ranking", NULL);
    const json_t *rows = experiment_rows(report, "ranking");
    size_t found = 0;
    for (size_t i = 0; i < 6; ++i) {
        const json_t *row = experiment_row(rows, limits[i].method, NULL, 0);
        const double scale = 1000 / sqrt(600000.0 / 168) / limits[i].evaluations;
        if (!row) {
            continue;
        }
        ++found;
        cr_expect(near_part(experiment_number(row, "limit_1"), scale * limits[i].critical, 2e-4), "%s", limits[i].method);
        cr_expect(near_part(experiment_number(row, "limit_2"), scale * limits[i].over, 2e-4), "%s", limits[i].method);
        cr_expect(near_part(experiment_number(row, "limit_0.1"), scale * limits[i].under, 2e-4), "%s", limits[i].method);
    }
    kdr_method suvat;
    const bool all = kdr_method_from_name("suvat", &suvat) == KDR_OK;
    cr_expect(found == (all ? 6 : 5));
    experiment_claims(report, all ? 7 : 0, NULL);
    json_decref(report);
    program_end(&p);
}
