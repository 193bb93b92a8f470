/* Forces between particles and distances: mistakes are refused in one line, and nothing is changed. */
#include "pairs_support.h"

static void refuse_pairs(const kdr_pairs_desc *desc, kdr_status status, const char *what) {
    kdr_error error = {KDR_OK, ""};
    kdr_pairs *const before = (kdr_pairs *)&error, *pairs = before;
    cr_expect(kdr_pairs_create(desc, &pairs, &error) == status && pairs == before && one_line(&error, status), "%s: %d %s", what,
              (int)error.status, error.message);
    cr_expect(kdr_pairs_create(desc, &pairs, NULL) == status && pairs == before, "%s", what);
}

static kdr_status broadcast_nothing(void *context, int from, void *data, size_t size) {
    (void)context, (void)from, (void)data, (void)size;
    return KDR_OK;
}

Test(pairs_wrong, lists_of_forces) {
    const double mu[3] = {1, 2, 3};
    kdr_pair_spring springs[2] = {{.a = 0, .b = 1, .k = 1}, {.a = 1, .b = 2, .k = 1}};
    kdr_interaction force = kdr_interaction_spring_network(springs, 2);
    kdr_pairs_desc desc = kdr_pairs_desc_default();
    desc.force_count = 1;
    refuse_pairs(NULL, KDR_ERROR_NULL, "no description");
    refuse_pairs(&desc, KDR_ERROR_NULL, "no list");
    desc.forces = &force;
    cr_expect(kdr_pairs_create(&desc, NULL, NULL) == KDR_ERROR_NULL);

    static const struct {
        kdr_pair_spring spring;
        kdr_status status;
    } wrong[] = {{{.a = 7, .b = 7}, KDR_ERROR_ARGUMENT},
                 {{.a = 0x7fffffff, .b = 7}, KDR_ERROR_OVERFLOW},
                 {{.b = 7, .k = NAN}, KDR_ERROR_NOT_FINITE},
                 {{.b = 7, .length = INFINITY}, KDR_ERROR_NOT_FINITE},
                 {{.b = 7, .damping = -INFINITY}, KDR_ERROR_NOT_FINITE},
                 {{.b = 7, .length = -1}, KDR_ERROR_ARGUMENT},
                 {{.b = 7, .contribution = (kdr_contribution)99}, KDR_ERROR_ARGUMENT},
                 {{.b = 7, .contribution = KDR_CONTRIBUTION_FIRST_ORDER}, KDR_ERROR_UNSUPPORTED},
                 {{.b = 7, .damping = 1, .contribution = KDR_CONTRIBUTION_PULSE_SYMPLECTIC}, KDR_ERROR_UNSUPPORTED}};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        char what[32];
        snprintf(what, sizeof what, "spring %zu", n);
        springs[1] = wrong[n].spring;
        refuse_pairs(&desc, wrong[n].status, what);
    }
    springs[1] = (kdr_pair_spring){.b = 7, .k = 1e300};
    desc.real = KDR_F32;
    refuse_pairs(&desc, KDR_ERROR_NOT_FINITE, "k in f32");
    springs[1].k = 1;
    desc.real = (kdr_real)5;
    refuse_pairs(&desc, KDR_ERROR_ARGUMENT, "real");
    desc.real = KDR_F64;
    desc.arithmetic = (kdr_arithmetic)9;
    refuse_pairs(&desc, KDR_ERROR_ARGUMENT, "arithmetic");
    desc.arithmetic = KDR_FUSED;
    desc.backend = (kdr_backend)77;
    refuse_pairs(&desc, KDR_ERROR_ARGUMENT, "backend");
    desc.backend = KDR_BACKEND_AUTO;
    force.kind = (kdr_interaction_kind)3;
    refuse_pairs(&desc, KDR_ERROR_ARGUMENT, "kind");
    force = kdr_interaction_spring_network(NULL, 1);
    refuse_pairs(&desc, KDR_ERROR_NULL, "no springs");
    force = kdr_interaction_gravity(NULL, 1, 0);
    refuse_pairs(&desc, KDR_ERROR_NULL, "no mu");
    force = kdr_interaction_gravity(mu, 3, -1);
    refuse_pairs(&desc, KDR_ERROR_ARGUMENT, "softening");
    force = kdr_interaction_gravity(mu, 3, NAN);
    refuse_pairs(&desc, KDR_ERROR_NOT_FINITE, "softening");
    force = kdr_interaction_gravity(mu, 3, 1e-305);
    refuse_pairs(&desc, KDR_ERROR_ARGUMENT, "a softening that is lost");
    force = kdr_interaction_gravity(mu, 3, 0);
    desc.communicator = (kdr_communicator){.index = 1, .count = 2};
    refuse_pairs(&desc, KDR_ERROR_NULL, "a communicator that brings nothing");
    desc.communicator.broadcast = broadcast_nothing;
    desc.communicator.index = 2;
    refuse_pairs(&desc, KDR_ERROR_ARGUMENT, "a process that the communicator does not have");
    desc.communicator.index = -1;
    refuse_pairs(&desc, KDR_ERROR_ARGUMENT, "a process before the first");
    desc.communicator.count = 1;
    refuse_pairs(&desc, KDR_ERROR_ARGUMENT, "another process than the one that there is");
    desc.communicator.index = 0, desc.communicator.count = -3;
    refuse_pairs(&desc, KDR_ERROR_ARGUMENT, "fewer processes than none");
    kdr_system_desc system = kdr_system_desc_default();
    kdr_system *none = NULL;
    system.communicator = desc.communicator;
    cr_expect(kdr_system_create(&system, &none, NULL) == KDR_ERROR_ARGUMENT && !none);
}

