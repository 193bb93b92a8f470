/* Every key of every element of a scene sets the member of its name: the program's checkpoint has the digest of a description that is made
 * here by hand, with another number for each key. tests/digests.c tests that digests depend on every member. */
#include <kickdrift/io.h>

#include "files.h"
#include "scenes_program.h"
#include "support.h"

#include "json.h"
#include "value.h"

enum { COUNT = 4 };

/* An element of a scene, its description by hand, and everything that the description points to. */
typedef struct element {
    const char *text; /* part of the scene */
    kdr_integrator_desc field;
    kdr_system_desc system;
    bool is_system;
    kdr_force force;
    kdr_collider collider;
    kdr_constraint constraint;
    kdr_tableau tableau;
    kdr_fractions fractions;
    kdr_substeps substeps;
    kdr_grid grid;
    kdr_interaction pairs;
    kdr_pair_spring springs[2];
    kdr_distance distances[2];
    double numbers[2 * 3 * 2 * 3];
} element;

static const double one[3] = {1, 2, 3}, other[3] = {4, 5, 6};

static void take_force(element *e, const char *text, kdr_force force) {
    e->text = text, e->force = force, e->force.contribution = KDR_CONTRIBUTION_AVERAGE;
    e->field.method = KDR_KINEMATIC_SUM;
    e->field.forces = &e->force, e->field.force_count = 1;
}

#define FORCE(key) "method: kinematic\nforces:\n  - " key ", contribution: average}\n"

static bool describe_force(int n, element *e) {
    switch (n) {
    case 0:
        take_force(e, FORCE("uniform-acceleration: {a: [1, 2, 3]"), kdr_force_uniform_acceleration(1, 2, 3));
        return true;
    case 1:
        take_force(e, FORCE("uniform-force: {f: [1, 2, 3]"), kdr_force_uniform_force(1, 2, 3));
        return true;
    case 2:
        take_force(e, FORCE("spring: {k: [7, 8, 9], at: [1, 2, 3]"), kdr_force_spring(7, 1, 2, 3));
        e->force.as.spring.k[1] = 8, e->force.as.spring.k[2] = 9;
        return true;
    case 3:
        take_force(e, FORCE("drag: {b: [7, 8, 9], wind: [1, 2, 3]"), kdr_force_drag(7, 1, 2, 3));
        e->force.as.drag.b[1] = 8, e->force.as.drag.b[2] = 9;
        return true;
    case 4:
        take_force(e, FORCE("quadratic-drag: {c: 7, wind: [1, 2, 3]"), kdr_force_quadratic_drag(7, 1, 2, 3));
        return true;
    case 5:
        take_force(e, FORCE("electromagnetic: {charge: 7, e: [1, 2, 3], b: [4, 5, 6]"), kdr_force_electromagnetic(7, one, other));
        return true;
    case 6:
        take_force(e, FORCE("centre: {mu: 7, at: [1, 2, 3], softening: 4"), kdr_force_centre(7, 1, 2, 3, 4));
        return true;
    case 7:
        take_force(e, FORCE("driven: {a: [1, 2, 3], omega: 4, phase: 5"), kdr_force_driven(1, 2, 3, 4, 5));
        return true;
    default:
        return false;
    }
}

#define SURFACE "restitution: 0.5, friction: 0.25, friction-normal: 0.125, sliding: 0.75, static: 0.875, velocity: [7, 8, 9], since: 10}\n"

static void take_collider(element *e, const char *text, kdr_collider collider) {
    e->text = text, e->collider = collider;
    e->collider.restitution = 0.5, e->collider.friction = 0.25, e->collider.friction_normal = 0.125;
    e->collider.sliding = 0.75, e->collider.static_friction = 0.875, e->collider.since = 10;
    for (int i = 0; i < 3; ++i) {
        e->collider.velocity[i] = 7 + i;
    }
    e->field.colliders = &e->collider, e->field.collider_count = 1;
}

static void take_constraint(element *e, const char *text, kdr_constraint constraint) {
    e->text = text, e->constraint = constraint;
    e->field.constraints = &e->constraint, e->field.constraint_count = 1;
}

