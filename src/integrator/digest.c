/* What a description is known by outside this process: a digest of names and numbers, written out little-endian, never of enumerators,
 * addresses or structs. */
#include "integrator.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

#include "../force/custom.h"
#include "../force/grid.h"
#include "../particles/layout.h"

static void put_word(XXH3_state_t *state, uint64_t word, size_t size) {
    unsigned char bytes[8];
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = (unsigned char)(word >> 8 * i);
    }
    (void)XXH3_64bits_update(state, bytes, size); /* fails for a NULL buffer alone */
}

static void put_name(XXH3_state_t *state, const char *name) {
    const size_t length = strlen(name);
    put_word(state, length, 8);
    (void)XXH3_64bits_update(state, name, length);
}

/* Numbers of 4 or 8 bytes, wherever they lie, as many as there are before them. */
static void put_numbers(XXH3_state_t *state, const void *numbers, const kdr_layout *layout, size_t size, size_t count) {
    put_word(state, count, 8);
    for (size_t i = 0; i < count; ++i) {
        uint32_t half;
        uint64_t whole;
        const void *const at = (const char *)numbers + kdr_offset(layout, size, i);
        if (size == sizeof half) {
            memcpy(&half, at, sizeof half);
            put_word(state, half, sizeof half);
        } else {
            memcpy(&whole, at, sizeof whole);
            put_word(state, whole, sizeof whole);
        }
    }
}

static void put_doubles(XXH3_state_t *state, const double *numbers, size_t count) {
    static const kdr_layout plain = {0, 0, 0, 0};
    put_numbers(state, numbers, &plain, sizeof *numbers, count);
}

static void put_method(XXH3_state_t *state, const kdr_problem *p) {
    const kdr_composition_info *const composition = kdr_composition_get(p->composition);
    put_name(state, p->row->info.name);
    if (p->row == &p->caller.row) {
        const kdr_runge_kutta_row *const tableau = &p->caller.runge_kutta;
        const kdr_splitting_row *const fractions = &p->caller.splitting;
        for (int i = 0; i < tableau->stages; ++i) {
            put_doubles(state, tableau->a[i], (size_t)tableau->stages);
        }
        put_doubles(state, tableau->c, (size_t)tableau->stages);
        put_doubles(state, tableau->ratio, (size_t)tableau->stages);
        put_doubles(state, &tableau->scale, 1);
        put_doubles(state, fractions->kick, (size_t)fractions->stages);
        put_doubles(state, fractions->drift, (size_t)fractions->stages);
    }
    put_name(state, composition ? composition->name : "own");
    put_doubles(state, p->substepping.fraction, (size_t)p->substepping.count);
}

/* Its shape, and its numbers in the order of their nodes, wherever they lie. */
static void put_grid(XXH3_state_t *state, const kdr_grid *grid, kdr_real real) {
    int node[3] = {0, 0, 0}, count[3] = {1, 1, 1};
    for (int axis = 0; axis < grid->dims; ++axis) {
        count[axis] = grid->nodes[axis];
        put_word(state, (uint64_t)grid->nodes[axis], 8);
        put_name(state, kdr_edge_name(grid->edge[axis]));
    }
    put_doubles(state, grid->origin, 3);
    put_doubles(state, grid->spacing, 3);
    for (node[2] = 0; node[2] < count[2]; ++node[2]) {
        for (node[1] = 0; node[1] < count[1]; ++node[1]) {
            for (node[0] = 0; node[0] < count[0]; ++node[0]) {
                for (int c = 0; c < grid->components; ++c) {
                    const double number = kdr_grid_number(grid, real, c, node);
                    put_doubles(state, &number, 1);
                }
            }
        }
    }
}

