/* The arrays that particles may have, in the order in which files hold them. */
#ifndef KDR_IO_ARRAYS_H
#define KDR_IO_ARRAYS_H

#include <kickdrift/particles.h>

enum { KDR_ARRAYS = 28, KDR_FIRST_OF_X = 0, KDR_FIRST_OF_V = 3, KDR_FIRST_OF_IMAGES = KDR_ARRAYS - 4 };

/* One array of one view. */
typedef struct kdr_array {
    const char *name;  /* the member of kdr_particles */
    void **address;    /* points to the array's address, in the view */
    size_t size;       /* bytes of an element */
    kdr_layout layout; /* all 0 for a plain array */
    bool used;         /* the view has this array: its axis exists, and its address is not NULL */
    bool written;      /* a run may write to it */
} kdr_array;

/* Returns array n of a view, n from 0 to KDR_ARRAYS - 1. */
kdr_array kdr_array_of(kdr_particles *particles, int n);

/* Convert elements [begin, begin + count) of an array to consecutive little-endian bytes, and back. */
void kdr_array_get(const kdr_array *array, size_t begin, size_t count, unsigned char *bytes);
void kdr_array_put(const kdr_array *array, size_t begin, size_t count, const unsigned char *bytes);

/* Converts a little-endian float (size 4) to a double, or a double (size 8) to a float; the result is little-endian too. */
void kdr_number_convert(const unsigned char *from, size_t size, unsigned char *to);

#endif
