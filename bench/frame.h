/* The plain loops of a game's frame: gravity, one step of semi-implicit Euler, and where asked a bounce off the ground as the library has it. */
#ifndef KDR_BENCH_FRAME_H
#define KDR_BENCH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 32 bytes: x, then v. */
typedef struct frame_ball {
    float xv[6], drag;
    int32_t id;
} frame_ball;

void frame_of_structures(frame_ball *balls, size_t count, float h, bool ground);
void frame_of_arrays(float *const array[6], size_t count, float h);

#endif
