/* How programs are made: a builder that columns, numbers and lines are asked of. */
#ifndef KDR_PROGRAM_BUILD_H
#define KDR_PROGRAM_BUILD_H

#include "program.h"

/* Where a field's numbers and lists begin. */
typedef struct kdr_field_numbers {
    uint16_t affine; /* f, kx, kv, an axis each */
    uint16_t magnetic, magnetic_row, springs, spring_list, drags, drag_list, custom, custom_list;
    uint16_t term[KDR_OP_COUNT]; /* of other terms, by the operation that adds them */
} kdr_field_numbers;

/* What the largest program needs: 40 kicks and drifts in a field of fifteen lines; a full tableau, whose sums stand in the list twice, as
 * they are and merged into stages, beside its weights, the heads of lines and the field's arrays. */
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
    bool calls;             /* others evaluate the accelerations */
    bool flies;             /* as kdr_program_desc has it */
    uint16_t x, v, c, mass; /* c: the compensations of x, behind them those of v */
    uint16_t a;             /* the acceleration that a method keeps from a step to the next */
    bool roots_apart;       /* as the kernels have it */
    int sums_begin;         /* where the sums of terms begin in the list, one behind the other */
    uint16_t m;             /* the magnetic field of each particle, which evaluations leave there, or KDR_NO_COLUMN */
    bool keeps;
    int seen;                   /* as kdr_program has it */
    int made_begin, made_count; /* as kdr_program has them */
    int evaluations;            /* made so far in a step */
    kdr_field_numbers field;
    uint8_t when;  /* of the lines that follow, */
    double length; /* and of the step that their numbers are fractions of */
    int line_count, list_count, number_count, load_count, name_count, columns;
    int end[KDR_SECTIONS];
    kdr_instruction line[KDR_MAX_LINES];
    kdr_number number[KDR_MAX_NUMBERS];
    uint16_t list[KDR_MAX_LISTS];
    kdr_load load[KDR_MAX_LOADS];
    kdr_row_name name[KDR_MAX_NAMES];
} kdr_builder;

void kdr_build(kdr_builder *b, kdr_instruction line);

/* Each returns the first column of a row that people call `name`: one of so many columns, one of a column an axis, and that of a stage. */
uint16_t kdr_build_columns(kdr_builder *b, const char *name, int number, int count);
uint16_t kdr_build_row(kdr_builder *b, const char *name);
uint16_t kdr_build_stage(kdr_builder *b, const char *name, int stage);
void kdr_build_load(kdr_builder *b, kdr_array array, int index, int axis, unsigned column);
void kdr_build_list(kdr_builder *b, unsigned column);

/* Each returns where the first of them stands. A NULL array is one of zeros. */
uint16_t kdr_build_number(kdr_builder *b, kdr_number_kind kind, double value, double divisor);
uint16_t kdr_build_constant(kdr_builder *b, double value);
uint16_t kdr_build_constants(kdr_builder *b, const double *value, int count);
uint16_t kdr_build_step(kdr_builder *b, double fraction); /* dt times it */

/* field.c */
void kdr_build_field(kdr_builder *b);
void kdr_build_acceleration(kdr_builder *b, unsigned terms, uint16_t a, uint16_t x, uint16_t v, int evaluation);
void kdr_build_jacobian(kdr_builder *b, uint16_t g, uint16_t s, uint16_t x, uint16_t v, uint16_t step, int evaluation);

/* walls.c: the columns of what a step begins with, where walls look at it or an absorbing boundary gives it back; and walls after it. */
typedef struct kdr_saved {
    uint16_t x, a, c;
    uint16_t seen; /* the velocity that the step's last evaluation sees, where kdr_wraps_see, or else KDR_NO_COLUMN */
} kdr_saved;
kdr_saved kdr_build_save(kdr_builder *b);

/* Returns the column that marks who was held, or KDR_NO_COLUMN. In a program of calls a periodic boundary alone is the business of
 * kdr_build_arrival, in front of the evaluation at the end of a step, where a method keeps that. */
uint16_t kdr_build_walls(kdr_builder *b, kdr_saved saved);
void kdr_build_arrival(kdr_builder *b);

/* Where colliders reflect each drift, half of one, of which `begin` of the step has passed: from where it departs, x and v in two rows. */
uint16_t kdr_build_departure(kdr_builder *b);
void kdr_build_reflection(kdr_builder *b, kdr_saved saved, uint16_t departure, double begin);

/* A particle that a periodic boundary puts back has its kept acceleration computed at its new place, with the velocity that the step's last
 * evaluation saw. In a field that depends on v alone this is the acceleration that there is, unless that has come to rest. */
static inline bool kdr_wraps_see(unsigned terms, bool rests) {
    const unsigned places = KDR_TERM_STIFFNESS | KDR_TERM_SPRINGS | KDR_TERM_CENTRES | KDR_TERM_CUSTOM;
    return (terms & KDR_TERM_PERIODIC) && (terms & KDR_TERMS_VELOCITY) && ((terms & places) || rests);
}

/* map.c: the line of a kinematic method's affine map; `out` is 0 but where particles have their own, which the lines before the first step
 * make. */
kdr_instruction kdr_build_map(kdr_builder *b);
void kdr_build_maps(kdr_builder *b); /* nothing but the maps of particles, which others then take from it */

/* next_step.c: NEXT_STEP, NEXT_STEP without its first part and STEP_BACK, where one kick and one drift on each side of a step's end are
 * enough. */
void kdr_build_next_step(kdr_builder *b, const kdr_splitting_row *row, bool keeps, uint16_t a);

/* implicit.c, magnetic.c: those of a family; and the field's slopes alone, behind the step the line that divides by them. */
void kdr_build_implicit(kdr_builder *b);
void kdr_build_slopes(kdr_builder *b, bool blocks);
void kdr_build_magnetic(kdr_builder *b);

/* Velocities turn by the field: in a plane by what is across it, on a line not at all. Where each particle turns by a field of its own, row
 * m is made for that. */
bool kdr_build_turns(const kdr_builder *b);
void kdr_build_magnetic_row(kdr_builder *b);

/* families.c: the lines of a method, all three sections: of a substep, where it is taken through several. */
void kdr_build_method(kdr_builder *b);

/* hot.c: the instance of a program that is made but for that. */
void kdr_choose_hot(kdr_program *p, const kdr_program_desc *desc);

/* merge.c */
void kdr_build_merge(kdr_builder *b);

#endif