static void put_forces(XXH3_state_t *state, const kdr_setup *of) {
    const kdr_field *const field = &of->problem.field;
    for (size_t i = 0; i < of->desc.force_count; ++i) {
        const double *values;
        size_t count;
        put_name(state, kdr_force_kind_name(of->forces[i].kind));
        put_name(state, kdr_contribution_name(of->forces[i].contribution));
        for (int p = 0; (count = kdr_force_parameter(&of->forces[i], p, &values)) > 0; ++p) {
            put_doubles(state, values, count);
        }
    }
    for (int i = 0; i < field->custom_entries; ++i) {
        const kdr_custom_field_entry *const entry = &field->custom_entry[i];
        put_name(state, entry->field->name);
        put_doubles(state, entry->parameter, (size_t)entry->field->parameter_count);
        if (entry->grid.dims > 0) {
            put_grid(state, &entry->grid, of->desc.real);
        }
    }
    const void *array;
    size_t count;
    kdr_layout layout;
    for (int n = 0; kdr_field_array(field, n, &array, &count, &layout); ++n) {
        put_numbers(state, array, &layout, kdr_real_size(of->desc.real), array ? count : 0);
    }
}

static void put_walls(XXH3_state_t *state, const kdr_setup *of) {
    /* Numbers that follow each other in the union, and a flag behind them. */
    static const struct {
        size_t numbers;
        bool flag;
        size_t offset;
    } shapes[KDR_COLLIDER_KIND_COUNT] = {[KDR_COLLIDER_PLANE] = {6, false, 0},
                                         [KDR_COLLIDER_SPHERE] = {4, true, offsetof(kdr_collider, as.sphere.inside)},
                                         [KDR_COLLIDER_BOX] = {6, true, offsetof(kdr_collider, as.box.inside)}};
    static const size_t kept[KDR_CONSTRAINT_KIND_COUNT] = {
        [KDR_CONSTRAINT_ROD] = 4, [KDR_CONSTRAINT_ROPE] = 4, [KDR_CONSTRAINT_PLANE] = 6, [KDR_CONSTRAINT_SPHERE] = 4};
    for (size_t i = 0; i < of->desc.collider_count; ++i) {
        const kdr_collider *const wall = &of->desc.colliders[i];
        put_name(state, kdr_collider_kind_name(wall->kind));
        put_doubles(state, &wall->restitution, 5);
        put_doubles(state, (const double *)(const void *)&wall->as, shapes[wall->kind].numbers);
        put_word(state, shapes[wall->kind].flag && *(const bool *)((const char *)wall + shapes[wall->kind].offset), 1);
    }
    for (size_t i = 0; i < of->desc.constraint_count; ++i) {
        put_name(state, kdr_constraint_kind_name(of->desc.constraints[i].kind));
        put_doubles(state, (const double *)(const void *)&of->desc.constraints[i].as, kept[of->desc.constraints[i].kind]);
    }
    put_name(state, kdr_boundary_kind_name(of->desc.boundary.kind));
    if (of->desc.boundary.kind != KDR_BOUNDARY_NONE) {
        put_doubles(state, of->desc.boundary.min, 3);
        put_doubles(state, of->desc.boundary.max, 3);
    }
}

uint64_t kdr_integrator_digest(const kdr_integrator *integrator) {
    if (!integrator) {
        return 0;
    }
    const kdr_integrator_desc *const desc = &integrator->setup->desc;
    XXH3_state_t state;
    (void)XXH3_64bits_reset(&state);
    put_method(&state, &integrator->setup->problem);
    put_name(&state, kdr_real_name(desc->real));
    put_name(&state, kdr_arithmetic_name(desc->arithmetic));
    put_word(&state, desc->compensated, 1);
    if (desc->rest_to_zero) {
        put_name(&state, "rest_to_zero");
    }
    put_doubles(&state, &desc->langevin.friction, 1);
    put_doubles(&state, &desc->langevin.temperature, 1);
    put_word(&state, desc->langevin.seed, 8);
    if (desc->speed_of_light != 0.0) {
        put_name(&state, "speed_of_light");
        put_doubles(&state, &desc->speed_of_light, 1);
    }
    put_forces(&state, integrator->setup);
    put_walls(&state, integrator->setup);
    const uint64_t digest = XXH3_64bits_digest(&state);
    return digest ? digest : 1;
}

uint64_t kdr_integrator_memory_key(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock) {
    return integrator && particles && clock ? kdr_problem_memory_key(&integrator->setup->problem, particles, clock) : 0;
}
