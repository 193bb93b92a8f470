/* The table of methods itself: names, families, words; and the column velocity_forces, which decides what is refused. */
#include "method/method.h"
#include "methods.h"

Test(methods_table, names) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        kdr_method found = KDR_METHOD_COUNT;
        cr_assert(info && info->name && info->name[0]);
        cr_expect(strspn(info->name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(info->name), "%s", info->name);
        cr_expect(kdr_method_from_name(info->name, &found) == KDR_OK && (int)found == m, "%s", info->name);
        for (int other = 0; other < m; ++other) {
            cr_expect(strcmp(kdr_method_get((kdr_method)other)->name, info->name) != 0, "%s twice", info->name);
        }
        cr_assert(info->force_sees && info->source, "%s", info->name);
        cr_expect(strlen(info->force_sees) >= 8 && strlen(info->source) >= 5, "%s", info->name);
        cr_expect(!strpbrk(info->force_sees, "\r\n\t") && !strpbrk(info->source, "\r\n\t"), "%s: one line each", info->name);
        cr_expect(strcmp(kdr_velocity_forces_name(info->velocity_forces), "?") != 0, "%s", info->name);
    }
    cr_expect_str_eq(kdr_velocity_forces_name((kdr_velocity_forces)-1), "?");
    cr_expect_str_eq(kdr_velocity_forces_name((kdr_velocity_forces)99), "?");
}

/* The families follow one another in the table and none is empty. Each is contiguous, except for methods that were added after the next
 * families had their enumerators: from vay on. */
Test(methods_table, families) {
    int last = -1;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const int family = (int)kdr_method_get((kdr_method)m)->family;
        cr_expect(family == last || family == last + 1 || (m >= KDR_VAY && family < last), "%s", kdr_method_get((kdr_method)m)->name);
        cr_expect(kdr_family_get((kdr_family)family)->name[0] != '\0');
        cr_expect(kdr_row_get((kdr_method)m)->family == &kdr_families[family], "%s", kdr_method_get((kdr_method)m)->name);
        last = family > last ? family : last;
    }
    cr_expect(last == KDR_FAMILY_COUNT - 1);
}

/* A row has the data of its family, and none of another. */
Test(methods_table, data_of_the_family) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_row *const row = kdr_row_get((kdr_method)m);
        const struct {
            kdr_family family;
            const void *is;
        } data[] = {{KDR_RUNGE_KUTTA, row->data.runge_kutta}, {KDR_SPLITTING, row->data.splitting}, {KDR_NYSTROM, row->data.nystrom},
                    {KDR_IMPLICIT, row->data.implicit},       {KDR_MAGNETIC, row->data.magnetic},   {KDR_KINEMATIC, row->data.kinematic}};
        for (size_t i = 0; i < sizeof data / sizeof *data; ++i) {
            cr_expect((data[i].is != NULL) == (data[i].family == row->info.family), "%s", row->info.name);
        }
    }
}

/* Lists of forces, and their velocity dependence. Only the last element of `each` is not 0, because arrays must not be looked into. */
static const double each[3] = {0, 0, 0.5};

typedef struct list {
    const char *name;
    held holds;
    kdr_force forces[2];
    size_t count;
    bool affine;
} list;

enum { LISTS = 14 };

