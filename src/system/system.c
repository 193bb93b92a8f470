/* Makes system runs from descriptions: programs, terms, backend. */
#include "system.h"

#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
#include "../force/custom.h"
#include "../pairs/molecules.h"
#include "../particles/description.h"
#include "../particles/error.h"
#include "../particles/recorder.h"
#include "../particles/rounding.h"
#include "levels.h"
#include "sweep.h"

int kdr_system_level(const kdr_system *system, const kdr_particles *particles) {
    return system->desc.levels ? kdr_levels_highest(kdr_levels_inhabited(particles)) : 0;
}

kdr_status kdr_system_take(kdr_system *system, const kdr_system_term *term, kdr_error *error) {
    kdr_system_term *const terms = realloc(system->terms, (system->term_count + 1) * sizeof *terms);
    if (!terms) {
        if (term->destroy) {
            term->destroy(term->data);
        }
        return kdr_fail(error, KDR_ERROR_NO_MEMORY, "system: no memory for %zu forces", system->term_count + 1);
    }
    terms[system->term_count++] = *term;
    system->terms = terms;
    system->fails = true;
    system->corrects = system->corrects || term->after;
    system->holds = system->holds || term->drifted;
    if (term->digest != 0) {
        system->problem.digest = system->problem.digest * UINT64_C(0x9E3779B97F4A7C15) + term->digest;
    }
    return KDR_OK;
}

static kdr_status make_programs(kdr_system *made, kdr_error *error) {
    const kdr_problem *const p = &made->problem;
    kdr_program_desc desc = {.problem = p, .kernels = kdr_backend_kernels(made->backend, p->real, p->arithmetic), .backend = made->backend};
    const bool slopes = p->row->data.implicit && (made->desc.force_count > 0 || made->blocks);
    const bool evaluates = made->desc.force_count > 0 && kdr_problem_evaluates(p), maps = p->row->data.kinematic != NULL;
    bool is_made = true;
    desc.blocks = made->blocks;
    for (int i = 0; i < 6; ++i) {
        desc.dims = 1 + i / 2;
        desc.masses = i % 2;
        desc.colliders = made->walls.met[i / 2];
        made->steps[i / 2][i % 2] = kdr_program_of_calls(&desc);
        made->field[i / 2][i % 2] = evaluates ? kdr_program_of_field(&desc) : NULL;
        made->slopes[i / 2][i % 2] = slopes ? kdr_program_of_slopes(&desc) : NULL;
        made->maps[i / 2][i % 2] = maps ? kdr_program_of_maps(&desc) : NULL;
        is_made = is_made && made->steps[i / 2][i % 2] && (!evaluates || made->field[i / 2][i % 2]) &&
                  (!slopes || made->slopes[i / 2][i % 2]) && (!maps || made->maps[i / 2][i % 2]);
    }
    KDR_CHECK(is_made, error, KDR_ERROR_NO_MEMORY, "system: no memory for the programs of its method and its forces");
    return KDR_OK;
}

static kdr_status copy_forces(kdr_system *made, kdr_error *error) {
    const size_t count = made->desc.force_count; /* kdr_system_problem has accepted this many */
    made->forces = count > 0 ? malloc(count * sizeof *made->forces) : NULL;
    KDR_CHECK(made->forces || count == 0, error, KDR_ERROR_NO_MEMORY, "system: no memory for %zu forces", count);
    for (size_t i = 0; i < count; ++i) {
        made->forces[i] = made->desc.forces[i];
    }
    return KDR_OK;
}

