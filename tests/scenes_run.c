/* `kickdrift run`: the JSON object, options that override scenes, outputs, arrays of values per particle, random particles. */
#include "scenes_json.h"

#include <kickdrift/kickdrift.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A spring with a damper by velocity Verlet: a method with memory, whose bits would change if a run were cut without it. */
#define SCENE(more)                                                                                                                        \
    "particles:\n  state:\n    - {x: [1, 2, 3], v: [0, 1, 0.5], mass: 2, id: 0}\n    - {x: [0.1, 0, 0], v: [0, 0, 0], id: 7}\n"            \
    "forces: [spring: {k: 15}, drag: {b: 0.3}]\nmethod: velocity-verlet\ndt: 0.01\nsteps: 100\n" more

static json_t *run_json(program *p, const char *scene, const char *option, const char *value) {
    program_write_text(p, "scene.yaml", scene);
    program_run(p, "run", "scene.yaml", "--json", option, value, NULL);
    cr_assert(p->status == 0, "%s", p->err);
    return program_json(p);
}

static void fingerprint_of(program *p, const char *scene, char fingerprint[17]) {
    json_t *object = run_json(p, scene, NULL, NULL);
    snprintf(fingerprint, 17, "%s", json_text_at(object, "fingerprint"));
    json_decref(object);
}

Test(scenes_run, json) {
    program p = program_begin();
    json_t *o = run_json(&p, SCENE("report: 10\n"), NULL, NULL);
    cr_expect(json_at(o, "particles", NULL) == 2 && json_at(o, "steps", NULL) == 100 && json_at(o, "dt", NULL) == 0.01);
    cr_expect(json_at(o, "evaluations", NULL) == 2 * 101);
    const double seconds = json_at(o, "seconds", NULL), rate = json_at(o, "evaluations_per_second", NULL);
    cr_expect(seconds > 0 && fabs(rate * seconds - 202) < 1e-6);
    cr_expect(strlen(json_text_at(o, "backend")) > 0 && strlen(json_text_at(o, "fingerprint")) == 16);
    cr_expect(strcmp(json_text_at(o, "arithmetic"), "fused") == 0 && strcmp(json_text_at(o, "real"), "f64") == 0);
    cr_expect(strcmp(json_text_at(o, "method"), "velocity-verlet") == 0 && strcmp(json_text_at(o, "scene"), "scene.yaml") == 0);
    cr_expect(json_at(o, "threads", NULL) == 1);
    /* The kinetic energy is 2 (1 + 0.25) / 2, the potential energy 15 (14 + 0.01) / 2. */
    cr_expect(fabs(json_at(o, "energy", "first") - (1.25 + 105.075)) < 1e-12);
    cr_expect(json_at(o, "energy", "last") < json_at(o, "energy", "first"), "a damper takes energy");
    cr_expect(json_at(o, "energy", "max_relative_error") > 0);
    cr_expect(json_array_size(json_object_get(o, "momentum")) == 3);
    cr_expect(json_object_get(o, "first_non_finite") == NULL);
    json_decref(o);
    o = run_json(&p, SCENE(""), "--steps", "0");
    cr_expect(json_at(o, "evaluations", NULL) == 0 && json_at(o, "steps", NULL) == 0 && json_at(o, "energy", "max_relative_error") == 0);
    const json_t *momentum = json_object_get(o, "momentum");
    cr_expect(json_number_value(json_array_get(momentum, 1)) == 2 && json_number_value(json_array_get(momentum, 2)) == 1);
    json_decref(o);
    program_end(&p);
}

Test(scenes_run, options_over_the_scene) {
    static const struct over {
        const char *option, *value, *key;
    } over[] = {
        {"--method", "rk4", "method"}, {"--real", "f32", "real"}, {"--arith", "unfused", "arithmetic"}, {"--backend", "scalar", "backend"}};
    program p = program_begin();
    for (size_t i = 0; i < sizeof over / sizeof over[0]; ++i) {
        json_t *o = run_json(&p, SCENE(""), over[i].option, over[i].value);
        cr_expect(strcmp(json_text_at(o, over[i].key), over[i].value) == 0, "%s", over[i].option);
        json_decref(o);
    }
    program_end(&p);
}

/* OpenMP itself says which threads it has started. */
Test(scenes_run, threads_are_as_many_as_asked) {
    static const char *const counts[] = {"1", "2", "3", "5"};
    kdr_executor executor;
    if (kdr_executor_openmp(2, &executor) != KDR_OK) {
        cr_skip_test("no OpenMP in this library");
    }
    cr_assert(setenv("OMP_DISPLAY_AFFINITY", "TRUE", 1) == 0 && setenv("OMP_AFFINITY_FORMAT", "thread %n of %N", 1) == 0);
    program p = program_begin();
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        const int expected = atoi(counts[n]);
        json_t *o = run_json(&p,
                             "particles:\n  random: {count: 20000, seed: 1, position: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, "
                             "velocity: {point: [0, 0, 0]}}\nforces: []\nmethod: rk4\ndt: 0.01\nsteps: 10\n",
                             "--threads", counts[n]);
        cr_expect(json_at(o, "threads", NULL) == expected);
        for (int thread = 0; thread < 8; ++thread) {
            char line[64];
            snprintf(line, sizeof line, "thread %d of %d\n", thread, expected);
            const bool is_there = strstr(p.err, line) != NULL;
            cr_expect(is_there == (expected > 1 && thread < expected), "--threads %d: thread %d is %sthere: %s", expected, thread,
                      is_there ? "" : "not ", p.err);
        }
        json_decref(o);
    }
    program_end(&p);
}

