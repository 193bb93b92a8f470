/* Views and their allocation. */
#include "support.h"

#if SANITIZED
/* Without this option the sanitizer ends a process that asks for too much memory. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
#endif

/* An allocator that counts, and fails on request. */
typedef struct ledger {
    bool fails;
    int calls, live;
    size_t size, alignment, released;
    size_t skew; /* bytes to add to the addresses that it returns */
} ledger;

static void *ledger_allocate(void *context, size_t size, size_t alignment) {
    ledger *l = context;
    l->size = size;
    l->alignment = alignment;
    ++l->calls;
    if (l->fails) {
        return NULL;
    }
    ++l->live;
    return (char *)aligned_alloc(alignment, (size + alignment) / alignment * alignment) + l->skew;
}

static void ledger_release(void *context, void *pointer, size_t size) {
    ledger *l = context;
    --l->live;
    l->released = size;
    free((char *)pointer - l->skew);
}

static kdr_particles_desc describe_particles(size_t count, int dims, kdr_real real) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    desc.count = count;
    desc.dims = dims;
    desc.real = real;
    return desc;
}

enum { MAX_ARRAYS = 16 };

static int list_arrays(const kdr_particles *p, unsigned char *list[MAX_ARRAYS]) {
    int n = 0;
    for (int axis = 0; axis < p->dims; ++axis) {
        list[n++] = p->x[axis];
        list[n++] = p->v[axis];
        if (p->memory[0]) {
            list[n++] = p->memory[axis];
        }
        if (p->compensation[0]) {
            list[n++] = p->compensation[axis];
            list[n++] = p->compensation[3 + axis];
        }
    }
    if (p->inverse_mass) {
        list[n++] = p->inverse_mass;
    }
    return n;
}

/* Checks that equal indices of any two arrays are in different cache lines modulo 4 KiB. The 13 arrays that a run may need without memory
 * also differ by more than a tile of 4 vectors of 64 bytes. A fourteenth is one line from the first, because 13 offsets of 5 lines are
 * 65. */
static void expect_layout(const kdr_particles *p, size_t size) {
    unsigned char *list[MAX_ARRAYS];
    const int n = list_arrays(p, list);
    const size_t apart = n <= 13 ? 4 * 64 : 64;
    const size_t bytes = p->count * kdr_real_size(p->real);
    for (int i = 0; i < n; ++i) {
        cr_expect(list[i] && (uintptr_t)list[i] % 64 == 0, "array %d at %p", i, (void *)list[i]);
        cr_expect((size_t)(list[i] - (unsigned char *)p->storage) + bytes <= size);
        for (int j = 0; j < i; ++j) {
            const size_t gap = list[i] > list[j] ? (size_t)(list[i] - list[j]) : (size_t)(list[j] - list[i]);
            cr_expect(gap >= bytes, "arrays %d and %d overlap", j, i);
            cr_expect(gap % 4096 >= apart && 4096 - gap % 4096 >= apart, "arrays %d and %d, %zu apart", j, i, gap);
        }
    }
}

Test(particles, allocation_is_aligned_staggered_and_filled) {
    static const size_t counts[] = {0, 1, 15, 79, 80, 81, 512, 1000, 1024, 4096, 65536, 100003};
    for (size_t i = 0; i < sizeof counts / sizeof *counts * 3 * KDR_REAL_COUNT * 8; ++i) {
        const int shape = (int)(i / (sizeof counts / sizeof *counts));
        ledger l = {0};
        kdr_particles_desc desc =
            describe_particles(counts[i % (sizeof counts / sizeof *counts)], 1 + shape % 3, (kdr_real)(shape / 3 % KDR_REAL_COUNT));
        desc.inverse_mass = shape / 6 % 2 != 0;
        desc.memory = shape / 12 % 2 != 0;
        desc.compensation = shape / 24 != 0;
        desc.allocator = (kdr_allocator){&l, ledger_allocate, ledger_release};
        kdr_particles p;
        cr_assert(kdr_particles_create(&desc, &p, NULL) == KDR_OK);
        cr_expect(p.count == desc.count && p.dims == desc.dims && p.real == desc.real && p.memory_key == 0);
        cr_expect((p.inverse_mass != NULL) == desc.inverse_mass && (p.memory[0] != NULL) == desc.memory);
        for (int axis = 0; axis < 6; ++axis) {
            cr_expect((p.compensation[axis] != NULL) == (desc.compensation && axis % 3 < desc.dims));
        }
        cr_expect(l.calls == 1 && l.live == 1 && l.alignment % 64 == 0);
        expect_layout(&p, l.size);
        for (size_t j = 0; j < p.count; ++j) {
            for (int axis = 0; axis < p.dims; ++axis) {
                cr_assert(get(p.x[axis], p.real, j) == 0 && get(p.v[axis], p.real, j) == 0);
            }
            cr_assert(!p.inverse_mass || get(p.inverse_mass, p.real, j) == 1);
        }
        cr_expect(kdr_particles_check(&p, NULL) == KDR_OK);
        kdr_particles_destroy(&p);
        cr_expect(l.live == 0 && l.released == l.size);
        cr_expect(p.count == 0 && !p.x[0] && !p.compensation[0] && !p.compensation[3] && !p.storage);
    }
}

