/* Memory: the system's allocator, as the library uses it, and bytes that are copied. */
#ifndef KDR_PARTICLES_STORAGE_H
#define KDR_PARTICLES_STORAGE_H

#include <kickdrift/particles.h>

/* With huge pages where there are any. */
kdr_allocator kdr_system_allocator(void);

/* Copies by the C library's memcpy: where compilers see how many hundreds of bytes there are, they make an instruction of it that is slow
 * to begin. */
void kdr_copy(void *to, const void *from, size_t bytes);

#endif
