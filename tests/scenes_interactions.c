/* Scenes whose particles interact: the shipped ones are compared with known results, with the same bits on every backend. The program
 * handles them as other scenes. Wrong scenes are refused. */
#include "scenes_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 20000 };

/* Returns the rows of a file of states: id, x, y, z, vx, vy, vz, mass. To be freed. */
static double (*read_states(const program *p, const char *name, size_t *count))[8] {
    double(*rows)[8] = calloc(MOST, sizeof *rows);
    char *const text = program_read(p, name);
    cr_assert(rows && text);
    *count = 0;
    for (char *line = strchr(text, '\n'); line && line[1] && *count < MOST; line = strchr(line + 1, '\n')) {
        char *at = line + 1;
        for (int k = 0; k < 8; ++k) {
            rows[*count][k] = strtod(at, &at);
            at += *at == ',';
        }
        ++*count;
    }
    free(text);
    return rows;
}

static double distance(const double *a, const double *b) {
    return sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
}

static json_t *run(program *p, const char *scene, const char *steps, const char *out) {
    program_run(p, "run", scene, "--json", "--steps", steps, "--out", out, NULL);
    cr_assert(p->status == 0, "%s: %s", scene, p->err);
    return program_json(p);
}

static double component(const json_t *object, const char *key, size_t i) {
    return json_number_value(json_array_get(json_object_get(object, key), i));
}

/* After ten periods every body is where it began, and momenta that were 0 are 0. Half a period later the bodies are on the mirrored figure,
 * away from their starts. */
Test(scenes_interactions, figure_eight) {
    static const double begun[3][3] = {{0.97000436, -0.24308753, 0}, {-0.97000436, 0.24308753, 0}, {0, 0, 0}};
    program p = program_begin();
    size_t count;
    json_t *object = run(&p, SCENES "figure-eight.yaml", "2560", "state.csv");
    double(*const rows)[8] = read_states(&p, "state.csv", &count);
    cr_expect(count == 3);
    for (size_t i = 0; i < 3; ++i) {
        cr_expect(distance(rows[i] + 1, begun[i]) < 1e-6, "body %zu is %g away", i, distance(rows[i] + 1, begun[i]));
        cr_expect(fabs(component(object, "momentum", i)) < 1e-13 && fabs(component(object, "angular_momentum", i)) < 1e-13);
    }
    cr_expect(json_at(object, "energy", "max_relative_error") < 1e-13, "%g", json_at(object, "energy", "max_relative_error"));
    cr_expect(fabs(json_at(object, "energy", "first") + 1.2871419917663258) < 1e-14);
    free(rows);
    json_decref(object);
    json_decref(run(&p, SCENES "figure-eight.yaml", "2688", "later.csv"));
    double(*const later)[8] = read_states(&p, "later.csv", &count);
    cr_expect(distance(later[0] + 1, begun[0]) > 0.5 && distance(later[2] + 1, begun[2]) < 1e-6, "%g", distance(later[2] + 1, begun[2]));
    free(later);
    program_end(&p);
}

/* The energy error is at most that of the step, and momentum and angular momentum are conserved to rounding. */
Test(scenes_interactions, spring_lattice) {
    program p = program_begin();
    json_t *const first = run(&p, SCENES "spring-lattice.yaml", "0", "start.csv");
    json_t *const last = run(&p, SCENES "spring-lattice.yaml", "8192", "state.csv");
    const double error = json_at(last, "energy", "max_relative_error");
    cr_expect(error > 1e-4 && error < 3e-3, "%g", error);
    for (size_t i = 0; i < 3; ++i) {
        const double momentum = component(last, "momentum", i) - component(first, "momentum", i);
        const double turning = component(last, "angular_momentum", i) - component(first, "angular_momentum", i);
        cr_expect(fabs(momentum) < 1e-11 && fabs(turning) < 1e-9, "axis %zu: %g, %g", i, momentum, turning);
    }
    /* Half the step gives a quarter of the error. */
    program_run(&p, "run", SCENES "spring-lattice.yaml", "--json", "--dt", "0.00390625", NULL);
    json_t *const finer = program_json(&p);
    const double ratio = error / json_at(finer, "energy", "max_relative_error");
    cr_expect(ratio > 3 && ratio < 5, "%g", ratio);
    json_decref(first);
    json_decref(last);
    json_decref(finer);
    program_end(&p);
}

static int by_size(const void *a, const void *b) {
    const double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

/* Returns the radius about the centre of mass that contains a share of the stars. */
static double lagrange_radius(double (*rows)[8], size_t count, double share) {
    double middle[3] = {0}, *const r = calloc(count, sizeof *r);
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            middle[k] += rows[i][1 + k] / (double)count;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        r[i] = distance(rows[i] + 1, middle);
    }
    qsort(r, count, sizeof *r, by_size);
    const double found = r[(size_t)(share * (double)count)];
    free(r);
    return found;
}

/* A Plummer sphere has M(r) = (1 + r^-2)^(-3/2) and energies -3 pi / 32 and 3 pi / 64, within the errors by 20,000 stars, the softening and
 * the thousandth that is left out. It stays so. */
