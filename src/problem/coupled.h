/* What a coupled run is asked to do: its description, checked and folded. The reference and coupled/ both start from it. */
#ifndef KDR_PROBLEM_COUPLED_H
#define KDR_PROBLEM_COUPLED_H

#include <kickdrift/coupled.h>

#include "problem.h"

/* What a problem knows of the lists of coupled forces and distances. */
typedef struct kdr_coupled_lists {
    uint64_t digest; /* 0: there are none */
    bool damped;     /* there are springs with a damping */
    bool holds;      /* there are distances */
} kdr_coupled_lists;

/* Whether the method itself moves each particle between two surfaces, in the forces on it alone plus the mean acceleration by the others in
 * the step. If not, the path there is a parabola. */
bool kdr_coupled_flies(const kdr_coupled_desc *desc, const kdr_problem *problem);

/* Returns an error if colliders are combined with something that they do not go with in a coupled run. */
kdr_status kdr_coupled_check_walls(const kdr_coupled_desc *desc, const kdr_problem *problem, kdr_error *error);

/* The problem of a description without a look at its lists, what is known of those, and how a problem is told. */
kdr_status kdr_coupled_problem_without_lists(const kdr_coupled_desc *desc, kdr_problem *problem, kdr_error *error);
kdr_coupled_lists kdr_coupled_lists_of(const kdr_coupled_desc *desc);
void kdr_coupled_name_lists(kdr_problem *problem, kdr_coupled_lists lists);

/* The problem of a description: of the reference too. */
kdr_status kdr_coupled_problem(const kdr_coupled_desc *desc, kdr_problem *problem, kdr_error *error);

/* What block time steps are made of: kicks at the beginning, in the middle and at the end of a particle's own step, as fractions of it; one
 * drift a substep, or two halves of one; a heat bath in the middle of a step, or a turn between two halves of the kick there; and the parts
 * of the clock's step that all particles begin and end together, one of 1 where the method is not composed. */
enum { KDR_BEGINNING, KDR_MIDDLE, KDR_ENDING, KDR_TURNS };
typedef struct kdr_leveled {
    double kick[KDR_TURNS], drift;
    int drifts;
    bool bathes, turns;
    kdr_substepping substepping;
} kdr_leveled;

/* Those that a description permits whose problem is made; none for one without levels. */
kdr_leveled kdr_coupled_leveled(const kdr_coupled_desc *desc, const kdr_problem *problem);

/* The description of its distances. */
kdr_distances_desc kdr_coupled_distances_desc(const kdr_coupled_desc *from);

/* How long the periodic box is on each axis; 0: there is none. */
void kdr_coupled_box(const kdr_coupled_desc *desc, double box[3]);

/* An implicit method has slopes of what acts between its particles: of nets, or by the caller's function. */
bool kdr_coupled_has_slopes(const kdr_coupled_desc *desc, const kdr_problem *problem);

/* Where a description has accelerations in rows, the particles must be rows too. */
kdr_status kdr_coupled_check_rows(const kdr_coupled_desc *desc, const kdr_problem *problem, const kdr_particles *particles,
                                  kdr_error *error);

/* Levels are what the description permits, no errors and contacts are asked for, and what is not x, v or masses is plain. */
kdr_status kdr_coupled_check_particles(const kdr_coupled_desc *desc, const kdr_problem *problem, const kdr_particles *particles,
                                       kdr_error *error);

#endif
