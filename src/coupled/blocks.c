/* Coupled runs of particles that do not feel each other: a block after the other, each through all steps while it is in a cache.
 *
 * Splitting and Runge-Kutta methods without a field beside the function step a copy of the block, whole vectors, its axes side by side.
 * What the passes of a step are told is worked out once, not before each call: that cost as much as half of the sweeps.
 *
 * Of a splitting method there is one sweep over all of the block between two evaluations. The sweep that crosses the end of a step
 * writes to other arrays than it reads, and the evaluations of a step to another than that which ended the one before: so the end of the
 * last whole step is always there to go back to, at no cost. Any other run is kdr_coupled_run on a slice. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/layout.h"
#include "coupled.h"

/* A kick and a drift at the most; or across the end of a step two of each. */
typedef struct piece {
    kdr_cross_pass pass;
    kdr_cross_fn *sweep;
} piece;

/* What comes before each evaluation of a step and after the last, for either state that the step ends in: in place, but for the first; and
 * the last of a step and the first of the next together. */
typedef struct pieces {
    int evaluations;
    piece piece[KDR_MAX_FRACTIONS + 1][2], crossing[2];
} pieces;

/* The passes of x and of v: for each stage but the first, and for the sum. */
typedef struct tableau {
    kdr_stage_pass stage[KDR_MAX_STAGES][2];
    kdr_sum_pass sum[2];
} tableau;

/* Bytes: of all arrays of a block, in a first-level cache of 48 KB; of an axis of an array, at the least; and of one in a slice. Longer
 * blocks spread what a call costs, shorter ones leave room for arrays of the function's own (30 KB: slower by a twentieth, 60 KB: by a
 * tenth). */
enum { FOOTPRINT = 36 << 10, LEAST = 1024, SLICE = 2048 };

/* From array to array, modulo a page. Loads that agree with stores just before them in the lower 12 bits of their addresses wait for
 * them: less than 256 bytes to either side of a whole page cost a tenth (avx512); all other places are alike. */
enum { PAGE = 4096, PLACE = 2048 };

/* The arrays of a block, by number. Of a splitting method two states and two accelerations; of a Runge-Kutta method the state, a stage, and
 * the slopes: those of v, then those of x that do not lie with v, being the v of the third stage and of those after it. */
enum { W, X, V = X + 2, A = V + 2 };

typedef struct way way;

