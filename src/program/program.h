/* A program: one step of a method in a field as a list of operations on the rows of a tile, and the driver that carries it out.
 *
 * A program is made once for each number of axes, with masses and without, when an integrator is created. It does not change afterwards.
 * Its numbers are bound to a step dt at the beginning of a run. It has three sections: what is done before the first step, each step, and
 * what is done after the last. */
#ifndef KDR_PROGRAM_PROGRAM_H
#define KDR_PROGRAM_PROGRAM_H

#include "../problem/problem.h"
#include "operation.h"

/* A number of a program: a constant; or a power of dt times `value`, divided by `divisor`, in double; or one of a run. */
typedef enum kdr_number_kind {
    KDR_NUMBER_CONSTANT,
    KDR_NUMBER_STEP,   /* dt value / divisor; dt stands for dt length */
    KDR_NUMBER_SQUARE, /* dt dt value */
    KDR_NUMBER_MAP,    /* element `value` of the affine map, seven a row: x_0, x_1, x_2, v_0, v_1, v_2 */
    KDR_NUMBER_REST,   /* what rounding takes from number `value`, in compensated runs of floats */
    KDR_NUMBER_TILT,   /* of the method's row, likewise */
    KDR_NUMBER_DECAY,  /* of the heat bath */
    KDR_NUMBER_NOISE
} kdr_number_kind;

typedef struct kdr_number {
    kdr_number_kind kind;
    double value, divisor;
    double length; /* dt is that of a step times this: the lines of a program of calls are those of all substeps */
} kdr_number;

/* An array of the caller's that is a column of the tile. */
typedef enum kdr_array {
    KDR_ARRAY_X,
    KDR_ARRAY_V,
    KDR_ARRAY_MEMORY,
    KDR_ARRAY_COMPENSATION, /* six: those of x, then those of v */
    KDR_ARRAY_ERROR,
    KDR_ARRAY_INVERSE_MASS,
    KDR_ARRAY_BLOCKS,
    KDR_ARRAY_K,  /* of spring `index` */
    KDR_ARRAY_AT, /* of spring `index`, on an axis */
    KDR_ARRAY_B,  /* of drag `index` */
    KDR_ARRAY_CUSTOM
} kdr_array;

typedef struct kdr_load {
    uint8_t array, index;
    uint16_t column;
    uint32_t offset; /* of the pointer to it in the job; from KDR_ARRAY_K on in the job's field */
} kdr_load;

/* What people call a row: its name, the number behind it when there are several (else 0), its first column and how many. */
typedef struct kdr_row_name {
    const char *name;
    uint16_t number, column, columns;
} kdr_row_name;

enum { KDR_BEFORE, KDR_STEP, KDR_AFTER, KDR_SECTIONS };

/* The most numbers that a program has: those of a caller's tableau, and of a full field. */
enum { KDR_MAX_NUMBERS = 832 };

/* The most of them that dt scales, where a step has substeps: those of a map, a rotation, an implicit stage. Each length has a set of them,
 * and every substep but one in the middle has a twin. */
enum { KDR_MAX_SCALED = 48, KDR_MAX_LENGTHS = (KDR_MAX_SUBSTEPS + 1) / 2 };

/* Bytes of a tile: half of a first-level cache of 48 KB. */
enum { KDR_TILE_BYTES = 24 << 10 };

typedef struct kdr_program {
    const kdr_kernels *kernels;
    kdr_operation *operation[KDR_OP_COUNT];              /* the kernels' */
    const kdr_custom_operations *custom[KDR_MAX_CUSTOM]; /* those of each custom field in the list */
    const kdr_hot *hot;                                  /* the instance that runs it, or NULL */
    const kdr_hot *stepper;                              /* the instance that takes all lines of a step, or those before `walls`; or NULL */
    const kdr_row *row;                                  /* of the method: the problem's */
    const char *why_not;                                 /* without an instance: the reason, as part of a sentence */
    unsigned terms;                                      /* of the problem and the particles */
    int dims, vectors, columns;
    bool rests;
    size_t size;           /* bytes of an element */
    int lane_bits;         /* 2^lane_bits elements are a vector */
    int end[KDR_SECTIONS]; /* of each section, in lines */
    int load_count, number_count, name_count;
    int masses;        /* the column of the inverse masses, or -1 */
    int memory;        /* the first column of what the method keeps, or -1 */
    int chunk;         /* the stepper's, in vectors: 1 if it joins three axes in a step before walls */
    int seen;          /* of the velocity that the kept acceleration was computed with, where a period and walls end a step; or -1 */
    int walls, saved;  /* the first line behind what a stepper takes, or -1; the first column of what a step began with */
    const int *length; /* of each substep, which of their lengths it has: the problem's; or NULL, and the lines are all substeps' */
    int scaled_begin, scaled_end; /* the numbers that are no constants lie in between */
    int made_begin, made_count;   /* the columns that lines before the first step make of the step's length, and other lines read */
    int made_sets;                /* of them, behind all columns those but the first: one a length of substeps, or one alone, made anew */
    kdr_row_name *name;
    kdr_instruction *line;
    kdr_load *load;
    kdr_number *number;
    void *numbers; /* in the particles' precision, where they are constants; all of them, once it is prepared */
    uint16_t *list;
    bool mixes; /* of a program of calls: some line treats the components of a particle together, or knows which particle it is */
    int lost;   /* of such a program, compensated: the first column of the compensations of x, those of v behind it; or 0 */
} kdr_program;

