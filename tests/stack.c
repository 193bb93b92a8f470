/* A run needs as much stack as docs/methods/rules.md says. Every method steps fields of every kind on a thread whose stack is filled with
 * a pattern. The deepest byte that has changed is then found. Below the stack is a page without access. */
#include "system_support.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/* The frames of the function that fills the stack are in the margin, and are not overwritten. */
enum { KILO = 1024, STACK = 224 * KILO, COLOUR = 0x5a, MARGIN = 2 * KILO };

/* The table of docs/methods/rules.md, Stack, in KB: RUN for a field run, DRIVEN more in driven fields, COMPOSED more for a composed
 * method, STAGED more with marks, levels or strided arrays. WATCHED is for a watched run and a sample. SYSTEM is for a system run,
 * SYSTEM_WITH_FORCES for one with `forces`, SYSTEM_WATCHED for a watched one. OTHERS is for all other functions. */
enum { RUN = 60, DRIVEN = 44, STAGED = 40, COMPOSED = 16, OTHERS = 26, SYSTEM = 48, SYSTEM_WITH_FORCES = 80, WATCHED = 176 };
enum { SYSTEM_WATCHED = 96 };

enum { COUNT = 64, FIELDS = 5, MAX_FORCES = 16, OWN_TABLEAU = KDR_METHOD_COUNT, OWN_FRACTIONS, METHODS };

/* The marks choose every other particle. */
static uint8_t marks[COUNT];

/* Zeros that springs and drags borrow, which serve for both precisions. */
static const double each[COUNT];

/* Makes a list: no forces; forces that act on one axis at a time; forces that act on all axes at once, with all arrays. The last three of
 * five are driven or not, alternately. */
static size_t list_forces(int field, kdr_velocity_forces accepted, bool affine, kdr_force list[MAX_FORCES]) {
    size_t n = 0;
    if (field == 0) {
        return 0;
    }
    if (field % 2 == 0 && !affine) {
        list[n++] = kdr_force_driven(1, 2, 3, 1.5, 0.25);
    }
    list[n++] = kdr_force_spring(1, 0, 0, 0);
    if (field < 3) {
        return n;
    }
    if (!affine) {
        list[n++] = kdr_force_centre(1, 0.5, 0, 0, 0.5);
    }
    for (int i = 0; i < KDR_MAX_EACH; ++i) {
        list[n] = kdr_force_spring(1, 0, 0, 0);
        list[n].as.spring.k_each = list[n].as.spring.at_each[0] = list[n].as.spring.at_each[1] = list[n].as.spring.at_each[2] = each;
        list[n++].as.spring.count = COUNT;
    }
    if (accepted != KDR_VELOCITY_NONE) {
        list[n++] = kdr_force_electromagnetic(1, (const double[3]){0.125, 0, 0.25}, (const double[3]){0.25, -0.5, 1.5});
    }
    for (int i = 0; accepted == KDR_VELOCITY_ANY && i < KDR_MAX_EACH; ++i) {
        list[n] = kdr_force_drag(1, 0, 0, 0);
        list[n].as.drag.b_each = each;
        list[n++].as.drag.count = COUNT;
    }
    if (accepted == KDR_VELOCITY_ANY && !affine) {
        list[n++] = kdr_force_quadratic_drag(0.25, 0.5, -0.25, 0);
    }
    return n;
}

typedef struct stack_use {
    size_t reach;   /* from the caller down to the deepest byte written */
    size_t touched; /* in whole pages */
} stack_use;

typedef struct survey {
    unsigned char *stack;
    kdr_backend backend;
    stack_use worst[2][2][2]; /* first index: field is driven; second: view is strided or has marks or levels; third: method is composed */
    stack_use watched;        /* runs with events, and samples */
    stack_use system_watched; /* watched system runs, with all forces */
    stack_use system[2];      /* system runs without forces and slopes, and with some */
    stack_use others;         /* all other functions */
} survey;

__attribute__((noinline)) static void paint(unsigned char *stack, size_t size) {
    memset(stack, COLOUR, size);
    __asm__ volatile("" ::"r"(stack) : "memory");
}

__attribute__((noinline)) static stack_use look(const unsigned char *stack, const unsigned char *caller) {
    stack_use use = {0, 0};
    const size_t page = 4096;
    for (const unsigned char *at = stack; at < caller; at += page) {
        size_t i = 0;
        /* eight bytes at a time, because most are unchanged */
        for (uint64_t word; at + i + sizeof word <= caller && i < page; i += sizeof word) {
            word = *(const volatile uint64_t *)(const void *)(at + i);
            if (word != COLOUR * (UINT64_MAX / 0xff)) {
                break;
            }
        }
        while (i < page && at + i < caller && *(const volatile unsigned char *)(at + i) == COLOUR) {
            ++i;
        }
        if (i < page && at + i < caller) {
            use.touched += page;
            use.reach = use.reach ? use.reach : (size_t)(caller - (at + i));
        }
    }
    return use;
}

