/* CSV files of particles: what is accepted, and what is refused with the file, the line and what was expected. */
#include "scenes_program.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCENE(forces, rest) "particles: {file: p.csv}\nforces: [" forces "]\nmethod: velocity-verlet\ndt: 1\nsteps: 0\n" rest
#define HEADER "x,y,z,vx,vy,vz\n"
#define ROW "1,2,3,4,5,6\n"

static const struct wrong {
    const char *text, *begins, *holds;
} cases[] = {
    {"", "p.csv:1: empty", "expected a header"},
    {HEADER, "p.csv:2: the file ends after its header", "expected one row per particle"},
    {ROW ROW, "p.csv:1: no column x", "expected a header with x, y, z, vx, vy, vz"},
    {"x,y,z\n1,2,3\n", "p.csv:1: no column vx", "expected a header with x, y, z, vx, vy, vz"},
    {"X,Y,z,VX,VY,VZ\n" ROW, "p.csv:1: no column x", "found X,Y,z,VX,VY,VZ"},
    {"x;y;z;vx;vy;vz\n1;2;3;4;5;6\n", "p.csv:1: the columns are separated by semicolons", "expected commas"},
    {"x\ty\tz\tvx\tvy\tvz\n", "p.csv:1: the columns are separated by tabs", "expected commas"},
    {"id," HEADER "7," ROW "8," ROW "7," ROW, "scene.yaml:1: particles: particles 0 and 2 both have id 7", "expected ids that differ"},
    {"t," HEADER "0," ROW "0.5," ROW, "p.csv:3: expected one frame, found another from row 1 on", ""},
    {"x,x,y,z,vx,vy,vz\n1," ROW, "p.csv:1: column \"x\" given twice", "expected once"},
    {HEADER "1,2,3\n", "p.csv:2: expected 6 columns as the header has, found 3", ""},
    {HEADER ROW "1,2,3,4,5,6,7\n", "p.csv:3: expected 6 columns as the header has, found 7", ""},
    {HEADER ROW "1,2,3,4", "p.csv:3: expected 6 columns as the header has, found 4", ""},
    {HEADER "1,2,3,4,5,six\n", "p.csv:2: column vz: expected a finite number, found \"six\"", ""},
    {HEADER "1,2,3,4,5,\n", "p.csv:2: column vz: expected a finite number, found \"\"", ""},
    {HEADER ROW ROW "1,2,0x3,4,5,6\n", "p.csv:4: column z: expected a finite number, found \"0x3\"", ""},
    {HEADER "1,nan,3,4,5,6\n", "p.csv:2: column y: expected a finite number, found \"nan\"", ""},
    {HEADER "1,2,3,inf,5,6\n", "p.csv:2: column vx: expected a finite number, found \"inf\"", ""},
    {HEADER "1e999,2,3,4,5,6\n", "p.csv:2: column x: expected a finite number, found \"1e999\"", ""},
    {HEADER "1,2,3,4,5,-\n", "p.csv:2: column vz: expected a finite number, found \"-\"", ""},
    {HEADER "1;2;3;4;5;6\n", "p.csv:2: expected 6 columns as the header has, found 1", ""},
    {HEADER "\n\n1,2,3,4,5,x\n", "p.csv:4: column vz", "expected a finite number"},
    {HEADER "1,2,3,4,5,\"6\n" ROW, "p.csv:2: quotes that do not match", "expected"},
    {HEADER "1,2,3,4,5,\"6\"6\n", "p.csv:2: quotes that do not match", "expected"},
    {HEADER "1,2\r,3,4,5,6\n", "p.csv:2: a carriage return inside a line", "expected lines ended by LF or CRLF"},
    {"id," HEADER "-1," ROW, "p.csv:2: column id: expected a whole number from 0", "found \"-1\""},
    {"id," HEADER "1.5," ROW, "p.csv:2: column id: expected a whole number", ""},
    {"mass," HEADER "0," ROW, "p.csv:2: column mass: expected a positive number, or .inf to freeze, found \"0\"", ""},
    {"mass," HEADER "1e-310," ROW, "p.csv:2: column mass: expected a mass whose inverse is one that fits f64", ""},
    {"step," HEADER "0," ROW "0," ROW "5," ROW, "p.csv:4: expected one frame, found another from row 2 on", ""},
    {"\xff\xfex\0,\0y\0", "p.csv:1: ", "expected"},
    {"\x89PNG\r\n\x1a\n", "p.csv:1: no column x", "expected"},
};

