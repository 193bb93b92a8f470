/* What an integrator holds. */
#ifndef KDR_INTEGRATOR_INTEGRATOR_H
#define KDR_INTEGRATOR_INTEGRATOR_H

#include <kickdrift/integrator.h>

#include "../method/problem.h"

struct kdr_integrator {
    kdr_integrator_desc desc; /* as it was given; `forces` points to the copy below */
    kdr_problem problem;
    kdr_backend backend;
    void (*kernel)(const struct kdr_job *job, size_t begin, size_t end);
    kdr_force forces[];
};

#endif
