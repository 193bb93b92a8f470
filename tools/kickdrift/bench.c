/* `kickdrift bench` starts the program kickdrift-bench, which is in the same folder. It is a program of its own because the libraries it
 * compares with take longer to compile than everything that a run needs. */
#include "commands.h"
#include "fault.h"
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char beside[] = "/kickdrift-bench", *const program = beside + 1;

int kdr_bench_main(int argc, char **argv) {
    char path[4096];
    fault why;
    (void)argc;
    const bool known = host_own_folder(path, sizeof path - sizeof beside);
    if (known) {
        memcpy(path + strlen(path), beside, sizeof beside);
        host_become(path, argv);
    }
    if (!known || errno == ENOENT) {
        host_become(program, argv);
    }
    fault_set(&why, "cannot start %s: %s, expected it next to this program; tools/dev bench builds it", program, strerror(errno));
    return fault_report(&why);
}
