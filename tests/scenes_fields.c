/* Fields in scenes: the library's fields by name, and those of a module next to the scene. They have the results of the library's own
 * calls, and refusals name what was expected. */
#include "scenes_program.h"
#include "support.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

KDR_DECLARE_CUSTOM_FIELD(morse);

/* Copies the module, built by kickdrift_add_field, to libmorse.so next to the scene, and another library that is no module. */
static void lay_modules(const program *p) {
    FILE *const file = fopen(KDR_MODULE, "rb");
    cr_assert(file != NULL);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    char *const bytes = malloc((size_t)size);
    rewind(file);
    cr_assert(bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    program_write(p, "libmorse.so", bytes, (size_t)size);
    free(bytes);
    program_write_text(p, "libnone.so", "no library");
}

static void write_scene(const program *p, const char *forces) {
    char text[2048];
    snprintf(text, sizeof text,
             "particles:\n  state:\n    - {x: [1, 0.5, 0.25], v: [0, 0.5, 0.125], mass: 2}\n    - {x: [-0.5, 1, 0.75], v: [0.25, 0, 0]}\n"
             "method: rk4\ndt: 0.03125\nsteps: 64\noutput: {file: out.csv, every: 64}\nforces:\n%s",
             forces);
    program_write_text(p, "scene.yaml", text);
}

/* Runs the scene's particles by the library, and compares with the numbers that the program wrote. */
static void expect_alike(const program *p, const char *what, const kdr_force *forces, size_t count) {
    const kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, forces, count);
    kdr_particles q = make_particles(2, 3, KDR_F64, true, false);
    kdr_clock clock = {0, 0.03125, 0};
    put_state(&q, 0, &(state){{1, 0.5, 0.25}, {0, 0.5, 0.125}});
    put_state(&q, 1, &(state){{-0.5, 1, 0.75}, {0.25, 0, 0}});
    set(q.inverse_mass, KDR_F64, 0, 0.5);
    set(q.inverse_mass, KDR_F64, 1, 1);
    advance(BY_INTEGRATOR, &desc, &q, &clock, 64);
    for (size_t n = 0; n < 2; ++n) {
        double row[16];
        const state s = get_state(&q, n);
        cr_assert(program_row(p, "out.csv", 2 + n, row) == 10, "%s", what);
        cr_expect(memcmp(row + 3, s.x, sizeof s.x) == 0 && memcmp(row + 6, s.v, sizeof s.v) == 0, "%s: particle %zu", what, n);
    }
    kdr_particles_destroy(&q);
}

static void expect_runs(program *p, const char *forces) {
    write_scene(p, forces);
    program_run(p, "run", "scene.yaml", NULL);
    cr_assert(p->status == 0, "%s", p->err);
}

static kdr_force named(const char *name, const double *parameters) {
    const kdr_custom_field *field = NULL;
    cr_assert(kdr_field_from_name(name, &field) == KDR_OK);
    return kdr_force_custom(field, parameters);
}

Test(scenes_fields, by_name) {
    program p = program_begin();
    expect_runs(&p, "  - nfw: {mu: 2, radius: 1.5}\n  - rotating-frame: {omega: [0, 0.125, 0.25]}\n"
                    "  - yukawa: {strength: 0.5, range: 0.75, at: [0.25, 0.5, -1]}\n  - spring: {k: 0.25}\n");
    const kdr_force galaxy[] = {named("nfw", (const double[]){2, 1.5, 0, 0, 0}),
                                named("rotating-frame", (const double[]){0, 0.125, 0.25, 0, 0, 0}),
                                named("yukawa", (const double[]){0.5, 0.75, 0.25, 0.5, -1}), kdr_force_spring(0.25, 0, 0, 0)};
    expect_alike(&p, "a galaxy", galaxy, 4);
    /* The terms are in the order of the list, each with its numbers. */
    program_run(&p, "run", "scene.yaml", "--explain", NULL);
    cr_expect(p.status == 0 && strstr(p.out, "nfw(mu = 2, radius = 1.5"), "%s%s", p.err, p.out);
    program_end(&p);
}

