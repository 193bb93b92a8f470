/* The colliders and the constraints of the cases. */
#ifndef KDR_CHECK_COLLIDERS_H
#define KDR_CHECK_COLLIDERS_H

#include "random.h"

#include <kickdrift/kickdrift.h>

enum { KDR_CHECK_MAX_COLLIDERS = 12, COLLIDERS_LISTS = 9, KDR_CHECK_MAX_CONSTRAINTS = 2, CONSTRAINTS_LISTS = 5 };

typedef struct kdr_check_colliders {
    kdr_collider collider[KDR_CHECK_MAX_COLLIDERS];
    int count;
} kdr_check_colliders;

typedef struct kdr_check_constraints {
    kdr_constraint constraint[KDR_CHECK_MAX_CONSTRAINTS];
    int count;
} kdr_check_constraints;

/* Fills list number `list` from `random`; 0 is empty. */
void kdr_check_colliders_build(kdr_check_colliders *colliders, int list, kdr_check_random *random);

/* Widens the boxes that particles are inside of, to leave room for balls of this radius. */
void kdr_check_colliders_widen(kdr_check_colliders *colliders, double radius);

/* Makes all surfaces stand still, as they must with constraints and distances. */
void kdr_check_colliders_stop(kdr_check_colliders *colliders);

void kdr_check_constraints_build(kdr_check_constraints *constraints, int list, kdr_check_random *random);

#endif
