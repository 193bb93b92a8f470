/* Scenes with one mistake each: they are refused with status 2 and one line that names file, line and what was expected, and nothing is
 * written. */
#include "scenes_program.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The lines of a correct scene. A case replaces one of them. */
static const char *const right[] = {
    "real: f64",                                          /*  1 */
    "arithmetic: fused",                                  /*  2 */
    "particles:",                                         /*  3 */
    "  state:",                                           /*  4 */
    "    - {x: [1, 0, 0], v: [0, 1, 0], mass: 1, id: 4}", /*  5 */
    "    - {x: [2, 0, 0], v: [0, 1, 0], mass: 2, id: 7}", /*  6 */
    "forces:",                                            /*  7 */
    "  - uniform-acceleration: {a: [0, 0, -9.81]}",       /*  8 */
    "  - spring: {k: 15, at: [0, 0, 0]}",                 /*  9 */
    "  - drag: {b: 0.1, wind: [0, 0, 0]}",                /* 10 */
    "  - centre: {mu: 1, at: [0, 0, 0], softening: 0}",   /* 11 */
    "method: velocity-verlet",                            /* 12 */
    "t0: 0",                                              /* 13 */
    "dt: 0.015625",                                       /* 14 */
    "steps: 64",                                          /* 15 */
    "report: 16",                                         /* 16 */
    "output: {file: out.csv, every: 64}",                 /* 17 */
    "colliders:",                                         /* 18 */
    "  - plane: {normal: [0, 0, 1], friction: 0.1}",      /* 19 */
};
enum { LINES = sizeof right / sizeof right[0] };

static void write_scene(const program *p, long replaced, const char *with) {
    char text[4096];
    size_t used = 0;
    for (int i = 0; i < LINES; ++i) {
        const char *line = i + 1 == replaced ? with : right[i];
        if (line) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", line);
        }
    }
    program_write_text(p, "scene.yaml", text);
}

