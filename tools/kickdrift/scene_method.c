/* Reads the keys of a scene that belong to its method: `method` and `compose`, each a name or a list of coefficients, and `langevin`.
 *
 * Lengths are checked here, where the line is known. The library checks that coefficients make a method (sums, an explicit tableau). */
#include "scene.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* The nodes of the lists. They are kept until all keys are known, because how long one must be depends on another. */
typedef struct lists {
    yaml_node_t *a, *b, *c, *kick, *drift;
} lists;

static bool keep_node(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    (void)tree;
    (void)place;
    *(yaml_node_t **)(void *)((char *)record + key->offset) = node;
    return true;
}

/* Reads the length of a list that determines a number of stages. */
static bool read_length(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, size_t most, size_t *length) {
    if (!tree_list(tree, place, node, "a list of numbers", length)) {
        return false;
    }
    return (*length >= 1 && *length <= most) ||
           tree_complain(tree, place, node, "expected a list of 1 to %zu numbers, found %zu", most, *length);
}

static bool read_elements(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, size_t length, double *numbers) {
    for (size_t i = 0; i < length; ++i) {
        const tree_place here = {place, NULL, i};
        if (!tree_scalar(tree, &here, tree_element(tree, node, i), &VALUE_RATIO, &numbers[i])) {
            return false;
        }
    }
    return true;
}

/* Reads the list of key `name`, which must be as long as that of key `like`. */
static bool read_list(yaml_tree *tree, const tree_place *up, const char *name, const yaml_node_t *node, const char *like, size_t length,
                      double *numbers) {
    const tree_place place = {up, name, 0};
    size_t found;
    if (!tree_list(tree, &place, node, "a list of numbers", &found)) {
        return false;
    }
    if (found != length) {
        return tree_complain(tree, &place, node, "expected %zu number%s, as many as %s has, found %zu", length, length == 1 ? "" : "s",
                             like, found);
    }
    return read_elements(tree, &place, node, length, numbers);
}

/* Reads row i of a: i numbers, or one per stage. */
static bool read_stage(yaml_tree *tree, const tree_place *place, const yaml_node_t *node, size_t i, kdr_tableau *tableau) {
    const size_t stages = (size_t)tableau->stages;
    size_t length;
    if (!tree_list(tree, place, node, "a list of numbers, those before the diagonal", &length)) {
        return false;
    }
    if (length != i && length != stages) {
        return tree_complain(tree, place, node, "expected %zu number%s, those before the diagonal (or all %zu), found %zu", i,
                             i == 1 ? "" : "s", stages, length);
    }
    return read_elements(tree, place, node, length, tableau->a[i]);
}

static bool read_stages(yaml_tree *tree, const tree_place *up, const yaml_node_t *node, kdr_tableau *tableau) {
    const tree_place place = {up, "a", 0};
    size_t length;
    if (!tree_list(tree, &place, node, "a list of lists of numbers, one a stage", &length)) {
        return false;
    }
    if (length != (size_t)tableau->stages) {
        return tree_complain(tree, &place, node, "expected %d list%s, one a stage, as many as b has numbers, found %zu", tableau->stages,
                             tableau->stages == 1 ? "" : "s", length);
    }
    for (size_t i = 0; i < length; ++i) {
        const tree_place here = {&place, NULL, i};
        if (!read_stage(tree, &here, tree_element(tree, node, i), i, tableau)) {
            return false;
        }
    }
    return true;
}

static bool read_tableau(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key keys[] = {
        {"a", keep_node, offsetof(lists, a), NULL, "a list of lists of numbers, one a stage", true},
        {"b", keep_node, offsetof(lists, b), NULL, "a list of numbers, the weights", true},
        {"c", keep_node, offsetof(lists, c), NULL, NULL, false},
    };
    kdr_tableau *tableau = &((scene_method *)record)->tableau_room;
    lists given = {0};
    const tree_place weights = {place, "b", 0};
    size_t stages;
    (void)key;
    memset(tableau, 0, sizeof *tableau);
    if (!tree_mapping(tree, place, node, keys, COUNT_OF(keys), &given) || !read_length(tree, &weights, given.b, KDR_MAX_STAGES, &stages) ||
        !read_elements(tree, &weights, given.b, stages, tableau->b)) {
        return false;
    }
    tableau->stages = (int)stages;
    if (!read_stages(tree, place, given.a, tableau)) {
        return false;
    }
    ((scene_method *)record)->tableau = tableau;
    if (given.c) {
        return read_list(tree, place, "c", given.c, "b", stages, tableau->c);
    }
    for (size_t i = 0; i < stages; ++i) {
        for (size_t j = 0; j < i; ++j) {
            tableau->c[i] += tableau->a[i][j];
        }
    }
    return true;
}

static bool read_fractions(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key keys[] = {
        {"kick", keep_node, offsetof(lists, kick), NULL, "a list of numbers", true},
        {"drift", keep_node, offsetof(lists, drift), NULL, "a list of numbers", true},
    };
    kdr_fractions *fractions = &((scene_method *)record)->fractions_room;
    lists given = {0};
    const tree_place kicks = {place, "kick", 0};
    size_t count;
    (void)key;
    memset(fractions, 0, sizeof *fractions);
    if (!tree_mapping(tree, place, node, keys, COUNT_OF(keys), &given) ||
        !read_length(tree, &kicks, given.kick, KDR_MAX_FRACTIONS, &count) ||
        !read_elements(tree, &kicks, given.kick, count, fractions->kick) ||
        !read_list(tree, place, "drift", given.drift, "kick", count, fractions->drift)) {
        return false;
    }
    fractions->count = (int)count;
    ((scene_method *)record)->fractions = fractions;
    return true;
}

bool scene_read_method(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key kinds[] = {
        {"tableau", read_tableau, 0, NULL, NULL, false},
        {"fractions", read_fractions, 0, NULL, NULL, false},
    };
    scene_method *method = &((scene *)record)->method;
    if (node->type == YAML_SCALAR_NODE) {
        return tree_scalar(tree, place, node, key->type, &method->named);
    }
    if (node->type == YAML_MAPPING_NODE) {
        return tree_choice(tree, place, node, kinds, COUNT_OF(kinds), method, NULL);
    }
    return tree_expected(tree, place, node, "a name that kickdrift methods lists, or a mapping of tableau or fractions");
}

bool scene_read_compose(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    scene *loaded = record;
    kdr_substeps *substeps = &loaded->substeps_room;
    size_t count;
    if (node->type == YAML_SCALAR_NODE) {
        return tree_scalar(tree, place, node, key->type, &loaded->compose);
    }
    if (node->type != YAML_SEQUENCE_NODE) {
        return tree_expected(tree, place, node, "a name that kickdrift methods lists, or a list of fractions of the step");
    }
    if (!read_length(tree, place, node, KDR_MAX_SUBSTEPS, &count) || !read_elements(tree, place, node, count, substeps->fraction)) {
        return false;
    }
    substeps->count = (int)count;
    loaded->substeps = substeps;
    return true;
}

bool scene_read_langevin(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key keys[] = {
        {"friction", tree_read_scalar, offsetof(kdr_langevin, friction), &VALUE_NOT_NEGATIVE, NULL, true},
        {"temperature", tree_read_scalar, offsetof(kdr_langevin, temperature), &VALUE_NOT_NEGATIVE, NULL, true},
        {"seed", tree_read_scalar, offsetof(kdr_langevin, seed), &VALUE_UINT64, NULL, false},
    };
    scene *loaded = record;
    (void)key;
    return tree_mapping(tree, place, node, keys, COUNT_OF(keys), &loaded->langevin);
}
