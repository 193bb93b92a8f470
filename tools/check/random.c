/* Random numbers of the equality engine: Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11). */
#include "random.h"

#include <Random123/philox.h>

kdr_check_random kdr_check_random_stream(uint64_t seed, uint32_t a, uint32_t b, uint32_t c) {
    kdr_check_random random = {{(uint32_t)seed, (uint32_t)(seed >> 32)}, {0, a, b, c}, {0}, 0};
    return random;
}

static void next_block(kdr_check_random *random) {
    philox4x32_key_t key = {{random->key[0], random->key[1]}};
    philox4x32_ctr_t counter = {{random->counter[0], random->counter[1], random->counter[2], random->counter[3]}};
    philox4x32_ctr_t block = philox4x32(counter, key);
    for (int i = 0; i < 4; ++i) {
        random->block[i] = block.v[i];
    }
    ++random->counter[0];
    random->left = 4;
}

uint32_t kdr_check_random_u32(kdr_check_random *random) {
    if (random->left == 0) {
        next_block(random);
    }
    return random->block[--random->left];
}

uint32_t kdr_check_random_below(kdr_check_random *random, uint32_t limit) {
    return (uint32_t)(((uint64_t)kdr_check_random_u32(random) * limit) >> 32);
}

double kdr_check_random_between(kdr_check_random *random, double low, double high) {
    uint64_t bits = ((uint64_t)kdr_check_random_u32(random) << 21) ^ (kdr_check_random_u32(random) >> 11);
    return low + (high - low) * ((double)bits * 0x1p-53);
}
