/* A file that is written beside its target, flushed to the disk, and renamed over it: the target is the old file or the whole new one. */
#ifndef KDR_IO_BESIDE_H
#define KDR_IO_BESIDE_H

#include "../particles/error.h"

typedef struct kdr_beside {
    char *target, *part; /* PATH and PATH.part */
    int descriptor;
    uint64_t written; /* bytes that kdr_beside_write has placed */
} kdr_beside;

/* On failure nothing is held, and the target is as it was. */
kdr_status kdr_beside_open(kdr_beside *file, const char *path, kdr_error *error);

/* As kdr_beside_open, but what PATH.part has from before stays in it, for who goes on with it; it may be read. */
kdr_status kdr_beside_reopen(kdr_beside *file, const char *path, kdr_error *error);
kdr_status kdr_beside_write(kdr_beside *file, const void *bytes, size_t size, kdr_error *error);

/* Flushes and renames; or, where that fails, discards. */
kdr_status kdr_beside_commit(kdr_beside *file, kdr_error *error);
void kdr_beside_discard(kdr_beside *file);

/* Closes, and leaves PATH.part as it is. */
void kdr_beside_leave(kdr_beside *file);

#endif
