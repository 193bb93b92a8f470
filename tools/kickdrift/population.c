/* Builds the particles of a scene from any source, and binds the arrays that forces use. */
#include "host.h"
#include "key_set.h"
#include "population_builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void population_store(kdr_real real, void *array, size_t i, double value) {
    if (real == KDR_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

double population_get(const population *of, const void *array, size_t i) {
    return of->particles.real == KDR_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

uint64_t population_id(const population *of, size_t i) { return of->id ? of->id[i] : of->particles.first_id + i; }

bool population_ids_differ(const uint64_t *id, size_t count, size_t twice[2]) {
    key_set seen = {.keys = NULL};
    size_t i = 1;
    while (id && i < count && id[i - 1] < id[i]) {
        ++i;
    }
    bool is_new = true;
    for (size_t n = 0; id && i < count && n < count && is_new; ++n) {
        const size_t number = key_set_add(&seen, id[n], &is_new);
        if (number == 0) {
            break;
        }
        twice[0] = number - 1;
        twice[1] = n;
    }
    key_set_free(&seen);
    return is_new;
}

/* The inverse of the inverse mass may differ by a unit or two in the last place from the mass that was given, so a kept mass is
 * preferred. */
double population_mass(const population *of, size_t i) {
    const kdr_particles *const particles = &of->particles;
    if (of->mass) {
        return of->mass[i];
    }
    const double kept = particles->inverse_mass ? population_get(of, particles->inverse_mass, i) : 1;
    double below = 1 / kept, above = below, inverse;
    for (int n = 0; n < 4; ++n) {
        if (population_inverse((int)particles->real, below, &inverse) && inverse == kept) {
            return below;
        }
        if (population_inverse((int)particles->real, above, &inverse) && inverse == kept) {
            return above;
        }
        below = nextafter(below, 0);
        above = nextafter(above, (double)INFINITY);
    }
    return 1 / kept;
}

bool population_fits(int real, double value) { return real == KDR_F32 ? isfinite((float)value) : isfinite(value); }

bool population_inverse(int real, double mass, double *inverse) {
    *inverse = real == KDR_F32 ? (double)(float)(1 / mass) : 1 / mass;
    return isinf(mass) || (isfinite(*inverse) && *inverse > 0);
}

void population_put(kdr_particles *particles, size_t i, const double state[STATE_COLUMNS]) {
    for (int axis = 0; axis < 3; ++axis) {
        population_store(particles->real, particles->x[axis], i, state[axis]);
        population_store(particles->real, particles->v[axis], i, state[3 + axis]);
    }
}

void population_store_mass(population *of, size_t i, double mass, double inverse) {
    population_store(of->particles.real, of->particles.inverse_mass, i, inverse);
    if (of->mass) {
        of->mass[i] = mass;
    }
}

bool population_place(population_builder *b, const tree_place *place, const yaml_node_t *node, size_t i,
                      const double state[STATE_COLUMNS]) {
    kdr_particles *const particles = &b->built->particles;
    for (int k = 0; k < STATE_COLUMNS; ++k) {
        if (!population_fits((int)particles->real, state[k])) {
            return tree_complain(&b->from->tree, place, node, "expected numbers that fit %s, found %g for particle %zu",
                                 kdr_real_name(particles->real), state[k], (size_t)particles->first_id + i);
        }
    }
    population_put(particles, i, state);
    return true;
}

bool population_weigh(population_builder *b, const tree_place *place, const yaml_node_t *node, size_t i, double mass) {
    kdr_particles *const particles = &b->built->particles;
    double inverse;
    if (!population_inverse((int)particles->real, mass, &inverse)) {
        return tree_complain(&b->from->tree, place, node, "expected masses whose inverses fit %s, found %g for particle %zu",
                             kdr_real_name(particles->real), mass, (size_t)particles->first_id + i);
    }
    population_store_mass(b->built, i, mass, inverse);
    return true;
}

static bool is_implicit(const scene *from) {
    const kdr_method_info *const info = kdr_method_get((kdr_method)from->method.named);
    return info && info->family == KDR_IMPLICIT;
}

/* Returns false, with a complaint, if the particles need more memory than the machine has. The system itself would promise the memory, and
 * stop the program when it is touched. */
static bool fits_machine(population_builder *b, size_t count, bool masses, const tree_place *place, const yaml_node_t *node) {
    const double physical = host_memory();
    const int arrays = (b->from->compensated ? 16 : 10) + (b->from->collider_count > 0 ? 4 : 0) + (is_implicit(b->from) ? 1 : 0) +
                       (scene_is_system(b->from) ? 16 : 0) + (b->from->boundary.kind == KDR_BOUNDARY_PERIODIC ? 3 : 0) + (masses ? 1 : 0);
    /* x, v, memory, inverse mass, mass, compensation, energies, equations, workspace, images */
    const double needed = (double)count * (double)kdr_real_size((kdr_real)b->from->real) * arrays;
    if (needed <= physical || physical <= 0) {
        return true;
    }
    return tree_complain(&b->from->tree, place, node, "%zu particles need %.1f GiB, expected at most this machine's %.1f GiB", count,
                         needed * 0x1p-30, physical * 0x1p-30);
}

bool population_allocate(population_builder *b, size_t count, bool masses, const tree_place *place, const yaml_node_t *node) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    kdr_error error;
    const size_t first = b->first < count ? b->first : count, left = count - first;
    b->built->total = count;
    desc.count = b->described || left < b->most ? left : b->most;
    desc.real = (kdr_real)b->from->real;
    desc.inverse_mass = masses;
    desc.dissipated_energy = b->from->collider_count > 0;
    desc.nonconverged = is_implicit(b->from);
    desc.memory = true;
    desc.compensation = b->from->compensated != 0;
    if (b->described) {
        *b->described = desc;
        desc.count = 0;
    } else if (!fits_machine(b, desc.count, masses, place, node)) {
        return false;
    }
    if (kdr_particles_create(&desc, &b->built->particles, &error) == KDR_OK) {
        const bool counts = b->from->boundary.kind == KDR_BOUNDARY_PERIODIC && !b->described;
        b->built->particles.first_id = first;
        b->built->mass = masses && !b->described ? malloc((desc.count + 1) * sizeof *b->built->mass) : NULL;
        if (masses && !b->described && !b->built->mass) {
            return tree_complain(&b->from->tree, place, node, "no memory for the masses of %zu particles, expected fewer", count);
        }
        for (size_t i = 0; b->built->mass && i < desc.count; ++i) {
            b->built->mass[i] = 1;
        }
        return !counts || population_count_images(b->built, desc.count) ||
               tree_complain(&b->from->tree, place, node, "no memory for the image counts of %zu particles, expected fewer", count);
    }
    return tree_complain(&b->from->tree, place, node, "%zu particles: %s, expected fewer", count, error.message);
}

static bool each_complain(population_builder *b, const scene_each *each, const char *message) {
    const tree_place place = {NULL, each->place, 0};
    return tree_complain(&b->from->tree, &place, each->node, "%s", message);
}

/* Notes the columns that the forces name, for population_file.c to read. */
static bool note_columns(population_builder *b, const scene_each *each) {
    for (int axis = 0; each->source == EACH_COLUMNS && axis < each->axes; ++axis) {
        size_t i = 0;
        while (i < b->column_count && strcmp(b->columns[i].name, each->columns[axis]) != 0) {
            ++i;
        }
        if (i == MOST_FORCE_COLUMNS) {
            return each_complain(b, each, "expected at most 32 columns in all forces together");
        }
        if (i == b->column_count) {
            b->columns[b->column_count++].name = each->columns[axis];
        }
    }
    return true;
}

void *population_lend(population_builder *b, size_t count, size_t size) {
    population *built = b->built;
    void **more = realloc(built->lent, (built->lent_count + 1) * sizeof *more);
    if (!more) {
        return NULL;
    }
    built->lent = more;
    /* There is at least one element, so that an array of no particles is not NULL. */
    void *array = calloc(count + 1, size);
    if (array) {
        more[built->lent_count++] = array;
    }
    return array;
}

bool population_count_images(population *built, size_t count) {
    population_builder b = {.built = built};
    bool good = true;
    for (int axis = 0; good && axis < 3; ++axis) {
        built->particles.images[axis] = population_lend(&b, count, sizeof *built->particles.images[axis]);
        good = built->particles.images[axis];
    }
    return good;
}

static bool fill_from_list(population_builder *b, const scene_each *each, void *const arrays[3]) {
    const size_t count = b->built->particles.count;
    yaml_tree *tree = &b->from->tree;
    const tree_key scalar = {"each", tree_read_scalar, 0, &VALUE_NUMBER, NULL, false};
    const tree_key vector = {"each", tree_read_vector, 0, &VALUE_NUMBER, "three numbers [x, y, z]", false};
    const tree_key *element = each->axes == 1 ? &scalar : &vector;
    const tree_place top = {NULL, each->place, 0}, list = {&top, "each", 0};
    size_t length;
    if (!tree_list(tree, &list, each->node, "a list, one element per particle", &length)) {
        return false;
    }
    if (length != b->built->total) {
        return tree_complain(tree, &list, each->node, "expected %zu elements, one per particle, found %zu", b->built->total, length);
    }
    for (size_t i = 0; i < count; ++i) {
        const size_t number = (size_t)b->built->particles.first_id + i;
        const tree_place here = {&list, NULL, number};
        yaml_node_t *node = tree_element(tree, each->node, number);
        double value[3];
        if (!element->read(tree, &here, node, element, value)) {
            return false;
        }
        for (int axis = 0; axis < each->axes; ++axis) {
            if (!population_fits(b->from->real, value[axis])) {
                return tree_complain(tree, &here, node, "expected a number that fits f32, found %g", value[axis]);
            }
            population_store(b->built->particles.real, arrays[axis], i, value[axis]);
        }
    }
    return true;
}

static bool fill_from_columns(population_builder *b, const scene_each *each, void *const arrays[3]) {
    if (!b->from_file) {
        return each_complain(b, each, "expected particles from a file: other sources have no columns");
    }
    for (int axis = 0; axis < each->axes; ++axis) {
        size_t column = 0; /* note_columns has added the column */
        while (strcmp(b->columns[column].name, each->columns[axis]) != 0) {
            ++column;
        }
        const double *values = b->columns[column].values;
        for (size_t i = 0; i < b->built->particles.count; ++i) {
            population_store(b->built->particles.real, arrays[axis], i, values[i]);
        }
    }
    return true;
}

static bool fill_from_start(population_builder *b, const scene_each *each, void *const arrays[3]) {
    const kdr_particles *particles = &b->built->particles;
    for (int axis = 0; axis < each->axes && particles->count; ++axis) {
        memcpy(arrays[axis], particles->x[axis], particles->count * kdr_real_size(particles->real));
    }
    return true;
}

bool population_bind(population_builder *b, const scene_each *each, void *arrays[3]) {
    static bool (*const fill[])(population_builder *, const scene_each *, void *const[3]) = {
        [EACH_LIST] = fill_from_list, [EACH_COLUMNS] = fill_from_columns, [EACH_START] = fill_from_start};
    for (int axis = 0; axis < each->axes; ++axis) {
        if (!(arrays[axis] = population_lend(b, b->built->particles.count, kdr_real_size(b->built->particles.real)))) {
            return each_complain(b, each, "no memory for one array per particle, expected fewer");
        }
    }
    return fill[each->source](b, each, arrays);
}

static bool bind_parameters(population_builder *b, const scene_force *given, kdr_force *force) {
    for (int k = 0; k < KDR_MAX_PARAMETERS; ++k) {
        const scene_each *const each = &given->parameter[k];
        void *array[3] = {NULL};
        if (each->source != EACH_NONE && !population_bind(b, each, array)) {
            return false;
        }
        for (int axis = 0; each->source != EACH_NONE && axis < each->axes; ++axis) {
            force->as.custom.each[k + axis] = array[axis];
        }
    }
    force->as.custom.count = b->built->particles.count;
    force->as.custom.grid = given->grid.grid[b->built->particles.real].dims > 0 ? &given->grid.grid[b->built->particles.real] : NULL;
    return true;
}

/* Binds the levels: a particle of level n takes 2^n steps in one step of the scene. */
static bool bind_levels(population_builder *b) {
    const scene_each *const each = &b->from->levels;
    kdr_particles *const p = &b->built->particles;
    void *numbers[3];
    if (each->source == EACH_NONE) {
        return true;
    }
    if (b->from->stream_file) {
        return each_complain(b, each, "expected none: the particles are in a stream");
    }
    if (!population_bind(b, each, numbers)) {
        return false;
    }
    uint8_t *const levels = population_lend(b, p->count, sizeof *levels);
    b->built->same_level = population_lend(b, p->count, sizeof *levels);
    if (!levels || !b->built->same_level) {
        return each_complain(b, each, "no memory for one level per particle, expected fewer");
    }
    for (size_t i = 0; i < p->count; ++i) {
        const double level = population_get(b->built, numbers[0], i);
        if (!(level >= 0 && level <= KDR_MAX_LEVEL && level == floor(level))) {
            const tree_place place = {NULL, each->place, 0};
            return tree_complain(&b->from->tree, &place, each->node, "expected whole numbers from 0 to %d, found %g for particle %zu",
                                 KDR_MAX_LEVEL, level, (size_t)p->first_id + i);
        }
        levels[i] = (uint8_t)level;
    }
    p->level = levels;
    p->level_count = p->count;
    return true;
}

/* Binds the radii that colliders use. */
static bool bind_radii(population_builder *b) {
    const scene_each *const each = &b->from->radii;
    kdr_particles *const p = &b->built->particles;
    const bool is_list = each->source != EACH_NONE;
    void *array[3] = {NULL};
    if (!is_list && b->from->radius == 0) {
        return true;
    }
    if (b->from->stream_file) {
        const tree_place place = {NULL, "radius", 0};
        return tree_complain(&b->from->tree, &place, NULL, "expected none: the particles are in a stream");
    }
    if (is_list && !population_bind(b, each, array)) {
        return false;
    }
    array[0] = is_list ? array[0] : population_lend(b, p->count, kdr_real_size(p->real));
    for (size_t i = 0; !is_list && array[0] && i < p->count; ++i) {
        population_store(p->real, array[0], i, b->from->radius);
    }
    p->radius = array[0];
    return array[0] || each_complain(b, each, "no memory for one radius per particle, expected fewer");
}

/* Refuses arrays with one value per particle in the forces of a streamed scene. */
static bool check_streamed(population_builder *b, const scene_force *given) {
    const scene_each *each = given->scalar.source != EACH_NONE ? &given->scalar : &given->vector;
    for (int k = 0; each->source == EACH_NONE && k < KDR_MAX_PARAMETERS; ++k) {
        each = &given->parameter[k];
    }
    return each->source == EACH_NONE || each_complain(b, each, "expected the same for all particles: they are in a stream");
}

static bool bind_force(population_builder *b, const scene_force *given, kdr_force *force) {
    void *scalar[3] = {NULL}, *vector[3] = {NULL};
    *force = given->force;
    if (b->described && (!b->from->stream_file || !check_streamed(b, given))) {
        return !b->from->stream_file;
    }
    if (given->scalar.source != EACH_NONE && !population_bind(b, &given->scalar, scalar)) {
        return false;
    }
    if (given->vector.source != EACH_NONE && !population_bind(b, &given->vector, vector)) {
        return false;
    }
    if (force->kind == KDR_SPRING) {
        force->as.spring.k_each = scalar[0];
        for (int axis = 0; axis < 3; ++axis) {
            force->as.spring.at_each[axis] = vector[axis];
        }
        force->as.spring.count = b->built->particles.count;
    } else if (force->kind == KDR_DRAG) {
        force->as.drag.b_each = scalar[0];
        force->as.drag.count = b->built->particles.count;
    } else if (force->kind == KDR_CUSTOM_FIELD) {
        return bind_parameters(b, given, force);
    }
    return true;
}

/* The sources that a streamed scene may have, which can make any slice of their particles. */
static const tree_key streamed_sources[] = {{"random", population_from_random, 0, NULL, NULL, false},
                                            {"file", population_from_file, 0, &VALUE_TEXT, NULL, false}};

/* Refuses two particles with the same id, because noise and events are assigned by id. */
static bool check_ids(population_builder *b, const tree_place *place) {
    size_t twice[2] = {0, 0};
    return population_ids_differ(b->built->id, b->built->particles.count, twice) ||
           tree_complain(
               &b->from->tree, place, b->from->particles, "particles %zu and %zu both have id %" PRIu64 ", expected ids that differ",
               (size_t)b->built->particles.first_id + twice[0], (size_t)b->built->particles.first_id + twice[1], b->built->id[twice[0]]);
}

static bool build(population_builder *b) {
    static const tree_key sources[] = {
        {"file", population_from_file, 0, &VALUE_TEXT, NULL, false},
        {"state", population_from_state, 0, NULL, "a list of states {x: [x, y, z], v: [x, y, z], mass: 1}", false},
        {"random", population_from_random, 0, NULL, NULL, false},
        {"grid", population_from_grid, 0, NULL, NULL, false},
        {"plummer", population_from_plummer, 0, NULL, NULL, false},
    };
    scene *from = b->from;
    const tree_place place = {NULL, "particles", 0};
    if (!note_columns(b, &from->levels) || !note_columns(b, &from->radii)) {
        return false;
    }
    for (size_t i = 0; i < from->interaction_count; ++i) {
        if (!note_columns(b, &from->interactions[i].mu_each) || !note_columns(b, &from->interactions[i].softening_each)) {
            return false;
        }
    }
    for (size_t i = 0; i < from->force_count; ++i) {
        if (!note_columns(b, &from->forces[i].scalar) || !note_columns(b, &from->forces[i].vector)) {
            return false;
        }
        for (int k = 0; k < KDR_MAX_PARAMETERS; ++k) {
            if (!note_columns(b, &from->forces[i].parameter[k])) {
                return false;
            }
        }
    }
    if (!(from->stream_file ? tree_choice(&from->tree, &place, from->particles, streamed_sources, COUNT_OF(streamed_sources), b, NULL)
                            : tree_choice(&from->tree, &place, from->particles, sources, COUNT_OF(sources), b, NULL)) ||
        !check_ids(b, &place)) {
        return false;
    }
    b->built->forces = calloc(from->force_count + 1, sizeof *b->built->forces);
    if (!b->built->forces) {
        return tree_complain(&from->tree, NULL, from->particles, "no memory for the forces, expected fewer");
    }
    for (size_t i = 0; i < from->force_count; ++i) {
        if (!bind_force(b, &from->forces[i], &b->built->forces[i])) {
            return false;
        }
    }
    return bind_levels(b) && bind_radii(b) && population_couple(b) && (b->described || population_hold(from, b->built));
}

static bool build_all(scene *from, size_t first, size_t most, population *built, kdr_particles_desc *described) {
    population_builder b = {.from = from, .built = built, .described = described, .first = first, .most = most};
    *built = (population){.particles = kdr_particles_default()};
    const bool done = build(&b);
    built->particles.id = built->id; /* noise is a function of the id, whatever the row of the particle */
    for (size_t i = 0; i < b.column_count; ++i) {
        free(b.columns[i].values);
    }
    return done;
}

bool population_build(scene *from, size_t first, size_t most, population *built) { return build_all(from, first, most, built, NULL); }

bool population_describe(scene *from, population *built, kdr_particles_desc *described) { return build_all(from, 0, 0, built, described); }

bool population_fill(scene *from, kdr_particles *slice) {
    const tree_place place = {NULL, "particles", 0};
    population of = {.particles = *slice};
    population_builder b = {.from = from, .built = &of, .is_slice = true};
    return tree_choice(&from->tree, &place, from->particles, streamed_sources, COUNT_OF(streamed_sources), &b, NULL) &&
           population_hold(from, &of);
}

void population_release(population *built) {
    kdr_particles_destroy(&built->particles);
    free(built->interactions);
    free(built->distances);
    for (size_t i = 0; i < built->lent_count; ++i) {
        free(built->lent[i]);
    }
    free(built->lent);
    free(built->forces);
    free(built->id);
    free(built->mass);
}
