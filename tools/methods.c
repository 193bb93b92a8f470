/* kickdrift methods: the table of methods. */
#include "commands.h"
#include "json.h"
#include "options.h"

#include <kickdrift/kickdrift.h>

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
    "order: of x and v for a(x, t), and for a(x, v, t); evals: of the acceleration, a step (and at the start);\n"
    "stability: the largest omega h that stays bounded on the undamped oscillator.\n",
    rows,
    1};

static json_t *as_json(const kdr_method_info *m) {
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:b, s:b, s:b, s:f, s:s, s:s}", "name", m->name, "family", kdr_family_name(m->family),
                     "order", m->order, "order_velocity", m->order_velocity, "evaluations", m->evaluations, "start_evaluations",
                     m->start_evaluations, "symplectic", m->symplectic, "reversible", m->reversible, "memory", m->memory, "stability",
                     m->stability, "force_sees", m->force_sees, "source", m->source);
}

static void print_row(const kdr_method_info *m) {
    char order[16], evaluations[24];
    snprintf(order, sizeof order, "%d, %d", m->order, m->order_velocity);
    snprintf(evaluations, sizeof evaluations, m->start_evaluations ? "%d (+%d)" : "%d", m->evaluations, m->start_evaluations);
    printf("%-20s  %-12s  %-5s  %-7s  %-10s  %-10s  %-6s  %9.6g\n", m->name, kdr_family_name(m->family), order, evaluations,
           m->symplectic ? "yes" : "no", m->reversible ? "yes" : "no", m->memory ? "yes" : "no", m->stability);
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
    if (options.json) {
        json_t *array = json_array();
        for (int i = 0; i < KDR_METHOD_COUNT; i++)
            json_array_append_new(array, as_json(kdr_method_get((kdr_method)i)));
        json_print(array);
        return KDR_EXIT_OK;
    }
    printf("%-20s  %-12s  %-5s  %-7s  %-10s  %-10s  %-6s  %9s\n", "method", "family", "order", "evals", "symplectic", "reversible",
           "memory", "stability");
    for (int i = 0; i < KDR_METHOD_COUNT; i++)
        print_row(kdr_method_get((kdr_method)i));
    printf("\n");
    for (int i = 0; i < KDR_METHOD_COUNT; i++) {
        const kdr_method_info *m = kdr_method_get((kdr_method)i);
        printf("%s\n    the force sees: %s\n    source: %s\n", m->name, m->force_sees, m->source);
    }
    return KDR_EXIT_OK;
}
