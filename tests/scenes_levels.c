/* Scenes whose particles have levels. */
#include "scenes_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a scene with two close bodies and a far one, for 16 units of time; the period of the pair is 0.44. */
static void write_scene(const program *p, const char *levels, const char *dt, const char *steps) {
    char text[400];
    snprintf(text, sizeof text, "particles: {file: three.csv}\nforces: []\ninteractions: [gravity: {g: 1}]\n%s%sdt: %s\nsteps: %s\n",
             levels, strstr(levels, "method: ") ? "" : "method: velocity-verlet\n", dt, steps);
    program_write_text(p, "s.yaml", text);
}

static json_t *run_scene(program *p, const char *levels, const char *dt, const char *steps) {
    write_scene(p, levels, dt, steps);
    program_run(p, "run", "s.yaml", "--json", "--out", "o.csv", NULL);
    cr_assert(p->status == 0, "%s", p->err);
    return program_json(p);
}

static program begin(void) {
    program p = program_begin();
    program_write_text(&p, "three.csv",
                       "x,y,z,vx,vy,vz,mass,level,fine\n0.05,0,0,0,0.707106781186548,0,0.1,4,2\n-0.05,0,0,0,-0.707106781186548,0,0.1,4,2\n"
                       "2,0,0,0,0.316227766016838,0,0.01,0,2\n");
    return p;
}

/* One level for all equals as many steps without levels, from a list or a column, in the count of evaluations too. */
Test(scenes_levels, one_for_all) {
    static const char *const given[] = {"", "levels: {each: [2, 2, 2]}\n", "levels: {column: fine}\n"};
    program p = begin();
    char *text[3];
    for (int i = 0; i < 3; ++i) {
        json_t *const object = run_scene(&p, given[i], i == 0 ? "0.0078125" : "0.03125", i == 0 ? "256" : "64");
        cr_expect(json_at(object, "evaluations", NULL) == 3 * (256 + 1), "%s", p.out);
        text[i] = program_read(&p, "o.csv");
        json_decref(object);
    }
    cr_expect(strcmp(text[0], text[1]) == 0 && strcmp(text[0], text[2]) == 0, "%s\n%s\n%s", text[0], text[1], text[2]);
    for (int i = 0; i < 3; ++i) {
        free(text[i]);
    }
    program_end(&p);
}

/* Short steps for the pair alone conserve as well as short steps for all, and long steps do not. A body counts as often as it is
 * evaluated. */
Test(scenes_levels, a_pair_alone) {
    static const char *const given[] = {"levels: {column: level}\n", "levels: {each: [4, 4, 4]}\n", ""};
    static const double evaluations[] = {2 * (512 * 16 + 1) + 512 + 1, 3 * (512 * 16 + 1), 3 * (512 + 1)};
    program p = begin();
    double error[3];
    for (int i = 0; i < 3; ++i) {
        json_t *const object = run_scene(&p, given[i], "0.03125", "512");
        error[i] = json_at(object, "energy", "max_relative_error");
        cr_expect(json_at(object, "evaluations", NULL) == evaluations[i], "%s", p.out);
        json_decref(object);
    }
    cr_expect(error[0] < 1e-3 && error[0] < 1.5 * error[1] && error[2] > 20 * error[0], "%g %g %g", error[0], error[1], error[2]);
    program_end(&p);
}

Test(scenes_levels, explained) {
    static const char *const given[] = {"levels: {each: [1, 1, 0]}\n", ""};
    program p = begin();
    for (int i = 0; i < 2; ++i) {
        write_scene(&p, given[i], "0.01", "4");
        program_run(&p, "run", "s.yaml", "--explain", NULL);
        cr_expect(p.status == 0 && (strstr(p.out, "\nthis run has levels: ") != NULL) == (i == 0), "%s%s", p.out, p.err);
    }
    program_end(&p);
}

/* Checks that a run in two parts has the end of the one that has just written o.csv. */
static void expect_in_parts(program *p, const char *half, const char *all) {
    char *const whole = program_read(p, "o.csv");
    program_run(p, "run", "s.yaml", "--steps", half, "--checkpoint", "half.checkpoint", "--out", "o.csv", NULL);
    cr_assert(p->status == 0, "%s", p->err);
    program_run(p, "resume", "half.checkpoint", "--steps", all, NULL);
    cr_assert(p->status == 0, "%s", p->err);
    char *const parts = program_read(p, "o.csv");
    cr_expect(strcmp(whole, parts) == 0, "%s\n%s", whole, parts);
    free(whole);
    free(parts);
}

/* A continued run has the bits of an uninterrupted one. */
Test(scenes_levels, resumed) {
    static const char *const given[] = {"levels: {column: level}\n", "levels: {column: level}\nmethod: position-verlet\n",
                                        "levels: {column: level}\nmethod: baoab\nlangevin: {friction: 0.5, temperature: 0.01, seed: 7}\n"};
    program p = begin();
    for (size_t i = 0; i < sizeof given / sizeof *given; ++i) {
        json_decref(run_scene(&p, given[i], "0.03125", "64"));
        expect_in_parts(&p, "24", "64");
    }
    program_end(&p);
}

