/* fix ID group-ID langevin/kickdrift Tstart Tstop damp seed [arithmetic fused|unfused] [backend NAME]: Langevin dynamics by the splitting
 * BAOAB (Leimkuhler and Matthews, 2013), Kickdrift's method `baoab`.
 *
 * The arguments are those of LAMMPS' fix langevin: temperatures at the start and the end of the run, a time, a seed. Unlike fix langevin,
 * this fix also moves the atoms. A fix nve on the same atoms is an error.
 *
 * Noise is a function of (seed, atom ID, time step) alone. It does not depend on the number of ranks or the order of atoms, and a continued
 * or restarted run has the same noise. Two fixes with one seed give an atom the same noise. Atoms need IDs. Masses are per atom or per
 * type. In two dimensions, z has no noise. */
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

    double start, stop, damp; /* temperatures and a time, in LAMMPS' units */
    uint64_t seed;
    double temperature;   /* temperature in the integrator */
    kdr_integrator *bath; /* baoab without forces, which is drift, noise, drift */
    kdr_particles atoms;
    std::vector<double> inverse_masses;
    std::vector<uint64_t> ids;
    std::vector<uint8_t> marks; /* used if the group is not all atoms */
};

#endif
