/* Checkpoints of system runs: a run that continues from a file has the bits of the unbroken run, for any interactions. A file of another
 * description is refused. */
#include <kickdrift/io.h>

#include "support.h"

#include <unistd.h>

enum { COUNT = 21, BEFORE = 5, AFTER = 4, MOST_SPRINGS = 3 };

static char folder[] = "/tmp/kickdrift-test-XXXXXX", path[64];

static void begin(void) {
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.checkpoint", folder);
}

static void end(void) {
    unlink(path);
    cr_expect(rmdir(folder) == 0, "nothing else is left");
}

TestSuite(checkpoints_system, .init = begin, .fini = end);

static const double mu[COUNT] = {0.5, 0.25, 0.125, 0.5, 0.25, 0.125, 1}, other_mu[COUNT] = {0.5, 0.25, 0.125, 0.5, 0.25, 0.125, 2};
static const float narrow_mu[COUNT] = {0.5F, 0.25F, 0.125F, 0.5F, 0.25F, 0.125F, 1};

static kdr_status pull(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context, (void)t;
    for (int axis = 0; axis < p->dims; ++axis) {
        for (size_t i = 0; i < p->count; ++i) {
            if (p->real == KDR_F32) {
                ((float *)a[axis])[i] = -((const float *)p->x[axis])[i];
            } else {
                ((double *)a[axis])[i] = -((const double *)p->x[axis])[i];
            }
        }
    }
    return KDR_OK;
}

/* The data that a description borrows until the system run is made. */
typedef struct parts {
    kdr_pair_spring springs[MOST_SPRINGS];
    kdr_interaction interactions[2];
    kdr_distance rods[2];
    kdr_force fields[2];
    kdr_collider floor;
} parts;

/* Makes description n of a list; each differs in one thing from another. Returns false after the last. */
static bool described(int n, parts *p, kdr_system_desc *desc) {
    static const double up[3] = {0, 0, 1};
    *p = (parts){.springs = {{0, 1, 3, 0.5, 0, 0}, {1, 2, 2, 0.5, 0, 0}, {2, 5, 1, 0, 0, 0}},
                 .rods = {{7, 8, 0.75}, {8, 9, 0.5}},
                 .fields = {kdr_force_uniform_acceleration(0, 0, -1), kdr_force_spring(0.5, 0, 0, 0)}};
    p->interactions[0] = kdr_interaction_spring_network(p->springs, MOST_SPRINGS);
    p->interactions[1] = kdr_interaction_gravity(mu, COUNT, 0.25);
    *desc = kdr_system_desc_default();
    desc->interactions = p->interactions, desc->interaction_count = 2;
    switch (n) {
    case 0:
        return true;
    case 1:
        p->interactions[1] = kdr_interaction_gravity(other_mu, COUNT, 0.25);
        return true;
    case 2:
        p->interactions[1] = kdr_interaction_gravity(mu, COUNT - 1, 0.25);
        return true;
    case 3:
        p->interactions[1] = kdr_interaction_gravity(mu, COUNT, 0.125);
        return true;
    case 4:
        p->springs[1].k = 2.5;
        return true;
    case 5:
        p->springs[1].length = 0.25;
        return true;
    case 6:
        p->springs[1].b = 3;
        return true;
    case 7:
        desc->interaction_count = 1;
        return true;
    case 8:
        p->interactions[0] = p->interactions[1], p->interactions[1] = kdr_interaction_spring_network(p->springs, MOST_SPRINGS);
        return true;
    case 9:
        desc->method = KDR_RK4;
        return true;
    case 10:
        desc->method = KDR_RK4, p->springs[0].damping = 0.5;
        return true;
    case 11:
        desc->distances = p->rods, desc->distance_count = 2;
        return true;
    case 12:
        desc->distances = p->rods, desc->distance_count = 2, p->rods[1].length = 0.625;
        return true;
    case 13:
        desc->distances = p->rods, desc->distance_count = 2, desc->distance_sweeps = 300;
        return true;
    case 14:
        desc->distances = p->rods, desc->distance_count = 2, desc->distance_tolerance = 1e-3;
        return true;
    case 15:
        desc->distances = p->rods, desc->distance_count = 2, desc->distance_relaxation = 1.5;
        return true;
    case 16:
        desc->distances = p->rods, desc->distance_count = 1;
        return true;
    case 17:
        desc->forces = p->fields, desc->force_count = 1;
        return true;
    case 18:
        desc->forces = p->fields, desc->force_count = 2;
        return true;
    case 19:
        desc->accelerations = pull;
        return true;
    case 20:
        desc->method = KDR_BAOAB, desc->langevin = (kdr_langevin){1, 0.5, 1};
        return true;
    case 21:
        desc->method = KDR_BAOAB, desc->langevin = (kdr_langevin){1, 0.5, 2};
        return true;
    case 22:
        desc->boundary = (kdr_boundary){KDR_BOUNDARY_ABSORBING, {-1, -1, -1}, {1, 1, 1}};
        return true;
    case 23:
        desc->compensated = true;
        return true;
    case 24:
        p->floor = kdr_collider_plane(NULL, up), desc->colliders = &p->floor, desc->collider_count = 1;
        return true;
    case 25:
        desc->compose = KDR_COMPOSE_YOSHIDA_6;
        return true;
    case 26:
        desc->arithmetic = KDR_UNFUSED;
        return true;
    case 27:
        desc->interaction_count = 0, desc->accelerations = pull,
        desc->boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {-1, -1, -1}, {1, 1, 1}};
        return true;
    case 28:
        desc->levels = true, desc->method = KDR_SEMI_IMPLICIT_EULER;
        return true;
    case 29:
        desc->real = KDR_F32, p->interactions[1] = kdr_interaction_gravity(narrow_mu, COUNT, 0.25);
        return true;
    case 30:
        desc->method = KDR_DOPRI_5;
        return true;
    case 31:
        desc->method = KDR_VELOCITY_VERLET_PC;
        return true;
    default:
        return false;
    }
}

