/* Making an integrator: check, fold, choose. */
#include "integrator.h"

#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
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

kdr_integrator_desc kdr_integrator_desc_default(void) {
    kdr_integrator_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.method = KDR_VELOCITY_VERLET;
    desc.real = KDR_F64;
    desc.arithmetic = KDR_FUSED;
    desc.backend = KDR_BACKEND_AUTO;
    return desc;
}

kdr_status kdr_integrator_create(const kdr_integrator_desc *desc, kdr_integrator **integrator, kdr_error *error) {
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    KDR_CHECK(desc, error, KDR_ERROR_NULL, "description: expected a pointer, got NULL");
    const size_t most = (SIZE_MAX - sizeof(kdr_integrator)) / sizeof(kdr_force);
    KDR_CHECK(desc->force_count <= most, error, KDR_ERROR_OVERFLOW, "forces: expected at most %zu, got %zu", most, desc->force_count);
    KDR_CHECK(desc->forces || desc->force_count == 0, error, KDR_ERROR_NULL, "forces: expected %zu entries, got NULL", desc->force_count);
    kdr_integrator *made = malloc(sizeof *made + desc->force_count * sizeof(kdr_force));
    KDR_CHECK(made, error, KDR_ERROR_NO_MEMORY, "integrator: no memory for %zu forces", desc->force_count);
    made->desc = *desc;
    kdr_status status = kdr_problem_make(desc, &made->problem, error);
    if (status == KDR_OK) {
        status = kdr_backend_choose(desc->backend, &made->backend, error);
    }
    if (status != KDR_OK) {
        free(made);
        return status;
    }
    made->kernel = kdr_kernels_find(kdr_backend_kernels(made->backend, desc->real, desc->arithmetic), made->problem.method,
                                    made->problem.row->info.family);
    if (desc->force_count > 0) {
        memcpy(made->forces, desc->forces, desc->force_count * sizeof(kdr_force));
    }
    made->desc.forces = made->forces;
    made->desc.tableau = NULL; /* copied into the problem */
    made->desc.fractions = NULL;
    *integrator = made;
    return KDR_OK;
}

void kdr_integrator_destroy(kdr_integrator *integrator) { free(integrator); }

const kdr_method_info *kdr_integrator_method(const kdr_integrator *integrator) {
    return integrator ? &integrator->problem.row->info : NULL;
}

kdr_backend kdr_integrator_backend(const kdr_integrator *integrator) { return integrator ? integrator->backend : KDR_BACKEND_AUTO; }
