/* The copies for elements of four and of eight bytes. KDR_COPIES names the table.
 *
 * The loops are written for the compiler to vectorise. With AVX-512 gcc makes gathers and scatters of them, which are slower, so that
 * this backend uses the copies for AVX2. */
#include "copies.h"

#include <string.h>

#include "layout.h"

#define INLINE static inline __attribute__((always_inline))

/* Calls a function with the number of axes as a constant. */
#define FOR_AXES(axes, function, ...)                                                                                                      \
    ((axes) == 1 ? function(__VA_ARGS__, 1) : (axes) == 2 ? function(__VA_ARGS__, 2) : function(__VA_ARGS__, 3))

#define NAME(function) function##_32
typedef uint32_t __attribute__((aligned(1), may_alias)) word_32;
#include "copies.inl"
#undef NAME

#define NAME(function) function##_64
typedef uint64_t __attribute__((aligned(1), may_alias)) word_64;
#include "copies.inl"

static void copy_range(const kdr_column *c, unsigned char *const on[3], size_t begin, size_t n, bool back) {
    (c->size == sizeof(uint32_t) ? range_32 : range_64)(c, on, begin, n, back);
}

static void copy_chosen(const kdr_column *c, unsigned char *const on[3], const size_t *index, size_t n, bool back) {
    (c->size == sizeof(uint32_t) ? chosen_32 : chosen_64)(c, on, index, n, back);
}

const kdr_copies KDR_COPIES = {copy_range, copy_chosen};
