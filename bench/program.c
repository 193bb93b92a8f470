/* The program `kickdrift-bench`, which `kickdrift bench` starts in its place. */
#include "commands.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    const int status = kdr_bench_main(argc, argv);
    const bool failed = ferror(stdout) != 0; /* a failed write, as to a full disk, is an error like any other */
    if (fclose(stdout) != 0 || failed) {
        fprintf(stderr, "kickdrift: cannot write to standard output: %s, expected room for the results\n", strerror(errno));
        return KDR_EXIT_REQUEST;
    }
    return status;
}
