/* Layouts: where the elements of an array are. */
#ifndef KICKDRIFT_LAYOUT_H
#define KICKDRIFT_LAYOUT_H

#include <stddef.h>

/* Places of an array's elements, in bytes from its address. {0}: contiguous. use/particles.md has examples. With j = skip + i, element i is
 * at
 *
 *     i stride                                        if block is 0
 *     (j / block) block_stride + (j % block) stride   otherwise */
typedef struct kdr_layout {
    size_t stride;       /* at least the size of an element; 0: that size */
    size_t block;        /* elements per block; 0: no blocks, members below are ignored */
    size_t block_stride; /* at least (block - 1) stride + the size of an element */
    size_t skip;         /* elements of the first block before element 0, below `block`; for slices */
} kdr_layout;

#endif
