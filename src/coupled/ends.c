/* Ends of steps. */
#include "ends.h"

#include <string.h>

#include "../particles/executor.h"
#include "../particles/layout.h"

typedef struct marking {
    const kdr_boundary *boundary;
    const kdr_particles *particles;
    const uint8_t *active;
    uint8_t *marks;
    void *const *to, *const *from;
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
    bool inside = !m->active || m->active[i];
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
        const bool inside = is_inside(m, i), leaves = m->to && m->marks[i] && !inside;
        for (int axis = 0; axis < p->dims && leaves; ++axis) {
            memcpy((char *)m->to[axis] + i * size, (const char *)m->from[axis] + i * size, size);
        }
        m->marks[i] = inside;
    }
}

void kdr_mark_inside(const kdr_boundary *boundary, const kdr_arrays *arrays, const uint8_t *active, uint8_t *marks, void *const *to,
                     void *const *from) {
    marking m = {boundary, arrays->particles, active, marks, to, from};
    kdr_parallel_for(arrays->executor, kdr_sweep_blocks(arrays->particles->count), mark_range, &m);
}

void kdr_keep_counts(const kdr_particles *p, void *memory, bool back) {
    char *kept = memory;
    const struct {
        void *array;
        size_t size;
    } list[] = {{p->dissipated[0], sizeof(double)},   {p->dissipated[1], sizeof(double)},   {p->hits, sizeof *p->hits},
                {p->images[0], sizeof *p->images[0]}, {p->images[1], sizeof *p->images[1]}, {p->images[2], sizeof *p->images[2]}};
    for (size_t n = 0; n < sizeof list / sizeof *list; ++n) {
        const size_t bytes = p->count * list[n].size;
        const bool counts = list[n].array && (n < 3 || (int)n - 3 < p->dims);
        if (counts && bytes > 0) {
            memcpy(back ? list[n].array : kept, back ? kept : list[n].array, bytes);
        }
        kept += bytes;
    }
}
