#!/bin/sh
# embedding.sh SOURCE LIBRARY IO: the programs of docs/embedding.md are compiled as they stand there, and print what stands there.
set -eu
source=$1 library=$2 io=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KDR_BACKEND

# Program n, and the text after it where there is one.
awk -v work="$work" '/^```c$/ { program++; inside = 1; into = work "/" program ".c"; next }
     /^```text$/ { inside = 1; into = work "/" program ".wanted"; next }
     /^```/ { inside = 0 }
     inside { print > into }' "$source/docs/embedding.md"
[ -s "$work/3.c" ] || { echo "embedding: docs/embedding.md has no three programs" >&2; exit 1; }
for file in "$work"/*.c; do
    base=${file%.c}
    # shellcheck disable=SC2086 # flags are a list of words
    ${CC:-cc} ${CFLAGS-} -std=c11 -Wall -Wextra -Werror -I"$source/include" "$file" "$io" "$library" -Wl,-rpath,"$(dirname "$library"):$(dirname "$io")" -lm -o "$base"
    (cd "$work" && "$base") >"$base.got" || { echo "embedding: program ${base##*/} failed" >&2; exit 1; }
    cat "$base.got"
    [ ! -f "$base.wanted" ] || diff "$base.wanted" "$base.got"
done
