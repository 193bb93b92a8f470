/* Memory: the system's allocator, as the library uses it, and bytes that are cleared. */
#ifndef KDR_PARTICLES_STORAGE_H
#define KDR_PARTICLES_STORAGE_H

#include <kickdrift/particles.h>

/* With huge pages where there are any. */
kdr_allocator kdr_system_allocator(void);

/* Sets so many bytes to 0, by the C library's memset: where compilers see how many hundreds they are, they make an instruction of them that
 * is slow to begin. */
void kdr_clear(void *at, size_t bytes);

#endif