Test(scenes_interactions, elliptical_galaxy, .timeout = 300, .disabled = SANITIZED) {
    static const double shares[] = {0.1, 0.5, 0.9};
    program p = program_begin();
    size_t count;
    json_decref(run(&p, SCENES "elliptical-galaxy.yaml", "0", "start.csv"));
    json_t *const object = run(&p, SCENES "elliptical-galaxy.yaml", "16", "state.csv");
    double(*const start)[8] = read_states(&p, "start.csv", &count), (*const end)[8] = read_states(&p, "state.csv", &count);
    cr_assert(count == 20000);
    double kinetic = 0;
    for (size_t i = 0; i < count; ++i) {
        for (int k = 4; k < 7; ++k) {
            kinetic += 0.5 * end[i][7] * end[i][k] * end[i][k];
        }
        cr_assert(fabs(end[i][7] - 1.0 / 20000) < 1e-11);
    }
    const double energy = json_at(object, "energy", "last"), virial = -2 * kinetic / (energy - kinetic);
    cr_expect(fabs(energy / (-3 * M_PI / 64) - 1) < 0.03, "energy %g", energy);
    cr_expect(fabs(virial - 1) < 0.03, "virial ratio %g", virial);
    cr_expect(json_at(object, "energy", "max_relative_error") < 1e-5, "%g", json_at(object, "energy", "max_relative_error"));
    for (size_t i = 0; i < 3; ++i) {
        const double expected = 1 / sqrt(pow(shares[i], -2.0 / 3) - 1), first = lagrange_radius(start, count, shares[i]);
        cr_expect(fabs(first / expected - 1) < 0.04, "%g of the stars within %g, for %g", shares[i], first, expected);
        cr_expect(fabs(lagrange_radius(end, count, shares[i]) / first - 1) < 0.02);
    }
    free(start);
    free(end);
    json_decref(object);
    program_end(&p);
}

/* The cloth is over the ball and not in it, symmetric in two mirrors, and nearly at rest. */
Test(scenes_interactions, cloth, .timeout = 120) {
    enum { SIDE = 41 };
    program p = program_begin();
    size_t count, touching = 0;
    json_t *const object = run(&p, SCENES "cloth.yaml", "4000", "state.csv");
    double(*const rows)[8] = read_states(&p, "state.csv", &count);
    static const double centre[3] = {0, 0, 0};
    cr_assert(count == SIDE * SIDE);
    for (size_t i = 0; i < count; ++i) {
        const double *const here = rows[i], *const mirrored = rows[(i / SIDE) * SIDE + SIDE - 1 - i % SIDE],
                            *const turned = rows[(i % SIDE) * SIDE + i / SIDE];
        const double away = distance(here + 1, centre);
        cr_expect(away > 0.5 - 1e-12, "knot %zu is inside: %.17g", i, away);
        touching += away < 0.5 + 1e-9;
        cr_expect(fabs(here[1] + mirrored[1]) < 0.02 && fabs(here[3] - mirrored[3]) < 0.02 && fabs(here[3] - turned[3]) < 0.02, "knot %zu",
                  i);
        cr_expect(i % SIDE == 0 || distance(here + 1, rows[i - 1] + 1) < 0.05 * 1.5, "knot %zu", i);
    }
    cr_expect(touching > 200 && rows[0][3] < -0.5 && json_at(object, "energy", "last") < json_at(object, "energy", "first"), "%zu",
              touching);
    cr_expect(json_at(object, "dissipated_energy", "friction") > 0);
    free(rows);
    json_decref(object);
    program_end(&p);
}

/* Rods keep their lengths even after the whip has cracked, the held end does not move, and the energy is conserved. */
Test(scenes_interactions, chain, .timeout = 60) {
    program p = program_begin();
    size_t count;
    json_t *const object = run(&p, SCENES "chain.yaml", "8192", "state.csv");
    double(*const rows)[8] = read_states(&p, "state.csv", &count);
    cr_assert(count == 17);
    for (size_t i = 1; i < count; ++i) {
        cr_expect(fabs(distance(rows[i] + 1, rows[i - 1] + 1) / 0.125 - 1) < 1e-13, "rod %zu", i);
    }
    cr_expect(rows[0][1] == 0 && rows[0][3] == 1 && rows[0][4] == 0 && isinf(rows[0][7]) && rows[16][3] < 0.5);
    cr_expect(json_at(object, "energy", "max_relative_error") < 1e-4);
    free(rows);
    json_decref(object);
    program_end(&p);
}

static void fingerprint_of(program *p, const char *scene, const char *steps, const char *option, const char *value, char fingerprint[17]) {
    program_run(p, "run", scene, "--json", "--steps", steps, option, value, NULL);
    cr_assert(p->status == 0, "%s: %s", scene, p->err);
    json_t *object = program_json(p);
    snprintf(fingerprint, 17, "%s", json_text_at(object, "fingerprint"));
    json_decref(object);
}

