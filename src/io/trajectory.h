/* A trajectory that is open, and what its files share: h5md.c makes and closes, h5md_open.c opens, elements.c and moments.c find the
 * elements of a file, frames.c adds and reads frames, constants.c writes ids, masses and boxes, planes.c compresses. */
#ifndef KDR_IO_TRAJECTORY_H
#define KDR_IO_TRAJECTORY_H

#include <kickdrift/io.h>

#include <hdf5.h>

#include "../particles/error.h"

/* An element of H5MD: numbers of each frame, or numbers that hold for all frames. */
typedef struct kdr_element {
    hid_t value;    /* the data set; negative: there is none */
    bool per_frame; /* the first extent of the data set is frames */
    uint64_t *row;  /* the row of `value` that belongs to each frame; NULL: frame n has row n */
} kdr_element;

/* Numbers per particle that a file holds once while they are the same in all frames. */
enum { KDR_CONSTANT_ID, KDR_CONSTANT_MASS, KDR_CONSTANTS };

struct kdr_trajectory {
    hid_t access, file; /* the list holds the driver, which HDF5 calls until the file is closed */
    kdr_element position, velocity, image, edges, constant[KDR_CONSTANTS], observable[KDR_MAX_OBSERVABLES];
    hid_t step, time;    /* the data sets that are written */
    uint64_t *steps;     /* of each frame that is read */
    double *times;       /* of each frame that is read */
    char group[256];     /* the name in /particles */
    char left_out[1024]; /* what is in the file and in no frame, in words */
    char *name[KDR_MAX_OBSERVABLES];
    int observables;
    char *path;
    bool writes, has_species; /* has_species: one kind per particle, which the file holds once */
    kdr_real real;            /* of the file's numbers */
    size_t count;
    int dims, deflate;
    size_t chunk; /* particles in a chunk of the file */
    uint64_t frames;
    bool periodic[3], edges_are_matrix;
    double box[3];          /* edges; 0 on an axis that is not periodic */
    size_t placed;          /* particles of the frame that is being added */
    size_t described;       /* particles whose ids and masses are written */
    const double *mass;     /* of the particles that an append is given, the caller's; NULL: their inverse masses say it */
    unsigned char *room[5]; /* a chunk's x, v and images, one shuffled, that compressed; of one that is read, a frame of x, v and images */
    size_t packed_size;     /* of the last */
    double *masses;         /* of the frame that is read; NULL: the file has none */
    void *inverse_mass;     /* their inverses, in `real` */
    uint64_t *id;           /* NULL: the file has none */
    bool constants_read;    /* ids and masses that hold for all frames are in memory */
    double commit_time, commit_taken; /* when the last one ended, in seconds, and how long it took */
};

/* constants.c: makes the data sets of ids and masses that the description has, and writes those of its particles. */
bool kdr_constants_make(kdr_trajectory *t, hid_t all, const kdr_trajectory_desc *desc);

/* Opens them in a file that is gone on with. */
bool kdr_constants_open(kdr_trajectory *t, hid_t all);

/* Writes ids and masses of the particles that come next in a frame, where they are not those that the file has already. From the first
 * frame on in which one differs, the file has them for each frame. */
bool kdr_constants_put(kdr_trajectory *t, kdr_particles *view);

/* Refuses ids that are not those of the frames before where the file has species, which it holds once: they would be those of others. */
kdr_status kdr_constants_check(const kdr_trajectory *t, kdr_particles *view, kdr_error *error);

/* Whether the file needs ids or masses of these particles, and they have none. */
bool kdr_constants_lack(const kdr_trajectory *t, kdr_particles *view);

/* Gives each frame below `frames` room for ids and masses, where they are per frame. */
bool kdr_constants_extend(kdr_trajectory *t, uint64_t frames);

/* A mark of the ids and masses of a chunk's particles, and whether those of the file are theirs. */
enum { KDR_CONSTANTS_MARK = 26 };
void kdr_constants_mark(kdr_particles *view, unsigned char mark[KDR_CONSTANTS_MARK]);
bool kdr_constants_are(kdr_trajectory *t, size_t begin, size_t count, const unsigned char mark[KDR_CONSTANTS_MARK]);

/* h5md.c: a data set that grows by a frame, as constants.c makes them, and an element's link to the steps and times of the positions. */
hid_t kdr_h5_growing(hid_t at, const char *name, hid_t type, int rank, const hsize_t extent[3], const hsize_t chunks[3], int deflate);
hid_t kdr_h5_group(hid_t at, const char *name);
bool kdr_h5_link_times(kdr_trajectory *t, hid_t element);
hid_t kdr_h5_untimed(hid_t class);

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
