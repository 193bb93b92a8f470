/* A run on the ranks of an MPI job.
 *
 * Rank 0 sends the text of the scene and the options to the other ranks. Each rank makes its slice of the particles from them. If particles
 * interact, each rank makes all particles and takes all steps, and the ranks share the work of gravity. After that, rank 0 sends orders
 * that all ranks carry out in the same way, rank 0 included. Only rank 0 decides by signals, clocks and files. It sees the particles of the
 * others through a window. */
#include "ranks_orders.h"

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The first message to the other ranks. count UINT64_MAX: there is no run. */
typedef struct head {
    uint64_t count, file_size, text_size, memory_key, first_id;
    run_options options; /* without the texts it points to */
    uint32_t arrays;     /* for a slice of a stream: the arrays that rank 0 sends; 0: particles are made from the scene */
    bool system;
} head;

static bool joined;      /* MPI has been initialised */
static bool others_wait; /* the other ranks wait, for a head or for orders */
static bool they_obey;   /* the other ranks wait for orders */
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

static bool check(run *r) {
    bool attracts = false;
    for (size_t i = 0; i < r->scene.interaction_count; ++i) {
        attracts = attracts || r->scene.interactions[i].kind == KDR_GRAVITY;
    }
    static const char none[] = "none", gravity[] = "gravity too",
                      alone[] = ": springs and rods are one process's, on its threads (--threads)",
                      apart[] = " where nothing acts between particles",
                      listed[] = ": the list is one process's, on its threads (--threads)";
    const struct {
        bool has;
        const char *key, *expected, *why;
    } lacks[] = {{r->scene.interaction_count > 0 && !attracts, "interactions", gravity, alone},
                 {r->scene.distances.count > 0 && !attracts, "distances", gravity, alone},
                 {r->scene.levels.source != EACH_NONE && !scene_is_system(&r->scene), "levels", none, apart},
                 {r->scene.watch_count > 0, "watch", none, listed},
                 {r->scene.record_file[RECORDS_CONTACTS] != NULL, records_names[RECORDS_CONTACTS], none, listed}};
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
    return status == KDR_OK ? ranks_carry_out(r, &o, error) : status;
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

/* Allocates room for particles of other ranks, with the arrays that rank 0's have. */
static kdr_status make_window(ranks *s, const population *of, kdr_error *error) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    desc.count = of->total < RANKS_AT_ONCE ? of->total : RANKS_AT_ONCE;
    desc.real = of->particles.real, desc.inverse_mass = of->particles.inverse_mass, desc.memory = of->particles.memory[0];
    desc.compensation = of->particles.compensation[0], desc.radius = of->particles.radius;
    desc.dissipated_energy = of->particles.dissipated_energy[0], desc.nonconverged = of->particles.nonconverged;
    const kdr_status status = kdr_particles_create(&desc, &s->window.particles, error);
    s->window.id = of->id ? calloc(desc.count + 1, sizeof *s->window.id) : NULL;
    s->window.particles.id = s->window.id;
    s->window.mass = of->mass ? calloc(desc.count + 1, sizeof *s->window.mass) : NULL;
    s->window.total = of->total;
    const bool counts = !population_has_images(of) || (status == KDR_OK && population_count_images(&s->window, desc.count));
    if (status == KDR_OK && ((of->id && !s->window.id) || (of->mass && !s->window.mass) || !counts)) {
        snprintf(error->message, sizeof error->message, "no memory for the particles of others");
        return KDR_ERROR_NO_MEMORY;
    }
    return status;
}

/* Builds the slice of this rank from the scene, or all particles if they interact. */
static kdr_status build(run *r, kdr_error *error) {
    size_t begin = 0, count = SIZE_MAX;
    if (!r->ranks->system) {
        kdr_ranks_slice(r->ranks->all, kdr_ranks_rank(r->ranks->all), &begin, &count, error);
    }
    if (!population_build(&r->scene, begin, count, &r->population)) {
        snprintf(error->message, sizeof error->message, "%.200s", r->why.text);
        return KDR_ERROR_FORMAT;
    }
    return KDR_OK;
}

/* Sends the head and the text of the scene, which the other ranks parse. */
static kdr_status send_scene(run *r, head h, kdr_error *error) {
    ranks *const s = r->ranks = &the_run;
    h.file_size = strlen(r->file), h.text_size = r->scene.tree.length;
    h.options = r->options;
    h.system = s->system = scene_is_system(&r->scene);
    MPI_Bcast(&h, (int)sizeof h, MPI_BYTE, 0, MPI_COMM_WORLD);
    kdr_status status = kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), (size_t)h.count, &s->all, error);
    status = status == KDR_OK ? kdr_ranks_broadcast(s->all, (void *)r->file, h.file_size, error) : status;
    return status == KDR_OK ? kdr_ranks_broadcast(s->all, (void *)r->scene.tree.text, h.text_size, error) : status;
}

