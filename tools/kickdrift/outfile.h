/* Output files that are written completely or not at all. The bytes go to a temporary file next to the target, which is renamed when it is
 * complete. */
#ifndef KICKDRIFT_TOOLS_OUTFILE_H
#define KICKDRIFT_TOOLS_OUTFILE_H

#include "fault.h"

#include <stdint.h>
#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct outfile {
    FILE *stream; /* NULL: the file is not open */
    char *target;
    char *temporary;    /* NULL: the target is a device or a pipe, and is written directly */
    bool kept;          /* a mark refers to the temporary file, so it is not removed */
    uint64_t summed;    /* number of bytes that `sum` covers */
    XXH64_state_t *sum; /* NULL: no mark was made yet */
} outfile;

/* How far a file was written, for a later process that continues it. */
typedef struct outfile_mark {
    char part[256];    /* name of the temporary file, in the target's folder; "": the target is a device or a pipe */
    uint64_t size;     /* bytes that were written */
    uint64_t sum;      /* XXH64 of these bytes */
    uint64_t frames;   /* the caller's number */
    uint64_t is_whole; /* 1: earlier bytes may change later because another library writes the file, so size and sum are not checked */
} outfile_mark;

/* Returns true if both names are of one file, or would be. */
bool outfile_is_same(const char *a, const char *b);

/* Opens a file. On failure no file is left. The temporary file is removed also when the program is interrupted, but not when it is killed:
 * the next process that opens the target prints the names of such files, and is not hindered by them. */
bool outfile_open(outfile *file, const char *path, fault *why);

/* Closes the file and renames it. On failure the temporary file is removed and the target is unchanged. */
bool outfile_commit(outfile *file, fault *why);

/* Flushes what was written to the disk and fills the mark. From then on signals and outfile_discard keep the temporary file. */
bool outfile_mark_now(outfile *file, outfile_mark *mark, fault *why);

/* Opens what an earlier process wrote up to the mark, and cuts off what follows. It uses the temporary file, or a copy of the target's
 * first bytes if the file was renamed. Refused if the bytes before the mark have changed. On failure all files stay as they were. */
bool outfile_resume(outfile *file, const char *path, const outfile_mark *mark, fault *why);

/* Returns true if a run after the mark has finished: its temporary file has become the target, which begins with the bytes before the
 * mark. */
bool outfile_has_ended(const char *path, const outfile_mark *mark);

/* Closes the file and removes it, unless a mark refers to it. Does nothing if it is not open. */
void outfile_discard(outfile *file);

#endif
