/* Strided arrays. A case is drawn on contiguous arrays and run on copies with gaps between the elements, which must not change any bit of a
 * result. */
#ifndef KDR_CHECK_SPREAD_H
#define KDR_CHECK_SPREAD_H

#include "random.h"

#include <kickdrift/coupled.h>

#include <stdbool.h>

enum { KDR_CHECK_MOST_SPREAD = 64 };

typedef struct kdr_check_spread_row {
    void *array; /* address of the pointer to the array, in a view or a force */
    kdr_layout *layout;
    unsigned char *plain, *apart;
    size_t size, elements;
    bool is_written;
} kdr_check_spread_row;

typedef struct kdr_check_spread {
    int count;
    kdr_particles *particles; /* may be NULL */
    kdr_check_spread_row row[KDR_CHECK_MOST_SPREAD];
} kdr_check_spread;

/* These note arrays in `spread`, which begins as zeros: a single array, where `array` is the address of its pointer; all arrays of
 * particles except x, v and inverse masses; the arrays with one value per particle in lists of forces. A NULL array is skipped. */
void kdr_check_spread_list(kdr_check_spread *spread, void *array, kdr_layout *layout, size_t size, size_t count, bool is_written);
void kdr_check_spread_particles(kdr_check_spread *spread, kdr_particles *particles);
void kdr_check_spread_forces(kdr_check_spread *spread, kdr_force *forces, size_t count, const kdr_particles *particles);
void kdr_check_spread_coupled(kdr_check_spread *spread, kdr_coupled_force *forces, size_t count, const kdr_particles *particles);

/* kdr_check_spread_out copies the noted arrays to strided ones. Returns false if there is no memory. Call kdr_check_spread_back after the
 * run. */
bool kdr_check_spread_out(kdr_check_spread *spread, kdr_check_random *random);
void kdr_check_spread_back(kdr_check_spread *spread);

#endif
