/* A run on the ranks of an MPI job.
 *
 * Rank 0 sends the others the scene's text and the options. Each rank makes its slice of the particles from them; where particles feel each other it
 * makes all of them, takes all steps, and shares out the gravity between them. Then rank 0 gives orders, and all ranks, rank 0 with them, carry each out
 * alike. What decides, a signal, a clock, a file, is rank 0's. Of the others' particles it has a window. */
#include "ranks.h"

#include <kickdrift/mpi.h>

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARRAYS = 20 };
typedef enum order_kind {
    ORDER_PREPARE,
    ORDER_RUN,
    ORDER_SAMPLE,
    ORDER_OBSERVE,
    ORDER_TELL,
    ORDER_SHOW,
    ORDER_PACK,
    ORDER_RESTORE,
    ORDER_SCATTER,
    ORDER_GATHER,
    ORDER_LEAVE
} order_kind;

typedef struct order {
    uint64_t kind, number; /* of steps; which to tell; the first particle */
    uint64_t count;        /* of particles */
    uint32_t arrays, flag; /* a set; of the sampled state, or a memory that was carried */
    kdr_clock clock;
    double fraction;
} order;

struct ranks {
    kdr_ranks *all;
    bool coupled; /* every rank has all particles */
    /* Rank 0's alone, for the order that is carried out. */
    population window;
    const kdr_checkpoint *restored;
    kdr_particles *whole;
    slice_taker *take;
    chunk_taker *take_chunk;
    void *context;
    bool taken;
    /* What all have found. */
    kdr_observables observables;
    size_t lost;
    uint64_t told;
};

/* What is sent before everything else; count UINT64_MAX: there is no run. */
typedef struct head {
    uint64_t count, file_size, text_size, memory_key, first_id;
    run_options options; /* without its texts */
    uint32_t arrays;     /* of a stream's slice, whose particles come from rank 0; 0: they come from the scene */
    bool coupled;
} head;

static bool joined;      /* MPI is there */
static bool others_wait; /* for a head, or for orders */
static bool they_obey;   /* for orders */
static ranks the_run;

bool ranks_join(fault *why) {
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    bool job = false;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; ++i) {
        job = job || getenv(signs[i]);
    }
    if (job) {
        int size = 1;
        if (MPI_Init(NULL, NULL) != MPI_SUCCESS || MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS) {
            return fault_set(why, "run: MPI does not begin, expected a job that mpirun started");
        }
        joined = true;
        others_wait = size > 1;
    }
    return true;
}

bool ranks_are_others(void) {
    int rank = 0;
    return joined && MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank > 0;
}

bool ranks_are_many(void) { return others_wait; }

/* ---- arrays, in the order in which checkpoints have them: SLICE_STATE and the others are bits of their numbers */

typedef struct array {
    void *at;
    size_t size; /* of an element */
} array;

static void arrays_of(const kdr_particles *p, array arrays[MOST_ARRAYS]) {
    const size_t size = kdr_real_size(p->real);
    for (int i = 0; i < 3; ++i) {
        arrays[i] = (array){p->x[i], size};
        arrays[3 + i] = (array){p->v[i], size};
        arrays[7 + i] = (array){p->memory[i], size};
    }
    arrays[6] = (array){p->inverse_mass, size};
    for (int i = 0; i < 6; ++i) {
        arrays[10 + i] = (array){p->compensation[i], size};
    }
    arrays[16] = (array){(void *)p->id, sizeof(uint64_t)};
    arrays[17] = (array){p->unsolved, sizeof(uint32_t)};
    arrays[18] = (array){p->dissipated[0], sizeof(double)};
    arrays[19] = (array){p->dissipated[1], sizeof(double)};
}

/* Those of a set that particles, of which there are some, have. */
static uint32_t arrays_there(const kdr_particles *p, uint32_t set) {
    array arrays[MOST_ARRAYS];
    arrays_of(p, arrays);
    for (int n = 0; n < MOST_ARRAYS; ++n) {
        set &= arrays[n].at ? UINT32_MAX : ~(UINT32_C(1) << n);
    }
    return set & SLICE_ALL;
}

