/* The sizes that a fused field's kernels and the library must agree on. */
#ifndef KDR_KERNEL_ABI_H
#define KDR_KERNEL_ABI_H

#include <kickdrift/kickdrift.h>

#include "../force/fused.h"
#include "kernel.h"

#define KDR_FUSED_ABI                                                                                                                      \
    {                                                                                                                                      \
        KDR_VERSION_STRING, sizeof(kdr_job), sizeof(kdr_field), sizeof(kdr_row), sizeof(kdr_affine_map),                                   \
            sizeof(kdr_wall_f32) + 1000 * sizeof(kdr_wall_f64), sizeof(kdr_kernels)                                                        \
    }

#endif
