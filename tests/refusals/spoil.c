/* The mistakes that a caller can make. Each list makes the one whose number is asked for, or counts the number down for the next list. */
#include "refusals.h"

/* Makes this mistake if its number has come. */
#define WRONG(statement)                                                                                                                   \
    if ((*number)-- == 0) {                                                                                                                \
        statement;                                                                                                                         \
        return #statement;                                                                                                                 \
    }

static const char *spoil_shape(kdr_particles *p, arrays *of, int *number) {
    WRONG(p->dims = 0)
    WRONG(p->dims = 4)
    WRONG(p->dims = 2)
    WRONG(p->real = KDR_F32)
    WRONG(p->real = (kdr_real)7)
    WRONG(p->count = SIZE_MAX)
    WRONG(p->count = COUNT - 1)
    WRONG(p->count = 1)
    WRONG(p->x[1] = NULL)
    WRONG(p->x[2] = of->x[0])
    WRONG(p->v[0] = NULL)
    WRONG(p->v[2] = of->x[2])
    WRONG(p->inverse_mass = NULL)
    WRONG(p->inverse_mass = of->v[2])
    WRONG(of->inverse_mass[COUNT - 1] += 1)
    WRONG(of->inverse_mass[COUNT - 1] = -1)
    WRONG(of->inverse_mass[COUNT - 1] = NAN)
    WRONG(p->x_layout.stride = 1)
    WRONG(p->v_layout = ((kdr_layout){.block = 4, .block_stride = 8}))
    WRONG(p->memory[1] = NULL)
    WRONG(p->memory[0] = p->memory[1] = p->memory[2] = NULL)
    WRONG(p->memory[2] = of->memory[0])
    WRONG(p->bounces = NULL)
    WRONG(p->first_id = 5)
    WRONG(p->x_layout.skip = 9)
    return NULL;
}

static const char *spoil_more(kdr_particles *p, arrays *of, int *number) {
    WRONG(p->compensation[0] = of->compensation[0])
    WRONG(for (int n = 0; n < 6; ++n) p->compensation[n] = of->compensation[n])
    WRONG(p->dissipated_energy[0] = of->dissipated_energy[0])
    WRONG(p->dissipated_energy[0] = p->dissipated_energy[1] = of->dissipated_energy[0])
    WRONG(p->error = of->x[0])
    WRONG(p->id = of->id)
    WRONG(p->nonconverged = of->nonconverged)
    WRONG(p->nonconverged = of->bounces)
    WRONG(p->images[0] = of->images[0])
    WRONG(for (int n = 0; n < 3; ++n) p->images[n] = of->images[n])
    WRONG(p->level = of->level)
    WRONG((p->level = of->level, p->level_count = COUNT))
    WRONG((p->level = of->level, p->level_count = COUNT, of->level[COUNT - 1] = 77))
    WRONG((p->active = of->active, p->active_count = COUNT - 1))
    WRONG((p->active = of->active, p->active_count = COUNT))
    WRONG((p->radius = of->radius, of->radius[COUNT - 1] = -1))
    WRONG((p->radius = of->radius, of->radius[COUNT - 1] = NAN))
    WRONG((p->contacts = &of->contacts, of->contacts.list = NULL))
    WRONG((p->contacts = &of->contacts, of->contacts.count = 3))
    WRONG((p->events = &of->events, of->events.list = NULL))
    WRONG((p->events = &of->events, of->events.active = NULL))
    WRONG((p->bounces = of->bounces, p->bounces_layout.stride = 2))
    WRONG(p->radius = of->v[0])
    WRONG((p->error = of->error, p->error_layout.stride = 3))
    return NULL;
}

static const char *spoil_run(world *w, int *number) {
    WRONG(w->clock.dt = 0)
    WRONG(w->clock.dt = w->dt = w->h = NAN)
    WRONG(w->clock.dt = w->dt = w->h = INFINITY)
    WRONG(w->dt = 0)
    WRONG(w->clock.t0 = NAN)
    WRONG(w->clock.step = UINT64_MAX)
    WRONG(w->steps = w->frame = UINT64_MAX - 1)
    WRONG(w->fraction = -0.5)
    WRONG(w->fraction = 1.5)
    WRONG(w->fraction = NAN)
    WRONG(w->begin = COUNT + 1)
    WRONG(w->at = COUNT + 1)
    WRONG(w->length = SIZE_MAX)
    WRONG(w->length = COUNT + 1)
    WRONG(w->begin = w->at = w->length = SIZE_MAX - 1)
    WRONG(w->length = 0)
    WRONG(w->blocks = 2)
    WRONG(w->blocks = 0)
    WRONG(w->index = w->enumerator = w->threads = -1)
    WRONG(w->index = w->enumerator = 99)
    WRONG(w->threads = 1 << 30)
    WRONG(w->name[0] = 0)
    WRONG(w->without = NO_NAME | NO_OUTPUT)
    WRONG(w->frame = 1)
    WRONG(w->allocator.allocate = (void *(*)(void *, size_t, size_t))(void (*)(void))abort)
    WRONG(w->box[1] = 2)
    WRONG(w->row.offset += 8)
    WRONG(w->row.member = NULL)
    return NULL;
}

