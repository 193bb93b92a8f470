/* The program's bookkeeping: energies of frames at their own times, evaluations of particles that stop, distributions of random particles,
 * the memory of a resumed run, and threads. */
#include <kickdrift/io.h>

#include "scenes_json.h"
#include "support.h"

/* Opens the frames of run.h5, whose observables are energy, kinetic and potential. */
static kdr_trajectory *frames_of(const program *p, kdr_trajectory_info *info) {
    char path[128];
    kdr_trajectory *frames;
    kdr_error error;
    snprintf(path, sizeof path, "%s/run.h5", p->folder);
    cr_assert(kdr_trajectory_open(path, UINT64_MAX, &frames, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_trajectory_query(frames, info, &error) == KDR_OK && info->observable_count == 3);
    cr_assert(strcmp(info->observables[0], "energy") == 0 && strcmp(info->observables[1], "kinetic") == 0 &&
              strcmp(info->observables[2], "potential") == 0);
    return frames;
}

static void expect_energies(const program *p, const kdr_integrator_desc *desc, const double *times, size_t count) {
    kdr_trajectory_info info;
    kdr_trajectory *const frames = frames_of(p, &info);
    kdr_integrator *integrator;
    kdr_error error;
    cr_assert(kdr_integrator_create(desc, &integrator, &error) == KDR_OK, "%s", error.message);
    cr_expect(info.frames == count, "%" PRIu64 " frames", info.frames);
    for (uint64_t n = 0; n < info.frames; ++n) {
        kdr_frame frame;
        kdr_observables now;
        cr_assert(kdr_trajectory_read(frames, n, &frame, &error) == KDR_OK, "%s", error.message);
        const kdr_clock clock = {.t0 = times[n], .dt = 1};
        cr_expect(close_to(frame.time, times[n], 1e-14), "frame %" PRIu64 " at %.17g", n, frame.time);
        cr_assert(kdr_observe(integrator, &frame.particles, &clock, &now, &error) == KDR_OK, "%s", error.message);
        cr_expect(close_to(frame.observables[0], now.energy, 1e-12), "t = %g: energy %.17g, expected %.17g", times[n], frame.observables[0],
                  now.energy);
        cr_expect(close_to(frame.observables[1], now.kinetic, 1e-12), "t = %g: kinetic %.17g", times[n], frame.observables[1]);
        cr_expect(close_to(frame.observables[2], now.potential, 1e-12), "t = %g: potential %.17g, expected %.17g", times[n],
                  frame.observables[2], now.potential);
    }
    kdr_integrator_destroy(integrator);
    cr_assert(kdr_trajectory_close(frames, NULL) == KDR_OK);
}

Test(scenes_books, energies_of_frames_are_those_of_their_own_times) {
    static const char scene[] =
        "particles: {state: [{x: [1, 2, 3], v: [1, 0, -1], mass: 2}, {x: [-1, 0.5, 0], v: [0, 1, 0], mass: 4}]}\n"
        "forces: [driven: {a: [3, -4, 5], omega: 2, phase: 0.5}, spring: {k: 2}]\nmethod: rk4\nt0: 0.25\ndt: 0.125\n"
        "steps: 16\n";
    const kdr_force forces[] = {kdr_force_driven(3, -4, 5, 2, 0.5), kdr_force_spring(2, 0, 0, 0)};
    const kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, forces, 2);
    static const struct {
        const char *output;
        double times[4];
    } cases[] = {{"output: {file: run.h5, times: [0.25, 0.3, 1.1875, 2.2]}\n", {0.25, 0.3, 1.1875, 2.2}},
                 {"output: {file: run.h5, every: 6}\n", {0.25, 1, 1.75, 2.25}}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
        char text[1024];
        program p = program_begin();
        snprintf(text, sizeof text, "%s%s", scene, cases[n].output);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", "--json", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        expect_energies(&p, &desc, cases[n].times, 4);
        program_end(&p);
    }
}

