/* Aligned memory. Windows has another pair of functions for it. */
#ifndef KDR_PARTICLES_ALIGNED_H
#define KDR_PARTICLES_ALIGNED_H

#include <stdlib.h>
#if defined(_WIN32)
#include <malloc.h>
#endif

/* Allocates `size` bytes at a multiple of `alignment`, a power of 2 that divides the size. kdr_aligned_free frees them. Returns NULL if
 * there is no memory. */
static inline void *kdr_aligned_alloc(size_t alignment, size_t size) {
#if defined(_WIN32)
    return _aligned_malloc(size, alignment);
#else
    return aligned_alloc(alignment, size);
#endif
}

static inline void kdr_aligned_free(void *block) {
#if defined(_WIN32)
    _aligned_free(block);
#else
    free(block);
#endif
}

#endif
