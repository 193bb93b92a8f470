/* Files written beside their target and renamed over it. */
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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
    *file = (outfile){0};
}

static bool open_failed(outfile *file, const char *path, fault *why) {
    const int error = errno;
    release(file);
    return fault_set(why, "%s: cannot open for writing: %s, expected a file that can be written", path, strerror(error));
}

/* A temporary file of the mode that the target has, or that a new file would have. */
static bool open_beside(outfile *file, mode_t mode, bool exists) {
    const size_t size = strlen(file->target) + 32;
    file->temporary = malloc(size);
    if (!file->temporary) {
        return false;
    }
    snprintf(file->temporary, size, "%s.%ld.part", file->target, (long)getpid());
    const int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        return false;
    }
    watch(NULL, file->temporary);
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
        if (!good) {
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
    if (file->temporary) {
        unlink(file->temporary);
        watch(file->temporary, NULL);
    }
    release(file);
}
