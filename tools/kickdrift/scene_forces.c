/* Reads the key `forces` of a scene, with one table of keys per force. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define PARAMETER(member) offsetof(scene_force, force.as.member)

static bool take_list(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    scene_each *each = record;
    size_t length;
    (void)key;
    each->source = EACH_LIST;
    each->node = node;
    return tree_list(tree, place, node, "a list, one element per particle", &length);
}

static bool take_column(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    scene_each *each = record;
    (void)key;
    each->source = EACH_COLUMNS;
    each->node = node;
    return tree_scalar(tree, place, node, &VALUE_TEXT, &each->columns[0]);
}

static bool take_columns(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const char expected[] = "three column names [x, y, z]";
    scene_each *each = record;
    size_t length;
    (void)key;
    each->source = EACH_COLUMNS;
    each->node = node;
    if (!tree_list(tree, place, node, expected, &length)) {
        return false;
    }
    if (length != 3) {
        return tree_expected(tree, place, node, expected);
    }
    for (size_t i = 0; i < 3; ++i) {
        const tree_place here = {place, NULL, i};
        if (!tree_scalar(tree, &here, tree_element(tree, node, i), &VALUE_TEXT, &each->columns[i])) {
            return false;
        }
    }
    return true;
}

static void begin_each(scene_each *each, int axes, const tree_place *place, const yaml_node_t *node) {
    each->axes = axes;
    each->node = node;
    tree_place_text(place, each->place, sizeof each->place);
}

bool scene_read_each(yaml_tree *tree, const tree_place *place, yaml_node_t *node, scene_each *each) {
    static const tree_key sources[] = {
        {"each", take_list, 0, NULL, NULL, false},
        {"column", take_column, 0, NULL, NULL, false},
    };
    begin_each(each, 1, place, node);
    return tree_choice(tree, place, node, sources, COUNT_OF(sources), each, NULL);
}

/* Reads a coefficient: one number, one per axis, or one per particle. */
static bool read_coefficient(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    scene_force *force = record;
    return node->type == YAML_MAPPING_NODE ? scene_read_each(tree, place, node, &force->scalar)
                                           : tree_read_axes(tree, place, node, key, record);
}

bool scene_read_vectors(yaml_tree *tree, const tree_place *place, yaml_node_t *node, scene_each *each) {
    static const tree_key sources[] = {
        {"each", take_list, 0, NULL, NULL, false},
        {"columns", take_columns, 0, NULL, NULL, false},
    };
    begin_each(each, 3, place, node);
    return tree_choice(tree, place, node, sources, COUNT_OF(sources), each, NULL);
}

/* Reads an anchor: one point, one per particle, or the start of each particle. */
static bool read_anchor(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    scene_force *force = record;
    if (node->type == YAML_SEQUENCE_NODE) {
        return tree_read_vector(tree, place, node, key, record);
    }
    if (node->type == YAML_MAPPING_NODE) {
        return scene_read_vectors(tree, place, node, &force->vector);
    }
    begin_each(&force->vector, 3, place, node);
    if (strcmp((const char *)node->data.scalar.value, "start") != 0) {
        return tree_expected(tree, place, node, key->expected);
    }
    force->vector.source = EACH_START;
    return true;
}

#define VECTOR(name, member, required) {name, tree_read_vector, PARAMETER(member), &VALUE_NUMBER, "three numbers [x, y, z]", required}
#define NUMBER(name, member, required) {name, tree_read_scalar, PARAMETER(member), &VALUE_NUMBER, NULL, required}
#define COEFFICIENT(name, member)                                                                                                          \
    {name,                                                                                                                                 \
     read_coefficient,                                                                                                                     \
     PARAMETER(member),                                                                                                                    \
     &VALUE_NUMBER,                                                                                                                        \
     "a number, [" name "x, " name "y, " name "z], {each: [...]} or {column: NAME}",                                                       \
     true}

