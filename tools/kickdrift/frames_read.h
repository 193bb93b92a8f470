/* Files of frames, read one frame at a time: .h5, .xyz, .npy as frames.h writes them, H5MD and extended XYZ of others too, else CSV. */
#ifndef KICKDRIFT_TOOLS_FRAMES_READ_H
#define KICKDRIFT_TOOLS_FRAMES_READ_H

#include "population.h"

typedef struct frames_reader frames_reader;

/* The frame that was read: plain arrays, which hold until the next one is. */
typedef struct frame {
    population of;
    uint64_t step;
    double t;
} frame;

typedef enum frame_result { FRAME_READ, FRAME_END, FRAME_WRONG } frame_result;

/* NULL, with `why` filled, on failure; `path` and `why` are borrowed. */
frames_reader *frames_read_open(const char *path, fault *why);
void frames_read_close(frames_reader *r); /* NULL is allowed */

frame_result frames_read_next(frames_reader *r);
const frame *frames_read_frame(const frames_reader *r);

/* Of a .npy file: how many rows it has; and `count` of them from row `first` on as the frame that was read, fewer where a frame ends. */
uint64_t frames_read_row_count(const frames_reader *r);
bool frames_read_rows(frames_reader *r, uint64_t first, size_t count);

/* How much of the file has been read, in thousandths. */
uint64_t frames_read_done(const frames_reader *r);

/* The edges of a periodic box, 0 on an axis without. */
const double *frames_read_box(const frames_reader *r);

#endif