/* Moves particles [begin, begin + count) of all between the slices and `range`, which rank 0 has. */
static kdr_status move(const run *r, size_t begin, size_t count, const kdr_particles *own, const kdr_particles *range, uint32_t set,
                       bool gathers, kdr_error *error) {
    array slice[MOST_ARRAYS], at[MOST_ARRAYS];
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

/* ---- orders, as every rank carries them out */

static bool is_first(const run *r) { return kdr_ranks_rank(r->ranks->all) == 0; }

/* Rank 0 has made its motion, and knows that it is one. */
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
    if (s->coupled) {
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

/* Rank 0's own slice lies in its place. */
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
        window->count = count, window->first_id = begin;
        s->taken = s->taken && (!is_first(r) || status != KDR_OK || s->take(s->context, &s->window));
    }
    return status;
}

/* Chunks of a frame of `total` particles: those that a rank has whole are its own. */
typedef struct chunks {
    kdr_trajectory_desc desc;
    kdr_particles view; /* that it is of */
    size_t each, room, total;
    unsigned char *bytes; /* of one that was compressed */
} chunks;

static size_t chunk_count(const chunks *c, size_t n) { return c->total - n * c->each < c->each ? c->total - n * c->each : c->each; }

/* The first chunk that rank `rank` has whole, and the one behind the last. */
static void whole_chunks(const run *r, const chunks *c, int rank, size_t *first, size_t *end) {
    size_t begin, count;
    kdr_ranks_slice(r->ranks->all, rank, &begin, &count, NULL);
    *first = (begin + c->each - 1) / c->each;
    *end = begin + count == c->total ? (c->total + c->each - 1) / c->each : (begin + count) / c->each;
    *end = *end < *first || count == 0 ? *first : *end;
}

static kdr_status pack_one(const chunks *c, const kdr_particles *particles, frames_chunk *made, size_t n, kdr_error *error) {
    *made = (frames_chunk){.begin = n * c->each, .count = chunk_count(c, n), .bytes = c->bytes};
    const kdr_particles chunk = kdr_particles_slice(particles, made->begin - (size_t)particles->first_id, made->count);
    return kdr_trajectory_pack(&c->desc, &chunk, c->bytes, made->sizes, error);
}

/* From a rank to rank 0. */
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

/* Each rank compresses a chunk of its own at a time; rank 0 takes them, and after each of its own one of each other's. */
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

/* Chunks in which slices end lie on several ranks, and are compressed by rank 0. */
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
    array own[MOST_ARRAYS];
    kdr_status status = KDR_OK;
    arrays_of(&r->population.particles, own);
    for (int n = 0; n < MOST_ARRAYS && status == KDR_OK; ++n) {
        if (o->arrays >> n & 1) {
            status = kdr_ranks_broadcast(r->ranks->all, (char *)own[n].at + o->number * own[n].size, o->count * own[n].size, error);
        }
    }
    return status;
}

