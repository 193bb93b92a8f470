/* Shared by the readers of the kinds of files of frames: frames_read.c, which has what all need, and frames_read_csv.c, frames_read_xyz.c,
 * frames_read_npy.c and frames_read_h5.c. */
#ifndef KICKDRIFT_TOOLS_FRAMES_READER_H
#define KICKDRIFT_TOOLS_FRAMES_READER_H

#include "frames_read.h"

#include <kickdrift/io.h>

#include <stdio.h>

enum { READER_STATES = 6, READER_MASS = READER_STATES, READER_COLUMNS };

/* One particle as a file has it. */
typedef struct reader_row {
    double values[READER_COLUMNS]; /* x, y, z, vx, vy, vz, mass */
    uint64_t id;
    double image[3];
} reader_row;

/* What the particles of a frame have. */
typedef struct reader_shape {
    bool velocities, ids, masses, images;
} reader_shape;

/* Each kind has its own state, which `open` puts into r->own and `close` frees. */
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
    uint64_t frames;     /* that were read */
    size_t room;         /* particles that the arrays have room for */
    uint64_t size, done; /* bytes, or frames */
    FILE *stream;        /* NULL: the kind opens the file by itself */
    size_t line;         /* 0: the kind has no lines */
    char left_out[1024];
    void *own;
};

/* "FILE:LINE: <message>"; always false. */
FAULT_FORMAT(2, 3) bool reader_complain(frames_reader *r, const char *format, ...);

/* Adds to the words that name what of the file no frame has; what is named already is not named again. */
FAULT_FORMAT(2, 3) void reader_leave_out(frames_reader *r, const char *format, ...);

/* Opens the file as a stream of bytes. */
bool reader_open_stream(frames_reader *r);

/* Begins a frame, whose particles must have what those of the first frame have. */
bool reader_begin_frame(frames_reader *r, reader_shape shape);

/* Adds a particle to the frame that has begun. */
bool reader_add(frames_reader *r, const reader_row *row);

/* A step or an id: a whole number, which may be written 5.0 or 5e3; and any number. */
extern const value_type READER_WHOLE, READER_NUMBER;

#endif
