#include "records.h"
#include "states_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 1 << 16 };

const char *const records_names[RECORDS_FILES] = {"events", "contacts"};
static const char *const heads[RECORDS_FILES] = {"step,t,id,watch,direction,x,y,z,vx,vy,vz\n", "step,t,id,surface,x,y,z,px,py,pz,speed\n"};

/* Returns the largest possible number of bounces of one particle in one step: one off each surface, and one off a face of a box per
 * axis. */
static size_t most_contacts(const scene *of) {
    size_t count = 0;
    for (size_t i = 0; i < of->collider_count; ++i) {
        count += of->colliders[i].kind == KDR_COLLIDER_BOX ? 3 : 1;
    }
    return count;
}

/* Returns the number of steps that all particles together take in one step of the clock. */
static size_t own_steps(const kdr_particles *particles) {
    size_t sum = particles->level ? 0 : particles->count;
    for (size_t i = 0; particles->level && i < particles->count; ++i) {
        sum += (size_t)1 << particles->level[i];
    }
    return sum;
}

/* Allocates a list with room for all that one step may bring, and sets *steps to how many steps fit into it. Returns NULL if there is no
 * memory. */
static void *make_list(size_t particles, size_t each, size_t size, size_t *capacity, uint64_t *steps) {
    const bool fits = each == 0 || particles <= SIZE_MAX / each / size;
    const size_t most = fits ? particles * each : 0, room = most < LEAST_ROOM ? LEAST_ROOM : most;
    *capacity = room;
    *steps = most ? room / most : UINT64_MAX;
    return fits ? malloc(room * size) : NULL;
}

/* Gives the particles an array of marks if a watch may stop them. */
static bool mark_all(records *r, kdr_particles *particles) {
    bool stops = false;
    for (size_t i = 0; i < r->of->watch_count; ++i) {
        stops = stops || r->of->watches[i].watch.action == KDR_ACTION_STOP_PARTICLE;
    }
    r->active = stops ? malloc(particles->count + 1) : NULL;
    if (r->active) {
        memset(r->active, 1, particles->count);
        particles->active = r->events.active = r->active;
        particles->active_count = particles->count;
    }
    return r->active || !stops;
}

bool records_prepare(records *r, const scene *of, const char *scene_file, population *particles, fault *why) {
    const size_t count = particles->particles.count;
    uint64_t steps[RECORDS_FILES] = {UINT64_MAX, UINT64_MAX};
    bool good = true;
    r->of = of;
    if (of->watch_count > 0) {
        r->events.list = make_list(count, of->watch_count, sizeof(kdr_event), &r->events.capacity, &steps[RECORDS_EVENTS]);
        particles->particles.events = &r->events;
        good = r->events.list && mark_all(r, &particles->particles);
    }
    if (of->record_file[RECORDS_CONTACTS]) {
        r->contacts.list = make_list(own_steps(&particles->particles), most_contacts(of), sizeof(kdr_contact), &r->contacts.capacity,
                                     &steps[RECORDS_CONTACTS]);
        particles->particles.contacts = &r->contacts;
        good = good && r->contacts.list;
    }
    for (int i = 0; i < RECORDS_FILES && good; ++i) {
        r->path[i] = of->record_file[i] ? scene_beside(scene_file, of->record_file[i]) : NULL;
        good = r->path[i] || !of->record_file[i];
    }
    r->most_steps = steps[0] < steps[1] ? steps[0] : steps[1];
    return good || fault_set(why, "%s: no memory for the events and contacts of a step, expected fewer particles", scene_file);
}

bool records_open(records *r, const outfile_mark *marks, bool has_ended, fault *why) {
    for (int i = 0; i < RECORDS_FILES; ++i) {
        if (!r->path[i] || (has_ended && outfile_has_ended(r->path[i], &marks[i]))) {
            continue;
        }
        if (!(marks ? outfile_resume(&r->file[i], r->path[i], &marks[i], why) : outfile_open(&r->file[i], r->path[i], why))) {
            return false;
        }
        if (!marks) {
            fputs(heads[i], r->file[i].stream);
        }
    }
    return true;
}

