/* kickdriftplugin.so: with `plugin load kickdriftplugin.so`, LAMMPS has fix nve/kickdrift and fix langevin/kickdrift. */
#include "fix_langevin_kickdrift.h"
#include "fix_nve_kickdrift.h"
#include "plugin.h"

#if __has_include("version.h")
#include "version.h"
#else
#define LAMMPS_VERSION NULL
#endif

template <class F> static void *create(void *lammps, int argc, char **argv) {
    return static_cast<LAMMPS_NS::Fix *>(new F(static_cast<LAMMPS_NS::LAMMPS *>(lammps), argc, argv));
}

extern "C" __attribute__((visibility("default"))) void lammpsplugin_init(void *lammps, void *handle, void *register_style) {
    lammps_plugin_register *const add = reinterpret_cast<lammps_plugin_register *>(register_style);
    lammps_plugin plugin = {LAMMPS_VERSION, "fix", "nve/kickdrift", "velocity Verlet by Kickdrift", "the authors of Kickdrift", {}, handle};
    plugin.create.of_arguments = create<FixNveKickdrift>;
    add(&plugin, lammps);
    plugin.name = "langevin/kickdrift";
    plugin.info = "Langevin dynamics (BAOAB) by Kickdrift";
    plugin.create.of_arguments = create<FixLangevinKickdrift>;
    add(&plugin, lammps);
}
