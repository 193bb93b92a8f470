/* Files: checkpoints, trajectories, and streams of more particles than memory holds, in a separate library, kickdrift-io. A run that
 * continues from a checkpoint has the bits of the uninterrupted run, on any machine. Files of every older version can be read. A
 * trajectory is an HDF5 file of frames in the format H5MD 1.1. After a crash `path` is the complete old or new file, and a trajectory
 * has all frames until its last commit. Trajectories need one thread at a time unless HDF5 was built thread-safe. */
#ifndef KICKDRIFT_IO_H
#define KICKDRIFT_IO_H

#include <kickdrift/system.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KDR_CHECKPOINT_VERSION = 1 };

/* The contents of a checkpoint file, from which a run can continue. kdr_checkpoint_release frees its arrays. */
typedef struct kdr_checkpoint {
    kdr_particles particles; /* in contiguous arrays; NULL where the file has none */
    kdr_clock clock;
    uint64_t description; /* digest of the integrator or system run that wrote it; 0: none */
    uint64_t seed;        /* of the heat bath */
    bool carried;         /* `memory` and `compensation` are valid for the next run */
    char library[16];     /* library version that wrote it */
    void *note;           /* `note_size` bytes from the writer, followed by a 0 */
    size_t note_size;
    void *storage; /* internal */
} kdr_checkpoint;

/* Writes all arrays of the particles in any layout, the clock, a digest of the integrator, and `note_size` bytes of `note`. If
 * `integrator` is NULL, any integrator may read the file, and memory_key is valid for this byte order only. Two processes must not write
 * the same path. Errors: KDR_ERROR_FILE, those of kdr_particles_check, and with an integrator those of kdr_integrator_run. */
KDR_API kdr_status kdr_checkpoint_write(const char *path, const kdr_integrator *integrator, const kdr_particles *particles,
                                        const kdr_clock *clock, const void *note, size_t note_size, kdr_error *error);

/* Write a checkpoint in slices, for `count` particles in all. `first` is the first slice, and `integrator` fits it. `digest` is that of
 * all particles (kdr_integrator_digest_end). The note is borrowed until the end. While kdr_checkpoint_needs_more returns true, add all
 * slices in order; each round takes one array. Then kdr_checkpoint_end completes the file and frees the writer. Errors: those of
 * kdr_checkpoint_write. KDR_ERROR_ARGUMENT, KDR_ERROR_OVERFLOW (count), KDR_ERROR_MISMATCH (too many or missing elements). */
typedef struct kdr_checkpoint_writer kdr_checkpoint_writer;
KDR_API kdr_status kdr_checkpoint_begin(const char *path, const kdr_integrator *integrator, uint64_t digest, const kdr_particles *first,
                                        size_t count, const kdr_clock *clock, const void *note, size_t note_size,
                                        kdr_checkpoint_writer **writer, kdr_error *error);
KDR_API bool kdr_checkpoint_needs_more(const kdr_checkpoint_writer *writer);
KDR_API kdr_status kdr_checkpoint_add(kdr_checkpoint_writer *writer, const kdr_particles *slice, kdr_error *error);
KDR_API kdr_status kdr_checkpoint_end(kdr_checkpoint_writer *writer, kdr_error *error);

/* Reads a checkpoint, which kdr_checkpoint_release frees. If `integrator` is NULL, call kdr_checkpoint_check before a run. Errors:
 * KDR_ERROR_FILE, KDR_ERROR_FORMAT, and those of kdr_checkpoint_check. */
KDR_API kdr_status kdr_checkpoint_read(const char *path, const kdr_integrator *integrator, kdr_checkpoint *checkpoint, kdr_error *error);

/* Checks that a checkpoint fits an integrator, and sets its memory_key. Errors: KDR_ERROR_MISMATCH (description), and those of
 * kdr_integrator_run. */
KDR_API kdr_status kdr_checkpoint_check(kdr_checkpoint *checkpoint, const kdr_integrator *integrator, kdr_error *error);

/* Write, read and check checkpoints of system runs. `system` must not be NULL. User-defined functions are compared only as present or
 * absent. Errors: those of the functions above, with kdr_system_check in place of kdr_integrator_run. */
