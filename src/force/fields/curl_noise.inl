/* Noise without divergence, for smoke and turbulence: the curl of a sum of waves, a = amplitude sum of size d sin(2 pi (k . x /
 * wavelength + rate t + shift)), with d normal to k and of length 1. There are twelve waves: four of about the wavelength, four of half
 * of it with half the size, four of a quarter. `amplitude` is the root mean square. `seed` shifts the waves against each other; no whole
 * number leaves all shifts at 0. It is an acceleration without a potential. With a drag of b = m / tau, amplitude = speed / tau makes it
 * a wind. */
#define KDR_FIELD_TITLE "curl-noise"
#define KDR_FIELD_PARAMETERS "amplitude", "wavelength", "rate", "seed"
#define KDR_FIELD_REQUIRED 2
#define KDR_FIELD_POSITIVE 2U
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_TIME + KDR_FIELD_JACOBIAN

enum { CURL_AMPLITUDE, CURL_WAVELENGTH, CURL_RATE, CURL_SEED };

static const struct {
    double k[3], d[3], shift; /* the wave's shift is seed + 1/2 times this, in turns */
} curl_waves[] = {
    {{-0.4375, 0.8125, -0.375}, {-0.6180866335178987, 0.029744303826655372, 0.7855470640619685}, 0.057999},
    {{-0.625, 0.0, -0.8125}, {0.7684333482559269, 0.24516919551428829, -0.5911025755814823}, 0.826852},
    {{0.25, 0.25, -0.9375}, {-0.4745920110766542, 0.8737463605143058, 0.10644115985004039}, 0.976255},
    {{0.9375, 0.3125, -0.0625}, {0.29421025630230896, -0.7691738252409216, 0.5672847183300268}, 0.816126},
    {{0.75, 1.625, -0.875}, {-0.3692645630869811, 0.5669330148459039, 0.7363631163535521}, 0.059601},
    {{0.5, 1.75, -0.875}, {-0.8461259849439898, -0.02446039946838807, -0.5324213617619132}, 0.299767},
    {{0.5, -1.875, 0.125}, {0.5015690634786382, 0.19001785178125985, 0.8439915228043448}, 0.729445},
    {{-0.5, 1.875, 0.5}, {-0.632352918065837, 0.03770911896722882, -0.773762114192945}, 0.488963},
    {{3.75, 1.0, 0.25}, {-0.18321860289649727, 0.4714003605614262, 0.8626776012017542}, 0.695295},
    {{-2.0, -1.25, -3.25}, {0.8084147843589938, -0.5043257174275886, -0.3035145913641544}, 0.664152},
    {{2.25, 1.0, -3.0}, {0.034323711551881346, 0.9401183514426712, 0.33911556747813476}, 0.385791},
    {{-0.75, -1.25, -3.75}, {0.8792373890894507, -0.4760748789703855, -0.01715585149442832}, 0.768233},
};

enum { CURL_WAVES = sizeof curl_waves / sizeof *curl_waves, CURL_OCTAVE = 4 };

/* Returns 2 pi times the phase of a wave at x, without whole turns, and its k and d. */
static inline vr curl_angle(const kdr_at *at, int n, const vr *x, vr k[3], vr d[3]) {
    for (int i = 0; i < 3; ++i) {
        k[i] = v_constant(curl_waves[n].k[i]);
        d[i] = v_constant(curl_waves[n].d[i]);
    }
    const vr inverse = v_constant(1.0) / v_parameter(at, CURL_WAVELENGTH), moved = v_turns(at, CURL_RATE);
    const vr turns =
        mul_add(v_dot(k, x), inverse, mul_add(v_parameter(at, CURL_SEED) + v_constant(0.5), v_constant(curl_waves[n].shift), moved));
    return v_constant(6.283185307179586) * (turns - v_floor(turns));
}

/* Returns the size of the first four waves, such that the mean square of the sum is 1. */
static inline vr curl_size(const kdr_at *at) { return v_parameter(at, CURL_AMPLITUDE) * v_constant(0.6172133998483676); }

/* Returns the size of wave n + 1; `size` is that of wave n. */
static inline vr curl_next(vr size, int n) { return n % CURL_OCTAVE == CURL_OCTAVE - 1 ? v_mul(size, v_constant(0.5)) : size; }

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr size = curl_size(at);
    for (int n = 0; n < CURL_WAVES; ++n) {
        vr k[3], d[3];
        v_add_scaled(size * v_sin(curl_angle(at, n, x, k, d)), d, f);
        size = curl_next(size, n);
    }
}

KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    vr size = th * curl_size(at) * (v_constant(6.283185307179586) / v_parameter(at, CURL_WAVELENGTH));
    for (int n = 0; n < CURL_WAVES; ++n) {
        vr k[3], d[3];
        const vr slope = size * v_cos(curl_angle(at, n, x, k, d));
        for (int i = 0; i < 3; ++i) {
            v_add_scaled(slope * d[i], k, s[i]);
        }
        size = curl_next(size, n);
    }
}
