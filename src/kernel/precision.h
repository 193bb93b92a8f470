/* The names that depend on the unit's precision and arithmetic. */
#ifdef KDR_UNIT_F32
typedef float real;
#define SUFFIX _ps
#define KIND ps
#define LANE _epi32
#define VECTOR(type) type
#define REAL_FMA fmaf
#define REAL_SQRT sqrtf
#define SPLITTER 4097.0F /* 2^12 + 1: cuts the 24 digits in two */
#else
typedef double real;
#define SUFFIX _pd
#define KIND pd
#define LANE _epi64
#define VECTOR(type) PASTE(type, d)
#define REAL_FMA fma
#define REAL_SQRT sqrt
#define SPLITTER 134217729.0 /* 2^27 + 1: cuts the 53 digits in two */
#endif
#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
#define MASK(op) PASTE(PASTE(op, SUFFIX), _mask)
