/* Terms: what a coupled run adds to the accelerations beside the caller's function and the field; the built-in coupled forces are terms.
 *
 * To add one: a public description in include/kickdrift, its folding into a term in a file of this folder, kernels in a body of their own
 * (kernel/unit.h). */
#ifndef KDR_COUPLED_TERM_H
#define KDR_COUPLED_TERM_H

#include <kickdrift/integrator.h>

#include "../problem/digest.h"
#include "../problem/distances.h"
#include "../program/writer.h"

/* What a term is given at an evaluation: its scratch memory, at a multiple of 64 bytes; and how. */
typedef struct kdr_evaluation {
    const kdr_particles *particles; /* x and v are the stage's; inverse_mass, id and first_id the caller's */
    double t;
    void *const *a;       /* plain arrays: what has been added up so far */
    const size_t *chosen; /* or NULL: the `chosen_count` particles whose accelerations will be looked at */
    size_t chosen_count;
    const kdr_executor *executor;
    void *scratch;
} kdr_evaluation;

/* `data` is made once, when the run is described, and never changes afterwards: many threads may use one description at once. Functions
 * that are NULL have nothing to do. */
typedef struct kdr_coupled_term {
    void *data;
    /* At the beginning of each run: the particles are such as the term was made for. */
    kdr_status (*check)(const void *data, const kdr_particles *particles, kdr_error *error);
    /* Bytes of scratch memory for these particles. What is in it is lost from an evaluation to the next. */
    size_t (*scratch)(const void *data, size_t count, int dims);
    /* a += what the term gives; of particles that are not chosen, anything. Must not depend on the executor. Anything but KDR_OK stops the
     * run, as the caller's function does. */
    kdr_status (*add)(const void *data, const kdr_evaluation *evaluation, kdr_error *error);
    /* Takes its slopes from those that are there, for th (kdr_slopes_fn); implicit methods ask for them. */
    void (*add_slopes)(const void *data, const kdr_evaluation *evaluation, double th, void *const g[6]);
    /* After each step, which may be a part of one of length `whole`: `before` is the state that the step began with, `now` the one that it
     * ended with, which may be changed. *moved: it was, and an acceleration that the method has kept must be computed anew. */
    kdr_status (*after)(const void *data, const kdr_particles *before, const kdr_particles *now, double dt, double whole, void *scratch,
                        bool *moved, kdr_error *error);
    /* After each drift of a splitting or magnetic method, of length `h`, before anything is evaluated: `start` is x before it, `now` may be
     * changed. */
    kdr_status (*drifted)(const void *data, const void *const start[3], const kdr_particles *now, double h, void *scratch,
                          kdr_error *error);
    /* Before a turn of velocities, without angles, and after it, with them: `now` may be changed. `whole` is as above. */
    void (*turned)(const void *data, const kdr_half_angles *angles, const kdr_particles *now, double whole, void *scratch);
    /* After any of these, where sums are carried: what rounding had taken from x, then from v, is nothing for whom it may change. */
    void (*forget)(const void *data, void *const lost[3], int dims, kdr_real real);
    /* Adds its potential energy; `scratch` as for an evaluation. */
    kdr_status (*potential)(const void *data, const kdr_particles *particles, void *scratch, double *energy, kdr_error *error);
    void (*destroy)(void *data);
    uint64_t digest; /* of what the term does: names what a memory array belongs to. 0: the description's own names it already */
    /* Tells what it does to those who hold files to it: names and numbers. */
    void (*tell)(const void *data, kdr_digest *digest);
    /* Says it to people: a line for each thing that it does at an evaluation, or after drifts and steps. */
    void (*say)(const void *data, kdr_writer *writer);
} kdr_coupled_term;

#endif
