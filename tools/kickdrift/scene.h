/* Scenes: what `kickdrift run` steps, read from a YAML file by tables of keys.
 *
 * scene_load reads and checks everything but the particles; options then override what they name; population_build (population.h) reads
 * the particles in the precision of the run, and the arrays a particle that the forces ask for.
 *
 * To add a force: a row and a table of its keys in scene_forces.c; a collider: in scene_colliders.c. Forces
 * between particles are in scene_coupled.h. To add a key: a row in its table, here or in scene_method.c. */
#ifndef KICKDRIFT_TOOLS_SCENE_H
#define KICKDRIFT_TOOLS_SCENE_H

#include "scene_coupled.h"

/* A field's grid, in both precisions: its numbers are the scene's. */
typedef struct scene_grid {
    kdr_grid grid[KDR_REAL_COUNT]; /* of dims 0: there is none */
    double *values;
    float *single;
} scene_grid;

typedef struct scene_force {
    kdr_force force;
    scene_each scalar;                        /* a spring's k, a drag's b */
    scene_each vector;                        /* a spring's at */
    scene_each parameter[KDR_MAX_PARAMETERS]; /* a field's */
    scene_grid grid;                          /* likewise */
} scene_force;

/* What the key `method` says. */
typedef struct scene_method {
    int named;                      /* kdr_method */
    const kdr_tableau *tableau;     /* not NULL: this in place of `named`; points into this scene */
    const kdr_fractions *fractions; /* likewise; one of the two at most */
    kdr_tableau tableau_room;
    kdr_fractions fractions_room;
} scene_method;

/* What the scene watches, and what its rows in the file are called. */
typedef struct scene_watch {
    kdr_watch watch;
    const char *name;
} scene_watch;

typedef struct scene {
    yaml_tree tree;  /* texts of the scene are borrowed from it */
    int real;        /* kdr_real */
    int arithmetic;  /* kdr_arithmetic */
    int compensated; /* 0 or 1; likewise */
    int rest_to_zero;
    double speed_of_light; /* 0: none */
    scene_method method;
    int compose;                  /* kdr_composition */
    const kdr_substeps *substeps; /* not NULL: these in place of it; points into this scene */
    kdr_substeps substeps_room;
    kdr_langevin langevin;
    double t0, dt;
    uint64_t step, steps;    /* the first step's number, and how many are taken */
    uint64_t report;         /* energy every so many steps; 0: at the start and the end only */
    const char *output_file; /* as the scene names it: see scene_beside. NULL: none */
    uint64_t output_every;   /* 0: at the start and the end only */
    scene_force *forces;
    size_t force_count;
    kdr_collider *colliders;
    size_t collider_count;
    double radius;    /* of all particles, as colliders see them */
    scene_each radii; /* or of each */
    kdr_constraint *constraints;
    size_t constraint_count;
    kdr_boundary boundary;
    yaml_node_t *particles;
    const char *checkpoint_file; /* as the scene names it; NULL: none */
    pace checkpoint_every;
    double *output_times; /* in place of output_every: in the order of the run, not multiples of dt */
    size_t output_time_count;
    scene_watch watches[KDR_MAX_WATCHES];
    size_t watch_count;
    const char *record_file[2]; /* of events, of contacts, as the scene names them; NULL: none */
    scene_coupled *coupled;     /* forces between particles */
    size_t coupled_count;
    scene_distances distances;
    scene_each levels;       /* of coupled runs: each particle's; none: all take the scene's step */
    const char *stream_file; /* as the scene names it: where the particles are, beyond memory; NULL: in memory */
    uint64_t stream_memory;  /* bytes of a slice; 0: as the library has it */
    int stream_observe;      /* 0 or 1: sums over all slices are told */
} scene;

/* Its particles feel each other: it is stepped as a coupled run. */
static inline bool scene_is_coupled(const scene *of) { return of->coupled_count > 0 || of->distances.count > 0; }

/* Release with scene_release, also after a failure. `why` serves the scene until then. */
bool scene_load(scene *loaded, const char *file, tree_modules modules, fault *why);

/* Reads a scene's text as scene_load would read the file. */
bool scene_parse(scene *loaded, const char *file, const void *text, size_t length, tree_modules modules, fault *why);
void scene_release(scene *loaded);

/* The line of a key of the scene's own; 0 when it is not given. */
size_t scene_line(scene *loaded, const char *key);

/* The path of a file that a scene names, beside the scene unless it begins with a slash; to be freed. NULL: no memory. */
char *scene_beside(const char *scene_file, const char *name);

/* That path of a file that the scene is read from, which is noted and the tree's. */
const char *scene_input(yaml_tree *tree, const char *name);

/* The scene's own file, or one of those. */
bool scene_reads(const scene *loaded, const char *path);

/* The method kinematic's, of any force. */
#define SCENE_CONTRIBUTION {"contribution", tree_read_scalar, offsetof(scene_force, force.contribution), &VALUE_CONTRIBUTION, NULL, false}

/* Readers of keys into a scene_force: a field by name, whose number is key->offset, and one out of a library. */
tree_reader scene_read_named_field, scene_read_library_field;

/* Reads the grid of a field into a scene_force. */
tree_reader scene_read_grid;

/* Readers of keys: scene_forces.c, scene_colliders.c, scene_method.c, scene_watch.c. */
tree_reader scene_read_forces, scene_read_colliders, scene_read_radius, scene_read_constraints, scene_read_boundary, scene_read_method,
    scene_read_compose, scene_read_langevin, scene_read_watch, scene_read_times;

#endif
