# Fuzzes everything that reads foreign bytes, by libFuzzer with clang's sanitizers, from the corpus on. Each harness runs for a minute; in
# the quick part all run for a minute together; before a release for ten minutes each (FUZZ_SECONDS=600). An input that breaks something is
# left in build/prove/fuzz. When it is fixed, it goes to tests/fuzz/corpus, which the tests replay. FUZZ_HARNESSES chooses other harnesses.
. "$root/tools/prove/common.sh"
need clang clang++
harnesses=${FUZZ_HARNESSES:-scenes tables frames options descriptions checkpoints}
# The quick part does not optimise: it fuzzes for twelve seconds, and compiling takes longer.
optimisation=-O1 kernels=
! $quick || optimisation=-O0 kernels=-fno-sanitize=all
flags="$optimisation -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
# shellcheck disable=SC2086 # a list of words
wrong_program fuzzed clang $flags -fsanitize=fuzzer <<'END'
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    int odd = 0;
    for (size_t i = 0; i < size; ++i) copy[i] = data[i];
    if (size > 2 && copy[0] == 'k') odd = copy[size];
    free(copy);
    return odd > 300;
}
END
canary 'an input that reads behind its end' sh -c 'cd "$1" && ./fuzzed -max_total_time=20 -max_len=16 -seed=1' sh "$work"
canaries_end
targets=
for harness in $harnesses; do targets="$targets fuzz_$harness"; done
# shellcheck disable=SC2086 # a list of words
build fuzzers $targets -- -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ "-DCMAKE_C_FLAGS=$flags" -DKICKDRIFT_FUZZ=ON \
    "-DKICKDRIFT_KERNEL_FLAGS=$kernels" -DKICKDRIFT_SSE2=OFF -DKICKDRIFT_AVX2=OFF -DKICKDRIFT_AVX512=OFF -DKICKDRIFT_HDF5=OFF -DKICKDRIFT_OPENMP=OFF
$quick && seconds=12 || seconds=60
seconds=${FUZZ_SECONDS:-$seconds}
rm -f "$work"/*.clean
# There is one more process than jobs, because six harnesses then take two rounds of three. A harness that ends well leaves a file
# NAME.clean.
# shellcheck disable=SC2086,SC2016 # a list of words; the inner shell's own
printf '%s\n' $harnesses | xargs -P $((jobs + 1)) -I NAME sh -c 'cd "$1" && mkdir -p NAME && "$2/build/prove/fuzzers/tests/fuzz/fuzz_NAME" "-max_total_time=$3" \
    -timeout=20 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 -artifact_prefix="$1/NAME-" NAME "$2/tests/fuzz/corpus/NAME" >NAME.log 2>&1 && : >NAME.clean' \
    sh "$work" "$root" "$seconds" || : # the files NAME.clean tell which ended well
runs=0 words=
for harness in $harnesses; do
    [ -f "$work/$harness.clean" ] ||
        { cat "$work/$harness.log" >&2; failed "$harness: $(grep -m 1 -E 'ERROR|SUMMARY|runtime error' "$work/$harness.log"), in $work"; }
    done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$harness.log")
    runs=$((runs + done)) words="$words, $harness $done"
done
proved "$runs inputs${words}; $seconds s each"
