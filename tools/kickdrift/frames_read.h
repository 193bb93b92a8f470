/* Reads files of frames, one frame at a time: .h5, .xyz and .npy files as frames.h writes them or other programs do (H5MD, extended XYZ,
 * structured arrays), and CSV for all other names. A frame has the ids and masses of the file. Contents that a frame cannot hold are named
 * by frames_read_left_out. */
#ifndef KICKDRIFT_TOOLS_FRAMES_READ_H
#define KICKDRIFT_TOOLS_FRAMES_READ_H

#include "population.h"

#include <kickdrift/io.h>

typedef struct frames_reader frames_reader;

/* The frame that was read: contiguous arrays, valid until the next frame is read. Masses are in `of.mass`. */
typedef struct frame {
    population of;
    uint64_t step;
    double t;
    double box[3];        /* the edges of a periodic box; 0 on an axis that is not periodic */
    int observable_count; /* numbers that each frame has in addition to its particles */
    const char *observable_names[KDR_MAX_OBSERVABLES];
    double observables[KDR_MAX_OBSERVABLES];
} frame;

typedef enum frame_result { FRAME_READ, FRAME_END, FRAME_WRONG } frame_result;

/* Opens a file. Returns NULL, with `why` filled, on failure. `path`, `group` and `why` are borrowed. `group` is a group in /particles of an
 * H5MD file; NULL means the first. */
frames_reader *frames_read_open(const char *path, const char *group, fault *why);
void frames_read_close(frames_reader *r); /* may be NULL */

frame_result frames_read_next(frames_reader *r);
const frame *frames_read_frame(const frames_reader *r);

/* Returns words that name what the file has so far and no frame can hold; "" if there is nothing. */
const char *frames_read_left_out(const frames_reader *r);

/* For .npy files: frames_read_row_count returns the number of rows. frames_read_rows reads `count` rows from row `first` on as one frame;
 * fewer if a frame of the file ends before. */
uint64_t frames_read_row_count(const frames_reader *r);
bool frames_read_rows(frames_reader *r, uint64_t first, size_t count);

/* Returns how much of the file has been read, in thousandths. */
uint64_t frames_read_done(const frames_reader *r);

#endif
