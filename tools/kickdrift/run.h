/* Shared by the parts of `kickdrift run` and `kickdrift resume`: run.c reads the request, run_steps.c takes the steps, run_print.c prints
 * the results, run_checkpoint.c saves what a later process continues from, run_stream.c runs scenes with `stream`. */
#ifndef KICKDRIFT_TOOLS_RUN_H
#define KICKDRIFT_TOOLS_RUN_H

#include "converge.h"
#include "frames.h"
#include "json.h"
#include "motion.h"
#include "options.h"
#include "population.h"
#include "progress.h"
#include "records.h"

typedef struct run_options {
    int method, compose, real, arithmetic, backend; /* each -1: as the scene says; backend: KDR_BACKEND_AUTO */
    uint64_t threads, steps;                        /* steps UINT64_MAX: as the scene says */
    double dt;                                      /* 0: as the scene says */
    uint64_t halvings;                              /* 0: not wanted */
    const char *out, *checkpoint;                   /* NULL: as the scene says */
    bool json, explain, error, no_modules;
} run_options;

/* Results so far. A process that continues from a checkpoint reads them from there. */
typedef struct run_record {
    uint64_t evaluations;
    double seconds;
    kdr_observables first;
    double largest_error;
    uint64_t lost, lost_step; /* first non-finite particle, or the particle count if there is none; the step when it was seen */
    uint64_t events[KDR_MAX_WATCHES], contacts; /* number of events of each watch, and of contacts, that were written */
} run_record;

/* The files that a run writes on its way: the trajectory, and the files of records. */
enum { RUN_FILES = 1 + RECORDS_FILES };

/* Sets of arrays of particles: bit n is array n of a checkpoint. */
enum {
    SLICE_STATE = 0x3f, /* x, v */
    SLICE_MASS = 1 << 6,
    SLICE_MEMORY = 1 << 7, /* one bit, for the first axis */
    SLICE_ID = 1 << 16,
    SLICE_NONCONVERGED = 1 << 17,
    SLICE_IMAGES = 7 << 20,
    SLICE_RADIUS = 1 << 23,
    SLICE_ALL = 0xffffff
};

/* Takes a slice of the particles. Returns false, with the run's fault set, to stop. */
typedef bool slice_taker(void *context, const population *slice);
typedef bool chunk_taker(void *context, const population *of, const frames_chunk *chunk);

/* The particles for which an implicit method did not solve the equation of some step: their number, and index, id and step count of the
 * first. */
typedef struct run_nonconverged {
    size_t count, first;
    uint64_t id;
    uint32_t steps;
} run_nonconverged;

typedef struct ranks ranks;

/* Everything a run holds; released by run_close. */
typedef struct run {
    run_options options;
    const char *file;
    fault why;
    scene scene;
    population population;
    motion motion;
    kdr_clock clock;
    uint64_t last_step;
    outfile out;
    frames frames;
    char *frames_path;
    records records;
    void *sampled_state; /* room for x, v and images of the particles at a time between two steps */
    void *errors;        /* with --error, if the method estimates its own error: one value per particle */
    run_error error;
    convergence convergence;
    progress bar;
    run_record record;
    kdr_observables last;
    uint64_t absorbed, fingerprint, lost_id;
    run_nonconverged nonconverged;
    uint64_t asked; /* the number of steps that was asked for if a watch has ended the run before; otherwise 0 */
    double stretch,
        along;     /* worst position and velocity errors of the rods at the end, as kdr_distance_constraints_max_violation gives them */
    bool reported; /* the head of the table of reports has been printed */
    char *checkpoint_path;        /* path for checkpoints; NULL: no memory */
    bool checkpoints;             /* checkpoints are wanted; otherwise one is written only if the run is stopped */
    uint64_t checkpoint_step;     /* step of the latest checkpoint; UINT64_MAX: none */
    double checkpoint_written;    /* when it was written, in seconds of progress_now */
    int stopped;                  /* the signal that stopped the run; 0: none */
    bool refused;                 /* the library has refused to continue, and would again */
    ranks *ranks;                 /* the ranks that take the steps; NULL: this process alone */
    kdr_particles_desc described; /* for a stream: the description of its particles */
} run;

/* The functions below are in run.c. */
run run_fresh(void);
bool run_apply_options(run *r);

/* Chooses backend and threads. It is called before the scene is read, because a wrong choice is no fault of the scene. */
bool run_choose_machine(run *r, kdr_backend *backend, kdr_executor *executor);
bool run_library_failed(run *r, const kdr_error *error);

/* run_is_sliced returns true if this process has only a slice of the particles. run_each_slice hands over all particles, or their sampled
 * state, in order: slice by slice, or at once if this process has all. They have at least the arrays of the set. */
bool run_is_sliced(const run *r);
bool run_each_slice(run *r, bool sampled, uint32_t arrays, slice_taker *take, void *context);

/* run_sample computes the state at a fraction of a step after the clock, for this process's particles; run_sampled returns it. */
bool run_sample(run *r, double fraction);
population run_sampled(const run *r);

/* Opens the outputs. `marks` says how far an earlier process wrote each of RUN_FILES; NULL: they are new. */
bool run_open_outputs(run *r, const outfile_mark *marks);

/* run_all takes all steps, and looks at the particles when a report or an output is due. After a signal it ends with a complete step, a
 * checkpoint, and r->stopped set. */
bool run_all(run *r);
bool run_write_outputs(run *r);

/* run_stream runs a scene whose particles are in a stream, and prints the results. run_check_stream refuses what such a scene cannot
 * have. */
int run_stream(run *r);
bool run_check_stream(run *r);

/* Returns the relative change of the energy since the beginning. The energy that colliders took counts as kept. */
double run_relative_error(const run *r, const kdr_observables *now);

/* Checks that the times of output are increasing and lie within the run. For a resumed run they may also lie after its end, which a watch
 * may have moved. */
bool run_check_times(run *r, bool resumed);

/* Prints the results and returns the exit status. */
int run_summarise(run *r);
void run_print_head(const run *r);
void run_print_held(const run *r);
void run_print_energy(const run *r); /* also prints the energy that colliders took */
void run_print_momentum(const run *r);
json_t *run_energy_json(const run *r);
json_t *run_dissipated_energy_json(const run *r); /* returns NULL if there are no colliders */
const char *run_composition(const run *r);        /* returns NULL if the method is not composed */

/* Returns option i of those that a checkpoint keeps, from the table of `run`; NULL after the last. */
const option_row *run_kept_option(size_t i);

/* Writes a checkpoint of the state before the run looks at the particles. */
bool run_write_checkpoint(run *r);

/* The contents of the checkpoint from which a run continues. Release with run_saved_release, which accepts NULL. */
typedef struct run_saved {
    kdr_stream *checkpoint; /* gives the particles slice by slice */
    kdr_stream_info info;
    char *note;
    char *scene; /* the path of the scene's file, and its text, which the note contains */
    const char *text;
    size_t length;
    char *out; /* the text that options->out points to */
    run_record record;
    outfile_mark marks[RUN_FILES];
} run_saved;
bool run_read_checkpoint(run *r, const char *path, run_saved *saved);
void run_saved_release(run_saved *saved);

/* Returns the shell command that continues the run; to be freed. NULL: no memory. */
char *run_resume_command(const char *path);

#endif
