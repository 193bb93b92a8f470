/* Digests of descriptions that are valid outside this process: hashes of names and little-endian numbers, never of enumerators,
 * addresses or structs. */
#include "digest.h"

#include <string.h>

#include "../force/custom.h"
#include "../force/grid.h"
#include "../particles/layout.h"

void kdr_digest_word(kdr_digest *digest, uint64_t word, size_t size) {
    unsigned char bytes[8];
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = (unsigned char)(word >> 8 * i);
    }
    (void)XXH3_64bits_update(&digest->state, bytes, size); /* fails only if the buffer is NULL */
}

void kdr_digest_name(kdr_digest *digest, const char *name) {
    const size_t length = strlen(name);
    kdr_digest_word(digest, length, 8);
    (void)XXH3_64bits_update(&digest->state, name, length);
}

static void put_elements(kdr_digest *digest, const void *numbers, const kdr_layout *layout, size_t size, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        uint32_t half;
        uint64_t whole;
        const void *const at = (const char *)numbers + kdr_offset(layout, size, i);
        if (size == sizeof half) {
            memcpy(&half, at, sizeof half);
            kdr_digest_word(digest, half, sizeof half);
        } else {
            memcpy(&whole, at, sizeof whole);
            kdr_digest_word(digest, whole, sizeof whole);
        }
    }
}

/* Adds `count` and then that many numbers of 4 or 8 bytes, in any layout. */
void kdr_digest_numbers(kdr_digest *digest, const void *numbers, const kdr_layout *layout, size_t size, size_t count) {
    kdr_digest_word(digest, count, 8);
    put_elements(digest, numbers, layout, size, count);
}

void kdr_digest_doubles(kdr_digest *digest, const double *numbers, size_t count) {
    static const kdr_layout plain = {0, 0, 0, 0};
    kdr_digest_numbers(digest, numbers, &plain, sizeof *numbers, count);
}

static void put_method(kdr_digest *digest, const kdr_problem *p) {
    const kdr_composition_info *const composition = kdr_composition_get(p->composition);
    kdr_digest_name(digest, p->row->info.name);
    if (p->row == &p->caller.row) {
        const kdr_runge_kutta_row *const tableau = &p->caller.runge_kutta;
        const kdr_splitting_row *const fractions = &p->caller.splitting;
        for (int i = 0; i < tableau->stages; ++i) {
            kdr_digest_doubles(digest, tableau->a[i], (size_t)tableau->stages);
        }
        kdr_digest_doubles(digest, tableau->c, (size_t)tableau->stages);
        kdr_digest_doubles(digest, tableau->ratio, (size_t)tableau->stages);
        kdr_digest_doubles(digest, &tableau->scale, 1);
        kdr_digest_doubles(digest, fractions->kick, (size_t)fractions->stages);
        kdr_digest_doubles(digest, fractions->drift, (size_t)fractions->stages);
    }
    kdr_digest_name(digest, composition ? composition->name : "own");
    kdr_digest_doubles(digest, p->substepping.fraction, (size_t)p->substepping.count);
}

/* Adds a grid's shape, and its numbers in the order of its nodes, in any layout. */
static void put_grid(kdr_digest *digest, const kdr_grid *grid, kdr_real real) {
    int node[3] = {0, 0, 0}, count[3] = {1, 1, 1};
    for (int axis = 0; axis < grid->dims; ++axis) {
        count[axis] = grid->nodes[axis];
        kdr_digest_word(digest, (uint64_t)grid->nodes[axis], 8);
        kdr_digest_name(digest, kdr_edge_name(grid->edge[axis]));
    }
    kdr_digest_doubles(digest, grid->origin, 3);
    kdr_digest_doubles(digest, grid->spacing, 3);
    for (node[2] = 0; node[2] < count[2]; ++node[2]) {
        for (node[1] = 0; node[1] < count[1]; ++node[1]) {
            for (node[0] = 0; node[0] < count[0]; ++node[0]) {
                for (int c = 0; c < grid->components; ++c) {
                    const double number = kdr_grid_number(grid, real, c, node);
                    kdr_digest_doubles(digest, &number, 1);
                }
            }
        }
    }
}

static void put_forces(kdr_digest *digest, const kdr_problem *p, const kdr_force *forces, size_t force_count) {
    const kdr_field *const field = &p->field;
    for (size_t i = 0; i < force_count; ++i) {
        const double *values;
        size_t count;
        kdr_digest_name(digest, kdr_force_kind_name(forces[i].kind));
        kdr_digest_name(digest, kdr_contribution_name(forces[i].contribution));
        for (int n = 0; (count = kdr_force_parameter(&forces[i], n, &values)) > 0; ++n) {
            kdr_digest_doubles(digest, values, count);
        }
    }
    for (int i = 0; i < field->custom_entries; ++i) {
        const kdr_custom_field_entry *const entry = &field->custom_entry[i];
        kdr_digest_name(digest, entry->field->name);
        kdr_digest_doubles(digest, entry->parameter, (size_t)entry->field->parameter_count);
        if (entry->grid.dims > 0) {
            put_grid(digest, &entry->grid, p->real);
        }
    }
}

