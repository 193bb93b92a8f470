/* replay FILE|DIRECTORY...: runs a harness on its corpus without a fuzzer, so that what was found once stays found. */
#include "input.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

static int replayed;

static void replay_file(const char *path) {
    static uint8_t bytes[1 << 20];
    FILE *const file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "replay: cannot open %s\n", path);
        exit(2);
    }
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint8_t *const exact = malloc(size ? size : 1); /* of the exact size, so that a sanitizer sees the end */
    if (exact) {
        memcpy(exact, bytes, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    ++replayed;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; ++i) {
        DIR *const directory = opendir(argv[i]);
        if (!directory) {
            replay_file(argv[i]);
            continue;
        }
        for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (entry->d_name[0] != '.') {
                replay_file(path);
            }
        }
        closedir(directory);
    }
    printf("%d inputs\n", replayed);
    return replayed > 0 ? 0 : 1;
}
