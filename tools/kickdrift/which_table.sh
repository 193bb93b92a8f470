#!/bin/sh
# Prints the measured table of docs/methods/methods.md. Usage: which_table.sh PROGRAM. `tools/dev docs` puts it there; tests/docs.sh
# compares.
set -eu
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$program" methods >"$scratch/methods"
"$program" experiment e3 >"$scratch/e3"
"$program" experiment e7 >"$scratch/e7"
awk -v e3="$scratch/e3" -v e7="$scratch/e7" '
# Writes a number with three digits, without an exponent if it is easy to read.
function short(x) { return x == "-" || x == "" ? "-" : x >= 1e5 || x <= -1e5 ? sprintf("%.0e", x) : x >= 100 || x <= -100 ? sprintf("%.0f", x) : sprintf("%.3g", x) }
function measured(name) {
    return sprintf("%s | %s | %s | %s", left[name] == "" ? "-" : amplitude(left[name]), short(phase[name]), short(coarse[name]), short(fine[name]))
}
function amplitude(x) { return x > 0.9995 && x < 1.0005 ? "1.000" : x > 100 ? sprintf("%.0e", x) : sprintf("%.3f", x) }
BEGIN {
    while ((getline line < e3) > 0) {
        if (line ~ /h = 0.25/ && line ~ /^Every method/) break
        if (split(line, f, /  +/) >= 8 && f[1] != "method") {
            left[f[1]] = f[4]; phase[f[1]] = f[8]
            if (f[1] ~ /^boris by /) { composed[++many] = f[1]; raised[f[1]] = f[3]; bound[f[1]] = f[9]; work[f[1]] = f[10] }
        }
    }
    while ((getline line < e7) > 0)
        if (split(line, f, /  +/) >= 8 && f[1] != "method") { coarse[f[1]] = f[5]; fine[f[1]] = f[7] }
    print "| method | order | evals | stable to | amplitude | phase | orbit 1e-4 | orbit 1e-8 |"
    print "|---|---|---:|---:|---:|---:|---:|---:|"
}
NR == 1 { n = split($0, f, /  +/); for (i = 1; i <= n; i++) if (f[i] == "stability") at = i; next }
NF == 0 { exit }
{
    n = split($0, f, /  +/)
    sub(/ [(][0-9][)]$/, "", f[3]) # removes the order of the estimate
    split(f[3], order, ", ")
    sub(/ .*/, "", f[4])
    limit = (f[at] + 0 > 0) ? sprintf("%.3g", f[at]) : f[at] == "unbounded" ? "every h" : "none"
    whole[f[1]] = order[1]; moving[f[1]] = (order[2] + 0 > 0 || order[2] == "exact" ? order[2] : "-")
    printf "| %s | %s, %s | %s | %s | %s |\n", f[1], order[1], moving[f[1]], f[4], limit, measured(f[1])
}
# A composition has the row of the splitting method of its name, if there is one. With velocity-dependent forces a composition raises the
# order only if its method has its full order there.
END {
    for (i = 1; i <= many; i++) {
        name = composed[i]; of = name; sub(/ by .*/, "", of)
        by = name; sub(/.* by /, "", by)
        if (by in whole) continue
        limit = bound[name] == "-" ? "every h" : sprintf("%.3g", bound[name])
        printf "| %s | %s, %s | %s | %s | %s |\n", name, raised[name], (moving[of] == whole[of] ? raised[name] : moving[of]), work[name], limit, measured(name)
    }
}' "$scratch/methods"
