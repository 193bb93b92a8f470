/* The driver, which takes tiles of particles through a program. */
#include <string.h>

#include "../particles/element.h"
#include "driver.h"
#include "retry.h"

enum { REST_BYTES = 4096 }; /* bytes per array in a block of run_hot_to_flushes */

/* Small tiles are stepped by the kernel `within`, large ones are not. If some particle met a wall in more than 1 / CROWDED of a small
 * tile's steps, FIRST_WAIT to MOST_WAIT large tiles follow (retry.h). */
enum { CROWDED = 8, FIRST_WAIT = 4, MOST_WAIT = 64 };

/* Switches to the numbers and columns for this substep's length. `numbers` belongs to the tile. */
static void take_length(const kdr_program *p, kdr_tile *tile, char *at[KDR_TILE_COLUMNS], char *numbers, int substep) {
    const kdr_job *const job = tile->job;
    const size_t first = (size_t)p->scaled_begin * p->size, set = kdr_scaled_size(p);
    const int length = p->length[substep], behind = p->columns + (length - 1) * p->made_count;
    memcpy(numbers + first, (const char *)job->scaled + (size_t)length * set, set);
    tile->h = job->substep[substep];
    for (int c = 0; c < p->made_count && p->made_sets > 1; ++c) {
        at[p->made_begin + c] = tile->memory + (size_t)((length > 0 ? behind : p->made_begin) + c) * tile->column;
    }
}

/* Makes steps of substeps. What instructions before the first step compute from a length is in columns of its own, or is computed anew
 * when the length changes. */
static void step_by_substeps(const kdr_program *p, kdr_tile *tile, char *at[KDR_TILE_COLUMNS], char *numbers) {
    const kdr_job *const job = tile->job;
    const unsigned piece = tile->state;
    for (int s = 0, made = 0; s < job->substeps && p->made_sets > 1; ++s) {
        if (p->length[s] == made) {
            take_length(p, tile, at, numbers, s);
            kdr_carry_out(p, tile, 0, p->end[KDR_BEFORE]);
            ++made;
        }
    }
    tile->h = 0;
    tile->step = job->first_step;
    for (uint64_t n = 0; n < job->steps; ++n, ++tile->step) {
        for (int s = 0; s < job->substeps; ++s) {
            const bool opens = s == 0, closes = s == job->substeps - 1;
            tile->state = piece | (opens ? KDR_WHEN_OPENING : 0U) | (closes ? KDR_WHEN_CLOSING : 0U);
            if (tile->h != job->substep[s]) {
                take_length(p, tile, at, numbers, s);
                kdr_carry_out(p, tile, 0, p->made_sets > 1 ? 0 : p->end[KDR_BEFORE]);
            }
            kdr_carry_out(p, tile, p->end[KDR_BEFORE], p->end[KDR_STEP]);
            tile->base = (const char *)tile->base + job->base_stride;
        }
    }
}

/* Makes the steps of a tile of whole chunks by a specialised kernel: all at once, or one at a time from the rows before it, followed by
 * the walls, which look back at those rows. Not inlined, so that other runs do not need its stack. */
static __attribute__((noinline)) void step_by_instance(const kdr_program *p, kdr_tile *tile, char *at[KDR_TILE_COLUMNS]) {
    _Alignas(64) char constants[3][KDR_HOT_CONSTANTS];
    const kdr_hot *const hot = p->stepper;
    const bool joined = p->chunk < hot->chunk;
    const int together = hot->all_axes || joined ? 3 : 1;
    for (int axis = 0; axis < p->dims; axis += together) {
        hot->prepare(hot, tile->job, axis, together, constants[axis]);
    }
    kdr_hot_range range = {.w = p->masses < 0 ? NULL : at[p->masses],
                           .to = (size_t)tile->vectors * (size_t)p->kernels->vector,
                           .steps = p->walls < 0 ? tile->job->steps : 1,
                           .joined = joined};
    for (uint64_t n = 0; n < tile->job->steps; n += range.steps) {
        for (int i = 0; i < 2 * p->dims && p->walls >= 0; ++i) {
            char *const before = at[i];
            at[i] = at[p->saved + i];
            at[p->saved + i] = before;
        }
        range.seen = p->walls < 0 ? 0 : at[p->saved] - at[0];
        for (int axis = 0; axis < p->dims; axis += together) {
            for (int i = 0; i < together; ++i) {
                range.column[0][i] = at[axis + i];
                range.column[1][i] = at[p->dims + axis + i];
                range.column[2][i] = p->memory < 0 ? NULL : at[p->memory + axis + i];
            }
            hot->take(tile->job, &range, constants[axis]);
        }
        kdr_carry_out(p, tile, p->walls < 0 ? p->end[KDR_STEP] : p->walls, p->end[KDR_STEP]);
        tile->step += range.steps;
    }
}