Test(particles, allocation_by_the_system) {
    /* Blocks of 2 MiB or more are allocated with huge pages, and begin at a multiple of their size. */
    static const size_t counts[] = {0, 1, 1000, 43690, 300000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        kdr_particles p = make_particles(counts[i], 3, KDR_F64, true, true);
        expect_layout(&p, SIZE_MAX);
        cr_expect(counts[i] * 8 < 2 << 20 || (uintptr_t)p.storage % (2 << 20) == 0);
        for (int axis = 0; axis < 3; ++axis) {
            memset(p.memory[axis], 0xff, counts[i] * 8);
        }
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&p);
    }
    kdr_particles_destroy(NULL);
}

/* Checks that a refused description leaves the view and the message as required. */
static void expect_not_created(const kdr_particles_desc *desc, kdr_status status) {
    kdr_particles p, before;
    memset(&p, 0xa5, sizeof p);
    memcpy(&before, &p, sizeof p);
    kdr_error error = {KDR_OK, ""};
    cr_expect(kdr_particles_create(desc, &p, &error) == status, "%s", error.message);
    cr_expect(error.status == status && error.message[0] && !strchr(error.message, '\n'));
    cr_expect(memcmp(&p, &before, sizeof p) == 0);
    cr_expect(kdr_particles_create(desc, &p, NULL) == status);
}

Test(particles, allocation_refuses) {
    static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 4, SIZE_MAX / 8, SIZE_MAX / 8 + 2, PTRDIFF_MAX, PTRDIFF_MAX / 8};
    for (size_t i = 0; i < sizeof counts / sizeof *counts * KDR_REAL_COUNT; ++i) {
        ledger l = {0};
        kdr_particles_desc desc = describe_particles(counts[i / KDR_REAL_COUNT], 3, (kdr_real)(i % KDR_REAL_COUNT));
        desc.allocator = (kdr_allocator){&l, ledger_allocate, ledger_release};
        expect_not_created(&desc, KDR_ERROR_OVERFLOW);
        cr_expect(l.calls == 0);
    }
    for (int real = 0; real < KDR_REAL_COUNT; ++real) { /* the block fits size_t, but no object may be so large */
        kdr_particles_desc desc = describe_particles(PTRDIFF_MAX / (5 * kdr_real_size((kdr_real)real)), 3, (kdr_real)real);
        expect_not_created(&desc, KDR_ERROR_OVERFLOW);
    }
    kdr_particles_desc desc = describe_particles(SIZE_MAX / 512, 3, KDR_F64); /* fits the type, but not the machine */
    expect_not_created(&desc, KDR_ERROR_NO_MEMORY);
    for (int dims = -1; dims <= 4; dims += dims == 0 ? 4 : 1) {
        desc = describe_particles(8, dims, KDR_F64);
        expect_not_created(&desc, KDR_ERROR_ARGUMENT);
    }
    for (int real = -1; real <= 2; real += 3) {
        desc = describe_particles(8, 3, (kdr_real)real);
        expect_not_created(&desc, KDR_ERROR_ARGUMENT);
    }
    expect_not_created(NULL, KDR_ERROR_NULL);
    desc = describe_particles(8, 3, KDR_F64);
    cr_expect(kdr_particles_create(&desc, NULL, NULL) == KDR_ERROR_NULL);
}

