/* Makes random particles from a seed, particles.random. */
#include "draw.h"
#include "population_builder.h"

#include <stdlib.h>

typedef struct random_spec {
    uint64_t count, seed;
    random_distribution position, velocity;
    random_distribution mass; /* only the first axis is used */
    bool masses;
} random_spec;

#define VECTOR(name, member) {name, tree_read_vector, offsetof(random_distribution, member), &VALUE_NUMBER, "three numbers [x, y, z]", true}
#define RADIUS {"radius", tree_read_scalar, offsetof(random_distribution, b[0]), &VALUE_NOT_NEGATIVE, NULL, true}

static const tree_key box_keys[] = {VECTOR("min", a), VECTOR("max", b)};
static const tree_key ball_keys[] = {VECTOR("at", a), RADIUS};
static const tree_key normal_keys[] = {
    VECTOR("mean", a),
    {"sigma", tree_read_axes, offsetof(random_distribution, b), &VALUE_NOT_NEGATIVE, "a number from 0, or three of them [x, y, z]", true},
};

static const struct shape_row {
    const char *name;
    const tree_key *keys; /* NULL: the value is the point itself */
    size_t count;
} shape_rows[] = {
    [RANDOM_BOX] = {"box", box_keys, COUNT_OF(box_keys)},
    [RANDOM_BALL] = {"ball", ball_keys, COUNT_OF(ball_keys)},
    [RANDOM_SPHERE] = {"sphere", ball_keys, COUNT_OF(ball_keys)},
    [RANDOM_POINT] = {"point", NULL, 0},
    [RANDOM_NORMAL] = {"normal", normal_keys, COUNT_OF(normal_keys)},
};

/* Reads one shape of a distribution. `key->offset` is the index of the shape. */
static bool read_shape(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key point = VECTOR("point", a);
    const struct shape_row *row = &shape_rows[key->offset];
    random_distribution *distribution = record;
    distribution->shape = (random_shape)key->offset;
    if (!row->keys) {
        return tree_read_vector(tree, place, node, &point, record);
    }
    if (!tree_mapping(tree, place, node, row->keys, row->count, record)) {
        return false;
    }
    for (int i = 0; i < 3 && distribution->shape == RANDOM_BOX; ++i) {
        if (distribution->a[i] > distribution->b[i]) {
            return tree_complain(tree, place, node, "expected min up to max, found %g above %g", distribution->a[i], distribution->b[i]);
        }
    }
    return true;
}

bool population_read_distribution(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    tree_key shapes[COUNT_OF(shape_rows)];
    for (size_t i = 0; i < COUNT_OF(shape_rows); ++i) {
        shapes[i] = (tree_key){shape_rows[i].name, read_shape, i, NULL, NULL, false};
    }
    return tree_choice(tree, place, node, shapes, COUNT_OF(shapes), (char *)record + key->offset, NULL);
}

static bool read_mass_range(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    random_spec *spec = record;
    size_t length;
    if (!tree_list(tree, place, node, key->expected, &length)) {
        return false;
    }
    if (length != 2) {
        return tree_expected(tree, place, node, key->expected);
    }
    double *const ends[2] = {&spec->mass.a[0], &spec->mass.b[0]};
    for (size_t i = 0; i < 2; ++i) {
        const tree_place here = {place, NULL, i};
        if (!tree_scalar(tree, &here, tree_element(tree, node, i), &VALUE_POSITIVE, ends[i])) {
            return false;
        }
    }
    spec->mass.shape = RANDOM_BOX;
    return spec->mass.a[0] <= spec->mass.b[0] || tree_complain(tree, place, node, "expected [lowest, highest], found them the other way");
}

static bool read_mass(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key range[] = {{"uniform", read_mass_range, 0, NULL, "two positive numbers [lowest, highest]", false}};
    random_spec *spec = record;
    spec->masses = true;
    if (node->type == YAML_MAPPING_NODE) {
        return tree_choice(tree, place, node, range, 1, record, NULL);
    }
    spec->mass.shape = RANDOM_POINT;
    return tree_scalar(tree, place, node, key->type, &spec->mass.a[0]);
}

static const tree_key random_keys[] = {
    {"count", tree_read_scalar, offsetof(random_spec, count), &VALUE_COUNT, NULL, true},
    {"seed", tree_read_scalar, offsetof(random_spec, seed), &VALUE_UINT64, NULL, true},
    {"position", population_read_distribution, offsetof(random_spec, position), NULL, "one of box, ball, sphere, point, normal", true},
    {"velocity", population_read_distribution, offsetof(random_spec, velocity), NULL, "one of box, ball, sphere, point, normal", true},
    {"mass", read_mass, 0, &VALUE_MASS, NULL, false},
};

static bool put_drawn(population_builder *b, const tree_place *place, const yaml_node_t *node, const random_spec *spec, size_t i) {
    double state[STATE_COLUMNS], mass[3];
    const uint64_t number = b->built->particles.first_id + i;
    random_vector(&spec->position, spec->seed, number, RANDOM_POSITION, &state[0]);
    random_vector(&spec->velocity, spec->seed, number, RANDOM_VELOCITY, &state[3]);
    if (!population_place(b, place, node, i, state)) {
        return false;
    }
    if (spec->masses) {
        random_vector(&spec->mass, spec->seed, number, RANDOM_MASS, mass);
    }
    return !spec->masses || population_weigh(b, place, node, i, mass[0]);
}

bool population_from_random(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    population_builder *b = record;
    random_spec spec = {0};
    (void)key;
    if (!tree_mapping(tree, place, node, random_keys, COUNT_OF(random_keys), &spec)) {
        return false;
    }
    if (!b->is_slice && !population_allocate(b, (size_t)spec.count, spec.masses, place, node)) {
        return false;
    }
    for (size_t i = 0; i < b->built->particles.count; ++i) {
        if (!put_drawn(b, place, node, &spec, i)) {
            return false;
        }
    }
    return true;
}
