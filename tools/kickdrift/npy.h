/* The header of a .npy file, of versions 1 to 3: what its array is made of. */
#ifndef KICKDRIFT_TOOLS_NPY_H
#define KICKDRIFT_TOOLS_NPY_H

#include "fault.h"

#include <stdint.h>
#include <stdio.h>

enum { NPY_EXTENTS = 8, NPY_FIELDS = 256, NPY_NAME = 64 };

/* A number of an element. */
typedef struct npy_type {
    char kind;     /* f, i, u; any other: no number that is read here */
    bool swaps;    /* the highest byte is first */
    size_t size;   /* bytes */
    char text[24]; /* as the header has it */
} npy_type;

typedef struct npy_field {
    char name[NPY_NAME]; /* cut where it is longer */
    npy_type type;
    size_t offset, count; /* bytes within an element; numbers */
} npy_field;

typedef struct npy_header {
    size_t begin; /* bytes before the array */
    bool is_structured;
    npy_type type;     /* of an array that is not structured */
    npy_field *fields; /* to be freed */
    size_t field_count;
    size_t size; /* bytes of an element */
    bool is_fortran;
    uint64_t extent[NPY_EXTENTS];
    int extents;
} npy_header;

/* Reads the header at the beginning of a stream. `why` gets what was found and what was expected, without the file's name. */
bool npy_read(FILE *stream, npy_header *header, fault *why);

/* The number at `bytes`; false for a type that is none. */
bool npy_number(const npy_type *type, const unsigned char *bytes, double *number);

/* The same as a whole number; false also for one that is negative or not whole. */
bool npy_whole(const npy_type *type, const unsigned char *bytes, uint64_t *number);

#endif
