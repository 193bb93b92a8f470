/* Random numbers of the equality engine: Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11). */
#include "random.h"

kdr_check_random kdr_check_random_stream(uint64_t seed, uint32_t a, uint32_t b, uint32_t c) {
    kdr_check_random random = {{(uint32_t)seed, (uint32_t)(seed >> 32)}, {0, a, b, c}, {0}, 0};
    return random;
}

/* Encrypts the counter with the key in ten rounds. Each multiplies two words, and mixes the halves of the products with the other two. */
static void next_block(kdr_check_random *random) {
    uint32_t key[2] = {random->key[0], random->key[1]};
    uint32_t *const x = random->block;
    for (int i = 0; i < 4; ++i) {
        x[i] = random->counter[i];
    }
    for (int round = 0; round < 10; ++round) {
        const uint64_t even = UINT64_C(0xD2511F53) * x[0], odd = UINT64_C(0xCD9E8D57) * x[2];
        x[0] = (uint32_t)(odd >> 32) ^ x[1] ^ key[0];
        x[1] = (uint32_t)odd;
        x[2] = (uint32_t)(even >> 32) ^ x[3] ^ key[1];
        x[3] = (uint32_t)even;
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
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
