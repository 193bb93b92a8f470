/* Reads the caches of the first core from /sys (see caches.h). */
#include "caches.h"

#include <stdio.h>
#include <string.h>

#include <io/files.h>

static bool read_line(int index, const char *what, char *text, size_t size) {
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
    FILE *file = kdr_file_stream(path, false);
    const bool done = file && fgets(text, (int)size, file);
    if (file) {
        fclose(file);
    }
    if (done) {
        text[strcspn(text, "\n")] = '\0';
    }
    return done;
}

int caches_read(caches_row caches[MOST_CACHES]) {
    int count = 0;
    for (int i = 0; i < MOST_CACHES; ++i) {
        char level[16], size[32], unit = 0;
        caches_row *c = &caches[count];
        if (!read_line(i, "level", level, sizeof level) || !read_line(i, "type", c->type, sizeof c->type) ||
            !read_line(i, "size", size, sizeof size)) {
            continue;
        }
        if (sscanf(level, "%d", &c->level) != 1 || sscanf(size, "%ld%c", &c->bytes, &unit) < 1) {
            continue;
        }
        c->bytes *= unit == 'K' ? 1024 : unit == 'M' ? 1 << 20 : 1;
        count += strcmp(c->type, "Instruction") != 0;
    }
    return count;
}
