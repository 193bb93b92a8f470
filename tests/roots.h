/* The functions that tests/roots.c calls, compiled with the flags of AVX-512: a vector of eight at a time. */
#ifndef KDR_TESTS_ROOTS_H
#define KDR_TESTS_ROOTS_H

#include <stdbool.h>

enum { ROOTS = 8 };

extern const double roots_least, roots_most; /* range of q, and of the magnitude of m */

/* Computes m / (q sqrt(q)) and sqrt(q). */
void roots_try(bool fused, const double m[ROOTS], const double q[ROOTS], double quotient[ROOTS], double square_root[ROOTS]);

#endif