Test(pairs_wrong, boxes) {
    double mu[2] = {1, 1};
    const kdr_pair_spring spring = {.a = 0, .b = 1, .k = 1};
    kdr_interaction forces[2] = {kdr_interaction_spring_network(&spring, 1), kdr_interaction_gravity(mu, 2, 0.5)};
    kdr_pairs_desc desc = kdr_pairs_desc_default();
    desc.forces = forces, desc.force_count = 1, desc.real = KDR_F32;
    static const double wrong[] = {-1, INFINITY, NAN, 1e39, 1e-46};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        desc.box[1] = wrong[n];
        refuse_pairs(&desc, KDR_ERROR_ARGUMENT, "a box of no length");
    }
    desc.box[1] = 2;
    desc.box[2] = 3;
    static const double lengths[] = {0.99, 1, 1.2};
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; ++n) {
        kdr_pair_spring longer = {.a = 0, .b = 1, .k = 1, .length = lengths[n]};
        kdr_pairs *pairs = NULL;
        kdr_error error;
        forces[0] = kdr_interaction_spring_network(&longer, 1);
        const kdr_status status = kdr_pairs_create(&desc, &pairs, &error);
        cr_expect(status == (n ? KDR_ERROR_ARGUMENT : KDR_OK), "%g: %d", lengths[n], (int)status);
        cr_expect(n == 0 || strstr(error.message, "interactions[0].springs[0].length: expected less than half of the box, 1, got"), "%s",
                  error.message);
        kdr_pairs_destroy(pairs);
    }
    forces[0] = kdr_interaction_spring_network(&spring, 1);
    desc.force_count = 2;
    refuse_pairs(&desc, KDR_ERROR_UNSUPPORTED, "gravity in a box");
}