/* Rank 0 holds what a run never writes against the checkpoint, and sends what it writes. */
static kdr_status restore(run *r, const order *o, kdr_error *error) {
    ranks *const s = r->ranks;
    kdr_particles *const own = &r->population.particles;
    kdr_particles to = s->coupled ? kdr_particles_slice(own, o->number, o->count) : s->window.particles;
    const uint32_t constant = o->arrays & (SLICE_MASS | SLICE_ID);
    kdr_clock clock;
    kdr_status status = s->coupled ? KDR_OK : move(r, o->number, o->count, own, &to, constant, true, error);
    if (status == KDR_OK && is_first(r)) {
        to.count = o->count, to.first_id = o->number;
        status = kdr_checkpoint_restore(s->restored, &to, &clock, error);
    }
    status = kdr_ranks_agree(s->all, status, error);
    if (status == KDR_OK) {
        status = s->coupled ? broadcast_all(r, o, error) : move(r, o->number, o->count, own, &to, o->arrays & ~constant, false, error);
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

static kdr_status carry_out(run *r, const order *o, kdr_error *error) {
    static kdr_status (*const all[ORDER_LEAVE])(run *, const order *, kdr_error *) = {
        [ORDER_PACK] = pack, [ORDER_PREPARE] = prepare, [ORDER_RUN] = step,        [ORDER_SAMPLE] = sample,   [ORDER_OBSERVE] = observe,
        [ORDER_TELL] = tell, [ORDER_SHOW] = show,       [ORDER_RESTORE] = restore, [ORDER_SCATTER] = scatter, [ORDER_GATHER] = gather};
    return all[o->kind](r, o, error);
}

/* ---- rank 0 */

static bool check(run *r) {
    bool attracts = false;
    for (size_t i = 0; i < r->scene.coupled_count; ++i) {
        attracts = attracts || r->scene.coupled[i].kind == KDR_GRAVITY;
    }
    static const char none[] = "none", gravity[] = "gravity too",
                      alone[] = ": springs and rods are one process's, on its threads (--threads)";
    const struct {
        bool has;
        const char *key, *expected, *why;
    } lacks[] = {{r->scene.coupled_count > 0 && !attracts, "coupled", gravity, alone},
                 {r->scene.distances.count > 0 && !attracts, "distances", gravity, alone},
                 {r->scene.watch_count > 0, "watch", none, ""},
                 {r->scene.record_file[RECORDS_CONTACTS] != NULL, records_names[RECORDS_CONTACTS], none, ""}};
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; ++i) {
        if (lacks[i].has) {
            return fault_set(&r->why, "%s:%zu: %s: expected %s on several ranks%s", r->file, scene_line(&r->scene, lacks[i].key),
                             lacks[i].key, lacks[i].expected, lacks[i].why);
        }
    }
    return !r->options.error ||
           fault_set(&r->why,
                     "run: --error: expected one rank: it is told from a second run, or from estimates that stay where they are made");
}

static kdr_status give(const ranks *s, order o, kdr_error *error) { return kdr_ranks_broadcast(s->all, &o, sizeof o, error); }

static kdr_status order_all(run *r, order o, kdr_error *error) {
    const kdr_status status = give(r->ranks, o, error);
    return status == KDR_OK ? carry_out(r, &o, error) : status;
}

static bool command(run *r, order o) {
    kdr_error error;
    return order_all(r, o, &error) == KDR_OK || run_library_failed(r, &error);
}

static void release(ranks *s) {
    kdr_ranks_destroy(s->all);
    population_release(&s->window);
    *s = (ranks){.all = NULL};
}

void ranks_leave(void) {
    if (!joined) {
        return;
    }
    if (others_wait && they_obey) {
        give(&the_run, (order){.kind = ORDER_LEAVE}, NULL);
    }
    if (others_wait) {
        head none = {.count = UINT64_MAX};
        MPI_Bcast(&none, (int)sizeof none, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    release(&the_run);
    others_wait = they_obey = joined = false;
    MPI_Finalize();
}

/* Room for the others' particles, with the arrays that rank 0's have. */
static kdr_status make_window(ranks *s, const population *of, kdr_error *error) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    desc.count = of->total < RANKS_AT_ONCE ? of->total : RANKS_AT_ONCE;
    desc.real = of->particles.real, desc.inverse_mass = of->particles.inverse_mass, desc.memory = of->particles.memory[0];
    desc.compensation = of->particles.compensation[0];
    desc.dissipated = of->particles.dissipated[0], desc.unsolved = of->particles.unsolved;
    const kdr_status status = kdr_particles_create(&desc, &s->window.particles, error);
    s->window.id = of->id ? calloc(desc.count + 1, sizeof *s->window.id) : NULL;
    s->window.particles.id = s->window.id;
    s->window.total = of->total;
    if (status == KDR_OK && of->id && !s->window.id) {
        snprintf(error->message, sizeof error->message, "no memory for the particles of others");
        return KDR_ERROR_NO_MEMORY;
    }
    return status;
}

/* The slice of this rank, from the scene; where particles feel each other all of them. */
static kdr_status build(run *r, kdr_error *error) {
    size_t begin = 0, count = SIZE_MAX;
    if (!r->ranks->coupled) {
        kdr_ranks_slice(r->ranks->all, kdr_ranks_rank(r->ranks->all), &begin, &count, error);
    }
    if (!population_build(&r->scene, begin, count, &r->population)) {
        snprintf(error->message, sizeof error->message, "%.200s", r->why.text);
        return KDR_ERROR_FORMAT;
    }
    return KDR_OK;
}

/* Sends the head, behind which the others parse the scene. */
static kdr_status send_scene(run *r, head h, kdr_error *error) {
    ranks *const s = r->ranks = &the_run;
    h.file_size = strlen(r->file), h.text_size = r->scene.tree.length;
    h.options = r->options;
    h.coupled = s->coupled = scene_is_coupled(&r->scene);
    MPI_Bcast(&h, (int)sizeof h, MPI_BYTE, 0, MPI_COMM_WORLD);
    kdr_status status = kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), (size_t)h.count, &s->all, error);
    status = status == KDR_OK ? kdr_ranks_broadcast(s->all, (void *)r->file, h.file_size, error) : status;
    return status == KDR_OK ? kdr_ranks_broadcast(s->all, (void *)r->scene.tree.text, h.text_size, error) : status;
}

