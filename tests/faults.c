/* Memory that is refused at every allocation of every journey through the library: the call that needed it fails with KDR_ERROR_NO_MEMORY,
 * its outputs do not change, and nothing leaks. Executors that do unusual or forbidden things. And the program, each of whose allocations
 * fails in turn. */
#include "support.h"

#include <kickdrift/io.h>

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

/* The linker redirects the library's allocations here (CMakeLists.txt). */
static int calls, fails_at, live; /* fails_at: this allocation fails, counted from 1; 0: none */

static bool refuse(void) { return ++calls == fails_at; }
static void *noted(void *block) {
    live += block != NULL;
    return block;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) { return refuse() ? NULL : noted(__real_malloc(size)); }
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) { return refuse() ? NULL : noted(__real_calloc(count, size)); }
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return refuse() ? NULL : noted(__real_aligned_alloc(alignment, size)); }
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size) {
    if (refuse()) {
        return NULL;
    }
    live += block == NULL;
    return __real_realloc(block, size);
}
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text) { return refuse() ? NULL : noted(__real_strdup(text)); }
char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size) { return refuse() ? NULL : noted(__real_strndup(text, size)); }
char *__real_realpath(const char *path, char *resolved);
char *__wrap_realpath(const char *path, char *resolved);
char *__wrap_realpath(const char *path, char *resolved) {
    errno = ENOMEM;
    return refuse() ? NULL : noted(__real_realpath(path, resolved));
}
void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block) {
    live -= block != NULL;
    __real_free(block);
}

/* A journey through the library. It ends at the first call that fails, and releases what it has. */
typedef kdr_status journey_fn(kdr_error *error);

/* The objects of every journey. There are many of each, so that everything is allocated that ever is. */
typedef struct scenery {
    double x[6][40], a[6][40], b[40];
    kdr_particles p;
    kdr_clock clock;
    kdr_force forces[6];
    kdr_pair_spring springs[8];
    kdr_interaction interactions[2];
    kdr_distance rods[6];
    kdr_collider collider;
    kdr_constraint constraint;
} scenery;

static scenery *set_out(void) {
    static scenery s;
    memset(&s, 0, sizeof s);
    s.p = kdr_particles_default();
    s.p.count = 40;
    uint64_t seed = 3;
    for (int i = 0; i < 3; ++i) {
        s.p.x[i] = s.x[i], s.p.v[i] = s.x[3 + i];
        for (int n = 0; n < 40; ++n) {
            s.x[i][n] = random_in(&seed, -1, 1), s.x[3 + i][n] = random_in(&seed, -1, 1);
        }
    }
    s.clock = (kdr_clock){0, 0.125, 0};
    s.forces[0] = kdr_force_spring(1, 0, 0, 0), s.forces[1] = kdr_force_driven(1, 0, 0, 2, 0);
    s.forces[2] = kdr_force_centre(1, 5, 0, 0, 0.5), s.forces[3] = kdr_force_drag(0.25, 0, 0, 0);
    s.forces[4] = kdr_force_custom(kdr_field_get(0), NULL), s.forces[5] = kdr_force_custom(kdr_field_get(1), NULL);
    for (int k = 0; k < KDR_MAX_PARAMETERS; ++k) {
        s.forces[4].as.custom.parameter[k] = k < kdr_custom_field_parameter_count(kdr_field_get(0)) ? 0.75 : 0;
        s.forces[5].as.custom.parameter[k] = k < kdr_custom_field_parameter_count(kdr_field_get(1)) ? 0.75 : 0;
    }
    for (uint32_t n = 0; n < 8; ++n) {
        s.springs[n] = (kdr_pair_spring){.a = n, .b = n + 1, .k = 1, .length = 0.5};
        s.rods[n % 6] = (kdr_distance){2 * n, 2 * n + 1, 1};
    }
    s.interactions[0] = kdr_interaction_gravity(s.a[5], 10, 0.125), s.interactions[1] = kdr_interaction_spring_network(s.springs, 8);
    s.collider = kdr_collider_sphere(NULL, 4, true), s.constraint = kdr_constraint_rope(NULL, 3);
    return &s;
}

