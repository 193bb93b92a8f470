/* Views: what they hold, slices of them, and the check that every run makes. */
#include <kickdrift/particles.h>

#include <string.h>

#include "error.h"

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

/* NULL stays NULL: arithmetic on it is undefined. */
static void advance(void **array, size_t bytes) {
    if (*array) {
        *array = (unsigned char *)*array + bytes;
    }
}

kdr_particles kdr_particles_slice(const kdr_particles *particles, size_t begin, size_t count) {
    if (!particles) {
        return kdr_particles_default();
    }
    kdr_particles slice = *particles;
    slice.storage = NULL;
    if (begin > particles->count) {
        begin = particles->count;
    }
    slice.count = count < particles->count - begin ? count : particles->count - begin;
    const size_t bytes = begin * kdr_real_size(particles->real);
    for (int i = 0; i < 3 && i < particles->dims; ++i) {
        advance(&slice.x[i], bytes);
        advance(&slice.v[i], bytes);
        advance(&slice.memory[i], bytes);
    }
    advance(&slice.inverse_mass, bytes);
    return slice;
}

enum { MAX_ARRAYS = 10 }; /* three each of x, v and memory, and the inverse masses */

typedef struct array {
    const char *name;
    int axis;
    const void *data;
    bool required;
} array;

static int list_arrays(const kdr_particles *particles, array list[MAX_ARRAYS]) {
    int n = 0;
    bool memory = false;
    for (int i = 0; i < particles->dims; ++i) {
        memory = memory || particles->memory[i];
    }
    for (int i = 0; i < particles->dims; ++i) {
        list[n++] = (array){"x", i, particles->x[i], true};
        list[n++] = (array){"v", i, particles->v[i], true};
        list[n++] = (array){"memory", i, particles->memory[i], memory};
    }
    list[n++] = (array){"inverse_mass", 0, particles->inverse_mass, false};
    return n;
}

static kdr_status check_overlap(const array *list, int n, size_t bytes, kdr_error *error) {
    for (int i = 0; i < n; ++i) {
        const uintptr_t a = (uintptr_t)list[i].data;
        KDR_CHECK(a <= UINTPTR_MAX - bytes, error, KDR_ERROR_OVERFLOW,
                  "particles.%s[%d]: expected %zu bytes that end within the address space", list[i].name, list[i].axis, bytes);
        for (int j = 0; j < i; ++j) {
            const uintptr_t b = (uintptr_t)list[j].data;
            const bool apart = !a || !b || (a < b ? b - a : a - b) >= bytes;
            KDR_CHECK(apart, error, KDR_ERROR_OVERLAP,
                      "particles: expected arrays apart from each other, but %s[%d] and %s[%d] share memory", list[j].name, list[j].axis,
                      list[i].name, list[i].axis);
        }
    }
    return KDR_OK;
}

kdr_status kdr_particles_check(const kdr_particles *particles, kdr_error *error) {
    KDR_CHECK(particles, error, KDR_ERROR_NULL, "particles: expected a view, got NULL");
    KDR_CHECK(particles->dims >= 1 && particles->dims <= 3, error, KDR_ERROR_ARGUMENT, "particles.dims: expected 1, 2 or 3, got %d",
              particles->dims);
    const size_t size = kdr_real_size(particles->real);
    KDR_CHECK(size, error, KDR_ERROR_ARGUMENT, "particles.real: expected KDR_F32 or KDR_F64, got %d", (int)particles->real);
    KDR_CHECK(particles->count <= (size_t)PTRDIFF_MAX / size, error, KDR_ERROR_OVERFLOW,
              "particles.count: expected arrays that fit the address space, got %zu elements of %zu bytes", particles->count, size);
    if (particles->count == 0) {
        return KDR_OK;
    }
    array list[MAX_ARRAYS];
    const int n = list_arrays(particles, list);
    for (int i = 0; i < n; ++i) {
        KDR_CHECK(list[i].data || !list[i].required, error, KDR_ERROR_NULL, "particles.%s[%d]: expected an array of %zu elements, got NULL",
                  list[i].name, list[i].axis, particles->count);
    }
    return check_overlap(list, n, particles->count * size, error);
}
