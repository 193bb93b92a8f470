/* Files, in a separate library, kickdrift-io: checkpoints, trajectories, and streams of more particles than memory holds. A run that
 * continues from a checkpoint has the bits of the uninterrupted run, on any machine. Files of older versions can be read. After a crash a
 * checkpoint is complete, the old or the new one.
 *
 * Trajectories are HDF5 files in the format H5MD 1.1. Without a thread-safe HDF5 use them from one thread at a time. */
#ifndef KICKDRIFT_IO_H
#define KICKDRIFT_IO_H

#include <kickdrift/system.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KDR_CHECKPOINT_VERSION = 1 };

/* The contents of a checkpoint file. kdr_checkpoint_release frees its arrays. */
typedef struct kdr_checkpoint {
    kdr_particles particles; /* contiguous arrays; NULL where the file has none */
    kdr_clock clock;
    uint64_t description; /* digest of the integrator or system run; 0: none */
    uint64_t seed;        /* of the heat bath */
    bool carried;         /* `memory` and `compensation` are valid */
    char library[16];     /* version that wrote the file */
    void *note;           /* `note_size` bytes, followed by a 0 */
    size_t note_size;
    void *storage; /* internal */
} kdr_checkpoint;

/* Writes all arrays of the particles in any layout, the clock, a digest of the integrator, and a note. Without an integrator any may read
 * the file, and memory_key is valid for this byte order only. Two processes must not write the same path. Errors: KDR_ERROR_FILE, and with
 * an integrator those of kdr_integrator_run. */
KDR_API kdr_status kdr_checkpoint_write(const char *path, const kdr_integrator *integrator, const kdr_particles *particles,
                                        const kdr_clock *clock, const void *note, size_t note_size, kdr_error *error);

/* Write a checkpoint of `count` particles in slices. `integrator` fits `first`, the first slice; `digest` is that of all
 * (kdr_integrator_digest_end). While kdr_checkpoint_needs_more returns true, add all slices in order. kdr_checkpoint_end completes the file
 * and frees the writer; until then the note is borrowed. Errors: those of kdr_checkpoint_write, KDR_ERROR_ARGUMENT, KDR_ERROR_OVERFLOW
 * (count), KDR_ERROR_MISMATCH (too many or missing elements). */
typedef struct kdr_checkpoint_writer kdr_checkpoint_writer;
KDR_API kdr_status kdr_checkpoint_begin(const char *path, const kdr_integrator *integrator, uint64_t digest, const kdr_particles *first,
                                        size_t count, const kdr_clock *clock, const void *note, size_t note_size,
                                        kdr_checkpoint_writer **writer, kdr_error *error);
KDR_API bool kdr_checkpoint_needs_more(const kdr_checkpoint_writer *writer);
KDR_API kdr_status kdr_checkpoint_add(kdr_checkpoint_writer *writer, const kdr_particles *slice, kdr_error *error);
KDR_API kdr_status kdr_checkpoint_end(kdr_checkpoint_writer *writer, kdr_error *error);

/* Reads a checkpoint. Without an integrator call kdr_checkpoint_check before a run. Errors: KDR_ERROR_FILE, KDR_ERROR_FORMAT, and those of
 * kdr_checkpoint_check. */
KDR_API kdr_status kdr_checkpoint_read(const char *path, const kdr_integrator *integrator, kdr_checkpoint *checkpoint, kdr_error *error);

/* Checks that a checkpoint fits an integrator, and sets its memory_key. Errors: KDR_ERROR_MISMATCH, and those of kdr_integrator_run. */
KDR_API kdr_status kdr_checkpoint_check(kdr_checkpoint *checkpoint, const kdr_integrator *integrator, kdr_error *error);

/* Do the same for system runs. `system` must not be NULL. User-defined functions are compared only as present or absent. Errors: the same,
 * with kdr_system_check in place of kdr_integrator_run. */
KDR_API kdr_status kdr_checkpoint_write_system(const char *path, const kdr_system *system, const kdr_particles *particles,
                                               const kdr_clock *clock, const void *note, size_t note_size, kdr_error *error);
KDR_API kdr_status kdr_checkpoint_read_system(const char *path, const kdr_system *system, kdr_checkpoint *checkpoint, kdr_error *error);
KDR_API kdr_status kdr_checkpoint_check_system(kdr_checkpoint *checkpoint, const kdr_system *system, kdr_error *error);

/* Copies the clock and all arrays that a run writes into `particles`, of any layout. Errors: KDR_ERROR_MISMATCH unless both have the same
 * arrays, count, axes and precision, and equal inverse masses, ids, `active` and `level`. */
KDR_API kdr_status kdr_checkpoint_restore(const kdr_checkpoint *checkpoint, kdr_particles *particles, kdr_clock *clock, kdr_error *error);

/* Frees the arrays and empties the checkpoint. */
KDR_API void kdr_checkpoint_release(kdr_checkpoint *checkpoint);

enum { KDR_MAX_OBSERVABLES = 16 };

