/* A force as a user of kdr_coupled_run_blocks writes it: an ordinary loop. Its unit is compiled for each instruction set. */
#ifndef KDR_BENCH_OWN_H
#define KDR_BENCH_OWN_H

#include <kickdrift/coupled.h>

#include "fields.h"

typedef struct kdr_bench_own_unit {
    const char *isa, *real;
    kdr_accelerations_fn *accelerations; /* a spring with a damper; its context: a kdr_bench_folded */
} kdr_bench_own_unit;

/* The units that were built, ended by NULL. */
extern const kdr_bench_own_unit *const kdr_bench_own_units[];

#endif
