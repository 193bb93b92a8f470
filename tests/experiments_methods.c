/* E7, E8, the stability map and the long runs: measurements of every method by the program. */
#include "experiments_json.h"

#include "experiments/oracles.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the ratio of the evaluations of method `b` to those of `a` for an error of 1e-8. */
static double times(const json_t *rows, const char *a, const char *b) {
    return experiment_number(experiment_row(rows, b, NULL, 0), "cost_1e-8") /
           experiment_number(experiment_row(rows, a, NULL, 0), "cost_1e-8");
}

Test(experiments_methods, e7_work_and_precision, .timeout = 60) {
    program p = program_begin();
    json_t *report = experiment_json(&p, "e7", "--quick");
    experiment_claims(report, 3, NULL);
    const json_t *rows = experiment_rows(report, "cost");
    double ratio = times(rows, "blanes-moan-6b", "pefrl");
    cr_expect(ratio > 2.3 && ratio < 3.5, "PEFRL needs %g times the evaluations of blanes-moan-6b", ratio);
    ratio = times(rows, "pefrl", "forest-ruth");
    cr_expect(ratio > 1.2 && ratio < 1.7, "Forest-Ruth needs %g times those of PEFRL", ratio);
    ratio = times(rows, "pefrl", "rk4");
    cr_expect(ratio > 1.1 && ratio < 1.3, "RK4 needs %g times those of PEFRL", ratio);
    ratio = times(rows, "blanes-moan-11b", "rk4");
    cr_expect(ratio > 5 && ratio < 9, "RK4 needs %g times those of blanes-moan-11b", ratio);
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        const json_t *row = experiment_row(rows, info->name, NULL, 0);
        const double loose = experiment_number(row, "cost_1e-4"), tight = experiment_number(row, "cost_1e-8");
        /* With small steps, a method of order p needs 10^(4/p) times the evaluations for an error smaller by 10^-4. */
        if (!isnan(tight)) {
            cr_expect(log10(tight / loose) < 1.25 * 4 / info->order, "%s: %g, then %g evaluations", info->name, loose, tight);
        }
        if (info->order == 1) {
            cr_expect(isnan(loose), "%s: of first order, and reaches 1e-4?", info->name);
        }
    }
    json_decref(report);
    program_end(&p);
}

static void check_oracles(const json_t *rows, double steps) {
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row) {
        kdr_method method;
        kdr_composition compose = KDR_COMPOSE_NONE;
        char name[64];
        snprintf(name, sizeof name, "%s", json_text_at(row, "method"));
        char *by = strstr(name, " by ");
        if (by) {
            *by = '\0';
            cr_assert(kdr_composition_from_name(by + 4, &compose) == KDR_OK);
        }
        cr_assert(kdr_method_from_name(name, &method) == KDR_OK);
        const kdr_method_info *info = kdr_method_get(method);
        const int evaluations = info->evaluations * kdr_composition_get(compose)->count;
        /* The rounding errors of Stormer-Verlet's positions are divided by h in its velocities. */
        const double allowed = (kdr_family_get(info->family)->velocities ? 3 : 9) * sqrt(steps * fmax(evaluations, 1));
        cr_expect(experiment_number(row, "f64_fused") < allowed && experiment_number(row, "f64_unfused") < allowed &&
                      experiment_number(row, "f32_fused") < allowed && experiment_number(row, "f32_unfused") < allowed,
                  "%s: more than %g units in the last place", json_text_at(row, "method"), allowed);
    }
}

/* Takes steps of three methods in long double, on x'' = -x / |x|^3 in two dimensions and on x'' = -x in one. */
typedef struct motion {
    int dims;
    long double x[2], v[2];
} motion;

static void attract(const motion *m, const long double x[2], long double a[2]) {
    const long double r = m->dims == 1 ? 1 : hypotl(x[0], x[1]);
    for (int i = 0; i < m->dims; ++i) {
        a[i] = -x[i] / (r * r * r);
    }
}

static void move(motion *m, long double h) {
    for (int i = 0; i < m->dims; ++i) {
        m->x[i] += h * m->v[i];
    }
}

static void kick(motion *m, long double h) {
    long double a[2];
    attract(m, m->x, a);
    for (int i = 0; i < m->dims; ++i) {
        m->v[i] += h * a[i];
    }
}

static void velocity_verlet(motion *m, long double h) {
    kick(m, h / 2);
    move(m, h);
    kick(m, h / 2);
}

