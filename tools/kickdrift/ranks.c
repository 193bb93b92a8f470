/* A run on the ranks of an MPI job.
 *
 * Rank 0 has the arrays of all particles, and its slice is their beginning; it sends the others the scene's text, the options and the arrays of their
 * slices, of the particles and of the forces. Then the others wait for orders: steps, sums, their particles. What decides, a signal, a clock, a file,
 * is rank 0's. Where particles feel each other every rank has all of them, takes all steps, and shares out the gravity between them. */
#include "ranks.h"

#include <kickdrift/mpi.h>

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARRAYS = 20, SLOTS = 4 + KDR_MAX_PARAMETERS };
typedef enum order_kind { ORDER_LEAVE, ORDER_RUN, ORDER_OBSERVE, ORDER_GATHER } order_kind;

typedef struct order {
    uint64_t kind, steps;
    kdr_clock clock;
} order;

struct ranks {
    kdr_ranks *all;
    population slice; /* its particles and forces: on rank 0 views of those of all */
    motion motion;
    bool coupled; /* the slice is all particles */
    bool apart;   /* the others' particles have been stepped since they were brought together */
};

/* What is sent before everything else; count UINT64_MAX: there is no run. */
typedef struct head {
    uint64_t count, file_size, text_size, memory_key, first_id;
    run_options options; /* without its texts */
    bool masses, ids, dissipated, unsolved, memory, coupled;
} head;

static bool joined;      /* MPI is there */
static bool others_wait; /* for a head, or for orders */
static ranks *shared;    /* what they wait in; NULL: for a head */
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

static void release(ranks *s, bool whole) {
    motion_release(&s->motion);
    kdr_ranks_destroy(s->all);
    if (whole) {
        population_release(&s->slice);
    } else {
        free(s->slice.forces);
        free(s->slice.coupled);
    }
    *s = (ranks){.all = NULL};
}

static kdr_status give(const ranks *s, order_kind kind, uint64_t steps, const kdr_clock *clock, kdr_error *error) {
    order now;
    memset(&now, 0, sizeof now);
    now.kind = kind, now.steps = steps;
    now.clock = clock ? *clock : (kdr_clock){0, 0, 0};
    return kdr_ranks_broadcast(s->all, &now, sizeof now, error);
}

