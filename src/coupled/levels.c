/* Block time steps (Quinn, Katz, Stadel, Lake, astro-ph/9710043): a few particles take short steps, and the many are kicked seldom.
 *
 * All particles drift in every substep, a sweep over memory; nothing else is done to all. The particles of a level are a list, and their
 * velocities and accelerations are gathered for a kick. */
#include "levels.h"

#include <string.h>

#include "../particles/executor.h"
#include "../problem/problem.h"
#include "arrays.h"

static int level_of(const kdr_particles *p, size_t i) { return p->level ? p->level[kdr_offset(&p->level_layout, 1, i)] : 0; }

int kdr_levels_highest(const kdr_particles *particles) {
    int highest = 0;
    for (size_t i = 0; particles->level && i < particles->count; ++i) {
        const int level = level_of(particles, i);
        highest = level > highest && kdr_is_moved(particles, i) ? level : highest;
    }
    return highest;
}

void kdr_levels_make(const kdr_particles *particles, size_t *order, uint8_t *marks, kdr_levels *levels) {
    size_t next[KDR_MAX_LEVEL + 1];
    memset(levels, 0, sizeof *levels);
    memset(marks, 0, particles->count);
    levels->order = order;
    levels->marks = marks;
    for (size_t i = 0; i < particles->count; ++i) {
        levels->upto[level_of(particles, i)] += kdr_is_moved(particles, i);
    }
    for (int level = KDR_MAX_LEVEL; level >= 0; --level) {
        next[level] = levels->upto[level + 1];
        levels->highest = levels->highest == 0 && levels->upto[level] > 0 ? level : levels->highest;
        levels->upto[level] += levels->upto[level + 1];
    }
    for (size_t i = 0; i < particles->count; ++i) {
        if (kdr_is_moved(particles, i)) {
            order[next[level_of(particles, i)]++] = i;
        }
    }
}

kdr_particles kdr_levels_see(kdr_levels *levels, const kdr_particles *particles, int lowest) {
    const size_t wanted = levels->upto[lowest];
    kdr_particles seen = *particles;
    if (wanted < levels->upto[0]) {
        for (; levels->marked < wanted; ++levels->marked) {
            levels->marks[levels->order[levels->marked]] = 1;
        }
        for (; levels->marked > wanted; --levels->marked) {
            levels->marks[levels->order[levels->marked - 1]] = 0;
        }
        seen.active = levels->marks;
        seen.active_count = seen.count;
        seen.active_layout = (kdr_layout){0, 0, 0, 0};
    }
    return seen;
}

void kdr_levels_kick(const kdr_levels *levels, kdr_moves *moves, void *const a[3], int lowest, double dt, const double *kick, int kicked) {
    for (int level = levels->highest; level >= lowest; --level) {
        const double own = kdr_problem_clock(&(kdr_clock){.dt = dt}, level).dt;
        const size_t first = levels->upto[level + 1], count = levels->upto[level] - first;
        if (count > 0) {
            kdr_kick_listed(moves, own * kick[0], kicked > 1 ? own * kick[1] : 0, kicked, a, levels->order + first, count);
        }
    }
}