static size_t make_lists(list lists[LISTS]) {
    const double none[3] = {0, 0, 0}, e[3] = {1, 2, 3}, b[3] = {0, 0, 3}, minus_b[3] = {0, 0, -3};
    kdr_force one_axis = kdr_force_drag(0, 0, 0, 0), array = kdr_force_drag(0, 0, 0, 0), springs = kdr_force_spring(1, 0, 0, 0);
    one_axis.as.drag.b[2] = -1e-300;
    array.as.drag.b_each = springs.as.spring.k_each = each;
    array.as.drag.count = springs.as.spring.count = 1;
    const kdr_force magnet = kdr_force_electromagnetic(1, none, b), spring = kdr_force_spring(2, 0, 0, 0);
    size_t n = 0;
    lists[n++] = (list){"nothing", HOLDS_NONE, {spring}, 0, true};
    lists[n++] = (list){"springs", HOLDS_NONE, {spring, springs}, 2, true};
    lists[n++] = (list){"a centre and a drive", HOLDS_NONE, {kdr_force_centre(1, 0, 0, 0, 1), kdr_force_driven(1, 0, 0, 1, 0)}, 2, false};
    lists[n++] = (list){"an electric field", HOLDS_NONE, {kdr_force_electromagnetic(1, e, none), spring}, 2, true};
    lists[n++] = (list){"a drag of 0", HOLDS_NONE, {kdr_force_drag(0, 1, 1, 1), spring}, 2, true};
    lists[n++] = (list){"magnets that cancel", HOLDS_NONE, {magnet, kdr_force_electromagnetic(1, e, minus_b)}, 2, true};
    lists[n++] = (list){"a magnet", HOLDS_MAGNETIC, {magnet}, 1, true};
    lists[n++] = (list){"a magnet and a spring", HOLDS_MAGNETIC, {spring, magnet}, 2, true};
    lists[n++] = (list){"drag", HOLDS_DRAG, {spring, kdr_force_drag(0.5, 0, 0, 0)}, 2, true};
    lists[n++] = (list){"drag along z", HOLDS_DRAG, {one_axis}, 1, true};
    lists[n++] = (list){"drag by an array", HOLDS_DRAG, {array}, 1, true};
    lists[n++] = (list){"quadratic drag", HOLDS_DRAG, {kdr_force_quadratic_drag(0.5, 0, 0, 0), spring}, 2, false};
    lists[n++] = (list){"quadratic drag of 0", HOLDS_DRAG, {kdr_force_quadratic_drag(0, 0, 0, 0)}, 1, false};
    lists[n++] = (list){"a magnet and drag", HOLDS_DRAG, {magnet, kdr_force_drag(0.5, 0, 0, 0)}, 2, true};
    return n;
}

/* Checks the names of methods after "take " in a message: all must accept the rest of the description. */
static void expect_good_advice(const char *message, const kdr_integrator_desc *refused) {
    const char *advice = strstr(message, "; take ");
    cr_assert(advice, "'%s' names no method to take", message);
    char names[256];
    snprintf(names, sizeof names, "%s", advice + strlen("; take "));
    int taken = 0;
    for (char *name = strtok(names, " ,"); name; name = strtok(NULL, " ,")) {
        if (strcmp(name, "or") == 0) {
            continue;
        }
        kdr_integrator_desc other = *refused;
        kdr_integrator *integrator = NULL;
        kdr_error error;
        cr_expect(kdr_method_from_name(name, &other.method) == KDR_OK, "'%s' names %s, which is no method", message, name);
        cr_expect(kdr_integrator_create(&other, &integrator, &error) == KDR_OK, "'%s', but %s: '%s'", message, name, error.message);
        kdr_integrator_destroy(integrator);
        ++taken;
    }
    cr_expect(taken > 0, "'%s'", message);
}

static void expect_accepted(const kdr_integrator_desc *desc, const char *what) {
    for (int runner = 0; runner < RUNNERS; ++runner) {
        kdr_particles p = make_particles(1, 3, desc->real, false, false);
        put_state(&p, 0, &(state){{1, 0, 0}, {0, 1, 0}});
        kdr_clock clock = {0, 0.125, 0};
        advance(runner, desc, &p, &clock, 2);
        const state s = get_state(&p, 0);
        cr_expect(clock.step == 2 && isfinite(s.x[0]) && s.x[1] > 0, "%s", what);
        kdr_particles_destroy(&p);
    }
}

Test(methods_table, forces_of_the_velocity) {
    list lists[LISTS];
    const size_t n = make_lists(lists);
    int refused = 0, accepted = 0;
    cr_assert(n == LISTS);
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        for (size_t i = 0; i < n; ++i) {
            char what[128];
            snprintf(what, sizeof what, "%s on %s", info->name, lists[i].name);
            const kdr_integrator_desc desc = describe_row((kdr_method)m, lists[i].forces, lists[i].count, 0);
            if (takes(info, lists[i].holds, lists[i].affine)) {
                expect_accepted(&desc, what);
                ++accepted;
                continue;
            }
            const kdr_error error = expect_desc_refused(&desc, KDR_ERROR_UNSUPPORTED, what);
            cr_expect(strstr(error.message, info->name), "%s: '%s'", what, error.message);
            expect_good_advice(error.message, &desc);
            ++refused;
        }
    }
    cr_expect(refused > 0 && accepted > refused);
}

/* Returns true if a run that is cut has the bits of one call. The column memory says when: without memory always; with memory if the
 * particles carry it, and in some field not without it. */