/* The galaxy's bits are those of its first state, which is random: forces between particles have their own tests. */
Test(scenes_interactions, same_bits, .timeout = 300) {
    static const struct {
        const char *scene, *steps, *bits;
    } scenes[] = {{SCENES "figure-eight.yaml", "256", "ce1c30d215e95168"},
                  {SCENES "spring-lattice.yaml", "300", "61d4e62e991a93ce"},
                  {SCENES "cloth.yaml", "700", "27743a861d2237af"},
                  {SCENES "chain.yaml", "300", "6a76e31a071cd1f8"},
                  {SCENES "elliptical-galaxy.yaml", "0", "f5aa02f43bc8fb4a"}};
    static const char *const backends[] = {"scalar", "sse2", "avx2", "avx512", "neon"};
    program p = program_begin();
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        char other[17];
        const bool is_at_rest = strcmp(scenes[i].steps, "0") == 0;
        fingerprint_of(&p, scenes[i].scene, scenes[i].steps, "--threads", "2", other);
        cr_expect(strcmp(scenes[i].bits, other) == 0, "%s: %s with two threads", scenes[i].scene, other);
        for (size_t b = 0; b < sizeof backends / sizeof backends[0] && !is_at_rest; ++b) {
            program_run(&p, "run", scenes[i].scene, "--steps", "0", "--backend", backends[b], NULL);
            if (p.status == 0) {
                fingerprint_of(&p, scenes[i].scene, scenes[i].steps, "--backend", backends[b], other);
                cr_expect(strcmp(scenes[i].bits, other) == 0, "%s: %s on %s", scenes[i].scene, other, backends[b]);
            }
        }
        fingerprint_of(&p, scenes[i].scene, scenes[i].steps, "--arith", "unfused", other);
        cr_expect((strcmp(scenes[i].bits, other) == 0) == is_at_rest, "%s: fused and unfused", scenes[i].scene);
    }
    program_end(&p);
}

/* Softening lengths 3 and 4 of two particles combine to a softening of 5 for the pair, to the bit, from a list or a column. */
Test(scenes_interactions, softening_lengths) {
    static const char *const given[] = {"5", "{each: [3, 4]}", "{column: e}", "{each: [3, 3]}"};
    program p = program_begin();
    program_write_text(&p, "two.csv", "x,y,z,vx,vy,vz,mass,e\n1,0,0,0,0.5,0,2,3\n-1,2,0,0,0,0.25,6,4\n");
    char bits[sizeof given / sizeof *given][17], text[300];
    for (size_t i = 0; i < sizeof given / sizeof *given; ++i) {
        snprintf(
            text, sizeof text,
            "particles: {file: two.csv}\nforces: []\ninteractions: [gravity: {g: 1, softening: %s}]\nmethod: velocity-verlet\ndt: 0.125\n"
            "steps: 200\n",
            given[i]);
        program_write_text(&p, "s.yaml", text);
        fingerprint_of(&p, "s.yaml", "200", "--threads", "1", bits[i]);
    }
    cr_expect(strcmp(bits[0], bits[1]) == 0 && strcmp(bits[0], bits[2]) == 0, "%s, %s, %s", bits[0], bits[1], bits[2]);
    cr_expect(strcmp(bits[0], bits[3]) != 0, "lengths are looked at");
    program_end(&p);
}

/* A spring at omega h = 100: the midpoint rule rotates by 2 atan(omega h / 2) per step, implicit Euler brings it to rest at once, velocity
 * Verlet has long diverged. */
Test(scenes_interactions, a_stiff_spring) {
    static const struct {
        const char *method;
        double apart;
    } expected[] = {{"implicit-midpoint", 2 * 0.98723068112402}, {"implicit-euler", 0}, {"velocity-verlet", NAN}};
    program p = program_begin();
    program_write_text(&p, "two.csv", "x,y,z,vx,vy,vz,mass\n1,0,0,0,0,0,1\n-1,0,0,0,0,0,1\n");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        char text[300];
        snprintf(text, sizeof text,
                 "real: f64\nparticles: {file: two.csv}\nforces: []\ninteractions: [springs: {between: [[0, 1]], k: 5000, length: "
                 "0}]\nmethod: %s\n"
                 "dt: 1\nsteps: 400\n",
                 expected[i].method);
        program_write_text(&p, "s.yaml", text);
        program_run(&p, "run", "s.yaml", "--steps", i == 2 ? "400" : "4", "--out", "state.csv", NULL);
        cr_assert((p.status != 0) == isnan(expected[i].apart), "%s: %s", expected[i].method, p.err);
        if (p.status == 0) {
            size_t count;
            double(*const rows)[8] = read_states(&p, "state.csv", &count);
            cr_assert(count == 2);
            cr_expect(fabs(rows[0][1] - rows[1][1] - expected[i].apart) < 1e-6, "%s: %.17g apart", expected[i].method,
                      rows[0][1] - rows[1][1]);
            free(rows);
        }
    }
    program_end(&p);
}

