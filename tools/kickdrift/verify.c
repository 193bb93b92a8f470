/* `kickdrift verify`: compares every backend that runs here with the reference, bit for bit. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, isatty */
#include "check.h"
#include "commands.h"
#include "fault.h"
#include "host.h"
#include "options.h"
#include "plugin.h"
#include "progress.h"
#include "value.h"
#include "verify_kernel.h"

#include <jansson.h>

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1, MOST_BACKENDS = KDR_BACKEND_LAST + 1, MOST_DETAILS = KDR_CHECK_MOST_REPORTS, MOST_PARTS = 1000, MOST_OTHERS = 10 };

typedef struct request {
    int backend, method; /* NONE: all */
    uint64_t seed;
    bool full, quick, json;
    uint64_t threads; /* 0: as many as there are processors */
    const char *part; /* NULL: all */
    uint32_t first, parts;
    const char *field; /* a module of kickdrift_add_field; NULL: none */
    const kdr_custom_field *fused;
    const char *kernel; /* a shared library with kdr_check_plugin; NULL: the library's own kernels are verified */
    uint64_t number;    /* of the kernel's only case; VERIFY_ALL_CASES */
} request;

/* Returns the name of subject i: a method of the table, a user-defined method, or a kind of case that is not a field run. */
static const char *method_name(int i) { return i < KDR_CHECK_SUBJECTS ? kdr_check_method_name(i) : NULL; }

static const value_type method_type = {
    .parse = value_parse_name,
    .expected = "a name that kickdrift methods lists, own-tableau, own-fractions, or a kind of cases that verify --help lists",
    .quoted = true,
    .name = method_name};

static const option_row rows[] = {
    {"backend", "NAME", &VALUE_BACKEND, offsetof(request, backend),
     "only this backend (default: all that run here, or the one in KDR_BACKEND)"},
    {"method", "NAME", &method_type, offsetof(request, method), "only this method or kind, with all cases (default: all, see above)"},
    {"seed", "N", &VALUE_UINT64, offsetof(request, seed), "seed of the cases (default: KDR_SEED, or a constant)"},
    {"full", NULL, NULL, offsetof(request, full), "every pair of choices too, for every method: seventy times as many cases"},
    {"quick", NULL, NULL, offsetof(request, quick), "only the default's cases, one for every choice, even with --method"},
    {"part", "K/N", &VALUE_TEXT, offsetof(request, part), "check only the Kth of N parts; the cases are dealt to the parts in turn"},
    {"threads", "N", &VALUE_THREADS, offsetof(request, threads), "threads; the results do not depend on it (default: one a processor)"},
    {"field", "FILE.so", &VALUE_TEXT, offsetof(request, field),
     "with a custom field in every case whose method or kind accepts it: the module <target>_plugin of kickdrift_add_field"},
    {"kernel", "FILE.so", &VALUE_TEXT, offsetof(request, kernel),
     "instead of the library's kernels, hold yours against the reference that it names: a shared library with kdr_check_plugin (check.h)"},
    {"case", "N", &VALUE_UINT64, offsetof(request, number), "with --kernel: run only case N, as a replay line says"},
    {"json", NULL, NULL, offsetof(request, json), "print one JSON object"}};

#define KIND_NAME(enumerator, function, name, cases, quick, fields) " " name

const options_spec kdr_verify_spec = {
    "verify",
    "",
    0,
    "Runs the same particles through the scalar reference and through the kernels, and compares every bit.",
    "A case is a method, a precision, an arithmetic and a choice each of forces, count, steps, placement of the arrays, cuts of the run "
    "and "
    "more. The default has a case for every choice, and takes a minute; --full and --method have one for every pair of choices too.\n"
    "Methods own-tableau and own-fractions are coefficients drawn at random, as a caller may bring them.\n"
    "Cases that are no field runs are of these kinds:" KDR_CHECK_KINDS(
        KIND_NAME) ".\n"
                   "The fingerprint is of all results: with the same seed and options it is the same on every processor and for every "
                   "backend. That of the quick cases, which --full has too, is compared with the one that was shipped, method by method.\n"
                   "Exit status: 0 when all bits are equal, 1 when some are not, 2 when the request was wrong.\n",
    rows,
    sizeof rows / sizeof rows[0]};

/* A method whose results in the quick cases differ from those that were shipped. */
typedef struct other {
    kdr_backend backend;
    int method;
    uint64_t expected, actual;
} other;

