/* The pack: chooses what is copied and for which particles, and copies it. */
#include "pack.h"

#include <stddef.h>
#include <string.h>

#include "../backend/backend.h"
#include "../particles/layout.h"
#include "../program/program.h"

enum {
    LENGTH = 256,     /* particles per pack: a whole number of the kernels' tiles; in f64, three axes with masses take 14 KB */
    BYTES = 31 << 10, /* size of the pack in bytes; jobs with very many arrays have fewer particles per pack */
    GAP = 64,         /* bytes between two arrays: keeps equal indices out of one cache set, which slows specialised kernels */
    ROW = 64,         /* this many chosen particles in a row are not worth gathering one by one */
    /* The particles per pack if all are stepped: about as much as hardware prefetch loads ahead while they are stepped. Longer packs
     * wait for memory between two steps, even with software prefetch. */
    ALL_LENGTH = 128,
    ALL_BYTES = 7 * (ALL_LENGTH * (int)sizeof(double) + GAP), /* room for three axes with masses */
};

/* A job of packed particles, with its own copy of the field, whose arrays are packed too. */
typedef struct packed {
    kdr_job job;
    kdr_field field;
} packed;

static void add(kdr_pack *pack, size_t slot, void *const *array, int axes, size_t size, const kdr_layout *layout, bool written) {
    if (!array[0]) {
        return;
    }
    kdr_column *const c = &pack->column[pack->count++];
    *c = kdr_column_of(array, axes, size, layout);
    c->slot = slot;
    c->written = written;
    c->apart = !kdr_layout_is_plain(&c->layout, size);
    pack->strided = pack->strided || c->apart;
    pack->field_is_apart = pack->field_is_apart || (c->apart && slot >= offsetof(packed, field));
}

/* Adds arrays that are only read. */
static void add_read(kdr_pack *pack, size_t slot, const void *const *array, int axes, size_t size, const kdr_layout *layout) {
    void *read[3] = {NULL, NULL, NULL};
    for (int i = 0; i < axes; ++i) {
        read[i] = (void *)(uintptr_t)array[i];
    }
    add(pack, slot, read, axes, size, layout, false);
}

/* Adds the arrays of the job. Ids that the view does not have are made in the pack. */
static void add_columns(kdr_pack *pack, const kdr_job *job, const kdr_particles *p) {
    const size_t size = kdr_real_size(p->real);
    add(pack, offsetof(packed, job.x), job->x, p->dims, size, &p->x_layout, true);
    add(pack, offsetof(packed, job.v), job->v, p->dims, size, &p->v_layout, true);
    add_read(pack, offsetof(packed, job.inverse_mass), &job->inverse_mass, 1, size, &p->inverse_mass_layout);
    add_read(pack, offsetof(packed, job.radius), &job->radius, 1, size, &p->radius_layout);
    add(pack, offsetof(packed, job.memory), job->memory, p->dims, size, &p->memory_layout, true);
    add(pack, offsetof(packed, job.compensation), job->compensation, p->dims, size, &p->compensation_layout, true);
    add(pack, offsetof(packed, job.compensation) + 3 * sizeof(void *), job->compensation + 3, p->dims, size, &p->compensation_layout, true);
    const void *const id = job->row->family->info.heat_bath ? job->id : NULL; /* only a heat bath uses ids */
    add_read(pack, offsetof(packed, job.id), &id, 1, sizeof *job->id, &p->id_layout);
    void *const bounces = job->bounces, *const nonconverged = job->nonconverged;
    add(pack, offsetof(packed, job.bounces), &bounces, 1, sizeof *job->bounces, &p->bounces_layout, true);
    add(pack, offsetof(packed, job.nonconverged), &nonconverged, 1, sizeof *job->nonconverged, &p->nonconverged_layout, true);
    for (size_t i = 0; i < 2; ++i) {
        void *const dissipated_energy = job->dissipated_energy[i];
        add(pack, offsetof(packed, job.dissipated_energy) + i * sizeof(void *), &dissipated_energy, 1, sizeof *job->dissipated_energy[i],
            &p->dissipated_energy_layout, true);
    }
    add(pack, offsetof(packed, job.error), &job->error, 1, size, &p->error_layout, true);
    void *const images[3] = {job->images[0], job->images[1], job->images[2]};
    add(pack, offsetof(packed, job.images), images, p->dims, sizeof *job->images[0], &p->images_layout, true);
    for (size_t i = 0; i < (size_t)job->field->springs; ++i) {
        const kdr_spring *const spring = &job->field->spring[i];
        const size_t slot = offsetof(packed, field.spring) + i * sizeof *spring;
        add_read(pack, slot + offsetof(kdr_spring, k_each), &spring->k_each, 1, size, &spring->layout);
        for (size_t axis = 0; axis < (size_t)p->dims; ++axis) { /* an axis has its own array, or none */
            add_read(pack, slot + offsetof(kdr_spring, at_each[0]) + axis * sizeof spring->at_each[0], &spring->at_each[axis], 1, size,
                     &spring->layout);
        }
    }
    for (size_t i = 0; i < (size_t)job->field->drags; ++i) {
        const size_t slot = offsetof(packed, field.drag) + i * sizeof(kdr_drag);
        add_read(pack, slot + offsetof(kdr_drag, b_each), &job->field->drag[i].b_each, 1, size, &job->field->drag[i].layout);
    }
    for (size_t i = 0; i < (size_t)job->field->custom_arrays; ++i) {
        const size_t slot = offsetof(packed, field.custom_array) + i * sizeof(kdr_custom_field_array);
        add_read(pack, slot + offsetof(kdr_custom_field_array, each), &job->field->custom_array[i].each, 1, size,
                 &job->field->custom_array[i].layout);
    }
}

