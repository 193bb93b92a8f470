/* The machine and other programs, as POSIX systems and Windows have them. Files are in src/io/files.h. */
#ifndef KICKDRIFT_TOOLS_SYSTEM_H
#define KICKDRIFT_TOOLS_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prepares the process; call it first. Standard output then passes bytes unchanged. Returns the arguments as UTF-8, and their number. */
char **system_begin(int *argc, char **argv);

bool system_is_terminal(FILE *stream);

/* Returns how many columns the terminal of standard output has, 0 if it is none. */
int system_columns(void);

/* Returns the number of processors that this process may run on. */
int system_processors(void);

/* Returns the bytes of memory that the machine has, 0 if that is unknown. */
double system_memory(void);

/* Writes the folder that this program lies in, without a separator at its end. Returns false if it is unknown, or longer than `size`. */
bool system_own_folder(char *folder, size_t size);

/* Runs a program with arguments that end with NULL, the first its path, or a name on the path. Returns its exit status, -1 when it cannot
 * be run or did not exit by itself; then errno says why, where there is a reason. */
int system_run(char *const arguments[]);

/* Becomes another program, with arguments as in system_run: where the system has no such call, runs it and exits as it does. Returns only on
 * failure, and errno says why. */
void system_become(const char *program, char *const arguments[]);

/* Opens a module for as long as the program runs. Returns NULL on failure, with the system's reason in `why`. */
void *system_module(const char *path, char *why, size_t size);
const void *system_symbol(void *module, const char *name);
void system_module_close(void *module);

#endif
