/* Sweeps: lines of a program of calls over all particles, by the executor: where the rows lie, or tile by tile. */
#ifndef KDR_COUPLED_SWEEP_H
#define KDR_COUPLED_SWEEP_H

#include "segments.h"
#include "tile.h"

/* What the STEP_BACK of a sweep needs to undo its NEXT_STEP, for each tile. */
typedef struct kdr_kept_arrays {
    char *x, *v;   /* an element for each of the tiles'; a range of the executor begins where its particles' own elements would lie */
    size_t *from;  /* of each tile: bytes from x and v to its first vector */
    uint8_t *bits; /* of each tile `bits_stride` bytes: a bit for each vector that is kept */
    size_t bits_stride;
} kdr_kept_arrays;

/* How many tiles so many particles are. */
size_t kdr_tiles_of(const kdr_program *program, size_t count);

typedef struct kdr_pass {
    kdr_lines part[2];           /* one after the other; a step ends between them */
    const kdr_kept_arrays *kept; /* of NEXT_STEP and STEP_BACK, or NULL */
    /* Plain arrays for what x, v and their compensations were at the end of that step, or without a second part at the beginning; or
     * NULL. */
    void *const *before[4];
    uint64_t step; /* on the run's clock, of the second part if there is one: noise is made for it */
} kdr_pass;

/* Frozen particles and those without a mark keep every bit of their x and v, and rows that are sums have for them what the sum begins with.
 * Where nothing is in the lines, nothing is done. Returns whether constraints, colliders or the boundary have changed a
 * particle, or an iteration has left one unsolved. */
bool kdr_sweep(const kdr_sweeper *sweeper, const kdr_pass *pass);

#endif
