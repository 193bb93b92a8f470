/* The steps and times of the values of an element in an H5MD file. */
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
    bool timed; /* the file has times; otherwise the steps serve as times */
} kdr_moments;

/* Reads the steps and times of an element's rows, at most `rows`. A single step or time is an increment between rows. Rows without steps
 * are numbered. */
kdr_status kdr_moments_take(kdr_trajectory *t, hid_t at, const char *name, uint64_t rows, kdr_moments *to, kdr_error *error);

/* Returns the element's row for each moment of the positions, UINT64_MAX where it has none; to be freed. Returns NULL if there is no
 * memory. The call may sort `own`. */
uint64_t *kdr_moments_match(const kdr_moments *positions, kdr_moments *own);

#endif
