/* Files of frames, each all particles at a step: written as the name ends, .h5 H5MD, .xyz extended XYZ, .npy NumPy's, .csv or without an
 * ending CSV. */
#ifndef KICKDRIFT_TOOLS_FRAMES_H
#define KICKDRIFT_TOOLS_FRAMES_H

#include "outfile.h"
#include "population.h"

#include <kickdrift/io.h>

/* What a file of frames says of all of them. */
typedef struct frames_head {
    const population *of;
    kdr_boundary boundary;
    const char *const *observables; /* names of numbers that each frame has, which H5MD keeps */
    int observable_count;
    bool resumable; /* a mark will be asked for */
} frames_head;

typedef struct frames_format frames_format;

/* A chunk that was compressed, as kdr_trajectory_append_chunk takes it. */
typedef struct frames_chunk {
    size_t begin, count, sizes[2];
    const void *bytes;
} frames_chunk;

typedef struct frames {
    const frames_format *format; /* NULL: not open */
    outfile file;
    kdr_trajectory *trajectory; /* of H5MD */
    uint64_t count;             /* frames that were written */
    size_t particles;           /* of a frame */
    size_t placed;              /* of the frame that is being written */
    uint64_t rows;              /* particles of all frames that were written */
    double box[3];              /* edges of a periodic box, 0 on an axis without */
    bool has_box;               /* they are not those of the head: frames_set_box set them */
} frames;

/* What a kind of file has room for, in addition to steps, times, ids, places, velocities and masses. */
typedef struct frames_room {
    bool box, images, observables;
} frames_room;
frames_room frames_room_of(const frames *f);

/* False, with `why` filled, where the name ends as no kind of file does. A device or a pipe may have any. */
bool frames_check_ending(const char *path, bool resumable, fault *why);

/* CSV by its name: none of the others. */
bool frames_is_csv(const char *path);

/* On failure nothing is left behind. A name with an ending of no kind is refused, but of a device or a pipe. */
bool frames_open(frames *f, const char *path, const frames_head *head, fault *why);

/* Goes on after a mark, as outfile_resume does. */
bool frames_resume(frames *f, const char *path, const frames_head *head, const outfile_mark *mark, fault *why);

/* Adds the particles that come next to a frame: all of it, or a slice; with of->total of them it is whole. */
bool frames_write(frames *f, const population *of, uint64_t step, double t, const double *observables, fault *why);

/* Sets the edges of the box of the frames that come. */
void frames_set_box(frames *f, const double box[3]);

/* Of H5MD without images, behind its first frame where particles have ids or masses: whoever has the particles of a chunk may compress it, by this description, which
 * borrows `view`; and adds a chunk that was compressed, in any order. */
bool frames_packs(const frames *f, const population *of);
kdr_trajectory_desc frames_desc(const population *of, kdr_particles *view);
bool frames_write_chunk(frames *f, const population *of, const frames_chunk *chunk, uint64_t step, double t, const double *observables,
                        fault *why);

/* Keeps a text under a name, where the format has room for it. */
bool frames_note(frames *f, const char *name, const char *text, fault *why);

/* As outfile_mark_now, outfile_commit and outfile_discard. */
bool frames_mark_now(frames *f, outfile_mark *mark, fault *why);
bool frames_commit(frames *f, fault *why);
void frames_discard(frames *f);

#endif