/* Makes the steps of a tile; if it is a chunk of the kernel `within`, by that. Returns the number of steps that this kernel left to the
 * program. */
static uint64_t step_by_steps(const kdr_program *p, kdr_tile *tile, char *at[KDR_TILE_COLUMNS], kdr_chunk_within *chunk) {
    const kdr_job *const job = tile->job;
    tile->base = job->start_base;
    kdr_carry_out(p, tile, 0, p->end[KDR_BEFORE]);
    tile->base = job->base;
    tile->step = job->first_step;
    if (chunk) {
        return kdr_step_within(p, tile, chunk);
    }
    if (kdr_stepper_of(job) && tile->vectors % p->chunk == 0 && !job->error) {
        step_by_instance(p, tile, at);
        return 0;
    }
    for (uint64_t n = 0; n < job->steps; ++n) {
        kdr_carry_out(p, tile, p->end[KDR_BEFORE], p->end[KDR_STEP]);
        tile->base = (const char *)tile->base + job->base_stride;
        ++tile->step;
    }
    return 0;
}

/* Takes all tiles through the program. `numbers` is a copy of the job's, for substeps to change; otherwise NULL. Not inlined, so that
 * specialised kernels do not need its stack. */
static __attribute__((noinline)) void run_tiles(const kdr_job *job, size_t begin, size_t end, char *numbers) {
    const kdr_program *const p = job->program;
    _Alignas(64) char memory[KDR_TILE_BYTES];
    char *at[KDR_TILE_COLUMNS];
    const unsigned piece = KDR_WHEN_STEPPING |
                           (!job->resume ? KDR_WHEN_FRESH
                            : job->begun ? 0U
                                         : KDR_WHEN_RESUMED) |
                           (job->unfinished ? 0U : KDR_WHEN_LAST) | (job->error ? KDR_WHEN_ESTIMATING : 0U);
    kdr_tile tile;
    kdr_begin_tiles(job, numbers, memory, &tile);
    kdr_retry retry = {.first = FIRST_WAIT, .most = MOST_WAIT};
    const bool within = kdr_has_within(job, numbers);
    bool prepared = false;
    kdr_chunk_within chunk;
    for (tile.first = begin; tile.first < end; tile.first += tile.count) {
        const bool small = within && kdr_retry_is_due(&retry);
        kdr_place_tile(p, &tile, at, end, small);
        if (small && !prepared) {
            kdr_prepare_within(p, &tile, at, &chunk);
            prepared = true;
        }
        tile.state = piece;
        kdr_load_tile(p, &tile, at);
        if (numbers) {
            tile.base = job->base;
            step_by_substeps(p, &tile, at, numbers);
        } else {
            const uint64_t met = step_by_steps(p, &tile, at, small ? &chunk : NULL);
            if (small) {
                kdr_retry_note(&retry, met > job->steps / CROWDED);
            }
        }
        kdr_carry_out(p, &tile, p->end[KDR_STEP], p->end[KDR_AFTER]);
        kdr_store_tile(p, &tile, p->masses < 0 ? NULL : memory + (size_t)p->masses * tile.column);
    }
}

/* Not inlined, so that other methods do not need its stack. */
static __attribute__((noinline)) void run_composed_tiles(const kdr_job *job, size_t begin, size_t end) {
    double numbers[KDR_MAX_NUMBERS];
    memcpy(numbers, job->numbers, (size_t)job->program->number_count * job->program->size);
    run_tiles(job, begin, end, (char *)numbers);
}

