/* Threads: a user-defined scheduler does all the work, and no thread is started in addition to its own. OpenMP's executor has as many
 * threads as are asked for. */
#include "support.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the number of threads of this process. */
static int count_threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    cr_assert(tasks);
    for (const struct dirent *entry = readdir(tasks); entry; entry = readdir(tasks)) {
        count += entry->d_name[0] != '.';
    }
    closedir(tasks);
    return count;
}

enum { WORKERS = 3 };

/* A user-defined scheduler: three threads take ranges from a counter during a loop. */
typedef struct scheduler {
    kdr_range_fn *body;
    void *argument;
    size_t count, grain;
    atomic_size_t next;
    atomic_int calls, most; /* calls, and the largest number of threads in the process seen during them */
    int loops;
} scheduler;

static void *work(void *argument) {
    scheduler *s = argument;
    for (;;) {
        const size_t begin = atomic_fetch_add(&s->next, s->grain);
        if (begin >= s->count) {
            return NULL;
        }
        s->body(s->argument, begin, begin + s->grain < s->count ? begin + s->grain : s->count);
        const int threads = count_threads();
        int most = atomic_load(&s->most);
        while (threads > most && !atomic_compare_exchange_weak(&s->most, &most, threads)) {
        }
        atomic_fetch_add(&s->calls, 1);
    }
}

static void schedule(void *context, size_t count, kdr_range_fn *body, void *argument) {
    scheduler *s = context;
    s->body = body;
    s->argument = argument;
    s->count = count;
    atomic_store(&s->next, 0);
    ++s->loops;
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; ++i) {
        cr_assert(pthread_create(&threads[i], NULL, work, s) == 0);
    }
    for (int i = 0; i < WORKERS; ++i) {
        cr_assert(pthread_join(threads[i], NULL) == 0);
    }
}

static kdr_integrator *integrator_with(kdr_executor executor) {
    static const kdr_force forces[] = {{.kind = KDR_DRIVEN, .as.driven = {{1, 2, 3}, 1.5, 0.25}},
                                       {.kind = KDR_SPRING, .as.spring.k = {1, 2, 3}}};
    kdr_integrator_desc desc = describe(KDR_PEFRL, KDR_F64, KDR_FUSED, forces, 2);
    desc.executor = executor;
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    return integrator;
}

static kdr_particles particles_with(kdr_executor executor, size_t count) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    desc.count = count;
    desc.inverse_mass = desc.memory = desc.compensation = desc.bounces = desc.dissipated_energy = true;
    desc.executor = executor;
    kdr_particles p;
    cr_assert(kdr_particles_create(&desc, &p, NULL) == KDR_OK);
    return p;
}

/* Creates particles, runs contiguous and strided ones with levels, and observes them. */
static void do_all(kdr_executor executor, size_t count, uint64_t *fingerprint, kdr_observables *o) {
    kdr_particles p = particles_with(executor, count);
    uint64_t seed = 11;
    uint8_t *level = calloc(count, 1);
    double(*rows)[6] = calloc(count, sizeof *rows);
    cr_assert(level && rows);
    fill_random(&p, &seed);
    for (size_t i = 0; i < count; ++i) {
        level[i] = (uint8_t)(i / 700 % 3);
        for (int axis = 0; axis < 6; ++axis) {
            rows[i][axis] = get(axis < 3 ? p.x[axis] : p.v[axis - 3], KDR_F64, i);
        }
    }
    kdr_integrator *integrator = integrator_with(executor);
    kdr_clock clock = {0, 0.0625, 0};
    cr_assert(kdr_integrator_run(integrator, &p, &clock, 4, NULL) == KDR_OK);
    for (int axis = 0; axis < 3; ++axis) {
        p.x[axis] = &rows[0][axis];
        p.v[axis] = &rows[0][3 + axis];
    }
    p.x_layout.stride = p.v_layout.stride = sizeof *rows;
    p.level = level;
    p.level_count = count;
    p.memory_key = 0;
    cr_assert(kdr_integrator_run(integrator, &p, &clock, 4, NULL) == KDR_OK);
    cr_assert(kdr_observe(integrator, &p, &clock, o, NULL) == KDR_OK && kdr_fingerprint(&p, fingerprint, NULL) == KDR_OK);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
    free(level);
    free(rows);
}

