/* The sizes that the operations of a custom field and the library must agree on. */
#ifndef KDR_FUSE_ABI_H
#define KDR_FUSE_ABI_H

#include <kickdrift/kickdrift.h>

#include "../force/fused.h"
#include "../program/operation.h"

#define KDR_FUSED_ABI                                                                                                                      \
    {                                                                                                                                      \
        KDR_VERSION_STRING, sizeof(kdr_job), sizeof(kdr_field), sizeof(kdr_row), sizeof(kdr_tile), sizeof(kdr_instruction),                \
            sizeof(kdr_custom_operations), sizeof(kdr_hot), sizeof(kdr_fused)                                                              \
    }

#endif