/* Particles of levels 0, 3 and 1 fly freely. The second is stopped within the step that begins at 0.5. rk4 evaluates four times per
 * step. */
Test(scenes_books, a_stopped_particle_has_the_evaluations_of_its_level) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml",
                       "particles: {state: [{x: [0, 0, 0], v: [0, 0, 0]}, {x: [0, 0, 0], v: [1, 0, 0]}, {x: [0, 0, 0], v: [-1, 0, 0]}]}\n"
                       "levels: {each: [0, 3, 1]}\nforces: []\nmethod: rk4\ndt: 0.0625\nsteps: 100\n"
                       "watch: [plane: {point: [0.53, 0, 0], normal: [1, 0, 0], stop: particle}]\n");
    program_run(&p, "run", "scene.yaml", "--json", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    json_t *const said = program_json(&p);
    const double expected = 4 * (100 * 1 + (0.5 / 0.0625 + 1) * 8 + 100 * 2);
    cr_expect(json_at(said, "evaluations", NULL) == expected, "%g evaluations, expected %g", json_at(said, "evaluations", NULL), expected);
    json_decref(said);
    program_end(&p);
}

/* ---- distributions of particles */

enum { MANY = 20000, COLUMNS = 7 }; /* COLUMNS: x, v and the mass */

static double column(const kdr_frame *frame, int n, size_t i) {
    const kdr_particles *const p = &frame->particles;
    if (n == COLUMNS - 1) {
        return frame->mass[i];
    }
    const void *const array = n < 3 ? p->x[n] : p->v[n - 3];
    const size_t stride = n < 3 ? p->x_layout.stride : p->v_layout.stride;
    double value;
    memcpy(&value, (const char *)array + i * (stride ? stride : sizeof value), sizeof value);
    return value;
}

