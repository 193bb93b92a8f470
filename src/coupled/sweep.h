/* Sweeps: passes over all axes of all particles, wherever their elements lie, by the executor.
 *
 * Passes know plain arrays. Components that lie side by side, `double x[n][3]`, are one plain array of 3 n elements, and only what stands
 * beside them an array an axis (accelerations, inverse masses) is brought into that order, a few hundred particles at a time, in the first-level
 * cache. Moves know what lies evenly apart too, members of structures (kernel/apart.inl). Of any other layout the particles are copied to
 * such a stage and back. */
#ifndef KDR_COUPLED_SWEEP_H
#define KDR_COUPLED_SWEEP_H

#include <kickdrift/integrator.h>

#include "../integrator/copies.h"
#include "../kernel/passes.h"

/* Who sweeps, over what: the positions, velocities, masses and marks are those of `particles`. */
typedef struct kdr_sweeper {
    const kdr_passes *passes;
    const kdr_copies *copies;
    const kdr_executor *executor;
    const kdr_particles *particles;
} kdr_sweeper;

kdr_sweeper kdr_sweeper_make(kdr_backend backend, const kdr_passes *passes, const kdr_executor *executor, const kdr_particles *particles);

/* How the elements of x and v lie: an array an axis; side by side; evenly apart, as members of structures do; in any other way. */
typedef enum kdr_form { KDR_FORM_PLAIN, KDR_FORM_ROWS, KDR_FORM_APART, KDR_FORM_BLOCKS } kdr_form;
kdr_form kdr_form_of(const kdr_particles *particles);

/* Arrays whose elements lie side by side: plain ones would overlap. */
bool kdr_are_rows(void *const array[3], const kdr_particles *particles);

/* Kicks and drifts: a pass but for its arrays; plain arrays of accelerations, or rows where x and v are; of those that `predicted` and `kept`
 * name, each is followed by those of the next axes, so that with rows the first may be used for all. */
typedef struct kdr_move {
    kdr_pass what;
    void *a[3];
    void *predicted[3]; /* laid out as v is when that is rows, else plain */
    kdr_kept kept[3];
} kdr_move;

void kdr_sweep_move(const kdr_sweeper *sweeper, const kdr_move *move);
void kdr_sweep_undo(const kdr_sweeper *sweeper, const kdr_move *move);

/* Stages of plain arrays; passes may read what those before them wrote, element by element. */
enum { KDR_SWEEP_STAGES = 6 };
void kdr_sweep_stages(const kdr_sweeper *sweeper, const kdr_stage_pass *pass, int passes);
void kdr_sweep_sums(const kdr_sweeper *sweeper, const kdr_sum_pass *pass, int passes);

/* A field's accelerations at the particles' x and v; of the job those and the inverse masses are filled in. */
typedef struct kdr_field_pass {
    const kdr_job *job;
    void *a[3];
    bool adds; /* to what is in a */
} kdr_field_pass;

void kdr_sweep_field(const kdr_sweeper *sweeper, const kdr_field_pass *pass);

/* Plain arrays of an element of the particles' precision. */
void kdr_sweep_zeros(const kdr_sweeper *sweeper, void *const to[3]);
void kdr_sweep_copies(const kdr_sweeper *sweeper, void *const to[3], void *const from[3]);

/* Between the particles' x and v, wherever they lie, and plain arrays. */
void kdr_sweep_take(const kdr_sweeper *sweeper, void *const x[3], void *const v[3]);
void kdr_sweep_give(const kdr_sweeper *sweeper, void *const x[3], void *const v[3]);

#endif
