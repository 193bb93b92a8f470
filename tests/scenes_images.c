/* Image counts of scenes with a periodic boundary: the unwrapped position follows from x and the counts. */
#include "scenes_program.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Straight motions, with numbers that are exact in both precisions. The z axis has no boundary. */
enum { PARTICLES = 3, STEPS = 40, EVERY = 8, COLUMNS = 13 };
static const double apart[PARTICLES][6] = {{0.25, 0.5, 0.125, 3, -2, 0.5}, {0, 0, 0, -5, 0, 0}, {0.5, -1, 3, 11, 7.5, -40}};
static const double chained[PARTICLES][6] = {{0.25, 0.5, 0.125, 3, -2, 0.5}, {0.5, 0.5, 0.125, 3, -2, 0.5}, {0.75, 0.5, 0.125, 3, -2, 0.5}};
static const double (*starts)[6] = apart;
static const double widths[3] = {1, 2.5, 0};
#define PARTICLES_OF                                                                                                                       \
    "particles: {state: [{x: [0.25, 0.5, 0.125], v: [3, -2, 0.5], mass: 2, id: 0}, {x: [0, 0, 0], v: [-5, 0, 0], id: 9}, "                 \
    "{x: [0.5, -1, 3], v: [11, 7.5, -40], id: 2}]}\n"
#define CHAIN                                                                                                                              \
    "particles: {grid: {size: [3], at: [0.25, 0.5, 0.125], along: [[0.25, 0, 0]], velocity: {point: [3, -2, 0.5]}}}\ninteractions: "       \
    "[spring-lattice: "                                                                                                                    \
    "{grid: [3], k: 8, length: 0.25}]\n"
#define BOX "boundary: {periodic: {min: [0, -1, 5], max: [1, 1.5, 5]}}\n"
#define REST "forces: []\ndt: 0.125\n"
#define CHECKPOINT "checkpoint: {file: run.checkpoint, every: 7}\n"

/* Checks row `row` of a file whose columns from `first` on are x, y, z, vx, vy, vz, mass, ix, iy, iz: unwrapped, its particle is where it
 * would be at t without a boundary. */
static void expect_unwrapped(const program *p, const char *name, size_t row, size_t first, double t) {
    double numbers[16];
    cr_assert(program_row(p, name, row, numbers) == first + 10, "%s: row %zu has %zu columns", name, row,
              program_row(p, name, row, numbers));
    const double *const x = numbers + first, *const images = x + 7, *const start = starts[row % PARTICLES];
    for (int axis = 0; axis < 3; ++axis) {
        cr_expect(x[axis] + images[axis] * widths[axis] == start[axis] + start[3 + axis] * t, "%s: row %zu, axis %d: %.17g, image %.17g",
                  name, row, axis, x[axis], images[axis]);
        cr_expect(widths[axis] > 0 ? x[axis] >= -1 && x[axis] <= 1.5 : images[axis] == 0);
    }
}

static void expect_frames(const program *p, const char *name) {
    size_t row = 0;
    for (int step = 0; step <= STEPS; step += EVERY) {
        for (int i = 0; i < PARTICLES; ++i) {
            double numbers[16];
            expect_unwrapped(p, name, row, 3, 0.125 * step);
            cr_expect(program_row(p, name, row, numbers) == COLUMNS && numbers[0] == step);
            ++row;
        }
    }
    double numbers[16];
    cr_expect(program_row(p, name, row, numbers) == 0);
}

static void expect_end(const program *p, int steps) {
    for (size_t i = 0; i < PARTICLES; ++i) {
        expect_unwrapped(p, "end.csv", i, 1, 0.125 * steps);
    }
}

static void write_scene(const program *p, const char *method, const char *rest, int steps, const char *output) {
    char *text;
    cr_assert(asprintf(&text, "%s" BOX REST "method: %s\n%ssteps: %d\n%s", starts == chained ? CHAIN : PARTICLES_OF, method, rest, steps,
                       output) > 0);
    program_write_text(p, "scene.yaml", text);
    free(text);
}

static void expect_resumed(program *p) {
    program_run(p, "resume", "run.checkpoint", "--steps", "61", NULL);
    cr_assert(p->status == 0, "%s", p->err);
    expect_end(p, 61);
}

Test(scenes_images, unwrapped_it_is_a_straight_motion) {
    static const char *const methods[][2] = {{"velocity-verlet", CHECKPOINT},
                                             {"position-verlet", "real: f32\n"},
                                             {"rk4", "arithmetic: unfused\n"},
                                             {"explicit-euler", "compensated: true\n"}};
    for (size_t n = 0; n < sizeof methods / sizeof *methods; ++n) {
        program p = program_begin();
        write_scene(&p, methods[n][0], methods[n][1], STEPS, "output: {file: out.csv, every: 8}\n");
        program_run(&p, "run", "scene.yaml", "--out", "end.csv", NULL);
        cr_assert(p.status == 0, "%s: %s", methods[n][0], p.err);
        expect_frames(&p, "out.csv");
        expect_end(&p, STEPS);
        program_run(&p, "diff", "out.csv", "out.csv", NULL);
        cr_expect(p.status == 0, "%s", p.err);
        program_end(&p);
    }
}

