/* What rank 0 orders, and every rank carries out alike: between ranks.c and ranks_orders.c. */
#ifndef KDR_TOOLS_RANKS_ORDERS_H
#define KDR_TOOLS_RANKS_ORDERS_H

#include <kickdrift/mpi.h>

#include "ranks.h"

typedef enum order_kind {
    ORDER_PREPARE,
    ORDER_RUN,
    ORDER_SAMPLE,
    ORDER_OBSERVE,
    ORDER_TELL,
    ORDER_SHOW,
    ORDER_PACK,
    ORDER_RESTORE,
    ORDER_SCATTER,
    ORDER_GATHER,
    ORDER_LEAVE
} order_kind;

typedef struct order {
    uint64_t kind, number; /* of steps; which to tell; the first particle */
    uint64_t count;        /* of particles */
    uint32_t arrays, flag; /* a set; of the sampled state, or a memory that was carried */
    kdr_clock clock;
    double fraction;
} order;

struct ranks {
    kdr_ranks *all;
    bool coupled; /* every rank has all particles */
    /* Rank 0's alone, for the order that is carried out. */
    population window;
    const kdr_checkpoint *restored;
    kdr_particles *whole;
    slice_taker *take;
    chunk_taker *take_chunk;
    void *context;
    bool taken;
    /* What all have found. */
    kdr_observables observables;
    size_t lost;
    uint64_t told;
};

/* Of a set of arrays, whose numbers are bits in the order of checkpoints (run.h), those that particles, of which there are some, have. */
uint32_t ranks_arrays_there(const kdr_particles *particles, uint32_t set);

kdr_status ranks_carry_out(run *r, const order *o, kdr_error *error);

#endif
