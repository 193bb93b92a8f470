/* What a kernel is given, and the table that each unit exports.
 *
 * Kernels know nothing of the API: they trust the job. */
#ifndef KDR_KERNEL_KERNEL_H
#define KDR_KERNEL_KERNEL_H

#include "../force/collider.h"
#include "../force/field.h"
#include "../method/contributions.h"
#include "../method/method.h"
#include "maps.h"

/* A row of base values: of the three axes, and the time of the evaluation. */
enum { KDR_BASE = 4 };

/* kdr_map_axis or kdr_map_axes. */
typedef void kdr_map_fn(const kdr_parts *parts, const kdr_field *field, unsigned terms, const kdr_affine_own *own, int axis_or_dims,
                        double h, kdr_affine_map *map);
/* kdr_affine_axis_rates. */
typedef void kdr_rates_fn(const kdr_field *field, unsigned terms, const kdr_affine_own *own, int axis, int lane, kdr_axis_rates *to);

typedef struct kdr_job {
    const kdr_field *field;
    const kdr_row *row;
    unsigned terms; /* of the field and of the particles */
    int dims;
    double dt;
    uint64_t steps;
    const double *base;          /* the constant part of the field, a row: of an undriven field for all times, of a driven one for each */
    size_t base_stride;          /* evaluation of each step (see kdr_row_times); from a step to the next in doubles, 0 when undriven */
    double start_base[KDR_BASE]; /* of the evaluation at the start of the run, for methods that keep their acceleration */
    void *x[3], *v[3];
    const void *inverse_mass;  /* or NULL */
    void *memory[3];           /* or NULL */
    void *compensation[6];     /* or NULL */
    bool resume;               /* memory and compensation hold what to start from */
    bool begun, unfinished;    /* a part of a run that is not its first, not its last: what a method makes of its state at the ends of a run
                                 is left as the steps have it */
    const kdr_affine_map *map; /* of the kinematic family, where it is the same for all particles */
    kdr_maps *maps;            /* who makes the maps where they differ */
    const kdr_parts *parts;    /* ... or NULL: the map is that of the affine field as a whole */
    kdr_map_fn *map_axis, *map_axes; /* the library's: kernels of fused fields lie outside it */
    kdr_rates_fn *axis_rates;        /* likewise */
    kdr_bath bath;                   /* of the Langevin family, and what its noise is keyed by: */
    const uint64_t *id;              /* names of the particles, or NULL: first_id + index */
    uint64_t first_id, first_step;
    const void *walls; /* `wall_count` kdr_wall_f32 or kdr_wall_f64, with KDR_TERM_COLLIDERS */
    size_t wall_count;
    const kdr_boundary *boundary; /* with KDR_TERM_PERIODIC or KDR_TERM_ABSORBING */
    uint32_t *hits;               /* of each particle, at any address, or NULL */
    double *dissipated[2];        /* likewise */
} kdr_job;

/* Takes all the steps of the job for particles [begin, end). */
typedef void kdr_kernel(const kdr_job *job, size_t begin, size_t end);

/* Sets a[axis] of particles [begin, end) to the field's acceleration at the x and v of the job and its `base`, or adds it to what is there:
 * of the job nothing but the field, the masses and the terms counts beside these. */
typedef void kdr_accelerations(const kdr_job *job, void *const a[3], bool adds, size_t begin, size_t end);

/* The kernels of one (backend, precision, arithmetic). `method` holds instances made for one row, where those are faster: NULL elsewhere. */
typedef struct kdr_kernels {
    kdr_kernel *family[KDR_FAMILY_COUNT];
    kdr_kernel *method[KDR_METHOD_COUNT];
    kdr_accelerations *accelerations;
} kdr_kernels;

/* `method` is KDR_METHOD_COUNT for a row of the caller's own. */
static inline kdr_kernel *kdr_kernels_find(const kdr_kernels *kernels, kdr_method method, kdr_family family) {
    kdr_kernel *const own = method < KDR_METHOD_COUNT ? kernels->method[method] : NULL;
    return own ? own : kernels->family[family];
}

#endif