typedef struct verification {
    request request;
    size_t runner_count;
    kdr_check_runner runners[MOST_BACKENDS];
    kdr_check_tally tallies[MOST_BACKENDS];
    size_t skipped_count;
    kdr_backend_info skipped[MOST_BACKENDS];
    size_t detail_count;
    kdr_check_mismatch details[MOST_DETAILS]; /* details of the first ones */
    bool is_comparable;                       /* the results can be compared with those that were shipped */
    size_t other_count;
    other others[MOST_OTHERS]; /* details of the first ones */
    double seconds;            /* total time, including the reference */
} verification;

static void take_mismatch(void *context, const kdr_check_mismatch *mismatch) {
    verification *v = context;
    if (v->detail_count < MOST_DETAILS) {
        v->details[v->detail_count++] = *mismatch;
    }
}

/* Chooses the backends. One that was asked for must run here. */
static bool choose_backends(verification *v, fault *why) {
    kdr_error error;
    kdr_backend_info info;
    kdr_backend chosen = KDR_BACKEND_AUTO;
    const char *environment = getenv("KDR_BACKEND");
    const bool one = v->request.backend != NONE || (environment && *environment && strcmp(environment, "auto") != 0);
    const kdr_backend wanted = v->request.backend != NONE ? (kdr_backend)v->request.backend : KDR_BACKEND_AUTO;
    if (one && kdr_backend_choose(wanted, &chosen, &error) != KDR_OK) {
        return fault_set(why, "verify: %s", error.message);
    }
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        if (kdr_backend_query((kdr_backend)b, &info) != KDR_OK || (one && b != (int)chosen)) {
            continue;
        }
        if (info.runnable && v->request.fused && !kdr_custom_field_has_backend(v->request.fused, (kdr_backend)b)) {
            info.runnable = false;
            info.reason = "the field was not compiled for it";
        }
        if (info.runnable) {
            v->runners[v->runner_count++].backend = (kdr_backend)b;
        } else {
            v->skipped[v->skipped_count++] = info;
        }
    }
    return v->runner_count > 0 || fault_set(why, "verify: --field: expected a field compiled for %s, got %s, which is not",
                                            v->skipped[0].name, kdr_custom_field_name(v->request.fused));
}

/* On a terminal, updates a line that shows the progress; prints nothing into a pipe. */
static void show_progress(uint64_t done, uint64_t all) {
    static int shown = -1;
    const int percent = all ? (int)(100 * done / all) : 100;
    if (percent == shown || !host_is_terminal(stderr)) {
        return;
    }
    shown = percent;
    if (done < all) {
        fprintf(stderr, "\rverify %3d %%", percent);
    } else {
        fputs("\r            \r", stderr);
    }
    fflush(stderr);
}

static kdr_check_part part_of(const verification *v) { return v->request.quick ? KDR_CHECK_QUICK : KDR_CHECK_WHOLE; }

static bool run_plans(verification *v) {
    kdr_check_plan plans[KDR_CHECK_SUBJECTS];
    size_t count = 0;
    for (int m = 0; m < KDR_CHECK_SUBJECTS; ++m) {
        if ((!v->request.fused || kdr_check_method_has_fields(m)) && (v->request.method == NONE || v->request.method == m)) {
            plans[count++] = (kdr_check_plan){v->request.seed, m, part_of(v), v->request.fused};
        }
    }
    const kdr_check_work work = {.plans = plans,
                                 .plan_count = count,
                                 .part = v->request.first,
                                 .parts = v->request.parts,
                                 .runners = v->runners,
                                 .runner_count = v->runner_count,
                                 .threads = v->request.threads ? (int)v->request.threads : host_processors()};
    const bool ok = kdr_check_run(&work, v->tallies, take_mismatch, v, show_progress);
    show_progress(1, 1);
    return ok;
}

static const char *backend_name(kdr_backend backend) {
    static kdr_backend_info info;
    return kdr_backend_query(backend, &info) == KDR_OK ? info.name : "?";
}

static uint64_t mismatches(const verification *v) {
    uint64_t sum = 0;
    for (size_t i = 0; i < v->runner_count; ++i) {
        sum += v->tallies[i].mismatches;
    }
    return sum;
}

static bool fingerprints_equal(const verification *v) {
    for (size_t i = 1; i < v->runner_count; ++i) {
        if (v->tallies[i].fingerprint != v->tallies[0].fingerprint) {
            return false;
        }
    }
    return v->runner_count > 0;
}

