/* The calls of the stepping library: every public function of it that can fail. */
#include "refusals.h"

#define A3(array) ((w->without & NO_ARRAYS) ? NULL : (void *const[3]){w->array[0], w->array[1], w->array[2]})
#define CALL(function, ...)                                                                                                                \
    static kdr_status call_##function(world *w, kdr_error *error) {                                                                        \
        (void)error;                                                                                                                       \
        return kdr_##function(__VA_ARGS__);                                                                                                \
    }

static kdr_status call_abi_check(world *w, kdr_error *error) {
    const kdr_status status = kdr_abi_check(NAME, STATE(row), 1, error ? error->message : NULL, error ? sizeof error->message : 0);
    if (error) {
        error->status = status;
    }
    return status;
}
CALL(backend_query, (kdr_backend)w->enumerator, OUT(backend_info))
CALL(backend_from_name, NAME, (kdr_backend *)OUT(enumerator))
CALL(backend_choose, (kdr_backend)w->enumerator, (kdr_backend *)OUT(enumerator), error)
CALL(composition_from_name, NAME, (kdr_composition *)OUT(enumerator))
CALL(constraints_hold, DESC(constraint), 1, PARTICLES, error)
CALL(pass_options_init, w->system_desc.arithmetic, (kdr_backend)w->enumerator, kdr_executor_serial(), OUT(options), error)
CALL(kick, PARTICLES, w->h, A3(a), OPTIONS, error)
CALL(drift, PARTICLES, w->h, OPTIONS, error)
CALL(kick_drift, PARTICLES, w->dt, w->h, A3(a), OPTIONS, error)
CALL(system_create, DESC(system_desc), OUT(system), error)
CALL(system_set_forces, HANDLE(system), DESC(forces[0]), w->system_desc.force_count, error)
CALL(system_set_colliders, HANDLE(system), DESC(collider), 1, error)
CALL(workspace_create, HANDLE(system), w->length, w->particles.dims, w->allocator, OUT(workspace), error)
CALL(system_run, HANDLE(system), PARTICLES, CLOCK, w->steps, GIVEN(w, NO_WORKSPACE, &w->workspace), error)
CALL(system_run_blocks, HANDLE(system), PARTICLES, CLOCK, w->steps, error)
CALL(system_sample, HANDLE(system), PARTICLES, CLOCK, w->fraction, GIVEN(w, NO_WORKSPACE, &w->workspace), TO, error)
CALL(system_check, HANDLE(system), PARTICLES, CLOCK, w->steps, error)
CALL(distance_constraints_create, DESC(distances_desc), OUT(distances), error)
CALL(distance_constraints_shake, HANDLE(distances), PARTICLES, (const void *const *)A3(start), w->dt, OUT(sweeps), error)
CALL(distance_constraints_rattle, HANDLE(distances), PARTICLES, w->dt, OUT(sweeps), error)
CALL(distance_constraints_max_violation, HANDLE(distances), PARTICLES, w->dt, OUT(number[0]), OUT(number[1]), error)
CALL(executor_openmp, w->threads, OUT(executor))
CALL(field_from_name, NAME, OUT(field))
CALL(force_kind_from_name, NAME, (kdr_force_kind *)OUT(enumerator))
CALL(contribution_from_name, NAME, (kdr_contribution *)OUT(enumerator))
CALL(edge_from_name, NAME, (kdr_edge *)OUT(enumerator))
CALL(arithmetic_from_name, NAME, (kdr_arithmetic *)OUT(enumerator))
CALL(method_from_name, NAME, (kdr_method *)OUT(enumerator))
CALL(real_from_name, NAME, (kdr_real *)OUT(enumerator))
CALL(gravity_add, DESC(gravity), OPTIONS, error)
CALL(integrator_create, DESC(integrator_desc), OUT(integrator), error)
CALL(integrator_set_forces, HANDLE(integrator), DESC(forces[0]), w->integrator_desc.force_count, error)
CALL(integrator_set_colliders, HANDLE(integrator), DESC(collider), 1, error)
CALL(integrator_run, HANDLE(integrator), PARTICLES, CLOCK, w->steps, error)
CALL(integrator_init_memory, HANDLE(integrator), PARTICLES, CLOCK, w->begin, w->length, error)
CALL(integrator_sample, HANDLE(integrator), PARTICLES, CLOCK, w->fraction, TO, error)
CALL(integrator_digest_begin, HANDLE(integrator), w->length, OUT(digest_state), error)
CALL(integrator_digest_add, HANDLE(integrator), STATE(digest_state), error)
CALL(integrator_digest_end, HANDLE(integrator), STATE(digest_state), OUT(word), error)
CALL(observe, HANDLE(integrator), PARTICLES, CLOCK, OUT(observables), error)
CALL(system_observe, HANDLE(system), PARTICLES, CLOCK, OUT(observables), error)
CALL(system_count_absorbed, HANDLE(system), PARTICLES, OUT(sizes[0]), error)
CALL(count_absorbed, HANDLE(integrator), PARTICLES, OUT(sizes[0]), error)
CALL(first_non_finite, PARTICLES, OUT(sizes[0]), error)
CALL(fingerprint, PARTICLES, OUT(word), error)
CALL(observe_blocks, HANDLE(integrator), PARTICLES, CLOCK, OUT(blocks[0]), w->blocks, error)
CALL(sums_add, OUT(total), STATE(sums), 1, error)
CALL(sums_observe, STATE(sums), OUT(observables), error)
CALL(fingerprint_begin, OUT(fingerprint_state), w->length, w->particles.dims, w->particles.real, error)
CALL(fingerprint_add, STATE(fingerprint_state), PARTICLES, error)
CALL(fingerprint_end, STATE(fingerprint_state), OUT(word), error)
CALL(compare, PARTICLES, TO, OUT(difference), error)
CALL(pairs_create, DESC(pairs_desc), OUT(pairs), error)
CALL(pairs_add, HANDLE(pairs), PARTICLES, A3(a), error)
CALL(pairs_potential, HANDLE(pairs), PARTICLES, OUT(number[0]), error)
CALL(pair_map_create, HANDLE(pairs), PARTICLES, w->dt, OUT(map), error)
CALL(particles_create, DESC(create), OUT(particles), error)
CALL(particles_check, PARTICLES, error)
CALL(particles_move, PARTICLES, w->at, w->begin, w->length, error)
CALL(reference_run, DESC(integrator_desc), PARTICLES, CLOCK, w->steps, error)
CALL(reference_sample, DESC(integrator_desc), PARTICLES, CLOCK, w->fraction, TO, error)
CALL(reference_system_run, DESC(system_desc), PARTICLES, CLOCK, w->steps, error)
CALL(reference_system_sample, DESC(system_desc), PARTICLES, CLOCK, w->fraction, TO, error)
CALL(reference_pairs_add, DESC(pairs_desc), PARTICLES, A3(a), error)
CALL(reference_distance_constraints_shake, DESC(distances_desc), PARTICLES, (const void *const *)A3(start), w->dt, error)
CALL(reference_distance_constraints_rattle, DESC(distances_desc), PARTICLES, w->dt, error)
CALL(reference_gravity_add, DESC(gravity), w->pairs_desc.arithmetic, error)