kdr_status kdr_system_potential(const kdr_system *system, const kdr_particles *particles, double t, double *energy, kdr_error *error) {
    const kdr_system_desc *const desc = &system->desc;
    size_t size = 1;
    kdr_status status = KDR_OK;
    for (size_t n = 0; n < system->term_count && status == KDR_OK; ++n) {
        const kdr_system_term *const term = &system->terms[n];
        const size_t wanted = term->scratch ? term->scratch(term->data, particles->count, particles->dims) : 0;
        size = wanted > size ? wanted : size;
        status = term->check ? term->check(term->data, particles, error) : KDR_OK;
    }
    if (status != KDR_OK) {
        return status;
    }
    void *const scratch = malloc(size);
    KDR_CHECK(scratch, error, KDR_ERROR_NO_MEMORY, "system: no memory for %zu bytes", size);
    *energy = 0.0;
    if (desc->potential) {
        status = kdr_called(desc->potential(desc->context, particles, t, energy));
        (void)(status == KDR_OK ||
               kdr_fail(error, status, "potential: the function returned %d (%s) at time %g", (int)status, kdr_status_string(status), t));
    }
    for (size_t n = 0; n < system->term_count && status == KDR_OK; ++n) {
        const kdr_system_term *const term = &system->terms[n];
        status = term->potential ? term->potential(term->data, particles, scratch, energy, error) : KDR_OK;
    }
    free(scratch);
    return status;
}

/* Replaces all pointers to the user's memory. Interactions and distances were copied into terms. */
static void take_copies(kdr_system *made) {
    kdr_system_desc *const desc = &made->desc;
    desc->interactions = NULL;
    desc->distances = NULL;
    if (desc->watch_count > 0) {
        memcpy(made->watches, desc->watches, desc->watch_count * sizeof *made->watches);
    }
    desc->watches = made->problem.watches = made->watches;
    if (desc->tableau) {
        made->tableau = *desc->tableau;
        desc->tableau = &made->tableau;
    }
    if (desc->fractions) {
        made->fractions = *desc->fractions;
        desc->fractions = &made->fractions;
    }
    if (desc->substeps) {
        made->substeps = *desc->substeps;
        desc->substeps = &made->substeps;
    }
}

/* Makes an integrator of the same method and forces for one particle at a time. */
static kdr_status make_flights(kdr_system *made, kdr_error *error) {
    const kdr_system_desc *const desc = &made->desc;
    kdr_integrator_desc alone = kdr_integrator_desc_default();
    if (!kdr_system_flies(desc, &made->problem)) {
        return KDR_OK;
    }
    alone.method = desc->method, alone.tableau = desc->tableau, alone.fractions = desc->fractions;
    alone.compose = desc->compose, alone.substeps = desc->substeps;
    alone.real = desc->real, alone.arithmetic = desc->arithmetic, alone.backend = made->backend;
    alone.forces = made->forces, alone.force_count = desc->force_count;
    alone.colliders = made->problem.colliders, alone.collider_count = made->problem.collider_count;
    alone.constraints = made->problem.constraints, alone.constraint_count = made->problem.constraint_count;
    alone.speed_of_light = desc->speed_of_light, alone.compensated = desc->compensated;
    return kdr_integrator_create(&alone, &made->flights, error);
}

/* Makes everything that depends on the forces: copies of them and of the walls, and programs. */
static kdr_status fold(kdr_system *made, kdr_error *error) {
    kdr_system_desc *const desc = &made->desc;
    kdr_status status = copy_forces(made, error);
    if (status == KDR_OK) {
        status = kdr_backend_check_field(&made->problem.field, made->backend, desc->real, desc->arithmetic, error);
    }
    if (status == KDR_OK) {
        status = kdr_walls_take(&made->walls, &made->problem, error);
    }
    if (status == KDR_OK) {
        made->reflects = kdr_problem_reflects(&made->problem);
        made->meets = (made->problem.collider_count > 0 && !made->reflects) ||
                      (made->problem.constraint_count > 0 && !kdr_problem_holds_drifts(&made->problem));
        memset(made->map, 0, sizeof made->map);
        for (int dims = 1; dims <= 3 && desc->dt != 0.0; ++dims) {
            const kdr_particles view = {.dims = dims, .real = desc->real};
            kdr_problem_map(&made->problem, &view, desc->dt, &made->map[dims - 1]);
        }
        status = make_programs(made, error);
    }
    if (status == KDR_OK) {
        status = make_flights(made, error);
    }
    if (status == KDR_OK) {
        desc->forces = made->forces;
        desc->colliders = made->problem.colliders;
        desc->constraints = made->problem.constraints;
    }
    return status;
}

