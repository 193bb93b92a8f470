/* A file that replaces another is flushed to disk before it gets the name, and its folder after. It has the permissions of the old one. */
#include <kickdrift/io.h>

#include "scenes_program.h"
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

/* Calls in order: f flushes a file, r renames it, d flushes a folder. */
static char done[32];

static void note(char what) {
    const size_t length = strlen(done);
    if (length + 1 < sizeof done) {
        done[length] = what, done[length + 1] = 0;
    }
}

static void note_flush(int descriptor) {
    struct stat status;
    cr_assert(fstat(descriptor, &status) == 0);
    note(S_ISDIR(status.st_mode) ? 'd' : 'f');
}

int __real_fsync(int descriptor);
int __real_fdatasync(int descriptor);
int __real_rename(const char *from, const char *to);
int __wrap_fsync(int descriptor);
int __wrap_fdatasync(int descriptor);
int __wrap_rename(const char *from, const char *to);

int __wrap_fsync(int descriptor) {
    note_flush(descriptor);
    return __real_fsync(descriptor);
}

int __wrap_fdatasync(int descriptor) {
    note_flush(descriptor);
    return __real_fdatasync(descriptor);
}

int __wrap_rename(const char *from, const char *to) {
    note('r');
    return __real_rename(from, to);
}

static unsigned mode_of(const char *path) {
    struct stat status;
    cr_assert(stat(path, &status) == 0, "%s", path);
    return status.st_mode & 0777;
}

Test(durable, a_checkpoint_is_on_the_disk_before_it_has_its_name) {
    program p = program_begin(); /* makes a folder for the test */
    char path[128];
    kdr_particles particles = make_particles(100, 3, KDR_F64, false, false);
    const kdr_clock clock = {0, 0.5, 3};
    static const unsigned modes[] = {0600, 0640, 0444};
    kdr_error error;
    snprintf(path, sizeof path, "%s/run.checkpoint", p.folder);
    for (size_t n = 0; n < sizeof modes / sizeof *modes; ++n) {
        done[0] = 0;
        cr_assert(kdr_checkpoint_write(path, NULL, &particles, &clock, NULL, 0, &error) == KDR_OK, "%s", error.message);
        cr_expect(strcmp(done, "frd") == 0, "flushes and renames: %s, expected frd", done);
        cr_expect(n == 0 || mode_of(path) == modes[n - 1], "mode %o, expected %o", mode_of(path), modes[n ? n - 1 : 0]);
        cr_assert(chmod(path, modes[n]) == 0);
    }
    kdr_particles_destroy(&particles);
    program_end(&p);
}

/* Checks every kind of file that the program writes in place of another. */
Test(durable, outputs_can_be_read_by_whom_those_before_could) {
    static const char *const files[] = {"end.csv", "frames.csv", "run.checkpoint", "events.csv"};
    program p = program_begin();
    char path[128];
    program_write_text(&p, "scene.yaml",
                       "particles: {state: [{x: [1, 0, 0], v: [0, 1, 0]}]}\nforces: [spring: {k: 1}]\nmethod: rk4\ndt: 0.125\nsteps: 40\n"
                       "output: {file: frames.csv}\ncheckpoint: {file: run.checkpoint}\nwatch: [plane: {normal: [1, 0, 0]}]\n"
                       "events: {file: events.csv}\n");
    for (int run = 0; run < 2; ++run) {
        program_run(&p, "run", "scene.yaml", "--out", "end.csv", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        for (size_t n = 0; n < sizeof files / sizeof *files; ++n) {
            snprintf(path, sizeof path, "%s/%s", p.folder, files[n]);
            cr_expect(run == 0 || mode_of(path) == 0600, "%s has the mode %o, expected 600", files[n], mode_of(path));
            cr_assert(chmod(path, 0600) == 0);
        }
    }
    program_end(&p);
}