static kdr_system *make(const kdr_system_desc *desc) {
    kdr_system *made = NULL;
    kdr_error error;
    cr_assert(kdr_system_create(desc, &made, &error) == KDR_OK, "%s", error.message);
    return made;
}

static kdr_workspace workspace_for(const kdr_system *of) {
    kdr_workspace workspace;
    cr_assert(kdr_workspace_create(of, COUNT, 3, (kdr_allocator){0}, &workspace, NULL) == KDR_OK);
    return workspace;
}

static kdr_particles bodies(const kdr_system_desc *desc, uint64_t *seed) {
    static int32_t images[3][COUNT];
    static uint8_t levels[COUNT];
    kdr_particles_desc of = kdr_particles_desc_default();
    kdr_particles p;
    of.count = COUNT, of.real = desc->real;
    of.inverse_mass = of.memory = of.bounces = true;
    of.compensation = desc->compensated;
    of.dissipated_energy = desc->collider_count > 0;
    cr_assert(kdr_particles_create(&of, &p, NULL) == KDR_OK);
    fill_random(&p, seed);
    memset(images, 0, sizeof images);
    for (int i = 0; i < 3 && desc->boundary.kind == KDR_BOUNDARY_PERIODIC; ++i) {
        p.images[i] = images[i];
    }
    for (int i = 0; i < COUNT && desc->levels; ++i) {
        levels[i] = (uint8_t)(i % 3), p.level = levels, p.level_count = COUNT;
    }
    return p;
}

/* Runs `steps` steps in calls of at most three. */
static void run(const kdr_system *of, kdr_particles *p, kdr_clock *clock, uint64_t steps) {
    kdr_workspace workspace = workspace_for(of);
    kdr_error error;
    for (uint64_t left = steps, now; left > 0; left -= now) {
        now = left < 3 ? left : 3;
        cr_assert(kdr_system_run(of, p, clock, now, &workspace, &error) == KDR_OK, "%s", error.message);
    }
    kdr_workspace_destroy(&workspace);
}

