/* The functions of <kickdrift/custom_functions.h> other than v_exp (exponentials.c): their errors in all precisions and arithmetics, their
 * values at the ends of the range, and their bits on all backends. A field adds the function to v = 0 in a step of dt = 1. */
#include "methods.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>

KDR_DECLARE_CUSTOM_FIELD(functions);

enum { COUNT = 1 << 16 };
enum { LOG, SIN, COS, ATAN2, POW, FLOOR, TABLE, ABS, EXP, FUNCTIONS };
static const char *const names[FUNCTIONS] = {"v_log", "v_sin", "v_cos", "v_atan2", "v_pow", "v_floor", "v_table", "v_abs", "v_exp"};
static const double bound[] = {1.0, 1.0, 1.0, 2.5, 2.0}; /* in units in the last place, as the header states them */

typedef struct batch {
    kdr_particles particles;
    kdr_integrator_desc desc;
    kdr_force force;
} batch;

static void make_batch(batch *b, int function, kdr_real real, kdr_arithmetic arithmetic) {
    b->force = kdr_force_custom(&kdr_custom_field_functions, (const double[]){function});
    b->desc = describe(KDR_EXPLICIT_EULER, real, arithmetic, &b->force, 1);
    b->desc.backend = KDR_BACKEND_SCALAR;
    b->particles = make_particles(COUNT, 2, real, false, false);
}

/* Computes the function into v[0]. x changes too, and the caller sets it again if needed. */
static void apply(batch *b, bool reference) {
    kdr_clock clock = {0, 1, 0};
    for (int i = 0; i < 2; ++i) {
        memset(b->particles.v[i], 0, COUNT * kdr_real_size(b->particles.real));
    }
    advance(reference ? BY_REFERENCE : BY_INTEGRATOR, &b->desc, &b->particles, &clock, 1);
}

/* Returns the difference between the value and `exact` = high + low, in units in the last place of f32 or f64. */
static double error_of(kdr_real real, double value, long double high, long double low) {
    const double nearest = real == KDR_F32 ? (double)(float)high : (double)high, size = fabs(nearest);
    const double next = real == KDR_F32 ? (double)nextafterf((float)size, FLT_MAX) : nextafter(size, DBL_MAX);
    return (double)fabsl(((long double)value - high) - low) / (next - size);
}

static void expect_bound(int function, kdr_real real, int arithmetic, double worst) {
    fprintf(stderr, "%s, %s, %s: %.3f ulp\n", names[function], kdr_real_name(real), kdr_arithmetic_name((kdr_arithmetic)arithmetic), worst);
    cr_expect(worst < bound[function] && worst > 0.4, "%s, %s, %s: %g ulp", names[function], kdr_real_name(real),
              kdr_arithmetic_name((kdr_arithmetic)arithmetic), worst);
}

/* The double nearest to a function of (x, y), and the remainder, by mpmath 1.3 with 60 digits: all over the ranges, at their ends, where
 * the reduction changes, and near multiples of pi / 2. */