static kdr_integrator_desc describe_all(const scenery *s, kdr_method method) {
    kdr_integrator_desc d = kdr_integrator_desc_default();
    d.method = method, d.forces = s->forces, d.force_count = 6;
    d.colliders = &s->collider, d.collider_count = 1;
    d.constraints = &s->constraint, d.constraint_count = 1;
    return d;
}

static kdr_status field_run(kdr_error *error) {
    scenery *const s = set_out();
    const kdr_integrator_desc d = describe_all(s, KDR_RK4);
    kdr_integrator *integrator = NULL;
    kdr_observables seen;
    kdr_status status = kdr_integrator_create(&d, &integrator, error);
    cr_assert((status == KDR_OK) == (integrator != NULL));
    status = status ? status : kdr_integrator_run(integrator, &s->p, &s->clock, 3, error);
    status = status ? status : kdr_integrator_set_forces(integrator, s->forces, 2, error);
    status = status ? status : kdr_integrator_run(integrator, &s->p, &s->clock, 3, error);
    status = status ? status : kdr_observe(integrator, &s->p, &s->clock, &seen, error);
    kdr_integrator_destroy(integrator);
    return status;
}

static kdr_status composed_run(kdr_error *error) {
    scenery *const s = set_out();
    kdr_integrator_desc d = describe_all(s, KDR_VELOCITY_VERLET);
    d.force_count = 3, d.compose = KDR_COMPOSE_KAHAN_LI_6;
    kdr_integrator *integrator = NULL;
    kdr_status status = kdr_integrator_create(&d, &integrator, error);
    status = status ? status : kdr_integrator_run(integrator, &s->p, &s->clock, 2, error);
    kdr_integrator_destroy(integrator);
    return status;
}

static kdr_status pull(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context, (void)t;
    for (int i = 0; i < p->dims; ++i) {
        memset(a[i], 0, p->count * kdr_real_size(p->real));
    }
    return KDR_OK;
}

/* Describes a system run with everything. Molecules do not go with constraints, or with flights between walls. */
static kdr_system_desc describe_system_all(const scenery *s, bool molecules) {
    kdr_system_desc d = kdr_system_desc_default();
    d.accelerations = pull;
    d.forces = s->forces, d.force_count = 3;
    d.interactions = s->interactions, d.interaction_count = 2;
    d.distances = s->rods, d.distance_count = molecules ? 6 : 0;
    d.colliders = &s->collider, d.collider_count = 1;
    d.constraints = &s->constraint, d.constraint_count = molecules ? 0 : 1;
    return d;
}

static kdr_status run_all(bool molecules, kdr_error *error) {
    scenery *const s = set_out();
    const kdr_system_desc d = describe_system_all(s, molecules);
    kdr_system *system = NULL;
    kdr_workspace workspace = {NULL, 0, {NULL, NULL, NULL}};
    kdr_observables seen;
    kdr_status status = kdr_system_create(&d, &system, error);
    cr_assert((status == KDR_OK) == (system != NULL));
    status = status ? status : kdr_workspace_create(system, 40, 3, (kdr_allocator){NULL, NULL, NULL}, &workspace, error);
    status = status ? status : kdr_system_run(system, &s->p, &s->clock, 3, &workspace, error);
    status = status ? status : kdr_system_set_forces(system, s->forces, 1, error);
    status = status ? status : kdr_system_run(system, &s->p, &s->clock, 3, &workspace, error);
    status = status ? status : kdr_system_observe(system, &s->p, &s->clock, &seen, error);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    return status;
}

static kdr_status system_run(kdr_error *error) { return run_all(false, error); }

static kdr_status run_of_molecules(kdr_error *error) { return run_all(true, error); }

static kdr_status block_run(kdr_error *error) {
    scenery *const s = set_out();
    kdr_system_desc d = kdr_system_desc_default();
    d.accelerations = pull, d.method = KDR_RK4;
    kdr_system *system = NULL;
    kdr_status status = kdr_system_create(&d, &system, error);
    status = status ? status : kdr_system_run_blocks(system, &s->p, &s->clock, 3, error);
    kdr_system_destroy(system);
    return status;
}

