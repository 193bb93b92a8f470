/* Coupled runs of particles that do not feel each other: a block after the other, each through all steps while it is in a cache.
 *
 * Splitting and Runge-Kutta methods without a field beside the function step a copy of the block, whole groups of vectors, its axes side by
 * side. Of a splitting method there is one sweep over all of it between two evaluations. The sweep that crosses the end of a step writes to
 * other arrays than it reads, and the evaluations of a step to another than that which ended the one before: so the end of the last whole
 * step is always there to go back to, at no cost. Any other run is kdr_coupled_run on a slice. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/layout.h"
#include "coupled.h"

/* Of each axis of an array: 512 or 256 particles, of Runge-Kutta methods half as many. Of f32 on three axes velocity Verlet has 36 KB in six
 * arrays, and rk4 33 KB in eleven: with half of that or twice it velocity Verlet is slower by a quarter. */
enum { BYTES = 2048, STAGE_BYTES = BYTES / 2 };

/* What comes before each evaluation of a step and after the last, a kick and a drift at the most; and the last and the first together, the
 * end of a step between them. Of a pass the arrays are left out. */
typedef struct pieces {
    int evaluations;
    kdr_cross_pass piece[KDR_MAX_FRACTIONS + 1], crossing;
} pieces;

/* The passes of a step: of each stage but the first x, then v; the sums of x and v. */
typedef struct tableau {
    int passes;
    kdr_stage_pass stage[2 * KDR_MAX_STAGES];
    kdr_sum_pass sum[2];
} tableau;

/* The arrays of a block: of a splitting method two states and two accelerations; of a Runge-Kutta method the state, a stage's x, and slopes,
 * of which those of x are the stages' v, the first one v itself. */
typedef union block {
    struct {
        _Alignas(64) unsigned char w[3 * BYTES], x[2][3 * BYTES], v[2][3 * BYTES], a[2][3 * BYTES];
    };
    struct {
        _Alignas(64) unsigned char masses[3 * STAGE_BYTES], now[3 * STAGE_BYTES], stage[3 * STAGE_BYTES];
        unsigned char kx[KDR_MAX_STAGES][3 * STAGE_BYTES], kv[KDR_MAX_STAGES][3 * STAGE_BYTES];
        tableau tableau;
    };
} block;

typedef struct blocks {
    kdr_coupled coupled; /* as the caller's, but for the executor, which has been asked already */
    const kdr_particles *particles;
    const kdr_clock *clock;
    uint64_t steps;
    size_t length;
    bool in_copies, carries, resumes;
    double fraction[KDR_MAX_FRACTIONS];
    pieces pieces;
    atomic_int status; /* the first that was not KDR_OK; who sets it, and nobody after, writes what follows */
    kdr_error error;
} blocks;

static void fail(blocks *b, const kdr_error *error) {
    int ok = KDR_OK;
    if (atomic_compare_exchange_strong(&b->status, &ok, (int)error->status)) {
        b->error = *error;
    }
}

static void fail_block(blocks *b, size_t begin, size_t count, uint64_t done, kdr_status status, const char *why) {
    kdr_error error;
    (void)kdr_fail(&error, status, "particles %zu to %zu, after %llu of %llu steps: %.120s", begin, begin + count - 1,
                   (unsigned long long)done, (unsigned long long)b->steps, why);
    fail(b, &error);
}

/* A block, and what the function is given of it. */
typedef struct way {
    blocks *b;
    block *at;
    kdr_particles seen;
    size_t stride, size, elements; /* elements: of all axes, whole groups */
} way;

/* Elements of one axis after those of another: rows of whole groups, the last particle repeated. */
static void copy_in(const way *w, void *const from[3], unsigned char *to, int axes) {
    for (int i = 0; i < axes; ++i) {
        unsigned char *const row = to + (size_t)i * w->stride * w->size;
        const size_t count = w->seen.count;
        memcpy(row, from[i], count * w->size);
        for (size_t n = count; n < w->stride; ++n) {
            memcpy(row + n * w->size, row + (count - 1) * w->size, w->size);
        }
    }
}

static void copy_out(const way *w, const unsigned char *from, void *const to[3]) {
    for (int i = 0; i < w->seen.dims; ++i) {
        memcpy(to[i], from + (size_t)i * w->stride * w->size, w->seen.count * w->size);
    }
}

