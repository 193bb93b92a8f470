/* This file has the functions of views: sizes, slices, and levels. */
#include <kickdrift/particles.h>

#include <stddef.h>
#include <string.h>

#include "arrays.h"
#include "error.h"
#include "layout.h"

static const struct {
    const char *name;
    size_t size;
} reals[KDR_REAL_COUNT] = {
    [KDR_F32] = {"f32", sizeof(float)},
    [KDR_F64] = {"f64", sizeof(double)},
};

_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE 754 binary32 and binary64");

size_t kdr_real_size(kdr_real real) { return (size_t)real < KDR_REAL_COUNT ? reals[real].size : 0; }

const char *kdr_real_name(kdr_real real) { return (size_t)real < KDR_REAL_COUNT ? reals[real].name : "?"; }

kdr_status kdr_real_from_name(const char *name, kdr_real *real) {
    if (!name || !real) {
        return KDR_ERROR_NULL;
    }
    for (int i = 0; i < KDR_REAL_COUNT; ++i) {
        if (strcmp(name, reals[i].name) == 0) {
            *real = (kdr_real)i;
            return KDR_OK;
        }
    }
    return KDR_ERROR_UNKNOWN_NAME;
}

kdr_particles kdr_particles_default(void) { return (kdr_particles){.dims = 3, .real = KDR_F64}; }

/* Sets an array of a slice. It begins at the block that has the slice's first particle. */
static void slice_array(const kdr_particles *particles, const kdr_array_row *row, size_t begin, kdr_particles *slice) {
    kdr_layout layout = kdr_array_layout(particles, row, kdr_real_size(particles->real));
    const unsigned char *const data = kdr_array_data(particles, row);
    if (data) {
        void *const from = kdr_array_from(data, &layout, layout.stride, begin);
        memcpy((char *)slice + row->data, &from, sizeof from);
        memcpy((char *)slice + row->layout + offsetof(kdr_layout, skip), &layout.skip, sizeof layout.skip);
    }
}

/* Returns how many elements of an array of `length` elements belong to a slice. If the array is too short for the view, it is too short
 * for the view's last slice. */
static size_t part_of(size_t length, size_t begin, size_t count) {
    const size_t left = length > begin ? length - begin : 0;
    return left < count ? left : count;
}

kdr_particles kdr_particles_slice(const kdr_particles *particles, size_t begin, size_t count) {
    if (!particles) {
        return kdr_particles_default();
    }
    kdr_particles slice = *particles;
    slice.storage = NULL;
    slice.contacts = NULL;
    slice.events = NULL;
    if (begin > particles->count) {
        begin = particles->count;
    }
    slice.count = count < particles->count - begin ? count : particles->count - begin;
    slice.first_id += begin;
    const int dims = particles->dims < 3 ? particles->dims : 3;
    for (int i = 0; i < KDR_ARRAYS; i = kdr_next_array(i, dims)) {
        slice_array(particles, &kdr_arrays[i], begin, &slice);
    }
    slice.active_count = slice.active ? part_of(particles->active_count, begin, slice.count) : 0;
    slice.level_count = slice.level ? part_of(particles->level_count, begin, slice.count) : 0;
    return slice;
}

static void move_array(const kdr_particles *particles, const kdr_array_row *row, size_t to, size_t from, size_t count) {
    const size_t real = kdr_real_size(particles->real), size = row->size ? row->size : real;
    const kdr_layout layout = kdr_array_layout(particles, row, real);
    unsigned char *const data = kdr_array_data(particles, row);
    if (data && kdr_layout_is_plain(&layout, size)) {
        memmove(data + to * size, data + from * size, count * size);
        return;
    }
    for (size_t k = 0; data && k < count; ++k) { /* strided elements are moved one by one, in an order that loses none */
        const size_t i = to < from ? k : count - 1 - k;
        memmove(data + kdr_offset(&layout, size, to + i), data + kdr_offset(&layout, size, from + i), size);
    }
}

kdr_status kdr_particles_move(kdr_particles *particles, size_t to, size_t from, size_t count, kdr_error *error) {
    const kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    const size_t first = to < from ? to : from, last = to < from ? from : to, all = particles->count;
    KDR_CHECK(last <= all && count <= all - last, error, KDR_ERROR_ARGUMENT,
              "to, from, count: expected ranges of %zu particles, got %zu from %zu on", all, count, last);
    for (int i = 0; i < KDR_ARRAYS && first != last; i = kdr_next_array(i, particles->dims)) {
        move_array(particles, &kdr_arrays[i], to, from, count);
    }
    return KDR_OK;
}

