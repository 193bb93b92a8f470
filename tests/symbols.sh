#!/bin/sh
# symbols.sh SHARED STATIC IO CHECK [MPI] checks the names of the libraries. They define kdr_ names only. The core uses only exact functions of
# libm. The shared libraries define exactly what the headers declare: io.h belongs to kickdrift-io, check.h to kickdrift-check, mpi.h to kickdrift-mpi where it is
# built. tests/abi/names lists all names. Removing a name breaks programs, and a new name must be added to the list in the same commit.
set -eu
nm=${NM:-nm}
failures=0

# check FILE NM_OPTIONS... sets `names` to the names that the file defines, and reports those without kdr_. Names that sanitizers add to
# every object are left out.
check() {
    file=$1
    shift
    names=$("$nm" "$@" --defined-only --format=posix "$file" | awk 'NF >= 2 { print $1 }' | grep -vE '^__(odr_)?asan|:$' | sort -u)
    [ -n "$names" ] || { echo "symbols: $file defines nothing" >&2; failures=1; }
    foreign=$(printf '%s\n' "$names" | grep -v '^kdr_' || true)
    if [ -n "$foreign" ]; then
        printf 'symbols: %s defines names without kdr_:\n%s\n' "$file" "$foreign" >&2
        failures=1
    fi
}

# compare HEADERS... compares the declarations of the headers with the names of the last check.
compare() {
    declared=$(cat "$@" | tr '\n' ' ' | grep -oE 'KDR_API [^;(]*\(' | grep -oE 'kdr_[a-z0-9_]+\($' | tr -d '(' | sort -u)
    if [ "$names" != "$declared" ]; then
        echo "symbols: $file and its headers differ; exported alone, or declared alone:" >&2
        printf '%s\n' "$names" "$declared" | sort | uniq -u >&2
        failures=1
    fi
    all=$(printf '%s\n' "$all" "$names")
}

# The core may use functions of libm that are exact, because every C library has them right. The others have different bits in each library.
inexact=$("$nm" --undefined-only --format=posix "$2" | awk 'NF >= 2 { print $1 }' | sort -u |
    grep -xE '(fma|a?(sin|cos|tan)h?|atan2|sincos|exp|exp2|expm1|exp10|log|log2|log10|log1p|pow|cbrt|hypot|l?gamma|tgamma|erfc?|j[01n]|y[01n])[fl]?' || true)
if [ -n "$inexact" ]; then
    printf 'symbols: %s takes from libm what differs from one C library to another:\n%s\n' "$2" "$inexact" >&2
    failures=1
fi

all=
include=$(dirname "$0")/../include/kickdrift
check "$2" -g
check "$3" -D
compare "$include/io.h"
check "$4" -D
compare "$include/check.h"
if [ -n "${5-}" ]; then
    check "$5" -D
    compare "$include/mpi.h"
fi
check "$1" -D
# shellcheck disable=SC2046 # The names have no blanks.
compare $(printf '%s\n' "$include"/*.h | grep -vE '/(check|io|mpi)\.h$')

# Without MPI the names of kickdrift-mpi are not expected.
absent=kdr_ranks_
[ -z "${5-}" ] || absent='^$'
all=$(printf '%s\n' "$all" | sed '/^$/d' | LC_ALL=C sort)
differ=$(grep -v "$absent" "$(dirname "$0")/abi/names" | { printf '%s\n' "$all"; cat; } | LC_ALL=C sort | uniq -u)
if [ -n "$differ" ]; then
    printf 'symbols: exported and not in tests/abi/names, or there and not exported:\n%s\n' "$differ" >&2
    failures=1
fi
echo "symbols: $(printf '%s\n' "$all" | wc -l) exported, failures: $failures"
[ "$failures" -eq 0 ]