static void put_masses(way *w, const kdr_particles *part) { /* masses and w begin at one address */
    if (part->inverse_mass) {
        void *const all[3] = {part->inverse_mass, part->inverse_mass, part->inverse_mass};
        copy_in(w, all, w->at->w, part->dims);
        w->seen.inverse_mass = w->at->w;
    }
}

static way make_way(blocks *b, const kdr_particles *part, block *memory) {
    way w = {.b = b, .at = memory, .seen = *part, .size = kdr_real_size(part->real)};
    w.stride = (part->count + KDR_PASS_GROUP - 1) / KDR_PASS_GROUP * KDR_PASS_GROUP;
    w.elements = w.stride * (size_t)part->dims;
    w.seen.storage = NULL;
    memset(w.seen.memory, 0, sizeof w.seen.memory);
    return w;
}

/* In step n, at a fraction of it. */
static kdr_status evaluate(way *w, uint64_t n, double fraction, unsigned char *x, unsigned char *v, unsigned char *a) {
    const kdr_coupled_desc *const desc = &w->b->coupled.desc;
    void *to[3] = {NULL, NULL, NULL};
    for (int i = 0; i < w->seen.dims; ++i) {
        const size_t row = (size_t)i * w->stride * w->size;
        w->seen.x[i] = x + row;
        w->seen.v[i] = v + row;
        to[i] = a + row;
    }
    return desc->accelerations(desc->context, &w->seen, kdr_clock_time(w->b->clock, w->b->clock->step + n, fraction), to);
}

/* A splitting method. */

static void make_pieces(const kdr_splitting_row *row, double dt, pieces *made) {
    const bool keeps = kdr_splitting_keeps(row);
    memset(made, 0, sizeof *made);
    for (int i = 0; i < row->stages; ++i) {
        made->evaluations += row->kick[i] != 0.0 && (i > 0 || !keeps);
        kdr_cross_pass *const p = &made->piece[made->evaluations];
        if (row->kick[i] != 0.0) {
            p->kicks[0] = true;
            p->kick[0] = dt * row->kick[i];
        }
        if (row->drift[i] != 0.0) {
            p->drifts[0] = true;
            p->drift[0] = dt * row->drift[i];
        }
    }
    made->crossing = made->piece[made->evaluations];
    made->crossing.kicks[1] = made->piece[0].kicks[0];
    made->crossing.kick[1] = made->piece[0].kick[0];
    made->crossing.drifts[1] = made->piece[0].drifts[0];
    made->crossing.drift[1] = made->piece[0].drift[0];
}

static void sweep(const way *w, const kdr_cross_pass *what, int from, int to) {
    kdr_cross_pass p = *what;
    p.x = w->at->x[from];
    p.v = w->at->v[from];
    p.a = w->at->a[from];
    p.w = w->seen.inverse_mass;
    p.to_x = w->at->x[to];
    p.to_v = w->at->v[to];
    w->b->coupled.passes->cross(&p, w->elements);
}

/* Step n, from state `now` to the other, but for what comes after its last evaluation. */
static kdr_status step(way *w, uint64_t n, int now) {
    const pieces *const made = &w->b->pieces;
    const int to = 1 - now;
    kdr_status status = KDR_OK;
    for (int e = 0; e < made->evaluations && status == KDR_OK; ++e) {
        sweep(w, e == 0 && n > 0 ? &made->crossing : &made->piece[e], e == 0 ? now : to, to);
        status = evaluate(w, n, w->b->fraction[e], w->at->x[to], w->at->v[to], w->at->a[to]);
    }
    return status;
}

static void run_copy(blocks *b, size_t begin, size_t count, block *memory) {
    const bool keeps = kdr_splitting_keeps(b->coupled.problem.row->data.splitting);
    const kdr_particles part = kdr_particles_slice(b->particles, begin, count);
    way w = make_way(b, &part, memory);
    memset(memory->a, 0, sizeof memory->a);
    copy_in(&w, part.x, memory->x[0], part.dims);
    copy_in(&w, part.v, memory->v[0], part.dims);
    put_masses(&w, &part);
    kdr_status status = KDR_OK;
    if (keeps && b->resumes) {
        copy_in(&w, part.memory, memory->a[0], part.dims);
    } else if (keeps) {
        status = evaluate(&w, 0, 0.0, memory->x[0], memory->v[0], memory->a[0]);
    }
    if (status != KDR_OK) {
        fail_block(b, begin, count, 0, status, kdr_status_string(status));
        return;
    }
    int now = 0;
    uint64_t n = 0;
    while (n < b->steps && status == KDR_OK) {
        status = step(&w, n, now);
        if (status == KDR_OK) {
            now = 1 - now;
            n++;
        }
    }
    if (n > 0) {
        sweep(&w, &b->pieces.piece[b->pieces.evaluations], now, now);
    }
    if (status != KDR_OK) {
        fail_block(b, begin, count, n, status, kdr_status_string(status));
    }
    copy_out(&w, memory->x[now], part.x);
    copy_out(&w, memory->v[now], part.v);
    if (keeps && b->carries) {
        copy_out(&w, memory->a[now], part.memory);
    }
}

