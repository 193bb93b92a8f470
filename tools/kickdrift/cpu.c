/* `kickdrift cpu`: prints the processor, its instruction sets, the backends and the caches. */
#include "caches.h"
#include "commands.h"
#include "host.h"
#include "json.h"
#include "options.h"

#include <kickdrift/kickdrift.h>

#include <stdio.h>
#include <string.h>

typedef struct cpu_options {
    bool json;
} cpu_options;

static const option_row rows[] = {{"json", NULL, NULL, offsetof(cpu_options, json), "print one JSON object"}};
const options_spec kdr_cpu_spec = {
    "cpu",
    "",
    0,
    "Shows the processor, its instruction sets, the backends and the one that is chosen.",
    "Backends are chosen from what the processor has and the operating system saves; KDR_BACKEND forces one.\n",
    rows,
    1};

/* The processor features that the backends need, in the order of the backends. */
static const struct feature {
    const char *name;
    size_t offset;
} features[] = {
    {"sse2", offsetof(kdr_cpu, sse2)},
    {"avx", offsetof(kdr_cpu, avx)},
    {"avx2", offsetof(kdr_cpu, avx2)},
    {"fma", offsetof(kdr_cpu, fma)},
    {"avx512f", offsetof(kdr_cpu, avx512f)},
    {"avx512dq", offsetof(kdr_cpu, avx512dq)},
    {"os-ymm", offsetof(kdr_cpu, os_ymm)},
    {"os-zmm", offsetof(kdr_cpu, os_zmm)},
    {"neon", offsetof(kdr_cpu, neon)},
    {"simd128", offsetof(kdr_cpu, simd128)},
    {"relaxed-fused", offsetof(kdr_cpu, relaxed_fused)},
};
enum { FEATURE_COUNT = sizeof features / sizeof features[0] };

static bool has(const kdr_cpu *cpu, const struct feature *feature) { return *(const bool *)((const char *)cpu + feature->offset); }

static void print_json(const kdr_cpu *cpu, const char *chosen) {
    json_t *object = json_pack("{s:s, s:I, s:s, s:o, s:o, s:o}", "processor", cpu->name, "cores", (json_int_t)host_processors(), "chosen",
                               chosen, "features", json_object(), "backends", json_array(), "caches", json_array());
    for (int i = 0; i < FEATURE_COUNT; ++i) {
        json_object_set_new(json_object_get(object, "features"), features[i].name, json_boolean(has(cpu, &features[i])));
    }
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        if (kdr_backend_query((kdr_backend)b, &info) == KDR_OK) {
            json_array_append_new(json_object_get(object, "backends"),
                                  json_pack("{s:s, s:b, s:b, s:b, s:i, s:i, s:s}", "name", info.name, "compiled", info.compiled, "runnable",
                                            info.runnable, "fused_native", info.fused_native, "lanes_f32", info.lanes_f32, "lanes_f64",
                                            info.lanes_f64, "reason", info.reason));
        }
    }
    caches_row caches[MOST_CACHES];
    const int count = caches_read(caches);
    for (int i = 0; i < count; ++i) {
        json_array_append_new(json_object_get(object, "caches"), json_pack("{s:i, s:s, s:I}", "level", caches[i].level, "type",
                                                                           caches[i].type, "bytes", (json_int_t)caches[i].bytes));
    }
    json_print(object);
}

static void print_backends(const char *chosen) {
    bool chosen_fused = true;
    printf("\n%-8s  %-8s  %-8s  %5s  %5s  %s\n", "backend", "compiled", "runs", "f32", "f64", "fused");
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        if (kdr_backend_query((kdr_backend)b, &info) != KDR_OK) {
            continue;
        }
        const bool is_chosen = strcmp(info.name, chosen) == 0;
        if (is_chosen) {
            chosen_fused = info.fused_native;
        }
        printf("%-8s  %-8s  %-8s  %5d  %5d  %s%s%s%s\n", info.name, info.compiled ? "yes" : "no", info.runnable ? "yes" : "no",
               info.lanes_f32, info.lanes_f64, info.fused_native ? "by the processor" : "slow, without the instruction",
               is_chosen ? "  <- chosen" : "", *info.reason ? "  " : "", info.reason);
    }
    printf("\nf32 and f64 are particles a vector.\n");
    if (!chosen_fused) {
        printf("Here fused arithmetic is right but slow: unfused is the fast choice.\n");
    }
}

static void print_text(const kdr_cpu *cpu, const char *chosen) {
    printf("processor     %s\ncores         %d\nfeatures     ", cpu->name, host_processors());
    for (int i = 0; i < FEATURE_COUNT; ++i) {
        if (has(cpu, &features[i])) {
            printf(" %s", features[i].name);
        }
    }
    caches_row caches[MOST_CACHES];
    const int count = caches_read(caches);
    printf("\ncaches       %s", count ? "" : " unknown");
    for (int i = 0; i < count; ++i) {
        printf("%s L%d %.15g KiB", i ? "," : "", caches[i].level, (double)caches[i].bytes / 1024);
    }
    printf("\n");
    print_backends(chosen);
}

int kdr_cpu_main(int argc, char **argv) {
    cpu_options options = {false};
    fault why;
    const int ended = options_begin(&kdr_cpu_spec, argc, argv, &options, NULL, &why);
    if (ended >= 0) {
        return ended;
    }
    kdr_backend chosen;
    kdr_backend_info info;
    kdr_error error;
    if (kdr_backend_choose(KDR_BACKEND_AUTO, &chosen, &error) != KDR_OK || kdr_backend_query(chosen, &info) != KDR_OK) {
        fault_set(&why, "cpu: %s", error.message);
        return fault_report(&why);
    }
    kdr_cpu cpu;
    kdr_cpu_query(&cpu);
    if (options.json) {
        print_json(&cpu, info.name);
    } else {
        print_text(&cpu, info.name);
    }
    return KDR_EXIT_OK;
}
