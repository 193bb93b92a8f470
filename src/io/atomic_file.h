/* A file that is written under another name in the folder of its target, flushed to the disk, and renamed. At each moment the target is
 * the old file or the whole new one. */
#ifndef KDR_IO_ATOMIC_FILE_H
#define KDR_IO_ATOMIC_FILE_H

#include "../particles/error.h"

typedef struct kdr_atomic_file {
    char *target, *part; /* target, and target.part */
    int descriptor;
    uint64_t written; /* bytes that kdr_atomic_file_write has written */
} kdr_atomic_file;

/* Opens PATH.part, which is empty then. On failure nothing is open, and the target is unchanged. */
kdr_status kdr_atomic_file_open(kdr_atomic_file *file, const char *path, kdr_error *error);

/* Opens PATH.part with the bytes that it has from an earlier attempt. The file may be read too. */
kdr_status kdr_atomic_file_reopen(kdr_atomic_file *file, const char *path, kdr_error *error);
kdr_status kdr_atomic_file_write(kdr_atomic_file *file, const void *bytes, size_t size, kdr_error *error);

/* Flushes the file and renames it to the target. On failure the file is discarded. */
kdr_status kdr_atomic_file_commit(kdr_atomic_file *file, kdr_error *error);
void kdr_atomic_file_discard(kdr_atomic_file *file);

/* Closes the file, and leaves PATH.part as it is. */
void kdr_atomic_file_leave(kdr_atomic_file *file);

#endif