/* Sets tiny values of particles [begin, end), whole vectors, to 0, as FLUSH_SMALL does. */
static void flush_arrays(const kdr_job *job, size_t begin, size_t end) {
    const kdr_kernels *const kernels = job->program->kernels;
    const size_t size = job->program->size;
    const int vectors = (int)((end - begin) * size / (size_t)kernels->vector);
    for (int i = 0; i < job->dims; ++i) {
        kernels->flush_small((char *)job->x[i] + begin * size, NULL, vectors);
        kernels->flush_small((char *)job->v[i] + begin * size, NULL, vectors);
        if (job->memory[i]) {
            kernels->flush_small((char *)job->memory[i] + begin * size, NULL, vectors);
        }
    }
}

/* Runs a specialised kernel in pieces, and sets tiny values to 0 between them, as FLUSH_SMALL does. Particles go in blocks of whole tiles
 * that fit the cache, with memory lent to those without. Returns where the kernel stopped. Not inlined, so that other runs do not need its
 * stack. */
static __attribute__((noinline)) size_t run_hot_to_flushes(const kdr_job *whole, size_t begin, size_t end) {
    const kdr_program *const p = whole->program;
    _Alignas(64) char memory[3][REST_BYTES];
    const bool remembers = p->row->info.memory, lends = remembers && !whole->memory[0];
    const size_t tile = (size_t)p->hot->tile * (size_t)p->kernels->vector, block = REST_BYTES / tile * tile / p->size;
    size_t stop = begin;
    for (size_t at = begin; at == stop && at < end; at += block) {
        kdr_job job = *whole;
        for (int i = 0; i < job.dims && lends; ++i) {
            job.memory[i] = (void *)((uintptr_t)memory[i] - at * p->size);
        }
        const size_t last = end - at < block ? end : at + block;
        for (uint64_t done = 0; done < whole->steps; done += job.steps) {
            job.resume = whole->resume || (remembers && done > 0);
            job.first_step = whole->first_step + done;
            job.steps = kdr_steps_to_rest(job.first_step, whole->steps - done);
            stop = p->hot->run(p->hot, &job, at, last);
            if ((job.first_step + job.steps) % KDR_FLUSH_STEPS == 0) {
                flush_arrays(&job, at, stop);
            }
        }
    }
    return stop;
}

/* Returns whether contacts are counted or recorded, which specialised kernels do not do. */
static bool counts_contacts(const kdr_job *job) {
    return job->bounces || job->dissipated_energy[0] || job->dissipated_energy[1] || job->recorder;
}

/* Returns the specialised kernel that makes the steps of this run; NULL if the program makes them. */
static const kdr_hot *hot_of(const kdr_job *job) {
    const kdr_hot *const hot = job->program->hot;
    const bool steps = hot && !job->error && job->steps > 0 && !(hot->one_step && job->steps > 1);
    return steps && !((hot->terms & KDR_TERM_COLLIDERS) && (counts_contacts(job) || job->radius)) ? hot : NULL;
}

static size_t run_hot(const kdr_job *job, size_t begin, size_t end) {
    const kdr_program *const p = job->program;
    const kdr_hot *const hot = hot_of(job);
    if (!hot || end - begin < (size_t)hot->chunk << p->lane_bits) {
        return begin;
    }
    return p->flushes_small ? run_hot_to_flushes(job, begin, end) : hot->run(hot, job, begin, end);
}

/* Returns the specialised kernel for a run of one step without a rest after it; may be NULL. */
static const kdr_hot *hot_of_one_step(const kdr_job *job) { return job->steps == 1 && !job->program->flushes_small ? hot_of(job) : NULL; }

/* Steps the particles after the last whole chunk once by the kernel's remainder, if it has one: starting the program takes longer than
 * the step. Returns whether it did. */
static bool run_remainder(const kdr_job *job, size_t begin, size_t end) {
    const kdr_hot *const hot = hot_of_one_step(job);
    if (!hot || !hot->remainder) {
        return false;
    }
    hot->remainder(job, begin, end);
    return true;
}

bool kdr_program_step_members(const kdr_job *job, char *far, size_t stride, size_t begin, size_t end) {
    const kdr_hot *const hot = hot_of_one_step(job);
    if (!hot || !hot->members) {
        return false;
    }
    hot->members(job, far, stride, begin, end);
    return true;
}

/* Returns the specialised kernel for a few particles, if it is faster than the program: for several steps. Splittings with one or two
 * vectors in a field are excluded, because each axis waits for its own operations. */
