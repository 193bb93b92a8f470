/* Reads and writes whole files for tests. */
#ifndef KDR_TESTS_FILES_H
#define KDR_TESTS_FILES_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the bytes of a file, which the caller frees. */
static inline unsigned char *read_whole(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    cr_assert(file, "%s", name);
    cr_assert(fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    unsigned char *bytes = malloc(*size + 1);
    rewind(file);
    cr_assert(bytes && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static inline void write_whole(const char *name, const unsigned char *bytes, size_t size) {
    FILE *file = fopen(name, "wb");
    cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "%s", name);
}

#endif
