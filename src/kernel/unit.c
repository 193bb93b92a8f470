/* The one source of every unit. src/CMakeLists.txt compiles it once for each instruction set, precision, arithmetic and body, and defines
 *   KDR_UNIT_ISA                           a header of isa/, with the operations on vectors
 *   KDR_UNIT_F32 or KDR_UNIT_F64           the precision
 *   KDR_UNIT_FUSED or KDR_UNIT_UNFUSED     the arithmetic
 *   KDR_UNIT_NAME                          the three as one name, such as avx2_f32_fused
 *   KDR_BODY                               the body: ops.inl, hot.inl, pairs/pairs.inl, maps.inl, custom.inl or fields.inl
 *   KDR_TABLE                              the prefix of the name of the table that the body exports. */
#include "precision.h"

#include KDR_UNIT_ISA

#define KDR_UNIT PASTE(KDR_TABLE, KDR_UNIT_NAME)
#include KDR_BODY
