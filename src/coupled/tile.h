/* Homes of rows, and the tiles that are loaded from them.
 *
 * Each row of a program of calls that outlasts a sweep has a home: arrays of the caller's or of the workspace, an axis each, which lie as
 * they lie. A tile has those rows in the first-level cache that lines read and set.
 *
 * Components that lie side by side, `double x[n][3]`, stay in their order: a row of a tile is then a row of particles, which is the same to
 * lines that treat every component alike, and only what stands beside them an array an axis (accelerations, inverse masses) is turned. */
#ifndef KDR_COUPLED_TILE_H
#define KDR_COUPLED_TILE_H

#include <kickdrift/integrator.h>

#include "aside.h"

/* The most rows of a program of calls: x, v, the inverse masses and what x and v were, and of a full tableau a stage, its velocities and
 * slopes; compensations, and what they were; those of walls, what x and v were before the step, who was hit and who is held; and the three
 * that blocks add. */
enum { KDR_MAX_ROWS = 17 + 2 * KDR_MAX_STAGES };

/* Rows of a program of calls, by number: their first column divided by the axes. */
enum { KDR_HOME_X, KDR_HOME_V, KDR_HOME_MASSES, KDR_HOME_X_BEFORE, KDR_HOME_V_BEFORE };

/* Arrays whose elements lie side by side: plain ones would overlap. */
bool kdr_are_rows(void *const array[3], const kdr_particles *particles);

/* How a home's elements come into a tile: each axis is one run; all axes are one, in the tile's order; they are turned into that order;
 * they are members of structures; they lie in another way. */
typedef enum kdr_form { KDR_FORM_NONE, KDR_FORM_PLAIN, KDR_FORM_ROWS, KDR_FORM_TURNED, KDR_FORM_MEMBERS, KDR_FORM_STRIDED } kdr_form;

/* Who sweeps, over what. */
typedef struct kdr_sweeper {
    const kdr_program *program; /* of calls */
    const void *numbers;        /* of the program */
    const kdr_copies *copies;
    const kdr_executor *executor;
    const kdr_particles *particles; /* whose masses and marks count; x and v have homes */
    const size_t *index;            /* or NULL: sweeps go over these particles alone, `count` of them */
    size_t count;
    bool in_rows;                /* tiles hold rows of particles */
    bool estimates;              /* lines too are carried out that the estimate of a step's error is made of */
    bool together;               /* x and v are one run of members */
    kdr_form form[KDR_MAX_ROWS]; /* of each row's home, or none */
    kdr_column home[KDR_MAX_ROWS];
    const kdr_job *job;     /* what lines look at that treat the components of a particle together; or NULL, where there are none */
    const kdr_aside *aside; /* what of it lies apart, with the job */
    const void *base;       /* what driven fields add in a step, for lines that add it; or NULL */
} kdr_sweeper;

/* A sweeper whose x and v live in the particles' arrays. The program is one for masses where kdr_has_masses says so. `in_order`: of an
 * axis, though x and v may be rows of particles. */
kdr_sweeper kdr_sweeper_make(const kdr_program *program, const void *numbers, kdr_backend backend, const kdr_executor *executor,
                             const kdr_particles *particles, bool in_order);

/* Some particles must not be moved: they have inverse masses or marks. */
bool kdr_has_masses(const kdr_particles *particles);

/* Gives the row that begins with a column a home: plain arrays, or rows of particles; or arrays that lie anyhow. */
void kdr_sweeper_put(kdr_sweeper *sweeper, unsigned column, void *const array[3]);
void kdr_sweeper_put_at(kdr_sweeper *sweeper, unsigned column, void *const array[3], const kdr_layout *layout);

/* What lines read of the rows, before they set it, and what they set: bits, a row each. And of each row that is set what frozen particles
 * have in it: 0 to 3, x, v or their compensations as they were, or -1, anything. */
typedef struct kdr_uses {
    uint64_t reads, sets;
    int8_t base[KDR_MAX_ROWS];
} kdr_uses;

void kdr_uses_none(kdr_uses *uses);
void kdr_uses_add(kdr_uses *uses, const kdr_sweeper *sweeper, const kdr_instruction *line, int lines);

/* Who carries out lines for nobody who asks for estimates leaves out what they are made of. */
static inline bool kdr_is_carried_out(const kdr_sweeper *sweeper, const kdr_instruction *line) {
    return sweeper->estimates || line->when != KDR_WHEN_ESTIMATING;
}

/* The rows that are a particle's state: x, v and their compensations, as bits. */
static inline uint64_t kdr_state_rows(const kdr_program *program) {
    const uint64_t motion = 1U << KDR_HOME_X | 1U << KDR_HOME_V;
    return program->lost > 0 ? motion | UINT64_C(3) << program->lost / program->dims : motion;
}

static inline bool kdr_has_row(uint64_t rows, int row) { return (rows >> row & 1) != 0; }

/* The place of a row in a tile. */
static inline char *kdr_tile_row(const kdr_tile *tile, int row) { return tile->memory + (size_t)(row * tile->dims) * tile->column; }

/* One tile of a sweep, whose first and count say which particles it holds: its rows from their homes, padded with the last particle, and
 * back. Inverse masses are loaded after x and v, and what those are is kept: whether any particle is frozen. If so, what frozen particles
 * have in the rows that have been set is put right. */
void kdr_tile_load(const kdr_sweeper *sweeper, const kdr_tile *tile, uint64_t rows);
void kdr_tile_store(const kdr_sweeper *sweeper, const kdr_tile *tile, uint64_t rows);
bool kdr_tile_load_masses(const kdr_sweeper *sweeper, const kdr_tile *tile);
void kdr_tile_hold(const kdr_sweeper *sweeper, const kdr_tile *tile, const kdr_uses *uses);

/* The line WALLS has changed a particle of the tile that is not frozen, or CONVERGE has not solved its equation; `holds`: some are. */
bool kdr_tile_is_hit(const kdr_tile *tile, const kdr_instruction *line, size_t size, bool holds);

/* One row of it from a home, or back; one of plain arrays into a row of particles, or back. */
void kdr_tile_carry(const kdr_sweeper *sweeper, const kdr_column *home, kdr_form form, const kdr_tile *tile, char *row, bool back);
void kdr_tile_turn(const kdr_sweeper *sweeper, const kdr_column *plain, const kdr_tile *tile, char *row, bool back);

/* The inverse masses of particles [begin, begin + count) as a plain array: 0 where one is not active. */
void kdr_take_masses(const kdr_particles *particles, const kdr_copies *copies, size_t begin, size_t count, void *w);

/* At any address. */
bool kdr_is_any_zero(const void *w, size_t count, size_t size);

#endif
