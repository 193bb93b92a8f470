/* Views: what they hold, slices of them, and the check that every run makes. */
#include <kickdrift/particles.h>

#include <string.h>

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

/* NULL stays NULL: arithmetic on it is undefined. */
static void *moved(const void *array, size_t bytes) { return array ? (unsigned char *)(uintptr_t)array + bytes : NULL; }

/* The arrays of a slice begin at the block that its first particle is in. */
static void advance(void **array, int n, kdr_layout *layout, size_t size, size_t begin) {
    size_t bytes = begin * (layout->stride ? layout->stride : size);
    if (layout->block) {
        const size_t at = layout->skip + begin;
        bytes = at / layout->block * layout->block_stride;
        layout->skip = at % layout->block;
    }
    for (int i = 0; i < n; ++i) {
        array[i] = moved(array[i], bytes);
    }
}

/* How much of an array of `length` elements a slice has: a mask that is too short for the view is too short for its last slice. */
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
    if (begin > particles->count) {
        begin = particles->count;
    }
    slice.count = count < particles->count - begin ? count : particles->count - begin;
    const size_t size = kdr_real_size(particles->real);
    const int dims = particles->dims < 3 ? particles->dims : 3;
    advance(slice.x, dims, &slice.x_layout, size, begin);
    advance(slice.v, dims, &slice.v_layout, size, begin);
    advance(&slice.inverse_mass, 1, &slice.inverse_mass_layout, size, begin);
    for (int i = 0; i < dims; ++i) {
        slice.memory[i] = moved(slice.memory[i], begin * size);
        slice.compensation[i] = moved(slice.compensation[i], begin * size);
        slice.compensation[3 + i] = moved(slice.compensation[3 + i], begin * size);
        slice.images[i] = moved(slice.images[i], begin * sizeof *slice.images[i]);
    }
    slice.id = moved(slice.id, begin * sizeof *slice.id);
    slice.first_id += begin;
    slice.hits = moved(slice.hits, begin * sizeof *slice.hits);
    slice.unsolved = moved(slice.unsolved, begin * sizeof *slice.unsolved);
    for (int k = 0; k < 2; ++k) {
        slice.dissipated[k] = moved(slice.dissipated[k], begin * sizeof *slice.dissipated[k]);
    }
    slice.error = moved(slice.error, begin * size);
    slice.active = moved(slice.active, begin);
    slice.active_count = slice.active ? part_of(particles->active_count, begin, slice.count) : 0;
    slice.level = moved(slice.level, begin);
    slice.level_count = slice.level ? part_of(particles->level_count, begin, slice.count) : 0;
    return slice;
}

enum {
    MAX_ARRAYS = 27
}; /* three each of x, v, memory, their compensations and images, inverse masses, names, hits, unsolved, two of energy, errors, marks,
      levels */

typedef struct array {
    const char *name;
    int axis;
    const void *data;
    size_t size; /* of an element */
    bool required;
    kdr_layout layout; /* without the 0 that stands for `size` */
    uintptr_t begin, end;
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
    bool images = false;
    for (int i = 0; i < p->dims; ++i) {
        images = images || p->images[i];
    }
    int n = 0;
    for (int i = 0; i < p->dims; ++i) {
        list[n++] = (array){"x", i, p->x[i], size, true, p->x_layout, 0, 0};
        list[n++] = (array){"v", i, p->v[i], size, true, p->v_layout, 0, 0};
        list[n++] = (array){"memory", i, p->memory[i], size, memory, {0}, 0, 0};
        list[n++] = (array){"compensation", i, p->compensation[i], size, compensation, {0}, 0, 0};
        list[n++] = (array){"compensation", 3 + i, p->compensation[3 + i], size, compensation, {0}, 0, 0};
        list[n++] = (array){"images", i, p->images[i], sizeof *p->images[i], images, {0}, 0, 0};
    }
    list[n++] = (array){"inverse_mass", 0, p->inverse_mass, size, false, p->inverse_mass_layout, 0, 0};
    list[n++] = (array){"id", 0, p->id, sizeof *p->id, false, {0}, 0, 0};
    list[n++] = (array){"hits", 0, p->hits, sizeof *p->hits, false, {0}, 0, 0};
    list[n++] = (array){"unsolved", 0, p->unsolved, sizeof *p->unsolved, false, {0}, 0, 0};
    list[n++] = (array){"dissipated", 0, p->dissipated[0], sizeof(double), false, {0}, 0, 0};
    list[n++] = (array){"dissipated", 1, p->dissipated[1], sizeof(double), false, {0}, 0, 0};
    list[n++] = (array){"error", 0, p->error, size, false, {0}, 0, 0};
    list[n++] = (array){"active", 0, p->active, sizeof *p->active, false, {0}, 0, 0};
    list[n++] = (array){"level", 0, p->level, sizeof *p->level, false, {0}, 0, 0};
    for (int i = 0; i < n; ++i) {
        list[i].layout.stride = list[i].layout.stride ? list[i].layout.stride : list[i].size;
    }
    return n;
}

