/* A program: one step of a method in a field as a list of operations on the rows of a tile, and the driver that carries it out.
 *
 * An integrator makes its programs when it is created, one for each number of axes, with and without masses. They do not change
 * afterwards. At the beginning of a run the numbers are computed for a step dt. A program has three sections: before the first step,
 * each step, and after the last. */
#ifndef KDR_PROGRAM_PROGRAM_H
#define KDR_PROGRAM_PROGRAM_H

#include "../problem/problem.h"
#include "operation.h"

/* Kinds of a program's numbers: constants, multiples of dt or dt^2, and numbers that a run provides. All are computed in double. */
typedef enum kdr_number_kind {
    KDR_NUMBER_CONSTANT,
    KDR_NUMBER_STEP,   /* dt length value / divisor */
    KDR_NUMBER_SQUARE, /* (dt length)^2 value */
    KDR_NUMBER_MAP,    /* element `value` of the affine map, seven per row: x_0, x_1, x_2, v_0, v_1, v_2 */
    KDR_NUMBER_REST,   /* rounding error of number `value`, in compensated runs of floats */
    KDR_NUMBER_TILT,   /* tilt of the method's row, in compensated runs of floats */
    KDR_NUMBER_DECAY,  /* decay of the heat bath */
    KDR_NUMBER_NOISE
} kdr_number_kind;

typedef struct kdr_number {
    kdr_number_kind kind;
    double value, divisor;
    double length; /* length of the substep, as a fraction of the step: a system program lists all substeps */
} kdr_number;

/* Arrays of the caller that are columns of the tile. */
typedef enum kdr_tile_array {
    KDR_ARRAY_X,
    KDR_ARRAY_V,
    KDR_ARRAY_MEMORY,
    KDR_ARRAY_COMPENSATION, /* six: those of x, then those of v */
    KDR_ARRAY_ERROR,
    KDR_ARRAY_INVERSE_MASS,
    KDR_ARRAY_BLOCKS,
    KDR_ARRAY_K,  /* k of spring `index` */
    KDR_ARRAY_AT, /* centre of spring `index`, on an axis */
    KDR_ARRAY_B,  /* b of drag `index` */
    KDR_ARRAY_CUSTOM
} kdr_tile_array;

typedef struct kdr_load {
    uint8_t array, index;
    uint16_t column;
    /* offset of the array's pointer in the job; from KDR_ARRAY_K on, in the job's field */
    uint32_t offset;
} kdr_load;

/* The name of a row in --explain: its number, if there are several of that name (otherwise 0), its first column, and how many columns it
 * has. */
typedef struct kdr_row_name {
    const char *name;
    uint16_t number, column, columns;
} kdr_row_name;

enum { KDR_BEFORE, KDR_STEP, KDR_AFTER, KDR_SECTIONS };

/* The most numbers of a program: those of a user's tableau in a full field. */
enum { KDR_MAX_NUMBERS = 832 };

/* The most numbers that depend on dt in a method of substeps: those of a map, a rotation, an implicit stage. Each different length has
 * its own set; every substep except the middle one has a twin of equal length. */
enum { KDR_MAX_SCALED = 48, KDR_MAX_LENGTHS = (KDR_MAX_SUBSTEPS + 1) / 2 };

/* Bytes of a tile: half of a first-level cache of 48 KB. */
enum { KDR_TILE_BYTES = 24 << 10 };