static void write_vectors(FILE *stream, const double a[3], const double b[3]) {
    for (int i = 0; i < 6; ++i) {
        states_write_number(stream, i < 3 ? a[i] : b[i - 3]);
    }
}

static void write_event(FILE *stream, const records *r, const population *of, const kdr_event *e) {
    fprintf(stream, "%" PRIu64, e->step);
    states_write_number(stream, e->time);
    fprintf(stream, ",%" PRIu64 ",%s,%s", population_id(of, (size_t)e->particle), r->of->watches[e->watch].name,
            e->direction > 0 ? "rising" : "falling");
    write_vectors(stream, e->x, e->v);
    fputc('\n', stream);
}

static void write_contact(FILE *stream, const population *of, const kdr_contact *c) {
    fprintf(stream, "%" PRIu64, c->step);
    states_write_number(stream, c->time);
    fprintf(stream, ",%" PRIu64 ",%" PRIu64, population_id(of, (size_t)c->particle), c->surface);
    write_vectors(stream, c->x, c->impulse);
    states_write_number(stream, c->speed);
    fputc('\n', stream);
}

/* A contact with the step of the scene in which it happened. */
typedef struct dated {
    uint64_t step;
    const kdr_contact *contact;
} dated;

/* Orders contacts by step, for qsort. The library lists them particle by particle, and a run may be cut anywhere; the file has them in the
 * order of steps. */
static int by_step(const void *first, const void *second) {
    const dated *const a = first, *const b = second;
    const int step = (a->step > b->step) - (a->step < b->step);
    return step ? step : (a->contact > b->contact) - (a->contact < b->contact);
}

static bool write_contacts(FILE *stream, const records *r, const population *of) {
    const size_t count = r->contacts.count;
    const uint8_t *const level = of->particles.level;
    dated *const order = malloc((count + 1) * sizeof *order);
    for (size_t i = 0; order && i < count; ++i) {
        const kdr_contact *const c = &r->contacts.list[i];
        order[i] = (dated){c->step >> (level && !scene_is_system(r->of) ? level[c->particle] : 0), c};
    }
    if (order) {
        qsort(order, count, sizeof *order, by_step);
    }
    for (size_t i = 0; order && i < count; ++i) {
        write_contact(stream, of, order[i].contact);
    }
    free(order);
    return order;
}

bool records_write(records *r, const population *particles, uint64_t events[KDR_MAX_WATCHES], uint64_t *contacts, fault *why) {
    FILE *const of_events = r->file[RECORDS_EVENTS].stream, *const of_contacts = r->file[RECORDS_CONTACTS].stream;
    for (size_t i = 0; i < r->events.count; ++i) {
        ++events[r->events.list[i].watch];
        if (of_events) {
            write_event(of_events, r, particles, &r->events.list[i]);
        }
    }
    if (of_contacts && !write_contacts(of_contacts, r, particles)) {
        return fault_set(why, "%s: no memory for %zu contacts, expected fewer", r->path[RECORDS_CONTACTS], r->contacts.count);
    }
    *contacts += r->contacts.count;
    r->events.count = r->contacts.count = 0;
    for (int i = 0; i < RECORDS_FILES; ++i) {
        if (r->file[i].stream && ferror(r->file[i].stream)) {
            return fault_set(why, "%s: cannot write: %s, expected room for the whole file", r->path[i], strerror(errno));
        }
    }
    return true;
}

bool records_mark_now(records *r, outfile_mark marks[RECORDS_FILES], fault *why) {
    bool good = true;
    for (int i = 0; i < RECORDS_FILES && good; ++i) {
        marks[i] = (outfile_mark){.size = 0};
        good = !r->file[i].stream || outfile_mark_now(&r->file[i], &marks[i], why);
    }
    return good;
}

bool records_commit(records *r, fault *why) {
    bool good = true;
    for (int i = 0; i < RECORDS_FILES && good; ++i) {
        good = !r->file[i].stream || outfile_commit(&r->file[i], why);
    }
    return good;
}

void records_discard(records *r) {
    for (int i = 0; i < RECORDS_FILES; ++i) {
        outfile_discard(&r->file[i]);
        free(r->path[i]);
    }
    free(r->events.list);
    free(r->active);
    free(r->contacts.list);
}
