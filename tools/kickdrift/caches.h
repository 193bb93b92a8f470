/* The caches of the first core, as the operating system describes them. */
#ifndef KICKDRIFT_TOOLS_CACHES_H
#define KICKDRIFT_TOOLS_CACHES_H

#include <stdbool.h>

enum { MOST_CACHES = 8 };

typedef struct caches_row {
    int level;
    char type[16]; /* "Data" or "Unified" */
    long bytes;
} caches_row;

/* Reads the caches that hold data. Returns their number, 0 if the system does not tell. */
int caches_read(caches_row caches[MOST_CACHES]);

#endif