typedef struct kdr_program {
    const kdr_kernels *kernels;
    kdr_operation *operation[KDR_OP_COUNT];              /* copies of the kernels' operations */
    const kdr_custom_operations *custom[KDR_MAX_CUSTOM]; /* operations of each custom field */
    const kdr_hot *hot;                                  /* specialised kernel that runs the program; may be NULL */
    /* specialised kernel that makes a step up to `walls`, or all of it; may be NULL */
    const kdr_hot *stepper;
    /* specialised kernel that makes the steps of particles that meet no wall and change no watched sign; may be NULL */
    const kdr_hot *within;
    int border;          /* index of the numbers of WALLS, or -1 */
    const kdr_row *row;  /* row of the method, in the problem */
    const char *why_not; /* without a specialised kernel: the reason, as part of a sentence */
    unsigned terms;      /* terms of the problem and the particles */
    int dims, vectors, columns;
    bool flushes_small;
    size_t size;           /* bytes of an element */
    int lane_bits;         /* a vector has 2^lane_bits elements */
    int end[KDR_SECTIONS]; /* end of each section */
    int load_count, number_count, name_count;
    int masses; /* column of the inverse masses, or -1 */
    int memory; /* first column of what the method keeps, or -1 */
    /* chunk of the stepper, in vectors: 1 if it joins three axes in a step before walls */
    int chunk;
    /* first column of the velocity that the kept acceleration was computed with, if a step ends with a periodic boundary and other
     * walls; or -1 */
    int seen;
    /* first instruction after the stepper's part, or -1; first column of the step's beginning */
    int walls, saved;
    /* index of each substep's length among the different lengths; NULL in a system program */
    const int *length;
    int scaled_begin, scaled_end; /* the range of numbers that are not constants */
    int made_begin, made_count;   /* columns that instructions before the first step compute from its length, for other instructions */
    /* sets of them: one per different length of substeps, the others after all columns; or 1, computed anew */
    int made_sets;
    kdr_row_name *name;
    kdr_instruction *line;
    kdr_load *load;
    kdr_number *number;
    void *numbers; /* constants, in the particles' precision; all numbers, once the program is prepared */
    uint16_t *list;
    /* in a system program: some instruction treats a particle's components together, or needs its index */
    bool mixes;
    /* in a compensated system program: first column of the compensations of x, followed by those of v; otherwise 0 */
    int lost;
} kdr_program;

/* The description of a program: the problem, the kernels, the number of axes, with or without masses, and colliders folded for that many
 * axes. */
typedef struct kdr_program_desc {
    const kdr_problem *problem;
    const kdr_kernels *kernels;
    kdr_backend backend;
    int dims;
    bool masses;
    bool blocks; /* for programs of slopes: interactions have slopes too */
    bool flies;  /* for flights, which are parts of a step: no colliders and boundary */
    const void *colliders;
} kdr_program_desc;

/* Makes a program. Returns NULL without memory. */
kdr_program *kdr_program_make(const kdr_program_desc *desc);

/* Returns whether the program has instructions after the last step. Specialised kernels do not carry them out, but can make the steps. */
static inline bool kdr_program_has_end(const kdr_program *program) { return program->end[KDR_AFTER] > program->end[KDR_STEP]; }

/* Returns whether a specialised kernel runs the program or makes its steps, and needs the row's coefficients (bind.c). */
static inline bool kdr_program_has_instance(const kdr_program *program) { return program->hot || program->stepper || program->within; }

static inline size_t kdr_scaled_size(const kdr_program *program) {
    return (size_t)(program->scaled_end - program->scaled_begin) * program->size;
}

/* Makes a system program: an EVALUATE stands for the user's function, and sweeps carry out the instructions between two of them. Every
 * row has a column per axis, in this order: x, v; with masses the inverse masses, x and v as they were, and their old compensations;
 * compensations; rows of the method. If one kick and one drift on each side of a step's end suffice, the last section is NEXT_STEP,
 * NEXT_STEP without its first part, STEP_BACK. A tile has a power of two of particles, at most KDR_TILE_PARTICLES. */
kdr_program *kdr_program_of_calls(const kdr_program_desc *desc);

enum { KDR_TILE_PARTICLES = 64 };

/* Returns the vectors of its tiles, from its columns and kernels. */
int kdr_vectors_of_calls(const kdr_program *program);

/* Makes a program that evaluates the problem's field. After the step it has the instruction that adds the acceleration to an array. */
kdr_program *kdr_program_of_field(const kdr_program_desc *desc);

