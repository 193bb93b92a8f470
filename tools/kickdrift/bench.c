/* `kickdrift bench`: the program kickdrift-bench, which lies beside this one. It is a program of its own because its opponents take longer to compile
 * than all else that a run needs. */
#include "commands.h"
#include "fault.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "kickdrift-bench";

int kdr_bench_main(int argc, char **argv) {
    char path[4096];
    fault why;
    (void)argc;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof program);
    char *const slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    if (slash) {
        memcpy(slash + 1, program, sizeof program);
        execv(path, argv);
    }
    if (!slash || errno == ENOENT) {
        execvp(program, argv);
    }
    fault_set(&why, "cannot start %s: %s, expected it beside this program; tools/dev bench builds it", program, strerror(errno));
    return fault_report(&why);
}
