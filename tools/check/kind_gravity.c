/* Cases of gravity: the accelerations of targets by sources. */
#include "strided.h"
#include "trial.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 600 };

/* Draws a number of sources or targets: near the sizes of vectors and tiles of every backend, of a block of sources, and of a thread's
 * targets. */
static size_t draw_size(kdr_check_random *r) {
    static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 35, 63, 64, 65, 127, 128, 129, 255, 256, 257, MOST};
    return counts[kdr_check_random_below(r, sizeof counts / sizeof *counts)];
}

/* Draws positions. Some are on a grid, so that particles coincide. If the targets are the sources, each has its source's position. */
static void draw_positions(kdr_check_trial *t, kdr_gravity *g, int axis) {
    const size_t size = kdr_real_size(g->real);
    void *const source = (void *)(uintptr_t)g->source_x[axis], *const target = (void *)(uintptr_t)g->target_x[axis];
    kdr_check_draw_reals(t, source, g->sources, -2, 2);
    kdr_check_draw_reals(t, target, g->targets, -2, 2);
    for (size_t i = 0; i < g->sources; ++i) {
        if (kdr_check_draw_one_in(&t->random, 5)) {
            kdr_check_set(source, g->real, i, (double)kdr_check_random_below(&t->random, 2));
        }
    }
    for (size_t i = 0; i < g->targets; ++i) {
        const size_t itself = (size_t)g->first_source + i;
        if (g->targets_are_sources && itself < g->sources) {
            memcpy((char *)target + i * size, (char *)source + itself * size, size);
        } else if (kdr_check_draw_one_in(&t->random, 5)) {
            kdr_check_set(target, g->real, i, (double)kdr_check_random_below(&t->random, 2));
        }
    }
}

/* Draws an array of inputs; a fifth of them are 0. */
static void *draw_inputs(kdr_check_trial *t, const char *name, size_t count, double low, double high) {
    void *const array = kdr_check_inputs(t, name, KDR_CHECK_REALS, count);
    for (size_t i = 0; i < count; ++i) {
        const double value = kdr_check_random_between(&t->random, low, high);
        kdr_check_set(array, t->test->real, i, kdr_check_draw_one_in(&t->random, 5) ? 0 : value);
    }
    return array;
}

static void list_axes(kdr_check_strided *s, const kdr_gravity *g, void *array, kdr_layout *layout, size_t count, bool is_written) {
    for (int i = 0; i < g->dims; ++i) {
        kdr_check_strided_list(s, (void **)array + i, layout, kdr_real_size(g->real), count, is_written);
    }
}

/* Runs gravity with half of its arrays strided, each with its own layout. */
static kdr_status add_spread(kdr_check_trial *t, kdr_gravity *g, const kdr_pass_options *options) {
    const size_t size = kdr_real_size(g->real);
    const uint32_t which = kdr_check_random_below(&t->loose, 128);
    kdr_check_strided s = {.count = 0};
    if (which & 1) {
        list_axes(&s, g, g->source_x, &g->source_x_layout, g->sources, false);
    }
    if (which & 2) {
        list_axes(&s, g, g->target_x, &g->target_x_layout, g->targets, false);
    }
    if (which & 4) {
        list_axes(&s, g, g->a, &g->a_layout, g->targets, true);
    }
    if (which & 8) {
        kdr_check_strided_list(&s, &g->mu, &g->mu_layout, size, g->sources, false);
    }
    if (which & 16) {
        kdr_check_strided_list(&s, &g->source_softening, &g->source_softening_layout, size, g->sources, false);
    }
    if (which & 32) {
        kdr_check_strided_list(&s, &g->target_softening, &g->target_softening_layout, size, g->targets, false);
    }
    if (which & 64) {
        kdr_check_strided_list(&s, &g->potential, &g->potential_layout, size, g->targets, true);
    }
    const kdr_status status = kdr_check_strided_out(&s, &t->loose) ? kdr_gravity_add(g, options, &t->error) : KDR_ERROR_NO_MEMORY;
    kdr_check_strided_back(&s);
    return status;
}

kdr_status kdr_check_gravity(kdr_check_trial *t) {
    static const char *const names[3][3] = {
        {"source_x[0]", "source_x[1]", "source_x[2]"}, {"target_x[0]", "target_x[1]", "target_x[2]"}, {"a[0]", "a[1]", "a[2]"}};
    kdr_check_random *const r = &t->random;
    kdr_gravity g;
    memset(&g, 0, sizeof g);
    g.dims = 1 + (int)kdr_check_random_below(r, 3);
    g.real = t->test->real;
    g.sources = draw_size(r);
    g.targets = draw_size(r);
    g.softening = kdr_check_draw_one_in(r, 2) ? 0 : kdr_check_random_between(r, 0.01, 0.5);
    g.targets_are_sources = kdr_check_draw_one_in(r, 2);
    g.first_source = (ptrdiff_t)kdr_check_random_below(r, (uint32_t)g.sources + 1);
    const uint32_t lengths = kdr_check_random_below(r, 4), wanted = kdr_check_random_below(r, 3);
    for (int i = 0; i < 3 && i < g.dims; ++i) {
        g.source_x[i] = kdr_check_inputs(t, names[0][i], KDR_CHECK_REALS, g.sources);
        g.target_x[i] = kdr_check_inputs(t, names[1][i], KDR_CHECK_REALS, g.targets);
        draw_positions(t, &g, i);
        if (wanted != 1) {
            void *const a = kdr_check_results(t, names[2][i], KDR_CHECK_REALS, g.targets);
            kdr_check_draw_reals(t, a, g.targets, -2, 2);
            g.a[i] = a;
        }
    }
    g.mu = draw_inputs(t, "mu", g.sources, -1, 3);
    g.source_softening = (lengths & 1) ? draw_inputs(t, "source_softening", g.sources, 0.001, 0.5) : NULL;
    g.target_softening = (lengths & 2) ? draw_inputs(t, "target_softening", g.targets, 0.001, 0.5) : NULL;
    if (wanted != 0) {
        g.potential = kdr_check_results(t, "potential", KDR_CHECK_REALS, g.targets);
        kdr_check_draw_reals(t, g.potential, g.targets, -2, 2);
    }
    snprintf(t->words, sizeof t->words, "dims=%d sources=%zu targets=%zu softening=%g lengths=%u targets-are-sources=%d wanted=%u", g.dims,
             g.sources, g.targets, g.softening, lengths, (int)g.targets_are_sources, wanted);
    if (t->by_reference) {
        return kdr_reference_gravity_add(&g, t->test->arithmetic, &t->error);
    }
    kdr_pass_options options;
    const kdr_status status = kdr_pass_options_init(t->test->arithmetic, t->backend, t->executor, &options, &t->error);
    return status ? status : add_spread(t, &g, &options);
}
