/* Coupled runs: particles that feel each other, or a force that only the caller can compute for all particles at once. And the passes over
 * all particles that such runs are made of, for simulations that compose their own.
 *
 * Everything here gives the same bits on every backend, for every count, alignment and number of threads. */
#ifndef KICKDRIFT_COUPLED_H
#define KICKDRIFT_COUPLED_H

#include <kickdrift/distances.h>
#include <kickdrift/integrator.h>
#include <kickdrift/pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How passes are made: chosen once, used from any thread. */
typedef struct kdr_pass_options {
    kdr_arithmetic arithmetic;
    kdr_backend backend; /* one that runs here */
    kdr_executor executor;
    const struct kdr_kernels *kernels[KDR_REAL_COUNT]; /* of that backend and arithmetic */
} kdr_pass_options;

/* Fills *options, which is untouched on failure. KDR_BACKEND_AUTO is resolved as kdr_backend_choose does, whose errors
 * these are; KDR_ERROR_ARGUMENT for another arithmetic. `error` may be NULL. */
KDR_API kdr_status kdr_pass_options_choose(kdr_arithmetic arithmetic, kdr_backend backend, kdr_executor executor, kdr_pass_options *options,
                                           kdr_error *error);

/* Passes over all particles, wherever x and v lie, each one sweep over them.
 *
 * `a`: a plain array of `count` accelerations an axis, apart from x and v; where those are rows, `double x[n][3]`, rows too if the caller
 * likes: a[0], a[0] + 1 and a[0] + 2, the fastest there. h: rounded to the particles' precision; any finite number, 0 and less too.
 * Frozen particles (inverse mass 0) and those that are not active keep every bit; levels are refused: a pass does the same to all. What the
 * particles carry for a run (memory, compensation) is void afterwards: memory_key becomes 0.
 *   kick        v += h a               one fma a component, in the unfused arithmetic a product and a sum
 *   drift       x += h v               likewise
 *   kick_drift  v += h_kick a;  x += h_drift v
 * KDR_ERROR_NULL, KDR_ERROR_NOT_FINITE (h), KDR_ERROR_ARGUMENT (options that were not filled in), KDR_ERROR_UNSUPPORTED (levels),
 * KDR_ERROR_OVERLAP (a and x or v), and the errors of kdr_particles_check. */
KDR_API kdr_status kdr_kick(kdr_particles *particles, double h, void *const a[3], const kdr_pass_options *options, kdr_error *error);
KDR_API kdr_status kdr_drift(kdr_particles *particles, double h, const kdr_pass_options *options, kdr_error *error);
KDR_API kdr_status kdr_kick_drift(kdr_particles *particles, double h_kick, double h_drift, void *const a[3],
                                  const kdr_pass_options *options, kdr_error *error);

/* Sets a[i][0 .. count) of every particle, plain arrays, at time t. The x and v that count are those of `particles`, by its layouts:
 * splitting methods step the caller's own arrays (velocity-verlet-pc's predicted v lies elsewhere), stages of other methods lie in plain
 * ones. a[i] may be particles->memory[i] of the view that is run, where that is a plain array, and has then that address, aligned or not;
 * else it is aligned. It is called from the thread that called kdr_coupled_run. Anything but KDR_OK stops the run. */
typedef kdr_status kdr_accelerations_fn(void *context, const kdr_particles *particles, double t, void *const a[3]);

/* Sets the magnetic field that each particle feels, plain arrays, at time t: m = charge B / mass, so that dv/dt = a + v cross m. On three
 * axes m[0], m[1] and m[2], in a plane m[2] alone, which is across it; on one axis it is not called. It is called behind the accelerations,
 * with the same particles; what forces of the list have of a magnetic field is added. Anything but KDR_OK stops the run. */
typedef kdr_status kdr_magnetic_fn(void *context, const kdr_particles *particles, double t, void *const m[3]);

