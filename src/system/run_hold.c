/* Has the terms enforce constraints after each drift, and before and after each rotation of velocities. */
#include <string.h>

#include "../particles/element.h"
#include "run.h"

void kdr_run_forget(const kdr_system_run_state *r) {
    for (size_t n = 0; r->work.lost && n < r->system->term_count; ++n) {
        const kdr_system_term *const term = &r->system->terms[n];
        for (int k = 0; k < 2 && term->forget; ++k) {
            term->forget(term->data, r->work.c[k], kdr_run_dims(r), r->state.real);
        }
    }
}

void kdr_run_before_drift(kdr_system_run_state *r) {
    const kdr_swept arrays = kdr_run_arrays(r, &r->state);
    if (r->work.v_before_drift[0]) {
        kdr_sweep_take(&arrays, r->work.before_drift, r->work.v_before_drift);
    } else {
        kdr_sweep_copies(&arrays, r->work.before_drift, r->state.x);
    }
}

kdr_status kdr_run_hold(kdr_system_run_state *r, double h) {
    const void *const start[3] = {r->work.before_drift[0], r->work.before_drift[1], r->work.before_drift[2]};
    kdr_status status = KDR_OK;
    kdr_run_gain(r);
    for (size_t n = 0; status == KDR_OK && n < r->system->term_count; ++n) {
        const kdr_system_term *const term = &r->system->terms[n];
        status = term->drifted ? term->drifted(term->data, start, &r->state, h, r->work.scratch, r->error) : KDR_OK;
    }
    kdr_run_gained(r);
    kdr_run_forget(r);
    return status;
}

/* Returns the half angles of a rotation's instruction, which may depend on each particle's field. */
static kdr_half_angles angles_of(const kdr_system_run_state *r, const kdr_instruction *rotation) {
    const bool fields = rotation->count == KDR_TURN_FIELD, space = kdr_run_dims(r) == 3;
    kdr_half_angles angles = {.masses = rotation->count == KDR_TURN_MASS};
    for (int i = 0; i < (space ? 3 : 1); ++i) {
        angles.by[i] = kdr_element(r->work.numbers, r->state.real, (size_t)rotation->number + (size_t)(space || fields ? i : 2));
    }
    if (fields) {
        void *m[3];
        (void)kdr_run_see(r, rotation->x, m);
        for (int i = 0; i < (space ? 3 : 1); ++i) {
            angles.field[i] = m[i];
        }
    }
    return angles;
}

void kdr_run_hold_turn(kdr_system_run_state *r, const kdr_instruction *rotation) {
    const kdr_half_angles angles = rotation ? angles_of(r, rotation) : (kdr_half_angles){.masses = false};
    kdr_run_gain(r);
    for (size_t n = 0; n < r->system->term_count; ++n) {
        const kdr_system_term *const term = &r->system->terms[n];
        if (term->turned) {
            term->turned(term->data, rotation ? &angles : NULL, &r->state, r->whole_dt, r->work.scratch);
        }
    }
    kdr_run_gained(r);
    kdr_run_forget(r);
}
