/* Makes a Plummer sphere in equilibrium, particles.plummer. Star clusters and round galaxies resemble it. */
#include "draw.h"
#include "population_builder.h"

#include <math.h>

typedef struct plummer_spec {
    uint64_t count, seed;
    double mass, radius, g, at[3], velocity[3];
} plummer_spec;

static const tree_key keys[] = {
    {"count", tree_read_scalar, offsetof(plummer_spec, count), &VALUE_COUNT, NULL, true},
    {"seed", tree_read_scalar, offsetof(plummer_spec, seed), &VALUE_UINT64, NULL, true},
    {"mass", tree_read_scalar, offsetof(plummer_spec, mass), &VALUE_POSITIVE, NULL, false},
    {"radius", tree_read_scalar, offsetof(plummer_spec, radius), &VALUE_POSITIVE, NULL, false},
    {"g", tree_read_scalar, offsetof(plummer_spec, g), &VALUE_POSITIVE, NULL, false},
    {"at", tree_read_vector, offsetof(plummer_spec, at), &VALUE_NUMBER, "three numbers [x, y, z]", false},
    {"velocity", tree_read_vector, offsetof(plummer_spec, velocity), &VALUE_NUMBER, "three numbers [x, y, z]", false},
};

bool population_from_plummer(yaml_tree *tree, const tree_place *place, yaml_node_t *node, const tree_key *key, void *record) {
    population_builder *const b = record;
    plummer_spec spec = {.mass = 1, .radius = 1, .g = 1};
    (void)key;
    if (!tree_mapping(tree, place, node, keys, COUNT_OF(keys), &spec) || !population_allocate(b, (size_t)spec.count, true, place, node)) {
        return false;
    }
    const double speed = sqrt(spec.g * spec.mass / spec.radius);
    for (size_t i = 0; i < b->built->particles.count; ++i) {
        double state[STATE_COLUMNS];
        random_plummer(spec.seed, b->built->particles.first_id + i, state);
        for (int k = 0; k < 3; ++k) {
            state[k] = spec.at[k] + spec.radius * state[k];
            state[3 + k] = spec.velocity[k] + speed * state[3 + k];
        }
        if (!population_place(b, place, node, i, state) || !population_weigh(b, place, node, i, spec.mass / (double)spec.count)) {
            return false;
        }
    }
    return true;
}
