/* Layouts of a view's arrays, and the levels of its particles. */
#ifndef KDR_PARTICLES_LAYOUT_H
#define KDR_PARTICLES_LAYOUT_H

#include <kickdrift/particles.h>

#include "arithmetic.h"

/* Returns the bytes from an array's address to element i. */
static inline size_t kdr_offset(const kdr_layout *layout, size_t size, size_t i) {
    const size_t stride = layout->stride ? layout->stride : size;
    if (!layout->block) {
        return i * stride;
    }
    const size_t j = layout->skip + i;
    return j / layout->block * layout->block_stride + j % layout->block * stride;
}

/* Returns whether the elements follow each other without gaps. */
static inline bool kdr_layout_is_plain(const kdr_layout *layout, size_t size) {
    return !layout->block && (!layout->stride || layout->stride == size);
}

/* Returns the address of the block that has element i, for a view that begins with this element. Changes the layout so that it skips the
 * elements before. */
static inline void *kdr_array_from(const void *array, kdr_layout *layout, size_t size, size_t i) {
    const size_t stride = layout->stride ? layout->stride : size, j = layout->skip + i;
    const uintptr_t at = (uintptr_t)array + (layout->block ? j / layout->block * layout->block_stride : i * stride);
    layout->skip = layout->block ? j % layout->block : layout->skip;
    return (void *)at;
}

/* Fails unless the strides keep elements of `size` bytes separate and `count` elements fit into memory. `name` is for the message. */
kdr_status kdr_layout_check(const kdr_layout *layout, size_t size, size_t count, const char *name, kdr_error *error);

/* Returns whether all arrays are plain. */
bool kdr_lie_plain(const kdr_particles *particles);

/* Returns whether x and v are interleaved: as rows of particles. */
bool kdr_lie_in_rows(const kdr_particles *particles);

/* Returns whether the axes of a particle are consecutive, without gaps between particles. `axis` has `dims` addresses; elements have
 * `size` bytes. */
bool kdr_layout_is_rows(void *const axis[3], const kdr_layout *layout, int dims, size_t size);

/* Returns the highest level of all particles, 0 if they have no levels. */
int kdr_highest_level(const kdr_particles *particles);

/* kdr_count_at_level returns how many particles are active and have this level; kdr_any_at_level returns whether any does. */
size_t kdr_count_at_level(const kdr_particles *particles, int level);
bool kdr_any_at_level(const kdr_particles *particles, int level);

#endif
