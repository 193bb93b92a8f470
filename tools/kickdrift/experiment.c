/* `kickdrift experiment`: runs one of the experiments and prints it as text or as JSON (the format is in experiments/report.h). */
#include "../experiments/experiments.h"
#include "commands.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

typedef struct experiment_options {
    bool json, quick;
} experiment_options;

static const option_row rows[] = {
    {"json", NULL, NULL, offsetof(experiment_options, json), "print one JSON object: claims, tables and series to draw"},
    {"quick", NULL, NULL, offsetof(experiment_options, quick), "shorten the long ones: a tenth of the steps, fewer points"},
};

const options_spec kdr_experiment_spec = {
    "experiment",
    "NAME",
    1,
    "Does an experiment that the sources describe, with every method, and compares claims and measurements.",
    "NAME: one that `kickdrift experiment list` names. tools/dev experiments does all of them and draws the pictures.\n",
    rows,
    sizeof rows / sizeof rows[0]};

static const char *name_at(const void *context, size_t i) {
    (void)context;
    return experiments[i].name;
}

const char *kdr_experiment_argument(int i) { return i == 0 ? "list" : experiments[i - 1].name; }

static int print_list(bool json) {
    fault why;
    json_t *array = json ? json_array() : NULL;
    for (const experiment *e = experiments; e->name; ++e) {
        if (json) {
            json_array_append_new(array, json_pack("{s:s, s:s}", "name", e->name, "title", e->title));
        } else {
            printf("%-12s  %s\n", e->name, e->title);
        }
    }
    if (!json || json_print(array)) {
        return KDR_EXIT_OK;
    }
    fault_set(&why, "experiment: no memory for the JSON array, expected some");
    return fault_report(&why);
}

static const experiment *find(const char *name) {
    const experiment *e = experiments;
    while (e->name && strcmp(e->name, name) != 0) {
        ++e;
    }
    return e->name ? e : NULL;
}

static int measure(const experiment *e, const experiment_options *options) {
    report r;
    report_begin(&r, e->name, e->title, options->quick);
    e->measure(&r);
    int status = KDR_EXIT_OK;
    if (r.failed) {
        status = fault_report(&r.why);
    } else if (!options->json) {
        report_print(&r);
    } else if (!json_print(json_incref(r.object))) {
        fault_set(&r.why, "experiment: no memory for the JSON object, expected some");
        status = fault_report(&r.why);
    }
    report_end(&r);
    return status;
}

int kdr_experiment_main(int argc, char **argv) {
    experiment_options options = {false, false};
    const char *name;
    fault why;
    char text[64], hint[96];
    const int ended = options_begin(&kdr_experiment_spec, argc, argv, &options, &name, &why);
    if (ended >= 0) {
        return ended;
    }
    if (strcmp(name, "list") == 0) {
        return print_list(options.json);
    }
    const experiment *e = find(name);
    if (e) {
        return measure(e, &options);
    }
    fault_set(&why, "experiment: unknown experiment %s%s, expected one that kickdrift experiment list names",
              fault_quote(name, text, sizeof text), value_nearest(name_at, NULL, name, hint, sizeof hint));
    return fault_report(&why);
}
