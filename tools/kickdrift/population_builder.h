/* Shared by the three sources of particles: population_state.c, population_file.c, population_random.c. */
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
} population_builder;

/* Readers of the keys `state`, `file` and `random`; the record is the builder. */
tree_reader population_from_state, population_from_file, population_from_random;

/* Allocates the particles; `node` is what asked for them. */
bool population_allocate(population_builder *b, size_t count, bool masses, const tree_place *place, const yaml_node_t *node);

/* state: x y z vx vy vz. */
void population_put(kdr_particles *particles, size_t i, const double state[STATE_COLUMNS]);
void population_store(kdr_real real, void *array, size_t i, double value);

bool population_fits(int real, double value);

/* 1/mass as the precision has it. Only an infinite mass freezes: false when another's inverse rounds to 0 or overflows. */
bool population_inverse(int real, double mass, double *inverse);

#endif
