/* Files: checkpoints, trajectories, and populations that are larger than memory. A library of its own, kickdrift-io; the stepping library
 * has no part in it.
 *
 * A checkpoint holds everything that a run carries, so that one that goes on from it has the bits of the unbroken one: on another
 * backend, with another executor, on a processor of another byte order. It is little-endian, has a version, and ends with a checksum
 * (XXH3, 64 bits) of all that stands before. Files of every version stay readable.
 *
 * A trajectory holds frames: positions and velocities at some steps. It is H5MD 1.1 (de Buyl, Colberg, Hofling, Comput. Phys. Commun.
 * 185, 2014), an HDF5 file that h5py and what reads H5MD open: /particles/all with position, velocity, box and, where they are given,
 * id, mass, species and image; /observables; /parameters/kickdrift with texts of the caller's.
 *
 * Functions may be called from many threads at once, on different files; of trajectories on one thread at a time, unless HDF5 was built
 * for threads. */
#ifndef KICKDRIFT_IO_H
#define KICKDRIFT_IO_H

#include <kickdrift/coupled.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KDR_CHECKPOINT_VERSION = 1 };

/* What a checkpoint file holds. The arrays, of `particles` and `note`, are the checkpoint's and end with kdr_checkpoint_release. */
typedef struct kdr_checkpoint {
    kdr_particles particles; /* every array that was written, plain; those that were not are NULL */
    kdr_clock clock;
    uint64_t description; /* kdr_integrator_digest or kdr_coupled_digest of what it was written with; 0: without one */
    uint64_t seed;        /* of that one's heat bath: already in `description`, here for people */
    bool carried;         /* `memory` and `compensation` are what its next run goes on from */
    char library[16];     /* the version of the library that wrote it: "0.1.0" */
    void *note;           /* `note_size` bytes of the caller's own, and a 0 behind them that is not counted */
    size_t note_size;
    void *storage; /* of the arrays */
} kdr_checkpoint;

/* Writes the particles, wherever their elements lie, with every array that they have: x, v, inverse masses, memory, compensation,
 * ids, hits, unsolved, dissipated, error, marks, levels, images; the clock, the integrator's description as a digest, and `note_size`
 * bytes of `note`, which are the caller's (NULL and 0: none). `integrator` may be NULL: then
 * nothing holds a reader to a description, and memory_key is written as it is, for machines of this byte order. A coupled run has a
 * function of its own, below.
 *
 * It is written beside `path` (PATH.part), flushed to the disk and renamed: whenever the process or the machine stops, `path` is the whole
 * file of before or the whole new one. A PATH.part that a killed process has left is overwritten; two processes do not write one file.
 * KDR_ERROR_NULL for a pointer that is NULL; the errors of kdr_particles_check, with an integrator those of kdr_integrator_run;
 * KDR_ERROR_NO_MEMORY; KDR_ERROR_FILE, which leaves `path` as it was. */
KDR_API kdr_status kdr_checkpoint_write(const char *path, const kdr_integrator *integrator, const kdr_particles *particles,
                                        const kdr_clock *clock, const void *note, size_t note_size, kdr_error *error);

/* Writes a checkpoint of `count` particles that are not all in this process's memory, slice by slice; the file is that of one call of
 * kdr_checkpoint_write. `first` is the slice that begins with particle 0, and says which arrays all of them have; `digest` is that of the
 * whole (kdr_integrator_digest; kdr_integrator_digest_end for forces with arrays), and what `integrator` checks is this slice.
 *
 * As long as kdr_checkpoint_wants, kdr_checkpoint_add takes what `slice` has of the array that is next: of x[0] until `count` elements
 * were taken, then of x[1], and so on: x, v, inverse masses, memory, compensation, ids, hits, unsolved, dissipated, error, marks, levels,
 * images, those that there are. kdr_checkpoint_end makes the file, or where something failed or is missing leaves `path` as it was, and
 * frees the writer. The note is borrowed until then; a writer is for one thread at a time.
 * The errors of kdr_checkpoint_write; KDR_ERROR_ARGUMENT for a count below that of `first`, KDR_ERROR_OVERFLOW for one that makes no file;
 * KDR_ERROR_MISMATCH for more elements than the array has left, a slice without it, and at the end for elements that are missing. */
typedef struct kdr_checkpoint_writer kdr_checkpoint_writer;
KDR_API kdr_status kdr_checkpoint_begin(const char *path, const kdr_integrator *integrator, uint64_t digest, const kdr_particles *first,
                                        size_t count, const kdr_clock *clock, const void *note, size_t note_size,
                                        kdr_checkpoint_writer **writer, kdr_error *error);
