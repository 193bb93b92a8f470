/* Functions that find and read the elements of an H5MD file. */
#ifndef KDR_IO_ELEMENTS_H
#define KDR_IO_ELEMENTS_H

#include "trajectory.h"

/* Adds to the text that names everything in the file that no frame has. */
__attribute__((__format__(__printf__, 2, 3))) void kdr_elements_leave_out(kdr_trajectory *t, const char *format, ...);

/* Finds the elements of frames in a group of /particles whose positions have `rows` rows, and sets t->frames. */
kdr_status kdr_elements_take(kdr_trajectory *t, hid_t all, uint64_t rows, kdr_error *error);

/* Opens the data set of this name, which may be a path. Returns a negative number if there is none. */
hid_t kdr_h5_open_set(hid_t at, const char *name);

/* Sets the extents of a data set. Returns the number of extents, 0 if there are none or more than 3. */
int kdr_h5_extents(hid_t set, hsize_t extent[3]);

/* Reports why a data set cannot be read: its filter is missing, or HDF5's own reason. Returns the status. */
kdr_status kdr_h5_read_failed(const kdr_trajectory *t, hid_t set, const char *what, kdr_error *error);

/* Reads an element's numbers for one frame. */
bool kdr_element_read(const kdr_element *e, uint64_t frame, hid_t type, void *numbers);

/* Reads `count` of an element's numbers as whole numbers. Fails if a number is not whole or does not fit. */
kdr_status kdr_element_read_whole(const kdr_trajectory *t, const kdr_element *e, uint64_t frame, size_t count, const char *what,
                                  uint64_t *numbers, kdr_error *error);

/* Reads the edges of a frame's box. An axis that is not periodic gets 0. */
kdr_status kdr_edges_read(kdr_trajectory *t, uint64_t frame, double box[3], kdr_error *error);

#endif