/* A Runge-Kutta method. */

/* A stage's x or v: y and the slopes before it. */
static void add_stage(tableau *made, double dt, const kdr_runge_kutta_row *row, int s, const unsigned char *y, unsigned char *out,
                      const void *masses, unsigned char (*slope)[3 * STAGE_BYTES]) {
    kdr_stage_pass *const pass = &made->stage[made->passes++];
    *pass = (kdr_stage_pass){.y = y, .out = out, .w = masses};
    for (int j = 0; j < s; ++j) {
        if (row->a[s][j] != 0.0) {
            pass->slope[pass->terms] = slope[j];
            pass->factor[pass->terms++] = dt * row->a[s][j];
        }
    }
}

static void make_tableau(const kdr_runge_kutta_row *row, double dt, block *at, const void *masses, tableau *made) {
    unsigned char (*const slopes[2])[3 * STAGE_BYTES] = {at->kx, at->kv};
    made->passes = 0;
    for (int s = 1; s < row->stages; ++s) {
        add_stage(made, dt, row, s, at->now, at->stage, masses, at->kx);
        add_stage(made, dt, row, s, at->kx[0], at->kx[s], masses, at->kv);
    }
    for (int i = 0; i < 2; ++i) { /* x first: v is its first slope */
        made->sum[i] = (kdr_sum_pass){.y = i == 0 ? at->now : at->kx[0], .w = masses, .stages = row->stages, .factor = dt * row->scale};
        for (int j = 0; j < row->stages; ++j) {
            made->sum[i].slope[j] = slopes[i][j];
            made->sum[i].ratio[j] = row->ratio[j];
        }
    }
}

static kdr_status stages(way *w, int count, uint64_t n) {
    const kdr_passes *const passes = w->b->coupled.passes;
    const tableau *const made = &w->at->tableau;
    block *const at = w->at;
    for (int s = 0; s < count; ++s) {
        for (int i = 0; i < 2 && s > 0; ++i) {
            passes->stage(&made->stage[2 * (s - 1) + i], 0, w->elements);
        }
        const kdr_status status = evaluate(w, n, w->b->fraction[s], s == 0 ? at->now : at->stage, at->kx[s], at->kv[s]);
        if (status != KDR_OK) {
            return status;
        }
    }
    passes->sum(&made->sum[0], 0, w->elements);
    passes->sum(&made->sum[1], 0, w->elements);
    return KDR_OK;
}

/* Until its last stage is there, a step changes nothing of the state. */
static void run_stages(blocks *b, size_t begin, size_t count, block *memory) {
    const kdr_runge_kutta_row *const row = b->coupled.problem.row->data.runge_kutta;
    const kdr_particles part = kdr_particles_slice(b->particles, begin, count);
    way w = make_way(b, &part, memory);
    copy_in(&w, part.x, memory->now, part.dims);
    copy_in(&w, part.v, memory->kx[0], part.dims);
    put_masses(&w, &part);
    for (int s = 0; s < row->stages; ++s) {
        memset(memory->kv[s], 0, sizeof memory->kv[s]);
    }
    make_tableau(row, b->clock->dt, memory, w.seen.inverse_mass, &memory->tableau);
    kdr_status status = KDR_OK;
    uint64_t n = 0;
    for (; n < b->steps && status == KDR_OK; n += status == KDR_OK) {
        status = stages(&w, row->stages, n);
    }
    if (status != KDR_OK) {
        fail_block(b, begin, count, n, status, kdr_status_string(status));
    }
    copy_out(&w, memory->now, part.x);
    copy_out(&w, memory->kx[0], part.v);
}

/* Any other. */
static void run_slice(blocks *b, size_t begin, size_t count, const kdr_workspace *workspace) {
    kdr_particles part = kdr_particles_slice(b->particles, begin, count);
    kdr_clock clock = *b->clock;
    kdr_error why;
    const kdr_status status = kdr_coupled_run(&b->coupled, &part, &clock, b->steps, workspace, &why);
    if (status != KDR_OK) {
        fail_block(b, begin, count, clock.step - b->clock->step, status, why.message);
    }
}

