/* The builder of programs, which hands out columns and numbers and collects instructions. */
#ifndef KDR_PROGRAM_BUILD_H
#define KDR_PROGRAM_BUILD_H

#include "program.h"

/* Indices of the first numbers and list entries of a field's terms. */
typedef struct kdr_field_numbers {
    uint16_t affine; /* f, kx, kv, one per axis each */
    uint16_t magnetic, magnetic_row, springs, spring_list, drags, drag_list, custom, custom_list;
    uint16_t term[KDR_OP_COUNT]; /* first number of each other term, by the operation that adds it */
} kdr_field_numbers;

/* The limits of the largest program. Its instructions are those of 40 kicks and drifts in a field of fifteen instructions. Its list is
 * that of a full tableau: sums, again as part of stages, weights, heads of instructions, and arrays of the field. */
enum {
    KDR_MAX_LINES = 768,
    KDR_MAX_LISTS = 2 * KDR_MAX_STAGES * (KDR_MAX_STAGES - 1) + 4 * KDR_MAX_STAGES + 4 * KDR_MAX_FRACTIONS + 8 * KDR_SUM_ENTRIES + 64,
    KDR_MAX_LOADS = 64,
    KDR_MAX_NAMES = 96
};

typedef struct kdr_builder {
    const kdr_problem *problem;
    const void *colliders;
    unsigned terms;
    int dims;
    bool sums;              /* the method adds up contributions */
    bool calls;             /* the user's function evaluates the accelerations */
    bool flies;             /* as in kdr_program_desc */
    uint16_t x, v, c, mass; /* c: compensations of x, followed by those of v */
    uint16_t a;             /* the acceleration that a method keeps from step to step */
    bool roots_apart;       /* as in kdr_kernels */
    int sums_begin;         /* where the entries of sums begin in the list; they follow each other */
    uint16_t m;             /* row of each particle's magnetic field, which evaluations set; or KDR_NO_COLUMN */
    bool keeps;
    int seen;                   /* as in kdr_program */
    int made_begin, made_count; /* as in kdr_program */
    int evaluations;            /* number of evaluations so far in the step */
    kdr_field_numbers field;
    uint8_t when; /* condition of the instructions that follow */
    /* length of the substep, as a fraction of the step, that the numbers of the following instructions refer to */
    double length;
    int line_count, list_count, number_count, load_count, name_count, columns;
    int end[KDR_SECTIONS];
    kdr_instruction line[KDR_MAX_LINES];
    kdr_number number[KDR_MAX_NUMBERS];
    uint16_t list[KDR_MAX_LISTS];
    kdr_load load[KDR_MAX_LOADS];
    kdr_row_name name[KDR_MAX_NAMES];
} kdr_builder;

void kdr_build(kdr_builder *b, kdr_instruction line);

/* Add a row that --explain calls `name`, and return its first column: one of `count` columns; one with a column per axis; one of a
 * stage. kdr_build_load has a column loaded from an array, and kdr_build_list adds a column to the list. */
uint16_t kdr_build_columns(kdr_builder *b, const char *name, int number, int count);
uint16_t kdr_build_row(kdr_builder *b, const char *name);
uint16_t kdr_build_stage(kdr_builder *b, const char *name, int stage);
void kdr_build_load(kdr_builder *b, kdr_tile_array array, int index, int axis, unsigned column);
void kdr_build_list(kdr_builder *b, unsigned column);

/* Add numbers, and return the index of the first. A NULL array means zeros. */
uint16_t kdr_build_number(kdr_builder *b, kdr_number_kind kind, double value, double divisor);
uint16_t kdr_build_constant(kdr_builder *b, double value);
uint16_t kdr_build_constants(kdr_builder *b, const double *value, int count);
uint16_t kdr_build_step(kdr_builder *b, double fraction); /* dt times the fraction */

/* Instructions of the field (field.c): its numbers, its acceleration, and its derivatives. */
void kdr_build_field(kdr_builder *b);
void kdr_build_acceleration(kdr_builder *b, unsigned terms, uint16_t a, uint16_t x, uint16_t v, int evaluation);
void kdr_build_jacobian(kdr_builder *b, uint16_t g, uint16_t s, uint16_t x, uint16_t v, uint16_t step, int evaluation);

/* The columns of a step's beginning (walls.c), for walls that look back at it, and for absorbing boundaries that restore it. */
typedef struct kdr_saved {
    uint16_t x, a, c;
    uint16_t seen; /* velocity that the step's last evaluation saw, if kdr_wraps_see; otherwise KDR_NO_COLUMN */
} kdr_saved;
kdr_saved kdr_build_save(kdr_builder *b);

/* Adds the walls after a step, and returns the column that marks held particles, or KDR_NO_COLUMN. In a system program whose only wall
 * is a periodic boundary, kdr_build_arrival adds it instead, before the evaluation at the end of a step, if the method keeps that. */
uint16_t kdr_build_walls(kdr_builder *b, kdr_saved saved);
void kdr_build_arrival(kdr_builder *b);

/* For colliders that reflect each half drift: kdr_build_departure returns two rows for x and v before it, and kdr_build_reflection adds
 * the reflection. `begin` is the fraction of the step before the drift. */
uint16_t kdr_build_departure(kdr_builder *b);
void kdr_build_reflection(kdr_builder *b, kdr_saved saved, uint16_t departure, double begin);

/* Returns whether a step must save the velocity that its last evaluation saw. A particle that a periodic boundary moves has its kept
 * acceleration computed anew with that velocity. If the field depends on v only, the old acceleration is right, unless it was set to 0
 * as tiny. */
static inline bool kdr_wraps_see(unsigned terms, bool flushes) {
    const unsigned places = KDR_TERM_STIFFNESS | KDR_TERM_SPRINGS | KDR_TERM_CENTRES | KDR_TERM_CUSTOM;
    return (terms & KDR_TERM_PERIODIC) && (terms & KDR_TERMS_VELOCITY) && ((terms & places) || flushes);
}

/* Returns the instruction of a kinematic method's affine map (map.c). Its `out` is 0 unless particles have maps of their own, which
 * instructions before the first step make. */
kdr_instruction kdr_build_map(kdr_builder *b);
void kdr_build_maps(kdr_builder *b); /* only makes the maps of single particles, for other programs */

/* Adds NEXT_STEP, NEXT_STEP without its first part, and STEP_BACK (next_step.c), if there is at most one kick and one drift on each side
 * of a step's end. */
void kdr_build_next_step(kdr_builder *b, const kdr_splitting_row *row, bool keeps, uint16_t a);

/* Add the instructions of the implicit and magnetic families (implicit.c, magnetic.c). kdr_build_slopes adds the field's derivatives
 * alone, and after the step the instruction that divides by them. */
void kdr_build_implicit(kdr_builder *b);
void kdr_build_slopes(kdr_builder *b, bool blocks);
void kdr_build_magnetic(kdr_builder *b);

/* Returns whether the field rotates velocities: in a plane only the component across it does, on a line nothing does.
 * kdr_build_magnetic_row adds row m if each particle has its own field. */
bool kdr_build_turns(const kdr_builder *b);
void kdr_build_magnetic_row(kdr_builder *b);

/* Adds all three sections of a method's instructions (families.c). For a method of several substeps they are those of one substep. */
void kdr_build_method(kdr_builder *b);

/* Chooses the specialised kernel of a program that is otherwise complete (hot.c). */
void kdr_choose_hot(kdr_program *p, const kdr_program_desc *desc);

/* Merges neighbouring instructions (merge.c). */
void kdr_build_merge(kdr_builder *b);

#endif
