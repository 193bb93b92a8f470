/* Compares fix nve and fix nve/kickdrift on a Lennard-Jones melt. Usage: kickdrift-melt PLUGIN.so [options]; with mpirun for several ranks.
 * LAMMPS steps the melt with each fix from the same start. The program compares positions and velocities in the first steps and at the end,
 * the energy, and the time per step. Exit status: 0, 1 (they disagree), 2 (wrong arguments). */
#include "host.h"

#include <kickdrift/kickdrift.h>

#define LAMMPS_LIB_MPI /* lammps_open then takes a communicator */
#include "library.h"
#include "timer.h"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

using LAMMPS_NS::Timer;

struct Options {
    const char *plugin = nullptr;
    int cells = 8;      /* cells of a face-centred cubic lattice per axis; four atoms each */
    int early = 10;     /* number of steps that count as the first ones */
    int steps = 1000;   /* number of all steps */
    int repeat = 1;     /* how often the whole run is repeated; the least of the times counts */
    std::string masses; /* "two": there are atoms of two types, with masses 1 and 3 */
    std::string group;  /* "half": half the atoms do not move */
    double spoil = 0;   /* the time step of nve/kickdrift is longer by this fraction, which the comparison must find */
};

/* A fix in LAMMPS' language, and what must hold of it. */
struct Contestant {
    const char *fix;
    bool equal_bits; /* it has the bits of fix nve if neither compiler fused multiplications with additions */
};
const Contestant contestants[] = {
    {"nve", true},
    {"nve/kickdrift arithmetic unfused", true},
    {"nve/kickdrift arithmetic fused", false},
};
const int contestant_count = sizeof contestants / sizeof *contestants;

struct State {
    std::vector<double> x, v;
    double energy = 0;
};

struct Result {
    State start, early, end;
    double box = 0;
    int version = 0;          /* LAMMPS' version, as a date */
    double modify = INFINITY; /* seconds per step in fixes, on the slowest rank */
    double total = INFINITY;  /* seconds per step */
};

struct Closer {
    void operator()(void *lammps) const { lammps_close(lammps); }
};
typedef std::unique_ptr<void, Closer> Lammps;

State state_of(void *lammps) {
    const size_t n = (size_t)lammps_get_natoms(lammps) * 3;
    State s;
    s.x.resize(n), s.v.resize(n);
    char x[] = "x", v[] = "v";
    lammps_gather_atoms(lammps, x, 1, 3, s.x.data());
    lammps_gather_atoms(lammps, v, 1, 3, s.v.data());
    s.energy = lammps_get_thermo(lammps, "etotal");
    return s;
}

