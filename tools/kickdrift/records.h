/* What a run writes down on its way, a row of CSV each: the events of what its scene watches, and the contacts with its colliders. */
#ifndef KICKDRIFT_TOOLS_RECORDS_H
#define KICKDRIFT_TOOLS_RECORDS_H

#include "outfile.h"
#include "population.h"

/* The files, in the order of their keys in a checkpoint. */
enum { RECORDS_EVENTS, RECORDS_CONTACTS, RECORDS_FILES };
extern const char *const records_names[RECORDS_FILES]; /* their keys in a scene, too */

typedef struct records {
    const scene *of;
    char *path[RECORDS_FILES]; /* NULL: not asked for */
    outfile file[RECORDS_FILES];
    kdr_events events;
    kdr_contacts contacts;
    uint8_t *active;     /* marks, where a watch stops particles; or NULL */
    uint64_t most_steps; /* between two calls of records_write: the lists have room for all that may happen */
} records;

/* Lists for the scene's particles, which are told of them. False, with the scene's fault set, without memory. */
bool records_prepare(records *r, const scene *of, const char *scene_file, population *particles, fault *why);

/* Opens the files; `marks` is how far they were written before, NULL: they are new. `has_ended`: files that are whole are left as they are. */
bool records_open(records *r, const outfile_mark *marks, bool has_ended, fault *why);

/* Writes what the last steps have brought, adds it to the counts of each watch and of contacts, and empties the lists. */
bool records_write(records *r, const population *particles, uint64_t events[KDR_MAX_WATCHES], uint64_t *contacts, fault *why);

/* As outfile_mark_now, outfile_commit and outfile_discard, for all files; the last frees all. */
bool records_mark_now(records *r, outfile_mark marks[RECORDS_FILES], fault *why);
bool records_commit(records *r, fault *why);
void records_discard(records *r);

#endif