static const struct wrong {
    long line;         /* the line that is replaced */
    const char *text;  /* the new line; NULL: none */
    long named;        /* the line that the message names */
    const char *holds; /* text that the message contains */
} cases[] = {
    /* --- colliders */
    {19, "  plane", 19, "colliders: expected a list of colliders ([] for none), found \"plane\""},
    {19, "  - plan: {}", 19, "colliders[0]: unknown key \"plan\"; did you mean \"plane\"?, expected one of plane, sphere, box"},
    {19, "  - plane: {point: [0, 0, 0]}", 19, "colliders[0].plane: key \"normal\" is missing, expected three numbers"},
    {19, "  - plane: {normal: [0, 0, 1], restitution: 1.5}", 19,
     "colliders[0].plane.restitution: expected a number from 0 to 1, found \"1.5\""},
    {19, "  - sphere: {radius: 0}", 19, "colliders[0].sphere.radius: expected a positive number, found \"0\""},
    {19, "  - sphere: {radius: 2, inside: maybe}", 19, "colliders[0].sphere.inside: expected one of false, true, found \"maybe\""},
    {19, "  - box: {min: [0, 0, 0], max: [1, -1, 1]}", 19, "colliders[0].box.max[1]: expected at least min, 0, got -1"},
    {19, "  - plane: {normal: [0, 0, 0]}", 19, "colliders[0].plane.normal: expected a vector of a length that is not 0"},
    {19, "  - plane: {normal: [0, 0, 1], sliding: 0.5, static: 0.4}", 19, "static_friction: expected 0 or at least sliding, 0.5, got 0.4"},
    {16, "constraints: [{rod: {to: [0, 0, 1]}}]", 16, "constraints[0].rod: key \"length\" is missing, expected a positive number"},
    {16, "constraints: [{roap: {length: 1}}]", 16, "constraints[0]: unknown key \"roap\", expected one of rod, rope, plane, sphere"},
    {16, "boundary: {periodic: {min: [0, 0, 0]}}", 16, "boundary.periodic: key \"max\" is missing"},
    {16, "boundary: {absorbing: {min: [0, 0, 0], max: [1, -1, 1]}}", 16, "boundary.max[1]: expected at least min, 0, got -1"},
    /* --- keys */
    {12, "methode: rk4", 12,
     "unknown key \"methode\"; did you mean \"method\"?, expected one of real, arithmetic, compensated, speed-of-light, "
     "flush-small-to-zero, "
     "particles"},
    {9, "  - spring: {kk: 15}", 9, "forces[1].spring: unknown key \"kk\"; did you mean \"k\"?, expected one of k, at"},
    {9, "  - spring: {[1]: 15}", 9, "forces[1].spring: unknown key a list of 1, expected"},
    {12, NULL, 1, "key \"method\" is missing, expected a name that kickdrift methods lists"},
    {14, NULL, 1, "key \"dt\" is missing, expected a finite number other than 0"},
    {15, NULL, 1, "key \"steps\" is missing, expected a whole number"},
    {9, "  - spring: {at: [0, 0, 0]}", 9, "forces[1].spring: key \"k\" is missing, expected a number, [kx, ky, kz]"},
    {5, "    - {x: [1, 0, 0], v: [0, 1, 0], mass: 1}", 5, "particles.state: particle 0 has no id, expected one, as others have"},
    {6, "    - {x: [2, 0, 0], v: [0, 1, 0], mass: 2}", 6, "particles.state: particle 1 has no id, expected one, as others have"},
    {5, "    - {x: [1, 0, 0], mass: 1}", 5, "particles.state[0]: key \"v\" is missing, expected three numbers"},
    {16, "dt: 2", 16, "key \"dt\" given twice, expected once (line 14 has it)"},
    {9, "  - spring: {k: 15, k: 16}", 9, "key \"k\" given twice, expected once"},
    {17, "output: {every: 64}", 17, "output: key \"file\" is missing, expected a name"},
    /* --- types */
    {9, "  - spring: {k: abc}", 9, "forces[1].spring.k: expected a number, [kx, ky, kz], {each: [...]} or {column: NAME}, found \"abc\""},
    {9, "  - spring: {k: true}", 9, "forces[1].spring.k: expected a number"},
    {9, "  - spring: {k: \"15\"}", 9, "forces[1].spring.k: expected a finite number, found text in quotes"},
    {9, "  - spring: {k: 0x0f}", 9, "expected a number"},
    {9, "  - spring: {k: 017}", 9, "expected a finite number, found \"017\""},
    {9, "  - spring: {k: 1_000}", 9, "found \"1_000\""},
    {9, "  - spring: {k: }", 9, "found nothing"},
    {9, "  - spring: {k: ~}", 9, "forces[1].spring.k: expected"},
    {9, "  - spring: {k: [1, 2]}", 9, "found a list of 2"},
    {9, "  - spring: {k: [1, 2, x]}", 9, "forces[1].spring.k[2]: expected a finite number, found \"x\""},
    {9, "  - spring: {k: 15, at: [0, 0, 0, 0]}", 9, "forces[1].spring.at: expected three numbers [x, y, z]"},
    {9, "  - spring: {k: 15, at: end}", 9, "forces[1].spring.at: expected three numbers [x, y, z], start"},
    {9, "  - spring: 15", 9, "forces[1].spring: expected a mapping of k, at, contribution, found \"15\""},
    {9, "  - spring", 9, "forces[1]: expected a mapping of"},
    {8, "  - uniform-acceleration: {a: -9.81}", 8, "forces[0].uniform-acceleration.a: expected three numbers"},
    {12, "method: [rk4]", 12, "method: expected a name that kickdrift methods lists, or a mapping of tableau or fractions, found a list"},
    {5, "    - [1, 0, 0]", 5, "particles.state[0]: expected a mapping of x, v, mass, id, found a list of 3"},
    {6, "    - {x: [2, 0, 0], v: [0, 1, 0], id: -7}", 6, "particles.state[1].id: expected a whole number from 0"},
    {7, "forces: {}", 0, "expected"},
    /* --- ranges */
    {14, "dt: 0", 14, "dt: expected a finite number other than 0, found \"0\""},
    {14, "dt: 1e-400", 14, "dt: expected a finite number other than 0"},
    {14, "dt: .nan", 14, "dt: expected a finite number other than 0, found \".nan\""},
    {14, "dt: .inf", 14, "dt: expected a finite number other than 0"},
    {14, "dt: 1e400", 14, "dt: expected a finite number other than 0"},
    {14, "dt: 1e308", 0, "expected a smaller dt or fewer steps"},
    {13, "t0: .inf", 13, "t0: expected a finite number"},
    {15, "steps: -1", 15, "steps: expected a whole number from 0 to 2^53, found \"-1\""},
    {15, "steps: 1.5", 15, "steps: expected a whole number"},
    {15, "steps: 1e17", 15, "steps: expected a whole number from 0 to 2^53"},
    {16, "report: 0", 16, "report: expected a whole number from 1"},
    {17, "output: {file: out.csv, every: -64}", 17, "output.every: expected a whole number from 1"},
    {17, "checkpoint: {every: 10}", 17, "checkpoint: key \"file\" is missing, expected a name"},
    {17, "checkpoint: {file: c, every: 10 days}", 17, "checkpoint.every: expected a whole number of steps from 1, or a time"},
    {17, "checkpoint: {file: c, every: 0 s}", 17, "checkpoint.every: expected a whole number of steps from 1, or a time"},
    {17, "step: 9007199254740993", 17, "step: expected a whole number from 0 to 2^53, found \"9007199254740993\""}, /* 2^53 + 1 */
    {17, "step: -1", 17, "step: expected a whole number from 0"},
    {17, "output: {file: \"\"}", 17, "output.file: expected a name, found nothing"},
    {5, "    - {x: [.nan, 0, 0], v: [0, 1, 0]}", 5, "particles.state[0].x[0]: expected a finite number"},
    {5, "    - {x: [1, 0, 0], v: [0, .inf, 0]}", 5, "particles.state[0].v[1]: expected a finite number"},
    {5, "    - {x: [1, 0, 0], v: [0, 1, 0], mass: 0}", 5, "particles.state[0].mass: expected a positive number, or .inf to freeze"},
    {5, "    - {x: [1, 0, 0], v: [0, 1, 0], mass: -1}", 5, "mass: expected a positive number"},
    {5, "    - {x: [1, 0, 0], v: [0, 1, 0], mass: 1e-320}", 5, "expected a mass whose inverse fits f64"},
    {11, "  - centre: {mu: 1, softening: -1}", 11, "forces[3].centre.softening: expected a finite number from 0"},
    {11, "  - centre: {mu: .inf}", 11, "forces[3].centre.mu: expected a finite number"},
    /* --- names */
    {12, "method: rk44", 12, "method: expected a name that kickdrift methods lists, found \"rk44\"; did you mean \"rk4\"?"},
    {12, "method: velocity_verlet", 12, "did you mean \"velocity-verlet\"?"},
    {1, "real: f16", 1, "real: expected one of f32, f64, found \"f16\""},
    {2, "arithmetic: fast", 2, "arithmetic: expected one of fused, unfused, found \"fast\""},
    {9, "  - sprung: {k: 15}", 9, "forces[1]: unknown key \"sprung\"; did you mean \"spring\"?, expected one of uniform-acceleration"},
    {9, "  - {spring: {k: 15}, drag: {b: 1}}", 9, "forces[1]: expected exactly one of"},
    {9, "  - {}", 9, "forces[1]: expected exactly one of"},
    /* --- methods in the scene */
    {12, "method: {}", 12, "method: expected exactly one of tableau, fractions, found 0"},
    {12, "method: {tableau: {a: [[]], b: [1]}, fractions: {kick: [1], drift: [1]}}", 12,
     "expected exactly one of tableau, fractions, found 2"},
    {12, "method: {tablau: {a: [[]], b: [1]}}", 12, "method: unknown key \"tablau\"; did you mean \"tableau\"?"},
    {12, "method: {tableau: [[]]}", 12, "method.tableau: expected a mapping of a, b, c, found a list of 1"},
    {12, "method: {tableau: {a: [[]]}}", 12, "method.tableau: key \"b\" is missing, expected a list of numbers, the weights"},
    {12, "method: {tableau: {b: [1]}}", 12, "method.tableau: key \"a\" is missing, expected a list of lists of numbers"},
    {12, "method: {tableau: {a: [[]], b: 1}}", 12, "method.tableau.b: expected a list of numbers, found \"1\""},
    {12, "method: {tableau: {a: [[]], b: []}}", 12, "method.tableau.b: expected a list of 1 to 16 numbers, found 0"},
    {12, "method: {tableau: {a: [[]], b: [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]}}", 12, "expected a list of 1 to 16 numbers, found 17"},
    {12, "method: {tableau: {a: [[]], b: [one]}}", 12,
     "method.tableau.b[0]: expected a finite number or a ratio such as 1/6, found \"one\""},
    {12, "method: {tableau: {a: [[]], b: [1/0]}}", 12, "method.tableau.b[0]: expected a finite number or a ratio"},
    {12, "method: {tableau: {a: [[]], b: [1/2/3]}}", 12, "method.tableau.b[0]: expected a finite number or a ratio"},
    {12, "method: {tableau: {a: [[]], b: [/2]}}", 12, "method.tableau.b[0]: expected a finite number or a ratio"},
    {12, "method: {tableau: {a: [[]], b: [1/.inf]}}", 12, "method.tableau.b[0]: expected a finite number or a ratio"},
    {12, "method: {tableau: {a: [[]], b: [.nan]}}", 12, "method.tableau.b[0]: expected a finite number or a ratio"},
    {12, "method: {tableau: {a: 1, b: [0, 1]}}", 12, "method.tableau.a: expected a list of lists of numbers, one a stage, found"},
    {12, "method: {tableau: {a: [[]], b: [0, 1]}}", 12,
     "method.tableau.a: expected 2 lists, one a stage, as many as b has numbers, found 1"},
    {12, "method: {tableau: {a: [[], 0.5], b: [0, 1]}}", 12, "method.tableau.a[1]: expected a list of numbers, those before the diagonal"},
    {12, "method: {tableau: {a: [[], []], b: [0, 1]}}", 12,
     "method.tableau.a[1]: expected 1 number, those before the diagonal (or all 2), found 0"},
    {12, "method: {tableau: {a: [[], [0.5, 0, 0]], b: [0, 1]}}", 12, "method.tableau.a[1]: expected 1 number"},
    {12, "method: {tableau: {a: [[], [x]], b: [0, 1]}}", 12, "method.tableau.a[1][0]: expected a finite number or a ratio"},
    {12, "method: {tableau: {a: [[], [0.5]], b: [0, 1], c: [0]}}", 12, "method.tableau.c: expected 2 numbers, as many as b has, found 1"},
    {12, "method: {tableau: {a: [[], [0.5]], b: [0, 1], c: [0, y]}}", 12, "method.tableau.c[1]: expected a finite number or a ratio"},
    {12, "method: {fractions: {kick: [1]}}", 12, "method.fractions: key \"drift\" is missing, expected a list of numbers"},
    {12, "method: {fractions: {kick: [], drift: []}}", 12, "method.fractions.kick: expected a list of 1 to 40 numbers, found 0"},
    {12, "method: {fractions: {kick: [0.5, 0.5], drift: [1]}}", 12,
     "method.fractions.drift: expected 2 numbers, as many as kick has, found 1"},
    {12, "method: {fractions: {kick: [0.5, half], drift: [1, 0]}}", 12, "method.fractions.kick[1]: expected a finite number or a ratio"},
    /* --- methods that the library refuses: sums, and tableaus that are not explicit */
    {12, "method: {tableau: {a: [[]], b: [0.9]}}", 12, "tableau.b: expected weights that add up to 1, got 0.9"},
    {12, "method: {tableau: {a: [[], [0.5]], b: [0, 1], c: [0, 1]}}", 12, "tableau.c[1]: expected the sum of row 1 of a, 0.5, got 1"},
    {12, "method: {tableau: {a: [[0.5]], b: [1]}}", 12, "tableau.a[0][0]: expected 0 on and above the diagonal"},
    {12, "method: {tableau: {a: [[0, 0.5], [0.5, 0]], b: [0, 1]}}", 12, "tableau.a[0][1]: expected 0 on and above the diagonal"},
    {12, "method: {fractions: {kick: [1, 1], drift: [0.5, 0.5]}}", 12, "fractions.kick: expected fractions that add up to 1, got 2"},
    {12, "method: {fractions: {kick: [0.5, 0.5], drift: [1, 1]}}", 12, "fractions.drift: expected fractions that add up to 1, got 2"},
    /* --- keys that go with the method */
    {2, "compensated: yes", 2, "compensated: expected one of false, true, found \"yes\""},
    {2, "compensated: \"true\"", 2, "compensated: expected one of false, true, found text in quotes"},
    {2, "langevin: 1", 2, "langevin: expected a mapping of friction, temperature, seed, found \"1\""},
    {2, "langevin: {friction: 1}", 2, "langevin: key \"temperature\" is missing, expected a finite number from 0"},
    {2, "langevin: {friction: -1, temperature: 1}", 2, "langevin.friction: expected a finite number from 0, found \"-1\""},
    {2, "langevin: {friction: 1, temperature: .inf}", 2, "langevin.temperature: expected a finite number from 0"},
    {2, "langevin: {friction: 1, temperature: 1, seed: 1.5}", 2, "langevin.seed: expected a whole number from 0 to 2^64 - 1"},
    {2, "langevin: {friction: 1, temperature: 1}", 2, "langevin: velocity-verlet has no heat bath"},
    {2, "langevin: {friction: 1, temperatur: 1}", 2, "langevin: unknown key \"temperatur\"; did you mean \"temperature\"?"},
    /* --- particles and their values */
    {4, "  stat:", 4, "particles: unknown key \"stat\"; did you mean \"state\"?, expected one of file, state, random"},
    {9, "  - spring: {k: {each: [1, 2, 3]}}", 9, "forces[1].spring.k.each: expected 2 elements, one per particle, found 3"},
    {9, "  - spring: {k: {each: [1]}}", 9, "forces[1].spring.k.each: expected 2 elements, one per particle, found 1"},
    {9, "  - spring: {k: {each: [1, two]}}", 9, "forces[1].spring.k.each[1]: expected a finite number, found \"two\""},
    {9, "  - spring: {k: {each: 3}}", 9, "forces[1].spring.k.each: expected a list, one element per particle"},
    {9, "  - spring: {k: 1, at: {each: [[0, 0, 0]]}}", 9, "forces[1].spring.at.each: expected 2 elements"},
    {9, "  - spring: {k: 1, at: {each: [[0, 0, 0], [0, 0]]}}", 9, "forces[1].spring.at.each[1]: expected three numbers"},
    {9, "  - spring: {k: {column: k}}", 9, "forces[1].spring.k: expected particles from a file"},
    {9, "  - spring: {k: 1, at: {columns: [a, b]}}", 9, "forces[1].spring.at.columns: expected three column names"},
    {10, "  - drag: {b: {each: [0.1]}}", 10, "forces[2].drag.b.each: expected 2 elements"},
    /* --- YAML */
    {9, "  - spring: {k: 15", 10, "expected YAML"},
    {9, "\t- spring: {k: 15}", 9, "expected YAML"},
    {12, "---", 12, "a second document, expected one"},
    {12, "method: \x01", 12, "expected YAML"},
    {12, "method: \"rk4", 0, "expected YAML"},
    {9, "  - *nowhere", 9, "expected YAML"},
};