Test(particles, allocators_that_misbehave) {
    ledger l = {.fails = true};
    kdr_particles_desc desc = describe_particles(100, 3, KDR_F64);
    desc.allocator = (kdr_allocator){&l, ledger_allocate, ledger_release};
    expect_not_created(&desc, KDR_ERROR_NO_MEMORY);
    l = (ledger){.skew = 8};
    expect_not_created(&desc, KDR_ERROR_ARGUMENT);
    cr_expect(l.live == 0 && l.released == l.size);
    desc.allocator.release = NULL;
    expect_not_created(&desc, KDR_ERROR_ARGUMENT);
    desc.allocator = (kdr_allocator){&l, NULL, ledger_release};
    expect_not_created(&desc, KDR_ERROR_ARGUMENT);
}

Test(particles, defaults) {
    const kdr_particles p = kdr_particles_default();
    cr_expect(p.count == 0 && p.dims == 3 && p.real == KDR_F64 && !p.storage && !p.inverse_mass && p.memory_key == 0);
    for (int axis = 0; axis < 6; ++axis) {
        cr_expect(!p.compensation[axis] && !p.x[axis % 3] && !p.v[axis % 3] && !p.memory[axis % 3]);
    }
    cr_expect(kdr_particles_check(&p, NULL) == KDR_OK);
    const kdr_particles_desc desc = kdr_particles_desc_default();
    cr_expect(desc.count == 0 && desc.dims == 3 && desc.real == KDR_F64 && !desc.inverse_mass && !desc.memory && !desc.compensation);
}

Test(particles, names) {
    cr_expect(kdr_real_size(KDR_F32) == 4 && kdr_real_size(KDR_F64) == 8);
    cr_expect(kdr_real_size((kdr_real)-1) == 0 && kdr_real_size((kdr_real)2) == 0);
    cr_expect_str_eq(kdr_real_name((kdr_real)7), "?");
    for (int i = 0; i < KDR_REAL_COUNT; ++i) {
        kdr_real real = (kdr_real)9;
        cr_expect(kdr_real_from_name(kdr_real_name((kdr_real)i), &real) == KDR_OK && (int)real == i);
    }
    kdr_real real = KDR_F64;
    cr_expect(kdr_real_from_name("f16", &real) == KDR_ERROR_UNKNOWN_NAME && real == KDR_F64);
    cr_expect(kdr_real_from_name("", &real) == KDR_ERROR_UNKNOWN_NAME && real == KDR_F64);
    cr_expect(kdr_real_from_name(NULL, &real) == KDR_ERROR_NULL && real == KDR_F64);
    cr_expect(kdr_real_from_name("f32", NULL) == KDR_ERROR_NULL);
}

/* Returns true if `cut` is the array `of` without its first `bytes`. */
static bool cut_off(const void *cut, const void *of, size_t bytes) { return of ? cut == (const char *)of + bytes : !cut; }

/* Checks the arrays of a slice, or of a view without its first `begin` particles. */
static void expect_slice(const kdr_particles *of, const kdr_particles *s, size_t begin, size_t count) {
    const size_t bytes = begin * kdr_real_size(of->real);
    cr_expect(s->count == count && s->dims == of->dims && s->real == of->real);
    cr_expect(!s->storage && s->memory_key == of->memory_key);
    for (int axis = 0; axis < of->dims; ++axis) {
        cr_expect(cut_off(s->x[axis], of->x[axis], bytes) && cut_off(s->v[axis], of->v[axis], bytes));
        cr_expect(cut_off(s->memory[axis], of->memory[axis], bytes));
        cr_expect(cut_off(s->compensation[axis], of->compensation[axis], bytes));
        cr_expect(cut_off(s->compensation[3 + axis], of->compensation[3 + axis], bytes));
    }
    cr_expect(cut_off(s->inverse_mass, of->inverse_mass, bytes));
    cr_expect(cut_off(s->id, of->id, begin * sizeof *of->id) && s->first_id == of->first_id + begin);
}

