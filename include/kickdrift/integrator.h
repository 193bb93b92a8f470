/* Integrators: method + forces + precision + arithmetic + backend + executor, checked once, immutable (but for
 * kdr_integrator_set_forces and kdr_integrator_set_colliders).
 *
 * An integrator may be used from many threads at once, on different particles. Running it allocates nothing, prints nothing, and
 * gives the same bits on every backend, for every count, alignment, number of threads and rounding mode.
 *
 * The stack that a run may need on each of its threads, in builds optimised by gcc 12 and clang 14, is 52 KB on every backend; in driven
 * fields 44 KB more; of composed methods 16 KB more; with a mask, levels or arrays whose elements lie apart 40 KB more. Most of it is
 * touched by the first tile. A run that is watched and kdr_integrator_sample need 176 KB at most. No other function needs more than 26
 * KB. */
#ifndef KICKDRIFT_INTEGRATOR_H
#define KICKDRIFT_INTEGRATOR_H

#include <kickdrift/backend.h>
#include <kickdrift/boundary.h>
#include <kickdrift/collider.h>
#include <kickdrift/composition.h>
#include <kickdrift/constraint.h>
#include <kickdrift/event.h>
#include <kickdrift/executor.h>
#include <kickdrift/force.h>
#include <kickdrift/method.h>
#include <kickdrift/particles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a product and the sum it goes into are rounded. Each choice gives one result on all processors; the two differ from each other. */
typedef enum kdr_arithmetic {
    KDR_FUSED = 0,  /* once, by the fused multiply-add, exactly where the reference calls fma */
    KDR_UNFUSED = 1 /* each on its own */
} kdr_arithmetic;
enum { KDR_ARITHMETIC_COUNT = 2 };

KDR_API const char *kdr_arithmetic_name(kdr_arithmetic arithmetic); /* "fused", "unfused"; "?" for an unknown enumerator */

/* The arithmetic of a name; KDR_ERROR_UNKNOWN_NAME for another name, KDR_ERROR_NULL for a pointer that is NULL. */
KDR_API kdr_status kdr_arithmetic_from_name(const char *name, kdr_arithmetic *arithmetic);

/* The heat bath of a Langevin method: dv = a dt - friction v dt + sqrt(2 friction temperature / m) dW. Other methods refuse a friction
 * or temperature that is not 0. */
typedef struct kdr_langevin {
    double friction;    /* per unit of time, >= 0 */
    double temperature; /* k_B T, an energy, >= 0 */
    uint64_t seed;      /* of the noise, which is a function of (seed, particle id, step) alone */
} kdr_langevin;

