/* The system's allocator, as the library uses it. */
#ifndef KDR_PARTICLES_STORAGE_H
#define KDR_PARTICLES_STORAGE_H

#include <kickdrift/particles.h>

/* With huge pages where there are any. */
kdr_allocator kdr_system_allocator(void);

#endif
