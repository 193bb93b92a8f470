/* Shared by tests of contacts and events: particles in random directions, and the comparison of lists. */
#ifndef KDR_TESTS_RECORDS_H
#define KDR_TESTS_RECORDS_H

#include "support.h"

/* Makes a view of `count` particles, in contiguous arrays or in structures of eight numbers. Returns the block of memory, which the caller
 * frees. Some particles have inverse mass 0. Writes a mark and a level for each. */
static inline unsigned char *scatter(kdr_particles *p, size_t count, int dims, kdr_real real, bool structures, uint64_t seed, double speed,
                                     uint8_t *active, uint8_t *level) {
    const size_t size = kdr_real_size(real), stride = structures ? 8 * size : size;
    unsigned char *const block = calloc(64, count); /* eight doubles per particle */
    cr_assert(block);
    *p = kdr_particles_default();
    p->count = count, p->dims = dims, p->real = real;
    for (int i = 0; i < 7; ++i) {
        void *const array = block + (size_t)i * (structures ? size : count * size);
        *(i < 3 ? &p->x[i] : i < 6 ? &p->v[i - 3] : &p->inverse_mass) = array;
    }
    if (structures) {
        p->x_layout.stride = p->v_layout.stride = p->inverse_mass_layout.stride = stride;
    }
    for (size_t n = 0; n < count; ++n) {
        for (int i = 0; i < 3; ++i) {
            set((unsigned char *)p->x[i] + n * stride, real, 0, random_in(&seed, -1.9, 1.9));
            set((unsigned char *)p->v[i] + n * stride, real, 0, random_in(&seed, -speed, speed));
        }
        set((unsigned char *)p->inverse_mass + n * stride, real, 0, n % 13 == 5 ? 0 : random_in(&seed, 0.25, 4));
        active[n] = n % 5 != 2;
        level[n] = (uint8_t)(n % 3);
    }
    return block;
}

static inline void expect_events(const kdr_events *expected, const kdr_events *got, const char *who, const char *method) {
    cr_assert(expected->count == got->count, "%s, %s: %zu events, expected %zu", who, method, got->count, expected->count);
    for (size_t i = 0; i < expected->count && i < expected->capacity; ++i) {
        const kdr_event *const a = &expected->list[i], *const b = &got->list[i];
        cr_assert(memcmp(a, b, sizeof *a) == 0,
                  "%s, %s: event %zu: step %llu, particle %llu, watch %llu at %a, x %a; expected %llu, %llu, %llu at %a, x %a", who, method,
                  i, (unsigned long long)b->step, (unsigned long long)b->particle, (unsigned long long)b->watch, b->time, b->x[0],
                  (unsigned long long)a->step, (unsigned long long)a->particle, (unsigned long long)a->watch, a->time, a->x[0]);
    }
}

#endif
