/* Sweeps. */
#include "sweep.h"

#include <string.h>

#include "../particles/executor.h"

/* Elements: the executor's unit of work; and how many are taken from pass to pass while what the passes share is in the second-level cache. */
enum { BLOCK = KDR_PASS_BLOCK, TOGETHER = 2 * KDR_PASS_BLOCK };

typedef struct sweep sweep;
typedef void one_pass(const sweep *s, int pass, size_t begin, size_t end);

struct sweep {
    const kdr_passes *passes;
    one_pass *run;
    const void *pass;
    void *const *to;
    const void *const *from;
    size_t size;
    int count_passes;
    bool shares; /* arrays, among its passes */
    size_t count;
};

static void move(const sweep *s, int pass, size_t begin, size_t end) { s->passes->move((const kdr_pass *)s->pass + pass, begin, end); }

static void undo(const sweep *s, int pass, size_t begin, size_t end) { s->passes->undo((const kdr_pass *)s->pass + pass, begin, end); }

static void stage(const sweep *s, int pass, size_t begin, size_t end) {
    s->passes->stage((const kdr_stage_pass *)s->pass + pass, begin, end);
}

static void sum(const sweep *s, int pass, size_t begin, size_t end) { s->passes->sum((const kdr_sum_pass *)s->pass + pass, begin, end); }

static void field(const sweep *s, int pass, size_t begin, size_t end) {
    s->passes->field((const kdr_field_pass *)s->pass + pass, begin, end);
}

static void zero(const sweep *s, int pass, size_t begin, size_t end) {
    memset((char *)s->to[pass] + begin * s->size, 0, (end - begin) * s->size);
}

static void copy(const sweep *s, int pass, size_t begin, size_t end) {
    memcpy((char *)s->to[pass] + begin * s->size, (const char *)s->from[pass] + begin * s->size, (end - begin) * s->size);
}

static void run_blocks(void *argument, size_t first, size_t last) {
    const sweep *const s = argument;
    const size_t begin = first * BLOCK, end = last * BLOCK < s->count ? last * BLOCK : s->count;
    const size_t length = s->shares ? TOGETHER : end - begin;
    for (size_t at = begin; at < end; at += length) {
        for (int pass = 0; pass < s->count_passes; ++pass) {
            s->run(s, pass, at, at + length < end ? at + length : end);
        }
    }
}

static void run(sweep *s, const kdr_executor *executor) {
    if (s->count > 0 && s->count_passes > 0) {
        kdr_parallel_for(executor, (s->count - 1) / BLOCK + 1, run_blocks, s);
    }
}

void kdr_sweep_moves(const kdr_passes *passes, const kdr_pass *pass, int passes_count, size_t count, const kdr_executor *executor) {
    run(&(sweep){.passes = passes, .run = move, .pass = pass, .count_passes = passes_count, .shares = pass->w != NULL, .count = count},
        executor);
}

void kdr_sweep_undo(const kdr_passes *passes, const kdr_pass *pass, int passes_count, size_t count, const kdr_executor *executor) {
    run(&(sweep){.passes = passes, .run = undo, .pass = pass, .count_passes = passes_count, .shares = pass->w != NULL, .count = count},
        executor);
}

void kdr_sweep_stages(const kdr_passes *passes, const kdr_stage_pass *pass, int passes_count, size_t count, const kdr_executor *executor) {
    run(&(sweep){.passes = passes, .run = stage, .pass = pass, .count_passes = passes_count, .shares = true, .count = count}, executor);
}

void kdr_sweep_sums(const kdr_passes *passes, const kdr_sum_pass *pass, int passes_count, size_t count, const kdr_executor *executor) {
    run(&(sweep){.passes = passes, .run = sum, .pass = pass, .count_passes = passes_count, .shares = true, .count = count}, executor);
}

void kdr_sweep_field(const kdr_passes *passes, const kdr_field_pass *pass, size_t count, const kdr_executor *executor) {
    run(&(sweep){.passes = passes, .run = field, .pass = pass, .count_passes = 1, .count = count}, executor);
}

void kdr_sweep_zeros(void *const *to, int arrays, size_t size, size_t count, const kdr_executor *executor) {
    run(&(sweep){.run = zero, .to = to, .size = size, .count_passes = arrays, .count = count}, executor);
}

void kdr_sweep_copies(void *const *to, const void *const *from, int arrays, size_t size, size_t count, const kdr_executor *executor) {
    run(&(sweep){.run = copy, .to = to, .from = from, .size = size, .count_passes = arrays, .count = count}, executor);
}
