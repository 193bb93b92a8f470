/* Reads the keys `colliders`, `radius`, `constraints` and `boundary` of a scene, with one table of keys per kind. */
#include "scene.h"

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define PARAMETER(member) offsetof(kdr_collider, member)
#define VECTOR(name, member, required) {name, tree_read_vector, PARAMETER(as.member), &VALUE_NUMBER, "three numbers [x, y, z]", required}
/* The keys that every surface has. */
#define SURFACE                                                                                                                            \
    {"restitution", tree_read_scalar, PARAMETER(restitution), &VALUE_FRACTION, NULL, false},                                               \
        {"friction", tree_read_scalar, PARAMETER(friction), &VALUE_FRACTION, NULL, false},                                                 \
        {"friction-normal", tree_read_scalar, PARAMETER(friction_normal), &VALUE_FRACTION, NULL, false},                                   \
        {"sliding", tree_read_scalar, PARAMETER(sliding), &VALUE_NOT_NEGATIVE, NULL, false},                                               \
        {"static", tree_read_scalar, PARAMETER(static_friction), &VALUE_NOT_NEGATIVE, NULL, false},                                        \
        {"velocity", tree_read_vector, PARAMETER(velocity), &VALUE_NUMBER, "three numbers [x, y, z]", false}, {                            \
        "since", tree_read_scalar, PARAMETER(since), &VALUE_NUMBER, NULL, false                                                            \
    }

/* Reads a yes or no into a bool. Values are parsed into an int first. */
static bool read_inside(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    int inside = 0;
    if (!tree_scalar(tree, place, node, key->type, &inside)) {
        return false;
    }
    *(bool *)((char *)record + key->offset) = inside != 0;
    return true;
}

static const tree_key plane_keys[] = {VECTOR("point", plane.point, false), VECTOR("normal", plane.normal, true), SURFACE};
static const tree_key sphere_keys[] = {
    VECTOR("at", sphere.at, false),
    {"radius", tree_read_scalar, PARAMETER(as.sphere.radius), &VALUE_POSITIVE, NULL, true},
    {"inside", read_inside, PARAMETER(as.sphere.inside), &VALUE_BOOLEAN, NULL, false},
    SURFACE,
};
static const tree_key box_keys[] = {
    VECTOR("min", box.min, true),
    VECTOR("max", box.max, true),
    {"inside", read_inside, PARAMETER(as.box.inside), &VALUE_BOOLEAN, NULL, false},
    SURFACE,
};

static const struct collider_row {
    const tree_key *keys;
    size_t count;
} collider_rows[KDR_COLLIDER_KIND_COUNT] = {
    [KDR_COLLIDER_PLANE] = {plane_keys, COUNT_OF(plane_keys)},
    [KDR_COLLIDER_SPHERE] = {sphere_keys, COUNT_OF(sphere_keys)},
    [KDR_COLLIDER_BOX] = {box_keys, COUNT_OF(box_keys)},
};

/* Reads a collider. `key->offset` is its kind. */
static bool read_collider(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const double origin[3] = {0, 0, 0};
    const struct collider_row *row = &collider_rows[key->offset];
    kdr_collider *collider = record;
    *collider = kdr_collider_plane(origin, origin);
    collider->kind = (kdr_collider_kind)key->offset;
    return tree_mapping(tree, place, node, row->keys, row->count, record);
}

bool scene_read_colliders(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    scene *loaded = record;
    tree_key kinds[KDR_COLLIDER_KIND_COUNT];
    size_t length;
    for (size_t i = 0; i < KDR_COLLIDER_KIND_COUNT; ++i) {
        kinds[i] = (tree_key){kdr_collider_kind_name((kdr_collider_kind)i), read_collider, i, NULL, NULL, false};
    }
    if (!tree_list(tree, place, node, key->expected, &length)) {
        return false;
    }
    loaded->colliders = calloc(length ? length : 1, sizeof *loaded->colliders);
    if (!loaded->colliders) {
        return tree_complain(tree, place, node, "no memory for %zu colliders, expected fewer", length);
    }
    loaded->collider_count = length;
    for (size_t i = 0; i < length; ++i) {
        const tree_place here = {place, NULL, i};
        if (!tree_choice(tree, &here, tree_element(tree, node, i), kinds, KDR_COLLIDER_KIND_COUNT, &loaded->colliders[i], NULL)) {
            return false;
        }
    }
    return true;
}

