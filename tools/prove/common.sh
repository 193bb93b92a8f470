# Functions for the proofs (tools/prove/NAME.sh). tools/prove/run starts each with these variables set: root, the sources; work, its own
# directory; jobs, the number of jobs; quick, true for the part that continuous integration runs. The last line that a proof prints to
# standard output goes into the table: what was counted or, with status 77, why it could not run. All other output goes to its log.
# shellcheck shell=sh disable=SC2034
set -eu
program=$root/build/release/tools/kickdrift
golden=$(sed -n 's/.*UINT64_C(0x\([0-9a-f]*\)).*/\1/p' "$root/tests/golden.h")
unset KDR_BACKEND KDR_SEED

proved() { echo "$*"; exit 0; }
failed() { echo "$*"; exit 1; }
# failed_in LOG [WORDS]: ends the proof as failed. The whole file goes to the proof's log, its last line into the table.
failed_in() { cat "$1" >&2; failed "${2-}$(tail -n 1 "$1")"; }
not_run() { echo "$*"; exit 77; }
need() { for needed; do command -v "$needed" >/dev/null 2>&1 || not_run "no $needed here"; done; }

# A canary is a mistake that the proof must find, with the same flags and commands with which it finds others. A proof that does not find it
# proves nothing.
# canary WORDS COMMAND...: the command must fail.
canary() {
    mistake=$1
    shift
    if ("$@") >"$work/canary.log" 2>&1; then failed "blind: it does not find $mistake"; fi
    canaries=$((${canaries:-0} + 1))
}
# control WORDS COMMAND...: the same command must succeed where there is no mistake. Otherwise a command that always fails would pass for a
# proof.
control() {
    mistake=$1
    shift
    ("$@") >"$work/canary.log" 2>&1 || failed "it finds a mistake in $mistake"
}
# wrong_program NAME COMPILER FLAG...: builds $work/NAME from the C on standard input.
wrong_program() {
    wrong=$work/$1
    shift
    cat >"$wrong.c"
    "$@" "$wrong.c" -o "$wrong" >&2 || failed "the canary ${wrong##*/} does not compile"
}
# Ends the canaries. tests/prove.sh runs each proof up to here.
canaries_end() {
    [ "${canaries:-0}" -gt 0 ] || failed 'it has no canary'
    [ -z "${CANARIES_ONLY-}" ] || proved "$canaries mistakes found"
}
# The canaries of `verified`: a wrong fingerprint, no fingerprint, and programs that fail.
canaries_of_verified() {
    printf '#!/bin/sh\necho "fingerprint 0000000000000002"\n' >"$work/canary"
    chmod +x "$work/canary"
    control 'the fingerprint that is expected' verified "$work/canary" "$work/canary.verified" 0000000000000002
    for mistake in 'echo "fingerprint 0000000000000001"' ':' 'echo "fingerprint 0000000000000002"; exit 1' 'echo "fingerprint 0000000000000002"; kill -SEGV $$'; do
        printf '#!/bin/sh\n%s\n' "$mistake" >"$work/canary"
        chmod +x "$work/canary"
        canary "a program that does: $mistake" verified "$work/canary" "$work/canary.verified" 0000000000000002
    done
}

# With a base directory, copies of the tree share the compiler cache.
launcher=
! command -v ccache >/dev/null 2>&1 || launcher='-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache'
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$root}"

# build DIRECTORY TARGET... -- CMAKE_ARGUMENT...: builds in build/prove/DIRECTORY; the target "all" builds everything.
build() {
    directory=$root/build/prove/$1 targets=
    shift
    while [ "$1" != -- ]; do
        targets="$targets $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # lists of words
    cmake -S "$root" -B "$directory" -G Ninja $launcher -DKICKDRIFT_BENCH=OFF "$@" >&2 && cmake --build "$directory" --parallel "$jobs" --target $targets >&2 ||
        failed "does not build: $directory"
}

# tests_of_c DIRECTORY FLAGS KERNEL_FLAGS [LONG]: builds everything with these flags, scalar and one instruction set, and runs the tests in
# C. Kernels get KERNEL_FLAGS too. Tests that match LONG are left out. So are others: scripts, which build the project again or measure;
# test_stack, which measures the depth of the stack; test_resume, which waits for files whose formats have their own tests; and long tests
# of physics, whose code others run too. An eighth of the quick plan, another with each commit, runs instead of test_equality.
tests_of_c() {
    build "$1" all -- -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG= -DCMAKE_CXX_FLAGS_DEBUG= "-DCMAKE_C_FLAGS=$2" "-DCMAKE_CXX_FLAGS=$2" \
        "-DKICKDRIFT_KERNEL_FLAGS=$3" -DKICKDRIFT_SSE2=OFF -DKICKDRIFT_AVX512=OFF
    find "$directory" -name '*.gcda' -exec rm -f {} +
    scripts='headers|symbols|consumer|packages|fields|flags|python|lammps|embedding|examples|toys|experiments_.*|docs|engine|readme|verify|abi|floors|ci|prove|relations|mutants.*'
    long='equality|resume|dissipation|methods_(geometry|langevin|magnetic|order|stability|stiff)|physics_compensated'"${4:+|$4}"
    ctest --test-dir "$directory" --parallel $((jobs + 1)) --output-on-failure --no-tests=error --exclude-regex "^($scripts|stack|$long)\$" \
        >"$work/log" 2>&1 || { cat "$work/log" >&2; failed "$(sed -n '/^The following tests FAILED/,$s/^\t *[0-9]* - //p' "$work/log" | head -n 3 | tr '\n' ' ')"; }
    part=$(turn 8)/8
    verified "$directory/tools/kickdrift" "$work/verified" "$(here --quick --part "$part")" --quick --part "$part"
    ran=$(sed -n 's/.*out of \([0-9]*\)$/\1 tests/p' "$work/log")", $(count_values "$work/verified")"
}

# turn N: prints a number from 1 to N, another with each commit.
turn() { echo $((0x$(git -C "$root" rev-parse --short=7 HEAD 2>/dev/null || echo 0) % $1 + 1)); }

# verified PROGRAM LOG EXPECTED ARGUMENT...: the program's verify must succeed, with that fingerprint.
verified() {
    verifier=$1 log=$2 expected=$3
    shift 3
    "$verifier" verify "$@" >"$log" 2>&1 || failed_in "$log" "$verifier: "
    grep -q "^fingerprint $expected" "$log" || failed "$verifier verify $*: the fingerprint is not $expected"
}
# here ARGUMENT...: prints the fingerprint of the program in build/release, by its scalar backend.
here() { "$program" verify --backend scalar "$@" | sed -n 's/^fingerprint \([0-9a-f]*\).*/\1/p'; }

# count_values FILE: adds up the table that `kickdrift verify` printed into the file.
count_values() { awk '$2 ~ /^[0-9]+$/ && NF == 5 { values += $3; cases += $2 } END { printf "%d cases, %d values", cases, values }' "$1"; }
