/* Finds which features of system runs go together by asking the library: it makes a description for each pair, which the library accepts
 * or refuses. */
#include "option_rules.h"

#include <kickdrift/kickdrift.h>

#include <stdio.h>
#include <string.h>

static kdr_status still(void *context, const kdr_particles *particles, double t, void *const a[3]) {
    (void)context, (void)particles, (void)t, (void)a;
    return KDR_OK;
}

static kdr_status stiff(void *context, const kdr_particles *particles, double t, double th, void *const g[6]) {
    (void)context, (void)particles, (void)t, (void)th, (void)g;
    return KDR_OK;
}

static const double unit[2] = {1, 1}, origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
static kdr_force fields[2];        /* a spring, a magnetic field */
static kdr_interaction between[2]; /* gravity, a spring network */
static kdr_collider ground;
static kdr_watch watches[2];                                      /* the first does not stop particles, the second does */
static const kdr_distance rod = {.a = 0, .b = 1, .length = 0.25}; /* the length is less than half the box */
static const kdr_pair_spring damper = {.a = 0, .b = 1, .k = 1, .damping = 1};

static void depend(kdr_system_desc *d) { d->velocity_dependent = true; }
static void force(kdr_system_desc *d) { d->forces = &fields[0], d->force_count = d->force_count > 0 ? 2 : 1; }
static void magnetise(kdr_system_desc *d) { d->forces = &fields[d->force_count > 0 ? 0 : 1], d->force_count = d->force_count > 0 ? 2 : 1; }
static void attract(kdr_system_desc *d) { d->interactions = &between[0], d->interaction_count = d->interaction_count > 0 ? 2 : 1; }
static void damp(kdr_system_desc *d) {
    d->interactions = &between[d->interaction_count > 0 ? 0 : 1], d->interaction_count = d->interaction_count > 0 ? 2 : 1;
}
static void hold(kdr_system_desc *d) { d->distances = &rod, d->distance_count = 1; }
static void lie_in_rows(kdr_system_desc *d) { d->rows = true; }
static void level(kdr_system_desc *d) { d->levels = true; }
static void compose(kdr_system_desc *d) { d->compose = KDR_COMPOSE_SUZUKI_4; }
static void wrap(kdr_system_desc *d) { d->boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {0, 0, 0}, {1, 1, 1}}; }
static void absorb(kdr_system_desc *d) { d->boundary = (kdr_boundary){KDR_BOUNDARY_ABSORBING, {0, 0, 0}, {1, 1, 1}}; }
static void collide(kdr_system_desc *d) { d->colliders = &ground, d->collider_count = 1; }
static void heat(kdr_system_desc *d) { d->langevin = (kdr_langevin){.friction = 1, .temperature = 1}; }
static void turn(kdr_system_desc *d) { d->magnetic = still; }
static void stiffen(kdr_system_desc *d) { d->slopes = stiff; }
static void hurry(kdr_system_desc *d) { d->speed_of_light = 1; }
static void compensate(kdr_system_desc *d) { d->compensated = true; }
static void flush_small(kdr_system_desc *d) { d->flush_small_to_zero = true; }
static void watch(kdr_system_desc *d) { d->watches = &watches[0], d->watch_count = d->watch_count > 0 ? 2 : 1; }
static void stop(kdr_system_desc *d) { d->watches = &watches[d->watch_count > 0 ? 0 : 1], d->watch_count = d->watch_count > 0 ? 2 : 1; }
static void nothing(kdr_system_desc *d) { (void)d; }