/* The cost of a net depends on the number of springs, not on the indices of their particles. A view that is too small is refused. */
Test(pairs_wrong, a_spring_that_is_far_out, .timeout = 20) {
    const kdr_pair_spring springs[] = {{.a = 0, .b = KDR_MAX_INDEX, .k = 1}, {.a = 40, .b = 7, .k = 1}};
    const kdr_interaction force = kdr_interaction_spring_network(springs, 2);
    kdr_pairs_desc desc = kdr_pairs_desc_default();
    desc.forces = &force, desc.force_count = 1;
    kdr_pairs *pairs;
    kdr_error error;
    for (int n = 0; n < 10; ++n) {
        cr_assert(kdr_pairs_create(&desc, &pairs, &error) == KDR_OK, "%s", error.message);
        guarded g = guarded_create(100, 2, KDR_F64, false, 0);
        cr_expect(kdr_pairs_add(pairs, &g.p, g.a, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "2147483647, which forces name"),
                  "%s", error.message);
        guarded_destroy(&g);
        kdr_pairs_destroy(pairs);
    }
    kdr_system_desc system = kdr_system_desc_default();
    kdr_system *made;
    system.interactions = &force, system.interaction_count = 1;
    cr_assert(kdr_system_create(&system, &made, &error) == KDR_OK, "%s", error.message);
    kdr_system_destroy(made);
}

