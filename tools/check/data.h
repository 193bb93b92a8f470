/* The particles of a case, and the arrays of its forces. */
#ifndef KDR_CHECK_DATA_H
#define KDR_CHECK_DATA_H

#include "axes.h"
#include "forces.h"

/* The arrays of a case, by number. */
enum {
    ARRAY_X = 0,
    ARRAY_V = 3,
    ARRAY_MEMORY = 6, /* from here on up to the inverse mass what a run leaves for the next */
    ARRAY_COMPENSATION = 9,
    ARRAY_HITS = 15,         /* 32 bits each */
    ARRAY_UNSOLVED = 16,     /* 32 bits each, beside the hits */
    ARRAY_DISSIPATED = 17,   /* two of doubles, likewise */
    ARRAY_ERROR = 19,        /* beside the hits too, where the method estimates its error */
    ARRAY_INVERSE_MASS = 20, /* from here on arrays that no run may write */
    ARRAY_ID = 21,
    ARRAY_RADIUS = 22,
    ARRAY_FORCES = 23,
    ARRAYS = ARRAY_FORCES + KDR_CHECK_MAX_FORCE_ARRAYS
};
enum { KDR_CHECK_ARRAY_BYTES = KDR_CHECK_MAX_COUNT * 8 };

/* One copy of all arrays. */
typedef struct kdr_check_arrays {
    unsigned char *at[ARRAYS];
} kdr_check_arrays;

const char *kdr_check_array_name(int array);
bool kdr_check_array_used(const kdr_check_case *test, const kdr_check_forces *forces, int array);

/* The type whose size the elements have: the case's, of ids and energies KDR_F64, of hits and equations KDR_F32. */
kdr_real kdr_check_array_real(const kdr_check_case *test, int array);

/* The bits of element `index`. */
uint64_t kdr_check_bits(kdr_real real, const unsigned char *array, size_t index);

/* Equal bits, or two NaNs. */
bool kdr_check_equal(kdr_real real, uint64_t a, uint64_t b);

/* Fills the arrays as the case's data, mass and force axes say. */
void kdr_check_fill(const kdr_check_case *test, const kdr_check_forces *forces, const kdr_check_arrays *arrays);

/* Spoils some particles with NaN, infinities and huge numbers, and marks them in `spoilt` (`count` flags). */
void kdr_check_spoil(const kdr_check_case *test, const kdr_check_forces *forces, const kdr_check_arrays *arrays, bool *spoilt);

/* The largest radius that the case's particles may have; 0: they have none. Some are points then too. */
double kdr_check_largest_radius(const kdr_check_case *test);

/* A radius: one in four is 0. */
double kdr_check_draw_radius(kdr_check_random *random, double largest);

/* A view of all particles. */
kdr_particles kdr_check_view(const kdr_check_case *test, const kdr_check_arrays *arrays);

#endif
