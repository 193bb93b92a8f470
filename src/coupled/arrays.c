/* What is done to plain arrays of all particles. */
#include "arrays.h"

#include <string.h>

#include "../particles/executor.h"
#include "../particles/layout.h"
#include "tile.h"

enum {
    BLOCK = KDR_SWEEP_BLOCK,
    STAGED = 256
}; /* the executor's unit of work; particles of a field that are brought into plain arrays at once */
_Static_assert(BLOCK % STAGED == 0, "ranges of whole stages");

typedef struct array_sweep {
    const kdr_arrays *on;
    const kdr_job *job;
    bool adds, back;
    void *const *to, *const *from; /* accelerations; or from NULL: zeros */
    void *const *x, *const *v;
} array_sweep;

static void in_blocks(const kdr_arrays *arrays, kdr_range_fn *run, array_sweep *sweep) {
    kdr_parallel_for(arrays->executor, kdr_sweep_blocks(arrays->particles->count), run, sweep);
}

static size_t end_of(const array_sweep *s, size_t last) {
    return last * BLOCK < s->on->particles->count ? last * BLOCK : s->on->particles->count;
}

/* Plain arrays on the stack, of an axis each. */
typedef struct staged {
    _Alignas(64) unsigned char element[3][STAGED * sizeof(double)];
} staged;

/* Brings particles [begin, end) there. Fills in how all particles would see it. */
static void stage(const array_sweep *s, void *const array[3], const kdr_layout *layout, size_t begin, size_t end, staged *on,
                  void *seen[3]) {
    const size_t size = kdr_real_size(s->on->particles->real);
    const kdr_column c = kdr_column_of(array, s->on->particles->dims, size, layout);
    unsigned char *const places[3] = {on->element[0], on->element[1], on->element[2]};
    kdr_copies_for(s->on->backend)->range(&c, places, begin, end - begin, false);
    for (int i = 0; i < s->on->particles->dims; ++i) {
        seen[i] = (void *)((uintptr_t)on->element[i] - begin * size);
    }
}

static void field_range(void *argument, size_t first, size_t last) {
    const array_sweep *const s = argument;
    const kdr_particles *const p = s->on->particles;
    const size_t size = kdr_real_size(p->real), end = end_of(s, last);
    _Alignas(64) unsigned char on[STAGED * sizeof(double)];
    const bool apart = !kdr_layout_is_plain(&p->x_layout, size) || !kdr_layout_is_plain(&p->v_layout, size);
    const bool far = p->inverse_mass && !kdr_layout_is_plain(&p->inverse_mass_layout, size);
    kdr_particles all = *p; /* of those that are not active too: nobody will look at them */
    all.active = NULL;
    kdr_job job = *s->job;
    for (size_t b = first * BLOCK, e; b < end; b = e) {
        e = (apart || far) && b + STAGED < end ? b + STAGED : end;
        staged on_x, on_v;
        memcpy(job.x, p->x, sizeof job.x);
        memcpy(job.v, p->v, sizeof job.v);
        job.inverse_mass = p->inverse_mass;
        if (apart) {
            stage(s, p->x, &p->x_layout, b, e, &on_x, job.x);
            stage(s, p->v, &p->v_layout, b, e, &on_v, job.v);
        }
        if (far) {
            kdr_take_masses(&all, kdr_copies_for(s->on->backend), b, e - b, on);
            job.inverse_mass = (void *)((uintptr_t)on - b * size);
        }
        kdr_program_accelerations(&job, s->to, s->adds, b, e);
    }
}

void kdr_sweep_field(const kdr_arrays *arrays, const kdr_job *job, void *const a[3], bool adds) {
    in_blocks(arrays, field_range, &(array_sweep){.on = arrays, .job = job, .to = a, .adds = adds});
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

void kdr_sweep_zeros(const kdr_arrays *arrays, void *const to[3]) { in_blocks(arrays, copy_range, &(array_sweep){.on = arrays, .to = to}); }

void kdr_sweep_copies(const kdr_arrays *arrays, void *const to[3], void *const from[3]) {
    in_blocks(arrays, copy_range, &(array_sweep){.on = arrays, .to = to, .from = from});
}

static void copy_moving_range(void *argument, size_t first, size_t last) {
    const array_sweep *const s = argument;
    const size_t size = kdr_real_size(s->on->particles->real), end = end_of(s, last);
    for (size_t n = first * BLOCK; n < end; ++n) {
        for (int i = 0; i < s->on->particles->dims && kdr_is_moved(s->on->particles, n); ++i) {
            memcpy((char *)s->to[i] + n * size, (const char *)s->from[i] + n * size, size);
        }
    }
}

void kdr_sweep_copies_of_moving(const kdr_arrays *arrays, void *const to[3], void *const from[3]) {
    in_blocks(arrays, copy_moving_range, &(array_sweep){.on = arrays, .to = to, .from = from});
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

void kdr_sweep_take(const kdr_arrays *arrays, void *const x[3], void *const v[3]) {
    in_blocks(arrays, carry_range, &(array_sweep){.on = arrays, .x = x, .v = v});
}

void kdr_sweep_give(const kdr_arrays *arrays, void *const x[3], void *const v[3]) {
    in_blocks(arrays, carry_range, &(array_sweep){.on = arrays, .x = x, .v = v, .back = true});
}
