/* fix ID group-ID nve/kickdrift [arithmetic fused|unfused] [backend NAME]: LAMMPS' fix nve, velocity Verlet, by Kickdrift's passes.
 *
 * With `unfused` the results have the bits of fix nve, if LAMMPS was compiled for a processor without fused multiply-add. */
#ifndef FIX_NVE_KICKDRIFT_H
#define FIX_NVE_KICKDRIFT_H

#include "fix_kickdrift.h"

class FixNveKickdrift : public FixKickdrift {
  public:
    FixNveKickdrift(LAMMPS_NS::LAMMPS *lammps, int argc, char **argv);
    void initial_integrate(int) override;
};

#endif
