/* Reads the header of a .npy file, versions 1 to 3: type and shape of its array. */
#ifndef KICKDRIFT_TOOLS_NPY_H
#define KICKDRIFT_TOOLS_NPY_H

#include "fault.h"

#include <stdint.h>
#include <stdio.h>

enum { NPY_EXTENTS = 8, NPY_FIELDS = 256, NPY_NAME = 64 };

/* The type of one number. */
typedef struct npy_type {
    char kind;     /* f, i or u; numbers of any other kind are not read */
    bool swaps;    /* the highest byte is first, so the bytes must be swapped */
    size_t size;   /* in bytes */
    char text[24]; /* the type as the header spells it */
} npy_type;

typedef struct npy_field {
    char name[NPY_NAME]; /* cut if it is longer */
    npy_type type;
    size_t offset, count; /* offset within an element, in bytes; how many numbers */
} npy_field;

typedef struct npy_header {
    size_t begin; /* bytes before the array */
    bool is_structured;
    npy_type type;     /* type of an array that is not structured */
    npy_field *fields; /* to be freed by the caller */
    size_t field_count;
    size_t size; /* bytes per element */
    bool is_fortran;
    uint64_t extent[NPY_EXTENTS];
    int extents;
} npy_header;

/* Reads the header at the beginning of a stream. On failure `why` says what was found and what was expected, without the name of the
 * file. */
bool npy_read(FILE *stream, npy_header *header, fault *why);

/* Reads the number at `bytes`. Returns false if the type is not a number. */
bool npy_number(const npy_type *type, const unsigned char *bytes, double *number);

/* Reads the number at `bytes` as a whole number. Returns false also if it is negative or not whole. */
bool npy_whole(const npy_type *type, const unsigned char *bytes, uint64_t *number);

#endif
