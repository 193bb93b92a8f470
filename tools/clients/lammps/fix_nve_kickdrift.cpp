#include "fix_nve_kickdrift.h"

/* The words "fix ID group style" come before the optional arguments. */
FixNveKickdrift::FixNveKickdrift(LAMMPS_NS::LAMMPS *lammps, int argc, char **argv) : FixKickdrift(lammps, argc, argv, 3) {}

void FixNveKickdrift::initial_integrate(int) {
    kdr_error failure;
    lend();
    check(kdr_kick_drift(&components, h, drift_step, a, &options, &failure), failure);
}
