#!/bin/sh
# abi.sh SOURCE LIBRARY_DIR: the structs and members that the public headers define are those of kdr_abi, all of them, with the offsets and sizes
# that a C11 and a C++17 compiler give them; and a planted wrong row is found and named.
set -eu
source=$1 libdir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# From the headers, "struct member" a line: what a struct or union within has, then its own name.
awk '
function leave_out_comments(line) {
    while (1) {
        if (comment) { if (!(i = index(line, "*/"))) return ""; line = substr(line, i + 2); comment = 0 }
        if (!(i = index(line, "/*"))) { sub(/\/\/.*/, "", line); return line }
        comment = 1
        if (j = index(substr(line, i), "*/")) { line = substr(line, 1, i - 1) substr(line, i + j + 1); comment = 0 }
        else return substr(line, 1, i - 1)
    }
}
function member(name) { members[depth] = members[depth] " " name }
function declaration(text,   n, i, part) {
    if (match(text, /\(\*[a-z_0-9]+\)/)) { member(substr(text, RSTART + 2, RLENGTH - 3)); return }
    n = split(text, part, ",")
    for (i = 1; i <= n; i++) {
        gsub(/\[[^]]*\]/, "", part[i])
        sub(/[ \t\n]+$/, "", part[i])
        sub(/^.*[ \t\n*]/, "", part[i])
        if (part[i] != "") member(part[i])
    }
}
function within(name, list,   n, i, part) {
    n = split(list, part, " ")
    for (i = 1; i <= n; i++) member(name "." part[i])
    member(name)
}
function structure(name, list,   n, i, part) {
    print name, ""
    n = split(list, part, " ")
    for (i = 1; i <= n; i++) print name, part[i]
}
/^#/ { next }
{
    text = text leave_out_comments($0) "\n"
    while (match(text, /[{};]/)) {
        before = substr(text, 1, RSTART - 1); mark = substr(text, RSTART, 1); text = substr(text, RSTART + 1)
        if (mark == "{") {
            kind[++depth] = before ~ /typedef[ \n]+struct/ ? "typedef" : before ~ /^[ \n]*(struct|union)[ \n]*$/ ? "within" : "other"
            members[depth] = ""
        } else if (mark == "}") {
            closed = kind[depth]; list = members[depth]; depth--
        } else if (closed != "") {
            gsub(/[ \t\n]/, "", before)
            if (closed == "within") within(before, list)
            else if (closed == "typedef") structure(before, list)
            closed = ""
        } else if (depth > 0 && kind[depth] != "other") declaration(before)
        if (mark == "}" && closed == "other") closed = ""
    }
}' $(ls "$source"/include/kickdrift/*.h | grep -v '/fuse\.h$') >"$work/declared" # fuse.h is for the caller's own kernels
rows=$(wc -l <"$work/declared")
[ "$rows" -ge 100 ] || { echo "abi: only $rows structs and members found in the headers" >&2; exit 1; }
awk 'NF == 1 { printf "WHOLE(%s),\n", $1 } NF == 2 { printf "MEMBER(%s, %s),\n", $1, $2 }' "$work/declared" >"$work/rows.inc"

for language in c c++; do
    case $language in c) compiler=${CC:-cc} flags="${CFLAGS-} -std=c11" ;; *) compiler=${CXX:-c++} flags="${CXXFLAGS-} -std=c++17" ;; esac
    # shellcheck disable=SC2086 # flags are a list of words
    "$compiler" -x $language $flags -Wall -Wextra -Wconversion -Werror -I"$source/include" -I"$work" "$source/tests/abi/held.c" -x none \
        -o "$work/held" -L"$libdir" -lkickdrift
    LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$work/held"
done