Test(scenes_files, wrong) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml", SCENE("", "output: {file: out.csv}\n"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        program_write_text(&p, "p.csv", cases[i].text);
        program_run(&p, "run", "scene.yaml", "--out", "state.csv", NULL);
        program_refused(&p, cases[i].text, cases[i].begins, cases[i].holds);
        program_refused(&p, cases[i].text, cases[i].begins, "expected");
        cr_expect(program_files(&p) == 2, "%s: left a file behind", cases[i].text);
    }
    program_end(&p);
}

/* Different ways to write the same particles. */
Test(scenes_files, dialects) {
    static const char *const texts[] = {"# id,x,y,z,vx,vy,vz,mass\n7,1,2,3,4,5,6,49\n", "ID,X,Y,Z,VX,VY,VZ,MASS\n7,1,2,3,4,5,6,49\n",
                                        "#mass,id,x,y,z,vx,vy,vz\n4.9e1,7.000e+00,1,2,3,4,5,6\n"};
    program p = program_begin();
    program_write_text(&p, "scene.yaml", SCENE("", ""));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        program_write_text(&p, "p.csv", texts[i]);
        program_run(&p, "run", "scene.yaml", "--out", "out.csv", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        char *const found = program_read(&p, "out.csv");
        cr_expect(strcmp(found, "id,x,y,z,vx,vy,vz,mass\n7,1,2,3,4,5,6,49\n") == 0, "%s", found); /* 1 / (1 / 49.) is not 49 */
        free(found);
    }
    program_end(&p);
}

/* Files of other kinds are refused as particles, by their names. */
Test(scenes_files, other_kinds) {
    static const char *const names[] = {"p.h5", "p.h5md", "p.xyz", "p.extxyz"};
    program p = program_begin();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char text[200];
        snprintf(text, sizeof text, "particles: {file: %s}\nforces: []\nmethod: velocity-verlet\ndt: 1\nsteps: 0\n", names[i]);
        program_write_text(&p, names[i], HEADER ROW);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", NULL);
        program_refused(&p, names[i], "scene.yaml:1: particles.file: expected a CSV or .npy file of one frame", names[i]);
    }
    program_write_text(&p, "scene.yaml", SCENE("", ""));
    program_write_text(&p, "p.csv", "step," HEADER "5," ROW "5," ROW); /* one frame */
    program_run(&p, "run", "scene.yaml", NULL);
    cr_expect(p.status == 0, "%s", p.err);
    program_end(&p);
}