static const char *spoil_parts(world *w, int *number) {
    WRONG(w->forces[0].kind = (kdr_force_kind)77)
    WRONG(w->forces[1].kind = (kdr_force_kind)77)
    WRONG(w->forces[1].as.uniform_acceleration.a[2] = NAN)
    WRONG(w->forces[0].as.spring.count = COUNT - 1)
    WRONG(w->forces[1].contribution = (kdr_contribution)77)
    WRONG(w->forces[0].each_layout.stride = 1)
    WRONG(w->collider.kind = (kdr_collider_kind)9)
    WRONG(w->collider.restitution = 2)
    WRONG(w->collider.static_friction = -1)
    WRONG(w->collider.as.plane.normal[2] = 0)
    WRONG(w->collider.velocity[2] = NAN)
    WRONG(w->constraint.kind = (kdr_constraint_kind)9)
    WRONG(w->constraint.as.sphere.radius = -1)
    WRONG(w->constraint.as.sphere.at[1] = NAN)
    WRONG(w->distance.length = -1)
    WRONG(w->distance.b = 0)
    WRONG(w->spring.b = 2)
    WRONG(w->spring.k = NAN)
    WRONG(w->spring.contribution = (kdr_contribution)77)
    WRONG(w->interactions[1].kind = (kdr_interaction_kind)9)
    WRONG(w->interactions[1].as.gravity.softening = -1)
    WRONG(w->interactions[1].as.gravity.mu = NULL)
    WRONG(w->interactions[0].as.spring_network.springs = NULL)
    WRONG((w->without = NO_DESC, w->integrator_desc.force_count = w->system_desc.force_count = 3))
    WRONG(w->options.arithmetic = (kdr_arithmetic)9)
    WRONG((w->options.kernels[0] = w->options.kernels[1] = NULL))
    WRONG(w->workspace.size = 1)
    WRONG(w->workspace.memory = NULL)
    WRONG((w->workspace.memory = w->own.x))
    WRONG(memset(&w->digest_state, 0xFF, sizeof w->digest_state))
    WRONG(w->digest_state.next = -1)
    WRONG(w->fingerprint_state.added = 6 * COUNT)
    WRONG(w->fingerprint_state.count = 1)
    return NULL;
}

/* Makes a mistake in a member that descriptions of field runs and of system runs share. */
#define BOTH(statement) WRONG((w->integrator_desc.statement, w->system_desc.statement))
static const char *spoil_descriptions(world *w, int *number) {
    WRONG((w->integrator_desc.size = w->system_desc.size = w->pairs_desc.size = w->distances_desc.size = w->create.size = 0))
    WRONG((w->integrator_desc.size = w->system_desc.size = w->pairs_desc.size = w->distances_desc.size = w->create.size = 9))
    BOTH(method = (kdr_method)999)
    BOTH(real = (kdr_real)7)
    BOTH(real = KDR_F32)
    BOTH(arithmetic = (kdr_arithmetic)9)
    BOTH(backend = (kdr_backend)99)
    BOTH(forces = NULL)
    WRONG((w->tableau.stages = 99, w->integrator_desc.tableau = w->system_desc.tableau = &w->tableau))
    WRONG((w->tableau.b[0] = 2, w->integrator_desc.tableau = w->system_desc.tableau = &w->tableau))
    WRONG((w->fractions.kick[0] = 2, w->integrator_desc.fractions = w->system_desc.fractions = &w->fractions))
    WRONG((w->substeps.count = 0, w->integrator_desc.substeps = w->system_desc.substeps = &w->substeps))
    BOTH(langevin.friction = -1)
    BOTH(langevin.temperature = NAN)
    BOTH(collider_count = 3000)
    WRONG((w->system_desc.colliders = NULL, w->integrator_desc.colliders = NULL, w->system_desc.collider_count = 1))
    BOTH(constraint_count = 1)
    BOTH(boundary.kind = (kdr_boundary_kind)9)
    BOTH(boundary = ((kdr_boundary){KDR_BOUNDARY_PERIODIC, {0, 0, 0}, {1, -1, 1}}))
    BOTH(dt = NAN)
    BOTH(compose = (kdr_composition)99)
    BOTH(watch_count = 1)
    BOTH(speed_of_light = -1)
    BOTH(method = KDR_EXACT_AFFINE)
    WRONG(w->system_desc.interactions = NULL)
    WRONG(w->system_desc.distance_count = 1)
    WRONG(w->system_desc.rows = true)
    WRONG((w->system_desc.levels = true, w->system_desc.method = KDR_RK4))
    WRONG((w->system_desc.distances = &w->distance, w->system_desc.distance_count = 1, w->system_desc.distance_tolerance = NAN))
    WRONG(w->pairs_desc.real = w->distances_desc.real = w->create.real = w->trajectory_desc.real = (kdr_real)7)
    WRONG(w->pairs_desc.real = w->distances_desc.real = KDR_F32)
    WRONG(w->pairs_desc.arithmetic = w->distances_desc.arithmetic = w->system_desc.arithmetic = (kdr_arithmetic)9)
    WRONG(w->pairs_desc.backend = w->distances_desc.backend = (kdr_backend)99)
    WRONG((w->pairs_desc.forces = NULL, w->distances_desc.distances = NULL))
    return NULL;
}