bool kdr_pack_is_memory(const kdr_column *column) {
    return column->slot >= offsetof(packed, job.memory) &&
           column->slot < offsetof(packed, job.compensation) + sizeof(((kdr_job *)NULL)->compensation);
}

static size_t room(size_t length, size_t size) { return (length * size + GAP - 1) / GAP * GAP + GAP; }

const kdr_copies *kdr_copies_for(kdr_backend backend) {
#if KDR_HAVE_COPIES_AVX2
    return backend == KDR_BACKEND_AVX2 || backend == KDR_BACKEND_AVX512 ? &kdr_copies_avx2 : &kdr_copies_any;
#else
    return (void)backend, &kdr_copies_any;
#endif
}

/* Returns the bytes of the pack for `length` particles: the strided columns only, or all columns and made ids. */
static size_t bytes_of(const kdr_pack *pack, size_t length, bool apart) {
    size_t bytes = apart ? 0 : room(length, sizeof(uint64_t));
    for (int c = 0; c < pack->count; ++c) {
        bytes += pack->column[c].apart || !apart ? (size_t)pack->column[c].axes * room(length, pack->column[c].size) : 0;
    }
    return bytes;
}

/* Returns whether columns 0 and 1, x and v, are consecutive members of one structure. */
static bool are_neighbours(const kdr_column c[2]) {
    return kdr_column_has_members(&c[0]) && kdr_column_has_members(&c[1]) && c[0].layout.stride == c[1].layout.stride &&
           c[1].array[0] == c[0].array[0] + (size_t)c[0].axes * c[0].size;
}

void kdr_pack_make(kdr_pack *pack, kdr_backend backend, const kdr_job *job, const kdr_particles *particles, int level) {
    pack->active = particles->active;
    pack->level = particles->level;
    pack->strided = pack->field_is_apart = false;
    pack->count = 0;
    const unsigned with_arrays = KDR_TERM_SPRINGS | KDR_TERM_DRAGS | KDR_TERM_CUSTOM_SEVERAL;
    if (!pack->active && !pack->level && !(job->terms & with_arrays) && kdr_lie_plain(particles)) {
        return;
    }
    pack->active_layout = particles->active_layout;
    pack->level_layout = particles->level_layout;
    pack->job = job;
    pack->copies = kdr_copies_for(backend);
    pack->kernels = kdr_backend_kernels(backend, particles->real, KDR_FUSED);
    pack->real = particles->real;
    pack->chosen = (uint8_t)level;
    add_columns(pack, job, particles);
    pack->neighbours = are_neighbours(pack->column);
    for (pack->length = LENGTH; bytes_of(pack, pack->length, false) > BYTES;) {
        pack->length /= 2;
    }
    for (pack->all_length = ALL_LENGTH; bytes_of(pack, pack->all_length, true) > ALL_BYTES;) {
        pack->all_length /= 2;
    }
}

void kdr_pack_reads(kdr_pack *pack) {
    for (int c = 0; c < pack->count; ++c) {
        pack->column[c].written = false;
    }
}

const kdr_column *kdr_pack_members(const kdr_pack *pack) {
    const bool alone = pack->count == 2 && pack->neighbours && pack->column[0].axes == 3 && !pack->active && !pack->level;
    return alone ? &pack->column[0] : NULL;
}