static bool same_when_cut(int runner, kdr_method method, const list *field, bool memory) {
    const kdr_integrator_desc desc = describe_row(method, field->forces, field->count, 0.5);
    kdr_particles whole = make_particles(5, 3, KDR_F64, false, memory), pieces = make_particles(5, 3, KDR_F64, false, memory);
    uint64_t seed = 11;
    fill_random(&whole, &seed);
    copy_state(&pieces, &whole);
    kdr_clock clock = {0.5, 0.125, 2}, other = clock;
    advance(runner, &desc, &whole, &clock, 12);
    for (uint64_t piece = 1; piece <= 6; piece += piece == 1 ? 4 : 1) {
        advance(runner, &desc, &pieces, &other, piece);
    }
    const bool same = same_bits(&whole, &pieces);
    cr_expect(clock.step == other.step);
    kdr_particles_destroy(&whole);
    kdr_particles_destroy(&pieces);
    return same;
}

Test(methods_table, memory) {
    const kdr_force centre = kdr_force_centre(1, 0.25, 0, 0, 0.5);
    const list lists[3] = {
        {"a centre and a drive", HOLDS_NONE, {kdr_force_driven(1, 0.5, 0, 2, 0.25), centre}, 2, false},
        {"a centre and a magnet", HOLDS_MAGNETIC, {tilted_magnet(), centre}, 2, false},
        {"a centre and quadratic drag", HOLDS_DRAG, {kdr_force_quadratic_drag(0.5, 1, 0, 0), centre}, 2, false},
    };
    for (int i = 0; i < RUNNERS * KDR_METHOD_COUNT; ++i) {
        const kdr_method method = (kdr_method)(i / RUNNERS);
        const kdr_method_info *info = kdr_method_get(method);
        int differ = 0;
        for (int f = 0; f < 3; ++f) {
            if (takes(info, lists[f].holds, false)) {
                cr_expect(same_when_cut(i % RUNNERS, method, &lists[f], true), "%s on %s", info->name, lists[f].name);
                differ += !same_when_cut(i % RUNNERS, method, &lists[f], false);
            }
        }
        cr_expect(info->memory || differ == 0, "%s has a memory that the table does not tell of", info->name);
        cr_expect(!info->memory || info->velocity_forces == KDR_VELOCITY_NONE || differ > 0, "%s has no use for its memory", info->name);
    }
}

/* The table of families is compared with the values that users are told; a test by the library's own table would pass for any table. */
Test(methods_table, families_are_what_they_were) {
    static const kdr_family_info expected[] = {
        [KDR_RUNGE_KUTTA] = {.name = "runge-kutta", .system_runs = true, .velocities = true, .runs_back = true},
        [KDR_SPLITTING] = {.name = "splitting", .system_runs = true, .velocities = true, .runs_back = true},
        [KDR_NYSTROM] = {.name = "nystrom", .system_runs = true, .velocities = true, .runs_back = true},
        [KDR_IMPLICIT] = {.name = "implicit", .system_runs = true, .velocities = true, .runs_back = true, .jacobian = true},
        [KDR_MULTISTEP] = {.name = "multistep", .runs_back = true},
        [KDR_MAGNETIC] = {.name = "magnetic", .system_runs = true, .velocities = true, .runs_back = true},
        [KDR_LANGEVIN] = {.name = "langevin", .system_runs = true, .velocities = true, .heat_bath = true},
        [KDR_KINEMATIC] = {.name = "kinematic", .system_runs = true, .velocities = true, .runs_back = true},
    };
    for (size_t f = 0; f < sizeof expected / sizeof *expected; ++f) {
        const kdr_family_info *const is = kdr_family_get((kdr_family)f), *const should = &expected[f];
        cr_expect(is && strcmp(is->name, should->name) == 0 && is->system_runs == should->system_runs &&
                      is->velocities == should->velocities && is->runs_back == should->runs_back && is->heat_bath == should->heat_bath &&
                      is->jacobian == should->jacobian,
                  "%s", should->name);
    }
    cr_expect(!kdr_family_get(KDR_FAMILY_COUNT) && !kdr_family_get((kdr_family)-1));
}

