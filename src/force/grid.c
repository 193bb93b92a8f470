/* Grids of entries of the list of forces. */
#include "grid.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../particles/element.h"
#include "../particles/error.h"
#include "custom.h"

static const char *const edges[KDR_EDGE_COUNT] = {[KDR_EDGE_CLAMPED] = "clamped", [KDR_EDGE_PERIODIC] = "periodic"};

const char *kdr_edge_name(kdr_edge edge) { return (unsigned)edge < KDR_EDGE_COUNT ? edges[edge] : "?"; }

kdr_status kdr_edge_from_name(const char *name, kdr_edge *edge) {
    if (!name || !edge) {
        return KDR_ERROR_NULL;
    }
    for (int i = 0; i < KDR_EDGE_COUNT; ++i) {
        if (strcmp(edges[i], name) == 0) {
            *edge = (kdr_edge)i;
            return KDR_OK;
        }
    }
    return KDR_ERROR_UNKNOWN_NAME;
}

/* Checks an axis of a grid. A spacing must have a reciprocal in the particles' precision. */
static kdr_status check_axis(const kdr_grid *grid, int axis, const char *field, size_t index, kdr_real real, kdr_error *error) {
    const double largest = real == KDR_F32 ? (double)FLT_MAX : DBL_MAX, smallest = real == KDR_F32 ? (double)FLT_MIN : DBL_MIN;
    KDR_CHECK(grid->nodes[axis] >= 2 && grid->nodes[axis] <= KDR_GRID_NODES, error, KDR_ERROR_ARGUMENT,
              "forces[%zu].%s.grid.nodes[%d]: expected 2 to %d, got %d", index, field, axis, KDR_GRID_NODES, grid->nodes[axis]);
    KDR_CHECK((unsigned)grid->edge[axis] < KDR_EDGE_COUNT, error, KDR_ERROR_ARGUMENT,
              "forces[%zu].%s.grid.edge[%d]: expected an enumerator below %d, got %d", index, field, axis, KDR_EDGE_COUNT,
              (int)grid->edge[axis]);
    KDR_CHECK(fabs(grid->origin[axis]) <= largest, error, KDR_ERROR_NOT_FINITE,
              "forces[%zu].%s.grid.origin[%d]: expected a finite number, got %g", index, field, axis, grid->origin[axis]);
    KDR_CHECK(grid->spacing[axis] >= smallest && grid->spacing[axis] <= 1.0 / smallest, error, KDR_ERROR_ARGUMENT,
              "forces[%zu].%s.grid.spacing[%d]: expected a number from %g to %g, got %g", index, field, axis, smallest, 1.0 / smallest,
              grid->spacing[axis]);
    return KDR_OK;
}

/* Fills in the strides of contiguous nodes with interleaved components. */
static void fill_strides(kdr_grid *grid) {
    size_t elements = (size_t)grid->components;
    grid->component_stride = 1;
    for (int axis = 0; axis < grid->dims; ++axis) {
        grid->stride[axis] = elements;
        elements *= (size_t)grid->nodes[axis];
    }
}

/* Checks the size of a grid; its numbers are not checked. */
static kdr_status check_extent(const kdr_grid *grid, const char *field, size_t index, kdr_error *error) {
    const double most = 2147483648.0;
    double last = 0;
    for (int axis = 0; axis < grid->dims; ++axis) {
        KDR_CHECK(grid->stride[axis] > 0, error, KDR_ERROR_ARGUMENT,
                  "forces[%zu].%s.grid.stride[%d]: expected at least 1 where another is not 0, got 0", index, field, axis);
        last += (double)grid->stride[axis] * (grid->nodes[axis] - 1);
    }
    KDR_CHECK(last < most, error, KDR_ERROR_OVERFLOW,
              "forces[%zu].%s.grid: expected its last node less than 2^31 elements from its first, got %.0f; take fewer nodes, or an array "
              "for each component",
              index, field, last);
    return KDR_OK;
}

kdr_status kdr_grid_fold(const kdr_grid *grid, const kdr_custom_field *field, size_t index, kdr_real real, kdr_grid *folded,
                         kdr_error *error) {
    memset(folded, 0, sizeof *folded);
    KDR_CHECK(!grid || field->grid > 0, error, KDR_ERROR_ARGUMENT, "forces[%zu].%s: reads no grid, expected NULL, got one", index,
              field->name);
    if (field->grid == 0) {
        return KDR_OK;
    }
    KDR_CHECK(grid, error, KDR_ERROR_NULL, "forces[%zu].%s.grid: expected a grid of %d components, got NULL", index, field->name,
              field->grid);
    KDR_CHECK(grid->dims >= 1 && grid->dims <= 3, error, KDR_ERROR_ARGUMENT, "forces[%zu].%s.grid.dims: expected 1 to 3, got %d", index,
              field->name, grid->dims);
    KDR_CHECK(field->grid_dims == 0 || grid->dims == field->grid_dims, error, KDR_ERROR_ARGUMENT,
              "forces[%zu].%s.grid.dims: expected %d, got %d", index, field->name, field->grid_dims, grid->dims);
    KDR_CHECK(grid->components == field->grid, error, KDR_ERROR_ARGUMENT, "forces[%zu].%s.grid.components: expected %d, got %d", index,
              field->name, field->grid, grid->components);
    KDR_CHECK(grid->values, error, KDR_ERROR_NULL, "forces[%zu].%s.grid.values: expected an array, got NULL", index, field->name);
    KDR_CHECK((uintptr_t)grid->values % kdr_real_alignment(real) == 0, error, KDR_ERROR_ARGUMENT,
              "forces[%zu].%s.grid.values: expected an address that is a multiple of %zu, an element's alignment, got %p", index,
              field->name, kdr_real_alignment(real), grid->values);
    folded->dims = grid->dims;
    folded->components = grid->components;
    folded->values = grid->values;
    bool plain = grid->component_stride == 0;
    for (int axis = 0; axis < grid->dims; ++axis) {
        const kdr_status status = check_axis(grid, axis, field->name, index, real, error);
        if (status != KDR_OK) {
            return status;
        }
        folded->nodes[axis] = grid->nodes[axis];
        folded->edge[axis] = grid->edge[axis];
        folded->origin[axis] = grid->origin[axis];
        folded->spacing[axis] = grid->spacing[axis];
        folded->stride[axis] = grid->stride[axis];
        plain = plain && grid->stride[axis] == 0;
    }
    folded->component_stride = grid->component_stride;
    if (plain) {
        fill_strides(folded);
    }
    return check_extent(folded, field->name, index, error);
}

double kdr_grid_number(const kdr_grid *folded, kdr_real real, int c, const int node[3]) {
    size_t at = (size_t)c * folded->component_stride;
    for (int axis = 0; axis < folded->dims; ++axis) {
        at += (size_t)node[axis] * folded->stride[axis];
    }
    return real == KDR_F32 ? (double)((const float *)folded->values)[at] : ((const double *)folded->values)[at];
}