static const struct {
    const char *name, *is;
    void (*set)(kdr_system_desc *desc);
    enum { DESCRIPTION, RUN_IN_BLOCKS, ERRORS, CONTACTS } of; /* which check of the library answers */
} features[] = {
    {"velocity_dependent", "a function of v", depend, DESCRIPTION},
    {"forces", "forces on single particles, in addition to the function", force, DESCRIPTION},
    {"gravity", "`interactions`: gravity, spring networks without damping", attract, DESCRIPTION},
    {"damped", "`interactions`: damped springs", damp, DESCRIPTION},
    {"distances", "distances that are kept", hold, DESCRIPTION},
    {"rows", "accelerations as `a[n][3]`", lie_in_rows, DESCRIPTION},
    {"levels", "block time steps", level, DESCRIPTION},
    {"compose", "substeps", compose, DESCRIPTION},
    {"periodic", "`boundary`, with image counts", wrap, DESCRIPTION},
    {"absorbing", "`boundary`", absorb, DESCRIPTION},
    {"walls", "`colliders`, `constraints`", collide, DESCRIPTION},
    {"langevin", "a heat bath", heat, DESCRIPTION},
    {"magnetic", "a magnetic field by a function", turn, DESCRIPTION},
    {"electromagnetic", "`forces` with a magnetic field", magnetise, DESCRIPTION},
    {"slopes", "a stiff function's slopes", stiffen, DESCRIPTION},
    {"compensated", "rounding residuals that are carried", compensate, DESCRIPTION},
    {"flush_small_to_zero", "numbers near 0 become 0", flush_small, DESCRIPTION},
    {"errors", "`particles.error`", nothing, ERRORS},
    {"speed_of_light", "v as momentum over mass", hurry, DESCRIPTION},
    {"watches", "events", watch, DESCRIPTION},
    {"stops", "a watch that stops particles", stop, DESCRIPTION},
    {"contacts", "`particles.contacts`, with `colliders`", collide, CONTACTS},
    {"blocks", "`kdr_system_run_blocks`", nothing, RUN_IN_BLOCKS},
};
enum { FEATURES = sizeof features / sizeof *features };

/* Returns true if the library accepts the method with both features, which may be the same one. */
static bool takes(kdr_method method, int a, int b) {
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = method;
    desc.accelerations = still;
    features[a].set(&desc);
    const kdr_boundary_kind first = desc.boundary.kind;
    if (b != a) {
        features[b].set(&desc);
    }
    kdr_system *system = NULL;
    static double x[2] = {0, 1}, v[2], error[2];
    static uint8_t level[2], active[2];
    kdr_events events = {NULL, 0, 0, active};
    static kdr_contact met[1];
    kdr_contacts contacts = {.list = met, .capacity = 1};
    kdr_particles two = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}, .active = active, .active_count = 2, .level_count = 2};
    two.level = desc.levels ? level : NULL;
    two.events = desc.watch_count > 0 ? &events : NULL;
    two.error = features[a].of == ERRORS || features[b].of == ERRORS ? error : NULL;
    two.contacts = features[a].of == CONTACTS || features[b].of == CONTACTS ? &contacts : NULL;
    kdr_clock clock = {.dt = 1};
    kdr_status status = kdr_system_create(&desc, &system, NULL);
    if (status == KDR_OK && (features[a].of == RUN_IN_BLOCKS || features[b].of == RUN_IN_BLOCKS)) {
        status = kdr_system_run_blocks(system, &two, &clock, 0, NULL);
    } else if (status == KDR_OK) {
        status = kdr_system_check(system, &two, &clock, 0, NULL);
    }
    kdr_system_destroy(system);
    /* A description has only one boundary, so two different ones exclude each other. */
    return status == KDR_OK && (first == KDR_BOUNDARY_NONE || first == desc.boundary.kind);
}

/* Returns true if the method can make system runs; otherwise `error` says why not. */
static bool makes_system_runs(int method, kdr_error *error) {
    kdr_system_desc desc = kdr_system_desc_default();
    kdr_system *system = NULL;
    desc.method = (kdr_method)method;
    const bool makes = kdr_system_create(&desc, &system, error) == KDR_OK;
    kdr_system_destroy(system);
    return makes;
}

