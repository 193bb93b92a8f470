/* The library's own sine, cosine and expm1 of one double: their errors, by values of 4,000 bits (mpmath 1.2) and by long doubles, and their
 * values at the ends of the range. */
#include "support.h"

#include "particles/functions.h"

#include <float.h>

static double sine_of(double angle) {
    double sine, cosine;
    kdr_sin_cos(angle, &sine, &cosine);
    return sine;
}

enum { SIN, COS, EXPM1, FUNCTIONS };
static const struct {
    const char *name;
    double (*function)(double);
    long double (*exactly)(long double);
    double bound; /* in units in the last place */
} functions[FUNCTIONS] = {{"kdr_sin_cos", sine_of, sinl, 0.8}, {"kdr_cos", kdr_cos, cosl, 0.8}, {"kdr_expm1", kdr_expm1, expm1l, 1.0}};

/* An argument, the double nearest to the function, and the remainder. The angles are of every size, and include those nearest to multiples
 * of pi / 2: 6381956970095103 2^797 is the nearest of all doubles. */
static const struct {
    int function;
    double a, high, low;
} exact[] = {
    {SIN, 0x1.6ac5b262ca1ffp+849, 0x1.0000000000000p+0, -0x1.2b089ea1e692bp-123},
    {SIN, 0x1.6ac5b262ca1ffp+849, 0x1.0000000000000p+0, -0x1.2b089ea1e692bp-123},
    {SIN, 0x1.0f0cf064dd592p+73, -0x1.b453ab76bf397p-1, -0x1.f453790772648p-58},
    {SIN, 0x1.fffffffffffffp+1023, 0x1.452fc98b34e97p-8, -0x1.27bb193d960dfp-62},
    {SIN, 0x1.921fb54442d18p-1, 0x1.6a09e667f3bccp-1, 0x1.7a7fb8d4bd43fp-55},
    {SIN, 0x1.921fb54442d19p-1, 0x1.6a09e667f3bcdp-1, 0x1.3a4e169292f60p-57},
    {SIN, 0x1.921fb54442d18p+0, 0x1.0000000000000p+0, -0x1.377ce858a5d48p-109},
    {SIN, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbdp-109},
    {SIN, 0x1.2d97c7f3321d2p+1, 0x1.6a09e667f3bcdp-1, 0x1.3267a12a5e3d6p-56},
    {SIN, 0x1.0000080000000p+20, 0x1.7c2bb1d7c0924p-1, 0x1.190e4a55dc75ep-56},
    {SIN, 0x1.86a0000000000p+16, 0x1.24daa9c527e96p-5, 0x1.c767d8e3e1ca8p-60},
    {SIN, 0x1.999999999999ap-4, 0x1.98eaecb8bcb2cp-4, 0x1.c687ae84515ddp-59},
    {SIN, 0x1.4f8b588e368f1p-17, 0x1.4f8b588e1e8a2p-17, 0x1.75b30450b875ep-71},
    {SIN, 0x1.56e1fc2f8f359p-997, 0x1.56e1fc2f8f359p-997, -0x0.0p+0},
    {SIN, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022, -0x0.0p+0},
    {SIN, 0x1.5c0d607f5b000p+52, 0x1.8c5e4313c26f2p-1, -0x1.70ed140ff744bp-62},
    {SIN, -0x1.52e6b43e54e9cp+805, 0x1.f8ed0d370d819p-1, -0x1.40c3a441b70ccp-55},
    {SIN, -0x1.a6a3a4418b900p+189, -0x1.4a7650394aa00p-1, -0x1.d4a06160c9529p-55},
    {SIN, -0x1.5d9dc9f2a6330p+436, 0x1.6a8a96b85bcdep-3, 0x1.5f4248c829517p-57},
    {SIN, 0x1.099950c2c0146p+853, 0x1.3f195275e9ff4p-3, -0x1.9bf3449d41f56p-57},
    {SIN, -0x1.11e20b87b382ep+866, -0x1.e0c24d9ac7051p-1, -0x1.ffd8c85726bf8p-55},
    {SIN, -0x1.0f21ddba75929p+454, 0x1.f75f2e19220dep-1, 0x1.7201c825a2f2bp-55},
    {SIN, -0x1.a170b33413eedp+809, -0x1.f05fe627225c8p-1, -0x1.9e8ffa1538d77p-55},
    {SIN, -0x1.0cb1e29f3d7b6p+92, 0x1.e32fb574248a4p-1, 0x1.fbbcb8629a91ap-59},
    {SIN, -0x1.8e81973b7892ep+590, 0x1.c8fa154978063p-1, -0x1.3ac153a8218c0p-55},
    {SIN, -0x1.6b4cb2449dbcdp+628, -0x1.fa78b498e93f0p-2, 0x1.aa764946d67b0p-58},
    {SIN, -0x1.8f6d055a1db50p+208, 0x1.9c95be25919ddp-1, -0x1.786be1c0edf68p-55},
    {SIN, -0x1.94e3bf92474e6p+759, 0x1.c7643277d6fbbp-1, -0x1.ae2f2f46dac04p-57},
    {SIN, -0x1.18f135d1871f6p+119, -0x1.fdb2005f7200fp-1, -0x1.16080c2c1cb31p-56},
    {SIN, 0x1.9e7769a69736cp+872, -0x1.6d114c5b3a33fp-3, -0x1.77e3fadede9d5p-57},
    {SIN, 0x1.c6f8770a0d7e6p+925, -0x1.ed18d1d4e104cp-1, 0x1.d26aa1ade7f2ep-57},
    {SIN, -0x1.5c90a94997b0fp+365, -0x1.4012eb7da52d2p-3, 0x1.da7ac61a05166p-57},
    {SIN, 0x1.b2b7c7358b3c0p+10, -0x1.0000000000000p+0, 0x1.6a07f3d16f287p-100},
    {SIN, 0x1.3e7d11215b262p+20, 0x1.0000000000000p+0, -0x1.fd06d129fe674p-68},
    {SIN, 0x1.930d6ea73d2dfp+30, 0x1.fffffffffffdfp-1, -0x1.212cea903b1e1p-55},
    {SIN, 0x1.8673472fd7fe4p+52, 0x1.56703a7d3c127p-2, 0x1.72e4ef1a0c6d8p-56},
    {SIN, 0x1.e00902cafdc0cp+100, -0x1.b8d8dc912fcacp-1, 0x1.df1ed0082bd63p-55},
    {SIN, 0x1.babced2e5cd98p+200, 0x1.2dbdde79d10d1p-1, 0x1.16f55087b48a9p-57},
    {SIN, 0x1.49b64a137c97ap+400, -0x1.fb2739e8ad6d1p-1, 0x1.646d623b2e555p-56},
    {SIN, 0x1.faecbd2257a96p+700, 0x1.e4c715230a493p-1, 0x1.65ab0cb868e02p-56},
    {SIN, 0x1.1e398f1061c0fp+1000, -0x1.f9a59af425a99p-1, 0x1.98a9b255e4cbbp-55},
    {COS, 0x1.6ac5b262ca1ffp+849, -0x1.14ae72e6ba22fp-61, 0x1.73eef1477d90ep-118},
    {COS, 0x1.6ac5b262ca1ffp+849, -0x1.14ae72e6ba22fp-61, 0x1.73eef1477d90ep-118},
    {COS, 0x1.0f0cf064dd592p+73, 0x1.0be2cef01c8f4p-1, -0x1.b2d1bc8018c4fp-55},
    {COS, 0x1.fffffffffffffp+1023, -0x1.fffe62ecfab75p-1, -0x1.e038d934070f1p-56},
    {COS, 0x1.921fb54442d18p-1, 0x1.6a09e667f3bcdp-1, -0x1.ec4c7696139d5p-56},
    {COS, 0x1.921fb54442d19p-1, 0x1.6a09e667f3bccp-1, 0x1.ae2fbf2875bdep-58},
    {COS, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110},
    {COS, 0x1.921fb54442d18p+1, -0x1.0000000000000p+0, 0x1.377ce858a5d48p-107},
    {COS, 0x1.2d97c7f3321d2p+1, -0x1.6a09e667f3bccp-1, 0x1.4da530b7ba971p-59},
    {COS, 0x1.0000080000000p+20, 0x1.56f3082d8f8a6p-1, -0x1.4fa02d29de90ap-55},
    {COS, 0x1.86a0000000000p+16, -0x1.ffac3841b3da7p-1, -0x1.b085bf2c1a978p-56},
    {COS, 0x1.999999999999ap-4, 0x1.fd712f9a817c1p-1, -0x1.fb7ab33ee2672p-55},
    {COS, 0x1.4f8b588e368f1p-17, 0x1.ffffffff920c8p-1, 0x1.3149f1007a5f5p-58},
    {COS, 0x1.56e1fc2f8f359p-997, 0x1.0000000000000p+0, -0x0.0p+0},
    {COS, 0x0.0000000000001p-1022, 0x1.0000000000000p+0, -0x0.0p+0},
    {COS, 0x1.5c0d607f5b000p+52, 0x1.4417cbad8de2bp-1, 0x1.b5bd5134129cdp-55},
    {COS, 0x1.6b0a18e5475eap+308, -0x1.b797728587747p-3, -0x1.689057a589667p-58},
    {COS, 0x1.eeeacbefa595fp+77, -0x1.02de0984db257p-2, -0x1.e3933c9effc96p-59},
    {COS, -0x1.f646e1f562064p+639, 0x1.fc110aaddfa33p-1, 0x1.ad46cfa0ec084p-56},
    {COS, 0x1.571242563fdc1p+1014, 0x1.593b81da3b517p-2, -0x1.157ae3b3e7045p-58},
    {COS, 0x1.947403198023ap+137, 0x1.919de92b917aep-3, 0x1.b748ad1695a22p-57},
    {COS, 0x1.d70820e2febd0p+967, 0x1.2adb75fa8ceefp-3, -0x1.02dffe47e4ca1p-58},
    {COS, -0x1.b271595540bc2p+121, 0x1.478ccdded3ba0p-2, -0x1.721b59dead9e3p-56},
    {COS, 0x1.bb2d4216729f6p+909, -0x1.3d592806bf952p-1, 0x1.3f91be6d9d601p-55},
    {COS, 0x1.48db40b6ee9d6p+707, -0x1.19fb3c0e7820ap-1, 0x1.c9a8835ee986ep-57},
    {COS, 0x1.05c6af1e19cb0p+724, 0x1.56d9869612431p-1, 0x1.2db246b354255p-56},
    {COS, -0x1.2b0537f38ca72p+1008, 0x1.91aaeef26ba90p-2, -0x1.856eb04a1b7cep-57},
    {COS, 0x1.0f17a306fb8eep+261, -0x1.116dc85ce482bp-4, -0x1.e72b111064bdcp-58},
    {COS, 0x1.bd0561e7ec75fp+797, -0x1.ee8e97639ea00p-1, -0x1.6ea89d2d6d4e7p-55},
    {COS, 0x1.eab477dbe2b05p+162, 0x1.43c8fe9492124p-3, 0x1.cc3b6a634a8d9p-57},
    {COS, 0x1.2a96fb0e5fbe4p+566, -0x1.fffd66abc6449p-1, 0x1.1eb5325580176p-55},
    {COS, 0x1.e225714461b2ep+567, 0x1.8353c3bb44a87p-1, -0x1.46fec46dd2c1ep-55},
    {COS, 0x1.b4ae6ed8208f8p+10, 0x1.0000000000000p+0, -0x1.0c535a2575670p-88},
    {COS, 0x1.fc890c098cf19p+20, -0x1.0000000000000p+0, 0x1.ce3fa4707ed48p-69},
    {COS, 0x1.aec6f03736092p+30, -0x1.e7e29ca3e3e40p-24, -0x1.ae7873397ffe1p-78},
    {COS, 0x1.616499dea5bbdp+52, 0x1.e3bcd8804367cp-1, 0x1.1c48ead668721p-55},
    {COS, 0x1.3b1287e4d4581p+100, -0x1.d0e937f5a1751p-1, 0x1.e4e2cab4129f9p-56},
    {COS, 0x1.153e7c25a3936p+200, 0x1.d4a20d6cad44ap-1, 0x1.b6bbafa0463eap-55},
    {COS, 0x1.26bb7da76c30cp+400, 0x1.dc5e79952b2b2p-1, -0x1.992b72c85bbabp-56},
    {COS, 0x1.a8948c87777d4p+700, 0x1.07b4540881f0bp-5, 0x1.ef08bf982f91cp-60},
    {COS, 0x1.0316908f84d08p+1000, -0x1.7b960f3f0fd93p-1, 0x1.24832a7681a1bp-56},
    {EXPM1, -0x1.56e1fc2f8f359p-997, -0x1.56e1fc2f8f359p-997, 0x0.0p+0},
    {EXPM1, -0x0.0000000000001p-1022, -0x0.0000000000001p-1022, 0x0.0p+0},
    {EXPM1, -0x1.70ef54646d497p-57, -0x1.70ef54646d497p-57, 0x1.09d8792fb4c4ap-114},
    {EXPM1, 0x1.70ef54646d497p-57, 0x1.70ef54646d497p-57, 0x1.09d8792fb4c4ap-114},
    {EXPM1, -0x1.999999999999ap-4, -0x1.85c933156a62cp-4, -0x1.6d577f9d9f0f3p-58},
    {EXPM1, -0x1.0000000000000p-1, -0x1.92e9a0720d3ecp-2, -0x1.85314b9559e64p-61},
    {EXPM1, -0x1.0000000000000p+0, -0x1.43a54e4e98864p-1, -0x1.ca8a4270fadf5p-57},
    {EXPM1, -0x1.0000000000000p+1, -0x1.bab5557101f8dp-1, -0x1.809224547b4bfp-57},
    {EXPM1, -0x1.62e42fefa39efp-2, -0x1.2bec333018867p-2, 0x1.1b987f50370d5p-56},
    {EXPM1, 0x1.62e42fefa39efp-2, 0x1.a827999fcef32p-2, -0x1.2e5843cd022b5p-59},
    {EXPM1, 0x1.62eb1c432ca58p-2, 0x1.a831641af1de4p-2, 0x1.f736045a854d8p-56},
    {EXPM1, -0x1.62eb1c432ca58p-2, -0x1.2bf1186530eb9p-2, 0x1.20c67cd56aaf5p-57},
    {EXPM1, 0x1.0000000000000p+0, 0x1.b7e151628aed3p+0, -0x1.655023a9dfd8cp-54},
    {EXPM1, -0x1.0a2b23f3bab73p+0, -0x1.4afb0ccc06219p-1, -0x1.b8756c14b6924p-55},
    {EXPM1, -0x1.259999999999ap+5, -0x1.fffffffffffffp-1, 0x1.3316097ba31f6p-58},
    {EXPM1, -0x1.2c00000000000p+5, -0x1.0000000000000p+0, 0x1.dd5c566301ec8p-55},
    {EXPM1, -0x1.3f33333333333p+5, -0x1.0000000000000p+0, 0x1.5a7104ddea036p-58},
    {EXPM1, 0x1.299999999999ap+5, 0x1.96d28cc229d81p+53, 0x1.a5d1a0ceab18bp-2},
    {EXPM1, 0x1.2c00000000000p+5, 0x1.1293919c201e5p+54, -0x1.95470dd3a1b5fp-1},
    {EXPM1, 0x1.5e00000000000p+9, 0x1.d945df4f8ec8ep+1009, 0x1.183392684a46ep+954},
    {EXPM1, 0x1.62e3d70a3d70ap+9, 0x1.fe9ce5c4c52b4p+1023, 0x1.a8a120488d827p+969},
    {EXPM1, 0x1.62e42fefa39efp-1, 0x1.0000000000000p+0, -0x1.abc9e3b39803fp-55},
    {EXPM1, -0x1.62e42fefa39efp-1, -0x1.0000000000000p-1, 0x1.abc9e3b39803fp-57},
    {EXPM1, -0x1.0624dd2f1a9fcp-10, -0x1.0603521cac48cp-10, 0x1.cc0de9ed5bcbap-64},
    {EXPM1, -0x1.eb851eb851eb8p-6, -0x1.e4386ab708619p-6, -0x1.0bbda17cb0011p-60},
    {EXPM1, -0x1.09f32f3f909ffp+5, -0x1.fffffffffffdfp-1, -0x1.d173df72efc87p-57},
    {EXPM1, -0x1.d2cc39d41433fp+2, -0x1.ffa6e5c4352dcp-1, 0x1.f783f0c7c9fcdp-55},
    {EXPM1, -0x1.68df0f20a7ac8p+3, -0x1.fffe574573ac2p-1, -0x1.988e8d075a92dp-56},
    {EXPM1, -0x1.74ee7b061018bp+2, -0x1.fe7dc3cd74536p-1, -0x1.2307ce738e1a1p-57},
    {EXPM1, -0x1.5623621d8a502p+4, -0x1.fffffffb8fdb0p-1, 0x1.b4470a25a098dp-55},
    {EXPM1, -0x1.8647ab5d4eab1p+4, -0x1.ffffffffc7ef0p-1, 0x1.4ff843766477cp-58},
    {EXPM1, -0x1.97d2acf87ee42p+3, -0x1.ffff9e12f0855p-1, -0x1.754c8788cbce5p-55},
    {EXPM1, -0x1.41421e1cf53d4p+2, -0x1.fc9e099b9bf8bp-1, 0x1.dd0f5d4c7959ap-56},
    {EXPM1, -0x1.12f1d2dc9ea1ep+5, -0x1.ffffffffffff5p-1, -0x1.43daaa0649200p-55},
    {EXPM1, -0x1.30125890b4265p+5, -0x1.0000000000000p+0, 0x1.1ef3ab9ec3d55p-55},
    {EXPM1, -0x1.c745d1393c8edp-10, -0x1.c6e0ab0f3b1e4p-10, -0x1.ff95afffc936bp-64},
    {EXPM1, -0x1.0f794ac065ee8p-7, -0x1.0e5a33d4b5ab2p-7, -0x1.4391a1fd08addp-63},
    {EXPM1, -0x1.796ece3374a08p-15, -0x1.796ca1be0c48dp-15, 0x1.77826582901c1p-69},
    {EXPM1, -0x1.7c5c6928b5f17p-4, -0x1.6b3c16b8ff830p-4, -0x1.d2bba1d670fd7p-59},
    {EXPM1, -0x1.a613393255535p-2, -0x1.59e76266ed533p-2, -0x1.e694a95c6e260p-59},
    {EXPM1, -0x1.6cd8d286c8ff1p-9, -0x1.6c56f30e53807p-9, 0x1.c4a9e3b91b1e5p-63},
    {EXPM1, -0x1.3871f7d381708p-12, -0x1.38660d711b36dp-12, -0x1.489004afac229p-69},
    {EXPM1, -0x1.009cab36abb02p-16, -0x1.009c2a99fb821p-16, 0x1.3194111a5472ap-70},
    {EXPM1, -0x1.dd35e562be092p-17, -0x1.dd3506fe8a166p-17, -0x1.0475526ad44ebp-73},
    {EXPM1, -0x1.2a6e132ca82d5p-14, -0x1.2a6b5b67f9b0ep-14, 0x1.3f5d4285bc4b0p-73},
    {EXPM1, -0x1.0c13ee5024169p-16, -0x1.0c1361f376d2bp-16, -0x1.7bc09ce826b74p-70},
    {EXPM1, -0x1.67906087f8c3fp-22, -0x1.67905c95ec4b0p-22, 0x1.4bee7723670c1p-79},
    {EXPM1, 0x1.5d108dd9c035ap+9, 0x1.2393129c157e5p+1007, -0x1.ea5cd5253360dp+953},
    {EXPM1, 0x1.38678a030255ap+8, 0x1.a1210e9241348p+450, -0x1.d69e90d5f72dap+396},
    {EXPM1, 0x1.37c1b5520c8c7p+6, 0x1.5be1a002bfdd8p+112, 0x1.5792ccdba7444p+57},
    {EXPM1, 0x1.a9ea6693a8d5dp+8, 0x1.61b20a15337c6p+614, -0x1.3ca7ea3fc00fep+559},
    {EXPM1, 0x1.225939dc952bap+6, 0x1.a60003dae4292p+104, -0x1.5d7f448bcfad9p+50},
    {EXPM1, 0x1.91d97df467e60p+8, 0x1.ad76ccd82f2b5p+579, 0x1.127a3f7a08499p+525},
};

