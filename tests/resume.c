/* Runs that are interrupted anywhere, any number of times, by any signal, and continued on other backends and numbers of threads, end with
 * the files and the results of the unbroken run. */
#include "scenes_program.h"

#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLOUD                                                                                                                              \
    "particles: {random: {count: 150, seed: 3, position: {ball: {at: [0, 0, 0], radius: 1}}, velocity: {point: [0, 0.3, 0.1]}, "           \
    "mass: {uniform: [1, 2]}}}\n"
#define FILES "report: 7000\noutput: {file: out.csv, every: 3000}\n"

/* The scenes differ in what they carry: masses and a drive; compensation and memory; noise; bounces and the energy they took; estimates;
 * nonconverged equations. */
static const struct {
    const char *scene, *option;
} runs[] = {
    {CLOUD "forces: [spring: {k: 2}, quadratic-drag: {c: 0.01}, driven: {a: [1, 0, 0], omega: 2}]\nmethod: rk4\ndt: 0.001\nsteps: 40000\n"
           "checkpoint: {file: run.checkpoint, every: 1000}\n" FILES,
     NULL},
    {CLOUD "forces: [spring: {k: {each: [", NULL}, /* the test adds one number per particle */
    {CLOUD
     "forces: [spring: {k: 2}, spring: {k: 1, at: start}]\nmethod: baoab\nlangevin: {friction: 0.5, temperature: 1, seed: 5}\ndt: 0.001\n"
     "step: 17\nsteps: 30000\ncheckpoint: {file: run.checkpoint, every: 0.02 s}\n" FILES,
     NULL},
    {CLOUD
     "forces: [uniform-acceleration: {a: [0, 0, -9.81]}]\ncolliders: [sphere: {at: [0, 0, 0], radius: 2, inside: true, restitution: 0.9, "
     "friction: 0.1}]\nmethod: velocity-verlet\nreal: f32\ncompensated: true\ndt: 0.001\nsteps: 60000\n"
     "watch: [plane: {point: [0, 0, -1], normal: [0, 0, 1], crossing: falling}]\nevents: {file: events.csv}\ncontacts: {file: "
     "contacts.csv}\n"
     "checkpoint: {file: run.checkpoint, every: 777}\n" FILES,
     NULL},
    {CLOUD "forces: [centre: {mu: 1, softening: 0.3}]\nmethod: dopri-5\ndt: 0.001\nsteps: 20000\ncheckpoint: {file: run.checkpoint}\n"
           "output: {file: out.csv, times: [0.0013, 3.3, 7, 7.00001, 15.15, 19.99999, 20]}\nreport: 3000\n",
     "--error"},
    /* In these scenes particles interact: masses, memory and absorption; springs, bounces and compensation; rods; noise. */
    {CLOUD "forces: [spring: {k: 1}]\ninteractions: [gravity: {g: 0.01, softening: 0.1, sources: 40}]\nmethod: velocity-verlet\ndt: 0.001\n"
           "boundary: {absorbing: {min: [-1, -1, -1], max: [1, 1, 1]}}\n"
           "steps: 20000\ncheckpoint: {file: run.checkpoint, every: 1000}\n" FILES,
     NULL},
    {"particles: {grid: {size: [8, 7], at: [-1, -1, 1], along: [[0.25, 0, 0], [0, 0.25, 0.01]], held: [[0, 6]]}}\n"
     "forces: [uniform-acceleration: {a: [0, 0, -9.81]}]\ninteractions: [spring-lattice: {grid: [8, 7], k: 500, diagonal: 100, bend: 3, "
     "damping: 0.3}]\n"
     "colliders: [sphere: {radius: 0.7, restitution: 0.5, sliding: 0.1, static: 0.2}]\nreal: f32\ncompensated: true\n"
     "method: velocity-verlet\ndt: 0.001\nsteps: 40000\ncheckpoint: {file: run.checkpoint, every: 777}\n" FILES,
     NULL},
    {"particles: {grid: {size: [9], along: [[0.25, 0, 0]], held: [[0]]}}\nforces: [uniform-acceleration: {a: [0, 0, -9.81]}]\n"
     "distances: {rods: [{grid: [9]}], relaxation: 1.4}\nmethod: velocity-verlet\ndt: 0.0005\nsteps: 15000\n"
     "checkpoint: {file: run.checkpoint, every: 0.01 s}\n" FILES,
     NULL},
    {CLOUD "forces: [spring: {k: 2}]\ninteractions: [springs: {between: [[0, 1], [1, 2], [149, 3]], k: 5}]\nmethod: baoab\n"
           "langevin: {friction: 0.5, temperature: 1, seed: 5}\ndt: 0.001\nstep: 17\nsteps: 30000\n"
           "checkpoint: {file: run.checkpoint, every: 0.02 s}\n" FILES,
     NULL},
    {CLOUD "forces: [centre: {mu: 90, softening: 0.01}]\nmethod: implicit-midpoint\ndt: 0.02\nsteps: 150000\n"
           "checkpoint: {file: run.checkpoint, every: 5000}\noutput: {file: out.csv, every: 13000}\nreport: 11100\n",
     NULL},
    /* This scene has image counts. */
    {CLOUD "forces: [uniform-acceleration: {a: [0.5, 0, -2]}]\nboundary: {periodic: {min: [-1, -1, -1], max: [1, 1, 1]}}\n"
           "method: velocity-verlet\ndt: 0.001\nsteps: 60000\ncheckpoint: {file: run.checkpoint, every: 1000}\n" FILES,
     NULL},
    {CLOUD "forces: [spring: {k: 2}]\nboundary: {periodic: {min: [-0.5, -0.5, -0.5], max: [0.5, 0.75, 0.5]}}\n"
           "method: velocity-verlet\nreal: f32\ndt: 0.001\nsteps: 60000\ncheckpoint: {file: run.checkpoint, every: 1000}\n"
           "output: {file: out.h5, times: [0.0013, 3.3, 7, 15.15, 59.99999, 60]}\nreport: 7000\n",
     NULL},
};
/* The last scene needs HDF5. */
enum { RUNS = sizeof runs / sizeof runs[0] - !KDR_HAVE_HDF5 };