/* Whether all have their particles: then the others wait for orders, else for nothing. */
static bool settle(run *r, kdr_status status, kdr_error *error) {
    status = kdr_ranks_agree(r->ranks->all, status, error);
    others_wait = they_obey = status == KDR_OK;
    return status == KDR_OK || r->why.text[0] || run_library_failed(r, error);
}

bool ranks_build(run *r) {
    kdr_error error;
    r->why.text[0] = '\0';
    if (!check(r)) {
        return false;
    }
    const bool coupled = scene_is_coupled(&r->scene);
    kdr_particles_desc all;
    if (!(coupled ? population_build(&r->scene, 0, SIZE_MAX, &r->population) : population_describe(&r->scene, &r->population, &all))) {
        return false;
    }
    kdr_status status = send_scene(r, (head){.count = r->population.total}, &error);
    if (status == KDR_OK && !coupled) {
        population_release(&r->population);
        status = build(r, &error);
        status = status == KDR_OK ? make_window(r->ranks, &r->population, &error) : status;
    }
    r->population.team = coupled ? kdr_ranks_team(r->ranks->all) : r->population.team;
    return settle(r, status, &error) && others_wait;
}

bool ranks_share(run *r) { return !r->ranks || command(r, (order){.kind = ORDER_PREPARE}); }

bool ranks_run(run *r, uint64_t steps) { return command(r, (order){.kind = ORDER_RUN, .number = steps, .clock = r->clock}); }

bool ranks_sample(run *r, double fraction) { return command(r, (order){.kind = ORDER_SAMPLE, .fraction = fraction, .clock = r->clock}); }

bool ranks_observe(run *r, bool sampled, const kdr_clock *clock, kdr_observables *observables, size_t *lost) {
    const bool good = command(r, (order){.kind = ORDER_OBSERVE, .flag = sampled, .clock = *clock});
    *observables = r->ranks->observables;
    *lost = r->ranks->lost;
    return good;
}

bool ranks_tell(run *r, ranks_number which, uint64_t *number) {
    const bool good = command(r, (order){.kind = ORDER_TELL, .number = which});
    *number = r->ranks->told;
    return good;
}

bool ranks_pack(run *r, bool sampled, chunk_taker *take, void *context) {
    ranks *const s = r->ranks;
    s->take_chunk = take, s->context = context;
    return command(r, (order){.kind = ORDER_PACK, .flag = sampled, .arrays = arrays_there(&r->population.particles, SLICE_STATE)}) &&
           s->taken;
}

bool ranks_have(const run *r, uint32_t arrays) { return arrays_there(&r->population.particles, arrays) != 0; }

bool ranks_each(run *r, bool sampled, uint32_t arrays, slice_taker *take, void *context) {
    ranks *const s = r->ranks;
    const uint32_t set = arrays_there(&r->population.particles, arrays);
    s->take = take, s->context = context;
    return command(r, (order){.kind = ORDER_SHOW, .flag = sampled, .arrays = set}) && s->taken;
}

kdr_status ranks_restore(run *r, const kdr_checkpoint *from, size_t begin, kdr_error *error) {
    const order o = {.kind = ORDER_RESTORE,
                     .number = begin,
                     .count = from->particles.count,
                     .arrays = arrays_there(&r->population.particles, SLICE_ALL),
                     .flag = from->carried,
                     .clock = from->clock};
    r->ranks->restored = from;
    return order_all(r, o, error);
}

bool ranks_step_slice(run *r, kdr_particles *slice, kdr_clock *clock, uint64_t steps) {
    const kdr_particles described = r->population.particles;
    const kdr_clock first = r->clock;
    const order all = {.count = slice->count, .arrays = arrays_there(slice, SLICE_ALL)};
    const head h = {.count = slice->count, .memory_key = slice->memory_key, .first_id = slice->first_id, .arrays = all.arrays};
    kdr_error error;
    size_t begin, count;
    if (!check(r)) {
        return false;
    }
    r->why.text[0] = '\0';
    r->clock = *clock;
    kdr_status status = send_scene(r, h, &error);
    kdr_ranks_slice(r->ranks->all, 0, &begin, &count, &error);
    r->population.particles = kdr_particles_slice(slice, 0, count);
    r->ranks->whole = slice;
    order to = all, from = all;
    to.kind = ORDER_SCATTER, from.kind = ORDER_GATHER;
    from.arrays &= ~(uint32_t)(SLICE_MASS | SLICE_ID);
    bool stepped = settle(r, status, &error) && others_wait && ranks_share(r) && command(r, to) && ranks_run(r, steps) && command(r, from);
    if (stepped) { /* else ranks_leave does it */
        stepped = give(r->ranks, (order){.kind = ORDER_LEAVE}, &error) == KDR_OK || run_library_failed(r, &error);
        they_obey = false;
        release(&the_run);
    }
    slice->memory_key = r->population.particles.memory_key;
    *clock = r->clock;
    r->population.particles = described;
    r->clock = first;
    r->ranks = NULL;
    return stepped;
}

