/* Google Benchmark for C (see shim.h): the only C++ of the project. */

#include "shim.h"

#include <benchmark/benchmark.h>

static benchmark::State &of(kdr_bench_state *state) { return *reinterpret_cast<benchmark::State *>(state); }

extern "C" {

void kdr_bench_register(const char *name, kdr_bench_fn *function, void *context) {
    benchmark::RegisterBenchmark(name, [function, context](benchmark::State &state) {
        function(reinterpret_cast<kdr_bench_state *>(&state), context);
    })->Unit(benchmark::kMicrosecond);
}

bool kdr_bench_next(kdr_bench_state *state) { return of(state).KeepRunning(); }

void kdr_bench_pause(kdr_bench_state *state) { of(state).PauseTiming(); }

void kdr_bench_resume(kdr_bench_state *state) { of(state).ResumeTiming(); }

void kdr_bench_keep(void *object) {
    benchmark::DoNotOptimize(object); /* a non-const lvalue: version 1.7 mistreats the others */
    benchmark::ClobberMemory();
}

void kdr_bench_counter(kdr_bench_state *state, const char *name, double value) { of(state).counters[name] = benchmark::Counter(value); }

void kdr_bench_skip(kdr_bench_state *state, const char *message) { of(state).SkipWithError(message); }

void kdr_bench_context(const char *key, const char *value) { benchmark::AddCustomContext(key, value); }

void kdr_bench_initialize(int *argc, char **argv) { benchmark::Initialize(argc, argv); }

size_t kdr_bench_run(void) { return benchmark::RunSpecifiedBenchmarks(); }
}
