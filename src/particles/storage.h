/* Memory: the system's allocator, as the library uses it, and copies of bytes. */
#ifndef KDR_PARTICLES_STORAGE_H
#define KDR_PARTICLES_STORAGE_H

#include <kickdrift/particles.h>

/* Returns the system's allocator, which asks for huge pages. */
kdr_allocator kdr_system_allocator(void);

/* Copies bytes by the C library's memcpy. It is a function because compilers that see a size of hundreds of bytes make a string
 * instruction of memcpy, which is slow to start. */
void kdr_copy(void *to, const void *from, size_t bytes);

#endif
