/* Gravity of sources at targets: the targets cut into ranges, for whoever runs them. */
#include "pairs.h"

#include <string.h>

#include "../backend/backend.h"
#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/rounding.h"

/* What a thread takes at a time: 128 targets, which the tiles of every backend divide; of chosen ones 32, the widest tile. */
enum { TARGETS = 128, CHOSEN = 32 };

typedef struct loop {
    const kdr_gravity *gravity;
    const kdr_pair_kernels *kernels;
    bool fused_roots;
    const size_t *index; /* of chosen ones */
    size_t count;
} loop;

static void do_targets(const loop *l, const kdr_gravity *g, size_t begin, size_t end) {
    if (g->a[0]) {
        l->kernels->gravity(g, l->fused_roots, begin, end);
    }
    if (g->potential) {
        l->kernels->potential(g, l->fused_roots, begin, end);
    }
}

static void do_range(void *argument, size_t begin, size_t end) {
    const loop *const l = argument;
    do_targets(l, l->gravity, begin * TARGETS, end * TARGETS < l->count ? end * TARGETS : l->count);
}

void kdr_gravity_run(const kdr_gravity *gravity, const kdr_pair_kernels *kernels, bool fused_roots, const kdr_executor *executor) {
    loop l = {.gravity = gravity, .kernels = kernels, .fused_roots = fused_roots, .count = gravity->targets};
    kdr_parallel_for(executor, l.count / TARGETS + (l.count % TARGETS != 0), do_range, &l);
}

static void copy_chosen(const size_t *index, size_t n, size_t size, const void *all, unsigned char *those) {
    for (size_t k = 0; k < n; ++k) {
        memcpy(those + k * size, (const unsigned char *)all + index[k] * size, size);
    }
}

/* Chosen targets are brought together: x, softening lengths, and a there and back. */
static void do_chosen(void *argument, size_t begin, size_t end) {
    const loop *const l = argument;
    const kdr_gravity *const all = l->gravity;
    const size_t size = kdr_real_size(all->real);
    _Alignas(64) unsigned char x[3][CHOSEN * sizeof(double)], a[3][CHOSEN * sizeof(double)], softening[CHOSEN * sizeof(double)];
    for (size_t at = begin * CHOSEN; at < end * CHOSEN && at < l->count; at += CHOSEN) {
        const size_t n = l->count - at < CHOSEN ? l->count - at : CHOSEN, *const index = l->index + at;
        kdr_gravity those = *all;
        for (int i = 0; i < all->dims; ++i) {
            copy_chosen(index, n, size, all->target_x[i], x[i]);
            copy_chosen(index, n, size, all->a[i], a[i]);
            those.target_x[i] = x[i];
            those.a[i] = a[i];
        }
        if (all->target_softening) {
            copy_chosen(index, n, size, all->target_softening, softening);
            those.target_softening = softening;
        }
        do_targets(l, &those, 0, n);
        for (int i = 0; i < all->dims; ++i) {
            for (size_t k = 0; k < n; ++k) {
                memcpy((unsigned char *)all->a[i] + index[k] * size, a[i] + k * size, size);
            }
        }
    }
}

void kdr_gravity_run_chosen(const kdr_gravity *gravity, const kdr_pair_kernels *kernels, bool fused_roots, const kdr_executor *executor,
                            const size_t *chosen, size_t count) {
    loop l = {.gravity = gravity, .kernels = kernels, .fused_roots = fused_roots, .index = chosen, .count = count};
    kdr_parallel_for(executor, count / CHOSEN + (count % CHOSEN != 0), do_chosen, &l);
}

kdr_status kdr_gravity_add(const kdr_gravity *gravity, const kdr_pass_options *options, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    const kdr_status status = kdr_gravity_check(gravity, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(options, error, KDR_ERROR_NULL, "options: expected a pointer, got NULL");
    KDR_CHECK(options->kernels[gravity->real], error, KDR_ERROR_ARGUMENT,
              "options: expected what kdr_pass_options_choose filled in, got none");
    kdr_gravity_run(gravity, kdr_backend_pairs(options->backend, gravity->real, options->arithmetic),
                    kdr_backend_fused_roots(options->backend), &options->executor);
    return KDR_OK;
}