static void compare_with_shipped(verification *v) {
    v->is_comparable = !v->request.part && !v->request.fused && v->request.seed == KDR_CHECK_DEFAULT_SEED;
    for (size_t i = 0; i < v->runner_count && v->is_comparable; ++i) {
        for (int m = 0; m < KDR_CHECK_SUBJECTS; ++m) {
            const other o = {v->runners[i].backend, m, kdr_check_shipped(m), v->tallies[i].quick[m]};
            if ((v->request.method != NONE && v->request.method != m) || o.expected == o.actual) {
                continue;
            }
            if (v->other_count < MOST_OTHERS) {
                v->others[v->other_count] = o;
            }
            ++v->other_count;
        }
    }
}

static void replay(const verification *v, const kdr_check_mismatch *mismatch, char *text, size_t size) {
    snprintf(text, size, "kickdrift verify --seed %" PRIu64 " --backend %s --method %s%s%s%s", v->request.seed,
             backend_name(mismatch->backend), kdr_check_method_name(mismatch->test.method), v->request.quick ? " --quick" : "",
             v->request.field ? " --field " : "", v->request.field ? v->request.field : "");
}

static void print_table(const verification *v) {
    uint64_t no_openmp = 0, refused = 0, nonconverged = 0, values = 0;
    printf("%-10s %10s %12s %12s %10s\n", "backend", "cases", "values", "mismatches", "seconds");
    for (size_t i = 0; i < v->runner_count; ++i) {
        const kdr_check_tally *t = &v->tallies[i];
        printf("%-10s %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %10.2f\n", backend_name(v->runners[i].backend), t->cases, t->values,
               t->mismatches, t->seconds);
        values += t->values;
        no_openmp += t->no_openmp;
        refused += t->refused;
        nonconverged += t->nonconverged;
    }
    for (size_t i = 0; i < v->skipped_count; ++i) {
        printf("%-10s skipped: %s\n", v->skipped[i].name, v->skipped[i].reason);
    }
    printf("%" PRIu64 " values compared\n", values);
    if (no_openmp) {
        printf("%" PRIu64 " cases ran serially: the library was built without OpenMP\n", no_openmp);
    }
    if (refused) {
        printf("%" PRIu64 " cases skipped: the method does not allow the forces%s\n", refused,
               kdr_custom_field_axis_count(v->request.fused) ? ", or the field is for other axes" : "");
    }
    if (nonconverged) {
        printf("%" PRIu64 " cases ended early: an implicit equation was not solved, or distances not kept, by the reference neither\n",
               nonconverged);
    }
}

static void print_details(const verification *v) {
    char text[512];
    for (size_t i = 0; i < v->detail_count; ++i) {
        const kdr_check_mismatch *m = &v->details[i];
        printf("\nmismatch: backend=%s %s%s%s\n", backend_name(m->backend), kdr_check_case_describe(&m->test, text, sizeof text),
               *m->words ? " " : "", m->words);
        printf("  %s\n", kdr_check_mismatch_describe(m, text, sizeof text));
        replay(v, m, text, sizeof text);
        printf("  replay: %s\n", text);
    }
    if (mismatches(v) > v->detail_count) {
        printf("\n... and %" PRIu64 " more\n", mismatches(v) - (uint64_t)v->detail_count);
    }
}

static void print_others(const verification *v) {
    for (size_t i = 0; i < v->other_count && i < MOST_OTHERS; ++i) {
        const other *const o = &v->others[i];
        printf("\nnot shipped with %s: method %s on %s, quick cases: expected %016" PRIx64 ", got %016" PRIx64 "\n", kdr_version(),
               kdr_check_method_name(o->method), backend_name(o->backend), o->expected, o->actual);
    }
    if (v->other_count > MOST_OTHERS) {
        printf("\n... and %zu more\n", v->other_count - MOST_OTHERS);
    }
    if (v->other_count && !mismatches(v)) {
        printf("the reference has the same bits: it is this build that has others, not a backend\n");
    }
}