Test(executors, the_callers_own) {
    enum { COUNT = 5000 };
    uint64_t serial, own;
    kdr_observables expected, o;
    /* A sanitizer starts a thread of its own together with the first of ours. */
    scheduler first = {.grain = 1};
    do_all((kdr_executor){&first, schedule}, COUNT, &own, &o);
    const int threads = count_threads();
    do_all(kdr_executor_serial(), COUNT, &serial, &expected);
    cr_expect(count_threads() == threads, "a serial run left threads behind");
    for (size_t grain = 1; grain <= 16; grain *= 2) {
        scheduler s = {.grain = grain};
        do_all((kdr_executor){&s, schedule}, COUNT, &own, &o);
        cr_expect(own == serial && memcmp(&o, &expected, sizeof o) == 0, "%zu blocks at a time", grain);
        cr_expect(atomic_load(&s.most) <= threads + WORKERS, "%d threads besides the caller's", atomic_load(&s.most) - threads - WORKERS);
        /* The six loops are creation, a run, three runs of one level each, and observation. */
        cr_expect(s.loops == 6 && atomic_load(&s.calls) >= s.loops, "%d loops, %d ranges", s.loops, atomic_load(&s.calls));
    }
    cr_expect(count_threads() == threads, "threads are left behind");
}

/* Memory is first written within the executor's ranges and nowhere else: where it leaves ranges out, the allocator's bytes stay. */
static void leave_out(void *context, size_t count, kdr_range_fn *body, void *argument) {
    const size_t left_out = *(size_t *)context;
    body(argument, 0, left_out);
    body(argument, left_out + 1, count);
}

static void *dirty_allocate(void *context, size_t size, size_t alignment) {
    (void)context;
    void *block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    return block ? memset(block, 0xa5, size) : NULL;
}

static void dirty_release(void *context, void *pointer, size_t size) {
    (void)context, (void)size;
    free(pointer);
}

static bool is_filled(const void *array, size_t size, size_t i, double value) {
    static const unsigned char dirty[8] = {0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5};
    const unsigned char *const at = (const unsigned char *)array + i * size;
    const bool own = i < 512 || i >= 1024; /* block 1 was left out */
    const float single = (float)value;
    const void *const wanted = !own ? dirty : size == 4 ? (const void *)&single : (const void *)&value;
    return memcmp(at, wanted, size) == 0;
}

/* In a child of a process that has used OpenMP, the serial executor runs with the same bits; OpenMP itself would wait for ever. */
Test(executors, serial_in_a_forked_child, .timeout = 30) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0.5);
    kdr_particles p[2];
    for (int n = 0; n < 2; ++n) {
        uint64_t seed = 5;
        p[n] = make_particles(5000, 3, KDR_F64, false, false);
        fill_random(&p[n], &seed);
    }
    kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, &sun, 1);
    kdr_clock clock = {0, 0.125, 0}, other = clock;
    if (kdr_executor_openmp(2, &desc.executor) != KDR_OK) {
        cr_skip_test("no OpenMP in this library");
    }
    advance(BY_INTEGRATOR, &desc, &p[0], &clock, 8);
    const pid_t child = fork();
    if (child == 0) {
        desc.executor = kdr_executor_serial();
        kdr_integrator *integrator;
        const bool good = kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK &&
                          kdr_integrator_run(integrator, &p[1], &other, 8, NULL) == KDR_OK && same_bits(&p[0], &p[1]);
        _exit(good ? 0 : 1);
    }
    int status = -1;
    cr_expect(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
    kdr_particles_destroy(&p[0]);
    kdr_particles_destroy(&p[1]);
}

