/* Molecules that meet colliders: tracks velocity changes that are not due to distances, and repeats steps of molecules. */
#include <stdatomic.h>
#include <string.h>

#include "../backend/backend.h"
#include "../pairs/distances.h"
#include "../particles/element.h"
#include "../particles/executor.h"
#include "../particles/recorder.h"
#include "run.h"

/* Loops over all particles that belong to a molecule. */
#define EACH_BOUND(r, i)                                                                                                                   \
    for (size_t at = 0; at < (r)->system->molecules.first[(r)->system->molecules.count]; ++at)                                             \
        for (size_t i = (r)->system->molecules.particle[at], once = 1; once; once = 0)

static bool has_molecules(const kdr_system_run_state *r) { return r->system->molecules.count > 0; }

void kdr_run_begin_gains(const kdr_system_run_state *r) {
    if (has_molecules(r)) {
        for (int axis = 0; axis < kdr_run_dims(r); ++axis) {
            memset(r->work.gained[axis], 0, r->state.count * kdr_real_size(r->state.real));
        }
        kdr_run_gained(r);
    }
}

/* Differences and sums are rounded to the particles' precision. */
void kdr_run_gain(const kdr_system_run_state *r) {
    const kdr_real real = r->state.real;
    for (int axis = 0; has_molecules(r) && axis < kdr_run_dims(r); ++axis) {
        EACH_BOUND(r, i) {
            const double v = kdr_element(r->state.v[axis], real, i), held = kdr_element(r->work.held_v[axis], real, i);
            const double sum = kdr_element(r->work.gained[axis], real, i);
            if (real == KDR_F32) {
                const float more = (float)v - (float)held;
                kdr_set_element(r->work.gained[axis], real, i, (double)((float)sum + more));
            } else {
                kdr_set_element(r->work.gained[axis], real, i, sum + (v - held));
            }
        }
    }
}

void kdr_run_gained(const kdr_system_run_state *r) {
    for (int axis = 0; has_molecules(r) && axis < kdr_run_dims(r); ++axis) {
        EACH_BOUND(r, i) { kdr_set_element(r->work.held_v[axis], r->state.real, i, kdr_element(r->state.v[axis], r->state.real, i)); }
    }
}

typedef struct meeting_all {
    kdr_molecule_job job;
    kdr_molecule_kernel *kernel;
    unsigned char *scratch;
    atomic_bool met;
} meeting_all;

static void meet_chunks(void *argument, size_t begin, size_t end) {
    meeting_all *const all = argument;
    const kdr_molecules *const molecules = all->job.molecules;
    const size_t last = end * KDR_MOLECULE_CHUNK < molecules->count ? end * KDR_MOLECULE_CHUNK : molecules->count;
    for (size_t m = begin * KDR_MOLECULE_CHUNK; m < last; ++m) {
        if (all->kernel(&all->job, m, all->scratch + m / KDR_MOLECULE_CHUNK * kdr_molecule_chunk_room(molecules))) {
            atomic_store_explicit(&all->met, true, memory_order_relaxed);
        }
    }
}

bool kdr_run_meet_as_molecules(const kdr_system_run_state *r) {
    const kdr_system *const c = r->system;
    const kdr_distance_constraints *const d = c->distances;
    if (!has_molecules(r)) {
        return false;
    }
    meeting_all all = {.job = {.molecules = &c->molecules,
                               .particles = &r->state,
                               .walls = c->walls.met[kdr_run_dims(r) - 1],
                               .wall_count = c->problem.collider_count,
                               .dt = r->clock->dt,
                               .end = kdr_clock_time(r->clock, r->clock->step + r->done, 1.0),
                               .step = kdr_run_step(r),
                               .tolerance = d->tolerance,
                               .recorder = r->at_work.recorder,
                               .note = r->at_work.note},
                       .kernel = kdr_backend_kernels(KDR_BACKEND_SCALAR, c->problem.real, c->problem.arithmetic)->molecule,
                       .scratch = r->work.molecules};
    memcpy(all.job.box, d->box, sizeof all.job.box);
    for (int i = 0; i < kdr_run_dims(r); ++i) {
        all.job.x0[i] = r->work.before_x[i];
        all.job.v0[i] = r->work.before_v[i];
        all.job.gained[i] = r->work.gained[i];
    }
    atomic_init(&all.met, false);
    kdr_parallel_for(&c->desc.executor, kdr_molecule_chunks(&c->molecules), meet_chunks, &all);
    return atomic_load(&all.met);
}
