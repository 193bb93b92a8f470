/* Kicks and drifts outside any method's program: for simulations that compose their own, and for block time steps. */
#ifndef KDR_SYSTEM_KICK_DRIFT_PASSES_H
#define KDR_SYSTEM_KICK_DRIFT_PASSES_H

#include "sweep.h"

/* Numbers of the instructions: v += h a; v += h_2 a; x += h v; v += h a then x += h_drift v; and v projected onto constraints. */
typedef enum kdr_move { KDR_MOVE_KICK, KDR_MOVE_KICK_2, KDR_MOVE_DRIFT, KDR_MOVE_KICK_DRIFT, KDR_MOVE_HOLD, KDR_MOVES } kdr_move;

/* A small system program of kicks and drifts. It must not be copied, because its sweeper points into it. */
typedef struct kdr_moves {
    kdr_program program;
    kdr_instruction line[KDR_MOVES];
    double numbers[6]; /* in the particles' precision: kick, drift, second kick, and their rounding errors */
    kdr_sweeper sweeper;
    unsigned a; /* first column of the accelerations */
} kdr_moves;

/* Prepares moves of these particles, which must outlive them. `lost` has plain arrays for compensations; with NULL nothing is
 * compensated. Compensated moves have no KICK_DRIFT. `job` has the constraints that hold particles in each drift; it may be NULL. */
void kdr_moves_make(kdr_moves *moves, kdr_backend backend, kdr_arithmetic arithmetic, const kdr_executor *executor,
                    const kdr_particles *particles, void *const lost[2][3], const kdr_job *job);

/* Makes one move of all particles. h[0] is the length of the kick or drift, h[1] that of the drift in a KICK_DRIFT. `a` is plain, or
 * interleaved where x and v are; NULL for a drift. */
void kdr_move_all(kdr_moves *moves, kdr_move move, const double h[2], void *const *a);

/* Kicks the listed particles, all of which must move, once by h, or by h and then h_2. */
void kdr_kick_listed(kdr_moves *moves, double h, double h_2, int kicks, void *const a[3], const size_t *index, size_t count);

#endif
