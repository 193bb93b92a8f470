/* Copies between a caller's arrays, wherever their elements lie, and plain arrays in a pack or a tile. */
#ifndef KDR_PARTICLES_COPIES_H
#define KDR_PARTICLES_COPIES_H

#include <kickdrift/backend.h>
#include <kickdrift/particles.h>

/* An array a particle of a job, or up to three of one layout, an axis each. */
typedef struct kdr_column {
    unsigned char *array[3];
    int axes;
    size_t size; /* of an element: 4 or 8 */
    kdr_layout layout;
    size_t slot; /* where its addresses stand in what is staged */
    bool apart;  /* not plain */
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

/* `on`: a place in a pack or a tile for each axis. `back`: from there to the caller's arrays. */
typedef struct kdr_copies {
    void (*range)(const kdr_column *column, unsigned char *const on[3], size_t begin, size_t n, bool back);
    void (*chosen)(const kdr_column *column, unsigned char *const on[3], const size_t *index, size_t n, bool back);
} kdr_copies;

/* One source, compiled for any processor and for AVX2. No arithmetic is in it: which one runs shows in the time alone. */
extern const kdr_copies kdr_copies_any, kdr_copies_avx2;

/* The one that goes with a backend that was chosen. */
const kdr_copies *kdr_copies_for(kdr_backend backend);

/* Members of structures, the axes side by side and something else between particles: kdr_kernels has faster copies of those. */
bool kdr_column_has_members(const kdr_column *column);

#endif
