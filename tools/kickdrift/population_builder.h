/* Shared by the sources of particles: population_state.c, population_file.c, population_random.c, population_grid.c, population_plummer.c; and by
 * population_coupled.c, which makes what they do to each other. */
#ifndef KICKDRIFT_TOOLS_POPULATION_BUILDER_H
#define KICKDRIFT_TOOLS_POPULATION_BUILDER_H

#include "population.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

enum { STATE_COLUMNS = 6, MOST_FORCE_COLUMNS = 32 };

/* The columns of the CSV file that forces name. Values are kept in double: they may be asked for more than once. */
typedef struct named_column {
    const char *name;
    double *values;
} named_column;

typedef struct population_builder {
    scene *from;
    population *built;
    named_column columns[MOST_FORCE_COLUMNS];
    size_t column_count;
    bool from_file;
    kdr_particles_desc *described; /* not NULL: what the particles are goes here, and there is none of them */
    size_t first, most;            /* of the source's particles those that are built */
    bool is_slice;                 /* the particles are there, to be filled, and are some of the source's */
} population_builder;

/* Readers of the keys `state`, `file`, `random`, `grid` and `plummer`; the record is the builder. */
tree_reader population_from_state, population_from_file, population_from_random, population_from_grid, population_from_plummer;

/* Particles of the one frame of a .npy file, as `file` has it; or of a slice those that it is to have. */
bool population_from_npy(population_builder *b, const tree_place *place, const yaml_node_t *node, const char *path);

/* Reads a distribution of vectors into the random_distribution at key->offset. */
tree_reader population_read_distribution;

/* Allocates the slice that is asked for of `count` particles, from particles.first_id on, or describes all; `node` is what asked for them. */
bool population_allocate(population_builder *b, size_t count, bool masses, const tree_place *place, const yaml_node_t *node);

/* state: x y z vx vy vz. */
void population_put(kdr_particles *particles, size_t i, const double state[STATE_COLUMNS]);
void population_store(kdr_real real, void *array, size_t i, double value);

/* Stores the mass of a particle, as it was given where the population keeps it, and its inverse. */
void population_store_mass(population *of, size_t i, double mass, double inverse);

/* Puts the state, or the inverse of the mass, of a particle whose source stands at `node`; complains there of numbers that do not fit. */
bool population_place(population_builder *b, const tree_place *place, const yaml_node_t *node, size_t i, const double state[STATE_COLUMNS]);
bool population_weigh(population_builder *b, const tree_place *place, const yaml_node_t *node, size_t i, double mass);

bool population_fits(int real, double value);

/* A new array of zeros, which the population owns; NULL: no memory. `each` in new arrays, one an axis. */
void *population_lend(population_builder *b, size_t count, size_t size);
bool population_bind(population_builder *b, const scene_each *each, void *arrays[3]);

/* Makes what the particles do to each other. */
bool population_couple(population_builder *b);

/* Puts particles on to what holds them. Distances hold none where only some particles are built. */
bool population_hold(scene *from, population *of);

/* 1/mass as the precision has it. Only an infinite mass freezes: false when another's inverse rounds to 0 or overflows. */
bool population_inverse(int real, double mass, double *inverse);

#endif
