/* Makes particles on a grid, particles.grid. The index along the first axis runs fastest. */
#include "draw.h"
#include "population_builder.h"

#include <math.h>

typedef struct grid_spec {
    scene_lattice grid;
    double at[3], along[GRID_AXES][3];
    size_t vectors; /* the number of vectors in `along` */
    const yaml_node_t *along_node;
    double mass;
    bool masses;
    uint64_t seed;
    random_distribution velocity;
    const yaml_node_t *held;
} grid_spec;

static bool read_along(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    static const tree_key vector = {"along", tree_read_vector, 0, &VALUE_NUMBER, "three numbers [x, y, z]", false};
    grid_spec *const spec = record;
    size_t length;
    if (!tree_list(tree, place, node, key->expected, &length)) {
        return false;
    }
    if (length < 1 || length > GRID_AXES) {
        return tree_expected(tree, place, node, key->expected);
    }
    for (size_t i = 0; i < length; ++i) {
        const tree_place here = {place, NULL, i};
        if (!vector.read(tree, &here, tree_element(tree, node, i), &vector, spec->along[i])) {
            return false;
        }
    }
    spec->vectors = length;
    spec->along_node = node;
    return true;
}

static bool read_mass(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    ((grid_spec *)record)->masses = true;
    return tree_read_scalar(tree, place, node, key, record);
}

static bool keep_list(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    size_t length;
    ((grid_spec *)record)->held = node;
    return tree_list(tree, place, node, key->expected, &length);
}

static const tree_key keys[] = {
    {"size", scene_read_lattice, offsetof(grid_spec, grid), NULL, "a list of one to three whole numbers, the particles along each axis",
     true},
    {"along", read_along, 0, NULL, "a list of one to three vectors [x, y, z], from a particle to the next of each axis", true},
    {"at", tree_read_vector, offsetof(grid_spec, at), &VALUE_NUMBER, "three numbers [x, y, z]", false},
    {"mass", read_mass, offsetof(grid_spec, mass), &VALUE_MASS, NULL, false},
    {"velocity", population_read_distribution, offsetof(grid_spec, velocity), NULL, "one of box, ball, sphere, point, normal", false},
    {"seed", tree_read_scalar, offsetof(grid_spec, seed), &VALUE_UINT64, NULL, false},
    {"held", keep_list, 0, NULL, "a list of places on the grid [i], [i, j] or [i, j, k], from 0", false},
};

/* Reads entry n of the list of held particles. */
static bool hold(population_builder *b, const tree_place *list, const grid_spec *spec, size_t n) {
    yaml_tree *const tree = &b->from->tree;
    const tree_place here = {list, NULL, n};
    const yaml_node_t *const node = tree_element(tree, spec->held, n);
    uint64_t index = 0, stride = 1, at;
    size_t length;
    if (!tree_list(tree, &here, node, "a place on the grid [i], [i, j] or [i, j, k]", &length)) {
        return false;
    }
    if (length < 1 || length > GRID_AXES) {
        return tree_expected(tree, &here, node, "a place on the grid [i], [i, j] or [i, j, k]");
    }
    for (size_t axis = 0; axis < length; ++axis) {
        const tree_place which = {&here, NULL, axis};
        if (!tree_scalar(tree, &which, tree_element(tree, node, axis), &VALUE_COUNT, &at)) {
            return false;
        }
        if (at >= spec->grid.size[axis]) {
            return tree_complain(tree, &which, node, "expected a place below %zu, found %zu", (size_t)spec->grid.size[axis], (size_t)at);
        }
        index += at * stride;
        stride *= spec->grid.size[axis];
    }
    const kdr_particles *const particles = &b->built->particles;
    if (index >= particles->first_id && index - particles->first_id < particles->count) {
        population_store_mass(b->built, (size_t)(index - particles->first_id), (double)INFINITY, 0);
    }
    return true;
}

static bool hold_all(population_builder *b, const tree_place *place, const grid_spec *spec) {
    const tree_place list = {place, "held", 0};
    size_t length = 0;
    bool good = !spec->held || tree_list(&b->from->tree, &list, spec->held, "a list of places", &length);
    for (size_t n = 0; good && n < length; ++n) {
        good = hold(b, &list, spec, n);
    }
    return good;
}

static void state_of(const grid_spec *spec, size_t i, double state[STATE_COLUMNS]) {
    uint64_t rest = i;
    double at[GRID_AXES];
    for (int axis = 0; axis < GRID_AXES; ++axis) {
        at[axis] = (double)(rest % spec->grid.size[axis]);
        rest /= spec->grid.size[axis];
    }
    for (int k = 0; k < 3; ++k) {
        state[k] = spec->at[k] + at[0] * spec->along[0][k] + at[1] * spec->along[1][k] + at[2] * spec->along[2][k];
    }
    random_vector(&spec->velocity, spec->seed, i, RANDOM_VELOCITY, &state[3]);
}

bool population_from_grid(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    population_builder *const b = record;
    grid_spec spec = {.mass = 1, .velocity = {.shape = RANDOM_POINT}};
    (void)key;
    if (!tree_mapping(tree, place, node, keys, COUNT_OF(keys), &spec)) {
        return false;
    }
    if (spec.vectors != spec.grid.axes) {
        const tree_place along = {place, "along", 0};
        return tree_complain(tree, &along, spec.along_node, "expected %zu vector%s, as many as size has numbers, found %zu", spec.grid.axes,
                             spec.grid.axes == 1 ? "" : "s", spec.vectors);
    }
    const size_t count = (size_t)(spec.grid.size[0] * spec.grid.size[1] * spec.grid.size[2]);
    spec.masses = spec.masses || spec.held;
    if (!population_allocate(b, count, spec.masses, place, node)) {
        return false;
    }
    for (size_t i = 0; i < b->built->particles.count; ++i) {
        double state[STATE_COLUMNS];
        state_of(&spec, (size_t)b->built->particles.first_id + i, state);
        if (!population_place(b, place, node, i, state) || (spec.masses && !population_weigh(b, place, node, i, spec.mass))) {
            return false;
        }
    }
    return hold_all(b, place, &spec);
}
