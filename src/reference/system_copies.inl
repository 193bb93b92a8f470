/* Copies between the caller's arrays, in any layout, and the run's. */
static void system_gather(const ref_system *c, void *const array[3], const kdr_layout *layout, const numbers *to) {
    for (int i = 0; i < c->rules.dims; ++i) {
        for (size_t n = 0; n < c->particles->count; ++n) {
            gather(&array[i], layout, 1, n, &to->axis[i][n]);
        }
    }
}

static void system_scatter(const ref_system *c, const numbers *from, void *const array[3], const kdr_layout *layout) {
    for (int i = 0; i < c->rules.dims; ++i) {
        for (size_t n = 0; n < c->particles->count; ++n) {
            scatter(&array[i], layout, 1, n, &from->axis[i][n]);
        }
    }
}

static void system_scatter_moving(const ref_system *c, const numbers *from, void *const array[3], const kdr_layout *layout) {
    EACH_MOVING(c, i, n) { scatter(&array[i], layout, 1, n, &from->axis[i][n]); }
}

/* Copies the state that a run begins with. */
static void system_take(ref_system *c, bool resume) {
    const kdr_particles *const particles = c->particles;
    system_gather(c, particles->x, &particles->x_layout, &c->x);
    system_gather(c, particles->v, &particles->v_layout, &c->v);
    if (c->problem->row->info.memory && kdr_problem_carries(c->problem, particles)) { /* particles that never move get it back unchanged */
        system_gather(c, particles->memory, &particles->memory_layout, &c->a);
    }
    if (resume && c->problem->compensated) {
        system_gather(c, particles->compensation, &particles->compensation_layout, &c->cx);
        system_gather(c, particles->compensation + 3, &particles->compensation_layout, &c->cv);
    }
}

/* Copies back what a run leaves for the caller and for the next run. */
static void system_give(ref_system *c) {
    const kdr_particles *const particles = c->particles;
    const bool carries = kdr_problem_carries(c->problem, particles);
    system_scatter(c, &c->x, particles->x, &particles->x_layout);
    system_scatter(c, &c->v, particles->v, &particles->v_layout);
    if (carries && c->problem->row->info.memory) {
        system_scatter(c, &c->a, particles->memory, &particles->memory_layout);
    }
    if (carries && c->problem->compensated) {
        c->inside = NULL; /* absorbed particles have compensations, frozen ones have none */
        system_scatter_moving(c, &c->cx, particles->compensation, &particles->compensation_layout);
        system_scatter_moving(c, &c->cv, particles->compensation + 3, &particles->compensation_layout);
    }
}
