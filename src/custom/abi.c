/* The layouts that this library was compiled with. force/custom.c compares those of a custom field with them. */
#include "abi.h"

const kdr_custom_field_abi kdr_custom_field_abi_of_library = KDR_CUSTOM_FIELD_ABI;
