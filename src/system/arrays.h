/* Operations on arrays of all particles, run in parallel by the executor. */
#ifndef KDR_SYSTEM_ARRAYS_H
#define KDR_SYSTEM_ARRAYS_H

#include "../particles/element.h"
#include "../program/program.h"

/* Particles per block, the executor's unit of work. */
enum { KDR_SWEEP_BLOCK = 1024 };

static inline size_t kdr_sweep_blocks(size_t count) { return count / KDR_SWEEP_BLOCK + (count % KDR_SWEEP_BLOCK != 0); }

typedef struct kdr_swept {
    const kdr_executor *executor;
    kdr_backend backend;
    const kdr_particles *particles;
} kdr_swept;

/* Returns whether particle i is neither frozen nor inactive. */
static inline bool kdr_is_moved(const kdr_particles *particles, size_t i) {
    return kdr_is_active(particles, i) && kdr_inverse_mass(particles, i) != 0.0;
}

/* Evaluates a field for particles [begin, end) of a job, into plain arrays. `lie` gives the layouts of the job's arrays; all its
 * particles are active. */
void kdr_field_evaluate(const kdr_job *job, kdr_backend backend, const kdr_particles *lie, const kdr_evaluated *to, size_t begin,
                        size_t end);

/* Evaluates a field at the particles' x and v, into plain arrays. Fills in x, v and the inverse masses of a copy of the job. */
void kdr_sweep_field(const kdr_swept *arrays, const kdr_job *job, const kdr_evaluated *to);

/* Set or copy plain arrays of the particles' precision. */
void kdr_sweep_zeros(const kdr_swept *arrays, void *const to[3]);
void kdr_sweep_copies(const kdr_swept *arrays, void *const to[3], void *const from[3]);

/* Copies arrays that particles carry, in any layout, to plain arrays. With `back` it copies the other way, only for particles that move;
 * no other bit changes. */
void kdr_sweep_carried(const kdr_swept *arrays, void *const plain[3], void *const carried[3], const kdr_layout *layout, bool back);

/* Copy x and v of the particles, in any layout, to plain arrays, or back. */
void kdr_sweep_take(const kdr_swept *arrays, void *const x[3], void *const v[3]);
void kdr_sweep_give(const kdr_swept *arrays, void *const x[3], void *const v[3]);

#endif
