/* User-defined methods and substeps for the cases. */
#include "user_method.h"

#include "axes.h"
#include "trial.h"

#include <string.h>

static const struct {
    const char *name;
    kdr_family family;
} own_methods[KDR_CHECK_METHODS - KDR_METHOD_COUNT] = {[KDR_CHECK_OWN_TABLEAU - KDR_METHOD_COUNT] = {"own-tableau", KDR_RUNGE_KUTTA},
                                                       [KDR_CHECK_OWN_FRACTIONS - KDR_METHOD_COUNT] = {"own-fractions", KDR_SPLITTING}};

const char *kdr_check_method_name(int method) {
    if (kdr_check_kind_get(method)) {
        return kdr_check_kind_get(method)->name;
    }
    return method < KDR_METHOD_COUNT ? kdr_method_get((kdr_method)method)->name : own_methods[method - KDR_METHOD_COUNT].name;
}

bool kdr_check_method_has_fields(int method) {
    const kdr_check_kind *const kind = kdr_check_kind_get(method);
    return !kind || kind->fields;
}

kdr_family kdr_check_method_family(int method) {
    return method < KDR_METHOD_COUNT ? kdr_method_get((kdr_method)method)->family : own_methods[method - KDR_METHOD_COUNT].family;
}

/* Draws a size; small ones are as likely as large ones. */
static int draw_size(kdr_check_random *random, int most) {
    uint32_t limit = kdr_check_random_below(random, 2) ? (uint32_t)most : 4;
    return 1 + (int)kdr_check_random_below(random, limit);
}

static double draw_or_zero(kdr_check_random *random, double low, double high) {
    bool zero = kdr_check_random_below(random, 4) == 0;
    double value = kdr_check_random_between(random, low, high);
    return zero ? 0 : value;
}

/* Makes the numbers add up to 1 by changing number `which`. */
static void complete(double *numbers, int count, int which) {
    double sum = 0;
    numbers[which] = 0;
    for (int i = 0; i < count; ++i) {
        sum += numbers[i];
    }
    numbers[which] = 1 - sum;
}

/* Draws weights. Some are zero, some are equal, and a few are 1, which the step adds without a multiplication. */
static void draw_weights(kdr_check_random *random, kdr_tableau *t) {
    double shared[2];
    for (int i = 0; i < 2; ++i) {
        shared[i] = kdr_check_random_between(random, -0.5, 1);
    }
    for (int i = 0; i < t->stages; ++i) {
        uint32_t kind = kdr_check_random_below(random, 8);
        double value = draw_or_zero(random, -0.5, 1);
        t->b[i] = kind == 0 ? 1 : kind < 4 ? shared[kind % 2] : value;
    }
    complete(t->b, t->stages, (int)kdr_check_random_below(random, (uint32_t)t->stages));
}

static void draw_tableau(kdr_check_random *random, kdr_tableau *t) {
    t->stages = draw_size(random, KDR_MAX_STAGES);
    for (int i = 1; i < t->stages; ++i) {
        for (int j = 0; j < i; ++j) {
            t->a[i][j] = draw_or_zero(random, -1.0 / i, 2.0 / i);
            t->c[i] += t->a[i][j];
        }
    }
    draw_weights(random, t);
}

static void draw_fractions(kdr_check_random *random, kdr_fractions *f) {
    f->count = draw_size(random, KDR_MAX_FRACTIONS);
    for (int i = 0; i < f->count; ++i) {
        f->kick[i] = draw_or_zero(random, -0.4, 0.6);
        f->drift[i] = draw_or_zero(random, -0.4, 0.6);
    }
    int last = f->count - 1;
    int some[2];
    for (int i = 0; i < 2; ++i) {
        some[i] = (int)kdr_check_random_below(random, (uint32_t)f->count);
    }
    bool kicks = last > 0 && kdr_check_random_below(random, 2) == 0; /* the fractions begin and end with a kick */
    if (kicks) {
        f->kick[0] = kdr_check_random_between(random, 0.1, 0.5);
        f->drift[last] = 0;
    }
    complete(f->kick, f->count, kicks ? last : some[0]);
    complete(f->drift, f->count, kicks ? 0 : some[1]);
}

