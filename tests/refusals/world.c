/* The arguments of the calls: everything that a call needs, all valid. */
#include "refusals.h"

char refusals_folder[] = "/dev/shm/kickdrift-test-XXXXXX";

static kdr_particles view(arrays *of) {
    kdr_particles p = kdr_particles_default();
    p.count = COUNT;
    for (int i = 0; i < 3; ++i) {
        p.x[i] = of->x[i], p.v[i] = of->v[i], p.memory[i] = of->memory[i];
    }
    p.inverse_mass = of->inverse_mass, p.bounces = of->bounces;
    return p;
}

static void fill(arrays *of, uint64_t *seed) {
    for (size_t n = 0; n < COUNT; ++n) {
        for (int i = 0; i < 3; ++i) {
            of->x[i][n] = random_in(seed, -2, 2), of->v[i][n] = random_in(seed, -1, 1);
            of->images[i][n] = (int32_t)n;
        }
        of->inverse_mass[n] = 0.5 + (double)n, of->radius[n] = 0.125, of->error[n] = 0;
        of->id[n] = 10 + n, of->active[n] = of->watched[n] = 1, of->level[n] = (uint8_t)(n % 2);
    }
    of->contacts = (kdr_contacts){.list = of->contact, .capacity = 2};
    of->events = (kdr_events){.list = of->event, .capacity = 2, .active = of->watched};
}

static void describe_parts(world *w) {
    w->forces[0] = kdr_force_spring(2, 0, 0, 0);
    w->forces[0].as.spring.k_each = w->each, w->forces[0].as.spring.count = COUNT;
    w->forces[1] = kdr_force_uniform_acceleration(0, 0, -1);
    w->collider = kdr_collider_plane((const double[]){0, 0, -4}, (const double[]){0, 0, 1});
    w->constraint = kdr_constraint_sphere((const double[]){0, 0, 0}, 2);
    w->watch = kdr_watch_plane((const double[]){0, 0, 0}, (const double[]){1, 0, 0});
    w->tableau = (kdr_tableau){.stages = 1, .b = {1}};
    w->fractions = (kdr_fractions){1, {1}, {1}};
    w->substeps = (kdr_substeps){1, {1}};
    w->distance = (kdr_distance){0, 1, 1};
    w->spring = (kdr_pair_spring){2, 3, 1, 0.5, 0, KDR_CONTRIBUTION_DEFAULT};
    w->interactions[0] = kdr_interaction_spring_network(&w->spring, 1);
    w->interactions[1] = kdr_interaction_gravity(w->mu, COUNT, 0.25);
}

static kdr_status run_reference(void *desc, kdr_particles *particles, kdr_clock *clock, uint64_t steps, kdr_error *error) {
    return kdr_reference_run(desc, particles, clock, steps, error);
}

static void describe_runs(world *w) {
    kdr_integrator_desc *const desc = &w->integrator_desc;
    *desc = kdr_integrator_desc_default();
    desc->forces = w->forces, desc->force_count = 2;
    desc->colliders = &w->collider, desc->collider_count = 1;
    kdr_system_desc *const system = &w->system_desc;
    *system = kdr_system_desc_default();
    system->forces = w->forces, system->force_count = 2;
    system->interactions = w->interactions, system->interaction_count = 2;
    w->pairs_desc = kdr_pairs_desc_default();
    w->pairs_desc.forces = w->interactions, w->pairs_desc.force_count = 2;
    w->distances_desc = kdr_distance_constraints_desc_default();
    w->distances_desc.distances = &w->distance, w->distances_desc.count = 1;
    w->create = kdr_particles_desc_default();
    w->create.count = COUNT;
    kdr_trajectory_desc_init(&w->trajectory_desc, sizeof w->trajectory_desc);
    w->trajectory_desc.particles = &w->particles;
    w->stream_desc = kdr_stream_desc_default();
    w->stream_desc.from = w->path, w->stream_desc.to = w->to_path, w->stream_desc.integrator = w->integrator;
    w->stream_desc.last_step = 5;
    static const size_t count = COUNT;
    w->check_desc = kdr_check_desc_default();
    w->check_desc.integrator = &w->integrator_desc, w->check_desc.step = run_reference, w->check_desc.context = &w->integrator_desc;
    w->check_desc.cases = 4, w->check_desc.counts = &count, w->check_desc.count_count = 1;
    w->gravity = (kdr_gravity){.dims = 3, .real = KDR_F64, .sources = COUNT, .mu = w->mu, .targets = COUNT};
    for (int i = 0; i < 3; ++i) {
        w->gravity.source_x[i] = w->gravity.target_x[i] = w->own.x[i], w->gravity.a[i] = w->a[i];
    }
}

#define MUST(call) cr_assert((call) == KDR_OK, "%s", error.message)

