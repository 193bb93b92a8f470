/* Coupled runs: particles that feel each other, or a force that only the caller can compute for all particles at once. And the passes over
 * all particles that such runs are made of, for simulations that compose their own.
 *
 * Everything here gives the same bits on every backend, for every count, alignment and number of threads. */
#ifndef KICKDRIFT_COUPLED_H
#define KICKDRIFT_COUPLED_H

#include <kickdrift/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How passes are made: chosen once, used from any thread. */
typedef struct kdr_how {
    kdr_arithmetic arithmetic;
    kdr_backend backend; /* one that runs here */
    kdr_executor executor;
    const struct kdr_passes *passes[KDR_REAL_COUNT]; /* of that backend and arithmetic */
} kdr_how;

/* Fills *how, which is untouched on failure. KDR_BACKEND_AUTO is resolved as kdr_backend_choose does. `error` may be NULL. */
KDR_API kdr_status kdr_how_choose(kdr_arithmetic arithmetic, kdr_backend backend, kdr_executor executor, kdr_how *how, kdr_error *error);

/* Passes over all particles, each one sweep over the arrays. `a`: an array of `count` accelerations an axis, apart from x and v. h: rounded to
 * the particles' precision; any finite number, 0 and negative ones too. Frozen particles (inverse mass 0) keep every bit. What the
 * particles carry for a run (memory, compensation) is void afterwards: memory_key becomes 0.
 *   kick        v += h a               one fma a component, in the unfused arithmetic a product and a sum
 *   drift       x += h v               likewise
 *   kick_drift  v += h_kick a;  x += h_drift v */
KDR_API kdr_status kdr_kick(kdr_particles *particles, double h, void *const a[3], const kdr_how *how, kdr_error *error);
KDR_API kdr_status kdr_drift(kdr_particles *particles, double h, const kdr_how *how, kdr_error *error);
KDR_API kdr_status kdr_kick_drift(kdr_particles *particles, double h_kick, double h_drift, void *const a[3], const kdr_how *how,
                                  kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
