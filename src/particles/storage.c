/* Allocated particles: one block that holds all arrays of a view. */
#include <kickdrift/particles.h>

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "aligned.h"
#include "description.h"
#include "error.h"
#include "executor.h"
#include "storage.h"

enum {
    LINE = 64,   /* bytes of a cache line, and the alignment of every array */
    PAGE = 4096, /* addresses equal modulo PAGE share a set of the first-level cache, and loads from them wait for stores */
    /* distance modulo PAGE between equal indices of consecutive arrays: it is wider than the vectors of one tile, and ten arrays (50
     * of 64 lines), as many as there are without compensations, do not wrap around */
    STAGGER = 5 * LINE,
    HUGE_PAGE = 2 << 20, /* bytes of a huge page on x86-64, and on AArch64 with 4 KiB pages */
};

/* The head of the block that it describes. */
struct kdr_storage {
    kdr_allocator allocator;
    size_t size;
};
_Static_assert(sizeof(struct kdr_storage) <= LINE, "the first array follows one line after");

static size_t round_up(size_t bytes, size_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

static void *system_allocate(void *context, size_t size, size_t alignment) {
    (void)context;
    const bool huge = size >= HUGE_PAGE;
    if (huge) {
        alignment = HUGE_PAGE;
    }
    void *block = kdr_aligned_alloc(alignment, round_up(size, alignment));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (block && huge) {
        (void)madvise(block, round_up(size, alignment), MADV_HUGEPAGE); /* a kernel without huge pages refuses: small pages work too */
    }
#endif
    return block;
}

static void system_release(void *context, void *pointer, size_t size) {
    (void)context, (void)size;
    kdr_aligned_free(pointer);
}

kdr_allocator kdr_system_allocator(void) { return (kdr_allocator){NULL, system_allocate, system_release}; }

static const kdr_particles_desc defaults = {.size = sizeof defaults, .dims = 3, .real = KDR_F64};
static const kdr_description description = {"kdr_particles_desc", &defaults, {sizeof defaults}};

void kdr_particles_desc_init(kdr_particles_desc *desc, size_t size) { kdr_description_init(&description, desc, size); }

typedef struct block_layout {
    size_t bytes;  /* bytes of one array */
    size_t stride; /* bytes from one array to the next: at least `bytes`, and STAGGER modulo PAGE */
    size_t size;   /* bytes of the block */
} block_layout;

/* Returns how many places of an array of reals an array of doubles takes. */
static size_t places_of_doubles(const kdr_particles_desc *desc) { return sizeof(double) / kdr_real_size(desc->real); }

static kdr_status plan(const kdr_particles_desc *desc, block_layout *layout, kdr_error *error) {
    const size_t arrays = (size_t)desc->dims * (2U + (desc->memory ? 1U : 0U) + (desc->compensation ? 2U : 0U)) +
                          (desc->inverse_mass ? 1U : 0U) + (desc->radius ? 1U : 0U) + (desc->bounces ? 1U : 0U) +
                          (desc->nonconverged ? 1U : 0U) + (desc->error ? 1U : 0U) +
                          (desc->dissipated_energy ? 2U * places_of_doubles(desc) : 0U);
    const size_t element = kdr_real_size(desc->real);
    const size_t most = ((size_t)PTRDIFF_MAX - 2 * HUGE_PAGE) / arrays - PAGE; /* leaves room for the head, the gaps and all rounding up */
    KDR_CHECK(desc->count <= most / element, error, KDR_ERROR_OVERFLOW,
              "count: expected arrays that fit the address space, got %zu of %zu elements of %zu bytes", arrays, desc->count, element);
    layout->bytes = desc->count * element;
    layout->stride = layout->bytes <= STAGGER ? STAGGER : round_up(layout->bytes - STAGGER, PAGE) + STAGGER;
    layout->size = round_up(LINE + (arrays - 1) * layout->stride + layout->bytes, LINE);
    return KDR_OK;
}

/* Makes a view of the arrays, without writing to them. */
static kdr_particles lay_out(const kdr_particles_desc *desc, const block_layout *layout, void *block) {
    kdr_particles view = {.count = desc->count, .dims = desc->dims, .real = desc->real, .storage = block};
    unsigned char *next = (unsigned char *)block + LINE;
    for (int i = 0; i < desc->dims; ++i, next += layout->stride) {
        view.x[i] = next;
    }
    for (int i = 0; i < desc->dims; ++i, next += layout->stride) {
        view.v[i] = next;
    }
    for (int i = 0; desc->memory && i < desc->dims; ++i, next += layout->stride) {
        view.memory[i] = next;
    }
    for (int i = 0; desc->compensation && i < 6; ++i) {
        if (i % 3 < desc->dims) {
            view.compensation[i] = next;
            next += layout->stride;
        }
    }
    if (desc->inverse_mass) {
        view.inverse_mass = next;
        next += layout->stride;
    }
    if (desc->radius) {
        view.radius = next;
        next += layout->stride;
    }
    if (desc->bounces) { /* elements of bounces and of nonconverged are no larger than a real */
        view.bounces = (void *)next;
        next += layout->stride;
    }
    if (desc->nonconverged) {
        view.nonconverged = (void *)next;
        next += layout->stride;
    }
    if (desc->error) {
        view.error = next;
        next += layout->stride;
    }
    for (int k = 0; desc->dissipated_energy && k < 2; ++k, next += places_of_doubles(desc) * layout->stride) {
        view.dissipated_energy[k] = (void *)next;
    }
    return view;
}

static void fill_zeros(void *array, size_t size, size_t begin, size_t end) {
    if (array) {
        memset((unsigned char *)array + begin * size, 0, (end - begin) * size);
    }
}

static void fill_ones(void *array, kdr_real real, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
        if (real == KDR_F32) {
            ((float *)array)[i] = 1.0f;
        } else {
            ((double *)array)[i] = 1.0;
        }
    }
}

