/* This file computes the gravity of sources at targets. It cuts the targets into ranges, which the executor runs. */
#include "pairs.h"

#include "../backend/backend.h"
#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"

/* Targets that a thread takes at a time. TARGETS is a multiple of every backend's tile, CHOSEN is the widest tile. */
enum { TARGETS = 128, CHOSEN = 32 };

/* TOGETHER: targets or sources copied at a time, where they are chosen or strided. Sources are copied in whole blocks. */
enum { TOGETHER = KDR_GRAVITY_BLOCK };

typedef struct gravity_loop {
    const kdr_gravity *gravity;
    const kdr_pair_kernels *kernels;
    const kdr_copies *copies;
    bool fused_roots;
    const size_t *index; /* indices of the chosen targets; may be NULL */
    size_t first, count, unit;
    bool sources_lie_apart, targets_lie_apart;
} gravity_loop;

static const kdr_layout plain = {0, 0, 0, 0};

static bool lies_apart(const void *array, const kdr_layout *layout, kdr_real real) {
    return array && !kdr_layout_is_plain(layout, kdr_real_size(real));
}

static bool sources_lie_apart(const kdr_gravity *g) {
    return lies_apart(g->source_x[0], &g->source_x_layout, g->real) || lies_apart(g->mu, &g->mu_layout, g->real) ||
           lies_apart(g->source_softening, &g->source_softening_layout, g->real);
}

static bool targets_lie_apart(const kdr_gravity *g) {
    return lies_apart(g->target_x[0], &g->target_x_layout, g->real) || lies_apart(g->a[0], &g->a_layout, g->real) ||
           lies_apart(g->target_softening, &g->target_softening_layout, g->real) || lies_apart(g->potential, &g->potential_layout, g->real);
}

/* One row is the room for TOGETHER elements of one axis. `elements` names the elements to copy: [begin, begin + n), or those with these
 * entries of `index`. */
typedef unsigned char row[TOGETHER * sizeof(double)];

typedef struct elements {
    const kdr_copies *copies;
    kdr_real real;
    const size_t *index;
    size_t begin, n;
} elements;

static void copy(const elements *e, void *const *array, int axes, const kdr_layout *layout, row *room, bool back) {
    const kdr_column column = kdr_column_of(array, axes, kdr_real_size(e->real), layout);
    unsigned char *const on[3] = {room[0], room[axes > 1 ? 1 : 0], room[axes - 1]};
    if (array[0] && e->index) {
        e->copies->chosen(&column, on, e->index + e->begin, e->n, back);
    } else if (array[0]) {
        e->copies->range(&column, on, e->begin, e->n, back);
    }
}

/* Copies the elements, and lets `array` point to the copies. */
static void take(const elements *e, const void **array, int axes, kdr_layout *layout, row *room) {
    copy(e, (void *const *)array, axes, layout, room, false);
    for (int i = 0; i < axes && array[i]; ++i) {
        array[i] = room[i];
    }
    *layout = plain;
}

void kdr_gravity_take_sources(const kdr_gravity *g, const kdr_copies *copies, size_t first, size_t n, kdr_gravity_sources *room,
                              kdr_gravity *those) {
    const elements e = {copies, g->real, NULL, first, n};
    *those = *g;
    those->sources = n;
    those->first_source = g->first_source - (ptrdiff_t)first;
    take(&e, those->source_x, g->dims, &those->source_x_layout, room->x);
    take(&e, &those->mu, 1, &those->mu_layout, room->mu);
    take(&e, &those->source_softening, 1, &those->source_softening_layout, room->softening);
}

/* Adds gravity to targets in plain arrays. */
static void do_targets(const gravity_loop *l, const kdr_gravity *g, size_t begin, size_t end) {
    kdr_gravity_sources room;
    kdr_gravity those = *g;
    const size_t most = l->sources_lie_apart ? TOGETHER : g->sources;
    for (size_t first = 0; first < g->sources; first += most) {
        if (l->sources_lie_apart) {
            kdr_gravity_take_sources(g, l->copies, first, g->sources - first < most ? g->sources - first : most, &room, &those);
        }
        if (g->a[0]) {
            l->kernels->gravity(&those, l->fused_roots, begin, end);
        }
        if (g->potential) {
            l->kernels->potential(&those, l->fused_roots, begin, end);
        }
    }
}

