/* Parallel operations on plain arrays of all particles. */
#include "arrays.h"

#include <string.h>

#include "../integrator/pack.h"
#include "../particles/executor.h"
#include "../particles/layout.h"

enum { BLOCK = KDR_SWEEP_BLOCK }; /* the executor's unit of work */

typedef struct array_sweep {
    const kdr_swept *on;
    const kdr_job *job;
    const kdr_layout *layout; /* layout of the arrays that particles carry */
    bool back;
    const kdr_evaluated *evaluated;
    void *const *to, *const *from; /* with `from` NULL, `to` is filled with zeros */
    void *const *x, *const *v;
} array_sweep;

static void in_blocks(const kdr_swept *arrays, kdr_range_fn *run, array_sweep *sweep) {
    kdr_parallel_for(arrays->executor, kdr_sweep_blocks(arrays->particles->count), run, sweep);
}

static size_t end_of(const array_sweep *s, size_t last) {
    return last * BLOCK < s->on->particles->count ? last * BLOCK : s->on->particles->count;
}

static void evaluate(const void *argument, const kdr_job *job, size_t begin, size_t end) {
    kdr_program_evaluate(job, argument, begin, end);
}

void kdr_field_evaluate(const kdr_job *job, kdr_backend backend, const kdr_particles *lie, const kdr_evaluated *to, size_t begin,
                        size_t end) {
    kdr_pack pack;
    kdr_pack_make(&pack, backend, job, lie, 0);
    kdr_pack_reads(&pack);
    if (kdr_pack_is_needed(&pack)) {
        kdr_pack_run(&pack, begin, end, evaluate, to);
    } else {
        evaluate(to, job, begin, end);
    }
}

static void field_range(void *argument, size_t first, size_t last) {
    const array_sweep *const s = argument;
    kdr_particles all = *s->on->particles; /* inactive particles too: their results are not used */
    kdr_job job = *s->job;
    all.active = all.level = NULL;
    memcpy(job.x, all.x, sizeof job.x);
    memcpy(job.v, all.v, sizeof job.v);
    job.inverse_mass = all.inverse_mass;
    kdr_field_evaluate(&job, s->on->backend, &all, s->evaluated, first * BLOCK, end_of(s, last));
}

void kdr_sweep_field(const kdr_swept *arrays, const kdr_job *job, const kdr_evaluated *to) {
    in_blocks(arrays, field_range, &(array_sweep){.on = arrays, .job = job, .evaluated = to});
}

static void copy_range(void *argument, size_t first, size_t last) {
    const array_sweep *const s = argument;
    const size_t size = kdr_real_size(s->on->particles->real), begin = first * BLOCK, bytes = (end_of(s, last) - begin) * size;
    for (int i = 0; i < s->on->particles->dims; ++i) {
        if (s->from) {
            memcpy((char *)s->to[i] + begin * size, (const char *)s->from[i] + begin * size, bytes);
        } else {
            memset((char *)s->to[i] + begin * size, 0, bytes);
        }
    }
}

void kdr_sweep_zeros(const kdr_swept *arrays, void *const to[3]) { in_blocks(arrays, copy_range, &(array_sweep){.on = arrays, .to = to}); }

void kdr_sweep_copies(const kdr_swept *arrays, void *const to[3], void *const from[3]) {
    in_blocks(arrays, copy_range, &(array_sweep){.on = arrays, .to = to, .from = from});
}

static void carried_range(void *argument, size_t first, size_t last) {
    const array_sweep *const s = argument;
    const size_t size = kdr_real_size(s->on->particles->real), end = end_of(s, last);
    for (size_t n = first * BLOCK; n < end; ++n) {
        const bool carries = !s->back || kdr_is_moved(s->on->particles, n);
        for (int i = 0; i < s->on->particles->dims && carries; ++i) {
            char *const plain = (char *)s->to[i] + n * size, *const carried = (char *)s->from[i] + kdr_offset(s->layout, size, n);
            memcpy(s->back ? carried : plain, s->back ? plain : carried, size);
        }
    }
}

void kdr_sweep_carried(const kdr_swept *arrays, void *const plain[3], void *const carried[3], const kdr_layout *layout, bool back) {
    if (!back && kdr_layout_is_plain(layout, kdr_real_size(arrays->particles->real))) {
        kdr_sweep_copies(arrays, plain, carried);
        return;
    }
    in_blocks(arrays, carried_range, &(array_sweep){.on = arrays, .to = plain, .from = carried, .layout = layout, .back = back});
}

static void carry_range(void *argument, size_t first, size_t last) {
    const array_sweep *const s = argument;
    const kdr_particles *const p = s->on->particles;
    const size_t size = kdr_real_size(p->real), begin = first * BLOCK, count = end_of(s, last) - begin;
    const kdr_column x = kdr_column_of(p->x, p->dims, size, &p->x_layout), v = kdr_column_of(p->v, p->dims, size, &p->v_layout);
    unsigned char *on_x[3] = {NULL, NULL, NULL}, *on_v[3] = {NULL, NULL, NULL};
    for (int i = 0; i < p->dims; ++i) {
        on_x[i] = (unsigned char *)s->x[i] + begin * size;
        on_v[i] = (unsigned char *)s->v[i] + begin * size;
    }
    const kdr_copies *const copies = kdr_copies_for(s->on->backend);
    copies->range(&x, on_x, begin, count, s->back);
    copies->range(&v, on_v, begin, count, s->back);
}

void kdr_sweep_take(const kdr_swept *arrays, void *const x[3], void *const v[3]) {
    in_blocks(arrays, carry_range, &(array_sweep){.on = arrays, .x = x, .v = v});
}

void kdr_sweep_give(const kdr_swept *arrays, void *const x[3], void *const v[3]) {
    in_blocks(arrays, carry_range, &(array_sweep){.on = arrays, .x = x, .v = v, .back = true});
}
