#!/bin/sh
# abi.sh SOURCE LIBRARY_DIR checks that kdr_abi has every struct that the public headers define, with the offsets and sizes that a C11 and a
# C++17 compiler give its members. A planted wrong row must be found and named.
set -eu
source=$1 libdir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The structs that the library's table was made from must be those that a search of the headers for their names finds, no fewer and no more.
grep -rohE --exclude=custom_field.h --exclude=fma.h '^typedef struct kdr_[a-z_]+ \{' "$source/include/kickdrift" | awk '{ print $3 }' | sort >"$work/declared"
grep -oE '^WHOLE\([a-z_]+' "$libdir/abi_rows.inc" | sed 's/.*(//' | sort >"$work/rows"
[ "$(wc -l <"$work/declared")" -ge 20 ] || { echo "abi: only $(wc -l <"$work/declared") structs found in the headers" >&2; exit 1; }
diff "$work/declared" "$work/rows" >&2 || { echo "abi: < is in the headers alone, > in the table of src/abi/rows.cmake alone" >&2; exit 1; }

for language in c c++; do
    case $language in c) compiler=${CC:-cc} flags="${CFLAGS-} -std=c11" ;; *) compiler=${CXX:-c++} flags="${CXXFLAGS-} -std=c++17" ;; esac
    # shellcheck disable=SC2086 # The flags are a list of words.
    "$compiler" -x $language $flags -Wall -Wextra -Wconversion -Werror -I"$source/include" -I"$libdir" "$source/tests/abi/held.c" -x none \
        -o "$work/held" -L"$libdir" -lkickdrift
    LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$work/held"
done