static void position_verlet(motion *m, long double h) {
    move(m, h / 2);
    kick(m, h);
    move(m, h / 2);
}

/* Finds the midpoint by iteration, which converges for such short steps. */
static void implicit_midpoint(motion *m, long double h) {
    long double middle[2], a[2];
    memcpy(middle, m->x, sizeof middle);
    for (int n = 0; n < 60; ++n) {
        attract(m, middle, a);
        for (int i = 0; i < m->dims; ++i) {
            middle[i] = m->x[i] + h / 2 * (m->v[i] + h / 2 * a[i]);
        }
    }
    for (int i = 0; i < m->dims; ++i) {
        m->x[i] += h * (m->v[i] + h / 2 * a[i]);
        m->v[i] += h * a[i];
    }
}

static const struct map {
    const char *method;
    void (*step)(motion *m, long double h);
} maps[] = {{"velocity-verlet", velocity_verlet}, {"position-verlet", position_verlet}, {"implicit-midpoint", implicit_midpoint}};

/* The first half of the substeps, to all digits of a long double. The one in the middle is 1 minus twice their sum. */
static const struct substeps {
    int half;
    long double w[8];
} substeps[KDR_COMPOSITION_COUNT] = {
    [KDR_COMPOSE_SUZUKI_4] = {2, {0.414490771794375737142354062860762L, 0.414490771794375737142354062860762L}},
    [KDR_COMPOSE_YOSHIDA_6] = {3,
                               {0.784513610477557263819497633866349876L, 0.235573213359358133684793182978534602L,
                                -1.17767998417887100694641568096431573L}},
    [KDR_COMPOSE_KAHAN_LI_6] = {4,
                                {0.392161444007314139279250557422671404L, 0.332599136789359438599748637500049647L,
                                 -0.706246172557639359809964819549256459L, 0.0822135962935508002314904481020563311L}},
    [KDR_COMPOSE_MCLACHLAN_6] = {4, {0.1867L, 0.55549702371247839916L, 0.12946694891347535806L, -0.84326562338773460855L}},
    [KDR_COMPOSE_SUZUKI_UMENO_8] = {7,
                                    {0.741670364350612953448227801783806316L, -0.409100825800031593997300095893563417L,
                                     0.190754710296238379953876256450371663L, -0.573862471116082266656387726635535742L,
                                     0.299064181303655923844463540688602988L, 0.334624918245298183784957979882182289L,
                                     0.315293092396766596632056663811002431L}},
    [KDR_COMPOSE_KAHAN_LI_8] = {8,
                                {0.130202483088890080878817632096700522L, 0.561162981775108384561964407700150567L,
                                 -0.389474962644847286408078598235248389L, 0.158841906555155600896210745707152481L,
                                 -0.395903894133237577336231539347938936L, 0.184539640978315707091832541533375463L,
                                 0.258374387686322047293979109994939472L, 0.295011723609310298870966240218228113L}},
};

static void composed(const struct map *map, const struct substeps *s, const oracle_problem *problem, motion *m) {
    long double middle = 1;
    for (int i = 0; i < s->half; ++i) {
        middle -= 2 * s->w[i];
    }
    for (uint64_t n = 0; n < problem->steps; ++n) {
        for (int i = -s->half; i <= s->half; ++i) {
            map->step(m, (i == 0 ? middle : s->w[s->half - abs(i)]) * problem->dt);
        }
    }
}

/* Compares the results of composed methods in 50-digit arithmetic with the compositions as the papers give them. */
Test(experiments_methods, oracles_of_composed_methods) {
    const oracle_problem *const problems[2] = {&oracle_kepler, &oracle_oscillator};
    int found = 0;
    for (int i = 0; i < 2 * 3 * KDR_COMPOSITION_COUNT; ++i) {
        const oracle_problem *const problem = problems[i % 2];
        const struct map *const map = &maps[i / 2 % 3];
        const kdr_composition c = (kdr_composition)(i / 6);
        char name[64];
        snprintf(name, sizeof name, "%s by %s", map->method, kdr_composition_get(c)->name);
        const oracle *o = problem->oracles;
        while (o->method && strcmp(o->method, name) != 0) {
            ++o;
        }
        if (c == KDR_COMPOSE_NONE || !o->method) {
            continue;
        }
        motion m = {.dims = problem->dims, .x = {problem->x[0]}, .v = {0, problem->dims == 2 ? sqrtl(3) : 0}};
        composed(map, &substeps[c], problem, &m);
        for (int axis = 0; axis < m.dims; ++axis) {
            const long double x = m.x[axis] - strtold(o->x[axis], NULL), v = m.v[axis] - strtold(o->v[axis], NULL);
            cr_expect(fabsl(x) < 5e-17L && fabsl(v) < 5e-17L, "%s, %s: off by %Lg and %Lg", name, problem->name, x, v);
        }
        ++found;
    }
    cr_expect(found == 26, "%d oracles", found);
}

