/* Sweeps. */
#include "sweep.h"

#include <string.h>

#include "../particles/executor.h"
#include "../particles/layout.h"
#include "../program/program.h"

/* Particles: the executor's unit of work; how many are taken from pass to pass while what the passes share is in the second-level cache; and
 * on the stage. */
enum { BLOCK = 1024, TOGETHER = 2048, STAGED = 256 };
_Static_assert(BLOCK % KDR_PASS_BLOCK == 0 && TOGETHER % KDR_PASS_BLOCK == 0 && STAGED % KDR_PASS_BLOCK == 0,
               "ranges that may run side by side");

kdr_sweeper kdr_sweeper_make(kdr_backend backend, const kdr_passes *passes, const kdr_executor *executor, const kdr_particles *particles) {
    return (kdr_sweeper){passes, kdr_copies_for(backend), executor, particles};
}

static size_t size_of(const kdr_sweeper *s) { return kdr_real_size(s->particles->real); }

/* One array of elements side by side, the axes of a particle after each other. */
static bool are_rows(void *const array[3], const kdr_layout *layout, int dims, size_t size) {
    bool rows = dims > 1 && layout->block == 0 && layout->stride == (size_t)dims * size;
    for (int i = 1; i < dims; ++i) {
        rows = rows && (uintptr_t)array[i] == (uintptr_t)array[0] + (size_t)i * size;
    }
    return rows;
}

bool kdr_are_rows(void *const array[3], const kdr_particles *p) {
    const size_t size = kdr_real_size(p->real);
    return are_rows(array, &(kdr_layout){.stride = (size_t)p->dims * size}, p->dims, size);
}

kdr_form kdr_form_of(const kdr_particles *p) {
    const size_t size = kdr_real_size(p->real);
    if (kdr_layout_is_plain(&p->x_layout, size) && kdr_layout_is_plain(&p->v_layout, size)) {
        return KDR_FORM_PLAIN;
    }
    const bool rows = are_rows(p->x, &p->x_layout, p->dims, size) && are_rows(p->v, &p->v_layout, p->dims, size);
    return rows ? KDR_FORM_ROWS : p->x_layout.block || p->v_layout.block ? KDR_FORM_BLOCKS : KDR_FORM_APART;
}

/* Memory in which particle `first` would be at `array`, seen as the array of all particles. */
static void *seen_from(void *array, size_t first, size_t size) { return (void *)((uintptr_t)array - first * size); }

/* Plain arrays on the stack, of an axis each. */
typedef struct staged {
    _Alignas(64) unsigned char element[3][STAGED * sizeof(double)];
} staged;

/* Particles [begin, end) between a layout and a stage. Fills in how all particles would see the stage. */
static void stage(const kdr_sweeper *s, void *const array[3], const kdr_layout *layout, size_t begin, size_t end, bool back, staged *on,
                  void *seen[3]) {
    const kdr_column c = kdr_column_of(array, s->particles->dims, size_of(s), layout);
    unsigned char *const places[3] = {on->element[0], on->element[1], on->element[2]};
    s->copies->range(&c, places, begin, end - begin, back);
    for (int i = 0; i < s->particles->dims; ++i) {
        seen[i] = seen_from(on->element[i], begin, size_of(s));
    }
}

static bool has_masses(const kdr_sweeper *s) { return s->particles->inverse_mass || s->particles->active; }

/* Inverse masses are brought to a stage: some particles are not active, which is as if they had none, or the masses lie apart, as only
 * passes of particles that lie apart take them (`apart`), and those not in blocks. */
static bool stages_masses(const kdr_sweeper *s, bool apart) {
    const kdr_particles *const p = s->particles;
    const kdr_layout *const l = &p->inverse_mass_layout;
    return p->active || (p->inverse_mass && (apart ? l->block != 0 : !kdr_layout_is_plain(l, size_of(s))));
}

/* Without a branch on a mark: groups are seldom in order, and a missed one costs as much as forty particles. */
static void mark_f32(const uint8_t *active, bool given, size_t count, float *w) {
    for (size_t i = 0; i < count; ++i) {
        const float one = given ? w[i] : 1.0F;
        w[i] = active[i] ? one : 0.0F;
    }
}

static void mark_f64(const uint8_t *active, bool given, size_t count, double *w) {
    for (size_t i = 0; i < count; ++i) {
        const double one = given ? w[i] : 1.0;
        w[i] = active[i] ? one : 0.0;
    }
}

