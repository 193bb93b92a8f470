"""The shared library: its path, its structs and functions in ctypes, and a check that both agree on every byte.

The structs are written as in the headers. kdr_abi_check compares every member with the library when this module is imported. Values of
names (methods, backends, forces) come from the library: no enumerator is repeated here.
"""

import ctypes
import ctypes.util
import operator
import os
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, byref, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_ssize_t, c_uint8, c_uint32,
                    c_int64, c_uint64, c_void_p)

VERSION = "0.1.0"  # version of the headers that the structs below were written from

structures = {}  # structs by their names in C


def structure(name, /, **members):
    """Makes a struct of the headers. A member `as_` is `as` in C; Python reserves that word."""
    structures[name] = type(name, (Structure,), {"_fields_": list(members.items())})
    return structures[name]


def within(base, /, **members):
    """Makes a struct or union without a name, within another."""
    return type("within", (base,), {"_fields_": list(members.items())})


vector = c_double * 3
pointers = c_void_p * 3
MAX_STAGES, MAX_FRACTIONS, MAX_SUBSTEPS, MAX_PARAMETERS = 16, 40, 39, 16

Abi = structure("kdr_abi_row", structure=c_char_p, member=c_char_p, offset=c_size_t, size=c_size_t)
Failure = structure("kdr_error", status=c_int, message=c_char * 252)
Backend = structure("kdr_backend_info", name=c_char_p, compiled=c_bool, runnable=c_bool, fused_native=c_bool, lanes_f32=c_int, lanes_f64=c_int,
                    reason=c_char_p)
Boundary = structure("kdr_boundary", kind=c_int, min=vector, max=vector)
Collider = structure(
    "kdr_collider", kind=c_int, restitution=c_double, friction=c_double, friction_normal=c_double, sliding=c_double, static_friction=c_double,
    as_=within(Union, plane=within(Structure, point=vector, normal=vector), sphere=within(Structure, at=vector, radius=c_double, inside=c_bool),
               box=within(Structure, min=vector, max=vector, inside=c_bool)), velocity=vector, since=c_double)
Constraint = structure(
    "kdr_constraint", kind=c_int,
    as_=within(Union, rod=within(Structure, to=vector, length=c_double), rope=within(Structure, to=vector, length=c_double),
               plane=within(Structure, point=vector, normal=vector), sphere=within(Structure, at=vector, radius=c_double)))
Layout = structure("kdr_layout", stride=c_size_t, block=c_size_t, block_stride=c_size_t, skip=c_size_t)
Grid = structure("kdr_grid", dims=c_int, components=c_int, nodes=c_int * 3, edge=c_int * 3, origin=vector, spacing=vector, values=c_void_p,
                 stride=c_size_t * 3, component_stride=c_size_t)
Force = structure(
    "kdr_force", kind=c_int,
    as_=within(Union, uniform_acceleration=within(Structure, a=vector), uniform_force=within(Structure, f=vector),
               spring=within(Structure, k=vector, at=vector, k_each=c_void_p, at_each=pointers, count=c_size_t),
               drag=within(Structure, b=vector, wind=vector, b_each=c_void_p, count=c_size_t),
               quadratic_drag=within(Structure, c=c_double, wind=vector), electromagnetic=within(Structure, charge=c_double, e=vector, b=vector),
               centre=within(Structure, mu=c_double, at=vector, softening=c_double),
               driven=within(Structure, a=vector, omega=c_double, phase=c_double),
               custom=within(Structure, field=c_void_p, parameter=c_double * MAX_PARAMETERS, each=c_void_p * MAX_PARAMETERS, count=c_size_t,
                             grid=POINTER(Grid))),
    contribution=c_int, each_layout=Layout)
