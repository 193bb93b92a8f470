/* `kickdrift run` with --dt, --error, --converge: the output, its agreement with the true error, and refusals. */
#include "scenes_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two oscillators with x = cos t and x = 2 cos t, up to t = 1.28. */
#define SCENE(method, more)                                                                                                                \
    "particles:\n  state:\n    - {x: [1, 0, 0], v: [0, 0, 0], id: 0}\n    - {x: [2, 0, 0], v: [0, 0, 0], id: 7}\n"                         \
    "forces: [spring: {k: 1}]\nmethod: " method "\ndt: 0.01\nsteps: 128\n" more
static const double end_time = 1.28;

static json_t *run_json(program *p, const char *scene, const char *a, const char *b, const char *c, const char *d) {
    program_write_text(p, "scene.yaml", scene);
    program_run(p, "run", "scene.yaml", "--json", a, b, c, d, NULL);
    cr_assert(p->status == 0, "%s", p->err);
    return program_json(p);
}

/* Returns the error of id 7 at the end, from the state that the program writes. */
static double true_error(program *p, const char *method_option, const char *method) {
    double numbers[16];
    program_run(p, "run", "scene.yaml", "--out", "end.csv", method_option, method, NULL);
    cr_assert(p->status == 0 && program_row(p, "end.csv", 1, numbers) >= 7, "%s", p->err);
    return fabs(numbers[1] - 2 * cos(end_time));
}

Test(scenes_error, another_step_runs_the_same_time) {
    program p = program_begin();
    json_t *o = run_json(&p, SCENE("rk4", ""), "--dt", "0.005", NULL, NULL);
    cr_expect(json_at(o, "dt", NULL) == 0.005 && json_at(o, "steps", NULL) == 256 && fabs(json_at(o, "t", NULL) - end_time) < 1e-15);
    json_decref(o);
    o = run_json(&p, SCENE("rk4", ""), "--dt", "0.3", "--steps", "2");
    cr_expect(json_at(o, "dt", NULL) == 0.3 && json_at(o, "steps", NULL) == 2 && json_at(o, "t", NULL) == 0.6);
    json_decref(o);
    program_run(&p, "run", "scene.yaml", "--dt", "0.3", NULL);
    program_refused(&p, "no whole number", "run: --dt: the scene's 128 steps of 0.01 are no whole number of steps of 0.3", "--steps");
    program_run(&p, "run", "scene.yaml", "--dt", "-0.01", NULL);
    program_refused(&p, "back", "run: --dt: the scene's 128 steps", "no whole number");
    program_run(&p, "run", "scene.yaml", "--dt", "0", NULL);
    program_refused(&p, "zero", "run: --dt: expected a finite number other than 0", "\"0\"");
    program_run(&p, "run", "scene.yaml", "--dt", "1e-320", "--steps", "1", NULL);
    program_refused(&p, "too small", "run: --dt: expected a time step from", "");
    program_end(&p);
}

/* For orders 2 and 4, by half the step. The id is that of the particle with twice the error. */
Test(scenes_error, by_half_the_step) {
    static const char *const methods[] = {"velocity-verlet", "rk4", "semi-implicit-euler"};
    static const double orders[] = {2, 4, 1};
    program p = program_begin();
    for (int i = 0; i < 3; ++i) {
        json_t *o = run_json(&p, SCENE("rk4", ""), "--error", "--method", methods[i], NULL);
        const double told = json_at(o, "error", "x"), truth = true_error(&p, "--method", methods[i]);
        cr_expect(fabs(told - truth) < 0.02 * truth, "%s: %g of %g", methods[i], told, truth);
        cr_expect(json_at(o, "error", "order") == orders[i] && json_at(o, "error", "id") == 7 && json_at(o, "error", "particle") == 1);
        cr_expect(strcmp(json_string_value(json_object_get(json_object_get(o, "error"), "of")), "end") == 0);
        json_decref(o);
    }
    json_t *o = run_json(&p, SCENE("rk4", ""), NULL, NULL, NULL, NULL);
    cr_expect(json_object_get(o, "error") == NULL);
    json_decref(o);
    program_end(&p);
}

/* The estimate is that of a step, and the state is that of a run without it. */
Test(scenes_error, by_the_embedded_method) {
    program p = program_begin();
    char plain[17];
    json_t *o = run_json(&p, SCENE("dopri-5", ""), NULL, NULL, NULL, NULL);
    snprintf(plain, sizeof plain, "%s", json_text_at(o, "fingerprint"));
    json_decref(o);
    o = run_json(&p, SCENE("dopri-5", ""), "--error", NULL, NULL, NULL);
    cr_expect(strcmp(plain, json_text_at(o, "fingerprint")) == 0);
    /* The error of the lower order's step is about 71/57600 h^5 / 2 x^(5), which is 1e-10 / 120 times a constant of order 1 / 10. */
    const double told = json_at(o, "error", "x");
    cr_expect(told > 1e-13 && told < 1e-11, "%g", told);
    cr_expect(json_at(o, "error", "order") == 4 && json_at(o, "error", "id") == 7);
    cr_expect(strcmp(json_string_value(json_object_get(json_object_get(o, "error"), "of")), "step") == 0);
    json_decref(o);
    program_run(&p, "run", "scene.yaml", "--error", NULL);
    cr_expect(p.status == 0 && strstr(p.out, " in x of a step, at most: particle 1 (id 7), by the embedded method of order 4\n"), "%s",
              p.out);
    o = run_json(&p, SCENE("dopri-5", "colliders: [plane: {point: [0, 0, -1], normal: [0, 0, 1]}]\n"), "--error", NULL, NULL, NULL);
    cr_expect(json_at(o, "error", "x") == told, "walls that are not met");
    json_decref(o);
    program_end(&p);
}

