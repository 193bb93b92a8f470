/* A refused call changes nothing: for every public function that can fail and every mistake of a list, all arguments and outputs keep every
 * byte (kickdrift.h: "leaves its outputs untouched on failure"). */
#include "refusals/refusals.h"

#include <dirent.h>
#include <unistd.h>

#include "files.h"

static world now, before;

/* fsync does nothing here: thousands of files are written, and none of them must survive a loss of power. */
int __wrap_fsync(int descriptor);
int __wrap_fdatasync(int descriptor);
int __wrap_fsync(int descriptor) {
    (void)descriptor;
    return 0;
}
int __wrap_fdatasync(int descriptor) {
    (void)descriptor;
    return 0;
}

/* Makes a folder, in memory if the system has such a file system, which is ten times as fast as a disk. */
static void begin(void) {
    if (!mkdtemp(refusals_folder)) {
        strcpy(refusals_folder, "/tmp/kickdrift-test-XXXXXX");
        cr_assert(mkdtemp(refusals_folder));
    }
}

static void end(void) {
    char command[FILE_NAME];
    snprintf(command, sizeof command, "rm -r %s", refusals_folder);
    cr_expect(system(command) == 0);
}

TestSuite(refusals, .init = begin, .fini = end, .timeout = 120);

/* Returns the first byte at which the worlds differ, or -1. */
static long changed(const world *a, const world *b) {
    const unsigned char *const one = (const unsigned char *)a, *const other = (const unsigned char *)b;
    if (memcmp(a, b, sizeof *a) == 0) {
        return -1;
    }
    long at = 0;
    while (one[at] == other[at]) {
        ++at;
    }
    return at;
}

typedef struct handles {
    uint64_t integrator, system;
    unsigned char *file;
    size_t size;
} handles;

static handles look_at_handles(const world *w, unsigned needs) {
    handles seen = {kdr_integrator_digest(w->integrator), kdr_system_digest(w->system), NULL, 0};
    if (needs & NEEDS_FILE && access(w->path, F_OK) == 0) {
        seen.file = read_whole(w->path, &seen.size);
    }
    return seen;
}

/* Makes one call with a spoiled world, with and without an error to fill. Returns true if it was refused. */
static bool refused(const refusal_row *row, int number, const char **said) {
    kdr_error error = {KDR_OK, ""};
    world_make(&now, row->needs);
    *said = world_spoil(&now, number);
    if (!*said) {
        world_free(&now);
        return false;
    }
    memcpy(&before, &now, sizeof now);
    const handles were = look_at_handles(&before, row->needs);
    const kdr_status status = row->call(&now, &error);
    if (status != KDR_OK) {
        const handles are = look_at_handles(&before, row->needs);
        cr_expect(changed(&now, &before) < 0, "%s, %s: %s, byte %ld of the arguments has changed", row->name, *said, error.message,
                  changed(&now, &before));
        cr_expect(row->no_error || one_line(&error, status), "%s, %s: '%s'", row->name, *said, error.message);
        cr_expect(are.integrator == were.integrator && are.system == were.system, "%s, %s: another description", row->name, *said);
        cr_expect(are.size == were.size && (!were.file || memcmp(are.file, were.file, are.size) == 0), "%s, %s: another file", row->name,
                  *said);
        memcpy(&now, &before, sizeof now);
        cr_expect(row->call(&now, NULL) == status, "%s, %s: another status without an error", row->name, *said);
        cr_expect(changed(&now, &before) < 0, "%s, %s: without an error byte %ld has changed", row->name, *said, changed(&now, &before));
        memcpy(&now, &before, sizeof now);
        free(are.file);
    }
    free(were.file);
    world_free(&now);
    return status != KDR_OK;
}

static void refuse_all(const refusal_row *rows) {
    for (const refusal_row *row = rows; row->name; ++row) {
        int refusals = 0, number = 0;
        const char *said = "";
        for (; said; ++number) {
            refusals += refused(row, number, &said);
        }
        fprintf(stderr, "%s: %d of %d refused\n", row->name, refusals, number - 1);
        cr_expect(refusals > 0 && number > 100, "%s: %d of %d refused", row->name, refusals, number);
    }
}

Test(refusals, a_refused_call_changes_nothing) { refuse_all(refusal_calls); }

Test(refusals, a_refused_call_of_a_file_changes_nothing) { refuse_all(refusal_calls_of_files); }

static bool has_row(const char *name) {
    /* This function frees its argument, and fails only for reasons of the disk. */
    bool found = strcmp(name, "kdr_trajectory_close") == 0;
    for (int list = 0; list < 2; ++list) {
        for (const refusal_row *row = list ? refusal_calls_of_files : refusal_calls; row->name; ++row) {
            found = found || strcmp(row->name, name) == 0;
        }
    }
    return found;
}

/* Counts the functions of a header that return a status. */
static int look_through(const char *header) {
    static const char begins[] = "KDR_API kdr_status ";
    char path[512], name[64];
    int functions = 0;
    size_t size;
    snprintf(path, sizeof path, "%s/include/kickdrift/%s", KDR_SOURCE_DIR, header);
    char *const text = (char *)read_whole(path, &size);
    text[size] = 0;
    for (const char *at = strstr(text, begins); at; at = strstr(at, begins)) {
        at += sizeof begins - 1;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "("), at);
        ++functions;
        cr_expect(has_row(name), "%s: %s can fail, and is in no table of calls", header, name);
    }
    free(text);
    return functions;
}

Test(refusals, every_function_that_can_fail_is_in_a_table) {
    DIR *const headers = opendir(KDR_SOURCE_DIR "/include/kickdrift");
    int functions = 0;
    cr_assert(headers);
    for (const struct dirent *entry = readdir(headers); entry; entry = readdir(headers)) {
        /* Refusals of functions for ranks are tested in tests/ranks_job.c, which runs as an MPI job. */
        if (strlen(entry->d_name) > 2 && entry->d_name[0] != '.' && strcmp(entry->d_name, "mpi.h") != 0) {
            functions += look_through(entry->d_name);
        }
    }
    closedir(headers);
    int rows = 1; /* one for kdr_trajectory_close */
    for (int list = 0; list < 2; ++list) {
        for (const refusal_row *row = list ? refusal_calls_of_files : refusal_calls; row->name; ++row) {
            ++rows;
        }
    }
    cr_expect(functions == rows, "%d functions, %d rows", functions, rows);
}