/* Sets *energy to the potential energy of what kdr_accelerations_fn computes, all particles together, at time t. `particles` are those that
 * are observed, on their layouts. Anything but KDR_OK is handed on. */
typedef kdr_status kdr_potential_fn(void *context, const kdr_particles *particles, double t, double *energy);

/* Sets the slopes of what kdr_accelerations_fn computes, for implicit methods: of each particle n the symmetric part of
 * da_n/dv_n + th da_n/dx_n by its own place and velocity, at the particles' x and v and time t; plain arrays, D = particles->dims:
 * g[0 .. D) the diagonal, behind it xy in a plane, in space xy, xz, yz. It is called behind the accelerations, with the same particles.
 * They lead the iteration and are no part of what is solved: what is left out, as the stiffness across a spring that is compressed, costs
 * iterations and no accuracy. Where they are not finite the step is not solved. Anything but KDR_OK stops the run. */
typedef kdr_status kdr_slopes_fn(void *context, const kdr_particles *particles, double t, double th, void *const g[6]);

typedef struct kdr_coupled_desc {
    size_t size; /* bytes: kdr_coupled_desc_default() sets it, and nothing else */
    /* Default KDR_VELOCITY_VERLET: of a family whose kdr_family_info::coupled is true, but for KDR_EXACT_AFFINE. KDR_STRANG_AFFINE moves
     * each particle by the affine map of its `forces`, whatever their stiffness, and kicks it by all else between two halves of that: by
     * the midpoint rule where something else depends on v (two evaluations). In KDR_KINEMATIC_SUM all else contributes by average. Where
     * particles have masses or arrays of their own the maps are made at the beginning of each call: 0.3 microseconds a particle, 15 beside
     * a magnetic field. Make calls of many steps there. Both refuse `compose` and runs in blocks. */
    kdr_method method;
    kdr_real real; /* default KDR_F64 */
    kdr_arithmetic arithmetic;
    kdr_backend backend;
    kdr_executor executor;               /* of the passes; the function below brings its own threads */
    const kdr_tableau *tableau;          /* default NULL; a method of the caller's own, as kdr_integrator_desc has it */
    const kdr_fractions *fractions;      /* default NULL; fractions of the caller's own, as kdr_integrator_desc has them */
    kdr_accelerations_fn *accelerations; /* default NULL. The accelerations are what it sets, */
    void *context;
    /* default false; true: x, v and what the function sets are all rows, `double a[n][3]`: a[i] of particle n lies n dims elements on from
     * a[i] = a[0] + i elements. Then nothing is brought into another order. Of splitting methods but velocity-verlet-pc, whose
     * accelerations are the function's alone, and of particles without a memory; not in blocks. */
    bool rows;
    /* default false; true: particles may have levels, time steps of their own (see kdr_coupled_run), for which the workspace has 9 bytes a
     * particle more. Of velocity-verlet, position-verlet and magnetic methods, also composed, semi-implicit-euler, drift-kick-euler and
     * baoab, and fractions of the caller's own whose drifts are one, or two of 1/2, and whose kicks are at most one before, between and
     * behind them each; not in blocks. */
    bool levels;
    const kdr_force *forces; /* plus the field of these: computed as in a field run, then added, one addition. Without the function: the
                                field alone */
    size_t force_count;
    const kdr_coupled_force *coupled; /* `coupled_count` entries, copied: gravity and nets (pairs.h), added then, in their order */
    size_t coupled_count;
    /* Distances that are kept (distances.h). Of splitting methods positions after each drift, with the state before it as the start and its
     * length as the step (where two substeps of a composed method meet there are two drifts), and velocities at the end of the step: of
     * velocity Verlet that is RATTLE. Of baoab likewise, at each of its two drifts: as positions do not depend on velocities along what was
     * held where the drift began, that samples as Leimkuhler and Matthews's g-BAOAB does (Proc. R. Soc. A 472 (2016) 20160138). Of magnetic
     * methods after each drift and about each turn, before and after which half of an impulse comes: of order 2, and of higher order
     * composed; with levels at the end of the clock's step alone. Of other methods both at the end of the step, from its beginning: of
     * order 2 at most, and of order 1 where a magnetic field acts. velocity-verlet-pc is refused. In a periodic boundary they are between
     * nearest images. */
    const kdr_distance *distances; /* `distance_count` entries, copied */
    size_t distance_count;
    double distance_tolerance;  /* default 0: as kdr_distances_desc has it */
    uint32_t distance_sweeps;   /* default 1000 */
    double distance_relaxation; /* default 1 */
    /* Default KDR_COMPOSE_NONE and NULL; a method composed, as kdr_integrator_desc has it. Velocity Verlet with distances is then RATTLE
     * of the order of the composition; of methods that are not made of kicks and drifts, distances are kept at the end of a whole step. */
    kdr_composition compose;
    /* default false: what the function sets depends on x and t alone; true: on v too, which the Nystrom methods that accept no force of v
     * refuse (kdr_method_info::velocity_forces). Nobody else can tell, and such a method would be of order 1 there. */
    bool velocity_dependent;
    const kdr_substeps *substeps;
    /* Default none. Periodic: a step puts positions back once, where it has its last ones: velocity-verlet, and whatever keeps its
     * acceleration, before the evaluation there, so that the function sees it done; other methods at the step's end; with colliders or
     * constraints after them. Between, positions may lie outside by as much as a step moves them. kdr_particles::images counts. What the
     * function computes must not care which image it is given; nets and distances are between nearest images (pairs.h, distances.h);
     * gravity acts between particles as they lie, and is refused. Absorbing: who is outside when a step begins is as one that is not
     * active, in p->active too. Its memory is then the acceleration at the end of the last step that it took; of one that was outside when
     * the run began, what it was. */
    kdr_boundary boundary;
    kdr_langevin langevin; /* default 0: the heat bath of baoab, as kdr_integrator_desc has it; the function must not depend on v */
    /* Default none. Each whole step meets them, as in kdr_integrator_desc, after the distances are kept. Particles that distances join
     * meet them as molecules (distances.h). Refused (KDR_ERROR_UNSUPPORTED) beside `magnetic`, beside distances and constraints at once,
     * and with levels or distances beside a magnetic field of `forces`. If a collider, or a periodic boundary beside colliders, changes a
     * particle, a method that keeps its acceleration evaluates that of all particles once more. */
    const kdr_collider *colliders; /* `collider_count` surfaces, copied */
    size_t collider_count;
    /* Default none; constraint.h says when they hold. Of constraints and distances on one particle distances hold at the end of a drift. */
    const kdr_constraint *constraints; /* `constraint_count` of them, copied */
    size_t constraint_count;
    kdr_magnetic_fn *magnetic; /* default NULL; of boris, vay, higuera-cary: called with `context`; that of `forces` is added */
    /* default false; true: what rounding takes from x and v is carried along, in particles->compensation too, as kdr_integrator_desc has
     * it. Who is held by a distance carries nothing. */
    bool compensated;
    kdr_potential_fn *potential; /* default NULL; called with `context`, by kdr_coupled_observe (observe.h) alone */
    /* Default 0: no limit; else c, as kdr_integrator_desc has it: v, which the functions see too, is momentum over mass. Distances
     * are refused then. */
    double speed_of_light;
    /* default this process alone; else processes that share out the gravity of `coupled` (pairs.h), all with the same particles, before the
     * run and behind it. Where levels want the accelerations of some particles alone each process computes those by itself. */
    kdr_team team;
    /* Default none: what a run writes down in kdr_particles::events, with the state of all particles taken again, shortened, for each event
     * (event.h). Without rows, and not in blocks. */
    const kdr_watch *watches; /* `watch_count` of them, copied; at most KDR_MAX_WATCHES */
    size_t watch_count;
    kdr_slopes_fn *slopes; /* default NULL; called with `context`, beside `accelerations`, by implicit methods alone */
    /* Default false; true: as kdr_integrator_desc has it, behind distances and before walls. With levels the clock that is looked at is
     * that of the highest level, at the ends of the caller's steps. */
    bool rest_to_zero;
    /* Default 0: any; else the step that most runs will take, as kdr_integrator_desc has it: the kinematic family's map, where it is the
     * same for all particles, is then made once, and not at each call. It changes no result. */
    double dt;
} kdr_coupled_desc;

