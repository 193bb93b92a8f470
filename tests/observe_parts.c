/* Sums and fingerprints of slices, combined in the order of the particles, have the bits of all particles together. */
#include "support.h"

enum { COUNT = 5 * KDR_OBSERVE_BLOCK + 77, MOST_SLICES = 6 };

static kdr_integrator *make_integrator(kdr_real real, const void *k_each, size_t count) {
    kdr_force forces[] = {kdr_force_spring(3, 1, -1, 0.5), kdr_force_centre(1.5, 0.5, 0, 1, 0.25), kdr_force_driven(1, 2, -3, 2, 0.5)};
    forces[0].as.spring.k_each = k_each;
    forces[0].as.spring.count = count;
    kdr_integrator_desc desc = describe(KDR_EXPLICIT_EULER, real, KDR_FUSED, forces, 3);
    kdr_integrator *integrator;
    kdr_error error;
    cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
    return integrator;
}

/* The boundaries of slices in blocks, as for two, three and five ranks, with an empty slice and one of a single block. */
static const size_t cuts[][MOST_SLICES + 1] = {{0, 6}, {0, 3, 6}, {0, 2, 4, 6}, {0, 1, 1, 2, 5, 6}, {0, 1, 2, 3, 4, 5, 6}};

static kdr_particles slice_between(const kdr_particles *all, size_t begin, size_t end) {
    const size_t first = begin * KDR_OBSERVE_BLOCK;
    return kdr_particles_slice(all, first, (end - begin) * KDR_OBSERVE_BLOCK);
}

Test(observe_parts, sums_of_slices_have_the_bits_of_the_whole) {
    uint64_t seed = test_seed();
    const kdr_clock clock = {0.5, 0.25, 3};
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        const size_t size = kdr_real_size((kdr_real)real);
        kdr_particles p = make_particles(COUNT, 3, (kdr_real)real, true, false);
        kdr_particles k = make_particles(COUNT, 1, (kdr_real)real, false, false);
        fill_random(&p, &seed);
        fill_random(&k, &seed);
        kdr_integrator *const whole = make_integrator(p.real, k.x[0], COUNT);
        kdr_observables expected;
        cr_assert(kdr_observe(whole, &p, &clock, &expected, NULL) == KDR_OK);
        for (size_t c = 0; c < sizeof cuts / sizeof *cuts; ++c) {
            kdr_sums total = {{0}, {0}};
            for (size_t n = 0; cuts[c][n] < 6; ++n) {
                const kdr_particles slice = slice_between(&p, cuts[c][n], cuts[c][n + 1]);
                kdr_integrator *const part = make_integrator(p.real, (char *)k.x[0] + cuts[c][n] * KDR_OBSERVE_BLOCK * size, slice.count);
                kdr_sums blocks[6];
                const size_t count = cuts[c][n + 1] - cuts[c][n];
                kdr_error error;
                memset(blocks, 0xa5, sizeof blocks);
                cr_assert(kdr_observe_blocks(part, &slice, &clock, blocks, count, &error) == KDR_OK, "%s", error.message);
                cr_assert(kdr_sums_add(&total, blocks, count, NULL) == KDR_OK);
                kdr_integrator_destroy(part);
            }
            kdr_observables found;
            memset(&found, 0xa5, sizeof found);
            cr_assert(kdr_sums_observe(&total, &found, NULL) == KDR_OK);
            cr_expect(memcmp(&found, &expected, sizeof found) == 0, "cut %zu: energy %.17g, expected %.17g", c, found.energy,
                      expected.energy);
        }
        kdr_integrator_destroy(whole);
        kdr_particles_destroy(&k);
        kdr_particles_destroy(&p);
    }
}

/* The total is not a sum of the slices' sums: added in another order it has other bits, which the test above would notice. */
Test(observe_parts, the_order_of_blocks_counts) {
    uint64_t seed = test_seed();
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, true, false);
    fill_random(&p, &seed);
    for (size_t i = 0; i < COUNT; ++i) {
        set(p.v[0], KDR_F64, i, get(p.v[0], KDR_F64, i) * ldexp(1, (int)(i / KDR_OBSERVE_BLOCK * 60)));
    }
    kdr_integrator *const integrator = make_integrator(KDR_F64, NULL, 0);
    const kdr_clock clock = {0, 0.25, 0};
    kdr_sums blocks[6], forwards = {{0}, {0}}, backwards = {{0}, {0}};
    cr_assert(kdr_observe_blocks(integrator, &p, &clock, blocks, 6, NULL) == KDR_OK);
    for (int b = 0; b < 6; ++b) {
        kdr_sums_add(&forwards, &blocks[b], 1, NULL);
        kdr_sums_add(&backwards, &blocks[5 - b], 1, NULL);
    }
    cr_expect(memcmp(&forwards, &backwards, sizeof forwards) != 0);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
}

