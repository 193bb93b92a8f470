/* Descriptions made with other headers: shorter ones of older headers are accepted; those that no `_default()` of a known header made are
 * refused by name. */
#include "support.h"

/* kdr_integrator_desc before it had `dt`, the first layout that contains its size. */
typedef struct integrator_desc_before_dt {
    size_t size;
    kdr_method method;
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_backend backend;
    kdr_executor executor;
    const kdr_force *forces;
    size_t force_count;
    const kdr_tableau *tableau;
    const kdr_fractions *fractions;
    bool compensated;
    kdr_langevin langevin;
    const kdr_collider *colliders;
    size_t collider_count;
    const kdr_constraint *constraints;
    size_t constraint_count;
    kdr_boundary boundary;
} integrator_desc_before_dt;
_Static_assert(sizeof(integrator_desc_before_dt) == offsetof(kdr_integrator_desc, dt), "what is new begins where the old ended");

/* Returns true for the sizes of older layouts, each given by the member that was added next. */
static bool is_older(const char *name, size_t size) {
    return strcmp(name, "kdr_integrator_desc") == 0
               ? size == offsetof(kdr_integrator_desc, dt) || size == offsetof(kdr_integrator_desc, compose) ||
                     size == offsetof(kdr_integrator_desc, flush_small_to_zero) || size == offsetof(kdr_integrator_desc, speed_of_light)
           : strcmp(name, "kdr_pairs_desc") == 0
               ? size == offsetof(kdr_pairs_desc, communicator)
               : strcmp(name, "kdr_system_desc") == 0 &&
                     (size == offsetof(kdr_system_desc, compose) || size == offsetof(kdr_system_desc, boundary) ||
                      size == offsetof(kdr_system_desc, speed_of_light) || size == offsetof(kdr_system_desc, communicator) ||
                      size == offsetof(kdr_system_desc, watches) || size == offsetof(kdr_system_desc, slopes) ||
                      size == offsetof(kdr_system_desc, flush_small_to_zero) || size == offsetof(kdr_system_desc, dt));
}

/* The memory of a caller that was compiled with the older header. */
typedef struct older_caller {
    integrator_desc_before_dt desc;
    double behind[8]; /* the library must neither write nor read it */
} older_caller;

static older_caller describe_before_dt(kdr_method method, const kdr_force *force) {
    older_caller caller;
    memset(&caller, 0xFF, sizeof caller); /* puts NaN where `dt` would be, which a description may not contain */
    kdr_integrator_desc_init((kdr_integrator_desc *)(void *)&caller.desc, sizeof caller.desc);
    caller.desc.method = method;
    caller.desc.forces = force;
    caller.desc.force_count = 1;
    return caller;
}

Test(descriptions, of_the_last_layout_are_taken) {
    older_caller untouched;
    memset(&untouched, 0xFF, sizeof untouched);
    const kdr_force spring = kdr_force_spring(1.5, 0, 0, 0);
    const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_RK4, KDR_EXACT_AFFINE};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        const older_caller caller = describe_before_dt(methods[m], &spring);
        cr_expect(caller.desc.size == sizeof caller.desc);
        cr_expect(caller.desc.real == KDR_F64 && !caller.desc.compensated && !caller.desc.colliders, "not the defaults");
        cr_expect(memcmp(caller.behind, untouched.behind, sizeof caller.behind) == 0, "written behind the description");
        const kdr_integrator_desc whole = describe(methods[m], KDR_F64, KDR_FUSED, &spring, 1);
        const kdr_integrator_desc *const described[] = {(const kdr_integrator_desc *)(const void *)&caller.desc, &whole};
        double x[3][2], v[3][2];
        for (int i = 0; i < 3; ++i) {
            x[i][0] = 1, x[i][1] = 2, v[i][0] = 0, v[i][1] = 0.25;
            kdr_particles p = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x[i]}, .v = {v[i]}};
            kdr_clock clock = {.t0 = 0, .dt = 0.0625};
            kdr_error error;
            if (i == 2) {
                cr_assert(kdr_reference_run(described[0], &p, &clock, 100, &error) == KDR_OK, "%s", error.message);
            } else {
                kdr_integrator *integrator = NULL;
                cr_assert(kdr_integrator_create(described[i], &integrator, &error) == KDR_OK, "%s", error.message);
                cr_assert(kdr_integrator_run(integrator, &p, &clock, 100, &error) == KDR_OK, "%s", error.message);
                kdr_integrator_destroy(integrator);
            }
            cr_expect(memcmp(x[0], x[i], sizeof x[i]) == 0 && memcmp(v[0], v[i], sizeof v[i]) == 0, "method %d: other bits",
                      (int)methods[m]);
        }
    }
}

