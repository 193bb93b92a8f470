/* The specialised kernels, each compiled with the same tile: one unit for each instruction set, precision and tile. */
#ifndef KDR_BENCH_TUNE_H
#define KDR_BENCH_TUNE_H

#include "program/operation.h"

typedef struct kdr_tune_unit {
    const char *isa, *real, *tile;
    const kdr_hot *hot;
} kdr_tune_unit;

/* The last pointer is NULL. */
extern const kdr_tune_unit *const kdr_tune_units[];

#endif
