/* Scenes: the description of a run, read from a YAML file by tables of keys.
 *
 * scene_load reads and checks everything but the particles. Options then override what they name. population_build (population.h) reads the
 * particles, in the precision of the run, and the arrays that forces ask for.
 *
 * To add a force, add a row and a table of its keys in scene_forces.c; for a collider, in scene_colliders.c. Forces between particles are
 * in scene_interactions.h. To add a key, add a row to its table, here or in scene_method.c. */
#ifndef KICKDRIFT_TOOLS_SCENE_H
#define KICKDRIFT_TOOLS_SCENE_H

#include "scene_interactions.h"

/* The grid of a field, in both precisions. The scene owns its numbers. */
typedef struct scene_grid {
    kdr_grid grid[KDR_REAL_COUNT]; /* dims 0: there is no grid */
    double *values;
    float *single;
} scene_grid;

typedef struct scene_force {
    kdr_force force;
    scene_each scalar;                        /* k of a spring, b of a drag */
    scene_each vector;                        /* `at` of a spring */
    scene_each parameter[KDR_MAX_PARAMETERS]; /* parameters of a field by name */
    scene_grid grid;                          /* grid of a field by name */
} scene_force;

/* The value of the key `method`. */
typedef struct scene_method {
    int named;                      /* kdr_method */
    const kdr_tableau *tableau;     /* not NULL: used instead of `named`; points into this scene */
    const kdr_fractions *fractions; /* not NULL: used instead of `named`; points into this scene. At most one of the two is set */
    kdr_tableau tableau_room;
    kdr_fractions fractions_room;
} scene_method;

/* A watch of the scene, and the name of its rows in the file of events. */
typedef struct scene_watch {
    kdr_watch watch;
    const char *name;
} scene_watch;

typedef struct scene {
    yaml_tree tree;  /* the scene borrows its texts from this */
    int real;        /* kdr_real */
    int arithmetic;  /* kdr_arithmetic */
    int compensated; /* 0 or 1, as is flush_small_to_zero */
    int flush_small_to_zero;
    double speed_of_light; /* 0: none, mechanics is not relativistic */
    scene_method method;
    int compose;                  /* kdr_composition */
    const kdr_substeps *substeps; /* not NULL: used instead of `compose`; points into this scene */
    kdr_substeps substeps_room;
    kdr_langevin langevin;
    double t0, dt;
    uint64_t step, steps;    /* number of the first step, and how many are taken */
    uint64_t report;         /* steps between two reports of the energy; 0: only at start and end */
    const char *output_file; /* the name as the scene has it, see scene_beside; NULL: none */
    uint64_t output_every;   /* steps between two frames; 0: only at start and end */
    scene_force *forces;
    size_t force_count;
    kdr_collider *colliders;
    size_t collider_count;
    double radius;    /* the radius of all particles, as colliders use it */
    scene_each radii; /* the radius of each particle */
    kdr_constraint *constraints;
    size_t constraint_count;
    kdr_boundary boundary;
    yaml_node_t *particles;
    const char *checkpoint_file; /* the name as the scene has it; NULL: none */
    pace checkpoint_every;
    double *output_times; /* used instead of output_every: increasing times, which need not be multiples of dt */
    size_t output_time_count;
    scene_watch watches[KDR_MAX_WATCHES];
    size_t watch_count;
    const char *record_file[2];      /* files of events and of contacts, as the scene names them; NULL: none */
    scene_interaction *interactions; /* forces between particles */
    size_t interaction_count;
    scene_distances distances;
    scene_each levels;       /* system runs: the level of each particle; none: all take the scene's step */
    const char *stream_file; /* the file of particles that do not fit in memory, as the scene names it; NULL: they do */
    uint64_t stream_memory;  /* bytes of a slice; 0: the library's default */
    int stream_observe;      /* 0 or 1: print sums over all slices */
} scene;

/* Returns true if the particles interact, so that a system run steps them. */
static inline bool scene_is_system(const scene *of) { return of->interaction_count > 0 || of->distances.count > 0; }

/* Reads a scene. Release it with scene_release, also after a failure. The scene keeps `why` until then. */
bool scene_load(scene *loaded, const char *file, tree_modules modules, fault *why);

/* Reads a scene from a text, as scene_load reads the file. */
bool scene_parse(scene *loaded, const char *file, const void *text, size_t length, tree_modules modules, fault *why);
void scene_release(scene *loaded);

/* Returns the line of a top-level key of the scene; 0 if it is not given. */
size_t scene_line(scene *loaded, const char *key);

/* Returns the path of a file that a scene names, relative to the scene's folder unless it begins with a slash; to be freed. NULL: no
 * memory. */
char *scene_beside(const char *scene_file, const char *name);

/* Returns the path of a file that the scene is read from, as scene_beside does. The tree keeps a note of it and owns it. */
const char *scene_input(yaml_tree *tree, const char *name);

/* Returns true if the scene was read from this file: its own, or one of its inputs. */
bool scene_reads(const scene *loaded, const char *path);

/* The key `contribution`, which every force has for the method kinematic. */
#define SCENE_CONTRIBUTION {"contribution", tree_read_scalar, offsetof(scene_force, force.contribution), &VALUE_CONTRIBUTION, NULL, false}

/* Read keys into a scene_force: a field by name, whose number is key->offset, and a field in a library. */
tree_reader scene_read_named_field, scene_read_library_field;

/* Reads the grid of a field into a scene_force. */
tree_reader scene_read_grid;

/* Readers in scene_forces.c, scene_colliders.c, scene_method.c, scene_watch.c. */
tree_reader scene_read_forces, scene_read_colliders, scene_read_radius, scene_read_constraints, scene_read_boundary, scene_read_method,
    scene_read_compose, scene_read_langevin, scene_read_watch, scene_read_times;

#endif
