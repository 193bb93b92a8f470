#!/bin/sh
# symbols.sh SHARED STATIC: both libraries define kdr_ names only, and the shared one defines exactly what the headers declare.
set -eu
nm=${NM:-nm}
failures=0

# check FILE NM_OPTIONS...: names on standard input of the messages, one a line. Sanitizers add names of their own to every object.
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

check "$1" -D
exported=$names
check "$2" -g
include=$(dirname "$0")/../include/kickdrift
declared=$(cat "$include"/*.h | tr '\n' ' ' | grep -oE 'KDR_API [^;(]*\(' | grep -oE 'kdr_[a-z0-9_]+\($' | tr -d '(' | sort -u)
if [ "$exported" != "$declared" ]; then
    echo "symbols: the shared library and the headers differ; exported alone, or declared alone:" >&2
    printf '%s\n' "$exported" "$declared" | sort | uniq -u >&2
    failures=1
fi
echo "symbols: $(printf '%s\n' "$exported" | wc -l) exported, failures: $failures"
[ "$failures" -eq 0 ]
