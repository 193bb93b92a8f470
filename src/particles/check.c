/* This file checks a view, as every run does. A call for one particle spends most of its time here, so the usual views are
 * recognised quickly. */
#include <string.h>

#include "arrays.h"
#include "error.h"
#include "layout.h"

typedef struct checked_array {
    const kdr_array_row *row;
    size_t size, count; /* bytes of an element; number of elements */
    kdr_layout layout;
    uintptr_t begin, end; /* addresses of the first element and of the end of the last */
    uintptr_t data;
} checked_array;

/* Checks that the strides keep the elements of the array separate, and that the array ends within the address space. */
static kdr_status check_span(checked_array *a, kdr_error *error) {
    const kdr_layout *const l = &a->layout;
    const size_t count = a->count;
    KDR_CHECK(l->stride >= a->size, error, KDR_ERROR_ARGUMENT, "particles.%s[%d]: expected a stride of at least %zu bytes, got %zu",
              a->row->name, a->row->axis, a->size, l->stride);
    const size_t most = PTRDIFF_MAX, row = l->block ? l->block : count;
    KDR_CHECK(row - 1 <= (most - a->size) / l->stride, error, KDR_ERROR_OVERFLOW,
              "particles.%s[%d]: expected an array that fits the address space, got %zu elements %zu bytes apart", a->row->name,
              a->row->axis, row, l->stride);
    size_t span = (row - 1) * l->stride + a->size;
    if (l->block) {
        KDR_CHECK(l->block_stride >= span, error, KDR_ERROR_ARGUMENT,
                  "particles.%s[%d]: expected a block stride of at least %zu bytes for %zu elements, got %zu", a->row->name, a->row->axis,
                  span, l->block, l->block_stride);
        KDR_CHECK(l->skip < l->block, error, KDR_ERROR_ARGUMENT, "particles.%s[%d]: expected a skip below the block's %zu, got %zu",
                  a->row->name, a->row->axis, l->block, l->skip);
        /* blocks of skip + count elements, plus 1, because a block ends before the next begins */
        const size_t blocks = (count - 1) / l->block + 1;
        KDR_CHECK(l->block_stride <= most && blocks <= (most - span) / l->block_stride, error, KDR_ERROR_OVERFLOW,
                  "particles.%s[%d]: expected an array that fits the address space, got %zu blocks %zu bytes apart", a->row->name,
                  a->row->axis, blocks, l->block_stride);
        span = kdr_offset(l, a->size, count - 1) + a->size;
    }
    KDR_CHECK(a->data <= UINTPTR_MAX - span, error, KDR_ERROR_OVERFLOW,
              "particles.%s[%d]: expected %zu bytes that end within the address space", a->row->name, a->row->axis, span);
    a->begin = a->data + kdr_offset(l, a->size, 0);
    a->end = a->data + span;
    return KDR_OK;
}

/* Arrays whose extents overlap may be interleaved, as the members of a structure are: then the gaps between their elements decide. */

static uintptr_t address_of(const checked_array *a, size_t i) { return a->data + kdr_offset(&a->layout, a->size, i); }

/* Returns how many consecutive elements from i on have no gaps between them. */
static size_t together(const checked_array *a, size_t i) {
    if (a->layout.stride != a->size) {
        return 1;
    }
    const size_t left = a->layout.block ? a->layout.block - (a->layout.skip + i) % a->layout.block : a->count;
    return left < a->count - i ? left : a->count - i;
}