/* The files that a scene is read from are not overwritten, under any of their names. */
Test(scenes_files, inputs_are_kept) {
    static const struct {
        const char *rest, *option, *value, *begins;
    } outputs[] = {
        {"output: {file: p.csv}\n", NULL, NULL, "scene.yaml:6: output.file: p.csv is an input"},
        {"output: {file: ./p.csv}\n", NULL, NULL, "scene.yaml:6: output.file: ./p.csv is an input"},
        {"output: {file: link.csv}\n", NULL, NULL, "scene.yaml:6: output.file: link.csv is an input"},
        {"output: {file: hard.csv}\n", NULL, NULL, "scene.yaml:6: output.file: hard.csv is an input"},
        {"checkpoint: {file: p.csv}\n", NULL, NULL, "scene.yaml:6: checkpoint.file: p.csv is an input"},
        {"watch: [apsis: {}]\nevents: {file: p.csv}\n", NULL, NULL, "scene.yaml:7: events.file: p.csv is an input"},
        {"colliders: [sphere: {radius: 9, inside: true}]\ncontacts: {file: p.csv}\n", NULL, NULL, "scene.yaml:7: contacts.file: p.csv is"},
        {"", "--out", "p.csv", "run: --out: p.csv is an input"},
        {"", "--out", "scene.yaml", "run: --out: scene.yaml is an input"},
        {"", "--out", "link.csv", "run: --out: link.csv is an input"},
        {"", "--out", "wind.npy", "run: --out: wind.npy is an input"},
        {"", "--checkpoint", "p.csv", "run: --checkpoint: p.csv is an input"},
        {"", "--checkpoint", "./scene.yaml", "run: --checkpoint: ./scene.yaml is an input"},
    };
    char wind[10 + 70 + 6 * sizeof(float)] = "\x93NUMPY\x01\0\x46";
    snprintf(wind + 10, sizeof wind - 10, "%-69s\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    program p = program_begin();
    char from[120], to[120];
    program_write_text(&p, "p.csv", HEADER ROW);
    program_write(&p, "wind.npy", wind, sizeof wind);
    for (int i = 0; i < 2; ++i) {
        snprintf(from, sizeof from, "%s/p.csv", p.folder);
        snprintf(to, sizeof to, "%s/%s", p.folder, i ? "hard.csv" : "link.csv");
        cr_assert((i ? link(from, to) : symlink("p.csv", to)) == 0);
    }
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; ++i) {
        char text[400];
        snprintf(text, sizeof text, SCENE("grid-wind: {b: 1, grid: {file: wind.npy, spacing: 1}}", "%s"), outputs[i].rest);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", outputs[i].option, outputs[i].value, NULL);
        program_refused(&p, outputs[i].begins, outputs[i].begins, " of the scene, expected another file");
        cr_expect(program_files(&p) == 5, "%s: left a file behind", outputs[i].begins);
    }
    program_write_text(&p, "scene.yaml", SCENE("", "output: {file: out.csv}\n"));
    program_run(&p, "run", "scene.yaml", "--out", "./out.csv", NULL);
    program_refused(&p, "two names of one output", "run: --out: the scene's output is ./out.csv already", "expected another file");
    program_run(&p, "run", "scene.yaml", "--checkpoint", "scene.checkpoint", NULL);
    cr_expect(p.status == 0, "%s", p.err);
    program_run(&p, "run", "scene.yaml", "--checkpoint", "scene.checkpoint", NULL); /* a second run replaces its own outputs */
    cr_expect(p.status == 0, "%s", p.err);
    program_run(&p, "resume", "scene.checkpoint", "--steps", "3", NULL);
    cr_expect(p.status == 0, "%s", p.err);
    program_end(&p);
}

/* A name with an unknown ending is refused; a name without one is CSV. */
Test(scenes_files, endings) {
    static const char *const wrong[] = {"out.hdf5", "out.H5", "out.txt", "out.foo", "out.", "a.csv/../out.CSV"};
    static const char *const right[] = {"out", ".out", "a.b/out", "./out.csv"};
    program p = program_begin();
    char text[300];
    program_write_text(&p, "p.csv", HEADER ROW);
    snprintf(text, sizeof text, "%s/a.b", p.folder);
    cr_assert(mkdir(text, 0777) == 0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        snprintf(text, sizeof text, SCENE("", "output: {file: %s}\n"), wrong[i]);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", NULL);
        program_refused(&p, wrong[i], wrong[i], "expected .csv, .h5, .h5md, .xyz or .extxyz, or no ending, which is CSV");
    }
    for (size_t i = 0; i < sizeof right / sizeof right[0]; ++i) {
        snprintf(text, sizeof text, SCENE("", "output: {file: %s}\n"), right[i]);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", NULL);
        cr_expect(p.status == 0 && program_has(&p, right[i]), "%s", p.err);
    }
    program_run(&p, "convert", "out.csv", "other.foo", NULL);
    program_refused(&p, "convert",
                    "other.foo: no kind of file ends with .foo, expected .csv, .h5, .h5md, .xyz, .extxyz or .npy, or no ending", "");
    program_run(&p, "convert", "out.csv", "/dev/null", NULL);
    cr_expect(p.status == 0, "%s", p.err);
    snprintf(text, sizeof text, "rm -r %s/a.b", p.folder);
    cr_assert(system(text) == 0);
    program_end(&p);
}

