/* Counts evaluations to check the columns evaluations, start_evaluations and force_sees.
 *
 * The linker puts __wrap_kdr_field_base in the place of kdr_field_base (CMakeLists.txt). The reference calls it once for every evaluation
 * of the acceleration of every particle. The kernels call it for every time at which a driven field is evaluated, at the start of a run,
 * and again where a chunk of steps begins; so for them the times are compared. */
#include "methods.h"

#include "force/field.h"
#include "method/method.h"

void __real_kdr_field_base(const kdr_field *field, unsigned terms, double t, double base[3]);
void __wrap_kdr_field_base(const kdr_field *field, unsigned terms, double t, double base[3]);

enum { MOST = 1 << 16 };
static double times[MOST];
static size_t calls;

void __wrap_kdr_field_base(const kdr_field *field, unsigned terms, double t, double base[3]) {
    if (calls < MOST) {
        times[calls] = t;
    }
    ++calls;
    __real_kdr_field_base(field, terms, t, base);
}

/* Driven fields: the acceleration depends on the time of every evaluation. Some are affine in x, some are not. */
typedef struct driven {
    const char *name;
    bool affine;
    kdr_force forces[2];
} driven;

static const driven *fields(void) {
    static driven list[2];
    list[0] = (driven){"a driven spring", true, {kdr_force_spring(2, 0.5, 0, 0), kdr_force_driven(1, 0.5, 0, 2, 0.25)}};
    list[1] = (driven){"a driven centre", false, {kdr_force_centre(1, 0.25, 0, 0, 0.5), kdr_force_driven(1, 0.5, 0, 2, 0.25)}};
    return list;
}

/* Returns true for the method that integrates affine and driven forces by closed forms, and evaluates only the others. */
static bool integrates_drives(const kdr_method_info *info) { return info == kdr_method_get(KDR_KINEMATIC_SUM); }

/* Returns true if an implicit method iterates: in a field that is not affine, as often as each particle needs. The column has the usual
 * number. */
static bool iterates(const kdr_method_info *info, const driven *field) { return !field->affine && kdr_family_get(info->family)->jacobian; }

/* Returns true if the method solves the field in closed form: implicit methods solve an affine field in two evaluations. */
static bool solves(const kdr_method_info *info, const driven *field) {
    return field->affine && (kdr_family_get(info->family)->jacobian || integrates_drives(info));
}

static uint64_t run_counted(int runner, const kdr_integrator_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t steps) {
    calls = 0;
    advance(runner, desc, p, clock, steps);
    return calls;
}

/* Returns the number that kdr_integrator_evaluations predicts. */
static uint64_t foretold(const kdr_integrator_desc *desc, const kdr_particles *p, const kdr_clock *clock, uint64_t steps) {
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(desc, &integrator, NULL) == KDR_OK);
    const uint64_t evaluations = kdr_integrator_evaluations(integrator, p, clock, steps);
    kdr_integrator_destroy(integrator);
    return evaluations;
}

/* Checks two runs of 7 and 5 steps. The second continues from the first if the particles carry the method's memory. */
static void expect_counts(kdr_method method, const driven *field, bool memory) {
    enum { COUNT = 3, FIRST = 7, SECOND = 5 };
    const kdr_method_info *info = kdr_method_get(method);
    const kdr_integrator_desc desc = describe_row(method, field->forces, 2, 0.5);
    kdr_particles p = make_particles(COUNT, 2, KDR_F64, false, memory);
    uint64_t seed = 1;
    fill_random(&p, &seed);
    kdr_clock clock = {0.5, 0.125, 3};
    const uint64_t expected_first = foretold(&desc, &p, &clock, FIRST), first = run_counted(BY_REFERENCE, &desc, &p, &clock, FIRST);
    const uint64_t expected_second = foretold(&desc, &p, &clock, SECOND), second = run_counted(BY_REFERENCE, &desc, &p, &clock, SECOND);
    cr_expect(iterates(info, field) || (first == expected_first && second == expected_second),
              "%s on %s: %" PRIu64 " and %" PRIu64 " evaluations foretold, %" PRIu64 " and %" PRIu64 " counted", info->name, field->name,
              expected_first, expected_second, first, second);
    const uint64_t start = (uint64_t)info->start_evaluations, step = (uint64_t)info->evaluations;
    const bool afresh = !(memory && info->memory) || !kdr_family_get(info->family)->velocities;
    if (solves(info, field)) {
        const uint64_t each = integrates_drives(info) ? 0 : 2;
        cr_expect(first == COUNT * FIRST * each && first <= COUNT * (start + FIRST * step), "%s on %s: %" PRIu64, info->name, field->name,
                  first);
    } else if (iterates(info, field)) {
        cr_expect(expected_first == COUNT * FIRST * step && first >= COUNT * FIRST * 2 && first <= COUNT * FIRST * (step + 2),
                  "%s on %s: %" PRIu64, info->name, field->name, first);
    } else {
        cr_expect(first == COUNT * (start + FIRST * step),
                  "%s on %s: %" PRIu64 " evaluations, %" PRIu64 " a step and %" PRIu64 " more in the table", info->name, field->name, first,
                  step, start);
        cr_expect(second == COUNT * ((afresh ? start : 0) + SECOND * step), "%s on %s, %s: %" PRIu64 " evaluations", info->name,
                  field->name, afresh ? "afresh" : "resumed", second);
    }
    kdr_particles_destroy(&p);
}

