/* The keys `interactions`, `distances` and `levels` of a scene: interactions of its particles. scene_interactions.c reads them;
 * population_interactions.c makes lists of springs and rods from them when the particles exist. */
#ifndef KICKDRIFT_TOOLS_SCENE_INTERACTIONS_H
#define KICKDRIFT_TOOLS_SCENE_INTERACTIONS_H

#include "scene_each.h"

enum { GRID_AXES = 3 };

/* The shape of a grid of particles. The index along the first axis runs fastest. Axes that are not given have size 1. */
typedef struct scene_lattice {
    uint64_t size[GRID_AXES];
    size_t axes; /* number of axes that are given */
} scene_lattice;

/* Pairs of particles, from a list or neighbours on a grid. */
typedef struct scene_ties {
    yaml_node_t *between; /* a list of pairs; NULL: a grid */
    scene_lattice grid;
    uint64_t first; /* the index of the grid's first particle */
    double length;  /* NaN: the distance of the two at the start */
    const yaml_node_t *node;
    char place[96]; /* the key's place, for messages */
} scene_ties;

/* One entry of the list `interactions`. */
typedef struct scene_interaction {
    kdr_interaction_kind kind;
    double g, mu; /* gravity: one of g, mu and `mu_each` is given; numbers that are not given are NaN */
    scene_each mu_each;
    uint64_t sources; /* the first so many particles attract; UINT64_MAX: all */
    double softening; /* one for all pairs; `softening_each` has one per particle */
    scene_each softening_each;
    scene_ties ties; /* the springs */
    double k, diagonal, bend, damping;
    const yaml_node_t *node;
    char place[96];
} scene_interaction;

typedef struct scene_distances {
    scene_ties *rods;
    size_t count;
    double tolerance, relaxation;
    uint64_t sweeps;
} scene_distances;

/* Reads [nx], [nx, ny] or [nx, ny, nz] into the grid at key->offset. */
tree_reader scene_read_lattice;

tree_reader scene_read_interactions, scene_read_distances, scene_read_levels;

#endif