/* Writes a checkpoint in the middle of a run, and continues from it on the scalar backend. */
static void go_on(int n, uint64_t *seed) {
    parts p;
    kdr_system_desc desc;
    kdr_error error;
    kdr_checkpoint saved;
    kdr_difference difference;
    kdr_clock clock = {0.5, 1.0 / 64, 2};
    described(n, &p, &desc);
    kdr_system *const first = make(&desc);
    desc.backend = KDR_BACKEND_SCALAR;
    kdr_system *const second = make(&desc);
    kdr_particles unbroken = bodies(&desc, seed);
    run(first, &unbroken, &clock, BEFORE);
    cr_assert(kdr_checkpoint_write_system(path, first, &unbroken, &clock, "kept", 5, &error) == KDR_OK, "%d: %s", n, error.message);
    run(first, &unbroken, &clock, AFTER);
    cr_assert(kdr_checkpoint_read_system(path, second, &saved, &error) == KDR_OK, "%d: %s", n, error.message);
    cr_expect(saved.clock.step == 2 + BEFORE && saved.seed == desc.langevin.seed && strcmp(saved.note, "kept") == 0);
    const bool keeps = kdr_system_memory_key(first, &unbroken, &clock) != 0;
    cr_expect(saved.carried == keeps && (saved.particles.memory_key != 0) == keeps, "%d", n);
    run(second, &saved.particles, &saved.clock, AFTER);
    cr_assert(kdr_compare(&unbroken, &saved.particles, &difference, &error) == KDR_OK, "%s", error.message);
    cr_expect(difference.mismatches == 0, "%d: %zu elements differ", n, difference.mismatches);
    cr_expect(saved.particles.memory_key == unbroken.memory_key && saved.clock.step == clock.step, "%d", n);
    for (int i = 0; i < 3 && unbroken.images[i]; ++i) {
        cr_expect(memcmp(saved.particles.images[i], unbroken.images[i], COUNT * sizeof(int32_t)) == 0);
    }
    cr_expect(memcmp(saved.particles.bounces, unbroken.bounces, COUNT * sizeof(uint32_t)) == 0);
    kdr_checkpoint_release(&saved);
    kdr_particles_destroy(&unbroken);
    kdr_system_destroy(first);
    kdr_system_destroy(second);
}

Test(checkpoints_system, go_on_with_the_bits_of_the_unbroken_run) {
    uint64_t seed = test_seed();
    parts p;
    kdr_system_desc desc;
    for (int n = 0; described(n, &p, &desc); ++n) {
        go_on(n, &seed);
    }
}

Test(checkpoints_system, digests_tell_descriptions_apart) {
    parts p;
    kdr_system_desc desc;
    uint64_t digests[64];
    int count = 0;
    for (; described(count, &p, &desc); ++count) {
        kdr_system *const one = make(&desc);
        desc.backend = KDR_BACKEND_SCALAR;
        kdr_system *const other = make(&desc);
        digests[count] = kdr_system_digest(one);
        cr_expect(digests[count] != 0 && kdr_system_digest(other) == digests[count], "%d", count);
        for (int before = 0; before < count; ++before) {
            cr_expect(digests[count] != digests[before], "%d and %d", count, before);
        }
        kdr_system_destroy(one);
        kdr_system_destroy(other);
    }
    cr_expect(kdr_system_digest(NULL) == 0 && count == 32);

    /* The digest knows whether there is a function, and that a field run has none. It covers the present values of lent numbers. */
    double lent[COUNT] = {1};
    const kdr_interaction gravity = kdr_interaction_gravity(lent, COUNT, 0);
    desc = kdr_system_desc_default();
    desc.interactions = &gravity, desc.interaction_count = 1;
    kdr_system *const made = make(&desc);
    const uint64_t before = kdr_system_digest(made);
    lent[1] = 1;
    cr_expect(kdr_system_digest(made) != before);
    kdr_system_destroy(made);
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    kdr_integrator_desc field = kdr_integrator_desc_default();
    desc.interaction_count = 0, desc.forces = field.forces = &spring, desc.force_count = field.force_count = 1;
    kdr_integrator *integrator;
    kdr_system *const system = make(&desc);
    cr_assert(kdr_integrator_create(&field, &integrator, NULL) == KDR_OK);
    cr_expect(kdr_system_digest(system) != kdr_integrator_digest(integrator));
    kdr_integrator_destroy(integrator);
    kdr_system_destroy(system);
}

