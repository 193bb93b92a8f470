/* Where the elements of a view lie, and which of its particles are stepped how. */
#ifndef KDR_PARTICLES_LAYOUT_H
#define KDR_PARTICLES_LAYOUT_H

#include <kickdrift/particles.h>

#include "arithmetic.h"

/* Bytes from an array's address to element i. */
static inline size_t kdr_offset(const kdr_layout *layout, size_t size, size_t i) {
    const size_t stride = layout->stride ? layout->stride : size;
    if (!layout->block) {
        return i * stride;
    }
    const size_t j = layout->skip + i;
    return j / layout->block * layout->block_stride + j % layout->block * stride;
}

/* The elements lie one after the other. */
static inline bool kdr_layout_is_plain(const kdr_layout *layout, size_t size) {
    return !layout->block && (!layout->stride || layout->stride == size);
}

/* The address of the block that element i is in, for the rest of an array from i on; its layout then skips what is before. */
static inline void *kdr_array_from(const void *array, kdr_layout *layout, size_t size, size_t i) {
    const size_t stride = layout->stride ? layout->stride : size, j = layout->skip + i;
    const uintptr_t at = (uintptr_t)array + (layout->block ? j / layout->block * layout->block_stride : i * stride);
    layout->skip = layout->block ? j % layout->block : layout->skip;
    return (void *)at;
}

/* Its strides keep elements of `size` bytes apart; and `count` of them are no larger than memory. `name`: what the message calls it. */
kdr_status kdr_layout_check(const kdr_layout *layout, size_t size, size_t count, const char *name, kdr_error *error);

/* All arrays are plain. */
bool kdr_lie_plain(const kdr_particles *particles);

/* How x and v lie: as rows of particles, or in any other way. */
bool kdr_lie_in_rows(const kdr_particles *particles);

/* The axes of a particle lie side by side, and nothing between particles: `axis` has `dims` addresses, elements of `size` bytes. */
bool kdr_layout_is_rows(void *const axis[3], const kdr_layout *layout, int dims, size_t size);

/* The highest level of all particles; 0 without levels. */
int kdr_highest_level(const kdr_particles *particles);

/* How many particles are active and have this level; whether any is. */
size_t kdr_count_at_level(const kdr_particles *particles, int level);
bool kdr_any_at_level(const kdr_particles *particles, int level);

#endif
