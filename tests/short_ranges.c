/* Fewer particles than a specialised kernel steps at once, alone and after others: every backend has the reference's bits, with masses and
 * memory, and does not touch what follows the last particle. */
#include "support.h"

enum { MOST = 66, CALLS = 2 };

static const kdr_method methods[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET, KDR_PEFRL, KDR_RK4};

static void compare(kdr_integrator_desc *desc, int dims, size_t count, bool masses, bool memory, uint64_t *seed) {
    kdr_particles p = make_particles(MOST, dims, desc->real, masses, memory);
    kdr_particles expected = make_particles(MOST, dims, desc->real, masses, memory);
    kdr_particles between = make_particles(count, dims, desc->real, masses, memory); /* leaves its data on the stack */
    fill_random(&between, seed);
    fill_random(&p, seed);
    if (masses) {
        set(p.inverse_mass, p.real, count / 2, 0);
    }
    copy_state(&expected, &p);
    const size_t bytes = MOST * kdr_real_size(desc->real);
    for (int i = 0; i < dims && memory; ++i) { /* forgets the memory of the first call, except for frozen particles */
        memset(p.memory[i], 0x7f, bytes);
        memset(expected.memory[i], 0x7f, bytes);
    }
    kdr_particles few = kdr_particles_slice(&p, 0, count), alike = kdr_particles_slice(&expected, 0, count);
    kdr_clock clock = {.dt = 0.125}, other = clock, third = clock;
    for (int call = 0; call < CALLS; ++call) {
        advance(BY_INTEGRATOR, desc, &few, &clock, 3);
        advance(BY_REFERENCE, desc, &alike, &other, 3);
        advance(BY_INTEGRATOR, desc, &between, &third, 3);
    }
    bool same = same_bits(&p, &expected);
    for (int i = 0; i < dims && memory; ++i) {
        same = same && memcmp(p.memory[i], expected.memory[i], bytes) == 0;
    }
    cr_expect(same, "method %d, backend %d, arithmetic %d, %d forces, %d axes, %zu particles, masses %d, memory %d", (int)desc->method,
              (int)desc->backend, (int)desc->arithmetic, (int)desc->force_count, dims, count, masses, memory);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&expected);
    kdr_particles_destroy(&between);
}

Test(short_ranges, bits_of_the_reference) {
    const kdr_force forces[] = {kdr_force_uniform_acceleration(0.5, -1, 2), kdr_force_spring(2, 0.25, 0, 1),
                                kdr_force_drag(0.25, 0, 0.5, 0), kdr_force_centre(1, 0.5, 0.125, 0, 0)};
    uint64_t seed = test_seed();
    for (int backend = KDR_BACKEND_FIRST; backend <= KDR_BACKEND_LAST; ++backend) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)backend, &info) == KDR_OK);
        for (size_t m = 0; info.runnable && m < sizeof methods / sizeof *methods; ++m) {
            for (int n = 0; n < 4 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT * 2; ++n) {
                const int field = n % 4; /* uniform, spring, spring and drag, centre */
                kdr_integrator_desc desc = describe(methods[m], n / 4 % 2 ? KDR_F64 : KDR_F32, n / 8 % 2 ? KDR_UNFUSED : KDR_FUSED,
                                                    forces + (field == 3 ? 3 : field > 0), field == 3 ? 1 : (size_t)(field + !field));
                desc.backend = (kdr_backend)backend;
                for (size_t count = 1; count <= MOST; count += 1 + count / 8) {
                    compare(&desc, field == 3 ? 3 : 1 + (int)count % 3, count, n / 16, count % 2, &seed);
                }
            }
        }
    }
}
