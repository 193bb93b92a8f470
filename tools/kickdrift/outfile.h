/* Files that are written whole or not at all: a temporary file beside the target, renamed when everything is in it. */
#ifndef KICKDRIFT_TOOLS_OUTFILE_H
#define KICKDRIFT_TOOLS_OUTFILE_H

#include "fault.h"

#include <stdio.h>

typedef struct outfile {
    FILE *stream; /* NULL: not open */
    char *target;
    char *temporary; /* NULL: the target is a device or a pipe, and is written directly */
} outfile;

/* On failure nothing is left behind. The temporary file is removed also when the program is interrupted, but not when it is killed: what is
 * left of such files is named on standard error when the target is opened again, and never in its way. */
bool outfile_open(outfile *file, const char *path, fault *why);

/* Closes and renames; on failure nothing is left behind and the target is as it was. */
bool outfile_commit(outfile *file, fault *why);

/* Closes and removes what was written so far. Nothing to do when it is not open. */
void outfile_discard(outfile *file);

#endif
