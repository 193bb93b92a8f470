/* Elements of a view's arrays, at any address. The copies compile to plain loads and stores. */
#ifndef KDR_PARTICLES_ELEMENT_H
#define KDR_PARTICLES_ELEMENT_H

#include <kickdrift/particles.h>

#include <string.h>

#include "layout.h"

/* Returns the alignment that the compiler expects of an element, in bytes. A double's is 8, and 4 on 32-bit x86. */
static inline size_t kdr_real_alignment(kdr_real real) { return real == KDR_F32 ? _Alignof(float) : _Alignof(double); }

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

/* Returns the bit pattern, zero-extended. */
static inline uint64_t kdr_element_bits(const void *array, kdr_real real, size_t index) {
    return real == KDR_F32 ? kdr_bits_f32(array, index) : kdr_bits_f64(array, index);
}

/* Returns the value as a double, exactly. */
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

/* Sets an element to the value, rounded to the array's precision. */
static inline void kdr_set_element(void *array, kdr_real real, size_t index, double value) {
    const float narrow = (float)value;
    memcpy((unsigned char *)array + index * (real == KDR_F32 ? sizeof narrow : sizeof value),
           real == KDR_F32 ? (const void *)&narrow : &value, real == KDR_F32 ? sizeof narrow : sizeof value);
}

/* Returns the array of x for `array` 0 to 2, of v for 3 to 5, as kdr_difference::array counts them. */
static inline const void *kdr_state_array(const kdr_particles *particles, int array) {
    return array < 3 ? particles->x[array] : particles->v[array - 3];
}

static inline const kdr_layout *kdr_state_layout(const kdr_particles *particles, int array) {
    return array < 3 ? &particles->x_layout : &particles->v_layout;
}

/* Returns the address of element i of an array of either precision, with any layout. */
static inline const void *kdr_at(const void *array, const kdr_layout *layout, kdr_real real, size_t i) {
    return (const unsigned char *)array + kdr_offset(layout, real == KDR_F32 ? sizeof(float) : sizeof(double), i);
}

static inline uint64_t kdr_state_bits(const kdr_particles *particles, int array, size_t i) {
    const void *const at = kdr_at(kdr_state_array(particles, array), kdr_state_layout(particles, array), particles->real, i);
    return kdr_element_bits(at, particles->real, 0);
}

static inline double kdr_state(const kdr_particles *particles, int array, size_t i) {
    const void *const at = kdr_at(kdr_state_array(particles, array), kdr_state_layout(particles, array), particles->real, i);
    return kdr_element(at, particles->real, 0);
}

/* Returns whether particle i is active. */
static inline bool kdr_is_active(const kdr_particles *p, size_t i) { return !p->active || p->active[kdr_offset(&p->active_layout, 1, i)]; }

/* Returns the inverse mass of particle i, 1 if the particles have none. */
static inline double kdr_inverse_mass(const kdr_particles *p, size_t i) {
    return p->inverse_mass ? kdr_element(kdr_at(p->inverse_mass, &p->inverse_mass_layout, p->real, i), p->real, 0) : 1.0;
}

#endif