static const void *masses(const kdr_sweeper *s, bool apart, size_t begin, size_t end, unsigned char on[STAGED * sizeof(double)]) {
    const kdr_particles *const p = s->particles;
    if (!stages_masses(s, apart)) {
        return p->inverse_mass;
    }
    if (p->inverse_mass) {
        void *const array[1] = {p->inverse_mass};
        const kdr_column c = kdr_column_of(array, 1, size_of(s), &p->inverse_mass_layout);
        unsigned char *const places[3] = {on, NULL, NULL};
        s->copies->range(&c, places, begin, end - begin, false);
    }
    if (p->active && p->real == KDR_F32) {
        mark_f32(p->active + begin, p->inverse_mass != NULL, end - begin, (float *)(void *)on);
    } else if (p->active) {
        mark_f64(p->active + begin, p->inverse_mass != NULL, end - begin, (double *)(void *)on);
    }
    return seen_from(on, begin, size_of(s));
}

/* A parallel loop over ranges of particles. */
typedef struct sweep sweep;
typedef void range_fn(const sweep *s, size_t begin, size_t end);

struct sweep {
    const kdr_sweeper *by;
    range_fn *run;
    kdr_form form;
    bool undoes;
    const kdr_move *move;
    const kdr_stage_pass *stages;
    const kdr_sum_pass *sums;
    const kdr_field_pass *field;
    int passes;
    void *const *to, *const *from;
    void *const *x, *const *v;
    bool back;
};

static void run_blocks(void *argument, size_t first, size_t last) {
    const sweep *const s = argument;
    const size_t count = s->by->particles->count;
    s->run(s, first * BLOCK, last * BLOCK < count ? last * BLOCK : count);
}

static void sweep_all(sweep *s) {
    const size_t count = s->by->particles->count;
    if (count > 0) {
        kdr_parallel_for(s->by->executor, (count - 1) / BLOCK + 1, run_blocks, s);
    }
}

/* Moves. `at`: where the next call keeps what it keeps, an axis each. */

static void one_move(const sweep *s, const kdr_pass *pass, size_t begin, size_t end, size_t *at) {
    if (s->undoes) {
        s->by->passes->undo(pass, begin, end);
    } else {
        *at = s->by->passes->move(pass, begin, end, *at);
    }
}

static void move_plain(const sweep *s, kdr_pass pass[3], size_t begin, size_t end, size_t at[3]) {
    for (int i = 0; i < 3 && i < s->by->particles->dims; ++i) {
        pass[i].x = s->by->particles->x[i];
        pass[i].v = s->by->particles->v[i];
        one_move(s, &pass[i], begin, end, &at[i]);
    }
}

/* Plain arrays into rows: of accelerations an array an axis, of masses one for all of them. */
static void *into_rows(const sweep *s, void *const array[3], size_t begin, size_t end, staged *on) {
    const size_t size = size_of(s->by), row = (size_t)s->by->particles->dims * size;
    kdr_column c = {.axes = s->by->particles->dims, .size = size, .layout = {.stride = row}};
    unsigned char *places[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3 && i < c.axes; ++i) {
        c.array[i] = on->element[0] + (size_t)i * size;
        places[i] = (unsigned char *)array[i] + begin * size;
    }
    s->by->copies->range(&c, places, 0, end - begin, true);
    return seen_from(on->element[0], begin, row);
}

static void move_rows(const sweep *s, kdr_pass pass[3], size_t begin, size_t end, size_t at[3]) {
    staged a, w;
    kdr_pass p = pass[0];
    const size_t dims = (size_t)s->by->particles->dims;
    p.x = s->by->particles->x[0];
    p.v = s->by->particles->v[0];
    p.a = !(p.kicks[0] || p.kicks[1])                  ? NULL
          : kdr_are_rows(s->move->a, s->by->particles) ? s->move->a[0]
                                                       : into_rows(s, s->move->a, begin, end, &a);
    if (p.w) {
        void *const each[3] = {(void *)(uintptr_t)p.w, (void *)(uintptr_t)p.w, (void *)(uintptr_t)p.w};
        p.w = into_rows(s, each, begin, end, &w);
    }
    one_move(s, &p, begin * dims, end * dims, &at[0]);
}