/* Two bodies with each kind of coupling are compared with their closed forms. */
Test(scenes_interactions, two_bodies) {
    program p = program_begin();
    double row[16];
    /* A circle about the common centre: omega^2 = G (m1 + m2) / d^3 = 8, for a quarter of a turn. */
    program_write_text(
        &p, "s.yaml",
        "particles: {state: [{x: [0.75, 0, 0], v: [0, 2.1213203435596424, 0], mass: 2}, {x: [-0.25, 0, 0], v: [0, -0.70710678118654757, "
        "0], mass: 6}]}\nforces: []\ninteractions: [gravity: {g: 1}]\nmethod: rk4\ndt: 0.0005553603672697958\nsteps: 1000\n");
    program_run(&p, "run", "s.yaml", "--out", "o.csv", NULL);
    cr_assert(p.status == 0 && program_row(&p, "o.csv", 0, row) == 8, "%s", p.err);
    cr_expect(fabs(row[1]) < 1e-9 && fabs(row[2] - 0.75) < 1e-9, "%g %g", row[1], row[2]);
    /* mu is given as a list, and there is one source: the second body falls freely for a second, at 1 / d^2 from a body that does not
     * move. */
    program_write_text(&p, "s.yaml",
                       "particles: {state: [{x: [0, 0, 0], v: [0, 0, 0], mass: .inf}, {x: [0, 4, 0], v: [0.5, 0, 0]}]}\nforces: []\n"
                       "interactions: [gravity: {mu: {each: [1, 7]}, sources: 1}]\nmethod: rk4\ndt: 0.050265482457436693\nsteps: 1000\n");
    program_run(&p, "run", "s.yaml", "--out", "o.csv", NULL);
    cr_assert(p.status == 0 && program_row(&p, "o.csv", 1, row) == 8, "%s", p.err);
    cr_expect(fabs(row[1]) < 1e-5 && fabs(row[2] - 4) < 1e-5, "%g %g", row[1], row[2]);
    /* A spring of rest length 1 is stretched to 2: omega^2 = k (1 / m1 + 1 / m2) = 4, for half a period. */
    program_write_text(
        &p, "s.yaml",
        "particles: {state: [{x: [1, 0, 0], v: [0, 0, 0]}, {x: [-1, 0, 0], v: [0, 0, 0]}]}\nforces: []\n"
        "interactions: [springs: {between: [[0, 1]], k: 2, length: 1}]\nmethod: rk4\ndt: 0.0015707963267948966\nsteps: 1000\n");
    program_run(&p, "run", "s.yaml", "--out", "o.csv", "--json", NULL);
    cr_assert(p.status == 0 && program_row(&p, "o.csv", 0, row) == 8, "%s", p.err);
    cr_expect(fabs(row[1]) < 1e-9 && fabs(row[4]) < 1e-9, "the two have met: %g", row[1]);
    json_t *const object = program_json(&p);
    cr_expect(fabs(json_at(object, "energy", "first") - 1) < 1e-15);
    json_decref(object);
    /* A rod rotates: omega = 1, for half a turn. */
    program_write_text(&p, "s.yaml",
                       "particles: {state: [{x: [1, 0, 0], v: [0, 1, 0]}, {x: [-1, 0, 0], v: [0, -1, 0]}]}\nforces: []\n"
                       "distances: {rods: [{between: [[0, 1]]}]}\nmethod: velocity-verlet\ndt: 0.0015707963267948966\nsteps: 2000\n");
    program_run(&p, "run", "s.yaml", "--out", "o.csv", NULL);
    cr_assert(p.status == 0 && program_row(&p, "o.csv", 0, row) == 8, "%s", p.err);
    cr_expect(fabs(row[1] + 1) < 1e-5 && fabs(row[2]) < 1e-5 && fabs(hypot(row[1], row[2]) - 1) < 1e-14, "%g %g", row[1], row[2]);
    program_end(&p);
}

