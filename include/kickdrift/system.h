/* System runs: steps of particles that interact, or whose accelerations a user-defined function computes for all particles at once.
 * Combinations that use/interactions.md does not list fail with KDR_ERROR_UNSUPPORTED. methods/rules.md has the schemes. */
#ifndef KICKDRIFT_SYSTEM_H
#define KICKDRIFT_SYSTEM_H

#include <kickdrift/distance_constraints.h>
#include <kickdrift/integrator.h>
#include <kickdrift/pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of functions that go over all particles once. kdr_pass_options_init fills them. */
typedef struct kdr_pass_options {
    kdr_arithmetic arithmetic;
    kdr_backend backend; /* never KDR_BACKEND_AUTO */
    kdr_executor executor;
    const struct kdr_kernels *kernels[KDR_REAL_COUNT]; /* internal */
} kdr_pass_options;

/* Fills *options, with the backend that kdr_backend_choose returns. Errors: its errors, and KDR_ERROR_ARGUMENT (arithmetic). */
KDR_API kdr_status kdr_pass_options_init(kdr_arithmetic arithmetic, kdr_backend backend, kdr_executor executor, kdr_pass_options *options,
                                         kdr_error *error);

/* Kick or drift all particles, in any layout: v += h a, x += h v. kdr_kick_drift does the first by h_kick, then the second by h_drift. `a`
 * has a contiguous array of `count` accelerations per axis, which must not overlap x or v. If x and v are rows `double x[n][3]`, `a` may be
 * rows, too. memory_key becomes 0. Errors: KDR_ERROR_NOT_FINITE (h), KDR_ERROR_ARGUMENT (options), KDR_ERROR_UNSUPPORTED (levels),
 * KDR_ERROR_OVERLAP. */
KDR_API kdr_status kdr_kick(kdr_particles *particles, double h, void *const a[3], const kdr_pass_options *options, kdr_error *error);
KDR_API kdr_status kdr_drift(kdr_particles *particles, double h, const kdr_pass_options *options, kdr_error *error);
KDR_API kdr_status kdr_kick_drift(kdr_particles *particles, double h_kick, double h_drift, void *const a[3],
                                  const kdr_pass_options *options, kdr_error *error);

/* Sets the contiguous array a[i][0 .. count) to the accelerations on axis i at time t. With levels, only particles marked in
 * particles->active need values. a[i] may be memory[i]. The thread that called the run calls this function. A status other than KDR_OK ends
 * the run. */
typedef kdr_status kdr_accelerations_fn(void *context, const kdr_particles *particles, double t, void *const a[3]);

/* Sets m = charge B / mass of all particles at time t, for dv/dt = a + v cross m. m has three contiguous arrays; on two axes only m[2] is
 * set, and on one axis the function is not called. It is called after kdr_accelerations_fn, by the same rules. */
typedef kdr_status kdr_magnetic_fn(void *context, const kdr_particles *particles, double t, void *const m[3]);

/* Sets *energy to the potential energy of all particles at time t. kdr_system_observe returns its status, if that is not KDR_OK. */
typedef kdr_status kdr_potential_fn(void *context, const kdr_particles *particles, double t, double *energy);

/* Sets derivatives of the accelerations for implicit methods: for each particle n the symmetric part of da_n/dv_n + th da_n/dx_n, where th
 * is dt or dt / 2. The contiguous arrays g[0 .. dims) are the diagonal; next come xy on two axes, and xy, xz, yz on three. Approximations
 * cost iterations, not accuracy. It is called like kdr_magnetic_fn. */
typedef kdr_status kdr_slopes_fn(void *context, const kdr_particles *particles, double t, double th, void *const g[6]);

