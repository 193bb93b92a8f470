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
        advance(&slice.compensation[i], bytes);
        advance(&slice.compensation[3 + i], bytes);
    }
    advance(&slice.inverse_mass, bytes);
    slice.id = slice.id ? slice.id + begin : NULL;
    slice.first_id += begin;
    slice.hits = slice.hits ? slice.hits + begin : NULL;
    for (int k = 0; k < 2; ++k) {
        slice.dissipated[k] = slice.dissipated[k] ? slice.dissipated[k] + begin : NULL;
    }
    return slice;
}

enum { MAX_ARRAYS = 20 }; /* three each of x, v, memory and their compensations, the inverse masses, the names, the hits, two of energy */

typedef struct array {
    const char *name;
    int axis;
    const void *data;
    size_t size; /* of an element */
    bool required;
} array;

/* Arrays that come in a set: all of a set that is begun are required. */
static bool any_of(void *const *arrays, int dims) {
    bool any = false;
    for (int i = 0; i < dims; ++i) {
        any = any || arrays[i];
    }
    return any;
}

static int list_arrays(const kdr_particles *p, array list[MAX_ARRAYS]) {
    const size_t size = kdr_real_size(p->real);
    const bool memory = any_of(p->memory, p->dims);
    const bool compensation = any_of(p->compensation, p->dims) || any_of(p->compensation + 3, p->dims);
    int n = 0;
    for (int i = 0; i < p->dims; ++i) {
        list[n++] = (array){"x", i, p->x[i], size, true};
        list[n++] = (array){"v", i, p->v[i], size, true};
        list[n++] = (array){"memory", i, p->memory[i], size, memory};
        list[n++] = (array){"compensation", i, p->compensation[i], size, compensation};
        list[n++] = (array){"compensation", 3 + i, p->compensation[3 + i], size, compensation};
    }
    list[n++] = (array){"inverse_mass", 0, p->inverse_mass, size, false};
    list[n++] = (array){"id", 0, p->id, sizeof *p->id, false};
    list[n++] = (array){"hits", 0, p->hits, sizeof *p->hits, false};
    list[n++] = (array){"dissipated", 0, p->dissipated[0], sizeof(double), false};
    list[n++] = (array){"dissipated", 1, p->dissipated[1], sizeof(double), false};
    return n;
}

static kdr_status check_overlap(const array *list, int n, size_t count, kdr_error *error) {
    for (int i = 0; i < n; ++i) {
        const uintptr_t a = (uintptr_t)list[i].data;
        KDR_CHECK(a <= UINTPTR_MAX - count * list[i].size, error, KDR_ERROR_OVERFLOW,
                  "particles.%s[%d]: expected %zu bytes that end within the address space", list[i].name, list[i].axis,
                  count * list[i].size);
        for (int j = 0; j < i; ++j) {
            const uintptr_t b = (uintptr_t)list[j].data;
            const bool apart = !a || !b || (a < b ? b - a >= count * list[i].size : a - b >= count * list[j].size);
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
    const bool has_doubles = particles->id || particles->dissipated[0] || particles->dissipated[1];
    const size_t largest = has_doubles ? sizeof(double) : size;
    KDR_CHECK(particles->count <= (size_t)PTRDIFF_MAX / largest, error, KDR_ERROR_OVERFLOW,
              "particles.count: expected arrays that fit the address space, got %zu elements of %zu bytes", particles->count, largest);
    if (particles->count == 0) {
        return KDR_OK;
    }
    array list[MAX_ARRAYS];
    const int n = list_arrays(particles, list);
    for (int i = 0; i < n; ++i) {
        KDR_CHECK(list[i].data || !list[i].required, error, KDR_ERROR_NULL, "particles.%s[%d]: expected an array of %zu elements, got NULL",
                  list[i].name, list[i].axis, particles->count);
    }
    return check_overlap(list, n, particles->count, error);
}
