/* A function of x[0] and x[1] as an acceleration along x, for tests of the vocabulary's functions. The parameter chooses the function. */
#define KDR_FIELD functions
#define KDR_FIELD_PARAMETERS "which"
#define KDR_FIELD_DIMS 2
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION
#include <kickdrift/custom_field.h>

static const v_element staircase[] = {1, 3, 2, 2.5, -1};

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr sine, cosine;
    v_sin_cos(x[0], &sine, &cosine);
    const vr value[] = {v_log(x[0]), sine,       cosine, v_atan2(x[1], x[0]), v_pow(x[0], x[1]), v_floor(x[0]), v_table(staircase, 5, x[0]),
                        v_abs(x[0]), v_exp(x[0])};
    vr chosen = value[0];
    for (int i = 1; i < (int)(sizeof value / sizeof *value); ++i) {
        chosen = v_select(v_less(v_constant(i - 0.5), v_parameter(at, 0)), value[i], chosen);
    }
    f[0] = chosen + f[0];
}
