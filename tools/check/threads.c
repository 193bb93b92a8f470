/* Runs many cases on several threads. */
#include "check.h"

#if !defined(__wasm__)
#include <pthread.h>
#endif
#include <stdatomic.h>
#include <stdlib.h>

/* Threads take cases in groups of BLOCK, because the cases of a row of a plan differ in cost. Results are combined every ROUND cases. A
 * part of a plan consists of whole rows. */
enum { BLOCK = KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT, ROUND = BLOCK << 12 };

typedef struct shared {
    const kdr_check_work *work;
    uint64_t all;              /* number of cases of this part */
    uint64_t first, end;       /* the cases of this round */
    kdr_check_result *results; /* results of a round; those of one case on all runners are adjacent */
    atomic_ullong done;
    kdr_check_progress_fn *progress;
} shared;

typedef struct reported {
    uint64_t at;
    kdr_check_mismatch mismatch;
} reported;

typedef struct worker {
    shared *of;
    int index;
#if !defined(__wasm__)
    pthread_t thread;
#endif
    kdr_check_engine *engine;
    kdr_check_tally *tallies;
    uint64_t at; /* the current case */
    int report_count, reports_taken;
    reported reports[KDR_CHECK_MOST_REPORTS]; /* the worker's first reports */
} worker;

/* Returns case `index` of this part, which has one of every `parts` rows. */
static kdr_check_case case_at(const kdr_check_work *work, uint64_t index) {
    uint64_t at = (index / BLOCK * work->parts + work->part) * BLOCK + index % BLOCK;
    const kdr_check_plan *plan = work->plans;
    for (uint32_t size; at >= (size = kdr_check_plan_size(plan)); ++plan) {
        at -= size;
    }
    return kdr_check_plan_case(plan, (uint32_t)at);
}

static uint64_t case_count(const kdr_check_work *work) {
    uint64_t rows = 0;
    for (size_t i = 0; i < work->plan_count; ++i) {
        rows += kdr_check_plan_size(&work->plans[i]) / BLOCK;
    }
    return (rows + work->parts - 1 - work->part) / work->parts * BLOCK;
}

static void take(void *context, const kdr_check_mismatch *mismatch) {
    worker *w = context;
    if (w->report_count < KDR_CHECK_MOST_REPORTS) {
        w->reports[w->report_count++] = (reported){w->at, *mismatch};
    }
}

static void *run_round(void *argument) {
    worker *w = argument;
    shared *s = w->of;
    const kdr_check_work *work = s->work;
    for (uint64_t i = s->first; i < s->end; ++i) {
        if (i / BLOCK % (uint64_t)work->threads != (uint64_t)w->index) {
            continue;
        }
        const kdr_check_case test = case_at(work, w->at = i);
        kdr_check_case_run_apart(w->engine, &test, work->runners, work->runner_count, w->tallies,
                                 s->results + (i - s->first) * work->runner_count, take, w);
        const uint64_t done = atomic_fetch_add(&s->done, 1) + 1;
        if (w->index == 0 && s->progress) {
            s->progress(done, s->all);
        }
    }
    return NULL;
}

/* Passes on the first reports that have not been passed on yet, in the order of the cases. Each worker has its own in that order. */
static int take_reports(worker *workers, int count, int taken, kdr_check_report_fn *report, void *context) {
    for (; taken < KDR_CHECK_MOST_REPORTS; ++taken) {
        worker *first = NULL;
        for (worker *w = workers; w < workers + count; ++w) {
            if (w->reports_taken < w->report_count &&
                (!first || w->reports[w->reports_taken].at < first->reports[first->reports_taken].at)) {
                first = w;
            }
        }
        if (!first) {
            break;
        }
        report(context, &first->reports[first->reports_taken++].mismatch);
    }
    return taken;
}

#if defined(__wasm__)
/* There are no threads: the caller is the only worker. */
static int begin_others(worker *workers, int count) {
    (void)workers, (void)count;
    return 1;
}

static void await_others(worker *workers, int began) { (void)workers, (void)began; }
#else
/* Begins threads for all workers but the first. Returns how many workers have begun, with the first; fewer than `count`: no thread. */
static int begin_others(worker *workers, int count) {
    int began = 1;
    pthread_attr_t with; /* threads of musl have 128 KB of stack, and the reference of system runs needs more */
    if (pthread_attr_init(&with) != 0) {
        return 1;
    }
    (void)pthread_attr_setstacksize(&with, 4 << 20);
    while (began < count && pthread_create(&workers[began].thread, &with, run_round, &workers[began]) == 0) {
        ++began;
    }
    pthread_attr_destroy(&with);
    return began;
}

static void await_others(worker *workers, int began) {
    for (int i = 1; i < began; ++i) {
        pthread_join(workers[i].thread, NULL);
    }
}
#endif

/* Runs all rounds. The calling thread is the first worker. */
static bool run_rounds(shared *s, worker *workers, kdr_check_tally *tallies, kdr_check_report_fn *report, void *context) {
    const kdr_check_work *work = s->work;
    bool all_began = true;
    int taken = 0;
    for (s->first = 0; s->first < s->all && all_began; s->first = s->end) {
        s->end = s->first + ROUND < s->all ? s->first + ROUND : s->all;
        const int began = begin_others(workers, work->threads);
        all_began = began == work->threads;
        run_round(&workers[0]);
        await_others(workers, began);
        for (uint64_t i = 0; i < (s->end - s->first) * work->runner_count && all_began; ++i) {
            kdr_check_tally_add(&tallies[i % work->runner_count], &s->results[i]);
        }
        taken = take_reports(workers, work->threads, taken, report, context);
    }
    return all_began;
}

static void add_tally(kdr_check_tally *sum, const kdr_check_tally *part) {
    sum->cases += part->cases;
    sum->values += part->values;
    sum->mismatches += part->mismatches;
    sum->refused += part->refused;
    sum->nonconverged += part->nonconverged;
    sum->no_openmp += part->no_openmp;
    sum->seconds += part->seconds;
}

bool kdr_check_run(const kdr_check_work *work, kdr_check_tally *tallies, kdr_check_report_fn *report, void *context,
                   kdr_check_progress_fn *progress) {
    shared s = {.work = work, .all = case_count(work), .progress = progress};
    worker *workers = calloc((size_t)work->threads, sizeof *workers);
    bool ok = workers && work->threads > 0;
    s.results = malloc(ROUND * work->runner_count * sizeof *s.results);
    ok = ok && s.results;
    for (int i = 0; i < work->threads && ok; ++i) {
        workers[i] = (worker){.of = &s, .index = i, .engine = kdr_check_engine_create()};
        workers[i].tallies = calloc(work->runner_count, sizeof *tallies);
        ok = workers[i].engine && workers[i].tallies;
    }
    ok = ok && run_rounds(&s, workers, tallies, report, context);
    for (int i = 0; i < work->threads && workers; ++i) {
        for (size_t r = 0; r < work->runner_count && ok; ++r) {
            add_tally(&tallies[r], &workers[i].tallies[r]);
        }
        kdr_check_engine_destroy(workers[i].engine);
        free(workers[i].tallies);
    }
    free(workers);
    free(s.results);
    return ok;
}