static bool describe_surface(int n, element *e) {
    switch (n) {
    case 0:
        take_collider(e, "colliders:\n  - plane: {point: [1, 2, 3], normal: [4, 5, 6], " SURFACE, kdr_collider_plane(one, other));
        return true;
    case 1:
        take_collider(e, "colliders:\n  - sphere: {at: [1, 2, 3], radius: 70, inside: true, " SURFACE, kdr_collider_sphere(one, 70, true));
        return true;
    case 2:
        take_collider(e, "colliders:\n  - box: {min: [1, 2, 3], max: [4, 5, 6], inside: true, " SURFACE,
                      kdr_collider_box(one, other, true));
        return true;
    case 3:
        take_constraint(e, "constraints: [rod: {to: [1, 2, 3], length: 4}]\n", kdr_constraint_rod(one, 4));
        return true;
    case 4:
        take_constraint(e, "constraints: [rope: {to: [1, 2, 3], length: 4}]\n", kdr_constraint_rope(one, 4));
        return true;
    case 5:
        take_constraint(e, "constraints: [plane: {point: [1, 2, 3], normal: [4, 5, 6]}]\n", kdr_constraint_plane(one, other));
        return true;
    case 6:
        take_constraint(e, "constraints: [sphere: {at: [1, 2, 3], radius: 4}]\n", kdr_constraint_sphere(one, 4));
        return true;
    case 7:
        e->text = "boundary: {periodic: {min: [-4, -5, -6], max: [7, 8, 9]}}\n";
        e->field.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {-4, -5, -6}, {7, 8, 9}};
        return true;
    case 8:
        e->text = "boundary: {absorbing: {min: [-4, -5, -6], max: [7, 8, 9]}}\n";
        e->field.boundary = (kdr_boundary){KDR_BOUNDARY_ABSORBING, {-4, -5, -6}, {7, 8, 9}};
        return true;
    default:
        return false;
    }
}

static bool describe_method(int n, element *e) {
    switch (n) {
    case 0:
        e->text = "method: baoab\nlangevin: {friction: 2, temperature: 3, seed: 4}\n";
        e->field.method = KDR_BAOAB, e->field.langevin = (kdr_langevin){2, 3, 4};
        return true;
    case 1:
        e->text = "method: {tableau: {a: [[], [0.75]], b: [0.25, 0.75], c: [0, 0.75]}}\n";
        e->tableau = (kdr_tableau){.stages = 2, .a = {{0}, {0.75}}, .b = {0.25, 0.75}, .c = {0, 0.75}};
        e->field.tableau = &e->tableau;
        return true;
    case 2:
        e->text = "method: {fractions: {kick: [0.25, 0.75], drift: [0.5, 0.5]}}\n";
        e->fractions = (kdr_fractions){2, {0.25, 0.75}, {0.5, 0.5}};
        e->field.fractions = &e->fractions;
        return true;
    case 3:
        e->text = "compose: [0.25, 0.5, 0.25]\nreal: f32\narithmetic: unfused\n";
        e->substeps = (kdr_substeps){3, {0.25, 0.5, 0.25}};
        e->field.substeps = &e->substeps, e->field.real = KDR_F32, e->field.arithmetic = KDR_UNFUSED;
        return true;
    case 4:
        e->text = "method: vay\nspeed-of-light: 20\nflush-small-to-zero: true\n";
        e->field.method = KDR_VAY, e->field.speed_of_light = 20, e->field.flush_small_to_zero = true;
        return true;
    case 5:
        e->text = "compose: yoshida-6\ncompensated: true\n";
        e->field.compose = KDR_COMPOSE_YOSHIDA_6, e->field.compensated = true;
        return true;
    default:
        return false;
    }
}