KDR_API kdr_status kdr_checkpoint_write_system(const char *path, const kdr_system *system, const kdr_particles *particles,
                                               const kdr_clock *clock, const void *note, size_t note_size, kdr_error *error);
KDR_API kdr_status kdr_checkpoint_read_system(const char *path, const kdr_system *system, kdr_checkpoint *checkpoint, kdr_error *error);
KDR_API kdr_status kdr_checkpoint_check_system(kdr_checkpoint *checkpoint, const kdr_system *system, kdr_error *error);

/* Copies the clock and all arrays that a run writes into `particles`, of any layout. Both must have the same arrays, count, axes and
 * precision, and equal inverse masses, ids, `active` and `level` (KDR_ERROR_MISMATCH). Other errors: those of kdr_particles_check. */
KDR_API kdr_status kdr_checkpoint_restore(const kdr_checkpoint *checkpoint, kdr_particles *particles, kdr_clock *clock, kdr_error *error);

/* Frees the arrays and empties the checkpoint. */
KDR_API void kdr_checkpoint_release(kdr_checkpoint *checkpoint);

enum { KDR_MAX_OBSERVABLES = 16 };

/* The description of a trajectory. Members are 0, NULL or none by default, unless they say otherwise. */
typedef struct kdr_trajectory_desc {
    size_t size;
    const kdr_particles *particles; /* must not be NULL; every frame has their count and axes, and images if they do */
    kdr_real real;                  /* default KDR_F64: element type in the file */
    kdr_boundary boundary;          /* a periodic boundary is written as the box */
    const int32_t *species;         /* one integer per particle; all frames must then have the same ids */
    const char *const *observables; /* names of the numbers per frame */
    int observable_count;           /* at most KDR_MAX_OBSERVABLES */
    int deflate;                    /* default 1: compressed frames; 0: uncompressed */
    /* 0: `particles` are all. Otherwise their total number; slices of the first frame then give the other ids and masses. */
    size_t count;
    const double *mass; /* NULL: 1 / inverse_mass; else exact masses of `particles` (kdr_trajectory_set_mass) */
} kdr_trajectory_desc;