Test(experiments_methods, e8_exact_arithmetic) {
    program p = program_begin();
    json_t *report = experiment_json(&p, "e8", NULL);
    experiment_claims(report, 2, NULL);
    check_oracles(experiment_rows(report, "kepler"), 64);
    check_oracles(experiment_rows(report, "oscillator"), 1024);
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        cr_expect(experiment_row(experiment_rows(report, "kepler"), info->name, NULL, 0) || info->order <= 2 || info->affine,
                  "%s has an oracle", info->name);
    }
    for (int m = 0; m < 3; ++m) {
        for (int c = KDR_COMPOSE_NONE + 1; c < KDR_COMPOSITION_COUNT; ++c) {
            char name[64];
            snprintf(name, sizeof name, "%s by %s", maps[m].method, kdr_composition_get((kdr_composition)c)->name);
            cr_expect(experiment_row(experiment_rows(report, "kepler"), name, NULL, 0) &&
                          experiment_row(experiment_rows(report, "oscillator"), name, NULL, 0),
                      "%s has oracles", name);
        }
    }
    json_decref(report);
    program_end(&p);
}

/* Checks that the comparison can fail: PEFRL with a changed 9th digit of its first coefficient differs by more than rounding explains. */
Test(experiments_methods, e8_sees_a_wrong_digit) {
    const double lambda = -0.212341831062605580407997088526264347, chi = -0.0662645826698184313411223091246316663;
    const oracle *o = oracle_kepler.oracles;
    while (strcmp(o->method, "pefrl") != 0) {
        ++o;
    }
    for (int wrong = 0; wrong < 2; ++wrong) {
        const double xi = 0.178617895844809075224587487883709027 + wrong * 1e-9;
        kdr_fractions pefrl = {.count = 5,
                               .kick = {0, (1 - 2 * lambda) / 2, lambda, lambda, (1 - 2 * lambda) / 2},
                               .drift = {xi, chi, 1 - 2 * (chi + xi), chi, xi}};
        const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.forces = &sun, desc.force_count = 1, desc.fractions = &pefrl;
        double x[2] = {oracle_kepler.x[0], oracle_kepler.x[1]}, v[2] = {oracle_kepler.v[0], oracle_kepler.v[1]}, off = 0;
        kdr_particles one = {.count = 1, .dims = 2, .real = KDR_F64, .x = {&x[0], &x[1]}, .v = {&v[0], &v[1]}};
        kdr_clock clock = {.dt = oracle_kepler.dt};
        cr_assert(kdr_reference_run(&desc, &one, &clock, oracle_kepler.steps, NULL) == KDR_OK);
        for (int axis = 0; axis < 2; ++axis) {
            off = fmax(off, fmax(fabs((double)(x[axis] - strtold(o->x[axis], NULL))), fabs((double)(v[axis] - strtold(o->v[axis], NULL)))));
        }
        const double allowed = 3 * sqrt(64 * 4) * 0x1p-52;
        cr_expect(wrong ? off > 3 * allowed : off < allowed, "off by %g, allowed %g", off, allowed);
    }
}

/* The largest stable omega h without damping: zeros of |trace| - 2, found by a scan and bisection; for Runge-Kutta, of |R(i y)| - 1. */
static const struct limit {
    const char *method;
    double z;
} limits[] = {
    {"semi-implicit-euler", 2},
    {"drift-kick-euler", 2},
    {"velocity-verlet", 2},
    {"position-verlet", 2},
    {"rk3", 1.73205080756887729},
    {"rk4", 2.82842712474619010},
    {"ruth3", 2.50748117095},
    {"mclachlan-atela-3", 4.5200895184},
    {"forest-ruth", 1.57340194743},
    {"pefrl", 2.98944954591},
    {"vefrl", 3.46963607059},
    {"mclachlan-atela-4", 3.0389488779},
    {"suzuki-4", 2.72097453856},
    {"blanes-moan-6b", 3.16346506656},
    {"blanes-moan-s6", 3.13282339839},
    {"mclachlan-atela-5", 3.06249768398},
    {"yoshida-6", 2.2690579964},
    {"kahan-li-6", 2.53262738833},
    {"blanes-moan-14a", 3.14092508261},
    {"blanes-moan-s10", 3.13424752209},
    {"suzuki-umeno-8", 3.39323426846},
    {"kahan-li-8", 3.09643868},
    {"nystrom-4", 2.58651889452},
    {"rkn-4-3", 3.76782072581},
};