static double error_of(double value, long double high, long double low) {
    const double size = fabs((double)high);
    return (double)(fabsl(((long double)value - high) - low) / (long double)(nextafter(size, INFINITY) - size));
}

static void expect_bound(int function, double worst) {
    fprintf(stderr, "%s: %.3f ulp\n", functions[function].name, worst);
    cr_expect(worst < functions[function].bound && worst > 0.4, "%s: %g ulp", functions[function].name, worst);
}

Test(elementary, by_mpmath) {
    double worst[FUNCTIONS] = {0};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
        const int f = exact[i].function;
        const double error = error_of(functions[f].function(exact[i].a), (long double)exact[i].high, (long double)exact[i].low);
        cr_expect(error < 1.0, "%s(%a): %g ulp", functions[f].name, exact[i].a, error);
        worst[f] = fmax(worst[f], error);
    }
    for (int f = 0; f < FUNCTIONS; ++f) {
        expect_bound(f, worst[f]);
    }
}

/* Draws angles near 0, of some turns, of 2^20, and of any exponent; exponents of heat baths' decays and of growth. */
static double draw(int function, uint64_t *seed, int kind) {
    static const double size[] = {1, 8, 1048576};
    if (function == EXPM1) {
        static const double range[][2] = {{-1, 0}, {-40, 0}, {-1e-3, 1e-3}, {0, 709}};
        return random_in(seed, range[kind][0], range[kind][1]);
    }
    return kind < 3 ? random_in(seed, -size[kind], size[kind]) : ldexp(random_in(seed, 1, 2), (int)(random_bits(seed) % 1500) - 477);
}

