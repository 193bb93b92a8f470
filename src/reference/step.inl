/* A run of all particles, by the functions that precision.inl lists. */

/* Copies one particle out of, or back into, arrays at any address. */
static void gather(void *const *array, const kdr_layout *layout, int dims, size_t index, real *out) {
    for (int i = 0; i < dims; ++i) {
        memcpy(&out[i], (char *)array[i] + kdr_offset(layout, sizeof(real), index), sizeof(real));
    }
}

static void scatter(void *const *array, const kdr_layout *layout, int dims, size_t index, const real *in) {
    for (int i = 0; i < dims; ++i) {
        memcpy((char *)array[i] + kdr_offset(layout, sizeof(real), index), &in[i], sizeof(real));
    }
}

static step_fn *step_of(const kdr_problem *problem) {
    step_fn *const own = problem->method < KDR_METHOD_COUNT ? method_step[problem->method] : NULL;
    return own ? own : family_step[problem->row->info.family];
}

/* Whether the particles have memory and compensations and the run resumes from them; and the index of the run's first contact. */
typedef struct carried {
    bool memory, compensation, resume;
    size_t first_contact;
} carried;

/* Copies element i of the caller's array, in any layout, to or from `value`. */
static void get_value(const void *array, const kdr_layout *layout, size_t index, void *value, size_t size) {
    if (array) {
        memcpy(value, (const char *)array + kdr_offset(layout, size, index), size);
    }
}

static void put_value(void *array, const kdr_layout *layout, size_t index, const void *value, size_t size) {
    if (array) {
        memcpy((char *)array + kdr_offset(layout, size, index), value, size);
    }
}

/* Loads the counts of a particle from earlier runs. */
static void take_counts(particle *p, const kdr_particles *particles) {
    const size_t index = p->index;
    get_value(particles->id, &particles->id_layout, index, &p->id, sizeof p->id);
    get_value(particles->bounces, &particles->bounces_layout, index, &p->bounces, sizeof p->bounces);
    get_value(particles->nonconverged, &particles->nonconverged_layout, index, &p->nonconverged, sizeof p->nonconverged);
    for (int k = 0; k < 2; ++k) {
        get_value(particles->dissipated_energy[k], &particles->dissipated_energy_layout, index, &p->dissipated_energy[k],
                  sizeof p->dissipated_energy[k]);
    }
    get_value(particles->error, &particles->error_layout, index, &p->error, sizeof p->error);
    for (int i = 0; i < p->dims; ++i) {
        get_value(particles->images[i], &particles->images_layout, index, &p->images[i], sizeof p->images[i]);
    }
}

static void give_counts(const particle *p, const kdr_particles *particles) {
    const size_t index = p->index;
    put_value(particles->bounces, &particles->bounces_layout, index, &p->bounces, sizeof p->bounces);
    put_value(particles->nonconverged, &particles->nonconverged_layout, index, &p->nonconverged, sizeof p->nonconverged);
    for (int k = 0; k < 2; ++k) {
        put_value(particles->dissipated_energy[k], &particles->dissipated_energy_layout, index, &p->dissipated_energy[k],
                  sizeof p->dissipated_energy[k]);
    }
    put_value(particles->error, &particles->error_layout, index, &p->error, sizeof p->error);
    for (int i = 0; i < p->dims; ++i) {
        put_value(particles->images[i], &particles->images_layout, index, &p->images[i], sizeof p->images[i]);
    }
}

static void take_particle(particle *p, const kdr_particles *particles, const carried *has) {
    const size_t index = p->index;
    take_counts(p, particles);
    gather(particles->x, &particles->x_layout, p->dims, index, p->x);
    gather(particles->v, &particles->v_layout, p->dims, index, p->v);
    if (has->resume && has->memory) {
        gather(particles->memory, &particles->memory_layout, p->dims, index, p->a);
    }
    if (has->resume && has->compensation) {
        gather(particles->compensation, &particles->compensation_layout, p->dims, index, p->cx);
        gather(particles->compensation + 3, &particles->compensation_layout, p->dims, index, p->cv);
    }
}

