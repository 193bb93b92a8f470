/* Particles: a view of `count` particles, with one array per axis. The caller lends the arrays, or kdr_particles_create allocates them. A
 * view is a plain struct: copy it, slice it, or fill it by hand, starting from kdr_particles_default. Any alignment and layout will do.
 * Elements must not overlap. Only x and v are needed; other members have all their arrays or none.
 *
 * A particle is frozen if its inverse mass is 0, and inactive if its element of `active` is 0. Only functions that create, copy or move
 * particles change a bit of either. */
#ifndef KICKDRIFT_PARTICLES_H
#define KICKDRIFT_PARTICLES_H

#include <kickdrift/contact.h>
#include <kickdrift/event.h>
#include <kickdrift/executor.h>
#include <kickdrift/layout.h>
#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The element type of arrays: IEEE 754 binary32 or binary64. */
typedef enum kdr_real { KDR_F32 = 0, KDR_F64 = 1 } kdr_real;
enum { KDR_REAL_COUNT = 2 };

enum { KDR_MAX_LEVEL = 32 };

typedef struct kdr_particles {
    size_t count;  /* with 0 the arrays may be NULL */
    int dims;      /* 1, 2 or 3 */
    kdr_real real; /* element type of every `void *` array */
    void *x[3];    /* positions, one array per axis; [dims..2] are ignored */
    void *v[3];
    void *inverse_mass; /* 0: frozen; NULL: all masses are 1 */
    kdr_layout x_layout, v_layout, inverse_mass_layout;
    /* Radii >= 0 of balls with centre x, for colliders only; NULL: points. A ball must fit into every collider with `inside`. */
    void *radius;
    /* The method's memory (kdr_method_info::memory), one array per axis. With it, the bits of a run do not depend on its division into
     * calls. Needs no initialisation. */
    void *memory[3];
    /* Rounding residuals of x, then of v, for kdr_integrator_desc::compensated. With them, bits do not depend on the division into calls;
     * without them each call starts from residuals of 0. A method with a memory needs both arrays or neither. Needs no initialisation. */
    void *compensation[6];
    /* Identifies the contents of `memory` and `compensation`; 0: none. Set it to 0 after changing x, v, inverse masses, `active` or,
     * outside of system runs, `level`. */
    uint64_t memory_key;
    /* NULL: particle i has the id first_id + i. The noise of a heat bath depends on ids, so equal ones are KDR_ERROR_ARGUMENT. */
    const uint64_t *id;
    uint64_t first_id;
    uint32_t *bounces; /* a run adds the bounces off colliders */
    /* A run adds the steps or substeps whose implicit equation was not solved (method.h). */
    uint32_t *nonconverged;
    /* Each may be NULL. A run adds the kinetic energy that colliders took, by enum kdr_dissipation (collider.h). */
    double *dissipated_energy[2];
    /* The largest estimate of a step's error in x, on any axis, since the caller set it to 0; or NaN. It is the error of the method's
     * lower-order solution, without bounces, constraints and boundaries. Compositions and methods without kdr_method_info::order_estimate
     * refuse it (KDR_ERROR_UNSUPPORTED). */
    void *error;
    /* NULL: all are active. Only watches that stop particles write it (event.h). */
    const uint8_t *active;
    size_t active_count; /* `count`, if `active` is given */
    /* Levels from 0 to KDR_MAX_LEVEL; NULL: all 0. In each step of the clock, particle i takes 2^level[i] steps of dt / 2^level[i]. For
     * system runs see methods/rules.md. */
    const uint8_t *level;
    size_t level_count;          /* `count`, if `level` is given */
    struct kdr_storage *storage; /* of kdr_particles_create */
    /* With a periodic boundary, a run adds the number of widths by which it moved a particle back. The position without the boundary is x +
     * image (max - min). */
    int32_t *images[3];
    kdr_contacts *contacts; /* bounces (contact.h); NULL in a slice */
    kdr_layout radius_layout, memory_layout, compensation_layout, id_layout, bounces_layout, nonconverged_layout, dissipated_energy_layout,
        error_layout, active_layout, level_layout, images_layout;
    /* For watches (event.h); NULL in a slice. */
    kdr_events *events;
} kdr_particles;

/* A user-defined allocator. `allocate` returns at least `size` bytes at a multiple of `alignment`, a power of two; NULL on failure. */
typedef struct kdr_allocator {
    void *context;
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *pointer, size_t size);
} kdr_allocator;

/* The arrays that kdr_particles_create allocates. Each bool adds the array of its name. Arrays are filled with 0, inverse_mass with 1. */
typedef struct kdr_particles_desc {
    size_t size;
    size_t count;
    int dims;      /* default 3 */
    kdr_real real; /* default KDR_F64 */
    bool inverse_mass;
    bool memory;
    bool compensation;
    bool bounces;
    bool dissipated_energy;
    bool error;
    kdr_allocator allocator; /* {0}: the system's, with huge pages where available */
    /* It fills the arrays, so that memory is near its threads. */
    kdr_executor executor;
    bool nonconverged;
    bool radius;
} kdr_particles_desc;

KDR_API void kdr_particles_desc_init(kdr_particles_desc *desc, size_t size);
static inline kdr_particles_desc kdr_particles_desc_default(void) {
    kdr_particles_desc desc;
    kdr_particles_desc_init(&desc, sizeof desc);
    return desc;
}

/* Returns an empty view: count 0, dims 3, KDR_F64, no arrays. */
KDR_API kdr_particles kdr_particles_default(void);

/* Allocates the arrays of the description, each aligned to 64 bytes. x and v are 0. Errors: KDR_ERROR_ARGUMENT, KDR_ERROR_OVERFLOW,
 * KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_particles_create(const kdr_particles_desc *desc, kdr_particles *particles, kdr_error *error);

/* Frees these arrays, not those of the caller, and makes the view empty. */
KDR_API void kdr_particles_destroy(kdr_particles *particles);

/* Returns a view of those particles [begin, begin + count) that exist, with the same memory_key. It owns nothing. Several threads may run
 * slices of one view. */
KDR_API kdr_particles kdr_particles_slice(const kdr_particles *particles, size_t begin, size_t count);

/* Checks a view as every run does. Errors: KDR_ERROR_NULL (missing arrays), KDR_ERROR_ARGUMENT (dims, real, strides, levels),
 * KDR_ERROR_OVERFLOW (sizes), KDR_ERROR_MISMATCH (active_count, level_count), KDR_ERROR_OVERLAP. */
KDR_API kdr_status kdr_particles_check(const kdr_particles *particles, kdr_error *error);

/* Moves particles [from, from + count) to [to, to + count) in all arrays; the ranges may overlap. To remove particles, lower `count`
 * afterwards. In system runs set memory_key to 0. Without `id` a particle's noise depends on its place. Errors: KDR_ERROR_ARGUMENT
 * (range). */
KDR_API kdr_status kdr_particles_move(kdr_particles *particles, size_t to, size_t from, size_t count, kdr_error *error);

/* Sizes in bytes, and names "f32", "f64". Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API size_t kdr_real_size(kdr_real real);
KDR_API const char *kdr_real_name(kdr_real real);
KDR_API kdr_status kdr_real_from_name(const char *name, kdr_real *real);

#ifdef __cplusplus
}
#endif
#endif