/* Gives a column its places in the pack, for `length` particles. If a program steps them, the axes follow each other without a gap, as
 * in a tile's row, so that one operation covers all. */
static unsigned char *place(const kdr_column *c, unsigned char *free, size_t length, const kdr_job *job, unsigned char *on[3]) {
    const size_t next = job->program->hot ? room(length, c->size) : length * c->size;
    for (int i = 0; i < c->axes; ++i) {
        on[i] = free + (size_t)i * next;
    }
    return free + (size_t)c->axes * room(length, c->size);
}

/* Points the job to a column in the pack, which begins with particle `first`. */
static void tell(const kdr_column *c, unsigned char *const on[3], size_t first, packed *s) {
    for (int i = 0; i < c->axes; ++i) {
        const uintptr_t address = (uintptr_t)on[i] - first * c->size;
        memcpy((unsigned char *)s + c->slot + (size_t)i * sizeof address, &address, sizeof address);
    }
}

bool kdr_column_has_members(const kdr_column *c) {
    bool members = c->layout.block == 0 && c->layout.stride > (size_t)c->axes * c->size;
    for (int i = 1; i < c->axes; ++i) {
        members = members && c->array[i] == c->array[0] + (size_t)i * c->size;
    }
    return members;
}

static void carry(const kdr_pack *pack, const kdr_column *c, unsigned char *const on[3], size_t at, size_t n, bool back) {
    if (c->size == kdr_real_size(pack->real) && kdr_column_has_members(c)) {
        pack->kernels->carry(c->array[0] + at * c->layout.stride, c->layout.stride, c->axes, (void *[6]){on[0], on[1], on[2]}, n, back);
    } else {
        pack->copies->range(c, on, at, n, back);
    }
}

/* Copies all strided columns into the pack; with `back`, copies the written ones back. */
static void carry_all(const kdr_pack *pack, unsigned char *on[KDR_MAX_COLUMNS][3], size_t at, size_t n, bool back) {
    int first = 0;
    if (pack->neighbours && (pack->column[0].written || !back)) {
        const kdr_column *const x = &pack->column[0];
        void *near[6];
        for (int i = 0; i < x->axes; ++i) {
            near[i] = on[0][i];
            near[x->axes + i] = on[1][i];
        }
        pack->kernels->carry(x->array[0] + at * x->layout.stride, x->layout.stride, 2 * x->axes, near, n, back);
        first = 2;
    }
    for (int c = first; c < pack->count; ++c) {
        if (pack->column[c].apart && (pack->column[c].written || !back)) {
            carry(pack, &pack->column[c], on[c], at, n, back);
        }
    }
}

/* Steps all particles of [begin, end). Plain arrays are used in place. */
static __attribute__((noinline)) void run_range(const kdr_pack *pack, size_t begin, size_t end, kdr_pack_fn *step, const void *argument) {
    _Alignas(GAP) unsigned char bytes[ALL_BYTES];
    const size_t length = pack->all_length;
    packed s;
    s.job = *pack->job;
    if (pack->field_is_apart) {
        s.field = *pack->job->field;
        s.job.field = &s.field;
    }
    unsigned char *free = bytes, *on[KDR_MAX_COLUMNS][3] = {{NULL}};
    for (int c = 0; c < pack->count; ++c) {
        if (pack->column[c].apart) {
            free = place(&pack->column[c], free, length, &s.job, on[c]);
        }
    }
    for (size_t at = begin; at < end; at += length) {
        const size_t n = end - at < length ? end - at : length;
        for (int c = 0; c < pack->count; ++c) {
            if (pack->column[c].apart) {
                tell(&pack->column[c], on[c], at, &s);
            }
        }
        carry_all(pack, on, at, n, false);
        step(argument, &s.job, at, at + n);
        carry_all(pack, on, at, n, true);
    }
}

static void name_chosen(const kdr_job *job, const size_t *index, size_t n, unsigned char *names) {
    for (size_t k = 0; k < n; ++k) {
        const uint64_t name = job->first_id + index[k];
        memcpy(names + k * sizeof name, &name, sizeof name);
    }
}

