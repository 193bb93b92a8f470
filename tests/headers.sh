#!/bin/sh
# headers.sh INCLUDE_DIR checks the public headers with every compiler found. Each compiles alone in C11 and in C++17, and all together
# compile from C11 to C23 and from C++11 to C++20. None shows a vector type, has lines of more than 140 columns, or refers to a file that is
# not installed. The comment above each function that can fail tells its errors. The numbers that headers share with the code are the same.
set -eu
include=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 checks=0

# compile COMPILER LANGUAGE STANDARD HEADER... compiles a file that includes each header twice, so that a missing guard is found as well.
compile() {
    compiler=$1 language=$2 standard=$3
    shift 3
    printf '#include <%s>\n' "$@" "$@" >"$work/alone"
    checks=$((checks + 1))
    if ! "$compiler" -x "$language" "-std=$standard" -I"$include" -Wall -Wextra -Wconversion -Wpedantic -Werror -fsyntax-only "$work/alone"; then
        echo "headers: $* does not compile with $compiler -std=$standard" >&2
        failures=$((failures + 1))
    fi
}

names=
for header in "$include"/kickdrift/*.h; do
    name=kickdrift/${header##*/} names="$names kickdrift/${header##*/}"
    for each in "${CC:-cc}" gcc clang; do
        if command -v "$each" >/dev/null; then compile "$each" c c11 "$name"; fi
    done
    for each in "${CXX:-c++}" g++ clang++; do
        if command -v "$each" >/dev/null; then compile "$each" c++ c++17 "$name"; fi
    done
    if grep -nE 'simde|immintrin|emmintrin|arm_neon|__m(128|256|512)|vector_size' "$header"; then
        echo "headers: $name shows a vector type or a SIMD header" >&2
        failures=$((failures + 1))
    fi
    if awk -v name="$name" 'length > 140 { print name ":" FNR ": " length " columns"; wrong = 1 } END { exit !wrong }' "$header"; then
        echo "headers: $name has lines of more than 140 columns" >&2
        failures=$((failures + 1))
    fi
    if ! awk -v name="$name" '
        /^\/\*/ { comment = "" }
        /^(\/\*| \*)/ { comment = comment $0 }
        /^KDR_API kdr_status/ && comment !~ /KDR_ERROR_|[Ee]rrors/ { print name ":" FNR ": " $0; wrong = 1 }
        END { exit wrong }' "$header"; then
        echo "headers: $name does not tell the errors of these" >&2
        failures=$((failures + 1))
    fi
    if grep -nE '(src|tools|docs|tests|bench)/' "$header"; then
        echo "headers: $name points at a file that is not installed" >&2
        failures=$((failures + 1))
    fi
done
# A compiler may know C23 by the name that it had before the standard was published.
for each in "${CC:-cc}" gcc clang; do
    for standard in c11 c17 c2x; do
        # shellcheck disable=SC2086 # This is a list of words.
        if command -v "$each" >/dev/null; then compile "$each" c $standard $names; fi
    done
done
for each in "${CXX:-c++}" g++ clang++; do
    for standard in c++11 c++14 c++17 c++20; do
        # shellcheck disable=SC2086
        if command -v "$each" >/dev/null; then compile "$each" c++ $standard $names; fi
    done
done

