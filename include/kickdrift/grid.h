/* Grids: values on the nodes of a regular grid, which custom fields read (kdr_force.as.custom.grid). They are interpolated linearly on
 * each axis. kdr_integrator_create copies the struct and borrows `values`. These may change between calls, if memory_key is set to 0. In
 * a system run kdr_accelerations_fn may change them. */
#ifndef KICKDRIFT_GRID_H
#define KICKDRIFT_GRID_H

#include <kickdrift/layout.h>
#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Selects how a grid continues beyond the ends of an axis. */
typedef enum kdr_edge {
    KDR_EDGE_CLAMPED = 0, /* with the value of the node at the end */
    KDR_EDGE_PERIODIC = 1 /* with a period of nodes * spacing */
} kdr_edge;
enum { KDR_EDGE_COUNT = 2 };

enum { KDR_GRID_NODES = 1024, KDR_GRID_COMPONENTS = 6 }; /* largest number of nodes per axis, and of components per node */

typedef struct kdr_grid {
    int dims;           /* axes, 1 to 3; later elements of the arrays below are ignored */
    int components;     /* values per node, 1 to KDR_GRID_COMPONENTS; as many as the field reads */
    int nodes[3];       /* 2 to KDR_GRID_NODES */
    kdr_edge edge[3];   /* default KDR_EDGE_CLAMPED */
    double origin[3];   /* position of the first node */
    double spacing[3];  /* distance between nodes, > 0 */
    const void *values; /* of the particles' element type */
    /* Distances in elements from a node to the next on each axis, and from a component to the next. All 0: contiguous; the component
     * varies fastest, then x, y, z. A C array [nx][ny][nz][6] has 6 nz ny, 6 nz, 6 and 1. No element may be 2^31 or more elements after
     * the first. */
    size_t stride[3], component_stride;
} kdr_grid;

/* Returns the name, such as "periodic". */
KDR_API const char *kdr_edge_name(kdr_edge edge);

/* Finds the edge of a name. Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API kdr_status kdr_edge_from_name(const char *name, kdr_edge *edge);

#ifdef __cplusplus
}
#endif
#endif
