/* A force as a user of kdr_coupled_run_blocks writes it: an ordinary loop. Its unit is compiled for each instruction set. */
#ifndef KDR_BENCH_OWN_H
#define KDR_BENCH_OWN_H

#include <kickdrift/coupled.h>
#include <kickdrift/grid.h>

#include "fields.h"

typedef struct kdr_bench_own_unit {
    const char *isa, *real;
    kdr_accelerations_fn *accelerations; /* a spring with a damper; its context: a kdr_bench_folded */
    /* What particles on three axes need of a grid of six numbers a node, loaded and added up. */
    void (*load_grid)(const kdr_grid *grid, const kdr_particles *particles);
} kdr_bench_own_unit;

/* The units that were built, ended by NULL. */
extern const kdr_bench_own_unit *const kdr_bench_own_units[];

/* The one of an instruction set, or NULL. */
const kdr_bench_own_unit *kdr_bench_own_of(const char *isa, kdr_real real);

#endif
