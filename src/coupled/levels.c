/* Block time steps (Quinn, Katz, Stadel, Lake, astro-ph/9710043): a few particles take short steps, and the many are kicked seldom.
 *
 * All particles drift in every substep, a sweep over memory; nothing else is done to all. The particles of a level are a list, and their
 * velocities and accelerations are gathered for a kick, a few hundred at a time. */
#include "levels.h"

#include <string.h>

#include "../method/problem.h"
#include "../particles/element.h"
#include "../particles/executor.h"

enum { TOGETHER = 256 }; /* particles of a list that are kicked at a time: 12 KB of stack */

static bool moves(const kdr_particles *p, size_t i) { return (!p->active || p->active[i]) && kdr_inverse_mass(p, i) != 0.0; }

int kdr_levels_highest(const kdr_particles *particles) {
    int highest = 0;
    for (size_t i = 0; particles->level && i < particles->count; ++i) {
        highest = particles->level[i] > highest && moves(particles, i) ? particles->level[i] : highest;
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
        levels->upto[particles->level[i]] += moves(particles, i);
    }
    for (int level = KDR_MAX_LEVEL; level >= 0; --level) {
        next[level] = levels->upto[level + 1];
        levels->highest = levels->highest == 0 && levels->upto[level] > 0 ? level : levels->highest;
        levels->upto[level] += levels->upto[level + 1];
    }
    for (size_t i = 0; i < particles->count; ++i) {
        if (moves(particles, i)) {
            order[next[particles->level[i]]++] = i;
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
    }
    return seen;
}

/* Kicks of the particles of a list, all by the same. */
typedef struct kicks {
    const kdr_sweeper *by;
    kdr_column v, a;
    const size_t *index;
    size_t count;
    kdr_pass pass;
} kicks;

static void kick_range(void *argument, size_t first, size_t last) {
    const kicks *const k = argument;
    _Alignas(64) unsigned char v[3 * TOGETHER * sizeof(double)], a[3 * TOGETHER * sizeof(double)];
    for (size_t at = first * TOGETHER; at < last * TOGETHER && at < k->count; at += TOGETHER) {
        const size_t n = k->count - at < TOGETHER ? k->count - at : TOGETHER, bytes = n * k->v.size;
        unsigned char *const on_v[3] = {v, v + bytes, v + 2 * bytes}, *const on_a[3] = {a, a + bytes, a + 2 * bytes};
        kdr_pass pass = k->pass;
        pass.v = v;
        pass.a = a;
        k->by->copies->chosen(&k->v, on_v, k->index + at, n, false);
        k->by->copies->chosen(&k->a, on_a, k->index + at, n, false);
        k->by->passes->move(&pass, 0, n * (size_t)k->v.axes, 0);
        k->by->copies->chosen(&k->v, on_v, k->index + at, n, true);
    }
}

void kdr_levels_kick(const kdr_levels *levels, const kdr_sweeper *sweeper, void *const a[3], int lowest, double dt, const double *kick,
                     int kicked) {
    const kdr_particles *const p = sweeper->particles;
    const kdr_layout rows = {.stride = (size_t)p->dims * kdr_real_size(p->real)}, plain = {0, 0, 0, 0};
    kicks k = {.by = sweeper,
               .v = kdr_column_of(p->v, p->dims, kdr_real_size(p->real), &p->v_layout),
               .a = kdr_column_of(a, p->dims, kdr_real_size(p->real), kdr_are_rows(a, p) ? &rows : &plain),
               .pass = {.kicks = {true, kicked > 1}}};
    for (int level = levels->highest; level >= lowest; --level) {
        const double own = kdr_problem_clock(&(kdr_clock){.dt = dt}, level).dt;
        k.index = levels->order + levels->upto[level + 1];
        k.count = levels->upto[level] - levels->upto[level + 1];
        for (int n = 0; n < kicked; ++n) {
            k.pass.kick[n] = own * kick[n];
        }
        if (k.count > 0) {
            kdr_parallel_for(sweeper->executor, (k.count - 1) / TOGETHER + 1, kick_range, &k);
        }
    }
}

bool kdr_levels_fit(const kdr_row *row) {
    const kdr_splitting_row *const s = row->info.family == KDR_SPLITTING ? row->data.splitting : NULL;
    if (!s || s->predicts || s->kick[0] == 0.0 || s->drift[0] == 0.0) {
        return false;
    }
    return s->stages == 1 || (s->stages == 2 && s->kick[1] != 0.0 && s->drift[1] == 0.0);
}
