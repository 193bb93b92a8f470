/* Writes files next to their target, under another name, and renames them when they are complete. */
#include "outfile.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <io/files.h>

/* The files that a signal handler must remove. A slot is filled after the file exists and emptied before it is renamed. */
enum { MOST_OPEN = 4 };
static char *volatile temporaries[MOST_OPEN];

static void remove_and_die(int number) {
    for (int i = 0; i < MOST_OPEN; ++i) {
        if (temporaries[i]) {
            (void)kdr_file_remove(temporaries[i]); // NOLINT(bugprone-signal-handler): files.h allows it
        }
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void watch(char *from, char *to) {
    static const int signals[] = {
        SIGINT,   SIGTERM,
#ifdef SIGHUP
        SIGHUP,   SIGPIPE, SIGUSR1, SIGUSR2,
#endif
#ifdef SIGBREAK /* Ctrl-Break on Windows */
        SIGBREAK,
#endif
    };
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit on file sizes then fails with an error instead of a signal */
#endif
    for (size_t i = 0; to && i < sizeof signals / sizeof signals[0]; ++i) {
        void (*const before)(int) = signal(signals[i], remove_and_die);
        if (before != SIG_DFL && before != SIG_ERR) {
            signal(signals[i], before);
        }
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

/* Returns true if the name is that of a temporary file of `target`: TARGET.NUMBER.part or TARGET.NUMBER-NUMBER.part. */
static bool is_part_of(const char *name, const char *target) {
    const size_t length = strlen(target);
    if (strncmp(name, target, length) != 0 || name[length] != '.') {
        return false;
    }
    const char *number = name + length + 1;
    const size_t digits = strspn(number, "0123456789-");
    return digits > 0 && strcmp(number + digits, ".part") == 0;
}

/* Prints the name of a file in the target's folder if a process that was killed has left it. */
static void name_one(void *context, const char *name) {
    const char *const target = ((const outfile *)context)->target;
    const size_t folder = kdr_file_folder(target);
    char *path;
    if (!is_part_of(name, target + folder) || asprintf(&path, "%.*s%s", (int)folder, target, name) < 0) {
        return;
    }
    const int descriptor = kdr_file_open(path, KDR_FILE_READ);
    if (descriptor >= 0 && kdr_file_lock(descriptor, false)) {
        fprintf(stderr,
                "kickdrift: %s is what a process that was killed has left, and may be removed, unless its checkpoint goes on with it\n",
                path);
    }
    if (descriptor >= 0) {
        kdr_file_close(descriptor);
    }
    free(path);
}

/* Prints the names of temporary files that killed processes have left next to the target. A process that is alive holds a lock on its file.
 * The files are not removed: the user decides whether half a trajectory is worth keeping. */
static void name_left(outfile *file) {
    char *folder;
    if (asprintf(&folder, "%.*s", (int)kdr_file_folder(file->target), file->target) >= 0) {
        kdr_file_list(folder, name_one, file);
        free(folder);
    }
}

/* Opens a temporary file under a name that is not taken. Process numbers repeat, soon in a container, so several names are tried. */
static int open_part(outfile *file, size_t size) {
    enum { MOST_NAMES = 1000 };
    int descriptor = -1;
    for (int n = 0; descriptor < 0 && n < MOST_NAMES; ++n) {
        snprintf(file->temporary, size, n ? "%s.%ld-%d.part" : "%s.%ld.part", file->target, (long)getpid(), n);
        descriptor = kdr_file_open(file->temporary, KDR_FILE_NEW);
        if (descriptor < 0 && errno != EEXIST) {
            break;
        }
    }
    return descriptor;
}

/* Opens a temporary file in the target's folder, with the mode of `target`, or with that of a new file if `target` is NULL. */
static bool open_beside(outfile *file, const kdr_file_info *target) {
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
    (void)kdr_file_lock(descriptor, false); /* the lock tells others that the file is being written */
    name_left(file);
    if (target) {
        kdr_file_set_mode(descriptor, target);
    }
    file->stream = kdr_file_stream_of(descriptor);
    if (file->stream) {
        return true;
    }
    kdr_file_close(descriptor);
    kdr_file_remove(file->temporary);
    watch(file->temporary, NULL);
    return false;
}

bool outfile_open(outfile *file, const char *path, fault *why) {
    kdr_file_info there;
    const bool exists = kdr_file_look(path, &there);
    *file = (outfile){0};
    /* If the path is a link, the file it leads to is replaced, and the link stays. */
    file->target = exists && there.is_regular ? kdr_file_resolve(path) : strdup(path);
    if (!file->target) {
        return open_failed(file, path, why);
    }
    if (exists && there.is_folder) {
        errno = EISDIR;
        return open_failed(file, path, why);
    }
    if (exists && !there.is_regular) {
        file->stream = kdr_file_stream(path, true);
    } else if ((exists && !kdr_file_can_write(path)) || !open_beside(file, exists ? &there : NULL)) {
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
    if (good && file->temporary && !kdr_file_replace(file->temporary, file->target)) {
        good = false;
        error = errno;
    }
    if (!good) {
        fault_set(why, "%s: cannot write: %s, expected room for the whole file", file->target, strerror(error ? error : EIO));
    }
    if (file->temporary) {
        if (!good && !file->kept) {
            kdr_file_remove(file->temporary);
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
        kdr_file_remove(file->temporary);
        watch(file->temporary, NULL);
    }
    release(file);
}

/* Returns the name in a path, and looks at the folder that it is in. */
static const char *folder_of(const char *path, kdr_file_info *folder) {
    char text[4096];
    const size_t length = kdr_file_folder(path);
    snprintf(text, sizeof text, "%.*s", length ? (int)length : 1, length ? path : ".");
    return kdr_file_look(text, folder) ? path + length : NULL;
}

bool outfile_is_same(const char *a, const char *b) {
    kdr_file_info of_a, of_b;
    const bool has_a = kdr_file_look(a, &of_a), has_b = kdr_file_look(b, &of_b);
    if (strcmp(a, b) == 0 || has_a != has_b) {
        return strcmp(a, b) == 0;
    }
    if (has_a) { /* both may be the same terminal */
        return of_a.is_regular && kdr_file_is_one(&of_a, &of_b);
    }
    const char *const name_a = folder_of(a, &of_a), *const name_b = folder_of(b, &of_b);
    return name_a && name_b && strcmp(name_a, name_b) == 0 && kdr_file_is_one(&of_a, &of_b);
}

/* Adds the bytes of the file up to `size` to the checksum. */
static bool sum_up(outfile *file, int descriptor, uint64_t size) {
    char buffer[1 << 16];
    while (file->summed < size) {
        const uint64_t left = size - file->summed;
        const ptrdiff_t got = kdr_file_get(descriptor, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer, file->summed);
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
    const bool written = fflush(file->stream) == 0 && kdr_file_flush(descriptor);
    const int64_t size = written ? ftello(file->stream) : -1;
    if (size < 0 || !(file->sum || begin_sum(file)) || !sum_up(file, descriptor, (uint64_t)size)) {
        return fault_set(why, "%s: cannot write: %s, expected room for the whole file", file->target, strerror(errno));
    }
    snprintf(mark->part, sizeof mark->part, "%s", file->temporary + kdr_file_folder(file->temporary));
    mark->size = (uint64_t)size;
    mark->sum = XXH64_digest(file->sum);
    file->kept = true;
    watch(file->temporary, NULL);
    return true;
}

/* Opens what was written: the temporary file, or the target if the former has been renamed. */
static int open_written(const outfile *file, bool *is_part) {
    int descriptor = kdr_file_open(file->temporary, KDR_FILE_UPDATE);
    *is_part = descriptor >= 0;
    if (!*is_part && errno == ENOENT) {
        descriptor = kdr_file_open(file->target, KDR_FILE_READ);
    }
    return descriptor;
}

/* Makes a new temporary file with the bytes of `from` that the checksum covers. */
static int copy_written(outfile *file, int from) {
    const size_t room = strlen(file->target) + 48;
    char *const name = realloc(file->temporary, room), buffer[1 << 16];
    file->temporary = name ? name : file->temporary;
    const int to = name ? open_part(file, room) : -1;
    for (uint64_t done = 0; to >= 0 && done < file->summed;) {
        const uint64_t left = file->summed - done;
        const ptrdiff_t got = kdr_file_get(from, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer, done);
        if (got <= 0 || !kdr_file_put(to, buffer, (size_t)got, done)) {
            kdr_file_remove(file->temporary);
            kdr_file_close(to);
            return -1;
        }
        done += (uint64_t)got;
    }
    return to;
}

static bool resume_failed(outfile *file, int descriptor, fault *why, const char *message) {
    fault_set(why, "%s: %s", file->target, message);
    if (descriptor >= 0) {
        kdr_file_close(descriptor);
    }
    release(file);
    return false;
}

/* Sets the names of the target and of the temporary file in the mark. */
static bool name_written(outfile *file, const char *path, const outfile_mark *mark) {
    kdr_file_info written;
    *file = (outfile){.kept = true};
    file->target = kdr_file_look(path, &written) ? kdr_file_resolve(path) : strdup(path);
    const int folder = file->target ? (int)kdr_file_folder(file->target) : 0;
    if (!file->target || asprintf(&file->temporary, "%.*s%s", folder, file->target, mark->part) < 0) {
        file->temporary = NULL;
        return false;
    }
    return true; // NOLINT(clang-analyzer-unix.Malloc): release() frees the names
}

/* Returns true if the bytes before the mark have the checksum of the mark. */
static bool is_as_marked(outfile *file, int descriptor, const outfile_mark *mark) {
    return sum_up(file, descriptor, mark->size) && XXH64_digest(file->sum) == mark->sum;
}

bool outfile_has_ended(const char *path, const outfile_mark *mark) {
    outfile file = {.kept = true};
    bool is_part = true;
    const int descriptor = *mark->part && name_written(&file, path, mark) && begin_sum(&file) ? open_written(&file, &is_part) : -1;
    const bool ended = descriptor >= 0 && !is_part && (mark->is_whole || is_as_marked(&file, descriptor, mark));
    if (descriptor >= 0) {
        kdr_file_close(descriptor);
    }
    release(&file);
    return ended;
}

bool outfile_resume(outfile *file, const char *path, const outfile_mark *mark, fault *why) {
    bool is_part;
    if (!*mark->part) {
        return outfile_open(file, path, why);
    }
    kdr_file_info written;
    if (!(name_written(file, path, mark) && begin_sum(file))) {
        return resume_failed(file, -1, why, "no memory for its name");
    }
    int descriptor = open_written(file, &is_part);
    if (descriptor < 0) {
        return resume_failed(file, -1, why, "what was written of it before is not there, expected the file or its .part file");
    }
    if (is_part && !kdr_file_lock(descriptor, false)) {
        return resume_failed(file, descriptor, why, "another process writes it, expected its run to have ended");
    }
    if (mark->is_whole) {
        file->summed = kdr_file_look_at(descriptor, &written) ? written.size : 0;
    } else if (!is_as_marked(file, descriptor, mark)) {
        return resume_failed(file, descriptor, why, "what was written of it before has changed, expected it as the run left it");
    }
    if (!is_part) {
        const int from = descriptor;
        descriptor = copy_written(file, from);
        kdr_file_close(from);
    }
    if (descriptor < 0 || (!mark->is_whole && !kdr_file_cut(descriptor, mark->size)) || !(file->stream = kdr_file_stream_of(descriptor))) {
        return resume_failed(file, descriptor, why, "cannot be written, expected a file that can");
    }
    return true;
}
