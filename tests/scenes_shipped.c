/* The shipped scenes: each is compared with known results, and has the same bits on every backend, with every thread count and report. */
#include "scenes_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run_out(program *p, const char *scene, const char *method, const char *steps) {
    program_run(p, "run", scene, "--method", method, "--steps", steps, "--out", "state.csv", NULL);
    cr_assert(p->status == 0, "%s %s: %s", scene, method, p->err);
}

Test(scenes_shipped, constant_acceleration) {
    static const double explicit_euler[11] = {0, 0, 10, 30, 60, 100, 150, 210, 280, 360, 450};
    static const char scene[] = SCENES "constant-acceleration.yaml";
    program p = program_begin();
    double row[16];
    for (int step = 0; step <= 10; ++step) {
        char steps[8];
        snprintf(steps, sizeof steps, "%d", step);
        run_out(&p, scene, "explicit-euler", steps);
        cr_assert(program_row(&p, "state.csv", 0, row) == 8);
        cr_expect(row[1] == explicit_euler[step], "x = %.17g after %d steps", row[1], step);
        cr_expect(row[4] == 10.0 * step);
    }
    static const char *const exact[] = {"velocity-verlet", "rk4"};
    for (int i = 0; i < 2; ++i) {
        run_out(&p, scene, exact[i], "10");
        program_row(&p, "state.csv", 0, row);
        cr_expect(fabs(row[1] - 500) < 1e-12, "%s: x = %.17g", exact[i], row[1]);
    }
    program_end(&p);
}

Test(scenes_shipped, damped_spring) {
    static const char scene[] = SCENES "damped-spring.yaml";
    const double c = 0.05, w = sqrt(15 - c * c), t = 10;
    const double x = 1000 * exp(-c * t) * (cos(w * t) + c / w * sin(w * t)), v = -1000 * exp(-c * t) * 15 / w * sin(w * t);
    program p = program_begin();
    double row[16];
    run_out(&p, scene, "rk4", "1000");
    program_row(&p, "state.csv", 0, row);
    /* The method's own error at omega h = 0.0387 is (omega h)^4 omega t / 120 of the amplitude, 7e-7. */
    cr_expect(fabs(row[1] - x) < 1e-3 && fabs(row[4] - v) < 4e-3, "rk4: x %.9g for %.9g, v %.9g for %.9g", row[1], x, row[4], v);
    run_out(&p, scene, "semi-implicit-euler", "1000");
    program_row(&p, "state.csv", 0, row);
    cr_expect(fabs(row[1] - x) < 20, "semi-implicit Euler, first order: x %.9g for %.9g", row[1], x);

    static const struct energy {
        const char *method;
        bool gains;
    } energies[] = {{"explicit-euler", true}, {"rk4", false}, {"semi-implicit-euler", false}};
    for (int i = 0; i < 3; ++i) {
        program_run(&p, "run", scene, "--json", "--method", energies[i].method, NULL);
        json_t *object = program_json(&p);
        const bool gains = json_at(object, "energy", "last") > json_at(object, "energy", "first");
        cr_expect(gains == energies[i].gains, "%s: %s", energies[i].method, p.out);
        json_decref(object);
    }
    program_end(&p);
}

Test(scenes_shipped, kepler) {
    /* Results of the methods in exact arithmetic. */
    static const struct oracle {
        const char *method;
        double state[4];
    } oracles[] = {
        {"explicit-euler", {-0.4291452495661813210876, 0.9248603818683805139483, -1.065872983872860965368, 0.1604206105581139351888}},
        {"semi-implicit-euler", {-0.4580938121417272966524, 0.8399905461913035506753, -1.048761724544228077427, 0.03257963684386881655727}},
        {"velocity-verlet", {-0.4278698151961049636014, 0.8642632807848244033012, -1.034521513816169670292, 0.06561237271654764274361}},
        {"rk4", {-0.4279673038526582950215, 0.8637755991908449825397, -1.034667271322531172090, 0.06471274824900205396544}},
    };
    static const int columns[4] = {1, 2, 4, 5};
    program p = program_begin();
    for (size_t i = 0; i < sizeof oracles / sizeof oracles[0]; ++i) {
        double row[16];
        run_out(&p, SCENES "kepler.yaml", oracles[i].method, "64");
        program_row(&p, "state.csv", 0, row);
        for (int k = 0; k < 4; ++k) {
            cr_expect(fabs(row[columns[k]] - oracles[i].state[k]) < 4e-15, "%s: %.17g for %.17g", oracles[i].method, row[columns[k]],
                      oracles[i].state[k]);
        }
        cr_expect(row[3] == 0 && row[6] == 0);
    }
    program_end(&p);
}