void ranks_leave(void) {
    if (!joined) {
        return;
    }
    if (others_wait && shared) {
        give(shared, ORDER_LEAVE, 0, NULL, NULL);
    }
    if (others_wait) {
        head none = {.count = UINT64_MAX};
        MPI_Bcast(&none, (int)sizeof none, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    if (shared) {
        release(shared, false);
    }
    shared = NULL;
    others_wait = joined = false;
    MPI_Finalize();
}

/* ---- what is sent */

typedef struct array {
    void *at;
    size_t size;  /* of an element */
    bool changes; /* in a run */
} array;

static size_t arrays_of(const kdr_particles *p, array arrays[MOST_ARRAYS]) {
    const size_t size = kdr_real_size(p->real);
    size_t n = 0;
    for (int i = 0; i < 3; ++i) {
        arrays[n++] = (array){p->x[i], size, true};
        arrays[n++] = (array){p->v[i], size, true};
        arrays[n++] = (array){p->memory[i], size, true};
    }
    for (int i = 0; i < 6; ++i) {
        arrays[n++] = (array){p->compensation[i], size, true};
    }
    for (int i = 0; i < 2; ++i) {
        arrays[n++] = (array){p->dissipated[i], sizeof(double), true};
    }
    arrays[n++] = (array){p->unsolved, sizeof(uint32_t), true};
    arrays[n++] = (array){p->inverse_mass, size, false};
    arrays[n++] = (array){(void *)p->id, sizeof(uint64_t), false};
    return n;
}

/* Gives each rank what its slice has of an array of all that rank 0 has. */
static kdr_status spread(const ranks *s, const void *all, void *slice, size_t size, kdr_error *error) {
    return s->coupled ? kdr_ranks_broadcast(s->all, slice, s->slice.particles.count * size, error)
                      : kdr_ranks_scatter(s->all, all, slice, size, error);
}

/* `all`: on rank 0; else the slice's own once more. */
static kdr_status move_particles(const ranks *s, const kdr_particles *all, bool gathers, kdr_error *error) {
    array of_all[MOST_ARRAYS], of_slice[MOST_ARRAYS];
    const size_t count = arrays_of(&s->slice.particles, of_slice);
    arrays_of(all, of_all);
    kdr_status status = KDR_OK;
    for (size_t n = 0; n < count && status == KDR_OK; ++n) {
        if (of_all[n].at && gathers && of_all[n].changes) {
            status = kdr_ranks_gather(s->all, of_slice[n].at, of_all[n].at, of_all[n].size, error);
        } else if (of_all[n].at && !gathers) {
            status = spread(s, of_all[n].at, of_slice[n].at, of_all[n].size, error);
        }
    }
    return status;
}

/* The places where a force has an array; how many, and its count of particles. */
static int slots_of(kdr_force *force, const void **slots[SLOTS], size_t **count) {
    int n = 0;
    *count = NULL;
    if (force->kind == KDR_SPRING) {
        slots[n++] = &force->as.spring.k_each;
        for (int i = 0; i < 3; ++i) {
            slots[n++] = &force->as.spring.at_each[i];
        }
        *count = &force->as.spring.count;
    } else if (force->kind == KDR_DRAG) {
        slots[n++] = &force->as.drag.b_each;
        *count = &force->as.drag.count;
    } else if (force->kind == KDR_CUSTOM_FIELD) {
        for (int i = 0; i < KDR_MAX_PARAMETERS; ++i) {
            slots[n++] = &force->as.custom.each[i];
        }
        *count = &force->as.custom.count;
    }
    return n;
}

/* A new array of the slice's, which the population owns. */
static void *lend(population *of, size_t count, size_t size) {
    void **const more = realloc(of->lent, (of->lent_count + 1) * sizeof *more);
    void *const made = more ? calloc(count + 1, size) : NULL;
    of->lent = more ? more : of->lent;
    if (made) {
        of->lent[of->lent_count++] = made;
    }
    return made;
}

/* On rank 0 the slice's forces are those of all, for fewer particles; the others take their arrays from it. */
static kdr_status share_force(ranks *s, kdr_force *force, bool first, kdr_error *error) {
    const void **slots[SLOTS];
    size_t *count;
    const int n = slots_of(force, slots, &count);
    uint64_t given = 0;
    for (int i = 0; first && i < n; ++i) {
        given |= (uint64_t)(*slots[i] != NULL) << i;
    }
    kdr_status status = kdr_ranks_broadcast(s->all, &given, sizeof given, error);
    for (int i = 0; i < n && status == KDR_OK; ++i) {
        if (given >> i & 1) {
            const size_t size = kdr_real_size(s->slice.particles.real);
            void *const own = first ? (void *)*slots[i] : lend(&s->slice, s->slice.particles.count, size);
            status = spread(s, first ? *slots[i] : NULL, own, size, error);
            *slots[i] = own;
        }
    }
    if (count) {
        *count = s->slice.particles.count;
    }
    return status;
}

/* An array that all ranks have whole: on rank 0 `from`, which others get a copy of. NULL: no memory, or there are no elements. */
static const void *copy_array(ranks *s, const void *from, size_t count, size_t size, bool first, kdr_status *status, kdr_error *error) {
    const void *const copy = first ? from : lend(&s->slice, count, size);
    *status = *status == KDR_OK ? kdr_ranks_broadcast(s->all, (void *)copy, count * size, error) : *status;
    return copy;
}

/* What the particles do to each other. */
static kdr_status copy_coupled(ranks *s, const run *of, bool first, kdr_error *error) {
    population *const to = &s->slice;
    const population *const from = &of->population;
    const size_t real = kdr_real_size(to->particles.real);
    to->coupled_count = of->scene.coupled_count;
    to->coupled = calloc(to->coupled_count + 1, sizeof *to->coupled);
    kdr_status status = kdr_ranks_agree(s->all, to->coupled ? KDR_OK : KDR_ERROR_NO_MEMORY, error);
    for (size_t i = 0; i < to->coupled_count && status == KDR_OK; ++i) {
        kdr_coupled_force force = first ? from->coupled[i] : to->coupled[i];
        status = kdr_ranks_broadcast(s->all, &force, sizeof force, error);
        if (force.kind == KDR_NET) {
            force.as.net.springs =
                copy_array(s, force.as.net.springs, force.as.net.count, sizeof *force.as.net.springs, first, &status, error);
        } else {
            force.as.gravity.mu = copy_array(s, force.as.gravity.mu, force.as.gravity.sources, real, first, &status, error);
        }
        to->coupled[i] = force;
    }
    uint64_t rods = from->distance_count;
    status = status == KDR_OK ? kdr_ranks_broadcast(s->all, &rods, sizeof rods, error) : status;
    to->distance_count = status == KDR_OK ? (size_t)rods : 0;
    to->distances = first ? from->distances : calloc(to->distance_count + 1, sizeof *to->distances);
    return status == KDR_OK ? kdr_ranks_broadcast(s->all, to->distances, to->distance_count * sizeof *to->distances, error) : status;
}

/* The slice of this rank, and the motion made of it. On rank 0 `of` is the run, else what has been told of it. */
static kdr_status take_slice(ranks *s, run *of, bool first, kdr_error *error) {
    kdr_status status = move_particles(s, first ? &of->population.particles : &s->slice.particles, false, error);
    s->slice.forces = calloc(of->scene.force_count + 1, sizeof *s->slice.forces);
    status = status == KDR_OK ? kdr_ranks_agree(s->all, s->slice.forces ? KDR_OK : KDR_ERROR_NO_MEMORY, error) : status;
    for (size_t i = 0; i < of->scene.force_count && status == KDR_OK; ++i) {
        const scene_force *const given = &of->scene.forces[i];
        s->slice.forces[i] = first ? of->population.forces[i] : given->force;
        if (given->force.kind == KDR_CUSTOM_FIELD && given->grid.grid[of->scene.real].dims > 0) {
            s->slice.forces[i].as.custom.grid = &given->grid.grid[of->scene.real];
        }
        status = share_force(s, &s->slice.forces[i], first, error);
    }
    status = status == KDR_OK && s->coupled ? copy_coupled(s, of, first, error) : status;
    kdr_backend backend;
    kdr_executor executor = kdr_executor_serial();
    if (status == KDR_OK) {
        s->slice.team = s->coupled ? kdr_ranks_team(s->all) : s->slice.team;
        status = run_choose_machine(of, &backend, &executor) ? motion_make(&of->scene, &s->slice, backend, executor, &s->motion, error)
                                                             : KDR_ERROR_UNAVAILABLE;
        if (of->why.text[0]) {
            snprintf(error->message, sizeof error->message, "%.200s", of->why.text);
        }
        status = kdr_ranks_agree(s->all, status, error);
    }
    return status;
}

/* Of all particles, on every rank. */
static kdr_status observe(const ranks *s, const kdr_clock *clock, kdr_observables *observables, size_t *lost, kdr_error *error) {
    const kdr_particles *const own = &s->slice.particles;
    if (s->coupled) {
        const kdr_status status = kdr_ranks_agree(s->all, motion_observe(&s->motion, own, clock, observables, error), error);
        return status == KDR_OK ? kdr_first_non_finite(own, lost, error) : status;
    }
    const kdr_status status = kdr_ranks_observe(s->all, s->motion.integrator, own, clock, observables, error);
    return status == KDR_OK ? kdr_ranks_first_non_finite(s->all, own, lost, error) : status;
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

static bool good(run *r, kdr_status status, const kdr_error *error) { return status == KDR_OK || run_library_failed(r, error); }

static kdr_status begin(run *r, ranks *s, kdr_error *error) {
    const kdr_particles *const all = &r->population.particles;
    head h;
    memset(&h, 0, sizeof h);
    h.count = all->count, h.file_size = strlen(r->file), h.text_size = r->scene.tree.length;
    h.memory_key = all->memory_key, h.first_id = all->first_id, h.options = r->options;
    h.memory = all->memory[0] != NULL;
    h.masses = all->inverse_mass != NULL, h.ids = all->id != NULL;
    h.dissipated = all->dissipated[0] != NULL, h.unsolved = all->unsolved != NULL;
    h.coupled = s->coupled = scene_is_coupled(&r->scene);
    MPI_Bcast(&h, (int)sizeof h, MPI_BYTE, 0, MPI_COMM_WORLD);
    size_t begin, count;
    kdr_status status = kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), all->count, &s->all, error);
    if (status == KDR_OK) {
        kdr_ranks_broadcast(s->all, (void *)r->file, h.file_size, error);
        kdr_ranks_broadcast(s->all, (void *)r->scene.tree.text, h.text_size, error);
        kdr_ranks_slice(s->all, 0, &begin, &count, error);
        s->slice.particles = s->coupled ? *all : kdr_particles_slice(all, begin, count);
        status = kdr_ranks_agree(s->all, KDR_OK, error); /* the others have read the scene, and have memory */
    }
    return status == KDR_OK ? take_slice(s, r, true, error) : status;
}

bool ranks_share(run *r) {
    kdr_error error;
    if (!others_wait) {
        return true;
    }
    if (!check(r)) {
        return false;
    }
    if (r->scene.stream_file) {
        return true; /* slice by slice */
    }
    r->why.text[0] = '\0';
    const kdr_status status = begin(r, &the_run, &error);
    others_wait = status == KDR_OK; /* where one has failed none waits */
    r->ranks = shared = &the_run;
    return good(r, status, &error);
}

bool ranks_run(run *r, uint64_t steps) {
    ranks *const s = r->ranks;
    kdr_error error;
    kdr_status status = give(s, ORDER_RUN, steps, &r->clock, &error);
    if (status == KDR_OK) {
        status = kdr_ranks_agree(s->all, motion_run(&s->motion, &s->slice.particles, &r->clock, steps, &error), &error);
        s->apart = !s->coupled;
        r->population.particles.memory_key = s->slice.particles.memory_key; /* a slice's is that of all */
    }
    return good(r, status, &error);
}

bool ranks_are_many(void) { return others_wait; }

bool ranks_step_slice(run *r, kdr_particles *slice, kdr_clock *clock, uint64_t steps) {
    const kdr_particles described = r->population.particles;
    const kdr_clock first = r->clock;
    kdr_error error;
    r->population.particles = *slice;
    r->clock = *clock;
    r->ranks = shared = &the_run;
    const kdr_status status = begin(r, &the_run, &error);
    others_wait = status == KDR_OK;
    bool stepped = good(r, status, &error) && ranks_run(r, steps) && ranks_gather(r);
    if (stepped) { /* else ranks_leave does it */
        stepped = good(r, give(&the_run, ORDER_LEAVE, 0, NULL, &error), &error);
        release(&the_run, false);
        shared = NULL;
    }
    slice->memory_key = r->population.particles.memory_key;
    *clock = r->clock;
    r->population.particles = described;
    r->clock = first;
    r->ranks = NULL;
    return stepped;
}

bool ranks_observe(run *r, kdr_observables *observables, size_t *lost) {
    kdr_error error;
    kdr_status status = give(r->ranks, ORDER_OBSERVE, 0, &r->clock, &error);
    status = status == KDR_OK ? observe(r->ranks, &r->clock, observables, lost, &error) : status;
    return good(r, status, &error);
}

bool ranks_gather(run *r) {
    ranks *const s = r->ranks;
    kdr_error error;
    if (!s || !s->apart) {
        return true;
    }
    kdr_status status = give(s, ORDER_GATHER, 0, &r->clock, &error);
    status = status == KDR_OK ? move_particles(s, &r->population.particles, true, &error) : status;
    s->apart = status != KDR_OK;
    return good(r, status, &error);
}

/* ---- the others */

static kdr_status listen(ranks *s, run *w, const head *h, char *file, char *text, kdr_error *error) {
    size_t begin, count;
    kdr_status status = kdr_ranks_broadcast(s->all, file, h->file_size, error);
    status = status == KDR_OK ? kdr_ranks_broadcast(s->all, text, h->text_size, error) : status;
    if (status != KDR_OK) {
        return status;
    }
    kdr_ranks_slice(s->all, kdr_ranks_rank(s->all), &begin, &count, error);
    begin = s->coupled ? 0 : begin;
    count = s->coupled ? (size_t)h->count : count;
    if (!scene_parse(&w->scene, file, text, h->text_size, &w->why) || !run_apply_options(w)) {
        snprintf(error->message, sizeof error->message, "%.200s", w->why.text);
        status = KDR_ERROR_FORMAT;
    } else {
        kdr_particles_desc desc = kdr_particles_desc_default();
        desc.count = count, desc.real = (kdr_real)w->scene.real;
        desc.inverse_mass = h->masses, desc.dissipated = h->dissipated, desc.unsolved = h->unsolved;
        desc.memory = h->memory, desc.compensation = w->scene.compensated != 0;
        status = kdr_particles_create(&desc, &s->slice.particles, error);
        s->slice.id = h->ids ? calloc(count + 1, sizeof *s->slice.id) : NULL;
        if (status == KDR_OK && h->ids && !s->slice.id) {
            snprintf(error->message, sizeof error->message, "no memory for the particles");
            status = KDR_ERROR_NO_MEMORY;
        }
        s->slice.particles.id = s->slice.id;
        s->slice.particles.first_id = h->first_id + begin;
        s->slice.particles.memory_key = h->memory_key;
    }
    status = kdr_ranks_agree(s->all, status, error);
    return status == KDR_OK ? take_slice(s, w, false, error) : status;
}

static void obey(ranks *s) {
    kdr_particles *const own = &s->slice.particles;
    order now = {.kind = ORDER_LEAVE};
    kdr_error error;
    while (kdr_ranks_broadcast(s->all, &now, sizeof now, &error) == KDR_OK && now.kind != ORDER_LEAVE) {
        if (now.kind == ORDER_RUN) {
            kdr_ranks_agree(s->all, motion_run(&s->motion, own, &now.clock, now.steps, &error), &error);
        } else if (now.kind == ORDER_OBSERVE) {
            kdr_observables all;
            size_t lost;
            observe(s, &now.clock, &all, &lost, &error);
        } else {
            move_particles(s, own, true, &error);
        }
    }
}

/* A run, or of a stream a slice of it, until rank 0 says that it is over; false: there is none. */
static bool serve(const head *h) {
    run w = run_fresh();
    kdr_error error;
    w.options = h->options;
    w.options.out = w.options.checkpoint = NULL;
    the_run.coupled = h->coupled;
    char *const file = calloc(h->file_size + 1, 1), *const text = calloc(h->text_size + 1, 1);
    kdr_status status = kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), h->count, &the_run.all, &error);
    status = status == KDR_OK ? listen(&the_run, &w, h, file, text, &error) : status;
    if (status == KDR_OK) {
        obey(&the_run);
    }
    release(&the_run, true);
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
