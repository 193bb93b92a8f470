/* What an integrator holds. */
#ifndef KDR_INTEGRATOR_INTEGRATOR_H
#define KDR_INTEGRATOR_INTEGRATOR_H

#include <kickdrift/integrator.h>

#include "../kernel/kernel.h"
#include "../method/problem.h"

struct kdr_integrator {
    kdr_integrator_desc desc; /* as it was given; `forces` points to the copy below */
    kdr_problem problem;
    kdr_backend backend;
    kdr_kernel *kernel;
    kdr_force forces[];
};

#endif