/* Copies the targets into plain arrays, adds gravity there, and copies the results back. */
static void bring_targets(const gravity_loop *l, size_t begin, size_t end) {
    const kdr_gravity *const g = l->gravity;
    _Alignas(64) row x[3], softening[1], a[3], potential[1];
    const elements e = {l->copies, g->real, l->index, begin, end - begin};
    kdr_gravity those = *g;
    const void *to[3] = {g->a[0], g->a[1], g->a[2]}, *depth = g->potential;
    those.first_source = g->first_source + (ptrdiff_t)begin;
    take(&e, those.target_x, g->dims, &those.target_x_layout, x);
    take(&e, &those.target_softening, 1, &those.target_softening_layout, softening);
    take(&e, to, g->dims, &those.a_layout, a);
    take(&e, &depth, 1, &those.potential_layout, potential);
    for (int i = 0; i < g->dims && g->a[0]; ++i) {
        those.a[i] = a[i];
    }
    those.potential = g->potential ? potential[0] : NULL;
    do_targets(l, &those, 0, e.n);
    copy(&e, g->a, g->dims, &g->a_layout, a, true);
    copy(&e, &g->potential, 1, &g->potential_layout, potential, true);
}

static void do_range(void *argument, size_t first, size_t last) {
    const gravity_loop *const l = argument;
    const size_t begin = l->first + first * l->unit, end = last * l->unit < l->count ? l->first + last * l->unit : l->first + l->count;
    if (!l->index && !l->targets_lie_apart) {
        do_targets(l, l->gravity, begin, end);
        return;
    }
    for (size_t at = begin; at < end; at += TOGETHER) {
        bring_targets(l, at, end - at < TOGETHER ? end : at + TOGETHER);
    }
}

static void run(gravity_loop l, const kdr_pair_kernels *kernels, kdr_backend backend, const kdr_executor *executor) {
    l.kernels = kernels;
    l.copies = kdr_copies_for(backend);
    l.fused_roots = kdr_backend_fused_roots(backend);
    l.sources_lie_apart = sources_lie_apart(l.gravity);
    l.targets_lie_apart = targets_lie_apart(l.gravity);
    kdr_parallel_for(executor, l.count / l.unit + (l.count % l.unit != 0), do_range, &l);
}

void kdr_gravity_run(const kdr_gravity *gravity, const kdr_pair_kernels *kernels, kdr_backend backend, const kdr_executor *executor,
                     size_t begin, size_t end) {
    run((gravity_loop){.gravity = gravity, .first = begin, .count = end - begin, .unit = TARGETS}, kernels, backend, executor);
}

void kdr_gravity_run_chosen(const kdr_gravity *gravity, const kdr_pair_kernels *kernels, kdr_backend backend, const kdr_executor *executor,
                            const size_t *chosen, size_t count) {
    run((gravity_loop){.gravity = gravity, .index = chosen, .count = count, .unit = CHOSEN}, kernels, backend, executor);
}

kdr_status kdr_gravity_add(const kdr_gravity *gravity, const kdr_pass_options *options, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    const kdr_status status = kdr_gravity_check(gravity, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(options, error, KDR_ERROR_NULL, "options: expected a pointer, got NULL");
    KDR_CHECK(kdr_backend_has(options->kernels[gravity->real], options->backend, gravity->real, options->arithmetic), error,
              KDR_ERROR_ARGUMENT, "options: expected what kdr_pass_options_init filled in, got others");
    kdr_gravity_run(gravity, kdr_backend_pairs(options->backend, gravity->real, options->arithmetic), options->backend, &options->executor,
                    0, gravity->targets);
    return KDR_OK;
}