typedef struct kdr_integrator_desc {
    size_t size;                       /* bytes: kdr_integrator_desc_default() sets it, and nothing else */
    kdr_method method;                 /* default KDR_VELOCITY_VERLET */
    kdr_real real;                     /* default KDR_F64: of the particles it will run on */
    kdr_arithmetic arithmetic;         /* default KDR_FUSED */
    kdr_backend backend;               /* default KDR_BACKEND_AUTO */
    kdr_executor executor;             /* default serial */
    const kdr_force *forces;           /* `force_count` entries, copied; the arrays a particle in them stay the caller's */
    size_t force_count;                /* default 0: free motion */
    const kdr_tableau *tableau;        /* default NULL; a method of the caller's own in place of `method`, copied */
    const kdr_fractions *fractions;    /* default NULL; likewise: one of the two at most */
    bool compensated;                  /* default false; true: what rounding takes from x and v is carried along, see particles.h */
    kdr_langevin langevin;             /* default 0 */
    const kdr_collider *colliders;     /* `collider_count` surfaces, copied; any number: they cost time alone */
    size_t collider_count;             /* default 0; with colliders a run back (dt < 0) is refused, and so is stormer-verlet */
    const kdr_constraint *constraints; /* `constraint_count` of them, copied; with any stormer-verlet is refused */
    size_t constraint_count;           /* default 0 */
    kdr_boundary boundary;             /* default none; with one stormer-verlet is refused */
    double dt;                         /* default 0: any; else the step that most runs will take. It changes no result: what depends on
                                          it alone, the numbers of a step and the kinematic family's map, is made once, and not at each
                                          call (some 250 instructions, and 1 to 40 microseconds); that of substeps is made at each call */
    /* Default KDR_COMPOSE_NONE; else `method`, which is symmetric (kdr_method_info::reversible) and of order 2, is taken through the
     * substeps of a composition, and is then a method of its order. Refused are stormer-verlet and velocity-verlet-pc, whose steps lean
     * on the length of the one before, and rows of the caller's own. Walls meet whole steps, not substeps. */
    kdr_composition compose;
    /* Default NULL; else substeps of the caller's own in place of `compose`, copied, for symmetric methods of any order; for a splitting
     * method no more of them than make KDR_MAX_FRACTIONS pairs of kick and drift. */
    const kdr_substeps *substeps;
    /* Default false; true: damped motion comes to rest, and not to subnormal numbers, which cost up to two hundred times as much. After a
     * step that takes the clock to a multiple of 128, and before walls are met, a component of x or v, or of what the method remembers, is
     * 0 if it is smaller in size than 2^-100 in f32 or 2^-900 in f64, and so is the compensation that belongs to it: what decays to no less
     * than 0.87 of itself in a step never becomes subnormal, and what decays faster is so for 128 steps at most. The reference does it too.
     * Refused is stormer-verlet, whose velocity is the difference of two positions. */
    bool rest_to_zero;
    const kdr_watch *watches; /* `watch_count` of them, copied: what a run writes down in kdr_particles::events (event.h) */
    size_t watch_count;       /* default 0; at most KDR_MAX_WATCHES; with any stormer-verlet is refused */
    /* Default 0: no limit. Else c, in units of length over time, of boris, vay and higuera-cary: v of the particles is then momentum over
     * mass, u = gamma dx/dt with gamma = sqrt(1 + u^2 / c^2), the positions move by u / gamma, and kinetic energy is (gamma - 1) c^2 for
     * each mass (kdr_observe). From 2^-62 to 2^62 in f32, from 2^-510 to 2^510 in f64; |u| up to 2^62 c, or 2^510 c. Refused by other
     * methods, and beside colliders and constraints, which know velocities. */
    double speed_of_light;
} kdr_integrator_desc;

