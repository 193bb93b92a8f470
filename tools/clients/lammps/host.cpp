#include "host.h"
#include "modify.h"
#include "plugin.h"

#include <dlfcn.h>

#include <cstring>

using namespace LAMMPS_NS;

static void register_style(lammps_plugin *plugin, void *lammps) {
    if (strcmp(plugin->style, "fix") == 0) {
        Modify *const modify = static_cast<LAMMPS *>(lammps)->modify;
        (*modify->fix_map)[plugin->name] = reinterpret_cast<Modify::FixCreator>(plugin->create.of_arguments);
    }
}

bool load_plugin(const char *file, LAMMPS *lammps, std::string *why) {
    void *const handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    void *const init = handle ? dlsym(handle, "lammpsplugin_init") : nullptr;
    if (!init) {
        const char *const said = dlerror();
        *why = std::string(file) + ": not a LAMMPS plugin: " + (said ? said : "lammpsplugin_init is NULL");
        return false;
    }
    reinterpret_cast<lammps_plugin_init *>(init)(lammps, handle, reinterpret_cast<void *>(register_style));
    return true;
}