static bool describe_system(int n, element *e) {
    e->is_system = true;
    e->system.interactions = &e->pairs, e->system.interaction_count = 1;
    switch (n) {
    case 0:
        e->text = "interactions:\n  - gravity: {mu: 5, softening: 2, sources: 3}\n";
        e->numbers[0] = e->numbers[1] = e->numbers[2] = e->numbers[3] = 5;
        e->pairs = kdr_interaction_gravity(e->numbers, 3, 2);
        return true;
    case 1: /* divided by the masses, which are 2 */
        e->text = "interactions:\n  - gravity: {g: 5, softening: {each: [1, 2, 3, 4]}}\n";
        for (int i = 0; i < COUNT; ++i) {
            e->numbers[i] = 10, e->numbers[COUNT + i] = 1 + i;
        }
        e->pairs = kdr_interaction_gravity(e->numbers, COUNT, 0);
        e->pairs.as.gravity.softening_each = e->numbers + COUNT, e->pairs.as.gravity.softening_count = COUNT;
        return true;
    case 2:
        e->text = "interactions:\n  - springs: {between: [[0, 1], [2, 3]], k: 5, length: 6, damping: 0.5}\nmethod: rk4\n";
        e->system.method = KDR_RK4;
        for (unsigned i = 0; i < 2; ++i) {
            e->springs[i] = (kdr_pair_spring){2 * i, 2 * i + 1, 5, 6, 0.5, KDR_CONTRIBUTION_DEFAULT};
        }
        e->pairs = kdr_interaction_spring_network(e->springs, 2);
        return true;
    case 3:
        e->text = "distances: {rods: [{between: [[0, 1], [2, 3]], length: 5}], tolerance: 0.125, sweeps: 7, relaxation: 1.5}\n";
        e->system.interaction_count = 0, e->system.interactions = NULL;
        e->distances[0] = (kdr_distance){0, 1, 5}, e->distances[1] = (kdr_distance){2, 3, 5};
        e->system.distances = e->distances, e->system.distance_count = 2;
        e->system.distance_tolerance = 0.125, e->system.distance_sweeps = 7, e->system.distance_relaxation = 1.5;
        return true;
    default:
        return false;
    }
}

static void describe_grid(element *e) {
    static char text[512];
    const kdr_custom_field *field;
    cr_assert(kdr_field_from_name("grid-acceleration", &field) == KDR_OK);
    int length = snprintf(text, sizeof text,
                          "forces:\n  - grid-acceleration: {factor: 2, grid: {origin: [-1, -2, -3], spacing: [4, 5, 6], "
                          "edges: [periodic, clamped, periodic], values: ");
    for (int i = 0; i < 36; ++i) {
        e->numbers[i] = 1 + i;
        const char *const open = i % 18 == 0 ? (i ? "[[[" : "[[[[") : i % 6 == 0 ? "[[" : i % 3 == 0 ? "[" : "";
        const char *const close = i % 18 == 17 ? (i == 35 ? "]]]]" : "]]],") : i % 6 == 5 ? "]]," : i % 3 == 2 ? "]," : ",";
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%d%s", open, 1 + i, close);
    }
    snprintf(text + length, sizeof text - (size_t)length, "}}\n");
    e->text = text;
    e->grid =
        (kdr_grid){.dims = 3, .components = 3, .nodes = {2, 3, 2}, .origin = {-1, -2, -3}, .spacing = {4, 5, 6}, .values = e->numbers};
    e->grid.edge[0] = e->grid.edge[2] = KDR_EDGE_PERIODIC;
    /* A list of values is written x by x, while in a plain grid x runs fastest. */
    e->grid.stride[0] = 18, e->grid.stride[1] = 6, e->grid.stride[2] = 3, e->grid.component_stride = 1;
    e->force = kdr_force_custom(field, (const double[KDR_MAX_PARAMETERS]){2});
    e->force.as.custom.grid = &e->grid;
    e->field.forces = &e->force, e->field.force_count = 1;
}

static bool describe_element(int n, element *e) {
    memset(e, 0, sizeof *e);
    e->field = kdr_integrator_desc_default();
    e->system = kdr_system_desc_default();
    if (n == 0) {
        describe_grid(e);
        return true;
    }
    return describe_force(n - 1, e) || describe_surface(n - 9, e) || describe_method(n - 18, e) || describe_system(n - 24, e);
}

static uint64_t digest_of(const element *e) {
    uint64_t digest;
    kdr_error error;
    if (e->is_system) {
        kdr_system *made;
        cr_assert(kdr_system_create(&e->system, &made, &error) == KDR_OK, "%s: %s", e->text, error.message);
        digest = kdr_system_digest(made);
        kdr_system_destroy(made);
    } else {
        kdr_integrator *made;
        cr_assert(kdr_integrator_create(&e->field, &made, &error) == KDR_OK, "%s: %s", e->text, error.message);
        digest = kdr_integrator_digest(made);
        kdr_integrator_destroy(made);
    }
    return digest;
}

