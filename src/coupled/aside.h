/* Arrays of particles that instructions read or count in, in addition to their rows: ids, radii, counts. Instructions take plain arrays
 * only. A strided array is copied into a plain one for a few particles at a time. */
#ifndef KDR_COUPLED_ASIDE_H
#define KDR_COUPLED_ASIDE_H

#include "../particles/copies.h"
#include "../program/program.h"

/* KDR_ASIDE_COLUMNS: the most arrays set aside (ids, radii, hits, two sums of energy, images on three axes). KDR_ASIDE_SIZE: their bytes
 * per particle. */
enum { KDR_ASIDE_COLUMNS = 8, KDR_ASIDE_SIZE = 48 };

typedef struct kdr_aside {
    int count; /* number of strided arrays */
    kdr_column column[KDR_ASIDE_COLUMNS];
} kdr_aside;

/* Lists the strided arrays of a job, which must be that of the particles. */
void kdr_aside_make(kdr_aside *aside, const kdr_job *job, const kdr_particles *particles);

/* kdr_aside_take copies the listed arrays of particles [first, first + count) into `memory` and points the job there. kdr_aside_give
 * copies counts back. */
void kdr_aside_take(const kdr_aside *aside, size_t first, size_t count, unsigned char *memory, kdr_job *job);
void kdr_aside_give(const kdr_aside *aside, size_t first, size_t count, unsigned char *memory);

/* Returns a view of particles [first, first + count) that has the counts in the job's plain arrays and nothing else. */
kdr_particles kdr_aside_counts(const kdr_job *job, int dims, size_t first, size_t count);

#endif
