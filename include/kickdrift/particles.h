/* Particles: a view of `count` particles, an array an axis.
 *
 * The caller lends any arrays, or kdr_particles_create allocates them. A view is a plain struct: copy it, slice it, fill it by hand
 * (start from kdr_particles_default). The elements of one view must not overlap each other; any address will do, aligned or not. Elements
 * that lie apart (a structure a particle, blocks of arrays) are described by a kdr_layout; the bits of a run do not depend on it. */
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

/* The element type of a view's arrays: IEEE 754 binary32 (`float`) or binary64 (`double`). */
typedef enum kdr_real { KDR_F32 = 0, KDR_F64 = 1 } kdr_real;
enum { KDR_REAL_COUNT = 2 };

enum { KDR_MAX_LEVEL = 32 };

typedef struct kdr_particles {
    size_t count;       /* particles; 0 is allowed, and then the arrays may be NULL */
    int dims;           /* 1, 2 or 3 axes */
    kdr_real real;      /* element type of every array below */
    void *x[3];         /* positions, one array of `count` elements an axis; [dims..2] are ignored */
    void *v[3];         /* velocities, likewise */
    void *inverse_mass; /* `count` inverse masses, or NULL: all masses are 1. 0 freezes a particle: no bit of it changes. Never written */
    kdr_layout x_layout, v_layout, inverse_mass_layout; /* of each axis of x, of v, of inverse_mass; those of other arrays are below */
    void *radius;    /* `count` radii, or NULL: all particles are points. Colliders meet the surface of the ball, x is its centre; nothing
                     else looks at radii. Each must be at least 0, and the ball must fit into all colliders with `inside`. Never written */
    void *memory[3]; /* the method's memory, one array an axis, or NULL (see kdr_method_info::memory). With it, a run that is cut into
                           calls gives the same bits as one call, whatever the method and the field. Contents need no initialisation */
    void *compensation[6]; /* what rounding took from x (first three) and v (last three), dims of each, or all NULL: a compensated run
                              (kdr_integrator_desc::compensated) then starts each call from 0. With it, x + compensation is the more precise
                              state, and a run that is cut into calls gives the same bits as one; a method with a memory must have that
                              too, or neither is used. Contents need no initialisation; those of frozen particles are never written */
    uint64_t memory_key;   /* what `memory` and `compensation` hold; 0: nothing. Set it to 0 after changing x, v, an inverse
                            mass, `active` or `level` by hand (not `level` for a coupled run) */
    const uint64_t *id;    /* `count` names of particles, or NULL: first_id + index. Noise is keyed by them, so that a heat bath refuses
                              two that are equal (KDR_ERROR_ARGUMENT). Each run checks for
                              duplicates: ascending ids cost one comparison each; others need a table once, for which memory is allocated
                              (KDR_ERROR_NO_MEMORY), and later only a digest. Never written */
    uint64_t first_id;     /* 0 unless the view is a slice */
    uint32_t *hits;        /* `count` counts that a run adds each particle's bounces off colliders to, modulo 2^32, or NULL */
    uint32_t *unsolved;    /* `count` counts that a run adds to each particle's one for each step, or substep, whose equation an implicit
                              method has not solved, modulo 2^32, or NULL: see KDR_IMPLICIT in method.h */
    double *dissipated[2]; /* `count` sums each, or NULL: of the kinetic energy that colliders took from each particle by restitution
                              (the first) and by friction (the second), see kdr_dissipation in collider.h. A run adds to them */
    void *error;           /* `count` estimates, or NULL. In each step a run estimates the error of x that this step makes, by the embedded
                              method of a pair: of order h^(p + 1), p = kdr_method_info::order_estimate, and so of the lower order's
                              step; the step itself is of the higher order, and keeps its bits. What is kept is the largest size on any
                              axis since the caller set the particle's element to 0; NaN once a step's was not finite. Bounces,
                              constraints and boundaries after the step are not in it. A method without such weights and a composed one
                              refuse it (KDR_ERROR_UNSUPPORTED) */
    const uint8_t *active; /* `active_count` marks, or NULL: all are active. Of a particle marked 0 no bit changes, nor of its memory,
                              compensation, hits, unsolved, dissipated, error and images: it is not stepped. Never written, but by runs
                              with a watch that stops particles, where kdr_events::active is it too (event.h) */
    size_t active_count;   /* elements of `active`: must be `count` when it is given */
    const uint8_t *level;  /* `level_count` levels, or NULL: all 0. In each step of the clock particle i takes 2^level[i] steps of
                              dt / 2^level[i] (block time steps): its bits, and its noise, are those of a run with that clock; of coupled
                              runs see coupled.h. At most KDR_MAX_LEVEL. Never written */
    size_t level_count;    /* elements of `level`: must be `count` when it is given */
    struct kdr_storage *storage; /* owned by kdr_particles_create; NULL in lent views and slices */
    int32_t *images[3];     /* `count` counts an axis, or all NULL: a run with a periodic boundary adds to them by how many widths of it a
                           particle has been put back, modulo 2^32, so that x + image (max - min) is where it would be without the
                           boundary. A step of 2^31 widths or more is not counted */
    kdr_contacts *contacts; /* where a run writes down each bounce off a collider, or NULL. A slice has none: its indices are others */
    /* The layouts of each axis of `memory`, of all six of `compensation`, of both of `dissipated`, and of the arrays of these names. */
    kdr_layout radius_layout, memory_layout, compensation_layout, id_layout, hits_layout, unsolved_layout, dissipated_layout, error_layout,
        active_layout, level_layout, images_layout;
    kdr_events *events; /* where a run of an integrator with watches writes down what they see, or NULL: nothing is watched, and nothing is
                           paid for it; a watch that stops something asks for one (KDR_ERROR_NULL). A slice has none. Runs in blocks with
                           watches refuse it (KDR_ERROR_UNSUPPORTED) */
} kdr_particles;