Contact = structure("kdr_contact", particle=c_uint64, step=c_uint64, surface=c_uint64, time=c_double, x=vector, impulse=vector, speed=c_double)
Contacts = structure("kdr_contacts", list=c_void_p, capacity=c_size_t, count=c_size_t)
WatchFunction = CFUNCTYPE(c_double, c_void_p, POINTER(c_double), POINTER(c_double), c_double)
Watch = structure("kdr_watch", kind=c_int, crossing=c_int, action=c_int, at=vector, normal=vector, distance=c_double, value=WatchFunction, context=c_void_p)
Event = structure("kdr_event", step=c_uint64, particle=c_uint64, watch=c_uint64, direction=c_int64, time=c_double, x=vector, v=vector)
Events = structure("kdr_events", list=c_void_p, capacity=c_size_t, count=c_size_t, active=c_void_p)
Executor = structure("kdr_executor", context=c_void_p, parallel_for=c_void_p)
Gravity = structure(
    "kdr_gravity", dims=c_int, real=c_int, softening=c_double, sources=c_size_t, source_x=pointers, mu=c_void_p, source_softening=c_void_p,
    targets=c_size_t, target_x=pointers, target_softening=c_void_p, a=pointers, potential=c_void_p, targets_are_sources=c_bool,
    first_source=c_ssize_t, source_x_layout=Layout, mu_layout=Layout, source_softening_layout=Layout, target_x_layout=Layout,
    target_softening_layout=Layout, a_layout=Layout, potential_layout=Layout)
PassOptions = structure("kdr_pass_options", arithmetic=c_int, backend=c_int, executor=Executor, kernels=c_void_p * 2)
Langevin = structure("kdr_langevin", friction=c_double, temperature=c_double, seed=c_uint64)
Tableau = structure("kdr_tableau", stages=c_int, a=c_double * MAX_STAGES * MAX_STAGES, b=c_double * MAX_STAGES, c=c_double * MAX_STAGES)
Fractions = structure("kdr_fractions", count=c_int, kick=c_double * MAX_FRACTIONS, drift=c_double * MAX_FRACTIONS)
Substeps = structure("kdr_substeps", count=c_int, fraction=c_double * MAX_SUBSTEPS)
Description = structure(
    "kdr_integrator_desc", size=c_size_t, method=c_int, real=c_int, arithmetic=c_int, backend=c_int, executor=Executor, forces=POINTER(Force),
    force_count=c_size_t, tableau=POINTER(Tableau), fractions=POINTER(Fractions), compensated=c_bool, langevin=Langevin,
    colliders=POINTER(Collider), collider_count=c_size_t, constraints=POINTER(Constraint), constraint_count=c_size_t, boundary=Boundary,
    dt=c_double, compose=c_int, substeps=POINTER(Substeps), flush_small_to_zero=c_bool, watches=POINTER(Watch), watch_count=c_size_t, speed_of_light=c_double)
accelerations_fn = CFUNCTYPE(c_int, c_void_p, c_void_p, c_double, POINTER(pointers))
slopes_fn = CFUNCTYPE(c_int, c_void_p, c_void_p, c_double, c_double, POINTER(c_void_p * 6))
potential_fn = CFUNCTYPE(c_int, c_void_p, c_void_p, c_double, POINTER(c_double))
PairSpring = structure("kdr_pair_spring", a=c_uint32, b=c_uint32, k=c_double, length=c_double, damping=c_double, contribution=c_int)
Interaction = structure(
    "kdr_interaction", kind=c_int,
    as_=within(Union, gravity=within(Structure, mu=c_void_p, sources=c_size_t, softening=c_double, softening_each=c_void_p, softening_count=c_size_t,
                                             mu_layout=Layout, softening_each_layout=Layout),
               spring_network=within(Structure, springs=POINTER(PairSpring), count=c_size_t)))
Communicator = structure("kdr_communicator", index=c_int, count=c_int, context=c_void_p, broadcast=c_void_p)
Distance = structure("kdr_distance", a=c_uint32, b=c_uint32, length=c_double)
PairsDescription = structure(
    "kdr_pairs_desc", size=c_size_t, forces=POINTER(Interaction), force_count=c_size_t, real=c_int, arithmetic=c_int, backend=c_int, executor=Executor,
    communicator=Communicator, box=vector)
DistanceConstraintsDescription = structure(
    "kdr_distance_constraints_desc", size=c_size_t, distances=POINTER(Distance), count=c_size_t, tolerance=c_double, sweeps=c_uint32, relaxation=c_double, real=c_int,
    arithmetic=c_int, backend=c_int, executor=Executor, box=vector)