static const kdr_hot *hot_for_few(const kdr_job *job, size_t count) {
    const kdr_hot *const hot = job->steps > 1 ? hot_of(job) : NULL;
    return hot && (count > (size_t)2 << job->program->lane_bits || hot->family != KDR_SPLITTING || hot->terms == 0) ? hot : NULL;
}

/* Runs a specialised kernel on less than a chunk, in columns filled up with copies of the last particle. */
static __attribute__((noinline)) void run_hot_on_few(const kdr_job *whole, size_t begin, size_t end) {
    enum { X, V, MEMORY, ARRAYS, MOST_COLUMNS = 3 * ARRAYS + 1 };
    const kdr_program *const p = whole->program;
    const size_t column = (size_t)p->hot->chunk * (size_t)p->kernels->vector, first = begin * p->size, bytes = (end - begin) * p->size;
    _Alignas(64) char memory[MOST_COLUMNS * KDR_HOT_BYTES];
    char *theirs[ARRAYS][3] = {{NULL}}, *ours = memory;
    kdr_job job = *whole;
    void **const array[ARRAYS] = {[X] = job.x, [V] = job.v, [MEMORY] = job.memory};
    for (int n = 0; n < ARRAYS; ++n) {
        for (int i = 0; i < job.dims && array[n][i]; ++i, ours += column) {
            theirs[n][i] = (char *)array[n][i] + first;
            array[n][i] = ours;
            if (n != MEMORY || job.resume || job.inverse_mass) { /* frozen particles keep their memory */
                p->kernels->take(ours, theirs[n][i], bytes, column);
            }
        }
    }
    if (job.inverse_mass) {
        p->kernels->take(ours, (const char *)job.inverse_mass + first, bytes, column);
        job.inverse_mass = ours;
    }
    job.fetch_ahead = 0;
    run_hot(&job, 0, column / p->size);
    for (int n = 0; n < ARRAYS; ++n) {
        for (int i = 0; i < job.dims && theirs[n][i]; ++i) {
            kdr_copy_elements(theirs[n][i], array[n][i], bytes);
        }
    }
}

void kdr_program_run(const kdr_job *job, size_t begin, size_t end) {
    const size_t left = run_hot(job, begin, end);
    if (left == end || run_remainder(job, left, end)) {
        return;
    }
    if (hot_for_few(job, end - left)) {
        run_hot_on_few(job, left, end);
    } else if (job->substeps > 1) {
        run_composed_tiles(job, left, end);
    } else {
        run_tiles(job, left, end, NULL);
    }
}

/* Writes what a program evaluated to arrays, or adds it there, by `line`: its row `out` is the array's old value, `x` the new one. */
static void give(const kdr_program *p, kdr_tile *tile, const kdr_instruction *line, void *const to[3], bool adds) {
    const size_t bytes = tile->count * p->size, begin = tile->first * p->size;
    for (int i = 0; i < p->dims && to[i] && adds; ++i) {
        memcpy(tile->memory + (size_t)(line->out + i) * tile->column, (char *)to[i] + begin, bytes);
    }
    const int at = (int)(line - p->line);
    kdr_carry_out(p, tile, at, adds ? at + 1 : at);
    for (int i = 0; i < p->dims && to[i]; ++i) {
        memcpy((char *)to[i] + begin, tile->memory + (size_t)((adds ? line->out : line->x) + i) * tile->column, bytes);
    }
}

void kdr_program_evaluate(const kdr_job *job, const kdr_evaluated *to, size_t begin, size_t end) {
    const kdr_program *const p = job->program;
    _Alignas(64) char memory[KDR_TILE_BYTES];
    char *at[KDR_TILE_COLUMNS];
    kdr_tile tile = {.memory = memory,
                     .dims = p->dims,
                     .state = KDR_WHEN_STEPPING,
                     .h = job->dt,
                     .numbers = job->numbers,
                     .base = job->base,
                     .list = p->list,
                     .job = job,
                     .custom = p->custom};
    for (tile.first = begin; tile.first < end; tile.first += tile.count) {
        kdr_place_tile(p, &tile, at, end, false);
        kdr_load_tile(p, &tile, at);
        kdr_carry_out(p, &tile, 0, p->end[KDR_STEP]);
        for (int n = p->end[KDR_STEP]; n < p->end[KDR_AFTER]; ++n) {
            const int which = n - p->end[KDR_STEP];
            give(p, &tile, &p->line[n], to->row[which], to->adds[which]);
        }
    }
}