# told TEXT PATTERN CODE PATTERN: a number that a header or a page tells is that of the code. The group of a pattern is the number.
tree=$(dirname "$include") numbers=0
told() {
    in_text=$(sed 's/^ *\*//' "$tree/$1" | tr -s '\n ' '  ' | sed -nE "s/.*$2.*/\1/p")
    in_code=$(sed -nE "s/.*$4.*/\1/p" "$tree/$3" | sort -u)
    numbers=$((numbers + 1))
    if [ -z "$in_text" ] || [ "$in_text" != "$in_code" ]; then
        echo "headers: $1 tells '$in_text' by '$2', and $3 has '$in_code' by '$4'" >&2
        failures=$((failures + 1))
    fi
}
if [ -d "$tree/src" ]; then
    public=include/kickdrift rules=docs/methods/rules.md
    told $public/method.h 'makes at most ([0-9]+) evaluations' src/method/rows_implicit.h 'KDR_NEWTON_ITERATIONS = ([0-9]+)'
    told $public/method.h 'and up to ([0-9]+) in others' src/method/rows_implicit.h 'KDR_NEWTON_ITERATIONS = ([0-9]+)'
    told $rules 'fixed points \| ([0-9]+) \|' src/method/rows_implicit.h 'KDR_FIXED_POINT_ITERATIONS = ([0-9]+)'
    told $rules 'acceleration \| ([0-9]+) \|' src/method/rows_implicit.h 'KDR_BLOCK_ITERATIONS = ([0-9]+)'
    told $public/collider.h 'meets at most ([0-9]+) surfaces' src/kernel/ops/bounce.inl 'MOST_FLIGHTS = ([0-9]+)'
    told $public/collider.h 'meets at most ([0-9]+) surfaces' src/reference/collide.inl 'MOST_FLIGHTS = ([0-9]+)'
    told $rules 'max\([0-9]+, ([0-9]+) \/ n\)' src/kernel/ops/encounters.inl 'MOST_FLOWN = ([0-9]+)'
    told $rules 'max\(([0-9]+), ' src/kernel/ops/encounters.inl 'LEAST_FLOWN = ([0-9]+)'
    told $public/event.h 'to 2\^-([0-9]+) of a step' src/force/event.c 'KDR_F32 \? 0x1p-[0-9]+ : 0x1p-([0-9]+)'
    told $public/event.h '\(f32: 2\^-([0-9]+)\)' src/force/event.c 'KDR_F32 \? 0x1p-([0-9]+)'
    told $public/integrator.h 'a multiple of ([0-9]+)' src/program/operation.h 'KDR_FLUSH_STEPS = ([0-9]+)'
    told $public/integrator.h 'memory below 2\^-([0-9]+)' src/program/program.h 'kdr_nothing.*KDR_F32 \? 0x1p-([0-9]+)'
    told $public/integrator.h 'memory below 2\^-[0-9]+ \(f64: 2\^-([0-9]+)\)' src/program/program.h 'kdr_nothing.*: 0x1p-([0-9]+)'
    told $public/integrator.h 'at most ([0-9]+) KB of stack' tests/stack.c '[ {]WATCHED = ([0-9]+)'
    told $public/system.h 'at most ([0-9]+) KB of stack' tests/stack.c 'SYSTEM_WATCHED = ([0-9]+)'
    told $public/gravity.h 'at least 2\^-([0-9]+) in f32' src/problem/gravity.c 'KDR_F32 \? 0x1p-([0-9]+)'
    told $public/gravity.h 'in f32 and 2\^-([0-9]+) in f64' src/problem/gravity.c 'KDR_F32 \? .* : 0x1p-([0-9]+)'
    told $public/distance_constraints.h 'in each call; default ([0-9]+)' src/problem/distances.c 'sweeps = ([0-9]+)'
    told $public/executor.h 'from 1 to ([0-9]+)' src/particles/executor_openmp.c 'MAX_THREADS = ([0-9]+)'
    told $public/io.h 'when ([0-9]+) times the duration' src/io/frames.c '>= ([0-9]+) \* t->commit_taken'
    told $public/mpi.h 'a size above 2\^([0-9]+)' src/mpi/ranks.c 'LARGEST = 1 << ([0-9]+)'
    told $public/method.h 'within (1e-[0-9]+)' src/problem/user_method.c 'tolerance = (1e-[0-9]+)'
    told $rules 'field run \| ([0-9]+) \|' tests/stack.c '[ {]RUN = ([0-9]+)'
fi

echo "headers: $checks compilations, $numbers numbers, $failures failures"
[ "$checks" -ge 10 ] && [ "$failures" -eq 0 ]
