/* The arrays of a view as a table, for code that treats all arrays alike. */
#ifndef KDR_PARTICLES_ARRAYS_H
#define KDR_PARTICLES_ARRAYS_H

#include <kickdrift/particles.h>

#include <string.h>

/* Arrays that belong to a set: if one array of a set is there, all of them must be. */
enum { KDR_SET_NONE, KDR_SET_STATE = 1, KDR_SET_MEMORY = 2, KDR_SET_COMPENSATION = 4, KDR_SET_IMAGES = 8, KDR_SETS = 16 };

/* Offsets of an array's address and of its layout in kdr_particles. */
typedef struct kdr_array_row {
    const char *name;
    int axis;
    size_t data, layout;
    size_t size; /* bytes of an element; 0: those of a real */
    unsigned set;
} kdr_array_row;

/* The table has the arrays of each axis first, then the arrays that particles have one of. */
enum { KDR_ARRAYS_AXIS = 6, KDR_ARRAYS_AXES = 3 * KDR_ARRAYS_AXIS, KDR_ARRAYS = KDR_ARRAYS_AXES + 10 };
extern const kdr_array_row kdr_arrays[KDR_ARRAYS];

/* Returns the array after array i of views with `dims` axes. */
static inline int kdr_next_array(int i, int dims) { return i + 1 == dims * KDR_ARRAYS_AXIS ? KDR_ARRAYS_AXES : i + 1; }

/* Fails if x, v or images of `to` share memory with an array of `particles`; images may be the particles' own. Both views have been
 * checked, and have the same count, axes and precision. */
kdr_status kdr_particles_check_apart(const kdr_particles *particles, const kdr_particles *to, kdr_error *error);

/* Returns whether no element of `a` shares a byte with one of `b`; true if one of them is NULL. Both layouts must be valid. */
bool kdr_arrays_are_apart(const void *a, const kdr_layout *a_layout, size_t a_count, const void *b, const kdr_layout *b_layout,
                          size_t b_count, size_t size);

static inline unsigned char *kdr_array_data(const kdr_particles *p, const kdr_array_row *row) {
    unsigned char *data;
    memcpy(&data, (const char *)p + row->data, sizeof data);
    return data;
}

/* Returns the layout with an explicit stride. `real`: bytes of a real. */
static inline kdr_layout kdr_array_layout(const kdr_particles *p, const kdr_array_row *row, size_t real) {
    kdr_layout layout;
    memcpy(&layout, (const char *)p + row->layout, sizeof layout);
    if (!layout.stride) {
        layout.stride = row->size ? row->size : real;
    }
    return layout;
}

#endif
