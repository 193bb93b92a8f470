/* The particles of a scene, in the precision of the run, and the arrays a particle that its forces ask for. */
#ifndef KICKDRIFT_TOOLS_POPULATION_H
#define KICKDRIFT_TOOLS_POPULATION_H

#include "scene.h"

/* What putting particles on to their constraints and distances, and velocities along them, has changed before the run. */
typedef struct population_held {
    size_t count;                         /* of particles that were changed by more than rounding */
    double farthest;                      /* how far one of them was moved */
    double kinetic_before, kinetic_after; /* energy of these */
} population_held;

typedef struct population {
    kdr_particles particles; /* with the method's memory */
    size_t total;            /* of all ranks; these are the ones from particles.first_id on */
    uint64_t *id;            /* NULL: a particle's id is its number */
    double *mass;            /* the masses as they were given; NULL: the inverse masses say them */
    kdr_force *forces;       /* the scene's, with their arrays bound */
    void **lent;             /* the arrays that the forces borrow, and image counts */
    size_t lent_count;
    uint8_t *same_level;        /* where they have levels, room for as many */
    kdr_coupled_force *coupled; /* what they do to each other */
    size_t coupled_count;
    kdr_distance *distances;
    size_t distance_count;
    uint64_t source; /* which file a .npy is; 0: they are not of one */
    population_held held;
    kdr_team team; /* that shares out their gravity; zeros: this process alone */
} population;

/* Builds from the scene as it stands: scene->real is the precision. Of its particles those from number `first` on, at most `most`; 0 and SIZE_MAX:
 * all. False, with the scene's fault set, on failure. Release in both cases. */
bool population_build(scene *from, size_t first, size_t most, population *built);

/* For a run whose particles are not all in memory: `built` has none of them, and *described says what they are. In a stream they must be random ones
 * or those of a .npy file. */
bool population_describe(scene *from, population *built, kdr_particles_desc *described);

/* Draws into a slice the particles that it is to have, from slice->first_id on. */
bool population_fill(scene *from, kdr_particles *slice);
void population_release(population *built);

/* Gives the particles an array of image counts an axis, with room for `count`; all 0. False: no memory. */
bool population_count_images(population *built, size_t count);

/* They have such counts: their boundary is periodic. */
static inline bool population_has_images(const population *of) { return of->particles.images[0] != NULL; }

uint64_t population_id(const population *of, size_t i);

/* False where two of the ids are equal; twice[] says whose. Without memory for the question they count as different. */
bool population_ids_differ(const uint64_t *id, size_t count, size_t twice[2]);

/* The mass that was given, or one whose inverse has the bits of particle i's; infinite where it is frozen, 1 where the particles have none. */
double population_mass(const population *of, size_t i);

/* Element i of an array of the particles' precision. */
double population_get(const population *of, const void *array, size_t i);

#endif
