/* Ends of steps. */
#include "ends.h"

#include <string.h>

#include "../particles/executor.h"
#include "../particles/layout.h"

typedef struct marking {
    const kdr_boundary *boundary;
    const kdr_particles *particles;
    const kdr_particles *given; /* whose marks are the caller's */
    size_t first;               /* of the particles, in that view */
    uint8_t *marks;
    void *const *from; /* for the memory of the caller's; or NULL */
} marking;

static double position(const kdr_particles *p, int axis, size_t i) {
    const void *const at = (const char *)p->x[axis] + kdr_offset(&p->x_layout, kdr_real_size(p->real), i);
    float narrow = 0;
    double wide = 0;
    memcpy(p->real == KDR_F32 ? (void *)&narrow : &wide, at, kdr_real_size(p->real));
    return p->real == KDR_F32 ? (double)narrow : wide;
}

/* The borders are those of the particles' precision. */
static bool is_inside(const marking *m, size_t i) {
    const kdr_particles *const p = m->particles;
    bool inside = kdr_is_active(m->given, m->first + i);
    for (int axis = 0; axis < p->dims && inside; ++axis) {
        const double min = m->boundary->min[axis], max = m->boundary->max[axis], x = position(p, axis, i);
        const double low = p->real == KDR_F32 ? (double)(float)min : min, high = p->real == KDR_F32 ? (double)(float)max : max;
        inside = !(min < max) || (!(x < low) && !(high < x));
    }
    return inside;
}

static void mark_range(void *argument, size_t first, size_t last) {
    const marking *const m = argument;
    const kdr_particles *const p = m->particles;
    const size_t begin = first * KDR_SWEEP_BLOCK, end = last * KDR_SWEEP_BLOCK < p->count ? last * KDR_SWEEP_BLOCK : p->count;
    const size_t size = kdr_real_size(p->real);
    for (size_t i = begin; i < end; ++i) {
        const bool inside = is_inside(m, i), leaves = m->from && m->marks[i] && !inside;
        for (int axis = 0; axis < p->dims && leaves; ++axis) {
            memcpy((char *)m->given->memory[axis] + kdr_offset(&m->given->memory_layout, size, i), (const char *)m->from[axis] + i * size,
                   size);
        }
        m->marks[i] = inside;
    }
}

void kdr_mark_inside(const kdr_boundary *boundary, const kdr_swept *arrays, const kdr_particles *given, size_t first, uint8_t *marks,
                     void *const *from) {
    marking m = {boundary, arrays->particles, given, first, marks, from};
    kdr_parallel_for(arrays->executor, kdr_sweep_blocks(arrays->particles->count), mark_range, &m);
}

static void keep_elements(char *array, const kdr_layout *layout, size_t size, size_t count, char *kept, bool back) {
    const bool lie = kdr_layout_is_plain(layout, size);
    const size_t at_once = lie ? count : 1;
    for (size_t i = 0; i < count; i += at_once) {
        char *const there = array + kdr_offset(layout, size, i), *const here = kept + i * size;
        memcpy(back ? there : here, back ? here : there, at_once * size);
    }
}

void kdr_keep_counts(const kdr_particles *p, void *memory, bool back) {
    char *kept = memory;
    const struct {
        void *array;
        size_t size;
        const kdr_layout *layout;
    } list[] = {{p->dissipated[0], sizeof(double), &p->dissipated_layout},
                {p->dissipated[1], sizeof(double), &p->dissipated_layout},
                {p->hits, sizeof *p->hits, &p->hits_layout},
                {p->images[0], sizeof *p->images[0], &p->images_layout},
                {p->images[1], sizeof *p->images[1], &p->images_layout},
                {p->images[2], sizeof *p->images[2], &p->images_layout}};
    for (size_t n = 0; n < sizeof list / sizeof *list; ++n) {
        const size_t size = list[n].size;
        const bool counts = list[n].array && (n < 3 || (int)n - 3 < p->dims);
        if (counts) {
            keep_elements(list[n].array, list[n].layout, size, p->count, kept, back);
        }
        kept += p->count * size;
    }
}