Test(scenes_wrong, the_right_one_runs) {
    program p = program_begin();
    write_scene(&p, 0, NULL);
    program_run(&p, "run", "scene.yaml", NULL);
    cr_expect(p.status == 0, "%s", p.err);
    cr_expect(program_has(&p, "out.csv") && program_files(&p) == 2);
    program_end(&p);
}

Test(scenes_wrong, a_line) {
    program p = program_begin();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct wrong *c = &cases[i];
        char begins[64];
        snprintf(begins, sizeof begins, c->named ? "scene.yaml:%ld: " : "scene.yaml:", c->named);
        write_scene(&p, c->line, c->text);
        program_run(&p, "run", "scene.yaml", "--out", "state.csv", "--json", NULL);
        program_refused(&p, c->text ? c->text : right[c->line - 1], begins, c->holds);
        cr_expect(program_files(&p) == 1, "%s: left a file behind", c->text);
    }
    program_end(&p);
}

/* Mistakes in particles.random, in a scene of its own: line 4 is the wrong one. */
static const struct wrong_random {
    const char *text, *holds;
} randoms[] = {
    {"count: -3, seed: 1", "particles.random.count: expected a whole number from 0"},
    {"count: 1e15, seed: 1", "GiB, expected at most this machine's"},
    {"count: 3, seed: -1", "particles.random.seed: expected a whole number from 0 to 2^64 - 1"},
    {"count: 3", "particles.random: key \"seed\" is missing"},
    {"count: 3, seed: 1, mass: {uniform: [2, 1]}", "mass.uniform: expected [lowest, highest]"},
    {"count: 3, seed: 1, mass: {uniform: [0, 1]}", "mass.uniform[0]: expected a positive number"},
    {"count: 3, seed: 1, spin: 2", "particles.random: unknown key \"spin\""},
};
static const struct wrong_random shapes[] = {
    {"{ball: {at: [0, 0, 0], radius: -1}}", "particles.random.position.ball.radius: expected a finite number from 0"},
    {"{box: {min: [0, 0, 1], max: [1, 1, 0]}}", "particles.random.position.box: expected min up to max"},
    {"{cube: {at: [0, 0, 0]}}", "particles.random.position: unknown key \"cube\", expected one of box, ball, sphere, point, normal"},
    {"{point: 3}", "particles.random.position.point: expected three numbers"},
    {"{normal: {mean: [0, 0, 0], sigma: x}}", "position.normal.sigma: expected a number from 0"},
    {"[0, 0, 0]", "particles.random.position: expected a mapping of box"},
    {"{box: {min: [-1e308, 0, 0], max: [1e308, 1, 1]}}", "expected numbers that fit f64"},
};

