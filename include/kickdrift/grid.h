/* Grids: numbers on the nodes of a regular grid, for fields that read them (kdr_force.as.custom.grid). kdr_integrator_create copies the
 * struct; `values` is lent, aligned as C aligns its elements. Its contents may change between calls; then set memory_key to 0. In a
 * coupled run `accelerations` may change them. Values are interpolated linearly on each axis, so derivatives jump at nodes. */
#ifndef KICKDRIFT_GRID_H
#define KICKDRIFT_GRID_H

#include <kickdrift/layout.h>
#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a grid continues beyond the ends of an axis. */
typedef enum kdr_edge {
    KDR_EDGE_CLAMPED = 0, /* the value of the last node */
    KDR_EDGE_PERIODIC = 1 /* the period is nodes * spacing; the first node follows the last */
} kdr_edge;
enum { KDR_EDGE_COUNT = 2 };

enum { KDR_GRID_NODES = 1024, KDR_GRID_COMPONENTS = 6 }; /* largest numbers of nodes per axis and components */

typedef struct kdr_grid {
    int dims;           /* axes, 1 to 3; later elements of the arrays below are ignored */
    int components;     /* numbers per node, 1 to KDR_GRID_COMPONENTS; as many as the field reads */
    int nodes[3];       /* 2 to KDR_GRID_NODES */
    kdr_edge edge[3];   /* default KDR_EDGE_CLAMPED */
    double origin[3];   /* place of the first node */
    double spacing[3];  /* distance of neighbours, > 0 */
    const void *values; /* elements of the particles' type */
    /* In elements: from a node to the next on each axis, and from a component to the next. All 0: components, then nodes along x, y, z,
     * which is fastest. A NumPy array of shape (nx, ny, nz, 6) has 6 nz ny, 6 nz, 6 and 1. No element may be 2^31 or more from the
     * first. */
    size_t stride[3], component_stride;
} kdr_grid;

/* "clamped", "periodic"; "?" for an unknown enumerator. */
KDR_API const char *kdr_edge_name(kdr_edge edge);

/* Finds the edge of a name. Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API kdr_status kdr_edge_from_name(const char *name, kdr_edge *edge);

#ifdef __cplusplus
}
#endif
#endif
