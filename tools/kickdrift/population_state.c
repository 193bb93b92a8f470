/* Reads particles that are written in the scene, particles.state. */
#include "population_builder.h"

#include <stdlib.h>
#include <string.h>

typedef struct given_state {
    double state[STATE_COLUMNS];
    double mass;
    uint64_t id;
} given_state;

static const tree_key state_keys[] = {
    {"x", tree_read_vector, offsetof(given_state, state[0]), &VALUE_NUMBER, "three numbers [x, y, z]", true},
    {"v", tree_read_vector, offsetof(given_state, state[3]), &VALUE_NUMBER, "three numbers [x, y, z]", true},
    {"mass", tree_read_scalar, offsetof(given_state, mass), &VALUE_MASS, NULL, false},
    {"id", tree_read_scalar, offsetof(given_state, id), &VALUE_UINT64, NULL, false},
};

static bool has_id(yaml_tree *tree, const yaml_node_t *node) {
    const bool maps = node->type == YAML_MAPPING_NODE;
    for (const yaml_node_pair_t *pair = maps ? node->data.mapping.pairs.start : NULL; maps && pair < node->data.mapping.pairs.top; ++pair) {
        const yaml_node_t *const key = tree_node(tree, pair->key);
        if (key->type == YAML_SCALAR_NODE && strcmp((const char *)key->data.scalar.value, "id") == 0) {
            return true;
        }
    }
    return false;
}

/* Checks that all particles have an id, or none: otherwise the index of one could be the id of another. */
static bool check_ids(yaml_tree *tree, const tree_place *place, const yaml_node_t *list, size_t count) {
    size_t has = 0, first = count; /* `first` is the first without an id */
    for (size_t i = 0; i < count; ++i) {
        const bool given = has_id(tree, tree_element(tree, list, i));
        has += given;
        first = given || first < count ? first : i;
    }
    return has == 0 || has == count ||
           tree_complain(tree, place, tree_element(tree, list, first), "particle %zu has no id, expected one, as others have", first);
}

static bool put_given(population_builder *b, const tree_place *place, yaml_node_t *node, size_t i) {
    yaml_tree *tree = &b->from->tree;
    kdr_particles *particles = &b->built->particles;
    given_state given = {.mass = 1, .id = particles->first_id + i};
    double inverse;
    if (!tree_mapping(tree, place, node, state_keys, COUNT_OF(state_keys), &given)) {
        return false;
    }
    for (int k = 0; k < STATE_COLUMNS; ++k) {
        if (!population_fits(b->from->real, given.state[k])) {
            return tree_complain(tree, place, node, "expected numbers that fit f32, found %g", given.state[k]);
        }
    }
    if (!population_inverse(b->from->real, given.mass, &inverse)) {
        return tree_complain(tree, place, node, "expected a mass whose inverse fits %s, found %g", kdr_real_name(particles->real),
                             given.mass);
    }
    population_put(particles, i, given.state);
    population_store_mass(b->built, i, given.mass, inverse);
    b->built->id[i] = given.id;
    return true;
}

bool population_from_state(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    population_builder *b = record;
    size_t count;
    if (!tree_list(tree, place, node, key->expected, &count) || !population_allocate(b, count, true, place, node)) {
        return false;
    }
    const size_t first = (size_t)b->built->particles.first_id, all = count;
    count = b->built->particles.count;
    b->built->id = malloc((count + 1) * sizeof *b->built->id);
    if (!b->built->id) {
        return tree_complain(tree, place, node, "no memory for %zu particles, expected fewer", count);
    }
    for (size_t i = 0; i < count; ++i) {
        const tree_place here = {place, NULL, first + i};
        if (!put_given(b, &here, tree_element(tree, node, first + i), i)) {
            return false;
        }
    }
    return check_ids(tree, place, node, all);
}
