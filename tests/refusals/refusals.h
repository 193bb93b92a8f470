/* A world of arguments for every public function that can fail. All arrays, views, descriptions and outputs are in one structure, so that a
 * single comparison of bytes shows whatever a refused call has changed. */
#ifndef KDR_TESTS_REFUSALS_H
#define KDR_TESTS_REFUSALS_H

#include <kickdrift/check.h>
#include <kickdrift/io.h>

#include "../support.h"

enum { COUNT = 8, FILE_NAME = 80 };

/* Every array that a view can have. */
typedef struct arrays {
    double x[3][COUNT], v[3][COUNT], inverse_mass[COUNT], radius[COUNT], memory[3][COUNT], compensation[6][COUNT];
    double dissipated_energy[2][COUNT], error[COUNT];
    uint64_t id[COUNT];
    uint32_t bounces[COUNT], nonconverged[COUNT];
    int32_t images[3][COUNT];
    uint8_t active[COUNT], level[COUNT], watched[COUNT];
    kdr_contact contact[2];
    kdr_contacts contacts;
    kdr_event event[2];
    kdr_events events;
} arrays;

/* Arguments that are replaced by NULL in a spoiled call. */
enum {
    NO_PARTICLES = 1,
    NO_TO = 2,
    NO_CLOCK = 4,
    NO_DESC = 8,
    NO_OUTPUT = 16,
    NO_HANDLE = 32,
    NO_OPTIONS = 64,
    NO_WORKSPACE = 128,
    NO_ARRAYS = 256,
    NO_NAME = 512,
    NO_PATH = 1024,
    NO_STATE = 2048,
    NO_SECOND_ARRAYS = 4096,
    NO_LAST = 4096
};

/* The outputs of calls. All of them are filled with a pattern before. */
typedef struct outputs {
    kdr_integrator *integrator;
    kdr_system *system;
    kdr_pairs *pairs;
    kdr_pair_map *map;
    kdr_distance_constraints *distances;
    kdr_checkpoint_writer *writer;
    kdr_trajectory *trajectory;
    kdr_stream *stream;
    const kdr_custom_field *field;
    kdr_particles particles;
    kdr_workspace workspace;
    kdr_checkpoint checkpoint;
    kdr_trajectory_info trajectory_info;
    kdr_stream_info stream_info;
    kdr_check_report check_report;
    kdr_frame frame;
    kdr_pass_options options;
    kdr_backend_info backend_info;
    kdr_observables observables;
    kdr_sums blocks[2], total;
    kdr_difference difference;
    kdr_executor executor;
    kdr_digest_state digest_state;
    kdr_fingerprint_state fingerprint_state;
    int enumerator;
    double number[2];
    uint32_t sweeps;
    uint64_t word;
    size_t sizes[2];
    unsigned char bytes[8192];
} outputs;

typedef struct world {
    arrays own, other;
    double a[3][COUNT], second[3][COUNT], start[3][COUNT], mu[COUNT], each[COUNT];
    kdr_particles particles, to;
    kdr_clock clock;
    kdr_force forces[2];
    kdr_collider collider;
    kdr_constraint constraint;
    kdr_watch watch;
    kdr_tableau tableau;
    kdr_fractions fractions;
    kdr_substeps substeps;
    kdr_distance distance;
    kdr_pair_spring spring;
    kdr_interaction interactions[2];
    kdr_integrator_desc integrator_desc;
    kdr_system_desc system_desc;
    kdr_pairs_desc pairs_desc;
    kdr_distance_constraints_desc distances_desc;
    kdr_particles_desc create;
    kdr_trajectory_desc trajectory_desc;
    kdr_stream_desc stream_desc;
    kdr_check_desc check_desc;
    kdr_pass_options options;
    kdr_gravity gravity;
    kdr_workspace workspace;
    kdr_digest_state digest_state;
    kdr_fingerprint_state fingerprint_state;
    kdr_sums sums;
    kdr_abi_row row;
    kdr_allocator allocator;
    double fraction, h, dt, box[3], observables[2];
    uint64_t steps, frame;
    size_t begin, at, length, blocks;
    int index, enumerator, threads;
    unsigned without;
    char name[24], path[FILE_NAME], to_path[FILE_NAME];
    /* These objects are the library's, made before the arguments are spoiled. */
    kdr_integrator *integrator;
    kdr_system *system;
    kdr_pairs *pairs;
    kdr_pair_map *map;
    kdr_distance_constraints *distances;
    kdr_checkpoint checkpoint;
    kdr_checkpoint_writer *writer;
    kdr_trajectory *trajectory;
    kdr_stream *stream;
    void *room; /* memory of the workspace */
    outputs out;
} world;

/* An argument as a call gets it. */
#define GIVEN(w, what, pointer) ((w)->without & (what) ? NULL : (pointer))
#define PARTICLES GIVEN(w, NO_PARTICLES, &w->particles)
#define TO GIVEN(w, NO_TO, &w->to)
#define CLOCK GIVEN(w, NO_CLOCK, &w->clock)
#define DESC(member) GIVEN(w, NO_DESC, &w->member)
#define OUT(member) GIVEN(w, NO_OUTPUT, &w->out.member)
#define HANDLE(member) GIVEN(w, NO_HANDLE, w->member)
#define OPTIONS GIVEN(w, NO_OPTIONS, &w->options)
#define NAME GIVEN(w, NO_NAME, w->name)
#define PATH GIVEN(w, NO_PATH, w->path)
#define STATE(member) GIVEN(w, NO_STATE, &w->member)

/* Handles of files are made only for the rows that need them, because they take the longest. */
enum { NEEDS_FILE = 1, NEEDS_WRITER = 2, NEEDS_TRAJECTORY = 4, NEEDS_STREAM = 8, NEEDS_NO_ARRAYS = 16 };

/* A public function, and its call with the arguments of a world. */
typedef struct refusal_row {
    const char *name;
    kdr_status (*call)(world *w, kdr_error *error);
    unsigned needs;
    bool no_error; /* it has no kdr_error to fill */
} refusal_row;

extern const refusal_row refusal_calls[], refusal_calls_of_files[]; /* each ends with the name NULL */

extern char refusals_folder[]; /* the folder of a world's files */

/* Fills a world with valid arguments. */
void world_make(world *w, unsigned needs);
/* Frees everything that world_make or the call made. */
void world_free(world *w);
/* Makes mistake `number` of a list, and returns it in words; NULL at the end of the list. */
const char *world_spoil(world *w, int number);

#endif