/* Members of structures, and what else lies evenly. */
static void move_apart(const sweep *s, kdr_pass pass[3], size_t begin, size_t end, size_t at[3]) {
    const kdr_particles *const p = s->by->particles;
    const size_t size = size_of(s->by);
    const bool masses_apart = p->inverse_mass_layout.stride && !stages_masses(s->by, true);
    kdr_apart_pass q = {.dims = p->dims,
                        .x_stride = p->x_layout.stride ? p->x_layout.stride : size,
                        .v_stride = p->v_layout.stride ? p->v_layout.stride : size,
                        .w_stride = masses_apart ? p->inverse_mass_layout.stride : size};
    for (int i = 0; i < 3 && i < p->dims; ++i) {
        q.axis[i] = pass[i];
        q.axis[i].x = p->x[i];
        q.axis[i].v = p->v[i];
    }
    if (s->undoes) {
        s->by->passes->undo_apart(&q, begin, end);
    } else {
        s->by->passes->move_apart(&q, begin, end, at);
    }
}

/* Of blocks. */
static void move_staged(const sweep *s, kdr_pass pass[3], size_t begin, size_t end, size_t at[3]) {
    const kdr_particles *const p = s->by->particles;
    const bool has_x = pass[0].drifts[0] || pass[0].drifts[1] || pass[0].keep != KDR_KEEP_NOTHING;
    staged on_x, on_v;
    void *x[3] = {NULL, NULL, NULL}, *v[3] = {NULL, NULL, NULL};
    if (has_x) {
        stage(s->by, p->x, &p->x_layout, begin, end, false, &on_x, x);
    }
    stage(s->by, p->v, &p->v_layout, begin, end, false, &on_v, v);
    for (int i = 0; i < 3 && i < p->dims; ++i) {
        pass[i].x = x[i];
        pass[i].v = v[i];
        one_move(s, &pass[i], begin, end, &at[i]);
    }
    if (has_x) {
        stage(s->by, p->x, &p->x_layout, begin, end, true, &on_x, x);
    }
    if (s->undoes || pass[0].kicks[0] || pass[0].kicks[1]) {
        stage(s->by, p->v, &p->v_layout, begin, end, true, &on_v, v);
    }
}

static void move_range(const sweep *s, size_t begin, size_t end) {
    static void (*const moves[])(const sweep *, kdr_pass[3], size_t, size_t, size_t[3]) = {
        [KDR_FORM_PLAIN] = move_plain, [KDR_FORM_ROWS] = move_rows, [KDR_FORM_APART] = move_apart, [KDR_FORM_BLOCKS] = move_staged};
    _Alignas(64) unsigned char on[STAGED * sizeof(double)];
    const bool flat = s->form == KDR_FORM_ROWS && !has_masses(s->by) && kdr_are_rows(s->move->a, s->by->particles);
    const bool apart = s->form == KDR_FORM_APART, by_axis = s->form == KDR_FORM_PLAIN;
    const bool stages = !(flat || apart || by_axis) || stages_masses(s->by, apart);
    const size_t length = stages ? STAGED : by_axis && has_masses(s->by) ? TOGETHER : end - begin;
    const size_t first = s->form == KDR_FORM_ROWS ? begin * (size_t)s->by->particles->dims : begin;
    size_t at[3] = {first, first, first};
    kdr_pass pass[3];
    for (int i = 0; i < 3; ++i) {
        pass[i] = s->move->what;
        pass[i].a = s->move->a[i];
        pass[i].predicted = s->move->predicted[i];
        pass[i].kept = s->move->kept[i];
    }
    for (size_t b = begin; b < end; b += length) {
        const size_t e = b + length < end ? b + length : end;
        const void *const w = has_masses(s->by) ? masses(s->by, apart, b, e, on) : NULL;
        for (int i = 0; i < 3; ++i) {
            pass[i].w = w;
        }
        moves[s->form](s, pass, b, e, at);
    }
}

void kdr_sweep_move(const kdr_sweeper *sweeper, const kdr_move *move) {
    sweep_all(&(sweep){.by = sweeper, .run = move_range, .form = kdr_form_of(sweeper->particles), .move = move});
}

void kdr_sweep_undo(const kdr_sweeper *sweeper, const kdr_move *move) {
    sweep_all(&(sweep){.by = sweeper, .run = move_range, .form = kdr_form_of(sweeper->particles), .move = move, .undoes = true});
}

/* Passes over plain arrays. */

static void stage_range(const sweep *s, size_t begin, size_t end) {
    _Alignas(64) unsigned char on[STAGED * sizeof(double)];
    const size_t length = stages_masses(s->by, false) ? STAGED : TOGETHER;
    for (size_t b = begin; b < end; b += length) {
        const size_t e = b + length < end ? b + length : end;
        const void *const w = has_masses(s->by) ? masses(s->by, false, b, e, on) : NULL;
        for (int n = 0; n < s->passes && s->stages; ++n) {
            kdr_stage_pass pass = s->stages[n];
            pass.w = w;
            s->by->passes->stage(&pass, b, e);
        }
        for (int n = 0; n < s->passes && s->sums; ++n) {
            kdr_sum_pass pass = s->sums[n];
            pass.w = w;
            s->by->passes->sum(&pass, b, e);
        }
    }
}