/* Reports and outputs cut a run, but never change it. */
Test(scenes_run, cuts_change_nothing) {
    static const char *const cut[] = {SCENE("report: 1\n"), SCENE("report: 7\n"), SCENE("output: {file: out.csv, every: 3}\n"),
                                      SCENE("report: 4\noutput: {file: out.csv, every: 6}\n")};
    program p = program_begin();
    char whole[17], other[17];
    fingerprint_of(&p, SCENE(""), whole);
    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; ++i) {
        fingerprint_of(&p, cut[i], other);
        cr_expect(strcmp(whole, other) == 0, "%s", strstr(cut[i], "100"));
    }
    program_end(&p);
}

Test(scenes_run, outputs) {
    program p = program_begin();
    char whole[17], again[17];
    program_write_text(&p, "state.csv", "what was there before\n");
    json_t *o = run_json(&p, SCENE("output: {file: out.csv, every: 40}\n"), "--out", "state.csv");
    snprintf(whole, sizeof whole, "%s", json_text_at(o, "fingerprint"));
    json_decref(o);
    cr_expect(program_files(&p) == 3);
    char *trajectory = program_read(&p, "out.csv");
    cr_expect(strncmp(trajectory, "step,t,id,x,y,z,vx,vy,vz,mass\n0,0,0,1,2,3,0,1,0.5,1\n0,0,7,0.1", 47) == 0, "%s", trajectory);
    free(trajectory);
    /* There are two particles at the steps 0, 40, 80 and 100, then no more. */
    static const double steps[] = {0, 0, 40, 40, 80, 80, 100, 100};
    double row[16], last[16];
    for (size_t i = 0; i < 8; ++i) {
        cr_assert(program_row(&p, "out.csv", i, row) == 10);
        cr_expect(row[0] == steps[i] && row[1] == 0 + steps[i] * 0.01 && row[2] == (i % 2 ? 7 : 0));
    }
    cr_expect(program_row(&p, "out.csv", 8, last) == 0);
    cr_assert(program_row(&p, "state.csv", 1, last) == 8);
    cr_expect(memcmp(row + 2, last, 8 * sizeof(double)) == 0);

    /* The file of --out can be read as particles, and has every bit. */
    program_write_text(&p, "again.yaml", "particles: {file: state.csv}\nforces: []\nmethod: rk4\ndt: 1\nsteps: 0\n");
    program_run(&p, "run", "again.yaml", "--json", NULL);
    o = program_json(&p);
    snprintf(again, sizeof again, "%s", json_text_at(o, "fingerprint"));
    json_decref(o);
    cr_expect(strcmp(whole, again) == 0);
    program_end(&p);
}

static bool holds(const program *p, const char *name, const char *text) {
    char *found = program_read(p, name);
    const bool has = found && strstr(found, text);
    free(found);
    return has;
}

/* Files that killed processes have left do no harm, even to a process with the same number. They are named and not removed. A file that
 * another process is writing is not named. */
Test(scenes_run, parts_that_are_left) {
    program p = program_begin();
    char command[2048], path[600];
    program_write_text(&p, "scene.yaml",
                       "particles: {state: [{x: [1, 2, 3], v: [0, 1, 0.5]}]}\nforces: []\nmethod: rk4\ndt: 1\nsteps: 3\n");
    program_write_text(&p, "state.csv.7.part", "half");
    program_write_text(&p, "state.csv.8.part", "another's");
    program_write_text(&p, "state.csv.old.part", "something else");
    program_write_text(&p, "estate.csv.9.part", "something else");
    snprintf(path, sizeof path, "%s/state.csv.8.part", p.folder);
    const int writer = open(path, O_WRONLY | O_CLOEXEC);
    cr_assert(writer >= 0 && flock(writer, LOCK_EX) == 0);
    snprintf(command, sizeof command,
             "cd %s && sh -c 'echo mine >state.csv.$$.part; echo $$ >number; exec " KDR_PROGRAM
             " run scene.yaml --out state.csv >out.txt 2>err.txt'",
             p.folder);
    cr_expect(system(command) == 0); // NOLINT(cert-env33-c): the shell prints its process number, and then becomes the program
    double row[16];
    cr_expect(program_has(&p, "state.csv") && program_row(&p, "state.csv", 0, row) == 8 && row[2] == 5);
    char *number = program_read(&p, "number"), own[64];
    cr_assert(number);
    snprintf(own, sizeof own, "state.csv.%ld.part", strtol(number, NULL, 10));
    cr_expect(holds(&p, own, "mine") && holds(&p, "state.csv.7.part", "half"));
    cr_expect(holds(&p, "err.txt", own) && holds(&p, "err.txt", "state.csv.7.part is what a process that was killed has left"));
    cr_expect(!holds(&p, "err.txt", "csv.8.part") && !holds(&p, "err.txt", "old") && !holds(&p, "err.txt", "estate"));
    cr_expect(program_files(&p) == 10, "%zu files", program_files(&p)); /* it leaves no part of its own */
    free(number);
    close(writer);
    program_end(&p);
}

