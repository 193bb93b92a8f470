/* Rounding to the nearest while a public call computes, whatever mode it finds, which it leaves behind: so results have the same bits in
 * every mode. Each public function that computes says KDR_ROUND_TO_NEAREST first; ranges on other threads do too (executor.c). Behind each
 * call of a function of the caller's, which may leave another mode, the nearest is set again. */
#ifndef KDR_PARTICLES_ROUNDING_H
#define KDR_PARTICLES_ROUNDING_H

#include <kickdrift/status.h>

#include <fenv.h>

#include "arithmetic.h"

#ifdef __SSE2__
#include <xmmintrin.h>

/* Returns the mode that it finds: of x86's two units that of the vectors counts, and both are set, as fenv.h does it. */
static inline unsigned kdr_round_to_nearest(void) {
    unsigned found = _mm_getcsr() & _MM_ROUND_MASK;
    if (found != _MM_ROUND_NEAREST) {
        found |= (unsigned)fegetround();
        fesetround(FE_TONEAREST);
    }
    return found;
}

static inline void kdr_round_as(const unsigned *found) {
    if (*found != _MM_ROUND_NEAREST) {
        fesetround((int)(*found & ~(unsigned)_MM_ROUND_MASK));
        _mm_setcsr((_mm_getcsr() & ~(unsigned)_MM_ROUND_MASK) | (*found & _MM_ROUND_MASK));
    }
}
#else
static inline unsigned kdr_round_to_nearest(void) {
    const unsigned found = (unsigned)fegetround();
    if (found != FE_TONEAREST) {
        fesetround(FE_TONEAREST);
    }
    return found;
}

static inline void kdr_round_as(const unsigned *found) {
    if (*found != FE_TONEAREST) {
        fesetround((int)*found);
    }
}
#endif

/* What a function of the caller's has returned. */
static inline kdr_status kdr_called(kdr_status status) {
    (void)kdr_round_to_nearest();
    return status;
}

#define KDR_ROUND_TO_NEAREST __attribute__((cleanup(kdr_round_as), unused)) const unsigned rounding = kdr_round_to_nearest()

#endif
