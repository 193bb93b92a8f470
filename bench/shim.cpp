/* Makes Google Benchmark usable from C (see shim.h). */

#include "shim.h"

#include <benchmark/benchmark.h>

#include <exception>
#include <regex>

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
    benchmark::DoNotOptimize(object); /* a non-const lvalue, because version 1.7 mistreats others */
    benchmark::ClobberMemory();
}

void kdr_bench_counter(kdr_bench_state *state, const char *name, double value) { of(state).counters[name] = benchmark::Counter(value); }

void kdr_bench_skip(kdr_bench_state *state, const char *message) { of(state).SkipWithError(message); }

void kdr_bench_context(const char *key, const char *value) { benchmark::AddCustomContext(key, value); }

void kdr_bench_initialize(int *argc, char **argv) { benchmark::Initialize(argc, argv); }

kdr_bench_pattern *kdr_bench_pattern_create(const char *text) {
    try {
        return reinterpret_cast<kdr_bench_pattern *>(new std::regex(text, std::regex::extended | std::regex::nosubs));
    } catch (const std::exception &) {
        return nullptr;
    }
}

void kdr_bench_pattern_destroy(kdr_bench_pattern *pattern) { delete reinterpret_cast<std::regex *>(pattern); }

bool kdr_bench_pattern_matches(const kdr_bench_pattern *pattern, const char *text) {
    return std::regex_search(text, *reinterpret_cast<const std::regex *>(pattern));
}

size_t kdr_bench_run(void) { return benchmark::RunSpecifiedBenchmarks(); }
}