static kdr_status create_integrator(const void *desc, kdr_error *error) {
    kdr_integrator *made = NULL;
    const kdr_status status = kdr_integrator_create(desc, &made, error);
    kdr_integrator_destroy(made);
    return status;
}

static kdr_status run_reference(const void *desc, kdr_error *error) {
    kdr_particles none = kdr_particles_default();
    kdr_clock clock = {.t0 = 0, .dt = 1};
    return kdr_reference_run(desc, &none, &clock, 1, error);
}

static kdr_status create_system(const void *desc, kdr_error *error) {
    kdr_system *made = NULL;
    const kdr_status status = kdr_system_create(desc, &made, error);
    kdr_system_destroy(made);
    return status;
}

static kdr_status run_reference_system(const void *desc, kdr_error *error) {
    kdr_particles none = kdr_particles_default();
    kdr_clock clock = {.t0 = 0, .dt = 1};
    return kdr_reference_system_run(desc, &none, &clock, 1, error);
}

static kdr_status create_pairs(const void *desc, kdr_error *error) {
    kdr_pairs *made = NULL;
    const kdr_status status = kdr_pairs_create(desc, &made, error);
    kdr_pairs_destroy(made);
    return status;
}

static kdr_status add_reference_pairs(const void *desc, kdr_error *error) {
    const kdr_particles none = kdr_particles_default();
    void *const a[3] = {0};
    return kdr_reference_pairs_add(desc, &none, a, error);
}

static kdr_status add_reference_pair_map(const void *desc, kdr_error *error) {
    const kdr_particles none = kdr_particles_default();
    void *const d[3] = {0};
    return kdr_reference_pair_map_add(desc, &none, 1, d, d, error);
}

static kdr_status create_distances(const void *desc, kdr_error *error) {
    kdr_distance_constraints *made = NULL;
    const kdr_status status = kdr_distance_constraints_create(desc, &made, error);
    kdr_distance_constraints_destroy(made);
    return status;
}

static kdr_status keep_reference_positions(const void *desc, kdr_error *error) {
    kdr_particles none = kdr_particles_default();
    const void *const start[3] = {0};
    return kdr_reference_distance_constraints_shake(desc, &none, start, 1, error);
}

static kdr_status keep_reference_velocities(const void *desc, kdr_error *error) {
    kdr_particles none = kdr_particles_default();
    return kdr_reference_distance_constraints_rattle(desc, &none, 1, error);
}

static kdr_status create_particles(const void *desc, kdr_error *error) {
    kdr_particles made = kdr_particles_default();
    const kdr_status status = kdr_particles_create(desc, &made, error);
    kdr_particles_destroy(&made);
    return status;
}

/* Every function that takes a description. */
static const struct taker {
    const char *name;
    size_t size;
    kdr_status (*take)(const void *desc, kdr_error *error);
} takers[] = {
    {"kdr_integrator_desc", sizeof(kdr_integrator_desc), create_integrator},
    {"kdr_integrator_desc", sizeof(kdr_integrator_desc), run_reference},
    {"kdr_system_desc", sizeof(kdr_system_desc), create_system},
    {"kdr_system_desc", sizeof(kdr_system_desc), run_reference_system},
    {"kdr_pairs_desc", sizeof(kdr_pairs_desc), create_pairs},
    {"kdr_pairs_desc", sizeof(kdr_pairs_desc), add_reference_pairs},
    {"kdr_pairs_desc", sizeof(kdr_pairs_desc), add_reference_pair_map},
    {"kdr_distance_constraints_desc", sizeof(kdr_distance_constraints_desc), create_distances},
    {"kdr_distance_constraints_desc", sizeof(kdr_distance_constraints_desc), keep_reference_positions},
    {"kdr_distance_constraints_desc", sizeof(kdr_distance_constraints_desc), keep_reference_velocities},
    {"kdr_particles_desc", sizeof(kdr_particles_desc), create_particles},
};

