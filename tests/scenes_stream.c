/* Scenes whose particles are in a stream have the bits of the run in memory, for any size of slices and any number of kills. Features that
 * such a scene cannot have are refused. */
#include "scenes_program.h"

#include "support.h"

#include <kickdrift/io.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLOUD(mass)                                                                                                                        \
    "particles: {random: {count: 3000, seed: 3, position: {ball: {at: [0, 0, 0], radius: 1}}, velocity: {point: [0, 0.3, 0.1]}" mass "}}"  \
    "\n"
#define MASSES ", mass: {uniform: [1, 2]}"
#define STREAM "stream: {file: p.checkpoint, memory: 7 KB}\n"

/* The scenes differ in what they carry: masses and memory; noise; bounces and compensation; equations that are solved. */
static const char *const scenes[] = {
    CLOUD(
        MASSES) "forces: [spring: {k: 2}, quadratic-drag: {c: 0.01}, driven: {a: [1, 0, 0], omega: 2}]\nmethod: velocity-verlet\nstep: 3\n"
                "dt: 0.001\nsteps: 3000\n",
    CLOUD(MASSES) "forces: [spring: {k: 2}]\nmethod: baoab\nlangevin: {friction: 0.5, temperature: 1, seed: 5}\nreal: f32\ndt: "
                  "0.001\nsteps: 1500\n",
    CLOUD("") "forces: [uniform-acceleration: {a: [0, 0, -9.81]}]\ncolliders: [sphere: {radius: 2, inside: true, restitution: 0.9}]\n"
              "method: velocity-verlet\nreal: f32\ncompensated: true\ndt: 0.001\nsteps: 1500\n",
    CLOUD("") "forces: [centre: {mu: 1, softening: 0.3}]\nmethod: implicit-midpoint\ndt: 0.01\nsteps: 200\n",
};
enum { SCENES_HERE = sizeof scenes / sizeof *scenes };

/* Writes the scene with its particles in a stream, and in memory. */
static void write_scenes(program *p, int n) {
    char *text;
    cr_assert(asprintf(&text, "%s" STREAM, scenes[n]) > 0);
    program_write_text(p, "stream.yaml", text);
    program_write_text(p, "memory.yaml", scenes[n]);
    free(text);
}

static kdr_checkpoint read_back(program *p, const char *name) {
    char path[128];
    kdr_checkpoint made;
    kdr_error error;
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    cr_assert(kdr_checkpoint_read(path, NULL, &made, &error) == KDR_OK, "%s", error.message);
    return made;
}

static void expect_same(program *p, const char *what) {
    kdr_checkpoint stream = read_back(p, "p.checkpoint"), memory = read_back(p, "m.checkpoint");
    const kdr_particles *const a = &stream.particles, *const b = &memory.particles;
    kdr_difference difference;
    kdr_error error;
    cr_assert(kdr_compare(a, b, &difference, &error) == KDR_OK, "%s", error.message);
    cr_expect(difference.mismatches == 0 && a->count == 3000, "%s: %zu elements differ", what, difference.mismatches);
    cr_expect(stream.clock.step == memory.clock.step && stream.clock.dt == memory.clock.dt && stream.description == memory.description);
    for (size_t i = 0; i < a->count && a->dissipated_energy[0]; ++i) {
        cr_assert(a->dissipated_energy[0][i] == b->dissipated_energy[0][i], "%s: dissipated_energy", what);
    }
    cr_expect(!a->compensation[0] == !b->compensation[0] && !a->nonconverged == !b->nonconverged);
    cr_expect(a->inverse_mass && b->inverse_mass ? memcmp(a->inverse_mass, b->inverse_mass, a->count * kdr_real_size(a->real)) == 0
                                                 : !a->inverse_mass && !b->inverse_mass);
    kdr_checkpoint_release(&stream);
    kdr_checkpoint_release(&memory);
}

