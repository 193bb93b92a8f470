/* A parameter that has one value per particle: where the values come from. */
#ifndef KICKDRIFT_TOOLS_SCENE_EACH_H
#define KICKDRIFT_TOOLS_SCENE_EACH_H

#include "tree.h"

#include <kickdrift/kickdrift.h>

typedef enum each_source {
    EACH_NONE,    /* one value for all, stored in the kdr_force */
    EACH_LIST,    /* {each: [...]}, in the order of the particles */
    EACH_COLUMNS, /* {column: NAME} or {columns: [X, Y, Z]}: columns of the particles' CSV file */
    EACH_START    /* "start": the position of each particle at the start */
} each_source;

typedef struct scene_each {
    each_source source;
    int axes;                /* numbers per particle: 1 or 3 */
    const yaml_node_t *node; /* the list, or the node that names the columns */
    const char *columns[3];
    char place[96]; /* the key's place, such as "forces[1].spring.k", for messages */
} scene_each;

/* Reads a parameter of one number per particle: a mapping that names one source. */
bool scene_read_each(yaml_tree *tree, const tree_place *place, yaml_node_t *node, scene_each *each);

/* Reads a parameter of one vector per particle: a mapping that names one source. */
bool scene_read_vectors(yaml_tree *tree, const tree_place *place, yaml_node_t *node, scene_each *each);

#endif
