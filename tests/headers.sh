#!/bin/sh
# headers.sh INCLUDE_DIR: every public header compiles alone, in C11 and in C++17, with every compiler found, and all together from C11 to C23 and from
# C++11 to C++20; none shows a vector type;
# none has lines of more than 140 columns, or points at a file that is not installed; the comment above each function that can fail tells its errors.
set -eu
include=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 checks=0

# compile COMPILER LANGUAGE STANDARD HEADER...; included twice, so that a missing guard is found as well.
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
# A compiler may know C23 by the name that it had before.
for each in "${CC:-cc}" gcc clang; do
    for standard in c11 c17 c2x; do
        # shellcheck disable=SC2086 # a list of words
        if command -v "$each" >/dev/null; then compile "$each" c $standard $names; fi
    done
done
for each in "${CXX:-c++}" g++ clang++; do
    for standard in c++11 c++14 c++17 c++20; do
        # shellcheck disable=SC2086
        if command -v "$each" >/dev/null; then compile "$each" c++ $standard $names; fi
    done
done
echo "headers: $checks compilations, $failures failures"
[ "$checks" -ge 10 ] && [ "$failures" -eq 0 ]