Test(scenes_books, a_random_population_is_uncorrelated) {
    program p = program_begin();
    kdr_trajectory_info info;
    kdr_frame frame;
    program_write_text(&p, "scene.yaml",
                       "particles: {random: {count: 20000, seed: 3, position: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, "
                       "velocity: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, mass: {uniform: [1, 2]}}}\n"
                       "forces: []\nmethod: rk4\ndt: 0.125\nsteps: 0\noutput: {file: run.h5}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    kdr_trajectory *const frames = frames_of(&p, &info);
    cr_assert(kdr_trajectory_read(frames, 0, &frame, NULL) == KDR_OK && frame.mass && info.count == MANY);
    for (int a = 0; a < COLUMNS; ++a) {
        const double low = a < COLUMNS - 1 ? 0 : 1;
        for (int b = 0; b <= a; ++b) {
            double sum = 0;
            for (size_t i = 0; i < MANY; ++i) {
                sum += (column(&frame, a, i) - low - 0.5) * (column(&frame, b, i) - (b < COLUMNS - 1 ? 0 : 1) - 0.5);
            }
            /* 1 / 12 is the variance of one number; the standard error of a product is 1 / sqrt(MANY) of that, 0.007. */
            const double correlation = 12 * sum / MANY;
            cr_expect(close_to(correlation, a == b, 0.03), "columns %d and %d: correlation %g", a, b, correlation);
        }
    }
    cr_assert(kdr_trajectory_close(frames, NULL) == KDR_OK);
    program_end(&p);
}

/* By the virial theorem 2 T / |V| = 1, for any g, mass and radius. The sampling error with 4000 particles is about 2 %. */
Test(scenes_books, a_plummer_sphere_is_in_equilibrium) {
    static const struct {
        double g, mass, radius;
    } spheres[] = {{1, 1, 1}, {4, 1, 1}, {4, 3, 2}, {0.25, 2, 0.5}};
    for (size_t n = 0; n < sizeof spheres / sizeof *spheres; ++n) {
        char text[512];
        program p = program_begin();
        kdr_trajectory_info info;
        kdr_frame frame;
        snprintf(text, sizeof text,
                 "particles: {plummer: {count: 4000, seed: 7, g: %g, mass: %g, radius: %g}}\nforces: []\ninteractions: [gravity: {g: %g}]\n"
                 "method: velocity-verlet\ndt: 0.001\nsteps: 0\noutput: {file: run.h5}\n",
                 spheres[n].g, spheres[n].mass, spheres[n].radius, spheres[n].g);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        kdr_trajectory *const frames = frames_of(&p, &info);
        cr_assert(kdr_trajectory_read(frames, 0, &frame, NULL) == KDR_OK);
        const double ratio = 2 * frame.observables[1] / fabs(frame.observables[2]);
        /* The potential energy of the sphere is -3 pi / 32 g m^2 / a. */
        const double potential = -0.29452431127404311 * spheres[n].g * spheres[n].mass * spheres[n].mass / spheres[n].radius;
        cr_expect(close_to(ratio, 1, 0.08), "g %g, mass %g, radius %g: 2 T / |V| = %g", spheres[n].g, spheres[n].mass, spheres[n].radius,
                  ratio);
        cr_expect(close_to(frame.observables[2] / potential, 1, 0.08), "potential %g, expected %g", frame.observables[2], potential);
        cr_assert(kdr_trajectory_close(frames, NULL) == KDR_OK);
        program_end(&p);
    }
}

/* ---- the memory of a resumed run */

static double lost_step(const program *p) {
    json_t *const said = program_json(p);
    const double step = json_at(json_object_get(said, "first_non_finite"), "step", NULL);
    json_decref(said);
    return step;
}

/* The amplitude grows by 1e30 per step, so it is infinite long before the checkpoint. */
Test(scenes_books, a_resumed_run_knows_in_which_step_a_particle_was_lost) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml",
                       "particles: {state: [{x: [1, 0, 0], v: [0, 0, 0]}]}\nforces: [spring: {k: -1e30}]\nmethod: explicit-euler\n"
                       "dt: 1e15\nsteps: 40\nreport: 5\ncheckpoint: {file: run.checkpoint}\n");
    program_run(&p, "run", "scene.yaml", "--json", NULL);
    cr_assert(p.out && *p.out, "%s", p.err);
    const double step = lost_step(&p);
    cr_expect(step > 0 && step < 40, "lost in step %g", step);
    program_run(&p, "resume", "run.checkpoint", "--steps", "60", "--json", NULL);
    cr_assert(p.out && *p.out, "%s", p.err);
    cr_expect(lost_step(&p) == step, "after the resumption step %g, expected %g", lost_step(&p), step);
    program_end(&p);
}

/* ---- threads */

static int lines_of(const char *text, const char *with) {
    int lines = 0;
    for (const char *at = strstr(text, with); at; at = strstr(at + 1, with)) {
        ++lines;
    }
    return lines;
}

/* OpenMP prints this for each thread of a team when it begins to work. */
Test(scenes_books, as_many_threads_work_as_are_asked_for) {
    static const char *const numbers[] = {"1", "2", "3"};
    cr_assert(setenv("OMP_DISPLAY_AFFINITY", "TRUE", 1) == 0);
    for (int n = 0; n < 3; ++n) {
        program p = program_begin();
        program_write_text(
            &p, "scene.yaml",
            "particles: {random: {count: 100000, seed: 3, position: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, "
            "velocity: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}}\nforces: [spring: {k: 1}]\nmethod: rk4\ndt: 0.125\nsteps: 4\n");
        program_run(&p, "run", "scene.yaml", "--threads", numbers[n], NULL);
        cr_assert(p.status == 0, "%s", p.err);
        const int lines = lines_of(p.err, " thread ");
        cr_expect(n == 0 ? lines <= 1 : lines == n + 1, "%d of %s threads worked: %s", lines, numbers[n], p.err);
        program_end(&p);
    }
}