/* The files that a scene names are next to it, those that it reads and those that it writes. */
Test(scenes_run, files_beside_the_scene) {
    program p = program_begin();
    char folder[600];
    snprintf(folder, sizeof folder, "%s/sub", p.folder);
    cr_assert(mkdir(folder, 0700) == 0);
    program_write_text(&p, "sub/p.csv", "x,y,z,vx,vy,vz\n1,2,3,0,0,0\n");
    program_write_text(&p, "sub/scene.yaml",
                       "particles: {file: p.csv}\nforces: []\nmethod: rk4\ndt: 1\nsteps: 3\noutput: {file: out.csv, every: 1}\n");
    program_run(&p, "run", "sub/scene.yaml", "--json", "--out", "out.csv", NULL);
    double row[16];
    cr_expect(program_row(&p, "sub/out.csv", 3, row) == 10 && row[0] == 3);
    cr_expect(program_row(&p, "out.csv", 0, row) == 8);
    program_run(&p, "run", "sub/scene.yaml", "--out", "sub/out.csv", NULL);
    program_refused(&p, "twice", "run: --out: the scene's output is sub/out.csv already", "expected another file");
    static const char *const left[] = {"p.csv", "scene.yaml", "out.csv"};
    for (size_t i = 0; i < 3; ++i) {
        snprintf(folder, sizeof folder, "%s/sub/%s", p.folder, left[i]);
        cr_expect(unlink(folder) == 0, "%s", folder);
    }
    program_end(&p);
}

/* A composed method says so, and gives the same result by option, by name in the scene and by its fractions. */
Test(scenes_run, composed) {
    program p = program_begin();
    char plain[17], named[17], listed[17], by_option[17];
    const char *const scene =
        "particles: {state: [{x: [1, 0, 0], v: [0, 1, 0]}]}\nforces: [{centre: {mu: 1}}]\nmethod: boris\ndt: 0.1\nsteps: 20\n";
    static char text[1000];
    fingerprint_of(&p, scene, plain);
    snprintf(text, sizeof text, "%scompose: yoshida-6\n", scene);
    fingerprint_of(&p, text, named);
    const kdr_composition_info *info = kdr_composition_get(KDR_COMPOSE_YOSHIDA_6);
    int used = snprintf(text, sizeof text, "%scompose: [", scene);
    for (int s = 0; s < info->count; ++s) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%.17g", s ? ", " : "", info->fraction[s]);
    }
    snprintf(text + used, sizeof text - (size_t)used, "]\n");
    fingerprint_of(&p, text, listed);
    json_t *o = run_json(&p, text, "--compose", "yoshida-6");
    snprintf(by_option, sizeof by_option, "%s", json_text_at(o, "fingerprint"));
    cr_expect(strcmp(json_text_at(o, "compose"), "yoshida-6") == 0);
    json_decref(o);
    cr_expect(strcmp(named, listed) == 0 && strcmp(named, by_option) == 0 && strcmp(named, plain) != 0, "%s %s %s %s", plain, named, listed,
              by_option);
    snprintf(text, sizeof text, "%scompose: [0.5, 0.25]\n", scene);
    program_write_text(&p, "scene.yaml", text);
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "not symmetric", "scene.yaml:6: compose.fraction[0]", "symmetric");
    program_run(&p, "run", "scene.yaml", "--method", "rk4", "--compose", "suzuki-4", NULL);
    program_refused(&p, "rk4", "run: --compose: expected a method that is the same backwards, and rk4 is not", "take");
    program_end(&p);
}

