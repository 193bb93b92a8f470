# Finds data races: runs all that several threads do, those of the user's program and of Kickdrift's, under the thread sanitizer. OpenMP is
# off, because the sanitizer does not know its runtime.
. "$root/tools/prove/common.sh"
flags='-O1 -g -fsanitize=thread'
export TSAN_OPTIONS=halt_on_error=1:exitcode=66
# shellcheck disable=SC2086 # a list of words
wrong_program races cc $flags -pthread <<'END'
#include <pthread.h>
static int sum;
static void *add(void *to) { for (int i = 0; i < 1000; ++i) ++*(int *)to; return to; }
int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, add, &sum);
    pthread_create(&other, 0, add, &sum);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
END
# shellcheck disable=SC2086
echo 'int main(void) { return 0; }' | wrong_program right cc $flags -pthread
control 'a program that is right' "$work/right"
canary 'a race' "$work/races"
canaries_end
build threads kickdrift_program test_executors test_faults -- -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS=$flags" "-DCMAKE_CXX_FLAGS=$flags" -DKICKDRIFT_OPENMP=OFF \
    -DKICKDRIFT_AVX512=OFF -DKICKDRIFT_AVX2=OFF "-DCRITERION_INCLUDE_DIR=$root/tools/prove/unforked" -DCRITERION_LIBRARY=m
"$root/build/prove/threads/tools/kickdrift" verify --quick --part 1/8 --threads 4 >"$work/log" 2>&1 || { cat "$work/log" >&2; failed "verify: $(grep -m 1 -E 'WARNING|NOT EQUAL' "$work/log")"; }
for test in 'executors the_callers_own' 'faults executor'; do
    # shellcheck disable=SC2086 # a name, and a pattern for the names of its tests
    "$root/build/prove/threads/tests/test_"$test >"$work/tests.log" 2>&1 || { cat "$work/tests.log" >&2; failed "$test: $(grep -m 1 -E 'WARNING|FAIL' "$work/tests.log")"; }
done
proved "$(count_values "$work/log") on 4 threads; the callers' own executors"