/* A watch that stops particles changes bits, and others do not. A function is known by being one. */
static void put_stops(kdr_digest *digest, const kdr_problem *p) {
    static const struct {
        const char *name;
        size_t at, normal, distance; /* how many numbers of each count */
    } kinds[KDR_WATCH_KIND_COUNT] = {[KDR_WATCH_FUNCTION] = {"function", 0, 0, 0},
                                     [KDR_WATCH_APSIS] = {"apsis", 3, 0, 0},
                                     [KDR_WATCH_PLANE] = {"plane", 3, 3, 0},
                                     [KDR_WATCH_DISTANCE] = {"distance", 3, 0, 1}};
    static const char *const crossings[KDR_CROSSING_COUNT] = {"any", "rising", "falling"};
    for (size_t i = 0; i < p->watch_count; ++i) {
        const kdr_watch *const watch = &p->watches[i];
        if (watch->action == KDR_ACTION_STOP_PARTICLE) {
            kdr_digest_name(digest, "stop");
            kdr_digest_name(digest, kinds[watch->kind].name);
            kdr_digest_name(digest, crossings[watch->crossing]);
            kdr_digest_doubles(digest, watch->at, kinds[watch->kind].at);
            kdr_digest_doubles(digest, watch->normal, kinds[watch->kind].normal);
            kdr_digest_doubles(digest, &watch->distance, kinds[watch->kind].distance);
        }
    }
}

void kdr_digest_walls(kdr_digest *digest, const kdr_problem *p) {
    /* The parameters in the union: how many consecutive numbers there are, and whether a flag follows. */
    static const struct {
        size_t numbers;
        bool flag;
        size_t offset;
    } shapes[KDR_COLLIDER_KIND_COUNT] = {[KDR_COLLIDER_PLANE] = {6, false, 0},
                                         [KDR_COLLIDER_SPHERE] = {4, true, offsetof(kdr_collider, as.sphere.inside)},
                                         [KDR_COLLIDER_BOX] = {6, true, offsetof(kdr_collider, as.box.inside)}};
    static const size_t kept[KDR_CONSTRAINT_KIND_COUNT] = {
        [KDR_CONSTRAINT_ROD] = 4, [KDR_CONSTRAINT_ROPE] = 4, [KDR_CONSTRAINT_PLANE] = 6, [KDR_CONSTRAINT_SPHERE] = 4};
    for (size_t i = 0; i < p->collider_count; ++i) {
        const kdr_collider *const wall = &p->colliders[i];
        kdr_digest_name(digest, kdr_collider_kind_name(wall->kind));
        kdr_digest_doubles(digest, &wall->restitution, 5);
        kdr_digest_doubles(digest, wall->velocity, 3);
        kdr_digest_doubles(digest, &wall->since, 1);
        kdr_digest_doubles(digest, (const double *)(const void *)&wall->as, shapes[wall->kind].numbers);
        kdr_digest_word(digest, shapes[wall->kind].flag && *(const bool *)((const char *)wall + shapes[wall->kind].offset), 1);
    }
    for (size_t i = 0; i < p->constraint_count; ++i) {
        kdr_digest_name(digest, kdr_constraint_kind_name(p->constraints[i].kind));
        kdr_digest_doubles(digest, (const double *)(const void *)&p->constraints[i].as, kept[p->constraints[i].kind]);
    }
    kdr_digest_name(digest, kdr_boundary_kind_name(p->boundary.kind));
    if (p->boundary.kind != KDR_BOUNDARY_NONE) {
        kdr_digest_doubles(digest, p->boundary.min, 3);
        kdr_digest_doubles(digest, p->boundary.max, 3);
    }
    put_stops(digest, p);
}

void kdr_digest_begin(kdr_digest *digest, const kdr_problem *p, const kdr_force *forces, size_t force_count) {
    (void)XXH3_64bits_reset(&digest->state);
    put_method(digest, p);
    kdr_digest_name(digest, kdr_real_name(p->real));
    kdr_digest_name(digest, kdr_arithmetic_name(p->arithmetic));
    kdr_digest_word(digest, p->compensated, 1);
    if (p->flushes_small) {
        kdr_digest_name(digest, "flush_small_to_zero");
    }
    kdr_digest_doubles(digest, &p->langevin.friction, 1);
    kdr_digest_doubles(digest, &p->langevin.temperature, 1);
    kdr_digest_word(digest, p->langevin.seed, 8);
    if (p->speed_of_light != 0.0) {
        kdr_digest_name(digest, "speed_of_light");
        kdr_digest_doubles(digest, &p->speed_of_light, 1);
    }
    put_forces(digest, p, forces, force_count);
}

bool kdr_digest_array(kdr_digest *digest, const kdr_problem *p, int n, size_t begin, size_t all, size_t *taken) {
    const void *array;
    size_t count;
    kdr_layout layout;
    if (!kdr_field_array(&p->field, n, &array, &count, &layout)) {
        return false;
    }
    *taken = array ? count : 0;
    if (begin == 0) {
        kdr_digest_word(digest, array && all < SIZE_MAX ? all : *taken, 8);
    }
    put_elements(digest, array, &layout, kdr_real_size(p->real), *taken);
    return true;
}

void kdr_digest_problem(kdr_digest *digest, const kdr_problem *p, const kdr_force *forces, size_t force_count) {
    size_t taken;
    kdr_digest_begin(digest, p, forces, force_count);
    for (int n = 0; kdr_digest_array(digest, p, n, 0, SIZE_MAX, &taken);) {
        ++n;
    }
    kdr_digest_walls(digest, p);
}

uint64_t kdr_digest_end(const kdr_digest *digest) {
    const uint64_t value = XXH3_64bits_digest(&digest->state);
    return value ? value : 1;
}