static void print_report(const verification *v) {
    printf("kickdrift %s verify, seed %" PRIu64 "%s%s%s%s%s%s%s\n", kdr_version(), v->request.seed,
           v->request.quick            ? ", quick"
           : v->request.method == NONE ? ", full"
                                       : "",
           v->request.part ? ", part " : "", v->request.part ? v->request.part : "", v->request.method == NONE ? "" : ", method ",
           v->request.method == NONE ? "" : kdr_check_method_name(v->request.method), v->request.fused ? ", field " : "",
           v->request.fused ? kdr_custom_field_name(v->request.fused) : "");
    print_table(v);
    print_details(v);
    const char *const said = v->request.part     ? "; of a part there is none shipped with "
                             : v->request.fused  ? "; with a field there is none shipped with "
                             : !v->is_comparable ? "; of this seed there is none shipped with "
                             : v->other_count    ? "; not that of "
                             : v->request.quick  ? ", that of "
                                                 : "; of the quick cases, that of ";
    if (fingerprints_equal(v)) {
        printf("fingerprint %016" PRIx64 "%s%s\n", v->tallies[0].fingerprint, said, kdr_version());
    } else {
        for (size_t i = 0; i < v->runner_count; ++i) {
            printf("fingerprint of %s: %016" PRIx64 "\n", backend_name(v->runners[i].backend), v->tallies[i].fingerprint);
        }
    }
    print_others(v);
    printf("%s, %.2f s\n",
           mismatches(v)    ? "NOT EQUAL"
           : v->other_count ? "all bits equal, and NOT THOSE SHIPPED"
                            : "all bits equal",
           v->seconds);
}

static json_t *hexadecimal(uint64_t bits) { return json_sprintf("%016" PRIx64, bits); }

static json_t *integer(uint64_t number) { return json_integer((json_int_t)number); }

static json_t *backends_json(const verification *v) {
    json_t *list = json_array();
    for (size_t i = 0; i < v->runner_count; ++i) {
        const kdr_check_tally *t = &v->tallies[i];
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o}", "backend",
                                              backend_name(v->runners[i].backend), "cases", integer(t->cases), "values", integer(t->values),
                                              "mismatches", integer(t->mismatches), "refused", integer(t->refused), "nonconverged",
                                              integer(t->nonconverged), "serial_for_want_of_openmp", integer(t->no_openmp), "seconds",
                                              t->seconds, "fingerprint", hexadecimal(t->fingerprint)));
    }
    return list;
}

static json_t *skipped_json(const verification *v) {
    json_t *list = json_array();
    for (size_t i = 0; i < v->skipped_count; ++i) {
        json_array_append_new(list, json_pack("{s:s, s:s}", "backend", v->skipped[i].name, "reason", v->skipped[i].reason));
    }
    return list;
}

static json_t *details_json(const verification *v) {
    char test[512], text[512], command[256];
    json_t *list = json_array();
    for (size_t i = 0; i < v->detail_count; ++i) {
        const kdr_check_mismatch *m = &v->details[i];
        kdr_check_case_describe(&m->test, test, sizeof test);
        kdr_check_mismatch_describe(m, text, sizeof text);
        replay(v, m, command, sizeof command);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:o, s:o, s:s}", "backend",
                                              backend_name(m->backend), "method", kdr_check_method_name(m->test.method), "case", test,
                                              "what", text, "real", kdr_real_name(m->test.real), "array", m->array, "count",
                                              (json_int_t)m->test.count, "index", (json_int_t)m->index, "lane", m->lane, "expected",
                                              hexadecimal(m->expected), "actual", hexadecimal(m->actual), "replay", command));
    }
    return list;
}

/* Returns the results of each method as the first backend has them. Every backend has its results compared with the shipped ones. */
static json_t *methods_json(const verification *v) {
    json_t *object = json_object();
    for (int m = 0; m < KDR_CHECK_SUBJECTS; ++m) {
        if (v->tallies[0].quick[m]) {
            json_object_set_new(object, kdr_check_method_name(m), hexadecimal(v->tallies[0].quick[m]));
        }
    }
    return object;
}

static json_t *others_json(const verification *v) {
    json_t *list = json_array();
    for (size_t i = 0; i < v->other_count && i < MOST_OTHERS; ++i) {
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "backend", backend_name(v->others[i].backend), "method",
                                              kdr_check_method_name(v->others[i].method), "expected", hexadecimal(v->others[i].expected),
                                              "actual", hexadecimal(v->others[i].actual)));
    }
    return list;
}