Test(methods_evaluations, are_what_the_table_says) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        for (int i = 0; i < 4 && !info->affine; ++i) {
            expect_counts((kdr_method)m, &fields()[i % 2], i / 2 == 1);
        }
        cr_expect((info->evaluations >= 1 || info->affine) && info->start_evaluations >= 0, "%s", info->name);
    }
}

static int compare_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Writes the times of the last run, each once and in order. */
static size_t sorted_times(double *to) {
    size_t n = 0;
    cr_assert(calls <= MOST);
    qsort(times, calls, sizeof *times, compare_times);
    for (size_t i = 0; i < calls; ++i) {
        if (i == 0 || times[i] != times[i - 1]) {
            to[n++] = times[i];
        }
    }
    return n;
}

static bool is_step(const kdr_clock *clock, uint64_t steps, double t) {
    for (uint64_t n = 0; n <= steps; ++n) {
        if (kdr_clock_time(clock, clock->step + n, 0) == t) {
            return true;
        }
    }
    return false;
}

/* The kernels evaluate a driven field at the reference's times, to the bit. They use other times only where a run or a chunk of steps
 * begins. There are more steps than one table of the field's values holds, 128 evaluations. */
Test(methods_evaluations, kernels_evaluate_when_the_reference_does) {
    enum { STEPS = 150 };
    static double seen[RUNNERS][MOST];
    for (int i = 0; i < 2 * KDR_METHOD_COUNT; ++i) {
        const kdr_method_info *info = kdr_method_get((kdr_method)(i / 2));
        const driven *field = &fields()[i % 2];
        if (info->affine || integrates_drives(info)) {
            continue; /* refuses driven fields, or evaluates none */
        }
        const kdr_integrator_desc desc = describe_row((kdr_method)(i / 2), field->forces, 2, 0.5);
        const kdr_clock start = {0.5, 0.0625, 3};
        size_t counts[RUNNERS];
        for (int runner = 0; runner < RUNNERS; ++runner) {
            kdr_particles p = make_particles(1, 3, KDR_F64, false, false);
            uint64_t seed = 1;
            fill_random(&p, &seed);
            kdr_clock clock = start;
            run_counted(runner, &desc, &p, &clock, STEPS);
            counts[runner] = sorted_times(seen[runner]);
            kdr_particles_destroy(&p);
        }
        size_t matched = 0, extra = 0;
        for (size_t k = 0; k < counts[BY_INTEGRATOR]; ++k) {
            const double t = seen[BY_INTEGRATOR][k];
            if (matched < counts[BY_REFERENCE] && seen[BY_REFERENCE][matched] == t) {
                ++matched;
            } else {
                cr_expect(is_step(&start, STEPS, t), "%s on %s: the kernels alone evaluate at %.17g", info->name, field->name, t);
                ++extra;
            }
        }
        cr_expect(matched == counts[BY_REFERENCE], "%s on %s: not at %.17g", info->name, field->name, seen[BY_REFERENCE][matched]);
        cr_expect(extra <= 2 + STEPS / (128 / (size_t)info->evaluations), "%s on %s: %zu times more", info->name, field->name, extra);
    }
}

