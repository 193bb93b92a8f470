/* What a program is made of: operations on the rows of a tile.
 *
 * A tile is `vectors` vectors of particles in the first-level cache. It consists of columns, each one array of the tile's particles; a row
 * is a column for each axis, one behind the other, named by its first column. An operation reads some rows and writes one or two.
 * Operations know their tile and their line of the program, and nothing else: neither what comes before nor what comes after. */
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

/* A row of base values: those of the three axes, and the time of the evaluation; in f32 behind it that time in double. */
enum { KDR_BASE = 6 };

/* A row of double becomes one of f32, elsewhere or in place. */
static inline void kdr_base_narrow(const double row[KDR_BASE], void *to) {
    float *const out = (float *)to;
    const double time = row[3];
    for (int i = 0; i < 4; ++i) {
        const float value = (float)row[i];
        memcpy(out + i, &value, sizeof value);
    }
    memcpy(out + 4, &time, sizeof time);
}

/* Operations on a sum of terms, four of a kind: affine terms by their mask, and sums of others that are met often. */
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

/* What such an operation does with the acceleration, in this order: the enumerators are below. */
#define KDR_FORMS(X, FOUR, CODE, name)                                                                                                     \
    FOUR(X, CODE, name, "$out = $field")                                                                                                   \
    FOUR(X, CODE##_KICK, name##_kick, "$out = $field; $v += $k0 $out")                                                                     \
    FOUR(X, CODE##_KICK_DRIFT, name##_kick_drift, "$out = $field; $v += $k0 $out; $x += $k1 $v")                                           \
    FOUR(X, CODE##_VERLET, name##_verlet, "$v += $k0 $out; $x += $k1 $v; $out = $field; $v += $k2 $out")                                   \
    FOUR(X, CODE##_STAGE, name##_stage, "$vs = $v + $sumv; $out = $field")
#define KDR_LAST_FORM(X, FOUR, CODE, name)                                                                                                 \
    FOUR(X, CODE##_LAST, name##_last, "$vs = $v + $sumv; $out = $field; $x += $k ($weighx); $v += $k ($weighv)")

/* Every operation, and what it does. In the words of the right column p + k y is one fma in the fused arithmetic. What follows a $ is of
 * the line of the program: its rows out, x, v and other, its numbers c0 and c1, and what words.c makes of the others. */
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
    X(EVALUATE, evaluate, "$out = the accelerations at $x, $v, which others compute")                                                      \
    X(NEXT_STEP, next_step, "$x, $v after the kicks and drifts by $other to the end of a step, and from there on")                         \
    X(STEP_BACK, step_back, "$x, $v = what they were at the end of that step")                                                             \
    X(REST, rest, "$x, $v$kept = 0 where smaller than 2^-100, in f64 2^-900, after every 128th step")                                      \
    X(HELD_DRIFT, held_drift, "$out += $c0 $v$lost, and $out, $v back on the $constraints along their gradients at $out before")           \
    X(HOLD_VELOCITY, hold_velocity, "$v = what it has along the $constraints at $x$halves")                                                \
    X(HOLD, hold, "$x, $v = the end of the step that began at $other, back on the $constraints")                                           \
    X(WALLS, walls, "$x, $v = the end of the step that began at $other, after its $walls")                                                 \
    X(REFLECT, reflect, "$xs = the end of the drift that began at $other, reflected by its $colliders$forgets")                            \
    X(SETTLE, settle, "$settled")                                                                                                          \
    X(CROSS, cross, "$out += $v cross $other")                                                                                             \
    X(VELOCITY, velocity, "$out = $v / sqrt(1 + $light |$v|^2)")                                                                           \
    X(SLOW, slow, "$out = $out / $gamma")

enum kdr_opcode {
#define KDR_OPCODE(code, name, what) KDR_OP_##code,
    KDR_OPERATIONS(KDR_OPCODE)
#undef KDR_OPCODE
        KDR_OP_COUNT
};

/* Nothing; v is kicked; v is kicked and x drifts, and the acceleration is not kept; velocity Verlet, which does that before it, too, and
 * kicks again; it is that of a Runge-Kutta stage, whose slopes of x and of v are added up first: vs is kept, as a slope of x; it is that
 * of the last of four, of which the two in the middle weigh the same, and the step is made: neither slope is kept; or it is in the middle
 * of a step of Boris' between two drifts, two kicks and perhaps a turn, of a field without drags. */
enum { KDR_FORM_ALONE, KDR_FORM_KICK, KDR_FORM_KICK_DRIFT, KDR_FORM_VERLET, KDR_FORM_STAGE, KDR_FORM_LAST, KDR_FORM_BORIS };

/* Where the four of a form begin that are alone: KDR_OP_BASE, KDR_OP_MASS or KDR_OP_FIELD_MAGNETIC; -1: no such operation. */
static inline int kdr_group_of(int code) {
    const bool sums = code >= KDR_OP_FIELD_MAGNETIC && code < KDR_OP_FIELD, masses = code >= KDR_OP_MASS && code < KDR_OP_FIELD_MAGNETIC;
    return code >= KDR_OP_BASE && code < KDR_OP_FORCE ? KDR_OP_BASE : masses ? KDR_OP_MASS : sums ? KDR_OP_FIELD_MAGNETIC : -1;
}

static inline int kdr_form_of(int code) { return kdr_group_of(code) < 0 ? KDR_FORM_ALONE : (code - kdr_group_of(code)) / 4; }

/* The terms of a sum that are not affine ones alone stand in a list, where those have the number of theirs. The mask: KDR_TERM_STIFFNESS,
 * KDR_TERM_DAMPING, and these. */
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

/* When a line is carried out: a sum of these. */
enum {
    KDR_WHEN_FRESH = 1,      /* the run does not go on from what the particles' memory holds */
    KDR_WHEN_RESUMED = 2,    /* it does */
    KDR_WHEN_ESTIMATING = 4, /* the particles ask for estimates of the error */
    KDR_WHEN_LAST = 8,       /* the run's last piece */
    KDR_WHEN_HIT = 16,       /* WALLS has changed a particle */
    KDR_WHEN_STEPPING = 32,  /* always true */
    KDR_WHEN_OPENING = 64,   /* in the first substep of a step */
    KDR_WHEN_CLOSING = 128   /* in the last one */
};

/* Whose kept acceleration a line SETTLE sets: that of all whom WALLS has changed, of those who met a wall, of those whom a period alone has
 * put back, or of nobody. */
typedef enum kdr_settled { KDR_SETTLE_ALL, KDR_SETTLE_MET, KDR_SETTLE_RENAMED, KDR_SETTLE_NONE } kdr_settled;

/* Once in so many steps of the clock REST sets to 0 what is next to nothing. */
enum { KDR_REST_STEPS = 128 };

/* One line of a program. Rows are named by their first column. */
typedef struct kdr_instruction {
    uint8_t code, when;
    uint8_t evaluation; /* which base values of the step; KDR_NO_BASE: zeros */
    uint8_t count;      /* terms of a sum, entries of a field */
    uint16_t out, x, v, other;
    uint16_t number; /* the first of its numbers */
    uint16_t list;   /* the first of its list of columns */
} kdr_instruction;

enum { KDR_NO_BASE = 255, KDR_NO_COLUMN = 0x3fff }; /* a list's columns may be marked KDR_JOINS and KDR_ENDS (method/rows.h) */

/* What MAP and MAPS are about, a sum of these as their count; likewise SOLVE, INVERSE and NEWTON. */
enum { KDR_MAP_EACH = 1, KDR_MAP_COUPLED = 2, KDR_MAP_SPRINGS = 4, KDR_MAP_OFFSET = 8, KDR_MAP_COMPENSATED = 16 };

/* The columns of a particle's own map. */
static inline int kdr_map_columns(unsigned marks, int dims) { return (marks & KDR_MAP_COUPLED) ? 2 * dims * (2 * dims + 1) : 6 * dims; }
enum { KDR_SOLVE_SEPARATE = 1, KDR_SOLVE_EACH = 2 };

/* Whose ROTATION and TURN are, as their count: all particles', each particle's by its inverse mass, or by the row `x` of magnetic fields,
 * or half of R - 1 by that. */
enum { KDR_TURN_ALL, KDR_TURN_MASS, KDR_TURN_FIELD, KDR_TURN_HALF };

/* What NEXT_STEP does, as a sum: a kick and a drift up to the end of a step, and one of each behind it; behind each kick its drift. A
 * number each, in this order. Where x goes is `out`, where v goes `list`. */
enum { KDR_NEXT_STEP_KICK = 1, KDR_NEXT_STEP_DRIFT = 2, KDR_NEXT_STEP_THEN_KICK = 4, KDR_NEXT_STEP_THEN_DRIFT = 8 };

/* What takes x and v back to the end of the step that NEXT_STEP has left: vectors that cannot be computed back, one behind the other. A bit
 * for each vector of the rows says whether it is there. */
typedef struct kdr_kept {
    char *x, *v; /* the next one's place; moved on */
    uint8_t *bits;
} kdr_kept;

/* What a field run is about. `real`: an element of the particles' precision. */
typedef struct kdr_job kdr_job;

typedef struct kdr_tile {
    char *memory;    /* the columns, one behind the other */
    size_t column;   /* bytes from one to the next */
    char *const *at; /* each column; with one axis they may lie anywhere */
    int vectors, dims;
    unsigned state;      /* which KDR_WHEN_ hold */
    int rounds;          /* of an iteration, that are left */
    bool again;          /* the driver is to go back to TRIAL */
    double h;            /* length of the step, or of the substep */
    const void *numbers; /* of the program: real */
    const void *base;    /* of this step: KDR_BASE real an evaluation */
    const uint16_t *list;
    const kdr_job *job;
    uint64_t step;                                     /* on the run's clock */
    size_t first, count;                               /* the particles: those behind `count` repeat the last one */
    kdr_kept *kept;                                    /* of NEXT_STEP and STEP_BACK, or NULL: nobody goes back */
    const struct kdr_custom_operations *const *custom; /* the program's */
} kdr_tile;

typedef void kdr_operation(kdr_tile *tile, const kdr_instruction *line);

/* kdr_affine_axis_rates and kdr_map_axis, kdr_map_axes: the library's, for units that lie outside it. */
typedef void kdr_map_fn(const kdr_contributions *contributions, const kdr_field *field, unsigned terms, const kdr_affine_each *each,
                        int axis_or_dims, double h, kdr_affine_map *map);
typedef void kdr_rates_fn(const kdr_field *field, unsigned terms, const kdr_affine_each *each, int axis, int lane, kdr_axis_rates *to);

/* Maps of affine motion of `count` particles, at most KDR_AXIS_LANES: the numbers that kdr_affine_axis makes of each one's rates, to the
 * bit: the increments of x by v, by x and the constant, then those of v. */
typedef void kdr_maps(const kdr_axis_rates *rates, int count, double h, double made[6][KDR_AXIS_LANES]);

struct kdr_molecule_job;

/* The operations of one (backend, precision, arithmetic). */
typedef struct kdr_kernels {
    kdr_operation *operation[KDR_OP_COUNT];
    /* So many bytes of elements to a column, behind which the last of them is repeated. */
    void (*take)(char *to, const char *from, size_t bytes, size_t column);
    /* to = from, but for frozen particles, who have `old`; any of the three may be the same. */
    void (*hold)(char *to, const char *from, const char *old, const char *inverse_mass, size_t vectors);
    /* Copies n particles' elements, `members` (not 5) of them side by side, `stride` bytes from particle to particle, to plain arrays or
     * back. */
    void (*carry)(void *far, size_t stride, int members, void *const near[6], size_t n, bool back);
    /* Where an element of y is next to nothing it becomes 0, and so does its compensation, which may be NULL. */
    void (*rest)(char *y, char *lost, int vectors);
    bool roots_apart;          /* a kick, or a kick and drift, behind roots is faster as a line of its own */
    const struct kdr_hot *hot; /* whole steps of constant method and field, behind the last one without a name; NULL: none */
    int vector;                /* bytes */
    /* Takes a molecule from surface to surface (kernel/molecules.h); NULL: only units of single elements do. */
    bool (*molecule)(const struct kdr_molecule_job *job, size_t molecule, void *scratch);
} kdr_kernels;

/* Those that a custom field brings, whose lines have the entry of the field as their count. */
typedef struct kdr_custom_operations {
    kdr_operation *add, *jacobian; /* the second NULL: it does not say its derivatives */
    const struct kdr_hot *hot;     /* whole steps of one entry of the field, likewise */
} kdr_custom_operations;

/* memcpy of whole elements, which is not called: for a few particles the call takes longer. */
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

struct kdr_hot;

/* Steps particles [begin, end) by an instance of its unit, and returns where it stopped: less than a chunk is left. */
typedef size_t kdr_hot_run(const struct kdr_hot *hot, const kdr_job *job, size_t begin, size_t end);

/* Whole chunks, the bytes [from, to) of each column: the caller's or a tile's. */
typedef struct kdr_hot_range {
    char *column[3][3]; /* x, v and the kept acceleration on each axis; of that NULL: there is none */
    ptrdiff_t seen;     /* x and v are read so many bytes behind where they are written */
    const char *w;      /* the inverse masses, or NULL */
    char *tile;         /* the columns are its; or NULL */
    size_t from, to, ahead;
    uint64_t steps;
    bool joined; /* three axes at once, a vector at a time */
    bool fresh;  /* there is no acceleration to go on from */
} kdr_hot_range;

/* The most bytes of what an instance is given, and what makes it for the axes from `axis` on that are stepped together. */
enum { KDR_HOT_CONSTANTS = 2048 };
typedef void kdr_hot_prepare(const struct kdr_hot *hot, const kdr_job *job, int axis, int axes, void *constants);

/* Takes a range through all its steps. `constants`: the unit's, of the run on these axes. */
typedef void kdr_hot_take(const kdr_job *job, const kdr_hot_range *restrict range, const void *restrict constants);

/* Takes all of them, fewer than a chunk, through one step. */
typedef void kdr_hot_remainder(const kdr_job *job, size_t begin, size_t end);

/* Takes all of them through one step in structures, `stride` bytes from particle to particle; `far`: x on the first axis of particle 0. */
typedef void kdr_hot_members(const kdr_job *job, char *far, size_t stride, size_t begin, size_t end);

/* A hot instance: a family's rows, all or one, in a field of exactly these terms. */
typedef struct kdr_hot {
    const char *name;
    int family, method; /* method: KDR_METHOD_COUNT for all rows of the family that `stages` lets through */
    int stages;         /* 0: any */
    unsigned terms;
    bool together;   /* all three axes at once: for particles of three axes alone */
    int tile, chunk; /* vectors: of a tile in the cache, and stepped at once; equal: in registers; tile 0: the program is faster here */
    bool one_step;   /* for runs of one step: at more the program is faster */
    int steps;       /* that a chunk takes at a time */
    bool joins;      /* in runs of one step three axes are stepped at once, a vector at a time */
    bool aligned;    /* columns that are not a tile's must lie at multiples of a vector */
    kdr_hot_run *run;
    kdr_hot_prepare *prepare;
    kdr_hot_take *take;
    kdr_hot_remainder *remainder; /* or NULL */
    kdr_hot_members *members;     /* of three axes, x and v side by side; or NULL */
} kdr_hot;

struct kdr_program;

struct kdr_job {
    const kdr_field *field;
    const kdr_row *row;
    const struct kdr_program *program;
    const void *numbers;    /* of the program, bound to dt: real */
    const void *scaled_row; /* `scaled_count` of a hot instance, the row's coefficients times dt (method/family.h): real */
    int scaled_count;
    unsigned terms; /* of the field and of the particles */
    int dims;
    double dt;
    uint64_t steps;
    int substeps;           /* of a step; at least 1 */
    const double *substep;  /* h of each */
    const void *scaled;     /* with more than one, for each length that they have the numbers that it scales: real */
    const void *base;       /* real: the constant part of the field, a row; of a driven field for each evaluation of each step */
    size_t base_stride;     /* from a step or substep to the next in bytes, 0 when undriven */
    const void *start_base; /* real: that of the evaluation at the start of the run, for methods that keep their acceleration */
    void *x[3], *v[3];
    const void *inverse_mass;               /* or NULL */
    const void *radius;                     /* which colliders see, or NULL */
    double largest_radius;                  /* of all, or 0 */
    void *memory[3];                        /* or NULL */
    void *compensation[6];                  /* or NULL */
    void *blocks[6];                        /* slopes of what acts between particles, as kdr_slopes_fn has them; or NULL */
    double weight;                          /* of an iteration's correction (method/semi_iteration.h); the step before it has 1 less */
    bool resume;                            /* memory and compensation hold what to start from */
    bool begun, unfinished;                 /* a piece of a run that is not its first, not its last */
    bool fused_roots;                       /* square roots by multiply-adds, where the operations know how */
    size_t fetch_ahead;                     /* bytes: a hot instance's one step of particles in memory asks for them so early */
    kdr_maps *maps;                         /* who makes the maps where they differ from particle to particle */
    const kdr_contributions *contributions; /* NULL: the map is that of the affine field as a whole */
    kdr_map_fn *map_axis, *map_axes;
    kdr_rates_fn *axis_rates;
    kdr_bath bath;      /* of the Langevin family */
    const uint64_t *id; /* names of the particles, or NULL: first_id + index */
    uint64_t first_id, first_step;
    const void *walls; /* `wall_count` kdr_wall_f32 or kdr_wall_f64, with KDR_TERM_COLLIDERS or KDR_TERM_REFLECTING */
    size_t wall_count;
    double t0;            /* of the clock whose steps these are: where surfaces that move stand, */
    uint64_t later;       /* and which step of the run is its first */
    bool walls_move;      /* some do */
    const uint8_t *bound; /* marks of the first `bound_count` particles: those with one meet walls as parts of molecules; or NULL */
    size_t bound_count;
    const void *held; /* constraints, likewise */
    size_t held_count;
    uint32_t *hits;        /* of each particle, at any address, or NULL */
    uint32_t *unsolved;    /* of each particle, or NULL */
    double *dissipated[2]; /* of each particle, or NULL */
    void *error;           /* of each particle, or NULL: real */
    int32_t *images[3];    /* of each particle, or all NULL */
    /* Who writes down contacts, or NULL, and how: kdr_recorder_note. */
    struct kdr_recorder *recorder;
    void (*note)(struct kdr_recorder *recorder, kdr_contact *contact, double fraction);
    /* Takes one particle from x, v through a part of a step, `length` of it from the fraction `begin` on, and nothing else: real. `pull`:
     * an acceleration that acts on it besides, real, or NULL. NULL: its path is a parabola. `flyer`: who does so. */
    void (*fly)(const struct kdr_job *job, size_t particle, uint64_t step, double begin, double length, const void *pull, void *x, void *v);
    const void *flyer;
    bool pulled;         /* others act on the particles: the mean of that in a step is a pull in its flights */
    const size_t *index; /* of gathered particles, in the caller's view; NULL: they are where they were */
};

#endif
