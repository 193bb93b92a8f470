/* Measures passes over all particles (see passes.h). The function that a system run calls for accelerations does nothing, so that only the
 * library's part is timed. Each call is followed by plain passes over arrays of the same size, so that both run under the same
 * conditions. */
#include "passes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kickdrift/system.h>

#include "clock.h"
#include "particles/storage.h"

static const double dt = 1.0 / 1024;

enum { STEPS = 8, CALLS_A_RESET = 32 };

typedef struct job {
    const kdr_bench_pass_row *row;
    kdr_particles particles;
    kdr_system *system;
    kdr_workspace workspace;
    kdr_pass_options options;
    kdr_clock clock;
    kdr_allocator allocator;
    unsigned char *block; /* x, v and memory of the particles; the plain pass' arrays */
    size_t size;
    void *plain[3];
} job;

/* The layout of x and v: axes and particles of a structure of `width` elements. */
typedef struct kdr_bench_pass_layout {
    const char *name;
    size_t width; /* 0: one array per axis; 3: x as rows and v as rows; otherwise one structure per particle */
} kdr_bench_pass_layout;

static const kdr_bench_pass_layout layouts[] = {{"arrays", 0}, {"rows", 3}, {"structs-6", 6}, {"structs-13", 13}};

/* A kind of pass. `units` is the number of arrays that a call reads and writes, per axis. */
typedef struct kdr_bench_pass_kind {
    const char *name;
    kdr_status (*call)(job *job, kdr_error *error);
    double units;
    kdr_method method; /* method of the run */
} kdr_bench_pass_kind;

/* Measures a run. Velocity Verlet begins with kick and drift, continues with two kicks and a drift per step, and ends with a kick. baoab
 * does the same, but its drift is two drifts with noise between them, followed by the box. It also copies the state at the beginning of a
 * step, which cannot be computed back. */
static kdr_status run(job *j, kdr_error *error) { return kdr_system_run(j->system, &j->particles, &j->clock, STEPS, &j->workspace, error); }

/* Measures the same steps from two passes each. */
static kdr_status two_passes(job *j, kdr_error *error) {
    kdr_status status = KDR_OK;
    for (int n = 0; n < STEPS && status == KDR_OK; ++n) {
        status = kdr_kick_drift(&j->particles, dt / 2, dt, j->particles.memory, &j->options, error);
        if (status == KDR_OK) {
            status = kdr_kick(&j->particles, dt / 2, j->particles.memory, &j->options, error);
        }
    }
    return status;
}

/* Measures the same steps from three passes each. */
static kdr_status three_passes(job *j, kdr_error *error) {
    kdr_status status = KDR_OK;
    for (int n = 0; n < STEPS && status == KDR_OK; ++n) {
        status = kdr_kick(&j->particles, dt / 2, j->particles.memory, &j->options, error);
        if (status == KDR_OK) {
            status = kdr_drift(&j->particles, dt, &j->options, error);
        }
        if (status == KDR_OK) {
            status = kdr_kick(&j->particles, dt / 2, j->particles.memory, &j->options, error);
        }
    }
    return status;
}

static const kdr_bench_pass_kind kinds[] = {{"verlet", run, 5.0 * STEPS + 3.0, KDR_VELOCITY_VERLET},
                                            {"two-passes", two_passes, 8.0 * STEPS, KDR_VELOCITY_VERLET},
                                            {"three-passes", three_passes, 9.0 * STEPS, KDR_VELOCITY_VERLET},
                                            {"baoab", run, 7.0 * STEPS + 3.0, KDR_BAOAB}};

static kdr_status unchanged(void *context, const kdr_particles *particles, double t, void *const a[3]) {
    (void)context, (void)particles, (void)t, (void)a;
    return KDR_OK;
}

static void put(const job *j, void *array, size_t stride, size_t i, double value) {
    const float narrow = (float)value;
    const size_t size = kdr_real_size(j->row->real);
    memcpy((char *)array + i * (stride ? stride : size), size == sizeof narrow ? (const void *)&narrow : (const void *)&value, size);
}

/* Returns number i of a sequence that is spread over (-1, 1) without a pattern, as in step.c. */
static double spread(size_t i, uint32_t offset) { return (int32_t)(((uint32_t)i + offset) * UINT32_C(0x9E3779B9)) * 0x1p-31; }

