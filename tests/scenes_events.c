/* `kickdrift run`: events and contacts in files, and output at times between steps. */
#include "scenes_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An orbit of semi-major axis 1 about mu = 1 with eccentricity 0.3, from the apocentre; the period is 2 pi. */
#define ORBIT                                                                                                                              \
    "particles: {state: [{x: [-1.3, 0, 0], v: [0, -0.73379938570534275, 0], id: 5}]}\nforces: [centre: {mu: 1}]\nmethod: pefrl\n"          \
    "dt: 0.01\nsteps: 2000\n"

static size_t rows_of(const char *text) {
    size_t rows = 0;
    for (const char *c = strchr(text, '\n'); c && c[1]; c = strchr(c + 1, '\n')) {
        ++rows;
    }
    return rows;
}

Test(scenes_events, watch) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml",
                       ORBIT "watch:\n  - apsis: {crossing: rising, name: pericentre}\n  - plane: {normal: [0, 1, 0]}\n"
                             "  - distance: {at: [0, 0, 0], radius: 1}\nevents: {file: events.csv}\n");
    program_run(&p, "run", "scene.yaml", "--json", "--backend", "scalar", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    json_t *const o = program_json(&p);
    const json_t *const events = json_object_get(o, "events");
    cr_assert(json_array_size(events) == 3);
    cr_expect(strcmp(json_text_at(json_array_get(events, 0), "watch"), "pericentre") == 0);
    cr_expect(json_at(json_array_get(events, 0), "count", NULL) == 3 && json_at(json_array_get(events, 1), "count", NULL) == 6 &&
              json_at(json_array_get(events, 2), "count", NULL) == 6);
    json_decref(o);
    char *const scalar = program_read(&p, "events.csv");
    cr_expect(strncmp(scalar, "step,t,id,watch,direction,x,y,z,vx,vy,vz\n", 41) == 0 && rows_of(scalar) == 15, "%s", scalar);
    double last = 0;
    int passages = 0;
    for (const char *line = scalar; (line = strchr(line, '\n')) != NULL && *++line;) {
        double step, t, x, y;
        if (sscanf(line, "%lf,%lf,5,pericentre,rising,%lf,%lf", &step, &t, &x, &y) == 4) {
            cr_expect(fabs(t - last - 3.14159265358979 * (passages ? 2 : 1)) < 1e-7 && fabs(hypot(x, y) - 0.7) < 1e-7, "%s", line);
            cr_expect(step == floor(t / 0.01));
            last = t;
            ++passages;
        }
    }
    cr_expect(passages == 3);
    program_run(&p, "run", "scene.yaml", "--threads", "2", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    cr_expect(strstr(p.out, "events       3 of pericentre\n             6 of plane\n             6 of distance\n"), "%s", p.out);
    char *const other = program_read(&p, "events.csv");
    cr_expect(strcmp(scalar, other) == 0);
    free(other);
    free(scalar);
    program_end(&p);
}

Test(scenes_events, contacts) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml",
                       "particles: {state: [{x: [0, 0, 5], v: [1, 0, 0], mass: 2, id: 0}, {x: [3, 0, 1.25], v: [0, 0, 0], id: 9}]}\n"
                       "forces: [uniform-acceleration: {a: [0, 0, -10]}]\ncolliders: [plane: {normal: [0, 0, 1], restitution: 0.5}]\n"
                       "method: velocity-verlet\ndt: 0.0009765625\nsteps: 1200\ncontacts: {file: hits.csv}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    cr_expect(strstr(p.out, "contacts     3\n"), "%s", p.out);
    char *const text = program_read(&p, "hits.csv");
    double row[3][11];
    cr_assert(strncmp(text, "step,t,id,surface,x,y,z,px,py,pz,speed\n", 39) == 0 && rows_of(text) == 3, "%s", text);
    for (size_t i = 0; i < 3; ++i) {
        cr_assert(program_row(&p, "hits.csv", i, row[i]) == 11);
    }
    cr_expect(row[0][2] == 9 && row[1][2] == 0 && row[2][2] == 9, "in the order of steps: %s", text);
    cr_expect(fabs(row[0][10] - 5) < 1e-4 && fabs(row[1][10] - 10) < 1e-4, "speeds of approach: %s", text);
    cr_expect(fabs(row[0][1] - 0.5) < 1e-5 && fabs(row[0][9] - 1.5 * 5) < 1e-4, "%s", text);
    cr_expect(fabs(row[1][1] - 1) < 1e-5 && fabs(row[1][9] - 2 * 1.5 * 10) < 1e-3 && fabs(row[1][4] - 1) < 1e-5, "%s", text);
    free(text);
    program_run(&p, "run", "scene.yaml", "--explain", NULL);
    cr_expect(strstr(p.out, "\nthis run counts contacts: "), "%s%s", p.err, p.out);
    program_end(&p);
}

