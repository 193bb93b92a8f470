/* Kicks and drifts that no method's program has: those of simulations that compose their own, and of block time steps. */
#ifndef KDR_COUPLED_MOVES_H
#define KDR_COUPLED_MOVES_H

#include "sweep.h"

/* Lines of a program of calls by their numbers: v += h a; v += h_2 a; x += h v; v += h a with x += h_drift v; and v along constraints. */
typedef enum kdr_move { KDR_MOVE_KICK, KDR_MOVE_KICK_2, KDR_MOVE_DRIFT, KDR_MOVE_KICK_DRIFT, KDR_MOVE_HOLD, KDR_MOVES } kdr_move;

/* Not to be copied: its sweeper points to the rest. */
typedef struct kdr_moves {
    kdr_program program;
    kdr_instruction line[KDR_MOVES];
    double numbers[6]; /* in the particles' precision: kick, drift, the second kick, and what their rounding has taken */
    kdr_sweeper sweeper;
    unsigned a; /* the row of accelerations */
} kdr_moves;

/* For these particles, which must live as long. `lost`: plain arrays of what rounding takes from x and v; NULL: it is lost. Those have no
 * kick with a drift in one. `job`: what has the constraints that hold particles in each drift, or NULL. */
void kdr_moves_make(kdr_moves *moves, kdr_backend backend, kdr_arithmetic arithmetic, const kdr_executor *executor,
                    const kdr_particles *particles, void *const lost[2][3], const kdr_job *job);

/* One move of all particles; h: of the kick or the drift alone, or of a kick and, h[1], its drift. `a`: plain arrays, or rows of particles
 * where x and v are; NULL of a drift. */
void kdr_move_all(kdr_moves *moves, kdr_move move, const double h[2], void *const *a);

/* One kick or two, one after the other, of the particles of a list, all of which move. */
void kdr_kick_listed(kdr_moves *moves, double h, double h_2, int kicks, void *const a[3], const size_t *index, size_t count);

#endif
