/* Coupled runs: steps of particles that interact, or whose accelerations the caller computes for all of them at once. Also the passes
 * that such runs consist of, for step loops of the caller's.
 *
 * Pages in share/doc/kickdrift/docs: use/interactions.md has a table of the methods and members that go together; all else is refused
 * (KDR_ERROR_UNSUPPORTED). methods/rules.md has the exact schemes. */
#ifndef KICKDRIFT_COUPLED_H
#define KICKDRIFT_COUPLED_H

#include <kickdrift/distances.h>
#include <kickdrift/integrator.h>
#include <kickdrift/pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of the passes, filled by kdr_pass_options_choose. Many threads may share them. */
typedef struct kdr_pass_options {
    kdr_arithmetic arithmetic;
    kdr_backend backend; /* never KDR_BACKEND_AUTO */
    kdr_executor executor;
    const struct kdr_kernels *kernels[KDR_REAL_COUNT]; /* internal */
} kdr_pass_options;

/* Fills *options. KDR_BACKEND_AUTO becomes the best backend. Errors: KDR_ERROR_ARGUMENT (arithmetic), and those of kdr_backend_choose. */
KDR_API kdr_status kdr_pass_options_choose(kdr_arithmetic arithmetic, kdr_backend backend, kdr_executor executor, kdr_pass_options *options,
                                           kdr_error *error);

/* Passes over all particles, with x and v in any layout. Each += is a fused multiply-add, or a product and a sum in the unfused
 * arithmetic.
 *     kdr_kick        v += h a
 *     kdr_drift       x += h v
 *     kdr_kick_drift  v += h_kick a;  x += h_drift v
 *
 * `a` holds one plain array of `count` accelerations per axis, which must not overlap x or v. If x and v are rows `double x[n][3]`, `a`
 * may be rows too: a[0], a[0] + 1, a[0] + 2. The finite step h is rounded to the particles' precision. Frozen and inactive particles
 * keep every bit. memory_key becomes 0.
 *
 * Errors: KDR_ERROR_NOT_FINITE (h), KDR_ERROR_ARGUMENT (options that kdr_pass_options_choose did not fill), KDR_ERROR_UNSUPPORTED (a
 * view with levels), KDR_ERROR_OVERLAP, and those of kdr_particles_check. */
KDR_API kdr_status kdr_kick(kdr_particles *particles, double h, void *const a[3], const kdr_pass_options *options, kdr_error *error);
KDR_API kdr_status kdr_drift(kdr_particles *particles, double h, const kdr_pass_options *options, kdr_error *error);
KDR_API kdr_status kdr_kick_drift(kdr_particles *particles, double h_kick, double h_drift, void *const a[3],
                                  const kdr_pass_options *options, kdr_error *error);

/* Sets a[i][0 .. count), plain arrays, to the accelerations of all particles at time t. `particles` has the x and v to use, in any
 * layout; with levels its `active` marks the wanted ones. The array a[i] may be the view's memory[i]. The thread that called the run
 * calls it. Any status but KDR_OK ends the run. */
typedef kdr_status kdr_accelerations_fn(void *context, const kdr_particles *particles, double t, void *const a[3]);

/* Sets the magnetic field m = charge B / mass of every particle at time t, in plain arrays, so that dv/dt = a + v cross m. It sets m[0],
 * m[1], m[2] on three axes and only m[2] on two; on one axis it is not called. It is called after the accelerations, with the same
 * particles. Any status but KDR_OK ends the run. */
typedef kdr_status kdr_magnetic_fn(void *context, const kdr_particles *particles, double t, void *const m[3]);

/* Sets *energy to the potential energy of kdr_accelerations_fn for all particles at time t. Any status but KDR_OK goes to the caller. */
typedef kdr_status kdr_potential_fn(void *context, const kdr_particles *particles, double t, double *energy);

