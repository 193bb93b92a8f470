/* Grids of entries of the list of forces. */
#ifndef KDR_FORCE_GRID_H
#define KDR_FORCE_GRID_H

#include <kickdrift/force.h>
#include <kickdrift/particles.h>

/* Checks that the grid of entry `index`, which may be NULL, is one that its field reads. Copies it, with its strides filled in and
 * ignored members 0. */
kdr_status kdr_grid_fold(const kdr_grid *grid, const kdr_custom_field *field, size_t index, kdr_real real, kdr_grid *folded,
                         kdr_error *error);

/* Returns component c of node i, j, k, as it is in the particles' precision. */
double kdr_grid_number(const kdr_grid *folded, kdr_real real, int c, const int node[3]);

#endif
