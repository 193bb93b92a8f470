/* Block time steps: which levels are kicked at which moment.
 *
 * The clock's step, or each substep of a composed method, is divided into 2^highest parts of one or two drifts. Moments are numbered: 0
 * before the first drift, then one after each drift. All particles begin a step at the first moment and end one at the last. At a moment
 * between, some level and all higher ones do. With two drifts per part, the level just below is then in the middle of its step. */
#ifndef KDR_SYSTEM_LEVELS_H
#define KDR_SYSTEM_LEVELS_H

#include <kickdrift/integrator.h>

#include "../problem/system.h"
#include "kick_drift_passes.h"

typedef struct kdr_levels {
    uint64_t inhabited;             /* levels that have particles, one bit each */
    int highest;                    /* the highest of them */
    size_t upto[KDR_MAX_LEVEL + 2]; /* upto[n] particles of `order` have level n or higher */
    size_t *order;                  /* indices of moving particles, highest level first, in ascending order within a level */
    uint8_t *marks;                 /* one mark per particle: those of the `marked` levels */
    struct kdr_level_range {
        int lowest, highest; /* empty if lowest > highest */
    } marked;
} kdr_levels;
typedef struct kdr_level_range kdr_level_range;

/* Returns the levels of the moving particles, one bit each; only level 0 if no particle moves or there are no levels. */
uint64_t kdr_levels_inhabited(const kdr_particles *particles);

static inline int kdr_levels_highest(uint64_t inhabited) { return 63 - __builtin_clzll(inhabited); }

/* Sorts the particles by level. `order` and `marks` need one element per particle. */
void kdr_levels_make(const kdr_particles *particles, size_t *order, uint8_t *marks, kdr_levels *levels);

/* Returns the levels that are at this turn (beginning, middle or end) of their step at moment m. */
kdr_level_range kdr_levels_at(const kdr_leveled *by, int highest, uint64_t m, int turn);

/* Returns the levels that need an evaluation at moment m. A method that keeps its acceleration needs none where a step begins. */
kdr_level_range kdr_levels_wanted(const kdr_leveled *by, int highest, uint64_t m, bool keeps);

static inline bool kdr_levels_are_any(uint64_t inhabited, kdr_level_range range) {
    return range.lowest <= range.highest && (inhabited >> range.lowest & ((UINT64_C(2) << (range.highest - range.lowest)) - 1)) != 0;
}

/* Returns the number of evaluations in one substep of the clock's step. */
uint64_t kdr_levels_evaluations(const kdr_leveled *by, uint64_t inhabited, bool keeps);

/* Returns the particles with marks on the moving ones of these levels. If those are all that move, the view is returned unchanged. */
kdr_particles kdr_levels_see(kdr_levels *levels, const kdr_particles *particles, kdr_level_range range);

/* Returns the indices of the particles in a range of levels, and their number. */
static inline const size_t *kdr_levels_list(const kdr_levels *levels, kdr_level_range range, size_t *count) {
    const size_t first = levels->upto[range.highest + 1];
    *count = range.lowest > range.highest ? 0 : levels->upto[range.lowest] - first;
    return levels->order + first;
}

/* Returns whether that view has the marks made here, so that only the `marked` levels are evaluated. */
static inline bool kdr_levels_are_some(const kdr_levels *levels, const kdr_particles *seen) {
    return levels->marks && seen->active == levels->marks;
}

/* Kicks by a the levels that end, are in the middle of or begin a step at moment m, in this order. `dt` is the length of the substep of
 * the clock's step. */
void kdr_levels_kick(const kdr_levels *levels, kdr_moves *moves, void *const a[3], const kdr_leveled *by, uint64_t m, double dt);

#endif
