/* The loops, as they are written by hand. */
#include "frame.h"

static const float weight = -10, minus_bounce = -1.75f;

/* The contact of collider.h with a plane z = 0 without friction: where the way meets it, a bounce with what is left of the step, or rest. */
static inline void meet_ground(float *z, float *vz, float z0, float vz0) {
    if (*z <= 0) {
        const float f = z0 > 0 ? z0 / (z0 - *z) : 0, change = *vz - vz0, at = vz0 + f * change;
        if (at < 0 && at < change) {
            *vz += minus_bounce * at;
            *z += minus_bounce * *z;
        } else {
            *vz = *vz < 0 ? 0 : *vz;
            *z = 0;
        }
        *z = *z < 0 ? 0 : *z;
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
            meet_ground(&x[2], &v[2], z0, vz0);
        }
    }
}

/* Of parameters that are `restrict`, and without a branch, gcc makes vectors. */
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
