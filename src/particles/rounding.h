/* Rounding to the nearest while a public function computes. Afterwards the mode from before is set again, so that results have the same
 * bits in every mode. Each public function that computes begins with KDR_ROUND_TO_NEAREST; so do ranges on other threads (executor.c).
 * After each call of a user's function, which may change the mode, rounding to the nearest is set again. */
#ifndef KDR_PARTICLES_ROUNDING_H
#define KDR_PARTICLES_ROUNDING_H

#include <kickdrift/status.h>

#include <fenv.h>

#include "arithmetic.h"

#ifdef __SSE2__
#include <xmmintrin.h>

/* Sets rounding to the nearest, and returns the mode from before. x86 has two units with a mode: that of the vector unit is returned,
 * and both are set, as fenv.h does. */
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

/* Sets rounding to the nearest again after a call of a user's function, and returns the function's status. */
static inline kdr_status kdr_called(kdr_status status) {
    (void)kdr_round_to_nearest();
    return status;
}

#define KDR_ROUND_TO_NEAREST __attribute__((cleanup(kdr_round_as), unused)) const unsigned rounding = kdr_round_to_nearest()

#endif