static void give_particle(const particle *p, const kdr_particles *particles, const carried *has) {
    const size_t index = p->index;
    give_counts(p, particles);
    scatter(particles->x, &particles->x_layout, p->dims, index, p->x);
    scatter(particles->v, &particles->v_layout, p->dims, index, p->v);
    if (has->memory) {
        scatter(particles->memory, &particles->memory_layout, p->dims, index, p->a);
    }
    if (has->compensation) {
        scatter(particles->compensation, &particles->compensation_layout, p->dims, index, p->cx);
        scatter(particles->compensation + 3, &particles->compensation_layout, p->dims, index, p->cv);
    }
}

/* Sets tiny values to 0, with their compensations. */
static void flush_row(int dims, real *y, real *lost) {
    for (int i = 0; i < dims; ++i) {
        if (-NOTHING < y[i] && y[i] < NOTHING) {
            y[i] = lost[i] = 0;
        }
    }
}

static void flush_particle(particle *p) {
    real nowhere[3] = {0, 0, 0};
    flush_row(p->dims, p->x, p->cx);
    flush_row(p->dims, p->v, p->cv);
    flush_row(p->dims, p->a, nowhere);
}

/* Makes step n, substep by substep. */
static void take_substeps(particle *p, uint64_t n) {
    step_fn *const step = step_of(p->problem);
    for (p->substep = 0; p->substep < p->problem->substepping.count; ++p->substep) {
        const double h = p->clock->dt * p->problem->substepping.fraction[p->substep];
        p->turns = p->turns && h == p->h; /* the rotation and map for one length do not fit another */
        p->mapped = p->mapped && h == p->h;
        p->h = h;
        step(p, n);
    }
    p->substep = 0;
}

static void fly(const particle *of, uint64_t n, double begin, double length, real x[3], real v[3]) {
    const kdr_clock clock = {kdr_clock_time(of->clock, n - (of->others ? of->later : 0), begin), length * of->clock->dt, 0};
    particle p = *of;
    p.clock = &clock;
    p.later = n;
    p.keeps = false;
    memset(p.cx, 0, sizeof p.cx);
    memset(p.cv, 0, sizeof p.cv);
    memcpy(p.x, x, sizeof p.x);
    memcpy(p.v, v, sizeof p.v);
    take_substeps(&p, 0);
    if (p.terms & KDR_TERM_HELD_AFTER) {
        hold_drift(&p, x, clock.dt);
    }
    memcpy(x, p.x, sizeof p.x);
    memcpy(v, p.v, sizeof p.v);
}

/* Makes step n and what follows it. A particle held outside an absorbing boundary stays where it is. */
static void take_step(particle *p, uint64_t n) {
    real x0[3], v0[3];
    memcpy(x0, p->x, sizeof x0);
    memcpy(v0, p->v, sizeof v0);
    if (is_absorbed(p)) {
        if (p->problem->row->info.memory && !p->keeps) { /* the next run's memory starts with it */
            acceleration(p, p->x, p->v, n, 0.0, p->a);
            p->keeps = true;
        }
        return;
    }
    take_substeps(p, n);
    if (p->problem->flushes_small && (p->later + n + 1) % 128 == 0) {
        flush_particle(p);
    }
    if (p->terms & KDR_TERMS_AFTER) {
        after_step(p, n, x0, v0);
    }
}

#include "watch.inl"

/* Makes the steps of one particle, or those until a watch stops it. */
static void step_particle(particle *p, uint64_t steps, bool *ends_run) {
    const kdr_clock *const clock = p->clock;
    bool stopped = false;
    for (uint64_t n = clock->step; n < clock->step + steps && !stopped; ++n) {
        if (!p->events) {
            take_step(p, n);
        } else {
            watched_step step = {.before = *p, .n = n, .length = 1, .again = again_alone};
            take_step(p, n);
            step.after = *p;
            (void)watch_step(&step);
            *p = step.after;
            *ends_run = *ends_run || step.ends_run;
            stopped = step.stopped;
            if (stopped) {
                uint8_t *const active = step.before.events->active;
                active[kdr_offset(step.before.active_layout, 1, p->index)] = 0;
            }
        }
    }
}

