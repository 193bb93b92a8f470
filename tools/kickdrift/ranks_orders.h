/* Orders that rank 0 sends and every rank carries out in the same way; used by ranks.c and ranks_orders.c. */
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
    uint64_t kind, number; /* number of steps, index of the number to tell, or first particle */
    uint64_t count;        /* number of particles */
    uint32_t arrays, flag; /* a set of arrays; of the sampled state, or with a memory that was carried over */
    kdr_clock clock;
    double fraction;
} order;

struct ranks {
    kdr_ranks *all;
    bool system; /* particles interact, so every rank has all of them */
    /* Only rank 0 uses these, for the current order. */
    population window;
    const kdr_checkpoint *restored;
    kdr_particles *whole;
    slice_taker *take;
    chunk_taker *take_chunk;
    void *context;
    bool taken;
    /* These are the results that all ranks agreed on. */
    kdr_observables observables;
    size_t lost;
    uint64_t told;
};

/* Returns which arrays of the set the particles have. A set has bit n for array n in the order of checkpoints (run.h). There must be
 * particles. */
uint32_t ranks_arrays_there(const kdr_particles *particles, uint32_t set);

kdr_status ranks_carry_out(run *r, const order *o, kdr_error *error);

#endif
