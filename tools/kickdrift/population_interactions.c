/* Makes the forces between the particles of a scene when the particles exist: gravity, springs of lattices, rods. */
#include "population_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One spring or rod between two particles. */
typedef struct tie {
    uint32_t a, b;
    double k, length;
} tie;

typedef struct tie_list {
    population_builder *b;
    const scene_ties *from;
    tie *list;
    size_t count, room;
} tie_list;

static bool complain(population_builder *b, const char *place, const yaml_node_t *node, const char *what) {
    const tree_place at = {NULL, place, 0};
    return tree_complain(&b->from->tree, &at, node, "%s", what);
}

/* Adds a tie. If no length was given, it is the distance of the two particles, in a periodic boundary that of their nearest images. */
static bool add_tie(tie_list *ties, size_t a, size_t b, double k) {
    const population *const of = ties->b->built;
    if (ties->count == ties->room) {
        const size_t room = 2 * ties->room + 64;
        tie *const more = realloc(ties->list, room * sizeof *more);
        if (!more) {
            return complain(ties->b, ties->from->place, ties->from->node, "no memory for its springs or rods, expected fewer");
        }
        ties->list = more, ties->room = room;
    }
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const kdr_boundary *const edge = &ties->b->from->boundary;
        const double width =
            edge->kind == KDR_BOUNDARY_PERIODIC && edge->min[axis] < edge->max[axis] ? edge->max[axis] - edge->min[axis] : 0;
        const double d = population_get(of, of->particles.x[axis], b) - population_get(of, of->particles.x[axis], a);
        const double nearest = d > width / 2 ? d - width : d < -width / 2 ? d + width : d;
        square += nearest * nearest;
    }
    const double length = isnan(ties->from->length) ? sqrt(square) : ties->from->length;
    ties->list[ties->count++] = (tie){.a = (uint32_t)a, .b = (uint32_t)b, .k = k, .length = length};
    return true;
}

static bool read_end(population_builder *b, const tree_place *place, const yaml_node_t *pair, size_t end, uint64_t *particle) {
    const tree_place here = {place, NULL, end};
    yaml_node_t *const node = tree_element(&b->from->tree, pair, end);
    const size_t count = b->built->particles.count;
    if (!tree_scalar(&b->from->tree, &here, node, &VALUE_COUNT, particle)) {
        return false;
    }
    return (*particle < count && *particle <= KDR_MAX_INDEX) ||
           tree_complain(&b->from->tree, &here, node, "expected a particle by index, below %zu, found %s", count,
                         (const char *)node->data.scalar.value);
}

static bool tie_listed(tie_list *ties, double k) {
    yaml_tree *const tree = &ties->b->from->tree;
    const tree_place top = {NULL, ties->from->place, 0}, list = {&top, "between", 0};
    size_t length, ends;
    if (!tree_list(tree, &list, ties->from->between, "a list of pairs of particles", &length)) {
        return false;
    }
    for (size_t n = 0; n < length; ++n) {
        const tree_place here = {&list, NULL, n};
        const yaml_node_t *const pair = tree_element(tree, ties->from->between, n);
        uint64_t particle[2];
        if (!tree_list(tree, &here, pair, "two particles [a, b]", &ends)) {
            return false;
        }
        if (ends != 2) {
            return tree_expected(tree, &here, pair, "two particles [a, b]");
        }
        if (!read_end(ties->b, &here, pair, 0, &particle[0]) || !read_end(ties->b, &here, pair, 1, &particle[1])) {
            return false;
        }
        if (particle[0] == particle[1]) {
            return tree_complain(tree, &here, pair, "expected two particles, found %zu twice", (size_t)particle[0]);
        }
        if (!add_tie(ties, (size_t)particle[0], (size_t)particle[1], k)) {
            return false;
        }
    }
    return true;
}

/* Ties each point of the grid to the point at the offset `away`. */
static bool tie_along(tie_list *ties, const int away[GRID_AXES], double k) {
    const uint64_t *const size = ties->from->grid.size;
    int64_t at[GRID_AXES];
    const uint64_t all = size[0] * size[1] * size[2];
    for (uint64_t n = 0; n < all; ++n) {
        uint64_t rest = n, other = 0, stride = 1;
        bool inside = true;
        for (int axis = 0; axis < GRID_AXES; ++axis) {
            at[axis] = (int64_t)(rest % size[axis]) + away[axis];
            rest /= size[axis];
            inside = inside && at[axis] >= 0 && (uint64_t)at[axis] < size[axis];
            other += inside ? (uint64_t)at[axis] * stride : 0;
            stride *= size[axis];
        }
        if (inside && !add_tie(ties, (size_t)(ties->from->first + n), (size_t)(ties->from->first + other), k)) {
            return false;
        }
    }
    return true;
}

/* Ties the points of a grid: to their next neighbours; with `diagonal`, across the faces of its cells; with `bend`, to the neighbours' next
 * neighbours. */
static bool tie_grid(tie_list *ties, double k, double diagonal, double bend) {
    static const int next[][GRID_AXES] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int across[][GRID_AXES] = {{1, 1, 0}, {-1, 1, 0}, {1, 0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, 1}};
    static const int beyond[][GRID_AXES] = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
    const struct {
        const int (*away)[GRID_AXES];
        size_t count;
        double k;
        bool wanted;
    } kinds[] = {
        {next, COUNT_OF(next), k, true}, {across, COUNT_OF(across), diagonal, diagonal != 0}, {beyond, COUNT_OF(beyond), bend, bend != 0}};
    const uint64_t *const size = ties->from->grid.size;
    const uint64_t all = size[0] * size[1] * size[2], count = ties->b->built->particles.count;
    if (ties->from->first > count || all > count - ties->from->first) {
        const tree_place place = {NULL, ties->from->place, 0};
        return tree_complain(&ties->b->from->tree, &place, ties->from->node,
                             "expected a grid within the %zu particles, found one of %zu from particle %zu on", (size_t)count, (size_t)all,
                             (size_t)ties->from->first);
    }
    for (size_t kind = 0; kind < COUNT_OF(kinds); ++kind) {
        for (size_t n = 0; n < kinds[kind].count && kinds[kind].wanted; ++n) {
            if (!tie_along(ties, kinds[kind].away[n], kinds[kind].k)) {
                return false;
            }
        }
    }
    return true;
}

