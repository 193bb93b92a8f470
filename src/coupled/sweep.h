/* Sweeps: lines of a program over all particles, tile by tile, by the executor.
 *
 * Each row that outlasts a sweep has a home: arrays of the caller's or of the workspace, an axis each, which lie as they lie. A sweep brings
 * those rows of a tile into the first-level cache that its lines read, and takes back those that they set.
 *
 * Components that lie side by side, `double x[n][3]`, stay in their order: a row of a tile is then a row of particles, which is the same to lines
 * that treat every component alike, and only what stands beside them an array an axis (accelerations, inverse masses) is turned. */
#ifndef KDR_COUPLED_SWEEP_H
#define KDR_COUPLED_SWEEP_H

#include <kickdrift/integrator.h>

#include "../integrator/copies.h"
#include "segments.h"

/* The most rows of a program of calls: x, v, the inverse masses and what x and v were, and of a full tableau a stage, its velocities and slopes; and
 * the three that blocks add. */
enum { KDR_MAX_ROWS = 9 + 2 * KDR_MAX_STAGES };

/* Rows of a program of calls, by number: their first column divided by the axes. */
enum { KDR_ROW_X, KDR_ROW_V, KDR_ROW_MASSES, KDR_ROW_X_BEFORE, KDR_ROW_V_BEFORE };

/* How x and v lie: as rows of particles, or in any other way. */
bool kdr_lie_in_rows(const kdr_particles *particles);

/* Arrays whose elements lie side by side: plain ones would overlap. */
bool kdr_are_rows(void *const array[3], const kdr_particles *particles);

/* How a home's elements come into a tile: each axis is one run; all axes are one, in the tile's order; they are turned into that order; they are
 * members of structures; they lie in another way. */
typedef enum kdr_form { KDR_FORM_NONE, KDR_FORM_PLAIN, KDR_FORM_ROWS, KDR_FORM_TURNED, KDR_FORM_MEMBERS, KDR_FORM_APART } kdr_form;

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
    bool together;               /* x and v are one run of members */
    kdr_form form[KDR_MAX_ROWS]; /* of each row's home, or none */
    kdr_column home[KDR_MAX_ROWS];
} kdr_sweeper;

/* A sweeper whose x and v live in the particles' arrays. The program is one for masses where kdr_has_masses says so. `in_order`: of an axis, though
 * x and v may be rows of particles. */
kdr_sweeper kdr_sweeper_make(const kdr_program *program, const void *numbers, kdr_backend backend, const kdr_executor *executor,
                             const kdr_particles *particles, bool in_order);

/* Some particles must not be moved: they have inverse masses or marks. */
bool kdr_has_masses(const kdr_particles *particles);

/* Gives the row that begins with a column a home: plain arrays, or rows of particles. */
void kdr_sweeper_put(kdr_sweeper *sweeper, unsigned column, void *const array[3]);

/* What the UNCROSS of a sweep needs to undo its CROSS, for each tile. */
typedef struct kdr_kept_arrays {
    char *x, *v;   /* kdr_kept_size bytes each; a range of the executor begins where its particles' own elements would lie */
    size_t *from;  /* of each tile: bytes from x and v to its first vector */
    uint8_t *bits; /* likewise, `bits_stride` bytes */
    size_t bits_stride;
} kdr_kept_arrays;

/* How many tiles there are, and the bytes of x and of v. */
size_t kdr_tiles_of(const kdr_program *program, size_t count);
size_t kdr_kept_size(const kdr_program *program, size_t count);

typedef struct kdr_pass {
    kdr_lines part[2];           /* one after the other; a step ends between them */
    const kdr_kept_arrays *kept; /* of CROSS and UNCROSS, or NULL */
    void *const
        *before_x; /* plain arrays for what x and v were at the end of that step, or without a second part at the beginning; or NULL */
    void *const *before_v;
} kdr_pass;

/* Frozen particles and those without a mark keep every bit of their x and v, and rows that are sums have for them what the sum begins with. Where
 * nothing is in the lines, nothing is done. */
void kdr_sweep(const kdr_sweeper *sweeper, const kdr_pass *pass);

/* What lines read of the rows, before they set it, and what they set: bits, a row each. And of each row that is set what frozen particles have in it:
 * row x or v as it was, or -1, anything. */
typedef struct kdr_uses {
    uint64_t reads, sets;
    int8_t base[KDR_MAX_ROWS];
} kdr_uses;

void kdr_uses_none(kdr_uses *uses);
void kdr_uses_add(kdr_uses *uses, const kdr_program *program, const kdr_instruction *line, int lines);

/* One tile of a sweep, whose first and count say which particles it holds: its rows from their homes, padded with the last particle, and back. Inverse
 * masses are loaded after x and v, and what those are is kept: whether any particle is frozen. If so, what frozen particles have in the rows
 * that have been set is put right. */
void kdr_tile_load(const kdr_sweeper *sweeper, const kdr_tile *tile, uint64_t rows);
void kdr_tile_store(const kdr_sweeper *sweeper, const kdr_tile *tile, uint64_t rows);
bool kdr_tile_load_masses(const kdr_sweeper *sweeper, const kdr_tile *tile);
void kdr_tile_hold(const kdr_sweeper *sweeper, const kdr_tile *tile, const kdr_uses *uses);

/* What is done to plain arrays of all particles, by the executor. */
typedef struct kdr_arrays {
    const kdr_executor *executor;
    kdr_backend backend;
    const kdr_particles *particles;
} kdr_arrays;

/* A field's accelerations at the particles' x and v, into plain arrays; of the job those and the inverse masses are filled in. */
void kdr_sweep_field(const kdr_arrays *arrays, const kdr_job *job, void *const a[3], bool adds);

/* Elements of the particles' precision. */
void kdr_sweep_zeros(const kdr_arrays *arrays, void *const to[3]);
void kdr_sweep_copies(const kdr_arrays *arrays, void *const to[3], void *const from[3]);

/* Between the particles' x and v, wherever they lie, and plain arrays. */
void kdr_sweep_take(const kdr_arrays *arrays, void *const x[3], void *const v[3]);
void kdr_sweep_give(const kdr_arrays *arrays, void *const x[3], void *const v[3]);

#endif
