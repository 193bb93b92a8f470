/* The functions of ranks.h in a program that was built without MPI: no run has ranks. */
#include "ranks.h"

#include <stdlib.h>

/* Refuses to run as one of several processes of a job. They would not know of each other, and all would write the same files. */
bool ranks_join(fault *why) {
    const char *const size = getenv("OMPI_COMM_WORLD_SIZE") ? getenv("OMPI_COMM_WORLD_SIZE") : getenv("PMI_SIZE");
    return !size || strtol(size, NULL, 10) <= 1 ||
           fault_set(why, "run: started on %s ranks, and this program was built without MPI, expected one (Debian: libopenmpi-dev)", size);
}

bool ranks_are_others(void) { return false; }
int ranks_serve(void) { return EXIT_SUCCESS; }
void ranks_leave(void) {}
bool ranks_are_many(void) { return false; }
bool ranks_build(run *r) { return !r->ranks; }
bool ranks_share(run *r) { return !r->ranks; }

bool ranks_step_slice(run *r, kdr_particles *slice, kdr_clock *clock, uint64_t steps) {
    (void)r, (void)slice, (void)clock, (void)steps;
    return false;
}

bool ranks_run(run *r, uint64_t steps) {
    (void)r, (void)steps;
    return false;
}

bool ranks_sample(run *r, double fraction) {
    (void)r, (void)fraction;
    return false;
}

bool ranks_observe(run *r, bool sampled, const kdr_clock *clock, kdr_observables *observables, size_t *lost) {
    (void)r, (void)sampled, (void)clock, (void)observables, (void)lost;
    return false;
}

bool ranks_tell(run *r, ranks_number which, uint64_t *number) {
    (void)r, (void)which, (void)number;
    return false;
}

bool ranks_have(const run *r, uint32_t arrays) {
    (void)r, (void)arrays;
    return false;
}

bool ranks_each(run *r, bool sampled, uint32_t arrays, slice_taker *take, void *context) {
    (void)r, (void)sampled, (void)arrays, (void)take, (void)context;
    return false;
}

bool ranks_pack(run *r, bool sampled, chunk_taker *take, void *context) {
    (void)r, (void)sampled, (void)take, (void)context;
    return false;
}

kdr_status ranks_restore(run *r, const kdr_checkpoint *from, size_t begin, kdr_error *error) {
    (void)r, (void)from, (void)begin, (void)error;
    return KDR_ERROR_UNAVAILABLE;
}