Test(scenes_fields, a_parameter_for_each_particle) {
    program p = program_begin();
    const double mu[2] = {2, 0.5};
    kdr_force halo = named("nfw", (const double[]){0, 1.5, 0, 0, 0});
    halo.as.custom.each[0] = mu;
    halo.as.custom.count = 2;
    expect_runs(&p, "  - nfw: {mu: {each: [2, 0.5]}, radius: 1.5}\n");
    expect_alike(&p, "a halo for each", &halo, 1);
    const double at[3][2] = {{0.5, -0.5}, {0, 1}, {0.25, 0}};
    for (int i = 0; i < 3; ++i) {
        halo.as.custom.each[2 + i] = at[i];
    }
    expect_runs(&p, "  - nfw: {mu: {each: [2, 0.5]}, radius: 1.5, at: {each: [[0.5, 0, 0.25], [-0.5, 1, 0]]}}\n");
    expect_alike(&p, "a halo for each, at a place of its own", &halo, 1);
    write_scene(&p, "  - nfw: {mu: {each: [2, 0.5, 1]}, radius: 1.5}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    program_refused(&p, "too many", "scene.yaml:10: forces[0].nfw.mu.each: expected 2 elements", "found 3");
    program_end(&p);
}

Test(scenes_fields, out_of_a_module) {
    program p = program_begin();
    lay_modules(&p);
    expect_runs(&p, "  - field: {file: libmorse.so, parameters: {depth: 1, steepness: 2, radius: 1.25}}\n  - nfw: {mu: 1, radius: 2}\n");
    const kdr_force list[] = {kdr_force_custom(&kdr_custom_field_morse, (const double[]){1, 2, 1.25}),
                              named("nfw", (const double[]){1, 2, 0, 0, 0})};
    expect_alike(&p, "a field of the caller's and a halo", list, 2);
    program_end(&p);
}

/* Writes what numpy.save writes for an array of `count` numbers of the type in the header. */
static void write_npy(const program *p, const char *type, const char *shape, const double *numbers, size_t count) {
    unsigned char bytes[1024] = "\x93NUMPY\x01";
    const size_t size = type[2] == '4' ? sizeof(float) : sizeof(double), head = 118;
    char text[128];
    const int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    bytes[8] = (unsigned char)head;
    memset(bytes + 10, ' ', head);
    memcpy(bytes + 10, text, (size_t)length);
    bytes[9 + head] = '\n';
    for (size_t i = 0; i < count; ++i) {
        const float single = (float)numbers[i];
        memcpy(bytes + 10 + head + i * size, size == sizeof single ? (const void *)&single : &numbers[i], size);
    }
    program_write(p, "grid.npy", (const char *)bytes, 10 + head + count * size);
}

/* Grids of numbers in the scene, and of files of both types, have the bits of the library's. */
Test(scenes_fields, on_grids) {
    const double numbers[3 * 2 * 3] = {1, 2, 3, 0.5, 0.25, -1, 4, 0, -2, 1, 1, 1, -3, 2, 0, 0.125, 8, -0.5};
    const kdr_grid grid = {.dims = 2,
                           .components = 3,
                           .nodes = {3, 2},
                           .edge = {KDR_EDGE_PERIODIC, KDR_EDGE_CLAMPED},
                           .origin = {-1, 0.25},
                           .spacing = {0.5, 0.75},
                           .values = numbers,
                           .stride = {6, 3},
                           .component_stride = 1};
    kdr_force wind = named("grid-wind", (const double[]){0.5}), noise = named("curl-noise", (const double[]){1, 2, 0.5, 3});
    wind.as.custom.grid = &grid;
    const kdr_force list[] = {wind, noise};
    const char *const last = "spacing: [0.5, 0.75, 1], origin: [-1, 0.25, 0], edges: [periodic, clamped]}}\n"
                             "  - curl-noise: {amplitude: 1, wavelength: 2, rate: 0.5, seed: 3}\n";
    static const char *const types[] = {NULL, "<f8", "<f4"};
    for (int i = 0; i < 3; ++i) {
        char forces[512];
        program p = program_begin();
        snprintf(forces, sizeof forces, "  - grid-wind: {b: 0.5, grid: {%s, %s",
                 types[i] ? "file: grid.npy"
                          : "values: [[[1, 2, 3], [0.5, 0.25, -1]], [[4, 0, -2], [1, 1, 1]], [[-3, 2, 0], [0.125, 8, -0.5]]]",
                 last);
        if (types[i]) {
            write_npy(&p, types[i], "(3, 2, 3)", numbers, 18);
        }
        expect_runs(&p, forces);
        expect_alike(&p, types[i] ? types[i] : "numbers of the scene", list, 2);
        program_end(&p);
    }
}

Test(scenes_fields, refused_files_of_grids) {
    static const struct {
        const char *type, *shape, *holds;
        size_t count;
    } wrong[] = {
        {"<f8", "(2, 2, 2, 2, 6)", "found the shape (2, 2, 2, 2, 6)", 96},
        {"<c8", "(2, 3)", "expected numbers of the types f2, f4, f8, i1 to i8 or u1 to u8, found <c8", 6},
        {"<f8", "(2, 3)", "expected 6 numbers, as its shape says, found 5", 5},
        {"<f8", "(2, 3)", "found more", 7},
        {"<f8", "(6,)", "grid.npy: expected an array of 1 to 3 axes of 2 to 1024 nodes each, then an axis of 1 to 6 numbers per node", 6},
        {"<f8", "(1, 3)", "found the shape (1, 3)", 3},
        {"<f4", "(2, 2, 7)", "found the shape (2, 2, 7)", 7}};
    const double numbers[7] = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        program p = program_begin();
        write_npy(&p, wrong[i].type, wrong[i].shape, numbers, wrong[i].count);
        write_scene(&p, "  - grid-wind: {b: 1, grid: {file: grid.npy, spacing: 1}}\n");
        program_run(&p, "run", "scene.yaml", NULL);
        program_refused(&p, wrong[i].holds, "scene.yaml:10: forces[0].grid-wind.grid.file: ", wrong[i].holds);
        program_end(&p);
    }
}