static void keep_worst(stack_use *worst, stack_use use) {
    worst->reach = use.reach > worst->reach ? use.reach : worst->reach;
    worst->touched = use.touched > worst->touched ? use.touched : worst->touched;
}

static void survey_run(survey *s, const kdr_integrator *integrator, kdr_particles *p, bool driven, bool composed) {
    unsigned char here = 0;
    kdr_clock clock = {0, 0.0078125, 0};
    kdr_error error;
    paint(s->stack, (size_t)(&here - s->stack) - MARGIN);
    const kdr_status status = kdr_integrator_run(integrator, p, &clock, 2, &error);
    keep_worst(&s->worst[driven][p->active != NULL][composed], look(s->stack, &here));
    cr_assert(status == KDR_OK, "%s", error.message);
}

static double passes(void *context, const double x[3], const double v[3], double t) {
    (void)context, (void)x, (void)v;
    return t - 0.004;
}

/* Measures an event of every particle, and a sample. */
static void survey_watched(survey *s, const kdr_integrator_desc *desc, const kdr_particles *p) {
    static double room[6][COUNT];
    static const kdr_watch watch = {.value = passes};
    unsigned char here = 0;
    kdr_integrator *integrator;
    kdr_integrator_desc watched = *desc;
    kdr_particles view = *p, to = {.count = COUNT, .dims = p->dims, .real = p->real};
    kdr_events events = {0};
    kdr_clock clock = {0, 0.0078125, 0};
    watched.watches = &watch, watched.watch_count = 1;
    if (kdr_integrator_create(&watched, &integrator, NULL) != KDR_OK) {
        return; /* stormer-verlet has none, and this one is not composed */
    }
    view.events = &events;
    for (int i = 0; i < 3; ++i) {
        to.x[i] = room[i];
        to.v[i] = room[3 + i];
    }
    paint(s->stack, (size_t)(&here - s->stack) - MARGIN);
    const bool good = kdr_integrator_run(integrator, &view, &clock, 2, NULL) == KDR_OK && events.count == COUNT / 2 &&
                      kdr_integrator_sample(integrator, &view, &clock, 0.5, &to, NULL) == KDR_OK;
    keep_worst(&s->watched, look(s->stack, &here));
    kdr_integrator_destroy(integrator);
    cr_assert(good, "%zu events", events.count);
}

/* Measures everything that is not a run of the kernels. */
static void survey_others(survey *s, const kdr_integrator_desc *desc, kdr_particles *p) {
    unsigned char here = 0;
    kdr_integrator *integrator;
    kdr_clock clock = {0, 0.0078125, 0};
    kdr_observables o;
    kdr_difference d;
    uint64_t fingerprint;
    size_t index;
    paint(s->stack, (size_t)(&here - s->stack) - MARGIN);
    const bool good = kdr_integrator_create(desc, &integrator, NULL) == KDR_OK && kdr_observe(integrator, p, &clock, &o, NULL) == KDR_OK &&
                      kdr_reference_run(desc, p, &clock, 1, NULL) == KDR_OK && kdr_compare(p, p, &d, NULL) == KDR_OK &&
                      kdr_fingerprint(p, &fingerprint, NULL) == KDR_OK && kdr_first_non_finite(p, &index, NULL) == KDR_OK;
    kdr_integrator_destroy(integrator);
    keep_worst(&s->others, look(s->stack, &here));
    cr_assert(good);
}

/* Does nothing, with very little stack. */
static kdr_status leave(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context, (void)p, (void)t, (void)a;
    return KDR_OK;
}