/* k, b and anchor may differ per particle, as lists or as columns: each particle then moves as if it were alone with its own. */
Test(scenes_run, arrays_a_particle) {
    static const char lists[] = "particles:\n  state:\n    - {x: [1, 0, 0], v: [0, 0, 0]}\n    - {x: [1, 0, 0], v: [0, 0, 0]}\n"
                                "forces:\n  - spring: {k: {each: [4, 9]}, at: {each: [[0, 0, 0], [0.5, 0, 0]]}}\n"
                                "  - drag: {b: {each: [0, 0]}}\nmethod: rk4\ndt: 0.01\nsteps: 100\n";
    static const char columns[] = "particles: {file: p.csv}\nforces:\n  - spring: {k: {column: k}, at: {columns: [ax, ay, az]}}\n"
                                  "  - drag: {b: {column: b}}\nmethod: rk4\ndt: 0.01\nsteps: 100\n";
    program p = program_begin();
    double row[16];
    json_t *o = run_json(&p, lists, "--out", "state.csv");
    char whole[17], other[17];
    snprintf(whole, sizeof whole, "%s", json_text_at(o, "fingerprint"));
    json_decref(o);
    program_row(&p, "state.csv", 0, row);
    cr_expect(fabs(row[1] - cos(2)) < 1e-8, "x = %.12g", row[1]);
    program_row(&p, "state.csv", 1, row);
    cr_expect(fabs(row[1] - (0.5 + 0.5 * cos(3))) < 1e-8, "x = %.12g", row[1]);
    program_write_text(&p, "p.csv", "b,az,ay,ax,k,x,y,z,vx,vy,vz\n0,0,0,0,4,1,0,0,0,0,0\n0,0,0,0.5,9,1,0,0,0,0,0\n");
    fingerprint_of(&p, columns, other);
    cr_expect(strcmp(whole, other) == 0);
    /* A particle at rest that is anchored where it starts stays there. */
    o = run_json(&p, "particles: {file: p.csv}\nforces: [spring: {k: 3, at: start}]\nmethod: rk4\ndt: 0.01\nsteps: 100\n", "--out",
                 "state.csv");
    json_decref(o);
    program_row(&p, "state.csv", 1, row);
    cr_expect(row[1] == 1 && row[4] == 0);
    program_end(&p);
}

Test(scenes_run, frozen) {
    program p = program_begin();
    double row[16];
    json_t *o = run_json(&p,
                         "particles:\n  state:\n    - {x: [1, 2, 3], v: [4, 5, 6], mass: .inf}\n    - {x: [1, 2, 3], v: [4, 5, 6]}\n"
                         "forces: [uniform-acceleration: {a: [1, 1, 1]}]\nmethod: rk4\ndt: 0.5\nsteps: 4\n",
                         "--out", "state.csv");
    json_decref(o);
    program_row(&p, "state.csv", 0, row);
    cr_expect(row[1] == 1 && row[2] == 2 && row[3] == 3 && row[4] == 4 && row[6] == 6);
    program_row(&p, "state.csv", 1, row);
    cr_expect(row[1] == 11 && row[4] == 6);
    program_end(&p);
}

/* Everything random depends on (seed, index): the first particles of many are the particles of few, and the bits are the same
 * everywhere. */
#define RANDOM(count, seed, position)                                                                                                      \
    "particles:\n  random:\n    count: " count "\n    seed: " seed "\n    position: " position "\n"                                        \
    "    velocity: {normal: {mean: [1, 2, 3], sigma: [1, 2, 0]}}\n    mass: {uniform: [1, 2]}\n"                                           \
    "forces: []\nmethod: rk4\ndt: 1\nsteps: 0\n"
#define BOX "{box: {min: [-1, 0, 5], max: [1, 2, 5]}}"

Test(scenes_run, random_particles) {
    program p = program_begin();
    double few[16], many[16], mean[3] = {0}, square[3] = {0};
    json_decref(run_json(&p, RANDOM("10", "3", BOX), "--out", "few.csv"));
    json_decref(run_json(&p, RANDOM("4000", "3", BOX), "--out", "many.csv"));
    for (size_t i = 0; i < 10; ++i) {
        program_row(&p, "few.csv", i, few);
        program_row(&p, "many.csv", i, many);
        cr_expect(memcmp(few, many, sizeof few[0] * 7) == 0);
    }
    for (size_t i = 0; i < 4000; i += 5) {
        cr_assert(program_row(&p, "many.csv", i, many) == 8);
        cr_expect(many[0] == (double)i && fabs(many[1]) <= 1 && many[2] >= 0 && many[2] <= 2 && many[3] == 5 && many[6] == 3);
        for (int k = 0; k < 3; ++k) {
            mean[k] += many[4 + k] / 800;
            square[k] += many[4 + k] * many[4 + k] / 800;
        }
    }
    /* The tolerance is five standard errors. */
    cr_expect(fabs(mean[0] - 1) < 0.18 && fabs(mean[1] - 2) < 0.36, "means %g %g", mean[0], mean[1]);
    cr_expect(fabs(square[0] - mean[0] * mean[0] - 1) < 0.25 && fabs(square[1] - mean[1] * mean[1] - 4) < 1, "variances");
    program_end(&p);
}