Test(scenes_stream, has_the_bits_of_the_run_in_memory) {
    for (int n = 0; n < SCENES_HERE; ++n) {
        program p = program_begin();
        write_scenes(&p, n);
        program_run(&p, "run", "stream.yaml", NULL);
        cr_assert(p.status == 0 && strstr(p.out, "were done before"), "%s%s", p.out, p.err);
        program_run(&p, "run", "memory.yaml", "--checkpoint", "m.checkpoint", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        expect_same(&p, scenes[n]);
        /* The runs continue from their files. */
        program_run(&p, "run", "stream.yaml", "--steps", "3500", "--threads", "2", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        program_run(&p, "run", "memory.yaml", "--steps", "3500", "--checkpoint", "m.checkpoint", NULL);
        expect_same(&p, "further on");
        program_run(&p, "run", "stream.yaml", "--steps", "3500", "--json", NULL);
        cr_expect(p.status == 0 && strstr(p.out, "\"slices\": 0"), "nothing is left to do: %s", p.out);
        program_run(&p, "run", "stream.yaml", "--steps", "3499", NULL);
        program_refused(&p, "steps that are past", "stream.yaml: stream: last_step is", "expected one from");
        program_end(&p);
    }
}

/* Returns the line of the output that begins with `key`. */
static const char *line_of(const program *p, const char *key, char line[256]) {
    const char *const found = strstr(p->out, key);
    snprintf(line, 256, "%.*s", found ? (int)strcspn(found, "\n") : 0, found ? found : "");
    return line;
}

/* Sums over slices are those of all particles, to the last printed digit. */
Test(scenes_stream, tells_the_sums_of_all_slices) {
    static const char *const keys[] = {"energy  ", "dissipated  ", "momentum  "};
    for (int n = 0; n < SCENES_HERE; ++n) {
        program p = program_begin();
        char text[2048], streamed[3][256], whole[256];
        write_scenes(&p, n);
        snprintf(text, sizeof text, "%sstream: {file: p.checkpoint, memory: 82 KB, observe: true}\n", scenes[n]);
        program_write_text(&p, "stream.yaml", text);
        program_run(&p, "run", "stream.yaml", NULL);
        cr_assert(p.status == 0 && !strstr(p.out, " 1 slices"), "%s%s", p.out, p.err);
        for (int k = 0; k < 3; ++k) {
            line_of(&p, keys[k], streamed[k]);
        }
        program_run(&p, "run", "memory.yaml", NULL);
        for (int k = 0; k < 3; ++k) {
            line_of(&p, keys[k], whole);
            cr_expect(strcmp(streamed[k], whole) == 0 && (*whole || k == 1), "%s\n%s", streamed[k], whole);
        }
        /* In a run that continues from the file, the energy is that of its own beginning. A process that finds slices done has not seen all
         * of them, and prints no sums. */
        program_run(&p, "run", "stream.yaml", "--steps", "3100", "--json", NULL);
        cr_expect(p.status == 0 && strstr(p.out, "\"energy\"") && strstr(p.out, "\"angular_momentum\""), "%s", p.out);
        program_run(&p, "run", "stream.yaml", "--steps", "3100", NULL);
        cr_expect(p.status == 0 && strstr(p.out, "energy       not told"), "%s", p.out);
        program_end(&p);
    }
    program p = program_begin();
    char text[2048];
    snprintf(text, sizeof text, "%sstream: {file: p.checkpoint, memory: 7 KB, observe: true}\n", scenes[0]);
    program_write_text(&p, "stream.yaml", text);
    program_run(&p, "run", "stream.yaml", NULL);
    program_refused(&p, "slices of less than a block", "stream.yaml:7: stream: observe: slices have", "expected a memory for 1024");
    program_end(&p);
}

/* Particles from a .npy file, slice by slice, are those of the same file in memory. */
Test(scenes_stream, takes_the_rows_of_a_file) {
    static const char rest[] = "forces: [spring: {k: 2}, quadratic-drag: {c: 0.01}]\nmethod: velocity-verlet\ndt: 0.001\n";
    static const char stream[] = "particles: {file: cloud.npy}\nsteps: 50\n" STREAM;
    program p = program_begin();
    char text[1024], path[128];
    snprintf(text, sizeof text, "%s%ssteps: 3\noutput: {file: cloud.csv, every: 3}\n", CLOUD(MASSES), rest);
    program_write_text(&p, "make.yaml", text);
    program_run(&p, "run", "make.yaml", "--out", "end.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    program_run(&p, "convert", "end.csv", "cloud.npy", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    snprintf(text, sizeof text, "%s%s", stream, rest);
    program_write_text(&p, "stream.yaml", text);
    snprintf(text, sizeof text, "particles: {file: cloud.npy}\nsteps: 50\n%s", rest);
    program_write_text(&p, "memory.yaml", text);
    program_run(&p, "run", "stream.yaml", NULL);
    cr_assert(p.status == 0 && strstr(p.out, "were done before"), "%s%s", p.out, p.err);
    program_run(&p, "run", "memory.yaml", "--checkpoint", "m.checkpoint", "--out", "npy.csv", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    expect_same(&p, "rows of a file");
    snprintf(text, sizeof text, "particles: {file: end.csv}\nsteps: 50\n%s", rest);
    program_write_text(&p, "memory.yaml", text);
    program_run(&p, "run", "memory.yaml", "--out", "csv.csv", NULL);
    program_run(&p, "diff", "npy.csv", "csv.csv", NULL);
    cr_expect(p.status == 0, "the .npy file has other particles than the CSV file: %s", p.out);

    snprintf(path, sizeof path, "%s/p.checkpoint", p.folder);
    const struct {
        const char *npy, *csv, *begins, *holds;
    } wrong[] = {{"two.npy", "cloud.csv", "stream.yaml:1: particles.file: ", "expected one frame, found another from row 3000 on"},
                 {"ids.npy", "ids.csv",
                  "stream.yaml:1: particles.file: ", "expected ids 0, 1, ... in their order for particles in a stream, found 7"},
                 {"cloud.csv", NULL, "stream.yaml:1: particles.file: ", "expected a .npy file for particles in a stream"}};
    program_write_text(&p, "ids.csv", "id,x,y,z,vx,vy,vz\n7,0,0,0,0,0,0\n");
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        if (wrong[n].csv) {
            program_run(&p, "convert", wrong[n].csv, wrong[n].npy, NULL);
        }
        snprintf(text, sizeof text, "particles: {file: %s}\nsteps: 50\n%s%s", wrong[n].npy, STREAM, rest);
        program_write_text(&p, "stream.yaml", text);
        unlink(path);
        program_run(&p, "run", "stream.yaml", NULL);
        program_refused(&p, wrong[n].npy, wrong[n].begins, wrong[n].holds);
    }
    program_end(&p);
}

static pid_t start(const program *p) {
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        const int none = open("/dev/null", O_WRONLY);
        dup2(none, STDOUT_FILENO);
        dup2(none, STDERR_FILENO);
        if (chdir(p->folder) == 0) {
            execl(KDR_PROGRAM, KDR_PROGRAM, "run", "stream.yaml", (char *)NULL);
        }
        _exit(127);
    }
    return child;
}

/* Sends the signal, and returns the status of waitpid. */
static int stop(pid_t child, int number) {
    int status;
    kill(child, number);
    cr_assert(waitpid(child, &status, 0) == child && !(WIFEXITED(status) && WEXITSTATUS(status) == 127));
    return status;
}

Test(scenes_stream, goes_on_after_any_kill) {
    static const int signals[] = {SIGKILL, SIGTERM, SIGKILL, SIGINT, SIGHUP};
    int interrupted = 0;
    for (int n = 0; n < 2; ++n) {
        program p = program_begin();
        write_scenes(&p, n);
        bool ended = false;
        for (useconds_t after = 4000; !ended; after += 3000) {
            const int number = signals[interrupted % 5];
            const pid_t child = start(&p);
            usleep(after);
            const int status = stop(child, number);
            cr_assert(WIFSIGNALED(status) ? WTERMSIG(status) == number : WEXITSTATUS(status) == 0, "%d", status);
            interrupted += WIFSIGNALED(status);
            /* the file is there when it is complete, before the process ends */
            ended = WIFEXITED(status) || program_has(&p, "p.checkpoint");
        }
        program_run(&p, "run", "memory.yaml", "--checkpoint", "m.checkpoint", NULL);
        expect_same(&p, scenes[n]);
        cr_expect(!program_has(&p, "p.checkpoint.part"));
        program_end(&p);
    }
    cr_expect(interrupted > 2, "%d", interrupted);
}

/* Returns the size of a file in the program's folder; -1: there is none. */
static off_t size_of(const program *p, const char *name) {
    char path[128];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return stat(path, &about) == 0 ? about.st_size : -1;
}

/* Runs the scene until it has been killed after a whole slice and before its end. The record of a slice is after the bytes of the final
 * file, whose size is known from a run to the end. */
static void leave_a_part(program *p) {
    char made[128];
    program_run(p, "run", "stream.yaml", NULL);
    const off_t whole = size_of(p, "p.checkpoint");
    cr_assert(whole > 0, "%s", p->err);
    snprintf(made, sizeof made, "%s/p.checkpoint", p->folder);
    unlink(made);
    for (int n = 0, wait = 0; n < 500 && size_of(p, "p.checkpoint.part") <= whole; ++n) {
        const pid_t child = start(p);
        for (; wait < 120000 && size_of(p, "p.checkpoint.part") <= whole && size_of(p, "p.checkpoint") < 0; ++wait) {
            usleep(500);
        }
        stop(child, SIGKILL);
        unlink(made); /* if the kill came too late */
    }
    cr_assert(size_of(p, "p.checkpoint.part") > whole);
}

/* A part that belongs to another file in the same place is not continued. */
Test(scenes_stream, of_another_file_begins_anew) {
    static const char rest[] = "particles: {file: cloud.npy}\nforces: [spring: {k: 2}]\nmethod: velocity-verlet\ndt: 0.001\nsteps: 3000\n";
    static const char *const seeds[] = {"seed: 3", "seed: 9"};
    program p = program_begin();
    char text[1024];
    for (int n = 0; n < 2; ++n) {
        snprintf(text, sizeof text,
                 "particles: {random: {count: 3000, %s, position: {ball: {at: [0, 0, 0], radius: 1}}, velocity: {point: "
                 "[0, 0, 0]}}}\nforces: []\nmethod: velocity-verlet\ndt: 1\nsteps: 0\n",
                 seeds[n]);
        program_write_text(&p, "make.yaml", text);
        program_run(&p, "run", "make.yaml", "--out", "end.csv", NULL);
        program_run(&p, "convert", "end.csv", "cloud.npy", NULL);
        cr_assert(p.status == 0, "%s", p.err);
        snprintf(text, sizeof text, "%s" STREAM, rest);
        program_write_text(&p, "stream.yaml", text);
        if (n == 0) {
            leave_a_part(&p);
        }
    }
    program_write_text(&p, "memory.yaml", rest);
    program_run(&p, "run", "stream.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    program_run(&p, "run", "memory.yaml", "--checkpoint", "m.checkpoint", NULL);
    expect_same(&p, "another file");
    program_end(&p);
}

/* A part that belongs to another scene is not continued: its particles would be a mixture. */
Test(scenes_stream, of_another_scene_begins_anew) {
    program p = program_begin();
    write_scenes(&p, 0);
    leave_a_part(&p);
    const char *const seed = strstr(scenes[0], "seed: ");
    cr_assert(seed);
    char other[2048];
    snprintf(other, sizeof other, "%.*sseed: 9%s", (int)(seed - scenes[0]), scenes[0], seed + strlen("seed: "));
    program_write_text(&p, "memory.yaml", other);
    strcat(other, STREAM);
    program_write_text(&p, "stream.yaml", other);
    program_run(&p, "run", "stream.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    program_run(&p, "run", "memory.yaml", "--checkpoint", "m.checkpoint", NULL);
    expect_same(&p, other);
    program_end(&p);
}

#define BASE CLOUD("") "forces: [spring: {k: 2}]\nmethod: rk4\ndt: 0.1\nsteps: 2\n" STREAM
static const struct {
    const char *scene, *option, *begins, *holds;
} refused[] = {
    {BASE "report: 1\n", NULL, "stream.yaml:7: report: expected none", "in a stream"},
    {BASE "output: {file: o.csv}\n", NULL, "stream.yaml:7: output: expected none", "in a stream"},
    {BASE "checkpoint: {file: c}\n", NULL, "stream.yaml:7: checkpoint: expected none", "in a stream"},
    {BASE "watch: [apsis: {at: [0, 0, 0]}]\n", NULL, "stream.yaml:7: watch: expected none", "in a stream"},
    {BASE "interactions: [gravity: {g: 1}]\n", NULL, "stream.yaml:7: interactions: expected none", "in a stream"},
    {BASE, "--error", "run: --error: the particles are in a stream", "expected a scene without"},
    {CLOUD("") "forces: [spring: {k: 2, at: start}]\nmethod: rk4\ndt: 0.1\nsteps: 2\n" STREAM, NULL, "stream.yaml:2: forces[0].spring.at",
     "expected the same for all particles"},
    {"particles: {state: [{x: [1, 0, 0], v: [0, 0, 0]}]}\nforces: []\nmethod: rk4\ndt: 0.1\nsteps: 2\n" STREAM, NULL,
     "stream.yaml:1: particles", "random"},
    {CLOUD("") "forces: []\nmethod: rk4\ndt: 0.1\nsteps: 2\nstream: {file: p, memory: 12}\n", NULL, "stream.yaml:6: stream.memory",
     "such as 500 MB, 2 GB"},
    {CLOUD("") "forces: []\nmethod: rk4\ndt: 0.1\nsteps: 2\nstream: {memory: 1 GB}\n", NULL, "stream.yaml:6: stream", "file"},
};

Test(scenes_stream, says_what_it_cannot_have) {
    program p = program_begin();
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        program_write_text(&p, "stream.yaml", refused[i].scene);
        program_run(&p, "run", "stream.yaml", refused[i].option, NULL);
        program_refused(&p, refused[i].scene, refused[i].begins, refused[i].holds);
        cr_expect(program_files(&p) == 1, "nothing is begun");
    }
    program_end(&p);
}

Test(scenes_stream, refuses_a_file_that_is_damaged_or_anothers) {
    program p = program_begin();
    program_write_text(&p, "stream.yaml", BASE);
    program_run(&p, "run", "stream.yaml", NULL);
    cr_assert(p.status == 0, "%s", p.err);
    program_run(&p, "run", "stream.yaml", "--method", "pefrl", NULL);
    program_refused(&p, "another method", "stream.yaml: stream: ", "of another description");
    program_run(&p, "run", "stream.yaml", "--dt", "0.05", NULL);
    program_refused(&p, "another step", "stream.yaml: ", "expected the scene's");
    program_write_text(&p, "p.checkpoint",
                       "no checkpoint, but a text of mine: it is to be left as it is, whatever the scene asks for; of many more than "
                       "a hundred and thirty-six bytes, which are those of a header with its checksum");
    program_run(&p, "run", "stream.yaml", NULL);
    program_refused(&p, "a text", "stream.yaml: ", "not a checkpoint of kickdrift");
    char *const kept = program_read(&p, "p.checkpoint");
    cr_expect(strncmp(kept, "no checkpoint", 13) == 0 && program_files(&p) == 2);
    free(kept);
    program_end(&p);
}
