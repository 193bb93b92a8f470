/* Runs the program and keeps what it printed. */
#include "scenes_program.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void path_of(const program *p, const char *name, char path[512]) { snprintf(path, 512, "%s/%s", p->folder, name); }

program program_begin(void) {
    program p = {.folder = "/tmp/kickdrift-test-XXXXXX"};
    cr_assert(mkdtemp(p.folder), "a folder for the test");
    return p;
}

/* Counts the names in the folder, without the two dots, and calls `each` if it is given. */
static size_t walk(const program *p, void (*each)(const char *path)) {
    size_t count = 0;
    DIR *folder = opendir(p->folder);
    cr_assert(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        ++count;
        path_of(p, entry->d_name, path);
        if (each) {
            each(path);
        }
    }
    closedir(folder);
    return count;
}

static void remove_path(const char *path) {
    if (unlink(path) != 0) {
        rmdir(path);
    }
}

void program_end(program *p) {
    walk(p, remove_path);
    rmdir(p->folder);
    free(p->out);
    free(p->err);
}

void program_write(const program *p, const char *name, const char *text, size_t size) {
    char path[512];
    path_of(p, name, path);
    FILE *file = fopen(path, "w");
    cr_assert(file);
    cr_assert(fwrite(text, 1, size, file) == size);
    cr_assert(fclose(file) == 0);
}

void program_write_text(const program *p, const char *name, const char *text) { program_write(p, name, text, strlen(text)); }

void program_write_hole(const program *p, const char *name, const char *text, long long size) {
    char path[512];
    program_write_text(p, name, text);
    path_of(p, name, path);
    cr_assert(truncate(path, (off_t)size) == 0);
}

static char *read_all(FILE *file) {
    cr_assert(fseek(file, 0, SEEK_END) == 0);
    const long size = ftell(file);
    char *text = malloc((size_t)size + 1);
    cr_assert(text && size >= 0);
    rewind(file);
    cr_assert(fread(text, 1, (size_t)size, file) == (size_t)size);
    text[size] = '\0';
    return text;
}

static void execute(const program *p, char **arguments, char *environment, FILE *out, FILE *err) {
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    const int none = open("/dev/null", O_RDONLY);
    dup2(none, STDIN_FILENO);
    if (environment) {
        putenv(environment);
    }
    if (chdir(p->folder) == 0) {
        execv(KDR_PROGRAM, arguments);
    }
    _exit(127);
}

void program_run(program *p, ...) {
    char name[] = "kickdrift", *arguments[32] = {name}, *environment = NULL;
    int count = 1;
    va_list list;
    va_start(list, p);
    for (char *argument; (argument = va_arg(list, char *)) && count < 31;) {
        if (count == 1 && strncmp(argument, "KDR_", 4) == 0) {
            environment = argument;
        } else {
            arguments[count++] = argument;
        }
    }
    va_end(list);
    FILE *out = tmpfile(), *err = tmpfile();
    cr_assert(out && err);
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        execute(p, arguments, environment, out, err);
    }
    int status;
    cr_assert(waitpid(child, &status, 0) == child);
    p->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    free(p->out);
    free(p->err);
    p->out = read_all(out);
    p->err = read_all(err);
    fclose(out);
    fclose(err);
    cr_assert(p->status != 127, "%s cannot be run", KDR_PROGRAM);
}

size_t program_files(const program *p) { return walk(p, NULL); }

bool program_has(const program *p, const char *name) {
    char path[512];
    path_of(p, name, path);
    return access(path, F_OK) == 0;
}

char *program_read(const program *p, const char *name) {
    char path[512];
    path_of(p, name, path);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s was written", name);
    char *text = read_all(file);
    fclose(file);
    return text;
}

size_t program_row(const program *p, const char *name, size_t row, double numbers[16]) {
    char path[512], *line = NULL;
    size_t room = 0, count = 0;
    path_of(p, name, path);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s was written", name);
    bool there = true;
    for (size_t i = 0; there && i < row + 2; ++i) {
        there = getline(&line, &room, file) >= 0;
    }
    for (char *at = line; there && at && *at && *at != '\n' && count < 16; at += *at == ',') {
        numbers[count++] = strtod(at, &at);
    }
    free(line);
    fclose(file);
    return count;
}

/* Returns the text after the lines that name the modules of a scene. */
static const char *after_modules(const char *text) {
    static const char said[] = "whose code runs in this program\n";
    for (const char *at; (at = strstr(text, said)) != NULL;) {
        text = at + sizeof said - 1;
    }
    return text;
}

void program_refused(const program *p, const char *what, const char *begins, const char *holds) {
    char start[512];
    snprintf(start, sizeof start, "kickdrift: %s", begins);
    const char *const err = after_modules(p->err), *newline = strchr(err, '\n');
    cr_expect(p->status == 2, "%s: status %d, expected 2; it said %s", what, p->status, p->err);
    cr_expect(*p->out == '\0', "%s: printed %.200s", what, p->out);
    cr_expect(newline && newline[1] == '\0', "%s: expected one line, it said\n%s", what, p->err);
    cr_expect(strncmp(err, start, strlen(start)) == 0, "%s: expected a line that begins with \"%s\", it said\n%s", what, start, p->err);
    cr_expect(strstr(err, holds) != NULL, "%s: expected \"%s\" in the line, it said\n%s", what, holds, p->err);
}
