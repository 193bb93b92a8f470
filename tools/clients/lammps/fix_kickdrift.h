/* What fix nve/kickdrift and fix langevin/kickdrift share: their optional arguments, `arithmetic fused|unfused` and `backend NAME`, and the kick of
 * velocities by LAMMPS' forces.
 *
 * x, v and f are LAMMPS' own arrays, stepped where they are. Defaults: fused, and the best backend. Not for rRESPA. */
#ifndef FIX_KICKDRIFT_H
#define FIX_KICKDRIFT_H

#include "fix.h"

#include <kickdrift/kickdrift.h>

#include <cstdint>
#include <string>
#include <vector>

class FixKickdrift : public LAMMPS_NS::Fix {
  public:
    int setmask() override;
    void init() override;
    void final_integrate() override;
    void reset_dt() override;
    double memory_usage() override;

  protected:
    /* Arguments from `first` on are the optional ones. */
    FixKickdrift(LAMMPS_NS::LAMMPS *lammps, int argc, char **argv, int first);

    /* What makes velocities of forces: some pointers, made anew at each call, since LAMMPS moves its arrays, and atoms in them and between ranks. */
    void lend();
    int own_count() const;
    double mass_of(int i) const;

    [[noreturn]] void refuse(const std::string &why); /* on all ranks, with LAMMPS' error */
    void check(kdr_status status, const kdr_error &failure);

    kdr_pass_options options;
    double kick_step, drift_step; /* dt/2 in the units of force over mass; dt */
    kdr_particles components;     /* of x and v, one after the other: a kick or a drift does the same to each */
    double h;                     /* the kick's step, */
    void *a[3];                   /* for these accelerations: f itself, where there is one mass */

  private:
    double masses_of_all() const;

    double only_mass;           /* of every atom; 0: they differ */
    std::vector<double> scaled; /* else (kick_step / mass) f, for a step of 1 */
    std::vector<uint8_t> moves; /* where the group is not all atoms: a mark for each component of each atom */
};

#endif
