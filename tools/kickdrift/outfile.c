/* Files written beside their target and renamed over it. */
#include "outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a signal must remove. A slot is filled after the file exists and emptied before it is renamed. */
enum { MOST_OPEN = 4 };
static char *volatile temporaries[MOST_OPEN];

static void remove_and_die(int number) {
    for (int i = 0; i < MOST_OPEN; ++i) {
        if (temporaries[i]) {
            unlink(temporaries[i]);
        }
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void watch(char *from, char *to) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; to && i < sizeof signals / sizeof signals[0]; ++i) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) != 0 || action.sa_handler != SIG_DFL) {
            continue;
        }
        action = (struct sigaction){.sa_handler = remove_and_die};
        sigaction(signals[i], &action, NULL);
    }
    for (int i = 0; i < MOST_OPEN; ++i) {
        if (temporaries[i] != from) {
            continue;
        }
        temporaries[i] = to;
        return;
    }
}

static void release(outfile *file) {
    free(file->target);
    free(file->temporary);
    XXH64_freeState(file->sum);
    *file = (outfile){0};
}

static bool open_failed(outfile *file, const char *path, fault *why) {
    const int error = errno;
    release(file);
    return fault_set(why, "%s: cannot open for writing: %s, expected a file that can be written", path, strerror(error));
}

/* The name is that of a temporary file of `target`: TARGET.NUMBER.part or TARGET.NUMBER-NUMBER.part. */
static bool is_part_of(const char *name, const char *target) {
    const size_t length = strlen(target);
    if (strncmp(name, target, length) != 0 || name[length] != '.') {
        return false;
    }
    const char *number = name + length + 1;
    const size_t digits = strspn(number, "0123456789-");
    return digits > 0 && strcmp(number + digits, ".part") == 0;
}

/* Names what processes that were killed have left beside the target. Who is alive holds the lock of its file. They are not removed: it is
 * the user's to say whether half a trajectory is worth nothing. */
static void name_left(const outfile *file) {
    char folder[PATH_MAX];
    const char *slash = strrchr(file->target, '/'), *own = slash ? slash + 1 : file->target;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file->target) + 1 : 1, slash ? file->target : ".");
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    while (listing && (entry = readdir(listing)) != NULL) {
        const int descriptor =
            is_part_of(entry->d_name, own) ? openat(dirfd(listing), entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
        if (descriptor < 0) {
            continue;
        }
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
            fprintf(
                stderr,
                "kickdrift: %s%s is what a process that was killed has left, and may be removed, unless its checkpoint goes on with it\n",
                slash ? folder : "", entry->d_name);
        }
        close(descriptor);
    }
    if (listing) {
        closedir(listing);
    }
}

/* Numbers of processes come again, in a container soon: a name that is taken has another one tried. */
static int open_part(outfile *file, size_t size) {
    enum { MOST_NAMES = 1000 };
    int descriptor = -1;
    for (int n = 0; descriptor < 0 && n < MOST_NAMES; ++n) {
        snprintf(file->temporary, size, n ? "%s.%ld-%d.part" : "%s.%ld.part", file->target, (long)getpid(), n);
        descriptor = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST) {
            break;
        }
    }
    return descriptor;
}

/* A temporary file of the mode that the target has, or that a new file would have. */
static bool open_beside(outfile *file, mode_t mode, bool exists) {
    const size_t size = strlen(file->target) + 48;
    file->temporary = malloc(size);
    if (!file->temporary) {
        return false;
    }
    const int descriptor = open_part(file, size);
    if (descriptor < 0) {
        return false;
    }
    watch(NULL, file->temporary);
    (void)flock(descriptor, LOCK_EX | LOCK_NB); /* says that it is written; a file system without locks is no reason to fail */
    name_left(file);
    if (exists) {
        (void)fchmod(descriptor, mode & 07777); /* a file system without modes is no reason to fail */
    }
    file->stream = fdopen(descriptor, "w");
    if (file->stream) {
        return true;
    }
    close(descriptor);
    unlink(file->temporary);
    watch(file->temporary, NULL);
    return false;
}

bool outfile_open(outfile *file, const char *path, fault *why) {
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    *file = (outfile){0};
    /* A link stays a link: what it leads to is replaced. */
    file->target = exists && S_ISREG(status.st_mode) ? realpath(path, NULL) : strdup(path);
    if (!file->target) {
        return open_failed(file, path, why);
    }
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return open_failed(file, path, why);
    }
    if (exists && !S_ISREG(status.st_mode)) {
        file->stream = fopen(path, "we");
    } else if ((exists && access(path, W_OK) != 0) || !open_beside(file, status.st_mode, exists)) {
        return open_failed(file, path, why);
    }
    return file->stream || open_failed(file, path, why);
}

bool outfile_commit(outfile *file, fault *why) {
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    int error = good ? 0 : errno;
    if (fclose(file->stream) != 0 && good) {
        good = false;
        error = errno;
    }
    file->stream = NULL;
    if (good && file->temporary && rename(file->temporary, file->target) != 0) {
        good = false;
        error = errno;
    }
    if (!good) {
        fault_set(why, "%s: cannot write: %s, expected room for the whole file", file->target, strerror(error ? error : EIO));
    }
    if (file->temporary) {
        if (!good && !file->kept) {
            unlink(file->temporary);
        }
        watch(file->temporary, NULL);
    }
    release(file);
    return good;
}

void outfile_discard(outfile *file) {
    if (!file->stream) {
        return;
    }
    fclose(file->stream);
    if (file->temporary && !file->kept) {
        unlink(file->temporary);
        watch(file->temporary, NULL);
    }
    release(file);
}