Test(scenes_run, random_shapes) {
    program p = program_begin();
    static const char *const positions[] = {"{ball: {at: [1, 0, 0], radius: 2}}", "{sphere: {at: [1, 0, 0], radius: 2}}"};
    for (int shape = 0; shape < 2; ++shape) {
        char scene[512];
        snprintf(scene, sizeof scene, RANDOM("200", "1", "%s"), positions[shape]);
        json_decref(run_json(&p, scene, "--out", "state.csv"));
        double inner = 0;
        for (size_t i = 0; i < 200; ++i) {
            double row[16];
            program_row(&p, "state.csv", i, row);
            const double r = sqrt((row[1] - 1) * (row[1] - 1) + row[2] * row[2] + row[3] * row[3]);
            cr_expect(shape ? fabs(r - 2) < 1e-14 : r <= 2);
            inner += r < 2 * 0.7937 ? 1 : 0; /* half of the ball's volume */
        }
        cr_expect(shape || fabs(inner - 100) < 36, "%g of 200 in the inner half", inner);
    }
    program_end(&p);
}

Test(scenes_run, random_golden) {
    program p = program_begin();
    char one[17], two[17];
    fingerprint_of(&p, RANDOM("1000", "1", BOX), one);
    fingerprint_of(&p, RANDOM("1000", "2", BOX), two);
    cr_expect(strcmp(one, two) != 0, "seeds");
    cr_expect(strcmp(one, "d2c01270d462c019") == 0, "%s: the same particles on every machine and in every version", one);
    program_end(&p);
}

Test(scenes_run, nonconverged) {
    program p = program_begin();
    program_write_text(
        &p, "scene.yaml",
        "particles:\n  state:\n    - {x: [3, 0, 0], v: [0, 0, 0], id: 0}\n    - {x: [1, 0, 0], v: [0, 0, 0], id: 12}\n"
        "    - {x: [1.25, 0, 0], v: [0, 0, 0], id: 2}\nforces: [centre: {mu: 2}]\nmethod: implicit-euler\ndt: 0.5\nsteps: 1\n");
    program_run(&p, "run", "scene.yaml", "--json", NULL);
    cr_expect(p.status == 1 &&
                  strcmp(p.err, "kickdrift: scene.yaml: implicit-euler has not solved the equations of 2 particles, the first particle 1 "
                                "(id 12) in 1 step, expected all solved: a smaller dt or a softening may do\n") == 0,
              "%s", p.err);
    json_t *o = program_json(&p);
    cr_expect(json_at(o, "nonconverged", "particles") == 2 && json_at(o, "nonconverged", "index") == 1 &&
              json_at(o, "nonconverged", "id") == 12 && json_at(o, "nonconverged", "steps") == 1);
    json_decref(o);
    program_run(&p, "run", "scene.yaml", "--json", "--method", "rk4", NULL);
    o = program_json(&p);
    cr_expect(p.status == 0 && json_object_get(o, "nonconverged") == NULL);
    json_decref(o);
    program_end(&p);
}

Test(scenes_run, not_finite) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml",
                       "particles:\n  state:\n    - {x: [0, 0, 0], v: [0, 0, 0], id: 0}\n    - {x: [1, 0, 0], v: [0, 0, 0], id: 12}\n"
                       "forces: [spring: {k: 1e6}]\nmethod: explicit-euler\ndt: 1\nsteps: 400\nreport: 50\n");
    program_run(&p, "run", "scene.yaml", "--json", "--out", "state.csv", NULL);
    cr_expect(p.status == 1);
    cr_expect(strncmp(p.err, "kickdrift: scene.yaml: particle 1 (id 12) is not finite, noticed at step ", 72) == 0, "%s", p.err);
    json_t *o = program_json(&p);
    cr_expect(json_at(o, "first_non_finite", "index") == 1 && json_at(o, "first_non_finite", "id") == 12);
    cr_expect(json_at(o, "first_non_finite", "step") > 0 && json_is_null(json_object_get(json_object_get(o, "energy"), "last")));
    json_decref(o);
    cr_expect(program_has(&p, "state.csv"));
    program_end(&p);
}

