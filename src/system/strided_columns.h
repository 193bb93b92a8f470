/* Arrays of particles that instructions read or count in, in addition to their rows: ids, radii, counts. Instructions take plain arrays
 * only. A strided array is copied into a plain one for a few particles at a time. */
#ifndef KDR_SYSTEM_STRIDED_COLUMNS_H
#define KDR_SYSTEM_STRIDED_COLUMNS_H

#include "../particles/copies.h"
#include "../program/program.h"

/* KDR_STRIDED_COLUMNS_MOST: the most arrays set aside (ids, radii, bounces, two sums of energy, images on three axes).
 * KDR_STRIDED_COLUMNS_SIZE: their bytes per particle. */
enum { KDR_STRIDED_COLUMNS_MOST = 8, KDR_STRIDED_COLUMNS_SIZE = 48 };

typedef struct kdr_strided_columns {
    int count; /* number of strided arrays */
    kdr_column column[KDR_STRIDED_COLUMNS_MOST];
} kdr_strided_columns;

/* Lists the strided arrays of a job, which must be that of the particles. */
void kdr_strided_columns_make(kdr_strided_columns *aside, const kdr_job *job, const kdr_particles *particles);

/* kdr_strided_columns_take copies the listed arrays of particles [first, first + count) into `memory` and points the job there.
 * kdr_strided_columns_give copies counts back. */
void kdr_strided_columns_take(const kdr_strided_columns *aside, size_t first, size_t count, unsigned char *memory, kdr_job *job);
void kdr_strided_columns_give(const kdr_strided_columns *aside, size_t first, size_t count, unsigned char *memory);

/* Returns a view of particles [first, first + count) that has the counts in the job's plain arrays and nothing else. */
kdr_particles kdr_strided_columns_counts(const kdr_job *job, int dims, size_t first, size_t count);

#endif
