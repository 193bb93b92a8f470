/* The layouts that this library was compiled with: force/fused.c holds a custom field's against them. */
#include "abi.h"

const kdr_fused_abi kdr_fused_abi_of_library = KDR_FUSED_ABI;