static void write_scene(const program *p, int n) {
    char each[2048] = "";
    size_t used = 0;
    if (n != 1) {
        program_write_text(p, "scene.yaml", runs[n].scene);
        return;
    }
    char *text;
    for (int i = 0; i < 150; ++i) {
        used += (size_t)snprintf(each + used, sizeof each - used, "%s%d", i ? ", " : "", 1 + i % 5);
    }
    cr_assert(asprintf(&text,
                       "%s%s]}}, drag: {b: 0.01}]\nmethod: velocity-verlet\ndt: 0.001\nsteps: 50000\n"
                       "checkpoint: {file: run.checkpoint, every: 0.01 s}\n" FILES,
                       runs[n].scene, each) > 0);
    program_write_text(p, "scene.yaml", text);
    free(text);
}

/* Removes from the JSON of the results what depends on the machine, and the evaluations: baoab makes one more whenever it begins anew. */
static void strip(char *text) {
    static const char *const machine[] = {"second", "evaluations", "\"backend\"", "\"threads\""};
    char *to = text;
    for (char *line = text; *line;) {
        char *const end = strchr(line, '\n') ? strchr(line, '\n') + 1 : line + strlen(line);
        bool keep = true;
        for (size_t i = 0; i < sizeof machine / sizeof machine[0]; ++i) {
            const char *const found = strstr(line, machine[i]);
            keep = keep && !(found && found < end);
        }
        const size_t length = (size_t)(end - line);
        if (keep) {
            memmove(to, line, length);
            to += length;
        }
        line = end;
    }
    *to = '\0';
}

