#!/bin/sh
# examples.sh SOURCE NBODY CLOTH FLUID ORBIT TREE checks that the programs of tools/examples conserve what they should, and that their
# pictures can be drawn.
set -eu
source=$1 nbody=$2 cloth=$3 fluid=$4 orbit=$5 tree=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "examples: $*" >&2; exit 1; }

"$nbody" >"$work/stars.csv" 2>"$work/energy"
cat "$work/energy"
# The program prints: 2000 bodies, 1000 steps: energy E, F at first
awk '{ off = ($6 - $7) / $7; found = NF == 9 } END { exit !(found && off < 1e-3 && off > -1e-3) }' "$work/energy" ||
    die "energy not kept within 0.001: $(cat "$work/energy")"
[ "$(wc -l <"$work/stars.csv")" -eq 10001 ] || die "stars.csv: expected 10001 lines, got $(wc -l <"$work/stars.csv")"

"$cloth" >"$work/cloth.csv"
# At each moment the corners that are held stay at (0, 0, 0) and (1, 0, 0), the hem's rods keep their length, and the cloth falls but not
# far.
awk -F, 'NR > 1 {
    if ($3 == 0 && ($4 != 0 || $5 != 0 || $6 != 0) || $3 == 32 && ($4 != 1 || $5 != 0 || $6 != 0)) bad = "a held corner moved"
    if ($3 > 32000) {
        long = sqrt(($4 - x) ^ 2 + ($5 - y) ^ 2 + ($6 - z) ^ 2) * 32 - 1
        if (!(long < 5e-7 && long > -5e-7)) bad = "the hem is off by " long
    }
    x = $4; y = $5; z = $6
    if ($1 > 0 && z < lowest) lowest = z
    if (!(z > -2 && z < 1)) bad = "a knot at z = " z
} END { if (!(lowest < -0.5)) bad = "it did not fall"; if (bad) { print bad; exit 1 } }' "$work/cloth.csv" || die "cloth.csv: see above"
[ "$(wc -l <"$work/cloth.csv")" -eq 4357 ] || die "cloth.csv: expected 4357 lines, got $(wc -l <"$work/cloth.csv")"

# The expected values are an energy of -5.512 and a pressure of 0.007 at density 0.776 and temperature 0.85. They are from NIST's Monte
# Carlo simulation (www.nist.gov, Lennard-Jones fluid properties).
"$fluid" >"$work/fluid" 2>"$work/times"
cat "$work/fluid" "$work/times"
awk '{ exit !(NF == 8 && $2 > 0.83 && $2 < 0.87 && $4 > -5.56 && $4 < -5.46 && $6 > -0.2 && $6 < 0.2 && $8 > 0.3 && $8 < 2) }' "$work/fluid" ||
    die "the liquid is not the one of the literature: $(cat "$work/fluid")"

"$orbit" >"$work/orbit" || die "passages are not where Kepler has them: $(cat "$work/orbit")"
[ "$(grep -c '^t = ' "$work/orbit")" -eq 4 ] && [ "$(grep -c '^pericentre' "$work/orbit")" -eq 3 ] || die "orbit: $(cat "$work/orbit")"

# The program prints: N bodies, theta T: tree A s, M sources a body; direct sum B s; error E of the root mean square, at worst F. With a
# small angle every cell is opened.
"$tree" 3000 0.6 >"$work/tree"
"$tree" 3000 0.001 >"$work/opened"
cat "$work/tree" "$work/opened"
awk '{ exit !(NF == 25 && $1 == 3000 && $8 > 200 && $8 < 2400 && $17 > 1e-6 && $17 < 3e-3 && $25 < 0.1) }' "$work/tree" ||
    die "the tree is off: $(cat "$work/tree")"
awk '{ exit !(NF == 25 && $8 == 3000 && $17 == 0) }' "$work/opened" || die "with all cells opened it is no direct sum: $(cat "$work/opened")"
! "$tree" 0 2>/dev/null || die "a tree of no bodies"

for python in python3 /usr/bin/python3; do
    "$python" -c 'import matplotlib' 2>/dev/null || continue
    "$python" "$source/tools/plot" cloud "$work/stars.csv" "$work/stars.svg"
    "$python" "$source/tools/plot" cloth "$work/cloth.csv" "$work/cloth.svg"
    [ -s "$work/stars.svg" ] && [ -s "$work/cloth.svg" ] || die "no pictures"
    echo "examples: drawn"
    break
done
echo "examples: good"
