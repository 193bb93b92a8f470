/* Makes descriptions of field runs and system runs from scenes, and calls the right family of library functions. */
#include "motion.h"

#include <string.h>

/* Sets the members that the descriptions of field runs and system runs share. */
#define DESCRIBE(desc, from, of)                                                                                                           \
    do {                                                                                                                                   \
        (desc).method = (kdr_method)(from)->method.named;                                                                                  \
        (desc).tableau = (from)->method.tableau;                                                                                           \
        (desc).fractions = (from)->method.fractions;                                                                                       \
        (desc).compose = (kdr_composition)(from)->compose;                                                                                 \
        (desc).substeps = (from)->substeps;                                                                                                \
        (desc).compensated = (from)->compensated != 0;                                                                                     \
        (desc).flush_small_to_zero = (from)->flush_small_to_zero != 0;                                                                     \
        (desc).speed_of_light = (from)->speed_of_light;                                                                                    \
        (desc).langevin = (from)->langevin;                                                                                                \
        (desc).colliders = (from)->colliders;                                                                                              \
        (desc).collider_count = (from)->collider_count;                                                                                    \
        (desc).constraints = (from)->constraints;                                                                                          \
        (desc).constraint_count = (from)->constraint_count;                                                                                \
        (desc).boundary = (from)->boundary;                                                                                                \
        (desc).real = (kdr_real)(from)->real;                                                                                              \
        (desc).arithmetic = (kdr_arithmetic)(from)->arithmetic;                                                                            \
        (desc).forces = (of)->forces;                                                                                                      \
        (desc).force_count = (from)->force_count;                                                                                          \
    } while (0)

static void list_watches(const scene *from, kdr_watch watches[KDR_MAX_WATCHES]) {
    for (size_t i = 0; i < from->watch_count; ++i) {
        watches[i] = from->watches[i].watch;
    }
}

static kdr_status make_system(const scene *from, const population *of, kdr_system_desc *desc, motion *made, kdr_error *error) {
    DESCRIBE(*desc, from, of);
    desc->interactions = of->interactions;
    desc->interaction_count = of->interaction_count;
    desc->distances = of->distances;
    desc->distance_count = of->distance_count;
    desc->communicator = of->communicator;
    desc->levels = of->particles.level != NULL;
    made->same_level = of->same_level;
    if (from->distances.count > 0) {
        desc->distance_tolerance = from->distances.tolerance;
        desc->distance_sweeps = (uint32_t)from->distances.sweeps;
        desc->distance_relaxation = from->distances.relaxation;
    }
    const kdr_status status = kdr_system_create(desc, &made->system, error);
    return status != KDR_OK
               ? status
               : kdr_workspace_create(made->system, of->particles.count, of->particles.dims, (kdr_allocator){0}, &made->workspace, error);
}

kdr_status motion_make(const scene *from, const population *of, kdr_backend backend, kdr_executor executor, motion *made,
                       kdr_error *error) {
    kdr_watch watches[KDR_MAX_WATCHES];
    *made = (motion){.integrator = NULL};
    list_watches(from, watches);
    if (scene_is_system(from)) {
        kdr_system_desc desc = kdr_system_desc_default();
        desc.backend = backend, desc.executor = executor;
        desc.watches = watches, desc.watch_count = from->watch_count;
        return make_system(from, of, &desc, made, error);
    }
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.backend = backend, desc.executor = executor;
    desc.watches = watches, desc.watch_count = from->watch_count;
    DESCRIBE(desc, from, of);
    return kdr_integrator_create(&desc, &made->integrator, error);
}

void motion_release(motion *m) {
    kdr_integrator_destroy(m->integrator);
    kdr_workspace_destroy(&m->workspace);
    kdr_system_destroy(m->system);
    *m = (motion){.integrator = NULL};
}

kdr_status motion_run(const motion *m, kdr_particles *particles, kdr_clock *clock, uint64_t steps, kdr_error *error) {
    return m->system ? kdr_system_run(m->system, particles, clock, steps, &m->workspace, error)
                     : kdr_integrator_run(m->integrator, particles, clock, steps, error);
}

kdr_status motion_sample(const motion *m, const kdr_particles *particles, const kdr_clock *clock, double fraction, kdr_particles *to,
                         kdr_error *error) {
    return m->system ? kdr_system_sample(m->system, particles, clock, fraction, &m->workspace, to, error)
                     : kdr_integrator_sample(m->integrator, particles, clock, fraction, to, error);
}

