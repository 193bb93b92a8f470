/* The keys `coupled`, `distances` and `levels` of a scene: what its particles do to each other. scene_coupled.c reads them; population_coupled.c makes lists of
 * springs and rods of them, when the particles are there. */
#ifndef KICKDRIFT_TOOLS_SCENE_COUPLED_H
#define KICKDRIFT_TOOLS_SCENE_COUPLED_H

#include "scene_each.h"

enum { GRID_AXES = 3 };

/* A grid of particles: the first axis goes fastest. Axes that are not given have one. */
typedef struct scene_lattice {
    uint64_t size[GRID_AXES];
    size_t axes; /* that are given */
} scene_lattice;

/* Pairs of particles: of a list, or neighbours on a grid. */
typedef struct scene_ties {
    yaml_node_t *between; /* a list of pairs; NULL: a grid */
    scene_lattice grid;
    uint64_t first; /* the index of the grid's first particle */
    double length;  /* NaN: as far apart as the two are at first */
    const yaml_node_t *node;
    char place[96]; /* for messages */
} scene_ties;

/* An entry of `coupled`. */
typedef struct scene_coupled {
    kdr_coupled_kind kind;
    double g, mu; /* gravity: one of them is given, or `mu_each`; those that are not are NaN */
    scene_each mu_each;
    uint64_t sources; /* UINT64_MAX: all */
    double softening; /* of all pairs; or a length each, `softening_each` */
    scene_each softening_each;
    scene_ties ties; /* springs */
    double k, diagonal, bend, damping;
    const yaml_node_t *node;
    char place[96];
} scene_coupled;

typedef struct scene_distances {
    scene_ties *rods;
    size_t count;
    double tolerance, relaxation;
    uint64_t sweeps;
} scene_distances;

/* Reads [nx], [nx, ny] or [nx, ny, nz] into the grid at key->offset. */
tree_reader scene_read_lattice;

tree_reader scene_read_coupled, scene_read_distances, scene_read_levels;

#endif
