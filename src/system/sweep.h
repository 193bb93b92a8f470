/* Sweeps: carry out instructions of a system program for all particles, in parallel, in place where the layout allows and tile by tile
 * elsewhere. */
#ifndef KDR_SYSTEM_SWEEP_H
#define KDR_SYSTEM_SWEEP_H

#include "segments.h"
#include "tile.h"

/* Saved vectors of x and v, with which STEP_BACK undoes the NEXT_STEP of the sweep before. */
typedef struct kdr_kept_arrays {
    char *x, *v;   /* one element per element of x and v; each range of the executor uses the part at its own particles' offset */
    size_t *from;  /* for each tile, the offset in bytes of its first saved vector */
    uint8_t *bits; /* `bits_stride` bytes per tile: one bit for each vector that is saved */
    size_t bits_stride;
} kdr_kept_arrays;

/* Returns the number of tiles for `count` particles. */
size_t kdr_tiles_of(const kdr_program *program, size_t count);

typedef struct kdr_pass {
    kdr_lines part[2];           /* carried out one after the other; with both, a step ends between them */
    const kdr_kept_arrays *kept; /* for NEXT_STEP and STEP_BACK; may be NULL */
    /* Plain arrays that receive x, v and their compensations as they are between the two parts, or at the beginning if there is one
     * part. May be NULL. */
    void *const *before[4];
    uint64_t step; /* number of the step of the last non-empty part, on the run's clock; seeds noise */
} kdr_pass;

/* Carries out the instructions of a pass. Frozen and inactive particles keep every bit of x and v. Rows that are sums get for them the
 * value that the sum begins with. Returns whether constraints, colliders or the boundary changed a particle, or an iteration left one
 * nonconverged. */
bool kdr_sweep(const kdr_sweeper *sweeper, const kdr_pass *pass);

#endif
