/* Grids: values on the nodes of a regular grid, interpolated linearly, which custom fields read (kdr_force.as.custom.grid).
 * kdr_integrator_create copies the struct and borrows `values`. These may change between calls, if memory_key is set to 0; in a system run
 * kdr_accelerations_fn may change them. */
#ifndef KICKDRIFT_GRID_H
#define KICKDRIFT_GRID_H

#include <kickdrift/layout.h>
#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An edge tells which values a grid has beyond the last node of an axis. */
typedef enum kdr_edge {
    KDR_EDGE_CLAMPED = 0, /* those at the end */
    KDR_EDGE_PERIODIC = 1 /* those of a period of nodes * spacing */
} kdr_edge;
enum { KDR_EDGE_COUNT = 2 };

enum { KDR_GRID_NODES = 1024, KDR_GRID_COMPONENTS = 6 }; /* at most, per axis and per node */

typedef struct kdr_grid {
    int dims;       /* 1 to 3 */
    int components; /* values per node, 1 to KDR_GRID_COMPONENTS; as many as the field reads */
    int nodes[3];   /* 2 to KDR_GRID_NODES */
    kdr_edge edge[3];
    double origin[3];   /* position of the first node */
    double spacing[3];  /* distance between nodes, > 0 */
    const void *values; /* of the particles' element type */
    /* Distances in elements between nodes on each axis, and between components. All 0: contiguous; the component varies fastest, then x, y,
     * z. A C array [nx][ny][nz][6] has 6 nz ny, 6 nz, 6 and 1. No element may be 2^31 or more elements after the first. */
    size_t stride[3], component_stride;
} kdr_grid;

/* Names: "clamped", "periodic". Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API const char *kdr_edge_name(kdr_edge edge);
KDR_API kdr_status kdr_edge_from_name(const char *name, kdr_edge *edge);

#ifdef __cplusplus
}
#endif
#endif