static void refuse_random(program *p, const char *position, const char *rest, const char *what, const char *holds) {
    char text[1024];
    snprintf(text, sizeof text,
             "method: rk4\ndt: 1\nsteps: 1\nparticles: {random: {velocity: {point: [0, 0, 0]}, position: %s, %s}}\nforces: []\n", position,
             rest);
    program_write_text(p, "scene.yaml", text);
    program_run(p, "run", "scene.yaml", NULL);
    program_refused(p, what, "scene.yaml:4: ", holds);
}

Test(scenes_wrong, random) {
    program p = program_begin();
    for (size_t i = 0; i < sizeof randoms / sizeof randoms[0]; ++i) {
        refuse_random(&p, "{point: [0, 0, 0]}", randoms[i].text, randoms[i].text, randoms[i].holds);
    }
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        refuse_random(&p, shapes[i].text, "count: 3, seed: 1", shapes[i].text, shapes[i].holds);
    }
    program_end(&p);
}

Test(scenes_wrong, whole_files, .timeout = 20) {
    program p = program_begin();
    char deep[3000];
    static const char binary[] = "\x7f"
                                 "ELF\x02\x01\x01\0\0\0\0\0\xff\xfe";
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    program_run(&p, "run", "absent.yaml", NULL);
    program_refused(&p, "absent", "absent.yaml: cannot open: No such file", "expected a scene");
    program_run(&p, "run", "/", NULL);
    program_refused(&p, "a folder", "/: cannot read: Is a directory", "expected a scene");
    program_write_text(&p, "s.yaml", "");
    program_run(&p, "run", "s.yaml", NULL);
    program_refused(&p, "empty", "s.yaml:1: empty", "expected a scene");
    program_write(&p, "s.yaml", binary, sizeof binary);
    program_run(&p, "run", "s.yaml", NULL);
    program_refused(&p, "binary", "s.yaml:1: ", "expected YAML");
    program_write_text(&p, "s.yaml", deep);
    program_run(&p, "run", "s.yaml", NULL);
    program_refused(&p, "deep", "s.yaml:1: lists and mappings nested deeper than 32", "expected a scene");
    program_write_text(&p, "s.yaml", "just a sentence\n");
    program_run(&p, "run", "s.yaml", NULL);
    program_refused(&p, "a sentence", "s.yaml:1: ", "expected a mapping of real, arithmetic");
    program_write_text(&p, "s.yaml", "&a {real: *a}\n");
    program_run(&p, "run", "s.yaml", NULL);
    program_refused(&p, "an alias of itself", "s.yaml:1: ", "expected");
    /* These are 60,000 anchors, each of which libyaml would compare with all before it. */
    char *anchors = malloc(1 << 20);
    size_t used = (size_t)snprintf(anchors, 1 << 20, "steps: [");
    for (int n = 0; n < 60000; ++n) {
        used += (size_t)snprintf(anchors + used, (1 << 20) - used, "&a%d 1,\n", n);
    }
    snprintf(anchors + used, (1 << 20) - used, "]\n");
    program_write_text(&p, "s.yaml", anchors);
    program_run(&p, "run", "s.yaml", NULL);
    program_refused(&p, "anchors", "s.yaml:101: more than 100 anchors", "expected a scene");
    used = 0;
    for (int n = 0; used < (1 << 20) - 64; ++n) {
        used += (size_t)snprintf(anchors + used, 32, "%%TAG !a%d! x\n", n);
    }
    snprintf(anchors + used, 32, "---\nsteps: 1\n");
    program_write_text(&p, "s.yaml", anchors);
    free(anchors);
    program_run(&p, "run", "s.yaml", NULL);
    program_refused(&p, "directives", "s.yaml:101: more than 100 directives", "expected a scene");
    program_write_hole(&p, "s.yaml", "real: f64\n", 10000000000LL);
    program_run(&p, "run", "s.yaml", NULL);
    program_refused(&p, "10 GB", "s.yaml: longer than 16 MiB", "expected a scene");
    program_run(&p, "run", "/dev/zero", NULL);
    program_refused(&p, "/dev/zero", "/dev/zero: longer than 16 MiB", "expected a scene");
    program_end(&p);
}