SystemDescription = structure(
    "kdr_system_desc", size=c_size_t, method=c_int, real=c_int, arithmetic=c_int, backend=c_int, executor=Executor, tableau=POINTER(Tableau),
    fractions=POINTER(Fractions), accelerations=accelerations_fn, context=c_void_p, rows=c_bool, levels=c_bool, forces=POINTER(Force),
    force_count=c_size_t, interactions=POINTER(Interaction), interaction_count=c_size_t, distances=POINTER(Distance), distance_count=c_size_t,
    distance_tolerance=c_double, distance_sweeps=c_uint32, distance_relaxation=c_double, compose=c_int, velocity_dependent=c_bool,
    substeps=POINTER(Substeps), boundary=Boundary, langevin=Langevin, colliders=POINTER(Collider), collider_count=c_size_t,
    constraints=POINTER(Constraint), constraint_count=c_size_t, magnetic=accelerations_fn, compensated=c_bool, potential=potential_fn, speed_of_light=c_double, communicator=Communicator,
    watches=POINTER(Watch), watch_count=c_size_t, slopes=slopes_fn, flush_small_to_zero=c_bool, dt=c_double)
Allocator = structure("kdr_allocator", context=c_void_p, allocate=c_void_p, release=c_void_p)
Workspace = structure("kdr_workspace", memory=c_void_p, size=c_size_t, allocator=Allocator)
Clock = structure("kdr_clock", t0=c_double, dt=c_double, step=c_uint64)
Composition = structure("kdr_composition_info", name=c_char_p, order=c_int, count=c_int, fraction=POINTER(c_double), source=c_char_p)
Family = structure("kdr_family_info", name=c_char_p, system_runs=c_bool, runs_back=c_bool, velocities=c_bool, heat_bath=c_bool, jacobian=c_bool)
Method = structure(
    "kdr_method_info", name=c_char_p, family=c_int, order=c_int, order_velocity=c_int, order_estimate=c_int, evaluations=c_int,
    start_evaluations=c_int, symplectic=c_bool, reversible=c_bool, memory=c_bool, compensated=c_bool, stability=c_double,
    velocity_forces=c_int, affine=c_bool, force_sees=c_char_p, source=c_char_p)
Observables = structure("kdr_observables", kinetic=c_double, potential=c_double, energy=c_double, momentum=vector, angular_momentum=vector,
                        dissipated_energy=c_double * 2)
Difference = structure("kdr_difference", mismatches=c_size_t, index=c_size_t, array=c_int, bits=c_uint64 * 2, max_ulp=c_uint64,
                       max_ulp_index=c_size_t)
View = structure(
    "kdr_particles", count=c_size_t, dims=c_int, real=c_int, x=pointers, v=pointers, inverse_mass=c_void_p, x_layout=Layout,
    v_layout=Layout, inverse_mass_layout=Layout, radius=c_void_p, memory=pointers, compensation=c_void_p * 6, memory_key=c_uint64, id=c_void_p,
    first_id=c_uint64, bounces=c_void_p, nonconverged=c_void_p, dissipated_energy=c_void_p * 2, error=c_void_p, active=c_void_p, active_count=c_size_t, level=c_void_p,
    level_count=c_size_t, storage=c_void_p, images=pointers, contacts=POINTER(Contacts), radius_layout=Layout, memory_layout=Layout,
    compensation_layout=Layout, id_layout=Layout, bounces_layout=Layout, nonconverged_layout=Layout, dissipated_energy_layout=Layout, error_layout=Layout, active_layout=Layout, level_layout=Layout,
    images_layout=Layout, events=POINTER(Events))
Checkpoint = structure("kdr_checkpoint", particles=View, clock=Clock, description=c_uint64, seed=c_uint64, carried=c_bool, library=c_char * 16,
                       note=c_void_p, note_size=c_size_t, storage=c_void_p)