/* Parses the words of force_sees: times as "t_n", "t_{n+1}", "t_{n+1/2}", "t_n + h", "t_n + h/2", "t_n + 2h/3", or "h times 1/5, 3/10, 1";
 * or "t_n + h times the drifts before it". */
static bool follows(const char *at, const char *text) { return strncmp(at, text, strlen(text)) == 0; }

static bool ends_here(const char *at) { return !*at || strchr(",;: )", *at); }

static bool says(const char *words, const char *text) {
    for (const char *at = words; (at = strstr(at, text)); ++at) {
        const bool whole_before = at == words || strchr(" (,", at[-1]);
        if (whole_before && ends_here(at + strlen(text)) && !(strcmp(text, "t_n") == 0 && follows(at + 3, " + "))) {
            return true;
        }
    }
    return false;
}

static bool says_fraction(const char *words, double fraction) {
    char text[32];
    for (int q = 1; q <= 1000; ++q) {
        const double p = nearbyint(fraction * q);
        if (!close_to(p / q, fraction, 1e-14)) {
            continue;
        }
        static const char *const forms[] = {"t_n + %.0fh/%d", "t_{n+%.0f/%d}", "%.0f/%d"};
        for (int i = 0; i < 3; ++i) {
            snprintf(text, sizeof text, forms[i], p, q);
            if (says(words, text)) {
                return true;
            }
        }
        snprintf(text, sizeof text, "t_n + h/%d", q);
        return p == 1 && says(words, text);
    }
    return false;
}

static bool says_time(const char *words, double fraction) {
    if (strstr(words, "t_n + h times the drifts before it")) {
        return true; /* these are compared with the row's below */
    }
    if (fraction == 0) {
        return says(words, "t_n");
    }
    if (close_to(fraction, 1, 1e-14)) {
        return says(words, "t_{n+1}") || says(words, "t_n + h") || says(words, "1");
    }
    return says_fraction(words, fraction);
}

/* Every time at which a step evaluates is in the words, except t_n at the start of a run of a method that keeps its acceleration. */
Test(methods_evaluations, words_name_the_times) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        const kdr_integrator_desc desc = describe_row((kdr_method)m, fields()[1].forces, 2, 0.5);
        if (info->affine) {
            continue;
        }
        kdr_particles p = make_particles(1, 3, KDR_F64, false, false);
        uint64_t seed = 1;
        fill_random(&p, &seed);
        kdr_clock clock = {0, 1, 0}; /* with these numbers a time is a fraction of the step */
        run_counted(BY_REFERENCE, &desc, &p, &clock, 1);
        for (size_t i = (size_t)info->start_evaluations; i < calls; ++i) {
            cr_expect(says_time(info->force_sees, times[i]), "%s: evaluates at t_n + %.17g h, and its words are '%s'", info->name, times[i],
                      info->force_sees);
        }
        kdr_particles_destroy(&p);
    }
    cr_expect(says_time("at t_n, t_n + h/2 twice, t_n + h", 0.5) && !says_time("at t_n, t_n + h/2", 1) && !says_time("t_n + h", 0));
    cr_expect(says_time("t_n + h times 1/5, 3/10, 1", 0.3) && !says_time("t_n + h times 1/5, 3/10, 1", 0.25) && !says_time("t_{n+1}", 0));
}

/* The times of a splitting method are the sums of its drifts, however they are written. */
Test(methods_evaluations, splittings_evaluate_where_they_have_drifted) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_row *row = kdr_row_get((kdr_method)m);
        if (!row->data.splitting) {
            continue;
        }
        const kdr_integrator_desc desc = describe_row((kdr_method)m, fields()[1].forces, 2, 0);
        kdr_particles p = make_particles(1, 3, KDR_F64, false, false);
        uint64_t seed = 1;
        fill_random(&p, &seed);
        kdr_clock clock = {0, 1, 0};
        run_counted(BY_REFERENCE, &desc, &p, &clock, 1);
        double drifted = 0;
        size_t n = 0;
        for (int i = 0; i < row->data.splitting->stages; ++i) {
            if (row->data.splitting->kick[i] != 0.0) {
                cr_expect(n < calls && close_to(times[n], drifted, 1e-14), "%s, kick %d: at %.17g h, drifted %.17g h", row->info.name, i,
                          times[n], drifted);
                ++n;
            }
            drifted += row->data.splitting->drift[i];
        }
        cr_expect(n == calls);
        kdr_particles_destroy(&p);
    }
}
