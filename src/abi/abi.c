/* The layout of the public structs, in one table, and a binding's rows held against it. tests/abi.sh holds the table against the headers, and
 * says which line is missing. */
#include <kickdrift/kickdrift.h>

#include <stdio.h>
#include <string.h>

#define WHOLE(structure)                                                                                                                   \
    { #structure, "", 0, sizeof(structure) }
#define MEMBER(structure, member)                                                                                                          \
    { #structure, #member, offsetof(structure, member), sizeof(((structure *)0)->member) }

static const kdr_abi_row table[] = {
    WHOLE(kdr_abi_row),
    MEMBER(kdr_abi_row, structure),
    MEMBER(kdr_abi_row, member),
    MEMBER(kdr_abi_row, offset),
    MEMBER(kdr_abi_row, size),
    WHOLE(kdr_backend_info),
    MEMBER(kdr_backend_info, name),
    MEMBER(kdr_backend_info, compiled),
    MEMBER(kdr_backend_info, runnable),
    MEMBER(kdr_backend_info, fused_native),
    MEMBER(kdr_backend_info, lanes_f32),
    MEMBER(kdr_backend_info, lanes_f64),
    MEMBER(kdr_backend_info, reason),
    WHOLE(kdr_cpu),
    MEMBER(kdr_cpu, name),
    MEMBER(kdr_cpu, sse2),
    MEMBER(kdr_cpu, avx),
    MEMBER(kdr_cpu, avx2),
    MEMBER(kdr_cpu, fma),
    MEMBER(kdr_cpu, avx512f),
    MEMBER(kdr_cpu, avx512dq),
    MEMBER(kdr_cpu, os_ymm),
    MEMBER(kdr_cpu, os_zmm),
    MEMBER(kdr_cpu, neon),
    WHOLE(kdr_boundary),
    MEMBER(kdr_boundary, kind),
    MEMBER(kdr_boundary, min),
    MEMBER(kdr_boundary, max),
    WHOLE(kdr_collider),
    MEMBER(kdr_collider, kind),
    MEMBER(kdr_collider, restitution),
    MEMBER(kdr_collider, friction),
    MEMBER(kdr_collider, friction_normal),
    MEMBER(kdr_collider, sliding),
    MEMBER(kdr_collider, static_friction),
    MEMBER(kdr_collider, as.plane.point),
    MEMBER(kdr_collider, as.plane.normal),
    MEMBER(kdr_collider, as.plane),
    MEMBER(kdr_collider, as.sphere.at),
    MEMBER(kdr_collider, as.sphere.radius),
    MEMBER(kdr_collider, as.sphere.inside),
    MEMBER(kdr_collider, as.sphere),
    MEMBER(kdr_collider, as.box.min),
    MEMBER(kdr_collider, as.box.max),
    MEMBER(kdr_collider, as.box.inside),
    MEMBER(kdr_collider, as.box),
    MEMBER(kdr_collider, as),
    WHOLE(kdr_constraint),
    MEMBER(kdr_constraint, kind),
    MEMBER(kdr_constraint, as.rod.to),
    MEMBER(kdr_constraint, as.rod.length),
    MEMBER(kdr_constraint, as.rod),
    MEMBER(kdr_constraint, as.rope.to),
    MEMBER(kdr_constraint, as.rope.length),
    MEMBER(kdr_constraint, as.rope),
    MEMBER(kdr_constraint, as.plane.point),
    MEMBER(kdr_constraint, as.plane.normal),
    MEMBER(kdr_constraint, as.plane),
    MEMBER(kdr_constraint, as.sphere.at),
    MEMBER(kdr_constraint, as.sphere.radius),
    MEMBER(kdr_constraint, as.sphere),
    MEMBER(kdr_constraint, as),
    WHOLE(kdr_how),
    MEMBER(kdr_how, arithmetic),
    MEMBER(kdr_how, backend),
    MEMBER(kdr_how, executor),
    MEMBER(kdr_how, kernels),
    WHOLE(kdr_coupled_desc),
    MEMBER(kdr_coupled_desc, method),
    MEMBER(kdr_coupled_desc, real),
    MEMBER(kdr_coupled_desc, arithmetic),
    MEMBER(kdr_coupled_desc, backend),
    MEMBER(kdr_coupled_desc, executor),
    MEMBER(kdr_coupled_desc, tableau),
    MEMBER(kdr_coupled_desc, fractions),
    MEMBER(kdr_coupled_desc, accelerations),
    MEMBER(kdr_coupled_desc, context),
    MEMBER(kdr_coupled_desc, rows),
    MEMBER(kdr_coupled_desc, levels),
    MEMBER(kdr_coupled_desc, forces),
    MEMBER(kdr_coupled_desc, force_count),
    MEMBER(kdr_coupled_desc, coupled),
    MEMBER(kdr_coupled_desc, coupled_count),
    MEMBER(kdr_coupled_desc, distances),
    MEMBER(kdr_coupled_desc, distance_count),
    MEMBER(kdr_coupled_desc, distance_tolerance),
    MEMBER(kdr_coupled_desc, distance_sweeps),
    MEMBER(kdr_coupled_desc, distance_relaxation),
    WHOLE(kdr_workspace),
    MEMBER(kdr_workspace, memory),
    MEMBER(kdr_workspace, size),
    MEMBER(kdr_workspace, allocator),
    WHOLE(kdr_distance),
    MEMBER(kdr_distance, a),
    MEMBER(kdr_distance, b),
    MEMBER(kdr_distance, length),
    WHOLE(kdr_distances_desc),
    MEMBER(kdr_distances_desc, distances),
    MEMBER(kdr_distances_desc, count),
    MEMBER(kdr_distances_desc, tolerance),
    MEMBER(kdr_distances_desc, sweeps),
    MEMBER(kdr_distances_desc, relaxation),
    MEMBER(kdr_distances_desc, real),
    MEMBER(kdr_distances_desc, arithmetic),
    MEMBER(kdr_distances_desc, backend),
    MEMBER(kdr_distances_desc, executor),
    WHOLE(kdr_executor),
    MEMBER(kdr_executor, context),
    MEMBER(kdr_executor, parallel_for),
    WHOLE(kdr_force),
    MEMBER(kdr_force, kind),
    MEMBER(kdr_force, as.uniform_acceleration.a),
    MEMBER(kdr_force, as.uniform_acceleration),
    MEMBER(kdr_force, as.uniform_force.f),
    MEMBER(kdr_force, as.uniform_force),
    MEMBER(kdr_force, as.spring.k),
    MEMBER(kdr_force, as.spring.at),
    MEMBER(kdr_force, as.spring.k_each),
    MEMBER(kdr_force, as.spring.at_each),
    MEMBER(kdr_force, as.spring.count),
    MEMBER(kdr_force, as.spring),
    MEMBER(kdr_force, as.drag.b),
    MEMBER(kdr_force, as.drag.wind),
    MEMBER(kdr_force, as.drag.b_each),
    MEMBER(kdr_force, as.drag.count),
    MEMBER(kdr_force, as.drag),
    MEMBER(kdr_force, as.quadratic_drag.c),
    MEMBER(kdr_force, as.quadratic_drag.wind),
    MEMBER(kdr_force, as.quadratic_drag),
    MEMBER(kdr_force, as.electromagnetic.charge),
    MEMBER(kdr_force, as.electromagnetic.e),
    MEMBER(kdr_force, as.electromagnetic.b),
    MEMBER(kdr_force, as.electromagnetic),
    MEMBER(kdr_force, as.centre.mu),
    MEMBER(kdr_force, as.centre.at),
    MEMBER(kdr_force, as.centre.softening),
    MEMBER(kdr_force, as.centre),
    MEMBER(kdr_force, as.driven.a),
    MEMBER(kdr_force, as.driven.omega),
    MEMBER(kdr_force, as.driven.phase),
    MEMBER(kdr_force, as.driven),
    MEMBER(kdr_force, as.fused.field),
    MEMBER(kdr_force, as.fused.parameter),
    MEMBER(kdr_force, as.fused.each),
    MEMBER(kdr_force, as.fused.count),
    MEMBER(kdr_force, as.fused),
    MEMBER(kdr_force, as),
    MEMBER(kdr_force, contribution),
    WHOLE(kdr_langevin),
    MEMBER(kdr_langevin, friction),
    MEMBER(kdr_langevin, temperature),
    MEMBER(kdr_langevin, seed),
    WHOLE(kdr_integrator_desc),
    MEMBER(kdr_integrator_desc, method),
    MEMBER(kdr_integrator_desc, real),
    MEMBER(kdr_integrator_desc, arithmetic),
    MEMBER(kdr_integrator_desc, backend),
    MEMBER(kdr_integrator_desc, executor),
    MEMBER(kdr_integrator_desc, forces),
    MEMBER(kdr_integrator_desc, force_count),
    MEMBER(kdr_integrator_desc, tableau),
    MEMBER(kdr_integrator_desc, fractions),
    MEMBER(kdr_integrator_desc, compensated),
    MEMBER(kdr_integrator_desc, langevin),
    MEMBER(kdr_integrator_desc, colliders),
    MEMBER(kdr_integrator_desc, collider_count),
    MEMBER(kdr_integrator_desc, constraints),
    MEMBER(kdr_integrator_desc, constraint_count),
    MEMBER(kdr_integrator_desc, boundary),
    MEMBER(kdr_integrator_desc, dt),
    WHOLE(kdr_clock),
    MEMBER(kdr_clock, t0),
    MEMBER(kdr_clock, dt),
    MEMBER(kdr_clock, step),
    WHOLE(kdr_family_info),
    MEMBER(kdr_family_info, name),
    MEMBER(kdr_family_info, coupled),
    MEMBER(kdr_family_info, runs_back),
    MEMBER(kdr_family_info, velocities),
    MEMBER(kdr_family_info, heat_bath),
    MEMBER(kdr_family_info, jacobian),
    WHOLE(kdr_method_info),
    MEMBER(kdr_method_info, name),
    MEMBER(kdr_method_info, family),
    MEMBER(kdr_method_info, order),
    MEMBER(kdr_method_info, order_velocity),
    MEMBER(kdr_method_info, evaluations),
    MEMBER(kdr_method_info, start_evaluations),
    MEMBER(kdr_method_info, symplectic),
    MEMBER(kdr_method_info, reversible),
    MEMBER(kdr_method_info, memory),
    MEMBER(kdr_method_info, compensated),
    MEMBER(kdr_method_info, stability),
    MEMBER(kdr_method_info, velocity_forces),
    MEMBER(kdr_method_info, affine),
    MEMBER(kdr_method_info, force_sees),
    MEMBER(kdr_method_info, source),
    WHOLE(kdr_tableau),
    MEMBER(kdr_tableau, stages),
    MEMBER(kdr_tableau, a),
    MEMBER(kdr_tableau, b),
    MEMBER(kdr_tableau, c),
    WHOLE(kdr_fractions),
    MEMBER(kdr_fractions, count),
    MEMBER(kdr_fractions, kick),
    MEMBER(kdr_fractions, drift),
    WHOLE(kdr_observables),
    MEMBER(kdr_observables, kinetic),
    MEMBER(kdr_observables, potential),
    MEMBER(kdr_observables, energy),
    MEMBER(kdr_observables, momentum),
    MEMBER(kdr_observables, angular_momentum),
    MEMBER(kdr_observables, dissipated),
    WHOLE(kdr_difference),
    MEMBER(kdr_difference, mismatches),
    MEMBER(kdr_difference, index),
    MEMBER(kdr_difference, array),
    MEMBER(kdr_difference, bits),
    MEMBER(kdr_difference, max_ulp),
    MEMBER(kdr_difference, max_ulp_index),
    WHOLE(kdr_pair_spring),
    MEMBER(kdr_pair_spring, a),
    MEMBER(kdr_pair_spring, b),
    MEMBER(kdr_pair_spring, k),
    MEMBER(kdr_pair_spring, length),
    MEMBER(kdr_pair_spring, damping),
    MEMBER(kdr_pair_spring, contribution),
    WHOLE(kdr_coupled_force),
    MEMBER(kdr_coupled_force, kind),
    MEMBER(kdr_coupled_force, as.gravity.mu),
    MEMBER(kdr_coupled_force, as.gravity.sources),
    MEMBER(kdr_coupled_force, as.gravity.softening),
    MEMBER(kdr_coupled_force, as.gravity),
    MEMBER(kdr_coupled_force, as.net.springs),
    MEMBER(kdr_coupled_force, as.net.count),
    MEMBER(kdr_coupled_force, as.net),
    MEMBER(kdr_coupled_force, as),
    WHOLE(kdr_pairs_desc),
    MEMBER(kdr_pairs_desc, forces),
    MEMBER(kdr_pairs_desc, force_count),
    MEMBER(kdr_pairs_desc, real),
    MEMBER(kdr_pairs_desc, arithmetic),
    MEMBER(kdr_pairs_desc, backend),
    MEMBER(kdr_pairs_desc, executor),
    WHOLE(kdr_layout),
    MEMBER(kdr_layout, stride),
    MEMBER(kdr_layout, block),
    MEMBER(kdr_layout, block_stride),
    MEMBER(kdr_layout, skip),
    WHOLE(kdr_particles),
    MEMBER(kdr_particles, count),
    MEMBER(kdr_particles, dims),
    MEMBER(kdr_particles, real),
    MEMBER(kdr_particles, x),
    MEMBER(kdr_particles, v),
    MEMBER(kdr_particles, inverse_mass),
    MEMBER(kdr_particles, x_layout),
    MEMBER(kdr_particles, v_layout),
    MEMBER(kdr_particles, inverse_mass_layout),
    MEMBER(kdr_particles, memory),
    MEMBER(kdr_particles, compensation),
    MEMBER(kdr_particles, memory_key),
    MEMBER(kdr_particles, id),
    MEMBER(kdr_particles, first_id),
    MEMBER(kdr_particles, hits),
    MEMBER(kdr_particles, dissipated),
    MEMBER(kdr_particles, active),
    MEMBER(kdr_particles, active_count),
    MEMBER(kdr_particles, level),
    MEMBER(kdr_particles, level_count),
    MEMBER(kdr_particles, storage),
    WHOLE(kdr_allocator),
    MEMBER(kdr_allocator, context),
    MEMBER(kdr_allocator, allocate),
    MEMBER(kdr_allocator, release),
    WHOLE(kdr_particles_desc),
    MEMBER(kdr_particles_desc, count),
    MEMBER(kdr_particles_desc, dims),
    MEMBER(kdr_particles_desc, real),
    MEMBER(kdr_particles_desc, inverse_mass),
    MEMBER(kdr_particles_desc, memory),
    MEMBER(kdr_particles_desc, compensation),
    MEMBER(kdr_particles_desc, hits),
    MEMBER(kdr_particles_desc, dissipated),
    MEMBER(kdr_particles_desc, allocator),
    MEMBER(kdr_particles_desc, executor),
    WHOLE(kdr_error),
    MEMBER(kdr_error, status),
    MEMBER(kdr_error, message),
};
enum { ROWS = sizeof table / sizeof *table };

const kdr_abi_row *kdr_abi(size_t *count) {
    if (count) {
        *count = ROWS;
    }
    return table;
}

/* Digits and nothing else, up to `end`, a '.' or the end of the text; what follows it, or NULL. */
static const char *after_number(const char *text, char end) {
    const char *c = text;
    while (*c >= '0' && *c <= '9') {
        ++c;
    }
    return c == text || *c != end ? NULL : c + (end != '\0');
}

/* Versions that share structs: equal major numbers, and below 1.0 equal minor ones. */
static bool same_interface(const char *version) {
    static const char own[] = KDR_VERSION_STRING;
    const char *minor = strchr(own, '.') + 1, *patch = strchr(minor, '.') + 1;
    const size_t equal = (size_t)((KDR_VERSION_MAJOR == 0 ? patch : minor) - own);
    if (strncmp(version, own, equal) != 0) {
        return false;
    }
    const char *rest = version + equal;
    rest = KDR_VERSION_MAJOR == 0 ? rest : after_number(rest, '.');
    return rest && after_number(rest, '\0');
}

static const kdr_abi_row *find(const kdr_abi_row *row) {
    for (size_t i = 0; i < ROWS; ++i) {
        if (strcmp(table[i].structure, row->structure) == 0 && strcmp(table[i].member, row->member) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

kdr_status kdr_abi_check(const char *version, const kdr_abi_row *rows, size_t count, char *message, size_t size) {
    if (!message) {
        size = 0;
    }
    if (!version || (!rows && count)) {
        (void)snprintf(message, size, "version and rows must be given");
        return KDR_ERROR_NULL;
    }
    if (!same_interface(version)) {
        (void)snprintf(message, size, "the caller was written for version %s, this library is " KDR_VERSION_STRING, version);
        return KDR_ERROR_MISMATCH;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!rows[i].structure || !rows[i].member) {
            (void)snprintf(message, size, "row %zu has no name", i);
            return KDR_ERROR_NULL;
        }
        const kdr_abi_row *own = find(&rows[i]);
        const char *dot = *rows[i].member ? "." : "";
        if (!own) {
            (void)snprintf(message, size, "this library (" KDR_VERSION_STRING ") has no %s%s%s", rows[i].structure, dot, rows[i].member);
            return KDR_ERROR_MISMATCH;
        }
        if (own->offset != rows[i].offset || own->size != rows[i].size) {
            (void)snprintf(message, size,
                           "%s%s%s is %zu bytes at offset %zu in this library (" KDR_VERSION_STRING "), %zu at %zu in the caller's",
                           rows[i].structure, dot, rows[i].member, own->size, own->offset, rows[i].size, rows[i].offset);
            return KDR_ERROR_MISMATCH;
        }
    }
    return KDR_OK;
}
