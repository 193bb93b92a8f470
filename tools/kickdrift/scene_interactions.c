/* Reads the keys `interactions`, `distances` and `levels` of a scene, with one table of keys per kind. */
#include "scene.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

enum { MOST_OF_GRID = 1 << 30 };

bool scene_read_lattice(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const char expected[] = "a list of one to three whole numbers from 1, the particles along each axis";
    scene_lattice *const grid = (scene_lattice *)(void *)((char *)record + key->offset);
    size_t length;
    uint64_t all = 1;
    *grid = (scene_lattice){.size = {1, 1, 1}};
    if (!tree_list(tree, place, node, expected, &length)) {
        return false;
    }
    if (length < 1 || length > GRID_AXES) {
        return tree_expected(tree, place, node, expected);
    }
    for (size_t i = 0; i < length; ++i) {
        const tree_place here = {place, NULL, i};
        if (!tree_scalar(tree, &here, tree_element(tree, node, i), &VALUE_EVERY, &grid->size[i])) {
            return false;
        }
        if (grid->size[i] > MOST_OF_GRID / all) {
            return tree_complain(tree, place, node, "expected a grid of at most %d particles", (int)MOST_OF_GRID);
        }
        all *= grid->size[i];
    }
    grid->axes = length;
    return true;
}

static bool keep_node(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    size_t length;
    *(yaml_node_t **)(void *)((char *)record + key->offset) = node;
    return tree_list(tree, place, node, key->expected, &length);
}

/* Reads a length. "start" becomes NaN, which means the distance of the two particles at the start. */
static bool parse_length(const value_type *type, const char *text, void *destination) {
    if (strcmp(text, "start") == 0) {
        *(double *)destination = (double)NAN;
        return true;
    }
    return value_parse_number(type, text, destination);
}

static const value_type LENGTH = {
    .parse = parse_length, .expected = "a finite number from 0, or start: their distance at first", .high = DBL_MAX};

/* Reads one number for all particles, or a mapping that gives each particle its own. */
static bool read_mu(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    return node->type == YAML_MAPPING_NODE ? scene_read_each(tree, place, node, &((scene_interaction *)record)->mu_each)
                                           : tree_read_scalar(tree, place, node, key, record);
}

static bool read_softening(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    return node->type == YAML_MAPPING_NODE ? scene_read_each(tree, place, node, &((scene_interaction *)record)->softening_each)
                                           : tree_read_scalar(tree, place, node, key, record);
}

#define NUMBER(name, member, type, required) {name, tree_read_scalar, offsetof(scene_interaction, member), type, NULL, required}
#define PAIRS "a list of pairs of particles [a, b], by index from 0"

static const tree_key gravity_keys[] = {
    NUMBER("g", g, &VALUE_NUMBER, false),
    {"mu", read_mu, offsetof(scene_interaction, mu), &VALUE_NUMBER, NULL, false},
    {"softening", read_softening, offsetof(scene_interaction, softening), &VALUE_NOT_NEGATIVE, NULL, false},
    NUMBER("sources", sources, &VALUE_COUNT, false),
};
static const tree_key springs_keys[] = {
    {"between", keep_node, offsetof(scene_interaction, ties.between), NULL, PAIRS, true},
    NUMBER("k", k, &VALUE_NUMBER, true),
    NUMBER("length", ties.length, &LENGTH, false),
    NUMBER("damping", damping, &VALUE_NUMBER, false),
};
static const tree_key lattice_keys[] = {
    {"grid", scene_read_lattice, offsetof(scene_interaction, ties.grid), NULL, "a list of the particles along each axis", true},
    NUMBER("first", ties.first, &VALUE_COUNT, false),
    NUMBER("k", k, &VALUE_NUMBER, true),
    NUMBER("diagonal", diagonal, &VALUE_NUMBER, false),
    NUMBER("bend", bend, &VALUE_NUMBER, false),
    NUMBER("length", ties.length, &LENGTH, false),
    NUMBER("damping", damping, &VALUE_NUMBER, false),
};

static bool begin(const tree_place *place, const yaml_node_t *node, kdr_interaction_kind kind, scene_interaction *entry) {
    *entry = (scene_interaction){.kind = kind, .g = (double)NAN, .mu = (double)NAN, .sources = UINT64_MAX, .node = node};
    entry->ties.length = (double)NAN;
    entry->ties.node = node;
    tree_place_text(place, entry->place, sizeof entry->place);
    tree_place_text(place, entry->ties.place, sizeof entry->ties.place);
    return true;
}

