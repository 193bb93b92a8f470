#include "recorder.h"

#include <string.h>

#include "error.h"

/* An entry of any list. */
typedef union entry {
    kdr_contact contact;
    kdr_event event;
} entry;

static int compare(double a, double b) { return (a > b) - (a < b); }

static int compare_counts(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* Compares contacts in the order of their members; or, with `by_step`, first by the step. */
static bool is_contact_before(const kdr_contact *a, const kdr_contact *b, bool by_step) {
    int order = by_step ? compare_counts(a->step, b->step) : 0;
    order = order ? order : compare_counts(a->particle, b->particle);
    order = order ? order : compare_counts(a->step, b->step);
    order = order ? order : compare(a->time, b->time);
    order = order ? order : compare_counts(a->surface, b->surface);
    for (int i = 0; i < 6 && order == 0; ++i) { /* two faces may be hit at the same time */
        order = i < 3 ? compare(a->x[i], b->x[i]) : compare(a->impulse[i - 3], b->impulse[i - 3]);
    }
    return order < 0;
}

static bool is_before_by_particle(const void *a, const void *b) { return is_contact_before(a, b, false); }

static bool is_before_by_step(const void *a, const void *b) { return is_contact_before(a, b, true); }

/* `way` is 1, or -1 if time runs backwards. Two events of one watch at one time belong to a particle with a very high level. */
static bool is_event_before(const kdr_event *a, const kdr_event *b, int way) {
    int order = compare_counts(a->step, b->step);
    order = order ? order : compare_counts(a->particle, b->particle);
    order = order ? order : way * compare(a->time, b->time);
    order = order ? order : compare_counts(a->watch, b->watch);
    order = order ? order : compare((double)a->direction, (double)b->direction);
    for (int i = 0; i < 3 && order == 0; ++i) {
        order = compare(a->x[i], b->x[i]);
    }
    return order < 0;
}

static bool is_before_forwards(const void *a, const void *b) { return is_event_before(a, b, 1); }

static bool is_before_backwards(const void *a, const void *b) { return is_event_before(a, b, -1); }

static unsigned char *entry_at(const kdr_recorder *r, size_t i) { return r->list + (r->first + i) * r->size; }

/* Puts `moved` into a heap of `count` entries, whose place `at` is free. No entry of the heap comes before an entry below it. */
static void sift(const kdr_recorder *r, size_t count, size_t at, const entry *moved) {
    for (size_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        below += below + 1 < count && r->is_before(entry_at(r, below), entry_at(r, below + 1));
        if (!r->is_before(moved, entry_at(r, below))) {
            break;
        }
        memcpy(entry_at(r, at), entry_at(r, below), r->size);
        at = below;
    }
    memcpy(entry_at(r, at), moved, r->size);
}

static void make_heap(const kdr_recorder *r, size_t count) {
    for (size_t i = count / 2; i > 0; --i) {
        entry moved;
        memcpy(&moved, entry_at(r, i - 1), r->size);
        sift(r, count, i - 1, &moved);
    }
}

static void begin(kdr_recorder *recorder, void *list, size_t *count, size_t capacity, size_t size, size_t step_at,
                  kdr_before_fn *is_before) {
    recorder->list = list;
    recorder->count = count;
    recorder->capacity = capacity;
    recorder->size = size;
    recorder->step_at = step_at;
    recorder->is_before = is_before;
    recorder->first = *count > capacity ? capacity : *count;
    recorder->is_heap = recorder->stopped = false;
    atomic_flag_clear(&recorder->busy);
}

void kdr_recorder_of_contacts(kdr_recorder *recorder, kdr_contacts *contacts, bool by_step) {
    begin(recorder, contacts->list, &contacts->count, contacts->capacity, sizeof(kdr_contact), offsetof(kdr_contact, step),
          by_step ? is_before_by_step : is_before_by_particle);
}

void kdr_recorder_of_events(kdr_recorder *recorder, kdr_events *events, bool back) {
    begin(recorder, events->list, &events->count, events->capacity, sizeof(kdr_event), offsetof(kdr_event, step),
          back ? is_before_backwards : is_before_forwards);
}

/* Adds an entry. If the list is full, the entry replaces the last one in the order, unless it comes after that. */
static void add(kdr_recorder *recorder, const void *added) {
    const size_t at = (*recorder->count)++, room = recorder->capacity - recorder->first;
    if (at < recorder->capacity) {
        memcpy(recorder->list + at * recorder->size, added, recorder->size);
        return;
    }
    if (room > 0 && !recorder->is_heap) {
        make_heap(recorder, room);
        recorder->is_heap = true;
    }
    if (room > 0 && recorder->is_before(added, entry_at(recorder, 0))) {
        entry moved;
        memcpy(&moved, added, recorder->size);
        sift(recorder, room, 0, &moved);
    }
}

static void add_alone(kdr_recorder *recorder, const void *added, bool stops) {
    while (atomic_flag_test_and_set_explicit(&recorder->busy, memory_order_acquire)) {
    }
    add(recorder, added);
    recorder->stopped = recorder->stopped || stops;
    atomic_flag_clear_explicit(&recorder->busy, memory_order_release);
}

void kdr_recorder_note(kdr_recorder *recorder, kdr_contact *contact, double fraction) {
    contact->time = recorder->t0 + ((double)contact->step + fraction) * recorder->dt;
    add_alone(recorder, contact, false);
}

void kdr_recorder_forget(kdr_recorder *recorder, size_t count, uint64_t step) {
    const size_t end = *recorder->count < recorder->capacity ? *recorder->count : recorder->capacity;
    unsigned char *left = recorder->list + recorder->first * recorder->size;
    for (size_t i = recorder->first; i < end; ++i) {
        const unsigned char *const one = recorder->list + i * recorder->size;
        uint64_t of_one;
        memcpy(&of_one, one + recorder->step_at, sizeof of_one);
        if (of_one != step) {
            memmove(left, one, recorder->size);
            left += recorder->size;
        }
    }
    *recorder->count = count;
    recorder->is_heap = recorder->stopped = false;
}

void kdr_recorder_event(kdr_recorder *recorder, const kdr_event *event, bool stops) { add_alone(recorder, event, stops); }

kdr_status kdr_recorder_stopped(uint64_t step, kdr_error *error) {
    return kdr_fail(error, KDR_STOPPED, "watches: one of them has stopped the run at step %llu", (unsigned long long)step);
}

void kdr_recorder_end(kdr_recorder *recorder) {
    size_t count = (*recorder->count < recorder->capacity ? *recorder->count : recorder->capacity) - recorder->first, sorted = 1;
    while (sorted < count && !recorder->is_before(entry_at(recorder, sorted), entry_at(recorder, sorted - 1))) {
        ++sorted;
    }
    if (sorted >= count) {
        return;
    }
    if (!recorder->is_heap) {
        make_heap(recorder, count);
    }
    for (; count > 1; --count) {
        entry last;
        memcpy(&last, entry_at(recorder, count - 1), recorder->size);
        memcpy(entry_at(recorder, count - 1), entry_at(recorder, 0), recorder->size);
        sift(recorder, count - 1, 0, &last);
    }
}
