/* The plain loops of a game's frame: gravity, one step of semi-implicit Euler, and optionally a bounce off the ground by the library's
 * rules. */
#ifndef KDR_BENCH_FRAME_H
#define KDR_BENCH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A structure of 32 bytes that begins with x, then v. */
typedef struct frame_ball {
    float xv[6], drag;
    int32_t id;
} frame_ball;

void frame_of_structures(frame_ball *balls, size_t count, float h, bool ground);
void frame_of_arrays(float *const array[6], size_t count, float h);

#endif
