/* The functions of trajectories in a library that was built without HDF5: all of them fail. */
#include <string.h>

#include <kickdrift/io.h>

#include "../particles/error.h"

static kdr_status absent(kdr_error *error) {
    return kdr_fail(error, KDR_ERROR_UNAVAILABLE, "trajectory: this library was built without HDF5 (Debian: libhdf5-dev)");
}

void kdr_trajectory_desc_init(kdr_trajectory_desc *desc, size_t size) {
    if (!desc || size < sizeof size) {
        return;
    }
    memset(desc, 0, size);
    memcpy(desc, &size, sizeof size);
}

kdr_status kdr_trajectory_create(const char *path, const kdr_trajectory_desc *desc, kdr_trajectory **trajectory, kdr_error *error) {
    (void)path, (void)desc, (void)trajectory;
    return absent(error);
}

kdr_status kdr_trajectory_append(kdr_trajectory *trajectory, const kdr_particles *particles, const kdr_clock *clock,
                                 const double *observables, kdr_error *error) {
    (void)trajectory, (void)particles, (void)clock, (void)observables;
    return absent(error);
}

kdr_status kdr_trajectory_append_slice(kdr_trajectory *trajectory, const kdr_particles *slice, const kdr_clock *clock,
                                       const double *observables, kdr_error *error) {
    return kdr_trajectory_append(trajectory, slice, clock, observables, error);
}

size_t kdr_trajectory_chunk(const kdr_trajectory_desc *desc, size_t *room) {
    (void)desc, (void)room;
    return 0;
}

kdr_status kdr_trajectory_pack(const kdr_trajectory_desc *desc, const kdr_particles *chunk, void *bytes, size_t sizes[2],
                               kdr_error *error) {
    (void)desc, (void)chunk, (void)bytes, (void)sizes;
    return absent(error);
}

kdr_status kdr_trajectory_append_chunk(kdr_trajectory *trajectory, size_t begin, const void *bytes, const size_t sizes[2],
                                       const kdr_clock *clock, const double *observables, kdr_error *error) {
    (void)trajectory, (void)begin, (void)bytes, (void)sizes, (void)clock, (void)observables;
    return absent(error);
}

kdr_status kdr_trajectory_commit(kdr_trajectory *trajectory, kdr_error *error) {
    (void)trajectory;
    return absent(error);
}

kdr_status kdr_trajectory_note(kdr_trajectory *trajectory, const char *name, const char *text, kdr_error *error) {
    (void)trajectory, (void)name, (void)text;
    return absent(error);
}

kdr_status kdr_trajectory_open(const char *path, uint64_t frames, kdr_trajectory **trajectory, kdr_error *error) {
    (void)path, (void)frames, (void)trajectory;
    return absent(error);
}

kdr_status kdr_trajectory_open_group(const char *path, const char *group, kdr_trajectory **trajectory, kdr_error *error) {
    (void)path, (void)group, (void)trajectory;
    return absent(error);
}

kdr_status kdr_trajectory_set_mass(kdr_trajectory *trajectory, const double *mass, kdr_error *error) {
    (void)trajectory, (void)mass;
    return absent(error);
}

kdr_status kdr_trajectory_set_box(kdr_trajectory *trajectory, const double box[3], kdr_error *error) {
    (void)trajectory, (void)box;
    return absent(error);
}

kdr_status kdr_trajectory_query(const kdr_trajectory *trajectory, kdr_trajectory_info *info, kdr_error *error) {
    (void)trajectory, (void)info;
    return absent(error);
}

kdr_status kdr_trajectory_read(kdr_trajectory *trajectory, uint64_t index, kdr_frame *frame, kdr_error *error) {
    (void)trajectory, (void)index, (void)frame;
    return absent(error);
}

kdr_status kdr_trajectory_close(kdr_trajectory *trajectory, kdr_error *error) {
    (void)trajectory, (void)error;
    return KDR_OK;
}
