/* When the values of an element of an H5MD file hold. */
#ifndef KDR_IO_MOMENTS_H
#define KDR_IO_MOMENTS_H

#include "trajectory.h"

typedef struct kdr_moment {
    uint64_t step, row;
    double time;
} kdr_moment;

typedef struct kdr_moments {
    kdr_moment *at; /* to be freed */
    uint64_t count;
    bool timed; /* the file has times; else they are the steps */
} kdr_moments;

/* Steps and times of the rows of the element `name`, of at most `rows`. A single step or time is an increment; rows without steps are
 * numbered. */
kdr_status kdr_moments_take(kdr_trajectory *t, hid_t at, const char *name, uint64_t rows, kdr_moments *to, kdr_error *error);

/* The row of the element for each moment of the positions, UINT64_MAX where it has none; to be freed. NULL: no memory. `own` is sorted. */
uint64_t *kdr_moments_match(const kdr_moments *positions, kdr_moments *own);

#endif
