/* The arrays that particles may have, in the order in which files hold them. */
#ifndef KDR_IO_ARRAYS_H
#define KDR_IO_ARRAYS_H

#include <kickdrift/particles.h>

enum { KDR_ARRAYS = 28, KDR_FIRST_OF_X = 0, KDR_FIRST_OF_V = 3, KDR_FIRST_OF_IMAGES = KDR_ARRAYS - 4 };

/* One array of one view. */
typedef struct kdr_array {
    const char *name;  /* of the member of kdr_particles */
    void **address;    /* in the view: where the array's address is */
    size_t size;       /* of an element */
    kdr_layout layout; /* all 0: plain */
    bool used;         /* the view has it: its axis exists, and its address is not NULL */
    bool written;      /* a run may write it */
} kdr_array;

/* Array n of a view, n from 0 to KDR_ARRAYS - 1. */
kdr_array kdr_array_of(kdr_particles *particles, int n);

/* Elements [begin, begin + count) of an array as little-endian bytes, one behind the other; and back. */
void kdr_array_get(const kdr_array *array, size_t begin, size_t count, unsigned char *bytes);
void kdr_array_put(const kdr_array *array, size_t begin, size_t count, const unsigned char *bytes);

/* A little-endian float (size 4) as a double, or a double (size 8) as a float, little-endian too. */
void kdr_number_convert(const unsigned char *from, size_t size, unsigned char *to);

#endif
