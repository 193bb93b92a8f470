/* Staging: what is copied, which particles, and the copies themselves. */
#include "stage.h"

#include <stddef.h>
#include <string.h>

#include "../backend/backend.h"
#include "../particles/layout.h"

enum {
    LENGTH = 256,     /* particles at a time: a whole number of the kernels' tiles, and f64 of three axes with masses take 14 KB */
    BYTES = 32 << 10, /* of the stage: jobs with very many arrays have fewer particles on it */
    LINE = 64,        /* bytes of a cache line */
    GAP = 64,         /* between two arrays of it, lest equal indices of many lie at the same address modulo 4 KiB */
    ROW = 64,         /* chosen particles in a row that are not worth being gathered one by one */
};

/* A job of staged particles, with a field of its own whose arrays are staged too. */
typedef struct staged {
    kdr_job job;
    kdr_field field;
} staged;

static void add(kdr_stage *stage, size_t slot, void *const *array, int axes, size_t size, const kdr_layout *layout, bool written) {
    static const kdr_layout plain = {0, 0, 0, 0};
    if (!array[0]) {
        return;
    }
    kdr_column *const c = &stage->column[stage->count++];
    *c = kdr_column_of(array, axes, size, layout ? layout : &plain);
    c->slot = slot;
    c->written = written;
    c->apart = !kdr_layout_is_plain(&c->layout, size);
    stage->apart = stage->apart || c->apart;
}

/* Arrays that are only read. */
static void add_read(kdr_stage *stage, size_t slot, const void *const *array, int axes, size_t size, const kdr_layout *layout) {
    void *own[3] = {NULL, NULL, NULL};
    for (int i = 0; i < axes; ++i) {
        own[i] = (void *)(uintptr_t)array[i];
    }
    add(stage, slot, own, axes, size, layout, false);
}

/* What the job's own arrays are; the names of particles are made on the stage. */
static void add_columns(kdr_stage *stage, const kdr_job *job, const kdr_particles *p) {
    const size_t size = kdr_real_size(p->real);
    add(stage, offsetof(staged, job.x), job->x, p->dims, size, &p->x_layout, true);
    add(stage, offsetof(staged, job.v), job->v, p->dims, size, &p->v_layout, true);
    add_read(stage, offsetof(staged, job.inverse_mass), &job->inverse_mass, 1, size, &p->inverse_mass_layout);
    add(stage, offsetof(staged, job.memory), job->memory, p->dims, size, NULL, true);
    add(stage, offsetof(staged, job.compensation), job->compensation, p->dims, size, NULL, true);
    add(stage, offsetof(staged, job.compensation) + 3 * sizeof(void *), job->compensation + 3, p->dims, size, NULL, true);
    void *const hits = job->hits;
    add(stage, offsetof(staged, job.hits), &hits, 1, sizeof *job->hits, NULL, true);
    for (size_t i = 0; i < 2; ++i) {
        void *const dissipated = job->dissipated[i];
        add(stage, offsetof(staged, job.dissipated) + i * sizeof(void *), &dissipated, 1, sizeof *job->dissipated[i], NULL, true);
    }
    for (size_t i = 0; i < (size_t)job->field->springs; ++i) {
        const kdr_spring *const spring = &job->field->spring[i];
        const size_t slot = offsetof(staged, field.spring) + i * sizeof *spring;
        add_read(stage, slot + offsetof(kdr_spring, k_each), &spring->k_each, 1, size, NULL);
        add_read(stage, slot + offsetof(kdr_spring, at_each), spring->at_each, p->dims, size, NULL);
    }
    for (size_t i = 0; i < (size_t)job->field->drags; ++i) {
        const size_t slot = offsetof(staged, field.drag) + i * sizeof(kdr_drag);
        add_read(stage, slot + offsetof(kdr_drag, b_each), &job->field->drag[i].b_each, 1, size, NULL);
    }
    for (size_t i = 0; i < (size_t)job->field->fused_arrays; ++i) {
        const size_t slot = offsetof(staged, field.fused_array) + i * sizeof(kdr_fused_array);
        add_read(stage, slot + offsetof(kdr_fused_array, each), &job->field->fused_array[i].each, 1, size, NULL);
    }
}

static size_t room(size_t length, size_t size) { return (length * size + GAP - 1) / GAP * GAP + GAP; }