/* The folder of a path, and the name in it. */
static const char *folder_of(const char *path, struct stat *folder) {
    char text[PATH_MAX];
    const char *const slash = strrchr(path, '/');
    snprintf(text, sizeof text, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return stat(text, folder) == 0 ? (slash ? slash + 1 : path) : NULL;
}

bool outfile_is_same(const char *a, const char *b) {
    struct stat of_a, of_b;
    const bool has_a = stat(a, &of_a) == 0, has_b = stat(b, &of_b) == 0;
    if (strcmp(a, b) == 0 || has_a != has_b) {
        return strcmp(a, b) == 0;
    }
    if (has_a) { /* two may be one terminal */
        return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    }
    const char *const name_a = folder_of(a, &of_a), *const name_b = folder_of(b, &of_b);
    return name_a && name_b && strcmp(name_a, name_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* Adds what the file has up to `size` to the sum. */
static bool sum_up(outfile *file, int descriptor, uint64_t size) {
    char buffer[1 << 16];
    while (file->summed < size) {
        const uint64_t left = size - file->summed;
        const ssize_t got = pread(descriptor, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer, (off_t)file->summed);
        if (got <= 0) {
            return false;
        }
        XXH64_update(file->sum, buffer, (size_t)got);
        file->summed += (uint64_t)got;
    }
    return true;
}

static bool begin_sum(outfile *file) {
    file->summed = 0;
    file->sum = XXH64_createState();
    return file->sum && XXH64_reset(file->sum, 0) == XXH_OK;
}

bool outfile_mark_now(outfile *file, outfile_mark *mark, fault *why) {
    *mark = (outfile_mark){.size = 0};
    if (!file->temporary) {
        return fflush(file->stream) == 0 || fault_set(why, "%s: cannot write: %s", file->target, strerror(errno));
    }
    const int descriptor = fileno(file->stream);
    const bool written = fflush(file->stream) == 0 && fsync(descriptor) == 0;
    const off_t size = written ? ftello(file->stream) : -1;
    const char *const slash = strrchr(file->temporary, '/');
    if (size < 0 || !(file->sum || begin_sum(file)) || !sum_up(file, descriptor, (uint64_t)size)) {
        return fault_set(why, "%s: cannot write: %s, expected room for the whole file", file->target, strerror(errno));
    }
    snprintf(mark->part, sizeof mark->part, "%s", slash ? slash + 1 : file->temporary);
    mark->size = (uint64_t)size;
    mark->sum = XXH64_digest(file->sum);
    file->kept = true;
    watch(file->temporary, NULL);
    return true;
}

/* The descriptor of what was written: the part, else the target. */
static int open_written(const outfile *file, bool *is_part) {
    int descriptor = open(file->temporary, O_RDWR | O_CLOEXEC);
    *is_part = descriptor >= 0;
    if (!*is_part && errno == ENOENT) {
        descriptor = open(file->target, O_RDONLY | O_CLOEXEC);
    }
    return descriptor;
}

/* A new temporary file with the bytes of `from` that were summed up. */
static int copy_written(outfile *file, int from) {
    const size_t room = strlen(file->target) + 48;
    char *const name = realloc(file->temporary, room), buffer[1 << 16];
    file->temporary = name ? name : file->temporary;
    const int to = name ? open_part(file, room) : -1;
    for (uint64_t done = 0; to >= 0 && done < file->summed;) {
        const uint64_t left = file->summed - done;
        const ssize_t got = pread(from, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer, (off_t)done);
        if (got <= 0 || write(to, buffer, (size_t)got) != got) {
            unlink(file->temporary);
            close(to);
            return -1;
        }
        done += (uint64_t)got;
    }
    return to;
}

static bool resume_failed(outfile *file, int descriptor, fault *why, const char *message) {
    fault_set(why, "%s: %s", file->target, message);
    if (descriptor >= 0) {
        close(descriptor);
    }
    release(file);
    return false;
}

bool outfile_resume(outfile *file, const char *path, const outfile_mark *mark, fault *why) {
    bool is_part;
    if (!*mark->part) {
        return outfile_open(file, path, why);
    }
    *file = (outfile){.kept = true};
    struct stat status;
    file->target = stat(path, &status) == 0 ? realpath(path, NULL) : strdup(path);
    const char *const slash = file->target ? strrchr(file->target, '/') : NULL;
    const int folder = slash ? (int)(slash - file->target) + 1 : 0;
    if (!file->target || asprintf(&file->temporary, "%.*s%s", folder, file->target, mark->part) < 0 || !begin_sum(file)) {
        file->temporary = NULL;
        return resume_failed(file, -1, why, "no memory for its name");
    }
    int descriptor = open_written(file, &is_part);
    if (descriptor < 0) {
        return resume_failed(file, -1, why, "what was written of it before is not there, expected it or its part beside it");
    }
    if (is_part && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return resume_failed(file, descriptor, why, "another process writes it, expected its run to have ended");
    }
    struct stat written;
    if (mark->is_whole) {
        file->summed = fstat(descriptor, &written) == 0 ? (uint64_t)written.st_size : 0;
    } else if (!sum_up(file, descriptor, mark->size) || XXH64_digest(file->sum) != mark->sum) {
        return resume_failed(file, descriptor, why, "what was written of it before has changed, expected it as the run left it");
    }
    if (!is_part) {
        const int from = descriptor;
        descriptor = copy_written(file, from);
        close(from);
    }
    if (descriptor < 0 || (!mark->is_whole && ftruncate(descriptor, (off_t)mark->size) != 0) || lseek(descriptor, 0, SEEK_END) < 0 ||
        !(file->stream = fdopen(descriptor, "r+"))) {
        return resume_failed(file, descriptor, why, "cannot be written, expected a file that can");
    }
    return true;
}