/* Reads one radius for all particles, or one per particle. */
bool scene_read_radius(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    return node->type == YAML_MAPPING_NODE ? scene_read_each(tree, place, node, &((scene *)record)->radii)
                                           : tree_read_scalar(tree, place, node, key, record);
}

#define PART(member) offsetof(kdr_constraint, as.member)
#define POINT(name, member, required) {name, tree_read_vector, PART(member), &VALUE_NUMBER, "three numbers [x, y, z]", required}

static const tree_key rod_keys[] = {POINT("to", rod.to, false),
                                    {"length", tree_read_scalar, PART(rod.length), &VALUE_POSITIVE, NULL, true}};
static const tree_key rope_keys[] = {POINT("to", rope.to, false),
                                     {"length", tree_read_scalar, PART(rope.length), &VALUE_POSITIVE, NULL, true}};
static const tree_key on_plane_keys[] = {POINT("point", plane.point, false), POINT("normal", plane.normal, true)};
static const tree_key on_sphere_keys[] = {POINT("at", sphere.at, false),
                                          {"radius", tree_read_scalar, PART(sphere.radius), &VALUE_POSITIVE, NULL, true}};

/* Each kind has two keys. */
static const tree_key *const constraint_keys[KDR_CONSTRAINT_KIND_COUNT] = {[KDR_CONSTRAINT_ROD] = rod_keys,
                                                                           [KDR_CONSTRAINT_ROPE] = rope_keys,
                                                                           [KDR_CONSTRAINT_PLANE] = on_plane_keys,
                                                                           [KDR_CONSTRAINT_SPHERE] = on_sphere_keys};

static bool read_constraint(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    ((kdr_constraint *)record)->kind = (kdr_constraint_kind)key->offset;
    return tree_mapping(tree, place, node, constraint_keys[key->offset], 2, record);
}

bool scene_read_constraints(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    scene *loaded = record;
    tree_key kinds[KDR_CONSTRAINT_KIND_COUNT];
    size_t length;
    for (size_t i = 0; i < KDR_CONSTRAINT_KIND_COUNT; ++i) {
        kinds[i] = (tree_key){kdr_constraint_kind_name((kdr_constraint_kind)i), read_constraint, i, NULL, NULL, false};
    }
    if (!tree_list(tree, place, node, key->expected, &length)) {
        return false;
    }
    loaded->constraints = calloc(length ? length : 1, sizeof *loaded->constraints);
    if (!loaded->constraints) {
        return tree_complain(tree, place, node, "no memory for %zu constraints, expected fewer", length);
    }
    loaded->constraint_count = length;
    for (size_t i = 0; i < length; ++i) {
        const tree_place here = {place, NULL, i};
        if (!tree_choice(tree, &here, tree_element(tree, node, i), kinds, KDR_CONSTRAINT_KIND_COUNT, &loaded->constraints[i], NULL)) {
            return false;
        }
    }
    return true;
}

static bool read_limits(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key keys[] = {
        {"min", tree_read_vector, offsetof(kdr_boundary, min), &VALUE_NUMBER, "three numbers [x, y, z]", true},
        {"max", tree_read_vector, offsetof(kdr_boundary, max), &VALUE_NUMBER, "three numbers [x, y, z]", true},
    };
    ((kdr_boundary *)record)->kind = (kdr_boundary_kind)key->offset;
    return tree_mapping(tree, place, node, keys, COUNT_OF(keys), record);
}

bool scene_read_boundary(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key kinds[] = {
        {"periodic", read_limits, KDR_BOUNDARY_PERIODIC, NULL, NULL, false},
        {"absorbing", read_limits, KDR_BOUNDARY_ABSORBING, NULL, NULL, false},
    };
    scene *loaded = record;
    (void)key;
    return tree_choice(tree, place, node, kinds, COUNT_OF(kinds), &loaded->boundary, NULL);
}