/* ---- the others */

/* Room for the piece of a stream's slice. */
static kdr_status make_piece(run *w, const head *h, kdr_error *error) {
    size_t begin, count;
    kdr_particles_desc desc;
    kdr_ranks_slice(w->ranks->all, kdr_ranks_rank(w->ranks->all), &begin, &count, error);
    if (!population_describe(&w->scene, &w->population, &desc)) {
        snprintf(error->message, sizeof error->message, "%.200s", w->why.text);
        return KDR_ERROR_FORMAT;
    }
    kdr_particles_destroy(&w->population.particles);
    desc.count = count;
    desc.memory = h->arrays & SLICE_MEMORY, desc.inverse_mass = h->arrays & SLICE_MASS; /* as the file of the stream has them */
    kdr_status status = kdr_particles_create(&desc, &w->population.particles, error);
    if (status == KDR_OK && h->arrays & SLICE_ID) {
        w->population.particles.id = w->population.id = calloc(count + 1, sizeof *w->population.id);
        status = w->population.id ? KDR_OK : KDR_ERROR_NO_MEMORY;
    }
    w->population.particles.first_id = h->first_id + begin;
    w->population.particles.memory_key = h->memory_key;
    return status;
}

static kdr_status listen(run *w, const head *h, char *file, char *text, kdr_error *error) {
    ranks *const s = w->ranks;
    kdr_status status = kdr_ranks_broadcast(s->all, file, h->file_size, error);
    status = status == KDR_OK ? kdr_ranks_broadcast(s->all, text, h->text_size, error) : status;
    if (status != KDR_OK) {
        return status;
    }
    w->file = file;
    if (!scene_parse(&w->scene, file, text, h->text_size, &w->why) || !run_apply_options(w)) {
        snprintf(error->message, sizeof error->message, "%.200s", w->why.text);
        status = KDR_ERROR_FORMAT;
    } else {
        status = h->arrays ? make_piece(w, h, error) : build(w, error);
    }
    w->population.team = s->coupled ? kdr_ranks_team(s->all) : w->population.team;
    w->why.text[0] = '\0';
    return kdr_ranks_agree(s->all, status, error);
}

/* A run, or of a stream a slice of it, until rank 0 says that it is over; false: there is none. */
static bool serve(const head *h) {
    run w = run_fresh();
    order now = {.kind = ORDER_LEAVE};
    kdr_error error;
    w.options = h->options;
    w.options.out = w.options.checkpoint = NULL;
    w.ranks = &the_run;
    the_run.coupled = h->coupled;
    char *const file = calloc(h->file_size + 1, 1), *const text = calloc(h->text_size + 1, 1);
    kdr_status status = kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), (size_t)h->count, &the_run.all, &error);
    status = status == KDR_OK ? listen(&w, h, file, text, &error) : status;
    while (status == KDR_OK && kdr_ranks_broadcast(the_run.all, &now, sizeof now, &error) == KDR_OK && now.kind != ORDER_LEAVE) {
        (void)carry_out(&w, &now, &error); /* rank 0 has the same status, and decides */
    }
    motion_release(&w.motion);
    population_release(&w.population);
    free(w.sampled_state);
    release(&the_run);
    scene_release(&w.scene);
    free(file);
    free(text);
    return status == KDR_OK;
}

int ranks_serve(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
        signal(signals[i], SIG_IGN); /* rank 0 has it too, and decides */
    }
    head h;
    bool served = true;
    while (served && MPI_Bcast(&h, (int)sizeof h, MPI_BYTE, 0, MPI_COMM_WORLD) == MPI_SUCCESS && h.count != UINT64_MAX) {
        served = serve(&h);
    }
    MPI_Finalize();
    joined = false;
    return 0;
}