/* Strides that keep the elements of the array apart, and an end within the address space. */
static kdr_status check_span(array *a, size_t count, kdr_error *error) {
    const kdr_layout *const l = &a->layout;
    KDR_CHECK(l->stride >= a->size, error, KDR_ERROR_ARGUMENT, "particles.%s[%d]: expected a stride of at least %zu bytes, got %zu",
              a->name, a->axis, a->size, l->stride);
    const size_t most = PTRDIFF_MAX, row = l->block ? l->block : count;
    KDR_CHECK(row - 1 <= (most - a->size) / l->stride, error, KDR_ERROR_OVERFLOW,
              "particles.%s[%d]: expected an array that fits the address space, got %zu elements %zu bytes apart", a->name, a->axis, row,
              l->stride);
    size_t span = (row - 1) * l->stride + a->size;
    if (l->block) {
        KDR_CHECK(l->block_stride >= span, error, KDR_ERROR_ARGUMENT,
                  "particles.%s[%d]: expected a block stride of at least %zu bytes for %zu elements, got %zu", a->name, a->axis, span,
                  l->block, l->block_stride);
        KDR_CHECK(l->skip < l->block, error, KDR_ERROR_ARGUMENT, "particles.%s[%d]: expected a skip below the block's %zu, got %zu",
                  a->name, a->axis, l->block, l->skip);
        const size_t blocks = (count - 1) / l->block + 1; /* of skip + count elements one more: a block ends before the next begins */
        KDR_CHECK(l->block_stride <= most && blocks <= (most - span) / l->block_stride, error, KDR_ERROR_OVERFLOW,
                  "particles.%s[%d]: expected an array that fits the address space, got %zu blocks %zu bytes apart", a->name, a->axis,
                  blocks, l->block_stride);
        span = kdr_offset(l, a->size, count - 1) + a->size;
    }
    KDR_CHECK((uintptr_t)a->data <= UINTPTR_MAX - span, error, KDR_ERROR_OVERFLOW,
              "particles.%s[%d]: expected %zu bytes that end within the address space", a->name, a->axis, span);
    a->begin = a->data ? (uintptr_t)a->data + kdr_offset(l, a->size, 0) : 0;
    a->end = a->data ? (uintptr_t)a->data + span : 0;
    return KDR_OK;
}

/* Arrays whose extents meet may be interleaved, as the members of a structure are: then what is between their elements decides. */

static uintptr_t address_of(const array *a, size_t i) { return (uintptr_t)a->data + kdr_offset(&a->layout, a->size, i); }

/* How many elements from i on lie one after the other. */
static size_t together(const array *a, size_t i, size_t count) {
    if (a->layout.stride != a->size) {
        return 1;
    }
    const size_t left = a->layout.block ? a->layout.block - (a->layout.skip + i) % a->layout.block : count;
    return left < count - i ? left : count - i;
}

/* The first element that ends after `address`. */
static size_t first_after(const array *a, uintptr_t address) {
    if (address <= a->begin) {
        return 0;
    }
    const kdr_layout *const l = &a->layout;
    const size_t offset = address - (uintptr_t)a->data;
    const size_t block = l->block ? offset / l->block_stride : 0, within = l->block ? offset % l->block_stride : offset;
    const size_t k = within / l->stride + (within % l->stride >= a->size);
    if (!l->block) {
        return k;
    }
    return block * l->block + (k < l->block ? k : l->block) - l->skip;
}