static bool tie_all(tie_list *ties, double k, double diagonal, double bend) {
    return ties->from->between ? tie_listed(ties, k) : tie_grid(ties, k, diagonal, bend);
}

static bool make_net(population_builder *b, const scene_interaction *given, kdr_interaction *force) {
    tie_list ties = {.b = b, .from = &given->ties};
    const bool good = tie_all(&ties, given->k, given->diagonal, given->bend);
    kdr_pair_spring *const springs = good ? population_lend(b, ties.count, sizeof *springs) : NULL;
    if (good && !springs) {
        complain(b, given->place, given->node, "no memory for its springs, expected fewer");
    }
    for (size_t n = 0; springs && n < ties.count; ++n) {
        const tie *const t = &ties.list[n];
        springs[n] = (kdr_pair_spring){.a = t->a, .b = t->b, .k = t->k, .length = t->length, .damping = given->damping};
    }
    free(ties.list);
    *force = kdr_interaction_spring_network(springs, springs ? ties.count : 0);
    return springs != NULL;
}

/* Returns in *mu the parameter of source i: one number for all, or g times its mass. */
static bool mu_of(population_builder *b, const scene_interaction *given, size_t i, double *mu) {
    const tree_place place = {NULL, given->place, 0};
    const double mass = isnan(given->g) ? 1 : population_mass(b->built, i);
    *mu = isnan(given->g) ? given->mu : given->g * mass;
    if (isinf(mass)) {
        return tree_complain(&b->from->tree, &place, given->node,
                             "expected finite masses to multiply g by, and particle %zu is frozen: give mu", i);
    }
    return population_fits(b->from->real, *mu) ||
           tree_complain(&b->from->tree, &place, given->node, "expected g times each mass to fit %s, found %g for particle %zu",
                         kdr_real_name(b->built->particles.real), *mu, i);
}

static bool make_gravity(population_builder *b, const scene_interaction *given, kdr_interaction *force) {
    const size_t count = b->built->particles.count;
    const tree_place place = {NULL, given->place, 0};
    const size_t sources = given->sources == UINT64_MAX ? count : (size_t)given->sources;
    void *mu[3] = {NULL}, *lengths[3] = {NULL};
    if (sources > count) {
        return tree_complain(&b->from->tree, &place, given->node, "expected at most as many sources as particles, %zu, found %zu", count,
                             sources);
    }
    if (given->mu_each.source != EACH_NONE) {
        if (!population_bind(b, &given->mu_each, mu)) {
            return false;
        }
    } else if (!(mu[0] = population_lend(b, count, kdr_real_size(b->built->particles.real)))) {
        return complain(b, given->place, given->node, "no memory for one number per particle, expected fewer");
    }
    for (size_t i = 0; i < sources && given->mu_each.source == EACH_NONE; ++i) {
        double value;
        if (!mu_of(b, given, i, &value)) {
            return false;
        }
        population_store(b->built->particles.real, mu[0], i, value);
    }
    *force = kdr_interaction_gravity(mu[0], sources, given->softening);
    if (given->softening_each.source != EACH_NONE && !population_bind(b, &given->softening_each, lengths)) {
        return false;
    }
    force->as.gravity.softening_each = lengths[0], force->as.gravity.softening_count = lengths[0] ? count : 0;
    return true;
}

static bool make_rods(population_builder *b) {
    const scene_distances *const given = &b->from->distances;
    population *const built = b->built;
    for (size_t k = 0; k < given->count; ++k) {
        const scene_ties *const rods = &given->rods[k];
        tie_list ties = {.b = b, .from = rods};
        bool good = tie_all(&ties, 0, 0, 0);
        kdr_distance *const more = realloc(built->distances, (built->distance_count + ties.count + 1) * sizeof *more);
        good = good && (more || complain(b, rods->place, rods->node, "no memory for its rods, expected fewer"));
        built->distances = more ? more : built->distances;
        for (size_t n = 0; good && n < ties.count; ++n) {
            const tie *const t = &ties.list[n];
            built->distances[built->distance_count++] = (kdr_distance){.a = t->a, .b = t->b, .length = t->length};
        }
        free(ties.list);
        if (!good) {
            return false;
        }
    }
    return true;
}

bool population_couple(population_builder *b) {
    static bool (*const make[KDR_INTERACTION_KIND_COUNT])(population_builder *, const scene_interaction *, kdr_interaction *) = {
        [KDR_GRAVITY] = make_gravity, [KDR_SPRING_NETWORK] = make_net};
    const scene *const from = b->from;
    b->built->interactions = calloc(from->interaction_count + 1, sizeof *b->built->interactions);
    if (!b->built->interactions) {
        return tree_complain(&b->from->tree, NULL, from->particles, "no memory for the interactions, expected fewer");
    }
    for (size_t i = 0; i < from->interaction_count; ++i) {
        ++b->built->interaction_count;
        if (!make[from->interactions[i].kind](b, &from->interactions[i], &b->built->interactions[i])) {
            return false;
        }
    }
    return make_rods(b);
}