static kdr_status pair_sums(kdr_error *error) {
    scenery *const s = set_out();
    kdr_pairs_desc d = kdr_pairs_desc_default();
    d.forces = s->interactions, d.force_count = 2;
    kdr_distance_constraints_desc e = kdr_distance_constraints_desc_default();
    e.distances = s->rods, e.count = 6;
    kdr_pairs *pairs = NULL;
    kdr_pair_map *map = NULL;
    kdr_distance_constraints *rods = NULL;
    double energy, worst;
    void *const a[3] = {s->a[0], s->a[1], s->a[2]}, *const b[3] = {s->a[3], s->a[4], s->b};
    kdr_status status = kdr_pairs_create(&d, &pairs, error);
    status = status ? status : kdr_pairs_add(pairs, &s->p, a, error);
    status = status ? status : kdr_pairs_potential(pairs, &s->p, &energy, error);
    status = status ? status : kdr_pair_map_create(pairs, &s->p, 0.25, &map, error);
    status = status ? status : kdr_pair_map_add(map, &s->p, a, b, error);
    status = status ? status : kdr_distance_constraints_create(&e, &rods, error);
    status = status ? status : kdr_distance_constraints_rattle(rods, &s->p, 0.25, NULL, error);
    status = status ? status : kdr_distance_constraints_max_violation(rods, &s->p, 0.25, &worst, NULL, error);
    kdr_distance_constraints_destroy(rods);
    kdr_pair_map_destroy(map);
    kdr_pairs_destroy(pairs);
    return status;
}

static kdr_status references(kdr_error *error) {
    scenery *const s = set_out();
    const kdr_integrator_desc d = describe_all(s, KDR_IMPLICIT_MIDPOINT);
    const kdr_system_desc c = describe_system_all(s, true);
    kdr_pairs_desc e = kdr_pairs_desc_default();
    e.forces = s->interactions, e.force_count = 2;
    void *const a[3] = {s->a[0], s->a[1], s->a[2]};
    kdr_integrator_desc plain = d;
    plain.force_count = 4, plain.method = KDR_RK4;
    kdr_status status = kdr_reference_run(&plain, &s->p, &s->clock, 2, error);
    status = status ? status : kdr_reference_system_run(&c, &s->p, &s->clock, 2, error);
    return status ? status : kdr_reference_pairs_add(&e, &s->p, a, error);
}

static kdr_status allocated_particles(kdr_error *error) {
    kdr_particles_desc d = kdr_particles_desc_default();
    d.count = 100,
    d.inverse_mass = d.memory = d.compensation = d.bounces = d.dissipated_energy = d.error = d.nonconverged = d.radius = true;
    kdr_particles p = kdr_particles_default();
    const kdr_status status = kdr_particles_create(&d, &p, error);
    cr_assert(status == KDR_OK || (p.count == 0 && !p.x[0] && !p.storage), "outputs were touched");
    kdr_particles_destroy(&p);
    return status;
}

static char checkpoint_path[64];

static kdr_status checkpoint(kdr_error *error) {
    scenery *const s = set_out();
    kdr_checkpoint read = {.note_size = 77};
    kdr_status status = kdr_checkpoint_write(checkpoint_path, NULL, &s->p, &s->clock, "a note", 6, error);
    const bool written = status == KDR_OK;
    status = status ? status : kdr_checkpoint_read(checkpoint_path, NULL, &read, error);
    cr_assert(!written || status == KDR_OK || read.note_size == 77, "outputs were touched");
    if (status == KDR_OK) {
        kdr_checkpoint_release(&read);
    }
    return status;
}

static const struct {
    const char *name;
    journey_fn *go;
} journeys[] = {
    {"field run", field_run},  {"composed run", composed_run}, {"system run", system_run}, {"run of molecules", run_of_molecules},
    {"blocks", block_run},     {"pair sums", pair_sums},       {"references", references}, {"particles", allocated_particles},
    {"checkpoint", checkpoint}};

