/* Grids: numbers on the nodes of a regular grid, for the fields that read them (kdr_force.as.custom.grid).
 *
 * A grid is a view of the caller's numbers. kdr_integrator_create copies the struct; `values` stays the caller's, must be aligned as C
 * aligns an element, and alive as long as the integrator is used. They may be changed between calls, as a particle-in-cell loop does: then
 * set memory_key to 0 where the method has a memory, and have the charges where the method looks at the field, of boris at x + h v / 2. In
 * a coupled run `accelerations` may change them, which is called before the grid is read. Between nodes numbers are interpolated linearly
 * on each axis: the value is continuous, its derivative is not. An axis that a grid does not have makes no difference to it. */
#ifndef KICKDRIFT_GRID_H
#define KICKDRIFT_GRID_H

#include <kickdrift/layout.h>
#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is beyond the nodes of an axis. */
typedef enum kdr_edge {
    KDR_EDGE_CLAMPED = 0, /* what the last node there has */
    KDR_EDGE_PERIODIC = 1 /* the grid again: nodes * spacing long, the first node is the one behind the last */
} kdr_edge;
enum { KDR_EDGE_COUNT = 2 };

enum { KDR_GRID_NODES = 1024, KDR_GRID_COMPONENTS = 6 }; /* the most of them: on an axis, of a node */

typedef struct kdr_grid {
    int dims;           /* axes, 1 to 3; what follows has one for each, and what is behind them is ignored */
    int components;     /* numbers of a node, 1 to KDR_GRID_COMPONENTS: as many as the field reads */
    int nodes[3];       /* 2 to KDR_GRID_NODES */
    kdr_edge edge[3];   /* default clamped */
    double origin[3];   /* where the first node is */
    double spacing[3];  /* from a node to the next, above 0 */
    const void *values; /* elements of the particles' type */
    /* Elements from a node to the next on each axis, and from a component to the next. All 0: components side by side, then nodes along x,
     * then y, then z, which is what is fastest: a particle needs 8 places of memory and not 8 for each component. A NumPy array of the
     * shape (nx, ny, nz, 6) in C order has the strides 6 nz ny, 6 nz, 6 and 1. No element may be 2^31 or more from the first. */
    size_t stride[3], component_stride;
} kdr_grid;

/* "clamped", "periodic"; "?" for an unknown enumerator. */
KDR_API const char *kdr_edge_name(kdr_edge edge);

/* The edge of a name; KDR_ERROR_UNKNOWN_NAME for another name, KDR_ERROR_NULL for a pointer that is NULL. */
KDR_API kdr_status kdr_edge_from_name(const char *name, kdr_edge *edge);

#ifdef __cplusplus
}
#endif
#endif