KDR_API bool kdr_checkpoint_wants(const kdr_checkpoint_writer *writer); /* false for NULL */
KDR_API kdr_status kdr_checkpoint_add(kdr_checkpoint_writer *writer, const kdr_particles *slice, kdr_error *error);
KDR_API kdr_status kdr_checkpoint_end(kdr_checkpoint_writer *writer, kdr_error *error);

/* Reads a checkpoint; on success *checkpoint is the caller's, to be given to kdr_checkpoint_release. With an integrator, which may have
 * another backend and executor than the one it was written with, `particles` and `clock` can be run at once. `integrator` may be NULL: then
 * ask kdr_checkpoint_check before a run.
 * KDR_ERROR_NULL without path or checkpoint; KDR_ERROR_FILE; KDR_ERROR_FORMAT for a file that is no checkpoint, cut, longer than it says,
 * damaged anywhere, or of a later version; KDR_ERROR_NO_MEMORY; the errors of kdr_checkpoint_check. */
KDR_API kdr_status kdr_checkpoint_read(const char *path, const kdr_integrator *integrator, kdr_checkpoint *checkpoint, kdr_error *error);

/* Holds a checkpoint against an integrator, and makes the key of its memory for it. KDR_ERROR_NULL for a pointer that is NULL;
 * KDR_ERROR_MISMATCH for another description; the errors of kdr_integrator_run. */
KDR_API kdr_status kdr_checkpoint_check(kdr_checkpoint *checkpoint, const kdr_integrator *integrator, kdr_error *error);

/* The three functions above, of a coupled run, on any layout and with levels: `coupled` in place of the integrator, NULL not allowed. The
 * errors are theirs, with those of kdr_coupled_check in place of those of kdr_integrator_run. What gravity borrows, mu, is held to what it
 * was, as the forces' arrays are; of the caller's functions a file knows whether there are any: what they do is the caller's to hold. */
KDR_API kdr_status kdr_checkpoint_write_coupled(const char *path, const kdr_coupled *coupled, const kdr_particles *particles,
                                                const kdr_clock *clock, const void *note, size_t note_size, kdr_error *error);
KDR_API kdr_status kdr_checkpoint_read_coupled(const char *path, const kdr_coupled *coupled, kdr_checkpoint *checkpoint, kdr_error *error);
KDR_API kdr_status kdr_checkpoint_check_coupled(kdr_checkpoint *checkpoint, const kdr_coupled *coupled, kdr_error *error);

/* Copies what a run changes, and the clock, into particles of the caller's, whose elements lie as the caller has them: x, v, memory,
 * compensation, memory_key, hits, unsolved, dissipated, error, images. What a run never writes, inverse masses, ids, marks and levels,
 * must be the checkpoint's to the bit, and every array that either has, the other must have too: KDR_ERROR_MISMATCH, as for another count,
 * axes or precision, and nothing is changed. KDR_ERROR_NULL for a pointer that is NULL; the errors of kdr_particles_check. */
KDR_API kdr_status kdr_checkpoint_restore(const kdr_checkpoint *checkpoint, kdr_particles *particles, kdr_clock *clock, kdr_error *error);

/* Frees what kdr_checkpoint_read allocated, and empties the checkpoint. NULL is allowed. */
KDR_API void kdr_checkpoint_release(kdr_checkpoint *checkpoint);

enum { KDR_MAX_OBSERVABLES = 16 };

typedef struct kdr_trajectory_desc {
    size_t size;                    /* bytes: kdr_trajectory_desc_default() sets it, and nothing else */
    const kdr_particles *particles; /* count, axes, ids, masses. With images each frame has those of its particles: the element `image`.
                                       Default NULL: must be given */
    kdr_real real;         /* default KDR_F64: of the numbers in the file; f32 takes half the room, and is exact for f32 particles */
    kdr_boundary boundary; /* default none; a periodic one becomes the box */
    const int32_t
        *species; /* default NULL; else one kind per particle, which the file holds once: the ids of all frames are then the same */
    const char *const
        *observables;     /* `observable_count` names of numbers that each frame has, in this order: no two alike, none empty, ".",
                                       ".." or with a slash. Default NULL */
    int observable_count; /* default 0; at most KDR_MAX_OBSERVABLES */
    int deflate;          /* default 1: bytes that are alike are compressed; 0: none. The order of bytes is shuffled in both */
    size_t count; /* of all particles, of which `particles` are the first; the others' ids and masses come with the slices of the first
                     frame. Default 0: `particles` are all. `species` is of all */
    const double *mass; /* masses of `particles` to the bit, lent as by kdr_trajectory_set_mass. Default NULL: 1 / inverse_mass */
} kdr_trajectory_desc;

