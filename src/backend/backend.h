/* The table of backends, as the integrator sees it. */
#ifndef KDR_BACKEND_BACKEND_H
#define KDR_BACKEND_BACKEND_H

#include <kickdrift/integrator.h>

#include "../kernel/kernel.h"

/* The kernels of a backend that was chosen by kdr_backend_choose; NULL when it is not compiled. */
const kdr_kernels *kdr_backend_kernels(kdr_backend backend, kdr_real real, kdr_arithmetic arithmetic);

#endif
