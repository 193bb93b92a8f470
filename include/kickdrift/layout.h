/* Layouts: where the elements of an array lie. */
#ifndef KICKDRIFT_LAYOUT_H
#define KICKDRIFT_LAYOUT_H

#include <stddef.h>

/* Where the elements of an array lie, in bytes from its address. With j = skip + i, element i is at
 *     (j / block) block_stride + (j % block) stride,  without blocks (block 0) at i stride.
 * All 0: one after the other. `double r[n][3]` has stride 24 and the axes at r[0], r[0] + 1, r[0] + 2; a member of a structure has its
 * size. `struct { float x[3][8], v[3][8]; } b[n / 8]` has block 8, block_stride sizeof b[0], and the axes at b[0].x[0], b[0].x[1], ... */
typedef struct kdr_layout {
    size_t stride;       /* from an element to the next: at least its size, or 0: its size */
    size_t block;        /* elements of a block, or 0: no blocks, and the two below are ignored */
    size_t block_stride; /* from a block to the next: at least what a block spans, (block - 1) stride + an element */
    size_t skip;         /* elements of the first block that lie before element 0, below `block`: 0 unless the view is a slice */
} kdr_layout;

#endif