/* Agrees with the other ranks on whether all have their particles. If so they wait for orders, otherwise they leave. */
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
    const bool system = scene_is_system(&r->scene);
    kdr_particles_desc all;
    if (!(system ? population_build(&r->scene, 0, SIZE_MAX, &r->population) : population_describe(&r->scene, &r->population, &all))) {
        return false;
    }
    kdr_status status = send_scene(r, (head){.count = r->population.total}, &error);
    if (status == KDR_OK && !system) {
        population_release(&r->population);
        status = build(r, &error);
        status = status == KDR_OK ? make_window(r->ranks, &r->population, &error) : status;
    }
    r->population.communicator = system ? kdr_ranks_communicator(r->ranks->all) : r->population.communicator;
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
    return command(r, (order){.kind = ORDER_PACK, .flag = sampled, .arrays = ranks_arrays_there(&r->population.particles, SLICE_STATE)}) &&
           s->taken;
}

bool ranks_have(const run *r, uint32_t arrays) { return ranks_arrays_there(&r->population.particles, arrays) != 0; }

bool ranks_each(run *r, bool sampled, uint32_t arrays, slice_taker *take, void *context) {
    ranks *const s = r->ranks;
    const uint32_t set = ranks_arrays_there(&r->population.particles, arrays);
    s->take = take, s->context = context;
    return command(r, (order){.kind = ORDER_SHOW, .flag = sampled, .arrays = set}) && s->taken;
}

kdr_status ranks_restore(run *r, const kdr_checkpoint *from, size_t begin, kdr_error *error) {
    const order o = {.kind = ORDER_RESTORE,
                     .number = begin,
                     .count = from->particles.count,
                     .arrays = ranks_arrays_there(&r->population.particles, SLICE_ALL),
                     .flag = from->carried,
                     .clock = from->clock};
    r->ranks->restored = from;
    return order_all(r, o, error);
}

bool ranks_step_slice(run *r, kdr_particles *slice, kdr_clock *clock, uint64_t steps) {
    const kdr_particles described = r->population.particles;
    const kdr_clock first = r->clock;
    const order all = {.count = slice->count, .arrays = ranks_arrays_there(slice, SLICE_ALL)};
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
    from.arrays &= ~(uint32_t)(SLICE_MASS | SLICE_ID | SLICE_RADIUS);
    bool stepped = settle(r, status, &error) && others_wait && ranks_share(r) && command(r, to) && ranks_run(r, steps) && command(r, from);
    if (stepped) { /* if no step was taken, ranks_leave releases the others */
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

/* ---- the other ranks */

/* Allocates room for this rank's part of a stream's slice. */
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
    desc.memory = h->arrays & SLICE_MEMORY, desc.inverse_mass = h->arrays & SLICE_MASS; /* as in the file of the stream */
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
    if (!scene_parse(&w->scene, file, text, h->text_size, MODULES_SILENT, &w->why) || !run_apply_options(w)) {
        snprintf(error->message, sizeof error->message, "%.200s", w->why.text);
        status = KDR_ERROR_FORMAT;
    } else {
        status = h->arrays ? make_piece(w, h, error) : build(w, error);
    }
    w->population.communicator = s->system ? kdr_ranks_communicator(s->all) : w->population.communicator;
    w->why.text[0] = '\0';
    return kdr_ranks_agree(s->all, status, error);
}

/* Takes part in a run, or in a slice of a stream, until rank 0 ends it. Returns false if the head says that there is no run. */
static bool serve(const head *h) {
    run w = run_fresh();
    order now = {.kind = ORDER_LEAVE};
    kdr_error error;
    w.options = h->options;
    w.options.out = w.options.checkpoint = NULL;
    w.ranks = &the_run;
    the_run.system = h->system;
    char *const file = calloc(h->file_size + 1, 1), *const text = calloc(h->text_size + 1, 1);
    kdr_status status = kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), (size_t)h->count, &the_run.all, &error);
    status = status == KDR_OK ? listen(&w, h, file, text, &error) : status;
    while (status == KDR_OK && kdr_ranks_broadcast(the_run.all, &now, sizeof now, &error) == KDR_OK && now.kind != ORDER_LEAVE) {
        (void)ranks_carry_out(&w, &now, &error); /* rank 0 gets the same status, and decides */
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
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
        signal(signals[i], SIG_IGN); /* rank 0 gets the signal too, and decides */
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