static void *const *second(world *w, void *list[3]) {
    for (int i = 0; i < 3; ++i) {
        list[i] = w->second[i];
    }
    return w->without & NO_SECOND_ARRAYS ? NULL : list;
}

static kdr_status call_pair_map_add(world *w, kdr_error *error) {
    void *list[3];
    return kdr_pair_map_add(HANDLE(map), PARTICLES, A3(a), second(w, list), error);
}

static kdr_status call_reference_pair_map_add(world *w, kdr_error *error) {
    void *list[3];
    return kdr_reference_pair_map_add(DESC(pairs_desc), PARTICLES, w->dt, A3(a), second(w, list), error);
}

static kdr_status call_custom_field_parameter_range(world *w, kdr_error *error) {
    (void)error;
    return kdr_custom_field_parameter_range(GIVEN(w, NO_HANDLE, kdr_field_get(0)), w->index, OUT(number[0]), OUT(number[1]));
}

#define ROW(function) {"kdr_" #function, call_##function, 0, false}
#define ROW_OF_NO_ERROR(function) {"kdr_" #function, call_##function, 0, true}
const refusal_row refusal_calls[] = {ROW(abi_check),
                                     ROW_OF_NO_ERROR(backend_query),
                                     ROW_OF_NO_ERROR(backend_from_name),
                                     ROW(backend_choose),
                                     ROW_OF_NO_ERROR(composition_from_name),
                                     ROW(constraints_hold),
                                     ROW(pass_options_init),
                                     ROW(kick),
                                     ROW(drift),
                                     ROW(kick_drift),
                                     ROW(system_create),
                                     ROW(system_set_forces),
                                     ROW(system_set_colliders),
                                     ROW(workspace_create),
                                     ROW(system_run),
                                     ROW(system_run_blocks),
                                     ROW(system_sample),
                                     ROW(system_check),
                                     ROW(distance_constraints_create),
                                     ROW(distance_constraints_shake),
                                     ROW(distance_constraints_rattle),
                                     ROW(distance_constraints_max_violation),
                                     ROW_OF_NO_ERROR(executor_openmp),
                                     ROW_OF_NO_ERROR(field_from_name),
                                     ROW_OF_NO_ERROR(force_kind_from_name),
                                     ROW_OF_NO_ERROR(contribution_from_name),
                                     ROW_OF_NO_ERROR(edge_from_name),
                                     ROW_OF_NO_ERROR(arithmetic_from_name),
                                     ROW_OF_NO_ERROR(method_from_name),
                                     ROW_OF_NO_ERROR(real_from_name),
                                     ROW_OF_NO_ERROR(custom_field_parameter_range),
                                     ROW(gravity_add),
                                     ROW(integrator_create),
                                     ROW(integrator_set_forces),
                                     ROW(integrator_set_colliders),
                                     ROW(integrator_run),
                                     ROW(integrator_init_memory),
                                     ROW(integrator_sample),
                                     ROW(integrator_digest_begin),
                                     ROW(integrator_digest_add),
                                     ROW(integrator_digest_end),
                                     ROW(observe),
                                     ROW(system_observe),
                                     ROW(system_count_absorbed),
                                     ROW(count_absorbed),
                                     ROW(first_non_finite),
                                     ROW(fingerprint),
                                     ROW(observe_blocks),
                                     ROW(sums_add),
                                     ROW(sums_observe),
                                     ROW(fingerprint_begin),
                                     ROW(fingerprint_add),
                                     ROW(fingerprint_end),
                                     ROW(compare),
                                     ROW(pairs_create),
                                     ROW(pairs_add),
                                     ROW(pairs_potential),
                                     ROW(pair_map_create),
                                     ROW(pair_map_add),
                                     ROW(particles_create),
                                     ROW(particles_check),
                                     ROW(particles_move),
                                     ROW(reference_run),
                                     ROW(reference_sample),
                                     ROW(reference_system_run),
                                     ROW(reference_system_sample),
                                     ROW(reference_pairs_add),
                                     ROW(reference_pair_map_add),
                                     ROW(reference_distance_constraints_shake),
                                     ROW(reference_distance_constraints_rattle),
                                     ROW(reference_gravity_add),
                                     {0}};