const kdr_copies *kdr_copies_for(kdr_backend backend) {
#if KDR_HAVE_COPIES_AVX2
    return backend == KDR_BACKEND_AVX2 || backend == KDR_BACKEND_AVX512 ? &kdr_copies_avx2 : &kdr_copies_any;
#else
    return (void)backend, &kdr_copies_any;
#endif
}

void kdr_stage_make(kdr_stage *stage, kdr_backend backend, const kdr_job *job, const kdr_particles *particles, int level) {
    memset(stage, 0, sizeof *stage);
    stage->job = job;
    stage->copies = kdr_copies_for(backend);
    stage->kernels = kdr_backend_kernels(backend, particles->real, KDR_FUSED);
    stage->real = particles->real;
    stage->active = particles->active;
    stage->level = particles->level;
    stage->chosen = (uint8_t)level;
    add_columns(stage, job, particles);
    size_t used = BYTES + 1;
    for (stage->length = 2 * LENGTH; used > BYTES;) {
        stage->length /= 2;
        used = room(stage->length, sizeof(uint64_t));
        for (int c = 0; c < stage->count; ++c) {
            used += (size_t)stage->column[c].axes * room(stage->length, stage->column[c].size);
        }
    }
}

/* Gives a column its places on the stage, for `length` particles, and tells the job: particle `first` is the first of them. */
static unsigned char *place(const kdr_column *c, unsigned char *free, size_t length, size_t first, staged *s, unsigned char *on[3]) {
    for (int i = 0; i < c->axes; ++i) {
        on[i] = free;
        const uintptr_t address = (uintptr_t)free - first * c->size;
        memcpy((unsigned char *)s + c->slot + (size_t)i * sizeof address, &address, sizeof address);
        free += room(length, c->size);
    }
    return free;
}

void kdr_foresee(const kdr_column *c, size_t begin, size_t n) {
    const size_t block = c->layout.block ? c->layout.block : n + 1;
    const size_t step = c->layout.stride < LINE ? LINE / c->layout.stride : 1;
    for (int i = 0; i < c->axes && n > 0; ++i) {
        const unsigned char *const array = c->array[i];
        if (i > 0 && (uintptr_t)array - (uintptr_t)c->array[0] < LINE) { /* the first axis' lines, or nearly */
            continue;
        }
        size_t within = c->layout.block ? (c->layout.skip + begin) % block : 0, offset = kdr_offset(&c->layout, c->size, begin);
        for (size_t left = n, m; left > 0; left -= m) {
            m = block - within < left ? block - within : left;
            for (size_t k = 0; k < m; k += step) {
                __builtin_prefetch(array + offset + k * c->layout.stride);
            }
            offset += c->layout.block_stride - within * c->layout.stride;
            within = 0;
        }
    }
}

bool kdr_column_has_members(const kdr_column *c) {
    bool members = c->layout.block == 0 && c->layout.stride > (size_t)c->axes * c->size;
    for (int i = 1; i < c->axes; ++i) {
        members = members && c->array[i] == c->array[0] + (size_t)i * c->size;
    }
    return members;
}

static void carry(const kdr_stage *stage, const kdr_column *c, unsigned char *const on[3], size_t at, size_t n, bool back) {
    if (c->size == kdr_real_size(stage->real) && kdr_column_has_members(c)) {
        stage->kernels->carry(c->array[0] + at * c->layout.stride, c->layout.stride, c->axes, (void *[6]){on[0], on[1], on[2]}, n, back);
    } else {
        stage->copies->range(c, on, at, n, back);
    }
}

/* All of [begin, end). What is plain stays where it is. */
static __attribute__((noinline)) void run_range(const kdr_stage *stage, size_t begin, size_t end, kdr_stage_fn *step,
                                                const void *argument) {
    _Alignas(GAP) unsigned char bytes[7 * (LENGTH * sizeof(double) + GAP)];
    const size_t length = stage->column[0].size == sizeof(float) ? 2 * LENGTH : LENGTH;
    staged s;
    s.job = *stage->job;
    for (size_t at = begin; at < end; at += length) {
        const size_t n = end - at < length ? end - at : length, next = end - (at + n) < length ? end - (at + n) : length;
        unsigned char *free = bytes, *on[KDR_MAX_COLUMNS][3] = {{NULL}};
        for (int c = 0; c < stage->count; ++c) {
            if (stage->column[c].apart) {
                free = place(&stage->column[c], free, length, at, &s, on[c]);
                carry(stage, &stage->column[c], on[c], at, n, false);
            }
        }
        for (int c = 0; c < stage->count; ++c) {
            if (stage->column[c].apart) {
                kdr_foresee(&stage->column[c], at + n, next);
            }
        }
        step(argument, &s.job, at, at + n);
        for (int c = 0; c < stage->count; ++c) {
            if (stage->column[c].apart && stage->column[c].written) {
                carry(stage, &stage->column[c], on[c], at, n, true);
            }
        }
    }
}