static const struct wrong {
    const char *arguments[4], *begins, *holds;
} wrong[] = {
    {{NULL}, "a command is missing", "expected"},
    {{"runn"}, "unknown command \"runn\"; did you mean \"run\"?", "expected one that kickdrift --help lists"},
    {{"rnu"}, "unknown command \"rnu\"; did you mean \"run\"?", ""},
    {{"--hlep"}, "unknown option \"--hlep\"; did you mean --help?", "expected one that kickdrift --help lists"},
    {{"help", "--man", "rum"}, "unknown command \"rum\"; did you mean \"run\"?", ""},
    {{"completion", "csh"}, "completion: expected one of bash, zsh, fish, found \"csh\"", ""},
    {{"run"}, "run: expected SCENE.yaml, found 0 arguments", ""},
    {{"run", "a", "b"}, "run: expected SCENE.yaml, found 2 arguments", ""},
    {{"run", "a", "--steps", "-5"}, "run: --steps: expected a whole number from 0 to 2^53, found \"-5\"", ""},
    {{"run", "a", "--steps"}, "run: --steps: a value is missing, expected a whole number", ""},
    {{"run", "a", "--steps", ""}, "run: --steps: expected a whole number", ""},
    {{"run", "a", "--threads", "0"}, "run: --threads: expected a whole number from 1 to 1024, found \"0\"", ""},
    {{"run", "a", "--method", "rk"}, "run: --method: expected a name that kickdrift methods lists, found \"rk\"", "did you mean"},
    {{"run", "a", "--real", "f16"}, "run: --real: expected one of f32, f64, found \"f16\"", ""},
    {{"run", "a", "--arith", "fast"}, "run: --arith: expected one of fused, unfused", ""},
    {{"run", "a", "--backend", "avx3"}, "run: --backend: expected one of auto, scalar,", "found \"avx3\"; did you"},
    {{"run", "a", "--thread", "x"}, "run: --threads: expected a whole number", ""},
    {{"run", "a", "--jsn"}, "run: unknown option \"--jsn\"; did you mean --json?", "expected one that kickdrift run --help lists"},
    {{"run", "a", "--stpes=3"}, "run: unknown option \"--stpes=3\"; did you mean --steps?", ""},
    {{"run", "a", "--json=1"}, "run: --json: expected no value", "found"},
    {{"run", "a", "-x"}, "run: unknown option \"-x\"", "expected"},
    {{"cpu", "x"}, "cpu: expected no arguments, found 1", ""},
    {{"methods", "--yaml"}, "methods: unknown option \"--yaml\"", "expected"},
    {{"diff", "a.csv"}, "diff: expected A.csv B.csv, found 1", ""},
    {{"KDR_BACKEND=avx3", "cpu"}, "", "avx3"},
    {{"KDR_BACKEND=avx3", "run", SCENES "kepler.yaml"}, "", "avx3"},
};

Test(scenes_run, wrong_requests) {
    program p = program_begin();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        const char *const *a = wrong[i].arguments;
        program_run(&p, a[0], a[1], a[2], a[3], NULL);
        program_refused(&p, wrong[i].begins, wrong[i].begins, wrong[i].holds);
    }
    cr_expect(program_files(&p) == 0);
    program_end(&p);
}

Test(scenes_run, help) {
    static const char *const commands[] = {"run", "verify", "cpu", "methods", "experiment", "diff", "completion"};
    program p = program_begin();
    program_run(&p, "--help", NULL);
    cr_expect(p.status == 0 && *p.err == '\0');
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        cr_expect(strstr(p.out, commands[i]) != NULL);
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        program_run(&p, commands[i], "--help", NULL);
        cr_expect(p.status == 0 && strncmp(p.out, "usage: kickdrift ", 17) == 0, "%s: %s%s", commands[i], p.out, p.err);
        char *const page = strdup(p.out);
        program_run(&p, "help", commands[i], NULL);
        cr_expect(p.status == 0 && strcmp(p.out, page) == 0, "%s", commands[i]);
        free(page);
    }
    program_run(&p, "help", "rum", NULL);
    program_refused(&p, "help of nothing", "unknown command \"rum\"; did you mean \"run\"?", "expected one that kickdrift --help lists");
    program_run(&p, "--version", NULL);
    cr_expect(p.status == 0 && strncmp(p.out, "kickdrift 0.", 12) == 0);
    program_run(&p, "methods", NULL);
    cr_expect(p.status == 0 && strstr(p.out, "velocity-verlet") != NULL);
    program_end(&p);
}

/* A method in a scene with the coefficients of a row of the table has the bits of that row, however they are written. */
#define OWN(method)                                                                                                                        \
    "particles:\n  state:\n    - {x: [1, 2, 3], v: [0, 1, 0.5], mass: 2, id: 0}\n    - {x: [0.1, 0, 0], v: [0, 0, 0], id: 7}\n"            \
    "forces: [spring: {k: 15}, driven: {a: [1, 0, 2], omega: 3}]\ndt: 0.01\nsteps: 100\nmethod: " method "\n"

static const struct own {
    const char *own, *row, *name;
} owns[] = {
    {OWN("{tableau: {a: [[]], b: [1]}}"), OWN("explicit-euler"), "own-tableau"},
    {OWN("\n  tableau:\n    a:\n      - [0]\n    b: [3/3]\n    c: [0.0]"), OWN("explicit-euler"), "own-tableau"},
    {OWN("{fractions: {kick: [1], drift: [1]}}"), OWN("semi-implicit-euler"), "own-fractions"},
    {OWN("{fractions: {kick: [1/2, 0.5], drift: [1, 0]}}"), OWN("velocity-verlet"), "own-fractions"},
    {OWN("{tableau: {a: [[], [1/2], [0, 1/2], [0, 0, 1]], b: [1/6, 1/3, 2/6, 0.16666666666666666], c: [0, 0.5, 0.5, 1]}}"),
     OWN("{tableau: {a: [[0, 0, 0, 0], [1/2, 0, 0, 0], [0, 1/2, 0, 0], [0, 0, 1, 0]], b: [1/6, 1/3, 1/3, 1/6]}}"), "own-tableau"},
};

