/* Writes text with the signs, zeros and ones that people expect. */
#include "writer.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kdr_write_put(kdr_writer *w, const char *format, ...) {
    const size_t at = w->length < w->size ? w->length : w->size;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(at < w->size ? w->text + at : NULL, w->size - at, format, arguments);
    va_end(arguments);
    w->length += length > 0 ? (size_t)length : 0;
}

/* Writes pending signs and zeros. */
static void settle(kdr_writer *w) {
    const char *const waits = w->plus ? " + " : w->adds ? " += " : "";
    const bool zero = w->zero;
    w->plus = w->adds = w->zero = w->one = false;
    kdr_write_put(w, "%s%s", waits, zero ? "0" : "");
}

void kdr_write_say(kdr_writer *w, const char *text) {
    if (w->one && *text == ' ') {
        ++text;
    }
    w->one = false;
    if (*text) {
        settle(w);
        kdr_write_put(w, "%s", text);
    }
}

void kdr_write_plus(kdr_writer *w) {
    w->plus = !w->zero;
    w->zero = false;
}

/* Returns whether two numbers are equal up to rounding. */
static bool is_same(double a, double b) { return fabs(a - b) <= DBL_EPSILON * fabs(b); }

/* Writes an integer; otherwise the shortest decimal that equals the number up to rounding, or a ratio if the decimal is long. */
void kdr_write_value(kdr_writer *w, double v) {
    enum { SHORT = 8, MOST = 10000 };
    const bool is_integer = fabs(v) < 1e6 && v == nearbyint(v);
    char text[40];
    for (int digits = is_integer ? 6 : 1; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (is_same(strtod(text, NULL), v)) {
            break;
        }
    }
    for (int below = 3; below <= MOST && strlen(text) > SHORT; ++below) {
        const double above = nearbyint(v * below);
        if (above != 0 && is_same(above / below, v)) {
            snprintf(text, sizeof text, "%.0f/%d", above, below);
            break;
        }
    }
    settle(w);
    kdr_write_put(w, "%s", text);
}

void kdr_write_coefficient(kdr_writer *w, double v) {
    if (v < 0 && (w->plus || w->adds)) {
        kdr_write_put(w, w->plus ? " - " : " -= ");
        w->plus = w->adds = false;
        v = -v;
    }
    settle(w);
    if (v == 1 || v == -1) {
        kdr_write_put(w, v < 0 ? "-" : "");
        w->one = true;
    } else {
        kdr_write_value(w, v);
    }
}

void kdr_write_list(kdr_writer *w, const double *v, int count) {
    settle(w);
    kdr_write_put(w, "(");
    for (int i = 0; i < count; ++i) {
        kdr_write_put(w, i > 0 ? ", " : "");
        kdr_write_value(w, v[i]);
    }
    kdr_write_put(w, ")");
}

void kdr_write_vector(kdr_writer *w, const double *v, int count) {
    if (kdr_is_zero(v, count)) {
        settle(w);
        w->zero = true;
    } else if (count == 1) {
        kdr_write_value(w, v[0]);
    } else {
        kdr_write_list(w, v, count);
    }
}

/* Writes one number if all axes have the same. */
void kdr_write_coefficients(kdr_writer *w, const double *v, int count) {
    bool same = true;
    for (int i = 1; i < count; ++i) {
        same = same && v[i] == v[0];
    }
    if (same) {
        kdr_write_coefficient(w, v[0]);
    } else {
        kdr_write_list(w, v, count);
    }
}

void kdr_write_steps(kdr_writer *w, double fraction, const char *of) {
    kdr_write_coefficient(w, fraction);
    kdr_write_say(w, " ");
    kdr_write_say(w, of);
}