Test(faults, every_allocation_that_fails_is_said_and_nothing_is_lost) {
    snprintf(checkpoint_path, sizeof checkpoint_path, "/tmp/kickdrift-faults-%d.checkpoint", (int)getpid());
    for (size_t j = 0; j < sizeof journeys / sizeof *journeys; ++j) {
        kdr_error error;
        const int before = live;
        calls = fails_at = 0;
        kdr_status status = journeys[j].go(&error);
        const int all = calls;
        cr_assert(status == KDR_OK && live == before, "%s: %s", journeys[j].name, error.message);
        cr_expect(all > 0, "%s allocates nothing: no journey", journeys[j].name);
        int spared = 0;
        for (int n = 1; n <= all; ++n) {
            calls = 0, fails_at = n;
            status = journeys[j].go(&error);
            fails_at = 0;
            spared += status == KDR_OK;
            cr_expect(status == KDR_OK || (status == KDR_ERROR_NO_MEMORY && error.status == status && error.message[0]),
                      "%s, allocation %d of %d: %s", journeys[j].name, n, all, error.message);
            cr_expect(live == before, "%s, allocation %d of %d: %d blocks lost", journeys[j].name, n, all, live - before);
        }
        cr_expect(spared == 0, "%s: %d refusals went unseen", journeys[j].name, spared);
        fprintf(stderr, "allocations refused: %d (%s)\n", all, journeys[j].name);
    }
    unlink(checkpoint_path);
}

/* Executors */

static void backwards(void *context, size_t count, kdr_range_fn *body, void *argument) {
    (void)context;
    while (count-- > 0) {
        body(argument, count, count + 1);
    }
}

/* Each range runs a whole loop of another integrator before its own work. */
static void nested(void *context, size_t count, kdr_range_fn *body, void *argument) {
    const size_t middle = count / 2;
    body(argument, middle, count);
    if (context) {
        kdr_integrator_desc d = kdr_integrator_desc_default();
        const kdr_force force = kdr_force_spring(1, 0, 0, 0);
        double x[6][33] = {{0}};
        kdr_particles p = kdr_particles_default();
        kdr_clock clock = {0, 0.5, 0};
        p.count = 33;
        for (int i = 0; i < 3; ++i) {
            p.x[i] = x[i], p.v[i] = x[3 + i];
        }
        d.forces = &force, d.force_count = 1, d.executor = (kdr_executor){NULL, nested};
        kdr_integrator *other = NULL;
        cr_assert(kdr_integrator_create(&d, &other, NULL) == KDR_OK && kdr_integrator_run(other, &p, &clock, 3, NULL) == KDR_OK);
        kdr_integrator_destroy(other);
    }
    body(argument, 0, middle);
}

static void twice(void *context, size_t count, kdr_range_fn *body, void *argument) {
    (void)context;
    body(argument, 0, count);
    body(argument, 0, count);
}

static void never(void *context, size_t count, kdr_range_fn *body, void *argument) {
    (void)context, (void)count, (void)body, (void)argument;
}

/* Calls everything that takes an executor, for five thousand particles; the fingerprint of their positions is the result. */
static kdr_status work_with(kdr_executor executor, uint64_t *fingerprint) {
    enum { COUNT = 5000 };
    kdr_particles_desc of_particles = kdr_particles_desc_default();
    of_particles.count = COUNT, of_particles.executor = executor;
    kdr_particles p;
    kdr_error error = {KDR_OK, ""};
    cr_assert(kdr_particles_create(&of_particles, &p, &error) == KDR_OK);
    uint64_t seed = 5;
    fill_random(&p, &seed);
    scenery *const s = set_out();
    kdr_integrator_desc d = describe_all(s, KDR_PEFRL);
    kdr_system_desc c = describe_system_all(s, true);
    d.force_count = 3, d.executor = c.executor = executor;
    c.interactions = s->interactions + 1, c.interaction_count = 1;
    kdr_integrator *integrator = NULL;
    kdr_system *system = NULL;
    kdr_workspace workspace;
    kdr_clock clock = {0, 0.0625, 0};
    kdr_observables seen;
    cr_assert(kdr_integrator_create(&d, &integrator, &error) == KDR_OK && kdr_system_create(&c, &system, &error) == KDR_OK, "%s",
              error.message);
    cr_assert(kdr_workspace_create(system, COUNT, 3, (kdr_allocator){NULL, NULL, NULL}, &workspace, &error) == KDR_OK);
    memset(workspace.memory, 0, workspace.size);
    kdr_status status = kdr_integrator_run(integrator, &p, &clock, 3, &error);
    status = status ? status : kdr_system_run(system, &p, &clock, 3, &workspace, &error);
    status = status ? status : kdr_observe(integrator, &p, &clock, &seen, &error);
    status = status ? status : kdr_fingerprint(&p, fingerprint, &error);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
    return status;
}