/* Computes two-body motion by the f and g functions of the change of the eccentric anomaly (Bate, Mueller, White, "Fundamentals of
 * Astrodynamics", 4.4), for ellipses. */
static void kepler_orbit(double mu, double t, double state[6]) {
    double *x = state, *v = state + 3;
    const double r0 = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], rv = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
    const double a = 1 / (2 / r0 - v2 / mu), n = sqrt(mu / (a * a * a));
    const double ec = 1 - r0 / a, es = rv / (n * a * a);
    double e = n * t; /* change of the eccentric anomaly */
    for (int i = 0; i < 50; ++i) {
        e -= (e - ec * sin(e) + es * (1 - cos(e)) - n * t) / (1 - ec * cos(e) + es * sin(e));
    }
    const double r = a * (1 - ec * cos(e) + es * sin(e));
    const double f = 1 - a / r0 * (1 - cos(e)), g = t - (e - sin(e)) / n;
    const double df = -sqrt(mu * a) / (r * r0) * sin(e), dg = 1 - a / r * (1 - cos(e));
    for (int i = 0; i < 3; ++i) {
        const double x0 = x[i], v0 = v[i];
        x[i] = f * x0 + g * v0;
        v[i] = df * x0 + dg * v0;
    }
}

Test(scenes_shipped, asteroids, .timeout = 120, .disabled = SANITIZED) {
    /* Ceres, Pallas, Juno, Vesta, Eros, Icarus, Phaethon, and one beyond Neptune. Round and distant orbits have the smallest errors. They
     * are the method's own: with a step half or twice as long they are four times smaller or larger, to 1 %. */
    static const struct watched {
        size_t row;
        double error; /* in au */
    } watched[] = {{1, 2.41e-6},   {2, 1.96e-6},    {3, 2.19e-6},    {4, 4.95e-6},
                   {433, 2.73e-5}, {1566, 2.29e-3}, {3200, 5.64e-3}, {13000, 2.48e-10}};
    program p = program_begin();
    program_run(&p, "run", SCENES "asteroids.yaml", "--json", "--out", "state.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    json_t *object = program_json(&p);
    cr_expect(json_at(object, "particles", NULL) == 13750);
    cr_expect(json_at(object, "evaluations", NULL) == 13750.0 * 29221, "one a step and one at the start");
    cr_expect(json_at(object, "t", NULL) == 3652.5);
    const double error = json_at(object, "energy", "max_relative_error");
    cr_expect(error > 1e-8 && error < 3e-8, "energy: %g", error);
    json_decref(object);

    program_run(&p, "run", SCENES "asteroids.yaml", "--steps", "0", "--out", "start.csv", NULL);
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; ++i) {
        double start[16], state[16];
        cr_assert(program_row(&p, "start.csv", watched[i].row - 1, start) == 8);
        cr_assert(program_row(&p, "state.csv", watched[i].row - 1, state) == 8);
        cr_expect(start[0] == (double)watched[i].row && state[0] == start[0]);
        kepler_orbit(0.0002959122082855911, 3652.5, start + 1);
        double distance = 0;
        for (int k = 1; k <= 3; ++k) {
            distance += (state[k] - start[k]) * (state[k] - start[k]);
        }
        distance = sqrt(distance);
        cr_expect(fabs(distance / watched[i].error - 1) < 0.05, "minor planet %zu: %g au from its orbit", watched[i].row, distance);
    }
    program_end(&p);
}

