/* Carries out orders. Every rank does, rank 0 included. */
#include "ranks_orders.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* The largest number of arrays. They have the order of checkpoints: bit n of SLICE_STATE and the other sets is array n. */
enum { MOST_ARRAYS = 24 };

typedef struct slice_array {
    void *at;
    size_t size; /* bytes per element */
} slice_array;

static void arrays_of(const kdr_particles *p, slice_array arrays[MOST_ARRAYS]) {
    const size_t size = kdr_real_size(p->real);
    for (int i = 0; i < 3; ++i) {
        arrays[i] = (slice_array){p->x[i], size};
        arrays[3 + i] = (slice_array){p->v[i], size};
        arrays[7 + i] = (slice_array){p->memory[i], size};
        arrays[20 + i] = (slice_array){p->images[i], sizeof(int32_t)};
    }
    arrays[6] = (slice_array){p->inverse_mass, size};
    arrays[23] = (slice_array){p->radius, size};
    for (int i = 0; i < 6; ++i) {
        arrays[10 + i] = (slice_array){p->compensation[i], size};
    }
    arrays[16] = (slice_array){(void *)p->id, sizeof(uint64_t)};
    arrays[17] = (slice_array){p->nonconverged, sizeof(uint32_t)};
    arrays[18] = (slice_array){p->dissipated_energy[0], sizeof(double)};
    arrays[19] = (slice_array){p->dissipated_energy[1], sizeof(double)};
}

uint32_t ranks_arrays_there(const kdr_particles *p, uint32_t set) {
    slice_array arrays[MOST_ARRAYS];
    arrays_of(p, arrays);
    for (int n = 0; n < MOST_ARRAYS; ++n) {
        set &= arrays[n].at ? UINT32_MAX : ~(UINT32_C(1) << n);
    }
    return set & SLICE_ALL;
}

/* Moves particles [begin, begin + count) of the whole between the slices and `range`, which is rank 0's. */
static kdr_status move(const run *r, size_t begin, size_t count, const kdr_particles *own, const kdr_particles *range, uint32_t set,
                       bool gathers, kdr_error *error) {
    slice_array slice[MOST_ARRAYS], at[MOST_ARRAYS];
    kdr_status status = KDR_OK;
    arrays_of(own, slice);
    arrays_of(range, at);
    for (int n = 0; n < MOST_ARRAYS && status == KDR_OK; ++n) {
        if (set >> n & 1) {
            status = gathers ? kdr_ranks_gather(r->ranks->all, slice[n].at, begin, count, at[n].at, slice[n].size, error)
                             : kdr_ranks_scatter(r->ranks->all, at[n].at, begin, count, slice[n].at, slice[n].size, error);
        }
    }
    return status;
}

static bool is_first(const run *r) { return kdr_ranks_rank(r->ranks->all) == 0; }

/* Makes the integrator or system run, if this is not rank 0, which has made it already. */
static kdr_status prepare(run *r, const order *o, kdr_error *error) {
    kdr_backend backend;
    kdr_executor executor = kdr_executor_serial();
    kdr_status status = KDR_OK;
    (void)o;
    if (!is_first(r)) {
        status = run_choose_machine(r, &backend, &executor) ? motion_make(&r->scene, &r->population, backend, executor, &r->motion, error)
                                                            : KDR_ERROR_UNAVAILABLE;
        if (r->why.text[0]) {
            snprintf(error->message, sizeof error->message, "%.200s", r->why.text);
        }
    }
    return kdr_ranks_agree(r->ranks->all, status, error);
}

static kdr_status step(run *r, const order *o, kdr_error *error) {
    r->clock = o->clock;
    return kdr_ranks_agree(r->ranks->all, motion_run(&r->motion, &r->population.particles, &r->clock, o->number, error), error);
}

static kdr_status sample(run *r, const order *o, kdr_error *error) {
    r->clock = o->clock;
    const bool good = run_sample(r, o->fraction);
    if (!good) {
        snprintf(error->message, sizeof error->message, "%.200s", r->why.text);
    }
    return kdr_ranks_agree(r->ranks->all, good ? KDR_OK : KDR_ERROR_NO_MEMORY, error);
}

static population shown(const run *r, const order *o) { return o->flag ? run_sampled(r) : r->population; }

static kdr_status observe(run *r, const order *o, kdr_error *error) {
    ranks *const s = r->ranks;
    const population of = shown(r, o);
    if (s->system) {
        const kdr_status status =
            kdr_ranks_agree(s->all, motion_observe(&r->motion, &of.particles, &o->clock, &s->observables, error), error);
        return status == KDR_OK ? kdr_first_non_finite(&of.particles, &s->lost, error) : status;
    }
    const kdr_status status = kdr_ranks_observe(s->all, r->motion.integrator, &of.particles, &o->clock, &s->observables, error);
    return status == KDR_OK ? kdr_ranks_first_non_finite(s->all, &of.particles, &s->lost, error) : status;
}