/* Returns the first element that ends after `address`. */
static size_t first_after(const checked_array *a, uintptr_t address) {
    if (address <= a->begin) {
        return 0;
    }
    const kdr_layout *const l = &a->layout;
    const size_t offset = address - a->data;
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

/* Returns whether two arrays share memory. Both layouts repeat after the least common multiple of their periods, so that one such
 * stretch, from where both have begun, shows every overlap. */
static bool overlap(const checked_array *a, const checked_array *b) {
    if (a->end <= b->begin || b->end <= a->begin) {
        return false;
    }
    const uintptr_t start = a->begin > b->begin ? a->begin : b->begin;
    const size_t period_a = a->layout.block ? a->layout.block_stride : a->layout.stride;
    const size_t period_b = b->layout.block ? b->layout.block_stride : b->layout.stride;
    const size_t times = period_a / greatest_divisor(period_a, period_b);
    const uintptr_t limit = times <= (UINTPTR_MAX - start) / period_b ? start + times * period_b : UINTPTR_MAX;
    size_t i = first_after(a, start), j = first_after(b, start);
    while (i < a->count && j < b->count) {
        const uintptr_t p = address_of(a, i), q = address_of(b, j);
        if ((p > q ? p : q) >= limit) {
            return false;
        }
        const size_t n = together(a, i), m = together(b, j);
        if (p < q + m * b->size && q < p + n * a->size) {
            return true;
        }
        i += p < q ? n : 0;
        j += p < q ? 0 : m;
    }
    return false;
}

static checked_array array_of(const void *data, const kdr_layout *layout, size_t count, size_t size) {
    checked_array a = {NULL, size, count, *layout, 0, 0, (uintptr_t)data};
    a.layout.stride = layout->stride ? layout->stride : size;
    a.begin = a.data + kdr_offset(layout, size, 0);
    a.end = a.data + kdr_offset(layout, size, count - 1) + size;
    return a;
}

bool kdr_arrays_are_apart(const void *a, const kdr_layout *a_layout, size_t a_count, const void *b, const kdr_layout *b_layout,
                          size_t b_count, size_t size) {
    if (!a || !b || a_count == 0 || b_count == 0) {
        return true;
    }
    const checked_array one = array_of(a, a_layout, a_count, size), other = array_of(b, b_layout, b_count, size);
    return !overlap(&one, &other);
}

static kdr_status check_overlap(const checked_array *list, int n, kdr_error *error) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            KDR_CHECK(!overlap(&list[j], &list[i]), error, KDR_ERROR_OVERLAP,
                      "particles: expected separate arrays, but %s[%d] and %s[%d] share memory", list[j].row->name, list[j].row->axis,
                      list[i].row->name, list[i].row->axis);
        }
    }
    return KDR_OK;
}

/* The addresses of an array from its first byte to its last, and the bytes that it takes of each period (a structure, a block), from the
 * beginning of the period. */
typedef struct extent {
    uintptr_t begin, end;
    size_t period, within;
} extent;

/* Returns whether no two of the arrays share memory. They may follow each other; arrays with the same period may also share it, if they
 * are separate in the first period and so in all. */
static bool are_in_order(const extent *sorted, int n) {
    uintptr_t end = 0, taken = 0, period_end = 0; /* ends of the arrays so far; in the first period of interleaved ones */
    size_t period = 0;
    for (int k = 0; k < n; ++k) {
        const extent *const e = &sorted[k];
        if (e->begin >= end) {
            period = e->period;
            period_end = e->begin + period;
        } else if (e->period != period || e->begin < taken || e->begin + e->within > period_end) {
            return false;
        }
        taken = e->begin + e->within;
        end = e->end > end ? e->end : end;
    }
    return true;
}

/* The arrays, sorted by their first address. */
typedef struct extents {
    extent sorted[KDR_ARRAYS];
    int n;
    unsigned given, missing; /* sets of which an array is there, or is not */
} extents;

/* Adds the arrays of rows [row, end) that are there. Returns false if a layout is unusual. */
static bool take_extents(const kdr_particles *p, const kdr_array_row *row, const kdr_array_row *end, extents *to) {
    const size_t most = INT32_MAX, real = p->real == KDR_F32 ? sizeof(float) : sizeof(double);
    for (; row < end; ++row) {
        const uintptr_t data = (uintptr_t)kdr_array_data(p, row);
        if (!data) {
            to->missing |= row->set;
            continue;
        }
        to->given |= row->set;
        const kdr_layout *const layout = (const void *)((const char *)p + row->layout);
        const size_t size = row->size ? row->size : real, stride = layout->stride ? layout->stride : size;
        extent e = {data, data + (p->count - 1) * stride + size, stride, size};
        if (layout->block) {
            e = (extent){data, data + kdr_offset(layout, size, p->count - 1) + size, layout->block_stride,
                         (layout->block - 1) * stride + size};
        }
        if ((stride | e.period | layout->block | p->count) > most || stride < size || e.period < e.within ||
            layout->skip > layout->block - (layout->block > 0) || e.end < data) {
            return false;
        }
        int k = to->n++;
        for (; k > 0 && to->sorted[k - 1].begin > data; --k) {
            to->sorted[k] = to->sorted[k - 1];
        }
        to->sorted[k] = e;
    }
    return true;
}

