/* Tests v_exp of custom fields, in all precisions and arithmetics, over its whole range, by the field exp(x), which a step of dt = 1 adds
 * to v = 0. */
#include "methods.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>

KDR_DECLARE_CUSTOM_FIELD(exponential);

enum { COUNT = 1 << 16 };

typedef struct batch {
    kdr_particles particles;
    kdr_integrator *integrator;
} batch;

static batch make_batch(kdr_real real, kdr_arithmetic arithmetic) {
    const kdr_force force = kdr_force_custom(&kdr_custom_field_exponential, NULL);
    kdr_integrator_desc desc = describe(KDR_EXPLICIT_EULER, real, arithmetic, &force, 1);
    desc.backend = KDR_BACKEND_SCALAR;
    batch b = {.particles = make_particles(COUNT, 1, real, false, false)};
    cr_assert(kdr_integrator_create(&desc, &b.integrator, NULL) == KDR_OK);
    return b;
}

static void step(batch *b) {
    memset(b->particles.v[0], 0, COUNT * kdr_real_size(b->particles.real));
    kdr_clock clock = {0, 1, 0};
    cr_assert(kdr_integrator_run(b->integrator, &b->particles, &clock, 1, NULL) == KDR_OK);
}

static void destroy(batch *b) {
    kdr_integrator_destroy(b->integrator);
    kdr_particles_destroy(&b->particles);
}

/* The double nearest to exp(a), and the remainder, by mpmath 1.3 with 60 digits: over the whole range, half-way between multiples of ln 2,
 * where the series converges most slowly, and at the ends. */
static const struct {
    double a, high, low;
} exact[] = {
    {-0x1.0b0207ce27b88p+6, 0x1.9f1475109361bp-97, 0x1.7fdc6cb275c0ap-152},
    {0x1.55e8d0580d388p+6, 0x1.3f13a27164d2cp+123, 0x1.a02c2c840f9b1p+69},
    {0x1.2d08c4b396068p+9, 0x1.845ba55070555p+868, -0x1.222438e995308p+814},
    {-0x1.7f87387287170p+5, 0x1.c8e53804e88f5p-70, 0x1.363f697738f71p-125},
    {0x1.7bae1e0e1bd40p+3, 0x1.15bd0cd43ae1cp+17, 0x1.efa9c99fdf037p-37},
    {0x1.f278d3a757d28p+6, 0x1.b95855dde539fp+179, -0x1.2e0b7380a6b3ep+124},
    {-0x1.be3e7454ff151p+8, 0x1.274d5b0e354c2p-644, 0x1.3e10c94cff63fp-700},
    {0x1.1a1682cec9ec0p+4, 0x1.5a312c4e9e805p+25, -0x1.4a7642b22f717p-31},
    {0x1.71b7aedab2580p+7, 0x1.9e6144d8678ddp+266, 0x1.516480779007ap+212},
    {0x1.a00b728f5cd68p+8, 0x1.2b577d1715218p+600, 0x1.8879c6727f398p+544},
    {-0x1.1f4a3d774f447p+9, 0x1.0a2f356519877p-829, -0x1.17b7a6badde3cp-883},
    {-0x1.15edbff4202c4p+8, 0x1.0609885bb982ep-401, -0x1.23b79a6ac7316p-457},
    {-0x1.21bcbcd86e6e7p+9, 0x1.fe39f2a4c86d2p-837, -0x1.d1d6442715edcp-892},
    {0x1.b7abcf0273a8cp+8, 0x1.3da9d6bbcc5a0p+634, -0x1.8406e867af2f4p+579},
    {0x1.12f2f4e01ac72p+8, 0x1.96a55e0a4477cp+396, -0x1.8233e1868a5c5p+342},
    {-0x1.44513b5537801p+9, 0x1.29c4a738880f0p-936, -0x1.2c50af2c0a8bep-995},
    {-0x1.5a667a4a07d4cp+9, 0x1.6a09e667f3cd2p-1000, -0x0.0000000144e9fp-1022},
    {-0x1.633ce8fb9f87ep+8, 0x1.6a09e667f3b5dp-513, 0x1.dab55fc14d668p-568},
    {-0x1.0a2b23f3bab73p+0, 0x1.6a09e667f3bcdp-2, 0x1.1e2a4fad25b6fp-57},
    {-0x1.62e42fefa39efp-2, 0x1.6a09e667f3bcdp-1, -0x1.7233c057e4796p-55},
    {0x1.62e42fefa39efp-2, 0x1.6a09e667f3bccp+0, 0x1.f68d3de197eeap-54},
    {0x1.0a2b23f3bab73p+0, 0x1.6a09e667f3bccp+1, -0x1.5775499becc39p-58},
    {0x1.9fe3682cd3be4p+4, 0x1.6a09e667f3bc5p+37, 0x1.08407c28d04b6p-17},
    {0x1.633ce8fb9f87ep+8, 0x1.6a09e667f3c3cp+512, -0x1.a404c95baabb3p+456},
    {0x1.62066151add8bp+9, 0x1.6a09e667f3bcdp+1021, -0x1.61398775b166fp+967},
    {0x1.56e1fc2f8f359p-997, 0x1.0000000000000p+0, 0x0.0p+0},
    {-0x1.0000000000000p-54, 0x1.0000000000000p+0, -0x1.0000000000000p-54},
    {0x1.0000000000000p-30, 0x1.0000000400000p+0, 0x1.0000000155555p-61},
    {-0x1.0624dd2f1a9fcp-10, 0x1.ff7cfe56f1a9ep-1, -0x1.1719f90b09522p-55},
    {0x1.62e33eff19503p-2, 0x1.6a099138a089dp+0, -0x1.5882059b8f8c7p-54},
    {-0x1.62e33eff19503p-2, 0x1.6a0a3b975afaep-1, 0x1.f3fbcc2928985p-56},
    {0x1.62e3d70a3d70ap+9, 0x1.fe9ce5c4c52b4p+1023, 0x1.a8a120488d827p+969},
    {-0x1.6231eb851eb85p+9, 0x1.01a5ff6ed496bp-1022, 0x0.0p+0},
    {0x1.0000000000000p+0, 0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53},
    {-0x1.0000000000000p+0, 0x1.78b56362cef38p-2, -0x1.ca8a4270fadf5p-57},
};
enum { EXACT = sizeof exact / sizeof *exact };

