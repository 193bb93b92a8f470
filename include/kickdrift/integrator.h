/* Integrators: method, forces, precision, arithmetic, backend and executor, checked once and then immutable. Only
 * kdr_integrator_set_forces and kdr_integrator_set_colliders change one.
 *
 * Many threads may run one integrator at once, on different particles. A run allocates nothing and needs at most 176 KB of stack per
 * thread. */
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

/* How a product and the sum that it enters are rounded. Each choice gives one result on all processors. The two results differ. */
typedef enum kdr_arithmetic {
    KDR_FUSED = 0,  /* once, by the fused multiply-add */
    KDR_UNFUSED = 1 /* each by itself */
} kdr_arithmetic;
enum { KDR_ARITHMETIC_COUNT = 2 };

KDR_API const char *kdr_arithmetic_name(kdr_arithmetic arithmetic); /* "fused", "unfused"; "?" for others */

/* Finds the arithmetic of a name. Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API kdr_status kdr_arithmetic_from_name(const char *name, kdr_arithmetic *arithmetic);

/* The heat bath of a Langevin method: dv = a dt - friction v dt + sqrt(2 friction temperature / m) dW. Other methods refuse non-zero
 * values. */
typedef struct kdr_langevin {
    double friction;    /* per unit of time, >= 0 */
    double temperature; /* k_B T, an energy, >= 0 */
    uint64_t seed;      /* noise is a function of (seed, particle id, step, axis) alone */
} kdr_langevin;

typedef struct kdr_integrator_desc {
    size_t size;                       /* set by kdr_integrator_desc_default() only */
    kdr_method method;                 /* default KDR_VELOCITY_VERLET */
    kdr_real real;                     /* default KDR_F64; must be that of the particles */
    kdr_arithmetic arithmetic;         /* default KDR_FUSED */
    kdr_backend backend;               /* default KDR_BACKEND_AUTO */
    kdr_executor executor;             /* default serial */
    const kdr_force *forces;           /* `force_count` entries, copied; their arrays per particle stay the caller's */
    size_t force_count;                /* default 0: free motion */
    const kdr_tableau *tableau;        /* default NULL; a user-defined method in place of `method`, copied */
    const kdr_fractions *fractions;    /* default NULL; the same as kicks and drifts; at most one of the two */
    bool compensated;                  /* default false; true: rounding residuals of x and v are carried from step to step (particles.h) */
    kdr_langevin langevin;             /* default zeros */
    const kdr_collider *colliders;     /* any number, copied */
    size_t collider_count;             /* default 0; colliders refuse dt < 0 and stormer-verlet */
    const kdr_constraint *constraints; /* any number, copied */
    size_t constraint_count;           /* default 0; constraints refuse stormer-verlet */
    kdr_boundary boundary;             /* default none; a boundary refuses stormer-verlet */
    double dt;                         /* default 0; the usual dt of the runs, which makes them cheaper and changes no result */
    /* Default KDR_COMPOSE_NONE. Otherwise each step consists of the substeps of a composition, and has its order. `method` must be
     * reversible and of order 2. Refused: stormer-verlet, velocity-verlet-pc, `tableau`, `fractions`. Walls act on whole steps. */
    kdr_composition compose;
    /* Default NULL. User-defined substeps in place of `compose`, copied, for reversible methods of any order. Splitting methods take at
     * most KDR_MAX_FRACTIONS pairs of kick and drift in all. */
    const kdr_substeps *substeps;
    /* Default false. True: damped motion ends at 0, not in slow subnormal numbers. When the clock's step becomes a multiple of 128,
     * components of x, v and memory below 2^-100 (f64: 2^-900) in size become 0, with their residuals. stormer-verlet refuses it. */
    bool rest_to_zero;
    const kdr_watch *watches; /* copied; their events go to kdr_particles::events (event.h) */
    size_t watch_count;       /* default 0; at most KDR_MAX_WATCHES; watches refuse stormer-verlet */
    /* Default 0: no limit. Otherwise the speed of light c, for boris, vay and higuera-cary. The particles' v is then u = gamma dx/dt
     * with gamma = sqrt(1 + u^2 / c^2). The kinetic energy per mass is (gamma - 1) c^2. In f32 c is from 2^-62 to 2^62, and |u| up to
     * 2^62 c; in f64 the exponents are 510. Other methods, colliders and constraints refuse it. */
    double speed_of_light;
} kdr_integrator_desc;

