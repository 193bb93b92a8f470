/* Arrays of particles that lines read or count in beside their rows: ids, radii, counts. Lines take plain arrays alone. If one of these
 * arrays is strided, it is copied into a plain one for a few particles at a time. */
#ifndef KDR_COUPLED_ASIDE_H
#define KDR_COUPLED_ASIDE_H

#include "../particles/copies.h"
#include "../program/program.h"

/* There are at most so many of them: ids, radii, hits, two sums of energy, images of three axes. All take so many bytes a particle. */
enum { KDR_ASIDE_COLUMNS = 8, KDR_ASIDE_SIZE = 48 };

typedef struct kdr_aside {
    int count; /* of the columns that lie apart */
    kdr_column column[KDR_ASIDE_COLUMNS];
} kdr_aside;

/* `job` is that of the particles. */
void kdr_aside_make(kdr_aside *aside, const kdr_job *job, const kdr_particles *particles);

/* Copies those of particles [first, first + count) into `memory`, where the job then finds them; and what was counted back. */
void kdr_aside_take(const kdr_aside *aside, size_t first, size_t count, unsigned char *memory, kdr_job *job);
void kdr_aside_give(const kdr_aside *aside, size_t first, size_t count, unsigned char *memory);

/* Particles [first, first + count) of a job's that has what is counted in plain arrays, and nothing else of them. */
kdr_particles kdr_aside_counts(const kdr_job *job, int dims, size_t first, size_t count);

#endif
