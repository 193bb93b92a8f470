/* What `kickdrift run` and `kickdrift resume` hold between them: run.c reads what is asked for, run_steps.c takes the steps, run_print.c prints the
 * results, run_checkpoint.c keeps what a later process goes on from, run_stream.c is a run of its own kind. */
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
    int method, compose, real, arithmetic, backend; /* -1: as the scene says; backend: KDR_BACKEND_AUTO */
    uint64_t threads, steps;                        /* steps UINT64_MAX: as the scene says */
    double dt;                                      /* 0: as the scene says */
    uint64_t halvings;                              /* 0: not asked for */
    const char *out, *checkpoint;                   /* NULL: not asked for, and as the scene says */
    bool json, explain, error, no_modules;
} run_options;

/* What has been found on the way: a process that goes on from a checkpoint has it from there. */
typedef struct run_record {
    uint64_t evaluations;
    double seconds;
    kdr_observables first;
    double largest_error;
    uint64_t lost, lost_step;                   /* the first non-finite particle, the count when there is none; when it was noticed */
    uint64_t events[KDR_MAX_WATCHES], contacts; /* of each watch; those that are written down */
} run_record;

/* The files that a run writes on its way: the trajectory, and those of records. */
enum { RUN_FILES = 1 + RECORDS_FILES };

/* Sets of arrays of particles, by their numbers in a checkpoint. */
enum {
    SLICE_STATE = 0x3f, /* x, v */
    SLICE_MASS = 1 << 6,
    SLICE_MEMORY = 1 << 7, /* of the first axis */
    SLICE_ID = 1 << 16,
    SLICE_UNSOLVED = 1 << 17,
    SLICE_IMAGES = 7 << 20,
    SLICE_RADIUS = 1 << 23,
    SLICE_ALL = 0xffffff
};

/* Takes a slice of the particles; false, with the run's fault set, stops. */
typedef bool slice_taker(void *context, const population *slice);
typedef bool chunk_taker(void *context, const population *of, const frames_chunk *chunk);

/* The particles of whose steps an implicit method has not solved the equation of some: how many, and of the first its number, id and steps. */
typedef struct run_unsolved {
    size_t count, first;
    uint64_t id;
    uint32_t steps;
} run_unsolved;

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
    void *sampled_state; /* x, v and images of the particles at a time between two steps */
    void *errors;        /* with --error, of a method that estimates its own: one a particle */
    run_error error;
    convergence convergence;
    progress bar;
    run_record record;
    kdr_observables last;
    uint64_t absorbed, fingerprint, lost_id;
    run_unsolved unsolved;
    uint64_t asked;               /* steps, of a run that a watch has ended before; else 0 */
    double stretch, along;        /* of the worst rods at the end, as kdr_distances_worst tells them */
    bool reported;                /* the head of the reports is printed */
    char *checkpoint_path;        /* where checkpoints go; NULL: no memory */
    bool checkpoints;             /* they are asked for; else one is written when the run is stopped */
    uint64_t checkpoint_step;     /* of the latest; UINT64_MAX: none */
    double checkpoint_written;    /* when, in seconds of progress_now */
    int stopped;                  /* by which signal; 0: by none */
    bool refused;                 /* the library has refused to go on, and would again */
    ranks *ranks;                 /* who takes the steps; NULL: this process alone */
    kdr_particles_desc described; /* of a stream: what its particles are */
} run;

/* run.c */
run run_fresh(void);
bool run_apply_options(run *r);

/* A backend or thread count that cannot be had is no fault of the scene, and is looked at before it. */
bool run_choose_machine(run *r, kdr_backend *backend, kdr_executor *executor);
bool run_library_failed(run *r, const kdr_error *error);

/* This process has a slice of the particles, and other ranks have the rest. Hands over all, or what was sampled, slice by slice in their order, with the
 * arrays of a set at least: where this process has all, at once. */
bool run_is_sliced(const run *r);
bool run_each_slice(run *r, bool sampled, uint32_t arrays, slice_taker *take, void *context);

/* The state a fraction of a step after the clock, of this process's particles: made; and the particles in it. */
bool run_sample(run *r, double fraction);
population run_sampled(const run *r);

/* Opens the outputs; `marks` is how far each of RUN_FILES was written before, NULL: they are new. */
bool run_open_outputs(run *r, const outfile_mark *marks);

/* Takes the steps, and looks at the particles where a report or an output asks for it. At a signal it ends after a whole step, with a checkpoint and
 * r->stopped. */
bool run_all(run *r);
bool run_write_outputs(run *r);

/* run_stream.c: the run of a scene whose particles are in a stream, and its results; and what such a scene cannot have. */
int run_stream(run *r);
bool run_check_stream(run *r);

/* How far the energy is from that of the beginning, what colliders took being added. */
double run_relative_error(const run *r, const kdr_observables *now);

/* The times of output lie in the run, one behind the other; of one that is gone on with also behind the end, which may have come early. */
bool run_check_times(run *r, bool resumed);

/* Prints the results; the exit status. */
int run_summarise(run *r);
void run_print_head(const run *r);
void run_print_held(const run *r);
void run_print_energy(const run *r); /* and what colliders took */
void run_print_momentum(const run *r);
json_t *run_energy_json(const run *r);
json_t *run_dissipated_json(const run *r); /* NULL: there are no colliders */
const char *run_composition(const run *r); /* NULL: the method alone */

/* The options that a checkpoint keeps, of the table of `run`; NULL behind the last. */
const option_row *run_kept_option(size_t i);

/* Writes the run as it stands before it looks at the particles. */
bool run_write_checkpoint(run *r);

/* A run that is gone on with: what its checkpoint holds. Release with run_saved_release, which takes NULL too. */
typedef struct run_saved {
    kdr_stream *checkpoint; /* its particles, slice by slice */
    kdr_stream_info info;
    char *note;
    char *scene; /* the path of the scene's file, and its text, which is in the note */
    const char *text;
    size_t length;
    char *out; /* what options->out points to */
    run_record record;
    outfile_mark marks[RUN_FILES];
} run_saved;
bool run_read_checkpoint(run *r, const char *path, run_saved *saved);
void run_saved_release(run_saved *saved);

/* The command that goes on, for a shell; to be freed. NULL: no memory. */
char *run_resume_command(const char *path);

#endif
