/* `plugin load` for a LAMMPS that was built without the package PLUGIN, as Debian's is. */
#ifndef KICKDRIFT_LAMMPS_HOST_H
#define KICKDRIFT_LAMMPS_HOST_H

#include "lammps.h"

#include <string>

/* Loads the file and makes its fixes known to one LAMMPS, to be called again after its command `clear`. False: *why says what was wrong. */
bool load_plugin(const char *file, LAMMPS_NS::LAMMPS *lammps, std::string *why);

#endif
