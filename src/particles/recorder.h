/* Who writes down contacts and events: threads in any order, into a list that has one order. */
#ifndef KDR_PARTICLES_RECORDER_H
#define KDR_PARTICLES_RECORDER_H

#include <kickdrift/contact.h>
#include <kickdrift/event.h>

#include <stdatomic.h>
#include <stdbool.h>

/* The order of a list: a comes before b. */
typedef bool kdr_before_fn(const void *a, const void *b);

typedef struct kdr_recorder {
    unsigned char *list; /* `capacity` entries of `size` bytes */
    size_t *count, capacity, size;
    kdr_before_fn *is_before;
    size_t step_at;   /* where an entry has its step */
    size_t first;     /* of the run's, in the list */
    double t0, dt;    /* of the clock of the particles that are stepped now */
    bool is_heap;     /* the list was full once: the last in the order stands first of the run's */
    bool stopped;     /* an event has stopped the run */
    atomic_flag busy; /* a thread is at the list */
} kdr_recorder;

/* In the order of particles, or `by_step`. */
void kdr_recorder_of_contacts(kdr_recorder *recorder, kdr_contacts *contacts, bool by_step);

/* `back`: the run's time runs back. */
void kdr_recorder_of_events(kdr_recorder *recorder, kdr_events *events, bool back);

/* From any thread: a contact without its time, at a fraction of its step. */
void kdr_recorder_note(kdr_recorder *recorder, kdr_contact *contact, double fraction);

/* Takes out the entries of a step, which is the last of all, and has failed: there were so many before it. */
void kdr_recorder_forget(kdr_recorder *recorder, size_t count, uint64_t step);

/* From any thread: an event, which may stop the run. */
void kdr_recorder_event(kdr_recorder *recorder, const kdr_event *event, bool stops);

/* Returns KDR_STOPPED and names the step of the clock that the run leaves behind. */
kdr_status kdr_recorder_stopped(uint64_t step, kdr_error *error);

/* Puts what the run has written down in order. */
void kdr_recorder_end(kdr_recorder *recorder);

#endif