Test(particles, slices) {
    static const uint64_t names[100];
    for (int shape = 0; shape < 3 * KDR_REAL_COUNT * 3; ++shape) {
        kdr_particles_desc desc = describe_particles(100, 1 + shape % 3, (kdr_real)(shape / 3 % 2));
        desc.inverse_mass = desc.memory = shape / 6 >= 1;
        desc.compensation = shape / 6 == 2;
        kdr_particles p;
        cr_assert(kdr_particles_create(&desc, &p, NULL) == KDR_OK);
        p.memory_key = 77;
        p.id = shape / 6 == 1 ? names : NULL;
        p.first_id = 5;
        static const size_t cuts[][3] = {{0, 100, 100}, {0, 0, 0}, {10, 20, 20}, {90, 20, 10}, {100, 1, 0}, {10, SIZE_MAX, 90}, {99, 1, 1}};
        for (size_t i = 0; i < sizeof cuts / sizeof *cuts; ++i) {
            kdr_particles s = kdr_particles_slice(&p, cuts[i][0], cuts[i][1]);
            expect_slice(&p, &s, cuts[i][0], cuts[i][2]);
            cr_expect(kdr_particles_check(&s, NULL) == KDR_OK);
            kdr_particles_destroy(&s); /* frees nothing: the arrays are used below */
            cr_expect(s.count == 0 && !s.x[0]);
        }
        kdr_particles s = kdr_particles_slice(&p, SIZE_MAX, SIZE_MAX);
        expect_slice(&p, &s, 100, 0);
        s = kdr_particles_slice(&p, 20, 60);
        kdr_particles inner = kdr_particles_slice(&s, 30, 60);
        expect_slice(&p, &inner, 50, 30);
        set(p.x[0], p.real, 99, 1);
        kdr_particles_destroy(&p);
    }
    const kdr_particles nothing = kdr_particles_slice(NULL, 0, 10);
    cr_expect(nothing.count == 0 && kdr_particles_check(&nothing, NULL) == KDR_OK);
}

static void expect_check(const kdr_particles *p, kdr_status status) {
    kdr_error error = {KDR_OK, ""};
    cr_expect(kdr_particles_check(p, &error) == status, "%s", error.message);
    cr_expect(kdr_particles_check(p, NULL) == status);
    cr_expect(status == KDR_OK ? !error.message[0] : error.status == status && error.message[0] != '\0');
}

/* Returns a view over one block: array k begins at `at[k]` elements; 0..2 are x, 3..5 v, 6 inverse mass, 7..9 memory, 10..15
 * compensation. */
static kdr_particles lend(float *block, const size_t at[MAX_ARRAYS], size_t count, int dims) {
    kdr_particles p = kdr_particles_default();
    p.count = count;
    p.dims = dims;
    p.real = KDR_F32;
    for (int axis = 0; axis < dims; ++axis) {
        p.x[axis] = block + at[axis];
        p.v[axis] = block + at[3 + axis];
        p.memory[axis] = block + at[7 + axis];
        p.compensation[axis] = block + at[10 + axis];
        p.compensation[3 + axis] = block + at[13 + axis];
    }
    p.inverse_mass = block + at[6];
    return p;
}

static bool present(int array, int dims) { return array == 6 || (array < 6 ? array : array - 7) % 3 < dims; }

Test(particles, overlap_of_any_two_arrays) {
    static float block[2000];
    for (int dims = 1; dims <= 3; ++dims) {
        size_t at[MAX_ARRAYS];
        for (size_t i = 0; i < MAX_ARRAYS; ++i) {
            at[i] = 100 + 100 * i; /* adjacent, without an overlap */
        }
        kdr_particles p = lend(block, at, 100, dims);
        expect_check(&p, KDR_OK);
        for (int i = 0; i < MAX_ARRAYS * MAX_ARRAYS * 3; ++i) {
            const int a = i / 3 / MAX_ARRAYS, b = i / 3 % MAX_ARRAYS, shift = 99 * (i % 3 - 1); /* one element in common, or all */
            if (a == b || !present(a, dims) || !present(b, dims)) {
                continue;
            }
            const size_t own = at[a];
            at[a] = (size_t)((int)at[b] + shift);
            p = lend(block, at, 100, dims);
            expect_check(&p, KDR_ERROR_OVERLAP);
            at[a] = own;
        }
        p = lend(block, at, 101, dims);
        expect_check(&p, KDR_ERROR_OVERLAP);
    }
    /* Overlap is measured in bytes, not in elements. */
    size_t apart[MAX_ARRAYS];
    for (size_t i = 0; i < MAX_ARRAYS; ++i) {
        apart[i] = 100 * i;
    }
    kdr_particles p = lend(block, apart, 100, 3);
    p.v[0] = (char *)p.v[0] - 1;
    expect_check(&p, KDR_ERROR_OVERLAP);
    p = lend(block, apart, 100, 3);
    p.compensation[5] = (char *)p.compensation[5] - 1;
    expect_check(&p, KDR_ERROR_OVERLAP);
}