static void print_json(const verification *v) {
    json_t *fingerprint = fingerprints_equal(v) ? hexadecimal(v->tallies[0].fingerprint) : json_null();
    /* The seed is printed as a text, because JSON integers are signed here. */
    json_t *object = json_pack(
        "{s:s, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "version", kdr_version(), "seed",
        json_sprintf("%" PRIu64, v->request.seed), "quick", v->request.quick, "equal", mismatches(v) == 0, "fingerprint", fingerprint,
        "backends", backends_json(v), "skipped", skipped_json(v), "mismatches", details_json(v), "methods", methods_json(v), "shipped",
        v->is_comparable ? json_boolean(v->other_count == 0) : json_null(), "not_shipped", others_json(v), "seconds", v->seconds);
    json_dumpf(object, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(object);
}

static bool open_field(request *r, fault *why) {
    char text[300];
    if (r->field && r->method != NONE && !kdr_check_method_has_fields(r->method)) {
        return fault_set(why, "verify: --field: no field acts in cases of %s; take a method, or system, levels, blocks or observables",
                         kdr_check_method_name(r->method));
    }
    r->fused = r->field ? plugin_open(r->field, text, sizeof text) : NULL;
    return !r->field || r->fused || fault_set(why, "verify: --field: %s", text);
}

static bool choose_part(request *r, fault *why) {
    char text[64], rest;
    unsigned part, parts;
    if (!r->part) {
        return true;
    }
    if (sscanf(r->part, "%3u/%4u%c", &part, &parts, &rest) != 2 || part < 1 || part > parts || parts > MOST_PARTS) {
        return fault_set(why, "verify: --part: expected K/N, K from 1 to N and N at most %d, found %s", MOST_PARTS,
                         fault_quote(r->part, text, sizeof text));
    }
    r->first = part - 1;
    r->parts = parts;
    return true;
}

static bool seed_of_environment(uint64_t *seed, fault *why) {
    char text[64], expected[128];
    const char *environment = getenv("KDR_SEED");
    if (!environment || !*environment || VALUE_UINT64.parse(&VALUE_UINT64, environment, seed)) {
        return true;
    }
    return fault_set(why, "verify: KDR_SEED: expected %s, found %s", value_expected(&VALUE_UINT64, expected, sizeof expected),
                     fault_quote(environment, text, sizeof text));
}

/* Refuses the options that say which of the library's kernels to verify. */
static bool check_kernel_options(const request *r, fault *why) {
    const char *const found = r->backend != NONE  ? "--backend"
                              : r->method != NONE ? "--method"
                              : r->full           ? "--full"
                              : r->quick          ? "--quick"
                              : r->part           ? "--part"
                              : r->field          ? "--field"
                              : r->json           ? "--json"
                                                  : NULL;
    if (r->kernel && found) {
        return fault_set(why, "verify: --kernel goes with --seed, --case and --threads, found %s", found);
    }
    return r->kernel || r->number == VERIFY_ALL_CASES || fault_set(why, "verify: --case: expected --kernel too");
}

int kdr_verify_main(int argc, char **argv) {
    static verification v; /* static, because it is too large for some stacks */
    fault why;
    v = (verification){
        .request = {.backend = NONE, .method = NONE, .seed = KDR_CHECK_DEFAULT_SEED, .parts = 1, .number = VERIFY_ALL_CASES}};
    if (!seed_of_environment(&v.request.seed, &why)) {
        return fault_report(&why);
    }
    const int ended = options_begin(&kdr_verify_spec, argc, argv, &v.request, NULL, &why);
    if (ended >= 0) {
        return ended;
    }
    if (!check_kernel_options(&v.request, &why)) {
        return fault_report(&why);
    }
    if (v.request.kernel) {
        return verify_kernel(v.request.kernel, v.request.seed, v.request.number, v.request.threads, &why);
    }
    if (v.request.full && v.request.quick) {
        fault_set(&why, "verify: --full and --quick exclude each other, expected one of them");
        return fault_report(&why);
    }
    v.request.quick |= !v.request.full && v.request.method == NONE;
    if (!choose_part(&v.request, &why) || !open_field(&v.request, &why) || !choose_backends(&v, &why)) {
        return fault_report(&why);
    }
    const double begin = progress_now();
    if (!run_plans(&v)) {
        fault_set(&why, "verify: out of memory, expected room for a few megabytes and a thread each");
        return fault_report(&why);
    }
    v.seconds = progress_now() - begin;
    compare_with_shipped(&v);
    (v.request.json ? print_json : print_report)(&v);
    return mismatches(&v) || v.other_count ? KDR_EXIT_FAILED : KDR_EXIT_OK;
}