Test(pairs_wrong, views_and_arrays) {
    const kdr_pair_spring spring = {.a = 0, .b = 4, .k = 1};
    const kdr_interaction force = kdr_interaction_spring_network(&spring, 1);
    const kdr_distance rod = {0, 4, 1};
    kdr_pairs_desc desc = kdr_pairs_desc_default();
    desc.forces = &force;
    desc.force_count = 1;
    kdr_distance_constraints_desc rods = kdr_distance_constraints_desc_default();
    rods.distances = &rod;
    rods.count = 1;
    kdr_pairs *pairs;
    kdr_pair_map *map = NULL;
    kdr_distance_constraints *distances;
    kdr_error error = {KDR_OK, ""};
    cr_assert(kdr_pairs_create(&desc, &pairs, NULL) == KDR_OK && kdr_distance_constraints_create(&rods, &distances, NULL) == KDR_OK);
    kdr_particles p = make_particles(5, 3, KDR_F64, true, false), a = make_particles(5, 3, KDR_F64, false, false);
    kdr_particles few = make_particles(4, 3, KDR_F64, false, false), narrow = make_particles(5, 3, KDR_F32, false, false);
    uint64_t seed = 1;
    fill_random(&p, &seed);
    double sum;
    const void *const *const start = (const void *const *)a.x;

    cr_expect(kdr_pairs_add(NULL, &p, a.x, &error) == KDR_ERROR_NULL && one_line(&error, KDR_ERROR_NULL));
    cr_expect(kdr_pairs_add(pairs, NULL, a.x, NULL) == KDR_ERROR_NULL && kdr_pairs_add(pairs, &p, NULL, NULL) == KDR_ERROR_NULL);
    cr_expect(kdr_pairs_add(pairs, &few, a.x, &error) == KDR_ERROR_MISMATCH && one_line(&error, KDR_ERROR_MISMATCH));
    cr_expect(kdr_pairs_add(pairs, &narrow, a.x, NULL) == KDR_ERROR_MISMATCH);
    cr_expect(kdr_pairs_add(pairs, &p, p.v, &error) == KDR_ERROR_OVERLAP && one_line(&error, KDR_ERROR_OVERLAP));
    cr_expect(kdr_pairs_add(pairs, &p, (void *[3]){a.x[0], a.x[1], NULL}, NULL) == KDR_ERROR_NULL);
    cr_expect(kdr_pairs_add(pairs, &p, (void *[3]){a.x[0], a.x[1], a.x[1]}, NULL) == KDR_ERROR_OVERLAP);
    cr_expect(kdr_pairs_potential(pairs, &few, &sum, NULL) == KDR_ERROR_MISMATCH &&
              kdr_pairs_potential(pairs, &p, NULL, NULL) == KDR_ERROR_NULL);
    kdr_particles apart = a;
    apart.count = 2;
    apart.x_layout.stride = 2 * sizeof(double);
    cr_expect(kdr_pairs_add(pairs, &apart, p.x, &error) == KDR_ERROR_UNSUPPORTED && one_line(&error, KDR_ERROR_UNSUPPORTED), "%s",
              error.message);

    cr_expect(kdr_pair_map_create(pairs, &p, 0, &map, NULL) == KDR_ERROR_ARGUMENT && !map);
    cr_expect(kdr_pair_map_create(pairs, &p, INFINITY, &map, NULL) == KDR_ERROR_NOT_FINITE && !map);
    cr_expect(kdr_pair_map_create(pairs, &few, 1, &map, NULL) == KDR_ERROR_MISMATCH && !map);
    cr_expect(kdr_pair_map_create(pairs, &p, 1, NULL, NULL) == KDR_ERROR_NULL);
    cr_assert(kdr_pair_map_create(pairs, &p, 1, &map, NULL) == KDR_OK);
    cr_expect(kdr_pair_map_add(map, &p, a.x, p.v, NULL) == KDR_ERROR_OVERLAP &&
              kdr_pair_map_add(NULL, &p, a.x, a.v, NULL) == KDR_ERROR_NULL);

    cr_expect(kdr_distance_constraints_shake(distances, &p, start, 0, NULL, NULL) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_distance_constraints_shake(distances, &p, start, NAN, NULL, NULL) == KDR_ERROR_NOT_FINITE);
    cr_expect(kdr_distance_constraints_shake(distances, &p, NULL, 1, NULL, NULL) == KDR_ERROR_NULL);
    cr_expect(kdr_distance_constraints_shake(distances, &p, (const void *const *)p.x, 1, NULL, NULL) == KDR_ERROR_OVERLAP);
    cr_expect(kdr_reference_distance_constraints_shake(&rods, &p, NULL, 1, NULL) == KDR_ERROR_NULL);
    cr_expect(kdr_reference_distance_constraints_shake(&rods, &p, (const void *const *)p.x, 1, NULL) == KDR_ERROR_OVERLAP);
    cr_expect(kdr_distance_constraints_rattle(distances, &few, 1, NULL, NULL) == KDR_ERROR_MISMATCH);
    const uint8_t active[5] = {1, 1, 0, 1, 1};
    p.active = active;
    p.active_count = 5;
    cr_expect(kdr_distance_constraints_rattle(distances, &p, 1, NULL, &error) == KDR_ERROR_UNSUPPORTED &&
              one_line(&error, KDR_ERROR_UNSUPPORTED));
    cr_expect(kdr_reference_distance_constraints_rattle(&rods, &p, 1, &error) == KDR_ERROR_UNSUPPORTED && strstr(error.message, "active"));
    cr_expect(kdr_reference_distance_constraints_shake(&rods, &p, start, 1, NULL) == KDR_ERROR_UNSUPPORTED);
    p.active = NULL;
    p.active_count = 0;
    kdr_particles same = make_particles(5, 3, KDR_F64, true, false);
    seed = 1;
    fill_random(&same, &seed);
    cr_expect(same_bits(&p, &same), "something was touched");
    kdr_pair_map_destroy(map);
    kdr_pairs_destroy(pairs);
    kdr_distance_constraints_destroy(distances);
    kdr_pairs_destroy(NULL);
    kdr_pair_map_destroy(NULL);
    kdr_distance_constraints_destroy(NULL);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&a);
    kdr_particles_destroy(&few);
    kdr_particles_destroy(&narrow);
    kdr_particles_destroy(&same);
}