/* A method behaves as its family says: in system runs, at a bounce, and backwards. */
Test(methods_table, families_do_what_they_say) {
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    const kdr_collider floor = kdr_collider_plane((const double[3]){0, -9, 0}, (const double[3]){0, 1, 0});
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *const info = kdr_method_get((kdr_method)m);
        const kdr_family_info *const family = kdr_family_get(info->family);
        kdr_system_desc with = kdr_system_desc_default();
        with.method = (kdr_method)m;
        with.forces = &spring;
        with.force_count = 1;
        kdr_system *system = NULL;
        cr_expect(kdr_system_create(&with, &system, NULL) == (family->system_runs && !info->affine ? KDR_OK : KDR_ERROR_UNSUPPORTED), "%s",
                  info->name);
        kdr_system_destroy(system);
        kdr_integrator_desc desc = describe((kdr_method)m, KDR_F64, KDR_FUSED, &spring, 1);
        desc.collider_count = 1;
        desc.colliders = &floor;
        kdr_integrator *integrator = NULL;
        cr_expect(kdr_integrator_create(&desc, &integrator, NULL) == (family->velocities ? KDR_OK : KDR_ERROR_UNSUPPORTED), "%s",
                  info->name);
        kdr_integrator_destroy(integrator);
        desc.collider_count = 0;
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK, "%s", info->name);
        kdr_particles p = make_particles(3, 2, KDR_F64, false, false);
        kdr_clock clock = {0, -0.125, 0};
        cr_expect(kdr_integrator_run(integrator, &p, &clock, 1, NULL) == (family->runs_back ? KDR_OK : KDR_ERROR_UNSUPPORTED), "%s",
                  info->name);
        kdr_particles_destroy(&p);
        kdr_integrator_destroy(integrator);
    }
}

/* Only Langevin methods have a heat bath. */
Test(methods_table, heat_baths) {
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    for (int i = 0; i < 2 * KDR_METHOD_COUNT; ++i) {
        const kdr_method_info *info = kdr_method_get((kdr_method)(i / 2));
        kdr_integrator_desc desc = describe((kdr_method)(i / 2), KDR_F64, KDR_FUSED, &spring, 1);
        *(i % 2 ? &desc.langevin.friction : &desc.langevin.temperature) = 0.5;
        if (kdr_family_get(info->family)->heat_bath) {
            expect_accepted(&desc, info->name);
        } else {
            const kdr_error error = expect_desc_refused(&desc, KDR_ERROR_UNSUPPORTED, info->name);
            cr_expect(strstr(error.message, info->name), "'%s'", error.message);
            expect_good_advice(error.message, &desc);
        }
    }
}

/* Returns the state after four orbits about a centre, or on a spring for the method that refuses centres: both are circles. */
static state after_four_orbits(int runner, kdr_method method, kdr_real real, bool compensated) {
    const kdr_force sun = kdr_method_get(method)->affine ? kdr_force_spring(1, 0, 0, 0) : kdr_force_centre(1, 0, 0, 0, 0);
    kdr_integrator_desc desc = describe(method, real, KDR_FUSED, &sun, 1);
    desc.compensated = compensated;
    kdr_particles p = make_particles(1, 2, real, false, true);
    put_state(&p, 0, &(state){{1, 0, 0}, {0, 1, 0}});
    kdr_clock clock = {0, (double)(float)(6.283185307179586 / 4096), 0};
    advance(runner, &desc, &p, &clock, 4 * 4096);
    const state s = get_state(&p, 0);
    kdr_particles_destroy(&p);
    return s;
}

/* Returns the distance of an f32 run from the same method's f64 run after four orbits, which is the effect of rounding. */
static double off_orbit(int runner, kdr_method method, bool compensated) {
    const state s = after_four_orbits(runner, method, KDR_F32, compensated),
                precise = after_four_orbits(BY_INTEGRATOR, method, KDR_F64, false);
    return hypot(s.x[0] - precise.x[0], s.x[1] - precise.x[1]);
}

/* The column compensated: the method accepts compensation and gains by it, with the same results by the reference and the kernels; or it
 * refuses it. */
Test(methods_table, compensated) {
    int methods = 0;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.method = (kdr_method)m;
        desc.compensated = true;
        if (!info->compensated) {
            const kdr_error error = expect_desc_refused(&desc, KDR_ERROR_UNSUPPORTED, info->name);
            cr_expect(strstr(error.message, info->name), "'%s'", error.message);
            expect_good_advice(error.message, &desc);
            continue;
        }
        const double plain = off_orbit(BY_INTEGRATOR, (kdr_method)m, false), with = off_orbit(BY_INTEGRATOR, (kdr_method)m, true);
        cr_expect(off_orbit(BY_REFERENCE, (kdr_method)m, true) == with, "%s", info->name);
        /* 5e-6 is 80 units in the last place after 16,384 steps. Without compensation the error is a matter of chance, up to 3e-4. */
        cr_expect(with < 0.6 * plain || with < 5e-6, "%s: off by %g, compensated by %g", info->name, plain, with);
        cr_expect(with != plain, "%s", info->name);
        ++methods;
    }
    cr_expect(methods > KDR_METHOD_COUNT / 2);
}
