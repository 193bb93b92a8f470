/* An open trajectory, and the functions that its files share. h5md.c makes and closes files, and h5md_open.c opens them. elements.c and
 * moments.c find the elements of a file. frames.c adds and reads frames, constants.c writes ids and masses, planes.c compresses. */
#ifndef KDR_IO_TRAJECTORY_H
#define KDR_IO_TRAJECTORY_H

#include <kickdrift/io.h>

#include <hdf5.h>

#include "../particles/error.h"

/* An element of H5MD: numbers for each frame, or numbers that hold for all frames. */
typedef struct kdr_element {
    hid_t value;    /* the data set; negative if there is none */
    bool per_frame; /* the first extent of the data set is frames */
    uint64_t *row;  /* the row of `value` for each frame; NULL: frame n has row n */
} kdr_element;

/* Numbers per particle that a file holds once if they are the same in all frames. */
enum { KDR_CONSTANT_ID, KDR_CONSTANT_MASS, KDR_CONSTANTS };

struct kdr_trajectory {
    hid_t access, file; /* `access` holds the driver, which HDF5 calls until the file is closed */
    kdr_element position, velocity, image, edges, constant[KDR_CONSTANTS], observable[KDR_MAX_OBSERVABLES];
    hid_t step, time;    /* data sets, when the file is written */
    uint64_t *steps;     /* by frame, when the file is read */
    double *times;       /* by frame, when the file is read */
    char group[256];     /* name of the group in /particles */
    char left_out[1024]; /* text that names everything in the file that no frame has */
    char *name[KDR_MAX_OBSERVABLES];
    int observables;
    char *path;
    bool writes, has_species; /* `has_species`: the file holds one kind per particle, once for all frames */
    kdr_real real;            /* precision of the numbers in the file */
    size_t count;
    int dims, deflate;
    size_t chunk; /* particles in a chunk of the file */
    uint64_t frames;
    bool periodic[3], edges_are_matrix;
    double box[3];      /* edges; 0 on an axis that is not periodic */
    size_t placed;      /* particles written so far of the frame that is being added */
    size_t described;   /* particles whose ids and masses are written */
    const double *mass; /* masses of the particles of an append, the caller's array; NULL: the inverse masses give them */
    /* written files: a chunk of x, v and images, one shuffled chunk, one compressed; read files: a frame of x, v and images */
    unsigned char *room[5];
    size_t packed_size;               /* bytes of the last room */
    double *masses;                   /* masses of the frame that is read; NULL: the file has none */
    void *inverse_mass;               /* inverses of the masses, in `real` */
    uint64_t *id;                     /* NULL: the file has none */
    bool constants_read;              /* ids and masses that hold for all frames are in memory */
    double commit_time, commit_taken; /* end of the last commit and its duration, in seconds */
};

/* Makes the data sets of the ids and masses that the description has, and writes those of its particles (constants.c). */
bool kdr_constants_make(kdr_trajectory *t, hid_t all, const kdr_trajectory_desc *desc);

/* Opens the ids and masses of a file to which frames are appended. */
bool kdr_constants_open(kdr_trajectory *t, hid_t all);

/* Writes the ids and masses of the next particles of a frame, unless the file has the same ones already. From the first frame in which
 * one differs, the file has them for each frame. */
bool kdr_constants_put(kdr_trajectory *t, kdr_particles *view);

/* Fails if the file has species and the ids differ from those of the frames before. The file holds species once, so that they would
 * belong to other particles. */
kdr_status kdr_constants_check(const kdr_trajectory *t, kdr_particles *view, kdr_error *error);

/* Returns whether the file needs ids or masses of these particles and they have none. */
bool kdr_constants_lack(const kdr_trajectory *t, kdr_particles *view);

/* Makes room for the ids and masses of frames below `frames`, if the file has them per frame. */
bool kdr_constants_extend(kdr_trajectory *t, uint64_t frames);

/* kdr_constants_mark makes a mark of the ids and masses of a chunk's particles; kdr_constants_are returns whether the file has the ids
 * and masses of a mark. */
enum { KDR_CONSTANTS_MARK = 26 };
void kdr_constants_mark(kdr_particles *view, unsigned char mark[KDR_CONSTANTS_MARK]);
bool kdr_constants_are(kdr_trajectory *t, size_t begin, size_t count, const unsigned char mark[KDR_CONSTANTS_MARK]);

/* Functions that make data sets and groups (h5md.c). kdr_h5_growing makes a data set that grows by one per frame; kdr_h5_link_times
 * links an element to the steps and times of the positions. */
hid_t kdr_h5_growing(hid_t at, const char *name, hid_t type, int rank, const hsize_t extent[3], const hsize_t chunks[3], int deflate);
hid_t kdr_h5_group(hid_t at, const char *name);
bool kdr_h5_link_times(kdr_trajectory *t, hid_t element);
hid_t kdr_h5_untimed(hid_t class);

/* kdr_trajectory_allocate makes a trajectory that has only a path; kdr_trajectory_release closes and frees one; kdr_trajectory_rooms
 * allocates the rooms for chunks. */
kdr_trajectory *kdr_trajectory_allocate(const char *path);
bool kdr_trajectory_release(kdr_trajectory *t);
bool kdr_trajectory_rooms(kdr_trajectory *t);

/* kdr_planes_pack sorts the bytes of a chunk's numbers by their place in the number, one place after the other, and compresses them in
 * the format of zlib's deflate; it stores places whose bytes are noise. It returns the compressed size, 0 on failure. `packed` has room
 * for kdr_planes_room(count * size) bytes. */
size_t kdr_planes_room(size_t size);
size_t kdr_planes_pack(const unsigned char *numbers, size_t size, size_t count, int deflate, unsigned char *shuffled, unsigned char *packed,
                       size_t room);

/* The user's setting for HDF5's error messages, kept while the library turns them off. */
typedef struct kdr_h5_quiet {
    H5E_auto2_t function;
    void *data;
} kdr_h5_quiet;
kdr_h5_quiet kdr_h5_hush(void);
void kdr_h5_speak(kdr_h5_quiet before);

/* Fails with HDF5's message of the last failure, if there is one. */
kdr_status kdr_h5_failed(const char *path, const char *what, kdr_error *error);

#endif
