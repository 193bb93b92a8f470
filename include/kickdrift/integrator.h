/* Integrators: method, forces, precision, arithmetic, backend and executor, checked once. A run allocates nothing and needs at most 176 KB
 * of stack per thread. */
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

/* Rounding of a product and the sum that it enters. The two have different bits, each the same on all processors. */
typedef enum kdr_arithmetic {
    KDR_FUSED = 0,  /* rounded once (fused multiply-add) */
    KDR_UNFUSED = 1 /* both rounded */
} kdr_arithmetic;
enum { KDR_ARITHMETIC_COUNT = 2 };

KDR_API const char *kdr_arithmetic_name(kdr_arithmetic arithmetic);

/* Errors: KDR_ERROR_UNKNOWN_NAME. */
KDR_API kdr_status kdr_arithmetic_from_name(const char *name, kdr_arithmetic *arithmetic);

/* The heat bath of a Langevin method: dv = a dt - friction v dt + sqrt(2 friction temperature / m) dW. Other methods refuse values other
 * than 0. */
typedef struct kdr_langevin {
    double friction;    /* per unit of time, >= 0 */
    double temperature; /* k_B T, an energy, >= 0 */
    uint64_t seed;      /* noise depends only on seed, particle id, step and axis */
} kdr_langevin;

/* The description of an integrator. Arrays are copied, but not arrays per particle in forces. The method stormer-verlet refuses colliders,
 * constraints, boundary, watches, compose and flush_small_to_zero. */
typedef struct kdr_integrator_desc {
    size_t size;
    kdr_method method;         /* default KDR_VELOCITY_VERLET */
    kdr_real real;             /* default KDR_F64 */
    kdr_arithmetic arithmetic; /* default KDR_FUSED */
    kdr_backend backend;       /* default KDR_BACKEND_AUTO */
    kdr_executor executor;
    const kdr_force *forces;
    size_t force_count;
    const kdr_tableau *tableau;     /* a user-defined Runge-Kutta method in place of `method` */
    const kdr_fractions *fractions; /* a user-defined splitting method; not with `tableau` */
    bool compensated;               /* keeps rounding residuals of x and v (kdr_particles::compensation) */
    kdr_langevin langevin;
    const kdr_collider *colliders;
    size_t collider_count; /* colliders need dt > 0 */
    const kdr_constraint *constraints;
    size_t constraint_count;
    kdr_boundary boundary;
    double dt; /* usual dt of runs, for speed only */
    /* Each step consists of the substeps of a composition, and has its order. `method` must be reversible, of order 2, and not
     * velocity-verlet-pc or user-defined. Colliders, constraints and boundary act on whole steps. */
    kdr_composition compose;
    /* User-defined substeps in place of `compose`, for reversible methods of any order. A splitting method may have at most
     * KDR_MAX_FRACTIONS pairs of kick and drift per step. */
    const kdr_substeps *substeps;
    /* True: components of x, v and memory below 2^-100 (f64: 2^-900) in size become 0 when the clock's step becomes a multiple of 128.
     * Subnormal numbers are slow. */
    bool flush_small_to_zero;
    const kdr_watch *watches;
    size_t watch_count; /* at most KDR_MAX_WATCHES */
    /* Speed of light c; 0: no limit. For boris, vay and higuera-cary without colliders and constraints. v is then u = gamma dx/dt with
     * gamma = sqrt(1 + u^2 / c^2), and the kinetic energy per mass is (gamma - 1) c^2. c is from 2^-62 to 2^62 and |u| up to 2^62 c; in f64
     * the exponents are 510. */
    double speed_of_light;
} kdr_integrator_desc;