Test(observe_parts, fingerprints_of_slices_are_that_of_the_whole) {
    static const size_t counts[] = {0, 1, 5, 1000, COUNT};
    uint64_t seed = test_seed();
    for (int shape = 0; shape < 3 * KDR_REAL_COUNT; ++shape) {
        for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
            kdr_particles p = make_particles(counts[n], 1 + shape / 2, (kdr_real)(shape % 2), false, false);
            fill_random(&p, &seed);
            uint64_t expected, found = 0;
            kdr_fingerprint_state part;
            cr_assert(kdr_fingerprint(&p, &expected, NULL) == KDR_OK);
            cr_assert(kdr_fingerprint_begin(&part, p.count, p.dims, p.real, NULL) == KDR_OK);
            for (int array = 0; array < 2 * p.dims; ++array) {
                for (size_t begin = 0, step = 1; begin < p.count; begin += step, step = 3 * step + 1) {
                    const kdr_particles slice = kdr_particles_slice(&p, begin, step);
                    kdr_fingerprint_state sent; /* as bytes, to another address */
                    memcpy(&sent, &part, sizeof sent);
                    cr_assert(kdr_fingerprint_add(&sent, &slice, NULL) == KDR_OK);
                    memcpy(&part, &sent, sizeof sent);
                }
            }
            cr_assert(kdr_fingerprint_end(&part, &found, NULL) == KDR_OK);
            cr_expect(found == expected, "shape %d, %zu particles", shape, p.count);
            kdr_particles_destroy(&p);
        }
    }
}

Test(observe_parts, what_does_not_fit_is_refused) {
    kdr_error error;
    kdr_particles p = make_particles(2 * KDR_OBSERVE_BLOCK, 2, KDR_F64, false, false);
    kdr_particles other = make_particles(4, 3, KDR_F64, false, false);
    kdr_integrator *const integrator = make_integrator(KDR_F64, NULL, 0);
    const kdr_clock clock = {0, 0.25, 0};
    kdr_sums blocks[3], total = {{0}, {0}};
    kdr_observables o;
    cr_expect(kdr_observe_blocks(integrator, &p, &clock, blocks, 3, &error) == KDR_ERROR_MISMATCH);
    cr_expect_str_eq(error.message, "blocks: expected 2, one for 1024 particles, got 3");
    cr_expect(kdr_observe_blocks(integrator, &p, &clock, NULL, 2, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_observe_blocks(NULL, &p, &clock, blocks, 2, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_sums_add(NULL, blocks, 2, &error) == KDR_ERROR_NULL && kdr_sums_add(&total, NULL, 2, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_sums_observe(NULL, &o, &error) == KDR_ERROR_NULL && kdr_sums_observe(&total, NULL, &error) == KDR_ERROR_NULL);
    kdr_fingerprint_state part;
    uint64_t fingerprint = 7;
    cr_expect(kdr_fingerprint_begin(NULL, 3, 2, KDR_F64, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_fingerprint_begin(&part, 3, 4, KDR_F64, &error) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_fingerprint_begin(&part, 3, 2, (kdr_real)2, &error) == KDR_ERROR_ARGUMENT);
    cr_assert(kdr_fingerprint_begin(&part, p.count + 1, 2, KDR_F64, NULL) == KDR_OK);
    cr_expect(kdr_fingerprint_add(&part, &other, &error) == KDR_ERROR_MISMATCH);
    cr_expect_str_eq(error.message, "particles: expected dims and real of the state, 2 and f64, got 3 and f64");
    cr_expect(kdr_fingerprint_add(&part, &p, NULL) == KDR_OK);
    cr_expect(kdr_fingerprint_add(&part, &p, &error) == KDR_ERROR_MISMATCH);
    cr_expect_str_eq(error.message, "particles: expected at most the 1 that the array has left, got 2048");
    cr_expect(kdr_fingerprint_end(&part, &fingerprint, &error) == KDR_ERROR_MISMATCH && fingerprint == 7);
    cr_expect_str_eq(error.message, "state: expected 8196 elements, got 2048");
    cr_expect(kdr_fingerprint_end(&part, NULL, &error) == KDR_ERROR_NULL &&
              kdr_fingerprint_end(NULL, &fingerprint, &error) == KDR_ERROR_NULL);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&other);
    kdr_particles_destroy(&p);
}
