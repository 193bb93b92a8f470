/* Arrays that lie anyhow: a case is drawn on plain arrays, and run with gaps between elements, which changes no bit of a result. */
#ifndef KDR_CHECK_SPREAD_H
#define KDR_CHECK_SPREAD_H

#include "random.h"

#include <kickdrift/coupled.h>

#include <stdbool.h>

enum { KDR_CHECK_MOST_SPREAD = 64 };

typedef struct kdr_check_spread_row {
    void *array; /* whose pointer it is, in a view or a force */
    kdr_layout *layout;
    unsigned char *plain, *apart;
    size_t size, elements;
    bool is_written;
} kdr_check_spread_row;

typedef struct kdr_check_spread {
    int count;
    kdr_particles *particles; /* or NULL */
    kdr_check_spread_row row[KDR_CHECK_MOST_SPREAD];
} kdr_check_spread;

/* Starting from zeros: names an array, `array` being the address of its pointer; every array but x, v and the inverse masses of particles;
 * what a list of forces has of each particle. Nothing is done for NULL. */
void kdr_check_spread_list(kdr_check_spread *spread, void *array, kdr_layout *layout, size_t size, size_t count, bool is_written);
void kdr_check_spread_particles(kdr_check_spread *spread, kdr_particles *particles);
void kdr_check_spread_forces(kdr_check_spread *spread, kdr_force *forces, size_t count, const kdr_particles *particles);
void kdr_check_spread_coupled(kdr_check_spread *spread, kdr_coupled_force *forces, size_t count, const kdr_particles *particles);

/* Takes apart what was named. False: there is no memory. Behind it, and a run, `back`. */
bool kdr_check_spread_out(kdr_check_spread *spread, kdr_check_random *random);
void kdr_check_spread_back(kdr_check_spread *spread);

#endif