static const struct {
    int function;
    double x, y, high, low;
} exact[] = {
    {0, 0x1.22742b8716ed8p-356, 0x0.0p+0, -0x1.ed44ac963f43cp+7, -0x1.16372a026f3ccp-56},
    {0, 0x1.bc0c083bb704ep-706, 0x0.0p+0, -0x1.e8cfa7f3e7e86p+8, 0x1.ef8373d90d531p-58},
    {0, 0x1.ce85f33ad47e9p+304, 0x0.0p+0, 0x1.a69dd48ce676cp+7, -0x1.6c53282f34c1bp-55},
    {0, 0x1.561d137b2cc84p-864, 0x0.0p+0, -0x1.2b4b6adca374cp+9, -0x1.feeecb10b02c4p-55},
    {0, 0x1.63735f0564b4bp+72, 0x0.0p+0, 0x1.91e0e1fbc8350p+5, -0x1.3963a5bcc3d06p-55},
    {0, 0x1.a64a737a7c4dap-272, 0x0.0p+0, -0x1.78122f320631ep+7, 0x1.4279224c816d7p-55},
    {0, 0x1.3228b01887fe0p-893, 0x0.0p+0, -0x1.356697b9e6a11p+9, 0x1.cea6f51223ffep-56},
    {0, 0x1.034d7f617aefap+15, 0x0.0p+0, 0x1.4d1eefd24f500p+3, 0x1.3150d95e581f3p-54},
    {0, 0x1.0000000000001p+0, 0x0.0p+0, 0x1.fffffffffffffp-53, 0x1.5555555555554p-158},
    {0, 0x1.fffffffffffffp-1, 0x0.0p+0, -0x1.0000000000000p-53, -0x1.0000000000000p-107},
    {0, 0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.62e42fefa39f0p-2, 0x1.c2e0e1b1548c2p-56},
    {0, 0x1.6a09e667f3bcdp-1, 0x0.0p+0, -0x1.62e42fefa39eep-2, 0x1.716fdfdbc882ep-60},
    {0, 0x1.6a09e667f3bb6p+0, 0x0.0p+0, 0x1.62e42fefa39afp-2, 0x1.8bc346fa245c6p-56},
    {0, 0x1.6a09e667f3bcbp-1, 0x0.0p+0, -0x1.62e42fefa39f4p-2, 0x1.7678977e80bb1p-56},
    {0, 0x0.0000000000001p-1022, 0x0.0p+0, -0x1.74385446d71c3p+9, -0x1.8e569fa8ee781p-45},
    {0, 0x0.02e055c9a3f6cp-1022, 0x0.0p+0, -0x1.64714a9115cd0p+9, 0x1.0679c0ad2428bp-46},
    {0, 0x1.fffffffffffffp+1023, 0x0.0p+0, 0x1.62e42fefa39efp+9, 0x1.a9c9e3b39803fp-46},
    {0, 0x1.0000000000000p+1, 0x0.0p+0, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
    {0, 0x1.fff2e48e8a71ep-1, 0x0.0p+0, -0x1.a3738d2cf1cc2p-14, 0x1.3694792ff3a76p-68},
    {0, 0x1.00068db8bac71p+0, 0x0.0p+0, 0x1.a368d0657fcd4p-14, 0x1.06cf0548782dfp-69},
    {1, -0x1.d99abcf4ffae6p+19, 0x0.0p+0, -0x1.34552d7ee4009p-2, 0x1.2d163d5ace712p-56},
    {1, -0x1.0fc98b29e5570p+17, 0x0.0p+0, -0x1.f6ec51f4f2d18p-1, 0x1.9a4bea04a679cp-56},
    {1, -0x1.b877d1e131f48p+19, 0x0.0p+0, -0x1.fe9f29215b8d8p-1, 0x1.3d56a44856728p-55},
    {1, -0x1.a31c20b97748ap+19, 0x0.0p+0, 0x1.ed452b76bd250p-2, 0x1.d3812fcca497bp-56},
    {1, -0x1.352b5de1bc450p+17, 0x0.0p+0, -0x1.481b7b2d9b584p-1, -0x1.b1e0861f39fa0p-58},
    {1, 0x1.4eb252c860c96p+19, 0x0.0p+0, 0x1.64133aac72500p-1, -0x1.13b9a691a3ae3p-55},
    {1, -0x1.813a0f06b9f7ep+19, 0x0.0p+0, -0x1.0c757247de76cp-1, 0x1.ac3770519cbfbp-57},
    {1, -0x1.1b673eaf47a68p+19, 0x0.0p+0, -0x1.501e6d48b3ddfp-1, -0x1.81dbfc7b75fedp-55},
    {1, 0x1.0000000000000p+20, 0x0.0p+0, 0x1.526ccb2fc8656p-2, -0x1.312bfebafe1dfp-56},
    {1, -0x1.fffffc0000000p+19, 0x0.0p+0, -0x1.ae952c5308fd1p-3, 0x1.719a1cb83b26ep-57},
    {1, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbdp-109},
    {1, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.0000000000000p+0, -0x1.377ce858a5d48p-109},
    {1, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.6a09e667f3bccp-1, 0x1.7a7fb8d4bd43fp-55},
    {1, 0x1.921fb54442d19p-1, 0x0.0p+0, 0x1.6a09e667f3bcdp-1, 0x1.3a4e169292f60p-57},
    {1, 0x1.2d97c7f3321d2p+1, 0x0.0p+0, 0x1.6a09e667f3bcdp-1, 0x1.3267a12a5e3d6p-56},
    {1, 0x1.56e1fc2f8f359p-997, 0x0.0p+0, 0x1.56e1fc2f8f359p-997, 0x0.0p+0},
    {1, 0x1.12e0be826d695p-30, 0x0.0p+0, 0x1.12e0be826d695p-30, -0x1.a68cd9e985016p-93},
    {1, 0x1.f358f9d2accd3p+19, 0x0.0p+0, -0x1.98886ed6be72bp-35, 0x1.4adc29149d0bcp-90},
    {1, 0x1.6ac5b262ca1ffp+19, 0x0.0p+0, 0x1.7421c6a7e2281p-1, 0x1.daaa76024549fp-56},
    {1, 0x1.6300000000000p+8, 0x0.0p+0, -0x1.f9bd0307d1de3p-16, 0x1.894874d2528d2p-70},
    {1, 0x1.9639000000000p+16, 0x0.0p+0, -0x1.40efdf1eb8de7p-16, 0x1.f636eaa54141cp-70},
    {2, 0x1.04fbb5953f48cp+18, 0x0.0p+0, -0x1.1f54857fcb4e3p-1, -0x1.b4de56fd6514dp-56},
    {2, 0x1.ca743687eb186p+19, 0x0.0p+0, 0x1.6f88e940d552bp-5, -0x1.ea84c27c867c6p-59},
    {2, 0x1.3bd04d2bcc158p+17, 0x0.0p+0, 0x1.8e970bf84ba9ap-2, 0x1.c2177a042a056p-56},
    {2, -0x1.a7325fe69c3b0p+17, 0x0.0p+0, 0x1.cce9ce6ebee24p-2, 0x1.ed0000273df6ep-58},
    {2, 0x1.e7af6b1c4c68cp+19, 0x0.0p+0, -0x1.ec61a25c0c23ep-2, 0x1.5b5fec2bf363dp-56},
    {2, -0x1.d04ca138bf348p+19, 0x0.0p+0, 0x1.e2a9c7d7e38fdp-1, -0x1.b6c4ce541f976p-55},
    {2, 0x1.6f125b110bdf4p+19, 0x0.0p+0, 0x1.2641bba533890p-3, -0x1.609a52e35003cp-59},
    {2, -0x1.aee15394b34dcp+18, 0x0.0p+0, -0x1.e51469daa6d49p-1, 0x1.6288f46142e42p-55},
    {2, 0x1.0000000000000p+20, 0x0.0p+0, 0x1.e33ada92fe2aep-1, -0x1.420bfaf737b2dp-57},
    {2, -0x1.fffffc0000000p+19, 0x0.0p+0, 0x1.f48e5c8107c00p-1, -0x1.50bb1983f7186p-56},
    {2, 0x1.921fb54442d18p+1, 0x0.0p+0, -0x1.0000000000000p+0, 0x1.377ce858a5d48p-107},
    {2, 0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110},
    {2, 0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.6a09e667f3bcdp-1, -0x1.ec4c7696139d5p-56},
    {2, 0x1.921fb54442d19p-1, 0x0.0p+0, 0x1.6a09e667f3bccp-1, 0x1.ae2fbf2875bdep-58},
    {2, 0x1.2d97c7f3321d2p+1, 0x0.0p+0, -0x1.6a09e667f3bccp-1, 0x1.4da530b7ba971p-59},
    {2, 0x1.56e1fc2f8f359p-997, 0x0.0p+0, 0x1.0000000000000p+0, 0x0.0p+0},
    {2, 0x1.12e0be826d695p-30, 0x0.0p+0, 0x1.0000000000000p+0, -0x1.2725dd1d243acp-61},
    {2, 0x1.f358f9d2accd3p+19, 0x0.0p+0, 0x1.0000000000000p+0, -0x1.45f99501399a9p-70},
    {2, 0x1.6ac5b262ca1ffp+19, 0x0.0p+0, -0x1.5fa7e4518995ap-1, 0x1.2455b230e6368p-55},
    {2, 0x1.6300000000000p+8, 0x0.0p+0, -0x1.fffffffc18e4cp-1, 0x1.862265016699cp-57},
    {2, 0x1.9639000000000p+16, 0x0.0p+0, 0x1.fffffffe6da77p-1, 0x1.7035e9b2fcdecp-57},
    {3, -0x1.876178b6ec4cep-1, -0x1.6c48653acace2p-1, -0x1.322e55064d9f4p+1, 0x1.8b309b967f5ccp-53},
    {3, 0x1.43b6a0d74bdd4p-1, -0x1.883aae7092facp-2, -0x1.16e2187be7a59p-1, 0x1.708ad2b84a109p-56},
    {3, 0x1.4e3bf92474e68p-3, -0x1.46efa9f2cf122p-1, -0x1.52110537d7921p+0, 0x1.6f3cd81c132a8p-56},
    {3, -0x1.05546fe70eca4p-2, 0x1.1c7eaa301850cp-2, 0x1.2829ee8f77b8cp+1, 0x1.b9f6530a89183p-54},
    {3, -0x1.bfb43f37c2c7ap-1, 0x1.871f66d933900p-4, 0x1.84337d337b817p+1, -0x1.a54255a5edcafp-53},
    {3, -0x1.2d1928c0757d8p-1, -0x1.c2f7e930c44b4p-1, -0x1.146a48c664f19p+1, -0x1.94a7c54e5131fp-53},
    {3, -0x1.2894f8720f120p-3, 0x1.71758a881ed14p-2, 0x1.f3d61cabe3655p+0, -0x1.cfdddec84a168p-55},
    {3, 0x1.5e761dd8cd4f0p-3, -0x1.7ca06888ce510p-2, -0x1.23ac5b71b8cb4p+0, -0x1.06eb2034bb547p-54},
    {3, -0x1.9a13c2c0671dcp-2, -0x1.7f837a8dbd5b0p-4, -0x1.74b98eaef31f3p+1, 0x1.453d691025465p-53},
    {3, 0x1.978a64c7a2ea0p-2, 0x1.2d71d0970298cp-1, 0x1.f3e751bcaad7fp-1, -0x1.def05332926d9p-59},
    {3, 0x1.0000000000000p+0, 0x1.a827999fcef32p-2, 0x1.921fb54442d18p-2, 0x1.c398861b78b55p-59},
    {3, 0x1.0000000000000p+0, 0x1.a827999fcef33p-2, 0x1.921fb54442d19p-2, -0x1.760c235274b24p-58},
    {3, -0x1.7e43c8800759cp+996, 0x1.7e43c8800759cp+996, 0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54},
    {3, 0x1.56e1fc2f8f359p-997, 0x1.7e43c8800759cp+996, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
    {3, -0x1.0000000000000p+0, 0x0.012688b70e62bp-1022, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
    {3, -0x1.0000000000000p+0, -0x1.79ca10c924223p-67, -0x1.921fb54442d18p+1, -0x1.1a5c7c09029bep-53},
    {3, 0x1.0000000000000p+0, 0x1.fffffffffffffp-1, 0x1.921fb54442d18p-1, -0x1.cb3b399d747f3p-56},
    {3, 0x1.8000000000000p+1, -0x1.0000000000000p+2, -0x1.dac670561bb4fp-1, -0x1.a2b7f222f65e2p-55},
    {3, -0x1.79ca10c924223p-67, -0x1.0000000000000p+0, -0x1.921fb54442d18p+0, -0x1.1a6e3181cc099p-54},
    {3, 0x1.0000000000000p+0, 0x1.56e1fc2f8f359p-997, 0x1.56e1fc2f8f359p-997, 0x0.0p+0},
    {4, 0x1.bb7753a7dbab2p-1, -0x1.6a87729725166p+9, 0x1.3f5a2cfeb51edp+150, 0x1.0321d3443784dp+94},
    {4, 0x1.c0fc1911f0c55p+21, 0x1.15eb0e1c5e189p+5, 0x1.9dbf5374e6487p+757, -0x1.0de398e5a94bdp+701},
    {4, 0x1.981b63c58b464p+0, -0x1.3e4edb2c78557p+9, 0x1.9ad573db94efbp-429, -0x1.e72650fd8c8b5p-485},
    {4, 0x1.910493983ffe0p+415, -0x1.db1f731040919p+0, 0x1.7e8fd6c27267cp-772, 0x1.59435c1e55ff4p-826},
    {4, 0x1.208f2557eb0dep+0, 0x1.77dda345ad63cp+11, 0x1.49fff48ddaa58p+519, -0x1.0fef85c59fd89p+465},
    {4, 0x1.af1a568ebce2bp-302, 0x1.2f197b80b569cp-4, 0x1.a22d26185ff2bp-23, 0x1.73828c2bd492ap-78},
    {4, 0x1.1e1c75dc5a94ap-1, -0x1.94ae88adb1bc6p+8, 0x1.b0e3b2f8d9bdap+339, -0x1.c525ff209ea09p+285},
    {4, 0x1.030aece02c2c5p+229, 0x1.49bf6eb96f3d0p-1, 0x1.68fe2eb17f7a8p+147, -0x1.e150176f507aap+93},
    {4, 0x1.d02ef88747ed0p+0, -0x1.b62a6ae0aaa04p+8, 0x1.c1855e3d102b9p-377, -0x1.ea19dd5ff3926p-432},
    {4, 0x1.0935e09cc332bp+169, 0x1.20a420712ea7cp+0, 0x1.8591ac296cfd5p+190, -0x1.1de7c039e5ea0p+134},
    {4, 0x1.5eae04a640356p+0, -0x1.85a9794891d84p+7, 0x1.756f0379e5ffdp-89, 0x1.3f84a45250bb2p-144},
    {4, 0x1.373e43b9fdceap+294, 0x1.86a8aa0d95d4ep+1, 0x1.1d03e3098e88bp+898, -0x1.a5649c7354e30p+842},
    {4, 0x1.360dc3517540cp+0, 0x1.2be9018280acdp+10, 0x1.76dbbfd5298a3p+331, -0x1.4b7d2e820b89dp+277},
    {4, 0x1.a22dd9209ef97p-381, -0x1.11f51e0a0f68ep+0, 0x1.f4d29676ce9ecp+406, -0x1.f3cb6608e1413p+349},
    {4, 0x1.0000000000001p+0, 0x1.0a741a4627800p+58, 0x1.12e7f63b33414p+96, -0x1.b17e6e455d981p+40},
    {4, 0x1.fffffffffffffp-1, -0x1.4d1120d7b1600p+62, 0x1.0502174a9c0efp+961, -0x1.b705f7b561acap+907},
    {4, 0x1.0000000000000p+1, 0x1.ffffdf3b645a2p+9, 0x1.ffa52de61c1b3p+1023, -0x1.492d593b82dcap+969},
    {4, 0x1.0000000000000p+1, -0x1.fec0000000000p+9, 0x1.6a09e667f3bcdp-1022, -0x0.0p+0},
    {4, 0x1.4000000000000p+3, 0x1.3400000000000p+8, 0x1.1ccf385ebc8a0p+1023, -0x1.c2a3c3d855605p+966},
    {4, 0x1.999999999999ap-4, 0x1.0000000000000p-1, 0x1.43d136248490fp-2, 0x1.d887adafe7cc4p-61},
    {4, 0x0.0000000000001p-1022, 0x1.0000000000000p-1, 0x1.0000000000000p-537, 0x0.0p+0},
    {4, 0x1.8000000000000p+1, 0x1.0000000000000p+1, 0x1.2000000000000p+3, 0x0.0p+0},
    {4, 0x1.6a09e667f3bcdp+0, -0x1.f400000000000p+10, 0x1.ffffffffffb31p-1001, -0x0.00000000dc107p-1022},
    {4, 0x1.8000000000000p+0, 0x1.5555555555555p-2, 0x1.250bfe1b082f5p+0, -0x1.02e004cf966b5p-56},
};
enum { EXACT = sizeof exact / sizeof *exact };

Test(functions, doubles_by_mpmath) {
    for (int n = 0; n < 5 * KDR_ARITHMETIC_COUNT; ++n) {
        const int function = n / KDR_ARITHMETIC_COUNT, arithmetic = n % KDR_ARITHMETIC_COUNT;
        batch b;
        make_batch(&b, function, KDR_F64, (kdr_arithmetic)arithmetic);
        for (int i = 0; i < EXACT; ++i) {
            ((double *)b.particles.x[0])[i] = exact[i].x;
            ((double *)b.particles.x[1])[i] = exact[i].y;
        }
        apply(&b, false);
        double worst = 0;
        for (int i = 0; i < EXACT; ++i) {
            worst = fmax(worst, exact[i].function == function ? error_of(KDR_F64, ((double *)b.particles.v[0])[i],
                                                                         (long double)exact[i].high, (long double)exact[i].low)
                                                              : 0);
        }
        expect_bound(function, KDR_F64, arithmetic, worst);
        kdr_particles_destroy(&b.particles);
    }
}

/* Draws random arguments in the range of a function. Those of a power are such that its value is a normal number. */
static void draw(int function, kdr_real real, uint64_t *seed, double at[2]) {
    const bool narrow = real == KDR_F32;
    const double most = narrow ? 87 : 708, angle = narrow ? 8192 : 1048576;
    double a = random_in(seed, 0, 1) < 0.5 ? random_in(seed, 0.5, 2) : exp(random_in(seed, -most, most));
    at[0] = narrow ? (double)(float)a : a;
    at[1] = 0;
    if (function == SIN || function == COS) {
        at[0] = random_in(seed, 0, 1) < 0.5 ? random_in(seed, -4, 4) : random_in(seed, -angle, angle);
    } else if (function == ATAN2) {
        at[0] = random_in(seed, -1, 1);
        at[1] = random_in(seed, -1, 1) * exp(random_in(seed, -10, 10));
    } else if (function == POW) {
        at[1] = at[0] == 1 ? 1 : fmax(fmin(random_in(seed, -0.999, 0.999) * most / log(at[0]), 1e15), -1e15);
    }
    at[0] = narrow ? (double)(float)at[0] : at[0];
    at[1] = narrow ? (double)(float)at[1] : at[1];
}

static long double exactly(int function, long double x, long double y) {
    return function == LOG     ? logl(x)
           : function == SIN   ? sinl(x)
           : function == COS   ? cosl(x)
           : function == ATAN2 ? atan2l(y, x)
                               : powl(x, y);
}

/* Compares with long double, whose own error is a thousandth of a double's unit. */
Test(functions, at_random) {
    uint64_t seed = test_seed();
    for (int n = 0; n < 5 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++n) {
        const int function = n / (KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT), arithmetic = n % KDR_ARITHMETIC_COUNT;
        const kdr_real real = (kdr_real)(n / KDR_ARITHMETIC_COUNT % KDR_REAL_COUNT);
        static double x[COUNT], y[COUNT];
        double worst = 0;
        batch b;
        make_batch(&b, function, real, (kdr_arithmetic)arithmetic);
        for (int round = 0; round < 8; ++round) {
            for (size_t i = 0; i < COUNT; ++i) {
                double at[2];
                draw(function, real, &seed, at);
                set(b.particles.x[0], real, i, x[i] = at[0]);
                set(b.particles.x[1], real, i, y[i] = at[1]);
            }
            apply(&b, false);
            for (size_t i = 0; i < COUNT; ++i) {
                worst =
                    fmax(worst, error_of(real, get(b.particles.v[0], real, i), exactly(function, (long double)x[i], (long double)y[i]), 0));
            }
        }
        expect_bound(function, real, arithmetic, worst);
        kdr_particles_destroy(&b.particles);
    }
}

/* The value of a function of (x, y), in each precision and arithmetic. NaN means any NaN; the sign of zeros counts. */
static const struct {
    int function;
    double x, y, value;
} ends[] = {{LOG, 0, 0, -INFINITY},
            {LOG, -0.0, 0, -INFINITY},
            {LOG, 1, 0, 0},
            {LOG, -1, 0, NAN},
            {LOG, INFINITY, 0, INFINITY},
            {LOG, -INFINITY, 0, NAN},
            {LOG, NAN, 0, NAN},
            {SIN, 0, 0, 0},
            {SIN, INFINITY, 0, NAN},
            {SIN, 1048577, 0, NAN},
            {SIN, NAN, 0, NAN},
            {COS, 0, 0, 1},
            {COS, -1048577, 0, NAN},
            {COS, -INFINITY, 0, NAN},
            {ATAN2, 0, 0, 0},
            {ATAN2, -0.0, 0, M_PI},
            {ATAN2, -1, 0, M_PI},
            {ATAN2, -1, -0.0, -M_PI},
            {ATAN2, 0, 2, M_PI_2},
            {ATAN2, 0, -2, -M_PI_2},
            {ATAN2, INFINITY, INFINITY, M_PI_4},
            {ATAN2, INFINITY, 1, 0},
            {ATAN2, -INFINITY, 1, M_PI},
            {ATAN2, -INFINITY, -INFINITY, -3 * M_PI_4},
            {ATAN2, NAN, 1, NAN},
            {ATAN2, 1, NAN, NAN},
            {POW, 0, 2, 0},
            {POW, 0, -2, INFINITY},
            {POW, 0, 0, 1},
            {POW, 5, 0, 1},
            {POW, 1, 1e30, 1},
            {POW, -1, 2, NAN},
            {POW, 2, INFINITY, INFINITY},
            {POW, 2, -INFINITY, 0},
            {POW, 0.5, INFINITY, 0},
            {POW, INFINITY, 2, INFINITY},
            {POW, INFINITY, -1, 0},
            {POW, INFINITY, 0, 1},
            {POW, NAN, 0, 1},
            {POW, -INFINITY, 0, 1},
            {POW, NAN, 1, NAN},
            {POW, 2, NAN, NAN},
            {POW, 4, 0.5, 2},
            {FLOOR, 1.5, 0, 1},
            {FLOOR, -1.5, 0, -2},
            {FLOOR, -2, 0, -2},
            {FLOOR, 0.9375, 0, 0},
            {FLOOR, -0x1p-20, 0, -1},
            {FLOOR, 0x1p40, 0, 0x1p40},
            {FLOOR, 8388607.5, 0, 8388607},
            {FLOOR, -INFINITY, 0, -INFINITY},
            {FLOOR, NAN, 0, NAN},
            {TABLE, -7, 0, 1},
            {TABLE, 0.5, 0, 2},
            {TABLE, 1.25, 0, 2.75},
            {TABLE, 3, 0, 2.5},
            {TABLE, 4, 0, -1},
            {TABLE, 9, 0, -1},
            {TABLE, INFINITY, 0, -1},
            {TABLE, NAN, 0, NAN},
            {ABS, -3, 0, 3},
            {ABS, -INFINITY, 0, INFINITY}};

Test(functions, ends) {
    for (size_t n = 0; n < sizeof ends / sizeof *ends * 4; ++n) {
        const size_t i = n / 4;
        const kdr_real real = (kdr_real)(n % 2);
        batch b;
        make_batch(&b, ends[i].function, real, (kdr_arithmetic)(n / 2 % 2));
        set(b.particles.x[0], real, 0, ends[i].x);
        set(b.particles.x[1], real, 0, ends[i].y);
        apply(&b, false);
        const double got = get(b.particles.v[0], real, 0), value = ends[i].value;
        const bool near = isnan(value) ? isnan(got) : got == value || fabs(got - value) <= (real == KDR_F32 ? 0x1p-22 : 0x1p-51);
        cr_expect(near, "%s(%g, %g) in %s is %.17g, expected %.17g", names[ends[i].function], ends[i].x, ends[i].y, kdr_real_name(real),
                  got, value);
        kdr_particles_destroy(&b.particles);
    }
}

/* Tests powers within some hundreds of units of the largest number, and beyond it. */
Test(functions, the_largest_powers) {
    for (int n = 0; n < KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++n) {
        const kdr_real real = (kdr_real)(n % 2);
        const double most = real == KDR_F32 ? (double)FLT_MAX : DBL_MAX, near = real == KDR_F32 ? 1e-4 : 1e-13;
        static double x[COUNT], y[COUNT];
        uint64_t seed = test_seed();
        double worst = 0;
        batch b;
        make_batch(&b, POW, real, (kdr_arithmetic)(n / 2));
        for (size_t i = 0; i < COUNT; ++i) {
            x[i] = i == 0 ? most : exp(random_in(&seed, 0.1, 0.9) * log(most));
            x[i] = real == KDR_F32 ? (double)(float)x[i] : x[i];
            y[i] = i == 0 ? 1 : (log(most) + random_in(&seed, -near, near)) / log(x[i]);
            y[i] = real == KDR_F32 ? (double)(float)y[i] : y[i];
            set(b.particles.x[0], real, i, x[i]);
            set(b.particles.x[1], real, i, y[i]);
        }
        apply(&b, false);
        int finite = 0;
        for (size_t i = 0; i < COUNT; ++i) {
            const long double power = powl((long double)x[i], (long double)y[i]);
            const double unit = most * (real == KDR_F32 ? 0x1p-24 : 0x1p-53), got = get(b.particles.v[0], real, i);
            const bool is_in = power < (long double)most - 2 * (long double)unit;
            finite += is_in;
            worst = is_in ? fmax(worst, (double)(fabsl((long double)got - power) / (long double)unit)) : worst;
            cr_expect(is_in || power <= (long double)most + 2 * (long double)unit || isinf(got), "%g^%g is %g", x[i], y[i], got);
        }
        cr_expect(worst < bound[POW] && finite > (int)COUNT / 4 && finite < (int)COUNT, "%s: %g ulp, %d finite", kdr_real_name(real), worst,
                  finite);
        kdr_particles_destroy(&b.particles);
    }
}

/* Fills a batch with numbers of random bits, and with ordinary ones, for the reference and every backend. */
static void fill_bits(batch *b, uint64_t *seed) {
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 2; ++axis) {
            const double ordinary = random_in(seed, -30, 30);
            const uint64_t bits = (uint64_t)random_in(seed, 0, 0x1p32) << 32 | (uint64_t)random_in(seed, 0, 0x1p32);
            set(b->particles.x[axis], b->particles.real, i, ordinary);
            if (i % 2) {
                const size_t size = kdr_real_size(b->particles.real);
                memcpy((char *)b->particles.x[axis] + i * size, (const char *)&bits + (8 - size), size);
            }
        }
    }
}

Test(functions, bits) {
    int compared = 0;
    for (int n = 0; n < FUNCTIONS * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++n) {
        batch a, b;
        make_batch(&a, n / 4, (kdr_real)(n / 2 % 2), (kdr_arithmetic)(n % 2));
        uint64_t seed = test_seed();
        fill_bits(&a, &seed);
        apply(&a, true);
        for (int backend = KDR_BACKEND_FIRST; backend <= KDR_BACKEND_LAST; ++backend) {
            kdr_backend_info info;
            cr_assert(kdr_backend_query((kdr_backend)backend, &info) == KDR_OK);
            if (info.runnable) {
                make_batch(&b, n / 4, (kdr_real)(n / 2 % 2), (kdr_arithmetic)(n % 2));
                b.desc.backend = (kdr_backend)backend;
                seed = test_seed();
                fill_bits(&b, &seed);
                apply(&b, false);
                kdr_difference difference;
                cr_assert(kdr_compare(&a.particles, &b.particles, &difference, NULL) == KDR_OK);
                cr_expect(difference.mismatches == 0, "%s on %s: %zu mismatches, the first of particle %zu", names[n / 4], info.name,
                          difference.mismatches, difference.index);
                kdr_particles_destroy(&b.particles);
                ++compared;
            }
        }
        kdr_particles_destroy(&a.particles);
    }
    cr_expect(compared >= FUNCTIONS * 4, "%d", compared);
}