/* A refusal by the library names the line of the forces. */
Test(scenes_wrong, too_many_forces) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml",
                       "particles: {state: [{x: [1, 0, 0], v: [0, 0, 0]}]}\nmethod: rk4\ndt: 1\nsteps: 1\nforces:\n"
                       "  - quadratic-drag: {c: 1}\n  - quadratic-drag: {c: 1}\n  - quadratic-drag: {c: 1}\n"
                       "  - quadratic-drag: {c: 1}\n  - quadratic-drag: {c: 1}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "five quadratic drags", "scene.yaml:6: forces[4]: ", "expected at most 4 quadratic drags");
    program_end(&p);
}

/* A refusal by the library names the line of the key that it is about, and comes before anything is printed or written; these scenes also
 * report. */
Test(scenes_wrong, what_the_library_refuses) {
    static const struct {
        const char *method, *dt, *option, *begins, *holds;
    } refusals[] = {
        {"stormer-verlet", "1", NULL, "scene.yaml:4: compensated: stormer-verlet", "take velocity-verlet"},
        {"rk4", "1", "--method=stormer-verlet", "scene.yaml:4: compensated: stormer-verlet", "take velocity-verlet"},
        {"baoab", "-1", NULL, "scene.yaml:3: dt: baoab expected a positive time step", "got -1"},
        {"rk4", "1e-40", "--real=f32", "scene.yaml:3: dt: expected a time step from 1.17549e-38", "got 1e-40"},
        {"rk4", "1", "--method=boris", "run: --method: method: boris accepts magnetic fields and no drag", "take rk4"},
    };
    program p = program_begin();
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
        char text[512];
        snprintf(
            text, sizeof text,
            "particles: {state: [{x: [1, 0, 0], v: [0, 0, 0]}]}\nmethod: %s\ndt: %s\ncompensated: true\nforces: [%s]\nsteps: 4\nreport: 2\n"
            "output: {file: out.csv, every: 1}\n",
            refusals[i].method, refusals[i].dt, i == 4 ? "drag: {b: 1}" : "");
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", refusals[i].option, NULL);
        program_refused(&p, refusals[i].method, refusals[i].begins, refusals[i].holds);
        cr_expect(program_files(&p) == 1, "case %zu left a file behind", i);
    }
    program_end(&p);
}