Test(scenes_files, large_or_absent, .timeout = 120) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml", SCENE("", ""));
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "absent", "scene.yaml:1: particles.file: cannot open p.csv: No such file", "expected a CSV or .npy file");
    program_write_hole(&p, "p.csv", HEADER ROW, 10000000000LL);
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "10 GB", "p.csv: longer than 4 GiB", "expected a CSV file of at most that");
    program_write_hole(&p, "p.csv", HEADER ROW, 3000000000LL);
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "a hole", "p.csv:3: a NUL byte", "expected text");
    program_write_hole(&p, "p.csv", "", 3000000000LL);
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "nothing but a hole", "p.csv:1: a NUL byte", "expected text");

    char *line = malloc(3 << 20);
    memset(line, '1', 3 << 20);
    program_write(&p, "p.csv", line, 3 << 20);
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "an endless line", "p.csv:1: a row longer than 1 MiB", "expected lines");
    memset(line, '\n', 3 << 20);
    memcpy(line, HEADER "\"", sizeof HEADER);
    program_write(&p, "p.csv", line, 3 << 20);
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "an endless field", "p.csv:2: a row longer than 1 MiB", "expected lines");
    /* A row has as many columns as it may have, and the last has the name of the first. Comparing each with each would take a minute. */
    size_t used = 0;
    for (int n = 0; used < (1 << 20) - 32; ++n) {
        used += (size_t)snprintf(line + used, 16, "c%d,", n);
    }
    snprintf(line + used, 16, "c0\n");
    program_write_text(&p, "p.csv", line);
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "many columns", "p.csv:1: column \"c0\" given twice", "expected once");
    memcpy(line + used, "x\n", 3);
    program_write_text(&p, "p.csv", line);
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "many other columns", "p.csv:1: ", "expected");
    free(line);

    program_write_text(&p, "scene.yaml", "particles: {file: /}\nforces: []\nmethod: rk4\ndt: 1\nsteps: 0\n");
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "a folder", "/:1: cannot read: Is a directory", "expected a CSV file");
    program_end(&p);
}

/* A number that does not fit the precision of the run is refused, also if an option chose the precision. */
Test(scenes_files, precision) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml", SCENE("", ""));
    program_write_text(&p, "p.csv", "mass," HEADER "1,1e39,2,3,4,5,6\n");
    program_run(&p, "run", "scene.yaml", NULL);
    cr_expect(p.status == 0, "%s", p.err);
    program_run(&p, "run", "scene.yaml", "--real", "f32", NULL);
    program_refused(&p, "1e39", "p.csv:2: column x: expected a number that fits f32, found 1e+39", "");
    program_write_text(&p, "p.csv", "mass," HEADER "1e60,1,2,3,4,5,6\n");
    program_run(&p, "run", "scene.yaml", "--real", "f32", NULL);
    program_refused(&p, "mass 1e60", "p.csv:2: column mass: expected a mass whose inverse is one that fits f32", "");
    program_end(&p);
}

