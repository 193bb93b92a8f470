/* Files of frames; a frame has all particles at one step. The ending of the name decides the format: .h5 is H5MD, .xyz extended XYZ, .npy
 * NumPy's format, .csv or no ending CSV. */
#ifndef KICKDRIFT_TOOLS_FRAMES_H
#define KICKDRIFT_TOOLS_FRAMES_H

#include "outfile.h"
#include "population.h"

#include <kickdrift/io.h>

/* The properties that all frames of a file have in common. */
typedef struct frames_head {
    const population *of;
    kdr_boundary boundary;
    const char *const *observables; /* names of the numbers that each frame has in addition to its particles; only H5MD keeps them */
    int observable_count;
    bool resumable; /* frames_mark_now will be called */
} frames_head;

typedef struct frames_format frames_format;

/* A compressed chunk, as kdr_trajectory_append_chunk takes it. */
typedef struct frames_chunk {
    size_t begin, count, sizes[2];
    const void *bytes;
} frames_chunk;

typedef struct frames {
    const frames_format *format; /* NULL: the file is not open */
    outfile file;
    kdr_trajectory *trajectory; /* used for H5MD only */
    uint64_t count;             /* number of frames that were written */
    size_t particles;           /* number of particles in a frame */
    size_t placed;              /* number of particles that were written of the current frame */
    uint64_t rows;              /* number of particles that were written in all frames */
    double box[3];              /* edges of a periodic box; 0 on an axis that is not periodic */
    bool has_box;               /* frames_set_box has set the edges, which differ from the head's */
} frames;

/* The quantities that a format can hold in addition to steps, times, ids, positions, velocities and masses. */
typedef struct frames_room {
    bool box, images, observables;
} frames_room;
frames_room frames_room_of(const frames *f);

/* Returns false, with `why` filled, if the name has an ending of no known format. A device or a pipe may have any name. */
bool frames_check_ending(const char *path, bool resumable, fault *why);

/* Returns true if the name means CSV, which is the format of names with no other known ending. */
bool frames_is_csv(const char *path);

/* Creates the file. On failure no file is left. A name with an unknown ending is refused unless it is a device or a pipe. */
bool frames_open(frames *f, const char *path, const frames_head *head, fault *why);

/* Continues a file from a mark, as outfile_resume does. */
bool frames_resume(frames *f, const char *path, const frames_head *head, const outfile_mark *mark, fault *why);

/* Adds the next particles to the frame: all of them, or a slice. The frame is complete when it has of->total particles. */
bool frames_write(frames *f, const population *of, uint64_t step, double t, const double *observables, fault *why);

/* Sets the edges of the box for the frames that follow. */
void frames_set_box(frames *f, const double box[3]);

/* frames_packs returns true if the frame may be written as chunks that are already compressed: H5MD without images, and not the first frame
 * of particles with ids or masses. frames_desc describes the data to compress; it borrows `view`. frames_write_chunk adds a compressed
 * chunk, in any order. */
bool frames_packs(const frames *f, const population *of);
kdr_trajectory_desc frames_desc(const population *of, kdr_particles *view);
bool frames_write_chunk(frames *f, const population *of, const frames_chunk *chunk, uint64_t step, double t, const double *observables,
                        fault *why);

/* Keeps a text under a name if the format has room for it. */
bool frames_note(frames *f, const char *name, const char *text, fault *why);

/* These do what outfile_mark_now, outfile_commit and outfile_discard do. */
bool frames_mark_now(frames *f, outfile_mark *mark, fault *why);
bool frames_commit(frames *f, fault *why);
void frames_discard(frames *f);

#endif
