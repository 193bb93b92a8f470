/* Reads fields in the forces of a scene: the library's fields by name, and fields in shared libraries. The keys are the field's parameters;
 * three whose names end in .x, .y, .z are one key with a vector. */
#include "plugin.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

/* Returns the parameter that a key is read into, or the first of a vector. */
static scene_each *each_of(const tree_key *key, scene_force *force) {
    return &force->parameter[(key->offset - offsetof(scene_force, force.as.custom.parameter)) / sizeof(double)];
}

static bool read_parameter(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    return node->type == YAML_MAPPING_NODE ? scene_read_each(tree, place, node, each_of(key, record))
                                           : tree_read_scalar(tree, place, node, key, record);
}

static bool read_vector(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    return node->type == YAML_MAPPING_NODE ? scene_read_vectors(tree, place, node, each_of(key, record))
                                           : tree_read_vector(tree, place, node, key, record);
}

/* Returns true if the parameter is the x of a vector. */
static bool begins_vector(const char *name) {
    const size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, ".x") == 0;
}

/* Reads the mapping of a field's parameters. */
static bool read_parameters(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const kdr_custom_field *field, bool contributes,
                            scene_force *force) {
    tree_key keys[KDR_MAX_PARAMETERS + 2];
    char names[KDR_MAX_PARAMETERS][LONGEST_NAME];
    size_t count = 0;
    force->force = kdr_force_custom(field, NULL);
    for (int k = 0; k < kdr_custom_field_parameter_count(field); ++k) {
        const char *const name = kdr_custom_field_parameter_name(field, k);
        const size_t offset = offsetof(scene_force, force.as.custom.parameter) + (size_t)k * sizeof(double);
        const bool required = k < kdr_custom_field_required_parameter_count(field), vector = begins_vector(name);
        snprintf(names[count], LONGEST_NAME, "%.*s", (int)strlen(name) - (vector ? 2 : 0), name);
        keys[count] = vector ? (tree_key){names[count],
                                          read_vector,
                                          offset,
                                          &VALUE_NUMBER,
                                          "three numbers [x, y, z], {each: [...]} or {columns: [X, Y, Z]}",
                                          required}
                             : (tree_key){names[count], read_parameter, offset, &VALUE_NUMBER, NULL, required};
        ++count;
        k += vector ? 2 : 0;
    }
    if (kdr_custom_field_grid_component_count(field) > 0) {
        keys[count++] = (tree_key){"grid", scene_read_grid, 0, NULL, "a mapping of file or values, and spacing", true};
    }
    if (contributes) {
        keys[count++] = (tree_key)SCENE_CONTRIBUTION;
    }
    return tree_mapping(tree, place, node, keys, count, force);
}

bool scene_read_named_field(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    return read_parameters(tree, place, node, kdr_field_get((int)key->offset), true, record);
}

/* The contents of the mapping of a field in a library, before its parameters are known. */
typedef struct library_field {
    const char *file;
    yaml_node_t *parameters;
    kdr_contribution contribution;
} library_field;

static bool take_node(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    (void)tree, (void)place, (void)key;
    ((library_field *)record)->parameters = node;
    return true;
}

bool scene_read_library_field(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key keys[] = {
        {"file", tree_read_scalar, offsetof(library_field, file), &VALUE_TEXT, NULL, true},
        {"parameters", take_node, 0, NULL, "a mapping of the field's parameters", false},
        {"contribution", tree_read_scalar, offsetof(library_field, contribution), &VALUE_CONTRIBUTION, NULL, false}};
    library_field given = {.file = NULL};
    char why[300];
    (void)key;
    const bool is_file = node->type == YAML_SCALAR_NODE; /* a name of a file and nothing else */
    if (is_file ? !tree_scalar(tree, place, node, &VALUE_TEXT, &given.file)
                : !tree_mapping(tree, place, node, keys, sizeof keys / sizeof *keys, &given)) {
        return false;
    }
    const tree_place file = {place, "file", 0}, parameters = {place, "parameters", 0};
    const size_t inputs = tree->input_count;
    const char *const path = scene_input(tree, given.file);
    snprintf(why, sizeof why, "no memory for its path, expected some");
    if (path && tree->modules == MODULES_REFUSED) {
        return tree_complain(tree, is_file ? place : &file, node,
                             "%s is a module, whose code would run in this program, expected none with --no-modules", path);
    }
    if (path && tree->modules == MODULES_NAMED && tree->input_count > inputs) {
        fprintf(stderr, "kickdrift: %s loads the module %s, whose code runs in this program\n", tree->file, path);
    }
    const kdr_custom_field *const field = path ? plugin_open(path, why, sizeof why) : NULL;
    if (!field) {
        return tree_complain(tree, is_file ? place : &file, node, "%s", why);
    }
    scene_force *const force = record;
    if (!given.parameters && kdr_custom_field_required_parameter_count(field) > 0) {
        return tree_complain(tree, place, node,
                             "key \"parameters\" is missing, expected a mapping of those of %s, of which %s is the first",
                             kdr_custom_field_name(field), kdr_custom_field_parameter_name(field, 0));
    }
    force->force = kdr_force_custom(field, NULL);
    if (given.parameters && !read_parameters(tree, &parameters, given.parameters, field, false, force)) {
        return false;
    }
    force->force.contribution = given.contribution;
    return true;
}