Test(scenes_run, own_methods) {
    program p = program_begin();
    for (size_t i = 0; i < sizeof owns / sizeof owns[0]; ++i) {
        char own[17], row[17];
        fingerprint_of(&p, owns[i].row, row);
        json_t *o = run_json(&p, owns[i].own, NULL, NULL);
        snprintf(own, sizeof own, "%s", json_text_at(o, "fingerprint"));
        cr_expect(strcmp(json_text_at(o, "method"), owns[i].name) == 0, "%s", json_text_at(o, "method"));
        cr_expect(strcmp(own, row) == 0, "%s", owns[i].own);
        json_decref(o);
    }
    program_end(&p);
}

/* A strong damper takes all of v within 128 steps. Without the key a part is left. */
Test(scenes_run, flush_small_to_zero) {
    program p = program_begin();
    json_t *o = run_json(&p,
                         "particles: {state: [{x: [1, 0, 0], v: [1, 0, 0]}]}\nforces: [drag: {b: 9}]\nmethod: semi-implicit-euler\n"
                         "flush-small-to-zero: true\nreal: f32\ndt: 0.1\nsteps: 128\n",
                         NULL, NULL);
    cr_expect(json_at(o, "energy", "last") == 0 && json_number_value(json_array_get(json_object_get(o, "momentum"), 0)) == 0);
    json_decref(o);
    o = run_json(&p,
                 "particles: {state: [{x: [1, 0, 0], v: [1, 0, 0]}]}\nforces: [drag: {b: 5}]\nmethod: semi-implicit-euler\n"
                 "flush-small-to-zero: false\nreal: f32\ndt: 0.1\nsteps: 128\n",
                 NULL, NULL);
    cr_expect(json_number_value(json_array_get(json_object_get(o, "momentum"), 0)) > 0);
    json_decref(o);
    program_write_text(
        &p, "scene.yaml",
        "particles: {state: [{x: [1, 0, 0], v: [1, 0, 0]}]}\nforces: []\nflush-small-to-zero: true\nmethod: stormer-verlet\ndt: 0.1\n"
        "steps: 1\n");
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "flush-small-to-zero with stormer-verlet",
                    "scene.yaml:3: flush-small-to-zero: stormer-verlet has no velocity during a run", "take velocity-verlet");
    program_end(&p);
}

/* A compensated run of the same scene is closer to the orbit, and says that it is compensated. Cuts change nothing there either. */
#define ORBIT(more)                                                                                                                        \
    "real: f32\nparticles: {state: [{x: [1, 0, 0], v: [0, 1, 0]}]}\nforces: [centre: {mu: 1}]\nmethod: rk4\n"                              \
    "dt: 0.0015339807878856412\nsteps: 16384\n" more

Test(scenes_run, compensated) {
    program p = program_begin();
    double off[2];
    char whole[17], cut[17];
    for (int compensated = 0; compensated < 2; ++compensated) {
        double row[16];
        json_t *o = run_json(&p, compensated ? ORBIT("compensated: true\n") : ORBIT("compensated: false\n"), "--out", "state.csv");
        cr_expect(json_is_true(json_object_get(o, "compensated")) == (compensated == 1));
        snprintf(whole, sizeof whole, "%s", json_text_at(o, "fingerprint"));
        json_decref(o);
        cr_assert(program_row(&p, "state.csv", 0, row) == 8);
        off[compensated] = hypot(row[1] - 1, row[2]);
    }
    cr_expect(off[1] < 0.5 * off[0], "off by %g, compensated by %g", off[0], off[1]);
    fingerprint_of(&p, ORBIT("compensated: true\nreport: 777\n"), cut);
    cr_expect(strcmp(whole, cut) == 0);
    program_end(&p);
}

/* In a heat bath the noise depends on the seed and the particles' ids, not on their rows, and reports do not change it. */
#define BATH(particles, seed, more)                                                                                                        \
    "particles: {state: [" particles "]}\nforces: [spring: {k: 1}]\nmethod: baoab\ndt: 0.25\nsteps: 100\n"                                 \
    "langevin: {friction: 1, temperature: 2" seed "}\n" more
#define WALKER(id) "{x: [0, 0, 0], v: [0, 0, 0], id: " id "}"

Test(scenes_run, heat_bath) {
    program p = program_begin();
    double seven[16], other[16];
    json_decref(run_json(&p, BATH(WALKER("7") ", " WALKER("8"), ", seed: 3", ""), "--out", "a.csv"));
    json_decref(run_json(&p, BATH(WALKER("8") ", " WALKER("7"), ", seed: 3", "report: 7\n"), "--out", "b.csv"));
    json_decref(run_json(&p, BATH(WALKER("7"), "", ""), "--out", "c.csv"));
    cr_assert(program_row(&p, "a.csv", 0, seven) == 8 && program_row(&p, "b.csv", 1, other) == 8);
    cr_expect(memcmp(seven, other, 7 * sizeof *seven) == 0 && seven[1] != 0);
    cr_assert(program_row(&p, "a.csv", 1, other) == 8);
    cr_expect(seven[1] != other[1], "ids");
    cr_assert(program_row(&p, "c.csv", 0, other) == 8);
    cr_expect(seven[1] != other[1], "seeds");
    /* A method without a heat bath refuses the scene's, instead of ignoring it. */
    program_run(&p, "run", "scene.yaml", "--method", "rk4", NULL);
    program_refused(&p, "--method rk4", "scene.yaml:6: langevin: rk4 has no heat bath", "take baoab");
    program_end(&p);
}

