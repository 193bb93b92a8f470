/* Scenes: any text is read or refused in one line, and its particles are built if they are written in it. */
#include "input.h"

#include "population.h"

#include <stdlib.h>
#include <string.h>

/* Returns true if the scene names no other files and few particles, which are not tested here. */
static bool is_small(const uint8_t *data, size_t size) {
    static const char *const left_out[] = {"file", "random", "library", ".so"};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; ++i) {
        if (memmem(data, size, left_out[i], strlen(left_out[i]))) {
            return false;
        }
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static scene loaded;
    fault why;
    why.text[0] = '\0';
    const bool read = scene_parse(&loaded, "scene.yaml", data, size, MODULES_REFUSED, &why);
    if (!read && (!why.text[0] || strlen(why.text) >= sizeof why.text)) {
        abort();
    }
    population built;
    if (read && is_small(data, size)) {
        population_build(&loaded, 0, SIZE_MAX, &built);
        population_release(&built);
    }
    scene_release(&loaded);
    return 0;
}