static void reset(job *j) {
    for (uint32_t axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < j->row->count; ++i) {
            put(j, j->particles.x[axis], j->particles.x_layout.stride, i, spread(i, 1000003 * axis));
            put(j, j->particles.v[axis], j->particles.v_layout.stride, i, spread(i, 1000003 * (axis + 3)));
            if (j->particles.memory[axis]) {
                put(j, j->particles.memory[axis], 0, i, spread(i, 1000003 * (axis + 6)));
            }
            put(j, j->plain[axis], 0, i, axis == 2 ? 0 : spread(i, axis));
        }
    }
}

/* Returns an array of `elements`, with the gap from the last one that kdr_particles_create leaves. */
static void *take(job *j, size_t *at, size_t elements) {
    const size_t bytes = elements * kdr_real_size(j->row->real);
    void *const array = j->block ? j->block + *at : NULL;
    *at += (bytes + 4095) / 4096 * 4096 + 320;
    return array;
}

static size_t lay_out(job *j) {
    const size_t count = j->row->count, size = kdr_real_size(j->row->real), width = j->row->layout->width;
    size_t at = 64;
    kdr_particles *const p = &j->particles;
    unsigned char *const first = take(j, &at, width ? width * count : count);
    unsigned char *const second = width == 3 ? take(j, &at, width * count) : first + 3 * size;
    for (size_t axis = 0; axis < 3 && j->block; ++axis) {
        p->x[axis] = width ? first + axis * size : axis == 0 ? first : take(j, &at, count);
        p->v[axis] = width ? second + axis * size : take(j, &at, count);
    }
    at += width || j->block ? 0 : 5 * ((count * size + 4095) / 4096 * 4096 + 320);
    p->x_layout.stride = p->v_layout.stride = width * size;
    for (size_t axis = 0; axis < 3; ++axis) {
        p->memory[axis] = take(j, &at, count);
    }
    for (size_t axis = 0; axis < 3; ++axis) {
        j->plain[axis] = take(j, &at, count);
    }
    return at;
}

static kdr_status prepare(job *j, const kdr_bench_pass_row *row, kdr_error *error) {
    *j = (job){.row = row, .particles = kdr_particles_default(), .clock = {.dt = dt}, .allocator = kdr_system_allocator()};
    j->particles.count = row->count;
    j->particles.real = row->real;
    j->size = lay_out(j);
    j->block = j->allocator.allocate(j->allocator.context, j->size, 64);
    if (!j->block) {
        return KDR_ERROR_NO_MEMORY;
    }
    lay_out(j);
    kdr_system_desc desc = kdr_system_desc_default();
    desc.real = row->real;
    desc.backend = row->backend;
    desc.accelerations = unchanged;
    desc.method = row->kind->method;
    if (desc.method == KDR_BAOAB) {
        /* the temperature of velocities that are spread over (-1, 1) */
        desc.langevin = (kdr_langevin){.friction = 1, .temperature = 1.0 / 3, .seed = 1};
        desc.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {-1, -1, -1}, {1, 1, 1}};
    }
    desc.rows = row->layout->width == 3 && row->kind->call == run && desc.method == KDR_VELOCITY_VERLET;
    for (int axis = 0; axis < 3 && desc.rows; ++axis) {
        j->particles.memory[axis] = NULL;
    }
    kdr_status status = kdr_pass_options_init(KDR_FUSED, row->backend, kdr_executor_serial(), &j->options, error);
    if (status == KDR_OK) {
        status = kdr_system_create(&desc, &j->system, error);
    }
    if (status == KDR_OK) {
        status = kdr_workspace_create(j->system, row->count, 3, (kdr_allocator){NULL, NULL, NULL}, &j->workspace, error);
    }
    if (status == KDR_OK) {
        memset(j->workspace.memory, 0, j->workspace.size);
    }
    return status;
}

typedef struct timing {
    double seconds, fastest;
    uint64_t calls;
} timing;

static void add_time(timing *time, double seconds) {
    time->seconds += seconds;
    time->fastest = fmin(time->fastest, seconds);
    ++time->calls;
}

/* Takes as many plain passes as a call takes steps, and returns the seconds. */
static double plain_passes(job *j) {
    const double start = kdr_bench_seconds();
    for (int n = 0; n < STEPS; ++n) {
        j->row->plain->pass(j->plain[0], j->plain[1], j->plain[2], j->row->count);
        kdr_bench_keep(j->plain[0]);
    }
    return kdr_bench_seconds() - start;
}