typedef struct blocks {
    kdr_coupled coupled; /* as the caller's, but for the executor, which has been asked already */
    const kdr_particles *particles;
    const kdr_clock *clock;
    uint64_t steps;
    size_t length, apart; /* particles of a block, and bytes from array to array */
    bool carries, resumes, keeps;
    double fraction[KDR_MAX_FRACTIONS];
    int arrays;
    kdr_status (*step)(way *w, uint64_t n); /* NULL: blocks are slices */
    kdr_close_fn *close;                    /* of a Runge-Kutta method whose stages have one term each */
    atomic_int status;                      /* the first that was not KDR_OK; who sets it, and nobody after, writes what follows */
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

/* A block on its way. */
struct way {
    blocks *b;
    unsigned char *arrays;
    kdr_particles seen;                    /* what the function is given */
    size_t stride, elements;               /* of an axis and of all, whole vectors */
    void *axis[A + 2 * KDR_MAX_STAGES][3]; /* of each array */
    int now;                               /* of two states, where the last whole step ended, and its acceleration where one is kept */
    union {
        pieces pieces;
        kdr_chain_pass chain;
        tableau tableau;
    };
};

static unsigned char *array(const way *w, int n) { return w->arrays + (size_t)n * w->b->apart; }

static unsigned char *masses(const way *w) { return w->b->particles->inverse_mass ? array(w, W) : NULL; }

static size_t row_of(const way *w) { return w->stride * kdr_real_size(w->seen.real); }

/* Elements of one axis after those of another: rows of whole vectors, the last particle repeated. */
static void copy_in(const way *w, void *const from[3], int n) {
    const size_t size = kdr_real_size(w->seen.real), count = w->seen.count;
    for (int i = 0; i < w->seen.dims; ++i) {
        unsigned char *const row = array(w, n) + (size_t)i * row_of(w);
        memcpy(row, from[i], count * size);
        for (size_t e = count; e < w->stride; ++e) {
            memcpy(row + e * size, row + (count - 1) * size, size);
        }
    }
}

static void copy_out(const way *w, int n, void *const to[3]) {
    for (int i = 0; i < w->seen.dims; ++i) {
        memcpy(to[i], array(w, n) + (size_t)i * row_of(w), w->seen.count * kdr_real_size(w->seen.real));
    }
}

/* In step n, at a fraction of it; x, v and a: the arrays. */
static kdr_status evaluate(way *w, uint64_t n, double fraction, int x, int v, int a) {
    const kdr_coupled_desc *const desc = &w->b->coupled.desc;
    memcpy(w->seen.x, w->axis[x], sizeof w->seen.x);
    memcpy(w->seen.v, w->axis[v], sizeof w->seen.v);
    return desc->accelerations(desc->context, &w->seen, kdr_clock_time(w->b->clock, w->b->clock->step + n, fraction), w->axis[a]);
}

/* Splitting methods. */

static piece make_piece(const way *w, const kdr_cross_pass *what, int from, int to) {
    piece made = {*what, w->b->coupled.passes->cross_of(what, masses(w) != NULL)};
    made.pass.x = array(w, X + from);
    made.pass.v = array(w, V + from);
    made.pass.a = array(w, A + from);
    made.pass.w = masses(w);
    made.pass.to_x = array(w, X + to);
    made.pass.to_v = array(w, V + to);
    return made;
}

static void make_pieces(way *w) {
    const kdr_splitting_row *const row = w->b->coupled.problem.row->data.splitting;
    const double dt = w->b->clock->dt;
    pieces *const made = &w->pieces;
    kdr_cross_pass what[KDR_MAX_FRACTIONS + 1];
    memset(what, 0, sizeof what);
    int e = 0;
    for (int i = 0; i < row->stages; ++i) {
        e += row->kick[i] != 0.0 && (i > 0 || !w->b->keeps);
        what[e].kicks[0] = row->kick[i] != 0.0;
        what[e].kick[0] = dt * row->kick[i];
        what[e].drifts[0] = row->drift[i] != 0.0;
        what[e].drift[0] = dt * row->drift[i];
    }
    made->evaluations = e;
    kdr_cross_pass crossing = what[e];
    crossing.kicks[1] = what[0].kicks[0];
    crossing.kick[1] = what[0].kick[0];
    crossing.drifts[1] = what[0].drifts[0];
    crossing.drift[1] = what[0].drift[0];
    for (int to = 0; to < 2; ++to) {
        made->crossing[to] = make_piece(w, &crossing, 1 - to, to);
        for (int i = 0; i <= e; ++i) {
            made->piece[i][to] = make_piece(w, &what[i], i == 0 ? 1 - to : to, to);
        }
    }
}

static void sweep(const way *w, const piece *made) { made->sweep(&made->pass, w->elements); }

/* A step but for what comes after its last evaluation: from one state to the other. */
static kdr_status split_step(way *w, uint64_t n) {
    const pieces *const made = &w->pieces;
    const int to = 1 - w->now;
    for (int e = 0; e < made->evaluations; ++e) {
        sweep(w, e == 0 && n > 0 ? &made->crossing[to] : &made->piece[e][to]);
        const kdr_status status = evaluate(w, n, w->b->fraction[e], X + to, V + to, A + to);
        if (status != KDR_OK) {
            return status;
        }
    }
    w->now = to;
    return KDR_OK;
}

/* Runge-Kutta methods. Until its last stage is there, a step changes nothing of the state. */

/* Each stage has one term, the one before. */
static bool is_chain(const kdr_runge_kutta_row *row) {
    bool chain = true;
    for (int s = 1; s < row->stages; ++s) {
        for (int j = 0; j < s; ++j) {
            chain = chain && (row->a[s][j] != 0.0) == (j == s - 1);
        }
    }
    return chain;
}

static void make_chain(way *w) {
    const kdr_runge_kutta_row *const row = w->b->coupled.problem.row->data.runge_kutta;
    const double dt = w->b->clock->dt;
    kdr_chain_pass *const p = &w->chain;
    *p = (kdr_chain_pass){.x = array(w, X),
                          .v = array(w, V),
                          .stage_x = array(w, X + 1),
                          .stage_v = array(w, V + 1),
                          .w = masses(w),
                          .scale = dt * row->scale};
    for (int s = 0; s < row->stages; ++s) {
        p->a[s] = array(w, A + s);
        p->factor[s] = s > 0 ? dt * row->a[s][s - 1] : 0.0;
        p->ratio[s] = row->ratio[s];
    }
}

static kdr_status chain_step(way *w, uint64_t n) {
    const int stages = w->b->coupled.problem.row->data.runge_kutta->stages;
    for (int s = 0; s < stages; ++s) {
        if (s > 0) {
            w->b->coupled.passes->link(&w->chain, s, w->elements);
        }
        const kdr_status status = evaluate(w, n, w->b->fraction[s], X + (s > 0), V + (s > 0), A + s);
        if (status != KDR_OK) {
            return status;
        }
    }
    w->b->close(&w->chain, w->elements);
    return KDR_OK;
}

/* The slope of x in stage s: its v. */
static int slope_of_x(const kdr_runge_kutta_row *row, int s) { return s < 2 ? V + s : A + row->stages + s - 2; }

static void make_stage(const way *w, const kdr_runge_kutta_row *row, int s, bool of_x, kdr_stage_pass *p) {
    *p = (kdr_stage_pass){.y = array(w, of_x ? X : V), .out = array(w, of_x ? X + 1 : slope_of_x(row, s)), .w = masses(w)};
    for (int j = 0; j < s; ++j) {
        if (row->a[s][j] != 0.0) {
            p->slope[p->terms] = array(w, of_x ? slope_of_x(row, j) : A + j);
            p->factor[p->terms++] = w->b->clock->dt * row->a[s][j];
        }
    }
}

static void make_tableau(way *w) {
    const kdr_runge_kutta_row *const row = w->b->coupled.problem.row->data.runge_kutta;
    for (int i = 0; i < 2; ++i) {
        kdr_sum_pass *const p = &w->tableau.sum[i];
        *p = (kdr_sum_pass){.y = array(w, i == 0 ? X : V), .w = masses(w), .stages = row->stages, .factor = w->b->clock->dt * row->scale};
        for (int s = 0; s < row->stages; ++s) {
            make_stage(w, row, s, i == 0, &w->tableau.stage[s][i]);
            p->slope[s] = array(w, i == 0 ? slope_of_x(row, s) : A + s);
            p->ratio[s] = row->ratio[s];
        }
    }
}

static kdr_status stage_step(way *w, uint64_t n) {
    const kdr_runge_kutta_row *const row = w->b->coupled.problem.row->data.runge_kutta;
    const kdr_passes *const passes = w->b->coupled.passes;
    for (int s = 0; s < row->stages; ++s) {
        for (int i = 0; i < 2 && s > 0; ++i) {
            passes->stage(&w->tableau.stage[s][i], 0, w->elements);
        }
        const kdr_status status = evaluate(w, n, w->b->fraction[s], X + (s > 0), slope_of_x(row, s), A + s);
        if (status != KDR_OK) {
            return status;
        }
    }
    for (int i = 0; i < 2; ++i) { /* of x first: v is its first slope */
        passes->sum(&w->tableau.sum[i], 0, w->elements);
    }
    return KDR_OK;
}

/* A block in copies. */
static void run_copy(way *w, size_t begin, size_t count) {
    blocks *const b = w->b;
    const kdr_particles part = kdr_particles_slice(b->particles, begin, count);
    const size_t whole = KDR_PASS_WHOLE / kdr_real_size(part.real);
    w->seen = part;
    w->seen.storage = NULL;
    memset(w->seen.memory, 0, sizeof w->seen.memory);
    w->stride = (count + whole - 1) / whole * whole;
    w->elements = w->stride * (size_t)part.dims;
    w->now = 0;
    for (int i = 0; i < b->arrays * part.dims; ++i) {
        w->axis[i / part.dims][i % part.dims] = array(w, i / part.dims) + (size_t)(i % part.dims) * row_of(w);
    }
    copy_in(w, part.x, X);
    copy_in(w, part.v, V);
    w->seen.inverse_mass = masses(w);
    if (part.inverse_mass) {
        void *const all[3] = {part.inverse_mass, part.inverse_mass, part.inverse_mass};
        copy_in(w, all, W);
    }
    kdr_status status = KDR_OK;
    if (b->keeps && b->resumes) {
        copy_in(w, part.memory, A);
    } else if (b->keeps) {
        status = evaluate(w, 0, 0.0, X, V, A);
    }
    if (status != KDR_OK) {
        fail_block(b, begin, count, 0, status, kdr_status_string(status));
        return;
    }
    uint64_t n = 0;
    for (; n < b->steps && status == KDR_OK; n += status == KDR_OK) {
        status = b->step(w, n);
    }
    if (n > 0 && b->step == split_step) {
        sweep(w, &w->pieces.piece[w->pieces.evaluations][w->now]);
    }
    if (status != KDR_OK) {
        fail_block(b, begin, count, n, status, kdr_status_string(status));
    }
    copy_out(w, X + w->now, part.x);
    copy_out(w, V + w->now, part.v);
    if (b->keeps && b->carries) {
        copy_out(w, A + w->now, part.memory);
    }
}

/* Memory for the ranges of an executor, or NULL, which is a failure. */
static void *take(blocks *b, size_t size) {
    void *const memory = malloc(size);
    if (!memory) {
        kdr_error error;
        (void)kdr_fail(&error, KDR_ERROR_NO_MEMORY, "blocks: no memory for a workspace of %zu bytes", size);
        fail(b, &error);
    }
    return memory;
}

static void run_copies(void *argument, size_t first, size_t last) {
    blocks *const b = argument;
    const size_t size = (size_t)b->arrays * b->apart;
    way *const w = take(b, sizeof *w + 64 + size);
    if (!w) {
        return;
    }
    w->b = b;
    w->arrays = (unsigned char *)(((uintptr_t)(w + 1) + 63) / 64 * 64);
    memset(w->arrays, 0, size);
    if (b->step == split_step) {
        make_pieces(w);
    } else if (b->step == chain_step) {
        make_chain(w);
    } else if (b->step == stage_step) {
        make_tableau(w);
    }
    for (size_t n = first; n < last && atomic_load(&b->status) == KDR_OK; ++n) {
        const size_t begin = n * b->length, left = b->particles->count - begin;
        run_copy(w, begin, left < b->length ? left : b->length);
    }
    free(w);
}

/* Any other method, field or layout. */
static void run_slice(blocks *b, size_t begin, size_t count, const kdr_workspace *workspace) {
    kdr_particles part = kdr_particles_slice(b->particles, begin, count);
    kdr_coupled coupled = b->coupled;
    kdr_clock clock = *b->clock;
    kdr_error why;
    kdr_field_slice(&coupled.problem.field, begin, count, kdr_real_size(part.real));
    const kdr_status status = kdr_coupled_run(&coupled, &part, &clock, b->steps, workspace, &why);
    if (status != KDR_OK) {
        fail_block(b, begin, count, clock.step - b->clock->step, status, why.message);
    }
}

static void run_slices(void *argument, size_t first, size_t last) {
    blocks *const b = argument;
    const size_t size = kdr_coupled_workspace_size(&b->coupled, b->length, b->particles->dims);
    const kdr_workspace workspace = {take(b, size), size, {NULL, NULL, NULL}};
    for (size_t n = first; workspace.memory && n < last && atomic_load(&b->status) == KDR_OK; ++n) {
        const size_t begin = n * b->length, left = b->particles->count - begin;
        run_slice(b, begin, left < b->length ? left : b->length, &workspace);
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

/* How the blocks are stepped, and their length. */
static void choose(blocks *b) {
    const kdr_row *const row = b->coupled.problem.row;
    const kdr_particles *const p = b->particles;
    const size_t size = kdr_real_size(p->real);
    b->length = SLICE / size;
    b->carries = kdr_problem_carries(&b->coupled.problem, p);
    b->resumes = kdr_problem_resumes(&b->coupled.problem, p, b->clock);
    (void)kdr_row_times(row, b->fraction);
    if (!fits_copies(&b->coupled, p)) {
        return;
    }
    if (row->info.family == KDR_SPLITTING) {
        b->step = split_step;
        b->arrays = A + 2;
        b->keeps = kdr_splitting_keeps(row->data.splitting);
    } else {
        const kdr_runge_kutta_row *const t = row->data.runge_kutta;
        b->close = is_chain(t) ? b->coupled.passes->close_of(t->stages, t->ratio, p->inverse_mass != NULL) : NULL;
        b->step = b->close ? chain_step : stage_step;
        b->arrays = A + t->stages + (b->close || t->stages < 3 ? 0 : t->stages - 2);
    }
    const size_t fits = FOOTPRINT / ((size_t)(b->arrays - 1) * (size_t)p->dims);
    const size_t bytes = (fits > LEAST ? fits : LEAST) / KDR_PASS_WHOLE * KDR_PASS_WHOLE;
    b->length = bytes / size;
    b->apart = bytes * (size_t)p->dims;
    b->apart += (PAGE + PLACE - b->apart % PAGE) % PAGE;
}

kdr_status kdr_coupled_run_blocks(const kdr_coupled *coupled, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                  kdr_error *error) {
    KDR_CHECK(coupled, error, KDR_ERROR_NULL, "coupled: expected a pointer, got NULL");
    KDR_CHECK(!coupled->desc.rows, error, KDR_ERROR_UNSUPPORTED, "rows: blocks expected arrays an axis, got rows; take kdr_coupled_run");
    const kdr_status status = kdr_problem_check_run(&coupled->problem, particles, clock, steps, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(!particles->level, error, KDR_ERROR_UNSUPPORTED,
              "particles.level: runs in blocks have one step for all, got levels; take kdr_coupled_run");
    KDR_CHECK(coupled->term_count == 0, error, KDR_ERROR_UNSUPPORTED,
              "coupled: runs in blocks expected particles that do not feel each other, got %zu coupled forces; take kdr_coupled_run",
              coupled->term_count);
    if (steps == 0) {
        return KDR_OK;
    }
    blocks b = {.coupled = *coupled, .particles = particles, .clock = clock, .steps = steps};
    b.coupled.desc.executor = kdr_executor_serial();
    choose(&b);
    atomic_init(&b.status, KDR_OK);
    if (particles->count > 0) {
        kdr_parallel_for(&coupled->desc.executor, (particles->count - 1) / b.length + 1, b.step ? run_copies : run_slices, &b);
    }
    if (atomic_load(&b.status) != KDR_OK) {
        particles->memory_key = 0;
        return kdr_fail(error, b.error.status, "%s", b.error.message);
    }
    clock->step += steps;
    particles->memory_key = kdr_problem_memory_key(&coupled->problem, particles, clock);
    return KDR_OK;
}
