/* The copies, compiled for AVX2. */
#define KDR_COPIES kdr_copies_avx2
#include "copies.c"
