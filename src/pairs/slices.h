/* The springs of a net sorted by particle, as the kernels read them. */
#ifndef KDR_PAIRS_SLICES_H
#define KDR_PAIRS_SLICES_H

#include <kickdrift/pairs.h>

#include "../kernel/pairs/pairs.h"

typedef struct kdr_net {
    kdr_slices slices;
    void *block; /* the memory of all arrays of `slices` */
} kdr_net;

/* Sets the parameters of spring n for one of its particles: a if `end` is 0, b if it is 1. */
typedef void kdr_spring_fn(void *context, size_t n, int end, double parameter[KDR_MAP_PARAMETERS]);

/* Makes a net from springs that were checked. */
kdr_status kdr_net_make(const kdr_pair_spring *springs, size_t count, kdr_real real, int parameters, kdr_spring_fn *parameters_of,
                        void *context, kdr_net *net, kdr_error *error);
void kdr_net_free(kdr_net *net);

#endif