static bool read_gravity(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    scene_interaction *const entry = record;
    (void)key;
    if (!begin(place, node, KDR_GRAVITY, entry) || !tree_mapping(tree, place, node, gravity_keys, COUNT_OF(gravity_keys), entry)) {
        return false;
    }
    const int given = !isnan(entry->g) + (!isnan(entry->mu) || entry->mu_each.source != EACH_NONE);
    return given == 1 || tree_complain(tree, place, node, "expected g, which is multiplied by each mass, or mu, found %s of them",
                                       given ? "both" : "none");
}

static bool read_springs(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    (void)key;
    return begin(place, node, KDR_SPRING_NETWORK, record) && tree_mapping(tree, place, node, springs_keys, COUNT_OF(springs_keys), record);
}

static bool read_lattice(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    (void)key;
    return begin(place, node, KDR_SPRING_NETWORK, record) && tree_mapping(tree, place, node, lattice_keys, COUNT_OF(lattice_keys), record);
}

bool scene_read_interactions(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key kinds[] = {{"gravity", read_gravity, 0, NULL, NULL, false},
                                     {"springs", read_springs, 0, NULL, NULL, false},
                                     {"spring-lattice", read_lattice, 0, NULL, NULL, false}};
    scene *const loaded = record;
    size_t length;
    if (!tree_list(tree, place, node, key->expected, &length)) {
        return false;
    }
    loaded->interactions = calloc(length ? length : 1, sizeof *loaded->interactions);
    if (!loaded->interactions) {
        return tree_complain(tree, place, node, "no memory for %zu interactions, expected fewer", length);
    }
    loaded->interaction_count = length;
    for (size_t i = 0; i < length; ++i) {
        const tree_place here = {place, NULL, i};
        if (!tree_choice(tree, &here, tree_element(tree, node, i), kinds, COUNT_OF(kinds), &loaded->interactions[i], NULL)) {
            return false;
        }
    }
    return true;
}

/* Reads one set of rods, from a list of pairs or from a grid. */
static bool read_rods(yaml_tree *tree, const tree_place *place, yaml_node_t *node, scene_ties *rods) {
    static const tree_key keys[] = {
        {"between", keep_node, offsetof(scene_ties, between), NULL, PAIRS, false},
        {"grid", scene_read_lattice, offsetof(scene_ties, grid), NULL, NULL, false},
        {"first", tree_read_scalar, offsetof(scene_ties, first), &VALUE_COUNT, NULL, false},
        {"length", tree_read_scalar, offsetof(scene_ties, length), &LENGTH, NULL, false},
    };
    *rods = (scene_ties){.length = (double)NAN, .node = node};
    tree_place_text(place, rods->place, sizeof rods->place);
    if (!tree_mapping(tree, place, node, keys, COUNT_OF(keys), rods)) {
        return false;
    }
    const bool is_grid = rods->grid.size[0] > 0;
    return is_grid != (rods->between != NULL) ||
           tree_complain(tree, place, node, "expected between, a list of pairs, or grid, found %s of them", is_grid ? "both" : "none");
}

static bool read_all_rods(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    scene_distances *const distances = record;
    if (!tree_list(tree, place, node, key->expected, &distances->count)) {
        return false;
    }
    distances->rods = calloc(distances->count ? distances->count : 1, sizeof *distances->rods);
    if (!distances->rods) {
        return tree_complain(tree, place, node, "no memory for %zu sets of rods, expected fewer", distances->count);
    }
    for (size_t i = 0; i < distances->count; ++i) {
        const tree_place here = {place, NULL, i};
        if (!read_rods(tree, &here, tree_element(tree, node, i), &distances->rods[i])) {
            return false;
        }
    }
    return true;
}

bool scene_read_distances(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const value_type sweeps = {value_parse_count, "a whole number from 1 to 2^32 - 1", false, 1, 4294967295.0, false, NULL};
    static const tree_key keys[] = {
        {"rods", read_all_rods, 0, NULL, "a list of mappings of between or grid, and length", true},
        {"tolerance", tree_read_scalar, offsetof(scene_distances, tolerance), &VALUE_NOT_NEGATIVE, NULL, false},
        {"sweeps", tree_read_scalar, offsetof(scene_distances, sweeps), &sweeps, NULL, false},
        {"relaxation", tree_read_scalar, offsetof(scene_distances, relaxation), &VALUE_NUMBER, NULL, false},
    };
    scene_distances *const distances = &((scene *)record)->distances;
    (void)key;
    const kdr_distance_constraints_desc defaults = kdr_distance_constraints_desc_default();
    *distances = (scene_distances){.tolerance = defaults.tolerance, .relaxation = defaults.relaxation, .sweeps = defaults.sweeps};
    return tree_mapping(tree, place, node, keys, COUNT_OF(keys), distances);
}

bool scene_read_levels(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    (void)key;
    return scene_read_each(tree, place, node, &((scene *)record)->levels);
}
