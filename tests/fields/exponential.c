/* exp(x) as an acceleration, for tests of the vocabulary's function. */
#define KDR_FIELD exponential
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION
#include <kickdrift/custom_field.h>

KDR_FIELD_IN_SPACE(at, x, v, f) {
    EACH_AXIS(i, at) { f[i] = v_exp(x[i]) + f[i]; }
}
