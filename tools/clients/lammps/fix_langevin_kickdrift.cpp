#include "fix_langevin_kickdrift.h"

#include "atom.h"
#include "domain.h"
#include "force.h"
#include "modify.h"
#include "update.h"

#include <cmath>
#include <cstdlib>

using namespace LAMMPS_NS;

/* The words "fix ID group style" come first, then these arguments. */
enum { START = 3, STOP, DAMP, SEED, FIRST_OPTION };

static bool number(const char *text, double *value) {
    char *end = nullptr;
    *value = strtod(text, &end);
    return end != text && !*end && std::isfinite(*value);
}

FixLangevinKickdrift::FixLangevinKickdrift(LAMMPS *lammps, int argc, char **argv)
    : FixKickdrift(lammps, argc, argv, FIRST_OPTION), start(0), stop(0), damp(0), seed(0), temperature(-1), bath(nullptr),
      atoms(kdr_particles_default()) {
    if (argc < FIRST_OPTION) {
        refuse("expected Tstart Tstop damp seed, found " + std::to_string(argc - START) + " of them");
    }
    const struct {
        int at;
        const char *name, *expected;
        double *value;
        bool zero;
    } numbers[] = {{START, "Tstart", "a temperature, 0 or more", &start, true},
                   {STOP, "Tstop", "a temperature, 0 or more", &stop, true},
                   {DAMP, "damp", "a time above 0", &damp, false}};
    for (const auto &n : numbers) {
        if (!number(argv[n.at], n.value) || *n.value < 0 || (*n.value == 0 && !n.zero)) {
            refuse(std::string(n.name) + " " + argv[n.at] + ", expected " + n.expected);
        }
    }
    char *end = nullptr;
    seed = strtoull(argv[SEED], &end, 10);
    if (argv[SEED][0] < '0' || argv[SEED][0] > '9' || *end || std::to_string(seed) != argv[SEED]) {
        refuse(std::string("seed ") + argv[SEED] + ", expected a whole number from 0 to 18446744073709551615");
    }
    if (!atom->tag_enable) {
        refuse("atoms have no IDs, expected atom_modify id yes: noise follows them");
    }
}

FixLangevinKickdrift::~FixLangevinKickdrift() { kdr_integrator_destroy(bath); }

/* Refuses to run with a fix nve on the same atoms, which would move twice. Users of fix langevin are used to adding one. */
void FixLangevinKickdrift::refuse_second_integration() {
    for (int k = 0; k < modify->nfix; ++k) {
        const Fix *const other = modify->fix[k];
        int both = 0, any = 0;
        for (int i = 0; i < atom->nlocal && other != this && other->time_integrate; ++i) {
            both = both || ((atom->mask[i] & groupbit) && (atom->mask[i] & other->groupbit));
        }
        MPI_Allreduce(&both, &any, 1, MPI_INT, MPI_MAX, world);
        if (any) {
            refuse(std::string("fix ") + other->id + " " + other->style + " moves atoms of its group too, expected this fix alone");
        }
    }
}

void FixLangevinKickdrift::init() {
    FixKickdrift::init();
    if (update->dt <= 0) {
        refuse("timestep " + std::to_string(update->dt) + ", expected one above 0: friction does not run back");
    }
    refuse_second_integration();
    make(start);
}

void FixLangevinKickdrift::make(double wanted) {
    if (wanted == temperature) {
        return;
    }
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = KDR_BAOAB;
    desc.arithmetic = options.arithmetic;
    desc.backend = options.backend;
    desc.langevin.friction = 1 / damp;
    desc.langevin.temperature = force->boltz * wanted / force->mvv2e;
    desc.langevin.seed = seed;
    kdr_integrator *made = nullptr;
    kdr_error failure;
    check(kdr_integrator_create(&desc, &made, &failure), failure);
    kdr_integrator_destroy(bath);
    bath = made;
    temperature = wanted;
}

/* Returns the temperature at this time step, linear in time over the run, as in fix langevin. */
double FixLangevinKickdrift::target() const {
    const double all = (double)(update->endstep - update->beginstep), gone = (double)(update->ntimestep - update->beginstep);
    return all > 0 ? start + gone / all * (stop - start) : start;
}

void FixLangevinKickdrift::lend_atoms() {
    const size_t n = (size_t)own_count();
    inverse_masses.resize(n);
    ids.resize(n);
    marks.resize(igroup != 0 ? n : 0);
    for (size_t i = 0; i < n; ++i) {
        inverse_masses[i] = 1 / mass_of((int)i);
        ids[i] = (uint64_t)atom->tag[i];
    }
    for (size_t i = 0; i < marks.size(); ++i) {
        marks[i] = (atom->mask[i] & groupbit) != 0;
    }
    atoms.count = n;
    atoms.dims = domain->dimension;
    for (int axis = 0; axis < 3 && n > 0; ++axis) {
        atoms.x[axis] = atom->x[0] + axis;
        atoms.v[axis] = atom->v[0] + axis;
    }
    atoms.x_layout.stride = atoms.v_layout.stride = 3 * sizeof(double);
    atoms.inverse_mass = inverse_masses.data();
    atoms.id = ids.data();
    atoms.active = marks.empty() ? nullptr : marks.data();
    atoms.active_count = marks.size();
}

void FixLangevinKickdrift::initial_integrate(int) {
    kdr_error failure;
    lend();
    check(kdr_kick(&components, h, a, &options, &failure), failure);
    make(target());
    lend_atoms();
    kdr_clock clock = {0, update->dt, (uint64_t)(update->ntimestep - 1)};
    check(kdr_integrator_run(bath, &atoms, &clock, 1, &failure), failure);
}

double FixLangevinKickdrift::memory_usage() {
    return FixKickdrift::memory_usage() +
           (double)(inverse_masses.capacity() * sizeof(double) + ids.capacity() * sizeof(uint64_t) + marks.capacity());
}