Test(scenes_images, between_two_steps_too) {
    static const double times[] = {0, 0.0625, 1.1875, 4.125, 4.96875, 5};
    program p = program_begin();
    write_scene(&p, "velocity-verlet", "", STEPS, "output: {file: out.csv, times: [0, 0.0625, 1.1875, 4.125, 4.96875, 5]}\n");
    program_run(&p, "run", "scene.yaml", "--out", "end.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    for (size_t n = 0; n < sizeof times / sizeof *times; ++n) {
        for (size_t i = 0; i < PARTICLES; ++i) {
            expect_unwrapped(&p, "out.csv", n * PARTICLES + i, 3, times[n]);
        }
    }
    expect_end(&p, STEPS);
    program_end(&p);
}

/* A chain across the border moves as one, in all these ways of output. Its springs act between nearest images at their rest lengths. */
Test(scenes_images, of_system_scenes_too) {
    program p = program_begin();
    starts = chained;
    write_scene(&p, "velocity-verlet", CHECKPOINT, STEPS, "output: {file: out.csv, every: 8}\n");
    program_run(&p, "run", "scene.yaml", "--out", "end.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    expect_frames(&p, "out.csv");
    expect_end(&p, STEPS);
    write_scene(&p, "position-verlet", CHECKPOINT, 19, "output: {file: out.csv, times: [0.0625, 2.125]}\n");
    program_run(&p, "run", "scene.yaml", "--out", "end.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    for (size_t row = 0; row < PARTICLES; ++row) {
        expect_unwrapped(&p, "out.csv", row, 3, 0.0625);
        expect_unwrapped(&p, "out.csv", PARTICLES + row, 3, 2.125);
    }
    expect_resumed(&p);
    program_end(&p);
}

Test(scenes_images, a_resumed_run_goes_on_counting) {
    program p = program_begin();
    write_scene(&p, "velocity-verlet", "", 19, CHECKPOINT);
    program_run(&p, "run", "scene.yaml", "--out", "end.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    expect_end(&p, 19);
    expect_resumed(&p);
    program_end(&p);
}

Test(scenes_images, frames_of_h5md) {
    program p = program_begin();
    write_scene(&p, "velocity-verlet", "", STEPS, "output: {file: out.h5, every: 8}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    if (!KDR_HAVE_HDF5) {
        program_end(&p);
        cr_skip_test("built without HDF5");
    }
    cr_assert(p.status == 0, "%s", p.err);
    static const char *const pairs[][2] = {{"out.h5", "out.csv"}, {"out.csv", "other.h5"}, {"other.h5", "other.csv"}};
    for (size_t n = 0; n < sizeof pairs / sizeof *pairs; ++n) {
        program_run(&p, "convert", pairs[n][0], pairs[n][1], NULL);
        cr_assert(p.status == 0, "%s", p.err);
    }
    expect_frames(&p, "out.csv");
    expect_frames(&p, "other.csv");
    program_end(&p);
}

/* A run begins with the counts of its file; missing columns count as 0. Without a periodic boundary they are ignored. */
Test(scenes_images, a_file_s_counts_go_on) {
    program p = program_begin();
    double row[16];
    program_write_text(&p, "p.csv", "iz,x,y,z,vx,vy,vz,ix\n7,0.5,0,0,8,0,0,-3\n-2147483648,0.5,0,0,0,0,0,2147483647\n");
    program_write_text(&p, "scene.yaml", "particles: {file: p.csv}\n" BOX REST "method: velocity-verlet\nsteps: 1\n");
    program_run(&p, "run", "scene.yaml", "--out", "end.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    cr_expect(program_row(&p, "end.csv", 0, row) == 11 && row[1] == 0.5 && row[8] == -2 && row[9] == 0 && row[10] == 7);
    cr_expect(program_row(&p, "end.csv", 1, row) == 11 && row[8] == 2147483647.0 && row[10] == -2147483648.0);
    program_write_text(&p, "p.csv", "iz,x,y,z,vx,vy,vz,ix\na,0.5,0,0,8,0,0,0.5\n");
    program_write_text(&p, "scene.yaml",
                       "particles: {file: p.csv}\n" REST "method: velocity-verlet\nsteps: 1\n"
                       "boundary: {absorbing: {min: [0, 0, 0], max: [9, 9, 9]}}\n");
    program_run(&p, "run", "scene.yaml", "--out", "end.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    char *const end = program_read(&p, "end.csv");
    cr_expect(strcmp(end, "id,x,y,z,vx,vy,vz,mass\n0,1.5,0,0,8,0,0,1\n") == 0, "%s", end);
    free(end);
    program_end(&p);
}

Test(scenes_images, no_whole_number_is_refused) {
    static const char *const wrong[] = {"1.5", "", "x", "2147483648", "-2147483649", "nan", "inf", "0x1"};
    program p = program_begin();
    program_write_text(&p, "scene.yaml", "particles: {file: p.csv}\n" BOX REST "method: velocity-verlet\nsteps: 1\n");
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        char text[160], found[40];
        snprintf(text, sizeof text, "x,y,z,vx,vy,vz,ix,iy,iz\n0,0,0,1,1,1,0,0,0\n0,0,0,1,1,1,0,%s,0\n", wrong[n]);
        snprintf(found, sizeof found, "found \"%s\"", wrong[n]);
        program_write_text(&p, "p.csv", text);
        program_run(&p, "run", "scene.yaml", "--out", "end.csv", NULL);
        program_refused(&p, wrong[n], "p.csv:3: column iy: expected a whole number from -2^31 to 2^31 - 1", found);
        program_run(&p, "convert", "p.csv", "out.csv", NULL);
        program_refused(&p, wrong[n], "p.csv:3: column iy: expected a whole number", found);
        cr_expect(program_files(&p) == 2, "%s: left a file behind", wrong[n]);
    }
    program_end(&p);
}