static void make_handles(world *w) {
    kdr_error error = {KDR_OK, ""};
    MUST(kdr_integrator_create(&w->integrator_desc, &w->integrator, &error));
    MUST(kdr_system_create(&w->system_desc, &w->system, &error));
    MUST(kdr_pairs_create(&w->pairs_desc, &w->pairs, &error));
    MUST(kdr_distance_constraints_create(&w->distances_desc, &w->distances, &error));
    MUST(kdr_pair_map_create(w->pairs, &w->particles, 0.25, &w->map, &error));
    MUST(kdr_pass_options_init(KDR_FUSED, KDR_BACKEND_SCALAR, kdr_executor_serial(), &w->options, &error));
    MUST(kdr_integrator_digest_begin(w->integrator, COUNT, &w->digest_state, &error));
    MUST(kdr_fingerprint_begin(&w->fingerprint_state, COUNT, 3, KDR_F64, &error));
    w->workspace.size = kdr_system_workspace_size(w->system, COUNT, 3);
    w->workspace.memory = w->room = malloc(w->workspace.size);
    cr_assert(w->room);
    w->stream_desc.integrator = w->integrator;
}

static void make_files(world *w, unsigned needs) {
    kdr_error error = {KDR_OK, ""};
    if (needs & (NEEDS_FILE | NEEDS_STREAM)) {
        MUST(kdr_checkpoint_write(w->path, w->integrator, &w->particles, &w->clock, NULL, 0, &error));
        MUST(kdr_checkpoint_read(w->path, w->integrator, &w->checkpoint, &error));
        w->checkpoint.clock.step = 9;
    }
    if (needs & NEEDS_WRITER) {
        MUST(kdr_checkpoint_begin(w->to_path, w->integrator, 1, &w->particles, COUNT, &w->clock, NULL, 0, &w->writer, &error));
    }
    if (needs & NEEDS_TRAJECTORY) {
        MUST(kdr_trajectory_create(w->to_path, &w->trajectory_desc, &w->trajectory, &error));
        MUST(kdr_trajectory_append(w->trajectory, &w->particles, &w->clock, NULL, &error));
    }
    if (needs & NEEDS_STREAM) {
        MUST(kdr_stream_open(&w->stream_desc, &w->stream, &error));
    }
}

void world_make(world *w, unsigned needs) {
    uint64_t seed = 7;
    memset(w, 0, sizeof *w);
    memset(&w->out, 0xA5, sizeof w->out);
    snprintf(w->path, sizeof w->path, "%s/one", refusals_folder);
    snprintf(w->to_path, sizeof w->to_path, "%s/two", refusals_folder);
    fill(&w->own, &seed);
    fill(&w->other, &seed);
    w->particles = view(&w->own), w->to = view(&w->other);
    w->clock = (kdr_clock){0, 1.0 / 64, 3};
    for (size_t n = 0; n < COUNT; ++n) {
        w->mu[n] = 0.125, w->each[n] = 1 + (double)n;
        for (int i = 0; i < 3; ++i) {
            w->start[i][n] = w->own.x[i][n];
        }
    }
    strcpy(w->name, "no-such-name");
    w->row = *kdr_abi(NULL);
    w->fraction = 0.5, w->h = 0.25, w->dt = 0.25, w->steps = 2, w->frame = UINT64_MAX, w->at = 4, w->length = 2;
    w->blocks = 1, w->threads = 1;
    describe_parts(w);
    if (needs & (NEEDS_STREAM | NEEDS_NO_ARRAYS)) {
        w->forces[0].as.spring.k_each = NULL;
    }
    describe_runs(w);
    make_handles(w);
    make_files(w, needs);
}

#define DESTROY(handle, function)                                                                                                          \
    if (memcmp(&w->out.handle, untouched, sizeof w->out.handle) != 0) {                                                                    \
        function(w->out.handle);                                                                                                           \
    }                                                                                                                                      \
    function(w->handle)

void world_free(world *w) {
    unsigned char untouched[sizeof(kdr_checkpoint) + sizeof(kdr_particles)];
    memset(untouched, 0xA5, sizeof untouched);
    DESTROY(stream, kdr_stream_close);
    DESTROY(integrator, kdr_integrator_destroy);
    DESTROY(system, kdr_system_destroy);
    DESTROY(map, kdr_pair_map_destroy);
    DESTROY(pairs, kdr_pairs_destroy);
    DESTROY(distances, kdr_distance_constraints_destroy);
    if (memcmp(&w->out.writer, untouched, sizeof w->out.writer) != 0) {
        (void)kdr_checkpoint_end(w->out.writer, NULL);
    }
    if (w->writer) {
        (void)kdr_checkpoint_end(w->writer, NULL);
    }
    if (memcmp(&w->out.trajectory, untouched, sizeof w->out.trajectory) != 0) {
        (void)kdr_trajectory_close(w->out.trajectory, NULL);
    }
    (void)kdr_trajectory_close(w->trajectory, NULL);
    if (memcmp(&w->out.checkpoint, untouched, sizeof w->out.checkpoint) != 0) {
        kdr_checkpoint_release(&w->out.checkpoint);
    }
    kdr_checkpoint_release(&w->checkpoint);
    if (memcmp(&w->out.workspace, untouched, sizeof w->out.workspace) != 0) {
        kdr_workspace_destroy(&w->out.workspace);
    }
    if (memcmp(&w->out.particles, untouched, sizeof w->out.particles) != 0) {
        kdr_particles_destroy(&w->out.particles);
    }
    free(w->room);
}
