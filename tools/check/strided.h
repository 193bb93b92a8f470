/* Strided arrays. A case is drawn on contiguous arrays and run on copies with gaps between the elements, which must not change any bit of a
 * result. */
#ifndef KDR_CHECK_STRIDED_H
#define KDR_CHECK_STRIDED_H

#include "random.h"

#include <kickdrift/system.h>

#include <stdbool.h>

enum { KDR_CHECK_MOST_STRIDED = 64 };

typedef struct kdr_check_strided_row {
    void *array; /* address of the pointer to the array, in a view or a force */
    kdr_layout *layout;
    unsigned char *plain, *apart;
    size_t size, elements;
    bool is_written;
} kdr_check_strided_row;

typedef struct kdr_check_strided {
    int count;
    kdr_particles *particles; /* may be NULL */
    kdr_check_strided_row row[KDR_CHECK_MOST_STRIDED];
} kdr_check_strided;

/* These note arrays in `spread`, which begins as zeros: a single array, where `array` is the address of its pointer; all arrays of
 * particles except x, v and inverse masses; the arrays with one value per particle in lists of forces. A NULL array is skipped. */
void kdr_check_strided_list(kdr_check_strided *spread, void *array, kdr_layout *layout, size_t size, size_t count, bool is_written);
void kdr_check_strided_particles(kdr_check_strided *spread, kdr_particles *particles);
void kdr_check_strided_forces(kdr_check_strided *spread, kdr_force *forces, size_t count, const kdr_particles *particles);
void kdr_check_strided_interactions(kdr_check_strided *spread, kdr_interaction *forces, size_t count, const kdr_particles *particles);

/* kdr_check_strided_out copies the noted arrays to strided ones. Returns false if there is no memory. Call kdr_check_strided_back after the
 * run. */
bool kdr_check_strided_out(kdr_check_strided *spread, kdr_check_random *random);
void kdr_check_strided_back(kdr_check_strided *spread);

#endif