ParticlesDescription = structure(
    "kdr_particles_desc", size=c_size_t, count=c_size_t, dims=c_int, real=c_int, inverse_mass=c_bool, memory=c_bool, compensation=c_bool, bounces=c_bool,
    dissipated_energy=c_bool, error=c_bool, allocator=Allocator, executor=Executor, nonconverged=c_bool, radius=c_bool)
StreamDescription = structure(
    "kdr_stream_desc", size=c_size_t, from_=c_char_p, to=c_char_p, create=POINTER(ParticlesDescription), clock=Clock, integrator=c_void_p,
    last_step=c_uint64, memory=c_size_t, key=c_uint64)
StreamInfo = structure("kdr_stream_info", count=c_size_t, begin=c_size_t, done=c_size_t, most=c_size_t, dims=c_int, real=c_int, first=Clock, last=Clock,
                       description=c_uint64, carried=c_bool, note=c_void_p, note_size=c_size_t)
step_fn = CFUNCTYPE(c_int, c_void_p, POINTER(View), POINTER(Clock), c_uint64, POINTER(Failure))
array_fn = CFUNCTYPE(None, c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_void_p))
CheckDescription = structure(
    "kdr_check_desc", size=c_size_t, integrator=POINTER(Description), system=POINTER(SystemDescription), step_reference=step_fn,
    array_reference=array_fn, reference_context=c_void_p, step=step_fn, array=array_fn, context=c_void_p, real=c_int, dims=c_int,
    inverse_mass=c_bool, inputs=c_int, outputs=c_int, in_place=c_bool, counts=POINTER(c_size_t), count_count=c_size_t, max_steps=c_uint64,
    one_call=c_bool, dt=c_double, low=c_double, high=c_double, values=c_uint32, places=c_uint32, max_ulp=c_uint64, seed=c_uint64,
    first=c_uint64, cases=c_uint64, threads=c_int, unguarded=c_bool, lanes=c_int)
CheckReport = structure(
    "kdr_check_report", cases=c_uint64, values=c_uint64, failed=c_uint64, faults=c_uint64 * 8, max_ulp=c_uint64, ulp=c_uint64 * 66, fault=c_int,
    case_number=c_uint64, count=c_size_t, steps=c_uint64, calls=c_uint64, array=c_int, index=c_ssize_t, lane=c_int, expected=c_uint64,
    actual=c_uint64, distance=c_uint64, real=c_int, seed=c_uint64, message=c_char * 252)
SUMS_BLOCK = 1024
BlockSums = structure("kdr_sums", high=c_double * 10, low=c_double * 10)

failure = POINTER(Failure)
view = POINTER(View)
description = POINTER(Description)
clock = POINTER(Clock)
integer = POINTER(c_int)
size = POINTER(c_size_t)
axes = POINTER(c_void_p)

