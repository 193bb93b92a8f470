/* The loops as they would be written by hand. */
#include "frame.h"

#include <math.h>

static const float weight = -10, minus_bounce = -1.75f;

/* Bounces off the plane z = 0 without friction, by the rules of collider.h. The parabola meets the plane at the fraction f of the step, and
 * another parabola follows; or the particle rests. */
static inline void meet_ground(float *z, float *vz, float z0, float vz0, float h) {
    if (*z < 0) {
        const float change = *vz - vz0, rate = h * vz0, bend = *z - z0 - rate;
        const float f = z0 > 0 || vz0 > 0 ? (rate + sqrtf(rate * rate - 4 * bend * z0)) / (-2 * bend) : 0, left = 1 - f,
                    at = vz0 + f * change;
        *z = *vz = 0;
        if (at < change) {
            const float up = (1 + minus_bounce) * at, end = left * (h * up + left * bend);
            *z = end > 0 ? end : 0;
            *vz = end > 0 || up + left * change > 0 ? up + left * change : 0;
        }
    }
}

void frame_of_structures(frame_ball *balls, size_t count, float h, bool ground) {
    for (size_t i = 0; i < count; ++i) {
        float *const x = balls[i].xv, *const v = x + 3;
        const float z0 = x[2], vz0 = v[2];
        v[2] += h * weight;
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] += h * v[axis];
        }
        if (ground) {
            meet_ground(&x[2], &v[2], z0, vz0, h);
        }
    }
}

/* Moves the particles. Because its parameters are `restrict` and it has no branch, gcc vectorises it. */
static void move_arrays(float *restrict x, float *restrict y, float *restrict z, float *restrict vx, float *restrict vy, float *restrict vz,
                        size_t count, float h) {
    for (size_t i = 0; i < count; ++i) {
        vz[i] += h * weight;
        x[i] += h * vx[i];
        y[i] += h * vy[i];
        z[i] += h * vz[i];
    }
}

void frame_of_arrays(float *const array[6], size_t count, float h) {
    move_arrays(array[0], array[1], array[2], array[3], array[4], array[5], count, h);
}
