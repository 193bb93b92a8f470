/* Workspaces: the arrays of a run, in one block of memory. */
#include <string.h>

#include "../particles/error.h"
#include "../particles/storage.h"
#include "coupled.h"

/* As the arrays of particles: at the beginning of a line, and apart modulo a page, so that equal indices do not collide. */
enum { LINE = 64, PAGE = 4096, STAGGER = 5 * LINE };

typedef struct cursor {
    uintptr_t at;
    uintptr_t first;
    bool fits;
} cursor;

static void *take(cursor *c, size_t bytes) {
    c->at = (c->at + LINE - 1) / LINE * LINE;
    void *const array = (void *)c->at; /* never looked at when the addresses are made up */
    const size_t rounded = (bytes / PAGE + 1) * PAGE + STAGGER;
    c->fits = c->fits && rounded <= (size_t)PTRDIFF_MAX - (c->at - c->first);
    c->at += c->fits ? rounded : 0;
    return array;
}

static void take_axes(cursor *c, int dims, size_t bytes, void *array[3]) {
    for (int i = 0; i < dims; ++i) {
        array[i] = take(c, bytes);
    }
}

/* Arrays of consecutive axes. */
static void take_together(cursor *c, int dims, size_t bytes, void *array[3]) {
    unsigned char *const first = take(c, (size_t)dims * bytes);
    for (int i = 0; i < dims; ++i) {
        array[i] = (void *)((uintptr_t)first + (size_t)i * bytes);
    }
}

/* The axes of a particle side by side. */
static void take_rows(cursor *c, int dims, size_t bytes, size_t element, void *array[3]) {
    unsigned char *const first = take(c, (size_t)dims * bytes);
    for (int i = 0; i < dims; ++i) {
        array[i] = (void *)((uintptr_t)first + (size_t)i * element);
    }
}

/* With particles that bring their memory one of the two arrays of accelerations is left unused. */
static void lay_out_splitting(const kdr_coupled *coupled, size_t count, int dims, size_t bytes, cursor *c, kdr_work *work) {
    const kdr_splitting_row *const row = coupled->problem.row->data.splitting;
    const size_t element = kdr_real_size(coupled->problem.real), slack = KDR_PASS_GROUP * element;
    for (int n = 0; n < (kdr_splitting_keeps(row) ? 2 : 1); ++n) {
        if (coupled->desc.rows) {
            take_rows(c, dims, bytes, element, work->a[n]);
        } else {
            take_axes(c, dims, bytes, work->a[n]);
        }
    }
    if (row->predicts) {
        take_together(c, dims, bytes, work->predicted);
    }
    if (!coupled->fails || coupled->corrects) {
        return;
    }
    void *x[3], *v[3], *from[3], *bits[3];
    take_together(c, dims, bytes + slack, x);
    take_together(c, dims, bytes + slack, v);
    take_together(c, dims, (count / KDR_PASS_BLOCK + 1) * sizeof(uint64_t), from);
    take_together(c, dims, count / (8 * coupled->passes->vector) + 1, bits);
    for (int i = 0; i < dims; ++i) {
        work->kept[i] = (kdr_kept){x[i], v[i], from[i], bits[i]};
        work->before_x[i] = coupled->desc.levels ? x[i] : NULL; /* a run is with levels or without */
        work->before_v[i] = coupled->desc.levels ? v[i] : NULL;
    }
}

static void lay_out_stages(const kdr_coupled *coupled, int dims, size_t bytes, cursor *c, kdr_work *work) {
    const bool nystrom = coupled->problem.row->info.family == KDR_NYSTROM;
    const int stages = nystrom ? coupled->problem.row->data.nystrom->stages : coupled->problem.row->data.runge_kutta->stages;
    take_axes(c, dims, bytes, work->x);
    for (int s = 0; s < stages; ++s) {
        take_axes(c, dims, bytes, work->a[s]);
        if (s > 0 && !nystrom) {
            take_axes(c, dims, bytes, work->v[s]);
        }
    }
    if (nystrom) {
        take_axes(c, dims, bytes, work->mean);
        take_axes(c, dims, bytes, work->sum);
    }
}