/* Sets the defaults; `size` is sizeof *desc. */
KDR_API void kdr_trajectory_desc_init(kdr_trajectory_desc *desc, size_t size);
static inline kdr_trajectory_desc kdr_trajectory_desc_default(void) {
    kdr_trajectory_desc desc;
    kdr_trajectory_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_trajectory kdr_trajectory;

/* Creates or replaces a file, which kdr_trajectory_close closes. Errors: KDR_ERROR_ARGUMENT, KDR_ERROR_FILE, KDR_ERROR_UNAVAILABLE
 * (built without HDF5), and those of kdr_particles_check. */
KDR_API kdr_status kdr_trajectory_create(const char *path, const kdr_trajectory_desc *desc, kdr_trajectory **trajectory, kdr_error *error);

/* Appends a frame: x and v in any layout, the clock's step and time, and one number in `observables` per name. Without ids or masses
 * those of the previous frame are used. It commits (kdr_trajectory_commit) when 20 times the duration of the last commit has passed
 * since then. Errors: those of kdr_particles_check, KDR_ERROR_FILE, KDR_ERROR_NOT_FINITE (time). KDR_ERROR_MISMATCH for another count or
 * number of axes, missing images, ids or masses, and with species for other ids. */
KDR_API kdr_status kdr_trajectory_append(kdr_trajectory *trajectory, const kdr_particles *particles, const kdr_clock *clock,
                                         const double *observables, kdr_error *error);

/* Appends the next particles of a frame. The last ones complete it, with their clock and observables. Slices of the first frame need ids
 * and masses if the description has them. Errors: those of kdr_trajectory_append. KDR_ERROR_MISMATCH for too many particles. */
KDR_API kdr_status kdr_trajectory_append_slice(kdr_trajectory *trajectory, const kdr_particles *slice, const kdr_clock *clock,
                                               const double *observables, kdr_error *error);

/* Write a frame in chunks, which several machines can compress. kdr_trajectory_chunk returns the number of particles per chunk, and in
 * *room (may be NULL) the largest size in bytes. Chunks begin at multiples of that number; the last may be shorter. kdr_trajectory_pack
 * compresses a chunk of any layout to sizes[0] bytes of x and sizes[1] bytes of v. kdr_trajectory_append_chunk adds it to the frame. A
 * frame takes each of its chunks once, in any order, and no slices.
 *
 * Errors: those of kdr_particles_check, KDR_ERROR_NOT_FINITE (time), KDR_ERROR_FILE, KDR_ERROR_UNSUPPORTED (images), KDR_ERROR_MISMATCH
 * (the chunk, or other ids or masses than before). */
KDR_API size_t kdr_trajectory_chunk(const kdr_trajectory_desc *desc, size_t *room);
KDR_API kdr_status kdr_trajectory_pack(const kdr_trajectory_desc *desc, const kdr_particles *chunk, void *bytes, size_t sizes[2],
                                       kdr_error *error);
KDR_API kdr_status kdr_trajectory_append_chunk(kdr_trajectory *trajectory, size_t begin, const void *bytes, const size_t sizes[2],
                                               const kdr_clock *clock, const double *observables, kdr_error *error);

/* Sets exact masses for later appends: mass[i] is that of particle i of each append. The array is borrowed. NULL: 1 / inverse_mass.
 * Errors: KDR_ERROR_NULL. */
KDR_API kdr_status kdr_trajectory_set_mass(kdr_trajectory *trajectory, const double *mass, kdr_error *error);

/* Sets the box lengths of later frames, 0 on axes that are not periodic. Errors: KDR_ERROR_MISMATCH (axes). */
KDR_API kdr_status kdr_trajectory_set_box(kdr_trajectory *trajectory, const double box[3], kdr_error *error);

KDR_API kdr_status kdr_trajectory_commit(kdr_trajectory *trajectory, kdr_error *error); /* saves all frames. Errors: KDR_ERROR_FILE */

/* Stores a text in /parameters/kickdrift under a name, and replaces an older one. Errors: KDR_ERROR_FILE. */
KDR_API kdr_status kdr_trajectory_note(kdr_trajectory *trajectory, const char *name, const char *text, kdr_error *error);

/* Opens an H5MD file of any program for reading, if `frames` is UINT64_MAX. Otherwise it opens a file of this library for appending
 * after that many frames, and removes later frames. Errors: KDR_ERROR_UNAVAILABLE, KDR_ERROR_FILE (also if another process writes it),
 * KDR_ERROR_FORMAT (also for too few frames). */
KDR_API kdr_status kdr_trajectory_open(const char *path, uint64_t frames, kdr_trajectory **trajectory, kdr_error *error);

/* Opens the group /particles/GROUP of an H5MD file for reading; NULL: the first by name that has positions. Errors: those of
 * kdr_trajectory_open. KDR_ERROR_FORMAT for a missing group. */
KDR_API kdr_status kdr_trajectory_open_group(const char *path, const char *group, kdr_trajectory **trajectory, kdr_error *error);

typedef struct kdr_trajectory_info {
    uint64_t frames; /* steps for which the file has all its time-dependent elements */
    size_t count;
    int dims;
    kdr_real real;
    bool velocities;
    int observable_count;
    const char *observables[16]; /* names, of which the first observable_count are set */
    double box[3];               /* box lengths in the first frame; 0: not periodic */
    const char *group;           /* in /particles */
    const char *left_out;        /* elements of the file that no frame contains, in words; may be "" */
} kdr_trajectory_info;

/* Describes an open file, which owns the texts. Errors: KDR_ERROR_NULL. */
KDR_API kdr_status kdr_trajectory_query(const kdr_trajectory *trajectory, kdr_trajectory_info *info, kdr_error *error);

/* One frame. Its arrays belong to the trajectory, and are valid until the next read. x, v and images are rows (see their layouts).
 * Missing velocities are 0; missing inverse masses, ids and images are NULL. */
typedef struct kdr_frame {
    kdr_particles particles;
    double time;
    uint64_t step;
    double observables[16]; /* one number per name */
    double box[3];          /* box lengths; 0: not periodic */
    const double *mass;     /* masses as in the file; NULL if it has none */
} kdr_frame;

/* Reads frame `index`, from 0. Errors: KDR_ERROR_FILE, KDR_ERROR_ARGUMENT (index). KDR_ERROR_FORMAT for negative ids, or masses without
 * a positive, finite inverse. */
KDR_API kdr_status kdr_trajectory_read(kdr_trajectory *trajectory, uint64_t index, kdr_frame *frame, kdr_error *error);

/* Commits, closes and frees a trajectory, also on failure. Errors: KDR_ERROR_FILE. */
KDR_API kdr_status kdr_trajectory_close(kdr_trajectory *trajectory, kdr_error *error);

/* The description of a stream, which hands out the particles of a checkpoint in slices of limited size, and collects the results in a
 * checkpoint. It is for kdr_integrator_run without arrays per particle in forces. The bits are those of a run in memory. Members are
 * NULL or 0 by default, unless they say otherwise. */
typedef struct kdr_stream_desc {
    size_t size;
    const char *from;                 /* NULL: new particles as in `create`; else the path of a checkpoint */
    const char *to;                   /* NULL: slices are only read; else the path of the result, which may be `from` */
    const kdr_particles_desc *create; /* of new particles */
    kdr_clock clock;                  /* of new particles */
    const kdr_integrator *integrator; /* NULL: slices have no valid memory; else the integrator that the caller runs */
    uint64_t last_step;               /* the caller runs each slice to this step */
    size_t memory;                    /* default 256 MiB: bytes per slice; a slice has at least one particle */
    uint64_t key;                     /* identifies how the caller makes new particles, such as a seed */
} kdr_stream_desc;

/* Sets the defaults; `size` is sizeof *desc. */
KDR_API void kdr_stream_desc_init(kdr_stream_desc *desc, size_t size);
static inline kdr_stream_desc kdr_stream_desc_default(void) {
    kdr_stream_desc desc;
    kdr_stream_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_stream kdr_stream;

/* Opens a stream, which kdr_stream_close closes. `from` is read and checked first; its note is copied. The result is called TO.part
 * until it is complete. A new stream of the same description, with any `memory`, continues after the last complete slice, or overwrites
 * a TO.part that does not match. Errors: KDR_ERROR_ARGUMENT, KDR_ERROR_FILE, KDR_ERROR_FORMAT, KDR_ERROR_MISMATCH (integrator), and
 * those of kdr_integrator_run. */
KDR_API kdr_status kdr_stream_open(const kdr_stream_desc *desc, kdr_stream **stream, kdr_error *error);

/* Writes the previous slice to the result, and hands out the next one with its clock. Its arrays are valid until the next call. The
 * caller runs the slice to kdr_stream_desc::last_step, then passes the same slice and clock. The first call ignores their contents.
 * After the last slice, slice->count is 0 and the result is complete. Slices of new particles have x and v of 0, which the caller sets
 * before the run. After an error only kdr_stream_close is allowed. Errors: KDR_ERROR_FILE. KDR_ERROR_MISMATCH for another count, or a
 * clock that is not at `last_step`. */
KDR_API kdr_status kdr_stream_next(kdr_stream *stream, kdr_particles *slice, kdr_clock *clock, kdr_error *error);

typedef struct kdr_stream_info {
    size_t count; /* of all particles */
    size_t begin; /* of the first particle of the current slice */
    size_t done;  /* particles that were finished at the beginning */
    size_t most;  /* largest number of particles per slice */
    int dims;
    kdr_real real;
    kdr_clock first, last; /* before and after the runs */
    uint64_t description;  /* of `from`; 0 for new particles */
    bool carried;          /* of `from` */
    const void *note;      /* of `from`, owned by the stream; NULL for new particles */
    size_t note_size;
} kdr_stream_info;

KDR_API kdr_status kdr_stream_query(const kdr_stream *stream, kdr_stream_info *info, kdr_error *error); /* Errors: KDR_ERROR_NULL */

/* Closes and frees a stream. An unfinished result stays in TO.part for another stream. */
KDR_API void kdr_stream_close(kdr_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