static void name_chosen(const kdr_job *job, const size_t *index, size_t n, unsigned char *names) {
    for (size_t k = 0; k < n; ++k) {
        uint64_t name = job->first_id + index[k];
        if (job->id) {
            memcpy(&name, (const unsigned char *)(const void *)job->id + index[k] * sizeof name, sizeof name);
        }
        memcpy(names + k * sizeof name, &name, sizeof name);
    }
}

static __attribute__((noinline)) void run_chosen(const kdr_stage *stage, const size_t *index, size_t n, kdr_stage_fn *step,
                                                 const void *argument) {
    _Alignas(GAP) unsigned char bytes[BYTES];
    staged s = {*stage->job, *stage->job->field};
    unsigned char *free = bytes + room(stage->length, sizeof(uint64_t)), *on[KDR_MAX_COLUMNS][3] = {{NULL}};
    s.job.field = &s.field;
    if (stage->job->row->family->info.heat_bath) {
        name_chosen(stage->job, index, n, bytes);
        s.job.id = (const void *)bytes;
    }
    for (int c = 0; c < stage->count; ++c) {
        free = place(&stage->column[c], free, stage->length, 0, &s, on[c]);
        stage->copies->chosen(&stage->column[c], on[c], index, n, false);
    }
    step(argument, &s.job, 0, n);
    for (int c = 0; c < stage->count; ++c) {
        if (stage->column[c].written) {
            stage->copies->chosen(&stage->column[c], on[c], index, n, true);
        }
    }
}

/* How many of [i, i + n) are chosen, n at most ROW: a sum in bytes, many at a time. */
static size_t count_chosen(const kdr_stage *stage, size_t i, size_t n) {
    const uint8_t *const active = stage->active ? stage->active + i : NULL, *const level = stage->level ? stage->level + i : NULL;
    uint8_t count = 0;
    if (!level) {
        for (size_t k = 0; k < n && active; ++k) {
            count = (uint8_t)(count + (active[k] != 0));
        }
        return active ? count : n;
    }
    for (size_t k = 0; k < n; ++k) {
        count = (uint8_t)(count + ((!active || active[k] != 0) & (level[k] == stage->chosen)));
    }
    return count;
}

/* Writes their indices, and for want of a branch that no processor foresees, whatever is read at the end of them: room for n. */
static void list_chosen(const kdr_stage *stage, size_t i, size_t n, size_t *index) {
    for (size_t k = i; k < i + n; ++k) {
        *index = k;
        index += (!stage->active || stage->active[k]) & (!stage->level || stage->level[k] == stage->chosen);
    }
}

/* Particles that are gathered one by one, until they fill the stage. */
typedef struct crowd {
    size_t n;
    size_t index[LENGTH + ROW];
} crowd;

static void run_crowd(const kdr_stage *stage, crowd *c, size_t n, kdr_stage_fn *step, const void *argument) {
    if (n > 0) {
        run_chosen(stage, c->index, n, step, argument);
    }
    c->n -= n;
    memmove(c->index, c->index + n, c->n * sizeof *c->index);
}

void kdr_stage_run(const kdr_stage *stage, size_t begin, size_t end, kdr_stage_fn *step, const void *argument) {
    if (!stage->active && !stage->level) {
        run_range(stage, begin, end, step, argument);
        return;
    }
    crowd c = {0, {0}};
    for (size_t i = begin; i < end;) {
        size_t stop = i, n = 0;
        for (size_t m = 0; stop < end && n == m; stop += n == m ? m : 0) {
            m = end - stop < ROW ? end - stop : ROW;
            n = count_chosen(stage, stop, m);
        }
        if (stop > i) { /* a row without a gap */
            stage->apart ? run_range(stage, i, stop, step, argument) : step(argument, stage->job, i, stop);
        }
        const size_t m = end - stop < ROW ? end - stop : ROW;
        if (m > 0 && n > 0) {
            list_chosen(stage, stop, m, c.index + c.n);
            c.n += n;
            for (; c.n >= stage->length;) {
                run_crowd(stage, &c, stage->length, step, argument);
            }
        }
        i = stop + m;
    }
    run_crowd(stage, &c, c.n, step, argument);
}
