/* Runs in blocks: what all blocks have in common, and one of them on its way. */
#ifndef KDR_COUPLED_BLOCK_H
#define KDR_COUPLED_BLOCK_H

#include <stdatomic.h>

#include "coupled.h"

typedef struct kdr_block_set {
    const kdr_coupled *coupled;
    const kdr_particles *particles;
    const kdr_clock *clock;
    uint64_t steps;
    const kdr_program *program;
    kdr_segments step;
    kdr_sweeper sweeper; /* which blocks are loaded and stored by */
    int rows;            /* behind those of the program: the doubles of x, v and the acceleration; or copies of x and v, where steps copy */
    size_t length;       /* particles of a block */
    bool keeps, alternates, absorbs, counts;
    bool remembers, resumes;         /* the acceleration that is kept is the particles' memory, and holds what to start from; */
    bool carries_lost, resumes_lost; /* and what rounding takes is carried, and is there */
    unsigned copies;                 /* where copies of x and v are, by their first column; */
    unsigned fresh, memory;          /* what is evaluated where walls have changed a particle; and the memory of those who do not move */
    unsigned lost, before_lost;      /* in a compensated run: what rounding takes from x and v, and copies of it, by their first columns */
    uint16_t a;                      /* the row of the first acceleration, by its first column */
    double fraction[KDR_MAX_FRACTIONS];
    double numbers[KDR_MAX_NUMBERS], field_numbers[KDR_MAX_NUMBERS];
    kdr_job job;         /* of the field */
    kdr_job at_work;     /* of the method's lines, */
    kdr_flights flights; /* of its colliders; */
    kdr_aside aside;     /* and what of it lies apart */
    atomic_int status;   /* the first that was not KDR_OK; who sets it, and nobody after, writes what follows */
    kdr_error error;
} kdr_block_set;

/* A block on its way. */
typedef struct kdr_block {
    const kdr_block_set *b;
    kdr_tile tile;
    kdr_particles seen; /* what the function is given */
    kdr_instruction line[2]
                        [4 * KDR_MAX_FRACTIONS + 8]; /* of the program; and with the doubles in the places of their rows, which they take */
    char *at[KDR_TILE_COLUMNS];
    int now;    /* by which of the two the last whole step ended */
    bool ended; /* and its last lines have been carried out, which wait for the next step where lines alternate */
    bool frozen, copied;
    kdr_particles view; /* all, with the marks of those in the block who take part, where a boundary absorbs; and who loads these */
    kdr_sweeper by;
    uint8_t *marks;
    kdr_job job;           /* of the method's lines, where */
    unsigned char *aside;  /* has what lies apart */
    kdr_particles counted; /* the block's counts, as lines find them */
    void *counts;          /* what particles count, at the beginning of a step that may fail behind a line that counts; or NULL */
} kdr_block;

/* The first status that is not KDR_OK stays. */
void kdr_block_set_fail(kdr_block_set *blocks, const kdr_error *error);

/* Where lines alternate: those of the program, and those with the doubles. */
void kdr_block_double_lines(kdr_block *block);

/* Takes so many particles through all steps. */
void kdr_block_run(kdr_block_set *blocks, kdr_block *block, size_t begin, size_t count);

#endif