/* Another description, arguments that a run would refuse, and NULL pointers are refused. */
Test(checkpoints_system, refusals) {
    uint64_t seed = test_seed();
    parts p;
    kdr_system_desc desc;
    kdr_error error;
    kdr_checkpoint saved;
    kdr_clock clock = {0, 1.0 / 64, 0};
    described(0, &p, &desc);
    kdr_system *const one = make(&desc);
    kdr_particles some = bodies(&desc, &seed);
    described(4, &p, &desc);
    kdr_system *const other = make(&desc);
    cr_assert(kdr_checkpoint_write_system(path, one, &some, &clock, NULL, 0, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_checkpoint_read_system(path, other, &saved, &error) == KDR_ERROR_MISMATCH);
    cr_expect(strstr(error.message, "another description") && strstr(error.message, "interactions or distances"), "%s", error.message);
    cr_assert(kdr_checkpoint_read(path, NULL, &saved, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_checkpoint_check_system(&saved, one, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_checkpoint_check_system(&saved, other, &error) == KDR_ERROR_MISMATCH);
    cr_expect(kdr_checkpoint_check_system(&saved, NULL, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_checkpoint_check_system(NULL, one, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_checkpoint_read_system(path, NULL, &saved, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_checkpoint_write_system(path, NULL, &some, &clock, NULL, 0, &error) == KDR_ERROR_NULL);
    kdr_checkpoint_release(&saved);
    some.count = 4; /* fewer than the springs name */
    cr_expect(kdr_checkpoint_write_system(path, one, &some, &clock, NULL, 0, &error) == KDR_ERROR_MISMATCH);
    cr_expect(kdr_system_check(one, &some, &clock, 0, &error) == KDR_ERROR_MISMATCH);
    some.count = COUNT;
    cr_expect(kdr_system_check(one, &some, &clock, 0, &error) == KDR_OK);
    clock.dt = 0;
    cr_expect(kdr_system_check(one, &some, &clock, 0, &error) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_system_check(NULL, &some, &clock, 0, &error) == KDR_ERROR_NULL);
    kdr_particles_destroy(&some);
    kdr_system_destroy(one);
    kdr_system_destroy(other);
}

/* The explanation has the lines of a step, and what an evaluation adds up. */
Test(checkpoints_system, explained) {
    parts p;
    kdr_system_desc desc;
    char text[8192];
    static const char *const lines[] = {"velocity-verlet on ",
                                        "\nspecialised kernel: none: all particles go through the instructions before an evaluation, ",
                                        "\ntile: ",
                                        "the accelerations at x, v, which others compute",
                                        "an evaluation of all particles",
                                        "a spring network of 3 springs",
                                        "gravity of 21 particles, softening 0.25",
                                        "2 distances are kept, in 2 colours"};
    described(11, &p, &desc);
    kdr_system *const made = make(&desc);
    const size_t length = kdr_system_explain(made, 3, true, text, sizeof text);
    cr_assert(length == strlen(text), "%zu, %zu", length, strlen(text));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        cr_expect(strstr(text, lines[i]), "%s in\n%s", lines[i], text);
    }
    char cut[40];
    cr_expect(kdr_system_explain(made, 3, true, cut, sizeof cut) == length && strlen(cut) < sizeof cut &&
              strncmp(cut, text, strlen(cut)) == 0);
    cr_expect(kdr_system_explain(made, 4, true, cut, sizeof cut) == 0 && kdr_system_explain(NULL, 3, true, cut, sizeof cut) == 0);
    kdr_system_destroy(made);
}