/* Returns the digest in the program's checkpoint of a scene with this element. */
static uint64_t digest_by_program(program *p, const char *text) {
    char scene[2048], path[128];
    snprintf(
        scene, sizeof scene,
        "particles: {state: [{x: [1, 2, 3], v: [0, 0, 0], mass: 2}, {x: [1, 2, 8], v: [0, 0, 0], mass: 2}, {x: [2, 2, 3], v: [0, 0, 0], "
        "mass: 2}, {x: [2, 2, 8], v: [0, 0, 0], mass: 2}]}\n%s%s%sdt: 0.0009765625\nsteps: 0\ncheckpoint: {file: run.checkpoint}\n",
        text, strstr(text, "forces:") ? "" : "forces: []\n", strstr(text, "method:") ? "" : "method: velocity-verlet\n");
    program_write_text(p, "scene.yaml", scene);
    program_run(p, "run", "scene.yaml", "--threads", "1", NULL);
    cr_assert(p->status == 0, "%s\n%s", scene, p->err);
    kdr_checkpoint saved;
    kdr_error error;
    snprintf(path, sizeof path, "%s/run.checkpoint", p->folder);
    cr_assert(kdr_checkpoint_read(path, NULL, &saved, &error) == KDR_OK, "%s", error.message);
    const uint64_t digest = saved.description;
    kdr_checkpoint_release(&saved);
    return digest;
}

Test(scenes_keys, each_key_ends_in_the_member_of_its_name) {
    program p = program_begin();
    element *const e = malloc(sizeof *e);
    int n = 0;
    cr_assert(e);
    for (; describe_element(n, e); ++n) {
        cr_expect(digest_by_program(&p, e->text) == digest_of(e), "another description than by hand: %s", e->text);
    }
    cr_expect(n == 28, "%d elements", n);
    free(e);
    program_end(&p);
}

/* Returns true if some element has this key. */
static bool is_given(const char *key) {
    char with_colon[64];
    element *const e = malloc(sizeof *e);
    bool given = false;
    cr_assert(e);
    snprintf(with_colon, sizeof with_colon, "%.62s:", key);
    for (int n = 0; !given && describe_element(n, e); ++n) {
        given = strstr(e->text, with_colon) != NULL;
    }
    free(e);
    return given;
}

/* Counts the keys that the tables of a source file have: a name followed by a reader, or within a macro that contains one. */
static int look_for_keys(const char *file) {
    /* Columns, files of numbers and fields in libraries are tested in tests/scenes_fields.c, spring lattices in
     * tests/scenes_interactions.c. */
    static const char elsewhere[] = " field spring-lattice column columns file grid first diagonal bend ";
    static const char *const readers[] = {"tree_read_", "read_", "keep_", "take_", "scene_read_"};
    static const char *const macros[] = {"VECTOR(", "NUMBER(", "COEFFICIENT(", "POINT("};
    char path[512], name[64], word[72];
    size_t size;
    int keys = 0;
    snprintf(path, sizeof path, "%s/tools/kickdrift/%s", KDR_SOURCE_DIR, file);
    char *const text = (char *)read_whole(path, &size);
    text[size] = 0;
    for (const char *at = strchr(text, '"'); at; at = strchr(at + 1, '"')) {
        const size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz-");
        if (length == 0 || length >= sizeof name || strncmp(at + 1 + length, "\", ", 3) != 0) {
            continue;
        }
        bool is_key = false;
        for (size_t n = 0; n < sizeof readers / sizeof *readers; ++n) {
            is_key = is_key || strncmp(at + length + 4, readers[n], strlen(readers[n])) == 0;
        }
        for (size_t n = 0; n < sizeof macros / sizeof *macros; ++n) {
            const size_t before = strlen(macros[n]);
            is_key = is_key || ((size_t)(at - text) > before && strncmp(at - before, macros[n], before) == 0);
        }
        snprintf(name, sizeof name, "%.*s", (int)length, at + 1);
        snprintf(word, sizeof word, " %s ", name);
        keys += is_key;
        cr_expect(!is_key || strstr(elsewhere, word) || is_given(name), "%s: no element gives the key %s", file, name);
    }
    free(text);
    return keys;
}

Test(scenes_keys, no_key_is_left_out) {
    static const char *const files[] = {"scene_forces.c", "scene_colliders.c", "scene_interactions.c", "scene_method.c", "scene_grid.c"};
    int keys = 0;
    for (size_t n = 0; n < sizeof files / sizeof *files; ++n) {
        keys += look_for_keys(files[n]);
    }
    cr_expect(keys > 60, "%d keys", keys);
}

