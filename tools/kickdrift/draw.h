/* Random vectors from a seed. The generator (Philox) is counter-based: a draw depends on (seed, id, purpose) alone, not on the machine, the
 * number of threads or the other particles. */
#ifndef KICKDRIFT_TOOLS_DRAW_H
#define KICKDRIFT_TOOLS_DRAW_H

#include <stdint.h>

typedef enum random_shape {
    RANDOM_BOX,    /* uniform between a and b */
    RANDOM_BALL,   /* uniform within b[0] of a */
    RANDOM_SPHERE, /* uniform at the distance b[0] from a */
    RANDOM_POINT,  /* always a */
    RANDOM_NORMAL  /* mean a, standard deviations b */
} random_shape;

typedef struct random_distribution {
    random_shape shape;
    double a[3], b[3];
} random_distribution;

/* The quantity that is drawn. Each has an independent stream of random numbers. */
typedef enum random_purpose { RANDOM_POSITION = 0, RANDOM_VELOCITY = 1, RANDOM_MASS = 2 } random_purpose;

/* Draws x, y, z, vx, vy, vz of a body of a Plummer sphere in equilibrium and at rest, with radius 1 and G times mass 1, as Aarseth, Henon
 * and Wielen do (Astron. Astrophys. 37 (1974) 183). The outermost thousandth of the mass is left out, so no body is farther than 39 from
 * the centre. */
void random_plummer(uint64_t seed, uint64_t id, double state[6]);

void random_vector(const random_distribution *distribution, uint64_t seed, uint64_t id, random_purpose purpose, double vector[3]);

#endif