/* The description of a system run. Arrays are copied, but not arrays in their elements. */
typedef struct kdr_system_desc {
    size_t size;
    /* From a family with kdr_family_info::system_runs, but not KDR_EXACT_AFFINE. The map of KDR_STRANG_AFFINE has only affine `forces`. */
    kdr_method method;
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_backend backend;
    kdr_executor executor; /* for the library's loops, not for the functions below */
    const kdr_tableau *tableau;
    const kdr_fractions *fractions;
    kdr_accelerations_fn *accelerations; /* gets `context`, like the functions below */
    void *context;
    /* True: x, v and accelerations are rows, as in `double x[count][dims]`. `accelerations` gets only a[0], the first row: axis i of
     * particle k is a[0][k dims + i]. `forces`, `interactions`, `distances` and kdr_particles::memory must then be empty. */
    bool rows;
    /* True: particles may have levels (kdr_system_run). */
    bool levels;
    const kdr_force *forces; /* on single particles, in addition to `accelerations` */
    size_t force_count;
    const kdr_interaction *interactions; /* see pairs.h */
    size_t interaction_count;
    /* Rods between particles (distance_constraints.h). */
    const kdr_distance *distances;
    size_t distance_count;
    double distance_tolerance; /* these three as in kdr_distance_constraints_desc */
    uint32_t distance_sweeps;
    double distance_relaxation;
    kdr_composition compose;
    /* True: `accelerations` depends on v. Some methods then fail or have a lower order. */
    bool velocity_dependent;
    const kdr_substeps *substeps;
    /* Periodic: `accelerations` must use nearest images, as spring networks and distances do. Within a step positions may be outside of the
     * box. Absorbing: a particle that is outside when a step begins is inactive, also in kdr_particles::active. */
    kdr_boundary boundary;
    kdr_langevin langevin;
    /* Colliders act at the end of each step, after distances. Particles joined by distances collide as one molecule. */
    const kdr_collider *colliders;
    size_t collider_count;
    /* Distances take precedence over constraints of the same particle. */
    const kdr_constraint *constraints;
    size_t constraint_count;
    kdr_magnetic_fn *magnetic; /* for boris, vay and higuera-cary; added to the fields of `forces` */
    /* Particles joined by distances have no residuals. */
    bool compensated;
    kdr_potential_fn *potential; /* for kdr_system_observe (observe.h) only */
    /* User-defined functions get momentum over mass in place of v. */
    double speed_of_light;
    /* Processes that share the work of gravity (pairs.h). */
    kdr_communicator communicator;
    const kdr_watch *watches;
    size_t watch_count;
    kdr_slopes_fn *slopes; /* for implicit methods only */
    /* With levels, the interval is counted in steps of the highest level. */
    bool flush_small_to_zero;
    double dt;
} kdr_system_desc;

