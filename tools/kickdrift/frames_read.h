/* Files of frames, read one frame at a time: .h5, .xyz, .npy as frames.h writes them, H5MD, extended XYZ and structured arrays of others too, else
 * CSV. What is read is what is in the file: a frame has its own ids and masses, and what no frame has is named. */
#ifndef KICKDRIFT_TOOLS_FRAMES_READ_H
#define KICKDRIFT_TOOLS_FRAMES_READ_H

#include "population.h"

#include <kickdrift/io.h>

typedef struct frames_reader frames_reader;

/* The frame that was read: plain arrays, which hold until the next one is. Masses are in `of.mass`. */
typedef struct frame {
    population of;
    uint64_t step;
    double t;
    double box[3];        /* the edges of a periodic box, 0 on an axis without */
    int observable_count; /* numbers that each frame has in addition */
    const char *observable_names[KDR_MAX_OBSERVABLES];
    double observables[KDR_MAX_OBSERVABLES];
} frame;

typedef enum frame_result { FRAME_READ, FRAME_END, FRAME_WRONG } frame_result;

/* NULL, with `why` filled, on failure; `path`, `group` and `why` are borrowed. `group`: of /particles of an H5MD file; NULL: the first. */
frames_reader *frames_read_open(const char *path, const char *group, fault *why);
void frames_read_close(frames_reader *r); /* NULL is allowed */

frame_result frames_read_next(frames_reader *r);
const frame *frames_read_frame(const frames_reader *r);

/* What of the file so far no frame has, in words; "": nothing. */
const char *frames_read_left_out(const frames_reader *r);

/* The rows of a .npy file; and `count` of them from row `first` on as the frame that was read, fewer where a frame ends. */
uint64_t frames_read_row_count(const frames_reader *r);
bool frames_read_rows(frames_reader *r, uint64_t first, size_t count);

/* How much of the file has been read, in thousandths. */
uint64_t frames_read_done(const frames_reader *r);

#endif