/* Starts the program and sends the signal after some microseconds. Returns the status of waitpid. */
static int start_and_stop(program *p, char **arguments, useconds_t after, int number) {
    char path[2][128];
    snprintf(path[0], sizeof path[0], "%s/stdout", p->folder);
    snprintf(path[1], sizeof path[1], "%s/stderr", p->folder);
    const int out = open(path[0], O_WRONLY | O_CREAT | O_TRUNC, 0666), err = open(path[1], O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const pid_t child = fork();
    cr_assert(child >= 0 && out >= 0 && err >= 0);
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        signal(SIGINT, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        if (chdir(p->folder) == 0) {
            execv(KDR_PROGRAM, arguments);
        }
        _exit(127);
    }
    int status;
    usleep(after);
    kill(child, number);
    close(out);
    close(err);
    cr_assert(waitpid(child, &status, 0) == child && !(WIFEXITED(status) && WEXITSTATUS(status) == 127));
    return status;
}

/* Clears the folder. Parts of killed processes that no checkpoint refers to do not matter, and are not checked. */
static void remove_all(program *p) {
    program_end(p);
    *p = program_begin();
}

typedef struct tally {
    int begun, interrupted, resumed;
} tally;

/* Returns the frames as text, of any kind, followed by events and contacts. */
static char *frames_of(program *p) {
    static const char *const names[] = {"out.csv", "events.csv", "contacts.csv"};
    if (program_has(p, "out.h5")) {
        program_run(p, "convert", "out.h5", "out.csv", NULL);
        cr_assert(p->status == 0, "%s", p->err);
    }
    char *all = strdup("");
    for (int i = 0; i < 3; ++i) {
        char *const text = i == 0 || program_has(p, names[i]) ? program_read(p, names[i]) : strdup(""), *both;
        cr_assert(asprintf(&both, "%s%s", all, text) >= 0);
        free(text);
        free(all);
        all = both;
    }
    return all;
}

/* Takes one run to its end, interrupting it again and again. */
static void run_to_the_end(program *p, int n, uint64_t *seed, tally *count) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGKILL};
    for (int tries = 0;; ++tries) {
        cr_assert(tries < 200, "it goes on for ever");
        char name[] = "kickdrift", run[] = "run", scene[] = "scene.yaml", out[] = "--out", file[] = "state.csv", json[] = "--json";
        char resume[] = "resume", checkpoint[] = "run.checkpoint", threads[] = "--threads", number[8], backend[] = "--backend",
             set[32] = "auto";
        char option[16];
        snprintf(number, sizeof number, "%d", 1 + (int)(random_bits(seed) % 4));
        kdr_backend_info info;
        const kdr_backend drawn = (kdr_backend)(1 + random_bits(seed) % KDR_BACKEND_LAST);
        if (kdr_backend_query(drawn, &info) == KDR_OK && info.runnable) {
            snprintf(set, sizeof set, "%s", info.name);
        }
        snprintf(option, sizeof option, "%s", runs[n].option ? runs[n].option : json);
        char *begin[] = {name, run, scene, json, threads, number, backend, set, out, file, option, NULL};
        char *go_on[] = {name, resume, checkpoint, json, threads, number, backend, set, NULL};
        const bool saved = program_has(p, "run.checkpoint");
        const int signal = signals[random_bits(seed) % 6];
        count->begun += !saved;
        count->resumed += saved;
        const unsigned longest =
            (SANITIZED ? 1200000U : 120000U) * (1U + (unsigned)tries / 20U); /* long enough for a slow one to reach a checkpoint */
        const int status = start_and_stop(p, saved ? go_on : begin, (useconds_t)(random_bits(seed) % longest), signal);
        if (WIFEXITED(status)) {
            return;
        }
        ++count->interrupted;
        char *const said = program_read(p, "stderr");
        cr_expect(signal == SIGKILL || !program_has(p, "run.checkpoint") || WTERMSIG(status) != signal || !strstr(said, "stopped by") ||
                      strstr(said, "kickdrift resume run.checkpoint"),
                  "%s", said);
        free(said);
    }
}

Test(resume, interrupted_anywhere, .timeout = 900) {
    enum { TIMES = SANITIZED ? RUNS : 2 * RUNS };
    uint64_t seed = test_seed();
    tally count = {0};
    for (int n = 0; n < RUNS; ++n) {
        program p = program_begin();
        write_scene(&p, n);
        program_run(&p, "run", "scene.yaml", "--json", "--out", "state.csv", runs[n].option ? runs[n].option : "--json", NULL);
        cr_assert(p.status <= 1 && *p.out, "%d: %s", n, p.err);
        char *const results = strdup(p.out), *const last = program_read(&p, "state.csv"), *const frames = frames_of(&p);
        strip(results);
        for (int k = 0; k < TIMES; k += RUNS) {
            remove_all(&p);
            write_scene(&p, n);
            run_to_the_end(&p, n, &seed, &count);
            char *const other_frames = frames_of(&p), *const other_state = program_read(&p, "state.csv");
            char *const other = program_read(&p, "stdout");
            strip(other);
            cr_expect(strcmp(frames, other_frames) == 0, "run %d: the frames differ", n);
            cr_expect(strcmp(last, other_state) == 0, "run %d: the states differ", n);
            cr_expect(strcmp(results, other) == 0, "run %d: %s\n%s", n, results, other);
            free(other_frames);
            free(other_state);
            free(other);
        }
        free(frames);
        free(last);
        free(results);
        program_end(&p);
    }
    fprintf(stderr, "%d begun, %d interrupted, %d gone on with\n", count.begun, count.interrupted, count.resumed);
    cr_expect(count.resumed >= TIMES, "most are interrupted");
}

