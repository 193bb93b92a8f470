/* Types and functions that the files of kickdrift-mpi share. */
#ifndef KDR_MPI_RANKS_H
#define KDR_MPI_RANKS_H

#include <kickdrift/mpi.h>
#include <mpi.h>

#include "../particles/error.h"

/* Data of a rank's sources that all ranks need before the sources are sent. The struct holds numbers only, so that it can be sent as
 * bytes. */
typedef struct kdr_offer {
    double softening;
    uint64_t sources;
    int32_t dims, real;
    int64_t lengths; /* 1 if the sources have softening lengths */
} kdr_offer;

struct kdr_ranks {
    MPI_Comm communicator; /* a communicator used by nothing else */
    int rank, ranks;
    size_t count;         /* particles of all ranks */
    size_t begin, slice;  /* first particle and number of particles of this rank */
    kdr_sums *sums;       /* sums of the slice's blocks */
    kdr_offer *offers;    /* offers of all ranks, for gravity */
    void *sources;        /* the sources of another rank, for gravity */
    size_t sources_bytes; /* bytes of this memory */
};

/* Reports an error of MPI. MPI returns errors only if the communicator's error handler is set so. */
kdr_status kdr_ranks_fail(int code, kdr_error *error);
#define KDR_TRY(call)                                                                                                                      \
    do {                                                                                                                                   \
        const int kdr_code = (call);                                                                                                       \
        if (kdr_code != MPI_SUCCESS) {                                                                                                     \
            return kdr_ranks_fail(kdr_code, error);                                                                                        \
        }                                                                                                                                  \
    } while (0)

/* Fails if `particles` is not the slice of this rank. It does not communicate. */
kdr_status kdr_ranks_check(const kdr_ranks *ranks, const kdr_particles *particles, kdr_error *error);

#endif