/* Writes the defaults into a description of `size` bytes, which are those of the caller's header: what follows calls it. */
KDR_API void kdr_trajectory_desc_init(kdr_trajectory_desc *desc, size_t size);
static inline kdr_trajectory_desc kdr_trajectory_desc_default(void) {
    kdr_trajectory_desc desc;
    kdr_trajectory_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_trajectory kdr_trajectory;

/* Begins a file, in place of one that is there. On success *trajectory is the caller's, to be given to kdr_trajectory_close.
 * KDR_ERROR_NULL, KDR_ERROR_ARGUMENT (no particles, axes or observables out of range) and the errors of kdr_particles_check for the
 * description, which leave a file that is there; KDR_ERROR_FILE; KDR_ERROR_NO_MEMORY; KDR_ERROR_UNAVAILABLE in a library that was built
 * without HDF5. */
KDR_API kdr_status kdr_trajectory_create(const char *path, const kdr_trajectory_desc *desc, kdr_trajectory **trajectory, kdr_error *error);

/* Adds a frame: x and v, wherever they lie, at the clock's step and time; `observables` has a number for each name, and may be NULL
 * without. Of a description with images the particles have them too (KDR_ERROR_MISMATCH).
 *
 * Each frame is read back with its own ids and masses. The file holds them once while they are those of the first frame, and for each frame
 * from then on in which one differs. Particles without ids or masses have those of the frames before: KDR_ERROR_MISMATCH where the file
 * has them for each frame. Of a description with species an id that is not the one of the frames before is KDR_ERROR_MISMATCH, with the
 * first index.
 *
 * Frames are made part of the file by a commit, which flushes them to the disk: whenever the process or the machine stops, the file has
 * all frames of the last commit, whole, and is opened again. A commit is made when 20 times as long has passed as the last one took, so
 * that they cost a twentieth of the time at most; by kdr_trajectory_commit; and at the end. KDR_ERROR_NULL; KDR_ERROR_NOT_FINITE for a
 * clock whose time is not finite; KDR_ERROR_MISMATCH for particles of another count or number of axes; the errors of kdr_particles_check;
 * KDR_ERROR_FILE, after which the file has the frames of the last commit. */
KDR_API kdr_status kdr_trajectory_append(kdr_trajectory *trajectory, const kdr_particles *particles, const kdr_clock *clock,
                                         const double *observables, kdr_error *error);

/* Adds to a frame the particles that come next in it, where not all are in memory at once: with those of the last slice the frame is added,
 * at their clock and with their observables, and the file is that of one call of kdr_trajectory_append. Where the description has ids and
 * masses, slices of the first frame have them too. A frame that is not whole when the file is committed or closed is left out. The errors
 * of kdr_trajectory_append; KDR_ERROR_MISMATCH for more particles than the frame has left. */
KDR_API kdr_status kdr_trajectory_append_slice(kdr_trajectory *trajectory, const kdr_particles *slice, const kdr_clock *clock,
                                               const double *observables, kdr_error *error);

/* A frame's particles are stored in chunks, each compressed by itself: so machines that have the particles may compress them, each its own,
 * and one process stores them as they are. kdr_trajectory_chunk says how many particles a chunk has, from each multiple of this number on,
 * and in *room, unless it is NULL, how many bytes one takes at most; of the last chunk the particles are those that are left; 0 for a
 * description without particles. kdr_trajectory_pack compresses the particles of a chunk, wherever they lie, those of x before those of v:
 * sizes[0] and sizes[1] bytes. kdr_trajectory_append_chunk adds it to the frame, as kdr_trajectory_append_slice does, but in any order,
 * each chunk once, and the whole frame in chunks; ids and masses must be those of the frames before (KDR_ERROR_MISMATCH), and with images
 * it is refused (KDR_ERROR_UNSUPPORTED). The description is the trajectory's.
 * KDR_ERROR_NULL; KDR_ERROR_NOT_FINITE as there; KDR_ERROR_MISMATCH for more particles than a chunk has, or a `begin` that is not where one
 * begins; KDR_ERROR_NO_MEMORY; the errors of kdr_particles_check; KDR_ERROR_FILE. Chunks may be packed in any number of threads. */
KDR_API size_t kdr_trajectory_chunk(const kdr_trajectory_desc *desc, size_t *room);
KDR_API kdr_status kdr_trajectory_pack(const kdr_trajectory_desc *desc, const kdr_particles *chunk, void *bytes, size_t sizes[2],
                                       kdr_error *error);
KDR_API kdr_status kdr_trajectory_append_chunk(kdr_trajectory *trajectory, size_t begin, const void *bytes, const size_t sizes[2],
                                               const kdr_clock *clock, const double *observables, kdr_error *error);

/* Lends masses to the appends that come: mass[i] is that of particle i of each append, written as it is. NULL: the masses are
 * 1 / inverse_mass, which may be a unit in the last place away from those that the inverses were made of. KDR_ERROR_NULL. */
KDR_API kdr_status kdr_trajectory_set_mass(kdr_trajectory *trajectory, const double *mass, kdr_error *error);

/* Sets the edges of the box of the frames that come, 0 on an axis that is not periodic. Which axes are periodic the description says:
 * KDR_ERROR_MISMATCH for others. KDR_ERROR_NULL. */
KDR_API kdr_status kdr_trajectory_set_box(kdr_trajectory *trajectory, const double box[3], kdr_error *error);

KDR_API kdr_status kdr_trajectory_commit(kdr_trajectory *trajectory, kdr_error *error); /* errors: KDR_ERROR_NULL, KDR_ERROR_FILE */

/* Keeps a text under a name, as an attribute of /parameters/kickdrift: "scene", "backend", "fingerprint"; one of more
 * than 60,000 bytes as a data set there. One of that name is replaced. KDR_ERROR_NULL; KDR_ERROR_FILE. */
KDR_API kdr_status kdr_trajectory_note(kdr_trajectory *trajectory, const char *name, const char *text, kdr_error *error);

/* Opens a file of frames, of this library or another that writes H5MD, to read it; or, with `frames` not UINT64_MAX, one of this library
 * to go on after so many of its frames: the others are cut off. What a stopped process has left is mended first. KDR_ERROR_NULL;
 * KDR_ERROR_FILE, where another process writes it too; KDR_ERROR_FORMAT for a file that is none or has fewer frames;
 * KDR_ERROR_NO_MEMORY; KDR_ERROR_UNAVAILABLE. */
KDR_API kdr_status kdr_trajectory_open(const char *path, uint64_t frames, kdr_trajectory **trajectory, kdr_error *error);

/* Opens the particles of one group of an H5MD file, /particles/GROUP, to read them; NULL: the first by name that has positions, as
 * kdr_trajectory_open does. The errors of kdr_trajectory_open; KDR_ERROR_FORMAT for a group that is not there, with the names of those that
 * are. */
KDR_API kdr_status kdr_trajectory_open_group(const char *path, const char *group, kdr_trajectory **trajectory, kdr_error *error);

typedef struct kdr_trajectory_info {
    uint64_t frames; /* a frame is a step at which all elements that vary have a value */
    size_t count;
    int dims;
    kdr_real real;
    bool velocities;
    int observable_count;
    const char *observables[16]; /* KDR_MAX_OBSERVABLES */
    double box[3];               /* lengths of the periodic box in the first frame; 0: the axis is not periodic */
    const char *group;           /* the name in /particles */
    const char *left_out;        /* what is in the file and in no frame, in words: "force; of /particles: B"; "": nothing */
} kdr_trajectory_info;

/* KDR_ERROR_NULL for a pointer that is NULL. Its texts are the trajectory's. */
KDR_API kdr_status kdr_trajectory_query(const kdr_trajectory *trajectory, kdr_trajectory_info *info, kdr_error *error);

/* One frame. The arrays are the trajectory's, and hold until its next frame is read: x, v (0 where the file has none), and inverse
 * masses, ids and images where it has them. Those of all axes are rows, a particle's numbers side by side, as x_layout, v_layout and
 * images_layout say: of particle i on an axis, images[axis] + i * dims, and likewise x and v. */
typedef struct kdr_frame {
    kdr_particles particles;
    double time;
    uint64_t step;
    double observables[16]; /* KDR_MAX_OBSERVABLES */
    double box[3];          /* lengths of the periodic box; 0: the axis is not periodic */
    const double *mass;     /* as the file has them; NULL: it has none. particles.inverse_mass are their inverses */
} kdr_frame;

/* Reads frame `index`, from 0. KDR_ERROR_NULL; KDR_ERROR_ARGUMENT for one that there is not; KDR_ERROR_FILE; KDR_ERROR_FORMAT for what the
 * file has and no frame can have: a negative id, a mass that is not positive or has no inverse in the precision. */
KDR_API kdr_status kdr_trajectory_read(kdr_trajectory *trajectory, uint64_t index, kdr_frame *frame, kdr_error *error);

/* Commits what was added, closes and frees, also when it fails. NULL is allowed. KDR_ERROR_FILE. */
KDR_API kdr_status kdr_trajectory_close(kdr_trajectory *trajectory, kdr_error *error);

/* A stream: the particles of a checkpoint, one slice behind the other, in as little memory as the caller says; what becomes of them goes
 * to a checkpoint again. It is for particles that need their own state alone: forces with arrays a particle and coupled runs refuse slices.
 * A run in slices has the bits of the run in memory, for slices of any size. */
typedef struct kdr_stream_desc {
    size_t size;      /* bytes: kdr_stream_desc_default() sets it, and nothing else */
    const char *from; /* a checkpoint's path. Default NULL: new particles, `create` of them */
    const char *to;   /* where the result goes; may be `from`, which it then replaces. Default NULL: slices are read alone */
    const kdr_particles_desc *create; /* with `from` NULL: count, axes, precision, arrays; x and v come as 0, and are the caller's to set */
    kdr_clock clock;                  /* of new particles */
    const kdr_integrator *integrator; /* that the caller runs with; default NULL: what the particles remember is void */
    uint64_t last_step;               /* to which the caller runs each slice; without an integrator no steps are taken. Default 0 */
    size_t memory;                    /* bytes of a slice's arrays; default 256 MiB; less than a particle takes: one particle. From
                                         KDR_OBSERVE_BLOCK of them on slices are whole blocks, for kdr_observe_blocks (observe.h) */
    uint64_t key;                     /* of what the caller makes the particles, a seed: streams of other keys are others. Default 0 */
} kdr_stream_desc;

/* Writes the defaults into a description of `size` bytes, which are those of the caller's header: what follows calls it. */
KDR_API void kdr_stream_desc_init(kdr_stream_desc *desc, size_t size);
static inline kdr_stream_desc kdr_stream_desc_default(void) {
    kdr_stream_desc desc;
    kdr_stream_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_stream kdr_stream;

/* Begins; on success *stream is the caller's, to be given to kdr_stream_close. The whole of `from` is read once and held against its
 * checksum: a damaged file is refused before anything is done. Its note goes with it.
 *
 * The result is written to TO.part, which is flushed to the disk after each slice and renamed to `to` when it is whole: whenever the
 * process or the machine stops, `to` is the whole file of before or the whole new one, and a stream of the same description (of `memory`
 * any) goes on behind the last slice that was whole: what is done is read once and held against its checksum, too. A TO.part of another
 * description, or one that is damaged there, is overwritten.
 * KDR_ERROR_NULL and KDR_ERROR_ARGUMENT for the description; KDR_ERROR_FILE; KDR_ERROR_FORMAT as kdr_checkpoint_read; KDR_ERROR_MISMATCH
 * for a checkpoint of another description than the integrator's, unless it is of none; the errors of kdr_integrator_run;
 * KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_stream_open(const kdr_stream_desc *desc, kdr_stream **stream, kdr_error *error);

/* Writes the slice that was handed out before, and hands out the next: a view of the stream's arrays, which holds until the next call,
 * and the clock that it stands at. The caller runs it to `last_step`, or changes what is in its arrays, and gives both back, as the run
 * has left them, with the next call; at the first call what is in them does not count. Behind the last slice its count is 0, and `to` is
 * there.
 * Indices in a slice are from 0, ids are those of the whole.
 * KDR_ERROR_NULL; KDR_ERROR_MISMATCH for a slice of another count and a clock that is not at `last_step`; KDR_ERROR_FILE. After an error
 * the slices before are kept, and kdr_stream_close is what is left to do. */
KDR_API kdr_status kdr_stream_next(kdr_stream *stream, kdr_particles *slice, kdr_clock *clock, kdr_error *error);

typedef struct kdr_stream_info {
    size_t count; /* of all particles */
    size_t begin; /* the first of the slice that is handed out */
    size_t done;  /* that were found done when the stream was opened */
    size_t most;  /* particles of a slice at most */
    int dims;
    kdr_real real;
    kdr_clock first, last; /* before the run and after it */
    uint64_t description;  /* of `from`, as kdr_checkpoint has it; 0 where particles are new */
    bool carried;          /* of `from` likewise */
    const void *note;      /* of `from`, `note_size` bytes and a 0 behind them, the stream's; NULL where particles are new */
    size_t note_size;
} kdr_stream_info;

KDR_API kdr_status kdr_stream_query(const kdr_stream *stream, kdr_stream_info *info, kdr_error *error); /* KDR_ERROR_NULL */

/* Closes and frees. What is not finished stays in TO.part for another stream, if a slice of it is whole. NULL is allowed. */
KDR_API void kdr_stream_close(kdr_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