/* Makes a program of the problem's derivatives, for an implicit method. After the step it has the instruction that replaces a residual
 * by Newton's correction. */
kdr_program *kdr_program_of_slopes(const kdr_program_desc *desc);

/* Makes a program of a kinematic method's maps of single particles. Its results are rows of the map, in place of accelerations. */
kdr_program *kdr_program_of_maps(const kdr_program_desc *desc);

/* Frees a program, which is one allocation. NULL is allowed. */
void kdr_program_destroy(kdr_program *program);

/* Rounds the numbers for a step dt into `numbers`, KDR_MAX_NUMBERS elements. `map` and `bath` are read only if the method has them. */
void kdr_program_bind(const kdr_program *program, double dt, const kdr_affine_map *map, const kdr_bath *bath, void *numbers);

/* Stores the numbers for steps dt in the program itself. Nobody else may use it meanwhile. */
void kdr_program_prepare(kdr_program *program, double dt, const kdr_affine_map *map, const kdr_bath *bath);

/* The most columns of a tile. */
enum { KDR_TILE_COLUMNS = KDR_TILE_BYTES / 64 };

/* Sets the addresses of a tile's columns, from its memory and column size. */
static inline void kdr_tile_point(kdr_tile *tile, char **at, int columns) {
    for (int i = 0; i < columns; ++i) {
        at[i] = tile->memory + (size_t)i * tile->column;
    }
    tile->at = at;
}

/* Makes all steps of the job for particles [begin, end). Their arrays are plain. */
void kdr_program_run(const kdr_job *job, size_t begin, size_t end);

/* The most particles of a chunk of kdr_hot_within. */
enum { KDR_WITHIN_PARTICLES = KDR_WITHIN_BYTES / sizeof(float) };

/* Limits of the positions of a chunk's particles. */
typedef struct kdr_limits {
    double low[3][KDR_WITHIN_PARTICLES], high[3][KDR_WITHIN_PARTICLES];
} kdr_limits;

/* Returns the number of particles for kdr_program_run_within; 0 if the job has no kernel for that, or too few steps. */
size_t kdr_program_within(const kdr_job *job);

/* Takes particles [begin, end), at most kdr_program_within, through steps of a job that resumes, as long as all end each step within their
 * limits, meet no wall and do not rest. Returns the number of steps. */
uint64_t kdr_program_run_within(const kdr_job *job, const kdr_limits *limits, size_t begin, size_t end);

/* Makes the single step of the job for particles [begin, end) in structures with x and v of three axes, if a specialised kernel can.
 * Returns whether it did. */
bool kdr_program_step_members(const kdr_job *job, char *far, size_t stride, size_t begin, size_t end);

/* The arrays that an evaluation sets, or adds to, one per axis. A magnetic field in a plane has one, across the plane. */
enum { KDR_EVALUATED_ROWS = 2 * (2 * 3 + 1) };
typedef struct kdr_evaluated {
    void *row[KDR_EVALUATED_ROWS][3]; /* accelerations and magnetic fields; or the rows of each particle's map */
    bool adds[KDR_EVALUATED_ROWS];
} kdr_evaluated;

/* Evaluates the field for particles [begin, end) at the job's x, v and `base`: accelerations, and magnetic fields if the program has
 * them. With a program of slopes it replaces residuals by corrections. */
void kdr_program_evaluate(const kdr_job *job, const kdr_evaluated *to, size_t begin, size_t end);

/* Writes the program as text: tile, rows, specialised kernel, and the instructions of each section with their rows and numbers.
 * `problem` and `backend` are those that it was made for. Writes as much as fits, and returns the length of the whole. */
size_t kdr_program_text(const kdr_program *program, const kdr_problem *problem, const char *backend, char *text, size_t size);

/* Returns the bound below which values are tiny: a run that rests sets them to 0 once in KDR_FLUSH_STEPS steps. */
static inline double kdr_nothing(kdr_real real) { return real == KDR_F32 ? 0x1p-100 : 0x1p-900; }

#endif
