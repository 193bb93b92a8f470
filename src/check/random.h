/* Random numbers that depend on (seed, stream) alone: they are the same on every platform, in any order of the streams. */
#ifndef KDR_CHECK_RANDOM_H
#define KDR_CHECK_RANDOM_H

#include <stdint.h>

typedef struct kdr_check_random {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4];
    unsigned left; /* words of `block` that have not been returned */
} kdr_check_random;

/* Returns the start of the stream that three words name. Different names give independent streams. */
kdr_check_random kdr_check_random_stream(uint64_t seed, uint32_t a, uint32_t b, uint32_t c);

uint32_t kdr_check_random_u32(kdr_check_random *random);
uint32_t kdr_check_random_below(kdr_check_random *random, uint32_t limit); /* [0, limit), limit > 0 */
double kdr_check_random_between(kdr_check_random *random, double low, double high);

#endif