/* Prepares a particle of a view before its first step; `own` is its clock. Returns false if it is frozen or inactive. */
static bool begin_particle(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, size_t index,
                           const carried *has, kdr_clock *own, particle *p) {
    uint8_t level = 0, active = 1;
    get_value(particles->level, &particles->level_layout, index, &level, sizeof level);
    get_value(particles->active, &particles->active_layout, index, &active, sizeof active);
    *own = kdr_problem_clock(clock, level);
    *p = (particle){.problem = problem,
                    .field = &problem->field,
                    .clock = own,
                    .level = level,
                    .terms = kdr_problem_terms(problem, particles),
                    .dims = particles->dims,
                    .fused = problem->arithmetic == KDR_FUSED,
                    .index = index,
                    .id = particles->first_id + index,
                    .w = (real)1.0,
                    .contacts = particles->contacts,
                    .first_contact = has->first_contact,
                    .active_layout = &particles->active_layout,
                    .keeps = has->resume && has->memory};
    if (particles->inverse_mass) {
        gather(&particles->inverse_mass, &particles->inverse_mass_layout, 1, index, &p->w);
    }
    if (particles->radius) {
        gather(&particles->radius, &particles->radius_layout, 1, index, &p->radius);
    }
    if (p->w == (real)0.0 || !active) {
        return false;
    }
    take_particle(p, particles, has);
    return true;
}

/* Steps all particles. Returns whether a watch has ended the run, which must then have one step. */
static bool step_all(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps, bool resume,
                     size_t first_contact) {
    bool ends_run = false;
    const bool carries = kdr_problem_carries(problem, particles);
    const carried has = {carries && problem->row->info.memory, carries && problem->compensated, resume, first_contact};
    kdr_events *const events = problem->watch_count > 0 ? particles->events : NULL;
    const size_t first = first_event_of(events);
    for (size_t index = 0; index < particles->count; ++index) {
        kdr_clock own;
        particle p;
        if (begin_particle(problem, particles, clock, index, &has, &own, &p)) {
            p.events = events;
            p.first_event = first;
            step_particle(&p, steps << p.level, &ends_run);
            give_particle(&p, particles, &has);
        }
    }
    return ends_run;
}

/* Dense output: the view's x, v and images become those after a fraction of the clock's step. */
static void sample_all(const kdr_problem *problem, const kdr_particles *view, const kdr_clock *clock, double fraction, bool resume) {
    const bool carries = kdr_problem_carries(problem, view);
    const carried has = {carries && problem->row->info.memory, carries && problem->compensated, resume, 0};
    for (size_t index = 0; index < view->count; ++index) {
        kdr_clock own;
        particle p;
        if (!begin_particle(problem, view, clock, index, &has, &own, &p)) {
            continue;
        }
        double left;
        const uint64_t whole = kdr_sample_steps(fraction, p.level, &left);
        bool ends_run = false; /* nothing is watched */
        step_particle(&p, whole, &ends_run);
        if (left > 0) {
            p = after_fraction(&p, own.step + whole, left);
        }
        scatter(view->x, &view->x_layout, p.dims, index, p.x);
        scatter(view->v, &view->v_layout, p.dims, index, p.v);
        give_counts(&p, view); /* the view has images only if the sampled state has its own */
    }
}

/* Puts all particles on the constraints, and projects their velocities onto them. */
static void hold_all(const kdr_problem *problem, const kdr_particles *particles) {
    const kdr_clock clock = {0, 1, 0};
    const carried has = {.memory = false};
    for (size_t index = 0; index < particles->count; ++index) {
        kdr_clock own;
        particle p;
        if (begin_particle(problem, particles, &clock, index, &has, &own, &p)) {
            const real x0[3] = {p.x[0], p.x[1], p.x[2]};
            hold_drift(&p, x0, 0);
            give_particle(&p, particles, &has);
        }
    }
}
