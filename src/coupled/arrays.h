/* What is done to plain arrays of all particles, by the executor. */
#ifndef KDR_COUPLED_ARRAYS_H
#define KDR_COUPLED_ARRAYS_H

#include "../particles/element.h"
#include "../program/program.h"

/* Particles of a block, the executor's unit of work. */
enum { KDR_SWEEP_BLOCK = 1024 };

static inline size_t kdr_sweep_blocks(size_t count) { return count / KDR_SWEEP_BLOCK + (count % KDR_SWEEP_BLOCK != 0); }

typedef struct kdr_swept {
    const kdr_executor *executor;
    kdr_backend backend;
    const kdr_particles *particles;
} kdr_swept;

/* Neither frozen nor left out by the marks. */
static inline bool kdr_is_moved(const kdr_particles *particles, size_t i) {
    return kdr_is_active(particles, i) && kdr_inverse_mass(particles, i) != 0.0;
}

/* A field's evaluation for particles [begin, end) of a job, into plain arrays. `lie`: where the elements of the job are; all of them are
 * active. */
void kdr_field_evaluate(const kdr_job *job, kdr_backend backend, const kdr_particles *lie, const kdr_evaluated *to, size_t begin,
                        size_t end);

/* A field's evaluation at the particles' x and v, into plain arrays; of the job those and the inverse masses are filled in. */
void kdr_sweep_field(const kdr_swept *arrays, const kdr_job *job, const kdr_evaluated *to);

/* Elements of the particles' precision. */
void kdr_sweep_zeros(const kdr_swept *arrays, void *const to[3]);
void kdr_sweep_copies(const kdr_swept *arrays, void *const to[3], void *const from[3]);

/* Between plain arrays and what particles carry, wherever it lies; back: of those alone that move, and no bit of the others' changes. */
void kdr_sweep_carried(const kdr_swept *arrays, void *const plain[3], void *const carried[3], const kdr_layout *layout, bool back);

/* Between the particles' x and v, wherever they lie, and plain arrays. */
void kdr_sweep_take(const kdr_swept *arrays, void *const x[3], void *const v[3]);
void kdr_sweep_give(const kdr_swept *arrays, void *const x[3], void *const v[3]);

#endif
