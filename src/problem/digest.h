/* Digests of what is described: what a problem tells of itself, and what others add. */
#ifndef KDR_PROBLEM_DIGEST_H
#define KDR_PROBLEM_DIGEST_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "problem.h"

typedef struct kdr_digest {
    XXH3_state_t state;
} kdr_digest;

/* Begins with a problem, and the forces that its field was folded of: method, composition, precision, arithmetic, forces with their
 * parameters and arrays a particle, heat bath, walls, boundary, watches that stop particles. */
void kdr_digest_problem(kdr_digest *digest, const kdr_problem *p, const kdr_force *forces, size_t force_count);

/* That digest in three steps, for arrays of which the problem has a slice: what stands before them; of array n the slice's elements, of
 * which there are *taken, behind `begin` and of `all` (SIZE_MAX: the slice is all), false where there is no such array; and the walls. */
void kdr_digest_begin(kdr_digest *digest, const kdr_problem *p, const kdr_force *forces, size_t force_count);
bool kdr_digest_array(kdr_digest *digest, const kdr_problem *p, int n, size_t begin, size_t all, size_t *taken);
void kdr_digest_walls(kdr_digest *digest, const kdr_problem *p);

/* The lowest `size` bytes of a word; a text with its length; numbers of 4 or 8 bytes, wherever they lie, behind how many there are. */
void kdr_digest_word(kdr_digest *digest, uint64_t word, size_t size);
void kdr_digest_name(kdr_digest *digest, const char *name);
void kdr_digest_numbers(kdr_digest *digest, const void *numbers, const kdr_layout *layout, size_t size, size_t count);
void kdr_digest_doubles(kdr_digest *digest, const double *numbers, size_t count);

/* The value of all that was put in: not 0. */
uint64_t kdr_digest_end(const kdr_digest *digest);

#endif
