/* kickdrift methods: the table of methods. */
#include "commands.h"
#include "json.h"
#include "options.h"

#include <kickdrift/kickdrift.h>

#include <math.h>
#include <stdio.h>

typedef struct methods_options {
    bool json;
} methods_options;

static const option_row rows[] = {{"json", NULL, NULL, offsetof(methods_options, json), "print one JSON array"}};
static const options_spec spec = {
    "methods",
    "",
    0,
    "Lists the methods, and what is known of each.",
    "order: of x and v for a(x, t), and for those a(x, v, t) that the method accepts (-: none; exact: JSON null);\n"
    "evals: evaluations of the acceleration a step (and more at the start of a run);\n"
    "memory: keeps something besides x and v from step to step; compensated: accepts compensated runs;\n"
    "stability: the largest omega h that stays bounded on the undamped oscillator (JSON: 0 none, null unbounded);\n"
    "forces of v: which forces that depend on the velocity it accepts; affine: of other forces, those that are affine in x and v alone.\n",
    rows,
    1};

static json_t *order_as_json(int order) { return order == KDR_ORDER_EXACT ? json_null() : json_integer(order); }

static json_t *as_json(const kdr_method_info *m) {
    return json_pack("{s:s, s:s, s:o, s:o, s:i, s:i, s:b, s:b, s:b, s:b, s:o, s:s, s:b, s:s, s:s}", "name", m->name, "family",
                     kdr_family_name(m->family), "order", order_as_json(m->order), "order_velocity", order_as_json(m->order_velocity),
                     "evaluations", m->evaluations, "start_evaluations", m->start_evaluations, "symplectic", m->symplectic, "reversible",
                     m->reversible, "memory", m->memory, "compensated", m->compensated, "stability", json_number(m->stability),
                     "velocity_forces", kdr_velocity_forces_name(m->velocity_forces), "affine", m->affine, "force_sees", m->force_sees,
                     "source", m->source);
}

static const char *describe_stability(double limit, char *text, size_t size) {
    snprintf(text, size, "%.6g", limit);
    return limit == 0 ? "none" : isinf(limit) ? "unbounded" : text;
}

static void describe_order(int order, char *text, size_t size) {
    if (order == KDR_ORDER_EXACT)
        snprintf(text, size, "exact");
    else if (order == 0)
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%d", order);
}

static void print_row(const kdr_method_info *m) {
    char order[16], velocity[16], orders[36], start[16] = "", evaluations[32], stability[32];
    describe_order(m->order, order, sizeof order);
    describe_order(m->order_velocity, velocity, sizeof velocity);
    snprintf(orders, sizeof orders, "%s, %s", order, velocity);
    if (m->start_evaluations)
        snprintf(start, sizeof start, " (+%d)", m->start_evaluations);
    snprintf(evaluations, sizeof evaluations, "%2d%s", m->evaluations, start);
    printf("%-21s  %-12s  %-12s  %-7s  %-10s  %-10s  %-6s  %-11s  %-9s  %s\n", m->name, kdr_family_name(m->family), orders, evaluations,
           m->symplectic ? "yes" : "no", m->reversible ? "yes" : "no", m->memory ? "yes" : "no", m->compensated ? "yes" : "no",
           describe_stability(m->stability, stability, sizeof stability),
           m->affine ? "any, affine" : kdr_velocity_forces_name(m->velocity_forces));
}

static void print_text(const char *title, size_t offset) {
    printf("\n%-21s  %s\n", "method", title);
    for (int i = 0; i < KDR_METHOD_COUNT; i++) {
        const kdr_method_info *m = kdr_method_get((kdr_method)i);
        printf("%-21s  %s\n", m->name, *(const char *const *)(const void *)((const char *)m + offset));
    }
}

static void print_table(void) {
    printf("%-21s  %-12s  %-12s  %-7s  %-10s  %-10s  %-6s  %-11s  %-9s  %s\n", "method", "family", "order", "evals", "symplectic",
           "reversible", "memory", "compensated", "stability", "forces of v");
    for (int i = 0; i < KDR_METHOD_COUNT; i++)
        print_row(kdr_method_get((kdr_method)i));
    print_text("the force sees", offsetof(kdr_method_info, force_sees));
    print_text("source", offsetof(kdr_method_info, source));
}

int kdr_methods_main(int argc, char **argv) {
    methods_options options = {false};
    fault why;
    switch (options_parse(&spec, argc, argv, &options, NULL, &why)) {
    case OPTIONS_HELP:
        return KDR_EXIT_OK;
    case OPTIONS_WRONG:
        return fault_report(&why);
    case OPTIONS_GO:
        break;
    }
    if (!options.json) {
        print_table();
        return KDR_EXIT_OK;
    }
    json_t *array = json_array();
    for (int i = 0; i < KDR_METHOD_COUNT; i++)
        json_array_append_new(array, as_json(kdr_method_get((kdr_method)i)));
    if (json_print(array))
        return KDR_EXIT_OK;
    fault_set(&why, "methods: no memory for the JSON array, expected some");
    return fault_report(&why);
}
