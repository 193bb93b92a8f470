/* Coupled runs of particles that do not feel each other: a block after the other, each through all steps while it is in a cache. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../particles/error.h"
#include "../particles/executor.h"
#include "coupled.h"

/* Of each array of a block. Velocity Verlet has four an axis, rk4 ten: 24 KB and 60 KB on three axes. */
enum { BYTES = 2048 };

typedef struct blocks {
    kdr_coupled coupled; /* as the caller's, but for the executor, which has been asked already */
    const kdr_particles *particles;
    const kdr_clock *clock;
    uint64_t steps;
    size_t length;
    atomic_int status; /* the first that was not KDR_OK; who sets it, and nobody after, writes what follows */
    kdr_error error;
} blocks;

static void fail(blocks *b, const kdr_error *error) {
    int ok = KDR_OK;
    if (atomic_compare_exchange_strong(&b->status, &ok, (int)error->status)) {
        b->error = *error;
    }
}

/* Particles [begin, end), a block. */
static void run_block(blocks *b, size_t begin, size_t end, const kdr_workspace *workspace) {
    kdr_particles part = kdr_particles_slice(b->particles, begin, end - begin);
    kdr_clock clock = *b->clock;
    kdr_error why;
    const kdr_status status = kdr_coupled_run(&b->coupled, &part, &clock, b->steps, workspace, &why);
    if (status != KDR_OK) {
        kdr_error error;
        (void)kdr_fail(&error, status, "particles %zu to %zu, after %llu of %llu steps: %.120s", begin, end - 1,
                       (unsigned long long)(clock.step - b->clock->step), (unsigned long long)b->steps, why.message);
        fail(b, &error);
    }
}

static void run_range(void *argument, size_t first, size_t last) {
    blocks *const b = argument;
    const size_t size = kdr_coupled_workspace_size(&b->coupled, b->length, b->particles->dims);
    const kdr_workspace workspace = {malloc(size), size, {NULL, NULL, NULL}};
    if (!workspace.memory) {
        kdr_error error;
        (void)kdr_fail(&error, KDR_ERROR_NO_MEMORY, "blocks: no memory for a workspace of %zu bytes", size);
        fail(b, &error);
    }
    for (size_t n = first; n < last && atomic_load(&b->status) == KDR_OK; ++n) {
        const size_t begin = n * b->length, left = b->particles->count - begin;
        run_block(b, begin, begin + (left < b->length ? left : b->length), &workspace);
    }
    free(workspace.memory);
}

kdr_status kdr_coupled_run_blocks(const kdr_coupled *coupled, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                  kdr_error *error) {
    KDR_CHECK(coupled, error, KDR_ERROR_NULL, "coupled: expected a pointer, got NULL");
    const kdr_status status = kdr_problem_check_run(&coupled->problem, particles, clock, steps, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(coupled->term_count == 0, error, KDR_ERROR_UNSUPPORTED,
              "coupled: runs in blocks expected particles that do not feel each other, got %zu coupled forces; take kdr_coupled_run",
              coupled->term_count);
    if (steps == 0) {
        return KDR_OK;
    }
    blocks b = {.coupled = *coupled, .particles = particles, .clock = clock, .steps = steps};
    b.coupled.desc.executor = kdr_executor_serial();
    b.length = BYTES / kdr_real_size(coupled->problem.real);
    atomic_init(&b.status, KDR_OK);
    if (particles->count > 0) {
        kdr_parallel_for(&coupled->desc.executor, (particles->count - 1) / b.length + 1, run_range, &b);
    }
    if (atomic_load(&b.status) != KDR_OK) {
        particles->memory_key = 0;
        return kdr_fail(error, b.error.status, "%s", b.error.message);
    }
    clock->step += steps;
    particles->memory_key = kdr_problem_memory_key(&coupled->problem, particles, clock);
    return KDR_OK;
}
