/* Makes integrators: checks and folds a description, and chooses kernels. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
#include "../force/custom.h"
#include "../particles/description.h"
#include "../particles/error.h"
#include "../particles/rounding.h"

static const char *const arithmetic_names[KDR_ARITHMETIC_COUNT] = {"fused", "unfused"};

const char *kdr_arithmetic_name(kdr_arithmetic arithmetic) {
    return (unsigned)arithmetic < KDR_ARITHMETIC_COUNT ? arithmetic_names[arithmetic] : "?";
}

kdr_status kdr_arithmetic_from_name(const char *name, kdr_arithmetic *arithmetic) {
    if (!name || !arithmetic) {
        return KDR_ERROR_NULL;
    }
    for (int i = 0; i < KDR_ARITHMETIC_COUNT; ++i) {
        if (strcmp(name, arithmetic_names[i]) == 0) {
            *arithmetic = (kdr_arithmetic)i;
            return KDR_OK;
        }
    }
    return KDR_ERROR_UNKNOWN_NAME;
}

static kdr_status make_programs(kdr_setup *made, kdr_error *error) {
    const kdr_problem *const p = &made->problem;
    kdr_program_desc desc = {.problem = p, .kernels = kdr_backend_kernels(made->backend, p->real, p->arithmetic), .backend = made->backend};
    for (int i = 0; i < 6; ++i) {
        desc.dims = 1 + i / 2;
        desc.masses = i % 2;
        desc.flies = false;
        desc.colliders = made->walls.met[i / 2];
        made->program[i / 2][i % 2] = kdr_program_make(&desc);
        KDR_CHECK(made->program[i / 2][i % 2], error, KDR_ERROR_NO_MEMORY, "integrator: no memory for its programs");
        desc.flies = kdr_problem_flies(p);
        made->flight[i / 2][i % 2] = desc.flies ? kdr_program_make(&desc) : NULL;
        KDR_CHECK(made->flight[i / 2][i % 2] || !desc.flies, error, KDR_ERROR_NO_MEMORY, "integrator: no memory for its programs");
    }
    return KDR_OK;
}

/* Copies what the description points to, because the user's memory may go away. */
static void take_copies(kdr_setup *made, const kdr_integrator_desc *desc) {
    if (desc->force_count > 0) {
        memcpy(made->forces, desc->forces, desc->force_count * sizeof(kdr_force));
    }
    made->desc.forces = made->forces;
    if (desc->watch_count > 0) {
        memcpy(made->watches, desc->watches, desc->watch_count * sizeof(kdr_watch));
    }
    made->desc.watches = made->problem.watches = made->watches;
    if (desc->tableau) {
        made->tableau = *desc->tableau;
        made->desc.tableau = &made->tableau;
    }
    if (desc->fractions) {
        made->fractions = *desc->fractions;
        made->desc.fractions = &made->fractions;
    }
    if (desc->substeps) {
        made->substeps = *desc->substeps;
        made->desc.substeps = &made->substeps;
    }
}

static void destroy_setup(kdr_setup *setup) {
    kdr_walls_free(&setup->walls);
    for (int i = 0; i < 6; ++i) {
        kdr_program_destroy(setup->program[i / 2][i % 2]);
        kdr_program_destroy(setup->flight[i / 2][i % 2]);
    }
    free(setup);
}

static kdr_status fill_setup(const kdr_integrator_desc *desc, kdr_setup *made, kdr_error *error) {
    kdr_status status = kdr_problem_make(desc, &made->problem, error);
    if (status == KDR_OK) {
        status = kdr_backend_choose(desc->backend, &made->backend, error);
    }
    if (status == KDR_OK) {
        status = kdr_backend_check_field(&made->problem.field, made->backend, desc->real, desc->arithmetic, error);
    }
    if (status == KDR_OK) {
        status = kdr_walls_take(&made->walls, &made->problem, error);
        made->desc.constraints = made->problem.constraints;
        made->desc.colliders = made->problem.colliders;
    }
    return status == KDR_OK ? make_programs(made, error) : status;
}

/* Prepares the programs for steps desc.dt. The map is used only if all particles share it. */
static void prepare_programs(kdr_setup *made) {
    const double dt = made->desc.dt;
    const kdr_bath bath = kdr_problem_bath(&made->problem, dt);
    for (int dims = 1; dims <= 3; ++dims) {
        const kdr_particles view = {.dims = dims, .real = made->desc.real};
        kdr_affine_map map;
        memset(&map, 0, sizeof map);
        kdr_problem_map(&made->problem, &view, dt, &map);
        for (int masses = 0; masses < 2; ++masses) {
            kdr_program_prepare(made->program[dims - 1][masses], dt, &map, &bath);
            if (made->flight[dims - 1][masses]) {
                kdr_program_prepare(made->flight[dims - 1][masses], dt, &map, &bath);
            }
        }
    }
}

