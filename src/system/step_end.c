/* Ends of steps: marks, counts, rests and error estimates. */
#include "step_end.h"

#include <math.h>
#include <string.h>

#include "../particles/executor.h"
#include "../particles/layout.h"
#include "tile.h"

typedef struct marking {
    const kdr_boundary *boundary;
    const kdr_particles *particles;
    const kdr_particles *given; /* has the marks of the caller */
    size_t first;               /* index of the first particle in `given` */
    uint8_t *marks;
    void *const *from, *const *left; /* both NULL, or neither */
} marking;

enum { MARKED = 64 }; /* particles that are marked at once */

/* Clears inside[i] where x[i] is outside the borders. */
static void clear_outside_f32(const float *x, float low, float high, size_t count, uint8_t *inside) {
    for (size_t i = 0; i < count; ++i) {
        inside[i] &= (uint8_t)(!(x[i] < low) & !(high < x[i]));
    }
}

static void clear_outside_f64(const double *x, double low, double high, size_t count, uint8_t *inside) {
    for (size_t i = 0; i < count; ++i) {
        inside[i] &= (uint8_t)(!(x[i] < low) & !(high < x[i]));
    }
}

/* Sets inside[i] to whether particle begin + i is active and within the borders, rounded to the particles' precision. */
static void look_inside(const marking *m, size_t begin, size_t count, uint8_t inside[MARKED]) {
    const kdr_particles *const p = m->particles;
    const size_t size = kdr_real_size(p->real);
    const bool lie = kdr_layout_is_plain(&p->x_layout, size);
    for (size_t i = 0; i < count; ++i) {
        inside[i] = !m->given->active || kdr_is_active(m->given, m->first + begin + i);
    }
    for (int axis = 0; axis < p->dims; ++axis) {
        const double min = m->boundary->min[axis], max = m->boundary->max[axis];
        double copy[MARKED];
        const void *const x = lie ? (const char *)p->x[axis] + begin * size : (const void *)copy;
        for (size_t i = 0; i < count && !lie; ++i) {
            memcpy((char *)copy + i * size, (const char *)p->x[axis] + kdr_offset(&p->x_layout, size, begin + i), size);
        }
        if (min < max && p->real == KDR_F32) {
            clear_outside_f32(x, (float)min, (float)max, count, inside);
        } else if (min < max) {
            clear_outside_f64(x, min, max, count, inside);
        }
    }
}

/* Marks particles [begin, begin + count), and keeps the old values of those that leave. */
static void mark_some(const marking *m, size_t begin, size_t count) {
    const kdr_particles *const p = m->particles;
    const size_t size = kdr_real_size(p->real);
    uint8_t inside[MARKED];
    look_inside(m, begin, count, inside);
    const size_t some = m->from && memcmp(m->marks + begin, inside, count) != 0 ? count : 0;
    for (size_t i = 0; i < some; ++i) {
        for (int axis = 0; axis < p->dims && m->marks[begin + i] && !inside[i]; ++axis) {
            memcpy((char *)m->left[axis] + (begin + i) * size, (const char *)m->from[axis] + (begin + i) * size, size);
        }
    }
    memcpy(m->marks + begin, inside, count);
}

static void mark_range(void *argument, size_t first, size_t last) {
    const marking *const m = argument;
    const size_t count = m->particles->count, end = last * KDR_SWEEP_BLOCK < count ? last * KDR_SWEEP_BLOCK : count;
    for (size_t at = first * KDR_SWEEP_BLOCK; at < end; at += MARKED) {
        mark_some(m, at, end - at < MARKED ? end - at : MARKED);
    }
}

void kdr_mark_inside(const kdr_boundary *boundary, const kdr_swept *arrays, const kdr_particles *given, size_t first, uint8_t *marks,
                     void *const *from, void *const *left) {
    marking m = {boundary, arrays->particles, given, first, marks, from, left};
    kdr_parallel_for(arrays->executor, kdr_sweep_blocks(arrays->particles->count), mark_range, &m);
}

typedef struct flushing {
    const kdr_kernels *kernels;
    const kdr_particles *particles;
    void *const *array[3], *const *lost[3];
    kdr_layout layout[3];
} flushing;