Test(faults, an_executor_may_go_backwards_and_nest) {
    int context = 1;
    const kdr_executor executors[] = {{NULL, backwards}, {&context, nested}};
    uint64_t serial, other;
    cr_assert(work_with(kdr_executor_serial(), &serial) == KDR_OK);
    for (size_t e = 0; e < sizeof executors / sizeof *executors; ++e) {
        cr_expect(work_with(executors[e], &other) == KDR_OK && other == serial, "executor %zu", e);
    }
}

/* The results of such an executor are not specified, but nothing may break. */
Test(faults, an_executor_that_does_it_twice_or_never_breaks_nothing) {
    uint64_t serial, other;
    cr_assert(work_with(kdr_executor_serial(), &serial) == KDR_OK);
    const int before = live;
    (void)work_with((kdr_executor){NULL, twice}, &other);
    (void)work_with((kdr_executor){NULL, never}, &other);
    cr_expect(live == before, "%d blocks lost", live - before);
    cr_expect(work_with(kdr_executor_serial(), &other) == KDR_OK && other == serial, "a later run has other bits");
}

/* The program runs with KDR_PRELOAD, which makes its allocation number KDR_FAIL_AT fail (faults_preload.c). */

typedef struct ended {
    int status; /* status of waitpid */
    int lines;
    bool is_ours; /* standard error begins with the program's name */
} ended;

static ended run_program(char *const arguments[], int fail_at) {
    char text[4096], number[16];
    int ends[2];
    ended e = {0, 0, false};
    cr_assert(pipe(ends) == 0);
    snprintf(number, sizeof number, "%d", fail_at);
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        setenv("LD_PRELOAD", KDR_PRELOAD, 1);
        setenv("KDR_FAIL_AT", number, 1);
        setenv("OMP_NUM_THREADS", "1", 1);
        if (!freopen("/dev/null", "w", stdout)) {
            _exit(99);
        }
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execv(KDR_PROGRAM, arguments);
        _exit(99);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got = 1; got > 0 && length < sizeof text - 1; length += got > 0 ? (size_t)got : 0) {
        got = read(ends[0], text + length, sizeof text - 1 - length);
    }
    text[length] = '\0';
    close(ends[0]);
    cr_assert(waitpid(child, &e.status, 0) == child);
    for (const char *c = text; *c; ++c) {
        e.lines += *c == '\n';
    }
    e.is_ours = strncmp(text, "kickdrift: ", 11) == 0;
    return e;
}

/* The program ends as with a wrong request, with one line, or does without the memory. It never ends by a signal, and never with status 0
 * and a complaint. */
Test(faults, the_program_says_that_memory_is_missing, .timeout = 600) {
#if SANITIZED || defined KDR_COVERAGE
    cr_skip_test("the address sanitizer is the first library of a program, or it stops it; gcov takes it for granted that there is memory");
#endif
    char out[64], scene[] = KDR_SOURCE_DIR "/tools/scenes/stiff-springs.yaml", program[] = KDR_PROGRAM;
    snprintf(out, sizeof out, "/tmp/kickdrift-faults-%d.csv", (int)getpid());
    char *const run[] = {program, "run", scene, "--steps", "2", "--threads", "1", "--out", out, "--json", NULL};
    int refused = 0, failed = 0;
    for (int n = 1; n < 20000; n += n < 400 ? 1 : n < 2000 ? 7 : 97) {
        const ended e = run_program(run, n);
        const bool well = WIFEXITED(e.status) && WEXITSTATUS(e.status) == 0 && e.lines == 0;
        const bool said = WIFEXITED(e.status) && WEXITSTATUS(e.status) == 2 && e.lines == 1 && e.is_ours;
        cr_expect(well || said, "allocation %d: signal %d, status %d, %d lines", n, WIFSIGNALED(e.status) ? WTERMSIG(e.status) : 0,
                  WIFEXITED(e.status) ? WEXITSTATUS(e.status) : -1, e.lines);
        refused += said;
        failed += !well && !said;
        if (failed > 20) {
            break;
        }
    }
    unlink(out);
    cr_expect(refused > 50, "%d runs ended with a complaint", refused);
    fprintf(stderr, "allocations refused: %d (the program)\n", refused);
}