static void run_range(void *argument, size_t first, size_t last) {
    blocks *const b = argument;
    const size_t size = b->in_copies ? sizeof(block) : kdr_coupled_workspace_size(&b->coupled, b->length, b->particles->dims);
    const kdr_workspace workspace = {malloc(size + 64), size, {NULL, NULL, NULL}};
    if (!workspace.memory) {
        kdr_error error;
        (void)kdr_fail(&error, KDR_ERROR_NO_MEMORY, "blocks: no memory for a workspace of %zu bytes", size);
        fail(b, &error);
        return;
    }
    for (size_t n = first; n < last && atomic_load(&b->status) == KDR_OK; ++n) {
        const size_t begin = n * b->length, left = b->particles->count - begin;
        const size_t count = left < b->length ? left : b->length;
        block *const copies = (block *)(((uintptr_t)workspace.memory + 63) / 64 * 64);
        if (!b->in_copies) {
            run_slice(b, begin, count, &workspace);
        } else if (b->coupled.problem.row->info.family == KDR_SPLITTING) {
            run_copy(b, begin, count, copies);
        } else {
            run_stages(b, begin, count, copies);
        }
    }
    free(workspace.memory);
}

/* A row whose kicks and drifts between two evaluations are one of each at the most; no field beside the function; plain arrays. */
static bool fits_copies(const kdr_coupled *coupled, const kdr_particles *p) {
    const size_t size = kdr_real_size(p->real);
    const kdr_family family = coupled->problem.row->info.family;
    if (family == KDR_NYSTROM || !coupled->desc.accelerations || coupled->desc.force_count > 0) {
        return false;
    }
    const kdr_splitting_row *const row = coupled->problem.row->data.splitting;
    for (int i = 1; family == KDR_SPLITTING && i < row->stages; ++i) {
        if (row->predicts || row->kick[i] == 0.0 || row->drift[i - 1] == 0.0) {
            return false;
        }
    }
    return kdr_layout_is_plain(&p->x_layout, size) && kdr_layout_is_plain(&p->v_layout, size) &&
           kdr_layout_is_plain(&p->inverse_mass_layout, size) && !p->active && !p->level;
}

kdr_status kdr_coupled_run_blocks(const kdr_coupled *coupled, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                  kdr_error *error) {
    KDR_CHECK(coupled, error, KDR_ERROR_NULL, "coupled: expected a pointer, got NULL");
    KDR_CHECK(!coupled->desc.rows, error, KDR_ERROR_UNSUPPORTED, "rows: blocks expected arrays an axis, got rows; take kdr_coupled_run");
    const kdr_status status = kdr_problem_check_run(&coupled->problem, particles, clock, steps, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(coupled->term_count == 0, error, KDR_ERROR_UNSUPPORTED,
              "coupled: runs in blocks expected particles that do not feel each other, got %zu coupled forces; take kdr_coupled_run",
              coupled->term_count);
    if (steps == 0) {
        return KDR_OK;
    }
    blocks b = {.coupled = *coupled, .particles = particles, .clock = clock, .steps = steps};
    b.coupled.desc.executor = kdr_executor_serial();
    b.in_copies = fits_copies(coupled, particles);
    b.length = (b.in_copies && coupled->problem.row->info.family != KDR_SPLITTING ? STAGE_BYTES : BYTES) / kdr_real_size(particles->real);
    b.carries = kdr_problem_carries(&coupled->problem, particles);
    b.resumes = kdr_problem_resumes(&coupled->problem, particles, clock);
    (void)kdr_row_times(coupled->problem.row, b.fraction);
    if (b.in_copies && coupled->problem.row->info.family == KDR_SPLITTING) {
        make_pieces(coupled->problem.row->data.splitting, clock->dt, &b.pieces);
    }
    atomic_init(&b.status, KDR_OK);
    if (particles->count > 0) {
        kdr_parallel_for(&coupled->desc.executor, (particles->count - 1) / b.length + 1, run_range, &b);
    }
    if (atomic_load(&b.status) != KDR_OK) {
        particles->memory_key = 0;
        return kdr_fail(error, b.error.status, "%s", b.error.message);
    }
    clock->step += steps;
    particles->memory_key = kdr_problem_memory_key(&coupled->problem, particles, clock);
    return KDR_OK;
}
