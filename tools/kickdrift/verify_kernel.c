#include "verify_kernel.h"

#include "commands.h"
#include "host.h"

#include <kickdrift/check.h>
#include <kickdrift/kickdrift.h>

#include <inttypes.h>
#include <io/files.h>
#include <stdio.h>
#include <string.h>

typedef const kdr_check_desc *plugin_fn(void);

/* Returns the description in the library; NULL: there is none, and `why` says so. */
static const kdr_check_desc *open_kernel(const char *path, fault *why) {
    char file[4096], reason[512]; /* a name without a slash means a file in the working directory, not a library of the system */
    snprintf(file, sizeof file, "%s%s", kdr_file_folder(path) > 0 ? "" : "./", path);
    void *const module = host_module(file, reason, sizeof reason);
    if (!module) {
        fault_set(why, "verify: --kernel: expected a shared library with the function kdr_check_plugin: %s", reason);
        return NULL;
    }
    const void *const symbol = host_symbol(module, "kdr_check_plugin");
    plugin_fn *plugin;
    _Static_assert(sizeof plugin == sizeof symbol, "functions and data have addresses of one size");
    memcpy(&plugin, &symbol, sizeof plugin);
    const kdr_check_desc *const desc = symbol ? plugin() : NULL;
    if (!desc) {
        fault_set(why, "verify: --kernel: expected %s in %s, found %s", symbol ? "a description from kdr_check_plugin" : "kdr_check_plugin",
                  file, symbol ? "NULL" : "none");
        host_module_close(module);
    }
    return desc;
}

int verify_kernel(const char *path, uint64_t seed, uint64_t number, uint64_t threads, fault *why) {
    const kdr_check_desc *const given = open_kernel(path, why);
    if (!given) {
        return fault_report(why);
    }
    kdr_check_desc desc;
    kdr_check_report report;
    kdr_error error;
    char text[2048];
    if (given->size != sizeof desc) {
        fault_set(why, "verify: --kernel: expected a description of %zu bytes, as headers of %s have, got %zu", sizeof desc, kdr_version(),
                  given->size);
        return fault_report(why);
    }
    desc = *given;
    desc.seed = seed;
    desc.threads = threads ? (int)threads : desc.threads;
    if (number != VERIFY_ALL_CASES) {
        desc.first = number;
        desc.cases = 1;
    }
    const kdr_status status = kdr_check_kernel(&desc, &report, &error);
    if (status != KDR_OK) {
        fault_set(why, "verify: %s: %s", path, error.message);
        return fault_report(why);
    }
    printf("kickdrift %s verify, kernel %s, seed %" PRIu64 "\n%s", kdr_version(), path, seed,
           kdr_check_report_describe(&report, text, sizeof text));
    if (report.failed) {
        printf("replay: kickdrift verify --kernel %s --seed %" PRIu64 " --case %" PRIu64 "\n", path, seed, report.case_number);
    }
    return report.failed ? KDR_EXIT_FAILED : KDR_EXIT_OK;
}
