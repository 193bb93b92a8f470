/* Stars of two galaxies that pass each other (Toomre, Toomre, ApJ 178 (1972) 623): test particles in the field of two moving centres. The
 * stars depend on seed and index alone, so that several instances may each step a slice of them. */
#ifndef KDR_WEB_GALAXIES_H
#define KDR_WEB_GALAXIES_H

#include <stdint.h>

/* Makes stars [begin, end) of `count`. `real`, `arithmetic` and `backend` are the library's enumerators. Returns 0, or 1 with a message. */
int create(uint32_t count, uint32_t begin, uint32_t end, double seed, int real, int arithmetic, int backend);
const char *message(void);
const char *backend(void); /* the name of the one in use */

/* Advances stars and centres. Returns 0, or 1 with a message. */
int step(int steps);

/* Returns the coordinate (0, 1) or velocity (2, 3) of all stars of the slice: floats or doubles, as `real` says. */
const void *column(int which);
double centre(int galaxy, int axis);

/* Moves the first centre by one unit in the last place of the stars' precision. */
void plant(void);

/* A fingerprint of all stars is made from slices: begin with any, `arrays` times add all slices in order, end with any. The state is
 * copied from one instance to the next. */
enum { ARRAYS = 4 };
int fingerprint_begin(void);
int fingerprint_add(void);
const char *fingerprint_end(void);
void *state(void);
int state_size(void);

#endif
