/* Terms add to the accelerations, in addition to the user's function and the field. The built-in interactions are terms.
 *
 * To add one: a public description in include/kickdrift, its folding into a term in a file of this folder, kernels in a body of their
 * own (kernel/unit.h). */
#ifndef KDR_SYSTEM_TERM_H
#define KDR_SYSTEM_TERM_H

#include <kickdrift/integrator.h>

#include "../problem/digest.h"
#include "../problem/distances.h"
#include "../program/writer.h"

/* The arguments of a term at an evaluation. `scratch` is aligned to 64 bytes. */
typedef struct kdr_evaluation {
    const kdr_particles *particles; /* x and v at this stage; inverse_mass, id and first_id as the caller gave them */
    double t;
    void *const *a;       /* plain arrays of the sum so far */
    const size_t *chosen; /* indices of the `chosen_count` particles whose accelerations are used; NULL: all */
    size_t chosen_count;
    const kdr_executor *executor;
    void *scratch;
} kdr_evaluation;

/* A term. `data` is made once and never changes, so that threads may share it. A function that has nothing to do is NULL. */
typedef struct kdr_system_term {
    void *data;
    /* Checks at the beginning of each run that the particles fit the term. */
    kdr_status (*check)(const void *data, const kdr_particles *particles, kdr_error *error);
    /* Returns the bytes of scratch memory for these particles. Its contents are lost between evaluations. */
    size_t (*scratch)(const void *data, size_t count, int dims);
    /* Adds to a; may write any value for particles that are not chosen. The sum must not depend on the executor. A status other than
     * KDR_OK stops the run. */
    kdr_status (*add)(const void *data, const kdr_evaluation *evaluation, kdr_error *error);
    /* Subtracts the term's slopes from g, for th (kdr_slopes_fn). Only implicit methods call it. */
    void (*add_slopes)(const void *data, const kdr_evaluation *evaluation, double th, void *const g[6]);
    /* Corrects a whole step that went from `before` to `now`, which may be changed. The step may be a part of one of length `whole`. Sets
     * *moved if `now` was changed, so that a kept acceleration is evaluated again. */
    kdr_status (*after)(const void *data, const kdr_particles *before, const kdr_particles *now, double dt, double whole, void *scratch,
                        bool *moved, kdr_error *error);
    /* Acts after each drift of length h of a splitting or magnetic method, before the next evaluation. `start` is x before the drift;
     * `now` may be changed. */
    kdr_status (*drifted)(const void *data, const void *const start[3], const kdr_particles *now, double h, void *scratch,
                          kdr_error *error);
    /* Acts before a rotation of velocities, with angles NULL, and after it, with its angles. `now` may be changed. The step may be a part
     * of one of length `whole`. */
    void (*turned)(const void *data, const kdr_half_angles *angles, const kdr_particles *now, double whole, void *scratch);
    /* Sets the compensations of x, or of v, to 0 for particles that the term may have moved. Called after each of the functions above in
     * compensated runs. */
    void (*forget)(const void *data, void *const lost[3], int dims, kdr_real real);
    /* Adds the term's potential energy. `scratch` is as for an evaluation. */
    kdr_status (*potential)(const void *data, const kdr_particles *particles, void *scratch, double *energy, kdr_error *error);
    void (*destroy)(void *data);
    uint64_t digest; /* hash of what the term does, part of the key of memory arrays; 0 if the description's key covers it */
    /* Adds names and numbers of the term to a digest. */
    void (*tell)(const void *data, kdr_digest *digest);
    /* Writes for --explain one line for each action of the term. */
    void (*say)(const void *data, kdr_writer *writer);
} kdr_system_term;

#endif