static void expect_error(kdr_real real, int arithmetic, double worst) {
    fprintf(stderr, "exp, %s, %s: %.3f ulp\n", kdr_real_name(real), kdr_arithmetic_name((kdr_arithmetic)arithmetic), worst);
    cr_expect(worst < 1.1 && worst > 0.4, "%s, %s: %g ulp", kdr_real_name(real), kdr_arithmetic_name((kdr_arithmetic)arithmetic), worst);
}

Test(exponentials, doubles_by_mpmath) {
    for (int arithmetic = 0; arithmetic < KDR_ARITHMETIC_COUNT; ++arithmetic) {
        batch b = make_batch(KDR_F64, (kdr_arithmetic)arithmetic);
        memset(b.particles.x[0], 0, COUNT * sizeof(double));
        for (int n = 0; n < EXACT; ++n) {
            ((double *)b.particles.x[0])[n] = exact[n].a;
        }
        step(&b);
        double worst = 0;
        for (int n = 0; n < EXACT; ++n) {
            const double e = ((double *)b.particles.v[0])[n], ulp = nextafter(exact[n].high, DBL_MAX) - exact[n].high;
            worst = fmax(worst, fabs((e - exact[n].high) - exact[n].low) / ulp);
        }
        expect_error(KDR_F64, arithmetic, worst);
        destroy(&b);
    }
}

/* Random doubles, also where exp is subnormal, are compared with long double, whose own error is a thousandth. */
Test(exponentials, doubles) {
    uint64_t seed = test_seed();
    for (int arithmetic = 0; arithmetic < KDR_ARITHMETIC_COUNT; ++arithmetic) {
        batch b = make_batch(KDR_F64, (kdr_arithmetic)arithmetic);
        double *const x = b.particles.x[0], *const v = b.particles.v[0], worst = 0;
        for (int round = 0; round < 8; ++round) {
            for (int n = 0; n < COUNT; ++n) {
                x[n] = random_in(&seed, -746, 709.78);
            }
            step(&b);
            for (int n = 0; n < COUNT; ++n) {
                const long double e = expl((long double)x[n]);
                const double ulp = nextafter((double)e, DBL_MAX) - (double)e;
                worst = fmax(worst, (double)fabsl((long double)v[n] - e) / ulp);
            }
        }
        expect_error(KDR_F64, arithmetic, worst);
        destroy(&b);
    }
}

/* Returns the largest error of floats' exponentials, compared with the C library's in double. Those that overflow are infinite, or the
 * largest float. */
static double worst_of_floats(const float *x, const float *v) {
    double worst = 0;
    for (int n = 0; n < COUNT; ++n) {
        const double e = exp((double)x[n]);
        const float nearest = (float)e;
        if (nearest < FLT_MAX) {
            worst = fmax(worst, fabs((double)v[n] - e) / ((double)nextafterf(nearest, FLT_MAX) - (double)nearest));
        } else {
            cr_expect(v[n] >= FLT_MAX, "exp(%a) is %a", (double)x[n], (double)v[n]);
        }
    }
    return worst;
}

/* Tests every 61st float from -104 to 89. */
Test(exponentials, floats) {
    const float most[2] = {89.0F, 104.0F};
    uint32_t end[2];
    memcpy(end, most, sizeof end);
    for (int arithmetic = 0; arithmetic < KDR_ARITHMETIC_COUNT; ++arithmetic) {
        batch b = make_batch(KDR_F32, (kdr_arithmetic)arithmetic);
        uint64_t compared = 0;
        double worst = 0;
        for (uint32_t sign = 0; sign < 2; ++sign) {
            for (uint32_t first = sign; first < end[sign]; compared += COUNT) {
                for (int n = 0; n < COUNT; ++n, first += first < end[sign] ? 61 : 0) {
                    const uint32_t bits = first | sign << 31;
                    memcpy((float *)b.particles.x[0] + n, &bits, sizeof bits);
                }
                step(&b);
                worst = fmax(worst, worst_of_floats(b.particles.x[0], b.particles.v[0]));
            }
        }
        cr_expect(compared > 30000000, "%llu floats", (unsigned long long)compared);
        expect_error(KDR_F32, arithmetic, worst);
        destroy(&b);
    }
}
