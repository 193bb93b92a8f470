/* Makes Google Benchmark usable from C (see shim.h). */

#include "shim.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

static benchmark::State &of(kdr_bench_state *state) { return *reinterpret_cast<benchmark::State *>(state); }

namespace {

/* Passes lines on to another stream, except for the warning of distributions that build Google Benchmark with assertions: they are outside
 * of what is timed. */
class WithoutBuildWarning : public std::stringbuf {
  public:
    explicit WithoutBuildWarning(std::ostream &stream) : target(stream) {}
    ~WithoutBuildWarning() override { pass_on(str().size()); }

  protected:
    int sync() override {
        pass_on(str().rfind('\n') + 1); /* npos + 1 is 0 */
        return 0;
    }

  private:
    void pass_on(size_t size) {
        const std::string held = str();
        std::istringstream lines(held.substr(0, size));
        str("");
        sputn(held.data() + size, static_cast<std::streamsize>(held.size() - size));
        for (std::string line; std::getline(lines, line);) {
            if (line.find("Library was built as DEBUG") == std::string::npos) {
                target << line << (lines.eof() ? "" : "\n");
            }
        }
        target.flush();
    }
    std::ostream &target;
};

/* Keeps the result of one repetition. */
class Collector : public benchmark::BenchmarkReporter {
  public:
    explicit Collector(kdr_bench_repetition *repetition) : found(repetition) {}
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &report) override {
        for (const Run &run : report) {
            found->iterations = static_cast<uint64_t>(run.iterations);
            std::snprintf(found->error, sizeof found->error, "%s", run.error_message.c_str());
            for (const auto &counter : run.counters) {
                if (found->counter_count < KDR_BENCH_COUNTERS) {
                    auto &next = found->counters[found->counter_count++];
                    std::snprintf(next.name, sizeof next.name, "%s", counter.first.c_str());
                    next.value = counter.second.value;
                }
            }
        }
    }

  private:
    kdr_bench_repetition *found;
};

} // namespace

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

size_t kdr_bench_run(void) {
    const std::unique_ptr<benchmark::BenchmarkReporter> reporter(benchmark::CreateDefaultDisplayReporter());
    WithoutBuildWarning lines(std::cerr);
    std::ostream stream(&lines);
    stream << std::unitbuf;
    reporter->SetErrorStream(&stream);
    return benchmark::RunSpecifiedBenchmarks(reporter.get());
}

void kdr_bench_repeat(kdr_bench_fn *function, void *context, double seconds, uint64_t iterations, kdr_bench_repetition *repetition) {
    *repetition = kdr_bench_repetition();
    benchmark::ClearRegisteredBenchmarks();
    auto *const added = benchmark::RegisterBenchmark(
        "repetition", [function, context](benchmark::State &state) { function(reinterpret_cast<kdr_bench_state *>(&state), context); });
    if (iterations) {
        added->Iterations(static_cast<benchmark::IterationCount>(iterations));
    } else {
        added->MinTime(seconds);
    }
    Collector collector(repetition);
    benchmark::RunSpecifiedBenchmarks(&collector, ".");
    benchmark::ClearRegisteredBenchmarks();
}

double kdr_bench_counter_of(const kdr_bench_repetition *repetition, const char *name) {
    for (size_t i = 0; i < repetition->counter_count; ++i) {
        if (std::strcmp(repetition->counters[i].name, name) == 0) {
            return repetition->counters[i].value;
        }
    }
    return std::nan("");
}
}
