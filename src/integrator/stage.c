/* Staging: what is copied, which particles, and the copies themselves. */
#include "stage.h"

#include <stddef.h>
#include <string.h>

#include "../particles/layout.h"

enum {
    LENGTH = 256,     /* particles at a time: a whole number of the kernels' tiles, and f64 of three axes with masses take 14 KB */
    BYTES = 32 << 10, /* of the stage: jobs with very many arrays have fewer particles on it */
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
    *c = (kdr_column){.axes = axes, .size = size, .layout = layout ? *layout : plain, .slot = slot, .written = written};
    c->layout.stride = c->layout.stride ? c->layout.stride : size;
    c->apart = !kdr_layout_is_plain(&c->layout, size);
    stage->apart = stage->apart || c->apart;
    for (int i = 0; i < axes; ++i) {
        c->array[i] = array[i];
    }
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
}

static size_t room(size_t length, size_t size) { return (length * size + GAP - 1) / GAP * GAP + GAP; }

void kdr_stage_make(kdr_stage *stage, const kdr_job *job, const kdr_particles *particles, int level) {
    memset(stage, 0, sizeof *stage);
    stage->job = job;
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

/* Copies n elements that lie `stride` apart, of each axis, onto the stage or back. The constant arguments make twelve loops of it. */
static inline __attribute__((always_inline)) void copy_strided(unsigned char *const array[3], size_t stride, unsigned char *const on[3],
                                                               size_t n, int axes, size_t size, bool back) {
    for (size_t k = 0; k < n; ++k) {
        for (int i = 0; i < axes; ++i) {
            unsigned char *const far = array[i] + k * stride, *const near = on[i] + k * size;
            memcpy(back ? far : near, back ? near : far, size);
        }
    }
}

static void copy_row(unsigned char *const array[3], size_t stride, unsigned char *const on[3], size_t n, int axes, size_t size, bool back) {
    switch (axes << 1 | back) {
#define CASE(axes, back)                                                                                                                   \
    case (axes) << 1 | (back):                                                                                                             \
        size == sizeof(float) ? copy_strided(array, stride, on, n, axes, sizeof(float), back)                                              \
                              : copy_strided(array, stride, on, n, axes, sizeof(double), back);                                            \
        return
        CASE(1, false);
        CASE(2, false);
        CASE(3, false);
        CASE(1, true);
        CASE(2, true);
        CASE(3, true);
#undef CASE
    default:
        return;
    }
}

/* Particles [begin, begin + n) of a column: one stretch, or one a block. */
static void copy_range(const kdr_column *c, unsigned char *const on[3], size_t begin, size_t n, bool back) {
    unsigned char *near[3] = {on[0], on[1], on[2]};
    for (size_t done = 0; done < n;) {
        const size_t at = begin + done, left = n - done;
        const size_t in_block = c->layout.block ? c->layout.block - (c->layout.skip + at) % c->layout.block : left;
        const size_t m = in_block < left ? in_block : left;
        const size_t offset = kdr_offset(&c->layout, c->size, at);
        unsigned char *far[3] = {NULL, NULL, NULL};
        for (int i = 0; i < c->axes; ++i) {
            far[i] = c->array[i] + offset;
        }
        copy_row(far, c->layout.stride, near, m, c->axes, c->size, back);
        for (int i = 0; i < c->axes; ++i) {
            near[i] += m * c->size;
        }
        done += m;
    }
}

/* Chosen particles of a column. */
static void copy_chosen(const kdr_column *c, unsigned char *const on[3], const size_t *index, size_t n, bool back) {
    for (size_t k = 0; k < n; ++k) {
        const size_t offset = kdr_offset(&c->layout, c->size, index[k]);
        for (int i = 0; i < c->axes; ++i) {
            unsigned char *const far = c->array[i] + offset, *const near = on[i] + k * c->size;
            if (c->size == sizeof(float)) {
                memcpy(back ? far : near, back ? near : far, sizeof(float));
            } else {
                memcpy(back ? far : near, back ? near : far, sizeof(double));
            }
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

/* All of [begin, end). What is plain stays where it is. */
static __attribute__((noinline)) void run_range(const kdr_stage *stage, size_t begin, size_t end, kdr_stage_fn *step,
                                                const void *argument) {
    _Alignas(GAP) unsigned char bytes[7 * (LENGTH * sizeof(double) + GAP)];
    staged s;
    s.job = *stage->job;
    for (size_t at = begin; at < end; at += LENGTH) {
        const size_t n = end - at < LENGTH ? end - at : LENGTH;
        unsigned char *free = bytes, *on[KDR_MAX_COLUMNS][3];
        for (int c = 0; c < stage->count; ++c) {
            if (stage->column[c].apart) {
                free = place(&stage->column[c], free, LENGTH, at, &s, on[c]);
                copy_range(&stage->column[c], on[c], at, n, false);
            }
        }
        step(argument, &s.job, at, at + n);
        for (int c = 0; c < stage->count; ++c) {
            if (stage->column[c].apart && stage->column[c].written) {
                copy_range(&stage->column[c], on[c], at, n, true);
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
    unsigned char *free = bytes + room(stage->length, sizeof(uint64_t)), *on[KDR_MAX_COLUMNS][3];
    s.job.field = &s.field;
    if (stage->job->row->info.family == KDR_LANGEVIN) {
        name_chosen(stage->job, index, n, bytes);
        s.job.id = (const void *)bytes;
    }
    for (int c = 0; c < stage->count; ++c) {
        free = place(&stage->column[c], free, stage->length, 0, &s, on[c]);
        copy_chosen(&stage->column[c], on[c], index, n, false);
    }
    step(argument, &s.job, 0, n);
    for (int c = 0; c < stage->count; ++c) {
        if (stage->column[c].written) {
            copy_chosen(&stage->column[c], on[c], index, n, true);
        }
    }
}

static bool is_chosen(const kdr_stage *stage, size_t i) {
    return (!stage->active || stage->active[i]) && (!stage->level || stage->level[i] == stage->chosen);
}

/* The first of [i, end) that is chosen, or end. A level is looked for, and inactive particles skipped, many at a time. */
static size_t next_chosen(const kdr_stage *stage, size_t i, size_t end) {
    while (i < end && !is_chosen(stage, i)) {
        uint64_t marks = 1;
        if (stage->level) {
            const uint8_t *const found = memchr(stage->level + i, stage->chosen, end - i);
            const size_t next = found ? (size_t)(found - stage->level) : end;
            i = next > i ? next : i + 1;
        } else if (end - i >= sizeof marks && (memcpy(&marks, stage->active + i, sizeof marks), marks == 0)) {
            i += sizeof marks;
        } else {
            ++i;
        }
    }
    return i;
}

void kdr_stage_run(const kdr_stage *stage, size_t begin, size_t end, kdr_stage_fn *step, const void *argument) {
    size_t index[LENGTH], n = 0;
    for (size_t i = next_chosen(stage, begin, end); i < end; i = next_chosen(stage, i, end)) {
        size_t stop = stage->active || stage->level ? i + 1 : end;
        while (stop < end && is_chosen(stage, stop)) {
            ++stop;
        }
        if (stop - i >= ROW || !(stage->active || stage->level)) {
            stage->apart ? run_range(stage, i, stop, step, argument) : step(argument, stage->job, i, stop);
            i = stop;
        }
        for (; i < stop; ++i) {
            index[n++] = i;
            if (n == stage->length) {
                run_chosen(stage, index, n, step, argument);
                n = 0;
            }
        }
    }
    if (n > 0) {
        run_chosen(stage, index, n, step, argument);
    }
}
