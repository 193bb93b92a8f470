/* `plugin load` for a LAMMPS that was built without the package PLUGIN, as Debian's is. */
#ifndef KICKDRIFT_LAMMPS_HOST_H
#define KICKDRIFT_LAMMPS_HOST_H

#include "lammps.h"

#include <string>

/* Loads the file and adds its fixes to one LAMMPS. Call it again after LAMMPS' command `clear`. Returns false on failure, with the reason
 * in *why. */
bool load_plugin(const char *file, LAMMPS_NS::LAMMPS *lammps, std::string *why);

#endif
