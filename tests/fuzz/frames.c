/* Files of frames: any bytes, named .xyz, .npy or .csv, are frames whose particles have all their numbers, or are refused with a reason. */
#include "input.h"

#include "frames_read.h"

#include <stdlib.h>
#include <unistd.h>

/* Reads all numbers of a frame, so that a sanitizer sees missing ones. */
static double sum_of(const frame *f) {
    double sum = f->t + (double)f->step;
    for (size_t i = 0; i < f->of.particles.count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            sum += population_get(&f->of, f->of.particles.x[axis], i) + population_get(&f->of, f->of.particles.v[axis], i);
        }
        sum += population_mass(&f->of, i) + (double)population_id(&f->of, i);
    }
    return sum;
}

static void read_frames(const char *name) {
    fault why;
    why.text[0] = '\0';
    frames_reader *const reader = frames_read_open(name, NULL, &why);
    frame_result found = FRAME_WRONG;
    while (reader && (found = frames_read_next(reader)) == FRAME_READ) {
        volatile const double sum = sum_of(frames_read_frame(reader)); /* volatile, so that it is computed */
        (void)sum;
    }
    if (found == FRAME_WRONG && !why.text[0]) {
        abort();
    }
    frames_read_close(reader);
}

/* The first byte chooses the kind. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char name[40];
    const uint8_t kind = size > 0 ? data[0] : 0;
    (void)snprintf(name, sizeof name, "/tmp/kickdrift-fuzz-XXXXXX%s", kind == 'n' ? ".npy" : kind == 'c' ? ".csv" : ".xyz");
    const int file = mkstemps(name, 4);
    if (file < 0) {
        return 0;
    }
    const bool good = size < 2 || write(file, data + 1, size - 1) == (ssize_t)(size - 1);
    (void)close(file);
    if (good) {
        read_frames(name);
    }
    (void)unlink(name);
    return 0;
}
