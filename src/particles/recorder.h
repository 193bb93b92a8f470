/* The recorder of contacts and events: threads add entries in any order, and the list gets one order. */
#ifndef KDR_PARTICLES_RECORDER_H
#define KDR_PARTICLES_RECORDER_H

#include <kickdrift/contact.h>
#include <kickdrift/event.h>

#include <stdatomic.h>
#include <stdbool.h>

/* Returns whether a comes before b in the order of the list. */
typedef bool kdr_before_fn(const void *a, const void *b);

typedef struct kdr_recorder {
    unsigned char *list; /* `capacity` entries of `size` bytes */
    size_t *count, capacity, size;
    kdr_before_fn *is_before;
    size_t step_at;   /* offset of the step in an entry */
    size_t first;     /* index of the run's first entry in the list */
    double t0, dt;    /* clock of the particles that are stepped now */
    bool is_heap;     /* the list has been full: the run's entries are a heap, with the last in the order at its top */
    bool stopped;     /* an event has stopped the run */
    atomic_flag busy; /* a thread is using the list */
} kdr_recorder;

/* Prepares a recorder of contacts: in the order of particles, or of steps if `by_step`. */
void kdr_recorder_of_contacts(kdr_recorder *recorder, kdr_contacts *contacts, bool by_step);

/* Prepares a recorder of events. `back`: time runs backwards in this run. */
void kdr_recorder_of_events(kdr_recorder *recorder, kdr_events *events, bool back);

/* Adds a contact at a fraction of its step, and sets its time. Any thread may call it. */
void kdr_recorder_note(kdr_recorder *recorder, kdr_contact *contact, double fraction);

/* Removes the entries of a step that has failed, which is the last step of all. Before it there were `count` entries. */
void kdr_recorder_forget(kdr_recorder *recorder, size_t count, uint64_t step);

/* Adds an event, which may stop the run. Any thread may call it. */
void kdr_recorder_event(kdr_recorder *recorder, const kdr_event *event, bool stops);

/* Returns KDR_STOPPED, with a message that names the step of the clock at the end of the run. */
kdr_status kdr_recorder_stopped(uint64_t step, kdr_error *error);

/* Sorts the entries of the run. */
void kdr_recorder_end(kdr_recorder *recorder);

#endif