KDR_API void kdr_system_desc_init(kdr_system_desc *desc, size_t size);
static inline kdr_system_desc kdr_system_desc_default(void) {
    kdr_system_desc desc;
    kdr_system_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_system kdr_system;

/* Checks the description and creates *system. Several threads may run it at once with separate particles and workspaces, if the functions
 * allow it. Errors: those of kdr_integrator_create. */
KDR_API kdr_status kdr_system_create(const kdr_system_desc *desc, kdr_system **system, kdr_error *error);
KDR_API void kdr_system_destroy(kdr_system *system);

/* Replaces `forces` or the colliders, as kdr_integrator_set_forces and kdr_integrator_set_colliders do, with their errors. Runs with a
 * workspace that is now too small fail with KDR_ERROR_MISMATCH. */
KDR_API kdr_status kdr_system_set_forces(kdr_system *system, const kdr_force *forces, size_t count, kdr_error *error);
KDR_API kdr_status kdr_system_set_colliders(kdr_system *system, const kdr_collider *colliders, size_t count, kdr_error *error);
KDR_API const kdr_method_info *kdr_system_method(const kdr_system *system);
KDR_API kdr_backend kdr_system_backend(const kdr_system *system);

/* Returns the distances, for kdr_distance_constraints_max_violation; NULL without any. They belong to *system. */
KDR_API const kdr_distance_constraints *kdr_system_distance_constraints(const kdr_system *system);

/* Scratch memory of one run at a time. It needs no initialisation. */
typedef struct kdr_workspace {
    void *memory;            /* from the caller or kdr_workspace_create, at any address */
    size_t size;             /* bytes */
    kdr_allocator allocator; /* for kdr_workspace_destroy; {0}: `memory` is not freed */
} kdr_workspace;

/* Returns the bytes that a workspace needs for `count` particles; 0 if anything is out of range. */
KDR_API size_t kdr_system_workspace_size(const kdr_system *system, size_t count, int dims);

/* Allocates a workspace. An allocator of {0} is the system's. Errors: KDR_ERROR_ARGUMENT, KDR_ERROR_OVERFLOW, KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_workspace_create(const kdr_system *system, size_t count, int dims, kdr_allocator allocator, kdr_workspace *workspace,
                                        kdr_error *error);
KDR_API void kdr_workspace_destroy(kdr_workspace *workspace);

/* Advances particles and clock by `steps` steps, in any layout. It differs from kdr_integrator_run in these rules.
 *
 * If a user-defined function fails, the run returns its status; a nonconverged implicit step returns KDR_ERROR_ARGUMENT. Particles and
 * clock are then at the end of the last complete step, from which another run continues.
 *
 * Set memory_key to 0 if a function computes something else, or particles were added, removed or moved. A run needs at most 96 KB of stack
 * per thread, plus that of the functions. With levels, colliders and boundary act at the end of the clock's step.
 *
 * Errors: those of kdr_integrator_run and of the functions. KDR_ERROR_NULL, KDR_ERROR_MISMATCH and KDR_ERROR_OVERLAP for the workspace.
 * KDR_ERROR_MISMATCH for forces that name missing particles. KDR_ERROR_UNSUPPORTED for levels without kdr_system_desc::levels. */
KDR_API kdr_status kdr_system_run(const kdr_system *system, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                  const kdr_workspace *workspace, kdr_error *error);

/* Runs particles that do not interact, in blocks of hundreds. The executor's threads call `accelerations` with the particles of one block,
 * from first_id on. Results must not depend on the size of blocks. The bits are those of kdr_system_run, except that after a collision only
 * the colliding particle gets a new acceleration.
 *
 * If `accelerations` fails, the clock does not change, memory_key becomes 0, contacts are not recorded, and each particle is at the end of
 * some step. Errors: those of kdr_system_run, and KDR_ERROR_NO_MEMORY. KDR_ERROR_UNSUPPORTED for interactions, distances, rows, levels,
 * watches, implicit and kinematic methods. */
KDR_API kdr_status kdr_system_run_blocks(const kdr_system *system, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                         kdr_error *error);

/* Writes a state between steps into `to`, as kdr_integrator_sample does. If a user-defined function fails, `to` has the state of
 * `particles`. Errors: those of kdr_system_run, KDR_ERROR_MISMATCH, KDR_ERROR_ARGUMENT, KDR_ERROR_OVERLAP. */
KDR_API kdr_status kdr_system_sample(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, double fraction,
                                     const kdr_workspace *workspace, kdr_particles *to, kdr_error *error);

/* Returns the error of kdr_system_run before its first step, without errors of the workspace. */
KDR_API kdr_status kdr_system_check(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                    kdr_error *error);

/* Do what the functions kdr_integrator_... of the same name do. The digest has user-defined functions only as present or absent.
 * kdr_system_explain also describes an evaluation of the accelerations. */
KDR_API kdr_langevin kdr_system_langevin(const kdr_system *system);
KDR_API uint64_t kdr_system_digest(const kdr_system *system);
KDR_API uint64_t kdr_system_memory_key(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock);
KDR_API size_t kdr_system_explain(const kdr_system *system, int dims, bool masses, char *text, size_t size);

/* Returns the number of calls of `accelerations`. Bounces and implicit methods may change it. */
KDR_API uint64_t kdr_system_evaluations(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps);

#ifdef __cplusplus
}
#endif
#endif