static const char *spoil_others(world *w, int *number) {
    WRONG(w->pairs_desc.box[1] = w->distances_desc.box[1] = -1)
    WRONG(w->distances_desc.tolerance = NAN)
    WRONG(w->distances_desc.relaxation = 2)
    WRONG(w->pairs_desc.communicator.count = 2)
    WRONG(w->create.dims = 4)
    WRONG(w->create.count = SIZE_MAX)
    WRONG(w->create.allocator.allocate = (void *(*)(void *, size_t, size_t))(void (*)(void))abort)
    WRONG(w->gravity.dims = 0)
    WRONG(w->gravity.real = (kdr_real)9)
    WRONG(w->gravity.softening = NAN)
    WRONG(w->gravity.mu = NULL)
    WRONG(w->gravity.a[2] = w->own.x[1])
    WRONG(w->gravity.a[1] = NULL)
    WRONG((w->gravity.targets_are_sources = true, w->gravity.first_source = 99))
    WRONG((w->gravity.a[0] = w->gravity.a[1] = w->gravity.a[2] = NULL))
    WRONG(w->gravity.sources = SIZE_MAX)
    WRONG((w->gravity.target_softening = w->each, w->each[COUNT - 1] = NAN))
    WRONG(w->gravity.a_layout.stride = 1)
    WRONG(w->trajectory_desc.size = w->stream_desc.size = 0)
    WRONG(w->trajectory_desc.particles = NULL)
    WRONG(w->trajectory_desc.observable_count = 99)
    WRONG(w->trajectory_desc.observable_count = 1)
    WRONG(w->trajectory_desc.boundary.kind = (kdr_boundary_kind)9)
    WRONG(w->trajectory_desc.count = 1)
    WRONG((w->stream_desc.from = NULL, w->stream_desc.create = NULL))
    WRONG(w->stream_desc.from = "/no/such/folder/file")
    WRONG(w->stream_desc.to = "/no/such/folder/file")
    WRONG(strcpy(w->path, "/no/such/folder/file"))
    WRONG(w->checkpoint.description ^= 1)
    WRONG(w->checkpoint.particles.count -= 1)
    return NULL;
}

/* Removes the pointers that a call can do without, one after the other. */
static const char *spoil_pointers(world *w, int *number) {
    static const char *const names[] = {"no particles",    "no second particles", "no clock",  "no description", "no output", "no handle",
                                        "no options",      "no workspace",        "no arrays", "no name",        "no path",   "no state",
                                        "no second arrays"};
    for (int n = 0; n < (int)(sizeof names / sizeof *names); ++n) {
        if ((*number)-- == 0) {
            w->without = 1U << n;
            return names[n];
        }
    }
    return NULL;
}

const char *world_spoil(world *w, int number) {
    static const char *(*const lists[])(world *, int *) = {spoil_run, spoil_parts, spoil_descriptions, spoil_others, spoil_pointers};
    const char *said = spoil_shape(&w->particles, &w->own, &number);
    said = said ? said : spoil_more(&w->particles, &w->own, &number);
    said = said ? said : spoil_shape(&w->to, &w->other, &number);
    for (size_t n = 0; n < sizeof lists / sizeof *lists && !said; ++n) {
        said = lists[n](w, &number);
    }
    return said;
}
