/* Homes of rows, and the tiles that are loaded from them. A row of a system program that outlasts a sweep has a home: one array per
 * axis, in the caller's memory or in the workspace, in any layout. A tile holds the rows that a pass reads and sets, in the first-level
 * cache.
 *
 * Interleaved components, `double x[n][3]`, stay interleaved in a tile if every instruction treats all components alike. Only arrays
 * that are separate per axis, such as accelerations and inverse masses, are then transposed into that order. */
#ifndef KDR_SYSTEM_TILE_H
#define KDR_SYSTEM_TILE_H

#include <kickdrift/integrator.h>

#include "strided_columns.h"

/* The most rows of a system program. They are x, v, inverse masses, x and v as they were. Each stage of a full tableau has its velocity
 * and slope. Then follow compensations and their old values; for walls x and v before the step, bounces and holds; three rows of blocks. */
enum { KDR_MAX_ROWS = 17 + 2 * KDR_MAX_STAGES };

/* Numbers of the first rows of a system program: the first column divided by the number of axes. */
enum { KDR_HOME_X, KDR_HOME_V, KDR_HOME_MASSES, KDR_HOME_X_BEFORE, KDR_HOME_V_BEFORE };

/* Returns whether these arrays are interleaved components, which would overlap if they were read as plain arrays. */
bool kdr_are_rows(void *const array[3], const kdr_particles *particles);

/* How a home's elements come into a tile: PLAIN copies one run per axis; ROWS copies all interleaved axes as one run; TURNED interleaves
 * plain arrays; MEMBERS gathers from structures; STRIDED takes any other layout. */
typedef enum kdr_form { KDR_FORM_NONE, KDR_FORM_PLAIN, KDR_FORM_ROWS, KDR_FORM_TURNED, KDR_FORM_MEMBERS, KDR_FORM_STRIDED } kdr_form;

/* A sweeper has a program, the particles, and the homes of all rows. */
typedef struct kdr_sweeper {
    const kdr_program *program; /* a system program */
    const void *numbers;        /* numbers of the program */
    const kdr_copies *copies;
    const kdr_executor *executor;
    const kdr_particles *particles; /* provide masses and marks; x and v have homes */
    const size_t *index;            /* sweeps visit only these `count` particles; NULL: all */
    size_t count;
    bool in_rows;                /* tiles hold interleaved components */
    bool estimates;              /* also carry out the instructions that estimate a step's error */
    bool together;               /* x and v are consecutive members of one structure */
    kdr_form form[KDR_MAX_ROWS]; /* form of each row's home, or KDR_FORM_NONE */
    kdr_column home[KDR_MAX_ROWS];
    const kdr_job *job;               /* data for instructions that treat a particle's components together; NULL if there are none */
    const kdr_strided_columns *aside; /* strided arrays of the job */
    const void *base;                 /* changes by driven fields in a step, for instructions that add them; may be NULL */
} kdr_sweeper;

/* Returns a sweeper whose x and v live in the particles' arrays. The program must be one with masses if kdr_has_masses is true.
 * `in_order` asks for separate axes in tiles even if x and v are interleaved. */
kdr_sweeper kdr_sweeper_make(const kdr_program *program, const void *numbers, kdr_backend backend, const kdr_executor *executor,
                             const kdr_particles *particles, bool in_order);

/* Returns whether some particles may be frozen or inactive: they have inverse masses or marks. */
bool kdr_has_masses(const kdr_particles *particles);

/* Give the row that begins with a column a home. kdr_sweeper_put takes plain or interleaved arrays, kdr_sweeper_put_at any layout. */
void kdr_sweeper_put(kdr_sweeper *sweeper, unsigned column, void *const array[3]);
void kdr_sweeper_put_at(kdr_sweeper *sweeper, unsigned column, void *const array[3], const kdr_layout *layout);

/* The rows that some instructions read before setting them, and the rows that they set, one bit per row. `base` says for each row that
 * is set which old values frozen particles keep there: 0 x, 1 v, 2 and 3 their compensations, -1 any value. */
typedef struct kdr_uses {
    uint64_t reads, sets;
    int8_t base[KDR_MAX_ROWS];
} kdr_uses;

void kdr_uses_none(kdr_uses *uses);
void kdr_uses_add(kdr_uses *uses, const kdr_sweeper *sweeper, const kdr_instruction *line, int lines);

/* Returns whether an instruction is carried out: those of error estimates are left out unless estimates are wanted. */
static inline bool kdr_is_carried_out(const kdr_sweeper *sweeper, const kdr_instruction *line) {
    return sweeper->estimates || line->when != KDR_WHEN_ESTIMATING;
}

/* Returns the rows of a particle's state as bits: x, v and their compensations. */
static inline uint64_t kdr_state_rows(const kdr_program *program) {
    const uint64_t motion = 1U << KDR_HOME_X | 1U << KDR_HOME_V;
    return program->lost > 0 ? motion | UINT64_C(3) << program->lost / program->dims : motion;
}

static inline bool kdr_has_row(uint64_t rows, int row) { return (rows >> row & 1) != 0; }

/* Returns the address of a row in a tile. */
static inline char *kdr_tile_row(const kdr_tile *tile, int row) { return tile->memory + (size_t)(row * tile->dims) * tile->column; }

/* kdr_tile_load copies rows of particles [first, first + count) from their homes, padded with the last particle; kdr_tile_store copies
 * them back. kdr_tile_load_masses must follow the load of x and v: it saves their values and returns whether any particle is frozen. If
 * so, kdr_tile_hold restores frozen particles in the rows that were set. */
void kdr_tile_load(const kdr_sweeper *sweeper, const kdr_tile *tile, uint64_t rows);
void kdr_tile_store(const kdr_sweeper *sweeper, const kdr_tile *tile, uint64_t rows);
bool kdr_tile_load_masses(const kdr_sweeper *sweeper, const kdr_tile *tile);
void kdr_tile_hold(const kdr_sweeper *sweeper, const kdr_tile *tile, const kdr_uses *uses);

/* Returns whether WALLS has changed a particle of the tile, or CONVERGE has left one nonconverged. Frozen particles do not count; `holds`
 * says that there are some. */
bool kdr_tile_is_hit(const kdr_tile *tile, const kdr_instruction *line, size_t size, bool holds);

/* kdr_tile_carry copies one row of a tile from its home, or back. kdr_tile_turn transposes plain arrays into interleaved components, or
 * back. */
void kdr_tile_carry(const kdr_sweeper *sweeper, const kdr_column *home, kdr_form form, const kdr_tile *tile, char *row, bool back);
void kdr_tile_turn(const kdr_sweeper *sweeper, const kdr_column *plain, const kdr_tile *tile, char *row, bool back);

/* Writes the inverse masses of particles [begin, begin + count) to a plain array, 0 for inactive ones. */
void kdr_take_masses(const kdr_particles *particles, const kdr_copies *copies, size_t begin, size_t count, void *w);

/* Returns whether any of `count` elements is zero. w needs no alignment. */
bool kdr_is_any_zero(const void *w, size_t count, size_t size);

#endif
