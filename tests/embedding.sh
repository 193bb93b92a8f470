#!/bin/sh
# embedding.sh SOURCE LIBRARY IO CHECK compiles the programs of the pages in docs/ as they stand there, and checks that they print what stands
# there. A block without a main is a custom field: it is compiled as the reference compiles it. (A program with a custom field is built by
# fields.sh.)
set -eu
source=$1 library=$2 io=$3 check=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KDR_BACKEND

programs=0
for page in "$source"/docs/*/*.md; do
    folder=$work/$(basename "$(dirname "$page")")-$(basename "$page" .md)
    mkdir "$folder"
    # This cuts out program n, and the text after it where there is one.
    awk -v work="$folder" '/^```c$/ { program++; inside = 1; into = work "/" program ".c"; next }
         /^```text$/ { inside = into != ""; into = inside ? work "/" program ".wanted" : ""; next }
         /^```/ { into = inside && into ~ /[.]c$/ ? into : ""; inside = 0 }
         inside { print > into }' "$page"
    for file in "$folder"/*.c; do
        [ -e "$file" ] || continue
        base=${file%.c}
        if grep -q '^KDR_DECLARE_CUSTOM_FIELD' "$file"; then continue; fi # tests/fields.sh builds this program with its field.
        if ! grep -q 'int main(' "$file"; then
            # shellcheck disable=SC2086 # The flags are a list of words.
            ${CC:-cc} ${CFLAGS-} -std=c11 -I"$source/include" -c "$file" -o "$base.o"
            continue
        fi
        # shellcheck disable=SC2086 # The flags are a list of words.
        ${CC:-cc} ${CFLAGS-} -std=c11 -Wall -Wextra -Werror -I"$source/include" "$file" "$check" "$io" "$library" -Wl,-rpath,"$(dirname "$library"):$(dirname "$io"):$(dirname "$check")" \
            -pthread -lm -o "$base" || { echo "embedding: program ${base##*/} of $page does not compile" >&2; exit 1; }
        (cd "$folder" && "$base") >"$base.got" || { echo "embedding: program ${base##*/} of $page failed" >&2; exit 1; }
        cat "$base.got"
        [ ! -f "$base.wanted" ] || diff "$base.wanted" "$base.got" || { echo "embedding: program ${base##*/} of $page prints something else" >&2; exit 1; }
        programs=$((programs + 1))
    done
done
echo "embedding: $programs programs"
[ $programs -ge 12 ] || { echo "embedding: expected a dozen programs in docs/" >&2; exit 1; }
