/* The check that ids differ. */
#ifndef KDR_PARTICLES_IDS_H
#define KDR_PARTICLES_IDS_H

#include <kickdrift/particles.h>

/* Fails with KDR_ERROR_ARGUMENT if two ids are equal, and names both particles. May fail with KDR_ERROR_NO_MEMORY if the ids do not
 * ascend and this thread has not checked them before. The view has been checked. */
kdr_status kdr_particles_check_ids(const kdr_particles *p, kdr_error *error);

#endif