# The return type and the argument types of each function. Functions whose last argument is a kdr_error are called by `call`.
functions = {
    "kdr_version": (c_char_p, []),
    "kdr_status_string": (c_char_p, [c_int]),
    "kdr_method_get": (POINTER(Method), [c_int]),
    "kdr_method_from_name": (c_int, [c_char_p, integer]),
    "kdr_family_get": (POINTER(Family), [c_int]),
    "kdr_velocity_forces_name": (c_char_p, [c_int]),
    "kdr_composition_from_name": (c_int, [c_char_p, integer]),
    "kdr_composition_get": (POINTER(Composition), [c_int]),
    "kdr_backend_query": (c_int, [c_int, POINTER(Backend)]),
    "kdr_backend_from_name": (c_int, [c_char_p, integer]),
    "kdr_arithmetic_from_name": (c_int, [c_char_p, integer]),
    "kdr_real_from_name": (c_int, [c_char_p, integer]),
    "kdr_contribution_from_name": (c_int, [c_char_p, integer]),
    "kdr_edge_from_name": (c_int, [c_char_p, integer]),
    "kdr_boundary_kind_name": (c_char_p, [c_int]),
    "kdr_force_custom": (Force, [c_void_p, POINTER(c_double)]),
    "kdr_field_get": (c_void_p, [c_int]),
    "kdr_custom_field_name": (c_char_p, [c_void_p]),
    "kdr_custom_field_grid_component_count": (c_int, [c_void_p]),
    "kdr_custom_field_parameter_count": (c_int, [c_void_p]),
    "kdr_custom_field_required_parameter_count": (c_int, [c_void_p]),
    "kdr_custom_field_parameter_name": (c_char_p, [c_void_p, c_int]),
    "kdr_force_uniform_acceleration": (Force, [c_double] * 3),
    "kdr_force_uniform_force": (Force, [c_double] * 3),
    "kdr_force_spring": (Force, [c_double] * 4),
    "kdr_force_drag": (Force, [c_double] * 4),
    "kdr_force_quadratic_drag": (Force, [c_double] * 4),
    "kdr_force_electromagnetic": (Force, [c_double, vector, vector]),
    "kdr_force_centre": (Force, [c_double] * 5),
    "kdr_force_driven": (Force, [c_double] * 5),
    "kdr_collider_plane": (Collider, [vector, vector]),
    "kdr_collider_sphere": (Collider, [vector, c_double, c_bool]),
    "kdr_collider_box": (Collider, [vector, vector, c_bool]),
    "kdr_constraint_rod": (Constraint, [vector, c_double]),
    "kdr_constraint_rope": (Constraint, [vector, c_double]),
    "kdr_constraint_plane": (Constraint, [vector, vector]),
    "kdr_constraint_sphere": (Constraint, [vector, c_double]),
    "kdr_watch_function": (Watch, [WatchFunction, c_void_p]),
    "kdr_watch_apsis": (Watch, [vector]),
    "kdr_watch_plane": (Watch, [vector, vector]),
    "kdr_watch_distance": (Watch, [vector, c_double]),
    "kdr_executor_openmp": (c_int, [c_int, POINTER(Executor)]),
    "kdr_pass_options_init": (c_int, [c_int, c_int, Executor, POINTER(PassOptions), failure]),
    "kdr_gravity_add": (c_int, [POINTER(Gravity), POINTER(PassOptions), failure]),
    "kdr_integrator_desc_init": (None, [description, c_size_t]),
    "kdr_integrator_create": (c_int, [description, POINTER(c_void_p), failure]),
    "kdr_integrator_destroy": (None, [c_void_p]),
    "kdr_integrator_method": (POINTER(Method), [c_void_p]),
    "kdr_integrator_backend": (c_int, [c_void_p]),
    "kdr_integrator_run": (c_int, [c_void_p, view, clock, c_uint64, failure]),
    "kdr_integrator_sample": (c_int, [c_void_p, view, clock, c_double, view, failure]),
    "kdr_reference_sample": (c_int, [description, view, clock, c_double, view, failure]),
    "kdr_integrator_init_memory": (c_int, [c_void_p, view, clock, c_size_t, c_size_t, failure]),
    "kdr_integrator_set_forces": (c_int, [c_void_p, POINTER(Force), c_size_t, failure]),
    "kdr_integrator_set_colliders": (c_int, [c_void_p, POINTER(Collider), c_size_t, failure]),
    "kdr_integrator_digest": (c_uint64, [c_void_p]),
    "kdr_integrator_memory_key": (c_uint64, [c_void_p, view, clock]),
    "kdr_integrator_explain": (c_size_t, [c_void_p, c_int, c_bool, c_char_p, c_size_t]),
    "kdr_integrator_evaluations": (c_uint64, [c_void_p, view, clock, c_uint64]),
    "kdr_reference_run": (c_int, [description, view, clock, c_uint64, failure]),
    "kdr_interaction_gravity": (Interaction, [c_void_p, c_size_t, c_double]),
    "kdr_interaction_spring_network": (Interaction, [POINTER(PairSpring), c_size_t]),
    "kdr_system_desc_init": (None, [POINTER(SystemDescription), c_size_t]),
    "kdr_system_create": (c_int, [POINTER(SystemDescription), POINTER(c_void_p), failure]),
    "kdr_system_destroy": (None, [c_void_p]),
    "kdr_system_set_forces": (c_int, [c_void_p, POINTER(Force), c_size_t, failure]),
    "kdr_system_set_colliders": (c_int, [c_void_p, POINTER(Collider), c_size_t, failure]),
    "kdr_system_method": (POINTER(Method), [c_void_p]),
    "kdr_system_backend": (c_int, [c_void_p]),
    "kdr_system_distance_constraints": (c_void_p, [c_void_p]),
    "kdr_system_workspace_size": (c_size_t, [c_void_p, c_size_t, c_int]),
    "kdr_system_run": (c_int, [c_void_p, view, clock, c_uint64, POINTER(Workspace), failure]),
    "kdr_system_digest": (c_uint64, [c_void_p]),
    "kdr_system_memory_key": (c_uint64, [c_void_p, view, clock]),
    "kdr_system_explain": (c_size_t, [c_void_p, c_int, c_bool, c_char_p, c_size_t]),
    "kdr_system_evaluations": (c_uint64, [c_void_p, view, clock, c_uint64]),
    "kdr_system_run_blocks": (c_int, [c_void_p, view, clock, c_uint64, failure]),
    "kdr_system_sample": (c_int, [c_void_p, view, clock, c_double, POINTER(Workspace), view, failure]),
    "kdr_system_observe": (c_int, [c_void_p, view, clock, POINTER(Observables), failure]),
    "kdr_system_count_absorbed": (c_int, [c_void_p, view, size, failure]),
    "kdr_reference_system_run": (c_int, [POINTER(SystemDescription), view, clock, c_uint64, failure]),
    "kdr_reference_system_sample": (c_int, [POINTER(SystemDescription), view, clock, c_double, view, failure]),
    "kdr_pairs_desc_init": (None, [POINTER(PairsDescription), c_size_t]),
    "kdr_pairs_create": (c_int, [POINTER(PairsDescription), POINTER(c_void_p), failure]),
    "kdr_pairs_destroy": (None, [c_void_p]),
    "kdr_pairs_add": (c_int, [c_void_p, view, axes, failure]),
    "kdr_pairs_potential": (c_int, [c_void_p, view, POINTER(c_double), failure]),
    "kdr_pair_map_create": (c_int, [c_void_p, view, c_double, POINTER(c_void_p), failure]),
    "kdr_pair_map_destroy": (None, [c_void_p]),
    "kdr_pair_map_add": (c_int, [c_void_p, view, axes, axes, failure]),
    "kdr_reference_pairs_add": (c_int, [POINTER(PairsDescription), view, axes, failure]),
    "kdr_reference_pair_map_add": (c_int, [POINTER(PairsDescription), view, c_double, axes, axes, failure]),
    "kdr_distance_constraints_desc_init": (None, [POINTER(DistanceConstraintsDescription), c_size_t]),
    "kdr_distance_constraints_create": (c_int, [POINTER(DistanceConstraintsDescription), POINTER(c_void_p), failure]),
    "kdr_distance_constraints_destroy": (None, [c_void_p]),
    "kdr_distance_constraints_shake": (c_int, [c_void_p, view, axes, c_double, POINTER(c_uint32), failure]),
    "kdr_distance_constraints_rattle": (c_int, [c_void_p, view, c_double, POINTER(c_uint32), failure]),
    "kdr_constraints_hold": (c_int, [POINTER(Constraint), c_size_t, view, failure]),
    "kdr_distance_constraints_max_violation": (c_int, [c_void_p, view, c_double, POINTER(c_double), POINTER(c_double), failure]),
    "kdr_reference_distance_constraints_shake": (c_int, [POINTER(DistanceConstraintsDescription), view, axes, c_double, failure]),
    "kdr_reference_distance_constraints_rattle": (c_int, [POINTER(DistanceConstraintsDescription), view, c_double, failure]),
    "kdr_kick": (c_int, [view, c_double, axes, POINTER(PassOptions), failure]),
    "kdr_drift": (c_int, [view, c_double, POINTER(PassOptions), failure]),
    "kdr_kick_drift": (c_int, [view, c_double, c_double, axes, POINTER(PassOptions), failure]),
    "kdr_clock_with_dt": (Clock, [clock, c_double]),
    "kdr_clock_time": (c_double, [clock, c_uint64, c_double]),
    "kdr_particles_default": (View, []),
    "kdr_particles_move": (c_int, [view, c_size_t, c_size_t, c_size_t, failure]),
    "kdr_particles_check": (c_int, [view, failure]),
    "kdr_observe_blocks": (c_int, [c_void_p, view, clock, POINTER(BlockSums), c_size_t, failure]),
    "kdr_sums_add": (c_int, [POINTER(BlockSums), POINTER(BlockSums), c_size_t, failure]),
    "kdr_sums_observe": (c_int, [POINTER(BlockSums), POINTER(Observables), failure]),
    "kdr_particles_desc_init": (None, [POINTER(ParticlesDescription), c_size_t]),
    "kdr_observe": (c_int, [c_void_p, view, clock, POINTER(Observables), failure]),
    "kdr_count_absorbed": (c_int, [c_void_p, view, size, failure]),
    "kdr_first_non_finite": (c_int, [view, size, failure]),
    "kdr_fingerprint": (c_int, [view, POINTER(c_uint64), failure]),
    "kdr_compare": (c_int, [view, view, POINTER(Difference), failure]),
}


