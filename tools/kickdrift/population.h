/* The particles of a scene, in the precision of the run, and the arrays that its forces read. */
#ifndef KICKDRIFT_TOOLS_POPULATION_H
#define KICKDRIFT_TOOLS_POPULATION_H

#include "scene.h"

/* How the start changed when particles were moved on to their constraints and distances, and their velocities along them. */
typedef struct population_held {
    size_t count;                         /* number of particles that were changed by more than rounding */
    double farthest;                      /* the largest distance that one of them was moved */
    double kinetic_before, kinetic_after; /* kinetic energy of the changed particles */
} population_held;

typedef struct population {
    kdr_particles particles; /* includes the method's memory */
    size_t total;            /* number of particles on all ranks; this process has those from particles.first_id on */
    uint64_t *id;            /* NULL: the id of a particle is its number */
    double *mass;            /* the masses as they were given; NULL: they follow from the inverse masses */
    kdr_force *forces;       /* the scene's forces, with their arrays bound */
    void **lent;             /* all arrays that forces borrow, and image counts */
    size_t lent_count;
    uint8_t *same_level;           /* if particles have levels: room for as many */
    kdr_interaction *interactions; /* the forces between particles */
    size_t interaction_count;
    kdr_distance *distances;
    size_t distance_count;
    uint64_t source; /* identifies the .npy file that the particles are from; 0: another source */
    population_held held;
    kdr_communicator communicator; /* the processes that share the work of gravity; zeros: this process alone */
} population;

/* Builds the particles from number `first` on, at most `most` of them; 0 and SIZE_MAX mean all. scene->real is the precision. Returns
 * false, with the scene's fault set, on failure. Release in both cases. */
bool population_build(scene *from, size_t first, size_t most, population *built);

/* Prepares a run whose particles are not all in memory: `built` gets no particles, and *described says what they are. The source must be
 * random particles or a .npy file. */
bool population_describe(scene *from, population *built, kdr_particles_desc *described);

/* Makes the particles of a slice, from slice->first_id on. */
bool population_fill(scene *from, kdr_particles *slice);
void population_release(population *built);

/* Gives the particles one array of image counts per axis, with room for `count` and all 0. Returns false if there is no memory. */
bool population_count_images(population *built, size_t count);

/* Returns true if the particles have image counts: their boundary is periodic. */
static inline bool population_has_images(const population *of) { return of->particles.images[0] != NULL; }

uint64_t population_id(const population *of, size_t i);

/* Returns false if two ids are equal; then twice[] has the two indices. Without memory for the check it returns true. */
bool population_ids_differ(const uint64_t *id, size_t count, size_t twice[2]);

/* Returns the mass that was given, or one whose inverse has the bits of the inverse mass of particle i. It is infinite for a frozen
 * particle, and 1 if the particles have no masses. */
double population_mass(const population *of, size_t i);

/* Returns element i of an array in the precision of the particles. */
double population_get(const population *of, const void *array, size_t i);

#endif