/* Particles without interactions have levels too: each has the bits and the evaluations of a run with its own steps. */
Test(scenes_levels, of_particles_alone) {
    static const char *const steps[] = {"dt: 0.5\nsteps: 8\n", "dt: 0.125\nsteps: 32\n", "dt: 0.5\nsteps: 8\nlevels: {each: [0, 2]}\n"};
    program p = begin();
    double x[3][2], evaluations[3];
    for (int i = 0; i < 3; ++i) {
        char text[500];
        snprintf(
            text, sizeof text,
            "particles: {state: [{x: [1, 0, 0], v: [0, 1, 0]}, {x: [0, 2, 1], v: [1, 0, 0]}]}\nforces: [centre: {mu: 1}]\nmethod: rk4\n"
            "colliders: [plane: {normal: [0, 0, 1]}]\ncontacts: {file: contacts.csv}\noutput: {file: frames.csv, times: [1.75]}\n%s",
            steps[i]);
        program_write_text(&p, "s.yaml", text);
        program_run(&p, "run", "s.yaml", "--json", "--out", "o.csv", "--checkpoint", "c", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        json_t *const object = program_json(&p);
        evaluations[i] = json_at(object, "evaluations", NULL);
        json_decref(object);
        for (size_t k = 0; k < 2; ++k) {
            double row[16];
            cr_assert(program_row(&p, "o.csv", k, row) >= 7);
            x[i][k] = row[1];
        }
    }
    cr_expect(x[2][0] == x[0][0] && x[2][1] == x[1][1] && x[0][1] != x[1][1] && x[0][0] != x[1][0]);
    cr_expect(evaluations[2] == (evaluations[0] + evaluations[1]) / 2, "%g of %g and %g", evaluations[2], evaluations[0], evaluations[1]);
    expect_in_parts(&p, "4", "8");
    program_run(&p, "run", "s.yaml", "--steps", "3", "--out", "o.csv", "--checkpoint", "c", NULL);
    cr_expect(p.status == 2, "the time of a frame is not reached");
    program_end(&p);
}

/* There is a bounce in each of 2^17 short steps, more than a list for one bounce per step could hold: all are written. */
Test(scenes_levels, contacts_of_short_steps, .timeout = 60) {
    enum { STEPS = 2, EACH = 1 << 17 };
    program p = program_begin();
    program_write_text(&p, "s.yaml",
                       "particles: {state: [{x: [0, 0, 0.5], v: [0, 0, 1]}]}\nforces: []\nmethod: velocity-verlet\ndt: 131072\nsteps: 2\n"
                       "levels: {each: [17]}\ncolliders: [plane: {normal: [0, 0, 1]}, plane: {normal: [0, 0, -1], point: [0, 0, 1]}]\n"
                       "contacts: {file: contacts.csv}\n");
    program_run(&p, "run", "s.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    char *const text = program_read(&p, "contacts.csv");
    size_t rows = 0, wrong = 0;
    for (const char *row = strchr(text, '\n') + 1; *row; row = strchr(row, '\n') + 1, ++rows) {
        wrong += strtoull(row, NULL, 10) != rows;
    }
    cr_expect(rows == STEPS * EACH && wrong == 0, "%zu rows, %zu out of order", rows, wrong);
    free(text);
    program_end(&p);
}

Test(scenes_levels, wrong) {
    static const struct {
        const char *levels, *begins, *holds;
    } wrongs[] = {
        {"levels: 2\n", "s.yaml:4: levels: expected a mapping", ""},
        {"levels: {each: [1, 2]}\n", "s.yaml:4: levels.each: expected 3 elements, one per particle, found 2", ""},
        {"levels: {each: [1, 1.5, 0]}\n", "s.yaml:4: levels: expected whole numbers from 0 to 32, found 1.5 for particle 1", ""},
        {"levels: {each: [1, 1, 33]}\n", "s.yaml:4: levels: expected whole numbers from 0 to 32, found 33 for particle 2", ""},
        {"levels: {each: [-1, 1, 3]}\n", "s.yaml:4: levels: expected whole numbers from 0 to 32, found -1 for particle 0", ""},
        {"levels: {column: absent}\n", "three.csv:1: no column absent", ""},
    };
    program p = begin();
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; ++i) {
        write_scene(&p, wrongs[i].levels, "0.01", "4");
        program_run(&p, "run", "s.yaml", NULL);
        program_refused(&p, wrongs[i].levels, wrongs[i].begins, wrongs[i].holds);
    }
    write_scene(&p, "levels: {column: level}\n", "0.01", "4");
    program_run(&p, "run", "s.yaml", "--method", "rk4", NULL);
    program_refused(&p, "a method without levels", "", "levels: expected ");
    program_write_text(&p, "stream.yaml",
                       "particles: {random: {count: 3, seed: 1, position: {point: [0, 0, 0]}, velocity: {point: [0, 0, 0]}}}\nforces: []\n"
                       "levels: {each: [1, 1, 1]}\nmethod: velocity-verlet\ndt: 1\nsteps: 1\nstream: {file: s.checkpoint}\n");
    program_run(&p, "run", "stream.yaml", NULL);
    program_refused(&p, "a stream", "stream.yaml:3: levels: expected none: the particles are in a stream", "");
    program_end(&p);
}