/* Counts the evaluations of particles with levels: asks, for each level, how many there would be if all particles had that level. */
static uint64_t evaluations_of_levels(const motion *m, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps) {
    uint64_t sum = 0;
    kdr_particles same = *particles;
    same.level = m->same_level;
    for (int level = 0; level <= KDR_MAX_LEVEL; ++level) {
        size_t count = 0;
        for (size_t i = 0; i < particles->count; ++i) {
            count += particles->level[i] == level;
        }
        if (count > 0) {
            memset(m->same_level, level, particles->count);
            sum += count * kdr_system_evaluations(m->system, &same, clock, steps);
        }
    }
    return sum;
}

uint64_t motion_evaluations(const motion *m, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps) {
    if (!m->system) {
        return kdr_integrator_evaluations(m->integrator, particles, clock, steps);
    }
    return particles->level ? evaluations_of_levels(m, particles, clock, steps)
                            : kdr_system_evaluations(m->system, particles, clock, steps) * particles->count;
}

kdr_status motion_observe(const motion *m, const kdr_particles *particles, const kdr_clock *clock, kdr_observables *observables,
                          kdr_error *error) {
    return m->system ? kdr_system_observe(m->system, particles, clock, observables, error)
                     : kdr_observe(m->integrator, particles, clock, observables, error);
}

kdr_status motion_count_absorbed(const motion *m, const kdr_particles *particles, size_t *count, kdr_error *error) {
    return m->system ? kdr_system_count_absorbed(m->system, particles, count, error)
                     : kdr_count_absorbed(m->integrator, particles, count, error);
}

kdr_status motion_distances_worst(const motion *m, const kdr_particles *particles, double dt, double *position, double *velocity,
                                  kdr_error *error) {
    const kdr_distance_constraints *const kept = kdr_system_distance_constraints(m->system);
    return kept ? kdr_distance_constraints_max_violation(kept, particles, dt, position, velocity, error) : KDR_OK;
}

const kdr_method_info *motion_method(const motion *m) {
    return m->system ? kdr_system_method(m->system) : kdr_integrator_method(m->integrator);
}

kdr_backend motion_backend(const motion *m) { return m->system ? kdr_system_backend(m->system) : kdr_integrator_backend(m->integrator); }

bool motion_estimates(const motion *m) { return motion_method(m)->order_estimate > 0; }

size_t motion_explain(const motion *m, int dims, bool masses, char *text, size_t size) {
    return m->system ? kdr_system_explain(m->system, dims, masses, text, size)
                     : kdr_integrator_explain(m->integrator, dims, masses, text, size);
}

kdr_status motion_write_checkpoint(const motion *m, const char *path, const kdr_particles *particles, const kdr_clock *clock,
                                   const void *note, size_t note_size, kdr_error *error) {
    return m->system ? kdr_checkpoint_write_system(path, m->system, particles, clock, note, note_size, error)
                     : kdr_checkpoint_write(path, m->integrator, particles, clock, note, note_size, error);
}

uint64_t motion_digest(const motion *m) { return m->system ? kdr_system_digest(m->system) : kdr_integrator_digest(m->integrator); }

uint64_t motion_memory_key(const motion *m, const kdr_particles *particles, const kdr_clock *clock) {
    return m->system ? kdr_system_memory_key(m->system, particles, clock) : kdr_integrator_memory_key(m->integrator, particles, clock);
}

const char *motion_key_of(const char **message, const char **named) {
    static const struct {
        const char *begins, *key;
    } keys[] = {{"method:", "method"},
                {"tableau", "method"},
                {"fractions", "method"},
                {"langevin", "langevin"},
                {"compensated", "compensated"},
                {"colliders", "colliders"},
                {"constraints", "constraints"},
                {"boundary", "boundary"},
                {"compose", "compose"},
                {"interactions", "interactions"},
                {"distances", "distances"},
                {"tolerance", "distances"},
                {"relaxation", "distances"},
                {"levels", "levels"},
                {"clock:", "steps"}},
      others[] = {{"clock.dt", "dt"},
                  {"clock.t0", "t0"},
                  {"substeps", "compose"},
                  {"watches", "watch"},
                  {"flush_small_to_zero", "flush-small-to-zero"},
                  {"speed_of_light", "speed-of-light"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        if (strncmp(*message, keys[i].begins, strlen(keys[i].begins)) == 0) {
            return keys[i].key;
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        if (strncmp(*message, others[i].begins, strlen(others[i].begins)) == 0) {
            *message += strlen(others[i].begins);
            return *named = others[i].key;
        }
    }
    return "forces";
}