Test(scenes_wrong, outputs) {
    program p = program_begin();
    write_scene(&p, 17, "output: {file: absent/out.csv}");
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "no folder", "absent/out.csv: cannot open for writing: No such file", "expected a file that can be written");
    write_scene(&p, 0, NULL);
    program_run(&p, "run", "scene.yaml", "--out", "out.csv", NULL);
    program_refused(&p, "twice", "run: --out: the scene's output is out.csv already", "expected another file");
    program_run(&p, "run", "scene.yaml", "--checkpoint", "out.csv", NULL);
    program_refused(&p, "a checkpoint", "run: --checkpoint: out.csv is an output already", "expected another file");
    program_run(&p, "run", "scene.yaml", "--out", "/", NULL);
    program_refused(&p, "a folder", "/: cannot open for writing: Is a directory", "expected a file that can be written");
    cr_expect(program_files(&p) == 1);
    program_end(&p);
}

/* On a full disk, only an error is left of the results of any command. */
Test(scenes_wrong, full_disk) {
    struct stat status;
    if (stat("/dev/full", &status) != 0) {
        cr_skip_test("no /dev/full here");
    }
    program p = program_begin();
    write_scene(&p, 17, NULL);
    program_run(&p, "run", "scene.yaml", "--json", "--out", "/dev/full", NULL);
    program_refused(&p, "--out", "/dev/full: cannot write: No space left", "expected room");
    write_scene(&p, 17, "output: {file: /dev/full, every: 1}");
    program_run(&p, "run", "scene.yaml", "--json", NULL);
    program_refused(&p, "output", "/dev/full: cannot write: No space left", "expected room");
    cr_expect(program_files(&p) == 1);
    program_end(&p);
}

/* A module's code runs in the program: it is named before it is loaded, and refused on request, in each way to name it in a scene. */
Test(scenes_wrong, modules) {
    static const char *const ways[] = {"forces: [field: no_module.so]\n", "forces: [field: {file: no_module.so}]\n"};
    program p = program_begin();
    for (int n = 0; n < 2; ++n) {
        char text[300];
        snprintf(text, sizeof text, "particles: {state: [{x: [1, 0, 0], v: [0, 0, 0]}]}\n%smethod: rk4\ndt: 0.1\nsteps: 3\n", ways[n]);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", NULL);
        cr_expect(p.status == 2 &&
                      strncmp(p.err, "kickdrift: scene.yaml loads the module no_module.so, whose code runs in this program\n", 79) == 0,
                  "%s", p.err);
        program_run(&p, "run", "scene.yaml", "--no-modules", NULL);
        program_refused(&p, "--no-modules", "scene.yaml:2: forces[0].field",
                        "no_module.so is a module, whose code would run in this program");
    }
    program_end(&p);
}
