# floors.sh SOURCE checks the form of the sources. The folders of src/ are floors, and each includes only itself and those above it. Files
# do not include each other in a circle. No file is longer than 500 lines, no function than 50, no line than 140 columns. No comment begins
# in the middle of a thought.
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { printf 'floors: %s\n' "$*"; failed=1; }
failed=0

floors='particles force method problem reference program kernel backend integrator pairs system observe custom abi check io mpi'
find src -name '*.[ch]' -o -name '*.inl' | sort >"$scratch/files"

# This prints a line for each #include "...": the file, and the file that it names, in the same folder or below src/.
# shellcheck disable=SC2046 # This is a list of names.
grep -o '^ *# *include "[^"]*"' $(cat "$scratch/files") /dev/null | awk -F: -v files="$scratch/files" '
    function plain(path,    n, i, k, part, out) {
        n = split(path, part, "/")
        for (i = 1; i <= n; ++i) {
            if (part[i] == "..") --k
            else if (part[i] != "." && part[i] != "") out[++k] = part[i]
        }
        path = out[1]
        for (i = 2; i <= k; ++i) path = path "/" out[i]
        return path
    }
    BEGIN { while ((getline file < files) > 0) is_file[file] = 1 }
    {
        name = $2
        gsub(/.*include "|"$/, "", name)
        folder = $1
        sub(/\/[^\/]*$/, "", folder)
        beside = plain(folder "/" name)
        below = plain("src/" name)
        print $1, (beside in is_file) ? beside : (below in is_file) ? below : "missing:" name
    }' >"$scratch/includes"
[ "$(wc -l <"$scratch/includes")" -gt 200 ] || fail "expected more than 200 includes, found $(wc -l <"$scratch/includes")"

awk -v floors="$floors" '
    BEGIN { n = split(floors, name, " "); for (i = 1; i <= n; ++i) floor[name[i]] = i }
    { split($1, from, "/"); split($2, to, "/") }
    !(from[2] in floor) { print $1 " is on no floor" }
    $2 ~ /^missing:/ && $2 !~ /\.inc$/ { print $1 " includes what is not there: " substr($2, 9) }
    (to[2] in floor) && floor[to[2]] > floor[from[2]] { print $1 " includes " $2 ", which is a floor below it" }
' "$scratch/includes" >"$scratch/wrong"
tsort "$scratch/includes" >/dev/null 2>"$scratch/circles" || cat "$scratch/circles" >>"$scratch/wrong"
# shellcheck disable=SC2046 # This is a list of names.
awk 'FNR == 501 { print FILENAME " has more than 500 lines" } length > 140 { print FILENAME ":" FNR ": " length " columns" }' $(cat "$scratch/files") >>"$scratch/wrong"
# In the layout that clang-format gives, a function ends with the first brace at the beginning of a line.
# shellcheck disable=SC2046 # This is a list of names.
awk '
    /^[A-Za-z].*\)[^;]*\{$/ || (/^ .*\) \{$/ && !begins) { begins = FNR; head = $0 }
    /^}/ { if (begins && FNR - begins >= 50) print FILENAME ":" begins " has a function of more than 50 lines: " head; begins = 0 }
    FNR == 1 { begins = 0 }
' $(cat "$scratch/files") >>"$scratch/wrong"
# A comment must be understood alone.
grep -rnE '/[*] ?(Of|[.][.][.]|[Ll]ikewise|[Tt]he same)([^a-z]|$)' src include >>"$scratch/wrong" || true
[ -s "$scratch/wrong" ] && fail "$(cat "$scratch/wrong")"
exit $failed