/* The check of a view that was valid before is fast, but must notice any change of it, in any member, and a change back. */
Test(particles, changes_of_a_view_that_was_right) {
    static float block[2000];
    static const uint8_t levels[10] = {KDR_MAX_LEVEL + 1};
    size_t at[MAX_ARRAYS];
    for (size_t i = 0; i < MAX_ARRAYS; ++i) {
        at[i] = 100 * i;
    }
    const kdr_particles right = lend(block, at, 10, 3);
    kdr_particles wrong[5];
    for (int i = 0; i < 5; ++i) {
        wrong[i] = right;
    }
    wrong[0].v[2] = wrong[0].x[2];
    wrong[1].count = 101;
    wrong[2].inverse_mass_layout.stride = 1;
    wrong[3].memory_layout.stride = 60 * sizeof(float);
    wrong[4].level = levels, wrong[4].level_count = 10;
    static const kdr_status statuses[5] = {KDR_ERROR_OVERLAP, KDR_ERROR_OVERLAP, KDR_ERROR_ARGUMENT, KDR_ERROR_OVERLAP, KDR_ERROR_ARGUMENT};
    for (int i = 0; i < 5; ++i) {
        expect_check(&right, KDR_OK);
        expect_check(&wrong[i], statuses[i]);
        expect_check(&wrong[i], statuses[i]); /* a wrong view is not accepted the second time */
        kdr_particles continued = right;
        continued.memory_key = 1;
        expect_check(&continued, KDR_OK);
    }
}

/* A set of arrays is complete or absent: a set without one of the arrays that `dims` demands is refused; arrays for axes beyond `dims` are
 * not read. */
Test(particles, compensations_come_as_a_set) {
    static float block[2000];
    size_t at[MAX_ARRAYS];
    for (size_t i = 0; i < MAX_ARRAYS; ++i) {
        at[i] = 100 * i;
    }
    for (int dims = 1; dims <= 3; ++dims) {
        const kdr_particles good = lend(block, at, 100, dims);
        for (unsigned given = 0; given < 1U << 6; ++given) {
            kdr_particles p = good;
            int wanted = 0;
            for (int i = 0; i < 6; ++i) {
                p.compensation[i] = given >> i & 1 ? block + at[10 + i] : NULL;
                wanted += i % 3 < dims && p.compensation[i];
            }
            expect_check(&p, wanted == 0 || wanted == 2 * dims ? KDR_OK : KDR_ERROR_NULL);
            p.count = 0;
            expect_check(&p, KDR_OK);
        }
        for (int axis = dims; axis < 3; ++axis) { /* overlaps another array, or passes the end of the address space */
            kdr_particles p = good;
            p.compensation[axis] = p.x[0];
            p.compensation[3 + axis] = (void *)(uintptr_t)(UINTPTR_MAX - 4);
            expect_check(&p, KDR_OK);
        }
    }
}

Test(particles, checks) {
    static double block[6][10];
    kdr_particles good = kdr_particles_default();
    good.count = 10;
    for (int axis = 0; axis < 3; ++axis) {
        good.x[axis] = block[axis];
        good.v[axis] = block[3 + axis];
    }
    expect_check(&good, KDR_OK);
    expect_check(NULL, KDR_ERROR_NULL);
    for (int axis = 0; axis < 3; ++axis) {
        kdr_particles p = good;
        p.x[axis] = NULL;
        expect_check(&p, KDR_ERROR_NULL);
        p.dims = axis ? axis : 3;
        expect_check(&p, axis ? KDR_OK : KDR_ERROR_NULL);
        p = good;
        p.v[axis] = NULL;
        expect_check(&p, KDR_ERROR_NULL);
        p = good;
        static double memory[10];
        p.memory[axis] = memory; /* one axis of three */
        expect_check(&p, KDR_ERROR_NULL);
        p.count = 0;
        memset(p.x, 0, sizeof p.x);
        expect_check(&p, KDR_OK);
    }
    static const int dims[] = {0, 4, -1, 1000};
    for (int i = 0; i < 4; ++i) {
        kdr_particles p = good;
        p.dims = dims[i];
        expect_check(&p, KDR_ERROR_ARGUMENT);
        p.count = 0;
        expect_check(&p, KDR_ERROR_ARGUMENT);
    }
    kdr_particles p = good;
    p.real = (kdr_real)2;
    expect_check(&p, KDR_ERROR_ARGUMENT);
    p = good;
    p.count = SIZE_MAX / 8 + 11; /* times 8 it wraps around to 80 bytes */
    expect_check(&p, KDR_ERROR_OVERFLOW);
    p.count = PTRDIFF_MAX / 8;
    p.dims = 1;
    p.x[0] = (void *)(uintptr_t)(UINTPTR_MAX - 4096);
    expect_check(&p, KDR_ERROR_OVERFLOW);
}