Test(scenes_error, converge) {
    static const char *const methods[] = {"velocity-verlet", "rk4"};
    static const double orders[] = {2, 4};
    program p = program_begin();
    for (int i = 0; i < 2; ++i) {
        json_t *o = run_json(&p, SCENE("rk4", ""), "--converge", "3", "--method", methods[i]);
        const double told = json_at(o, "error", "x"), truth = true_error(&p, "--method", methods[i]);
        const json_t *runs = json_object_get(o, "runs");
        cr_assert(json_array_size(runs) == 4);
        cr_expect(fabs(told - truth) < 0.01 * truth, "%s: %g of %g", methods[i], told, truth);
        cr_expect(fabs(json_at(o, "error", "order") - orders[i]) < 0.05, "%s: %g", methods[i], json_at(o, "error", "order"));
        for (size_t n = 0; n < 4; ++n) {
            const json_t *run = json_array_get(runs, n);
            cr_expect(json_number_value(json_object_get(run, "dt")) == ldexp(0.01, -(int)n) &&
                      json_integer_value(json_object_get(run, "steps")) == 128 << n);
            cr_expect(json_is_number(json_object_get(run, "difference")) == (n < 3) &&
                      json_is_number(json_object_get(run, "order")) == (n == 1 || n == 2));
        }
        json_decref(o);
    }
    program_run(&p, "run", "scene.yaml", "--converge", "2", NULL);
    cr_expect(p.status == 0 && strstr(p.out, "to the next") && strstr(p.out, "extrapolated by order 4"), "%s", p.out);
    program_end(&p);
}

/* A rounding error is not a power of the step, and the output says that there is no order. */
Test(scenes_error, no_order_is_told) {
    program p = program_begin();
    json_t *o = run_json(&p, SCENE("kahan-li-8", "real: f32\n"), "--converge", "3", NULL, NULL);
    cr_expect(json_at(o, "error", "x") > 1e-9 && json_at(o, "error", "x") < 1e-4);
    json_decref(o);
    program_write_text(&p, "lost.yaml",
                       "particles:\n  state: [{x: [1, 0, 0], v: [1, 0, 0]}]\nforces: [spring: {k: -1e9}]\nmethod: rk4\ndt: 1\n"
                       "steps: 64\n");
    program_run(&p, "run", "lost.yaml", "--converge", "2", NULL);
    cr_expect(p.status == 1 && strstr(p.err, "became infinite or NaN"), "%d %s", p.status, p.err);
    program_end(&p);
}

Test(scenes_error, refused) {
    static const struct {
        const char *scene, *option, *value, *begins, *holds;
    } cases[] = {
        {SCENE("baoab", "langevin: {friction: 1, temperature: 1}\n"), "--converge", "2", "run: --converge: expected a temperature of 0",
         "heat bath"},
        {SCENE("baoab", "langevin: {friction: 1, temperature: 1}\n"), "--error", NULL, "run: --error: expected a temperature of 0",
         "heat bath"},
        {SCENE("rk4", "colliders: [plane: {normal: [0, 0, 1]}]\n"), "--error", NULL, "run: --error: expected no colliders", "smooth"},
        {SCENE("dopri-5", "colliders: [plane: {normal: [0, 0, 1]}]\n"), "--converge", "1", "run: --converge: expected no colliders",
         "smooth"},
        {SCENE("rk4", "boundary: {periodic: {min: [-9, -9, -9], max: [9, 9, 9]}}\n"), "--error", NULL, "run: --error: expected no boundary",
         ""},
        {SCENE("rk4", "constraints: [rope: {to: [0, 0, 0], length: 3}]\n"), "--error", NULL, "run: --error: expected no ropes", ""},
        {SCENE("{fractions: {kick: [1], drift: [1]}}", ""), "--error", NULL, "run: --error: the order of own-fractions is not known",
         "--converge 2"},
        {SCENE("rk4", ""), "--converge", "0", "run: --converge: expected a whole number from 1 to 10", "\"0\""},
        {SCENE("rk4", ""), "--converge", "11", "run: --converge: expected a whole number from 1 to 10", "\"11\""},
    };
    program p = program_begin();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        program_write_text(&p, "scene.yaml", cases[i].scene);
        program_run(&p, "run", "scene.yaml", cases[i].option, cases[i].value, NULL);
        program_refused(&p, cases[i].scene, cases[i].begins, cases[i].holds);
    }
    program_write_text(&p, "scene.yaml", SCENE("rk4", ""));
    program_run(&p, "run", "scene.yaml", "--converge", "1", "--out", "end.csv", NULL);
    program_refused(&p, "out", "run: --converge: it prints the error and writes nothing", "--out");
    cr_expect(!program_has(&p, "end.csv"));
    program_run(&p, "run", "scene.yaml", "--error", "--explain", NULL);
    program_refused(&p, "explain", "run: --explain: it takes no steps", "--error");
    /* The order of a user-defined row follows from runs that show it. */
    program_write_text(&p, "scene.yaml", SCENE("{fractions: {kick: [1], drift: [1]}}", ""));
    program_run(&p, "run", "scene.yaml", "--converge", "2", NULL);
    cr_expect(p.status == 0 && strstr(p.out, "extrapolated by order 1"), "%s%s", p.out, p.err);
    program_end(&p);
}