KDR_API void kdr_integrator_desc_init(kdr_integrator_desc *desc, size_t size);
static inline kdr_integrator_desc kdr_integrator_desc_default(void) {
    kdr_integrator_desc desc;
    kdr_integrator_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_integrator kdr_integrator;

/* Checks the description and creates *integrator. Errors: those of kdr_backend_choose. KDR_ERROR_ARGUMENT, KDR_ERROR_NOT_FINITE and
 * KDR_ERROR_OVERFLOW for members out of range. KDR_ERROR_UNSUPPORTED for members that exclude each other. KDR_ERROR_MISMATCH for a custom
 * field of another library version. */
KDR_API kdr_status kdr_integrator_create(const kdr_integrator_desc *desc, kdr_integrator **integrator, kdr_error *error);
KDR_API void kdr_integrator_destroy(kdr_integrator *integrator);

/* Replace forces or colliders, while no other thread uses the integrator. After new forces, but not after new colliders, the next run
 * ignores kdr_particles::memory. Errors: those of kdr_integrator_create. */
KDR_API kdr_status kdr_integrator_set_forces(kdr_integrator *integrator, const kdr_force *forces, size_t count, kdr_error *error);
KDR_API kdr_status kdr_integrator_set_colliders(kdr_integrator *integrator, const kdr_collider *colliders, size_t count, kdr_error *error);

/* Returns the properties of the method, owned by the integrator. The order of a user-defined method is 0, and so is the stability of a
 * composed one, unless it is unlimited. */
KDR_API const kdr_method_info *kdr_integrator_method(const kdr_integrator *integrator);
KDR_API kdr_backend kdr_integrator_backend(const kdr_integrator *integrator); /* the one in use */

/* Writes the operations of a step as text, for `dims` axes, with or without inverse masses, and the specialised kernel or why there is
 * none. It writes at most `size` bytes with a final 0, and returns the length of the whole text; 0 for wrong arguments. `text` may be NULL
 * if `size` is 0. */
KDR_API size_t kdr_integrator_explain(const kdr_integrator *integrator, int dims, bool masses, char *text, size_t size);

/* The clock of a run. The time is t0 + step dt, never a running sum. dt is not 0. step < 2^53. */
typedef struct kdr_clock {
    double t0;
    double dt;
    uint64_t step;
} kdr_clock;

/* Returns t0 + (step + fraction) dt in double, rounded after each operation. */
KDR_API double kdr_clock_time(const kdr_clock *clock, uint64_t step, double fraction);

/* Returns a clock of the same time, to the bit, with another dt. `step` stays and t0 changes. If no t0 fits, t0 becomes the time and `step`
 * 0, so noise begins again. kdr_particles::memory stays valid, except with stormer-verlet and velocity-verlet-pc. */
KDR_API kdr_clock kdr_clock_with_dt(const kdr_clock *clock, double dt);

/* Advances particles and clock by `steps` steps. Without kdr_particles::memory, a method with kdr_method_info::memory evaluates forces anew
 * at each call, which changes bits if they depend on v. Infinite or NaN results return KDR_OK: call kdr_first_non_finite (observe.h).
 * KDR_STOPPED: a watch ended the run (event.h).
 *
 * Errors: KDR_ERROR_MISMATCH for another precision or count. KDR_ERROR_ARGUMENT, KDR_ERROR_NOT_FINITE, KDR_ERROR_OVERFLOW (clock).
 * KDR_ERROR_UNSUPPORTED for dt < 0 or a number of axes that the description refuses. */
KDR_API kdr_status kdr_integrator_run(const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                      kdr_error *error);

/* Initialises memory and compensation of new particles [begin, begin + count), without a step. Each then has the bits of a run that begins
 * with it. If memory_key does not fit this clock, nothing is done: the next run initialises all. Errors: those of kdr_integrator_run,
 * KDR_ERROR_ARGUMENT (range), KDR_ERROR_UNSUPPORTED (stormer-verlet). */
KDR_API kdr_status kdr_integrator_init_memory(const kdr_integrator *integrator, kdr_particles *particles, const kdr_clock *clock,
                                              size_t begin, size_t count, kdr_error *error);

/* Writes the state at t0 + (step + fraction) dt into `to`, for a fraction from 0 to 1, by one shortened step. With kdr_particles::memory,
 * fraction 1 has the bits of the next step. `to` must have the same count, axes and precision, in any layout. It receives x, v, and images
 * if both views have them; the images may be the same arrays. Frozen and inactive particles are copied.
 *
 * Errors: those of kdr_integrator_run, KDR_ERROR_MISMATCH, KDR_ERROR_OVERLAP, KDR_ERROR_ARGUMENT (fraction), KDR_ERROR_UNSUPPORTED
 * (stormer-verlet). */
KDR_API kdr_status kdr_integrator_sample(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                         double fraction, kdr_particles *to, kdr_error *error);

/* Returns the evaluations of the acceleration by kdr_integrator_run, summed over particles. */
KDR_API uint64_t kdr_integrator_evaluations(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                            uint64_t steps);

/* Returns the heat bath. */
KDR_API kdr_langevin kdr_integrator_langevin(const kdr_integrator *integrator);

/* Returns a hash of everything that results depend on, equal on all processors. It includes arrays per particle and watches that stop
 * particles. It excludes backend, executor and `dt`. */
KDR_API uint64_t kdr_integrator_digest(const kdr_integrator *integrator);

/* The state of a digest of several integrators, each with one slice of the forces' arrays per particle. It may be sent to another process
 * on the same kind of machine. */
typedef struct kdr_digest_state {
    uint64_t count, added; /* particles in all; elements taken from the next array */
    int32_t next;          /* number of the next array; negative: no more */
    uint64_t hash[72];     /* internal */
} kdr_digest_state;

/* Compute the digest of `count` particles from integrators of their slices. Begin with any of them. While state.next >= 0, add all slices
 * in order. End with any of them. Errors: KDR_ERROR_MISMATCH for too many elements, and at the end for missing ones. */
KDR_API kdr_status kdr_integrator_digest_begin(const kdr_integrator *integrator, size_t count, kdr_digest_state *state, kdr_error *error);
KDR_API kdr_status kdr_integrator_digest_add(const kdr_integrator *integrator, kdr_digest_state *state, kdr_error *error);
KDR_API kdr_status kdr_integrator_digest_end(const kdr_integrator *integrator, const kdr_digest_state *state, uint64_t *digest,
                                             kdr_error *error);

/* Returns the memory_key that a run leaves at this clock; 0 if it leaves no memory or compensation. Set it after loading these arrays. A
 * key is valid for this library version and byte order only. */
KDR_API uint64_t kdr_integrator_memory_key(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock);

#ifdef __cplusplus
}
#endif
#endif
