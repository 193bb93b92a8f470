#!/bin/sh
# docs/which-integrator.md holds the table that the program's measurements give today, docs/embedding.md what goes with what, README.md the fields by name:
# docs.sh SOURCE PROGRAM
set -eu
doc=$1/docs/which-integrator.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sh "$1/tools/kickdrift/which_table.sh" "$2" >"$scratch/now"
sed -n '/^<!-- table -->$/,/^<!-- \/table -->$/p' "$doc" | sed '1d;$d' >"$scratch/written"
[ -s "$scratch/now" ] && diff "$scratch/written" "$scratch/now" || { echo "docs.sh: $doc is not up to date: tools/dev docs" >&2; exit 1; }
"$2" methods --coupled >"$scratch/now"
sed -n '/^<!-- coupled -->$/,/^<!-- \/coupled -->$/p' "$1/docs/embedding.md" | sed '1d;$d' >"$scratch/written"
[ -s "$scratch/now" ] && diff "$scratch/written" "$scratch/now" || { echo "docs.sh: $1/docs/embedding.md is not up to date: tools/dev docs" >&2; exit 1; }
"$2" fields --markdown >"$scratch/now"
sed -n '/^<!-- fields -->$/,/^<!-- \/fields -->$/p' "$1/README.md" | sed '1d;$d' >"$scratch/written"
[ -s "$scratch/now" ] && diff "$scratch/written" "$scratch/now" || { echo "docs.sh: $1/README.md is not up to date: tools/dev docs" >&2; exit 1; }
! grep -n '| ? |$' "$scratch/now" || { echo "docs.sh: a field has no formula: tools/kickdrift/fields.c" >&2; exit 1; }
# Every method is described, by its name in bold.
"$2" methods | awk 'NR > 1 && NF == 0 { exit } NR > 1 { print $1 }' >"$scratch/names"
grep -o '\*\*[a-z][a-z0-9, -]*\*\*' "$doc" | tr -d '*' | awk '{ n = split($0, part, /, /); stem = part[1]; sub(/-[0-9a-z]*$/, "", stem)
    for (i = 1; i <= n; i++) print (part[i] ~ /^-/) ? stem part[i] : part[i] }' | sort -u >"$scratch/described"
while read -r name; do
    grep -qx -e "$name" "$scratch/described" || { echo "docs.sh: $doc does not describe $name" >&2; exit 1; }
done <"$scratch/names"
