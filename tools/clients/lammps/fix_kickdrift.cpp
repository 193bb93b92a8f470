#include "fix_kickdrift.h"

#include "atom.h"
#include "error.h"
#include "force.h"
#include "update.h"

#include <cstring>

using namespace LAMMPS_NS;

FixKickdrift::FixKickdrift(LAMMPS *lammps, int argc, char **argv, int first)
    : Fix(lammps, argc, argv), options(), kick_step(0), drift_step(0), components(kdr_particles_default()), h(0),
      a{nullptr, nullptr, nullptr}, only_mass(0) {
    kdr_arithmetic arithmetic = KDR_FUSED;
    kdr_backend backend = KDR_BACKEND_AUTO;
    for (int i = first; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        const bool good = strcmp(argv[i], "arithmetic") == 0 ? kdr_arithmetic_from_name(value, &arithmetic) == KDR_OK
                          : strcmp(argv[i], "backend") == 0  ? kdr_backend_from_name(value, &backend) == KDR_OK
                                                             : false;
        if (!good) {
            refuse(std::string(argv[i]) + " " + value + ", expected arithmetic fused, arithmetic unfused or backend NAME");
        }
    }
    kdr_error failure;
    const kdr_executor serial = {};
    if (kdr_pass_options_init(arithmetic, backend, serial, &options, &failure)) {
        refuse(failure.message);
    }
    dynamic_group_allow = 1;
    time_integrate = 1;
}

void FixKickdrift::refuse(const std::string &why) { error->all(FLERR, std::string("fix ") + style + ": " + why); }

void FixKickdrift::check(kdr_status status, const kdr_error &failure) {
    if (status) {
        error->one(FLERR, std::string("fix ") + style + ": " + failure.message);
    }
}

int FixKickdrift::setmask() { return FixConst::INITIAL_INTEGRATE | FixConst::FINAL_INTEGRATE; }

int FixKickdrift::own_count() const { return igroup == atom->firstgroup ? atom->nfirst : atom->nlocal; }

double FixKickdrift::mass_of(int i) const { return atom->rmass ? atom->rmass[i] : atom->mass[atom->type[i]]; }

double FixKickdrift::masses_of_all() const {
    for (int type = 2; !atom->rmass && type <= atom->ntypes; ++type) {
        if (atom->mass[type] != atom->mass[1]) {
            return 0;
        }
    }
    return atom->rmass ? 0 : atom->mass[1];
}

void FixKickdrift::init() {
    if (strstr(update->integrate_style, "respa")) {
        refuse("not for run_style respa");
    }
    reset_dt();
}

void FixKickdrift::reset_dt() {
    drift_step = update->dt;
    kick_step = 0.5 * update->dt * force->ftm2v;
    only_mass = masses_of_all();
}

void FixKickdrift::lend() {
    const int n = own_count();
    double *const f = n ? atom->f[0] : nullptr;
    components.count = 3 * (size_t)n;
    components.dims = 1;
    components.x[0] = n ? atom->x[0] : nullptr;
    components.v[0] = n ? atom->v[0] : nullptr;
    a[0] = f;
    h = only_mass > 0 ? kick_step / only_mass : 1;
    if (only_mass <= 0) {
        scaled.resize(components.count);
        for (int i = 0; i < n; ++i) {
            const double step = kick_step / mass_of(i);
            for (size_t k = 3 * (size_t)i; k < 3 * (size_t)i + 3; ++k) {
                scaled[k] = step * f[k];
            }
        }
        a[0] = scaled.data();
    }
    if (igroup != 0) {
        moves.resize(components.count);
        for (int i = 0; i < n; ++i) {
            memset(&moves[3 * (size_t)i], (atom->mask[i] & groupbit) != 0, 3);
        }
        components.active = moves.data();
        components.active_count = moves.size();
    }
}

void FixKickdrift::final_integrate() {
    kdr_error failure;
    lend();
    check(kdr_kick(&components, h, a, &options, &failure), failure);
}

double FixKickdrift::memory_usage() { return (double)(scaled.capacity() * sizeof(double) + moves.capacity()); }