/* Computes a drop's mass from its sideways velocity, which only the drag changes. Everything else must then follow the closed form. */
static void check_drop(const double start[16], const double state[16], double t) {
    const double b = 0.5, g[3] = {0, 0, -9.81}, wind[3] = {3, 0, 0};
    const double rate = -log(state[5] / start[5]) / t, decay = exp(-rate * t), m = b / rate;
    cr_expect(m > 0.99 && m < 2.02, "a mass of %g", m);
    for (int i = 0; i < 3; ++i) {
        const double terminal = wind[i] + g[i] / rate;
        const double v = terminal + (start[4 + i] - terminal) * decay;
        const double x = start[1 + i] + terminal * t + (start[4 + i] - terminal) * (1 - decay) / rate;
        cr_expect(fabs(state[4 + i] - v) < 2e-3 && fabs(state[1 + i] - x) < 2e-3, "drop %g axis %d: %g for %g, %g for %g", start[0], i,
                  state[4 + i], v, state[1 + i], x);
    }
}

Test(scenes_shipped, fountain, .timeout = 120) {
    program p = program_begin();
    program_run(&p, "run", SCENES "fountain.yaml", "--steps", "0", "--out", "start.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    program_run(&p, "run", SCENES "fountain.yaml", "--steps", "50", "--out", "state.csv", "--json", NULL);
    json_t *object = program_json(&p);
    cr_expect(json_at(object, "particles", NULL) == 1e6 && json_at(object, "evaluations", NULL) == 1e6 * 4 * 50);
    cr_expect(strcmp(json_text_at(object, "real"), "f32") == 0 && strcmp(json_text_at(object, "method"), "rk4") == 0);
    json_decref(object);
    for (size_t row = 0, checked = 0; checked < 20; ++row) {
        double start[16], state[16];
        cr_assert(program_row(&p, "start.csv", row, start) == 8 && program_row(&p, "state.csv", row, state) == 8);
        if (fabs(start[5]) < 0.5) {
            continue; /* its sideways motion is too slow to determine the mass in f32 */
        }
        check_drop(start, state, 0.5);
        ++checked;
    }
    program_end(&p);
}

/* Every charge keeps its speed about the drift, and moves freely along the field. */
/* The first star moves in a circle, and every star keeps its energy. */
Test(scenes_shipped, galaxy) {
    program p = program_begin();
    double row[16];
    program_run(&p, "run", SCENES "galaxy.yaml", "--out", "state.csv", "--json", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    cr_assert(program_row(&p, "state.csv", 0, row) == 8);
    cr_expect(fabs(hypot(row[1], row[2]) - 8) < 1e-6 && row[3] == 0 && fabs(hypot(row[4], row[5]) - 220) < 1e-4, "%.9g",
              hypot(row[1], row[2]));
    const double angle = atan2(row[2], row[1]), turned = 220.0 / 8 * 3;
    cr_expect(fabs(remainder(angle - turned, 2 * M_PI)) < 1e-5, "%.9g", remainder(angle - turned, 2 * M_PI));
    json_t *object = program_json(&p);
    cr_expect(json_at(object, "energy", "max_relative_error") < 1e-8, "%s", p.out);
    json_decref(object);
    program_end(&p);
}

Test(scenes_shipped, gyration) {
    static const double beside[3] = {0, 1, 1};
    program p = program_begin();
    program_run(&p, "run", SCENES "gyration.yaml", "--out", "state.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    for (size_t i = 0; i < 3; ++i) {
        double row[16];
        cr_assert(program_row(&p, "state.csv", i, row) == 8);
        cr_expect(fabs(hypot(row[4] - 0.25, row[5]) - beside[i]) < 1e-14, "charge %zu: %.17g beside the drift", i,
                  hypot(row[4] - 0.25, row[5]));
        /* The distance from the centre is m |v| / b; the charge began that far above it. */
        const double radius = (i == 2 ? 2 : 1) * beside[i] / 2, away = hypot(row[1] - 0.25 * 125, row[2] + radius);
        cr_expect(fabs(away - radius) < 1e-12, "charge %zu: %.17g from its centre", i, away);
        cr_expect(fabs(row[3] - 125 * row[6]) < 1e-12 && row[6] == (i ? 0.5 : 0));
    }
    run_out(&p, SCENES "gyration.yaml", "velocity-verlet", "1000");
    double row[16];
    cr_assert(program_row(&p, "state.csv", 1, row) == 8);
    cr_expect(hypot(row[4] - 0.25, row[5]) > 10);
    program_end(&p);
}

/* Equipartition holds within four standard deviations of the mean over 10,000 oscillators. */
Test(scenes_shipped, heat_bath) {
    static const double stiffness[3] = {1, 4, 16};
    enum { MANY = 10000 };
    program p = program_begin();
    program_run(&p, "run", SCENES "heat-bath.yaml", "--out", "state.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    char *text = program_read(&p, "state.csv"), *line = strchr(text, '\n');
    double sum[6] = {0};
    int count = 0;
    for (double x[6]; line && sscanf(line, " %*[^,],%lf,%lf,%lf,%lf,%lf,%lf", &x[0], &x[1], &x[2], &x[3], &x[4], &x[5]) == 6; ++count) {
        for (int k = 0; k < 6; ++k) {
            sum[k] += x[k] * x[k];
        }
        line = strchr(line + 1, '\n');
    }
    cr_assert(count == MANY, "%d", count);
    for (int i = 0; i < 3; ++i) {
        const double within = 4 * sqrt(2.0 / MANY), moving = 1 - stiffness[i] * 0.125 * 0.125 / 4;
        cr_expect(fabs(stiffness[i] * sum[i] / MANY - 1) < within, "k = %g: k x^2 is %g", stiffness[i], stiffness[i] * sum[i] / MANY);
        cr_expect(fabs(sum[3 + i] / MANY - moving) < within, "k = %g: v^2 is %g", stiffness[i], sum[3 + i] / MANY);
    }
    free(text);
    program_end(&p);
}

/* All balls are on the ground and at rest, and none is outside. */
Test(scenes_shipped, box, .timeout = 300, .disabled = SANITIZED) {
    enum { BALLS = 20000 };
    program p = program_begin();
    program_run(&p, "run", SCENES "box.yaml", "--out", "state.csv", "--json", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    json_t *object = program_json(&p);
    cr_expect(json_at(object, "particles", NULL) == BALLS);
    json_decref(object);
    for (size_t row = 0; row < BALLS; row += 97) {
        double state[16];
        cr_assert(program_row(&p, "state.csv", row, state) == 8);
        cr_expect(fabs(state[1]) <= 1 && fabs(state[2]) <= 1 && state[3] == 0, "ball %g: %g %g %g", state[0], state[1], state[2], state[3]);
        cr_expect(fabs(state[4]) < 1e-6 && fabs(state[5]) < 1e-6 && state[6] == 0, "ball %g: %g %g %g", state[0], state[4], state[5],
                  state[6]);
    }
    program_end(&p);
}

/* Over 10^5 steps of three pendulums the largest energy error is that of the step, and the rods keep their lengths. */
Test(scenes_shipped, pendulum, .timeout = 60) {
    program p = program_begin();
    program_run(&p, "run", SCENES "pendulum.yaml", "--out", "state.csv", "--json", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    json_t *object = program_json(&p);
    const double error = json_at(object, "energy", "max_relative_error");
    cr_expect(error > 1e-7 && error < 2e-3, "%g", error);
    json_decref(object);
    for (size_t row = 0; row < 3; ++row) {
        double s[16];
        cr_assert(program_row(&p, "state.csv", row, s) == 8);
        cr_expect(fabs(sqrt(s[1] * s[1] + s[2] * s[2] + (s[3] - 2) * (s[3] - 2)) - 1) < 1e-15, "pendulum %g", s[0]);
    }
    program_end(&p);
}

/* Free flight from (-1, 1) for a unit of time. On each axis the share within (-2, 2) is (F(3) - F(1) - F(-1) + F(-3)) / 2 with F(x) = x
 * Phi(x) + phi(x). One minus its cube of the particles has left. */
Test(scenes_shipped, gas, .timeout = 60) {
    program p = program_begin();
    program_run(&p, "run", SCENES "gas.yaml", "--json", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    json_t *object = program_json(&p);
    double within = 0;
    static const double ends[4][2] = {{3, 1}, {1, -1}, {-1, -1}, {-3, 1}};
    for (int i = 0; i < 4; ++i) {
        within +=
            ends[i][1] / 2 * (ends[i][0] * 0.5 * erfc(-ends[i][0] / sqrt(2)) + exp(-ends[i][0] * ends[i][0] / 2) / sqrt(2 * acos(-1)));
    }
    const double expected = 100000 * (1 - pow(within, 3)), spread = sqrt(expected * pow(within, 3));
    const double absorbed = json_at(object, "absorbed", NULL);
    cr_expect(fabs(absorbed - expected) < 5 * spread, "%g absorbed, %g expected, give or take %g", absorbed, expected, spread);
    json_decref(object);
    program_end(&p);
}

/* Returns the fingerprint of a run in `fingerprint`; `option` and `value` are a further option. */
static void fingerprint_of(program *p, const char *scene, const char *steps, const char *option, const char *value, char fingerprint[17]) {
    program_run(p, "run", scene, "--json", "--steps", steps, option, value, NULL);
    cr_assert(p->status == 0, "%s: %s", scene, p->err);
    json_t *object = program_json(p);
    snprintf(fingerprint, 17, "%s", json_text_at(object, "fingerprint"));
    json_decref(object);
}

/* Returns the backends that run here, as `kickdrift cpu` prints them. */
static size_t runnable(program *p, char names[8][16]) {
    size_t count = 0, i;
    json_t *backend;
    program_run(p, "cpu", "--json", NULL);
    json_t *object = program_json(p);
    json_array_foreach(json_object_get(object, "backends"), i, backend) {
        if (json_is_true(json_object_get(backend, "runnable")) && count < 8) {
            snprintf(names[count++], 16, "%s", json_text_at(backend, "name"));
        }
    }
    json_decref(object);
    cr_assert(count >= 1);
    return count;
}

Test(scenes_shipped, same_bits, .timeout = 300) {
    static const struct known {
        const char *scene, *steps;
        bool arithmetics_differ; /* with a step of 2^-6, the products of velocity Verlet are exact */
    } scenes[] = {{SCENES "kepler.yaml", "64", false},         {SCENES "constant-acceleration.yaml", "10", false},
                  {SCENES "damped-spring.yaml", "1000", true}, {SCENES "oscillator.yaml", "900", true},
                  {SCENES "stiff-springs.yaml", "20", true},   {SCENES "critical-springs.yaml", "50", true},
                  {SCENES "asteroids.yaml", "50", true},       {SCENES "fountain.yaml", "2", true},
                  {SCENES "gyration.yaml", "1000", true},      {SCENES "galaxy.yaml", "64", true},
                  {SCENES "heat-bath.yaml", "20", true},       {SCENES "box.yaml", "300", true},
                  {SCENES "pendulum.yaml", "1000", true}};
    program p = program_begin();
    char names[8][16];
    const size_t count = runnable(&p, names);
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        char first[17], other[17];
        fingerprint_of(&p, scenes[i].scene, scenes[i].steps, "--threads", "1", first);
        fingerprint_of(&p, scenes[i].scene, scenes[i].steps, "--threads", "2", other);
        cr_expect(strcmp(first, other) == 0, "%s: two threads", scenes[i].scene);
        for (size_t b = 0; b < count; ++b) {
            fingerprint_of(&p, scenes[i].scene, scenes[i].steps, "--backend", names[b], other);
            cr_expect(strcmp(first, other) == 0, "%s: %s", scenes[i].scene, names[b]);
        }
        fingerprint_of(&p, scenes[i].scene, scenes[i].steps, "--arith", "unfused", other);
        cr_expect((strcmp(first, other) != 0) == scenes[i].arithmetics_differ, "%s: fused and unfused", scenes[i].scene);
    }
    program_end(&p);
}
