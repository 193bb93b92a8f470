/* This file converts the arrays of a view to little-endian bytes and back. */
#include "arrays.h"

#include <string.h>

#include "../particles/layout.h"

/* The members of kdr_particles in the order of files. For each: the number of its addresses, and whether there is one per axis. */
static const struct {
    const char *name;
    size_t offset, layout;
    size_t size; /* bytes of an element; 0: the particles' real */
    int count;
    bool axes, written;
} members[] = {
#define MEMBER(name, size, count, axes, written)                                                                                           \
    {#name, offsetof(kdr_particles, name), offsetof(kdr_particles, name##_layout), size, count, axes, written}
    MEMBER(x, 0, 3, true, true),
    MEMBER(v, 0, 3, true, true),
    MEMBER(inverse_mass, 0, 1, false, false),
    MEMBER(memory, 0, 3, true, true),
    MEMBER(compensation, 0, 6, true, true),
    MEMBER(id, sizeof(uint64_t), 1, false, false),
    MEMBER(bounces, sizeof(uint32_t), 1, false, true),
    MEMBER(nonconverged, sizeof(uint32_t), 1, false, true),
    MEMBER(dissipated_energy, sizeof(double), 2, false, true),
    MEMBER(error, 0, 1, false, true),
    MEMBER(active, 1, 1, false, false),
    MEMBER(level, 1, 1, false, false),
    MEMBER(images, sizeof(int32_t), 3, true, true),
    MEMBER(radius, 0, 1, false, false),
#undef MEMBER
};

kdr_array kdr_array_of(kdr_particles *particles, int n) {
    int m = 0, axis = n;
    for (; axis >= members[m].count; ++m) {
        axis -= members[m].count;
    }
    char *const view = (char *)particles;
    kdr_array array = {.name = members[m].name,
                       .address = (void **)(void *)(view + members[m].offset) + axis,
                       .size = members[m].size ? members[m].size : kdr_real_size(particles->real),
                       .written = members[m].written};
    memcpy(&array.layout, view + members[m].layout, sizeof array.layout);
    array.used = (!members[m].axes || axis % 3 < particles->dims) && *array.address;
    return array;
}

static bool is_big_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static void reverse(unsigned char *bytes, size_t size, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        for (size_t low = i * size, high = low + size - 1; low < high; ++low, --high) {
            const unsigned char kept = bytes[low];
            bytes[low] = bytes[high];
            bytes[high] = kept;
        }
    }
}

void kdr_array_get(const kdr_array *array, size_t begin, size_t count, unsigned char *bytes) {
    const char *const from = *array->address;
    if (kdr_layout_is_plain(&array->layout, array->size)) {
        memcpy(bytes, from + begin * array->size, count * array->size);
    } else {
        for (size_t i = 0; i < count; ++i) {
            memcpy(bytes + i * array->size, from + kdr_offset(&array->layout, array->size, begin + i), array->size);
        }
    }
    if (is_big_endian()) {
        reverse(bytes, array->size, count);
    }
}

void kdr_array_put(const kdr_array *array, size_t begin, size_t count, const unsigned char *bytes) {
    char *const to = *array->address;
    if (!is_big_endian() && kdr_layout_is_plain(&array->layout, array->size)) {
        memmove(to + begin * array->size, bytes, count * array->size); /* `bytes` may be the array itself */
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        unsigned char element[sizeof(uint64_t)];
        memcpy(element, bytes + i * array->size, array->size);
        if (is_big_endian()) {
            reverse(element, array->size, 1);
        }
        memcpy(to + kdr_offset(&array->layout, array->size, begin + i), element, array->size);
    }
}

void kdr_number_convert(const unsigned char *from, size_t size, unsigned char *to) {
    unsigned char bytes[sizeof(double)];
    float narrow;
    double wide;
    memcpy(bytes, from, size);
    if (is_big_endian()) {
        reverse(bytes, size, 1);
    }
    if (size == sizeof narrow) {
        memcpy(&narrow, bytes, sizeof narrow);
        wide = (double)narrow;
        memcpy(to, &wide, sizeof wide);
    } else {
        memcpy(&wide, bytes, sizeof wide);
        narrow = (float)wide;
        memcpy(to, &narrow, sizeof narrow);
    }
    if (is_big_endian()) {
        reverse(to, size == sizeof narrow ? sizeof wide : sizeof narrow, 1);
    }
}