/* Sets the defaults, for bindings; `size` is sizeof *desc. */
KDR_API void kdr_integrator_desc_init(kdr_integrator_desc *desc, size_t size);
static inline kdr_integrator_desc kdr_integrator_desc_default(void) {
    kdr_integrator_desc desc;
    kdr_integrator_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_integrator kdr_integrator;

/* Checks the description, folds the forces and chooses the backend. Free *integrator with kdr_integrator_destroy. Errors:
 * KDR_ERROR_ARGUMENT, KDR_ERROR_NOT_FINITE and KDR_ERROR_OVERFLOW for a member that is missing or out of range. KDR_ERROR_UNSUPPORTED
 * for members that exclude each other. KDR_ERROR_MISMATCH for a custom field of another version. KDR_ERROR_NO_MEMORY, and those of
 * kdr_backend_choose. */
KDR_API kdr_status kdr_integrator_create(const kdr_integrator_desc *desc, kdr_integrator **integrator, kdr_error *error);
KDR_API void kdr_integrator_destroy(kdr_integrator *integrator);

/* Replaces the forces, which are copied. The next run ignores the particles' memory. No other thread may use the integrator during the
 * call. Errors: those of kdr_integrator_create. */
KDR_API kdr_status kdr_integrator_set_forces(kdr_integrator *integrator, const kdr_force *forces, size_t count, kdr_error *error);

/* Replaces the colliders, as kdr_integrator_set_forces does with forces. The contents of kdr_particles::memory stay valid. A particle on
 * the wrong side of a surface is moved onto it in the next step. Errors: those of kdr_integrator_create. */
KDR_API kdr_status kdr_integrator_set_colliders(kdr_integrator *integrator, const kdr_collider *colliders, size_t count, kdr_error *error);

/* Returns the properties of the (composed) method; they live as long as the integrator. A user-defined method has no order there, and a
 * composed one no limit of stability. NULL for NULL. */
KDR_API const kdr_method_info *kdr_integrator_method(const kdr_integrator *integrator);
KDR_API kdr_backend kdr_integrator_backend(const kdr_integrator *integrator); /* the chosen one */

/* Writes the operations of a step as text, for `dims` axes, with or without inverse masses. It names the specialised kernel, or says why
 * there is none. Like snprintf it writes at most `size` bytes with a final 0, and returns the length of the whole text. `text` may be
 * NULL if `size` is 0. 0 if `integrator` is NULL or `dims` is not 1 to 3. Thread-safe. The words may change. */
KDR_API size_t kdr_integrator_explain(const kdr_integrator *integrator, int dims, bool masses, char *text, size_t size);

/* The time is t0 + step * dt, never a running sum. dt must not be 0; it may be negative. step < 2^53. */
typedef struct kdr_clock {
    double t0;
    double dt;
    uint64_t step;
} kdr_clock;

/* Returns t0 + (step + fraction) dt in double, rounded after each operation; 0 if `clock` is NULL. */
KDR_API double kdr_clock_time(const kdr_clock *clock, uint64_t step, double fraction);

/* Returns a clock of the same time, to the bit, with another dt. `step` stays and t0 changes. If no t0 fits, t0 becomes the time and
 * `step` 0, so noise begins again. Memory stays valid, except with stormer-verlet and velocity-verlet-pc, whose memory depends on dt.
 * {0} if `clock` is NULL. */
KDR_API kdr_clock kdr_clock_change(const kdr_clock *clock, double dt);

/* Advances particles and clock by `steps` steps. Without kdr_particles::memory, a method with a memory starts anew at each call; in
 * fields that depend on v this changes bits. A run that becomes infinite or NaN returns KDR_OK: call kdr_first_non_finite (observe.h).
 * KDR_STOPPED: a watch ended the run (event.h).
 *
 * Errors: those of kdr_particles_check. KDR_ERROR_MISMATCH for another precision or count. KDR_ERROR_ARGUMENT, KDR_ERROR_NOT_FINITE or
 * KDR_ERROR_OVERFLOW for the clock. KDR_ERROR_UNSUPPORTED for dt < 0 where method or colliders refuse it, and for a number of axes that
 * a custom field refuses. */
KDR_API kdr_status kdr_integrator_run(const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                      kdr_error *error);

/* Initialises memory and compensation of the new particles [begin, begin + count) among others that have theirs. Each new particle then
 * has the bits of a run that begins with it. It takes no step. It does nothing if memory_key does not fit this clock: the run then
 * initialises all particles. Errors: those of kdr_integrator_run. KDR_ERROR_ARGUMENT (the range), KDR_ERROR_UNSUPPORTED
 * (stormer-verlet). */
KDR_API kdr_status kdr_integrator_begin(const kdr_integrator *integrator, kdr_particles *particles, const kdr_clock *clock, size_t begin,
                                        size_t count, kdr_error *error);

/* Writes the state at t0 + (step + fraction) dt into `to`, for a fraction from 0 to 1, by one step of length fraction dt. With `memory`,
 * fraction 1 has the bits of the next step.
 *
 * `to` must have the same count, axes and precision. Its x and v are written, in any layout, and its images if both views have them; the
 * images may be the same arrays. Frozen and inactive particles are copied. Thread-safe. Errors: those of kdr_integrator_run.
 * KDR_ERROR_MISMATCH, KDR_ERROR_OVERLAP and those of kdr_particles_check for `to`. KDR_ERROR_ARGUMENT (fraction), KDR_ERROR_UNSUPPORTED
 * (stormer-verlet). */
KDR_API kdr_status kdr_integrator_sample(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                         double fraction, kdr_particles *to, kdr_error *error);

/* Returns the evaluations of the acceleration that kdr_integrator_run makes with these arguments, summed over particles. */
KDR_API uint64_t kdr_integrator_evaluations(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                            uint64_t steps);

/* Returns the heat bath of the description; zeros for NULL. */
KDR_API kdr_langevin kdr_integrator_langevin(const kdr_integrator *integrator);

/* Returns a hash of everything in the description that results depend on. That includes the contents of the forces' arrays and watches
 * that stop particles, and excludes backend, executor and `dt`. It is equal on all processors. 0 only for NULL. */
KDR_API uint64_t kdr_integrator_digest(const kdr_integrator *integrator);

/* The state of a digest that is computed from several integrators. Each has one slice of the forces' arrays, and they are otherwise
 * equal (mpi.h does this over ranks). It may be copied, and sent to another process on the same kind of machine. */
typedef struct kdr_digest_state {
    uint64_t count, added; /* particles in all; elements taken from the next array */
    int32_t next;          /* number of the next array; negative: all were taken */
    uint64_t hash[72];     /* internal */
} kdr_digest_state;

/* Compute the kdr_integrator_digest of the whole from the integrators of its slices. `count` is the total number of particles.
 *
 *     kdr_status status = kdr_integrator_digest_begin(of_slice[0], count, &state, &error);
 *     while (!status && state.next >= 0)
 *         for (int n = 0; n < slices && !status; ++n) status = kdr_integrator_digest_add(of_slice[n], &state, &error);
 *     if (!status) status = kdr_integrator_digest_end(of_slice[0], &state, &digest, &error);
 *
 * Errors: KDR_ERROR_MISMATCH for too many elements, and at the end for missing ones. */
KDR_API kdr_status kdr_integrator_digest_begin(const kdr_integrator *integrator, size_t count, kdr_digest_state *state, kdr_error *error);
KDR_API kdr_status kdr_integrator_digest_add(const kdr_integrator *integrator, kdr_digest_state *state, kdr_error *error);
KDR_API kdr_status kdr_integrator_digest_end(const kdr_integrator *integrator, const kdr_digest_state *state, uint64_t *digest,
                                             kdr_error *error);

/* Returns the memory_key of particles that a run has left at this clock. Set it after you loaded `memory` and `compensation` of such a
 * run. A key is valid for this version and byte order only. 0 if such a run leaves nothing in them, or a pointer is NULL. */
KDR_API uint64_t kdr_integrator_memory_key(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock);

#ifdef __cplusplus
}
#endif
#endif
