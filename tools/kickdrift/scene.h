/* Scenes: what `kickdrift run` steps, read from a YAML file by tables of keys.
 *
 * scene_load reads and checks everything but the particles; options then override what they name; population_build (population.h) reads
 * the particles in the precision of the run, and the arrays a particle that the forces ask for.
 *
 * To add a force: a row and a table of its keys in scene_forces.c; a collider: in scene_colliders.c. To add a key: a row in its table, here or in scene_method.c. */
#ifndef KICKDRIFT_TOOLS_SCENE_H
#define KICKDRIFT_TOOLS_SCENE_H

#include "tree.h"

#include <kickdrift/kickdrift.h>

/* A force's parameter that has one value a particle: where the values come from. */
typedef enum each_source {
    EACH_NONE,    /* one value for all, in the kdr_force */
    EACH_LIST,    /* {each: [...]}, in the order of the particles */
    EACH_COLUMNS, /* {column: NAME}, {columns: [X, Y, Z]}: of the particles' CSV file */
    EACH_START    /* start: each particle's first position */
} each_source;

typedef struct scene_each {
    each_source source;
    int axes;                /* numbers a particle: 1 or 3 */
    const yaml_node_t *node; /* the list, or what names the columns */
    const char *columns[3];
    char place[96]; /* "forces[1].spring.k", for messages */
} scene_each;

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
    kdr_constraint *constraints;
    size_t constraint_count;
    kdr_boundary boundary;
    yaml_node_t *particles;
    const char *checkpoint_file; /* as the scene names it; NULL: none */
    pace checkpoint_every;
} scene;

/* Release with scene_release, also after a failure. `why` serves the scene until then. */
bool scene_load(scene *loaded, const char *file, fault *why);

/* Reads a scene's text as scene_load would read the file. */
bool scene_parse(scene *loaded, const char *file, const void *text, size_t length, fault *why);
void scene_release(scene *loaded);

/* The line of a key of the scene's own; 0 when it is not given. */
size_t scene_line(scene *loaded, const char *key);

/* The path of a file that a scene names, beside the scene unless it begins with a slash; to be freed. NULL: no memory. */
char *scene_beside(const char *scene_file, const char *name);

/* A parameter of one number: where the values come from when it is no number but a mapping of one source. */
bool scene_read_each(yaml_tree *tree, const tree_place *place, yaml_node_t *node, scene_each *each);

/* The method kinematic's, of any force. */
#define SCENE_CONTRIBUTION {"contribution", tree_read_scalar, offsetof(scene_force, force.contribution), &VALUE_CONTRIBUTION, NULL, false}

/* Readers of keys into a scene_force: a field by name, whose number is key->offset, and one out of a library. */
tree_reader scene_read_named_field, scene_read_library_field;

/* Reads the grid of a field into a scene_force. */
tree_reader scene_read_grid;

/* Readers of keys: scene_forces.c, scene_colliders.c, scene_method.c. */
tree_reader scene_read_forces, scene_read_colliders, scene_read_constraints, scene_read_boundary, scene_read_method, scene_read_compose,
    scene_read_langevin;

#endif