static size_t greatest_divisor(size_t a, size_t b) {
    while (b) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Both repeat themselves after the least common multiple of their periods: one such stretch from where both have begun shows all. */
static bool overlap(const array *a, const array *b, size_t count) {
    if (a->end <= b->begin || b->end <= a->begin) {
        return false;
    }
    const uintptr_t start = a->begin > b->begin ? a->begin : b->begin;
    const size_t period_a = a->layout.block ? a->layout.block_stride : a->layout.stride;
    const size_t period_b = b->layout.block ? b->layout.block_stride : b->layout.stride;
    const size_t times = period_a / greatest_divisor(period_a, period_b);
    const uintptr_t limit = times <= (UINTPTR_MAX - start) / period_b ? start + times * period_b : UINTPTR_MAX;
    size_t i = first_after(a, start), j = first_after(b, start);
    while (i < count && j < count) {
        const uintptr_t p = address_of(a, i), q = address_of(b, j);
        if ((p > q ? p : q) >= limit) {
            return false;
        }
        const size_t n = together(a, i, count), m = together(b, j, count);
        if (p < q + m * b->size && q < p + n * a->size) {
            return true;
        }
        i += p < q ? n : 0;
        j += p < q ? 0 : m;
    }
    return false;
}

static kdr_status check_overlap(const array *list, int n, size_t count, kdr_error *error) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            KDR_CHECK(!overlap(&list[j], &list[i], count), error, KDR_ERROR_OVERLAP,
                      "particles: expected arrays apart from each other, but %s[%d] and %s[%d] share memory", list[j].name, list[j].axis,
                      list[i].name, list[i].axis);
        }
    }
    return KDR_OK;
}

int kdr_highest_level(const kdr_particles *particles) {
    uint8_t highest = 0;
    for (size_t i = 0; i < particles->count && particles->level; ++i) {
        highest = particles->level[i] > highest ? particles->level[i] : highest;
    }
    return highest;
}

size_t kdr_count_at_level(const kdr_particles *particles, int level) {
    const uint8_t *const active = particles->active, *const levels = particles->level;
    if (!active && !levels) {
        return level == 0 ? particles->count : 0;
    }
    size_t count = 0;
    for (size_t i = 0; i < particles->count; ++i) {
        count += (!active || active[i]) && (levels ? levels[i] : 0) == level;
    }
    return count;
}

bool kdr_any_at_level(const kdr_particles *particles, int level) {
    const uint8_t *const active = particles->active, *const levels = particles->level;
    for (size_t i = 0; i < particles->count; ++i) {
        if (levels) { /* the next of this level, many at a time */
            const uint8_t *const next = memchr(levels + i, level, particles->count - i);
            if (!next) {
                return false;
            }
            i = (size_t)(next - levels);
        }
        if (!active || active[i]) {
            return levels || level == 0;
        }
    }
    return false;
}

static kdr_status check_marks(const kdr_particles *p, kdr_error *error) {
    KDR_CHECK(!p->active || p->active_count == p->count, error, KDR_ERROR_MISMATCH,
              "particles.active: expected a mark for each of %zu particles, got %zu", p->count, p->active_count);
    KDR_CHECK(!p->level || p->level_count == p->count, error, KDR_ERROR_MISMATCH,
              "particles.level: expected a level for each of %zu particles, got %zu", p->count, p->level_count);
    const int highest = kdr_highest_level(p);
    KDR_CHECK(highest <= KDR_MAX_LEVEL, error, KDR_ERROR_ARGUMENT, "particles.level: expected levels of at most %d, got %d", KDR_MAX_LEVEL,
              highest);
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
    array list[MAX_ARRAYS];
    const int n = list_arrays(particles, list);
    for (int i = 0; i < n && particles->count > 0; ++i) {
        KDR_CHECK(list[i].data || !list[i].required, error, KDR_ERROR_NULL, "particles.%s[%d]: expected an array of %zu elements, got NULL",
                  list[i].name, list[i].axis, particles->count);
        const kdr_status status = check_span(&list[i], particles->count, error);
        if (status != KDR_OK) {
            return status;
        }
    }
    const kdr_status status = check_marks(particles, error);
    return status != KDR_OK || particles->count == 0 ? status : check_overlap(list, n, particles->count, error);
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