/* Returns element i of the marks or levels, which are bytes. */
static uint8_t byte_of(const uint8_t *array, const kdr_layout *layout, size_t i) { return array[kdr_offset(layout, 1, i)]; }

int kdr_highest_level(const kdr_particles *particles) {
    const uint8_t *const levels = particles->level;
    uint8_t highest = 0;
    if (levels && kdr_layout_is_plain(&particles->level_layout, 1)) { /* a loop over bytes, which the compiler vectorises */
        for (size_t i = 0; i < particles->count; ++i) {
            highest = levels[i] > highest ? levels[i] : highest;
        }
        return highest;
    }
    for (size_t i = 0; i < particles->count && levels; ++i) {
        const uint8_t level = byte_of(levels, &particles->level_layout, i);
        highest = level > highest ? level : highest;
    }
    return highest;
}

static bool is_at_level(const kdr_particles *p, size_t i, int level) {
    return (!p->active || byte_of(p->active, &p->active_layout, i)) && (p->level ? byte_of(p->level, &p->level_layout, i) : 0) == level;
}

size_t kdr_count_at_level(const kdr_particles *particles, int level) {
    if (!particles->active && !particles->level) {
        return level == 0 ? particles->count : 0;
    }
    size_t count = 0;
    for (size_t i = 0; i < particles->count; ++i) {
        count += is_at_level(particles, i, level);
    }
    return count;
}

bool kdr_any_at_level(const kdr_particles *particles, int level) {
    if (!particles->active && !particles->level) {
        return level == 0 && particles->count > 0;
    }
    const uint8_t *const levels = kdr_layout_is_plain(&particles->level_layout, 1) ? particles->level : NULL;
    for (size_t i = 0; i < particles->count; ++i) {
        if (levels) { /* memchr finds the next particle with this level quickly */
            const uint8_t *const next = memchr(levels + i, level, particles->count - i);
            if (!next) {
                return false;
            }
            i = (size_t)(next - levels);
        }
        if (is_at_level(particles, i, level)) {
            return true;
        }
    }
    return false;
}

bool kdr_layout_is_rows(void *const axis[3], const kdr_layout *layout, int dims, size_t size) {
    bool rows = dims > 1 && layout->block == 0 && layout->stride == (size_t)dims * size;
    for (int i = 1; i < dims; ++i) {
        rows = rows && (uintptr_t)axis[i] == (uintptr_t)axis[0] + (size_t)i * size;
    }
    return rows;
}

bool kdr_lie_in_rows(const kdr_particles *p) {
    const size_t size = kdr_real_size(p->real);
    return kdr_layout_is_rows(p->x, &p->x_layout, p->dims, size) && kdr_layout_is_rows(p->v, &p->v_layout, p->dims, size);
}

/* Returns whether all arrays of rows [row, end) are plain. */
static bool are_plain(const kdr_particles *p, const kdr_array_row *row, const kdr_array_row *end) {
    const size_t real = p->real == KDR_F32 ? sizeof(float) : sizeof(double);
    for (; row < end; ++row) {
        if (kdr_array_data(p, row) && !kdr_layout_is_plain((const void *)((const char *)p + row->layout), row->size ? row->size : real)) {
            return false;
        }
    }
    return true;
}

bool kdr_lie_plain(const kdr_particles *p) { /* all axes have the layout of the first */
    return are_plain(p, kdr_arrays, kdr_arrays + KDR_ARRAYS_AXIS) && are_plain(p, kdr_arrays + KDR_ARRAYS_AXES, kdr_arrays + KDR_ARRAYS);
}

kdr_status kdr_layout_check(const kdr_layout *layout, size_t size, size_t count, const char *name, kdr_error *error) {
    const size_t stride = layout->stride ? layout->stride : size;
    const bool is_possible = stride >= size && (!layout->block || (layout->skip < layout->block && layout->block_stride >= size &&
                                                                   layout->block - 1 <= (layout->block_stride - size) / stride));
    KDR_CHECK(is_possible, error, KDR_ERROR_ARGUMENT,
              "%s: expected a stride of at least an element, and blocks that hold theirs, got %zu, %zu, %zu", name, layout->stride,
              layout->block, layout->block_stride);
    const size_t steps = layout->block ? count / layout->block + 2 : count, step = layout->block ? layout->block_stride : stride;
    KDR_CHECK(steps <= (size_t)PTRDIFF_MAX / step, error, KDR_ERROR_OVERFLOW,
              "%s: expected %zu elements that fit the address space, got them %zu bytes apart", name, count, stride);
    return KDR_OK;
}