/* Writes the defaults into a description of `size` bytes, which are those of the caller's header: what follows, and bindings, call it. */
KDR_API void kdr_coupled_desc_init(kdr_coupled_desc *desc, size_t size);
static inline kdr_coupled_desc kdr_coupled_desc_default(void) {
    kdr_coupled_desc desc;
    kdr_coupled_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_coupled kdr_coupled;

/* As kdr_integrator_create, errors too. One may be run from many threads at once, on different particles with a workspace each, where
 * `accelerations` may. */
KDR_API kdr_status kdr_coupled_create(const kdr_coupled_desc *desc, kdr_coupled **coupled, kdr_error *error);
KDR_API void kdr_coupled_destroy(kdr_coupled *coupled); /* NULL is allowed */

/* Gives it other `forces`, as kdr_integrator_set_forces does: all else stays, coupled forces, distances and functions among it. A workspace
 * that was made before may be too small for them: the next run says so (KDR_ERROR_MISMATCH). */
KDR_API kdr_status kdr_coupled_set_forces(kdr_coupled *coupled, const kdr_force *forces, size_t count, kdr_error *error);

/* Gives it other colliders, as kdr_integrator_set_colliders does. A workspace that was made before may be too small where there were none:
 * the next run says so (KDR_ERROR_MISMATCH). */
KDR_API kdr_status kdr_coupled_set_colliders(kdr_coupled *coupled, const kdr_collider *colliders, size_t count, kdr_error *error);
KDR_API const kdr_method_info *kdr_coupled_method(const kdr_coupled *coupled);
KDR_API kdr_backend kdr_coupled_backend(const kdr_coupled *coupled);

/* The distances that it keeps, in its boundary's box, NULL: none. kdr_distances_worst tells of them how well they are kept: sweeps that end
 * short of the tolerance are no error (distances.h). They are the coupled run's and live as long. */
KDR_API const kdr_distances *kdr_coupled_distances(const kdr_coupled *coupled);

/* The memory that a run needs beside the particles. Its contents need no initialisation, and nothing in it outlives a run. */
typedef struct kdr_workspace {
    void *memory;            /* at any address; the caller's, or kdr_workspace_create's */
    size_t size;             /* bytes */
    kdr_allocator allocator; /* what kdr_workspace_destroy gives it back to; {0}: nothing to give back */
} kdr_workspace;

/* What a run of `count` particles on `dims` axes needs, in bytes; 0 when an argument is out of range, or so many would not fit. Velocity
 * Verlet: 4 arrays an axis, two of which are reserved rather than used, and two more with coupled forces; rk4: 10; and some 12 KB. */
KDR_API size_t kdr_coupled_workspace_size(const kdr_coupled *coupled, size_t count, int dims);

/* Allocates one. An allocator of {0} is the system's, with huge pages where there are any. KDR_ERROR_NULL, KDR_ERROR_ARGUMENT
 * (dims, half an allocator), KDR_ERROR_OVERFLOW (count), KDR_ERROR_NO_MEMORY; *workspace is untouched then. */
KDR_API kdr_status kdr_workspace_create(const kdr_coupled *coupled, size_t count, int dims, kdr_allocator allocator,
                                        kdr_workspace *workspace, kdr_error *error);
KDR_API void kdr_workspace_destroy(kdr_workspace *workspace); /* NULL is allowed */

/* Advances the particles by `steps` steps and the clock with them, in the order of operations of field runs: a function that computes a
 * field gives the bits of the field run (in a periodic box, where the field has the box's period; where accelerations depend on the
 * velocity and a method keeps them, until a particle meets a wall: see kdr_coupled_run_blocks; with colliders, where the field is constant:
 * see collider.h). Frozen particles (inverse mass 0) keep
 * every bit, and every evaluation sees them where they are.
 *
 * When the function fails the run stops with its status, and particles and clock are at the end of the last step that is whole, to the bit:
 * clock->step says which. A run that goes on from there is the run that did not fail.
 *
 * Positions and velocities on any layout, their bits those of plain arrays: splitting methods step rows, `double x[n][3]`, where they lie,
 * at two thirds to all of the speed of plain arrays; members of structures and blocks of arrays go through a first-level cache a few dozen
 * particles at a time, structures at half to nine tenths of that speed. Runge-Kutta and Nystrom methods, and runs with coupled forces,
 * work on plain copies in the workspace. Every other array of the view, and those of `forces`, may have a layout too. Particles that are
 * not active are as good as frozen. A run needs at most 48 KB of stack on each of its threads, with `forces`, slopes of an implicit method
 * or maps of a kinematic one 80 KB, and where it is watched 96 KB, beside what the function needs.
 *
 * particles->memory is as in a field run: a method that keeps its acceleration goes on from it without an evaluation, and a run that is
 * cut into calls gives the bits of one call. No bit of it changes where a particle is frozen or not active, whatever the function sets. It
 * belongs to the description (without the function, which has no name): set memory_key to 0 when the function has changed what it computes,
 * and where particles have come, gone or been moved, for what is left feels it. With coupled forces or distances it belongs to the count
 * too: a run of more or fewer particles begins with an evaluation by itself.
 * Without it every call of such a method begins with an evaluation more.
 *
 * Implicit methods solve V = v + th a(x + th V, V, t + th), th = dt or dt / 2, for all particles together, by iterations of an evaluation
 * each. These have the derivatives of `forces`, stiff ones too, and with nets and `slopes` a matrix for each particle of what acts on it by
 * others: block Jacobi, with Chebyshev's acceleration where that is slow, 10000 iterations at most. Springs of angular frequency omega take
 * some 23 omega th iterations, 14 in f32, at omega th of 1 to 100: an explicit method that takes omega dt / 2 steps is faster where it does
 * what is wanted. A spring that is compressed by more than a share (omega th)^-2 of its length buckles, and the step may not be solved.
 * Gravity, and `accelerations` without `slopes`, are taken by fixed points, 100 at most without nets and slopes: th times their derivative
 * by v, and th^2 times that by x, must stay below some 0.6, and omega th of springs below 0.8. A step that is not solved is none: the run
 * ends with KDR_ERROR_ARGUMENT at the end of the step before. Without `accelerations` and `coupled` results are those of field runs but for
 * roundings.
 *
 * Levels (desc.levels) are block time steps, as N-body programs have them (Quinn, Katz, Stadel, Lake, astro-ph/9710043; Springel, Mon. Not.
 * R. Astron. Soc. 364 (2005) 1105). With L the highest level of an active particle that moves, a step of the clock is 2^L substeps of
 * h = dt / 2^L. A particle of level n takes 2^n steps of its own in it, of 2^(L - n) substeps each. A substep of velocity Verlet:
 *   v += (dt / 2^n) / 2 a   the particles that begin a step of their own, by the acceleration that they have
 *   x += h v                all that move: one operation a component, so that everybody is somewhere whenever anybody is evaluated
 *   a = a(x, v, t)          at its end, of the particles whose step ends there, and of no others
 *   v += (dt / 2^n) / 2 a   these
 * and of semi-implicit Euler: a, then v += (dt / 2^n) a, of the particles that begin a step; x += h v of all; of drift-kick-euler x += h v
 * of all; a, then v += (dt / 2^n) a, of the particles whose step ends there. Of position Verlet a substep is x += (h / 2) v of all, twice,
 * and behind each half where particles are in the middle of a step of their own, as those of level L are in that of a substep and others
 * at the end of one: a, then v += (dt / 2^n) a, of these. Fractions of the caller's own with two drifts do all of it. baoab kicks as
 * velocity Verlet and drifts as position Verlet; in the middle of a step of its own a particle meets the heat bath for dt / 2^n, behind the
 * kicks of others there, with the noise of its step on a clock of its own, (clock->step) 2^n + k in step k of 2^n. boris, vay and
 * higuera-cary drift as position Verlet, near the speed of light by u / gamma, and in the middle of a particle's own step kick, turn and
 * kick it by what is evaluated there, in its own dt / 2^n. Particles within a step are seen where they have drifted to, with the velocity
 * since their last kick. One level n for all gives the bits of 2^n steps of dt / 2^n without levels; L is the same for all particles, so
 * that the bits of each depend on it.
 *
 * Composed (desc.compose, desc.substeps) methods take all of that in each part of the clock's step, w_s dt in
 * place of dt: at the end of a part all steps end. A step of levels is the same backwards, so that the whole has the order of the
 * composition, of forces that do not depend on v. Where one part ends and the next begins there are two kicks, or two drifts, whether the
 * particles have levels or not. Methods that kick elsewhere than at the beginning, in the middle and at the end of a step take no levels:
 * the middle is the one time within a step at which steps of half its length end.
 *
 * The function is called once where particles are kicked. Where not all particles that move are wanted, p->active marks those that are:
 * never frozen ones, nor those that the caller's marks leave out. What it sets for others is not looked at. Of the built-in forces gravity
 * is evaluated for the wanted particles alone, with the bits of an evaluation for all; nets and fields for all particles. Of the passes the
 * drift goes over all particles, a kick over those that are kicked.
 *
 * Distances and constraints are held behind each drift of all, and velocities along them taken at the end of the clock's step. Colliders
 * and the boundary meet the clock's step as a whole, as that of a composed method: what bounces is off in second order of dt, whatever its
 * level. Who is outside of an absorbing boundary when the clock's step begins has no part in it, nor in L. With any of them one level for
 * all is not to the bit as many short steps, which would meet them oftener.
 *
 * At the end of a step of the clock all steps end, and the memory holds the acceleration there. Between two calls, then, levels may be
 * given, changed and taken away, and memory_key stays; a particle of baoab whose level falls may meet noise that it has met. When the
 * function fails in any substep, particles and clock are at the end of the last whole step of the clock: a run that may fail copies x and v
 * once a step of it.
 *
 * Errors: those of kdr_integrator_run; KDR_ERROR_NULL without memory in the workspace, KDR_ERROR_MISMATCH where it is too small or forces
 * name more particles than there are, KDR_ERROR_OVERLAP where it is memory of the particles'; KDR_ERROR_UNSUPPORTED for levels without
 * desc.levels; and what the function returns; KDR_STOPPED (event.h). A run that becomes infinite or NaN is KDR_OK too, as that of a net
 * with too long a step: kdr_first_non_finite (observe.h) finds the particle. A workspace is of one run at a time. */
KDR_API kdr_status kdr_coupled_run(const kdr_coupled *coupled, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                   const kdr_workspace *workspace, kdr_error *error);

/* kdr_coupled_run where particles do not feel each other, the function being a field: in blocks of hundreds of particles, two thousand at
 * the most, each taken through all steps while it is in a cache before the next is begun. The function is called for a block: `particles`
 * are those of it, inverse masses and ids too, and first_id is the view's plus the block's place in it, by which the caller finds arrays
 * of his own. It must give a particle the same accelerations whatever block it is in, and is called from the executor's threads. Bits,
 * counts and memory are those of kdr_coupled_run; of coupled forces there may be none. Colliders, constraints and boundaries are met in
 * the cache too. Where colliders have changed a particle, a method that keeps its acceleration evaluates its block once
 * more, and that particle alone has the new one, as in a field run: where the function or `forces` depend on the velocity kdr_coupled_run
 * has other bits there, for it gives all particles new ones. Each range of the executor allocates and frees one workspace, a few hundred
 * kilobytes at most.
 *
 * When the function fails no further block is begun; the clock stays, and memory_key becomes 0. Every particle is at the end of a whole
 * step: of the failing block of the last one, of other blocks of the first or, unless several threads were at work, of none or all; the
 * message says which block it was, and after how many steps; no contact is written down.
 *
 * Errors: those of kdr_coupled_run; KDR_ERROR_UNSUPPORTED for coupled forces, rows, levels, watches and implicit methods;
 * KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_coupled_run_blocks(const kdr_coupled *coupled, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                          kdr_error *error);

/* Dense output, as kdr_integrator_sample's: writes into `to` the state at t0 + (step + fraction) dt, which is that after a step of all
 * particles that is shortened to fraction dt, and changes neither `particles` nor `clock`. Each particle with a level takes the steps of
 * its level in it, shortened too. x, v and images of `to` are used as there. The function is called as in a run of one step; where it
 * fails, `to` is what the particles are.
 * Errors: those of kdr_coupled_run for `particles`, of kdr_particles_check for `to`; KDR_ERROR_MISMATCH for a `to` of another count, axes
 * or precision, or with desc.rows for one that is not in rows; KDR_ERROR_ARGUMENT for a fraction that is not from 0 to 1;
 * KDR_ERROR_OVERLAP for a `to` in the workspace or in an array of `particles`. */
KDR_API kdr_status kdr_coupled_sample(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock, double fraction,
                                      const kdr_workspace *workspace, kdr_particles *to, kdr_error *error);

/* What kdr_coupled_run with these arguments would refuse, whatever its workspace: its errors, but for those of the workspace. */
KDR_API kdr_status kdr_coupled_check(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                     kdr_error *error);

/* The heat bath it was described with; all 0 for NULL. */
KDR_API kdr_langevin kdr_coupled_langevin(const kdr_coupled *coupled);

/* As kdr_integrator_digest: over the description's coupled forces with gravity's mu and each spring, distances with what they are kept by,
 * and everything that a field run's digest is over. Of the caller's functions it knows whether there are any, and not what they do. */
KDR_API uint64_t kdr_coupled_digest(const kdr_coupled *coupled);

/* As kdr_integrator_memory_key, of particles that a run of this description has left. */
KDR_API uint64_t kdr_coupled_memory_key(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock);

/* As kdr_integrator_explain: the lines of a step, what an evaluation adds up and which distances are kept. */
KDR_API size_t kdr_coupled_explain(const kdr_coupled *coupled, int dims, bool masses, char *text, size_t size);

/* How often a call of kdr_coupled_run with these arguments evaluates accelerations, which is how often the function is called; with
 * colliders once more after each step whose end they change, where the method keeps its acceleration. With levels it is 2^L
 * times a step of the clock, or each part of a composed one, most times for few particles; twice that for fractions that kick between two
 * drifts and at an end of the step too; of position-verlet the sum of 2^n over the levels n that there are. Of them a particle of level n
 * has 2^n, or twice that. 0 for a view that runs refuse. Of implicit methods it is what the table of methods says, though they evaluate as
 * often as their equation takes: count in the function what a run has done. */
KDR_API uint64_t kdr_coupled_evaluations(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock,
                                         uint64_t steps);

#ifdef __cplusplus
}
#endif
#endif
