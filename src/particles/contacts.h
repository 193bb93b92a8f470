/* Who writes down contacts: threads in any order, into a list that has one order. */
#ifndef KDR_PARTICLES_CONTACTS_H
#define KDR_PARTICLES_CONTACTS_H

#include <kickdrift/contact.h>

#include <stdatomic.h>
#include <stdbool.h>

typedef struct kdr_recorder {
    kdr_contacts *contacts;
    size_t first;     /* of the run's, in the list */
    double t0, dt;    /* of the clock of the particles that are stepped now */
    bool is_heap;     /* the list was full once: the last in the order stands first of the run's */
    atomic_flag busy; /* a thread is at the list */
} kdr_recorder;

void kdr_recorder_begin(kdr_recorder *recorder, kdr_contacts *contacts);

/* From any thread: a contact in which `impulse` is still the change of the velocity, at a fraction of its step. */
void kdr_recorder_note(kdr_recorder *recorder, kdr_contact *contact, double fraction, double inverse_mass);

/* Puts the run's contacts in order. */
void kdr_recorder_end(kdr_recorder *recorder);

#endif
