/* Uniform fields: if the product of the step and the acceleration is exact, specialised kernels add it, otherwise they use fused
 * multiply-adds. The bits are the reference's in both cases. The steps are powers of two and others, axes have an acceleration or none, and
 * some products are subnormal. */
#include "support.h"

/* More particles than a tile of the widest vectors, and a remainder. */
enum { COUNT = 611, STEPS = 5 };

typedef struct fall {
    double dt, a[3], unit; /* unit: velocities are whole multiples of it; 0: they are random */
} fall;

static const fall falls[] = {
    {0x1p-10, {0.5, -0.25, -9.81}, 0},
    {0.001, {0, -9.81, -0.0}, 0},
    {0.1, {0x1p-3, 0, 3}, 0},
    {0x1.000002p-10, {0x1.000002p+1, 0x1.8p+1, 0x1p+1}, 0},    /* one bit too many for a float */
    {0x1.00000001p-10, {0x1.0000001p+1, 0x1.8p+1, 0x1p+1}, 0}, /* one bit too many for a double */
    {0x1p-540, {0x1p-535, -0x1.8p-534, 0x1p-531}, 0x1p-1074},  /* half of the smallest double, one and a half of it, and exact */
    {0x1p-70, {0x1p-80, -0x1.8p-79, 0x1p-76}, 0x1p-149},       /* the same for a float */
};

static void compare(const kdr_integrator_desc *desc, const fall *f, uint64_t *seed) {
    kdr_particles p = make_particles(COUNT, 3, desc->real, false, false), expected = make_particles(COUNT, 3, desc->real, false, false);
    kdr_clock clock = {.dt = f->dt}, other = clock;
    fill_random(&p, seed);
    for (size_t i = 0; i < COUNT && f->unit != 0; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            set(p.x[axis], p.real, i, 0);
            set(p.v[axis], p.real, i, ((double)(i % 9) - 4) * f->unit);
        }
    }
    copy_state(&expected, &p);
    advance(BY_INTEGRATOR, desc, &p, &clock, STEPS);
    advance(BY_REFERENCE, desc, &expected, &other, STEPS);
    cr_expect(same_bits(&p, &expected), "%s, backend %d, arithmetic %d, precision %d, dt %a", kdr_method_get(desc->method)->name,
              (int)desc->backend, (int)desc->arithmetic, (int)desc->real, f->dt);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&expected);
}

Test(uniform, bits_of_the_reference) {
    uint64_t seed = test_seed();
    for (int backend = KDR_BACKEND_FIRST; backend <= KDR_BACKEND_LAST; ++backend) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)backend, &info) == KDR_OK);
        for (int method = 0; info.runnable && method < KDR_METHOD_COUNT; ++method) {
            for (int n = 0; n < KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++n) {
                for (size_t k = 0; k < sizeof falls / sizeof *falls; ++k) {
                    if (n % 2 == 0 && falls[k].unit == 0x1p-1074) {
                        continue; /* float does not have such a step */
                    }
                    const double *const a = falls[k].a;
                    const kdr_force force = kdr_force_uniform_acceleration(a[0], a[1], a[2]);
                    kdr_integrator_desc desc =
                        describe((kdr_method)method, n % 2 ? KDR_F64 : KDR_F32, n / 2 ? KDR_UNFUSED : KDR_FUSED, &force, 1);
                    desc.backend = (kdr_backend)backend;
                    compare(&desc, &falls[k], &seed);
                }
            }
        }
    }
}
