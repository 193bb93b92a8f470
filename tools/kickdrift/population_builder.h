/* Shared by the sources of particles: population_state.c, population_file.c, population_npy.c, population_random.c, population_grid.c,
 * population_plummer.c; and by population_interactions.c, which makes the forces between them. */
#ifndef KICKDRIFT_TOOLS_POPULATION_BUILDER_H
#define KICKDRIFT_TOOLS_POPULATION_BUILDER_H

#include "population.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

enum { STATE_COLUMNS = 6, MOST_FORCE_COLUMNS = 32 };

/* A column of the CSV file that a force names. Its values are kept as doubles, because several forces may ask for them. */
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
    kdr_particles_desc *described; /* not NULL: the description of the particles goes here, and no particle is built */
    size_t first, most;            /* which of the source's particles are built */
    bool is_slice;                 /* the arrays exist already and are to be filled with some of the source's particles */
} population_builder;

/* Read the keys `state`, `file`, `random`, `grid` and `plummer`; the record is the builder. */
tree_reader population_from_state, population_from_file, population_from_random, population_from_grid, population_from_plummer;

/* Reads particles from a .npy file with one frame: all that the key `file` asks for, or those of a slice. */
bool population_from_npy(population_builder *b, const tree_place *place, const yaml_node_t *node, const char *path);

/* Reads a distribution of vectors into the random_distribution at key->offset. */
tree_reader population_read_distribution;

/* Allocates the wanted slice of `count` particles, from particles.first_id on, or writes the description of all. `node` is the place for
 * complaints. */
bool population_allocate(population_builder *b, size_t count, bool masses, const tree_place *place, const yaml_node_t *node);

/* Stores the state x, y, z, vx, vy, vz of particle i. */
void population_put(kdr_particles *particles, size_t i, const double state[STATE_COLUMNS]);
void population_store(kdr_real real, void *array, size_t i, double value);

/* Stores the inverse mass of a particle, and its mass as it was given if the population keeps masses. */
void population_store_mass(population *of, size_t i, double mass, double inverse);

/* Store the state, or the inverse mass, of particle i, whose source is at `node`. They complain there about numbers that do not fit the
 * precision. */
bool population_place(population_builder *b, const tree_place *place, const yaml_node_t *node, size_t i, const double state[STATE_COLUMNS]);
bool population_weigh(population_builder *b, const tree_place *place, const yaml_node_t *node, size_t i, double mass);

bool population_fits(int real, double value);

/* population_lend returns a new array of zeros that the population owns; NULL if there is no memory. population_bind makes new arrays of
 * the values of `each`, one per axis. */
void *population_lend(population_builder *b, size_t count, size_t size);
bool population_bind(population_builder *b, const scene_each *each, void *arrays[3]);

/* Makes the forces between the particles. */
bool population_couple(population_builder *b);

/* Moves particles on to their constraints and distances. Distances are left alone if only some of the particles are built. */
bool population_hold(scene *from, population *of);

/* Computes 1 / mass in the given precision. Only an infinite mass freezes a particle: the function returns false if the inverse of another
 * mass rounds to 0 or overflows. */
bool population_inverse(int real, double mass, double *inverse);

#endif
