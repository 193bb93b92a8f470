/* Files: checkpoints. A library of its own, kickdrift-io; the stepping library has no part in it.
 *
 * A checkpoint holds everything that a run carries, so that one that goes on from it has the bits of the unbroken one: on another backend,
 * with another executor, on a processor of another byte order. It is little-endian, has a version, and ends with a checksum (XXH3, 64 bits)
 * of all that stands before. Files of every version stay readable.
 *
 * Functions may be called from many threads at once, on different files. */
#ifndef KICKDRIFT_IO_H
#define KICKDRIFT_IO_H

#include <kickdrift/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KDR_CHECKPOINT_VERSION = 1 };

/* What a checkpoint file holds. The arrays, of `particles` and `note`, are the checkpoint's and end with kdr_checkpoint_release. */
typedef struct kdr_checkpoint {
    kdr_particles particles; /* every array that was written, plain; those that were not are NULL */
    kdr_clock clock;
    uint64_t description; /* kdr_integrator_digest of the integrator it was written with; 0: without one */
    uint64_t seed;        /* of that integrator's heat bath: already in `description`, here for people */
    bool carried;         /* `memory` and `compensation` are what the integrator's next run goes on from */
    char library[16];     /* the version of the library that wrote it: "0.1.0" */
    void *note;           /* `note_size` bytes of the caller's own, and a 0 behind them that is not counted */
    size_t note_size;
    void *storage; /* of the arrays */
} kdr_checkpoint;

/* Writes the particles, wherever their elements lie, with every array that they have: x, v, inverse masses, memory, compensation,
 * ids, hits, unsolved, dissipated, error, marks, levels; the clock, the integrator's description as a digest, and `note_size` bytes of
 * `note`, which are the caller's (NULL and 0: none). `integrator` may be NULL, as in a coupled run: then
 * nothing holds a reader to the description, and memory_key is written as it is, for machines of this byte order.
 *
 * It is written beside `path` (PATH.part), flushed to the disk and renamed: whenever the process or the machine stops, `path` is the whole
 * file of before or the whole new one. A PATH.part that a killed process has left is overwritten; two processes do not write one file.
 * KDR_ERROR_NULL for a pointer that is NULL; the errors of kdr_particles_check, with an integrator those of kdr_integrator_run;
 * KDR_ERROR_NO_MEMORY; KDR_ERROR_FILE, which leaves `path` as it was. */
KDR_API kdr_status kdr_checkpoint_write(const char *path, const kdr_integrator *integrator, const kdr_particles *particles,
                                        const kdr_clock *clock, const void *note, size_t note_size, kdr_error *error);

/* Reads a checkpoint; on success *checkpoint is the caller's, to be given to kdr_checkpoint_release. With an integrator, which may have
 * another backend and executor than the one it was written with, `particles` and `clock` can be run at once. `integrator` may be NULL: then
 * ask kdr_checkpoint_check before a run.
 * KDR_ERROR_NULL without path or checkpoint; KDR_ERROR_FILE; KDR_ERROR_FORMAT for a file that is no checkpoint, cut, longer than it says,
 * damaged anywhere, or of a later version; KDR_ERROR_NO_MEMORY; the errors of kdr_checkpoint_check. */
KDR_API kdr_status kdr_checkpoint_read(const char *path, const kdr_integrator *integrator, kdr_checkpoint *checkpoint, kdr_error *error);

/* Holds a checkpoint against an integrator, and makes the key of its memory for it. KDR_ERROR_NULL for a pointer that is NULL;
 * KDR_ERROR_MISMATCH for another description; the errors of kdr_integrator_run. */
KDR_API kdr_status kdr_checkpoint_check(kdr_checkpoint *checkpoint, const kdr_integrator *integrator, kdr_error *error);

/* Copies what a run changes, and the clock, into particles of the caller's, whose elements lie as the caller has them: x, v, memory,
 * compensation, memory_key, hits, unsolved, dissipated, error. What a run never writes, inverse masses, ids, marks and levels, must be the
 * checkpoint's to the bit, and every array that either has, the other must have too: KDR_ERROR_MISMATCH, as for another count, axes or
 * precision, and nothing is changed. KDR_ERROR_NULL for a pointer that is NULL; the errors of kdr_particles_check. */
KDR_API kdr_status kdr_checkpoint_restore(const kdr_checkpoint *checkpoint, kdr_particles *particles, kdr_clock *clock, kdr_error *error);

/* Frees what kdr_checkpoint_read allocated, and empties the checkpoint. NULL is allowed. */
KDR_API void kdr_checkpoint_release(kdr_checkpoint *checkpoint);

#ifdef __cplusplus
}
#endif
#endif
