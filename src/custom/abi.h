/* The sizes that the operations of a custom field and the library must agree on. */
#ifndef KDR_CUSTOM_ABI_H
#define KDR_CUSTOM_ABI_H

#include <kickdrift/kickdrift.h>

#include "../force/custom.h"
#include "../program/operation.h"

#define KDR_CUSTOM_FIELD_ABI                                                                                                               \
    {KDR_VERSION_STRING,                                                                                                                   \
     sizeof(kdr_job),                                                                                                                      \
     sizeof(kdr_field),                                                                                                                    \
     sizeof(kdr_row),                                                                                                                      \
     sizeof(kdr_tile),                                                                                                                     \
     sizeof(kdr_instruction),                                                                                                              \
     sizeof(kdr_custom_operations),                                                                                                        \
     sizeof(kdr_hot),                                                                                                                      \
     sizeof(kdr_custom_field)}

#endif