static kdr_status tell(run *r, const order *o, kdr_error *error) {
    ranks *const s = r->ranks;
    if (o->number == RANKS_DIGEST) {
        return kdr_ranks_digest(s->all, r->motion.integrator, &s->told, error);
    }
    if (o->number == RANKS_FINGERPRINT) {
        return kdr_ranks_fingerprint(s->all, &r->population.particles, &s->told, error);
    }
    size_t absorbed = 0;
    const kdr_status status = kdr_ranks_count_absorbed(s->all, r->motion.integrator, &r->population.particles, &absorbed, error);
    s->told = absorbed;
    return status;
}

/* Gathers the particles and hands them over. Rank 0's own slice is passed without a copy. */
static kdr_status show(run *r, const order *o, kdr_error *error) {
    ranks *const s = r->ranks;
    const population of = shown(r, o);
    kdr_particles *const window = &s->window.particles;
    size_t begin, count;
    kdr_status status = kdr_ranks_slice(s->all, 0, &begin, &count, error);
    s->taken = !is_first(r) || s->take(s->context, &of);
    for (begin = count; begin < of.total && status == KDR_OK; begin += count) {
        count = of.total - begin < RANKS_AT_ONCE ? of.total - begin : RANKS_AT_ONCE;
        status = move(r, begin, count, &of.particles, window, o->arrays, true, error);
        if (status == KDR_OK && o->arrays & SLICE_MASS && of.mass) { /* also gathers the masses as they were given */
            status = kdr_ranks_gather(s->all, of.mass, begin, count, s->window.mass, sizeof *of.mass, error);
        }
        window->count = count, window->first_id = begin;
        s->taken = s->taken && (!is_first(r) || status != KDR_OK || s->take(s->context, &s->window));
    }
    return status;
}

/* The chunks of a frame with `total` particles. A rank owns the chunks whose particles it has all. */
typedef struct chunks {
    kdr_trajectory_desc desc;
    kdr_particles view; /* the particles that the description is for */
    size_t each, room, total;
    unsigned char *bytes; /* bytes of a compressed chunk */
} chunks;

static size_t chunk_count(const chunks *c, size_t n) { return c->total - n * c->each < c->each ? c->total - n * c->each : c->each; }

/* Returns the first chunk that rank `rank` has completely, and the chunk after the last. */
static void whole_chunks(const run *r, const chunks *c, int rank, size_t *first, size_t *end) {
    size_t begin, count;
    kdr_ranks_slice(r->ranks->all, rank, &begin, &count, NULL);
    *first = (begin + c->each - 1) / c->each;
    *end = begin + count == c->total ? (c->total + c->each - 1) / c->each : (begin + count) / c->each;
    *end = *end < *first || count == 0 ? *first : *end;
}

static kdr_status pack_one(const chunks *c, const kdr_particles *particles, frames_chunk *made, size_t n, kdr_error *error) {
    *made = (frames_chunk){.begin = n * c->each, .count = chunk_count(c, n), .bytes = c->bytes};
    kdr_particles chunk = kdr_particles_slice(particles, made->begin - (size_t)particles->first_id, made->count);
    chunk.id = NULL, chunk.inverse_mass = NULL; /* a run never changes ids and masses, so those of the first frame stay */
    return kdr_trajectory_pack(&c->desc, &chunk, c->bytes, made->sizes, error);
}

