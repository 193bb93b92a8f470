/* `kickdrift fields`: prints the fields that scenes have by name, with parameters and formulas. `tools/dev docs` puts the table into
 * docs/use/forces.md. */
#include "commands.h"
#include "json.h"
#include "options.h"

#include <kickdrift/kickdrift.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct fields_options {
    bool json, markdown;
} fields_options;

static const option_row rows[] = {
    {"json", NULL, NULL, offsetof(fields_options, json), "print one JSON array, with the range of each parameter"},
    {"markdown", NULL, NULL, offsetof(fields_options, markdown), "print a table in Markdown"},
};
const options_spec kdr_fields_spec = {
    "fields",
    "",
    0,
    "Lists the fields that scenes, C and Python have by name: parameters, and what the field is.",
    "Parameters in brackets may be left out and are 0. at, major, minor, normal, axis and rotating-frame's omega are vectors.\n"
    "a: an acceleration, alike for all masses; F: a force; else the potential. r is the place from `at`.\n"
    "In scenes: forces: [nfw: {mu: 1, radius: 2}]; in C: kdr_field_from_name; in Python: kickdrift.field.\n",
    rows,
    sizeof rows / sizeof rows[0]};

/* The formula of each field, in Markdown. */
static const struct {
    const char *name, *is;
} formulas[] = {
    {"yukawa", "a force; -strength exp(-r / range) / r"},
    {"logarithmic-halo", "speed² / 2 ln(core² + x² + y² + z² / flattening²): a flat rotation curve"},
    {"nfw", "-mu ln(1 + r / radius) / r: Navarro, Frenk and White's halo; mu = 4 pi G rho radius³"},
    {"miyamoto-nagai", "-mu / (x² + y² + (length + (z² + height²)^(1/2))²)^(1/2): a disc about the axis of z"},
    {"oblate-planet", "-mu / r (1 - j2 (radius / r)² (3 z² / r² - 1) / 2): its axis is that of z"},
    {"rotating-frame",
     "a = -omega x (2 v + omega x r): Coriolis and centrifugal; the energy is Jacobi's. For `boris` and `exact-affine`, without masses and "
     "about z: `electromagnetic: {charge: 1, b: [0, 0, 2 omega]}` and a spring of k = -omega² along x and y"},
    {"orbiting-centre",
     "a centre on a Kepler orbit of mean motion omega, its half axes the vectors major and minor; eccentricity 0 to 0.9; a potential, at "
     "the time. omega t + phase is reduced to a turn in double, for omega t up to 2^60"},
    {"lennard-jones-wall", "a force; 4 epsilon ((sigma / d)^12 - (sigma / d)^6), d the distance on the normal's side"},
    {"vortex", "a = (swirl n x r - pull p) / (p² + core²), p being r across the axis; no potential"},
    {"grid-acceleration", "a = factor times what the grid has at x, linearly between its nodes"},
    {"grid-wind", "a force; -b (v - wind), the grid's"},
    {"grid-electromagnetic", "a force; charge (e + v x b), the grid's ex, ey, ez, bx, by, bz: `boris`, `vay`, `higuera-cary` turn v by b"},
    {"table-centre",
     "a centre whose place is on a table of times: `origin` the first time, `spacing` between them; linearly, or with `cubic: 1` by cubic "
     "polynomials; a potential, at the time, which in f32 is a float"},
    {"curl-noise",
     "noise without divergence, a sum of twelve waves, which move `rate` wavelengths a unit of time; amplitude is its root mean square. "
     "With a drag of b = m / tau it is a wind of the speed amplitude times tau"},
};

/* Returns the formula of a field. Each field of the library must have one, which tests/docs.sh checks. */
static const char *formula_of(const char *name) {
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; ++i) {
        if (strcmp(formulas[i].name, name) == 0) {
            return formulas[i].is;
        }
    }
    return "?";
}

/* Returns the length of a parameter's key. Three parameters that end in .x, .y, .z are one vector; the first of them stands for all
 * three. */
static size_t key_length(const char *name, bool *is_vector) {
    const size_t length = strlen(name);
    *is_vector = length > 2 && strcmp(name + length - 2, ".x") == 0;
    return length - (*is_vector ? 2 : 0);
}

/* Writes the parameters in the form "mu, grid of 3 along one axis, [softening, cubic]". */
static void print_parameters(const kdr_custom_field *field, char *text, size_t size) {
    const int count = kdr_custom_field_parameter_count(field), required = kdr_custom_field_required_parameter_count(field);
    size_t used = 0;
    bool vector;
    for (int k = 0, given; k < count || k == required; k += vector ? 3 : 1) {
        vector = false;
        given = k == required && kdr_custom_field_grid_component_count(field) > 0;
        if (given) {
            used += (size_t)snprintf(text + used, size - used, ", grid of %d%s", kdr_custom_field_grid_component_count(field),
                                     kdr_custom_field_grid_axis_count(field) == 1 ? " along one axis" : "");
        }
        if (k < count) {
            const char *const name = kdr_custom_field_parameter_name(field, k);
            const int length = (int)key_length(name, &vector);
            used += (size_t)snprintf(text + used, size - used, "%s%s%.*s", k == 0 ? "" : ", ", k == required ? "[" : "", length, name);
        }
    }
    snprintf(text + used, size - used, "%s", required < count ? "]" : "");
}

static json_t *as_json(const kdr_custom_field *field) {
    const char *const name = kdr_custom_field_name(field);
    json_t *const parameters = json_array();
    bool vector;
    for (int k = 0; k < kdr_custom_field_parameter_count(field); k += vector ? 3 : 1) {
        const char *const parameter = kdr_custom_field_parameter_name(field, k);
        const int length = (int)key_length(parameter, &vector);
        double least = -INFINITY, most = INFINITY;
        (void)kdr_custom_field_parameter_range(field, k, &least, &most);
        json_array_append_new(parameters, json_pack("{s:s%, s:b, s:b, s:o, s:o}", "name", parameter, (size_t)length, "vector", vector,
                                                    "required", k < kdr_custom_field_required_parameter_count(field), "least",
                                                    json_number(least), "most", json_number(most)));
    }
    return json_pack("{s:s, s:o, s:i, s:i, s:s}", "name", name, "parameters", parameters, "grid",
                     kdr_custom_field_grid_component_count(field), "grid_axes", kdr_custom_field_grid_axis_count(field), "formula",
                     formula_of(name));
}

int kdr_fields_main(int argc, char **argv) {
    fields_options options = {.json = false};
    fault why;
    const int ended = options_begin(&kdr_fields_spec, argc, argv, &options, NULL, &why);
    if (ended >= 0) {
        return ended;
    }
    json_t *const array = options.json ? json_array() : NULL;
    const kdr_custom_field *field;
    if (options.markdown) {
        puts("| name | parameters | a, or F, or the potential |\n|---|---|---|\n"
             "| `centre` with a softening | see above | Plummer's sphere: -mu / (r² + softening²)^(1/2) |");
    }
    for (int i = 0; (field = kdr_field_get(i)) != NULL; ++i) {
        char parameters[300];
        const char *const name = kdr_custom_field_name(field);
        print_parameters(field, parameters, sizeof parameters);
        if (options.json) {
            json_array_append_new(array, as_json(field));
        } else {
            printf(options.markdown ? "| `%s` | %s | %s |\n" : "%-21s  %s\n    %s\n", name, parameters, formula_of(name));
        }
    }
    if (!options.json || json_print(array)) {
        return KDR_EXIT_OK;
    }
    fault_set(&why, "fields: no memory for the JSON array, expected some");
    return fault_report(&why);
}