static const struct damped {
    const char *method;
    double z[5]; /* for zeta = 0.01, 0.1, 0.5, 1, 2 */
} damped[] = {
    {"explicit-euler", {0.02, 0.2, 1, 2, 0.535898}},
    {"semi-implicit-euler", {1.9801, 1.80998, 1.23607, 0.828427, 0.472136}},
    {"velocity-verlet", {1.9801, 1.80998, 1.23607, 0.828427, 0.472136}}, /* with the acceleration kept */
    {"heun", {0.444003, 1.04975, 2, 2, 0.535898}},
    {"rk4", {2.84857, 2.95085, 2.62254, 2.78529, 0.746317}},
};

Test(experiments_methods, stability) {
    static const char *const keys[5] = {"zeta_0.01", "zeta_0.1", "zeta_0.5", "zeta_1", "zeta_2"};
    program p = program_begin();
    json_t *report = experiment_json(&p, "stability", "--quick");
    experiment_claims(report, 1, NULL);
    const json_t *rows = experiment_rows(report, "limits");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        const json_t *row = experiment_row(rows, limits[i].method, NULL, 0);
        if (row) {
            cr_expect(near_part(experiment_number(row, "zeta_0"), limits[i].z, 1e-6), "%s: %.9g for %.9g", limits[i].method,
                      experiment_number(row, "zeta_0"), limits[i].z);
        }
    }
    for (size_t i = 0; i < sizeof damped / sizeof *damped; ++i) {
        for (int k = 0; k < 5; ++k) {
            const double z = experiment_number(experiment_row(rows, damped[i].method, NULL, 0), keys[k]);
            cr_expect(near_part(z, damped[i].z[k], 2e-5), "%s, %s: %g for %g", damped[i].method, keys[k], z, damped[i].z[k]);
        }
    }
    json_decref(report);
    program_end(&p);
}

/* In a million steps the errors of splitting methods grow no faster than the square root of time, while RK4 loses energy all the time. */
Test(experiments_methods, energy, .timeout = 100) {
    program p = program_begin();
    json_t *report = experiment_json(&p, "energy", "--quick");
    experiment_claims(report, 1, NULL);
    const json_t *rows = experiment_rows(report, "energy");
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        const json_t *row = experiment_row(rows, info->name, NULL, 0);
        const double early = experiment_number(row, "early"), late = experiment_number(row, "late"),
                     slope = experiment_number(row, "slope");
        if (info->family == KDR_SPLITTING && info->symplectic) {
            cr_expect(slope > -0.1 && slope < 0.6 && late > 0 && late < fmax(1.2 * early, 2e-12), "%s: slope %g, from %g to %g", info->name,
                      slope, early, late);
        }
    }
    const double slope = experiment_number(experiment_row(rows, "rk4", NULL, 0), "slope");
    cr_expect(slope > 0.95 && slope < 1.05, "RK4: slope %g", slope);
    json_decref(report);
    program_end(&p);
}

Test(experiments_methods, compensation, .timeout = 60) {
    program p = program_begin();
    json_t *report = experiment_json(&p, "compensation", NULL);
    experiment_claims(report, 1, NULL);
    const json_t *rows = experiment_rows(report, "loss"), *plain = json_array_get(rows, 0), *compensated = json_array_get(rows, 1);
    const double position = experiment_number(plain, "position") / experiment_number(compensated, "position");
    const double energy = experiment_number(plain, "energy") / experiment_number(compensated, "energy");
    cr_expect(position > 10 && position < 60, "%g times less of the position", position);
    cr_expect(energy > 10 && energy < 60, "%g times less of the energy", energy);
    cr_expect(experiment_number(compensated, "position") > 1e-5 && experiment_number(plain, "position") < 0.1);
    json_decref(report);
    program_end(&p);
}