static kdr_status make_setup(const kdr_integrator_desc *desc, kdr_setup **setup, kdr_error *error) {
    const size_t most = (SIZE_MAX - sizeof(kdr_setup)) / sizeof(kdr_force);
    KDR_CHECK(desc->force_count <= most, error, KDR_ERROR_OVERFLOW, "forces: expected at most %zu, got %zu", most, desc->force_count);
    KDR_CHECK(desc->forces || desc->force_count == 0, error, KDR_ERROR_NULL, "forces: expected %zu entries, got NULL", desc->force_count);
    kdr_setup *made = calloc(1, sizeof *made + desc->force_count * sizeof(kdr_force));
    KDR_CHECK(made, error, KDR_ERROR_NO_MEMORY, "integrator: no memory for %zu forces", desc->force_count);
    made->desc = *desc;
    const kdr_status status = fill_setup(desc, made, error);
    if (status != KDR_OK) {
        destroy_setup(made);
        return status;
    }
    if (kdr_has_prepared(made, desc->dt)) {
        prepare_programs(made);
    }
    for (int i = 0; i < 6; ++i) {
        kdr_run_prepare_common(made, 1 + i / 2, i % 2);
    }
    take_copies(made, desc);
    *setup = made;
    return KDR_OK;
}

kdr_status kdr_integrator_create(const kdr_integrator_desc *given, kdr_integrator **integrator, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    kdr_integrator_desc desc;
    kdr_status status = kdr_description_take(&kdr_integrator_description, given, &desc, error);
    if (status != KDR_OK) {
        return status;
    }
    kdr_integrator *const made = malloc(sizeof *made);
    KDR_CHECK(made, error, KDR_ERROR_NO_MEMORY, "integrator: no memory for %zu forces", desc.force_count);
    status = make_setup(&desc, &made->setup, error);
    if (status != KDR_OK) {
        free(made);
        return status;
    }
    *integrator = made;
    return KDR_OK;
}

/* Makes another setup from `desc`, which differs from the integrator's only in what changes, and replaces the present setup by it. */
static kdr_status replace_setup(kdr_integrator *integrator, kdr_integrator_desc *desc, enum kdr_change change, kdr_error *error) {
    desc->backend = integrator->setup->backend;
    kdr_setup *made = NULL;
    const kdr_status status = make_setup(desc, &made, error);
    if (status == KDR_OK) {
        kdr_problem_succeed(&made->problem, &integrator->setup->problem, change);
        destroy_setup(integrator->setup);
        integrator->setup = made;
    }
    return status;
}

kdr_status kdr_integrator_set_forces(kdr_integrator *integrator, const kdr_force *forces, size_t count, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    kdr_integrator_desc desc = integrator->setup->desc;
    desc.forces = forces;
    desc.force_count = count;
    return replace_setup(integrator, &desc, KDR_CHANGES_FORCES, error);
}

kdr_status kdr_integrator_set_colliders(kdr_integrator *integrator, const kdr_collider *colliders, size_t count, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    kdr_integrator_desc desc = integrator->setup->desc;
    desc.colliders = colliders;
    desc.collider_count = count;
    return replace_setup(integrator, &desc, KDR_CHANGES_COLLIDERS, error);
}

void kdr_integrator_destroy(kdr_integrator *integrator) {
    if (integrator) {
        destroy_setup(integrator->setup);
        free(integrator);
    }
}

const kdr_method_info *kdr_integrator_method(const kdr_integrator *integrator) {
    return integrator ? &integrator->setup->problem.row->info : NULL;
}

kdr_backend kdr_integrator_backend(const kdr_integrator *integrator) { return integrator ? integrator->setup->backend : KDR_BACKEND_AUTO; }

kdr_langevin kdr_integrator_langevin(const kdr_integrator *integrator) {
    KDR_ROUND_TO_NEAREST;
    return integrator ? integrator->setup->desc.langevin : (kdr_langevin){0};
}

size_t kdr_integrator_explain(const kdr_integrator *integrator, int dims, bool masses, char *text, size_t size) {
    KDR_ROUND_TO_NEAREST;
    if (!integrator || dims < 1 || dims > 3) {
        if (size > 0) {
            *text = 0;
        }
        return 0;
    }
    kdr_backend_info info = {.name = "?"};
    kdr_backend_query(integrator->setup->backend, &info);
    return kdr_program_text(integrator->setup->program[dims - 1][masses], &integrator->setup->problem, info.name, text, size);
}