/* Checks the message of an interrupted run, what it leaves, and what it refuses. */
Test(resume, says_what_to_do) {
    program p = program_begin();
    char name[] = "kickdrift", run[] = "run", scene[] = "the scene.yaml";
    char *arguments[] = {name, run, scene, NULL};
    program_write_text(&p, "the scene.yaml",
                       CLOUD "forces: [spring: {k: 2}]\nmethod: rk4\ndt: 0.001\nsteps: 1e9\noutput: {file: out.csv, every: 1000}\n");
    const int status = start_and_stop(&p, arguments, 1500000, SIGTERM);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    char *const said = program_read(&p, "stderr");
    cr_expect(strncmp(said, "kickdrift: stopped by SIGTERM at step ", 38) == 0, "%s", said);
    cr_expect(strstr(said, " of 1000000000; to go on: kickdrift resume 'the scene.checkpoint'\n"), "%s", said);
    free(said);
    cr_expect(!program_has(&p, "out.csv"));

    program_run(&p, "resume", "the scene.checkpoint", "--steps", "1", NULL);
    program_refused(&p, "too few steps", "resume: --steps: the run has taken ", "expected at least as many");
    program_run(&p, "resume", "the scene.yaml", NULL);
    program_refused(&p, "no checkpoint", "the scene.yaml: ", "not a checkpoint");
    program_run(&p, "resume", "nowhere", NULL);
    program_refused(&p, "nothing", "nowhere: cannot open", "expected a checkpoint");
    program_write_text(&p, "cut", "\x89KDR");
    program_run(&p, "resume", "cut", NULL);
    program_refused(&p, "cut", "cut: ", "expected a whole checkpoint");
    program_run(&p, "resume", "the scene.checkpoint", "--backend", "none", NULL);
    program_refused(&p, "backend", "resume: --backend: ", "expected");
    program_end(&p);
}

#define SHORT CLOUD "forces: [spring: {k: 2}]\nmethod: velocity-verlet\ndt: 0.001\n"