static void flush_element(const flushing *r, int which, int axis, size_t i) {
    const kdr_real real = r->particles->real;
    const size_t size = kdr_real_size(real);
    char *const at = (char *)r->array[which][axis] + kdr_offset(&r->layout[which], size, i);
    if (fabs(kdr_element(at, real, 0)) < kdr_nothing(real)) {
        memset(at, 0, size);
        if (r->lost[which]) {
            memset((char *)r->lost[which][axis] + i * size, 0, size);
        }
    }
}

/* Returns true if all particles of the range surely move; a strided array is not searched. */
static bool all_move(const kdr_particles *p, size_t begin, size_t end) {
    const size_t size = kdr_real_size(p->real);
    return !p->active && (!p->inverse_mass || (kdr_layout_is_plain(&p->inverse_mass_layout, size) &&
                                               !kdr_is_any_zero((const char *)p->inverse_mass + begin * size, end - begin, size)));
}

/* Rests whole vectors of plain arrays from `begin` on. Returns the first particle that is left. */
static size_t flush_vectors(const flushing *r, int which, size_t begin, size_t end) {
    const kdr_particles *const p = r->particles;
    const size_t size = kdr_real_size(p->real), vector = (size_t)r->kernels->vector, vectors = (end - begin) * size / vector;
    if (!kdr_layout_is_plain(&r->layout[which], size)) {
        return begin;
    }
    for (int axis = 0; axis < p->dims; ++axis) {
        char *const lost = r->lost[which] ? (char *)r->lost[which][axis] + begin * size : NULL;
        r->kernels->flush_small((char *)r->array[which][axis] + begin * size, lost, (int)vectors);
    }
    return begin + vectors * vector / size;
}

static void flush_range(void *argument, size_t first, size_t last) {
    const flushing *const r = argument;
    const kdr_particles *const p = r->particles;
    const size_t begin = first * KDR_SWEEP_BLOCK, end = last * KDR_SWEEP_BLOCK < p->count ? last * KDR_SWEEP_BLOCK : p->count;
    const bool all = all_move(p, begin, end);
    for (int which = 0; which < 3 && r->array[which]; ++which) {
        for (size_t i = all ? flush_vectors(r, which, begin, end) : begin; i < end; ++i) {
            const bool moves = all || kdr_is_moved(p, i);
            for (int axis = 0; axis < p->dims && moves; ++axis) {
                flush_element(r, which, axis, i);
            }
        }
    }
}

void kdr_flush_small(const kdr_kernels *kernels, const kdr_executor *executor, const kdr_particles *p, void *(*lost)[3], void **a) {
    const kdr_layout plain = {0, 0, 0, 0}, rows = {.stride = (size_t)p->dims * kdr_real_size(p->real)};
    flushing r = {kernels,
                  p,
                  {p->x, p->v, a},
                  {lost ? lost[0] : NULL, lost ? lost[1] : NULL, NULL},
                  {p->x_layout, p->v_layout, a && kdr_are_rows(a, p) ? rows : plain}};
    kdr_parallel_for(executor, kdr_sweep_blocks(p->count), flush_range, &r);
}

typedef struct estimating {
    const kdr_particles *particles;
    void *const *sum;
    const kdr_layout *layout;
    double scale;
} estimating;

/* Returns the larger of `before` and |scale sum|. Only the product is rounded to the particles' precision. */
static double estimate_of(const estimating *e, size_t i, double before) {
    const kdr_particles *const p = e->particles;
    double largest = before, nothing = before - before;
    for (int axis = 0; axis < p->dims; ++axis) {
        const double product = e->scale * kdr_element(kdr_at(e->sum[axis], e->layout, p->real, i), p->real, 0);
        const double size = fabs(p->real == KDR_F32 ? (double)(float)product : product);
        largest = size <= largest ? largest : size;
        nothing += size - size;
    }
    return largest + nothing;
}

static void estimate_range(void *argument, size_t first, size_t last) {
    const estimating *const e = argument;
    const kdr_particles *const p = e->particles;
    const size_t begin = first * KDR_SWEEP_BLOCK, end = last * KDR_SWEEP_BLOCK < p->count ? last * KDR_SWEEP_BLOCK : p->count;
    for (size_t i = begin; i < end; ++i) {
        if (kdr_is_moved(p, i)) {
            char *const error = (char *)p->error + kdr_offset(&p->error_layout, kdr_real_size(p->real), i);
            kdr_set_element(error, p->real, 0, estimate_of(e, i, kdr_element(error, p->real, 0)));
        }
    }
}

