/* Descriptions, with everything they point to, in one structure; and the effect of each of their members on a digest. */
#ifndef KDR_TESTS_DIGESTS_H
#define KDR_TESTS_DIGESTS_H

#include "../support.h"

/* The number of elements of a lent array, of the numbers of a grid, and of a grid with 49 nodes on an axis. */
enum { EACH = 5, NODES = 2 * 3 * 4 * 3, VALUES = 49 * 3 * 4 * 3 };

/* A description and everything that its pointers lead to. */
typedef struct parts {
    kdr_integrator_desc field;
    kdr_system_desc system;
    kdr_force force;
    kdr_collider collider;
    kdr_constraint constraint;
    kdr_tableau tableau;
    kdr_fractions fractions;
    kdr_substeps substeps;
    kdr_grid grid;
    kdr_interaction pairs;
    kdr_pair_spring springs[2];
    kdr_distance distances[2];
    kdr_watch watch;
    double arrays[8][VALUES];
} parts;

/* A structure within `parts` whose members are changed. If it has a union, only the member `as` of it is. */
typedef struct instance {
    const char *structure;
    size_t at;
    const char *as; /* NULL: there is no union */
} instance;

/* The way to change a member. */
typedef enum how {
    REACHED,  /* not at all: it is a structure or points to one, whose members have their own rows */
    IGNORED,  /* not at all: it changes no bit, for the reason `why` */
    DOUBLES,  /* each number */
    INTEGERS, /* each int, to its neighbours and to small numbers; also enumerators */
    WORDS,    /* a uint32_t */
    SIZES,    /* a size_t or a uint64_t */
    FLAG,     /* a bool */
    ARRAY,    /* each element of an array of doubles in `parts`, to which the member points */
    FUNCTION  /* a pointer, from NULL or to NULL */
} how;

typedef struct member {
    const char *structure, *name;
    how how;
    int first, count; /* the elements; for ARRAY those of the arrays that the pointers point to */
    bool key;         /* the key of a memory changes too */
    const char *why;
} member;

extern const member members[];
extern const size_t member_count;

/* Makes description `number` and lists the structures that it uses, ending with NULL. Returns false at the end of the list. */
bool make_parts(int number, parts *p, instance list[6]);

#endif