Test(experiments_methods, names_and_text) {
    program p = program_begin();
    program_run(&p, "experiment", "list", NULL);
    cr_assert(p.status == 0);
    cr_expect(strstr(p.out, "e1 ") && strstr(p.out, "energy ") && strstr(p.out, "compensation "), "%s", p.out);
    program_run(&p, "experiment", "e1", NULL);
    cr_expect(p.status == 0 && strstr(p.out, "reproduces: yes") && strstr(p.out, "499.497070"), "%s", p.out);
    program_run(&p, "experiment", "rankin", NULL);
    program_refused(&p, "an unknown name", "experiment: unknown experiment \"rankin\"", "did you mean \"ranking\"");
    program_run(&p, "experiment", NULL);
    program_refused(&p, "no name", "experiment: expected NAME", "found 0 arguments");
    program_run(&p, "experiment", "list", "--json", NULL);
    json_t *list = json_loads(p.out, 0, NULL);
    cr_assert(p.status == 0 && json_array_size(list) == 12, "%s", p.out);
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(list, 11), "name")), "compensation");
    json_decref(list);
    program_end(&p);
}

/* A shortened experiment comes to the same verdicts. */
Test(experiments_methods, quick_verdicts, .timeout = 60) {
    static const char *const names[] = {"e1", "e2", "e3", "e4", "ranking", "e6"};
    program p = program_begin();
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
        json_t *whole = experiment_json(&p, names[n], NULL), *quick = experiment_json(&p, names[n], "--quick");
        size_t i;
        const json_t *claim;
        json_array_foreach(json_object_get(whole, "claims"), i, claim) {
            const json_t *other = json_array_get(json_object_get(quick, "claims"), i);
            cr_expect(other && json_equal(json_object_get(claim, "reproduces"), json_object_get(other, "reproduces")), "%s: %s", names[n],
                      json_text_at(claim, "claim"));
        }
        json_decref(whole);
        json_decref(quick);
    }
    program_end(&p);
}

/* If more than a buffer of JSON cannot be written, one line says so. */
Test(experiments_methods, full_disk) {
    if (access("/dev/full", W_OK) != 0) {
        cr_skip_test("no /dev/full here");
    }
    char line[256] = "";
    FILE *pipe = popen(KDR_PROGRAM " experiment e1 --json 2>&1 >/dev/full", "r");
    cr_assert(pipe && fgets(line, sizeof line, pipe));
    cr_expect(strstr(line, "cannot write to standard output") && fgetc(pipe) == EOF, "%s", line);
    const int status = pclose(pipe);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 2);
}

/* Brown's contributions: checks every claim, and the orders that the two tables show. */
Test(experiments_methods, e6_contributions) {
    program p = program_begin();
    json_t *report = experiment_json(&p, "e6", NULL);
    static const char *const refuted[] = {"millions of times", "keep the energy on average", NULL};
    experiment_claims(report, 10, refuted);
    const json_t *one = json_array_get(experiment_rows(report, "one"), 1), *two = json_array_get(experiment_rows(report, "two"), 0);
    cr_expect(strcmp(json_text_at(one, "kind"), "average") == 0 && strcmp(json_text_at(two, "kind"), "exact") == 0);
    cr_expect(near_part(experiment_number(one, "slope"), 2, 0.05), "%g", experiment_number(one, "slope"));
    cr_expect(near_part(experiment_number(two, "slope"), 2, 0.05), "%g", experiment_number(two, "slope"));
    /* The error of average contributions is smaller than Euler's in 64 steps per half period: 132 times for one spring, 835 times for
     * two. */
    const char *times = json_text_at(experiment_claim(report, "millions of times"), "measured");
    cr_expect(strstr(times, "132 times") && strstr(times, "835 times") && strstr(times, "484540 and 76627 steps"), "%s", times);
    /* For v' = -2 v over a unit of time the exponential is exact; its first term gives x(1) = (1 - (1 - 2 h)^(1 / h)) (1 - h) / 2. */
    const json_t *drag = experiment_rows(report, "viscous");
    cr_expect(experiment_number(json_array_get(drag, 0), "error") < 1e-14);
    const double h = 1.0 / 64, off = fabs((1 - pow(1 - 2 * h, 64)) * (1 - h) / 2 - (1 - exp(-2)) / 2);
    cr_expect(near_part(experiment_number(json_array_get(drag, 3), "error"), off, 1e-9), "%g for %g",
              experiment_number(json_array_get(drag, 3), "error"), off);
    const json_t *collision = experiment_rows(report, "collision");
    cr_expect(near_part(experiment_number(json_array_get(collision, 0), "slope"), 1, 0.1) &&
              experiment_number(json_array_get(collision, 1), "error") < 1e-13);
    json_decref(report);
    program_end(&p);
}
