/* The operations that every width spells alike. V(op) is SIMDe's name of an operation at the width and precision of the unit. */

static inline vr v_load(const void *p) { return V(loadu)(p); }

static inline void v_store(void *p, vr a) { V(storeu)(p, a); }

static inline vr v_set1(real a) { return V(set1)(a); }

static inline vr v_add(vr a, vr b) { return V(add)(a, b); }

static inline vr v_sub(vr a, vr b) { return V(sub)(a, b); }

static inline vr v_mul(vr a, vr b) { return V(mul)(a, b); }

static inline vr v_div(vr a, vr b) { return V(div)(a, b); }

static inline vr v_sqrt(vr a) { return V(sqrt)(a); }
