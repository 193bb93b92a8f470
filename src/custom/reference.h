/* The names of the reference functions of custom fields, which depend on the precision and arithmetic of the unit. */
#ifndef KDR_CUSTOM_REFERENCE_H
#define KDR_CUSTOM_REFERENCE_H

#include "../force/custom.h"
#include "../particles/arithmetic.h"

#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
#ifdef KDR_UNIT_F32
#define REAL _f32
#else
#define REAL _f64
#endif
#ifdef KDR_UNIT_UNFUSED
#define ARITHMETIC _unfused
#else
#define ARITHMETIC _fused
#endif
#define OF_UNIT(name) PASTE(name, PASTE(REAL, ARITHMETIC))
#define OF_FIELD(name) PASTE(OF_UNIT(name), PASTE(_of_, KDR_FIELD))

#endif