double slowest(double seconds) {
    double worst = 0;
    MPI_Allreduce(&seconds, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

void command(void *lammps, const std::string &line) { lammps_command(lammps, line.c_str()); }

/* Sets up the melt of LAMMPS' own benchmark: reduced density 0.8442, temperature 3 before it melts. The velocities depend on the atoms'
 * numbers, not on the ranks. */
void set_up(void *lammps, const Options &o, const Contestant &contestant) {
    const std::string side = std::to_string(o.cells);
    command(lammps, "units lj");
    command(lammps, "atom_style atomic");
    command(lammps, "atom_modify map array");
    command(lammps, "lattice fcc 0.8442");
    command(lammps, "region box block 0 " + side + " 0 " + side + " 0 " + side);
    command(lammps, o.masses == "two" ? "create_box 2 box" : "create_box 1 box");
    command(lammps, "create_atoms 1 box");
    command(lammps, "mass 1 1.0");
    if (o.masses == "two") {
        command(lammps, "mass 2 3.0");
        command(lammps, "set group all type/fraction 2 0.3 4711");
    }
    command(lammps, "velocity all create 3.0 87287 loop all");
    command(lammps, "pair_style lj/cut 2.5");
    command(lammps, "pair_coeff * * 1.0 1.0 2.5");
    command(lammps, "neighbor 0.3 bin");
    command(lammps, "neigh_modify every 20 delay 0 check no");
    command(lammps, "timestep 0.005");
    std::string group = "all";
    if (o.group == "half") {
        group = "moving";
        command(lammps, "region lower block INF INF INF INF INF " + std::to_string(o.cells / 2));
        command(lammps, "group moving region lower");
    }
    command(lammps, "fix step " + group + " " + contestant.fix);
}

bool run(const Options &o, const Contestant &contestant, Result *result) {
    char name[] = "melt", log[] = "-log", none[] = "none", screen[] = "-screen";
    char *arguments[] = {name, log, none, screen, none};
    const Lammps lammps(lammps_open(5, arguments, MPI_COMM_WORLD, nullptr));
    LAMMPS_NS::LAMMPS *const own = (LAMMPS_NS::LAMMPS *)lammps.get();
    std::string why;
    if (!load_plugin(o.plugin, own, &why)) {
        fprintf(stderr, "melt: %s\n", why.c_str());
        return false;
    }
    set_up(lammps.get(), o, contestant);
    command(lammps.get(), "run 0");
    result->version = lammps_version(lammps.get());
    result->start = state_of(lammps.get());
    result->box = lammps_get_thermo(lammps.get(), "lx");
    if (o.spoil != 0 && strcmp(contestant.fix, "nve") != 0) {
        char step[40];
        snprintf(step, sizeof step, "timestep %.17g", 0.005 * (1 + o.spoil));
        command(lammps.get(), step);
    }
    command(lammps.get(), "run " + std::to_string(o.early));
    result->early = state_of(lammps.get());
    command(lammps.get(), "run " + std::to_string(o.steps - o.early));
    result->end = state_of(lammps.get());
    const double taken = o.steps - o.early;
    result->modify = std::min(result->modify, slowest(own->timer->get_wall(Timer::MODIFY)) / taken);
    result->total = std::min(result->total, slowest(own->timer->get_wall(Timer::TOTAL)) / taken);
    return true;
}

/* Returns the largest distance between the positions of an atom in the two runs, in the periodic box. */
double apart(const std::vector<double> &a, const std::vector<double> &b, double box) {
    double most = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double d = a[i] - b[i];
        most = std::max(most, fabs(d - box * nearbyint(d / box)));
        most = std::isfinite(d) ? most : INFINITY;
    }
    return most;
}

bool same_bits(const State &a, const State &b) {
    return a.x.size() == b.x.size() && memcmp(a.x.data(), b.x.data(), a.x.size() * sizeof(double)) == 0 &&
           memcmp(a.v.data(), b.v.data(), a.v.size() * sizeof(double)) == 0;
}

/* Bounds on the differences of lengths and energies, in units of the potential. Measured after 10 steps: some units in the last place of a
 * coordinate, 9e-16 to 2e-15. From there on the two runs separate exponentially, to 1e-3 or so after 1000 steps. Their energies per atom,
 * 4.5 at the start, differ by at most 3e-5. Both lose 0.01 while the lattice melts, because the potential is cut off. Another bound checks
 * that atoms move at all. */
const double early_bound = 2e-14;
const double energy_bound = 3e-4;
const double drift_bound = 0.03;
const double least_motion = 0.05;

int compare(const Options &o, const Result *results, int ranks) {
    const Result &nve = results[0];
    const double moved = apart(nve.end.x, nve.start.x, nve.box);
    const size_t atoms = nve.start.x.size() / 3;
    int failures = !(moved >= least_motion);
    if (failures) {
        fprintf(stderr, "melt: no atom has moved by more than %.3g, expected %g\n", moved, least_motion);
    }
    printf("LAMMPS %d, kickdrift %s, %zu atoms, %d ranks, %d steps\n", nve.version, kdr_version(), atoms, ranks, o.steps);
    printf("%-34s  %-10s  %-10s  %-11s  %-11s  %-12s  %-9s\n", "fix", "apart: 10", "end", "energy: end", "drift", "fix, us/step",
           "of a step");
    for (int i = 0; i < contestant_count; ++i) {
        const Contestant &c = contestants[i];
        const Result &r = results[i];
        const double early = apart(r.early.x, nve.early.x, nve.box), end = apart(r.end.x, nve.end.x, nve.box);
        const double drift = r.end.energy - r.start.energy;
        const bool bits = same_bits(r.early, nve.early) && same_bits(r.end, nve.end);
        printf("%-34s  %-10.2g  %-10.2g  %-11.8f  %-11.2g  %-12.2f  %4.2f %%%s\n", c.fix, early, end, r.end.energy, drift, r.modify * 1e6,
               100 * r.modify / r.total,
               i == 0 ? ""
               : bits ? "  fix nve's bits"
                      : "");
        bool wrong = !(early <= early_bound) || !(fabs(drift) <= drift_bound) || !(fabs(r.end.energy - nve.end.energy) <= energy_bound);
#if defined(__x86_64__) && !defined(__FMA__)
        wrong = wrong || (c.equal_bits && !bits);
#endif
        if (wrong) {
            fprintf(stderr,
                    "melt: %s is not fix nve to rounding: apart by %.3g after %d steps (at most %.0e), energy %.10g, of nve %.10g (at most "
                    "%.0e "
                    "apart), drift %.3g (at most %g)%s\n",
                    c.fix, early, o.early, early_bound, r.end.energy, nve.end.energy, energy_bound, drift, drift_bound,
                    c.equal_bits && !bits ? ", other bits" : "");
            ++failures;
        }
    }
    return failures;
}

bool number(const char *text, int least, int *value) {
    char *end = nullptr;
    const long n = text ? strtol(text, &end, 10) : 0;
    if (!text || *end || end == text || n < least || n > 100000000) {
        return false;
    }
    *value = (int)n;
    return true;
}

bool parse(int argc, char **argv, Options *o) {
    if (argc < 2) {
        fprintf(stderr, "melt: expected PLUGIN.so and options\n");
        return false;
    }
    o->plugin = argv[1];
    for (int i = 2; i < argc; i += 2) {
        const std::string name = argv[i];
        const char *text = i + 1 < argc ? argv[i + 1] : nullptr;
        const std::string value = text ? text : "";
        const bool good = name == "--cells"    ? number(text, 2, &o->cells)
                          : name == "--early"  ? number(text, 1, &o->early)
                          : name == "--steps"  ? number(text, 2, &o->steps)
                          : name == "--repeat" ? number(text, 1, &o->repeat)
                          : name == "--masses" ? (o->masses = value) == "two"
                          : name == "--group"  ? (o->group = value) == "half"
                          : name == "--spoil"  ? (o->spoil = atof(value.c_str())) != 0
                                               : false;
        if (!good) {
            fprintf(stderr,
                    "melt: %s %s, expected --cells N, --early N, --steps N, --repeat N, --masses two, --group half or --spoil PART\n",
                    argv[i], value.c_str());
            return false;
        }
    }
    return o->early < o->steps;
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Options o;
    int status = 2;
    if (parse(argc, argv, &o)) {
        Result results[contestant_count];
        bool ran = true;
        for (int i = 0; i < o.repeat * contestant_count && ran; ++i) {
            ran = run(o, contestants[i % contestant_count], &results[i % contestant_count]);
        }
        status = !ran ? 2 : rank == 0 && compare(o, results, ranks) != 0;
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
