#include "contacts.h"

static int compare(double a, double b) { return (a > b) - (a < b); }

/* The order is that of the members. */
static bool is_before(const kdr_contact *a, const kdr_contact *b) {
    if (a->particle != b->particle) {
        return a->particle < b->particle;
    }
    if (a->step != b->step) {
        return a->step < b->step;
    }
    int order = (a->surface > b->surface) - (a->surface < b->surface);
    order = order ? order : compare(a->time, b->time);
    for (int i = 0; i < 6 && order == 0; ++i) { /* two faces that are met at once */
        order = i < 3 ? compare(a->x[i], b->x[i]) : compare(a->impulse[i - 3], b->impulse[i - 3]);
    }
    return order < 0;
}

/* Puts `moved` into the heap list[0, count), whose place `at` is free: none is before what stands below it. */
static void sift(kdr_contact *list, size_t count, size_t at, kdr_contact moved) {
    for (size_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        below += below + 1 < count && is_before(&list[below], &list[below + 1]);
        if (!is_before(&moved, &list[below])) {
            break;
        }
        list[at] = list[below];
        at = below;
    }
    list[at] = moved;
}

static void make_heap(kdr_contact *list, size_t count) {
    for (size_t i = count / 2; i > 0; --i) {
        sift(list, count, i - 1, list[i - 1]);
    }
}

void kdr_recorder_begin(kdr_recorder *recorder, kdr_contacts *contacts) {
    recorder->contacts = contacts;
    recorder->first = contacts && contacts->count > contacts->capacity ? contacts->capacity : contacts ? contacts->count : 0;
    recorder->is_heap = false;
    atomic_flag_clear(&recorder->busy);
}

/* A full list gives up its last one for one that comes before it. */
static void add(kdr_recorder *recorder, const kdr_contact *contact) {
    kdr_contacts *const contacts = recorder->contacts;
    const size_t at = contacts->count++, room = contacts->capacity - recorder->first;
    if (at < contacts->capacity) {
        contacts->list[at] = *contact;
        return;
    }
    kdr_contact *const list = contacts->list + recorder->first;
    if (room > 0 && !recorder->is_heap) {
        make_heap(list, room);
        recorder->is_heap = true;
    }
    if (room > 0 && is_before(contact, &list[0])) {
        sift(list, room, 0, *contact);
    }
}

void kdr_recorder_note(kdr_recorder *recorder, kdr_contact *contact, double fraction, double inverse_mass) {
    contact->time = recorder->t0 + ((double)contact->step + fraction) * recorder->dt;
    for (int i = 0; i < 3; ++i) {
        contact->impulse[i] /= inverse_mass;
    }
    while (atomic_flag_test_and_set_explicit(&recorder->busy, memory_order_acquire)) {
    }
    add(recorder, contact);
    atomic_flag_clear_explicit(&recorder->busy, memory_order_release);
}

void kdr_recorder_end(kdr_recorder *recorder) {
    const kdr_contacts *const contacts = recorder->contacts;
    if (!contacts || contacts->count <= recorder->first || contacts->capacity <= recorder->first) {
        return;
    }
    kdr_contact *const list = contacts->list + recorder->first;
    size_t count = (contacts->count < contacts->capacity ? contacts->count : contacts->capacity) - recorder->first, sorted = 1;
    while (sorted < count && !is_before(&list[sorted], &list[sorted - 1])) {
        ++sorted;
    }
    if (sorted >= count) {
        return;
    }
    if (!recorder->is_heap) {
        make_heap(list, count);
    }
    for (; count > 1; --count) {
        const kdr_contact last = list[count - 1];
        list[count - 1] = list[0];
        sift(list, count - 1, 0, last);
    }
}
