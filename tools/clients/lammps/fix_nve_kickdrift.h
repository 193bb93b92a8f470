/* fix ID group-ID nve/kickdrift [arithmetic fused|unfused] [backend NAME]: LAMMPS' fix nve, velocity Verlet, by Kickdrift's passes.
 *
 * x, v and f are LAMMPS' own arrays, stepped where they are. Defaults: fused, and the best backend. With `unfused` the results have fix nve's
 * bits, where LAMMPS was compiled for a processor without fused multiply-add. Not for rRESPA. */
#ifndef FIX_NVE_KICKDRIFT_H
#define FIX_NVE_KICKDRIFT_H

#include <lammps/fix.h>

#include <kickdrift/kickdrift.h>

#include <cstdint>
#include <vector>

class FixNveKickdrift : public LAMMPS_NS::Fix {
  public:
    FixNveKickdrift(LAMMPS_NS::LAMMPS *lammps, int argc, char **argv);
    int setmask() override;
    void init() override;
    void initial_integrate(int) override;
    void final_integrate() override;
    void reset_dt() override;
    double memory_usage() override;

  private:
    void lend();
    double masses_of_all() const;
    void check(kdr_status status, const kdr_error &failure);

    kdr_pass_options options;
    double kick_step, drift_step; /* dt/2 in the units of force over mass; dt */
    double only_mass;             /* of every atom; 0: they differ */
    kdr_particles view;           /* what one call of LAMMPS finds in its arrays */
    double h;                     /* the kick's step, */
    void *a[3];                   /* for these accelerations: f itself, where there is one mass */
    std::vector<double> scaled;   /* else (kick_step / mass) f, for a step of 1 */
    std::vector<uint8_t> moves;   /* where the group is not all atoms: a mark for each component of each atom */
};

/* Makes the style known to one LAMMPS; to be called again after its command `clear`. */
void register_fix_nve_kickdrift(LAMMPS_NS::LAMMPS *lammps);

#endif
