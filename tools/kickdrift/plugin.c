/* Opens fields in shared libraries. */
#include "plugin.h"
#include "host.h"

#include <kickdrift/kickdrift.h>

#include <io/files.h>
#include <stdio.h>

const kdr_custom_field *plugin_open(const char *path, char *why, size_t size) {
    char file[4096], reason[512]; /* a name without a slash means a file in the working directory, not a library of the system */
    snprintf(file, sizeof file, "%s%s", kdr_file_folder(path) > 0 ? "" : "./", path);
    void *const module = host_module(file, reason, sizeof reason);
    if (!module) {
        snprintf(why, size, "expected a module of kickdrift_add_field: %s", reason);
        return NULL;
    }
    const kdr_custom_field *const *const field = host_symbol(module, "kdr_custom_field_plugin");
    if (field && kdr_custom_field_name(*field)) {
        return *field;
    }
    snprintf(why, size, "expected a field compiled for Kickdrift %s, found %s in %s", kdr_version(),
             field ? "one for another version or build, to be compiled anew" : "none", file);
    host_module_close(module);
    return NULL;
}