size_t kdr_work_lay_out(const kdr_coupled *coupled, size_t count, int dims, uintptr_t address, kdr_work *work) {
    const size_t element = kdr_real_size(coupled->problem.real);
    memset(work, 0, sizeof *work);
    if (count > (size_t)PTRDIFF_MAX / sizeof(uint64_t) / 2) {
        return 0;
    }
    cursor c = {.at = address, .first = address, .fits = true};
    if (coupled->problem.row->info.family == KDR_SPLITTING) {
        lay_out_splitting(coupled, count, dims, count * element, &c, work);
    } else {
        lay_out_stages(coupled, dims, count * element, &c, work);
    }
    if (coupled->problem.row->info.family != KDR_SPLITTING || coupled->term_count > 0) {
        take_axes(&c, dims, count * element, work->own_x);
        take_axes(&c, dims, count * element, work->own_v);
    }
    if (coupled->corrects) {
        take_axes(&c, dims, count * element, work->before_x);
        take_axes(&c, dims, count * element, work->before_v);
    }
    if (coupled->holds) {
        take_axes(&c, dims, count * element, work->before_drift);
    }
    if (coupled->desc.levels) {
        work->order = take(&c, count * sizeof *work->order);
        work->marks = take(&c, count * sizeof *work->marks);
    }
    size_t scratch = 0;
    for (size_t t = 0; t < coupled->term_count; ++t) {
        const kdr_coupled_term *const term = &coupled->terms[t];
        const size_t wanted = term->scratch ? term->scratch(term->data, count, dims) : 0;
        scratch = wanted > scratch ? wanted : scratch;
    }
    work->scratch = take(&c, scratch);
    return c.fits ? (size_t)(c.at - c.first) + LINE : 0; /* the block may begin anywhere */
}

size_t kdr_coupled_workspace_size(const kdr_coupled *coupled, size_t count, int dims) {
    kdr_work work;
    return coupled && dims >= 1 && dims <= 3 ? kdr_work_lay_out(coupled, count, dims, 0, &work) : 0;
}

kdr_status kdr_workspace_create(const kdr_coupled *coupled, size_t count, int dims, kdr_allocator allocator, kdr_workspace *workspace,
                                kdr_error *error) {
    KDR_CHECK(coupled, error, KDR_ERROR_NULL, "coupled: expected a pointer, got NULL");
    KDR_CHECK(workspace, error, KDR_ERROR_NULL, "workspace: expected a pointer, got NULL");
    KDR_CHECK(dims >= 1 && dims <= 3, error, KDR_ERROR_ARGUMENT, "dims: expected 1, 2 or 3, got %d", dims);
    KDR_CHECK(!allocator.allocate == !allocator.release, error, KDR_ERROR_ARGUMENT,
              "allocator: expected both allocate and release or neither, got one");
    const size_t size = kdr_coupled_workspace_size(coupled, count, dims);
    KDR_CHECK(size > 0, error, KDR_ERROR_OVERFLOW, "count: expected arrays that fit the address space, got %zu particles", count);
    const kdr_allocator chosen = allocator.allocate ? allocator : kdr_system_allocator();
    void *const memory = chosen.allocate(chosen.context, size, LINE);
    KDR_CHECK(memory, error, KDR_ERROR_NO_MEMORY, "allocator: expected a block of %zu bytes, got NULL", size);
    *workspace = (kdr_workspace){memory, size, chosen};
    return KDR_OK;
}

void kdr_workspace_destroy(kdr_workspace *workspace) {
    if (workspace && workspace->memory && workspace->allocator.release) {
        workspace->allocator.release(workspace->allocator.context, workspace->memory, workspace->size);
    }
    if (workspace) {
        *workspace = (kdr_workspace){NULL, 0, {NULL, NULL, NULL}};
    }
}
