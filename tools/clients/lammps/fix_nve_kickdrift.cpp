#include "fix_nve_kickdrift.h"

#include <lammps/atom.h>
#include <lammps/error.h>
#include <lammps/force.h>
#include <lammps/modify.h>
#include <lammps/update.h>

#include <cstring>
#include <string>

using namespace LAMMPS_NS;

FixNveKickdrift::FixNveKickdrift(LAMMPS *lammps, int argc, char **argv)
    : Fix(lammps, argc, argv), kick_step(0), drift_step(0), only_mass(0), view(kdr_particles_default()), h(0),
      a{nullptr, nullptr, nullptr} {
    kdr_arithmetic arithmetic = KDR_FUSED;
    kdr_backend backend = KDR_BACKEND_AUTO;
    /* "fix ID group style" come first. */
    for (int i = 3; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        const bool good = strcmp(argv[i], "arithmetic") == 0 ? kdr_arithmetic_from_name(value, &arithmetic) == KDR_OK
                          : strcmp(argv[i], "backend") == 0  ? kdr_backend_from_name(value, &backend) == KDR_OK
                                                             : false;
        if (!good) {
            error->all(FLERR, std::string("fix nve/kickdrift: ") + argv[i] + " " + value +
                                  ", expected arithmetic fused, arithmetic unfused or backend NAME");
        }
    }
    kdr_error failure;
    const kdr_executor serial = {};
    if (kdr_pass_options_choose(arithmetic, backend, serial, &options, &failure)) {
        error->all(FLERR, std::string("fix nve/kickdrift: ") + failure.message);
    }
    dynamic_group_allow = 1;
    time_integrate = 1;
}

int FixNveKickdrift::setmask() { return FixConst::INITIAL_INTEGRATE | FixConst::FINAL_INTEGRATE; }

double FixNveKickdrift::masses_of_all() const {
    for (int type = 2; !atom->rmass && type <= atom->ntypes; ++type) {
        if (atom->mass[type] != atom->mass[1]) {
            return 0;
        }
    }
    return atom->rmass ? 0 : atom->mass[1];
}

void FixNveKickdrift::init() {
    if (strstr(update->integrate_style, "respa")) {
        error->all(FLERR, std::string("fix nve/kickdrift: not for run_style respa"));
    }
    reset_dt();
}

void FixNveKickdrift::reset_dt() {
    drift_step = update->dt;
    kick_step = 0.5 * update->dt * force->ftm2v;
    only_mass = masses_of_all();
}

void FixNveKickdrift::check(kdr_status status, const kdr_error &failure) {
    if (status) {
        error->one(FLERR, std::string("fix nve/kickdrift: ") + failure.message);
    }
}

/* LAMMPS moves its arrays, and atoms in them and between ranks, so the view is made anew at each call: some pointers. Its x[n][3] lie one
 * after the other, and a kick or a drift does the same to every component: 3 n particles of one axis. */
void FixNveKickdrift::lend() {
    const int own = igroup == atom->firstgroup ? atom->nfirst : atom->nlocal;
    const size_t n = (size_t)own;
    double *const f = n ? atom->f[0] : nullptr;
    view.count = 3 * n;
    view.dims = 1;
    view.x[0] = n ? atom->x[0] : nullptr;
    view.v[0] = n ? atom->v[0] : nullptr;
    a[0] = f;
    h = only_mass > 0 ? kick_step / only_mass : 1;
    if (only_mass <= 0) {
        scaled.resize(3 * n);
        for (size_t i = 0; i < n; ++i) {
            const double step = kick_step / (atom->rmass ? atom->rmass[i] : atom->mass[atom->type[i]]);
            for (size_t k = 3 * i; k < 3 * i + 3; ++k) {
                scaled[k] = step * f[k];
            }
        }
        a[0] = scaled.data();
    }
    if (igroup != 0) {
        moves.resize(3 * n);
        for (size_t i = 0; i < n; ++i) {
            memset(&moves[3 * i], (atom->mask[i] & groupbit) != 0, 3);
        }
        view.active = moves.data();
        view.active_count = moves.size();
    }
}

void FixNveKickdrift::initial_integrate(int) {
    kdr_error failure;
    lend();
    check(kdr_kick_drift(&view, h, drift_step, a, &options, &failure), failure);
}

void FixNveKickdrift::final_integrate() {
    kdr_error failure;
    lend();
    check(kdr_kick(&view, h, a, &options, &failure), failure);
}

double FixNveKickdrift::memory_usage() { return (double)(scaled.capacity() * sizeof(double) + moves.capacity()); }

static Fix *create(LAMMPS *lammps, int argc, char **argv) { return new FixNveKickdrift(lammps, argc, argv); }

void register_fix_nve_kickdrift(LAMMPS *lammps) { (*lammps->modify->fix_map)["nve/kickdrift"] = create; }