void kdr_sweep_stages(const kdr_sweeper *sweeper, const kdr_stage_pass *pass, int passes) {
    sweep_all(&(sweep){.by = sweeper, .run = stage_range, .stages = pass, .passes = passes});
}

void kdr_sweep_sums(const kdr_sweeper *sweeper, const kdr_sum_pass *pass, int passes) {
    sweep_all(&(sweep){.by = sweeper, .run = stage_range, .sums = pass, .passes = passes});
}

static void field_range(const sweep *s, size_t begin, size_t end) {
    const kdr_particles *const p = s->by->particles;
    _Alignas(64) unsigned char on[STAGED * sizeof(double)];
    const bool apart = s->form != KDR_FORM_PLAIN, far = !kdr_layout_is_plain(&p->inverse_mass_layout, size_of(s->by));
    const size_t length = apart || far ? STAGED : end - begin;
    kdr_job job = *s->field->job;
    for (size_t b = begin; b < end; b += length) {
        const size_t e = b + length < end ? b + length : end;
        staged on_x, on_v;
        memcpy(job.x, p->x, sizeof job.x);
        memcpy(job.v, p->v, sizeof job.v);
        if (apart) {
            stage(s->by, p->x, &p->x_layout, b, e, false, &on_x, job.x);
            stage(s->by, p->v, &p->v_layout, b, e, false, &on_v, job.v);
        }
        job.inverse_mass = p->inverse_mass ? masses(s->by, false, b, e, on) : NULL;
        kdr_program_accelerations(&job, s->field->a, s->field->adds, b, e);
    }
}

void kdr_sweep_field(const kdr_sweeper *sweeper, const kdr_field_pass *pass) {
    kdr_particles all = *sweeper->particles; /* of those that are not active too: nobody will look at them */
    all.active = NULL;
    kdr_sweeper by = *sweeper;
    by.particles = &all;
    sweep_all(&(sweep){.by = &by, .run = field_range, .form = kdr_form_of(&all), .field = pass});
}

static void copy_range(const sweep *s, size_t begin, size_t end) {
    const size_t size = size_of(s->by), bytes = (end - begin) * size;
    for (int i = 0; i < s->by->particles->dims; ++i) {
        if (s->from) {
            memcpy((char *)s->to[i] + begin * size, (const char *)s->from[i] + begin * size, bytes);
        } else {
            memset((char *)s->to[i] + begin * size, 0, bytes);
        }
    }
}

void kdr_sweep_zeros(const kdr_sweeper *sweeper, void *const to[3]) { sweep_all(&(sweep){.by = sweeper, .run = copy_range, .to = to}); }

void kdr_sweep_copies(const kdr_sweeper *sweeper, void *const to[3], void *const from[3]) {
    sweep_all(&(sweep){.by = sweeper, .run = copy_range, .to = to, .from = from});
}

static void carry_range(const sweep *s, size_t begin, size_t end) {
    const kdr_particles *const p = s->by->particles;
    const kdr_column x = kdr_column_of(p->x, p->dims, size_of(s->by), &p->x_layout),
                     v = kdr_column_of(p->v, p->dims, size_of(s->by), &p->v_layout);
    unsigned char *on_x[3] = {NULL, NULL, NULL}, *on_v[3] = {NULL, NULL, NULL};
    for (int i = 0; i < p->dims; ++i) {
        on_x[i] = (unsigned char *)s->x[i] + begin * size_of(s->by);
        on_v[i] = (unsigned char *)s->v[i] + begin * size_of(s->by);
    }
    s->by->copies->range(&x, on_x, begin, end - begin, s->back);
    s->by->copies->range(&v, on_v, begin, end - begin, s->back);
}

void kdr_sweep_take(const kdr_sweeper *sweeper, void *const x[3], void *const v[3]) {
    sweep_all(&(sweep){.by = sweeper, .run = carry_range, .x = x, .v = v});
}

void kdr_sweep_give(const kdr_sweeper *sweeper, void *const x[3], void *const v[3]) {
    sweep_all(&(sweep){.by = sweeper, .run = carry_range, .x = x, .v = v, .back = true});
}
