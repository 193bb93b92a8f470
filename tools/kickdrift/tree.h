/* A YAML document, and the tables that say what its mappings may hold.
 *
 * Every reader returns false after writing one line, "FILE:LINE: forces[1].spring.k: expected ..., found ...". */
#ifndef KICKDRIFT_TOOLS_TREE_H
#define KICKDRIFT_TOOLS_TREE_H

#include "fault.h"
#include "value.h"

#include <yaml.h>

/* How to treat modules, whose code runs in the program: load them and name them on standard error, load them silently, or refuse them. */
typedef enum tree_modules { MODULES_NAMED, MODULES_SILENT, MODULES_REFUSED } tree_modules;

typedef struct yaml_tree {
    const char *file; /* borrowed, for messages */
    yaml_document_t document;
    unsigned char *text; /* the whole file */
    size_t length;
    char **inputs; /* paths of the other files that the document was read from */
    size_t input_count;
    tree_modules modules;
    fault *why;
} yaml_tree;

/* The place of a node. "forces[1].spring.k" is four of these. */
typedef struct tree_place {
    const struct tree_place *up; /* NULL: this is the document itself */
    const char *key;             /* NULL: this is element `index` of a list */
    size_t index;
} tree_place;

/* One key that a mapping may have. */
typedef struct tree_key tree_key;
typedef bool tree_reader(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record);
struct tree_key {
    const char *name;
    tree_reader *read;
    size_t offset;          /* offset of the destination in the record */
    const value_type *type; /* type of a scalar, or of the elements of a vector */
    const char *expected;   /* what a message says if the key is missing or its value has another shape; NULL: what `type` says */
    bool required;
};

/* Reads a file with one document of at most 16 MiB. It may be a regular file, a pipe or a device. On failure nothing need be released. */
bool tree_load(yaml_tree *tree, const char *file, fault *why);

/* Reads a document from a copy of a file's text; `file` is for messages. */
bool tree_parse(yaml_tree *tree, const char *file, const void *text, size_t length, fault *why);
void tree_release(yaml_tree *tree);

yaml_node_t *tree_root(yaml_tree *tree);
yaml_node_t *tree_node(yaml_tree *tree, int index);
size_t tree_line(const yaml_node_t *node);

/* Reports "FILE:LINE: PLACE: <message>". Always returns false. */
FAULT_FORMAT(4, 5) bool tree_complain(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, const char *format, ...);

/* Reports "expected <expected>, found <what the node holds>". Always returns false. */
bool tree_expected(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, const char *expected);

/* Writes "forces[1].spring.k" into `buffer` and returns it. */
const char *tree_place_text(const tree_place *place, char *buffer, size_t size);

/* Reads a mapping whose keys are all in the table, each at most once and the required ones present. Destinations of keys that are not given
 * keep their values. */
bool tree_mapping(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *keys, size_t count, void *record);

/* Reads a mapping of exactly one of the keys; *chosen is its index (`chosen` may be NULL). */
bool tree_choice(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *keys, size_t count, void *record,
                 size_t *chosen);

/* tree_list checks that the node is a list, sets its length, and says what was expected if it is not. tree_element returns element i. */
bool tree_list(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, const char *expected, size_t *length);
yaml_node_t *tree_element(yaml_tree *tree, const yaml_node_t *list, size_t i);

bool tree_scalar(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, const value_type *type, void *destination);

/* Readers for tables: a scalar of key->type; a list of three numbers; one number for all axes or a list of three. */
bool tree_read_scalar(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record);
bool tree_read_vector(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record);
bool tree_read_axes(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record);

#endif