class Error(Exception):
    """A refusal of the library. Its text is the library's message; `status` is the short text of the status ("not finite"), `number` the
    status."""

    def __init__(self, status, message, number=None):
        super().__init__(message)
        self.status, self.number = status, number

    def __reduce__(self):
        return type(self), (self.status, str(self), self.number)


def soversion():
    """Returns the part of the library's name after .so. Until 1.0 a minor version may change the interface."""
    major, minor, _ = VERSION.split(".")
    return f".{major}.{minor}" if major == "0" else f".{major}"


def places():
    """Returns where the library may be: $KICKDRIFT_LIBRARY alone if it is set; otherwise next to these sources, in the prefix where they
    were installed, and where the system looks."""
    given = os.environ.get("KICKDRIFT_LIBRARY")
    if given:
        return [given]
    here = os.path.dirname(os.path.realpath(__file__))
    name = "libkickdrift.dylib" if sys.platform == "darwin" else "libkickdrift.so"
    source = os.path.join(here, "..", "..", "..", "..", "build", "release", "src", name)
    installed = os.path.join(here, "library")  # `cmake --install` writes the path into this file
    found = [source]
    if os.path.exists(installed):
        with open(installed, encoding="utf-8") as file:
            found.append(os.path.join(here, file.read().strip()))
    found = [os.path.normpath(path) for path in found if os.path.exists(path)]
    return [*found, ctypes.util.find_library("kickdrift") or name + (soversion() if name.endswith("so") else "")]