void kdr_estimate(const kdr_executor *executor, const kdr_particles *particles, void *const sum[3], const kdr_layout *layout,
                  double scale) {
    estimating e = {particles, sum, layout, scale};
    kdr_parallel_for(executor, kdr_sweep_blocks(particles->count), estimate_range, &e);
}

static void keep_elements(char *array, const kdr_layout *layout, size_t size, size_t count, char *kept, bool back) {
    const bool lie = kdr_layout_is_plain(layout, size);
    const size_t at_once = lie ? count : 1;
    for (size_t i = 0; i < count; i += at_once) {
        char *const there = array + kdr_offset(layout, size, i), *const here = kept + i * size;
        memcpy(back ? there : here, back ? here : there, at_once * size);
    }
}

void kdr_keep_memories(const kdr_particles *p, const uint8_t *marks, void *const left[3], bool back) {
    const size_t size = kdr_real_size(p->real);
    for (size_t i = 0; i < p->count; ++i) {
        for (int axis = 0; axis < p->dims && !marks[i]; ++axis) {
            char *const memory = (char *)p->memory[axis] + kdr_offset(&p->memory_layout, size, i), *const plain =
                                                                                                       (char *)left[axis] + i * size;
            memcpy(back ? memory : plain, back ? plain : memory, size);
        }
    }
}

enum { COUNTS = 8 };

/* An array of counts, which may be NULL, and the plain array where it is kept. Arrays with the widest elements come first. */
typedef struct kept_count {
    void *array;
    size_t size;
    const kdr_layout *layout;
    char *kept;
} kept_count;

static void list_counts(const kdr_particles *p, void *memory, kept_count list[COUNTS]) {
    enum { IMAGES = 5 };
    const kept_count all[COUNTS] = {{p->dissipated_energy[0], sizeof(double), &p->dissipated_energy_layout, NULL},
                                    {p->dissipated_energy[1], sizeof(double), &p->dissipated_energy_layout, NULL},
                                    {p->error, kdr_real_size(p->real), &p->error_layout, NULL},
                                    {p->bounces, sizeof *p->bounces, &p->bounces_layout, NULL},
                                    {p->nonconverged, sizeof *p->nonconverged, &p->nonconverged_layout, NULL},
                                    {p->images[0], sizeof *p->images[0], &p->images_layout, NULL},
                                    {p->images[1], sizeof *p->images[1], &p->images_layout, NULL},
                                    {p->images[2], sizeof *p->images[2], &p->images_layout, NULL}};
    size_t kept = 0;
    for (int n = 0; n < COUNTS; ++n) {
        list[n] = all[n];
        list[n].array = n < IMAGES || n - IMAGES < p->dims ? all[n].array : NULL;
        list[n].kept = memory ? (char *)memory + kept : NULL;
        kept += p->count * all[n].size;
    }
}

void kdr_keep_counts(const kdr_particles *p, void *memory, bool back) {
    kept_count list[COUNTS];
    list_counts(p, memory, list);
    for (const kept_count *c = list; c < list + COUNTS; ++c) {
        if (c->array) {
            keep_elements(c->array, c->layout, c->size, p->count, c->kept, back);
        }
    }
}

void kdr_see_counts(const kdr_particles *p, void *memory, kdr_particles *view) {
    kept_count list[COUNTS];
    list_counts(p, memory, list);
    void *array[COUNTS];
    for (int n = 0; n < COUNTS; ++n) {
        array[n] = list[n].array ? list[n].kept : NULL;
    }
    view->dissipated_energy[0] = array[0];
    view->dissipated_energy[1] = array[1];
    view->error = array[2];
    view->bounces = array[3];
    view->nonconverged = array[4];
    for (int i = 0; i < 3; ++i) {
        view->images[i] = array[5 + i];
    }
    view->dissipated_energy_layout = view->error_layout = view->bounces_layout = view->nonconverged_layout = view->images_layout =
        (kdr_layout){0, 0, 0, 0};
}

void kdr_carry_counts(const kdr_particles *p, size_t i, void *counted, bool back) {
    kept_count list[COUNTS];
    list_counts(p, NULL, list);
    char *one = counted;
    for (const kept_count *c = list; c < list + COUNTS; ++c) {
        char *const there = c->array ? (char *)c->array + kdr_offset(c->layout, c->size, i) : one;
        memmove(back ? there : one, back ? one : there, c->size);
        one += c->size;
    }
}