/* Writes the defaults into a description of `size` bytes, which are those of the caller's header: what follows, and bindings, call it. */
KDR_API void kdr_integrator_desc_init(kdr_integrator_desc *desc, size_t size);
static inline kdr_integrator_desc kdr_integrator_desc_default(void) {
    kdr_integrator_desc desc;
    kdr_integrator_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_integrator kdr_integrator;

/* Checks the description, folds the forces, chooses the backend. On success *integrator is the caller's, to be given to
 * kdr_integrator_destroy; on failure it is untouched. `error` may be NULL.
 * KDR_ERROR_NULL, KDR_ERROR_ARGUMENT, KDR_ERROR_NOT_FINITE and KDR_ERROR_OVERFLOW for a member that is missing or out of range, a
 * description of another size (see kdr_integrator_desc_default) among them; KDR_ERROR_UNSUPPORTED for members that do not go together, the
 * message naming what to take instead; KDR_ERROR_MISMATCH for a custom field of another version; KDR_ERROR_UNAVAILABLE and
 * KDR_ERROR_UNKNOWN_NAME of the backend (kdr_backend_choose); KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_integrator_create(const kdr_integrator_desc *desc, kdr_integrator **integrator, kdr_error *error);
KDR_API void kdr_integrator_destroy(kdr_integrator *integrator); /* NULL is allowed */

/* Gives the integrator other forces in place of those that it has, copied as kdr_integrator_create does; all else stays, the backend that
 * was chosen too. It costs what making one costs, some microseconds, and the next run begins without what particles remember of the old
 * forces, also where the new ones differ in what their arrays or grids hold alone. No other thread may use the integrator meanwhile: this
 * call and kdr_integrator_set_colliders change it, and no other does. The errors of kdr_integrator_create, and KDR_ERROR_NULL; on failure
 * the integrator has the forces that it had. */
KDR_API kdr_status kdr_integrator_set_forces(kdr_integrator *integrator, const kdr_force *forces, size_t count, kdr_error *error);

/* Gives the integrator other colliders in place of those that it has: doors that open, obstacles that come and go. It is like
 * kdr_integrator_set_forces, but memory is kept, and no force is evaluated again. A particle that is then behind a surface is carried to
 * it by the next step. The errors of kdr_integrator_create, and KDR_ERROR_NULL; on failure the integrator has the colliders that it had. */
KDR_API kdr_status kdr_integrator_set_colliders(kdr_integrator *integrator, const kdr_collider *colliders, size_t count, kdr_error *error);

/* What is known of its method, composed where it is: of the caller's own row or substeps the evaluations, not the order; of a composed
 * method no limit of stability, unless the method has none. NULL for NULL. Lives as long as the integrator. */
KDR_API const kdr_method_info *kdr_integrator_method(const kdr_integrator *integrator);
KDR_API kdr_backend kdr_integrator_backend(const kdr_integrator *integrator); /* the one that was chosen */

/* Writes what a run of particles of `dims` axes does, with inverse masses or without, as text for people to read, of many lines: the
 * program, which is the list of operations of a step with their coefficients, the rows of the tile that they work on, and the hot
 * instance that steps whole tiles in its place, or why there is none. As snprintf does, it writes at most `size` bytes, the last of them
 * 0, and returns the length of the whole text; `text` may be NULL when `size` is 0. It returns 0, and writes an empty text, when
 * `integrator` is NULL or `dims` is not 1, 2 or 3. The words may change from release to release. Any number of threads may call it at
 * once. */
KDR_API size_t kdr_integrator_explain(const kdr_integrator *integrator, int dims, bool masses, char *text, size_t size);

/* Time is t0 + step * dt, never a running sum. dt may be negative; not 0. step < 2^53. */
typedef struct kdr_clock {
    double t0;
    double dt;
    uint64_t step;
} kdr_clock;

/* t0 + (step + fraction) dt, in double, rounded after each operation; 0 where `clock` is NULL. */
KDR_API double kdr_clock_time(const kdr_clock *clock, uint64_t step, double fraction);

/* The clock of the same moment, to the bit, with another step: dt is `dt`, and step, by which noise and rest go, stays, t0 being moved.
 * Where no t0 near by gives that moment, since step * dt is much more than the time itself, t0 is the time of `clock` and step is 0, and
 * noise begins again. What particles remember of a run that ended at that moment is good for it, but with stormer-verlet and
 * velocity-verlet-pc, whose memory is about the step too. {0} where `clock` is NULL. */
KDR_API kdr_clock kdr_clock_change(const kdr_clock *clock, double dt);

/* Advances the particles by `steps` steps and the clock with them. Positions and velocities are overwritten; with frozen particles
 * (inverse mass 0) and steps = 0 nothing is. Without particles->memory a method that has a memory starts afresh from x and v at each call
 * (velocity Verlet in a field that depends on v evaluates a(x_n, v_n) once more), which changes bits there and only there.
 * A run that becomes infinite or NaN is KDR_OK too: kdr_first_non_finite (observe.h) finds the particle. KDR_STOPPED: see event.h.
 *
 * KDR_ERROR_NULL for a pointer that is NULL; the errors of kdr_particles_check; KDR_ERROR_MISMATCH for particles of another precision or
 * count than the description or its arrays have; KDR_ERROR_ARGUMENT, KDR_ERROR_NOT_FINITE and KDR_ERROR_OVERFLOW of the clock;
 * KDR_ERROR_UNSUPPORTED for a clock that runs back where the method or colliders do not, and for axes that a custom field is not for. One
 * integrator may be run from many threads at once, on different particles with a clock each. */
KDR_API kdr_status kdr_integrator_run(const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                      kdr_error *error);

/* Makes what particles [begin, begin + count) carry from run to run (particles->memory, particles->compensation), from their x and v at the
 * clock's time, for particles that have come to be among others that remember: the next run then has for each of them the bits of a run
 * that begins with it, and for the others those of one that goes on. It takes no step. Nothing is done where the particles carry nothing,
 * or not what a run with this clock would go on from: that begins with all of them.
 * The errors of kdr_integrator_run; KDR_ERROR_ARGUMENT for a range that is not the view's; KDR_ERROR_UNSUPPORTED for stormer-verlet. */
KDR_API kdr_status kdr_integrator_begin(const kdr_integrator *integrator, kdr_particles *particles, const kdr_clock *clock, size_t begin,
                                        size_t count, kdr_error *error);

/* Dense output: writes into `to` the state at t0 + (step + fraction) dt, for any times between two steps, and changes neither
 * `particles` nor `clock`. It is the state after a step of the same method that is shortened to fraction dt, as events have it
 * (event.h): of the method's order, with the same bits everywhere; at fraction 1 that of the next step, where particles carry what it
 * goes on from. A particle with a level is shortened in its own step. `to` has as many particles, as many axes and the same precision;
 * of it x and v are used, wherever they lie, but in no array of `particles`; and images, where both have them, unless they are the ones of
 * `particles`: they get those of the state. What is frozen or not active is copied. The errors of
 * kdr_integrator_run for `particles` and of kdr_particles_check for `to`; KDR_ERROR_MISMATCH for a `to` of another count, axes or
 * precision; KDR_ERROR_OVERLAP for one in an array of `particles`; KDR_ERROR_ARGUMENT for a fraction that is not from 0 to 1;
 * KDR_ERROR_UNSUPPORTED for stormer-verlet. Any number of threads may sample at once. */
KDR_API kdr_status kdr_integrator_sample(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                         double fraction, kdr_particles *to, kdr_error *error);

/* Acceleration evaluations that a call of kdr_integrator_run with these arguments makes (one: one particle at one stage). */
KDR_API uint64_t kdr_integrator_evaluations(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                            uint64_t steps);

/* The heat bath it was described with; all 0 for NULL. */
KDR_API kdr_langevin kdr_integrator_langevin(const kdr_integrator *integrator);

/* What tells two descriptions apart whose runs differ in a bit: 64 bits over method, composition, precision, arithmetic, forces with their
 * parameters and arrays a particle, heat bath, walls, boundary and watches that stop particles, though not what a function does; not over
 * backend, executor and `dt`. Equal on every processor, whatever its byte order, and in every version of the library that has the same
 * bits. 0 for NULL, else not 0. */
KDR_API uint64_t kdr_integrator_digest(const kdr_integrator *integrator);

/* A digest on its way, where the arrays of the forces lie in several slices, on several machines (mpi.h does it over ranks): integrators
 * that differ in nothing else have a slice of the arrays each. A plain value: it may be copied, and sent to another process of the same
 * program on the same kind of machine. */
typedef struct kdr_digest_state {
    uint64_t count, added; /* particles in all, and elements that were taken of the array that is next */
    int32_t next;          /* the library's number of that array; negative: all were taken */
    uint64_t hash[72];     /* the library's */
} kdr_digest_state;

/* Begins one of `count` particles; takes what this integrator's forces have of the array that is next: of each array slice by slice, in the
 * order of the particles, until `next` is negative; and says the digest, with the bits of kdr_integrator_digest of the whole, asked of any
 * of the integrators. Any number of threads, of states of their own. KDR_ERROR_NULL for a pointer that is NULL; KDR_ERROR_MISMATCH for
 * more elements than the array has left, and at the end where some are missing. */
KDR_API kdr_status kdr_integrator_digest_begin(const kdr_integrator *integrator, size_t count, kdr_digest_state *state, kdr_error *error);
KDR_API kdr_status kdr_integrator_digest_add(const kdr_integrator *integrator, kdr_digest_state *state, kdr_error *error);
KDR_API kdr_status kdr_integrator_digest_end(const kdr_integrator *integrator, const kdr_digest_state *state, uint64_t *digest,
                                             kdr_error *error);

/* The memory_key of particles that a run of this integrator has left at this clock: set it where the arrays `memory` and `compensation`
 * come from such a run through a file or a message, and the next run goes on from them. A key is for this version and this
 * byte order: send the arrays, and make the key anew. 0 when such a run leaves nothing in them, and for a pointer that is NULL. */
KDR_API uint64_t kdr_integrator_memory_key(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock);

#ifdef __cplusplus
}
#endif
#endif
