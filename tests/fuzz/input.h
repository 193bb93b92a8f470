/* The fuzzer's bytes, taken from the front; zeros when they are used up. */
#ifndef KDR_TESTS_FUZZ_INPUT_H
#define KDR_TESTS_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct input {
    const uint8_t *at;
    size_t left;
} input;

static inline void input_fill(input *in, void *to, size_t size) {
    const size_t have = size < in->left ? size : in->left;
    memset(to, 0, size);
    if (have > 0) {
        memcpy(to, in->at, have);
        in->at += have;
        in->left -= have;
    }
}

static inline uint8_t input_byte(input *in) {
    uint8_t byte;
    input_fill(in, &byte, 1);
    return byte;
}

static inline size_t input_below(input *in, size_t limit) { return input_byte(in) % limit; }

/* Returns a number as a person would write it, or any 64 bits. */
static inline double input_number(input *in) {
    static const double plain[] = {0, 1, -1, 0.5, 2, 1e-3, 1e3, 1e300};
    double any;
    const uint8_t kind = input_byte(in);
    if (kind < 8 * 28) {
        return plain[kind % 8];
    }
    input_fill(in, &any, sizeof any);
    return any;
}

/* Makes a file of these bytes with a name by which it can be read while it is open; NULL: failed. */
static inline FILE *input_file(const uint8_t *data, size_t size, char *name, size_t room) {
    FILE *const file = tmpfile();
    if (!file || fwrite(data, 1, size, file) != size || fflush(file) != 0) {
        if (file) {
            fclose(file);
        }
        return NULL;
    }
    snprintf(name, room, "/proc/self/fd/%d", fileno(file));
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
