/* The cases of a check: what is drawn for a number, and the arrays of a case in memory. */
#ifndef KDR_CHECK_CASES_H
#define KDR_CHECK_CASES_H

#include <kickdrift/check.h>

#include "arena.h"
#include "random.h"

enum { CASE_ARRAYS = 2 * KDR_CHECK_MAX_ARRAYS, CASE_CALLS = 4, CASE_COUNTS = 1000 };

/* An array of a case. The kernel's copy is in the arena, with gaps between the elements or without. The others are contiguous. */
typedef struct kdr_check_column {
    int name;                         /* as in kdr_check_report::array */
    bool is_written;                  /* false: the kernel must only read it */
    int slot;                         /* of the arena; columns of structures share one */
    size_t stride;                    /* bytes between elements of the kernel's copy */
    unsigned char *at;                /* the kernel's copy */
    unsigned char *before, *expected; /* the elements before the call, and the reference's results */
} kdr_check_column;

/* A case, made from the seed and its number. */
typedef struct kdr_check_case_drawn {
    uint64_t number;
    size_t count;
    uint64_t steps;
    int calls;
    uint64_t steps_of_call[CASE_CALLS]; /* their sum is `steps` */
    unsigned place;                     /* one of KDR_CHECK_ALIGNED, ... */
    unsigned char paint;                /* the byte that memory outside of the elements holds */
    kdr_check_random random;
    int column_count;
    kdr_check_column column[CASE_ARRAYS];
} kdr_check_case_drawn;

/* Memory for one case at a time. A thread has its own. */
typedef struct kdr_check_memory {
    kdr_check_arena arena;
    unsigned char *copies; /* `before` and `expected` of all columns */
    size_t column_bytes;
} kdr_check_memory;

/* Returns whether there was memory for the largest case. kdr_check_memory_free accepts what a failed call left. */
bool kdr_check_memory_make(kdr_check_memory *memory, const kdr_check_desc *desc);
void kdr_check_memory_free(kdr_check_memory *memory);

/* Draws case `number`: places its columns and fills them with the elements before the call. */
void kdr_check_case_draw(kdr_check_case_drawn *drawn, const kdr_check_desc *desc, const kdr_check_memory *memory, uint64_t number);

/* Returns the address of an element of the kernel's copy. */
static inline unsigned char *kdr_check_element(const kdr_check_column *column, size_t index) { return column->at + index * column->stride; }

/* Paints over the elements of the column's slot, and returns whether the kernel has changed no byte outside of them. Otherwise *offset is
 * the distance of the first changed byte from the column's first element. */
bool kdr_check_is_painted(const kdr_check_memory *memory, const kdr_check_desc *desc, const kdr_check_case_drawn *drawn, int column,
                          ptrdiff_t *offset);

#endif