def members(cls, prefix=b"", base=0):
    """Yields (name, offset, size) of all members, with those of unions and structs without a name."""
    for field, kind in cls._fields_:
        own = getattr(cls, field)
        name = prefix + field.rstrip("_").encode()
        yield name, base + own.offset, ctypes.sizeof(kind)
        if kind.__name__ == "within":
            yield from members(kind, name + b".", base + own.offset)


def check(library, known=None):
    """Raises ImportError, with the library's message, if a struct of `known` (default: all of this module) differs from the library's."""
    rows = []
    for name, cls in (structures if known is None else known).items():
        rows.append((name.encode(), b"", 0, ctypes.sizeof(cls)))
        rows.extend((name.encode(), *row) for row in members(cls))
    table = (Abi * len(rows))(*rows)
    message = ctypes.create_string_buffer(300)
    library.kdr_abi_check.argtypes = [c_char_p, POINTER(Abi), c_size_t, c_char_p, c_size_t]
    if library.kdr_abi_check(VERSION.encode(), table, len(rows), message, len(message)):
        raise ImportError(f"{library._name} is not the library that this module was written for: {message.value.decode()}")


def load():
    path = None
    for path in places():
        try:
            library = ctypes.CDLL(path)
            break
        except OSError as error:
            why = error
    else:
        raise ImportError(f"no Kickdrift library: {why}; set KICKDRIFT_LIBRARY to libkickdrift.so, or build it (tools/dev build)") from None
    if not hasattr(library, "kdr_abi_check"):
        raise ImportError(f"{path} has no kdr_abi_check: not Kickdrift, or older than this module ({VERSION})")
    check(library)
    for name, (returned, taken) in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = returned, taken
    return library


