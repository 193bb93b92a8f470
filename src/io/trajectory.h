/* A trajectory that is open, and what its three files share: h5md.c makes and closes, h5md_open.c opens, frames.c adds and reads frames,
 * planes.c compresses. */
#ifndef KDR_IO_TRAJECTORY_H
#define KDR_IO_TRAJECTORY_H

#include <kickdrift/io.h>

#include <hdf5.h>

#include "../particles/error.h"

struct kdr_trajectory {
    hid_t access, file;                          /* the list holds the driver, which HDF5 calls until the file is closed */
    hid_t position, velocity, image, step, time; /* velocity and image negative: there is none */
    hid_t observable[KDR_MAX_OBSERVABLES];
    char *name[KDR_MAX_OBSERVABLES];
    int observables;
    char *path;
    bool writes;
    kdr_real real; /* of the file's numbers */
    size_t count;
    int dims, deflate;
    size_t chunk; /* particles in a chunk of the file */
    uint64_t frames;
    double box[3];
    size_t placed;          /* particles of the frame that is being added */
    size_t described;       /* particles whose ids and masses are written */
    unsigned char *room[5]; /* a chunk's x, v and images, one shuffled, that compressed; of one that is read, a frame of x, v and images */
    size_t packed_size;     /* of the last */
    void *inverse_mass;     /* NULL: the file has no masses */
    uint64_t *id;           /* NULL: it has none */
    double commit_time, commit_taken; /* when the last one ended, in seconds, and how long it took */
};

/* Writes ids and masses of particles from number `at` on, where the file has such data sets. */
bool kdr_trajectory_put_constants(kdr_trajectory *t, kdr_particles *view, size_t at);

/* A trajectory with nothing in it but its path, closed and freed; room for chunks. */
kdr_trajectory *kdr_trajectory_allocate(const char *path);
bool kdr_trajectory_release(kdr_trajectory *t);
bool kdr_trajectory_rooms(kdr_trajectory *t);

/* Bytes of a chunk's numbers, one behind the other, sorted by their place in the number and compressed as zlib's deflate does: places
 * whose bytes are noise are stored. Returns the compressed size, 0 on failure; `packed` has room for kdr_planes_room(count * size)
 * bytes. */
size_t kdr_planes_room(size_t size);
size_t kdr_planes_pack(const unsigned char *numbers, size_t size, size_t count, int deflate, unsigned char *shuffled, unsigned char *packed,
                       size_t room);

/* HDF5 prints what fails unless it is told not to: the caller's choice comes back. */
typedef struct kdr_h5_quiet {
    H5E_auto2_t function;
    void *data;
} kdr_h5_quiet;
kdr_h5_quiet kdr_h5_hush(void);
void kdr_h5_speak(kdr_h5_quiet before);

/* HDF5's message of the last failure, where there is one. */
kdr_status kdr_h5_failed(const char *path, const char *what, kdr_error *error);

#endif