static kdr_status measure(kdr_bench_state *state, job *j, kdr_error *error) {
    timing pass = {.fastest = INFINITY}, plain = {.fastest = INFINITY};
    const double array = (double)j->row->count * (double)kdr_real_size(j->row->real);
    for (uint64_t calls = 0; kdr_bench_next(state); ++calls) {
        kdr_bench_pause(state);
        if (calls % CALLS_A_RESET == 0) {
            reset(j);
            const kdr_status status = j->row->kind->call(j, error); /* fills the accelerations that are kept, and the cache */
            if (status != KDR_OK) {
                return status;
            }
        }
        add_time(&plain, plain_passes(j));
        kdr_bench_resume(state);
        const double start = kdr_bench_seconds();
        const kdr_status status = j->row->kind->call(j, error);
        kdr_bench_keep(j->particles.x[0]);
        add_time(&pass, kdr_bench_seconds() - start);
        if (status != KDR_OK) {
            return status;
        }
    }
    const double bytes = 3 * j->row->kind->units * array, rate = bytes * (double)pass.calls / pass.seconds, plain_bytes = 5 * STEPS * array;
    kdr_bench_counter(state, "bytes/s", rate);
    kdr_bench_counter(state, "best", bytes / pass.fastest);
    kdr_bench_counter(state, "of_plain", rate / (plain_bytes * (double)plain.calls / plain.seconds));
    kdr_bench_counter(state, "best_of_plain", bytes / pass.fastest / (plain_bytes / plain.fastest));
    kdr_bench_counter(state, "steps/s", STEPS * (double)pass.calls / pass.seconds);
    kdr_bench_counter(state, "bytes/step", bytes / STEPS / (double)j->row->count);
    return KDR_OK;
}

void kdr_bench_pass(kdr_bench_state *state, void *context) {
    const kdr_bench_pass_row *const row = context;
    job j;
    kdr_error error = {KDR_OK, ""};
    kdr_status status = prepare(&j, row, &error);
    if (status == KDR_OK) {
        status = measure(state, &j, &error);
    }
    if (status != KDR_OK) {
        kdr_bench_give_up(row->session, state, status, &error);
    }
    kdr_workspace_destroy(&j.workspace);
    kdr_system_destroy(j.system);
    if (j.block) {
        j.allocator.release(j.allocator.context, j.block, j.size);
    }
}

static const kdr_bench_memory_pass_unit *plain_of(const char *isa, kdr_real real) {
    for (const kdr_bench_memory_pass_unit *const *unit = kdr_bench_memory_pass_units; *unit; ++unit) {
        if (strcmp((*unit)->isa, isa) == 0 && strcmp((*unit)->real, kdr_real_name(real)) == 0) {
            return *unit;
        }
    }
    return NULL;
}

size_t kdr_bench_pass_rows(kdr_bench_session *session, kdr_backend backend, kdr_bench_pass_row rows[KDR_BENCH_PASS_ROWS]) {
    static const size_t counts[] = {16384, 262144, 4194304};
    kdr_backend_info info;
    size_t n = 0;
    if (kdr_backend_query(backend, &info) != KDR_OK) {
        return 0;
    }
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
        for (size_t layout = 0; layout < sizeof layouts / sizeof *layouts; ++layout) {
            for (int real = 0; real < KDR_REAL_COUNT; ++real) {
                for (size_t count = 0; count < sizeof counts / sizeof *counts; ++count) {
                    kdr_bench_pass_row *const row = &rows[n++];
                    *row = (kdr_bench_pass_row){.session = session,
                                                .kind = &kinds[kind],
                                                .layout = &layouts[layout],
                                                .plain = plain_of(info.name, (kdr_real)real),
                                                .real = (kdr_real)real,
                                                .backend = backend,
                                                .count = counts[count],
                                                .principal = count == 2 && real == KDR_F64 && (kind == 0 || layout == 0)};
                    snprintf(row->name, sizeof row->name, "pass/%s/%s/%s/%s/%zu", kinds[kind].name, layouts[layout].name,
                             kdr_real_name((kdr_real)real), info.name, counts[count]);
                }
            }
        }
    }
    return n;
}
