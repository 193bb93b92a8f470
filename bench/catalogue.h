/* All rows of all kinds that can run here, in one list. */
#ifndef KDR_BENCH_CATALOGUE_H
#define KDR_BENCH_CATALOGUE_H

#include "blocks.h"
#include "gravity.h"
#include "grid.h"
#include "idle.h"
#include "lj.h"
#include "passes.h"
#include "rows.h"
#include "shim.h"
#include "step.h"

/* A row of some kind. `run` is called with `row`. */
typedef struct kdr_bench_entry {
    const char *name;
    bool principal; /* is in the default run */
    kdr_bench_fn *run;
    void *row;
} kdr_bench_entry;

typedef struct kdr_bench_catalogue {
    kdr_bench_entry *entries;
    size_t count;
    bool out_of_memory;
    kdr_bench_rows steps;
    kdr_bench_pass_row passes[KDR_BENCH_PASS_ROWS];
    kdr_bench_block_row blocks[KDR_BENCH_BLOCK_ROWS];
    kdr_bench_gravity_row gravity[KDR_BENCH_GRAVITY_ROWS];
    kdr_bench_grid_row grids[KDR_BENCH_GRID_ROWS];
    kdr_bench_idle_row idles[KDR_BENCH_IDLE_ROWS];
    kdr_bench_lj_row lj;
} kdr_bench_catalogue;

/* Fills in the rows of the backend `only`, or of every backend that runs here (KDR_BACKEND_AUTO). Entries point into the catalogue. */
void kdr_bench_catalogue_fill(kdr_bench_catalogue *all, kdr_bench_session *session, kdr_backend only, kdr_backend best);
void kdr_bench_catalogue_clear(kdr_bench_catalogue *all);

/* Returns the entry of this name, NULL if there is none. */
const kdr_bench_entry *kdr_bench_catalogue_find(const kdr_bench_catalogue *all, const char *name);

#endif
