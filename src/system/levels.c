/* Block time steps (Quinn, Katz, Stadel, Lake, astro-ph/9710043): a few particles take short steps, and most are kicked seldom.
 *
 * Only the drift, one sweep over memory in every substep, visits all particles. For a kick, the velocities and accelerations of a
 * level's particles are gathered by index. */
#include "levels.h"

#include <string.h>

#include "../particles/executor.h"
#include "../problem/problem.h"
#include "arrays.h"

static int level_of(const kdr_particles *p, size_t i) { return p->level ? p->level[kdr_offset(&p->level_layout, 1, i)] : 0; }

uint64_t kdr_levels_inhabited(const kdr_particles *particles) {
    uint64_t inhabited = 0;
    for (size_t i = 0; particles->level && i < particles->count; ++i) {
        inhabited |= (uint64_t)kdr_is_moved(particles, i) << level_of(particles, i);
    }
    return inhabited ? inhabited : 1;
}

void kdr_levels_make(const kdr_particles *particles, size_t *order, uint8_t *marks, kdr_levels *levels) {
    size_t next[KDR_MAX_LEVEL + 1];
    memset(levels, 0, sizeof *levels);
    memset(marks, 0, particles->count);
    levels->order = order;
    levels->marks = marks;
    levels->marked = (kdr_level_range){1, 0};
    levels->inhabited = kdr_levels_inhabited(particles);
    levels->highest = kdr_levels_highest(levels->inhabited);
    for (size_t i = 0; i < particles->count; ++i) {
        levels->upto[level_of(particles, i)] += kdr_is_moved(particles, i);
    }
    for (int level = KDR_MAX_LEVEL; level >= 0; --level) {
        next[level] = levels->upto[level + 1];
        levels->upto[level] += levels->upto[level + 1];
    }
    for (size_t i = 0; i < particles->count; ++i) {
        if (kdr_is_moved(particles, i)) {
            order[next[level_of(particles, i)]++] = i;
        }
    }
}

kdr_level_range kdr_levels_at(const kdr_leveled *by, int highest, uint64_t m, int turn) {
    static const kdr_level_range none = {1, 0};
    const uint64_t last = (uint64_t)by->drifts << highest;
    const int twos = m > 0 ? __builtin_ctzll(m) : 0, lowest = m > 0 ? highest + by->drifts - 1 - twos : 0;
    if (turn == KDR_MIDDLE) {
        return by->drifts == 2 && lowest > 0 ? (kdr_level_range){lowest - 1, lowest - 1} : none;
    }
    return m == (turn == KDR_BEGINNING ? last : 0) ? none : (kdr_level_range){lowest, highest};
}

kdr_level_range kdr_levels_wanted(const kdr_leveled *by, int highest, uint64_t m, bool keeps) {
    kdr_level_range wanted = {1, 0};
    for (int turn = 0; turn < KDR_TURNS; ++turn) {
        const kdr_level_range at = kdr_levels_at(by, highest, m, turn);
        if (by->kick[turn] != 0.0 && at.lowest <= at.highest && !(keeps && turn == KDR_BEGINNING)) {
            const bool more = wanted.lowest <= wanted.highest;
            wanted.lowest = more && wanted.lowest < at.lowest ? wanted.lowest : at.lowest;
            wanted.highest = more && wanted.highest > at.highest ? wanted.highest : at.highest;
        }
    }
    return wanted;
}

uint64_t kdr_levels_evaluations(const kdr_leveled *by, uint64_t inhabited, bool keeps) {
    const int highest = kdr_levels_highest(inhabited), most = highest + by->drifts - 1;
    uint64_t sum = kdr_levels_are_any(inhabited, kdr_levels_wanted(by, highest, 0, keeps));
    for (int twos = 0; twos <= most; ++twos) { /* among the moments after the first, one in 2^(twos + 1) is an odd multiple of 2^twos */
        const uint64_t like = twos < most ? UINT64_C(1) << (most - twos - 1) : 1;
        sum += kdr_levels_are_any(inhabited, kdr_levels_wanted(by, highest, UINT64_C(1) << twos, keeps)) ? like : 0;
    }
    return sum;
}

static void mark(kdr_levels *levels, kdr_level_range range, uint8_t with) {
    size_t count;
    const size_t *const list = kdr_levels_list(levels, range, &count);
    for (size_t i = 0; i < count; ++i) {
        levels->marks[list[i]] = with;
    }
}

kdr_particles kdr_levels_see(kdr_levels *levels, const kdr_particles *particles, kdr_level_range range) {
    size_t wanted;
    kdr_particles seen = *particles;
    (void)kdr_levels_list(levels, range, &wanted);
    if (wanted < levels->upto[0]) {
        mark(levels, levels->marked, 0);
        mark(levels, range, 1);
        levels->marked = range;
        seen.active = levels->marks;
        seen.active_count = seen.count;
        seen.active_layout = (kdr_layout){0, 0, 0, 0};
    }
    return seen;
}

void kdr_levels_kick(const kdr_levels *levels, kdr_moves *moves, void *const a[3], const kdr_leveled *by, uint64_t m, double dt) {
    static const int order[KDR_TURNS] = {KDR_ENDING, KDR_MIDDLE, KDR_BEGINNING};
    for (int level = levels->highest; level >= 0; --level) {
        size_t count;
        const size_t *const list = kdr_levels_list(levels, (kdr_level_range){level, level}, &count);
        const double own = kdr_problem_clock(&(kdr_clock){.dt = dt}, level).dt;
        double kick[KDR_TURNS];
        int kicks = 0;
        for (int k = 0; k < KDR_TURNS; ++k) {
            const kdr_level_range at = kdr_levels_at(by, levels->highest, m, order[k]);
            const bool there = at.lowest <= level && level <= at.highest && by->kick[order[k]] != 0.0;
            kick[kicks] = own * by->kick[order[k]];
            kicks += there;
        }
        if (kicks > 0 && count > 0) {
            kdr_kick_listed(moves, kick[0], kicks > 1 ? kick[1] : 0, kicks, a, list, count);
        }
    }
}