/* Sets the slopes of kdr_accelerations_fn for implicit methods, in plain arrays: of each particle n the symmetric part of da_n/dv_n + th
 * da_n/dx_n, where th is dt or dt / 2. The diagonal is g[0 .. dims). The other elements follow: xy on two axes; xy, xz, yz on three. It
 * is called after the accelerations, with the same particles. Approximations cost iterations, not accuracy. Slopes that are not finite
 * leave the step unsolved. Any status but KDR_OK ends the run. */
typedef kdr_status kdr_slopes_fn(void *context, const kdr_particles *particles, double t, double th, void *const g[6]);

typedef struct kdr_coupled_desc {
    size_t size; /* set by kdr_coupled_desc_default() only */
    /* Default KDR_VELOCITY_VERLET. Any method of a family with kdr_family_info::coupled, except KDR_EXACT_AFFINE. KDR_STRANG_AFFINE has
     * the affine part of `forces` in its map, and kicks by all other accelerations. In KDR_KINEMATIC_SUM those contribute by
     * KDR_CONTRIBUTION_AVERAGE. */
    kdr_method method;
    kdr_real real; /* default KDR_F64 */
    kdr_arithmetic arithmetic;
    kdr_backend backend;
    kdr_executor executor;               /* of the passes, not of the functions below */
    const kdr_tableau *tableau;          /* default NULL; as in kdr_integrator_desc */
    const kdr_fractions *fractions;      /* default NULL; as in kdr_integrator_desc */
    kdr_accelerations_fn *accelerations; /* default NULL; called with `context` */
    void *context;
    /* Default false. True: x, v and accelerations are all rows, `double a[n][3]`: element i of particle n is a[0][n dims + i]. Only for
     * accelerations by the function alone, and views without memory. */
    bool rows;
    /* Default false. True: the view may have levels (see kdr_coupled_run). */
    bool levels;
    const kdr_force *forces; /* forces on single particles, copied; added to the accelerations */
    size_t force_count;
    const kdr_coupled_force *coupled; /* `coupled_count` entries, copied: gravity and nets (pairs.h) */
    size_t coupled_count;
    /* Default none. Distances between two particles that are kept (distances.h): in methods of kicks, drifts and turns after each drift,
     * in others at the end of a step. */
    const kdr_distance *distances; /* `distance_count` entries, copied */
    size_t distance_count;
    double distance_tolerance;  /* largest error of |x_b - x_a| / length; default 0: 16 units in the last place */
    uint32_t distance_sweeps;   /* default 1000 */
    double distance_relaxation; /* default 1 */
    /* Default KDR_COMPOSE_NONE and NULL; as in kdr_integrator_desc. */
    kdr_composition compose;
    /* Default false. True: the function depends on v. It must say so: some methods then refuse it or have a lower order. */
    bool velocity_dependent;
    const kdr_substeps *substeps;
    /* Default none. Periodic: each step moves positions back into the box once, before the evaluation that ends the step. Where no
     * evaluation ends it, or colliders or constraints act after the step, that happens at its end. Until then positions may lie outside.
     * `accelerations` must use nearest images; nets and distances do so themselves. Absorbing: a particle that is outside at the
     * beginning of a step counts as inactive, also in p->active. */
    kdr_boundary boundary;
    kdr_langevin langevin; /* default zeros; as in kdr_integrator_desc; the function must not depend on v */
    /* Default none. They act on each whole step, after distances, whose particles collide as one molecule (distances.h). */
    const kdr_collider *colliders; /* `collider_count` surfaces, copied */
    size_t collider_count;
    /* Default none (constraint.h). Distances of the same particle take precedence. */
    const kdr_constraint *constraints; /* `constraint_count` of them, copied */
    size_t constraint_count;
    kdr_magnetic_fn *magnetic; /* default NULL; for boris, vay and higuera-cary; called with `context`; the field of `forces` is added */
    /* Default false; as in kdr_integrator_desc. Particles of distances carry no residuals. */
    bool compensated;
    kdr_potential_fn *potential; /* default NULL; called with `context`, by kdr_coupled_observe (observe.h) only */
    /* Default 0: no limit; as in kdr_integrator_desc. The functions also see momentum over mass. */
    double speed_of_light;
    /* Default: this process alone. Otherwise processes with the same particles, which share the work of gravity (pairs.h). */
    kdr_team team;
    /* Default none. Their events go to kdr_particles::events (event.h). For each trial all particles take the step again. */
    const kdr_watch *watches; /* `watch_count` of them, copied; at most KDR_MAX_WATCHES */
    size_t watch_count;
    kdr_slopes_fn *slopes; /* default NULL; called with `context`, by implicit methods only */
    /* Default false; as in kdr_integrator_desc. With levels, steps of the highest level count. */
    bool rest_to_zero;
    /* Default 0. The usual dt of the runs, as in kdr_integrator_desc. */
    double dt;
} kdr_coupled_desc;