/* Returns true for nearly all valid views, quickly: all arrays are there, far from the ends of the address space, and separate. False
 * means that the slow check must decide. */
static bool is_plainly_right(const kdr_particles *p) {
    extents to;
    to.n = 0;
    to.given = KDR_SET_STATE;
    to.missing = 0;
    return take_extents(p, kdr_arrays, kdr_arrays + p->dims * KDR_ARRAYS_AXIS, &to) &&
           take_extents(p, kdr_arrays + KDR_ARRAYS_AXES, kdr_arrays + KDR_ARRAYS, &to) && !(to.given & to.missing) &&
           are_in_order(to.sorted, to.n);
}

/* Views that were valid on this thread, one for each hash of x[0], because users who step a few particles check the same few views again
 * and again. The members of a view decide, all but the memory's key; marks and levels are checked each time. */
enum { RIGHT_BITS = 3 };
static _Thread_local kdr_particles right[1 << RIGHT_BITS];

static kdr_particles *right_like(const kdr_particles *p) {
    return &right[(uintptr_t)p->x[0] * UINT64_C(0x9E3779B97F4A7C15) >> (64 - RIGHT_BITS)];
}

static bool was_right(const kdr_particles *p) {
    const size_t before = offsetof(kdr_particles, memory_key), after = offsetof(kdr_particles, id);
    const kdr_particles *const like = right_like(p);
    return memcmp(p, like, before) == 0 && memcmp((const char *)p + after, (const char *)like + after, sizeof *p - after) == 0;
}

/* Lists the arrays of the view that are there. `list` has room for all. */
static kdr_status list_arrays(const kdr_particles *p, checked_array *list, int *n, kdr_error *error) {
    const size_t real = kdr_real_size(p->real);
    const kdr_array_row *missing[KDR_SETS] = {NULL};
    unsigned given = KDR_SET_STATE;
    for (int i = 0; i < KDR_ARRAYS; i = kdr_next_array(i, p->dims)) {
        const kdr_array_row *const row = &kdr_arrays[i];
        const void *const data = kdr_array_data(p, row);
        if (!data) {
            missing[row->set] = missing[row->set] ? missing[row->set] : row;
            continue;
        }
        given |= row->set;
        checked_array *const a = &list[(*n)++];
        a->row = row;
        a->size = row->size ? row->size : real;
        a->count = p->count;
        a->layout = kdr_array_layout(p, row, real);
        a->data = (uintptr_t)data;
        const kdr_status status = check_span(a, error);
        if (status != KDR_OK) {
            return status;
        }
    }
    for (unsigned set = KDR_SET_STATE; set < KDR_SETS; set <<= 1) {
        KDR_CHECK(!(given & set) || !missing[set], error, KDR_ERROR_NULL, "particles.%s[%d]: expected an array of %zu elements, got NULL",
                  missing[set]->name, missing[set]->axis, p->count);
    }
    return KDR_OK;
}

/* Checks a list into which a run writes. The view has been checked. */
static kdr_status check_list(const kdr_particles *p, const char *name, const void *list, size_t capacity, size_t size, kdr_error *error) {
    checked_array arrays[KDR_ARRAYS];
    int n = 0;
    KDR_CHECK(list || capacity == 0, error, KDR_ERROR_NULL, "particles.%s: expected a list of %zu %s, got NULL", name, capacity, name);
    KDR_CHECK(capacity <= (size_t)PTRDIFF_MAX / size, error, KDR_ERROR_OVERFLOW,
              "particles.%s: expected a list that fits the address space, got %zu elements of %zu bytes", name, capacity, size);
    if (capacity == 0 || p->count == 0) {
        return KDR_OK;
    }
    const checked_array ours = array_of(list, &(kdr_layout){.stride = size}, capacity, size);
    const kdr_status status = list_arrays(p, arrays, &n, error);
    for (int i = 0; i < n && status == KDR_OK; ++i) {
        KDR_CHECK(!overlap(&arrays[i], &ours), error, KDR_ERROR_OVERLAP,
                  "particles.%s: expected a list separate from the particles' arrays, but it and %s[%d] share memory", name,
                  arrays[i].row->name, arrays[i].row->axis);
    }
    return status;
}