/* What a program is made for: particles of `dims` axes, with masses or without; colliders folded for as many axes; the operations of a
 * backend, and those of the problem's custom fields for it. */
typedef struct kdr_program_desc {
    const kdr_problem *problem;
    const kdr_kernels *kernels;
    kdr_backend backend;
    int dims;
    bool masses;
    bool blocks; /* of slopes: what acts between particles has some too */
    bool flies;  /* of a part of a step: without colliders and a boundary, which follow a step */
    const void *colliders;
} kdr_program_desc;

/* NULL without memory. */
kdr_program *kdr_program_make(const kdr_program_desc *desc);

/* Behind the last step there are lines, of which instances know nothing: they take the steps alone. */
static inline bool kdr_program_has_end(const kdr_program *program) { return program->end[KDR_AFTER] > program->end[KDR_STEP]; }

/* An instance runs it or takes its steps, and needs the row's numbers (bind.c). */
static inline bool kdr_program_has_instance(const kdr_program *program) { return program->hot || program->stepper; }

static inline size_t kdr_scaled_size(const kdr_program *program) {
    return (size_t)(program->scaled_end - program->scaled_begin) * program->size;
}

/* The program of a method whose accelerations others compute, who carry out the lines between two of its EVALUATEs on any arrays. All its
 * rows have a column an axis: x, v and, with masses, the inverse masses and what x and v were before, and their compensations, where they
 * are compensated; the compensations; then those of the method. Its section
 * after the last step is what ends a step, where one kick and one drift on each side are enough: NEXT_STEP, NEXT_STEP without its first
 * part, STEP_BACK. Its tiles are a power of two of particles, at most KDR_TILE_PARTICLES. */
kdr_program *kdr_program_of_calls(const kdr_program_desc *desc);

enum { KDR_TILE_PARTICLES = 64 };

/* The vectors of its tiles, by its columns and kernels. */
int kdr_vectors_of_calls(const kdr_program *program);

/* The program of an evaluation of the problem's field; behind it the line that adds the acceleration to what is there. */
kdr_program *kdr_program_of_field(const kdr_program_desc *desc);

/* The program of an implicit method's derivatives of the problem's field; behind it the line that makes Newton's correction of the residual
 * that is there, in place of an acceleration. */
kdr_program *kdr_program_of_slopes(const kdr_program_desc *desc);

/* The program of the maps of a kinematic method, of each particle its own: rows of a column an axis, in the place of accelerations. */
kdr_program *kdr_program_of_maps(const kdr_program_desc *desc);

/* What one allocation holds; NULL is allowed. */
void kdr_program_destroy(kdr_program *program);

/* Rounds the numbers for a step dt into `numbers`, KDR_MAX_NUMBERS elements. `map` and `bath` are read where the method has them. */
void kdr_program_bind(const kdr_program *program, double dt, const kdr_affine_map *map, const kdr_bath *bath, void *numbers);

/* Into the program itself, for runs of steps dt to read; while nobody else uses it. */
void kdr_program_prepare(kdr_program *program, double dt, const kdr_affine_map *map, const kdr_bath *bath);

/* The most columns of a tile. */
enum { KDR_TILE_COLUMNS = KDR_TILE_BYTES / 64 };

/* Points to the columns of a tile, whose memory and column size are known. */
static inline void kdr_tile_point(kdr_tile *tile, char **at, int columns) {
    for (int i = 0; i < columns; ++i) {
        at[i] = tile->memory + (size_t)i * tile->column;
    }
    tile->at = at;
}

/* Takes all steps of the job for particles [begin, end). Their arrays are plain. */
void kdr_program_run(const kdr_job *job, size_t begin, size_t end);

/* Takes the one step of the job for particles [begin, end) that lie in structures, x and v of three axes side by side, if a hot instance
 * does so. */
bool kdr_program_step_members(const kdr_job *job, char *far, size_t stride, size_t begin, size_t end);

/* What an evaluation sets or, where it adds, adds to: arrays an axis. In a plane a magnetic field has one, across it. */
enum { KDR_EVALUATED_ROWS = 2 * (2 * 3 + 1) };
typedef struct kdr_evaluated {
    void *row[KDR_EVALUATED_ROWS][3]; /* accelerations; the magnetic field that each particle turns by; or the rows of its map */
    bool adds[KDR_EVALUATED_ROWS];
} kdr_evaluated;

/* Evaluates the field for particles [begin, end) at the x and v of the job and its `base`: accelerations, and the magnetic field where the
 * program has lines for it; or by a program of slopes, which adds, makes the correction of what is there. */
void kdr_program_evaluate(const kdr_job *job, const kdr_evaluated *to, size_t begin, size_t end);

/* The program as text, for people: tile, rows, hot instance, and in each section what is done, to which rows, with which numbers.
 * `problem`: what it was made for; `backend`: the name of the one it was made for. Writes as much as fits, and returns the length of the
 * whole. */
size_t kdr_program_text(const kdr_program *program, const kdr_problem *problem, const char *backend, char *text, size_t size);

/* What is smaller in size is next to nothing: 0, once in KDR_REST_STEPS steps of a run that rests. */
static inline double kdr_nothing(kdr_real real) { return real == KDR_F32 ? 0x1p-100 : 0x1p-900; }

#endif
