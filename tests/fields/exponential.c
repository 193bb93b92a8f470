/* exp(x) as an acceleration, for tests of the vocabulary's function. */
#define KDR_FIELD exponential
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION
#include <kickdrift/custom_field.h>

KDR_FIELD_ON_AXIS(at, x, v, f) { return v_exp(x) + f; }
