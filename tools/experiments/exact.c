/* Exact solutions of the damped oscillator and of Kepler's problem. */
#include "exact.h"

#include <math.h>

double exact_spring(double k, double b, double m, double x0, double t, double *v) {
    const double c = b / (2 * m), w2 = k / m, d = c * c - w2;
    double even, odd;            /* x = x0 e^(-c t) (even + c odd), where odd' = even and even' = d odd */
    if (fabs(d) <= 1e-12 * w2) { /* critical damping, up to the rounding of k, b and m */
        even = 1;
        odd = t;
    } else if (d < 0) {
        even = cos(sqrt(-d) * t);
        odd = sin(sqrt(-d) * t) / sqrt(-d);
    } else { /* multiplies by e^(-c t) inside, because cosh alone may overflow */
        const double slow = exp((sqrt(d) - c) * t), fast = exp((-sqrt(d) - c) * t);
        if (v) {
            *v = -x0 * w2 * (slow - fast) / (2 * sqrt(d));
        }
        return x0 * ((slow + fast) / 2 + c * (slow - fast) / (2 * sqrt(d)));
    }
    const double decay = exp(-c * t);
    if (v) {
        *v = -x0 * decay * w2 * odd;
    }
    return x0 * decay * (even + c * odd);
}

void exact_orbit(double e, double mean, double x[3], double v[3]) {
    double anomaly = mean + e * sin(mean); /* solves Kepler's equation by Newton's method */
    for (int i = 0; i < 50; ++i) {
        const double step = (anomaly - e * sin(anomaly) - mean) / (1 - e * cos(anomaly));
        anomaly -= step;
        if (fabs(step) < 1e-17) {
            break;
        }
    }
    const double b = sqrt(1 - e * e), rate = 1 / (1 - e * cos(anomaly));
    x[0] = cos(anomaly) - e;
    x[1] = b * sin(anomaly);
    v[0] = -sin(anomaly) * rate;
    v[1] = b * cos(anomaly) * rate;
    x[2] = v[2] = 0;
}
