/* Records that a run writes on its way, one row of CSV each: the events that its scene watches for, and the contacts with its colliders. */
#ifndef KICKDRIFT_TOOLS_RECORDS_H
#define KICKDRIFT_TOOLS_RECORDS_H

#include "outfile.h"
#include "population.h"

/* The files, in the order of their keys in a checkpoint. */
enum { RECORDS_EVENTS, RECORDS_CONTACTS, RECORDS_FILES };
extern const char *const records_names[RECORDS_FILES]; /* also their keys in a scene */

typedef struct records {
    const scene *of;
    char *path[RECORDS_FILES]; /* NULL: not wanted */
    outfile file[RECORDS_FILES];
    kdr_events events;
    kdr_contacts contacts;
    uint8_t *active;     /* the particles' marks if a watch may stop them; may be NULL */
    uint64_t most_steps; /* the largest number of steps between two calls of records_write, for which the lists have room */
} records;

/* Allocates lists and gives them to the particles. Returns false, with the scene's fault set, if there is no memory. */
bool records_prepare(records *r, const scene *of, const char *scene_file, population *particles, fault *why);

/* Opens the files. `marks` says how far an earlier process wrote them; NULL: they are new. `has_ended`: the run had finished, and complete
 * files are left as they are. */
bool records_open(records *r, const outfile_mark *marks, bool has_ended, fault *why);

/* Writes the records of the last steps, adds them to the counts of each watch and of contacts, and empties the lists. */
bool records_write(records *r, const population *particles, uint64_t events[KDR_MAX_WATCHES], uint64_t *contacts, fault *why);

/* These do what outfile_mark_now, outfile_commit and outfile_discard do, for all files. The last also frees everything. */
bool records_mark_now(records *r, outfile_mark marks[RECORDS_FILES], fault *why);
bool records_commit(records *r, fault *why);
void records_discard(records *r);

#endif
