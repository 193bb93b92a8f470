/* `kickdrift methods`: prints the table of methods, or the program of one method. */
#include "commands.h"
#include "explain.h"
#include "json.h"
#include "option_rules.h"
#include "options.h"

#include <kickdrift/kickdrift.h>

#include <math.h>
#include <stdio.h>

typedef struct methods_options {
    bool json, masses, system;
    int program;                   /* the method whose program is printed; -1: the table is printed */
    int compose;                   /* kdr_composition */
    int real, arithmetic, backend; /* each -1 if not given; backend: KDR_BACKEND_AUTO if not given */
    uint64_t dims;                 /* 0: not given */
} methods_options;

static const value_type AXES = {value_parse_count, "1, 2 or 3", false, 1, 3, false, NULL};

static const option_row rows[] = {
    {"json", NULL, NULL, offsetof(methods_options, json), "print one JSON array"},
    {"program", "METHOD", &VALUE_METHOD, offsetof(methods_options, program), "print the operations of a step of one method instead"},
    {"compose", "NAME", &VALUE_COMPOSITION, offsetof(methods_options, compose), "the program's method is composed of substeps"},
    {"real", "REAL", &VALUE_REAL, offsetof(methods_options, real), "precision of the program, instead of f64"},
    {"arith", "ARITH", &VALUE_ARITHMETIC, offsetof(methods_options, arithmetic), "arithmetic of the program, instead of fused"},
    {"backend", "BACKEND", &VALUE_BACKEND, offsetof(methods_options, backend), "of the program, instead of KDR_BACKEND's or the best"},
    {"dims", "AXES", &AXES, offsetof(methods_options, dims), "axes of the program's particles, instead of 3"},
    {"masses", NULL, NULL, offsetof(methods_options, masses), "the program's particles have masses"},
    {"system", NULL, NULL, offsetof(methods_options, system), "print what goes with what in system runs instead, in Markdown"},
};
const options_spec kdr_methods_spec = {
    "methods",
    "",
    0,
    "Lists the methods, and what is known of each, and the compositions; or prints the program of one.",
    "order: of x and v for a(x, t), and for those a(x, v, t) that the method accepts (-: none; exact: JSON null); in brackets that of "
    "the embedded method which estimates the error of a step (JSON: order_estimate, 0 for none);\n"
    "evals: evaluations of the acceleration a step (and more at the start of a run);\n"
    "memory: keeps something besides x and v from step to step; compensated: accepts compensated runs;\n"
    "stability: the largest omega h that stays bounded on the undamped oscillator (JSON: 0 none, null unbounded);\n"
    "forces of v: which forces that depend on the velocity it accepts; affine: of other forces, those that are affine in x and v alone.\n"
    "composition: what `compose` makes of methods of order 2 that are reversible: so many substeps, and of which order the method is "
    "then.\n"
    "A program is that of a spring and a drag, for methods that accept no such drag of a spring and a magnetic field, or of a spring: "
    "tile, rows, specialised kernel, and the operations of a step with h for dt. `kickdrift run SCENE --explain` prints that of a scene.\n",
    rows,
    sizeof rows / sizeof rows[0]};

static json_t *order_as_json(int order) { return order == KDR_ORDER_EXACT ? json_null() : json_integer(order); }

static json_t *as_json(const kdr_method_info *m) {
    const kdr_family_info *f = kdr_family_get(m->family);
    return json_pack("{s:s, s:s, s:b, s:b, s:b, s:b, s:b, s:o, s:o, s:i, s:i, s:i, s:b, s:b, s:b, s:b, s:o, s:s, s:b, s:s, s:s}", "name",
                     m->name, "family", f->name, "system_runs", f->system_runs, "runs_back", f->runs_back, "velocities", f->velocities,
                     "heat_bath", f->heat_bath, "jacobian", f->jacobian, "order", order_as_json(m->order), "order_velocity",
                     order_as_json(m->order_velocity), "order_estimate", m->order_estimate, "evaluations", m->evaluations,
                     "start_evaluations", m->start_evaluations, "symplectic", m->symplectic, "reversible", m->reversible, "memory",
                     m->memory, "compensated", m->compensated, "stability", json_number(m->stability), "velocity_forces",
                     kdr_velocity_forces_name(m->velocity_forces), "affine", m->affine, "force_sees", m->force_sees, "source", m->source);
}

static const char *describe_stability(double limit, char *text, size_t size) {
    snprintf(text, size, "%.6g", limit);
    return limit == 0 ? "none" : isinf(limit) ? "unbounded" : text;
}

static void describe_order(int order, char *text, size_t size) {
    if (order == KDR_ORDER_EXACT) {
        snprintf(text, size, "exact");
    } else if (order == 0) {
        snprintf(text, size, "-");
    } else {
        snprintf(text, size, "%d", order);
    }
}

static void print_row(const kdr_method_info *m) {
    char order[16], velocity[16], orders[52], start[16] = "", evaluations[32], stability[32];
    describe_order(m->order, order, sizeof order);
    describe_order(m->order_velocity, velocity, sizeof velocity);
    snprintf(orders, sizeof orders, "%s, %s", order, velocity);
    if (m->order_estimate > 0) {
        snprintf(orders, sizeof orders, "%s, %s (%d)", order, velocity, m->order_estimate);
    }
    if (m->start_evaluations) {
        snprintf(start, sizeof start, " (+%d)", m->start_evaluations);
    }
    snprintf(evaluations, sizeof evaluations, "%2d%s", m->evaluations, start);
    printf("%-21s  %-12s  %-12s  %-7s  %-10s  %-10s  %-6s  %-11s  %-9s  %s\n", m->name, kdr_family_get(m->family)->name, orders,
           evaluations, m->symplectic ? "yes" : "no", m->reversible ? "yes" : "no", m->memory ? "yes" : "no", m->compensated ? "yes" : "no",
           describe_stability(m->stability, stability, sizeof stability),
           m->affine ? "any, affine" : kdr_velocity_forces_name(m->velocity_forces));
}