static kdr_status check_lists(const kdr_particles *p, kdr_error *error) {
    const kdr_contacts *const contacts = p->contacts;
    const kdr_events *const events = p->events;
    kdr_status status = KDR_OK;
    if (contacts) {
        status = check_list(p, "contacts", contacts->list, contacts->capacity, sizeof *contacts->list, error);
    }
    return events && status == KDR_OK ? check_list(p, "events", events->list, events->capacity, sizeof *events->list, error) : status;
}

static kdr_status check_marks(const kdr_particles *p, kdr_error *error) {
    KDR_CHECK(!p->active || p->active_count == p->count, error, KDR_ERROR_MISMATCH,
              "particles.active: expected a mark for each of %zu particles, got %zu", p->count, p->active_count);
    KDR_CHECK(!p->level || p->level_count == p->count, error, KDR_ERROR_MISMATCH,
              "particles.level: expected a level for each of %zu particles, got %zu", p->count, p->level_count);
    const int highest = kdr_highest_level(p);
    KDR_CHECK(highest <= KDR_MAX_LEVEL, error, KDR_ERROR_ARGUMENT, "particles.level: expected levels of at most %d, got %d", KDR_MAX_LEVEL,
              highest);
    return p->contacts || p->events ? check_lists(p, error) : KDR_OK;
}

kdr_status kdr_particles_check(const kdr_particles *particles, kdr_error *error) {
    KDR_CHECK(particles, error, KDR_ERROR_NULL, "particles: expected a view, got NULL");
    if (particles->count > 0 && was_right(particles)) {
        return check_marks(particles, error);
    }
    KDR_CHECK(particles->dims >= 1 && particles->dims <= 3, error, KDR_ERROR_ARGUMENT, "particles.dims: expected 1, 2 or 3, got %d",
              particles->dims);
    const size_t size = kdr_real_size(particles->real);
    KDR_CHECK(size, error, KDR_ERROR_ARGUMENT, "particles.real: expected KDR_F32 or KDR_F64, got %d", (int)particles->real);
    const bool has_doubles = particles->id || particles->dissipated_energy[0] || particles->dissipated_energy[1];
    const size_t largest = has_doubles ? sizeof(double) : size;
    KDR_CHECK(particles->count <= (size_t)PTRDIFF_MAX / largest, error, KDR_ERROR_OVERFLOW,
              "particles.count: expected arrays that fit the address space, got %zu elements of %zu bytes", particles->count, largest);
    if (particles->count == 0) {
        return check_marks(particles, error);
    }
    if (!is_plainly_right(particles)) {
        checked_array list[KDR_ARRAYS];
        int n = 0;
        kdr_status status = list_arrays(particles, list, &n, error);
        status = status ? status : check_overlap(list, n, error);
        if (status != KDR_OK) {
            return status;
        }
    }
    *right_like(particles) = *particles;
    return check_marks(particles, error);
}

kdr_status kdr_particles_check_apart(const kdr_particles *particles, const kdr_particles *to, kdr_error *error) {
    checked_array theirs[KDR_ARRAYS], ours[KDR_ARRAYS];
    int n = 0, m = 0;
    if (to->count == 0 || list_arrays(particles, theirs, &n, error) != KDR_OK || list_arrays(to, ours, &m, error) != KDR_OK) {
        return KDR_OK; /* both have been checked: none of their arrays is wrong */
    }
    for (int i = 0; i < m; ++i) {
        const unsigned set = ours[i].row->set;
        const bool is_used =
            set == KDR_SET_STATE || (set == KDR_SET_IMAGES && particles->images[0] != to->images[0] && particles->images[0]);
        for (int j = 0; j < n && is_used; ++j) {
            KDR_CHECK(!overlap(&theirs[j], &ours[i]), error, KDR_ERROR_OVERLAP,
                      "to: expected arrays separate from the particles' own, but to.%s[%d] and particles.%s[%d] share memory",
                      ours[i].row->name, ours[i].row->axis, theirs[j].row->name, theirs[j].row->axis);
        }
    }
    return KDR_OK;
}