/* Marks every byte of an array's elements. Returns false if one was marked before. */
static bool mark_bytes(unsigned char *marks, size_t first, const kdr_layout *l, size_t size, size_t count) {
    bool apart = true;
    for (size_t i = 0; i < count; ++i) {
        const size_t j = l->skip + i;
        const size_t at = first + (l->block ? j / l->block * l->block_stride + j % l->block * l->stride : i * l->stride);
        for (size_t byte = at; byte < at + size; ++byte) {
            apart = apart && !marks[byte];
            marks[byte] = 1;
        }
    }
    return apart;
}

static kdr_layout random_layout(uint64_t *seed, size_t size) {
    kdr_layout l = {size + random_bits(seed) % 3 * (random_bits(seed) % 9), 0, 0, 0};
    if (random_bits(seed) % 2) {
        l.block = 1 + random_bits(seed) % 6;
        l.skip = random_bits(seed) % l.block;
        l.block_stride = (l.block - 1) * l.stride + size + random_bits(seed) % 4 * (random_bits(seed) % 40);
    }
    return l;
}

/* Arrays in random layouts overlap if they share a byte: all such views are found, and no others. */
Test(particles, overlap_of_interleaved_arrays) {
    static unsigned char memory[8192], marks[8192];
    uint64_t seed = test_seed();
    int apart = 0, interleaved = 0;
    for (int n = 0; n < 200000; ++n) {
        kdr_particles p = kdr_particles_default();
        p.dims = 1;
        p.count = 1 + random_bits(&seed) % 24;
        p.real = (kdr_real)(random_bits(&seed) % 2);
        const size_t size = kdr_real_size(p.real);
        p.x_layout = random_layout(&seed, size);
        p.v_layout = random_layout(&seed, size);
        if (random_bits(&seed) % 2) { /* members of one structure */
            p.v_layout = p.x_layout;
        }
        const bool third = random_bits(&seed) % 4 == 0;
        p.inverse_mass_layout = random_bits(&seed) % 2 ? p.x_layout : random_layout(&seed, size);
        const size_t first = random_bits(&seed) % 300, second = random_bits(&seed) % 300, massive = random_bits(&seed) % 300;
        p.x[0] = memory + first;
        p.v[0] = memory + second;
        p.inverse_mass = third ? memory + massive : NULL;
        memset(marks, 0, sizeof marks);
        (void)mark_bytes(marks, first, &p.x_layout, size, p.count);
        bool free_of = mark_bytes(marks, second, &p.v_layout, size, p.count);
        free_of = (!third || mark_bytes(marks, massive, &p.inverse_mass_layout, size, p.count)) && free_of;
        const kdr_status status = kdr_particles_check(&p, NULL);
        cr_assert(status == (free_of ? KDR_OK : KDR_ERROR_OVERLAP), "view %d: %s", n, kdr_status_string(status));
        apart += free_of;
        const kdr_particles last = kdr_particles_slice(&p, p.count - 1, 1);
        const size_t end_x = (size_t)((unsigned char *)last.x[0] - memory) + last.x_layout.skip * p.x_layout.stride;
        interleaved += free_of && first < second && second < end_x;
    }
    cr_expect(apart > 20000 && apart < 180000 && interleaved > 1000, "%d apart, %d interleaved", apart, interleaved);
}

