/* Shared by the readers of files of frames: frames_read.c for all formats, and frames_read_csv.c, frames_read_xyz.c, frames_read_npy.c and
 * frames_read_h5.c for one each. */
#ifndef KICKDRIFT_TOOLS_FRAMES_READER_H
#define KICKDRIFT_TOOLS_FRAMES_READER_H

#include "frames_read.h"

#include <kickdrift/io.h>

#include <stdio.h>

enum { READER_STATES = 6, READER_MASS = READER_STATES, READER_COLUMNS };

/* One particle, as the file has it. */
typedef struct reader_row {
    double values[READER_COLUMNS]; /* x, y, z, vx, vy, vz, mass */
    uint64_t id;
    double image[3];
} reader_row;

/* The quantities that all particles of a frame have. */
typedef struct reader_shape {
    bool velocities, ids, masses, images;
} reader_shape;

/* A format. `open` puts the format's own state into r->own, and `close` frees it. */
typedef struct reader_kind {
    const char *ends[2];
    bool (*open)(frames_reader *r);
    frame_result (*next)(frames_reader *r);
    void (*close)(frames_reader *r);
} reader_kind;

extern const reader_kind reader_csv, reader_h5, reader_xyz, reader_npy;

struct frames_reader {
    const reader_kind *kind;
    const char *path, *group;
    fault *why;
    frame frame;
    reader_shape shape;
    uint64_t frames;     /* number of frames that were read */
    size_t room;         /* number of particles that the arrays have room for */
    uint64_t size, done; /* size of the file and how much was read, in bytes or frames */
    FILE *stream;        /* NULL: the format opens the file itself */
    size_t line;         /* the current line; 0: the format has no lines */
    char left_out[1024];
    void *own;
};

/* Reports "FILE:LINE: <message>". Always returns false. */
FAULT_FORMAT(2, 3) bool reader_complain(frames_reader *r, const char *format, ...);

/* Adds to the text that names what no frame can hold. A text that is there already is not added again. */
FAULT_FORMAT(2, 3) void reader_leave_out(frames_reader *r, const char *format, ...);

/* Opens the file as a stream of bytes. Returns false, with the fault set, on failure. */
bool reader_open_stream(frames_reader *r);

/* Begins a frame. Its particles must have the same quantities as those of the first frame. */
bool reader_begin_frame(frames_reader *r, reader_shape shape);

/* Adds a particle to the current frame. */
bool reader_add(frames_reader *r, const reader_row *row);

/* READER_WHOLE is the type of a step or an id: a whole number, which may be written 5.0 or 5e3. READER_NUMBER is any number. */
extern const value_type READER_WHOLE, READER_NUMBER;

#endif