/* Frees everything that fold has made. */
static void unfold(kdr_system *system) {
    for (int i = 0; i < 6; ++i) {
        kdr_program_destroy(system->steps[i / 2][i % 2]);
        kdr_program_destroy(system->field[i / 2][i % 2]);
        kdr_program_destroy(system->slopes[i / 2][i % 2]);
        kdr_program_destroy(system->maps[i / 2][i % 2]);
    }
    free(system->forces);
    kdr_walls_free(&system->walls);
    kdr_integrator_destroy(system->flights);
}

/* Checks colliders, and makes molecules if there are both colliders and distances. */
static kdr_status make_molecules(kdr_system *made, kdr_error *error) {
    const bool meets = made->distances && made->problem.collider_count > 0;
    const kdr_status status = kdr_system_check_walls(&made->desc, &made->problem, error);
    return status != KDR_OK ? status : meets ? kdr_molecules_make(made->distances, &made->molecules, error) : KDR_OK;
}

kdr_status kdr_system_create(const kdr_system_desc *given, kdr_system **system, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(system, error, KDR_ERROR_NULL, "system: expected a pointer, got NULL");
    kdr_system *const made = calloc(1, sizeof *made);
    KDR_CHECK(made, error, KDR_ERROR_NO_MEMORY, "system: no memory for %zu bytes", sizeof *made);
    const kdr_system_desc *const desc = &made->desc;
    kdr_status status = kdr_description_take(&kdr_system_description, given, &made->desc, error);
    if (status == KDR_OK) {
        made->fails = desc->accelerations != NULL || desc->magnetic != NULL;
        status = kdr_system_problem(desc, &made->problem, error);
        made->fails = made->fails || (status == KDR_OK && made->problem.row->data.implicit);
        made->blocks = status == KDR_OK && kdr_system_has_slopes(desc, &made->problem);
    }
    if (status == KDR_OK) {
        status = kdr_backend_choose(desc->backend, &made->backend, error);
    }
    if (status != KDR_OK) {
        kdr_system_destroy(made);
        return status;
    }
    made->fused_roots = kdr_backend_fused_roots(made->backend);
    status = fold(made, error);
    if (status == KDR_OK) {
        status = kdr_system_take_built_in(made, error);
    }
    if (status == KDR_OK) {
        status = make_molecules(made, error);
    }
    if (status != KDR_OK) {
        kdr_system_destroy(made);
        return status;
    }
    made->leveled = kdr_system_leveled(desc, &made->problem);
    made->lists = kdr_system_lists_of(desc);
    take_copies(made);
    *system = made;
    return KDR_OK;
}

/* Makes everything anew from `desc`, which differs from the system run's description only in what changes. */
static kdr_status fold_again(kdr_system *system, const kdr_system_desc *desc, enum kdr_change change, kdr_error *error) {
    kdr_system *const before = malloc(sizeof *before);
    KDR_CHECK(before, error, KDR_ERROR_NO_MEMORY, "system: no memory for %zu bytes", sizeof *before);
    *before = *system; /* made in place, because copies inside it are pointed to */
    system->desc = *desc;
    system->forces = NULL;
    system->flights = NULL;
    memset(&system->walls, 0, sizeof system->walls);
    memset(system->steps, 0, sizeof system->steps);
    memset(system->field, 0, sizeof system->field);
    memset(system->slopes, 0, sizeof system->slopes);
    memset(system->maps, 0, sizeof system->maps);
    kdr_status status = kdr_system_problem_without_lists(&system->desc, &system->problem, error);
    if (status == KDR_OK) {
        kdr_system_name_lists(&system->problem, system->lists);
        kdr_problem_succeed(&system->problem, &before->problem, change);
        status = fold(system, error);
    }
    if (status == KDR_OK && change == KDR_CHANGES_COLLIDERS) {
        memset(&system->molecules, 0, sizeof system->molecules);
        status = make_molecules(system, error);
        kdr_molecules_free(status == KDR_OK ? &before->molecules : &system->molecules);
    }
    unfold(status == KDR_OK ? before : system);
    if (status != KDR_OK) {
        *system = *before;
    }
    free(before);
    return status;
}

