/* The affine part of the built-in field as a custom field, with the same operations in the same order, and so the same bits. */
#define KDR_FIELD spring_damper
#define KDR_FIELD_PARAMETERS "minus_k", "minus_b"
#define KDR_FIELD_FLAGS KDR_FIELD_VELOCITY + KDR_FIELD_JACOBIAN
#include <kickdrift/custom_field.h>

enum { MINUS_K, MINUS_B };

KDR_FIELD_ON_AXIS(at, x, v, f) { return mul_add(v_parameter(at, MINUS_B), v, mul_add(v_parameter(at, MINUS_K), x, f)); }

KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) { s[0][0] = mul_add(th, v_parameter(at, MINUS_K), s[0][0] + v_parameter(at, MINUS_B)); }