typedef struct kdr_trajectory_desc {
    size_t size;
    const kdr_particles *particles; /* must not be NULL; frames have its count and axes, and images if it has them */
    kdr_real real;                  /* default KDR_F64; element type in the file */
    kdr_boundary boundary;          /* a periodic boundary is written as the box */
    const int32_t *species;         /* one integer per particle; all frames must have the same ids */
    const char *const *observables; /* names of the numbers per frame */
    int observable_count;           /* at most KDR_MAX_OBSERVABLES */
    int deflate;                    /* default 1: compressed; 0: uncompressed */
    /* 0: `particles` are all. Otherwise the number in all slices; those of the first frame give the other ids and masses. */
    size_t count;
    const double *mass; /* exact masses of `particles` (kdr_trajectory_set_mass); NULL: 1 / inverse_mass */
} kdr_trajectory_desc;

KDR_API void kdr_trajectory_desc_init(kdr_trajectory_desc *desc, size_t size);
static inline kdr_trajectory_desc kdr_trajectory_desc_default(void) {
    kdr_trajectory_desc desc;
    kdr_trajectory_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_trajectory kdr_trajectory;

/* Creates or replaces a file. Errors: KDR_ERROR_ARGUMENT, KDR_ERROR_FILE, KDR_ERROR_UNAVAILABLE (built without HDF5). */
KDR_API kdr_status kdr_trajectory_create(const char *path, const kdr_trajectory_desc *desc, kdr_trajectory **trajectory, kdr_error *error);

/* Appends a frame: x and v in any layout, step and time of the clock, and one number in `observables` per name. Missing ids or masses are
 * those of the previous frame. It commits (kdr_trajectory_commit) when 20 times the duration of the last commit has passed since. Errors:
 * KDR_ERROR_FILE, KDR_ERROR_NOT_FINITE (time). KDR_ERROR_MISMATCH for another count or number of axes, missing images, ids or masses, and
 * with species other ids. */
KDR_API kdr_status kdr_trajectory_append(kdr_trajectory *trajectory, const kdr_particles *particles, const kdr_clock *clock,
                                         const double *observables, kdr_error *error);

/* Appends the next particles of a frame. The last ones complete it, with their clock and observables. Slices of the first frame need ids
 * and masses if the description has them. Errors: those of kdr_trajectory_append, and KDR_ERROR_MISMATCH for too many particles. */
KDR_API kdr_status kdr_trajectory_append_slice(kdr_trajectory *trajectory, const kdr_particles *slice, const kdr_clock *clock,
                                               const double *observables, kdr_error *error);

/* Write a frame in chunks, which several machines can compress. kdr_trajectory_chunk returns the particles per chunk, and in *room (may be
 * NULL) its largest size in bytes. Chunks begin at multiples of that number; the last may be shorter. kdr_trajectory_pack compresses a
 * chunk of any layout to sizes[0] bytes of x and sizes[1] bytes of v. kdr_trajectory_append_chunk adds each chunk of a frame once, in any
 * order, without slices.
 *
 * Errors: KDR_ERROR_NOT_FINITE (time), KDR_ERROR_FILE, KDR_ERROR_UNSUPPORTED (images), KDR_ERROR_MISMATCH (the chunk, or other ids or
 * masses than before). */
KDR_API size_t kdr_trajectory_chunk(const kdr_trajectory_desc *desc, size_t *room);
KDR_API kdr_status kdr_trajectory_pack(const kdr_trajectory_desc *desc, const kdr_particles *chunk, void *bytes, size_t sizes[2],
                                       kdr_error *error);
KDR_API kdr_status kdr_trajectory_append_chunk(kdr_trajectory *trajectory, size_t begin, const void *bytes, const size_t sizes[2],
                                               const kdr_clock *clock, const double *observables, kdr_error *error);

/* Sets the exact masses of the particles in later appends; NULL: 1 / inverse_mass. The array is borrowed. Errors: KDR_ERROR_NULL. */
KDR_API kdr_status kdr_trajectory_set_mass(kdr_trajectory *trajectory, const double *mass, kdr_error *error);

/* Sets the box lengths of later frames, 0 on axes that are not periodic. Errors: KDR_ERROR_MISMATCH (axes). */
KDR_API kdr_status kdr_trajectory_set_box(kdr_trajectory *trajectory, const double box[3], kdr_error *error);

KDR_API kdr_status kdr_trajectory_commit(kdr_trajectory *trajectory, kdr_error *error); /* saves all frames. Errors: KDR_ERROR_FILE */

/* Stores or replaces a text in /parameters/kickdrift. Errors: KDR_ERROR_FILE. */
KDR_API kdr_status kdr_trajectory_note(kdr_trajectory *trajectory, const char *name, const char *text, kdr_error *error);

/* Opens an H5MD file of any program for reading, if `frames` is UINT64_MAX. Otherwise it opens a file of this library to append after that
 * many frames, and removes later ones. Errors: KDR_ERROR_UNAVAILABLE, KDR_ERROR_FILE (also if another process writes it), KDR_ERROR_FORMAT
 * (also for too few frames). */
KDR_API kdr_status kdr_trajectory_open(const char *path, uint64_t frames, kdr_trajectory **trajectory, kdr_error *error);

/* Opens the group /particles/GROUP of an H5MD file for reading; NULL: the first by name that has positions. Errors: those of
 * kdr_trajectory_open, and KDR_ERROR_FORMAT for a missing group. */
KDR_API kdr_status kdr_trajectory_open_group(const char *path, const char *group, kdr_trajectory **trajectory, kdr_error *error);

typedef struct kdr_trajectory_info {
    uint64_t frames; /* steps for which the file has all time-dependent elements */
    size_t count;
    int dims;
    kdr_real real;
    bool velocities;
    int observable_count;
    const char *observables[16]; /* the first observable_count are set */
    double box[3];               /* lengths in the first frame; 0: not periodic */
    const char *group;           /* in /particles */
    const char *left_out;        /* elements of the file that frames lack, in words; may be "" */
} kdr_trajectory_info;

/* Describes an open file, which owns the texts. Errors: KDR_ERROR_NULL. */
KDR_API kdr_status kdr_trajectory_query(const kdr_trajectory *trajectory, kdr_trajectory_info *info, kdr_error *error);

/* A frame. The trajectory owns its arrays, which are valid until the next read. x, v and images are rows (see their layouts). Missing
 * velocities are 0; missing inverse masses, ids and images are NULL. */
typedef struct kdr_frame {
    kdr_particles particles;
    double time;
    uint64_t step;
    double observables[16];
    double box[3];      /* lengths; 0: not periodic */
    const double *mass; /* masses as in the file; may be NULL */
} kdr_frame;

/* Reads frame `index`, from 0. Errors: KDR_ERROR_FILE, KDR_ERROR_ARGUMENT (index). KDR_ERROR_FORMAT for negative ids, or masses without a
 * positive, finite inverse. */
KDR_API kdr_status kdr_trajectory_read(kdr_trajectory *trajectory, uint64_t index, kdr_frame *frame, kdr_error *error);

/* Commits, closes and frees a trajectory, also on failure. Errors: KDR_ERROR_FILE. */
KDR_API kdr_status kdr_trajectory_close(kdr_trajectory *trajectory, kdr_error *error);

/* The description of a stream, which hands out the particles of a checkpoint in slices of limited size. It collects the results in a
 * checkpoint, with the bits of a run in memory. Use it with kdr_integrator_run, without arrays per particle in forces. */
typedef struct kdr_stream_desc {
    size_t size;
    const char *from;                 /* path of a checkpoint; NULL: new particles as in `create` */
    const char *to;                   /* path of the result, which may be `from`; NULL: slices are only read */
    const kdr_particles_desc *create; /* of new particles */
    kdr_clock clock;                  /* of new particles */
    const kdr_integrator *integrator; /* the one that the caller runs; NULL: slices have no valid memory */
    uint64_t last_step;               /* the caller runs each slice to this step */
    size_t memory;                    /* bytes per slice, default 256 MiB; a slice has at least one particle */
    uint64_t key;                     /* identifies how new particles are made, such as a seed */
} kdr_stream_desc;

KDR_API void kdr_stream_desc_init(kdr_stream_desc *desc, size_t size);
static inline kdr_stream_desc kdr_stream_desc_default(void) {
    kdr_stream_desc desc;
    kdr_stream_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_stream kdr_stream;

/* Opens a stream, after reading and checking `from`, whose note is copied. The result is called TO.part until it is complete. A new stream
 * of the same description, with any `memory`, continues after its last complete slice; a TO.part that does not match is overwritten.
 * Errors: KDR_ERROR_ARGUMENT, KDR_ERROR_FILE, KDR_ERROR_FORMAT, KDR_ERROR_MISMATCH (integrator), and those of kdr_integrator_run. */
KDR_API kdr_status kdr_stream_open(const kdr_stream_desc *desc, kdr_stream **stream, kdr_error *error);

/* Writes the previous slice to the result, and hands out the next with its clock. Run it to kdr_stream_desc::last_step, then pass the same
 * slice and clock again; the first call ignores their contents. Arrays are valid until the next call. After the last slice, slice->count is
 * 0 and the result is complete. Set x and v of new particles, which are 0. After an error only kdr_stream_close is allowed. Errors:
 * KDR_ERROR_FILE. KDR_ERROR_MISMATCH for another count, or a clock not at `last_step`. */
KDR_API kdr_status kdr_stream_next(kdr_stream *stream, kdr_particles *slice, kdr_clock *clock, kdr_error *error);

typedef struct kdr_stream_info {
    size_t count;
    size_t begin; /* index of the slice's first particle */
    size_t done;  /* particles that were finished when the stream was opened */
    size_t most;  /* largest slice */
    int dims;
    kdr_real real;
    kdr_clock first, last;
    uint64_t description; /* of `from`, like the next members; zeros for new particles */
    bool carried;
    const void *note; /* owned by the stream */
    size_t note_size;
} kdr_stream_info;

KDR_API kdr_status kdr_stream_query(const kdr_stream *stream, kdr_stream_info *info, kdr_error *error); /* Errors: KDR_ERROR_NULL */

/* Closes and frees a stream. An unfinished result stays in TO.part. */
KDR_API void kdr_stream_close(kdr_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
