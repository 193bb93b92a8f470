/* Digests of descriptions: of a problem, and of further names and numbers. */
#ifndef KDR_PROBLEM_DIGEST_H
#define KDR_PROBLEM_DIGEST_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "problem.h"

typedef struct kdr_digest {
    XXH3_state_t state;
} kdr_digest;

/* Begins a digest with a problem and the forces that its field was folded from: method, composition, precision, arithmetic, forces with
 * their parameters and per-particle arrays, heat bath, walls, boundary, watches that stop particles. */
void kdr_digest_problem(kdr_digest *digest, const kdr_problem *p, const kdr_force *forces, size_t force_count);

/* Make that digest in three steps, when the problem has only a slice of the per-particle arrays: what precedes the arrays; array n; the
 * walls. kdr_digest_array adds the slice's *taken elements, which begin at `begin` and are part of `all` (SIZE_MAX: the slice is
 * everything). It returns false if there is no array n. */
void kdr_digest_begin(kdr_digest *digest, const kdr_problem *p, const kdr_force *forces, size_t force_count);
bool kdr_digest_array(kdr_digest *digest, const kdr_problem *p, int n, size_t begin, size_t all, size_t *taken);
void kdr_digest_walls(kdr_digest *digest, const kdr_problem *p);

/* Add to a digest: the lowest `size` bytes of a word; a text after its length; numbers of 4 or 8 bytes after their count. */
void kdr_digest_word(kdr_digest *digest, uint64_t word, size_t size);
void kdr_digest_name(kdr_digest *digest, const char *name);
void kdr_digest_numbers(kdr_digest *digest, const void *numbers, const kdr_layout *layout, size_t size, size_t count);
void kdr_digest_doubles(kdr_digest *digest, const double *numbers, size_t count);

/* Returns the value of the digest, which is never 0. */
uint64_t kdr_digest_end(const kdr_digest *digest);

#endif
