/* Prints the program of a step, for --explain. */
#include "explain.h"

#include <stdio.h>
#include <stdlib.h>

bool explain_print(const motion *m, int dims, bool masses, fault *why) {
    const size_t size = motion_explain(m, dims, masses, NULL, 0) + 1;
    char *const text = malloc(size);
    if (!text) {
        return fault_set(why, "no memory for the program's text, expected %zu bytes", size);
    }
    motion_explain(m, dims, masses, text, size);
    fputs(text, stdout);
    free(text);
    return true;
}
