/* Layouts: where the elements of an array are. */
#ifndef KICKDRIFT_LAYOUT_H
#define KICKDRIFT_LAYOUT_H

#include <stddef.h>

/* Places of an array's elements, in bytes from its address. With j = skip + i, element i is at
 *
 *     i stride                                        if block is 0
 *     (j / block) block_stride + (j % block) stride   otherwise
 *
 * {0} is contiguous. `double r[n][3]` has stride 24, with the axes at r[0], r[0] + 1, r[0] + 2. `struct { float x[3][8], v[3][8]; } b[n /
 * 8]` has block 8, block_stride sizeof b[0], and the axes at b[0].x[0], b[0].x[1], ... */
typedef struct kdr_layout {
    size_t stride;       /* at least the size of an element; 0: that size */
    size_t block;        /* elements per block; 0: no blocks, members below are ignored */
    size_t block_stride; /* at least (block - 1) stride + the size of an element */
    size_t skip;         /* elements of the first block before element 0, below `block`; for slices */
} kdr_layout;

#endif
