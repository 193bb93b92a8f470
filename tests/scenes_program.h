/* Runs the program `kickdrift` in its own folder and keeps what it printed. */
#ifndef KICKDRIFT_TESTS_SCENES_PROGRAM_H
#define KICKDRIFT_TESTS_SCENES_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct program {
    char folder[64]; /* the working folder of every run */
    int status;      /* exit status of the last run, or -1 if it did not exit */
    char *out, *err; /* what it printed */
} program;

#define SCENES KDR_SOURCE_DIR "/tools/scenes/"

/* program_begin makes the folder; program_end removes it with its contents. */
program program_begin(void);
void program_end(program *p);

void program_write(const program *p, const char *name, const char *text, size_t size);
void program_write_text(const program *p, const char *name, const char *text);

/* Makes a sparse file of this many bytes, which begins with `text`. */
void program_write_hole(const program *p, const char *name, const char *text, long long size);

/* Arguments end with NULL. A first argument "NAME=VALUE" is put into the environment instead. */
void program_run(program *p, ...) __attribute__((sentinel));

size_t program_files(const program *p); /* number of entries of the folder */
bool program_has(const program *p, const char *name);
char *program_read(const program *p, const char *name); /* to be freed */

/* Reads the numbers of row `row` (0: the first after the header) of a CSV file. Returns how many there are, 0 if there is no such row. */
size_t program_row(const program *p, const char *name, size_t row, double numbers[16]);

/* Checks that the last run was refused: status 2, nothing on stdout, one line on stderr that begins with "kickdrift: " and then `begins`,
 * and contains `holds`. `what` names the case in the message of a failed assertion. */
void program_refused(const program *p, const char *what, const char *begins, const char *holds);

#endif
