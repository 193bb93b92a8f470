/* What the files of kickdrift-mpi share. */
#ifndef KDR_MPI_RANKS_H
#define KDR_MPI_RANKS_H

#include <kickdrift/mpi.h>
#include <mpi.h>

#include "../particles/error.h"

/* What all must know of a rank's sources before they come; numbers alone, so that it is sent as bytes. */
typedef struct kdr_offer {
    double softening;
    uint64_t sources;
    int32_t dims, real;
    int64_t lengths; /* whether sources have softening lengths */
} kdr_offer;

struct kdr_ranks {
    MPI_Comm communicator; /* its own */
    int rank, ranks;
    size_t count;         /* particles in all */
    size_t begin, slice;  /* this rank's */
    kdr_sums *sums;       /* of the slice's blocks */
    kdr_offer *offers;    /* of all ranks, for gravity */
    void *sources;        /* of another rank, for gravity */
    size_t sources_bytes; /* of that memory */
};

/* MPI's own errors, where the communicator's handler lets them come back. */
kdr_status kdr_ranks_fail(int code, kdr_error *error);
#define KDR_TRY(call)                                                                                                                      \
    do {                                                                                                                                   \
        const int kdr_code = (call);                                                                                                       \
        if (kdr_code != MPI_SUCCESS) {                                                                                                     \
            return kdr_ranks_fail(kdr_code, error);                                                                                        \
        }                                                                                                                                  \
    } while (0)

/* `particles` is the slice; not collective. */
kdr_status kdr_ranks_check(const kdr_ranks *ranks, const kdr_particles *particles, kdr_error *error);

#endif