/* Times of output may be the run's start and end, and steps between them, wherever the clock begins. People write them as decimals, which
 * equal the clock's times up to rounding. Their frames are those of the steps. */
Test(scenes_events, times_of_a_clock_that_begins_elsewhere) {
    static const double starts[] = {0, 1.5, -2, 10, 100, 1e6};
    static const double lengths[] = {0.01, 0.1, 0.05, 0.001, -0.1};
    program p = program_begin();
    for (int n = 0; n < 6 * 5 * 4; ++n) {
        const double t0 = starts[n % 6], dt = lengths[n / 6 % 5];
        const int first = n / 30 % 2 ? 3 : 0, steps = n / 60 ? 4 : 37;
        static const char *const files[] = {"every.csv", "times.csv"};
        double frame[2][16], times[3];
        for (int k = 0; k < 3; ++k) {
            times[k] = t0 + (double)(first + k * steps / 2) * dt;
        }
        for (int by_times = 0; by_times < 2; ++by_times) {
            char text[600], output[200];
            snprintf(output, sizeof output, by_times ? "{file: times.csv, times: [%.12g, %.12g, %.12g]}" : "{file: every.csv, every: 1}",
                     times[0], times[1], times[2]);
            snprintf(
                text, sizeof text,
                "particles: {state: [{x: [-0.721, -0.458, 0], v: [0.364, -0.477, 0]}]}\nforces: [uniform-acceleration: {a: [0, -1, 0]}]\n"
                "method: velocity-verlet\nt0: %.17g\ndt: %.17g\nstep: %d\nsteps: %d\noutput: %s\n",
                t0, dt, first, steps, output);
            program_write_text(&p, "scene.yaml", text);
            program_run(&p, "run", "scene.yaml", NULL);
            cr_assert(p.status == 0, "t0 %g, dt %g: %s", t0, dt, p.err);
        }
        for (int k = 0; k < 3; ++k) {
            const size_t row = (size_t)(k * steps / 2);
            const size_t columns = program_row(&p, files[0], row, frame[0]);
            cr_assert(program_row(&p, files[1], (size_t)k, frame[1]) == columns && columns > 6);
            cr_expect(memcmp(frame[0] + 2, frame[1] + 2, (columns - 2) * sizeof(double)) == 0, "t0 %g, dt %g: time %d is no step", t0, dt,
                      k);
        }
    }
    program_end(&p);
}

/* A scene may ask for each time that reports print, and for the ends that a refusal names. */
Test(scenes_events, printed_times_are_times_of_output) {
    program p = program_begin();
    for (int steps = 1; steps <= 24; ++steps) {
        char scene[500], text[800];
        snprintf(scene, sizeof scene,
                 "particles: {state: [{x: [1, 0, 0], v: [0, 0, 0]}]}\nforces: [spring: {k: 1}]\nmethod: exact-affine\nt0: %s\ndt: "
                 "%s\nsteps: %d\n",
                 steps % 2 ? "0" : "0.3333333333333333", steps % 3 ? "0.1" : "0.14285714285714285", steps);
        snprintf(text, sizeof text, "%sreport: 1\n", scene);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        char times[700] = "", t[40];
        unsigned step;
        for (const char *line = p.out; line; line = strchr(line, '\n')) {
            line += *line == '\n';
            if (sscanf(line, "%u %39s", &step, t) == 2) {
                snprintf(times + strlen(times), sizeof times - strlen(times), "%s%s", *times ? ", " : "", t);
            }
        }
        char *all;
        cr_assert(asprintf(&all, "%soutput: {file: o.csv, times: [%s]}\n", scene, times) >= 0);
        program_write_text(&p, "scene.yaml", all);
        program_run(&p, "run", "scene.yaml", NULL);
        cr_expect(p.status == 0, "%s: %s", times, p.err);
        char *const frames = program_read(&p, "o.csv");
        cr_expect(rows_of(frames) == (size_t)steps + 1);
        free(frames);
        free(all);
        snprintf(text, sizeof text, "%soutput: {file: o.csv, times: [1e9]}\n", scene);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", NULL);
        char low[40], high[40];
        const char *const range = strstr(p.err, "from ");
        cr_assert(range && sscanf(range, "from %39s to %39s", low, high) == 2, "%s", p.err);
        snprintf(text, sizeof text, "%soutput: {file: o.csv, times: [%s, %s]}\n", scene, low, high);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", NULL);
        cr_expect(p.status == 0, "%s", p.err);
    }
    program_end(&p);
}