lib = load()


STOPPED = 13  # KDR_STOPPED


companions = {}  # libraries next to the main one that have been loaded


def companion(name, functions):
    """Returns the library kickdrift-NAME, loading it when it is asked for first. $KICKDRIFT_NAME_LIBRARY names it; otherwise it is next to
    the main library, or where the system looks."""
    if name not in companions:
        variable, file = f"KICKDRIFT_{name.upper()}_LIBRARY", os.path.basename(lib._name).replace("libkickdrift", f"libkickdrift-{name}", 1)
        folder = os.path.dirname(lib._name)
        near = [path for path in (os.path.join(folder, name, file), os.path.join(folder, file)) if folder and os.path.exists(path)]
        for path in [os.environ[variable]] if os.environ.get(variable) else [*near, ctypes.util.find_library(f"kickdrift-{name}") or file]:
            try:
                found = ctypes.CDLL(path)
                break
            except OSError as error:
                why = error
        else:
            raise ImportError(f"no library kickdrift-{name}: {why}; set {variable} to libkickdrift-{name}.so")
        for function_name, (returned, taken) in functions.items():
            function = getattr(found, function_name)
            function.restype, function.argtypes = returned, taken
        companions[name] = found
    return companions[name]


def call(function, *arguments):
    """Calls a function whose last argument is a kdr_error. Returns True if a watch has stopped a run."""
    error = Failure()
    status = function(*arguments, byref(error))
    if status not in (0, STOPPED):
        raise Error(lib.kdr_status_string(status).decode(), error.message.decode(errors="replace"), status)
    return status == STOPPED


def executor_of(threads):
    """Returns an executor: the calling thread for None; that many OpenMP threads for a number; as many as OpenMP chooses for 0."""
    executor = Executor()
    if threads is not None:
        status = lib.kdr_executor_openmp(natural(threads, "threads", 2**16), byref(executor))
        if status:
            raise Error(lib.kdr_status_string(status).decode(), f"threads is {threads}, expected None, or 0 to 4096 with OpenMP in the library")
    return executor


modules = {}  # modules of custom fields, which stay open because their kernels run as long as an integrator has them


def open_field(path):
    """Returns the address of the field in a module of kickdrift_add_field, for kdr_force_custom."""
    path = os.path.abspath(os.fspath(path))
    if path not in modules:
        try:
            modules[path] = ctypes.CDLL(path)
        except OSError as error:
            raise Error("no such field", f"expected a module of kickdrift_add_field: {error}") from None
    try:
        field = c_void_p.in_dll(modules[path], "kdr_custom_field_plugin").value
    except ValueError:
        field = None
    if not field or not lib.kdr_custom_field_name(field):
        found = "one for another version or build, to be compiled anew," if field else "none"
        raise Error("mismatch", f"expected a field compiled for Kickdrift {lib.kdr_version().decode()}, found {found} in {path}")
    return field


def enumerator(what, name):
    """Returns the value of a name. what: "method", "composition", "backend", "arithmetic", "real", "edge" or "contribution"."""
    if not isinstance(name, str):
        raise TypeError(f"{what} is {name!r}, expected a name")
    value = c_int()
    status = getattr(lib, f"kdr_{what}_from_name")(name.encode(), byref(value))
    if status:
        raise Error(lib.kdr_status_string(status).decode(), f'unknown {what} "{name}"')
    return value.value


def path_of(path):
    """Returns a path as bytes for C."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"path is {path!r}, expected no null character in it")
    return name


def number(value, name):
    """Returns the value as a float, or raises TypeError."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}, expected a number") from None


def natural(value, name, below=2**64, least=0):
    """Returns a whole number that fits. ctypes would cut a larger one, and take a negative one for a large one."""
    if not least <= operator.index(value) < below:
        raise ValueError(f"{name} is {value}, expected {least} to {below - 1}")
    return value
