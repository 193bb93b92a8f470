/* The particles of a case, and the arrays of its forces. */
#ifndef KDR_CHECK_DATA_H
#define KDR_CHECK_DATA_H

#include "axes.h"
#include "forces.h"

/* The numbers of a case's arrays. */
enum {
    ARRAY_X = 0,
    ARRAY_V = 3,
    ARRAY_MEMORY = 6, /* from here up to the inverse mass: arrays that a run leaves for the next */
    ARRAY_COMPENSATION = 9,
    ARRAY_BOUNCES = 15,           /* 32 bits each */
    ARRAY_NONCONVERGED = 16,      /* 32 bits each, present with the bounces */
    ARRAY_DISSIPATED_ENERGY = 17, /* two arrays of doubles, present with the bounces */
    ARRAY_ERROR = 19,             /* present with the bounces if the method estimates its error */
    ARRAY_INVERSE_MASS = 20,      /* from here on: arrays that no run may write */
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

/* Returns a type with the size of the array's elements: usually the case's, KDR_F64 for ids and energies, KDR_F32 for bounces and
 * nonconverged equations. */
kdr_real kdr_check_array_real(const kdr_check_case *test, int array);

/* Returns the bits of element `index`. */
uint64_t kdr_check_bits(kdr_real real, const unsigned char *array, size_t index);

/* Returns true if the bits are equal, or both are NaNs. */
bool kdr_check_equal(kdr_real real, uint64_t a, uint64_t b);

/* Fills the arrays as the data, mass and force axes of the case say. */
void kdr_check_fill(const kdr_check_case *test, const kdr_check_forces *forces, const kdr_check_arrays *arrays);

/* Spoils some particles with NaN, infinities and huge numbers, and marks them in `spoilt` (`count` flags). */
void kdr_check_spoil(const kdr_check_case *test, const kdr_check_forces *forces, const kdr_check_arrays *arrays, bool *spoilt);

/* Returns the largest radius that the case's particles may have; 0: they have no radii. With radii, some particles still have radius 0. */
double kdr_check_largest_radius(const kdr_check_case *test);

/* Draws a radius; one in four is 0. */
double kdr_check_draw_radius(kdr_check_random *random, double largest);

/* Returns a view of all particles. */
kdr_particles kdr_check_view(const kdr_check_case *test, const kdr_check_arrays *arrays);

#endif