/* Writes zeros to all arrays, with the threads sharing them as they will in a run, because a page is placed near the thread that first
 * writes to it. */
static void touch_blocks(void *argument, size_t first, size_t last) {
    const kdr_particles *const p = argument;
    const size_t begin = first * KDR_BLOCK, end = last * KDR_BLOCK < p->count ? last * KDR_BLOCK : p->count;
    const size_t size = kdr_real_size(p->real);
    for (int i = 0; i < 3; ++i) {
        fill_zeros(p->x[i], size, begin, end);
        fill_zeros(p->v[i], size, begin, end);
        fill_zeros(p->memory[i], size, begin, end);
        fill_zeros(p->compensation[i], size, begin, end);
        fill_zeros(p->compensation[3 + i], size, begin, end);
    }
    fill_zeros(p->radius, size, begin, end);
    fill_zeros(p->bounces, sizeof *p->bounces, begin, end);
    fill_zeros(p->nonconverged, sizeof *p->nonconverged, begin, end);
    fill_zeros(p->error, size, begin, end);
    fill_zeros(p->dissipated_energy[0], sizeof(double), begin, end);
    fill_zeros(p->dissipated_energy[1], sizeof(double), begin, end);
    if (p->inverse_mass) {
        fill_ones(p->inverse_mass, p->real, begin, end);
    }
}

kdr_status kdr_particles_create(const kdr_particles_desc *given, kdr_particles *particles, kdr_error *error) {
    KDR_CHECK(particles, error, KDR_ERROR_NULL, "particles: expected a view to fill, got NULL");
    kdr_particles_desc desc;
    kdr_status status = kdr_description_take(&description, given, &desc, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(desc.dims >= 1 && desc.dims <= 3, error, KDR_ERROR_ARGUMENT, "dims: expected 1, 2 or 3, got %d", desc.dims);
    KDR_CHECK(kdr_real_size(desc.real), error, KDR_ERROR_ARGUMENT, "real: expected KDR_F32 or KDR_F64, got %d", (int)desc.real);
    kdr_allocator allocator = desc.allocator;
    KDR_CHECK(!allocator.allocate == !allocator.release, error, KDR_ERROR_ARGUMENT,
              "allocator: expected both allocate and release or neither, got one");
    if (!allocator.allocate) {
        allocator = kdr_system_allocator();
    }
    block_layout layout = {0};
    status = plan(&desc, &layout, error);
    if (status != KDR_OK) {
        return status;
    }
    void *block = allocator.allocate(allocator.context, layout.size, LINE);
    KDR_CHECK(block, error, KDR_ERROR_NO_MEMORY, "allocator: expected a block of %zu bytes, got NULL", layout.size);
    if ((uintptr_t)block % LINE != 0) {
        const kdr_status skewed =
            kdr_fail(error, KDR_ERROR_ARGUMENT, "allocator: expected a block at a multiple of %d bytes, got %p", (int)LINE, block);
        allocator.release(allocator.context, block, layout.size);
        return skewed;
    }
    *(struct kdr_storage *)block = (struct kdr_storage){allocator, layout.size};
    kdr_particles made = lay_out(&desc, &layout, block);
    kdr_parallel_for(&desc.executor, kdr_blocks(desc.count), touch_blocks, &made);
    *particles = made;
    return KDR_OK;
}

void kdr_particles_destroy(kdr_particles *particles) {
    if (!particles) {
        return;
    }
    if (particles->storage) {
        const struct kdr_storage storage = *particles->storage; /* a copy, because the block itself holds it */
        storage.allocator.release(storage.allocator.context, particles->storage, storage.size);
    }
    *particles = kdr_particles_default();
}

void kdr_copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