/* Prints "yes", "-", the methods that accept the feature if they are few, or all but those that refuse it. */
static void print_family(kdr_family family, int feature) {
    enum { FEW = 4 };
    const char *those[2][KDR_METHOD_COUNT];
    int count[2] = {0, 0};
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        if (kdr_method_get((kdr_method)m)->family == family && makes_system_runs(m, NULL)) {
            const bool does = takes((kdr_method)m, feature, feature);
            those[does][count[does]++] = kdr_method_get((kdr_method)m)->name;
        }
    }
    const int listed = count[true] <= FEW;
    printf(" | %s", count[false] == 0 ? "yes" : count[true] == 0 ? "-" : listed ? "" : count[false] <= FEW ? "all but " : "some");
    const bool names = count[false] > 0 && count[true] > 0 && (listed || count[false] <= FEW);
    for (int i = 0; names && i < count[listed]; ++i) {
        printf("%s%s", i > 0 ? ", " : "", those[listed][i]);
    }
}

static bool is_system(int family) { return kdr_family_get((kdr_family)family)->system_runs; }

/* Every method that makes system runs takes the feature. */
static bool all_take(int feature) {
    bool all = true;
    for (int m = 0; m < KDR_METHOD_COUNT && all; ++m) {
        all = !makes_system_runs(m, NULL) || takes((kdr_method)m, feature, feature);
    }
    return all;
}

/* Prints what all methods take as a list, and the rest as a table of families. */
static void print_families(void) {
    printf("Every method of system runs takes these:\n\n");
    for (int i = 0; i < FEATURES; ++i) {
        if (all_take(i)) {
            printf("- %s: %s\n", features[i].name, features[i].is);
        }
    }
    printf("\n| | |");
    for (int f = 0; f < KDR_FAMILY_COUNT; ++f) {
        if (is_system(f)) {
            printf(" %s |", kdr_family_get((kdr_family)f)->name);
        }
    }
    printf("\n|---|---|");
    for (int f = 0; f < KDR_FAMILY_COUNT; ++f) {
        if (is_system(f)) {
            printf("---|");
        }
    }
    for (int i = 0; i < FEATURES; ++i) {
        if (all_take(i)) {
            continue;
        }
        printf("\n| %s | %s", features[i].name, features[i].is);
        for (int f = 0; f < KDR_FAMILY_COUNT; ++f) {
            if (is_system(f)) {
                print_family((kdr_family)f, i);
            }
        }
        printf(" |");
    }
    printf("\n");
}

/* Prints the methods that make no system runs, with the reason. */
static void print_refused(void) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        kdr_error error;
        if (!makes_system_runs(m, &error)) {
            printf("- %s\n", error.message);
        }
    }
}

static bool any_takes(int a, int b) {
    bool any = false;
    for (int m = 0; m < KDR_METHOD_COUNT && !any; ++m) {
        any = takes((kdr_method)m, a, b);
    }
    return any;
}

/* Prints a line for each feature, with those above it that no method takes together with it. */
static void print_pairs(void) {
    for (int i = 1; i < FEATURES; ++i) {
        bool began = false;
        for (int j = 0; j < i; ++j) {
            if (!any_takes(i, j)) {
                printf("%s%s%s", began ? "" : "- ", began ? "" : features[i].name, began ? ", " : ": ");
                printf("%s", features[j].name);
                began = true;
            }
        }
        if (began) {
            printf("\n");
        }
    }
}

void option_rules_print(void) {
    fields[0] = kdr_force_spring(1, 0, 0, 0);
    fields[1] = kdr_force_electromagnetic(1, origin, up);
    between[0] = kdr_interaction_gravity(unit, 2, 1);
    between[1] = kdr_interaction_spring_network(&damper, 1);
    ground = kdr_collider_plane(origin, up);
    watches[0] = watches[1] = kdr_watch_apsis(origin);
    watches[1].action = KDR_ACTION_STOP_PARTICLE;
    print_families();
    printf("\nMethods that make no system runs:\n\n");
    print_refused();
    printf("\nNo method takes both:\n\n");
    print_pairs();
}
