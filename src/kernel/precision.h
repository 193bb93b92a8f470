/* The names that depend on the unit's precision and arithmetic. */
#ifdef KDR_UNIT_F32
typedef float real;
#define SUFFIX _ps
#define VECTOR(type) type
#define REAL_FMA fmaf
#define REAL_SQRT sqrtf
#else
typedef double real;
#define SUFFIX _pd
#define VECTOR(type) PASTE(type, d)
#define REAL_FMA fma
#define REAL_SQRT sqrt
#endif
#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
#define MASK(op) PASTE(PASTE(op, SUFFIX), _mask)