static __attribute__((noinline)) void run_chosen(const kdr_pack *pack, const size_t *index, size_t n, kdr_pack_fn *step,
                                                 const void *argument) {
    _Alignas(GAP) unsigned char bytes[BYTES];
    packed s = {*pack->job, *pack->job->field};
    unsigned char *free = bytes + room(pack->length, sizeof(uint64_t)), *on[KDR_MAX_COLUMNS][3] = {{NULL}};
    s.job.field = &s.field;
    s.job.index = index;
    if (pack->job->row->family->info.heat_bath && !pack->job->id) {
        name_chosen(pack->job, index, n, bytes);
        s.job.id = (const void *)bytes;
    }
    for (int c = 0; c < pack->count; ++c) {
        free = place(&pack->column[c], free, pack->length, &s.job, on[c]);
        tell(&pack->column[c], on[c], 0, &s);
        pack->copies->chosen(&pack->column[c], on[c], index, n, false);
    }
    step(argument, &s.job, 0, n);
    for (int c = 0; c < pack->count; ++c) {
        if (pack->column[c].written) {
            pack->copies->chosen(&pack->column[c], on[c], index, n, true);
        }
    }
}

/* Returns marks or levels of [i, i + n), n at most ROW, as a plain array; NULL if there are none. */
static const uint8_t *bytes_at(const uint8_t *array, const kdr_layout *layout, size_t i, size_t n, uint8_t to[ROW]) {
    if (!array || kdr_layout_is_plain(layout, 1)) {
        return array ? array + i : NULL;
    }
    for (size_t k = 0; k < n; ++k) {
        to[k] = array[kdr_offset(layout, 1, i + k)];
    }
    return to;
}

/* Returns how many of [i, i + n) are chosen, n at most ROW. The sum is in bytes, so that it vectorises. */
static size_t count_chosen(const kdr_pack *pack, size_t i, size_t n) {
    uint8_t marks[ROW], levels[ROW], count = 0;
    const uint8_t *const active = bytes_at(pack->active, &pack->active_layout, i, n, marks);
    const uint8_t *const level = bytes_at(pack->level, &pack->level_layout, i, n, levels);
    if (!level) {
        for (size_t k = 0; k < n && active; ++k) {
            count = (uint8_t)(count + (active[k] != 0));
        }
        return active ? count : n;
    }
    for (size_t k = 0; k < n; ++k) {
        count = (uint8_t)(count + ((!active || active[k] != 0) & (level[k] == pack->chosen)));
    }
    return count;
}

/* Writes the indices of chosen particles. It has no branch, because marks are unpredictable, so it may write one unused index at the
 * end: `index` needs room for n. */
static void list_chosen(const kdr_pack *pack, size_t i, size_t n, size_t *index) {
    uint8_t marks[ROW], levels[ROW];
    const uint8_t *const active = bytes_at(pack->active, &pack->active_layout, i, n, marks);
    const uint8_t *const level = bytes_at(pack->level, &pack->level_layout, i, n, levels);
    for (size_t k = 0; k < n; ++k) {
        *index = i + k;
        index += (!active || active[k]) & (!level || level[k] == pack->chosen);
    }
}

/* Particles that are gathered one by one, until they fill the pack. */
typedef struct gathered_particles {
    size_t n;
    size_t index[LENGTH + ROW];
} gathered_particles;

static void run_gathered(const kdr_pack *pack, gathered_particles *c, size_t n, kdr_pack_fn *step, const void *argument) {
    if (n > 0) {
        run_chosen(pack, c->index, n, step, argument);
    }
    c->n -= n;
    memmove(c->index, c->index + n, c->n * sizeof *c->index);
}

void kdr_pack_run(const kdr_pack *pack, size_t begin, size_t end, kdr_pack_fn *step, const void *argument) {
    if (!pack->active && !pack->level) {
        run_range(pack, begin, end, step, argument);
        return;
    }
    gathered_particles c = {0, {0}};
    for (size_t i = begin; i < end;) {
        size_t stop = i, n = 0;
        for (size_t m = 0; stop < end && n == m; stop += n == m ? m : 0) {
            m = end - stop < ROW ? end - stop : ROW;
            n = count_chosen(pack, stop, m);
        }
        if (stop > i) { /* a row of chosen particles without a gap */
            pack->strided ? run_range(pack, i, stop, step, argument) : step(argument, pack->job, i, stop);
        }
        const size_t m = end - stop < ROW ? end - stop : ROW;
        if (m > 0 && n > 0) {
            list_chosen(pack, stop, m, c.index + c.n);
            c.n += n;
            for (; c.n >= pack->length;) {
                run_gathered(pack, &c, pack->length, step, argument);
            }
        }
        i = stop + m;
    }
    run_gathered(pack, &c, c.n, step, argument);
}
