/* Subjects: cases that are not steps of a method. */
#ifndef KDR_CHECK_SUBJECTS_H
#define KDR_CHECK_SUBJECTS_H

#include "arena.h"
#include "check.h"
#include "random.h"

typedef struct kdr_check_subject {
    const char *name;
    uint32_t quick, rows; /* of the plans: in KDR_CHECK_QUICK, in the others; a case a row for each precision and arithmetic */
    /* Writes what is drawn for a case, behind its name, precision and arithmetic. */
    void (*describe)(const kdr_check_case *test, char *text, size_t size);
    /* As kdr_check_case_run_apart. The arena has as many slots as particles have arrays, for KDR_CHECK_MAX_COUNT elements each. */
    void (*run)(const kdr_check_arena *arena, const kdr_check_case *test, const kdr_check_runner *runners, size_t runner_count,
                kdr_check_tally *tallies, kdr_check_result *results, kdr_check_report_fn *report, void *context);
} kdr_check_subject;

/* NULL: a method. */
const kdr_check_subject *kdr_check_subject_of(int method);

extern const kdr_check_subject kdr_check_gravity;

/* What subjects share with the methods. */
uint64_t kdr_check_mix(uint64_t sum, uint64_t next);
double kdr_check_seconds(void);
void kdr_check_adversary(void *random, size_t count, kdr_range_fn *body, void *argument);

#endif
