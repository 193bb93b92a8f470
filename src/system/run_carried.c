/* Memory and compensations: what a run begins with, and what it leaves for the next. */
#include <string.h>

#include "run.h"

void kdr_run_take_compensations(kdr_system_run_state *r) {
    const kdr_swept arrays = kdr_run_arrays(r, &r->state);
    for (int k = 0; k < 2 && r->work.lost; ++k) {
        if (kdr_problem_resumes(&r->system->problem, r->particles, r->clock)) {
            kdr_sweep_carried(&arrays, r->work.c[k], r->particles->compensation + (ptrdiff_t)3 * k, &r->particles->compensation_layout,
                              false);
        } else {
            kdr_sweep_zeros(&arrays, r->work.c[k]);
        }
    }
}

void kdr_run_give_compensations(const kdr_system_run_state *r) {
    const kdr_swept arrays = kdr_run_arrays(r, r->particles);
    const bool gives = r->work.lost && r->done > 0 && !r->reads && kdr_problem_carries(&r->system->problem, r->particles);
    for (int k = 0; k < 2 && gives; ++k) {
        kdr_sweep_carried(&arrays, r->work.c[k], r->particles->compensation + (ptrdiff_t)3 * k, &r->particles->compensation_layout, true);
    }
}

void kdr_run_flush_small(kdr_system_run_state *r, int kept) {
    kdr_flush_small(r->sweeper.program->kernels, &r->system->desc.executor, &r->state, r->work.lost ? r->work.c : NULL,
                    r->keeps ? r->work.a[kept] : NULL);
}

/* Returns whether every particle moves, so that an evaluation may write to the memory itself. */
static bool all_move(const kdr_system_run_state *r) {
    bool all = !r->state.active;
    for (size_t n = 0; all && r->particles->inverse_mass && n < r->particles->count; ++n) {
        all = kdr_is_moved(r->particles, n);
    }
    return all;
}

kdr_status kdr_run_begin(kdr_system_run_state *r) {
    const kdr_layout *const layout = &r->particles->memory_layout;
    r->lends = r->keeps && r->carries && r->resumed && kdr_layout_is_plain(layout, kdr_real_size(r->particles->real)) && all_move(r);
    if (r->lends) {
        memcpy(r->work.a[1], r->particles->memory, sizeof r->work.a[1]);
    } else if (r->keeps && r->resumed) {
        const kdr_swept arrays = kdr_run_arrays(r, &r->state);
        kdr_sweep_carried(&arrays, r->work.a[1], r->particles->memory, layout, false);
    }
    if (r->keeps && r->carries && r->work.inside) {
        kdr_keep_memories(r->particles, r->work.inside, r->work.left, false);
    }
    r->newest = r->whole = r->keeps && r->resumed ? 1 : 0;
    kdr_status status = KDR_OK;
    if (r->keeps && !r->resumed) {
        status = kdr_run_evaluate(r, &r->state, kdr_clock_time(r->clock, r->clock->step, 0.0), r->work.a[0], NULL);
    }
    if (r->keeps) {
        kdr_sweeper_put(&r->sweeper, r->a, r->work.a[r->newest]);
    }
    r->begun = r->keeps && status == KDR_OK;
    return status;
}

void kdr_run_keep_memory(kdr_system_run_state *r) {
    const kdr_swept arrays = kdr_run_arrays(r, &r->state);
    const bool keeps = r->carries && r->begun && r->done > 0;
    if (keeps && !r->lends) {
        kdr_sweep_carried(&arrays, r->work.a[r->whole], r->particles->memory, &r->particles->memory_layout, true);
    } else if (keeps && r->work.a[r->whole][0] != r->particles->memory[0]) {
        kdr_sweep_copies(&arrays, r->particles->memory, r->work.a[r->whole]);
    }
    if (keeps && r->work.inside) {
        kdr_keep_memories(r->particles, r->work.inside, r->work.left, true);
    }
}
