/* Events of system runs: as for one particle, but all particles make the shortened step together. */

/* Returns particle n at the beginning of a step, or at its end, with the step's counts in c. */
static particle system_watched(const ref_system *c, const numbers *x, const numbers *v, size_t n) {
    const counted *const counts = &c->counts[n];
    particle p = system_one(c, n);
    p.bounces = counts->bounces;
    p.error = counts->error;
    memcpy(p.images, counts->images, sizeof p.images);
    memcpy(p.dissipated_energy, counts->dissipated_energy, sizeof p.dissipated_energy);
    for (int i = 0; i < p.dims; ++i) {
        p.x[i] = x->axis[i][n];
        p.v[i] = v->axis[i][n];
    }
    return p;
}

/* The step that c has made. */
typedef struct ref_system_search {
    const ref_system *c;
    bool kept; /* the step began with the acceleration of the step before */
} ref_system_search;

/* Makes the step again up to a fraction of it. It has counts and marks of its own, of which only the particle's are used. Memory that
 * depends on the step's length does not fit. */
static kdr_status system_again(const watched_step *step, double fraction, particle *p) {
    const ref_system_search *const s = step->context;
    const kdr_clock *const whole = s->c->clock, clock = {kdr_clock_time(whole, step->n, 0.0), fraction * whole->dt, 0};
    const bool afresh = kdr_problem_remembers_step(s->c->problem);
    ref_system c = *s->c;
    void *const block = system_allocate(&c);
    uint8_t *const marks = calloc(c.particles->count, 1);
    c.counts = calloc(c.particles->count, sizeof *c.counts);
    kdr_status status = block && marks && c.counts ? KDR_OK : KDR_ERROR_NO_MEMORY;
    if (status == KDR_OK) {
        system_copy(&c, &s->c->old_x, &c.x);
        system_copy(&c, &s->c->old_v, &c.v);
        system_copy(&c, &s->c->old_a, &c.a);
        system_copy(&c, &s->c->old_cx, &c.cx);
        system_copy(&c, &s->c->old_cv, &c.cv);
        for (size_t n = 0; afresh && n < c.particles->count; ++n) {
            for (int i = 0; i < c.rules.dims; ++i) {
                c.cx.axis[i][n] = c.cv.axis[i][n] = 0;
            }
        }
        c.inside = c.inside ? marks : NULL;
        c.keeps = s->kept && !afresh;
        c.clock = c.rules.clock = &clock;
        c.rules.mapped = false;
        c.rules.later = step->n;
        c.rules.contacts = NULL;
        status = system_whole_step(&c, 0);
        ref_system whole_clock = *s->c;
        whole_clock.counts = c.counts;
        *p = system_watched(&whole_clock, &c.x, &c.v, step->after.index);
    }
    free(block);
    free(marks);
    free(c.counts);
    return status;
}

/* Sets the counts of a stopped particle to those at the event. */
static void system_counted_until(const particle *event, counted *counts) {
    counts->bounces = event->bounces;
    counts->error = event->error;
    memcpy(counts->images, event->images, sizeof counts->images);
    memcpy(counts->dissipated_energy, event->dissipated_energy, sizeof counts->dissipated_energy);
}

/* Finds the changes of sign in step n, of particles that may move. Sets *ends_run if a watch stops the run. A stopped particle is marked
 * in `stopped`, with its state in `x` and `v`. */
static kdr_status system_find(const ref_system *c, uint64_t n, bool kept, const numbers *x, const numbers *v, bool *stopped,
                              bool *ends_run) {
    ref_system_search search = {c, kept};
    kdr_status status = KDR_OK;
    for (size_t i = 0; i < c->particles->count && status == KDR_OK; ++i) {
        ref_system every = *c;
        every.inside = NULL; /* absorbed particles are watched too */
        if (inverse_mass_of(&every, i) != (real)0.0) {
            watched_step step = {.before = system_watched(c, &c->old_x, &c->old_v, i),
                                 .after = system_watched(c, &c->x, &c->v, i),
                                 .length = 1,
                                 .n = n,
                                 .again = system_again,
                                 .context = &search};
            status = watch_step(&step);
            *ends_run = *ends_run || step.ends_run;
            stopped[i] = step.stopped;
            if (step.stopped) {
                system_counted_until(&step.after, &c->counts[i]);
            }
            for (int axis = 0; axis < c->rules.dims; ++axis) {
                x->axis[axis][i] = step.after.x[axis];
                v->axis[axis][i] = step.after.v[axis];
            }
        }
    }
    return status;
}

/* Stops the marked particles where their events were. The others' accelerations are evaluated with the stopped ones there. */
static kdr_status system_stop(ref_system *c, uint64_t n, const bool *stopped) {
    bool any = false;
    for (size_t i = 0; i < c->particles->count; ++i) {
        for (int axis = 0; axis < c->rules.dims && stopped[i]; ++axis) {
            any = true;
            c->x.axis[axis][i] = c->xs.axis[axis][i];
            c->v.axis[axis][i] = c->vs.axis[axis][i];
            c->cx.axis[axis][i] = c->cv.axis[axis][i] = 0;
            c->particles->events->active[kdr_offset(&c->particles->active_layout, 1, i)] = 0;
            if (c->problem->compensated && kdr_problem_carries(c->problem, c->particles)) {
                scatter(&c->particles->compensation[axis], &c->particles->compensation_layout, 1, i, &c->cx.axis[axis][i]);
                scatter(&c->particles->compensation[3 + axis], &c->particles->compensation_layout, 1, i, &c->cv.axis[axis][i]);
            }
        }
    }
    if (!any || !c->keeps) {
        return KDR_OK;
    }
    system_absorb(c);
    system_copy(c, &c->old_a, &c->mean); /* keeps the step's acceleration, in case the evaluation fails */
    system_copy(c, &c->a, &c->old_a);
    const kdr_status status = system_accelerations(c, &c->x, &c->v, n, 1.0, &c->a);
    if (status != KDR_OK) {
        system_copy(c, &c->mean, &c->old_a);
        for (size_t i = 0; i < c->particles->count; ++i) {
            if (stopped[i]) {
                c->particles->events->active[kdr_offset(&c->particles->active_layout, 1, i)] = 1;
            }
        }
        return status;
    }
    system_leave(c);
    return KDR_OK;
}

/* Finds the events of step n, and takes their actions. */
static kdr_status system_watch(ref_system *c, uint64_t n, bool kept, bool *ends_run) {
    bool *const stopped = calloc(c->particles->count, sizeof *stopped);
    KDR_CHECK(stopped, c->error, KDR_ERROR_NO_MEMORY, "reference: no memory for %zu particles", c->particles->count);
    kdr_status status = system_find(c, n, kept, &c->xs, &c->vs, stopped, ends_run);
    if (status == KDR_OK) {
        status = system_stop(c, n, stopped);
    }
    free(stopped);
    *ends_run = *ends_run && status == KDR_OK;
    return status;
}