Test(elementary, by_long_doubles) {
    uint64_t seed = test_seed();
    for (int f = 0; f < FUNCTIONS; ++f) {
        double worst = 0;
        for (int i = 0; i < 2000000; ++i) {
            const double a = draw(f, &seed, i % 4);
            worst = fmax(worst, error_of(functions[f].function(a), functions[f].exactly((long double)a), 0));
        }
        expect_bound(f, worst);
    }
}

Test(elementary, ends) {
    static const struct {
        int function;
        double a, value;
    } ends[] = {{SIN, 0, 0},
                {SIN, -0.0, -0.0},
                {COS, 0, 1},
                {COS, -0.0, 1},
                {SIN, 0x1p-1074, 0x1p-1074},
                {SIN, -DBL_MIN, -DBL_MIN},
                {SIN, INFINITY, NAN},
                {COS, -INFINITY, NAN},
                {SIN, NAN, NAN},
                {COS, NAN, NAN},
                {EXPM1, 0, 0},
                {EXPM1, -0.0, -0.0},
                {EXPM1, -0x1p-1074, -0x1p-1074},
                {EXPM1, -40, -1},
                {EXPM1, -INFINITY, -1},
                {EXPM1, INFINITY, INFINITY},
                {EXPM1, 709.79, INFINITY},
                {EXPM1, NAN, NAN}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        const double got = functions[ends[i].function].function(ends[i].a), value = ends[i].value;
        cr_expect(isnan(value) ? isnan(got) : got == value && signbit(got) == signbit(value), "%s(%g) is %g, expected %g",
                  functions[ends[i].function].name, ends[i].a, got, value);
    }
}