Test(scenes_fields, refused) {
    static const struct {
        const char *forces, *begins, *holds;
    } wrong[] = {
        {"  - grid-wind: {b: 1}\n", "scene.yaml:10: forces[0].grid-wind: key \"grid\" is missing", "expected a mapping of file or values"},
        {"  - grid-wind: {b: 1, grid: {spacing: 1}}\n", "scene.yaml:10: forces[0].grid-wind.grid: expected one of the keys",
         "found neither"},
        {"  - grid-wind: {b: 1, grid: {spacing: 0, file: a.npy}}\n", "scene.yaml:10: forces[0].grid-wind.grid.spacing: expected a positive",
         ""},
        {"  - grid-wind: {b: 1, grid: {spacing: 1, file: a.npy}}\n", "scene.yaml:10: forces[0].grid-wind.grid.file: cannot open", "a.npy"},
        {"  - grid-wind: {b: 1, grid: {spacing: 1, values: [[1, 2, 3], [1, 2]]}}\n",
         "scene.yaml:10: forces[0].grid-wind.grid.values: expected 3 elements", "found 2"},
        {"  - grid-wind: {b: 1, grid: {spacing: 1, values: []}}\n", "scene.yaml:10: forces[0].grid-wind.grid.values: expected a list for",
         ""},
        {"  - grid-wind: {b: 1, grid: {spacing: 1, values: [[1, 2], [1, 2]]}}\n",
         "scene.yaml:10: forces[0].grid-wind.grid.components: expected 3, got 2", ""},
        {"  - grid-wind: {b: 1, grid: {spacing: 1, edges: open, values: [[1, 2, 3], [1, 2, 3]]}}\n",
         "scene.yaml:10: forces[0].grid-wind.grid.edges: expected one of clamped, periodic", "open"},
        {"  - grid-wind: {b: 1, grid: {spacing: 1, edges: [clamped, clamped], values: [[1, 2, 3], [1, 2, 3]]}}\n",
         "scene.yaml:10: forces[0].grid-wind.grid.edges: expected one name, or one for each of 1 axes, found 2", ""},
        {"  - uniform-force: {f: [1, 0, 0]}\nspeed-of-light: 1\n", "scene.yaml:11: speed-of-light: rk4 knows velocities alone",
         "take boris"},
        {"  - uniform-force: {f: [1, 0, 0]}\nspeed-of-light: 0\n", "scene.yaml:11: speed-of-light: expected a positive number", ""},
        {"  - nfw: {mu: 1}\n", "scene.yaml:10: forces[0].nfw: key \"radius\" is missing", "expected a finite number"},
        {"  - nfw: {mu: 1, radius: 0}\n", "scene.yaml:10: forces[0].nfw.radius: expected a number above 0, got 0", ""},
        {"  - orbiting-centre: {mu: 1, omega: 1, major: [1, 0, 0], minor: [0, 1, 0], eccentricity: 1.5}\n",
         "scene.yaml:10: forces[0].orbiting-centre.eccentricity: expected 0 to 0.9, got 1.5", ""},
        {"  - miyamoto-nagai: {mu: 1, length: -0.5, height: 1}\n",
         "scene.yaml:10: forces[0].miyamoto-nagai.length: expected at least 0, got -0.5", ""},
        {"  - vortex: {swirl: 1, core: 1, axis: [0, 0, 0]}\n", "scene.yaml:10: forces[0].vortex.axis: expected a vector that is not 0",
         "got (0, 0, 0)"},
        {"  - nfw: {mu: 1, radius: 1, at: 3}\n",
         "scene.yaml:10: forces[0].nfw.at: expected three numbers [x, y, z], {each: [...]} or {columns: [X, Y, Z]}, found \"3\"", ""},
        {"  - nfw: {mu: 1, radius: 1, at: {each: [[0, 0, 0]]}}\n", "scene.yaml:10: forces[0].nfw.at.each: expected 2 elements", "found 1"},
        {"  - nfw: {mass: 1, radius: 1}\n", "scene.yaml:10: forces[0].nfw: unknown key \"mass\"", "expected one of mu, radius, at"},
        {"  - nwf: {mu: 1, radius: 1}\n", "scene.yaml:10: forces[0]: unknown key \"nwf\"", "curl-noise, field"},
        {"  - field: {file: libnowhere.so}\n", "scene.yaml:10: forces[0].field.file: expected a module of kickdrift_add_field",
         "libnowhere.so"},
        {"  - field: {file: libnone.so}\n", "scene.yaml:10: forces[0].field.file: expected a module of kickdrift_add_field", "libnone.so"},
        {"  - field: libnone.so\n", "scene.yaml:10: forces[0].field: expected a module of kickdrift_add_field", "libnone.so"},
        {"  - field: libmorse.so\n", "scene.yaml:10: forces[0].field: key \"parameters\" is missing", "of morse"},
        {"  - field: {parameters: {depth: 1}}\n", "scene.yaml:10: forces[0].field: key \"file\" is missing", ""},
        {"  - field: {file: libmorse.so}\n", "scene.yaml:10: forces[0].field: key \"parameters\" is missing",
         "of morse, of which depth is the first"},
        {"  - field: {file: libmorse.so, parameters: {depth: 1, steepness: 2}}\n",
         "scene.yaml:10: forces[0].field.parameters: key \"radius\" is missing", ""},
        {"  - field: {file: libmorse.so, parameters: {depth: 1, steep: 2, radius: 1}}\n",
         "scene.yaml:10: forces[0].field.parameters: unknown key \"steep\"", "expected one of depth, steepness, radius"},
    };
    program p = program_begin();
    lay_modules(&p);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        write_scene(&p, wrong[i].forces);
        program_run(&p, "run", "scene.yaml", NULL);
        program_refused(&p, wrong[i].forces, wrong[i].begins, wrong[i].holds);
        cr_expect(!program_has(&p, "out.csv"), "%s", wrong[i].forces);
    }
    program_end(&p);
}
