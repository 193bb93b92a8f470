/* Elements of a view's arrays, at any address. The copies compile to plain loads and stores. */
#ifndef KDR_PARTICLES_ELEMENT_H
#define KDR_PARTICLES_ELEMENT_H

#include <kickdrift/particles.h>

#include <string.h>

static inline uint32_t kdr_bits_f32(const void *array, size_t index) {
    uint32_t bits;
    memcpy(&bits, (const unsigned char *)array + index * sizeof bits, sizeof bits);
    return bits;
}

static inline uint64_t kdr_bits_f64(const void *array, size_t index) {
    uint64_t bits;
    memcpy(&bits, (const unsigned char *)array + index * sizeof bits, sizeof bits);
    return bits;
}

/* The bit pattern, zero-extended. */
static inline uint64_t kdr_element_bits(const void *array, kdr_real real, size_t index) {
    return real == KDR_F32 ? kdr_bits_f32(array, index) : kdr_bits_f64(array, index);
}

/* The value, exactly: a float is a double. */
static inline double kdr_element(const void *array, kdr_real real, size_t index) {
    if (real == KDR_F32) {
        float value;
        memcpy(&value, (const unsigned char *)array + index * sizeof value, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, (const unsigned char *)array + index * sizeof value, sizeof value);
    return value;
}

/* Bytes from an array's address to element i. */
static inline size_t kdr_offset(const kdr_layout *layout, size_t size, size_t i) {
    const size_t stride = layout->stride ? layout->stride : size;
    if (!layout->block) {
        return i * stride;
    }
    const size_t j = layout->skip + i;
    return j / layout->block * layout->block_stride + j % layout->block * stride;
}

/* The elements lie one after the other. */
static inline bool kdr_layout_is_plain(const kdr_layout *layout, size_t size) {
    return !layout->block && (!layout->stride || layout->stride == size);
}

/* 0 without levels. */
int kdr_highest_level(const kdr_particles *particles);

/* Array 0..2 are the positions, 3..5 the velocities: the order of kdr_difference::array. */
static inline const void *kdr_state_array(const kdr_particles *particles, int array) {
    return array < 3 ? particles->x[array] : particles->v[array - 3];
}

#endif