/* Makes a description of each kind in `size` bytes, as with an older or newer header, in room for more. */
static void make(const char *name, void *desc, size_t size) {
    if (strcmp(name, "kdr_integrator_desc") == 0) {
        kdr_integrator_desc_init(desc, size);
    } else if (strcmp(name, "kdr_system_desc") == 0) {
        kdr_system_desc_init(desc, size);
    } else if (strcmp(name, "kdr_pairs_desc") == 0) {
        kdr_pairs_desc_init(desc, size);
    } else if (strcmp(name, "kdr_distance_constraints_desc") == 0) {
        kdr_distance_constraints_desc_init(desc, size);
    } else {
        kdr_particles_desc_init(desc, size);
    }
}

Test(descriptions, that_no_default_made_are_refused_by_name) {
    size_t room[200]; /* aligned for any member */
    for (size_t t = 0; t < sizeof takers / sizeof *takers; ++t) {
        const struct taker *const taker = &takers[t];
        cr_assert(taker->size + 64 < sizeof room);
        kdr_error error;
        make(taker->name, room, taker->size);
        cr_expect(taker->take(room, &error) == KDR_OK, "%s: %s", taker->name, error.message);
        const size_t wrong[] = {0, 1, 8, taker->size - 8, taker->size - 1, taker->size + 1, taker->size + 8, taker->size + 64, SIZE_MAX};
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; ++w) {
            if (is_older(taker->name, wrong[w])) {
                continue;
            }
            make(taker->name, room, taker->size);
            memcpy(room, &wrong[w], sizeof wrong[w]);
            char expected[300];
            snprintf(expected, sizeof expected,
                     "description was not made by %s_default() of headers up to " KDR_VERSION_STRING ": its size is %zu, expected %zu",
                     taker->name, wrong[w], taker->size);
            cr_expect(taker->take(room, &error) == KDR_ERROR_ARGUMENT && strcmp(error.message, expected) == 0, "%s\n%s", error.message,
                      expected);
        }
        for (size_t size = 1; size < taker->size; ++size) {
            make(taker->name, room, taker->size);
            memset((char *)room + size, 0xFF, sizeof room - size); /* an enumerator that does not exist, and invalid pointers */
            memcpy(room, &size, sizeof size);
            cr_expect(!is_older(taker->name, size) || taker->take(room, &error) == KDR_OK, "%s of %zu bytes: %s", taker->name, size,
                      error.message);
        }
        memset(room, 0, sizeof room);
        cr_expect(taker->take(room, &error) == KDR_ERROR_ARGUMENT && strstr(error.message, taker->name), "zeros: %s", error.message);
        make(taker->name, room, taker->size + 64);
        cr_expect(taker->take(room, &error) == KDR_ERROR_ARGUMENT, "a newer header's was taken");
        cr_expect(taker->take(NULL, &error) == KDR_ERROR_NULL && strstr(error.message, "description"), "NULL: %s", error.message);
    }
}

/* With a newer header, the library sets what it does not know to 0, and writes no further. */
Test(descriptions, of_newer_headers_are_written_whole_and_no_further) {
    unsigned char room[1600] __attribute__((aligned(16)));
    for (size_t t = 0; t < sizeof takers / sizeof *takers; ++t) {
        const size_t known = takers[t].size, size = known + 64;
        memset(room, 0xFF, sizeof room);
        make(takers[t].name, room, size);
        for (size_t i = known; i < sizeof room; ++i) {
            cr_expect(room[i] == (i < size ? 0 : 0xFF), "%s: byte %zu", takers[t].name, i);
        }
    }
}

/* If the size does not fit, nothing is written; nor is anything written to NULL. */
Test(descriptions, of_no_size_are_left_alone) {
    for (size_t t = 0; t < sizeof takers / sizeof *takers; ++t) {
        for (size_t size = 0; size < sizeof size; ++size) {
            unsigned char room[32] __attribute__((aligned(16)));
            memset(room, 0xFF, sizeof room);
            make(takers[t].name, room, size);
            for (size_t i = 0; i < sizeof room; ++i) {
                cr_expect(room[i] == 0xFF, "%s of size %zu: byte %zu", takers[t].name, size, i);
            }
        }
        make(takers[t].name, NULL, takers[t].size);
    }
}
