/* Reads values from text: numbers, counts, names in the library's tables. */
#include "value.h"

#include <kickdrift/kickdrift.h>

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *skip_digits(const char *text, size_t *digits) {
    size_t n = strspn(text, "0123456789");
    *digits += n;
    return text + n;
}

/* Returns true if the text is a decimal number. It is checked before strtod, which also accepts hexadecimal numbers and stops at unknown
 * characters. */
static bool is_decimal(const char *text) {
    size_t digits = 0, exponent = 0;
    text += *text == '+' || *text == '-';
    text = skip_digits(text, &digits);
    if (*text == '.') {
        text = skip_digits(text + 1, &digits);
    }
    if (digits == 0) {
        return false;
    }
    if (*text == 'e' || *text == 'E') {
        text += 1 + (text[1] == '+' || text[1] == '-');
        text = skip_digits(text, &exponent);
        if (exponent == 0) {
            return false;
        }
    }
    return *text == '\0';
}

number_kind number_parse(const char *text, double *value) {
    if (is_decimal(text)) {
        *value = strtod(text, NULL);
        return isfinite(*value) ? NUMBER_FINITE : NUMBER_OVERFLOW;
    }
    const bool negative = *text == '-';
    text += negative || *text == '+';
    text += *text == '.';
    if (strcasecmp(text, "inf") == 0 || strcasecmp(text, "infinity") == 0) {
        *value = negative ? -(double)INFINITY : (double)INFINITY;
        return NUMBER_INFINITE;
    }
    if (strcasecmp(text, "nan") == 0) {
        *value = (double)NAN;
        return NUMBER_NAN;
    }
    return NUMBER_NONE;
}

static bool in_range(const value_type *type, const char *text, double *value) {
    const number_kind kind = number_parse(text, value);
    if (kind != NUMBER_FINITE && kind != NUMBER_INFINITE) {
        return false;
    }
    return *value >= type->low && *value <= type->high && !(type->nonzero && *value == 0);
}

bool value_parse_number(const value_type *type, const char *text, void *destination) {
    double value;
    if (!in_range(type, text, &value)) {
        return false;
    }
    *(double *)destination = value;
    return true;
}

bool value_parse_ratio(const value_type *type, const char *text, void *destination) {
    char above[64];
    double dividend, divisor;
    const size_t length = strcspn(text, "/");
    if (text[length] == '\0') {
        return value_parse_number(type, text, destination);
    }
    if (length >= sizeof above) {
        return false;
    }
    memcpy(above, text, length);
    above[length] = '\0';
    if (number_parse(above, &dividend) != NUMBER_FINITE || number_parse(text + length + 1, &divisor) != NUMBER_FINITE) {
        return false;
    }
    *(double *)destination = dividend / divisor;
    return isfinite(dividend / divisor);
}

bool value_parse_whole(const value_type *type, const char *text, void *destination) {
    double value;
    if (!in_range(type, text, &value) || value != floor(value)) {
        return false;
    }
    *(double *)destination = value;
    return true;
}

bool value_parse_count(const value_type *type, const char *text, void *destination) {
    double value;
    /* strtold distinguishes 2^53 + 1 from 2^53, to which a double rounds it. */
    if (!in_range(type, text, &value) || value != floor(value) || strtold(text, NULL) != (long double)value) {
        return false;
    }
    *(uint64_t *)destination = (uint64_t)value;
    return true;
}

bool value_parse_uint64(const value_type *type, const char *text, void *destination) {
    (void)type;
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0') {
        return false;
    }
    errno = 0;
    const uintmax_t value = strtoumax(text, NULL, 10);
    if (errno != 0 || value > UINT64_MAX) {
        return false;
    }
    *(uint64_t *)destination = (uint64_t)value;
    return true;
}

bool value_parse_text(const value_type *type, const char *text, void *destination) {
    (void)type;
    if (*text == '\0') {
        return false;
    }
    *(const char **)destination = text;
    return true;
}

bool value_parse_name(const value_type *type, const char *text, void *destination) {
    const char *name;
    for (int i = 0; (name = type->name(i)) != NULL; ++i) {
        if (strcmp(name, text) != 0) {
            continue;
        }
        *(int *)destination = i;
        return true;
    }
    return false;
}

bool value_parse_word(const value_type *type, const char *text, void *destination) {
    int i;
    return value_parse_name(type, text, &i) && value_parse_text(type, text, destination);
}

