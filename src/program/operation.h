/* The elements of a program: operations on the rows of a tile.
 *
 * A tile is `vectors` vectors of particles in the first-level cache. It consists of columns, each one array of the tile's particles. A
 * row is one column per axis, consecutive, and named by its first column. An operation reads some rows and writes one or two. It knows
 * its tile and its instruction and nothing else: neither what comes before nor what comes after. */
#ifndef KDR_PROGRAM_OPERATION_H
#define KDR_PROGRAM_OPERATION_H

#include <string.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../force/collider.h"
#include "../force/field.h"
#include "../method/contributions.h"
#include "../method/method.h"

/* The elements of a base value: three axes, the time of the evaluation, and in f32 that time again as a double. */
enum { KDR_BASE = 6 };

/* Converts a base value from double to f32, in place or elsewhere. */
static inline void kdr_base_narrow(const double row[KDR_BASE], void *to) {
    float *const out = (float *)to;
    const double time = row[3];
    for (int i = 0; i < 4; ++i) {
        const float value = (float)row[i];
        memcpy(out + i, &value, sizeof value);
    }
    memcpy(out + 4, &time, sizeof time);
}

/* Groups of four operations on a sum of terms: affine terms by their mask, and common sums of other terms. */
#define KDR_AFFINE(X, CODE, name, words)                                                                                                   \
    X(CODE, name, words)                                                                                                                   \
    X(CODE##_SPRING, name##_spring, words)                                                                                                 \
    X(CODE##_DRAG, name##_drag, words)                                                                                                     \
    X(CODE##_SPRING_DRAG, name##_spring_drag, words)
#define KDR_SUMS(X, CODE, name, words)                                                                                                     \
    X(CODE##_MAGNETIC, name##_magnetic, words)                                                                                             \
    X(CODE##_QUADRATIC, name##_quadratic, words)                                                                                           \
    X(CODE##_CENTRE, name##_centre, words)                                                                                                 \
    X(CODE##_DRAG_CENTRE, name##_drag_centre, words)

/* The forms of such an operation: what it does with the acceleration. The enumerators below have the same order. */
#define KDR_FORMS(X, FOUR, CODE, name)                                                                                                     \
    FOUR(X, CODE, name, "$out = $field")                                                                                                   \
    FOUR(X, CODE##_KICK, name##_kick, "$out = $field; $v += $k0 $out")                                                                     \
    FOUR(X, CODE##_KICK_DRIFT, name##_kick_drift, "$out = $field; $v += $k0 $out; $x += $k1 $v")                                           \
    FOUR(X, CODE##_VERLET, name##_verlet, "$v += $k0 $out; $x += $k1 $v; $out = $field; $v += $k2 $out")                                   \
    FOUR(X, CODE##_STAGE, name##_stage, "$vs = $v + $sumv; $out = $field")
#define KDR_LAST_FORM(X, FOUR, CODE, name)                                                                                                 \
    FOUR(X, CODE##_LAST, name##_last, "$vs = $v + $sumv; $out = $field; $x += $k ($weighx); $v += $k ($weighv)")

/* All operations with their descriptions, in which p + k y is one fma in fused arithmetic. A word after $ refers to the instruction: its
 * rows out, x, v and other, its numbers c0 and c1, and further words that words.c defines. */
#define KDR_OPERATIONS(X)                                                                                                                  \
    X(COPY, copy, "$outs = $xs")                                                                                                           \
    X(ZERO, zero, "$out = 0")                                                                                                              \
    X(ADVANCE, advance, "$out += $c0 $x")                                                                                                  \
    X(ADVANCE_COMPENSATED, advance_compensated, "$out += $c0 $x$lost")                                                                     \
    X(KICK_DRIFT, kick_drift, "$v += $c0 $other; $out += $c1 $v")                                                                          \
    X(SUM, sum, "$out = $x + $sum")                                                                                                        \
    X(WEIGH, weigh, "$out = $weighed")                                                                                                     \
    X(WEIGH_ADVANCE, weigh_advance, "$out += $c0 ($weighed)")                                                                              \
    KDR_FORMS(X, KDR_AFFINE, BASE, base)                                                                                                   \
    KDR_LAST_FORM(X, KDR_AFFINE, BASE, base)                                                                                               \
    KDR_AFFINE(X, BASE_BORIS, base_boris, "$x += $k0 $v; $out = $field; $v += $k0 $out$turned; $v += $k0 $out; $x += $k0 $v")              \
    KDR_AFFINE(X, FORCE, force, "$out = $field")                                                                                           \
    KDR_FORMS(X, KDR_AFFINE, MASS, mass)                                                                                                   \
    KDR_FORMS(X, KDR_SUMS, FIELD, field)                                                                                                   \
    KDR_LAST_FORM(X, KDR_SUMS, FIELD, field)                                                                                               \
    X(FIELD, field, "$out = $field")                                                                                                       \
    X(MAGNETIC, magnetic, "$out += $v cross $m")                                                                                           \
    X(SPRINGS, springs, "$out += $springs")                                                                                                \
    X(DRAGS, drags, "$out += $drags")                                                                                                      \
    X(QUADRATIC, quadratic, "$out += $quadratics")                                                                                         \
    X(CUSTOM, custom, "$out += $custom")                                                                                                   \
    X(TIMES_MASS, times_mass, "$out = $base + $other $out")                                                                                \
    X(CENTRES, centres, "$out += $centres")                                                                                                \
    X(ESTIMATE, estimate, "$out = the largest of $out and |$c0 $v|$held")                                                                  \
    X(MULTISTEP, multistep, "$x, $v = $x + (($x - $v) + $c0 $other), $x")                                                                  \
    X(MULTISTEP_START, multistep_start, "$v = $x + ($c1 $other + $c0 $v)")                                                                 \
    X(MULTISTEP_END, multistep_end, "$v, $other = (($x - $v) + (($x - $v) + $c0 $other)) / ($c1), $v")                                     \
    X(ROTATION, rotation, "$out = R - 1, R the rotation by $angle")                                                                        \
    X(TURN, turn, "$v += $x $v$lost")                                                                                                      \
    X(AMPLITUDE, amplitude, "$out = $amplitude, and the halves of the ids")                                                                \
    X(BATH, bath, "$v += $c0 $v + $x xi$lost, xi normal and a function of (seed, step, id)")                                               \
    X(MAPS, maps, "$out = the increments of the motion during $span of each particle under $affine")                                       \
    X(MAP, map, "$x, $v += $increments$lost")                                                                                              \
    X(PUSH, push, "$out += $push$lost")                                                                                                    \
    X(JACOBIAN, jacobian, "$out = dF/dv + $th dF/dx of springs and drags")                                                                 \
    X(JACOBIAN_QUADRATIC, jacobian_quadratic, "$out += dF/dv of quadratic drags at $v")                                                    \
    X(JACOBIAN_MASS, jacobian_mass, "$out = $other $out")                                                                                  \
    X(JACOBIAN_CENTRES, jacobian_centres, "$out += $th da/dx of centres at $x")                                                            \
    X(JACOBIAN_WHOLE, jacobian_whole, "$out = $x as a whole matrix$skew")                                                                  \
    X(JACOBIAN_CUSTOM, jacobian_custom, "$out += da/dv + $th da/dx of the custom field at $x, $v")                                         \
    X(JACOBIAN_BLOCKS, jacobian_blocks, "$out += $x, of what acts between particles")                                                      \
    X(INVERSE, inverse, "$out = (1 - $c0 $out)^-1")                                                                                        \
    X(SOLVE, solve, "$out = $other $x")                                                                                                    \
    X(GUESS, guess, "$out = (V - $v) / $th, V what quadratic drags alone make of $v")                                                      \
    X(OPEN, open, "$out = 1, or 0 where a particle is frozen or held; slope, size = 0")                                                    \
    X(TRIAL, trial, "V = $v + $th (A + D); y = $x + $th V")                                                                                \
    X(NEWTON, newton, "A, D = A + D, (1 - $c0 $other)^-1 ($x - A - D), or A, D / 2; again, $rounds times at most")                         \
    X(ARRIVE, arrive, "$out += D, D = what that loses; without D where $x is not 0, and count these")                                      \
    X(CORRECT, correct, "$out = (1 - $c0 $other)^-1 $out")                                                                                 \
    X(CONVERGE, converge, "A += $x, $x = what that loses; V = $v + $c0 A; y = $other + $c0 V; $out = 1 where these are no solution")       \
    X(NEXT_STEP, next_step, "$x, $v after the kicks and drifts by $other to the end of a step, and from there on")                         \
    X(STEP_BACK, step_back, "$x, $v = what they were at the end of that step")                                                             \
    X(FLUSH_SMALL, flush_small, "$x, $v$kept = 0 where smaller than 2^-100, in f64 2^-900, after every 128th step")                        \
    X(HELD_DRIFT, held_drift, "$out += $c0 $v$lost, and $out, $v back on the $constraints along their gradients at $out before")           \
    X(HOLD_VELOCITY, hold_velocity, "$v = what it has along the $constraints at $x$halves")                                                \
    X(HOLD, hold, "$x, $v = the end of the step that began at $other, back on the $constraints")                                           \
    X(WALLS, walls, "$x, $v = the end of the step that began at $other, after its $walls")                                                 \
    X(REFLECT, reflect, "$xs = the end of the drift that began at $other, reflected by its $colliders$forgets")                            \
    X(SETTLE, settle, "$settled")                                                                                                          \
    X(CROSS, cross, "$out += $v cross $other")                                                                                             \
    X(VELOCITY, velocity, "$out = $v / sqrt(1 + $light |$v|^2)")                                                                           \
    X(SLOW, slow, "$out = $out / $gamma")

/* All codes: those of the operations, and EVALUATE, which has none, because the caller evaluates. */
#define KDR_CODES(X) KDR_OPERATIONS(X) X(EVALUATE, evaluate, "$out = the accelerations at $x, $v, which others compute")

enum kdr_opcode {
#define KDR_OPCODE(code, name, what) KDR_OP_##code,
    KDR_CODES(KDR_OPCODE)
#undef KDR_OPCODE
        KDR_OP_COUNT
};

/* The forms: ALONE only computes the acceleration. KICK also kicks v. KICK_DRIFT kicks v and drifts x; the acceleration is not stored.
 * VERLET does both before the acceleration and kicks after it. STAGE adds up slopes of x and v first, as a Runge-Kutta stage, and stores
 * vs as a slope of x. LAST is the last of four stages with equal middle weights, and makes the step; it stores no slopes. BORIS is a
 * step of Boris, with or without a rotation, in a field without drags. */
enum { KDR_FORM_ALONE, KDR_FORM_KICK, KDR_FORM_KICK_DRIFT, KDR_FORM_VERLET, KDR_FORM_STAGE, KDR_FORM_LAST, KDR_FORM_BORIS };

/* Returns the first code of the group with form ALONE: KDR_OP_BASE, KDR_OP_MASS or KDR_OP_FIELD_MAGNETIC; -1 for other operations. */
static inline int kdr_group_of(int code) {
    const bool sums = code >= KDR_OP_FIELD_MAGNETIC && code < KDR_OP_FIELD, masses = code >= KDR_OP_MASS && code < KDR_OP_FIELD_MAGNETIC;
    return code >= KDR_OP_BASE && code < KDR_OP_FORCE ? KDR_OP_BASE : masses ? KDR_OP_MASS : sums ? KDR_OP_FIELD_MAGNETIC : -1;
}

static inline int kdr_form_of(int code) { return kdr_group_of(code) < 0 ? KDR_FORM_ALONE : (code - kdr_group_of(code)) / 4; }

/* The list entries of a sum that has more than affine terms; the instruction's number is then the index of the first entry. The mask has
 * KDR_TERM_STIFFNESS, KDR_TERM_DAMPING and the flags below. */
enum {
    KDR_SUM_MASK,
    KDR_SUM_AFFINE_NUMBER,
    KDR_SUM_MAGNETIC_NUMBER,
    KDR_SUM_QUADRATIC_NUMBER,
    KDR_SUM_QUADRATICS,
    KDR_SUM_CENTRE_NUMBER,
    KDR_SUM_CENTRES,
    KDR_SUM_ENTRIES
};
enum { KDR_SUM_FORCE = 4, KDR_SUM_MASS = 8, KDR_SUM_MAGNETIC = 16 };

/* Conditions under which an instruction is carried out; any one of several flags suffices. */
enum {
    KDR_WHEN_FRESH = 1,      /* the run does not resume from the particles' memory */
    KDR_WHEN_RESUMED = 2,    /* the run resumes from the particles' memory */
    KDR_WHEN_ESTIMATING = 4, /* the particles have arrays for error estimates */
    KDR_WHEN_LAST = 8,       /* in the last piece of a run */
    KDR_WHEN_HIT = 16,       /* WALLS has changed a particle */
    KDR_WHEN_STEPPING = 32,  /* always true */
    KDR_WHEN_OPENING = 64,   /* in the first substep of a step */
    KDR_WHEN_CLOSING = 128   /* in the last substep of a step */
};

/* The marks that WALLS writes for a particle: MET if it met something, RENAMED if only a periodic boundary moved it. In a compensated run
 * it adds CHANGES times 2^k for each component that has changed: k is 0 to 2 for x, 3 to 5 for v. */
enum { KDR_MARK_MET = 1, KDR_MARK_RENAMED = 2, KDR_MARK_CHANGES = 4 };

/* The particles whose kept acceleration SETTLE sets: all that WALLS has changed; those that met a wall; those that only a periodic
 * boundary moved; none. */
typedef enum kdr_settled { KDR_SETTLE_ALL, KDR_SETTLE_MET, KDR_SETTLE_RENAMED, KDR_SETTLE_NONE } kdr_settled;

/* FLUSH_SMALL sets tiny values to 0 once in this many steps of the clock. */
enum { KDR_FLUSH_STEPS = 128 };

/* An instruction of a program. Rows are named by their first column. */
typedef struct kdr_instruction {
    uint8_t code, when;
    uint8_t evaluation; /* index of the base value within the step; KDR_NO_BASE means zeros */
    uint8_t count;      /* terms of a sum, entries of a field, or flags */
    uint16_t out, x, v, other;
    uint16_t number; /* index of the first of its numbers */
    uint16_t list;   /* index of the first entry of its list */
} kdr_instruction;

enum { KDR_NO_BASE = 255, KDR_NO_COLUMN = 0x3fff }; /* columns in a list may carry the marks KDR_JOINS and KDR_ENDS (method/rows.h) */

/* Flags of MAP and MAPS, in their count. The flags of SOLVE, INVERSE and NEWTON are below. */
enum { KDR_MAP_EACH = 1, KDR_MAP_COUPLED = 2, KDR_MAP_SPRINGS = 4, KDR_MAP_OFFSET = 8, KDR_MAP_COMPENSATED = 16 };

/* Returns the number of columns of one particle's own map. */
static inline int kdr_map_columns(unsigned marks, int dims) { return (marks & KDR_MAP_COUPLED) ? 2 * dims * (2 * dims + 1) : 6 * dims; }
enum { KDR_SOLVE_SEPARATE = 1, KDR_SOLVE_EACH = 2 };

/* Rotations by ROTATION and TURN, in their count: one for all particles; one per inverse mass; one per element of row `x` of magnetic
 * fields; half of R - 1 by that row. */
enum { KDR_TURN_ALL, KDR_TURN_MASS, KDR_TURN_FIELD, KDR_TURN_HALF };

/* Flags of NEXT_STEP: a kick and a drift up to the end of a step, and one of each after it; a kick precedes its drift. Each has one
 * number, in this order. x is written to row `out`, v to row `list`. */
enum { KDR_NEXT_STEP_KICK = 1, KDR_NEXT_STEP_DRIFT = 2, KDR_NEXT_STEP_THEN_KICK = 4, KDR_NEXT_STEP_THEN_DRIFT = 8 };

/* Saved vectors, one after the other, with which STEP_BACK restores the x and v before NEXT_STEP. Vectors that can be computed backwards
 * are not saved; a bit per vector tells. */
typedef struct kdr_kept {
    char *x, *v; /* address of the next vector; advances */
    uint8_t *bits;
} kdr_kept;

/* The job of a field run. `real` in its comments means an element of the particles' precision. */
typedef struct kdr_job kdr_job;

typedef struct kdr_tile {
    char *memory;    /* the columns, one after the other */
    size_t column;   /* bytes from one column to the next */
    char *const *at; /* address of each column; with one axis they may lie anywhere */
    int vectors, dims;
    unsigned state;      /* the KDR_WHEN_ conditions that hold */
    int rounds;          /* iterations that are left */
    bool again;          /* asks the driver to go back to TRIAL */
    double h;            /* length of the step or substep */
    const void *numbers; /* the program's numbers, in the particles' precision */
    const void *base;    /* base values of this step: KDR_BASE real per evaluation */
    const uint16_t *list;
    const kdr_job *job;
    uint64_t step;                                     /* number of the step on the run's clock */
    size_t first, count;                               /* the particles; elements after `count` repeat the last one */
    kdr_kept *kept;                                    /* for NEXT_STEP and STEP_BACK; NULL if no step is undone */
    const struct kdr_custom_operations *const *custom; /* custom operations of the program */
} kdr_tile;

typedef void kdr_operation(kdr_tile *tile, const kdr_instruction *line);

/* The library's functions kdr_affine_axis_rates, kdr_map_axis and kdr_map_axes, for kernels outside the library. */
typedef void kdr_map_fn(const kdr_contributions *contributions, const kdr_field *field, unsigned terms, const kdr_affine_each *each,
                        int axis_or_dims, double h, kdr_affine_map *map);
typedef void kdr_rates_fn(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis, int lane, kdr_axis_rates *to);

/* Makes the maps of affine motion for up to KDR_AXIS_LANES particles, with the bits of kdr_affine_axis: the increments of x by v, by x
 * and the constant, then those of v. */
typedef void kdr_maps(const kdr_axis_rates *rates, int count, double h, double made[6][KDR_AXIS_LANES]);

struct kdr_molecule_job;

/* The operations of one backend, precision and arithmetic. */
typedef struct kdr_kernels {
    kdr_operation *operation[KDR_OP_COUNT];
    /* Copies `bytes` bytes of elements to a column and fills it with copies of the last element. */
    void (*take)(char *to, const char *from, size_t bytes, size_t column);
    /* Sets to = from, except that frozen particles get `old`. Any of the three may be the same address. */
    void (*hold)(char *to, const char *from, const char *old, const char *inverse_mass, size_t vectors);
    /* Copies n particles with `members` consecutive elements each (not 5), with a stride of `stride` bytes, to plain arrays or back. */
    void (*carry)(void *far, size_t stride, int members, void *const near[6], size_t n, bool back);
    /* Sets tiny elements of y to 0, with their compensations, if `lost` is not NULL. */
    void (*flush_small)(char *y, char *lost, int vectors);
    bool roots_apart;          /* a kick, or a kick and drift, after roots is faster as an instruction of its own */
    const struct kdr_hot *hot; /* specialised kernels, up to the first without a name; NULL: none */
    int vector;                /* bytes of a vector */
    /* Moves a molecule from surface to surface (kernel/molecules.h). NULL except for the scalar backend. */
    bool (*molecule)(const struct kdr_molecule_job *job, size_t molecule, void *scratch);
} kdr_kernels;

/* The operations of a custom field. The count of their instructions is the index of the field's entry. */
typedef struct kdr_custom_operations {
    kdr_operation *add, *jacobian; /* jacobian is NULL if the field does not have derivatives */
    const struct kdr_hot *hot;     /* specialised kernels for one entry of the field; NULL: none */
} kdr_custom_operations;

/* Copies whole elements of at least 4 bytes without a call of memcpy, which would cost more for a few particles. */
static inline void kdr_copy_few(char *to, const char *from, size_t bytes) {
    for (; bytes >= 16; bytes -= 16, to += 16, from += 16) {
        memcpy(to, from, 16);
    }
    if (bytes & 8) {
        memcpy(to, from, 8);
        to += 8, from += 8;
    }
    if (bytes & 4) {
        memcpy(to, from, 4);
    }
}

/* The most bytes of a chunk on one axis. */
enum { KDR_HOT_BYTES = 18 * 64 };

/* The vectors of a chunk of kdr_hot_within, and its most bytes on one axis. */
enum { KDR_WITHIN_VECTORS = 2, KDR_WITHIN_BYTES = KDR_WITHIN_VECTORS * 64 };

/* The numbers of WALLS: for each axis KDR_PERIOD_NUMBERS of the boundary, which are low, high, minus the size, the size, the inverse of the
 * size. From KDR_FREE_NUMBERS on, for each axis low and high of the box in which particles need no work. */
enum { KDR_PERIOD_NUMBERS = 5, KDR_FREE_NUMBERS = 3 * KDR_PERIOD_NUMBERS };

struct kdr_hot;

/* Steps particles [begin, end) by a specialised kernel. Returns where it stopped, with less than a chunk left. */
typedef size_t kdr_hot_run(const struct kdr_hot *hot, const kdr_job *job, size_t begin, size_t end);

/* Whole chunks: bytes [from, to) of each column, in the caller's arrays or in a tile. */
typedef struct kdr_hot_range {
    char *column[3][3]; /* x, v and the kept acceleration, on each axis; the last is NULL if there is none */
    ptrdiff_t seen;     /* offset in bytes from where x and v are written to where they are read */
    const char *w;      /* inverse masses; may be NULL */
    char *tile;         /* the tile that has the columns; may be NULL */
    size_t from, to, ahead;
    uint64_t steps;
    bool joined;         /* three axes at once, one vector each */
    bool fresh;          /* there is no kept acceleration yet */
    const void *limits;  /* kdr_hot_within: for each axis a column of low ones, then of high ones; NULL: none */
    const void *periods; /* kdr_hot_within: numbers of the periodic boundary, to be applied instead of stopping; may be NULL */
} kdr_hot_range;

/* The most bytes of a specialised kernel's constants, and the function that computes them for `axes` axes from `axis` on, which are
 * stepped together. */
enum { KDR_HOT_CONSTANTS = 2048 };
typedef void kdr_hot_prepare(const struct kdr_hot *hot, const kdr_job *job, int axis, int axes, void *constants);

/* Takes a range through all its steps. `constants` are those of the run on these axes. */
typedef void kdr_hot_take(const kdr_job *job, const kdr_hot_range *restrict range, const void *restrict constants);

/* Tries to take a chunk on three axes through the range's steps. Returns the number of steps before the one in which a particle leaves its
 * limits. If that is fewer than the range's steps, nothing was stored. */
typedef uint64_t kdr_hot_within(const kdr_job *job, const kdr_hot_range *restrict range, const void *restrict constants);

/* Takes all particles, fewer than a chunk, through one step. */
typedef void kdr_hot_remainder(const kdr_job *job, size_t begin, size_t end);

/* Takes particles in structures, with a stride of `stride` bytes, through one step. `far` is x on the first axis of particle 0. */
typedef void kdr_hot_members(const kdr_job *job, char *far, size_t stride, size_t begin, size_t end);

/* A specialised kernel: whole steps of one row, or of a family's rows, in a field of exactly these terms. */
typedef struct kdr_hot {
    const char *name;
    /* method: KDR_METHOD_COUNT for all rows of the family that `stages` permits */
    int family, method;
    int stages; /* 0 for any number */
    unsigned terms;
    bool all_axes; /* steps all three axes at once; only for particles of three axes */
    /* in vectors: particles per tile in the cache, and particles stepped at once. If they are equal, registers are used; with tile 0
     * the program is faster. */
    int tile, chunk;
    bool one_step;               /* only for runs of one step; for more the program is faster */
    int steps;                   /* steps that a chunk makes before the next chunk */
    bool all_axes_when_one_step; /* in runs of one step, steps three axes at once, one vector each */
    bool aligned;                /* needs aligned columns outside a tile */
    kdr_hot_run *run;
    kdr_hot_prepare *prepare;
    kdr_hot_take *take;
    kdr_hot_remainder *remainder; /* may be NULL */
    kdr_hot_members *members;     /* for three axes, x and v in one structure; may be NULL */
    kdr_hot_within *within;       /* its chunk has KDR_WITHIN_VECTORS; may be NULL */
} kdr_hot;

struct kdr_program;

struct kdr_job {
    const kdr_field *field;
    const kdr_row *row;
    const struct kdr_program *program;
    const void *numbers; /* numbers of the program for dt: real */
    /* `scaled_count` coefficients of a specialised kernel, the row's times dt (method/family.h): real */
    const void *scaled_row;
    int scaled_count;
    unsigned terms; /* terms of the field and of the particles */
    int dims;
    double dt;
    uint64_t steps;
    int substeps;          /* substeps per step; at least 1 */
    const double *substep; /* length of each */
    const void *scaled;    /* with several substeps, for each of their lengths the numbers that depend on it: real */
    /* constant part of the field: one base value, or in a driven field one per evaluation of each step: real */
    const void *base;
    size_t base_stride; /* bytes from one step or substep to the next; 0 if the field is not driven */
    /* base value of the evaluation at the start of the run, for methods that keep their acceleration: real */
    const void *start_base;
    void *x[3], *v[3];
    const void *inverse_mass; /* may be NULL */
    const void *radius;       /* for colliders; may be NULL */
    double largest_radius;    /* largest radius, or 0 */
    void *memory[3];          /* may be NULL */
    void *compensation[6];    /* may be NULL */
    void *blocks[6];          /* slopes of interactions, as in kdr_slopes_fn; may be NULL */
    double weight;            /* weight of an iteration's correction (method/semi_iteration.h); the previous step of A gets weight - 1 */
    bool resume;              /* memory and compensations hold the state to resume from */
    bool begun, unfinished;   /* the job is a piece of a run, and not its first; not its last */
    bool fused_roots;         /* compute square roots by multiply-adds, in operations that can */
    size_t fetch_ahead;       /* distance in bytes of prefetches, for a specialised kernel's single step of particles in memory */
    kdr_maps *maps;           /* makes maps that differ between particles */
    const kdr_contributions *contributions; /* NULL if the map is that of the affine field as a whole */
    kdr_map_fn *map_axis, *map_axes;
    kdr_rates_fn *axis_rates;
    kdr_bath bath;      /* constants of the heat bath */
    const uint64_t *id; /* ids of the particles; with NULL they are first_id + index */
    uint64_t first_id, first_step;
    /* `wall_count` kdr_wall_f32 or kdr_wall_f64, with KDR_TERM_COLLIDERS or KDR_TERM_REFLECTING */
    const void *walls;
    size_t wall_count;
    double t0;       /* start time of the clock, for moving colliders */
    uint64_t later;  /* steps of the run before this clock's first */
    bool walls_move; /* some collider moves */
    /* marks of the first `bound_count` particles: those with one meet colliders as parts of molecules; may be NULL */
    const uint8_t *bound;
    size_t bound_count;
    const void *held; /* `held_count` constraints, folded as walls are */
    size_t held_count;
    uint32_t *bounces;            /* one per particle, at any address; may be NULL */
    uint32_t *nonconverged;       /* one per particle; may be NULL */
    double *dissipated_energy[2]; /* one per particle; may be NULL */
    void *error;                  /* one per particle: real; may be NULL */
    int32_t *images[3];           /* one per particle; all NULL, or none */
    /* The recorder of contacts, which may be NULL, and the function kdr_recorder_note. */
    struct kdr_recorder *recorder;
    void (*note)(struct kdr_recorder *recorder, kdr_contact *contact, double fraction);
    /* Moves one particle from x, v through the part of a step that begins at fraction `begin` and is `length` long. `pull` is an
     * additional acceleration; it may be NULL. x, v and pull are real. With fly NULL the path is a parabola. `flyer` is the function's
     * user data. */
    void (*fly)(const struct kdr_job *job, size_t particle, uint64_t step, double begin, double length, const void *pull, void *x, void *v);
    const void *flyer;
    bool pulled;         /* others act on the particles; their mean acceleration in a step is the pull of flights */
    const size_t *index; /* indices of gathered particles in the caller's view; NULL if particles are in place */
};

#endif