kdr_status kdr_system_set_forces(kdr_system *system, const kdr_force *forces, size_t count, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(system, error, KDR_ERROR_NULL, "system: expected a pointer, got NULL");
    kdr_system_desc desc = system->desc;
    desc.forces = forces;
    desc.force_count = count;
    return fold_again(system, &desc, KDR_CHANGES_FORCES, error);
}

kdr_status kdr_system_set_colliders(kdr_system *system, const kdr_collider *colliders, size_t count, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(system, error, KDR_ERROR_NULL, "system: expected a pointer, got NULL");
    kdr_system_desc desc = system->desc;
    desc.colliders = colliders;
    desc.collider_count = count;
    return fold_again(system, &desc, KDR_CHANGES_COLLIDERS, error);
}

void kdr_system_destroy(kdr_system *system) {
    if (!system) {
        return;
    }
    for (size_t t = 0; t < system->term_count; ++t) {
        if (system->terms[t].destroy) {
            system->terms[t].destroy(system->terms[t].data);
        }
    }
    free(system->terms);
    kdr_molecules_free(&system->molecules);
    unfold(system);
    free(system);
}

const kdr_method_info *kdr_system_method(const kdr_system *system) { return system ? &system->problem.row->info : NULL; }

kdr_backend kdr_system_backend(const kdr_system *system) { return system ? system->backend : KDR_BACKEND_AUTO; }

const kdr_distance_constraints *kdr_system_distance_constraints(const kdr_system *system) { return system ? system->distances : NULL; }

uint64_t kdr_system_evaluations(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps) {
    if (!system || !particles || !clock || kdr_particles_check(particles, NULL) != KDR_OK) {
        return 0;
    }
    if (system->problem.row->data.implicit) {
        return steps * (uint64_t)system->problem.row->info.evaluations;
    }
    const kdr_problem *const problem = &system->problem;
    const uint64_t all = kdr_problem_evaluations(problem, particles, clock, steps);
    if (!system->desc.levels) {
        return all;
    }
    const uint64_t parts = (uint64_t)system->leveled.substepping.count, inhabited = kdr_levels_inhabited(particles);
    const uint64_t each = parts * kdr_levels_evaluations(&system->leveled, inhabited, kdr_problem_keeps(problem));
    return all + steps * each - steps * (uint64_t)problem->row->info.evaluations;
}

void kdr_system_job(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, kdr_flights *flights, kdr_job *job) {
    const kdr_problem *const problem = &system->problem;
    job->terms = system->steps[particles->dims - 1][0]->terms;
    job->dt = clock->dt;
    job->bath = kdr_problem_bath(problem, clock->dt);
    job->radius = problem->collider_count > 0 ? particles->radius : NULL;
    job->largest_radius = job->radius ? kdr_largest_radius(particles) : 0.0;
    job->id = particles->id;
    job->first_id = particles->first_id;
    job->walls = system->walls.met[particles->dims - 1];
    job->wall_count = problem->collider_count;
    *flights = (kdr_flights){system->flights, particles, clock};
    job->fly = system->flights ? kdr_fly_alone : NULL;
    job->flyer = flights;
    job->pulled = system->flights != NULL;
    job->t0 = clock->t0;
    job->walls_move = kdr_problem_walls_move(problem);
    job->bound = system->molecules.count > 0 ? system->molecules.marks : NULL;
    job->bound_count = system->molecules.reach;
    job->held = system->walls.held[particles->dims - 1];
    job->held_count = problem->constraint_count;
    job->note = kdr_recorder_note;
    job->bounces = particles->bounces;
    memcpy(job->dissipated_energy, particles->dissipated_energy, sizeof job->dissipated_energy);
    memcpy(job->images, particles->images, sizeof job->images);
}
