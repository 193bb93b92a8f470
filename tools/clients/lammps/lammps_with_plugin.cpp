/* The program lmp with a plugin that is loaded before the script begins. Usage: kickdrift-lammps PLUGIN.so -in SCRIPT [options of lmp]. The
 * exit status is lmp's, or 2 if the plugin cannot be loaded. */
#include "host.h"
#include "input.h"

#include <cstdio>
#include <vector>

/* Runs the script on all ranks, through LAMMPS' library. */
static int run(int argc, char **argv) {
    LAMMPS_NS::LAMMPS lammps(argc, argv, MPI_COMM_WORLD);
    std::string why;
    if (!load_plugin(argv[0], &lammps, &why)) {
        fprintf(stderr, "kickdrift-lammps: %s\n", why.c_str());
        return 2;
    }
    lammps.input->file();
    return 0;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int status = 2;
    if (argc < 2) {
        fprintf(stderr, "kickdrift-lammps: expected PLUGIN.so -in SCRIPT, and what else lmp takes\n");
    } else {
        status = run(argc - 1, argv + 1);
    }
    MPI_Finalize();
    return status;
}