Test(executors, first_touch) {
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        size_t block = 1;
        kdr_particles_desc desc = kdr_particles_desc_default();
        desc.count = 1500;
        desc.real = (kdr_real)real;
        desc.inverse_mass = desc.memory = desc.compensation = desc.bounces = desc.dissipated_energy = desc.error = true;
        desc.allocator = (kdr_allocator){NULL, dirty_allocate, dirty_release};
        desc.executor = (kdr_executor){&block, leave_out};
        kdr_particles p;
        cr_assert(kdr_particles_create(&desc, &p, NULL) == KDR_OK);
        const size_t size = kdr_real_size(p.real);
        for (size_t i = 0; i < p.count; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                cr_assert(is_filled(p.x[axis], size, i, 0) && is_filled(p.v[axis], size, i, 0) && is_filled(p.memory[axis], size, i, 0));
                cr_assert(is_filled(p.compensation[axis], size, i, 0) && is_filled(p.compensation[3 + axis], size, i, 0));
            }
            cr_assert(is_filled(p.inverse_mass, size, i, 1) && is_filled(p.bounces, 4, i, 0));
            cr_assert(is_filled(p.dissipated_energy[0], 8, i, 0) && is_filled(p.dissipated_energy[1], 8, i, 0));
            cr_assert(is_filled(p.error, size, i, 0));
        }
        kdr_particles_destroy(&p);
    }
}

/* The threads that have called the body, and how often it was given each element. */
enum { MOST_CALLS = 64, ELEMENTS = 1000 };
typedef struct calls {
    pthread_mutex_t lock;
    pthread_t thread[MOST_CALLS];
    size_t count, ranges;
    int times[ELEMENTS];
} calls;

static void note_call(void *argument, size_t begin, size_t end) {
    calls *const c = argument;
    cr_assert(pthread_mutex_lock(&c->lock) == 0);
    size_t known = 0;
    while (known < c->count && !pthread_equal(c->thread[known], pthread_self())) {
        ++known;
    }
    cr_assert(known < MOST_CALLS);
    c->thread[known] = pthread_self();
    c->count += known == c->count, ++c->ranges;
    for (size_t i = begin; i < end; ++i) {
        ++c->times[i];
    }
    cr_assert(pthread_mutex_unlock(&c->lock) == 0);
}

/* There are as many threads as are asked for, but no more than elements. 0 stands for OMP_NUM_THREADS, or the number of processors. */
Test(executors, openmp_has_the_threads_that_are_asked_for) {
    static const int asked[] = {1, 2, 3, 5, 17, 0};
    kdr_executor executor;
    cpu_set_t processors;
    if (kdr_executor_openmp(2, &executor) != KDR_OK) {
        cr_skip_test("no OpenMP in this library");
    }
    cr_assert(sched_getaffinity(0, sizeof processors, &processors) == 0);
    for (size_t n = 0; n < sizeof asked / sizeof *asked; ++n) {
        for (size_t count = 0; count <= ELEMENTS; count += count < 4 ? 1 : ELEMENTS - 4) {
            static calls c;
            c = (calls){.lock = PTHREAD_MUTEX_INITIALIZER};
            const char *const given = getenv("OMP_NUM_THREADS");
            const size_t own = given ? strtoul(given, NULL, 10) : (size_t)CPU_COUNT(&processors);
            size_t expected = asked[n] > 0 ? (size_t)asked[n] : own;
            expected = expected < count ? expected : count;
            cr_assert(kdr_executor_openmp(asked[n], &executor) == KDR_OK);
            executor.parallel_for(executor.context, count, note_call, &c);
            cr_expect(count == 0 || c.count == expected, "%d threads for %zu elements: %zu had some, expected %zu", asked[n], count,
                      c.count, expected);
            cr_expect(count == 0 || c.ranges == expected, "%d threads for %zu elements: %zu ranges", asked[n], count, c.ranges);
            for (size_t i = 0; i < ELEMENTS; ++i) {
                cr_assert(c.times[i] == (i < count), "%d threads: element %zu of %zu %d times", asked[n], i, count, c.times[i]);
            }
        }
    }
}

static void count_loops(void *context, size_t count, kdr_range_fn *body, void *argument) {
    ++*(int *)context;
    body(argument, 0, count);
}

/* A single range runs in the calling thread: in a call for a few particles other threads have nothing to do. */
Test(executors, one_range) {
    for (int many = 0; many < 2; ++many) {
        int loops = 0;
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.executor = (kdr_executor){&loops, count_loops};
        kdr_particles p = make_particles(many ? 100000 : 10, 3, KDR_F64, false, false);
        kdr_clock clock = {.dt = 0.125};
        advance(BY_INTEGRATOR, &desc, &p, &clock, 2);
        cr_expect(loops == many, "%d loops", loops);
        kdr_particles_destroy(&p);
    }
}
