/* Calls about the machine and other programs, for POSIX systems and Windows. Calls about files are in src/io/files.h. */
#ifndef KICKDRIFT_TOOLS_HOST_H
#define KICKDRIFT_TOOLS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prepares the process; call it first. Standard output then passes bytes unchanged. Returns the arguments as UTF-8, and their number. */
char **host_begin(int *argc, char **argv);

bool host_is_terminal(FILE *stream);

/* Returns how many columns the terminal of standard output has, 0 if it is none. */
int host_columns(void);

/* Returns the number of processors that this process may run on. */
int host_processors(void);

/* Returns the bytes of memory that the machine has, 0 if that is unknown. */
double host_memory(void);

/* Writes the folder that this program lies in, without a separator at its end. Returns false if it is unknown, or longer than `size`. */
bool host_own_folder(char *folder, size_t size);

/* Runs a program. `arguments` ends with NULL; the first is a path, or a name to search for in PATH. Returns the exit status, or -1 if the
 * program could not be run or did not exit by itself; errno then has the reason if there is one. */
int host_run(char *const arguments[]);

/* Replaces this process by another program, with arguments as in host_run. If the system has no such call, runs the program and exits
 * with its status. Returns only on failure, with the reason in errno. */
void host_become(const char *program, char *const arguments[]);

/* Opens a module for as long as the program runs. Returns NULL on failure, with the system's reason in `why`. */
void *host_module(const char *path, char *why, size_t size);
const void *host_symbol(void *module, const char *name);
void host_module_close(void *module);

#endif
