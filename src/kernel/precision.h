/* Names that depend on the unit's precision and arithmetic. */
#include <kickdrift/fma.h>

#ifdef KDR_UNIT_F32
typedef float real;
typedef struct kdr_wall_f32 wall;
#define SUFFIX _ps
#define KIND ps
#define LANE _epi32
#define VECTOR(type) type
#define REAL_FMA kdr_fmaf
#define REAL_SQRT sqrtf
#define SPLITTER 4097.0F /* 2^12 + 1: splits a number of 24 digits into two halves */
#define EPSILON FLT_EPSILON
#define BUT_SIGN (UINT32_MAX >> 1) /* mask of the bits of a magnitude */
#define REAL_MAX FLT_MAX
#define NOTHING 0x1p-100F
#define CONE_ROOM 0x1p-14F     /* fraction of a demanded velocity that may be left undone */
#define SPHERE_ROOM 0x1.004p0F /* factor on a radius for the box around a sphere, with room for rounding */
#define ROOM 0x1p-20F          /* fraction of a coordinate: a surface that is nearer is touched */
/* fraction of the velocity that forces cause in a flight; anything slower towards a surface is rounding */
#define SLOW 0x1p-12F
#define ROOT_ROOM 0x1p-21F /* fraction of a step: the precision of times of impact */
#define FLAT 0x1p-18F      /* fraction of a joint's own mobility: joints with less mobility together are stuck */
#define ROUNDER 0x1.8p23F  /* a + ROUNDER - ROUNDER is the integer nearest to a */
#else
typedef double real;
typedef struct kdr_wall_f64 wall;
#define SUFFIX _pd
#define KIND pd
#define LANE _epi64
#define VECTOR(type) PASTE(type, d)
#define REAL_FMA kdr_fma
#define REAL_SQRT sqrt
#define SPLITTER 134217729.0 /* 2^27 + 1: splits a number of 53 digits into two halves */
#define EPSILON DBL_EPSILON
#define BUT_SIGN (UINT64_MAX >> 1)
#define REAL_MAX DBL_MAX
#define NOTHING 0x1p-900
#define CONE_ROOM 0x1p-36
#define SPHERE_ROOM 0x1.004p0
#define ROOM 0x1p-46
#define SLOW 0x1p-20
#define ROOT_ROOM 0x1p-50
#define FLAT 0x1p-40
#define ROUNDER 0x1.8p52 /* a + ROUNDER - ROUNDER is the integer nearest to a */
#endif
#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
#define MASK(op) PASTE(PASTE(op, SUFFIX), _mask)
