/* Block time steps: which particles are at which turn of a step of their own at which moment, and the kicks of those.
 *
 * A step of the clock, or each part of it where the method is composed, is 2^highest substeps of one drift or of two halves. Moments are
 * what is between two drifts, and before the first and after the last. At those two all particles begin or end a step; at others those of
 * some level or more, and where substeps have halves those of the level below are in the middle of one. */
#ifndef KDR_COUPLED_LEVELS_H
#define KDR_COUPLED_LEVELS_H

#include <kickdrift/integrator.h>

#include "../problem/coupled.h"
#include "moves.h"

typedef struct kdr_levels {
    uint64_t inhabited;             /* levels, a bit each; */
    int highest;                    /* and the highest of them */
    size_t upto[KDR_MAX_LEVEL + 2]; /* of `order`: how many have at least this level */
    size_t *order;                  /* these particles, the highest level first, and those of a level as they come */
    uint8_t *marks;                 /* of all particles: those of the `marked` levels have one */
    struct kdr_level_range {
        int lowest, highest; /* none, where the lowest is above the highest */
    } marked;
} kdr_levels;
typedef struct kdr_level_range kdr_level_range;

/* The levels of the particles that move, a bit each: 1, that of level 0, when there is none, or no levels are given. */
uint64_t kdr_levels_inhabited(const kdr_particles *particles);

static inline int kdr_levels_highest(uint64_t inhabited) { return 63 - __builtin_clzll(inhabited); }

/* `order` and `marks`: as many elements as there are particles. */
void kdr_levels_make(const kdr_particles *particles, size_t *order, uint8_t *marks, kdr_levels *levels);

/* The levels whose particles are at this turn of a step at moment m of a part of the clock's step. */
kdr_level_range kdr_levels_at(const kdr_leveled *by, int highest, uint64_t m, int turn);

/* Those who are kicked there by what is evaluated there: by a method that keeps its acceleration not where a step begins. */
kdr_level_range kdr_levels_wanted(const kdr_leveled *by, int highest, uint64_t m, bool keeps);

static inline bool kdr_levels_are_any(uint64_t inhabited, kdr_level_range range) {
    return range.lowest <= range.highest && (inhabited >> range.lowest & ((UINT64_C(2) << (range.highest - range.lowest)) - 1)) != 0;
}

/* How often accelerations are evaluated in a part of the clock's step. */
uint64_t kdr_levels_evaluations(const kdr_leveled *by, uint64_t inhabited, bool keeps);

/* The particles with marks on those that move and have these levels; as they are when that is all that move. */
kdr_particles kdr_levels_see(kdr_levels *levels, const kdr_particles *particles, kdr_level_range range);

/* Particles of some levels, as they stand in `order`. */
static inline const size_t *kdr_levels_list(const kdr_levels *levels, kdr_level_range range, size_t *count) {
    const size_t first = levels->upto[range.highest + 1];
    *count = range.lowest > range.highest ? 0 : levels->upto[range.lowest] - first;
    return levels->order + first;
}

/* Whether that view has marks of its own: its particles are then those of the `marked` levels. */
static inline bool kdr_levels_are_some(const kdr_levels *levels, const kdr_particles *seen) {
    return levels->marks && seen->active == levels->marks;
}

/* Kicks those that are at these turns of their steps at moment m by a, one turn after the other. `dt`: the part of the clock's step. */
void kdr_levels_kick(const kdr_levels *levels, kdr_moves *moves, void *const a[3], const kdr_leveled *by, uint64_t m, double dt);

#endif