bool value_parse_bytes(const value_type *type, const char *text, void *destination) {
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
    char number[32];
    double found;
    (void)type;
    const size_t digits = strcspn(text, " KMGT");
    const char *const unit = text + digits + strspn(text + digits, " ");
    snprintf(number, sizeof number, "%.*s", (int)(digits < sizeof number ? digits : 0), text);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        if (strcmp(unit, units[i].name) == 0 && value_parse_number(&VALUE_POSITIVE, number, &found) && found * units[i].bytes >= 1e3 &&
            found * units[i].bytes <= 0x1p53) {
            *(uint64_t *)destination = (uint64_t)(found * units[i].bytes);
            return true;
        }
    }
    return false;
}

bool value_parse_pace(const value_type *type, const char *text, void *destination) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
    char number[32];
    pace found = {0, 0};
    const size_t digits = strcspn(text, " sminh");
    const char *const unit = text + digits + strspn(text + digits, " ");
    if (*unit == '\0') {
        const bool good = value_parse_count(type, text, &found.steps);
        *(pace *)destination = good ? found : *(pace *)destination;
        return good;
    }
    snprintf(number, sizeof number, "%.*s", (int)(digits < sizeof number ? digits : 0), text);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        if (strcmp(unit, units[i].name) == 0 && value_parse_number(&VALUE_POSITIVE, number, &found.seconds)) {
            found.seconds *= units[i].seconds;
            *(pace *)destination = found;
            return true;
        }
    }
    return false;
}

static const char *switch_name(int i) { return (const char *const[]){"true", "false", "yes", "no", "on", "off", "1", "0", NULL}[i]; }

static const char *boolean_name(int i) { return i == 0 ? "false" : i == 1 ? "true" : NULL; }

static const char *method_name(int i) { return i < KDR_METHOD_COUNT ? kdr_method_get((kdr_method)i)->name : NULL; }

static const char *composition_name(int i) { return i < KDR_COMPOSITION_COUNT ? kdr_composition_get((kdr_composition)i)->name : NULL; }

static const char *contribution_name(int i) { return i < KDR_CONTRIBUTION_COUNT ? kdr_contribution_name((kdr_contribution)i) : NULL; }

static const char *real_name(int i) { return i < KDR_REAL_COUNT ? kdr_real_name((kdr_real)i) : NULL; }

static const char *edge_name(int i) { return i < KDR_EDGE_COUNT ? kdr_edge_name((kdr_edge)i) : NULL; }

static const char *arithmetic_name(int i) { return i < KDR_ARITHMETIC_COUNT ? kdr_arithmetic_name((kdr_arithmetic)i) : NULL; }

static const char *backend_name(int i) {
    kdr_backend_info info;
    if (i == KDR_BACKEND_AUTO) {
        return "auto";
    }
    return i <= KDR_BACKEND_LAST && kdr_backend_query((kdr_backend)i, &info) == KDR_OK ? info.name : NULL;
}

#define EXACT_COUNTS 9007199254740992.0 /* 2^53: above it a double cannot represent every whole number, and kdr_clock stops */

const value_type VALUE_NUMBER = {value_parse_number, "a finite number", false, -DBL_MAX, DBL_MAX, false, NULL};
const value_type VALUE_RATIO = {value_parse_ratio, "a finite number or a ratio such as 1/6", false, -DBL_MAX, DBL_MAX, false, NULL};
const value_type VALUE_STEP = {value_parse_number, "a finite number other than 0", false, -DBL_MAX, DBL_MAX, true, NULL};
const value_type VALUE_POSITIVE = {value_parse_number, "a positive number", false, 0, DBL_MAX, true, NULL};
const value_type VALUE_NOT_NEGATIVE = {value_parse_number, "a finite number from 0", false, 0, DBL_MAX, false, NULL};
const value_type VALUE_FRACTION = {value_parse_number, "a number from 0 to 1", false, 0, 1, false, NULL};
const value_type VALUE_MASS = {value_parse_number, "a positive number, or .inf to freeze", false, 0, (double)INFINITY, true, NULL};
const value_type VALUE_IMAGE = {value_parse_whole, "a whole number from -2^31 to 2^31 - 1", false, -0x1p31, 0x1p31 - 1, false, NULL};
const value_type VALUE_COUNT = {value_parse_count, "a whole number from 0 to 2^53", false, 0, EXACT_COUNTS, false, NULL};
const value_type VALUE_EVERY = {value_parse_count, "a whole number from 1 to 2^53", false, 1, EXACT_COUNTS, false, NULL};
const value_type VALUE_PACE = {
    value_parse_pace, "a whole number of steps from 1, or a time such as 30 s, 10 min, 2 h", true, 1, EXACT_COUNTS, false, NULL};