static void print_text(const char *title, size_t offset) {
    printf("\n%-21s  %s\n", "method", title);
    for (int i = 0; i < KDR_METHOD_COUNT; ++i) {
        const kdr_method_info *m = kdr_method_get((kdr_method)i);
        printf("%-21s  %s\n", m->name, *(const char *const *)(const void *)((const char *)m + offset));
    }
}

static void print_table(void) {
    printf("%-21s  %-12s  %-12s  %-7s  %-10s  %-10s  %-6s  %-11s  %-9s  %s\n", "method", "family", "order", "evals", "symplectic",
           "reversible", "memory", "compensated", "stability", "forces of v");
    for (int i = 0; i < KDR_METHOD_COUNT; ++i) {
        print_row(kdr_method_get((kdr_method)i));
    }
    print_text("the force sees", offsetof(kdr_method_info, force_sees));
    print_text("source", offsetof(kdr_method_info, source));
    printf("\n%-21s  %-5s  %-8s  %s\n", "composition", "order", "substeps", "source");
    for (int i = KDR_COMPOSE_NONE + 1; i < KDR_COMPOSITION_COUNT; ++i) {
        const kdr_composition_info *c = kdr_composition_get((kdr_composition)i);
        printf("%-21s  %-5d  %-8d  %s\n", c->name, c->order, c->count, c->source);
    }
}

/* Makes an integrator of the method with the first of these fields that it accepts. */
static kdr_status create(const methods_options *o, kdr_integrator **made, kdr_error *error) {
    static const double none[3] = {0, 0, 0}, b[3] = {0, 0, 3};
    const kdr_force spring = kdr_force_spring(15, 0, 0, 0);
    const kdr_force fields[][2] = {{spring, kdr_force_drag(0.25, 0, 0, 0)}, {spring, kdr_force_electromagnetic(1, none, b)}, {spring}};
    static const size_t counts[] = {2, 2, 1};
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = (kdr_method)o->program;
    desc.compose = (kdr_composition)o->compose;
    desc.real = o->real < 0 ? KDR_F64 : (kdr_real)o->real;
    desc.arithmetic = o->arithmetic < 0 ? KDR_FUSED : (kdr_arithmetic)o->arithmetic;
    desc.backend = (kdr_backend)o->backend;
    if (kdr_family_get(kdr_method_get(desc.method)->family)->heat_bath) {
        desc.langevin = (kdr_langevin){.friction = 1, .temperature = 0.5, .seed = 1};
    }
    kdr_status status = KDR_OK;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        desc.forces = fields[i], desc.force_count = counts[i];
        status = kdr_integrator_create(&desc, made, error);
        if (status != KDR_ERROR_UNSUPPORTED) {
            break;
        }
    }
    return status;
}

static int print_program(const methods_options *o) {
    kdr_integrator *made = NULL;
    kdr_error error;
    fault why;
    if (create(o, &made, &error) != KDR_OK) {
        fault_set(&why, "methods: --program: %s", error.message);
        return fault_report(&why);
    }
    const bool good = explain_print(&(const motion){.integrator = made}, o->dims ? (int)o->dims : 3, o->masses, &why);
    kdr_integrator_destroy(made);
    return good ? KDR_EXIT_OK : fault_report(&why);
}

int kdr_methods_main(int argc, char **argv) {
    methods_options options = {.program = -1, .real = -1, .arithmetic = -1, .backend = KDR_BACKEND_AUTO};
    fault why;
    const int ended = options_begin(&kdr_methods_spec, argc, argv, &options, NULL, &why);
    if (ended >= 0) {
        return ended;
    }
    const bool wants_program = options.real >= 0 || options.arithmetic >= 0 || options.backend != KDR_BACKEND_AUTO || options.dims > 0 ||
                               options.masses || options.compose != KDR_COMPOSE_NONE;
    if (options.program < 0 && wants_program) {
        fault_set(&why, "methods: expected --program METHOD with --compose, --real, --arith, --backend, --dims and --masses");
        return fault_report(&why);
    }
    if (options.program >= 0 && options.json) {
        fault_set(&why, "methods: --json: a program is text, expected --program METHOD without it");
        return fault_report(&why);
    }
    if (options.system && (options.program >= 0 || options.json)) {
        fault_set(&why, "methods: --system: expected neither --program nor --json with it");
        return fault_report(&why);
    }
    if (options.system) {
        option_rules_print();
        return KDR_EXIT_OK;
    }
    if (options.program >= 0) {
        return print_program(&options);
    }
    if (!options.json) {
        print_table();
        return KDR_EXIT_OK;
    }
    json_t *array = json_array();
    for (int i = 0; i < KDR_METHOD_COUNT; ++i) {
        json_array_append_new(array, as_json(kdr_method_get((kdr_method)i)));
    }
    if (json_print(array)) {
        return KDR_EXIT_OK;
    }
    fault_set(&why, "methods: no memory for the JSON array, expected some");
    return fault_report(&why);
}
