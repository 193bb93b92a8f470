/* Copies between the user's arrays, with any layout, and plain arrays in a pack or a tile. */
#ifndef KDR_PARTICLES_COPIES_H
#define KDR_PARTICLES_COPIES_H

#include <kickdrift/backend.h>
#include <kickdrift/particles.h>

/* One array per particle, or up to three with one layout, one per axis. */
typedef struct kdr_column {
    unsigned char *array[3];
    int axes;
    size_t size; /* bytes of an element: 4 or 8 */
    kdr_layout layout;
    size_t slot; /* place of its addresses among the staged addresses */
    bool apart;  /* the layout is not plain */
    bool written;
} kdr_column;

static inline kdr_column kdr_column_of(void *const *array, int axes, size_t size, const kdr_layout *layout) {
    kdr_column c = {.axes = axes, .size = size, .layout = *layout};
    c.layout.stride = layout->stride ? layout->stride : size;
    for (int i = 0; i < axes; ++i) {
        c.array[i] = array[i];
    }
    return c;
}

/* Copy from the user's arrays to `on`, which has a place in a pack or a tile for each axis; or, with `back`, from there to the user's
 * arrays. */
typedef struct kdr_copies {
    void (*range)(const kdr_column *column, unsigned char *const on[3], size_t begin, size_t n, bool back);
    void (*chosen)(const kdr_column *column, unsigned char *const on[3], const size_t *index, size_t n, bool back);
} kdr_copies;

/* One source, compiled for any processor and for AVX2. It does no arithmetic, so that both give the same bits. */
extern const kdr_copies kdr_copies_any, kdr_copies_avx2;

/* Returns the copies that go with a chosen backend. */
const kdr_copies *kdr_copies_for(kdr_backend backend);

/* Returns whether the column is members of structures: the axes are consecutive, with something else between particles. kdr_kernels has
 * faster copies for this layout. */
bool kdr_column_has_members(const kdr_column *column);

#endif
