/* The options of `kickdrift run` and `kickdrift resume`, with the texts of --help. */
#include "commands.h"
#include "run.h"

#include <string.h>

static const value_type HALVINGS = {value_parse_count, "a whole number from 1 to 10", false, 1, CONVERGE_MOST, false, NULL};

static const option_row rows[] = {
    {"method", "METHOD", &VALUE_METHOD, offsetof(run_options, method), "instead of the scene's"},
    {"compose", "NAME", &VALUE_COMPOSITION, offsetof(run_options, compose), "composition of the method, instead of the scene's"},
    {"real", "REAL", &VALUE_REAL, offsetof(run_options, real), "precision, instead of the scene's"},
    {"arith", "ARITH", &VALUE_ARITHMETIC, offsetof(run_options, arithmetic), "arithmetic, instead of the scene's"},
    {"backend", "BACKEND", &VALUE_BACKEND, offsetof(run_options, backend), "instead of KDR_BACKEND's or the best"},
    {"threads", "N", &VALUE_THREADS, offsetof(run_options, threads), "OpenMP threads, instead of one"},
    {"steps", "N", &VALUE_COUNT, offsetof(run_options, steps), "instead of the scene's"},
    {"dt", "H", &VALUE_STEP, offsetof(run_options, dt), "step, instead of the scene's; without --steps as many as take its time"},
    {"error", NULL, NULL, offsetof(run_options, error),
     "print what the error of x is, by the method's own estimate or a run of half the step"},
    {"converge", "N", &HALVINGS, offsetof(run_options, halvings),
     "run with the step, its half, ... N times, and print order and error; nothing else is written"},
    {"checkpoint", "FILE", &VALUE_TEXT, offsetof(run_options, checkpoint),
     "write what `kickdrift resume FILE` goes on from: at the start, as the scene's checkpoint.every says, at a signal and at the end"},
    {"out", "FILE.csv", &VALUE_TEXT, offsetof(run_options, out), "write id, state and mass at the end, with 17 significant digits"},
    {"no-modules", NULL, NULL, offsetof(run_options, no_modules),
     "refuse a scene that loads a module (forces.field), whose code would run"},
    {"json", NULL, NULL, offsetof(run_options, json), "print one JSON object instead of text"},
    {"explain", NULL, NULL, offsetof(run_options, explain),
     "print the operations of a step and its specialised kernel, and neither step nor write"},
};

const options_spec kdr_run_spec = {
    "run",
    "SCENE.yaml",
    1,
    "Steps the particles of a scene and prints energies, momentum, a fingerprint of the state and the rate.",
    "The scene names particles (a CSV file, states written inline, or random ones from a seed), forces, method, dt and "
    "steps; with `report` also energies on the way, with `output` states on the way. Exit status 1: a particle became "
    "infinite or NaN; the results are printed and written all the same.\n"
    "--error: of a method with an embedded one (dopri-5, rkn-4-3, dprkn-5, dprkn-6) the largest estimate of what one step adds to "
    "the error, of any particle and any step; of the others the error at the end, by a second run with half the step and the "
    "method's order. --converge: the error at the end, by the order that the runs themselves show. Neither knows what rounding "
    "does. `report` and `every` count steps, whatever their length.\n"
    "At SIGINT, SIGTERM, SIGHUP, SIGUSR1 or SIGUSR2 the run ends after a whole step, keeps the frames that it wrote, writes a "
    "checkpoint (SCENE.checkpoint where neither --checkpoint nor the scene's key names one) and prints the command that goes on.\n"
    "Started by mpirun it runs on all ranks of the job, with the same results and files; springs and rods without gravity, watch, "
    "contacts and --error are for one rank.\n",
    rows,
    sizeof rows / sizeof rows[0]};

static const option_row resume_rows[] = {
    {"steps", "N", &VALUE_COUNT, offsetof(run_options, steps), "of the whole run, instead of those that it was begun with"},
    {"backend", "BACKEND", &VALUE_BACKEND, offsetof(run_options, backend), "instead of KDR_BACKEND's or the best"},
    {"threads", "N", &VALUE_THREADS, offsetof(run_options, threads), "OpenMP threads, instead of one"},
    {"no-modules", NULL, NULL, offsetof(run_options, no_modules),
     "refuse a scene that loads a module (forces.field), whose code would run"},
    {"json", NULL, NULL, offsetof(run_options, json), "print one JSON object instead of text"},
};

const options_spec kdr_resume_spec = {
    "resume",
    "CHECKPOINT",
    1,
    "Goes on with a run from the checkpoint that it left, with the same options and output files.",
    "Results and files are those of the run that was never interrupted, to the bit, on any backend and number of threads, "
    "however often it was. The scene is the one in the checkpoint; files that it names are read again, and must be as they were.\n",
    resume_rows,
    sizeof resume_rows / sizeof resume_rows[0]};

const option_row *run_kept_option(size_t i) {
    static const char *const kept[] = {"method", "compose", "real", "arith", "dt", "error", "out"};
    for (size_t n = 0; i < sizeof kept / sizeof kept[0] && n < sizeof rows / sizeof rows[0]; ++n) {
        if (strcmp(rows[n].name, kept[i]) == 0) {
            return &rows[n];
        }
    }
    return NULL;
}
