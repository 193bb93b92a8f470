/* Shared by the tests of system runs. */
#ifndef KDR_TESTS_SYSTEM_SUPPORT_H
#define KDR_TESTS_SYSTEM_SUPPORT_H

#include "particles/layout.h"
#include "support.h"

#include <kickdrift/system.h>

static inline bool is_system(kdr_method method) {
    const kdr_method_info *const info = kdr_method_get(method);
    return info && kdr_family_get(info->family)->system_runs && !info->affine;
}

/* Returns true if a system run of the method has the bits of a field run. Implicit methods are solved for all particles at once. Kinematic
 * ones treat the accelerations of a function differently from a particle's own forces. */
static inline bool has_field_bits(kdr_method method) {
    const kdr_family family = is_system(method) ? kdr_method_get(method)->family : KDR_IMPLICIT;
    return family != KDR_IMPLICIT && family != KDR_KINEMATIC;
}

static inline kdr_system_desc describe_system(kdr_method method, kdr_real real, kdr_arithmetic arithmetic, kdr_backend backend) {
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = method;
    desc.real = real;
    desc.arithmetic = arithmetic;
    desc.backend = backend;
    return desc;
}

/* Lists the backends that run here. */
static inline size_t list_backends(kdr_backend list[KDR_BACKEND_LAST]) {
    size_t n = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        if (info.runnable) {
            list[n++] = (kdr_backend)b;
        }
    }
    return n;
}

/* Makes a system run of any description with a workspace, and runs allocated particles. */
static inline kdr_status run_with(const kdr_system_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t steps, kdr_error *error) {
    kdr_system *system;
    kdr_workspace workspace;
    cr_assert(kdr_system_create(desc, &system, error) == KDR_OK, "%s", error->message);
    cr_assert(kdr_workspace_create(system, p->count, p->dims, (kdr_allocator){0}, &workspace, error) == KDR_OK, "%s", error->message);
    memset(workspace.memory, 0xA5, workspace.size);
    const kdr_status status = kdr_system_run(system, p, clock, steps, &workspace, error);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    return status;
}

static inline void run(const kdr_system_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t steps) {
    kdr_error error;
    cr_assert(run_with(desc, p, clock, steps, &error) == KDR_OK, "%s", error.message);
}

static inline void reference(const kdr_system_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t steps) {
    kdr_error error;
    cr_assert(kdr_reference_system_run(desc, p, clock, steps, &error) == KDR_OK, "%s", error.message);
}

static inline kdr_status run_in_blocks_with(const kdr_system_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t steps,
                                            kdr_error *error) {
    kdr_system *system;
    cr_assert(kdr_system_create(desc, &system, error) == KDR_OK, "%s", error->message);
    const kdr_status status = kdr_system_run_blocks(system, p, clock, steps, error);
    kdr_system_destroy(system);
    return status;
}

static inline void run_in_blocks(const kdr_system_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t steps) {
    kdr_error error;
    cr_assert(run_in_blocks_with(desc, p, clock, steps, &error) == KDR_OK, "%s", error.message);
}

/* A function that pulls particles to the origin, and fails in call `fails_at`, from 0; -1: in none. */
typedef struct homing {
    int calls, fails_at;
} homing;

static inline kdr_status pull_home(void *context, const kdr_particles *p, double t, void *const a[3]) {
    homing *const this = context;
    (void)t;
    for (int axis = 0; axis < p->dims; ++axis) {
        for (size_t i = 0; i < p->count; ++i) {
            set(a[axis], p->real, i, -2 * get(p->x[axis], p->real, i));
        }
    }
    return this->calls++ == this->fails_at ? KDR_ERROR_OVERFLOW : KDR_OK;
}

/* Copies x, v and inverse masses of contiguous arrays to particles on another layout, or copies x and v back. */
static inline void carry(const kdr_particles *far, const kdr_particles *plain, bool back) {
    const size_t size = kdr_real_size(plain->real);
    for (size_t n = 0; n < plain->count; ++n) {
        for (int i = 0; i < plain->dims; ++i) {
            void *const far_x = (char *)far->x[i] + kdr_offset(&far->x_layout, size, n), *const x = (char *)plain->x[i] + n * size;
            void *const far_v = (char *)far->v[i] + kdr_offset(&far->v_layout, size, n), *const v = (char *)plain->v[i] + n * size;
            memmove(back ? x : far_x, back ? far_x : x, size);
            memmove(back ? v : far_v, back ? far_v : v, size);
        }
        if (!back && plain->inverse_mass && far->inverse_mass != plain->inverse_mass) {
            char *const w = (char *)far->inverse_mass + kdr_offset(&far->inverse_mass_layout, size, n);
            memcpy(w, (const char *)plain->inverse_mass + n * size, size);
        }
    }
}

#endif