/* RK4 as a tableau differs from the row, whose weights are 1/6 (1, 2, 2, 1), only by rounding. The option overrides it. */
Test(scenes_run, own_rk4) {
    program p = program_begin();
    double own[16], row[16];
    json_decref(run_json(&p, owns[4].own, "--out", "own.csv"));
    json_t *o = run_json(&p, owns[4].own, "--method", "rk4");
    char over[17], named[17];
    snprintf(over, sizeof over, "%s", json_text_at(o, "fingerprint"));
    json_decref(o);
    fingerprint_of(&p, OWN("rk4"), named);
    cr_expect(strcmp(over, named) == 0, "--method overrides coefficients");
    json_decref(run_json(&p, OWN("rk4"), "--out", "row.csv"));
    for (size_t i = 0; i < 2; ++i) {
        cr_assert(program_row(&p, "own.csv", i, own) == 8 && program_row(&p, "row.csv", i, row) == 8);
        for (int k = 0; k < 7; ++k) {
            cr_expect(fabs(own[k] - row[k]) < 2e-13, "column %d: %.17g, by the row %.17g", k, own[k], row[k]);
        }
    }
    program_end(&p);
}

static bool same_number(const json_t *number, double value) {
    return isfinite(value) ? json_is_number(number) && json_number_value(number) == value : json_is_null(number);
}

/* `kickdrift methods --json` is the table of the interface, member by member. Without --json every method has its line. */
Test(scenes_run, methods) {
    program p = program_begin();
    program_run(&p, "methods", "--json", NULL);
    json_t *methods = program_json(&p);
    cr_assert(json_array_size(methods) == KDR_METHOD_COUNT);
    program_run(&p, "methods", NULL);
    for (size_t i = 0; i < KDR_METHOD_COUNT; ++i) {
        const kdr_method_info *info = kdr_method_get((kdr_method)i);
        const kdr_family_info *family = kdr_family_get(info->family);
        const json_t *o = json_array_get(methods, i);
        const struct {
            const char *key, *text;
        } texts[] = {{"name", info->name},
                     {"family", family->name},
                     {"velocity_forces", kdr_velocity_forces_name(info->velocity_forces)},
                     {"force_sees", info->force_sees},
                     {"source", info->source}};
        const struct {
            const char *key;
            double number;
        } numbers[] = {{"order", info->order == KDR_ORDER_EXACT ? (double)INFINITY : info->order},
                       {"order_velocity", info->order_velocity == KDR_ORDER_EXACT ? (double)INFINITY : info->order_velocity},
                       {"order_estimate", info->order_estimate},
                       {"evaluations", info->evaluations},
                       {"start_evaluations", info->start_evaluations},
                       {"stability", info->stability}};
        const struct {
            const char *key;
            bool flag;
        } flags[] = {{"symplectic", info->symplectic},   {"reversible", info->reversible},   {"memory", info->memory},
                     {"compensated", info->compensated}, {"affine", info->affine},           {"system_runs", family->system_runs},
                     {"runs_back", family->runs_back},   {"velocities", family->velocities}, {"heat_bath", family->heat_bath},
                     {"jacobian", family->jacobian}};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k) {
            cr_expect(strcmp(json_text_at(o, texts[k].key), texts[k].text) == 0, "%s: %s", info->name, texts[k].key);
        }
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
            cr_expect(same_number(json_object_get(o, numbers[k].key), numbers[k].number), "%s: %s", info->name, numbers[k].key);
        }
        for (size_t k = 0; k < sizeof flags / sizeof flags[0]; ++k) {
            cr_expect(json_is_boolean(json_object_get(o, flags[k].key)) && json_is_true(json_object_get(o, flags[k].key)) == flags[k].flag,
                      "%s: %s", info->name, flags[k].key);
        }
        cr_expect(json_object_size(o) == 21, "%s has a field that is not compared here", info->name);
        char line[64];
        const int used = snprintf(line, sizeof line, "\n%-21s  %-12s  ", info->name, family->name);
        if (info->order == KDR_ORDER_EXACT) {
            snprintf(line + used, sizeof line - (size_t)used, "exact, ");
        } else {
            snprintf(line + used, sizeof line - (size_t)used, "%d, ", info->order);
        }
        cr_expect(strstr(p.out, line) && strstr(p.out, info->force_sees) && strstr(p.out, info->source), "%s", info->name);
    }
    json_decref(methods);
    program_end(&p);
}