/* An allocator of the caller's. `allocate` returns at least `size` bytes at a multiple of `alignment` (a power of two), or NULL. */
typedef struct kdr_allocator {
    void *context;
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *pointer, size_t size);
} kdr_allocator;

typedef struct kdr_particles_desc {
    size_t size;             /* bytes: kdr_particles_desc_default() sets it, and nothing else */
    size_t count;            /* default 0 */
    int dims;                /* default 3 */
    kdr_real real;           /* default KDR_F64 */
    bool inverse_mass;       /* default false; when true the array is filled with 1 */
    bool memory;             /* default false */
    bool compensation;       /* default false */
    bool hits;               /* default false; when true the array is filled with 0 */
    bool dissipated;         /* default false; when true both arrays are filled with 0 */
    bool error;              /* default false; when true the array is filled with 0 */
    kdr_allocator allocator; /* default {0}: the system's, with huge pages where there are any */
    kdr_executor executor;   /* default serial; who fills the arrays. Memory then lies near the threads that will step it, on machines
                                where that matters, if the integrator has the same executor and its ranges go to the same threads */
    bool unsolved;           /* default false; when true the array is filled with 0 */
    bool radius;             /* default false; when true the array is filled with 0 */
} kdr_particles_desc;

/* Writes the defaults into a description of `size` bytes, which are those of the caller's header: what follows, and bindings, call it. */
KDR_API void kdr_particles_desc_init(kdr_particles_desc *desc, size_t size);
static inline kdr_particles_desc kdr_particles_desc_default(void) {
    kdr_particles_desc desc;
    kdr_particles_desc_init(&desc, sizeof desc);
    return desc;
}

/* An empty view: count 0, dims 3, KDR_F64, no arrays. */
KDR_API kdr_particles kdr_particles_default(void);

/* Allocates all arrays in one block: each aligned to 64 bytes, staggered by cache lines so that equal indices of different arrays do not
 * collide at 4 KiB. Positions and velocities are 0. `error` may be NULL. Free with kdr_particles_destroy.
 * Fails with KDR_ERROR_ARGUMENT, KDR_ERROR_OVERFLOW or KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_particles_create(const kdr_particles_desc *desc, kdr_particles *particles, kdr_error *error);

/* Frees what kdr_particles_create allocated and makes the view empty. Lent views are only made empty. NULL is allowed. */
KDR_API void kdr_particles_destroy(kdr_particles *particles);

/* A view of particles [begin, begin + count) of another view, whatever its layouts; nothing is copied and nothing is owned. The range is
 * cut to what exists. The slice inherits memory_key; slices of one view may run in different threads, and each then keeps its own key. */
KDR_API kdr_particles kdr_particles_slice(const kdr_particles *particles, size_t begin, size_t count);

/* Checks a view as every run does: dims and real in range, arrays given (KDR_ERROR_NULL), layouts whose strides are not too small
 * (KDR_ERROR_ARGUMENT), sizes that do not overflow, `active` and `level` of `count` elements (KDR_ERROR_MISMATCH), levels in range, no two
 * elements that overlap (KDR_ERROR_OVERLAP). */
KDR_API kdr_status kdr_particles_check(const kdr_particles *particles, kdr_error *error);

/* Moves particles [from, from + count) to [to, to + count) within the view, all that it has of them: x, v, inverse masses, memory,
 * compensation, ids, hits, unsolved, dissipated, errors, images, marks and levels, also the arrays that runs never write. The ranges may
 * overlap. Where a particle dies, the last one takes its place, or all behind it move up; the caller then lowers `count`. memory_key stays:
 * what a particle remembers has come with it (see kdr_integrator_begin for those that are born; of a coupled run set memory_key to 0).
 * Without `id` noise is keyed by the place.
 * The errors of kdr_particles_check; KDR_ERROR_ARGUMENT for a range that is not the view's. */
KDR_API kdr_status kdr_particles_move(kdr_particles *particles, size_t to, size_t from, size_t count, kdr_error *error);

/* The size of one element: 4 or 8; 0 for an unknown enumerator. */
KDR_API size_t kdr_real_size(kdr_real real);
KDR_API const char *kdr_real_name(kdr_real real); /* "f32", "f64"; "?" for an unknown enumerator */

/* The precision of a name; KDR_ERROR_UNKNOWN_NAME for another name, KDR_ERROR_NULL for a pointer that is NULL. */
KDR_API kdr_status kdr_real_from_name(const char *name, kdr_real *real);

#ifdef __cplusplus
}
#endif
#endif
