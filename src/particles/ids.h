/* Ids that must differ. */
#ifndef KDR_PARTICLES_IDS_H
#define KDR_PARTICLES_IDS_H

#include <kickdrift/particles.h>

/* Refuses two equal ids of a view that has been checked: KDR_ERROR_ARGUMENT names both particles; KDR_ERROR_NO_MEMORY, of ids that do not
 * ascend and that this thread has not seen. */
kdr_status kdr_particles_check_ids(const kdr_particles *p, kdr_error *error);

#endif
