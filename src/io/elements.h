/* What elements.c finds in a file that is read. */
#ifndef KDR_IO_ELEMENTS_H
#define KDR_IO_ELEMENTS_H

#include "trajectory.h"

/* Adds to the words that name what is in the file and in no frame. */
__attribute__((__format__(__printf__, 2, 3))) void kdr_elements_leave_out(kdr_trajectory *t, const char *format, ...);

/* Finds what frames are made of, in a group of /particles whose positions have so many rows, and makes t->frames of it. */
kdr_status kdr_elements_take(kdr_trajectory *t, hid_t all, uint64_t rows, kdr_error *error);

/* The data set of that name, which may be a path; negative: there is none. */
hid_t kdr_h5_open_set(hid_t at, const char *name);

/* The extents of a data set, of at most 3; its rank, 0 for any other. */
int kdr_h5_extents(hid_t set, hsize_t extent[3]);

/* Says why a data set cannot be read: its filter, or HDF5's reason. */
kdr_status kdr_h5_read_failed(const kdr_trajectory *t, hid_t set, const char *what, kdr_error *error);

/* Reads a frame's numbers of an element. */
bool kdr_element_read(const kdr_element *e, uint64_t frame, hid_t type, void *numbers);

/* Reads `count` of them as whole numbers, and refuses others. */
kdr_status kdr_element_read_whole(const kdr_trajectory *t, const kdr_element *e, uint64_t frame, size_t count, const char *what,
                                  uint64_t *numbers, kdr_error *error);

/* The edges of a frame's box; 0 on an axis that is not periodic. */
kdr_status kdr_edges_read(kdr_trajectory *t, uint64_t frame, double box[3], kdr_error *error);

#endif
