/* A force as a user of kdr_system_run_blocks writes it: an ordinary loop. It is compiled for each instruction set. */
#ifndef KDR_BENCH_USER_LOOP_H
#define KDR_BENCH_USER_LOOP_H

#include <kickdrift/grid.h>
#include <kickdrift/system.h>

#include "fields.h"

typedef struct kdr_bench_user_loop_unit {
    const char *isa, *real;
    kdr_accelerations_fn *accelerations; /* a spring with a damper; its context is a kdr_bench_folded */
    /* Loads and adds up the numbers that particles on three axes need from a grid with six numbers per node. */
    void (*load_grid)(const kdr_grid *grid, const kdr_particles *particles);
} kdr_bench_user_loop_unit;

/* The units that were built. The last pointer is NULL. */
extern const kdr_bench_user_loop_unit *const kdr_bench_user_loop_units[];

/* Returns the unit of an instruction set and precision; NULL if there is none. */
const kdr_bench_user_loop_unit *kdr_bench_user_loop_of(const char *isa, kdr_real real);

#endif
