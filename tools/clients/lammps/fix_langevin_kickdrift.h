/* fix ID group-ID langevin/kickdrift Tstart Tstop damp seed [arithmetic fused|unfused] [backend NAME]: Langevin dynamics by the splitting BAOAB
 * (Leimkuhler and Matthews, 2013), Kickdrift's method `baoab`.
 *
 * The arguments are those of LAMMPS' fix langevin: temperatures at the run's start and end, a time, a seed. Unlike it, this fix moves the atoms,
 * and no fix nve goes beside it on the same atoms: that is an error. Noise is a function of (seed, atom ID, time step) alone, so that it depends
 * neither on the number of ranks nor on the order of atoms, and goes on where a run is continued or restarted; two fixes of one
 * seed give an atom the same noise. Atoms need IDs; masses are theirs or their types'. In two dimensions the third has no noise. */
#ifndef FIX_LANGEVIN_KICKDRIFT_H
#define FIX_LANGEVIN_KICKDRIFT_H

#include "fix_kickdrift.h"

class FixLangevinKickdrift : public FixKickdrift {
  public:
    FixLangevinKickdrift(LAMMPS_NS::LAMMPS *lammps, int argc, char **argv);
    ~FixLangevinKickdrift() override;
    void init() override;
    void initial_integrate(int) override;
    double memory_usage() override;

  private:
    double target() const;
    void make(double temperature);
    void refuse_second_integration();
    void lend_atoms();

    double start, stop, damp; /* temperatures, a time: in LAMMPS' units */
    uint64_t seed;
    double temperature;   /* the integrator's */
    kdr_integrator *bath; /* baoab without forces: drift, noise, drift */
    kdr_particles atoms;
    std::vector<double> inverse_masses;
    std::vector<uint64_t> ids;
    std::vector<uint8_t> marks; /* where the group is not all atoms */
};

#endif
