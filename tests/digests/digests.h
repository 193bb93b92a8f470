/* Descriptions and all that they reach in one structure, and what each of their members does to a digest. */
#ifndef KDR_TESTS_DIGESTS_H
#define KDR_TESTS_DIGESTS_H

#include "../support.h"

/* Elements of an array that is lent, numbers of a grid, and as many as one with 49 nodes on an axis has. */
enum { EACH = 5, NODES = 2 * 3 * 4 * 3, VALUES = 49 * 3 * 4 * 3 };

/* A description and everything that its pointers lead to. */
typedef struct parts {
    kdr_integrator_desc field;
    kdr_coupled_desc coupled;
    kdr_force force;
    kdr_collider collider;
    kdr_constraint constraint;
    kdr_tableau tableau;
    kdr_fractions fractions;
    kdr_substeps substeps;
    kdr_grid grid;
    kdr_coupled_force pairs;
    kdr_pair_spring springs[2];
    kdr_distance distances[2];
    kdr_watch watch;
    double arrays[8][VALUES];
} parts;

/* A structure within `parts` whose members are changed: of a union those below `as`, and of others all. */
typedef struct instance {
    const char *structure;
    size_t at;
    const char *as; /* NULL: it has no union */
} instance;

/* How a member is changed. */
typedef enum how {
    REACHED,  /* a structure, or a pointer to one, whose members are changed in their own rows */
    IGNORED,  /* it changes no bit: `why` says so */
    DOUBLES,  /* each number */
    INTEGERS, /* each int, to its neighbours and to small numbers: enumerators too */
    WORDS,    /* a uint32_t */
    SIZES,    /* a size_t or a uint64_t */
    FLAG,     /* a bool */
    ARRAY,    /* a pointer to doubles in `parts`: each element */
    FUNCTION  /* a pointer that is NULL or not */
} how;

typedef struct member {
    const char *structure, *name;
    how how;
    int first, count; /* elements; of an ARRAY those of what each pointer points to */
    bool key;         /* the key of a memory changes as well */
    const char *why;
} member;

extern const member members[];
extern const size_t member_count;

/* Makes description `number` and lists the structures that it uses, ending with NULL. Returns false at the end of the list. */
bool make_parts(int number, parts *p, instance list[6]);

#endif
