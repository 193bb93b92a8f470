/* The base of fix nve/kickdrift and fix langevin/kickdrift: their optional arguments `arithmetic fused|unfused` and `backend NAME`, and the
 * kick of velocities by LAMMPS' forces.
 *
 * x, v and f are LAMMPS' own arrays, which are stepped in place. Defaults: fused, and the best backend. rRESPA is not supported. */
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
    /* Reads the optional arguments, from `first` on. */
    FixKickdrift(LAMMPS_NS::LAMMPS *lammps, int argc, char **argv, int first);

    /* Makes the view for the next kick from LAMMPS' pointers. It is called before each kick, because LAMMPS moves its arrays, and atoms
     * within them and between ranks. */
    void lend();
    int own_count() const;
    double mass_of(int i) const;

    [[noreturn]] void refuse(const std::string &why); /* ends the run with LAMMPS' error, on all ranks */
    void check(kdr_status status, const kdr_error &failure);

    kdr_pass_options options;
    double kick_step, drift_step; /* dt / 2 in the units of force over mass; dt */
    kdr_particles components;     /* all components of x and v, one after the other: a kick or a drift does the same to each */
    double h;                     /* step of the kick */
    void *a[3];                   /* accelerations of the kick; f itself if all masses are equal */

  private:
    double masses_of_all() const;

    double only_mass;           /* mass of all atoms; 0: masses differ */
    std::vector<double> scaled; /* if masses differ: (kick_step / mass) f, for a step of 1 */
    std::vector<uint8_t> moves; /* if the group is not all atoms: a mark for each component of each atom */
};

#endif
