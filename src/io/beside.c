/* Files that are there whole or not at all. */
#include "beside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static kdr_status failed(const char *path, kdr_error *error) {
    return kdr_fail(error, KDR_ERROR_FILE, "%.100s: cannot write: %.80s, expected a file that can be written and room for it", path,
                    strerror(errno));
}

static void release(kdr_beside *file) {
    free(file->target);
    free(file->part);
    *file = (kdr_beside){.descriptor = -1};
}

/* The file that has the name, locked: who held the lock before may have renamed it meanwhile. */
static int open_part(const char *part) {
    for (;;) {
        struct stat held, named;
        const int descriptor = open(part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor < 0) {
            return -1;
        }
        const bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
        if (!locked && errno == EWOULDBLOCK) {
            close(descriptor);
            errno = EBUSY; /* another process writes it */
            return -1;
        }
        if (fstat(descriptor, &held) == 0 && stat(part, &named) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
            return descriptor;
        }
        close(descriptor);
    }
}

kdr_status kdr_beside_reopen(kdr_beside *file, const char *path, kdr_error *error) {
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    *file = (kdr_beside){.descriptor = -1};
    KDR_CHECK(!exists || S_ISREG(status.st_mode), error, KDR_ERROR_FILE, "%.100s: expected a regular file or none", path);
    file->target = exists ? realpath(path, NULL) : strdup(path); /* a link stays a link: what it leads to is replaced */
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
        kdr_beside_discard(file);
        return refused;
    }
    if (exists) {
        (void)fchmod(file->descriptor, status.st_mode & 07777); /* a file system without modes is no reason to fail */
    }
    return KDR_OK;
}

kdr_status kdr_beside_open(kdr_beside *file, const char *path, kdr_error *error) {
    const kdr_status status = kdr_beside_reopen(file, path, error);
    if (status == KDR_OK && ftruncate(file->descriptor, 0) != 0) {
        const kdr_status refused = failed(path, error);
        kdr_beside_discard(file);
        return refused;
    }
    return status;
}

kdr_status kdr_beside_write(kdr_beside *file, const void *bytes, size_t size, kdr_error *error) {
    for (const char *next = bytes; size > 0;) {
        const ssize_t written = write(file->descriptor, next, size);
        if (written < 0 && errno != EINTR) {
            return failed(file->target, error);
        }
        if (written > 0) {
            next += written;
            size -= (size_t)written;
        }
    }
    return KDR_OK;
}

void kdr_flush_folder(const char *path) {
    char folder[PATH_MAX] = "."; /* a file in a folder of a longer name cannot be opened */
    const char *const slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length > 0 && length < sizeof folder) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor); /* a file system that cannot is no reason to fail */
        close(descriptor);
    }
}

kdr_status kdr_beside_commit(kdr_beside *file, kdr_error *error) {
    if (fsync(file->descriptor) != 0 || rename(file->part, file->target) != 0) {
        const kdr_status status = failed(file->target, error);
        kdr_beside_discard(file);
        return status;
    }
    kdr_flush_folder(file->target);
    close(file->descriptor);
    release(file);
    return KDR_OK;
}

void kdr_beside_discard(kdr_beside *file) {
    if (file->descriptor >= 0) {
        (void)unlink(file->part);
        close(file->descriptor);
    }
    release(file);
}

void kdr_beside_leave(kdr_beside *file) {
    if (file->descriptor >= 0) {
        close(file->descriptor);
    }
    release(file);
}
