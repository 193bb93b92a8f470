/* Particles: a view of `count` particles, with one array per axis. The caller lends the arrays, or kdr_particles_create allocates them.
 * A view is a plain struct: copy it, slice it, or fill it by hand, starting from kdr_particles_default. Any alignment and layout will
 * do. Elements must not overlap. */
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

/* The element type of a view's arrays: IEEE 754 binary32 or binary64. */
typedef enum kdr_real { KDR_F32 = 0, KDR_F64 = 1 } kdr_real;
enum { KDR_REAL_COUNT = 2 };

enum { KDR_MAX_LEVEL = 32 };

typedef struct kdr_particles {
    size_t count;       /* 0 is allowed, and the arrays may then be NULL */
    int dims;           /* 1, 2 or 3 axes */
    kdr_real real;      /* element type of every array that is a `void *` */
    void *x[3];         /* positions, one array of `count` elements per axis; [dims..2] are ignored */
    void *v[3];         /* velocities; the same */
    void *inverse_mass; /* may be NULL: all masses are 1; 0 freezes a particle: no bit of it changes. Never written */
    kdr_layout x_layout, v_layout, inverse_mass_layout; /* the other layouts are below */
    /* May be NULL: points. Otherwise balls of these radii, >= 0, for colliders only: x is the centre. A ball must fit into every
     * collider with `inside`. Never written. */
    void *radius;
    /* The method's memory, one array per axis, may be NULL (see kdr_method_info::memory). With it, a run that is cut into calls has the
     * bits of one call. Needs no initialisation. */
    void *memory[3];
    /* Rounding residuals of x (the first three) and of v (the last three), or all NULL. Without them, each call of a compensated run
     * (kdr_integrator_desc::compensated) starts from residuals of 0. With them, x + compensation is the more precise state, and a run
     * that is cut into calls has the bits of one call. A method with a memory needs both arrays, or neither is used. Needs no
     * initialisation. */
    void *compensation[6];
    /* Identifies the contents of `memory` and `compensation`; 0: none. Set it to 0 after changing x, v, inverse masses, `active` or (not
     * in coupled runs) `level`. */
    uint64_t memory_key;
    /* Names of particles, may be NULL: particle i is then named first_id + i. The noise of a heat bath depends on names, so it refuses
     * two equal ones (KDR_ERROR_ARGUMENT). The check allocates a table unless names ascend (KDR_ERROR_NO_MEMORY). */
    const uint64_t *id;
    uint64_t first_id; /* id of the view's first particle if `id` is NULL; 0, or in a slice more */
    uint32_t *hits;    /* may be NULL; a run adds the number of bounces off colliders, modulo 2^32 */
    /* May be NULL. A run adds, modulo 2^32, the number of steps or substeps whose implicit equation was not solved (method.h). */
    uint32_t *unsolved;
    /* Each may be NULL. A run adds the kinetic energy that colliders took, in the order of enum kdr_dissipation (collider.h). */
    double *dissipated[2];
    /* Error estimates, may be NULL. Each step estimates the error of its lower-order solution in x. The element keeps the largest size
     * on any axis since the caller set it to 0, or NaN. Bounces, constraints and boundaries are not in it. Methods without
     * kdr_method_info::order_estimate and composed methods refuse it (KDR_ERROR_UNSUPPORTED). */
    void *error;
    /* Marks, may be NULL: all particles are active. No bit of a particle marked 0 changes. Only a run with a watch that stops particles
     * writes marks (kdr_events::active in event.h). */
    const uint8_t *active;
    size_t active_count; /* must be `count` when `active` is given */
    /* Levels from 0 to KDR_MAX_LEVEL, may be NULL: all 0. In each step of the clock, particle i takes 2^level[i] steps of dt /
     * 2^level[i]. In a field run it has the bits of a run with that clock; for coupled runs see coupled.h. */
    const uint8_t *level;
    size_t level_count;          /* must be `count` when `level` is given */
    struct kdr_storage *storage; /* of kdr_particles_create; NULL in lent views and slices */
    /* All may be NULL. With a periodic boundary, a run adds the number of widths that a particle was moved back, modulo 2^32. The place
     * without the boundary is x + image (max - min). A step across 2^31 widths or more is not counted. */
    int32_t *images[3];
    kdr_contacts *contacts; /* may be NULL; bounces off colliders (contact.h); a slice has none */
    /* Layouts of each axis or array of these names. */
    kdr_layout radius_layout, memory_layout, compensation_layout, id_layout, hits_layout, unsolved_layout, dissipated_layout, error_layout,
        active_layout, level_layout, images_layout;
    /* May be NULL: nothing is watched (event.h). A watch that stops something requires it (KDR_ERROR_NULL). A slice has none. */
    kdr_events *events;
} kdr_particles;