/* Checks the errors of rods in length and velocity, for consistent rods, and for three that cannot form a triangle. */
Test(scenes_interactions, rods_that_disagree) {
    program p = program_begin();
    static const char *const lengths[] = {"1.2", "2.1"};
    for (int n = 0; n < 2; ++n) {
        char text[512];
        snprintf(text, sizeof text,
                 "particles: {state: [{x: [0, 0, 0], v: [0, 0, 0]}, {x: [1, 0, 0], v: [0, 0, 0]}, {x: [0.5, 0.8, 0], v: [0, 0, 0.3]}]}\n"
                 "forces: []\ndistances: {rods: [{between: [[0, 1], [0, 2]], length: 1}, {between: [[1, 2]], length: %s}]}\n"
                 "method: velocity-verlet\ndt: 0.01\nsteps: 5\n",
                 lengths[n]);
        program_write_text(&p, "s.yaml", text);
        program_run(&p, "run", "s.yaml", "--json", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        json_t *const object = program_json(&p);
        const double off = json_at(object, "distances", "position"), along = json_at(object, "distances", "velocity");
        /* If three rods must make 2.1 out of 2, the best result has an error of a fiftieth of a length in each. */
        cr_expect(n ? off > 0.02 && off < 0.5 : off > 0 && off < 1e-14 && along < 1e-14, "%g %g", off, along);
        json_decref(object);
        program_run(&p, "run", "s.yaml", NULL);
        cr_expect(strstr(p.out, "\ndistances    off by "), "%s", p.out);
    }
    program_end(&p);
}

/* A spring lattice has as many springs as the grid has neighbours, and so have rods. The positions of the grid and the held particles are
 * checked too. */
Test(scenes_interactions, grids) {
    program p = program_begin();
    double row[16];
#define GRID                                                                                                                               \
    "particles: {grid: {size: [3, 4, 5], at: [1, 0, 0], along: [[0.5, 0, 0], [0, 2, 0], [0, 0, 4]], mass: 2, held: [[2, 3, 4], [1]]}}\n"
    program_write_text(&p, "s.yaml",
                       GRID
                       "forces: []\ninteractions: [spring-lattice: {grid: [3, 4, 5], k: 1, diagonal: 1, bend: 1}, spring-lattice: {grid: "
                       "[2, 2], first: 56, k: 1, "
                       "length: 3}]\ndistances: {rods: [{grid: [4], first: 3, length: 1}]}\nmethod: velocity-verlet\ndt: 0.01\nsteps: 0\n");
    program_run(&p, "run", "s.yaml", "--out", "o.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    cr_assert(program_row(&p, "o.csv", 0, row) == 8);
    cr_expect(row[1] == 1 && row[2] == 0 && row[3] == 0 && row[7] == 2);
    cr_assert(program_row(&p, "o.csv", 59, row) == 8);
    cr_expect(row[1] == 2 && row[2] == 6 && row[3] == 16 && isinf(row[7]));
    cr_assert(program_row(&p, "o.csv", 1, row) == 8);
    cr_expect(row[1] == 1.5 && isinf(row[7]));
    program_run(&p, "run", "s.yaml", "--explain", NULL);
    /* There are 40 + 45 + 48 neighbours, 2 (2 3 5 + 2 4 4 + 3 3 4) across faces, and 20 + 30 + 36 next but one. */
    cr_expect(strstr(p.out, "a += a spring network of 415 springs\n") && strstr(p.out, "a += a spring network of 4 springs\n"), "%s",
              p.out);
    cr_expect(strstr(p.out, "3 distances are kept, in 2 colours, by 1000 sweeps at most\n"), "%s", p.out);
    program_end(&p);
}

/* --error, --converge and frames work as in other scenes. */
Test(scenes_interactions, as_with_others) {
    program p = program_begin();
    program_run(&p, "run", SCENES "figure-eight.yaml", "--steps", "256", "--method", "velocity-verlet", "--converge", "3", "--json", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    json_t *object = program_json(&p);
    const double order = json_at(object, "error", "order"), error = json_at(object, "error", "x");
    cr_expect(fabs(order - 2) < 0.1 && error > 1e-4 && error < 1, "%g %g", order, error);
    json_decref(object);
    for (int damped = 0; damped < 2; ++damped) {
        char text[512];
        snprintf(text, sizeof text,
                 "particles: {state: [{x: [1, 0, 0], v: [0, 0, 0]}, {x: [-1, 0, 0], v: [0, 0.3, 0]}]}\nforces: []\n"
                 "interactions: [springs: {between: [[0, 1]], k: 2, length: 1, damping: %d}]\nmethod: pefrl\ndt: 0.01\nsteps: 100\n",
                 damped);
        program_write_text(&p, "s.yaml", text);
        program_run(&p, "run", "s.yaml", "--error", "--json", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        object = program_json(&p);
        cr_expect(json_at(json_object_get(object, "error"), "order", NULL) == (damped ? 1 : 4), "%s", p.out);
        json_decref(object);
    }
    program_run(&p, "run", "s.yaml", "--method", "dopri-5", "--error", "--json", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    object = program_json(&p);
    const double estimate = json_at(object, "error", "x");
    const char *const of = json_string_value(json_object_get(json_object_get(object, "error"), "of"));
    cr_expect(of && strcmp(of, "step") == 0 && estimate > 1e-14 && estimate < 1e-9, "%s", p.out);
    json_decref(object);
    program_run(&p, "run", SCENES "chain.yaml", "--steps", "64", "--method", "pefrl", "--error", NULL);
    program_refused(&p, "the order of what holds rods", "run: --error: the order of pefrl is not known", "expected --converge 2 or more");
    program_write_text(
        &p, "s.yaml",
        "particles: {plummer: {count: 20, seed: 3}}\nforces: [spring: {k: 0.5}]\ninteractions: [gravity: {g: 0.5, softening: 0.1}]\n"
        "method: velocity-verlet\ndt: 0.01\nsteps: 40\noutput: {file: out.xyz, every: 10}\n");
    program_run(&p, "run", "s.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    char *const text = program_read(&p, "out.xyz");
    int frames = 0;
    for (const char *at = text; at; at = strstr(at + 1, "Step=")) {
        ++frames;
    }
    cr_expect(frames == 1 + 5 && strncmp(text, "20\n", 3) == 0 && strstr(text, "Step=40 "), "%d: %.300s", frames, text);
    free(text);
    program_write_text(&p, "none.yaml",
                       "particles: {state: []}\nforces: []\ninteractions: [gravity: {g: 1}]\nmethod: rk4\ndt: 1\nsteps: 2\n");
    program_run(&p, "run", "none.yaml", NULL);
    cr_expect(p.status == 0, "%s", p.err);
    program_end(&p);
}

/* The lines of a correct scene. A case replaces one of them, and has the line that the message names, and its text. */
static const char *const right[] = {
    "particles:",                                            /* 1 */
    "  grid: {size: [3, 3], along: [[1, 0, 0], [0, 1, 0]]}", /* 2 */
    "forces: []",                                            /* 3 */
    "interactions:",                                         /* 4 */
    "  - gravity: {g: 1}",                                   /* 5 */
    "  - springs: {between: [[0, 1], [1, 2]], k: 1}",        /* 6 */
    "  - spring-lattice: {grid: [3, 3], k: 1}",              /* 7 */
    "distances: {rods: [{between: [[0, 8]]}]}",              /* 8 */
    "method: velocity-verlet",                               /* 9 */
    "dt: 0.001",                                             /* 10 */
    "steps: 4",                                              /* 11 */
    "report: 2",                                             /* 12 */
};
enum { LINES = sizeof right / sizeof right[0] };

static const struct wrong {
    int line;
    const char *text;
    int named;
    const char *holds;
} wrongs[] = {
    {4, "interactions: {gravity: {g: 1}}", 0, "expected"},
    {5, "  - gravitation: {g: 1}", 5, "interactions[0]: unknown key \"gravitation\", expected one of gravity, springs, spring-lattice"},
    {5, "  - gravity: {}", 5, "interactions[0].gravity: expected g, which is multiplied by each mass, or mu, found none of them"},
    {5, "  - gravity: {g: 1, mu: 1}", 5, "expected g, which is multiplied by each mass, or mu, found both of them"},
    {5, "  - gravity: {g: one}", 5, "interactions[0].gravity.g: expected a finite number, found \"one\""},
    {5, "  - gravity: {g: 1, softening: -1}", 5, "interactions[0].gravity.softening: expected a finite number from 0"},
    {5, "  - gravity: {g: 1, softening: {each: [1, 2]}}", 5,
     "interactions[0].gravity.softening.each: expected 9 elements, one per particle, found 2"},
    {5, "  - gravity: {g: 1, softening: {column: e}}", 5, "interactions[0].gravity.softening: expected particles from a file"},
    {5, "  - gravity: {g: 1, softening: {each: [0, 0, 1, 1, 1, 1, 1, 1, -1]}}", 5,
     "interactions[0].softening_each[8]: expected 0, or at least"},
    {5, "  - gravity: {g: 1, softening: 1e-310}", 5, "interactions[0].softening: expected 0, or at least"},
    {5, "  - gravity: {g: 1, sources: 10}", 5, "interactions[0].gravity: expected at most as many sources as particles, 9, found 10"},
    {5, "  - gravity: {mu: {each: [1, 2]}}", 5, "interactions[0].gravity.mu.each: expected 9 elements, one per particle, found 2"},
    {5, "  - gravity: {mu: {column: m}}", 5, "interactions[0].gravity.mu: expected particles from a file"},
    {2, "  grid: {size: [3, 3], along: [[1, 0, 0], [0, 1, 0]], held: [[1, 1]]}", 5,
     "expected finite masses to multiply g by, and particle 4 is frozen: give mu"},
    {6, "  - springs: {between: [[0, 9]], k: 1}", 6,
     "interactions[1].springs.between[0][1]: expected a particle by index, below 9, found 9"},
    {6, "  - springs: {between: [[0, -1]], k: 1}", 6, "interactions[1].springs.between[0][1]: expected a whole number from 0"},
    {6, "  - springs: {between: [[0, 1], [2, 2]], k: 1}", 6, "interactions[1].springs.between[1]: expected two particles, found 2 twice"},
    {6, "  - springs: {between: [[0, 1, 2]], k: 1}", 6,
     "interactions[1].springs.between[0]: expected two particles [a, b], found a list of 3"},
    {6, "  - springs: {between: [0, 1], k: 1}", 6, "interactions[1].springs.between[0]: expected two particles [a, b]"},
    {6, "  - springs: {between: all, k: 1}", 6,
     "interactions[1].springs.between: expected a list of pairs of particles [a, b], by index from 0"},
    {6, "  - springs: {k: 1}", 6, "interactions[1].springs: key \"between\" is missing, expected a list of pairs"},
    {6, "  - springs: {between: [[0, 1]]}", 6, "interactions[1].springs: key \"k\" is missing"},
    {6, "  - springs: {between: [[0, 1]], k: 1, length: -2}", 6,
     "interactions[1].springs.length: expected a finite number from 0, or start: their distance at first, found \"-2\""},
    {6, "  - springs: {between: [[0, 1]], k: 1, length: end}", 6, "or start: their distance at first, found \"end\""},
    {6, "  - springs: {between: [[0, 1]], k: 1, diagonal: 2}", 6, "interactions[1].springs: unknown key \"diagonal\""},
    {7, "  - spring-lattice: {grid: [3, 4], k: 1}", 7,
     "interactions[2].spring-lattice: expected a grid within the 9 particles, found one of 12 from particle 0 on"},
    {7, "  - spring-lattice: {grid: [3, 3], first: 1, k: 1}", 7, "found one of 9 from particle 1 on"},
    {7, "  - spring-lattice: {grid: 3, k: 1}", 7,
     "interactions[2].spring-lattice.grid: expected a list of one to three whole numbers from 1"},
    {7, "  - spring-lattice: {grid: [3, 3, 1, 1], k: 1}", 7,
     "interactions[2].spring-lattice.grid: expected a list of one to three whole numbers from 1"},
    {7, "  - spring-lattice: {grid: [0, 3], k: 1}", 7, "interactions[2].spring-lattice.grid[0]: expected a whole number from 1"},
    {7, "  - spring-lattice: {grid: [1e9, 1e9], k: 1}", 7,
     "interactions[2].spring-lattice.grid: expected a grid of at most 1073741824 particles"},
    {8, "distances: {}", 8, "distances: key \"rods\" is missing, expected a list of mappings"},
    {8, "distances: {rods: [{length: 1}]}", 8, "distances.rods[0]: expected between, a list of pairs, or grid, found none of them"},
    {8, "distances: {rods: [{between: [[0, 1]], grid: [3]}]}", 8,
     "distances.rods[0]: expected between, a list of pairs, or grid, found both"},
    {8, "distances: {rods: [{between: [[0, 1]], length: 0}]}", 8, "distances[0].length: expected more than 0"},
    {8, "distances: {rods: [{between: [[0, 1]]}], relaxation: 2}", 8, "relaxation: expected more than 0 and less than 2, got 2"},
    {8, "distances: {rods: [{between: [[0, 1]]}], sweeps: 0}", 8, "distances.sweeps: expected a whole number from 1 to 2^32 - 1"},
    {9, "method: velocity-verlet-pc", 8, "distances: velocity-verlet-pc would predict velocities that distances then change"},
    {9, "method: exact-affine", 9, "method: exact-affine moves each particle as its own forces alone would"},
    {9, "method: strang-affine\ncompose: yoshida-6", 10, "compose: in system runs strang-affine has the maps of one length of step"},
    {12, "boundary: {periodic: {min: [0, 0, 0], max: [9, 9, 9]}}", 5, "interactions[0]: gravity acts between particles as they lie"},
    {3, "forces: [gravity: {g: 1}]", 3, "forces[0].gravity: it acts between particles, expected in the list interactions"},
    {2, "  grid: {size: [3, 3]}", 2, "particles.grid: key \"along\" is missing, expected a list of one to three vectors"},
    {2, "  grid: {size: [3, 3], along: [1, 2]}", 2, "particles.grid.along[0]: expected three numbers [x, y, z]"},
    {2, "  grid: {size: [3, 3], along: [[1, 0, 0]]}", 2, "particles.grid.along: expected 2 vectors, as many as size has numbers, found 1"},
    {2, "  grid: {size: [3], along: [[1, 0, 0], [0, 1, 0]]}", 2,
     "particles.grid.along: expected 1 vector, as many as size has numbers, found 2"},
    {2, "  grid: {size: [3, 3], along: [[1, 0, 0]], mass: 0}", 2, "particles.grid.mass: expected a positive number"},
    {2, "  grid: {size: [3, 3], along: [[1, 0, 0], [0, 1, 0]], held: [[3, 0]]}", 2,
     "particles.grid.held[0][0]: expected a place below 3, found 3"},
    {2, "  grid: {size: [3, 3], along: [[1, 0, 0], [0, 1, 0]], held: [1]}", 2,
     "particles.grid.held[0]: expected a place on the grid [i], [i, j] or [i, j, k], found \"1\""},
    {2, "  grid: {size: [3, 3], along: [[1e308, 0, 0], [0, 1, 0]], at: [1.7e308, 0, 0]}", 2,
     "particles.grid: expected numbers that fit f64"},
    {2, "  plummer: {count: 3}", 2, "particles.plummer: key \"seed\" is missing"},
    {2, "  plummer: {count: 3, seed: 1, radius: 0}", 2, "particles.plummer.radius: expected a positive number"},
};

Test(scenes_interactions, wrong) {
    program p = program_begin();
    for (size_t i = 0; i <= sizeof wrongs / sizeof wrongs[0]; ++i) {
        const bool is_right = i == sizeof wrongs / sizeof wrongs[0];
        char text[2048], begins[64];
        size_t used = 0;
        for (int n = 0; n < LINES; ++n) {
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s\n", !is_right && wrongs[i].line == n + 1 ? wrongs[i].text : right[n]);
        }
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", "--json", NULL);
        if (is_right) {
            cr_expect(p.status == 0, "%s", p.err);
            continue;
        }
        snprintf(begins, sizeof begins, wrongs[i].named ? "scene.yaml:%d: " : "scene.yaml:", wrongs[i].named);
        program_refused(&p, wrongs[i].text, begins, wrongs[i].holds);
        cr_expect(program_files(&p) == 1, "%s: left a file behind", wrongs[i].text);
    }
    program_end(&p);
}

/* Damped springs bring particles to rest: to 0, not to subnormal numbers. */
Test(scenes_interactions, flush_small_to_zero) {
    program p = program_begin();
    for (int rests = 0; rests < 2; ++rests) {
        char text[512];
        snprintf(text, sizeof text,
                 "particles: {state: [{x: [1, 0, 0], v: [0, 0, 0]}, {x: [-1, 0, 0], v: [0, 0, 1.0e-280]}]}\nforces: []\n"
                 "interactions: [springs: {between: [[0, 1]], k: 2, length: 2}]\nmethod: velocity-verlet\ndt: 0.01\nsteps: 128\n"
                 "flush-small-to-zero: %s\n",
                 rests ? "true" : "false");
        program_write_text(&p, "s.yaml", text);
        program_run(&p, "run", "s.yaml", "--json", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        json_t *const object = program_json(&p);
        const double momentum = json_number_value(json_array_get(json_object_get(object, "momentum"), 2));
        cr_expect(rests ? momentum == 0 : momentum > 0, "%g", momentum);
        json_decref(object);
        program_run(&p, "run", "s.yaml", "--explain", NULL);
        cr_expect((strstr(p.out, "each 128th step, before its walls: what is next to nothing becomes 0") != NULL) == rests, "%s", p.out);
    }
    program_end(&p);
}

/* Magnetic fields of a scene's forces rotate charges that interact, near the speed of light too. Tied by a spring of k = 0, they move as
 * charges that do not interact. Where e + v cross b is 0 the path is straight. */
Test(scenes_interactions, charges) {
    static const char *const fields[] = {
        "electromagnetic: {charge: 1, e: [0, 0.5, 0], b: [0, 0, 1]}",
        "grid-electromagnetic: {charge: 1, grid: {spacing: 8, values: [[0, 0.5, 0, 0, 0, 1], [0, 0.5, 0, 0, 0, 1]]}}"};
    static const char *const methods[] = {"boris", "vay", "higuera-cary"};
    program p = program_begin();
    for (int i = 0; i < 12; ++i) {
        const bool fast = i / 6;
        const double v = fast ? 0.5 / sqrt(0.75) : 0.5;
        char text[700], *state[2];
        for (int tied = 0; tied < 2; ++tied) {
            snprintf(text, sizeof text,
                     "particles: {state: [{x: [0, 0, 0], v: [%.17g, 0, 0]}, {x: [2, 1, 0], v: [0, 1, 0.5], mass: 2}]}\nforces: [%s]\n"
                     "%smethod: %s\n%sdt: 0.0625\nsteps: 100\n",
                     v, fields[i / 3 % 2], tied ? "interactions: [springs: {between: [[0, 1]], k: 0}]\n" : "", methods[i % 3],
                     fast ? "speed-of-light: 1\n" : "");
            program_write_text(&p, "s.yaml", text);
            program_run(&p, "run", "s.yaml", "--out", "o.csv", NULL);
            cr_assert(p.status == 0, "%s", p.err);
            state[tied] = program_read(&p, "o.csv");
        }
        double row[16];
        cr_assert(program_row(&p, "o.csv", 0, row) > 6);
        cr_expect(strcmp(state[0], state[1]) == 0, "%s:\n%s\n%s", text, state[0], state[1]);
        cr_expect(fabs(row[1] - 3.125) < 1e-3 && fabs(row[2]) < (fast && i % 3 == 0 ? 1e-3 : 1e-12), "%s: %g %g", text, row[1], row[2]);
        free(state[0]);
        free(state[1]);
    }
    program_end(&p);
}

/* The length of a tie across the border of a box is that of the way across it, and a rod keeps it. Gravity does not go with a box. */
Test(scenes_interactions, ties_in_a_box) {
    static const char *const lengths[] = {"0.25", "start"};
    program p = program_begin();
    char text[600];
#define PAIR "particles: {state: [{x: [0.125, 0, 0], v: [0, %s, 0]}, {x: [9.875, 0, 0], v: [-1, 0, 0]}]}\n"
#define BOX "forces: []\nboundary: {periodic: {min: [0, 0, 0], max: [10, 0, 0]}}\nmethod: velocity-verlet\ndt: 0.125\nsteps: 50\n"
    for (int n = 0; n < 2; ++n) {
        snprintf(text, sizeof text, PAIR "interactions: [spring-lattice: {grid: [2], k: 1, length: %s}]\n" BOX, "0", lengths[n]);
        program_write_text(&p, "s.yaml", text);
        program_run(&p, "run", "s.yaml", "--json", "--steps", "0", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        json_t *const object = program_json(&p);
        cr_expect(json_at(object, "energy", "first") == 0.5, "%s", p.out);
        json_decref(object);
        double a[16], b[16];
        snprintf(text, sizeof text, PAIR "distances: {rods: [{between: [[0, 1]], length: %s}]}\n" BOX, "1", lengths[n]);
        program_write_text(&p, "s.yaml", text);
        program_run(&p, "run", "s.yaml", "--out", "o.csv", NULL);
        cr_assert(p.status == 0 && program_row(&p, "o.csv", 0, a) > 6 && program_row(&p, "o.csv", 1, b) > 6, "%s", p.err);
        const double d = fabs(a[1] - b[1]), nearest = d > 5 ? 10 - d : d;
        cr_expect(fabs(hypot(nearest, a[2] - b[2]) - 0.25) < 1e-13 && fabs(a[2] + b[2] - 6.25) < 1e-12, "%g %g, %g", d, a[2], b[2]);
    }
    snprintf(text, sizeof text, PAIR "distances: {rods: [{between: [[0, 1]], length: 5}]}\n" BOX, "0");
    program_write_text(&p, "s.yaml", text);
    program_run(&p, "run", "s.yaml", NULL);
    program_refused(&p, "a rod of half the box", "s.yaml:2: distances[0].length: expected less than half of the box, 5, got 5", "");
    snprintf(text, sizeof text, PAIR "interactions: [gravity: {g: 1}]\n" BOX, "0");
    program_write_text(&p, "s.yaml", text);
    program_run(&p, "run", "s.yaml", NULL);
    program_refused(&p, "gravity in a box", "s.yaml:2: interactions[0]: gravity acts between particles as they lie",
                    "leave out the box, or take a function that does");
    program_end(&p);
}
