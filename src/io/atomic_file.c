/* This file writes files that become visible only when they are complete. */
#include "atomic_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

static kdr_status failed(const char *path, kdr_error *error) {
    const char *const why = errno == EBUSY ? "another process writes it" : strerror(errno);
    return kdr_fail(error, KDR_ERROR_FILE, "%.100s: cannot write: %.80s, expected a file that can be written and room for it", path, why);
}

static void release(kdr_atomic_file *file) {
    free(file->target);
    free(file->part);
    *file = (kdr_atomic_file){.descriptor = -1};
}

/* Opens the file and locks it. It starts anew if the name meanwhile belongs to another file, because the process that held the lock
 * before may have renamed this one. Returns -1 on failure. */
static int open_part(const char *part) {
    for (;;) {
        kdr_file_info held, named;
        const int descriptor = kdr_file_open(part, KDR_FILE_CREATE);
        if (descriptor < 0) {
            return -1;
        }
        if (!kdr_file_lock(descriptor, false)) {
            kdr_file_close(descriptor);
            errno = EBUSY;
            return -1;
        }
        if (kdr_file_look_at(descriptor, &held) && kdr_file_look(part, &named) && kdr_file_is_one(&held, &named)) {
            return descriptor;
        }
        kdr_file_close(descriptor);
    }
}

kdr_status kdr_atomic_file_reopen(kdr_atomic_file *file, const char *path, kdr_error *error) {
    kdr_file_info there;
    const bool exists = kdr_file_look(path, &there);
    *file = (kdr_atomic_file){.descriptor = -1};
    KDR_CHECK(!exists || there.is_regular, error, KDR_ERROR_FILE, "%.100s: expected a regular file or none", path);
    file->target = exists ? kdr_file_resolve(path) : strdup(path); /* a link remains a link: the file that it leads to is replaced */
    const size_t size = file->target ? strlen(file->target) + sizeof ".part" : 0;
    file->part = file->target ? malloc(size) : NULL;
    if (!file->part) {
        release(file);
        return kdr_fail(error, KDR_ERROR_NO_MEMORY, "%.100s: no memory for its name", path);
    }
    (void)snprintf(file->part, size, "%s.part", file->target);
    file->descriptor = open_part(file->part);
    if (file->descriptor < 0) {
        const kdr_status refused = failed(path, error);
        kdr_atomic_file_discard(file);
        return refused;
    }
    if (exists) {
        kdr_file_set_mode(file->descriptor, &there);
    }
    return KDR_OK;
}

kdr_status kdr_atomic_file_open(kdr_atomic_file *file, const char *path, kdr_error *error) {
    const kdr_status status = kdr_atomic_file_reopen(file, path, error);
    if (status == KDR_OK && !kdr_file_cut(file->descriptor, 0)) {
        const kdr_status refused = failed(path, error);
        kdr_atomic_file_discard(file);
        return refused;
    }
    return status;
}

kdr_status kdr_atomic_file_write(kdr_atomic_file *file, const void *bytes, size_t size, kdr_error *error) {
    if (!kdr_file_put(file->descriptor, bytes, size, file->written)) {
        return failed(file->target, error);
    }
    file->written += size;
    return KDR_OK;
}

kdr_status kdr_atomic_file_commit(kdr_atomic_file *file, kdr_error *error) {
    if (!kdr_file_flush(file->descriptor) || !kdr_file_replace(file->part, file->target)) {
        const kdr_status status = failed(file->target, error);
        kdr_atomic_file_discard(file);
        return status;
    }
    kdr_file_flush_folder(file->target);
    kdr_atomic_file_leave(file);
    return KDR_OK;
}

void kdr_atomic_file_discard(kdr_atomic_file *file) {
    if (file->descriptor >= 0) {
        (void)kdr_file_remove(file->part);
    }
    kdr_atomic_file_leave(file);
}

void kdr_atomic_file_leave(kdr_atomic_file *file) {
    if (file->descriptor >= 0) {
        kdr_file_close(file->descriptor);
    }
    release(file);
}