static const tree_key acceleration_keys[] = {VECTOR("a", uniform_acceleration.a, true), SCENE_CONTRIBUTION};
static const tree_key force_keys[] = {VECTOR("f", uniform_force.f, true), SCENE_CONTRIBUTION};
static const tree_key spring_keys[] = {
    COEFFICIENT("k", spring.k),
    {"at", read_anchor, PARAMETER(spring.at), &VALUE_NUMBER, "three numbers [x, y, z], start, {each: [...]} or {columns: [X, Y, Z]}",
     false},
    SCENE_CONTRIBUTION,
};
static const tree_key drag_keys[] = {COEFFICIENT("b", drag.b), VECTOR("wind", drag.wind, false), SCENE_CONTRIBUTION};
static const tree_key quadratic_keys[] = {NUMBER("c", quadratic_drag.c, true), VECTOR("wind", quadratic_drag.wind, false),
                                          SCENE_CONTRIBUTION};
static const tree_key electromagnetic_keys[] = {
    NUMBER("charge", electromagnetic.charge, true),
    VECTOR("e", electromagnetic.e, false),
    VECTOR("b", electromagnetic.b, false),
    SCENE_CONTRIBUTION,
};
static const tree_key centre_keys[] = {
    NUMBER("mu", centre.mu, true),
    VECTOR("at", centre.at, false),
    {"softening", tree_read_scalar, PARAMETER(centre.softening), &VALUE_NOT_NEGATIVE, NULL, false},
    SCENE_CONTRIBUTION,
};
static const tree_key driven_keys[] = {
    VECTOR("a", driven.a, true),
    NUMBER("omega", driven.omega, true),
    NUMBER("phase", driven.phase, false),
    SCENE_CONTRIBUTION,
};

static const struct force_row {
    const tree_key *keys;
    size_t count;
} force_rows[KDR_FORCE_KIND_COUNT] = {
    [KDR_UNIFORM_ACCELERATION] = {acceleration_keys, COUNT_OF(acceleration_keys)},
    [KDR_UNIFORM_FORCE] = {force_keys, COUNT_OF(force_keys)},
    [KDR_SPRING] = {spring_keys, COUNT_OF(spring_keys)},
    [KDR_DRAG] = {drag_keys, COUNT_OF(drag_keys)},
    [KDR_QUADRATIC_DRAG] = {quadratic_keys, COUNT_OF(quadratic_keys)},
    [KDR_ELECTROMAGNETIC] = {electromagnetic_keys, COUNT_OF(electromagnetic_keys)},
    [KDR_CENTRE] = {centre_keys, COUNT_OF(centre_keys)},
    [KDR_DRIVEN] = {driven_keys, COUNT_OF(driven_keys)},
};

/* Reads a force. `key->offset` is its kind. */
static bool read_force(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    const struct force_row *row = &force_rows[key->offset];
    scene_force *force = record;
    force->force.kind = (kdr_force_kind)key->offset;
    return tree_mapping(tree, place, node, row->keys, row->count, record);
}

/* Refuses a force between particles, which belongs into the list `interactions`. */
static bool refuse_system(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    (void)key, (void)record;
    return tree_complain(tree, place, node, "it acts between particles, expected in the list interactions");
}

bool scene_read_forces(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    enum { MOST_KINDS = 64 };
    scene *loaded = record;
    tree_key kinds[MOST_KINDS];
    size_t length, count = 0;
    for (size_t i = 0; i < KDR_FORCE_KIND_COUNT; ++i) {
        kinds[count++] = (tree_key){kdr_force_kind_name((kdr_force_kind)i), read_force, i, NULL, NULL, false};
    }
    for (int i = 0; kdr_field_get(i) && count < MOST_KINDS - 2; ++i) {
        kinds[count++] = (tree_key){kdr_custom_field_name(kdr_field_get(i)), scene_read_named_field, (size_t)i, NULL, NULL, false};
    }
    kinds[count++] = (tree_key){"field", scene_read_library_field, 0, NULL, NULL, false};
    kinds[count++] = (tree_key){"gravity", refuse_system, 0, NULL, NULL, false};
    if (!tree_list(tree, place, node, key->expected, &length)) {
        return false;
    }
    loaded->forces = calloc(length ? length : 1, sizeof *loaded->forces);
    if (!loaded->forces) {
        return tree_complain(tree, place, node, "no memory for %zu forces, expected fewer", length);
    }
    loaded->force_count = length;
    for (size_t i = 0; i < length; ++i) {
        const tree_place here = {place, NULL, i};
        if (!tree_choice(tree, &here, tree_element(tree, node, i), kinds, count, &loaded->forces[i], NULL)) {
            return false;
        }
    }
    return true;
}
