/* A force's parameter that has one value a particle: where the values come from. */
#ifndef KICKDRIFT_TOOLS_SCENE_EACH_H
#define KICKDRIFT_TOOLS_SCENE_EACH_H

#include "tree.h"

#include <kickdrift/kickdrift.h>

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

/* A parameter of one number: where the values come from when it is no number but a mapping of one source. */
bool scene_read_each(yaml_tree *tree, const tree_place *place, yaml_node_t *node, scene_each *each);

/* Likewise of a vector. */
bool scene_read_vectors(yaml_tree *tree, const tree_place *place, yaml_node_t *node, scene_each *each);

#endif
