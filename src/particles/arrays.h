/* The arrays of a view as a table: what treats them alike walks it. */
#ifndef KDR_PARTICLES_ARRAYS_H
#define KDR_PARTICLES_ARRAYS_H

#include <kickdrift/particles.h>

#include <string.h>

/* Arrays that come in a set: all of a set that is begun are required. */
enum { KDR_SET_NONE, KDR_SET_STATE = 1, KDR_SET_MEMORY = 2, KDR_SET_COMPENSATION = 4, KDR_SET_IMAGES = 8, KDR_SETS = 16 };

/* Where an array's address and its layout stand in kdr_particles. */
typedef struct kdr_array_row {
    const char *name;
    int axis;
    size_t data, layout;
    size_t size; /* of an element; 0: that of a real */
    unsigned set;
} kdr_array_row;

/* Those of each axis, then those that particles have one of. */
enum { KDR_ARRAYS_AXIS = 6, KDR_ARRAYS_AXES = 3 * KDR_ARRAYS_AXIS, KDR_ARRAYS = KDR_ARRAYS_AXES + 10 };
extern const kdr_array_row kdr_arrays[KDR_ARRAYS];

/* The array behind array i of views of `dims` axes. */
static inline int kdr_next_array(int i, int dims) { return i + 1 == dims * KDR_ARRAYS_AXIS ? KDR_ARRAYS_AXES : i + 1; }

/* x, v and images of `to`, of as many particles, axes and the same precision, lie in no array of `particles`, but for images that are the
 * particles' own; both views have been checked. */
kdr_status kdr_particles_check_apart(const kdr_particles *particles, const kdr_particles *to, kdr_error *error);

/* No element of `a` has a byte in common with one of `b`; NULL has none. Both layouts are possible. */
bool kdr_arrays_are_apart(const void *a, const kdr_layout *a_layout, size_t a_count, const void *b, const kdr_layout *b_layout,
                          size_t b_count, size_t size);

static inline unsigned char *kdr_array_data(const kdr_particles *p, const kdr_array_row *row) {
    unsigned char *data;
    memcpy(&data, (const char *)p + row->data, sizeof data);
    return data;
}

/* The layout with a stride that is said. `real`: bytes of an element of a real. */
static inline kdr_layout kdr_array_layout(const kdr_particles *p, const kdr_array_row *row, size_t real) {
    kdr_layout layout;
    memcpy(&layout, (const char *)p + row->layout, sizeof layout);
    if (!layout.stride) {
        layout.stride = row->size ? row->size : real;
    }
    return layout;
}

#endif
