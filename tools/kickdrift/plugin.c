/* Fields out of shared libraries. */
#include "plugin.h"

#include <kickdrift/kickdrift.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const kdr_custom_field *plugin_open(const char *path, char *why, size_t size) {
    char file[4096]; /* a name without a slash is one of the working directory, not one of the system's libraries */
    snprintf(file, sizeof file, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *const module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        snprintf(why, size, "expected a module of kickdrift_add_field: %s", dlerror());
        return NULL;
    }
    const kdr_custom_field *const *const field = dlsym(module, "kdr_custom_field_plugin");
    if (field && kdr_custom_field_name(*field)) {
        return *field;
    }
    snprintf(why, size, "expected a field compiled for Kickdrift %s, found %s in %s", kdr_version(),
             field ? "one for another version or build, to be compiled anew" : "none", file);
    dlclose(module);
    return NULL;
}
