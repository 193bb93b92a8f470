/* Runs in blocks: the data that all blocks share, and the state of one block. */
#ifndef KDR_SYSTEM_BLOCK_H
#define KDR_SYSTEM_BLOCK_H

#include <stdatomic.h>

#include "system.h"

typedef struct kdr_block_set {
    const kdr_system *system;
    const kdr_particles *particles;
    const kdr_clock *clock;
    uint64_t steps;
    const kdr_program *program;
    kdr_segments step;
    kdr_sweeper sweeper; /* loads and stores blocks */
    int rows;            /* rows after those of the program: second rows of x, v and the acceleration, or copies of x and v */
    size_t length;       /* particles per block */
    bool keeps, alternates, absorbs, counts;
    bool remembers, resumes; /* remembers: the kept acceleration goes to the particles' memory; resumes: the memory holds the first one */
    bool carries_lost, resumes_lost; /* carries_lost: compensations go to the particles; resumes_lost: the particles hold the first ones */
    unsigned copies;                 /* first column of the copies of x and v */
    unsigned fresh, memory;     /* first columns of accelerations evaluated after walls, and of the memory of particles that do not move */
    unsigned lost, before_lost; /* first columns of the compensations of x and v in a compensated run, and of copies of them */
    uint16_t a;                 /* first column of the first acceleration */
    double fraction[KDR_MAX_FRACTIONS];
    double numbers[KDR_MAX_NUMBERS], field_numbers[KDR_MAX_NUMBERS];
    kdr_job job;               /* job of the field */
    kdr_job at_work;           /* job of the method's instructions */
    kdr_flights flights;       /* user data of its colliders */
    kdr_strided_columns aside; /* strided arrays of the job */
    atomic_int status;         /* first status other than KDR_OK; the thread that sets it writes `error` */
    kdr_error error;
} kdr_block_set;

/* The state of one block. */
typedef struct kdr_block {
    const kdr_block_set *b;
    kdr_tile tile;
    kdr_particles seen; /* the view that the user's functions receive */
    /* the instructions: [0] of the program, [1] with second rows in their rows' places */
    kdr_instruction line[2][4 * KDR_MAX_FRACTIONS + 8];
    char *at[KDR_TILE_COLUMNS];
    int now;    /* set of instructions that ended the last whole step */
    bool ended; /* the last instructions of that step have been carried out; with alternating sets they wait for the next step */
    bool frozen, copied;
    kdr_particles view; /* all particles; with an absorbing boundary, with marks of those that take part in this block */
    kdr_sweeper by;
    uint8_t *marks;
    kdr_job job;           /* job of the method's instructions */
    unsigned char *aside;  /* plain copies of strided arrays, for the job */
    kdr_particles counted; /* a view of the block's counts */
    void *counts;          /* counts at the beginning of a step that may fail after an instruction that counts; may be NULL */
} kdr_block;

/* Sets the status of all blocks, unless one is already set. */
void kdr_block_set_fail(kdr_block_set *blocks, const kdr_error *error);

/* Fills in both sets of instructions: those of the program, and those with second rows. */
void kdr_block_double_lines(kdr_block *block);

/* Takes `count` particles from `begin` on through all steps. */
void kdr_block_run(kdr_block_set *blocks, kdr_block *block, size_t begin, size_t count);

#endif