/* A slice of any layout begins at its first element. */
Test(particles, slices_of_any_layout) {
    static unsigned char memory[8192];
    uint64_t seed = test_seed();
    for (int n = 0; n < 10000; ++n) {
        kdr_particles p = kdr_particles_default();
        static uint8_t marks[64];
        p.dims = 1;
        p.count = 1 + random_bits(&seed) % 24;
        p.real = KDR_F32;
        p.x_layout = random_layout(&seed, 4);
        p.v_layout.stride = 4;
        p.x[0] = memory;
        p.v[0] = memory + 6000;
        p.active = p.level = marks;
        p.level += 32;
        p.active_count = p.level_count = p.count;
        const size_t begin = random_bits(&seed) % p.count, count = random_bits(&seed) % 24;
        const kdr_particles s = kdr_particles_slice(&p, begin, count);
        cr_assert(s.count == (count < p.count - begin ? count : p.count - begin));
        for (size_t i = 0; i < s.count; ++i) {
            const kdr_layout *const of = &p.x_layout, *const cut = &s.x_layout;
            const size_t j = of->skip + begin + i, k = cut->skip + i;
            const size_t wanted = of->block ? j / of->block * of->block_stride + j % of->block * of->stride : (begin + i) * of->stride;
            const size_t got = (size_t)((unsigned char *)s.x[0] - memory) +
                               (cut->block ? k / cut->block * cut->block_stride + k % cut->block * cut->stride : i * cut->stride);
            cr_assert(wanted == got, "slice %d, element %zu: %zu, %zu", n, i, wanted, got);
        }
        cr_assert(kdr_particles_check(&s, NULL) == KDR_OK && s.active == p.active + begin && s.level == p.level + begin);
        cr_assert(s.active_count == s.count && s.level_count == s.count);
        p.active_count -= 1; /* too few for the view, and for its last slice */
        const kdr_particles last = kdr_particles_slice(&p, begin, SIZE_MAX);
        cr_assert(kdr_particles_check(&p, NULL) == KDR_ERROR_MISMATCH && kdr_particles_check(&last, NULL) == KDR_ERROR_MISMATCH);
    }
}

Test(particles, layouts_that_are_refused) {
    static double x[300], v[100]; /* the last case reaches into a second block of a hundred */
    static uint8_t marks[11];
    kdr_particles good = kdr_particles_default();
    good.count = 10;
    good.dims = 1;
    good.x[0] = x;
    good.v[0] = v;
    static const struct {
        kdr_layout layout;
        kdr_status status;
    } cases[] = {
        {{8, 0, 0, 0}, KDR_OK},
        {{7, 0, 0, 0}, KDR_ERROR_ARGUMENT},
        {{0, 0, 1, 77}, KDR_OK}, /* block_stride without blocks */
        {{80, 0, 0, 0}, KDR_OK},
        {{0, 4, 32, 3}, KDR_OK},
        {{0, 4, 31, 3}, KDR_ERROR_ARGUMENT},
        {{0, 4, 32, 4}, KDR_ERROR_ARGUMENT},
        {{0, 4, 0, 0}, KDR_ERROR_ARGUMENT},
        {{16, 4, 56, 0}, KDR_OK},
        {{16, 4, 55, 0}, KDR_ERROR_ARGUMENT},
        {{SIZE_MAX / 8, 0, 0, 0}, KDR_ERROR_OVERFLOW},
        {{SIZE_MAX, 0, 0, 0}, KDR_ERROR_OVERFLOW},
        {{0, 4, SIZE_MAX / 2, 0}, KDR_ERROR_OVERFLOW},
        {{0, 4, SIZE_MAX, 0}, KDR_ERROR_OVERFLOW},
        {{0, SIZE_MAX / 2, SIZE_MAX, 0}, KDR_ERROR_OVERFLOW},
        {{0, 100, 800, 95}, KDR_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        kdr_particles p = good;
        p.x_layout = cases[i].layout;
        kdr_error error = {KDR_OK, ""};
        cr_expect(kdr_particles_check(&p, &error) == cases[i].status, "case %zu: %s", i, error.message);
    }
    kdr_particles p = good;
    p.active = marks;
    for (p.active_count = 0; p.active_count < 12; ++p.active_count) {
        expect_check(&p, p.active_count == 10 ? KDR_OK : KDR_ERROR_MISMATCH);
    }
    p = good;
    p.active_count = p.level_count = 3; /* of no array */
    expect_check(&p, KDR_OK);
    p.active = (uint8_t *)(void *)v + 5;
    p.active_count = 10;
    expect_check(&p, KDR_ERROR_OVERLAP);
    p = good;
    p.level = marks;
    p.level_count = 10;
    marks[9] = KDR_MAX_LEVEL;
    marks[10] = 255;
    expect_check(&p, KDR_OK);
    marks[9] = KDR_MAX_LEVEL + 1;
    expect_check(&p, KDR_ERROR_ARGUMENT);
}
