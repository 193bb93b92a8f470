/* Arrays that lie anyhow: a case is drawn on plain arrays, and run with gaps between elements, which changes no bit of a result. */
#ifndef KDR_CHECK_SPREAD_H
#define KDR_CHECK_SPREAD_H

#include "random.h"

#include <kickdrift/force.h>
#include <kickdrift/particles.h>

#include <stdbool.h>

enum { KDR_CHECK_MOST_SPREAD = 64 };

typedef struct kdr_check_spread_row {
    void *array; /* whose pointer it is, in the view or a force */
    kdr_layout *layout;
    unsigned char *plain, *apart;
    size_t size;
    bool is_written;
} kdr_check_spread_row;

typedef struct kdr_check_spread {
    int count;
    size_t particles;
    kdr_check_spread_row row[KDR_CHECK_MOST_SPREAD];
} kdr_check_spread;

/* Every array but x, v and the inverse masses, of particles and of forces. False: there is no memory. Behind it, and a run, `back`. */
bool kdr_check_spread_out(kdr_check_spread *spread, kdr_check_random *random, kdr_particles *particles, kdr_force *forces, size_t count);
void kdr_check_spread_back(kdr_check_spread *spread, kdr_particles *particles);

#endif