/* Measures system runs of particles in contiguous arrays, of some of them, in structures, and in blocks. */
static void survey_system(survey *s, const kdr_integrator_desc *field, kdr_particles *p) {
    static const kdr_pair_spring spring = {.a = 0, .b = 1, .k = 1, .length = 1};
    const kdr_interaction pairs[2] = {kdr_interaction_gravity(each, COUNT, 0.5), kdr_interaction_spring_network(&spring, 1)};
    static double rows[COUNT][7];
    set(p->x[0], p->real, 1, 1);                                               /* a spring needs a direction */
    const bool solves = kdr_method_get(field->method)->family == KDR_IMPLICIT; /* these have no blocks, and need not be solved */
    const bool maps = kdr_method_get(field->method)->family == KDR_KINEMATIC;  /* these have no blocks */
    for (int variant = 0; variant < 5; ++variant) {
        static const kdr_watch watch = {.value = passes};
        static const uint8_t one[COUNT] = {[3] = 1};
        if ((solves || maps) && variant == 3) {
            continue;
        }
        unsigned char here = 0;
        kdr_system_desc desc = describe_system(field->method, field->real, field->arithmetic, s->backend);
        kdr_system *system = NULL;
        kdr_workspace workspace = {0};
        kdr_clock clock = {0, 0.0078125, 0};
        kdr_error error;
        kdr_particles view = *p;
        kdr_events events = {0};
        if (variant == 4) {
            desc.watches = &watch, desc.watch_count = 1;
            view.events = &events;
            view.active = one, view.active_count = COUNT; /* one event needs as much stack as many */
        }
        desc.accelerations = solves ? NULL : leave;
        desc.forces = field->forces;
        desc.force_count = field->force_count;
        desc.interactions = pairs;
        desc.interaction_count = variant == 0 || variant == 4 ? 2 : 0;
        if (variant == 1) {
            view.active = marks, view.active_count = COUNT;
        } else if (variant == 2) {
            for (size_t i = 0; i < (size_t)view.dims; ++i) {
                view.x[i] = (char *)rows[0] + i * kdr_real_size(view.real);
                view.v[i] = (char *)rows[0] + (i + 3) * kdr_real_size(view.real);
            }
            view.x_layout.stride = view.v_layout.stride = sizeof rows[0];
        }
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_workspace_create(system, COUNT, view.dims, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
        paint(s->stack, (size_t)(&here - s->stack) - MARGIN);
        const kdr_status status = variant == 3 ? kdr_system_run_blocks(system, &view, &clock, 2, &error)
                                               : kdr_system_run(system, &view, &clock, 2, &workspace, &error);
        keep_worst(variant == 4 ? &s->system_watched : &s->system[desc.force_count > 0 || solves || maps], look(s->stack, &here));
        /* The states result from the runs before, so an equation need not have a solution. */
        cr_assert(status == KDR_OK || (solves && status == KDR_ERROR_ARGUMENT), "%s", error.message);
        cr_assert(variant != 4 || status != KDR_OK || events.count == 1, "%zu events", events.count);
        kdr_workspace_destroy(&workspace);
        kdr_system_destroy(system);
    }
}

static void survey_method(survey *s, int method, kdr_real real, int variant, kdr_particles *bare, kdr_particles *rich) {
    static const kdr_tableau tableau = {.stages = 2, .a = {{0}, {0.5}}, .b = {0, 1}, .c = {0, 0.5}};
    static const kdr_fractions fractions = {.count = 2, .kick = {0.5, 0.5}, .drift = {1, 0}};
    const kdr_method_info *info = kdr_method_get((kdr_method)method);
    const bool affine = info && info->affine;
    for (int field = 0; field < FIELDS; ++field) {
        kdr_force list[MAX_FORCES];
        const size_t n = list_forces(field, info ? info->velocity_forces : KDR_VELOCITY_ANY, affine, list);
        kdr_integrator_desc desc = describe((kdr_method)method, real, (kdr_arithmetic)(variant % 2), list, n);
        desc.backend = s->backend;
        desc.compensated = variant / 2 % 2;
        desc.tableau = method == OWN_TABLEAU ? &tableau : NULL;
        desc.fractions = method == OWN_FRACTIONS ? &fractions : NULL;
        if (info && kdr_family_get(info->family)->heat_bath) {
            desc.langevin = (kdr_langevin){0.5, 0.5, 3};
        }
        if (desc.compensated && info && !info->compensated) {
            continue;
        }
        kdr_particles some = *rich;
        some.active = marks;
        some.active_count = COUNT;
        const bool driven = field && field % 2 == 0 && !affine;
        for (int composed = 0; composed < 2; ++composed) {
            kdr_integrator *integrator;
            kdr_error error;
            desc.compose = composed ? KDR_COMPOSE_KAHAN_LI_8 : KDR_COMPOSE_NONE;
            const kdr_status status = kdr_integrator_create(&desc, &integrator, &error);
            cr_assert(status == KDR_OK || (composed && status == KDR_ERROR_UNSUPPORTED), "%s", error.message);
            if (status == KDR_OK) {
                survey_run(s, integrator, bare, driven, composed);
                survey_run(s, integrator, rich, driven, composed);
                survey_run(s, integrator, &some, driven, composed);
                survey_watched(s, &desc, &some);
                kdr_integrator_destroy(integrator);
            }
        }
        desc.compose = KDR_COMPOSE_NONE;
        if (variant == 0) {
            survey_others(s, &desc, rich);
        }
        if (variant == 0 && (field == 0 || field >= 3) && rich->dims == 3 && is_system((kdr_method)method)) {
            survey_system(s, &desc, rich);
        }
    }
}

static void *survey_all(void *argument) {
    survey *s = argument;
    for (size_t i = 0; i < COUNT; i += 2) {
        marks[i] = 1;
    }
    for (int i = 0; i < 3 * KDR_REAL_COUNT; ++i) {
        kdr_particles_desc desc = kdr_particles_desc_default();
        desc.count = COUNT;
        desc.dims = 1 + i % 3;
        desc.real = (kdr_real)(i / 3);
        kdr_particles bare, rich;
        cr_assert(kdr_particles_create(&desc, &bare, NULL) == KDR_OK);
        desc.inverse_mass = desc.memory = desc.compensation = true;
        cr_assert(kdr_particles_create(&desc, &rich, NULL) == KDR_OK);
        for (int m = 0; m < METHODS * 4; ++m) {
            survey_method(s, m / 4, desc.real, m % 4, &bare, &rich);
        }
        kdr_particles_destroy(&bare);
        kdr_particles_destroy(&rich);
    }
    return NULL;
}

static void survey_on_a_thread(survey *s) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *block = mmap(NULL, STACK + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;
    cr_assert(block != MAP_FAILED && mprotect(block, page, PROT_NONE) == 0);
    s->stack = block + page;
    cr_assert(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, s->stack, STACK) == 0);
    cr_assert(pthread_create(&thread, &attributes, survey_all, s) == 0 && pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
    munmap(block, STACK + page);
}

Test(stack, is_as_documented) {
#if !defined(__OPTIMIZE__) || SANITIZED
    cr_skip_test("frames of another size than an optimised build has");
#endif
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        if (!info.runnable) {
            continue;
        }
        survey s = {.backend = (kdr_backend)b};
        survey_on_a_thread(&s);
        for (int i = 0; i < 8; ++i) {
            const bool driven = i % 2, staged = i / 2 % 2, composed = i / 4;
            const stack_use worst = s.worst[driven][staged][composed];
            const size_t most = (size_t)(RUN + (driven ? DRIVEN : 0) + (staged ? STAGED : 0) + (composed ? COMPOSED : 0)) * KILO;
            fprintf(stderr, "%s%s%s%s: reaches %zu bytes down and touches %zu, documented are %zu\n", info.name, driven ? ", driven" : "",
                    staged ? ", staged" : "", composed ? ", composed" : "", worst.reach, worst.touched, most);
            cr_expect(worst.reach <= most, "%s: %zu bytes of stack", info.name, worst.reach);
            cr_expect(worst.reach > most / 2, "%s: %zu bytes of stack, which is a reason to document less", info.name, worst.reach);
        }
        for (int i = 0; i < 2; ++i) {
            const size_t most = (size_t)(i ? SYSTEM_WITH_FORCES : SYSTEM) * KILO, reach = s.system[i].reach;
            fprintf(stderr, "%s, system%s: reaches %zu bytes down, documented are %zu\n", info.name, i ? ", with forces" : "", reach, most);
            cr_expect(reach <= most && reach > most / 2, "%s: %zu bytes of stack, documented are %zu", info.name, reach, most);
        }
        const size_t most = (size_t)SYSTEM_WATCHED * KILO, reach = s.system_watched.reach;
        fprintf(stderr, "%s, system, watched: reaches %zu bytes down, documented are %zu\n", info.name, reach, most);
        cr_expect(reach <= most && reach > most / 2, "%s: %zu bytes of stack, documented are %zu", info.name, reach, most);
        fprintf(stderr, "%s, watched: reaches %zu bytes down, documented are %d\n", info.name, s.watched.reach, WATCHED * KILO);
        cr_expect(s.watched.reach <= WATCHED * KILO && s.watched.reach > WATCHED * KILO / 2, "%s: %zu bytes of stack", info.name,
                  s.watched.reach);
        fprintf(stderr, "%s: other functions reach %zu bytes down\n", info.name, s.others.reach);
        cr_expect(s.others.reach > 4 * KILO && s.others.reach <= OTHERS * KILO, "%s: %zu bytes of stack", info.name, s.others.reach);
    }
}
