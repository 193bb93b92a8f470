/* Files that are written whole or not at all: a temporary file beside the target, renamed when everything is in it. */
#ifndef KICKDRIFT_TOOLS_OUTFILE_H
#define KICKDRIFT_TOOLS_OUTFILE_H

#include "fault.h"

#include <stdint.h>
#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct outfile {
    FILE *stream; /* NULL: not open */
    char *target;
    char *temporary;    /* NULL: the target is a device or a pipe, and is written directly */
    bool kept;          /* a mark speaks of the temporary file: it is not removed */
    uint64_t summed;    /* bytes that `sum` has */
    XXH64_state_t *sum; /* NULL: there is no mark yet */
} outfile;

/* How far a file was written: what a later process goes on from. */
typedef struct outfile_mark {
    char part[256];    /* the temporary file, beside the target; "": the target is a device or a pipe */
    uint64_t size;     /* of what was written */
    uint64_t sum;      /* XXH64 of it */
    uint64_t frames;   /* the caller's */
    uint64_t is_whole; /* 1: what was written before may change later, by other hands than the stream's: size and sum are not looked at */
} outfile_mark;

/* Both names are one file's, or would be. */
bool outfile_is_same(const char *a, const char *b);

/* On failure nothing is left behind. The temporary file is removed also when the program is interrupted, but not when it is killed: what is
 * left of such files is named on standard error when the target is opened again, and never in its way. */
bool outfile_open(outfile *file, const char *path, fault *why);

/* Closes and renames; on failure nothing is left behind and the target is as it was. */
bool outfile_commit(outfile *file, fault *why);

/* Flushes what was written to the disk and says how far it is. From then on the temporary file outlasts signals and outfile_discard. */
bool outfile_mark_now(outfile *file, outfile_mark *mark, fault *why);

/* Opens what a process that has ended wrote up to the mark, and cuts off what is behind it: its temporary file, or a copy of the target's first
 * bytes where it was renamed. Refused when the bytes before the mark are others. On failure all stays as it was. */
bool outfile_resume(outfile *file, const char *path, const outfile_mark *mark, fault *why);

/* A run after the mark has come to its end: its temporary file has become the target, whose bytes before the mark are those. */
bool outfile_has_ended(const char *path, const outfile_mark *mark);

/* Closes and removes what was written so far, but for what a mark speaks of. Nothing to do when it is not open. */
void outfile_discard(outfile *file);

#endif