/* Times of output that are steps have the frames of these steps; others are on the orbit. */
Test(scenes_events, output_at_times) {
    program p = program_begin();
    double frame[16], step[16];
    program_write_text(&p, "scene.yaml", ORBIT "output: {file: out.csv, every: 100}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    cr_assert(p.status == 0 && program_row(&p, "out.csv", 20, step) == 10, "%s", p.err);
    program_write_text(&p, "scene.yaml",
                       ORBIT "output: {file: times.csv, times: [0, 3.1415926535897931, 3.1449, 6.2831853071795862, 20]}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    char *const text = program_read(&p, "times.csv");
    cr_expect(rows_of(text) == 5, "%s", text);
    free(text);
    cr_assert(program_row(&p, "times.csv", 4, frame) == 10);
    cr_expect(memcmp(frame, step, 10 * sizeof *frame) == 0);
    cr_assert(program_row(&p, "times.csv", 1, frame) == 10);
    cr_expect(frame[0] == 314 && fabs(frame[1] - 3.14159265358979) < 1e-14 && frame[2] == 5);
    cr_expect(fabs(frame[3] - 0.7) < 1e-7 && fabs(frame[4]) < 1e-7, "%.12f %.12f", frame[3], frame[4]);
    cr_assert(program_row(&p, "times.csv", 3, frame) == 10);
    cr_expect(fabs(frame[3] + 1.3) < 1e-7 && fabs(frame[4]) < 1e-7, "%.12f %.12f", frame[3], frame[4]);
    program_end(&p);
}

/* The same for bodies that attract each other, and for bounces off a ground. */
Test(scenes_events, bodies_at_times) {
    program p = program_begin();
    double frame[16];
    program_write_text(
        &p, "scene.yaml",
        "particles: {state: [{x: [-0.325, 0, 0], v: [0, -0.18344984642633569, 0]}, {x: [0.975, 0, 0], v: [0, 0.55034953927900707, 0]}]}\n"
        "forces: []\ninteractions: [gravity: {mu: {each: [0.75, 0.25]}}]\nmethod: pefrl\ndt: 0.01\nsteps: 700\n"
        "output: {file: times.csv, times: [0, 3.1415926535897931, 6.2831853071795862]}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    cr_assert(program_row(&p, "times.csv", 2, frame) == 10);
    cr_expect(frame[0] == 314 && fabs(frame[3] - 0.175) < 1e-7 && fabs(frame[4]) < 1e-7, "%.12f %.12f", frame[3], frame[4]);
    cr_assert(program_row(&p, "times.csv", 5, frame) == 10);
    cr_expect(frame[0] == 628 && fabs(frame[3] - 0.975) < 1e-7 && fabs(frame[4]) < 1e-7, "%.12f %.12f", frame[3], frame[4]);
    program_write_text(&p, "scene.yaml",
                       "particles: {state: [{x: [0, 0, 5], v: [1, 0, 0], mass: 2, id: 0}, {x: [3, 0, 1.25], v: [0, 0, 0], id: 9}]}\n"
                       "forces: [uniform-acceleration: {a: [0, 0, -10]}]\ncolliders: [plane: {normal: [0, 0, 1], restitution: 0.5}]\n"
                       "interactions: [gravity: {g: 1e-9, softening: 1}]\n"
                       "method: velocity-verlet\ndt: 0.0009765625\nsteps: 1200\ncontacts: {file: hits.csv}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    cr_expect(strstr(p.out, "contacts     3\n"), "%s", p.out);
    cr_assert(program_row(&p, "hits.csv", 1, frame) == 11);
    cr_expect(frame[2] == 0 && fabs(frame[1] - 1) < 1e-5 && fabs(frame[9] - 2 * 1.5 * 10) < 1e-3, "%g at %g", frame[9], frame[1]);
    program_end(&p);
}

/* Two bodies that attract each other have the same pericentres. A watch stops the run or a body, and a resumed run knows which it has
 * stopped. */
Test(scenes_events, bodies_and_stops) {
    static const char bodies[] =
        "particles: {state: [{x: [-0.325, 0, 0], v: [0, -0.18344984642633569, 0]}, {x: [0.975, 0, 0], v: [0, 0.55034953927900707, 0]}]}\n"
        "forces: []\ninteractions: [gravity: {mu: {each: [0.75, 0.25]}}]\nmethod: pefrl\ndt: 0.01\nsteps: 700\n";
    static const char *const watches[] = {"watch: [apsis: {crossing: rising}]\n", "watch: [apsis: {crossing: rising, stop: run}]\n",
                                          "watch: [apsis: {crossing: rising, stop: particle}]\ncheckpoint: {every: 350, file: c}\n"};
    static const double times[] = {7, 3.15, 7};
    program p = program_begin();
    char first[3][400];
    for (int i = 0; i < 3; ++i) {
        char text[1000];
        snprintf(text, sizeof text, "%s%sevents: {file: events.csv}\n", bodies, watches[i]);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", "--json", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        json_t *const o = program_json(&p);
        cr_expect(fabs(json_at(o, "t", NULL) - times[i]) < 1e-9, "t = %g", json_at(o, "t", NULL));
        cr_expect(json_at(json_array_get(json_object_get(o, "events"), 0), "count", NULL) == 2);
        cr_expect(i == 1 ? json_at(o, "steps_asked", NULL) == 700 : !json_object_get(o, "steps_asked"));
        json_decref(o);
        char *const list = program_read(&p, "events.csv");
        snprintf(first[i], sizeof first[i], "%s", list);
        double t, x;
        cr_assert(sscanf(strchr(list, '\n') + 1, "314,%lf,0,apsis,rising,%lf", &t, &x) == 2, "%s", list);
        cr_expect(fabs(t - 3.14159265358979) < 1e-7 && fabs(x - 0.175) < 1e-7, "%s", list);
        cr_expect(strcmp(first[i], first[0]) == 0, "%s", list);
        free(list);
        if (i == 2) { /* from its end, with both where they were stopped */
            program_run(&p, "resume", "c", "--steps", "800", "--json", NULL);
            cr_assert(p.status == 0, "%s", p.err);
            json_t *const later = program_json(&p);
            cr_expect(json_at(json_array_get(json_object_get(later, "events"), 0), "count", NULL) == 2);
            json_decref(later);
        }
    }
    program_end(&p);
}

/* A run that a watch has ended is at its end, even if times of output are after it. Nothing is left to do, unless there are more steps. */
Test(scenes_events, resumed_after_a_stop) {
    program p = program_begin();
    program_write_text(
        &p, "scene.yaml",
        "particles: {state: [{x: [0, 0, 0], v: [1, 0, 0]}]}\nforces: []\nmethod: rk4\ndt: 0.25\nsteps: 40\n"
        "watch: [plane: {normal: [1, 0, 0], point: [3.1, 0, 0], stop: run}]\noutput: {file: o.csv, times: [0, 2.5, 7.5, 9]}\n"
        "checkpoint: {file: c}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    cr_assert(p.status == 0 && strstr(p.out, "\nended        by a watch, at step 13, after 13 of 40 steps\n"), "%s%s", p.err, p.out);
    char *const stopped = program_read(&p, "o.csv");
    program_run(&p, "resume", "c", "--json", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    json_t *o = program_json(&p);
    cr_expect(json_at(o, "t", NULL) == 3.25, "t = %g", json_at(o, "t", NULL));
    json_decref(o);
    char *const again = program_read(&p, "o.csv");
    cr_expect(strcmp(stopped, again) == 0, "%s\n%s", stopped, again);
    program_run(&p, "resume", "c", "--steps", "40", "--json", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    o = program_json(&p);
    double row[16];
    cr_expect(json_at(o, "t", NULL) == 10 && program_row(&p, "o.csv", 3, row) > 1 && row[1] == 9, "t = %g", json_at(o, "t", NULL));
    json_decref(o);
    free(stopped);
    free(again);
    program_end(&p);
}

/* One of two particles is stopped in step 52 and makes no evaluations from then on, wherever reports are. */
Test(scenes_events, evaluations_of_who_is_stopped) {
    static const char *const reports[] = {"", "report: 1\n", "report: 60\n"};
    program p = program_begin();
    for (int i = 0; i < 3; ++i) {
        char text[600];
        snprintf(text, sizeof text,
                 "particles: {state: [{x: [0, 0, 0], v: [1, 0, 0]}, {x: [0, 1, 0], v: [0, 0, 0]}]}\nforces: []\nmethod: rk4\ndt: 0.01\n"
                 "steps: 100\nwatch: [plane: {normal: [1, 0, 0], point: [0.525, 0, 0], stop: particle}]\n%s",
                 reports[i]);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", "--json", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        json_t *const o = program_json(&p);
        cr_expect(json_at(o, "evaluations", NULL) == 4 * (100 + 53), "%g evaluations", json_at(o, "evaluations", NULL));
        json_decref(o);
    }
    program_end(&p);
}

Test(scenes_events, refusals) {
    static const struct {
        const char *scene, *begins, *holds;
    } cases[] = {
        {ORBIT "output: {file: o.csv, times: [1, 21]}\n", "scene.yaml:6: output.times[1]: expected a time of the run, from 0 to 20",
         "found 21"},
        {ORBIT "output: {file: o.csv, times: [2, 1]}\n", "scene.yaml:6: output.times[1]: ", "in its order, found 1"},
        {ORBIT "output: {file: o.csv, times: [1], every: 3}\n", "scene.yaml:6: output: expected one of every and times", "both"},
        {ORBIT "output: {file: o.csv, times: 1}\n", "scene.yaml:6: output.times: expected a list of times", "found \"1\""},
        {ORBIT "events: {file: e.csv}\n", "scene.yaml:6: events: the scene has no watch", "expected some"},
        {ORBIT "contacts: {file: e.csv}\n", "scene.yaml:6: contacts: the scene has no colliders", "expected some"},
        {ORBIT "watch: [apsis: {}]\noutput: {file: e.csv}\nevents: {file: e.csv}\n", "scene.yaml:8: events.file: ", "is an output already"},
        {ORBIT "watch: [{plain: {normal: [0, 0, 1]}}]\n", "scene.yaml:6: watch[0]: unknown key \"plain\"",
         "expected one of apsis, plane, distance"},
        {ORBIT "watch: [plane: {}]\n", "scene.yaml:6: watch[0].plane: key \"normal\" is missing", "three numbers"},
        {ORBIT "watch: [plane: {normal: [0, 0, 0]}]\n", "scene.yaml:6: watch[0].normal: expected a direction", "0 0 0"},
        {ORBIT "watch: [distance: {radius: -1}]\n", "scene.yaml:6: watch[0].distance.radius: expected a positive number", "\"-1\""},
        {ORBIT "watch: [apsis: {crossing: up}]\n", "scene.yaml:6: watch[0].apsis.crossing: expected one of any, rising, falling", "\"up\""},
        {ORBIT "watch: [apsis: {stop: all}]\n", "scene.yaml:6: watch[0].apsis.stop: expected one of nothing, particle, run", "\"all\""},
        {ORBIT "watch: [apsis: {name: \"a,b\"}]\n", "scene.yaml:6: watch[0].apsis.name: expected a name without commas", "a,b"},
        {"particles: {state: []}\nforces: []\nmethod: stormer-verlet\ndt: 1\nsteps: 1\nwatch: [apsis: {}]\n",
         "scene.yaml:6: watch: stormer-verlet", "take velocity-verlet"},
    };
    program p = program_begin();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        program_write_text(&p, "scene.yaml", cases[i].scene);
        program_run(&p, "run", "scene.yaml", NULL);
        program_refused(&p, cases[i].scene, cases[i].begins, cases[i].holds);
        cr_expect(program_files(&p) == 1, "%zu files after %s", program_files(&p), cases[i].scene);
    }
    program_end(&p);
}