/* A run that has ended continues with more steps, and its files are those of the longer run. */
Test(resume, goes_on_beyond_the_end) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml", SHORT "steps: 250\noutput: {file: out.csv, every: 100}\ncheckpoint: {file: c, every: 100}\n");
    program_run(&p, "run", "scene.yaml", "--steps", "520", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    char *const longer = program_read(&p, "out.csv");
    program_run(&p, "run", "scene.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    program_run(&p, "resume", "c", "--steps", "520", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    char *const gone_on = program_read(&p, "out.csv");
    cr_expect(strcmp(longer, gone_on) == 0);
    free(gone_on);

    /* If the frames have been changed since, the run does not continue. */
    longer[40] = longer[40] == '1' ? '2' : '1';
    program_write_text(&p, "out.csv", longer);
    program_run(&p, "resume", "c", "--steps", "600", NULL);
    program_refused(&p, "changed frames", "", "what was written of it before has changed");
    free(longer);
    program_end(&p);
}

static ino_t file_number(const program *p, const char *name) {
    char path[256];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return stat(path, &status) == 0 ? status.st_ino : 0;
}

/* When a run that has ended is resumed, it prints its results again and leaves its files as they are: no room for a copy is needed. */
Test(resume, a_run_that_has_ended_copies_nothing) {
    static const char *const names[] = {"out.csv", "out.xyz", "out.h5", "contacts.csv"};
    program p = program_begin();
    for (int n = 0; n < 2 + KDR_HAVE_HDF5; ++n) {
        char text[600];
        snprintf(text, sizeof text,
                 SHORT
                 "steps: 250\noutput: {file: %s, every: 100}\ncheckpoint: {file: c, every: 100}\ncolliders: [sphere: {radius: 1.1, inside: "
                 "true}]\ncontacts: {file: contacts.csv}\n",
                 names[n]);
        program_write_text(&p, "scene.yaml", text);
        program_run(&p, "run", "scene.yaml", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        const ino_t before[] = {file_number(&p, names[n]), file_number(&p, names[3])};
        char *const printed = strdup(strstr(p.out, "fingerprint"));
        program_run(&p, "resume", "c", NULL);
        cr_assert(p.status == 0 && strncmp(strstr(p.out, "fingerprint"), printed, 28) == 0, "%s", p.err);
        cr_expect(before[0] != 0 && file_number(&p, names[n]) == before[0] && file_number(&p, names[3]) == before[1], "%s", names[n]);
        free(printed);
    }
    program_end(&p);
}

/* If there is no room for the frames, the message has the command that continues from the latest checkpoint, and that command works. */
Test(resume, a_full_disk_says_how_to_go_on) {
    program p = program_begin();
    program_write_text(&p, "scene.yaml", SHORT "steps: 4000\noutput: {file: out.csv, every: 20}\ncheckpoint: {file: c, every: 500}\n");
    struct rlimit whole, small = {1500000, 1500000};
    cr_assert(getrlimit(RLIMIT_FSIZE, &whole) == 0);
    small.rlim_max = whole.rlim_max;
    cr_assert(setrlimit(RLIMIT_FSIZE, &small) == 0);
    program_run(&p, "run", "scene.yaml", NULL);
    cr_assert(setrlimit(RLIMIT_FSIZE, &whole) == 0);
    program_refused(&p, "no room", "out.csv: cannot write: File too large", "expected room for the whole file; to go on from step ");
    cr_expect(strstr(p.err, ": kickdrift resume c\n") && !program_has(&p, "out.csv"), "%s", p.err);
    program_run(&p, "resume", "c", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    char *const gone_on = program_read(&p, "out.csv");
    remove_all(&p);
    program_write_text(&p, "scene.yaml", SHORT "steps: 4000\noutput: {file: out.csv, every: 20}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    char *const unbroken = program_read(&p, "out.csv");
    cr_expect(strcmp(gone_on, unbroken) == 0);
    free(unbroken);
    free(gone_on);
    program_end(&p);
}

/* The files that the scene names must not have changed. */
Test(resume, holds_files_to_what_they_were) {
    program p = program_begin();
    program_write_text(&p, "p.csv", "x,y,z,vx,vy,vz,mass,k\n1,2,3,0,0,0,2,5\n");
    program_write_text(&p, "scene.yaml",
                       "particles: {file: p.csv}\nforces: [spring: {k: {column: k}}]\nmethod: rk4\ndt: 0.1\nsteps: 5\n"
                       "checkpoint: {file: c}\n");
    program_run(&p, "run", "scene.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    program_write_text(&p, "p.csv", "x,y,z,vx,vy,vz,mass,k\n9,9,9,9,9,9,2,5\n"); /* positions come from the checkpoint, not from here */
    program_write_text(&p, "scene.yaml", "gone: true\n");                        /* the scene comes from the checkpoint too */
    program_run(&p, "resume", "c", NULL);
    cr_expect(p.status == 0, "%s", p.err);
    program_write_text(&p, "p.csv", "x,y,z,vx,vy,vz,mass,k\n1,2,3,0,0,0,2,6\n");
    program_run(&p, "resume", "c", NULL);
    program_refused(&p, "another k", "c: checkpoint: it is of another description", "has changed");
    program_write_text(&p, "p.csv", "x,y,z,vx,vy,vz,mass,k\n1,2,3,0,0,0,3,5\n");
    program_run(&p, "resume", "c", NULL);
    program_refused(&p, "another mass", "c: checkpoint: inverse_mass", "has changed");
    program_end(&p);
}

/* A scene may begin at a later step: a state that was written then continues unchanged, because the time and the noise follow the step. */
Test(resume, scenes_begin_at_a_step) {
    program p = program_begin();
    char whole[4096];
#define BATH "forces: [spring: {k: 2}]\nmethod: baoab\nlangevin: {friction: 0.5, temperature: 1, seed: 5}\ndt: 0.01\nt0: 1\n"
    program_write_text(&p, "whole.yaml",
                       "particles: {state: [{x: [1, 2, 3], v: [0, 0, 0], mass: 3}, {x: [1, 0, 3], v: [0, 1, 0], mass: 0.7}]}\n" BATH
                       "steps: 30\n");
    program_run(&p, "run", "whole.yaml", "--out", "whole.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    program_run(&p, "run", "whole.yaml", "--out", "half.csv", "--steps", "13", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    program_write_text(&p, "rest.yaml", "particles: {file: half.csv}\n" BATH "step: 13\nsteps: 17\n");
    program_run(&p, "run", "rest.yaml", "--out", "rest.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    char *const one = program_read(&p, "whole.csv"), *const other = program_read(&p, "rest.csv");
    cr_expect(strcmp(one, other) == 0 && strstr(one, "vz,mass\n") && strstr(one, ",3\n"), "%s\n%s", one, other);
    free(one);
    free(other);
    snprintf(whole, sizeof whole, "%s", "particles: {state: []}\nforces: []\nmethod: rk4\ndt: 1\nstep: 9007199254740992\nsteps: 1\n");
    program_write_text(&p, "late.yaml", whole);
    program_run(&p, "run", "late.yaml", NULL);
    program_refused(&p, "too late", "late.yaml:5: step and steps add up to", "2^53");
    program_end(&p);
}