const value_type VALUE_BYTES = {value_parse_bytes, "a number of bytes from 1 KB, such as 500 MB, 2 GB", true, 0, 0, false, NULL};
const value_type VALUE_THREADS = {value_parse_count, "a whole number from 1 to 1024", false, 1, 1024, false, NULL};
const value_type VALUE_UINT64 = {value_parse_uint64, "a whole number from 0 to 2^64 - 1", false, 0, 0, false, NULL};
const value_type VALUE_TEXT = {value_parse_text, "a name", true, 0, 0, false, NULL};
const value_type VALUE_BOOLEAN = {value_parse_name, NULL, false, 0, 0, false, boolean_name};
const value_type VALUE_SWITCH = {value_parse_word, "true or false", false, 0, 0, false, switch_name};
const value_type VALUE_METHOD = {value_parse_name, "a name that kickdrift methods lists", true, 0, 0, false, method_name};
const value_type VALUE_COMPOSITION = {value_parse_name, NULL, true, 0, 0, false, composition_name};
const value_type VALUE_CONTRIBUTION = {value_parse_name, NULL, true, 0, 0, false, contribution_name};
const value_type VALUE_REAL = {value_parse_name, NULL, true, 0, 0, false, real_name};
const value_type VALUE_ARITHMETIC = {value_parse_name, NULL, true, 0, 0, false, arithmetic_name};
const value_type VALUE_EDGE = {value_parse_name, NULL, true, 0, 0, false, edge_name};
const value_type VALUE_BACKEND = {value_parse_name, NULL, true, 0, 0, false, backend_name};

const char *value_expected(const value_type *type, char *buffer, size_t size) {
    if (type->expected) {
        snprintf(buffer, size, "%s", type->expected);
        return buffer;
    }
    size_t used = (size_t)snprintf(buffer, size, "one of");
    const char *name;
    for (int i = 0; (name = type->name(i)) != NULL && used < size; ++i) {
        used += (size_t)snprintf(buffer + used, size - used, "%s %s", i ? "," : "", name);
    }
    return buffer;
}

/* Returns the number of letters to insert, remove, replace or exchange with the next that turns one text into the other. Long texts count
 * as far from each other. */
static size_t distance(const char *a, const char *b) {
    enum { LONGEST = 40 };
    size_t rows[3][LONGEST + 1]; /* distances for the prefixes of a that end at this letter, one before and two before */
    const size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a > LONGEST || length_b > LONGEST) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i <= length_a; ++i) {
        size_t *const here = rows[i % 3], *const before = rows[(i + 2) % 3], *const earlier = rows[(i + 1) % 3];
        here[0] = i;
        for (size_t j = 1; j <= length_b; ++j) {
            if (i == 0) {
                here[j] = j;
                continue;
            }
            const size_t replace = before[j - 1] + (a[i - 1] != b[j - 1]);
            const size_t shift = (before[j] < here[j - 1] ? before[j] : here[j - 1]) + 1;
            here[j] = replace < shift ? replace : shift;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && earlier[j - 2] + 1 < here[j]) {
                here[j] = earlier[j - 2] + 1;
            }
        }
    }
    return rows[length_a % 3][length_b];
}

const char *value_nearest_name(value_name_at *name, const void *context, const char *text) {
    const char *candidate, *nearest = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; (candidate = name(context, i)) != NULL; ++i) {
        /* A text that is part of a name, such as "verlet", counts as one wrong letter. */
        const size_t d = strlen(text) >= 3 && strstr(candidate, text) ? 1 : distance(candidate, text);
        if (d >= least) {
            continue;
        }
        least = d;
        nearest = candidate;
    }
    /* A third of the letters of the name may be wrong. */
    return nearest && least <= (strlen(nearest) + 2) / 3 && least < strlen(text) ? nearest : NULL;
}

const char *value_nearest(value_name_at *name, const void *context, const char *text, char *buffer, size_t size) {
    const char *const nearest = value_nearest_name(name, context, text);
    buffer[0] = '\0';
    if (nearest) {
        snprintf(buffer, size, "; did you mean \"%s\"?", nearest);
    }
    return buffer;
}

static const char *type_name_at(const void *context, size_t i) { return ((const value_type *)context)->name((int)i); }

const char *value_suggestion(const value_type *type, const char *text, char *buffer, size_t size) {
    buffer[0] = '\0';
    return type->name ? value_nearest(type_name_at, type, text, buffer, size) : buffer;
}

const char *value_exact(char buffer[VALUE_EXACT], double value) {
    double back = 0;
    for (int digits = 15; digits <= 17 && (digits == 15 || back != value); ++digits) {
        snprintf(buffer, VALUE_EXACT, "%.*g", digits, value);
        back = strtod(buffer, NULL);
    }
    return buffer;
}
