/* Makes the list of all rows (see catalogue.h). */
#include "catalogue.h"

#include <stdlib.h>
#include <string.h>

static void add(kdr_bench_catalogue *all, const char *name, bool principal, kdr_bench_fn *run, void *row) {
    all->entries[all->count++] = (kdr_bench_entry){name, principal, run, row};
}

void kdr_bench_catalogue_fill(kdr_bench_catalogue *all, kdr_bench_session *session, kdr_backend only, kdr_backend best) {
    all->steps = kdr_bench_rows_create(session, only, best);
    const size_t passes = kdr_bench_pass_rows(session, best, all->passes);
    const size_t blocks = kdr_bench_block_rows(session, best, all->blocks);
    const size_t gravity = kdr_bench_gravity_rows(session, only, best, all->gravity);
    const size_t grids = kdr_bench_grid_rows(session, only, best, all->grids);
    const size_t idles = kdr_bench_idle_rows(session, only, best, all->idles);
    const size_t lj = kdr_bench_lj_rows(session, best, &all->lj);
    all->count = 0;
    all->entries = malloc((all->steps.count + passes + blocks + gravity + grids + idles + lj + 1) * sizeof *all->entries);
    all->out_of_memory = all->steps.out_of_memory || !all->entries;
    if (all->out_of_memory) {
        return;
    }
    for (size_t i = 0; i < all->steps.count; ++i) {
        add(all, all->steps.rows[i].name, all->steps.rows[i].principal, kdr_bench_step, &all->steps.rows[i]);
    }
    for (size_t i = 0; i < passes; ++i) {
        add(all, all->passes[i].name, all->passes[i].principal, kdr_bench_pass, &all->passes[i]);
    }
    for (size_t i = 0; i < blocks; ++i) {
        add(all, all->blocks[i].name, all->blocks[i].principal, kdr_bench_blocks, &all->blocks[i]);
    }
    for (size_t i = 0; i < gravity; ++i) {
        add(all, all->gravity[i].name, all->gravity[i].principal, kdr_bench_gravity, &all->gravity[i]);
    }
    for (size_t i = 0; i < grids; ++i) {
        add(all, all->grids[i].name, all->grids[i].principal, kdr_bench_grid, &all->grids[i]);
    }
    for (size_t i = 0; i < idles; ++i) {
        add(all, all->idles[i].name, all->idles[i].principal, kdr_bench_idle, &all->idles[i]);
    }
    if (lj) {
        add(all, all->lj.name, true, kdr_bench_lj, &all->lj);
    }
}

void kdr_bench_catalogue_clear(kdr_bench_catalogue *all) {
    kdr_bench_rows_destroy(&all->steps);
    free(all->entries);
    all->entries = NULL;
}

const kdr_bench_entry *kdr_bench_catalogue_find(const kdr_bench_catalogue *all, const char *name) {
    for (size_t i = 0; i < all->count; ++i) {
        if (strcmp(all->entries[i].name, name) == 0) {
            return &all->entries[i];
        }
    }
    return NULL;
}