/* Matrices that overflow are refused by the reference too, and nothing is added. */
Test(pairs_wrong, maps_that_are_not_finite) {
    const double dts[] = {1e3, 1e308, 1e308};
    for (int n = 0; n < 3; ++n) {
        const kdr_pair_spring springs[] = {{.a = 0, .b = 1, .k = 1}, {.a = 1, .b = 2, .k = n == 0 ? 1 : 1e-300, .damping = n == 2}};
        const kdr_interaction network = kdr_interaction_spring_network(springs, 2);
        kdr_pairs_desc desc = kdr_pairs_desc_default();
        desc.forces = &network, desc.force_count = 1;
        kdr_pairs *pairs;
        kdr_pair_map *map = NULL;
        kdr_error error, other;
        kdr_particles p = make_particles(3, 3, KDR_F64, true, false), a = make_particles(3, 3, KDR_F64, false, false),
                      none = make_particles(3, 3, KDR_F64, false, false);
        for (size_t i = 0; i < 3; ++i) {
            set(p.inverse_mass, KDR_F64, i, n == 0 ? 1e300 : 1e-3);
            set(p.x[0], KDR_F64, i, (double)i);
        }
        cr_assert(kdr_pairs_create(&desc, &pairs, NULL) == KDR_OK);
        const kdr_status status = kdr_pair_map_create(pairs, &p, dts[n], &map, &error);
        cr_expect(kdr_reference_pair_map_add(&desc, &p, dts[n], a.x, a.v, &other) == status, "case %d: %d, %s", n, (int)status,
                  other.message);
        cr_expect(n == 0 || (status == KDR_ERROR_NOT_FINITE && strcmp(error.message, other.message) == 0 && same_bits(&a, &none)),
                  "case %d: %d", n, (int)status);
        kdr_pair_map_destroy(map);
        kdr_pairs_destroy(pairs);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&a);
        kdr_particles_destroy(&none);
    }
}

Test(pairs_wrong, lists_of_distances) {
    kdr_distance rods[2] = {{0, 1, 1}, {1, 2, 1}};
    kdr_distance_constraints_desc desc = kdr_distance_constraints_desc_default();
    desc.count = 2;
    const struct {
        kdr_distance rod;
        double tolerance, relaxation;
        kdr_status status;
    } wrong[] = {{{3, 3, 1}, 0, 1, KDR_ERROR_ARGUMENT},          {{0, 0xffffffff, 1}, 0, 1, KDR_ERROR_OVERFLOW},
                 {{0, 1, 0}, 0, 1, KDR_ERROR_ARGUMENT},          {{0, 1, -1}, 0, 1, KDR_ERROR_ARGUMENT},
                 {{0, 1, NAN}, 0, 1, KDR_ERROR_NOT_FINITE},      {{0, 1, 1e200}, 0, 1, KDR_ERROR_NOT_FINITE},
                 {{0, 1, 1e-200}, 0, 1, KDR_ERROR_ARGUMENT},     {{0, 1, 1}, -1, 1, KDR_ERROR_ARGUMENT},
                 {{0, 1, 1}, INFINITY, 1, KDR_ERROR_NOT_FINITE}, {{0, 1, 1}, 0, 0, KDR_ERROR_ARGUMENT},
                 {{0, 1, 1}, 0, 2, KDR_ERROR_ARGUMENT},          {{0, 1, 1}, 0, NAN, KDR_ERROR_NOT_FINITE}};
    kdr_error error;
    kdr_distance_constraints *const before = (kdr_distance_constraints *)&error, *made = before;
    cr_expect(kdr_distance_constraints_create(&desc, &made, NULL) == KDR_ERROR_NULL && made == before);
    cr_expect(kdr_distance_constraints_create(NULL, &made, NULL) == KDR_ERROR_NULL && made == before);
    desc.distances = rods;
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        rods[1] = wrong[n].rod;
        desc.tolerance = wrong[n].tolerance;
        desc.relaxation = wrong[n].relaxation;
        error.status = KDR_OK;
        cr_expect(kdr_distance_constraints_create(&desc, &made, &error) == wrong[n].status && made == before &&
                      one_line(&error, wrong[n].status),
                  "entry %zu: %s", n, error.message);
    }
}