static const struct taken {
    const char *text, *state; /* state: what --out writes */
} taken[] = {
    {HEADER ROW, "id,x,y,z,vx,vy,vz,mass\n0,1,2,3,4,5,6,1\n"},
    {HEADER "1,2,3,4,5,6", "id,x,y,z,vx,vy,vz,mass\n0,1,2,3,4,5,6,1\n"},
    {"\xef\xbb\xbfx,y,z,vx,vy,vz\r\n1,2,3,4,5,6\r\n\r\n", "id,x,y,z,vx,vy,vz,mass\n0,1,2,3,4,5,6,1\n"},
    {"\"x\", y ,z,vx,vy,vz\n\"1\", 2 ,3,4,5,+6e0\n", "id,x,y,z,vx,vy,vz,mass\n0,1,2,3,4,5,6,1\n"},
    {"name,vz,vy,vx,z,y,x,id,mass\n\"a, \"\"b\"\"\nc\",6,5,4,3,2,1,18446744073709551615,inf\nd,0,0,0,0,0,.5,2,3\n",
     "id,x,y,z,vx,vy,vz,mass\n18446744073709551615,1,2,3,4,5,6,inf\n2,0.5,0,0,0,0,0,3\n"},
    {HEADER "0.1,-0,1e-320,4,5,6\n", "id,x,y,z,vx,vy,vz,mass\n0,0.10000000000000001,-0,9.9998886718268301e-321,4,5,6,1\n"},
};

Test(scenes_files, right) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml", SCENE("", ""));
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; ++i) {
        program_write_text(&p, "p.csv", taken[i].text);
        program_run(&p, "run", "scene.yaml", "--out", "state.csv", NULL);
        cr_assert(p.status == 0, "%s: %s", taken[i].text, p.err);
        char *state = program_read(&p, "state.csv");
        cr_expect(strcmp(state, taken[i].state) == 0, "%s: wrote\n%s", taken[i].text, state);
        free(state);
    }
    program_end(&p);
}

/* The rows fill a thousand blocks: lines are counted across the blocks in which the file is read. */
Test(scenes_files, blocks) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml", SCENE("", ""));
    enum { ROWS = 60000 };
    char *text = malloc(ROWS * 40 + 200);
    cr_assert(text);
    size_t used = (size_t)sprintf(text, "id," HEADER);
    for (int i = 0; i < ROWS; ++i) {
        used += (size_t)sprintf(text + used, i % 3 ? "%d,%d.5,2,3,4,5,6\n" : "%d,%d.5,2,3,4,5,6\r\n", i, i);
    }
    program_write(&p, "p.csv", text, used);
    program_run(&p, "run", "scene.yaml", "--out", "state.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    double row[16];
    for (size_t i = 0; i < ROWS; i += 9999) {
        cr_assert(program_row(&p, "state.csv", i, row) == 8);
        cr_expect(row[0] == (double)i && row[1] == (double)i + 0.5 && row[6] == 6);
    }
    memcpy(text + used, "1,2,3\n", 7);
    program_write_text(&p, "p.csv", text);
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "the last row", "p.csv:60002: expected 7 columns as the header has, found 3", "");
    free(text);
    program_end(&p);
}

/* The file is next to the scene, wherever the program is started. */
Test(scenes_files, beside_the_scene) {
    program p = program_begin();
    char scene[128];
    program_write_text(&p, "scene.yaml", SCENE("", ""));
    program_write_text(&p, "p.csv", HEADER ROW);
    snprintf(scene, sizeof scene, "../%s/scene.yaml", strrchr(p.folder, '/') + 1);
    program_run(&p, "run", scene, NULL);
    cr_expect(p.status == 0, "%s", p.err);
    program_end(&p);
}

/* Columns that a force names are required, and checked like the others. */
Test(scenes_files, columns_of_forces) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml", SCENE("spring: {k: {column: stiffness}, at: {columns: [ax, ay, az]}}", ""));
    program_write_text(&p, "p.csv", HEADER ROW);
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "absent", "p.csv:1: no column stiffness", "and the columns that forces name");
    program_write_text(&p, "p.csv", "stiffness,ax,ay,az," HEADER "soft,0,0,0," ROW);
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "not a number", "p.csv:2: column stiffness: expected a finite number, found \"soft\"", "");
    program_write_text(&p, "p.csv", "stiffness,ax,ay,az," HEADER "2,0,0,0," ROW);
    program_run(&p, "run", "scene.yaml", NULL);
    cr_expect(p.status == 0, "%s", p.err);
    program_end(&p);
}