/* Sets the defaults, for bindings; `size` is sizeof *desc. */
KDR_API void kdr_coupled_desc_init(kdr_coupled_desc *desc, size_t size);
static inline kdr_coupled_desc kdr_coupled_desc_default(void) {
    kdr_coupled_desc desc;
    kdr_coupled_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_coupled kdr_coupled;

/* Checks the description, as kdr_integrator_create does, with its errors. Free *coupled with kdr_coupled_destroy. Many threads may run
 * it at once, each with its own particles and workspace, if the caller's functions allow it. */
KDR_API kdr_status kdr_coupled_create(const kdr_coupled_desc *desc, kdr_coupled **coupled, kdr_error *error);
KDR_API void kdr_coupled_destroy(kdr_coupled *coupled);

/* Replaces `forces`, as kdr_integrator_set_forces does, with its errors. If an older workspace is too small now, the next run fails with
 * KDR_ERROR_MISMATCH. */
KDR_API kdr_status kdr_coupled_set_forces(kdr_coupled *coupled, const kdr_force *forces, size_t count, kdr_error *error);

/* Replaces the colliders, as kdr_integrator_set_colliders does, with its errors. If an older workspace is too small now, the next run
 * fails with KDR_ERROR_MISMATCH. */
KDR_API kdr_status kdr_coupled_set_colliders(kdr_coupled *coupled, const kdr_collider *colliders, size_t count, kdr_error *error);
KDR_API const kdr_method_info *kdr_coupled_method(const kdr_coupled *coupled);
KDR_API kdr_backend kdr_coupled_backend(const kdr_coupled *coupled);

/* Returns the distances that it keeps, for kdr_distances_worst; NULL if there are none. They belong to *coupled. */
KDR_API const kdr_distances *kdr_coupled_distances(const kdr_coupled *coupled);

/* Memory of a run in addition to the particles, for one run at a time. Contents need no initialisation and do not outlive a run. */
typedef struct kdr_workspace {
    void *memory;            /* at any address; the caller's, or from kdr_workspace_create */
    size_t size;             /* bytes */
    kdr_allocator allocator; /* frees it in kdr_workspace_destroy; {0}: nothing to free */
} kdr_workspace;

/* Returns the size in bytes for `count` particles on `dims` axes; 0 if it or an argument is out of range. */
KDR_API size_t kdr_coupled_workspace_size(const kdr_coupled *coupled, size_t count, int dims);

/* Allocates a workspace. Free it with kdr_workspace_destroy. An allocator of {0} is the system's. Errors: KDR_ERROR_ARGUMENT (dims, half
 * an allocator), KDR_ERROR_OVERFLOW (count), KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_workspace_create(const kdr_coupled *coupled, size_t count, int dims, kdr_allocator allocator,
                                        kdr_workspace *workspace, kdr_error *error);
KDR_API void kdr_workspace_destroy(kdr_workspace *workspace);

/* Advances particles and clock by `steps` steps, in any layout. Frozen and inactive particles keep every bit; evaluations see them. If a
 * function fails, the run returns its status. Particles and clock are then at the end of the last whole step, to the bit, and another
 * run continues from there. An unsolved implicit step ends the run in the same way with KDR_ERROR_ARGUMENT. KDR_STOPPED and infinities:
 * as in kdr_integrator_run.
 *
 * With particles->memory, a run that is cut into calls has the bits of one call; without it each call evaluates once more. Set
 * memory_key to 0 when the function computes something else, or particles were added, removed or moved. The run needs at most 96 KB of
 * stack per thread, plus that of the functions.
 *
 * With desc.levels, a particle of level n takes 2^n steps of dt / 2^n. All particles drift together, each is kicked in its own steps,
 * and p->active marks those whose accelerations are needed. Colliders and boundary act at the end of the clock's step.
 *
 * Errors: those of kdr_integrator_run and of the functions. KDR_ERROR_NULL, KDR_ERROR_MISMATCH (too small) and KDR_ERROR_OVERLAP for the
 * workspace. KDR_ERROR_MISMATCH for forces that name missing particles. KDR_ERROR_UNSUPPORTED for levels without desc.levels. */
KDR_API kdr_status kdr_coupled_run(const kdr_coupled *coupled, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                   const kdr_workspace *workspace, kdr_error *error);

/* Runs particles that do not interact, in blocks of hundreds. Each block takes all steps while it is in a cache. The function gets the
 * particles of one block, whose first_id is that of the view plus the block's place. It must not depend on how blocks are cut, and the
 * executor's threads call it. Bits and memory are those of kdr_coupled_run, but after a collision only the particle itself gets a new
 * acceleration. Each range of the executor allocates a workspace.
 *
 * If the function fails, no further block begins. The clock stays, memory_key becomes 0, and contacts are not recorded. Each particle is
 * at the end of some whole step; the message names the block and its step. Errors: those of kdr_coupled_run. KDR_ERROR_UNSUPPORTED for
 * coupled forces, distances, rows, levels, watches, implicit and kinematic methods. KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_coupled_run_blocks(const kdr_coupled *coupled, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                          kdr_error *error);

/* Writes the state at t0 + (step + fraction) dt into `to`, as kdr_integrator_sample does. All particles take a shortened step. The
 * function is called as in a run of one step; if it fails, `to` has the state of `particles`.
 *
 * Errors: those of kdr_coupled_run, and of kdr_particles_check for `to`. KDR_ERROR_MISMATCH for another count, axes, precision, or with
 * desc.rows for a `to` that is not rows. KDR_ERROR_ARGUMENT (fraction), KDR_ERROR_OVERLAP (with workspace or `particles`). */
KDR_API kdr_status kdr_coupled_sample(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock, double fraction,
                                      const kdr_workspace *workspace, kdr_particles *to, kdr_error *error);

/* Returns the error that kdr_coupled_run with these arguments would return before its first step, except errors of the workspace. */
KDR_API kdr_status kdr_coupled_check(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                     kdr_error *error);

/* Returns the heat bath of the description; zeros for NULL. */
KDR_API kdr_langevin kdr_coupled_langevin(const kdr_coupled *coupled);

/* Returns a hash of everything that results depend on, as kdr_integrator_digest does. It includes mu, springs and distances. The
 * caller's functions count only as present or absent. */
KDR_API uint64_t kdr_coupled_digest(const kdr_coupled *coupled);

/* Returns the memory_key of particles after a run at this clock, as kdr_integrator_memory_key does. */
KDR_API uint64_t kdr_coupled_memory_key(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock);

/* Writes the operations of a step and of an evaluation as text, as kdr_integrator_explain does. */
KDR_API size_t kdr_coupled_explain(const kdr_coupled *coupled, int dims, bool masses, char *text, size_t size);

/* Returns the number of calls of the function by kdr_coupled_run with these arguments. Not included is one call per step in which
 * colliders change a particle, if the method has a memory. For implicit methods it assumes kdr_method_info::evaluations per step; count
 * in the function instead. 0 for a view that runs refuse. */
KDR_API uint64_t kdr_coupled_evaluations(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock,
                                         uint64_t steps);

#ifdef __cplusplus
}
#endif
#endif
