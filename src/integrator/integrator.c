/* Making an integrator: check, fold, choose. */
#include "integrator.h"

#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
#include "../force/custom.h"
#include "../particles/description.h"
#include "../particles/error.h"

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

static kdr_status make_programs(kdr_integrator *made, kdr_error *error) {
    const kdr_problem *const p = &made->problem;
    kdr_program_desc desc = {.problem = p, .kernels = kdr_backend_kernels(made->backend, p->real, p->arithmetic), .backend = made->backend};
    for (int i = 0; i < 6; ++i) {
        desc.dims = 1 + i / 2;
        desc.masses = i % 2;
        desc.walls = made->walls.folded[i / 2];
        made->program[i / 2][i % 2] = kdr_program_make(&desc);
        KDR_CHECK(made->program[i / 2][i % 2], error, KDR_ERROR_NO_MEMORY, "integrator: no memory for its programs");
    }
    return KDR_OK;
}

kdr_status kdr_integrator_create(const kdr_integrator_desc *given, kdr_integrator **integrator, kdr_error *error) {
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    kdr_integrator_desc desc;
    kdr_status status = kdr_description_take(&kdr_integrator_description, given, &desc, error);
    if (status != KDR_OK) {
        return status;
    }
    const size_t most = (SIZE_MAX - sizeof(kdr_integrator)) / sizeof(kdr_force);
    KDR_CHECK(desc.force_count <= most, error, KDR_ERROR_OVERFLOW, "forces: expected at most %zu, got %zu", most, desc.force_count);
    KDR_CHECK(desc.forces || desc.force_count == 0, error, KDR_ERROR_NULL, "forces: expected %zu entries, got NULL", desc.force_count);
    kdr_integrator *made = calloc(1, sizeof *made + desc.force_count * sizeof(kdr_force));
    KDR_CHECK(made, error, KDR_ERROR_NO_MEMORY, "integrator: no memory for %zu forces", desc.force_count);
    made->desc = desc;
    status = kdr_problem_make(&desc, &made->problem, error);
    if (status == KDR_OK) {
        status = kdr_backend_choose(desc.backend, &made->backend, error);
    }
    if (status == KDR_OK) {
        status = kdr_backend_check_field(&made->problem.field, made->backend, desc.real, desc.arithmetic, error);
    }
    if (status == KDR_OK) {
        status = kdr_walls_take(&made->walls, &made->problem, error);
        made->desc.constraints = made->problem.constraints;
        made->desc.colliders = made->problem.colliders;
    }
    if (status == KDR_OK) {
        status = make_programs(made, error);
    }
    if (status != KDR_OK) {
        kdr_integrator_destroy(made);
        return status;
    }
    for (int dims = 1; kdr_has_prepared(made, desc.dt) && dims <= 3; ++dims) {
        const kdr_particles view = {.dims = dims, .real = desc.real};
        kdr_problem_map(&made->problem, &view, desc.dt, &made->prepared[dims - 1]);
    }
    made->maps = kdr_backend_maps(made->backend);
    made->fused_roots = kdr_backend_fused_roots(made->backend);
    if (desc.force_count > 0) {
        memcpy(made->forces, desc.forces, desc.force_count * sizeof(kdr_force));
    }
    made->desc.forces = made->forces;
    made->desc.tableau = NULL; /* copied into the problem */
    made->desc.fractions = NULL;
    made->desc.substeps = NULL;
    *integrator = made;
    return KDR_OK;
}

void kdr_integrator_destroy(kdr_integrator *integrator) {
    if (integrator) {
        kdr_walls_free(&integrator->walls);
        for (int i = 0; i < 6; ++i) {
            kdr_program_destroy(integrator->program[i / 2][i % 2]);
        }
        free(integrator);
    }
}

const kdr_method_info *kdr_integrator_method(const kdr_integrator *integrator) {
    return integrator ? &integrator->problem.row->info : NULL;
}

kdr_backend kdr_integrator_backend(const kdr_integrator *integrator) { return integrator ? integrator->backend : KDR_BACKEND_AUTO; }

kdr_langevin kdr_integrator_langevin(const kdr_integrator *integrator) {
    return integrator ? integrator->desc.langevin : (kdr_langevin){0};
}

size_t kdr_integrator_explain(const kdr_integrator *integrator, int dims, bool masses, char *text, size_t size) {
    if (!integrator || dims < 1 || dims > 3) {
        if (size > 0) {
            *text = 0;
        }
        return 0;
    }
    kdr_backend_info info = {.name = "?"};
    kdr_backend_query(integrator->backend, &info);
    return kdr_program_text(integrator->program[dims - 1][masses], &integrator->problem, info.name, text, size);
}