/* Sends a compressed chunk from a rank to rank 0. */
static void pass_chunk(const run *r, const chunks *c, int rank, frames_chunk *chunk) {
    enum { TAG = 7 };
    if (!is_first(r)) {
        MPI_Send(chunk, (int)sizeof *chunk, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        MPI_Send(chunk->bytes, (int)(chunk->sizes[0] + chunk->sizes[1]), MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    } else {
        MPI_Recv(chunk, (int)sizeof *chunk, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(c->bytes, (int)c->room, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        chunk->bytes = c->bytes;
    }
}

/* Each rank compresses its own chunks, one at a time. Rank 0 takes them: one of each other rank after each of its own. */
static kdr_status pack_own(run *r, const chunks *c, const population *of, kdr_error *error) {
    ranks *const s = r->ranks;
    const int rank = kdr_ranks_rank(s->all);
    kdr_status status = KDR_OK;
    bool left = true;
    for (size_t round = 0; left; ++round) {
        left = false;
        for (int from = 0; from < kdr_ranks_count(s->all); ++from) {
            frames_chunk chunk = {.bytes = c->bytes};
            size_t first, end;
            whole_chunks(r, c, from, &first, &end);
            left = left || round < end - first;
            if (round >= end - first || (rank > 0 && rank != from)) {
                continue;
            }
            if (rank == from) {
                const kdr_status found = pack_one(c, &of->particles, &chunk, first + round, error);
                status = status == KDR_OK ? found : status;
            }
            if (from > 0) {
                pass_chunk(r, c, from, &chunk);
            }
            s->taken = s->taken && (rank > 0 || s->take_chunk(s->context, of, &chunk));
        }
    }
    return kdr_ranks_agree(s->all, status, error);
}

/* Rank 0 compresses the chunks whose particles are on several ranks. */
static kdr_status pack_shared(run *r, const order *o, const chunks *c, const population *of, kdr_error *error) {
    ranks *const s = r->ranks;
    kdr_particles *const window = &s->window.particles;
    kdr_status status = KDR_OK;
    for (int rank = 0; rank < kdr_ranks_count(s->all) && status == KDR_OK; ++rank) {
        size_t begin, count;
        kdr_ranks_slice(s->all, rank, &begin, &count, NULL);
        const size_t end = begin + count, n = end / c->each;
        const bool is_first_in_it = begin % c->each == 0 || begin / c->each < n;
        if (end == c->total || end % c->each == 0 || !is_first_in_it) {
            continue;
        }
        frames_chunk chunk;
        status = move(r, n * c->each, chunk_count(c, n), &of->particles, window, o->arrays, true, error);
        window->count = chunk_count(c, n), window->first_id = n * c->each;
        if (is_first(r) && status == KDR_OK) {
            status = pack_one(c, window, &chunk, n, error);
            s->taken = s->taken && status == KDR_OK && s->take_chunk(s->context, of, &chunk);
        }
        status = kdr_ranks_agree(s->all, status, error);
    }
    return status;
}

static kdr_status pack(run *r, const order *o, kdr_error *error) {
    const population of = shown(r, o);
    chunks c = {.total = of.total};
    c.desc = frames_desc(&of, &c.view);
    c.each = kdr_trajectory_chunk(&c.desc, &c.room);
    c.bytes = malloc(c.room);
    r->ranks->taken = true;
    if (!c.bytes) {
        snprintf(error->message, sizeof error->message, "no memory for a chunk of frames");
    }
    kdr_status status = kdr_ranks_agree(r->ranks->all, c.bytes ? KDR_OK : KDR_ERROR_NO_MEMORY, error);
    status = status == KDR_OK ? pack_own(r, &c, &of, error) : status;
    status = status == KDR_OK ? pack_shared(r, o, &c, &of, error) : status;
    free(c.bytes);
    return status;
}

static kdr_status broadcast_all(const run *r, const order *o, kdr_error *error) {
    slice_array own[MOST_ARRAYS];
    kdr_status status = KDR_OK;
    arrays_of(&r->population.particles, own);
    for (int n = 0; n < MOST_ARRAYS && status == KDR_OK; ++n) {
        if (o->arrays >> n & 1) {
            status = kdr_ranks_broadcast(r->ranks->all, (char *)own[n].at + o->number * own[n].size, o->count * own[n].size, error);
        }
    }
    return status;
}

/* Rank 0 compares what a run never changes with the checkpoint, and sends the rest to all ranks. */
static kdr_status restore(run *r, const order *o, kdr_error *error) {
    ranks *const s = r->ranks;
    kdr_particles *const own = &r->population.particles;
    kdr_particles to = s->system ? kdr_particles_slice(own, o->number, o->count) : s->window.particles;
    const uint32_t constant = o->arrays & (SLICE_MASS | SLICE_ID | SLICE_RADIUS);
    kdr_clock clock;
    kdr_status status = s->system ? KDR_OK : move(r, o->number, o->count, own, &to, constant, true, error);
    if (status == KDR_OK && is_first(r)) {
        to.count = o->count, to.first_id = o->number;
        status = kdr_checkpoint_restore(s->restored, &to, &clock, error);
    }
    status = kdr_ranks_agree(s->all, status, error);
    if (status == KDR_OK) {
        status = s->system ? broadcast_all(r, o, error) : move(r, o->number, o->count, own, &to, o->arrays & ~constant, false, error);
    }
    r->clock = o->clock;
    own->memory_key = o->flag ? motion_memory_key(&r->motion, own, &r->clock) : 0;
    return status;
}

static kdr_status scatter(run *r, const order *o, kdr_error *error) {
    return move(r, 0, o->count, &r->population.particles, is_first(r) ? r->ranks->whole : &r->population.particles, o->arrays, false,
                error);
}

static kdr_status gather(run *r, const order *o, kdr_error *error) {
    return move(r, 0, o->count, &r->population.particles, is_first(r) ? r->ranks->whole : &r->population.particles, o->arrays, true, error);
}

kdr_status ranks_carry_out(run *r, const order *o, kdr_error *error) {
    static kdr_status (*const all[ORDER_LEAVE])(run *, const order *, kdr_error *) = {
        [ORDER_PACK] = pack, [ORDER_PREPARE] = prepare, [ORDER_RUN] = step,        [ORDER_SAMPLE] = sample,   [ORDER_OBSERVE] = observe,
        [ORDER_TELL] = tell, [ORDER_SHOW] = show,       [ORDER_RESTORE] = restore, [ORDER_SCATTER] = scatter, [ORDER_GATHER] = gather};
    return all[o->kind](r, o, error);
}
