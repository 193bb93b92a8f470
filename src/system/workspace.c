/* Lays out all arrays of a run in one block of memory. */
#include <string.h>

#include "../force/watch.h"
#include "../particles/error.h"
#include "../particles/layout.h"
#include "../particles/storage.h"
#include "step_end.h"
#include "system.h"

/* Arrays begin at cache lines, staggered within pages, so that equal indices do not collide in the cache. */
enum { LINE = 64, PAGE = 4096, STAGGER = 5 * LINE };

typedef struct cursor {
    uintptr_t at;
    uintptr_t first;
    bool fits;
} cursor;

static void *take(cursor *c, size_t bytes) {
    c->at = (c->at + LINE - 1) / LINE * LINE;
    void *const array = (void *)c->at; /* never dereferenced if the address is made up */
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

/* Takes one array of all axes, one axis after the other. */
static void take_together(cursor *c, int dims, size_t bytes, void *array[3]) {
    unsigned char *const first = take(c, (size_t)dims * bytes);
    for (int i = 0; i < dims; ++i) {
        array[i] = (void *)((uintptr_t)first + (size_t)i * bytes);
    }
}

/* Takes one array of interleaved components. */
static void take_rows(cursor *c, int dims, size_t bytes, size_t element, void *array[3]) {
    unsigned char *const first = take(c, (size_t)dims * bytes);
    for (int i = 0; i < dims; ++i) {
        array[i] = (void *)((uintptr_t)first + (size_t)i * element);
    }
}

/* Lists the rows, other than x and v, that evaluations read or set, those that they set first, and the rows that an iteration keeps. */
static void list_rows(const kdr_program *p, kdr_work *work) {
    const unsigned dims = (unsigned)p->dims;
    uint64_t seen = 3; /* x and v */
    for (int which = 0; which < 7; ++which) {
        for (const kdr_instruction *line = p->line; line < p->line + p->end[KDR_STEP]; ++line) {
            const unsigned field = line->count > 0 ? line->other : line->out,
                           kept = line->out + (which == 4 ? 1U : (unsigned)which - 1U) * dims;
            const unsigned column = which == 0 ? line->out : which == 1 ? field : which == 2 ? line->x : which == 3 ? line->v : kept;
            const unsigned row = column / dims;
            if (line->code == (which < 4 ? KDR_OP_EVALUATE : KDR_OP_CONVERGE) && !(seen >> row & 1)) {
                seen |= UINT64_C(1) << row;
                work->column[work->rows++] = (uint16_t)column;
            }
        }
    }
}

/* Lists the rows of per-particle maps. All MAP instructions share them, so the first one suffices. */
static void list_maps(const kdr_program *p, kdr_work *work) {
    work->maps = work->rows;
    for (const kdr_instruction *line = p->line; line < p->line + p->end[KDR_STEP] && work->rows == work->maps; ++line) {
        const int columns = line->code == KDR_OP_MAP && (line->count & KDR_MAP_EACH) ? kdr_map_columns(line->count, p->dims) : 0;
        for (int column = 0; column < columns; column += p->dims) {
            work->column[work->rows++] = (uint16_t)(line->out + column);
        }
    }
}

/* Lays out the copies that restore the beginning of a step. Tiles are smallest, and most, in the program with masses. */
static void lay_out_kept(const kdr_system *system, size_t count, int dims, cursor *c, kdr_work *work) {
    const kdr_program *const p = system->steps[dims - 1][1];
    const size_t whole = (count + KDR_TILE_PARTICLES - 1) / KDR_TILE_PARTICLES * KDR_TILE_PARTICLES, tiles = kdr_tiles_of(p, whole);
    const size_t bytes = whole * p->size;
    take_together(c, dims, bytes, work->before_x);
    take_together(c, dims, bytes, work->before_v);
    work->kept.x = work->before_x[0];
    work->kept.v = work->before_v[0];
    work->kept.from = take(c, tiles * sizeof *work->kept.from);
    work->kept.bits_stride =
        (size_t)(dims * ((system->steps[dims - 1][0]->vectors + 7) / 8)); /* whole bytes per axis, as sweeps in place need */
    work->kept.bits = take(c, tiles * work->kept.bits_stride);
}

/* Lays out the rows that evaluations use, and the second buffer of a kept acceleration. */
static void lay_out_rows(const kdr_system *system, const kdr_particles *particles, size_t count, int dims, cursor *c, kdr_work *work) {
    const bool splits = system->problem.row->data.splitting != NULL, keeps = kdr_problem_keeps(&system->problem);
    const size_t element = kdr_real_size(system->problem.real);
    for (int n = 0; n < work->rows; ++n) {
        const bool predicted = splits && n > 0; /* predicted velocities are interleaved if v is */
        if (splits && (system->desc.rows || (predicted && particles && kdr_lie_in_rows(particles)))) {
            take_rows(c, dims, count * element, element, work->row[n]);
        } else {
            take_together(c, dims, count * element, work->row[n]);
        }
    }
    memcpy(work->a[0], work->row[0], sizeof work->a[0]);
    if (keeps && system->desc.rows) { /* stays unused if the particles provide memory */
        take_rows(c, dims, count * element, element, work->a[1]);
    } else if (keeps) {
        take_together(c, dims, count * element, work->a[1]);
    }
}

/* Returns the most scratch memory that any term needs; they use it one after the other. */
static size_t scratch_of(const kdr_system *system, size_t count, int dims) {
    size_t scratch = 0;
    for (size_t t = 0; t < system->term_count; ++t) {
        const kdr_system_term *const term = &system->terms[t];
        const size_t wanted = term->scratch ? term->scratch(term->data, count, dims) : 0;
        scratch = wanted > scratch ? wanted : scratch;
    }
    return scratch;
}

static bool stops_particles(const kdr_system *system) {
    return kdr_watches_do(system->problem.watches, system->problem.watch_count, KDR_ACTION_STOP_PARTICLE);
}

/* Lays out the arrays for molecules: changes of velocity in a step, and scratch memory. */
static void lay_out_molecules(const kdr_system *system, size_t count, int dims, cursor *c, kdr_work *work) {
    const size_t element = kdr_real_size(system->problem.real);
    if (system->molecules.count > 0) {
        take_axes(c, dims, count * element, work->held_v);
        take_axes(c, dims, count * element, work->gained);
        work->molecules = take(c, kdr_molecule_chunks(&system->molecules) * kdr_molecule_chunk_room(&system->molecules));
    }
}

/* Lays out the arrays of a run that is not watched. */
static void lay_out_run(const kdr_system *system, const kdr_particles *particles, size_t count, int dims, cursor *c, kdr_work *work) {
    const bool absorbs = system->problem.boundary.kind == KDR_BOUNDARY_ABSORBING;
    const kdr_program *const p = system->steps[dims - 1][absorbs || (particles && kdr_has_masses(particles))];
    const kdr_row *const row = system->problem.row;
    const bool has_stages = row->data.runge_kutta || row->data.nystrom || row->data.implicit;
    const bool moves_once = has_stages && system->problem.substepping.count == 1; /* only at the end of a step */
    const bool keeps = kdr_problem_keeps(&system->problem), reflects = system->reflects && (system->holds || system->desc.levels);
    const bool counts = system->meets || system->reflects || system->problem.boundary.kind != KDR_BOUNDARY_NONE;
    const size_t element = kdr_real_size(system->problem.real);
    work->numbers = take(c, KDR_MAX_NUMBERS * element);
    work->field_numbers = take(c, KDR_MAX_NUMBERS * element);
    work->slope_numbers = system->slopes[0][0] ? take(c, KDR_MAX_NUMBERS * element) : NULL;
    list_rows(p, work);
    list_maps(particles ? p : system->steps[dims - 1][1], work);
    lay_out_rows(system, particles, count, dims, c, work);
    if (has_stages || system->term_count > 0) {
        take_axes(c, dims, count * element, work->plain_x);
        take_axes(c, dims, count * element, work->plain_v);
    }
    take_axes(c, system->blocks ? dims : 0, count * element, work->blocks);
    take_axes(c, system->blocks ? dims : 0, count * element, work->blocks + dims);
    if (system->corrects || system->meets || (!moves_once && system->fails)) {
        lay_out_kept(system, count, dims, c, work);
    }
    work->lost = system->problem.compensated;
    for (int k = 0; k < 2 && work->lost; ++k) {
        take_axes(c, dims, count * element, work->c[k]);
        take_axes(c, dims, count * element, work->before_c[k]);
    }
    /* A step can fail after particles were counted in it: a watch may undo it, or a later evaluation or equation may fail. */
    const bool fails_behind = system->problem.watch_count > 0 || row->data.implicit || (keeps && counts);
    if (stops_particles(system) || (fails_behind && system->fails)) {
        work->counts = take(c, count * KDR_COUNTS_SIZE);
    }
    if (absorbs) {
        work->inside = take(c, count * sizeof *work->inside);
        take_axes(c, keeps ? dims : 0, count * element, work->left);
    }
    if (system->holds || reflects) {
        take_axes(c, dims, count * element, work->before_drift);
        take_axes(c, reflects ? dims : 0, count * element, work->v_before_drift);
    }
    lay_out_molecules(system, count, dims, c, work);
    if (system->desc.levels) {
        work->order = take(c, count * sizeof *work->order);
        work->marks = take(c, count * sizeof *work->marks);
    }
    work->scratch = take(c, scratch_of(system, count, dims));
}

/* `carried` adds the memory and compensations to x and v. */
static void lay_out_kept_state(const kdr_system *system, size_t count, int dims, cursor *c, bool carried, kdr_kept_state state) {
    const bool keeps = kdr_problem_keeps(&system->problem), lost = system->problem.compensated;
    for (int k = 0; k < (carried ? KDR_KEPT_ARRAYS : 2); ++k) {
        if (k < 2 || (k == 2 ? keeps : lost)) {
            take_axes(c, dims, count * kdr_real_size(system->problem.real), state[k]);
        }
    }
}

/* Lays out the additional arrays of a watched run. */
static void lay_out_watches(const kdr_system *system, size_t count, int dims, cursor *c, kdr_work *work) {
    const size_t blocks = count / KDR_WATCH_BLOCK + 1;
    lay_out_kept_state(system, count, dims, c, true, work->ends[0]);
    lay_out_kept_state(system, count, dims, c, true, work->ends[1]);
    lay_out_kept_state(system, count, dims, c, false, work->again);
    work->signs = take(c, blocks * system->problem.watch_count * sizeof *work->signs);
    work->changed = take(c, count * sizeof *work->changed);
    if (stops_particles(system)) {
        work->counted = take(c, count * KDR_COUNTS_SIZE);
    }
    kdr_work again;
    cursor next = *c;
    memset(&again, 0, sizeof again);
    lay_out_run(system, NULL, count, dims, &next, &again);
    work->workspace.size = (size_t)(next.at - c->at) + LINE;
    work->workspace.memory = take(c, work->workspace.size);
    c->fits = c->fits && next.fits;
}

size_t kdr_work_lay_out(const kdr_system *system, const kdr_particles *particles, size_t count, int dims, uintptr_t address,
                        kdr_work *work) {
    memset(work, 0, sizeof *work);
    if (count > (size_t)PTRDIFF_MAX / sizeof(uint64_t) / 2 / KDR_MAX_WATCHES) {
        return 0;
    }
    cursor c = {.at = address, .first = address, .fits = true};
    lay_out_run(system, particles, count, dims, &c, work);
    if (system->problem.watch_count > 0) {
        lay_out_watches(system, count, dims, &c, work);
    }
    return c.fits ? (size_t)(c.at - c.first) + LINE : 0; /* the block may begin at any address */
}

size_t kdr_system_workspace_size(const kdr_system *system, size_t count, int dims) {
    kdr_work work;
    return system && dims >= 1 && dims <= 3 ? kdr_work_lay_out(system, NULL, count, dims, 0, &work) : 0;
}

kdr_status kdr_workspace_create(const kdr_system *system, size_t count, int dims, kdr_allocator allocator, kdr_workspace *workspace,
                                kdr_error *error) {
    KDR_CHECK(system, error, KDR_ERROR_NULL, "system: expected a pointer, got NULL");
    KDR_CHECK(workspace, error, KDR_ERROR_NULL, "workspace: expected a pointer, got NULL");
    KDR_CHECK(dims >= 1 && dims <= 3, error, KDR_ERROR_ARGUMENT, "dims: expected 1, 2 or 3, got %d", dims);
    KDR_CHECK(!allocator.allocate == !allocator.release, error, KDR_ERROR_ARGUMENT,
              "allocator: expected both allocate and release or neither, got one");
    const size_t size = kdr_system_workspace_size(system, count, dims);
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
