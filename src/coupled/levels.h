/* Block time steps: which particles begin and end a step of their own with which substep, and the kicks of those.
 *
 * A step of the clock, or each part of it where the method is composed, is 2^highest substeps. Before the first and after the last of them
 * all particles begin or end a step, between two of them those of some level or more. */
#ifndef KDR_COUPLED_LEVELS_H
#define KDR_COUPLED_LEVELS_H

#include <kickdrift/integrator.h>

#include "../method/method.h"
#include "moves.h"

typedef struct kdr_levels {
    int highest;                    /* level of an active particle that moves; 0 too where no levels are given */
    size_t upto[KDR_MAX_LEVEL + 2]; /* of `order`: how many have at least this level */
    size_t *order;                  /* these particles, the highest level first, and those of a level as they come */
    uint8_t *marks;                 /* of all particles: the first `marked` of `order` have one */
    size_t marked;
} kdr_levels;

/* The highest level of the particles that move: 0 when there is none, or no levels are given. */
int kdr_levels_highest(const kdr_particles *particles);

/* `order` and `marks`: as many elements as there are particles. */
void kdr_levels_make(const kdr_particles *particles, size_t *order, uint8_t *marks, kdr_levels *levels);

/* The lowest level whose particles begin a step of their own with substep s and end one with s - 1; s from 0 to 2^highest. */
static inline int kdr_levels_lowest(int highest, uint64_t s) {
    int lowest = highest;
    for (; lowest > 0 && s % 2 == 0; s /= 2) {
        --lowest;
    }
    return lowest;
}

/* The particles with marks on those that move and have at least this level; as they are when that is all that move. */
kdr_particles kdr_levels_see(kdr_levels *levels, const kdr_particles *particles, int lowest);

/* Whether that view has marks of its own: its particles are then the first `marked` of `order`. */
static inline bool kdr_levels_are_some(const kdr_levels *levels, const kdr_particles *seen) {
    return levels->marks && seen->active == levels->marks;
}

/* Kicks those that have at least this level by a: one kick or two, one after the other, each of its fraction of a particle's own step.
 * `dt`: that of level 0. */
void kdr_levels_kick(const kdr_levels *levels, kdr_moves *moves, void *const a[3], int lowest, double dt, const double *kick, int kicked);

#endif