/* Writes a key and its value; the parameters at.x, at.y and at.z are one list. */
static int put_parameter(char *text, size_t size, int index, const char *name, double value) {
    const char *const dot = strchr(name, '.');
    if (!dot) {
        return snprintf(text, size, "%s%s: %.17g", index ? ", " : "", name, value);
    }
    if (dot[1] == 'x') {
        return snprintf(text, size, "%s%.*s: [%.17g", index ? ", " : "", (int)(dot - name), name, value);
    }
    return snprintf(text, size, ", %.17g%s", value, dot[1] == 'z' ? "]" : "");
}

/* A named field has a key for each of its parameters. */
Test(scenes_keys, each_parameter_of_a_field_ends_in_its_place) {
    program p = program_begin();
    int held = 0;
    for (int n = 0; kdr_field_get(n); ++n) {
        const kdr_custom_field *const field = kdr_field_get(n);
        double values[KDR_MAX_PARAMETERS] = {0};
        char text[1024];
        if (kdr_custom_field_grid_component_count(field) > 0) {
            continue; /* for grids there is one above */
        }
        int length = snprintf(text, sizeof text, "forces:\n  - %s: {", kdr_custom_field_name(field));
        for (int i = 0; i < kdr_custom_field_parameter_count(field); ++i) {
            double least, most;
            cr_assert(kdr_custom_field_parameter_range(field, i, &least, &most) == KDR_OK);
            values[i] = fmin(fmax(least, 2 + i), most);
            length += put_parameter(text + length, sizeof text - (size_t)length, i, kdr_custom_field_parameter_name(field, i), values[i]);
        }
        snprintf(text + length, sizeof text - (size_t)length, "}\nmethod: rk4\n");
        element e = {.text = text, .field = kdr_integrator_desc_default()};
        e.field.method = KDR_RK4;
        e.force = kdr_force_custom(field, values);
        e.field.forces = &e.force, e.field.force_count = 1;
        cr_expect(digest_by_program(&p, text) == digest_of(&e), "another description than by hand: %s", text);
        ++held;
    }
    cr_expect(held > 3, "%d fields", held);
    program_end(&p);
}

/* ---- values and counts */

Test(scenes_keys, paces_and_bytes_are_in_their_units) {
    static const struct {
        const char *text;
        uint64_t steps;
        double seconds;
    } paces[] = {{"5000", 5000, 0}, {"1", 1, 0}, {"3 s", 0, 3}, {"10 min", 0, 600}, {"2 h", 0, 7200}, {"0.5 h", 0, 1800}};
    static const struct {
        const char *text;
        uint64_t bytes;
    } sizes[] = {{"512 MB", UINT64_C(512000000)}, {"2 GB", UINT64_C(2000000000)}, {"3 KB", 3000}, {"4 TB", UINT64_C(4000000000000)}};
    for (size_t n = 0; n < sizeof paces / sizeof *paces; ++n) {
        pace found = {99, 99};
        cr_expect(VALUE_PACE.parse(&VALUE_PACE, paces[n].text, &found), "%s", paces[n].text);
        cr_expect(found.steps == paces[n].steps && found.seconds == paces[n].seconds, "%s: %g s", paces[n].text, found.seconds);
    }
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; ++n) {
        uint64_t found = 99;
        cr_expect(VALUE_BYTES.parse(&VALUE_BYTES, sizes[n].text, &found), "%s", sizes[n].text);
        cr_expect(found == sizes[n].bytes, "%s: %" PRIu64, sizes[n].text, found);
    }
}

Test(scenes_keys, counts_are_whole_in_json) {
    static const uint64_t counts[] = {0, 1, UINT32_MAX, UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1, (UINT64_C(1) << 53) + 1, INT64_MAX};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        json_t *const value = json_count(counts[n]);
        cr_expect(json_is_integer(value) && (uint64_t)json_integer_value(value) == counts[n], "%" PRIu64, counts[n]);
        json_decref(value);
    }
    json_t *const large = json_count(UINT64_C(1) << 63);
    cr_expect(json_is_real(large) && json_real_value(large) == 0x1p63);
    json_decref(large);
}