/* A user-defined allocator. `allocate` returns at least `size` bytes at a multiple of `alignment`, a power of two. NULL: failed. */
typedef struct kdr_allocator {
    void *context;
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *pointer, size_t size);
} kdr_allocator;

typedef struct kdr_particles_desc {
    size_t size;             /* set by kdr_particles_desc_default() only */
    size_t count;            /* default 0 */
    int dims;                /* default 3 */
    kdr_real real;           /* default KDR_F64 */
    bool inverse_mass;       /* default false; true: an array of ones */
    bool memory;             /* default false */
    bool compensation;       /* default false */
    bool hits;               /* default false; true: an array of zeros */
    bool dissipated;         /* default false; true: both arrays of kdr_particles::dissipated, of zeros */
    bool error;              /* default false; true: an array of zeros */
    kdr_allocator allocator; /* default {0}: the system's, with huge pages where available */
    /* Default serial. It fills the arrays, so that memory lies near the threads that step it, if the integrator has the same one. */
    kdr_executor executor;
    bool unsolved; /* default false; true: an array of zeros */
    bool radius;   /* default false; true: an array of zeros */
} kdr_particles_desc;

/* Sets the defaults, for bindings; `size` is sizeof *desc. */
KDR_API void kdr_particles_desc_init(kdr_particles_desc *desc, size_t size);
static inline kdr_particles_desc kdr_particles_desc_default(void) {
    kdr_particles_desc desc;
    kdr_particles_desc_init(&desc, sizeof desc);
    return desc;
}

/* Returns an empty view: count 0, dims 3, KDR_F64, no arrays. */
KDR_API kdr_particles kdr_particles_default(void);

/* Allocates the arrays of the description, each aligned to 64 bytes. x and v are 0. Free them with kdr_particles_destroy. Errors:
 * KDR_ERROR_ARGUMENT, KDR_ERROR_OVERFLOW, KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_particles_create(const kdr_particles_desc *desc, kdr_particles *particles, kdr_error *error);

/* Frees the arrays of kdr_particles_create and makes the view empty. A lent view is only made empty. */
KDR_API void kdr_particles_destroy(kdr_particles *particles);

/* Returns a view of particles [begin, begin + count) of another view, cut to those that exist. It owns nothing and has its own
 * memory_key, at first a copy. Several threads may run slices of one view. */
KDR_API kdr_particles kdr_particles_slice(const kdr_particles *particles, size_t begin, size_t count);

/* Checks a view as every run does. Errors: KDR_ERROR_NULL (missing arrays), KDR_ERROR_ARGUMENT (dims, real, strides, levels),
 * KDR_ERROR_OVERFLOW (sizes), KDR_ERROR_MISMATCH (active_count, level_count), KDR_ERROR_OVERLAP. */
KDR_API kdr_status kdr_particles_check(const kdr_particles *particles, kdr_error *error);

/* Moves particles [from, from + count) to [to, to + count) within the view, in all its arrays; the ranges may overlap. Lower `count`
 * afterwards to remove particles. memory_key stays valid, except for coupled runs: set it to 0. For new particles see
 * kdr_integrator_begin. Without `id` a particle's noise depends on its place. Errors: those of kdr_particles_check; KDR_ERROR_ARGUMENT
 * for the range. */
KDR_API kdr_status kdr_particles_move(kdr_particles *particles, size_t to, size_t from, size_t count, kdr_error *error);

/* Returns the size of an element in bytes, 4 or 8; 0 for an unknown enumerator. */
KDR_API size_t kdr_real_size(kdr_real real);
KDR_API const char *kdr_real_name(kdr_real real); /* "f32", "f64"; "?" for others */

/* Finds the precision of a name. Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API kdr_status kdr_real_from_name(const char *name, kdr_real *real);

#ifdef __cplusplus
}
#endif
#endif
