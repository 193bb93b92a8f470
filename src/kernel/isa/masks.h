/* Masks of SSE2, NEON and AVX2: all bits of a lane are equal. */

static inline vm m_none(void) { return V(setzero)(); }

static inline vm m_and(vm a, vm b) { return V(and)(a, b); }

static inline vm m_or(vm a, vm b) { return V(or)(a, b); }

/* Returns a and not b. */
static inline vm m_but(vm a, vm b) { return V(andnot)(b, a); }

static inline bool m_any(vm a) { return V(movemask)(a) != 0; }

static inline bool m_all(vm a) { return V(movemask)(a) == (1 << LANES) - 1; }