/* Draws a list of substeps that is the same from both ends. Rows of methods of higher order are so long that few of their substeps fit. */
static void draw_substeps(kdr_check_random *random, int order, kdr_substeps *s) {
    s->count = draw_size(random, order == 2 ? 12 : 2);
    s->count = order == 2 || s->count < 2 ? s->count : 2;
    double left = 1;
    for (int i = 0; 2 * i < s->count - 1; ++i) {
        bool last = 2 * i == s->count - 2;
        double fraction = last ? left / 2 : kdr_check_random_between(random, 0.1, 0.7) * (kdr_check_random_below(random, 4) == 0 ? -1 : 1);
        s->fraction[i] = s->fraction[s->count - 1 - i] = fraction;
        left -= 2 * fraction;
    }
    if (s->count % 2 == 1) {
        s->fraction[s->count / 2] = left;
    }
}

bool kdr_check_user_method_composes(const kdr_check_case *test) {
    if (test->value[KDR_CHECK_COMPOSE] == KDR_COMPOSE_NONE) {
        return true;
    }
    const kdr_method_info *info = kdr_method_get((kdr_method)test->method);
    return info && info->reversible && kdr_family_get(info->family)->velocities && test->method != KDR_VELOCITY_VERLET_PC &&
           (info->order == 2 || test->value[KDR_CHECK_COMPOSE] == KDR_COMPOSITION_COUNT);
}

/* Returns what <kickdrift/method.h> defines by these words; fractions of 0 do not count. */
static bool begins_and_ends_with_a_kick(const kdr_fractions *f) {
    int first = 0, last = f->count - 1;
    while (f->kick[first] == 0 && f->drift[first] == 0) {
        ++first;
    }
    while (f->kick[last] == 0 && f->drift[last] == 0) {
        --last;
    }
    return f->kick[first] != 0 && f->drift[last] == 0;
}

void kdr_check_user_method_build(kdr_check_user_method *own, const kdr_check_case *test) {
    kdr_check_random random = kdr_check_case_stream(test, STREAM_OWN);
    memset(own, 0, sizeof *own);
    if (test->method == KDR_CHECK_OWN_TABLEAU) {
        draw_tableau(&random, &own->tableau);
    }
    if (test->method == KDR_CHECK_OWN_FRACTIONS) {
        draw_fractions(&random, &own->fractions);
        own->keeps = begins_and_ends_with_a_kick(&own->fractions);
    }
    const kdr_method_info *info = kdr_method_get((kdr_method)test->method);
    if (test->value[KDR_CHECK_COMPOSE] == KDR_COMPOSITION_COUNT) {
        draw_substeps(&random, info ? info->order : 0, &own->substeps);
    }
}

void kdr_check_user_method_describe(const kdr_check_user_method *own, const kdr_check_case *test, kdr_integrator_desc *desc) {
    if (test->method == KDR_CHECK_OWN_TABLEAU) {
        desc->tableau = &own->tableau;
    } else if (test->method == KDR_CHECK_OWN_FRACTIONS) {
        desc->fractions = &own->fractions;
    } else {
        desc->method = (kdr_method)test->method;
    }
    if (test->value[KDR_CHECK_COMPOSE] == KDR_COMPOSITION_COUNT) {
        desc->substeps = &own->substeps;
    } else {
        desc->compose = (kdr_composition)test->value[KDR_CHECK_COMPOSE];
    }
}

bool kdr_check_user_method_memory(const kdr_check_user_method *own, const kdr_check_case *test) {
    return test->method < KDR_METHOD_COUNT ? kdr_method_get((kdr_method)test->method)->memory : own->keeps;
}
